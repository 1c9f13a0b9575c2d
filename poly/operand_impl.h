/* operand_impl.h: what the files of operands share: operand_space.c (what operands made alike have
 * in common), operand.c (operands, their calls, the way there), operand_arith.c, operand_back.c.
 *
 * Operands of hybrid live in a ring of crt/hybrid_ring.h and keep account of what a leaf's
 * coefficient may be; those of bigfft are vectors over Z/pZ; those of methods on a GPU are the
 * coefficients, and a transform on the device from their first product on (operand_device.h). Where
 * they are verified each has its polynomial's values at a few points, which sums and products carry
 * on. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_OPERAND_IMPL_H
#define GFP_OPERAND_IMPL_H

#include <stdatomic.h>

#include "gfpoly/operand.h"
#include "hybrid_ring.h"
#include "methods.h"
#include "operand_device.h"
#include "parallel.h"
#include "work.h"

typedef enum gfp_operand_kind {
    GFP_OPERAND_HYBRID,
    GFP_OPERAND_BIGFFT,
    GFP_OPERAND_DEVICE
} gfp_operand_kind;

/* What operands made alike share. */
typedef struct gfp_operand_space {
    atomic_size_t owners;
    const gfp_field *field;
    gfp_operand_kind kind;
    gfp_hybrid_ring ring;       /* of hybrid */
    gfp_fft_plan *plan;         /* of bigfft; else NULL */
    gfp_operand_device *device; /* of a method on a GPU; else NULL */
    bool free_choice; /* nobody asked for the method: where a GPU fails, the CPU goes on */
    size_t length;
    size_t words; /* of an operand */
    bool cyclic;
    /* What calls may use that say nothing else, as asked for, and what a product takes. */
    unsigned threads;
    size_t cap;
    const gfp_method *method;
    double ns;
    unsigned points; /* of verification */
    uint64_t point[GFP_VERIFY_MAX_POINTS];
} gfp_operand_space;

/* hybrid: a factor is a sum of `weight` polynomials with balanced digits; a product's leaves have
 * coefficients of `weight` terms. Zero has weight 0 and is of either kind. */
struct gfp_fft_operand {
    gfp_operand_space *space;
    uint64_t *block; /* space->words, the values at the points, and the alignment of */
    uint64_t *words;
    size_t len; /* its polynomial has at most so many coefficients */
    size_t weight;
    bool product;
    /* On a GPU: the transform; apart, since the first product by an operand that nobody changes
     * makes it. */
    gfp_device_transform *there;
};

/* The work area of a call: none, one for transforms alone, or one for what begins or ends with
 * polynomials. */
typedef enum gfp_operand_extent {
    GFP_OPERAND_NO_WORK,
    GFP_OPERAND_FEW,
    GFP_OPERAND_WHOLE
} gfp_operand_extent;

/* What a call may use. */
typedef struct gfp_operand_call {
    const gfp_operand_space *s;
    gfp_error *error, *gpu_error;
    bool said; /* the error is filled */
    gfp_task watched, unwatched;
    gfp_task *task;   /* tells the caller how far the call is */
    gfp_task *quiet;  /* for steps that do not, nor can be cancelled */
    size_t cap, left; /* bytes: the cap, and what is left of it; SIZE_MAX: any number */
    gfp_work area;
    uint64_t *work;
} gfp_operand_call;

/* An operand as some operation needs it: x itself, or one opened for it. */
typedef struct gfp_operand_stand_in {
    const gfp_fft_operand *x;
    gfp_fft_operand own;
    bool owned;
} gfp_operand_stand_in;

/* Vectors over Z/pZ for an operation on elements, which takes what it needs of this. */
typedef struct gfp_operand_elements {
    const gfp_field *field;
    uint64_t *z;
    const uint64_t *x, *y;
    int sign;
    unsigned log2_n;
} gfp_operand_elements;

/* ---- shares of a product's time ---- */

#define GFP_OPERAND_TRANSFORM_SHARE 0.25
#define GFP_OPERAND_ADD_SHARE 0.05
#define GFP_OPERAND_MULTIPLY_SHARE 0.2
#define GFP_OPERAND_RESTORE_SHARE 0.35
#define GFP_OPERAND_MULTIPLY_BY_SHARE 0.75

/* ---- spaces (operand_space.c) ---- */

/* Options that are there; gpu_error says OK so far. */
const gfp_operand_options *gfp_operand_options_or_default(const gfp_operand_options *options);
/* As gfp_fft_operand_create; one owner. */
gfp_status gfp_operand_space_create(gfp_operand_space **made, const gfp_field *field, size_t length,
                                    size_t terms, const gfp_operand_options *options);
/* One owner less. NULL is allowed. */
void gfp_operand_space_release(gfp_operand_space *s);
/* Whether operands of both go together. */
bool gfp_operand_alike(const gfp_operand_space *s, const gfp_operand_space *t);
/* *to (may be NULL) := the error. */
void gfp_operand_tell(gfp_error *to, const gfp_error *error);

/* ---- operands and calls (operand.c) ---- */

/* The words of an operand's block. Saturates. */
size_t gfp_operand_block_words(const gfp_operand_space *s);
/* The values at the points. */
uint64_t *gfp_operand_values(const gfp_fft_operand *x);
/* It has changed, or goes: its transform on a GPU is another's. */
void gfp_operand_forget(gfp_fft_operand *x);
/* c takes over what x has, and x c's. */
void gfp_operand_exchange(gfp_fft_operand *c, gfp_fft_operand *x);
void gfp_operand_set_zero(gfp_fft_operand *x);

/* A call that takes `apart` bytes for polynomials, and this share of a product's time. Where the
 * cap does not suffice for the work areas of all threads: by one. */
gfp_status gfp_operand_call_begin(gfp_operand_call *w, const gfp_operand_space *s,
                                  const gfp_operand_options *options, gfp_operand_extent e,
                                  size_t apart, double share);
void gfp_operand_call_end(gfp_operand_call *w);
/* Fills the error of a call that ends so, unless it is; returns the status. */
gfp_status gfp_operand_say(gfp_status status, const gfp_operand_call *w);
/* x := an operand of its space for the time of the call. */
gfp_status gfp_operand_open_apart(gfp_operand_call *w, gfp_fft_operand *x);
void gfp_operand_shut_apart(gfp_operand_call *w, gfp_fft_operand *x);
/* The bytes of page-locked memory that a product takes. */
size_t gfp_operand_staging(const gfp_operand_space *s);
/* The one span of a call: units of hybrid's points, or so many transforms of bigfft, or words. */
bool gfp_operand_span(gfp_task *task, const gfp_operand_space *s, double units, double transforms);

/* y := the values of a polynomial at the points. */
void gfp_operand_evaluate(const gfp_operand_call *w, uint64_t *y, const uint64_t *a, size_t len);
/* Whether z, len >= 1 coefficients, has these values. */
gfp_status gfp_operand_compare_values(const gfp_operand_call *w, const uint64_t *values,
                                      const uint64_t *z, size_t len);
/* x := the transform of a; false: cancelled. */
bool gfp_operand_transform(gfp_fft_operand *x, const uint64_t *a, size_t len, uint64_t *work,
                           gfp_task *task);
/* The same for an operand, with its values. */
gfp_status gfp_operand_transform_to(gfp_operand_call *w, gfp_fft_operand *x, const gfp_poly *a);
gfp_status gfp_operand_check_fits(const gfp_operand_space *s, const gfp_poly *a, gfp_error *error);
/* The field of a polynomial or an operand; NULL: it is NULL, or was not initialised. */
static inline const gfp_field *gfp_operand_field_of(const gfp_fft_operand *x)
{
    return x != NULL ? x->space->field : NULL;
}
static inline const gfp_field *gfp_operand_poly_field(const gfp_poly *a)
{
    return a != NULL ? a->field : NULL;
}
gfp_status gfp_operand_same_field(const gfp_field *a, const gfp_field *b, gfp_error *error);

/* ---- arithmetic (operand_arith.c) ---- */

void gfp_operand_stand_in_clear(gfp_operand_call *w, gfp_operand_stand_in *y);
/* hybrid: makes a factor of weight 1 of it; a product of a factor. */
gfp_status gfp_operand_reduce(gfp_operand_call *w, gfp_operand_stand_in *y);
gfp_status gfp_operand_lift(gfp_operand_call *w, gfp_operand_stand_in *y);
/* hybrid: the terms of a b. */
size_t gfp_operand_product_terms(const gfp_fft_operand *a, const gfp_fft_operand *b);
/* Runs an operation, which finds its vectors in *e, over elements 0 <= i < n, in parts, by as many
 * threads as the task has (NULL: one). What it returns is dropped: where it asks the task whether
 * to go on, so does the caller afterwards. */
void gfp_operand_run_elements(gfp_parallel_run *run, gfp_operand_elements *e, size_t n,
                              gfp_task *task);
/* Such an operation; e->z := x y (sign 0), z + x y, z - x y. */
gfp_status gfp_operand_multiply_elements(void *user, size_t from, size_t to, unsigned worker,
                                         gfp_task *task);
/* FIELD_MISMATCH, ARGUMENT. */
gfp_status gfp_operand_check_alike(const gfp_fft_operand *c, const gfp_fft_operand *a,
                                   const gfp_fft_operand *b);
/* The length of a b, a and b not 0. SIZE. */
gfp_status gfp_operand_product_length(size_t *len, const gfp_operand_space *s, size_t len_a,
                                      size_t len_b);
/* z := coefficients first <= i < end of a b, neither 0, by the device of b; by the CPU where that
 * fails and nobody asked for it. */
gfp_status gfp_operand_multiply_there(gfp_operand_call *w, uint64_t *z, size_t first, size_t end,
                                      const uint64_t *a, size_t len_a, const gfp_fft_operand *b,
                                      gfp_task *task);
/* c := a b (sign 0), c + a b, c - a b; made alike. Fills the error of a call that fails, and where
 * a GPU failed and the CPU went on, the options' gpu_error; does not clear that. */
gfp_status gfp_operand_multiply(gfp_fft_operand *c, const gfp_fft_operand *a,
                                const gfp_fft_operand *b, int sign,
                                const gfp_operand_options *options);

#endif
