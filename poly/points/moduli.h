/* moduli.h: trees of products of polynomials, inside operations (poly/operation.h): remainders by
 * all moduli, and the polynomial with given remainders. A tree lives as long as one call;
 * gfpoly/tree.h has the public calls.
 *
 * A node stands for consecutive moduli, made monic, and their product. Its two halves have about
 * the same degree, so that long moduli are near the root. Vectors have an element for every
 * coefficient of a remainder, one modulus after the other; a node's part of a vector is as long as
 * the degree of its product. Passes over the tree change a vector in place.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_POINTS_MODULI_H
#define GFP_POLY_POINTS_MODULI_H

#include "gfpoly/tree.h"
#include "poly/operation_batch.h"
#include "poly/series/impl.h"

typedef struct gfp_moduli_node gfp_moduli_node;
struct gfp_moduli_node {
    gfp_moduli_node *left, *right; /* NULL: a leaf */
    size_t first, end;             /* the moduli */
    size_t offset, degree;         /* the part of a vector */
    unsigned depth;
    size_t length;    /* of the ring that is asked for; 0: products by the definition */
    gfp_space *space; /* modulo X^L - 1; L >= degree, of a leaf L >= 2 degree - 1; NULL likewise */
    /* Transforms, or NULL: of the polynomials of left and right; of a leaf's without X^degree. */
    gfp_operand *x;
    uint64_t *poly; /* degree + 1 coefficients, the last one 1 */
    size_t number;  /* among the leaves with transforms */
};

/* c_i = 1 / (M / m_i) modulo m_i for every modulus m_i, M their product. */
typedef struct gfp_cofactors {
    gfp_work area;
    uint64_t *c;    /* the vector of the c_i */
    uint64_t *high; /* that of the polynomial parts of X^(deg m_i) c_i / m_i */
    gfp_operand *x; /* transforms of both for every leaf that has transforms */
} gfp_cofactors;

/* Rings have 5, 6 or 8 times a power of 2 coefficients. */
#define GFP_MODULI_SPACES (3 * 64)

typedef struct gfp_moduli {
    gfp_allocator allocator;
    const gfp_field *field;
    size_t count, n;         /* moduli, and the sum of their degrees */
    gfp_moduli_node *node;   /* 2 count - 1, the root first, children behind their parents */
    gfp_moduli_node **order; /* inner nodes by depth, then leaves; by ring among them */
    size_t inner;            /* inner nodes: count - 1 */
    gfp_moduli_node **leaf;  /* by number of the modulus */
    size_t transformed;      /* leaves with transforms */
    gfp_work area;           /* the polynomials and transforms */
    size_t words;            /* of the area */
    gfp_operand *x;          /* all transforms of nodes, */
    size_t operands;         /* their number */
    gfp_operand *inverse;    /* of the root, for quotients; NULL: by the definition */
    gfp_space *top;          /* its space */
    gfp_space *space[GFP_MODULI_SPACES];
    const gfp_method *method; /* NULL: classical */
    size_t shortest;          /* up to this degree products are by the definition */
} gfp_moduli;

/* ---- trees (moduli_make.c) ---- */

/* *M := a tree of the moduli, which gfp_moduli_destroy frees before the operation, whose cap counts
 * the tree, ends. Moduli are over the field of op and not constant. The product is checked as
 * options->verify says. Errors: SIZE, MEMORY, CANCELLED, VERIFY, those of gfp_space_create. */
gfp_status gfp_moduli_make(gfp_moduli **M, gfp_operation_call *op, const gfp_poly *moduli,
                           size_t count);
/* NULL is allowed. */
void gfp_moduli_destroy(gfp_moduli *M);
double gfp_moduli_make_units(size_t n, size_t count);
/* *area := words that belong to M, counted in the cap. Errors: SIZE, MEMORY. */
gfp_status gfp_moduli_take(gfp_operation_call *op, const gfp_moduli *M, gfp_work *area,
                           size_t words);
/* *block := memory for `count` objects, likewise. */
gfp_status gfp_moduli_allocate(gfp_operation_call *op, const gfp_moduli *M, void **block,
                               size_t count, size_t size);
void gfp_cofactors_destroy(const gfp_moduli *M, gfp_cofactors *c);

/* ---- passes (moduli.c) ---- */

/* Computes the polynomials of all inner nodes from those of the leaves, and their transforms. */
gfp_status gfp_moduli_multiply(gfp_operation_call *op, gfp_moduli *M);
/* v, n elements, := the sum of v_i M / m_i, v_i the parts of the moduli. */
gfp_status gfp_moduli_sum(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M);
/* v := the polynomial part of X^n f / M; f has at most n terms. */
gfp_status gfp_moduli_start(gfp_operation_call *op, uint64_t *v, gfp_series f, const gfp_moduli *M);
/* v := the remainders of f, from the vector of gfp_moduli_start. */
gfp_status gfp_moduli_descend(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M);
/* v_i := v_i c_i modulo m_i for all moduli. */
gfp_status gfp_moduli_times(gfp_operation_call *op, uint64_t *v, const gfp_moduli *M,
                            const gfp_cofactors *c);

/* ---- remainders and back (moduli_crt.c) ---- */

/* v, n elements, := f modulo all m_i; checked as options->verify says. */
gfp_status gfp_moduli_remainders(gfp_operation_call *op, uint64_t *v, gfp_series f,
                                 const gfp_moduli *M);
/* f, n elements, := the polynomial with these remainders; checked as options->verify says. Errors:
 * NOT_INVERTIBLE. */
gfp_status gfp_moduli_recombine(gfp_operation_call *op, uint64_t *f, const uint64_t *remainders,
                                const gfp_moduli *M);
double gfp_moduli_cofactors_units(size_t n, size_t count);

/* ---- checks (moduli_check.c), as options->verify says ---- */

/* The product is that of the leaves. */
gfp_status gfp_moduli_check_product(gfp_operation_call *op, const gfp_moduli *M);
/* v is the vector of the remainders of f, which has at most n terms. */
gfp_status gfp_moduli_check_remainders(gfp_operation_call *op, gfp_series f, const uint64_t *v,
                                       const gfp_moduli *M);

#endif
