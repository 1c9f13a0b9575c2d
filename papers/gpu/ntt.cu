/* ntt.cu: transforms over word-size primes in the papers' forms and in the form of gpu/: plans
 * and convolutions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/gpu/ntt.cuh"

GFP_BEGIN_DECLS
#include "field/primes/factor.h"
#include "field/base/word.h"
#include "fft/words/primes.h"
GFP_END_DECLS

namespace
{

/* Transforms have at most 2^32 points, so that exponents fit 32 bits. */
constexpr unsigned max_log2 = 32;

/* ---- checks of arguments ---- */

static gfp_status check_prime(uint64_t q, size_t n, unsigned bits, gfp_error *error)
{
    const unsigned long long value = q;
    if (q >> bits != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "modulus %llu is not below 2^%u, the limit of this product", value,
                             bits);
    }
    if (q % 2 == 0 || !gfp_word_is_prime(q)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "modulus %llu is not an odd prime", value);
    }
    if ((q - 1) % n != 0) {
        return gfp_error_set(error, GFP_ERR_NO_ROOT,
                             "transform length %zu does not divide q - 1 for q = %llu", n, value);
    }
    return GFP_OK;
}

static gfp_status check_options(const gfp_gpu_ntt_options *options, size_t count, size_t n,
                                gfp_error *error)
{
    const unsigned form = (unsigned)options->form;
    const unsigned product = (unsigned)options->product;
    if (count == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no prime is given");
    }
    if (form > GFP_NTT_STOCKHAM) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown transform form %u", form);
    }
    if (product > GFP_GPU_NTT_DOUBLE_QUOTIENT) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown modular product %u", product);
    }
    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if (options->packed && n == 1) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "packed transforms need at least 2 points");
    }
    if (n > (size_t)1 << max_log2) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    if (options->form != GFP_NTT_BLOCKED) {
        return GFP_OK;
    }
    if (options->product != GFP_GPU_NTT_MONTGOMERY) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "the form %s is built for Montgomery's product alone",
                             gfp_ntt_form_name(options->form));
    }
    if (options->timed) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "the form %s has no steps to time",
                             gfp_ntt_form_name(options->form));
    }
    return GFP_OK;
}

/* ---- plans ---- */

/* The limit of the primes, as the library's engines have it. */
static gfp_status choose_bits(gfp_gpu *gpu, unsigned *bits, uint64_t greatest)
{
    bool fast = false;
    GFP_TRY(gfp_cuda_ntt_fast_doubles(gpu, &fast));
    *bits = greatest >> 31 == 0 ? 31 : fast && greatest >> 50 == 0 ? 50 : GFP_WORD_PRIME_BITS;
    return GFP_OK;
}

/* Makes all parts on the device. */
static gfp_status fill_plan(gfp_papers_ntt *plan, const uint64_t *primes, bool timed)
{
    static const char *const steps[] = {"convert", "permutation", "base case", "twiddle",
                                        "butterfly"};
    static_assert(sizeof steps / sizeof steps[0] == GFP_PAPERS_NTT_STEPS, "steps");
    const bool blocked = plan->form == GFP_NTT_BLOCKED;
    const gfp_cuda_ntt_shape shape = {primes,  NULL,        plan->count,
                                      plan->n, plan->batch, plan->packed};
    const gfp_cuda_ntt_engine *engine =
        blocked && plan->n > 1 ? gfp_cuda_ntt_engine_of(plan->bits) : NULL;
    GFP_TRY(gfp_cuda_ntt_create(&plan->ntt, plan->gpu, engine, &shape));
    if (!blocked && plan->n > 1) {
        GFP_TRY(plan->row->create(plan));
    }
    if (plan->convolutions) {
        for (uint64_t *&area : plan->area) {
            GFP_TRY(gfp_gpu_device_allocate(plan->gpu, (void **)&area, plan->words * sizeof *area));
        }
    }
    if (timed) {
        /* three marks a level, and some at both ends */
        GFP_TRY(gfp_gpu_clock_create(&plan->clock, plan->gpu, steps, GFP_PAPERS_NTT_STEPS,
                                     3 * plan->log2_n + 8));
    }
    return GFP_OK;
}

static void ntt_destroy(gfp_gpu_ntt_plan *base)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    gfp_gpu *gpu = plan->gpu;
    for (uint64_t *area : plan->area) {
        gfp_gpu_device_release(gpu, area, plan->words * sizeof *area);
    }
    gfp_gpu_clock_destroy(&plan->clock);
    gfp_cuda_ntt_destroy(plan->ntt);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

/* Errors are recorded in the context. */
static gfp_status ntt_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                             size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    GFP_TRY(check_options(options, count, n, &gpu->error));
    gfp_papers_ntt made = {};
    made.row = &gfp_papers_ntt_rows[options->product];
    const bool words = options->form == GFP_NTT_BLOCKED && !options->packed;
    uint64_t greatest = 0;
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(
            check_prime(primes[i], n, words ? GFP_WORD_PRIME_BITS : made.row->bits, &gpu->error));
        greatest = primes[i] > greatest ? primes[i] : greatest;
    }
    GFP_TRY(choose_bits(gpu, &made.bits, greatest));
    made.gpu = gpu;
    made.count = count;
    made.batch = options->batch == 0 ? 1 : options->batch;
    made.n = n;
    made.log2_n = gfp_ctz64(n);
    made.words = made.count * made.batch * (options->packed ? n / 2 : n); /* checked below */
    made.form = options->form;
    made.packed = options->packed;
    made.convolutions = options->convolutions;
    gfp_papers_ntt *p = (gfp_papers_ntt *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    const gfp_status status = fill_plan(p, primes, options->timed);
    if (status != GFP_OK) {
        ntt_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

/* ---- transforms ---- */

static gfp_status ntt_transform(gfp_papers_ntt *plan, uint64_t *y, const uint64_t *x,
                                gfp_order order, bool inverse)
{
    if (plan->n > 1) {
        return plan->ntt->engine != NULL ? plan->ntt->engine->run(plan->ntt, y, x, order, inverse)
                                         : plan->row->run(plan, y, x, inverse);
    }
    return y != x ? gfp_cuda_memory.copy(plan->gpu, y, x, plan->words * sizeof *y) : GFP_OK;
}

/* ---- products ---- */

/* z := x y; residues are words or half words. */
template <class word>
static __global__ void ntt_multiply(word *z, const word *x, const word *y,
                                    const gfp_gpu_prime *primes, size_t each, size_t items)
{
    GFP_FOR_ITEMS(i, items)
    {
        z[i] = (word)mod_mul(x[i], y[i], primes[i / each].modulus);
    }
}

static gfp_status run_multiply(gfp_papers_ntt *plan, uint64_t *z, const uint64_t *x,
                               const uint64_t *y)
{
    const size_t each = plan->batch * plan->n;
    const size_t items = plan->count * each;
    if (plan->packed) {
        GFP_LAUNCH(plan->gpu, ntt_multiply<uint32_t>, item_blocks(items), item_threads, 0,
                   (uint32_t *)z, (const uint32_t *)x, (const uint32_t *)y, plan->ntt->device, each,
                   items);
    } else {
        GFP_LAUNCH(plan->gpu, ntt_multiply<uint64_t>, item_blocks(items), item_threads, 0, z, x, y,
                   plan->ntt->device, each, items);
    }
    return GFP_OK;
}

/* The library's form needs no bit reversal between transforms; the papers' forms are natural. */
static gfp_status ntt_convolve(gfp_gpu_ntt_plan *base, uint64_t *c, const uint64_t *a,
                               const uint64_t *b)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    if (!plan->convolutions) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "the plan is not made for convolutions");
    }
    uint64_t *fa = plan->area[0];
    uint64_t *fb = a == b ? fa : plan->area[1];
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    GFP_TRY(ntt_transform(plan, fa, a, GFP_ORDER_PERMUTED, false));
    if (fb != fa) {
        GFP_TRY(gfp_gpu_clock_start(&plan->clock));
        GFP_TRY(ntt_transform(plan, fb, b, GFP_ORDER_PERMUTED, false));
    }
    GFP_TRY(run_multiply(plan, fa, fa, fb));
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return ntt_transform(plan, c, fa, GFP_ORDER_PERMUTED, true);
}

/* ---- the table ---- */

static gfp_status ntt_run(gfp_gpu_ntt_plan *base, uint64_t *y, const uint64_t *x, bool inverse)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return ntt_transform(plan, y, x, GFP_ORDER_NATURAL, inverse);
}

static gfp_status ntt_scale(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x,
                            const uint64_t *c)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    /* Only the library's form has primes above 2^31; elsewhere the row's own limit was checked with
     * the plan. */
    if (plan->bits > 31) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_UNAVAILABLE,
                            "products by constants modulo primes below 2^31 alone");
    }
    return plan->row->scale(plan, z, x, c);
}

static gfp_status times_of(gfp_gpu_ntt_plan *base, gfp_gpu_times *times)
{
    return gfp_gpu_clock_read(base->gpu, &((gfp_papers_ntt *)base)->clock, times);
}

} // namespace

const gfp_papers_ntt_calls gfp_papers_cuda_ntt = {
    ntt_create, ntt_destroy, ntt_run, ntt_scale, ntt_convolve, times_of,
};
