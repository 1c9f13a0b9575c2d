/* zbiresultant_bounds.c: bounds of the resultant of two bivariate polynomials over Z: for |x| = 1
 * Hadamard's bound for the rows of Sylvester's matrix is |r(x)| <= A(x)^(n/2) B(x)^(m/2), A(x) =
 * sum_j |a_j(x)|^2 (zimages_norm.c).
 *
 * A coefficient of the subresultant of index k is the determinant of a submatrix with n - k and
 * m - k of the rows. Bounds of the degrees are those of polynomials over Z/pZ (bipoly_resultant.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"
#include "zbiresultant.h"
#include "zimages.h"

gfp_status gfp_zbiresultant_bounds(gfp_zcall *call, gfp_zbipair *pair)
{
    const gfp_zbipoly *a = pair->a, *b = pair->b;
    const gfp_bipoly_lengths of_a = {&a->coeff[0].len, sizeof *a->coeff, a->len};
    const gfp_bipoly_lengths of_b = {&b->coeff[0].len, sizeof *b->coeff, b->len};
    double norm_a, norm_b;
    if (!gfp_bipoly_lengths_bound(&pair->degree, of_a, of_b, pair->index)) {
        return gfp_error_set(&call->error, GFP_ERR_SIZE, "%s: the degrees are too high",
                             call->name);
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
