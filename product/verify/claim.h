/* claim.h: checks of products and of other results: at random points, or by a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_VERIFY_CLAIM_H
#define GFP_PRODUCT_VERIFY_CLAIM_H

#include "gfpoly/options.h"
#include "field/base/call.h"
#include "gfpoly/product.h"
#include "product/methods/row.h"

/* A random seed from the system. Errors: UNAVAILABLE. */
gfp_status gfp_system_seed(uint64_t *seed, gfp_error *error);
/* The number of random points that check len_c coefficients of a product, and the log2 of the
 * probability that wrong ones pass; 0: too many points, compute them a second time. */
unsigned gfp_verify_points(const gfp_field *field, size_t len_c, int *log2_error);
/* draw: d := `points` random points. evaluate: y := x(d) for len coefficients; a unit of the task
 * is k digit products; false: cancelled. */
void gfp_verify_draw(const gfp_field *field, uint64_t *d, unsigned points, uint64_t seed);
bool gfp_verify_evaluate(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t len,
                         uint64_t d, gfp_task *task);
/* y := the value at d of coefficients first <= i < end of a product, coefficient `first` being the
 * constant term; first < end <= len_a + len_b - 1. Counts gfp_verify_range_units units; false:
 * cancelled. Cost: the values of both factors, and a general product and two steps of Horner's rule
 * for each pair of coefficients whose product belongs to X^first, where first > 0, or to X^end. */
bool gfp_verify_evaluate_range(uint64_t *y, const gfp_range *range, uint64_t d, gfp_task *task);
double gfp_verify_range_units(const gfp_range *range);
/* ---- identities ---- */

/* A term: the product times X^shift, of coefficients product.first <= i < product.end of a b, with
 * coefficient `first` as the constant term; b = NULL with len_b = 1: the polynomial 1. twice: the
 * term counts twice. minus: it is subtracted. result: a or b was computed, so that the coefficients
 * of both must be canonical; those of other terms are. A term with a factor of no coefficients is
 * 0. */
typedef struct gfp_term {
    gfp_range product;
    size_t shift;
    bool twice, minus, result;
} gfp_term;

/* The identity that the sum of the terms is 0; its constant term is called coefficient `first` in
 * messages. The members from `used` on are as in gfp_claim. */
#define GFP_IDENTITY_TERMS 8
typedef struct gfp_identity {
    const gfp_field *field;
    gfp_term term[GFP_IDENTITY_TERMS];
    size_t count, first;
    const gfp_method *used;
    const gfp_tuning *tuning;
    size_t cap;
} gfp_identity;

/* Adds the term a b and returns it; b = NULL with len_b = 1: the polynomial 1. */
gfp_term *gfp_identity_add(gfp_identity *w, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b);
/* The coefficients of the longest term; 0: no term has any. */
size_t gfp_identity_length(const gfp_identity *w);
/* The place of a coefficient that is not canonical in its polynomial, of the terms that are
 * results; GFP_NO_INDEX: there is none. */
uint64_t gfp_identity_wrong(const gfp_identity *w);

/* What a check found: the points, or the number of moduli, which is 1; j of X^j - d, or 0 at
 * points; the log2 of the probability that a wrong identity passes; after VERIFY a coefficient that
 * is not canonical, or GFP_NO_INDEX. */
typedef struct gfp_finding {
    unsigned points;
    size_t j;
    int log2_error;
    uint64_t wrong;
} gfp_finding;

/* Checks an identity modulo X^j - d for a random digit d, or, where that does not serve
 * (gfp_verify_residues), at random points, j = 0. The sum of the terms has degree < len, so that a
 * wrong identity passes with probability <= 2^log2_error <= 2^-40. Spans one part of task (may be
 * NULL). seed = 0: from the system. Errors: UNAVAILABLE (the field has too few points, or the
 * system gives no seed), VERIFY, with no message, CANCELLED. */
gfp_status gfp_verify_identity(const gfp_identity *w, uint64_t seed, gfp_finding *finding,
                               gfp_task *task, gfp_error *error);
/* The same modulo X^j - d alone, for gfp_verify_columns's j: X -> X modulo X^j - d maps sums and
 * products to sums and products of polynomials of j coefficients. The X^j - d are coprime, so that
 * one of the 2^48 divides a sum that is not 0 for at most len / j <= 2^8 digits d. Products of
 * residues are computed by the definition where that takes at most 2^16 products of digits, else by
 * a method of another family than w->used. Errors: UNAVAILABLE: a term is a part of a product; the
 * longest term has one coefficient; the field is none of gfp_kernels.fold; or there is no memory,
 * in the cap (a cap of 1 leaves what is on the stack), for a residue of each polynomial, four
 * further ones and the products. VERIFY, CANCELLED. Cost: k products of digits for each coefficient
 * of each polynomial, and the products. */
gfp_status gfp_verify_residues(const gfp_identity *w, uint64_t seed, gfp_finding *finding,
                               gfp_task *task);
/* Whether r is one of gfp_kernels.fold. */
bool gfp_verify_folds(const gfp_field *field);
/* What a check modulo X^j - d takes: `alone` coefficients are folded into j columns, `together`
 * ones into j columns of each of `count` products at once; then `count` products of two residues.
 * The longest term has `length` coefficients, the longest factor `factor`; the sum of them is a
 * polynomial in a second digit of degree `further`. */
typedef struct gfp_fold_shape {
    double alone, together;
    size_t count, length, factor, further;
} gfp_fold_shape;
gfp_fold_shape gfp_verify_batch_shape(const gfp_batch *batch);
/* The j of the fastest check with at most 2^8 - further rows: a power of two up to
 * gfp_kernels.fold_columns, or a multiple of that; less than `factor` unless that is 1. */
size_t gfp_verify_columns(const gfp_field *field, const gfp_fold_shape *shape);

/* ---- the default ---- */

/* The rule of GFP_VERIFY_DEFAULT (gfpoly/options.h). A check modulo X^j - d takes at most about a
 * fifth of a product whose factors have GFP_DEFAULT_FACTOR coefficients each, and of other calls
 * whose length (gfp_poly_call, poly/call.h) is GFP_DEFAULT_LENGTH. */
#define GFP_DEFAULT_FACTOR 512
#define GFP_DEFAULT_LENGTH 1024
/* Makes a call that is long enough check its result, if the kind of check is the library's choice:
 * over the fields of gfp_verify_folds, and without a memory_cap. */
void gfp_default_check(gfp_call *call, const gfp_field *field);
/* The same for a product, or a batch of such products, that is whole and long enough; device: the
 * method runs on a device. */
void gfp_default_product(gfp_call *call, const gfp_range *range, bool device);

/* ---- products ---- */

/* The claim that c is coefficients range.first <= i < range.end of a b; first < end <= len_a +
 * len_b - 1. */
typedef struct gfp_claim {
    gfp_range range;
    const uint64_t *c;
    const gfp_method *used;   /* the row that computed it; may be NULL */
    const gfp_method *second; /* of a check by a second method; NULL: the check chooses it */
    const gfp_tuning *tuning; /* for the choice of a second method; may be NULL */
    size_t cap;               /* bytes of work space of the check; 0: no cap */
} gfp_claim;
/* The claim that c_i = a_i b_i for i < count <= GFP_VERIFY_TOGETHER; no stride is 0. */
#define GFP_VERIFY_TOGETHER 32
typedef struct gfp_batch_claim {
    const gfp_field *field;
    const uint64_t *a, *b, *c;
    gfp_batch batch;
} gfp_batch_claim;
/* How claims of at most `count` products of a batch are checked: j, the words of work space, and
 * the log2 of the probability that wrong products pass, at most -40. */
typedef struct gfp_batch_plan {
    size_t count, j, words;
    int log2_error;
} gfp_batch_plan;
/* Plans for claims of up to claim->batch.count products. False: the check does not serve (the field
 * is none of gfp_kernels.fold, both factors have one coefficient, or they are long). */
bool gfp_verify_batch_plan(gfp_batch_plan *plan, const gfp_batch_claim *claim);
/* Whether all c_i are canonical, and a random combination of them equal to that of the a_i b_i
 * modulo X^j - d. For products with a wrong coefficient at least one coefficient of the difference
 * of the combinations is a polynomial in the digit e of degree < count that is not 0: e is a root
 * with probability <= (count - 1) / 2^48. The rest is as in gfp_verify_residues. Cost: k products
 * of digits for each coefficient, and j^2 products of elements for each product. */
bool gfp_verify_batch(const gfp_batch_claim *claim, const gfp_batch_plan *plan, uint64_t seed,
                      uint64_t *work);
/* Checks a claim; `how` is POINT or CROSS. Fills verified, cross_method, points, log2_error of
 * *report on OK and VERIFY; error->index is a place in the product. Spans one part of task (may be
 * NULL). Errors: VERIFY, those of gfp_request_second, SIZE, MEMORY, CANCELLED, and the second
 * method's. */
gfp_status gfp_verify_product(const gfp_claim *claim, gfp_verify how, uint64_t seed,
                              gfp_report *report, gfp_task *task, gfp_error *error);

#endif
