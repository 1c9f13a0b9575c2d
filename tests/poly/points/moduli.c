/* moduli.c: remainders by many moduli and Chinese remainders: results are those of divisions
 * by the definition and of FLINT.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"

#include <stdlib.h>
#include <string.h>

#include "lab/meter.h"
#include "lab/rows.h"
#include "product/methods/engine.h"
#include "lab/sanitized.h"
#if GFP_HAVE_FLINT
#include "gfpoly/flint.h"
#endif

/* ---- moduli ---- */

#define MOST 40

/* Pairwise coprime moduli, f of as many terms as the sum n of their degrees, its remainders by the
 * definition, and results. */
typedef struct set {
    const gfp_field *field;
    size_t count, n;
    gfp_poly m[MOST], r[MOST], found[MOST], f, z;
} set;

static const gfp_options by_definition = {.method = "classical"};

/* m := (X - i)^e times 3. */
static void power_of_linear(gfp_poly *m, uint64_t i, size_t e)
{
    uint64_t x[GFP_MAX_K];
    gfp_poly linear;
    gfp_poly_init(&linear, m->field);
    gfp_elem_set_u64(m->field, x, i);
    gfp_elem_neg(m->field, x, x);
    assert_int_equal(gfp_poly_set_coeff_u64(&linear, 1, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff(&linear, 0, x), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(m, 0, 3), GFP_OK);
    for (size_t j = 0; j < e; j++) {
        assert_int_equal(gfp_poly_mul(m, m, &linear, &by_definition), GFP_OK);
    }
    gfp_poly_clear(&linear);
}

static void make_set(set *s, const gfp_field *field, const size_t *degree, size_t count,
                     uint64_t seed)
{
    const bool tiny = gfp_field_bits(field) <= 40;
    gfp_random g;
    gfp_random_seed(&g, seed);
    *s = (set){.field = field, .count = count};
    gfp_poly_init(&s->f, field);
    gfp_poly_init(&s->z, field);
    for (size_t i = 0; i < count; i++) {
        gfp_poly_init(&s->m[i], field);
        gfp_poly_init(&s->r[i], field);
        gfp_poly_init(&s->found[i], field);
        if (tiny) {
            power_of_linear(&s->m[i], i, degree[i]);
        } else {
            random_poly(&s->m[i], degree[i] + 1, &g);
        }
        s->n += degree[i];
    }
    random_poly(&s->f, s->n, &g);
}

static void clear_set(set *s)
{
    for (size_t i = 0; i < s->count; i++) {
        gfp_poly_clear(&s->m[i]);
        gfp_poly_clear(&s->r[i]);
        gfp_poly_clear(&s->found[i]);
    }
    gfp_poly_clear(&s->f);
    gfp_poly_clear(&s->z);
}

/* s->r := the remainders of f. */
static void slow_remainders(set *s, const gfp_poly *f)
{
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(gfp_poly_rem(&s->r[i], f, &s->m[i], &by_definition), GFP_OK);
    }
}

static void expect_remainders(const set *s, const gfp_poly *found, const char *what)
{
    for (size_t i = 0; i < s->count; i++) {
        expect_same(&found[i], &s->r[i], what, s->n, i);
    }
}

/* Degrees: equal, of points, uneven in any order, one modulus, around the thresholds. */
static const struct {
    size_t count, degree[MOST];
} shapes[] = {
    {1, {1}},
    {1, {70}},
    {2, {1, 1}},
    {3, {9, 8, 10}},
    {5, {16, 17, 15, 33, 32}},
    {6, {1, 1, 1, 90, 1, 2}},
    {7, {64, 32, 16, 8, 4, 2, 1}},
    {4, {40, 40, 40, 40}},
    {12, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {40, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5,
          1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5}},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static const gfp_verify kinds_of_checks[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* Whether the field has coprime moduli of this shape, and divisions by the definition are short. */
static bool moduli_suits(const lab *l, size_t shape)
{
    const size_t count = shapes[shape].count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n += shapes[shape].degree[i];
    }
    return (gfp_field_bits(l->field) > 40 || gfp_field_modulus_limbs(l->field)[0] >= count + 1) &&
           n <= (SANITIZED    ? 40
                 : l->k <= 8  ? 200
                 : l->k <= 32 ? 30
                              : 15);
}

/* ---- right results ---- */

static void check_shape(const lab *l, size_t shape, const gfp_options *options)
{
    set s;
    gfp_random g;
    gfp_random_seed(&g, shape);
    make_set(&s, l->field, shapes[shape].degree, shapes[shape].count, shape);
    /* f of several lengths, 0 included, and back; longer ones give the remainder by the product. */
    const size_t lengths[] = {0, 1, s.n / 2, s.n, s.n + 1, 2 * s.n + 5};
    gfp_poly product, rest;
    gfp_poly_init(&product, s.field);
    gfp_poly_init(&rest, s.field);
    assert_int_equal(gfp_poly_one(&product), GFP_OK);
    for (size_t i = 0; i < s.count; i++) {
        assert_int_equal(gfp_poly_mul(&product, &product, &s.m[i], NULL), GFP_OK);
    }
    assert_int_equal(product.len, s.n + 1);
    for (size_t j = 0; LAB_ROW(lengths, j); j++) {
        random_poly(&s.f, lengths[j], &g);
        slow_remainders(&s, &s.f);
        assert_int_equal(gfp_poly_rem(&rest, &s.f, &product, &by_definition), GFP_OK);
        assert_int_equal(gfp_poly_multi_rem(s.found, &s.f, s.m, s.count, options), GFP_OK);
        expect_remainders(&s, s.found, "remainders");
        assert_int_equal(gfp_poly_multi_crt(&s.z, s.r, s.m, s.count, options), GFP_OK);
        expect_same(&s.z, &rest, "Chinese remainders", s.n, lengths[j]);
    }
    gfp_poly_clear(&product);
    gfp_poly_clear(&rest);
    clear_set(&s);
}

static void results_are_those_of_divisions(void **state)
{
    size_t round = 0;
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        for (size_t j = i % 3; j < SHAPES; j += i < 2 ? 1 : 3) {
            if (moduli_suits(&lab_fields[i], j)) {
                const gfp_options options = {.verify = kinds_of_checks[round % 3],
                                             .method = round % 7 == 6 ? "classical" : NULL,
                                             .threads = 1 + (unsigned)(round / 3 % 2)};
                check_shape(&lab_fields[i], j, &options);
                round++;
            }
        }
    }
    assert_true(round > 10);
}

/* With moduli X - x_i remainders are values, and the theorem is interpolation. */
static void linear_moduli_are_points(void **state)
{
    size_t degree[MOST];
    const gfp_field *field = lab_named("p8")->field;
    const size_t k = gfp_field_k(field);
    uint64_t *x = lab_array(MOST * k), *y = lab_array(MOST * k);
    set s;
    gfp_poly g;
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        degree[i] = 1;
    }
    make_set(&s, field, degree, MOST, 5);
    gfp_poly_init(&g, field);
    for (size_t i = 0; i < MOST; i++) {
        gfp_elem_neg(field, x + i * k, s.m[i].digits);
        assert_int_equal(gfp_poly_set_coeff_u64(&s.m[i], 1, 1), GFP_OK);
    }
    assert_int_equal(gfp_poly_eval_vec(y, &s.f, x, MOST, NULL), GFP_OK);
    assert_int_equal(gfp_poly_multi_rem(s.r, &s.f, s.m, MOST, NULL), GFP_OK);
    for (size_t i = 0; i < MOST; i++) {
        assert_true(s.r[i].len == 1 && gfp_elem_equal(field, s.r[i].digits, y + i * k));
    }
    assert_int_equal(gfp_poly_multi_crt(&s.z, s.r, s.m, MOST, NULL), GFP_OK);
    assert_int_equal(gfp_poly_interpolate(&g, x, y, MOST, NULL), GFP_OK);
    expect_same(&s.z, &g, "interpolation", MOST, 0);
    gfp_poly_clear(&g);
    lab_free(x);
    lab_free(y);
    clear_set(&s);
}

/* Remainders that are longer than their moduli, zeros, outputs that are inputs. */
static void long_remainders_and_outputs_over_inputs(void **state)
{
    const gfp_field *field = lab_named("p4")->field;
    set s;
    gfp_poly copy[7], f;
    (void)state;
    make_set(&s, field, shapes[6].degree, 7, 3);
    slow_remainders(&s, &s.f);
    gfp_poly_init(&f, field);
    assert_int_equal(gfp_poly_set(&f, &s.f), GFP_OK);
    for (size_t i = 0; i < 7; i++) { /* r + f m */
        gfp_poly_init(&copy[i], field);
        assert_int_equal(gfp_poly_mul(&copy[i], &f, &s.m[i], NULL), GFP_OK);
        assert_int_equal(gfp_poly_add(&copy[i], &copy[i], &s.r[i]), GFP_OK);
    }
    assert_int_equal(gfp_poly_multi_crt(&copy[3], copy, s.m, 7, NULL), GFP_OK);
    expect_same(&copy[3], &f, "long remainders", s.n, 0);
    /* The remainders of copy[3] take its place, and that of the moduli. */
    assert_int_equal(gfp_poly_multi_rem(copy, &copy[3], s.m, 7, NULL), GFP_OK);
    expect_remainders(&s, copy, "remainders over f");
    assert_int_equal(gfp_poly_multi_crt(&s.z, copy, s.m, 7, NULL), GFP_OK);
    assert_int_equal(gfp_poly_multi_rem(s.m, &s.z, s.m, 7, NULL), GFP_OK);
    expect_remainders(&s, s.m, "remainders over moduli");
    for (size_t i = 0; i < 7; i++) {
        gfp_poly_clear(&copy[i]);
    }
    gfp_poly_clear(&f);
    clear_set(&s);
}

/* ---- errors ---- */

static void expect_crt(set *s, gfp_status status, size_t index, const char *text)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    gfp_poly_zero(&s->z);
    lab_expect_status(gfp_poly_multi_crt(&s->z, s->r, s->m, s->count, &options), status, &error,
                      text);
    assert_non_null(strstr(error.message, text));
    assert_int_equal(error.index, index);
    assert_true(gfp_poly_is_zero(&s->z));
}

static void errors_name_the_moduli(void **state)
{
    static const size_t degree[] = {20, 1, 3, 40, 1, 2};
    set s;
    gfp_poly other;
    (void)state;
    make_set(&s, lab_named("p8")->field, degree, 6, 1);
    slow_remainders(&s, &s.f);
    gfp_poly_init(&other, s.field);
    /* A common factor: the other moduli are still good for remainders. */
    assert_int_equal(gfp_poly_mul(&s.m[5], &s.m[1], &s.m[4], NULL), GFP_OK);
    expect_crt(&s, GFP_ERR_NOT_INVERTIBLE, 5, "moduli 1 and 5 have a common factor");
    assert_int_equal(gfp_poly_set(&s.m[5], &s.m[3]), GFP_OK);
    expect_crt(&s, GFP_ERR_NOT_INVERTIBLE, 5, "moduli 3 and 5 have a common factor");
    slow_remainders(&s, &s.f);
    const gfp_options points = {.verify = GFP_VERIFY_POINT};
    assert_int_equal(gfp_poly_multi_rem(s.found, &s.f, s.m, 6, &points), GFP_OK);
    expect_remainders(&s, s.found, "remainders by moduli with a common factor");
    /* Constants, 0, other fields, nothing. */
    assert_int_equal(gfp_poly_one(&s.m[2]), GFP_OK);
    expect_crt(&s, GFP_ERR_ARGUMENT, 2, "modulus 2");
    gfp_poly_zero(&s.m[2]);
    expect_crt(&s, GFP_ERR_NOT_INVERTIBLE, 2, "modulus 2");
    gfp_poly_clear(&s.m[2]);
    gfp_poly_init(&s.m[2], lab_named("p4")->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&s.m[2], 1, 1), GFP_OK);
    expect_crt(&s, GFP_ERR_FIELD_MISMATCH, 2, "polynomial 2");
    assert_int_equal(gfp_poly_multi_rem(s.found, &s.f, NULL, 2, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_multi_crt(NULL, s.r, s.m, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_multi_crt(&s.z, NULL, s.m, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_multi_rem(NULL, &s.f, s.m, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_multi_rem(s.found, NULL, s.m, 1, NULL), GFP_ERR_ARGUMENT);
    /* No moduli: f = 0. */
    assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
    assert_int_equal(gfp_poly_multi_crt(&s.z, NULL, NULL, 0, NULL), GFP_OK);
    assert_true(gfp_poly_is_zero(&s.z));
    assert_int_equal(gfp_poly_multi_rem(NULL, &s.f, NULL, 0, NULL), GFP_OK);
    gfp_poly_clear(&other);
    clear_set(&s);
}

/* ---- FLINT ---- */

#if GFP_HAVE_FLINT
/* The result has the remainders that FLINT's division finds. */
static void as_flint_divides(void **state)
{
    static const char *const names[] = {"p2", "p8", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        fmpz_t p;
        fmpz_mod_ctx_t ctx;
        fmpz_mod_poly_t f, m, q, r;
        set s;
        gfp_random g;
        gfp_random_seed(&g, i);
        make_set(&s, l->field, shapes[4].degree, 5, i);
        for (size_t j = 0; j < 5; j++) {
            random_poly(&s.r[j], s.m[j].len - 1, &g);
        }
        fmpz_init(p);
        fmpz_set_mpz(p, l->o.p);
        fmpz_mod_ctx_init(ctx, p);
        fmpz_mod_poly_init(f, ctx);
        fmpz_mod_poly_init(m, ctx);
        fmpz_mod_poly_init(q, ctx);
        fmpz_mod_poly_init(r, ctx);
        assert_int_equal(gfp_poly_multi_crt(&s.z, s.r, s.m, 5, NULL), GFP_OK);
        assert_int_equal(gfp_poly_multi_rem(s.found, &s.z, s.m, 5, NULL), GFP_OK);
        expect_remainders(&s, s.found, "there and back");
        assert_int_equal(gfp_poly_get_fmpz_mod_poly(f, &s.z, ctx), GFP_OK);
        for (size_t j = 0; j < 5; j++) {
            assert_int_equal(gfp_poly_get_fmpz_mod_poly(m, &s.m[j], ctx), GFP_OK);
            fmpz_mod_poly_divrem(q, r, f, m, ctx);
            assert_int_equal(gfp_poly_set_fmpz_mod_poly(&s.found[j], r, ctx), GFP_OK);
        }
        expect_remainders(&s, s.found, "FLINT's remainders");
        fmpz_mod_poly_clear(f, ctx);
        fmpz_mod_poly_clear(m, ctx);
        fmpz_mod_poly_clear(q, ctx);
        fmpz_mod_poly_clear(r, ctx);
        fmpz_mod_ctx_clear(ctx);
        fmpz_clear(p);
        clear_set(&s);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_divisions),
        cmocka_unit_test(linear_moduli_are_points),
        cmocka_unit_test(long_remainders_and_outputs_over_inputs),
        cmocka_unit_test(errors_name_the_moduli),
#if GFP_HAVE_FLINT
        cmocka_unit_test(as_flint_divides),
#endif
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
