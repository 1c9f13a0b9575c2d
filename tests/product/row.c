/* row.c: a method is a row: one row, defined here, gets products, squares, parts, batches,
 * caps, files, operands, verification, queries and picks, since no code outside a row tests its
 * name.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gfpoly.h"
#include "product/methods/engine.h"
#include "product/operand/lab.h"

/* ---- the row ---- */

static size_t runs, transforms, plans;

static double row_growth(double m)
{
    return 2 * m;
}

static bool row_serves(const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)field;
    if (len_a < 2 || len_b < 2) {
        (void)snprintf(why, size, "a toy needs two coefficients");
        return false;
    }
    return true;
}

static double row_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = sqrt((double)len_a * (double)len_b);
    return 1;
}

/* So cheap that it is always the pick. */
static double log2_cost(const gfp_method *row, const gfp_field *field, double m)
{
    (void)row;
    (void)field;
    return 2 * m - 20;
}

/* Whole products alone, in a work area of an element for each coefficient. */
static bool row_plan(gfp_plan *p)
{
    const size_t n = gfp_range_product_length(&p->range);
    plans++;
    p->needs = (gfp_needs){
        .end = n, .words = gfp_size_mul_sat(n, gfp_field_k(p->range.field)), .share = 1};
    return true;
}

static gfp_status row_run(const gfp_plan *p, const gfp_range *r, uint64_t *c, uint64_t *work,
                          gfp_task *task, gfp_error *error)
{
    const size_t k = gfp_field_k(r->field), n = gfp_range_product_length(r);
    uint64_t x[GFP_MAX_K];
    (void)p;
    (void)error;
    __atomic_add_fetch(&runs, 1, __ATOMIC_RELAXED);
    if (!gfp_task_span(task, 1, (double)r->len_a, gfp_task_product_cost(r->field))) {
        return GFP_ERR_CANCELLED;
    }
    gfp_vec_zero(r->field, work, n);
    for (size_t i = 0; i < r->len_a; i++) {
        for (size_t j = 0; j < r->len_b; j++) {
            gfp_elem_mul(r->field, x, r->a + i * k, r->b + j * k);
            gfp_elem_add(r->field, work + (i + j) * k, work + (i + j) * k, x);
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    gfp_vec_set(r->field, c, work, n);
    return GFP_OK;
}

/* Operands: those of bigfft, which compute in Z/pZ; created here, so that they are counted. */
static gfp_ring_engine operands;

static gfp_status row_create(gfp_ring **ring, const gfp_ring_problem *p, gfp_error *error)
{
    transforms++;
    return gfp_bigfft_rings.create(ring, p, error);
}

static const gfp_method toy = {.name = "toy",
                               .family = "toys",
                               .growth = row_growth,
                               .available = row_serves,
                               .balanced = row_balanced,
                               .log2_cost = log2_cost,
                               .plan = row_plan,
                               .run = row_run,
                               .side_by_side = true,
                               .shared = 0,
                               .square = 1,
                               .operands = &operands,
                               .revision = 1};

/* ---- a field, factors and the product by another method ---- */

#define LEN_A 40
#define LEN_B 25
#define LEN (LEN_A + LEN_B - 1)

typedef struct world {
    gfp_field *field;
    gfp_poly a, b, c, expected;
    gfp_error error;
    gfp_report report;
    gfp_options options;
} world;

static world w;

static int row_begin(void **state)
{
    gfp_random g;
    const gfp_options classical = {.method = "classical"};
    (void)state;
    operands = gfp_bigfft_rings;
    operands.create = row_create;
    operands.by_product = 0.5;
    gfp_method_add(&toy);
    memset(&w, 0, sizeof w);
    w.field = lab_create("p8");
    gfp_random_seed(&g, 5);
    gfp_poly *const polys[] = {&w.a, &w.b, &w.c, &w.expected};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(polys[i], w.field);
    }
    assert_int_equal(gfp_poly_random(&w.a, LEN_A, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w.b, LEN_B, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w.expected, &w.a, &w.b, &classical), GFP_OK);
    assert_int_equal(w.expected.len, LEN);
    w.options = (gfp_options){.error = &w.error, .report = &w.report};
    runs = transforms = plans = 0;
    return 0;
}

static int row_end(void **state)
{
    gfp_poly *const polys[] = {&w.a, &w.b, &w.c, &w.expected};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(polys[i]);
    }
    gfp_field_destroy(w.field);
    gfp_method_remove(&toy);
    return gfp_method_find("toy") == NULL ? 0 : 1;
}

/* The product that was asked for came from the row. */
static void expect_toy(gfp_status status, size_t from, size_t n)
{
    gfp_poly part;
    lab_expect_status(status, GFP_OK, &w.error, "toy");
    assert_string_equal(w.report.method, "toy");
    assert_true(runs > 0);
    runs = 0;
    gfp_poly_init(&part, w.field);
    assert_int_equal(gfp_poly_shift_right(&part, &w.expected, from), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&part, &part, n), GFP_OK);
    assert_true(gfp_poly_equal(&w.c, &part));
    gfp_poly_clear(&part);
}

/* ---- the row's features ---- */

static void products_squares_and_parts(void **state)
{
    (void)state;
    expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, LEN);
    expect_toy(gfp_poly_mullow(&w.c, &w.a, &w.b, 30, &w.options), 0, 30);
    expect_toy(gfp_poly_mulhigh(&w.c, &w.a, &w.b, 30, &w.options), 30, LEN - 30);
    expect_toy(gfp_poly_mulmid(&w.c, &w.a, &w.b, 20, 17, &w.options), 20, 17);
    w.options.threads = 3;
    expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, LEN);
    const gfp_options classical = {.method = "classical"};
    assert_int_equal(gfp_poly_sqr(&w.expected, &w.a, &classical), GFP_OK);
    expect_toy(gfp_poly_sqr(&w.c, &w.a, &w.options), 0, 2 * LEN_A - 1);
    /* Named in the options, and its refusals. */
    w.options.method = "toy";
    expect_toy(gfp_poly_sqr(&w.c, &w.a, &w.options), 0, 2 * LEN_A - 1);
    assert_int_equal(gfp_poly_truncate(&w.b, &w.b, 1), GFP_OK);
    lab_expect_status(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), GFP_ERR_UNAVAILABLE, &w.error,
                      "a length that the toy does not serve");
    assert_non_null(strstr(w.error.message, "a toy needs two coefficients"));
}

static void row_caps(void **state)
{
    (void)state;
    /* Two factors of 300: a part that is cut into blocks. */
    gfp_random g;
    const gfp_options classical = {.method = "classical"};
    gfp_random_seed(&g, 6);
    assert_int_equal(gfp_poly_random(&w.a, 300, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w.b, 300, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w.expected, &w.a, &w.b, &classical), GFP_OK);
    w.options.method = "toy";
    expect_toy(gfp_poly_mullow(&w.c, &w.a, &w.b, 300, &w.options), 0, 300);
    w.options.memory_cap = 30000;
    const gfp_status status = gfp_poly_mullow(&w.c, &w.a, &w.b, 300, &w.options);
    assert_true(runs > 3); /* blocks */
    expect_toy(status, 0, 300);
    lab_expect_status(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), GFP_ERR_MEMORY, &w.error,
                      "a whole product");
    assert_non_null(strstr(w.error.message, "toy"));
    w.options.memory_cap = (size_t)1 << 20;
    expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, 599);
}

/* The second product of a kind finds its plan in the field, and plans nothing. */
static void a_remembered_product_plans_nothing(void **state)
{
    static const size_t caps[] = {0, (size_t)1 << 20};
    (void)state;
    for (size_t i = 0; i < 2 * 2 * 3; i++) {
        w.options.method = i % 2 == 0 ? NULL : "toy";
        w.options.memory_cap = caps[i / 2 % 2];
        w.options.threads = (unsigned)(i / 4) + 1;
        for (unsigned again = 0; again < 3; again++) {
            plans = 0;
            expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, LEN);
            assert_true(again > 0 ? plans == 0 : plans > 0);
            assert_int_equal(w.report.threads, 1);
            plans = 0;
            expect_toy(gfp_poly_mulhigh(&w.c, &w.a, &w.b, 30, &w.options), 30, LEN - 30);
            assert_true(again > 0 ? plans == 0 : plans > 0);
        }
    }
    /* Another length is another question. */
    plans = 0;
    expect_toy(gfp_poly_mullow(&w.c, &w.a, &w.b, 30, &w.options), 0, 30);
    assert_true(plans > 0);
}

static void row_verification(void **state)
{
    (void)state;
    w.options.verify = GFP_VERIFY_POINT;
    expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, LEN);
    assert_true(w.report.points > 0);
    w.options.verify = GFP_VERIFY_CROSS;
    expect_toy(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), 0, LEN);
    assert_string_not_equal(w.report.cross_method, "toy");
    /* The row also checks other methods: it is the cheapest of another family. */
    w.options.method = "classical";
    assert_int_equal(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), GFP_OK);
    assert_string_equal(w.report.cross_method, "toy");
}

#define COUNT 20

static void row_batches(void **state)
{
    (void)state;
    const size_t k = gfp_field_k(w.field), la = 4, lb = 3, n = la + lb - 1;
    const gfp_batch batch = {.count = COUNT, .len_a = la, .len_b = lb};
    uint64_t *c = lab_array(COUNT * n * k);
    for (unsigned threads = 1; threads <= 3; threads++) {
        w.options.threads = threads;
        memset(c, 0, COUNT * n * k * sizeof *c);
        /* The factors overlap: each begins a coefficient after the one before. */
        gfp_batch one = batch;
        one.stride_a = 1;
        one.stride_b = 1;
        lab_expect_status(gfp_vec_mul_batch(w.field, c, w.a.digits, w.b.digits, &one, &w.options),
                          GFP_OK, &w.error, "batch");
        assert_string_equal(w.report.method, "toy");
        assert_int_equal(runs, COUNT);
        runs = 0;
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t *d = lab_array(n * k);
            const gfp_range r = {.field = w.field,
                                 .a = w.a.digits + i * k,
                                 .b = w.b.digits + i * k,
                                 .len_a = la,
                                 .len_b = lb,
                                 .end = n};
            assert_int_equal(gfp_range_run(gfp_method_find("classical"), &r, d, 0, NULL, NULL),
                             GFP_OK);
            assert_memory_equal(d, c + i * n * k, n * k * sizeof *d);
            lab_free(d);
        }
    }
    lab_free(c);
}

static void row_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/gfpoly-row-XXXXXX", path[3][64];
    static const char *const names[] = {"a", "b", "c"};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    }
    gfp_file *a = NULL, *b = NULL, *c = NULL;
    assert_int_equal(gfp_poly_store(&w.a, path[0], &w.error), GFP_OK);
    assert_int_equal(gfp_poly_store(&w.b, path[1], &w.error), GFP_OK);
    assert_int_equal(gfp_file_open(&a, path[0], w.field, NULL, &w.error), GFP_OK);
    assert_int_equal(gfp_file_open(&b, path[1], w.field, NULL, &w.error), GFP_OK);
    lab_expect_status(lab_file_mul(path[2], a, b, &w.options), GFP_OK, &w.error, "file");
    assert_int_equal(gfp_file_open(&c, path[2], w.field, NULL, &w.error), GFP_OK);
    assert_int_equal(gfp_file_get_info(c).length, LEN);
    assert_string_equal(w.report.method, "toy");
    assert_true(runs > 0);
    assert_true(gfp_vec_equal(w.field, gfp_file_get_info(c).digits, w.expected.digits, LEN));
    gfp_file_close(a);
    gfp_file_close(b);
    gfp_file_close(c);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(unlink(path[i]), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void operands_of_the_row(void **state)
{
    (void)state;
    gfp_operand *x = NULL;
    const gfp_options options = {.error = &w.error};
    lab_expect_status(operand_of(&x, &w.b, (gfp_space_spec){LEN, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_OK, &w.error, "operand");
    assert_string_equal(gfp_space_get_info(gfp_operand_space(x)).method, "toy");
    assert_int_equal(transforms, 1);
    assert_int_equal(gfp_poly_mul_operand(&w.c, 0, SIZE_MAX, &w.a, x, &options), GFP_OK);
    assert_true(gfp_poly_equal(&w.c, &w.expected));
    gfp_operand_destroy(x);
}

/* The queries of `gfpoly methods' and `gfpoly compare'. */
static void queries_and_picks(void **state)
{
    (void)state;
    const size_t index = gfp_method_count() - 1;
    assert_string_equal(gfp_method_name(index), "toy");
    for (unsigned i = 0; i < GFP_OPERATION_COUNT; i++) {
        const gfp_problem p = {.operation = (gfp_operation)i,
                               .len_a = LEN_A,
                               .len_b = LEN_B,
                               .from = 10,
                               .n = 30,
                               .count = 7};
        gfp_method_info info;
        assert_int_equal(gfp_method_query(&info, index, &p, w.field, NULL), GFP_OK);
        assert_string_equal(info.name, "toy");
        assert_true(info.available && info.estimate_ns > 0 && info.workspace > 0);
        assert_string_equal(gfp_method_pick(&p, w.field, NULL), "toy");
    }
    const gfp_problem p = {.len_a = 3000, .len_b = 3000};
    const gfp_options within = {.memory_cap = 1000};
    gfp_method_info info;
    assert_int_equal(gfp_method_query(&info, index, &p, w.field, &within), GFP_OK);
    assert_false(info.available);
    assert_non_null(strstr(info.reason, "the cap is 1000"));
    assert_string_not_equal(gfp_method_pick(&p, w.field, &within), "toy");
    /* The message that lists the methods contains the row. */
    w.options.method = "none";
    lab_expect_status(gfp_poly_mul(&w.c, &w.a, &w.b, &w.options), GFP_ERR_UNKNOWN, &w.error,
                      "no such method");
    assert_non_null(strstr(w.error.message, ", toy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(products_squares_and_parts, row_begin, row_end),
        cmocka_unit_test_setup_teardown(row_caps, row_begin, row_end),
        cmocka_unit_test_setup_teardown(a_remembered_product_plans_nothing, row_begin, row_end),
        cmocka_unit_test_setup_teardown(row_verification, row_begin, row_end),
        cmocka_unit_test_setup_teardown(row_batches, row_begin, row_end),
        cmocka_unit_test_setup_teardown(row_files, row_begin, row_end),
        cmocka_unit_test_setup_teardown(operands_of_the_row, row_begin, row_end),
        cmocka_unit_test_setup_teardown(queries_and_picks, row_begin, row_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
