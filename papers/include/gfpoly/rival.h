/* gfpoly/rival.h: what the papers' transform over Z/pZ is compared with ("Big prime field FFT on
 * the GPU", ISSAC 2017, section 7): a vector of N elements is projected to word-size primes q_1 ..
 * q_s, transformed modulo each, and recombined by the Chinese remainder theorem.
 *
 * The result is a DFT over the ring Z/(q_1 ... q_s), at roots that have nothing to do with those of
 * Z/pZ: it is no DFT over Z/pZ and gives no products there. It serves comparisons of speed, step by
 * step, and whoever needs integer vectors modulo several primes. A plan is immutable and shareable
 * between threads; what a call needs besides lies in its work area.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_RIVAL_H
#define GFPOLY_RIVAL_H

#include "gfpoly/ntt.h"

GFP_BEGIN_DECLS

/* N elements of k digits, by s primes. Residues are s arrays of N words, one after another: that of
 * element j modulo prime i at place i N + j, in [0, q_i). */
typedef struct gfp_crt_rival_plan gfp_crt_rival_plan;

/* Which primes. With 2^m = N, primes q < 2^31 with 2^m | q - 1 run out: 2k of them exist for k = 8
 * up to N = 2^23, for k = 128 up to 2^19. */
typedef enum gfp_crt_rival_primes {
    GFP_CRT_RIVAL_AUTO = 0,   /* half words where there are enough, else words */
    GFP_CRT_RIVAL_HALF_WORDS, /* as in the paper: the 2k greatest primes below 2^31 (below 2^30 for
                                 the product by double quotient). Their product has less than 62k
                                 bits, which may be less than p has. */
    GFP_CRT_RIVAL_WORDS /* the greatest primes below 2^62, as few as multiply to more than p */
} gfp_crt_rival_primes;

typedef struct gfp_crt_rival_options {
    gfp_crt_rival_primes primes;
    gfp_ntt_options ntt; /* form and modular product of the transforms */
} gfp_crt_rival_options;

/* Wall-clock nanoseconds of the three steps. */
typedef struct gfp_crt_rival_times {
    uint64_t project_ns;
    uint64_t transform_ns;
    uint64_t recombine_ns; /* 0 where it was not asked for */
} gfp_crt_rival_times;

/* A plan for N = n elements (a power of two, 1 included) of the field, which must outlive it and
 * whose allocator and kernel level it uses. options may be NULL (all automatic).
 * Errors, the error argument saying which: ARGUMENT (n not a power of two, no such kind of primes,
 * and what gfp_ntt_plan_create says of form and product), UNAVAILABLE (not enough primes of this
 * kind for this n), SIZE, MEMORY; *plan is unchanged. Cost: s plans of gfp_ntt_plan_create, finding
 * the primes, and about s^2 word products for the tables. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_plan_create(gfp_crt_rival_plan **plan,
                                                            const gfp_field *field, size_t n,
                                                            const gfp_crt_rival_options *options,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_crt_rival_plan_destroy(gfp_crt_rival_plan *plan);

GFP_API size_t gfp_crt_rival_plan_length(const gfp_crt_rival_plan *plan);
GFP_API const gfp_field *gfp_crt_rival_plan_field(const gfp_crt_rival_plan *plan);
/* Never AUTO: what was chosen. */
GFP_API gfp_crt_rival_primes gfp_crt_rival_plan_kind(const gfp_crt_rival_plan *plan);
/* The number s of primes; prime i < s, and the transform modulo it. Primes descend. */
GFP_API size_t gfp_crt_rival_plan_prime_count(const gfp_crt_rival_plan *plan);
GFP_API uint64_t gfp_crt_rival_plan_prime(const gfp_crt_rival_plan *plan, size_t i);
GFP_API const gfp_ntt_plan *gfp_crt_rival_plan_ntt(const gfp_crt_rival_plan *plan, size_t i);
/* Words of an integer modulo Q = q_1 ... q_s, and Q in so many words, least significant first. */
GFP_API size_t gfp_crt_rival_plan_words(const gfp_crt_rival_plan *plan);
GFP_API const uint64_t *gfp_crt_rival_plan_modulus(const gfp_crt_rival_plan *plan);
/* The kernels of projection and recombination in use: "portable", "avx2" or "avx512ifma". */
GFP_API const char *gfp_crt_rival_plan_kernels(const gfp_crt_rival_plan *plan);
/* Bytes that the plan itself holds, its transforms included. */
GFP_API size_t gfp_crt_rival_plan_bytes(const gfp_crt_rival_plan *plan);
/* Bytes of the work area of each call below; may be 0. Aligned to 8 bytes; 64 is better. Passing
 * NULL as work makes the call allocate and free it. */
GFP_API size_t gfp_crt_rival_workspace(const gfp_crt_rival_plan *plan);

/* Step 1: residues := x modulo each prime, x of N elements, canonical; the special element counts
 * as r^k. Errors: MEMORY only when work is NULL. Cost: k s N products of a digit and a word; for
 * half-word primes in vector lanes, about 6 k^2 N products of half words. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_project(const gfp_crt_rival_plan *plan,
                                                        uint64_t *residues, const uint64_t *x,
                                                        void *work);
/* Step 2: y := DFT_N of the residues modulo each prime, natural order, at gfp_ntt_plan_root of each
 * transform. y may equal x, else must not overlap it. Errors: MEMORY only when work is NULL. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_transform(const gfp_crt_rival_plan *plan,
                                                          uint64_t *y, const uint64_t *x,
                                                          void *work);
/* Step 3: z := the integers in [0, Q) with these residues, N of gfp_crt_rival_plan_words words,
 * element after element; z must not overlap the residues. Errors: MEMORY only when work is NULL.
 * Cost: s words N products of words; in vector lanes, about 4 k^2 N of half words. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_recombine(const gfp_crt_rival_plan *plan,
                                                          uint64_t *z, const uint64_t *residues,
                                                          void *work);
/* All three: y := the residues of the transform of x, z (NULL: without step 3) := the integers.
 * times may be NULL. Errors: MEMORY only when work is NULL. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_forward(const gfp_crt_rival_plan *plan, uint64_t *z,
                                                        uint64_t *y, const uint64_t *x,
                                                        gfp_crt_rival_times *times, void *work);

GFP_END_DECLS
#endif
