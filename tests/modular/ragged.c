/* ragged.c: polynomials over Z of which a few coefficients are much longer than the others:
 * conversions, texts and products have the right values, and take memory by the bits that are
 * there. tests/modular/gcd/ragged.c has gcds and resultants.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/meter.h"
#include "lab/rows.h"
#include "modular/polynomials.h"
#include "modular/ragged_forms.h"

#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "gfpoly/zsystem.h"
#include "modular/bivariate.h"
#include "modular/mul/split.h"

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
        limbs[i <= 5 ? i : i + 599] = i < 450 ? i : -(uint64_t)i;
    }
    for (size_t j = 1; j < 600; j++) { /* 5 + 2^64 (2^(64 598) - 1) */
        limbs[5 + j] = j < 599 ? UINT64_MAX : 0;
    }
    assert_int_equal(gfp_zvec_set_ragged(&a, limbs, widths, N), GFP_OK);
    assert_int_equal(a.width, 0);
    assert_int_equal(a.len, N);
    for (size_t i = 0; i < N; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, &a, i);
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
    assert_int_equal(gfp_zvec_to_string(&text, &size, &a), GFP_OK);
    assert_true(m.peak - before <= 8 * bytes_of(f) + 4096);
    m.peak = m.bytes;
    const size_t held = m.bytes;
    assert_int_equal(gfp_zvec_from_string(&b, text, size - 1, NULL), GFP_OK);
    assert_true(m.peak - held <= 8 * bytes_of(f) + 4096);
    assert_true(gfp_zvec_equal(&a, &b));
    expect_small(&b, f, form, "from a text");
    zlab_expect(&b, f, "from a text");
    gfp_free(text);
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

/* ---- products ---- */

/* Returns whether the product was split. */
static bool expect_product(zlab f, zlab g, const char *what)
{
    bool is_split = false;
    static const gfp_verify verify[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    zlab expected = zlab_product(f, g);
    gfp_zvec a, b, c;
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    zlab_set(&a, f);
    zlab_set(&b, g);
    for (size_t i = 0; i < 3; i++) {
        gfp_report report;
        const gfp_options options = {.verify = verify[i], .report = &report};
        assert_int_equal(gfp_zvec_mul(&c, &a, &b, &options), GFP_OK);
        zlab_expect(&c, expected, what);
        assert_int_equal(report.verified, verify[i]);
        is_split = is_split || strcmp(report.method, "split") == 0;
    }
    const gfp_options words = {.method = "words"};
    assert_int_equal(gfp_zvec_mul(&c, &b, &a, &words), GFP_OK);
    zlab_expect(&c, expected, "words");
    assert_int_equal(gfp_zvec_flatten(&b), GFP_OK);
    assert_int_equal(gfp_zvec_mul(&a, &a, &b, NULL), GFP_OK); /* an output is an input */
    zlab_expect(&a, expected, what);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    zlab_free(&expected);
    return is_split;
}

static void products_of_all_forms(void **state)
{
    gfp_random g;
    unsigned splits = 0;
    (void)state;
    gfp_random_seed(&g, 4);
    for (zform form = 0; form < ZFORMS; form++) {
        for (zform other = 0; other < ZFORMS; other++) {
            zlab a = zform_new(form, 150 + gfp_random_below(&g, 20), BITS / 2, &g);
            zlab b = zform_new(other, 1 + gfp_random_below(&g, 50),
                               1 + gfp_random_below(&g, BITS / 2), &g);
            char what[64];
            snprintf(what, sizeof what, "forms %d and %d", form, other);
            splits += expect_product(a, b, what);
            zlab_free(&a);
            zlab_free(&b);
        }
    }
    assert_true(splits > ZFORMS);
}

/* Long coefficients cancel: (1 + X) (1 - X + X^2 - ...) with long multiples in between. */
static void long_coefficients_may_cancel(void **state)
{
    enum { N = 500 };
    gfp_random g;
    mpz_t huge;
    zlab a = zlab_new(N), b = zlab_new(2);
    (void)state;
    gfp_random_seed(&g, 5);
    mpz_init(huge);
    zlab_number(huge, BITS, &g);
    for (size_t i = 0; i < N; i++) {
        mpz_set_si(a.c[i], (long)gfp_random_below(&g, 100) - 50);
        if (i >= N - 7) { /* the last ones, with signs in turn: a multiple of X + 1 cancels */
            mpz_set(a.c[i], huge);
            mpz_mul_si(a.c[i], a.c[i], i % 2 == 0 ? 1 : -1);
        }
    }
    mpz_set_si(b.c[0], 1);
    mpz_set_si(b.c[1], 1);
    assert_true(expect_product(a, b, "cancelled"));
    mpz_set_ui(b.c[0], 0); /* zeros at the low end */
    assert_true(expect_product(a, b, "shifted"));
    mpz_clear(huge);
    zlab_free(&a);
    zlab_free(&b);
}

static void squares_of_all_forms(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 6);
    for (zform form = 0; form < ZFORMS; form++) {
        zlab f = zform_new(form, 150, BITS / 2, &g);
        zlab expected = zlab_product(f, f);
        gfp_zvec a, c;
        gfp_zvec_init(&a, ring);
        gfp_zvec_init(&c, ring);
        zlab_set(&a, f);
        assert_int_equal(gfp_zvec_mul(&c, &a, &a, NULL), GFP_OK);
        zlab_expect(&c, expected, "a square");
        assert_int_equal(gfp_zvec_mul(&a, &a, &a, NULL), GFP_OK);
        zlab_expect(&a, expected, "a square in place");
        gfp_zvec_clear(&a);
        gfp_zvec_clear(&c);
        zlab_free(&f);
        zlab_free(&expected);
    }
}

/* 20,000 coefficients of which one has 10^6 bits, by 1 + X: 2.5 GB in one width. */
static void one_long_coefficient_takes_its_own_memory(void **state)
{
    enum { N = 20000, LONG = 1000000 };
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    const gfp_options capped = {.memory_cap = 8 << 20, .verify = GFP_VERIFY_POINT};
    gfp_random g;
    gfp_zring *own;
    gfp_zvec a, b, c;
    (void)state;
    gfp_random_seed(&g, 7);
    zlab f = zform_new(ONE_LONG, N, LONG, &g), h = zlab_new(2);
    mpz_set_si(h.c[0], 1);
    mpz_set_si(h.c[1], 1);
    zlab expected = zlab_product(f, h);
    assert_int_equal(gfp_zring_create(&own, &hook, NULL), GFP_OK);
    gfp_zvec_init(&a, own);
    gfp_zvec_init(&b, own);
    gfp_zvec_init(&c, own);
    zlab_set(&a, f);
    zlab_set(&b, h);
    assert_int_equal(gfp_zvec_mul(&c, &a, &b, &capped), GFP_OK);
    zlab_expect(&c, expected, "one long coefficient");
    assert_true(m.peak < 16 << 20);
    /* Within a cap that does not hold the sums nothing changes. */
    const gfp_options small = {.memory_cap = 1 << 18};
    assert_int_equal(gfp_zvec_mul(&a, &a, &b, &small), GFP_ERR_MEMORY);
    zlab_expect(&a, f, "refused");
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zring_destroy(own);
    meter_expect_empty(&m);
    zlab_free(&f);
    zlab_free(&h);
    zlab_free(&expected);
}

/* One bit of one coefficient of a product is another one. */
static void wrong_products_are_found(void **state)
{
    gfp_random g;
    gfp_zvec a, b, c;
    gfp_zcall call;
    (void)state;
    gfp_random_seed(&g, 10);
    zlab f = zform_new(ROOT_LONG, LENGTH, BITS, &g), h = zform_new(ONE_LONG, 40, 300, &g);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    zlab_set(&a, f);
    zlab_set(&b, h);
    assert_int_equal(gfp_zvec_mul(&c, &a, &b, NULL), GFP_OK);
    for (size_t i = 0; i < c.len; i++) {
        size_t width;
        uint64_t *x = (uint64_t *)gfp_zvec_get(&width, &c, i);
        assert_int_equal(zlab_call_begin(&call, "a test", ring, NULL), GFP_OK);
        assert_int_equal(gfp_zsplit_check(&call, &a, &b, &c), GFP_OK);
        assert_true(call.base.report.log2_error < -80);
        x[i % width] ^= UINT64_C(1) << i % 64;
        assert_int_equal(gfp_zsplit_check(&call, &a, &b, &c), GFP_ERR_VERIFY);
        x[i % width] ^= UINT64_C(1) << i % 64;
        assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    zlab_free(&f);
    zlab_free(&h);
}

/* ---- other operations, which give the operands one width ---- */

static void other_operations_take_both_layouts(void **state)
{
    gfp_random g;
    gfp_zvec a, b, z[2], w[2];
    uint64_t modulus[BITS / 20] = {0};
    (void)state;
    gfp_random_seed(&g, 13);
    zlab f = zform_new(ONE_LONG, 40, BITS, &g), h = zform_new(ONE_LONG, 3, 40, &g);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    for (unsigned i = 0; i < 2; i++) {
        gfp_zvec_init(&z[i], ring);
        gfp_zvec_init(&w[i], ring);
    }
    zlab_set(&a, f);
    zlab_set(&b, h);
    assert_int_equal(a.width, 0);
    gfp_report report;
    const gfp_options reported = {.report = &report};
    assert_int_equal(gfp_zvec_mul(&z[0], &a, &b, &reported), GFP_OK);
    assert_string_equal(report.method, "split");
    assert_int_equal(gfp_zvec_resultant(&z[0], &a, &b, NULL), GFP_OK);
    mpz_t r;
    mpz_init(r);
    zlab_resultant(r, f, h);
    const zlab expected = {&r, 1};
    zlab_expect(&z[0], expected, "resultant");
    mpz_clear(r);
    assert_int_equal(gfp_zvec_discriminant(&z[0], &b, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_composed(&z[0], &a, &b, GFP_ZCOMPOSED_SUM, NULL), GFP_OK);
    /* Residues below the square root of the modulus are the numerators. */
    modulus[BITS / 20 - 1] = 1;
    assert_int_equal(gfp_zvec_set_limbs(&z[1], modulus, 1, BITS / 20), GFP_OK);
    assert_int_equal(gfp_zvec_reconstruct(&w[0], &w[1], &a, &z[1], NULL, NULL, NULL), GFP_OK);
    assert_true(gfp_zvec_equal(&w[0], &a));
    assert_int_equal(w[1].len, 1);
    assert_int_equal(w[1].limbs[0], 1);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    for (unsigned i = 0; i < 2; i++) {
        gfp_zvec_clear(&z[i]);
        gfp_zvec_clear(&w[i]);
    }
    zlab_free(&f);
    zlab_free(&h);
}

/* Rows of a polynomial in two variables, and entries of a matrix. */
static void rows_and_entries_take_the_bits_that_are_there(void **state)
{
    gfp_random g;
    gfp_zvec a, b;
    gfp_zbipoly f;
    gfp_zmatrix m;
    (void)state;
    gfp_random_seed(&g, 14);
    zlab x = zform_new(ONE_LONG, LENGTH, BITS, &g);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zbipoly_init(&f, ring);
    gfp_zmatrix_init(&m, ring);
    zlab_set(&a, x);
    assert_int_equal(gfp_zbipoly_set_coeff(&f, 1, &a), GFP_OK);
    expect_small(&f.coeff[1], x, ONE_LONG, "a row");
    assert_true(gfp_zvec_equal(&a, &f.coeff[1]));
    assert_int_equal(gfp_zmatrix_set_zero(&m, 1), GFP_OK);
    assert_int_equal(gfp_zmatrix_set_entry(&m, 0, 0, &a), GFP_OK);
    expect_small(&m.entry[0], x, ONE_LONG, "an entry");
    assert_int_equal(gfp_zmatrix_det(&b, &m, NULL), GFP_OK);
    assert_true(gfp_zvec_equal(&a, &b));
    char *text;
    size_t size;
    assert_int_equal(gfp_zvec_to_string(&text, &size, &a), GFP_OK);
    lab_bivariate_read(&f, text);
    expect_small(&f.coeff[0], x, ONE_LONG, "a row of a text");
    assert_true(gfp_zvec_equal(&a, &f.coeff[0]));
    gfp_free(text);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zbipoly_clear(&f);
    gfp_zmatrix_clear(&m);
    zlab_free(&x);
}

/* Long rows c and d, their polynomials u and v, and the polynomials -x and 1. */
typedef struct long_rows {
    zlab u, v;
    gfp_zvec c, d, minus_x, one, result;
} long_rows;

#define LONG_ROW 60 /* 18,000 limbs in one width */

static void open_rows(long_rows *w)
{
    static const uint64_t minus_x[] = {0, UINT64_MAX}, one[] = {1};
    gfp_zvec *const vectors[] = {&w->c, &w->d, &w->minus_x, &w->one, &w->result};
    gfp_random g;
    gfp_random_seed(&g, 15);
    w->u = zform_new(ONE_LONG, LONG_ROW, BITS, &g);
    w->v = zform_new(LONG_LEAD, LONG_ROW, BITS, &g);
    for (unsigned i = 0; i < 5; i++) {
        gfp_zvec_init(vectors[i], ring);
    }
    zlab_set(&w->c, w->u);
    zlab_set(&w->d, w->v);
    assert_true(w->c.width == 0 && w->d.width == 0);
    assert_int_equal(gfp_zvec_set_limbs(&w->minus_x, minus_x, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&w->one, one, 1, 1), GFP_OK);
}

static void close_rows(long_rows *w)
{
    gfp_zvec *const vectors[] = {&w->c, &w->d, &w->minus_x, &w->one, &w->result};
    for (unsigned i = 0; i < 5; i++) {
        gfp_zvec_clear(vectors[i]);
    }
    zlab_free(&w->u);
    zlab_free(&w->v);
}

/* Returns u x + v, or u x - v. */
static zlab sum_of_rows(const long_rows *w, bool subtract)
{
    zlab sum = zlab_new(LONG_ROW + 1);
    for (size_t i = 0; i < LONG_ROW; i++) {
        mpz_set(sum.c[i + 1], w->u.c[i]);
    }
    for (size_t i = 0; i < LONG_ROW; i++) {
        (subtract ? mpz_sub : mpz_add)(sum.c[i], sum.c[i], w->v.c[i]);
    }
    return sum;
}

/* Expects a resultant in y under every check, and no change of the result by an error. */
static void expect_resultant(long_rows *w, const gfp_zbipoly *f, const gfp_zbipoly *h,
                             zlab expected)
{
    static const gfp_verify verify[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    const gfp_options small = {.memory_cap = 1 << 14};
    for (unsigned i = 0; i < 3; i++) {
        const gfp_options options = {.verify = verify[i]};
        assert_int_equal(gfp_zbipoly_resultant_y(&w->result, f, h, &options), GFP_OK);
        zlab_expect(&w->result, expected, "a resultant in y");
    }
    assert_int_equal(gfp_zbipoly_resultant_y(&w->result, f, h, &small), GFP_ERR_MEMORY);
    zlab_expect(&w->result, expected, "refused");
}

/* The resultant of y^2 - x and c y^2 + d is (c x + d)^2, that of c y + d and y^2 - x is d^2 - x
 * c^2: by images and by a formula. */
static void resultants_of_long_rows(void **state)
{
    long_rows w;
    gfp_zbipoly f, h, line;
    (void)state;
    open_rows(&w);
    gfp_zbipoly_init(&f, ring);
    gfp_zbipoly_init(&h, ring);
    gfp_zbipoly_init(&line, ring);
    assert_int_equal(gfp_zbipoly_set_coeff(&f, 0, &w.minus_x), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&f, 2, &w.one), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&h, 0, &w.d), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&h, 2, &w.c), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&line, 0, &w.d), GFP_OK);
    assert_int_equal(gfp_zbipoly_set_coeff(&line, 1, &w.c), GFP_OK);
    zlab sum = sum_of_rows(&w, false), square = zlab_product(sum, sum);
    zlab dd = zlab_product(w.v, w.v), cc = zlab_product(w.u, w.u), norm = zlab_new(2 * LONG_ROW);
    for (size_t i = 0; i < dd.len; i++) {
        mpz_set(norm.c[i], dd.c[i]);
    }
    for (size_t i = 0; i < cc.len; i++) {
        mpz_sub(norm.c[i + 1], norm.c[i + 1], cc.c[i]);
    }
    expect_resultant(&w, &f, &h, square);
    expect_resultant(&w, &line, &f, norm);
    gfp_zbipoly_clear(&f);
    gfp_zbipoly_clear(&h);
    gfp_zbipoly_clear(&line);
    close_rows(&w);
    zlab *const all[] = {&sum, &square, &dd, &cc, &norm};
    for (unsigned i = 0; i < 5; i++) {
        zlab_free(all[i]);
    }
}

/* The determinant of (x, 1; d, c) is c x - d. */
static void determinants_of_long_rows(void **state)
{
    static const gfp_verify verify[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    static const uint64_t x[] = {0, 1};
    long_rows w;
    gfp_zmatrix m;
    (void)state;
    open_rows(&w);
    zlab difference = sum_of_rows(&w, true);
    gfp_zmatrix_init(&m, ring);
    assert_int_equal(gfp_zmatrix_set_zero(&m, 2), GFP_OK);
    assert_int_equal(gfp_zmatrix_set_entry(&m, 0, 1, &w.one), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&w.one, x, 2, 1), GFP_OK);
    assert_int_equal(gfp_zmatrix_set_entry(&m, 0, 0, &w.one), GFP_OK);
    assert_int_equal(gfp_zmatrix_set_entry(&m, 1, 0, &w.d), GFP_OK);
    assert_int_equal(gfp_zmatrix_set_entry(&m, 1, 1, &w.c), GFP_OK);
    for (unsigned i = 0; i < 3; i++) {
        const gfp_options options = {.verify = verify[i]};
        assert_int_equal(gfp_zmatrix_det(&w.result, &m, &options), GFP_OK);
        zlab_expect(&w.result, difference, "a determinant");
    }
    gfp_zmatrix_clear(&m);
    zlab_free(&difference);
    close_rows(&w);
}

/* x^4 (x - 2^(64 1024)) = 0, y = 1: the changes of coordinates of a system take one width. */
static void systems_of_long_rows(void **state)
{
    enum { LIMBS = 1024 };
    gfp_zvec row;
    gfp_zbipoly f, h;
    gfp_zsystem s;
    static const uint64_t line[] = {UINT64_MAX, 1};
    (void)state;
    zlab x = zlab_new(6);
    mpz_setbit(x.c[4], 64 * LIMBS);
    mpz_neg(x.c[4], x.c[4]);
    mpz_set_ui(x.c[5], 1);
    gfp_zvec_init(&row, ring);
    gfp_zbipoly_init(&f, ring);
    gfp_zbipoly_init(&h, ring);
    gfp_zsystem_init(&s, ring);
    zlab_set(&row, x);
    assert_int_equal(gfp_zbipoly_set_coeff(&f, 0, &row), GFP_OK);
    assert_int_equal(f.coeff[0].width, 0);
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(gfp_zvec_set_limbs(&row, line + j, 1, 1), GFP_OK);
        assert_int_equal(gfp_zbipoly_set_coeff(&h, j, &row), GFP_OK);
    }
    assert_int_equal(gfp_zsystem_solve(&s, &f, &h, NULL), GFP_OK);
    assert_int_equal(s.degree, 5);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.part[0].multiplicity, 1);
    assert_int_equal(s.part[1].multiplicity, 4);
    assert_int_equal(gfp_zvec_bits(&s.part[0].f), 64 * LIMBS + 1);
    gfp_zvec_clear(&row);
    gfp_zbipoly_clear(&f);
    gfp_zbipoly_clear(&h);
    gfp_zsystem_clear(&s);
    zlab_free(&x);
}

/* Integers in one or two slots, the shorter one of a few limbs up to half of a block: blocks of the
 * longer one, digits, and zeros at the top of the last slots. */
static void integers_of_all_sizes(void **state)
{
    static const size_t bits[][2] = {{8400000, 10},       {8400000, 128},      {12600000, 190000},
                                     {12600000, 2097152}, {12600000, 4300000}, {17000000, 8500000},
                                     {17000000, 8300000}, {4194304 * 3, 64}};
    gmp_randstate_t g;
    (void)state;
    gmp_randinit_default(g);
    for (size_t i = 0; LAB_ROW(bits, i); i++) {
        zlab a = zlab_new(1 + i % 2), b = zlab_new(1);
        for (size_t j = 0; j < a.len; j++) {
            mpz_rrandomb(a.c[j], g, bits[i][0]);
        }
        mpz_urandomb(b.c[0], g, bits[i][1]);
        mpz_setbit(b.c[0], bits[i][1] - 1);
        mpz_neg(b.c[0], b.c[0]);
        zlab c = zlab_product(a, b);
        gfp_zvec x, y, z;
        gfp_zvec_init(&x, ring);
        gfp_zvec_init(&y, ring);
        gfp_zvec_init(&z, ring);
        zlab_set(&x, a);
        zlab_set(&y, b);
        /* With reports, in blocks of the longer one, and without. */
        double steps[2] = {0, 1e9};
        const gfp_progress progress = {zlab_count_steps, steps};
        const gfp_options options = {.method = "kronecker"},
                          reported = {.method = "kronecker", .progress = &progress};
        assert_int_equal(gfp_zvec_mul(&z, &x, &y, &options), GFP_OK);
        zlab_expect(&z, c, "a product of integers");
        assert_int_equal(gfp_zvec_mul(&z, &y, &x, &options), GFP_OK);
        zlab_expect(&z, c, "a product of integers");
        assert_int_equal(gfp_zvec_mul(&z, &x, &y, &reported), GFP_OK);
        zlab_expect(&z, c, "a product of integers with reports");
        steps[0] = 0;
        assert_int_equal(gfp_zvec_mul(&z, &y, &x, &reported), GFP_OK);
        zlab_expect(&z, c, "a product of integers with reports");
        assert_int_equal(gfp_zvec_mul(&z, &y, &y, &options), GFP_OK);
        zlab_free(&c);
        c = zlab_product(b, b);
        zlab_expect(&z, c, "a square");
        gfp_zvec_clear(&x);
        gfp_zvec_clear(&y);
        gfp_zvec_clear(&z);
        zlab_free(&a);
        zlab_free(&b);
        zlab_free(&c);
    }
    gmp_randclear(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_take_the_bits_that_are_there),
        cmocka_unit_test(limbs_of_any_width_are_taken),
        cmocka_unit_test(texts_take_the_bits_that_are_there),
#if GFP_HAVE_FLINT
        cmocka_unit_test(polynomials_of_flint_keep_their_sizes),
#endif
        cmocka_unit_test(products_of_all_forms),
        cmocka_unit_test(integers_of_all_sizes),
        cmocka_unit_test(long_coefficients_may_cancel),
        cmocka_unit_test(squares_of_all_forms),
        cmocka_unit_test(one_long_coefficient_takes_its_own_memory),
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(other_operations_take_both_layouts),
        cmocka_unit_test(rows_and_entries_take_the_bits_that_are_there),
        cmocka_unit_test(resultants_of_long_rows),
        cmocka_unit_test(determinants_of_long_rows),
        cmocka_unit_test(systems_of_long_rows),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
