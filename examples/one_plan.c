/* one_plan.c: one polynomial times many others. With one plan and one transform of the fixed
 * factor, each product costs two transforms instead of three, and only the first one allocates
 * memory: the field keeps work areas.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"

#define LENGTH 500     /* of every factor */
#define TRANSFORM 1024 /* a power of two, at least 2 LENGTH - 1 */
#define PRODUCTS 8

/* Vectors of TRANSFORM elements. */
typedef struct arrays {
    uint64_t *fixed; /* the transform of the fixed factor */
    uint64_t *other; /* a factor, its transform, the product */
} arrays;

/* y := the transform of a, padded with zeros. Permuted order is faster and serves as well: the
 * product multiplies place by place. */
static gfp_status transform(const gfp_fft_plan *plan, uint64_t *y, const gfp_poly *a)
{
    gfp_vec_set(a->field, y, a->digits, a->len);
    gfp_vec_zero(a->field, y + a->len * gfp_field_k(a->field), TRANSFORM - a->len);
    return gfp_fft_run(y, y, GFP_FORWARD, GFP_ORDER_PERMUTED, plan, NULL);
}

/* c := b times the fixed polynomial. */
static gfp_status multiply(const gfp_fft_plan *plan, gfp_poly *c, const gfp_poly *b, arrays *v)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    gfp_status status = transform(plan, v->other, b);

    if (status == GFP_OK) {
        gfp_vec_mul(field, v->other, v->other, v->fixed, TRANSFORM);
        status = gfp_fft_run(v->other, v->other, GFP_INVERSE, GFP_ORDER_PERMUTED, plan, NULL);
    }
    if (status == GFP_OK) {
        status = gfp_poly_fit_length(c, TRANSFORM);
    }
    if (status == GFP_OK) {
        gfp_vec_set(field, c->digits, v->other, TRANSFORM);
        status = gfp_poly_set_length(c, TRANSFORM); /* drops the zeros beyond the degree */
    }
    return status;
}

/* PRODUCTS products of a with random polynomials; each is checked modulo a random
 * polynomial. */
static gfp_status multiply_all(const gfp_fft_plan *plan, gfp_poly *a, gfp_poly *b, gfp_poly *c,
                               arrays *v)
{
    const gfp_options check = {.verify = GFP_VERIFY_POINT};
    gfp_random generator;
    gfp_status status;

    gfp_random_seed(&generator, 1);
    status = gfp_poly_random(a, LENGTH, &generator);
    if (status == GFP_OK) {
        status = transform(plan, v->fixed, a);
    }
    for (int i = 0; i < PRODUCTS && status == GFP_OK; i++) {
        status = gfp_poly_random(b, LENGTH, &generator);
        if (status == GFP_OK) {
            status = multiply(plan, c, b, v);
        }
        if (status == GFP_OK) {
            status = gfp_poly_verify_mul(c, a, b, &check);
        }
    }
    return status;
}

static gfp_status with_arrays(const gfp_fft_plan *plan)
{
    const gfp_field *field = gfp_fft_plan_field(plan);
    const size_t bytes = TRANSFORM * gfp_field_k(field) * sizeof(uint64_t);
    arrays v = {malloc(bytes), malloc(bytes)};
    gfp_status status = GFP_ERR_MEMORY;
    gfp_poly a, b, c;

    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    if (v.fixed != NULL && v.other != NULL) {
        status = multiply_all(plan, &a, &b, &c, &v);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    free(v.fixed);
    free(v.other);
    return status;
}

int main(void)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_fft_plan *plan;

    if (gfp_field_create(&field, "p16", NULL, &error) != GFP_OK) {
        fprintf(stderr, "one_plan: %s\n", error.message);
        return EXIT_FAILURE;
    }
    if (gfp_fft_plan_create(&plan, field, TRANSFORM, &error) != GFP_OK) {
        fprintf(stderr, "one_plan: %s\n", error.message);
        gfp_field_destroy(field);
        return EXIT_FAILURE;
    }
    const gfp_status status = with_arrays(plan);
    if (status == GFP_OK) {
        printf("%d products over %s by one plan of length %d, all verified\n", PRODUCTS,
               gfp_field_name(field), TRANSFORM);
    } else {
        fprintf(stderr, "one_plan: %s\n", gfp_status_string(status));
    }
    gfp_fft_plan_destroy(plan);
    gfp_field_destroy(field);
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
