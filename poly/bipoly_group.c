/* bipoly_group.c: Euclid's algorithm for the images of several points side by side.
 *
 * Remainders of nearly all points have the same degrees: after a first division degrees fall by 1.
 * The coefficients of X^i of all points are a vector; a step makes linear combinations of such
 * vectors, so that vector lanes are full whatever the degrees are. A point whose degrees are others
 * leaves the group and is computed alone.
 *
 * The first division multiplies by the leading coefficient c before each of its d + 1 eliminations,
 * d the difference of degrees, other steps by c^2 (see bipoly_image.c). So the resultant is P^2 t
 * c_1^(d+1) / (D^2 c_1^(n (d+1))), with P the product of the leading coefficients of later steps, D
 * the product of all values of P on the way, t the last remainder.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_group.h"

#include "bipoly_image.h"
#include "kernels.h"
#include "support.h"

/* Vectors that a step needs. */
#define VECTORS 10

typedef struct group {
    const gfp_group_images *images;
    const gfp_field *field;
    size_t k, n;
    uint64_t *x, *y, *t; /* vectors of n elements each, and room */
    size_t len_x, len_y;
    bool exchanged;
    bool in[GFP_GROUP]; /* the point has the degrees of the group */
    size_t left;        /* points with them */
} group;

size_t gfp_group_room(size_t len_a, size_t len_b)
{
    const size_t longer = len_a > len_b ? len_a : len_b;
    const size_t side = gfp_size_add_sat(gfp_size_add_sat(len_a, len_b), VECTORS);
    const size_t alone = gfp_size_add_sat(gfp_image_room(longer), longer);
    return gfp_size_add_sat(gfp_size_mul_sat(GFP_GROUP, side), alone);
}

/* Longer images are computed one by one. Measured: docs/design/bivariate.md. */
static size_t longest(const gfp_field *field)
{
    return gfp_field_k(field) <= 4 ? 80 : 130;
}

static uint64_t *row(const group *w, uint64_t *x, size_t i)
{
    return x + i * w->n * w->k;
}

static void load(const group *w, uint64_t *x, const uint64_t *from, size_t len)
{
    const size_t step = (w->images->len_a + w->images->len_b) * w->k;
    for (size_t i = 0; i < len; i++) {
        for (size_t j = 0; j < w->n; j++) {
            gfp_elem_copy(w->field, row(w, x, i) + j * w->k, from + j * step + i * w->k);
        }
    }
}

/* Points whose coefficient of X^i of x is 0 leave the group. */
static void check_top(group *w, uint64_t *x, size_t i)
{
    const uint64_t *top = row(w, x, i);
    for (size_t j = 0; j < w->n; j++) {
        if (w->in[j] && gfp_elem_is_zero(w->field, top + j * w->k)) {
            w->in[j] = false;
            w->left--;
        }
    }
}

static void begin(group *w, const gfp_group_images *images, uint64_t *room)
{
    const size_t k = gfp_field_k(images->field), n = images->n;
    const uint64_t *a = images->values, *b = a + images->len_a * k;
    *w = (group){.images = images, .field = images->field, .k = k, .n = n, .left = n};
    w->exchanged = images->len_a < images->len_b;
    w->len_x = w->exchanged ? images->len_b : images->len_a;
    w->len_y = w->exchanged ? images->len_a : images->len_b;
    w->x = room;
    w->y = row(w, w->x, w->len_x);
    w->t = row(w, w->y, w->len_y);
    for (size_t j = 0; j < n; j++) {
        w->in[j] = true;
    }
    load(w, w->x, w->exchanged ? b : a, w->len_x);
    load(w, w->y, w->exchanged ? a : b, w->len_y);
    check_top(w, w->x, w->len_x - 1);
    check_top(w, w->y, w->len_y - 1);
}

/* x and y change places; x was replaced by a remainder of len coefficients. */
static void turn(group *w, size_t len)
{
    uint64_t *const x = w->x;
    w->x = w->y;
    w->y = x;
    w->len_x = w->len_y;
    w->len_y = len;
}

/* x := c x - high X^d y, without its leading coefficient, the vector i of x. */
static void eliminate(group *w, size_t i)
{
    const gfp_kernels *kernels = gfp_field_kernels(w->field);
    const size_t d = i + 1 - w->len_y;
    const uint64_t *c = row(w, w->y, w->len_y - 1);
    gfp_vec_neg(w->field, w->t, row(w, w->x, i), w->n);
    for (size_t j = 0; j < i; j++) {
        uint64_t *z = row(w, w->x, j);
        const uint64_t *const factors[] = {c, w->t};
        const uint64_t *const rows[] = {z, j >= d ? row(w, w->y, j - d) : z};
        kernels->dot_rows(w->field, z, NULL, factors, rows, j >= d ? 2 : 1, w->n);
    }
}

/* The first division: degrees differ by anything but 1. */
static void first_step(group *w)
{
    for (size_t i = w->len_x; i-- >= w->len_y;) {
        eliminate(w, i);
    }
    turn(w, w->len_y - 1);
}

/* A step where degrees differ by 1, and y has at least two coefficients. */
static void normal_step(group *w)
{
    const gfp_kernels *kernels = gfp_field_kernels(w->field);
    const size_t len = w->len_y - 1, n = w->n;
    const uint64_t *c = row(w, w->y, len), *below = row(w, w->y, len - 1);
    const uint64_t *high = row(w, w->x, len + 1), *next = row(w, w->x, len);
    uint64_t *square = w->t, *q1 = row(w, w->t, 1), *q0 = row(w, w->t, 2), *t = row(w, w->t, 3);
    gfp_vec_mul(w->field, square, c, c, n);
    gfp_vec_mul(w->field, q1, c, high, n);
    gfp_vec_neg(w->field, q1, q1, n);
    gfp_vec_neg(w->field, t, next, n);
    const uint64_t *const left[] = {high, c}, *const right[] = {below, t};
    kernels->dot_rows(w->field, q0, NULL, left, right, 2, n);
    const uint64_t *const factors[] = {square, q0, q1};
    for (size_t j = 0; j < len; j++) {
        uint64_t *z = row(w, w->x, j);
        const uint64_t *const rows[] = {z, row(w, w->y, j), j > 0 ? row(w, w->y, j - 1) : z};
        kernels->dot_rows(w->field, z, NULL, factors, rows, j > 0 ? 3 : 2, n);
    }
    turn(w, len);
}

/* ---- resultants ---- */

/* z := z times x^e, vectors. */
static void times_powers(const group *w, uint64_t *z, const uint64_t *x, size_t e)
{
    uint64_t t[GFP_MAX_K];
    const uint64_t exponent = e;
    for (size_t j = 0; j < w->n; j++) {
        gfp_elem_pow(w->field, t, x + j * w->k, &exponent, 1);
        gfp_elem_mul(w->field, z + j * w->k, z + j * w->k, t);
    }
}

/* num, den := those of all points with the group's degrees. */
static void resultants(group *w, uint64_t *num, uint64_t *den)
{
    const gfp_field *field = w->field;
    const size_t m = w->len_x - 1, degree = w->len_y - 1, n = w->n;
    uint64_t *P = row(w, w->t, 5), *D = row(w, w->t, 6), *first = row(w, w->t, 7);
    bool negative = w->exchanged && m % 2 == 1 && degree % 2 == 1;
    for (size_t j = 0; j < n; j++) {
        gfp_elem_one(field, P + j * w->k);
        gfp_elem_one(field, D + j * w->k);
        gfp_elem_one(field, first + j * w->k);
    }
    if (m != degree + 1) {
        negative ^= m % 2 == 1 && degree % 2 == 1;
        gfp_vec_copy(field, first, row(w, w->y, degree), n);
        first_step(w);
        check_top(w, w->y, w->len_y - 1);
    }
    while (w->len_y > 1 && w->left > 0) {
        negative ^= (w->len_x - 1) % 2 == 1 && (w->len_y - 1) % 2 == 1;
        gfp_vec_mul(field, P, P, row(w, w->y, w->len_y - 1), n);
        gfp_vec_mul(field, D, D, P, n);
        normal_step(w);
        check_top(w, w->y, w->len_y - 1);
    }
    gfp_vec_mul(field, num, P, P, n);
    gfp_vec_mul(field, num, num, w->y, n);
    gfp_vec_mul(field, den, D, D, n);
    if (m != degree + 1) {
        times_powers(w, num, first, m - degree + 1);
        times_powers(w, den, first, degree * (m - degree + 1));
    }
    if (negative) {
        gfp_vec_neg(field, num, num, n);
    }
}

void gfp_group_resultants(const gfp_group_images *images, uint64_t *num, uint64_t *den,
                          uint64_t *room)
{
    const size_t k = gfp_field_k(images->field), len_a = images->len_a, len_b = images->len_b;
    const size_t longer = len_a > len_b ? len_a : len_b;
    group w = {.n = 0};
    if (len_a > 1 && len_b > 1 && images->n > 1 && longer <= longest(images->field)) {
        begin(&w, images, room);
        resultants(&w, num, den);
    }
    for (size_t j = 0; j < images->n; j++) {
        const uint64_t *values = images->values + j * (len_a + len_b) * k;
        if (w.n == 0 || !w.in[j]) {
            gfp_image_resultant(images->field, num + j * k, den + j * k,
                                (gfp_series){values, len_a},
                                (gfp_series){values + len_a * k, len_b}, room);
        }
    }
}

/* ---- greatest common divisors ---- */

/* Whether all coefficients of a point's y are 0. */
static bool is_zero(const group *w, size_t j)
{
    size_t i = 0;
    while (i < w->len_y && gfp_elem_is_zero(w->field, row(w, w->y, i) + j * w->k)) {
        i++;
    }
    return i == w->len_y;
}

/* Whether y is 0 at a point of the group; then points where it is not leave the group. */
static bool is_last(group *w)
{
    bool zero[GFP_GROUP] = {false}, any = false;
    for (size_t j = 0; j < w->n; j++) {
        zero[j] = w->in[j] && is_zero(w, j);
        any = any || zero[j];
    }
    for (size_t j = 0; j < w->n && any; j++) {
        w->left -= w->in[j] && !zero[j] ? 1 : 0;
        w->in[j] = zero[j];
    }
    return any;
}

/* Steps to the end. x is the divisor; 1, where y has a coefficient. */
static void divisors(group *w)
{
    bool last = false;
    if (w->len_x != w->len_y + 1 && w->left > 0) {
        first_step(w);
        last = w->len_y == 0 || is_last(w);
        if (!last) {
            check_top(w, w->y, w->len_y - 1);
        }
    }
    while (!last && w->len_y > 1 && w->left > 0) {
        normal_step(w);
        last = is_last(w);
        if (!last) {
            check_top(w, w->y, w->len_y - 1);
        }
    }
    w->len_y = last ? 0 : w->len_y;
}

void gfp_group_gcds(const gfp_group_images *images, uint64_t *g, size_t *len, size_t stride,
                    uint64_t *room)
{
    const gfp_field *field = images->field;
    const size_t k = gfp_field_k(field), len_a = images->len_a, len_b = images->len_b;
    const size_t longer = len_a > len_b ? len_a : len_b;
    group w = {.n = 0};
    if (len_a > 1 && len_b > 1 && images->n > 1 && longer <= longest(images->field)) {
        begin(&w, images, room);
        divisors(&w);
    }
    for (size_t j = 0; j < images->n; j++) {
        const uint64_t *values = images->values + j * (len_a + len_b) * k;
        uint64_t *to = g + j * stride * k;
        if (w.n > 0 && w.in[j]) {
            const uint64_t *from = w.len_y == 0 ? w.x : w.y;
            len[j] = w.len_y == 0 ? w.len_x : 1;
            for (size_t i = 0; i < len[j] && len[j] <= stride; i++) {
                gfp_elem_copy(field, to + i * k, from + (i * w.n + j) * k);
            }
        } else {
            /* Behind the group. */
            uint64_t *alone = room + (gfp_group_room(len_a, len_b) - longer) * k;
            len[j] = gfp_image_gcd(field, alone, (gfp_series){values, len_a},
                                   (gfp_series){values + len_a * k, len_b},
                                   alone - gfp_image_room(longer) * k);
            gfp_vec_copy(field, to, alone, len[j] <= stride ? len[j] : 0);
        }
        len[j] = len[j] <= stride ? len[j] : 0;
    }
}
