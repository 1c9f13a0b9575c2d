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

/* The residues that a call keeps: the product before, operands, powers of a base; behind them what
 * the call adds. */
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
    const gfp_gpu_factor
        *kept; /* transformed for M->whole, its products those of M->inverse; or NULL */
} gfp_gpu_term;

/* What waits for its residues. */
typedef enum gfp_gpu_identity_kind {
    GFP_GPU_IDENTITY_PRODUCT, /* a b X^shift = q f + r; takes r */
    GFP_GPU_IDENTITY_VALUE,   /* takes r */
    GFP_GPU_IDENTITY_SUM,     /* r := a + b, without residues of its own */
    GFP_GPU_IDENTITY_RESULT   /* M->result is r, and canonical */
} gfp_gpu_identity_kind;
typedef struct gfp_gpu_identity {
    gfp_gpu_identity_kind kind;
    unsigned a, b, r, shift;
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

/* A call modulo f adds this to its description, as `own`. */
typedef struct gfp_gpu_modular_job {
    gfp_status (*compute)(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_call *call);
    gfp_gpu_modulus *M;
    size_t products; /* modulo f, at most */
    unsigned values; /* residues that are kept */
    const uint64_t *limbs;
    size_t n_limbs;
} gfp_gpu_modular_job;

/* modulus_calls.c: runs the call c := ... of a and b. */
gfp_status gfp_gpu_modular_run(const char *name, gfp_gpu_poly *c, const gfp_gpu_poly *a,
                               const gfp_gpu_poly *b, gfp_gpu_modular_job *job,
                               const gfp_options *options);
/* *x := a modulo f, of at least one term; number 0 or 1, whose value it has. */
gfp_status gfp_gpu_modular_take(gfp_gpu_modular *w, gfp_gpu_term *x, const gfp_gpu_poly *a,
                                unsigned number);
/* z := a term, once all products are checked. */
gfp_status gfp_gpu_modular_deliver(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_term *x);
/* *z := a b X^shift in M->result, with this value. */
gfp_status gfp_gpu_modular_multiply(gfp_gpu_modular *w, gfp_gpu_term *z, const gfp_gpu_term *a,
                                    const gfp_gpu_term *b, unsigned shift, unsigned value);

/* M->result := a b X^shift modulo f, shift <= 1, for factors of 1 to n terms, or of n terms where
 * b is kept transformed; a and b NULL: M->product holds the product, 2 n terms from its second
 * element on. Enqueues work, and does not wait. */
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
/* The value r becomes that of a + b. */
gfp_status gfp_gpu_modular_sum(gfp_gpu_modular *w, unsigned r, unsigned a, unsigned b);
/* Checks that M->result has the residues of the value, and is canonical. */
gfp_status gfp_gpu_modular_result(gfp_gpu_modular *w, unsigned value);
/* The residues at a point that the call has for a value. */
uint64_t *gfp_gpu_modular_residues(const gfp_gpu_modular *w, unsigned value, unsigned point);
/* Compares what waits. Errors: VERIFY. */
gfp_status gfp_gpu_modular_compare(gfp_gpu_modular *w);
#endif
