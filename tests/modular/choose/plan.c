/* plan.c: plans of operations over Z: what they say is what the calls do; all strategies that
 * serve run and agree; bad arguments; the results of degree tests.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "gfpoly/zplan.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "modular/choice.h"
#include "modular/gcd/degree.h"

static gfp_zvec a, b, c, d;

static int choose_plan_setup(void **state)
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

static int choose_plan_teardown(void **state)
{
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&c);
    gfp_zvec_clear(&d);
    return zlab_teardown(state);
}

static void choose_plan_run(gfp_zvec *z, gfp_zoperation operation, const char *method,
                            gfp_report *report)
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

static bool names_equal(const char *x, const char *y)
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
        if (names_equal(row->name, "words")) {
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
    choose_plan_run(&c, plan->operation, NULL, &report);
    assert_true(names_equal(report.method, plan->row[plan->pick].name) ||
                names_equal(report.method, plan->next) ||
                (plan->operation == GFP_ZOPERATION_GCD && names_equal(report.method, "words")));
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->row[i].reason == NULL && plan->row[i].estimate_ns < 3e7) {
            choose_plan_run(&d, plan->operation, plan->row[i].name, &report);
            assert_true(gfp_zvec_equal(&c, &d));
        }
    }
}

static void choose_plan_draw(size_t len_a, size_t len_b, size_t bits, size_t len_g, gfp_random *g)
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
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        choose_plan_draw(sizes[i].len_a, sizes[i].len_b, sizes[i].bits, sizes[i].len_g, &g);
        for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
            gfp_zplan plan;
            assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, NULL), GFP_OK);
            assert_int_equal(plan.operation, operation);
            const bool product = operation <= GFP_ZOPERATION_GCD;
            if (!product && plan.len_a > 1 && gfp_size_min(plan.len_a, plan.len_b) == 2) {
                gfp_report report;
                assert_int_equal(plan.count, 0);
                assert_non_null(strstr(plan.why, "linear"));
                choose_plan_run(&c, plan.operation, NULL, &report);
                assert_string_equal(report.method, "linear");
            } else if (plan.len_a > 1 && plan.len_b > 1) {
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
        choose_plan_draw(len, len, 4 * len, 1, &g);
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
    choose_plan_draw(100, 100, 100, 1, &g);
    const gfp_options threads = {.threads = 4}, cap = {.memory_cap = 4096},
                      big = {.method = "kronecker"}, none = {.method = "big"};
    assert_int_equal(gfp_zvec_plan(&one, GFP_ZOPERATION_RESULTANT, &a, &b, NULL), GFP_OK);
    assert_int_equal(gfp_zvec_plan(&four, GFP_ZOPERATION_RESULTANT, &a, &b, &threads), GFP_OK);
    assert_true(four.row[0].estimate_ns < 0.5 * one.row[0].estimate_ns);
    assert_int_equal(four.threads, 4);
    assert_int_equal(gfp_zvec_plan(&capped, GFP_ZOPERATION_GCD, &a, &b, &cap), GFP_OK);
    assert_true(names_equal(capped.row[1].name, "kronecker"));
    assert_non_null(capped.row[1].reason);
    assert_int_equal(gfp_zvec_plan(&capped, GFP_ZOPERATION_MUL, &a, &b, &cap), GFP_OK);
    assert_true(capped.pick == capped.count);
    assert_int_equal(gfp_zvec_plan(&named, GFP_ZOPERATION_GCD, &a, &b, &big), GFP_OK);
    assert_true(names_equal(named.row[named.pick].name, "kronecker"));
    assert_null(named.next);
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
    choose_plan_draw(20, 20, 50, 1, &g);
    for (unsigned operation = 0; operation < GFP_ZOPERATION_COUNT; operation++) {
        assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)operation, &a, &b, &unknown),
                         GFP_ERR_UNKNOWN);
        assert_non_null(strstr(error.message, "unknown method \"magic\" o"));
        assert_non_null(strstr(error.message, "; available: auto, "));
        assert_non_null(strstr(error.message, "words, big, "));
    }
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, &b, &other), GFP_ERR_UNKNOWN);
    assert_int_equal(gfp_zvec_plan(NULL, GFP_ZOPERATION_GCD, &a, &b, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_zvec_plan(&plan, (gfp_zoperation)GFP_ZOPERATION_COUNT, &a, &b, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(plan.count, 77);
}

/* ---- the degree modulo one prime ---- */

#define DEGREE_PRIME ((UINT64_C(1) << 61) - 1)

static gfp_zpoly poly_of(const gfp_zvec *f)
{
    return (gfp_zpoly){f->limbs, gfp_zvec_length(f), f->width};
}

/* The length is that of the gcd over Z, or greater. Random operands: the same. */
static void degree_tests_bound_degrees(void **state)
{
    gfp_random g;
    gfp_report report;
    (void)state;
    gfp_random_seed(&g, 7);
    for (size_t i = 0; i < 300; i++) {
        const size_t sparse = 1 + i % 5, len_g = 1 + (size_t)gfp_random_below(&g, 9);
        zlab x = zlab_random(1 + (size_t)gfp_random_below(&g, i % 7 == 0 ? 200 : 60), 1 + i % 150,
                             sparse, &g);
        zlab y = zlab_random(1 + (size_t)gfp_random_below(&g, 60), 1 + i % 70, sparse, &g);
        zlab z = zlab_random(len_g, 1 + i % 90, sparse, &g);
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        zlab_set(&a, i % 2 == 0 ? u : v);
        zlab_set(&b, i % 2 == 0 ? v : u);
        size_t len = 0;
        choose_plan_run(&c, GFP_ZOPERATION_GCD, "words", &report);
        for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
            if (gfp_cpu_has((gfp_level)level)) {
                assert_true(
                    gfp_zdegree_prime((gfp_level)level, &len, poly_of(&a), poly_of(&b), 1e9));
                assert_int_equal(len, gfp_zvec_length(&c));
            }
        }
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        zlab_free(&u);
        zlab_free(&v);
    }
}

/* Operands made for the prime: it divides the first leading coefficient, or b; coprime operands
 * that agree modulo the prime. */
static void degree_tests_conclude_nothing_wrong(void **state)
{
    const uint64_t p = DEGREE_PRIME;
    const uint64_t x[] = {1, 2, p}, y[] = {3, 1}, same[] = {1 + p, 2, 5}, first[] = {1, 2, 5};
    const uint64_t zero[] = {p, 0, p};
    gfp_report report;
    size_t len = 77;
    (void)state;
    assert_int_equal(gfp_zvec_set_limbs(&a, x, 3, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&b, y, 2, 1), GFP_OK);
    assert_false(gfp_zdegree_prime(GFP_LEVEL_PORTABLE, &len, poly_of(&a), poly_of(&b), 1e9));
    assert_true(gfp_zdegree_prime(GFP_LEVEL_PORTABLE, &len, poly_of(&b), poly_of(&a), 1e9));
    assert_int_equal(len, 1);
    assert_false(gfp_zdegree_prime(GFP_LEVEL_PORTABLE, &len, poly_of(&b), poly_of(&a), 0));
    assert_int_equal(gfp_zvec_set_limbs(&a, first, 3, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&b, same, 3, 1), GFP_OK);
    assert_true(gfp_zdegree_prime(GFP_LEVEL_PORTABLE, &len, poly_of(&a), poly_of(&b), 1e9));
    assert_int_equal(len, 3);
    choose_plan_run(&c, GFP_ZOPERATION_GCD, NULL, &report);
    assert_int_equal(gfp_zvec_length(&c), 1);
    assert_int_equal(gfp_zvec_set_limbs(&b, zero, 3, 1), GFP_OK);
    assert_true(gfp_zdegree_prime(GFP_LEVEL_PORTABLE, &len, poly_of(&a), poly_of(&b), 1e9));
    assert_int_equal(len, 3);
    choose_plan_run(&c, GFP_ZOPERATION_GCD, NULL, &report);
    assert_int_equal(gfp_zvec_length(&c), 1);
}

/* Long coprime operands that agree modulo the prime: no choice from the degree is wrong. */
static void misled_choices_find_the_gcd(void **state)
{
    gfp_random g;
    gfp_zplan plan;
    (void)state;
    gfp_random_seed(&g, 8);
    for (size_t len = 4; len < 16; len++) {
        zlab x = zlab_random(len, 200, 1, &g);
        zlab_set(&a, x);
        assert_int_equal(gfp_zvec_set_limbs(&b, a.limbs, len, a.width), GFP_OK);
        const uint64_t low = b.limbs[0], sum = low + DEGREE_PRIME; /* the constant term */
        b.limbs[0] = sum < low ? low - DEGREE_PRIME : sum;
        assert_int_equal(gfp_zvec_plan(&plan, GFP_ZOPERATION_GCD, &a, &b, NULL), GFP_OK);
        assert_int_equal(plan.len_g, len);
        check_rows(&plan);
        check_calls(&plan);
        assert_int_equal(gfp_zvec_length(&c), 1);
        zlab_free(&x);
    }
}

/* ---- coprime by values ---- */

/* The bits of the gcd of the values at 2^step, by Horner's rule; 0: at most 2^(step - 1). */
static size_t common_bits(zlab x, zlab y, unsigned step)
{
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    for (size_t i = x.len; i-- > 0;) {
        mpz_mul_2exp(u, u, step);
        mpz_add(u, u, x.c[i]);
    }
    for (size_t i = y.len; i-- > 0;) {
        mpz_mul_2exp(v, v, step);
        mpz_add(v, v, y.c[i]);
    }
    mpz_gcd(u, u, v);
    const size_t bits = mpz_cmp_ui(u, 1UL << (step - 1)) <= 0 ? 0 : mpz_sizeinbase(u, 2);
    mpz_clears(u, v, NULL);
    return bits;
}

static gfp_zoperands operands_of(zlab x, zlab y)
{
    zlab_set(&a, x);
    zlab_set(&b, y);
    gfp_zoperands p = {.a = poly_of(&a), .b = poly_of(&b)};
    p.bits_a = gfp_zpoly_bits(p.a);
    p.bits_b = gfp_zpoly_bits(p.b);
    return p;
}

/* Counts pairs where values show that they are coprime, and others. */
static void check_values(zlab x, zlab y, bool coprime, size_t count[2])
{
    const gfp_zoperands p = operands_of(x, y);
    for (unsigned step = 4; step <= 32; step *= 2) {
        size_t common = 77;
        if (gfp_zdegree_values_serve(&p, step)) {
            assert_true(gfp_zdegree_values(&common, &p, step));
            assert_int_equal(common, common_bits(x, y, step));
            assert_true(coprime || common > 0);
            count[common > 0]++;
        }
    }
}

/* Random operands, dense and sparse, with a divisor in every second pair; coefficients of all bits
 * of their limbs. */
static void values_show_coprime_operands(void **state)
{
    gfp_random g;
    size_t count[2] = {0, 0};
    (void)state;
    gfp_random_seed(&g, 9);
    for (size_t i = 0; i < 600; i++) {
        const size_t most = i % 7 == 0 ? 200 : 30, sparse = 1 + i % 4;
        zlab x = zlab_random(1 + (size_t)gfp_random_below(&g, most), 1 + i % 260, sparse, &g);
        zlab y = zlab_random(2 + (size_t)gfp_random_below(&g, most), 1 + i % 70, sparse, &g);
        zlab z = zlab_random(2 + (size_t)gfp_random_below(&g, 9), 1 + i % 90, sparse, &g);
        if (i % 3 == 0) { /* -2^63 and 2^64 - 1 */
            mpz_set_si(y.c[0], INT64_MIN);
            mpz_set_ui(x.c[x.len / 2], UINT64_MAX);
        }
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        check_values(u, v, false, count);
        check_values(x, y, true, count);
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        zlab_free(&u);
        zlab_free(&v);
    }
    assert_true(count[0] > 1000 && count[1] > 1000);
}

/* A common root near the point of the values, where the divisor's value is small: values serve only
 * if the root is below half of the point, and then prove nothing. */
static void roots_near_the_point_prove_nothing(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 10);
    for (long root = -70000; root < 70000; root += labs(root) < 300 ? 1 : 997) {
        size_t count[2] = {0, 0};
        zlab x = zlab_random(1 + (size_t)gfp_random_below(&g, 20), 20, 1, &g);
        zlab y = zlab_random(2 + (size_t)gfp_random_below(&g, 20), 9, 1, &g);
        zlab z = zlab_new(2);
        mpz_set_si(z.c[0], -root);
        mpz_set_ui(z.c[1], 1);
        zlab u = zlab_product(x, z), v = zlab_product(y, z);
        const gfp_zoperands p = operands_of(u, v);
        for (unsigned step = 4; step <= 32; step *= 2) {
            assert_true(labs(root) < 1L << (step - 1) || !gfp_zdegree_values_serve(&p, step));
        }
        check_values(u, v, false, count);
        assert_int_equal(count[0], 0);
        zlab_free(&x);
        zlab_free(&y);
        zlab_free(&z);
        zlab_free(&u);
        zlab_free(&v);
    }
}

/* An operand whose value is 0 shows nothing; values too long for the test do not serve. */
static void values_without_use(void **state)
{
    const uint64_t zero[] = {0 - UINT64_C(256), 1}, other[] = {1, 0, 5};
    size_t common = 77;
    (void)state;
    assert_int_equal(gfp_zvec_set_limbs(&a, zero, 2, 1), GFP_OK);
    assert_int_equal(gfp_zvec_set_limbs(&b, other, 3, 1), GFP_OK);
    gfp_zoperands p = {.a = poly_of(&a), .b = poly_of(&b), .bits_a = 9, .bits_b = 3};
    assert_true(gfp_zdegree_values_serve(&p, 8));
    assert_false(gfp_zdegree_values(&common, &p, 8));
    assert_int_equal(common, 77);
    p.bits_a = 70000;
    assert_false(gfp_zdegree_values_serve(&p, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_say_what_calls_do),
        cmocka_unit_test(predictions_grow),
        cmocka_unit_test(options_count),
        cmocka_unit_test(simple_operands),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(degree_tests_bound_degrees),
        cmocka_unit_test(degree_tests_conclude_nothing_wrong),
        cmocka_unit_test(values_show_coprime_operands),
        cmocka_unit_test(roots_near_the_point_prove_nothing),
        cmocka_unit_test(values_without_use),
        cmocka_unit_test(misled_choices_find_the_gcd),
    };
    return cmocka_run_group_tests(tests, choose_plan_setup, choose_plan_teardown);
}
