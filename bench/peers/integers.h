/* bench/peers/integers.h: gfpoly_zpeers' interface to another library: operations on polynomials
 * over Z. An integer is `width` 64-bit words in two's complement, least significant first; only
 * `run` is timed. For C and C++.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_ZPEERS_H
#define BENCH_PEERS_ZPEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/peers/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zpeer_operation {
    ZPEER_MUL,       /* a b */
    ZPEER_GCD,       /* the gcd of a and b, its leading coefficient positive */
    ZPEER_RESULTANT, /* one integer */
    ZPEER_OPERATIONS
} zpeer_operation;

typedef struct zpeer_problem {
    zpeer_operation operation;
    const uint64_t *a, *b;
    size_t len_a, len_b, width;
} zpeer_problem;

typedef struct zpeer {
    const char *name;
    const char *version;
    /* Whether the library can compute this. */
    bool (*serves)(const zpeer_problem *problem);
    /* Converts the operands to the library's own form; NULL without memory. */
    void *(*start)(const zpeer_problem *problem);
    /* Computes; timed. Returns false without memory. The argument is a void * for measure(). */
    bool (*run)(void *state);
    /* Whether the result is these n integers. */
    bool (*equals)(const void *state, const uint64_t *c, size_t n, size_t width);
    void (*finish)(void *state);
} zpeer;

extern PEER_EXPORT const zpeer zpeer_flint; /* exists in builds with FLINT, and in modules */
extern const zpeer zpeer_ntl;               /* exists in builds with NTL */

#ifdef __cplusplus
}
#endif
#endif
