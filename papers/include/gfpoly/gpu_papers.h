/* gfpoly/gpu_papers.h: what the papers' comparisons need on a CUDA device: their transforms over
 * Z/pZ, transforms over word-size primes, and their rival. What gfpoly/gpu.h says of contexts,
 * arrays and failures holds here. Where papers/ has nothing for a context's device, plans are
 * UNAVAILABLE.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_PAPERS_H
#define GFPOLY_GPU_PAPERS_H

#include "gfpoly/gpu.h"
#include "gfpoly/rival.h"

GFP_BEGIN_DECLS

/* ---- times of steps ---- */

/* Times of the steps of a plan's last call: each step's share, all its kernels together. */
#define GFP_GPU_MAX_STEPS 8
typedef struct gfp_gpu_times {
    unsigned count;
    struct {
        const char *name; /* "permutation", "twiddle", "base case", ...; static */
        double ms;
        unsigned kernels; /* how many launches */
    } step[GFP_GPU_MAX_STEPS];
} gfp_gpu_times;

/* ---- the papers' transforms over Z/pZ ---- */

/* "Big prime field FFT on the GPU", ISSAC 2017: digits N apart, N = (2k)^e, the operators of
 * Prop. 3 as separate kernels. Steps: "layout" (digits N apart and back), "permutation", "twiddle",
 * "scaling" (by 1/N), and "base case" (a DFT_2k in one kernel) or, where the plan is split, "shift"
 * and "add-sub" (a kernel for the shifts and one for the butterflies of every stage of DFT_2k). */
typedef struct gfp_gpu_papers_fft_options {
    size_t batch; /* transforms at once; 0 stands for 1 */
    bool split;
    bool cyclic, negacyclic; /* as in gfp_gpu_fft_options */
    bool timed;              /* steps are timed; calls cannot be captured */
} gfp_gpu_papers_fft_options;

/* A plan for the functions of gfpoly/gpu.h. options may be NULL (all zero). Errors: as
 * gfp_gpu_fft_plan_create (UNAVAILABLE: N is no power of 2k); *plan is unchanged.
 * gfp_gpu_fft_plan_form of the plan is AUTO. */
GFP_API GFP_MUST_CHECK gfp_status
gfp_gpu_papers_fft_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                          const gfp_gpu_papers_fft_options *options, gfp_error *error);
/* The steps of the last transform of such a plan; waits for it. Errors: ARGUMENT (another kind of
 * plan, not timed, or no transform yet), DEVICE; *times is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_papers_fft_times(gfp_gpu_fft_plan *plan,
                                                           gfp_gpu_times *times);

/* ---- transforms over word-size primes ---- */

/* `count` primes, `batch` vectors of N residues for each: vector b modulo prime i starts at residue
 * (i batch + b) N. */
typedef struct gfp_gpu_ntt_plan gfp_gpu_ntt_plan;

/* How a residue is multiplied by a power of the root. The fast form, GFP_NTT_BLOCKED, is built for
 * MONTGOMERY and FP64, the papers' forms for all. */
typedef enum gfp_gpu_ntt_product {
    GFP_GPU_NTT_PRODUCT_AUTO = 0, /* the fastest for these primes */
    GFP_GPU_NTT_SHOUP,            /* a precomputed quotient per power; q < 2^62 */
    GFP_GPU_NTT_MONTGOMERY,       /* q < 2^62 */
    GFP_GPU_NTT_DOUBLE_QUOTIENT,  /* a b - trunc(a b (1/q)) q, the quotient in double; q < 2^30 */
    GFP_GPU_NTT_FP64              /* three-term products in double precision; q < 2^50 */
} gfp_gpu_ntt_product;

typedef struct gfp_gpu_ntt_options {
    size_t batch;      /* 0 stands for 1 */
    gfp_ntt_form form; /* the papers' forms run their steps as separate kernels */
    gfp_gpu_ntt_product product;
    bool packed;       /* residues are 32-bit, two to a word; every q < 2^31 */
    bool convolutions; /* work space and tables for convolutions are made */
    bool timed;        /* steps are timed; the papers' forms only */
} gfp_gpu_ntt_options;

/* A plan for count primes (copied) and length n (a power of two, 1 included; 2 at least if packed).
 * options may be NULL. Calls allocate nothing and may be captured (unless timed); one at a time.
 * Errors, the error argument saying which: ARGUMENT (count 0, n not a power of two, no odd primes
 * below 2^62, too large for the product, no such form or product), NO_ROOT, UNAVAILABLE (a
 * combination that is not built), SIZE, MEMORY, DEVICE; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu,
                                                          const uint64_t *primes, size_t count,
                                                          size_t n,
                                                          const gfp_gpu_ntt_options *options,
                                                          gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan);
GFP_API size_t gfp_gpu_ntt_plan_length(const gfp_gpu_ntt_plan *plan);
GFP_API size_t gfp_gpu_ntt_plan_batch(const gfp_gpu_ntt_plan *plan);
GFP_API size_t gfp_gpu_ntt_plan_prime_count(const gfp_gpu_ntt_plan *plan);
GFP_API uint64_t gfp_gpu_ntt_plan_prime(const gfp_gpu_ntt_plan *plan, size_t i);
/* That of gfp_ntt_plan_root for prime i and N. */
GFP_API uint64_t gfp_gpu_ntt_plan_root(const gfp_gpu_ntt_plan *plan, size_t i);
/* Never AUTO: what was chosen. */
GFP_API gfp_ntt_form gfp_gpu_ntt_plan_form(const gfp_gpu_ntt_plan *plan);
GFP_API gfp_gpu_ntt_product gfp_gpu_ntt_plan_product(const gfp_gpu_ntt_plan *plan);
/* Words of an array that holds all residues: count batch N, half of it if packed. */
GFP_API size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan);
/* Bytes of device memory that the plan holds. */
GFP_API size_t gfp_gpu_ntt_plan_bytes(const gfp_gpu_ntt_plan *plan);
/* "auto", "shoup", "montgomery", "double-quotient", "fp64"; never NULL. */
GFP_API const char *gfp_gpu_ntt_product_name(gfp_gpu_ntt_product product);

/* y := DFT_N(x) and x := its inverse, 1/N included, of every vector; y in the given order, x
 * natural. Residues in [0, q). y may be x, else must not overlap it. Errors: ARGUMENT (an array too
 * short, overlapping, or of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y,
                                                      const gfp_gpu_array *x, gfp_order order);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x,
                                                      const gfp_gpu_array *y, gfp_order order);
/* z := x y, residue by residue; z may be x or y. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_mul_pointwise(gfp_gpu_ntt_plan *plan,
                                                            gfp_gpu_array *z,
                                                            const gfp_gpu_array *x,
                                                            const gfp_gpu_array *y);
/* z := c_i x, residue by residue, for prime i, by the plan's product: c of as many words as there
 * are primes, any words, on the host, read before the call returns. z may be x. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, const uint64_t *c);
/* c := a b mod (X^N - 1), and mod (X^N + 1), vector by vector. c may be a or b. Errors: as above;
 * NO_ROOT when 2N does not divide some q - 1; ARGUMENT where the plan was not made for it. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan,
                                                              gfp_gpu_array *c,
                                                              const gfp_gpu_array *a,
                                                              const gfp_gpu_array *b);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_convolve_negacyclic(gfp_gpu_ntt_plan *plan,
                                                                  gfp_gpu_array *c,
                                                                  const gfp_gpu_array *a,
                                                                  const gfp_gpu_array *b);
/* As gfp_gpu_papers_fft_times. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan,
                                                         gfp_gpu_times *times);

/* ---- the papers' rival ---- */

/* The CPU's rival (gfpoly/rival.h) on the device: the same primes, roots, residues
 * and integers. */
typedef struct gfp_gpu_rival_plan gfp_gpu_rival_plan;

typedef struct gfp_gpu_rival_options {
    gfp_crt_rival_primes primes;
    gfp_ntt_form form; /* of the transforms */
    gfp_gpu_ntt_product product;
} gfp_gpu_rival_options;

/* A plan for N = n elements (a power of two, 1 included) of the field, which must outlive it.
 * options may be NULL. Its steps are always timed: its calls cannot be captured. Errors: as
 * gfp_crt_rival_plan_create and gfp_gpu_ntt_plan_create; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                                            const gfp_field *field, size_t n,
                                                            const gfp_gpu_rival_options *options,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan);
GFP_API size_t gfp_gpu_rival_plan_length(const gfp_gpu_rival_plan *plan);
GFP_API const gfp_field *gfp_gpu_rival_plan_field(const gfp_gpu_rival_plan *plan);
GFP_API gfp_crt_rival_primes gfp_gpu_rival_plan_kind(const gfp_gpu_rival_plan *plan);
GFP_API size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan);
GFP_API uint64_t gfp_gpu_rival_plan_prime(const gfp_gpu_rival_plan *plan, size_t i);
/* Words of an integer modulo q_1 ... q_s. */
GFP_API size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan);
GFP_API size_t gfp_gpu_rival_plan_bytes(const gfp_gpu_rival_plan *plan);

/* The three steps, and all of them, as gfp_crt_rival_project, _transform, _recombine and _forward:
 * x of N elements, residues and y of s N words, z of N gfp_gpu_rival_plan_words words (NULL in
 * forward: without step 3). Only y may be x, in transform. Errors: ARGUMENT (an array too short,
 * overlapping, or of another context; inside a capture), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_project(gfp_gpu_rival_plan *plan,
                                                        gfp_gpu_array *residues,
                                                        const gfp_gpu_array *x);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_transform(gfp_gpu_rival_plan *plan,
                                                          gfp_gpu_array *y, const gfp_gpu_array *x);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_recombine(gfp_gpu_rival_plan *plan,
                                                          gfp_gpu_array *z,
                                                          const gfp_gpu_array *residues);
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                                        gfp_gpu_array *y, const gfp_gpu_array *x);
/* The steps "project", "transform", "recombine" of the last call; waits for it. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan,
                                                           gfp_gpu_times *times);

GFP_END_DECLS
#endif
