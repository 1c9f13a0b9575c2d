/* chain.c: see chain.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/chain.h"

#include <string.h>

#include "field/base/contract.h"
#include "field/base/kernels.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* The share of folds in a step of the check. */
#define FOLD_SHARE 0.8

static uint64_t random_digit(gfp_chain *w)
{
    return gfp_random_below(&w->weights, (uint64_t)1 << GFP_FOLD_BITS);
}

/* Adds the time of a step, from `start` on, to that of checks. */
static gfp_status count_time(gfp_operation_call *op, uint64_t start, gfp_status status)
{
    op->base.report.verify_ns += gfp_clock_ns() - start;
    return status;
}

/* Products of residues keep to what is left of the cap now. */
static void limit_products(const gfp_operation_call *op, gfp_chain *w)
{
    const size_t left = op->base.left;
    w->ring.cap = left == SIZE_MAX ? 0 : left > 0 ? left : 1;
}

/* ---- begin ---- */

/* Sets j; whether the check serves. The longest terms are a b X^shift, r X^N and q f, all of up to
 * length coefficients. */
static bool chain_serves(const gfp_operation_call *op, gfp_chain *w, const gfp_modulus *M)
{
    const size_t n = M->divisor.n, length = n + (w->N > 0 ? w->N : n);
    const gfp_fold_shape shape = {
        .alone = (double)length, .count = 1, .length = length, .factor = n, .further = 1};
    if (n < 2 || !gfp_verify_folds(op->field)) {
        return false;
    }
    w->ring = (gfp_residue_ring){.field = op->field, .tuning = op->base.options->tuning};
    w->ring.j = gfp_verify_columns(op->field, &shape);
    w->log2_error = (int)gfp_log2_above((length - 1) / w->ring.j + 1) - GFP_FOLD_BITS;
    limit_products(op, w);
    return gfp_residue_choose(&w->ring, op->method, w->ring.j, w->ring.j, &op->base.task);
}

gfp_status gfp_chain_array(gfp_operation_call *op, const gfp_chain *w, uint64_t **residue)
{
    GFP_TRY(gfp_operation_array(op, residue, w->ring.j));
    gfp_vec_zero(op->field, *residue, w->ring.j);
    return GFP_OK;
}

static gfp_status make_arrays(gfp_operation_call *op, gfp_chain *w)
{
    GFP_TRY(gfp_chain_array(op, w, &w->f));
    GFP_TRY(gfp_operation_array(op, &w->sum, 8 * w->ring.j));
    GFP_TRY(gfp_operation_array(op, &w->next, 8 * w->ring.j));
    gfp_vec_zero(op->field, w->sum, 8 * w->ring.j);
    gfp_vec_zero(op->field, w->next, 8 * w->ring.j);
    return GFP_OK;
}

static gfp_status enter_residue(gfp_operation_call *op, gfp_chain *w, uint64_t *residue,
                                const uint64_t *x, size_t n)
{
    gfp_residue one = {.x = x, .y = residue, .len = n};
    if (n == 0) {
        gfp_vec_zero(op->field, residue, w->ring.j);
        return GFP_OK;
    }
    gfp_operation_part(op, 0);
    return gfp_residue_fold(&w->ring, &one, 1, 1, &op->base.task);
}

static gfp_status chain_begin(gfp_operation_call *op, gfp_chain *w, bool *begun,
                              const gfp_modulus *M)
{
    const bool capped = op->base.left != SIZE_MAX;
    uint64_t seed;
    if (!chain_serves(op, w, M)) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = make_arrays(op, w);
    if (status == GFP_ERR_MEMORY && capped) {
        gfp_operation_release(op, mark);
        op->base.refused = 0;
        return GFP_OK;
    }
    GFP_TRY(status);
    GFP_TRY(gfp_operation_seed(op, &seed));
    gfp_random_seed(&w->weights, seed);
    w->ring.d = random_digit(w);
    *begun = true;
    return enter_residue(op, w, w->f, M->f.digits, M->f.len);
}

gfp_status gfp_chain_begin(gfp_operation_call *op, gfp_chain *w, bool *begun, const gfp_modulus *M,
                           size_t N)
{
    *begun = false;
    *w = (gfp_chain){.N = N};
    if (op->base.options->verify != GFP_VERIFY_POINT) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    return count_time(op, start, chain_begin(op, w, begun, M));
}

/* ---- products ---- */

gfp_status gfp_chain_enter(gfp_operation_call *op, gfp_chain *w, uint64_t *residue,
                           const uint64_t *x, size_t n)
{
    const uint64_t start = gfp_clock_ns();
    return count_time(op, start, enter_residue(op, w, residue, x, n));
}

/* The residue of X times q modulo X^N - 1 from that of all but the last coefficient. */
static void turn_residue(const gfp_chain *w, uint64_t *y, const uint64_t *last)
{
    const gfp_field *field = w->ring.field;
    const size_t k = gfp_field_k(field), j = w->ring.j;
    uint64_t d[GFP_MAX_K], top[GFP_MAX_K];
    gfp_elem_set_u64(field, d, w->ring.d);
    gfp_elem_mul(field, top, y + (j - 1) * k, d);
    memmove(y + k, y, (j - 1) * k * sizeof *y);
    gfp_elem_add(field, y, top, last);
}

/* The residues of r and q behind the sums. VERIFY: a coefficient is not canonical. */
static gfp_status fold_results(gfp_operation_call *op, gfp_chain *w, const gfp_chain_product *p)
{
    const size_t k = gfp_field_k(op->field), j = w->ring.j;
    uint64_t *r = w->sum + 6 * j * k, *q = r + j * k;
    const size_t len_q = p->turned ? p->q.len - 1 : p->q.len;
    gfp_residue x[] = {{.x = p->r.digits, .y = r, .len = p->r.len},
                       {.x = p->q.digits, .y = q, .len = len_q}};
    gfp_vec_zero(op->field, r, 2 * j);
    gfp_operation_part(op, op->check_units);
    GFP_TRY(gfp_residue_fold(&w->ring, x, len_q > 0 ? 2 : 1, FOLD_SHARE, &op->base.task));
    for (size_t i = 0; i < 2; i++) {
        const gfp_series all = i == 0 ? p->r : p->q;
        const bool large = atomic_load_explicit(&x[i].large, memory_order_relaxed);
        const size_t from = large ? 0 : x[i].len; /* the rest was not folded */
        const size_t wrong =
            from + gfp_vec_canonical(op->field, all.digits + from * k, all.len - from);
        if (wrong < all.len) {
            gfp_operation_count_points(op, 1, w->log2_error);
            return gfp_operation_wrong(op, wrong);
        }
    }
    if (p->turned) {
        turn_residue(w, q, p->q.digits + len_q * k);
    }
    return GFP_OK;
}

/* The product of two residues times X^shift behind the sums. */
static gfp_status multiply_factors(gfp_operation_call *op, const gfp_chain_link *link, size_t shift)
{
    gfp_chain *w = link->chain;
    const size_t k = gfp_field_k(op->field), j = w->ring.j;
    uint64_t *product = w->sum + 4 * j * k; /* of 2 j elements */
    const gfp_range ab = gfp_range_whole(op->field, link->a, j, link->b, j);
    GFP_CONTRACT(shift <= 1);
    limit_products(op, w);
    gfp_vec_zero(op->field, product, shift);
    gfp_vec_zero(op->field, product + (2 * j - 1) * k, 1);
    return gfp_task_span(&op->base.task, 1, 1, 1)
               ? gfp_residue_multiply(&w->ring, product + shift * k, &ab, &op->base.task)
               : GFP_ERR_CANCELLED;
}

/* The sums of the next step: those of this one, and its terms times a random digit. */
static void add_terms(gfp_chain *w)
{
    const gfp_field *field = w->ring.field;
    const size_t width = 4 * w->ring.j;
    const gfp_folding rows = {
        .x = w->sum, .len = 2 * width, .count = 1, .j = width, .d = random_digit(w)};
    uint64_t *sum = w->sum;
    (void)gfp_field_kernels(field)->fold(field, w->next, width, &rows);
    w->sum = w->next;
    w->next = sum;
}

static gfp_status chain_add(gfp_operation_call *op, const gfp_chain_link *link,
                            const gfp_chain_product *p)
{
    gfp_chain *w = link->chain;
    const size_t j = w->ring.j;
    w->products++;
    GFP_TRY(fold_results(op, w, p));
    GFP_TRY(multiply_factors(op, link, p->shift));
    gfp_vec_set(op->field, link->r, w->sum + 6 * j * gfp_field_k(op->field), j);
    add_terms(w);
    return GFP_OK;
}

gfp_status gfp_chain_add(gfp_operation_call *op, const gfp_chain_link *link,
                         const gfp_chain_product *p)
{
    const uint64_t start = gfp_clock_ns();
    return count_time(op, start, chain_add(op, link, p));
}

/* ---- end ---- */

/* Whether the sum of a b X^shift is that of r V plus f times that of q; with N > 0 twice both. */
static gfp_status compare_sums(gfp_operation_call *op, gfp_chain *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), j = w->ring.j;
    uint64_t *product = w->next, *right = w->next + 2 * j * k, *left = right + j * k;
    const uint64_t *r = w->sum + 2 * j * k;
    const gfp_range qf = gfp_range_whole(field, r + j * k, j, w->f, j);
    const gfp_folding sums = {.x = w->sum, .len = 2 * j, .count = 1, .j = j, .d = w->ring.d};
    const gfp_folding multiple = {.x = product, .len = qf.end, .count = 1, .j = j, .d = w->ring.d};
    gfp_operation_part(op, 0);
    limit_products(op, w);
    GFP_TRY(gfp_residue_multiply(&w->ring, product, &qf, &op->base.task));
    (void)gfp_field_kernels(field)->fold(field, right, j, &multiple);
    (void)gfp_field_kernels(field)->fold(field, left, j, &sums);
    if (w->N > 0) { /* here q is the negative of the chain's */
        gfp_vec_add(field, left, left, right, j);
        gfp_vec_add(field, left, left, left, j);
        gfp_residue_shift(&w->ring, product, r, j, w->N);
        gfp_vec_sub(field, right, r, product, j);
    } else {
        gfp_vec_add(field, right, right, r, j);
    }
    gfp_operation_count_points(op, 1, w->log2_error);
    return gfp_vec_equal(field, left, right, j) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

gfp_status gfp_chain_end(gfp_operation_call *op, gfp_chain *w)
{
    const uint64_t start = gfp_clock_ns();
    return w->products == 0 ? GFP_OK : count_time(op, start, compare_sums(op, w));
}
