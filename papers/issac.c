/* papers/issac.c: the tables and figures of "Big prime field FFT on the GPU" (ISSAC 2017) except
 * its profile: a transform over Z/pZ compared with transforms modulo 2k half-word primes, on a CUDA
 * device if there is one, and on the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "gfpoly/rival.h"
#include "tables.h"

/* The forms that the papers compare, and the form that is fastest in this library. */
static const gfp_ntt_form forms[RIVAL_FORMS] = {
    GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM, GFP_NTT_BLOCKED};
#define PUBLISHED_FORMS 3
static const char *const form_columns[PUBLISHED_FORMS] = {"cooley_tukey", "cooley_tukey_powers",
                                                          "stockham"};
static const dft_form big_forms[BIG_FORMS] = {DFT_PAPERS, DFT_AUTO};
static const char *const call_names[CALLS] = {"one call", "many calls"};
static const char *const table2_files[] = {"issac-table2-gtx760m", "issac-table2-c2075",
                                           "issac-table2-m2050"};

bool issac_table1(paper *w)
{
    static const char *const columns[] = {"prime", "exponent of 2 in p - 1", NULL};
    published_table p;

    if (!published_load(&p, w->folder, "issac-table1")) {
        return false;
    }
    table_title(w->out, &p, false);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        char formula[60];
        gfp_field *field;
        snprintf(formula, sizeof(formula), "(2^%u%c2^%u)^%u+1", key_of(&p, i, "w"),
                 published_figure(&p, i, "sign") > 0 ? '+' : '-', key_of(&p, i, "u"),
                 key_of(&p, i, "k"));
        if (gfp_field_create(&field, formula, NULL, NULL) != GFP_OK) {
            return complain("%s: no field", formula);
        }
        fprintf(w->out, "| %s, %s, proved prime", p.text[i][0], formula);
        table_cell(w->out, published_figure(&p, i, "v2"), gfp_field_v2_order(field));
        table_row_end(w->out);
        gfp_field_destroy(field);
    }
    return true;
}

/* ---- on the CPU ---- */

/* Both approaches on N points of Z/pZ. */
typedef struct cpu_job {
    gfp_field *field;
    gfp_fft_plan *big;
    gfp_crt_rival_plan *small;
    size_t n;
    uint64_t *x, *y, *integers; /* elements or residues */
    double two_ns, three_ns;    /* the least time of steps 1 and 2, and of all three */
} cpu_job;

static bool run_big(void *context)
{
    cpu_job *a = context;
    return gfp_fft_forward(a->big, a->y, a->x, GFP_ORDER_NATURAL, NULL) == GFP_OK;
}

static bool run_small(void *context)
{
    cpu_job *a = context;
    gfp_crt_rival_times taken;

    if (gfp_crt_rival_forward(a->small, a->integers, a->y, a->x, &taken, NULL) != GFP_OK) {
        return false;
    }
    const double two = (double)(taken.project_ns + taken.transform_ns);
    const double three = two + (double)taken.recombine_ns;
    a->two_ns = a->two_ns > 0 && a->two_ns < two ? a->two_ns : two;
    a->three_ns = a->three_ns > 0 && a->three_ns < three ? a->three_ns : three;
    return true;
}

static void cpu_close(cpu_job *a)
{
    gfp_fft_plan_destroy(a->big);
    gfp_crt_rival_plan_destroy(a->small);
    free(a->x);
    free(a->y);
    free(a->integers);
    gfp_field_destroy(a->field);
}

/* The caller calls cpu_close after success and after failure. */
static bool cpu_open(cpu_job *a, const approach *m)
{
    const gfp_crt_rival_options options = {.ntt = {.form = m->form}};
    gfp_random g;

    *a = (cpu_job){.field = open_field('p', m->k), .n = points_of(m->k, m->e)};
    if (a->field == NULL) {
        return false;
    }
    size_t y_words = m->k;
    size_t z_words = 1;
    bool ok;
    if (m->big) {
        ok = gfp_fft_plan_create(&a->big, a->field, a->n, NULL) == GFP_OK;
    } else {
        ok = gfp_crt_rival_plan_create(&a->small, a->field, a->n, &options, NULL) == GFP_OK;
        y_words = ok ? gfp_crt_rival_plan_prime_count(a->small) : 1;
        z_words = ok ? gfp_crt_rival_plan_words(a->small) : 1;
    }
    a->x = calloc(a->n, m->k * sizeof(uint64_t));
    a->y = calloc(a->n, y_words * sizeof(uint64_t));
    a->integers = calloc(a->n, z_words * sizeof(uint64_t));
    if (!ok || a->x == NULL || a->y == NULL || a->integers == NULL) {
        return false;
    }
    gfp_random_seed(&g, JOB_SEED);
    gfp_vec_random(a->field, a->x, a->n, &g);
    return true;
}

static bool measure_big(paper *w, cpu_job *a, approach *m)
{
    const uint64_t start = clock_ns();
    const bool ran = run_big(a);
    double ns = (double)(clock_ns() - start);
    timing t = timing_of(&ns, 1, 1);

    if (!ran || !evaluates(a->field, a->y, a->y + a->n / 2 * gfp_field_k(a->field), a->x, a->n) ||
        gfp_fft_inverse(a->big, a->y, a->y, GFP_ORDER_NATURAL, NULL) != GFP_OK ||
        !gfp_vec_equal(a->field, a->x, a->y, a->n) ||
        !(is_long(w, t.min_ns) || measure(&t, w->s.seconds, run_big, a))) {
        return false;
    }
    m->two_ms = t.min_ns / 1e6;
    return note_figure(w, gfp_field_name(a->field), "big-prime DFT", a->n, &t);
}

/* expected: the hash of another form's results; 0 for the first form. */
static bool measure_small(paper *w, cpu_job *a, approach *m, uint64_t expected)
{
    char name[64];

    if (!run_small(a)) {
        return false;
    }
    timing t = timing_of(&a->three_ns, 1, 1);
    m->hash = hash_words(a->y, a->n * gfp_crt_rival_plan_prime_count(a->small), 1);
    m->hash = hash_words(a->integers, a->n * gfp_crt_rival_plan_words(a->small), m->hash);
    if ((expected != 0 && m->hash != expected) ||
        !(is_long(w, a->three_ns) || measure(&t, w->s.seconds, run_small, a))) {
        return false;
    }
    m->two_ms = a->two_ns / 1e6;
    m->three_ms = a->three_ns / 1e6;
    snprintf(name, sizeof(name), "small primes, %s, recombined", gfp_ntt_form_name(m->form));
    return note_figure(w, gfp_field_name(a->field), name, a->n, &t);
}

/* *found := the figures of (k, e, big or form), measured once; all 0 if N is left out. */
static bool find_approach(paper *w, approach key, approach *found)
{
    const approach first = {.k = key.k, .e = key.e, .form = GFP_NTT_BLOCKED};
    approach reference = {.hash = 0};

    for (size_t i = 0; i < w->approach_count; i++) {
        const approach *x = &w->approaches[i];
        if (x->k == key.k && x->e == key.e && x->big == key.big && x->form == key.form) {
            *found = *x;
            return true;
        }
    }
    if (!left_out(w, points_of(key.k, key.e))) {
        cpu_job a;
        if (!key.big && key.form != GFP_NTT_BLOCKED && !find_approach(w, first, &reference)) {
            return false;
        }
        progress(key.big ? "big prime" : gfp_ntt_form_name(key.form), "on the CPU",
                 points_of(key.k, key.e));
        const bool ok =
            cpu_open(&a, &key) &&
            (key.big ? measure_big(w, &a, &key) : measure_small(w, &a, &key, reference.hash));
        cpu_close(&a);
        progress_end();
        if (!ok) {
            return complain("p%u, %zu points, %s: failed, or wrong", key.k, points_of(key.k, key.e),
                            key.big ? "big prime" : gfp_ntt_form_name(key.form));
        }
    }
    if (w->approach_count < MOST_MEASURED) {
        w->approaches[w->approach_count++] = key;
    }
    *found = key;
    return true;
}

static bool find_big(paper *w, unsigned k, unsigned e, double *ms)
{
    approach a = {.two_ms = 0};
    const bool ok = find_approach(w, (approach){.k = k, .e = e, .big = true}, &a);

    *ms = ok ? a.two_ms : 0;
    return ok;
}

static bool find_small(paper *w, unsigned k, unsigned e, gfp_ntt_form form, approach *a)
{
    return find_approach(w, (approach){.k = k, .e = e, .form = form}, a);
}

bool issac_table3(paper *w)
{
    static const char *const files[] = {"issac-table3-x5650", "issac-table3-fx8350",
                                        "issac-table3-i7-4700hq"};
    static const char *const columns[] = {
        "machine", "prime, e (N)", "small primes", "with recombination", "big prime", "small / big",
        NULL};
    published_table p;

    for (size_t f = 0; f < COUNT(files); f++) {
        if (!published_load(&p, w->folder, files[f])) {
            return false;
        }
        if (f == 0) {
            table_title(w->out, &p, true);
            table_head(w->out, columns);
        }
        for (size_t i = 0; i < p.rows; i++) {
            const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
            const double small_was = published_figure(&p, i, "small_primes");
            const double big_was = published_figure(&p, i, "big_prime");
            approach small;
            double big;
            if (!find_big(w, k, e, &big) || !find_small(w, k, e, GFP_NTT_BLOCKED, &small)) {
                return false;
            }
            fprintf(w->out, "| %s | p%u, %u (%zu)", p.machine, k, e, points_of(k, e));
            table_cell(w->out, small_was, small.two_ms);
            table_cell(w->out, 0, small.three_ms);
            table_cell(w->out, big_was, big);
            table_cell(w->out, per(small_was, big_was), per(small.two_ms, big));
            table_row_end(w->out);
        }
    }
    return true;
}

/* ---- on the device ---- */

/* A plan of "many calls" has up to MOST_AT_ONCE transforms at once, with up to MOST_POINTS points
 * in all. */
#define MOST_POINTS ((size_t)1 << 20)
#define MOST_AT_ONCE 256

/* Returns milliseconds per transform, or 0 after a complaint. */
static double gpu_big_ms(paper *w, unsigned k, size_t n, dft_form form, int calls)
{
    const size_t most = left_out(w, MOST_POINTS) ? w->max_points : MOST_POINTS;
    const size_t batch = most / n < MOST_AT_ONCE ? most / n : MOST_AT_ONCE;
    const dft_options options = {.form = form,
                                 .batch = calls == MANY_CALLS && batch > 1 ? batch : 1};
    char name[16], figure[64];
    dft_job job;
    times t = {0};
    timing taken = {0};
    bool absent;

    snprintf(name, sizeof(name), "p%u", k);
    bool ok = dft_open(&job, &w->gpu, name, n, &options, &absent) && dft_check(&job);
    job.order = GFP_ORDER_NATURAL;
    job.inverse = false;
    if (ok && calls == ONE_CALL) {
        ok = succeeds(&w->gpu, time_runs(&w->gpu, run_dft, &job, &taken), name);
    } else if (ok) {
        ok = time_body(&w->gpu, run_dft, &job, &t, name);
        taken = timing_divide(t.graph, (double)options.batch);
    }
    dft_close(&job);
    snprintf(figure, sizeof(figure), "big-prime DFT, form %s, %s", dft_form_name(form),
             call_names[calls]);
    return ok && note_gpu_figure(w, name, figure, n, &taken) ? taken.median_ns / 1e6 : 0;
}

/* Several calls in a row: the time per call if the host keeps up. */
typedef struct rival_row {
    rival_job *job;
    unsigned repeats;
    bool recombine;
} rival_row;

static gfp_status run_rival_row(void *context)
{
    const rival_row *r = context;
    gfp_status status = GFP_OK;

    for (unsigned i = 0; i < r->repeats && status == GFP_OK; i++) {
        status = gfp_gpu_rival_forward(r->job->plan, r->recombine ? r->job->z : NULL, r->job->y,
                                       r->job->x);
    }
    return status;
}

/* Checks that residues and integers equal the CPU's. */
static bool check_rival(rival_job *job, uint64_t expected)
{
    const size_t y_words = job->n * gfp_gpu_rival_plan_prime_count(job->plan);
    const size_t z_words = job->n * gfp_gpu_rival_plan_words(job->plan);
    const char *name = gfp_field_name(job->field);
    uint64_t *y = malloc(y_words * sizeof(*y));
    uint64_t *z = malloc(z_words * sizeof(*z));
    bool ok = (y != NULL && z != NULL) || fails(job->b, "%s: no memory", name);

    ok = ok && succeeds(job->b, gfp_gpu_rival_forward(job->plan, job->z, job->y, job->x), name) &&
         succeeds(job->b, gfp_gpu_download(y, job->y, 0, y_words), name) &&
         succeeds(job->b, gfp_gpu_download(z, job->z, 0, z_words), name);
    if (ok && hash_words(z, z_words, hash_words(y, y_words, 1)) != expected) {
        ok = fails(job->b, "%s, N = %zu: the rival's result is wrong", name, job->n);
    }
    free(y);
    free(z);
    return ok;
}

static bool time_rival(paper *w, rival_job *job, gfp_ntt_form form, double two_ms[CALLS],
                       double three_ms[CALLS])
{
    static const double row_ms = 2;
    const char *field = gfp_field_name(job->field);
    gfp_gpu_times of_steps;
    timing taken[2][CALLS]; /* times without recombination, and with recombination */

    if (!rival_times(job, &of_steps, &taken[0][ONE_CALL], &taken[1][ONE_CALL])) {
        return false;
    }
    const double repeats = row_ms * 1e6 / taken[1][ONE_CALL].median_ns;
    for (int with = 0; with < 2; with++) {
        rival_row r = {job, repeats < 1 ? 1 : repeats < 16 ? (unsigned)repeats : 16, with != 0};
        timing row;
        if (!succeeds(job->b, time_runs(job->b, run_rival_row, &r, &row), field)) {
            return false;
        }
        taken[with][MANY_CALLS] = timing_divide(row, r.repeats);
    }
    for (int i = 0; i < 2 * CALLS; i++) {
        const int with = i / CALLS, calls = i % CALLS;
        char name[72];
        snprintf(name, sizeof(name), "small primes, %s%s, %s", gfp_ntt_form_name(form),
                 with ? ", recombined" : "", call_names[calls]);
        if (!note_gpu_figure(w, field, name, job->n, &taken[with][calls])) {
            return false;
        }
        (with ? three_ms : two_ms)[calls] = taken[with][calls].median_ns / 1e6;
    }
    return true;
}

/* A failure on the device is reported and gives 0. Returns false if the CPU's side fails. */
static bool find_on_gpu(paper *w, unsigned k, unsigned e, gpu_approaches *found)
{
    gpu_approaches g = {.k = k, .e = e};
    const size_t n = points_of(k, e);
    approach cpu;
    char name[16];

    *found = g;
    for (size_t i = 0; i < w->gpu_count; i++) {
        if (w->on_gpu[i].k == k && w->on_gpu[i].e == e) {
            *found = w->on_gpu[i];
            return true;
        }
    }
    if (w->gpu.gpu == NULL || left_out(w, n)) {
        return true;
    }
    if (!find_small(w, k, e, GFP_NTT_BLOCKED, &cpu)) {
        return false;
    }
    snprintf(name, sizeof(name), "p%u", k);
    progress(name, "on the device", n);
    for (int i = 0; i < BIG_FORMS * CALLS; i++) {
        g.big_ms[i / CALLS][i % CALLS] = gpu_big_ms(w, k, n, big_forms[i / CALLS], i % CALLS);
    }
    for (int i = 0; i < RIVAL_FORMS; i++) {
        rival_job job;
        if (!rival_open(&job, &w->gpu, name, n, forms[i]) || !check_rival(&job, cpu.hash) ||
            !time_rival(w, &job, forms[i], g.two_ms[i], g.three_ms[i])) {
            memset(g.two_ms[i], 0, sizeof(g.two_ms[i]));
            memset(g.three_ms[i], 0, sizeof(g.three_ms[i]));
        }
        rival_close(&job);
    }
    progress_end();
    if (w->gpu_count < MOST_MEASURED) {
        w->on_gpu[w->gpu_count++] = g;
    }
    *found = g;
    return true;
}

/* ---- Table 2 ---- */

static void say_calls(FILE *out)
{
    fputs("One call: from its start to its end on the device (the rival: its steps). Many: "
          "shorter "
          "transforms over Z/pZ up to 256 in one plan and all in a graph, calls of the rival one "
          "behind another; for each. Data lie on the device, medians. The rival: projection to "
          "2k "
          "half-word primes and their transforms, without recombination where nothing else is "
          "said. "
          "\"Ours\": the library's usual forms.\n\n",
          out);
}

static void table2_row(paper *w, const published_table *p, size_t row, const gpu_approaches *g,
                       int calls)
{
    const double big_was = published_figure(p, row, "big_prime");

    fprintf(w->out, "| %s | p%u, %u (%zu)", p->machine, g->k, g->e, points_of(g->k, g->e));
    for (int i = 0; i < PUBLISHED_FORMS; i++) {
        table_gpu_cell(w, published_figure(p, row, form_columns[i]), g->two_ms[i][calls]);
    }
    for (int i = 0; i < BIG_FORMS; i++) {
        table_gpu_cell(w, big_was, g->big_ms[i][calls]);
    }
    table_row_end(w->out);
}

/* Rows of this program only: lengths that the paper leaves out. */
static bool table2_recombination(paper *w, const published_table *p)
{
    static const char *const columns[] = {"prime, e (N)",
                                          "calls",
                                          "Cooley-Tukey",
                                          "and recombination",
                                          "tabulated powers",
                                          "and recombination",
                                          "Stockham",
                                          "and recombination",
                                          "ours",
                                          "and recombination",
                                          NULL};

    fputs("\nThe rival here, without and with recombination, ms:\n\n", w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p->rows * CALLS; i++) {
        const unsigned k = key_of(p, i / CALLS, "k"), e = key_of(p, i / CALLS, "e");
        gpu_approaches g;
        if (!find_on_gpu(w, k, e, &g)) {
            return false;
        }
        fprintf(w->out, "| p%u, %u (%zu) | %s", k, e, points_of(k, e), call_names[i % CALLS]);
        for (int j = 0; j < RIVAL_FORMS; j++) {
            table_gpu_cell(w, 0, g.two_ms[j][i % CALLS]);
            table_gpu_cell(w, 0, g.three_ms[j][i % CALLS]);
        }
        table_row_end(w->out);
    }
    return true;
}

static bool table2_on_cpu(paper *w, const published_table *p)
{
    static const char *const columns[] = {"prime, e (N)",
                                          "Cooley-Tukey",
                                          "and recombination",
                                          "tabulated powers",
                                          "and recombination",
                                          "Stockham",
                                          "and recombination",
                                          "ours",
                                          "and recombination",
                                          "big prime",
                                          NULL};

    fputs("\nThe same on one processor of this machine, ms:\n\n", w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p->rows; i++) {
        const unsigned k = key_of(p, i, "k"), e = key_of(p, i, "e");
        double big;
        fprintf(w->out, "| p%u, %u (%zu)", k, e, points_of(k, e));
        for (int j = 0; j < RIVAL_FORMS; j++) {
            approach a;
            if (!find_small(w, k, e, forms[j], &a)) {
                return false;
            }
            table_cell(w->out, 0, a.two_ms);
            table_cell(w->out, 0, a.three_ms);
        }
        if (!find_big(w, k, e, &big)) {
            return false;
        }
        table_cell(w->out, 0, big);
        table_row_end(w->out);
    }
    return true;
}

bool issac_table2(paper *w)
{
    static const char *const columns[] = {
        "machine",  "prime, e (N)",      "Cooley-Tukey",    "tabulated powers",
        "Stockham", "big prime, theirs", "big prime, ours", NULL};
    static published_table p[COUNT(table2_files)];

    for (size_t f = 0; f < COUNT(table2_files); f++) {
        if (!published_load(&p[f], w->folder, table2_files[f])) {
            return false;
        }
    }
    table_title(w->out, &p[0], true);
    say_calls(w->out);
    /* Without a device a single table says so. */
    for (int calls = 0; calls < (w->gpu.gpu != NULL ? CALLS : 1); calls++) {
        fprintf(w->out, "%s%s:\n\n", calls == 0 ? "" : "\n",
                calls == ONE_CALL ? "One call" : "Many calls");
        table_head(w->out, columns);
        for (size_t f = 0; f < COUNT(table2_files); f++) {
            for (size_t i = 0; i < p[f].rows; i++) {
                gpu_approaches g;
                if (!find_on_gpu(w, key_of(&p[f], i, "k"), key_of(&p[f], i, "e"), &g)) {
                    return false;
                }
                table2_row(w, &p[f], i, &g, calls);
            }
        }
    }
    return (w->gpu.gpu == NULL || table2_recombination(w, &p[0])) && table2_on_cpu(w, &p[0]);
}

bool issac_figures1_2(paper *w)
{
    static const char *const columns[] = {"prime, e (N)",     "here",     "Cooley-Tukey",
                                          "tabulated powers", "Stockham", NULL};
    static const struct {
        const char *text;
        int big, calls;
        bool recombined;
    } kinds[] = {{"big prime in the paper's form, one call", BIG_PAPERS, ONE_CALL, false},
                 {"the same, many calls", BIG_PAPERS, MANY_CALLS, false},
                 {"the same, with recombination", BIG_PAPERS, MANY_CALLS, true},
                 {"big prime in our form, one call", BIG_OURS, ONE_CALL, false},
                 {"the same, many calls", BIG_OURS, MANY_CALLS, false},
                 {"the same, with recombination", BIG_OURS, MANY_CALLS, true}};
    published_table p;

    if (!published_load(&p, w->folder, "issac-figures1-2")) {
        return false;
    }
    table_title(w->out, &p, false);
    say_calls(w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
        gpu_approaches g;
        double big;
        if (!find_on_gpu(w, k, e, &g) || !find_big(w, k, e, &big)) {
            return false;
        }
        for (size_t j = 0; j < (w->gpu.gpu != NULL ? COUNT(kinds) : 1); j++) {
            fprintf(w->out, "| p%u, %u (%zu) | %s", k, e, points_of(k, e), kinds[j].text);
            for (int f = 0; f < PUBLISHED_FORMS; f++) {
                const double *ms = kinds[j].recombined ? g.three_ms[f] : g.two_ms[f];
                table_gpu_cell(w, published_figure(&p, i, form_columns[f]),
                               per(ms[kinds[j].calls], g.big_ms[kinds[j].big][kinds[j].calls]));
            }
            table_row_end(w->out);
        }
        fprintf(w->out, "| p%u, %u (%zu) | CPU, one processor", k, e, points_of(k, e));
        for (int f = 0; f < PUBLISHED_FORMS; f++) {
            approach small;
            if (!find_small(w, k, e, forms[f], &small)) {
                return false;
            }
            table_cell(w->out, published_figure(&p, i, form_columns[f]), per(small.two_ms, big));
        }
        table_row_end(w->out);
    }
    return true;
}

/* ---- Table 4 ---- */

/* The least and the greatest of the known times; 0: none is known. */
static void range_of(const double *ms, size_t count, double *least, double *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < count; i++) {
        if (ms[i] > 0) {
            *least = *least > 0 && *least < ms[i] ? *least : ms[i];
            *most = *most > ms[i] ? *most : ms[i];
        }
    }
}

bool issac_table4(paper *w)
{
    static const char *const columns[] = {"prime, e (N)",       "CPU, small primes, ms",
                                          "CPU, big prime, ms", "small, lowest",
                                          "small, highest",     "small, ours",
                                          "big, lowest",        "big, highest",
                                          "big, ours",          NULL};
    published_table p;

    if (!published_load(&p, w->folder, "issac-table4")) {
        return false;
    }
    table_title(w->out, &p, false);
    fputs("Here: one processor (the library's usual forms) by the device: by its paper's forms, "
          "the slowest and the fastest of one call and many (the rival: of three forms too), and "
          "by "
          "our forms, many calls.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
        gpu_approaches g;
        approach small;
        double big, least, most;
        if (!find_on_gpu(w, k, e, &g) || !find_big(w, k, e, &big) ||
            !find_small(w, k, e, GFP_NTT_BLOCKED, &small)) {
            return false;
        }
        fprintf(w->out, "| p%u, %u (%zu)", k, e, points_of(k, e));
        table_cell(w->out, 0, small.two_ms);
        table_cell(w->out, 0, big);
        range_of(g.two_ms[0], (size_t)PUBLISHED_FORMS * CALLS, &least, &most);
        table_gpu_cell(w, published_figure(&p, i, "small_lowest"), per(small.two_ms, most));
        table_gpu_cell(w, published_figure(&p, i, "small_highest"), per(small.two_ms, least));
        table_gpu_cell(w, 0, per(small.two_ms, g.two_ms[RIVAL_FORMS - 1][MANY_CALLS]));
        range_of(g.big_ms[BIG_PAPERS], CALLS, &least, &most);
        table_gpu_cell(w, published_figure(&p, i, "big_lowest"), per(big, most));
        table_gpu_cell(w, published_figure(&p, i, "big_highest"), per(big, least));
        table_gpu_cell(w, 0, per(big, g.big_ms[BIG_OURS][MANY_CALLS]));
        table_row_end(w->out);
    }
    return true;
}

/* ---- Figure 3 ---- */

static double step_ms(const gfp_gpu_times *taken, const char *name)
{
    double ms = 0;

    for (unsigned i = 0; i < taken->count; i++) {
        ms += name == NULL || strcmp(taken->step[i].name, name) == 0 ? taken->step[i].ms : 0;
    }
    return ms;
}

bool issac_figure3(paper *w)
{
    static const char *const columns[] = {
        "prime, N", "on", "twiddle products, %", "base cases, %", "permutations, %", "layout, %",
        "all, ms",  NULL};
    static const char *const names[] = {"twiddle", "base case", "permutation", "layout"};
    static const unsigned parts[] = {PART_TWIDDLE, PART_DFT, PART_PERMUTATION};
    static const unsigned keys[] = {8, 16};

    fputs("\n## Figure 3: share of each step at N = K^4\n\nChen, Covanov, Mohajerani, Moreno "
          "Maza: "
          "Big prime field FFT on the GPU, ISSAC 2017, doi 10.1145/3087604.3087657. A plot "
          "without figures; it says that twiddle products take most, for both primes. Here: "
          "the papers' form on the device, and the six-step form on one processor.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < COUNT(keys); i++) {
        const measured key = {
            .letter = 'p', .k = keys[i], .e = profiled_e(w, keys[i]), .threads = 1};
        const size_t n = points_of(key.k, key.e);
        gfp_gpu_times taken = {.count = 0};
        measured cpu;
        char name[16];
        snprintf(name, sizeof(name), "p%u", key.k);
        if (w->gpu.gpu != NULL && !left_out(w, n)) {
            (void)!dft_steps(&w->gpu, name, n, DFT_PAPERS, &taken);
        }
        fprintf(w->out, "| %s, %zu | device", name, n);
        for (size_t j = 0; j < COUNT(names); j++) {
            table_gpu_cell(w, 0, 100 * per(step_ms(&taken, names[j]), step_ms(&taken, NULL)));
        }
        table_gpu_cell(w, 0, step_ms(&taken, NULL));
        table_row_end(w->out);
        if (!find_steps(w, &key, &cpu)) {
            return false;
        }
        fprintf(w->out, "| %s, %zu | CPU", name, n);
        for (size_t j = 0; j < COUNT(parts); j++) {
            table_cell(w->out, 0, 100 * per(cpu.part[parts[j]], cpu.ns));
        }
        table_cell(w->out, 0, 0);
        table_cell(w->out, 0, cpu.ns / 1e6);
        table_row_end(w->out);
    }
    return true;
}
