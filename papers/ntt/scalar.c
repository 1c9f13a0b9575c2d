/* scalar.c: transforms over word-size primes in portable C, one residue at a time: products by
 * Shoup and Montgomery for q < 2^62, by the quotient in double for q < 2^30.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/impl.h"
#include "papers/ntt/impl.h"
#include "field/base/word.h"

#define NTT_LEVEL GFP_LEVEL_PORTABLE
#define NTT_LANES 1
#define NTT_VECTORS 4
#define NTT_PASS 2
#define NTT_LEAST 1
#define NTT_INLINE static inline

typedef uint64_t vec;
typedef struct twiddle {
    vec w, companion;
} twiddle;

static inline vec vec_load(const uint64_t *x)
{
    return *x;
}

static inline void vec_store(uint64_t *x, vec v)
{
    *x = v;
}

static inline twiddle twiddle_one(const gfp_ntt_powers *table, size_t i)
{
    return (twiddle){table->w[i], table->companion[i]};
}

static inline twiddle twiddle_load(const gfp_ntt_powers *table, size_t i)
{
    return twiddle_one(table, i);
}

static inline twiddle twiddle_jump(const gfp_ntt_powers *table, size_t i, size_t stride)
{
    (void)stride;
    return twiddle_one(table, i);
}

/* ---- lazy butterflies (Harvey: Faster arithmetic for number-theoretic transforms, 2014) ---- */

/* q < 2^62, so that 4 q fits a word. */
typedef struct lazy_ring {
    uint64_t q, q2, negative_inverse, square;
} lazy_ring;

static inline lazy_ring lazy_init(const gfp_ntt_modulus *modulus)
{
    return (lazy_ring){modulus->q, 2 * modulus->q, modulus->negative_inverse,
                       modulus->montgomery_square};
}

/* From [0, 2 bound) to [0, bound). */
static inline uint64_t lazy_less(uint64_t x, uint64_t bound)
{
    return x >= bound ? x - bound : x;
}

/* x, y < 4 q in and out; t = y w in [0, 2q). */
static inline void lazy_sum(const lazy_ring *r, vec *x, vec *y, uint64_t t)
{
    const uint64_t a = lazy_less(*x, r->q2);
    *x = a + t;
    *y = a - t + r->q2;
}

static inline vec lazy_canonical(const lazy_ring *r, vec x)
{
    return lazy_less(lazy_less(x, r->q2), r->q);
}

/* x y, both below q, by two Montgomery reductions: x y / R < 2q, (x y / R) (R^2 mod q) < 2 q^2. */
static inline vec lazy_product(const lazy_ring *r, vec x, vec y)
{
    const uint64_t t = gfp_mont_reduce(gfp_mul_wide(x, y), r->q, r->negative_inverse);
    return lazy_less(gfp_mont_reduce(gfp_mul_wide(t, r->square), r->q, r->negative_inverse), r->q);
}

/* ---- Shoup ---- */

#define NTT(verb) shoup_##verb

typedef lazy_ring shoup_ring;

static void shoup_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                         uint64_t *companion)
{
    *w = c;
    *companion = gfp_shoup_companion(c, modulus->q);
}

static inline shoup_ring shoup_init(const gfp_ntt_modulus *modulus)
{
    return lazy_init(modulus);
}

static inline vec shoup_enter(const shoup_ring *r, vec x)
{
    (void)r;
    return x;
}

static inline vec shoup_canonical(const shoup_ring *r, vec x)
{
    return lazy_canonical(r, x);
}

static inline vec shoup_scaled(const shoup_ring *r, vec x, twiddle w)
{
    return lazy_less(gfp_shoup_mul(x, w.w, w.companion, r->q), r->q);
}

static inline vec shoup_product(const shoup_ring *r, vec x, vec y)
{
    return lazy_product(r, x, y);
}

static inline void shoup_butterfly(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    lazy_sum(r, x, y, gfp_shoup_mul(*y, w.w, w.companion, r->q));
}

/* x, y < 2q in and out; the difference is taken below 4 q. */
static inline void shoup_butterfly_inverse(const shoup_ring *r, vec *x, vec *y, twiddle w)
{
    const uint64_t difference = *x - *y + r->q2;
    *x = lazy_less(*x + *y, r->q2);
    *y = gfp_shoup_mul(difference, w.w, w.companion, r->q);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- Montgomery, R = 2^64 ---- */

#undef NTT
#define NTT(verb) montgomery_##verb

typedef lazy_ring montgomery_ring;

/* c R mod q; the product of c R mod q and x < 4 q is x c < 4 q / R q + q < 2q. */
static void montgomery_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                              uint64_t *companion)
{
    *w = (uint64_t)(gfp_join(c, 0) % modulus->q);
    *companion = 0;
}

static inline uint64_t montgomery_times(const montgomery_ring *r, uint64_t x, twiddle w)
{
    return gfp_mont_reduce(gfp_mul_wide(x, w.w), r->q, r->negative_inverse);
}

static inline montgomery_ring montgomery_init(const gfp_ntt_modulus *modulus)
{
    return lazy_init(modulus);
}

static inline vec montgomery_enter(const montgomery_ring *r, vec x)
{
    (void)r;
    return x;
}

static inline vec montgomery_canonical(const montgomery_ring *r, vec x)
{
    return lazy_canonical(r, x);
}

static inline vec montgomery_scaled(const montgomery_ring *r, vec x, twiddle w)
{
    return lazy_less(montgomery_times(r, x, w), r->q);
}

static inline vec montgomery_product(const montgomery_ring *r, vec x, vec y)
{
    return lazy_product(r, x, y);
}

static inline void montgomery_butterfly(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    lazy_sum(r, x, y, montgomery_times(r, *y, w));
}

/* x, y < 2q in and out; the difference is taken below 4 q. */
static inline void montgomery_butterfly_inverse(const montgomery_ring *r, vec *x, vec *y, twiddle w)
{
    const uint64_t difference = *x - *y + r->q2;
    *x = lazy_less(*x + *y, r->q2);
    *y = montgomery_times(r, difference, w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- quotient in double: all residues are below q ---- */

#undef NTT
#define NTT(verb) quotient_##verb

typedef struct quotient_ring {
    uint64_t q;
    double inverse;
} quotient_ring;

static void quotient_encode(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w,
                            uint64_t *companion)
{
    (void)modulus;
    *w = c;
    *companion = 0;
}

static inline quotient_ring quotient_init(const gfp_ntt_modulus *modulus)
{
    return (quotient_ring){modulus->q, modulus->inverse};
}

static inline vec quotient_enter(const quotient_ring *r, vec x)
{
    (void)r;
    return x;
}

static inline vec quotient_canonical(const quotient_ring *r, vec x)
{
    (void)r;
    return x;
}

/* x, y < q < 2^30. The double is x y / q (1 + e), |e| < 2^-51, below 2^30 (1 + e). The integer part
 * errs by at most one, so that res fits 32 bits and is in [-q, 2q). The paper adds or subtracts q
 * once too few times (it returns -res for res < 0). */
static inline vec quotient_product(const quotient_ring *r, vec x, vec y)
{
    const uint64_t quotient = (uint64_t)((double)x * (double)y * r->inverse);
    const int64_t res = (int64_t)(x * y - quotient * r->q);
    const uint64_t positive = (uint64_t)(res < 0 ? res + (int64_t)r->q : res);
    return positive >= r->q ? positive - r->q : positive;
}

static inline vec quotient_scaled(const quotient_ring *r, vec x, twiddle w)
{
    return quotient_product(r, x, w.w);
}

static inline void quotient_sum(const quotient_ring *r, vec *x, vec *y)
{
    const uint64_t sum = *x + *y;
    const uint64_t difference = *x - *y;
    *y = *x < *y ? difference + r->q : difference;
    *x = sum >= r->q ? sum - r->q : sum;
}

static inline void quotient_butterfly(const quotient_ring *r, vec *x, vec *y, twiddle w)
{
    *y = quotient_product(r, *y, w.w);
    quotient_sum(r, x, y);
}

static inline void quotient_butterfly_inverse(const quotient_ring *r, vec *x, vec *y, twiddle w)
{
    quotient_sum(r, x, y);
    *y = quotient_product(r, *y, w.w);
}

#define NTT_LAZY 0
#include "papers/ntt/forms.inc"
#undef NTT_LAZY

/* ---- bit reversal ---- */

#define REORDER_BITS 4

typedef struct tile {
    uint64_t row[1 << REORDER_BITS][1 << REORDER_BITS];
} tile;

static const unsigned char reversed[1 << REORDER_BITS] = {0, 8, 4, 12, 2, 10, 6, 14,
                                                          1, 9, 5, 13, 3, 11, 7, 15};

static void load_tile(tile *t, const uint64_t *x, unsigned shift)
{
    for (size_t i = 0; i < 1 << REORDER_BITS; i++) {
        const uint64_t *row = x + ((size_t)reversed[i] << shift);
        for (size_t j = 0; j < 1 << REORDER_BITS; j++) {
            t->row[j][i] = row[j];
        }
    }
}

static void store_tile(uint64_t *x, const tile *t, unsigned shift)
{
    for (size_t i = 0; i < 1 << REORDER_BITS; i++) {
        memcpy(x + ((size_t)reversed[i] << shift), t->row[i], sizeof t->row[i]);
    }
}

#include "papers/ntt/reorder.inc"

const gfp_ntt_kernels gfp_ntt_kernels_scalar[GFP_NTT_ROWS_SCALAR] = {
    GFP_NTT_ROW(shoup, GFP_NTT_SHOUP, GFP_NTT_MAX_BITS, 64),
    GFP_NTT_ROW(montgomery, GFP_NTT_MONTGOMERY, GFP_NTT_MAX_BITS, 64),
    GFP_NTT_ROW(quotient, GFP_NTT_DOUBLE_QUOTIENT, GFP_NTT_DOUBLE_QUOTIENT_BITS, 0)};
