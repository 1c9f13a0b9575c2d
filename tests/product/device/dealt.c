/* dealt.c: products from and to host memory dealt over several GPUs (dealt_gpu), over the backend
 * `host' with the library's own plans: values, parts, squares, batches; numbers of GPUs, faults of
 * every call, small memory, GPUs that do not reach each other; what is kept; the chooser.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/device/lab.h"

#include <limits.h>

#define MOST 4

static void dealt_begin(size_t memory)
{
    lab_begin(memory);
    fake_devices(MOST);
}

/* Times that make dealt_gpu the pick, and hybrid_gpu the next one. */
static gfp_tuning *in_favour_of_dealing(const gfp_field *field)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const char *name = gfp_method_name(i);
        const double ns = strcmp(name, "hybrid_gpu") == 0 ? 1e9 : 1e12;
        assert_int_equal(lab_tuning_set(tuning, field, 128, name, ns), GFP_OK);
    }
    return tuning;
}

/* All are known from now on. */
static void open_devices(const lab *l)
{
    gfp_method_info info;
    const gfp_options options = {.gpu_count = MOST};
    for (size_t i = 0; i < gfp_method_count(); i++) {
        assert_int_equal(
            gfp_method_query(&info, i, &(gfp_problem){.len_a = 9, .len_b = 9}, l->field, &options),
            GFP_OK);
    }
}

/* ---- values ---- */

static void check_square(const factors *x, const gfp_options *options)
{
    const gfp_options cpu = {.method = "hybrid"};
    gfp_poly c, expected;
    gfp_poly_init(&c, x->l->field);
    gfp_poly_init(&expected, x->l->field);
    assert_int_equal(gfp_poly_sqr(&expected, &x->a, &cpu), GFP_OK);
    lab_expect_status(gfp_poly_sqr(&c, &x->a, options), GFP_OK, options->error, "a square");
    assert_true(gfp_poly_equal(&c, &expected));
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

static void products_are_those_of_the_cpu(void **state)
{
    static const char *const fields[] = {"p4", "p8", "p16", "p32"};
    static const size_t lens[][2] = {{1, 1}, {1, 3}, {40, 1}, {7, 5}, {64, 64}, {70, 33}, {3, 200}};
    (void)state;
    dealt_begin(MEMORY);
    for (size_t f = 0; LAB_ROW(fields, f); f++) {
        for (size_t i = 0; LAB_ROW(lens, i); i++) {
            factors x;
            lab_draw(&x, lab_named(fields[f]), lens[i][0], lens[i][1]);
            for (unsigned members = 2; members <= MOST; members++) {
                gfp_error error = {.status = GFP_OK};
                gfp_report report;
                const gfp_options options = {.method = "dealt_gpu",
                                             .verify = GFP_VERIFY_POINT,
                                             .error = &error,
                                             .report = &report,
                                             .threads = members,
                                             .gpu_count = members};
                expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
                assert_string_equal(report.method, "dealt_gpu");
                check_square(&x, &options);
            }
            lab_drop(&x);
        }
    }
    lab_finish();
}

/* Copies begin in turn and run as early or as late as possible; slots of pinned memory go round. */
static void the_order_of_queues_does_not_matter(void **state)
{
    static const size_t lens[][2] = {{3000, 2500}, {1500, 90}};
    (void)state;
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        factors x;
        lab_draw(&x, lab_named("p4"), lens[i][0], lens[i][1]);
        for (unsigned queues = 0; queues < 8; queues += 1 + 2 * STEP) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.method = "dealt_gpu", .error = &error, .gpu_count = 2};
            dealt_begin(MEMORY);
            fake_eager(queues);
            gfp_poly_zero(&x.c);
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
            check_square(&x, &options);
        }
        lab_drop(&x);
    }
    lab_finish();
}

static void parts_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{199, 100}, {100, 199}, {130, 130}};
    (void)state;
    dealt_begin(MEMORY);
    for (size_t i = 0; LAB_ROW(lens, i); i++) {
        factors x;
        gfp_error error = {.status = GFP_OK};
        const gfp_options options = {
            .method = "dealt_gpu", .error = &error, .gpu_count = 2 + (unsigned)i};
        lab_draw(&x, lab_named("p8"), lens[i][0], lens[i][1]);
        check_parts(&x, &options);
        lab_drop(&x);
    }
    lab_finish();
}

static void without_coefficients_nothing_is_computed(void **state)
{
    (void)state;
    factors x;
    const gfp_options options = {.method = "dealt_gpu", .gpu_count = 3};
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 5, 5);
    gfp_poly_zero(&x.b);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    assert_true(gfp_poly_is_zero(&x.c));
    const gfp_batch none = {0, 5, 5, 0, 0, 0};
    assert_int_equal(gfp_vec_mul_batch(x.l->field, NULL, NULL, NULL, &none, &options), GFP_OK);
    assert_int_equal(fake_contexts(), 0);
    lab_drop(&x);
    lab_finish();
}

/* Fewer products than GPUs, as many, and ranges of several groups. */
static void batches_are_cut_into_ranges(void **state)
{
    static const gfp_batch batches[] = {{1, 30, 20, 0, 0, 0},    {2, 9, 30, 0, 0, 0},
                                        {3, 20, 20, 25, 20, 50}, {4, 5, 5, 0, 0, 0},
                                        {9, 40, 21, 41, 1, 63},  {5, 1, 1, 0, 0, 0}};
    (void)state;
    const lab *l = lab_named("p8");
    dealt_begin(MEMORY);
    for (unsigned members = 2; members <= MOST; members++) {
        gfp_error error = {.status = GFP_OK};
        const gfp_options options = {.method = "dealt_gpu",
                                     .error = &error,
                                     .verify = GFP_VERIFY_POINT,
                                     .threads = members,
                                     .gpu_count = members};
        fake_eager(2 * members - 3);
        for (size_t i = 0; LAB_ROW(batches, i); i++) {
            check_batch(l, &batches[i], i == 2, &options);
        }
    }
    const gfp_batch many = {30000, 4, 4, 0, 0, 0};
    const gfp_options options = {.method = "dealt_gpu", .gpu_count = 2};
    check_batch(lab_named("p16"), &many, false, &options);
    lab_finish();
}

static void files_are_multiplied(void **state)
{
    (void)state;
    char folder[] = "gpu_dealt_XXXXXX", paths[3][40];
    gfp_file *file[2] = {NULL, NULL};
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    factors x;
    const gfp_options options = {.method = "dealt_gpu",
                                 .error = &error,
                                 .report = &report,
                                 .verify = GFP_VERIFY_POINT,
                                 .memory_cap = (size_t)1 << 20,
                                 .gpu_count = 2};
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 300, 200);
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%zu", folder, i);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gfp_poly_store(i == 0 ? &x.a : &x.b, paths[i], NULL), GFP_OK);
        assert_int_equal(gfp_file_open(&file[i], paths[i], x.l->field, NULL, NULL), GFP_OK);
    }
    lab_expect_status(lab_file_mul(paths[2], file[0], file[1], &options), GFP_OK, &error, "files");
    assert_string_equal(report.method, "dealt_gpu");
    assert_int_equal(gfp_poly_load(&x.c, paths[2], NULL), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    for (size_t i = 0; i < 3; i++) {
        gfp_file_close(i < 2 ? file[i] : NULL);
        assert_int_equal(remove(paths[i]), 0);
    }
    assert_int_equal(remove(folder), 0);
    lab_drop(&x);
    lab_finish();
}

/* ---- numbers of GPUs ---- */

static void expect_refusal(const factors *x, unsigned device, unsigned count, const char *reason)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {
        .method = "dealt_gpu", .error = &error, .gpu_device = device, .gpu_count = count};
    gfp_poly c;
    gfp_poly_init(&c, x->l->field);
    assert_int_equal(gfp_poly_mul(&c, &x->a, &x->b, &options), GFP_ERR_UNAVAILABLE);
    if (strstr(error.message, reason) == NULL) {
        fail_msg("%s", error.message);
    }
    gfp_poly_clear(&c);
}

static void there_must_be_that_many(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 60, 40);
    expect_refusal(&x, 0, 0, "it deals products over 2 to 16 GPUs, and is to use 1");
    expect_refusal(&x, 0, 1, "is to use 1");
    expect_refusal(&x, 0, 17, "is to use 17");
    expect_refusal(&x, 0, UINT_MAX, "2 to 16 GPUs");
    expect_refusal(&x, 0, 5, "device 4: no such device: there are 4");
    expect_refusal(&x, 3, 2, "device 4: no such device: there are 4");
    expect_refusal(&x, 63, 2, "device 63: no such device");
    expect_refusal(&x, UINT_MAX, 2, "no such device");
    gfp_options options = {.method = "dealt_gpu", .error = &error, .gpu_device = 1, .gpu_count = 3};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    gfp_tuning *tuning = in_favour_of_dealing(x.l->field);
    options = (gfp_options){.tuning = tuning, .error = &error, .report = &report, .gpu_count = 5};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.method, "hybrid_gpu"); /* on one */
    assert_null(report.gpu_method);
    options.gpu_count = 4;
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.method, "dealt_gpu");
    gfp_operand *operand = NULL;
    options.method = "dealt_gpu";
    assert_int_equal(
        operand_of(&operand, &x.a, (gfp_space_spec){100, 1, GFP_WRAP_LINEAR}, &options),
        GFP_ERR_UNAVAILABLE);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void devices_that_are_apart(void **state)
{
    static const gfp_batch batch = {5, 20, 20, 0, 0, 0};
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    dealt_begin(MEMORY);
    fake_apart(true);
    lab_draw(&x, lab_named("p8"), 60, 40);
    expect_refusal(&x, 0, 2, "device 0 cannot reach device 1");
    gfp_tuning *tuning = in_favour_of_dealing(x.l->field);
    gfp_options options = {.tuning = tuning, .error = &error, .report = &report, .gpu_count = 2};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.method, "hybrid_gpu"); /* one of them serves */
    assert_string_equal(report.gpu_method, "dealt_gpu");
    assert_non_null(strstr(report.gpu_error.message, "cannot reach"));
    options.method = "dealt_gpu";
    check_batch(x.l, &batch, false, &options); /* needs no exchange */
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* ---- faults ---- */

/* A fault of the named method is the call's status, and the output is unchanged; a fault of the
 * pick makes one GPU or the CPU go on. Returns whether a fault occurred. */
static bool check_dealt_fault(factors *x, fake_fault fault, size_t nth, bool forced,
                              const gfp_tuning *tuning)
{
    static const gfp_status statuses[] = {GFP_ERR_MEMORY, GFP_ERR_DEVICE, GFP_ERR_DEVICE,
                                          GFP_ERR_MEMORY};
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    const gfp_options options = {.method = forced ? "dealt_gpu" : NULL,
                                 .error = &error,
                                 .report = &report,
                                 .tuning = tuning,
                                 .gpu_count = 3};
    memset(&report, 0, sizeof report);
    gfp_poly_zero(&x->c);
    fake_fail(fault, nth);
    const gfp_status status = gfp_poly_mul(&x->c, &x->a, &x->b, &options);
    const bool failed = fake_failed();
    fake_fail(fault, 0);
    if (status != GFP_OK) {
        assert_true(forced && failed);
        assert_int_equal(status, statuses[fault]);
        assert_non_null(strstr(error.message, "made to fail"));
        assert_non_null(strstr(error.message, "device "));
        assert_true(gfp_poly_is_zero(&x->c));
    } else {
        assert_true(gfp_poly_equal(&x->c, &x->expected));
        assert_true(failed || nth == 0 || strcmp(report.method, "dealt_gpu") == 0);
    }
    if (report.gpu_method != NULL) {
        assert_true(failed && !forced);
        assert_int_equal(report.gpu_error.status, statuses[fault]);
        assert_string_not_equal(report.method, "dealt_gpu");
    }
    return failed;
}

static void begin_together(const lab *l)
{
    dealt_begin(MEMORY);
    open_devices(l);
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    dealt_begin(MEMORY);
    lab_draw(&x, l, 70, 40);
    gfp_tuning *tuning = in_favour_of_dealing(l->field);
    assert_true(for_each_fault(&x, tuning, FAKE_FULL, begin_together, check_dealt_fault) >
                1000 / STEP);
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

static void batches_survive_every_fault(void **state)
{
    static const gfp_batch batch = {5, 12, 9, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    gfp_report report;
    gfp_error error = {.status = GFP_OK};
    gfp_tuning *tuning = in_favour_of_dealing(l->field);
    const gfp_options options = {
        .error = &error, .report = &report, .tuning = tuning, .gpu_count = 2};
    bool more = true;
    size_t failures = 0;
    for (size_t nth = 1; more; nth += STEP) {
        begin_together(l);
        fake_fail(FAKE_ONCE, nth);
        check_batch(l, &batch, false, &options);
        more = fake_failed();
        failures += report.gpu_method != NULL;
        fake_fail(FAKE_ONCE, 0);
    }
    assert_true(failures > 50 / STEP);
    assert_string_equal(report.method, "dealt_gpu");
    gfp_tuning_destroy(tuning);
    lab_finish();
}

/* ---- memory ---- */

static void small_memory(void **state)
{
    static const gfp_batch batch = {6, 300, 200, 0, 0, 0};
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 900, 700);
    gfp_tuning *tuning = in_favour_of_dealing(x.l->field);
    gfp_options options = {.error = &error,
                           .report = &report,
                           .tuning = tuning,
                           .gpu_memory_cap = 150000,
                           .gpu_count = 2};
    options.method = "dealt_gpu";
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "dealt_gpu: member 0, device 0: "));
    assert_non_null(strstr(error.message, "exceed the cap of 150000"));
    check_batch(x.l, &batch, false, &options); /* in smaller groups */
    options.method = NULL;
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_equal(report.gpu_method, "dealt_gpu");
    assert_string_equal(report.method, "hybrid_gpu"); /* in blocks on one */
    /* Memory that another product's plan and arrays hold is given back. */
    dealt_begin(MEMORY);
    options = (gfp_options){.method = "dealt_gpu", .error = &error, .gpu_count = 2};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    fake_memory(fake_peak());
    for (size_t len = 701; len < 710; len += 4) {
        factors y;
        lab_draw(&y, x.l, len, len);
        expect_product(&y, gfp_poly_mul(&y.c, &y.a, &y.b, &options), &error);
        lab_drop(&y);
    }
    lab_drop(&x);
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 2500, 2500);
    options.memory_cap = 1000; /* of the host, for slots */
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "dealt_gpu: the product needs "));
    gfp_tuning_destroy(tuning);
    lab_drop(&x);
    lab_finish();
}

/* ---- what is kept ---- */

static void contexts_and_plans_are_kept(void **state)
{
    (void)state;
    dealt_begin(MEMORY);
    gfp_field *field = lab_create("p4");
    const lab *l = lab_named("p4");
    const gfp_options options = {.method = "dealt_gpu", .gpu_count = 3};
    gfp_poly a, b;
    gfp_random g;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&b, &a, &(gfp_options){.method = "hybrid_gpu"}), GFP_OK);
    gfp_gpu_pool_release();
    for (unsigned i = 0; i < 3; i++) { /* the probes stay when the field goes */
        expect_refusal(&(factors){.l = l, .a = a, .b = a}, i, 1, "is to use 1");
        assert_int_equal(
            gfp_poly_sqr(&b, &a, &(gfp_options){.method = "hybrid_gpu", .gpu_device = i}), GFP_OK);
    }
    const size_t before = fake_contexts();
    assert_int_equal(gfp_poly_sqr(&b, &a, &options), GFP_OK);
    assert_int_equal(fake_contexts() - before, 3);
    const size_t alive = fake_alive();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_sqr(&b, &a, &options), GFP_OK);
    }
    assert_int_equal(fake_alive(), alive);
    assert_int_equal(fake_contexts() - before, 3);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_field_destroy(field);
    assert_true(fake_alive() < alive);
    lab_finish();
}

/* ---- progress ---- */

typedef struct course {
    double last;
    bool fell;
    int left; /* steps before the call is cancelled; 0: never */
} course;

static bool follow_course(void *user, double fraction)
{
    course *c = user;
    c->fell = c->fell || fraction < c->last;
    c->last = fraction;
    return c->left == 0 || --c->left > 0;
}

static void progress_and_cancellation(void **state)
{
    static const gfp_batch batch = {6, 200, 200, 0, 0, 0};
    (void)state;
    factors x;
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 2500, 2500);
    for (int left = 0; left < 3; left++) {
        course way = {.left = left};
        const gfp_progress progress = {follow_course, &way};
        const gfp_options options = {.method = "dealt_gpu",
                                     .progress = &progress,
                                     .verify = GFP_VERIFY_POINT,
                                     .gpu_count = 2};
        const gfp_status status = gfp_poly_mul(&x.c, &x.a, &x.b, &options);
        assert_int_equal(status, left == 0 ? GFP_OK : GFP_ERR_CANCELLED);
        assert_false(way.fell);
        assert_true(left > 0 || way.last >= 1);
        gfp_poly_zero(&x.c);
    }
    course way = {.left = 0};
    const gfp_progress progress = {follow_course, &way};
    const gfp_options options = {.method = "dealt_gpu", .progress = &progress, .gpu_count = 3};
    check_batch(x.l, &batch, false, &options);
    assert_true(!way.fell && way.last >= 1);
    lab_drop(&x);
    lab_finish();
}

/* ---- the chooser ---- */

static double dealt_estimate(const gfp_problem *problem, const char *name, unsigned count)
{
    gfp_method_info info = {.available = false};
    const gfp_options options = {.threads = 8, .gpu_count = count};
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), name) == 0) {
            assert_int_equal(gfp_method_query(&info, i, problem, lab_named("p8")->field, &options),
                             GFP_OK);
        }
    }
    return info.available ? info.estimate_ns : 0;
}

/* Short products stay on one GPU or the CPU; more GPUs take less time while there is work. */
static void long_products_are_dealt(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const size_t n = (size_t)1 << 22;
    const gfp_options two = {.threads = 8, .gpu_count = 2};
    dealt_begin(MEMORY);
    double last = 0;
    for (size_t len = 16; len <= n; len *= 4) {
        const gfp_problem p = {.len_a = len, .len_b = len};
        const double one = dealt_estimate(&p, "hybrid_gpu", 2);
        const double dealt = dealt_estimate(&p, "dealt_gpu", 2);
        assert_true(dealt > last && one > 0);
        assert_true(len > 256 || dealt > one);
        assert_true(len < 1 << 22 || (dealt < one && dealt > one / 2));
        last = dealt;
    }
    const gfp_problem p = {.len_a = n, .len_b = n}, brief = {.len_a = 256, .len_b = 256};
    assert_true(dealt_estimate(&p, "dealt_gpu", 4) < dealt_estimate(&p, "dealt_gpu", 2));
    assert_true(dealt_estimate(&p, "dealt_gpu", 1) == 0);
    assert_string_equal(gfp_method_pick(&p, field, &two), "dealt_gpu");
    assert_string_not_equal(gfp_method_pick(&brief, field, &two), "dealt_gpu");
    assert_string_not_equal(gfp_method_pick(&p, field, &(gfp_options){.threads = 8}), "dealt_gpu");
    const gfp_problem batch = {
        .operation = GFP_OPERATION_BATCH, .len_a = 1024, .len_b = 1024, .count = 4096};
    assert_string_equal(gfp_method_pick(&batch, field, &two), "dealt_gpu");
    const gfp_problem part = {
        .operation = GFP_OPERATION_MIDDLE, .len_a = n, .len_b = n, .from = n, .n = 1};
    assert_true(dealt_estimate(&part, "dealt_gpu", 2) > 0.99 * dealt_estimate(&p, "dealt_gpu", 2));
    gfp_problem resident = p;
    resident.resident = GFP_RESIDENT_DEVICE;
    assert_true(dealt_estimate(&resident, "dealt_gpu", 2) == 0);
    assert_true(dealt_estimate(&resident, "hybrid_gpu", 2) > 0);
    dealt_begin(MEMORY);
    fake_devices(1);
    assert_true(dealt_estimate(&p, "dealt_gpu", 2) == 0);
    assert_string_equal(gfp_method_pick(&p, field, &two), "hybrid_gpu");
    lab_finish();
}

static void the_plan_names_the_devices(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_plan_text plan;
    dealt_begin(MEMORY);
    lab_draw(&x, lab_named("p8"), 60, 40);
    const gfp_options options = {
        .method = "dealt_gpu", .error = &error, .plan = &plan, .gpu_device = 1, .gpu_count = 2};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_non_null(strstr(plan.text, "dealt_gpu"));
    assert_non_null(strstr(plan.text, "1 to 2"));
    lab_drop(&x);
    lab_finish();
}

int main(void)
{
    fake_use_planned();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_cpu),
        cmocka_unit_test(the_order_of_queues_does_not_matter),
        cmocka_unit_test(parts_are_those_of_the_cpu),
        cmocka_unit_test(without_coefficients_nothing_is_computed),
        cmocka_unit_test(batches_are_cut_into_ranges),
        cmocka_unit_test(files_are_multiplied),
        cmocka_unit_test(there_must_be_that_many),
        cmocka_unit_test(devices_that_are_apart),
        cmocka_unit_test(every_fault_is_survived),
        cmocka_unit_test(batches_survive_every_fault),
        cmocka_unit_test(small_memory),
        cmocka_unit_test(contexts_and_plans_are_kept),
        cmocka_unit_test(progress_and_cancellation),
        cmocka_unit_test(long_products_are_dealt),
        cmocka_unit_test(the_plan_names_the_devices),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
