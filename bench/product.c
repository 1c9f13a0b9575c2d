/* bench/product.c: see product.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bench/product.h"

void product_clear(product *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
    gfp_poly_clear(&p->reference);
}

bool product_init(product *p, const gfp_field *field, size_t len, uint64_t seed)
{
    const gfp_options cross = {.verify = GFP_VERIFY_CROSS, .error = &p->error};
    gfp_random g;

    *p = (product){
        .field = field, .len = len, .options = {.verify = GFP_VERIFY_NONE, .error = &p->error}};
    gfp_poly_init(&p->a, field);
    gfp_poly_init(&p->b, field);
    gfp_poly_init(&p->c, field);
    gfp_poly_init(&p->reference, field);
    gfp_random_seed(&g, seed);
    gfp_status status = gfp_poly_random(&p->a, len, &g);
    if (status == GFP_OK) {
        status = gfp_poly_random(&p->b, len, &g);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&p->reference, &p->a, &p->b, &cross);
    }
    if (status != GFP_OK) {
        product_clear(p);
        return complain("%s, length %zu: %s: %s", gfp_field_name(field), len,
                        gfp_status_string(status), p->error.message);
    }
    return true;
}

bool product_run(void *context)
{
    product *p = context;

    return gfp_poly_mul(&p->c, &p->a, &p->b, &p->options) == GFP_OK;
}

bool product_right(product *p, const char *how)
{
    if (!product_run(p)) {
        return complain("%s, length %zu, %s: %s", gfp_field_name(p->field), p->len, how,
                        p->error.message);
    }
    return gfp_poly_equal(&p->c, &p->reference) ||
           complain("%s, length %zu: the product by %s is wrong", gfp_field_name(p->field), p->len,
                    how);
}
