/* choice.c: the methods that are picked, and their estimates.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "lab/fixtures.h"

#include "product/choose/choice.h"
#include "product/choose/tuning.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "lab/row.h"
#include "lab/rows.h"

static void check_query(const lab *l, size_t len_a, size_t len_b)
{
    gfp_method_info info;
    const char *pick =
        gfp_method_pick(&(gfp_problem){.len_a = len_a, .len_b = len_b}, l->field, NULL);
    double least = 0, picked = 0;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = len_a, .len_b = len_b},
                                          l->field, NULL),
                         GFP_OK);
        assert_string_equal(info.name, gfp_method_name(i));
        if (!info.available) {
            assert_string_not_equal(info.name, pick);
            continue;
        }
        assert_true(info.estimate_ns > 0 && info.estimate_ns < 1e40);
        least = least == 0 || info.estimate_ns < least ? info.estimate_ns : least;
        picked = strcmp(info.name, pick) == 0 ? info.estimate_ns : picked;
    }
    assert_true(picked == least);
}

static void the_pick_has_the_least_estimate(void **state)
{
    (void)state;
    static const size_t lens[] = {0, 1, 2, 3, 10, 300, 16384, 100000, (size_t)1 << 22};
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; LAB_ROW(lens, i); i++) {
            for (size_t j = 0; j < sizeof lens / sizeof lens[0]; j++) {
                check_query(&lab_fields[f], lens[i], lens[j]);
            }
        }
    }
}

#if GFP_HAVE_FLINT
/* Fields that the fast kernels do not serve: methods on integers are far faster there than methods
 * on digits, and the estimates show this. */
static void the_pick_for_small_radices_sees_integers(void **state)
{
    (void)state;
    static const char *const names[] = {"30^32+1", "65537", "102^64+1"};
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        gfp_field *field = NULL;
        assert_int_equal(gfp_field_create(&field, names[i], NULL, NULL), GFP_OK);
        const char *pick =
            gfp_method_pick(&(gfp_problem){.len_a = 1000, .len_b = 1000}, field, NULL);
        assert_true(strcmp(pick, "flint") == 0 || strcmp(pick, "multimodular") == 0 ||
                    strcmp(pick, "crt") == 0 || strcmp(pick, "kronecker") == 0);
        gfp_field_destroy(field);
    }
}
#endif

static void estimates_grow_with_the_length(void **state)
{
    (void)state;
    gfp_method_info shorter, longer;
    for (size_t f = 0; lab_field_row(f); f++) {
        const gfp_field *field = lab_fields[f].field;
        for (size_t i = 0; i < gfp_method_count(); i++) {
            for (size_t n = 4; n < (size_t)1 << 20; n *= 4) {
                assert_int_equal(gfp_method_query(&shorter, i,
                                                  &(gfp_problem){.len_a = n, .len_b = n}, field,
                                                  NULL),
                                 GFP_OK);
                assert_int_equal(gfp_method_query(&longer, i,
                                                  &(gfp_problem){.len_a = 4 * n, .len_b = 4 * n},
                                                  field, NULL),
                                 GFP_OK);
                /* On a device, launches take all the time of short products. */
                const bool on_device = strstr(longer.name, "_gpu") != NULL;
                if (shorter.available && longer.available && !on_device) {
                    assert_true(longer.estimate_ns > shorter.estimate_ns);
                    assert_true(longer.workspace >= shorter.workspace);
                }
            }
        }
    }
}

static void absurd_lengths_are_answered_without_overflow(void **state)
{
    (void)state;
    gfp_method_info info;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        assert_int_equal(gfp_method_query(&info, i,
                                          &(gfp_problem){.len_a = SIZE_MAX, .len_b = SIZE_MAX},
                                          lab_fields[2].field, NULL),
                         GFP_OK);
        if (i == 1 || i == 2) { /* karatsuba and bigfft saturate */
            assert_true(info.workspace == SIZE_MAX);
        }
    }
    assert_int_equal(gfp_method_query(&info, gfp_method_count(),
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, lab_fields[2].field,
                                      NULL),
                     GFP_ERR_ARGUMENT);
    assert_null(gfp_method_name(gfp_method_count()));
    assert_non_null(gfp_method_pick(&(gfp_problem){.len_a = SIZE_MAX, .len_b = SIZE_MAX},
                                    lab_fields[2].field, NULL));
}

/* Lengths and caps of every kind, for one operation. */
static gfp_problem problem_like(gfp_operation operation, size_t len_a, size_t len_b)
{
    const size_t more = len_a > len_b ? len_a : len_b, less = len_a > len_b ? len_b : len_a;
    return (gfp_problem){.operation = operation,
                         .len_a = len_a,
                         .len_b = operation == GFP_OPERATION_SQUARE ? len_a : len_b,
                         .n = operation == GFP_OPERATION_MIDDLE ? more - less + 1 : more,
                         .from = less - 1,
                         .count = 10};
}

/* Checks that the pick for a problem (NULL: none) has the least estimate, and that the answers
 * about all methods are complete. */
static void check_problem(const gfp_field *field, const gfp_problem *p, const gfp_options *options)
{
    const char *pick = gfp_method_pick(p, field, options);
    double least = HUGE_VAL, picked = HUGE_VAL;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        assert_int_equal(gfp_method_query(&info, i, p, field, options), GFP_OK);
        assert_true(info.available == (info.reason[0] == '\0'));
        assert_true(info.available == (info.source[0] != '\0'));
        assert_true(info.available == (info.threads > 0) && info.threads <= 3);
        if (info.available) {
            assert_true(info.estimate_ns > 0 && info.estimate_ns < HUGE_VAL);
            assert_true(options->memory_cap == 0 || info.workspace <= options->memory_cap ||
                        p->operation == GFP_OPERATION_OPERAND);
            least = info.estimate_ns < least ? info.estimate_ns : least;
            picked = pick != NULL && strcmp(info.name, pick) == 0 ? info.estimate_ns : picked;
        }
    }
    assert_true((pick == NULL) == !(least < HUGE_VAL));
    assert_true(pick == NULL || picked == least);
}

static void the_pick_of_every_operation_has_the_least_estimate(void **state)
{
    static const size_t lens[] = {1, 2, 7, 300, 4096, 40000};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f += 3) {
        const gfp_field *field = lab_fields[f].field;
        for (unsigned o = 0; o < GFP_OPERATION_COUNT; o++) {
            for (size_t i = 0; i < 6 * 6; i++) {
                const gfp_problem p = problem_like((gfp_operation)o, lens[i / 6], lens[i % 6]);
                gfp_options options = {.threads = 1};
                check_problem(field, &p, &options);
                check_problem(field, &p, &options); /* out of the field's notes */
                options.threads = 3;
                check_problem(field, &p, &options);
                if (i % 5 == 0) { /* a refusal searches for the bytes that it names */
                    options.memory_cap = 100000;
                    check_problem(field, &p, &options);
                }
            }
        }
    }
}

static void squares_ignore_the_second_length(void **state)
{
    static const size_t others[] = {0, 100, 200000};
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    for (size_t i = 0; i < 2 * gfp_method_count(); i++) {
        const gfp_options options = {.threads = 1, .memory_cap = i % 2 == 0 ? 0 : (size_t)20000000};
        gfp_problem p = {.operation = GFP_OPERATION_SQUARE, .len_a = 100000, .len_b = 100000};
        gfp_method_info expected, info;
        assert_int_equal(gfp_method_query(&expected, i / 2, &p, field, &options), GFP_OK);
        for (size_t j = 0; LAB_ROW(others, j); j++) {
            p.len_b = others[j];
            assert_int_equal(gfp_method_query(&info, i / 2, &p, field, &options), GFP_OK);
            assert_int_equal(info.available, expected.available);
            assert_int_equal(info.workspace, expected.workspace);
            assert_true(info.estimate_ns == expected.estimate_ns);
        }
    }
}

/* Whatever the cap, the pick for operands is the method of their space. */
static void operands_are_picked_as_by_their_space(void **state)
{
    static const size_t caps[] = {0, 1 << 20, 10000, 1};
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    for (size_t length = 3; length < 40000; length *= 3) {
        const gfp_problem p = {.operation = GFP_OPERATION_OPERAND,
                               .len_a = length / 2 + 1,
                               .len_b = length - length / 2};
        for (size_t i = 0; LAB_ROW(caps, i); i++) {
            gfp_error error;
            const gfp_options options = {.threads = 1, .memory_cap = caps[i], .error = &error};
            gfp_space *s = NULL;
            lab_expect_status(gfp_method_check(&p, field, &options), GFP_OK, &error, "operands");
            assert_int_equal(gfp_space_create(&s, field,
                                              &(gfp_space_spec){length, 1, GFP_WRAP_LINEAR},
                                              &options),
                             GFP_OK);
            assert_string_equal(gfp_method_pick(&p, field, &options), gfp_space_get_info(s).method);
            gfp_space_destroy(s);
        }
    }
}

/* Problems of several operations that the same numbers describe do not share a pick. */
static void operations_differ(void **state)
{
    (void)state;
    const gfp_field *field = lab_fields[2].field;
    gfp_problem p = problem_like(GFP_OPERATION_PRODUCT, 1000, 1000);
    const gfp_options options = {.threads = 1};
    gfp_method_info product, info;
    assert_int_equal(gfp_method_query(&product, 5, &p, field, &options), GFP_OK);
    p.operation = GFP_OPERATION_SQUARE;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns < product.estimate_ns);
    p.operation = GFP_OPERATION_BATCH;
    p.count = 100;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns > 99 * product.estimate_ns);
    /* All of a product, as a part of it. */
    p.operation = GFP_OPERATION_LOW;
    p.n = 1999;
    assert_int_equal(gfp_method_query(&info, 5, &p, field, &options), GFP_OK);
    assert_true(info.estimate_ns == product.estimate_ns);
    /* A few of its coefficients are best computed one by one. */
    p.n = 2;
    assert_string_equal(gfp_method_pick(&p, field, &options), "classical");
    p.operation = GFP_OPERATION_OPERAND;
    assert_int_equal(gfp_method_query(&info, 0, &p, field, &options), GFP_OK);
    assert_false(info.available);
    p.operation = (gfp_operation)GFP_OPERATION_COUNT;
    assert_int_equal(gfp_method_query(&info, 0, &p, field, &options), GFP_ERR_ARGUMENT);
    assert_null(gfp_method_pick(&p, field, &options));
    for (unsigned o = 0; o < GFP_OPERATION_COUNT; o++) {
        gfp_operation found;
        assert_int_equal(gfp_operation_find(&found, gfp_operation_name((gfp_operation)o)), GFP_OK);
        assert_int_equal(found, o);
        assert_int_equal(gfp_operation_find(&found, "quotient"), GFP_ERR_UNKNOWN);
    }
}

/* Two problems at one place of the field's memory: some cap leads there. */
static void problems_at_one_place_have_their_own_picks(void **state)
{
    (void)state;
    gfp_field *field = lab_create("p8");
    const gfp_problem longer = problem_like(GFP_OPERATION_PRODUCT, 4096, 4096);
    const gfp_problem shorter = problem_like(GFP_OPERATION_PRODUCT, 2, 2);
    const gfp_options more = {.threads = 1, .memory_cap = (size_t)1 << 40};
    gfp_options less = {.threads = 1, .memory_cap = (size_t)1 << 20};
    const gfp_request first = gfp_request_make(&longer, field, &more);
    gfp_request second;
    do {
        less.memory_cap++;
        second = gfp_request_make(&shorter, field, &less);
    } while (gfp_request_place(&first) != gfp_request_place(&second) &&
             less.memory_cap < (size_t)1 << 21);
    assert_int_equal(gfp_request_place(&first), gfp_request_place(&second));
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(gfp_method_pick(&longer, field, &more), "hybrid");
        assert_string_equal(gfp_method_pick(&shorter, field, &less), "classical");
    }
    gfp_field_destroy(field);
}

static gfp_status compute_problem(const gfp_problem *p, gfp_poly *c, const gfp_poly *a,
                                  const gfp_poly *b, const gfp_options *options)
{
    switch (p->operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(c, a, options);
    case GFP_OPERATION_LOW:
        return gfp_poly_mullow(c, a, b, p->n, options);
    case GFP_OPERATION_HIGH:
        return gfp_poly_mulhigh(c, a, b, p->n, options);
    case GFP_OPERATION_MIDDLE:
        return gfp_poly_mulmid(c, a, b, p->from, p->n, options);
    default:
        return gfp_poly_mul(c, a, b, options);
    }
}

/* The functions use the method and the threads that the chooser announces, also within a cap. */
static void functions_take_the_pick(void **state)
{
    static const gfp_operation operations[] = {GFP_OPERATION_PRODUCT, GFP_OPERATION_SQUARE,
                                               GFP_OPERATION_LOW, GFP_OPERATION_MIDDLE,
                                               GFP_OPERATION_HIGH};
    static const size_t lens[] = {3, 40, 700};
    gfp_random g;
    gfp_random_seed(&g, 5);
    (void)state;
    for (size_t i = 0; i < 5 * 9 * 4; i++) {
        const lab *l = &lab_fields[2];
        gfp_poly a, b, c;
        gfp_poly_init(&a, l->field);
        gfp_poly_init(&b, l->field);
        gfp_poly_init(&c, l->field);
        gfp_problem p = problem_like(operations[i / 36], lens[i / 4 % 3], lens[i / 12 % 3]);
        assert_int_equal(gfp_poly_random(&a, p.len_a, &g), GFP_OK);
        assert_int_equal(gfp_poly_random(&b, p.len_b, &g), GFP_OK);
        p.len_a = a.len;
        p.len_b = b.len;
        gfp_report report = {.method = ""};
        const gfp_options options = {
            .report = &report, .threads = 1 + i % 2, .memory_cap = i % 4 < 2 ? 0 : 50000};
        assert_int_equal(compute_problem(&p, &c, &a, &b, &options), GFP_OK);
        assert_string_equal(report.method, gfp_method_pick(&p, l->field, &options));
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pick_has_the_least_estimate),
#if GFP_HAVE_FLINT
        cmocka_unit_test(the_pick_for_small_radices_sees_integers),
#endif
        cmocka_unit_test(the_pick_of_every_operation_has_the_least_estimate),
        cmocka_unit_test(squares_ignore_the_second_length),
        cmocka_unit_test(operands_are_picked_as_by_their_space),
        cmocka_unit_test(operations_differ),
        cmocka_unit_test(problems_at_one_place_have_their_own_picks),
        cmocka_unit_test(functions_take_the_pick),
        cmocka_unit_test(estimates_grow_with_the_length),
        cmocka_unit_test(absurd_lengths_are_answered_without_overflow),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
