/* kronecker.c: see kronecker.h. Slots of 64 s bits; products of less than a word take as many
 * bits as they need.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/kronecker.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "field/base/support.h"
#include "crt/small/log.h"

static mp_limb_t *limbs_of(uint64_t *x)
{
    return (mp_limb_t *)(void *)x;
}

static const mp_limb_t *const_limbs(const uint64_t *x)
{
    return (const mp_limb_t *)(const void *)x;
}

static void kronecker_negate(uint64_t *z, size_t n)
{
    (void)mpn_neg(limbs_of(z), limbs_of(z), (mp_size_t)n);
}

/* ---- slots of s limbs: numbers in [-2^(64 s - 1), 2^(64 s - 1)) ---- */

/* Limbs that are packed or unpacked between two reports: some milliseconds. */
#define REPORTED ((size_t)1 << 20)

/* Whether the task goes on after `limbs` further limbs; *since: those after the last report. */
static bool reports_limbs(gfp_task *task, size_t *since, size_t limbs)
{
    *since += limbs;
    if (*since < REPORTED) {
        return true;
    }
    *since = 0;
    return gfp_task_report(task);
}

/* The limbs of the last slot: the number and a borrow or its sign. */
static size_t last_slot(size_t width, size_t s)
{
    return gfp_size_min(s, width + 1);
}

/* z, (len - 1) s + last_slot limbs, := |sum x_i 2^(64 s i)|; *negative: whether the sum is. The
 * sum's slots are those of x_i in two's complement, less 1 above each negative number. Returns
 * whether the task goes on. */
static bool kronecker_pack(uint64_t *z, bool *negative, const gfp_crt_integers *f, size_t s,
                           gfp_task *task)
{
    const size_t limbs = (f->len - 1) * s + last_slot(f->width, s);
    uint64_t borrow = 0, *slot = z;
    size_t since = 0;
    for (size_t i = 0; i < f->len; i++, slot += s) {
        const uint64_t *x = f->limbs + i * f->width;
        const uint64_t sign = 0 - (x[f->width - 1] >> 63);
        const size_t end = i + 1 < f->len ? s : last_slot(f->width, s);
        for (size_t j = 0, to = 0; j < end;) {
            to = gfp_size_min(end, j + REPORTED);
            for (; j < to; j++) {
                const uint64_t limb = j < f->width ? x[j] : sign;
                slot[j] = limb - borrow;
                borrow &= (uint64_t)(limb == 0);
            }
            if (!reports_limbs(task, &since, gfp_size_min(end, REPORTED))) {
                return false;
            }
        }
        borrow = slot[end - 1] >> 63; /* of x_i - 1 or x_i: a slot has room for both */
    }
    *negative = borrow != 0;
    if (borrow != 0) {
        kronecker_negate(z, limbs);
    }
    return true;
}

/* c_i, of s limbs, := slot i, plus 1 if the slot below is negative; i < len. Returns whether the
 * task goes on. */
static bool kronecker_unpack(uint64_t *c, size_t len, const uint64_t *x, size_t s, gfp_task *task)
{
    uint64_t carry = 0;
    size_t since = 0;
    for (size_t i = 0; i < len; i++, x += s, c += s) {
        for (size_t j = 0, to = 0; j < s;) {
            to = gfp_size_min(s, j + REPORTED);
            for (; j < to; j++) {
                c[j] = x[j] + carry;
                carry &= (uint64_t)(c[j] == 0);
            }
            if (!reports_limbs(task, &since, gfp_size_min(s, REPORTED))) {
                return false;
            }
        }
        carry = x[s - 1] >> 63;
    }
    return true;
}

/* ---- slots of k < 64 bits ---- */

static size_t limbs_of_bits(size_t len, unsigned k)
{
    return (len * k + 63) / 64;
}

/* The same as kronecker_pack, for slots of k bits. */
static bool pack_bits(uint64_t *z, const gfp_crt_integers *f, unsigned k)
{
    const uint64_t mask = (UINT64_C(1) << k) - 1;
    uint64_t borrow = 0, word = 0, *to = z;
    unsigned fill = 0;
    for (size_t i = 0; i < f->len; i++) {
        const uint64_t x = f->limbs[i] - borrow, slot = x & mask;
        borrow = x >> 63;
        word |= slot << fill;
        fill += k;
        if (fill >= 64) {
            *to++ = word;
            fill -= 64;
            word = slot >> (k - fill); /* fill < k */
        }
    }
    if (fill > 0) {
        *to++ = borrow != 0 ? word | ~UINT64_C(0) << fill : word;
    }
    if (borrow != 0) {
        kronecker_negate(z, (size_t)(to - z));
    }
    return borrow != 0;
}

/* The same as kronecker_unpack, for slots of k bits, results of one word. */
static void unpack_bits(uint64_t *c, size_t len, const uint64_t *x, unsigned k)
{
    const unsigned high = 64 - k;
    uint64_t carry = 0;
    for (size_t i = 0, at = 0; i < len; i++, at += k) {
        const unsigned shift = at % 64;
        uint64_t slot = x[at / 64] >> shift;
        if (shift > high) {
            slot |= x[at / 64 + 1] << (64 - shift);
        }
        const int64_t y = (int64_t)(slot << high) >> high;
        c[i] = (uint64_t)y + carry;
        carry = (uint64_t)(y < 0);
    }
}

/* ---- the product ---- */

size_t gfp_zkronecker_words(size_t len_a, size_t len_b, size_t bits)
{
    const size_t in = gfp_size_add_sat(len_a, len_b);
    const size_t out = gfp_size_add_sat(len_a, len_b == 0 ? len_a : len_b);
    return gfp_size_mul_sat(gfp_zkronecker_width(bits), gfp_size_add_sat(in, out));
}

/* The bits of a slot; 64: of whole limbs. */
static unsigned slot_bits(size_t bits)
{
    return bits < 63 ? (unsigned)bits + 1 : 64;
}

/* The limbs of the integer of a factor. */
static size_t factor_limbs(const gfp_crt_integers *f, size_t bits)
{
    const size_t s = gfp_zkronecker_width(bits);
    return slot_bits(bits) < 64 ? limbs_of_bits(f->len, slot_bits(bits))
                                : (f->len - 1) * s + last_slot(f->width, s);
}

/* z := the integer of f in factor_limbs limbs; *negative: whether the integer is. Returns whether
 * the task goes on. */
static bool pack_factor(uint64_t *z, bool *negative, const gfp_crt_integers *f, size_t bits,
                        gfp_task *task)
{
    const unsigned k = slot_bits(bits);
    if (k < 64) {
        *negative = pack_bits(z, f, k);
        return gfp_task_report(task);
    }
    return kronecker_pack(z, negative, f, gfp_zkronecker_width(bits), task);
}

bool gfp_zkronecker_pack(gfp_zkronecker *p, const gfp_crt_integers *a, const gfp_crt_integers *b,
                         size_t bits, uint64_t *work, gfp_task *task)
{
    const gfp_crt_integers *second = b == NULL ? a : b;
    const size_t size_a = factor_limbs(a, bits), size_b = factor_limbs(second, bits);
    uint64_t *x = work, *y = b == NULL ? x : x + size_a;
    bool of_a = false, of_b = false;
    *p = (gfp_zkronecker){.x = x,
                          .y = y,
                          .z = y + size_b,
                          .size_x = size_a,
                          .size_y = size_b,
                          .bits = bits,
                          .len = a->len + second->len - 1};
    if (!pack_factor(x, &of_a, a, bits, task) ||
        (b != NULL && !pack_factor(y, &of_b, b, bits, task))) {
        return false;
    }
    p->negative = b != NULL && of_a != of_b;
    return true;
}

/* z := x y by GMP, which aborts the process if memory runs out. */
static void multiply_integers(const gfp_zkronecker *p)
{
    const bool longer = p->size_x >= p->size_y;
    if (p->x == p->y) {
        mpn_sqr(limbs_of(p->z), const_limbs(p->x), (mp_size_t)p->size_x);
    } else {
        (void)mpn_mul(limbs_of(p->z), const_limbs(longer ? p->x : p->y),
                      (mp_size_t)(longer ? p->size_x : p->size_y),
                      const_limbs(longer ? p->y : p->x),
                      (mp_size_t)(longer ? p->size_y : p->size_x));
    }
}

bool gfp_zkronecker_unpack(uint64_t *c, const gfp_zkronecker *p, gfp_task *task)
{
    const unsigned k = slot_bits(p->bits);
    const size_t s = gfp_zkronecker_width(p->bits), limbs = p->size_x + p->size_y;
    if (k < 64) {
        if (p->negative) {
            kronecker_negate(p->z, limbs);
        }
        unpack_bits(c, p->len, p->z, k);
        return gfp_task_report(task);
    }
    if (limbs < p->len * s) { /* the last slots of the factors are shorter */
        memset(p->z + limbs, 0, (p->len * s - limbs) * sizeof *p->z);
    }
    if (p->negative) {
        kronecker_negate(p->z, p->len * s > limbs ? p->len * s : limbs);
    }
    return kronecker_unpack(c, p->len, p->z, s, task);
}

void gfp_zkronecker_multiply(uint64_t *c, const gfp_crt_integers *a, const gfp_crt_integers *b,
                             size_t bits, uint64_t *work)
{
    gfp_zkronecker p;
    (void)gfp_zkronecker_pack(&p, a, b, bits, work, NULL);
    multiply_integers(&p);
    (void)gfp_zkronecker_unpack(c, &p, NULL);
}

/* ---- the prediction ---- */

/* log2 of the time of mpn_mul for each limb of the longer number, the shorter one of 2^i limbs. */
#define INTEGERS 18
static const double integer_product[INTEGERS] = {-0.42, 0.58, 1.46, 2.23, 3.22, 3.94,
                                                 4.61,  5.33, 5.72, 6.14, 6.61, 6.96,
                                                 7.32,  7.72, 7.77, 7.96, 8.15, 8.32};

double gfp_zkronecker_integer_ns(double x, double y)
{
    const double at = gfp_zlog2(fmax(fmin(x, y), 1));
    const size_t i = (size_t)fmin(at, INTEGERS - 2);
    const double rate =
        integer_product[i] + (at - (double)i) * (integer_product[i + 1] - integer_product[i]);
    return fmax(x, y) * gfp_zexp2(rate);
}

/* Packing and unpacking, and a product of integers of whole limbs for each coefficient, or of the
 * bits that products of less than a word need. */
double gfp_zkronecker_ns(size_t len_a, size_t len_b, size_t bits)
{
    const double limbs = bits < 63 ? ((double)bits + 1) / 64 : (double)gfp_zkronecker_width(bits);
    const double a = (double)len_a, b = (double)len_b, all = 2 * (a + b) - 1;
    const double pack_ns = bits < 63 ? 205 + 1.6 * all : 160 + 0.92 * all + 2.75 * (a + b) * limbs;
    return pack_ns + 0.97 * gfp_zkronecker_integer_ns(a * limbs, b * limbs);
}
