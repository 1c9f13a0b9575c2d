/* choice.c: the chooser's picks of methods on a GPU and their measurement, over the
 * backend `host' (tests/lab/fake_device/device.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "lab/tunings.h"
#include "product/device/lab.h"
#include "lab/rows.h"

/* ---- choice ---- */

static void short_products_do_not_ask_for_a_device(void **state)
{
    (void)state;
    factors x;
    gfp_report report;
    const gfp_options options = {.report = &report};
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 500, 400);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    }
    assert_int_equal(fake_contexts(), 0);
    lab_drop(&x);
    lab_finish();
}

/* Counts picks for device 0 until the device is opened, with as many picks for another device
 * between them. */
static size_t picks_until_asked(const gfp_problem *problem, bool other_too)
{
    const gfp_field *field = lab_named("p8")->field;
    const gfp_options other = {.gpu_device = 1};
    size_t picks = 0;
    lab_begin(MEMORY);
    while (picks < 100000 && fake_contexts() == 0) {
        assert_non_null(gfp_method_pick(problem, field, NULL));
        picks++;
        if (other_too && fake_contexts() == 0) {
            assert_non_null(gfp_method_pick(problem, field, &other));
        }
    }
    return picks;
}

/* Time lost without one device does not count for another. */
static void each_device_is_asked_for_when_it_pays(void **state)
{
    (void)state;
    const gfp_problem problem = {.len_a = 1 << 17, .len_b = 1 << 17};
    const size_t alone = picks_until_asked(&problem, false);
    assert_true(alone > 1 && alone < 1000);
    assert_int_equal(picks_until_asked(&problem, true), alone);
    lab_finish();
}

/* The gain of one product is less than the time to start the driver; that of many products is more.
 */
static void the_device_is_asked_for_when_it_pays(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const char *pick = NULL;
    size_t asked = 0;
    lab_begin(MEMORY);
    for (; asked < 100000 && fake_contexts() == 0; asked++) {
        pick = gfp_method_pick(&(gfp_problem){.len_a = 1 << 17, .len_b = 1 << 17}, field, NULL);
        assert_true(fake_contexts() > 0 || strcmp(pick, "hybrid") == 0);
    }
    assert_true(asked > 1 && asked < 1000);
    assert_non_null(strstr(pick, "_gpu"));
    lab_begin(MEMORY);
    pick = gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24},
                           field, NULL);
    assert_non_null(strstr(pick, "_gpu"));
    assert_int_equal(fake_contexts(), 1);
    lab_begin(MEMORY);
    fake_missing("no driver: none at all");
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24}, field,
                        NULL),
        "hybrid");
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24}, field,
                        NULL),
        "hybrid");
    assert_int_equal(fake_contexts(), 1);
    lab_finish();
}

static void why_there_is_no_device(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = "multimodular_gpu", .error = &error};
    gfp_method_info info;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 20, 20);
    fake_missing("no driver: none at all");
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "none at all"));
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 20, .len_b = 20}, x.l->field, NULL),
                     GFP_OK);
    assert_false(info.available);
    assert_string_equal(info.reason, "no driver: none at all");
    lab_begin(MEMORY);
    assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "GFPOLY_GPU=off"));
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24},
                        x.l->field, NULL),
        "hybrid");
    assert_int_equal(fake_contexts(), 0);
    assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    lab_begin(MEMORY);
    const gfp_options other = {.method = "hybrid_gpu", .error = &error, .gpu_device = 3};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &other), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no such device"));
    const gfp_options beyond = {.method = "hybrid_gpu", .error = &error, .gpu_device = 1000};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &beyond), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no such device"));
    lab_drop(&x);
    lab_finish();
}

/* Only the requested device matters. */
static void another_device_may_be_there(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 24;
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_options options = {.method = "hybrid_gpu", .error = &error, .gpu_device = 1};
    const gfp_problem problem = {.len_a = n, .len_b = n};
    gfp_operand *operand = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 200, 200);
    fake_exclude("in use by another process");
    assert_int_equal(gfp_gpu_pool_ask(NULL), GFP_ERR_UNAVAILABLE);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    check_parts(&x, &options);
    const size_t products = fake_products();
    assert_true(products > 0);
    assert_non_null(strstr(gfp_method_pick(&problem, x.l->field, &options), "_gpu"));
    const gfp_options by_operand = {.method = "hybrid_gpu", .gpu_device = 1};
    assert_int_equal(
        operand_of(&operand, &x.a, (gfp_space_spec){400, 1, GFP_WRAP_LINEAR}, &by_operand), GFP_OK);
    gfp_operand_destroy(operand);
    options.gpu_device = 0;
    lab_expect_status(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE, &error,
                      "device 0");
    assert_non_null(strstr(error.message, "in use by another process"));
    assert_null(strstr(gfp_method_pick(&problem, x.l->field, &options), "_gpu"));
    lab_begin(MEMORY);
    assert_non_null(strstr(gfp_method_pick(&problem, x.l->field, &options), "_gpu"));
    /* Lost, it is the one that is missing from then on. */
    options.gpu_device = 1;
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    fake_fail(FAKE_LOST, 3);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_DEVICE);
    fake_fail(FAKE_LOST, 0);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    options.gpu_device = 0;
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    lab_drop(&x);
    lab_finish();
}

/* Cached picks are dropped when a GPU appears or disappears, whatever the field has noted. */
static void picks_follow_the_device(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 24;
    const gfp_field *field = lab_named("p8")->field;
    for (int round = 0; round < 3; round++) {
        lab_begin(MEMORY);
        assert_non_null(
            strstr(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL), "_gpu"));
        lab_begin(MEMORY);
        fake_missing("no driver: none at all");
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL),
                            "hybrid");
        lab_begin(MEMORY);
        assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL),
                            "hybrid");
        assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    }
    lab_finish();
}

/* A tuning's times of a GPU count as soon as the GPU is known to be the same. */
static void tuned_picks_follow_the_device(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_tuning *tuning = NULL;
    lab_begin(MEMORY);
    lab_ask(lab_named("p8"));
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) { /* compiled in: 30 us */
        const double ns = strcmp(gfp_method_name(i), "multimodular_gpu") == 0 ? 1000 : 20000;
        assert_int_equal(lab_tuning_set(tuning, field, 128, gfp_method_name(i), ns), GFP_OK);
    }
    for (int round = 0; round < 2; round++) {
        gfp_gpu_pool_release();
        assert_null(strstr(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, field,
                                           &(gfp_options){.tuning = tuning}),
                           "_gpu"));
        lab_ask(lab_named("p8"));
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, field,
                                            &(gfp_options){.tuning = tuning}),
                            "multimodular_gpu");
    }
    gfp_tuning_destroy(tuning);
    lab_finish();
}

static void *ask_until_told(void *user)
{
    atomic_bool *enough = user;
    while (!atomic_load(enough)) {
        gfp_gpu_pool_release();
        if (gfp_gpu_pool_ask(NULL) != GFP_ERR_UNAVAILABLE) {
            return user;
        }
    }
    return NULL;
}

/* A child of a process whose threads hold the lock now and then: it would wait for ever. */
static int ask_in_child(void)
{
    gfp_error error = {.message = ""};
    (void)alarm(60);
    gfp_gpu_pool_release();
    return gfp_gpu_pool_ask(&error) == GFP_ERR_UNAVAILABLE &&
                   strcmp(error.message, "GFPOLY_GPU=off") == 0
               ? 0
               : 1;
}

/* Runs in a separate process that has not opened the device. */
static int fork_while_others_ask(void)
{
    pthread_t asking;
    atomic_bool enough = false;
    void *failed = NULL;
    bool good = setenv("GFPOLY_GPU", "off", 1) == 0 &&
                pthread_create(&asking, NULL, ask_until_told, &enough) == 0;
    if (!good) {
        return 1;
    }
    for (int i = 0; i < 200 && good; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            _exit(ask_in_child());
        }
        good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
               WEXITSTATUS(status) == 0;
    }
    atomic_store(&enough, true);
    return pthread_join(asking, &failed) == 0 && failed == NULL && good ? 0 : 2;
}

/* The first test: a process that has opened the device cannot make one that has not. */
static void a_fork_does_not_wait_for_who_is_asking(void **state)
{
    (void)state;
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(fork_while_others_ask());
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Runs in the child. Returns 0, or the place of an error: a child cannot fail a test. */
static int multiply_in_child(factors *x, const gfp_tuning *tuning)
{
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    const gfp_options forced = {.method = "hybrid_gpu", .error = &error},
                      free_choice = {.tuning = tuning, .report = &report};
    const size_t contexts = fake_contexts(), alive = fake_alive();
    if (gfp_poly_mul(&x->c, &x->a, &x->b, &forced) != GFP_ERR_UNAVAILABLE ||
        strstr(error.message, "a fork of one that has opened a GPU") == NULL) {
        return 1;
    }
    if (gfp_poly_mul(&x->c, &x->a, &x->b, &free_choice) != GFP_OK ||
        strstr(report.method, "_gpu") != NULL || report.gpu_method != NULL ||
        !gfp_poly_equal(&x->c, &x->expected)) {
        return 2;
    }
    if (gfp_gpu_pool_ask(&error) != GFP_ERR_UNAVAILABLE) {
        return 3;
    }
    gfp_gpu_pool_release();
    return fake_contexts() == contexts && fake_alive() == alive ? 0 : 4;
}

/* A child computes on the CPU; its parent goes on. */
static void the_device_stays_with_the_parent(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    int status = -1;
    lab_begin(MEMORY);
    lab_draw(&x, l, 128, 128);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    const gfp_options options = {.method = "hybrid_gpu", .error = &error};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(multiply_in_child(&x, tuning));
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void resident_factors_are_for_the_gpu(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_problem p = {.len_a = 5000, .len_b = 5000, .resident = GFP_RESIDENT_DEVICE};
    lab_begin(MEMORY);
    assert_non_null(strstr(gfp_method_pick(&p, field, NULL), "_gpu"));
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info resident, host;
        gfp_problem q = p;
        q.resident = GFP_RESIDENT_HOST;
        assert_int_equal(gfp_method_query(&resident, i, &p, field, NULL), GFP_OK);
        assert_int_equal(gfp_method_query(&host, i, &q, field, NULL), GFP_OK);
        const bool dealt = strcmp(host.name, "dealt_gpu") == 0; /* needs several devices */
        assert_int_equal(resident.available, i + 3 >= gfp_method_count());
        assert_true(dealt || resident.estimate_ns < host.estimate_ns);
        q.no_gpu = true;
        assert_int_equal(gfp_method_query(&host, i, &q, field, NULL), GFP_OK);
        assert_int_equal(host.available, i + 3 < gfp_method_count() && !dealt);
    }
    p.no_gpu = true;
    assert_null(gfp_method_pick(&p, field, NULL));
    lab_finish();
}

static void resident_time(gfp_tuning *tuning, const lab *l, uint64_t len, uint64_t len_b, double ns)
{
    const gfp_tuning_row row = {.k = l->k,
                                .r = l->entry->r,
                                .len = len,
                                .len_b = len_b,
                                .operation = GFP_OPERATION_PRODUCT,
                                .threads = 1,
                                .resident = GFP_RESIDENT_DEVICE};
    assert_int_equal(gfp_tuning_set_row(tuning, &row, "hybrid_gpu", ns), GFP_OK);
}

static double resident_estimate(const gfp_tuning *tuning, const lab *l, size_t len_a, size_t len_b)
{
    const gfp_problem p = {.len_a = len_a, .len_b = len_b, .resident = GFP_RESIDENT_DEVICE};
    const gfp_options by = {.tuning = tuning};
    gfp_method_info info;
    const size_t hybrid_gpu = gfp_method_count() - 2;
    assert_int_equal(gfp_method_query(&info, hybrid_gpu, &p, l->field, &by), GFP_OK);
    return info.estimate_ns;
}

/* Products with the same transform length take the time of the longest one: 128 by 128 coefficients
 * for 256 points, 256 by 256 for all from 129 by 129 on for 512 points. */
static void resident_times_are_steps(void **state)
{
    (void)state;
    static const size_t lens[][3] = {{128, 128, 70000}, {100, 57, 70000},  {120, 137, 70000},
                                     {129, 129, 30000}, {254, 4, 30000},   {256, 256, 30000},
                                     {500, 13, 30000},  {512, 512, 50000}, {300, 300, 50000}};
    const lab *l = lab_named("p8");
    gfp_tuning *tuning = NULL;
    lab_begin(MEMORY);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    resident_time(tuning, l, 128, 128, 70000);
    resident_time(tuning, l, 256, 256, 30000);
    resident_time(tuning, l, 512, 512, 50000);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        const double ns = resident_estimate(tuning, l, lens[i][0], lens[i][1]);
        assert_true(fabs(ns - (double)lens[i][2]) < 1);
    }
    /* Rows of unequal factors correct estimates of such factors. */
    resident_time(tuning, l, 256, 8, 20000);
    assert_true(fabs(resident_estimate(tuning, l, 500, 13) - 20000) < 1500);
    assert_true(fabs(resident_estimate(tuning, l, 256, 256) - 30000) < 1);
    gfp_tuning_destroy(tuning);
    lab_finish();
}

/* A batch is one call: far less than as many calls. */
static void batches_share_what_a_call_costs(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const gfp_problem one = {.len_a = 256, .len_b = 256};
    const gfp_problem batch = {
        .operation = GFP_OPERATION_BATCH, .len_a = 256, .len_b = 256, .count = 4096};
    gfp_method_info x, y;
    lab_begin(MEMORY);
    const size_t hybrid_gpu = gfp_method_count() - 2;
    assert_int_equal(gfp_method_query(&x, hybrid_gpu, &one, field, NULL), GFP_OK);
    assert_int_equal(gfp_method_query(&y, hybrid_gpu, &batch, field, NULL), GFP_OK);
    assert_true(y.estimate_ns < 1000 * x.estimate_ns && y.estimate_ns > x.estimate_ns);
    lab_finish();
}

/* Transforms and copies are shorter than those of the whole product. */
static void parts_take_less_than_the_whole(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const size_t n = (size_t)1 << 16, row = gfp_method_count() - 2;
    gfp_problem p = {.len_a = 2 * n - 1, .len_b = n};
    gfp_method_info whole, middle, low;
    lab_begin(MEMORY);
    assert_int_equal(gfp_method_query(&whole, row, &p, field, NULL), GFP_OK);
    p.operation = GFP_OPERATION_MIDDLE;
    p.from = n - 1;
    p.n = n;
    assert_int_equal(gfp_method_query(&middle, row, &p, field, NULL), GFP_OK);
    p.operation = GFP_OPERATION_LOW;
    p.n = 3 * n - 3; /* all but one */
    assert_int_equal(gfp_method_query(&low, row, &p, field, NULL), GFP_OK);
    assert_true(middle.estimate_ns < 0.7 * whole.estimate_ns);
    assert_true(middle.estimate_ns > 0.6 * whole.estimate_ns);
    assert_true(low.estimate_ns > 0.99 * whole.estimate_ns);
    assert_true(low.estimate_ns <= whole.estimate_ns);
    lab_finish();
}

/* ---- measuring ---- */

static size_t resident_rows(const gfp_tuning *tuning, gfp_tuning_row *last, size_t *index)
{
    size_t count = 0;
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        gfp_tuning_row row;
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        if (row.resident == GFP_RESIDENT_DEVICE) {
            *last = row;
            *index = i;
            count++;
        }
    }
    return count;
}

/* Stops when two lengths were measured on the device. */
static bool until_two_are_there(void *user, double done)
{
    gfp_tuning_row row;
    size_t index;
    (void)done;
    return resident_rows(user, &row, &index) < 2;
}

/* Times that make all methods too slow to be measured: the CPU's at once, the GPU's from length 16
 * on. */
static gfp_tuning *too_slow(const gfp_field *field)
{
    gfp_tuning *known = NULL;
    assert_int_equal(gfp_tuning_create(&known, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const size_t len = i + 3 < gfp_method_count() ? 4 : 16;
        assert_int_equal(lab_tuning_set(known, field, len, gfp_method_name(i), 1e9), GFP_OK);
    }
    return known;
}

/* Methods on the device are measured from host memory and from device memory; the chooser uses
 * these times; known times are not measured again, and a failure leaves nothing behind. */
static void both_residences_are_measured(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    gfp_tuning *tuning = NULL, *more = NULL;
    gfp_tuning_options options = {.quick = true, .progress = until_two_are_there, .error = &error};
    gfp_tuning_row row = {0};
    size_t index = 0;
    lab_begin(MEMORY);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    gfp_tuning *known = too_slow(l->field);
    options.known = known;
    options.user = tuning;
    assert_int_equal(gfp_tuning_measure(tuning, l->field, &options), GFP_ERR_CANCELLED);
    assert_true(gfp_tuning_get_ns(tuning, 0, "hybrid_gpu") > 0);
    assert_true(gfp_tuning_get_ns(tuning, 0, "hybrid") == 0);
    assert_int_equal(resident_rows(tuning, &row, &index), 2);
    assert_true(row.operation == GFP_OPERATION_PRODUCT && row.threads == 1 && row.len == 16);
    const gfp_problem p = {.len_a = 16, .len_b = 16, .resident = GFP_RESIDENT_DEVICE};
    const gfp_options by = {.threads = 1, .tuning = tuning};
    size_t measured = 0;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        const double ns = gfp_tuning_get_ns(tuning, index, gfp_method_name(i));
        assert_int_equal(gfp_method_query(&info, i, &p, l->field, &by), GFP_OK);
        assert_true(info.available || ns == 0);
        if (ns > 0) {
            assert_true(info.estimate_ns > 0.999 * ns && info.estimate_ns < 1.001 * ns);
            assert_string_equal(info.source, "measured");
            measured++;
        }
    }
    assert_in_range(measured, 1, 3);
    assert_int_equal(gfp_tuning_merge(known, tuning, NULL), GFP_OK);
    for (size_t nth = 1; nth < 10; nth++) {
        assert_int_equal(gfp_tuning_create(&more, NULL), GFP_OK);
        options.user = more;
        fake_fail(nth % 2 == 0 ? FAKE_ONCE : FAKE_MEMORY, nth);
        const gfp_status status = gfp_tuning_measure(more, l->field, &options);
        assert_true(fake_failed());
        const bool went_on = status == GFP_OK || status == GFP_ERR_CANCELLED;
        assert_true(went_on || strstr(error.message, "made to fail") != NULL);
        if (nth % 2 == 0) {
            assert_int_equal(status, GFP_ERR_DEVICE);
        } else { /* before the first product: cached contexts are freed, and it begins again */
            assert_true(went_on || (nth > 1 && status == GFP_ERR_MEMORY));
        }
        for (size_t i = 0; i < gfp_tuning_count(more); i++) { /* nothing that was known */
            assert_int_equal(gfp_tuning_get_row(more, i, &row), GFP_OK);
            assert_true(row.resident == GFP_RESIDENT_DEVICE && row.len > 16);
        }
        gfp_tuning_destroy(more);
    }
    fake_fail(FAKE_ONCE, 0);
    gfp_tuning_destroy(known);
    gfp_tuning_destroy(tuning);
    lab_finish();
}

/* A measurement on the device frees cached contexts if it needs their memory. */
static void measuring_takes_what_others_left(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_tuning *tuning = NULL;
    const gfp_options by_gpu = {.method = "hybrid_gpu", .error = &error};
    gfp_tuning_options options = {.quick = true, .progress = until_two_are_there, .error = &error};
    size_t enough = MEMORY;
    lab_draw(&x, lab_named("p4"), 100, 100); /* less than half: all of it stays */
    gfp_tuning *known = too_slow(l->field);
    options.known = known;
    for (int crowded = 0; crowded < 2; crowded++) {
        lab_begin(enough);
        assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
        options.user = tuning;
        if (crowded) {
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &by_gpu), &error);
        }
        lab_expect_status(gfp_tuning_measure(tuning, l->field, &options), GFP_ERR_CANCELLED, &error,
                          "a measurement");
        gfp_tuning_destroy(tuning);
        enough = fake_peak();
    }
    lab_begin(MEMORY);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    options.user = tuning;
    fake_fail(FAKE_FULL, 1);
    lab_expect_status(gfp_tuning_measure(tuning, l->field, &options), GFP_ERR_MEMORY, &error,
                      "a full device");
    assert_non_null(strstr(error.message, "made to fail"));
    fake_fail(FAKE_FULL, 0);
    gfp_tuning_destroy(tuning);
    gfp_tuning_destroy(known);
    lab_drop(&x);
    lab_finish();
}

/* A device too full to be opened is tried once, and is neither measured nor named in the tuning. */
static void a_full_device_is_asked_once(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    gfp_tuning *tuning = NULL;
    lab_begin(MEMORY);
    gfp_tuning *known = too_slow(l->field);
    const gfp_tuning_options options = {
        .quick = true, .operations = 1 << GFP_OPERATION_PRODUCT, .known = known, .error = &error};
    for (int full = 0; full < 2; full++) { /* when it is measured; when the tuning is created */
        assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
        gfp_gpu_pool_release();
        fake_fail(FAKE_FULL, full == 0);
        const size_t before = fake_contexts();
        lab_expect_status(gfp_tuning_measure(tuning, l->field, &options), GFP_OK, &error,
                          "a measurement");
        assert_int_equal(fake_contexts() - before, full == 0);
        assert_int_equal(gfp_tuning_count(tuning), 0);
        gfp_tuning_destroy(tuning);
        gfp_gpu_pool_release();
        fake_fail(FAKE_FULL, 1);
        lab_expect_status(gfp_gpu_pool_ask(&error), GFP_ERR_MEMORY, &error, "a full device");
        assert_non_null(strstr(error.message, "made to fail: memory"));
    }
    fake_fail(FAKE_FULL, 0);
    assert_int_equal(gfp_gpu_pool_ask(NULL), GFP_OK);
    gfp_gpu_pool_release();
    fake_missing("no driver: none at all");
    lab_expect_status(gfp_gpu_pool_ask(&error), GFP_ERR_UNAVAILABLE, &error, "no device");
    assert_non_null(strstr(error.message, "none at all"));
    gfp_tuning_destroy(known);
    lab_finish();
}

/* Queries a method on a GPU, which opens the device. */
static void ask_again(const gfp_field *field)
{
    gfp_method_info info;
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 2, .len_b = 2}, field, NULL),
                     GFP_OK);
}

/* Times of a GPU belong to that GPU and its driver. Without that GPU only these times are ignored.
 */
static void a_tuning_of_another_gpu_is_stale(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    lab_begin(MEMORY);
    /* The compiled-in costs are not in its favour. */
    gfp_tuning *tuning = in_favour_of("multimodular_gpu", l->field);
    assert_int_equal(gfp_tuning_check(tuning, &error), GFP_OK);
    assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, l->field,
                                        &(gfp_options){.tuning = tuning}),
                        "multimodular_gpu");
    gfp_gpu_pool_release(); /* not known: neither stale nor a pick, short as it is */
    assert_int_equal(gfp_tuning_check(tuning, &error), GFP_OK);
    fake_driver(13010);
    ask_again(l->field);
    assert_int_equal(gfp_tuning_check(tuning, &error), GFP_STALE);
    assert_non_null(strstr(error.message, "the GPU was \"Fake\" when measured, now \"Fake, driver "
                                          "for CUDA 13.1\""));
    assert_string_not_equal(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, l->field,
                                            &(gfp_options){.tuning = tuning}),
                            "multimodular_gpu");
    gfp_gpu_pool_release();
    fake_missing("gone");
    ask_again(l->field);
    assert_int_equal(gfp_tuning_check(tuning, &error), GFP_OK);
    assert_string_not_equal(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, l->field,
                                            &(gfp_options){.tuning = tuning}),
                            "multimodular_gpu");
    /* A tuning measured without a GPU lacks times if there is one. */
    gfp_tuning *without = NULL;
    assert_int_equal(gfp_tuning_create(&without, NULL), GFP_OK);
    gfp_gpu_pool_release();
    fake_missing(NULL);
    ask_again(l->field);
    assert_int_equal(gfp_tuning_check(without, &error), GFP_STALE);
    assert_non_null(strstr(error.message, "the GPU was \"none\" when measured, now \"Fake, "));
    gfp_tuning_destroy(without);
    gfp_tuning_destroy(tuning);
    lab_finish();
}

int main(void)
{
    fake_use();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_does_not_wait_for_who_is_asking),
        cmocka_unit_test(short_products_do_not_ask_for_a_device),
        cmocka_unit_test(the_device_is_asked_for_when_it_pays),
        cmocka_unit_test(each_device_is_asked_for_when_it_pays),
        cmocka_unit_test(why_there_is_no_device),
        cmocka_unit_test(another_device_may_be_there),
        cmocka_unit_test(picks_follow_the_device),
        cmocka_unit_test(tuned_picks_follow_the_device),
        cmocka_unit_test(the_device_stays_with_the_parent),
        cmocka_unit_test(resident_factors_are_for_the_gpu),
        cmocka_unit_test(resident_times_are_steps),
        cmocka_unit_test(batches_share_what_a_call_costs),
        cmocka_unit_test(parts_take_less_than_the_whole),
        cmocka_unit_test(both_residences_are_measured),
        cmocka_unit_test(measuring_takes_what_others_left),
        cmocka_unit_test(a_full_device_is_asked_once),
        cmocka_unit_test(a_tuning_of_another_gpu_is_stale),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
