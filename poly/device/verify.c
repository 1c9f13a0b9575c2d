/* verify.c: checks a product on a device, or a quotient with its remainder, by residues
 * modulo X^j - d, which the device computes and the CPU multiplies.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/type.h"

#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

#define LOG2_ERROR (-40)
/* Products of this length on the CPU take little time compared with the product. */
#define MAX_BLOCK 1024

/* The claim c = a b, or c = a b + r if r is not NULL; a square has a = b. */
typedef struct claim {
    gfp_gpu_ring *ring;
    const gfp_gpu_poly *c, *a, *b, *r;
    bool division; /* a and r are results, not c */
    gfp_gpu_residues at;
} claim;

bool gfp_gpu_residues_choose(gfp_gpu_residues *w, const gfp_field *field, size_t len, double claims)
{
    const double set = log2((double)gfp_gpu_fold_limit(field)), all = log2(claims);
    for (w->points = 1; w->points <= GFP_VERIFY_MAX_POINTS; w->points++) {
        for (w->block = 1; w->block <= MAX_BLOCK; w->block *= 2) {
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

unsigned gfp_gpu_elements_choose(const gfp_field *field, double log2_bound, double log2_claims,
                                 int *log2_error)
{
    const double each =
        log2_bound - gfp_field_k(field) * log2((double)gfp_field_r(field)); /* p > r^k */
    for (unsigned points = 1; points <= GFP_VERIFY_MAX_POINTS; points++) {
        if (points * each + log2_claims <= LOG2_ERROR) {
            *log2_error = (int)ceil(points * each + log2_claims);
            return points;
        }
    }
    return 0;
}

gfp_status gfp_gpu_check_elements(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n)
{
    uint64_t first = n;
    if (n > 0) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_canonical(ring->field, ring->word, x, n));
        GFP_TRY(gfp_gpu_download(&first, ring->word, 0, 1));
    }
    return first == n ? GFP_OK : GFP_ERR_VERIFY;
}

gfp_status gfp_gpu_check_canonical(const gfp_gpu_poly *c)
{
    return gfp_gpu_check_elements(c->ring, c->array, c->len);
}

/* VERIFY if a result is not canonical: the check by residues assumes that. */
static gfp_status check_results(const claim *w)
{
    if (!w->division) {
        return gfp_gpu_check_canonical(w->c);
    }
    GFP_TRY(gfp_gpu_check_canonical(w->a));
    return w->r == NULL ? GFP_OK : gfp_gpu_check_canonical(w->r);
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
    const gfp_options options = {.method = gfp_method_pick(&here, field, NULL)};
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
    GFP_TRY(gfp_gpu_download(residues, ring->work, 0, words + 1));
    if (residues[words] != 0) {
        GFP_TRY(check_results(w));
    }
    return verify_compare(w, residues, d);
}

static gfp_status check_points(const claim *w, uint64_t seed, gfp_report *report)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_poly *p[MOST_RESIDUES];
    size_t n[MOST_RESIDUES];
    const size_t count = verify_list(w, p), room = (MOST_RESIDUES + 1) * w->at.block;
    for (size_t i = 0; i < count; i++) {
        n[i] = p[i]->len;
    }
    const uint64_t limit = gfp_gpu_fold_limit(ring->field);
    gfp_random g;
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work,
                              gfp_gpu_fold_words(ring->gpu, ring->field, n, count, w->at.block)));
    const size_t bytes = ring->k * sizeof(uint64_t);
    uint64_t *residues = gfp_allocate(&ring->allocator, room, bytes);
    if (residues == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_random_seed(&g, seed);
    gfp_status status = GFP_OK;
    for (unsigned i = 0; i < w->at.points && status == GFP_OK; i++) {
        report->points = i + 1;
        status = check_at(w, residues, gfp_random_below(&g, limit));
    }
    gfp_release(&ring->allocator, residues, room, bytes);
    return status;
}

/* If a factor is 0, the device has no array of it. */
static gfp_status check_zero(const gfp_gpu_poly *c)
{
    gfp_gpu_ring *ring = c->ring;
    uint64_t len = 0;
    if (c->len > 0) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_length(ring->field, ring->word, c->array, c->len));
        GFP_TRY(gfp_gpu_download(&len, ring->word, 0, 1));
    }
    return len == 0 ? GFP_OK : GFP_ERR_VERIFY;
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
    bool equal = false;
    if (w->a->len == 0 || w->b->len == 0) {
        GFP_TRY(gfp_gpu_poly_equal(&equal, w->c, w->r));
        return equal ? GFP_OK : GFP_ERR_VERIFY;
    }
    /* c = 0: a remainder of less terms than b cancels no product by b but 0. */
    GFP_TRY(check_factors(w));
    return check_zero(w->r);
}

static gfp_status verify_check(claim *w, uint64_t seed, gfp_report *report)
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
    if (!gfp_gpu_residues_choose(&w->at, w->ring->field, len, 1)) {
        return GFP_ERR_UNAVAILABLE;
    }
    report->log2_error = w->at.log2_error;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, NULL));
    }
    return check_points(w, seed, report);
}

/* Checks a claim and fills the report. */
static gfp_status device_verify(claim *w, uint64_t seed, gfp_report *report)
{
    const uint64_t start = gfp_clock_ns();
    gfp_report filled = {.verified = GFP_VERIFY_POINT};
    GFP_TRY(gfp_gpu_poly_check(w->a, w->b));
    GFP_TRY(gfp_gpu_poly_check(w->a, w->c));
    GFP_TRY(w->r == NULL ? GFP_OK : gfp_gpu_poly_check(w->a, w->r));
    const gfp_status status = verify_check(w, seed, &filled);
    filled.verify_ns = gfp_clock_ns() - start;
    if (report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *report = filled;
    }
    return status;
}

gfp_status gfp_gpu_poly_verify_mul(const gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                   const gfp_gpu_poly *b, uint64_t seed, gfp_report *report)
{
    claim w = {.ring = c->ring, .c = c, .a = a, .b = b};
    return device_verify(&w, seed, report);
}

gfp_status gfp_gpu_poly_verify_divrem(const gfp_gpu_poly *q, const gfp_gpu_poly *r,
                                      const gfp_gpu_poly *a, const gfp_gpu_poly *b, uint64_t seed,
                                      gfp_report *report)
{
    claim w = {.ring = q->ring, .c = a, .a = q, .b = b, .r = r, .division = true};
    return device_verify(&w, seed, report);
}
