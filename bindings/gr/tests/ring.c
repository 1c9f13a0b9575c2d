/* ring.c: fields as generic rings of FLINT: FLINT's own tests of rings and of polynomials over
 * them, and the same computations over FLINT's ring of integers modulo p.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gr.h"

#include "lab/fixtures.h"
#include "lab/meter.h"
#include "lab/rows.h"

#include <flint/fmpz.h>
#include <flint/gr_mat.h>
#include <flint/gr_poly.h>
#include <flint/gr_vec.h>

static const char *const names[] = {"p2", "p8", "p16", "p4", "2^16+1"};
#define NAMES (sizeof names / sizeof *names)

static flint_rand_t rand_state;

typedef struct ring {
    gfp_field *field;
    gr_ctx_t ctx, reference;
} ring;

static void ring_begin(ring *r, const char *name)
{
    fmpz_t p;
    assert_int_equal(gfp_field_create(&r->field, name, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_gr_ctx_init(r->ctx, r->field), GFP_OK);
    fmpz_init(p);
    assert_int_equal(fmpz_set_str(p, gfp_field_get_info(r->field).modulus, 10), 0);
    gr_ctx_init_fmpz_mod(r->reference, p);
#if __FLINT_RELEASE >= 30600
    assert_int_equal(gr_ctx_set_is_field(r->reference, T_TRUE), GR_SUCCESS);
#else
    gr_ctx_fmpz_mod_set_primality(r->reference, T_TRUE);
#endif
    fmpz_clear(p);
}

static void ring_end(ring *r)
{
    gr_ctx_clear(r->reference);
    gr_ctx_clear(r->ctx);
    gfp_field_destroy(r->field);
}

/* These functions abort where a test fails. */
static void rings_pass_flints_tests(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        ring r;
        ring_begin(&r, names[i]);
        gr_test_ring(r.ctx, 100, 0);
        ring_end(&r);
    }
}

static void polynomials_pass_flints_tests(void **state)
{
    (void)state;
#if __FLINT_RELEASE >= 30600
    for (size_t i = 0; i < NAMES; i++) {
        ring r;
        ring_begin(&r, names[i]);
        _gr_poly_test_mullow((gr_method_poly_binary_trunc_op)_gr_poly_mullow, NULL, rand_state, 50,
                             60, r.ctx);
        _gr_poly_test_mulmid((gr_method_poly_binary_trunc2_op)_gr_poly_mulmid, NULL, rand_state, 50,
                             60, r.ctx);
        _gr_poly_test_divrem((gr_method_poly_binary_binary_op)_gr_poly_divrem, rand_state, 30, 60,
                             r.ctx);
        _gr_poly_test_inv_series((gr_method_poly_unary_trunc_op)_gr_poly_inv_series, rand_state, 30,
                                 60, r.ctx);
        _gr_poly_test_gcd_field((gr_method_poly_gcd_op)_gr_poly_gcd, rand_state, 30, 30, r.ctx);
#if __FLINT_RELEASE >= 30700
        _gr_poly_test_div((gr_method_poly_binary_op)_gr_poly_div, rand_state, 30, 60, r.ctx);
        _gr_poly_test_div_series((gr_method_poly_binary_trunc_op)_gr_poly_div_series, rand_state,
                                 30, 60, r.ctx);
        _gr_poly_test_xgcd((gr_method_poly_xgcd_op)_gr_poly_xgcd, rand_state, 30, 30, 0, r.ctx);
#endif
        ring_end(&r);
    }
#else
    skip();
#endif
}

/* a := n coefficients in both rings. */
static void fill_pair(gr_poly_t a, gr_poly_t b, slong n, ring *r)
{
    fmpz_t x;
    fmpz_init(x);
    for (slong i = 0; i < n; i++) {
        fmpz_randtest(x, rand_state, 600);
        assert_int_equal(gr_poly_set_coeff_fmpz(a, i, x, r->ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_set_coeff_fmpz(b, i, x, r->reference), GR_SUCCESS);
    }
    fmpz_clear(x);
}

/* FLINT's own function for this changed its name. */
static gr_srcptr coefficient_of(const gr_poly_t f, slong i, gr_ctx_t ctx)
{
    return GR_ENTRY(f->coeffs, i, ctx->sizeof_elem);
}

static void expect_same(const gr_poly_t a, const gr_poly_t b, ring *r)
{
    assert_int_equal(gr_poly_length(a, r->ctx), gr_poly_length(b, r->reference));
    for (slong i = 0; i < gr_poly_length(a, r->ctx); i++) {
        char *x, *y; /* FLINT 3.1 has no integer for an element of its own ring */
        assert_int_equal(gr_get_str(&x, coefficient_of(a, i, r->ctx), r->ctx), GR_SUCCESS);
        assert_int_equal(gr_get_str(&y, coefficient_of(b, i, r->reference), r->reference),
                         GR_SUCCESS);
        assert_string_equal(x, y);
        flint_free(x);
        flint_free(y);
    }
}

static void polynomials_agree_with_flints_ring(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        ring r;
        gr_poly_t a[6], b[6];
        ring_begin(&r, names[i]);
        for (int j = 0; j < 6; j++) {
            gr_poly_init(a[j], r.ctx);
            gr_poly_init(b[j], r.reference);
        }
        fill_pair(a[0], b[0], 300, &r);
        fill_pair(a[1], b[1], 120, &r);
        assert_int_equal(gr_poly_mul(a[2], a[0], a[1], r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_mul(b[2], b[0], b[1], r.reference), GR_SUCCESS);
        expect_same(a[2], b[2], &r);
        assert_int_equal(gr_poly_mullow(a[3], a[0], a[0], 200, r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_mullow(b[3], b[0], b[0], 200, r.reference), GR_SUCCESS);
        expect_same(a[3], b[3], &r);
        assert_int_equal(gr_poly_divrem(a[4], a[5], a[0], a[1], r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_divrem(b[4], b[5], b[0], b[1], r.reference), GR_SUCCESS);
        expect_same(a[4], b[4], &r);
        expect_same(a[5], b[5], &r);
        assert_int_equal(gr_poly_gcd(a[4], a[2], a[1], r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_gcd(b[4], b[2], b[1], r.reference), GR_SUCCESS);
        expect_same(a[4], b[4], &r);
        for (int j = 0; j < 6; j++) {
            gr_poly_clear(a[j], r.ctx);
            gr_poly_clear(b[j], r.reference);
        }
        ring_end(&r);
    }
}

/* Cofactors, series and shifts against FLINT's generic algorithms over its own ring; for n > p the
 * shift is FLINT's. */
static void algorithms_agree_with_flints_ring(void **state)
{
    static const char *const fields[] = {"p8", "p16", "2^16+1", "2^4+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(fields, i); i++) {
        ring r;
        gr_poly_t a[6], b[6];
        ring_begin(&r, fields[i]);
        for (int j = 0; j < 6; j++) {
            gr_poly_init(a[j], r.ctx);
            gr_poly_init(b[j], r.reference);
        }
        fill_pair(a[0], b[0], 150, &r);
        fill_pair(a[1], b[1], 70, &r);
#if __FLINT_RELEASE >= 30700
        assert_int_equal(gr_poly_xgcd(a[2], a[3], a[4], a[0], a[1], r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_xgcd(b[2], b[3], b[4], b[0], b[1], r.reference), GR_SUCCESS);
        for (int j = 2; j < 5; j++) {
            expect_same(a[j], b[j], &r);
        }
#endif
        assert_int_equal(gr_poly_div(a[2], a[0], a[1], r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_div(b[2], b[0], b[1], r.reference), GR_SUCCESS);
        expect_same(a[2], b[2], &r);
        assert_int_equal(gr_poly_set_coeff_si(a[1], 0, -3, r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_set_coeff_si(b[1], 0, -3, r.reference), GR_SUCCESS);
        assert_int_equal(gr_poly_div_series(a[2], a[0], a[1], 100, r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_div_series(b[2], b[0], b[1], 100, r.reference), GR_SUCCESS);
        expect_same(a[2], b[2], &r);
        assert_int_equal(gr_poly_inv_series(a[3], a[1], 200, r.ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_inv_series(b[3], b[1], 200, r.reference), GR_SUCCESS);
        expect_same(a[3], b[3], &r);
        assert_int_equal(gr_poly_taylor_shift(a[4], a[0], coefficient_of(a[0], 7, r.ctx), r.ctx),
                         GR_SUCCESS);
        assert_int_equal(
            gr_poly_taylor_shift(b[4], b[0], coefficient_of(b[0], 7, r.reference), r.reference),
            GR_SUCCESS);
        expect_same(a[4], b[4], &r);
        for (int j = 0; j < 6; j++) {
            gr_poly_clear(a[j], r.ctx);
            gr_poly_clear(b[j], r.reference);
        }
        ring_end(&r);
    }
}

/* What cannot be allocated is GR_UNABLE; what has no inverse is GR_DOMAIN. */
static void failures_are_told(void **state)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field;
    gr_ctx_t ctx;
    gr_poly_t f, g, h[3];
    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    assert_int_equal(gfp_gr_ctx_init(ctx, field), GFP_OK);
    gr_poly_init(f, ctx);
    gr_poly_init(g, ctx);
    for (int i = 0; i < 3; i++) {
        gr_poly_init(h[i], ctx);
    }
    for (slong i = 1; i < 100; i++) {
        assert_int_equal(gr_poly_set_coeff_si(f, i, i * i + 1, ctx), GR_SUCCESS);
        assert_int_equal(gr_poly_set_coeff_si(g, i / 2, i - 500, ctx), GR_SUCCESS);
    }
#if __FLINT_RELEASE >= 30700
    assert_true(GR_POLY_GCD_OP(ctx, POLY_GCD) != (gr_method_poly_gcd_op)_gr_poly_gcd_generic);
    assert_true(GR_POLY_XGCD_OP(ctx, POLY_XGCD) != (gr_method_poly_xgcd_op)_gr_poly_xgcd_generic);
#endif
    assert_int_equal(gr_poly_inv_series(h[0], f, 50, ctx), GR_DOMAIN);
    assert_int_equal(gr_poly_div_series(h[0], g, f, 50, ctx), GR_DOMAIN);
    gfp_field_limit_memory(field, 0);
    m.lasting = true;
    meter_fail_at(&m, 0);
    assert_int_equal(gr_poly_divrem(h[0], h[1], f, g, ctx), GR_UNABLE);
    assert_int_equal(gr_poly_div(h[0], f, g, ctx), GR_UNABLE);
    assert_int_equal(gr_poly_gcd(h[0], f, g, ctx), GR_UNABLE);
#if __FLINT_RELEASE >= 30700
    assert_int_equal(gr_poly_xgcd(h[0], h[1], h[2], f, g, ctx), GR_UNABLE);
#endif
    assert_int_equal(gr_poly_inv_series(h[0], g, 50, ctx), GR_UNABLE);
    assert_int_equal(gr_poly_taylor_shift(h[0], f, coefficient_of(f, 3, ctx), ctx), GR_UNABLE);
    meter_fail_at(&m, SIZE_MAX);
    assert_int_equal(gr_poly_divrem(h[0], h[1], f, g, ctx), GR_SUCCESS);
    for (int i = 0; i < 3; i++) {
        gr_poly_clear(h[i], ctx);
    }
    gr_poly_clear(f, ctx);
    gr_poly_clear(g, ctx);
    gr_ctx_clear(ctx);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

static void errors_are_statuses(void **state)
{
    gr_ctx_t ctx;
    gfp_field *field;
    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", NULL, NULL), GFP_OK);
    assert_int_equal(gfp_gr_ctx_init(ctx, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gr_ctx_init_checked(ctx, field, __FLINT_RELEASE + 100), GFP_ERR_VERSION);
    assert_int_equal(gfp_gr_ctx_init(ctx, field), GFP_OK);
    gr_ptr x = gr_heap_init(ctx);
    assert_int_equal(gr_inv(x, x, ctx), GR_DOMAIN);
    assert_int_equal(gr_set_si(x, -7, ctx), GR_SUCCESS);
    assert_int_equal(gr_add_ui(x, x, 7, ctx), GR_SUCCESS);
    assert_true(gr_is_zero(x, ctx) == T_TRUE);
    gr_heap_clear(x, ctx);
    gr_ctx_clear(ctx);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_pass_flints_tests),
        cmocka_unit_test(polynomials_pass_flints_tests),
        cmocka_unit_test(polynomials_agree_with_flints_ring),
        cmocka_unit_test(algorithms_agree_with_flints_ring),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(errors_are_statuses),
    };
#if __FLINT_RELEASE >= 30200
    flint_rand_init(rand_state);
#else
    flint_randinit(rand_state);
#endif
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
#if __FLINT_RELEASE >= 30200
    flint_rand_clear(rand_state);
#else
    flint_randclear(rand_state);
#endif
    flint_cleanup_master();
    return failed;
}
