/* test_bipoly.c: polynomials in two variables: storage, sums, products, quotients, values, text:
 * against the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_lab.h"

#include "sanitized.h"

/* ---- storage ---- */

static void storage(void **state)
{
    (void)state;
    bivariate s;
    make_bivariate(&s, lab_named("p8")->field, 1);
    assert_true(gfp_bipoly_is_zero(&s.a) && !gfp_bipoly_is_one(&s.a));
    assert_int_equal(gfp_bipoly_degree_x(&s.a), -1);
    assert_int_equal(gfp_bipoly_degree_y(&s.a), -1);
    assert_int_equal(gfp_bipoly_one(&s.a), GFP_OK);
    assert_true(gfp_bipoly_is_one(&s.a));
    fill(&s, &s.a, 5, 3, false);
    assert_int_equal(gfp_bipoly_degree_x(&s.a), 4);
    assert_int_equal(gfp_bipoly_degree_y(&s.a), 2);
    /* A coefficient of a at another place of a. */
    assert_int_equal(gfp_bipoly_set_coeff(&s.a, 9, &s.a.coeff[1]), GFP_OK);
    assert_int_equal(gfp_bipoly_degree_y(&s.a), 9);
    for (size_t j = 3; j < 9; j++) {
        assert_int_equal(gfp_bipoly_get_coeff(&s.f, &s.a, j), GFP_OK);
        assert_true(gfp_poly_is_zero(&s.f));
    }
    assert_int_equal(gfp_bipoly_get_coeff(&s.f, &s.a, 9), GFP_OK);
    assert_true(gfp_poly_equal(&s.f, &s.a.coeff[1]));
    /* Leading zeros go, and zeros beyond change nothing. */
    gfp_poly_zero(&s.f);
    assert_int_equal(gfp_bipoly_set_coeff(&s.a, 9, &s.f), GFP_OK);
    assert_int_equal(gfp_bipoly_degree_y(&s.a), 2);
    assert_int_equal(gfp_bipoly_set_coeff(&s.a, (size_t)1 << 60, &s.f), GFP_OK);
    assert_int_equal(gfp_bipoly_degree_y(&s.a), 2);
    assert_int_equal(gfp_bipoly_get_coeff(&s.f, &s.a, SIZE_MAX), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.f));
    assert_int_equal(gfp_bipoly_set_length(&s.a, s.a.capacity + 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_bipoly_fit_length(&s.a, SIZE_MAX), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
    assert_int_equal(gfp_bipoly_set_coeff(&s.a, SIZE_MAX, &s.f), GFP_ERR_SIZE);
    assert_int_equal(gfp_bipoly_copy(&s.b, &s.a), GFP_OK);
    assert_true(gfp_bipoly_equal(&s.a, &s.b));
    assert_int_equal(gfp_bipoly_set_length(&s.b, 2), GFP_OK);
    assert_false(gfp_bipoly_equal(&s.a, &s.b));
    gfp_bipoly_zero(&s.b);
    assert_true(gfp_bipoly_is_zero(&s.b));
    clear_bivariate(&s);
}

static void fields_must_agree(void **state)
{
    (void)state;
    bivariate s;
    bivariate t;
    bool yes;
    uint64_t x[GFP_MAX_K] = {0};
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    make_bivariate(&s, lab_named("p8")->field, 1);
    make_bivariate(&t, lab_named("p4")->field, 1);
    fill(&s, &s.a, 3, 3, false);
    fill(&t, &t.a, 3, 3, false);
    fill(&t, &t.z, 2, 2, false);
    assert_false(gfp_bipoly_equal(&s.a, &t.a));
    assert_int_equal(gfp_bipoly_copy(&t.z, &s.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_add(&t.z, &s.a, &s.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_sub(&s.z, &s.a, &t.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_neg(&t.z, &s.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_make_monic(&t.z, &s.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_transpose(&t.z, &s.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_get_coeff(&t.f, &s.a, 0), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_set_coeff(&t.z, 0, &s.a.coeff[0]), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_eval_x(&t.f, &s.a, x), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_bipoly_eval_y(&t.f, &s.a, x), GFP_ERR_FIELD_MISMATCH);
    lab_expect_status(gfp_bipoly_mul(&t.z, &s.a, &s.a, &options), GFP_ERR_FIELD_MISMATCH, &error,
                      "product");
    lab_expect_status(gfp_bipoly_divides(&yes, &s.z, &s.a, &t.a, &options), GFP_ERR_FIELD_MISMATCH,
                      &error, "quotient");
    lab_expect_status(gfp_bipoly_mul(NULL, &s.a, &s.a, &options), GFP_ERR_ARGUMENT, &error,
                      "product");
    lab_expect_status(gfp_bipoly_divides(NULL, NULL, &s.a, &s.a, &options), GFP_ERR_ARGUMENT,
                      &error, "quotient");
    lab_expect_status(gfp_bipoly_eval_geometric(NULL, &s.a, x, x, 2, &options), GFP_ERR_ARGUMENT,
                      &error, "values");
    clear_bivariate(&s);
    clear_bivariate(&t);
}

static void variables_are_exchanged(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{0, 0}, {1, 1}, {1, 7}, {7, 1}, {5, 9}, {9, 5}};
    const gfp_field *field = lab_named("p2")->field;
    for (size_t i = 0; i < 12; i++) {
        bivariate s;
        make_bivariate(&s, field, i);
        fill(&s, &s.a, shapes[i / 2][0], shapes[i / 2][1], i % 2 == 1);
        assert_int_equal(gfp_bipoly_transpose(&s.b, &s.a), GFP_OK);
        assert_int_equal(gfp_bipoly_degree_x(&s.b), gfp_bipoly_degree_y(&s.a));
        assert_int_equal(gfp_bipoly_degree_y(&s.b), gfp_bipoly_degree_x(&s.a));
        for (size_t j = 0; j < s.b.len; j++) {
            for (size_t t = 0; t < s.a.len; t++) {
                uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
                gfp_poly_get_coeff(&s.a.coeff[t], x, j);
                gfp_poly_get_coeff(&s.b.coeff[j], y, t);
                assert_true(gfp_elem_equal(field, x, y));
            }
        }
        assert_int_equal(gfp_bipoly_transpose(&s.b, &s.b), GFP_OK);
        expect_same_bipoly(&s.b, &s.a, "two exchanges", i, 0);
        clear_bivariate(&s);
    }
}

/* ---- sums and values ---- */

/* Fails unless c(x, y) is x_a + factor x_b. */
static void expect_at(const bivariate *s, const gfp_bipoly *c, const uint64_t *expected,
                      const uint64_t *x, const uint64_t *y, const char *what)
{
    uint64_t z[GFP_MAX_K];
    gfp_bipoly_eval(z, c, x, y);
    if (!gfp_elem_equal(s->field, z, expected)) {
        fail_msg("%s: %s: wrong value", gfp_field_name(s->field), what);
    }
}

static void sums_have_sums_of_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_field_count; i++) {
        const gfp_field *field = lab_fields[i].field;
        bivariate s;
        uint64_t x[GFP_MAX_K], y[GFP_MAX_K], u[GFP_MAX_K], v[GFP_MAX_K], w[GFP_MAX_K];
        make_bivariate(&s, field, i);
        fill(&s, &s.a, 4, 6, true);
        fill(&s, &s.b, 7, 3, false);
        gfp_elem_random(field, x, &s.random);
        gfp_elem_random(field, y, &s.random);
        gfp_bipoly_eval(u, &s.a, x, y);
        gfp_bipoly_eval(v, &s.b, x, y);
        assert_int_equal(gfp_bipoly_add(&s.z, &s.a, &s.b), GFP_OK);
        gfp_elem_add(field, w, u, v);
        expect_at(&s, &s.z, w, x, y, "sum");
        assert_int_equal(gfp_bipoly_sub(&s.z, &s.a, &s.b), GFP_OK);
        gfp_elem_sub(field, w, u, v);
        expect_at(&s, &s.z, w, x, y, "difference");
        assert_int_equal(gfp_bipoly_neg(&s.z, &s.a), GFP_OK);
        gfp_elem_neg(field, w, u);
        expect_at(&s, &s.z, w, x, y, "negative");
        assert_int_equal(gfp_bipoly_scale(&s.z, &s.a, x), GFP_OK);
        gfp_elem_mul(field, w, u, x);
        expect_at(&s, &s.z, w, x, y, "multiple");
        /* In place, down to nothing. */
        assert_int_equal(gfp_bipoly_sub(&s.b, &s.b, &s.b), GFP_OK);
        assert_true(gfp_bipoly_is_zero(&s.b));
        assert_int_equal(gfp_bipoly_make_monic(&s.b, &s.b), GFP_ERR_NOT_INVERTIBLE);
        assert_int_equal(gfp_bipoly_make_monic(&s.z, &s.a), GFP_OK);
        const gfp_poly *lead = &s.z.coeff[s.z.len - 1];
        assert_true(gfp_elem_is_one(field, lead->digits + (lead->len - 1) * gfp_field_k(field)));
        /* A value of one variable, then of the other. */
        assert_int_equal(gfp_bipoly_eval_x(&s.f, &s.a, x), GFP_OK);
        gfp_poly_eval(&s.f, w, y);
        assert_true(gfp_elem_equal(field, w, u));
        assert_int_equal(gfp_bipoly_eval_y(&s.f, &s.a, y), GFP_OK);
        gfp_poly_eval(&s.f, w, x);
        assert_true(gfp_elem_equal(field, w, u));
        assert_int_equal(gfp_bipoly_eval_x(&s.f, &s.b, x), GFP_OK);
        assert_true(gfp_poly_is_zero(&s.f));
        assert_int_equal(gfp_bipoly_eval_y(&s.f, &s.b, x), GFP_OK);
        assert_true(gfp_poly_is_zero(&s.f));
        clear_bivariate(&s);
    }
}

/* ---- products ---- */

/* Lengths in X and Y of both factors. */
static const size_t products[][4] = {
    {0, 0, 3, 3},  {1, 1, 1, 1},   {1, 1, 6, 5},   {6, 1, 1, 7},   {1, 6, 1, 9},
    {5, 1, 7, 1},  {3, 4, 5, 2},   {2, 20, 20, 2}, {30, 3, 2, 40}, {17, 16, 15, 18},
    {40, 1, 9, 9}, {1, 40, 12, 9}, {33, 9, 64, 8}, {100, 2, 3, 2}, {24, 24, 24, 24},
};
#define PRODUCTS (sizeof products / sizeof products[0])

static void products_are_those_of_the_definition(void **state)
{
    (void)state;
    const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
    for (size_t i = 0; i < oracle_field_count * PRODUCTS; i++) {
        const size_t *n = products[i % PRODUCTS];
        const gfp_field *field = lab_fields[i / PRODUCTS].field;
        bivariate s;
        bool yes = false;
        if (gfp_field_k(field) * gfp_field_k(field) * n[0] * n[1] * n[2] * n[3] > 2000000) {
            continue;
        }
        make_bivariate(&s, field, i);
        fill(&s, &s.a, n[0], n[1], i % 2 == 1);
        fill(&s, &s.b, n[2], n[3], i % 3 == 1);
        slow_product(&s.c, &s.a, &s.b);
        const gfp_options options = {.verify = kinds[i % 3]};
        const gfp_options classical = {.verify = kinds[i % 2], .method = "classical"};
        assert_int_equal(gfp_bipoly_mul(&s.z, &s.a, &s.b, &options), GFP_OK);
        expect_same_bipoly(&s.z, &s.c, "product", i, 0);
        assert_int_equal(gfp_bipoly_mul(&s.z, &s.b, &s.a, &classical), GFP_OK);
        expect_same_bipoly(&s.z, &s.c, "classical product", i, 0);
        /* The quotient, and one of what b does not divide. */
        if (s.b.len > 0) {
            assert_int_equal(gfp_bipoly_divides(&yes, &s.z, &s.c, &s.b, &options), GFP_OK);
            assert_true(yes);
            expect_same_bipoly(&s.z, &s.a, "quotient", i, 0);
        }
        /* In place. */
        assert_int_equal(gfp_bipoly_copy(&s.z, &s.a), GFP_OK);
        assert_int_equal(gfp_bipoly_mul(&s.z, &s.z, &s.b, NULL), GFP_OK);
        expect_same_bipoly(&s.z, &s.c, "product in place", i, 0);
        slow_product(&s.c, &s.a, &s.a);
        assert_int_equal(gfp_bipoly_sqr(&s.a, &s.a, &options), GFP_OK);
        expect_same_bipoly(&s.a, &s.c, "square in place", i, 0);
        clear_bivariate(&s);
    }
}

static void divisors_and_others(void **state)
{
    (void)state;
    bool yes = false;
    for (size_t i = 0; i < oracle_field_count; i++) {
        bivariate s;
        const gfp_options options = {.verify = GFP_VERIFY_POINT};
        make_bivariate(&s, lab_fields[i].field, i);
        /* 0 divides 0, and 0 is a multiple of everything. */
        assert_int_equal(gfp_bipoly_divides(&yes, &s.z, &s.a, &s.b, &options), GFP_OK);
        assert_true(yes && gfp_bipoly_is_zero(&s.z));
        fill(&s, &s.b, 3, 4, false);
        assert_int_equal(gfp_bipoly_divides(&yes, &s.z, &s.a, &s.b, &options), GFP_OK);
        assert_true(yes && gfp_bipoly_is_zero(&s.z));
        assert_int_equal(gfp_bipoly_divides(&yes, NULL, &s.b, &s.a, &options), GFP_OK);
        assert_false(yes);
        /* One more than a multiple. */
        fill(&s, &s.a, 5, 2, false);
        slow_product(&s.c, &s.a, &s.b);
        assert_int_equal(gfp_bipoly_one(&s.x), GFP_OK);
        assert_int_equal(gfp_bipoly_add(&s.y, &s.c, &s.x), GFP_OK);
        assert_int_equal(gfp_bipoly_divides(&yes, &s.x, &s.y, &s.b, &options), GFP_OK);
        assert_true(!yes && gfp_bipoly_is_one(&s.x));
        /* Degrees of the divisor that are too high in one variable. */
        assert_int_equal(gfp_bipoly_divides(&yes, NULL, &s.a, &s.b, &options), GFP_OK);
        assert_false(yes);
        assert_int_equal(gfp_bipoly_divides(&yes, NULL, &s.b, &s.a, &options), GFP_OK);
        assert_false(yes);
        /* Y -> X^2 maps Y^2 + X to X^4 + X, a multiple of X. */
        assert_int_equal(gfp_poly_one(&s.f), GFP_OK);
        gfp_bipoly_zero(&s.a);
        assert_int_equal(gfp_bipoly_set_coeff(&s.a, 2, &s.f), GFP_OK);
        assert_int_equal(gfp_poly_shift_left(&s.f, &s.f, 1), GFP_OK);
        assert_int_equal(gfp_bipoly_set_coeff(&s.a, 0, &s.f), GFP_OK);
        gfp_bipoly_zero(&s.b);
        assert_int_equal(gfp_bipoly_set_coeff(&s.b, 0, &s.f), GFP_OK);
        assert_int_equal(gfp_bipoly_divides(&yes, &s.z, &s.a, &s.b, &options), GFP_OK);
        assert_false(yes);
        clear_bivariate(&s);
    }
}

/* ---- values at progressions ---- */

static void check_progression(const gfp_field *field, size_t len_x, size_t len_y, size_t n,
                              const gfp_options *options)
{
    bivariate s;
    const size_t k = gfp_field_k(field);
    uint64_t x[GFP_MAX_K], start[GFP_MAX_K], ratio[GFP_MAX_K], *values;
    make_bivariate(&s, field, len_x + 3 * n);
    fill(&s, &s.a, len_x, len_y, n % 2 == 1);
    gfp_elem_set_u64(field, start, n % 5 == 4 ? 0 : n + 2);
    gfp_elem_set_u64(field, ratio, len_x % 5 == 4 ? 0 : 3);
    values = malloc((n * len_y + 1) * k * sizeof *values);
    assert_non_null(values);
    assert_int_equal(gfp_bipoly_eval_geometric(values, &s.a, start, ratio, n, options), GFP_OK);
    gfp_elem_copy(field, x, start);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(gfp_bipoly_eval_x(&s.f, &s.a, x), GFP_OK);
        for (size_t j = 0; j < s.a.len; j++) {
            uint64_t y[GFP_MAX_K];
            gfp_poly_get_coeff(&s.f, y, j);
            if (!gfp_elem_equal(field, y, values + (i * s.a.len + j) * k)) {
                fail_msg("%s: %zu by %zu terms at %zu points: value %zu of %zu is wrong",
                         gfp_field_name(field), len_x, len_y, n, i, j);
            }
        }
        gfp_elem_mul(field, x, x, ratio);
    }
    free(values);
    clear_bivariate(&s);
}

static void values_at_progressions(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 9, 23, 24, 26, 40, 63}, rows[] = {1, 2, 5};
    static const size_t points[] = {0, 1, 3, 23, 25, 77, 200, 301};
    for (size_t i = 0; i < 9 * 8 * 3; i++) {
        const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
        const size_t len_x = lengths[i % 9], len_y = rows[i / 72], n = points[i / 9 % 8];
        gfp_options options = {.verify = kinds[i % 3]};
        check_progression(lab_named("p8")->field, len_x, len_y, n, &options);
        check_progression(lab_named("p2")->field, len_x, len_y, n, &options);
        check_progression(lab_named("2^4+1")->field, len_x, len_y, n, &options);
        options.method = "classical";
        check_progression(lab_named("p4")->field, len_x, len_y, n, &options);
    }
    for (size_t i = 0; i < oracle_field_count; i++) {
        check_progression(lab_fields[i].field, 30, 3, 70, &(gfp_options){.threads = 2});
    }
}

/* ---- text ---- */

static void expect_text(const gfp_bipoly *a, gfp_format format, const char *expected)
{
    char *text = NULL, read[200] = "";
    size_t size = 0;
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_int_equal(gfp_bipoly_to_string(a, &text, &size, format), GFP_OK);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected) + 1);
    assert_int_equal(gfp_bipoly_fwrite(a, stream, format), GFP_OK);
    rewind(stream);
    assert_int_equal(fread(read, 1, sizeof read - 1, stream), size);
    assert_memory_equal(read, expected, size - 1);
    assert_int_equal(read[size - 1], '\n');
    fclose(stream);
    gfp_string_free(a->field, text, size);
}

static void texts(void **state)
{
    (void)state;
    gfp_field *field = lab_create("2^4+1"); /* 17 */
    bivariate s;
    make_bivariate(&s, field, 1);
    expect_text(&s.a, GFP_FORMAT_FLINT, "0 17");
    expect_text(&s.a, GFP_FORMAT_NTL, "[]");
    static const char flint[] = "2 17  3 16\n0 17\n3 17  0 0 1";
    assert_int_equal(gfp_bipoly_from_string(&s.a, flint, strlen(flint), GFP_FORMAT_FLINT, NULL),
                     GFP_OK);
    expect_text(&s.a, GFP_FORMAT_FLINT, flint);
    expect_text(&s.a, GFP_FORMAT_NTL, "[3 16]\n[]\n[0 0 1]");
    /* White space, blank lines before and after the polynomials, leading zeros. */
    static const char loose[] = "\n 3 17 3 016 0\r\n \t0 17\n3 17  0 0 1\n2 17 0 0\n0 17\n\n";
    assert_int_equal(gfp_bipoly_from_string(&s.b, loose, strlen(loose), GFP_FORMAT_FLINT, NULL),
                     GFP_OK);
    expect_same_bipoly(&s.b, &s.a, "loose text", 0, 0);
    static const char ntl[] = "[3 16 0]\n[]\n[0 0 1]";
    assert_int_equal(gfp_bipoly_from_string(&s.b, ntl, strlen(ntl), GFP_FORMAT_NTL, NULL), GFP_OK);
    expect_same_bipoly(&s.b, &s.a, "NTL's text", 0, 0);
    clear_bivariate(&s);
    gfp_field_destroy(field);
}

static void texts_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * oracle_field_count; i++) {
        const gfp_field *field = lab_fields[i / 2].field;
        const gfp_format format = i % 2 == 0 ? GFP_FORMAT_FLINT : GFP_FORMAT_NTL;
        bivariate s;
        char *text = NULL;
        size_t size = 0;
        FILE *stream = tmpfile();
        assert_non_null(stream);
        make_bivariate(&s, field, i);
        fill(&s, &s.a, 9, 13, true);
        gfp_poly_zero(&s.f);
        assert_int_equal(gfp_bipoly_set_coeff(&s.a, 5, &s.f), GFP_OK);
        assert_int_equal(gfp_bipoly_to_string(&s.a, &text, &size, format), GFP_OK);
        assert_int_equal(gfp_bipoly_from_string(&s.b, text, size - 1, format, NULL), GFP_OK);
        expect_same_bipoly(&s.b, &s.a, "text of a string", i, 0);
        assert_int_equal(gfp_bipoly_fwrite(&s.a, stream, format), GFP_OK);
        rewind(stream);
        assert_int_equal(gfp_bipoly_fread(&s.c, stream, format, NULL), GFP_OK);
        expect_same_bipoly(&s.c, &s.a, "text of a stream", i, 0);
        if (format == GFP_FORMAT_FLINT && i < 20) {
            gfp_field *made = NULL;
            gfp_bipoly z;
            rewind(stream);
            assert_int_equal(gfp_bipoly_fread_field(&z, &made, stream, NULL, NULL), GFP_OK);
            /* The field may be written as another power. */
            gfp_string_free(field, text, size);
            assert_int_equal(gfp_bipoly_to_string(&z, &text, &size, format), GFP_OK);
            assert_int_equal(gfp_bipoly_from_string(&s.b, text, size - 1, format, NULL), GFP_OK);
            expect_same_bipoly(&s.b, &s.a, "text with its field", i, 0);
            gfp_bipoly_clear(&z);
            gfp_field_destroy(made);
        }
        fclose(stream);
        gfp_string_free(field, text, size);
        clear_bivariate(&s);
    }
}

typedef struct bad {
    const char *text;
    gfp_format format;
    gfp_status status;
    uint64_t line, column, index;
    const char *message;
} bad;

static const bad bad_texts[] = {
    {"", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 1, 1, GFP_NO_INDEX, "the text is empty"},
    {" \n\n", GFP_FORMAT_NTL, GFP_ERR_PARSE, 3, 1, GFP_NO_INDEX, "the text is empty"},
    {"1 17 5\n2 17 1\n1 17 1\n", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 2, 7, 1,
     "Y^1: the line ends after 1 of 2 coefficients"},
    {"3 17 16 0 1\n\n1 17 1\n", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 2, 1, GFP_NO_INDEX,
     "Y^1: the line is blank"},
    {"[1]\n[2]\n \n[3]", GFP_FORMAT_NTL, GFP_ERR_PARSE, 3, 1, GFP_NO_INDEX,
     "Y^2: the line is blank"},
    {"1 17 5\n1 17 1 2\n", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 2, 8, 1,
     "Y^1: another number after the last coefficient; the length is 1"},
    {"1 17 5\n1 17 17\n", GFP_FORMAT_FLINT, GFP_ERR_RANGE, 2, 6, 0,
     "Y^1: coefficient is not below the modulus"},
    {"1 17 5\n1 19 1\n", GFP_FORMAT_FLINT, GFP_ERR_FIELD_MISMATCH, 2, 3, GFP_NO_INDEX,
     "Y^1: the modulus is not that of the field"},
    {"1 17 5\n1\n17 1\n", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 2, 2, GFP_NO_INDEX,
     "Y^1: the line ends before the modulus"},
    {"1 17 5\n1 17 -1\n", GFP_FORMAT_FLINT, GFP_ERR_PARSE, 2, 6, 0, "Y^1: sign '-'"},
    {"[1 2]\n[3\n4]\n", GFP_FORMAT_NTL, GFP_ERR_PARSE, 2, 3, 1,
     "Y^1: the line ends after 1 coefficients, before ']'"},
    {"[1 2] [3]\n", GFP_FORMAT_NTL, GFP_ERR_PARSE, 1, 7, GFP_NO_INDEX,
     "Y^0: character '[' where the end of the line should be"},
    {"0 17", GFP_FORMAT_BINARY, GFP_ERR_ARGUMENT, 0, 0, GFP_NO_INDEX, "no such format"},
};

static void bad_texts_are_refused_with_their_place(void **state)
{
    (void)state;
    gfp_field *field = lab_create("2^4+1");
    bivariate s;
    make_bivariate(&s, field, 1);
    fill(&s, &s.a, 2, 2, false);
    assert_int_equal(gfp_bipoly_copy(&s.b, &s.a), GFP_OK);
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
        const bad *t = &bad_texts[i];
        gfp_error error = {.message = ""}, other = {.message = ""};
        FILE *stream = tmpfile();
        assert_non_null(stream);
        lab_expect_status(gfp_bipoly_from_string(&s.a, t->text, strlen(t->text), t->format, &error),
                          t->status, &error, t->text);
        if (strncmp(error.message, t->message, strlen(t->message)) != 0 || error.line != t->line ||
            error.column != t->column || error.index != t->index) {
            fail_msg("%s: line %d, column %d: %s", t->text, (int)error.line, (int)error.column,
                     error.message);
        }
        assert_int_equal(fwrite(t->text, 1, strlen(t->text), stream), strlen(t->text));
        rewind(stream);
        assert_int_equal(gfp_bipoly_fread(&s.a, stream, t->format, &other), t->status);
        assert_string_equal(other.message, error.message);
        fclose(stream);
        expect_same_bipoly(&s.a, &s.b, "after an error", i, 0);
    }
    clear_bivariate(&s);
    gfp_field_destroy(field);
}

static void bad_texts_create_no_field(void **state)
{
    (void)state;
    static const char *const texts_of_fields[] = {"", "1 18 1", "1 17 1\n1 5 1", "2 17 1\n"};
    for (size_t i = 0; i < 4; i++) {
        gfp_field *field = NULL;
        gfp_bipoly a = {.field = NULL};
        gfp_error error = {.message = ""};
        FILE *stream = tmpfile();
        assert_non_null(stream);
        assert_int_equal(fwrite(texts_of_fields[i], 1, strlen(texts_of_fields[i]), stream),
                         strlen(texts_of_fields[i]));
        rewind(stream);
        assert_int_not_equal(gfp_bipoly_fread_field(&a, &field, stream, NULL, &error), GFP_OK);
        assert_true(field == NULL && a.field == NULL && error.message[0] != '\0');
        fclose(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage),
        cmocka_unit_test(fields_must_agree),
        cmocka_unit_test(variables_are_exchanged),
        cmocka_unit_test(sums_have_sums_of_values),
        cmocka_unit_test(products_are_those_of_the_definition),
        cmocka_unit_test(divisors_and_others),
        cmocka_unit_test(values_at_progressions),
        cmocka_unit_test(texts),
        cmocka_unit_test(texts_and_back),
        cmocka_unit_test(bad_texts_are_refused_with_their_place),
        cmocka_unit_test(bad_texts_create_no_field),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
