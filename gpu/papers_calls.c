/* papers_calls.c: graphs, timers, transforms over word-size primes, the papers' rival: what a
 * backend has under papers_calls.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers_calls.h"

/* Destroys a handle, which may be NULL. */
#define DESTROY(handle, table)                                                                     \
    do {                                                                                           \
        if ((handle) != NULL) {                                                                    \
            gfp_gpu *gpu_ = (handle)->gpu;                                                         \
            const int before_ = gfp_gpu_enter_to_destroy(gpu_);                                    \
            gpu_->backend->papers->table->destroy(handle);                                         \
            (void)gfp_gpu_leave(gpu_, before_, GFP_OK);                                            \
        }                                                                                          \
    } while (0)

/* ---- graphs and timers ---- */

static gfp_status begin_capture(gfp_gpu *gpu)
{
    GFP_GPU_NEED(gpu, papers, graphs);
    GFP_TRY(gpu->backend->papers->graphs->capture_begin(gpu));
    gpu->capturing = true;
    return GFP_OK;
}

gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu)
{
    GFP_GPU_RETURN(gpu, true, begin_capture(gpu));
}

gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    if (!gpu->capturing) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no capture is open");
    }
    const int before = gfp_gpu_enter_to_destroy(gpu);
    const gfp_status status = gpu->backend->papers->graphs->capture_end(gpu, graph);
    gpu->capturing = false;
    return gfp_gpu_leave(gpu, before, status);
}

gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph)
{
    gfp_gpu *gpu = graph->gpu;
    GFP_GPU_RETURN(gpu, true, gpu->backend->papers->graphs->launch(graph));
}

void gfp_gpu_graph_destroy(gfp_gpu_graph *graph)
{
    DESTROY(graph, graphs);
}

gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    GFP_GPU_NEED(gpu, papers, timers);
    GFP_GPU_RETURN(gpu, true, gpu->backend->papers->timers->create(timer, gpu));
}

void gfp_gpu_timer_destroy(gfp_gpu_timer *timer)
{
    DESTROY(timer, timers);
}

gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->papers->timers->start(timer));
}

gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->papers->timers->stop(timer));
}

gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms)
{
    GFP_GPU_RETURN(timer->gpu, true, timer->gpu->backend->papers->timers->read(timer, ms));
}

/* ---- transforms over word-size primes ---- */

static const gfp_gpu_papers_calls *calls_of(const gfp_gpu *gpu)
{
    return gpu->backend->papers;
}

static gfp_status create_ntt(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                             size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    const gfp_gpu_ntt_options usual = {.batch = 1};
    GFP_GPU_NEED(gpu, papers, ntt);
    options = options != NULL ? options : &usual;
    GFP_GPU_RETURN(gpu, true, calls_of(gpu)->ntt->create(plan, gpu, primes, count, n, options));
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

size_t gfp_gpu_ntt_plan_length(const gfp_gpu_ntt_plan *plan)
{
    return plan->n;
}

size_t gfp_gpu_ntt_plan_batch(const gfp_gpu_ntt_plan *plan)
{
    return plan->batch;
}

size_t gfp_gpu_ntt_plan_prime_count(const gfp_gpu_ntt_plan *plan)
{
    return plan->count;
}

uint64_t gfp_gpu_ntt_plan_prime(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return calls_of(plan->gpu)->ntt->prime(plan, i);
}

uint64_t gfp_gpu_ntt_plan_root(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return calls_of(plan->gpu)->ntt->root(plan, i);
}

gfp_ntt_form gfp_gpu_ntt_plan_form(const gfp_gpu_ntt_plan *plan)
{
    return plan->form;
}

gfp_gpu_ntt_product gfp_gpu_ntt_plan_product(const gfp_gpu_ntt_plan *plan)
{
    return plan->product;
}

size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan)
{
    return plan->words;
}

size_t gfp_gpu_ntt_plan_bytes(const gfp_gpu_ntt_plan *plan)
{
    return plan->bytes;
}

static gfp_status run_ntt(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                          gfp_order order, bool inverse)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, y, plan->words, x, plan->words));
    return calls_of(plan->gpu)->ntt->run(plan, y->data, x->data, order, inverse);
}

gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    GFP_GPU_RETURN(plan->gpu, false, run_ntt(plan, y, x, order, false));
}

gfp_status gfp_gpu_ntt_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    GFP_GPU_RETURN(plan->gpu, false, run_ntt(plan, x, y, order, true));
}

static gfp_status multiply(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, z, plan->words, x, plan->words));
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, z, plan->words, y, plan->words));
    return calls_of(plan->gpu)->ntt->multiply(plan, z->data, x->data, y->data);
}

gfp_status gfp_gpu_ntt_mul_pointwise(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z,
                                     const gfp_gpu_array *x, const gfp_gpu_array *y)
{
    GFP_GPU_RETURN(plan->gpu, false, multiply(plan, z, x, y));
}

static gfp_status scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                        const uint64_t *c)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, z, plan->words, x, plan->words));
    return calls_of(plan->gpu)->ntt->scale(plan, z->data, x->data, c);
}

gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c)
{
    GFP_GPU_RETURN(plan->gpu, false, scale(plan, z, x, c));
}

static gfp_status convolve(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c, const gfp_gpu_array *a,
                           const gfp_gpu_array *b, bool negacyclic)
{
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, c, plan->words, a, plan->words));
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, c, plan->words, b, plan->words));
    return calls_of(plan->gpu)->ntt->convolve(plan, c->data, a->data, b->data, negacyclic);
}

gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    GFP_GPU_RETURN(plan->gpu, false, convolve(plan, c, a, b, false));
}

gfp_status gfp_gpu_ntt_convolve_negacyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                           const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    GFP_GPU_RETURN(plan->gpu, false, convolve(plan, c, a, b, true));
}

gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times)
{
    GFP_GPU_RETURN(plan->gpu, true, calls_of(plan->gpu)->ntt->times(plan, times));
}

/* ---- the papers' rival ---- */

static gfp_status create_rival(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                               size_t n, const gfp_gpu_rival_options *options)
{
    const gfp_gpu_rival_options usual = {.primes = GFP_CRT_RIVAL_AUTO};
    GFP_GPU_NEED(gpu, papers, rival);
    options = options != NULL ? options : &usual;
    GFP_GPU_RETURN(gpu, true, calls_of(gpu)->rival->create(plan, gpu, field, n, options));
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

size_t gfp_gpu_rival_plan_length(const gfp_gpu_rival_plan *plan)
{
    return plan->n;
}

const gfp_field *gfp_gpu_rival_plan_field(const gfp_gpu_rival_plan *plan)
{
    return plan->field;
}

gfp_crt_rival_primes gfp_gpu_rival_plan_kind(const gfp_gpu_rival_plan *plan)
{
    return plan->kind;
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    return plan->count;
}

uint64_t gfp_gpu_rival_plan_prime(const gfp_gpu_rival_plan *plan, size_t i)
{
    return calls_of(plan->gpu)->rival->prime(plan, i);
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    return plan->words;
}

size_t gfp_gpu_rival_plan_bytes(const gfp_gpu_rival_plan *plan)
{
    return plan->bytes;
}

static gfp_status project(gfp_gpu_rival_plan *plan, gfp_gpu_array *residues, const gfp_gpu_array *x)
{
    GFP_GPU_NEED(plan->gpu, papers->rival, project);
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, residues, plan->count * plan->n, x,
                                      plan->n * plan->k));
    return calls_of(plan->gpu)->rival->project(plan, residues->data, x->data);
}

gfp_status gfp_gpu_rival_project(gfp_gpu_rival_plan *plan, gfp_gpu_array *residues,
                                 const gfp_gpu_array *x)
{
    GFP_GPU_RETURN(plan->gpu, false, project(plan, residues, x));
}

static gfp_status transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x)
{
    const size_t words = plan->count * plan->n;
    GFP_GPU_NEED(plan->gpu, papers->rival, transform);
    GFP_TRY(gfp_gpu_array_check_pair(plan->gpu, y, words, x, words));
    return calls_of(plan->gpu)->rival->transform(plan, y->data, x->data);
}

gfp_status gfp_gpu_rival_transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y,
                                   const gfp_gpu_array *x)
{
    GFP_GPU_RETURN(plan->gpu, false, transform(plan, y, x));
}

static gfp_status recombine(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                            const gfp_gpu_array *residues)
{
    GFP_GPU_NEED(plan->gpu, papers->rival, recombine);
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, z, plan->n * plan->words, residues,
                                      plan->count * plan->n));
    return calls_of(plan->gpu)->rival->recombine(plan, z->data, residues->data);
}

gfp_status gfp_gpu_rival_recombine(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                   const gfp_gpu_array *residues)
{
    GFP_GPU_RETURN(plan->gpu, false, recombine(plan, z, residues));
}

static gfp_status forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                          const gfp_gpu_array *x)
{
    gfp_gpu *gpu = plan->gpu;
    const size_t words = plan->count * plan->n, z_words = plan->n * plan->words;
    GFP_TRY(gfp_gpu_array_check_apart(gpu, y, words, x, plan->n * plan->k));
    if (z != NULL) {
        GFP_TRY(gfp_gpu_array_check_apart(gpu, z, z_words, y, words));
        GFP_TRY(gfp_gpu_array_check_apart(gpu, z, z_words, x, plan->n * plan->k));
    }
    return calls_of(gpu)->rival->forward(plan, z != NULL ? z->data : NULL, y->data, x->data);
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    GFP_GPU_RETURN(plan->gpu, false, forward(plan, z, y, x));
}

gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan, gfp_gpu_times *times)
{
    GFP_GPU_RETURN(plan->gpu, true, calls_of(plan->gpu)->rival->times(plan, times));
}
