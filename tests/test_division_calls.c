/* test_division_calls.c: calls that divide, and calls modulo a fixed polynomial: memory, progress,
 * threads, verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "division_lab.h"

#include <string.h>

#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"

/* ---- the operations ---- */

static gfp_status divrem(parts *s, const gfp_options *options)
{
    return gfp_poly_divrem(&s->z, &s->y, &s->twice, &s->f, options);
}

static gfp_status long_divrem(parts *s, const gfp_options *options)
{
    return gfp_poly_divrem(&s->z, &s->y, &s->several, &s->f, options);
}

static gfp_status quotient(parts *s, const gfp_options *options)
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

static gfp_status exact(parts *s, const gfp_options *options)
{
    return gfp_poly_divexact(&s->z, &s->multiple, &s->f, options);
}

static gfp_status divides(parts *s, const gfp_options *options)
{
    bool yes;
    return gfp_poly_divides(&yes, &s->z, &s->multiple, &s->f, options);
}

static gfp_status modulus(parts *s, const gfp_options *options)
{
    gfp_modulus *M = NULL;
    const gfp_status status = gfp_modulus_create(&M, &s->f, options);
    assert_true((status == GFP_OK) == (M != NULL));
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status multiplier(parts *s, const gfp_options *options)
{
    gfp_multiplier *B = NULL;
    const gfp_status status = gfp_multiplier_create(&B, &s->b, s->M, options);
    assert_true((status == GFP_OK) == (B != NULL));
    gfp_multiplier_destroy(B);
    return status;
}

static gfp_status reduce(parts *s, const gfp_options *options)
{
    return gfp_poly_rem_mod(&s->z, &s->several, s->M, options);
}

static gfp_status product(parts *s, const gfp_options *options)
{
    return gfp_poly_mul_mod(&s->z, &s->a, &s->b, s->M, options);
}

static gfp_status square(parts *s, const gfp_options *options)
{
    return gfp_poly_sqr_mod(&s->z, &s->a, s->M, options);
}

static gfp_status product_of_long(parts *s, const gfp_options *options)
{
    return gfp_poly_mul_mod(&s->z, &s->twice, &s->several, s->M, options);
}

static gfp_status power(parts *s, const gfp_options *options)
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

typedef struct operation {
    const char *name;
    gfp_status (*run)(parts *s, const gfp_options *options);
    bool creates; /* its output takes memory */
    bool chooses; /* its method is not the modulus's */
    /* Full verification compares results, and a wrong product inside may leave them right. */
    bool may_be_right;
} operation;

static const operation operations[] = {
    {"divrem", divrem, false, true, false},
    {"long divrem", long_divrem, false, true, false},
    {"quotient", quotient, false, true, false},
    {"long quotient", long_quotient, false, true, false},
    {"remainder", remainder_of, false, true, false},
    {"exact quotient", exact, false, true, false},
    {"divides", divides, false, true, false},
    {"modulus", modulus, true, true, false},
    {"multiplier", multiplier, true, false, false},
    {"remainder by a modulus", reduce, false, false, false},
    {"product by a modulus", product, false, false, false},
    {"square by a modulus", square, false, false, false},
    {"product of long factors", product_of_long, false, false, false},
    {"power", power, false, false, false},
    {"power of X", power_of_x, false, false, false},
    {"long power", long_power, false, false, false},
    {"long power of X", long_power_of_x, false, false, false},
    {"product by a multiplier", by_multiplier, false, false, false},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 45}, {"p2", 110}, {"2^4+1", 110}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "calls_lab.h"

int main(void)
{
    const struct CMUnitTest tests[] = {CALLS_TESTS};
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
