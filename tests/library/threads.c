/* threads.c: fields and plans shared by several threads, and fields made in several threads at
 * once: every result equals the one of a single thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/attachment.h"
#include "gfpoly/fft.h"
#include "gfpoly/poly.h"
#include "lab/convolve.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "fft/task.h"

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#endif

#define THREADS 6
#define ROUNDS (SANITIZED ? 3 : 12)
#define LENGTH 64

/* Shared by all threads, read-only after its set-up. */
typedef struct shared {
    gfp_field *field;
    gfp_fft_plan *plan;
    uint64_t *x;         /* LENGTH elements */
    uint64_t *transform; /* of x */
    uint64_t *square;    /* x * x mod X^LENGTH - 1 */
    gfp_poly a, b, product;
} shared;

/* Elements of 1024 bytes take sanitizers minutes. */
static const char *const names[] = {"p8",     "m16", "p2", "65537", SANITIZED ? "p4" : "p128",
                                    "30^32+1"};
#define NAMES (sizeof names / sizeof names[0])

static shared worlds[NAMES];

static uint64_t *threads_elements(const gfp_field *field)
{
    uint64_t *x = calloc((size_t)gfp_field_k(field) * LENGTH, sizeof *x);
    if (x == NULL) {
        abort();
    }
    return x;
}

static void open_world(shared *w, const char *name)
{
    gfp_random g;
    gfp_random_seed(&g, 2024);
    assert_int_equal(gfp_field_create(&w->field, name, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_fft_plan_create(&w->plan, w->field, LENGTH, NULL), GFP_OK);
    w->x = threads_elements(w->field);
    w->transform = threads_elements(w->field);
    w->square = threads_elements(w->field);
    gfp_vec_random(w->field, w->x, LENGTH, &g);
    assert_int_equal(gfp_fft_run(w->transform, w->x, GFP_FORWARD, GFP_ORDER_NATURAL, w->plan, NULL),
                     GFP_OK);
    assert_int_equal(lab_convolve(w->square, w->x, w->x, LENGTH, GFP_ORDER_PERMUTED, w->plan),
                     GFP_OK);
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    gfp_poly_init(&w->product, w->field);
    assert_int_equal(gfp_poly_random(&w->a, 50, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, 33, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->product, &w->a, &w->b, NULL), GFP_OK);
}

static int threads_setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        open_world(&worlds[i], names[i]);
    }
    return 0;
}

static int threads_teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        shared *w = &worlds[i];
        gfp_poly_clear(&w->a);
        gfp_poly_clear(&w->b);
        gfp_poly_clear(&w->product);
        free(w->x);
        free(w->transform);
        free(w->square);
        gfp_fft_plan_destroy(w->plan);
        gfp_field_destroy(w->field);
    }
    return 0;
}

/* One thread's work: returns false where anything differs (no assertion leaves a thread). */
typedef bool job(unsigned thread, unsigned round);

typedef struct order {
    pthread_t id;
    job *run;
    unsigned thread;
    bool good;
} order;

static void *threads_work(void *argument)
{
    order *o = argument;
    o->good = true;
    for (unsigned round = 0; round < ROUNDS; round++) {
        o->good = o->run(o->thread, round) && o->good;
    }
#if GFP_HAVE_FLINT
    flint_cleanup(); /* frees FLINT's caches of this thread: "auto" may have picked FLINT */
#endif
    return NULL;
}

static void run_in_threads(job *run)
{
    order orders[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        orders[i].run = run;
        orders[i].thread = i;
        assert_int_equal(pthread_create(&orders[i].id, NULL, threads_work, &orders[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(orders[i].id, NULL), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_true(orders[i].good);
    }
}

static bool transform_job(unsigned thread, unsigned round)
{
    const shared *w = &worlds[(thread + round) % NAMES];
    uint64_t *y = threads_elements(w->field);
    bool good = gfp_fft_run(y, w->x, GFP_FORWARD, GFP_ORDER_NATURAL, w->plan, NULL) == GFP_OK &&
                gfp_vec_equal(w->field, y, w->transform, LENGTH);
    good = good && gfp_fft_run(y, y, GFP_INVERSE, GFP_ORDER_NATURAL, w->plan, NULL) == GFP_OK &&
           gfp_vec_equal(w->field, y, w->x, LENGTH);
    good = good && gfp_fft_run(y, y, GFP_FORWARD, GFP_ORDER_PERMUTED, w->plan, NULL) == GFP_OK &&
           gfp_fft_run(y, y, GFP_INVERSE, GFP_ORDER_PERMUTED, w->plan, NULL) == GFP_OK &&
           gfp_vec_equal(w->field, y, w->x, LENGTH);
    good = good && lab_convolve(y, w->x, w->x, LENGTH, GFP_ORDER_NATURAL, w->plan) == GFP_OK &&
           gfp_vec_equal(w->field, y, w->square, LENGTH);
    free(y);
    return good;
}

static void a_plan_serves_many_threads(void **state)
{
    (void)state;
    run_in_threads(transform_job);
}

static bool product_job(unsigned thread, unsigned round)
{
    static const char *const methods[] = {"auto", "classical", "karatsuba", "bigfft", "hybrid"};
    const shared *w = &worlds[(thread + 5 * round) % NAMES];
    gfp_report report;
    gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 1 + round, .report = &report};
    gfp_poly c;
    bool good = true;
    gfp_poly_init(&c, w->field);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        gfp_status status;
        options.method = methods[i];
        status = gfp_poly_mul(&c, &w->a, &w->b, &options);
        good = good && status == GFP_OK && gfp_poly_equal(&c, &w->product);
    }
    gfp_poly_clear(&c);
    return good;
}

static void polynomials_and_a_field_serve_many_threads(void **state)
{
    (void)state;
    run_in_threads(product_job);
}

static bool creation_job(unsigned thread, unsigned round)
{
    size_t which = (thread + round) % NAMES;
    const shared *w = &worlds[which];
    gfp_field *field = NULL;
    gfp_fft_plan *plan = NULL;
    uint64_t *y = threads_elements(w->field);
    bool good = gfp_field_create(&field, names[which], NULL, NULL) == GFP_OK &&
                gfp_field_same(field, w->field) &&
                gfp_fft_plan_create(&plan, field, LENGTH, NULL) == GFP_OK &&
                gfp_fft_run(y, w->x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL) == GFP_OK &&
                gfp_vec_equal(field, y, w->transform, LENGTH);
    gfp_fft_plan_destroy(plan);
    gfp_field_destroy(field);
    free(y);
    return good;
}

static void fields_and_plans_are_made_in_many_threads_at_once(void **state)
{
    (void)state;
    run_in_threads(creation_job);
}

/* ---- tables that products make on first use and keep with the field ---- */

/* Of lengths 10, 20, 40, ...: longer ones need larger tables. Squares by karatsuba, which needs
 * none, over a field that is new. */
static gfp_poly factors[THREADS], squares[THREADS];
static pthread_barrier_t start;

static void open_factors(const gfp_field *field)
{
    const gfp_options options = {.method = "karatsuba"};
    gfp_random g;
    gfp_random_seed(&g, 31);
    for (size_t i = 0; i < THREADS; i++) {
        gfp_poly_init(&factors[i], field);
        gfp_poly_init(&squares[i], field);
        assert_int_equal(gfp_poly_random(&factors[i], (size_t)10 << i, &g), GFP_OK);
        assert_int_equal(gfp_poly_sqr(&squares[i], &factors[i], &options), GFP_OK);
    }
}

static void close_factors(void)
{
    for (size_t i = 0; i < THREADS; i++) {
        gfp_poly_clear(&factors[i]);
        gfp_poly_clear(&squares[i]);
    }
}

static bool square_job(unsigned thread, unsigned round)
{
    const gfp_options options = {.method = "hybrid"};
    const size_t i = (thread + round) % THREADS;
    gfp_poly c;
    if (round == 0) {
        (void)pthread_barrier_wait(&start);
    }
    gfp_poly_init(&c, factors[i].field);
    const bool good =
        gfp_poly_sqr(&c, &factors[i], &options) == GFP_OK && gfp_poly_equal(&c, &squares[i]);
    gfp_poly_clear(&c);
    return good;
}

static void tables_are_made_in_many_threads_at_once(void **state)
{
    static const char *const fresh[] = {"p8", "p2", "m16", "p8"};
    (void)state;
    for (size_t f = 0; LAB_ROW(fresh, f); f++) {
        gfp_field *field;
        assert_int_equal(gfp_field_create(&field, fresh[f], NULL, NULL), GFP_OK);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        open_factors(field);
        run_in_threads(square_job);
        close_factors();
        (void)pthread_barrier_destroy(&start);
        gfp_field_destroy(field);
    }
}

/* Questions that differ in their first word alone, all at one place; answers of different
 * lengths. */
static bool answers_job(unsigned thread, unsigned round)
{
    const size_t place = GFP_FIELD_ANSWERS - 1;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint32_t number = (i + thread + round) % 5 + 1;
        const gfp_question question = {{number, 2, 3, 4, 5, 6, 7, UINT64_MAX}};
        uint64_t answer[GFP_ANSWER_WORDS];
        const size_t known = gfp_field_recall(worlds[0].field, place, &question, answer);
        if (known != 0 && known != number) {
            return false;
        }
        for (size_t j = 0; j < known; j++) {
            if (answer[j] != number + j) {
                return false;
            }
        }
        for (size_t j = 0; j < number; j++) {
            answer[j] = number + j;
        }
        gfp_field_remember(worlds[0].field, place, &question, answer, number);
    }
    return true;
}

static void answers_keep_to_their_questions(void **state)
{
    const gfp_question asked = {{1, 2}}, other = {{1, 2, 0, 0, 0, 0, 0, 1}};
    const gfp_field *field = worlds[0].field;
    uint64_t answer[GFP_ANSWER_WORDS], seven = 7, longest[GFP_ANSWER_WORDS];
    (void)state;
    for (size_t i = 0; i < GFP_ANSWER_WORDS; i++) {
        longest[i] = UINT64_MAX - i;
    }
    assert_int_equal(gfp_field_recall(field, 0, &(gfp_question){{0}}, answer), 0);
    gfp_field_remember(field, 0, &asked, longest, GFP_ANSWER_WORDS);
    assert_int_equal(gfp_field_recall(field, 0, &asked, answer), GFP_ANSWER_WORDS);
    assert_memory_equal(answer, longest, sizeof longest);
    assert_int_equal(gfp_field_recall(field, 0, &other, answer), 0);
    assert_int_equal(gfp_field_recall(field, 1, &asked, answer), 0);
    gfp_field_remember(field, 0, &other, &seven, 1);
    assert_int_equal(gfp_field_recall(field, 0, &other, answer), 1);
    assert_int_equal(answer[0], 7);
    assert_int_equal(gfp_field_recall(field, 0, &asked, answer), 0);
    run_in_threads(answers_job);
}

static bool mixed_job(unsigned thread, unsigned round)
{
    job *const jobs[] = {transform_job, product_job, creation_job};
    return jobs[thread % 3](thread, round);
}

static void all_of_it_at_once(void **state)
{
    (void)state;
    run_in_threads(mixed_job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_serves_many_threads),
        cmocka_unit_test(polynomials_and_a_field_serve_many_threads),
        cmocka_unit_test(fields_and_plans_are_made_in_many_threads_at_once),
        cmocka_unit_test(tables_are_made_in_many_threads_at_once),
        cmocka_unit_test(answers_keep_to_their_questions),
        cmocka_unit_test(all_of_it_at_once),
    };
    return cmocka_run_group_tests(tests, threads_setup, threads_teardown);
}
