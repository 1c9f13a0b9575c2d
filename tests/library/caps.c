/* caps.c: caps on memory of the sizes that the headers state suffice.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include "lab/rows.h"
#include "gfpoly.h"
#include "lab/sanitized.h"

#include <math.h>
#include <stdlib.h>

/* f, a of n terms, with the constant terms 1 and 0; twice of 2 n terms. */
typedef struct plot {
    size_t n;
    gfp_poly f, a, twice, y, z;
    uint64_t *values;
    uint64_t x[GFP_MAX_K];
} plot;

static gfp_status caps_inverse(plot *s, const gfp_options *o)
{
    return gfp_poly_inv_series(&s->z, &s->f, s->n, o);
}

static gfp_status caps_quotient(plot *s, const gfp_options *o)
{
    return gfp_poly_div_series(&s->z, &s->a, &s->f, s->n, o);
}

static gfp_status caps_root(plot *s, const gfp_options *o)
{
    return gfp_poly_sqrt_series(&s->z, &s->f, s->n, o);
}

static gfp_status inverse_root(plot *s, const gfp_options *o)
{
    return gfp_poly_invsqrt_series(&s->z, &s->f, s->n, o);
}

static gfp_status caps_logarithm(plot *s, const gfp_options *o)
{
    return gfp_poly_log_series(&s->z, &s->f, s->n, o);
}

static gfp_status caps_exponential(plot *s, const gfp_options *o)
{
    return gfp_poly_exp_series(&s->z, &s->a, s->n, o);
}

static gfp_status caps_power(plot *s, const gfp_options *o)
{
    return gfp_poly_pow_series(&s->z, &s->f, s->x, gfp_field_k(s->f.field), s->n, o);
}

static gfp_status caps_shift(plot *s, const gfp_options *o)
{
    return gfp_poly_taylor_shift(&s->z, &s->a, s->x, o);
}

static gfp_status caps_division(plot *s, const gfp_options *o)
{
    return gfp_poly_divrem(&s->z, &s->y, &s->twice, &s->f, o);
}

static gfp_status caps_divisor(plot *s, const gfp_options *o)
{
    return gfp_poly_gcd(&s->z, &s->a, &s->f, o);
}

static gfp_status caps_resultant(plot *s, const gfp_options *o)
{
    return gfp_poly_resultant(s->values, &s->a, &s->f, o);
}

static gfp_status caps_cofactors(plot *s, const gfp_options *o)
{
    return gfp_poly_xgcd(&s->z, &s->y, &s->twice, &s->a, &s->f, o);
}

static gfp_status power_modulo(plot *s, const gfp_options *o)
{
    gfp_modulus *M;
    gfp_status status = gfp_modulus_create(&M, &s->f, o);
    if (status != GFP_OK) {
        return status;
    }
    status = gfp_poly_pow_mod(&s->z, &s->a, gfp_field_modulus_limbs(s->a.field),
                              gfp_field_limbs(s->a.field), M, o);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status composition_modulo(plot *s, const gfp_options *o)
{
    gfp_modulus *M;
    gfp_compose_argument *A = NULL;
    gfp_status status = gfp_modulus_create(&M, &s->f, o);
    if (status != GFP_OK) {
        return status;
    }
    status = gfp_compose_argument_create(&A, &s->a, M, 1, o);
    status = status == GFP_OK ? gfp_poly_compose_mod(&s->z, &s->a, A, o) : status;
    gfp_compose_argument_destroy(A);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status caps_composition(plot *s, const gfp_options *o)
{
    return gfp_poly_compose_series(&s->z, &s->f, &s->a, s->n, o);
}

static gfp_status caps_reversion(plot *s, const gfp_options *o)
{
    return gfp_poly_revert_series(&s->z, &s->a, s->n, o);
}

static gfp_status product_of_roots(plot *s, const gfp_options *o)
{
    return gfp_poly_product_roots(&s->z, s->f.digits, s->n, o);
}

static gfp_status caps_values(plot *s, const gfp_options *o)
{
    return gfp_poly_eval_vec(s->values, &s->a, s->f.digits, s->n, o);
}

static gfp_status caps_interpolation(plot *s, const gfp_options *o)
{
    return gfp_poly_interpolate(&s->z, s->f.digits, s->a.digits, s->n, o);
}

static gfp_status caps_roots(plot *s, const gfp_options *o)
{
    gfp_roots R;
    gfp_roots_init(&R, s->f.field);
    const gfp_status status = gfp_poly_roots(&R, &s->f, o);
    gfp_roots_clear(&R);
    return status;
}

static gfp_status caps_factors(plot *s, const gfp_options *o)
{
    gfp_factors F;
    gfp_factors_init(&F, s->f.field);
    const gfp_status status = gfp_poly_factor(&F, &s->f, o);
    gfp_factors_clear(&F);
    return status;
}

/* The call needs at most `times` the bytes of n elements; by_root: n^(1/2) times as many. */
static const struct {
    const char *name;
    gfp_status (*run)(plot *s, const gfp_options *options);
    double times;
    bool by_root;
    size_t longest;
} call[] = {
    {"inverse", caps_inverse, 35, false, 2048},
    {"quotient", caps_quotient, 35, false, 2048},
    {"square root", caps_root, 35, false, 2048},
    {"inverse of the root", inverse_root, 35, false, 2048},
    {"logarithm", caps_logarithm, 35, false, 2048},
    {"exponential", caps_exponential, 35, false, 2048},
    {"power", caps_power, 35, false, 2048},
    {"shift", caps_shift, 35, false, 2048},
    {"division", caps_division, 40, false, 2048},
    {"divisor", caps_divisor, 42, false, 2048},
    {"resultant", caps_resultant, 42, false, 2048},
    {"cofactors", caps_cofactors, 60, false, 2048},
    {"power modulo f", power_modulo, 320, false, 256},
    {"composition modulo f", composition_modulo, 65, false, 512},
    {"composition", caps_composition, 75, false, 512},
    {"reversion", caps_reversion, 75, false, 512},
    {"product of roots", product_of_roots, 110, false, 2048},
    {"values", caps_values, 130, false, 2048},
    {"interpolation", caps_interpolation, 130, false, 2048},
    {"roots", caps_roots, 100, false, 64},
    {"factors", caps_factors, 50, true, 128},
};

static void caps_plant(plot *s, const gfp_field *field, size_t n)
{
    gfp_random g;
    gfp_random_seed(&g, n);
    *s = (plot){.n = n};
    gfp_poly *const all[] = {&s->f, &s->a, &s->twice, &s->y, &s->z};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_init(all[i], field);
        assert_int_equal(gfp_poly_random(all[i], i == 2 ? 2 * n : n, &g), GFP_OK);
    }
    gfp_elem_one(field, s->x);
    assert_int_equal(gfp_poly_set_coeff(&s->f, 0, s->x), GFP_OK);
    gfp_elem_zero(field, s->x);
    assert_int_equal(gfp_poly_set_coeff(&s->a, 0, s->x), GFP_OK);
    gfp_elem_random(field, s->x, &g);
    s->values = calloc(n * gfp_field_k(field), sizeof *s->values);
    assert_non_null(s->values);
}

static void caps_clear(plot *s)
{
    gfp_poly *const all[] = {&s->f, &s->a, &s->twice, &s->y, &s->z};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_clear(all[i]);
    }
    free(s->values);
}

static void stated_caps_suffice(void **state)
{
    static const char *const fields[] = {"p2", "p4", "p8", "p32"};
    size_t failed = 0;
    (void)state;
    for (size_t i = 0; LAB_ROW(call, i); i++) {
        for (size_t f = 0; f < 4; f++) {
            const gfp_field *field = lab_named(fields[f])->field;
            const size_t longest = SANITIZED || f == 3 ? 64 : call[i].longest;
            for (size_t n = call[i].longest < 64 ? 32 : 64; n <= longest; n *= 2) {
                plot s;
                gfp_error error = {0};
                const double grown = call[i].by_root ? sqrt((double)n) : 1;
                const double bytes = call[i].times * grown * (double)n * 8 * gfp_field_k(field);
                const gfp_options options = {.verify = GFP_VERIFY_POINT,
                                             .verify_seed = 1 + n,
                                             .memory_cap = (size_t)bytes,
                                             .error = &error};
                caps_plant(&s, field, n);
                if (call[i].run(&s, &options) != GFP_OK) {
                    print_error("%s, %zu terms over %s: %s\n", call[i].name, n, fields[f],
                                error.message);
                    failed++;
                }
                caps_clear(&s);
            }
        }
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stated_caps_suffice)};
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
