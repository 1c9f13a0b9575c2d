/* batch.c: the check of some products of a batch by one combined value (claim.h).
 *
 * For random digits e and d, the sums of c_i e^i and of a_i b_i e^i are compared modulo X^j - d.
 * The first sum is one folding: the products are its rows. Of the second one the residues of the
 * factors are folded, lanes taking several products each, and multiplied by the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "field/base/kernels.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* The most products and rows of j coefficients together. */
#define ROWS ((size_t)(1 << 8) + 1)
/* The most digits of a residue, whose products are computed by the definition. */
#define MOST_DIGITS 2048

typedef struct combined {
    const gfp_batch_claim *claim;
    const gfp_kernels *kernels;
    size_t j, length; /* of a residue; of a product */
    uint64_t e, d;
    /* The residues of the factors (b = a for squares) and their products, one after the other; the
     * sum of these, and its residue; the sum of the products, and its residue. */
    uint64_t *a, *b, *products, *sum, *right, *combination, *left;
} combined;

bool gfp_verify_folds(const gfp_field *field)
{
    const uint64_t r = gfp_field_r(field);
    return r >= GFP_FOLD_R_MIN && r <= GFP_FOLD_R_MAX;
}

gfp_fold_shape gfp_verify_batch_shape(const gfp_batch *batch)
{
    const size_t length = batch->len_a + batch->len_b - 1;
    return (gfp_fold_shape){.alone = (double)length,
                            .together =
                                (double)(batch->len_a + batch->len_b) * (double)batch->count,
                            .count = batch->count,
                            .length = length,
                            .factor = batch->len_a > batch->len_b ? batch->len_a : batch->len_b,
                            .further = batch->count - 1};
}

/* A digit takes fold the same time from fold_columns on, and longer in proportion where there are
 * fewer. A product of digits in that of two residues takes PAIR_TIME of the time of a digit in full
 * lanes.
 *
 * A j of both lengths and more would compare the product by the definition with itself. */
#define PAIR_TIME 0.7
size_t gfp_verify_columns(const gfp_field *field, const gfp_fold_shape *shape)
{
    const size_t k = gfp_field_k(field), most = gfp_field_kernels(field)->fold_columns;
    const size_t least = (shape->length - 1) / (ROWS - shape->further) + 1;
    const double columns = (double)most, count = (double)shape->count;
    size_t best = (least - 1) / most * most + most;
    double time = HUGE_VAL;
    for (size_t j = 1; j <= most && best <= most; j *= 2) {
        const double t = shape->together * (double)k * fmax(1, columns / (count * (double)j)) +
                         shape->alone * (double)k * columns / (double)j +
                         PAIR_TIME * count * (double)(j * j * k * k);
        if (j >= least && (j == 1 || j < shape->factor) && t < time) {
            time = t;
            best = j;
        }
    }
    return best;
}

static bool is_square(const gfp_batch_claim *claim)
{
    const gfp_batch *batch = &claim->batch;
    return claim->a == claim->b && batch->len_a == batch->len_b &&
           batch->stride_a == batch->stride_b;
}

/* The areas from work on, or where work is NULL only their words. */
static size_t divide_area(combined *w, uint64_t *work)
{
    const size_t k = gfp_field_k(w->claim->field), count = w->claim->batch.count;
    const size_t residue = w->j * k, product = (2 * w->j - 1) * k;
    uint64_t **const areas[] = {&w->a,     &w->b,           &w->products, &w->sum,
                                &w->right, &w->combination, &w->left};
    const size_t words[] = {count * residue, is_square(w->claim) ? 0 : count * residue,
                            count * product, product,
                            residue,         count == 1 ? 0 : w->length * k,
                            residue};
    size_t total = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *areas[i] = work == NULL ? NULL : work + total;
        total += words[i];
    }
    return total;
}

bool gfp_verify_batch_plan(gfp_batch_plan *plan, const gfp_batch_claim *claim)
{
    const gfp_batch *batch = &claim->batch;
    const gfp_fold_shape shape = gfp_verify_batch_shape(batch);
    combined w = {.claim = claim,
                  .j = gfp_verify_columns(claim->field, &shape),
                  .length = batch->len_a + batch->len_b - 1};
    const size_t roots = batch->count - 1 + (w.length - 1) / w.j;
    if (!gfp_verify_folds(claim->field) || w.length == 1 ||
        w.j > MOST_DIGITS / gfp_field_k(claim->field)) {
        return false;
    }
    *plan = (gfp_batch_plan){.count = batch->count,
                             .j = w.j,
                             .words = divide_area(&w, NULL),
                             .log2_error = (int)gfp_log2_above(roots) - GFP_FOLD_BITS};
    return true;
}

/* The products of the residues, and their sum. */
static void multiply_residues(const combined *w)
{
    const gfp_field *field = w->claim->field;
    const size_t k = gfp_field_k(field), count = w->claim->batch.count, j = w->j;
    const uint64_t *b = is_square(w->claim) ? w->a : w->b;
    const gfp_folding all = {
        .x = w->products, .len = count * (2 * j - 1), .count = 1, .j = 2 * j - 1, .d = w->e};
    for (size_t i = 0; i < count && j > 1; i++) {
        w->kernels->convolve(field, w->products + i * (2 * j - 1) * k, w->a + i * j * k, j,
                             b + i * j * k, j, 0, 2 * j - 1);
    }
    if (j == 1) {
        w->kernels->mul(field, w->products, w->a, k, b, k, 0, count);
    }
    (void)w->kernels->fold(field, w->sum, 2 * j - 1, &all);
}

/* Whether the products are canonical, which a digit of r leaves open. */
static bool products_canonical(const combined *w)
{
    const gfp_batch *batch = &w->claim->batch;
    const size_t step = batch->stride_c * gfp_field_k(w->claim->field);
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t *c = w->claim->c + i * step;
        if (gfp_vec_canonical(w->claim->field, c, w->length) < w->length) {
            return false;
        }
    }
    return true;
}

/* Whether the products are canonical, and both sums agree. */
static bool sums_agree(const combined *w)
{
    const gfp_field *field = w->claim->field;
    const gfp_batch *batch = &w->claim->batch;
    const size_t j = w->j, count = batch->count;
    const gfp_folding a = {w->claim->a, batch->len_a, count, batch->stride_a, j, w->d};
    const gfp_folding b = {w->claim->b, batch->len_b, count, batch->stride_b, j, w->d};
    const gfp_folding c = {.x = w->claim->c,
                           .len = (count - 1) * batch->stride_c + w->length,
                           .count = 1,
                           .j = batch->stride_c,
                           .d = w->e};
    const uint64_t *combination = count == 1 ? w->claim->c : w->combination;
    const gfp_folding left = {combination, w->length, 1, 0, j, w->d};
    const gfp_folding right = {w->sum, 2 * j - 1, 1, 0, j, w->d};
    if (count > 1 && !w->kernels->fold(field, w->combination, w->length, &c) &&
        !products_canonical(w)) {
        return false;
    }
    (void)w->kernels->fold(field, w->a, j, &a);
    if (!is_square(w->claim)) {
        (void)w->kernels->fold(field, w->b, j, &b);
    }
    multiply_residues(w);
    (void)w->kernels->fold(field, w->right, j, &right);
    const bool small = w->kernels->fold(field, w->left, j, &left);
    return (count > 1 || small || products_canonical(w)) &&
           gfp_vec_equal(field, w->left, w->right, j);
}

bool gfp_verify_batch(const gfp_batch_claim *claim, const gfp_batch_plan *plan, uint64_t seed,
                      uint64_t *work)
{
    combined w = {.claim = claim,
                  .kernels = gfp_field_kernels(claim->field),
                  .j = plan->j,
                  .length = claim->batch.len_a + claim->batch.len_b - 1};
    gfp_random g;
    gfp_random_seed(&g, seed);
    w.e = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
    w.d = gfp_random_below(&g, (uint64_t)1 << GFP_FOLD_BITS);
    const size_t words = divide_area(&w, work);
    GFP_CONTRACT(claim->batch.count <= plan->count && words <= plan->words);
    (void)words;
    return sums_agree(&w);
}
