/* mul.c: products of files in little memory against products in much: caps, threads,
 * failing allocations, cancelling.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/files/lab.h"
#include "lab/meter.h"
#include "lab/rows.h"

#include "gfpoly/methods.h"

/* ---- products ---- */

/* The product of files x and y by these options is that of the polynomials. */
static void expect_product(const lab *l, const gfp_poly *a, const gfp_poly *b,
                           const gfp_options *options)
{
    gfp_file *x = NULL, *y = NULL, *z = NULL;
    gfp_poly c;
    gfp_poly_init(&c, l->field);
    lab_store(a, "x");
    lab_store(b, "y");
    assert_int_equal(gfp_poly_mul(&c, a, b, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&x, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&y, "y", l->field, NULL, NULL), GFP_OK);
    const gfp_status status = lab_file_mul("z", x, a == b ? x : y, options);
    if (status != GFP_OK) {
        fail_msg("%s, %zu by %zu, cap %zu: %s", l->entry->text, a->len, b->len, options->memory_cap,
                 options->error->message);
    }
    assert_int_equal(gfp_file_open(&z, "z", l->field, NULL, NULL), GFP_OK);
    if (gfp_file_get_info(z).length != c.len ||
        (c.len > 0 && memcmp(gfp_file_get_info(z).digits, c.digits, 8 * l->k * c.len) != 0)) {
        fail_msg("%s, %zu by %zu, cap %zu: another product", l->entry->text, a->len, b->len,
                 options->memory_cap);
    }
    gfp_file_close(x);
    gfp_file_close(y);
    gfp_file_close(z);
    gfp_poly_clear(&c);
}

/* The bytes that hybrid needs for blocks that are not cut further. */
static size_t least_cap(const lab *l)
{
    gfp_method_info info = {.workspace = 0};
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), "hybrid") == 0) {
            assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = 64, .len_b = 64},
                                              l->field, NULL),
                             GFP_OK);
        }
    }
    return info.workspace > 10000 ? info.workspace : 10000; /* short products: on the stack */
}

/* Caps from the need of one block of 64 up to that of the whole product: every way to compute a
 * block. */
static void test_products_in_little_memory_are_right(void **state)
{
    static const size_t lengths[][2] = {{1, 1},     {1, 300},   {300, 299}, {257, 130},
                                        {513, 200}, {640, 641}, {900, 70},  {0, 5}};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (l->k >= 64 && l->o.r < UINT64_C(1) << 32) {
            continue; /* the reference kernels: a second each */
        }
        const size_t most = least_cap(l) * (l->k < 32 ? 100 : 7);
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            gfp_error error = {.message = ""};
            gfp_report report = {.method = NULL};
            gfp_options options = {.error = &error, .report = &report, .verify_seed = 7};
            gfp_poly a, b;
            gfp_poly_init(&a, l->field);
            if (l->k >= 32 && (f + i) % 3 != 0) {
                continue;
            }
            gfp_poly_init(&b, l->field);
            lab_fill(l, &a, lengths[i][0], f);
            lab_fill(l, &b, lengths[i][1], i);
            for (size_t cap = least_cap(l); cap < most; cap *= 6) {
                options.memory_cap = cap;
                options.method = (f + i) % 3 == 0 ? NULL : "hybrid";
                options.verify = (f + i) % 2 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
                expect_product(l, &a, &b, &options);
                expect_product(l, &a, &a, &options);
            }
            gfp_poly_clear(&a);
            gfp_poly_clear(&b);
        }
    }
    assert_int_equal(count_files(".gfpoly-"), 0);
}

static void test_every_method_serves_files(void **state)
{
    const lab *l = lab_named("p8");
    gfp_poly a, b;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    lab_fill(l, &a, 2411, 1);
    lab_fill(l, &b, 1307, 2);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_error error = {.message = ""};
        gfp_report report = {.method = NULL};
        gfp_method_info info;
        gfp_options options = {.method = gfp_method_name(i),
                               .verify = GFP_VERIFY_CROSS,
                               .error = &error,
                               .report = &report};
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = 2411, .len_b = 1307},
                                          l->field, NULL),
                         GFP_OK);
        for (unsigned shift = 0; info.available && shift < 3; shift++) {
            options.memory_cap = (info.workspace >> shift) + least_cap(l);
            expect_product(l, &a, &b, &options);
            assert_string_equal(report.method, info.name);
            assert_int_equal(report.verified, GFP_VERIFY_CROSS);
            assert_string_not_equal(report.cross_method, info.name);
        }
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

/* With ever smaller caps: in memory; in steps, with leaves in a scratch file; in halves. */
static void test_the_plan_is_told(void **state)
{
    static const struct {
        size_t cap;
        const char *line;
    } rows[] = {{0, "file:      in memory\n"},
                {100000000, "file:      in memory\n"},
                {600000, "file:      in steps, "},
                {100000, "cuts:      "}};
    const lab *l = lab_named("p8");
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, 20000, 3);
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        gfp_error error = {.message = ""};
        gfp_plan_text plan = {.text = ""};
        const gfp_options options = {.method = "hybrid",
                                     .memory_cap = rows[i].cap,
                                     .threads = 2,
                                     .error = &error,
                                     .plan = &plan};
        expect_product(l, &a, &a, &options);
        if (strstr(plan.text, rows[i].line) == NULL) {
            fail_msg("no \"%s\" in\n%s", rows[i].line, plan.text);
        }
    }
    gfp_poly_clear(&a);
}

static void test_a_cap_too_small_is_refused_with_its_reason(void **state)
{
    const lab *l = lab_named("p128");
    gfp_error error = {.message = ""};
    const gfp_options options = {.memory_cap = 5000, .error = &error, .method = "hybrid"};
    gfp_file *x = NULL;
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, 100, 3);
    lab_store(&a, "x");
    assert_int_equal(gfp_file_open(&x, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(lab_file_mul("z1", x, x, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "the cap is 5000"));
    assert_int_equal(count_files("z1"), 0);
    gfp_file_close(x);
    gfp_poly_clear(&a);
}

/* Allocations stay below the cap; a cap that is too small is refused with a reason. */
static void test_the_cap_holds(void **state)
{
    const lab *l = lab_named("p8");
    (void)state;
    for (size_t cap = 1000; cap < 40000000; cap *= 3) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_error error = {.message = ""};
        const gfp_options options = {.memory_cap = cap, .error = &error};
        gfp_field *field = NULL;
        gfp_file *x = NULL;
        gfp_poly a;
        gfp_poly_init(&a, l->field);
        lab_fill(l, &a, cap < 300000 ? 2000 : 20000, 3);
        lab_store(&a, "x");
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        assert_int_equal(gfp_file_open(&x, "x", field, NULL, NULL), GFP_OK);
        const size_t before = m.bytes;
        m.peak = before;
        const gfp_status status = lab_file_mul("z", x, x, &options);
        if (status != GFP_OK) { /* short blocks may need the stack alone */
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_in_range(cap, 0, 100000);
            assert_non_null(strstr(error.message, "cap"));
        }
        assert_in_range(m.peak - before, 0, cap + 20000); /* names, tables of a few constants */
        gfp_file_close(x);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
        gfp_poly_clear(&a);
    }
    assert_int_equal(count_files(".gfpoly-"), 0);
}

static void test_failing_allocations_leave_nothing(void **state)
{
    const lab *l = lab_named("p8");
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, 700, 3);
    lab_store(&a, "x");
    put_bytes("old", (const unsigned char *)"old\n", 4);
    gfp_status status = GFP_ERR_MEMORY;
    for (size_t n = 0; status != GFP_OK; n++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        const gfp_options options = {.memory_cap = 100000, .method = "hybrid"};
        gfp_field *field = NULL;
        gfp_file *x = NULL;
        assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
        m.fail_at = m.calls + n;
        status = gfp_file_open(&x, "x", field, NULL, NULL);
        status = status == GFP_OK ? lab_file_mul("old", x, x, &options) : status;
        gfp_file_close(x);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
        assert_int_equal(count_files(".gfpoly-"), 0);
        if (status != GFP_OK) {
            assert_int_equal(status, GFP_ERR_MEMORY);
            expect_old("old");
        }
        assert_in_range(n, 0, 1000);
    }
    gfp_poly_clear(&a);
}

/* ---- progress ---- */

static void test_cancelled_anywhere_it_leaves_nothing(void **state)
{
    const lab *l = lab_named("p8");
    gfp_file *x = NULL;
    gfp_poly a;
    (void)state;
    gfp_poly_init(&a, l->field);
    lab_fill(l, &a, 3000, 3);
    lab_store(&a, "x");
    assert_int_equal(gfp_file_open(&x, "x", l->field, NULL, NULL), GFP_OK);
    for (int verify = GFP_VERIFY_NONE; verify <= GFP_VERIFY_CROSS; verify++) {
        gfp_status status = GFP_ERR_CANCELLED;
        put_bytes("old", (const unsigned char *)"old\n", 4);
        for (size_t n = 0; status != GFP_OK; n += 1 + n / 8) {
            host h = {.stop_at = n};
            const gfp_progress progress = {lab_step, &h};
            const gfp_options options = {
                .memory_cap = 300000, .verify = (gfp_verify)verify, .progress = &progress};
            status = lab_file_mul("old", x, x, &options);
            assert_false(h.wrong);
            assert_int_equal(count_files(".gfpoly-"), 0);
            if (status != GFP_OK) {
                assert_int_equal(status, GFP_ERR_CANCELLED);
                assert_int_equal(h.calls, n + 1);
                expect_old("old");
            } else {
                assert_true(h.last == 1);
            }
        }
    }
    gfp_file_close(x);
    gfp_poly_clear(&a);
}

/* By any number of threads, within any cap and with every verification the same file. */
static void test_threads_change_nothing(void **state)
{
    static const size_t caps[] = {0, 8000000, 300000, 100000};
    const lab *l = lab_named("p8");
    gfp_file *x = NULL, *y = NULL;
    gfp_poly a, b, c, d;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    gfp_poly_init(&c, l->field);
    gfp_poly_init(&d, l->field);
    lab_fill(l, &a, 4000, 3);
    lab_fill(l, &b, 3000, 4);
    lab_store(&a, "x");
    lab_store(&b, "y");
    assert_int_equal(gfp_file_open(&x, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&y, "y", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mul(&c, &a, &b, NULL), GFP_OK);
    for (size_t i = 0; i < 3 * sizeof caps / sizeof *caps; i++) {
        gfp_report report = {.method = NULL};
        const gfp_options options = {.memory_cap = caps[i / 3],
                                     .verify = (gfp_verify)(GFP_VERIFY_NONE + i % 3),
                                     .report = &report,
                                     .threads = 2 + (unsigned)(i % 2)};
        assert_int_equal(lab_file_mul("z2", x, y, &options), GFP_OK);
        assert_int_equal(gfp_poly_load(&d, "z2", NULL), GFP_OK);
        assert_true(gfp_poly_equal(&c, &d));
        /* Also with a scratch file; the least cap leaves room for one leaf's work, on one thread.
         */
        const unsigned most = gfp_build_get_info()->threads ? options.threads : 1;
        assert_in_range(report.threads, i / 3 < 3 ? most : 1, most);
    }
    gfp_file_close(x);
    gfp_file_close(y);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
}

static void test_arguments_are_checked(void **state)
{
    const lab *l = lab_named("p8"), *other = lab_named("p4");
    gfp_file *x = NULL, *y = NULL, *z = NULL;
    gfp_poly a, b;
    gfp_error error = {.message = ""};
    gfp_options options = {.error = &error, .method = "no such"};
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, other->field);
    lab_fill(l, &a, 30, 3);
    lab_fill(other, &b, 30, 3);
    lab_store(&a, "x");
    lab_store(&b, "y");
    assert_int_equal(gfp_file_open(&x, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&y, "y", l->field, NULL, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_file_open(&y, "y", other->field, NULL, NULL), GFP_OK);
    assert_int_equal(lab_file_mul("z1", x, y, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(lab_file_mul("z1", x, x, &options), GFP_ERR_UNKNOWN);
    assert_int_equal(gfp_file_create(&z, "z1", l->field, 58, NULL), GFP_OK);
    assert_int_equal(gfp_file_mul(z, x, x, NULL), GFP_ERR_ARGUMENT);
    gfp_file_close(z);
    assert_int_equal(gfp_file_mul(x, x, x, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(count_files("z1"), 0);
    gfp_file_close(NULL);
    gfp_file_close(x);
    gfp_file_close(y);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

/* An operand's file may be the product's. */
static void test_a_product_may_replace_its_operand(void **state)
{
    const lab *l = lab_named("m4");
    gfp_file *x = NULL;
    gfp_poly a, b;
    (void)state;
    gfp_poly_init(&a, l->field);
    gfp_poly_init(&b, l->field);
    lab_fill(l, &a, 100, 3);
    lab_store(&a, "x");
    assert_int_equal(gfp_file_open(&x, "x", NULL, NULL, NULL), GFP_OK);
    assert_int_equal(lab_file_mul("x", x, x, NULL), GFP_OK);
    gfp_file_close(x);
    assert_int_equal(gfp_poly_sqr(&a, &a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_load(&b, "x", NULL), GFP_OK);
    assert_true(gfp_poly_equal(&a, &b));
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_in_little_memory_are_right),
        cmocka_unit_test(test_every_method_serves_files),
        cmocka_unit_test(test_the_plan_is_told),
        cmocka_unit_test(test_a_cap_too_small_is_refused_with_its_reason),
        cmocka_unit_test(test_the_cap_holds),
        cmocka_unit_test(test_failing_allocations_leave_nothing),
        cmocka_unit_test(test_cancelled_anywhere_it_leaves_nothing),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_arguments_are_checked),
        cmocka_unit_test(test_a_product_may_replace_its_operand),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
