/* fold.c: see fold.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/verify/fold.h"

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "product/choose/choice.h"

/* The most products of digits of a product by the definition. */
#define MOST_DEFINED ((size_t)1 << 16)
/* A part has at least PART_DIGITS digits. Its rows have at most ROW_DIGITS unless that takes more,
 * so that the sums stay in the first-level cache. */
#define PART_DIGITS 8192
#define ROW_DIGITS 2048

/* ---- residues ---- */

/* part: elements of a residue that a thread computes at once. */
typedef struct fold_job {
    const gfp_residue_ring *ring;
    gfp_residue *x;
    size_t count, part;
} fold_job;

static size_t parts_of(const fold_job *w, const gfp_residue *x)
{
    return (gfp_residue_length(w->ring, x->len) + w->part - 1) / w->part;
}

/* Part i of a residue. False: cancelled. */
static bool fold_part(const fold_job *w, gfp_residue *x, size_t i, gfp_task *task)
{
    const gfp_field *field = w->ring->field;
    const size_t k = gfp_field_k(field), at = i * w->part;
    const size_t length = gfp_residue_length(w->ring, x->len);
    const size_t n = gfp_size_min(w->part, length - at);
    const gfp_folding part = {
        .x = x->x + at * k, .len = x->len - at, .count = 1, .j = w->ring->j, .d = w->ring->d};
    const bool small = gfp_field_kernels(field)->fold(field, x->y + at * k, n, &part);
    if (!small) {
        atomic_store_explicit(&x->large, true, memory_order_relaxed);
    }
    return gfp_task_advance(task, (double)n * (double)x->len / (double)length);
}

static gfp_status fold_parts(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const fold_job *w = user;
    size_t before = 0;
    (void)worker;
    for (size_t f = 0; f < w->count; f++) {
        const size_t parts = parts_of(w, &w->x[f]);
        for (size_t i = from > before ? from : before; i < to && i < before + parts; i++) {
            if (!fold_part(w, &w->x[f], i - before, task)) {
                return GFP_ERR_CANCELLED;
            }
        }
        before += parts;
    }
    return GFP_OK;
}

/* The elements of a part, a multiple of the columns of the kernel, where the longest polynomial
 * has `longest` coefficients. */
static size_t part_length(const gfp_residue_ring *ring, size_t longest, const gfp_task *task)
{
    const size_t k = gfp_field_k(ring->field);
    const size_t columns = gfp_size_min(ring->j, gfp_field_kernels(ring->field)->fold_columns);
    const size_t threads = gfp_task_threads(task), shared = ring->j / (2 * threads);
    const size_t rows = (longest + ring->j - 1) / ring->j;
    const size_t most = threads == 1 ? ROW_DIGITS / k : gfp_size_min(ROW_DIGITS / k, shared);
    const size_t least = PART_DIGITS / k / rows, part = most > least ? most : least;
    const size_t whole = (part / columns + (part % columns != 0)) * columns;
    return whole == 0 ? columns : whole;
}

gfp_status gfp_residue_fold(const gfp_residue_ring *ring, gfp_residue *x, size_t count, double to,
                            gfp_task *task)
{
    fold_job w = {.ring = ring, .x = x, .count = count};
    const gfp_parallel loop = {.run = fold_parts, .job = &w};
    size_t parts = 0, longest = 1;
    double units = 0;
    for (size_t i = 0; i < count; i++) {
        longest = x[i].len > longest ? x[i].len : longest;
        units += (double)x[i].len;
    }
    w.part = part_length(ring, longest, task);
    for (size_t i = 0; i < count; i++) {
        parts += parts_of(&w, &x[i]);
    }
    return gfp_task_span(task, to, units, (double)gfp_field_k(ring->field))
               ? gfp_parallel_for(&loop, task, parts, 1)
               : GFP_ERR_CANCELLED;
}

/* ---- products ---- */

static bool is_defined(const gfp_field *field, size_t len_a, size_t len_b)
{
    const size_t k = gfp_field_k(field);
    return len_b == 0 || len_a <= MOST_DEFINED / k / k / len_b;
}

bool gfp_residue_choose(gfp_residue_ring *w, const gfp_method *used, size_t len_a, size_t len_b,
                        const gfp_task *task)
{
    const gfp_options options = {
        .threads = gfp_task_threads(task), .memory_cap = w->cap, .tuning = w->tuning};
    const gfp_problem problem = {
        .operation = GFP_OPERATION_PRODUCT, .no_gpu = true, .len_a = len_a, .len_b = len_b};
    if (is_defined(w->field, len_a, len_b)) {
        return true;
    }
    const gfp_request q = gfp_request_make(&problem, w->field, &options);
    return gfp_request_second(&w->method, &q, used, NULL) == GFP_OK;
}

static gfp_status multiply_by_method(const gfp_residue_ring *w, uint64_t *product,
                                     const gfp_range *range, gfp_task *task)
{
    const gfp_progress forwarded = {gfp_task_forward, task};
    const gfp_problem problem = gfp_range_problem(range);
    const gfp_request q =
        gfp_request_make(&problem, range->field, &(gfp_options){.threads = 1, .tuning = w->tuning});
    gfp_task inner;
    gfp_task_start(&inner, task == NULL ? NULL : &forwarded);
    inner.threads = gfp_method_useful_threads(w->method, gfp_request_time(&q, w->method),
                                              gfp_task_threads(task));
    gfp_task_part(&inner, 1);
    return gfp_range_run(w->method, range, product, w->cap, &inner, NULL);
}

gfp_status gfp_residue_multiply(const gfp_residue_ring *w, uint64_t *product, const gfp_range *ab,
                                gfp_task *task)
{
    if (w->method != NULL && !is_defined(w->field, ab->len_a, ab->len_b)) {
        return multiply_by_method(w, product, ab, task);
    }
    gfp_field_kernels(w->field)->convolve(w->field, product, ab->a, ab->len_a, ab->b, ab->len_b, 0,
                                          ab->end);
    return GFP_OK;
}

void gfp_residue_shift(const gfp_residue_ring *w, uint64_t *z, const uint64_t *x, size_t n,
                       size_t shift)
{
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field), at = shift % w->j, below = gfp_size_min(n, w->j - at);
    const uint64_t rows = shift / w->j;
    uint64_t d[GFP_MAX_K], power[GFP_MAX_K];
    gfp_elem_set_u64(field, d, w->d);
    gfp_elem_pow(field, power, d, &rows, 1);
    gfp_vec_zero(field, z, w->j);
    gfp_vec_scalar_mul(field, z + at * k, x, power, below);
    gfp_elem_mul(field, power, power, d);
    gfp_vec_scalar_mul(field, z, x + below * k, power, n - below);
}
