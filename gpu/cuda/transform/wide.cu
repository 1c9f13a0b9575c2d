/* wide.cu: the fast transforms over Z/pZ for k = 4 ... 128 (wide.h): plans, their tables, and the
 * sequence of kernels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/transform/wide.h"

#define MAX_LOG_N 40
#define MAX_LEVELS 14 /* a level has 3 bits or more */
#define MAX_LOG_R 6   /* points of a pass */
#define MAX_LEVEL_PASSES 2

static const gfp_gpu_wide_kernels *const kernels_of[] = {&gfp_gpu_wide_k4,  &gfp_gpu_wide_k8,
                                                         &gfp_gpu_wide_k16, &gfp_gpu_wide_k32,
                                                         &gfp_gpu_wide_k64, &gfp_gpu_wide_k128};

typedef struct wide_level {
    unsigned log_q; /* its radix */
    unsigned log_s; /* elements of one transform are 2^log_s apart */
    unsigned passes;
    unsigned log_r[MAX_LEVEL_PASSES];
} wide_level;

typedef struct wide_state {
    const gfp_gpu_wide_kernels *kernels;
    gfp_wide::radix radix;
    unsigned levels;
    wide_level level[MAX_LEVELS];
    unsigned log_table;
    size_t table_bytes, work_bytes;
    int32_t *table;        /* w_N^i, i < 2^log_table */
    int32_t *scaled_table; /* w_N^i / N */
    uint64_t *work;        /* batch N elements */
} wide_state;

static const gfp_gpu_wide_kernels *find_kernels(unsigned k)
{
    for (const gfp_gpu_wide_kernels *kernels : kernels_of) {
        if (kernels->k == k) {
            return kernels;
        }
    }
    return nullptr;
}

static bool wide_serves(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch)
{
    const unsigned k = gfp_field_k(field);
    /* Grids have less than 2^31 blocks of 2 elements or more; 64 points at k = 128 take 96 KB of
     * shared memory. */
    return find_kernels(k) != nullptr && gfp_wide::radix_served((int)k, gfp_field_r(field)) &&
           log2_n <= MAX_LOG_N && batch <= ((size_t)1 << 31 >> log2_n) &&
           gfp_cuda_device_of(gpu)->shared_per_block >= 96 * 1024;
}

static unsigned log2_of_base(unsigned k)
{
    return 1 + (unsigned)__builtin_ctz(k);
}

/* Uses as few levels as possible, since each boundary between levels costs a product per element;
 * and among these as many levels of one pass as possible. */
static void lay_out(wide_state *s, unsigned m, unsigned k)
{
    unsigned base = log2_of_base(k), single = base < MAX_LOG_R ? base : MAX_LOG_R;
    unsigned left = m == 0 ? 1 : (m + base - 1) / base, rest = m;
    for (; left > 0; left--) {
        wide_level *level = &s->level[s->levels++];
        bool even = rest <= left * single;
        level->log_q = even ? rest / left : rest < base ? rest : base;
        rest -= level->log_q;
        level->log_s = rest;
        level->passes = level->log_q <= MAX_LOG_R ? 1 : 2;
        level->log_r[0] = level->passes == 1 ? level->log_q : 4;
        level->log_r[1] = level->log_q - level->log_r[0];
    }
}

typedef struct wide_scratch {
    uint64_t *elements; /* the elements of the table, before their transformation */
    uint64_t *factors;  /* w_N^(2^t), t < log_table, and 1/N */
    int32_t *factor_table;
    size_t element_bytes, factor_bytes, factor_table_bytes;
} wide_scratch;

static gfp_status fill_tables(gfp_gpu_fft_plan *plan, wide_state *s, wide_scratch *scratch)
{
    gfp_gpu *gpu = plan->gpu;
    const gfp_field *field = plan->field;
    unsigned k = plan->k, factors = s->log_table + 1;
    uint64_t r = gfp_field_r(field), entry = 2 * (uint64_t)gfp_wide::PRIMES * k;
    uint64_t one[GFP_MAX_K] = {1}, x[GFP_MAX_K] = {plan->n}, power[GFP_MAX_K];
    GFP_TRY(gfp_elem_inv(field, x, x));
    gfp_wide::balance_element(x, k, r);
    GFP_TRY(
        gfp_gpu_device_fill(gpu, scratch->factors + (size_t)s->log_table * k, x, k * sizeof *x));
    if (s->log_table != 0) {
        GFP_TRY(gfp_field_root(field, power, plan->log2_n));
    }
    for (unsigned t = 0; t < s->log_table; t++) {
        memcpy(x, power, sizeof x);
        gfp_wide::balance_element(x, k, r);
        GFP_TRY(gfp_gpu_device_fill(gpu, scratch->factors + (size_t)t * k, x, k * sizeof *x));
        gfp_elem_sqr(field, power, power);
    }
    GFP_TRY(gfp_gpu_device_fill(gpu, scratch->elements, one, k * sizeof *one));
    GFP_TRY(s->kernels->entries(gpu, scratch->factor_table, scratch->factors, factors, &s->radix));
    for (unsigned t = 0; t < s->log_table; t++) {
        GFP_TRY(s->kernels->scale(gpu, scratch->elements + ((size_t)k << t), scratch->elements,
                                  scratch->factor_table + entry * t, (uint64_t)1 << t, &s->radix));
    }
    uint64_t count = (uint64_t)1 << s->log_table;
    GFP_TRY(s->kernels->entries(gpu, s->table, scratch->elements, count, &s->radix));
    GFP_TRY(s->kernels->scale(gpu, scratch->elements, scratch->elements,
                              scratch->factor_table + entry * s->log_table, count, &s->radix));
    GFP_TRY(s->kernels->entries(gpu, s->scaled_table, scratch->elements, count, &s->radix));
    GFP_CUDA_TRY(gpu, cudaStreamSynchronize(gfp_cuda_of(gpu)->stream));
    return GFP_OK;
}

static gfp_status wide_make(gfp_gpu_fft_plan *plan, wide_state *s)
{
    gfp_gpu *gpu = plan->gpu;
    unsigned k = plan->k, base = log2_of_base(k);
    size_t element = k * sizeof(uint64_t), entry = 2 * gfp_wide::PRIMES * k * sizeof(int32_t);
    s->kernels = find_kernels(k);
    gfp_wide::radix_init(s->radix, (int)k, gfp_field_r(plan->field));
    lay_out(s, plan->log2_n, k);
    GFP_TRY(s->kernels->prepare(gpu));
    s->log_table = plan->log2_n > base ? plan->log2_n - base : 0;
    s->table_bytes = entry << s->log_table;
    s->work_bytes = plan->words * sizeof(uint64_t);
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&s->table, s->table_bytes));
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&s->scaled_table, s->table_bytes));
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&s->work, s->work_bytes));
    wide_scratch scratch = {};
    scratch.element_bytes = element << s->log_table;
    scratch.factor_bytes = element * (s->log_table + 1);
    scratch.factor_table_bytes = entry * (s->log_table + 1);
    gfp_status status =
        gfp_gpu_device_allocate(gpu, (void **)&scratch.elements, scratch.element_bytes);
    if (status == GFP_OK) {
        status = gfp_gpu_device_allocate(gpu, (void **)&scratch.factors, scratch.factor_bytes);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_device_allocate(gpu, (void **)&scratch.factor_table,
                                         scratch.factor_table_bytes);
    }
    if (status == GFP_OK) {
        status = fill_tables(plan, s, &scratch);
    }
    gfp_gpu_device_release(gpu, scratch.elements, scratch.element_bytes);
    gfp_gpu_device_release(gpu, scratch.factors, scratch.factor_bytes);
    gfp_gpu_device_release(gpu, scratch.factor_table, scratch.factor_table_bytes);
    return status;
}

static void wide_release(gfp_gpu *gpu, wide_state *s)
{
    gfp_gpu_device_release(gpu, s->table, s->table_bytes);
    gfp_gpu_device_release(gpu, s->scaled_table, s->table_bytes);
    gfp_gpu_device_release(gpu, s->work, s->work_bytes);
    gfp_release(&gpu->allocator, s, 1, sizeof *s);
}

static gfp_status wide_create(gfp_gpu_fft_plan *plan)
{
    gfp_gpu *gpu = plan->gpu;
    wide_state *s = (wide_state *)gfp_allocate(&gpu->allocator, 1, sizeof *s);
    if (s == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset(s, 0, sizeof *s);
    gfp_status status = wide_make(plan, s);
    if (status != GFP_OK) {
        wide_release(gpu, s);
        return status;
    }
    plan->state = s;
    return GFP_OK;
}

static void wide_destroy(gfp_gpu_fft_plan *plan)
{
    wide_release(plan->gpu, (wide_state *)plan->state);
}

/* Pass number i of a level. */
static gfp_gpu_wide_pass pass_of(const gfp_gpu_fft_plan *plan, const wide_level *level, unsigned i)
{
    gfp_gpu_wide_pass pass = {};
    unsigned rest =
        i == 0 ? level->log_q : level->log_r[1]; /* bits of the level's radix, this pass included */
    pass.log_s = (uint8_t)(level->log_s + rest - level->log_r[i]);
    pass.log_inner = (uint8_t)level->log_s;
    pass.turns = rest != level->log_r[i];
    pass.log_turn = (uint8_t)(log2_of_base(plan->k) - rest);
    pass.log_n = (uint8_t)plan->log2_n;
    pass.columns = (uint64_t)plan->batch << plan->log2_n >> level->log_r[i];
    return pass;
}

/* Multiplies the elements in the work space between level l and the next level. */
static gfp_status wide_multiply(const gfp_gpu_fft_plan *plan, unsigned l, bool inverse, bool scaled)
{
    const wide_state *s = (const wide_state *)plan->state;
    const wide_level *level = &s->level[l];
    gfp_gpu_wide_products products = {};
    products.data = s->work;
    products.table = scaled ? s->scaled_table : s->table;
    products.count = (uint64_t)plan->batch << plan->log2_n;
    products.log_s = (uint8_t)level->log_s;
    products.log_q = (uint8_t)level->log_q;
    products.log_step = (uint8_t)(plan->log2_n - level->log_s - level->log_q);
    products.log_table = (uint8_t)s->log_table;
    products.log_n = (uint8_t)plan->log2_n;
    products.inverse = inverse;
    return s->kernels->products(plan->gpu, &products, &s->radix);
}

static gfp_status wide_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                               gfp_order order)
{
    const wide_state *s = (const wide_state *)plan->state;
    for (unsigned l = 0; l < s->levels; l++) {
        const wide_level *level = &s->level[l];
        for (unsigned i = 0; i < level->passes; i++) {
            gfp_gpu_wide_pass pass = pass_of(plan, level, i);
            bool first = l == 0 && i == 0, last = l + 1 == s->levels && i + 1 == level->passes;
            pass.in = first ? x : s->work;
            pass.out = last ? y : s->work;
            pass.canonical_in = first;
            pass.canonical_out = last;
            pass.reversed = last && order == GFP_ORDER_NATURAL;
            GFP_TRY(s->kernels->pass(plan->gpu, level->log_r[i], false, &pass, &s->radix));
        }
        if (l + 1 < s->levels) {
            GFP_TRY(wide_multiply(plan, l, false, false));
        }
    }
    return GFP_OK;
}

static gfp_status wide_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                               gfp_order order)
{
    const wide_state *s = (const wide_state *)plan->state;
    bool alone = s->levels == 1; /* no product could include 1/N */
    for (unsigned l = s->levels; l-- > 0;) {
        const wide_level *level = &s->level[l];
        if (l + 1 < s->levels) {
            GFP_TRY(wide_multiply(plan, l, true, l + 2 == s->levels));
        }
        for (unsigned i = level->passes; i-- > 0;) {
            gfp_gpu_wide_pass pass = pass_of(plan, level, i);
            bool first = l + 1 == s->levels && i + 1 == level->passes,
                 last = l == 0 && i == 0 && !alone;
            pass.in = first ? y : s->work;
            pass.out = last ? x : s->work;
            pass.canonical_in = first;
            pass.canonical_out = last;
            pass.reversed = first && order == GFP_ORDER_NATURAL;
            GFP_TRY(s->kernels->pass(plan->gpu, level->log_r[i], true, &pass, &s->radix));
        }
    }
    if (alone) {
        uint64_t count = (uint64_t)plan->batch << plan->log2_n;
        GFP_TRY(s->kernels->scale(plan->gpu, s->work, s->work, s->scaled_table, count, &s->radix));
        gfp_gpu_wide_pass pass = {};
        pass.in = s->work;
        pass.out = x;
        pass.columns = count;
        pass.canonical_out = true;
        return s->kernels->pass(plan->gpu, 0, true, &pass, &s->radix);
    }
    return GFP_OK;
}

const gfp_gpu_fft_engine gfp_gpu_fft_wide = {
    GFP_GPU_FFT_FAST, wide_serves, wide_create, wide_forward, wide_inverse, wide_destroy, nullptr,
};
