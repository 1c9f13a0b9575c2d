/* absurd.c: the chooser's answers for absurd lengths: at once, without overflow, for every
 * method, operation, cap, count and number of threads, also over the backend `host'. Absurd
 * arguments of other calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "lab/fake_device/device.h"
#include "gfpoly/factor.h"
#include "gfpoly/field.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/tree.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "product/operand/lab.h"
#include "lab/sanitized.h"
#include "product/choose/tuning.h"
#include "product/methods/engine.h"

/* The most CPU time for one question, in seconds; the least of a few attempts counts. */
#define MOST_SECONDS (SANITIZED ? 1.0 : 0.05)
#define ATTEMPTS 3

static const size_t lengths[] = {1,
                                 2,
                                 3,
                                 (size_t)1 << 40,
                                 ((size_t)1 << 59) - 1,
                                 (size_t)1 << 62,
                                 SIZE_MAX / 2,
                                 SIZE_MAX / 2 + 1,
                                 SIZE_MAX};
#define LENGTHS (sizeof lengths / sizeof *lengths)

static double absurd_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct question {
    gfp_problem problem;
    gfp_options options;
} question;

static void fail_about(const gfp_field *field, const question *q, const char *what, double value)
{
    fail_msg("%s: %zu by %zu of %s, n %zu, from %zu, count %zu, cap %zu, %u threads%s: %s %g",
             gfp_operation_name(q->problem.operation), q->problem.len_a, q->problem.len_b,
             gfp_field_name(field), q->problem.n, q->problem.from, q->problem.count,
             q->options.memory_cap, q->options.threads,
             q->problem.resident == GFP_RESIDENT_DEVICE ? ", on the device" : "", what, value);
}

/* Checks that the answers about a problem are consistent. Returns the longest time of a question.
 */
static double absurd_ask(const gfp_field *field, const question *q)
{
    double longest = 0;
    size_t available = 0;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        const double start = absurd_seconds();
        assert_int_equal(gfp_method_query(&info, i, &q->problem, field, &q->options), GFP_OK);
        longest = fmax(longest, absurd_seconds() - start);
        assert_true(info.available == (info.reason[0] == '\0'));
        if (info.available) {
            available++;
            if (!(info.estimate_ns > 0)) {
                fail_about(field, q, info.name, info.estimate_ns);
            }
            assert_true(q->options.memory_cap == 0 ||
                        q->problem.operation == GFP_OPERATION_OPERAND || /* ignores the cap */
                        info.workspace <= q->options.memory_cap);
            assert_in_range(info.threads, 1, q->options.threads);
        }
    }
    double start = absurd_seconds();
    const char *pick = gfp_method_pick(&q->problem, field, &q->options);
    longest = fmax(longest, absurd_seconds() - start);
    assert_true((pick != NULL) == (available > 0));
    start = absurd_seconds();
    const gfp_status status = gfp_method_check(&q->problem, field, &q->options);
    assert_true(pick == NULL ? status == GFP_ERR_UNAVAILABLE
                             : status == GFP_OK || status == GFP_ERR_MEMORY);
    return fmax(longest, absurd_seconds() - start);
}

static void expect_quick(const gfp_field *field, const question *q)
{
    double least = HUGE_VAL;
    for (unsigned i = 0; i < ATTEMPTS && least > MOST_SECONDS; i++) {
        least = fmin(least, absurd_ask(field, q));
    }
    if (least > MOST_SECONDS) {
        fail_about(field, q, "seconds", least);
    }
}

/* Parts of every kind, short and long, low and high. */
static void ask_parts(const gfp_field *field, question q)
{
    static const size_t places[] = {0, 1, 100, (size_t)1 << 39, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; LAB_ROW(places, i); i++) {
        q.problem.n = places[i];
        q.problem.from = q.problem.len_b - 1;
        expect_quick(field, &q);
        q.problem.from = places[i];
        q.problem.n = q.problem.len_a;
        expect_quick(field, &q);
    }
}

static void ask_all(const gfp_field *field, question q)
{
    for (unsigned o = 0; o < GFP_OPERATION_COUNT; o++) {
        q.problem.operation = (gfp_operation)o;
        if (o == GFP_OPERATION_LOW || o == GFP_OPERATION_MIDDLE || o == GFP_OPERATION_HIGH) {
            ask_parts(field, q);
        } else if (o == GFP_OPERATION_BATCH) {
            for (size_t i = 0; i < LENGTHS; i += 2) {
                q.problem.count = lengths[i];
                expect_quick(field, &q);
            }
        } else {
            expect_quick(field, &q);
        }
    }
}

static void ask_field(const gfp_field *field, gfp_residence resident, size_t step)
{
    static const size_t caps[] = {0, 1, 1000, (size_t)1 << 20, (size_t)1 << 36, SIZE_MAX};
    size_t number = 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        for (size_t j = 0; j < LENGTHS; j++) {
            for (size_t c = 0; c < sizeof caps / sizeof *caps; c++, number++) {
                if (number % step == 0) {
                    ask_all(field, (question){.problem = {.len_a = lengths[i],
                                                          .len_b = lengths[j],
                                                          .resident = resident},
                                              .options = {.memory_cap = caps[c],
                                                          .threads = number % 2 == 0 ? 1 : 24}});
                }
            }
        }
    }
}

static void absurd_problems_are_answered_at_once(void **state)
{
    static const char *const names[] = {"p8", "2^2+1", "m64", "30^32+1"};
    (void)state;
    fake_reset(0);
    fake_missing("no device");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gfp_field *field = lab_create(names[i]);
        ask_field(field, GFP_RESIDENT_HOST, 7);
        gfp_field_destroy(field);
    }
}

static void on_a_device_too(void **state)
{
    (void)state;
    gfp_field *field = lab_create("p8");
    fake_reset((size_t)1 << 30);
    fake_missing(NULL);
    ask_field(field, GFP_RESIDENT_HOST, 11);
    ask_field(field, GFP_RESIDENT_DEVICE, 11);
    gfp_field_destroy(field);
    gfp_gpu_pool_release();
}

/* ---- absurd arguments ---- */

static void operands_of_nothing_are_refused(const gfp_poly *a)
{
    gfp_poly c;
    gfp_operand *x = NULL, *none = NULL;
    uint64_t digits[GFP_MAX_K] = {0};
    gfp_poly_init(&c, a->field);
    const gfp_space_spec nine = {9, SIZE_MAX, GFP_WRAP_LINEAR};
    gfp_space *space = NULL;
    assert_int_equal(gfp_space_create(NULL, a->field, &nine, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_space_create(&space, NULL, &nine, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_space_create(&space, a->field, NULL, NULL), GFP_ERR_ARGUMENT);
    const gfp_space_spec no_way = {9, 1, (gfp_wrap)7};
    assert_int_equal(gfp_space_create(&space, a->field, &no_way, NULL), GFP_ERR_ARGUMENT);
    assert_null(space);
    assert_int_equal(
        operand_of(&none, a, (gfp_space_spec){SIZE_MAX, SIZE_MAX, GFP_WRAP_LINEAR}, NULL),
        GFP_ERR_SIZE);
    assert_true(operand_of(&none, a, (gfp_space_spec){SIZE_MAX / 4, SIZE_MAX, GFP_WRAP_LINEAR},
                           NULL) != GFP_OK);
    assert_null(none);
    assert_int_equal(gfp_operand_create(&none, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_space_create(&space, a->field, &nine, NULL), GFP_OK);
    assert_int_equal(gfp_operand_create(NULL, space), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_create(&x, space), GFP_OK);
    gfp_space_destroy(space);
    gfp_space_destroy(NULL);
    assert_int_equal(gfp_poly_to_operand(NULL, a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_to_operand(x, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_set(NULL, digits, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_set(x, NULL, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_set(x, NULL, 0, NULL), GFP_OK);
    assert_int_equal(gfp_poly_to_operand(x, a, NULL), GFP_OK);
    assert_int_equal(gfp_vec_mul_operand(digits, 0, 1, NULL, 1, x, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_vec_mul_operand(digits, 0, 1, digits, 1, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(x, x, NULL, GFP_OPERAND_MUL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(x, NULL, x, GFP_OPERAND_ADDMUL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(NULL, x, x, GFP_OPERAND_SUBMUL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(NULL, x, x, GFP_OPERAND_ADD), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(x, NULL, x, GFP_OPERAND_SUB), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(x, x, x, (gfp_operand_operation)9), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_from_operand(NULL, 0, 1, x, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_from_operand(&c, 0, 1, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_from_operand(&c, SIZE_MAX, SIZE_MAX, x, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(gfp_poly_mul_operand(NULL, 0, 1, a, x, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_mul_operand(&c, 0, 1, NULL, x, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_mul_operand(&c, 0, 1, a, NULL, NULL), GFP_ERR_ARGUMENT);
    const gfp_operand *const one[] = {x}, *const nothing[] = {NULL};
    assert_int_equal(gfp_poly_dot_operands(&c, 0, 1, NULL, one, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_dot_operands(&c, 0, 1, nothing, one, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_dot_operands(&c, 0, 1, one, nothing, 1, NULL), GFP_ERR_ARGUMENT);
    gfp_operand_destroy(x);
    gfp_operand_destroy(NULL);
    gfp_poly_clear(&c);
}

static void factorisations_of_the_absurd_are_refused(const gfp_poly *strange)
{
    gfp_factors F;
    gfp_roots R;
    bool yes;
    gfp_factors_init(&F, strange->field);
    gfp_roots_init(&R, strange->field);
    assert_int_equal(gfp_poly_factor(&F, strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_factor_squarefree(&F, strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_factor_distinct_deg(&F, strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_roots(&R, strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_is_irreducible(&yes, strange, NULL), GFP_ERR_SIZE);
    assert_true(F.count == 0 && R.count == 0);
}

static void batches_of_nothing_are_refused(const gfp_field *field)
{
    uint64_t digits[64] = {0};
    const gfp_batch good = {.count = 1, .len_a = 1, .len_b = 1};
    const gfp_batch none = {.count = 0, .len_a = 3, .len_b = 3};
    gfp_batch far = {.count = 2, .len_a = 1, .len_b = 1, .stride_a = SIZE_MAX / 2};
    assert_int_equal(gfp_vec_mul_batch(NULL, digits, digits, digits, &good, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_vec_mul_batch(field, digits, digits, digits, NULL, NULL),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_vec_mul_batch(field, NULL, digits, digits, &good, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_vec_mul_batch(field, NULL, NULL, NULL, &none, NULL), GFP_OK);
    assert_int_equal(gfp_vec_mul_batch(field, digits, digits, digits, &far, NULL), GFP_ERR_SIZE);
    for (size_t i = 0; i < LENGTHS; i++) {
        far = (gfp_batch){.count = lengths[i], .len_a = SIZE_MAX / 2, .len_b = 7};
        assert_int_equal(gfp_vec_mul_batch(field, digits, digits, digits, &far, NULL),
                         GFP_ERR_SIZE);
    }
}

static void expect_refused(gfp_status status, const char *what)
{
    if (status != GFP_ERR_SIZE && status != GFP_ERR_MEMORY) {
        fail_msg("%s: %s", what, gfp_status_string(status));
    }
}

/* Arrays of so many points are never read. */
static void points_without_number_are_refused_at_once(void **state)
{
    static const size_t some[] = {(size_t)1 << 57, ((size_t)1 << 59) - 1, (size_t)1 << 62,
                                  SIZE_MAX / 2, SIZE_MAX};
    (void)state;
    gfp_field *field = lab_create("p8");
    gfp_poly f;
    uint64_t x[8] = {1};
    gfp_tree *T = NULL;
    gfp_poly_init(&f, field);
    assert_int_equal(gfp_poly_set_coeff_u64(&f, 30, 1), GFP_OK);
    const double start = absurd_seconds();
    for (size_t i = 0; i < 2 * sizeof some / sizeof *some; i++) {
        const size_t n = some[i / 2];
        const gfp_options options = {.method = i % 2 == 0 ? NULL : "classical"};
        expect_refused(gfp_poly_product_roots(&f, x, n, &options), "roots");
        expect_refused(gfp_tree_create(&T, field, x, n, &options), "tree");
        expect_refused(gfp_poly_eval_vec(x, &f, x, n, &options), "values");
        expect_refused(gfp_poly_interpolate(&f, x, x, n, &options), "interpolation");
        expect_refused(gfp_poly_eval_geometric(x, &f, x, x, n, &options), "progression");
        expect_refused(gfp_poly_interpolate_geometric(&f, x, x, x, n, &options), "progression");
        assert_true(f.len == 31 && T == NULL);
    }
    assert_true(absurd_seconds() - start < 20 * MOST_SECONDS);
    gfp_poly_clear(&f);
    gfp_field_destroy(field);
}

static void what_no_caller_should_ask_has_a_status(void **state)
{
    (void)state;
    gfp_field *field = lab_create("p8");
    gfp_poly a, c, strange = {.field = NULL};
    uint64_t digits[8] = {1};
    const gfp_problem p = {.len_a = 5, .len_b = 5};
    gfp_method_info info;
    gfp_operation operation;
    fake_reset(0);
    fake_missing("no device");
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_one(&a), GFP_OK);
    assert_int_equal(gfp_method_query(&info, 0, &p, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_method_query(&info, 0, NULL, field, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_method_query(NULL, 0, &p, field, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_method_query(&info, SIZE_MAX, &p, field, NULL), GFP_ERR_ARGUMENT);
    assert_null(gfp_method_pick(&p, NULL, NULL));
    assert_null(gfp_method_pick(NULL, field, NULL));
    assert_int_equal(gfp_method_check(NULL, field, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operation_find(&operation, NULL), GFP_ERR_UNKNOWN);
    assert_null(gfp_method_name(SIZE_MAX));
    assert_int_equal(gfp_poly_mul(NULL, &a, &a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_mul(&c, NULL, &a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_sqr(&c, NULL, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_mul(&c, &a, &strange, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_verify_mul(NULL, &a, &a, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_poly_mullow(&c, &a, &a, SIZE_MAX, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mulmid(&c, &a, &a, SIZE_MAX, SIZE_MAX, NULL), GFP_OK);
    assert_int_equal(c.len, 0);
    strange = (gfp_poly){field, digits, SIZE_MAX / 2, SIZE_MAX / 2}; /* never read */
    assert_int_equal(gfp_poly_mul(&c, &strange, &strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_mulhigh(&c, &strange, &a, 1, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_poly_mulmid(&c, &strange, &strange, 1, SIZE_MAX / 2, NULL), GFP_ERR_SIZE);
    factorisations_of_the_absurd_are_refused(&strange);
    strange.len = strange.capacity = SIZE_MAX;
    factorisations_of_the_absurd_are_refused(&strange);
    assert_int_equal(gfp_poly_mul(&c, &strange, &strange, NULL), GFP_ERR_SIZE);
    assert_int_equal(c.len, 0);
    operands_of_nothing_are_refused(&a);
    batches_of_nothing_are_refused(field);
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
}

int main(void)
{
    fake_use();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_problems_are_answered_at_once),
        cmocka_unit_test(on_a_device_too),
        cmocka_unit_test(points_without_number_are_refused_at_once),
        cmocka_unit_test(what_no_caller_should_ask_has_a_status),
    };
    return cmocka_run_group_tests_name("absurd", tests, NULL, NULL);
}
