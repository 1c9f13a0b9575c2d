/* ntt.c: transforms and convolutions over word-size primes: the order of the data around the
 * kernels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ntt_impl.h"
#include "support.h"
#include "word.h"

/* ---- transforms; work is an area of n words for Stockham, unused by the other forms ---- */

/* How often Stockham's form moves from one array to the other; see ntt_impl.h. */
static unsigned stockham_moves(const gfp_ntt_plan *plan)
{
    const unsigned small = gfp_ctz64(plan->kernels->lanes);
    return (plan->log2_n - small + 1) / 2 + small;
}

/* y := the tabulated transform of x, in lazy residues, in natural order from natural order. */
static void run_stockham(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, uint64_t *work,
                         const gfp_ntt_powers *table)
{
    const bool even = stockham_moves(plan) % 2 == 0;
    uint64_t *from = even ? y : work;
    uint64_t *other = even ? work : y;
    plan->kernels->enter(&plan->modulus, from, x, plan->n);
    plan->kernels->stockham(&plan->modulus, from, other, plan->n, table);
}

/* The order of Cooley and Tukey: bit reversal, then the levels. */
static void run_dit(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, bool reorder,
                    const gfp_ntt_powers *table)
{
    const gfp_ntt_kernels *k = plan->kernels;
    k->enter(&plan->modulus, y, x, plan->n);
    if (reorder) {
        k->reorder(y, y, plan->log2_n);
    }
    if (plan->form == GFP_NTT_COOLEY_TUKEY) {
        k->dit_jumped(&plan->modulus, y, plan->n, table);
    } else {
        k->dit_tabulated(&plan->modulus, y, plan->n, table);
    }
}

/* The same levels in reverse: natural order in, permuted order out. */
static void run_dif(const gfp_ntt_plan *plan, uint64_t *y)
{
    if (plan->form == GFP_NTT_COOLEY_TUKEY) {
        plan->kernels->dif_jumped(&plan->modulus, y, plan->n, &plan->forward);
    } else {
        plan->kernels->dif_tabulated(&plan->modulus, y, plan->n, &plan->forward);
    }
}

static void run_forward(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                        uint64_t *work)
{
    const gfp_ntt_kernels *k = plan->kernels;
    const bool natural = order == GFP_ORDER_NATURAL;
    /* whether the levels leave the order that was not requested */
    bool reorder = natural;
    if (plan->form == GFP_NTT_BLOCKED) {
        k->blocked(&plan->modulus, y, x, plan->n, 0, &plan->forward);
    } else if (plan->form == GFP_NTT_STOCKHAM) {
        run_stockham(plan, y, x, work, &plan->forward);
        k->leave(&plan->modulus, y, plan->n);
        reorder = !natural;
    } else if (natural) {
        run_dit(plan, y, x, true, &plan->forward);
        k->leave(&plan->modulus, y, plan->n);
        reorder = false;
    } else {
        k->enter(&plan->modulus, y, x, plan->n);
        run_dif(plan, y);
        k->leave(&plan->modulus, y, plan->n);
    }
    if (reorder) {
        k->reorder(y, y, plan->log2_n);
    }
}

static void run_inverse(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order,
                        uint64_t *work)
{
    const gfp_ntt_kernels *k = plan->kernels;
    const gfp_ntt_modulus *modulus = &plan->modulus;
    const bool natural = order == GFP_ORDER_NATURAL;
    if (plan->form == GFP_NTT_STOCKHAM) {
        if (!natural) {
            k->reorder(x, y, plan->log2_n);
            y = x;
        }
        run_stockham(plan, x, y, work, &plan->inverse);
    } else if (plan->form == GFP_NTT_BLOCKED) {
        if (natural) {
            k->reorder(x, y, plan->log2_n);
            y = x;
        }
        k->blocked_inverse(modulus, x, y, plan->n, 0, &plan->inverse);
    } else {
        run_dit(plan, x, y, natural, &plan->inverse);
    }
    k->leave_scaled(modulus, x, plan->n, &plan->scale);
}

/* ---- work areas ---- */

size_t gfp_ntt_workspace(const gfp_ntt_plan *plan)
{
    return plan->form == GFP_NTT_STOCKHAM ? plan->n * sizeof(uint64_t) : 0;
}

size_t gfp_ntt_convolution_workspace(const gfp_ntt_plan *plan)
{
    return gfp_ntt_workspace(plan) + plan->n * sizeof(uint64_t);
}

/* *area := work, or a new block of `bytes` bytes if work is NULL; work_release frees
 * such a block. */
static gfp_status work_get(const gfp_ntt_plan *plan, void *work, size_t bytes, uint64_t **area)
{
    *area = work;
    if (work == NULL && bytes > 0) {
        *area = gfp_allocate(&plan->allocator, bytes, 1);
        return *area != NULL ? GFP_OK : GFP_ERR_MEMORY;
    }
    return GFP_OK;
}

static void work_release(const gfp_ntt_plan *plan, const void *work, size_t bytes, uint64_t *area)
{
    if (work == NULL) {
        gfp_release(&plan->allocator, area, bytes, 1);
    }
}

gfp_status gfp_ntt_forward(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x,
                           gfp_order order, void *work)
{
    uint64_t *area;
    const size_t bytes = gfp_ntt_workspace(plan);
    GFP_TRY(work_get(plan, work, bytes, &area));
    const int rounding = gfp_rounding_begin();
    run_forward(plan, y, x, order, area);
    gfp_rounding_end(rounding);
    work_release(plan, work, bytes, area);
    return GFP_OK;
}

gfp_status gfp_ntt_inverse(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y,
                           gfp_order order, void *work)
{
    uint64_t *area;
    const size_t bytes = gfp_ntt_workspace(plan);
    GFP_TRY(work_get(plan, work, bytes, &area));
    const int rounding = gfp_rounding_begin();
    run_inverse(plan, x, y, order, area);
    gfp_rounding_end(rounding);
    work_release(plan, work, bytes, area);
    return GFP_OK;
}

/* ---- convolutions ---- */

void gfp_ntt_mul_pointwise(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                           const uint64_t *y)
{
    const int rounding = gfp_rounding_begin();
    plan->kernels->mul(&plan->modulus, z, x, y, plan->n);
    gfp_rounding_end(rounding);
}

/* The order of the form's result without bit reversal. */
static gfp_order own_order(const gfp_ntt_plan *plan)
{
    return plan->form == GFP_NTT_STOCKHAM ? GFP_ORDER_NATURAL : GFP_ORDER_PERMUTED;
}

/* c := a b mod X^N - 1. other has room for n words, followed by the work area of the transforms. */
static void convolve(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a, const uint64_t *b,
                     uint64_t *other)
{
    const gfp_order order = own_order(plan);
    uint64_t *work = other + plan->n;
    if (a != b) {
        run_forward(plan, other, b, order, work);
    }
    run_forward(plan, c, a, order, work);
    gfp_ntt_mul_pointwise(plan, c, c, a != b ? other : c);
    run_inverse(plan, c, c, order, work);
}

gfp_status gfp_ntt_convolve_cyclic(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                                   const uint64_t *b, void *work)
{
    uint64_t *other;
    const size_t bytes = gfp_ntt_convolution_workspace(plan);
    GFP_TRY(work_get(plan, work, bytes, &other));
    const int rounding = gfp_rounding_begin();
    convolve(plan, c, a, b, other);
    gfp_rounding_end(rounding);
    work_release(plan, work, bytes, other);
    return GFP_OK;
}

/* The subtree of block 1 evaluates at the roots of X^N + 1. */
static void convolve_blocked(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, uint64_t *other)
{
    const gfp_ntt_kernels *k = plan->kernels;
    if (a != b) {
        k->blocked(&plan->modulus, other, b, plan->n, 1, &plan->forward);
    }
    k->blocked(&plan->modulus, c, a, plan->n, 1, &plan->forward);
    gfp_ntt_mul_pointwise(plan, c, c, a != b ? other : c);
    k->blocked_inverse(&plan->modulus, c, c, plan->n, 1, &plan->inverse);
    k->leave_scaled(&plan->modulus, c, plan->n, &plan->scale);
}

/* z_i := x_i w^i. */
static void weigh(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x, uint64_t w)
{
    const uint64_t q = plan->modulus.q;
    const uint64_t companion = gfp_shoup_companion(w, q);
    uint64_t power = 1 % q;
    for (size_t i = 0; i < plan->n; i++) {
        z[i] = gfp_mod_mul(x[i], power, q);
        power = gfp_shoup_mul(power, w, companion, q);
        power = power >= q ? power - q : power;
    }
}

/* With theta = w_2N: for c = a b mod X^N + 1, a(theta X) b(theta X) mod X^N - 1 is c(theta X). */
static void convolve_weighed(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, uint64_t *other)
{
    const uint64_t q = plan->modulus.q;
    const uint64_t *right = c;
    if (a != b) {
        weigh(plan, other, b, plan->theta);
        run_forward(plan, other, other, own_order(plan), other + plan->n);
        right = other;
    }
    weigh(plan, c, a, plan->theta);
    run_forward(plan, c, c, own_order(plan), other + plan->n);
    gfp_ntt_mul_pointwise(plan, c, c, right);
    run_inverse(plan, c, c, own_order(plan), other + plan->n);
    weigh(plan, c, c, gfp_mod_pow(plan->theta, q - 2, q));
}

gfp_status gfp_ntt_convolve_negacyclic(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                                       const uint64_t *b, void *work)
{
    uint64_t *other;
    const size_t bytes = gfp_ntt_convolution_workspace(plan);
    if (!plan->negacyclic) {
        return GFP_ERR_NO_ROOT;
    }
    GFP_TRY(work_get(plan, work, bytes, &other));
    const int rounding = gfp_rounding_begin();
    (plan->form == GFP_NTT_BLOCKED ? convolve_blocked : convolve_weighed)(plan, c, a, b, other);
    gfp_rounding_end(rounding);
    work_release(plan, work, bytes, other);
    return GFP_OK;
}
