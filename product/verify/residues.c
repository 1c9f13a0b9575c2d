/* residues.c: the check of an identity modulo X^j - d (claim.h). Residues are sums of products of
 * coefficients by digits (gfp_kernels.fold), and short.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "field/base/work.h"
#include "product/verify/claim.h"
#include "product/verify/fold.h"

/* The share of the check before the products of residues. */
#define FOLD_SHARE 0.9

/* A term by its polynomials; b = NULL: a alone. */
typedef struct residue_term {
    gfp_residue *a, *b;
    size_t shift;
    bool twice, minus;
} residue_term;

typedef struct residues {
    const gfp_identity *identity;
    gfp_residue_ring ring;
    size_t words; /* of the area */
    gfp_residue poly[2 * GFP_IDENTITY_TERMS];
    residue_term term[GFP_IDENTITY_TERMS];
    size_t polys, terms;
    uint64_t *product, *reduced, *sum; /* 2 j, j and j elements */
} residues;

/* ---- the polynomials ---- */

/* The polynomial with these coefficients, which terms share. */
static gfp_residue *find_polynomial(residues *w, const uint64_t *x, size_t len)
{
    size_t i = 0;
    while (i < w->polys && (w->poly[i].x != x || w->poly[i].len != len)) {
        i++;
    }
    if (i == w->polys) {
        w->poly[w->polys++] = (gfp_residue){.x = x, .len = len};
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

/* Whether products of residues have a method. */
static bool choose_method(residues *w, const gfp_task *task)
{
    size_t a = 0, b = 0;
    for (size_t i = 0; i < w->terms; i++) {
        if (w->term[i].b != NULL) {
            const size_t len_a = gfp_residue_length(&w->ring, w->term[i].a->len);
            const size_t len_b = gfp_residue_length(&w->ring, w->term[i].b->len);
            a = len_a > a ? len_a : a;
            b = len_b > b ? len_b : b;
        }
    }
    return gfp_residue_choose(&w->ring, w->identity->used, a, b, task);
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
    w->ring.field = field;
    w->ring.tuning = w->identity->tuning;
    w->ring.j = gfp_verify_columns(field, &shape);
    w->words = (w->polys + 4) * w->ring.j * gfp_field_k(field);
    const size_t bytes = w->words <= GFP_STACK_WORDS ? 0 : gfp_work_bytes(w->words);
    if (cap != 0 && cap <= bytes) {
        return false;
    }
    w->ring.cap = cap == 0 ? 0 : cap - bytes;
    return choose_method(w, task);
}

/* ---- sums of products of residues ---- */

/* reduced := the residue of the product of a term, of min(j, all) coefficients; *n: their number.
 */
static gfp_status multiply_residues(const residues *w, const residue_term *t, size_t *n,
                                    gfp_task *task)
{
    const gfp_residue_ring *ring = &w->ring;
    const gfp_range range =
        gfp_range_whole(ring->field, t->a->y, gfp_residue_length(ring, t->a->len), t->b->y,
                        gfp_residue_length(ring, t->b->len));
    const gfp_folding product = {
        .x = w->product, .len = range.end, .count = 1, .j = ring->j, .d = ring->d};
    GFP_TRY(gfp_residue_multiply(ring, w->product, &range, task));
    *n = gfp_residue_length(ring, t->a->len + t->b->len - 1);
    (void)gfp_field_kernels(ring->field)->fold(ring->field, w->reduced, *n, &product);
    return GFP_OK;
}

/* Adds a term to the sum. */
static gfp_status add_term(residues *w, const residue_term *t, gfp_task *task)
{
    const gfp_kernels *kernels = gfp_field_kernels(w->identity->field);
    const uint64_t *x = t->a->y;
    size_t n = gfp_residue_length(&w->ring, t->a->len);
    if (t->b != NULL) {
        GFP_TRY(multiply_residues(w, t, &n, task));
        x = w->reduced;
    }
    if (t->shift > 0) {
        gfp_residue_shift(&w->ring, w->product, x, n, t->shift);
        x = w->product;
        n = w->ring.j;
    }
    for (unsigned times = t->twice ? 2 : 1; times > 0; times--) {
        (t->minus ? kernels->sub : kernels->add)(w->identity->field, w->sum, w->sum, x, n);
    }
    return GFP_OK;
}

static gfp_status add_terms(residues *w, gfp_task *task)
{
    const gfp_field *field = w->identity->field;
    gfp_vec_zero(field, w->sum, w->ring.j);
    for (size_t i = 0; i < w->terms; i++) {
        const double share = (double)(i + 1) / (double)w->terms;
        if (!gfp_task_span(task, FOLD_SHARE + (1 - FOLD_SHARE) * share, 1, 1)) {
            return GFP_ERR_CANCELLED;
        }
        GFP_TRY(add_term(w, &w->term[i], task));
    }
    for (size_t i = 0; i < w->ring.j; i++) {
        if (!gfp_elem_is_zero(field, w->sum + i * gfp_field_k(field))) {
            return GFP_ERR_VERIFY;
        }
    }
    return GFP_OK;
}

static gfp_status compare_residues(residues *w, gfp_finding *finding, gfp_task *task)
{
    bool large = false;
    GFP_TRY(gfp_residue_fold(&w->ring, w->poly, w->polys, FOLD_SHARE, task));
    for (size_t i = 0; i < w->polys; i++) {
        large = atomic_load_explicit(&w->poly[i].large, memory_order_relaxed) || large;
    }
    finding->wrong = large ? gfp_identity_wrong(w->identity) : GFP_NO_INDEX;
    return finding->wrong != GFP_NO_INDEX ? GFP_ERR_VERIFY : add_terms(w, task);
}

/* ---- the check ---- */

static gfp_status check_in(residues *w, uint64_t *area, gfp_finding *finding, gfp_task *task)
{
    const size_t each = w->ring.j * gfp_field_k(w->identity->field);
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
    const size_t roots = (gfp_identity_length(identity) - 1) / w.ring.j;
    gfp_random_seed(&g, seed);
    w.ring.d = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
    *finding = (gfp_finding){.points = 1,
                             .j = w.ring.j,
                             .log2_error = (int)gfp_log2_above(roots) - GFP_FOLD_BITS,
                             .wrong = GFP_NO_INDEX};
    const gfp_status status = residues_check(&w, finding, task);
    return status == GFP_OK || status == GFP_ERR_VERIFY || status == GFP_ERR_CANCELLED
               ? status
               : GFP_ERR_UNAVAILABLE;
}
