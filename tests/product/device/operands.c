/* operands.c: operands of the methods on a GPU, over the backend `host'
 * (tests/lab/fake_device/device.h): results, memory, faults, verification.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "product/device/lab.h"

#include "gpu/arrays.h"
#include "lab/rows.h"
#include "product/methods/engine.h"

/* ---- operands ---- */

#define RESULTS 8

/* Runs all operations on operands of x.a and x.b; returns the first failure. */
static gfp_status compute_operands(const factors *x, gfp_poly *c, const gfp_options *options)
{
    const size_t length = 2 * (x->a.len > x->b.len ? x->a.len : x->b.len) + 7;
    gfp_operand *a = NULL, *b = NULL, *z = NULL;
    gfp_status status =
        operand_of(&a, &x->a, (gfp_space_spec){length, 2, GFP_WRAP_LINEAR}, options);
    if (status == GFP_OK) {
        status = operand_like(&b, a, &x->b, options);
    }
    if (status == GFP_OK) {
        status = operand_like(&z, a, NULL, options);
    }
    const gfp_operand *const xs[] = {a, b, a}, *const ys[] = {b, b, z};
    bool done = status == GFP_OK &&
                (status = gfp_poly_mul_operand(&c[0], 0, SIZE_MAX, &x->a, b, options)) == GFP_OK &&
                (status = gfp_poly_mul_operand(&c[1], 5, x->a.len, &x->b, a, options)) == GFP_OK &&
                (status = gfp_operand_arith(z, a, b, GFP_OPERAND_MUL)) == GFP_OK &&
                (status = gfp_poly_from_operand(&c[2], 0, SIZE_MAX, z, options)) == GFP_OK &&
                (status = gfp_operand_arith(z, a, b, GFP_OPERAND_SUB)) == GFP_OK &&
                (status = gfp_poly_mul_operand(&c[3], 0, SIZE_MAX, &x->b, z, options)) == GFP_OK;
    done = done && (status = gfp_operand_arith(z, b, a, GFP_OPERAND_ADDMUL)) == GFP_OK &&
           (status = gfp_operand_arith(z, a, a, GFP_OPERAND_SUBMUL)) == GFP_OK &&
           (status = gfp_operand_arith(z, z, a, GFP_OPERAND_ADD)) == GFP_OK &&
           (status = gfp_poly_from_operand(&c[4], 3, length / 2, z, options)) == GFP_OK &&
           (status = operand_times(z, &x->b, a, options)) == GFP_OK &&
           (status = gfp_poly_from_operand(&c[5], 0, SIZE_MAX, z, options)) == GFP_OK &&
           (status = gfp_poly_dot_operands(&c[6], 0, SIZE_MAX, xs, ys, 1, options)) == GFP_OK &&
           (status = gfp_operand_arith(a, a, b, GFP_OPERAND_MUL)) == GFP_OK &&
           (status = gfp_poly_from_operand(&c[7], 0, SIZE_MAX, a, options)) == GFP_OK;
    (void)done;
    gfp_operand_destroy(a);
    gfp_operand_destroy(b);
    gfp_operand_destroy(z);
    return status;
}

static void make_results(gfp_poly *c, const gfp_field *field)
{
    for (size_t i = 0; i < RESULTS; i++) {
        gfp_poly_init(&c[i], field);
    }
}

static void drop_results(gfp_poly *c)
{
    for (size_t i = 0; i < RESULTS; i++) {
        gfp_poly_clear(&c[i]);
    }
}

static void operands_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{1, 1}, {3, 40}, {70, 50}, {300, 200}, {900, 1100}};
    (void)state;
    lab_begin(MEMORY);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        gfp_poly expected[RESULTS], c[RESULTS];
        gfp_error error = {.status = GFP_OK};
        gfp_options options = {.method = "hybrid", .error = &error, .verify_seed = 1};
        factors x;
        lab_draw(&x, lab_named(i % 2 == 0 ? "p8" : "p4"), lens[i][0], lens[i][1]);
        make_results(expected, x.l->field);
        make_results(c, x.l->field);
        lab_expect_status(compute_operands(&x, expected, &options), GFP_OK, &error, "hybrid");
        for (unsigned queues = 0; queues < 8; queues += STEP) {
            fake_eager(queues);
            options.method = names[queues % 3];
            options.verify = queues < 4 ? GFP_VERIFY_NONE : GFP_VERIFY_POINT;
            options.threads = 1 + queues % 2;
            lab_expect_status(compute_operands(&x, c, &options), GFP_OK, &error, options.method);
            for (size_t j = 0; j < RESULTS; j++) {
                if (!gfp_poly_equal(&c[j], &expected[j])) {
                    fail_msg("%s, %zu by %zu, result %zu", options.method, lens[i][0], lens[i][1],
                             j);
                }
            }
        }
        drop_results(expected);
        drop_results(c);
        lab_drop(&x);
    }
    lab_finish();
}

static void an_operand_is_no_longer_than_its_length(void **state)
{
    (void)state;
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 101, 7);
    for (size_t i = 0; i < 3; i++) {
        gfp_error error = {.status = GFP_OK};
        const gfp_options options = {.method = names[i], .error = &error};
        gfp_operand *a = NULL;
        lab_expect_status(operand_of(&a, &x.a, (gfp_space_spec){100, 1, GFP_WRAP_LINEAR}, &options),
                          GFP_ERR_SIZE, &error, names[i]);
        assert_null(a);
        assert_non_null(strstr(error.message, "101"));
        assert_non_null(strstr(error.message, "100"));
        assert_int_equal(operand_of(&a, &x.a, (gfp_space_spec){101, 1, GFP_WRAP_LINEAR}, &options),
                         GFP_OK);
        assert_string_equal(gfp_space_get_info(gfp_operand_space(a)).method, names[i]);
        gfp_operand_destroy(a);
    }
    lab_drop(&x);
    lab_finish();
}

static void an_operand_is_transformed_once(void **state)
{
    (void)state;
    factors x;
    const gfp_options options = {.method = "hybrid_gpu"};
    gfp_operand *b = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 60, 50); /* short: an upload for each */
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){109, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_string_equal(gfp_space_get_info(gfp_operand_space(b)).method, "hybrid_gpu");
    assert_int_equal(gfp_space_length(gfp_operand_space(b)), 109);
    const size_t bytes = gfp_operand_bytes(b);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
        assert_true(gfp_poly_equal(&x.c, &x.expected));
    }
    assert_int_equal(fake_transforms(), 1);
    assert_int_equal(fake_uploads(), 4);
    assert_int_equal(gfp_operand_bytes(b), bytes + 50 * 8 * 8);
    assert_int_equal(gfp_operand_arith(b, b, b, GFP_OPERAND_ADD),
                     GFP_OK); /* another one's transform now */
    assert_int_equal(gfp_operand_bytes(b), bytes);
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
    assert_int_equal(fake_transforms(), 2);
    assert_int_equal(gfp_poly_add(&x.expected, &x.expected, &x.expected), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    gfp_gpu_pool_release(); /* which keeps the contexts that operands use */
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
    gfp_operand_destroy(b);
    lab_drop(&x);
    lab_finish();
}

/* A fault of a named method is the call's status; otherwise the CPU continues, and the report gives
 * the reason. */
static bool check_operand_fault(factors *x, fake_fault fault, size_t nth, bool forced,
                                const gfp_tuning *tuning)
{
    static const gfp_status statuses[] = {GFP_ERR_MEMORY, GFP_ERR_DEVICE, GFP_ERR_DEVICE,
                                          GFP_ERR_MEMORY};
    gfp_error error = {.status = GFP_OK}, first;
    gfp_report report = {.gpu_error = {.status = GFP_ERR_IO}};
    const gfp_options options = {.method = forced ? "hybrid_gpu" : NULL,
                                 .error = &error,
                                 .tuning = tuning,
                                 .report = &report};
    gfp_operand *b = NULL;
    gfp_poly_zero(&x->c);
    fake_fail(fault, nth);
    gfp_status status = operand_of(&b, &x->b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options);
    if (status != GFP_OK) { /* nothing is reported */
        assert_int_equal(report.gpu_error.status, GFP_ERR_IO);
        report.gpu_error.status = GFP_OK;
    }
    first = report.gpu_error;
    if (status == GFP_OK) {
        const bool there =
            strcmp(gfp_space_get_info(gfp_operand_space(b)).method, "hybrid_gpu") == 0;
        assert_true(nth == 0 ||
                    there == (first.status == GFP_OK)); /* it may have been lost before */
        status = gfp_poly_mul_operand(&x->c, 3, 100, &x->a, b, &options);
        assert_true(there || report.gpu_error.status == GFP_OK);
    }
    const bool failed = fake_failed();
    fake_fail(fault, 0);
    if (status != GFP_OK) {
        assert_true(forced && failed);
        lab_expect_status(status, statuses[fault], &error, "a fault");
        assert_non_null(strstr(error.message, "made to fail"));
        assert_true(gfp_poly_is_zero(&x->c));
    } else {
        assert_true(gfp_poly_equal(&x->c, &x->expected));
        assert_int_equal(error.status, GFP_OK);
    }
    for (int i = 0; i < 2; i++) {
        const gfp_error *said = i == 0 ? &first : &report.gpu_error;
        assert_true(said->status == GFP_OK ||
                    (failed && !forced && said->status == statuses[fault] &&
                     strstr(said->message, "made to fail") != NULL));
    }
    gfp_operand_destroy(b);
    return failed;
}

static void every_fault_of_operands_is_survived(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 70, 50);
    assert_int_equal(gfp_poly_mulmid(&x.expected, &x.a, &x.b, 3, 100, NULL), GFP_OK);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    size_t failures = 0;
    for (int fault = FAKE_MEMORY; fault <= FAKE_FULL; fault++) {
        for (int forced = 0; forced < 2; forced++) {
            bool more = true;
            for (size_t nth = 1; more; nth += STEP) {
                lab_begin(MEMORY);
                lab_ask(l);
                more = check_operand_fault(&x, (fake_fault)fault, nth, forced != 0, tuning);
                failures += more;
                check_operand_fault(&x, FAKE_ONCE, 0, false, tuning);
            }
        }
    }
    assert_true(failures > 150 / STEP);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void operands_keep_to_the_memory_of_the_device(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report = {.gpu_error = {.status = GFP_OK}};
    gfp_operand *b = NULL, *none = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, l, 70, 50);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {
        .method = "hybrid_gpu", .error = &error, .report = &report, .gpu_memory_cap = 10000};
    lab_expect_status(operand_of(&none, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_MEMORY, &error, "a plan beyond the cap");
    options.gpu_memory_cap = 20000; /* enough for the plan, not for products */
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    lab_expect_status(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &options), GFP_ERR_MEMORY,
                      &error, "a transform beyond the cap");
    assert_true(fake_peak() <= 20000);
    gfp_operand_destroy(b);
    options.method = NULL;
    options.tuning = tuning;
    error.status = GFP_OK;
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_string_equal(gfp_space_get_info(gfp_operand_space(b)).method, "hybrid_gpu");
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &options), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    assert_int_equal(report.gpu_error.status, GFP_ERR_MEMORY);
    assert_int_equal(error.status, GFP_OK);
    gfp_operand_destroy(b);
    options.memory_cap = 1;
    options.gpu_memory_cap = 0;
    lab_expect_status(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_OK, &error, "a copy");
    gfp_operand_destroy(b);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* A plan in pieces has no transforms: the operands are the CPU's, before anything is copied. */
static void operands_that_do_not_fit_are_for_the_cpu(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report = {.gpu_error = {.status = GFP_OK}};
    gfp_operand *b = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, l, 70, 50);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {
        .error = &error, .report = &report, .tuning = tuning, .gpu_memory_cap = 10000};
    fake_cuts(true);
    lab_ask(l);
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_null(strstr(gfp_space_get_info(gfp_operand_space(b)).method, "_gpu"));
    assert_int_equal(report.gpu_error.status, GFP_ERR_MEMORY);
    assert_non_null(
        strstr(report.gpu_error.message, "hybrid_gpu: operands of length 127 do not fit"));
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &options), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    assert_int_equal(fake_uploads(), 0);
    gfp_operand_destroy(b);
    options.method = "hybrid_gpu";
    lab_expect_status(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_MEMORY, &error, "operands in pieces");
    assert_non_null(strstr(error.message, "do not fit"));
    /* They fit once cached contexts are freed. */
    const gfp_options by_gpu = {.method = "hybrid_gpu"};
    lab_begin(60000);
    fake_cuts(true);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &by_gpu), GFP_OK);
    const size_t kept = fake_peak();
    lab_begin(kept + 2 * 127 * 8 * 8 - 1);
    fake_cuts(true);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &by_gpu), GFP_OK);
    options.gpu_memory_cap = 0;
    lab_expect_status(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_OK, &error, "operands in what others left");
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &options), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    gfp_operand_destroy(b);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* A sum of products reports the device's failure: as its own error if the device was named, else
 * next to the CPU's result. */
static void sums_of_products_say_why_the_device_failed(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 60, 50);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    lab_ask(l);
    for (int forced = 0; forced < 2; forced++) {
        gfp_error error = {.status = GFP_OK};
        gfp_report report = {.gpu_error = {.status = GFP_OK}};
        gfp_options options = {.method = forced ? "hybrid_gpu" : NULL,
                               .error = &error,
                               .tuning = tuning,
                               .report = &report};
        gfp_operand *a = NULL, *b = NULL;
        gfp_poly_zero(&x.c);
        assert_int_equal(operand_of(&a, &x.a, (gfp_space_spec){127, 2, GFP_WRAP_LINEAR}, &options),
                         GFP_OK);
        assert_string_equal(gfp_space_get_info(gfp_operand_space(a)).method, "hybrid_gpu");
        assert_int_equal(operand_like(&b, a, &x.b, &options), GFP_OK);
        const gfp_operand *const as[] = {a}, *const bs[] = {b};
        fake_fail(FAKE_ONCE, 1);
        const gfp_status status = gfp_poly_dot_operands(&x.c, 0, SIZE_MAX, as, bs, 1, &options);
        fake_fail(FAKE_ONCE, 0);
        lab_expect_status(status, forced ? GFP_ERR_DEVICE : GFP_OK, &error, "a sum of products");
        assert_string_equal((forced ? &error : &report.gpu_error)->message,
                            "hybrid_gpu: made to fail: device");
        assert_int_equal(report.gpu_error.status, forced ? GFP_OK : GFP_ERR_DEVICE);
        assert_true(forced || (strcmp(report.gpu_method, "hybrid_gpu") == 0 &&
                               strstr(report.method, "_gpu") == NULL));
        assert_true(forced ? gfp_poly_is_zero(&x.c) : gfp_poly_equal(&x.c, &x.expected));
        options.memory_cap = 1;
        lab_expect_status(gfp_poly_dot_operands(&x.c, 0, SIZE_MAX, as, bs, 1, &options),
                          GFP_ERR_MEMORY, &error, "a sum of products within a cap");
        assert_non_null(strstr(error.message, "the cap of 1 bytes"));
        gfp_operand_destroy(a);
        gfp_operand_destroy(b);
    }
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* A callback that asks for an operand of the running call, and destroys another one. */
typedef struct query {
    const gfp_operand *x;
    gfp_operand *other;
    size_t bytes;
} query;

static bool ask_for_bytes(void *user, double fraction)
{
    query *w = user;
    (void)fraction;
    w->bytes = gfp_operand_bytes(w->x);
    gfp_operand_destroy(w->other);
    w->other = NULL;
    return true;
}

/* A callback may use operands of the space: no lock is held. */
static void a_callback_may_ask_for_operands(void **state)
{
    (void)state;
    const size_t n = 1 << 15;
    query w = {.x = NULL};
    const gfp_progress progress = {ask_for_bytes, &w};
    const gfp_options options = {.method = "hybrid_gpu"}, watched = {.progress = &progress};
    factors x;
    gfp_operand *b = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), n, n);
    assert_int_equal(
        operand_of(&b, &x.b, (gfp_space_spec){2 * n - 1, 1, GFP_WRAP_LINEAR}, &options), GFP_OK);
    assert_int_equal(operand_like(&w.other, b, &x.b, &options), GFP_OK);
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, w.other, NULL), GFP_OK);
    w.x = b;
    (void)alarm(60);
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &watched), GFP_OK);
    (void)alarm(0);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    assert_null(w.other);
    assert_int_equal(w.bytes, gfp_operand_bytes(b));
    gfp_operand_destroy(b);
    lab_drop(&x);
    lab_finish();
}

static void which_operands_are_for_the_gpu(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    const gfp_problem large = {
        .operation = GFP_OPERATION_OPERAND, .len_a = (size_t)1 << 22, .len_b = (size_t)1 << 22};
    gfp_error error = {.status = GFP_OK};
    gfp_options options = {.error = &error};
    gfp_operand *x = NULL;
    gfp_poly a;
    lab_begin(MEMORY);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 3, 1), GFP_OK);
    assert_non_null(strstr(gfp_method_pick(&large, l->field, NULL), "_gpu"));
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    options.tuning = tuning;
    assert_int_equal(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_string_equal(gfp_space_get_info(gfp_operand_space(x)).method, "hybrid_gpu");
    gfp_operand_destroy(x);
    assert_int_equal(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_CYCLIC}, &options),
                     GFP_OK);
    assert_null(strstr(gfp_space_get_info(gfp_operand_space(x)).method, "_gpu"));
    gfp_operand_destroy(x);
    options.method = "hybrid_gpu";
    lab_expect_status(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_CYCLIC}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "a product that wraps around");
    gfp_gpu_pool_release();
    fake_missing("no driver: none at all");
    lab_expect_status(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "an operand without a device");
    assert_non_null(strstr(error.message, "none at all"));
    gfp_tuning_destroy(tuning);
    gfp_poly_clear(&a);
    lab_finish();
}

/* One wrong word in a copy, in either direction: products, parts, batches, operands. */
static void verification_sees_what_copies_spoil(void **state)
{
    static const gfp_batch batch = {3, 90, 50, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {
        .method = "hybrid_gpu", .error = &error, .verify = GFP_VERIFY_POINT};
    const gfp_options by_operand = {
        .method = "hybrid_gpu", .error = &error, .verify = GFP_VERIFY_POINT};
    lab_begin(MEMORY);
    lab_draw(&x, l, 300, 250);
    uint64_t *c = lab_array(3 * 139 * 8);
    for (unsigned queue = GFP_GPU_QUEUE_UPLOAD; queue <= GFP_GPU_QUEUE_DOWNLOAD; queue++) {
        gfp_operand *b = NULL;
        lab_begin(MEMORY);
        assert_int_equal(
            operand_of(&b, &x.b, (gfp_space_spec){549, 1, GFP_WRAP_LINEAR}, &by_operand), GFP_OK);
        fake_corrupt(1U << queue);
        lab_expect_status(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_VERIFY, &error,
                          "a product");
        lab_expect_status(gfp_poly_mullow(&x.c, &x.a, &x.b, 10, &options), GFP_ERR_VERIFY, &error,
                          "a part of one");
        lab_expect_status(gfp_vec_mul_batch(l->field, c, x.a.digits, x.b.digits, &batch, &options),
                          GFP_ERR_VERIFY, &error, "a batch");
        lab_expect_status(gfp_poly_mul_operand(&x.c, 0, 5, &x.a, b, &by_operand), GFP_ERR_VERIFY,
                          &error, "a product by an operand");
        assert_true(gfp_poly_is_zero(&x.c));
        fake_corrupt(0);
        gfp_operand_destroy(b);
    }
    lab_free(c);
    lab_drop(&x);
    lab_finish();
}

int main(void)
{
    fake_use();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_those_of_the_cpu),
        cmocka_unit_test(an_operand_is_no_longer_than_its_length),
        cmocka_unit_test(an_operand_is_transformed_once),
        cmocka_unit_test(every_fault_of_operands_is_survived),
        cmocka_unit_test(operands_keep_to_the_memory_of_the_device),
        cmocka_unit_test(operands_that_do_not_fit_are_for_the_cpu),
        cmocka_unit_test(sums_of_products_say_why_the_device_failed),
        cmocka_unit_test(a_callback_may_ask_for_operands),
        cmocka_unit_test(which_operands_are_for_the_gpu),
        cmocka_unit_test(verification_sees_what_copies_spoil),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
