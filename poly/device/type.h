/* type.h: declarations that the files of resident polynomials share: rings, polynomials, and
 * the placement of results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_DEVICE_TYPE_H
#define GFP_POLY_DEVICE_TYPE_H

#include "gfpoly/gpu_poly.h"
#include "gpu/products.h"

/* The products of one plan: the only description from which plans are made. A product is named by
 * its number in the list, so that no plan lacks room for its use; shorter factors and parts of the
 * ranges need no more room. */
#define GFP_GPU_PRODUCTS 4
typedef struct gfp_gpu_products {
    size_t rows; /* of each product; a plan for one row serves a class of lengths */
    size_t wrap; /* not 0: products modulo X^N - 1, N >= wrap */
    bool exact;  /* one row: a plan for these lengths alone */
    unsigned count;
    gfp_gpu_extent extent[GFP_GPU_PRODUCTS];
} gfp_gpu_products;

/* What the plan for a list depends on: factors of at most these lengths; coefficients that no other
 * one wraps around into modulo X^n - 1. */
typedef struct gfp_gpu_shape {
    size_t len_a, len_b, n, rows, wrap;
} gfp_gpu_shape;

typedef struct gfp_gpu_ring_plan {
    struct gfp_gpu_ring_plan *next;
    gfp_gpu_product_plan *plan;
    gfp_gpu_operand *operand; /* made when one is wanted; or NULL */
    bool refused;             /* there was no room for an operand */
    unsigned users;           /* a plan with users stays */
    gfp_gpu_shape shape;
} gfp_gpu_ring_plan;

/* Work arrays, by their use. */
typedef enum gfp_gpu_use {
    GFP_GPU_USE_ERROR,   /* the errors that a step of Newton's iteration corrects */
    GFP_GPU_USE_MINUS,   /* the series that is inverted, negated */
    GFP_GPU_USE_INVERSE, /* inverses of series */
    GFP_GPU_USE_LEVELS,  /* products of elements, for inverses and prefix products */
    GFP_GPU_USE_RESULT,  /* results before they go to their place */
    GFP_GPU_USE_FIRST,   /* reversed operands */
    GFP_GPU_USE_SECOND,
    GFP_GPU_USE_TREE, /* vectors on their way through a tree */
    GFP_GPU_USE_PRODUCT,
    GFP_GPU_USE_SMALL,    /* elements or words that one step needs */
    GFP_GPU_USE_ELEMENTS, /* elements that are inverted in place */
    GFP_GPU_USES
} gfp_gpu_use;

/* call.h: a call that runs. */
typedef struct gfp_gpu_operation gfp_gpu_operation;

struct gfp_gpu_ring {
    gfp_gpu *gpu;
    const gfp_field *field;
    gfp_allocator allocator;
    size_t k;
    gfp_gpu_method method;
    size_t plan_bytes;
    gfp_gpu_ring_plan *plans; /* the last used one first */
    gfp_gpu_array *spare;     /* for results that cannot be written to their place directly; or
                                 NULL */
    gfp_gpu_array *work;      /* for values and residues; or NULL */
    gfp_gpu_array *word;      /* for results of searches; or NULL */
    gfp_gpu_array *use[GFP_GPU_USES];
    gfp_gpu_operation *operation; /* the call that runs, whose caps hold; or NULL */
};

struct gfp_gpu_poly {
    gfp_gpu_ring *ring;
    gfp_gpu_array *array; /* NULL: capacity 0 */
    size_t capacity;
    size_t len; /* bound of the length */
    bool exact; /* len is the length */
};

/* Releases plans and work space; later calls make them again. */
void gfp_gpu_ring_trim(gfp_gpu_ring *ring);

/* gfp_gpu_poly_create without a call. */
gfp_status gfp_gpu_poly_make(gfp_gpu_poly **a, gfp_gpu_ring *ring);

/* Where to write the n >= 1 coefficients of a result for b: *to := b's own array, or the ring's
 * spare array if b's is too short or `apart` excludes it. b is unchanged; gfp_gpu_poly_take makes
 * the result b's. */
gfp_status gfp_gpu_poly_place(gfp_gpu_poly *b, size_t n, bool apart, gfp_gpu_array **to);
void gfp_gpu_poly_take(gfp_gpu_poly *b, gfp_gpu_array *to, size_t n, bool exact);
/* Makes room for n coefficients; contents unchanged. */
gfp_status gfp_gpu_poly_make_room(gfp_gpu_poly *b, size_t n);
/* *len := the length of b without leading zeros. Waits unless it is known. */
gfp_status gfp_gpu_poly_find_length(const gfp_gpu_poly *b, size_t *len);
/* z := n elements of x, from `from` on, in reverse order, at element z_from. */
gfp_status gfp_gpu_reverse_at(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t z_from,
                              gfp_gpu_array *x, size_t from, size_t n);
/* *equal := whether a = b. Waits. */
gfp_status gfp_gpu_poly_compare(bool *equal, const gfp_gpu_poly *a, const gfp_gpu_poly *b);
/* y := b(x), both on the host. Waits. */
gfp_status gfp_gpu_poly_value(const gfp_gpu_poly *b, uint64_t *y, const uint64_t *x);
/* VERIFY unless n elements are 0; and unless they are canonical. Wait. */
gfp_status gfp_gpu_expect_zeros(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n);
gfp_status gfp_gpu_check_elements(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n);

/* Makes *area an array of at least `words` words; its contents are undefined. */
gfp_status gfp_gpu_ring_area(gfp_gpu_ring *ring, gfp_gpu_array **area, size_t words);

/* *area := the work array for `use`, with room for n elements; its contents are undefined. Errors:
 * SIZE, MEMORY, DEVICE. */
gfp_status gfp_gpu_ring_work(gfp_gpu_ring *ring, gfp_gpu_use use, size_t n, gfp_gpu_array **area);

/* mul.c: releases all plans without users. */
void gfp_gpu_ring_drop_plans(gfp_gpu_ring *ring);
/* Makes kept->plan, of the shape of a list that has no such plan yet. If memory is short, releases
 * the ring's plans. */
gfp_status gfp_gpu_ring_make_plan(gfp_gpu_ring *ring, const gfp_gpu_products *products,
                                  gfp_gpu_ring_plan *kept);
/* *kept := the ring's plan for the list. It stays valid until the next question for a plan. */
gfp_status gfp_gpu_ring_plan_of(gfp_gpu_ring *ring, const gfp_gpu_products *products,
                                gfp_gpu_ring_plan **kept);
/* c := product number i of the list, rows a by rows b, by the ring's plan for the list. */
gfp_status gfp_gpu_ring_product(gfp_gpu_ring *ring, const gfp_gpu_products *products, unsigned i,
                                const gfp_gpu_rows *c, const gfp_gpu_rows *a,
                                const gfp_gpu_rows *b);
/* A factor b that products of a list share, transformed once if the plan allows; b has the length
 * len_b of the first product. */
typedef struct gfp_gpu_factor {
    gfp_gpu_ring_plan *kept; /* NULL: none */
    bool transformed;
    gfp_gpu_rows rows;
    gfp_gpu_products products;
} gfp_gpu_factor;
/* Plans that got no room for an operand ask for it again: after a call with a cap of its own. */
void gfp_gpu_ring_ask_again(gfp_gpu_ring *ring);
/* Transforms the rows of a factor for its plan; without room for that, goes without. */
gfp_status gfp_gpu_factor_transform(gfp_gpu_factor *factor);
/* Makes b a factor. The rows must stay. After success end the factor. */
gfp_status gfp_gpu_factor_begin(gfp_gpu_factor *factor, gfp_gpu_ring *ring,
                                const gfp_gpu_products *products, const gfp_gpu_rows *b);
void gfp_gpu_factor_end(gfp_gpu_factor *factor);
/* c := product number i of the factor's list, rows a by the factor. */
gfp_status gfp_gpu_factor_mul(const gfp_gpu_factor *factor, unsigned i, const gfp_gpu_rows *c,
                              const gfp_gpu_rows *a);
/* For each pair: c := coefficients first <= i < first + n of a b, zeros beyond the end; lengths may
 * be 0. As gfp_gpu_product_rows, with a plan of the ring. */
gfp_status gfp_gpu_ring_mul_rows(gfp_gpu_ring *ring, const gfp_gpu_rows *c,
                                 const gfp_gpu_pairs *pairs, size_t first, size_t n);

/* series.c: checks that elements of `rows` rows of len elements exist, in an array of the
 * ring's context; rows > 0. Errors: ARGUMENT, SIZE; the message names the rows. */
gfp_status gfp_gpu_ring_check_rows(const gfp_gpu_ring *ring, const gfp_gpu_rows *x, size_t rows,
                                   size_t len, const char *name, gfp_error *error);
/* g := 1 / f mod X^n for each row, g apart from f; n and len_f are not 0. error may
 * be NULL. */
gfp_status gfp_gpu_rows_invert(gfp_gpu_ring *ring, const gfp_gpu_rows *g, size_t n,
                               const gfp_gpu_rows *f, size_t len_f, size_t rows, gfp_error *error);
/* The terms of the inverse that a quotient of n terms takes: a half, or a quarter of a long one. */
size_t gfp_gpu_quotient_terms(const gfp_gpu_ring *ring, size_t n, size_t rows);
/* q := a / b mod X^n for each pair, where the rows g are 1 / b mod X^m, n <= 2 m, or 4 <= n <= 4 m;
 * q is apart from the others. */
gfp_status gfp_gpu_rows_divide(gfp_gpu_ring *ring, const gfp_gpu_rows *q, size_t n,
                               const gfp_gpu_pairs *pairs, const gfp_gpu_rows *g, size_t m);

/* division.c: a = q b + r for a of at least the length of b, which is not 0. */
typedef struct gfp_gpu_division {
    const gfp_gpu_poly *a, *b;
    size_t len, n;                /* of b, without leading zeros; terms of the quotient */
    gfp_gpu_array *top_a, *top_b; /* the top n terms, or fewer, reversed */
    size_t len_b;                 /* of top_b */
    gfp_gpu_array *quotient;      /* reversed */
} gfp_gpu_division;
/* The work array FIRST := the n terms of the quotient. */
gfp_status gfp_gpu_divide(gfp_gpu_ring *ring, gfp_gpu_division *d, gfp_error *error);
/* to := the len - 1 terms of the remainder after that, in an array apart from operands. */
gfp_status gfp_gpu_division_rest(gfp_gpu_ring *ring, const gfp_gpu_division *d, gfp_gpu_array *to);

/* inverse.c: z_i := 1 / x_i, i < n; z may be x. Waits. Errors: NOT_INVERTIBLE (error->index is some
 * i with x_i = 0). */
gfp_status gfp_gpu_invert(gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x, size_t n,
                          gfp_error *error);
/* z := x y, n elements at places of arrays; z's are x's or y's, or disjoint. */
gfp_status gfp_gpu_multiply_at(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t z_from,
                               const gfp_gpu_array *x, size_t x_from, const gfp_gpu_array *y,
                               size_t y_from, size_t n);
/* z_i := z_0 ... z_i, i < n. Waits. */
gfp_status gfp_gpu_prefix_products(gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n);

/* sequence.c: z_i := first s^i q^(i (i - 1) / 2), i < n, n >= 1: powers of s for q = 1. Takes
 * the work array SECOND, n / 2 elements (none for q = 1), and waits for the upload of 128
 * elements. 2.5 n products of elements; n for q = 1. */
gfp_status gfp_gpu_set_chirp(gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n, const uint64_t *first,
                             const uint64_t *s, const uint64_t *q);

#endif
