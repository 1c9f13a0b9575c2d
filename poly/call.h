/* call.h: public calls on polynomials and arrays over one field, described by their arguments, a
 * plan and a computation. One function runs them: it reads the options, checks the arguments,
 * frames the operation, and writes the outputs after the last step that can fail. Outputs may be
 * inputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_CALL_H
#define GFP_POLY_CALL_H

#include "gfpoly/poly.h"
#include "field/base/support.h"
#include "poly/operation.h"
#include "poly/sequence.h"

#define GFP_POLY_CALL_INPUTS 3
#define GFP_POLY_CALL_ARRAYS 3
#define GFP_POLY_CALL_OUTPUTS 6

/* An array that the caller gives, or another argument; it may be NULL if n, the number of its
 * entries, is 0. */
typedef struct gfp_poly_call_array {
    const void *x;
    size_t n;
    const char *name; /* for the message "no name" */
} gfp_poly_call_array;

typedef struct gfp_poly_call gfp_poly_call;
struct gfp_poly_call {
    const char *name;
    const gfp_field *field; /* NULL: that of the polynomials */
    /* Polynomials and arrays that must be there; the polynomials are of the field. */
    const gfp_poly *input[GFP_POLY_CALL_INPUTS];
    gfp_poly_call_array array[GFP_POLY_CALL_ARRAYS];
    size_t inputs, arrays;
    /* The results: different polynomials, or an array of n elements. */
    gfp_poly *output[GFP_POLY_CALL_OUTPUTS];
    size_t outputs;
    bool optional; /* outputs may be NULL, but not all of them */
    uint64_t *values;
    size_t n;
    /* Checks what the call demands of arguments that are there, and sets the members below, and n
     * if it depends on them; or NULL. */
    gfp_status (*plan)(gfp_operation_call *op, gfp_poly_call *w);
    double units;    /* of gfp_operation_start */
    unsigned claims; /* 0 counts as 1 */
    /* The length of the work: from GFP_DEFAULT_LENGTH on the check takes at most about a fifth of
     * the call, and is done by default, too; 0: it is not. */
    size_t length;
    bool trivial; /* the outputs are 0, the array is empty: nothing is computed */
    /* z[i] := the result i, whose digits are an array of the operation; digits NULL: the output
     * stays. For an array of values z[0] has n elements, and no len. Checks results as the options
     * say. */
    gfp_status (*compute)(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w);
    /* Writes results of other kinds, which compute has kept in the caller's struct and made room
     * for; or NULL. */
    void (*deliver)(const gfp_operation_call *op, const gfp_poly_call *w);
};

gfp_status gfp_poly_call_run(gfp_poly_call *w, const gfp_options *options);

/* The status, with the message "name: why". A macro, as gfp_error_set is. */
#define gfp_poly_call_refuse(op, status, why)                                                      \
    gfp_error_set(&(op)->base.error, (status), "%s: %s", (op)->base.name, (why))

/* Checks that the polynomials are not NULL and of one field, which becomes *field unless that is
 * set. Errors: ARGUMENT, FIELD_MISMATCH. */
gfp_status gfp_poly_call_check(gfp_operation_call *op, const gfp_field **field,
                               const gfp_poly *const *x, size_t count);

static inline gfp_series gfp_poly_series(const gfp_poly *a)
{
    return (gfp_series){a->digits, a->len};
}

#endif
