/* calls.c: calls on transformed operands: results do not depend on threads; a cap on
 * memory holds; verification passes right results and catches corrupted operands.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"
#include "lab/rows.h"
#include "lab/sanitized.h"

#include "field/base/context.h"
#include "gfpoly/operand.h"
#include "product/methods/row.h"
#include "product/methods/engine.h"
#include "product/operand/lab.h"
#include "field/base/parallel.h"
#include "crt/ring.h"

/* ---- threads, of rings ---- */

typedef struct ring_case {
    const gfp_ring *ring;
    const uint64_t *a;
    size_t len;
    uint64_t *x, *y, *z, *sum, *c; /* transforms; polynomials */
} ring_case;

/* The transforms are aligned, which lab_array's are not. */
static uint64_t *transform_words(size_t words)
{
    uint64_t *x = aligned_alloc(64, words * sizeof *x);
    assert_non_null(x);
    memset(x, 0x5a, words * sizeof *x);
    return x;
}

static gfp_task *operand_calls_start(gfp_task *task, unsigned threads)
{
    gfp_task_start(task, NULL);
    task->threads = threads;
    gfp_task_part(task, 1);
    (void)gfp_task_span(task, 1, 1, 1);
    return threads == 0 ? NULL : task;
}

/* All operations one after the other: transforms to x, y, z, sum, the ways back to c. */
static void run_ring(const ring_case *w, unsigned threads)
{
    const gfp_ring *ring = w->ring;
    const gfp_ring_engine *engine = ring->engine;
    gfp_task task, *t = operand_calls_start(&task, threads);
    const size_t k = gfp_field_k(ring->field), n = ring->length;
    const gfp_ring_call whole = {
        ring, lab_array(engine->work(ring, true, threads == 0 ? 1 : threads)), t, NULL};
    const gfp_ring_call few = {
        ring, lab_array(engine->work(ring, false, threads == 0 ? 1 : threads)), t, NULL};
    const size_t terms = gfp_ring_terms(ring, w->len, 1, w->len, 1);
    const uint64_t *const xs[] = {w->x}, *const ys[] = {w->x};
    gfp_transform x = {.words = w->x, .weight = 1}, y = {.words = w->y, .weight = terms},
                  z = {.words = w->z, .weight = 1}, sum = {.words = w->sum};
    const gfp_ring_factor a = {w->a, w->len};
    const gfp_ring_part first = {w->c, 0, n}, second = {w->c + n * k, 0, n},
                        third = {w->c + 2 * n * k, 0, n};
    assert_int_equal(engine->transform(&whole, &x, w->a, w->len), GFP_OK);
    assert_int_equal(engine->multiply(&few, &y, &x, &x, 0), GFP_OK);
    assert_int_equal(engine->lift(&few, &z, &x), GFP_OK);
    assert_int_equal(engine->renew(&few, &sum, &z), GFP_OK);
    assert_int_equal(engine->add(&few, &z, &y, &z, true), GFP_OK);
    z.weight = terms + 1;
    assert_int_equal(engine->restore(&whole, &first, &z), GFP_OK);
    assert_int_equal(engine->multiply_by(&whole, &second, &a, &x, terms), GFP_OK);
    assert_int_equal(engine->dot(&whole, &third, xs, ys, 1, terms), GFP_OK);
    lab_free(whole.work);
    lab_free(few.work);
}

static void check_ring(const lab *l, const gfp_ring *ring)
{
    const size_t k = gfp_field_k(ring->field), words = ring->words;
    const size_t len = (ring->length + 1) / 2;
    uint64_t *a = lab_vector(l, len, 0), *one = transform_words(4 * words),
             *many = transform_words(4 * words);
    uint64_t *c = lab_array(3 * ring->length * k), *d = lab_array(3 * ring->length * k);
    ring_case w = {ring, a, len, one, one + words, one + 2 * words, one + 3 * words, c};
    run_ring(&w, 0);
    assert_memory_equal(c + ring->length * k, c + 2 * ring->length * k,
                        ring->length * k * sizeof *c);
    for (unsigned threads = 2; threads <= 5; threads += threads - 1) { /* 2, 3, 5 */
        memset(many, 0x5a, 4 * words * sizeof *many);
        memset(d, 0x33, 3 * ring->length * k * sizeof *d);
        w = (ring_case){ring, a, len, many, many + words, many + 2 * words, many + 3 * words, d};
        run_ring(&w, threads);
        assert_memory_equal(c, d, 3 * ring->length * k * sizeof *c);
        assert_memory_equal(one, many, 4 * words * sizeof *one);
    }
    lab_free(a);
    lab_free(c);
    lab_free(d);
    free(one);
    free(many);
}

static const gfp_ring_engine *const ring_engines[] = {&gfp_hybrid_rings, &gfp_native_rings};

/* Full trees and first leaves, nodes that are refined, leaves side by side. */
static void test_rings(void **state)
{
    static const size_t lengths[] = {9, 100, 385, 1200};
    (void)state;
    for (size_t i = 0; lab_field_row(i); i++) {
        lab *l = &lab_fields[i];
        const size_t k = l->k, words = l->entry->r < (uint64_t)1 << 32 ? 4000 : 40000;
        const size_t most = words / (SANITIZED ? 10 : 1);
        for (size_t j = 0; j < 4 && (j == 0 || lengths[j] * k * k <= most * 8); j++) {
            for (size_t e = 0; LAB_ROW(ring_engines, e); e++) {
                gfp_ring *ring = NULL;
                const gfp_ring_problem p = {
                    .field = l->field, .length = lengths[j], .terms = 4, .wrap = j % 2 != 0};
                assert_int_equal(ring_engines[e]->create(&ring, &p, NULL), GFP_OK);
                check_ring(l, ring);
                ring_engines[e]->destroy(ring);
            }
        }
    }
}

/* ---- operands ---- */

typedef struct heap {
    size_t held, peak; /* bytes */
    void *largest;
    size_t largest_bytes;
} heap;

static void *heap_allocate(void *user, size_t size)
{
    heap *h = user;
    void *block = malloc(size);
    assert_non_null(block);
    h->held += size;
    h->peak = h->held > h->peak ? h->held : h->peak;
    if (size >= h->largest_bytes) {
        h->largest = block;
        h->largest_bytes = size;
    }
    return block;
}

static void heap_release(void *user, void *block, size_t size)
{
    heap *h = user;
    h->held -= block != NULL ? size : 0;
    free(block);
}

typedef struct world {
    heap h;
    gfp_allocator allocator;
    gfp_field *field;
    gfp_poly a, b;
    gfp_random g;
} world;

static void open_world(world *w, const char *name, size_t n)
{
    memset(w, 0, sizeof *w);
    w->allocator = (gfp_allocator){heap_allocate, heap_release, &w->h};
    gfp_random_seed(&w->g, n);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    assert_int_equal(gfp_poly_random(&w->a, n, &w->g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, n, &w->g), GFP_OK);
}

static void close_world(world *w)
{
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_field_destroy(w->field);
    assert_int_equal(w->h.held, 0);
}

#define RESULTS 5

/* All calls. False: one of them failed, with this status. */
static bool operand_calls_use(const world *w, gfp_poly *c, const gfp_options *options,
                              gfp_status *status)
{
    const size_t length = w->a.len + w->b.len - 1;
    gfp_operand *x = NULL, *y = NULL, *z = NULL;
    bool done = (*status = operand_of(&x, &w->a, (gfp_space_spec){length, 2, GFP_WRAP_LINEAR},
                                      options)) == GFP_OK &&
                (*status = operand_like(&y, x, &w->b, options)) == GFP_OK &&
                (*status = operand_like(&z, x, NULL, options)) == GFP_OK &&
                (*status = gfp_operand_arith(z, x, y, GFP_OPERAND_MUL)) == GFP_OK &&
                (*status = gfp_operand_arith(z, x, x, GFP_OPERAND_SUBMUL)) == GFP_OK &&
                (*status = gfp_operand_arith(z, z, y, GFP_OPERAND_ADD)) == GFP_OK &&
                (*status = gfp_poly_from_operand(&c[0], 0, SIZE_MAX, z, options)) == GFP_OK &&
                (*status = gfp_operand_arith(z, x, y, GFP_OPERAND_SUB)) == GFP_OK &&
                (*status = gfp_operand_arith(z, z, z, GFP_OPERAND_MUL)) == GFP_OK &&
                (*status = gfp_poly_from_operand(&c[1], 3, length / 2, z, options)) == GFP_OK &&
                (*status = gfp_poly_mul_operand(&c[2], 0, SIZE_MAX, &w->a, y, options)) == GFP_OK &&
                (*status = operand_times(z, &w->b, y, options)) == GFP_OK &&
                (*status = gfp_poly_from_operand(&c[3], 0, SIZE_MAX, z, options)) == GFP_OK;
    if (done) {
        const gfp_operand *const xs[] = {x, y}, *const ys[] = {y, y};
        *status = gfp_poly_dot_operands(&c[4], 1, length - 2, xs, ys, 2, options);
        done = *status == GFP_OK;
    }
    gfp_operand_destroy(x);
    gfp_operand_destroy(y);
    gfp_operand_destroy(z);
    return done;
}

static void init_results(const world *w, gfp_poly *c)
{
    for (size_t i = 0; i < RESULTS; i++) {
        gfp_poly_init(&c[i], w->field);
    }
}

static void clear_results(gfp_poly *c)
{
    for (size_t i = 0; i < RESULTS; i++) {
        gfp_poly_clear(&c[i]);
    }
}

/* Compares the results of use with products of polynomials. */
static void operand_calls_expect(const world *w, const gfp_poly *c)
{
    gfp_poly ab, bb, t;
    gfp_poly_init(&ab, w->field);
    gfp_poly_init(&bb, w->field);
    gfp_poly_init(&t, w->field);
    assert_int_equal(gfp_poly_mul(&ab, &w->a, &w->b, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&c[2], &ab));
    assert_int_equal(gfp_poly_sqr(&bb, &w->b, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&c[3], &bb));
    assert_int_equal(gfp_poly_add(&bb, &bb, &ab), GFP_OK);
    assert_int_equal(gfp_poly_shift_right(&bb, &bb, 1), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&bb, &bb, ab.len - 2), GFP_OK);
    assert_true(gfp_poly_equal(&c[4], &bb));
    assert_int_equal(gfp_poly_sqr(&t, &w->a, NULL), GFP_OK);
    assert_int_equal(gfp_poly_sub(&t, &ab, &t), GFP_OK);
    assert_int_equal(gfp_poly_add(&t, &t, &w->b), GFP_OK);
    assert_true(gfp_poly_equal(&c[0], &t));
    assert_int_equal(gfp_poly_sub(&t, &w->a, &w->b), GFP_OK);
    assert_int_equal(gfp_poly_sqr(&t, &t, NULL), GFP_OK);
    assert_int_equal(gfp_poly_shift_right(&t, &t, 3), GFP_OK);
    assert_int_equal(gfp_poly_truncate(&t, &t, ab.len / 2), GFP_OK);
    assert_true(gfp_poly_equal(&c[1], &t));
    gfp_poly_clear(&ab);
    gfp_poly_clear(&bb);
    gfp_poly_clear(&t);
}

/* The rows of the CPU that have operands, by number; NULL behind the last. */
static const char *operand_method(size_t number)
{
    const gfp_method *row;
    for (size_t i = 0; (row = gfp_method_row(i)) != NULL; i++) {
        if (row->operands != NULL && !gfp_method_on_device(row) && number-- == 0) {
            return row->name;
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    static const struct {
        const char *field;
        size_t n;
    } problems[] = {{"p2", 4000}, {"p4", 2000}, {"p8", 700}, {"m16", 200}, {"p64", 40}};
    (void)state;
    for (size_t i = 0; LAB_ROW(problems, i); i++) {
        world w;
        open_world(&w, problems[i].field, problems[i].n);
        for (size_t m = 0; operand_method(m) != NULL; m++) {
            for (unsigned threads = 1; threads <= 5; threads++) {
                const gfp_verify verify = threads == 3 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
                const gfp_options options = {
                    .method = operand_method(m), .threads = threads, .verify = verify};
                gfp_poly c[RESULTS];
                gfp_status status;
                init_results(&w, c);
                assert_true(operand_calls_use(&w, c, &options, &status));
                operand_calls_expect(&w, c);
                clear_results(c);
            }
        }
        close_world(&w);
    }
}

/* ---- memory ---- */

/* Growing caps, from one that is too small: the call never takes more than the cap in addition to
 * operands and results, and its results are right whenever the cap is enough. */
static void test_cap(void **state)
{
    (void)state;
    for (size_t m = 0; operand_method(m) != NULL; m++) {
        world w;
        gfp_poly c[RESULTS];
        gfp_status status;
        gfp_options options = {.method = operand_method(m), .threads = 3};
        open_world(&w, "p8", 600);
        gfp_field_limit_memory(w.field, 0);
        init_results(&w, c);
        assert_true(operand_calls_use(&w, c, &options, &status)); /* the tables are there */
        gfp_operand *x = NULL;
        const size_t without = w.h.held;
        assert_int_equal(operand_of(&x, &w.a, (gfp_space_spec){1199, 2, GFP_WRAP_LINEAR}, &options),
                         GFP_OK);
        const size_t operand = gfp_operand_bytes(x);
        assert_true(w.h.held >= without + operand);
        const size_t space = w.h.held - without - operand; /* which the space's operands share */
        assert_true(space <= 8 * operand);
        gfp_operand_destroy(x);
        unsigned refused = 0, served = 0;
        for (size_t cap = 1024; served < 3; cap *= 2) {
            gfp_error error;
            options.memory_cap = cap;
            options.error = &error;
            clear_results(c);
            init_results(&w, c);
            const size_t before = w.h.held;
            w.h.peak = before;
            const bool done = operand_calls_use(&w, c, &options, &status);
            /* Three operands, their space, five results, and plans of bigfft under way. */
            const size_t results = 6 * 1200 * 8 * sizeof(uint64_t), plans = 64 * 1024;
            assert_true(w.h.peak <= before + cap + 3 * operand + space + results + plans);
            if (done) {
                operand_calls_expect(&w, c);
                served++;
            } else {
                assert_int_equal(status, GFP_ERR_MEMORY);
                refused++;
            }
        }
        assert_true(refused > 0);
        clear_results(c);
        close_world(&w);
    }
}

/* Operands and results may be over equal fields with different allocators: every block returns to
 * the allocator that it came from. */
static void test_two_allocators(void **state)
{
    world w, other;
    gfp_operand *x = NULL;
    (void)state;
    open_world(&w, "p8", 100);
    open_world(&other, "p8", 100);
    assert_int_equal(operand_of(&x, &w.a, (gfp_space_spec){199, 1, GFP_WRAP_LINEAR}, NULL), GFP_OK);
    const gfp_operand *const xs[] = {x};
    gfp_poly *c = &other.a;
    assert_int_equal(gfp_poly_from_operand(c, 0, SIZE_MAX, x, NULL), GFP_OK);
    assert_true(gfp_poly_equal(c, &w.a));
    assert_int_equal(gfp_poly_mul_operand(c, 0, SIZE_MAX, &w.b, x, NULL), GFP_OK);
    assert_int_equal(gfp_poly_dot_operands(c, 0, SIZE_MAX, xs, xs, 1, NULL), GFP_OK);
    gfp_operand_destroy(x);
    close_world(&w);
    close_world(&other);
}

/* ---- progress ---- */

typedef struct watch {
    double last;
    unsigned calls, stop_at;
    bool good;
} watch;

static bool watch_progress(void *user, double fraction)
{
    watch *w = user;
    w->good = w->good && fraction >= w->last && fraction <= 1;
    w->last = fraction;
    return w->calls++ < w->stop_at;
}

#define SUMMANDS 50

/* A sum through an operand reports each product, and is cancelled between them. */
static void test_progress_of_sums(void **state)
{
    (void)state;
    for (size_t m = 0; operand_method(m) != NULL; m++) {
        world w;
        watch seen = {.stop_at = UINT_MAX, .good = true};
        const gfp_progress progress = {watch_progress, &seen};
        gfp_options options = {.method = operand_method(m), .threads = 1};
        gfp_operand *x = NULL, *z = NULL;
        const gfp_operand *xs[SUMMANDS];
        gfp_poly c;
        open_world(&w, "p8", 100);
        gfp_poly_init(&c, w.field);
        const gfp_space_spec spec = {199, SUMMANDS, GFP_WRAP_CYCLIC};
        assert_int_equal(operand_of(&x, &w.a, spec, &options), GFP_OK);
        assert_int_equal(operand_like(&z, x, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_operand_arith(z, x, x, GFP_OPERAND_MUL), GFP_OK);
        for (size_t i = 0; i < SUMMANDS; i++) {
            xs[i] = i == 7 ? z : x;
        }
        options.progress = &progress;
        assert_int_equal(gfp_poly_dot_operands(&c, 0, SIZE_MAX, xs, xs, SUMMANDS, &options),
                         GFP_OK);
        assert_true(seen.good && seen.last == 1 && seen.calls > SUMMANDS);
        gfp_poly_zero(&c);
        seen = (watch){.stop_at = 10, .good = true};
        assert_int_equal(gfp_poly_dot_operands(&c, 0, SIZE_MAX, xs, xs, SUMMANDS, &options),
                         GFP_ERR_CANCELLED);
        assert_true(seen.good && seen.last > 0 && seen.last < 0.5 && c.len == 0);
        gfp_operand_destroy(x);
        gfp_operand_destroy(z);
        gfp_poly_clear(&c);
        close_world(&w);
    }
}

/* The callbacks of a product by x. */
static unsigned calls_of(gfp_poly *c, const gfp_poly *a, const gfp_operand *x)
{
    watch seen = {.stop_at = UINT_MAX, .good = true};
    const gfp_progress progress = {watch_progress, &seen};
    const gfp_options options = {.threads = 1, .progress = &progress};
    assert_int_equal(gfp_poly_mul_operand(c, 0, SIZE_MAX, a, x, &options), GFP_OK);
    assert_true(seen.good && seen.last == 1);
    return seen.calls;
}

/* A product that first converts its operand reports the conversion as well. */
static void test_progress_of_conversions(void **state)
{
    (void)state;
    for (size_t m = 0; operand_method(m) != NULL; m++) {
        world w;
        const gfp_options options = {.method = operand_method(m), .threads = 1};
        gfp_operand *x = NULL, *z = NULL;
        gfp_poly c;
        if (!gfp_method_find(options.method)->operands->dot) {
            continue; /* no conversions */
        }
        open_world(&w, "p8", SANITIZED ? 8000 : 30000);
        gfp_poly_init(&c, w.field);
        const gfp_space_spec spec = {w.a.len * 2, 1, GFP_WRAP_CYCLIC};
        assert_int_equal(operand_of(&x, &w.a, spec, &options), GFP_OK);
        assert_int_equal(operand_like(&z, x, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_operand_arith(z, x, x, GFP_OPERAND_MUL), GFP_OK);
        const unsigned plain = calls_of(&c, &w.b, x), converted = calls_of(&c, &w.b, z);
        assert_true(converted > plain);
        gfp_operand_destroy(x);
        gfp_operand_destroy(z);
        gfp_poly_clear(&c);
        close_world(&w);
    }
}

/* ---- verification ---- */

/* Puts another operand's transform in the place of this one's, while the values at the point stay:
 * over p4, where one point is enough. Both transforms are in the range that the kernels' contracts
 * demand. */
static void operand_calls_tamper(uint64_t *block, const uint64_t *other, size_t bytes)
{
    const size_t at = (64 - (uintptr_t)block % 64) % 64 / 8;
    const size_t from = (64 - (uintptr_t)other % 64) % 64 / 8;
    memcpy(block + at, other + from, bytes - (8 + 4) * sizeof *block);
}

static void test_verification(void **state)
{
    (void)state;
    for (size_t m = 0; operand_method(m) != NULL; m++) {
        world w;
        gfp_error error;
        gfp_options options = {.method = operand_method(m),
                               .verify = GFP_VERIFY_POINT,
                               .verify_seed = 5,
                               .error = &error};
        gfp_operand *x = NULL, *y = NULL, *z = NULL;
        gfp_poly c;
        open_world(&w, "p4", 2000);
        gfp_field_limit_memory(w.field, 0);
        gfp_poly_init(&c, w.field);
        assert_int_equal(operand_of(&x, &w.a, (gfp_space_spec){3999, 1, GFP_WRAP_LINEAR}, &options),
                         GFP_OK);
        assert_int_equal(operand_like(&y, x, &w.b, &options), GFP_OK);
        assert_int_equal(operand_like(&z, x, NULL, NULL), GFP_OK);
        assert_int_equal(gfp_operand_arith(z, x, y, GFP_OPERAND_MUL), GFP_OK);
        assert_int_equal(gfp_poly_from_operand(&c, 1000, 10, z, NULL), GFP_OK);
        assert_int_equal(c.len, 10);
        gfp_operand_destroy(z);
        w.h.largest_bytes = 0;
        assert_int_equal(operand_like(&z, x, NULL, NULL), GFP_OK);
        uint64_t *block = w.h.largest; /* z's */
        const size_t bytes = w.h.largest_bytes;
        assert_int_equal(gfp_operand_arith(z, x, z, GFP_OPERAND_ADD), GFP_OK);
        gfp_operand *other = NULL;
        w.h.largest_bytes = 0;
        assert_int_equal(operand_like(&other, x, NULL, NULL), GFP_OK);
        uint64_t *there = w.h.largest;
        assert_int_equal(gfp_operand_arith(other, y, other, GFP_OPERAND_ADD), GFP_OK);
        operand_calls_tamper(block, there, bytes);
        gfp_operand_destroy(other);
        gfp_poly_zero(&c);
        lab_expect_status(gfp_poly_from_operand(&c, 0, 1, z, &options), GFP_ERR_VERIFY, &error,
                          "a transform tampered with");
        lab_expect_status(gfp_poly_mul_operand(&c, 0, SIZE_MAX, &w.a, z, &options), GFP_ERR_VERIFY,
                          &error, "the same as a factor");
        const gfp_operand *const xs[] = {x}, *const zs[] = {z};
        lab_expect_status(gfp_poly_dot_operands(&c, 0, SIZE_MAX, xs, zs, 1, &options),
                          GFP_ERR_VERIFY, &error, "the same in a sum");
        assert_int_equal(c.len, 0);
        gfp_operand_destroy(y);
        options.verify_seed = 6;
        assert_int_equal(operand_of(&y, &w.b, (gfp_space_spec){3999, 1, GFP_WRAP_LINEAR}, &options),
                         GFP_OK);
        assert_int_equal(gfp_operand_arith(y, x, y, GFP_OPERAND_MUL), GFP_ERR_ARGUMENT);
        gfp_operand_destroy(x);
        gfp_operand_destroy(y);
        gfp_operand_destroy(z);
        gfp_poly_clear(&c);
        close_world(&w);
    }
}

static void test_verification_that_there_is_not(void **state)
{
    world w;
    gfp_error error;
    gfp_options options = {.verify = GFP_VERIFY_CROSS, .error = &error};
    gfp_operand *x = NULL;
    (void)state;
    open_world(&w, "p4", 20);
    lab_expect_status(operand_of(&x, &w.a, (gfp_space_spec){39, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "a second method");
    options.verify = (gfp_verify)7;
    lab_expect_status(operand_of(&x, &w.a, (gfp_space_spec){39, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_ARGUMENT, &error, "no such kind");
    options.verify = GFP_VERIFY_POINT;
    lab_expect_status(operand_of(&x, &w.a, (gfp_space_spec){39, 1, GFP_WRAP_CYCLIC}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "products that wrap around");
    options = (gfp_options){.method = "crt", .error = &error};
    lab_expect_status(operand_of(&x, &w.a, (gfp_space_spec){39, 1, GFP_WRAP_NEGACYCLIC}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "modulo X^L + 1 by crt");
    options = (gfp_options){.verify = GFP_VERIFY_POINT, .error = &error};
    close_world(&w);
    open_world(&w, "2^8+1", 20);
    lab_expect_status(operand_of(&x, &w.a, (gfp_space_spec){39, 1, GFP_WRAP_LINEAR}, &options),
                      GFP_ERR_UNAVAILABLE, &error, "too few points");
    close_world(&w);
    assert_null(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rings, lab_setup, lab_teardown),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_two_allocators),
        cmocka_unit_test(test_progress_of_sums),
        cmocka_unit_test(test_progress_of_conversions),
        cmocka_unit_test(test_verification),
        cmocka_unit_test(test_verification_that_there_is_not),
    };
    if (THREAD_SANITIZED) {
        cmocka_set_test_filter("*thread*");
    }
    return cmocka_run_group_tests_name("operand_calls", tests, NULL, NULL);
}
