/* gfpoly/ntt.h: the discrete Fourier transform over Z/qZ, q a prime of one word (the number
 * theoretic transform), in the forms and with the modular products of the papers.
 *
 * DFT_N: y_i = sum_j x_j w_N^(i j), N = 2^m dividing q - 1; w_N = gfp_ntt_plan_root. Natural order
 * is y_0, y_1, ...; permuted order holds y_i at place bitrev_m(i). Arrays hold N residues, each in
 * [0, q); larger words give meaningless residues. A plan is immutable and shareable between
 * threads; each call has its own work area. Every form, product and kernel level gives the same
 * residues.
 *
 * Calls take options as those of gfpoly/fft.h do, NULL for none: threads (0: one thread),
 * memory_cap (bounds the work area that a call without `work` allocates), progress, report (method:
 * the name of the form) and error. Residues do not depend on the number of threads; short
 * transforms use fewer than asked for. A child of fork that inherited the plan uses one thread.
 * Common errors: those of gfpoly/fft.h: UNKNOWN (a method is named), UNAVAILABLE (a verification is
 * requested), ARGUMENT (members of options), MEMORY (the cap or the allocator, only if work is
 * NULL; the output is unchanged), CANCELLED (by progress; the output is undefined).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_NTT_H
#define GFPOLY_NTT_H

#include "gfpoly/fft.h"

GFP_BEGIN_DECLS

typedef struct gfp_ntt_plan gfp_ntt_plan;

/* The forms of the transform ("Big prime field FFT on the GPU", ISSAC 2017, section 7, and the 2010
 * paper on fast Fourier transforms over finite fields on GPUs). */
typedef enum gfp_ntt_form {
    GFP_NTT_FORM_AUTO = 0, /* the fastest for this q and N: currently BLOCKED */
    /* Levels of butterflies of radix 2 between bit reversal and result; level i reads every 2^i-th
     * entry of one table of N/2 powers. */
    GFP_NTT_COOLEY_TUKEY,
    /* Like COOLEY_TUKEY, with these "jumped" powers tabulated, too: N/2 entries more. */
    GFP_NTT_COOLEY_TUKEY_TABULATED,
    /* Out of place, natural order in and out without bit reversal; a work area of N residues. */
    GFP_NTT_STOCKHAM,
    /* In place, several levels per pass over the data, powers in bit-reversed order. */
    GFP_NTT_BLOCKED
} gfp_ntt_form;

/* "auto", "cooley-tukey", "cooley-tukey-tabulated", "stockham", "blocked"; never NULL. */
GFP_API const char *gfp_ntt_form_name(gfp_ntt_form form);

/* The ways to multiply a residue by a power of the root. */
typedef enum gfp_ntt_product {
    GFP_NTT_PRODUCT_AUTO = 0, /* the fastest for this q: currently SHOUP */
    GFP_NTT_SHOUP,            /* a precomputed quotient per power */
    GFP_NTT_MONTGOMERY,
    GFP_NTT_DOUBLE_QUOTIENT /* a b - trunc(a b (1/q)) q, the quotient in double; q < 2^30 */
} gfp_ntt_product;

/* q < 2^GFP_NTT_MAX_BITS, and below 2^GFP_NTT_DOUBLE_QUOTIENT_BITS for the double quotient. */
#define GFP_NTT_MAX_BITS 62
#define GFP_NTT_DOUBLE_QUOTIENT_BITS 30

typedef struct gfp_ntt_options {
    gfp_ntt_form form;
    gfp_ntt_product product;
} gfp_ntt_options;

/* Creates a plan for the prime q and length n (a power of two, 1 included). options may be NULL
 * (all automatic), and so may allocator (malloc); the plan and its calls use the allocator. Kernels
 * are those of the CPU level in use, or the best other ones if those do not serve this q.
 * Errors, with the reason in the error argument: ARGUMENT (n is not a power of two, q is not an odd
 * prime, q >= 2^62, q is too large for the product, or the form or product is unknown), NO_ROOT (n
 * does not divide q - 1), SIZE, MEMORY; *plan is unchanged. Cost: N products or a few N. */
GFP_API GFP_MUST_CHECK gfp_status gfp_ntt_plan_create(gfp_ntt_plan **plan, uint64_t q, size_t n,
                                                      const gfp_ntt_options *options,
                                                      const gfp_allocator *allocator,
                                                      gfp_error *error);
/* NULL is allowed. */
GFP_API void gfp_ntt_plan_destroy(gfp_ntt_plan *plan);

GFP_API size_t gfp_ntt_plan_length(const gfp_ntt_plan *plan);
GFP_API uint64_t gfp_ntt_plan_modulus(const gfp_ntt_plan *plan);
/* w_N = g^((q - 1) / N), where g is the least quadratic non-residue of q: w_2N^2 = w_N. */
GFP_API uint64_t gfp_ntt_plan_root(const gfp_ntt_plan *plan);
/* The form and the product that were chosen; never AUTO. */
GFP_API gfp_ntt_form gfp_ntt_plan_form(const gfp_ntt_plan *plan);
GFP_API gfp_ntt_product gfp_ntt_plan_product(const gfp_ntt_plan *plan);
/* The kernels in use: "portable", "avx2" or "avx512ifma". */
GFP_API const char *gfp_ntt_plan_kernels(const gfp_ntt_plan *plan);
/* Bytes that the plan itself holds. */
GFP_API size_t gfp_ntt_plan_bytes(const gfp_ntt_plan *plan);
/* Bytes of the work area of forward and inverse transforms (either order, in place or not), and of
 * the convolutions; may be 0. A work area must be aligned to 8 bytes; 64 are better. If work is
 * NULL, the call allocates and frees a work area. */
GFP_API size_t gfp_ntt_workspace(const gfp_ntt_plan *plan);
GFP_API size_t gfp_ntt_convolution_workspace(const gfp_ntt_plan *plan);

/* "auto", "shoup", "montgomery", "double-quotient"; never NULL. */
GFP_API const char *gfp_ntt_product_name(gfp_ntt_product product);

/* y := DFT_N(x), y in the given order, x in natural order. y may equal x, else must not overlap it.
 * Errors: the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_ntt_forward(const gfp_ntt_plan *plan, uint64_t *y,
                                                  const uint64_t *x, gfp_order order, void *work,
                                                  const gfp_options *options);
/* x := the inverse of DFT_N of y, 1/N included; y in the given order, x in natural order. x may
 * equal y. Errors: the common ones. */
GFP_API GFP_MUST_CHECK gfp_status gfp_ntt_inverse(const gfp_ntt_plan *plan, uint64_t *x,
                                                  const uint64_t *y, gfp_order order, void *work,
                                                  const gfp_options *options);

/* z_i := x_i y_i, i < N; z may equal x or y. */
GFP_API void gfp_ntt_mul_pointwise(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                                   const uint64_t *y);

/* c := a b mod (X^N - 1), all of N residues. c may equal a or b. A square (a == b) takes one
 * transform. */
GFP_API GFP_MUST_CHECK gfp_status gfp_ntt_convolve_cyclic(const gfp_ntt_plan *plan, uint64_t *c,
                                                          const uint64_t *a, const uint64_t *b,
                                                          void *work, const gfp_options *options);
/* c := a b mod (X^N + 1). Further error: NO_ROOT if 2N does not divide q - 1. */
GFP_API GFP_MUST_CHECK gfp_status gfp_ntt_convolve_negacyclic(const gfp_ntt_plan *plan, uint64_t *c,
                                                              const uint64_t *a, const uint64_t *b,
                                                              void *work,
                                                              const gfp_options *options);

GFP_END_DECLS
#endif
