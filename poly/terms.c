/* terms.c: see terms.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/terms.h"

#include "field/base/support.h"

size_t gfp_terms_valuation(const gfp_field *field, gfp_series a)
{
    const size_t k = gfp_field_k(field);
    size_t i = 0;
    while (i < a.len && gfp_elem_is_zero(field, a.digits + i * k)) {
        i++;
    }
    return i;
}

gfp_series gfp_terms_above(const gfp_field *field, gfp_series a, size_t n)
{
    return gfp_series_slice(field, a, n, SIZE_MAX);
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        const size_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

size_t gfp_terms_step(const gfp_field *field, gfp_series a, size_t d)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 1; i < a.len && d != 1; i++) {
        if (!gfp_elem_is_zero(field, a.digits + i * k)) {
            d = common_divisor(d, i);
        }
    }
    return d;
}

gfp_status gfp_terms_compress(gfp_operation_call *op, gfp_series *b, gfp_series a, size_t d)
{
    const size_t k = gfp_field_k(op->field), len = a.len == 0 ? 0 : (a.len - 1) / d + 1;
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, len));
    for (size_t i = 0; i < len; i++) {
        gfp_elem_set(op->field, z + i * k, a.digits + i * d * k);
    }
    *b = (gfp_series){z, len};
    return GFP_OK;
}

void gfp_terms_spread(const gfp_field *field, uint64_t *z, size_t n, size_t d)
{
    const size_t k = gfp_field_k(field);
    size_t end = n; /* elements from `end` on are in place */
    for (size_t i = (n - 1) / d + 1; i-- > 0 && d > 1;) {
        gfp_elem_set(field, z + i * d * k, z + i * k);
        gfp_vec_zero(field, z + (i * d + 1) * k, end - i * d - 1);
        end = i * d;
    }
}
