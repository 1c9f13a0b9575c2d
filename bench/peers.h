/* bench/peers.h: gfpoly_peers' interface to another library. Operands and product are integers in
 * [0, p), `limbs` 64-bit words per coefficient, least significant first; only `multiply` is timed.
 * For C and C++.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PEER_EXPORT __attribute__((visibility("default")))
#else
#define PEER_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_problem {
    const uint64_t *p; /* the modulus */
    size_t limbs;
    const uint64_t *a, *b; /* len coefficients each */
    size_t len;
} peer_problem;

typedef struct peer {
    const char *name;
    const char *version;
    /* Converts the operands to the library's own form; NULL without memory. */
    void *(*start)(const peer_problem *problem);
    /* Multiplies; timed. Returns false without memory. The argument is a void * for measure(). */
    bool (*multiply)(void *state);
    /* c := n coefficients of the product, with zeros beyond its length. */
    void (*get)(const void *state, uint64_t *c, size_t n);
    void (*finish)(void *state);
} peer;

/* Exists in builds with FLINT, and in each module for --flint. */
extern PEER_EXPORT const peer peer_flint;
extern const peer peer_ntl; /* exists in builds with NTL */

#ifdef __cplusplus
}
#endif
#endif
