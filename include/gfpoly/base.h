/* gfpoly/base.h: the base of every other header: status codes, error details, the allocation hook,
 * and the random generator.
 *
 * gfpoly computes with dense univariate polynomials over Z/pZ, p = r^k + 1. No function runs in
 * constant time: do not use the library on secrets.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_BASE_H
#define GFPOLY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GFP_BEGIN_DECLS extern "C" {
#define GFP_END_DECLS }
#else
#define GFP_BEGIN_DECLS
#define GFP_END_DECLS
#endif

#if defined(__GNUC__)
#define GFP_API __attribute__((visibility("default")))
#define GFP_MUST_CHECK __attribute__((warn_unused_result))
#else
#define GFP_API
#define GFP_MUST_CHECK
#endif

GFP_BEGIN_DECLS

/* The result of every call that can fail: 0 is success, a negative value is an error, a positive
 * value is no error. A call that returns an error leaves its outputs unchanged unless its own
 * comment says otherwise. */
typedef enum gfp_status {
    GFP_STALE = 2, /* a tuning was measured on another machine, or with another library */
    GFP_DONE = 1,  /* a supply has nothing left to deliver */
    GFP_OK = 0,
    GFP_ERR_MEMORY = -1,   /* the allocation hook returned NULL, or the device has no memory left */
    GFP_ERR_SIZE = -2,     /* a length or byte count does not fit size_t, or a limit */
    GFP_ERR_ARGUMENT = -3, /* an argument is outside its documented range */
    GFP_ERR_PARSE = -4,    /* malformed text */
    GFP_ERR_RANGE = -5,    /* a value that must lie in [0, p) does not */
    GFP_ERR_COMPOSITE = -6,      /* r^k + 1 is composite */
    GFP_ERR_MODULUS = -7,        /* not of the form r^k + 1 with supported r and k */
    GFP_ERR_UNPROVED = -8,       /* primality could be neither proved nor refuted */
    GFP_ERR_FIELD_MISMATCH = -9, /* operands belong to different fields, or different (k, r) */
    GFP_ERR_NOT_INVERTIBLE = -10,
    GFP_ERR_NO_ROOT = -11,     /* the transform length does not divide p - 1 */
    GFP_ERR_UNAVAILABLE = -12, /* this method cannot serve this problem, or was not built */
    GFP_ERR_UNKNOWN = -13,     /* no such name (method, field) */
    GFP_ERR_VERIFY = -14,      /* a computed result failed its verification */
    GFP_ERR_IO = -15,          /* reading or writing failed */
    GFP_ERR_VERSION = -16,     /* FLINT's headers and library differ */
    GFP_ERR_CANCELLED = -17,   /* the caller's progress callback asked to stop */
    GFP_ERR_DEVICE = -18       /* the GPU reported an error, or was lost */
} gfp_status;

/* Returns a short English phrase for a status; never NULL. */
GFP_API const char *gfp_status_string(gfp_status status);

/* Returns the library's version, "major.minor.patch". */
GFP_API const char *gfp_version(void);

/* How the library was built. The texts live as long as the process. */
typedef struct gfp_build_info {
    const char *compiler; /* name and version, such as "gcc 12.2.0" */
    const char *flint;    /* the version of FLINT that the library was built with; "": none */
    bool optimised;       /* by the compiler: times of other builds are meaningless */
    bool threads; /* with OpenMP: calls of other builds use one thread, whatever number they are
                     asked for */
    bool mpi;     /* with libgfpoly_mpi (gfpoly/mpi.h), polynomials over ranks */
} gfp_build_info;
/* Returns the facts about this library. */
GFP_API const gfp_build_info *gfp_build_get_info(void);

#define GFP_NO_INDEX UINT64_MAX

/* The details of an error. Functions that take a gfp_error * write the error on failure only; the
 * argument may be NULL. */
typedef struct gfp_error {
    gfp_status status;
    uint64_t line;   /* 1-based line in the text that was read; 0 without a text */
    uint64_t column; /* 1-based column (bytes) */
    uint64_t offset; /* bytes from the start of the text to the error */
    uint64_t index;  /* of the coefficient, or whatever else the message numbers; or GFP_NO_INDEX */
    char message[240]; /* the reason, without a newline; always terminated */
} gfp_error;

/* The allocation hook. A field carries a copy of one allocator, and everything made over that field
 * uses this copy. allocate returns memory aligned for any object, or NULL; release gets the number
 * of bytes that allocate was called with. Both must be callable from every thread that uses the
 * field. */
typedef struct gfp_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *block, size_t bytes);
    void *user;
} gfp_allocator;

/* Frees a text that a call returned, such as gfp_poly_to_string, by the allocator that the call
 * took the text from; NULL is allowed. */
GFP_API void gfp_free(char *text);

/* A callback that a long call makes now and then; it decides whether the call goes on. step gets
 * the fraction of the work that is done: an estimate that never falls and goes from 0 to 1. If step
 * returns false, the call frees its memory, leaves its outputs as they were, and returns CANCELLED.
 * A call that finds nothing to compute does not call step.
 * step runs in the calling thread after every few 0.1 ms of work at k <= 32 (some ms at k = 128 and
 * above), and after 50 ms at most unless the call's own comment says otherwise. Moving and clearing
 * long vectors, which takes some 0.1 s for each GiB, does not call step. step may look at a flag
 * that a signal handler sets, redraw a bar, or let a host's interpreter run. step must not change
 * the operands, and must return (no longjmp, no exception). */
typedef struct gfp_progress {
    bool (*step)(void *user, double fraction);
    void *user;
} gfp_progress;

/* The generator xoshiro256**, seeded through SplitMix64: the same seed gives the same numbers on
 * every machine. The generator is not for cryptography. Threads must not share a generator without
 * a lock. */
typedef struct gfp_random {
    uint64_t state[4];
} gfp_random;

/* Sets the state of g from a seed. */
GFP_API void gfp_random_seed(gfp_random *g, uint64_t seed);
/* Returns the next number, uniform in [0, 2^64). */
GFP_API uint64_t gfp_random_u64(gfp_random *g);
/* Returns a number that is uniform in [0, bound), by rejection; bound = 0 stands for 2^64. */
GFP_API uint64_t gfp_random_below(gfp_random *g, uint64_t bound);

GFP_END_DECLS
#endif
