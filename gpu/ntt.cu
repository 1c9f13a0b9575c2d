/* ntt.cu: transforms over word-size primes: plans, the choice of an engine, convolutions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu_ntt.h"

GFP_BEGIN_DECLS
#include "factor.h"
#include "word.h"
#include "word_primes.h"
GFP_END_DECLS

namespace
{

/* Transforms of at most 2^32 points: exponents fit 32 bits. */
constexpr unsigned max_log2 = 32;

/* ---- what is asked for ---- */

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

static gfp_status check_options(const gfp_gpu_ntt_options *options, size_t n, gfp_error *error)
{
    const unsigned form = (unsigned)options->form;
    const unsigned product = (unsigned)options->product;
    if (form > GFP_NTT_BLOCKED) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no form of the transform has number %u",
                             form);
    }
    if (product > GFP_GPU_NTT_FP64) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no modular product has number %u", product);
    }
    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if (options->packed && n == 1) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "packed transforms have 2 points at least");
    }
    if (n > (size_t)1 << max_log2) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    return GFP_OK;
}

static gfp_status check_sizes(size_t count, size_t batch, size_t n, gfp_error *error)
{
    size_t words;
    if (count == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no prime is given");
    }
    /* Blocks are counted by 31 bits: one may have a single vector, or 4096 residues. */
    if (!gfp_size_mul(&words, count, batch) || words >> 31 != 0 ||
        !gfp_size_mul(&words, words, n) || words >> 43 != 0) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%zu vectors of %zu residues for %zu primes",
                             batch, n, count);
    }
    return GFP_OK;
}

/* ---- engines ---- */

/* The product for AUTO: half words where they fit; doubles up to 2^50, where they are fast. */
static gfp_status choose_product(gfp_gpu *gpu, gfp_gpu_ntt_product *product, uint64_t greatest)
{
    bool fast = false;
    if (*product != GFP_GPU_NTT_PRODUCT_AUTO) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_ntt_fast_doubles(gpu, &fast));
    *product = fast && greatest >> 31 != 0 && greatest >> 50 == 0 ? GFP_GPU_NTT_FP64
                                                                  : GFP_GPU_NTT_MONTGOMERY;
    return GFP_OK;
}

/* The first engine of this form and product that takes the greatest prime, or NULL. */
static const gfp_gpu_ntt_engine *find_engine(gfp_ntt_form form, gfp_gpu_ntt_product product,
                                             uint64_t greatest)
{
    static const gfp_gpu_ntt_engine *const blocked[] = {
        &gfp_gpu_ntt_blocked31, &gfp_gpu_ntt_blocked50, &gfp_gpu_ntt_blocked62};
    const bool fast = form == GFP_NTT_BLOCKED;
    const size_t rows = fast ? sizeof blocked / sizeof blocked[0] : GFP_GPU_NTT_PAPERS_ROWS;
    for (size_t i = 0; i < rows; i++) {
        const gfp_gpu_ntt_engine *engine = fast ? blocked[i] : &gfp_gpu_ntt_papers[i];
        if (engine->product == product && greatest >> engine->bits == 0) {
            return engine;
        }
    }
    return NULL;
}

static gfp_status choose_engine(gfp_cuda_ntt_plan *plan, const gfp_gpu_ntt_options *options,
                                uint64_t greatest, gfp_error *error)
{
    gfp_gpu_ntt_product product = options->product;
    const unsigned limit = product == GFP_GPU_NTT_DOUBLE_QUOTIENT ? 30
                           : product == GFP_GPU_NTT_FP64          ? 50
                                                                  : GFP_WORD_PRIME_BITS;
    if (greatest >> limit != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "modulus %llu is not below 2^%u, the limit of this product",
                             (unsigned long long)greatest, limit);
    }
    GFP_TRY(choose_product(plan->gpu, &product, greatest));
    plan->form = options->form == GFP_NTT_FORM_AUTO ? GFP_NTT_BLOCKED : options->form;
    plan->engine = find_engine(plan->form, product, greatest);
    if (plan->engine == NULL) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "the form %s is not built for the product %s",
                             gfp_ntt_form_name(plan->form), gfp_gpu_ntt_product_name(product));
    }
    plan->product = product;
    if (options->timed && plan->form == GFP_NTT_BLOCKED) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "the form %s has no steps to be timed",
                             gfp_ntt_form_name(plan->form));
    }
    return GFP_OK;
}

/* ---- plans ---- */

static uint64_t inverse_mod(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x, q - 2, q);
}

static void init_prime(gfp_gpu_prime *prime, uint64_t q, const gfp_cuda_ntt_plan *plan)
{
    const uint64_t square32 = gfp_mod_pow(2, 64, q);
    const int rounding = gfp_rounding_begin();
    const double inverse = 1.0 / (double)q;
    gfp_rounding_end(rounding);
    prime->modulus = {q, gfp_mont_negative_inverse(q), square32, gfp_mod_mul(square32, square32, q),
                      inverse};
    prime->root[0] = gfp_word_root_of_unity(q, plan->log2_n);
    prime->root[1] = inverse_mod(prime->root[0], q);
    prime->weight[0] = plan->negacyclic ? gfp_word_root_of_unity(q, plan->log2_n + 1) : 0;
    prime->weight[1] = plan->negacyclic ? inverse_mod(prime->weight[0], q) : 0;
    prime->scale = inverse_mod(plan->n % q, q);
}

static gfp_status fill_primes(gfp_cuda_ntt_plan *plan, const uint64_t *primes,
                              const uint64_t *scales)
{
    const size_t bytes = plan->count * sizeof *plan->prime;
    plan->prime =
        (gfp_gpu_prime *)gfp_allocate(&plan->gpu->allocator, plan->count, sizeof *plan->prime);
    if (plan->prime == NULL) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", plan->count);
    }
    plan->negacyclic = true;
    for (size_t i = 0; i < plan->count; i++) {
        plan->negacyclic = plan->negacyclic && (primes[i] - 1) / plan->n % 2 == 0;
    }
    for (size_t i = 0; i < plan->count; i++) {
        init_prime(&plan->prime[i], primes[i], plan);
        if (scales != NULL) {
            plan->prime[i].scale = scales[i];
        }
    }
    GFP_TRY(gfp_gpu_device_allocate(plan->gpu, (void **)&plan->device, bytes));
    return gfp_gpu_device_fill(plan->gpu, plan->device, plan->prime, bytes);
}

/* All that is on the device, and the host's copy of the primes. */
static gfp_status fill_plan(gfp_cuda_ntt_plan *plan, const uint64_t *primes, const uint64_t *scales)
{
    static const char *const steps[] = {"convert", "permutation", "base case", "twiddle",
                                        "butterfly"};
    static_assert(sizeof steps / sizeof steps[0] == GFP_GPU_NTT_STEPS, "steps");
    GFP_TRY(fill_primes(plan, primes, scales));
    if (plan->n > 1) {
        GFP_TRY(plan->engine->create(plan));
    }
    for (int i = 0; i < 2 && plan->convolutions; i++) {
        GFP_TRY(gfp_gpu_device_allocate(plan->gpu, (void **)&plan->area[i],
                                        plan->words * sizeof(uint64_t)));
    }
    if (plan->timed) {
        /* Three a level, and what is around them. */
        GFP_TRY(gfp_gpu_clock_create(&plan->clock, plan->gpu, steps, GFP_GPU_NTT_STEPS,
                                     3 * plan->log2_n + 8));
    }
    return GFP_OK;
}

} // namespace

gfp_status gfp_gpu_ntt_fast_doubles(gfp_gpu *gpu, bool *fast)
{
    int ratio = 0;
    GFP_CUDA_TRY(gpu, cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                             (int)gpu->device));
    *fast = ratio <= 2;
    return GFP_OK;
}

size_t gfp_gpu_ntt_most_bytes(size_t count, size_t batch, unsigned log2_n, size_t word_bytes)
{
    const size_t each = gfp_size_mul_sat((size_t)1 << log2_n, word_bytes);
    const size_t vectors = gfp_size_mul_sat(count, batch);
    const size_t entries = most_entries + ((size_t)2 << (log2_n + 1) / 2);
    const size_t group =
        each < group_bytes ? gfp_size_min(gfp_size_mul_sat(vectors, each), group_bytes) : each;
    const size_t fixed = count * (2 * entries * word_bytes + sizeof(gfp_gpu_prime));
    return gfp_size_add_sat(group, fixed);
}

gfp_status gfp_gpu_ntt_plan_make(gfp_cuda_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                 const uint64_t *scales, size_t count, size_t n,
                                 const gfp_gpu_ntt_options *options)
{
    gfp_error *error = &gpu->error;
    const size_t batch = options->batch == 0 ? 1 : options->batch;
    uint64_t greatest = 0;
    GFP_TRY(check_options(options, n, error));
    GFP_TRY(check_sizes(count, batch, n, error));
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(check_prime(primes[i], n, options->packed, error));
        greatest = primes[i] > greatest ? primes[i] : greatest;
    }
    gfp_cuda_ntt_plan made = {};
    made.gpu = gpu;
    made.count = count;
    made.batch = batch;
    made.n = n;
    made.log2_n = gfp_ctz64(n);
    made.words = options->packed ? count * batch * (n / 2) : count * batch * n;
    made.packed = options->packed;
    made.convolutions = options->convolutions;
    made.timed = options->timed;
    GFP_TRY(choose_engine(&made, options, greatest, error));
    gfp_cuda_ntt_plan *p = (gfp_cuda_ntt_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = made;
    const size_t before = gpu->bytes;
    const gfp_status status = fill_plan(p, primes, scales);
    p->bytes = gpu->bytes - before;
    if (status != GFP_OK) {
        gfp_cuda_ntt_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

void gfp_cuda_ntt_destroy(gfp_cuda_ntt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    for (int i = 0; i < 2; i++) {
        gfp_gpu_device_release(gpu, plan->area[i], plan->words * sizeof(uint64_t));
        gfp_gpu_device_release(gpu, plan->tables[i], plan->table_bytes);
    }
    gfp_gpu_device_release(gpu, plan->work, plan->work_bytes);
    gfp_gpu_device_release(gpu, plan->device, plan->count * sizeof *plan->device);
    gfp_gpu_clock_destroy(&plan->clock);
    gfp_release(&gpu->allocator, plan->prime, plan->count, sizeof *plan->prime);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

/* ---- transforms ---- */

gfp_status gfp_cuda_ntt_transform(gfp_cuda_ntt_plan *plan, uint64_t *y, const uint64_t *x,
                                  gfp_order order, bool inverse)
{
    if (plan->n > 1) {
        return plan->engine->run(plan, y, x, order, inverse);
    }
    if (y != x) {
        GFP_TRY(gfp_cuda_memory.copy(plan->gpu, y, x, plan->words * sizeof *y));
    }
    return GFP_OK;
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

/* Residues of one vector that a thread of weigh treats, neighbouring threads neighbouring ones. */
constexpr unsigned weigh_items = 16;

/* y := x w_2N^i or w_2N^-i, i the place in the vector; blocks in all vectors. */
template <class word>
static __global__ void weigh(word *y, const word *x, const gfp_gpu_prime *primes, size_t n,
                             size_t batch, size_t blocks, int inverse)
{
    const size_t vector = blockIdx.x / blocks;
    const gfp_gpu_prime &prime = primes[vector / batch];
    const size_t start = blockIdx.x % blocks * (item_threads * weigh_items) + threadIdx.x;
    const uint64_t step = mod_pow(prime.weight[inverse], item_threads, prime.modulus);
    uint64_t power = mod_pow(prime.weight[inverse], start, prime.modulus);
    for (size_t i = start; i < n && i < start + item_threads * weigh_items; i += item_threads) {
        y[vector * n + i] = (word)mod_mul(x[vector * n + i], power, prime.modulus);
        power = mod_mul(power, step, prime.modulus);
    }
}

static gfp_status run_multiply(gfp_cuda_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                               const uint64_t *y)
{
    const size_t each = plan->batch * plan->n;
    const size_t items = plan->count * each;
    if (plan->packed) {
        GFP_LAUNCH(plan->gpu, multiply<uint32_t>, item_blocks(items), item_threads, 0,
                   (uint32_t *)z, (const uint32_t *)x, (const uint32_t *)y, plan->device, each,
                   items);
    } else {
        GFP_LAUNCH(plan->gpu, multiply<uint64_t>, item_blocks(items), item_threads, 0, z, x, y,
                   plan->device, each, items);
    }
    return GFP_OK;
}

static gfp_status run_weigh(gfp_cuda_ntt_plan *plan, uint64_t *y, const uint64_t *x, int inverse)
{
    const size_t each = item_threads * weigh_items;
    const size_t blocks = (plan->n + each - 1) / each;
    const unsigned all = (unsigned)(blocks * plan->count * plan->batch);
    if (plan->packed) {
        GFP_LAUNCH(plan->gpu, weigh<uint32_t>, all, item_threads, 0, (uint32_t *)y,
                   (const uint32_t *)x, plan->device, plan->n, plan->batch, blocks, inverse);
    } else {
        GFP_LAUNCH(plan->gpu, weigh<uint64_t>, all, item_threads, 0, y, x, plan->device, plan->n,
                   plan->batch, blocks, inverse);
    }
    return GFP_OK;
}

/* to := the transform of x, weighed first where it is negacyclic. */
static gfp_status convolve_forward(gfp_cuda_ntt_plan *plan, uint64_t *to, const uint64_t *x,
                                   bool negacyclic)
{
    if (negacyclic) {
        GFP_TRY(run_weigh(plan, to, x, 0));
        x = to;
    }
    return gfp_cuda_ntt_transform(plan, to, x, GFP_ORDER_PERMUTED, false);
}

static gfp_status convolve(gfp_gpu_ntt_plan *base, uint64_t *c, const uint64_t *a,
                           const uint64_t *b, bool negacyclic)
{
    gfp_cuda_ntt_plan *plan = (gfp_cuda_ntt_plan *)base;
    if (!plan->convolutions) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "the plan is not made for convolutions");
    }
    if (negacyclic && !plan->negacyclic) {
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
    GFP_TRY(gfp_cuda_ntt_transform(plan, c, fa, GFP_ORDER_PERMUTED, true));
    return negacyclic ? run_weigh(plan, c, c, 1) : GFP_OK;
}

/* ---- the table ---- */

static gfp_status create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                         size_t count, size_t n, const gfp_gpu_ntt_options *options)
{
    gfp_cuda_ntt_plan *made = NULL;
    GFP_TRY(gfp_gpu_ntt_plan_make(&made, gpu, primes, NULL, count, n, options));
    *plan = made;
    return GFP_OK;
}

static void destroy(gfp_gpu_ntt_plan *plan)
{
    gfp_cuda_ntt_destroy((gfp_cuda_ntt_plan *)plan);
}

static uint64_t prime_of(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return ((const gfp_cuda_ntt_plan *)plan)->prime[i].modulus.q;
}

static uint64_t root_of(const gfp_gpu_ntt_plan *plan, size_t i)
{
    return ((const gfp_cuda_ntt_plan *)plan)->prime[i].root[0];
}

static gfp_status run(gfp_gpu_ntt_plan *base, uint64_t *y, const uint64_t *x, gfp_order order,
                      bool inverse)
{
    gfp_cuda_ntt_plan *plan = (gfp_cuda_ntt_plan *)base;
    GFP_TRY(gfp_gpu_clock_start(&plan->clock));
    return gfp_cuda_ntt_transform(plan, y, x, order, inverse);
}

static gfp_status multiply_pointwise(gfp_gpu_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                                     const uint64_t *y)
{
    return run_multiply((gfp_cuda_ntt_plan *)plan, z, x, y);
}

static gfp_status scale(gfp_gpu_ntt_plan *base, uint64_t *z, const uint64_t *x, const uint64_t *c)
{
    gfp_cuda_ntt_plan *plan = (gfp_cuda_ntt_plan *)base;
    const gfp_gpu_ntt_engine *engine = plan->engine;
    for (size_t i = 0; engine->scale == NULL && i < GFP_GPU_NTT_PAPERS_ROWS; i++) {
        const gfp_gpu_ntt_engine *other = &gfp_gpu_ntt_papers[i];
        if (other->product == plan->engine->product && other->bits == plan->engine->bits) {
            engine = other;
        }
    }
    return engine->scale(plan, z, x, c);
}

static gfp_status times_of(gfp_gpu_ntt_plan *base, gfp_gpu_times *times)
{
    return gfp_gpu_clock_read(base->gpu, &((gfp_cuda_ntt_plan *)base)->clock, times);
}

} // namespace

const gfp_gpu_ntt_calls gfp_cuda_ntt = {
    create, destroy, prime_of, root_of, run, multiply_pointwise, scale, convolve, times_of,
};
