/* checked.c: the products of field/kernels/lanes.inc on checking lanes, a kernel table like every
 * other one. A vector has an integer for each lane, of which real lanes hold the residue modulo
 * 2^64, and an interval that contains all of them whatever the input is. The test fails where an
 * interval exceeds what an operation needs at either vector level, or where a statement of the code
 * (LANES_BOUND and others, lanes_common.inc) does not hold. LANES_WORST adds the greatest error
 * that is permitted, of either sign.
 *
 * Sums that begin with lanes_raw_low and lanes_raw_high count the products that they still lack.
 * The build compiles this file once for each k, K_DIGITS.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/checked.h"

#include "field/base/context.h"
#include "field/base/lanes.h"
#include "field/base/support.h"
#include "field/kernels/checked.h"
#include "field/kernels/levels.h"

#ifndef LANES_KERNELS
#define LANES_KERNELS gfp_kernels_checked
#define LANES_NAME "checked"
#endif
#define LANES 4
#define LANES_ALIGNED
#define LANES_LOOP
#define LANES_KEEP(x) ((void)(x))

/* The greatest absolute value of an interval's end. */
#define LANES_MOST LANES_TWO(126)
#define LANES_MASK52 (LANES_TWO(52) - 1)
#define LANES_WORDS_MOST (LANES_TWO(64) - 1)
#define LANES_TERMS ((gfp_i128)GFP_LANES_TERMS)

typedef struct lanes {
    gfp_i128 value[LANES];
    gfp_i128 low, high;
    int64_t raw; /* products less those of lanes_raw_low or lanes_raw_high */
} lanes;
/* Bit i is lane i. */
typedef unsigned lanes_mask;
typedef lanes lanes_factor;
typedef unsigned lanes_count;
typedef int lanes_mode;

/* ---- statements ---- */

LANES_OPERATION lanes lanes_check(lanes a)
{
    LANES_CHECK(-LANES_MOST <= a.low && a.low <= a.high && a.high <= LANES_MOST);
    for (unsigned i = 0; i < LANES; i++) {
        LANES_CHECK(a.raw != 0 || (a.low <= a.value[i] && a.value[i] <= a.high));
    }
    return a;
}

LANES_OPERATION bool lanes_inside(lanes a, gfp_i128 low, gfp_i128 high)
{
    return a.raw == 0 && low <= a.low && a.high <= high;
}

/* Returns the constant that the vector is. */
LANES_OPERATION gfp_i128 lanes_number(lanes a)
{
    LANES_CHECK(a.low == a.high);
    return a.low;
}

LANES_OPERATION lanes lanes_claim(lanes a, gfp_i128 low, gfp_i128 high)
{
    LANES_CHECK(high - low < LANES_TWO(64) && a.raw == 0);
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] = low + (uint64_t)((uint64_t)a.value[i] - (uint64_t)low);
    }
    a.low = low;
    a.high = high;
    return lanes_check(a);
}

LANES_OPERATION lanes lanes_outside(lanes a, lanes_mask mask, gfp_i128 low, gfp_i128 high)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (mask >> i & 1) {
            a.value[i] = low;
        }
    }
    a.low = low > a.low ? low : a.low;
    a.high = high < a.high ? high : a.high;
    return lanes_check(a);
}

LANES_OPERATION lanes lanes_modulo(lanes a)
{
    if (!lanes_inside(a, 0, LANES_WORDS_MOST)) {
        LANES_CHECK(a.raw == 0);
        for (unsigned i = 0; i < LANES; i++) {
            a.value[i] = (uint64_t)a.value[i];
        }
        a.low = 0;
        a.high = LANES_WORDS_MOST;
    }
    return a;
}

LANES_OPERATION lanes lanes_worst(lanes a, gfp_i128 error)
{
    static uint64_t seed = 1;
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] += gfp_mix64(seed++) % 2 == 0 ? error : -error;
    }
    a.low -= error;
    a.high += error;
    return lanes_check(a);
}

#define LANES_CLAIM(a, low, high) lanes_claim((a), (low), (high))
#define LANES_BOUND(a, low, high) lanes_outside((a), 0, (low), (high))
#define LANES_BOUND_ALL(a, n, low, high)                                                           \
    do {                                                                                           \
        for (unsigned lane = 0; lane < (n); lane++) {                                              \
            (a)[lane] = LANES_BOUND((a)[lane], (low), (high));                                     \
        }                                                                                          \
    } while (0)
#define LANES_OUTSIDE(a, mask, low, high) lanes_outside((a), (mask), (low), (high))
#define LANES_MODULO(a) lanes_modulo(a)
#define LANES_WORST(a, error) lanes_worst((a), (gfp_i128)(error))
#define LANES_REST(a, below, scaled) lanes_rest((a), (below), (scaled))
/* FRACTION_ZONE times the scaled radix, and a coarse quotient of n times r scaled. */
#define LANES_ZONE(c) (((gfp_i128)FRACTION_ZONE * lanes_number((c)->scaled) >> FRACTION_BITS) + 1)
#define LANES_COARSE(c, n) ((n)*lanes_number((c)->scaled) >> COARSE_BITS)
static lanes lanes_rest(lanes a, lanes below, gfp_i128 scaled);

/* ---- memory ---- */

typedef struct lanes_word {
    gfp_i128 value, low, high;
} lanes_word;

LANES_OPERATION lanes lanes_set_word(lanes_word x)
{
    return lanes_check((lanes){{x.value, x.value, x.value, x.value}, x.low, x.high, 0});
}

LANES_OPERATION lanes lanes_set(uint64_t x)
{
    return lanes_set_word((lanes_word){x, x, x});
}

LANES_OPERATION lanes lanes_zero(void)
{
    return lanes_set(0);
}

LANES_OPERATION lanes lanes_load_bounded(const lanes_word *x)
{
    lanes a = {.low = x->low, .high = x->high};
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] = x[i].value;
        a.low = x[i].low < a.low ? x[i].low : a.low;
        a.high = x[i].high > a.high ? x[i].high : a.high;
    }
    return lanes_check(a);
}

LANES_OPERATION lanes lanes_load_words(const uint64_t *x)
{
    lanes a = {.high = LANES_WORDS_MOST};
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] = x[i];
    }
    return a;
}
#define lanes_load(x) _Generic(*(x), lanes_word : lanes_load_bounded, default : lanes_load_words)(x)

LANES_OPERATION void lanes_store(lanes_word *x, lanes a)
{
    LANES_CHECK(lanes_inside(a, 0, LANES_WORDS_MOST));
    for (unsigned i = 0; i < LANES; i++) {
        x[i] = (lanes_word){a.value[i], a.low, a.high};
    }
}

/* n digits from the places x[e] + from: any words. */
LANES_OPERATION void lanes_load_digits(lanes *digits, const uint64_t *const x[LANES], size_t from,
                                       unsigned n)
{
    for (unsigned t = 0; t < n; t++) {
        const uint64_t words[LANES] = {x[0][from + t], x[1][from + t], x[2][from + t],
                                       x[3][from + t]};
        digits[t] = lanes_load_words(words);
    }
}

LANES_OPERATION void lanes_store_digits(uint64_t *z, size_t k, const lanes *digits, unsigned n,
                                        size_t count)
{
    for (unsigned t = 0; t < n; t++) {
        LANES_CHECK(lanes_inside(digits[t], 0, LANES_WORDS_MOST));
        for (unsigned e = 0; e < LANES && e < count; e++) {
            z[e * k + t] = (uint64_t)digits[t].value[e];
        }
    }
}
#define load_digits_2(digits, x) lanes_load_digits((digits), (x), 0, 2)
#define load_digits_4(digits, x) lanes_load_digits((digits), (x), 0, 4)
#define load_digits_8(digits, x, from) lanes_load_digits((digits), (x), (from), 8)
#define store_digits_2(z, digits, count) lanes_store_digits((z), 2, (digits), 2, (count))
#define store_digits_4(z, digits, count) lanes_store_digits((z), 4, (digits), 4, (count))
#define store_digits_8(z, k, digits, count) lanes_store_digits((z), (k), (digits), 8, (count))

/* ---- sums and shifts ---- */

LANES_OPERATION lanes lanes_add(lanes a, lanes b)
{
    lanes z = {.low = a.low + b.low, .high = a.high + b.high, .raw = a.raw + b.raw};
    for (unsigned i = 0; i < LANES; i++) {
        z.value[i] = a.value[i] + b.value[i];
    }
    return lanes_check(z);
}

LANES_OPERATION lanes lanes_sub(lanes a, lanes b)
{
    lanes z = {.low = a.low - b.high, .high = a.high - b.low, .raw = a.raw - b.raw};
    for (unsigned i = 0; i < LANES; i++) {
        z.value[i] = a.value[i] - b.value[i];
    }
    return lanes_check(z);
}

/* b: a constant 2^n - 1. */
LANES_OPERATION lanes lanes_and(lanes a, lanes b)
{
    const gfp_i128 mask = lanes_number(b);
    LANES_CHECK(a.raw == 0 && mask >= 0 && (mask & (mask + 1)) == 0);
    if (!lanes_inside(a, 0, mask)) {
        for (unsigned i = 0; i < LANES; i++) {
            a.value[i] &= mask;
        }
        a.low = 0;
        a.high = mask;
    }
    return a;
}

LANES_OPERATION lanes lanes_left(lanes a, unsigned n)
{
    LANES_CHECK(n < 64 && lanes_inside(a, -(LANES_MOST >> n), LANES_MOST >> n));
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] *= LANES_TWO(n);
    }
    a.low *= LANES_TWO(n);
    a.high *= LANES_TWO(n);
    return a;
}

/* Shifts right, rounding down. */
LANES_OPERATION lanes lanes_floor(lanes a, unsigned n)
{
    for (unsigned i = 0; i < LANES; i++) {
        a.value[i] >>= n;
    }
    a.low >>= n;
    a.high >>= n;
    return a;
}

LANES_OPERATION lanes lanes_right(lanes a, unsigned n)
{
    LANES_CHECK(n < 64 && lanes_inside(a, 0, LANES_WORDS_MOST));
    return lanes_floor(a, n);
}

LANES_OPERATION lanes lanes_right_signed(lanes a, unsigned n)
{
    LANES_CHECK(n < 64 && lanes_inside(a, -LANES_TWO(63), LANES_TWO(63) - 1));
    return lanes_floor(a, n);
}

LANES_OPERATION lanes_count lanes_count_of(unsigned bits)
{
    return bits;
}
#define lanes_left_by(x, bits) lanes_left((x), (bits))
#define lanes_right_by(x, bits) lanes_right((x), (bits))

/* The words from number `from` on of the row low, high. */
LANES_OPERATION lanes lanes_window(lanes high, lanes low, unsigned from)
{
    lanes z = {.low = high.low < low.low ? high.low : low.low,
               .high = high.high > low.high ? high.high : low.high};
    for (unsigned i = 0; i < LANES; i++) {
        z.value[i] = i + from < LANES ? low.value[i + from] : high.value[i + from - LANES];
    }
    return lanes_check(z);
}

/* ---- products ---- */

LANES_OPERATION lanes_mode lanes_enter(void)
{
    return 0;
}

LANES_OPERATION void lanes_leave(lanes_mode mode)
{
    (void)mode;
}

/* Factors of lanes_add_product: IFMA reads them modulo 2^52, doubles have 53 bits. */
LANES_OPERATION lanes_factor lanes_factor_of(lanes x)
{
    LANES_CHECK(lanes_inside(x, 0, LANES_MASK52));
    return x;
}
#define lanes_factor_words(x) (x)
#define lanes_words_factor(x) lanes_factor_of(x)

/* sum + the bits of x y below or (high) from 52 on; factors in [0, 2^52). */
LANES_OPERATION lanes lanes_add_part(lanes sum, lanes x, lanes y, bool high)
{
    LANES_CHECK(lanes_inside(x, 0, LANES_MASK52) && lanes_inside(y, 0, LANES_MASK52));
    const gfp_i128 least = x.low * y.low, most = x.high * y.high;
    for (unsigned i = 0; i < LANES; i++) {
        const gfp_i128 product = x.value[i] * y.value[i];
        sum.value[i] += high ? product >> 52 : product & LANES_MASK52;
    }
    if (high) {
        sum.low += least >> 52;
        sum.high += most >> 52;
    } else {
        sum.low += most <= LANES_MASK52 ? least : 0;
        sum.high += most <= LANES_MASK52 ? most : LANES_MASK52;
    }
    return lanes_check(sum);
}

LANES_OPERATION void lanes_add_product(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    *low = lanes_add_part(*low, x, y, false);
    *high = lanes_add_part(*high, x, y, true);
}

LANES_OPERATION void lanes_add_raw(lanes *low, lanes *high, lanes_factor x, lanes_factor y)
{
    lanes_add_product(low, high, x, y);
    low->raw++;
    high->raw++;
}

LANES_OPERATION lanes lanes_raw_low(uint64_t n)
{
    lanes z = lanes_zero();
    z.raw = -(int64_t)n;
    return z;
}
#define lanes_raw_high(n) lanes_raw_low(n)

/* Read factors modulo 2^52. */
LANES_OPERATION lanes lanes_low(lanes sum, lanes x, lanes y)
{
    const lanes mask = lanes_set((uint64_t)LANES_MASK52);
    return lanes_add_part(sum, lanes_and(x, mask), lanes_and(y, mask), false);
}

LANES_OPERATION lanes lanes_high(lanes sum, lanes x, lanes y)
{
    const lanes mask = lanes_set((uint64_t)LANES_MASK52);
    return lanes_add_part(sum, lanes_and(x, mask), lanes_and(y, mask), true);
}

/* Integers in doubles: any sum of at most 2^53 is exact. */
LANES_OPERATION lanes exact_check(lanes a)
{
    LANES_CHECK(lanes_inside(a, -LANES_TWO(53), LANES_TWO(53)));
    return lanes_check(a);
}
#define lanes_exact(x) lanes_factor_of(x)
#define lanes_exact_sum(x, y) exact_check(lanes_add((x), (y)))
#define lanes_exact_difference(x, y) exact_check(lanes_sub((x), (y)))

/* Returns sum + x y, or (negative) sum - x y, x and y natural. */
LANES_OPERATION lanes exact_product(lanes sum, lanes x, lanes y, bool negative)
{
    LANES_CHECK(lanes_inside(x, 0, LANES_TWO(53)) && lanes_inside(y, 0, LANES_TWO(53)));
    lanes z = {.low = x.low * y.low, .high = x.high * y.high};
    for (unsigned i = 0; i < LANES; i++) {
        z.value[i] = x.value[i] * y.value[i];
    }
    return exact_check(negative ? lanes_sub(sum, z) : lanes_add(sum, z));
}
#define lanes_exact_add(sum, x, y) exact_product((sum), (x), (y), false)
#define lanes_exact_sub(sum, x, y) exact_product((sum), (x), (y), true)

#define LANES_BIAS UINT64_C(0x4338000000000000)
LANES_OPERATION lanes lanes_biased(lanes x)
{
    LANES_CHECK(lanes_inside(x, -LANES_TWO(51), LANES_TWO(51)));
    return lanes_add(x, lanes_set(LANES_BIAS));
}

/* AVX2 reads 32 bits, IFMA keeps 52 bits of the product. */
LANES_OPERATION lanes lanes_add_small(lanes sum, lanes x, lanes y)
{
    LANES_CHECK(lanes_inside(x, 0, LANES_TWO(32) - 1) && lanes_inside(y, 0, LANES_TWO(32) - 1));
    LANES_CHECK(x.high * y.high <= LANES_MASK52);
    return lanes_add_part(sum, x, y, false);
}

/* x y, by a constant y; only the residue modulo 2^64 if the interval is too wide. */
LANES_OPERATION lanes lanes_mul(lanes x, lanes y)
{
    const gfp_i128 factor = lanes_number(y), most = factor == 0 ? LANES_MOST : LANES_MOST / factor;
    LANES_CHECK(x.raw == 0 && factor >= 0);
    if (!lanes_inside(x, -most, most)) {
        for (unsigned i = 0; i < LANES; i++) {
            x.value[i] = (uint64_t)x.value[i] * (uint64_t)factor;
        }
        x.low = 0;
        x.high = LANES_WORDS_MOST;
        return x;
    }
    for (unsigned i = 0; i < LANES; i++) {
        x.value[i] *= factor;
    }
    x.low *= factor;
    x.high *= factor;
    return x;
}

/* ---- masks ---- */

#define LANES_ALL ((1U << LANES) - 1)

/* Compares unsigned words, for which the intervals must stand. */
LANES_OPERATION lanes_mask lanes_less(lanes a, lanes b)
{
    lanes_mask mask = 0;
    LANES_CHECK(a.high - a.low < LANES_TWO(64) && b.high - b.low < LANES_TWO(64));
    LANES_CHECK(a.raw == 0 && b.raw == 0);
    for (unsigned i = 0; i < LANES; i++) {
        mask |= (lanes_mask)((uint64_t)a.value[i] < (uint64_t)b.value[i]) << i;
    }
    return mask;
}
#define lanes_at_least(a, b) lanes_mask_not(lanes_less((a), (b)))

/* The lanes in which the words have no bit in common. */
LANES_OPERATION lanes_mask lanes_disjoint(lanes a, lanes bits)
{
    lanes_mask mask = 0;
    for (unsigned i = 0; i < LANES; i++) {
        mask |= (lanes_mask)(((uint64_t)a.value[i] & (uint64_t)bits.value[i]) == 0) << i;
    }
    return mask;
}

LANES_OPERATION lanes_mask lanes_negative(lanes a)
{
    lanes_mask mask = 0;
    for (unsigned i = 0; i < LANES; i++) {
        mask |= (lanes_mask)((uint64_t)a.value[i] >> 63) << i;
    }
    return mask;
}

#define lanes_mask_not(m) (~(m)&LANES_ALL)
#define lanes_mask_and(m, n) ((m) & (n))
#define lanes_mask_or(m, n) ((m) | (n))
#define lanes_mask_same(m, n) (~((m) ^ (n)) & LANES_ALL)
#define lanes_mask_without(m, n) ((m) & ~(n))
#define lanes_none() 0U
#define lanes_any(m) ((m) != 0)
#define lanes_first(n) ((n) >= LANES ? LANES_ALL : (1U << (n)) - 1)

LANES_OPERATION lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    LANES_CHECK(yes.raw == 0 && no.raw == 0);
    for (unsigned i = 0; i < LANES; i++) {
        no.value[i] = mask >> i & 1 ? yes.value[i] : no.value[i];
    }
    no.low = yes.low < no.low ? yes.low : no.low;
    no.high = yes.high > no.high ? yes.high : no.high;
    return lanes_check(no);
}

LANES_OPERATION lanes lanes_add_if(lanes_mask mask, lanes a, lanes b)
{
    return lanes_select(mask, lanes_add(a, b), a);
}

LANES_OPERATION lanes lanes_sub_if(lanes_mask mask, lanes a, lanes b)
{
    return lanes_select(mask, lanes_sub(a, b), a);
}

/* ---- residues modulo X^j - d ---- */

/* The constants of fold, and quotients with any rest that is permitted. */
typedef struct lanes_folding {
    lanes r, half, d;
    gfp_i128 least_rest, most_rest, most;
} lanes_folding;
#define LANES_LEAST_REST(f) (f)->least_rest
#define LANES_MOST_REST(f) (f)->most_rest
#define LANES_FOLD_MOST(f) (f)->most

LANES_OPERATION void lanes_folding_set(lanes_folding *f, uint64_t r, uint64_t d)
{
    *f = (lanes_folding){lanes_set(r),           lanes_set(r / 2),      lanes_set(d),
                         gfp_fold_least_rest(r), gfp_fold_most_rest(r), gfp_fold_most(r)};
    LANES_CHECK(f->most < LANES_TWO(63));
}

/* A fraction is high for all rests that may exceed r / 2 with a quotient, and for no negative one.
 */
LANES_OPERATION lanes lanes_folding_quotient(const lanes_folding *f, lanes z, lanes x, bool wide,
                                             lanes_mask *high)
{
    static uint64_t seed = 1;
    const gfp_i128 r = lanes_number(f->r), d = lanes_number(f->d), most = d + 2;
    lanes q = {.low = -most, .high = most};
    LANES_CHECK(lanes_inside(z, -f->most, f->most) && lanes_inside(x, 0, r));
    *high = 0;
    for (unsigned i = 0; i < LANES; i++) {
        const gfp_i128 v = z.value[i] * d + x.value[i];
        const gfp_i128 below = v / r - (v % r < 0), rest = v - below * r;
        const bool up = r - rest <= f->least_rest, down = rest <= f->most_rest;
        LANES_CHECK(up || down);
        const bool above = up && (!down || gfp_mix64(seed++) % 2 == 0);
        q.value[i] = below + above;
        const bool may = !above && rest > LANES_TWO(49), must = may && rest > r / 2 - LANES_TWO(49);
        *high |= (lanes_mask)(wide && (must || (may && gfp_mix64(seed++) % 2 == 0))) << i;
    }
    return lanes_check(q);
}

/* Rows of any length go through the lanes. */
#define EVAL_MIN_LENGTH 2
#define PAIRS_MIN_LENGTH 2

#include "field/kernels/lanes_common.inc"

/* Returns the integer with the residue of a modulo 2^64 that is at most 3/8 of a zone away from
 * what its fraction says, the low 52 bits of `below`: LANES_WORST has added a quarter, and
 * divide_column loses less than an eighth. */
static lanes lanes_rest(lanes a, lanes below, gfp_i128 scaled)
{
    const gfp_i128 zone = (gfp_i128)FRACTION_ZONE << (LIMB_BITS - FRACTION_BITS);
    const gfp_i128 most = ((3 * zone / 8 * scaled) >> LIMB_BITS) + 1;
    for (unsigned i = 0; i < LANES; i++) {
        const gfp_i128 fraction = (below.value[i] & LANES_MASK52) - zone / 2;
        const gfp_i128 near = (fraction * scaled >> LIMB_BITS) - LANES_TERMS * scaled;
        const gfp_i128 error = (int64_t)((uint64_t)a.value[i] - (uint64_t)near);
        LANES_CHECK(-most <= error && error <= most);
        a.value[i] = near + error;
    }
    a.low = -LANES_TERMS * scaled - ((zone * scaled) >> LIMB_BITS);
    a.high = scaled - 1 - LANES_TERMS * scaled;
    return lanes_check(a);
}

#include "field/kernels/linear_portable.inc"
#include "field/kernels/lanes.inc"
