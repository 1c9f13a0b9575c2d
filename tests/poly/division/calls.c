/* calls.c: calls that divide, and calls modulo a fixed polynomial: memory, progress,
 * threads, verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/rows.h"

/* ---- the operations ---- */

static gfp_status division_calls_divrem(parts *s, const gfp_options *options)
{
    return gfp_poly_divrem(&s->z, &s->y, &s->twice, &s->f, options);
}

static gfp_status long_divrem(parts *s, const gfp_options *options)
{
    return gfp_poly_divrem(&s->z, &s->y, &s->several, &s->f, options);
}

static gfp_status division_calls_quotient(parts *s, const gfp_options *options)
{
    return gfp_poly_div(&s->z, &s->twice, &s->f, options);
}

static gfp_status long_quotient(parts *s, const gfp_options *options)
{
    return gfp_poly_div(&s->z, &s->several, &s->f, options);
}

static gfp_status remainder_of(parts *s, const gfp_options *options)
{
    return gfp_poly_rem(&s->z, &s->several, &s->f, options);
}

static gfp_status division_calls_exact(parts *s, const gfp_options *options)
{
    return gfp_poly_divexact(&s->z, &s->multiple, &s->f, options);
}

static gfp_status division_calls_divides(parts *s, const gfp_options *options)
{
    bool yes;
    return gfp_poly_divides(&yes, &s->z, &s->multiple, &s->f, options);
}

static gfp_status division_calls_modulus(parts *s, const gfp_options *options)
{
    gfp_modulus *M = NULL;
    const gfp_status status = gfp_modulus_create(&M, &s->f, options);
    assert_true((status == GFP_OK) == (M != NULL));
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status division_calls_multiplier(parts *s, const gfp_options *options)
{
    gfp_multiplier *B = NULL;
    const gfp_status status = gfp_multiplier_create(&B, &s->b, s->M, options);
    assert_true((status == GFP_OK) == (B != NULL));
    gfp_multiplier_destroy(B);
    return status;
}

static gfp_status division_calls_reduce(parts *s, const gfp_options *options)
{
    return gfp_poly_rem_mod(&s->z, &s->several, s->M, options);
}

static gfp_status division_calls_product(parts *s, const gfp_options *options)
{
    return gfp_poly_mul_mod(&s->z, &s->a, &s->b, s->M, options);
}

static gfp_status division_calls_square(parts *s, const gfp_options *options)
{
    return gfp_poly_sqr_mod(&s->z, &s->a, s->M, options);
}

static gfp_status product_of_long(parts *s, const gfp_options *options)
{
    return gfp_poly_mul_mod(&s->z, &s->twice, &s->several, s->M, options);
}

static gfp_status division_calls_power(parts *s, const gfp_options *options)
{
    static const uint64_t exponent = 0x2b7;
    return gfp_poly_pow_mod(&s->z, &s->a, &exponent, 1, s->M, options);
}

static gfp_status power_of_x(parts *s, const gfp_options *options)
{
    static const uint64_t exponent = 0x2b75;
    return gfp_poly_pow_mod(&s->z, &s->x, &exponent, 1, s->M, options);
}

/* Chains that are reduced modulo X^N - 1. */
static gfp_status long_power(parts *s, const gfp_options *options)
{
    static const uint64_t exponent = 0x2b7123456;
    return gfp_poly_pow_mod(&s->z, &s->a, &exponent, 1, s->M, options);
}

static gfp_status long_power_of_x(parts *s, const gfp_options *options)
{
    static const uint64_t exponent = 0x1234567891;
    return gfp_poly_pow_mod(&s->z, &s->x, &exponent, 1, s->M, options);
}

static gfp_status by_multiplier(parts *s, const gfp_options *options)
{
    return gfp_poly_mul_multiplier(&s->z, &s->a, s->B, options);
}

static const operation operations[] = {
    {"divrem", division_calls_divrem, 0},
    {"long divrem", long_divrem, 0},
    {"quotient", division_calls_quotient, 0},
    {"long quotient", long_quotient, 0},
    {"remainder", remainder_of, 0},
    {"exact quotient", division_calls_exact, CERTIFIED},
    {"divides", division_calls_divides, 0},
    {"modulus", division_calls_modulus, CREATES},
    {"multiplier", division_calls_multiplier, CREATES},
    {"remainder by a modulus", division_calls_reduce, 0},
    {"product by a modulus", division_calls_product, 0},
    {"square by a modulus", division_calls_square, 0},
    {"product of long factors", product_of_long, 0},
    {"power", division_calls_power, 0},
    {"power of X", power_of_x, 0},
    {"long power", long_power, 0},
    {"long power of X", long_power_of_x, 0},
    {"product by a multiplier", by_multiplier, 0},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static const problem problems[] = {{"p8", 45}, {"p2", 110}, {"2^4+1", 110}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "poly/division/rows_tests.h"

int main(void)
{
    const struct CMUnitTest tests[] = {DIVISION_CALLS_TESTS};
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
