/* counts.c: compares the operation counts of papers/complexity/counts.c with counted operations.
 * The portable engines of hybrid and crt are compiled into this program with counted word products
 * (tests/lab/counted_words.h), in place of the library's; a field's kernels are wrapped; counted
 * butterflies compute the outer DFT, with the engine's results.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/counted_words.h"
#include "papers/complexity/counts.h"
#include "crt/hybrid/shape.h"
#include "crt/small/native.h"
#include "fft/outer/impl.h"

#undef gfp_shoup_mul
#undef gfp_mul_wide
#undef gfp_mont_reduce
#undef gfp_mod_mul

counted_words word_products;

/* ---- kernels that count ---- */

static const gfp_kernels *kernels; /* the real kernels */
static struct {
    double products, butterflies, turned;
} elements;

static void count_butterflies(const gfp_field *field, unsigned s, size_t n)
{
    elements.butterflies += (double)n;
    elements.turned += s == 0 ? 0 : (double)n * field->k;
}

static void counts_butterfly(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s, size_t n)
{
    count_butterflies(field, s, n);
    kernels->butterfly(field, x, y, s, n);
}

static void butterfly_inverse(const gfp_field *field, uint64_t *x, uint64_t *y, unsigned s,
                              size_t n)
{
    count_butterflies(field, s, n);
    kernels->butterfly_inverse(field, x, y, s, n);
}

static void mul_one(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    elements.products++;
    kernels->mul_one(field, z, x, y);
}

static void counts_mul(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t x_step,
                       const uint64_t *y, size_t y_step, unsigned s, size_t n)
{
    elements.products += (double)n;
    kernels->mul(field, z, x, x_step, y, y_step, s, n);
}

static void mul_indexed(const gfp_field *field, uint64_t *z, const uint64_t *x,
                        const uint64_t *table, const gfp_twiddle *factors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        elements.products += factors[i].index == 0 ? 0 : 1;
    }
    kernels->mul_indexed(field, z, x, table, factors, n);
}

/* A field at the portable level whose kernels count. */
static gfp_field *open_counted(const char *name)
{
    static gfp_kernels counting;
    gfp_field *field;

    assert_true(gfp_cpu_level_force(GFP_LEVEL_PORTABLE));
    assert_int_equal(gfp_field_create(&field, name, NULL, NULL), GFP_OK);
    kernels = field->kernels;
    counting = *kernels;
    counting.butterfly = counts_butterfly;
    counting.butterfly_inverse = butterfly_inverse;
    counting.mul_one = mul_one;
    counting.mul = counts_mul;
    counting.mul_indexed = mul_indexed;
    field->kernels = &counting;
    return field;
}

/* Counts are integers. */
static void expect_count(double counted, double happened)
{
    assert_int_equal((uint64_t)counted, (uint64_t)happened);
}

static void counts_forget(void)
{
    memset(&word_products, 0, sizeof word_products);
    memset(&elements, 0, sizeof elements);
}

/* The second product of two random polynomials of n coefficients: the first made the tables. */
static void multiply_counted(const gfp_field *field, const char *method, size_t n)
{
    const gfp_options options = {.method = method, .threads = 1};
    gfp_poly a, b, c, expected;
    gfp_random g;

    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    gfp_poly_init(&expected, field);
    gfp_random_seed(&g, n);
    assert_int_equal(gfp_poly_random(&a, n, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, n, &g), GFP_OK);
    assert_int_equal(
        gfp_poly_mul(&expected, &a, &b, &(gfp_options){.method = "classical", .threads = 1}),
        GFP_OK);
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    counts_forget();
    assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
    assert_true(gfp_poly_equal(&c, &expected));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

static const struct {
    const char *field;
    size_t n;
} products[] = {{"p2", 4},  {"p2", 64},  {"p2", 256}, {"m4", 32}, {"p8", 8},
                {"p8", 64}, {"p8", 256}, {"m16", 16}, {"p32", 64}};
#define PRODUCTS (sizeof(products) / sizeof(products[0]))

static void test_bigfft_takes_the_operations_that_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++) {
        gfp_field *field = open_counted(products[i].field);
        const size_t n = products[i].n;
        uint64_t root[GFP_MAX_K];
        counts c;

        assert_true(count_bigfft(&c, field, n));
        counts_forget();
        assert_int_equal(gfp_field_root(field, root, gfp_ctz64(2 * n)), GFP_OK);
        const double of_root = elements.products;
        multiply_counted(field, "bigfft", n);
        expect_count(c.products + c.powers, elements.products - of_root);
        expect_count(c.turned, elements.turned);
        const double divisions = c.digit_sums - elements.butterflies * 2 * field->k;
        expect_count(divisions, 2 * (double)n * field->k);
        gfp_field_destroy(field);
    }
}

static void test_hybrid_takes_the_word_products_that_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++) {
        gfp_field *field = open_counted(products[i].field);
        counts c;

        if (count_hybrid(&c, field, products[i].n)) {
            multiply_counted(field, "hybrid", products[i].n);
            assert_true(word_products.shoup > 0);
            /* Five products prepare the constants of a leaf's CRT; there are at most 2k leaves. */
            const double all = word_products.shoup + word_products.wide + word_products.montgomery;
            const double counted = c.butterflies + c.pointwise + c.recombined;
            assert_true(all >= counted && all <= counted + 10 * (double)field->k);
        } else {
            assert_true(products[i].n < 8);
        }
        gfp_field_destroy(field);
    }
}

static void test_crt_takes_the_word_products_that_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < PRODUCTS; i++) {
        gfp_field *field = open_counted(products[i].field);
        const double k = field->k, n = (double)products[i].n;
        const double s = (double)gfp_native_count(field, products[i].n);
        counts c;

        assert_true(count_crt(&c, field, products[i].n));
        multiply_counted(field, "crt", products[i].n);
        expect_count(c.butterflies + c.roots, word_products.shoup);
        expect_count(c.pointwise, 2 * word_products.montgomery);
        /* A digit of a constant is two pieces there. */
        const double columns = (2 * n - 1) * k * (s + 1);
        expect_count(c.projected + word_products.montgomery + 2 * columns, word_products.wide);
        expect_count(c.recombined - columns, word_products.modular - 2 * n * s);
        gfp_field_destroy(field);
    }
}

/* ---- the outer DFT ---- */

/* size blocks of m elements, the image modulo y^size - T^e, y = x^m, become those modulo the
 * leaves; known: blocks that are not zero. */
static void counts_split(const gfp_field *field, uint64_t *x, size_t m, size_t size, size_t known,
                         unsigned e)
{
    const size_t half = size / 2, words_of_half = half * m * field->k;

    if (size == 1) {
        return;
    }
    if (known > half) {
        field->kernels->butterfly(field, x, x + words_of_half, e / 2, half * m);
    } else {
        memcpy(x + words_of_half, x, words_of_half * sizeof *x);
    }
    counts_split(field, x, m, half, half, e / 2);
    counts_split(field, x + words_of_half, m, half, half, e / 2 + field->k);
}

/* size times the way back. */
static void counts_join(const gfp_field *field, uint64_t *x, size_t m, size_t size, unsigned e)
{
    const size_t half = size / 2, words_of_half = half * m * field->k;

    if (size > 1) {
        counts_join(field, x, m, half, e / 2);
        counts_join(field, x + words_of_half, m, half, e / 2 + field->k);
        field->kernels->butterfly_inverse(field, x, x + words_of_half, e / 2, half * m);
    }
}

static void test_the_outer_dft_takes_the_sums_that_are_counted(void **state)
{
    static const struct {
        const char *field;
        size_t n;
    } shapes[] = {{"p2", 32}, {"p4", 64}, {"p8", 64}, {"m16", 64}};

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        gfp_field *field = open_counted(shapes[i].field);
        const size_t n = shapes[i].n, k = field->k;
        gfp_hybrid_choice choice;
        gfp_hybrid_plan plan;
        gfp_random g;
        counts c;
        uint64_t *x = calloc(4 * n * k, sizeof *x);
        uint64_t *original = x + 2 * n * k;
        int64_t *leaves = calloc(2 * n * k + 1024, sizeof *leaves);

        assert_non_null(x);
        assert_non_null(leaves);
        gfp_hybrid_choose(&choice, field);
        assert_true(gfp_hybrid_plan_make(&plan, &choice, n, n) && count_hybrid(&c, field, n));
        const gfp_outer *outer = &plan.shape.outer;
        gfp_random_seed(&g, n);
        gfp_vec_random(field, x, n, &g);
        memcpy(original, x, 2 * n * k * sizeof *x);
        gfp_outer_generic.forward(outer, leaves, x, n, 0, outer->m);
        counts_forget();
        counts_split(field, x, outer->m, outer->leaves, outer->leaves / 2, 0);
        for (size_t j = 0; j < 2 * n; j++) {
            gfp_i128 v[GFP_MAX_K];
            uint64_t expected[GFP_MAX_K];
            const size_t at = gfp_outer_leaf_at(outer, (unsigned)(j / outer->m));
            for (size_t t = 0; t < k; t++) {
                v[t] = leaves[at + j % outer->m * k + t];
            }
            gfp_reference_normalize(field, expected, v);
            assert_true(gfp_elem_equal(field, x + j * k, expected));
        }
        /* Both factors forward, the product back. */
        const double forward = elements.butterflies;
        counts_join(field, x, outer->m, outer->leaves, 0);
        const double back = elements.butterflies - forward;
        gfp_vec_div_2exp(field, x, x, outer->log2_size, 2 * n);
        assert_true(gfp_vec_equal(field, x, original, 2 * n));
        expect_count(c.outer_sums, (2 * forward + back) * 2 * (double)k);
        free(x);
        free(leaves);
        gfp_field_destroy(field);
    }
}

/* (3) / (4) of ISSAC 2017 tends to log2 N / log2(k)^2 with k; (2) has log2 2k as many products. */
static void test_formulas_have_the_papers_ratios(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 24;
    const formulas f = formulas_of(1 << 20, n), g = formulas_of(8, n);
    const double sums = 24.0 * (double)n * 8;

    assert_true(fabs(f.radix_2k / f.small_primes / (24.0 / (20 * 21)) - 1) < 1e-3);
    assert_true(fabs((g.radix_2 - sums) / (g.radix_2k - sums) - 4) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bigfft_takes_the_operations_that_are_counted),
        cmocka_unit_test(test_hybrid_takes_the_word_products_that_are_counted),
        cmocka_unit_test(test_crt_takes_the_word_products_that_are_counted),
        cmocka_unit_test(test_the_outer_dft_takes_the_sums_that_are_counted),
        cmocka_unit_test(test_formulas_have_the_papers_ratios),
    };
    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
