/* flint_versions.c: the bridge to FLINT, compiled as if the loaded FLINT were of another version:
 * every call returns VERSION and leaves its outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/fixtures.h"

#include "gfpoly/gmp.h"

#include <flint/flint.h>

/* What the headers below take for the version of the loaded library. */
static const char loaded_version[] = "1.0.0";
#define flint_version loaded_version
#include "gfpoly/flint.h"
#include "gfpoly/zvec_flint.h"

static void elements_are_refused(void **state)
{
    const lab *l = lab_named("p4");
    uint64_t *x = lab_array(l->k);
    fmpz_t value;
    (void)state;
    memset(x, 0, l->k * sizeof *x);
    fmpz_init_set_ui(value, 7);
    assert_int_equal(gfp_elem_set_fmpz(l->field, x, value), GFP_ERR_VERSION);
    assert_true(gfp_elem_is_zero(l->field, x));
    assert_int_equal(gfp_elem_get_fmpz(l->field, value, x), GFP_ERR_VERSION);
    assert_true(fmpz_equal_ui(value, 7));
    fmpz_clear(value);
    lab_free(x);
}

static void polynomials_are_refused(void **state)
{
    const lab *l = lab_named("p4");
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t b;
    gfp_poly a;
    (void)state;
    fmpz_init(p);
    fmpz_set_ui_array(p, (const ulong *)gfp_field_modulus_limbs(l->field),
                      (slong)gfp_field_limbs(l->field));
    fmpz_mod_ctx_init(ctx, p);
    fmpz_mod_poly_init(b, ctx);
    fmpz_mod_poly_set_coeff_ui(b, 3, 5, ctx);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_set_fmpz_mod_poly(&a, b, ctx), GFP_ERR_VERSION);
    assert_int_equal(a.len, 0);
    assert_int_equal(gfp_poly_get_fmpz_mod_poly(b, &a, ctx), GFP_ERR_VERSION);
    assert_int_equal(fmpz_mod_poly_length(b, ctx), 4);
    gfp_poly_clear(&a);
    fmpz_mod_poly_clear(b, ctx);
    fmpz_mod_ctx_clear(ctx);
    fmpz_clear(p);
}

static void integers_are_refused(void **state)
{
    gfp_zring *ring;
    gfp_zvec z;
    fmpz_poly_t a, b;
    fmpz_t r;
    (void)state;
    assert_int_equal(gfp_zring_create(&ring, NULL, NULL), GFP_OK);
    gfp_zvec_init(&z, ring);
    fmpz_poly_init(a);
    fmpz_poly_init(b);
    fmpz_init_set_ui(r, 7);
    fmpz_poly_set_coeff_ui(a, 2, 3);
    assert_int_equal(gfp_zvec_set_fmpz_poly(&z, a), GFP_ERR_VERSION);
    assert_int_equal(z.len, 0);
    assert_int_equal(gfp_zvec_get_fmpz_poly(b, &z), GFP_ERR_VERSION);
    assert_int_equal(gfp_fmpz_poly_mul(b, a, a, ring, NULL), GFP_ERR_VERSION);
    assert_int_equal(gfp_fmpz_poly_gcd(b, a, a, ring, NULL), GFP_ERR_VERSION);
    assert_int_equal(fmpz_poly_length(b), 0);
    assert_int_equal(gfp_fmpz_poly_resultant(r, a, a, ring, NULL), GFP_ERR_VERSION);
    assert_true(fmpz_equal_ui(r, 7));
    fmpz_clear(r);
    fmpz_poly_clear(b);
    fmpz_poly_clear(a);
    gfp_zvec_clear(&z);
    gfp_zring_destroy(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_refused),
        cmocka_unit_test(polynomials_are_refused),
        cmocka_unit_test(integers_are_refused),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
