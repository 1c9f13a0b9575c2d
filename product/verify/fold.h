/* fold.h: residues of polynomials modulo X^j - d for a digit d < 2^GFP_FOLD_BITS, and their
 * arithmetic. Fields: those of gfp_verify_folds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_VERIFY_FOLD_H
#define GFP_PRODUCT_VERIFY_FOLD_H

#include <stdatomic.h>

#include "product/methods/row.h"
#include "field/base/parallel.h"

/* The ring, and how products of two residues are computed: by the definition where that takes at
 * most 2^16 products of digits; others by this row within cap bytes (0: no cap). */
typedef struct gfp_residue_ring {
    const gfp_field *field;
    size_t j;
    uint64_t d;
    const gfp_method *method; /* NULL: there are no others */
    const gfp_tuning *tuning; /* may be NULL */
    size_t cap;
} gfp_residue_ring;

typedef struct gfp_residue {
    const uint64_t *x; /* of len elements */
    uint64_t *y;       /* its residue, min(len, j) elements */
    size_t len;
    atomic_bool large; /* a digit of x is not below r */
} gfp_residue;

static inline size_t gfp_residue_length(const gfp_residue_ring *w, size_t len)
{
    return len < w->j ? len : w->j;
}

/* Sets w->method for products of residues of len_a by len_b coefficients: a row of another family
 * than `used` (may be NULL). False: there is none. */
bool gfp_residue_choose(gfp_residue_ring *w, const gfp_method *used, size_t len_a, size_t len_b,
                        const gfp_task *task);
/* The residues of count polynomials by the task's threads, and whether their digits are below r.
 * Spans the part of the task up to the fraction `to`. Errors: CANCELLED. */
gfp_status gfp_residue_fold(const gfp_residue_ring *w, gfp_residue *x, size_t count, double to,
                            gfp_task *task);
/* product := a b, len_a + len_b - 1 elements, not reduced; no length is above j. Errors: those of
 * the row. */
gfp_status gfp_residue_multiply(const gfp_residue_ring *w, uint64_t *product, const gfp_range *ab,
                                gfp_task *task);
/* z, j elements, := the n <= j elements of x times X^shift. z overlaps nothing. */
void gfp_residue_shift(const gfp_residue_ring *w, uint64_t *z, const uint64_t *x, size_t n,
                       size_t shift);

#endif
