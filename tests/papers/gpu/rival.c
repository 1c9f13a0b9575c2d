/* rival.c: the papers' rival on the device against the CPU's, digit for digit: projection,
 * transforms and recombination, every field, every form. Skipped where there is no device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <string.h>

#include "gfpoly/gpu_papers.h"
#include "field/base/word.h"
#include "papers/gpu/backend.h"
#include "papers/rival/half.h"
#include "gpu/measure.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static gfp_gpu *gpu;

/* ---- a plan on either side ---- */

typedef struct stage {
    const lab *l;
    gfp_half_rival twin;
    gfp_gpu_rival_plan *plan;
    size_t n, s, words;
    uint64_t *x;
    gfp_gpu_array *dx, *dy, *dz;
} stage;

static void stage_open(stage *w, const lab *l, size_t n, const gfp_gpu_rival_options *options)
{
    gfp_error error = {0};

    *w = (stage){.l = l, .n = n};
    assert_int_equal(gfp_half_rival_init(&w->twin, l->field, gfp_ctz64(n), NULL), GFP_OK);
    if (gfp_gpu_rival_plan_create(&w->plan, gpu, l->field, n, options, &error) != GFP_OK) {
        fail_msg("%s, n = %zu: %s", l->entry->text, n, error.message);
    }
    w->s = gfp_gpu_rival_plan_prime_count(w->plan);
    w->words = gfp_gpu_rival_plan_words(w->plan);
    w->x = lab_vector(l, n, 0);
    w->dx = gpu_lab_array(gpu, n * l->k);
    w->dy = gpu_lab_array(gpu, n * w->s);
    w->dz = gpu_lab_array(gpu, n * w->words);
    assert_int_equal(gfp_gpu_upload(w->dx, 0, w->x, n * l->k, NULL), GFP_OK);
}

static void stage_close(stage *w)
{
    lab_free(w->x);
    gfp_gpu_array_destroy(w->dx);
    gfp_gpu_array_destroy(w->dy);
    gfp_gpu_array_destroy(w->dz);
    gfp_gpu_rival_plan_destroy(w->plan);
    gfp_half_rival_clear(&w->twin);
}

static void check_queries(const stage *w)
{
    assert_int_equal(w->s, w->twin.count);
    assert_int_equal(w->words, w->twin.words);
}

static void expect_words(const stage *w, const gfp_gpu_array *array, const uint64_t *expected,
                         size_t each, const char *what)
{
    uint64_t *got = lab_array(w->n * each);

    assert_int_equal(gfp_gpu_download(got, array, 0, w->n * each, NULL), GFP_OK);
    for (size_t i = 0; i < w->n * each; i++) {
        if (got[i] != expected[i]) {
            fail_msg("%s, n = %zu, %zu primes: %s: word %zu is %llx, not %llx", w->l->entry->text,
                     w->n, w->s, what, i, (unsigned long long)got[i],
                     (unsigned long long)expected[i]);
        }
    }
    lab_free(got);
}

/* ---- all steps ---- */

/* The residues and integers of the CPU. */
static void run_twin(const stage *w, const uint64_t *x, uint64_t *y, uint64_t *z)
{
    uint64_t *work = lab_array(w->n);

    gfp_half_rival_project(&w->twin, y, x, w->n);
    gfp_half_rival_transform(&w->twin, y, w->n, work);
    gfp_half_rival_recombine(&w->twin, z, y, w->n);
    lab_free(work);
}

static void check_steps(stage *w)
{
    uint64_t *y = lab_array(w->n * w->s);
    uint64_t *z = lab_array(w->n * w->words);

    run_twin(w, w->x, y, z);
    assert_int_equal(gfp_gpu_rival_forward(w->plan, w->dz, w->dy, w->dx), GFP_OK);
    expect_words(w, w->dy, y, w->s, "residues");
    expect_words(w, w->dz, z, w->words, "integers");
    assert_int_equal(gfp_gpu_clear(w->dy, w->n * w->s, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_rival_forward(w->plan, NULL, w->dy, w->dx), GFP_OK);
    expect_words(w, w->dy, y, w->s, "without recombination");
    lab_free(y);
    lab_free(z);
}

static void every_field(void **state)
{
    static const size_t lengths[] = {1, 2, 32, 256};

    (void)state;
    gpu = gpu_lab_open();
    for (size_t f = 0; f < oracle_field_count; f++) {
        for (size_t i = 0; i < COUNT(lengths) && !gpu_lab_skips(f); i++) {
            const gfp_gpu_rival_options options = {.form = (gfp_ntt_form)(i % 4)};
            stage w;
            stage_open(&w, &lab_fields[f], lengths[i], &options);
            check_queries(&w);
            check_steps(&w);
            stage_close(&w);
        }
    }
    gpu_lab_close(gpu);
}

static void every_form(void **state)
{
    (void)state;
    gpu = gpu_lab_open();
    for (int form = GFP_NTT_BLOCKED; form <= GFP_NTT_STOCKHAM; form++) {
        const gfp_gpu_rival_options options = {.form = (gfp_ntt_form)form};
        stage w;
        stage_open(&w, lab_named("p8"), 512, &options);
        check_steps(&w);
        stage_close(&w);
    }
    gpu_lab_close(gpu);
}

/* dz := the integers with the residues dy. */
static gfp_status recombine_alone(const stage *w)
{
    GFP_GPU_RETURN(gpu, false,
                   gfp_papers_backend_of(gpu)->rival->recombine(w->plan, w->dz->data, w->dy->data));
}

/* The integers at the ends of [0, Q), and those around multiples of Q/q. */
static void integers_at_the_ends(void **state)
{
    static const char *const names[] = {"p2", "p8", "p32", "m16"};

    (void)state;
    gpu = gpu_lab_open();
    for (size_t i = 0; i < COUNT(names); i++) {
        const gfp_gpu_rival_options options = {.form = GFP_NTT_BLOCKED};
        stage w;
        stage_open(&w, lab_named(names[i]), 64, &options);
        uint64_t *y = lab_array(w.n * w.s);
        uint64_t *z = lab_array(w.n * w.words);
        mpz_t value, modulus;
        mpz_inits(value, modulus, NULL);
        oracle_set_words(modulus, w.twin.modulus, w.words);
        for (size_t j = 0; j < w.n; j++) {
            mpz_fdiv_q_ui(value, modulus, w.twin.prime[j % w.s].q);
            mpz_mul_ui(value, value, j / 4 % 7);
            if (j % 4 < 2) {
                mpz_sub_ui(value, modulus, 1 + j / 4);
            }
            if (j % 4 == 3) {
                mpz_sub_ui(value, value, 1);
                mpz_mod(value, value, modulus);
            }
            for (size_t p = 0; p < w.s; p++) {
                y[p * w.n + j] = mpz_fdiv_ui(value, w.twin.prime[p].q);
            }
        }
        mpz_clears(value, modulus, NULL);
        gfp_half_rival_recombine(&w.twin, z, y, w.n);
        assert_int_equal(gfp_gpu_upload(w.dy, 0, y, w.n * w.s, NULL), GFP_OK);
        assert_int_equal(recombine_alone(&w), GFP_OK);
        expect_words(&w, w.dz, z, w.words, "recombination at the ends");
        lab_free(y);
        lab_free(z);
        stage_close(&w);
    }
    gpu_lab_close(gpu);
}

static void long_vectors(void **state)
{
    const gfp_gpu_rival_options options = {.form = GFP_NTT_BLOCKED};
    stage w;

    (void)state;
    gpu = gpu_lab_open();
    stage_open(&w, lab_named("p8"), 1 << 16, &options);
    check_steps(&w);
    stage_close(&w);
    gpu_lab_close(gpu);
}

/* ---- batches ---- */

/* Compares `each` arrays of N words per vector, arrays of all vectors side by side, with the CPU's
 * for one vector. */
static void expect_vector(const stage *w, const gfp_gpu_array *array, size_t batch, size_t vector,
                          const uint64_t *expected, const char *what)
{
    uint64_t *got = lab_array(w->n);

    for (size_t i = 0; i < w->s; i++) {
        assert_int_equal(gfp_gpu_download(got, array, (i * batch + vector) * w->n, w->n, NULL),
                         GFP_OK);
        if (memcmp(got, expected + i * w->n, w->n * sizeof *got) != 0) {
            fail_msg("%s, %zu of %zu vectors, prime %zu: %s differs", w->l->entry->text, vector,
                     batch, i, what);
        }
    }
    lab_free(got);
}

/* Vectors of a batch, and runs from a graph, give what single vectors give. */
static void check_batch(const lab *l, gfp_ntt_form form, size_t n, size_t batch)
{
    const gfp_gpu_rival_options options = {.form = form, .batch = batch};
    gfp_gpu_rival_plan *plan = NULL;
    gfp_gpu_graph *graph = NULL;
    gfp_error error = {0};
    stage w;

    stage_open(&w, l, n, &(gfp_gpu_rival_options){.form = form});
    if (gfp_gpu_rival_plan_create(&plan, gpu, l->field, n, &options, &error) != GFP_OK) {
        fail_msg("%s, %zu vectors: %s", l->entry->text, batch, error.message);
    }
    const size_t x_words = n * l->k, y_words = n * w.s, z_words = n * w.words;
    uint64_t *x = lab_vector(l, n * batch, 0);
    uint64_t *y = lab_array(y_words), *z = lab_array(z_words), *got = lab_array(z_words);
    gfp_gpu_array *dx = gpu_lab_array(gpu, x_words * batch),
                  *dy = gpu_lab_array(gpu, y_words * batch);
    gfp_gpu_array *dz = gpu_lab_array(gpu, z_words * batch);
    assert_int_equal(gfp_gpu_upload(dx, 0, x, x_words * batch, NULL), GFP_OK);
    if (batch > 1) { /* one vector is too short */
        assert_int_equal(gfp_gpu_rival_forward(plan, dz, dy, w.dx), GFP_ERR_ARGUMENT);
    }
    assert_int_equal(gfp_gpu_rival_forward(plan, dz, dy, dx), GFP_OK);
    for (int run = 0; run < 2; run++) {
        for (size_t i = 0; i < batch; i++) {
            run_twin(&w, x + i * x_words, y, z);
            expect_vector(&w, dy, batch, i, y, run == 0 ? "a batch" : "a graph");
            assert_int_equal(gfp_gpu_download(got, dz, i * z_words, z_words, NULL), GFP_OK);
            assert_memory_equal(got, z, z_words * sizeof *z);
        }
        if (run == 0) {
            assert_int_equal(gfp_gpu_capture_begin(gpu), GFP_OK);
            assert_int_equal(gfp_gpu_rival_forward(plan, dz, dy, dx), GFP_OK);
            assert_int_equal(gfp_gpu_capture_end(gpu, &graph), GFP_OK);
            assert_int_equal(gfp_gpu_clear(dy, y_words * batch, NULL), GFP_OK);
            assert_int_equal(gfp_gpu_clear(dz, z_words * batch, NULL), GFP_OK);
            assert_int_equal(gfp_gpu_graph_launch(graph), GFP_OK);
        }
    }
    gfp_gpu_graph_destroy(graph);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dy);
    gfp_gpu_array_destroy(dz);
    gfp_gpu_rival_plan_destroy(plan);
    lab_free(x);
    lab_free(y);
    lab_free(z);
    lab_free(got);
    stage_close(&w);
}

static void rival_batches(void **state)
{
    static const size_t counts[] = {1, 3, 16};

    (void)state;
    gpu = gpu_lab_open();
    for (int form = GFP_NTT_BLOCKED; form <= GFP_NTT_STOCKHAM; form++) {
        for (size_t i = 0; i < COUNT(counts); i++) {
            check_batch(lab_named("p8"), (gfp_ntt_form)form, 64, counts[i]);
        }
    }
    check_batch(lab_named("p16"), GFP_NTT_BLOCKED, 1, 5);
    check_batch(lab_named("m4"), GFP_NTT_STOCKHAM, 256, 7);
    gpu_lab_close(gpu);
}

/* ---- mistakes ---- */

static void expect_refused(size_t n, gfp_gpu_rival_options options, gfp_status status,
                           const char *what)
{
    gfp_error error = {0};
    gfp_gpu_rival_plan *plan = NULL;
    const size_t before = gfp_gpu_memory_used(gpu);

    lab_expect_status(
        gfp_gpu_rival_plan_create(&plan, gpu, lab_named("p8")->field, n, &options, &error), status,
        &error, what);
    assert_null(plan);
    assert_int_equal(gfp_gpu_memory_used(gpu), before);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    gpu = gpu_lab_open();
    expect_refused(0, (gfp_gpu_rival_options){0}, GFP_ERR_ARGUMENT, "length 0");
    expect_refused(24, (gfp_gpu_rival_options){0}, GFP_ERR_ARGUMENT, "length 24");
    expect_refused(8, (gfp_gpu_rival_options){.form = (gfp_ntt_form)7}, GFP_ERR_ARGUMENT, "form");
    expect_refused((size_t)1 << 24, (gfp_gpu_rival_options){0}, GFP_ERR_UNAVAILABLE,
                   "too few half words");
    expect_refused((size_t)1 << 62, (gfp_gpu_rival_options){0}, GFP_ERR_SIZE, "2^62");
    expect_refused(8, (gfp_gpu_rival_options){.batch = SIZE_MAX / 8}, GFP_ERR_SIZE, "2^61 vectors");
    stage w;
    stage_open(&w, lab_named("p8"), 8, &(gfp_gpu_rival_options){0});
    assert_int_equal(gfp_gpu_rival_forward(w.plan, w.dz, w.dx, w.dx), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_rival_forward(w.plan, w.dy, w.dy, w.dx), GFP_ERR_ARGUMENT);
    stage_close(&w);
    gpu_lab_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),          cmocka_unit_test(every_form),
        cmocka_unit_test(integers_at_the_ends), cmocka_unit_test(long_vectors),
        cmocka_unit_test(rival_batches),        cmocka_unit_test(mistakes_are_refused),
    };

    if (lab_is_short()) {
        cmocka_set_skip_filter("long_*");
    }
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
