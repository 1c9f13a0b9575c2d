/* resultant_bounds.c: bounds of the resultant of two bivariate polynomials over Z.
 *
 * Bits: for |x| = 1 Hadamard's bound for the rows of Sylvester's matrix is |r(x)| <= A(x)^(n/2)
 * B(x)^(m/2), A(x) = sum_j |a_j(x)|^2 (images_norm.c). A coefficient of the subresultant of index
 * k is the determinant of a submatrix with n - k and m - k of the rows.
 *
 * Degrees: for a, b of degrees m, n in Y the resultant has the degree at most n deg_w a + m deg_w b
 * - w m n for every w, where deg_w gives X the weight 1 and Y the weight w: the determinant's terms
 * have this weight at most. The least over all integers w is taken: w = 0 gives the degrees in X, w
 * = 1 total degrees. The coefficient of Y^j in the subresultant of index k has n - k and m - k of
 * the rows, and the columns k + 1, ..., m + n - k - 1 and j: with N = n - k and M = m - k its
 * degree is at most N deg_w a + M deg_w b - w (M N + (M + N - 1) k + j).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/resultant.h"
#include "modular/points/images.h"

/* The degree of a where Y has the weight w; a is not 0. */
static double weighted_degree(const gfp_zbipoly *a, double w)
{
    double most = 0;
    bool any = false;
    for (size_t j = 0; j < a->len; j++) {
        const double degree = (double)a->coeff[j].len - 1 + w * (double)j;
        if (a->coeff[j].len > 0 && (!any || degree > most)) {
            most = degree;
            any = true;
        }
    }
    return most;
}

/* The bound of the degrees of all coefficients for the weight w. */
static double degree_bound_by(const gfp_zbipair *pair, double w)
{
    const double k = (double)pair->index;
    const double m = (double)pair->a->len - 1 - k, n = (double)pair->b->len - 1 - k;
    const double columns = m * n + (k > 0 ? (m + n - 1) * k : 0);
    return n * weighted_degree(pair->a, w) + m * weighted_degree(pair->b, w) - w * columns -
           (w < 0 ? w * k : 0);
}

/* Sets pair->degree. False if the bound is far beyond memory. */
static bool bound_degree(gfp_zbipair *pair)
{
    double w = 0, least = degree_bound_by(pair, 0);
    const double up = degree_bound_by(pair, 1), move = up < least ? 1 : -1;
    /* A convex function of w, without a lower bound if high powers of Y divide a and b. */
    for (double next = up < least ? up : degree_bound_by(pair, -1); next < least && least > 0;) {
        least = next;
        w += move;
        next = degree_bound_by(pair, w + move);
    }
    pair->degree = least > 0 ? (size_t)least : 0;
    return least < (double)((size_t)1 << 48);
}

gfp_status gfp_zbiresultant_bounds(gfp_zcall *call, gfp_zbipair *pair)
{
    const gfp_zbipoly *a = pair->a, *b = pair->b;
    double norm_a, norm_b;
    if (!bound_degree(pair)) {
        return gfp_error_set(&call->base.error, GFP_ERR_SIZE, "%s: the degrees are too high",
                             call->base.name);
    }
    /* Some hundredths of the images modulo a block. */
    const double images = (double)pair->degree * (double)a->len * (double)b->len;
    const double products = images / 16 + 0x1p16;
    GFP_TRY(gfp_zimages_norm(call, &norm_a, a, products));
    GFP_TRY(gfp_zimages_norm(call, &norm_b, b, products));
    const double bits =
        (double)(b->len - 1 - pair->index) * norm_a + (double)(a->len - 1 - pair->index) * norm_b;
    return gfp_zimages_bits(&pair->bits, bits);
}
