/* calls.c: see calls.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/methods.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "lab/thresholds.h"
#include "product/methods/engine.h"

/* ---- one call ---- */

static bool note_report(void *user, double fraction)
{
    calls_host *h = user;
    h->asked_again = h->asked_again || h->asked > h->stop_at;
    h->falls = h->falls || fraction < h->last || !(fraction >= 0 && fraction <= 1);
    h->between += fraction > h->last && fraction < 1;
    h->first = h->asked == 0 ? fraction : h->first;
    h->last = fraction;
    return h->asked++ != h->stop_at;
}

static void reset_outputs(calls_case *c)
{
    c->table->reset(c->subject);
    c->before = c->table->digest(c->subject);
    c->places = c->table->places(c->subject);
}

/* The options that objects are made with: they are not checked then. */
static gfp_options making_options(const gfp_options *options)
{
    gfp_options making = *options;
    making.verify = GFP_VERIFY_NONE;
    making.progress = NULL;
    return making;
}

static void choose_call(calls_case *c, const calls_row *row, const gfp_options *options,
                        bool watched)
{
    c->row = row;
    c->options = *options;
    c->options.error = &c->error;
    c->options.verify_seed = 6;
    c->options.progress = watched ? &c->progress : NULL;
    c->right = 0;
}

void calls_open(calls_case *c, const calls_family *f, const calls_row *row, const calls_problem *p,
                const gfp_options *options)
{
    gfp_status status = GFP_OK;
    memset(c, 0, sizeof *c);
    c->table = f->table;
    c->problem = p;
    c->m.fail_at = SIZE_MAX;
    c->allocator = meter_hook(&c->m);
    c->progress = (gfp_progress){note_report, &c->host};
    c->host.stop_at = SIZE_MAX;
    choose_call(c, row, options, false);
    const gfp_options making = making_options(&c->options);
    c->subject = c->table->make(row, p, &c->allocator, &making, &status);
    lab_expect_status(status, GFP_OK, &c->error, row->name);
    reset_outputs(c);
}

void calls_close(calls_case *c)
{
    c->table->clear(c->subject);
    c->subject = NULL;
    meter_expect_empty(&c->m);
}

gfp_status calls_run(calls_case *c)
{
    c->host = (calls_host){.stop_at = c->host.stop_at};
    c->error.message[0] = '\0';
    return c->row->run(c->subject, &c->options);
}

static const char *place_of(const calls_case *c)
{
    return c->problem->field != NULL ? c->problem->field : "Z";
}

void calls_expect_failure(const calls_case *c, gfp_status status, gfp_status expected, size_t round)
{
    const bool defined =
        expected != GFP_ERR_CANCELLED || (c->table->traits(c->row, c->problem) & UNDEFINED) == 0;
    lab_expect_status(status, expected, &c->error, c->row->name);
    if (defined && c->table->digest(c->subject) != c->before) {
        fail_msg("%s over %s: failure %zu changed an output", c->row->name, place_of(c), round);
    }
    if (defined && c->table->places(c->subject) != c->places) {
        fail_msg("%s over %s: failure %zu moved an output", c->row->name, place_of(c), round);
    }
    if (c->error.message[0] == '\0') {
        fail_msg("%s: failure %zu says nothing", c->row->name, round);
    }
}

/* The reports inside (0, 1) that the call makes at least: rows say it for the best kernels. */
static size_t reports_between(const calls_case *c)
{
    const bool slower = gfp_cpu_level_get() != GFP_LEVEL_AVX512IFMA;
    return (c->row->traits & BEST_LEVEL) != 0 && slower ? 1 : c->row->between;
}

static void run_to_its_end(calls_case *c)
{
    c->host.stop_at = SIZE_MAX;
    lab_expect_status(calls_run(c), GFP_OK, &c->error, c->row->name);
    if (c->options.progress == NULL || (c->row->traits & IMMEDIATE)) {
        return;
    }
    const calls_host *h = &c->host;
    if (h->falls || (h->asked > 1 && h->first > 0) || h->last < 1 ||
        h->between < reports_between(c)) {
        fail_msg("%s over %s by %s, check %d: %zu reports from %g to %g, %zu between, falling: %d",
                 c->row->name, place_of(c), c->options.method, (int)c->options.verify, h->asked,
                 h->first, h->last, h->between, h->falls);
    }
}

/* Memory in use without what is kept for later calls. */
static size_t settled_bytes(calls_case *c)
{
    if (c->table->release != NULL) {
        c->table->release(c->subject);
    }
    return c->m.bytes;
}

/* ---- the calls of a family ---- */

#define MOST_METHODS 16
#define METHOD_CHARS 256

/* The methods of a list; "*": all methods of the CPU that serve the problem. */
static size_t methods_of(const char *list, const calls_problem *p, char *text,
                         const char *method[MOST_METHODS])
{
    size_t count = 0;
    if (list == NULL) {
        method[0] = "auto";
        return 1;
    }
    if (strcmp(list, "*") == 0) {
        for (size_t i = 0; i < gfp_method_count(); i++) {
            const gfp_problem product = {.len_a = p->n, .len_b = p->n};
            gfp_method_info info;
            assert_int_equal(gfp_method_query(&info, i, &product, lab_named(p->field)->field, NULL),
                             GFP_OK);
            method[count] = info.name;
            count += info.available;
        }
        return count;
    }
    assert_true(strlen(list) < METHOD_CHARS);
    strcpy(text, list);
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " ")) {
        if (GFP_HAVE_FLINT || strcmp(at, "flint") != 0) {
            method[count++] = at;
        }
    }
    return count;
}

typedef void check(calls_case *c, const calls_family *f, bool first);

/* A check of calls on problem number p. */
typedef struct calls_run_kind {
    check *run;
    size_t p;
    unsigned threads;
    bool watched;
} calls_run_kind;

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* The first problem has all kinds of verification, the others one of them, as all have under
 * sanitizers. */
static bool has_kind(const calls_family *f, const calls_row *row, size_t i, size_t p, size_t kind)
{
    if (f->table->traits(row, &f->problems[p]) & NO_CHECK) {
        return kind == 0;
    }
    return f->every_check || (p == 0 && !SANITIZED) || (kind + i + p) % 3 == 0;
}

static bool is_tested(const calls_family *f, const calls_row *row, const calls_problem *p)
{
    return (row->family == f->number || f->number == CALLS_ALL) &&
           !(f->table->traits(row, p) & (IMPOSSIBLE | WALK_ONLY | IMMEDIATE));
}

/* A row on a problem, by each of its methods. */
static void test_row(calls_case *c, const calls_family *f, const calls_row *row, size_t number,
                     const calls_run_kind *kind)
{
    const size_t p = kind->p;
    const calls_problem *problem = &f->problems[p];
    char text[METHOD_CHARS];
    const char *method[MOST_METHODS];
    const char *list = f->methods != NULL ? f->methods : row->methods;
    const size_t methods = methods_of(list, problem, text, method);
    for (size_t j = 0; j < 3 * methods; j++) {
        if (!has_kind(f, row, number, p, j % 3)) {
            continue;
        }
        const gfp_options options = {.method = method[j / 3],
                                     .verify = kinds[j % 3],
                                     .threads = kind->threads,
                                     .tuning = low_thresholds()};
        if (c->subject == NULL) {
            calls_open(c, f, row, problem, &options);
        }
        choose_call(c, row, &options, kind->watched);
        reset_outputs(c);
        kind->run(c, f, p == 0 && j % 3 == 0);
        if (!f->shared) {
            calls_close(c);
        }
    }
}

/* Every row of a family on every problem. */
static void for_each_call(const calls_family *f, unsigned threads, bool watched, check *run)
{
    for (size_t p = 0; lab_row(f->name, p, f->problem_count); p++) {
        const calls_run_kind kind = {run, p, threads, watched};
        calls_case c = {.subject = NULL};
        size_t number = 0;
        for (size_t i = 0; lab_row("the calls", i, f->table->count); i++) {
            const calls_row *row = &f->table->rows[i];
            if (is_tested(f, row, &f->problems[p])) {
                lab_row_name(row->name);
                test_row(&c, f, row, ++number, &kind);
            }
        }
        if (c.subject != NULL) {
            calls_close(&c);
        }
    }
}

size_t calls_next_round(size_t rounds, size_t n, size_t all)
{
    return rounds == 0 || n < rounds / 2 ? n + 1 : n + 1 + 2 * all / rounds;
}

/* Fewer of them under sanitizers. */
static size_t rounds_of(const calls_family *f)
{
    return SANITIZED && f->rounds > 0 ? f->rounds / 2 : f->rounds;
}

/* A call that went on has the result of all others. */
static void expect_right(calls_case *c)
{
    const uint64_t result = c->table->digest(c->subject);
    if (c->right != 0 && result != c->right) {
        fail_msg("%s over %s: another result after an allocation that failed", c->row->name,
                 place_of(c));
    }
    c->right = result;
    reset_outputs(c);
}

/* Allocation number n fails; lasting: all later ones, too. A check modulo X^j - d that has no
 * memory is done at points, and a part of a product is computed without the rest. False: the call
 * made fewer allocations. */
static bool fail_allocation(calls_case *c, size_t n, bool lasting)
{
    const bool settles = c->table->release != NULL;
    const size_t bytes = settled_bytes(c), blocks = c->m.blocks;
    c->m.lasting = lasting;
    meter_fail_at(&c->m, n);
    const gfp_status status = calls_run(c);
    c->m.fail_at = SIZE_MAX;
    if (c->m.calls <= n) { /* the results had room */
        assert_int_equal(status, GFP_OK);
        expect_right(c);
        return false;
    }
    if (status == GFP_OK && c->options.verify == GFP_VERIFY_POINT) {
        expect_right(c);
    } else {
        calls_expect_failure(c, status, GFP_ERR_MEMORY, n);
        assert_true(!settles || settled_bytes(c) == bytes);
    }
    (void)settled_bytes(c);
    assert_true(!settles || c->m.blocks == blocks);
    return true;
}

/* Where memory that is kept can be released, tables that stay are made first, and must not hide an
 * allocation. Elsewhere the failures come while tables are made. */
static void fail_allocations(calls_case *c, const calls_family *f, bool first)
{
    (void)first;
    size_t all = SIZE_MAX, n = 0;
    if (c->table->release != NULL) {
        run_to_its_end(c);
        expect_right(c);
        (void)settled_bytes(c);
        meter_fail_at(&c->m, SIZE_MAX);
        run_to_its_end(c);
        expect_right(c);
        all = c->m.calls;
        assert_true(all > 0);
        while (n < all && fail_allocation(c, n, false) && fail_allocation(c, n, true)) {
            n = calls_next_round(rounds_of(f), n, all);
        }
        return;
    }
    while (fail_allocation(c, n, n % 2 == 1)) {
        n += 1 + n / rounds_of(f);
    }
    /* FLINT's own memory is not metered; a product by one strategy takes few areas. */
    const bool few =
        reports_between(c) < 2 && (c->row->between != 1 || c->row->traits & BEST_LEVEL);
    const bool by_flint = strcmp(c->options.method, "flint") == 0;
    if (n <= (few || by_flint ? 0U : 5U)) {
        fail_msg("%s over %s: only %zu allocations", c->row->name, place_of(c), n);
    }
}

void calls_allocations_that_fail(void **family)
{
    for_each_call(*family, 1, false, fail_allocations);
}

static void cancel_each(calls_case *c, const calls_family *f, bool first)
{
    (void)first;
    run_to_its_end(c);
    if (c->table->release == NULL) { /* tables that stay are made by two calls */
        reset_outputs(c);
        run_to_its_end(c);
    }
    const size_t all = c->host.asked;
    if (all < f->reports) {
        fail_msg("%s by %s: %zu reports", c->row->name, c->options.method, all);
    }
    reset_outputs(c);
    const size_t bytes = settled_bytes(c);
    for (size_t n = 0; n < all && c->options.threads == 1;
         n = calls_next_round(rounds_of(f), n, all)) {
        c->host.stop_at = n;
        calls_expect_failure(c, calls_run(c), GFP_ERR_CANCELLED, n);
        assert_non_null(strstr(c->error.message, "cancelled"));
        assert_int_equal(c->host.asked, n + 1);
        assert_false(c->host.asked_again);
        assert_true((c->row->traits & KEEPS) != 0 || settled_bytes(c) == bytes);
    }
    /* Threads may report less often than before. */
    for (size_t n = 0; n < all && c->options.threads > 1; n = 2 * n + 1) {
        c->host.stop_at = n;
        const gfp_status status = calls_run(c);
        assert_false(c->host.asked_again);
        if (status == GFP_OK && c->host.asked <= n) {
            reset_outputs(c);
        } else {
            calls_expect_failure(c, status, GFP_ERR_CANCELLED, n);
        }
    }
}

void calls_cancelled_at_every_step(void **family)
{
    const calls_family *f = *family;
    for_each_call(f, 1, true, cancel_each);
    if (f->threads > 1) {
        for_each_call(f, f->threads, true, cancel_each);
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

/* Runs the call within a cap. Returns its status; *needed := the most that refusals named. */
static gfp_status run_within(calls_case *c, size_t cap, uint64_t right, size_t *needed)
{
    c->options.memory_cap = cap;
    const size_t apart = c->table->apart(c->row, c->problem);
    /* Another method may make its tables, which stay; a ring may choose that method later. */
    unsigned more = (c->row->traits & KEEPS) != 0 ? 4 : 0;
    (void)!calls_run(c);
    reset_outputs(c);
    size_t bytes = c->m.peak = c->m.bytes;
    gfp_status status = calls_run(c);
    for (; more > 0 && c->m.peak > bytes + cap + apart; more--) {
        reset_outputs(c);
        bytes = c->m.peak = c->m.bytes;
        status = calls_run(c);
    }
    if (c->m.peak > bytes + cap + apart) {
        fail_msg("%s over %s by %s: %zu bytes within a cap of %zu", c->row->name, place_of(c),
                 c->options.method, c->m.peak - bytes - apart, cap);
    }
    if (status == GFP_OK) {
        assert_true(c->table->digest(c->subject) == right);
        reset_outputs(c);
    } else {
        calls_expect_failure(c, status, GFP_ERR_MEMORY, cap);
        /* Over Z the cap may be one of a call inside. */
        const size_t named = c->problem->field != NULL ? needed_at_least(&c->error, cap) : 0;
        *needed = named > *needed ? named : *needed;
    }
    return status;
}

/* The least cap that suffices is kept to, and one byte less is refused: found exactly for the first
 * problem without verification, else up to an eighth. A row over Z that creates runs within a few
 * caps. Results that are made apart need bytes in addition. What refusals say is needed is not more
 * than this cap. */
static void find_least_cap(calls_case *c, const calls_family *f, bool first)
{
    (void)f;
    if (c->table->keep_nothing != NULL) {
        c->table->keep_nothing(c->subject);
    }
    run_to_its_end(c); /* tables are there now */
    const uint64_t right = c->table->digest(c->subject);
    const size_t close = !first ? 8 : c->problem->field != NULL ? SIZE_MAX : 1024;
    const bool creates = c->row->traits & CREATES;
    const size_t most = c->row->most > 0 ? c->row->most : (size_t)1 << 23;
    reset_outputs(c);
    size_t low = 0, high = creates ? 0 : 2 * most, needed = 0;
    /* Over Z `apart` bounds what no cap counts; objects modulo p may have any size. */
    for (size_t cap = 64; creates && c->problem->field == NULL && cap < most; cap *= 8) {
        (void)run_within(c, cap, right, &needed);
    }
    while (high > low + 1 + low / close) {
        const size_t middle = low == 0 ? high / 32 : low + (high - low) / 2;
        *(run_within(c, middle, right, &needed) == GFP_OK ? &high : &low) = middle;
    }
    if (!creates && (needed > high + high / 8 || low <= 100 || high >= most)) {
        fail_msg("%s over %s by %s, check %d: a least cap of %zu bytes, %zu are said to be needed",
                 c->row->name, place_of(c), c->options.method, (int)c->options.verify, high,
                 needed);
    }
}

void calls_caps_on_memory(void **family)
{
    for_each_call(*family, 1, false, find_least_cap);
}

/* ---- threads, methods ---- */

/* Makes the operands with the default allocator. */
static gfp_status open_plain(calls_case *c, const calls_family *f, const calls_row *row,
                             const calls_problem *p, const gfp_options *options)
{
    gfp_status status = GFP_OK;
    const gfp_options making = options != NULL ? making_options(options) : (gfp_options){0};
    memset(c, 0, sizeof *c);
    c->table = f->table;
    c->row = row;
    c->problem = p;
    c->subject = f->table->make(row, p, NULL, &making, &status);
    return status;
}

static uint64_t result_of(calls_case *c, const gfp_options *options)
{
    reset_outputs(c);
    lab_expect_status(c->row->run(c->subject, options), GFP_OK, options->error, c->row->name);
    return c->table->digest(c->subject);
}

static void expect_threads_alike(const calls_family *f, const calls_row *row,
                                 const calls_problem *p)
{
    gfp_report report = {0};
    calls_case c;
    const unsigned traits = f->table->traits(row, p);
    gfp_options options = {.threads = 1, .tuning = low_thresholds()};
    assert_int_equal(open_plain(&c, f, row, p, NULL), GFP_OK);
    const uint64_t right = result_of(&c, &options);
    options = (gfp_options){
        .threads = 2, .tuning = low_thresholds(), .verify = GFP_VERIFY_POINT, .report = &report};
    assert_true(result_of(&c, &options) == right);
    assert_true(report.threads <= 2);
    assert_true(!(traits & SHARED) || report.threads == 2);
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    assert_true(report.points >= 1 && report.log2_error <= -40);
    assert_non_null(report.method);
    assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
    c.table->clear(c.subject);
}

/* Calls on two threads have the results of one thread, and full reports. */
void calls_threads_do_not_matter(void **family)
{
    const calls_family *f = *family;
    for (size_t j = 0; f->thread_n[j] > 0 && (j == 0 || !SANITIZED); j++) {
        const calls_problem p = {"p8", f->thread_n[j], 0, !SANITIZED};
        for (size_t i = 0; lab_row("the calls", i, f->table->count); i++) {
            if (is_tested(f, &f->table->rows[i], &p)) {
                lab_row_name(f->table->rows[i].name);
                expect_threads_alike(f, &f->table->rows[i], &p);
            }
        }
    }
}

/* The results of all rows by a method are those of the usual one. The rows of a family have the
 * same operands. */
static void expect_method_alike(calls_case *usual, const calls_family *f, const calls_problem *p,
                                size_t method)
{
    gfp_report report = {0};
    gfp_error error = {0};
    calls_case c;
    const gfp_options options = {.method = gfp_method_name(method),
                                 .report = &report,
                                 .error = &error,
                                 .tuning = low_thresholds()};
    const gfp_status made = open_plain(&c, f, usual->row, p, &options);
    if (made == GFP_ERR_UNAVAILABLE) {
        assert_true(strcmp(options.method, "hybrid") != 0 && error.message[0] != '\0');
        c.table->clear(c.subject);
        return;
    }
    lab_expect_status(made, GFP_OK, &error, options.method);
    for (size_t i = 0; lab_row("the calls", i, f->table->count); i++) {
        const calls_row *row = &f->table->rows[i];
        if (is_tested(f, row, p) && (!SANITIZED || i % 3 == method % 3)) {
            lab_row_name(row->name);
            c.row = usual->row = row;
            const uint64_t right = result_of(usual, &(gfp_options){0});
            assert_true(result_of(&c, &options) == right);
            assert_string_equal(report.method, options.method);
        }
    }
    c.table->clear(c.subject);
}

/* Every method that has transforms that stay. */
void calls_methods_alike(void **family)
{
    const calls_family *f = *family;
    for (size_t j = 0; f->method_fields[j] != NULL; j++) {
        const calls_problem p = {.field = f->method_fields[j], .n = f->method_n};
        calls_case usual;
        const calls_row *row = f->table->rows;
        while (!is_tested(f, row, &p)) {
            row++;
        }
        assert_int_equal(open_plain(&usual, f, row, &p, NULL), GFP_OK);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            expect_method_alike(&usual, f, &p, m);
        }
        usual.table->clear(usual.subject);
    }
}

/* ---- verification ---- */

static size_t products, wrong_product;
static bool wrong_at_end;
static gfp_ring_engine wrong_operands;
static gfp_method wrong_method;

static void spoil_element(const gfp_field *field, uint64_t *z, size_t i)
{
    uint64_t one[GFP_MAX_K], *at = z + i * gfp_field_k(field);
    if (products++ == wrong_product) {
        gfp_elem_one(field, one);
        gfp_elem_add(field, at, at, one);
    }
}

static void spoil_part(const gfp_ring_call *call, const gfp_ring_part *part)
{
    spoil_element(call->ring->field, part->z,
                  wrong_at_end ? part->end - 1 : part->from + (part->end - part->from) / 2);
}

static gfp_status wrong_multiply_by(const gfp_ring_call *call, const gfp_ring_part *part,
                                    const gfp_ring_factor *a, const gfp_transform *y, size_t terms)
{
    const gfp_status status = gfp_hybrid_rings.multiply_by(call, part, a, y, terms);
    spoil_part(call, part);
    return status;
}

static gfp_status wrong_dot(const gfp_ring_call *call, const gfp_ring_part *part,
                            const uint64_t *const *x, const uint64_t *const *y, size_t count,
                            size_t terms)
{
    const gfp_status status = gfp_hybrid_rings.dot(call, part, x, y, count, terms);
    spoil_part(call, part);
    return status;
}

static gfp_status wrong_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_status status = gfp_method_find("hybrid")->run(plan, range, c, work, task, error);
    spoil_element(range->field, c, range->end - 1 - plan->needs.first);
    return status;
}

void calls_add_wrong_method(bool whole)
{
    wrong_operands = gfp_hybrid_rings;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_operands.dot = wrong_dot;
    wrong_method = *gfp_method_find("hybrid");
    wrong_method.name = "wrong";
    wrong_method.operands = &wrong_operands;
    wrong_at_end = whole;
    if (whole) {
        wrong_method.run = wrong_run;
        wrong_method.prepare = NULL;
        wrong_method.finish = NULL;
        wrong_method.run_batch = NULL;
    }
    gfp_method_add(&wrong_method);
}

void calls_remove_wrong_method(void)
{
    gfp_method_remove(&wrong_method);
}

void calls_open_wrong(calls_case *c, const calls_family *f, const calls_row *row,
                      const calls_problem *p, gfp_verify verify)
{
    wrong_product = SIZE_MAX;
    calls_open(c, f, row, p, &(gfp_options){.method = "wrong", .tuning = low_thresholds()});
    c->options.verify = verify;
}

void calls_spoil(size_t which)
{
    products = 0;
    wrong_product = which;
}

size_t calls_products(void)
{
    return products;
}

gfp_status calls_run_wrong(calls_case *c, size_t which, size_t *count)
{
    calls_spoil(which);
    const gfp_status status = calls_run(c);
    *count = products;
    calls_spoil(SIZE_MAX);
    return status;
}

/* The report of a right call by the wrong method, with a verification. */
static void expect_verified(const calls_case *c, const gfp_report *report)
{
    assert_true(report->verified >= c->options.verify);
    if (report->verified == GFP_VERIFY_POINT) {
        assert_true(report->points > 0 && report->log2_error <= -40);
    } else {
        assert_non_null(report->cross_method);
        assert_string_not_equal(report->cross_method, "wrong");
    }
}

/* Wrong products inside a call are found by this kind of verification. */
static void expect_caught(const calls_family *f, const calls_row *row, const calls_problem *p,
                          gfp_verify kind)
{
    const unsigned traits = f->table->traits(row, p);
    gfp_report report = {0};
    calls_case c;
    size_t total, caught = 0, count;
    calls_open_wrong(&c, f, row, p, kind);
    c.options.report = &report;
    assert_int_equal(calls_run_wrong(&c, SIZE_MAX, &total), GFP_OK);
    expect_verified(&c, &report);
    const uint64_t right = c.table->digest(c.subject);
    reset_outputs(&c);
    if (total > 0) {
        if (!(traits & NO_OPERANDS)) {
            assert_string_equal(report.method, "wrong");
        }
        c.options.verify = GFP_VERIFY_NONE;
        const gfp_status status = calls_run_wrong(&c, 0, &count);
        if (!(traits & CERTIFIED)) { /* nobody looks */
            lab_expect_status(status, GFP_OK, &c.error, row->name);
        }
        c.options.verify = kind;
        reset_outputs(&c);
    }
    for (size_t n = 0; n < total; n = calls_next_round(SANITIZED ? 12 : 24, n, total)) {
        const gfp_status status = calls_run_wrong(&c, n, &count);
        if (status == GFP_OK && (traits & (MAY_BE_RIGHT | MOST_MATTER))) {
            assert_true(c.table->digest(c.subject) == right);
            reset_outputs(&c);
        } else {
            calls_expect_failure(&c, status, GFP_ERR_VERIFY, n);
            caught++;
        }
    }
    if (caught == 0 && !(traits & (MAY_BE_RIGHT | NO_OPERANDS))) {
        fail_msg("%s over %s: no wrong product in %zu", row->name, p->field, total);
    }
    calls_close(&c);
}

static void expect_wrong_products_caught(const calls_family *f, bool whole)
{
    calls_add_wrong_method(whole);
    for (size_t p = 0; lab_row(f->name, p, f->problem_count); p++) {
        const calls_problem *problem = &f->problems[p];
        size_t number = 0;
        for (size_t i = 0; lab_row("the calls", i, f->table->count); i++) {
            const calls_row *row = &f->table->rows[i];
            if (!is_tested(f, row, problem) ||
                (!whole && (f->table->traits(row, problem) & NO_OPERANDS))) {
                continue;
            }
            lab_row_name(row->name);
            number++;
            for (size_t kind = 1; kind < 3; kind++) {
                if ((p == 0 && !SANITIZED) || (number + p) % 2 + 1 == kind) {
                    expect_caught(f, row, problem, kinds[kind]);
                }
            }
        }
    }
    calls_remove_wrong_method();
}

void calls_wrong_products_are_caught(void **family)
{
    expect_wrong_products_caught(*family, false);
}

void calls_all_wrong_products_are_caught(void **family)
{
    expect_wrong_products_caught(*family, true);
}

/* ---- calls after calls that were cancelled ---- */

/* The call runs to its end and has the result `right` (0: not known yet), which this function
 * returns. */
static uint64_t complete_call(calls_case *c, uint64_t right)
{
    reset_outputs(c);
    run_to_its_end(c);
    assert_true((c->host.asked == 0) == ((c->row->traits & IMMEDIATE) != 0));
    const uint64_t result = c->table->digest(c->subject);
    if (right != 0 && result != right) {
        fail_msg("%s over %s: another result after a call that was cancelled", c->row->name,
                 place_of(c));
    }
    return result;
}

/* Cancels at report number stop. In a new field or ring, where tables are made, and with threads
 * the number of reports may differ: a call that ends before this report has the right result. */
static void cancel_call(calls_case *c, size_t stop, uint64_t right, bool fresh)
{
    reset_outputs(c);
    const size_t bytes = settled_bytes(c);
    c->host.stop_at = stop;
    const gfp_status status = calls_run(c);
    if (status == GFP_OK && c->host.asked <= stop && (fresh || c->options.threads > 1)) {
        assert_true(c->table->digest(c->subject) == right);
        return;
    }
    calls_expect_failure(c, status, GFP_ERR_CANCELLED, stop);
    assert_int_equal(c->host.asked, stop + 1);
    const size_t after = settled_bytes(c);
    if (after != bytes && !fresh && (c->row->traits & KEEPS) == 0) {
        fail_msg("%s over %s, stopped at report %zu: %zu bytes after %zu", c->row->name,
                 place_of(c), stop, after, bytes);
    }
}

static void walk_row(const calls_walk *w, const calls_row *row, const gfp_options *options,
                     gfp_random *g)
{
    const bool checked = !(row->traits & NO_CHECK);
    gfp_options own = *options;
    calls_case used, fresh;
    own.verify = !checked       ? GFP_VERIFY_NONE
                 : w->any_check ? kinds[gfp_random_u64(g) % 3]
                                : w->options.verify;
    calls_open(&used, w->family, row, &w->problem, &own);
    used.options.progress = &used.progress;
    const uint64_t right = complete_call(&used, 0);
    (void)complete_call(&used, right);
    const size_t reports = used.host.asked;
    for (size_t i = 0; i < w->stops && reports > 0; i++) {
        const size_t stop = i == 0 ? 0 : i == 1 ? reports - 1 : gfp_random_u64(g) % reports;
        cancel_call(&used, stop, right, false);
        (void)complete_call(&used, right);
        calls_open(&fresh, w->family, row, &w->problem, &own);
        fresh.options.progress = &fresh.progress;
        cancel_call(&fresh, stop, right, true);
        (void)complete_call(&fresh, right);
        calls_close(&fresh);
    }
    calls_close(&used);
}

void calls_walk_rows(const calls_walk *w)
{
    const calls_table *t = w->family->table;
    gfp_random g;
    gfp_random_seed(&g, w->problem.n);
    for (size_t i = 0; lab_row("the calls", i, t->count); i++) {
        char text[METHOD_CHARS];
        const char *method[MOST_METHODS] = {"auto"};
        const calls_row *row = &t->rows[i];
        lab_row_name(row->name);
        const size_t methods =
            w->problem.field != NULL ? 1 : methods_of(row->methods, &w->problem, text, method);
        for (size_t j = 0; j < (w->options.threads > 1 ? 1 : methods); j++) {
            gfp_options options = w->options;
            options.method = method[j];
            walk_row(w, row, &options, &g);
        }
    }
}

/* ---- the program ---- */

int calls_main(int argc, char **argv, const char *usual, const calls_test *tests, size_t count,
               int (*set_up)(void **), int (*tear_down)(void **))
{
    const char *family = argc > 1 ? argv[1] : usual;
    char(*name)[80] = calloc(count, sizeof *name);
    struct CMUnitTest *chosen = calloc(count, sizeof *chosen);
    size_t n = 0;
    if (name == NULL || chosen == NULL) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(family, "all") == 0 || strcmp(family, tests[i].family) == 0) {
            (void)snprintf(name[n], sizeof name[n], "%s: %s", tests[i].family, tests[i].column);
            chosen[n] = (struct CMUnitTest){.name = name[n],
                                            .test_func = tests[i].run,
                                            .initial_state = (void *)tests[i].state};
            n++;
        }
    }
    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    const int failed = n > 0 ? _cmocka_run_group_tests(family, chosen, n, set_up, tear_down) : 1;
    free(chosen);
    free(name);
    return failed;
}
