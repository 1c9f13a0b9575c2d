/* progress.c: the callback of long calls: fractions never fall, start at 0, end with 1, and are
 * spread between as the work is. Calls that are cancelled: tests/library/calls.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gfpoly/compose.h"
#include "gfpoly/division.h"
#include "gfpoly/methods.h"
#include "gfpoly/poly.h"
#include "lab/meter.h"
#include "lab/rows.h"

#define NEVER SIZE_MAX

/* The state of a callback. */
typedef struct host {
    size_t calls;
    size_t stop_at; /* the number of the call that returns false */
    double first, last;
    bool falls, outside; /* a fraction was below the one before; was outside [0, 1] */
} host;

static bool progress_step(void *user, double fraction)
{
    host *h = user;
    h->outside = h->outside || !(fraction >= 0 && fraction <= 1);
    h->falls = h->falls || (h->calls > 0 && fraction < h->last);
    h->first = h->calls == 0 ? fraction : h->first;
    h->last = fraction;
    return h->calls++ != h->stop_at;
}

/* A field whose memory is metered; a, b, c = a b, and d that calls under test write. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    gfp_poly a, b, c, d;
    host h;
    gfp_progress progress;
    gfp_options options;
    gfp_error error;
} world;

/* d := something that is not the product. */
static void progress_spoil(world *w)
{
    gfp_poly_zero(&w->d);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->d, 3, 5), GFP_OK);
}

static void progress_start(world *w, const char *name, size_t len_a, size_t len_b)
{
    gfp_random g;
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    gfp_poly_init(&w->c, w->field);
    gfp_poly_init(&w->d, w->field);
    gfp_random_seed(&g, 4);
    assert_int_equal(gfp_poly_random(&w->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, len_b, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->c, &w->a, &w->b, NULL), GFP_OK);
    progress_spoil(w);
    w->progress = (gfp_progress){progress_step, &w->h};
    w->options = (gfp_options){.verify_seed = 6, .error = &w->error, .progress = &w->progress};
}

static void progress_end(world *w)
{
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->c);
    gfp_poly_clear(&w->d);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

/* A call under test, with w->options. */
typedef gfp_status action(world *w);

static gfp_status progress_multiply(world *w)
{
    return gfp_poly_mul(&w->d, &w->a, &w->b, &w->options);
}

#define BATCH 3

/* One product after the other: a cap leaves room for one work area. */
static gfp_status multiply_batch(world *w)
{
    const size_t k = gfp_field_k(w->field), n = w->a.len / BATCH;
    const gfp_batch batch = {.count = BATCH, .len_a = n, .len_b = n};
    uint64_t *c = calloc(BATCH * (2 * n - 1) * k, sizeof *c);
    assert_non_null(c);
    const gfp_status status =
        gfp_vec_mul_batch(w->field, c, w->a.digits, w->a.digits, &batch, &w->options);
    free(c);
    return status;
}

static gfp_status progress_verify(world *w)
{
    return gfp_poly_verify_mul(&w->c, &w->a, &w->b, &w->options);
}

static gfp_status progress_run(world *w, action *call, size_t stop_at)
{
    w->h = (host){.stop_at = stop_at};
    return call(w);
}

/* Lets the call finish and checks its fractions; returns the number of calls of the callback. */
static size_t let_finish(world *w, action *call)
{
    assert_int_equal(progress_run(w, call, NEVER), GFP_OK);
    assert_false(w->h.falls);
    assert_false(w->h.outside);
    assert_true(w->h.first >= 0 && w->h.first <= 0);
    assert_true(w->h.last >= 1);
    return w->h.calls;
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* The fractions count the work: a watched product is right, its fractions are spread over [0, 1],
 * and a method of the library calls often. */
static void long_products_ask_often(void **state)
{
    static const char *const methods[] = {"classical", "karatsuba", "bigfft"};
    (void)state;
    world w;
    progress_start(&w, "p8", 1000, 900);
    for (size_t i = 0; i < 3; i++) {
        w.options.method = methods[i];
        progress_spoil(&w);
        assert_true(let_finish(&w, progress_multiply) >= 8);
        assert_true(gfp_poly_equal(&w.c, &w.d));
        const size_t calls = w.h.calls;
        /* Half of the questions are asked about half of the way. */
        assert_int_equal(progress_run(&w, progress_multiply, calls / 2), GFP_ERR_CANCELLED);
        assert_true(w.h.last > 0.3 && w.h.last < 0.7);
    }
    progress_end(&w);
}

/* Longer polynomials are evaluated in blocks; an error in any of them is found. */
static void points_are_compared_in_blocks(void **state)
{
    static const size_t places[] = {0, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 4998};
    world w;
    (void)state;
    progress_start(&w, "p128", 4999, 2);
    w.options.verify = GFP_VERIFY_POINT;
    assert_true(let_finish(&w, progress_verify) >= 4);
    for (size_t i = 0; LAB_ROW(places, i); i++) {
        uint64_t x[128], one[128];
        gfp_poly_get_coeff(x, &w.c, places[i]);
        gfp_elem_one(w.field, one);
        gfp_elem_add(w.field, one, one, x);
        assert_int_equal(gfp_poly_set_coeff(&w.c, places[i], one), GFP_OK);
        assert_int_equal(progress_run(&w, progress_verify, NEVER), GFP_ERR_VERIFY);
        assert_int_equal(gfp_poly_set_coeff(&w.c, places[i], x), GFP_OK);
    }
    assert_int_equal(progress_run(&w, progress_verify, NEVER), GFP_OK);
    progress_end(&w);
}

/* Products without callback are exact and immediate. */
static void a_product_with_zero_is_not_asked_about(void **state)
{
    world w;
    (void)state;
    progress_start(&w, "p8", 20, 20);
    gfp_poly_zero(&w.b);
    assert_int_equal(progress_run(&w, progress_multiply, 0), GFP_OK);
    assert_int_equal(w.h.calls, 0);
    assert_int_equal(w.d.len, 0);
    progress_end(&w);
}

/* A failed verification is reported as such, whatever the callback would have returned later. */
static void a_wrong_product_is_reported_as_wrong(void **state)
{
    world w;
    (void)state;
    progress_start(&w, "p8", 60, 50);
    assert_int_equal(gfp_poly_set_coeff_u64(&w.c, 7, 1), GFP_OK);
    for (size_t v = 1; v < 3; v++) {
        w.options.verify = kinds[v];
        assert_int_equal(progress_run(&w, progress_verify, NEVER), GFP_ERR_VERIFY);
    }
    progress_end(&w);
}

static void cancelled_has_a_phrase(void **state)
{
    (void)state;
    assert_string_equal(gfp_status_string(GFP_ERR_CANCELLED), "cancelled");
}

static void batches_one_by_one(void **state)
{
    static const char *const methods[] = {"bigfft", "hybrid", "karatsuba"};
    (void)state;
    for (size_t i = 0; LAB_ROW(methods, i); i++) {
        world w;
        progress_start(&w, "p8", 9000, 10);
        w.options.method = methods[i];
        w.options.memory_cap = (size_t)1 << 30;
        assert_true(let_finish(&w, multiply_batch) > 2 * BATCH);
        progress_end(&w);
    }
}

/* ---- operations ---- */

/* What a bar shows: the fraction at each call. */
typedef struct bar {
    size_t calls, half;
    double at_half, before_end;
} bar;

static bool progress_watch(void *user, double fraction)
{
    bar *b = user;
    b->at_half = b->calls == b->half ? fraction : b->at_half;
    b->before_end = fraction < 1 ? fraction : b->before_end;
    b->calls++;
    return true;
}

static gfp_status run_for_bar(size_t which, world *w, gfp_poly *q, const gfp_options *options)
{
    switch (which) {
    case 0:
        return gfp_poly_divrem(q, &w->d, &w->a, &w->b, options);
    case 1:
        return gfp_poly_div(q, &w->a, &w->b, options);
    case 2:
        return gfp_poly_revert_series(q, &w->c, 120, options);
    default:
        return gfp_poly_compose_series(q, &w->a, &w->c, 120, options);
    }
}

/* The bars of quadratic algorithms, and of a fast reversion, move from one end to the other: half
 * of the calls are neither the begin nor the end. */
static void bars_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        const char *const methods[] = {"classical", i % 4 == 2 ? NULL : "classical"};
        world w;
        gfp_poly q;
        bar b = {.half = NEVER};
        const gfp_progress progress = {progress_watch, &b};
        progress_start(&w, "p2", 1200, 500);
        gfp_poly_init(&q, w.field);
        assert_int_equal(gfp_poly_truncate(&w.c, &w.c, 120), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&w.c, 0, 0), GFP_OK);
        const gfp_options options = {.method = methods[i / 8],
                                     .progress = &progress,
                                     .verify = (gfp_verify)(GFP_VERIFY_NONE + i / 4 % 2)};
        assert_int_equal(run_for_bar(i % 4, &w, &q, &options), GFP_OK);
        b = (bar){.half = b.calls / 2};
        assert_int_equal(run_for_bar(i % 4, &w, &q, &options), GFP_OK);
        if (b.at_half < 0.05 || b.at_half > 0.9 || b.before_end < 0.5) {
            fail_msg("case %zu: %f at half of %zu calls, %f before the end", i, b.at_half, b.calls,
                     b.before_end);
        }
        gfp_poly_clear(&q);
        progress_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_one_by_one),
        cmocka_unit_test(long_products_ask_often),
        cmocka_unit_test(points_are_compared_in_blocks),
        cmocka_unit_test(a_product_with_zero_is_not_asked_about),
        cmocka_unit_test(a_wrong_product_is_reported_as_wrong),
        cmocka_unit_test(cancelled_has_a_phrase),
        cmocka_unit_test(bars_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
