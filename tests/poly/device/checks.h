/* checks.h: the checks of calls on a device, of results that tests have changed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DEVICE_CHECKS_H
#define TESTS_POLY_DEVICE_CHECKS_H

#include "lab/gpu.h"
#include "poly/device/call.h"
#include "poly/device/tree.h"

/* A result, and what it is the result of. */
typedef struct claimed {
    gfp_gpu_ring *ring;
    const gfp_gpu_poly *c, *a, *b, *r;
    bool division, resultants;
    const gfp_gpu_rows *rows;
    const gfp_gpu_pairs *pairs;
    gfp_gpu_tree *tree;
    const gfp_gpu_array *values, *array;
    const uint64_t *x, *y;
    size_t n;
} claimed;

/* Runs a check as a call that verifies its result does. */
static inline gfp_status check_claimed(const claimed *w, uint64_t seed, gfp_report *report,
                                       gfp_status (*check)(gfp_gpu_operation *, const claimed *))
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = seed, .report = report};
    const double claims = w->pairs != NULL ? (double)w->pairs->rows : 1;
    gfp_gpu_operation op;
    gfp_status status = gfp_gpu_operation_begin(&op, "check", &options);
    assert_int_equal(status, GFP_OK);
    status = gfp_gpu_operation_start(&op, w->ring, true, claims);
    gfp_call_checks(&op.base);
    status = status != GFP_OK ? status : check(&op, w);
    gfp_call_checked(&op.base);
    return gfp_gpu_operation_end(&op, status);
}

static inline gfp_status checks_product(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_product(op, w->c, w->a, w->b, w->r, w->division);
}

static inline gfp_status checked_mul(const gfp_gpu_poly *c, const gfp_gpu_poly *a,
                                     const gfp_gpu_poly *b, uint64_t seed, gfp_report *report)
{
    return check_claimed(&(claimed){.ring = c->ring, .c = c, .a = a, .b = b}, seed, report,
                         checks_product);
}

static inline gfp_status checked_divrem(const gfp_gpu_poly *q, const gfp_gpu_poly *r,
                                        const gfp_gpu_poly *a, const gfp_gpu_poly *b, uint64_t seed,
                                        gfp_report *report)
{
    return check_claimed(
        &(claimed){.ring = q->ring, .c = a, .a = q, .b = b, .r = r, .division = true}, seed, report,
        checks_product);
}

static inline gfp_status checks_euclid(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_euclid(op, w->rows, w->pairs, w->resultants);
}

static inline gfp_status checked_gcds(gfp_gpu_ring *ring, const gfp_gpu_rows *g,
                                      const gfp_gpu_pairs *pairs, uint64_t seed, gfp_report *report)
{
    return check_claimed(&(claimed){.ring = ring, .rows = g, .pairs = pairs}, seed, report,
                         checks_euclid);
}

static inline gfp_status checked_resultants(gfp_gpu_ring *ring, const gfp_gpu_rows *r,
                                            const gfp_gpu_pairs *pairs, uint64_t seed,
                                            gfp_report *report)
{
    return check_claimed(&(claimed){.ring = ring, .rows = r, .pairs = pairs, .resultants = true},
                         seed, report, checks_euclid);
}

static inline gfp_status checks_inverses(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_inverses(op, w->values, w->array, w->n);
}

static inline gfp_status checked_inverses(gfp_gpu_ring *ring, const gfp_gpu_array *z,
                                          const gfp_gpu_array *x, size_t n)
{
    return check_claimed(&(claimed){.ring = ring, .values = z, .array = x, .n = n}, 1, NULL,
                         checks_inverses);
}

static inline gfp_status checks_values(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_values(op, w->tree, w->a, w->values);
}

static inline gfp_status checked_tree(gfp_gpu_tree *tree, const gfp_gpu_poly *f,
                                      const gfp_gpu_array *y, uint64_t seed, gfp_report *report)
{
    return check_claimed(&(claimed){.ring = tree->ring, .tree = tree, .a = f, .values = y}, seed,
                         report, checks_values);
}

static inline gfp_status checks_progression(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_progression(op, w->a, w->values, w->x, w->y, w->n);
}

static inline gfp_status checked_geometric(const gfp_gpu_poly *f, const gfp_gpu_array *values,
                                           const uint64_t *start, const uint64_t *ratio, size_t n,
                                           uint64_t seed, gfp_report *report)
{
    return check_claimed(
        &(claimed){.ring = f->ring, .a = f, .values = values, .x = start, .y = ratio, .n = n}, seed,
        report, checks_progression);
}

static inline gfp_status checks_shift(gfp_gpu_operation *op, const claimed *w)
{
    return gfp_gpu_check_shift(op, w->c, w->a, w->x);
}

static inline gfp_status checked_shift(const gfp_gpu_poly *b, const gfp_gpu_poly *a,
                                       const uint64_t *c, uint64_t seed, gfp_report *report)
{
    return check_claimed(&(claimed){.ring = b->ring, .c = b, .a = a, .x = c}, seed, report,
                         checks_shift);
}

#endif
