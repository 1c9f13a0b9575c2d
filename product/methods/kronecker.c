/* kronecker.c: see kronecker.h. The work area has the coefficients of a, b and the product as
 * integers in two's complement, then what the product over Z needs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/kronecker.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "gfpoly/elem.h"
#include "product/methods/row.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "crt/small/kronecker.h"

/* ---- digits of operands ---- */

/* The special element r^k = -1 has top digit r. */
static bool is_minus_one(const gfp_field *field, const uint64_t *x)
{
    return x[gfp_field_k(field) - 1] == gfp_field_r(field);
}

/* x is the sum of its lower digits, if its digits from `digits` on are 0; less r^digits + 1, if
 * they are r - 1. */
bool gfp_short_scan(gfp_short *s, const gfp_field *field, const uint64_t *x, size_t n,
                    unsigned most)
{
    const unsigned k = gfp_field_k(field);
    const uint64_t r = gfp_field_r(field);
    unsigned digits = s->digits;
    uint64_t top = s->top;
    for (size_t i = 0; i < n; i++, x += k) {
        const uint64_t fill = x[k - 1];
        if (fill != 0 && fill < r - 1) {
            return false;
        }
        s->negative = s->negative || fill != 0;
        if (fill == r) {
            continue;
        }
        uint64_t differ = 0;
        for (unsigned j = digits; j < k; j++) {
            differ |= x[j] ^ fill;
        }
        if (differ != 0) {
            for (digits = k - 1; x[digits - 1] == fill; digits--) {
            }
            top = 0;
            if (digits > most) {
                return false;
            }
        }
        const uint64_t digit = digits > 0 ? x[digits - 1] : fill;
        const uint64_t size = fill != 0 ? fill - digit : digit;
        top = size > top ? size : top;
    }
    s->digits = digits;
    s->top = top;
    return true;
}

/* A negative element is minus the sum of (r - 1 - digit) r^i, less 2. */
static size_t bits_of(const gfp_short *s, const gfp_field *field)
{
    const size_t below = s->digits > 1 ? s->digits - 1 : 0;
    const size_t bits = below * gfp_log2_above(gfp_field_r(field)) + 64 - gfp_clz64(s->top | 1);
    return s->negative ? bits + 1 : bits;
}

void gfp_short_bits(gfp_range *range, const gfp_short *a, const gfp_short *b)
{
    const size_t bits_a = bits_of(a, range->field), bits_b = bits_of(b, range->field);
    const size_t terms = gfp_size_min(range->len_a, range->len_b);
    const bool fits = bits_a + bits_b + gfp_log2_above(terms) < gfp_field_bits(range->field);
    range->bits_a = fits ? bits_a : 0;
    range->bits_b = fits ? bits_b : 0;
}

void gfp_range_scan(gfp_range *r)
{
    const unsigned k = gfp_field_k(r->field);
    gfp_short a = {.digits = 0}, b = {.digits = 0};
    r->bits_a = r->bits_b = 0;
    if (!gfp_short_scan(&a, r->field, r->a, r->len_a, k - 1)) {
        return;
    }
    if (r->a == r->b && r->len_a == r->len_b) {
        gfp_short_bits(r, &a, &a);
    } else if (gfp_short_scan(&b, r->field, r->b, r->len_b, k - a.digits)) {
        gfp_short_bits(r, &a, &b);
    }
}

/* ---- the shape of a computation ---- */

typedef struct shape {
    bool is_short;
    size_t bits_a, bits_b, bits; /* of the coefficients, of the product over Z */
    size_t width_a, width_b, width;
    size_t len;
} shape;

static shape shape_of(const gfp_range *r)
{
    const size_t all = gfp_field_bits(r->field);
    shape s = {.is_short = r->bits_a != 0, .bits_a = all, .bits_b = all};
    if (s.is_short) {
        s.bits_a = r->bits_a;
        s.bits_b = r->bits_b;
    }
    s.bits = s.bits_a + s.bits_b + gfp_log2_above(gfp_size_min(r->len_a, r->len_b));
    s.width_a = gfp_zkronecker_width(s.bits_a);
    s.width_b = gfp_zkronecker_width(s.bits_b);
    s.width = gfp_zkronecker_width(s.bits);
    s.len = gfp_range_product_length(r);
    return s;
}

/* Digits of numbers below 2^bits, at most. */
static size_t digits_of(const gfp_field *field, size_t bits)
{
    const size_t each = 63 - gfp_clz64(gfp_field_r(field)); /* 2^each <= r */
    return gfp_size_min(gfp_field_k(field), bits / each + 1);
}

/* Up to this width numbers are converted to digits one by one. */
#define WIDTH_OF_ONE 6

/* ---- estimates ---- */

/* GMP takes no advantage of cancellation: longer integers are left to other methods. */
#define LONGEST ((double)((size_t)1 << 22))

double gfp_kronecker_short_ns(const gfp_range *r)
{
    const shape s = shape_of(r);
    const double k = gfp_field_k(r->field), a = (double)r->len_a, b = (double)r->len_b;
    const double digits_a = (double)digits_of(r->field, s.bits_a),
                 digits_b = (double)digits_of(r->field, s.bits_b), w = (double)s.width;
    const double in =
        a * (2 + 1.5 * digits_a * (double)s.width_a) + b * (2 + 1.5 * digits_b * (double)s.width_b);
    const double each = s.width <= WIDTH_OF_ONE ? 2.5 * w * (w + 1) : 3 * k * sqrt(k);
    return (a + b) * w > LONGEST ? HUGE_VAL
                                 : gfp_zkronecker_ns(r->len_a, r->len_b, s.bits) + in +
                                       (double)(r->end - r->first) * (4 + 0.15 * k + each);
}

/* With conversions from and to digits, and reductions. */
double gfp_kronecker_log2_cost(const struct gfp_method *row, const gfp_field *field, double m)
{
    const double k = gfp_field_k(field), n = exp2(fmin(m, 40));
    const size_t len = (size_t)n;
    (void)row;
    return m - fmin(m, 40) +
           log2(gfp_zkronecker_ns(len, len, 2 * (size_t)gfp_field_bits(field) + (size_t)m) +
                n * (150 + 12 * k * sqrt(k)));
}

/* ---- the computation ---- */

bool gfp_kronecker_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    const shape s = shape_of(r);
    const size_t factors = gfp_size_add_sat(gfp_size_mul_sat(r->len_a, s.width_a),
                                            gfp_size_mul_sat(r->len_b, s.width_b));
    const size_t integers = gfp_size_add_sat(factors, gfp_size_mul_sat(s.len, s.width));
    const size_t over_z = gfp_zkronecker_words(r->len_a, r->len_b, s.bits);
    plan->needs = (gfp_needs){.first = r->first, .end = r->end, .share = 1};
    plan->state_bytes = 0;
    plan->needs.words = gfp_size_add_sat(integers, over_z);
    plan->needs.on_stack = plan->needs.words <= GFP_STACK_WORDS;
    /* GMP's own work space is about that of the product. */
    plan->needs.beyond = gfp_size_mul_sat(over_z, sizeof(uint64_t));
    return plan->needs.words <= (size_t)1 << 40;
}

static mp_limb_t *limbs_of(uint64_t *x)
{
    return (mp_limb_t *)(void *)x;
}

/* z, of `width` limbs in two's complement, := x, whose digits from `digits` on are 0 or r - 1. */
static void read_short(const gfp_field *field, uint64_t *z, size_t width, const uint64_t *x,
                       size_t digits)
{
    const uint64_t r = gfp_field_r(field);
    const bool negative = x[gfp_field_k(field) - 1] != 0;
    if (is_minus_one(field, x)) {
        memset(z, 0xff, width * sizeof *z);
        return;
    }
    if (width == 1) {
        uint64_t sum = negative ? UINT64_MAX : 0;
        for (size_t j = digits; j-- > 0;) { /* modulo 2^64 */
            sum = sum * r + x[j];
        }
        z[0] = sum - negative;
        return;
    }
    memset(z, negative ? 0xff : 0, width * sizeof *z);
    for (size_t j = digits; j-- > 0;) { /* z := z r + x_j modulo a power of two */
        (void)mpn_mul_1(limbs_of(z), limbs_of(z), (mp_size_t)width, r);
        (void)mpn_add_1(limbs_of(z), limbs_of(z), (mp_size_t)width, x[j]);
    }
    if (negative) {
        (void)mpn_sub_1(limbs_of(z), limbs_of(z), (mp_size_t)width, 1);
    }
}

static void read_factor(const gfp_field *field, uint64_t *z, size_t width, const uint64_t *x,
                        size_t n, size_t bits, bool is_short)
{
    const unsigned k = gfp_field_k(field);
    const size_t digits = digits_of(field, bits);
    if (!is_short) {
        memset(z, 0, n * width * sizeof *z);
        gfp_vec_get_limbs(field, z, width, x, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        read_short(field, z + i * width, width, x + i * k, digits);
    }
}

/* The digits of a number of `width` limbs, which is overwritten. */
static void write_digits(uint64_t *z, unsigned k, uint64_t *x, size_t width, const gfp_divisor *r)
{
    size_t j = 0;
    for (; width > 1 || x[0] >= r->value; j++) {
        uint64_t rest = 0;
        for (size_t i = width; i-- > 0;) {
            x[i] = gfp_div_wide(r, gfp_join(rest, x[i]), &rest);
        }
        z[j] = rest;
        width -= width > 1 && x[width - 1] == 0;
    }
    z[j++] = x[0];
    memset(z + j, 0, (k - j) * sizeof *z);
}

/* z := a number of one digit: x in [0, r), or if it is negative -x in [2, r], so that p + x =
 * r^k - (-x - 1). Returns false for other numbers. */
static bool write_digit(uint64_t *z, uint64_t x, uint64_t r, unsigned k)
{
    const bool negative = x >> 63 != 0;
    const uint64_t digit = negative ? r + 1 + x : x, fill = negative ? r - 1 : 0;
    if (negative ? 0 - x < 2 || 0 - x > r : x >= r) {
        return false;
    }
    z[0] = digit;
    for (unsigned j = 1; j < k; j++) {
        z[j] = fill;
    }
    return true;
}

#define GROUP 64

/* z := up to GROUP numbers in two's complement, of absolute value below p, which are
 * overwritten. */
static void write_group(const gfp_field *field, uint64_t *z, uint64_t *x, size_t width, size_t n)
{
    const unsigned k = gfp_field_k(field);
    gfp_divisor r;
    gfp_divisor_init(&r, gfp_field_r(field));
    uint64_t negative = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t *number = x + i * width;
        if (width == 1 && write_digit(z + i * k, number[0], r.value, k)) {
            continue;
        }
        if (number[width - 1] >> 63 != 0) {
            negative |= UINT64_C(1) << i;
            (void)mpn_neg(limbs_of(number), limbs_of(number), (mp_size_t)width);
        }
        if (width <= WIDTH_OF_ONE) {
            write_digits(z + i * k, k, number, width, &r);
        }
    }
    if (width > WIDTH_OF_ONE) {
        gfp_vec_set_limbs_mod(field, z, x, width, width, n);
    }
    for (size_t i = 0; negative != 0; i++, negative >>= 1) {
        if ((negative & 1) != 0) {
            gfp_elem_neg(field, z + i * k, z + i * k);
        }
    }
}

static void write_product(const gfp_field *field, uint64_t *z, uint64_t *x, size_t width, size_t n,
                          bool is_short)
{
    if (!is_short) {
        gfp_vec_set_limbs_mod(field, z, x, width, width, n);
        return;
    }
    for (size_t i = 0; i < n; i += GROUP) {
        write_group(field, z + i * gfp_field_k(field), x + i * width, width,
                    gfp_size_min(n - i, GROUP));
    }
}

gfp_status gfp_kronecker_run(const gfp_plan *plan, const gfp_range *r, uint64_t *c, uint64_t *work,
                             gfp_task *task, gfp_error *error)
{
    const shape s = shape_of(&plan->range);
    const bool square = r->a == r->b && r->len_a == r->len_b;
    uint64_t *a = work, *b = a + r->len_a * s.width_a, *product = b + r->len_b * s.width_b;
    const gfp_crt_integers x = {a, r->len_a, s.width_a}, y = {b, r->len_b, s.width_b};
    (void)error;
    if (!gfp_task_span(task, 1, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    read_factor(r->field, a, s.width_a, r->a, r->len_a, s.bits_a, s.is_short);
    if (!square) {
        read_factor(r->field, b, s.width_b, r->b, r->len_b, s.bits_b, s.is_short);
    }
    gfp_zkronecker_multiply(product, &x, square ? NULL : &y, s.bits, product + s.len * s.width);
    const size_t first = plan->needs.first;
    write_product(r->field, c, product + first * s.width, s.width, plan->needs.end - first,
                  s.is_short);
    return gfp_task_advance(task, 1) ? GFP_OK : GFP_ERR_CANCELLED;
}

void gfp_kronecker_describe(const gfp_plan *plan, gfp_text *text)
{
    const shape s = shape_of(&plan->range);
    gfp_text_line(text, "integers", "coefficients of %zu and %zu bits, of the product %zu bits",
                  s.bits_a, s.bits_b, s.bits);
}
