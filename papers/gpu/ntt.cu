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

static gfp_status check_prime(uint64_t q, size_t n, bool packed, gfp_error *error)
{
    const unsigned long long value = q;
    if (q >> GFP_WORD_PRIME_BITS != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "modulus %llu is not below 2^%d", value,
                             GFP_WORD_PRIME_BITS);
    }
    if (q % 2 == 0 || !gfp_word_is_prime(q)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "modulus %llu is not an odd prime", value);
    }
    if (packed && q >> 31 != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "modulus %llu is not below 2^31, the limit of packed residues", value);
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
    if (form > GFP_NTT_BLOCKED) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown transform form %u", form);
    }
    if (product > GFP_GPU_NTT_FP64) {
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
    return GFP_OK;
}

/* ---- products and forms ---- */

/* The product for AUTO: on half words if primes fit; on doubles up to 2^50 if the device is fast at
 * them. */
static gfp_status choose_product(gfp_gpu *gpu, gfp_gpu_ntt_product *product, uint64_t greatest)
{
    bool fast = false;
    if (*product != GFP_GPU_NTT_PRODUCT_AUTO) {
        return GFP_OK;
    }
    GFP_TRY(gfp_cuda_ntt_fast_doubles(gpu, &fast));
    *product = fast && greatest >> 31 != 0 && greatest >> 50 == 0 ? GFP_GPU_NTT_FP64
                                                                  : GFP_GPU_NTT_MONTGOMERY;
    return GFP_OK;
}

/* The first row of this product that serves the greatest prime. */
static const gfp_papers_ntt_row *find_row(gfp_gpu_ntt_product product, uint64_t greatest)
{
    const gfp_papers_ntt_row *row = gfp_papers_ntt_rows;
    while (row->product != product || greatest >> row->bits != 0) {
        row++;
    }
    return row;
}

/* Chooses plan->product, ->form and ->row for all primes. */
static gfp_status choose_row(gfp_papers_ntt *plan, const gfp_gpu_ntt_options *options,
                             uint64_t greatest)
{
    gfp_gpu *gpu = plan->gpu;
    const unsigned limit = options->product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? 30
                           : options->product == GFP_GPU_NTT_FP64          ? 50
                                                                           : GFP_WORD_PRIME_BITS;
    if (greatest >> limit != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "modulus %llu is not below 2^%u, the limit of this product",
                            (unsigned long long)greatest, limit);
    }
    plan->product = options->product;
    GFP_TRY(choose_product(gpu, &plan->product, greatest));
    plan->row = find_row(plan->product, greatest);
    plan->form = options->form == GFP_NTT_FORM_AUTO ? GFP_NTT_BLOCKED : options->form;
    if (plan->form != GFP_NTT_BLOCKED) {
        return GFP_OK;
    }
    if (plan->product != GFP_GPU_NTT_MONTGOMERY && plan->product != GFP_GPU_NTT_FP64) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "the form %s is not built for the product %s",
                            gfp_ntt_form_name(plan->form), gfp_gpu_ntt_product_name(plan->product));
    }
    if (options->timed) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "the form %s has no steps to time",
                            gfp_ntt_form_name(plan->form));
    }
    return GFP_OK;
}

/* ---- plans ---- */

/* Fills plan->weights, or leaves it NULL if 2N does not divide some q - 1. */
static gfp_status fill_weights(gfp_papers_ntt *plan, const uint64_t *primes)
{
    gfp_gpu *gpu = plan->gpu;
    const size_t bytes = plan->count * sizeof *plan->weights;
    for (size_t i = 0; i < plan->count; i++) {
        if ((primes[i] - 1) / plan->n % 2 != 0) {
            return GFP_OK;
        }
    }
    gfp_papers_weight *host =
        (gfp_papers_weight *)gfp_allocate(&gpu->allocator, plan->count, sizeof *host);
    if (host == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    for (size_t i = 0; i < plan->count; i++) {
        const uint64_t q = primes[i], root = gfp_word_root_of_unity(q, plan->log2_n + 1);
        host[i] = {plan->ntt->prime[i].modulus, {root, gfp_mod_pow(root, q - 2, q)}};
    }
    gfp_status status = gfp_gpu_device_allocate(gpu, (void **)&plan->weights, bytes);
    if (status == GFP_OK) {
        status = gfp_gpu_device_fill(gpu, plan->weights, host, bytes);
    }
    gfp_release(&gpu->allocator, host, plan->count, sizeof *host);
    return status;
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
        blocked && plan->n > 1 ? gfp_cuda_ntt_engine_of(plan->row->bits) : NULL;
    GFP_TRY(gfp_cuda_ntt_create(&plan->ntt, plan->gpu, engine, &shape));
    if (!blocked && plan->n > 1) {
        GFP_TRY(plan->row->create(plan));
    }
    if (plan->convolutions) {
        GFP_TRY(fill_weights(plan, primes));
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

} // namespace

gfp_status gfp_papers_ntt_create(gfp_papers_ntt **plan, gfp_gpu *gpu, const uint64_t *primes,
                                 size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    uint64_t greatest = 0;
    GFP_TRY(check_options(options, count, n, &gpu->error));
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(check_prime(primes[i], n, options->packed, &gpu->error));
        greatest = primes[i] > greatest ? primes[i] : greatest;
    }
    gfp_papers_ntt made = {};
    made.gpu = gpu;
    made.count = count;
    made.batch = options->batch == 0 ? 1 : options->batch;
    made.n = n;
    made.log2_n = gfp_ctz64(n);
    made.words = made.count * made.batch * (options->packed ? n / 2 : n); /* checked below */
    made.packed = options->packed;
    made.convolutions = options->convolutions;
    GFP_TRY(choose_row(&made, options, greatest));
    gfp_papers_ntt *p = (gfp_papers_ntt *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    const size_t before = gpu->bytes;
    const gfp_status status = fill_plan(p, primes, options->timed);
    p->bytes = gpu->bytes - before;
    if (status != GFP_OK) {
        gfp_papers_ntt_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

void gfp_papers_ntt_destroy(gfp_papers_ntt *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    for (uint64_t *area : plan->area) {
        gfp_gpu_device_release(gpu, area, plan->words * sizeof *area);
    }
    gfp_gpu_device_release(gpu, plan->weights, plan->count * sizeof *plan->weights);
    gfp_gpu_clock_destroy(&plan->clock);
    gfp_cuda_ntt_destroy(plan->ntt);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

/* ---- transforms ---- */

gfp_status gfp_papers_ntt_transform(gfp_papers_ntt *plan, uint64_t *y, const uint64_t *x,
                                    gfp_order order, bool inverse)
{
    if (plan->n > 1) {
        return plan->ntt->engine != NULL ? plan->ntt->engine->run(plan->ntt, y, x, order, inverse)
                                         : plan->row->run(plan, y, x, order, inverse);
    }
    return y != x ? gfp_cuda_memory.copy(plan->gpu, y, x, plan->words * sizeof *y) : GFP_OK;
}

/* ---- products ---- */

namespace
{

/* z := x y; residues are words or half words. */
template <class word>
static __global__ void multiply(word *z, const word *x, const word *y, const gfp_gpu_prime *primes,
                                size_t each, size_t items)
{
    GFP_FOR_ITEMS(i, items)
    {
        z[i] = (word)mod_mul(x[i], y[i], primes[i / each].modulus);
    }
}

/* Residues of one vector that a thread of weigh treats; neighbouring threads take neighbouring
 * residues. */
constexpr unsigned weigh_items = 16;

/* y := x w_2N^i or w_2N^-i, where i is the place in the vector; `blocks` blocks per vector. */
template <class word>
static __global__ void weigh(word *y, const word *x, const gfp_papers_weight *weights, size_t n,
                             size_t batch, size_t blocks, int inverse)
{
    const size_t vector = blockIdx.x / blocks;
    const gfp_papers_weight &prime = weights[vector / batch];
    const size_t start = blockIdx.x % blocks * (item_threads * weigh_items) + threadIdx.x;
    const uint64_t step = mod_pow(prime.weight[inverse], item_threads, prime.modulus);
    uint64_t power = mod_pow(prime.weight[inverse], start, prime.modulus);
    for (size_t i = start; i < n && i < start + item_threads * weigh_items; i += item_threads) {
        y[vector * n + i] = (word)mod_mul(x[vector * n + i], power, prime.modulus);
        power = mod_mul(power, step, prime.modulus);
    }
}

static gfp_status run_multiply(gfp_papers_ntt *plan, uint64_t *z, const uint64_t *x,
                               const uint64_t *y)
{
    const size_t each = plan->batch * plan->n;
    const size_t items = plan->count * each;
    if (plan->packed) {
        GFP_LAUNCH(plan->gpu, multiply<uint32_t>, item_blocks(items), item_threads, 0,
                   (uint32_t *)z, (const uint32_t *)x, (const uint32_t *)y, plan->ntt->device, each,
                   items);
    } else {
        GFP_LAUNCH(plan->gpu, multiply<uint64_t>, item_blocks(items), item_threads, 0, z, x, y,
                   plan->ntt->device, each, items);
    }
    return GFP_OK;
}

static gfp_status run_weigh(gfp_papers_ntt *plan, uint64_t *y, const uint64_t *x, int inverse)
{
    const size_t each = item_threads * weigh_items;
    const size_t blocks = (plan->n + each - 1) / each;
    const unsigned all = (unsigned)(blocks * plan->count * plan->batch);
    if (plan->packed) {
        GFP_LAUNCH(plan->gpu, weigh<uint32_t>, all, item_threads, 0, (uint32_t *)y,
                   (const uint32_t *)x, plan->weights, plan->n, plan->batch, blocks, inverse);
    } else {
        GFP_LAUNCH(plan->gpu, weigh<uint64_t>, all, item_threads, 0, y, x, plan->weights, plan->n,
                   plan->batch, blocks, inverse);
    }
    return GFP_OK;
}

/* to := the transform of x; for negacyclic products x is first multiplied by the weights. */
static gfp_status convolve_forward(gfp_papers_ntt *plan, uint64_t *to, const uint64_t *x,
                                   bool negacyclic)
{
    if (negacyclic) {
        GFP_TRY(run_weigh(plan, to, x, 0));
        x = to;
    }
    return gfp_papers_ntt_transform(plan, to, x, GFP_ORDER_PERMUTED, false);
}

static gfp_status convolve(gfp_gpu_ntt_plan *base, uint64_t *c, const uint64_t *a,
                           const uint64_t *b, bool negacyclic)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    if (!plan->convolutions) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "the plan is not made for convolutions");
    }
    if (negacyclic && plan->weights == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_NO_ROOT,
                            "twice the transform length %zu does not divide every q - 1", plan->n);
    }
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    uint64_t *fa = plan->area[0];
    uint64_t *fb = a == b ? fa : plan->area[1];
    GFP_TRY(convolve_forward(plan, fa, a, negacyclic));
    if (fb != fa) {
        GFP_TRY(gfp_gpu_clock_start(&plan->clock));
        GFP_TRY(convolve_forward(plan, fb, b, negacyclic));
    }
    GFP_TRY(run_multiply(plan, fa, fa, fb));
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    GFP_TRY(gfp_papers_ntt_transform(plan, c, fa, GFP_ORDER_PERMUTED, true));
    return negacyclic ? run_weigh(plan, c, c, 1) : GFP_OK;
}

/* ---- the table ---- */

static gfp_status create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                         size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    gfp_papers_ntt *made = NULL;
    GFP_TRY(gfp_papers_ntt_create(&made, gpu, primes, count, n, options));
    *plan = made;
    return GFP_OK;
}

static void destroy(gfp_gpu_ntt_plan *plan)
{
    gfp_papers_ntt_destroy((gfp_papers_ntt *)plan);
}

static uint64_t prime_of(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return ((const gfp_papers_ntt *)plan)->ntt->prime[i].modulus.q;
}

static uint64_t root_of(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return ((const gfp_papers_ntt *)plan)->ntt->prime[i].root[0];
}

static gfp_status run(gfp_gpu_ntt_plan *base, uint64_t *y, const uint64_t *x, gfp_order order,
                      bool inverse)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return gfp_papers_ntt_transform(plan, y, x, order, inverse);
}

static gfp_status multiply_pointwise(gfp_gpu_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                                     const uint64_t *y)
{
    return run_multiply((gfp_papers_ntt *)plan, z, x, y);
}

static gfp_status scale(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x, const uint64_t *c)
{
    gfp_papers_ntt *plan = (gfp_papers_ntt *)base;
    return plan->row->scale(plan, z, x, c);
}

static gfp_status times_of(gfp_gpu_ntt_plan *base, gfp_gpu_times *times)
{
    return gfp_gpu_clock_read(base->gpu, &((gfp_papers_ntt *)base)->clock, times);
}

} // namespace

const gfp_papers_ntt_calls gfp_papers_cuda_ntt = {
    create, destroy, prime_of, root_of, run, multiply_pointwise, scale, convolve, times_of,
};
