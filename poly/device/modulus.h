/* modulus.h: moduli on a device, and calls that compute products modulo f, each checked if the
 * caller wants that.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DEVICE_MODULUS_H
#define GFP_POLY_DEVICE_MODULUS_H

#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"
#include "product/verify/claim.h"

struct gfp_gpu_modulus {
    gfp_gpu_ring *ring;
    gfp_gpu_poly *f;
    size_t n; /* the degree of f */
    /* Plans with their kept factors: products of two polynomials of n terms, and 1 / f; products
     * modulo X^wrap - 1, and f. Where no such plan serves (wrap = 0), the second plan is the first
     * one. */
    gfp_gpu_ring_plan whole, low;
    size_t wrap;
    /* The inverse of f reversed modulo X^n, reversed; f modulo X^wrap - 1, or modulo X^n. */
    gfp_gpu_factor inverse, divisor;
    /* 2 n + 1 elements, the first is 0: a product begins at the second, or, times X, at the first
     * one. */
    gfp_gpu_array *product;
    gfp_gpu_array *quotient, *result; /* n elements */
    /* Made by the first call that needs them: operands of n terms; powers of a base; residues. */
    gfp_gpu_array *reduced[2], *table, *log;
};

/* The residues that a call keeps: the product before, operands, powers of a base. */
typedef enum gfp_gpu_value {
    GFP_GPU_VALUE_F,
    GFP_GPU_VALUE_ONE,
    GFP_GPU_VALUE_A,
    GFP_GPU_VALUE_B,
    GFP_GPU_VALUE_RESULT,
    GFP_GPU_VALUE_TABLE
} gfp_gpu_value;

/* A factor or a result: len terms in an array, whose residues are the value. */
typedef struct gfp_gpu_term {
    gfp_gpu_rows rows;
    size_t len;
    unsigned value;
} gfp_gpu_term;

/* An identity a b X^shift = q f + r that waits for its residues; product: else r alone. */
typedef struct gfp_gpu_identity {
    unsigned a, b, r, shift;
    bool product;
} gfp_gpu_identity;

/* The number of identities that the CPU compares at once. */
#define GFP_GPU_IDENTITIES 32

/* A call: the modulus, and its checks; at.points is 0 if there are none. The device leaves residues
 * of all q and r of some products in M->log, so that it need not wait for the CPU, which compares
 * them: the residues of factors are those of results before. */
typedef struct gfp_gpu_modular {
    gfp_gpu_operation *op;
    gfp_gpu_modulus *M;
    size_t done, expected; /* products */
    gfp_gpu_residues at;
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    size_t entry;        /* words in the log for one identity */
    uint64_t *host;      /* the log; values of `values` polynomials at each point; three more */
    uint64_t *value, *x; /* parts of it */
    unsigned values;
    gfp_gpu_identity waiting[GFP_GPU_IDENTITIES];
    size_t count;
} gfp_gpu_modular;

/* M->result := a b X^shift modulo f, shift <= 1, for factors of 1 to n terms; a and
 * b NULL: M->product holds the product, 2 n terms from its second element on. Enqueues work, and
 * does not wait. */
gfp_status gfp_gpu_modulus_multiply(const gfp_gpu_modulus *M, const gfp_gpu_term *a,
                                    const gfp_gpu_term *b, unsigned shift);

/* modulus_check.c: prepares a call, which is all zero but for its operation, which was started over
 * the ring of the modulus, for up to `products` products modulo f and up to `values` residues that
 * are kept. */
gfp_status gfp_gpu_modular_prepare(gfp_gpu_modular *w, gfp_gpu_modulus *M, size_t products,
                                   unsigned values);
/* Takes the residues of a polynomial of len terms, from the array's first element on. */
gfp_status gfp_gpu_modular_value(gfp_gpu_modular *w, unsigned value, const gfp_gpu_array *x,
                                 size_t len);
/* Takes those of M->quotient and M->result after a product. */
gfp_status gfp_gpu_modular_product(gfp_gpu_modular *w, const gfp_gpu_identity *identity);
/* Compares what waits. Errors: VERIFY. */
gfp_status gfp_gpu_modular_compare(gfp_gpu_modular *w);
#endif
