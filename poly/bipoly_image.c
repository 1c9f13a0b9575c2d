/* bipoly_image.c: Euclid's algorithm for images of bivariate polynomials.
 *
 * r_0, r_1, ... are remainders, n_i = deg r_i, c_i the leading coefficient of r_i, and s_i r_(i-1)
 * = q_i r_i + r_(i+1). Where the degree falls by d <= 1, s_i = c_i^(d+1), and nothing is inverted;
 * else s_i = 1. Then
 *
 *   Res(r_(i-1), r_i) = (-1)^(n_(i-1) n_i) c_i^(n_(i-1) - n_(i+1)) s_i^(-n_i) Res(r_i, r_(i+1)).
 *
 * The numerator collects the powers of c_i. With P_i the product of the c_j, j <= i, for which s_j
 * = c_j^2, the product of the c_i^(n_i) is that of the P_i^(n_i - n_(i+1)): two products for each
 * step. The caller inverts the denominators of many images together.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_image.h"

#include "gcd.h"
#include "support.h"

/* Two remainders. Each array has a zero before its constant term. */
typedef struct pair {
    const gfp_field *field;
    size_t k;
    uint64_t *x, *y;
    size_t len_x, len_y; /* without leading zeros */
} pair;

size_t gfp_image_length(const gfp_field *field)
{
    const size_t k = gfp_field_k(field);
    return k <= 2 ? 400 : k <= 4 ? 200 : k <= 8 ? 130 : k <= 16 ? 75 : 60;
}

size_t gfp_image_room(size_t len)
{
    return gfp_size_mul_sat(2, gfp_size_add_sat(len, 1));
}

double gfp_image_products(size_t len_a, size_t len_b)
{
    const double shorter = (double)gfp_size_min(len_a, len_b);
    const double longer = (double)(len_a > len_b ? len_a : len_b);
    /* Steps of degree 1, and a first one of the difference. */
    return 1.5 * shorter * shorter + (longer - shorter) * shorter + 12 * longer;
}

/* The longer one becomes x. Returns whether a became y. */
static bool begin(pair *w, const gfp_field *field, gfp_series a, gfp_series b, uint64_t *room)
{
    const size_t k = gfp_field_k(field);
    a.len = gfp_series_trim(field, a.digits, a.len);
    b.len = gfp_series_trim(field, b.digits, b.len);
    const bool exchanged = a.len < b.len;
    const gfp_series x = exchanged ? b : a, y = exchanged ? a : b;
    *w = (pair){field, k, room + k, room + (x.len + 2) * k, x.len, y.len};
    gfp_elem_zero(field, w->x - k);
    gfp_elem_zero(field, w->y - k);
    gfp_vec_copy(field, w->x, x.digits, x.len);
    gfp_vec_copy(field, w->y, y.digits, y.len);
    return exchanged;
}

static const uint64_t *lead_of(const pair *w)
{
    return w->y + (w->len_y - 1) * w->k;
}

/* x := the remainder, of which `len` coefficients can be other than 0; then x and y change
 * places. */
static void turn(pair *w, size_t len)
{
    uint64_t *const x = w->x;
    len = gfp_series_trim(w->field, x, len);
    w->x = w->y;
    w->y = x;
    w->len_x = w->len_y;
    w->len_y = len;
}

/* Degrees are equal: x := c x - high y. */
static void equal_step(pair *w)
{
    const size_t k = w->k, n = w->len_y - 1;
    uint64_t c[2 * GFP_MAX_K];
    const uint64_t *const rows[] = {w->x, w->y};
    gfp_elem_copy(w->field, c, lead_of(w));
    gfp_elem_neg(w->field, c + k, w->x + n * k);
    gfp_vec_lincomb(w->field, w->x, c, rows, 2, n);
    turn(w, n);
}

/* The degree of x is one more: x := c^2 x - (q_1 X + q_0) y; square := c^2. */
static void normal_step(pair *w, uint64_t *square)
{
    const gfp_field *field = w->field;
    const size_t k = w->k, n = w->len_y - 1;
    const uint64_t *c = lead_of(w), *high = w->x + (n + 1) * k;
    const uint64_t *const rows[] = {w->x, w->y, w->y - k};
    uint64_t a[4 * GFP_MAX_K], b[4 * GFP_MAX_K], t[3 * GFP_MAX_K];
    /* c c, c high, c next, high below; below a constant c stands the zero. */
    gfp_elem_copy(field, a, c);
    gfp_elem_copy(field, a + k, c);
    gfp_elem_copy(field, a + 2 * k, c);
    gfp_elem_copy(field, a + 3 * k, high);
    gfp_elem_copy(field, b, c);
    gfp_elem_copy(field, b + k, high);
    gfp_elem_copy(field, b + 2 * k, high - k);
    gfp_elem_copy(field, b + 3 * k, c - k);
    gfp_vec_mul(field, a, a, b, 4);
    gfp_elem_copy(field, square, a);
    gfp_elem_copy(field, t, a);
    gfp_elem_sub(field, t + k, a + 3 * k, a + 2 * k);
    gfp_elem_neg(field, t + 2 * k, a + k);
    gfp_vec_lincomb(field, w->x, t, rows, 3, n);
    turn(w, n);
}

/* x := x mod y, by the definition. */
static void long_step(pair *w)
{
    const gfp_field *field = w->field;
    const size_t k = w->k, n = w->len_y - 1;
    uint64_t inverse[GFP_MAX_K], t[GFP_MAX_K];
    (void)!gfp_elem_inv(field, inverse, lead_of(w)); /* is not 0 */
    for (size_t i = w->len_x; i-- > n;) {
        gfp_elem_mul(field, t, w->x + i * k, inverse);
        gfp_vec_submul(field, w->x + (i - n) * k, w->y, t, n);
    }
    turn(w, n);
}

/* The next remainder; y is not 0. */
static void step(pair *w, uint64_t *square)
{
    const size_t fall = w->len_x - w->len_y;
    if (fall == 0) {
        equal_step(w);
    } else if (fall == 1) {
        normal_step(w, square);
    } else {
        long_step(w);
    }
}

size_t gfp_image_gcd(const gfp_field *field, uint64_t *g, gfp_series a, gfp_series b,
                     uint64_t *room)
{
    pair w;
    uint64_t square[GFP_MAX_K];
    (void)begin(&w, field, a, b, room);
    while (w.len_y > 1) {
        step(&w, square);
    }
    if (w.len_y == 1) { /* a constant */
        gfp_elem_copy(field, g, w.y);
        return 1;
    }
    gfp_vec_copy(field, g, w.x, w.len_x);
    return w.len_x;
}

/* ---- resultants ---- */

/* z := z x^e. */
static void times_power(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t e)
{
    uint64_t t[GFP_MAX_K];
    const uint64_t exponent = e;
    if (e > 2) {
        gfp_elem_pow(field, t, x, &exponent, 1);
        gfp_elem_mul(field, z, z, t);
        return;
    }
    for (; e > 0; e--) {
        gfp_elem_mul(field, z, z, x);
    }
}

/* num, den := the resultant of x and y; neither is 0. Returns whether it changes its sign. */
static bool reduce(pair *w, uint64_t *num, uint64_t *den)
{
    const gfp_field *field = w->field;
    uint64_t product[GFP_MAX_K], powers[GFP_MAX_K], square[GFP_MAX_K], c[GFP_MAX_K];
    bool negative = false;
    gfp_elem_one(field, num);
    gfp_elem_one(field, den);
    gfp_elem_one(field, product);
    gfp_elem_one(field, powers);
    while (w->len_y > 1) {
        const size_t before = w->len_x - 1, now = w->len_y - 1;
        negative ^= before % 2 == 1 && now % 2 == 1;
        gfp_elem_copy(field, c, lead_of(w));
        step(w, square);
        if (w->len_y == 0) { /* a common factor */
            gfp_elem_zero(field, num);
            return false;
        }
        const size_t next = w->len_y - 1;
        if (before == now + 1) {
            gfp_elem_mul(field, product, product, c);
            gfp_elem_mul(field, num, num, square);
            times_power(field, num, c, before - next - 2);
        } else {
            times_power(field, num, c, before - next);
            times_power(field, den, c, before == now ? now : 0);
        }
        times_power(field, powers, product, now - next);
    }
    times_power(field, num, w->y, w->len_x - 1);
    gfp_elem_sqr(field, powers, powers);
    gfp_elem_mul(field, den, den, powers);
    return negative;
}

void gfp_image_resultant(const gfp_field *field, uint64_t *num, uint64_t *den, gfp_series a,
                         gfp_series b, uint64_t *room)
{
    const size_t k = gfp_field_k(field), m = a.len - 1, n = b.len - 1;
    const size_t len_a = gfp_series_trim(field, a.digits, a.len);
    const size_t len_b = gfp_series_trim(field, b.digits, b.len);
    pair w;
    gfp_elem_one(field, num);
    gfp_elem_one(field, den);
    if (m == 0 || n == 0) {
        times_power(field, num, a.digits, m == 0 ? n : 0);
        times_power(field, num, b.digits, n == 0 ? m : 0);
        return;
    }
    if ((len_a <= m && len_b <= n) || len_a == 0 || len_b == 0) {
        gfp_elem_zero(field, num);
        return;
    }
    bool negative = begin(&w, field, a, b, room) && len_a % 2 == 0 && len_b % 2 == 0;
    negative ^= reduce(&w, num, den);
    /* What zeros as leading coefficients leave out. */
    if (len_b <= n) {
        times_power(field, num, a.digits + m * k, n + 1 - len_b);
    } else if (len_a <= m) {
        times_power(field, num, b.digits + n * k, m + 1 - len_a);
        negative ^= (m + 1 - len_a) % 2 == 1 && n % 2 == 1;
    }
    if (negative) {
        gfp_elem_neg(field, num, num);
    }
}
