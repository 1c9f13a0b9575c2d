/* engine.h: operands: transforms that stay. A row of the method table names the engine (row.h,
 * crt/ring.h), which handles transforms. The files of product/operand/ handle values at points,
 * caps, threads, progress, lengths, errors and the bounds of engines that compute with integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PRODUCT_METHODS_ENGINE_H
#define GFP_PRODUCT_METHODS_ENGINE_H

#include <stdatomic.h>

#include "gfpoly/operand.h"
#include "crt/ring.h"
#include "product/methods/row.h"
#include "field/base/call.h"
#include "field/base/parallel.h"

struct gfp_space {
    atomic_size_t owners; /* the caller of gfp_space_create, and the operands */
    const gfp_field *field;
    const gfp_method *method;
    const gfp_ring_engine *engine; /* of the method */
    gfp_ring *ring;                /* NULL: not made */
    size_t length;                 /* coefficients of an operand */
    size_t words;                  /* of an operand */
    gfp_wrap wrap;
    bool free_choice; /* the chooser picked the method: if a GPU fails, the CPU computes instead */
    /* Threads and cap of calls whose options name none, and the time of a product. */
    unsigned threads;
    size_t cap;
    double ns;
    unsigned points; /* of verification */
    int log2_error;
    uint64_t point[GFP_VERIFY_MAX_POINTS];
};

struct gfp_operand {
    gfp_transform t; /* the first member: engines of this room take a transform for its operand */
    gfp_space *space;
    /* The words, the values at the points, and room to align; NULL: memory of the caller's. */
    uint64_t *block;
    size_t len; /* an upper bound for the length of the polynomial */
    bool blank; /* the operand is 0 and its words are undefined: a writer sets them to 0 first */
};

static inline const gfp_operand *gfp_operand_of(const gfp_transform *x)
{
    return (const gfp_operand *)x;
}

/* The state of a call. */
typedef struct gfp_operand_call {
    gfp_call base;
    const gfp_space *s;
    unsigned threads;
    const gfp_method *method; /* that computes */
    gfp_task *task;           /* reports progress, and can be cancelled */
    gfp_task unwatched;
    gfp_task *quiet; /* for steps without progress and cancellation */
    gfp_work area;
    uint64_t *work; /* gfp_operand_work_words */
    bool entered;   /* the area is taken, and the mode of rounding set */
    int rounding;
} gfp_operand_call;

/* x[0] y[0] + ... + x[count - 1] y[count - 1], no operand being 0. */
typedef struct gfp_operand_sum {
    const gfp_operand *const *x, *const *y;
    size_t count;
} gfp_operand_sum;

/* The numbers of steps of a call that reports progress. */
typedef struct gfp_operand_steps {
    double transforms, products, restores;
} gfp_operand_steps;

extern const gfp_ring_engine gfp_bigfft_rings; /* product/operand/bigfft.c */
extern const gfp_ring_engine gfp_device_rings; /* product/operand/device.c */

/* The number of products of two operands fresh from coefficients that can still be added to x
 * before x is converted to reduced coefficients; SIZE_MAX: no limit. */
size_t gfp_operand_room(const gfp_operand *x);

/* ---- steps (product/operand/ring.c) ---- */

/* Steps return OK, CANCELLED, MEMORY or an error of the device. On an error outputs are undefined;
 * the operands that accumulate and combine change stay unchanged. The caller sets len and blank of
 * outputs, except for transform. Operands that are passed together belong to one space; c may be a
 * or b. An operand or a sum that exceeds the engine's bound is first converted to reduced
 * coefficients. */

/* Words of the work area of a call with this many threads; `whole` for calls that begin or end with
 * polynomials. Saturates. */
size_t gfp_operand_work_words(const gfp_space *s, bool whole, unsigned threads);
/* Spans the whole call. False: cancelled. */
bool gfp_operand_span(gfp_task *task, const gfp_space *s, const gfp_operand_steps *steps);
/* x := the transform of a, 1 <= len <= s->length; sets len and blank. */
gfp_status gfp_operand_transform(gfp_operand_call *w, gfp_operand *x, const uint64_t *a,
                                 size_t len);
/* c := a b, c + a b, c - a b for sign 0, 1, -1. a and b are not 0, and the space can hold the
 * product. */
gfp_status gfp_operand_accumulate(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                                  const gfp_operand *b, int sign);
/* c := a + b or a - b. */
gfp_status gfp_operand_combine(gfp_operand_call *w, gfp_operand *c, const gfp_operand *a,
                               const gfp_operand *b, bool subtract);
/* A part of the polynomial of x. */
gfp_status gfp_operand_restore(gfp_operand_call *w, const gfp_ring_part *part,
                               const gfp_operand *x);
/* A part of a x; neither a nor x is 0. */
gfp_status gfp_operand_multiply_by(gfp_operand_call *w, const gfp_ring_part *part,
                                   const gfp_ring_factor *a, const gfp_operand *x);
/* Whether the engine computes this sum in one step, without a conversion; the caller adds up other
 * sums in an operand. */
bool gfp_operand_sums_up(const gfp_operand_sum *sum);
/* A part of a sum that sums up. */
gfp_status gfp_operand_sum_up(gfp_operand_call *w, const gfp_ring_part *part,
                              const gfp_operand_sum *sum);

/* ---- for engines (product/operand/create.c) ---- */

/* x := a temporary operand of x->space, for this call. shut_apart frees it. Errors: MEMORY. */
gfp_status gfp_operand_open_apart(gfp_operand_call *w, gfp_operand *x);
void gfp_operand_shut_apart(gfp_operand_call *w, gfp_operand *x);
/* The values of x at the points. */
uint64_t *gfp_operand_values(const gfp_operand *x);
/* Clears the cache of an operand that has changed or is about to be destroyed. */
void gfp_operand_forget(gfp_operand *x);
/* Exchanges the contents of c and x. */
void gfp_operand_exchange(gfp_operand *c, gfp_operand *x);
/* The length of the product of two operands that are not 0. */
size_t gfp_operand_product_length(const gfp_operand *a, const gfp_operand *b);

/* ---- vectors over Z/pZ (product/operand/elements.c) ---- */

/* The data of an operation on elements; not every operation uses all members. */
typedef struct gfp_operand_elements {
    const gfp_field *field;
    uint64_t *z;
    const uint64_t *x, *y;
    int sign;
    unsigned log2_n;
} gfp_operand_elements;

/* Runs an operation on elements 0 <= i < n, in parts, on the threads of the task (NULL: one).
 * False: cancelled. */
bool gfp_operand_run_elements(gfp_parallel_run *run, gfp_operand_elements *e, size_t n,
                              gfp_task *task);
/* Operations: z := x + y (sign 1) or x - y (sign -1); z := x y (sign 0), z + x y, z - x y. */
gfp_status gfp_operand_add_elements(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task);
gfp_status gfp_operand_multiply_elements(void *user, size_t from, size_t to, unsigned worker,
                                         gfp_task *task);

/* ---- calls that are not public ---- */

/* Bytes that the space holds, without its operands, without tables that the field keeps for all its
 * spaces, and without memory of a GPU. */
size_t gfp_space_bytes(const gfp_space *s);
gfp_space *gfp_operand_space(const gfp_operand *x);
/* Coefficients that an operand of s can hold. */
size_t gfp_space_length(const gfp_space *s);
/* x := n coefficients, canonical elements, leading zeros allowed. Errors: SIZE (n is above
 * gfp_space_length), MEMORY for the work area; x is unchanged then. A transform that began and
 * failed (CANCELLED, MEMORY, DEVICE) leaves x = 0. Cost: about a quarter of a product; on a GPU a
 * copy. */
GFP_MUST_CHECK gfp_status gfp_operand_set(gfp_operand *x, const uint64_t *digits, size_t n,
                                          const gfp_options *options);
/* c := coefficients from <= i < from + n of a x, where a has len_a coefficients. Cost: 0.75 of a
 * product, less than with an operand for a. c may be a. Errors: as gfp_poly_mul_operand. */
GFP_MUST_CHECK gfp_status gfp_vec_mul_operand(uint64_t *c, size_t from, size_t n, const uint64_t *a,
                                              size_t len_a, const gfp_operand *x,
                                              const gfp_options *options);

#endif
