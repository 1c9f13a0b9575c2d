/* kernels.h: the table of bulk kernels over arrays of elements. Each CPU level and digit count has
 * a table; a field picks its table at creation. The reference table is the slow twin of all others.
 *
 * All kernels take arrays of n elements of k digits, canonical in, canonical out. An output may
 * equal an input, or else must not overlap the input.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_KERNELS_H
#define GFP_FIELD_BASE_KERNELS_H

#include "field/base/cpu.h"
#include "gfpoly/elem.h"

/* A sum of columns sum_i u_i r^i as three digits per column, u_i = l_i + h_i r + c_i r^2. */
typedef struct gfp_columns {
    uint64_t l[GFP_MAX_K];
    uint64_t h[GFP_MAX_K];
    int64_t c[GFP_MAX_K];
} gfp_columns;

/* A factor: element number index of a table, times r^shift, shift < 2k. */
typedef struct gfp_twiddle {
    size_t index;
    size_t shift;
} gfp_twiddle;

/* The polynomials of fold: count >= 1 blocks of len coefficients, `apart` elements apart (any
 * number for one block), modulo X^j - d. */
typedef struct gfp_folding {
    const uint64_t *x;
    size_t len, count, apart, j;
    uint64_t d;
} gfp_folding;

/* The most terms of lincomb_at. */
#define GFP_GATHER_TERMS 3

typedef void gfp_lincomb(const gfp_field *field, uint64_t *z, const uint64_t *a, const uint64_t *c,
                         const uint64_t *const *rows, size_t count, size_t n);

typedef void gfp_mul_one(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y);

typedef struct gfp_kernels {
    const char *name;
    void (*add)(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                size_t n);
    void (*sub)(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                size_t n);
    /* z := x r^s, 0 <= s < 2k. */
    void (*mul_r)(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned s, size_t n);
    /* (x, y) := (x + y r^s, x - y r^s), 0 <= s < 2k. */
    void (*butterfly)(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s, size_t n);
    /* (x, y) := (x + y, (x - y) r^(-s)), 0 <= s < 2k: twice the inverse of butterfly. */
    void (*butterfly_inverse)(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s,
                              size_t n);
    /* z := x y for one element. */
    gfp_mul_one *mul_one;
    /* z_i := x_i y_i r^s, 0 <= s < 2k. x_step and y_step are k digits, or 0 to use one element for
     * all. */
    void (*mul)(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t x_step,
                const uint64_t *y, size_t y_step, unsigned s, size_t n);
    /* z_i := x_i times factor i. Element 0 of the table is 1. z must not overlap the table. */
    void (*mul_indexed)(const gfp_field *field, uint64_t *z, const uint64_t *x,
                        const uint64_t *table, const gfp_twiddle *factors, size_t n);
    /* z := sum over i < n of x_i y_i; n = 0 gives 0. y_step is k digits, or -k: y_i is at
     * y + i y_step. z must not overlap x or y. */
    void (*dot)(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y,
                ptrdiff_t y_step, size_t n);
    /* z_i := a_i + sum over j < count of c_j x_ji, x_j = rows[j]; a = NULL stands for zeros. z may
     * equal a and rows, and must not overlap c. */
    gfp_lincomb *lincomb;
    /* z_i := a_i + sum over j < count of x_ji y_ji, x_j = x[j], y_j = y[j]; a = NULL stands for
     * zeros. z may equal a and rows. */
    void (*dot_rows)(const gfp_field *field, uint64_t *z, const uint64_t *a,
                     const uint64_t *const *x, const uint64_t *const *y, size_t count, size_t n);
    /* z_i := sum over j < count of c_j x_ji, 1 <= count <= GFP_GATHER_TERMS, with the element x_ji
     * at places[j n + i]. z must not overlap c and the x_ji. */
    void (*lincomb_at)(const gfp_field *field, uint64_t *z, const uint64_t *c,
                       const uint64_t *const *places, size_t count, size_t n);
    /* z_(i-from) := sum over j of x_j y_(i-j) for from <= i < to <= len_x + len_y - 1: coefficients
     * of a product by the definition. z must not overlap x or y. */
    void (*convolve)(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t len_x,
                     const uint64_t *y, size_t len_y, size_t from, size_t to);
    /* z := x / 2^j, 0 <= j <= v2(r). */
    void (*div_2exp)(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned j, size_t n);
    /* y := sum over i < n of x_i d^i, d a single digit, d < min(r, 2^60). */
    void (*eval_digit)(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t n,
                       uint64_t d);
    /* y_(b n + i) := sum over e of x_(b apart + i + e j) d^e, b < count, i < n <= j, i + e j < len:
     * for n = j, each block modulo X^j - d. d < 2^GFP_FOLD_BITS, GFP_FOLD_R_MIN <= r <=
     * GFP_FOLD_R_MAX. y must not overlap x. Returns whether all these digits of x are below r; y is
     * undefined if one is above. */
    bool (*fold)(const gfp_field *field, uint64_t *y, size_t n, const gfp_folding *w);
    /* A digit takes fold the same time from this number of columns (count n) on. */
    size_t fold_columns;
    /* v := three elements, one after the other: x(d), y(d), and the sum over i + j >= n - 1 of x_i
     * y_j d^(i+j-n+1), x and y of n elements; d as before. v must not overlap x or y. */
    void (*eval_pairs)(const gfp_field *field, uint64_t *v, const uint64_t *x, const uint64_t *y,
                       size_t n, uint64_t d);
    /* z := sum of the columns, |c_i| <= 2^15, l_i, h_i < r: the carry normalisation. */
    void (*normalize)(const gfp_field *field, uint64_t *z, const gfp_columns *columns);
} gfp_kernels;

/* The radices and digits of fold. A step keeps signed digits z, |z| <= gfp_fold_most(r) < 2^63, and
 * computes z d + x - q r + (q of the digit below). q is near (z d + x) / r, so that the rest z d +
 * x - q r is in [-gfp_fold_least_rest(r), gfp_fold_most_rest(r)] (ranges.py).
 *
 * Above GFP_FOLD_R_NARROW a rest that is rounded to nearest, with its error, does not fit a signed
 * word. There q is taken GFP_FOLD_BIAS / 64 too small, so that rests are not less than -r / 2 and
 * quotients: and a rest and quotient of more than r / 2 lose r, and carry 1. Such rests are
 * positive words without a sign; a fraction of more than GFP_FOLD_HIGH / 64 beyond the quotient
 * shows that a rest is positive. */
#define GFP_FOLD_BITS 48
#define GFP_FOLD_R_MIN ((uint64_t)1 << 52)
#define GFP_FOLD_R_NARROW ((uint64_t)5 << 61)
#define GFP_FOLD_R_MAX (UINT64_MAX - 0xfffff)
#define GFP_FOLD_BIAS 13
#define GFP_FOLD_HIGH 4
static inline uint64_t gfp_fold_most(uint64_t r)
{
    return r > GFP_FOLD_R_NARROW ? r / 2 + 1 : r - (r >> 63 != 0 ? r / 4 : r / 8);
}

static inline uint64_t gfp_fold_least_rest(uint64_t r)
{
    return (r / 64 + 1) * (r > GFP_FOLD_R_NARROW ? 31 : r >> 63 != 0 ? 46 : 51);
}

static inline uint64_t gfp_fold_most_rest(uint64_t r)
{
    return r > GFP_FOLD_R_NARROW ? (r / 64 + 1) * 57 : gfp_fold_least_rest(r);
}

/* The reference table, the slow twin: the papers' algorithms digit by digit, any k and r. */
extern const gfp_kernels gfp_kernels_reference;

/* The table for radices that the fast tables refuse: the reference with better general products. */
extern const gfp_kernels gfp_kernels_generic;

/* mul_one of the portable tables, by k; the vector levels have it too: one element has too few
 * digits for their lanes. */
gfp_mul_one gfp_mul_one_2, gfp_mul_one_4, gfp_mul_one_8, gfp_mul_one_16;
gfp_mul_one gfp_mul_one_32, gfp_mul_one_64, gfp_mul_one_128, gfp_mul_one_256;

/* Returns the portable table for this k; NULL if r is outside the range of its lazy bounds
 * (GFP_FAST_R_MIN <= r <= GFP_FAST_R_MAX). */
const gfp_kernels *gfp_kernels_portable(unsigned k, uint64_t r);
#define GFP_FAST_R_MIN ((uint64_t)1 << 32)
#define GFP_FAST_R_MAX (UINT64_MAX - 0xffff)

/* Returns the table of this level, or of the best level below that serves k and r. */
const gfp_kernels *gfp_kernels_get(gfp_level level, unsigned k, uint64_t r);

/* Makes the k digits z canonical: each one is at least -4096, modulo 2^64, and below r + 2^16 -
 * 8192; r <= GFP_FAST_R_MAX. */
void gfp_carry_digits(uint64_t *z, unsigned k, uint64_t r);

/* mul_indexed, one element at a time, by the mul and mul_r of a table. */
void gfp_mul_indexed_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *z,
                        const uint64_t *x, const uint64_t *table, const gfp_twiddle *factors,
                        size_t n);

/* lincomb_at by the lincomb of a table. */
void gfp_lincomb_at_by(gfp_lincomb *lincomb, const gfp_field *field, uint64_t *z, const uint64_t *c,
                       const uint64_t *const *places, size_t count, size_t n);

/* The coefficients from <= i < to of the product of x and y: what convolve computes. */
typedef struct gfp_convolution {
    const uint64_t *x, *y;
    size_t len_x, len_y, from, to;
} gfp_convolution;

/* convolve, one coefficient at a time, by the dot of a table. */
void gfp_convolve_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *z,
                     const gfp_convolution *w);

/* eval_pairs by the eval_digit and dot of a table. */
void gfp_eval_pairs_by(const gfp_kernels *kernels, const gfp_field *field, uint64_t *v,
                       const uint64_t *x, const uint64_t *y, size_t n, uint64_t d);

/* Returns the table that the field uses: the best table of its CPU level. */
const gfp_kernels *gfp_field_kernels(const gfp_field *field);

/* The two general products; the mul of a table is one of them. Plain: ISSAC 2017, Alg. 3.
 * FFT-based: the sequel's Alg. 1 (see mul_fft.h for its steps). */
void gfp_mul_plain(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y);
void gfp_mul_fft(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y);

/* elem.c: z_i := x_i / 2^j, any j. r is even: the function shifts digits and makes no product. */
void gfp_vec_div_2exp(const gfp_field *field, uint64_t *z, const uint64_t *x, unsigned j, size_t n);

/* y := sum over i < n of x_i d^i, through the field's table. */
static inline void gfp_eval_digit(const gfp_field *field, uint64_t *y, const uint64_t *x, size_t n,
                                  uint64_t d)
{
    gfp_field_kernels(field)->eval_digit(field, y, x, n, d);
}

/* v := the three values of eval_pairs, through the field's table. */
static inline void gfp_eval_pairs(const gfp_field *field, uint64_t *v, const uint64_t *x,
                                  const uint64_t *y, size_t n, uint64_t d)
{
    gfp_field_kernels(field)->eval_pairs(field, v, x, y, n, d);
}

/* z := sum over i < n of x_i y_(n-1-i), through the field's table: a coefficient of a product. */
static inline void gfp_vec_dot_reversed(const gfp_field *field, uint64_t *z, const uint64_t *x,
                                        const uint64_t *y, size_t n)
{
    const size_t k = gfp_field_k(field);
    gfp_field_kernels(field)->dot(field, z, x, n == 0 ? y : y + (n - 1) * k, -(ptrdiff_t)k, n);
}

#endif
