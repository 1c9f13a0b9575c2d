/* bench/peers/peer.h: gfpoly_peers' interface to another library. Coefficients of operands and
 * result are integers of `limbs` 64-bit words, least significant first: over Z/p in [0, p), over Z
 * in two's complement. Only `run` is timed. For C and C++.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

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

/* The operations, with operands a, b, f of random coefficients. */
typedef enum peer_operation {
    PEER_MUL,              /* a b */
    PEER_INVERSE,          /* 1 / a modulo X^n */
    PEER_QUOTIENT,         /* a / b modulo X^n */
    PEER_DIVREM,           /* quotient and remainder of a by b; the remainder is compared */
    PEER_REM,              /* the remainder of a by b alone */
    PEER_REM_FIXED,        /* a modulo a fixed f of degree n, which is prepared before */
    PEER_MULMOD,           /* a b modulo such an f */
    PEER_SQRMOD,           /* a^2 modulo such an f */
    PEER_POWMOD,           /* X^p modulo such an f */
    PEER_GCD,              /* the monic gcd of a and b */
    PEER_XGCD,             /* g = u a + v b; u is compared */
    PEER_RESULTANT,        /* an element */
    PEER_FROM_ROOTS,       /* the product of all X - a_i */
    PEER_EVALUATE,         /* the values of a at the points b_i */
    PEER_EVALUATE_KEPT,    /* the same with a tree of the points that is prepared before */
    PEER_INTERPOLATE,      /* the polynomial with values b_i at the points a_i */
    PEER_INTERPOLATE_KEPT, /* the same with a tree of the points that is prepared before */
    PEER_COMPOSE,          /* a(b) modulo f of degree n, which is not prepared */
    PEER_DISTINCT_DEGREE, /* for each d the product of the irreducible factors of degree d of a; the
                             sum of the squares of these is compared */
    PEER_FACTOR,          /* the irreducible factors of a; the sum of their squares is compared */
    PEER_SQR,             /* a^2; this one and the next ones in hosts alone (hosts.c) */
    PEER_MULLOW,          /* a b modulo X^n */
    PEER_Z_MUL,           /* over Z: a b */
    PEER_Z_GCD,           /* over Z: the gcd of a and b, its leading coefficient positive */
    PEER_Z_RESULTANT,     /* over Z: one integer */
    PEER_Z_SQR,           /* over Z: a^2 */
    PEER_Z_MULLOW,        /* over Z: a b modulo X^n */
    PEER_OPERATIONS
} peer_operation;

/* Whether the operation is modulo a polynomial f that is prepared before. */
static inline bool peer_is_prepared(peer_operation operation)
{
    return operation >= PEER_REM_FIXED && operation <= PEER_POWMOD;
}

/* Whether the result is a list of factors. */
static inline bool peer_has_factors(peer_operation operation)
{
    return operation == PEER_DISTINCT_DEGREE || operation == PEER_FACTOR;
}

typedef struct peer_problem {
    peer_operation operation;
    const uint64_t *p; /* the modulus; NULL over Z */
    size_t limbs;
    const uint64_t *a, *b, *f; /* NULL: the operation has no such operand */
    size_t len_a, len_b, len_f;
    size_t n; /* the length in the operation's definition */
} peer_problem;

typedef struct peer {
    const char *name;
    const char *version;
    bool over_z; /* else over Z/p */
    /* Whether the library has the operation for this modulus, or for operands of this size. */
    bool (*serves)(const peer_problem *problem);
    /* Converts the operands to the library's own form, and prepares; NULL without memory. */
    void *(*start)(const peer_problem *problem);
    /* Computes; timed. Returns false without memory, or if the library fails. The argument is a
     * void * for measure(). */
    bool (*run)(void *state);
    /* c := n coefficients of the result, of the problem's `limbs` words each, with zeros beyond its
     * length; over Z modulo 2^(64 limbs). NULL: the result is not given. */
    void (*get)(const void *state, uint64_t *c, size_t n);
    /* Over Z: whether the result is these n integers. */
    bool (*equals)(const void *state, const uint64_t *c, size_t n, size_t limbs);
    void (*finish)(void *state);
} peer;

/* Exist in builds with FLINT, and in each module for --flint: fmpz_mod_poly; generic polynomials
 * over mpn_mod, which serve nothing before FLINT 3.2; and fmpz_poly. */
extern PEER_EXPORT const peer peer_flint, peer_flint_gr, peer_flint_z;
extern const peer peer_ntl, peer_ntl_z; /* exist in builds with NTL: ZZ_pX and ZZX */

#ifdef __cplusplus
}
#endif
#endif
