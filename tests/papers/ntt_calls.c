/* ntt_calls.c: options of transforms and convolutions over word-size primes and of the papers'
 * rival: any number of threads gives the residues of one; caps on memory; failing allocations;
 * progress and cancelling; reports; options that mean nothing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "field/base/cpu.h"
#include "gfpoly/rival.h"
#include "lab/meter.h"
#include "papers/ntt/impl.h"
#include "papers/rival/impl.h"
#include "lab/sanitized.h"
#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NEVER SIZE_MAX
/* Threads share steps of this length, so that short transforms go through every loop of threads. */
#define SHORT_SHARE 64

static const gfp_ntt_form forms[] = {GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED,
                                     GFP_NTT_STOCKHAM, GFP_NTT_BLOCKED};
static const gfp_ntt_product products[] = {GFP_NTT_SHOUP, GFP_NTT_MONTGOMERY,
                                           GFP_NTT_DOUBLE_QUOTIENT};

/* A plan with its vectors, and a plan of the rival over p4 with its vectors: x elements, y residues
 * and the integers z. */
typedef struct rig {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    gfp_ntt_plan *plan;
    gfp_crt_rival_plan *rival;
    size_t n, words; /* words: of an output */
    uint64_t *a, *b, *one, *other;
    uint64_t *elements, *residues;
} rig;

typedef gfp_status action(const rig *g, uint64_t *z, const gfp_options *options);

static gfp_status forward_natural(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_forward(g->plan, z, g->a, GFP_ORDER_NATURAL, NULL, options);
}

static gfp_status forward_permuted(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_forward(g->plan, z, g->a, GFP_ORDER_PERMUTED, NULL, options);
}

static gfp_status inverse_natural(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_inverse(g->plan, z, g->a, GFP_ORDER_NATURAL, NULL, options);
}

static gfp_status inverse_permuted(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_inverse(g->plan, z, g->a, GFP_ORDER_PERMUTED, NULL, options);
}

static gfp_status cyclic(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_convolve_cyclic(g->plan, z, g->a, g->b, NULL, options);
}

static gfp_status negacyclic(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_convolve_negacyclic(g->plan, z, g->a, g->b, NULL, options);
}

static gfp_status negacyclic_square(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_ntt_convolve_negacyclic(g->plan, z, g->a, g->a, NULL, options);
}

static gfp_status rival_project(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_crt_rival_project(g->rival, z, g->elements, NULL, options);
}

static gfp_status rival_transform(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_crt_rival_transform(g->rival, z, g->residues, NULL, options);
}

static gfp_status rival_recombine(const rig *g, uint64_t *z, const gfp_options *options)
{
    return gfp_crt_rival_recombine(g->rival, z, g->residues, NULL, options);
}

static gfp_status rival_forward(const rig *g, uint64_t *z, const gfp_options *options)
{
    uint64_t *y = lab_array(g->words);
    const gfp_status status =
        gfp_crt_rival_forward(g->rival, z, y, g->elements, NULL, NULL, options);
    lab_free(y);
    return status;
}

#define TRANSFORMS 4
#define OF_A_PLAN 7
static action *const calls[] = {forward_natural,   forward_permuted, inverse_natural,
                                inverse_permuted,  cyclic,           negacyclic,
                                negacyclic_square, rival_project,    rival_transform,
                                rival_recombine,   rival_forward};

/* Returns the greatest prime below 2^bits with a root of order 2^log2. */
static uint64_t prime_under(unsigned bits, unsigned log2)
{
    uint64_t q = 0;
    assert_int_equal(gfp_word_prime_below(&q, (uint64_t)1 << bits, log2), GFP_OK);
    return q;
}

static void open_vectors(rig *g, uint64_t q, size_t n)
{
    gfp_random random;
    g->n = g->words = n;
    g->a = lab_array(n);
    g->b = lab_array(n);
    gfp_random_seed(&random, q ^ n);
    for (size_t i = 0; i < n; i++) {
        g->a[i] = i % 7 == 0 ? q - 1 : gfp_random_below(&random, q);
        g->b[i] = gfp_random_below(&random, q);
    }
}

static void rig_open(rig *g, uint64_t q, size_t n, const gfp_ntt_options *options)
{
    *g = (rig){.m = {.fail_at = NEVER}};
    g->allocator = meter_hook(&g->m);
    assert_int_equal(gfp_ntt_plan_create(&g->plan, q, n, options, &g->allocator, NULL), GFP_OK);
    g->plan->least = SHORT_SHARE;
    open_vectors(g, q, n);
    g->one = lab_array(n);
    g->other = lab_array(n);
}

static void rig_open_rival(rig *g, size_t n, const gfp_crt_rival_options *options)
{
    gfp_random random;
    *g = (rig){.m = {.fail_at = NEVER}, .n = n};
    g->allocator = meter_hook(&g->m);
    assert_int_equal(gfp_field_create(&g->field, "p4", &g->allocator, NULL), GFP_OK);
    assert_int_equal(gfp_crt_rival_plan_create(&g->rival, g->field, n, options, NULL), GFP_OK);
    for (size_t i = 0; i < g->rival->count; i++) {
        g->rival->ntt[i]->least = SHORT_SHARE;
    }
    g->words = n * gfp_crt_rival_plan_prime_count(g->rival);
    assert_true(g->words >= n * gfp_crt_rival_plan_words(g->rival));
    g->elements = lab_array(n * gfp_field_k(g->field));
    g->residues = lab_array(g->words);
    g->one = lab_array(g->words);
    g->other = lab_array(g->words);
    memset(g->one, 0, g->words * sizeof *g->one);
    memset(g->other, 0, g->words * sizeof *g->other);
    gfp_random_seed(&random, n);
    gfp_vec_random(g->field, g->elements, n, &random);
    assert_int_equal(rival_project(g, g->residues, NULL), GFP_OK);
}

static void rig_close(rig *g)
{
    gfp_ntt_plan_destroy(g->plan);
    gfp_crt_rival_plan_destroy(g->rival);
    gfp_field_destroy(g->field);
    uint64_t *const arrays[] = {g->a, g->b, g->one, g->other, g->elements, g->residues};
    for (size_t i = 0; i < COUNT(arrays); i++) {
        if (arrays[i] != NULL) {
            lab_free(arrays[i]);
        }
    }
    meter_expect_empty(&g->m);
}

/* ---- threads ---- */

/* Returns the words that a call writes: integers may have fewer than residues. */
static size_t words_of(const rig *g, size_t call)
{
    return call < OF_A_PLAN + 2 ? g->words : g->n * gfp_crt_rival_plan_words(g->rival);
}

static void expect_as_one(const rig *g, size_t call, unsigned threads)
{
    const gfp_options options = {.threads = threads};
    memset(g->other, 0x5a, g->words * sizeof *g->other);
    assert_int_equal(calls[call](g, g->other, &options), GFP_OK);
    for (size_t i = 0; i < words_of(g, call); i++) {
        if (g->other[i] != g->one[i]) {
            fail_msg("call %zu, %s, N = %zu, %u threads: word %zu differs", call,
                     g->plan != NULL ? gfp_ntt_form_name(gfp_ntt_plan_form(g->plan)) : "rival",
                     g->n, threads, i);
        }
    }
}

/* In place. */
static void expect_in_place(const rig *g, gfp_order order, bool inverse, unsigned threads)
{
    const gfp_options options = {.threads = threads};
    memcpy(g->other, g->a, g->n * sizeof *g->a);
    assert_int_equal((inverse ? gfp_ntt_inverse : gfp_ntt_forward)(g->plan, g->other, g->other,
                                                                   order, NULL, &options),
                     GFP_OK);
    assert_memory_equal(g->other, g->one, g->n * sizeof *g->one);
}

static void compare_plan(uint64_t q, size_t n, const gfp_ntt_options *options,
                         const unsigned *threads, size_t count)
{
    rig g;
    rig_open(&g, q, n, options);
    for (size_t call = 0; call < OF_A_PLAN; call++) {
        assert_int_equal(calls[call](&g, g.one, NULL), GFP_OK);
        for (size_t i = 0; i < count; i++) {
            expect_as_one(&g, call, threads[i]);
        }
        if (call < TRANSFORMS) {
            expect_in_place(&g, (gfp_order)(call % 2), call / 2 != 0, threads[0]);
        }
    }
    rig_close(&g);
}

/* Every level, form and product, at an even and an odd number of levels, and beyond the points that
 * the blocked form treats level by level. */
static void threads_give_the_residues_of_one(void **state)
{
    static const unsigned threads[] = {3, 2, 7};
    static const unsigned bits[] = {30, 50, 62};
    const gfp_level level = gfp_cpu_level_get();
    (void)state;
    for (int l = 0; l < GFP_LEVEL_COUNT; l++) {
        if (!gfp_cpu_level_force((gfp_level)l)) {
            continue;
        }
        for (size_t i = 0; i < COUNT(bits) * COUNT(forms) * COUNT(products); i++) {
            const uint64_t q = prime_under(bits[i % COUNT(bits)], 16);
            const gfp_ntt_options options = {forms[i / COUNT(bits) % COUNT(forms)],
                                             products[i / COUNT(bits) / COUNT(forms)]};
            if (options.product != GFP_NTT_DOUBLE_QUOTIENT || q >> 30 == 0) {
                compare_plan(q, (size_t)1 << (10 + i % 5), &options, threads, COUNT(threads));
            }
        }
    }
    assert_true(gfp_cpu_level_force(level));
}

/* More threads than blocks of a pass, and numbers that divide nothing. */
static void many_threads(void **state)
{
    static const unsigned threads[] = {16, 7, 64, 5};
    (void)state;
    for (size_t form = 0; form < COUNT(forms); form++) {
        const gfp_ntt_options options = {.form = forms[form]};
        compare_plan(prime_under(50, 19), (size_t)1 << 15, &options, threads,
                     SANITIZED ? 1 : COUNT(threads));
        compare_plan(prime_under(50, 19), 32, &options, threads, 1);
        compare_plan(prime_under(50, 19), 1, &options, threads, 1);
    }
}

static void threads_of_the_rival(void **state)
{
    static const gfp_crt_rival_primes kinds[] = {GFP_CRT_RIVAL_HALF_WORDS, GFP_CRT_RIVAL_WORDS};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const gfp_crt_rival_options options = {.primes = kinds[i / 2],
                                               .ntt = {.form = forms[2 + i % 2]}};
        rig g;
        rig_open_rival(&g, i % 2 == 0 ? 1024 : 2, &options);
        for (size_t call = OF_A_PLAN; call < COUNT(calls); call++) {
            assert_int_equal(calls[call](&g, g.one, NULL), GFP_OK);
            expect_as_one(&g, call, 2);
            expect_as_one(&g, call, 5);
        }
        rig_close(&g);
    }
}

/* A work area of the caller serves as many threads as were asked for. */
static void work_areas_of_the_caller(void **state)
{
    const gfp_options options = {.threads = 3};
    gfp_crt_rival_times times;
    rig g;
    (void)state;
    rig_open_rival(&g, 4096, NULL);
    uint64_t *work = lab_array(gfp_crt_rival_workspace(g.rival, 3) / sizeof *work);
    uint64_t *y = lab_array(g.words);
    assert_true(gfp_crt_rival_workspace(g.rival, 0) == gfp_crt_rival_workspace(g.rival, 1));
    assert_int_equal(rival_forward(&g, g.one, NULL), GFP_OK);
    g.m.calls = 0;
    assert_int_equal(gfp_crt_rival_forward(g.rival, g.other, y, g.elements, &times, work, &options),
                     GFP_OK);
    assert_int_equal(g.m.calls, 0);
    assert_memory_equal(g.one, g.other, g.words * sizeof *g.one);
    lab_free(work);
    lab_free(y);
    rig_close(&g);
}

static void reports_name_the_form_and_the_threads(void **state)
{
    const gfp_ntt_options stockham = {.form = GFP_NTT_STOCKHAM};
    gfp_report report;
    const gfp_options options = {.threads = 2, .report = &report};
    rig g;
    (void)state;
    rig_open(&g, prime_under(50, 16), (size_t)1 << 14, &stockham);
    assert_int_equal(forward_natural(&g, g.other, &options), GFP_OK);
    assert_string_equal(report.method, "stockham");
    assert_int_equal(report.threads, gfp_threads_built_in() ? 2 : 1);
    assert_true(report.multiply_ns > 0);
    rig_close(&g);
    rig_open(&g, prime_under(50, 16), 4, NULL);
    assert_int_equal(forward_natural(&g, g.other, &options), GFP_OK);
    assert_string_equal(report.method, "blocked");
    assert_int_equal(report.threads, 1); /* too short to share */
    rig_close(&g);
    rig_open_rival(&g, 4096, NULL);
    assert_int_equal(rival_forward(&g, g.other, &options), GFP_OK);
    assert_string_equal(report.method, "rival");
    assert_int_equal(report.threads, gfp_threads_built_in() ? 2 : 1);
    rig_close(&g);
}

/* As many threads as the work of all steps of a call feeds, in units: n elements of k = 4 and c
 * primes are 8 c n in the first and the third step, their transforms 11 c n. */
static void the_rival_counts_all_steps(void **state)
{
    static const unsigned expected[] = {1, 2, 1, 4};
    gfp_report report;
    const gfp_options options = {.threads = 4, .report = &report};
    rig g;
    (void)state;
    rig_open_rival(&g, 1024, NULL);
    g.rival->ntt[0]->least = 5.5 * (double)g.words;
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(calls[OF_A_PLAN + i](&g, g.other, &options), GFP_OK);
        assert_int_equal(report.threads, gfp_threads_built_in() ? expected[i] : 1);
    }
    rig_close(&g);
}

/* ---- caps, failing allocations ---- */

static void open_for(rig *g, size_t call)
{
    const gfp_ntt_options stockham = {.form = GFP_NTT_STOCKHAM};
    if (call < OF_A_PLAN) {
        rig_open(g, prime_under(50, 16), (size_t)1 << 12, &stockham);
    } else {
        rig_open_rival(g, 1024, NULL);
    }
}

static size_t least_cap(const rig *g, size_t call)
{
    return call >= OF_A_PLAN    ? gfp_crt_rival_workspace(g->rival, 1)
           : call >= TRANSFORMS ? gfp_ntt_convolution_workspace(g->plan)
                                : gfp_ntt_workspace(g->plan);
}

/* The least cap suffices and is kept, with threads too; less is refused, and so is a call whose
 * allocation fails: the output is unchanged. */
static void caps_are_kept(void **state)
{
    (void)state;
    for (size_t call = 0; call < COUNT(calls); call++) {
        gfp_error error = {0};
        gfp_report report;
        rig g;
        open_for(&g, call);
        const size_t cap = least_cap(&g, call), before = g.m.bytes;
        gfp_options options = {.threads = 5, .memory_cap = cap, .report = &report, .error = &error};
        assert_int_equal(calls[call](&g, g.one, NULL), GFP_OK);
        g.m.peak = g.m.bytes;
        assert_int_equal(calls[call](&g, g.other, &options), GFP_OK);
        assert_memory_equal(g.one, g.other, g.words * sizeof *g.one);
        assert_true(g.m.peak - before <= cap);
        assert_true(call < OF_A_PLAN || report.threads == 1);
        memset(g.one, 0x33, g.words * sizeof *g.one);
        memset(g.other, 0x33, g.words * sizeof *g.other);
        options.memory_cap = cap - 1;
        lab_expect_status(calls[call](&g, g.other, &options), GFP_ERR_MEMORY, &error, "cap");
        assert_non_null(strstr(error.message, "the cap is"));
        options.memory_cap = 0;
        g.m.lasting = true;
        meter_fail_at(&g.m, 0);
        error = (gfp_error){0};
        lab_expect_status(calls[call](&g, g.other, &options), GFP_ERR_MEMORY, &error, "no memory");
        assert_memory_equal(g.one, g.other, g.words * sizeof *g.one);
        g.m.fail_at = NEVER;
        assert_int_equal(g.m.bytes, before);
        rig_close(&g);
    }
}

/* ---- progress ---- */

typedef struct host {
    size_t calls, stop_at;
    double first, second, last;
    bool falls, asked_again;
} host;

static bool step(void *user, double fraction)
{
    host *h = user;
    h->asked_again = h->asked_again || h->calls > h->stop_at;
    h->falls = h->falls || (h->calls > 0 && fraction < h->last) || fraction < 0 || fraction > 1;
    h->first = h->calls == 0 ? fraction : h->first;
    h->second = h->calls == 1 ? fraction : h->second;
    h->last = fraction;
    return h->calls++ != h->stop_at;
}

static void cancel_each(const rig *g, size_t call, unsigned threads)
{
    host h = {.stop_at = NEVER};
    gfp_error error = {0};
    const gfp_progress progress = {step, &h};
    const gfp_options options = {.threads = threads, .error = &error, .progress = &progress};
    memset(g->other, 0, g->words * sizeof *g->other);
    assert_int_equal(calls[call](g, g->other, &options), GFP_OK);
    assert_memory_equal(g->one, g->other, g->words * sizeof *g->one);
    assert_false(h.falls);
    assert_true(h.first >= 0 && h.first <= 0 && h.last >= 1 && h.calls >= 2);
    const size_t blocks = g->m.blocks, bytes = g->m.bytes, all = h.calls;
    for (size_t n = 0; n < all && threads == 1; n++) {
        h = (host){.stop_at = n};
        lab_expect_status(calls[call](g, g->other, &options), GFP_ERR_CANCELLED, &error, "stop");
        assert_int_equal(h.calls, n + 1);
        assert_int_equal(g->m.blocks, blocks);
        assert_int_equal(g->m.bytes, bytes);
    }
    h = (host){.stop_at = 1};
    assert_int_equal(calls[call](g, g->other, &options), GFP_ERR_CANCELLED);
    assert_false(h.asked_again);
    assert_int_equal(g->m.blocks, blocks);
}

/* A report comes from the midst of the first step: a call of one step is not done there. */
static void reports_come_during_the_first_step(void **state)
{
    rig g;
    (void)state;
    rig_open_rival(&g, (size_t)1 << 14, NULL);
    for (size_t call = OF_A_PLAN; call < COUNT(calls); call++) {
        host h = {.stop_at = NEVER};
        const gfp_progress progress = {step, &h};
        const gfp_options options = {.threads = 1, .progress = &progress};
        assert_int_equal(calls[call](&g, g.other, &options), GFP_OK);
        assert_true(h.calls > 2 && h.second > 0 && h.second < 0.9);
    }
    rig_close(&g);
}

static void calls_can_be_cancelled_anywhere(void **state)
{
    (void)state;
    for (size_t form = 0; form < COUNT(forms); form++) {
        const gfp_ntt_options options = {.form = forms[form]};
        rig g;
        rig_open(&g, prime_under(50, 18), (size_t)1 << 16, &options);
        for (size_t call = 0; call < OF_A_PLAN; call++) {
            assert_int_equal(calls[call](&g, g.one, NULL), GFP_OK);
            cancel_each(&g, call, 1);
            cancel_each(&g, call, 3);
        }
        rig_close(&g);
    }
    rig g;
    rig_open_rival(&g, 4096, NULL);
    for (size_t call = OF_A_PLAN; call < COUNT(calls); call++) {
        memset(g.one, 0, g.words * sizeof *g.one);
        assert_int_equal(calls[call](&g, g.one, NULL), GFP_OK);
        cancel_each(&g, call, 1);
        cancel_each(&g, call, 3);
    }
    rig_close(&g);
}

/* ---- options without a meaning ---- */

static void methods_and_verifications_are_refused(void **state)
{
    (void)state;
    for (size_t call = 0; call < COUNT(calls); call++) {
        gfp_error error = {0};
        gfp_options options = {.method = "hybrid", .error = &error};
        rig g;
        open_for(&g, call);
        lab_expect_status(calls[call](&g, g.other, &options), GFP_ERR_UNKNOWN, &error, "method");
        options = (gfp_options){.verify = GFP_VERIFY_POINT, .error = &error};
        lab_expect_status(calls[call](&g, g.other, &options), GFP_ERR_UNAVAILABLE, &error,
                          "verify");
        options = (gfp_options){.verify = (gfp_verify)3, .error = &error};
        lab_expect_status(calls[call](&g, g.other, &options), GFP_ERR_ARGUMENT, &error, "verify");
        options = (gfp_options){.method = "auto"};
        assert_int_equal(calls[call](&g, g.other, &options), GFP_OK);
        rig_close(&g);
    }
    /* 97 - 1 = 3 2^5 */
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    rig g;
    rig_open(&g, 97, 32, NULL);
    lab_expect_status(negacyclic(&g, g.other, &options), GFP_ERR_NO_ROOT, &error, "X^32 + 1");
    rig_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_residues_of_one),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(threads_of_the_rival),
        cmocka_unit_test(work_areas_of_the_caller),
        cmocka_unit_test(reports_name_the_form_and_the_threads),
        cmocka_unit_test(the_rival_counts_all_steps),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(reports_come_during_the_first_step),
        cmocka_unit_test(calls_can_be_cancelled_anywhere),
        cmocka_unit_test(methods_and_verifications_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
