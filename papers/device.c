/* papers/device.c: see device.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/rival/half.h"

enum { ONE_CALL, CALLS_IN_A_ROW, BATCHES, CALLS };
static const char *const call_names[CALLS] = {"one call", "calls in a row", "batches"};
static const char *const call_tokens[CALLS] = {"one", "row", "batch"};

/* A plan has up to MOST_AT_ONCE vectors, with up to MOST_POINTS points in all. */
#define MOST_POINTS ((size_t)1 << 20)
#define MOST_AT_ONCE 256

static size_t vectors_at_once(const paper *w, size_t n)
{
    const size_t most = left_out(w, MOST_POINTS) ? w->max_points : MOST_POINTS;
    const size_t batch = most / n < MOST_AT_ONCE ? most / n : MOST_AT_ONCE;

    return batch > 1 ? batch : 1;
}

/* Keeps the median of each way to call, "PREFIX.CALLS" in ms and "PREFIX.CALLS_us", and adds it to
 * the table of runs. alone, together: times of a plan of one vector and of vectors_at_once(n). */
static bool note_calls(paper *w, const table_row *r, const char *prefix, const char *what,
                       const times *alone, const times *together)
{
    const double batch = (double)vectors_at_once(w, r->n);
    const timing taken[CALLS] = {[ONE_CALL] = alone->single,
                                 [CALLS_IN_A_ROW] = alone->graph,
                                 [BATCHES] = timing_divide(together->graph, batch)};

    for (int i = 0; i < CALLS; i++) {
        if (!note_figure(w, gfp_field_name(r->field), r->n, &taken[i], ON_DEVICE "%s, %s", what,
                         call_names[i])) {
            return false;
        }
        /* Calls that cannot be recorded have no time in graphs. */
        const double ns = taken[i].median_ns > 0 ? taken[i].median_ns : NAN;
        quantity_put(w, r, ns / 1e6, "%s.%s", prefix, call_tokens[i]);
        quantity_put(w, r, ns / 1e3, "%s.%s_us", prefix, call_tokens[i]);
    }
    return true;
}

/* ---- the big prime ---- */

/* *t := the times of a plan of `batch` vectors, after a comparison. */
static bool time_big(paper *w, const char *field, size_t n, dft_options options, size_t batch,
                     times *t)
{
    dft_job job;
    bool absent;

    options.batch = batch;
    bool ok = dft_open(&job, &w->gpu, field, n, &options, &absent) && dft_check(&job);
    job.order = GFP_ORDER_NATURAL;
    job.inverse = false;
    ok = ok && time_body(&w->gpu, run_dft, &job, t, field);
    dft_close(&job);
    return ok;
}

/* The steps of a warm transform in natural order by a plan of these options that is timed. */
static bool time_steps(paper *w, const char *field, size_t n, dft_options options,
                       gfp_gpu_times *taken)
{
    dft_job job;
    bool absent;

    options.timed = true;
    bool ok = dft_open(&job, &w->gpu, field, n, &options, &absent) && dft_check(&job);
    job.order = GFP_ORDER_NATURAL;
    job.inverse = false;
    for (int run = 0; run < 3 && ok; run++) {
        ok = succeeds(&w->gpu, run_dft(&job), field) &&
             succeeds(&w->gpu, gfp_gpu_papers_fft_times(job.plan, taken), field);
    }
    dft_close(&job);
    return ok;
}

/* The time of the step, or of all steps if name is NULL. */
static double step_ms(const gfp_gpu_times *taken, const char *name)
{
    double ms = 0;

    for (unsigned i = 0; i < taken->count; i++) {
        ms += name == NULL || strcmp(taken->step[i].name, name) == 0 ? taken->step[i].ms : 0;
    }
    return ms;
}

static const struct {
    const char *step, *token;
} steps[] = {{"twiddle", "twiddle"},
             {"base case", "base"},
             {"permutation", "permutation"},
             {"layout", "layout"}};

/* A failure on the device is reported and leaves quantities unknown. */
bool measure_big_on_device(paper *w, const table_row *r)
{
    const size_t batch = vectors_at_once(w, r->n);
    const unsigned threads = r->argument > DEVICE_PAPERS ? (unsigned)r->argument : 0;
    const dft_options options = {.form = r->argument == DEVICE_OWN ? DFT_AUTO : DFT_PAPERS,
                                 .threads = threads,
                                 .batch = batch};
    times alone, together;
    const char *field = gfp_field_name(r->field);
    char what[64], prefix[16];

    snprintf(prefix, sizeof(prefix), "%s",
             r->argument == DEVICE_OWN      ? "gown"
             : r->argument == DEVICE_PAPERS ? "gbig"
                                            : "b");
    snprintf(what, sizeof(what), "big-prime DFT, form %s", dft_form_name(options.form));
    if (threads != 0) {
        snprintf(prefix, sizeof(prefix), "b%u", threads);
        snprintf(what, sizeof(what), "big-prime DFT, form papers, blocks of %u", threads);
    }
    progress(field, what, r->n);
    if (!time_big(w, field, r->n, options, 1, &alone)) {
        return true;
    }
    together = alone;
    if (batch > 1 && !time_big(w, field, r->n, options, batch, &together)) {
        return true;
    }
    gfp_gpu_times taken;
    if (threads != 0 && time_steps(w, field, r->n, options, &taken)) {
        for (size_t i = 0; i < COUNT(steps); i++) {
            quantity_put(w, r, 1e3 * step_ms(&taken, steps[i].step) / (double)batch, "%s.%s",
                         prefix, steps[i].token);
        }
    }
    return note_calls(w, r, prefix, what, &alone, &together);
}

bool measure_device_steps(paper *w, const table_row *r)
{
    gfp_gpu_times taken;

    if (!time_steps(w, gfp_field_name(r->field), r->n, (dft_options){.form = DFT_PAPERS}, &taken)) {
        return true;
    }
    for (size_t i = 0; i < COUNT(steps); i++) {
        quantity_put(w, r, 100 * step_ms(&taken, steps[i].step) / step_ms(&taken, NULL),
                     "gsteps.%s%%", steps[i].token);
    }
    quantity_put(w, r, step_ms(&taken, NULL), "gsteps.ms");
    return true;
}

/* ---- the rival ---- */

static void random_elements(const gfp_field *field, uint64_t *x, size_t n)
{
    gfp_random g;

    gfp_random_seed(&g, JOB_SEED);
    gfp_vec_random(field, x, n, &g);
}

bool measure_twin(paper *w, const table_row *r)
{
    const gfp_field *field = r->field;
    gfp_half_rival rival;
    gfp_error error = {.message = "no memory"};

    progress(gfp_field_name(field), "the rival on the CPU", r->n);
    bool ok = gfp_half_rival_init(&rival, field, log2_of(r->n), &error) == GFP_OK;
    if (ok) {
        const size_t y_words = r->n * rival.count, z_words = r->n * rival.words;
        uint64_t *x = malloc(r->n * r->k * sizeof(*x)), *y = malloc(y_words * sizeof(*y));
        uint64_t *z = malloc(z_words * sizeof(*z)), *work = malloc(r->n * sizeof(*work));
        ok = x != NULL && y != NULL && z != NULL && work != NULL;
        if (ok) {
            random_elements(field, x, r->n);
            gfp_half_rival_project(&rival, y, x, r->n);
            gfp_half_rival_transform(&rival, y, r->n, work);
            gfp_half_rival_recombine(&rival, z, y, r->n);
            quantity_put(w, r, hash_quantity(hash_words(z, z_words, hash_words(y, y_words, 1))),
                         "twin.hash");
        }
        free(x);
        free(y);
        free(z);
        free(work);
        gfp_half_rival_clear(&rival);
    }
    return ok || complain("%s, N = %zu: %s", gfp_field_name(field), r->n, error.message);
}

/* Vectors of a batch are equal. */
typedef struct rival_job {
    bench *b;
    size_t n, batch;
    gfp_gpu_rival_plan *plan;
    gfp_gpu_array *x, *y, *z; /* elements, residues, integers */
    bool recombine;           /* run_rival does step 3, too */
} rival_job;

static void rival_close(rival_job *job)
{
    gfp_gpu_rival_plan_destroy(job->plan);
    gfp_gpu_array_destroy(job->x);
    gfp_gpu_array_destroy(job->y);
    gfp_gpu_array_destroy(job->z);
}

static bool rival_open(rival_job *job, bench *b, const gfp_field *field, size_t n,
                       const gfp_gpu_rival_options *options)
{
    const char *name = gfp_field_name(field);
    const size_t words = n * gfp_field_k(field), elements = n * options->batch;
    gfp_error error = {.message = ""};

    *job = (rival_job){.b = b, .n = n, .batch = options->batch};
    if (gfp_gpu_rival_plan_create(&job->plan, b->gpu, field, n, options, &error) != GFP_OK) {
        return fails(b, "%s, N = %zu: %s", name, n, error.message);
    }
    const size_t y_words = elements * gfp_gpu_rival_plan_prime_count(job->plan);
    const size_t z_words = elements * gfp_gpu_rival_plan_words(job->plan);
    uint64_t *digits = malloc(words * sizeof(*digits));
    bool ok = (digits != NULL || fails(b, "%s: no memory", name)) &&
              succeeds(b, gfp_gpu_array_create(&job->x, b->gpu, words * job->batch, NULL), name) &&
              succeeds(b, gfp_gpu_array_create(&job->y, b->gpu, y_words, NULL), name) &&
              succeeds(b, gfp_gpu_array_create(&job->z, b->gpu, z_words, NULL), name);
    if (ok) {
        random_elements(field, digits, n);
    }
    for (size_t i = 0; i < job->batch && ok; i++) {
        ok = succeeds(b, gfp_gpu_upload(job->x, i * words, digits, words, NULL), name);
    }
    free(digits);
    return ok;
}

/* A body: steps 1 and 2, and 3 if job->recombine. */
static gfp_status run_rival(void *context)
{
    const rival_job *job = context;

    return gfp_gpu_rival_forward(job->plan, job->recombine ? job->z : NULL, job->y, job->x);
}

/* Checks that residues and integers of all vectors are the CPU's. */
static bool check_rival(rival_job *job, const char *name, double expected)
{
    const size_t primes = gfp_gpu_rival_plan_prime_count(job->plan);
    const size_t y_words = job->n * primes, z_words = job->n * gfp_gpu_rival_plan_words(job->plan);
    uint64_t *y = malloc(y_words * sizeof(*y));
    uint64_t *z = malloc(z_words * sizeof(*z));
    bool ok = (y != NULL && z != NULL) || fails(job->b, "%s: no memory", name);

    job->recombine = true;
    ok = ok && succeeds(job->b, run_rival(job), name);
    for (size_t b = 0; b < job->batch && ok; b++) {
        for (size_t i = 0; i < primes && ok; i++) {
            const size_t from = (i * job->batch + b) * job->n;
            ok = succeeds(job->b, gfp_gpu_download(y + i * job->n, job->y, from, job->n, NULL),
                          name);
        }
        ok = ok &&
             succeeds(job->b, gfp_gpu_download(z, job->z, b * z_words, z_words, NULL), name) &&
             (hash_quantity(hash_words(z, z_words, hash_words(y, y_words, 1))) == expected ||
              fails(job->b, "%s, N = %zu: the rival's result is wrong", name, job->n));
    }
    free(y);
    free(z);
    return ok;
}

/* t[0] and t[1] := the times of a plan of `batch` vectors without and with recombination. */
static bool time_rival(paper *w, const gfp_field *field, size_t n, gfp_ntt_form form, size_t batch,
                       double expected, times t[2])
{
    const gfp_gpu_rival_options options = {.form = form, .batch = batch};
    const char *name = gfp_field_name(field);
    rival_job job;

    bool ok = rival_open(&job, &w->gpu, field, n, &options) && check_rival(&job, name, expected);
    for (int with = 0; with < 2 && ok; with++) {
        job.recombine = with != 0;
        ok = time_body(&w->gpu, run_rival, &job, &t[with], name);
    }
    rival_close(&job);
    return ok;
}

bool measure_rival(paper *w, const table_row *r)
{
    static const char *const prefixes[] = {"glib", "gct", "gtab", "gst"};
    const gfp_ntt_form form = (gfp_ntt_form)r->argument;
    const size_t batch = vectors_at_once(w, r->n);
    const gfp_field *field = r->field;
    times alone[2], together[2];
    double expected;

    if (!quantity_find(w, r, &expected, "twin.hash")) {
        return false;
    }
    progress(gfp_ntt_form_name(form), "on the device", r->n);
    bool measured = time_rival(w, field, r->n, form, 1, expected, alone);
    memcpy(together, alone, sizeof(together));
    measured =
        measured && (batch == 1 || time_rival(w, field, r->n, form, batch, expected, together));
    bool ok = true;
    for (int with = 0; with < 2 && measured && ok; with++) {
        char what[64], prefix[24];
        snprintf(what, sizeof(what), "small primes, %s%s", gfp_ntt_form_name(form),
                 with ? ", recombined" : "");
        snprintf(prefix, sizeof(prefix), "%s.%s", prefixes[r->argument], with ? "three" : "two");
        ok = note_calls(w, r, prefix, what, &alone[with], &together[with]);
    }
    return ok;
}

/* The least and the greatest of quantities: each name with each way to call. */
static bool find_ends(paper *w, const table_row *r, const char *const *names, double *least,
                      double *most)
{
    *least = *most = NAN;
    for (; *names != NULL; names++) {
        for (int i = 0; i < CALLS; i++) {
            double value;
            if (!quantity_find(w, r, &value, "%s.%s", *names, call_tokens[i])) {
                return false;
            }
            *least = fmin(*least, value); /* the other one where one is NAN */
            *most = fmax(*most, value);
        }
    }
    return true;
}

bool measure_ends(paper *w, const table_row *r)
{
    static const char *const small[] = {"gct.two", "gtab.two", "gst.two", NULL};
    static const char *const big[] = {"gbig", NULL};
    double least_small, most_small, least_big, most_big;

    if (!find_ends(w, r, small, &least_small, &most_small) ||
        !find_ends(w, r, big, &least_big, &most_big)) {
        return false;
    }
    quantity_put(w, r, least_small, "gends.fastest_small");
    quantity_put(w, r, most_small, "gends.slowest_small");
    quantity_put(w, r, least_big, "gends.fastest_big");
    quantity_put(w, r, most_big, "gends.slowest_big");
    return true;
}

/* ---- transforms modulo one half-word prime ---- */

gfp_status run_ntt(void *context)
{
    ntt_job *w = context;
    return gfp_gpu_ntt_forward(w->plan, w->y, w->x);
}

void ntt_close(ntt_job *w)
{
    gfp_gpu_ntt_plan_destroy(w->plan);
    gfp_gpu_array_destroy(w->x);
    gfp_gpu_array_destroy(w->y);
    free(w->residues);
    free(w->result);
}

bool ntt_open(ntt_job *w, bench *b, uint64_t q, size_t n, const gfp_gpu_ntt_options *options)
{
    gfp_error error = {.message = ""};
    gfp_random g;

    *w = (ntt_job){.b = b};
    if (gfp_gpu_ntt_plan_create(&w->plan, b->gpu, &q, 1, n, options, &error) != GFP_OK) {
        return fails(b, "transforms of %zu residues: %s", n, error.message);
    }
    w->words = gfp_gpu_ntt_plan_words(w->plan);
    w->residues = malloc(w->words * sizeof *w->residues);
    w->result = malloc(w->words * sizeof *w->result);
    if (w->residues == NULL || w->result == NULL) {
        return fails(b, "no memory for transforms of %zu residues", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < w->words; i++) {
        const uint64_t low = gfp_random_below(&g, q);
        w->residues[i] = low | gfp_random_below(&g, q) << 32;
    }
    return succeeds(b, gfp_gpu_array_create(&w->x, b->gpu, w->words, NULL), "residues") &&
           succeeds(b, gfp_gpu_array_create(&w->y, b->gpu, w->words, NULL), "residues") &&
           succeeds(b, gfp_gpu_upload(w->x, 0, w->residues, w->words, NULL), "residues");
}
