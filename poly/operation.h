/* operation.h: the frame of an operation that computes many products: its arrays, spaces and
 * operands with an account of their bytes, its progress, its check at random points, its report.
 *
 * An operation is begun, computes by the calls below, and is ended; the end frees everything that
 * the operation took. Outputs are written after the last call that can fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_OPERATION_H
#define GFP_POLY_OPERATION_H

#include "product/methods/row.h"
#include "product/methods/engine.h"
#include "field/base/call.h"
#include "poly/thresholds.h"
#include "product/verify/claim.h"

/* The most operands and kept spaces of an operation. */
#define GFP_OPERATION_OPERANDS 80
#define GFP_OPERATION_SPACES 64

typedef struct gfp_operation_space {
    gfp_space *space;
    gfp_space_spec spec;
} gfp_operation_space;

typedef struct gfp_operation_call {
    gfp_call base; /* name: "an inverse modulo X^n" */
    const gfp_field *field;
    gfp_options inner;        /* for calls inside: no verification, no cap; progress is mapped */
    gfp_report step;          /* of the last call inside */
    const gfp_method *method; /* of the longest space; NULL: no space yet */
    size_t longest;
    size_t threshold[GFP_THRESHOLDS];
    bool classical;     /* the options name the method "classical": no products by transforms */
    double done, units; /* of computation and checks */
    double from;        /* the fraction of the call at which they begin */
    double check_units; /* of a check */
    uint64_t checks;    /* that have drawn random numbers */
    gfp_operand operand[GFP_OPERATION_OPERANDS];
    gfp_operation_space space[GFP_OPERATION_SPACES];
    size_t operands, spaces;
} gfp_operation_call;

/* ---- begin and end ---- */

/* Begins an operation. name lasts as long. Errors: those of reading options; an operation that was
 * not begun is not ended. */
gfp_status gfp_operation_begin(gfp_operation_call *op, const char *name,
                               const gfp_options *options);
/* Starts its work over the field, before any other call below: calls of about `units` units, which
 * are coefficients of products by transforms; claims of them are checked (at least 1). Errors:
 * UNKNOWN (method). */
gfp_status gfp_operation_start(gfp_operation_call *op, const gfp_field *field, double units,
                               unsigned claims);
/* Ends a run that failed with this status, and begins another one by the options of now: its
 * progress goes on from the fraction reached, and its time counts that of the first run. Errors:
 * those of gfp_operation_begin. */
gfp_status gfp_operation_again(gfp_operation_call *op, gfp_status status);
/* Whether the options name the method "classical"; options may be NULL. */
bool gfp_operation_is_classical(const gfp_options *options);
/* Frees what the operation took and fills the caller's report or error. Returns the status. */
gfp_status gfp_operation_end(gfp_operation_call *op, gfp_status status);
/* Reports the end of the work; the last call of an operation before its outputs are written.
 * Errors: CANCELLED. */
gfp_status gfp_operation_finish(gfp_operation_call *op);

/* ---- memory ---- */

/* *x := an array of n elements, aligned to 64 bytes, its contents undefined. Errors: SIZE,
 * MEMORY. */
gfp_status gfp_operation_array(gfp_operation_call *op, uint64_t **x, size_t n);

/* Arrays and operands made after a mark are freed by the release to this mark. */
typedef struct gfp_operation_mark {
    gfp_call_mark arrays;
    size_t operands;
} gfp_operation_mark;

gfp_operation_mark gfp_operation_mark_here(const gfp_operation_call *op);
void gfp_operation_release(gfp_operation_call *op, gfp_operation_mark mark);

/* ---- spaces and operands ---- */

/* *s := a space of this spec, which the operation keeps for the next request of the same spec.
 * Errors: those of gfp_space_create. */
gfp_status gfp_operation_space_of(gfp_operation_call *op, gfp_space **s, size_t length,
                                  size_t terms, gfp_wrap wrap);
/* *x := a new operand, 0. Errors: SIZE, MEMORY. */
gfp_status gfp_operation_operand(gfp_operation_call *op, gfp_operand **x, gfp_space *s);

/* x := n coefficients, as gfp_operand_set. */
gfp_status gfp_operation_set(gfp_operation_call *op, gfp_operand *x, const uint64_t *a, size_t n);
/* Coefficients from <= i < end of a x, each at its place in c, which has room for `end` elements;
 * the elements below `from` become undefined. c overlaps no input. As gfp_vec_mul_operand, and the
 * same for a sum of products; after an error c is undefined. */
gfp_status gfp_operation_multiply_by(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                                     const uint64_t *a, size_t len_a, const gfp_operand *x);
gfp_status gfp_operation_dot(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                             const gfp_operand *const *x, const gfp_operand *const *y,
                             size_t count);

/* Several transforms into operands of s, and several sums of a few products, coefficients 0 <= i <
 * end, operands being 0 allowed (operation_sums.c). They take less time than one after the
 * other, and more of them by several threads. c overlaps no input. */
typedef struct gfp_operation_factor {
    gfp_operand *x;
    const uint64_t *digits;
    size_t len;
} gfp_operation_factor;

#define GFP_OPERATION_SUM_PRODUCTS 4
typedef struct gfp_operation_sum {
    uint64_t *c;
    size_t end;
    const gfp_operand *x[GFP_OPERATION_SUM_PRODUCTS], *y[GFP_OPERATION_SUM_PRODUCTS];
    size_t count;
} gfp_operation_sum;

gfp_status gfp_operation_transforms(gfp_operation_call *op, gfp_space *s,
                                    const gfp_operation_factor *factor, size_t count);
gfp_status gfp_operation_sums(gfp_operation_call *op, gfp_space *s, const gfp_operation_sum *sum,
                              size_t count);
/* Begins the step of a call inside by op->inner. Errors: MEMORY, CANCELLED. */
gfp_status gfp_operation_call_inside(gfp_operation_call *op, double units);

/* The units of these calls: a transform of length n, a product by an operand, a sum of products. */
#define GFP_OPERATION_SET_UNITS 0.25
#define GFP_OPERATION_MULTIPLY_BY_UNITS 0.75
/* About the time of this many units, in nanoseconds. */
double gfp_operation_ns(const gfp_operation_call *op, double units);
/* The threads that pay for a step of this many units: it has work for them. */
unsigned gfp_operation_threads(const gfp_operation_call *op, double units);
/* The units of a product in the field. */
#define GFP_OPERATION_ELEMENT_UNITS 0.25

/* c := coefficients first <= i < end of a b, zeros where there are none, by this row (NULL: the
 * pick, or the one that the options name); c overlaps no factor. Errors: as gfp_poly_mulmid; c
 * is undefined then. */
gfp_status gfp_operation_product(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                                 const gfp_range *range);

/* Begins a step of this many units without calls inside; it counts items by gfp_task_advance on
 * op->base.task, each of about `cost` digit products. Errors: CANCELLED. */
gfp_status gfp_operation_step(gfp_operation_call *op, double units, double items, double cost);
/* The same for a callee that spans the step by itself. Errors: none. */
void gfp_operation_part(gfp_operation_call *op, double units);

/* ---- check ---- */

/* Checks an identity, whose members from `used` on it fills, as options->verify says: modulo a
 * random polynomial or at random points (gfp_verify_identity), or (CROSS, or too few points in the
 * field) by products of a second method; adds to the report. NONE: nothing is done. Errors: VERIFY,
 * and those of the products. */
gfp_status gfp_operation_check(gfp_operation_call *op, gfp_identity *w);
/* A claim: c_i for i < len_c, zeros beyond, are coefficients first + i < end of a b. */
typedef struct gfp_operation_claim {
    const uint64_t *c, *a, *b;
    size_t len_c, len_a, len_b, first, end;
} gfp_operation_claim;
/* The same for a claim. */
gfp_status gfp_operation_check_product(gfp_operation_call *op, const gfp_operation_claim *claim);
/* Checks products of a batch as options->verify says: groups of them by one value
 * (gfp_verify_batch), or one by one where that does not serve; as gfp_operation_check. */
gfp_status gfp_operation_check_batch(gfp_operation_call *op, const gfp_batch_claim *claim);
/* *seed := that of the next check: what an earlier check drew may stand in the identity. Errors:
 * UNAVAILABLE. */
gfp_status gfp_operation_seed(gfp_operation_call *op, uint64_t *seed);
/* For identities of other kinds. *points := the random points, drawn into d, that check polynomials
 * of len coefficients, added to the report; 0: too few in the field, or options->verify is CROSS.
 * The check has begun as a step of `items` items for each point, of `cost` digit products each. */
gfp_status gfp_operation_check_begin(gfp_operation_call *op, size_t len, unsigned *points,
                                     uint64_t *d, double items, double cost);
/* Adds this number of points, or of moduli X^j - d, and the bound to the report. */
void gfp_operation_count_points(gfp_operation_call *op, unsigned points, int log2_error);
/* *second := a method for checking a product by another one than the operation's; it stands in the
 * report. Errors: UNAVAILABLE. */
gfp_status gfp_operation_second_method(gfp_operation_call *op, const gfp_method **second,
                                       const gfp_range *range);
/* Fills the error of a check that failed at this coefficient, or with GFP_NO_INDEX at a random
 * point; returns VERIFY. */
gfp_status gfp_operation_wrong(gfp_operation_call *op, uint64_t index);

#endif
