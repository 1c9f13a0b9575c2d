/* papers/gpu2010.c: the figures of "Fast polynomial multiplication on a GPU" (2010): an array by
 * a constant, transforms and products modulo a prime of 30 bits, and next to them the library's
 * products modulo a word (gfpoly/wvec.h). Here are the descriptions of the tables and the
 * quantities of the CPU; device_words.c has those of a CUDA device.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/modulo_words.h"
#include "papers/small.h"
#include "field/base/word.h"
#include "fft/words/ntt.h"
#include "fft/words/primes.h"
#include "gpu/arrays.h"

bool find_prime(uint64_t *q)
{
    return gfp_word_prime_below(q, (uint64_t)1 << GFP_HALF_BITS, MOST_LOG) == GFP_OK ||
           complain("no prime of 30 bits for 2^%d points", MOST_LOG);
}

/* Residues modulo the prime on the CPU: the hash of pairs of residues is that of a device's packed
 * words. */
typedef struct residues {
    uint64_t q;
    gfp_half half;
    size_t n;
    const gfp_forms *forms;
    uint32_t *x, *y, *work, *powers;
    gfp_half_product product;
} residues;

static void residues_close(residues *w)
{
    free(w->x);
    free(w->y);
    free(w->work);
    free(w->powers);
}

/* Draws x as ntt_open does, n residues, n even. */
static bool residues_open(residues *w, size_t n)
{
    gfp_random g;

    *w = (residues){.n = n, .forms = gfp_forms_get(gfp_cpu_level_get())};
    if (!find_prime(&w->q)) {
        return false;
    }
    w->half = gfp_half_of((uint32_t)w->q);
    w->x = malloc(n * sizeof(*w->x));
    w->y = malloc(n * sizeof(*w->y));
    w->work = malloc(n * sizeof(*w->work));
    w->powers = malloc(n * sizeof(*w->powers));
    if (w->x == NULL || w->y == NULL || w->work == NULL || w->powers == NULL) {
        return complain("no memory for %zu residues", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < n; i++) {
        w->x[i] = (uint32_t)gfp_random_below(&g, w->q);
    }
    return true;
}

/* The hash of n residues, packed. */
static double hash_residues(const uint32_t *x, size_t n)
{
    uint64_t hash = 1;

    for (size_t i = 0; i + 1 < n; i += 2) {
        const uint64_t pair = x[i] | (uint64_t)x[i + 1] << 32;
        hash = hash_words(&pair, 1, hash);
    }
    return hash_quantity(hash);
}

/* ---- figures 1 and 2: an array by a constant ---- */

static bool run_scale(void *context)
{
    residues *w = context;

    w->forms->scale(&w->half, w->y, w->x, w->n, (uint32_t)(w->q / 3), w->product);
    return true;
}

const scale_product scale_products[SCALE_PRODUCTS] = {
    {GFP_HALF_MONTGOMERY, GFP_GPU_NTT_MONTGOMERY, "montgomery", "Montgomery"},
    {GFP_HALF_DOUBLE_QUOTIENT, GFP_GPU_NTT_DOUBLE_QUOTIENT, "floating", "floating point"}};

bool note_scale(paper *w, const table_row *r, size_t product, bool device, timing t)
{
    t = timing_divide(t, (double)r->n);
    quantity_put(w, r, device ? t.median_ns : t.min_ns, "%sscale.%s", device ? "gpu" : "cpu",
                 scale_products[product].token);
    return note_figure(w, OVER_WORDS, r->n, &t, "%sresidue by a constant, %s",
                       device ? ON_DEVICE : "", scale_products[product].name);
}

static bool measure_scale(paper *w, const table_row *r)
{
    residues job;
    timing t;
    bool ok = residues_open(&job, r->n);

    progress("CPU", "products by a constant", r->n);
    for (size_t i = 0; i < SCALE_PRODUCTS && ok; i++) {
        job.product = scale_products[i].on_cpu;
        ok = run_scale(&job);
        for (size_t j = 0; j < r->n && ok; j++) {
            ok = job.y[j] == job.x[j] * (job.q / 3) % job.q ||
                 complain("%s: a product is wrong", scale_products[i].name);
        }
        ok = ok && measure(&t, w->s.seconds, run_scale, &job) && note_scale(w, r, i, false, t);
    }
    residues_close(&job);
    return ok;
}

/* ---- transforms on the CPU ---- */

static bool run_word(void *context)
{
    residues *w = context;

    memcpy(w->y, w->x, w->n * sizeof(*w->x));
    w->forms->transform_half(&w->half, w->powers, w->y, w->work, log2_of(w->n));
    return true;
}

/* Whether y has the transform's values at places 0, 1 and n - 1, by Horner's rule. */
static bool has_values(const residues *w)
{
    const uint64_t root = gfp_word_root_of_unity(w->q, log2_of(w->n));
    const size_t places[] = {0, 1, w->n - 1};

    for (size_t i = 0; i < COUNT(places); i++) {
        const uint64_t at = gfp_mod_pow(root, places[i], w->q);
        uint64_t value = 0;
        for (size_t j = w->n; j-- > 0;) {
            value = (value * at + w->x[j]) % w->q;
        }
        if (w->y[places[i]] != value) {
            return complain("%zu residues on the CPU: a value is wrong", w->n);
        }
    }
    return true;
}

/* Stockham's form with the paper's product, in plain C: "word.ms", "word.hash". */
static bool measure_word(paper *w, const table_row *r)
{
    residues job;
    timing t;
    bool ok = residues_open(&job, r->n);

    progress("CPU", "transform", r->n);
    if (ok) {
        gfp_half_powers(job.powers, (uint32_t)job.q, log2_of(r->n));
        ok = run_word(&job) && has_values(&job) && measure(&t, w->s.seconds, run_word, &job) &&
             note_figure(w, OVER_WORDS, r->n, &t, "transform");
    }
    if (ok) {
        quantity_put(w, r, t.min_ns / 1e6, "word.ms");
        quantity_put(w, r, hash_residues(job.y, r->n), "word.hash");
    }
    residues_close(&job);
    return ok;
}

/* The library's transform modulo a block of eight primes of 50 bits, for one of them. */
static bool measure_block(paper *w, const table_row *r)
{
    const gfp_field *field;
    small_primes a = {.n = 0};
    timing t;

    if (r->n > (size_t)1 << GFP_WORDS_LOG2_ORDER || r->n < (size_t)1 << GFP_WORDS_LEAST_LOG2) {
        return true;
    }
    progress("CPU", "transform modulo a block", r->n);
    field = field_named(w, "p2"); /* integers of 127 bits: one block */
    bool ok = field != NULL && small_open(&a, field, r->n, GFP_NTT_BLOCKED, JOB_SEED) &&
              a.blocks == 1 && small_check(&a) && measure(&t, w->s.seconds, small_transform, &a);
    if (ok) {
        t = timing_divide(t, GFP_WORDS);
        quantity_put(w, r, t.min_ns / 1e6, "block.ms");
        ok = note_figure(w, "50 bits", r->n, &t, "transform modulo a prime of a block");
    }
    small_close(&a);
    return ok || complain("%zu residues modulo a block: failed", r->n);
}

/* ---- figure 8: products ---- */

void factors_close(factors *w)
{
    gfp_zring_destroy(w->ring);
    free(w->a);
    free(w->b);
    free(w->c);
}

bool factors_open(factors *w, size_t n)
{
    gfp_random g;

    *w = (factors){.terms = n / 2};
    w->a = malloc(n / 2 * sizeof(*w->a));
    w->b = malloc(n / 2 * sizeof(*w->b));
    w->c = calloc(n, sizeof(*w->c));
    if (!find_prime(&w->q) || w->a == NULL || w->b == NULL || w->c == NULL ||
        gfp_zring_create(&w->ring, NULL, NULL) != GFP_OK) {
        return complain("no memory for %zu coefficients", n);
    }
    gfp_random_seed(&g, JOB_SEED);
    for (size_t i = 0; i < n / 2; i++) {
        w->a[i] = gfp_random_below(&g, w->q);
        w->b[i] = gfp_random_below(&g, w->q);
    }
    return true;
}

static bool run_wvec(void *context)
{
    factors *w = context;
    const gfp_options options = {.threads = 1};

    return gfp_wvec_mul(w->ring, w->c, w->a, w->terms, w->b, w->terms, w->q, &options) == GFP_OK;
}

/* x(at), by Horner's rule. */
static uint64_t value_at(const uint64_t *x, size_t len, uint64_t at, uint64_t q)
{
    uint64_t value = 0;

    for (size_t i = len; i-- > 0;) {
        value = (value * at + x[i]) % q;
    }
    return value;
}

void pack_words(uint64_t *to, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        to[i] = x[2 * i] | x[2 * i + 1] << 32;
    }
}

/* gfp_wvec_mul on one processor: "wcpu.ms" and "wcpu.hash", of the packed product. */
static bool measure_wvec(paper *w, const table_row *r)
{
    factors job;
    timing t;
    bool ok = factors_open(&job, r->n);

    progress("CPU", "product", r->n);
    if (ok) {
        const uint64_t q = job.q, at = q / 5;
        ok = run_wvec(&job);
        ok =
            (ok && value_at(job.c, r->n - 1, at, q) ==
                       value_at(job.a, job.terms, at, q) * value_at(job.b, job.terms, at, q) % q) ||
            complain("%zu coefficients on the CPU: the product failed, or is wrong", r->n);
        ok = ok && measure(&t, w->s.seconds, run_wvec, &job) &&
             note_figure(w, OVER_WORDS, r->n, &t, "product");
    }
    if (ok) {
        quantity_put(w, r, t.min_ns / 1e6, "wcpu.ms");
        pack_words(job.c, job.c, r->n);
        quantity_put(w, r, hash_quantity(hash_words(job.c, r->n / 2, 1)), "wcpu.hash");
    }
    factors_close(&job);
    return ok;
}

static const own_row product_rows[] = {
    {"11", "", 0, 0, 12, 0, false}, {"13", "", 0, 0, 14, 0, false}, {"15", "", 0, 0, 16, 0, false},
    {"17", "", 0, 0, 18, 0, false}, {"19", "", 0, 0, 20, 0, false}, {"21", "", 0, 0, 22, 0, false},
    {"23", "", 0, 0, 24, 0, false}, {"25", "", 0, 0, 26, 0, false}, {.text = NULL}};

/* "speed.WAY": the lowest or the highest ratio over all lengths, transfers counted. */
static bool measure_speed(paper *w, const table_row *r)
{
    static const char *const names[] = {"pst", "pown", "wgpu"};
    const bool lowest = strcmp(r->name, "lowest") == 0;

    for (size_t i = 0; i < COUNT(names); i++) {
        double end = NAN;
        for (const own_row *own = product_rows; own->text != NULL; own++) {
            const table_row length = {.name = own->text, .n = (size_t)1 << own->log2_n};
            double cpu, device;
            if (!quantity_find(w, &length, &cpu, "wcpu.ms") ||
                !quantity_find(w, &length, &device, "%s.transfer", names[i])) {
                return false;
            }
            end = lowest ? fmin(end, cpu / device) : fmax(end, cpu / device);
        }
        quantity_put(w, r, end, "speed.%s", names[i]);
    }
    return true;
}

const quantity_group gpu2010_groups[] = {
    {"cpuscale", measure_scale, 0, false},
    {"gpuscale", measure_device_scale, 0, true},
    {"word", measure_word, 0, false},
    {"block", measure_block, 0, false},
    {"nct", measure_way, WAY_CT, true},
    {"ntab", measure_way, WAY_TABULATED, true},
    {"nst", measure_way, WAY_STOCKHAM, true},
    {"nown", measure_way, WAY_OWN, true},
    {"sct", measure_steps_of_way, WAY_CT, true},
    {"stab", measure_steps_of_way, WAY_TABULATED, true},
    {"sst", measure_steps_of_way, WAY_STOCKHAM, true},
    {"wcpu", measure_wvec, 0, false},
    {"wgpu", measure_words, 0, true},
    {"pst", measure_product, WAY_STOCKHAM, true},
    {"pown", measure_product, WAY_OWN, true},
    {"speed", measure_speed, 0, true},
    {NULL, NULL, 0, false},
};

/* ---- tables ---- */

static const picture figures1_2 = {.name = "gpu2010-figures1-2",
                                   .kind = FIGURE_CURVES,
                                   .logarithmic = true,
                                   .axis = VARIATIONS_ON_AXIS,
                                   .title = "An array of residues of 30 bits by a constant",
                                   .x_label = "log2 of the number of residues",
                                   .y_label = "ns for each residue"};

static const picture figures3_5 = {.name = "gpu2010-figures3-5",
                                   .kind = FIGURE_STACKS,
                                   .axis = ROWS_ON_AXIS,
                                   .series_of_variations = true,
                                   .title = "Kernels and surroundings of a transform on a device",
                                   .x_label = "form",
                                   .y_label = "ms"};

static const picture figures6_7 = {.name = "gpu2010-figures6-7",
                                   .kind = FIGURE_CURVES,
                                   .logarithmic = true,
                                   .axis = ROWS_ON_AXIS,
                                   .title =
                                       "Transforms modulo a prime of 30 bits, without transfers",
                                   .x_label = "log2 of the number of points",
                                   .y_label = "ms"};

static const picture figure8 = {.name = "gpu2010-figure8",
                                .kind = FIGURE_CURVES,
                                .logarithmic = true,
                                .axis = ROWS_ON_AXIS,
                                .title = "Products: one processor by a device, transfers counted",
                                .x_label = "log2 of the number of terms",
                                .y_label = "times as fast"};

#define LENGTH(log2)                                                                               \
    {                                                                                              \
#log2, "", NULL, log2, false, true, true                                                   \
    }
#define STEP(text, token)                                                                          \
    {                                                                                              \
        text, token, NULL, 0, false, true, true                                                    \
    }

const paper_table gpu2010_tables[] = {
    {.name = "gpu2010-figures1-2",
     .files = FILES("gpu2010-figures1-2"),
     .text = "Here: for each residue of 32 bits, several lengths; on one processor by the kernel "
             "level in use (GFPOLY_CPU), vectors by the compiler; on the device an array in its "
             "memory.",
     .label = LABEL_TEXT,
     .heads = "on | log2 of the residues",
     .variations =
         VARIATIONS(LENGTH(11), LENGTH(14), LENGTH(17), LENGTH(20), LENGTH(23), LENGTH(26)),
     .columns = COLUMNS({"Montgomery, ns", NULL, "$scale.montgomery", "Montgomery", NULL},
                        {"floating point, ns", NULL, "$scale.floating", "floating point", NULL},
                        BOTH("Montgomery / floating point", "montgomery_by_floating_point",
                             "$scale.montgomery / $scale.floating")),
     .drawn = &figures1_2},
    {.name = "gpu2010-figures3-5",
     .title = "Figures 3 to 5: time of each kernel, transforms of 2^26 points",
     .text = "Moreno Maza, Pan: Fast polynomial multiplication on a GPU, J. Phys. Conf. Ser. 256 "
             "(2010) 012009. Time lines of a profiler on a GTX 285, without figures: Cooley-Tukey, "
             "the same with tabulated powers, Stockham. Here: 2^26 points, or the longest that are "
             "not left out, events between the kernels; by the clock: the plan (the root and its "
             "powers by squaring on the host, the table of powers by doubling on the device) and "
             "transfers from and to page-locked memory. Shares are of the kernels' time.",
     .label = LABEL_TEXT,
     .heads = "form | step",
     .rows = ROWS({"Cooley-Tukey", "sct", 0, 0, 26, 0, true},
                  {"tabulated powers", "stab", 0, 0, 26, 0, true},
                  {"Stockham", "sst", 0, 0, 26, 0, true}),
     .variations = VARIATIONS(STEP("convert", "convert"), STEP("permutation", "permutation"),
                              STEP("base case", "base case"), STEP("twiddle", "twiddle"),
                              STEP("butterfly", "butterfly"), STEP("plan and powers", "plan"),
                              STEP("upload", "upload"), STEP("download", "download")),
     .columns = COLUMNS(HERE("kernels", "$.@.kernels"), {"ms", NULL, "$.@.ms", "ms", NULL},
                        HERE("%", "$.@.%")),
     .drawn = &figures3_5},
    {.name = "gpu2010-figures6-7",
     .files = FILES("gpu2010-figure6"),
     .text =
         "Figure 7 plots the same. Here: residues of 32 bits, natural order, one call on the "
         "device; with transfers: from page-locked memory and back, by the clock; one "
         "processor: Stockham's form in C with the paper's product, and the library's transform "
         "modulo a block of eight primes of 50 bits, an eighth of its time. The paper's forms "
         "by the product with a quotient in floating point; its Cooley-Tukey form has tabulated "
         "powers.",
     .label = LABEL_TEXT,
     .heads = "log2 n",
     .columns =
         COLUMNS({"Cooley-Tukey", NULL, "nct.ms", "Cooley-Tukey", NULL},
                 HERE("with transfers", "nct.transfer"),
                 {"tabulated powers", "cooley_tukey", "ntab.ms", "tabulated powers", NULL},
                 BOTH("with transfers", "cooley_tukey_transfer", "ntab.transfer"),
                 {"Stockham", "stockham", "nst.ms", "Stockham", NULL},
                 BOTH("with transfers", "stockham_transfer", "nst.transfer"),
                 {"ours", NULL, "nown.ms", "ours", NULL}, HERE("with transfers", "nown.transfer"),
                 {"CPU: modpn, here C", "modpn_cpu", "word.ms", "CPU", NULL},
                 HERE("CPU, a prime of the library's block", "block.ms")),
     .drawn = &figures6_7},
    {.name = "gpu2010-figure8",
     .files = FILES("gpu2010-figure8"),
     .text =
         "Here: two polynomials of as many terms each; three transforms of twice the points. "
         "One processor: gfp_wvec_mul. The library's products modulo a word on a device "
         "(gfpoly/wvec.h, gpu/word_products.h): residues of 64 bits in the host's usual memory, "
         "three primes.",
     .label = LABEL_TEXT,
     .heads = "log2 of the terms",
     .rows = product_rows,
     .columns = COLUMNS(HERE("CPU, ours, ms", "wcpu.ms"), HERE("Stockham, ms", "pst.ms"),
                        HERE("with transfers", "pst.transfer"),
                        {"CPU / this", NULL, "wcpu.ms / pst.transfer", "Stockham", NULL},
                        HERE("ours, ms", "pown.ms"), HERE("with transfers", "pown.transfer"),
                        {"CPU / this", NULL, "wcpu.ms / pown.transfer", "ours", NULL},
                        HERE("any word, with transfers", "wgpu.transfer"),
                        {"CPU / this", NULL, "wcpu.ms / wgpu.transfer", "any word", NULL}),
     .drawn = &figure8},
    {.name = "gpu2010-figure8",
     .files = FILES("gpu2010-figure8"),
     .title = "The ends of these ratios:",
     .label = LABEL_TEXT,
     .heads = "CPU by GPU, transfers counted",
     .columns = COLUMNS(BOTH("Stockham", "modpn_by_gpu", "speed.pst"),
                        BOTH("ours", "modpn_by_gpu", "speed.pown"),
                        BOTH("any word", "modpn_by_gpu", "speed.wgpu"))},
    {.name = NULL},
};
