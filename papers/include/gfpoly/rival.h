/* gfpoly/rival.h: the papers' rival of their transform over Z/pZ ("Big prime field FFT on the GPU",
 * ISSAC 2017, section 7): a vector of N elements is projected to word-size primes q_1 .. q_s,
 * transformed modulo each prime, and recombined by the Chinese remainder theorem.
 *
 * The result is a DFT over the ring Z/(q_1 ... q_s), at roots that are unrelated to those of Z/pZ:
 * it is not a DFT over Z/pZ, and gives no products in Z/pZ. The rival serves comparisons of speed,
 * step by step, and applications of integer vectors modulo several primes. A plan is immutable and
 * shareable between threads; each call has its own work area.
 *
 * Calls take options as those of gfpoly/ntt.h do, with its common errors; the report's
 * method is "rival".
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_RIVAL_H
#define GFPOLY_RIVAL_H

#include "gfpoly/ntt.h"

GFP_BEGIN_DECLS

/* N elements of k digits, by s primes. Residues are s arrays of N words, one after another: the
 * residue of element j modulo prime i lies at place i N + j, in [0, q_i). */
typedef struct gfp_crt_rival_plan gfp_crt_rival_plan;

/* The kinds of primes. With 2^m = N, there are few primes q < 2^31 with 2^m | q - 1: 2k of them
 * exist for k = 8 up to N = 2^23, for k = 128 up to 2^19. */
typedef enum gfp_crt_rival_primes {
    GFP_CRT_RIVAL_AUTO = 0,   /* half words if there are enough, else words */
    GFP_CRT_RIVAL_HALF_WORDS, /* as in the paper: the 2k greatest primes below 2^31 (below 2^30 for
                                 the product by double quotient), whose product has fewer than 62k
                                 bits, which may be fewer than p has. */
    GFP_CRT_RIVAL_WORDS       /* the greatest primes below 2^62, as few as have a product above p */
} gfp_crt_rival_primes;

typedef struct gfp_crt_rival_options {
    gfp_crt_rival_primes primes;
    gfp_ntt_options ntt; /* form and modular product of the transforms */
} gfp_crt_rival_options;

/* Wall-clock nanoseconds of the three steps. */
typedef struct gfp_crt_rival_times {
    uint64_t project_ns;
    uint64_t transform_ns;
    uint64_t recombine_ns; /* 0 if it was not requested */
} gfp_crt_rival_times;

/* Creates a plan for N = n elements (a power of two, 1 included) of the field. The field must
 * outlive the plan, which uses its allocator and kernel level. options may be NULL (all automatic).
 * Errors, with the reason in the error argument: ARGUMENT (n is not a power of two, the kind of
 * primes is unknown, and the errors of gfp_ntt_plan_create for form and product), UNAVAILABLE (too
 * few primes of this kind for this n), SIZE, MEMORY; *plan is unchanged. Cost: s plans of
 * gfp_ntt_plan_create, the search for the primes, and about s^2 word products for the tables. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_plan_create(gfp_crt_rival_plan **plan,
                                                            const gfp_field *field, size_t n,
                                                            const gfp_crt_rival_options *options,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_crt_rival_plan_destroy(gfp_crt_rival_plan *plan);

GFP_API size_t gfp_crt_rival_plan_length(const gfp_crt_rival_plan *plan);
GFP_API const gfp_field *gfp_crt_rival_plan_field(const gfp_crt_rival_plan *plan);
/* The kind that was chosen; never AUTO. */
GFP_API gfp_crt_rival_primes gfp_crt_rival_plan_kind(const gfp_crt_rival_plan *plan);
/* The number s of primes; prime i < s, and the transform modulo prime i. Primes descend. */
GFP_API size_t gfp_crt_rival_plan_prime_count(const gfp_crt_rival_plan *plan);
GFP_API uint64_t gfp_crt_rival_plan_prime(const gfp_crt_rival_plan *plan, size_t i);
GFP_API const gfp_ntt_plan *gfp_crt_rival_plan_ntt(const gfp_crt_rival_plan *plan, size_t i);
/* The number of words of an integer modulo Q = q_1 ... q_s; and Q in that many words, least
 * significant first. */
GFP_API size_t gfp_crt_rival_plan_words(const gfp_crt_rival_plan *plan);
GFP_API const uint64_t *gfp_crt_rival_plan_modulus(const gfp_crt_rival_plan *plan);
/* The kernels of projection and recombination in use: "portable", "avx2" or "avx512ifma". */
GFP_API const char *gfp_crt_rival_plan_kernels(const gfp_crt_rival_plan *plan);
/* Bytes that the plan holds, its transforms included. */
GFP_API size_t gfp_crt_rival_plan_bytes(const gfp_crt_rival_plan *plan);
/* Bytes of the work area of each call below on at most `threads` threads (0: one). A work area must
 * be aligned to 8 bytes; 64 are better. If work is NULL, the call allocates and frees a work area,
 * for fewer threads where the cap does not suffice for all. */
GFP_API size_t gfp_crt_rival_workspace(const gfp_crt_rival_plan *plan, unsigned threads);

/* Step 1: residues := x modulo each prime, for x of N canonical elements; the special element
 * counts as r^k. Errors: the common ones. Cost: k s N products of a digit and a word;
 * for half-word primes in vector lanes, about 6 k^2 N products of half words. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_project(const gfp_crt_rival_plan *plan,
                                                        uint64_t *residues, const uint64_t *x,
                                                        void *work, const gfp_options *options);
/* Step 2: y := DFT_N of the residues modulo each prime, in natural order, at gfp_ntt_plan_root of
 * each transform. y may equal x, else must not overlap it. Errors: the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_transform(const gfp_crt_rival_plan *plan,
                                                          uint64_t *y, const uint64_t *x,
                                                          void *work, const gfp_options *options);
/* Step 3: z := the integers in [0, Q) with these residues, N integers of gfp_crt_rival_plan_words
 * words, element after element. z must not overlap the residues. Errors: the common ones.
 * Cost: s words N products of words; in vector lanes, about 4 k^2 N of half words. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_recombine(const gfp_crt_rival_plan *plan,
                                                          uint64_t *z, const uint64_t *residues,
                                                          void *work, const gfp_options *options);
/* All three steps: y := the residues of the transform of x, z := the integers (NULL: without step
 * 3). times may be NULL. Errors: the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_crt_rival_forward(const gfp_crt_rival_plan *plan, uint64_t *z,
                                                        uint64_t *y, const uint64_t *x,
                                                        gfp_crt_rival_times *times, void *work,
                                                        const gfp_options *options);

GFP_END_DECLS
#endif
