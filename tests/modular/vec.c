/* vec.c: vectors of integers: both ways to GMP and FLINT, sizes, equality, contents, texts.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/meter.h"
#include "lab/rows.h"
#include "modular/lab.h"

#if GFP_HAVE_FLINT
#include "gfpoly/zvec_flint.h"
#endif

/* Integers at the borders of words, of both signs, and random ones. */
static zlab vec_samples(void)
{
    gfp_random g;
    zlab f = zlab_new(400);
    size_t n = 0;
    gfp_random_seed(&g, 1);
    for (unsigned e = 0; e <= 260; e += e % 64 >= 62 || e % 64 < 2 ? 1 : 20) {
        for (int d = -1; d <= 1; d++) {
            mpz_set_ui(f.c[n], 1);
            mpz_mul_2exp(f.c[n], f.c[n], e);
            if (d < 0) {
                mpz_sub_ui(f.c[n], f.c[n], 1);
            } else {
                mpz_add_ui(f.c[n], f.c[n], (unsigned)d);
            }
            mpz_neg(f.c[n + 1], f.c[n]);
            n += 2;
        }
    }
    assert_true(n < f.len);
    for (; n < f.len; n++) {
        zlab_number(f.c[n], 1 + gfp_random_below(&g, 300), &g);
    }
    return f;
}

/* The bits of one integer, a, and of the integer and 1, do not depend on the width. */
static void expect_bits(const gfp_zvec *a, size_t bits)
{
    gfp_zvec wide;
    uint64_t limbs[32] = {0};
    gfp_zvec_init(&wide, ring);
    for (size_t width = a->width; a->len == 1 && width < a->width + 3; width++) {
        assert_true(2 * width <= sizeof limbs / sizeof *limbs);
        for (size_t i = 0; i < width; i++) {
            const bool negative = a->limbs[a->width - 1] >> 63 != 0;
            limbs[i] = i < a->width ? a->limbs[i] : negative ? UINT64_MAX : 0;
            limbs[width + i] = i == 0;
        }
        for (size_t len = 1; len <= 2; len++) {
            assert_int_equal(gfp_zvec_set_limbs(&wide, limbs, len, width), GFP_OK);
            assert_int_equal(gfp_zvec_bits(&wide), len == 2 && bits == 0 ? 1 : bits);
        }
    }
    gfp_zvec_clear(&wide);
}

static void integers_go_to_gmp_and_back(void **state)
{
    zlab f = vec_samples();
    gfp_zvec a, b;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    zlab_set(&a, f);
    zlab_expect(&a, f, "back");
    size_t bits = 0;
    for (size_t i = 0; i < f.len; i++) {
        const size_t own = mpz_sgn(f.c[i]) != 0 ? mpz_sizeinbase(f.c[i], 2) : 0;
        zlab one = {f.c + i, 1};
        zlab_set(&b, one);
        assert_int_equal(gfp_zvec_bits(&b), own);
        expect_bits(&b, own);
        bits = own > bits ? own : bits;
    }
    assert_int_equal(gfp_zvec_bits(&a), bits);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    zlab_free(&f);
}

static void widths_and_zeros_at_the_end_do_not_matter(void **state)
{
    static const uint64_t narrow[] = {5, UINT64_MAX - 6, 0}; /* 5, -7, 0 */
    static const uint64_t wide[] = {5, 0, UINT64_MAX - 6, UINT64_MAX};
    static const uint64_t other[] = {5, 0, UINT64_MAX - 6, 0};
    gfp_zvec a, b;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    assert_int_equal(gfp_zvec_set_limbs(&a, narrow, 3, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&b, wide, 2, 2), GFP_OK);
    assert_true(gfp_zvec_equal(&a, &b));
    assert_true(gfp_zvec_equal(&b, &a));
    assert_int_equal(gfp_zvec_set_limbs(&b, other, 2, 2), GFP_OK);
    assert_false(gfp_zvec_equal(&a, &b));
    assert_false(gfp_zvec_equal(&b, &a));
    assert_int_equal(gfp_zvec_set_limbs(&b, wide, 1, 2), GFP_OK);
    assert_false(gfp_zvec_equal(&a, &b));
    assert_int_equal(gfp_zvec_set(&b, &a), GFP_OK);
    assert_true(gfp_zvec_equal(&a, &b));
    assert_int_equal(gfp_zvec_set_limbs(&b, wide, 2, 0), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_set_limbs(&b, wide, SIZE_MAX / 2, 8), GFP_ERR_SIZE);
    assert_true(gfp_zvec_equal(&a, &b));
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

static void limbs_may_be_those_of_the_vector(void **state)
{
    static const uint64_t given[] = {1, 2, 3, 4};
    gfp_zvec a, b;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    for (size_t from = 0; from < 3; from++) {
        for (size_t width = 1; width <= 2; width++) {
            const size_t len = (4 - from) / width;
            assert_int_equal(gfp_zvec_set_limbs(&a, given, 4, 1), GFP_OK);
            assert_int_equal(gfp_zvec_set_limbs(&a, a.limbs + from, len, width), GFP_OK);
            assert_int_equal(gfp_zvec_set_limbs(&b, given + from, len, width), GFP_OK);
            assert_int_equal(a.len, len);
            assert_int_equal(a.width, width);
            assert_true(gfp_zvec_equal(&a, &b));
        }
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
}

/* No integers need no memory, whatever their width. */
static void empty_vectors_of_any_width(void **state)
{
    static const size_t widths[] = {1, 7, (size_t)1 << 60, SIZE_MAX};
    gfp_zvec a, r;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&r, ring);
    for (size_t i = 0; LAB_ROW(widths, i); i++) {
        char *text;
        size_t size;
        assert_int_equal(gfp_zvec_set_limbs(&a, NULL, 0, widths[i]), GFP_OK);
        assert_int_equal(gfp_zvec_bits(&a), 0);
        assert_int_equal(gfp_zvec_content(&r, &a, NULL), GFP_OK);
        assert_int_equal(r.len, 0);
        assert_int_equal(gfp_zvec_to_string(&text, &size, &a), GFP_OK);
        assert_string_equal(text, "0");
        gfp_free(text);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&r);
}

static void contents_are_those_of_gmp(void **state)
{
    gfp_random g;
    gfp_zvec a, r;
    (void)state;
    gfp_random_seed(&g, 2);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&r, ring);
    for (size_t trial = 0; trial < 200; trial++) {
        const size_t len = gfp_random_below(&g, 6);
        zlab f = zlab_random(len, 1 + gfp_random_below(&g, 200), 1 + trial % 3, &g);
        zlab c = zlab_new(1);
        mpz_t factor;
        mpz_init(factor);
        zlab_number(factor, gfp_random_below(&g, 200), &g);
        for (size_t i = 0; i < len; i++) {
            mpz_mul(f.c[i], f.c[i], factor);
            mpz_mul_2exp(f.c[i], f.c[i], trial % 130);
            mpz_gcd(c.c[0], c.c[0], f.c[i]);
        }
        zlab_set(&a, f);
        assert_int_equal(gfp_zvec_content(&r, &a, NULL), GFP_OK);
        zlab_expect(&r, c, "content");
        mpz_clear(factor);
        zlab_free(&c);
        zlab_free(&f);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&r);
}

/* ---- text ---- */

static void texts_come_back(void **state)
{
    zlab f = vec_samples();
    gfp_zvec a, b;
    char *text;
    size_t size, stored = 0;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    zlab_set(&a, f);
    assert_int_equal(gfp_zvec_to_string(&text, &size, &a), GFP_OK);
    assert_int_equal(strlen(text) + 1, size);
    /* The text has the numbers that GMP prints. */
    char *at = text;
    assert_int_equal(strtoul(at, &at, 10), f.len);
    assert_int_equal(*at++, ' ');
    for (size_t i = 0; i < f.len; i++) {
        char *expected = mpz_get_str(NULL, 10, f.c[i]);
        assert_int_equal(*at++, ' ');
        assert_int_equal(strncmp(at, expected, strlen(expected)), 0);
        at += strlen(expected);
        free(expected);
    }
    assert_int_equal(*at, '\0');
    assert_int_equal(gfp_zvec_from_string(&b, text, size - 1, NULL), GFP_OK);
    assert_true(gfp_zvec_equal(&a, &b));
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(gfp_zvec_fwrite(&a, stream), GFP_OK);
    rewind(stream);
    gfp_zvec_clear(&b);
    assert_int_equal(gfp_zvec_fread(&b, &stored, stream, NULL), GFP_OK);
    assert_int_equal(stored, f.len);
    assert_true(gfp_zvec_equal(&a, &b));
    fclose(stream);
    gfp_free(text);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    zlab_free(&f);
}

static void reading_without_memory_changes_nothing(void **state)
{
    static const char text[] = "3  123456789012345678901234567890 -5 7";
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    gfp_zring *own;
    gfp_zvec a;
    (void)state;
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec_init(&a, own);
    for (size_t i = 0;; i++) {
        meter_fail_at(&m, i);
        const gfp_status status = gfp_zvec_from_string(&a, text, strlen(text), NULL);
        if (status == GFP_OK) {
            assert_true(i > 3);
            break;
        }
        assert_int_equal(status, GFP_ERR_MEMORY);
        assert_int_equal(a.len, 0);
    }
    assert_int_equal(a.len, 3);
    gfp_zvec_clear(&a);
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
static void polynomials_go_to_flint_and_back(void **state)
{
    zlab f = vec_samples();
    gfp_zvec a, b;
    fmpz_poly_t p;
    (void)state;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    fmpz_poly_init(p);
    zlab_set(&a, f);
    assert_int_equal(gfp_zvec_get_fmpz_poly(p, &a), GFP_OK);
    assert_int_equal(fmpz_poly_length(p), f.len);
    for (size_t i = 0; i < f.len; i++) {
        fmpz_t c;
        fmpz_init(c);
        fmpz_set_mpz(c, f.c[i]);
        assert_true(fmpz_equal(c, p->coeffs + i));
        fmpz_clear(c);
    }
    assert_int_equal(gfp_zvec_set_fmpz_poly(&b, p), GFP_OK);
    assert_true(gfp_zvec_equal(&a, &b));
    fmpz_poly_clear(p);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    zlab_free(&f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_go_to_gmp_and_back),
        cmocka_unit_test(widths_and_zeros_at_the_end_do_not_matter),
        cmocka_unit_test(limbs_may_be_those_of_the_vector),
        cmocka_unit_test(empty_vectors_of_any_width),
        cmocka_unit_test(contents_are_those_of_gmp),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(reading_without_memory_changes_nothing),
#if GFP_HAVE_FLINT
        cmocka_unit_test(polynomials_go_to_flint_and_back),
#endif
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
