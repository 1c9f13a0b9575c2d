/* classical.c: the schoolbook product: every coefficient is one convolution sum, which the field's
 * dot kernel reduces once. It serves every problem, and gives low products directly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "kernels.h"
#include "methods.h"

void gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n)
{
    size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        /* c_i = sum a_j b_(i-j) over 0 <= j < len_a, 0 <= i - j < len_b: from first to last. */
        size_t first = i < len_b ? 0 : i - len_b + 1;
        size_t last = i < len_a ? i : len_a - 1;
        gfp_vec_dot(field, c + i * k, a + first * k, b + (i - last) * k, last - first + 1);
    }
}

gfp_status gfp_classical_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_error *error)
{
    (void)work;
    (void)error;
    gfp_classical_low(field, c, a, len_a, b, len_b, len_a + len_b - 1);
    return GFP_OK;
}
