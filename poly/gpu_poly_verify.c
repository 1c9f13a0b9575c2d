/* gpu_poly_verify.c: checks a product on a device, or a quotient with its remainder, by residues
 * modulo X^j - d, which the device computes and the CPU multiplies.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_poly.h"

#include <math.h>

#include "gfpoly/gpu_toolkit.h"
#include "poly_impl.h"
#include "support.h"
#include "verify.h"

#define LOG2_ERROR (-40)
/* Products of this length on the CPU take little time compared with the product. */
#define MAX_BLOCK 1024

/* The claim c = a b, or c = a b + r if r is not NULL; a square has a = b. */
typedef struct claim {
    gfp_gpu_ring *ring;
    const gfp_gpu_poly *c, *a, *b, *r;
    bool division; /* a and r are results, not c */
    size_t block;  /* j */
    unsigned points;
    int log2_error;
} claim;

/* Sets the least number of points, then the shortest blocks, that suffice; false: none do. */
static bool find_points(claim *w, size_t len)
{
    const double set = log2((double)gfp_gpu_fold_limit(w->ring->field));
    for (w->points = 1; w->points <= GFP_VERIFY_MAX_POINTS; w->points++) {
        for (w->block = 1; w->block <= MAX_BLOCK; w->block *= 2) {
            const size_t roots = (len - 1) / w->block;
            /* No roots at all: each residue is the polynomial itself. */
            const double one = roots == 0 ? 2 * LOG2_ERROR : log2((double)roots) - set;
            if (w->points * one <= LOG2_ERROR) {
                w->log2_error = (int)ceil(w->points * one);
                return true;
            }
        }
    }
    return false;
}

/* VERIFY if c is not canonical. */
static gfp_status check_canonical(gfp_gpu_ring *ring, const gfp_gpu_poly *c)
{
    uint64_t first = c->len;
    if (c->len > 0) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_canonical(ring->field, ring->word, c->array, c->len));
        GFP_TRY(gfp_gpu_download(&first, ring->word, 0, 1));
    }
    return first == c->len ? GFP_OK : GFP_ERR_VERIFY;
}

/* VERIFY if a result is not canonical: the check by residues assumes that. */
static gfp_status check_results(const claim *w)
{
    if (!w->division) {
        return check_canonical(w->ring, w->c);
    }
    GFP_TRY(check_canonical(w->ring, w->a));
    return w->r == NULL ? GFP_OK : check_canonical(w->ring, w->r);
}

/* The polynomials of a claim in the order of their residues: c, a, b unless the product is a
 * square, and r if there is one. Returns their number. */
#define MOST_RESIDUES 4
static size_t list(const claim *w, const gfp_gpu_poly *x[MOST_RESIDUES])
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

/* Whether c = a b + r mod X^j - d. residues: j elements for each listed polynomial. */
static gfp_status compare(const claim *w, uint64_t *residues, uint64_t d)
{
    const gfp_field *field = w->ring->field;
    const size_t j = w->block, k = w->ring->k;
    uint64_t *x = residues + j * k, *y = w->a == w->b ? x : x + j * k;
    const uint64_t *rest = y + j * k;
    uint64_t point[GFP_MAX_K], coefficient[GFP_MAX_K], folded[GFP_MAX_K];
    /* These polynomials use the residues' memory. */
    gfp_poly a = {field, x, j, j}, b = {field, y, j, j}, product;
    gfp_poly_normalise(&a, j);
    gfp_poly_normalise(&b, j);
    gfp_poly_init(&product, field);
    const gfp_problem here = {.len_a = j, .len_b = j, .no_gpu = true};
    const gfp_options options = {.method = gfp_method_pick(&here, field, NULL)};
    gfp_status status = gfp_poly_mul(&product, &a, &b, &options);
    gfp_elem_set_u64(field, point, d);
    for (size_t i = 0; i < j && status == GFP_OK; i++) {
        gfp_poly_get_coeff(&product, coefficient, i + j);
        gfp_elem_mul(field, folded, coefficient, point);
        gfp_poly_get_coeff(&product, coefficient, i);
        gfp_elem_add(field, folded, folded, coefficient);
        if (w->r != NULL) {
            gfp_elem_add(field, folded, folded, rest + i * k);
        }
        status = gfp_elem_equal(field, folded, residues + i * k) ? GFP_OK : GFP_ERR_VERIFY;
    }
    gfp_poly_clear(&product);
    return status;
}

/* If all digits are below r, c is canonical. */
static gfp_status check_at(const claim *w, uint64_t *residues, uint64_t d)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_poly *p[MOST_RESIDUES];
    const gfp_gpu_array *x[MOST_RESIDUES];
    size_t n[MOST_RESIDUES];
    const size_t count = list(w, p), words = count * w->block * ring->k;
    for (size_t i = 0; i < count; i++) {
        x[i] = p[i]->array;
        n[i] = p[i]->len;
    }
    GFP_TRY(gfp_gpu_vec_fold(ring->field, ring->work, x, n, count, w->block, d));
    GFP_TRY(gfp_gpu_download(residues, ring->work, 0, words + 1));
    if (residues[words] != 0) {
        GFP_TRY(check_results(w));
    }
    return compare(w, residues, d);
}

static gfp_status check_points(const claim *w, uint64_t seed, gfp_report *report)
{
    gfp_gpu_ring *ring = w->ring;
    const gfp_gpu_poly *p[MOST_RESIDUES];
    size_t n[MOST_RESIDUES];
    const size_t count = list(w, p), room = MOST_RESIDUES * w->block + 1;
    for (size_t i = 0; i < count; i++) {
        n[i] = p[i]->len;
    }
    const uint64_t limit = gfp_gpu_fold_limit(ring->field);
    gfp_random g;
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work,
                              gfp_gpu_fold_words(ring->gpu, ring->field, n, count, w->block)));
    const size_t bytes = ring->k * sizeof(uint64_t);
    uint64_t *residues = gfp_allocate(&ring->allocator, room, bytes);
    if (residues == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_random_seed(&g, seed);
    gfp_status status = GFP_OK;
    for (unsigned i = 0; i < w->points && status == GFP_OK; i++) {
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

static gfp_status check(claim *w, uint64_t seed, gfp_report *report)
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
    if (!find_points(w, len)) {
        return GFP_ERR_UNAVAILABLE;
    }
    report->log2_error = w->log2_error;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, NULL));
    }
    return check_points(w, seed, report);
}

/* Checks a claim and fills the report. */
static gfp_status verify(claim *w, uint64_t seed, gfp_report *report)
{
    const uint64_t start = gfp_clock_ns();
    gfp_report filled = {.verified = GFP_VERIFY_POINT};
    GFP_TRY(gfp_gpu_poly_check(w->a, w->b));
    GFP_TRY(gfp_gpu_poly_check(w->a, w->c));
    GFP_TRY(w->r == NULL ? GFP_OK : gfp_gpu_poly_check(w->a, w->r));
    const gfp_status status = check(w, seed, &filled);
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
    return verify(&w, seed, report);
}

gfp_status gfp_gpu_poly_verify_divrem(const gfp_gpu_poly *q, const gfp_gpu_poly *r,
                                      const gfp_gpu_poly *a, const gfp_gpu_poly *b, uint64_t seed,
                                      gfp_report *report)
{
    claim w = {.ring = q->ring, .c = a, .a = q, .b = b, .r = r, .division = true};
    return verify(&w, seed, report);
}
