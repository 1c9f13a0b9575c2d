/* test_zragged.c: polynomials over Z of which a few coefficients are much longer than the others:
 * conversions, texts, products and divisors have the right values, and take memory by the bits that
 * are there.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "meter.h"
#include "zragged_forms.h"

#include "gfpoly/zplan.h"
#include "zvec_impl.h"

#if GFP_HAVE_FLINT
#include "gfpoly/zvec_flint.h"
#endif

enum { LENGTH = 400, BITS = 20000 };

/* The bytes of the numbers in limbs of their own. */
static size_t bytes_of(zlab f)
{
    size_t limbs = 0;
    for (size_t i = 0; i < f.len; i++) {
        limbs += mpz_size(f.c[i]) + 1;
    }
    return 8 * limbs;
}

/* Whether the vector takes a small multiple of the bytes of its numbers. */
static void expect_small(const gfp_zvec *a, zlab f, zform form, const char *what)
{
    const bool ragged = a->width == 0;
    if (ragged != zform_is_ragged(form)) {
        fail_msg("%s: form %d is %s", what, form, ragged ? "ragged" : "flat");
    }
    if (8 * a->alloc > 3 * bytes_of(f) + 64) {
        fail_msg("%s: form %d takes %zu bytes, its numbers %zu", what, form, 8 * a->alloc,
                 bytes_of(f));
    }
}

/* ---- storage ---- */

static void check_storage(zlab f, zform form)
{
    gfp_zvec a, b;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    zlab_set(&a, f);
    expect_small(&a, f, form, "from GMP");
    zlab_expect(&a, f, "to GMP");
    assert_int_equal(gfp_zvec_set(&b, &a), GFP_OK);
    expect_small(&b, f, form, "a copy");
    assert_true(gfp_zvec_equal(&a, &b));
    assert_int_equal(gfp_zvec_flatten(&b), GFP_OK);
    assert_int_equal(b.width, gfp_zvec_bits(&a) / 64 + 1);
    assert_true(gfp_zvec_equal(&a, &b));
    assert_true(gfp_zvec_equal(&b, &a));
    zlab_expect(&b, f, "one width");
    /* The last bit of a long number counts. */
    for (size_t i = 0; i < b.len; i++) {
        b.limbs[i * b.width] ^= 1;
        assert_false(gfp_zvec_equal(&a, &b));
        assert_false(gfp_zvec_equal(&b, &a));
        b.limbs[i * b.width] ^= 1;
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

static void vectors_take_the_bits_that_are_there(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (zform form = 0; form < ZFORMS; form++) {
        zlab f = zform_new(form, LENGTH, BITS, &g);
        check_storage(f, form);
        zlab_free(&f);
    }
}

/* Widths of the caller, longer than needed, in the layout of results. */
static void limbs_of_any_width_are_taken(void **state)
{
    enum { N = 900 };
    uint64_t limbs[N + 600] = {0};
    size_t widths[N];
    gfp_zvec a;
    mpz_t value;
    (void)state;
    gfp_zvec_init(&a, ring);
    mpz_init(value);
    for (size_t i = 0; i < N; i++) {
        widths[i] = i == 5 ? 600 : 1;
        limbs[i < 5 ? i : i + (i > 5) * 599] = i < 450 ? i : -(uint64_t)i;
    }
    for (size_t j = 1; j < 600; j++) { /* 5 + 2^64 (2^(64 598) - 1) */
        limbs[5 + j] = j < 599 ? UINT64_MAX : 0;
    }
    assert_int_equal(gfp_zvec_set_ragged(&a, limbs, widths, N), GFP_OK);
    assert_int_equal(a.width, 0);
    assert_int_equal(a.len, N);
    for (size_t i = 0; i < N; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&a, i, &width);
        gfp_z_get_mpz(value, x, width);
        if (i == 5) {
            mpz_sub_ui(value, value, 5);
            mpz_tdiv_q_2exp(value, value, 64);
            mpz_add_ui(value, value, 1);
            assert_true(mpz_sizeinbase(value, 2) == 64 * 598 + 1 &&
                        mpz_scan1(value, 0) == 64 * 598);
        } else {
            assert_true(mpz_cmp_si(value, i < 450 ? (long)i : -(long)i) == 0);
        }
    }
    widths[7] = 0;
    assert_int_equal(gfp_zvec_set_ragged(&a, limbs, widths, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_set_ragged(&a, NULL, widths, N), GFP_ERR_ARGUMENT);
    assert_int_equal(a.len, N);
    assert_int_equal(gfp_zvec_set_ragged(&a, NULL, NULL, 0), GFP_OK);
    assert_int_equal(a.len, 0);
    mpz_clear(value);
    gfp_zvec_clear(&a);
}

/* ---- texts ---- */

static void check_text(zlab f, zform form)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    gfp_zring *own;
    gfp_zvec a, b;
    char *text;
    size_t size;
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec_init(&a, own);
    gfp_zvec_init(&b, own);
    zlab_set(&a, f);
    const size_t before = m.bytes;
    m.peak = before;
    assert_int_equal(gfp_zvec_to_string(&a, &text, &size), GFP_OK);
    assert_true(m.peak - before <= 8 * bytes_of(f) + 4096);
    m.peak = m.bytes;
    const size_t held = m.bytes;
    assert_int_equal(gfp_zvec_from_string(&b, text, size - 1, NULL), GFP_OK);
    assert_true(m.peak - held <= 8 * bytes_of(f) + 4096);
    assert_true(gfp_zvec_equal(&a, &b));
    expect_small(&b, f, form, "from a text");
    zlab_expect(&b, f, "from a text");
    gfp_zvec_string_free(own, text, size);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
}

static void texts_take_the_bits_that_are_there(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (zform form = 0; form < ZFORMS; form++) {
        zlab f = zform_new(form, LENGTH, BITS, &g);
        check_text(f, form);
        zlab_free(&f);
    }
}

#if GFP_HAVE_FLINT
static void polynomials_of_flint_keep_their_sizes(void **state)
{
    gfp_random g;
    fmpz_poly_t p;
    gfp_zvec a, b;
    (void)state;
    gfp_random_seed(&g, 3);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    fmpz_poly_init(p);
    for (zform form = 0; form < ZFORMS; form++) {
        zlab f = zform_new(form, LENGTH, BITS, &g);
        zlab_set(&a, f);
        assert_int_equal(gfp_zvec_get_fmpz_poly(p, &a), GFP_OK);
        assert_int_equal(gfp_zvec_set_fmpz_poly(&b, p), GFP_OK);
        assert_true(gfp_zvec_equal(&a, &b));
        expect_small(&b, f, form, "from FLINT");
        zlab_expect(&b, f, "from FLINT");
        zlab_free(&f);
    }
    fmpz_poly_clear(p);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_take_the_bits_that_are_there),
        cmocka_unit_test(limbs_of_any_width_are_taken),
        cmocka_unit_test(texts_take_the_bits_that_are_there),
#if GFP_HAVE_FLINT
        cmocka_unit_test(polynomials_of_flint_keep_their_sizes),
#endif
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
