/* calls.h: tests of calls that compute many products: memory, progress, threads, methods,
 * verification, reports. A call that fails leaves its outputs as they were. The file that includes
 * this header defines before:
 *   subject              the type of operands and results
 *   operation            a type with a member `name`; the table operations[OPERATIONS]
 *   problem              a type with a member `field`; the table problems[PROBLEMS]
 *   make_subject         makes the subject of a problem; an error also leaves one to clear
 *   clear_subject        releases it
 *   reset                gives its outputs the values that they have before a call
 *   unchanged            returns whether they have these values
 *   result_bytes         returns the bytes of outputs that calls allocate within a cap
 *   expect_same_results  fails the test unless two subjects have equal results of an operation
 *   run_operation        runs it
 *   traits_of            returns its traits (calls_traits.h) in a problem
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_CALLS_H
#define TESTS_LAB_CALLS_H

#include <stdlib.h>
#include <string.h>

#include "lab/calls_traits.h"
#include "lab/meter.h"
#include "product/methods/engine.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"

/* ---- memory, progress ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    subject s;
    size_t asked, stop_at;
    double last;
    bool falls;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} world;

static bool lab_calls_step(void *user, double fraction)
{
    world *w = user;
    w->falls = w->falls || fraction < w->last || fraction > 1;
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

static void lab_calls_start(world *w, const problem *p, const char *method)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    w->progress = (gfp_progress){lab_calls_step, w};
    w->options = (gfp_options){
        .error = &w->error, .verify_seed = 6, .method = method, .tuning = low_thresholds()};
    w->stop_at = SIZE_MAX;
    assert_int_equal(gfp_field_create(&w->field, p->field, &w->allocator, NULL), GFP_OK);
    assert_int_equal(make_subject(&w->s, w->field, p, &w->options), GFP_OK);
    rows_reset(&w->s);
}

static void lab_calls_end(world *w)
{
    clear_subject(&w->s);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static gfp_status lab_calls_run(world *w, const operation *o)
{
    w->asked = 0;
    w->last = 0;
    w->error.message[0] = '\0';
    return run_operation(&w->s, o, &w->options);
}

static void expect_failure(const world *w, const operation *o, gfp_status status,
                           gfp_status expected, size_t round)
{
    lab_expect_status(status, expected, &w->error, o->name);
    if (!rows_unchanged(&w->s)) {
        fail_msg("%s over %s: failure %zu changed an output", o->name, gfp_field_name(w->field),
                 round);
    }
    if (w->error.message[0] == '\0') {
        fail_msg("%s: failure %zu says nothing", o->name, round);
    }
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
#define CASES (PROBLEMS * OPERATIONS * 3)

/* Starts an operation on a problem with a kind of verification. The first problem has all kinds,
 * the others one of them, as all have under sanitizers. Returns NULL if there is no such case. */
static const operation *open_case(world *w, size_t i)
{
    const operation *o = &operations[i / 3 % OPERATIONS];
    const size_t p = i / 3 / OPERATIONS;
    if (((p > 0 || SANITIZED) && (i + i / 3 + p) % 3 != 0) ||
        (traits_of(o, &problems[p]) & IMPOSSIBLE)) {
        return NULL;
    }
    lab_calls_start(w, &problems[p], NULL);
    w->options.verify = kinds[i % 3];
    return o;
}

/* Many steps inside are alike: the first ones are tried, then about this many in all. */
#define ROUNDS (SANITIZED ? 12U : 24U)

static size_t next_round(size_t n, size_t all)
{
    return n < ROUNDS / 2 ? n + 1 : n + 1 + 2 * all / ROUNDS;
}

/* Allocations fail. */
static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        if (o == NULL) {
            continue;
        }
        assert_int_equal(lab_calls_run(&w, o), GFP_OK); /* tables that stay with the field */
        rows_reset(&w.s);
        gfp_field_release_memory(w.field);
        meter_fail_at(&w.m, SIZE_MAX);
        assert_int_equal(lab_calls_run(&w, o), GFP_OK);
        rows_reset(&w.s);
        const size_t calls = w.m.calls;
        assert_true(calls > 0);
        for (size_t n = 0; n < calls; n = next_round(n, calls)) {
            gfp_field_release_memory(w.field);
            const size_t blocks = w.m.blocks, bytes = w.m.bytes;
            meter_fail_at(&w.m, n);
            const gfp_status status = lab_calls_run(&w, o);
            w.m.fail_at = SIZE_MAX;
            gfp_field_release_memory(w.field);
            if (w.m.calls <= n) { /* the results had room */
                assert_int_equal(status, GFP_OK);
                break;
            }
            if (status == GFP_OK && (traits_of(o, &problems[i / 3 / OPERATIONS]) & GOES_ON)) {
                rows_reset(&w.s);
                assert_int_equal(w.m.blocks, blocks);
                continue;
            }
            expect_failure(&w, o, status, GFP_ERR_MEMORY, n);
            assert_int_equal(w.m.blocks, blocks);
            assert_int_equal(w.m.bytes, bytes);
        }
        lab_calls_end(&w);
    }
}

/* Questions are answered with no. */
static void cancelled_at_every_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        if (o == NULL) {
            continue;
        }
        w.options.progress = &w.progress;
        assert_int_equal(lab_calls_run(&w, o), GFP_OK);
        assert_false(w.falls);
        assert_true(w.last >= 1);
        const size_t calls = w.asked;
        assert_true(calls >= 2);
        rows_reset(&w.s);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < calls; n = next_round(n, calls)) {
            w.stop_at = n;
            expect_failure(&w, o, lab_calls_run(&w, o), GFP_ERR_CANCELLED, n);
            assert_int_equal(w.asked, n + 1);
            assert_int_equal(w.m.bytes - gfp_field_kept_memory(w.field), bytes);
        }
        lab_calls_end(&w);
    }
}

/* The bytes that a refusal says are needed at least, more than the cap; 0: it does not say. */
static size_t needed_at_least(const gfp_error *error, size_t cap)
{
    static const char lead[] = "at least ";
    const char *at = strstr(error->message, lead);
    const size_t bytes = at != NULL ? strtoull(at + sizeof lead - 1, NULL, 10) : 0;
    assert_true(bytes == 0 || bytes > cap);
    return bytes;
}

/* The least cap that suffices is kept to, and one byte less is refused: found exactly for the first
 * problem without verification, else up to an eighth. Results that are made apart need bytes in
 * addition. What refusals say is needed is not more than this cap. */
static void caps_on_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        if (o == NULL) {
            continue;
        }
        gfp_field_limit_memory(w.field, 0);             /* the field keeps no work areas */
        assert_int_equal(lab_calls_run(&w, o), GFP_OK); /* tables of the field are there now */
        const size_t results = result_bytes(&w.s),
                     apart = i % 3 == 0 && i < 3 * OPERATIONS ? SIZE_MAX : 8;
        const bool creates = traits_of(o, &problems[0]) & CREATES;
        rows_reset(&w.s);
        size_t low = 0, high = creates ? 0 : (size_t)1 << 24, needed = 0;
        while (high > low + 1 + low / apart) {
            const size_t middle = low == 0 ? high / 32 : low + (high - low) / 2;
            w.options.memory_cap = middle;
            (void)!lab_calls_run(&w, o); /* another method may make its tables */
            rows_reset(&w.s);
            const size_t bytes = w.m.bytes;
            w.m.peak = bytes;
            const gfp_status status = lab_calls_run(&w, o);
            if (status == GFP_OK) {
                high = middle;
                rows_reset(&w.s);
            } else {
                low = middle;
                expect_failure(&w, o, status, GFP_ERR_MEMORY, middle);
                const size_t named = needed_at_least(&w.error, middle);
                needed = named > needed ? named : needed;
            }
            if (w.m.peak > bytes + middle + results) {
                fail_msg("%s over %s: %zu bytes within a cap of %zu", o->name,
                         gfp_field_name(w.field), w.m.peak - bytes - results, middle);
            }
        }
        if (!creates && needed > high + high / 8) {
            fail_msg("%s, case %zu: %zu bytes said to be needed, %zu are", o->name, i, needed,
                     high);
        }
        if (!creates && (low <= 100 || high >= (size_t)1 << 23)) {
            fail_msg("%s, case %zu: a least cap of %zu bytes", o->name, i, high);
        }
        lab_calls_end(&w);
    }
}

/* ---- threads, methods ---- */

static void make_on(subject *s, const problem *p, const gfp_options *options)
{
    assert_int_equal(make_subject(s, lab_named(p->field)->field, p, options), GFP_OK);
}

/* Operations on `threads` threads have the results of one thread, and full reports. */
static void expect_threads_alike(const problem *p, unsigned threads)
{
    subject s, t;
    make_on(&s, p, NULL);
    make_on(&t, p, NULL);
    for (size_t i = 0; i < OPERATIONS; i++) {
        const unsigned traits = traits_of(&operations[i], p);
        gfp_report report = {0};
        gfp_options options = {.threads = 1, .tuning = low_thresholds()};
        rows_reset(&s);
        rows_reset(&t);
        assert_int_equal(run_operation(&s, &operations[i], &options), GFP_OK);
        options.threads = threads;
        options.verify = GFP_VERIFY_POINT;
        options.report = &report;
        assert_int_equal(run_operation(&t, &operations[i], &options), GFP_OK);
        expect_same_results(&t, &s, &operations[i]);
        assert_true(report.threads <= threads);
        assert_true(!(traits & SHARED) || report.threads == threads);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_true(report.points >= 1 && report.log2_error <= -40);
        assert_non_null(report.method);
        assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
    }
    clear_subject(&s);
    clear_subject(&t);
}

/* Every method that has transforms that stay. */
static inline void expect_methods_alike(const problem *p)
{
    subject s, t;
    make_on(&s, p, NULL);
    for (size_t m = 0; m < gfp_method_count(); m++) {
        gfp_report report = {0};
        gfp_error error = {0};
        const gfp_options options = {.method = gfp_method_name(m),
                                     .report = &report,
                                     .error = &error,
                                     .tuning = low_thresholds()};
        const gfp_status made = make_subject(&t, lab_named(p->field)->field, p, &options);
        if (made == GFP_ERR_UNAVAILABLE) {
            assert_true(strcmp(options.method, "hybrid") != 0 && error.message[0] != '\0');
            clear_subject(&t);
            continue;
        }
        lab_expect_status(made, GFP_OK, &error, options.method);
        for (size_t i = SANITIZED ? m % 3 : 0; i < OPERATIONS; i += SANITIZED ? 3 : 1) {
            rows_reset(&s);
            rows_reset(&t);
            assert_int_equal(run_operation(&s, &operations[i], NULL), GFP_OK);
            lab_expect_status(run_operation(&t, &operations[i], &options), GFP_OK, &error,
                              operations[i].name);
            assert_string_equal(report.method, options.method);
            expect_same_results(&t, &s, &operations[i]);
        }
        clear_subject(&t);
    }
    clear_subject(&s);
}

/* ---- verification ---- */

/* hybrid whose products with operands are wrong at one of the calls: one more in a coefficient amid
 * those that are asked for; whole: products of polynomials, too, and in the last coefficient. */
static size_t calls, wrong_call;
static bool wrong_at_end;
static gfp_operand_engine wrong_operands;
static gfp_method wrong_row;

static void lab_calls_spoil(const gfp_field *field, uint64_t *z, size_t i)
{
    uint64_t one[GFP_MAX_K], *at = z + i * gfp_field_k(field);
    if (calls++ == wrong_call) {
        gfp_elem_one(field, one);
        gfp_elem_add(field, at, at, one);
    }
}

static void spoil_part(const gfp_operand_call *w, const gfp_operand_part *part)
{
    lab_calls_spoil(w->s->field, part->z,
                    wrong_at_end ? part->end - 1 : part->from + (part->end - part->from) / 2);
}

static gfp_status wrong_multiply_by(gfp_operand_call *w, const gfp_operand_part *part,
                                    const gfp_operand_factor *a, const gfp_operand *x)
{
    const gfp_status status = gfp_operand_hybrid.multiply_by(w, part, a, x);
    spoil_part(w, part);
    return status;
}

static gfp_status wrong_dot(gfp_operand_call *w, const gfp_operand_part *part,
                            const gfp_operand_sum *sum)
{
    const gfp_status status = gfp_operand_hybrid.dot(w, part, sum);
    spoil_part(w, part);
    return status;
}

static gfp_status wrong_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_status status = gfp_method_find("hybrid")->run(plan, range, c, work, task, error);
    lab_calls_spoil(range->field, c, range->end - 1 - plan->needs.first);
    return status;
}

static void add_wrong_row(bool whole)
{
    wrong_operands = gfp_operand_hybrid;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_operands.dot = wrong_dot;
    wrong_row = *gfp_method_find("hybrid");
    wrong_row.name = "wrong";
    wrong_row.operands = &wrong_operands;
    wrong_at_end = whole;
    if (whole) {
        wrong_row.run = wrong_run;
        wrong_row.prepare = NULL;
        wrong_row.finish = NULL;
        wrong_row.run_batch = NULL;
    }
    gfp_method_add(&wrong_row);
}

/* Starts a problem over the wrong row; its products are right so far. */
static void start_wrong(world *w, const problem *p)
{
    wrong_call = SIZE_MAX;
    lab_calls_start(w, p, "wrong");
}

static gfp_status run_wrong(world *w, const operation *o, size_t which)
{
    calls = 0;
    wrong_call = which;
    const gfp_status status = lab_calls_run(w, o);
    wrong_call = SIZE_MAX;
    return status;
}

/* Wrong products inside an operation are found by this kind of verification. */
static void expect_caught(const problem *p, const operation *o, gfp_verify kind)
{
    gfp_report report = {0};
    world right, wrong, *w = &wrong;
    start_wrong(&right, p);
    right.options.verify = kind;
    assert_int_equal(lab_calls_run(&right, o), GFP_OK);
    start_wrong(w, p);
    w->options.verify = kind;
    w->options.report = &report;
    assert_int_equal(run_wrong(w, o, SIZE_MAX), GFP_OK);
    assert_true(report.verified >= w->options.verify);
    if (report.verified == GFP_VERIFY_POINT) {
        assert_true(report.points > 0 && report.log2_error <= -40);
    } else {
        assert_non_null(report.cross_method);
        assert_string_not_equal(report.cross_method, "wrong");
    }
    rows_reset(&w->s);
    const unsigned traits = traits_of(o, p);
    const size_t of = calls;
    size_t caught = 0;
    if (of > 0) {
        if (!(traits & NO_OPERANDS)) {
            assert_string_equal(report.method, "wrong");
        }
        w->options.verify = GFP_VERIFY_NONE;
        const gfp_status status = run_wrong(w, o, 0);
        if (!(traits & CERTIFIED)) { /* nobody looks */
            lab_expect_status(status, GFP_OK, &w->error, o->name);
        }
        w->options.verify = kind;
        rows_reset(&w->s);
    }
    for (size_t c = 0; c < of; c = next_round(c, of)) {
        const gfp_status status = run_wrong(w, o, c);
        if (status == GFP_OK && (traits & (MAY_BE_RIGHT | MOST_MATTER))) {
            expect_same_results(&w->s, &right.s, o);
            rows_reset(&w->s);
        } else {
            expect_failure(w, o, status, GFP_ERR_VERIFY, c);
            caught++;
        }
    }
    if (caught == 0 && !(traits & (MAY_BE_RIGHT | NO_OPERANDS))) {
        fail_msg("%s over %s: no wrong product in %zu", o->name, p->field, of);
    }
    lab_calls_end(&right);
    lab_calls_end(w);
}

static void expect_wrong_products_caught(bool whole)
{
    add_wrong_row(whole);
    for (size_t i = 0; i < PROBLEMS * OPERATIONS; i++) {
        const operation *o = &operations[i % OPERATIONS];
        const problem *p = &problems[i / OPERATIONS];
        if (traits_of(o, p) & (IMPOSSIBLE | (whole ? 0U : NO_OPERANDS))) {
            continue;
        }
        for (size_t kind = 1; kind < 3; kind++) {
            if ((p == problems && !SANITIZED) || i % 2 + 1 == kind) {
                expect_caught(p, o, kinds[kind]);
            }
        }
    }
    gfp_method_remove(&wrong_row);
}

static inline void wrong_products_are_caught(void **state)
{
    (void)state;
    expect_wrong_products_caught(false);
}

static inline void all_wrong_products_are_caught(void **state)
{
    (void)state;
    expect_wrong_products_caught(true);
}

#endif
