/* claim.h: checks of products and of other results: at random points, or by a second method.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_VERIFY_CLAIM_H
#define GFP_PRODUCT_VERIFY_CLAIM_H

#include "gfpoly/options.h"
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
/* The claim that c is coefficients range.first <= i < range.end of a b; first < end <= len_a +
 * len_b
 * - 1. */
typedef struct gfp_claim {
    gfp_range range;
    const uint64_t *c;
    const gfp_method *used;   /* the row that computed it; may be NULL */
    const gfp_method *second; /* of a check by a second method; NULL: the check chooses it */
    const gfp_tuning *tuning; /* for the choice of a second method; may be NULL */
    size_t cap;               /* bytes of work space of the check; 0: no cap */
} gfp_claim;
/* Whether all coefficients of c are canonical, which other checks assume. Errors: VERIFY. */
gfp_status gfp_verify_canonical(const gfp_claim *claim, gfp_error *error);
/* Whether c is canonical, and equal to a b modulo X^j - d, for a random digit d < 2^48 and len_c /
 * j <= 2^8. They differ by a polynomial of degree < len_c; X^j - d divides it for at most len_c / j
 * of the 2^48 digits unless it is 0, since these moduli are coprime. So wrong products pass with
 * probability <= 2^*log2_error <= 2^-40. Spans one part of task. Errors: UNAVAILABLE, with
 * no message and nothing done: the claim is of a part, or of factors of one coefficient; the
 * field is none of gfp_kernels.fold; or the cap leaves no room for 5 j elements and for the product
 * of two residues (a cap of 1 leaves what is on the stack). VERIFY, MEMORY, CANCELLED, and those of
 * that product. Cost: k products of digits for each coefficient, and that product. */
gfp_status gfp_verify_residues(const gfp_claim *claim, uint64_t seed, int *log2_error,
                               gfp_task *task, gfp_error *error);
/* Whether r is one of gfp_kernels.fold. */
bool gfp_verify_folds(const gfp_field *field);
/* The j of the fastest check of batch->count products modulo X^j - d, with at most 2^8 + 1 -
 * batch->count rows: a power of two up to gfp_kernels.fold_columns, or a multiple of that; less
 * than the longer factor's length unless that is 1. */
size_t gfp_verify_columns(const gfp_field *field, const gfp_batch *batch);
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
