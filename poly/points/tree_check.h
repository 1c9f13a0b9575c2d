/* tree_check.h: what the checks of trees share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_POINTS_TREE_CHECK_H
#define GFP_POLY_POINTS_TREE_CHECK_H

#include "field/base/support.h"
#include "poly/points/tree.h"
#include "product/verify/claim.h"

/* The length for which points are drawn: polynomials below n, at points that must not be among n
 * others. */
static inline size_t gfp_check_length(size_t n)
{
    return gfp_size_mul_sat(2, n) + 1;
}

/* Begins a check over n coefficients, of `items` items for each point; points = 0: by the quadratic
 * algorithm. */
static inline gfp_status gfp_check_begin(gfp_operation_call *op, size_t n, unsigned *points,
                                         uint64_t *d, double items)
{
    GFP_TRY(gfp_operation_check_begin(op, gfp_check_length(n), points, d, items,
                                      (double)gfp_field_k(op->field)));
    if (*points == 0) {
        op->base.report.cross_method = "classical";
    }
    return GFP_OK;
}

/* z := the product of n elements, which are overwritten; 1 for n = 0. */
static inline void gfp_check_product(const gfp_field *field, uint64_t *z, uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    if (n == 0) {
        gfp_elem_one(field, z);
        return;
    }
    while (n > 1) {
        const size_t half = n / 2;
        gfp_vec_mul(field, x, x, x + (n - half) * k, half);
        n -= half;
    }
    gfp_elem_set(field, z, x);
}

/* z_i := d - x_i. */
static inline void gfp_check_differences(const gfp_field *field, uint64_t *z, uint64_t d,
                                         const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t value[GFP_MAX_K];
    gfp_elem_set_u64(field, value, d);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_sub(field, z + i * k, value, x + i * k);
    }
}

/* y := f(d). Errors: CANCELLED. */
static inline gfp_status gfp_check_value(gfp_operation_call *op, uint64_t *y, const uint64_t *f,
                                         size_t len, uint64_t d)
{
    gfp_elem_zero(op->field, y);
    return len == 0 || gfp_verify_evaluate(op->field, y, f, len, d, &op->base.task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

/* Errors: VERIFY. */
static inline gfp_status gfp_check_equal(gfp_operation_call *op, const uint64_t *x,
                                         const uint64_t *y)
{
    return gfp_elem_equal(op->field, x, y) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static inline gfp_status gfp_check_canonical(gfp_operation_call *op, const uint64_t *x, size_t n)
{
    const size_t i = gfp_vec_canonical(op->field, x, n);
    return i == n ? GFP_OK : gfp_operation_wrong(op, i);
}

/* A check under way, which gives its memory back at the end and adds its time, with that of checks
 * inside, to the report. */
typedef struct gfp_check_watch {
    gfp_operation_call *op;
    gfp_operation_mark mark;
    uint64_t start, before; /* before: the time of checks so far */
} gfp_check_watch;

static inline gfp_check_watch gfp_check_start(gfp_operation_call *op)
{
    return (gfp_check_watch){op, gfp_operation_mark_here(op), gfp_clock_ns(),
                             op->base.report.verify_ns};
}

static inline gfp_status gfp_check_stop(const gfp_check_watch *c, gfp_status status)
{
    gfp_operation_release(c->op, c->mark);
    c->op->base.report.verify_ns = c->before + gfp_clock_ns() - c->start;
    return status;
}

#endif
