/* dft.c: transforms of mapped files, in the result's pages and by blocks, against those
 * in memory; caps, threads, failing allocations, lack of space, cancelling.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "poly/files/lab.h"
#include "lab/meter.h"
#include "lab/rows.h"

#include "gfpoly/fft.h"

static int remove_folder(void **state)
{
    (void)remove("x");
    (void)remove("y");
    if (chdir("..") != 0) {
        return -1;
    }
    const char *slash = strrchr(folder, '/');
    return rmdir(slash != NULL ? slash + 1 : folder) == 0 ? lab_teardown(state) : -1;
}

/* No file but these is in the folder. */
static void expect_files(int expected)
{
    int n = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        n += entry->d_name[0] != '.' || strncmp(entry->d_name, ".gfpoly-", 8) == 0;
    }
    (void)closedir(directory);
    assert_int_equal(n, expected);
}

/* The file x of len elements, opened, and its transform of n points in memory. */
typedef struct rig {
    const lab *l;
    size_t n, len;
    gfp_file *x;
    uint64_t *digits;   /* n elements */
    uint64_t *value[2]; /* in each order */
} rig;

static void rig_open(rig *g, const lab *l, size_t n, size_t len)
{
    gfp_random random;
    gfp_file *file = NULL;
    gfp_fft_plan *plan = NULL;
    *g = (rig){.l = l, .n = n, .len = len};
    g->digits = lab_array(n * l->k);
    gfp_random_seed(&random, n + len);
    gfp_vec_zero(l->field, g->digits, n);
    gfp_vec_random(l->field, g->digits, len, &random);
    assert_int_equal(gfp_file_create(&file, "x", l->field, len, NULL), GFP_OK);
    if (len > 0) {
        gfp_vec_set(l->field, gfp_file_digits_mutable(file), g->digits, len);
    }
    assert_int_equal(gfp_file_commit(file, NULL), GFP_OK);
    gfp_file_close(file);
    assert_int_equal(gfp_file_open(&g->x, "x", l->field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_create(&plan, l->field, n, NULL), GFP_OK);
    for (int order = 0; order < 2; order++) {
        g->value[order] = lab_array(n * l->k);
        assert_int_equal(
            gfp_fft_run(g->value[order], g->digits, GFP_FORWARD, (gfp_order)order, plan, NULL),
            GFP_OK);
    }
    gfp_fft_plan_destroy(plan);
}

static void rig_close(rig *g)
{
    gfp_file_close(g->x);
    lab_free(g->digits);
    lab_free(g->value[0]);
    lab_free(g->value[1]);
}

/* y := the transform; z := the inverse of y. Returns false if the cap is too small. */
static bool expect_there_and_back(const rig *g, gfp_order order, const gfp_options *options)
{
    gfp_file *y = NULL, *z = NULL;
    assert_int_equal(gfp_file_create(&y, "y", g->l->field, g->n, NULL), GFP_OK);
    assert_int_equal(gfp_file_create(&z, "z", g->l->field, g->n, NULL), GFP_OK);
    memset(gfp_file_digits_mutable(y), 1, g->n * g->l->k * sizeof(uint64_t));
    const gfp_status status = gfp_file_fft_run(y, g->x, GFP_FORWARD, order, options);
    if (status == GFP_ERR_MEMORY) {
        gfp_file_close(y);
        gfp_file_close(z);
        return false;
    }
    assert_int_equal(status, GFP_OK);
    lab_expect_digits(g->l, gfp_file_get_info(y).digits, g->value[order], g->n, "forward", g->n,
                      options->memory_cap);
    assert_int_equal(gfp_file_fft_run(z, y, GFP_INVERSE, order, options), GFP_OK);
    lab_expect_digits(g->l, gfp_file_get_info(z).digits, g->digits, g->n, "inverse", g->n,
                      options->memory_cap);
    gfp_file_close(y);
    gfp_file_close(z);
    expect_files(1);
    return true;
}

/* ---- files against memory ---- */

static const struct {
    const char *field;
    size_t n, len;
} cases[] = {{"p2", 4096, 4096},  {"p4", 2048, 1000}, {"p8", 4096, 4000},      {"p8", 512, 1},
             {"p16", 2048, 2048}, {"m4", 256, 255},   {"256^2+1", 4096, 4096}, {"p32", 8192, 7000}};

/* Every order, with no cap, caps of more and less memory, and several threads. */
static void files_transform_as_memory_does(void **state)
{
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const lab *l = lab_named(cases[i].field);
        const size_t bytes = cases[i].n * l->k * sizeof(uint64_t);
        const size_t caps[] = {0, bytes, bytes - 1, bytes / 2, bytes / 3};
        rig g;
        rig_open(&g, l, cases[i].n, cases[i].len);
        for (size_t j = 0; j < 2 * sizeof caps / sizeof caps[0]; j++) {
            const gfp_order order = (gfp_order)(j % 2);
            gfp_report report = {.method = NULL};
            const size_t cap = caps[j / 2];
            for (unsigned threads = 1; threads < 5; threads += 3) {
                const gfp_options options = {
                    .memory_cap = cap, .threads = threads, .report = &report};
                if (expect_there_and_back(&g, order, &options)) {
                    assert_string_equal(report.method,
                                        cap == 0 || cap >= bytes ? "dft" : "dft by blocks");
                } else {
                    assert_in_range(cap, 1, 60000); /* tables and rounding need some */
                }
            }
        }
        rig_close(&g);
    }
}

/* A file of no coefficients, which has no digits, in the result's pages and by blocks. */
static void an_empty_file_transforms_to_zeros(void **state)
{
    const lab *l = lab_named("p4");
    const size_t n = 4096, caps[] = {0, n * l->k * sizeof(uint64_t) / 2};
    rig g;
    (void)state;
    rig_open(&g, l, n, 0);
    for (size_t i = 0; LAB_ROW(caps, i); i++) {
        const gfp_options options = {.memory_cap = caps[i]};
        assert_true(expect_there_and_back(&g, GFP_ORDER_NATURAL, &options));
        assert_true(expect_there_and_back(&g, GFP_ORDER_PERMUTED, &options));
    }
    rig_close(&g);
}

/* Caps from nothing on: refused with a reason up to some cap, right from there on, and kept. */
static void caps_are_kept(void **state)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = NULL;
    int served = 0;
    rig g;
    (void)state;
    rig_open(&g, lab_named("p8"), 16384, 16384);
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    for (size_t cap = 1; cap < 16384 * 64; cap += 1 + cap / 3) {
        gfp_error error = {0};
        gfp_file *y = NULL, *x = NULL;
        const gfp_options options = {.memory_cap = cap, .threads = 3, .error = &error};
        assert_int_equal(gfp_file_open(&x, "x", field, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_file_create(&y, "y", field, g.n, NULL), GFP_OK);
        const size_t before = m.bytes;
        m.peak = m.bytes;
        const gfp_status status = gfp_file_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, &options);
        if (status == GFP_OK) {
            served++;
            lab_expect_digits(g.l, gfp_file_get_info(y).digits, g.value[0], g.n, "forward", g.n,
                              cap);
            assert_in_range(m.peak - before, 0, cap + 1000); /* names */
        } else {
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_int_equal(served, 0);
            assert_in_range(cap, 0, 100000);
            assert_non_null(strstr(error.message, "does not fit in"));
        }
        gfp_file_close(y);
        gfp_file_close(x);
        gfp_field_release_memory(field);
    }
    assert_true(served > 5);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
    rig_close(&g);
}

static void failing_allocations_leave_nothing(void **state)
{
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator allocator = meter_hook(&m);
    gfp_field *field = NULL;
    gfp_file *x = NULL, *y = NULL;
    rig g;
    (void)state;
    rig_open(&g, lab_named("p8"), 4096, 4096);
    assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&x, "x", field, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_file_create(&y, "y", field, g.n, NULL), GFP_OK);
    for (size_t caps = 0; caps < 2; caps++) {
        const gfp_options options = {.memory_cap = caps * 100000};
        const size_t blocks = m.blocks;
        gfp_status status = GFP_ERR_MEMORY;
        for (size_t n = 0; status != GFP_OK; n++) {
            meter_fail_at(&m, n);
            status = gfp_file_fft_run(y, x, GFP_INVERSE, GFP_ORDER_NATURAL, &options);
            m.fail_at = SIZE_MAX;
            assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
            assert_true(n < 100);
            gfp_field_release_memory(field);
            assert_int_equal(m.blocks, blocks);
        }
    }
    gfp_file_close(y);
    gfp_file_close(x);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
    rig_close(&g);
}

/* ---- cancelling, lack of space ---- */

static void cancelled_anywhere_it_leaves_nothing(void **state)
{
    rig g;
    (void)state;
    rig_open(&g, lab_named("p8"), 4096, 4096);
    for (size_t i = 0; i < 4; i++) {
        gfp_status status = GFP_ERR_CANCELLED;
        for (size_t n = 0; status != GFP_OK; n += 1 + n / 4) {
            gfp_file *y = NULL;
            host h = {.stop_at = n};
            const gfp_progress progress = {lab_step, &h};
            const gfp_options options = {.memory_cap = i < 2 ? 0 : 100000, .progress = &progress};
            assert_int_equal(gfp_file_create(&y, "y", g.l->field, g.n, NULL), GFP_OK);
            status = gfp_file_fft_run(y, g.x, i % 2 == 0 ? GFP_FORWARD : GFP_INVERSE,
                                      GFP_ORDER_NATURAL, &options);
            gfp_file_close(y);
            assert_false(h.wrong);
            expect_files(1);
            if (status == GFP_OK) {
                assert_true(h.last == 1);
            } else {
                assert_int_equal(status, GFP_ERR_CANCELLED);
                assert_int_equal(h.calls, n + 1);
            }
        }
    }
    rig_close(&g);
}

/* The result fits the limit on the size of files, and the scratch file does not: the limit changes
 * between them. */
static void no_room_for_the_scratch_file_is_a_status(void **state)
{
    struct rlimit before, limit;
    gfp_error error = {0};
    gfp_file *y = NULL;
    rig g;
    const gfp_options options = {.memory_cap = 100000, .error = &error};
    (void)state;
    rig_open(&g, lab_named("p8"), 4096, 4096);
    assert_int_equal(gfp_file_create(&y, "y", g.l->field, g.n, NULL), GFP_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const gfp_status status = gfp_file_fft_run(y, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options);
    const int number = errno;
    const gfp_status permuted = gfp_file_fft_run(y, g.x, GFP_FORWARD, GFP_ORDER_PERMUTED, &options);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    lab_expect_status(status, GFP_ERR_IO, &error, "scratch file");
    assert_int_equal(number, EFBIG);
    assert_int_equal(permuted, GFP_OK); /* needs none */
    gfp_file_close(y);
    expect_files(1);
    rig_close(&g);
}

/* ---- arguments ---- */

static void arguments_are_checked(void **state)
{
    const lab *l = lab_named("p8");
    gfp_file *y = NULL, *short_file = NULL, *other = NULL;
    gfp_error error = {0};
    gfp_options options = {.error = &error};
    rig g;
    (void)state;
    rig_open(&g, l, 64, 60);
    assert_int_equal(gfp_file_create(&y, "y", l->field, 96, NULL), GFP_OK);
    assert_int_equal(gfp_file_create(&short_file, "y", l->field, 32, NULL), GFP_OK);
    assert_int_equal(gfp_file_create(&other, "y", lab_named("p2")->field, 64, NULL), GFP_OK);
    lab_expect_status(gfp_file_fft_run(NULL, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "NULL");
    lab_expect_status(gfp_file_fft_run(y, NULL, GFP_INVERSE, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "NULL");
    lab_expect_status(gfp_file_fft_run(g.x, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "not being made");
    lab_expect_status(gfp_file_fft_run(short_file, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "too short");
    lab_expect_status(gfp_file_fft_run(other, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_FIELD_MISMATCH, &error, "another field");
    lab_expect_status(gfp_file_fft_run(y, g.x, (gfp_direction)7, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "no such direction: 7");
    lab_expect_status(gfp_file_fft_run(y, g.x, GFP_INVERSE, (gfp_order)2, &options),
                      GFP_ERR_ARGUMENT, &error, "no such order: 2");
    options.memory_cap = 1000;
    lab_expect_status(gfp_file_fft_run(y, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options),
                      GFP_ERR_ARGUMENT, &error, "96 points by blocks");
    options.memory_cap = 0;
    assert_int_equal(gfp_file_fft_run(y, g.x, GFP_FORWARD, GFP_ORDER_NATURAL, &options), GFP_OK);
    gfp_file_close(y);
    gfp_file_close(short_file);
    gfp_file_close(other);
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_transform_as_memory_does),
        cmocka_unit_test(an_empty_file_transforms_to_zeros),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(cancelled_anywhere_it_leaves_nothing),
        cmocka_unit_test(no_room_for_the_scratch_file_is_a_status),
        cmocka_unit_test(arguments_are_checked),
    };
    (void)signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
