/* papers/issac.c: the tables and figures of "Big prime field FFT on the GPU" (ISSAC 2017) except
 * its profile: a transform over Z/pZ compared with transforms modulo 2k half-word primes, on a CUDA
 * device if there is one, and on the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/rival.h"
#if PAPERS_HAVE_NTL
#include "papers/ntl_dft.h"
#endif
#include "papers/tables.h"

/* The forms that the papers compare, and the form that is fastest in this library. */
static const gfp_ntt_form forms[RIVAL_FORMS] = {
    GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM, GFP_NTT_BLOCKED};
#define PUBLISHED_FORMS 3
static const char *const form_columns[PUBLISHED_FORMS] = {"cooley_tukey", "cooley_tukey_powers",
                                                          "stockham"};
static const dft_form big_forms[BIG_FORMS] = {DFT_PAPERS, DFT_AUTO};
static const char *const table3_files[] = {"issac-table3-x5650", "issac-table3-fx8350",
                                           "issac-table3-i7-4700hq"};
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
#if PAPERS_HAVE_NTL
    ntl_dft *ntl;
#endif
    size_t n;
    gfp_options options;        /* threads */
    uint64_t *x, *y, *integers; /* elements or residues */
    double two_ns, three_ns;    /* the least time of steps 1 and 2, and of all three */
} cpu_job;

static bool run_big(void *context)
{
    cpu_job *a = context;
    return gfp_fft_forward(a->big, a->y, a->x, GFP_ORDER_NATURAL, &a->options) == GFP_OK;
}

static bool run_small(void *context)
{
    cpu_job *a = context;
    gfp_crt_rival_times taken;

    if (gfp_crt_rival_forward(a->small, a->integers, a->y, a->x, &taken, NULL, &a->options) !=
        GFP_OK) {
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
#if PAPERS_HAVE_NTL
    ntl_dft_close(a->ntl);
#endif
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
    const gfp_crt_rival_options options = {.primes = m->primes, .ntt = {.form = m->form}};
    gfp_random g;

    *a = (cpu_job){.field = open_field('p', m->k), .n = points_of(m->k, m->e)};
    a->options.threads = m->threads == 0 ? 1 : m->threads;
    if (a->field == NULL) {
        return false;
    }
    size_t y_words = m->k;
    size_t z_words = 1;
    bool ok;
    if (m->big || m->ntl) {
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
    char name[64];
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
    return note_figure(w, gfp_field_name(a->field),
                       name_by_threads(name, sizeof(name), "big-prime DFT", m->threads), a->n, &t);
}

/* expected: the hash of another form's results; 0 for the first form. */
static bool measure_small(paper *w, cpu_job *a, approach *m, uint64_t expected)
{
    char name[64], full[96];

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
    snprintf(name, sizeof(name), "small primes%s, %s, recombined",
             m->primes == GFP_CRT_RIVAL_WORDS ? " of 62 bits" : "", gfp_ntt_form_name(m->form));
    return note_figure(w, gfp_field_name(a->field),
                       name_by_threads(full, sizeof(full), name, m->threads), a->n, &t);
}

/* 0 remains where NTL is missing. */
static bool measure_ntl(paper *w, cpu_job *a, approach *m)
{
#if PAPERS_HAVE_NTL
    const size_t bits = gfp_field_bits(a->field), limbs = (bits + 63) / 64;
    uint64_t *x = calloc(a->n, limbs * sizeof(*x));
    char name[64];
    timing t;

    if (x == NULL) {
        return false;
    }
    gfp_vec_get_limbs(a->field, x, limbs, a->x, a->n);
    a->ntl = ntl_dft_open(x, a->n, limbs, bits);
    free(x);
    if (a->ntl == NULL || !ntl_dft_check(a->ntl)) {
        return false;
    }
    const uint64_t start = clock_ns();
    double ns = ntl_dft_run(a->ntl) ? (double)(clock_ns() - start) : 0;
    t = timing_of(&ns, 1, 1);
    if (!is_long(w, ns) && !measure(&t, w->s.seconds, ntl_dft_run, a->ntl)) {
        return false;
    }
    m->two_ms = t.min_ns / 1e6;
    snprintf(name, sizeof(name), "small primes by NTL, %zu", ntl_dft_primes(a->ntl));
    return note_figure(w, gfp_field_name(a->field), name, a->n, &t);
#else
    (void)w, (void)a, (void)m;
    return true;
#endif
}

/* *found := the figures of (k, e, big or form), measured once; all 0 if N is left out. */
static bool find_approach(paper *w, approach key, approach *found)
{
    const approach first = {.k = key.k, .e = key.e, .primes = key.primes, .form = GFP_NTT_BLOCKED};
    const bool by_primes = !key.big && !key.ntl;
    approach reference = {.hash = 0};

    for (size_t i = 0; i < w->approach_count; i++) {
        const approach *x = &w->approaches[i];
        if (x->k == key.k && x->e == key.e && x->big == key.big && x->ntl == key.ntl &&
            x->primes == key.primes && x->form == key.form && x->threads == key.threads) {
            *found = *x;
            return true;
        }
    }
    if (!left_out(w, points_of(key.k, key.e))) {
        cpu_job a;
        if (by_primes && (key.form != GFP_NTT_BLOCKED || key.threads > 1) &&
            !find_approach(w, first, &reference)) {
            return false;
        }
        const char *what = key.big ? "big prime" : key.ntl ? "NTL" : gfp_ntt_form_name(key.form);
        progress(what, "on the CPU", points_of(key.k, key.e));
        const bool ok =
            cpu_open(&a, &key) && (key.big   ? measure_big(w, &a, &key)
                                   : key.ntl ? measure_ntl(w, &a, &key)
                                             : measure_small(w, &a, &key, reference.hash));
        cpu_close(&a);
        progress_end();
        if (!ok) {
            return complain("p%u, %zu points, %s: failed, or wrong", key.k, points_of(key.k, key.e),
                            what);
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

static bool table3_row(paper *w, const published_table *p, size_t i)
{
    const unsigned k = key_of(p, i, "k"), e = key_of(p, i, "e");
    const double small_was = published_figure(p, i, "small_primes");
    const double big_was = published_figure(p, i, "big_prime");
    const approach by_words = {
        .k = k, .e = e, .primes = GFP_CRT_RIVAL_WORDS, .form = GFP_NTT_BLOCKED};
    const approach by_ntl = {.k = k, .e = e, .ntl = true};
    const approach small_key = {.k = k, .e = e, .form = GFP_NTT_BLOCKED, .threads = w->threads};
    const approach big_key = {.k = k, .e = e, .big = true, .threads = w->threads};
    approach small, words, ntl, small_all = {.two_ms = 0}, big_all = {.two_ms = 0};
    double big;
    if (!find_big(w, k, e, &big) || !find_small(w, k, e, GFP_NTT_BLOCKED, &small) ||
        !find_approach(w, by_words, &words) || !find_approach(w, by_ntl, &ntl) ||
        (w->threads > 1 &&
         (!find_approach(w, small_key, &small_all) || !find_approach(w, big_key, &big_all)))) {
        return false;
    }
    fprintf(w->out, "| %s | p%u, %u (%zu)", p->machine, k, e, points_of(k, e));
    table_cell(w->out, small_was, ntl.two_ms);
    table_cell(w->out, 0, small.two_ms);
    table_cell(w->out, 0, small.three_ms);
    table_cell(w->out, 0, words.two_ms);
    table_cell(w->out, 0, words.three_ms);
    table_cell(w->out, big_was, big);
    table_cell(w->out, per(small_was, big_was), per(ntl.two_ms, big));
    table_cell(w->out, 0, per(small.two_ms, big));
    table_cell(w->out, 0, small_all.two_ms);
    table_cell(w->out, 0, big_all.two_ms);
    table_cell(w->out, 0, per(small_all.two_ms, big_all.two_ms));
    table_row_end(w->out);
    return true;
}

bool issac_table3(paper *w)
{
    static const char *const columns[] = {"machine",
                                          "prime, e (N)",
                                          "small primes, NTL",
                                          "half words, ours",
                                          "with recombination",
                                          "62 bits, ours",
                                          "with recombination",
                                          "big prime",
                                          "NTL / big",
                                          "half words / big",
                                          "half words, all threads",
                                          "big prime, all threads",
                                          "half words / big, all threads",
                                          NULL};
    published_table p;

    for (size_t f = 0; f < COUNT(table3_files); f++) {
        if (!published_load(&p, w->folder, table3_files[f])) {
            return false;
        }
        if (f == 0) {
            table_title(w->out, &p, true);
            fprintf(
                w->out,
                "Here, on one processor: NTL with as few of its primes of up to 60 bits as have "
                "a product above p%s; 2k primes below 2^31; as few primes below 2^62 as have a "
                "product above p. The last three columns: both sides by all threads, %u.\n\n",
                PAPERS_HAVE_NTL ? "" : " (this build has no NTL)", w->threads);
            table_head(w->out, columns);
        }
        for (size_t i = 0; i < p.rows; i++) {
            if (!table3_row(w, &p, i)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- on the device ---- */

/* Checks that residues and integers of all vectors equal the CPU's. */
static bool check_rival(rival_job *job, uint64_t expected)
{
    const size_t primes = gfp_gpu_rival_plan_prime_count(job->plan);
    const size_t y_words = job->n * primes, z_words = job->n * gfp_gpu_rival_plan_words(job->plan);
    const char *name = gfp_field_name(job->field);
    uint64_t *y = malloc(y_words * sizeof(*y));
    uint64_t *z = malloc(z_words * sizeof(*z));
    bool ok = (y != NULL && z != NULL) || fails(job->b, "%s: no memory", name);

    job->recombine = true;
    ok = ok && succeeds(job->b, run_rival(job), name);
    for (size_t b = 0; b < job->batch && ok; b++) {
        for (size_t i = 0; i < primes && ok; i++) {
            const size_t from = (i * job->batch + b) * job->n;
            ok = succeeds(job->b, gfp_gpu_download(y + i * job->n, job->y, from, job->n), name);
        }
        ok = ok && succeeds(job->b, gfp_gpu_download(z, job->z, b * z_words, z_words), name) &&
             (hash_words(z, z_words, hash_words(y, y_words, 1)) == expected ||
              fails(job->b, "%s, N = %zu: the rival's result is wrong", name, job->n));
    }
    free(y);
    free(z);
    return ok;
}

/* t[0] and t[1] := the times of a plan of `batch` vectors without and with recombination. */
static bool time_rival(paper *w, const char *field, size_t n, gfp_ntt_form form, size_t batch,
                       uint64_t expected, times t[2])
{
    const gfp_gpu_rival_options options = {.form = form, .batch = batch};
    rival_job job;

    bool ok = rival_open(&job, &w->gpu, field, n, &options) && check_rival(&job, expected);
    for (int with = 0; with < 2 && ok; with++) {
        job.recombine = with != 0;
        ok = time_body(&w->gpu, run_rival, &job, &t[with], field);
    }
    rival_close(&job);
    return ok;
}

/* two_ms[], three_ms[] := the times of each way, or 0 after a complaint. */
static void measure_rival_on_gpu(paper *w, const char *field, size_t n, gfp_ntt_form form,
                                 uint64_t expected, double two_ms[CALLS], double three_ms[CALLS])
{
    const size_t batch = vectors_at_once(w, n);
    times alone[2], together[2];

    bool ok = time_rival(w, field, n, form, 1, expected, alone);
    memcpy(together, alone, sizeof(together));
    ok = ok && (batch == 1 || time_rival(w, field, n, form, batch, expected, together));
    for (int with = 0; with < 2 && ok; with++) {
        char what[64];
        snprintf(what, sizeof(what), "small primes, %s%s", gfp_ntt_form_name(form),
                 with ? ", recombined" : "");
        ok = note_calls(w, field, what, n, &alone[with], &together[with], with ? three_ms : two_ms);
    }
    if (!ok) {
        memset(two_ms, 0, CALLS * sizeof(*two_ms));
        memset(three_ms, 0, CALLS * sizeof(*three_ms));
    }
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
    for (int i = 0; i < BIG_FORMS; i++) {
        const dft_options options = {.form = big_forms[i]};
        measure_big_on_gpu(w, name, n, &options, g.big_ms[i]);
    }
    for (int i = 0; i < RIVAL_FORMS; i++) {
        measure_rival_on_gpu(w, name, n, forms[i], cpu.hash, g.two_ms[i], g.three_ms[i]);
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
    fputs("Both approaches are called in the same ways. One call: from its start to its end on the "
          "device. Calls in a row: calls of the same plan one behind another in a graph, the time "
          "of one. Batches: up to 256 vectors in one plan, with up to 2^20 points in all, in a "
          "graph, the time of one vector. Data lie on the device, medians. The rival: projection "
          "to 2k half-word primes and their transforms, without recombination where nothing else "
          "is said. \"Ours\": the library's usual forms.\n\n",
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
        static const char *const titles[CALLS] = {"One call", "Calls in a row", "Batches"};
        fprintf(w->out, "%s%s:\n\n", calls == 0 ? "" : "\n", titles[calls]);
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

/* A published ratio and this machine's, of form f. Without a device: the CPU's. */
static void picture_ratio(figure *picture, unsigned k, unsigned e, int f, double was, double here)
{
    static const char *const names[PUBLISHED_FORMS] = {"Cooley-Tukey", "tabulated powers",
                                                       "Stockham"};
    char label[48], series[64];

    snprintf(label, sizeof(label), "p%u, %u^%u", k, 2 * k, e);
    snprintf(series, sizeof(series), "%s, published", names[f]);
    figure_put(picture, label, series, true, was);
    figure_put(picture, label, names[f], false, here);
}

bool issac_figures1_2(paper *w)
{
    figure picture = {.kind = FIGURE_BARS,
                      .logarithmic = true,
                      .title = w->gpu.gpu != NULL
                                   ? "Small primes relative to the big prime, on a device, batches"
                                   : "Small primes relative to the big prime, on one processor",
                      .x_label = "prime, points",
                      .y_label = "small primes / big prime"};
    static const char *const columns[] = {"prime, e (N)",     "here",     "Cooley-Tukey",
                                          "tabulated powers", "Stockham", NULL};
    static const struct {
        const char *text;
        int big, calls;
        bool recombined;
    } kinds[] = {{"big prime in the paper's form, one call", BIG_PAPERS, ONE_CALL, false},
                 {"the same, calls in a row", BIG_PAPERS, CALLS_IN_A_ROW, false},
                 {"the same, batches", BIG_PAPERS, BATCHES, false},
                 {"the same, with recombination", BIG_PAPERS, BATCHES, true},
                 {"big prime in our form, one call", BIG_OURS, ONE_CALL, false},
                 {"the same, calls in a row", BIG_OURS, CALLS_IN_A_ROW, false},
                 {"the same, batches", BIG_OURS, BATCHES, false},
                 {"the same, with recombination", BIG_OURS, BATCHES, true}};
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
                const double ratio =
                    per(ms[kinds[j].calls], g.big_ms[kinds[j].big][kinds[j].calls]);
                table_gpu_cell(w, published_figure(&p, i, form_columns[f]), ratio);
                if (kinds[j].big == BIG_PAPERS && kinds[j].calls == BATCHES &&
                    !kinds[j].recombined) {
                    picture_ratio(&picture, k, e, f, published_figure(&p, i, form_columns[f]),
                                  ratio);
                }
            }
            table_row_end(w->out);
        }
        fprintf(w->out, "| p%u, %u (%zu) | CPU, one processor", k, e, points_of(k, e));
        for (int f = 0; f < PUBLISHED_FORMS; f++) {
            approach small;
            if (!find_small(w, k, e, forms[f], &small)) {
                return false;
            }
            const double was = published_figure(&p, i, form_columns[f]);
            table_cell(w->out, was, per(small.two_ms, big));
            if (w->gpu.gpu == NULL) {
                picture_ratio(&picture, k, e, f, was, per(small.two_ms, big));
            }
        }
        table_row_end(w->out);
    }
    return figure_draw(w, &picture, "issac-figures1-2");
}

/* ---- Table 4 ---- */

/* Widens the range by the known times; 0, 0: none is known. */
static void range_of(const double *ms, size_t count, double *least, double *most)
{
    for (size_t i = 0; i < count; i++) {
        if (ms[i] > 0) {
            *least = *least > 0 && *least < ms[i] ? *least : ms[i];
            *most = *most > ms[i] ? *most : ms[i];
        }
    }
}

/* The range of the CPUs' published times (Table 3). */
static bool published_range(const paper *w, unsigned k, unsigned e, const char *column,
                            double *least, double *most)
{
    *least = *most = 0;
    for (size_t f = 0; f < COUNT(table3_files); f++) {
        published_table p;
        if (!published_load(&p, w->folder, table3_files[f])) {
            return false;
        }
        const double ms = published_figure(&p, published_row(&p, k, e), column);
        range_of(&ms, 1, least, most);
    }
    return true;
}

/* The cells of one approach: the CPU's time, and ratios to the device's slowest, fastest and usual.
 */
static bool table4_cells(paper *w, const published_table *p, size_t row, const char *approach_name,
                         double cpu, const double *device, size_t count, double usual)
{
    const unsigned k = key_of(p, row, "k"), e = key_of(p, row, "e");
    char column[40];
    double least, most;

    snprintf(column, sizeof(column), "%s_prime%s", approach_name,
             strcmp(approach_name, "small") == 0 ? "s" : "");
    if (!published_range(w, k, e, column, &least, &most)) {
        return false;
    }
    table_range_cell(w->out, least, most, cpu);
    least = most = 0;
    range_of(device, count, &least, &most);
    snprintf(column, sizeof(column), "%s_lowest", approach_name);
    table_gpu_cell(w, published_figure(p, row, column), per(cpu, most));
    snprintf(column, sizeof(column), "%s_highest", approach_name);
    table_gpu_cell(w, published_figure(p, row, column), per(cpu, least));
    table_gpu_cell(w, 0, per(cpu, usual));
    return true;
}

bool issac_table4(paper *w)
{
    static const char *const columns[] = {"prime, e (N)",  "CPU, small primes, ms",
                                          "small, lowest", "small, highest",
                                          "small, ours",   "CPU, big prime, ms",
                                          "big, lowest",   "big, highest",
                                          "big, ours",     NULL};
    published_table p;

    if (!published_load(&p, w->folder, "issac-table4")) {
        return false;
    }
    table_title(w->out, &p, false);
    fputs("Here: one processor (the library's usual forms) by the device: by its paper's forms, "
          "the slowest and the fastest of all ways to call them (the rival: of three forms too), "
          "and by our forms in batches.\n\n",
          w->out);
    table_head(w->out, columns);
    for (size_t i = 0; i < p.rows; i++) {
        const unsigned k = key_of(&p, i, "k"), e = key_of(&p, i, "e");
        gpu_approaches g;
        approach small;
        double big;
        if (!find_on_gpu(w, k, e, &g) || !find_big(w, k, e, &big) ||
            !find_small(w, k, e, GFP_NTT_BLOCKED, &small)) {
            return false;
        }
        fprintf(w->out, "| p%u, %u (%zu)", k, e, points_of(k, e));
        if (!table4_cells(w, &p, i, "small", small.two_ms, g.two_ms[0],
                          (size_t)PUBLISHED_FORMS * CALLS, g.two_ms[RIVAL_FORMS - 1][BATCHES]) ||
            !table4_cells(w, &p, i, "big", big, g.big_ms[BIG_PAPERS], CALLS,
                          g.big_ms[BIG_OURS][BATCHES])) {
            return false;
        }
        table_row_end(w->out);
    }
    return true;
}

/* ---- Figure 3 ---- */

static void picture_share(figure *picture, const char *field, const char *on, const char *step,
                          double share)
{
    char label[48];

    snprintf(label, sizeof(label), "%s, %s", field, on);
    figure_put(picture, label, step, false, share);
}

bool issac_figure3(paper *w)
{
    figure picture = {.kind = FIGURE_STACKS,
                      .title = "Share of each step",
                      .x_label = "prime, place",
                      .y_label = "%"};
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
            const dft_options options = {.form = DFT_PAPERS};
            (void)!dft_steps(&w->gpu, name, n, &options, &taken);
        }
        fprintf(w->out, "| %s, %zu | device", name, n);
        for (size_t j = 0; j < COUNT(names); j++) {
            const double share = 100 * step_ms(&taken, names[j]) / step_ms(&taken, NULL);
            if (taken.count > 0) {
                table_measured_cell(w->out, 0, share);
                picture_share(&picture, name, "device", names[j], share);
            } else {
                table_gpu_cell(w, 0, 0);
            }
        }
        table_gpu_cell(w, 0, step_ms(&taken, NULL));
        table_row_end(w->out);
        if (!find_steps(w, &key, &cpu)) {
            return false;
        }
        fprintf(w->out, "| %s, %zu | CPU", name, n);
        for (size_t j = 0; j < COUNT(parts); j++) {
            const double share = cpu.ns > 0 ? 100 * cpu.part[parts[j]] / cpu.ns : NAN;
            table_measured_cell(w->out, 0, share);
            picture_share(&picture, name, "CPU", names[j], share);
        }
        table_cell(w->out, 0, 0);
        table_cell(w->out, 0, cpu.ns / 1e6);
        table_row_end(w->out);
    }
    return figure_draw(w, &picture, "issac-figure3");
}
