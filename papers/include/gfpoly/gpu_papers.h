/* gfpoly/gpu_papers.h: calls for the papers' comparisons on a CUDA device: the papers' transforms
 * over Z/pZ, transforms over word-size primes, and the papers' rival. The rules of gfpoly/gpu.h for
 * contexts, arrays and failures hold here, too. If papers/ does not support a context's device,
 * plans are UNAVAILABLE.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_GPU_PAPERS_H
#define GFPOLY_GPU_PAPERS_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

/* ---- times of steps ---- */

/* Times of the steps of a plan's last call: the share of each step, with all its
 * kernels together. */
#define GFP_GPU_MAX_STEPS 8
typedef struct gfp_gpu_times {
    unsigned count;
    struct {
        const char *name; /* "permutation", "twiddle", "base case", ...; static */
        double ms;
        unsigned kernels; /* number of launches */
    } step[GFP_GPU_MAX_STEPS];
} gfp_gpu_times;

/* ---- the papers' transforms over Z/pZ ---- */

/* "Big prime field FFT on the GPU", ISSAC 2017: digits N apart, N = (2k)^e, the operators of Prop.
 * 3 as separate kernels. Steps: "layout" (to digits N apart and back), "permutation", "twiddle",
 * "scaling" (by 1/N), and "base case" (a DFT_2k in one kernel). If the plan is split, "shift" and
 * "add-sub" replace "base case": a kernel for the shifts and one for the butterflies of every stage
 * of DFT_2k. */
typedef struct gfp_gpu_papers_fft_options {
    size_t batch; /* transforms at once; 0 means 1 */
    bool split;
    bool timed; /* times the steps; calls cannot be captured */
    /* Threads of a block, in every kernel of a call: 64, 128, 256 or 512; 0 means 256. At least k,
     * since a block holds whole base cases. */
    unsigned threads;
} gfp_gpu_papers_fft_options;

/* Creates a plan for the functions of gfpoly/gpu.h. options may be NULL (all zero). Errors: as
 * gfp_gpu_fft_plan_create (ARGUMENT also: no such number of threads; UNAVAILABLE: N is not a power
 * of 2k); *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status
gfp_gpu_papers_fft_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                          const gfp_gpu_papers_fft_options *options, gfp_error *error);
/* *times := the steps of the last transform of such a plan; waits for the transform. Errors:
 * ARGUMENT (another kind of plan, not timed, or no transform yet), DEVICE; *times is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_papers_fft_times(gfp_gpu_fft_plan *plan,
                                                           gfp_gpu_times *times);

/* ---- transforms over word-size primes ---- */

/* The forms of the transform ("Big prime field FFT on the GPU", ISSAC 2017, section 7, and the 2010
 * paper on products of polynomials on a GPU); the papers' forms run steps as separate kernels. */
typedef enum gfp_ntt_form {
    GFP_NTT_BLOCKED = 0, /* the library's: in place, several levels per pass over the data */
    /* Levels of butterflies of radix 2 between bit reversal and result; level i reads every 2^i-th
     * entry of one table of N/2 powers. */
    GFP_NTT_COOLEY_TUKEY,
    /* Like COOLEY_TUKEY, with these "jumped" powers tabulated, too: N/2 entries more. */
    GFP_NTT_COOLEY_TUKEY_TABULATED,
    /* Out of place, natural order in and out without bit reversal. */
    GFP_NTT_STOCKHAM
} gfp_ntt_form;

/* "blocked", "cooley-tukey", "cooley-tukey-tabulated", "stockham"; never NULL. */
GFP_API const char *gfp_ntt_form_name(gfp_ntt_form form);

/* `count` primes, `batch` vectors of N residues for each: vector b modulo prime i starts at residue
 * (i batch + b) N. */
typedef struct gfp_gpu_ntt_plan gfp_gpu_ntt_plan;

/* The ways to multiply a residue by a power of the root. BLOCKED is built for MONTGOMERY. */
typedef enum gfp_gpu_ntt_product {
    GFP_GPU_NTT_MONTGOMERY = 0, /* q < 2^31 */
    GFP_GPU_NTT_DOUBLE_QUOTIENT /* a b - trunc(a b (1/q)) q, the quotient in double; q < 2^30 */
} gfp_gpu_ntt_product;

typedef struct gfp_gpu_ntt_options {
    size_t batch; /* 0 means 1 */
    gfp_ntt_form form;
    gfp_gpu_ntt_product product;
    bool packed;       /* residues have 32 bits, two per word */
    bool convolutions; /* makes work space for convolutions */
    bool timed;        /* times the steps; the papers' forms only */
} gfp_gpu_ntt_options;

/* Creates a plan for `count` primes (copied) below 2^31, in the form BLOCKED without `packed` below
 * 2^62, and length n (a power of two, 1 included; at least 2 if packed). options may be NULL. Calls
 * allocate nothing and can be captured (unless timed); a plan serves one call at a time. Errors,
 * with the reason in the error argument: ARGUMENT (count is 0, n is not a power of two, a modulus
 * is not an odd prime or too large for the form or the product, or the form or product is
 * unknown), NO_ROOT, UNAVAILABLE (a combination that is not built), SIZE, MEMORY, DEVICE; *plan is
 * unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu,
                                                          const uint64_t *primes, size_t count,
                                                          size_t n,
                                                          const gfp_gpu_ntt_options *options,
                                                          gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan);
/* Words of an array that holds all residues: count batch N, or half as many if packed. */
GFP_API size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan);

/* y := DFT_N(x) of every vector, in natural order, at g^((q - 1) / N), where g is the least
 * quadratic non-residue of q. Residues are in [0, q). y may be x, else must not overlap it. Errors:
 * ARGUMENT (an array is too short, overlaps, or is of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y,
                                                      const gfp_gpu_array *x);
/* z := c_i x, residue by residue, for prime i, by the plan's product. c has a word for each prime;
 * c lies on the host, may hold any words, and is read before the call returns. z may be x. Errors:
 * as above; UNAVAILABLE if a prime exceeds 2^31. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z,
                                                    const gfp_gpu_array *x, const uint64_t *c);
/* c := a b mod (X^N - 1), vector by vector. c may be a or b. Errors: as above; ARGUMENT if the plan
 * was not made for convolutions. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan,
                                                              gfp_gpu_array *c,
                                                              const gfp_gpu_array *a,
                                                              const gfp_gpu_array *b);
/* Like gfp_gpu_papers_fft_times. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan,
                                                         gfp_gpu_times *times);

/* ---- the papers' rival ---- */

/* Steps 1 to 3 of papers/rival/half.h on the device, with the same primes, residues and integers.
 */
typedef struct gfp_gpu_rival_plan gfp_gpu_rival_plan;

typedef struct gfp_gpu_rival_options {
    gfp_ntt_form form; /* of the transforms, by Montgomery's product */
    size_t batch;      /* vectors at once; 0 means 1 */
} gfp_gpu_rival_options;

/* Creates a plan for vectors of N = n elements (a power of two, 1 included) of the field, which
 * must outlive the plan. options may be NULL (one vector). Errors: ARGUMENT, UNAVAILABLE (too few
 * primes below 2^31), and as gfp_gpu_ntt_plan_create; *plan is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                                            const gfp_field *field, size_t n,
                                                            const gfp_gpu_rival_options *options,
                                                            gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan);
/* s, the number of primes. */
GFP_API size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan);
/* Words of an integer modulo q_1 ... q_s. */
GFP_API size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan);

/* The three steps for all vectors: x has batch N elements, vector after vector, y has s batch N
 * words (vector b modulo prime i starts at word (i batch + b) N), z has batch N
 * gfp_gpu_rival_plan_words words (NULL: without step 3). Errors: ARGUMENT (an array is too short,
 * overlaps, or is of another context), DEVICE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                                        gfp_gpu_array *y, const gfp_gpu_array *x);

GFP_END_DECLS
#endif
