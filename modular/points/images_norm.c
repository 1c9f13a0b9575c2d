/* images_norm.c: bounds of polynomials in X from the norms of their rows on the circle |x| = 1.
 *
 * No coefficient of r exceeds the maximum of |r(x)| over the circle (Cauchy), which Hadamard's
 * bound for the rows of a determinant gives. A(x) = sum_j |f_j(x)|^2 is a trigonometric polynomial
 * of degree K = deg_X f: its maximum is at most that over N > 2 K equidistant points divided by
 * cos(pi K / N) (Ehlich, Zeller, Math. Z. 86, 1964). The bound by sums of absolute values would be
 * about log2(K + 1) / 2 bits larger for each row.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "modular/points/images.h"
#include "modular/points/values.h"

#define PI 3.14159265358979323846
/* N / K, at least. */
#define SAMPLES 8

/* x 2^(-64 (widest - 1)), width <= widest; errs by 2^-50 of this. */
static double images_norm_scaled(const uint64_t *x, size_t width, size_t widest)
{
    const bool negative = gfp_z_negative(x, width);
    const uint64_t flip = negative ? UINT64_MAX : 0;
    double z = negative ? 1 : 0;
    for (size_t i = 0; i < width; i++) {
        z = (i > 0 ? z * 0x1p-64 : z) + (double)(x[i] ^ flip);
    }
    const size_t down = 64 * (widest - width);
    z = down < 1000 ? ldexp(z, -(int)down) : 0;
    return negative ? -z : z;
}

typedef struct samples {
    const gfp_zbipoly *f;
    double *c;    /* scaled coefficients, row after row */
    double norm;  /* of the sums of absolute values of the rows: sqrt(sum_j (sum_i |c_ij|)^2) */
    size_t len_x; /* of the longest row */
} samples;

static void scale_rows(samples *s, size_t widest)
{
    double *c = s->c, sum = 0;
    for (size_t j = 0; j < s->f->len; j++) {
        const gfp_zvec *row = &s->f->coeff[j];
        double one = 0;
        for (size_t i = 0; i < row->len; i++) {
            size_t width;
            const uint64_t *x = gfp_zvec_entry(row, i, &width);
            *c = images_norm_scaled(x, width, widest);
            one += fabs(*c++);
        }
        sum += one * one;
    }
    s->norm = sqrt(sum);
}

/* Points at once: a step of Horner's rule waits for the one before. */
#define AT_ONCE 8

/* The greatest of sum_j |f_j(x)|^2 for x = cosine + i sine, by Horner's rule. */
static double sums_at(const samples *s, const double cosine[AT_ONCE], const double sine[AT_ONCE])
{
    const double *c = s->c;
    double sum[AT_ONCE] = {0}, most = 0;
    for (size_t j = 0; j < s->f->len; j++) {
        const size_t n = s->f->coeff[j].len;
        double re[AT_ONCE] = {0}, im[AT_ONCE] = {0};
        for (size_t i = n; i-- > 0;) {
            for (size_t k = 0; k < AT_ONCE; k++) {
                const double t = re[k] * cosine[k] - im[k] * sine[k] + c[i];
                im[k] = re[k] * sine[k] + im[k] * cosine[k];
                re[k] = t;
            }
        }
        for (size_t k = 0; k < AT_ONCE; k++) {
            sum[k] += re[k] * re[k] + im[k] * im[k];
        }
        c += n;
    }
    for (size_t k = 0; k < AT_ONCE; k++) {
        most = sum[k] > most ? sum[k] : most;
    }
    return most;
}

/* At least the maximum of sqrt(sum_j |f_j(x)|^2) over |x| = 1, by samples. */
static double sampled_norm(const samples *s)
{
    const size_t degree = s->len_x - 1, n = degree == 0 ? 1 : SAMPLES * degree;
    const double angle = 2 * PI / (double)n;
    double most = 0;
    /* Conjugate points have the same values. */
    for (size_t i = 0; i <= n / 2; i += AT_ONCE) {
        double cosine[AT_ONCE], sine[AT_ONCE];
        for (size_t k = 0; k < AT_ONCE; k++) {
            cosine[k] = cos(angle * (double)(i + k));
            sine[k] = sin(angle * (double)(i + k));
        }
        const double sum = sums_at(s, cosine, sine);
        most = sum > most ? sum : most;
    }
    /* Rounding, of the points too, errs by less than 4 (len_x + 4) 2^-52 of the norm. */
    const double error = 0x1p-49 * ((double)s->len_x + 4) * s->norm;
    return (sqrt(most) + error) / sqrt(cos(angle / 2 * (double)degree));
}

gfp_status gfp_zimages_norm(gfp_zcall *call, double *log2_norm, const gfp_zbipoly *f,
                            double products)
{
    uint64_t *memory;
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    size_t terms = 0;
    const size_t widest = gfp_zbipoly_width(f);
    samples s = {.f = f, .len_x = gfp_zbipoly_len_x(f)};
    for (size_t j = 0; j < f->len; j++) {
        terms += f->coeff[j].len;
    }
    *log2_norm = -HUGE_VAL;
    if (terms == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_call_array(&call->base, &memory, terms));
    s.c = (double *)(void *)memory;
    scale_rows(&s, widest);
    const bool few = (double)SAMPLES / 2 * (double)s.len_x * (double)terms <= products;
    const double norm = few ? sampled_norm(&s) : s.norm;
    *log2_norm = log2(norm * (1 + 0x1p-40)) + 64 * (double)(widest - 1);
    gfp_call_release(&call->base, mark);
    return GFP_OK;
}

gfp_status gfp_zimages_bits(size_t *bits, double log2)
{
    const double above = (log2 > 0 ? log2 : 0) * (1 + 0x1p-40) + 2;
    if (above > 0x1p50) {
        return GFP_ERR_SIZE;
    }
    *bits = (size_t)above;
    return GFP_OK;
}
