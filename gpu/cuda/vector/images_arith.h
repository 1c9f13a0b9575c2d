/* images_arith.h: what a thread of images.cu computes, in double precision modulo a prime q, 2^50 -
 * 2^47 < q < 2^50. C and C++, for the device and the host; rounding is to nearest.
 *
 * A residue is a double v, an integer. Ranges, in units of q (images_ranges.py proves them):
 *    - `small' 0.501: images_small, and what it makes of others;
 *    - `mid' 0.85: products of two mid residues, and images_dot3 of small factors.
 * 0 is the only multiple of q below 1. A product x y is h + l, h the rounded product, l the rest,
 * both exact. A sum of products is collected in a double near BIG, a multiple of 2^50 or 2^51; the
 * rest of each product is at most half of that, and exact, too. Quotients are rounded to integers
 * by adding MAGIC.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_CUDA_VECTOR_IMAGES_ARITH_H
#define GFP_GPU_CUDA_VECTOR_IMAGES_ARITH_H

#include <math.h>
#include <stdbool.h>

#include "gpu/images.h"

#ifdef __CUDACC__
#define IMAGES_FN static __host__ __device__ __forceinline__
#else
#define IMAGES_FN static inline
#endif
#ifdef __CUDA_ARCH__
#define IMAGES_UNROLL _Pragma("unroll")
#else
#define IMAGES_UNROLL
#endif

#define IMAGES_MAGIC 6755399441055744.0 /* 3 2^51 */
/* 3 2^101 and 3 2^102. */
#define IMAGES_BIG3 (1.5 * 4611686018427387904.0 * 1099511627776.0)
#define IMAGES_BIG4 (2 * IMAGES_BIG3)
/* Products that a sum near BIG4 holds, one factor in [0, q), the other one small. */
#define IMAGES_TERMS 3
#define IMAGES_GROUP (1 << GFP_GPU_IMAGES_LOG2_GROUP)

typedef struct images_prime {
    double q, reciprocal;
} images_prime;

/* x / q rounded, |x / q| < 2^51. */
IMAGES_FN double images_quotient(double x, images_prime m)
{
    return fma(x, m.reciprocal, IMAGES_MAGIC) - IMAGES_MAGIC;
}

/* Small, for |x| < 4 q. */
IMAGES_FN double images_small(double x, images_prime m)
{
    return fma(-images_quotient(x, m), m.q, x);
}

/* Mid, for mid a and b. */
IMAGES_FN double images_mul(double a, double b, images_prime m)
{
    const double h = a * b, l = fma(a, b, -h);
    return fma(-images_quotient(h, m), m.q, h) + l;
}

/* a x + b y, less than 1 in units of q, for mid factors. */
IMAGES_FN double images_dot2(double a, double x, double b, double y, images_prime m)
{
    const double s = fma(a, x, IMAGES_BIG3), t = fma(b, y, s);
    const double e = fma(a, x, IMAGES_BIG3 - s) + fma(b, y, s - t), h = t - IMAGES_BIG3;
    return fma(-images_quotient(h + e, m), m.q, h) + e;
}

/* x < 2^52 as a double: the lower bits of 2^52 + x. */
IMAGES_FN double images_double(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __longlong_as_double((long long)(x | (uint64_t)0x433 << 52)) - 4503599627370496.0;
#else
    return (double)x;
#endif
}

/* The factors of many sums, small. */
typedef struct images_factors {
    double a, b, c;
} images_factors;

/* a x + b y + c z, mid, for mid x, y, z. */
IMAGES_FN double images_dot3(images_factors f, double x, double y, double z, images_prime m)
{
    const double s = fma(f.a, x, IMAGES_BIG3), t = fma(f.b, y, s), u = fma(f.c, z, t);
    const double e = fma(f.a, x, IMAGES_BIG3 - s) + fma(f.b, y, s - t) + fma(f.c, z, t - u);
    const double h = u - IMAGES_BIG3;
    return fma(-images_quotient(h + e, m), m.q, h) + e;
}

/* ---- constants ---- */

IMAGES_FN const double *images_constants(const gfp_gpu_images_work *w, size_t prime)
{
    return w->primes + (w->first + prime) * GFP_GPU_IMAGES_CONSTANTS;
}

IMAGES_FN images_prime images_prime_of(const gfp_gpu_images_work *w, size_t prime)
{
    const double *c = images_constants(w, prime);
    const images_prime m = {c[0], c[1]};
    return m;
}

/* The root of unity of order 2^log2_order. */
IMAGES_FN double images_root(const double *constants, unsigned log2_order)
{
    return log2_order == 0 ? 1 : log2_order == 1 ? -1 : constants[log2_order];
}

/* ---- values ---- */

/* The powers of the point v for which the points of the group are v times the eighth roots of
 * unity. */
IMAGES_FN void images_powers(const gfp_gpu_images_work *w, size_t prime, size_t group)
{
    const double *constants = images_constants(w, prime);
    const images_prime m = images_prime_of(w, prime);
    double *to = w->powers + prime * w->powers_each * w->groups + group;
    const size_t point = group << GFP_GPU_IMAGES_LOG2_GROUP;
    unsigned i = w->parts - 1;
    while (w->part[i].from > point) {
        i--;
    }
    double v = images_root(constants, w->part[i].log2_order), power = 1;
    const size_t node = (point - w->part[i].from) >> GFP_GPU_IMAGES_LOG2_GROUP;
    for (unsigned bit = 0; node >> bit != 0; bit++) {
        if ((node >> bit & 1) != 0) {
            v = images_mul(v, images_root(constants, bit + GFP_GPU_IMAGES_LOG2_GROUP + 1), m);
        }
    }
    for (size_t j = 0; j < w->powers_each; j++) {
        to[j * w->groups] = power;
        power = images_small(images_mul(power, v, m), m);
    }
}

/* A sum of products near BIG4. */
typedef struct images_sum {
    double s, e;
} images_sum;

IMAGES_FN images_sum images_sum_of(double x)
{
    const images_sum z = {IMAGES_BIG4, x};
    return z;
}

IMAGES_FN void images_sum_add(images_sum *z, double x, double y)
{
    const double s = fma(x, y, z->s);
    z->e += fma(x, y, z->s - s);
    z->s = s;
}

/* Small. */
IMAGES_FN double images_sum_value(const images_sum *z, images_prime m)
{
    const double h = z->s - IMAGES_BIG4;
    return images_small(fma(-images_quotient(h + z->e, m), m.q, h) + z->e, m);
}

/* x + s y and x - s y, small. */
IMAGES_FN void images_butterfly(double *x, double *y, double s, images_prime m)
{
    const double t = images_mul(*y, s, m), u = *x;
    *x = images_small(u + t, m);
    *y = images_small(u - t, m);
}

IMAGES_FN void images_plain_butterfly(double *x, double *y, images_prime m)
{
    const double t = *y, u = *x;
    *x = images_small(u + t, m);
    *y = images_small(u - t, m);
}

/* Row `row` of both polynomials at the points of a group: the remainder modulo X^8 - 1 of the
 * polynomial with X replaced by v X, then three levels of nodes. */
IMAGES_FN void images_values(const gfp_gpu_images_work *w, size_t prime, size_t row, size_t group)
{
    const double *constants = images_constants(w, prime);
    const images_prime m = images_prime_of(w, prime);
    const size_t rows = w->len_y[0] + w->len_y[1], number = w->first + prime;
    const size_t second = row >= w->len_y[0] ? 1 : 0, len = w->columns[row];
    const uint32_t *start = w->columns + rows + second * w->len_x[0];
    const uint64_t *z = w->z + number / GFP_WORDS * w->step_z + number % GFP_WORDS +
                        (row - second * w->len_y[0]) * GFP_WORDS;
    const double *power = w->powers + prime * w->powers_each * w->groups + group;
    images_sum sum[IMAGES_GROUP];
    double x[IMAGES_GROUP];
    IMAGES_UNROLL
    for (unsigned e = 0; e < IMAGES_GROUP; e++) {
        sum[e] = images_sum_of(0);
    }
    for (size_t j = 0, terms = 0; j < len; j += IMAGES_GROUP, terms++) {
        if (terms == IMAGES_TERMS) {
            terms = 0;
            IMAGES_UNROLL
            for (unsigned e = 0; e < IMAGES_GROUP; e++) {
                sum[e] = images_sum_of(images_sum_value(&sum[e], m));
            }
        }
        IMAGES_UNROLL
        for (unsigned e = 0; e < IMAGES_GROUP; e++) {
            if (j + e < len) {
                const double c = images_double(z[(size_t)start[j + e] * GFP_WORDS]);
                images_sum_add(&sum[e], c, power[(j + e) * w->groups]);
            }
        }
    }
    IMAGES_UNROLL
    for (unsigned e = 0; e < IMAGES_GROUP; e++) {
        x[e] = images_sum_value(&sum[e], m);
    }
    const double fourth = constants[2], eighth = constants[3];
    const double other = images_mul(fourth, eighth, m);
    images_plain_butterfly(&x[0], &x[4], m);
    images_plain_butterfly(&x[1], &x[5], m);
    images_plain_butterfly(&x[2], &x[6], m);
    images_plain_butterfly(&x[3], &x[7], m);
    images_plain_butterfly(&x[0], &x[2], m);
    images_plain_butterfly(&x[1], &x[3], m);
    images_butterfly(&x[4], &x[6], fourth, m);
    images_butterfly(&x[5], &x[7], fourth, m);
    images_plain_butterfly(&x[0], &x[1], m);
    images_butterfly(&x[2], &x[3], fourth, m);
    images_butterfly(&x[4], &x[5], eighth, m);
    images_butterfly(&x[6], &x[7], other, m);
    double *to = w->values + (prime * rows + row) * w->points + group * IMAGES_GROUP;
    IMAGES_UNROLL
    for (unsigned e = 0; e < IMAGES_GROUP; e++) {
        to[e] = x[e];
    }
}

/* ---- Euclid's algorithm ---- */

/* f of degree n + 1 and g of degree n; coefficient i at f[i stride], g[-stride] is 0. */
typedef struct images_pair {
    double *f, *g;
    size_t stride;
    images_prime m;
    bool irregular;
    double all, sums; /* of squares: their product; the product of all products but the last one */
} images_pair;

/* Words of a pair of polynomials of len_a and len_b coefficients, for one thread. */
IMAGES_FN size_t images_column(size_t len_a, size_t len_b)
{
    return len_a + len_b + 1;
}

/* The factors of r = l^2 f + (c1 X + c0) g, l = g1 the leading coefficient of g; f1, f0 and g1, g0
 * are the leading two coefficients. */
IMAGES_FN images_factors images_step(images_pair *p, double f1, double f0, double g1, double g0)
{
    const images_factors c = {images_small(images_mul(g1, g1, p->m), p->m),
                              images_small(images_mul(-g1, f1, p->m), p->m),
                              images_small(images_dot2(f1, g0, -g1, f0, p->m), p->m)};
    p->irregular = p->irregular || g1 == 0;
    p->sums = images_mul(p->sums, p->all, p->m);
    p->all = images_mul(p->all, c.a, p->m);
    return c;
}

/* Coefficients i and below that a pass computes together. */
#define IMAGES_ROUND 4

/* The coefficients that a pass has in registers: i + 2 and i + 1 of r, i + 2 to i of g. */
typedef struct images_window {
    double r2, r1, g2, g1, g0;
} images_window;

/* r_i := c.a f_i + c.b g_(i-1) + c.c g_i, and the next remainder's coefficient i + 2. */
IMAGES_FN double images_advance(images_window *v, images_factors c, images_factors d, double f,
                                double below, images_prime m, double *next)
{
    const double r = images_dot3(c, f, below, v->g0, m);
    *next = images_dot3(d, v->g2, v->r1, v->r2, m);
    v->r2 = v->r1;
    v->r1 = r;
    v->g2 = v->g1;
    v->g1 = v->g0;
    v->g0 = below;
    return r;
}

/* Two steps, n >= 2: r of degree n - 1 goes to f, the next remainder to g. */
IMAGES_FN void images_pass(images_pair *p, size_t n)
{
    const size_t k = p->stride;
    const images_prime m = p->m;
    double *f = p->f, *g = p->g;
    const double g3 = g[n * k], g2 = g[(n - 1) * k], g1 = g[(n - 2) * k];
    const double g0 = n > 2 ? g[(n - 3) * k] : 0;
    const images_factors c = images_step(p, f[(n + 1) * k], f[n * k], g3, g2);
    const double r1 = images_dot3(c, f[(n - 1) * k], g1, g2, m);
    const double r0 = images_dot3(c, f[(n - 2) * k], g0, g1, m);
    const images_factors d = images_step(p, g3, g2, r1, r0);
    images_window v = {r1, r0, g2, g1, g0};
    double next;
    f[(n - 1) * k] = r1;
    f[(n - 2) * k] = r0;
    size_t i = n - 2; /* coefficients below i are to come */
    for (; i >= IMAGES_ROUND; i -= IMAGES_ROUND) {
        double of_f[IMAGES_ROUND], of_g[IMAGES_ROUND], r[IMAGES_ROUND], s[IMAGES_ROUND];
        double *fi = f + (i - IMAGES_ROUND) * k, *gi = g + (i - IMAGES_ROUND) * k;
        IMAGES_UNROLL
        for (unsigned t = 0; t < IMAGES_ROUND; t++) {
            of_f[t] = fi[t * k];
            of_g[t] = *(gi + t * k - k);
        }
        IMAGES_UNROLL
        for (unsigned t = IMAGES_ROUND; t-- > 0;) {
            r[t] = images_advance(&v, c, d, of_f[t], of_g[t], m, &s[t]);
        }
        IMAGES_UNROLL
        for (unsigned t = 0; t < IMAGES_ROUND; t++) {
            fi[t * k] = r[t];
            gi[(t + 2) * k] = s[t];
        }
    }
    while (i-- > 0) {
        f[i * k] = images_advance(&v, c, d, f[i * k], *(g + i * k - k), m, &next);
        g[(i + 2) * k] = next;
    }
    if (n > 2) {
        g[k] = images_dot3(d, v.g2, v.r1, v.r2, m);
        v.r2 = v.r1;
        v.g2 = v.g1;
    } else { /* r_0, r_1 and g_1 are in the window */
        v.r2 = r0;
        v.g2 = g1;
    }
    g[0] = images_dot3(d, v.g2, 0, v.r2, m);
}

/* x^e. */
IMAGES_FN double images_power(double x, uint64_t e, images_prime m)
{
    double z = 1;
    unsigned i = GFP_WORDS_BITS;
    while (i > 0 && e >> (i - 1) == 0) {
        i--;
    }
    while (i-- > 0) {
        z = images_mul(z, z, m);
        if ((e >> i & 1) != 0) {
            z = images_mul(z, x, m);
        }
    }
    return z;
}

/* Takes a, formal degree top >= n in g, to degree n - 1: a := l a - a_top X^(top - n) b while top
 * >= n, b of degree n >= 1 in f, l its leading coefficient. Coefficients that no step has met yet
 * lack the powers of l. Returns the product of the l's. */
IMAGES_FN double images_first(const images_pair *p, size_t top, size_t n)
{
    const size_t k = p->stride;
    const images_prime m = p->m;
    const double l = p->f[n * k];
    double all = 1;
    for (; top >= n; top--) {
        const double minus = -p->g[top * k];
        double *g = p->g + (top - n) * k;
        g[0] = images_small(images_dot2(images_mul(l, all, m), g[0], minus, p->f[0], m), m);
        for (size_t i = 1; i < n; i++) {
            g[i * k] = images_small(images_dot2(l, g[i * k], minus, p->f[i * k], m), m);
        }
        all = images_mul(all, l, m);
    }
    return all;
}

/* The image at a point, in [0, q), or IRREGULAR; column: images_column doubles, `stride` apart. */
IMAGES_FN uint64_t images_resultant(const gfp_gpu_images_work *w, size_t prime, size_t point,
                                    double *column, size_t stride)
{
    const images_prime m = images_prime_of(w, prime);
    const bool swap = w->len_y[0] < w->len_y[1];
    const size_t d = w->len_y[swap ? 1 : 0] - 1, n = w->len_y[swap ? 0 : 1] - 1; /* d >= n */
    const double *from = w->values + prime * (d + n + 2) * w->points + point;
    images_pair p = {column, column + (n + 2) * stride, stride, m, false, 1, 1};
    for (size_t i = 0; i <= n; i++) {
        p.f[i * stride] = from[(i + (swap ? 0 : d + 1)) * w->points];
    }
    *(p.g - stride) = 0;
    for (size_t i = 0; i <= d; i++) {
        p.g[i * stride] = from[(i + (swap ? n + 1 : 0)) * w->points];
    }
    /* Each first step: Res(a, b) = (-1)^n l^(1 - n) Res(a', b), and Res(a', b) = Res(b, a') for the
     * degrees n - 1 and n. */
    bool negative = (swap && (d & n & 1) != 0) != ((n & (d - n + 1) & 1) != 0);
    p.irregular = p.f[n * stride] == 0;
    double denominator = images_power(images_first(&p, d, n), n - 1, m);
    /* Res(f, g) = l^(2 - 2 k) Res(g, r), l = g_k, k the degree of g. */
    size_t k = n - 1;
    for (; k >= 2; k -= 2) {
        images_pass(&p, k);
    }
    double last = p.g[0];
    if (k == 1) {
        const images_factors c = images_step(&p, p.f[2 * stride], p.f[stride], p.g[stride], p.g[0]);
        last = images_dot3(c, p.f[0], 0, p.g[0], m);
    }
    denominator = images_mul(denominator, p.sums, m);
    if (p.irregular) {
        return GFP_GPU_IMAGES_IRREGULAR;
    }
    const double inverse = images_power(denominator, (uint64_t)m.q - 2, m);
    double z = images_small(images_mul(last, inverse, m), m);
    z = negative ? -z : z;
    return (uint64_t)(z < 0 ? z + m.q : z);
}

/* Where the image goes. */
IMAGES_FN uint64_t *images_place(const gfp_gpu_images_work *w, size_t prime, size_t point)
{
    const size_t number = w->first + prime;
    return w->results + number / GFP_WORDS * w->step + point * GFP_WORDS + number % GFP_WORDS;
}

#endif
