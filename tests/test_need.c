/* test_need.c: a refusal by memory_cap names a cap that suffices, close to the least one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"

typedef struct world {
    gfp_field *field;
    size_t n;
    gfp_poly a, b, f, unit, zero; /* n, 2n, n + 1 terms; n terms beginning with 1, with 0 */
    gfp_poly c, d, e;
    gfp_modulus *M;
    gfp_multiplier *B;
    gfp_compose_argument *A;
    uint64_t *points, *values;
    bool short_digits;
} world;

typedef gfp_status call(world *w, const gfp_options *options);

static gfp_status inverse(world *w, const gfp_options *o)
{
    return gfp_poly_inv_series(&w->c, &w->unit, w->n, o);
}

static gfp_status quotient(world *w, const gfp_options *o)
{
    return gfp_poly_div_series(&w->c, &w->a, &w->unit, w->n, o);
}

static gfp_status root(world *w, const gfp_options *o)
{
    return gfp_poly_sqrt_series(&w->c, &w->unit, w->n, o);
}

static gfp_status inverse_root(world *w, const gfp_options *o)
{
    return gfp_poly_invsqrt_series(&w->c, &w->unit, w->n, o);
}

static gfp_status logarithm(world *w, const gfp_options *o)
{
    return gfp_poly_log_series(&w->c, &w->unit, w->n, o);
}

static gfp_status exponential(world *w, const gfp_options *o)
{
    return gfp_poly_exp_series(&w->c, &w->zero, w->n, o);
}

static gfp_status shift(world *w, const gfp_options *o)
{
    return gfp_poly_taylor_shift(&w->c, &w->a, w->points, o);
}

static gfp_status division(world *w, const gfp_options *o)
{
    return gfp_poly_divrem(&w->c, &w->d, &w->b, &w->f, o);
}

static gfp_status remainder_of(world *w, const gfp_options *o)
{
    return gfp_poly_rem(&w->c, &w->b, &w->f, o);
}

static gfp_status product(world *w, const gfp_options *o)
{
    return gfp_poly_mul_mod(&w->c, &w->a, &w->unit, w->M, o);
}

static gfp_status power(world *w, const gfp_options *o)
{
    const uint64_t exponent = 0xfffffffffff;
    return gfp_poly_pow_mod(&w->c, &w->a, &exponent, 1, w->M, o);
}

static gfp_status modulus(world *w, const gfp_options *o)
{
    gfp_modulus *M = NULL;
    const gfp_status status = gfp_modulus_create(&M, &w->f, o);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status long_remainder(world *w, const gfp_options *o)
{
    return gfp_poly_rem_mod(&w->c, &w->b, w->M, o);
}

static gfp_status inverse_by_modulus(world *w, const gfp_options *o)
{
    return gfp_poly_inv_mod(&w->c, &w->a, w->M, o);
}

static gfp_status multiplier(world *w, const gfp_options *o)
{
    gfp_multiplier *B = NULL;
    const gfp_status status = gfp_multiplier_create(&B, &w->a, w->M, o);
    gfp_multiplier_destroy(B);
    return status;
}

static gfp_status product_by_multiplier(world *w, const gfp_options *o)
{
    return gfp_poly_mul_multiplier(&w->c, &w->a, w->B, o);
}

static gfp_status argument(world *w, const gfp_options *o)
{
    gfp_compose_argument *A = NULL;
    const gfp_status status = gfp_compose_argument_create(&A, &w->unit, w->M, 1, o);
    gfp_compose_argument_destroy(A);
    return status;
}

static gfp_status composition(world *w, const gfp_options *o)
{
    return gfp_poly_compose_mod(&w->c, &w->a, w->A, o);
}

static gfp_status composition_of_series(world *w, const gfp_options *o)
{
    return gfp_poly_compose_series(&w->c, &w->a, &w->zero, w->n, o);
}

static gfp_status reversion(world *w, const gfp_options *o)
{
    return gfp_poly_revert_series(&w->c, &w->zero, w->n, o);
}

static gfp_status gcd(world *w, const gfp_options *o)
{
    return gfp_poly_gcd(&w->c, &w->f, &w->a, o);
}

static gfp_status cofactors(world *w, const gfp_options *o)
{
    return gfp_poly_xgcd(&w->c, &w->d, &w->e, &w->f, &w->a, o);
}

static gfp_status resultant(world *w, const gfp_options *o)
{
    uint64_t r[GFP_MAX_K];
    return gfp_poly_resultant(r, &w->f, &w->a, o);
}

static gfp_status discriminant(world *w, const gfp_options *o)
{
    uint64_t r[GFP_MAX_K];
    return gfp_poly_discriminant(r, &w->f, o);
}

static gfp_status subresultant(world *w, const gfp_options *o)
{
    return gfp_poly_subresultant(&w->c, &w->f, &w->a, w->n % 7, o);
}

static gfp_status fraction(world *w, const gfp_options *o)
{
    const size_t num = w->n / 8; /* the message knows no degrees, of which these take the most */
    return gfp_poly_reconstruct(&w->c, &w->d, &w->a, &w->f, num, w->n - num - 1, o);
}

static gfp_status recurrence(world *w, const gfp_options *o)
{
    return gfp_poly_minpoly(&w->c, w->points, w->n, o);
}

static gfp_status roots(world *w, const gfp_options *o)
{
    return gfp_poly_from_roots(&w->c, w->points, w->n, o);
}

static gfp_status values(world *w, const gfp_options *o)
{
    return gfp_poly_multieval(w->values, &w->a, w->points, w->n, o);
}

static gfp_status interpolation(world *w, const gfp_options *o)
{
    return gfp_poly_interpolate(&w->c, w->points, w->points, w->n, o);
}

static gfp_status geometric_values(world *w, const gfp_options *o)
{
    const uint64_t *ratio = w->points + gfp_field_k(w->field);
    return gfp_poly_eval_geometric(w->values, &w->a, w->points, ratio, w->n, o);
}

static gfp_status geometric_interpolation(world *w, const gfp_options *o)
{
    const uint64_t *ratio = w->points + gfp_field_k(w->field);
    return gfp_poly_interpolate_geometric(&w->c, w->points, w->points, ratio, w->n, o);
}

static const struct {
    const char *name;
    call *run;
} calls[] = {{"inverse", inverse},
             {"quotient", quotient},
             {"root", root},
             {"inverse root", inverse_root},
             {"logarithm", logarithm},
             {"exponential", exponential},
             {"shift", shift},
             {"division", division},
             {"remainder", remainder_of},
             {"product by a modulus", product},
             {"power", power},
             {"modulus", modulus},
             {"remainder by a modulus", long_remainder},
             {"inverse by a modulus", inverse_by_modulus},
             {"multiplier", multiplier},
             {"product by a multiplier", product_by_multiplier},
             {"argument of compositions", argument},
             {"composition", composition},
             {"composition of series", composition_of_series},
             {"reversion", reversion},
             {"gcd", gcd},
             {"cofactors", cofactors},
             {"resultant", resultant},
             {"discriminant", discriminant},
             {"subresultant", subresultant},
             {"fraction", fraction},
             {"recurrence", recurrence},
             {"product from roots", roots},
             {"values", values},
             {"interpolation", interpolation},
             {"geometric values", geometric_values},
             {"geometric interpolation", geometric_interpolation}};

static void begin(world *w, const char *name, size_t n)
{
    gfp_random g;
    gfp_poly *const all[] = {&w->a, &w->b, &w->f, &w->unit, &w->zero, &w->c, &w->d, &w->e};
    const size_t terms[] = {n, 2 * n, n + 1, n, n, 0, 0, 0};
    *w = (world){.n = n, .short_digits = strcmp(name, "30^32+1") == 0};
    gfp_random_seed(&g, n);
    assert_int_equal(gfp_field_create(&w->field, name, NULL, NULL), GFP_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gfp_poly_init(all[i], w->field);
        assert_int_equal(gfp_poly_random(all[i], terms[i], &g), GFP_OK);
    }
    assert_int_equal(gfp_poly_set_coeff_u64(&w->unit, 0, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->zero, 0, 0), GFP_OK);
    assert_int_equal(gfp_modulus_create(&w->M, &w->f, NULL), GFP_OK);
    assert_int_equal(gfp_multiplier_create(&w->B, &w->a, w->M, NULL), GFP_OK);
    assert_int_equal(gfp_compose_argument_create(&w->A, &w->unit, w->M, 1, NULL), GFP_OK);
    const size_t k = gfp_field_k(w->field);
    w->points = calloc(n * k, sizeof *w->points);
    w->values = calloc(n * k, sizeof *w->values);
    assert_true(w->points != NULL && w->values != NULL);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_random(w->field, w->points + i * k, &g);
    }
}

static void end(world *w)
{
    gfp_poly *const all[] = {&w->a, &w->b, &w->f, &w->unit, &w->zero, &w->c, &w->d, &w->e};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gfp_poly_clear(all[i]);
    }
    gfp_compose_argument_destroy(w->A);
    gfp_multiplier_destroy(w->B);
    gfp_modulus_destroy(w->M);
    free(w->points);
    free(w->values);
    gfp_field_destroy(w->field);
}

/* The number before this word; 0: none. */
static size_t number_before(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    while (at != NULL && at > text && at[-1] >= '0' && at[-1] <= '9') {
        at--;
    }
    return at == NULL ? 0 : strtoull(at, NULL, 10);
}

/* Below, a named cap may be far from the least one. */
#define SMALL_CAP 200000

/* One refusal names a cap that suffices; three fifths of that cap do not, unless digits are short:
 * products take less memory then. */
static void expect_named_cap(world *w, size_t i, gfp_verify verify)
{
    gfp_error error = {.message = ""};
    gfp_options options = {.memory_cap = 1, .verify = verify, .error = &error};
    assert_int_equal(calls[i].run(w, &options), GFP_ERR_MEMORY);
    const size_t named = number_before(error.message, " suffice");
    assert_true(named > 0);
    options.memory_cap = named;
    if (calls[i].run(w, &options) != GFP_OK) {
        fail_msg("%s over %s, n = %zu, within the %zu bytes named: %s", calls[i].name,
                 gfp_field_name(w->field), w->n, named, error.message);
    }
    options.memory_cap = named / 5 * 3;
    if (named > SMALL_CAP && !w->short_digits && calls[i].run(w, &options) != GFP_ERR_MEMORY) {
        fail_msg("%s over %s, n = %zu: %zu bytes named, three fifths suffice", calls[i].name,
                 gfp_field_name(w->field), w->n, named);
    }
}

static void named_caps_suffice(void **state)
{
    static const char *const fields[] = {"p2", "p4", "p8", "p16", "m4", "m8", "30^32+1"};
    static const size_t lengths[] = {256, 300, 601, 1000};
    (void)state;
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        for (size_t j = 0; j < 4; j++) {
            world w;
            begin(&w, fields[f], lengths[(f + j) % 4]);
            for (size_t i = j % 2; i < sizeof calls / sizeof *calls; i += 2) {
                expect_named_cap(&w, i, j < 2 ? GFP_VERIFY_NONE : GFP_VERIFY_POINT);
            }
            end(&w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_caps_suffice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
