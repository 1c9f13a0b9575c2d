/* parallel.c: calls on several threads: results equal those of one thread, a call never uses
 * more threads than allowed, the callback runs in the calling thread and cancels all, failures
 * leave nothing behind; a batch equals its products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "field/base/context.h"
#include "gfpoly.h"
#include "lab/row.h"
#include "lab/rows.h"
#include "field/base/parallel.h"
#include "lab/sanitized.h"

#define MOST 5

/* Under sanitizers: one in four of cases that differ in numbers only, and a quarter of the length
 * for quadratic methods. */
#define SHARE (SANITIZED ? 4 : 1)

/* ---- memory that is counted, and fails on demand ---- */

typedef struct meter {
    atomic_size_t blocks, calls;
    size_t fail_at;
    pthread_t caller;
    atomic_bool elsewhere; /* called from another thread */
    atomic_bool overrun;   /* a guard behind a block was overwritten */
} meter;

#define GUARD 64 /* bytes behind each block */

static void *meter_allocate(void *user, size_t bytes)
{
    meter *m = user;
    if (!pthread_equal(m->caller, pthread_self())) {
        m->elsewhere = true;
    }
    unsigned char *block = m->calls++ == m->fail_at ? NULL : malloc(bytes + GUARD);
    if (block != NULL) {
        memset(block + bytes, 0xc3, GUARD);
    }
    m->blocks += block != NULL;
    return block;
}

static void meter_release(void *user, void *block, size_t bytes)
{
    meter *m = user;
    const unsigned char *guard = (const unsigned char *)block + bytes;
    for (size_t i = 0; i < GUARD && block != NULL; i++) {
        if (guard[i] != 0xc3) {
            m->overrun = true;
        }
    }
    m->blocks -= block != NULL;
    free(block);
}

typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    size_t k;
} world;

static void parallel_start(world *w, const char *name)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->m.caller = pthread_self();
    w->allocator = (gfp_allocator){meter_allocate, meter_release, &w->m};
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    w->k = gfp_field_k(w->field);
}

static void parallel_end(world *w)
{
    gfp_field_destroy(w->field);
    assert_int_equal(w->m.blocks, 0);
    assert_false(w->m.elsewhere);
    assert_false(w->m.overrun);
}

static uint64_t *parallel_words(size_t n)
{
    uint64_t *x = malloc(n == 0 ? 1 : n * sizeof *x);
    assert_non_null(x);
    memset(x, 0x5a, n * sizeof *x);
    return x;
}

/* Random elements, or extreme ones: r - 1 everywhere, 0 and r - 1 by turns, -1 (the special
 * element). */
static uint64_t *parallel_elements(const world *w, size_t n, unsigned kind)
{
    uint64_t *x = parallel_words(n * w->k + 1);
    gfp_random g;
    gfp_random_seed(&g, n + kind);
    gfp_vec_random(w->field, x, n, &g);
    for (size_t i = 0; i < n && kind > 0; i++) {
        for (size_t t = 0; t < w->k; t++) {
            const bool top = kind == 1 || (kind == 2 && (i + t) % 2 == 0);
            x[i * w->k + t] = top ? gfp_field_r(w->field) - 1 : 0;
        }
        if (kind == 3) {
            x[i * w->k + w->k - 1] = gfp_field_r(w->field);
        }
    }
    return x;
}

/* ---- results ---- */

static gfp_status run_row(const world *w, const gfp_method *row, uint64_t *c, const uint64_t *a,
                          size_t len_a, const uint64_t *b, size_t len_b, unsigned threads)
{
    gfp_task task;
    gfp_task_start(&task, NULL);
    task.threads = threads;
    gfp_task_part(&task, 1);
    const gfp_range range = row_range(w->field, a, len_a, b, len_b);
    return row_multiply(row, c, &range, threads == 0 ? NULL : &task);
}

static void compare_threads(const world *w, size_t len_a, size_t len_b, unsigned kind)
{
    const size_t n = len_a + len_b - 1;
    uint64_t *a = parallel_elements(w, len_a, kind),
             *b = parallel_elements(w, len_b, kind == 3 ? 1 : kind);
    const bool square = len_a == len_b && kind % 2 != 0;
    uint64_t *one = parallel_words(n * w->k), *many = parallel_words(n * w->k);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const gfp_method *row = gfp_method_row(i);
        char why[160];
        if (!gfp_method_serves(row, w->field, len_a, len_b, 0, 1, why, sizeof why)) {
            continue;
        }
        const uint64_t *y = square ? a : b;
        /* Many threads share the channels of leaves. */
        const unsigned most = strcmp(row->name, "hybrid") == 0 ? 4 * MOST : MOST;
        assert_int_equal(run_row(w, row, one, a, len_a, y, len_b, 0), GFP_OK);
        for (unsigned threads = 2; threads <= most; threads += threads - 1) { /* 2, 3, 5, ... */
            memset(many, 0x77, n * w->k * sizeof *many);
            assert_int_equal(run_row(w, row, many, a, len_a, y, len_b, threads), GFP_OK);
            if (memcmp(one, many, n * w->k * sizeof *many) != 0) {
                fail_msg("%s, %s: %zu by %zu, kind %u, %u threads", gfp_field_name(w->field),
                         row->name, len_a, len_b, kind, threads);
            }
        }
    }
    free(a);
    free(b);
    free(one);
    free(many);
}

/* A multiple of digits: so that every field has loops that are shared. Fields of k >= 64, whose
 * creation takes ThreadSanitizer a minute, are not among its share. */
static const struct {
    const char *field;
    size_t len_a, len_b;
} problems[] = {
    {"p2", 1500, 1400}, {"p2", 1200, 130}, {"p4", 700, 700},    {"p4", 333, 900},  {"p8", 300, 300},
    {"p8", 500, 60},    {"m8", 200, 190},  {"p16", 150, 150},   {"p32", 130, 130}, {"p64", 40, 50},
    {"p128", 20, 13},   {"m64", 33, 33},   {"30^32+1", 30, 40}, {"m128", 9, 10},   {"17", 9, 7},
};
#define PROBLEMS (sizeof problems / sizeof problems[0])

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS; i += SHARE) {
        world w;
        parallel_start(&w, problems[i].field);
        const size_t len_a = (problems[i].len_a - 1) / SHARE + 1;
        const size_t len_b = (problems[i].len_b - 1) / SHARE + 1;
        compare_threads(&w, len_a, len_b, 0);
        compare_threads(&w, len_a, len_b, 1 + (unsigned)i % 3);
        parallel_end(&w);
    }
}

/* Lengths around powers of two: few leaves, wrapping, blocks. */
static void results_at_every_shape(void **state)
{
    static const size_t lengths[] = {1, 2, 31, 65, 200, 257, 385, 640};
    const size_t count = sizeof lengths / sizeof lengths[0];
    world w;
    (void)state;
    parallel_start(&w, "p4");
    for (size_t i = 0; i < count; i += SHARE) {
        compare_threads(&w, lengths[i], lengths[i], 0);
        compare_threads(&w, lengths[i], lengths[count - 1 - i], 1);
    }
    parallel_end(&w);
}

/* Parts of products by hybrid, in shorter rings and out of whole products; what they compute is
 * compared with other methods in tests/product/partial.c. */
static void compare_parts(const world *w, size_t len_a, size_t len_b, size_t first, size_t end)
{
    uint64_t *a = parallel_elements(w, len_a, 0), *b = parallel_elements(w, len_b, 1);
    uint64_t *one = parallel_words((end - first) * w->k),
             *many = parallel_words((end - first) * w->k);
    gfp_range range = gfp_range_make(w->field, a, b, len_a, len_b, first, end);
    const gfp_method *hybrid = gfp_method_find("hybrid");
    gfp_range_trim(&range);
    assert_int_equal(gfp_range_run(hybrid, &range, one, 0, NULL, NULL), GFP_OK);
    for (unsigned threads = 2; threads <= 4 * MOST; threads += threads - 1) { /* 2, 3, 5, ... */
        gfp_task task;
        gfp_task_start(&task, NULL);
        task.threads = threads;
        gfp_task_part(&task, 1);
        assert_int_equal(gfp_range_run(hybrid, &range, many, 0, &task, NULL), GFP_OK);
        assert_memory_equal(one, many, (end - first) * w->k * sizeof *one);
    }
    free(a);
    free(b);
    free(one);
    free(many);
}

static void parts_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS; i += SHARE) {
        size_t len_a = problems[i].len_a, len_b = problems[i].len_b;
        world w;
        parallel_start(&w, problems[i].field);
        if (len_a < len_b) {
            len_b = len_a;
            len_a = problems[i].len_b;
        }
        compare_parts(&w, len_a, len_b, 0, len_b);
        compare_parts(&w, len_a, len_b, len_a, len_a + len_b - 1);
        compare_parts(&w, len_a, len_b, len_b - 1, len_a);
        compare_parts(&w, len_a + 8 * len_b, len_b, 0, len_a + 9 * len_b - 1);
        parallel_end(&w);
    }
}

/* The public calls, with verification, give the same; so does a wrong product's error. */
static void verified_products(void **state)
{
    world w;
    gfp_poly a, b, c, d;
    gfp_random g;
    (void)state;
    parallel_start(&w, "p8");
    gfp_poly_init(&a, w.field);
    gfp_poly_init(&b, w.field);
    gfp_poly_init(&c, w.field);
    gfp_poly_init(&d, w.field);
    gfp_random_seed(&g, 8);
    assert_int_equal(gfp_poly_random(&a, 6000, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 5000, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&c, &a, &b, NULL), GFP_OK);
    for (unsigned threads = 0; threads <= MOST; threads++) {
        gfp_report report;
        gfp_options options = {.threads = threads, .report = &report, .verify_seed = 3};
        for (int v = GFP_VERIFY_DEFAULT; v <= GFP_VERIFY_CROSS; v++) {
            options.verify = (gfp_verify)v;
            assert_int_equal(gfp_poly_mul(&d, &a, &b, &options), GFP_OK);
            assert_true(gfp_poly_equal(&c, &d));
            assert_int_equal(report.threads,
                             threads == 0 || !gfp_build_get_info()->threads ? 1 : threads);
        }
        assert_int_equal(gfp_poly_set_coeff_u64(&d, 10999 - 17, 1), GFP_OK);
        options.verify = GFP_VERIFY_POINT;
        assert_int_equal(gfp_poly_verify_mul(&d, &a, &b, &options), GFP_ERR_VERIFY);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_poly_clear(&d);
    parallel_end(&w);
}

/* ---- how many threads ---- */

static size_t threads_now(void)
{
    DIR *folder = opendir("/proc/self/task");
    size_t n = 0;
    if (folder == NULL) {
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        n += entry->d_name[0] != '.';
    }
    closedir(folder);
    return n;
}

typedef struct census {
    size_t most;
    pthread_t caller;
    bool elsewhere;
} census;

static bool count_threads(void *user, double fraction)
{
    census *c = user;
    const size_t n = threads_now();
    (void)fraction;
    c->most = n > c->most ? n : c->most;
    c->elsewhere = c->elsewhere || !pthread_equal(c->caller, pthread_self());
    return true;
}

/* Runs in a child, whose threads are its own. */
static int census_of(unsigned asked, unsigned by_field)
{
    gfp_field *field;
    gfp_poly a, c;
    gfp_random g;
    census seen = {.caller = pthread_self()};
    const gfp_progress progress = {count_threads, &seen};
    const gfp_options options = {.threads = asked, .progress = &progress};
    gfp_random_seed(&g, 3);
    if (gfp_field_create(&field, "p8", NULL, NULL) != GFP_OK) {
        return 1;
    }
    gfp_field_set_threads(field, by_field);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    const size_t before = threads_now();
    if (gfp_poly_random(&a, 8000, &g) != GFP_OK || gfp_poly_sqr(&c, &a, &options) != GFP_OK ||
        seen.elsewhere) {
        return 2;
    }
    const unsigned may = asked != 0 ? asked : by_field != 0 ? by_field : 1;
    const size_t expected = gfp_build_get_info()->threads ? before - 1 + may : before;
    return before == 0 || seen.most == expected ? 0 : 3;
}

static void threads_are_as_many_as_asked(void **state)
{
    static const unsigned cases[][2] = {{0, 0}, {1, 4}, {2, 0}, {3, 1}, {0, 2}, {4, 2}};
    (void)state;
    if (GFP_PARALLEL == GFP_PARALLEL_PTHREADS) {
        skip(); /* the twin's threads are others in each loop */
    }
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const pid_t child = fork();
        int status = 0;
        assert_true(child >= 0);
        if (child == 0) {
            _exit(census_of(cases[i][0], cases[i][1]));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* Over a field of its parent a child of fork computes, with one thread. */
static void a_child_of_fork_uses_one_thread(void **state)
{
    world w;
    (void)state;
    parallel_start(&w, "p8");
    uint64_t *a = parallel_elements(&w, 2000, 0), *c = parallel_words(3999 * w.k);
    const gfp_options options = {.threads = 2};
    const gfp_batch batch = {.count = 1, .len_a = 2000, .len_b = 2000};
    assert_int_equal(gfp_vec_mul_batch(w.field, c, a, a, &batch, &options), GFP_OK);
    const pid_t child = fork();
    int status = 0;
    assert_true(child >= 0);
    if (child == 0) {
        gfp_report report = {.threads = 9};
        const gfp_options more = {.threads = 2, .report = &report};
        _exit(gfp_vec_mul_batch(w.field, c, a, a, &batch, &more) != GFP_OK || report.threads != 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    free(a);
    free(c);
    parallel_end(&w);
}

/* ---- the loop itself ---- */

typedef struct counting {
    atomic_uint seen[1000];
    atomic_uint workers; /* a bit for each */
    size_t fail_at;
    gfp_status failure;
    const gfp_field *field;
    atomic_uint inner; /* the most threads that a call without a wish takes in there */
} counting;

static gfp_status parallel_count(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    counting *c = user;
    (void)atomic_fetch_or(&c->workers, 1U << worker);
    for (size_t i = from; i < to; i++) {
        c->seen[i]++;
        if (c->field != NULL && gfp_parallel_threads(c->field, 0) > c->inner) {
            c->inner = gfp_parallel_threads(c->field, 0);
        }
        if (i == c->fail_at) {
            return c->failure;
        }
    }
    return gfp_task_advance(task, (double)(to - from)) ? GFP_OK : GFP_ERR_CANCELLED;
}

static void every_item_once(void **state)
{
    static const size_t chunks[] = {1, 3, 7, 100, 999, 1000, 5000};
    (void)state;
    for (size_t items = 0; items <= 1000; items += items < 20 ? 1 : 245) {
        for (size_t i = 0; LAB_ROW(chunks, i); i++) {
            for (unsigned threads = 1; threads <= 8; threads++) {
                counting c = {.fail_at = SIZE_MAX};
                const gfp_parallel loop = {.run = parallel_count, .job = &c};
                gfp_task task;
                gfp_task_start(&task, NULL);
                task.threads = threads;
                gfp_task_part(&task, 1);
                assert_true(gfp_task_span(&task, 1, 1000, 1));
                const unsigned workers = gfp_parallel_workers(&task, items, chunks[i]);
                assert_int_equal(gfp_parallel_for(&loop, &task, items, chunks[i]), GFP_OK);
                for (size_t j = 0; j < 1000; j++) {
                    assert_int_equal(c.seen[j], j < items ? 1 : 0);
                }
                assert_true(workers <= threads && c.workers >> workers == 0);
                assert_true(task.done >= (double)items && task.done <= (double)items);
            }
        }
    }
}

static void an_error_stops_the_loop(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= MOST; threads++) {
        for (size_t at = 0; at < 1000; at += 111) {
            counting c = {.fail_at = at, .failure = GFP_ERR_RANGE};
            const gfp_parallel loop = {.run = parallel_count, .job = &c};
            gfp_task task;
            gfp_task_start(&task, NULL);
            task.threads = threads;
            assert_int_equal(gfp_parallel_for(&loop, &task, 1000, 10), GFP_ERR_RANGE);
        }
    }
}

/* Inside a parallel region calls that do not set threads use one thread. */
static void nested_calls_use_one_thread(void **state)
{
    world w;
    (void)state;
    if (GFP_PARALLEL != GFP_PARALLEL_OPENMP) {
        skip(); /* the twin does not know regions */
    }
    parallel_start(&w, "17");
    gfp_field_set_threads(w.field, 4);
    assert_int_equal(gfp_field_get_info(w.field).threads, 4);
    assert_int_equal(gfp_parallel_threads(w.field, 0), 4);
    assert_int_equal(gfp_parallel_threads(w.field, 3), 3);
    assert_int_equal(gfp_parallel_threads(w.field, UINT32_MAX), GFP_MAX_THREADS);
    counting c = {.fail_at = SIZE_MAX, .field = w.field};
    const gfp_parallel loop = {.run = parallel_count, .job = &c};
    gfp_task task;
    gfp_task_start(&task, NULL);
    task.threads = 3;
    assert_int_equal(gfp_parallel_for(&loop, &task, 1000, 10), GFP_OK);
    assert_int_equal(c.inner, 1);
    gfp_field_set_threads(w.field, 0);
    assert_int_equal(gfp_field_get_info(w.field).threads, 1);
    parallel_end(&w);
}

/* ---- cancellation and failures ---- */

typedef struct host {
    size_t calls, stop_at;
    pthread_t caller;
    bool elsewhere, falls, outside;
    double last;
} host;

static bool parallel_step(void *user, double fraction)
{
    host *h = user;
    h->elsewhere = h->elsewhere || !pthread_equal(h->caller, pthread_self());
    h->falls = h->falls || fraction < h->last;
    h->outside = h->outside || !(fraction >= 0 && fraction <= 1);
    h->last = fraction;
    return h->calls++ != h->stop_at;
}

static void cancellation_stops_all_threads(void **state)
{
    world w;
    (void)state;
    parallel_start(&w, "p8");
    gfp_poly a, c;
    gfp_random g;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, w.field);
    gfp_poly_init(&c, w.field);
    assert_int_equal(gfp_poly_random(&a, 1500 / SHARE, &g), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_method_info info;
        assert_int_equal(gfp_method_query(&info, i, &(gfp_problem){.len_a = a.len, .len_b = a.len},
                                          w.field, NULL),
                         GFP_OK);
        for (size_t n = 0; info.available && n < 12; n++) {
            host h = {.stop_at = n < 11 ? n : SIZE_MAX, .caller = pthread_self()};
            const gfp_progress progress = {parallel_step, &h};
            const gfp_options options = {.method = info.name,
                                         .threads = 1 + (unsigned)n % 4,
                                         .progress = &progress,
                                         .verify = GFP_VERIFY_POINT};
            const size_t blocks = w.m.blocks;
            const gfp_status status = gfp_poly_sqr(&c, &a, &options);
            assert_false(h.elsewhere || h.falls || h.outside);
            if (h.calls > h.stop_at) {
                assert_int_equal(status, GFP_ERR_CANCELLED);
                assert_int_equal(h.calls, h.stop_at + 1);
                /* Tables that the field keeps may have come. */
                assert_true(c.len == 0 && w.m.blocks <= blocks + 16);
            } else {
                assert_int_equal(status, GFP_OK);
                assert_true(h.last >= 1);
            }
            gfp_poly_clear(&c);
        }
    }
    gfp_poly_clear(&a);
    parallel_end(&w);
}

static void failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        world w;
        parallel_start(&w, "p8");
        gfp_poly a, c;
        gfp_random g;
        gfp_random_seed(&g, 1);
        gfp_poly_init(&a, w.field);
        gfp_poly_init(&c, w.field);
        assert_int_equal(gfp_poly_random(&a, 900 / SHARE, &g), GFP_OK);
        const gfp_options options = {.method = gfp_method_name(i), .threads = 3};
        gfp_status status = GFP_ERR_MEMORY;
        size_t failures = 0;
        for (; failures < 100; failures++) {
            w.m.calls = 0;
            w.m.fail_at = failures;
            status = gfp_poly_sqr(&c, &a, &options);
            if (status != GFP_ERR_MEMORY) {
                break;
            }
            assert_int_equal(c.len, 0);
        }
        assert_true(status == GFP_OK || status == GFP_ERR_UNAVAILABLE);
        assert_true(failures >= (status == GFP_OK));
        gfp_poly_clear(&a);
        gfp_poly_clear(&c);
        parallel_end(&w);
    }
}

/* ---- batches ---- */

static void check_batch(const world *w, const gfp_batch *batch, const gfp_options *options)
{
    const size_t n = batch->len_a + batch->len_b - 1;
    const size_t step_a = batch->stride_a == 0 ? batch->len_a : batch->stride_a;
    const size_t step_b = batch->stride_b == 0 ? batch->len_b : batch->stride_b;
    const size_t step_c = batch->stride_c == 0 ? n : batch->stride_c;
    uint64_t *a = parallel_elements(w, batch->count * step_a, 0),
             *b = parallel_elements(w, batch->count * step_b + batch->len_b, 0);
    uint64_t *c = parallel_words(batch->count * step_c * w->k), *one = parallel_words(n * w->k);
    const gfp_status status = gfp_vec_mul_batch(w->field, c, a, b, batch, options);
    if (status != GFP_OK) {
        fail_msg("%s: %zu of %zu by %zu, %s: %s", gfp_field_name(w->field), batch->count,
                 batch->len_a, batch->len_b, options != NULL ? options->method : "NULL",
                 gfp_status_string(status));
    }
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t *z = c + i * step_c * w->k;
        assert_int_equal(run_row(w, gfp_method_find("classical"), one, a + i * step_a * w->k,
                                 batch->len_a, b + i * step_b * w->k, batch->len_b, 0),
                         GFP_OK);
        assert_memory_equal(z, one, n * w->k * sizeof *one);
        for (size_t j = n * w->k; j < step_c * w->k; j++) {
            assert_int_equal(z[j], 0x5a5a5a5a5a5a5a5aU); /* between products nothing is written */
        }
    }
    free(a);
    free(b);
    free(c);
    free(one);
}

static void batches_are_their_products(void **state)
{
    static const char *const fields[] = {"p2", "p8", "m16", "30^32+1", "17"};
    static const gfp_batch batches[] = {
        {.count = 0, .len_a = 5, .len_b = 5},
        {.count = 1, .len_a = 1, .len_b = 1},
        {.count = 40, .len_a = 16, .len_b = 5},
        {.count = 9, .len_a = 33, .len_b = 64},
        {.count = 7, .len_a = 100, .len_b = 90, .stride_a = 101, .stride_b = 3, .stride_c = 200},
    };
    (void)state;
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f += SHARE) {
        world w;
        parallel_start(&w, fields[f]);
        for (size_t i = 0; LAB_ROW(batches, i); i++) {
            check_batch(&w, &batches[i], NULL);
            for (size_t m = 0; m < gfp_method_count(); m++) {
                gfp_method_info info;
                gfp_report report;
                gfp_options options = {.threads = 1 + (unsigned)(m + i) % 4};
                assert_int_equal(gfp_method_query(&info, m,
                                                  &(gfp_problem){.len_a = batches[i].len_a,
                                                                 .len_b = batches[i].len_b},
                                                  w.field, NULL),
                                 GFP_OK);
                options.method = info.name;
                options.report = &report;
                options.verify = (gfp_verify)(GFP_VERIFY_NONE + m % 2 + (m == 3));
                if (info.available) {
                    check_batch(&w, &batches[i], &options);
                    assert_string_equal(report.method, info.name);
                    assert_true(report.threads >= 1 && report.threads <= options.threads);
                }
            }
        }
        parallel_end(&w);
    }
}

/* Enough of them that threads share them. */
static void long_batches(void **state)
{
    world w;
    (void)state;
    parallel_start(&w, "p4");
    for (unsigned threads = 1; threads <= MOST; threads++) {
        const gfp_batch batch = {.count = 700 / SHARE, .len_a = 64, .len_b = 60};
        gfp_report report;
        const gfp_options options = {
            .threads = threads, .report = &report, .verify = GFP_VERIFY_POINT};
        check_batch(&w, &batch, &options);
        assert_int_equal(report.threads, gfp_build_get_info()->threads ? threads : 1);
        assert_true(report.points >= 1 && report.log2_error <= -40);
    }
    parallel_end(&w);
}

/* Batches by every row; with fewer products than threads, threads share each product. */
static void batches_of_every_row(void **state)
{
    static const char *const names[] = {"classical", "karatsuba", "bigfft", "hybrid", "crt"};
    world w;
    (void)state;
    parallel_start(&w, "p4");
    for (size_t i = 0; i < 5; i++) {
        const gfp_batch many = {.count = 300, .len_a = 64, .len_b = 60},
                        few = {.count = 2, .len_a = 2500, .len_b = 2400};
        gfp_report report;
        const gfp_options options = {.method = names[i], .threads = 3, .report = &report};
        const unsigned expected = gfp_build_get_info()->threads ? 3 : 1;
        check_batch(&w, &many, &options);
        assert_int_equal(report.threads, expected);
        check_batch(&w, &few, &options);
        assert_int_equal(report.threads, expected);
        /* Too little to do for a second thread. */
        const gfp_batch three = {.count = 3, .len_a = 1, .len_b = 1};
        check_batch(&w, &three, &options);
        assert_int_equal(report.threads, 1);
    }
    parallel_end(&w);
}

/* Allocations that fail leave nothing behind, whichever it is. */
static void batches_without_memory(void **state)
{
    static const char *const names[] = {"karatsuba", "bigfft", "hybrid", "crt"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        world w;
        parallel_start(&w, "p8");
        const gfp_batch batch = {.count = 30, .len_a = 64, .len_b = 64};
        const gfp_options options = {.method = names[i], .threads = 3};
        uint64_t *a = parallel_elements(&w, 30 * 64, 0),
                 *c = parallel_words((size_t)30 * 127 * w.k);
        gfp_status status = GFP_ERR_MEMORY;
        size_t failures = 0;
        for (; failures < 60 && status == GFP_ERR_MEMORY; failures++) {
            w.m.calls = 0;
            w.m.fail_at = failures;
            status = gfp_vec_mul_batch(w.field, c, a, a, &batch, &options);
        }
        w.m.fail_at = SIZE_MAX;
        assert_int_equal(status, GFP_OK);
        assert_true(failures > 1);
        free(a);
        free(c);
        parallel_end(&w);
    }
}

static void batches_can_be_cancelled(void **state)
{
    world w;
    (void)state;
    parallel_start(&w, "p8");
    const gfp_batch batch = {.count = 200, .len_a = 64, .len_b = 64};
    uint64_t *a = parallel_elements(&w, 200 * 64, 0), *c = parallel_words((size_t)200 * 127 * w.k);
    for (size_t n = 0; n < 10; n++) {
        host h = {.stop_at = n, .caller = pthread_self()};
        const gfp_progress progress = {parallel_step, &h};
        gfp_error error;
        const gfp_options options = {.threads = 1 + (unsigned)n % 3,
                                     .progress = &progress,
                                     .error = &error,
                                     .verify = GFP_VERIFY_POINT};
        const gfp_status status = gfp_vec_mul_batch(w.field, c, a, a, &batch, &options);
        assert_int_equal(status, h.calls > n ? GFP_ERR_CANCELLED : GFP_OK);
        assert_true(h.calls >= 3 || h.calls == n + 1);
        assert_false(h.elsewhere || h.falls || h.outside);
    }
    free(a);
    free(c);
    parallel_end(&w);
}

static void mistakes_of_batches(void **state)
{
    static const gfp_batch wrong[] = {{.count = 2, .len_a = 0, .len_b = 4},
                                      {.count = 2, .len_a = 4, .len_b = 0},
                                      {.count = 2, .len_a = 4, .len_b = 4, .stride_c = 6}};
    world w;
    uint64_t x[64] = {0};
    gfp_error error;
    const gfp_options options = {.error = &error};
    (void)state;
    parallel_start(&w, "17");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_vec_mul_batch(w.field, x, x, x, &wrong[i], &options),
                         GFP_ERR_ARGUMENT);
        assert_int_equal(error.status, GFP_ERR_ARGUMENT);
    }
    const gfp_batch huge = {.count = SIZE_MAX / 8, .len_a = 9, .len_b = 9};
    assert_int_equal(gfp_vec_mul_batch(w.field, x, x, x, &huge, &options), GFP_ERR_SIZE);
    const gfp_batch fine = {.count = 1, .len_a = 1, .len_b = 1};
    const gfp_options unknown = {.error = &error, .method = "nothing"};
    assert_int_equal(gfp_vec_mul_batch(w.field, x, x + 8, x + 8, &fine, &unknown), GFP_ERR_UNKNOWN);
    parallel_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_as_many_as_asked), /* first: children have no threads yet */
        cmocka_unit_test(every_item_once),
        cmocka_unit_test(an_error_stops_the_loop),
        cmocka_unit_test(nested_calls_use_one_thread),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(results_at_every_shape),
        cmocka_unit_test(parts_do_not_depend_on_threads),
        cmocka_unit_test(verified_products),
        cmocka_unit_test(a_child_of_fork_uses_one_thread),
        cmocka_unit_test(cancellation_stops_all_threads),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(batches_are_their_products),
        cmocka_unit_test(long_batches),
        cmocka_unit_test(batches_of_every_row),
        cmocka_unit_test(batches_without_memory),
        cmocka_unit_test(batches_can_be_cancelled),
        cmocka_unit_test(mistakes_of_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
