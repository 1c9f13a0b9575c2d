/* device.c: bivariate resultants over Z whose images a device computes (gpu/images.h), against
 * the CPU's: every shape, irregular images of all kinds, memory that is short, failures. On a
 * device or, if the environment variable GFPOLY_TEST_DEVICE is "fake", over
 * tests/lab/fake_device/device.h, where every call fails in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <unistd.h>

#include "lab/fake_device/device.h"
#include "lab/rows.h"
#include "lab/thread_ranks.h"
#include "modular/lab.h"

#include "gfpoly/gpu_product.h"
#include "gfpoly/methods.h"
#include "gfpoly/zbipoly.h"
#include "crt/blocks/remainders.h"
#include "modular/points/resultant.h"
#include "product/device/pool.h"
#include "modular/ring.h"
#include "modular/bivariate.h"

#define MEMORY ((size_t)1 << 30)

static bool is_fake(void)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, "fake") == 0;
}

/* Skips the test if there is no device. */
static void need_device(void)
{
    gfp_error error;
    gfp_gpu_pool_release();
    if (is_fake()) {
        fake_reset(MEMORY);
    } else if (gfp_gpu_pool_ask(&error) != GFP_OK) {
        print_message("no GPU: %s\n", error.message);
        skip();
    }
}

static void need_fake(void)
{
    if (!is_fake()) {
        skip();
    }
    need_device();
}

static int device_setup(void **state)
{
    if (is_fake()) {
        fake_use();
    }
    return zlab_setup(state);
}

static int device_teardown(void **state)
{
    gfp_gpu_pool_release();
    return zlab_teardown(state);
}

/* ---- operands ---- */

typedef struct pair {
    gfp_zbipoly a, b;
    gfp_zvec expected, got;
} pair;

static void device_start(pair *p)
{
    gfp_zbipoly_init(&p->a, ring);
    gfp_zbipoly_init(&p->b, ring);
    gfp_zvec_init(&p->expected, ring);
    gfp_zvec_init(&p->got, ring);
}

static void device_end(pair *p)
{
    gfp_zbipoly_clear(&p->a);
    gfp_zbipoly_clear(&p->b);
    gfp_zvec_clear(&p->expected);
    gfp_zvec_clear(&p->got);
}

static void set_row(gfp_zbipoly *f, size_t j, zlab row)
{
    gfp_zvec c;
    gfp_zvec_init(&c, ring);
    zlab_set(&c, row);
    assert_int_equal(gfp_zbipoly_set_coeff(f, j, &c), GFP_OK);
    gfp_zvec_clear(&c);
    zlab_free(&row);
}

/* len_y powers of Y, `every` apart; rows of random lengths up to len_x, or of total degree. */
static void device_draw(gfp_zbipoly *f, size_t len_y, size_t len_x, size_t bits, size_t every,
                        gfp_random *g)
{
    for (size_t j = 0; j < len_y; j++) {
        const size_t n = len_x != 0 ? 1 + gfp_random_below(g, len_x) : len_y - j;
        set_row(f, every * j, zlab_random(n, bits, 1, g));
    }
}

/* The device's result is the CPU's; returns the method in the report. */
static const char *device_compare(pair *p, const gfp_options *given)
{
    gfp_report report = {.method = NULL};
    gfp_error error = {.message = ""};
    gfp_options options = *given;
    const gfp_options cpu = {.method = "words"};
    options.method = "words_gpu";
    options.report = &report;
    options.error = &error;
    assert_int_equal(gfp_zbipoly_resultant_y(&p->expected, &p->a, &p->b, &cpu), GFP_OK);
    if (gfp_zbipoly_resultant_y(&p->got, &p->a, &p->b, &options) != GFP_OK) {
        fail_msg("%s", error.message);
    }
    if (!gfp_zvec_equal(&p->got, &p->expected)) {
        fail_msg("the results differ: degrees %td and %td in Y", (ptrdiff_t)p->a.len - 1,
                 (ptrdiff_t)p->b.len - 1);
    }
    assert_null(report.gpu_method);
    assert_int_equal(report.verified,
                     options.verify != GFP_VERIFY_DEFAULT ? options.verify : GFP_VERIFY_NONE);
    return report.method;
}

/* ---- results ---- */

static void every_shape_agrees(void **state)
{
    gfp_random g;
    (void)state;
    need_device();
    gfp_random_seed(&g, 1);
    for (size_t trial = 0; trial < 240; trial++) {
        const size_t m = 1 + trial % 15, n = 1 + trial / 15, x = gfp_random_below(&g, 9);
        const size_t bits = 1 + gfp_random_below(&g, trial % 7 == 0 ? 600 : 90);
        const gfp_options options = {.verify = (gfp_verify)(GFP_VERIFY_NONE + trial % 3),
                                     .verify_seed = 1 + trial,
                                     .threads = 1 + trial % 2};
        pair p;
        device_start(&p);
        device_draw(&p.a, m, x, bits, 1, &g);
        device_draw(&p.b, n, trial % 4 == 0 ? 40 : x, 1 + gfp_random_below(&g, bits), 1, &g);
        const char *method = device_compare(&p, &options);
        assert_string_equal(method, m > 1 && n > 1 ? "words_gpu" : "words");
        device_end(&p);
    }
}

/* Sums of more columns than a device adds without reducing, and polynomials of uneven degrees. */
static void long_polynomials_agree(void **state)
{
    static const struct {
        size_t m, n, x, bits;
    } sizes[] = {{3, 4, 150, 40},  {24, 24, 0, 60}, {40, 3, 5, 200},
                 {2, 50, 70, 100}, {33, 32, 4, 64}, {2, 2, 300, 20}};
    gfp_random g;
    (void)state;
    need_device();
    gfp_random_seed(&g, 2);
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 1};
        pair p;
        device_start(&p);
        device_draw(&p.a, sizes[i].m, sizes[i].x, sizes[i].bits, 1, &g);
        device_draw(&p.b, sizes[i].n, sizes[i].x, sizes[i].bits, 1, &g);
        assert_string_equal(device_compare(&p, &options), "words_gpu");
        device_end(&p);
    }
}

/* f := f times the product of some primes of the first block, in row j or in all. */
static void multiply_by_primes(gfp_zbipoly *f, size_t row, bool all)
{
    const gfp_words *block;
    assert_int_equal(gfp_words_supply_block(ring->supply, 0, &block), GFP_OK);
    for (size_t j = 0; j < f->len; j++) {
        if (!all && j != row) {
            continue;
        }
        zlab c = zlab_of(&f->coeff[j]);
        for (size_t i = 0; i < c.len; i++) {
            for (unsigned l = 0; l < GFP_WORDS; l += 3) {
                mpz_mul_ui(c.c[i], c.c[i], (unsigned long)block->q[l]);
            }
        }
        set_row(f, j, c);
    }
}

/* Row `row` of f := X^n - 1, which vanishes at points. */
static void set_unity(gfp_zbipoly *f, size_t row, size_t n)
{
    zlab c = zlab_new(n + 1);
    mpz_set_si(c.c[0], -1);
    mpz_set_si(c.c[n], 1);
    set_row(f, row, c);
}

static void irregular_images_agree(void **state)
{
    gfp_random g;
    (void)state;
    need_device();
    gfp_random_seed(&g, 3);
    for (size_t trial = 0; trial < 60; trial++) {
        const size_t m = 4 + gfp_random_below(&g, 5), n = 3 + gfp_random_below(&g, 5);
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 7};
        pair p;
        device_start(&p);
        device_draw(&p.a, m, 6, 70, trial % 6 == 5 ? 2 : 1, &g); /* sequences with gaps */
        device_draw(&p.b, n, 6, 70, trial % 6 == 5 ? 2 : 1, &g);
        switch (trial % 6) {
        case 0:
            set_unity(&p.a, m - 1, 4);
            break;
        case 1:
            set_unity(&p.b, n - 1, 8);
            break;
        case 2:
            set_unity(&p.a, m - 1, 2);
            set_unity(&p.b, n - 1, 8);
            break;
        case 3:
            multiply_by_primes(&p.a, m - 1, trial % 4 == 3);
            break;
        case 4:
            multiply_by_primes(&p.b, n - 1, trial % 4 == 0);
            multiply_by_primes(&p.a, m - 1, trial % 4 == 0);
            break;
        default:
            break;
        }
        (void)device_compare(&p, &options);
        device_end(&p);
    }
}

/* c := a b, polynomials in X and Y. */
static void device_multiply(gfp_zbipoly *c, const gfp_zbipoly *a, const gfp_zbipoly *b)
{
    gfp_zvec sum, product;
    gfp_zvec_init(&product, ring);
    gfp_zvec_init(&sum, ring);
    for (size_t k = 0; k + 1 < a->len + b->len; k++) {
        zlab row = zlab_new(40);
        for (size_t i = 0; i < a->len; i++) {
            if (i > k || k - i >= b->len) {
                continue;
            }
            zlab x = zlab_of(&a->coeff[i]), y = zlab_of(&b->coeff[k - i]), z = zlab_product(x, y);
            assert_true(z.len <= row.len);
            for (size_t t = 0; t < z.len; t++) {
                mpz_add(row.c[t], row.c[t], z.c[t]);
            }
            zlab_free(&x);
            zlab_free(&y);
            zlab_free(&z);
        }
        set_row(c, k, row);
    }
    gfp_zvec_clear(&product);
    gfp_zvec_clear(&sum);
}

static void common_factors_give_zero(void **state)
{
    gfp_random g;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 7};
    (void)state;
    need_device();
    gfp_random_seed(&g, 4);
    for (size_t trial = 0; trial < 6; trial++) {
        pair p, factors;
        gfp_zbipoly common;
        device_start(&p);
        device_start(&factors);
        gfp_zbipoly_init(&common, ring);
        device_draw(&factors.a, 3, 4, 40, 1, &g);
        device_draw(&factors.b, 4, 4, 40, 1, &g);
        device_draw(&common, 2 + trial % 2, 3, 40, 1, &g);
        device_multiply(&p.a, &factors.a, &common);
        device_multiply(&p.b, &factors.b, &common);
        (void)device_compare(&p, &options);
        assert_int_equal(p.got.len, 0);
        gfp_zbipoly_clear(&common);
        device_end(&p);
        device_end(&factors);
    }
}

/* ---- memory, failures, choices ---- */

static void device_make(pair *p, size_t len, size_t bits)
{
    gfp_random g;
    gfp_random_seed(&g, 9);
    device_start(p);
    device_draw(&p->a, len, 0, bits, 1, &g);
    device_draw(&p->b, len - 1, 3, bits, 1, &g);
}

static void short_memory_takes_more_runs(void **state)
{
    pair p;
    gfp_error error;
    (void)state;
    need_device();
    device_make(&p, 16, 300);
    size_t low = 1, high = (size_t)1 << 26;
    while (high - low > 4096) {
        const size_t cap = low + (high - low) / 2;
        const gfp_options options = {.method = "words_gpu", .gpu_memory_cap = cap, .error = &error};
        const gfp_status status = gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options);
        if (status == GFP_OK) {
            high = cap;
        } else {
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_non_null(strstr(error.message, "words_gpu"));
            low = cap;
        }
    }
    const gfp_options options = {.gpu_memory_cap = high};
    assert_true(high < (size_t)1 << 20);
    assert_string_equal(device_compare(&p, &options), "words_gpu");
    device_end(&p);
}

/* The resultant by a device that the options do not name. */
static gfp_status device_compute(pair *p, gfp_report *report, gfp_error *error)
{
    gfp_zcall call;
    gfp_zbipair operands = {.a = &p->a, .b = &p->b};
    uint64_t *r;
    const gfp_options options = {.report = report, .error = error};
    GFP_TRY(zlab_call_begin(&call, "test", ring, &options));
    gfp_status status = gfp_zbiresultant_bounds(&call, &operands);
    operands.on_device = true;
    const size_t n = operands.degree + 1, width = gfp_z_width(operands.bits);
    assert_int_equal(status, GFP_OK);
    assert_int_equal(gfp_call_array(&call.base, &r, n * width), GFP_OK);
    status = gfp_zbiresultant_words(&call, r, &operands, 0, 1);
    if (status == GFP_OK) {
        status = gfp_zvec_set_polynomial(&p->got, r, n, width);
    }
    return gfp_call_end(&call.base, status);
}

static void the_cpu_goes_on_after_any_failure(void **state)
{
    static const fake_fault faults[] = {FAKE_MEMORY, FAKE_ONCE, FAKE_LOST, FAKE_FULL};
    const gfp_options cpu = {.method = "words"};
    pair p;
    (void)state;
    need_fake();
    device_make(&p, 8, 600);
    assert_int_equal(gfp_zbipoly_resultant_y(&p.expected, &p.a, &p.b, &cpu), GFP_OK);
    for (size_t i = 0; i < 4; i++) {
        bool devices[2] = {false, false}; /* who computed something */
        for (size_t nth = 1;; nth++) {
            gfp_report report = {.method = NULL};
            gfp_error error = {.message = ""};
            fake_fail(faults[i], nth);
            assert_int_equal(device_compute(&p, &report, &error), GFP_OK);
            assert_true(gfp_zvec_equal(&p.got, &p.expected));
            if (!fake_failed()) {
                assert_null(report.gpu_method);
                assert_string_equal(report.method, "words_gpu");
                assert_true(nth > 10);
                break;
            }
            assert_string_equal(report.gpu_method, "words_gpu");
            assert_non_null(strstr(report.gpu_error.message, "made to fail"));
            devices[strcmp(report.method, "words_gpu") == 0] = true;
        }
        assert_true(devices[0] && devices[1]);
        /* The options name the method: the call fails. */
        gfp_report report = {.method = NULL};
        gfp_error error = {.message = ""};
        const gfp_options options = {.method = "words_gpu", .report = &report, .error = &error};
        fake_fail(FAKE_ONCE, 0);
        gfp_zvec_swap(&p.got, &p.expected);
        assert_int_equal(gfp_gpu_pool_ask(NULL), GFP_OK);
        for (size_t nth = 1; nth < 12; nth += 3) {
            fake_fail(faults[i], nth);
            const gfp_status status = gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options);
            assert_int_equal(status, faults[i] == FAKE_MEMORY || faults[i] == FAKE_FULL
                                         ? GFP_ERR_MEMORY
                                         : GFP_ERR_DEVICE);
            assert_int_equal(error.status, status);
            assert_non_null(strstr(error.message, "made to fail"));
        }
        fake_fail(FAKE_ONCE, 0);
        gfp_zvec_swap(&p.got, &p.expected);
    }
    gfp_gpu_pool_release();
    assert_int_equal(fake_alive(), 0);
    device_end(&p);
}

static void absent_devices_are_reported(void **state)
{
    pair p;
    gfp_error error;
    const gfp_options options = {.method = "words_gpu", .error = &error};
    (void)state;
    need_fake();
    fake_missing("none for this test");
    device_make(&p, 4, 30);
    assert_int_equal(gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "words_gpu"));
    assert_non_null(strstr(error.message, "none for this test"));
    assert_int_equal(p.got.len, 0);
    device_end(&p);
    gfp_gpu_pool_release();
    fake_missing(NULL);
}

/* The call `auto` takes the device where the CPU's slowest level would take a long time. */
static void long_calls_take_the_device(void **state)
{
    pair p;
    gfp_report report;
    gfp_options options = {.report = &report};
    (void)state;
    need_fake();
    const gfp_level own = ring->level;
    ring->level = GFP_LEVEL_PORTABLE;
    device_make(&p, 24, 90);
    for (size_t i = 0; i < 2; i++) { /* the state is unknown, and soon worth to be known */
        assert_int_equal(gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options), GFP_OK);
        if (i == 0) {
            assert_string_equal(report.method, "words");
            gfp_zvec_swap(&p.got, &p.expected);
            assert_int_equal(gfp_gpu_pool_ask(NULL), GFP_OK);
        }
    }
    assert_string_equal(report.method, "words_gpu");
    assert_true(gfp_zvec_equal(&p.got, &p.expected));
    options.memory_cap = MEMORY;
    assert_int_equal(gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options), GFP_OK);
    assert_string_equal(report.method, "words");
    ring->level = own;
    device_end(&p);
}

static void progress_and_cancelling(void **state)
{
    pair p;
    (void)state;
    need_device();
    device_make(&p, 12, 400);
    for (double steps = 1;; steps *= 2) {
        double last[] = {0, steps};
        const gfp_progress progress = {zlab_count_steps, last};
        const gfp_options options = {.progress = &progress, .method = "words_gpu"};
        const gfp_status status = gfp_zbipoly_resultant_y(&p.got, &p.a, &p.b, &options);
        if (status == GFP_OK) {
            assert_true(steps > 8);
            break;
        }
        assert_int_equal(status, GFP_ERR_CANCELLED);
        assert_int_equal(p.got.len, 0);
    }
    device_end(&p);
}

/* ---- ranks ---- */

/* A call on all ranks, which take both devices in turn. */
struct trial {
    pair *operands;
    double steps; /* rank 0 stops after so many */
    gfp_zvec got[THREAD_RANKS];
    gfp_status status[THREAD_RANKS];
    gfp_error error[THREAD_RANKS];
    gfp_report report[THREAD_RANKS];
    uint64_t restored; /* blocks */
};

static void rank_body(unsigned rank, gfp_dealer *dealer, void *user)
{
    struct trial *t = user;
    double last[] = {0, t->steps};
    const gfp_progress progress = {zlab_count_steps, last};
    const gfp_options options = {.method = "words_gpu",
                                 .dealer = dealer,
                                 .gpu_device = rank % 2,
                                 .threads = 1 + rank % 2,
                                 .progress = rank == 0 && t->steps > 0 ? &progress : NULL,
                                 .report = &t->report[rank],
                                 .error = &t->error[rank]};
    t->status[rank] =
        gfp_zbipoly_resultant_y(&t->got[rank], &t->operands->a, &t->operands->b, &options);
    if (rank == 0) {
        t->restored = gfp_dealer_get_info(dealer).restored;
    }
}

/* All ranks get one status, which is returned, and with OK the result. */
static gfp_status call_on_ranks(struct trial *t, unsigned ranks, const char *path)
{
    for (unsigned i = 0; i < ranks; i++) {
        gfp_zvec_init(&t->got[i], ring);
        t->error[i] = (gfp_error){.message = ""};
    }
    (void)thread_ranks_run(ranks, path, SIZE_MAX, rank_body, t);
    for (unsigned i = 0; i < ranks; i++) {
        if (t->status[i] != t->status[0]) {
            fail_msg("ranks 0 and %u of %u: %d, %d: %s", i, ranks, t->status[0], t->status[i],
                     t->error[i].message);
        }
        if (t->status[0] == GFP_OK) {
            assert_true(gfp_zvec_equal(&t->got[i], &t->operands->expected));
            assert_string_equal(t->report[i].method, "words_gpu");
        } else {
            assert_int_equal(t->got[i].len, 0);
        }
        gfp_zvec_clear(&t->got[i]);
    }
    return t->status[0];
}

static void ranks_share_the_blocks(void **state)
{
    const gfp_options cpu = {.method = "words"};
    char path[] = "gfpoly-test-device-XXXXXX";
    (void)state;
    need_fake();
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    for (unsigned ranks = 1; ranks <= 3; ranks++) {
        for (size_t every = 1; every <= 2; every++) { /* in Y^2 no image is regular */
            gfp_random g;
            pair p;
            struct trial t = {.operands = &p};
            device_start(&p);
            gfp_random_seed(&g, ranks);
            device_draw(&p.a, 8, 0, 600, every, &g);
            device_draw(&p.b, 7, 0, 600, every, &g);
            assert_int_equal(gfp_zbipoly_resultant_y(&p.expected, &p.a, &p.b, &cpu), GFP_OK);
            assert_int_equal(call_on_ranks(&t, ranks, NULL), GFP_OK);
            /* Stopped at some time, or not; then by another number of ranks. */
            assert_int_equal(unlink(path), 0);
            gfp_status status = GFP_ERR_CANCELLED;
            t.restored = 0;
            for (t.steps = 8; status == GFP_ERR_CANCELLED && t.restored == 0; t.steps *= 1.5) {
                status = call_on_ranks(&t, ranks, path);
            }
            assert_true(status == GFP_OK || status == GFP_ERR_CANCELLED);
            t.steps = 0;
            assert_int_equal(call_on_ranks(&t, 4 - ranks, path), GFP_OK);
            assert_true(t.restored > 0);
            device_end(&p);
        }
    }
    assert_int_equal(unlink(path), 0);
    gfp_gpu_pool_release();
    assert_int_equal(fake_alive(), 0);
}

static void a_device_that_fails_on_one_rank_ends_the_call(void **state)
{
    static const fake_fault faults[] = {FAKE_MEMORY, FAKE_ONCE, FAKE_LOST, FAKE_FULL};
    const gfp_options cpu = {.method = "words"};
    pair p;
    struct trial t = {.operands = &p};
    (void)state;
    need_fake();
    device_make(&p, 8, 600);
    assert_int_equal(gfp_zbipoly_resultant_y(&p.expected, &p.a, &p.b, &cpu), GFP_OK);
    for (size_t i = 0; i < 4; i++) {
        const bool is_short = faults[i] == FAKE_MEMORY || faults[i] == FAKE_FULL;
        gfp_status status = GFP_ERR_DEVICE;
        for (size_t nth = 1; status != GFP_OK; nth += 3) {
            assert_int_equal(gfp_device_ask(0, NULL), GFP_OK);
            assert_int_equal(gfp_device_ask(1, NULL), GFP_OK);
            fake_fail(faults[i], nth);
            status = call_on_ranks(&t, 3, NULL);
            assert_int_equal(status, !fake_failed() ? GFP_OK
                                     : is_short     ? GFP_ERR_MEMORY
                                                    : GFP_ERR_DEVICE);
            for (unsigned rank = 0; rank < 3 && status != GFP_OK; rank++) {
                assert_non_null(strstr(t.error[rank].message, "made to fail"));
            }
        }
        fake_fail(FAKE_ONCE, 0);
    }
    device_end(&p);
    gfp_gpu_pool_release();
    assert_int_equal(fake_alive(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_agrees),
        cmocka_unit_test(long_polynomials_agree),
        cmocka_unit_test(irregular_images_agree),
        cmocka_unit_test(common_factors_give_zero),
        cmocka_unit_test(short_memory_takes_more_runs),
        cmocka_unit_test(the_cpu_goes_on_after_any_failure),
        cmocka_unit_test(ranks_share_the_blocks),
        cmocka_unit_test(a_device_that_fails_on_one_rank_ends_the_call),
        cmocka_unit_test(absent_devices_are_reported),
        cmocka_unit_test(long_calls_take_the_device),
        cmocka_unit_test(progress_and_cancelling),
    };
    return cmocka_run_group_tests(tests, device_setup, device_teardown);
}
