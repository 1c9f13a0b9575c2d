/* errors.c: errors, failing allocations, cancellation of transformed
 * operands; their memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "lab/meter.h"
#include "lab/rows.h"
#include "product/operand/rows.h"
#include "product/methods/engine.h"

/* ---- errors ---- */

static bool errors_stop(void *user, double fraction)
{
    int *left = user;
    (void)fraction;
    return (*left)-- > 0;
}

static void test_a_is_no_longer_than_its_space(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    gfp_random g;
    gfp_error error;
    gfp_field *field = lab_create("p8");
    gfp_poly a;
    (void)state;
    gfp_random_seed(&g, 8);
    gfp_poly_init(&a, field);
    rows_fill(&a, 101, RANDOM, &g);
    for (size_t i = 0; i < 2 * (count + 1); i++) {
        const char *method = i / 2 == count ? "auto" : rows[i / 2]->name;
        gfp_options options = {.method = method, .error = &error};
        gfp_operand *x = NULL, *y = NULL;
        for (size_t length = 20; length <= 101; length += 27) {
            const gfp_space_spec spec = {length, 1, (gfp_wrap)(i % 2)};
            gfp_space *space = NULL;
            assert_int_equal(gfp_space_create(&space, field, &spec, &options), GFP_OK);
            const size_t most = gfp_space_length(space);
            assert_true(most >= length);
            lab_expect_status(operand_in(&x, space, &a, &options),
                              most >= 101 ? GFP_OK : GFP_ERR_SIZE, most >= 101 ? NULL : &error,
                              method);
            assert_true((x != NULL) == (most >= 101));
            gfp_space_destroy(space);
            gfp_operand_destroy(x);
            x = NULL;
        }
        assert_non_null(strstr(error.message, "101"));
        assert_int_equal(operand_of(&x, &a, (gfp_space_spec){101, 1, (gfp_wrap)(i % 2)}, &options),
                         GFP_OK);
        assert_int_equal(operand_like(&y, x, &a, &options), GFP_OK);
        gfp_operand_destroy(y);
        gfp_operand_destroy(x);
    }
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
}

/* Operands of a method: x and z of a, y of b, which is over another field. */
typedef struct error_case {
    gfp_error error;
    gfp_field *p8, *p4;
    gfp_poly a, b, c;
    gfp_operand *x, *y, *z;
    gfp_options options;
} error_case;

static void open_case(error_case *w, const char *method)
{
    gfp_random g;
    gfp_random_seed(&g, 6);
    *w = (error_case){.p8 = lab_create("p8"), .p4 = lab_create("p4")};
    w->options = (gfp_options){.method = "auto", .error = &w->error};
    gfp_poly_init(&w->a, w->p8);
    gfp_poly_init(&w->b, w->p4);
    gfp_poly_init(&w->c, w->p8);
    rows_fill(&w->a, 40, RANDOM, &g);
    rows_fill(&w->b, 40, RANDOM, &g);
    w->x = rows_make(&w->a, 79, 1, method);
    w->y = rows_make(&w->b, 79, 1, method);
    w->z = rows_make(&w->a, 500, 1, method);
}

static void close_case(error_case *w)
{
    gfp_operand_destroy(w->x);
    gfp_operand_destroy(w->y);
    gfp_operand_destroy(w->z);
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->c);
    gfp_field_destroy(w->p8);
    gfp_field_destroy(w->p4);
}

static void check_spaces(error_case *w)
{
    static const struct {
        const char *method, *what;
        gfp_space_spec spec;
        gfp_status status;
    } bad[] = {
        {"rho", "method", {100, 1, GFP_WRAP_LINEAR}, GFP_ERR_UNKNOWN},
        {"classical", "method without operands", {100, 1, GFP_WRAP_LINEAR}, GFP_ERR_UNAVAILABLE},
        {"auto", "length 0", {0, 1, GFP_WRAP_LINEAR}, GFP_ERR_ARGUMENT},
        {"auto", "no terms", {100, 0, GFP_WRAP_LINEAR}, GFP_ERR_ARGUMENT},
        {"auto", "length SIZE_MAX", {SIZE_MAX, 1, GFP_WRAP_LINEAR}, GFP_ERR_SIZE},
        {"auto", "a too long", {8, 1, GFP_WRAP_LINEAR}, GFP_ERR_SIZE},
    };
    gfp_operand *none = NULL;
    for (size_t i = 0; LAB_ROW(bad, i); i++) {
        const gfp_options options = {.method = bad[i].method, .error = &w->error};
        lab_expect_status(operand_of(&none, &w->a, bad[i].spec, &options), bad[i].status, &w->error,
                          bad[i].what);
        assert_null(none);
        assert_true(i > 0 ||
                    strstr(w->error.message, "available: auto, classical, karatsuba, ") != NULL);
    }
}

static void check_operands(error_case *w)
{
    gfp_operand *x = w->x, *y = w->y, *z = w->z, *none = NULL;
    const gfp_options *options = &w->options;
    lab_expect_status(operand_like(&none, x, &w->b, options), GFP_ERR_FIELD_MISMATCH, &w->error,
                      "another field");
    assert_null(none);
    assert_int_equal(gfp_operand_arith(x, x, y, GFP_OPERAND_MUL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_operand_arith(x, x, z, GFP_OPERAND_ADD), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_operand_arith(x, x, z, GFP_OPERAND_MUL), GFP_ERR_ARGUMENT);
    lab_expect_status(gfp_poly_mul_operand(&w->c, 0, SIZE_MAX, &w->b, x, options),
                      GFP_ERR_FIELD_MISMATCH, &w->error, "polynomial over another field");
    assert_int_equal(gfp_vec_mul_operand(NULL, 0, 9, w->a.digits, w->a.len, x, NULL),
                     GFP_ERR_ARGUMENT);
    const gfp_operand *const one[] = {x}, *const strange[] = {z}, *const foreign[] = {y};
    lab_expect_status(gfp_poly_dot_operands(&w->c, 0, SIZE_MAX, one, one, 0, options),
                      GFP_ERR_ARGUMENT, &w->error, "no products");
    lab_expect_status(gfp_poly_dot_operands(&w->c, 0, SIZE_MAX, one, strange, 1, options),
                      GFP_ERR_ARGUMENT, &w->error, "not alike");
    lab_expect_status(gfp_poly_dot_operands(&w->c, 0, SIZE_MAX, one, foreign, 1, options),
                      GFP_ERR_FIELD_MISMATCH, &w->error, "another field");
    assert_int_equal(gfp_operand_arith(z, z, z, GFP_OPERAND_MUL), GFP_OK);
    while (gfp_operand_arith(z, z, z, GFP_OPERAND_MUL) == GFP_OK) {
    }
    assert_int_equal(gfp_operand_arith(z, z, z, GFP_OPERAND_MUL), GFP_ERR_SIZE);
}

static void check_cancelled(error_case *w)
{
    int left = 0;
    const gfp_progress progress = {errors_stop, &left};
    const gfp_options options = {.method = "auto", .error = &w->error, .progress = &progress};
    gfp_operand *none = NULL;
    lab_expect_status(operand_like(&none, w->x, &w->a, &options), GFP_ERR_CANCELLED, &w->error,
                      "cancelled at once");
    assert_null(none);
    lab_expect_status(gfp_poly_mul_operand(&w->c, 0, SIZE_MAX, &w->a, w->x, &options),
                      GFP_ERR_CANCELLED, &w->error, "cancelled at once");
    left = 1;
    lab_expect_status(gfp_poly_from_operand(&w->c, 0, SIZE_MAX, w->x, &options), GFP_ERR_CANCELLED,
                      &w->error, "cancelled");
}

static void test_errors(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    (void)state;
    for (size_t j = 0; j < count; j++) {
        error_case w;
        open_case(&w, rows[j]->name);
        check_spaces(&w);
        check_operands(&w);
        check_cancelled(&w);
        assert_int_equal(w.c.len, 0);
        rows_expect(w.x, &w.a, "unchanged");
        close_case(&w);
    }
}

/* Methods report that they have no operands of this length, and the chooser takes another method.
 */
static void test_lengths_that_there_are_not(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows), length = (size_t)1 << 30;
    gfp_error error;
    gfp_field *field = lab_create("p8");
    gfp_poly one;
    (void)state;
    gfp_poly_init(&one, field);
    assert_int_equal(gfp_poly_one(&one), GFP_OK);
    for (size_t j = 0; j < count; j++) {
        const gfp_options options = {.method = rows[j]->name, .error = &error};
        const gfp_problem problem = {
            .operation = GFP_OPERATION_OPERAND, .len_a = length / 2 + 1, .len_b = length / 2};
        const gfp_request q = gfp_request_make(&problem, field, &options);
        gfp_operand *x = NULL;
        if (!has_operands(rows[j], field, length)) {
            lab_expect_status(
                operand_of(&x, &one, (gfp_space_spec){length, 1, GFP_WRAP_LINEAR}, &options),
                GFP_ERR_UNAVAILABLE, &error, rows[j]->name);
            assert_ptr_not_equal(gfp_request_pick(NULL, &q), rows[j]);
        }
    }
    gfp_poly_clear(&one);
    gfp_field_destroy(field);
}

/* ---- memory ---- */

/* All operations; false where memory ran out, with nothing changed. */
static bool use_memory(const gfp_poly *a, const char *method, gfp_poly *c)
{
    const gfp_options options = {.method = method};
    gfp_operand *x = NULL, *y = NULL, *z = NULL;
    bool done = operand_of(&x, a, (gfp_space_spec){39, 1, GFP_WRAP_LINEAR}, &options) == GFP_OK &&
                operand_like(&y, x, NULL, NULL) == GFP_OK &&
                gfp_operand_arith(y, x, x, GFP_OPERAND_ADDMUL) == GFP_OK &&
                gfp_operand_arith(y, y, x, GFP_OPERAND_ADD) == GFP_OK &&
                operand_times(x, a, x, NULL) == GFP_OK &&
                gfp_operand_arith(y, y, x, GFP_OPERAND_SUB) == GFP_OK &&
                gfp_poly_from_operand(c, 0, SIZE_MAX, y, NULL) == GFP_OK;
    if (done) {
        gfp_poly d;
        gfp_poly_init(&d, a->field);
        done = operand_like(&z, y, a, NULL) == GFP_OK;
        const gfp_operand *const fresh[] = {z};
        done = done && gfp_poly_dot_operands(&d, 0, SIZE_MAX, fresh, fresh, 1, NULL) == GFP_OK;
        gfp_poly_clear(&d);
        gfp_operand_destroy(z);
    }
    gfp_operand_destroy(x);
    gfp_operand_destroy(y);
    return done;
}

static void test_memory(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    (void)state;
    for (size_t j = 0; j < count; j++) {
        meter h = {.fail_at = SIZE_MAX, .lasting = true};
        const gfp_allocator allocator = meter_hook(&h);
        gfp_field *field = NULL;
        gfp_random g;
        gfp_poly a, c;
        gfp_random_seed(&g, 7);
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        gfp_poly_init(&a, field);
        gfp_poly_init(&c, field);
        rows_fill(&a, 20, RANDOM, &g);
        const size_t before = h.blocks;
        size_t n = 0;
        bool done = false;
        for (; n < 100 && !done; n++) {
            meter_fail_at(&h, n);
            done = use_memory(&a, rows[j]->name, &c);
            h.fail_at = SIZE_MAX;
            assert_true(c.len == 20 || (!done && c.len == 0));
        }
        assert_true(done && n > 3);
        assert_true(gfp_poly_equal(&a, &c));
        gfp_poly_clear(&c);
        assert_true(h.blocks >= before); /* tables stay with the field */
        gfp_poly_clear(&a);
        gfp_field_destroy(field);
        meter_expect_empty(&h);
    }
}

/* gfp_space_bytes is the memory that the creation of a space took, once the field has its tables.
 */
static void test_space_bytes(void **state)
{
    const gfp_method *rows[GFP_COST_COLUMNS];
    const size_t count = operand_rows(rows);
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = NULL;
    (void)state;
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    for (size_t j = 0; j < count; j++) {
        for (size_t length = 1; length < 5000; length = 3 * length + 1) {
            const gfp_space_spec spec = {.length = length, .terms = 4};
            const gfp_options options = {.size = sizeof options, .method = rows[j]->name};
            gfp_space *first = NULL;
            gfp_space *second = NULL;
            assert_int_equal(gfp_space_create(&first, field, &spec, &options), GFP_OK);
            const size_t before = m.bytes;
            assert_int_equal(gfp_space_create(&second, field, &spec, &options), GFP_OK);
            assert_int_equal(gfp_space_bytes(second), m.bytes - before);
            gfp_space_destroy(second);
            gfp_space_destroy(first);
        }
    }
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_lengths_that_there_are_not),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_space_bytes),
        cmocka_unit_test(test_a_is_no_longer_than_its_space),
    };
    return cmocka_run_group_tests_name("operand_errors", tests, NULL, NULL);
}
