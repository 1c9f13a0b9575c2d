/* calls.c: the functions of gfpoly/gpu_papers.h: they check, enter the device and call the
 * context's gfp_papers_backend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/gpu/backend.h"

#if GFP_HAVE_CUDA
static const gfp_papers_backend *in_use = &gfp_papers_cuda;
#else
static const gfp_papers_backend *in_use = NULL;
#endif

const gfp_papers_backend *gfp_papers_backend_of(const gfp_gpu *gpu)
{
    return in_use != NULL && in_use->gpu == gpu->backend ? in_use : NULL;
}

void gfp_papers_use_backend(const gfp_papers_backend *backend)
{
    in_use = backend;
}

/* UNAVAILABLE if papers/ has no backend for the context. */
static gfp_status need_backend(gfp_gpu *gpu)
{
    return gfp_papers_backend_of(gpu) != NULL ? GFP_OK : gfp_gpu_lacks(gpu, "papers");
}

/* Destroys a handle, which may be NULL. */
#define DESTROY(handle, table)                                                                     \
    do {                                                                                           \
        if ((handle) != NULL) {                                                                    \
            gfp_gpu *gpu_ = (handle)->gpu;                                                         \
            const int before_ = gfp_gpu_enter_to_destroy(gpu_);                                    \
            gfp_papers_backend_of(gpu_)->table->destroy(handle);                                   \
            (void)gfp_gpu_leave(gpu_, before_, GFP_OK);                                            \
        }                                                                                          \
    } while (0)

/* ---- transforms over Z/pZ ---- */

static gfp_status create_fft(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                             size_t n, const gfp_gpu_papers_fft_options *options)
{
    GFP_TRY(need_backend(gpu));
    const gfp_papers_fft_calls *fft = gfp_papers_backend_of(gpu)->fft;
    const gfp_gpu_fft_engine *const engines[] = {options->split ? fft->split : fft->whole, NULL};
    const unsigned threads = options->threads == 0 ? GFP_PAPERS_USUAL_THREADS : options->threads;
    const gfp_gpu_fft_options plain = {.batch = options->batch};
    gfp_gpu_fft_plan *made = NULL;
    if (threads < GFP_PAPERS_LEAST_THREADS || threads > GFP_PAPERS_MOST_THREADS ||
        (threads & (threads - 1)) != 0 || threads < gfp_field_k(field)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "blocks of %u threads: powers of two from %d to %d are possible, and "
                            "at least k = %u",
                            threads, GFP_PAPERS_LEAST_THREADS, GFP_PAPERS_MOST_THREADS,
                            gfp_field_k(field));
    }
    GFP_TRY(gfp_gpu_fft_plan_make(&made, gpu, field, n, &plain, engines));
    fft->set_threads(made, threads);
    const gfp_status status = options->timed ? fft->time(made) : GFP_OK;
    if (status != GFP_OK) {
        gfp_gpu_fft_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

static gfp_status enter_fft(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                            const gfp_gpu_papers_fft_options *options)
{
    GFP_GPU_RETURN(gpu, true, create_fft(plan, gpu, field, n, options));
}

gfp_status gfp_gpu_papers_fft_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                     size_t n, const gfp_gpu_papers_fft_options *options,
                                     gfp_error *error)
{
    const gfp_gpu_papers_fft_options usual = {.batch = 1};
    options = options != NULL ? options : &usual;
    return gfp_gpu_report(gpu, enter_fft(plan, gpu, field, n, options), error);
}

static gfp_status fft_times(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    const gfp_papers_backend *backend = gfp_papers_backend_of(plan->gpu);
    if (backend == NULL ||
        (plan->engine != backend->fft->whole && plan->engine != backend->fft->split)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "the plan is not of the papers' form");
    }
    return backend->fft->times(plan, times);
}

gfp_status gfp_gpu_papers_fft_times(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    GFP_GPU_RETURN(plan->gpu, true, fft_times(plan, times));
}

/* ---- transforms over word-size primes ---- */

static const gfp_papers_ntt_calls *ntt_of(const gfp_gpu_ntt_plan *plan)
{
    return gfp_papers_backend_of(plan->gpu)->ntt;
}

static gfp_status create_ntt(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                             size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    const gfp_gpu_ntt_options usual = {.batch = 1};
    GFP_TRY(need_backend(gpu));
    options = options != NULL ? options : &usual;
    GFP_GPU_RETURN(gpu, true,
                   gfp_papers_backend_of(gpu)->ntt->create(plan, gpu, primes, count, n, options));
}

gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                   size_t count, size_t n, const gfp_gpu_ntt_options *options,
                                   gfp_error *error)
{
    return gfp_gpu_report(gpu, create_ntt(plan, gpu, primes, count, n, options), error);
}

void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan)
{
    DESTROY(plan, ntt);
}

size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan)
{
    return plan->words;
}

static gfp_status run_ntt(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, y, plan->words, x, plan->words));
    return ntt_of(plan)->run(plan, y->data, x->data, false);
}

gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x)
{
    GFP_GPU_RETURN(plan->gpu, false, run_ntt(plan, y, x));
}

static gfp_status gpu_calls_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                                  const uint64_t *c)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, z, plan->words, x, plan->words));
    return ntt_of(plan)->scale(plan, z->data, x->data, c);
}

gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c)
{
    GFP_GPU_RETURN(plan->gpu, false, gpu_calls_scale(plan, z, x, c));
}

static gfp_status gpu_calls_convolve(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                     const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, c, plan->words, a, plan->words));
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, c, plan->words, b, plan->words));
    return ntt_of(plan)->convolve(plan, c->data, a->data, b->data);
}

gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    GFP_GPU_RETURN(plan->gpu, false, gpu_calls_convolve(plan, c, a, b));
}

gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times)
{
    GFP_GPU_RETURN(plan->gpu, true, ntt_of(plan)->times(plan, times));
}

const char *gfp_ntt_form_name(gfp_ntt_form form)
{
    static const char *const names[] = {"blocked", "cooley-tukey", "cooley-tukey-tabulated",
                                        "stockham"};
    return (unsigned)form <= GFP_NTT_STOCKHAM ? names[form] : "unknown";
}

/* ---- the papers' rival ---- */

static gfp_status create_rival(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                               size_t n, const gfp_gpu_rival_options *options)
{
    const gfp_gpu_rival_options usual = {.batch = 1};
    GFP_TRY(need_backend(gpu));
    options = options != NULL ? options : &usual;
    GFP_GPU_RETURN(gpu, true,
                   gfp_papers_backend_of(gpu)->rival->create(plan, gpu, field, n, options));
}

gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t n,
                                     const gfp_gpu_rival_options *options, gfp_error *error)
{
    return gfp_gpu_report(gpu, create_rival(plan, gpu, field, n, options), error);
}

void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan)
{
    DESTROY(plan, rival);
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    return plan->count;
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    return plan->words;
}

static gfp_status gpu_calls_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                    const gfp_gpu_array *x)
{
    gfp_gpu *gpu = plan->gpu;
    const size_t words = plan->count * plan->elements, z_words = plan->elements * plan->words;
    GFP_TRY(gfp_gpu_array_check_apart(gpu, y, words, x, plan->elements * plan->k));
    if (z != NULL) {
        GFP_TRY(gfp_gpu_array_check_apart(gpu, z, z_words, y, words));
        GFP_TRY(gfp_gpu_array_check_apart(gpu, z, z_words, x, plan->elements * plan->k));
    }
    return gfp_papers_backend_of(gpu)->rival->forward(plan, z != NULL ? z->data : NULL, y->data,
                                                      x->data);
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    GFP_GPU_RETURN(plan->gpu, false, gpu_calls_forward(plan, z, y, x));
}
