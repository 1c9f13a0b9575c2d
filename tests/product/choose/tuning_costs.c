/* tuning_costs.c: the part of test_tuning on costs: the chooser's use of a tuning's rows; measuring
 * them, and cancelling that.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/choose/lab.h"
#include "lab/rows.h"
#include "product/choose/tuning.h"

#include <math.h>
#include <string.h>

/* ---- the chooser ---- */

/* The estimate for two factors of length len. */
static double tuning_costs_estimate(const gfp_tuning *tuning, const gfp_field *field, size_t len,
                                    const char *method)
{
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), method) == 0) {
            gfp_method_info info;
            assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = len, .len_b = len},
                                              field, &(gfp_options){.tuning = tuning}),
                             GFP_OK);
            return info.estimate_ns;
        }
    }
    fail_msg("no method %s", method);
    return 0;
}

static void expect_near(double x, double y)
{
    if (!(fabs(x - y) <= 1e-9 * fabs(y))) {
        fail_msg("%.17g is not %.17g", x, y);
    }
}

static void estimates_are_interpolated_in_the_logarithm(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    set(tuning, p8, 16, "classical", 1000);
    set(tuning, p8, 256, "classical", 81000);
    set(tuning, p8, 64, "karatsuba", 500); /* classical has no entry there */
    expect_near(tuning_costs_estimate(tuning, p8, 16, "classical"), 1000);
    expect_near(tuning_costs_estimate(tuning, p8, 256, "classical"), 81000);
    expect_near(tuning_costs_estimate(tuning, p8, 32, "classical"), 3000);
    expect_near(tuning_costs_estimate(tuning, p8, 64, "classical"), 9000);
    expect_near(tuning_costs_estimate(tuning, p8, 128, "classical"), 27000);
    /* Beyond, along the compiled-in curve. */
    double beyond = tuning_costs_estimate(NULL, p8, 512, "classical") /
                    tuning_costs_estimate(NULL, p8, 256, "classical");
    expect_near(tuning_costs_estimate(tuning, p8, 512, "classical"), beyond * 81000);
    double before = tuning_costs_estimate(NULL, p8, 4, "classical") /
                    tuning_costs_estimate(NULL, p8, 16, "classical");
    expect_near(tuning_costs_estimate(tuning, p8, 4, "classical"), before * 1000);
    double after = tuning_costs_estimate(NULL, p8, 128, "karatsuba") /
                   tuning_costs_estimate(NULL, p8, 64, "karatsuba");
    expect_near(tuning_costs_estimate(tuning, p8, 128, "karatsuba"), after * 500);
    /* A method that was not measured has its compiled-in costs. */
    expect_near(tuning_costs_estimate(tuning, p8, 64, "bigfft"),
                tuning_costs_estimate(NULL, p8, 64, "bigfft"));
    gfp_tuning_destroy(tuning);
}

/* A field with rows takes methods that its rows lack from its neighbours, above or below; adding a
 * row does not remove them. */
static void rows_of_ones_own_hide_no_neighbour(void **state)
{
    (void)state;
    const gfp_field *pair[2][2] = {{m8, p8}, {p8, m8}};
    for (int i = 0; i < 2; i++) {
        const gfp_field *measured = pair[i][0], *asked = pair[i][1];
        gfp_tuning *tuning = empty();
        set(tuning, measured, 1024, "bigfft", 111e6);
        expect_near(tuning_costs_estimate(tuning, asked, 1024, "bigfft"), 111e6);
        set(tuning, asked, 1024, "classical", 0);
        assert_int_equal(gfp_tuning_count(tuning), 1);
        set(tuning, asked, 1024, "classical", 5e6);
        expect_near(tuning_costs_estimate(tuning, asked, 1024, "bigfft"), 111e6);
        expect_near(tuning_costs_estimate(tuning, asked, 1024, "classical"), 5e6);
        gfp_tuning_destroy(tuning);
    }
    /* Length 1 is where it was entered. */
    gfp_tuning *tuning = empty();
    set(tuning, p8, 1, "bigfft", 400);
    expect_near(tuning_costs_estimate(tuning, p8, 1, "bigfft"), 400);
    gfp_tuning_destroy(tuning);
}

static void a_field_without_entries_takes_the_nearest(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    set(tuning, p8, 16, "classical", 1000);
    expect_near(tuning_costs_estimate(tuning, m8, 16, "classical"), 1000);
    set(tuning, m8, 16, "classical", 7);
    set(tuning, m8, 16, "bigfft", 11);
    expect_near(tuning_costs_estimate(tuning, p8, 16, "classical"), 1000);
    expect_near(tuning_costs_estimate(tuning, m8, 16, "classical"), 7);
    /* Between the radices 2^59 + ... of m8 and 2^63 + ... of p8: the nearer one. */
    gfp_field *near_m8 = NULL, *near_p8 = NULL;
    for (uint64_t r = (UINT64_C(1) << 60); near_m8 == NULL; r += 2) {
        gfp_status status = gfp_field_create_rk(&near_m8, r, 8, NULL, NULL);
        assert_true(status == GFP_OK || status == GFP_ERR_COMPOSITE);
    }
    for (uint64_t r = (UINT64_C(1) << 63) + (UINT64_C(1) << 62); near_p8 == NULL; r += 2) {
        gfp_status status = gfp_field_create_rk(&near_p8, r, 8, NULL, NULL);
        assert_true(status == GFP_OK || status == GFP_ERR_COMPOSITE);
    }
    expect_near(tuning_costs_estimate(tuning, near_m8, 16, "classical"), 7);
    expect_near(tuning_costs_estimate(tuning, near_p8, 16, "classical"), 1000);
    /* No field of this k has the method: compiled in. p8 itself has no time of bigfft: m8's. */
    expect_near(tuning_costs_estimate(tuning, near_m8, 16, "karatsuba"),
                tuning_costs_estimate(NULL, near_m8, 16, "karatsuba"));
    expect_near(tuning_costs_estimate(tuning, p8, 16, "bigfft"), 11);
    gfp_field_destroy(near_m8);
    gfp_field_destroy(near_p8);
    /* Another k: the compiled-in costs. */
    for (size_t len = 1; len < 5000; len *= 3) {
        expect_near(tuning_costs_estimate(tuning, p4, len, "classical"),
                    tuning_costs_estimate(NULL, p4, len, "classical"));
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = len, .len_b = len}, p4,
                                            &(gfp_options){.tuning = tuning}),
                            gfp_method_pick(&(gfp_problem){.len_a = len, .len_b = len}, p4, NULL));
    }
    gfp_tuning_destroy(tuning);
}

/* Every method that can serve is the pick of a tuning that says it is the fastest, and computes. */
static void a_tuning_decides_the_pick(void **state)
{
    gfp_random g;
    gfp_poly a, b, c;
    (void)state;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, p8);
    gfp_poly_init(&b, p8);
    gfp_poly_init(&c, p8);
    assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 100, &g), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const char *fastest = gfp_method_name(i);
        gfp_method_info info;
        assert_int_equal(
            gfp_method_query(&info, i, &(gfp_problem){.len_a = 100, .len_b = 100}, p8, NULL),
            GFP_OK);
        if (!info.available) {
            continue;
        }
        gfp_tuning *tuning = empty();
        for (size_t j = 0; j < gfp_method_count(); j++) {
            set(tuning, p8, 128, gfp_method_name(j), i == j ? 10 : 1000);
        }
        gfp_report report = {.method = NULL};
        gfp_options options = {.verify = GFP_VERIFY_CROSS, .report = &report, .tuning = tuning};
        assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
        assert_string_equal(report.method, fastest);
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 100, .len_b = 100}, p8,
                                            &(gfp_options){.tuning = tuning}),
                            fastest);
        /* The field's cached picks by other tunings, and without one, do not count for a newly read
         * tuning. */
        gfp_tuning *read = NULL;
        FILE *stream = tmpfile();
        assert_non_null(stream);
        assert_non_null(gfp_method_pick(&(gfp_problem){.len_a = 100, .len_b = 100}, p8, NULL));
        assert_int_equal(gfp_tuning_fwrite(tuning, stream), GFP_OK);
        rewind(stream);
        assert_int_equal(gfp_tuning_fread(&read, stream, NULL, NULL), GFP_OK);
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 100, .len_b = 100}, p8,
                                            &(gfp_options){.tuning = read}),
                            fastest);
        assert_int_equal(fclose(stream), 0);
        gfp_tuning_destroy(read);
        gfp_tuning_destroy(tuning);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
}

/* The second method of a cross-check is the tuning's cheapest of another family. */
static void a_tuning_decides_the_cross_check(void **state)
{
    gfp_poly a, c;
    (void)state;
    if (gfp_build_get_info()->flint[0] == '\0') {
        skip();
    }
    gfp_poly_init(&a, p8);
    gfp_poly_init(&c, p8);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 40, 3), GFP_OK);
    static const char *const second[] = {"flint", "multimodular"};
    for (size_t i = 0; i < 2; i++) {
        gfp_tuning *tuning = empty();
        set(tuning, p8, 32, "classical", 5);
        set(tuning, p8, 32, second[i], 10);
        set(tuning, p8, 32, second[1 - i], 1e9);
        gfp_report report = {.method = NULL};
        gfp_options options = {.verify = GFP_VERIFY_CROSS, .report = &report, .tuning = tuning};
        assert_int_equal(gfp_poly_sqr(&c, &a, &options), GFP_OK);
        assert_string_equal(report.cross_method, second[i]);
        gfp_tuning_destroy(tuning);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
}

/* ---- operations, threads, unequal lengths ---- */

typedef struct question {
    gfp_problem problem;
    gfp_options options;
} question;

static gfp_method_info info_of(const gfp_field *field, const question *asked, const char *method)
{
    gfp_method_info info = {.name = ""};
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), method) == 0) {
            assert_int_equal(gfp_method_query(&info, i, &asked->problem, field, &asked->options),
                             GFP_OK);
        }
    }
    assert_string_equal(info.name, method);
    return info;
}

static double time_of(const question *asked, const char *method)
{
    return info_of(p8, asked, method).estimate_ns;
}

/* The estimate of a measured problem is its time; the ratio corrects other lengths, operations and
 * threads. */
static void operations_have_times_of_their_own(void **state)
{
    static const gfp_operation operations[] = {GFP_OPERATION_SQUARE, GFP_OPERATION_LOW,
                                               GFP_OPERATION_MIDDLE, GFP_OPERATION_OPERAND};
    (void)state;
    for (size_t i = 0; LAB_ROW(operations, i); i++) {
        const bool middle = operations[i] == GFP_OPERATION_MIDDLE;
        const size_t n = 4096, len = middle ? 2 * n - 1 : n;
        question p = {.problem = {.operation = operations[i],
                                  .len_a = len,
                                  .len_b = n,
                                  .n = n,
                                  .from = middle ? n - 1 : 0},
                      .options = {.threads = 1}};
        question product = {.problem = {.len_a = n, .len_b = n}, .options = {.threads = 1}};
        const double built_in = time_of(&p, "hybrid");
        assert_string_equal(info_of(p8, &p, "hybrid").source, "built-in");
        gfp_tuning *tuning = empty();
        p.options.tuning = product.options.tuning = tuning;
        set_row(tuning, GFP_OPERATION_PRODUCT, 1, n, n, "hybrid", 3e6);
        const question untuned = {.problem = {.len_a = n, .len_b = n}, .options = {.threads = 1}};
        const double scale = 3e6 / time_of(&untuned, "hybrid");
        assert_true(fabs(time_of(&p, "hybrid") / (scale * built_in) - 1) < 0.3);
        assert_string_equal(info_of(p8, &p, "hybrid").source, "derived");
        set_row(tuning, operations[i], 1, len, n, "hybrid", 12345);
        expect_near(time_of(&p, "hybrid"), 12345);
        expect_near(time_of(&product, "hybrid"), 3e6);
        assert_string_equal(info_of(p8, &p, "hybrid").source, "measured");
        /* Elsewhere by the same factor; between two rows in between; others keep theirs. */
        question half = p;
        half.problem.len_a = middle ? n - 1 : n / 2;
        half.problem.len_b = half.problem.n = n / 2;
        half.problem.from = middle ? n / 2 - 1 : 0;
        const double derived = time_of(&half, "hybrid");
        set_row(tuning, operations[i], 1, half.problem.len_a, n / 2, "hybrid", 2 * derived);
        expect_near(time_of(&half, "hybrid"), 2 * derived);
        expect_near(time_of(&p, "hybrid"), 12345);
        assert_string_equal(gfp_method_pick(&p.problem, p8, &p.options), "hybrid");
        gfp_tuning_destroy(tuning);
    }
}

/* Rows of several threads give the share of the work that threads divide, also for other numbers of
 * threads and other operations. */
static void threads_have_times_of_their_own(void **state)
{
    question p = {.problem = {.len_a = 4096, .len_b = 4096}, .options = {.threads = 1}};
    (void)state;
    gfp_tuning *tuning = empty();
    p.options.tuning = tuning;
    set_row(tuning, GFP_OPERATION_PRODUCT, 1, 4096, 4096, "hybrid", 1e6);
    p.options.threads = 4;
    if (info_of(p8, &p, "hybrid").threads == 1) { /* built without threads */
        gfp_tuning_destroy(tuning);
        skip();
    }
    const double guess = time_of(&p, "hybrid");
    assert_true(guess < 0.5e6);
    assert_string_equal(info_of(p8, &p, "hybrid").source, "derived");
    set_row(tuning, GFP_OPERATION_PRODUCT, 4, 4096, 4096, "hybrid", 7e5);
    expect_near(time_of(&p, "hybrid"), 7e5);
    assert_int_equal(info_of(p8, &p, "hybrid").threads, 4);
    assert_string_equal(info_of(p8, &p, "hybrid").source, "measured");
    /* 0.4 of the time is shared. */
    p.options.threads = 2;
    expect_near(time_of(&p, "hybrid"), 8e5);
    p.options.threads = 8;
    expect_near(time_of(&p, "hybrid"), 6.5e5);
    /* The nearest number counts. */
    set_row(tuning, GFP_OPERATION_PRODUCT, 16, 4096, 4096, "hybrid", 1e6);
    expect_near(time_of(&p, "hybrid"), 6.5e5);
    p.options.threads = 15;
    expect_near(time_of(&p, "hybrid"), 1e6);
    p.options.threads = 1;
    expect_near(time_of(&p, "hybrid"), 1e6);
    p.problem.operation = GFP_OPERATION_SQUARE;
    const double square = time_of(&p, "hybrid");
    p.options.threads = 4;
    expect_near(time_of(&p, "hybrid"), 0.7 * square);
    gfp_tuning_destroy(tuning);
}

/* A factor much longer than the other: rows of about that shape correct what the sum of the lengths
 * says, and no others. */
static void unequal_lengths_have_times_of_their_own(void **state)
{
    question p = {.problem = {.len_a = 16384, .len_b = 1024}, .options = {.threads = 1}};
    (void)state;
    gfp_tuning *tuning = empty();
    p.options.tuning = tuning;
    set_row(tuning, GFP_OPERATION_PRODUCT, 1, 4096, 4096, "hybrid", 1e6);
    const double before = time_of(&p, "hybrid");
    set_row(tuning, GFP_OPERATION_PRODUCT, 1, 16384, 1024, "hybrid", 5 * before);
    expect_near(time_of(&p, "hybrid"), 5 * before);
    const question other = {.problem = {.len_a = 1024, .len_b = 16384},
                            .options = {.threads = 1, .tuning = tuning}};
    expect_near(time_of(&other, "hybrid"), 5 * before);
    const question balanced = {.problem = {.len_a = 4096, .len_b = 4096},
                               .options = {.threads = 1, .tuning = tuning}};
    expect_near(time_of(&balanced, "hybrid"), 1e6);
    question longer = {.problem = {.len_a = 12000, .len_b = 800},
                       .options = {.threads = 1, .tuning = NULL}};
    const double usual = time_of(&longer, "hybrid");
    longer.options.tuning = tuning;
    assert_true(time_of(&longer, "hybrid") > 2 * usual);
    gfp_tuning_destroy(tuning);
}

/* ---- measuring ---- */

/* A callback that stops the measurement when the tuning has stop_at rows. */
typedef struct watcher {
    const gfp_tuning *tuning;
    size_t stop_at; /* rows */
    size_t calls;
    double last;
} watcher;

static bool tuning_costs_watch(void *user, double done)
{
    watcher *w = user;
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    w->calls++;
    return gfp_tuning_count(w->tuning) < w->stop_at;
}

static void a_quick_measurement_has_every_method(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    watcher w = {.tuning = tuning, .stop_at = SIZE_MAX};
    gfp_error error = {.message = ""};
    gfp_tuning_options options = {
        .quick = true, .progress = tuning_costs_watch, .user = &w, .error = &error};
    assert_int_equal(gfp_tuning_measure(tuning, p8, &options), GFP_OK);
    assert_true(w.last == 1 && w.calls > 10);
    assert_true(gfp_tuning_count(tuning) >= 3);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        assert_int_equal(
            gfp_method_query(&info, i, &(gfp_problem){.len_a = 4, .len_b = 4}, p8, NULL), GFP_OK);
        assert_true(info.available == (gfp_tuning_get_ns(tuning, 0, info.name) > 0));
    }
    /* Lengths are powers of two, in order. */
    gfp_tuning_row row = {0}, before = {0};
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        assert_true(row.len > before.len && (row.len & (row.len - 1)) == 0);
        assert_true(row.k == 8 && row.r == gfp_field_r(p8));
        before = row;
    }
    /* The chooser's estimates equal the entries. */
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        double ns = gfp_tuning_get_ns(tuning, i, "bigfft");
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        assert_true(ns < 1e10);
        if (ns > 0) {
            expect_near(tuning_costs_estimate(tuning, p8, (size_t)row.len, "bigfft"), ns);
        }
    }
    gfp_tuning_destroy(tuning);
}

/* The operations and threads asked for are measured, each by the methods that have them. */
static void operations_and_threads_are_measured(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    watcher w = {.tuning = tuning, .stop_at = 5};
    gfp_tuning_options options = {
        .quick = true, .threads = 2, .operations = 1 << GFP_OPERATION_MIDDLE, .user = &w};
    options.progress = tuning_costs_watch;
    gfp_tuning_row row = {0};
    /* Two threads only where a method uses them; built without threads, none does. */
    w.stop_at = 2;
    const gfp_status status = gfp_tuning_measure(tuning, tiny, &options);
    assert_true(status == GFP_ERR_CANCELLED ||
                (status == GFP_OK && gfp_machine_get_info().threads == 1));
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        assert_true(row.operation == GFP_OPERATION_MIDDLE && row.threads == 2);
        assert_true(row.len == 2 * row.len_b - 1 && row.len_b >= 16);
    }
    gfp_tuning_destroy(tuning);
    tuning = empty();
    w = (watcher){.tuning = tuning, .stop_at = 3};
    options.threads = 1;
    assert_int_equal(gfp_tuning_measure(tuning, tiny, &options), GFP_ERR_CANCELLED);
    assert_int_equal(gfp_tuning_get_row(tuning, 1, &row), GFP_OK);
    assert_true(row.len == 31 && row.len_b == 16 && row.threads == 1);
    assert_true(gfp_tuning_get_ns(tuning, 1, "classical") > 0);
    gfp_tuning_destroy(tuning);
    tuning = empty();
    w = (watcher){.tuning = tuning, .stop_at = 3};
    options.threads = 0;
    options.operations = 1 << GFP_OPERATION_OPERAND;
    assert_int_equal(gfp_tuning_measure(tuning, tiny, &options), GFP_ERR_CANCELLED);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        assert_true(row.operation == GFP_OPERATION_OPERAND && row.threads == 1);
        assert_true(gfp_tuning_get_ns(tuning, i, "classical") == 0);
        assert_true(gfp_tuning_get_ns(tuning, i, "hybrid") > 0);
    }
    options.operations = 1 << GFP_OPERATION_FILE;
    assert_int_equal(gfp_tuning_measure(tuning, tiny, &options), GFP_ERR_ARGUMENT);
    options = (gfp_tuning_options){.threads = GFP_MAX_THREADS + 1};
    assert_int_equal(gfp_tuning_measure(tuning, tiny, &options), GFP_ERR_ARGUMENT);
    gfp_tuning_destroy(tuning);
}

static void cancelling_keeps_what_was_measured(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    set(tuning, p4, 16, "flint", 5);
    watcher w = {.tuning = tuning, .stop_at = 0};
    gfp_error error = {.message = ""};
    gfp_tuning_options options = {.progress = tuning_costs_watch, .user = &w, .error = &error};
    /* At once: nothing new. */
    assert_int_equal(gfp_tuning_measure(tuning, p8, &options), GFP_ERR_CANCELLED);
    assert_int_equal(error.status, GFP_ERR_CANCELLED);
    assert_int_equal(w.calls, 1);
    assert_int_equal(gfp_tuning_count(tuning), 1);
    /* With the second new row. */
    w = (watcher){.tuning = tuning, .stop_at = 3};
    options.quick = true;
    assert_int_equal(gfp_tuning_measure(tuning, p8, &options), GFP_ERR_CANCELLED);
    assert_int_equal(gfp_tuning_count(tuning), 3);
    assert_true(w.last < 1);
    expect_row(tuning, 0, p4, 16);
    expect_row(tuning, 1, p8, 4);
    expect_row(tuning, 2, p8, 16);
    assert_true(gfp_tuning_get_ns(tuning, 1, "classical") > 0);
    assert_true(gfp_tuning_get_ns(tuning, 1, "bigfft") > 0);
    gfp_tuning_destroy(tuning);
}

/* 17 has transforms of at most 16 points: bigfft has no entries beyond. */
static void what_cannot_serve_is_not_measured(void **state)
{
    (void)state;
    gfp_tuning *tuning = empty();
    watcher w = {.tuning = tuning, .stop_at = 3};
    gfp_tuning_options options = {.quick = true, .progress = tuning_costs_watch, .user = &w};
    assert_int_equal(gfp_tuning_measure(tuning, tiny, &options), GFP_ERR_CANCELLED);
    assert_true(gfp_tuning_get_ns(tuning, 0, "bigfft") > 0);
    assert_true(gfp_tuning_get_ns(tuning, 1, "bigfft") == 0);
    assert_true(gfp_tuning_get_ns(tuning, 1, "classical") > 0);
    gfp_tuning_destroy(tuning);
}

int run_tests_of_costs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_interpolated_in_the_logarithm),
        cmocka_unit_test(rows_of_ones_own_hide_no_neighbour),
        cmocka_unit_test(a_field_without_entries_takes_the_nearest),
        cmocka_unit_test(a_tuning_decides_the_pick),
        cmocka_unit_test(a_tuning_decides_the_cross_check),
        cmocka_unit_test(operations_have_times_of_their_own),
        cmocka_unit_test(threads_have_times_of_their_own),
        cmocka_unit_test(unequal_lengths_have_times_of_their_own),
        cmocka_unit_test(a_quick_measurement_has_every_method),
        cmocka_unit_test(operations_and_threads_are_measured),
        cmocka_unit_test(cancelling_keeps_what_was_measured),
        cmocka_unit_test(what_cannot_serve_is_not_measured),
    };
    return cmocka_run_group_tests_name("tuning: costs", tests, tuning_fields_open,
                                       tuning_fields_close);
}
