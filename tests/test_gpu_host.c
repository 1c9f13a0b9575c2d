/* test_gpu_host.c: products by the methods on a GPU from and to host memory, over the backend
 * `host' (fake_device.h): order of copies and products, batches, blocks, the chooser's picks, and
 * every fault.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_device.h"
#include "gfpoly/file.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/poly.h"
#include "gfpoly/tuning.h"
#include "lab.h"
#include "operand_lab.h"
#include "sanitized.h"

/* Tests every STEP-th order of queues and failing call. */
#define STEP (SANITIZED ? 3 : 1)

#define MEMORY ((size_t)1 << 30)
static const char *const names[] = {"bigfft_gpu", "hybrid_gpu", "multimodular_gpu"};

static void begin(size_t memory)
{
    gfp_gpu_pool_release();
    fake_reset(memory);
}

/* Checks that no object is left, and that no product read memory that was never written. */
static void finish(void)
{
    gfp_gpu_pool_release();
    assert_false(fake_misread());
    assert_int_equal(fake_alive(), 0);
}

/* Two random factors, their product by the CPU, and one to be computed. */
typedef struct factors {
    const lab *l;
    gfp_poly a, b, c, expected;
    const gfp_tuning *tuning; /* for products in threads, which name no method then; or NULL */
} factors;

static void draw(factors *f, const lab *l, size_t len_a, size_t len_b)
{
    const gfp_options options = {.method = "hybrid"};
    gfp_random g;
    gfp_random_seed(&g, len_a + 1000 * len_b);
    f->l = l;
    f->tuning = NULL;
    gfp_poly_init(&f->a, l->field);
    gfp_poly_init(&f->b, l->field);
    gfp_poly_init(&f->c, l->field);
    gfp_poly_init(&f->expected, l->field);
    assert_int_equal(gfp_poly_random(&f->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&f->b, len_b, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&f->expected, &f->a, &f->b, &options), GFP_OK);
}

static void drop(factors *f)
{
    gfp_poly_clear(&f->a);
    gfp_poly_clear(&f->b);
    gfp_poly_clear(&f->c);
    gfp_poly_clear(&f->expected);
}

static void expect_product(const factors *f, gfp_status status, const gfp_error *error)
{
    if (status != GFP_OK) {
        fail_msg("%s, %zu by %zu: %s", f->l->entry->text, f->a.len, f->b.len, error->message);
    }
    assert_true(gfp_poly_equal(&f->c, &f->expected));
}

/* ---- products ---- */

static void products_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{1, 1},   {1, 40},    {40, 1},     {7, 5},
                                     {70, 50}, {300, 300}, {1500, 900}, {20, 2000}};
    (void)state;
    begin(MEMORY);
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < sizeof lens / sizeof lens[0] && l->k < 256; i++) {
            factors x;
            if (lens[i][0] * lens[i][1] * l->k > 3000000) {
                continue;
            }
            draw(&x, l, lens[i][0], lens[i][1]);
            if (x.expected.len == 0) { /* nothing to compute */
                drop(&x);
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
            drop(&x);
        }
    }
    finish();
}

/* Staging, products and copies run as early or as late as possible. */
static void the_order_of_queues_does_not_matter(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    begin(MEMORY);
    draw(&x, l, 3000, 2500); /* some slots of pinned memory */
    for (unsigned queues = 0; queues < 8; queues += STEP) {
        for (size_t m = 0; m < 3; m++) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.method = names[m], .error = &error};
            fake_eager(queues);
            gfp_poly_zero(&x.c);
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
        }
    }
    drop(&x);
    finish();
}

static void squares_are_uploaded_once(void **state)
{
    (void)state;
    factors x;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 300, 300);
    const gfp_options options = {.method = "hybrid_gpu"};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    const size_t two = fake_uploads();
    assert_int_equal(gfp_poly_sqr(&x.c, &x.a, &options), GFP_OK);
    assert_int_equal(fake_uploads() - two, two / 2);
    const gfp_options cpu = {.method = "hybrid"};
    assert_int_equal(gfp_poly_sqr(&x.expected, &x.a, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    drop(&x);
    finish();
}

static void check_parts(const factors *x, const gfp_options *options)
{
    static const size_t parts[][2] = {{0, 1}, {0, 100}, {99, 100}, {150, 1}, {120, 5}, {200, 1000}};
    const gfp_options cpu = {.method = "hybrid"};
    gfp_poly c, expected;
    gfp_poly_init(&c, x->l->field);
    gfp_poly_init(&expected, x->l->field);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t from = parts[i][0], n = parts[i][1];
        gfp_status status = gfp_poly_mul_middle(&c, &x->a, &x->b, from, n, options);
        lab_expect_status(status, GFP_OK, options->error, "a part");
        assert_int_equal(gfp_poly_mul_middle(&expected, &x->a, &x->b, from, n, &cpu), GFP_OK);
        assert_true(gfp_poly_equal(&c, &expected));
    }
    assert_int_equal(gfp_poly_mul_low(&c, &x->a, &x->b, 77, options), GFP_OK);
    assert_int_equal(gfp_poly_mul_low(&expected, &x->a, &x->b, 77, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&c, &expected));
    assert_int_equal(gfp_poly_mul_high(&c, &x->a, &x->b, 77, options), GFP_OK);
    assert_int_equal(gfp_poly_mul_high(&expected, &x->a, &x->b, 77, &cpu), GFP_OK);
    assert_true(gfp_poly_equal(&c, &expected));
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

static void parts_are_those_of_the_cpu(void **state)
{
    static const size_t lens[][2] = {{199, 100}, {100, 199}, {130, 130}, {260, 7}};
    (void)state;
    begin(MEMORY);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        factors x;
        draw(&x, lab_named("p8"), lens[i][0], lens[i][1]);
        for (size_t m = 0; m < 3; m++) {
            gfp_error error = {.status = GFP_OK};
            const gfp_options options = {.method = names[m], .error = &error};
            check_parts(&x, &options);
        }
        drop(&x);
    }
    finish();
}

/* ---- less device memory than the product takes ---- */

static void what_exceeds_the_cap_is_done_in_blocks(void **state)
{
    static const size_t lens[][2] = {{1000, 1000}, {1000, 300}, {300, 1000}, {3000, 40}, {65, 900}};
    static const size_t caps[] = {300000, 200000, 100000};
    (void)state;
    begin(MEMORY);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        factors x;
        draw(&x, lab_named("p8"), lens[i][0], lens[i][1]);
        for (unsigned queues = 0; queues < 8; queues += STEP) {
            gfp_error error = {.status = GFP_OK};
            gfp_options options = {.method = "hybrid_gpu", .error = &error};
            fake_eager(queues);
            for (size_t j = 0; j < sizeof caps / sizeof caps[0]; j++) {
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
        drop(&x);
    }
    finish();
}

static size_t root(size_t n)
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
    begin(MEMORY);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        factors x;
        gfp_error error = {.status = GFP_OK};
        const gfp_options cpu = {.method = "hybrid"};
        gfp_options options = {.method = "hybrid_gpu", .error = &error};
        draw(&x, lab_named("p8"), lens[i], lens[i]);
        for (unsigned queues = 0; queues < 8; queues += 2) {
            begin(MEMORY);
            fake_eager(queues);
            options.gpu_memory_cap = lens[i] * (90 + 30 * queues);
            expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
            const size_t products = fake_products(), uploads = fake_uploads();
            lab_expect_status(gfp_poly_sqr(&x.c, &x.a, &options), GFP_OK, &error, "a square");
            const size_t of_square = fake_products() - products;
            assert_true(root(products) * root(products) == products);
            if (of_square > 1) { /* without a second factor it may fit as a whole */
                const size_t pieces = root(2 * of_square);
                assert_int_equal(pieces * (pieces + 1) / 2, of_square);
                assert_true(pieces <= root(products) && fake_uploads() - uploads < uploads);
                in_blocks++;
            }
            gfp_poly square;
            gfp_poly_init(&square, x.l->field);
            assert_int_equal(gfp_poly_sqr(&square, &x.a, &cpu), GFP_OK);
            assert_true(gfp_poly_equal(&x.c, &square));
            assert_int_equal(gfp_poly_mul_middle(&square, &x.a, &x.a, 50, 300, &cpu), GFP_OK);
            assert_int_equal(gfp_poly_mul_middle(&x.c, &x.a, &x.a, 50, 300, &options), GFP_OK);
            assert_true(gfp_poly_equal(&x.c, &square));
            gfp_poly_clear(&square);
        }
        drop(&x);
    }
    assert_true(in_blocks > 4);
    finish();
}

static void blocks_with_little_memory_on_the_device(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = "hybrid_gpu", .error = &error};
    begin(250000);
    draw(&x, lab_named("p8"), 1000, 700);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    begin(10000); /* not even for blocks */
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "hybrid_gpu"));
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    drop(&x);
    finish();
}

/* ---- batches ---- */

static void check_batch(const lab *l, const gfp_batch *batch, bool square,
                        const gfp_options *options)
{
    const size_t n = batch->count, k = l->k;
    const size_t step_a = batch->stride_a != 0 ? batch->stride_a : batch->len_a;
    const size_t step_b = batch->stride_b != 0 ? batch->stride_b : batch->len_b;
    const size_t len_c = batch->len_a + batch->len_b - 1;
    const size_t step_c = batch->stride_c != 0 ? batch->stride_c : len_c;
    const gfp_options cpu = {.method = "hybrid"};
    uint64_t *a = lab_array((n * step_a + batch->len_a) * k);
    uint64_t *b = lab_array((n * step_b + batch->len_b) * k);
    uint64_t *c = lab_array(n * step_c * k), *expected = lab_array(n * step_c * k);
    gfp_random g;
    gfp_random_seed(&g, n);
    gfp_vec_random(l->field, a, n * step_a + batch->len_a, &g);
    gfp_vec_random(l->field, b, n * step_b + batch->len_b, &g);
    memset(c, 0, n * step_c * k * sizeof *c);
    memset(expected, 0, n * step_c * k * sizeof *c);
    gfp_status status = gfp_vec_mul_batch(l->field, expected, a, square ? a : b, batch, &cpu);
    assert_int_equal(status, GFP_OK);
    status = gfp_vec_mul_batch(l->field, c, a, square ? a : b, batch, options);
    lab_expect_status(status, GFP_OK, options->error, "a batch");
    assert_memory_equal(c, expected, n * step_c * k * sizeof *c);
    lab_free(a);
    lab_free(b);
    lab_free(c);
    lab_free(expected);
}

/* Full groups and others; operands apart, overlapping, equal. */
static void batches_go_in_groups(void **state)
{
    static const gfp_batch batches[] = {{1, 30, 20, 0, 0, 0},    {5, 1, 1, 0, 0, 0},
                                        {9, 64, 50, 70, 1, 130}, {12300, 8, 8, 0, 0, 0},
                                        {20500, 8, 7, 9, 3, 15}, {25400, 5, 8, 0, 0, 0}};
    (void)state;
    const lab *l = lab_named("p8");
    begin(MEMORY);
    for (unsigned queues = 0; queues < 8; queues += STEP) {
        gfp_error error = {.status = GFP_OK};
        const gfp_options options = {
            .method = names[queues % 3], .error = &error, .threads = 1 + queues % 2};
        fake_eager(queues);
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            if (i < 3 || (queues + i) % 3 == 0) {
                check_batch(l, &batches[i], queues % 3 == 2 && i == 3, &options);
            }
        }
    }
    finish();
}

static void batches_with_little_memory(void **state)
{
    static const gfp_batch batch = {7, 200, 90, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    gfp_options options = {.method = "hybrid_gpu", .error = &error};
    begin(MEMORY);
    for (size_t cap = 60000; cap < 500000; cap = 3 * cap / 2) {
        options.gpu_memory_cap = cap;
        check_batch(l, &batch, false, &options);
        check_batch(l, &batch, true, &options);
    }
    finish();
}

/* ---- faults ---- */

/* A tuning that makes the GPU the pick for such lengths. */
static gfp_tuning *in_favour_of(const char *method, const gfp_field *field)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const double ns = strcmp(gfp_method_name(i), method) == 0 ? 1000 : 1e7;
        assert_int_equal(gfp_tuning_set_ns(tuning, field, 128, gfp_method_name(i), ns), GFP_OK);
    }
    return tuning;
}

static gfp_tuning *in_favour_of_the_gpu(const gfp_field *field)
{
    return in_favour_of("hybrid_gpu", field);
}

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

/* Opens the device, which is known from now on. */
static void ask(const lab *l)
{
    gfp_method_info info;
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, l->field, NULL),
                     GFP_OK);
}

static void every_fault_is_survived(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    begin(MEMORY);
    draw(&x, l, 1100, 20); /* with slots of pinned memory */
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    size_t failures = 0;
    for (int fault = FAKE_MEMORY; fault <= FAKE_LOST; fault++) {
        for (int way = 0; way < 4; way++) {
            const bool forced = way % 2 != 0, warm = way / 2 != 0;
            bool more = true;
            for (size_t nth = 1; more; nth += STEP) {
                begin(MEMORY);
                ask(l);
                if (warm) {
                    check_fault(&x, FAKE_ONCE, 0, forced, tuning);
                }
                more = check_fault(&x, (fake_fault)fault, nth, forced, tuning);
                failures += more;
                check_fault(&x, FAKE_ONCE, 0, false, tuning);
            }
        }
    }
    assert_true(failures > 500 / STEP);
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

static void a_lost_device_is_missing_from_then_on(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    begin(MEMORY);
    draw(&x, l, 128, 128);
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
    drop(&x);
    finish();
}

static void what_the_device_refuses_the_cpu_does(void **state)
{
    static const gfp_batch batch = {6, 128, 128, 0, 0, 0};
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    begin(MEMORY);
    draw(&x, l, 128, 128);
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
    ask(l);
    error = (gfp_error){.status = GFP_OK};
    expect_product(&x, gfp_poly_mul(&x.c, &x.a, &x.b, &options), &error);
    assert_string_not_equal(report.cross_method, "hybrid_gpu");
    assert_int_equal(error.status, GFP_OK);
    options.memory_cap = 1; /* which no other method of the CPU keeps */
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "hybrid"));
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

/* The status is still MEMORY if blocks that would fit are too short for the method. */
static void short_memory_is_said_to_be_that(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report;
    begin(MEMORY);
    draw(&x, l, 500, 400);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {
        .error = &error, .report = &report, .tuning = tuning, .gpu_memory_cap = 30000};
    fake_least(300);
    ask(l);
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
    drop(&x);
    finish();
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
    begin(MEMORY);
    draw(&x, l, 128, 128);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) { /* so that opening the device pays */
        const double ns = strcmp(gfp_method_name(i), "hybrid_gpu") == 0 ? 1000 : 1e10;
        assert_int_equal(gfp_tuning_set_ns(tuning, l->field, 128, gfp_method_name(i), ns), GFP_OK);
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
    drop(&x);
    finish();
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
    begin(MEMORY);
    draw(&x, lab_named("p8"), 6000, 6000);
    for (int steps = 1; steps < 3; steps++) {
        int left = steps;
        const gfp_progress progress = {stop_soon, &left};
        const gfp_options options = {.method = "hybrid_gpu", .progress = &progress};
        assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_CANCELLED);
        assert_true(gfp_poly_is_zero(&x.c));
    }
    drop(&x);
    finish();
}

/* The fraction of a call, and whether it ever fell. */
typedef struct course {
    double last;
    bool fell;
} course;

static bool follow(void *user, double fraction)
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
    gfp_progress progress = {follow, NULL};
    bool failed = false;
    options->progress = &progress;
    for (size_t i = 0; i < 3; i++) {
        gfp_status status = GFP_OK;
        progress.user = &courses[i];
        fake_fail(FAKE_ONCE, nth);
        if (i == 0) {
            status = gfp_poly_mul(&x->c, &x->a, &x->b, options);
        } else if (i == 1) {
            status = gfp_poly_mul_low(&x->c, &x->a, &x->b, 250, options);
        } else {
            check_batch(x->l, &batch, false, options);
        }
        failed = failed || fake_failed();
        fake_fail(FAKE_ONCE, 0);
        assert_int_equal(status, GFP_OK);
        check_course(&courses[i]);
    }
    return failed;
}

/* A product of files; whether one failed. */
static bool follow_a_file(factors *x, size_t nth, gfp_file *const f[2], const char *path,
                          gfp_options *options)
{
    course way = {.last = 0};
    const gfp_progress progress = {follow, &way};
    gfp_report report;
    options->progress = &progress;
    options->report = &report;
    fake_fail(FAKE_ONCE, nth);
    assert_int_equal(gfp_file_mul(path, f[0], f[1], options), GFP_OK);
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
    begin(MEMORY);
    draw(&x, l, 300, 200);
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
        begin(MEMORY);
        ask(l);
        more = follow_a_file(&x, nth, file, paths[2], &options);
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_file_close(i < 2 ? file[i] : NULL);
        assert_int_equal(remove(paths[i]), 0);
    }
    assert_int_equal(remove(folder), 0);
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

static void progress_never_falls_where_the_device_fails(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    begin(MEMORY);
    draw(&x, l, 300, 200);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {.tuning = tuning, .verify = GFP_VERIFY_POINT, .threads = 2};
    bool more = true;
    for (size_t nth = 1; more; nth++) {
        begin(MEMORY);
        ask(l);
        more = follow_failures(&x, nth, &options);
    }
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

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
                (status = gfp_operand_mul(z, a, b)) == GFP_OK &&
                (status = gfp_poly_from_operand(&c[2], 0, SIZE_MAX, z, options)) == GFP_OK &&
                (status = gfp_operand_sub(z, a, b)) == GFP_OK &&
                (status = gfp_poly_mul_operand(&c[3], 0, SIZE_MAX, &x->b, z, options)) == GFP_OK;
    done = done && (status = gfp_operand_addmul(z, b, a)) == GFP_OK &&
           (status = gfp_operand_submul(z, a, a)) == GFP_OK &&
           (status = gfp_operand_add(z, z, a)) == GFP_OK &&
           (status = gfp_poly_from_operand(&c[4], 3, length / 2, z, options)) == GFP_OK &&
           (status = operand_times(z, &x->b, a, options)) == GFP_OK &&
           (status = gfp_poly_from_operand(&c[5], 0, SIZE_MAX, z, options)) == GFP_OK &&
           (status = gfp_poly_dot_operands(&c[6], 0, SIZE_MAX, xs, ys, 1, options)) == GFP_OK &&
           (status = gfp_operand_mul(a, a, b)) == GFP_OK &&
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
    begin(MEMORY);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        gfp_poly expected[RESULTS], c[RESULTS];
        gfp_error error = {.status = GFP_OK};
        gfp_options options = {.method = "hybrid", .error = &error, .verify_seed = 1};
        factors x;
        draw(&x, lab_named(i % 2 == 0 ? "p8" : "p4"), lens[i][0], lens[i][1]);
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
        drop(&x);
    }
    finish();
}

static void an_operand_is_no_longer_than_its_length(void **state)
{
    (void)state;
    factors x;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 101, 7);
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
        assert_string_equal(gfp_space_method(gfp_operand_space(a)), names[i]);
        gfp_operand_destroy(a);
    }
    drop(&x);
    finish();
}

static void an_operand_is_transformed_once(void **state)
{
    (void)state;
    factors x;
    const gfp_options options = {.method = "hybrid_gpu"};
    gfp_operand *b = NULL;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 60, 50); /* short: an upload for each */
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){109, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_string_equal(gfp_space_method(gfp_operand_space(b)), "hybrid_gpu");
    assert_int_equal(gfp_space_length(gfp_operand_space(b)), 109);
    const size_t bytes = gfp_operand_bytes(b);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
        assert_true(gfp_poly_equal(&x.c, &x.expected));
    }
    assert_int_equal(fake_transforms(), 1);
    assert_int_equal(fake_uploads(), 4);
    assert_int_equal(gfp_operand_bytes(b), bytes + 50 * 8 * 8);
    assert_int_equal(gfp_operand_add(b, b, b), GFP_OK); /* another one's transform now */
    assert_int_equal(gfp_operand_bytes(b), bytes);
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
    assert_int_equal(fake_transforms(), 2);
    assert_int_equal(gfp_poly_add(&x.expected, &x.expected, &x.expected), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    gfp_gpu_pool_release(); /* which keeps the contexts that operands use */
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, NULL), GFP_OK);
    gfp_operand_destroy(b);
    drop(&x);
    finish();
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
        const bool there = strcmp(gfp_space_method(gfp_operand_space(b)), "hybrid_gpu") == 0;
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
    begin(MEMORY);
    draw(&x, l, 70, 50);
    assert_int_equal(gfp_poly_mul_middle(&x.expected, &x.a, &x.b, 3, 100, NULL), GFP_OK);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    size_t failures = 0;
    for (int fault = FAKE_MEMORY; fault <= FAKE_FULL; fault++) {
        for (int forced = 0; forced < 2; forced++) {
            bool more = true;
            for (size_t nth = 1; more; nth += STEP) {
                begin(MEMORY);
                ask(l);
                more = check_operand_fault(&x, (fake_fault)fault, nth, forced != 0, tuning);
                failures += more;
                check_operand_fault(&x, FAKE_ONCE, 0, false, tuning);
            }
        }
    }
    assert_true(failures > 150 / STEP);
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

static void operands_keep_to_the_memory_of_the_device(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    gfp_error error = {.status = GFP_OK};
    gfp_report report = {.gpu_error = {.status = GFP_OK}};
    gfp_operand *b = NULL, *none = NULL;
    begin(MEMORY);
    draw(&x, l, 70, 50);
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
    assert_string_equal(gfp_space_method(gfp_operand_space(b)), "hybrid_gpu");
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
    drop(&x);
    finish();
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
    begin(MEMORY);
    draw(&x, l, 70, 50);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    gfp_options options = {
        .error = &error, .report = &report, .tuning = tuning, .gpu_memory_cap = 10000};
    fake_cuts(true);
    ask(l);
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_null(strstr(gfp_space_method(gfp_operand_space(b)), "_gpu"));
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
    begin(60000);
    fake_cuts(true);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &by_gpu), GFP_OK);
    const size_t kept = fake_peak();
    begin(kept + 2 * 127 * 8 * 8 - 1);
    fake_cuts(true);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &by_gpu), GFP_OK);
    options.gpu_memory_cap = 0;
    lab_expect_status(operand_of(&b, &x.b, (gfp_space_spec){127, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_OK, &error, "operands in what others left");
    assert_int_equal(gfp_poly_mul_operand(&x.c, 0, SIZE_MAX, &x.a, b, &options), GFP_OK);
    assert_true(gfp_poly_equal(&x.c, &x.expected));
    gfp_operand_destroy(b);
    gfp_tuning_destroy(tuning);
    drop(&x);
    finish();
}

/* A sum of products reports the device's failure: as its own error if the device was named, else
 * next to the CPU's result. */
static void sums_of_products_say_why_the_device_failed(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    factors x;
    begin(MEMORY);
    draw(&x, l, 60, 50);
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    ask(l);
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
        assert_string_equal(gfp_space_method(gfp_operand_space(a)), "hybrid_gpu");
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
    drop(&x);
    finish();
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
    begin(MEMORY);
    draw(&x, lab_named("p8"), n, n);
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
    drop(&x);
    finish();
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
    begin(MEMORY);
    gfp_poly_init(&a, l->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&a, 3, 1), GFP_OK);
    assert_non_null(strstr(gfp_method_pick(&large, l->field, NULL), "_gpu"));
    gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
    options.tuning = tuning;
    assert_int_equal(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    assert_string_equal(gfp_space_method(gfp_operand_space(x)), "hybrid_gpu");
    gfp_operand_destroy(x);
    assert_int_equal(operand_of(&x, &a, (gfp_space_spec){255, 1, GFP_WRAP_CYCLIC}, &options),
                     GFP_OK);
    assert_null(strstr(gfp_space_method(gfp_operand_space(x)), "_gpu"));
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
    finish();
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
    begin(MEMORY);
    draw(&x, l, 300, 250);
    uint64_t *c = lab_array(3 * 139 * 8);
    for (unsigned queue = GFP_GPU_QUEUE_UPLOAD; queue <= GFP_GPU_QUEUE_DOWNLOAD; queue++) {
        gfp_operand *b = NULL;
        begin(MEMORY);
        assert_int_equal(
            operand_of(&b, &x.b, (gfp_space_spec){549, 1, GFP_WRAP_LINEAR}, &by_operand), GFP_OK);
        fake_corrupt(1U << queue);
        lab_expect_status(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_VERIFY, &error,
                          "a product");
        lab_expect_status(gfp_poly_mul_low(&x.c, &x.a, &x.b, 10, &options), GFP_ERR_VERIFY, &error,
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
    drop(&x);
    finish();
}

/* ---- choice ---- */

static void short_products_do_not_ask_for_a_device(void **state)
{
    (void)state;
    factors x;
    gfp_report report;
    const gfp_options options = {.report = &report};
    begin(MEMORY);
    draw(&x, lab_named("p8"), 500, 400);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    }
    assert_int_equal(fake_contexts(), 0);
    drop(&x);
    finish();
}

/* Counts picks for device 0 until the device is opened, with as many picks for another device
 * between them. */
static size_t picks_until_asked(const gfp_problem *problem, bool other_too)
{
    const gfp_field *field = lab_named("p8")->field;
    const gfp_options other = {.gpu_device = 1};
    size_t picks = 0;
    begin(MEMORY);
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
    finish();
}

/* The gain of one product is less than the time to start the driver; that of many products is more.
 */
static void the_device_is_asked_for_when_it_pays(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const char *pick = NULL;
    size_t asked = 0;
    begin(MEMORY);
    for (; asked < 100000 && fake_contexts() == 0; asked++) {
        pick = gfp_method_pick(&(gfp_problem){.len_a = 1 << 17, .len_b = 1 << 17}, field, NULL);
        assert_true(fake_contexts() > 0 || strcmp(pick, "hybrid") == 0);
    }
    assert_true(asked > 1 && asked < 1000);
    assert_non_null(strstr(pick, "_gpu"));
    begin(MEMORY);
    pick = gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24},
                           field, NULL);
    assert_non_null(strstr(pick, "_gpu"));
    assert_int_equal(fake_contexts(), 1);
    begin(MEMORY);
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
    finish();
}

static void why_there_is_no_device(void **state)
{
    (void)state;
    factors x;
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.method = "multimodular_gpu", .error = &error};
    gfp_method_info info;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 20, 20);
    fake_missing("no driver: none at all");
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "none at all"));
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 20, .len_b = 20}, x.l->field, NULL),
                     GFP_OK);
    assert_false(info.available);
    assert_string_equal(info.reason, "no driver: none at all");
    begin(MEMORY);
    assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "GFPOLY_GPU=off"));
    assert_string_equal(
        gfp_method_pick(&(gfp_problem){.len_a = (size_t)1 << 24, .len_b = (size_t)1 << 24},
                        x.l->field, NULL),
        "hybrid");
    assert_int_equal(fake_contexts(), 0);
    assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    begin(MEMORY);
    const gfp_options other = {.method = "hybrid_gpu", .error = &error, .gpu_device = 3};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &other), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no such device"));
    const gfp_options beyond = {.method = "hybrid_gpu", .error = &error, .gpu_device = 1000};
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &beyond), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no such device"));
    drop(&x);
    finish();
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
    begin(MEMORY);
    draw(&x, lab_named("p8"), 200, 200);
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
    begin(MEMORY);
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
    drop(&x);
    finish();
}

/* Cached picks are dropped when a GPU appears or disappears, whatever the field has noted. */
static void picks_follow_the_device(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 24;
    const gfp_field *field = lab_named("p8")->field;
    for (int round = 0; round < 3; round++) {
        begin(MEMORY);
        assert_non_null(
            strstr(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL), "_gpu"));
        begin(MEMORY);
        fake_missing("no driver: none at all");
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL),
                            "hybrid");
        begin(MEMORY);
        assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = n, .len_b = n}, field, NULL),
                            "hybrid");
        assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    }
    finish();
}

/* A tuning's times of a GPU count as soon as the GPU is known to be the same. */
static void tuned_picks_follow_the_device(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_tuning *tuning = NULL;
    begin(MEMORY);
    ask(lab_named("p8"));
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) { /* compiled in: 30 us */
        const double ns = strcmp(gfp_method_name(i), "multimodular_gpu") == 0 ? 1000 : 20000;
        assert_int_equal(gfp_tuning_set_ns(tuning, field, 128, gfp_method_name(i), ns), GFP_OK);
    }
    for (int round = 0; round < 2; round++) {
        gfp_gpu_pool_release();
        assert_null(strstr(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, field,
                                           &(gfp_options){.tuning = tuning}),
                           "_gpu"));
        ask(lab_named("p8"));
        assert_string_equal(gfp_method_pick(&(gfp_problem){.len_a = 128, .len_b = 128}, field,
                                            &(gfp_options){.tuning = tuning}),
                            "multimodular_gpu");
    }
    gfp_tuning_destroy(tuning);
    finish();
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
    begin(MEMORY);
    draw(&x, l, 128, 128);
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
    drop(&x);
    finish();
}

static void resident_factors_are_for_the_gpu(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_problem p = {.len_a = 5000, .len_b = 5000, .resident = GFP_RESIDENT_DEVICE};
    begin(MEMORY);
    assert_non_null(strstr(gfp_method_pick(&p, field, NULL), "_gpu"));
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info resident, host;
        gfp_problem q = p;
        q.resident = GFP_RESIDENT_HOST;
        assert_int_equal(gfp_method_query(&resident, i, &p, field, NULL), GFP_OK);
        assert_int_equal(gfp_method_query(&host, i, &q, field, NULL), GFP_OK);
        assert_int_equal(resident.available, i + 3 >= gfp_method_count());
        assert_true(resident.estimate_ns < host.estimate_ns);
        q.no_gpu = true;
        assert_int_equal(gfp_method_query(&host, i, &q, field, NULL), GFP_OK);
        assert_int_equal(host.available, i + 3 < gfp_method_count());
    }
    p.no_gpu = true;
    assert_null(gfp_method_pick(&p, field, NULL));
    finish();
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
    begin(MEMORY);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    resident_time(tuning, l, 128, 128, 70000);
    resident_time(tuning, l, 256, 256, 30000);
    resident_time(tuning, l, 512, 512, 50000);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        const double ns = resident_estimate(tuning, l, lens[i][0], lens[i][1]);
        assert_true(fabs(ns - (double)lens[i][2]) < 1);
    }
    /* Rows of unequal factors correct estimates of such factors. */
    resident_time(tuning, l, 256, 8, 20000);
    assert_true(fabs(resident_estimate(tuning, l, 500, 13) - 20000) < 1500);
    assert_true(fabs(resident_estimate(tuning, l, 256, 256) - 30000) < 1);
    gfp_tuning_destroy(tuning);
    finish();
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
    begin(MEMORY);
    const size_t hybrid_gpu = gfp_method_count() - 2;
    assert_int_equal(gfp_method_query(&x, hybrid_gpu, &one, field, NULL), GFP_OK);
    assert_int_equal(gfp_method_query(&y, hybrid_gpu, &batch, field, NULL), GFP_OK);
    assert_true(y.estimate_ns < 1000 * x.estimate_ns && y.estimate_ns > x.estimate_ns);
    finish();
}

/* Transforms and copies are shorter than those of the whole product. */
static void parts_take_less_than_the_whole(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const size_t n = (size_t)1 << 16, row = gfp_method_count() - 2;
    gfp_problem p = {.len_a = 2 * n - 1, .len_b = n};
    gfp_method_info whole, middle, low;
    begin(MEMORY);
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
    finish();
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
        assert_int_equal(gfp_tuning_set_ns(known, field, len, gfp_method_name(i), 1e9), GFP_OK);
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
    begin(MEMORY);
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
    finish();
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
    draw(&x, lab_named("p4"), 100, 100); /* less than half: all of it stays */
    gfp_tuning *known = too_slow(l->field);
    options.known = known;
    for (int crowded = 0; crowded < 2; crowded++) {
        begin(enough);
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
    begin(MEMORY);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    options.user = tuning;
    fake_fail(FAKE_FULL, 1);
    lab_expect_status(gfp_tuning_measure(tuning, l->field, &options), GFP_ERR_MEMORY, &error,
                      "a full device");
    assert_non_null(strstr(error.message, "made to fail"));
    fake_fail(FAKE_FULL, 0);
    gfp_tuning_destroy(tuning);
    gfp_tuning_destroy(known);
    drop(&x);
    finish();
}

/* A device too full to be opened is tried once, and is neither measured nor named in the tuning. */
static void a_full_device_is_asked_once(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    gfp_error error = {.status = GFP_OK};
    gfp_tuning *tuning = NULL;
    begin(MEMORY);
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
    finish();
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
    begin(MEMORY);
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
    finish();
}

/* ---- cached contexts and plans ---- */

static void products_find_what_others_left(void **state)
{
    (void)state;
    factors x;
    const gfp_options options = {.method = "hybrid_gpu"};
    begin(MEMORY);
    draw(&x, lab_named("p8"), 200, 200);
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    const size_t alive = fake_alive(), contexts = fake_contexts();
    assert_int_equal(gfp_poly_mul(&x.c, &x.a, &x.b, &options), GFP_OK);
    assert_int_equal(fake_alive(), alive);
    assert_int_equal(fake_contexts(), contexts);
    for (size_t n = 1; n < 40; n++) { /* plans of many lengths: few are kept */
        assert_int_equal(gfp_poly_mul_low(&x.c, &x.a, &x.b, n, &options), GFP_OK);
    }
    assert_true(fake_alive() < alive + 30);
    drop(&x);
    finish();
}

static void what_is_kept_for_a_field_goes_with_it(void **state)
{
    (void)state;
    begin(MEMORY);
    gfp_field *field = lab_create("p4");
    gfp_poly a;
    gfp_random g;
    gfp_method_info info;
    const gfp_options options = {.method = "hybrid_gpu"};
    gfp_random_seed(&g, 1);
    assert_int_equal(gfp_method_query(&info, gfp_method_count() - 1,
                                      &(gfp_problem){.len_a = 1, .len_b = 1}, field, NULL),
                     GFP_OK);
    const size_t alive = fake_alive();
    gfp_poly_init(&a, field);
    assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&a, &a, &options), GFP_OK);
    assert_true(fake_alive() > alive);
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
    assert_int_equal(fake_alive(), alive);
    finish();
}

#define ROUNDS (THREAD_SANITIZED ? 6 : 20)

static void *multiply_often(void *user)
{
    const factors *x = user;
    gfp_poly c;
    gfp_poly_init(&c, x->l->field);
    for (int i = 0; i < ROUNDS; i++) {
        const gfp_options options = {.method = x->tuning == NULL ? names[i % 3] : NULL,
                                     .tuning = x->tuning};
        if (gfp_poly_mul(&c, &x->a, &x->b, &options) != GFP_OK ||
            !gfp_poly_equal(&c, &x->expected)) {
            gfp_poly_clear(&c);
            return user;
        }
    }
    gfp_poly_clear(&c);
    return NULL;
}

static void threads_multiply_at_once(void **state)
{
    pthread_t threads[4];
    factors x;
    (void)state;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 300, 200);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_often, &x), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    drop(&x);
    finish();
}

/* The CPU time of the process in seconds. */
static double busy(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void *look(void *user)
{
    const lab *l = user;
    gfp_method_info info = {.available = false};
    return gfp_method_query(&info, gfp_method_count() - 1, &(gfp_problem){.len_a = 1, .len_b = 1},
                            l->field, NULL) == GFP_OK &&
                   info.available
               ? NULL
               : user;
}

static void threads_sleep_while_the_device_starts(void **state)
{
    pthread_t threads[4];
    const lab *l = lab_named("p8");
    (void)state;
    begin(MEMORY);
    fake_start(200);
    const double before = busy();
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, look, (void *)l), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake_contexts(), 1);
    assert_true(SANITIZED || busy() - before < 0.1);
    finish();
}

/* An operand that threads share. */
typedef struct shared {
    const factors *x;
    const gfp_operand *b;
} shared;

static void *multiply_by_operand(void *user)
{
    const shared *s = user;
    bool good = true;
    gfp_poly c;
    gfp_poly_init(&c, s->x->l->field);
    for (int i = 0; i < ROUNDS && good; i++) {
        gfp_operand *z = NULL;
        good = gfp_poly_mul_operand(&c, 0, SIZE_MAX, &s->x->a, s->b, NULL) == GFP_OK &&
               gfp_poly_equal(&c, &s->x->expected) &&
               operand_like(&z, s->b, &s->x->a, NULL) == GFP_OK &&
               gfp_operand_mul(z, z, s->b) == GFP_OK &&
               gfp_poly_from_operand(&c, 0, SIZE_MAX, z, NULL) == GFP_OK &&
               gfp_poly_equal(&c, &s->x->expected);
        gfp_operand_destroy(z);
    }
    gfp_poly_clear(&c);
    return good ? NULL : user;
}

static void threads_share_an_operand(void **state)
{
    pthread_t threads[4];
    factors x;
    gfp_operand *b = NULL;
    const gfp_options options = {.method = "bigfft_gpu"};
    (void)state;
    begin(MEMORY);
    draw(&x, lab_named("p8"), 90, 70);
    assert_int_equal(operand_of(&b, &x.b, (gfp_space_spec){159, 1, GFP_WRAP_LINEAR}, &options),
                     GFP_OK);
    shared s = {&x, b};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_by_operand, &s), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(fake_transforms(), 1);
    gfp_operand_destroy(b);
    drop(&x);
    finish();
}

static void *release_often(void *user)
{
    for (int i = 0; i < ROUNDS; i++) {
        gfp_gpu_pool_release();
    }
    (void)user;
    return NULL;
}

/* Threads multiply while products of other threads fail and cached contexts are freed. */
static void threads_meet_failures(void **state)
{
    pthread_t threads[4];
    factors x;
    const lab *l = lab_named("p8");
    (void)state;
    begin(MEMORY);
    draw(&x, l, 300, 200);
    for (int fault = FAKE_MEMORY; fault <= FAKE_FULL; fault++) {
        begin(MEMORY);
        gfp_tuning *tuning = in_favour_of_the_gpu(l->field);
        x.tuning = tuning;
        ask(l);
        fake_fail((fake_fault)fault, 150);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(
                pthread_create(&threads[i], NULL, i < 3 ? multiply_often : release_often, &x), 0);
        }
        for (size_t i = 0; i < 4; i++) {
            void *failed = NULL;
            assert_int_equal(pthread_join(threads[i], &failed), 0);
            assert_null(failed);
        }
        assert_true(fake_failed());
        fake_fail(FAKE_ONCE, 0);
        gfp_tuning_destroy(tuning);
    }
    drop(&x);
    finish();
}

/* Opens one field only, for the tests of threads: opening the others takes minutes under
 * ThreadSanitizer. */
static int open_one(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        if (strcmp(oracle_fields[f].text, "p8") == 0) {
            lab_fields[f] = (lab){.entry = &oracle_fields[f], .field = lab_create("p8"), .k = 8};
        } else {
            lab_fields[f].entry = &oracle_fields[f];
        }
    }
    return 0;
}

static int close_one(void **state)
{
    (void)state;
    gfp_field_destroy(lab_named("p8")->field);
    return 0;
}

int main(void)
{
    fake_use();
    (void)unsetenv("GFPOLY_GPU");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_does_not_wait_for_who_is_asking),
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
        cmocka_unit_test(products_find_what_others_left),
        cmocka_unit_test(what_is_kept_for_a_field_goes_with_it),
        cmocka_unit_test(threads_multiply_at_once),
        cmocka_unit_test(threads_sleep_while_the_device_starts),
        cmocka_unit_test(threads_meet_failures),
        cmocka_unit_test(threads_share_an_operand),
    };
    if (THREAD_SANITIZED) {
        cmocka_set_test_filter("*thread*");
        return cmocka_run_group_tests(tests, open_one, close_one);
    }
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
