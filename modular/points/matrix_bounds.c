/* matrix_bounds.c: bounds of the coefficients of the determinant and of the characteristic
 * polynomial of a matrix over Z[X].
 *
 * Let r_i be the maximum over |x| = 1 of the Euclidean norm of row i. The determinant is at most
 * the product of the r_i (Hadamard). The coefficient of T^(n - k) is a sum of principal minors of k
 * rows, each at most the product of their norms: all are at most the product of the 1 + r_i. Both
 * hold for columns, too. Degrees of minors are at most sums of degrees of rows.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "modular/points/matrix.h"

/* Sums over the rows, or the columns, of logarithms of norms, and of degrees. */
typedef struct sums {
    double norms, more; /* of r_i; of 1 + r_i */
    size_t degree;
    bool zero;
} sums;

/* At least log2(1 + 2^x). */
static double log2_and_one(double x)
{
    return x > 60 ? x + 0x1p-50 : log2(1 + exp2(x)) + 0x1p-50;
}

/* Adds a row, or a column: n entries. */
static gfp_status add_line(gfp_zcall *call, sums *s, const gfp_zbipoly *line, double products)
{
    double norm;
    const size_t len = gfp_zbipoly_len_x(line);
    GFP_TRY(gfp_zimages_norm(call, &norm, line, products));
    s->zero = s->zero || len == 0;
    s->degree = gfp_size_add_sat(s->degree, len > 0 ? len - 1 : 0);
    s->norms += len > 0 ? norm : 0;
    s->more += len > 0 ? log2_and_one(norm) : 0;
    return GFP_OK;
}

/* line := row or column i; its coefficients are copies of the entries' structures. */
static void take_line(gfp_zbipoly *line, const gfp_zmatrix *a, size_t i, bool columns)
{
    for (size_t j = 0; j < a->n; j++) {
        line->coeff[j] = a->entry[columns ? j * a->n + i : i * a->n + j];
    }
}

gfp_status gfp_zmatrix_bounds(gfp_zcall *call, gfp_zimages *images, const gfp_zmatrix *a,
                              bool *zero)
{
    sums s[2] = {{.norms = 0}, {.norms = 0}};
    uint64_t *memory;
    const gfp_zbipoly all = gfp_zmatrix_view(a);
    /* Some hundredths of the images modulo a block, for 2 n lines. */
    const double n = (double)a->n, images_of = n * (double)gfp_zbipoly_len_x(&all) * n * n * n;
    const double products = (images_of / 64 + 0x1p16) / (2 * n);
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    GFP_TRY(gfp_call_array(&call->base, &memory,
                           gfp_size_mul_sat(a->n, sizeof(gfp_zvec) / sizeof *memory + 1)));
    gfp_zbipoly line = {a->ring, (gfp_zvec *)(void *)memory, a->n, 0};
    for (size_t i = 0; i < 2 * a->n; i++) {
        take_line(&line, a, i / 2, i % 2 == 1);
        GFP_TRY(add_line(call, &s[i % 2], &line, products));
    }
    gfp_call_release(&call->base, mark);
    const bool det = images->kind == &gfp_zmatrix_determinants;
    const double rows = det ? s[0].norms : s[0].more, columns = det ? s[1].norms : s[1].more;
    images->degree = gfp_size_min(s[0].degree, s[1].degree);
    *zero = s[0].zero || s[1].zero;
    return gfp_zimages_bits(&images->bits, rows < columns ? rows : columns);
}
