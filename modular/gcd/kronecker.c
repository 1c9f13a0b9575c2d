/* kronecker.c: greatest common divisors over Z by one gcd of integers: the values at X = 2^k.
 *
 * Let a = g u and b = g v be primitive, all coefficients of a and b below x / 2 - 1, x = 2^k. The
 * gcd H of a(x) and b(x) is c g(x), where c = gcd(u(x), v(x)) is small as a rule. The digits of H
 * to base x, least in absolute value, are the coefficients of a polynomial h; its primitive part w
 * is the candidate: w = g if c g has coefficients below x / 2.
 *
 * w is proved to divide a if w(x) divides a(x), and if w q, q the polynomial of the digits of the
 * quotient, has coefficients below x / 2: then w q and a have the same value at x and the same
 * digits. A common divisor w is g: let g = w t. All roots of a are below x / 2 in absolute value,
 * so |t(x)| > (x / 2)^deg(t); but t(x) divides H / w(x), the content of h, at most x / 2. Source:
 * B. Char, K. Geddes, G. Gonnet, GCDHEU, J. Symbolic Computation 7 (1989).
 *
 * It is enough that one operand has short coefficients: k follows from that one. The proof for the
 * other one takes a longer k, or residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/gcd/impl.h"

#include "field/base/word.h"

/* Bits of c, and those by which coefficients of factors are longer than usual; the least sum of
 * both, and half of the logarithm of the length. */
#define MARGIN 4
#define LEAST_MARGIN 10
/* Digits of more bits are not worth a division of integers, but residues. */
static const size_t most_bits[GFP_LEVEL_MEASURED] = {4096, 190, 110};

/* The bits of the digits of the values whose gcd is taken, and of those that prove that the divisor
 * divides the operand of longer coefficients; or residues prove that. */
typedef struct digit_sizes {
    size_t gcd_bits, proof_bits;
    bool residues;
} digit_sizes;

/* ---- values and digits ---- */

/* Limbs of `digits` digits of k bits; two more than their bits need. SIZE_MAX: no size. */
static size_t limbs_of(size_t digits, size_t k)
{
    return gfp_size_add_sat(gfp_size_mul_sat(digits, k) / 64, 2);
}

/* The bits of z from `at` on become x; they are 0 before. */
static void put_limb(uint64_t *z, size_t at, uint64_t x)
{
    const unsigned shift = at % 64;
    z[at / 64] |= x << shift;
    if (shift > 0) {
        z[at / 64 + 1] |= x >> (64 - shift);
    }
}

static uint64_t get_limb(const uint64_t *z, size_t at)
{
    const unsigned shift = at % 64;
    return shift == 0 ? z[at / 64] : z[at / 64] >> shift | z[at / 64 + 1] << (64 - shift);
}

/* z := |a(2^k)|, coefficients below 2^(k - 1); *negative := its sign. Digits are those of the
 * coefficients in two's complement, less 1 above each negative number. */
static gfp_status value_of(gfp_zcall *call, gfp_znat *z, bool *negative, gfp_zpoly a, size_t k)
{
    const size_t limbs = limbs_of(a.len, k), each = (k + 63) / 64, end = a.len * k;
    uint64_t borrow = 0;
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, limbs));
    memset(z->limbs, 0, limbs * sizeof *z->limbs);
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *x = gfp_zpoly_at(a, i);
        const uint64_t sign = 0 - (x[a.width - 1] >> 63);
        uint64_t below = borrow;
        for (size_t j = 0; j < each; j++) {
            const uint64_t limb = j < a.width ? x[j] : sign;
            const uint64_t mask =
                j + 1 == each && k % 64 != 0 ? (UINT64_C(1) << k % 64) - 1 : ~UINT64_C(0);
            put_limb(z->limbs, i * k + 64 * j, (limb - below) & mask);
            borrow = (limb - below) >> 63;
            below &= (uint64_t)(limb == 0);
        }
    }
    *negative = borrow != 0;
    if (*negative) {
        z->limbs[end / 64] |= ~UINT64_C(0) << end % 64;
        z->limbs[end / 64 + 1] = ~UINT64_C(0);
        (void)mpn_neg(gfp_z_limbs(z->limbs), gfp_z_limbs(z->limbs), (mp_size_t)limbs);
    }
    z->n = gfp_z_strip(z->limbs, limbs);
    return GFP_OK;
}

/* The same for coefficients of any size: the magnitudes of each sign are added up. */
static gfp_status long_value_of(gfp_zcall *call, gfp_znat *z, bool *negative, gfp_zpoly a, size_t k)
{
    const size_t room = a.width + 1, limbs = gfp_size_add_sat(limbs_of(a.len, k), room);
    uint64_t *sum[2], *x;
    GFP_TRY(gfp_call_array(&call->base, &z->limbs, limbs));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    sum[0] = z->limbs;
    GFP_TRY(gfp_call_array(&call->base, &sum[1], limbs));
    GFP_TRY(gfp_call_array(&call->base, &x, room));
    memset(sum[0], 0, limbs * sizeof *x);
    memset(sum[1], 0, limbs * sizeof *x);
    for (size_t i = 0; i < a.len; i++) {
        const uint64_t *c = gfp_zpoly_at(a, i);
        const size_t at = i * k / 64;
        uint64_t *to = sum[c[a.width - 1] >> 63] + at;
        const unsigned shift = i * k % 64;
        x[a.width] = 0;
        if (gfp_z_magnitude(x, c, a.width) > 0 && shift > 0) {
            (void)mpn_lshift(gfp_z_limbs(x), gfp_z_limbs(x), (mp_size_t)room, shift);
        }
        const mp_limb_t carry =
            mpn_add_n(gfp_z_limbs(to), gfp_z_limbs(to), gfp_z_limbs(x), (mp_size_t)room);
        if (carry != 0) {
            (void)mpn_add_1(gfp_z_limbs(to + room), gfp_z_limbs(to + room),
                            (mp_size_t)(limbs - at - room), carry);
        }
    }
    *negative = mpn_cmp(gfp_z_limbs(sum[0]), gfp_z_limbs(sum[1]), (mp_size_t)limbs) < 0;
    (void)mpn_sub_n(gfp_z_limbs(z->limbs), gfp_z_limbs(sum[*negative]),
                    gfp_z_limbs(sum[!*negative]), (mp_size_t)limbs);
    gfp_call_release(&call->base, mark);
    z->n = gfp_z_strip(z->limbs, limbs);
    return GFP_OK;
}

/* f, width k / 64 + 1, := the polynomial with coefficients in [-2^(k - 1), 2^(k - 1)) and the value
 * z, or -z, at 2^k, zeros at the end included. */
static gfp_status digits_of(gfp_zcall *call, gfp_zpoly *f, gfp_znat z, size_t k, bool negate)
{
    uint64_t *x;
    const size_t n = gfp_z_magnitude_bits(z.limbs, z.n) / k + 2, limbs = limbs_of(n, k) + 1;
    const uint64_t top = UINT64_C(1) << k % 64; /* 2^k in the last limb */
    uint64_t carry = 0;
    *f = (gfp_zpoly){NULL, n, k / 64 + 1};
    GFP_TRY(gfp_call_array(&call->base, &f->limbs, gfp_size_mul_sat(n, f->width)));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &x, limbs));
    memcpy(x, z.limbs, z.n * sizeof *x);
    memset(x + z.n, 0, (limbs - z.n) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        uint64_t *y = gfp_zpoly_at(*f, i), *last = y + f->width - 1;
        for (size_t j = 0; j < f->width; j++) {
            y[j] = get_limb(x, i * k + 64 * j);
        }
        *last &= top - 1;
        (void)mpn_add_1(gfp_z_limbs(y), gfp_z_limbs(y), (mp_size_t)f->width, carry);
        /* From 2^(k - 1) on, a digit becomes the digit - 2^k. */
        carry = (uint64_t)((y[(k - 1) / 64] >> (k - 1) % 64 & 1) != 0 || (*last & top) != 0);
        *last = (*last & top) != 0 ? 0 : carry != 0 ? *last | (0 - top) : *last;
        if (negate) {
            (void)mpn_neg(gfp_z_limbs(y), gfp_z_limbs(y), (mp_size_t)f->width);
        }
    }
    gfp_call_release(&call->base, mark);
    while (f->len > 0 && gfp_z_bits(gfp_zpoly_at(*f, f->len - 1), f->width) == 0) {
        f->len--;
    }
    return GFP_OK;
}

/* ---- the divisor ---- */

/* Whether the coefficients of w q are below 2^(k - 1): by the greatest coefficients, or, for
 * coefficients of unequal sizes and zeros, by Euclidean norms (Cauchy, Schwarz). */
static bool is_short(gfp_zpoly w, gfp_zpoly q, size_t k)
{
    const size_t terms = gfp_size_min(q.len, w.len);
    return gfp_zpoly_bits(q) + gfp_zpoly_bits(w) + gfp_log2_above(terms) < k ||
           gfp_z_log2_norm(q.limbs, q.len, q.width) + gfp_z_log2_norm(w.limbs, w.len, w.width) <
               (double)(k - 1);
}

/* A polynomial and its value at 2^k: z, or -z. is_long: coefficients may be longer than digits of k
 * bits, and the quotient needs longer digits. */
typedef struct value {
    gfp_zpoly f;
    gfp_znat z;
    bool negative, is_long;
} value;

/* *proved := whether the divisor's value divides that of the dividend, and the divisor times q is
 * the dividend, q the polynomial of the digits of the quotient. */
static gfp_status kronecker_divide(gfp_zcall *call, bool *proved, gfp_zpoly *q,
                                   const value *dividend, const value *divisor, size_t k)
{
    const gfp_znat z = dividend->z, d = divisor->z;
    const bool negative = dividend->negative != divisor->negative;
    gfp_znat quotient;
    uint64_t *rest;
    *proved = false;
    if (z.n < d.n) {
        return GFP_OK;
    }
    quotient.n = z.n - d.n + 1;
    GFP_TRY(gfp_call_array(&call->base, &quotient.limbs, quotient.n));
    GFP_TRY(gfp_call_array(&call->base, &rest, d.n));
    mpn_tdiv_qr(gfp_z_limbs(quotient.limbs), gfp_z_limbs(rest), 0, gfp_z_limbs(z.limbs),
                (mp_size_t)z.n, gfp_z_limbs(d.limbs), (mp_size_t)d.n);
    if (gfp_z_strip(rest, d.n) > 0) {
        return GFP_OK;
    }
    quotient.n = gfp_z_strip(quotient.limbs, quotient.n);
    GFP_TRY(digits_of(call, q, quotient, k, negative));
    *proved = is_short(divisor->f, *q, k);
    return *proved ? GFP_OK : gfp_zis_product(call, proved, dividend->f, divisor->f, *q);
}

/* Nanoseconds: of a gcd of integers for each limb and its square; of a division for each limb of
 * the quotient, and the product with the divisor's limbs; of a second value for each number, each
 * limb, and once. */
#define GCD_LIMB_NS 100
#define GCD_SQUARE_NS 3
#define QUOTIENT_LIMB_NS 8
#define DIVISION_NS 0.4
#define VALUE_NS 14
#define VALUE_LIMB_NS 1
#define VALUES_NS 400
/* The same where residues are the proof. */
#define RESIDUES_LIMB_NS 3
#define RESIDUES_NS 1500

/* The time of the gcd of values of a and b limbs. */
static double values_time(double a, double b)
{
    return (GCD_LIMB_NS + GCD_SQUARE_NS * b) * b + (QUOTIENT_LIMB_NS + DIVISION_NS * b) * a;
}

/* Whether digits of the bits of the operand of short coefficients save more than a second value of
 * the other one takes, of `len` numbers; terms: of the shorter operand. */
static bool is_worth_two(digit_sizes z, size_t len, size_t terms, size_t longer)
{
    const double limbs = (double)z.gcd_bits / 64, proof_limbs = (double)z.proof_bits / 64;
    const double b = (double)terms, a = (double)longer - b;
    const double limb = z.residues ? RESIDUES_LIMB_NS : VALUE_LIMB_NS;
    const double once = z.residues ? RESIDUES_NS : VALUES_NS;
    const double again = once + (VALUE_NS + limb * proof_limbs) * (double)len;
    return values_time(a * proof_limbs, b * proof_limbs) >
           values_time(a * limbs, b * limbs) + again;
}

static digit_sizes sizes_of(gfp_level level, size_t len_a, size_t bits_a, size_t len_b,
                            size_t bits_b)
{
    const size_t terms = gfp_size_min(len_a, len_b), longer = len_a > len_b ? len_a : len_b;
    const size_t usual = (gfp_log2_above(terms) + 1) / 2 + MARGIN;
    const size_t margin = usual > LEAST_MARGIN ? usual : LEAST_MARGIN;
    const size_t most = bits_a > bits_b ? bits_a : bits_b, least = gfp_size_min(bits_a, bits_b);
    const bool both = most + margin > most_bits[gfp_level_measured(level)];
    const digit_sizes z = {least + margin, most + margin, both};
    /* One value of each operand is enough where both have about the same bits. */
    return z.proof_bits - z.gcd_bits >= z.gcd_bits / 4 &&
                   is_worth_two(z, bits_a > bits_b ? len_a : len_b, terms, longer)
               ? z
               : (digit_sizes){z.proof_bits, z.proof_bits, false};
}

/* *proved := whether w divides the operand f, of long coefficients; then q := the quotient. */
static gfp_status divide_long(gfp_zcall *call, bool *proved, gfp_zpoly *q, gfp_zpoly f,
                              const gfp_zpoly *w, digit_sizes digits)
{
    value dividend = {.f = f}, divisor = {.f = *w};
    size_t block;
    if (digits.residues) {
        return gfp_zdivides(call, proved, q, f, *w, &block);
    }
    *proved = false;
    if (gfp_zpoly_bits(*w) + 1 >= digits.proof_bits) {
        return GFP_OK;
    }
    GFP_TRY(value_of(call, &dividend.z, &dividend.negative, f, digits.proof_bits));
    GFP_TRY(value_of(call, &divisor.z, &divisor.negative, *w, digits.proof_bits));
    return kronecker_divide(call, proved, q, &dividend, &divisor, digits.proof_bits);
}

static gfp_status kronecker_evaluate(gfp_zcall *call, value *v, gfp_zpoly f, bool is_long, size_t k)
{
    *v = (value){.f = f, .is_long = is_long};
    return is_long ? long_value_of(call, &v->z, &v->negative, f, k)
                   : value_of(call, &v->z, &v->negative, f, k);
}

static gfp_status kronecker_search(gfp_zcall *call, bool *found, gfp_zdivisor *d,
                                   const gfp_zoperands *p, digit_sizes digits)
{
    static uint64_t one[] = {1};
    gfp_znat h, content, rest;
    gfp_zpoly w;
    value a, b;
    const size_t k = digits.gcd_bits;
    const bool both = digits.gcd_bits == digits.proof_bits;
    GFP_TRY(kronecker_evaluate(call, &a, p->a, !both && p->bits_a > p->bits_b, k));
    GFP_TRY(kronecker_evaluate(call, &b, p->b, !both && p->bits_b > p->bits_a, k));
    if (a.z.n == 0 || b.z.n == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    GFP_TRY(gfp_znat_gcd(call, &h, a.z, b.z));
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    GFP_TRY(digits_of(call, &w, h, k, false));
    if (w.len == 1) {
        *d = (gfp_zdivisor){{one, 1, 1}, p->a, p->b};
        *found = true;
        return GFP_OK;
    }
    GFP_TRY(gfp_zcontent(call, &content, w));
    GFP_TRY(gfp_zdivide_exact(call, &w, w, content));
    GFP_TRY(gfp_znat_divide_exact(call, &rest, h, content));
    d->g = w;
    const value divisor = {.f = w, .z = rest};
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    GFP_TRY(a.is_long ? divide_long(call, found, &d->u, p->a, &w, digits)
                      : kronecker_divide(call, found, &d->u, &a, &divisor, k));
    if (!*found) {
        return GFP_OK;
    }
    return b.is_long ? divide_long(call, found, &d->v, p->b, &w, digits)
                     : kronecker_divide(call, found, &d->v, &b, &divisor, k);
}

gfp_status gfp_zgcd_kronecker(gfp_zcall *call, bool *found, gfp_zdivisor *d, const gfp_zoperands *p)
{
    const digit_sizes digits =
        sizes_of(call->ring->level, p->a.len, p->bits_a, p->b.len, p->bits_b);
    const size_t longer = p->a.len > p->b.len ? p->a.len : p->b.len;
    *found = false;
    if (limbs_of(longer, digits.proof_bits) >= GFP_ZKRONECKER_LIMBS) {
        if (call->method == GFP_Z_AUTO) {
            return GFP_OK; /* not found: another method computes */
        }
        return gfp_zcall_unavailable(call, "the operands are too long for one integer");
    }
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(kronecker_search(call, found, d, p, digits));
    if (!*found) {
        gfp_call_release(&call->base, mark);
    }
    return GFP_OK;
}
