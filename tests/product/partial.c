/* partial.c: low, high and middle products and any other range of coefficients, by every
 * method at every kernel level, against the same coefficients of whole classical products; with
 * verification, cancellation, failing allocations, caps on memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "lab/fixtures.h"

#include "field/base/context.h"
#include "gfpoly/poly.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "product/methods/row.h"
#include "lab/sanitized.h"

static gfp_field *open_field(size_t index, gfp_level level)
{
    const gfp_level before = gfp_cpu_level_get();
    gfp_field *field = NULL;
    assert_true(gfp_cpu_level_force(level));
    assert_int_equal(
        gfp_field_create_raw(&field, oracle_fields[index].r, oracle_fields[index].k, NULL, NULL),
        GFP_OK);
    assert_true(gfp_cpu_level_force(before));
    return field;
}

typedef enum pattern { RANDOM, TOP, HALF, SPECIAL, SPARSE, KINDS } pattern;

/* a := n coefficients, the last one not 0. */
static void partial_fill(gfp_poly *a, size_t n, pattern kind, gfp_random *g)
{
    const unsigned k = gfp_field_k(a->field);
    const uint64_t r = gfp_field_r(a->field);
    assert_int_equal(gfp_poly_fit_length(a, n), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t *x = a->digits + i * k;
        for (unsigned t = 0; t < k; t++) {
            x[t] = kind == TOP                     ? r - 1
                   : kind == HALF                  ? r / 2
                   : kind == SPECIAL && t + 1 == k ? r
                                                   : 0;
        }
        if (kind == RANDOM || (kind == SPARSE && i % 7 == 0)) {
            gfp_elem_random(a->field, x, g);
        }
    }
    if (n > 0 && gfp_elem_is_zero(a->field, a->digits + (n - 1) * k)) {
        gfp_elem_set_u64(a->field, a->digits + (n - 1) * k, 1);
    }
    assert_int_equal(gfp_poly_set_length(a, n), GFP_OK);
}

/* Two factors, their product by the classical method. */
typedef struct problem {
    gfp_poly a, b, whole;
} problem;

static void problem_open(problem *p, const gfp_field *field, size_t len_a, size_t len_b,
                         pattern kind, gfp_random *g)
{
    const gfp_options classical = {.method = "classical"};
    gfp_poly_init(&p->a, field);
    gfp_poly_init(&p->b, field);
    gfp_poly_init(&p->whole, field);
    partial_fill(&p->a, len_a, kind, g);
    partial_fill(&p->b, len_b, kind == HALF ? HALF : RANDOM, g);
    assert_int_equal(gfp_poly_mul(&p->whole, &p->a, &p->b, &classical), GFP_OK);
}

static void problem_close(problem *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->whole);
}

static void partial_check(const problem *p, size_t first, size_t n, const gfp_options *options)
{
    gfp_poly c, expected;
    gfp_poly_init(&c, p->a.field);
    gfp_poly_init(&expected, p->a.field);
    assert_int_equal(gfp_poly_shift_right(&expected, &p->whole, first), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&expected, &expected, n), GFP_OK);
    const gfp_status status = gfp_poly_mulmid(&c, &p->a, &p->b, first, n, options);
    if (status != GFP_ERR_UNAVAILABLE && (status != GFP_OK || !gfp_poly_equal(&c, &expected))) {
        fail_msg("%s over %s, lengths %zu and %zu, %zu from %zu: status %d, or wrong",
                 options->method == NULL ? "auto" : options->method, gfp_field_name(c.field),
                 p->a.len, p->b.len, n, first, (int)status);
    }
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

/* Low, high, middle, random and extreme ranges. */
static void check_ranges(const problem *p, const gfp_options *options, gfp_random *g)
{
    const size_t len = p->whole.len, la = p->a.len, lb = p->b.len;
    const size_t shorter = la < lb ? la : lb, longer = la < lb ? lb : la;
    partial_check(p, 0, longer, options);
    partial_check(p, 0, shorter, options);
    partial_check(p, longer - 1, SIZE_MAX, options);
    partial_check(p, shorter - 1, SIZE_MAX, options);
    partial_check(p, shorter - 1, longer - shorter + 1, options);
    partial_check(p, 0, 1, options);
    partial_check(p, len - 1, 1, options);
    partial_check(p, len, 5, options);
    partial_check(p, 0, SIZE_MAX, options);
    partial_check(p, SIZE_MAX, SIZE_MAX, options);
    for (int i = 0; i < 4; i++) {
        partial_check(p, gfp_random_below(g, len), gfp_random_below(g, len + 2), options);
    }
}

static const size_t lengths[][2] = {{1, 1},   {2, 1},   {5, 3},     {16, 16},   {33, 33}, {37, 19},
                                    {65, 33}, {99, 50}, {130, 130}, {199, 100}, {200, 7}, {3, 100}};

static void test_ranges(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t i = 0; i < oracle_field_count; i++) {
        for (gfp_level level = GFP_LEVEL_PORTABLE; level <= gfp_cpu_level_get(); level++) {
            if (!gfp_cpu_has(level)) {
                continue;
            }
            gfp_field *field = open_field(i, level);
            const unsigned k = gfp_field_k(field);
            const bool generic = gfp_field_r(field) < (uint64_t)1 << 32;
            const bool slow = k >= 64 && generic;
            const size_t step = SANITIZED ? 3 : 1;
            for (size_t j = i % step; j < sizeof lengths / sizeof *lengths; j += step) {
                problem p;
                const size_t work = lengths[j][0] * lengths[j][1];
                if (work > (slow ? 100 : generic || k >= 16 ? 2500 : 20000)) {
                    continue;
                }
                problem_open(&p, field, lengths[j][0], lengths[j][1], (pattern)((i + j) % KINDS),
                             &g);
                static const char *const methods[] = {"classical", "karatsuba", "hybrid"};
                for (size_t m = 0; m < 3; m++) {
                    const gfp_options options = {.method = methods[m]};
                    check_ranges(&p, &options, &g);
                }
                problem_close(&p);
            }
            gfp_field_destroy(field);
        }
    }
}

/* All rows of the table over true fields; verified, whose report names the method. */
static void test_rows_of_the_table(void **state)
{
    static const char *const names[] = {"p2", "p8", "p16", "16^4+1"};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t i = 0; i < 4; i++) {
        gfp_field *field = lab_create(names[i]);
        problem p;
        problem_open(&p, field, 79, 40, RANDOM, &g);
        for (size_t m = 0; m <= gfp_method_count(); m++) { /* the last one NULL: the pick */
            gfp_report report;
            gfp_options options = {.method = gfp_method_name(m), .report = &report};
            check_ranges(&p, &options, &g);
            options.verify = m % 2 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_CROSS;
            partial_check(&p, 39, 40, &options);
            partial_check(&p, 0, 40, &options);
        }
        problem_close(&p);
        gfp_field_destroy(field);
    }
}

/* Longer ones, where the chooser picks transforms; squares; an output that is a factor. */
static void test_long(void **state)
{
    static const size_t n = 1500;
    gfp_random g;
    gfp_field *field = lab_create("p4");
    problem p;
    gfp_poly low, high;
    (void)state;
    gfp_random_seed(&g, 3);
    for (int i = 0; i < 2; i++) {
        const gfp_options options = {0};
        problem_open(&p, field, i == 0 ? n : 2 * n - 1, n, RANDOM, &g);
        check_ranges(&p, &options, &g);
        problem_close(&p);
    }
    problem_open(&p, field, n, n, RANDOM, &g);
    gfp_poly_init(&low, field);
    gfp_poly_init(&high, field);
    assert_int_equal(gfp_poly_mul(&p.whole, &p.a, &p.a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mullow(&low, &p.a, &p.a, n, NULL), GFP_OK);
    assert_int_equal(gfp_poly_mulhigh(&p.a, &p.a, &p.a, n, NULL), GFP_OK);
    assert_int_equal(gfp_poly_shift_left(&high, &p.a, n), GFP_OK);
    assert_int_equal(gfp_poly_add(&low, &low, &high), GFP_OK);
    assert_true(gfp_poly_equal(&low, &p.whole));
    gfp_poly_clear(&low);
    gfp_poly_clear(&high);
    problem_close(&p);
    gfp_field_destroy(field);
}

/* ---- a cap on memory ---- */

/* Whether the part is computed within the cap, and nothing else except its coefficients is left. */
static bool check_cap(const problem *p, meter *h, const char *method, size_t first, size_t n,
                      size_t cap, gfp_verify verify)
{
    gfp_error error;
    const gfp_options options = {
        .method = method, .memory_cap = cap, .threads = 2, .error = &error, .verify = verify};
    const size_t result = n * gfp_field_k(p->a.field) * sizeof(uint64_t);
    gfp_poly c, expected;
    gfp_poly_init(&c, p->a.field);
    gfp_status status = gfp_poly_mulmid(&c, &p->a, &p->b, first, n, &options);
    gfp_poly_clear(&c); /* the tables are there now */
    h->peak = h->bytes;
    const size_t most = h->bytes + cap + result;
    const gfp_status again = gfp_poly_mulmid(&c, &p->a, &p->b, first, n, &options);
    assert_int_equal(status, again);
    assert_true(h->peak <= most);
    if (status == GFP_OK) {
        gfp_poly_init(&expected, p->a.field);
        assert_int_equal(gfp_poly_shift_right(&expected, &p->whole, first), GFP_OK);
        assert_int_equal(gfp_poly_truncate(&expected, &expected, n), GFP_OK);
        assert_true(gfp_poly_equal(&c, &expected));
        gfp_poly_clear(&expected);
    } else {
        lab_expect_status(status, GFP_ERR_MEMORY, &error, "a small cap");
        assert_int_equal(c.len, 0);
    }
    gfp_poly_clear(&c);
    return status == GFP_OK;
}

static void test_cap(void **state)
{
    static const struct {
        const char *name;
        bool refuses; /* a cap of 1 KiB */
    } methods[] = {{"classical", false}, {"karatsuba", true}, {"hybrid", true},
                   {"bigfft", true},     {"crt", true},       {NULL, false}};
    static const size_t shapes[][4] = {
        /* lengths, the part's first coefficient and length */
        {300, 300, 0, 300},
        {300, 300, 299, 300},
        {599, 300, 299, 300},
        {900, 40, 500, 30},
    };
    meter h = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&h);
    gfp_field *field = NULL;
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 6);
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    gfp_field_limit_memory(field, 0);
    for (size_t i = 0; LAB_ROW(shapes, i); i++) {
        const size_t first = shapes[i][2], n = shapes[i][3];
        problem p;
        problem_open(&p, field, shapes[i][0], shapes[i][1], RANDOM, &g);
        for (size_t m = 0; LAB_ROW(methods, m); m++) {
            const char *method = methods[m].name;
            size_t served = 0;
            for (size_t cap = 1024; cap < (size_t)1 << 22; cap *= 2) {
                /* The check of a part takes nothing. */
                const bool done = check_cap(&p, &h, method, first, n, cap, GFP_VERIFY_NONE);
                assert_int_equal(check_cap(&p, &h, method, first, n, cap, GFP_VERIFY_POINT), done);
                served += done;
            }
            if (served <= 3 || (served == 12 && methods[m].refuses)) {
                fail_msg("shape %zu, %s: %zu of 12 caps are kept", i,
                         method != NULL ? method : "auto", served);
            }
        }
        problem_close(&p);
    }
    gfp_field_destroy(field);
    meter_expect_empty(&h);
}

/* Parts anywhere, of factors of any lengths, in blocks: calls keep to the announced work space, and
 * every problem that the chooser accepts is computed. */
static void test_blocks(void **state)
{
    static const char *const methods[] = {"classical", "karatsuba", "hybrid", "bigfft", "crt"};
    meter h = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&h);
    gfp_field *field = NULL;
    gfp_random g;
    size_t served = 0;
    (void)state;
    gfp_random_seed(&g, 7);
    assert_int_equal(gfp_field_create(&field, "p2", &allocator, NULL), GFP_OK);
    gfp_field_limit_memory(field, 0);
    for (size_t i = 0; i < (SANITIZED ? 60 : 300); i++) {
        const size_t len_a = 1 + gfp_random_below(&g, i % 3 == 0 ? 1500 : 400);
        const size_t len_b = 1 + gfp_random_below(&g, i % 4 == 0 ? 1500 : 400);
        const size_t len = len_a + len_b - 1, first = gfp_random_below(&g, len);
        const size_t n = 1 + gfp_random_below(&g, i % 5 == 0 ? 40 : len - first);
        const size_t cap = (size_t)1 << (10 + gfp_random_below(&g, 8));
        const size_t method = gfp_random_below(&g, 5);
        const gfp_problem asked = {.operation = GFP_OPERATION_MIDDLE,
                                   .len_a = len_a,
                                   .len_b = len_b,
                                   .from = first,
                                   .n = n};
        const gfp_options within = {.threads = 2, .memory_cap = cap};
        gfp_method_info info = {.available = false};
        problem p;
        problem_open(&p, field, len_a, len_b, RANDOM, &g);
        for (size_t row = 0; row < gfp_method_count(); row++) {
            if (strcmp(gfp_method_name(row), methods[method]) == 0) {
                assert_int_equal(gfp_method_query(&info, row, &asked, field, &within), GFP_OK);
            }
        }
        const bool done = check_cap(&p, &h, methods[method], first, n, cap, GFP_VERIFY_NONE);
        assert_true(done || !info.available);
        served += done;
        problem_close(&p);
    }
    assert_in_range(served, SANITIZED ? 20 : 100, SANITIZED ? 59 : 299);
    gfp_field_destroy(field);
    meter_expect_empty(&h);
}

/* Parts in which a short last piece makes the largest block, of stripes in the middle. */
static void test_the_largest_block_is_anywhere(void **state)
{
    static const struct {
        const char *field, *method;
        size_t len_a, len_b, first, n, cap;
    } parts[] = {{"p8", "hybrid", 1045, 2404, 830, 2465, 97000},
                 {"p8", "hybrid", 2615, 1812, 1485, 1291, 61100},
                 {"m64", "hybrid", 1134, 2467, 1133, 2272, 893000},
                 {"m64", "hybrid", 302, 739, 301, 688, 433000}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 10);
    for (size_t i = 0; LAB_ROW(parts, i); i++) {
        meter h = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&h);
        gfp_field *field = NULL;
        problem p;
        assert_int_equal(gfp_field_create(&field, parts[i].field, &allocator, NULL), GFP_OK);
        gfp_field_limit_memory(field, 0);
        problem_open(&p, field, parts[i].len_a, parts[i].len_b, RANDOM, &g);
        assert_true(check_cap(&p, &h, parts[i].method, parts[i].first, parts[i].n, parts[i].cap,
                              GFP_VERIFY_NONE));
        problem_close(&p);
        gfp_field_destroy(field);
        meter_expect_empty(&h);
    }
}

static double part_seconds(const problem *p, size_t first, size_t n, size_t cap)
{
    const gfp_options options = {.method = "karatsuba", .memory_cap = cap, .threads = 1};
    const clock_t start = clock();
    gfp_poly c;
    gfp_poly_init(&c, p->a.field);
    assert_int_equal(gfp_poly_mulmid(&c, &p->a, &p->b, first, n, &options), GFP_OK);
    assert_int_equal(c.len, n);
    gfp_poly_clear(&c);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The time of very many short blocks grows as their number, not as its square. */
static void test_blocks_of_a_short_factor_are_quick(void **state)
{
    enum { LENGTH = 1 << 20 };
    gfp_random g;
    gfp_field *field = lab_create("p2");
    problem p = {.whole = {.field = NULL}};
    double free = HUGE_VAL, capped = HUGE_VAL;
    (void)state;
    gfp_random_seed(&g, 11);
    gfp_poly_init(&p.a, field);
    gfp_poly_init(&p.b, field);
    assert_int_equal(gfp_poly_random(&p.a, LENGTH, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&p.b, 20, &g), GFP_OK);
    for (unsigned i = 0; i < 2; i++) {
        free = fmin(free, part_seconds(&p, 5000, 800000, 0));
        capped = fmin(capped, part_seconds(&p, 5000, 800000, 3000));
    }
    if (capped > 10 * free) {
        fail_msg("%g s within a cap, %g s without", capped, free);
    }
    gfp_poly_clear(&p.a);
    gfp_poly_clear(&p.b);
    gfp_field_destroy(field);
}

/* Few coefficients of a product of far longer factors, in memory for short blocks only. */
static void test_few_of_a_long_product(void **state)
{
    gfp_random g;
    gfp_field *field = lab_create("p2");
    problem p;
    (void)state;
    gfp_random_seed(&g, 9);
    problem_open(&p, field, 6000, 6000, RANDOM, &g);
    const gfp_options options = {.method = "hybrid", .memory_cap = 60000};
    partial_check(&p, 5990, 3, &options);
    partial_check(&p, 0, 5, &options);
    partial_check(&p, 11990, 9, &options);
    problem_close(&p);
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_rows_of_the_table),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_few_of_a_long_product),
        cmocka_unit_test(test_the_largest_block_is_anywhere),
        cmocka_unit_test(test_blocks_of_a_short_factor_are_quick),
    };
    return cmocka_run_group_tests_name("partial", tests, lab_setup_count, NULL);
}
