/* call.h: the frame of a call over Z: options, memory with its cap, progress, report.
 *
 * A call is begun, computes, and is ended; the end frees all of its arrays. Outputs are written
 * after the last step that can fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_CALL_H
#define GFP_MODULAR_CALL_H

#include "field/base/call.h"
#include "field/base/parallel.h"
#include "modular/ring.h"
#include "modular/vec.h"

typedef enum gfp_zmethod {
    GFP_Z_AUTO,
    GFP_Z_WORDS,
    GFP_Z_BIG,
    GFP_Z_FLINT,
    GFP_Z_KRONECKER,
    GFP_Z_CLASSICAL,
    GFP_Z_SHORT,
    GFP_Z_WORDS_GPU,
    GFP_Z_METHODS
} gfp_zmethod;

extern const char *const gfp_zmethod_names[GFP_Z_METHODS];

struct gfp_zcall_array;

typedef struct gfp_zcall {
    gfp_zring *ring;
    const gfp_options *options;
    const char *name; /* for messages: "a resultant over Z" */
    gfp_zmethod method;
    bool cofactors; /* of a gcd: whether they are needed, by the caller or a check */
    gfp_error error;
    gfp_report report;
    gfp_task task;
    gfp_progress forwarded;       /* for calls inside */
    size_t left;                  /* bytes of the cap; SIZE_MAX: any number */
    struct gfp_zcall_array *last; /* the array made last */
    uint64_t start, checked_from; /* times; 0: no check yet */
    gfp_options copy;
} gfp_zcall;

/* Begins a call. Errors: those of reading options; UNKNOWN (no such method). A call that was not
 * begun is not ended. */
gfp_status gfp_zcall_begin(gfp_zcall *call, const char *name, gfp_zring *ring,
                           const gfp_options *options);
/* Frees arrays, fills the caller's report or error; returns the status. */
gfp_status gfp_zcall_end(gfp_zcall *call, gfp_status status);
/* The last step before outputs are written. Errors: CANCELLED. */
gfp_status gfp_zcall_finish(gfp_zcall *call);
/* From now on the call checks its result. */
void gfp_zcall_checks(gfp_zcall *call);
/* UNAVAILABLE, with a message that lists the names, unless the method is AUTO or its bit, 1 <<
 * gfp_zmethod, is set. */
gfp_status gfp_zcall_takes(gfp_zcall *call, unsigned methods);
/* UNAVAILABLE, with a message that names the method. */
gfp_status gfp_zcall_unavailable(gfp_zcall *call, const char *reason);
/* VERIFY, with a message. */
gfp_status gfp_zcall_wrong(gfp_zcall *call);
/* block := random primes, by the call's seed, for a comparison at random points of polynomials
 * whose differences have coefficients below 2^bits and this degree at most (gfp_words_draw); the
 * report tells of the comparison. Errors: UNAVAILABLE (no seed). */
gfp_status gfp_zcall_random_block(gfp_zcall *call, gfp_words *block, double bits, double degree);
/* The options of a call inside, over a field: its progress is the span that the caller begins. */
gfp_options gfp_zcall_inside(gfp_zcall *call);

/* *x := an array of n words, aligned to 64 bytes, its contents undefined. Errors: SIZE, MEMORY. */
gfp_status gfp_zcall_array(gfp_zcall *call, uint64_t **x, size_t n);
/* Whether the call may take these bytes elsewhere, until its end. Errors: MEMORY. */
gfp_status gfp_zcall_may_take(gfp_zcall *call, size_t bytes);
/* Bytes that the call took elsewhere are free again. */
void gfp_zcall_give_back(gfp_zcall *call, size_t bytes);
/* Arrays made after a mark are freed by the release to the mark. */
typedef struct gfp_zcall_array *gfp_zcall_mark;
static inline gfp_zcall_mark gfp_zcall_mark_here(const gfp_zcall *call)
{
    return call->last;
}
void gfp_zcall_release(gfp_zcall *call, gfp_zcall_mark mark);

/* The fractions of the steps to come count from where the call is to the fraction `to` of the call;
 * for all of them the call is one part. */
void gfp_zcall_part(gfp_zcall *call, double to);
/* Begins a step of `units` items of about `cost` products of words each, up to the fraction `to` of
 * the part. Errors: CANCELLED. */
gfp_status gfp_zcall_step(gfp_zcall *call, double to, double units, double cost);
/* The same, up to a share of what is left of the part: for steps whose number is unknown. */
gfp_status gfp_zcall_step_on(gfp_zcall *call, double share, double units, double cost);

#endif
