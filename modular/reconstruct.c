/* reconstruct.c: rational numbers from their residues: Euclid's algorithm for the modulus and a
 * residue, stopped at the bound of numerators, by Lehmer's method.
 *
 * The remainders r_0 = m, r_1 = a, ... have cofactors with r_i = t_i a modulo m, whose signs
 * alternate. If 2 N D < m and some n / d = a modulo m has |n| <= N and 0 < d <= D, then n / d is
 * r_i / t_i for the first r_i <= N (Wang; von zur Gathen, Gerhard, Modern Computer Algebra, theorem
 * 5.26).
 *
 * A vector: let d be the least common denominator of the numbers before. The next residue times d
 * has a denominator of at most D / d, which divides that of the vector; the product of both is the
 * next d. Numerators are residues of d a_i at the end, and within the bound, or no fraction exists.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/word.h"
#include "modular/scalar.h"

/* Two remainders of n limbs in all arrays, r[0] > r[1], the top limb of r[0] is not 0; the absolute
 * values of their cofactors in t_n limbs: r[i] = |s[i] r_0 - t[i] r_1| for the first remainders. */
typedef struct euclid {
    gfp_zcall *call;
    uint64_t *r[2], *t[2], *spare[2], *product, *stop;
    uint64_t *s[2]; /* NULL: not needed */
    size_t n, t_n;
    size_t again; /* no block of steps as long as n is greater */
    bool odd;     /* with s: whether r[0] is t[0] r_1 - s[0] r_0 */
} euclid;

typedef struct fractions {
    gfp_zcall *call;
    gfp_znat m, most_num, most_den, den;
    uint64_t *residue, *dividend, *quotient;
    euclid e;
} fractions;

static int reconstruct_compare(const uint64_t *x, size_t n, gfp_znat y)
{
    n = gfp_z_strip(x, n);
    if (n != y.n) {
        return n < y.n ? -1 : 1;
    }
    return n == 0 ? 0 : mpn_cmp(gfp_z_const_limbs(x), gfp_z_const_limbs(y.limbs), (mp_size_t)n);
}

/* ---- Euclid's algorithm ---- */

static void reconstruct_swap(uint64_t *x[2])
{
    uint64_t *t = x[0];
    x[0] = x[1];
    x[1] = t;
}

/* After a step: the length of r[0], and of cofactors. */
static void reconstruct_settle(euclid *e)
{
    e->n = gfp_z_strip(e->r[0], e->n);
    while (e->t[0][e->t_n] != 0 || e->t[1][e->t_n] != 0) {
        e->t_n++;
        e->t[0][e->t_n] = e->t[1][e->t_n] = 0;
        if (e->s[0] != NULL) {
            e->s[0][e->t_n] = e->s[1][e->t_n] = 0;
        }
    }
}

/* One step: r0, r1 := r1, r0 - q r1, and t0, t1 := t1, t0 + q t1. */
static void reconstruct_divide(euclid *e)
{
    const size_t n = gfp_z_strip(e->r[1], e->n);
    mp_limb_t *q = gfp_z_limbs(e->spare[0]);
    mpn_tdiv_qr(q, gfp_z_limbs(e->spare[1]), 0, gfp_z_limbs(e->r[0]), (mp_size_t)e->n,
                gfp_z_limbs(e->r[1]), (mp_size_t)n);
    memcpy(e->r[0], e->spare[1], n * sizeof *e->r[0]);
    memset(e->r[0] + n, 0, (e->n - n) * sizeof *e->r[0]);
    const size_t q_n = gfp_z_strip(e->spare[0], e->n - n + 1);
    const size_t t_n = gfp_z_strip(e->t[1], e->t_n), sum = t_n + q_n;
    if (t_n >= q_n) {
        (void)mpn_mul(gfp_z_limbs(e->product), gfp_z_limbs(e->t[1]), (mp_size_t)t_n, q,
                      (mp_size_t)q_n);
    } else {
        (void)mpn_mul(gfp_z_limbs(e->product), q, (mp_size_t)q_n, gfp_z_limbs(e->t[1]),
                      (mp_size_t)t_n);
    }
    /* t0 has at most as many limbs as t1. */
    const size_t used = gfp_z_strip(e->product, sum), old = gfp_z_strip(e->t[0], e->t_n);
    const mp_limb_t carry = mpn_add(gfp_z_limbs(e->product), gfp_z_limbs(e->product),
                                    (mp_size_t)used, gfp_z_limbs(e->t[0]), (mp_size_t)old);
    memcpy(e->t[0], e->product, used * sizeof *e->product);
    e->t[0][used] = carry;
    const size_t top = used + (carry != 0);
    for (; e->t_n < top; e->t_n++) {
        e->t[1][e->t_n + 1] = 0;
    }
    memset(e->t[0] + top, 0, (e->t_n + 1 - top) * sizeof *e->product);
    reconstruct_swap(e->r);
    reconstruct_swap(e->t);
    reconstruct_settle(e);
}

/* The quotients of some steps: r0, r1 := |a r0 - b r1|, |c r0 - d r1|. */
typedef struct steps {
    uint64_t a, b, c, d;
    bool odd;
} steps;

/* The leading bits of r0, r1 and `stop`, cut off below one and the same bit. */
typedef struct window {
    gfp_u128 x, y, stop;
} window;

/* 128 bits of x, n limbs, from the bit on that is `shift` below the top of limb n - 1. */
static gfp_u128 reconstruct_leading(const uint64_t *x, size_t n, unsigned shift)
{
    const uint64_t top = x[n - 1], next = n > 1 ? x[n - 2] : 0, last = n > 2 ? x[n - 3] : 0;
    const gfp_u128 z = (gfp_u128)top << 64 | next;
    return shift == 0 ? z : z << shift | last >> (64 - shift);
}

static unsigned bits_of(gfp_u128 x)
{
    const uint64_t both[] = {(uint64_t)x, (uint64_t)(x >> 64)};
    return (unsigned)gfp_z_magnitude_bits(both, gfp_z_strip(both, 2));
}

/* The steps of 64 bits that hold for all numbers with these leading bits: x' >= d' for the last
 * remainder, and x - x' >= b' + d' (Jebelean, J. Symbolic Comput. 19, 1995; b' >= a' and d' >= c').
 * x stays above `stop` + b'. b' and d' are below 2^32, since x_0 = d' x + b' x' and x >= b' +
 * 2 d'. */
static steps reconstruct_simulate(uint64_t x, uint64_t y, uint64_t stop)
{
    steps s = {1, 0, 0, 1, false};
    while (y > stop) {
        const uint64_t q = x / y, rest = x - q * y;
        const steps next = {s.c, s.d, s.a + q * s.c, s.b + q * s.d, !s.odd};
        if (rest < next.d || y - rest < next.b || y - rest - next.b < next.d ||
            y - stop <= next.b) {
            break;
        }
        s = next;
        x = y;
        y = rest;
    }
    return s;
}

/* The steps from the 64 bits below bit `bits` of all numbers. */
static steps simulate_window(const window *w, unsigned bits)
{
    const unsigned cut = bits > 64 ? bits - 64 : 0;
    return reconstruct_simulate((uint64_t)(w->x >> cut), (uint64_t)(w->y >> cut),
                                (uint64_t)(w->stop >> cut));
}

/* x, y := |a x - b y|, |c x - d y|. */
static void reconstruct_apply(window *w, const steps *s)
{
    const gfp_u128 x = s->a * w->x - s->b * w->y, y = s->c * w->x - s->d * w->y;
    w->x = s->odd ? -x : x;
    w->y = s->odd ? y : -y;
}

/* *z := the steps of s, and then those of t; returns false if c + d is not below
 * 2^64. */
static bool reconstruct_append(steps *z, const steps *s, const steps *t)
{
    const gfp_u128 a = (gfp_u128)t->a * s->a + (gfp_u128)t->b * s->c;
    const gfp_u128 b = (gfp_u128)t->a * s->b + (gfp_u128)t->b * s->d;
    const gfp_u128 c = (gfp_u128)t->c * s->a + (gfp_u128)t->d * s->c;
    const gfp_u128 d = (gfp_u128)t->c * s->b + (gfp_u128)t->d * s->d;
    *z = (steps){(uint64_t)a, (uint64_t)b, (uint64_t)c, (uint64_t)d, s->odd != t->odd};
    return (c + d) >> 64 == 0; /* a <= c and b <= d */
}

/* The steps that the window tells for sure, in two turns of 64 bits. Those of the second turn are
 * Euclid's for the numbers of the window. If the last ones satisfy the condition above for 128
 * bits, then 0 < r1 < r0 after the steps, all quotients are positive, and that makes them Euclid's
 * for all numbers with these leading bits. */
static steps steps_of(window w)
{
    const steps first = simulate_window(&w, 128);
    steps both;
    if (first.b == 0) {
        return first;
    }
    reconstruct_apply(&w, &first);
    const steps second = simulate_window(&w, bits_of(w.x));
    if (second.b == 0 || !reconstruct_append(&both, &first, &second)) {
        return first;
    }
    reconstruct_apply(&w, &second);
    const bool sure =
        w.y >= both.d && w.x - w.y >= (gfp_u128)both.b + both.d && w.x > w.stop + both.b;
    return sure ? both : first;
}

/* z := |a x - b y|, x and y of n limbs; negative: the difference is. */
static void reconstruct_difference(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n,
                                   uint64_t a, uint64_t b, bool negative)
{
    const uint64_t *from = negative ? y : x, *other = negative ? x : y;
    (void)mpn_mul_1(gfp_z_limbs(z), gfp_z_const_limbs(from), (mp_size_t)n, negative ? b : a);
    (void)mpn_submul_1(gfp_z_limbs(z), gfp_z_const_limbs(other), (mp_size_t)n, negative ? a : b);
}

/* z := a x + b y, n limbs and one more. */
static void reconstruct_sum(uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n, uint64_t a,
                            uint64_t b)
{
    z[n] = mpn_mul_1(gfp_z_limbs(z), gfp_z_const_limbs(x), (mp_size_t)n, a);
    z[n] += mpn_addmul_1(gfp_z_limbs(z), gfp_z_const_limbs(y), (mp_size_t)n, b);
}

static void reconstruct_exchange(uint64_t *x[2], uint64_t *y[2])
{
    for (size_t i = 0; i < 2; i++) {
        uint64_t *t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* Some steps at once, which leave r0 above `stop`; returns false if the leading bits tell none. */
static bool reconstruct_leap(euclid *e)
{
    const size_t bits = gfp_z_magnitude_bits(e->r[0], e->n);
    const unsigned shift = (unsigned)(64 * e->n - bits);
    const steps s = steps_of((window){reconstruct_leading(e->r[0], e->n, shift),
                                      reconstruct_leading(e->r[1], e->n, shift),
                                      reconstruct_leading(e->stop, e->n, shift)});
    if (s.b == 0) {
        return false;
    }
    reconstruct_difference(e->spare[0], e->r[0], e->r[1], e->n, s.a, s.b, s.odd);
    reconstruct_difference(e->spare[1], e->r[0], e->r[1], e->n, s.c, s.d, !s.odd);
    reconstruct_exchange(e->r, e->spare);
    if (e->s[0] != NULL) {
        reconstruct_sum(e->spare[0], e->s[0], e->s[1], e->t_n, s.a, s.b);
        reconstruct_sum(e->spare[1], e->s[0], e->s[1], e->t_n, s.c, s.d);
        reconstruct_exchange(e->s, e->spare);
        e->odd = e->odd != s.odd;
    }
    reconstruct_sum(e->spare[0], e->t[0], e->t[1], e->t_n, s.a, s.b);
    reconstruct_sum(e->spare[1], e->t[0], e->t[1], e->t_n, s.c, s.d);
    reconstruct_exchange(e->t, e->spare);
    reconstruct_settle(e);
    return true;
}

/* ---- blocks of steps ----
 *
 * The leading 2 h limbs of both numbers tell about h limbs of steps, as the window of a leap tells
 * some, and in the same way, by blocks within the block. A block has leaps only, no divisions. */

/* Shorter blocks take longer than leaps. */
#define LEAST_BLOCK 16
/* Blocks from here on ask whether the call is cancelled. */
#define LONG_BLOCK 512

static const size_t arrays_of_block = 9;

/* z := x y; returns its limbs, without zeros at the top. */
static size_t reconstruct_multiply(uint64_t *z, const uint64_t *x, size_t x_n, const uint64_t *y,
                                   size_t y_n)
{
    x_n = gfp_z_strip(x, x_n);
    y_n = gfp_z_strip(y, y_n);
    if (x_n == 0 || y_n == 0) {
        return 0;
    }
    if (x_n < y_n) {
        return reconstruct_multiply(z, y, y_n, x, x_n);
    }
    (void)mpn_mul(gfp_z_limbs(z), gfp_z_const_limbs(x), (mp_size_t)x_n, gfp_z_const_limbs(y),
                  (mp_size_t)y_n);
    return gfp_z_strip(z, x_n + y_n);
}

/* Whether the steps hold for all numbers with these leading limbs: r1 >= t1, and r0 - r1 >= t0 +
 * t1. */
static bool reconstruct_holds(const euclid *e)
{
    uint64_t *z = e->spare[0];
    mp_limb_t *const to = gfp_z_limbs(z);
    const size_t t_n = gfp_z_strip(e->t[1], e->t_n), n = e->n;
    if (t_n > n || reconstruct_compare(e->r[1], n, (gfp_znat){e->t[1], t_n}) < 0) {
        return false;
    }
    memcpy(z, e->r[1], n * sizeof *z);
    z[n] = 0;
    for (size_t i = 0; i < 2; i++) {
        (void)mpn_add(to, to, (mp_size_t)n + 1, gfp_z_const_limbs(e->t[i]), (mp_size_t)t_n);
    }
    return reconstruct_compare(e->r[0], n, (gfp_znat){z, gfp_z_strip(z, n + 1)}) >= 0;
}

/* The first state of a block, in memory of arrays_of_block times 2 h + 3 limbs. */
static void begin_block(euclid *in, const euclid *e, size_t h, uint64_t *memory)
{
    const size_t size = 2 * h + 3, low = e->n - 2 * h;
    *in = (euclid){.call = e->call, .n = 2 * h, .t_n = 1, .again = SIZE_MAX};
    memset(memory, 0, arrays_of_block * size * sizeof *memory);
    for (size_t i = 0; i < 2; i++) {
        in->r[i] = memory + i * size;
        in->s[i] = memory + (2 + i) * size;
        in->t[i] = memory + (4 + i) * size;
        in->spare[i] = memory + (6 + i) * size;
        memcpy(in->r[i], e->r[i] + low, 2 * h * sizeof *memory);
    }
    in->s[0][0] = in->t[1][0] = 1;
    in->stop = memory + 8 * size;
    in->stop[h + 1] = 1;
}

/* Arrays for two products. */
typedef struct products {
    uint64_t *z[2];
} products;

/* z, n limbs and one more, := top 2^(64 low) + x r0' - y r1', r' the lowest `low` limbs; negative:
 * the products have the other signs. */
static void remainder_after(uint64_t *z, const euclid *e, size_t low, const uint64_t *const xy[2],
                            const euclid *in, const uint64_t *top, bool negative, products *p)
{
    const size_t n = e->n;
    mp_limb_t *const to = gfp_z_limbs(z);
    size_t len[2];
    for (size_t i = 0; i < 2; i++) {
        len[i] = reconstruct_multiply(p->z[i], xy[i], in->t_n, e->r[i], low);
    }
    memset(z, 0, (n + 1) * sizeof *z);
    memcpy(z + low, top, in->n * sizeof *z);
    const size_t add = negative ? 1 : 0;
    if (len[add] > 0) {
        (void)mpn_add(to, to, (mp_size_t)n + 1, gfp_z_limbs(p->z[add]), (mp_size_t)len[add]);
    }
    if (len[1 - add] > 0) {
        (void)mpn_sub(to, to, (mp_size_t)n + 1, gfp_z_limbs(p->z[1 - add]),
                      (mp_size_t)len[1 - add]);
    }
}

/* z := x c0 + y c1; returns its limbs. */
static size_t cofactor_after(uint64_t *z, uint64_t *const c[2], size_t c_n,
                             const uint64_t *const xy[2], size_t xy_n, products *p)
{
    size_t len[2];
    for (size_t i = 0; i < 2; i++) {
        len[i] = reconstruct_multiply(p->z[i], xy[i], xy_n, c[i], c_n);
    }
    const size_t longer = len[0] < len[1], n = len[longer];
    memcpy(z, p->z[longer], n * sizeof *z);
    z[n] = 0;
    if (len[1 - longer] > 0) {
        z[n] = mpn_add(gfp_z_limbs(z), gfp_z_limbs(z), (mp_size_t)n, gfp_z_limbs(p->z[1 - longer]),
                       (mp_size_t)len[1 - longer]);
    }
    return n + (z[n] != 0);
}

/* c0, c1 := the cofactors after the block; returns their limbs. */
static size_t cofactors_after(euclid *e, uint64_t *c[2], const euclid *in, products *p)
{
    size_t n = 1, len[2];
    for (size_t i = 0; i < 2; i++) {
        const uint64_t *const xy[] = {in->s[i], in->t[i]};
        len[i] = cofactor_after(e->spare[i], c, e->t_n, xy, in->t_n, p);
        n = len[i] > n ? len[i] : n;
    }
    for (size_t i = 0; i < 2; i++) {
        memset(e->spare[i] + len[i], 0, (n + 1 - len[i]) * sizeof *e->spare[i]);
    }
    reconstruct_exchange(c, e->spare);
    return n;
}

/* e := the state after the steps of a block. */
static gfp_status apply_block(euclid *e, const euclid *in, size_t low)
{
    const size_t longer = e->n > e->t_n ? e->n : e->t_n, size = longer + in->t_n + 2;
    products p;
    GFP_TRY(gfp_call_array(&e->call->base, &p.z[0], gfp_size_mul_sat(2, size)));
    p.z[1] = p.z[0] + size;
    for (size_t i = 0; i < 2; i++) {
        const uint64_t *const xy[] = {in->s[i], in->t[i]};
        remainder_after(e->spare[i], e, low, xy, in, in->r[i], in->odd != (i == 1), &p);
    }
    reconstruct_exchange(e->r, e->spare);
    const size_t n = cofactors_after(e, e->t, in, &p);
    if (e->s[0] != NULL) {
        const size_t s_n = cofactors_after(e, e->s, in, &p); /* s <= t */
        for (size_t i = 0; i < 2; i++) {
            memset(e->s[i] + s_n, 0, (n + 1 - s_n) * sizeof *e->s[i]);
        }
        e->odd = e->odd != in->odd;
    }
    e->t_n = n;
    return GFP_OK;
}

/* Steps of about h limbs, half of those that are left to `stop`, which the leading 2 h limbs tell;
 * none (*done is false) if they are few, or tell too little. They leave r0 above `stop`, since
 * that is below 2^(64 (n - 2 h)). */
static gfp_status reconstruct_block(euclid *e, bool *done)
{
    euclid in;
    uint64_t *memory;
    const size_t h = (e->n - gfp_z_strip(e->stop, e->n)) / 2, low = e->n - 2 * h;
    gfp_status status = GFP_OK;
    *done = false;
    if (h < LEAST_BLOCK || e->n > e->again) {
        return GFP_OK;
    }
    if (h >= LONG_BLOCK && !gfp_task_report(&e->call->base.task)) {
        return GFP_ERR_CANCELLED;
    }
    const gfp_call_mark mark = gfp_call_mark_here(&e->call->base);
    GFP_TRY(gfp_call_array(&e->call->base, &memory, arrays_of_block * (2 * h + 3)));
    begin_block(&in, e, h, memory);
    const gfp_znat stop = {in.stop, h + 2};
    bool moved = true;
    while (status == GFP_OK && moved && reconstruct_compare(in.r[1], in.n, stop) > 0) {
        status = reconstruct_block(&in, &moved);
        moved = status == GFP_OK && (moved || reconstruct_leap(&in));
    }
    *done = status == GFP_OK && in.n + h / 2 <= 2 * h && reconstruct_holds(&in);
    if (*done) {
        status = apply_block(e, &in, low);
        reconstruct_settle(e);
    } else {
        e->again = e->n - h;
    }
    gfp_call_release(&e->call->base, mark);
    return status;
}

/* The steps to the first r1 <= stop, which has as many limbs as the numbers, and zeros at its
 * top. */
static gfp_status reconstruct_run(euclid *e, gfp_znat stop)
{
    while (reconstruct_compare(e->r[1], e->n, stop) > 0) {
        bool done;
        GFP_TRY(reconstruct_block(e, &done));
        if (!done && !reconstruct_leap(e)) {
            reconstruct_divide(e);
        }
    }
    return GFP_OK;
}

/* ---- fractions ---- */

static gfp_status no_fraction(fractions *f, size_t i)
{
    return gfp_error_set_at(&f->call->base.error, GFP_ERR_NOT_INVERTIBLE, i,
                            "%s: residue %zu is not that of a fraction within the bounds",
                            f->call->base.name, i);
}

/* The residue in [0, m) of x of n limbs, x a magnitude; returns its limbs, the others are 0. */
static size_t reconstruct_reduce(const fractions *f, uint64_t *z, const uint64_t *x, size_t n,
                                 bool negative)
{
    const gfp_znat m = f->m;
    memset(z, 0, m.n * sizeof *z);
    if (n >= m.n) {
        mpn_tdiv_qr(gfp_z_limbs(f->quotient), gfp_z_limbs(z), 0, gfp_z_const_limbs(x), (mp_size_t)n,
                    gfp_z_limbs(m.limbs), (mp_size_t)m.n);
    } else {
        memcpy(z, x, n * sizeof *z);
    }
    if (negative && gfp_z_strip(z, m.n) > 0) {
        (void)mpn_sub_n(gfp_z_limbs(z), gfp_z_limbs(m.limbs), gfp_z_limbs(z), (mp_size_t)m.n);
    }
    return gfp_z_strip(z, m.n);
}

/* residue := den a_i modulo m; returns its limbs. */
static size_t next_residue(fractions *f, const gfp_zvec *a, size_t i)
{
    size_t width;
    const uint64_t *x = gfp_zvec_get(&width, a, i);
    const size_t n = gfp_z_magnitude(f->dividend, x, gfp_z_own_width(x, width));
    const size_t limbs =
        reconstruct_reduce(f, f->residue, f->dividend, n, gfp_z_negative(x, width));
    if (gfp_znat_is_one(f->den) || limbs == 0) {
        return limbs;
    }
    const bool longer = limbs >= f->den.n;
    const uint64_t *u = longer ? f->residue : f->den.limbs;
    const uint64_t *v = longer ? f->den.limbs : f->residue;
    (void)mpn_mul(gfp_z_limbs(f->dividend), gfp_z_const_limbs(u),
                  (mp_size_t)(longer ? limbs : f->den.n), gfp_z_const_limbs(v),
                  (mp_size_t)(longer ? f->den.n : limbs));
    return reconstruct_reduce(f, f->residue, f->dividend,
                              gfp_z_strip(f->dividend, limbs + f->den.n), false);
}

/* Takes the residue to the one of least absolute value; returns whether that is within the bound of
 * numerators. */
static bool is_small(const fractions *f, bool *negative)
{
    *negative = false;
    if (reconstruct_compare(f->residue, f->m.n, f->most_num) <= 0) {
        return true;
    }
    (void)mpn_sub_n(gfp_z_limbs(f->dividend), gfp_z_limbs(f->m.limbs), gfp_z_limbs(f->residue),
                    (mp_size_t)f->m.n);
    *negative = reconstruct_compare(f->dividend, f->m.n, f->most_num) <= 0;
    if (*negative) {
        memcpy(f->residue, f->dividend, f->m.n * sizeof *f->residue);
    }
    return *negative;
}

static void reconstruct_begin(euclid *e, gfp_znat m, const uint64_t *a)
{
    memcpy(e->r[0], m.limbs, m.n * sizeof *a);
    memcpy(e->r[1], a, m.n * sizeof *a);
    e->n = m.n;
    e->t_n = 1;
    e->again = SIZE_MAX;
    memset(e->t[0], 0, 2 * sizeof *a);
    memset(e->t[1], 0, 2 * sizeof *a);
    e->t[1][0] = 1;
}

/* den := den d for the fraction n / d of the residue. Errors: NOT_INVERTIBLE, MEMORY. */
static gfp_status reconstruct_extend(fractions *f, size_t i)
{
    euclid *e = &f->e;
    gfp_znat common, product;
    reconstruct_begin(e, f->m, f->residue);
    GFP_TRY(reconstruct_run(e, f->most_num));
    const gfp_znat d = {e->t[1], gfp_z_strip(e->t[1], e->t_n)},
                   n = {e->r[1], gfp_z_strip(e->r[1], e->n)};
    const gfp_call_mark mark = gfp_call_mark_here(&f->call->base);
    GFP_TRY(gfp_znat_gcd(f->call, &common, n, d));
    if (gfp_znat_is_one(f->den)) {
        product = d;
    } else {
        GFP_TRY(gfp_znat_mul(f->call, &product, f->den, d));
    }
    if (!gfp_znat_is_one(common) ||
        reconstruct_compare(product.limbs, product.n, f->most_den) > 0) {
        return no_fraction(f, i);
    }
    memcpy(f->den.limbs, product.limbs, product.n * sizeof *product.limbs);
    f->den.n = product.n;
    gfp_call_release(&f->call->base, mark);
    return GFP_OK;
}

static gfp_status make_areas(fractions *f, size_t width)
{
    const size_t n = f->m.n + 2, twice = gfp_size_mul_sat(2, width > n ? width : n);
    uint64_t *memory;
    GFP_TRY(
        gfp_call_array(&f->call->base, &memory,
                       gfp_size_add_sat(gfp_size_mul_sat(11, n), gfp_size_add_sat(twice, twice))));
    for (size_t i = 0; i < 2; i++) {
        f->e.r[i] = memory + i * n;
        f->e.t[i] = memory + (2 + i) * n;
        f->e.spare[i] = memory + (4 + i) * n;
    }
    f->e.call = f->call;
    f->e.product = memory + 6 * n; /* of 2 n limbs */
    f->e.stop = memory + 8 * n;
    f->residue = memory + 9 * n;
    f->den = (gfp_znat){memory + 10 * n, 1};
    f->dividend = memory + 11 * n;
    f->quotient = f->dividend + twice;
    f->den.limbs[0] = 1;
    memset(f->e.stop, 0, n * sizeof *memory);
    if (f->most_num.n > 0) {
        memcpy(f->e.stop, f->most_num.limbs, f->most_num.n * sizeof *memory);
    }
    return GFP_OK;
}

/* num, integers of `width` limbs, and f->den := the fractions with the residues a. */
static gfp_status fractions_of(fractions *f, uint64_t *num, size_t width, const gfp_zvec *a)
{
    bool negative;
    GFP_TRY(gfp_zcall_step(f->call, 0.95, (double)a->len, 64 * (double)(f->m.n * f->m.n)));
    for (size_t i = 0; i < a->len; i++) {
        (void)next_residue(f, a, i);
        if (!is_small(f, &negative)) {
            GFP_TRY(reconstruct_extend(f, i));
        }
        if (!gfp_task_advance(&f->call->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    GFP_TRY(gfp_zcall_step(f->call, 1, (double)a->len, 2 * (double)(f->m.n * f->m.n)));
    for (size_t i = 0; i < a->len; i++) {
        (void)next_residue(f, a, i);
        if (!is_small(f, &negative)) {
            return no_fraction(f, i);
        }
        gfp_z_put(num + i * width, width, f->residue, gfp_z_strip(f->residue, f->m.n), negative);
        if (!gfp_task_advance(&f->call->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* ---- the call ---- */

/* z := the natural number of a vector of at most one integer. Errors: ARGUMENT, MEMORY. */
static gfp_status reconstruct_natural(gfp_zcall *call, gfp_znat *z, const gfp_zvec *a,
                                      const char *what)
{
    gfp_zpoly x;
    *z = (gfp_znat){NULL, 0};
    GFP_TRY(gfp_zpoly_flat_of(call, &x, a));
    if (x.len > 1 || gfp_zpoly_is_negative(x)) {
        return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: the %s is no natural number",
                             call->base.name, what);
    }
    return x.len == 0 ? GFP_OK : gfp_znat_of(call, z, x.limbs, x.width);
}

/* Both bounds := floor(sqrt((m - 1) / 2)), that of denominators at least 1. */
static gfp_status usual_bounds(fractions *f)
{
    uint64_t *half;
    const size_t n = f->m.n, root = (n + 1) / 2;
    GFP_TRY(gfp_call_array(&f->call->base, &half, gfp_size_mul_sat(2, n + 1)));
    f->most_num.limbs = half + n;
    f->most_den.limbs = half + n + root;
    (void)mpn_sub_1(gfp_z_limbs(half), gfp_z_limbs(f->m.limbs), (mp_size_t)n, 1);
    (void)mpn_rshift(gfp_z_limbs(half), gfp_z_limbs(half), (mp_size_t)n, 1);
    const size_t used = gfp_z_strip(half, n);
    if (used > 0) {
        (void)mpn_sqrtrem(gfp_z_limbs(f->most_num.limbs), NULL, gfp_z_limbs(half), (mp_size_t)used);
    }
    f->most_num.n = gfp_z_strip(f->most_num.limbs, (used + 1) / 2);
    f->most_den.n = f->most_num.n > 0 ? f->most_num.n : 1;
    f->most_den.limbs[0] = 1;
    memcpy(f->most_den.limbs, f->most_num.limbs, f->most_num.n * sizeof *half);
    return GFP_OK;
}

/* Whether 2 N D < m, and D > 0. */
static gfp_status check_bounds(fractions *f)
{
    gfp_znat product;
    const gfp_call_mark mark = gfp_call_mark_here(&f->call->base);
    GFP_TRY(gfp_znat_mul(f->call, &product, f->most_num, f->most_den));
    product.limbs[product.n] = 0;
    if (product.n > 0) {
        product.limbs[product.n] = mpn_lshift(gfp_z_limbs(product.limbs),
                                              gfp_z_limbs(product.limbs), (mp_size_t)product.n, 1);
    }
    const bool unique =
        f->most_den.n > 0 && reconstruct_compare(product.limbs, product.n + 1, f->m) < 0;
    gfp_call_release(&f->call->base, mark);
    return unique ? GFP_OK
                  : gfp_error_set(&f->call->base.error, GFP_ERR_ARGUMENT,
                                  "%s: the bounds N >= 0 and D > 0 do not satisfy 2 N D < m",
                                  f->call->base.name);
}

static gfp_status reconstruct_compute(gfp_zcall *call, gfp_zvec made[2], const gfp_zvec *residues,
                                      const gfp_zvec *modulus, const gfp_zvec *const most[2])
{
    fractions f = {.call = call};
    uint64_t *num;
    call->base.report.method = "euclid";
    GFP_TRY(reconstruct_natural(call, &f.m, modulus, "modulus"));
    if (f.m.n == 0) {
        return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: the modulus is 0",
                             call->base.name);
    }
    if (most[0] == NULL) {
        GFP_TRY(usual_bounds(&f));
    } else {
        GFP_TRY(reconstruct_natural(call, &f.most_num, most[0], "bound of numerators"));
        GFP_TRY(reconstruct_natural(call, &f.most_den, most[1], "bound of denominators"));
        GFP_TRY(check_bounds(&f));
    }
    GFP_TRY(make_areas(&f, gfp_z_width(gfp_zvec_bits(residues))));
    const size_t width = f.most_num.n + 1;
    GFP_TRY(gfp_call_array(&call->base, &num, gfp_size_mul_sat(residues->len, width)));
    GFP_TRY(fractions_of(&f, num, width, residues));
    GFP_TRY(gfp_zvec_set_polynomial(&made[0], num, residues->len, width));
    f.den.limbs[f.den.n] = 0;
    GFP_TRY(gfp_zvec_set_polynomial(&made[1], f.den.limbs, 1, f.den.n + 1));
    return gfp_call_finish(&call->base);
}

/* The operands of a reconstruction; most: the bounds of numerators and denominator, or NULL. */
typedef struct reconstruction {
    gfp_zvec *num, *den;
    const gfp_zvec *residues, *modulus, *most[2];
} reconstruction;

static gfp_status run_reconstruction(gfp_zcall *call, const reconstruction *w)
{
    gfp_zring *const rings[] = {GFP_ZRING(w->num),      GFP_ZRING(w->den),
                                GFP_ZRING(w->residues), GFP_ZRING(w->modulus),
                                GFP_ZRING(w->most[0]),  GFP_ZRING(w->most[1])};
    gfp_zvec made[2];
    GFP_TRY(gfp_zcall_start(call, rings, w->most[0] != NULL || w->most[1] != NULL ? 6 : 4));
    if (w->num == w->den) {
        return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: both outputs are one vector",
                             call->base.name);
    }
    gfp_zvec_init(&made[0], call->ring);
    gfp_zvec_init(&made[1], call->ring);
    const gfp_status status = reconstruct_compute(call, made, w->residues, w->modulus, w->most);
    if (status == GFP_OK) {
        gfp_zvec_swap(w->num, &made[0]);
        gfp_zvec_swap(w->den, &made[1]);
    }
    gfp_zvec_clear(&made[0]);
    gfp_zvec_clear(&made[1]);
    return status;
}

gfp_status gfp_zvec_reconstruct(gfp_zvec *num, gfp_zvec *den, const gfp_zvec *residues,
                                const gfp_zvec *modulus, const gfp_zvec *max_num,
                                const gfp_zvec *max_den, const gfp_options *options)
{
    const reconstruction w = {num, den, residues, modulus, {max_num, max_den}};
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin(&call, "rational reconstruction", options));
    return gfp_call_end(&call.base, run_reconstruction(&call, &w));
}
