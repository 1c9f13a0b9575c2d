/* sliced.cu: the plans of the fast transforms: the choice of passes, their tables, and the calls.
 * See sliced.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/transform/sliced.h"

#define MAX_LOG_N 31
#define MAX_PASSES 16

typedef struct sliced_pass {
    unsigned log_p;
    unsigned log_s;
    unsigned levels;
    uint8_t log_r[SLICED_MAX_LEVELS];
    uint8_t log_m[SLICED_MAX_LEVELS];   /* of the block that the level splits */
    uint64_t *table[SLICED_MAX_LEVELS]; /* the table after the level; NULL after the last level */
} sliced_pass;

typedef struct sliced_plan {
    const gfp_gpu_sliced_kernels *kernels;
    gfp_fast::radix_constants radix;
    unsigned most_shift; /* halvings that a pass can do: 2^most_shift divides r */
    unsigned passes;
    sliced_pass pass[MAX_PASSES];
    uint64_t *work; /* as long as the data; only if the transform takes several passes */
} sliced_plan;

/* Writes log_p[0 .. passes): the split of m bits into `passes` passes with the fewest levels, and
 * among these the most even one. Returns the cost: 1000 per level plus the squares of log_p. */
static unsigned best_split(const gfp_gpu_sliced_kernels *f, unsigned m, unsigned passes,
                           unsigned *log_p)
{
    unsigned best = ~0u, rest[MAX_PASSES];
    uint8_t log_r[SLICED_MAX_LEVELS];
    if (passes == 0) {
        return m == 0 ? 0 : best;
    }
    for (unsigned p = 1; p <= f->log_max_p && p <= m; p++) {
        unsigned after = best_split(f, m - p, passes - 1, rest);
        unsigned cost = after == ~0u ? after : after + 1000 * f->levels(p, log_r) + p * p;
        if (cost < best) {
            best = cost;
            log_p[0] = p;
            memcpy(log_p + 1, rest, (passes - 1) * sizeof *rest);
        }
    }
    return best;
}

static void choose_passes(sliced_plan *s, unsigned log_n)
{
    unsigned log_p[MAX_PASSES], left = log_n;
    /* The fewest levels, since each level but the last needs a product of all elements; among these
     * the fewest passes. */
    unsigned log_full = (unsigned)__builtin_ctz(2 * s->kernels->k);
    unsigned fewest = (log_n + log_full - 1) / log_full;
    s->passes = (log_n + s->kernels->log_max_p - 1) / s->kernels->log_max_p;
    while (best_split(s->kernels, log_n, s->passes, log_p) / 1000 > fewest) {
        s->passes++;
    }
    /* The first pass has no product before it: a first pass of a single level would only wait for
     * memory. */
    uint8_t log_r[SLICED_MAX_LEVELS];
    if (s->kernels->levels(log_p[0], log_r) == 1) {
        unsigned first = log_p[0];
        log_p[0] = log_p[s->passes - 1];
        log_p[s->passes - 1] = first;
    }
    for (unsigned i = 0; i < s->passes; i++) {
        sliced_pass *q = &s->pass[i];
        q->log_p = log_p[i];
        q->levels = s->kernels->levels(log_p[i], q->log_r);
        q->log_s = left - log_p[i];
        for (unsigned j = 0; j < q->levels; j++) {
            q->log_m[j] = (uint8_t)left;
            left -= q->log_r[j];
        }
    }
}

/* The kernels of the field, NULL if none serves. */
static const gfp_gpu_sliced_kernels *sliced_find(const gfp_field *field)
{
    const unsigned k = gfp_field_k(field);
    const uint64_t r = gfp_field_r(field);
    if (!gfp_fast::is_served(k, r)) {
        return nullptr;
    }
    switch (k) {
    case 2:
        return gfp_gpu_sliced_k2(r);
    case 4:
        return gfp_gpu_sliced_k4(r);
    case 8:
        return gfp_gpu_sliced_k8(r);
    default:
        return gfp_gpu_sliced_k16(r);
    }
}

/* Fills in all but the device's arrays. */
static void lay_out(sliced_plan *s, const gfp_field *field, unsigned log2_n)
{
    const uint64_t r = gfp_field_r(field);
    const unsigned halvings = (unsigned)__builtin_ctzll(r);
    memset(s, 0, sizeof *s);
    s->kernels = sliced_find(field);
    s->radix = gfp_fast::make_constants((int)gfp_field_k(field), r);
    s->most_shift = halvings < SLICED_MAX_SHIFT ? halvings : SLICED_MAX_SHIFT;
    choose_passes(s, log2_n);
}

/* Whether the passes of the inverse can divide by N. */
static bool divides_by_length(const gfp_field *field, unsigned log2_n, unsigned log_max_p)
{
    if ((unsigned)__builtin_ctzll(gfp_field_r(field)) >= log_max_p) {
        return true; /* each pass by its own points */
    }
    sliced_plan s;
    lay_out(&s, field, log2_n);
    return s.passes * s.most_shift >= log2_n;
}

static bool sliced_serves(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch)
{
    const gfp_gpu_sliced_kernels *kernels = sliced_find(field);
    return kernels != nullptr && log2_n >= 1 && log2_n <= MAX_LOG_N &&
           divides_by_length(field, log2_n, kernels->log_max_p) &&
           (unsigned)gfp_cuda_device_of(gpu)->shared_per_block >= kernels->shared &&
           batch <= ((size_t)INT32_MAX >> log2_n);
}

static void sliced_release(gfp_gpu_fft_plan *plan, sliced_plan *s)
{
    gfp_gpu *gpu = plan->gpu;
    for (unsigned i = 0; i < s->passes; i++) {
        for (unsigned j = 0; j < s->pass[i].levels; j++) {
            gfp_gpu_device_release(gpu, s->pass[i].table[j],
                                   (size_t)8 * plan->k << s->pass[i].log_m[j]);
        }
    }
    gfp_gpu_device_release(gpu, s->work, 8 * plan->words);
    gfp_release(&gpu->allocator, s, 1, sizeof *s);
}

/* powers (on the device) has room for log_n elements. */
static gfp_status make_tables(gfp_gpu_fft_plan *plan, sliced_plan *s, uint64_t *powers)
{
    gfp_gpu *gpu = plan->gpu;
    uint64_t roots[MAX_LOG_N * GFP_MAX_K];
    for (unsigned i = 0; i < plan->log2_n; i++) {
        GFP_TRY(gfp_field_root(plan->field, roots + i * plan->k, plan->log2_n - i));
    }
    GFP_TRY(gfp_gpu_device_fill(gpu, powers, roots, (size_t)8 * plan->log2_n * plan->k));
    for (unsigned i = 0; i < s->passes; i++) {
        sliced_pass *q = &s->pass[i];
        for (unsigned j = 0; j < q->levels; j++) {
            if (q->log_m[j] == q->log_r[j]) {
                continue; /* the last level */
            }
            GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&q->table[j],
                                            (size_t)8 * plan->k << q->log_m[j]));
            GFP_TRY(s->kernels->make_table(gpu, q->table[j],
                                           powers + (size_t)(plan->log2_n - q->log_m[j]) * plan->k,
                                           q->log_m[j], q->log_r[j], &s->radix));
        }
    }
    return GFP_OK;
}

static gfp_status sliced_prepare(gfp_gpu_fft_plan *plan, sliced_plan *s)
{
    gfp_gpu *gpu = plan->gpu;
    GFP_TRY(s->kernels->prepare(gpu));
    if (s->passes > 1) {
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&s->work, 8 * plan->words));
    }
    void *powers = nullptr;
    size_t bytes = (size_t)8 * plan->log2_n * plan->k;
    GFP_TRY(gfp_gpu_device_allocate(gpu, &powers, bytes));
    gfp_status status = make_tables(plan, s, (uint64_t *)powers);
    gfp_gpu_device_release(gpu, powers, bytes);
    return status;
}

static gfp_status sliced_create(gfp_gpu_fft_plan *plan)
{
    gfp_gpu *gpu = plan->gpu;
    sliced_plan *s = (sliced_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *s);
    if (s == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    lay_out(s, plan->field, plan->log2_n);
    gfp_status status = sliced_prepare(plan, s);
    if (status != GFP_OK) {
        sliced_release(plan, s);
        return status;
    }
    plan->state = s;
    return GFP_OK;
}

static void sliced_destroy(gfp_gpu_fft_plan *plan)
{
    sliced_release(plan, (sliced_plan *)plan->state);
}

/* ---- transforms ---- */

/* The arguments of a pass except for its ends: its own junctions at 1, 2, ..., and at 0 the
 * junction `junction` of `before`. */
static gfp_gpu_sliced_args sliced_arguments(const gfp_gpu_fft_plan *plan, const sliced_pass *q,
                                            const sliced_pass *before, unsigned junction)
{
    gfp_gpu_sliced_args a;
    memset(&a, 0, sizeof a);
    a.radix = ((const sliced_plan *)plan->state)->radix;
    a.log_s = (uint8_t)q->log_s;
    a.log_n = (uint8_t)plan->log2_n;
    if (before != nullptr) {
        a.table[0] = before->table[junction];
        a.log_m[0] = before->log_m[junction];
        a.log_r[0] = before->log_r[junction];
    }
    for (unsigned j = 0; j + 1 < q->levels; j++) {
        a.table[j + 1] = q->table[j];
        a.log_m[j + 1] = q->log_m[j];
        a.log_r[j + 1] = q->log_r[j];
    }
    return a;
}

/* Elements from <= i < to of all, for a pass: whole columns, or whole blocks that it splits. */
typedef struct elements {
    uint64_t from, to;
} elements;

static elements all_elements(const gfp_gpu_fft_plan *plan)
{
    return {0, (uint64_t)plan->batch << plan->log2_n};
}

static gfp_status forward_pass(gfp_gpu_fft_plan *plan, unsigned i, uint64_t *out,
                               const uint64_t *in, gfp_order order, elements part)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    const sliced_pass *q = &s->pass[i], *before = i > 0 ? q - 1 : nullptr;
    gfp_gpu_sliced_args a =
        sliced_arguments(plan, q, before, before != nullptr ? before->levels - 1 : 0);
    const bool last = i + 1 == s->passes;
    a.in = in;
    a.out = out;
    a.first_column = part.from >> q->log_p;
    a.columns_end = part.to >> q->log_p;
    a.canonical_in = i == 0;
    a.canonical_out = last;
    a.out_place_of = last && order == GFP_ORDER_NATURAL ? SLICED_REVERSED : SLICED_PLAIN;
    return s->kernels->forward(plan->gpu, q->log_p, &a);
}

static gfp_status sliced_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                 gfp_order order)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    uint64_t *between = order == GFP_ORDER_NATURAL ? s->work : y;
    for (unsigned i = 0; i < s->passes; i++) {
        GFP_TRY(forward_pass(plan, i, i + 1 == s->passes ? y : between, i == 0 ? x : between, order,
                             all_elements(plan)));
    }
    return GFP_OK;
}

/* The halvings of pass i of the inverse: the passes before it do as many as they can. */
static unsigned halvings_of(const gfp_gpu_fft_plan *plan, unsigned i)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    const unsigned done = (s->passes - 1 - i) * s->most_shift;
    const unsigned left = plan->log2_n - (done < plan->log2_n ? done : plan->log2_n);
    return left < s->most_shift ? left : s->most_shift;
}

static gfp_status inverse_pass(gfp_gpu_fft_plan *plan, unsigned i, uint64_t *out,
                               const uint64_t *in, gfp_order order, elements part)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    const sliced_pass *q = &s->pass[i];
    const bool first = i + 1 == s->passes, last = i == 0;
    gfp_gpu_sliced_args a = sliced_arguments(plan, q, first ? nullptr : q, q->levels - 1);
    a.shift = (uint8_t)halvings_of(plan, i);
    a.in = in;
    a.out = out;
    a.first_column = part.from >> q->log_p;
    a.columns_end = part.to >> q->log_p;
    a.canonical_in = first;
    a.canonical_out = last;
    a.in_place_of = first && order == GFP_ORDER_NATURAL ? SLICED_REVERSED : SLICED_PLAIN;
    a.out_place_of = last ? SLICED_MIRRORED : SLICED_PLAIN;
    return s->kernels->inverse(plan->gpu, q->log_p, &a);
}

static gfp_status sliced_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                 gfp_order order)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    for (unsigned i = s->passes; i-- > 0;) {
        GFP_TRY(inverse_pass(plan, i, i == 0 ? x : s->work, i + 1 == s->passes ? y : s->work, order,
                             all_elements(plan)));
    }
    return GFP_OK;
}

/* ---- shares of transforms dealt over several devices ---- */

static unsigned share_log2_rows(const gfp_gpu_fft_plan *plan)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    return s->passes > 1 ? s->pass[0].log_p : 0;
}

/* Columns of the first pass, as the elements of so many columns. */
static elements first_columns(const gfp_gpu_fft_plan *plan, size_t from, size_t to)
{
    const unsigned log_p = ((const sliced_plan *)plan->state)->pass[0].log_p;
    return {(uint64_t)from << log_p, (uint64_t)to << log_p};
}

/* The address of element 0 of an array that begins with element `from`. */
static uint64_t *before_block(const gfp_gpu_fft_plan *plan, const uint64_t *block, size_t from)
{
    return (uint64_t *)((uintptr_t)block - from * plan->k * sizeof *block);
}

static gfp_status share_columns(gfp_gpu_fft_plan *plan, uint64_t *t, size_t from, size_t to)
{
    return forward_pass(plan, 0, t, t, GFP_ORDER_PERMUTED, first_columns(plan, from, to));
}

static gfp_status share_rows(gfp_gpu_fft_plan *plan, uint64_t *y, uint64_t *t, size_t from,
                             size_t to)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    uint64_t *out = before_block(plan, y, from);
    for (unsigned i = 1; i < s->passes; i++) {
        GFP_TRY(
            forward_pass(plan, i, i + 1 == s->passes ? out : t, t, GFP_ORDER_PERMUTED, {from, to}));
    }
    return GFP_OK;
}

static gfp_status share_rows_back(gfp_gpu_fft_plan *plan, uint64_t *t, const uint64_t *y,
                                  size_t from, size_t to)
{
    const sliced_plan *s = (const sliced_plan *)plan->state;
    const uint64_t *in = before_block(plan, y, from);
    for (unsigned i = s->passes; i-- > 1;) {
        GFP_TRY(
            inverse_pass(plan, i, t, i + 1 == s->passes ? in : t, GFP_ORDER_PERMUTED, {from, to}));
    }
    return GFP_OK;
}

static gfp_status share_columns_back(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *t,
                                     size_t from, size_t to)
{
    return inverse_pass(plan, 0, x, t, GFP_ORDER_PERMUTED, first_columns(plan, from, to));
}

static const gfp_gpu_fft_share_calls sliced_shares = {share_log2_rows, share_columns, share_rows,
                                                      share_rows_back, share_columns_back};

const gfp_gpu_fft_engine gfp_gpu_fft_sliced = {
    GFP_GPU_FFT_FAST, sliced_serves,  sliced_create,  sliced_forward,
    sliced_inverse,   sliced_destroy, &sliced_shares,
};
