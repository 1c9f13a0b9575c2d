/* verify.c: checks of results on a device: products, quotients with their remainders, by residues
 * modulo X^j - d, which the device computes and the CPU multiplies; parts of products by whole
 * ones; other identities at random elements.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include <math.h>

#include "poly/impl.h"
#include "product/verify/claim.h"

#define LOG2_ERROR (-40)
/* The longest blocks, where more points with shorter ones do not suffice. */
#define MAX_BLOCK 1024
/* A random element serves not with a small probability only. */
#define MOST_DRAWS 8

/* The claim c = a b, or c = a b + r if r is not NULL; a square has a = b. */
typedef struct claim {
    gfp_gpu_ring *ring;
    const gfp_gpu_poly *c, *a, *b, *r;
    bool division; /* a and r are results, not c */
    gfp_gpu_residues at;
} claim;

/* ---- how many points ---- */

/* Blocks of at most this length take the CPU no longer than another point takes the device: 128
 * elements some 20 us, folds of 2^17 coefficients over p8 30 us with their launches. */
static size_t longest_block(size_t len)
{
    const size_t block = len >> 11;
    return block < 128 ? 128 : block < MAX_BLOCK ? block : MAX_BLOCK;
}

/* With blocks of at most this length. */
static bool choose_below(gfp_gpu_residues *w, const gfp_field *field, size_t len, double claims,
                         size_t most)
{
    const double set = log2((double)gfp_gpu_fold_limit(field)), all = log2(claims);
    for (w->points = 1; w->points <= GFP_VERIFY_MAX_POINTS; w->points++) {
        for (w->block = 1; w->block <= most; w->block *= 2) {
            const size_t roots = (len - 1) / w->block;
            /* No roots at all: each residue is the polynomial itself. */
            const double one = roots == 0 ? 2 * LOG2_ERROR : log2((double)roots) - set;
            if (w->points * one + all <= LOG2_ERROR) {
                w->log2_error = (int)ceil(w->points * one + all);
                return true;
            }
        }
    }
    return false;
}

bool gfp_gpu_residues_choose(gfp_gpu_residues *w, const gfp_field *field, size_t len, double claims)
{
    return choose_below(w, field, len, claims, longest_block(len)) ||
           choose_below(w, field, len, claims, MAX_BLOCK);
}

static gfp_status refuse_check(gfp_gpu_operation *op)
{
    return gfp_error_set(&op->base.error, GFP_ERR_UNAVAILABLE,
                         "no check at random points is certain: the field is too small");
}

/* Several claims of a call have the bounds of all of them together. */
static void note_bound(gfp_gpu_operation *op, int log2_error)
{
    int *all = &op->base.report.log2_error;
    *all = *all == 0 || log2_error > *all ? log2_error : *all;
}

void gfp_gpu_check_count(gfp_gpu_operation *op, unsigned points)
{
    if (op->base.report.points < points) {
        op->base.report.points = points;
    }
}

gfp_status gfp_gpu_check_begin(gfp_gpu_operation *op, double log2_bound, unsigned *points,
                               gfp_random *g)
{
    const gfp_field *field = op->ring->field;
    const double each =
        log2_bound - gfp_field_k(field) * log2((double)gfp_field_r(field)); /* p > r^k */
    const double claims = log2(op->claims);
    for (unsigned i = 1; i <= GFP_VERIFY_MAX_POINTS; i++) {
        if (i * each + claims <= LOG2_ERROR) {
            note_bound(op, (int)ceil(i * each + claims));
            *points = i;
            gfp_random_seed(g, ~op->seed); /* not the elements that a caller drew by this seed */
            return GFP_OK;
        }
    }
    return refuse_check(op);
}

gfp_status gfp_gpu_check_elementwise(gfp_gpu_operation *op, double log2_bound,
                                     gfp_gpu_check_at *check, const void *what)
{
    unsigned points = 0, draws = MOST_DRAWS;
    uint64_t t[GFP_MAX_K];
    gfp_random g;
    GFP_TRY(gfp_gpu_check_begin(op, log2_bound, &points, &g));
    for (unsigned done = 0; done < points;) {
        gfp_vec_random(op->ring->field, t, 1, &g);
        const gfp_call_mark mark = gfp_call_mark_here(&op->base);
        const gfp_status status = check(what, t);
        gfp_call_release(&op->base, mark);
        if (status == GFP_ERR_NOT_INVERTIBLE) {
            GFP_TRY(--draws > 0 ? GFP_OK : refuse_check(op));
            continue;
        }
        gfp_gpu_check_count(op, ++done);
        GFP_TRY(status);
    }
    return GFP_OK;
}

/* ---- residues ---- */

static gfp_status check_canonical(const gfp_gpu_poly *c)
{
    return gfp_gpu_check_elements(c->ring, c->array, c->len);
}

/* VERIFY if a result is not canonical: the check by residues assumes that. */
static gfp_status check_results(const claim *w)
{
    if (!w->division) {
        return check_canonical(w->c);
    }
    GFP_TRY(check_canonical(w->a));
    return w->r == NULL ? GFP_OK : check_canonical(w->r);
}

/* The polynomials of a claim in the order of their residues: c, a, b unless the product is a
 * square, and r if there is one. Returns their number. */
#define MOST_RESIDUES 4
static size_t verify_list(const claim *w, const gfp_gpu_poly *x[MOST_RESIDUES])
{
    size_t count = 0;
    x[count++] = w->c;
    x[count++] = w->a;
    if (w->b != w->a) {
        x[count++] = w->b;
    }
    if (w->r != NULL) {
        x[count++] = w->r;
    }
    return count;
}

gfp_status gfp_gpu_residues_multiply(const gfp_gpu_ring *ring, uint64_t *z, const uint64_t *x,
                                     const uint64_t *y, size_t j, uint64_t d)
{
    const gfp_field *field = ring->field;
    uint64_t point[GFP_MAX_K], coefficient[GFP_MAX_K];
    if (j == 1) {
        gfp_elem_mul(field, z, x, y);
        return GFP_OK;
    }
    /* These polynomials use the residues' memory. */
    gfp_poly a = {field, (uint64_t *)x, j, j}, b = {field, (uint64_t *)y, j, j}, product;
    gfp_poly_normalise(&a, j);
    gfp_poly_normalise(&b, j);
    gfp_poly_init(&product, field);
    const gfp_problem here = {.len_a = j, .len_b = j, .no_gpu = true};
    const gfp_options options = {.method = gfp_method_pick(&here, field, NULL),
                                 .verify = GFP_VERIFY_NONE};
    const gfp_status status = gfp_poly_mul(&product, &a, &b, &options);
    gfp_elem_set_u64(field, point, d);
    for (size_t i = 0; i < j && status == GFP_OK; i++) {
        gfp_poly_get_coeff(coefficient, &product, i + j);
        gfp_elem_mul(field, coefficient, coefficient, point);
        gfp_poly_get_coeff(z + i * ring->k, &product, i);
        gfp_elem_add(field, z + i * ring->k, z + i * ring->k, coefficient);
    }
    gfp_poly_clear(&product);
    return status;
}

/* Whether c = a b + r mod X^j - d. residues: j elements for each listed polynomial,
 * and j more. */
static gfp_status verify_compare(const claim *w, uint64_t *residues, uint64_t d)
{
    const gfp_field *field = w->ring->field;
    const size_t j = w->at.block, k = w->ring->k;
    const uint64_t *x = residues + j * k, *y = w->a == w->b ? x : x + j * k, *rest = y + j * k;
    uint64_t *product = residues + MOST_RESIDUES * j * k;
    GFP_TRY(gfp_gpu_residues_multiply(w->ring, product, x, y, j, d));
    if (w->r != NULL) {
        gfp_vec_add(field, product, product, rest, j);
    }
    return gfp_vec_equal(field, product, residues, j) ? GFP_OK : GFP_ERR_VERIFY;
}

/* If all digits are below r, c is canonical. */
static gfp_status check_at(const claim *w, uint64_t *residues, uint64_t d)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_poly *p[MOST_RESIDUES];
    const gfp_gpu_array *x[MOST_RESIDUES];
    size_t n[MOST_RESIDUES];
    const size_t count = verify_list(w, p), words = count * w->at.block * ring->k;
    for (size_t i = 0; i < count; i++) {
        x[i] = p[i]->array;
        n[i] = p[i]->len;
    }
    GFP_TRY(gfp_gpu_vec_fold(ring->field, ring->work, x, n, count, w->at.block, d));
    GFP_TRY(gfp_gpu_download(residues, ring->work, 0, words + 1, NULL));
    if (residues[words] != 0) {
        GFP_TRY(check_results(w));
    }
    return verify_compare(w, residues, d);
}

static gfp_status check_points(const claim *w, gfp_gpu_operation *op)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_poly *p[MOST_RESIDUES];
    size_t n[MOST_RESIDUES];
    const size_t count = verify_list(w, p), room = (MOST_RESIDUES + 1) * w->at.block * ring->k;
    uint64_t *residues = NULL;
    gfp_random g;
    for (size_t i = 0; i < count; i++) {
        n[i] = p[i]->len;
    }
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work,
                              gfp_gpu_fold_words(ring->gpu, ring->field, n, count, w->at.block)));
    GFP_TRY(gfp_call_array(&op->base, &residues, room));
    gfp_random_seed(&g, op->seed);
    for (unsigned i = 0; i < w->at.points; i++) {
        gfp_gpu_check_count(op, i + 1);
        GFP_TRY(check_at(w, residues, gfp_random_below(&g, gfp_gpu_fold_limit(ring->field))));
    }
    return GFP_OK;
}

/* If a factor is 0, the device has no array of it. */
static gfp_status check_zero(const gfp_gpu_poly *c)
{
    return c->len == 0 ? GFP_OK : gfp_gpu_expect_zeros(c->ring, c->array, c->len);
}

/* If c is 0, a factor must be 0. */
static gfp_status check_factors(const claim *w)
{
    const gfp_status status = check_zero(w->a);
    return status == GFP_ERR_VERIFY ? check_zero(w->b) : status;
}

/* The claim c = a b + r where one of them has no coefficients. */
static gfp_status check_degenerate(const claim *w)
{
    if (w->a->len == 0 || w->b->len == 0) {
        bool equal = false;
        GFP_TRY(gfp_gpu_poly_compare(&equal, w->c, w->r));
        return equal ? GFP_OK : GFP_ERR_VERIFY;
    }
    /* c = 0: a remainder of less terms than b cancels no product by b but 0. */
    GFP_TRY(check_factors(w));
    return check_zero(w->r);
}

static gfp_status verify_check(claim *w, gfp_gpu_operation *op)
{
    if (w->r != NULL && w->r->len == 0) {
        w->r = NULL;
    }
    if (w->r != NULL && (w->a->len == 0 || w->b->len == 0 || w->c->len == 0)) {
        return check_degenerate(w);
    }
    if (w->a->len == 0 || w->b->len == 0) {
        return check_zero(w->c);
    }
    if (w->c->len == 0) {
        return check_factors(w);
    }
    size_t len = w->a->len + w->b->len - 1;
    len = w->c->len > len ? w->c->len : len;
    len = w->r != NULL && w->r->len > len ? w->r->len : len;
    if (!gfp_gpu_residues_choose(&w->at, w->ring->field, len, op->claims)) {
        return refuse_check(op);
    }
    note_bound(op, w->at.log2_error);
    return check_points(w, op);
}

gfp_status gfp_gpu_check_product(gfp_gpu_operation *op, const gfp_gpu_poly *c,
                                 const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                 const gfp_gpu_poly *r, bool division)
{
    claim w = {.ring = op->ring, .c = c, .a = a, .b = b, .r = r, .division = division};
    const gfp_call_mark mark = gfp_call_mark_here(&op->base);
    const gfp_status status = verify_check(&w, op);
    gfp_call_release(&op->base, mark);
    return status;
}

/* ---- parts of products ---- */

/* Rows c := a b, `all` elements each, in an array with room for rows of n elements behind them. */
typedef struct parts {
    gfp_gpu_pairs pairs;
    gfp_gpu_array *area;
    size_t all;
} parts;

/* *a := row i as a polynomial, in a window that the caller destroys; a row without elements has
 * none. */
static gfp_status view_row(gfp_gpu_operation *op, gfp_gpu_poly *a, const gfp_gpu_rows *x, size_t i,
                           size_t len)
{
    const size_t k = op->ring->k;
    *a = (gfp_gpu_poly){.ring = op->ring, .len = len, .capacity = len};
    return gfp_gpu_array_part(&a->array, x->array, (x->from + i * x->stride) * k, len * k);
}

static gfp_status check_whole(gfp_gpu_operation *op, const parts *w, size_t i)
{
    const gfp_gpu_rows product = {w->area, 0, w->all};
    gfp_gpu_poly c, a = {.array = NULL}, b = {.array = NULL};
    gfp_status status = view_row(op, &c, &product, i, w->all);
    status = status != GFP_OK ? status : view_row(op, &a, &w->pairs.a, i, w->pairs.len_a);
    status = status != GFP_OK ? status : view_row(op, &b, &w->pairs.b, i, w->pairs.len_b);
    status = status != GFP_OK ? status : gfp_gpu_check_product(op, &c, &a, &b, NULL, false);
    gfp_gpu_array_destroy(c.array);
    gfp_gpu_array_destroy(a.array);
    gfp_gpu_array_destroy(b.array);
    return status;
}

/* VERIFY unless rows c are the parts of the products. */
static gfp_status compare_parts(gfp_gpu_operation *op, const parts *w, const gfp_gpu_rows *c,
                                size_t len_c, size_t first, size_t n)
{
    const gfp_field *field = op->ring->field;
    const size_t rows = w->pairs.rows, known = w->all > first ? gfp_size_min(n, w->all - first) : 0;
    const gfp_gpu_rows part = {w->area, first, w->all}, d = {w->area, rows * w->all, n};
    const gfp_gpu_rows rest = {w->area, rows * w->all + known, n}, terms[] = {d, *c};
    gfp_gpu_array *differences = NULL;
    if (known > 0) {
        GFP_TRY(gfp_gpu_vec_sum_rows(field, &d, &part, 1, 0, rows, known));
    }
    if (known < n) {
        GFP_TRY(gfp_gpu_vec_sum_rows(field, &rest, NULL, 0, 0, rows, n - known));
    }
    if (len_c > 0) {
        GFP_TRY(gfp_gpu_vec_sum_rows(field, &d, terms, 2, 2, rows, gfp_size_min(len_c, n)));
    }
    GFP_TRY(gfp_gpu_array_part(&differences, w->area, rows * w->all * op->ring->k,
                               rows * n * op->ring->k));
    const gfp_status status = gfp_gpu_expect_zeros(op->ring, differences, rows * n);
    gfp_gpu_array_destroy(differences);
    return status;
}

static gfp_status check_parts(gfp_gpu_operation *op, const parts *w, const gfp_gpu_rows *c,
                              size_t len_c, size_t first, size_t n)
{
    const gfp_gpu_rows product = {w->area, 0, w->all};
    if (w->all > 0) {
        GFP_TRY(gfp_gpu_ring_mul_rows(op->ring, &product, &w->pairs, 0, w->all));
    }
    for (size_t i = 0; i < w->pairs.rows && w->all > 0; i++) {
        GFP_TRY(check_whole(op, w, i));
    }
    return compare_parts(op, w, c, len_c, first, n);
}

gfp_status gfp_gpu_check_rows(gfp_gpu_operation *op, const gfp_gpu_rows *c, size_t len_c,
                              const gfp_gpu_pairs *pairs, size_t first, size_t n)
{
    const size_t end = gfp_size_add_sat(first, n);
    parts w = {.pairs = *pairs};
    size_t words = 0;
    w.pairs.len_a = gfp_size_min(pairs->len_a, end);
    w.pairs.len_b = gfp_size_min(pairs->len_b, end);
    w.all = w.pairs.len_a == 0 || w.pairs.len_b == 0 ? 0 : w.pairs.len_a + w.pairs.len_b - 1;
    if (!gfp_size_add(&words, w.all, n) || !gfp_size_mul(&words, words, pairs->rows) ||
        !gfp_size_mul(&words, words, op->ring->k)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_gpu_array_create(&w.area, op->ring->gpu, words, NULL));
    const gfp_status status = check_parts(op, &w, c, len_c, first, n);
    gfp_gpu_array_destroy(w.area);
    return status;
}
