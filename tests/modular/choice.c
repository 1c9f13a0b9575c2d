/* choice.c: the methods that calls over Z pick: rows at both sides of cut-offs, and operands whose
 * pick another method must take over.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "lab/rows.h"
#include "modular/choice.h"

typedef struct choice_row {
    gfp_zsizes sizes;
    gfp_level level;
    gfp_zmethod method;
} choice_row;

#define IFMA GFP_LEVEL_AVX512IFMA
#define AVX2 GFP_LEVEL_AVX2
#define NEON GFP_LEVEL_NEON
#define PORTABLE GFP_LEVEL_PORTABLE

static void products_are_chosen_by_cutoffs(void **state)
{
    static const choice_row rows[] = {{{32, 32, 30, 30}, IFMA, GFP_Z_CLASSICAL},
                                      {{33, 33, 62, 62}, IFMA, GFP_Z_SHORT},
                                      {{16, 500, 61, 61}, IFMA, GFP_Z_CLASSICAL},
                                      {{17, 500, 61, 61}, IFMA, GFP_Z_SHORT},
                                      {{50, 200, 10, 10}, IFMA, GFP_Z_KRONECKER},
                                      {{1000, 1000, 20, 20}, IFMA, GFP_Z_SHORT},
                                      {{100, 100, 1000, 1000}, IFMA, GFP_Z_WORDS},
                                      {{100, 100, 22496, 22496}, IFMA, GFP_Z_WORDS},
                                      {{100, 100, 22500, 22500}, IFMA, GFP_Z_FLINT},
                                      {{100, 100, 20, 20}, AVX2, GFP_Z_KRONECKER},
                                      {{1000, 1000, 40, 40}, AVX2, GFP_Z_WORDS},
                                      {{100, 100, 4000, 4000}, AVX2, GFP_Z_FLINT},
                                      {{4, 400, 3000, 300}, AVX2, GFP_Z_CLASSICAL},
                                      {{17, 400, 3000, 300}, AVX2, GFP_Z_WORDS},
                                      {{38, 100, 261, 261}, NEON, GFP_Z_KRONECKER},
                                      {{39, 100, 261, 261}, NEON, GFP_Z_WORDS},
                                      {{17, 400, 262, 262}, NEON, GFP_Z_WORDS},
                                      {{64, 64, 20, 20}, PORTABLE, GFP_Z_KRONECKER},
                                      {{1000, 1000, 90, 90}, PORTABLE, GFP_Z_SHORT},
                                      {{1000, 1000, 99, 99}, PORTABLE, GFP_Z_FLINT},
                                      {{16, 400, 500, 500}, PORTABLE, GFP_Z_CLASSICAL},
                                      {{3, 3, 8388608, 8388608}, AVX2, GFP_Z_KRONECKER}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        const gfp_zsizes *s = &rows[i].sizes;
        const gfp_zsizes turned = {s->len_b, s->len_a, s->bits_b, s->bits_a};
        assert_int_equal(gfp_zchoose_mul(rows[i].level, s), rows[i].method);
        assert_int_equal(gfp_zchoose_mul(rows[i].level, &turned), rows[i].method);
    }
}

static void gcds_are_chosen_by_cutoffs(void **state)
{
    static const choice_row rows[] = {{{100000, 100000, 24, 24}, IFMA, GFP_Z_KRONECKER},
                                      {{100000, 100000, 25, 25}, IFMA, GFP_Z_WORDS},
                                      {{2048, 2048, 64, 64}, IFMA, GFP_Z_KRONECKER},
                                      {{2049, 2049, 64, 64}, IFMA, GFP_Z_WORDS},
                                      {{15, 15, 100, 100}, IFMA, GFP_Z_KRONECKER},
                                      {{16, 16, 100, 100}, IFMA, GFP_Z_WORDS},
                                      {{4, 4, 4096, 4096}, IFMA, GFP_Z_KRONECKER},
                                      {{4, 4, 4097, 4097}, IFMA, GFP_Z_WORDS},
                                      {{100000, 100000, 64, 64}, AVX2, GFP_Z_KRONECKER},
                                      {{1000, 1000, 100, 100}, AVX2, GFP_Z_KRONECKER},
                                      {{1000, 1000, 101, 101}, AVX2, GFP_Z_WORDS},
                                      {{1000, 1000, 100, 100}, NEON, GFP_Z_KRONECKER},
                                      {{1000, 1000, 101, 101}, NEON, GFP_Z_WORDS},
                                      {{100000, 100000, 256, 256}, PORTABLE, GFP_Z_KRONECKER},
                                      {{1000, 1000, 257, 257}, PORTABLE, GFP_Z_WORDS},
                                      {{2, 140000, 1000000, 60}, IFMA, GFP_Z_KRONECKER}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        assert_int_equal(gfp_zchoose_gcd(rows[i].level, &rows[i].sizes), rows[i].method);
    }
}

/* x := n coefficients of these bits and signs, times X + 1. */
static void choice_fill(gfp_zvec *x, size_t n, size_t bits, gfp_random *g)
{
    const size_t width = bits / 64 + 1;
    const uint64_t binomial[] = {1, 1};
    uint64_t *limbs = calloc(n, width * sizeof *limbs);
    gfp_zvec factor;
    assert_non_null(limbs);
    for (size_t i = 0; i < n * width; i++) {
        const size_t rest = bits - i % width * 64;
        limbs[i] = gfp_random_u64(g) >> (rest < 64 ? 64 - rest - (rest == 0) : 0);
        limbs[i] = rest == 0 ? 0 : limbs[i];
    }
    gfp_zvec_init(&factor, ring);
    assert_int_equal(gfp_zvec_set_limbs(x, limbs, n, width), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&factor, binomial, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_mul(x, x, &factor, NULL), GFP_OK);
    gfp_zvec_clear(&factor);
    free(limbs);
}

/* The pick is Kronecker's substitution, whose integer would be too long. */
static void what_one_integer_cannot_hold_takes_words(void **state)
{
    gfp_random g;
    gfp_report report;
    const gfp_options options = {.report = &report};
    gfp_zvec a, b, d;
    (void)state;
    gfp_random_seed(&g, 7);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&d, ring);
    choice_fill(&a, 1, 1000000, &g);
    choice_fill(&b, 140000, 60, &g);
    assert_int_equal(gfp_zvec_gcd(&d, &a, &b, &options), GFP_OK);
    assert_int_equal(gfp_zvec_length(&d), 2);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&d);
}

static bool choice_watch(void *user, double fraction)
{
    (void)fraction;
    ++*(size_t *)user;
    return true;
}

/* A caller who waits for reports gets them: GMP's gcd of long integers has none. */
static void watched_calls_report(void **state)
{
    size_t reports = 0;
    gfp_random g;
    gfp_report report;
    const gfp_progress progress = {choice_watch, &reports};
    const gfp_options options = {.progress = &progress, .report = &report};
    gfp_zvec a, b, d;
    (void)state;
    gfp_random_seed(&g, 8);
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&d, ring);
    choice_fill(&a, 60000, 20, &g);
    choice_fill(&b, 60000, 20, &g);
    assert_int_equal(gfp_zvec_gcd(&d, &a, &b, &options), GFP_OK);
    assert_string_equal(report.method, "words");
    assert_true(reports > 4);
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_chosen_by_cutoffs),
        cmocka_unit_test(gcds_are_chosen_by_cutoffs),
        cmocka_unit_test(what_one_integer_cannot_hold_takes_words),
        cmocka_unit_test(watched_calls_report),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
