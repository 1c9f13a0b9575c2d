/* fft.c: transforms over Z/pZ on the device against the CPU, digit for digit: every form
 * that serves the field and length, every test field, order, placement and batch;
 * arrays beyond 2^32 bytes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <stdio.h>
#include <string.h>

#include "lab/rows.h"
#include "gfpoly/gpu_papers.h"
#include "gpu/arrays.h"
#include "gpu/measure.h"
#include "fft/task.h"

/* Numbers below OURS are forms of gpu.h. A plug-in has no forms of the papers. */
#define PAPERS_SERVE (GFP_CUDA_PLUGIN == 0)
enum { PAPERS = GFP_GPU_FFT_REFERENCE + 1, PAPERS_SPLIT, FORMS, OURS = PAPERS };

static const char *form_name(size_t form)
{
    return form < OURS      ? gfp_gpu_fft_form_name((gfp_gpu_fft_form)form)
           : form == PAPERS ? "papers"
                            : "papers-split";
}

static gfp_status create_plan(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                              size_t n, size_t form, const gfp_gpu_papers_fft_options *options,
                              gfp_error *error)
{
    const gfp_gpu_fft_options ours = {.batch = options->batch, .form = (gfp_gpu_fft_form)form};
    gfp_gpu_papers_fft_options theirs = *options;
    theirs.split = form == PAPERS_SPLIT;
    return form < OURS
               ? gfp_gpu_fft_plan_create(plan, gpu, field, n, &ours, &(gfp_options){.error = error})
               : gfp_gpu_papers_fft_create(plan, gpu, field, n, &theirs, error);
}

/* A field, N = 2^m, a batch, and every form's plan for them (NULL if the form does not serve). */
typedef struct rig {
    const lab *l;
    gfp_gpu *gpu;
    unsigned m;
    size_t n, batch, words; /* of the whole batch */
    gfp_fft_plan *cpu;
    gfp_gpu_fft_plan *plan[FORMS];
    gfp_gpu_array *in, *out;
} rig;

static bool is_power_of(size_t n, size_t base)
{
    while (n > 1 && n % base == 0) {
        n /= base;
    }
    return n == 1;
}

/* Whether FAST has kernels for the field and 2^m points, on devices with 96 KiB of shared memory
 * for a block: gpu/cuda/transform/sliced.cu and gpu/cuda/transform/wide.cu have all named fields
 * and those after the first ORACLE_FIELDS, but gpu/cuda/transform/wide.cu, which has single points,
 * has k >= 4 only. */
static bool fast_serves(const rig *g)
{
    gfp_gpu_info info;
    gpu_lab_ok(g->gpu, gfp_gpu_get_info(&info, g->gpu, NULL), "info");
    return info.capability_major >= 8 &&
           (g->l->entry->named ? g->l->k > 2 || g->m > 0
                               : g->l->entry >= oracle_fields + ORACLE_FIELDS && g->m > 0);
}

static void open_plan(rig *g, size_t form)
{
    gfp_gpu_papers_fft_options options = {.batch = g->batch};
    const bool serves =
        form < OURS || (PAPERS_SERVE && g->n > 1 && is_power_of(g->n, 2 * (size_t)g->l->k));
    gfp_error error = {.message = ""};
    g->plan[form] = NULL;
    const size_t before = gfp_gpu_memory_used(g->gpu);
    gfp_status status =
        create_plan(&g->plan[form], g->gpu, g->l->field, g->n, form, &options, &error);
    if (form == GFP_GPU_FFT_FAST && status == GFP_ERR_UNAVAILABLE) {
        if (fast_serves(g)) {
            fail_msg("%s, 2^%u points: %s", g->l->entry->text, g->m, error.message);
        }
        return;
    }
    lab_expect_status(status, serves ? GFP_OK : GFP_ERR_UNAVAILABLE, &error, g->l->entry->text);
    if (serves) {
        assert_int_equal(gfp_gpu_fft_plan_bytes(g->plan[form]),
                         gfp_gpu_memory_used(g->gpu) - before);
        const gfp_gpu_fft_form made = gfp_gpu_fft_plan_form(g->plan[form]);
        assert_true(form == GFP_GPU_FFT_AUTO ? made != GFP_GPU_FFT_AUTO
                                             : made == (form < OURS ? form : GFP_GPU_FFT_AUTO));
    }
}

static void rig_open(rig *g, gfp_gpu *gpu, const lab *l, unsigned m, size_t batch)
{
    *g = (rig){.l = l, .gpu = gpu, .m = m, .n = (size_t)1 << m, .batch = batch};
    g->words = batch * g->n * l->k;
    assert_int_equal(gfp_fft_plan_create(&g->cpu, l->field, g->n, NULL), GFP_OK);
    for (size_t form = 0; form < FORMS; form++) {
        open_plan(g, form);
    }
    g->in = gpu_lab_array(gpu, g->words);
    g->out = gpu_lab_array(gpu, g->words);
}

static void rig_close(rig *g)
{
    for (size_t form = 0; form < FORMS; form++) {
        gfp_gpu_fft_plan_destroy(g->plan[form]);
    }
    gfp_gpu_array_destroy(g->in);
    gfp_gpu_array_destroy(g->out);
    gfp_fft_plan_destroy(g->cpu);
}

static void fft_upload(const rig *g, gfp_gpu_array *array, const uint64_t *x)
{
    gpu_lab_ok(g->gpu, gfp_gpu_upload(array, 0, x, g->words, NULL), "upload");
}

static void fft_expect(const rig *g, size_t form, const gfp_gpu_array *array,
                       const uint64_t *expected, const char *what)
{
    char text[80];
    (void)snprintf(text, sizeof text, "%s, %s, batch %zu", form_name(form), what, g->batch);
    gpu_lab_expect(g->l, array, expected, g->batch * g->n, text, g->n, 0);
}

/* Both directions, in place and not. The input of calls out of place stays as it is. */
static void check_form(const rig *g, size_t form, gfp_order order, const uint64_t *x,
                       const uint64_t *y)
{
    gfp_gpu_fft_plan *plan = g->plan[form];
    fft_upload(g, g->in, x);
    gpu_lab_ok(g->gpu, gfp_gpu_fft_run(g->out, g->in, GFP_FORWARD, order, plan, NULL), "forward");
    fft_expect(g, form, g->out, y, "forward");
    fft_expect(g, form, g->in, x, "input of forward");
    gpu_lab_ok(g->gpu, gfp_gpu_fft_run(g->in, g->in, GFP_FORWARD, order, plan, NULL), "forward");
    fft_expect(g, form, g->in, y, "forward in place");
    gpu_lab_ok(g->gpu, gfp_gpu_fft_run(g->out, g->in, GFP_INVERSE, order, plan, NULL), "inverse");
    fft_expect(g, form, g->out, x, "inverse");
    fft_expect(g, form, g->in, y, "input of inverse");
    gpu_lab_ok(g->gpu, gfp_gpu_fft_run(g->in, g->in, GFP_INVERSE, order, plan, NULL), "inverse");
    fft_expect(g, form, g->in, x, "inverse in place");
}

static void check_input(const rig *g, const uint64_t *x)
{
    uint64_t *y = lab_array(g->words);
    for (int order = lab_is_short(); order <= GFP_ORDER_PERMUTED; order++) {
        const size_t step = g->n * g->l->k;
        for (size_t b = 0; b < g->batch; b++) {
            assert_int_equal(gfp_fft_run(y + b * step, x + b * step, GFP_FORWARD, (gfp_order)order,
                                         g->cpu, NULL),
                             GFP_OK);
        }
        for (size_t form = 0; form < FORMS; form++) {
            if (g->plan[form] != NULL) {
                check_form(g, form, (gfp_order)order, x, y);
            }
        }
    }
    lab_free(y);
}

/* Samples one after another, and each of some extremes everywhere. */
static void check_extremes(const rig *g)
{
    const size_t n = g->batch * g->n;
    uint64_t *x = lab_vector(g->l, n, 0);
    check_input(g, x);
    for (size_t i = 0; i < g->l->extremes; i += 1 + g->l->extremes / 4) {
        for (size_t e = 0; e < n; e++) {
            memcpy(x + e * g->l->k, lab_sample(g->l, i), g->l->k * sizeof *x);
        }
        check_input(g, x);
    }
    lab_free(x);
}

static void check_random(const rig *g, uint64_t seed)
{
    uint64_t *x = gpu_lab_random(g->l, g->batch * g->n, seed);
    check_input(g, x);
    lab_free(x);
}

/* Few elements that are not 0, and the powers of a root: one output that is not 0. */
static void check_structured(const rig *g)
{
    const size_t k = g->l->k, n = g->batch * g->n;
    uint64_t *x = lab_array(g->words), root[GFP_MAX_K];
    gfp_vec_zero(g->l->field, x, n);
    for (size_t i = 0; i < n; i += 1 + n / 3) {
        memcpy(x + i * k, lab_sample(g->l, i), k * sizeof *x);
    }
    check_input(g, x);
    assert_int_equal(gfp_field_root(g->l->field, root, g->m), GFP_OK);
    gfp_elem_one(g->l->field, x);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_mul(g->l->field, x + i * k, x + (i - 1) * k, root);
    }
    check_input(g, x);
    lab_free(x);
}

static void check_everything(const rig *g)
{
    check_extremes(g);
    check_random(g, 7 * g->m + g->batch);
    check_structured(g);
}

static void check_once(const rig *g)
{
    check_random(g, 3 * g->m);
}

/* Short tests: N = 2k, and where it is not long (2k)^2. */
static bool is_in_short_tests(const lab *l, unsigned m)
{
    const size_t base = 2 * (size_t)l->k, n = (size_t)1 << m;
    return n == base || (n == base * base && n <= 256);
}

/* N = 1, 2, 4, ... for every field while N divides p - 1 and N k <= digits. */
static void for_each_length(size_t digits, size_t batch, void (*check)(const rig *g))
{
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (unsigned m = 0; m <= gfp_field_v2_order(l->field) && !gpu_lab_skips(f); m++) {
            rig g;
            if (lab_is_short() ? m > 9 : ((size_t)l->k << m) > digits && m > 1) {
                break;
            }
            if (!lab_is_short() || is_in_short_tests(l, m)) {
                rig_open(&g, gpu, l, m, batch);
                (lab_is_short() && check == check_everything ? check_once : check)(&g);
                rig_close(&g);
            }
        }
    }
    gpu_lab_close(gpu);
}

static void short_transforms_agree_with_the_cpu(void **state)
{
    (void)state;
    for_each_length((size_t)1 << 13, 1, check_everything);
}

/* Lengths of one, two and three passes, over radices at the ends of the kernels' range. */
static void unnamed_fields_agree_with_the_cpu(void **state)
{
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t f = ORACLE_FIELDS; f < ORACLE_ALL; f++) {
        const lab *l = lab_named(oracle_fields[f].text);
        for (unsigned m = lab_is_short() ? 8 : 1; m <= 17; m += m < 8 ? 1 : 9) {
            rig g;
            rig_open(&g, gpu, l, m, m == 8 ? 3 : 1);
            (lab_is_short() || m > 8 ? check_once : check_everything)(&g);
            rig_close(&g);
        }
    }
    gpu_lab_close(gpu);
}

static void batches_agree_with_the_cpu(void **state)
{
    (void)state;
    if (!gpu_lab_serial()) {
        for_each_length((size_t)1 << 11, 5, check_everything);
    }
}

static void long_transforms_agree_with_the_cpu(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    if (lab_is_short()) {
        gpu_lab_close(gpu);
        skip();
    }
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (l->entry->named) {
            for (unsigned m = 10; (size_t)l->k << m <= (size_t)1 << 19; m++) {
                rig g;
                if (m <= gfp_field_v2_order(l->field) && (size_t)l->k << m > (size_t)1 << 13) {
                    rig_open(&g, gpu, l, m, 1);
                    check_once(&g);
                    rig_close(&g);
                }
            }
        }
    }
    gpu_lab_close(gpu);
}

/* ---- graphs, times ---- */

static void captured_transforms_are_the_same(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    rig g;
    (void)state;
    rig_open(&g, gpu, &lab_fields[2], 8, 2); /* p8, N = 16^2 */
    uint64_t *x = gpu_lab_random(g.l, g.batch * g.n, 1), *y = lab_array(g.words);
    for (size_t b = 0; b < g.batch; b++) {
        const size_t at = b * g.n * g.l->k;
        assert_int_equal(gfp_fft_run(y + at, x + at, GFP_FORWARD, GFP_ORDER_PERMUTED, g.cpu, NULL),
                         GFP_OK);
    }
    for (size_t form = 0; form < FORMS; form++) {
        gfp_gpu_graph *graph = NULL;
        if (g.plan[form] == NULL) {
            continue;
        }
        gpu_lab_ok(gpu, gfp_gpu_clear(g.out, g.words, NULL), "clear");
        gpu_lab_ok(gpu, gfp_gpu_capture_begin(gpu), "capture");
        gpu_lab_ok(
            gpu, gfp_gpu_fft_run(g.out, g.in, GFP_FORWARD, GFP_ORDER_PERMUTED, g.plan[form], NULL),
            "");
        gpu_lab_ok(gpu, gfp_gpu_capture_end(gpu, &graph), "end of capture");
        fft_upload(&g, g.in, x);
        gpu_lab_ok(gpu, gfp_gpu_graph_launch(graph), "launch");
        fft_expect(&g, form, g.out, y, "graph");
        gfp_gpu_graph_destroy(graph);
    }
    lab_free(x);
    lab_free(y);
    rig_close(&g);
    gpu_lab_close(gpu);
}

static double sum_of_times(const gfp_gpu_times *times, unsigned *kernels)
{
    double ms = 0;
    *kernels = 0;
    for (unsigned i = 0; i < times->count; i++) {
        assert_non_null(times->step[i].name);
        assert_true(times->step[i].ms >= 0);
        assert_int_equal(times->step[i].kernels == 0, times->step[i].ms == 0);
        ms += times->step[i].ms;
        *kernels += times->step[i].kernels;
    }
    return ms;
}

/* Launches of a forward transform of K^e: two at the edges, (e - 1) permutations before and twice
 * as many between the levels, e - 1 twiddles, and base cases of one launch or of all their stages.
 */
static void expect_steps(gfp_gpu *gpu, const lab *l, size_t form, unsigned base_log)
{
    enum { LEVELS = 3 };
    const gfp_gpu_papers_fft_options options = {.timed = true};
    const size_t n = (size_t)1 << (LEVELS * base_log);
    const unsigned base = form == PAPERS ? 1 : 2 * base_log;
    gfp_gpu_fft_plan *plan = NULL;
    gfp_gpu_times times;
    unsigned kernels;
    gfp_gpu_array *x = gpu_lab_array(gpu, n * l->k);
    gpu_lab_ok(gpu, gfp_gpu_clear(x, n * l->k, NULL), "clear");
    gpu_lab_ok(gpu, create_plan(&plan, gpu, l->field, n, form, &options, NULL), "plan");
    assert_int_equal(gfp_gpu_papers_fft_times(plan, &times), GFP_ERR_ARGUMENT);
    for (int round = 0; round < 2; round++) { /* each call by itself */
        gpu_lab_ok(gpu, gfp_gpu_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL),
                   "forward");
        gpu_lab_ok(gpu, gfp_gpu_papers_fft_times(plan, &times), "times");
        assert_true(sum_of_times(&times, &kernels) > 0);
        assert_int_equal(kernels, 2 + (LEVELS - 1) * 4 + LEVELS * base);
    }
    gpu_lab_ok(gpu, gfp_gpu_fft_run(x, x, GFP_INVERSE, GFP_ORDER_NATURAL, plan, NULL), "inverse");
    gpu_lab_ok(gpu, gfp_gpu_papers_fft_times(plan, &times), "times");
    assert_true(sum_of_times(&times, &kernels) > 0);
    assert_int_equal(kernels, 2 + (LEVELS - 1) * 4 + LEVELS * base + 1);
    assert_int_equal(gfp_gpu_capture_begin(gpu), GFP_OK);
    assert_int_equal(gfp_gpu_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL),
                     GFP_ERR_ARGUMENT);
    gfp_gpu_graph *graph = NULL;
    gpu_lab_ok(gpu, gfp_gpu_capture_end(gpu, &graph), "end of capture");
    gfp_gpu_graph_destroy(graph);
    gfp_gpu_fft_plan_destroy(plan);
    gfp_gpu_array_destroy(x);
}

static void steps_of_the_papers_form_are_timed(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_gpu_fft_plan *plan = NULL;
    gfp_gpu_times times;
    (void)state;
    if (!PAPERS_SERVE) {
        gpu_lab_close(gpu);
        skip();
    }
    expect_steps(gpu, &lab_fields[1], PAPERS, 3); /* p4, K = 8 */
    expect_steps(gpu, &lab_fields[1], PAPERS_SPLIT, 3);
    expect_steps(gpu, &lab_fields[2], PAPERS, 4);
    expect_steps(gpu, &lab_fields[2], PAPERS_SPLIT, 4);
    gpu_lab_ok(gpu, gfp_gpu_fft_plan_create(&plan, gpu, lab_fields[2].field, 16, NULL, NULL),
               "plan");
    assert_int_equal(gfp_gpu_papers_fft_times(plan, &times), GFP_ERR_ARGUMENT);
    gfp_gpu_fft_plan_destroy(plan);
    gpu_lab_close(gpu);
}

/* ---- threads of a block ---- */

/* A plan with blocks of this size gives y, in place, and its inverse x. */
static void expect_blocks(gfp_gpu *gpu, const lab *l, size_t n, size_t form, unsigned threads,
                          const uint64_t *x, const uint64_t *y)
{
    const gfp_gpu_papers_fft_options options = {.threads = threads};
    gfp_gpu_fft_plan *plan = NULL;
    gfp_gpu_array *array = gpu_lab_array(gpu, n * l->k);
    gpu_lab_ok(gpu, create_plan(&plan, gpu, l->field, n, form, &options, NULL), "plan");
    gpu_lab_ok(gpu, gfp_gpu_upload(array, 0, x, n * l->k, NULL), "upload");
    gpu_lab_ok(gpu, gfp_gpu_fft_run(array, array, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL),
               "forward");
    gpu_lab_expect(l, array, y, n, "blocks", threads, form);
    gpu_lab_ok(gpu, gfp_gpu_fft_run(array, array, GFP_INVERSE, GFP_ORDER_NATURAL, plan, NULL),
               "inverse");
    gpu_lab_expect(l, array, x, n, "blocks, inverse", threads, form);
    gfp_gpu_fft_plan_destroy(plan);
    gfp_gpu_array_destroy(array);
}

static void blocks_of_any_size_give_the_same(void **state)
{
    static const char *const names[] = {"p4", "p8", "p16", "p128"};
    static const unsigned sizes[] = {0, 64, 128, 256, 512}, wrong[] = {1, 32, 96, 1024, ~0U};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        const size_t base = 2 * (size_t)l->k, n = l->k < 128 ? base * base : base;
        uint64_t *x = lab_vector(l, n, i), *y = lab_array(n * l->k);
        gfp_fft_plan *cpu = NULL;
        gfp_gpu_fft_plan *plan = NULL;
        assert_int_equal(gfp_fft_plan_create(&cpu, l->field, n, NULL), GFP_OK);
        assert_int_equal(gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, cpu, NULL), GFP_OK);
        gfp_fft_plan_destroy(cpu);
        for (size_t j = 0; LAB_ROW(sizes, j); j++) {
            if (sizes[j] == 0 || sizes[j] >= l->k) {
                expect_blocks(gpu, l, n, PAPERS, sizes[j], x, y);
                expect_blocks(gpu, l, n, PAPERS_SPLIT, sizes[j], x, y);
            }
        }
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0] + (l->k > 64); j++) {
            const bool small = j == sizeof wrong / sizeof wrong[0]; /* a base case has k threads */
            const gfp_gpu_papers_fft_options options = {.threads = small ? 64 : wrong[j]};
            gfp_error error = {.message = ""};
            lab_expect_status(create_plan(&plan, gpu, l->field, n, PAPERS, &options, &error),
                              GFP_ERR_ARGUMENT, &error, "threads of a block");
            assert_null(plan);
        }
        lab_free(x);
        lab_free(y);
    }
    gpu_lab_close(gpu);
}

/* ---- beyond 2^32 bytes ---- */

#define HUGE_LOG 24
#define HUGE_BATCH ((size_t)5)

/* The delta of transform b of the batch: c at this place. */
static size_t delta_place(size_t b)
{
    return ((size_t)1 << HUGE_LOG) / 7 * b + 12345;
}

/* Output i of transform b in natural order is c w^(i place). */
static void expect_power(const lab *l, const gfp_gpu_array *array, size_t b, size_t i,
                         const char *what)
{
    const size_t n = (size_t)1 << HUGE_LOG;
    const uint64_t exponent = i * delta_place(b) % n;
    uint64_t expected[GFP_MAX_K], got[GFP_MAX_K];
    assert_int_equal(gfp_field_root(l->field, expected, HUGE_LOG), GFP_OK);
    gfp_elem_pow(l->field, expected, expected, &exponent, 1);
    gfp_elem_mul(l->field, expected, expected, lab_sample(l, 6));
    assert_int_equal(gfp_gpu_download(got, array, (b * n + i) * l->k, l->k, NULL), GFP_OK);
    lab_expect_digits(l, got, expected, 1, what, b, i);
}

static void check_huge(gfp_gpu *gpu, const lab *l, size_t form, gfp_gpu_array *x)
{
    const gfp_gpu_papers_fft_options options = {.batch = HUGE_BATCH};
    const size_t n = (size_t)1 << HUGE_LOG, k = l->k;
    gfp_gpu_fft_plan *plan = NULL;
    uint64_t zero[GFP_MAX_K] = {0}, got[GFP_MAX_K], state = 1;
    gfp_status status = create_plan(&plan, gpu, l->field, n, form, &options, NULL);
    if (status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_MEMORY) {
        print_message("%s: %s\n", form_name(form), gfp_gpu_last_error(gpu)->message);
        return;
    }
    gpu_lab_ok(gpu, status, "plan");
    gpu_lab_ok(gpu, gfp_gpu_clear(x, gfp_gpu_array_words(x), NULL), "clear");
    for (size_t b = 0; b < HUGE_BATCH; b++) {
        gpu_lab_ok(gpu,
                   gfp_gpu_upload(x, (b * n + delta_place(b)) * k, lab_sample(l, 6), l->k, NULL),
                   "upload");
    }
    gpu_lab_ok(gpu, gfp_gpu_fft_run(x, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL), "forward");
    for (size_t b = 0; b < HUGE_BATCH; b++) {
        for (size_t i = 0; i < 100; i++) {
            expect_power(l, x, b, i < 50 ? oracle_random(&state) % n : n - 1 - (i - 50) % 8,
                         form_name(form));
        }
    }
    gpu_lab_ok(gpu, gfp_gpu_fft_run(x, x, GFP_INVERSE, GFP_ORDER_NATURAL, plan, NULL), "inverse");
    for (size_t b = 0; b < HUGE_BATCH; b++) {
        for (size_t i = 0; i < 50; i++) {
            const size_t at = i == 0 ? delta_place(b) : oracle_random(&state) % n;
            assert_int_equal(gfp_gpu_download(got, x, (b * n + at) * k, k, NULL), GFP_OK);
            lab_expect_digits(l, got, at == delta_place(b) ? lab_sample(l, 6) : zero, 1,
                              form_name(form), b, at);
        }
    }
    gfp_gpu_fft_plan_destroy(plan);
}

static void arrays_beyond_four_gigabytes(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = &lab_fields[2]; /* p8: 5 GiB, the last transform beyond 2^32 bytes */
    gfp_gpu_array *x = NULL;
    (void)state;
    if (lab_is_short()) {
        gpu_lab_close(gpu);
        skip();
    }
    const gfp_status status =
        gfp_gpu_array_create(&x, gpu, (HUGE_BATCH << HUGE_LOG) * (size_t)l->k, NULL);
    if (status == GFP_ERR_MEMORY) {
        print_message("not run: %s\n", gfp_gpu_last_error(gpu)->message);
        gpu_lab_close(gpu);
        skip();
    }
    gpu_lab_ok(gpu, status, "array");
    for (size_t form = 0; form < FORMS; form++) {
        check_huge(gpu, l, form, x);
    }
    gfp_gpu_array_destroy(x);
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_transforms_agree_with_the_cpu),
        cmocka_unit_test(unnamed_fields_agree_with_the_cpu),
        cmocka_unit_test(batches_agree_with_the_cpu),
        cmocka_unit_test(long_transforms_agree_with_the_cpu),
        cmocka_unit_test(captured_transforms_are_the_same),
        cmocka_unit_test(steps_of_the_papers_form_are_timed),
        cmocka_unit_test(blocks_of_any_size_give_the_same),
        cmocka_unit_test(arrays_beyond_four_gigabytes),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
