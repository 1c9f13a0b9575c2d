/* bench/gpu/main.c: gfpoly_gpu_bench: times of transforms and products on a CUDA device, as
 * Markdown tables: transforms over Z/pZ (with goals, an earlier prototype and other libraries on
 * the same kind of device), transforms over word-size primes, the papers' form step by step, and
 * their rival. All results are compared with the CPU's before they are timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/bench.h"
#include "fft/words/primes.h"
#include "gpu/arrays.h"

#define SKIPPED 77

void cell(double x)
{
    if (x > 0) {
        printf(" %.4g |", x);
    } else {
        printf(" – |");
    }
}

/* ---- transforms over Z/pZ ---- */

/* Goals, and earlier times on one H200, in milliseconds (0: none): of a prototype, and of another
 * library or the papers' code on integers of as many bits. */
typedef struct dft_row {
    const char *field;
    unsigned log2_n;
    size_t batch;
    double goal, prototype, peer;
    const char *peer_name;
} dft_row;

static const dft_row dft_rows[] = {
    {"p4", 16, 1, 0.014, 0.020, 0.020, "sppark"},
    {"p4", 20, 1, 0.135, 0.170, 0.257, "sppark"},
    {"p4", 24, 1, 2.35, 2.60, 4.42, "sppark"},
    {"p4", 8, 4096, 0.15, 0, 0.28, "ICICLE"},
    {"p8", 12, 1, 0, 0, 0.31, "papers' code"},
    {"p8", 16, 1, 0.016, 0.023, 2.10, "papers' code"},
    {"p8", 20, 1, 0.235, 0.268, 54.5, "papers' code"},
    {"p8", 24, 1, 4.6, 4.89, 0, ""},
    {"p16", 10, 1, 0, 0, 0.27, "papers' code"},
    {"p16", 16, 1, 0.042, 0.054, 0, ""},
    {"p16", 20, 1, 0.65, 0.83, 70.2, "papers' code"},
};

static bool dft_times(dft_job *w, times t[4])
{
    for (int i = 0; i < 4; i++) {
        w->order = i % 2 == 0 ? GFP_ORDER_PERMUTED : GFP_ORDER_NATURAL;
        w->inverse = i / 2 != 0;
        if (!time_body(w->b, run_dft, w, &t[i], gfp_field_name(w->field))) {
            return false;
        }
    }
    return true;
}

bool wanted(const bench *b, const char *field, size_t words)
{
    return (b->only == NULL || strcmp(b->only, field) == 0) &&
           (!b->quick || words <= (size_t)1 << 18);
}

static void print_dft_row(bench *b, const dft_row *row)
{
    const size_t n = (size_t)1 << row->log2_n;
    const dft_options options = {.batch = row->batch};
    dft_job w;
    times t[4];
    bool absent;
    if (!wanted(b, row->field, n * row->batch * 4)) {
        return;
    }
    if (dft_open(&w, b, row->field, n, &options, &absent) && dft_check(&w) && dft_times(&w, t)) {
        printf("| %s | %zu × 2^%u | %s |", row->field, row->batch, row->log2_n, dft_name(&w));
        cell(t[0].graph_ms);
        cell(row->goal);
        cell(row->prototype);
        cell(row->peer);
        printf(" %s |", row->peer_name);
        cell(t[0].single_ms);
        cell(t[2].graph_ms / t[0].graph_ms);
        cell(t[1].graph_ms / t[0].graph_ms);
        cell(t[3].graph_ms / t[0].graph_ms);
        /* At least every byte is read once and written once. */
        cell(2 * 8e-6 * (double)w.words / t[0].graph_ms);
        cell((double)gfp_gpu_fft_plan_bytes(w.plan) / 1048576);
        printf("\n");
        (void)fflush(stdout);
    }
    dft_close(&w);
}

static void bench_dft_rows(bench *b)
{
    printf("\n## Forward DFT over Z/pZ, permuted order, ms\n\n"
           "| field | batch × N | form | ms | goal | prototype | peer | | one call | inverse / "
           "forward | natural / permuted | inverse natural / forward permuted | GB/s | plan MiB |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(dft_rows); i++) {
        print_dft_row(b, &dft_rows[i]);
    }
}

/* Milliseconds of the forward transform in permuted order by a form; 0 if the form cannot serve.
 * graph: time_body's graph, else one run. Also returns the form's name and the plan's MiB on
 * request. */
static double forward_ms(bench *b, const char *field, size_t n, const dft_options *form, bool check,
                         const char **name, double *mib)
{
    dft_job w;
    times t = {0};
    bool absent;
    bool ok = dft_open(&w, b, field, n, form, &absent) && (!check || dft_check(&w));
    if (ok) {
        w.order = GFP_ORDER_PERMUTED;
        w.inverse = false;
        *name = dft_name(&w);
        *mib = (double)gfp_gpu_fft_plan_bytes(w.plan) / 1048576;
        ok = time_body(b, run_dft, &w, &t, field);
    }
    dft_close(&w);
    return ok ? t.graph_ms : 0;
}

/* Every named field with N k = 2^23 (2^18 with --quick); goals are ratios to p16's time. */
static void bench_all_fields(bench *b)
{
    static const struct {
        unsigned k;
        double goal;
    } goals[] = {{32, 1.5}, {64, 2.2}, {128, 3.5}};
    const size_t total = (size_t)1 << (b->quick ? 18 : 23);
    const dft_options fast = {.form = DFT_AUTO};
    const dft_options slow = {.form = DFT_REFERENCE};
    const char *form = "";
    const char *ignored;
    double mib = 0;
    double slow_mib;
    printf("\n## Every named field, N k = 2^%u, forward permuted\n\n"
           "| field | N | form | ms | ns / (N k) | / p16 | goal | reference form, ms | plan MiB |\n"
           "|---|---|---|---|---|---|---|---|---|\n",
           log2_of(total));
    const double base = forward_ms(b, "p16", total / 16, &fast, false, &ignored, &mib);
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        const size_t n = total / prime->k;
        double goal = 0;
        if (b->only != NULL && strcmp(b->only, prime->name) != 0) {
            continue;
        }
        const double ms = forward_ms(b, prime->name, n, &fast, true, &form, &mib);
        const double slow_ms = forward_ms(b, prime->name, n, &slow, false, &ignored, &slow_mib);
        for (size_t j = 0; j < COUNT(goals); j++) {
            goal = goals[j].k == prime->k ? goals[j].goal : goal;
        }
        printf("| %s | 2^%u | %s |", prime->name, log2_of(n), form);
        cell(ms);
        cell(ms * 1e6 / (double)total);
        cell(base > 0 ? ms / base : 0);
        cell(goal);
        cell(slow_ms);
        cell(mib);
        printf("\n");
        (void)fflush(stdout);
    }
}

/* ---- the papers' form ---- */

static const struct {
    const char *field;
    unsigned log2_n;
    double gtx_ms, h200_ms; /* the papers' figure; their code on an H200 */
} papers_rows[] = {{"p8", 8, 0.05, 0},        {"p8", 12, 1.24, 0.31},  {"p8", 16, 26.06, 2.10},
                   {"p8", 20, 558.22, 54.5},  {"p16", 10, 0.37, 0.27}, {"p16", 15, 20.40, 2.17},
                   {"p16", 20, 971.28, 70.2}, {"p4", 18, 0, 0},        {"p32", 18, 0, 0}};

static void print_steps(const gfp_gpu_times *steps, double *total)
{
    *total = 0;
    for (unsigned i = 0; i < steps->count; i++) {
        *total += steps->step[i].ms;
    }
    printf(" ");
    for (unsigned i = 0; i < steps->count; i++) {
        printf("%s%s %.0f %% (%u)", i == 0 ? "" : ", ", steps->step[i].name,
               *total > 0 ? 100 * steps->step[i].ms / *total : 0.0, steps->step[i].kernels);
    }
    printf(" |");
}

/* Natural order, as in the papers. */
static double natural_ms(bench *b, const char *field, size_t n, dft_form form)
{
    const dft_options of_form = {.form = form};
    dft_job w;
    times t = {0};
    bool absent;
    bool ok = dft_open(&w, b, field, n, &of_form, &absent) && dft_check(&w);
    w.order = GFP_ORDER_NATURAL;
    w.inverse = false;
    ok = ok && time_body(b, run_dft, &w, &t, field);
    dft_close(&w);
    return ok ? t.graph_ms : 0;
}

static void print_papers_row(bench *b, size_t row, dft_form form)
{
    const char *name = papers_rows[row].field;
    const size_t n = (size_t)1 << papers_rows[row].log2_n;
    gfp_gpu_times steps = {0};
    double total;
    const dft_options of_form = {.form = form};
    const double ms = natural_ms(b, name, n, form);
    const double fast = natural_ms(b, name, n, DFT_AUTO);
    if (ms > 0 && dft_steps(b, name, n, &of_form, &steps)) {
        printf("| %s | 2^%u | %s |", name, papers_rows[row].log2_n, dft_form_name(form));
        cell(ms);
        cell(papers_rows[row].gtx_ms);
        cell(papers_rows[row].h200_ms);
        cell(fast);
        cell(fast > 0 ? ms / fast : 0);
        print_steps(&steps, &total);
        printf("\n");
        (void)fflush(stdout);
    }
}

static void bench_papers_form(bench *b)
{
    printf("\n## The papers' form: ISSAC 2017, Proposition 3, steps as separate kernels\n\n"
           "Natural order. Published: GTX 760M; their code: on an H200. Steps: shares of one "
           "transform, with their kernels (Figure 3); papers-split has shifts and butterflies of "
           "the base case apart (Table 5).\n\n"
           "| field | N | form | ms | published | their code, H200 | form auto, ms | speed-up | "
           "steps |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(papers_rows); i++) {
        if (wanted(b, papers_rows[i].field, (size_t)8 << papers_rows[i].log2_n)) {
            print_papers_row(b, i, DFT_PAPERS);
            print_papers_row(b, i, DFT_PAPERS_SPLIT);
        }
    }
}

/* ---- word-size primes ---- */

/* Shapes: `count` primes of `bits` bits, batch vectors each. */
typedef struct ntt_row {
    unsigned bits;
    bool packed, all_forms;
    size_t count, batch;
    unsigned log2_n;
    double goal, peer;
    const char *peer_name;
} ntt_row;

static const ntt_row ntt_rows[] = {
    {31, true, false, 16, 1, 20, 0.25, 3.30, "papers' code"},
    {30, true, true, 16, 1, 20, 0.25, 3.30, "papers' code"},
    {30, false, false, 16, 1, 20, 0, 0, ""},
    {30, true, false, 1, 1, 16, 0, 0.009, "sppark, BabyBear"},
    {30, true, false, 1, 1, 20, 0, 0.022, "sppark, BabyBear"},
    {30, true, false, 1, 1, 24, 0, 0.22, "sppark, BabyBear"},
    {30, true, false, 16, 4096, 10, 0, 0, ""},
    {50, false, false, 16, 1, 20, 0, 0, ""},
    {50, false, false, 3, 8192, 10, 0, 0, ""},
    {62, false, true, 16, 1, 20, 0, 0, ""},
    {62, false, false, 1, 1, 20, 0, 0.045, "sppark, Goldilocks"},
    {62, false, false, 1, 1, 24, 0, 0.60, "sppark, Goldilocks"},
};

static void print_ntt_row(bench *b, const ntt_row *row, gfp_ntt_form form,
                          gfp_gpu_ntt_product product)
{
    const gfp_gpu_ntt_options options = {
        .batch = row->batch, .form = form, .product = product, .packed = row->packed};
    const size_t n = (size_t)1 << row->log2_n;
    uint64_t primes[16];
    uint64_t below = (uint64_t)1 << row->bits;
    ntt_job w;
    times t[3];
    bool absent;
    for (size_t i = 0; i < row->count; i++) {
        if (gfp_word_prime_below(&primes[i], below, row->log2_n) != GFP_OK) {
            (void)fails(b, "no %zu primes of %u bits", row->count, row->bits);
            return;
        }
        below = primes[i];
    }
    bool ok =
        ntt_open(&w, b, primes, row->count, n, &options, &absent) && ntt_check(&w, row->packed);
    for (int i = 0; i < 3 && ok; i++) {
        w.order = i == 1 ? GFP_ORDER_NATURAL : GFP_ORDER_PERMUTED;
        w.inverse = i == 2;
        ok = time_body(b, run_ntt, &w, &t[i], "residues");
    }
    if (ok) {
        double levels = (double)(row->count * row->batch * n) * row->log2_n;
        printf("| %u%s | %zu × %zu × 2^%u | %s | %s |", row->bits, row->packed ? ", packed" : "",
               row->count, row->batch, row->log2_n,
               gfp_ntt_form_name(gfp_gpu_ntt_plan_form(w.plan)),
               gfp_gpu_ntt_product_name(gfp_gpu_ntt_plan_product(w.plan)));
        cell(t[0].graph_ms);
        cell(row->goal);
        cell(row->peer);
        printf(" %s |", row->peer_name);
        cell(t[2].graph_ms / t[0].graph_ms);
        cell(t[1].graph_ms / t[0].graph_ms);
        cell(levels / t[0].graph_ms * 1e-9);
        printf("\n");
        (void)fflush(stdout);
    }
    ntt_close(&w);
}

static void bench_word_transforms(bench *b)
{
    static const gfp_ntt_form forms[] = {GFP_NTT_FORM_AUTO, GFP_NTT_COOLEY_TUKEY,
                                         GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM};
    static const gfp_gpu_ntt_product products[] = {GFP_GPU_NTT_SHOUP, GFP_GPU_NTT_MONTGOMERY,
                                                   GFP_GPU_NTT_DOUBLE_QUOTIENT, GFP_GPU_NTT_FP64};
    printf(
        "\n## Word-size primes, forward permuted, ms\n\n"
        "| bits | primes × batch × N | form | product | ms | goal | peer | | inverse / forward | "
        "natural / permuted | T point-levels/s |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(ntt_rows); i++) {
        const ntt_row *row = &ntt_rows[i];
        if (b->quick && row->log2_n > 16) {
            continue;
        }
        if (!row->all_forms) {
            print_ntt_row(b, row, GFP_NTT_FORM_AUTO, GFP_GPU_NTT_PRODUCT_AUTO);
            continue;
        }
        for (size_t j = 0; j < COUNT(forms) * COUNT(products); j++) {
            print_ntt_row(b, row, forms[j / COUNT(products)], products[j % COUNT(products)]);
        }
    }
}

/* ---- the papers' rival ---- */

static const struct {
    const char *field;
    unsigned log2_n;
    double gtx_ms[3]; /* Cooley-Tukey, tabulated, Stockham, steps 1 and 2 */
} rival_rows[] = {{"p8", 8, {8.30, 2.73, 5.29}},         {"p8", 12, {10.96, 6.49, 8.55}},
                  {"p8", 16, {50.49, 30.29, 34.37}},     {"p8", 20, {820.82, 444.07, 490.72}},
                  {"p16", 10, {18.30, 9.33, 12.26}},     {"p16", 15, {62.98, 39.74, 46.72}},
                  {"p16", 20, {1772.9, 974.01, 1042.62}}};

/* Compares residues and integers with the CPU's, where that does not take long. */
static bool rival_check(rival_job *w)
{
    gfp_crt_rival_plan *cpu = NULL;
    const gfp_crt_rival_options options = {.primes = gfp_gpu_rival_plan_kind(w->plan)};
    size_t y_words = w->n * gfp_gpu_rival_plan_prime_count(w->plan);
    size_t z_words = w->n * gfp_gpu_rival_plan_words(w->plan);
    if (!succeeds(w->b, gfp_gpu_rival_forward(w->plan, w->z, w->y, w->x), "rival")) {
        return false;
    }
    if (w->n > (size_t)1 << 16) {
        return true;
    }
    uint64_t *host = malloc(2 * (y_words + z_words) * sizeof *host);
    uint64_t *y = host;
    uint64_t *z = y + y_words;
    uint64_t *cpu_y = z + z_words;
    uint64_t *cpu_z = cpu_y + y_words;
    bool right = host != NULL &&
                 gfp_crt_rival_plan_create(&cpu, w->field, w->n, &options, NULL) == GFP_OK &&
                 gfp_crt_rival_forward(cpu, cpu_z, cpu_y, w->digits, NULL, NULL, NULL) == GFP_OK &&
                 gfp_gpu_download(y, w->y, 0, y_words) == GFP_OK &&
                 gfp_gpu_download(z, w->z, 0, z_words) == GFP_OK &&
                 memcmp(y, cpu_y, (y_words + z_words) * sizeof *host) == 0;
    gfp_crt_rival_plan_destroy(cpu);
    free(host);
    return right ||
           fails(w->b, "%s, N = %zu: the rival's result is wrong", gfp_field_name(w->field), w->n);
}

static void bench_rival_rows(bench *b)
{
    static const gfp_ntt_form forms[] = {GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED,
                                         GFP_NTT_STOCKHAM, GFP_NTT_FORM_AUTO};
    printf(
        "\n## The papers' rival: 2k half-word primes, step by step, ms\n\n"
        "Published: steps 1 and 2 on a GTX 760M. The last column: the rival's steps 1 and 2 over "
        "the big-prime DFT in natural order.\n\n"
        "| field | N | form | total | published | big-prime DFT | rival / big-prime | steps |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(rival_rows) * COUNT(forms); i++) {
        const size_t row = i / COUNT(forms);
        const char *name = rival_rows[row].field;
        const size_t n = (size_t)1 << rival_rows[row].log2_n;
        gfp_gpu_times steps;
        timing two;
        timing three;
        rival_job w;
        double total;
        if (!wanted(b, name, n * 8)) {
            continue;
        }
        const gfp_gpu_rival_options options = {.form = forms[i % COUNT(forms)], .timed = true};
        if (rival_open(&w, b, name, n, &options) && rival_check(&w) &&
            rival_times(&w, &steps, &two, &three)) {
            double big = natural_ms(b, name, n, DFT_AUTO);
            double without = steps.step[0].ms + steps.step[1].ms;
            printf("| %s | 2^%u | %s |", name, rival_rows[row].log2_n,
                   gfp_ntt_form_name(forms[i % COUNT(forms)]));
            cell(without + steps.step[2].ms);
            cell(i % COUNT(forms) < 3 ? rival_rows[row].gtx_ms[i % COUNT(forms)] : 0);
            cell(big);
            cell(big > 0 ? without / big : 0);
            print_steps(&steps, &total);
            printf("\n");
            (void)fflush(stdout);
        }
        rival_close(&w);
    }
}

/* ---- arrays of elements ---- */

typedef struct vec_job {
    const gfp_field *field;
    gfp_gpu_array *x, *y;
    size_t n;
    bool product;
} vec_job;

static gfp_status run_vec(void *context)
{
    vec_job *w = context;
    return w->product ? gfp_gpu_vec_mul(w->field, w->y, w->x, w->y, w->n)
                      : gfp_gpu_vec_add(w->field, w->y, w->x, w->y, w->n);
}

static void bench_vectors(bench *b)
{
    printf("\n## Arrays of elements in device memory, G elements/s\n\n"
           "| field | sums | GB/s | general products |\n|---|---|---|---|\n");
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const char *name = gfp_named_prime_get(i)->name;
        const dft_options options = {0};
        const size_t n = ((size_t)1 << (b->quick ? 16 : 23)) / gfp_named_prime_get(i)->k;
        dft_job w;
        times sums = {0};
        times products = {0};
        bool absent;
        if (b->only != NULL && strcmp(b->only, name) != 0) {
            continue;
        }
        if (dft_open(&w, b, name, n, &options, &absent)) {
            vec_job v = {w.field, w.x, w.y, n, false};
            bool ok = succeeds(b, gfp_gpu_copy(w.y, w.x, w.words), name) &&
                      time_body(b, run_vec, &v, &sums, name);
            v.product = true;
            if (ok && time_body(b, run_vec, &v, &products, name)) {
                printf("| %s |", name);
                cell((double)n / sums.graph_ms * 1e-6);
                cell(3 * 8 * (double)w.words / sums.graph_ms * 1e-6);
                cell((double)n / products.graph_ms * 1e-6);
                printf("\n");
                (void)fflush(stdout);
            }
        }
        dft_close(&w);
    }
}

/* ---- the program ---- */

static const struct argp_option options[] = {
    {"field", 'f', "FIELD", 0, "Only this named field's rows (default: all)", 0},
    {"quick", 'q', NULL, 0, "Short transforms only", 0},
    {"part", 'p', "NAME", 0,
     "dft, fields, papers, words, rival, vectors, products, toolkit, gcds or modulus (default: "
     "all of them)",
     0},
    {NULL, 0, NULL, 0, NULL, 0}};

static const struct {
    const char *name;
    void (*run)(bench *b);
} parts[] = {{"dft", bench_dft_rows},       {"fields", bench_all_fields},
             {"papers", bench_papers_form}, {"words", bench_word_transforms},
             {"rival", bench_rival_rows},   {"vectors", bench_vectors},
             {"products", bench_products},  {"toolkit", bench_toolkit},
             {"gcds", bench_gcds},          {"modulus", bench_modulus}};

typedef struct choice {
    bench *b;
    const char *part;
} choice;

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    choice *c = state->input;
    switch (key) {
    case 'f':
        c->b->only = argument;
        return 0;
    case 'q':
        c->b->quick = true;
        return 0;
    case 'p':
        for (size_t i = 0; i < COUNT(parts); i++) {
            if (strcmp(parts[i].name, argument) == 0) {
                c->part = parts[i].name;
                return 0;
            }
        }
        argp_error(state, "no part '%s'", argument);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    options,
    parse_option,
    NULL,
    "Times transforms and products on the first CUDA device and prints Markdown tables.\v"
    "Data lie on the device; times are medians of 21 by CUDA events, of several runs in one CUDA "
    "graph except in columns named \"one call\". All results are compared with the CPU's before "
    "they are timed; results of more than 2^23 digits only in 200 coefficients at either end. "
    "Goals, prototype and peers were measured on one H200. Exit status: 0, 1 after a failure, 2 "
    "after a mistake in usage, 77 without a device.",
    NULL,
    NULL,
    NULL};

static bool print_head(bench *b)
{
    struct machine machine;
    gfp_gpu_info info;
    if (!succeeds(b, gfp_gpu_get_info(b->gpu, &info), "device")) {
        return false;
    }
    printf(
        "# gfpoly %s on %s\n\n"
        "Compute capability %u.%u, %u multiprocessors, at most %u MHz, memory %u MHz, %.1f GiB, "
        "L2 %.0f MiB; driver for CUDA %u.%u, built with %u.%u. Medians of %d, CUDA events, data "
        "on the device. Goals, and times of prototypes and of other libraries, are constants from "
        "earlier measurements on one H200.\n",
        gfp_version(), info.name, info.capability_major, info.capability_minor,
        info.multiprocessors, info.clock_khz / 1000, info.memory_clock_khz / 1000,
        (double)info.memory_total / 1073741824, (double)info.l2_bytes / 1048576,
        info.driver_version / 1000, info.driver_version % 1000 / 10, info.runtime_version / 1000,
        info.runtime_version % 1000 / 10, SAMPLES);
    describe_machine(&machine);
    putchar('\n');
    write_machine(stdout, &machine, "- ");
    return true;
}

int main(int argc, char **argv)
{
    bench b = {0};
    choice c = {&b, NULL};
    gfp_error error = {.message = ""};
    program_name = "gfpoly_gpu_bench";
    argp_err_exit_status = 2;
    (void)argp_parse(&parser, argc, argv, 0, NULL, &c);
    if (!check_build()) {
        return 1;
    }
    gfp_status status = gfp_gpu_create(&b.gpu, NULL, &error);
    if (status != GFP_OK) {
        (void)complain("no GPU: %s", error.message);
        return status == GFP_ERR_UNAVAILABLE ? SKIPPED : 1;
    }
    if (succeeds(&b, gfp_gpu_timer_create(&b.timer, b.gpu), "timer") && print_head(&b)) {
        for (size_t i = 0; i < COUNT(parts); i++) {
            if (c.part == NULL || strcmp(c.part, parts[i].name) == 0) {
                parts[i].run(&b);
            }
        }
    }
    gfp_gpu_timer_destroy(b.timer);
    gfp_gpu_destroy(b.gpu);
    return b.failed ? 1 : 0;
}
