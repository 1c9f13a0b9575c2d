/* residues.c: the check of an identity modulo X^j - d (claim.h). Residues are sums of products of
 * coefficients by digits (gfp_kernels.fold), and short.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdatomic.h>
#include <string.h>

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
/* The share of the check before the products of residues. */
#define FOLD_SHARE 0.9

typedef struct residue {
    const uint64_t *x; /* of len elements */
    uint64_t *y;       /* its residue, min(len, j) elements */
    size_t len;
    atomic_bool large; /* a digit of x is not below r */
} residue;

/* A term by its polynomials; b = NULL: a alone. */
typedef struct residue_term {
    residue *a, *b;
    size_t shift;
    bool twice, minus;
} residue_term;

typedef struct residues {
    const gfp_identity *identity;
    const gfp_method *method; /* of the longest product of two residues; NULL: by the definition */
    uint64_t d;
    size_t j, part;    /* part: elements of a residue that a thread computes at once */
    size_t words, cap; /* of the area; bytes that are left to the method, 0: no cap */
    residue poly[2 * GFP_IDENTITY_TERMS];
    residue_term term[GFP_IDENTITY_TERMS];
    size_t polys, terms, longest;      /* longest: the coefficients of the longest polynomial */
    uint64_t *product, *reduced, *sum; /* 2 j, j and j elements */
} residues;

static size_t residue_length(const residues *w, const residue *p)
{
    return gfp_size_min(p->len, w->j);
}

/* ---- the polynomials ---- */

/* The polynomial with these coefficients, which terms share. */
static residue *find_polynomial(residues *w, const uint64_t *x, size_t len)
{
    size_t i = 0;
    while (i < w->polys && (w->poly[i].x != x || w->poly[i].len != len)) {
        i++;
    }
    if (i == w->polys) {
        w->poly[w->polys++] = (residue){.x = x, .len = len};
        w->longest = len > w->longest ? len : w->longest;
    }
    return &w->poly[i];
}

/* Lists polynomials and terms that are not 0; false: a term is a part of a product. */
static bool list_terms(residues *w, gfp_fold_shape *shape)
{
    for (size_t i = 0; i < w->identity->count; i++) {
        const gfp_term *term = &w->identity->term[i];
        const gfp_range *p = &term->product;
        if (p->len_a == 0 || p->len_b == 0) {
            continue;
        }
        residue_term *t = &w->term[w->terms++];
        *t = (residue_term){.shift = term->shift, .twice = term->twice, .minus = term->minus};
        t->a = find_polynomial(w, p->a, p->len_a);
        if (p->b != NULL) {
            const size_t longer = p->len_a > p->len_b ? p->len_a : p->len_b;
            if (!gfp_range_is_whole(p)) {
                return false;
            }
            t->b = find_polynomial(w, p->b, p->len_b);
            shape->count++;
            shape->factor = longer > shape->factor ? longer : shape->factor;
        }
    }
    for (size_t i = 0; i < w->polys; i++) {
        shape->alone += (double)w->poly[i].len;
    }
    shape->factor = shape->count == 0 ? shape->length : shape->factor;
    return true;
}

/* A method of another family than the products', within the cap; false: none. */
static bool choose_method(residues *w, const gfp_task *task)
{
    const gfp_identity *identity = w->identity;
    const size_t k = gfp_field_k(identity->field);
    const gfp_options options = {
        .threads = gfp_task_threads(task), .memory_cap = w->cap, .tuning = identity->tuning};
    gfp_problem problem = {.operation = GFP_OPERATION_PRODUCT, .no_gpu = true};
    for (size_t i = 0; i < w->terms; i++) {
        if (w->term[i].b != NULL) {
            const size_t a = residue_length(w, w->term[i].a), b = residue_length(w, w->term[i].b);
            problem.len_a = a > problem.len_a ? a : problem.len_a;
            problem.len_b = b > problem.len_b ? b : problem.len_b;
        }
    }
    if (problem.len_b == 0 || problem.len_a <= MOST_DEFINED / k / k / problem.len_b) {
        return true;
    }
    const gfp_request q = gfp_request_make(&problem, identity->field, &options);
    return gfp_request_second(&w->method, &q, identity->used, NULL) == GFP_OK;
}

/* Whether the check serves; chooses j. A product of two coefficients is its own residue: it is left
 * to a value at a point. */
static bool residues_serve(residues *w, const gfp_task *task)
{
    const gfp_field *field = w->identity->field;
    const size_t cap = w->identity->cap;
    gfp_fold_shape shape = {.length = gfp_identity_length(w->identity)};
    if (!gfp_verify_folds(field) || shape.length < 2 || !list_terms(w, &shape)) {
        return false;
    }
    w->j = gfp_verify_columns(field, &shape);
    w->words = (w->polys + 4) * w->j * gfp_field_k(field);
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
    const gfp_field *field = w->identity->field;
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
    size_t before = 0;
    (void)worker;
    for (size_t f = 0; f < w->polys; f++) {
        const size_t parts = parts_of(w, &w->poly[f]);
        for (size_t i = from > before ? from : before; i < to && i < before + parts; i++) {
            if (!fold_part(w, &w->poly[f], i - before, task)) {
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
    return gfp_size_min(w->j, gfp_field_kernels(w->identity->field)->fold_columns);
}

/* The residues of all polynomials. */
static gfp_status fold_all(residues *w, gfp_task *task)
{
    const gfp_parallel loop = {.run = fold_parts, .job = w};
    const size_t k = gfp_field_k(w->identity->field), columns = column_count(w);
    const size_t threads = gfp_task_threads(task), shared = w->j / (2 * threads);
    const size_t rows = (w->longest + w->j - 1) / w->j;
    const size_t most = threads == 1 ? ROW_DIGITS / k : gfp_size_min(ROW_DIGITS / k, shared);
    const size_t least = PART_DIGITS / k / rows, part = most > least ? most : least;
    size_t parts = 0;
    double units = 0;
    w->part = (part / columns + (part % columns != 0)) * columns;
    w->part = w->part == 0 ? columns : w->part;
    for (size_t i = 0; i < w->polys; i++) {
        parts += parts_of(w, &w->poly[i]);
        units += (double)w->poly[i].len;
    }
    return gfp_task_span(task, FOLD_SHARE, units, (double)k)
               ? gfp_parallel_for(&loop, task, parts, 1)
               : GFP_ERR_CANCELLED;
}

/* ---- sums of products of residues ---- */

/* product := the product of two residues by w->method. */
static gfp_status multiply_by_method(const residues *w, const gfp_range *range, gfp_task *task)
{
    const gfp_progress forwarded = {gfp_task_forward, task};
    const gfp_problem problem = gfp_range_problem(range);
    const gfp_request q = gfp_request_make(
        &problem, range->field, &(gfp_options){.threads = 1, .tuning = w->identity->tuning});
    gfp_task inner;
    gfp_task_start(&inner, task == NULL ? NULL : &forwarded);
    inner.threads = gfp_method_useful_threads(w->method, gfp_request_time(&q, w->method),
                                              gfp_task_threads(task));
    gfp_task_part(&inner, 1);
    return gfp_range_run(w->method, range, w->product, w->cap, &inner, NULL);
}

/* reduced := the residue of the product of a term, of min(j, all) coefficients; *n: their number.
 */
static gfp_status multiply_residues(const residues *w, const residue_term *t, size_t *n,
                                    gfp_task *task)
{
    const gfp_field *field = w->identity->field;
    const gfp_kernels *kernels = gfp_field_kernels(field);
    const size_t k = gfp_field_k(field), length = t->a->len + t->b->len - 1;
    const gfp_range range =
        gfp_range_whole(field, t->a->y, residue_length(w, t->a), t->b->y, residue_length(w, t->b));
    const gfp_folding product = {
        .x = w->product, .len = range.end, .count = 1, .j = w->j, .d = w->d};
    if (w->method != NULL && range.len_a > MOST_DEFINED / k / k / range.len_b) {
        GFP_TRY(multiply_by_method(w, &range, task));
    } else {
        kernels->convolve(field, w->product, range.a, range.len_a, range.b, range.len_b, 0,
                          range.end);
    }
    *n = gfp_size_min(length, w->j);
    (void)kernels->fold(field, w->reduced, *n, &product);
    return GFP_OK;
}

/* product := the n elements of x times X^shift, j elements. */
static void shift_residue(const residues *w, const uint64_t *x, size_t n, size_t shift)
{
    const gfp_field *field = w->identity->field;
    const size_t k = gfp_field_k(field), at = shift % w->j, below = gfp_size_min(n, w->j - at);
    const uint64_t rows = shift / w->j;
    uint64_t d[GFP_MAX_K], power[GFP_MAX_K];
    gfp_elem_set_u64(field, d, w->d);
    gfp_elem_pow(field, power, d, &rows, 1);
    gfp_vec_zero(field, w->product, w->j);
    gfp_vec_scalar_mul(field, w->product + at * k, x, power, below);
    gfp_elem_mul(field, power, power, d);
    gfp_vec_scalar_mul(field, w->product, x + below * k, power, n - below);
}

/* Adds a term to the sum. */
static gfp_status add_term(residues *w, const residue_term *t, gfp_task *task)
{
    const gfp_kernels *kernels = gfp_field_kernels(w->identity->field);
    const uint64_t *x = t->a->y;
    size_t n = residue_length(w, t->a);
    if (t->b != NULL) {
        GFP_TRY(multiply_residues(w, t, &n, task));
        x = w->reduced;
    }
    if (t->shift > 0) {
        shift_residue(w, x, n, t->shift);
        x = w->product;
        n = w->j;
    }
    for (unsigned times = t->twice ? 2 : 1; times > 0; times--) {
        (t->minus ? kernels->sub : kernels->add)(w->identity->field, w->sum, w->sum, x, n);
    }
    return GFP_OK;
}

static gfp_status add_terms(residues *w, gfp_task *task)
{
    const gfp_field *field = w->identity->field;
    gfp_vec_zero(field, w->sum, w->j);
    for (size_t i = 0; i < w->terms; i++) {
        const double share = (double)(i + 1) / (double)w->terms;
        if (!gfp_task_span(task, FOLD_SHARE + (1 - FOLD_SHARE) * share, 1, 1)) {
            return GFP_ERR_CANCELLED;
        }
        GFP_TRY(add_term(w, &w->term[i], task));
    }
    for (size_t i = 0; i < w->j; i++) {
        if (!gfp_elem_is_zero(field, w->sum + i * gfp_field_k(field))) {
            return GFP_ERR_VERIFY;
        }
    }
    return GFP_OK;
}

static gfp_status compare_residues(residues *w, gfp_finding *finding, gfp_task *task)
{
    bool large = false;
    GFP_TRY(fold_all(w, task));
    for (size_t i = 0; i < w->polys; i++) {
        large = atomic_load_explicit(&w->poly[i].large, memory_order_relaxed) || large;
    }
    finding->wrong = large ? gfp_identity_wrong(w->identity) : GFP_NO_INDEX;
    return finding->wrong != GFP_NO_INDEX ? GFP_ERR_VERIFY : add_terms(w, task);
}

/* ---- the check ---- */

static gfp_status check_in(residues *w, uint64_t *area, gfp_finding *finding, gfp_task *task)
{
    const size_t each = w->j * gfp_field_k(w->identity->field);
    for (size_t i = 0; i < w->polys; i++) {
        w->poly[i].y = area + i * each;
    }
    w->reduced = area + w->polys * each;
    w->sum = w->reduced + each;
    w->product = w->sum + each;
    return compare_residues(w, finding, task);
}

static gfp_status check_on_stack(residues *w, gfp_finding *finding, gfp_task *task)
{
    uint64_t area[GFP_STACK_WORDS];
    const gfp_status status = check_in(w, area, finding, task);
    for (size_t i = 0; i < w->polys; i++) {
        w->poly[i].y = NULL;
    }
    w->reduced = w->sum = w->product = NULL;
    return status;
}

static gfp_status residues_check(residues *w, gfp_finding *finding, gfp_task *task)
{
    const gfp_field *field = w->identity->field;
    gfp_work work;
    if (w->words <= GFP_STACK_WORDS) {
        return check_on_stack(w, finding, task);
    }
    if (gfp_work_take(&work, field, w->words) != GFP_OK) {
        return GFP_ERR_UNAVAILABLE;
    }
    const gfp_status status = check_in(w, work.words, finding, task);
    gfp_work_give(&work, field);
    return status;
}

gfp_status gfp_verify_residues(const gfp_identity *identity, uint64_t seed, gfp_finding *finding,
                               gfp_task *task)
{
    residues w = {.identity = identity};
    gfp_random g;
    if (!residues_serve(&w, task)) {
        return GFP_ERR_UNAVAILABLE;
    }
    const size_t roots = (gfp_identity_length(identity) - 1) / w.j;
    gfp_random_seed(&g, seed);
    w.d = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
    *finding = (gfp_finding){.points = 1,
                             .j = w.j,
                             .log2_error = (int)gfp_log2_above(roots) - GFP_FOLD_BITS,
                             .wrong = GFP_NO_INDEX};
    const gfp_status status = residues_check(&w, finding, task);
    return status == GFP_OK || status == GFP_ERR_VERIFY || status == GFP_ERR_CANCELLED
               ? status
               : GFP_ERR_UNAVAILABLE;
}
