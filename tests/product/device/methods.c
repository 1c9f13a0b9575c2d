/* methods.c: products by the methods on a GPU from and to host memory, over the backend
 * `host' (tests/lab/fake_device/device.h): order of copies and products, batches, blocks, and every
 * fault.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "lab/tunings.h"
#include "product/device/lab.h"
#include "lab/rows.h"

/* ---- products ---- */

static void products_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{1, 1},   {1, 40},    {40, 1},     {7, 5},
                                     {70, 50}, {300, 300}, {1500, 900}, {20, 2000}};
    (void)state;
    lab_begin(MEMORY);
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < sizeof lens / sizeof lens[0] && l->k < 256; i++) {
            factors x;
            if (lens[i][0] * lens[i][1] * l->k > 3000000) {
                continue;
            }
            lab_draw(&x, l, lens[i][0], lens[i][1]);
            if (x.expected.len == 0) { /* nothing to compute */
                lab_drop(&x);
                continue;
            }
            for (size_t m = 0; m < 3; m++) {
                gfp_error error = {.status = GFP_OK};
                const gfp_options options = {.method = names[m], .error = &error, .threads = 3};
                gfp_method_info info;
                if (gfp_method_query(&info, gfp_method_count() - 3 + m,
                                     &(gfp_problem){.len_a = x.a.len, .len_b = x.b.len}, l->field,
                                     &options) == GFP_OK &&
                    !info.available) { /* no transforms of that length */
                    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
                    continue;
                }
                expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
            }
            lab_drop(&x);
        }
    }
    lab_finish();
}

/* Staging, products and copies run as early or as late as possible. */
static void the_order_of_queues_does_not_matter(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 3000, 2500); /* some slots of pinned memory */
    for (unsigned queues = 0; queues < 8; queues += STEP) {
        for (size_t m = 0; m < 3; m++) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.method = names[m], .error = &error};
            fake_eager(queues);
            gfp_poly_zero(&x.c);
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
        }
    }
    lab_drop(&x);
    lab_finish();
}

static void squares_are_uploaded_once(void **state)
{
    (void)state;
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 300, 300);
    const gfp_options options = {.method = "hybrid_gpu"};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    const size_t two = fake_uploads();
    assert_int_equal(gfp_poly_sqr(&x.c, &x.a, &options), GFP_OK);
    assert_int_equal(fake_uploads() - two, two / 2);
    const gfp_options cpu = {.method = "hybrid"};
    assert_int_equal(gfp_poly_sqr(&x.expected, &x.a, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    lab_drop(&x);
    lab_finish();
}

static void parts_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{199, 100}, {100, 199}, {130, 130}, {260, 7}};
    (void)state;
    lab_begin(MEMORY);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        factors x;
        lab_draw(&x, lab_named("p8"), lens[i][0], lens[i][1]);
        for (size_t m = 0; m < 3; m++) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.method = names[m], .error = &error};
            check_parts(&x, &options);
        }
        lab_drop(&x);
    }
    lab_finish();
}

/* ---- less device memory than the product takes ---- */

static void what_exceeds_the_cap_is_done_in_blocks(void **state)
{
    static const size_t lens[][2] = {{1000, 1000}, {1000, 300}, {300, 1000}, {3000, 40}, {65, 900}};
    static const size_t caps[] = {300000, 200000, 100000};
    (void)state;
    lab_begin(MEMORY);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        factors x;
        lab_draw(&x, lab_named("p8"), lens[i][0], lens[i][1]);
        for (unsigned queues = 0; queues < 8; queues += STEP) {
            gfp_error error = {.status = GFP_OK};
            gfp_options options = {.method = "hybrid_gpu", .error = &error};
            fake_eager(queues);
            for (size_t j = 0; LAB_ROW(caps, j); j++) {
                options.gpu_memory_cap = caps[j];
                gfp_gpu_pool_release();
                fake_reset(MEMORY);
                fake_eager(queues);
                expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
                assert_true(fake_peak() <= caps[j]);
                assert_true(lens[i][0] < 1000 || lens[i][1] < 1000 || fake_products() > 1);
            }
        }
        const gfp_options part = {.method = "bigfft_gpu", .gpu_memory_cap = 100000};
        if (x.a.len < 2000) {
            check_parts(&x, &part);
        }
        lab_drop(&x);
    }
    lab_finish();
}

static size_t device_methods_root(size_t n)
{
    size_t x = 0;
    while ((x + 1) * (x + 1) <= n) {
        x++;
    }
    return x;
}

/* Two pieces need products of all pairs; a square needs half as many. */
static void squares_in_blocks_are_half_the_work(void **state)
{
    static const size_t lens[] = {1000, 601};
    size_t in_blocks = 0;
    (void)state;
    lab_begin(MEMORY);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        factors x;
        gfp_error error = {.status = GFP_OK};
        const gfp_options cpu = {.method = "hybrid"};
        gfp_options options = {.method = "hybrid_gpu", .error = &error};
        lab_draw(&x, lab_named("p8"), lens[i], lens[i]);
        for (unsigned queues = 0; queues < 8; queues += 2) {
            lab_begin(MEMORY);
            fake_eager(queues);
            options.gpu_memory_cap = lens[i] * (90 + 30 * queues);
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
            const size_t products = fake_products(), uploads = fake_uploads();
            lab_expect_status(gfp_poly_sqr(&x.c, &x.a, &options), GFP_OK, &error, "a square");
            const size_t of_square = fake_products() - products;
            assert_true(device_methods_root(products) * device_methods_root(products) == products);
            if (of_square > 1) { /* without a second factor it may fit as a whole */
                const size_t pieces = device_methods_root(2 * of_square);
                assert_int_equal(pieces * (pieces + 1) / 2, of_square);
                assert_true(pieces <= device_methods_root(products) &&
                            fake_uploads() - uploads < uploads);
                in_blocks++;
            }
            gfp_poly square;
            gfp_poly_init(&square, x.l->field);
            assert_int_equal(gfp_poly_sqr(&square, &x.a, &cpu), GFP_OK);
            assert_true(gfp_poly_equal(&x.c, &square));
            assert_int_equal(gfp_poly_mulmid(&square, &x.a, &x.a, 50, 300, &cpu), GFP_OK);
            assert_int_equal(gfp_poly_mulmid(&x.c, &x.a, &x.a, 50, 300, &options), GFP_OK);
            assert_true(gfp_poly_equal(&x.c, &square));
            gfp_poly_clear(&square);
        }
        lab_drop(&x);
    }
    assert_true(in_blocks > 4);
    lab_finish();
}

static void blocks_with_little_memory_on_the_device(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = "hybrid_gpu", .error = &error};
    lab_begin(250000);
    lab_draw(&x, lab_named("p8"), 1000, 700);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    lab_begin(10000); /* not even for blocks */
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "hybrid_gpu"));
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    lab_drop(&x);
    lab_finish();
}

/* ---- batches ---- */

/* Full groups and others; operands apart, overlapping, equal. */
static void batches_go_in_groups(void **state)
{
    static const gfp_batch batches[] = {{1, 30, 20, 0, 0, 0},    {5, 1, 1, 0, 0, 0},
                                        {9, 64, 50, 70, 1, 130}, {12300, 8, 8, 0, 0, 0},
                                        {20500, 8, 7, 9, 3, 15}, {25400, 5, 8, 0, 0, 0}};
    (void)state;
    const lab *l = lab_named("p8");
    lab_begin(MEMORY);
    for (unsigned queues = 0; queues < 8; queues += STEP) {
        gfp_error error = {.status = GFP_OK};
        const gfp_options options = {
            .method = names[queues % 3], .error = &error, .threads = 1 + queues % 2};
        fake_eager(queues);
        for (size_t i = 0; LAB_ROW(batches, i); i++) {
            if (i < 3 || (queues + i) % 3 == 0) {
                check_batch(l, &batches[i], queues % 3 == 2 && i == 3, &options);
            }
        }
    }
    lab_finish();
}

static void batches_with_little_memory(void **state)
{
    static const gfp_batch batch = {7, 200, 90, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    gfp_options options = {.method = "hybrid_gpu", .error = &error};
    lab_begin(MEMORY);
    for (size_t cap = 60000; cap < 500000; cap = 3 * cap / 2) {
        options.gpu_memory_cap = cap;
        check_batch(l, &batch, false, &options);
        check_batch(l, &batch, true, &options);
    }
    lab_finish();
}

/* ---- faults ---- */

/* A fault of a named method is the call's status, and the output is unchanged; a fault of the pick
 * makes the CPU compute the product. Returns whether a fault occurred: the call may make fewer than
 * nth calls. */
static bool check_fault(factors *x, fake_fault fault, size_t nth, bool forced,
                        const gfp_tuning *tuning)
{
    static const gfp_status statuses[] = {GFP_ERR_MEMORY, GFP_ERR_DEVICE, GFP_ERR_DEVICE};
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    const gfp_options options = {.method = forced ? "hybrid_gpu" : NULL,
                                 .error = &error,
                                 .report = &report,
                                 .tuning = tuning};
    memset(&report, 0, sizeof report);
    gfp_poly_zero(&x->c);
    fake_fail(fault, nth);
    const gfp_status status = gfp_poly_mul(&x->c, &x->a, &x->b, &options);
    const bool failed = fake_failed();
    fake_fail(fault, 0);
    if (status != GFP_OK) {
        assert_true(forced && failed);
        assert_int_equal(status, statuses[fault]);
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.message, "made to fail"));
        assert_true(gfp_poly_is_zero(&x->c));
    } else {
        assert_true(gfp_poly_equal(&x->c, &x->expected));
        assert_int_equal(error.status, GFP_OK);
    }
    if (report.gpu_method != NULL) {
        assert_true(failed && !forced);
        assert_string_equal(report.gpu_method, "hybrid_gpu");
        assert_int_equal(report.gpu_error.status, statuses[fault]);
        assert_string_not_equal(report.method, "hybrid_gpu");
    }
    return failed;
}

static void begin_alone(const lab *l)
{
    lab_begin(MEMORY);
    lab_ask(l);
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 1100, 20); /* with slots of pinned memory */
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    assert_true(for_each_fault(&x, tuning, FAKE_LOST, begin_alone, check_fault) > 500 / STEP);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void a_lost_device_is_missing_from_then_on(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    lab_begin(MEMORY);
    lab_draw(&x, l, 128, 128);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {.error = &error, .report = &report, .tuning = tuning};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.method, "hybrid_gpu");
    assert_null(report.gpu_method);
    fake_fail(FAKE_LOST, 3);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.gpu_method, "hybrid_gpu");
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_null(report.gpu_method); /* it is not tried again */
    assert_string_not_equal(report.method, "hybrid_gpu");
    options.method = "hybrid_gpu";
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "made to fail"));
    fake_fail(FAKE_LOST, 0);
    gfp_gpu_pool_release(); /* the next call opens it again */
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void what_the_device_refuses_the_cpu_does(void **state)
{
    static const gfp_batch batch = {6, 128, 128, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    lab_begin(MEMORY);
    lab_draw(&x, l, 128, 128);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {.error = &error, .report = &report, .tuning = tuning, .threads = 2};
    fake_refuse(GFP_GPU_METHOD_HYBRID);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.gpu_method, "hybrid_gpu");
    assert_int_equal(report.gpu_error.status, GFP_ERR_UNAVAILABLE);
    options.verify = GFP_VERIFY_POINT;
    check_batch(l, &batch, false, &options);
    assert_string_equal(report.gpu_method, "hybrid_gpu");
    options.verify = GFP_VERIFY_CROSS;
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    options.method = "hybrid_gpu";
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    fake_refuse(GFP_GPU_METHOD_AUTO);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    /* The second method is the GPU's where that is the cheapest of another family; if it fails, the
     * CPU's. */
    options.method = "classical";
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.cross_method, "hybrid_gpu");
    gfp_gpu_pool_release();
    fake_refuse(GFP_GPU_METHOD_HYBRID);
    lab_ask(l);
    error = (gfp_error){.status = GFP_OK};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_not_equal(report.cross_method, "hybrid_gpu");
    assert_int_equal(error.status, GFP_OK);
    options.memory_cap = 1; /* which no other method of the CPU keeps */
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "hybrid"));
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* The status is still MEMORY if blocks that would fit are too short for the method. */
static void short_memory_is_said_to_be_that(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    lab_begin(MEMORY);
    lab_draw(&x, l, 500, 400);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {
        .error = &error, .report = &report, .tuning = tuning, .gpu_memory_cap = 30000};
    fake_least(300);
    lab_ask(l);
    for (int forced = 0; forced < 2; forced++) {
        options.method = forced ? "hybrid_gpu" : NULL;
        gfp_poly_zero(&x.c);
        const gfp_status status = gfp_poly_mul(&x.c, &x.a, &x.b, &options);
        const gfp_error *said = forced ? &error : &report.gpu_error;
        assert_int_equal(status, forced ? GFP_ERR_MEMORY : GFP_OK);
        assert_int_equal(said->status, GFP_ERR_MEMORY);
        assert_non_null(strstr(said->message, "hybrid_gpu: "));
        assert_non_null(strstr(said->message, "exceed the cap of 30000"));
        assert_true(forced ? gfp_poly_is_zero(&x.c) : gfp_poly_equal(&x.c, &x.expected));
    }
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* A device with too little memory for a context still counts as present. */
static void asking_a_full_device(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    gfp_tuning *tuning = NULL;
    lab_begin(MEMORY);
    lab_draw(&x, l, 128, 128);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) { /* so that opening the device pays */
        const double ns = strcmp(gfp_method_name(i), "hybrid_gpu") == 0 ? 1000 : 1e10;
        assert_int_equal(lab_tuning_set(tuning, l->field, 128, gfp_method_name(i), ns), GFP_OK);
    }
    gfp_gpu_pool_release();
    gfp_options options = {.error = &error, .report = &report, .tuning = tuning};
    fake_fail(FAKE_FULL, 1);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_non_null(strstr(report.gpu_method, "_gpu"));
    assert_int_equal(report.gpu_error.status, GFP_ERR_MEMORY);
    assert_non_null(strstr(report.gpu_error.message, "made to fail: memory"));
    options.method = "hybrid_gpu";
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "made to fail: memory"));
    options.method = NULL;
    fake_fail(FAKE_FULL, 0);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_non_null(strstr(report.method, "_gpu"));
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static bool stop_soon(void *user, double fraction)
{
    (void)fraction;
    return --*(int *)user > 0;
}

static void a_product_can_be_cancelled(void **state)
{
    (void)state;
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 6000, 6000);
    for (int steps = 1; steps < 3; steps++) {
        int left = steps;
        const gfp_progress progress = {stop_soon, &left};
        const gfp_options options = {.method = "hybrid_gpu", .progress = &progress};
        assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_CANCELLED);
        assert_true(gfp_poly_is_zero(&x.c));
    }
    lab_drop(&x);
    lab_finish();
}

/* The fraction of a call, and whether it ever fell. */
typedef struct course {
    double last;
    bool fell;
} course;

static bool device_methods_follow(void *user, double fraction)
{
    course *c = user;
    c->fell = c->fell || fraction < c->last;
    c->last = fraction;
    return true;
}

static void check_course(const course *c)
{
    assert_false(c->fell);
    assert_true(c->last >= 1 && c->last <= 1);
}

/* Follows a product, a part of one and a batch, each with verification. Returns whether one failed.
 */
static bool follow_failures(factors *x, size_t nth, gfp_options *options)
{
    static const gfp_batch batch = {4, 90, 50, 0, 0, 0};
    course courses[3] = {{.last = 0}};
    gfp_progress progress = {device_methods_follow, NULL};
    bool failed = false;
    options->progress = &progress;
    for (size_t i = 0; i < 3; i++) {
        gfp_status status = GFP_OK;
        progress.user = &courses[i];
        fake_fail(FAKE_ONCE, nth);
        if (i == 0) {
            status = gfp_poly_mul(&x->c, &x->a, &x->b, options);
        } else if (i == 1) {
            status = gfp_poly_mullow(&x->c, &x->a, &x->b, 250, options);
        } else {
            check_batch(x->l, &batch, false, options);
        }
        failed = failed || fake_failed();
        fake_fail(FAKE_ONCE, 0);
        assert_int_equal(status, GFP_OK);
        check_course(&courses[i]);
    }
    options->progress = NULL;
    return failed;
}

/* A product of files; whether one failed. */
static bool follow_a_file(factors *x, size_t nth, gfp_file *const f[2], const char *path,
                          gfp_options *options)
{
    course way = {.last = 0};
    const gfp_progress progress = {device_methods_follow, &way};
    gfp_report report;
    options->progress = &progress;
    options->report = &report;
    fake_fail(FAKE_ONCE, nth);
    assert_int_equal(lab_file_mul(path, f[0], f[1], options), GFP_OK);
    const bool failed = fake_failed();
    fake_fail(FAKE_ONCE, 0);
    options->report = NULL;
    check_course(&way);
    assert_string_equal(report.gpu_method != NULL ? report.gpu_method : report.method,
                        "hybrid_gpu");
    assert_int_equal(gfp_poly_load(&x->c, path, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&x->c, &x->expected));
    return failed;
}

static void files_are_multiplied_where_the_device_fails(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    char folder[] = "gpu_host_XXXXXX", paths[3][40];
    gfp_file *file[2] = {NULL, NULL};
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 300, 200);
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu", folder, i);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_poly_store(i == 0 ? &x.a : &x.b, paths[i], NULL), GFP_OK);
        assert_int_equal(gfp_file_open(&file[i], paths[i], l->field, NULL, NULL), GFP_OK);
    }
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {.tuning = tuning, .verify = GFP_VERIFY_POINT, .threads = 2};
    bool more = true;
    for (size_t nth = 1; more; nth++) {
        lab_begin(MEMORY);
        lab_ask(l);
        more = follow_a_file(&x, nth, file, paths[2], &options);
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_file_close(i < 2 ? file[i] : NULL);
        assert_int_equal(remove(paths[i]), 0);
    }
    assert_int_equal(remove(folder), 0);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void progress_never_falls_where_the_device_fails(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    lab_begin(MEMORY);
    lab_draw(&x, l, 300, 200);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {.tuning = tuning, .verify = GFP_VERIFY_POINT, .threads = 2};
    bool more = true;
    for (size_t nth = 1; more; nth++) {
        lab_begin(MEMORY);
        lab_ask(l);
        more = follow_failures(&x, nth, &options);
    }
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

int main(void)
{
    fake_use();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_cpu),
        cmocka_unit_test(the_order_of_queues_does_not_matter),
        cmocka_unit_test(squares_are_uploaded_once),
        cmocka_unit_test(parts_are_those_of_the_cpu),
        cmocka_unit_test(what_exceeds_the_cap_is_done_in_blocks),
        cmocka_unit_test(squares_in_blocks_are_half_the_work),
        cmocka_unit_test(blocks_with_little_memory_on_the_device),
        cmocka_unit_test(batches_go_in_groups),
        cmocka_unit_test(batches_with_little_memory),
        cmocka_unit_test(every_fault_is_survived),
        cmocka_unit_test(a_lost_device_is_missing_from_then_on),
        cmocka_unit_test(what_the_device_refuses_the_cpu_does),
        cmocka_unit_test(short_memory_is_said_to_be_that),
        cmocka_unit_test(asking_a_full_device),
        cmocka_unit_test(a_product_can_be_cancelled),
        cmocka_unit_test(progress_never_falls_where_the_device_fails),
        cmocka_unit_test(files_are_multiplied_where_the_device_fails),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
