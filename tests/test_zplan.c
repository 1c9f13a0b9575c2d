/* test_zplan.c: plans of operations over Z: what they say is what the calls do; all strategies that
 * serve run and agree; bad arguments.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "z_lab.h"

#include "gfpoly/zplan.h"

static gfp_zvec a, b, c, d;

static int setup(void **state)
{
    if (zlab_setup(state) != 0) {
        return -1;
    }
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&c, ring);
    gfp_zvec_init(&d, ring);
    return 0;
}

static int teardown(void **state)
{
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zvec_clear(&d);
    return zlab_teardown(state);
}

static void run(gfp_zvec *z, gfp_zoperation operation, const char *method, gfp_report *report)
{
    const gfp_options options = {.method = method, .report = report};
    gfp_status status = GFP_ERR_ARGUMENT;
    switch (operation) {
    case GFP_ZOPERATION_MUL:
        status = gfp_zvec_mul(z, &a, &b, &options);
        break;
    case GFP_ZOPERATION_GCD:
        status = gfp_zvec_gcd(z, &a, &b, &options);
        break;
    case GFP_ZOPERATION_RESULTANT:
        status = gfp_zvec_resultant(z, &a, &b, &options);
        break;
    case GFP_ZOPERATION_DISCRIMINANT:
        status = gfp_zvec_discriminant(z, &a, &options);
        break;
    }
    assert_int_equal(status, GFP_OK);
}

static bool is(const char *x, const char *y)
{
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* The rows of a plan hold together. */
static void check_rows(const gfp_zplan *plan)
{
    assert_true(plan->count > 0 && plan->count <= GFP_ZPLAN_ROWS);
    assert_true(plan->pick < plan->count);
    assert_non_null(plan->why);
    for (size_t i = 0; i < plan->count; i++) {
        const gfp_zprediction *row = &plan->row[i];
        assert_non_null(row->name);
        if (row->reason != NULL) {
            assert_true(row->reason[0] != '\0' && row->estimate_ns == 0 && i != plan->pick);
            continue;
        }
        assert_true(row->estimate_ns > 0 && row->estimate_ns < 1e12);
        assert_true(row->convert_ns >= 0 && row->convert_ns <= row->estimate_ns * 1.5);
        assert_true(row->proof_ns >= 0 && row->create_ns >= 0);
        if (is(row->name, "words")) {
            assert_true(row->primes > 0 && row->blocks > 0 && row->blocks <= row->primes);
            assert_true(plan->operation == GFP_ZOPERATION_GCD || row->bits >= plan->bits);
        }
        if (row->prime != NULL) {
            assert_true(row->primes == 1 && row->bits > 0);
            assert_true(plan->operation == GFP_ZOPERATION_GCD || row->bits > plan->bits);
        }
    }
}

/* The call takes the plan's pick; each strategy that serves gives the same result, and those that
 * cannot serve are refused with the same words. */
static void check_calls(const gfp_zplan *plan)
{
    gfp_report report;
    run(&c, plan->operation, NULL, &report);
    assert_true(is(report.method, plan->row[plan->pick].name) || is(report.method, plan->then) ||
                (plan->operation == GFP_ZOPERATION_GCD && is(report.method, "words")));
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->row[i].reason == NULL && plan->row[i].estimate_ns < 3e7) {
            run(&d, plan->operation, plan->row[i].name, &report);
            assert_true(gfp_zvec_equal(&c, &d));
        }
    }
}

static void draw(size_t len_a, size_t len_b, size_t bits, size_t len_g, gfp_random *g)
{
    zlab x = zlab_random(len_a, bits, 1, g), y = zlab_random(len_b, bits, 1, g);
    if (len_g > 1) {
        zlab z = zlab_random(len_g, bits, 1, g);
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        x = u;
        y = v;
    }
    zlab_set(&a, x);
    zlab_set(&b, y);
    zlab_free(&x);
    zlab_free(&y);
}

static void plans_say_what_calls_do(void **state)
{
    static const struct {
        size_t len_a, len_b, bits, len_g;
    } sizes[] = {{2, 2, 5, 1},     {3, 2, 500, 1},  {9, 9, 30, 3},    {20, 7, 200, 4},
                 {60, 60, 20, 20}, {33, 5, 900, 1}, {120, 100, 64, 1}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        draw(sizes[i].len_a, sizes[i].len_b, sizes[i].bits, sizes[i].len_g, &g);
        for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
            gfp_zplan plan;
            assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, NULL), GFP_OK);
            assert_int_equal(plan.operation, operation);
            if (plan.len_a > 1 && plan.len_b > 1) {
                check_rows(&plan);
                check_calls(&plan);
            }
        }
    }
}

static void predictions_grow(void **state)
{
    gfp_random g;
    double last[GFP_ZOPERATION_COUNT][GFP_ZPLAN_ROWS] = {{0}};
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t len = 12; len <= 768; len *= 4) {
        draw(len, len, 4 * len, 1, &g);
        for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
            gfp_zplan plan;
            assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, NULL), GFP_OK);
            for (size_t i = 0; i < plan.count; i++) {
                if (plan.row[i].reason == NULL) {
                    assert_true(plan.row[i].estimate_ns > 2 * last[operation][i]);
                    last[operation][i] = plan.row[i].estimate_ns;
                }
            }
        }
    }
}

/* Threads share images; a cap excludes strategies. */
static void options_count(void **state)
{
    gfp_random g;
    gfp_zplan one, four, capped, named;
    (void)state;
    gfp_random_seed(&g, 5);
    draw(100, 100, 100, 1, &g);
    const gfp_options threads = {.threads = 4}, cap = {.memory_cap = 4096},
                      big = {.method = "kronecker"}, none = {.method = "big"};
    assert_int_equal(gfp_zvec_plan(&one, GFP_ZOPERATION_RESULTANT, &a, &b, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_plan(&four, GFP_ZOPERATION_RESULTANT, &a, &b, &threads), GFP_OK);
    assert_true(four.row[0].estimate_ns < 0.5 * one.row[0].estimate_ns);
    assert_int_equal(four.threads, 4);
    assert_int_equal(gfp_zvec_plan(&capped, GFP_ZOPERATION_GCD, &a, &b, &cap), GFP_OK);
    assert_true(is(capped.row[1].name, "kronecker"));
    assert_non_null(capped.row[1].reason);
    assert_int_equal(gfp_zvec_plan(&capped, GFP_ZOPERATION_MUL, &a, &b, &cap), GFP_OK);
    assert_true(capped.pick == capped.count);
    assert_int_equal(gfp_zvec_plan(&named, GFP_ZOPERATION_GCD, &a, &b, &big), GFP_OK);
    assert_true(is(named.row[named.pick].name, "kronecker"));
    assert_null(named.then);
    /* 20 kbit are more than any named prime has. */
    assert_int_equal(gfp_zvec_plan(&named, GFP_ZOPERATION_RESULTANT, &a, &b, &none), GFP_OK);
    assert_true(named.pick == named.count);
}

static void simple_operands(void **state)
{
    gfp_zplan plan;
    (void)state;
    for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
        a.len = b.len = 0;
        assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, NULL), GFP_OK);
        assert_true(plan.count == 0 && plan.pick == 0 && plan.why != NULL);
    }
    assert_int_equal(gfp_zvec_from_string(&a, "2  -3 6", 7, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_from_string(&b, "2  -2 4", 7, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, &b, NULL), GFP_OK);
    assert_int_equal(plan.count, 0); /* both are multiples of 2 X - 1 */
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_DISCRIMINANT, &a, NULL, NULL), GFP_OK);
    assert_int_equal(plan.count, 0);
    assert_string_equal(gfp_zoperation_name(GFP_ZOPERATION_DISCRIMINANT), "discriminant");
    assert_null(gfp_zoperation_name((gfp_zoperation)GFP_ZOPERATION_COUNT));
}

static void bad_arguments(void **state)
{
    gfp_error error = {.message = ""};
    gfp_zplan plan = {.count = 77};
    const gfp_options unknown = {.method = "magic", .error = &error};
    const gfp_options other = {.method = "classical", .error = &error};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 6);
    draw(20, 20, 50, 1, &g);
    for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
        assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, &unknown),
                         GFP_ERR_UNKNOWN);
        assert_non_null(strstr(error.message, "magic"));
    }
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, &b, &other), GFP_ERR_UNKNOWN);
    assert_int_equal(gfp_zvec_plan(NULL, GFP_ZOPERATION_GCD, &a, &b, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)GFP_ZOPERATION_COUNT, &a, &b, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(plan.count, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_say_what_calls_do), cmocka_unit_test(predictions_grow),
        cmocka_unit_test(options_count),           cmocka_unit_test(simple_operands),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
