/* call.h: the frame of a call over Z: options, memory with its cap, progress, report.
 *
 * A call is begun, computes, and is ended; the end frees all of its arrays. Outputs are written
 * after the last step that can fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_CALL_H
#define GFP_MODULAR_CALL_H

#include "field/base/call.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
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

typedef struct gfp_zcall {
    gfp_call base; /* name: "a resultant over Z" */
    gfp_zring *ring;
    gfp_zmethod method;
    bool cofactors; /* of a gcd: whether they are needed, by the caller or a check */
} gfp_zcall;

/* Begins a call. Errors: those of reading options; a call that was not begun is not ended. */
gfp_status gfp_zcall_begin(gfp_zcall *call, const char *name, const gfp_options *options);
/* The same for a call that deals loops by the dealer of its options (gfp_call_deal): if a rank's
 * options are refused, the call of all ranks ends with this error. And tells the dealer of `count`
 * operands, after the start and before any loop. */
gfp_status gfp_zcall_begin_dealt(gfp_zcall *call, const char *name, const gfp_options *options);
void gfp_zcall_key(gfp_zcall *call, const gfp_zvec *x, size_t count);
/* The ring of an argument that may be NULL. */
#define GFP_ZRING(x) ((x) != NULL ? (x)->ring : NULL)
/* Starts the work of a call whose arguments have these rings. Errors: ARGUMENT (an argument is not
 * there), FIELD_MISMATCH (the rings differ), UNKNOWN (no such method). Here, static analysis sees
 * that the arguments are there. */
gfp_status gfp_zcall_start_in(gfp_zcall *call, gfp_zring *ring);
static inline gfp_status gfp_zcall_start(gfp_zcall *call, gfp_zring *const *rings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rings[i] == NULL) {
            return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: an argument is NULL",
                                 call->base.name);
        }
        if (rings[i] != rings[0]) {
            return gfp_error_set(&call->base.error, GFP_ERR_FIELD_MISMATCH,
                                 "%s: arguments of different rings", call->base.name);
        }
    }
    return gfp_zcall_start_in(call, rings[0]);
}
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

/* The fractions of the steps to come count from where the call is to the fraction `to` of the call;
 * for all of them the call is one part. */
void gfp_zcall_part(gfp_zcall *call, double to);
/* Begins a step of `units` items of about `cost` products of words each, up to the fraction `to` of
 * the part. Errors: CANCELLED. */
gfp_status gfp_zcall_step(gfp_zcall *call, double to, double units, double cost);
/* The same, up to a share of what is left of the part: for steps whose number is unknown. */
gfp_status gfp_zcall_step_on(gfp_zcall *call, double share, double units, double cost);

#endif
