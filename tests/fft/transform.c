/* transform.c: transforms against the definition, in every test field and for every order, form and
 * placement; their algebra at larger lengths; convolutions; refusals of plans.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"
#include "lab/convolve.h"

#include <stdlib.h>
#include <string.h>

#include "lab/rows.h"
#include "gfpoly/fft.h"
#include "lab/sanitized.h"
#include "fft/task.h"

/* A plan and what the checks of one (field, N) share. */
typedef struct rig {
    const lab *l;
    gfp_fft_plan *plan;
    size_t n;
    unsigned m; /* n = 2^m */
    mpz_t root;
} rig;

static void rig_open(rig *g, const lab *l, unsigned m)
{
    gfp_error error = {0};
    uint64_t *root = lab_array(l->k);
    g->l = l;
    g->m = m;
    g->n = (size_t)1 << m;
    g->plan = NULL;
    lab_expect_status(gfp_fft_plan_create(&g->plan, l->field, g->n, &error), GFP_OK, NULL,
                      l->entry->text);
    assert_int_equal(gfp_fft_plan_length(g->plan), g->n);
    assert_ptr_equal(gfp_fft_plan_field(g->plan), l->field);
    assert_true(gfp_fft_plan_bytes(g->plan) != 0);
    mpz_init(g->root);
    assert_int_equal(gfp_field_root(l->field, root, m), GFP_OK);
    oracle_get(&l->o, g->root, root);
    lab_free(root);
}

static void rig_close(rig *g)
{
    gfp_fft_plan_destroy(g->plan);
    mpz_clear(g->root);
}

/* Runs check on every field for N = 1, 2, 4, ... while N divides p - 1, N <= most and N k is at
 * most `digits`. */
static void for_each_length(size_t most, size_t digits, void (*check)(rig *g))
{
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        for (unsigned m = 0; m <= gfp_field_v2_order(l->field); m++) {
            rig g;
            if (((size_t)1 << m) > most || ((size_t)1 << m) * l->k > digits) {
                break;
            }
            rig_open(&g, l, m);
            check(&g);
            rig_close(&g);
        }
    }
}

static size_t transform_reversed(size_t i, unsigned m)
{
    size_t j = 0;
    for (unsigned b = 0; b < m; b++) {
        j = 2 * j + ((i >> b) & 1);
    }
    return j;
}

static void expect_equal(const rig *g, const uint64_t *x, const uint64_t *y, const char *what)
{
    lab_expect_digits(g->l, x, y, g->n, what, g->n, 0);
}

/* ---- every way to transform gives the same ---- */

static void expect_forward(const rig *g, const uint64_t *x, const uint64_t *natural)
{
    size_t k = g->l->k;
    uint64_t *permuted = lab_array(g->n * k), *z = lab_array(g->n * k);
    for (size_t i = 0; i < g->n; i++) {
        memcpy(permuted + transform_reversed(i, g->m) * k, natural + i * k, k * sizeof *z);
    }
    for (int order = GFP_ORDER_NATURAL; order <= GFP_ORDER_PERMUTED; order++) {
        const uint64_t *expected = order == GFP_ORDER_NATURAL ? natural : permuted;
        assert_int_equal(gfp_fft_run(z, x, GFP_FORWARD, (gfp_order)order, g->plan, NULL), GFP_OK);
        expect_equal(g, z, expected, "forward");
        gfp_vec_set(g->l->field, z, x, g->n);
        assert_int_equal(gfp_fft_run(z, z, GFP_FORWARD, (gfp_order)order, g->plan, NULL), GFP_OK);
        expect_equal(g, z, expected, "forward in place");
        assert_int_equal(gfp_fft_run(z, expected, GFP_INVERSE, (gfp_order)order, g->plan, NULL),
                         GFP_OK);
        expect_equal(g, z, x, "inverse");
        gfp_vec_set(g->l->field, z, expected, g->n);
        assert_int_equal(gfp_fft_run(z, z, GFP_INVERSE, (gfp_order)order, g->plan, NULL), GFP_OK);
        expect_equal(g, z, x, "inverse in place");
    }
    lab_free(permuted);
    lab_free(z);
}

static bool is_power_of(size_t n, size_t base)
{
    while (n > 1 && n % base == 0) {
        n /= base;
    }
    return n == 1;
}

static gfp_status six_step(gfp_direction direction, const rig *g, uint64_t *y, const uint64_t *x)
{
    const gfp_options options = {.method = "six-step"};
    return gfp_fft_run(y, x, direction, GFP_ORDER_NATURAL, g->plan, &options);
}

static void expect_six_step(const rig *g, const uint64_t *x, const uint64_t *natural)
{
    size_t k = g->l->k;
    bool applies = g->n > 1 && is_power_of(g->n, 2 * k);
    gfp_status status = applies ? GFP_OK : GFP_ERR_NO_ROOT;
    uint64_t *z = lab_vector(g->l, g->n, 3), *before = lab_vector(g->l, g->n, 3);
    assert_int_equal(six_step(GFP_FORWARD, g, z, x), status);
    expect_equal(g, z, applies ? natural : before, "six-step");
    assert_int_equal(six_step(GFP_INVERSE, g, z, natural), status);
    expect_equal(g, z, applies ? x : before, "inverse six-step");
    if (applies) {
        gfp_vec_set(g->l->field, z, x, g->n);
        assert_int_equal(six_step(GFP_FORWARD, g, z, z), status);
        expect_equal(g, z, natural, "six-step in place");
        assert_int_equal(six_step(GFP_INVERSE, g, z, z), status);
        expect_equal(g, z, x, "inverse six-step in place");
    }
    lab_free(z);
    lab_free(before);
}

/* Everything about one input whose transform is known. */
static void expect_transform(const rig *g, const uint64_t *x, const uint64_t *natural)
{
    expect_forward(g, x, natural);
    expect_six_step(g, x, natural);
}

static void against_definition(const rig *g, const uint64_t *x)
{
    mpz_t *in = oracle_vec_new(g->n), *out = oracle_vec_new(g->n);
    uint64_t *natural = lab_array(g->n * g->l->k);
    oracle_vec_get(&g->l->o, in, x, g->n);
    oracle_dft(&g->l->o, out, in, g->n, g->root);
    oracle_vec_set(&g->l->o, natural, out, g->n);
    expect_transform(g, x, natural);
    oracle_vec_free(in, g->n);
    oracle_vec_free(out, g->n);
    lab_free(natural);
}

static uint64_t *random_vector(const rig *g, uint64_t seed)
{
    uint64_t *x = lab_array(g->n * g->l->k);
    for (size_t i = 0; i < g->n; i++) {
        oracle_random_element(&g->l->o, x + i * g->l->k, &seed);
    }
    return x;
}

/* n times the same element. */
static uint64_t *constant_vector(const rig *g, const uint64_t *element)
{
    size_t k = g->l->k;
    uint64_t *x = lab_array(g->n * k);
    for (size_t i = 0; i < g->n; i++) {
        memcpy(x + i * k, element, k * sizeof *x);
    }
    return x;
}

static void check_inputs_by_definition(rig *g)
{
    uint64_t *x = lab_vector(g->l, g->n, 0);
    against_definition(g, x);
    lab_free(x);
    x = lab_vector(g->l, g->n, g->l->count / 2);
    against_definition(g, x);
    lab_free(x);
    x = random_vector(g, 1);
    against_definition(g, x);
    lab_free(x);
}

static void transforms_agree_with_the_definition(void **state)
{
    (void)state;
    for_each_length(64, 1024, check_inputs_by_definition);
}

static void check_random_by_definition(rig *g)
{
    uint64_t *x = random_vector(g, 2);
    against_definition(g, x);
    lab_free(x);
}

static void base_cases_agree_with_the_definition(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        unsigned m = 0;
        rig g;
        if (SANITIZED && l->k > 64) {
            continue; /* minutes of GMP's products */
        }
        while ((1u << m) < 2 * l->k) {
            m++;
        }
        rig_open(&g, l, m); /* N = K */
        check_random_by_definition(&g);
        rig_close(&g);
    }
}

/* Constant vectors: y_0 = n x, the rest 0. */
static void check_constant(const rig *g, const uint64_t *element)
{
    uint64_t *x = constant_vector(g, element), *natural = lab_array(g->n * g->l->k);
    mpz_t sum;
    mpz_init(sum);
    oracle_get(&g->l->o, sum, element);
    mpz_mul_2exp(sum, sum, g->m);
    gfp_vec_zero(g->l->field, natural, g->n);
    oracle_set(&g->l->o, natural, sum);
    expect_transform(g, x, natural);
    mpz_clear(sum);
    lab_free(x);
    lab_free(natural);
}

static void check_extremes(rig *g)
{
    for (size_t i = 0; i < g->l->extremes; i++) {
        check_constant(g, lab_sample(g->l, i));
    }
}

static void constant_extreme_vectors_transform_to_one_value(void **state)
{
    (void)state;
    for_each_length(512, 2048, check_extremes);
}

/* x_j = w^(j s): y_i = sum w^(j (i + s)) = n at i = -s, else 0. All digits of the input vary. */
static void check_harmonic(rig *g)
{
    size_t k = g->l->k, s = g->n / 2 + g->n / 4;
    uint64_t *x = lab_array(g->n * k), *natural = lab_array(g->n * k);
    mpz_t z, step;
    mpz_init_set_ui(z, 1);
    mpz_init(step);
    mpz_powm_ui(step, g->root, s + 1, g->l->o.p);
    for (size_t j = 0; j < g->n; j++) {
        oracle_set(&g->l->o, x + j * k, z);
        oracle_mul(&g->l->o, z, z, step);
    }
    gfp_vec_zero(g->l->field, natural, g->n);
    mpz_set_ui(z, (unsigned long)g->n);
    oracle_set(&g->l->o, natural + (2 * g->n - (s + 1)) % g->n * k, z);
    expect_transform(g, x, natural);
    mpz_clears(z, step, NULL);
    lab_free(x);
    lab_free(natural);
}

static void harmonics_transform_to_one_place(void **state)
{
    (void)state;
    for_each_length(4096, 8192, check_harmonic);
}

/* The impulse of height e at place j: y_i = e w^(i j). */
static void check_impulse(rig *g)
{
    size_t k = g->l->k, j = g->n - 1;
    uint64_t *x = lab_array(g->n * k), *natural = lab_array(g->n * k);
    mpz_t z, step;
    mpz_inits(z, step, NULL);
    gfp_vec_zero(g->l->field, x, g->n);
    memcpy(x + j * k, lab_sample(g->l, g->l->count - 1), k * sizeof *x);
    mpz_powm_ui(step, g->root, j, g->l->o.p);
    oracle_get(&g->l->o, z, x + j * k);
    for (size_t i = 0; i < g->n; i++) {
        oracle_set(&g->l->o, natural + i * k, z);
        oracle_mul(&g->l->o, z, z, step);
    }
    expect_transform(g, x, natural);
    mpz_clears(z, step, NULL);
    lab_free(x);
    lab_free(natural);
}

static void impulses_transform_to_powers(void **state)
{
    (void)state;
    for_each_length(4096, 8192, check_impulse);
}

/* ---- lengths too large for the whole definition: some outputs, and every form alike ---- */

static void check_samples(rig *g, size_t samples)
{
    mpz_t *in = oracle_vec_new(g->n), y;
    uint64_t *x = random_vector(g, 3), *natural = lab_array(g->n * g->l->k);
    uint64_t seed = 4;
    mpz_init(y);
    oracle_vec_get(&g->l->o, in, x, g->n);
    assert_int_equal(gfp_fft_run(natural, x, GFP_FORWARD, GFP_ORDER_NATURAL, g->plan, NULL),
                     GFP_OK);
    for (size_t i = 0; i < samples; i++) {
        size_t place = i == 0 ? g->n - 1 : (size_t)oracle_random(&seed) % g->n;
        oracle_dft_at(&g->l->o, y, in, g->n, g->root, place);
        lab_expect(g->l, natural + place * g->l->k, y, "forward", g->n, place);
    }
    expect_transform(g, x, natural);
    oracle_vec_free(in, g->n);
    mpz_clear(y);
    lab_free(x);
    lab_free(natural);
}

static void check_some_samples(rig *g)
{
    if (g->n > 64) {
        check_samples(g, 6);
    }
}

static void longer_transforms_agree_with_the_definition_in_places(void **state)
{
    (void)state;
    for_each_length(8192, 32768, check_some_samples);
}

/* N = K^2, K^3, ... where that is not too long (K^2 = 2^14 over p64); the awkward radices run the
 * slow kernels, so less of them. */
static void powers_of_k_agree_with_the_definition_in_places(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        size_t base = 2 * (size_t)l->k, n = base;
        size_t digits = (size_t)1 << ((l->entry->named ? 20 : 17) - 3 * SANITIZED);
        while (n * base * l->k <= digits) {
            unsigned m = 0;
            rig g;
            n *= base;
            while ((size_t)1 << m < n) {
                m++;
            }
            if (m > gfp_field_v2_order(l->field)) {
                break;
            }
            rig_open(&g, l, m);
            assert_true(is_power_of(g.n, base));
            check_samples(&g, 2);
            rig_close(&g);
        }
    }
}

/* ---- algebra ---- */

static void check_linearity(rig *g)
{
    const gfp_field *field = g->l->field;
    const uint64_t *c = lab_sample(g->l, g->l->count - 2);
    uint64_t *x = lab_vector(g->l, g->n, 5), *y = random_vector(g, 6);
    uint64_t *fx = lab_array(g->n * g->l->k), *fy = lab_array(g->n * g->l->k);
    assert_int_equal(gfp_fft_run(fx, x, GFP_FORWARD, GFP_ORDER_PERMUTED, g->plan, NULL), GFP_OK);
    assert_int_equal(gfp_fft_run(fy, y, GFP_FORWARD, GFP_ORDER_PERMUTED, g->plan, NULL), GFP_OK);
    gfp_vec_scalar_mul(field, x, x, c, g->n);
    gfp_vec_sub(field, x, x, y, g->n);
    gfp_vec_scalar_mul(field, fx, fx, c, g->n);
    gfp_vec_sub(field, fx, fx, fy, g->n);
    assert_int_equal(gfp_fft_run(x, x, GFP_FORWARD, GFP_ORDER_PERMUTED, g->plan, NULL), GFP_OK);
    expect_equal(g, x, fx, "F(c x - y)");
    lab_free(x);
    lab_free(y);
    lab_free(fx);
    lab_free(fy);
}

static void transforms_are_linear(void **state)
{
    (void)state;
    for_each_length(4096, 16384, check_linearity);
}

/* x shifted cyclically by one place: y_i w^i. */
static void check_shift(rig *g)
{
    size_t k = g->l->k;
    uint64_t *x = random_vector(g, 8), *shifted = lab_array(g->n * k);
    uint64_t *fx = lab_array(g->n * k), *root = lab_array(k), *power = lab_array(k);
    memcpy(shifted + k, x, (g->n - 1) * k * sizeof *x);
    memcpy(shifted, x + (g->n - 1) * k, k * sizeof *x);
    oracle_set(&g->l->o, root, g->root);
    gfp_elem_one(g->l->field, power);
    assert_int_equal(gfp_fft_run(fx, x, GFP_FORWARD, GFP_ORDER_NATURAL, g->plan, NULL), GFP_OK);
    for (size_t i = 0; i < g->n; i++) {
        gfp_elem_mul(g->l->field, fx + i * k, fx + i * k, power);
        gfp_elem_mul(g->l->field, power, power, root);
    }
    assert_int_equal(gfp_fft_run(shifted, shifted, GFP_FORWARD, GFP_ORDER_NATURAL, g->plan, NULL),
                     GFP_OK);
    expect_equal(g, shifted, fx, "shift theorem");
    lab_free(x);
    lab_free(shifted);
    lab_free(fx);
    lab_free(root);
    lab_free(power);
}

static void shifts_become_powers(void **state)
{
    (void)state;
    for_each_length(4096, 16384, check_shift);
}

/* ---- convolutions ---- */

/* a b against the oracle, by transforms in either order, out of place and in place. */
static void check_product(const rig *g, const uint64_t *a, const uint64_t *b)
{
    const oracle *o = &g->l->o;
    mpz_t *za = oracle_vec_new(g->n), *zb = oracle_vec_new(g->n), *zc = oracle_vec_new(g->n);
    uint64_t *expected = lab_array(g->n * g->l->k), *c = lab_array(g->n * g->l->k);
    oracle_vec_get(o, za, a, g->n);
    oracle_vec_get(o, zb, b, g->n);
    oracle_convolve(o, zc, za, zb, g->n, 1);
    oracle_vec_set(o, expected, zc, g->n);
    for (int order = 0; order < 2; order++) {
        assert_int_equal(lab_convolve(c, a, b, g->n, (gfp_order)order, g->plan), GFP_OK);
        expect_equal(g, c, expected, "convolution");
        gfp_vec_set(g->l->field, c, b, g->n);
        assert_int_equal(lab_convolve(c, a, c, g->n, (gfp_order)order, g->plan), GFP_OK);
        expect_equal(g, c, expected, "convolution, c == b");
    }
    oracle_vec_free(za, g->n);
    oracle_vec_free(zb, g->n);
    oracle_vec_free(zc, g->n);
    lab_free(expected);
    lab_free(c);
}

static void check_convolutions(rig *g)
{
    uint64_t *a = lab_vector(g->l, g->n, 0), *b = random_vector(g, 12);
    uint64_t *full = constant_vector(g, lab_sample(g->l, 21)); /* r - 1 everywhere */
    uint64_t *special = constant_vector(g, lab_sample(g->l, g->l->extremes - 1));
    uint64_t *zero = constant_vector(g, lab_sample(g->l, 0));
    check_product(g, a, b);
    check_product(g, b, b);
    check_product(g, full, full);
    check_product(g, full, special);
    check_product(g, special, special);
    check_product(g, a, zero);
    lab_free(a);
    lab_free(b);
    lab_free(full);
    lab_free(special);
    lab_free(zero);
}

static void convolutions_agree_with_the_oracle(void **state)
{
    (void)state;
    for_each_length(256, 1024, check_convolutions);
}

/* ---- plans ---- */

static void release_small(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(block);
}

static void *allocate_small(void *user, size_t bytes)
{
    (void)user;
    return bytes > (size_t)1 << 26 ? NULL : malloc(bytes);
}

static void expect_no_plan(const gfp_field *field, size_t n, gfp_status status,
                           const char *mentions)
{
    gfp_fft_plan *const untouched = (gfp_fft_plan *)&lab_fields;
    gfp_fft_plan *plan = untouched;
    gfp_error error = {0};
    lab_expect_status(gfp_fft_plan_create(&plan, field, n, &error), status, &error, "plan");
    assert_int_equal(gfp_fft_plan_create(&plan, field, n, NULL), status);
    assert_ptr_equal(plan, untouched);
    if (strstr(error.message, mentions) == NULL) {
        fail_msg("N = %zu: \"%s\" does not mention \"%s\"", n, error.message, mentions);
    }
}

static void impossible_lengths_are_refused(void **state)
{
    const size_t bad[] = {5, 7, 10, 1023, 3 * 5, (size_t)11 << 20};
    (void)state;
    expect_no_plan(lab_fields[2].field, 0, GFP_ERR_ARGUMENT, "length 0");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) { /* p8: r = 2^34 3 59 3033169 */
        expect_no_plan(lab_fields[2].field, bad[i], GFP_ERR_NO_ROOT, "does not divide p - 1");
    }
    expect_no_plan(lab_fields[2].field, SIZE_MAX, GFP_ERR_SIZE, "too large");
    gfp_fft_plan_destroy(NULL);
}

static void lengths_beyond_the_order_are_refused_with_the_largest(void **state)
{
    gfp_field *f17 = lab_create("17"), *f30 = lab_create("30^32+1");
    (void)state;
    expect_no_plan(f17, 32, GFP_ERR_NO_ROOT, "2^4");
    expect_no_plan(f17, (size_t)1 << 62, GFP_ERR_NO_ROOT, "2^4");
    expect_no_plan(f17, (size_t)1 << 63, GFP_ERR_NO_ROOT, "2^4");
    expect_no_plan(f30, (size_t)1 << 33, GFP_ERR_NO_ROOT, "2^32");
    expect_no_plan(f30, (size_t)1 << 62, GFP_ERR_NO_ROOT, "2^32");
    gfp_field_destroy(f17);
    gfp_field_destroy(f30);
}

static void absurd_lengths_are_refused(void **state)
{
    static const char *const names[] = {"p2", "p8", "p128", "m4", "278^256+1"};
    const gfp_allocator small = {allocate_small, release_small, NULL};
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        gfp_field *field = NULL;
        assert_int_equal(gfp_field_create(&field, names[i], &small, NULL), GFP_OK);
        for (unsigned m = 40; m < 64; m++) {
            gfp_fft_plan *plan = NULL;
            gfp_error error = {0};
            gfp_status status = gfp_fft_plan_create(&plan, field, (size_t)1 << m, &error);
            assert_true(status == GFP_ERR_SIZE || status == GFP_ERR_MEMORY ||
                        status == GFP_ERR_NO_ROOT);
            assert_null(plan);
        }
        gfp_field_destroy(field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_agree_with_the_definition),
        cmocka_unit_test(base_cases_agree_with_the_definition),
        cmocka_unit_test(constant_extreme_vectors_transform_to_one_value),
        cmocka_unit_test(harmonics_transform_to_one_place),
        cmocka_unit_test(impulses_transform_to_powers),
        cmocka_unit_test(longer_transforms_agree_with_the_definition_in_places),
        cmocka_unit_test(powers_of_k_agree_with_the_definition_in_places),
        cmocka_unit_test(transforms_are_linear),
        cmocka_unit_test(shifts_become_powers),
        cmocka_unit_test(convolutions_agree_with_the_oracle),
        cmocka_unit_test(impossible_lengths_are_refused),
        cmocka_unit_test(lengths_beyond_the_order_are_refused_with_the_largest),
        cmocka_unit_test(absurd_lengths_are_refused),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
