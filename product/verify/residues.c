/* residues.c: the check of a whole product modulo X^j - d (claim.h). Residues are sums of products
 * of coefficients by digits (gfp_kernels.fold), and short.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdatomic.h>

#include "field/base/kernels.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/work.h"
#include "product/choose/choice.h"
#include "product/verify/claim.h"

/* The most products of digits of a product by the definition. */
#define MOST_DEFINED ((size_t)1 << 16)
/* A part has at least PART_DIGITS digits. Its rows have at most ROW_DIGITS unless that takes more,
 * so that the sums stay in the first-level cache. */
#define PART_DIGITS 8192
#define ROW_DIGITS 2048
/* The share of the check before the product of two residues. */
#define FOLD_SHARE 0.9

typedef struct residue {
    const uint64_t *x; /* of len elements */
    uint64_t *y;       /* its residue, min(len, j) elements */
    size_t len;
    atomic_bool large; /* a digit of x is not below r */
} residue;

typedef struct residues {
    const gfp_claim *claim;
    const gfp_method *method; /* of the product of two residues; NULL: by the definition */
    uint64_t d;
    size_t j, part;    /* part: elements of a residue that a thread computes at once */
    size_t words, cap; /* of the area; bytes that are left to the method, 0: no cap */
    residue a, b, c;   /* b.len = 0: a square */
    uint64_t *product; /* 2 j elements: a product of two residues */
} residues;

static size_t residue_length(const residues *w, const residue *p)
{
    return gfp_size_min(p->len, w->j);
}

/* The residue that multiplies that of a. */
static const residue *second_factor(const residues *w)
{
    return w->b.len == 0 ? &w->a : &w->b;
}

/* ---- whether the check serves ---- */

/* A method of another family than the product's, within the cap; false: none. */
static bool choose_method(residues *w, const gfp_task *task)
{
    const gfp_claim *claim = w->claim;
    const gfp_field *field = claim->range.field;
    const size_t len_a = residue_length(w, &w->a), k = gfp_field_k(field);
    const size_t len_b = residue_length(w, second_factor(w));
    const gfp_options options = {
        .threads = gfp_task_threads(task), .memory_cap = w->cap, .tuning = claim->tuning};
    gfp_problem problem = {
        .operation = GFP_OPERATION_PRODUCT, .len_a = len_a, .len_b = len_b, .no_gpu = true};
    w->method = NULL;
    if (len_a <= MOST_DEFINED / k / k / len_b) {
        return true;
    }
    const gfp_request q = gfp_request_make(&problem, field, &options);
    return gfp_request_second(&w->method, &q, claim->used, NULL) == GFP_OK;
}

/* A product of two coefficients is its own residue: it is left to a value at a point. */
static bool residues_serve(residues *w, const gfp_task *task)
{
    const gfp_range *range = &w->claim->range;
    const size_t cap = w->claim->cap;
    if (!gfp_verify_folds(range->field) || range->first > 0 ||
        range->end != gfp_range_product_length(range) || range->end == 1) {
        return false;
    }
    const size_t bytes = w->words <= GFP_STACK_WORDS ? 0 : gfp_work_bytes(w->words);
    if (cap != 0 && cap <= bytes) {
        return false;
    }
    w->cap = cap == 0 ? 0 : cap - bytes;
    return choose_method(w, task);
}

/* ---- residues ---- */

static size_t parts_of(const residues *w, const residue *p)
{
    return (residue_length(w, p) + w->part - 1) / w->part;
}

/* Part i of a residue. False: cancelled. */
static bool fold_part(const residues *w, residue *p, size_t i, gfp_task *task)
{
    const gfp_field *field = w->claim->range.field;
    const size_t k = gfp_field_k(field), at = i * w->part;
    const size_t n = gfp_size_min(w->part, residue_length(w, p) - at);
    const gfp_folding part = {
        .x = p->x + at * k, .len = p->len - at, .count = 1, .j = w->j, .d = w->d};
    const bool small = gfp_field_kernels(field)->fold(field, p->y + at * k, n, &part);
    if (!small) {
        atomic_store_explicit(&p->large, true, memory_order_relaxed);
    }
    return gfp_task_advance(task, (double)n * (double)p->len / (double)residue_length(w, p));
}

static gfp_status fold_parts(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    residues *w = user;
    residue *const all[] = {&w->a, &w->b, &w->c};
    size_t before = 0;
    (void)worker;
    for (unsigned f = 0; f < 3; f++) {
        const size_t parts = parts_of(w, all[f]);
        for (size_t i = from > before ? from : before; i < to && i < before + parts; i++) {
            if (!fold_part(w, all[f], i - before, task)) {
                return GFP_ERR_CANCELLED;
            }
        }
        before += parts;
    }
    return GFP_OK;
}

/* The number of elements that a part is a multiple of. */
static size_t column_count(const residues *w)
{
    const gfp_field *field = w->claim->range.field;
    return gfp_size_min(w->j, gfp_field_kernels(field)->fold_columns);
}

/* The residues of a, b and c. */
static gfp_status fold_all(residues *w, gfp_task *task)
{
    const gfp_parallel loop = {.run = fold_parts, .job = w};
    const gfp_field *field = w->claim->range.field;
    const size_t k = gfp_field_k(field), columns = column_count(w);
    const size_t threads = gfp_task_threads(task), shared = w->j / (2 * threads);
    const size_t rows = (w->c.len + w->j - 1) / w->j;
    const size_t most = threads == 1 ? ROW_DIGITS / k : gfp_size_min(ROW_DIGITS / k, shared);
    const size_t least = PART_DIGITS / k / rows, part = most > least ? most : least;
    w->part = (part / columns + (part % columns != 0)) * columns;
    w->part = w->part == 0 ? columns : w->part;
    const size_t parts = parts_of(w, &w->a) + parts_of(w, &w->b) + parts_of(w, &w->c);
    const double units = (double)w->a.len + (double)w->b.len + (double)w->c.len;
    return gfp_task_span(task, FOLD_SHARE, units, (double)k)
               ? gfp_parallel_for(&loop, task, parts, 1)
               : GFP_ERR_CANCELLED;
}

/* ---- products of residues ---- */

/* product := the product of two residues. */
static gfp_status multiply_residues(const residues *w, gfp_task *task, gfp_error *error)
{
    const gfp_field *field = w->claim->range.field;
    const residue *b = second_factor(w);
    const size_t len_a = residue_length(w, &w->a), len_b = residue_length(w, b);
    const gfp_range range = gfp_range_whole(field, w->a.y, len_a, b->y, len_b);
    const gfp_progress forwarded = {gfp_task_forward, task};
    gfp_task inner;
    if (!gfp_task_span(task, 1, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    if (w->method == NULL) {
        gfp_field_kernels(field)->convolve(field, w->product, w->a.y, len_a, b->y, len_b, 0,
                                           len_a + len_b - 1);
        return GFP_OK;
    }
    const gfp_problem problem = gfp_range_problem(&range);
    const gfp_request q =
        gfp_request_make(&problem, field, &(gfp_options){.threads = 1, .tuning = w->claim->tuning});
    gfp_task_start(&inner, task == NULL ? NULL : &forwarded);
    inner.threads = gfp_method_useful_threads(w->method, gfp_request_time(&q, w->method),
                                              gfp_task_threads(task));
    gfp_task_part(&inner, 1);
    return gfp_range_run(w->method, &range, w->product, w->cap, &inner, error);
}

static gfp_status compare_residues(residues *w, gfp_task *task, gfp_error *error)
{
    const gfp_field *field = w->claim->range.field;
    GFP_TRY(fold_all(w, task));
    if (atomic_load_explicit(&w->c.large, memory_order_relaxed)) {
        GFP_TRY(gfp_verify_canonical(w->claim, error));
    }
    GFP_TRY(multiply_residues(w, task, error));
    /* The residue of a is not needed any more: that of the product takes its place. */
    const size_t length = residue_length(w, &w->a) + residue_length(w, second_factor(w)) - 1;
    const size_t n = residue_length(w, &w->c);
    const gfp_folding product = {.x = w->product, .len = length, .count = 1, .j = w->j, .d = w->d};
    (void)gfp_field_kernels(field)->fold(field, w->a.y, n, &product);
    return gfp_vec_equal(field, w->a.y, w->c.y, n)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_VERIFY,
                               "the product and its operands differ modulo X^%zu - d for a random "
                               "d",
                               w->j);
}

/* ---- the check ---- */

static gfp_status check_in(residues *w, uint64_t *area, gfp_task *task, gfp_error *error)
{
    const size_t each = w->j * gfp_field_k(w->claim->range.field);
    w->a.y = area;
    w->b.y = area + each;
    w->c.y = area + 2 * each;
    w->product = area + 3 * each;
    const gfp_status status = compare_residues(w, task, error);
    w->a.y = w->b.y = w->c.y = w->product = NULL; /* the area may be the caller's stack */
    return status;
}

static gfp_status check_on_stack(residues *w, gfp_task *task, gfp_error *error)
{
    uint64_t area[GFP_STACK_WORDS];
    return check_in(w, area, task, error);
}

gfp_status gfp_verify_residues(const gfp_claim *claim, uint64_t seed, int *log2_error,
                               gfp_task *task, gfp_error *error)
{
    const gfp_range *range = &claim->range;
    const bool square = range->a == range->b && range->len_a == range->len_b;
    const size_t len_c = range->end, k = gfp_field_k(range->field);
    const gfp_batch one = {.count = 1, .len_a = range->len_a, .len_b = range->len_b};
    residues w = {.claim = claim,
                  .j = gfp_verify_columns(range->field, &one),
                  .a = {.x = range->a, .len = range->len_a},
                  .b = {.x = range->b, .len = square ? 0 : range->len_b},
                  .c = {.x = claim->c, .len = len_c}};
    gfp_random g;
    gfp_work work;
    w.words = 5 * w.j * k;
    if (!residues_serve(&w, task)) {
        return GFP_ERR_UNAVAILABLE;
    }
    gfp_random_seed(&g, seed);
    w.d = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
    *log2_error = (int)gfp_log2_above((len_c - 1) / w.j) - GFP_FOLD_BITS;
    if (w.words <= GFP_STACK_WORDS) {
        return check_on_stack(&w, task, error);
    }
    if (gfp_work_take(&work, range->field, w.words) != GFP_OK) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "no memory to check a product of %zu coefficients", len_c);
    }
    const gfp_status status = check_in(&w, work.words, task, error);
    gfp_work_give(&work, range->field);
    return status;
}
