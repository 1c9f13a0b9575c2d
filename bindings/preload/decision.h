/* decision.h: whether a computation is faster here than in the host, by the predicted times of
 * both, with the conversions between them. A thread remembers its last decisions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_DECISION_H
#define GFP_DECISION_H

#include "gfpoly/field.h"
#include "bindings/preload/hosts.h"
#include "bindings/preload/settings.h"

typedef struct gfp_job_kind gfp_job_kind;

/* The size of a computation: all that a choice depends on. */
typedef struct gfp_job_size {
    const gfp_job_kind *kind;        /* modulo p */
    size_t len_a, len_b, first, end; /* len_a >= len_b; end - first coefficients of results */
    size_t bits;                     /* of p; 0: over Z */
    size_t bits_a, bits_b;           /* of the longest coefficients, or somewhat more */
    bool square;
} gfp_job_size;

/* A kind of computation modulo p: a row. Times are predictions in nanoseconds, without conversions.
 */
struct gfp_job_kind {
    gfp_count taken, passed; /* the counters */
    /* On one thread; HUGE_VAL: no method of this library computes it. */
    double (*own_ns)(const gfp_field *field, const gfp_job_size *size);
    double (*host_ns)(const gfp_host *host, const gfp_job_size *size);
};

/* Whether the product modulo p is that over Z, which the host does not reduce. */
bool gfp_job_is_short(const gfp_job_size *size);

/* own_ns of products. */
double gfp_decision_product_ns(const gfp_field *field, const gfp_job_size *size);

typedef struct gfp_decision {
    bool take;
    double ns; /* the predicted time here, one thread */
} gfp_decision;

/* A computation is taken if its predicted time here is below this part of the host's. */
#define GFP_DECISION_MARGIN 0.8

/* ---- what each library for LD_PRELOAD defines ---- */

/* The predicted nanoseconds of the host for a product modulo p. */
double gfp_host_mod_ns(const gfp_host *host, const gfp_job_size *size);
/* The predicted nanoseconds of a call, and of converting in and out coefficients of these limbs. */
double gfp_host_convert_ns(double limbs, double in, double out);
/* The most threads that the host's user allows. */
int gfp_host_threads(const gfp_host *host);

/* The part of the time for all coefficients of a product that the host takes for those asked for: a
 * fixed part, the rest by their number. */
double gfp_host_part(const gfp_job_size *size);

/* ---- decisions ---- */

/* Compares the times of both. where: the field or the ring. */
typedef gfp_decision gfp_comparison(const gfp_host *host, void *where, const gfp_job_size *size);
/* The decision that the thread remembers for such a computation, or else that of the comparison. */
gfp_decision gfp_decide(gfp_comparison *compare, const gfp_host *host, void *where,
                        const gfp_job_size *size);
gfp_decision gfp_decide_mod(const gfp_host *host, const gfp_field *field, const gfp_job_size *size);

#endif
