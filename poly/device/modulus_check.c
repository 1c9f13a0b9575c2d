/* modulus_check.c: preparation of calls modulo f on a device, and their checks: a b X^shift =
 * q f + r modulo X^j - d at random d, for every product. The residue of r is that of the next
 * product's factor. Sums are those of residues; the last result is compared with its own.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/modulus.h"

#include <string.h>

#include "product/pipeline.h"

/* ---- preparation ---- */

/* Words of one polynomial's residues at a point, and of those of r and q. */
static size_t residue_words(const gfp_gpu_modular *w)
{
    return w->at.block * w->M->ring->k;
}

static size_t fold_words(const gfp_gpu_modular *w)
{
    return 2 * residue_words(w);
}

/* Words where the device leaves the first places of r and q that are not canonical. */
#define PLACES 4

static gfp_status make_room(gfp_gpu_modular *w)
{
    gfp_gpu_modulus *M = w->M;
    gfp_gpu_ring *ring = M->ring;
    w->entry = w->at.points * fold_words(w) + PLACES;
    const size_t log = GFP_GPU_IDENTITIES * w->entry;
    const size_t values = (size_t)w->values * w->at.points * residue_words(w);
    GFP_TRY(gfp_gpu_ring_area(ring, &M->log, log));
    GFP_TRY(gfp_call_array(&w->op->base, &w->host, log + values + 3 * residue_words(w)));
    w->value = w->host + log;
    w->x = w->value + values;
    return GFP_OK;
}

uint64_t *gfp_gpu_modular_residues(const gfp_gpu_modular *w, unsigned value, unsigned point)
{
    return w->value + ((size_t)value * w->at.points + point) * residue_words(w);
}

/* Draws the points; takes the residues of 1 and of f. */
static gfp_status begin_check(gfp_gpu_modular *w)
{
    const gfp_field *field = w->M->ring->field;
    gfp_random g;
    if (!gfp_gpu_residues_choose(&w->at, field, 2 * w->M->n, w->op->claims)) {
        w->at.points = 0;
        return gfp_error_set(&w->op->base.error, GFP_ERR_UNAVAILABLE,
                             "no check at points is certain: the digits are too small");
    }
    w->op->base.report.log2_error = w->at.log2_error;
    gfp_gpu_check_count(w->op, w->at.points);
    GFP_TRY(make_room(w));
    gfp_random_seed(&g, w->op->seed);
    for (unsigned i = 0; i < w->at.points; i++) {
        uint64_t *one = gfp_gpu_modular_residues(w, GFP_GPU_VALUE_ONE, i);
        w->d[i] = gfp_random_below(&g, gfp_gpu_fold_limit(field));
        gfp_vec_zero(field, one, w->at.block);
        gfp_elem_one(field, one);
    }
    return gfp_gpu_modular_value(w, GFP_GPU_VALUE_F, w->M->f->array, w->M->n + 1);
}

gfp_status gfp_gpu_modular_prepare(gfp_gpu_modular *w, gfp_gpu_modulus *M, size_t products,
                                   unsigned values)
{
    w->M = M;
    w->expected = products;
    w->values = values;
    w->op->claims = (double)products + 1; /* a division of a long operand is one, too */
    w->op->base.report.method = gfp_gpu_method_name(gfp_gpu_product_plan_method(M->whole.plan));
    return gfp_gpu_operation_checks(w->op) ? begin_check(w) : GFP_OK;
}

/* ---- residues ---- */

/* Enqueues the fold of one or two polynomials at point i, and the copy of their residues. */
static gfp_status fold_at(const gfp_gpu_modular *w, const gfp_gpu_array *const *x, const size_t *n,
                          size_t count, unsigned i)
{
    const gfp_gpu_modulus *M = w->M;
    gfp_gpu_ring *ring = M->ring;
    const size_t at = w->count * w->entry + i * fold_words(w);
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work,
                              gfp_gpu_fold_words(ring->gpu, ring->field, n, count, w->at.block)));
    GFP_TRY(gfp_gpu_vec_fold(ring->field, ring->work, x, n, count, w->at.block, w->d[i]));
    return gfp_gpu_copy_range(M->log, at, ring->work, 0, count * residue_words(w));
}

/* Enqueues the search for an element of x that is not canonical; number 0 or 1. */
static gfp_status modulus_check_search(const gfp_gpu_modular *w, const gfp_gpu_array *x, size_t n,
                                       size_t number)
{
    const gfp_gpu_modulus *M = w->M;
    const size_t at = w->count * w->entry + w->at.points * fold_words(w) + 2 * number;
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_array_part(&to, M->log, at, 2));
    const gfp_status status = gfp_gpu_vec_canonical(M->ring->field, to, x, n, NULL);
    gfp_gpu_array_destroy(to);
    return status;
}

static gfp_status modulus_check_keep(gfp_gpu_modular *w, const gfp_gpu_identity *identity)
{
    w->waiting[w->count++] = *identity;
    return w->count == GFP_GPU_IDENTITIES ? gfp_gpu_modular_compare(w) : GFP_OK;
}

gfp_status gfp_gpu_modular_value(gfp_gpu_modular *w, unsigned value, const gfp_gpu_array *x,
                                 size_t len)
{
    const gfp_gpu_identity alone = {.kind = GFP_GPU_IDENTITY_VALUE, .r = value};
    if (w->at.points == 0) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < w->at.points; i++) {
        GFP_TRY(fold_at(w, &x, &len, 1, i));
    }
    return modulus_check_keep(w, &alone);
}

/* Counts a product. The device may be far behind the host: a caller who watches gets the truth. */
static gfp_status modulus_check_count(gfp_gpu_modular *w)
{
    const gfp_progress *progress = w->op->base.options->progress;
    w->done++;
    if (progress != NULL && w->done % GFP_GPU_IDENTITIES == 0) {
        GFP_TRY(gfp_gpu_wait(w->M->ring->gpu, NULL));
    }
    return progress == NULL ||
                   progress->step(progress->user, (double)w->done / (double)(w->expected + 1))
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

gfp_status gfp_gpu_modular_product(gfp_gpu_modular *w, const gfp_gpu_identity *identity)
{
    const gfp_gpu_modulus *M = w->M;
    const gfp_gpu_array *const x[] = {M->result, M->quotient};
    const size_t n[] = {M->n, M->n};
    GFP_TRY(modulus_check_count(w));
    if (w->at.points == 0) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < w->at.points; i++) {
        GFP_TRY(fold_at(w, x, n, 2, i));
    }
    GFP_TRY(modulus_check_search(w, M->result, M->n, 0));
    GFP_TRY(modulus_check_search(w, M->quotient, M->n, 1));
    return modulus_check_keep(w, identity);
}

gfp_status gfp_gpu_modular_sum(gfp_gpu_modular *w, unsigned r, unsigned a, unsigned b)
{
    const gfp_gpu_identity sum = {.kind = GFP_GPU_IDENTITY_SUM, .a = a, .b = b, .r = r};
    return w->at.points == 0 ? GFP_OK : modulus_check_keep(w, &sum);
}

gfp_status gfp_gpu_modular_result(gfp_gpu_modular *w, unsigned value)
{
    const gfp_gpu_modulus *M = w->M;
    const gfp_gpu_array *const x[] = {M->result};
    const gfp_gpu_identity result = {.kind = GFP_GPU_IDENTITY_RESULT, .r = value};
    if (w->at.points == 0) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < w->at.points; i++) {
        GFP_TRY(fold_at(w, x, &M->n, 1, i));
    }
    GFP_TRY(modulus_check_search(w, M->result, M->n, 0));
    return modulus_check_keep(w, &result);
}

/* ---- comparison ---- */

/* x := X x modulo X^j - d. */
static void modulus_check_turn(const gfp_gpu_modular *w, uint64_t *x, uint64_t d)
{
    const gfp_field *field = w->M->ring->field;
    const size_t k = w->M->ring->k, j = w->at.block;
    uint64_t top[GFP_MAX_K], point[GFP_MAX_K];
    gfp_elem_set_u64(field, point, d);
    gfp_elem_mul(field, top, x + (j - 1) * k, point);
    memmove(x + k, x, (j - 1) * k * sizeof *x);
    gfp_elem_set(field, x, top);
}

/* Whether a b X^shift = q f + r at point i, from the residues of r and q. */
static gfp_status compare_product(gfp_gpu_modular *w, const gfp_gpu_identity *e,
                                  const uint64_t *residues, unsigned i)
{
    const gfp_field *field = w->M->ring->field;
    const gfp_gpu_ring *ring = w->M->ring;
    const size_t j = w->at.block, words = residue_words(w);
    uint64_t *left = w->x, *right = w->x + words, *r = gfp_gpu_modular_residues(w, e->r, i);
    const uint64_t *a = gfp_gpu_modular_residues(w, e->a, i),
                   *b = gfp_gpu_modular_residues(w, e->b, i);
    GFP_TRY(gfp_gpu_residues_multiply(ring, left, a, b, j, w->d[i]));
    if (e->shift != 0) {
        modulus_check_turn(w, left, w->d[i]);
    }
    GFP_TRY(gfp_gpu_residues_multiply(ring, right, residues + words,
                                      gfp_gpu_modular_residues(w, GFP_GPU_VALUE_F, i), j, w->d[i]));
    gfp_vec_add(field, right, right, residues, j);
    gfp_vec_set(field, r, residues, j);
    return gfp_vec_equal(field, left, right, j)
               ? GFP_OK
               : gfp_error_set(&w->op->base.error, GFP_ERR_VERIFY, "a product modulo f is wrong");
}

static gfp_status compare_at(gfp_gpu_modular *w, const gfp_gpu_identity *e,
                             const uint64_t *residues, unsigned i)
{
    const gfp_field *field = w->M->ring->field;
    const size_t j = w->at.block;
    uint64_t *r = gfp_gpu_modular_residues(w, e->r, i);
    switch (e->kind) {
    case GFP_GPU_IDENTITY_PRODUCT:
        return compare_product(w, e, residues, i);
    case GFP_GPU_IDENTITY_VALUE:
        gfp_vec_set(field, r, residues, j);
        return GFP_OK;
    case GFP_GPU_IDENTITY_SUM:
        gfp_vec_add(field, r, gfp_gpu_modular_residues(w, e->a, i),
                    gfp_gpu_modular_residues(w, e->b, i), j);
        return GFP_OK;
    case GFP_GPU_IDENTITY_RESULT:
        break;
    }
    return gfp_vec_equal(field, r, residues, j)
               ? GFP_OK
               : gfp_error_set(&w->op->base.error, GFP_ERR_VERIFY, "a sum modulo f is wrong");
}

/* The places where the device found an element that is not canonical: of the result, of the
 * quotient. */
static bool entry_canonical(const gfp_gpu_modular *w, const gfp_gpu_identity *e,
                            const uint64_t *place)
{
    const bool product = e->kind == GFP_GPU_IDENTITY_PRODUCT;
    return !((product || e->kind == GFP_GPU_IDENTITY_RESULT) && place[0] != w->M->n) &&
           !(product && place[2] != w->M->n);
}

static gfp_status compare_entry(gfp_gpu_modular *w, size_t number)
{
    const gfp_gpu_identity *e = &w->waiting[number];
    const uint64_t *entry = w->host + number * w->entry;
    if (!entry_canonical(w, e, entry + w->at.points * fold_words(w))) {
        return gfp_error_set(&w->op->base.error, GFP_ERR_VERIFY,
                             "a product modulo f is not canonical");
    }
    for (unsigned i = 0; i < w->at.points; i++) {
        GFP_TRY(compare_at(w, e, entry + i * fold_words(w), i));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_modular_compare(gfp_gpu_modular *w)
{
    const size_t count = w->count;
    if (count == 0) {
        return GFP_OK;
    }
    w->count = 0;
    GFP_TRY(gfp_gpu_wait(w->M->ring->gpu, NULL));
    gfp_call_checks(&w->op->base);
    gfp_status status = gfp_gpu_download(w->host, w->M->log, 0, count * w->entry, NULL);
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        status = compare_entry(w, i);
    }
    gfp_call_checked(&w->op->base);
    return status;
}
