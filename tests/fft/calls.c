/* calls.c: options of transforms: any number of threads gives the values
 * of one; caps on memory; reports; options that mean nothing. Calls that are cancelled or short of
 * memory: tests/library/calls.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "gfpoly/fft.h"
#include "lab/meter.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "fft/task.h"

#define NEVER SIZE_MAX

/* A plan and its vectors. */
typedef struct rig {
    const gfp_field *field;
    gfp_fft_plan *plan;
    size_t n, words;
    uint64_t *x, *y, *other;
} rig;

typedef gfp_status action(const rig *g, uint64_t *z, const gfp_options *options);

static gfp_status forward_natural(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_fft_run(z, g->x, GFP_FORWARD, GFP_ORDER_NATURAL, g->plan, options);
}

static gfp_status forward_permuted(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_fft_run(z, g->x, GFP_FORWARD, GFP_ORDER_PERMUTED, g->plan, options);
}

static gfp_status inverse_natural(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_fft_run(z, g->x, GFP_INVERSE, GFP_ORDER_NATURAL, g->plan, options);
}

static gfp_status inverse_permuted(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_fft_run(z, g->x, GFP_INVERSE, GFP_ORDER_PERMUTED, g->plan, options);
}

/* The options, with the six-step form where they name no method. */
static gfp_options by_six_steps(const gfp_options *options)
{
    gfp_options own = options != NULL ? *options : (gfp_options){0};
    if (own.method == NULL || strcmp(own.method, "auto") == 0) {
        own.method = "six-step";
    }
    return own;
}

static gfp_status six_step(const rig *g, uint64_t *z, const gfp_options *options)
{
    const gfp_options own = by_six_steps(options);
    return gfp_fft_run(z, g->x, GFP_FORWARD, GFP_ORDER_NATURAL, g->plan, &own);
}

static gfp_status inverse_six_step(const rig *g, uint64_t *z, const gfp_options *options)
{
    const gfp_options own = by_six_steps(options);
    return gfp_fft_run(z, g->x, GFP_INVERSE, GFP_ORDER_NATURAL, g->plan, &own);
}

/* Every call. */
static const struct {
    const char *name, *method;
    action *run;
} calls[] = {{"forward, natural", "dft", forward_natural},
             {"forward, permuted", "dft", forward_permuted},
             {"inverse, natural", "dft", inverse_natural},
             {"inverse, permuted", "dft", inverse_permuted},
             {"six-step", "six-step", six_step},
             {"inverse six-step", "six-step", inverse_six_step}};
#define CALLS (sizeof calls / sizeof calls[0])

/* The least memory_cap of a call: the bytes that a refusal names. */
static size_t least_cap(const rig *g, size_t call)
{
    static const char lead[] = "a transform needs ";
    gfp_error error = {0};
    const gfp_options options = {.memory_cap = 1, .error = &error};
    assert_int_equal(calls[call].run(g, g->other, &options), GFP_ERR_MEMORY);
    assert_memory_equal(error.message, lead, sizeof lead - 1);
    return strtoull(error.message + sizeof lead - 1, NULL, 10);
}

/* Whether the call has a result. */
static bool fft_calls_applies(const rig *g, size_t call)
{
    if (calls[call].run == six_step || calls[call].run == inverse_six_step) {
        const size_t base = 2 * (size_t)gfp_field_k(g->field);
        size_t n = g->n;
        while (n > 1 && n % base == 0) {
            n /= base;
        }
        return n == 1 && g->n > 1;
    }
    return true;
}

static void rig_open(rig *g, const gfp_field *field, size_t n, gfp_fft_plan *plan)
{
    gfp_random random;
    *g = (rig){.field = field, .plan = plan, .n = n, .words = n * gfp_field_k(field)};
    g->x = lab_array(g->words);
    g->y = lab_array(g->words);
    g->other = lab_array(g->words);
    gfp_random_seed(&random, 7);
    gfp_vec_random(field, g->x, n, &random);
    gfp_vec_random(field, g->y, n, &random);
}

static void rig_open_length(rig *g, const gfp_field *field, size_t n)
{
    gfp_fft_plan *plan = NULL;
    assert_int_equal(gfp_fft_plan_create(&plan, field, n, NULL), GFP_OK);
    rig_open(g, field, n, plan);
}

static void rig_close(rig *g)
{
    gfp_fft_plan_destroy(g->plan);
    lab_free(g->x);
    lab_free(g->y);
    lab_free(g->other);
}

static void expect_same(const rig *g, const uint64_t *z, const uint64_t *expected, const char *what,
                        unsigned threads)
{
    if (!gfp_vec_equal(g->field, z, expected, g->n)) {
        fail_msg("%s, N = %zu, %s by %u threads", gfp_field_name(g->field), g->n, what, threads);
    }
}

/* ---- threads ---- */

/* Every call by 2 and 5 threads, out of place and in place, gives the values of one thread. */
static void check_threads(const rig *g)
{
    static const unsigned counts[] = {2, 5};
    uint64_t *z = lab_array(g->words);
    for (size_t i = 0; i < CALLS; i++) {
        gfp_report report = {.threads = 0};
        if (!fft_calls_applies(g, i)) {
            continue;
        }
        assert_int_equal(calls[i].run(g, g->other, &(gfp_options){.threads = 1}), GFP_OK);
        for (size_t t = 0; LAB_ROW(counts, t); t++) {
            const gfp_options options = {.threads = counts[t], .report = &report};
            assert_int_equal(calls[i].run(g, z, &options), GFP_OK);
            expect_same(g, z, g->other, calls[i].name, counts[t]);
            assert_true(report.threads >= 1 && report.threads <= counts[t]);
            assert_string_equal(report.method, calls[i].method);
            rig in_place = *g;
            in_place.x = z;
            gfp_vec_set(g->field, z, g->x, g->n);
            assert_int_equal(calls[i].run(&in_place, z, &options), GFP_OK);
            expect_same(g, z, g->other, calls[i].name, counts[t]);
        }
    }
    lab_free(z);
}

/* Each field with N = 2k, (2k)^2, and a length long enough that threads share every loop. */
static void threads_give_the_values_of_one(void **state)
{
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        const unsigned order = gfp_field_v2_order(l->field);
        const size_t words = (size_t)1 << ((l->entry->named ? 15 : 12) - 3 * SANITIZED);
        const size_t longest = order < 40 ? (size_t)1 << order : (size_t)1 << 40;
        const size_t base = 2 * (size_t)l->k, lengths[] = {base, base * base, words / l->k};
        for (size_t j = 0; j < 3; j++) {
            rig g;
            if (lengths[j] > longest || lengths[j] * l->k > words) {
                continue;
            }
            rig_open_length(&g, l->field, lengths[j]);
            check_threads(&g);
            rig_close(&g);
        }
    }
}

static void long_transforms_use_the_threads(void **state)
{
    gfp_report report = {.threads = 0};
    const gfp_options options = {.threads = 4, .report = &report};
    gfp_field *field = lab_create("p8");
    rig g;
    (void)state;
    rig_open_length(&g, field, 4096);
    for (size_t i = 0; i < CALLS; i++) {
        assert_int_equal(calls[i].run(&g, g.other, &options), GFP_OK);
        assert_int_equal(report.threads, gfp_build_get_info()->threads ? 4 : 1);
        assert_true(report.multiply_ns > 0);
    }
    gfp_field_set_threads(field, 2);
    assert_int_equal(forward_natural(&g, g.other, &(gfp_options){.report = &report}), GFP_OK);
    assert_int_equal(report.threads, gfp_build_get_info()->threads ? 2 : 1);
    rig_close(&g);
    rig_open_length(&g, field, 16); /* 128 words: too short to share */
    assert_int_equal(forward_natural(&g, g.other, &options), GFP_OK);
    assert_int_equal(report.threads, 1);
    rig_close(&g);
    gfp_field_destroy(field);
}

/* ---- caps ---- */

/* A field whose memory is metered. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    rig g;
} world;

static void world_open(world *w, const char *name, size_t n)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = NEVER;
    w->allocator = meter_hook(&w->m);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    rig_open_length(&w->g, w->field, n);
}

static void world_close(world *w)
{
    rig_close(&w->g);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 4096}, {"p2", 1024}, {"m16", 1024}, {"30^32+1", 64}, {"17", 8}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

/* The least cap suffices and is kept, with threads too; a cap of one byte is refused, and z
 * unchanged. */
static void caps_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * CALLS; i++) {
        const size_t call = i % CALLS;
        gfp_error error = {0};
        gfp_report report;
        world w;
        world_open(&w, problems[i / CALLS].field, problems[i / CALLS].n);
        if (fft_calls_applies(&w.g, call)) {
            const size_t cap = least_cap(&w.g, call), before = w.m.bytes;
            gfp_options options = {
                .threads = 5, .memory_cap = cap, .report = &report, .error = &error};
            w.m.peak = w.m.bytes;
            assert_int_equal(calls[call].run(&w.g, w.g.other, &options), GFP_OK);
            assert_true(w.m.peak - before <= cap);
            gfp_field_release_memory(w.field);
            options.memory_cap = 1;
            gfp_vec_set(w.field, w.g.other, w.g.y, w.g.n);
            assert_int_equal(calls[call].run(&w.g, w.g.other, &options), GFP_ERR_MEMORY);
            assert_non_null(strstr(error.message, "the cap is 1"));
            assert_true(gfp_vec_equal(w.field, w.g.other, w.g.y, w.g.n));
        }
        world_close(&w);
    }
}

/* ---- options without a meaning ---- */

static void methods_and_verifications_are_refused(void **state)
{
    gfp_field *field = lab_create("p2");
    rig g;
    (void)state;
    rig_open_length(&g, field, 16);
    for (size_t i = 0; i < CALLS; i++) {
        gfp_error error = {0};
        if (!fft_calls_applies(&g, i)) {
            continue;
        }
        gfp_options options = {.method = "hybrid", .error = &error};
        lab_expect_status(calls[i].run(&g, g.other, &options), GFP_ERR_UNKNOWN, &error, "method");
        assert_non_null(strstr(error.message, "\"hybrid\"; available: auto, "));
        assert_non_null(strstr(error.message, calls[i].method));
        options.method = calls[i].method; /* what a report names may be asked for */
        assert_int_equal(calls[i].run(&g, g.other, &options), GFP_OK);
        options = (gfp_options){.method = "auto", .verify = GFP_VERIFY_POINT, .error = &error};
        lab_expect_status(calls[i].run(&g, g.other, &options), GFP_ERR_UNAVAILABLE, &error,
                          "verification");
        options = (gfp_options){.verify = (gfp_verify)4, .error = &error};
        lab_expect_status(calls[i].run(&g, g.other, &options), GFP_ERR_ARGUMENT, &error, "verify");
        options = (gfp_options){.method = "auto"};
        assert_int_equal(calls[i].run(&g, g.other, &options), GFP_OK);
    }
    rig_close(&g);
    gfp_field_destroy(field);
}

/* Refusals of a length have a message, also through options of another size. */
static void refusals_have_a_message(void **state)
{
    gfp_field *p8 = lab_create("p8");
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    rig g;
    (void)state;
    rig_open_length(&g, p8, 32);
    lab_expect_status(six_step(&g, g.other, &options), GFP_ERR_NO_ROOT, &error, "no power of 16");
    assert_non_null(strstr(error.message, "power of 16"));
    assert_int_equal(inverse_six_step(&g, g.other, NULL), GFP_ERR_NO_ROOT);
    /* In permuted order: of no length. */
    gfp_options six = {.method = "six-step", .error = &error};
    assert_int_equal(gfp_fft_run(g.other, g.x, GFP_FORWARD, GFP_ORDER_PERMUTED, g.plan, &six),
                     GFP_ERR_UNAVAILABLE);
    lab_expect_status(gfp_fft_run(g.other, g.x, GFP_INVERSE, GFP_ORDER_PERMUTED, g.plan, &six),
                      GFP_ERR_UNAVAILABLE, &error, "natural order");
    const gfp_direction wrong = (gfp_direction)7;
    lab_expect_status(gfp_fft_run(g.other, g.x, wrong, GFP_ORDER_NATURAL, g.plan, &options),
                      GFP_ERR_ARGUMENT, &error, "no such direction: 7");
    lab_expect_status(gfp_fft_run(g.other, g.x, GFP_FORWARD, (gfp_order)2, g.plan, &options),
                      GFP_ERR_ARGUMENT, &error, "no such order: 2");
    rig_close(&g);
    gfp_field_destroy(p8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_values_of_one),
        cmocka_unit_test(long_transforms_use_the_threads),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(methods_and_verifications_are_refused),
        cmocka_unit_test(refusals_have_a_message),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
