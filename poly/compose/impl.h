/* impl.h: composition modulo a fixed polynomial h of degree n inside operations (poly/operation.h):
 * outputs overlap no input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_COMPOSE_IMPL_H
#define GFP_POLY_COMPOSE_IMPL_H

#include "gfpoly/compose.h"
#include "crt/small/native_matrix.h"
#include "poly/modulus/multiplier.h"

struct gfp_compose_argument {
    const gfp_modulus *M;
    gfp_poly g;      /* below h */
    size_t s;        /* powers that are kept; 0: g alone */
    uint64_t *power; /* rows of n elements: g^0, ..., g^(s - 1) modulo h */
    size_t power_words;
    gfp_native_matrix matrix; /* its shape */
    uint64_t *kept;           /* its residues; NULL: they are computed in each composition */
    uint64_t *kept_block;
    size_t kept_words;
    gfp_multiplier giant; /* g^s */
    bool stays;           /* the argument owns its arrays */
};

/* *A := a new argument, which stays until gfp_compose_argument_destroy; uses = 1 keeps no residues.
 * g has up to n coefficients. */
gfp_status gfp_compose_argument_make(gfp_operation_call *op, gfp_compose_argument **A,
                                     const gfp_modulus *M, gfp_series g, size_t uses);
/* A := an argument as long as the arrays and operands of the operation stay. */
gfp_status gfp_compose_argument_borrow(gfp_operation_call *op, gfp_compose_argument *A,
                                       const gfp_modulus *M, gfp_series g, size_t uses);
double gfp_compose_argument_units(const gfp_modulus *M, size_t uses);
/* The powers that an argument keeps. */
size_t gfp_compose_steps(const gfp_modulus *M, size_t uses);

/* r[i], n elements, := f[i](g) mod h for i < count, checked as options->verify says. */
gfp_status gfp_compose_modular(gfp_operation_call *op, uint64_t *const *r,
                               const gfp_compose_argument *A, const gfp_series *f, size_t count);
/* For `terms` coefficients of the f[i] in all. */
double gfp_compose_modular_units(const gfp_compose_argument *A, size_t terms);

/* r[i], n elements, := the value at A->giant of the polynomial whose coefficients are the next
 * rows[i] rows of n elements (join.c), checked as options->verify says. */
gfp_status gfp_compose_join(gfp_operation_call *op, uint64_t *const *r,
                            const gfp_compose_argument *A, const uint64_t *row, const size_t *rows,
                            size_t count);
/* For `rows` rows of `count` polynomials. */
double gfp_compose_join_units(const gfp_modulus *M, size_t rows, size_t count);

/* y, count elements, := the values of the form l, n elements, at g^i mod h (project.c). Not
 * checked. */
gfp_status gfp_compose_project(gfp_operation_call *op, uint64_t *y, size_t count,
                               const gfp_compose_argument *A, const uint64_t *l);
/* Checks y as options->verify says. */
gfp_status gfp_compose_project_check(gfp_operation_call *op, const uint64_t *y, size_t count,
                                     const gfp_compose_argument *A, const uint64_t *l);

/* A product of matrices inside an operation: c, rows of `columns` elements, := a b. */
typedef struct gfp_compose_product {
    const gfp_native_matrix *m;
    const uint64_t *a; /* rows of m->inner elements */
    size_t rows;
    gfp_native_matrix_input b;
    const uint64_t *kept; /* the residues of b, or NULL */
} gfp_compose_product;

gfp_status gfp_compose_multiply(gfp_operation_call *op, uint64_t *c, const gfp_compose_product *p);
/* Whether residues that are kept serve products of many rows. */
bool gfp_compose_residues_serve(const gfp_operation_call *op);
/* Checks c = a b, where b has adjacent entries in a row: the entries of a row are coefficients of a
 * polynomial in a random point. */
gfp_status gfp_compose_check(gfp_operation_call *op, const uint64_t *c,
                             const gfp_compose_product *p);
double gfp_compose_multiply_units(const gfp_field *field, size_t rows, size_t inner,
                                  size_t columns);

/* ---- calls that are not public ---- */

/* Bytes that the argument holds. */
size_t gfp_compose_argument_bytes(const gfp_compose_argument *A);
/* c[i] := f[i](g) mod h for i < count. The products of matrices inside are computed together. The
 * c[i] are different polynomials; each may equal any f[j]. Cost: count times that of
 * gfp_poly_compose_mod or less. */
GFP_MUST_CHECK gfp_status gfp_poly_compose_mod_many(gfp_poly *const *c, const gfp_poly *const *f,
                                                    size_t count, const gfp_compose_argument *A,
                                                    const gfp_options *options);

#endif
