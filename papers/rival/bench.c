/* papers/rival/bench.c: the comparison of "Big prime field FFT on the GPU" (ISSAC 2017), section 7,
 * on the CPU: a transform of K^e points over Z/pZ, and transforms modulo 2k half-word primes, step
 * by step, with the published figures for both.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "gfpoly/rival.h"
#include "papers/published.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The forms that the paper compares, and the form that is fastest on this machine. */
static const struct {
    const char *name;
    gfp_ntt_form form;
} forms[] = {{"cooley-tukey", GFP_NTT_COOLEY_TUKEY},
             {"ct-tabulated", GFP_NTT_COOLEY_TUKEY_TABULATED},
             {"stockham", GFP_NTT_STOCKHAM},
             {"blocked", GFP_NTT_BLOCKED}};
#define FORMS COUNT(forms)
#define PUBLISHED_FORMS 3

/* Published milliseconds: Table 2 on a GTX 760M, Table 3 on one core of a Core i7-4700HQ (small
 * primes by NTL); 0: not published. */
typedef struct row {
    unsigned k, e;
    double gpu[PUBLISHED_FORMS], gpu_big;
    double cpu, cpu_big;
} row;

static row rows[PUBLISHED_ROWS];
static size_t row_count; /* 0: not read yet */

/* Fills rows from the published figures. */
static bool read_rows(void)
{
    static published_table gpu, cpu;

    if (row_count > 0) {
        return true;
    }
    if (!published_load(&gpu, GFP_PUBLISHED_FOLDER, "issac-table2-gtx760m") ||
        !published_load(&cpu, GFP_PUBLISHED_FOLDER, "issac-table3-i7-4700hq")) {
        return false;
    }
    for (; row_count < gpu.rows; row_count++) {
        row *x = &rows[row_count];
        x->k = (unsigned)published_figure(&gpu, row_count, "k");
        x->e = (unsigned)published_figure(&gpu, row_count, "e");
        x->gpu[0] = published_figure(&gpu, row_count, "cooley_tukey");
        x->gpu[1] = published_figure(&gpu, row_count, "cooley_tukey_powers");
        x->gpu[2] = published_figure(&gpu, row_count, "stockham");
        x->gpu_big = published_figure(&gpu, row_count, "big_prime");
        const size_t i = published_row(&cpu, x->k, x->e);
        x->cpu = published_figure(&cpu, i, "small_primes");
        x->cpu_big = published_figure(&cpu, i, "big_prime");
    }
    return true;
}

typedef struct job {
    const gfp_field *field;
    size_t n;
    const row *published; /* NULL: no published figures */
    gfp_fft_plan *big;
    gfp_crt_rival_plan *plan; /* the plan of the current form */
    uint64_t *x, *transform, *residues, *integers;
    void *work;
    uint64_t hash;       /* hash of the residues by the first form */
    gfp_options options; /* threads, of both sides */
} job;

static bool run_project(void *context)
{
    job *w = context;
    return gfp_crt_rival_project(w->plan, w->residues, w->x, w->work, &w->options) == GFP_OK;
}

static bool run_transform(void *context)
{
    job *w = context;
    return gfp_crt_rival_transform(w->plan, w->residues, w->residues, w->work, &w->options) ==
           GFP_OK;
}

static bool run_recombine(void *context)
{
    job *w = context;
    return gfp_crt_rival_recombine(w->plan, w->integers, w->residues, w->work, &w->options) ==
           GFP_OK;
}

static bool run_big(void *context)
{
    job *w = context;
    return gfp_fft_forward(w->big, w->transform, w->x, GFP_ORDER_NATURAL, &w->options) == GFP_OK;
}

/* ---- set-up ---- */

static void form_close(job *w)
{
    gfp_crt_rival_plan_destroy(w->plan);
    free(w->residues);
    free(w->integers);
    free(w->work);
    w->plan = NULL;
    w->residues = w->integers = NULL;
    w->work = NULL;
}

/* Touches the memory in advance, so that first runs do not measure its allocation by the system. */
static void *touched(size_t bytes)
{
    void *block = malloc(bytes);

    return block == NULL ? NULL : memset(block, 0xff, bytes);
}

static bool form_open(job *w, gfp_ntt_form form)
{
    const gfp_crt_rival_options options = {.ntt = {.form = form}};
    gfp_error error;

    if (gfp_crt_rival_plan_create(&w->plan, w->field, w->n, &options, &error) != GFP_OK) {
        w->plan = NULL;
        return complain("%s, N = %zu: %s", gfp_field_name(w->field), w->n, error.message);
    }
    w->residues = touched(w->n * gfp_crt_rival_plan_prime_count(w->plan) * sizeof(uint64_t));
    w->integers = touched(w->n * gfp_crt_rival_plan_words(w->plan) * sizeof(uint64_t));
    w->work = touched(gfp_crt_rival_workspace(w->plan, w->options.threads));
    return (w->residues != NULL && w->integers != NULL && w->work != NULL) ||
           complain("no memory for transforms of %zu elements", w->n);
}

static void job_close(job *w)
{
    form_close(w);
    gfp_fft_plan_destroy(w->big);
    free(w->x);
    free(w->transform);
}

static bool job_open(job *w, const gfp_field *field, size_t n, uint64_t seed)
{
    gfp_error error;
    gfp_random g;

    *w = (job){.field = field, .n = n};
    if (gfp_fft_plan_create(&w->big, field, n, &error) != GFP_OK) {
        return complain("%s, N = %zu: %s", gfp_field_name(field), n, error.message);
    }
    w->x = touched(n * gfp_field_k(field) * sizeof(uint64_t));
    w->transform = touched(n * gfp_field_k(field) * sizeof(uint64_t));
    if (w->x == NULL || w->transform == NULL) {
        return complain("no memory for transforms of %zu elements", n);
    }
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* ---- figures ---- */

static bool time_one(const settings *s, job *w, const char *name, bool (*run)(void *context),
                     report *r, double *ms)
{
    char label[64];

    progress(gfp_field_name(w->field), name, w->n);
    record *x = report_add(r, "rival", gfp_field_name(w->field),
                           name_by_threads(label, sizeof(label), name, w->options.threads));
    if (x == NULL || !measure(&x->time, s->seconds, run, w)) {
        return complain("%s, N = %zu, %s: failed", gfp_field_name(w->field), w->n, name);
    }
    x->len_a = w->n;
    *ms = x->time.min_ns / 1e6;
    progress_end();
    return true;
}

/* Adds a figure that is a sum of other figures, or was measured once. */
static bool add_figure(job *w, const char *form, const char *what, double ms, double published_ms,
                       report *r)
{
    char name[40], label[64];

    snprintf(name, sizeof(name), "%s %s", form, what);
    record *x = report_add(r, "rival", gfp_field_name(w->field),
                           name_by_threads(label, sizeof(label), name, w->options.threads));
    if (x == NULL) {
        return false;
    }
    x->len_a = w->n;
    x->time = (timing){.min_ns = ms * 1e6, .median_ns = ms * 1e6, .runs = 1};
    x->published_ns = published_ms * 1e6;
    return true;
}

static uint64_t hash_residues(const job *w)
{
    const size_t words = w->n * gfp_crt_rival_plan_prime_count(w->plan);

    return hash_words(w->residues, words, 0);
}

/* Times the first run of a plan, with cold caches. Checks that its residues are those of the first
 * form. */
static bool first_run(job *w, size_t form, double *ms)
{
    gfp_crt_rival_times times;

    if (gfp_crt_rival_forward(w->plan, NULL, w->residues, w->x, &times, w->work, &w->options) !=
        GFP_OK) {
        return complain("%s, N = %zu, %s: failed", gfp_field_name(w->field), w->n,
                        forms[form].name);
    }
    *ms = (double)(times.project_ns + times.transform_ns) / 1e6;
    const uint64_t hash = hash_residues(w);
    if (form == 0) {
        w->hash = hash;
    }
    return hash == w->hash ||
           complain("%s, N = %zu: transforms by %s and %s differ", gfp_field_name(w->field), w->n,
                    forms[0].name, forms[form].name);
}

typedef struct figures {
    double big, project, recombine;
    double transform, first; /* figures of one form */
} figures;

static void print_number(double x)
{
    if (x > 0) {
        printf(" %11.4f", x);
    } else {
        printf(" %11s", "-");
    }
}

static bool report_form(job *w, const figures *f, size_t form, report *r)
{
    const double two = f->project + f->transform;
    const double three = two + f->recombine;
    static const row none = {.k = 0};
    const row *published = w->published != NULL ? w->published : &none;
    const double gpu = form < PUBLISHED_FORMS ? published->gpu[form] : 0;

    printf("  %-14s", forms[form].name);
    const double numbers[] = {f->transform, two,
                              three,        f->first,
                              two / f->big, three / f->big,
                              gpu,          gpu > 0 ? gpu / published->gpu_big : 0};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        print_number(numbers[i]);
    }
    putchar('\n');
    return add_figure(w, forms[form].name, "steps 1-2", two, gpu, r) &&
           add_figure(w, forms[form].name, "steps 1-3", three, 0, r) &&
           add_figure(w, forms[form].name, "steps 1-2 first run", f->first, 0, r);
}

static bool bench_form(const settings *s, job *w, size_t form, figures *f, report *r)
{
    char name[40];

    if (!first_run(w, form, &f->first)) {
        return false;
    }
    if (form == 0) {
        if (!time_one(s, w, "project", run_project, r, &f->project) ||
            !time_one(s, w, "recombine", run_recombine, r, &f->recombine)) {
            return false;
        }
        printf("  project %.4f, recombine %.4f (%s kernels), big prime %.4f\n"
               "  %-14s %11s %11s %11s %11s %11s %11s %11s %11s\n",
               f->project, f->recombine, gfp_crt_rival_plan_kernels(w->plan), f->big, "form",
               "transforms", "steps 1-2", "steps 1-3", "first 1-2", "1-2 / big", "1-3 / big",
               "published", "/ big");
    }
    snprintf(name, sizeof(name), "%s transforms", forms[form].name);
    return time_one(s, w, name, run_transform, r, &f->transform) && report_form(w, f, form, r);
}

/* Checks that the inverse gives the input. */
static bool check_big(job *w)
{
    const bool ok =
        run_big(w) &&
        gfp_fft_inverse(w->big, w->transform, w->transform, GFP_ORDER_NATURAL, NULL) == GFP_OK &&
        gfp_vec_equal(w->field, w->transform, w->x, w->n);
    return ok || complain("%s, N = %zu: the big-prime transform is wrong", gfp_field_name(w->field),
                          w->n);
}

static bool bench_length(const settings *s, job *w, report *r)
{
    figures f = {.big = 0};
    bool ok = check_big(w) && time_one(s, w, "big prime", run_big, r, &f.big);

    if (ok && w->published != NULL) {
        r->records[r->count - 1].published_ns = w->published->gpu_big * 1e6;
    }
    for (size_t form = 0; form < FORMS && ok; form++) {
        ok = form_open(w, forms[form].form);
        if (ok && form == 0) {
            const size_t count = gfp_crt_rival_plan_prime_count(w->plan);
            printf("%s, N = %zu, %zu primes of %u bits, %u thread%s, ms\n",
                   gfp_field_name(w->field), w->n, count,
                   gfp_crt_rival_plan_kind(w->plan) == GFP_CRT_RIVAL_HALF_WORDS ? 31U : 62U,
                   w->options.threads, w->options.threads == 1 ? "" : "s");
        }
        ok = ok && bench_form(s, w, form, &f, r);
        form_close(w);
    }
    if (ok && w->published != NULL && w->published->cpu > 0) {
        printf("  published, Core i7-4700HQ: small primes by NTL %.2f, big prime %.2f, ratio "
               "%.3f\n",
               w->published->cpu, w->published->cpu_big, w->published->cpu / w->published->cpu_big);
    }
    return ok;
}

static bool bench_one(const settings *s, const gfp_field *field, size_t n, const row *published,
                      report *r)
{
    job w;
    bool ok = job_open(&w, field, n, s->seed);

    w.published = published;
    w.options.threads = s->ntt_threads == 0 ? 1 : s->ntt_threads;
    ok = ok && bench_length(s, &w, r);
    job_close(&w);
    return ok;
}

/* Measures N = K^e. */
static size_t points(const row *x)
{
    size_t n = 1;

    for (unsigned i = 0; i < x->e; i++) {
        n *= 2 * (size_t)x->k;
    }
    return n;
}

static const row *find_row(unsigned k, size_t n)
{
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].k == k && points(&rows[i]) == n) {
            return &rows[i];
        }
    }
    return NULL;
}

bool bench_rival(const settings *s, const gfp_field *field, report *r)
{
    const unsigned k = gfp_field_k(field);
    bool ok = read_rows();
    bool any = s->length_count > 0;

    if (!ok) {
        return false;
    }

    for (size_t i = 0; i < s->length_count && ok; i++) {
        ok = bench_one(s, field, s->lengths[i], find_row(k, s->lengths[i]), r);
    }
    for (size_t i = 0; i < row_count && s->length_count == 0 && ok; i++) {
        if (rows[i].k == k) {
            ok = bench_one(s, field, points(&rows[i]), &rows[i], r);
            any = true;
        }
    }
    return any ? ok
               : complain("%s: the paper has no table for k = %u; --len gives lengths",
                          gfp_field_name(field), k);
}
