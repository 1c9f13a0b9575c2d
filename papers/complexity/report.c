/* papers/complexity/report.c: complexity on paper and in measurement, a table of gfpoly_papers:
 * operations counted by walking plans (counts.h), times predicted from the counts (units.h), and
 * measured times; and the lengths from which a method is faster than another, by the papers'
 * formulas, by prediction and by measurement.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bench/markdown.h"
#include "papers/complexity/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_LOG2 2
#define MOST_LOG2 16
#define LENGTHS (MOST_LOG2 - LEAST_LOG2 + 1)
/* The table of counts shows every SHOWN_STEP-th length. */
#define SHOWN_STEP 3
/* Products with a longer estimated time are not measured. */
#define LIMIT_NS 2e8

enum { BIGFFT, CRT, HYBRID, METHODS };
static const char *const method_names[METHODS] = {"bigfft", "crt", "hybrid"};

typedef struct length_row {
    bool counted[METHODS];
    counts c[METHODS];
    double predicted[METHODS]; /* ns; 0: not counted */
    timing measured[METHODS];  /* no runs: not measured */
    crt_times crt;
} length_row;

typedef struct bench_field {
    const settings *s;
    gfp_field *field;
    unsigned k;
    unit_costs u[METHODS];
    length_row rows[LENGTHS];
} bench_field;

/* ---- products ---- */

typedef struct product {
    gfp_poly a, b, c;
    gfp_options options;
} product;

static bool run_product(void *context)
{
    product *p = context;
    return gfp_poly_mul(&p->c, &p->a, &p->b, &p->options) == GFP_OK;
}

static bool is_measurable(const gfp_field *field, size_t n, const char *method)
{
    gfp_method_info info;
    const gfp_problem both = {.len_a = n, .len_b = n};

    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), method) == 0) {
            return gfp_method_query(&info, i, &both, field, NULL) == GFP_OK && info.available &&
                   info.estimate_ns <= LIMIT_NS;
        }
    }
    return false;
}

/* Runs all methods on one pair of factors, and compares their products. */
static bool measure_methods(bench_field *b, product *p, size_t n, length_row *row)
{
    gfp_poly first;
    bool any = false, ok = true;

    gfp_poly_init(&first, b->field);
    for (size_t i = 0; i < METHODS && ok; i++) {
        if (!is_measurable(b->field, n, method_names[i])) {
            continue;
        }
        progress(gfp_field_name(b->field), method_names[i], n);
        p->options = (gfp_options){.method = method_names[i], .threads = 1};
        const uint64_t start = clock_ns();
        ok = run_product(p);
        const double three_runs = 3.5e-9 * (double)(clock_ns() - start);
        ok = ok && (any ? gfp_poly_equal(&p->c, &first) : gfp_poly_copy(&first, &p->c) == GFP_OK) &&
             measure(&row->measured[i], fmax(b->s->seconds, three_runs), run_product, p);
        any = true;
    }
    gfp_poly_clear(&first);
    return ok ||
           complain("%s, length %zu: a product failed, or two differ", gfp_field_name(b->field), n);
}

/* shown: the length is also in the tables of single lengths. */
static bool measure_length(bench_field *b, size_t n, bool shown, length_row *row)
{
    bool (*const count[METHODS])(counts *, const gfp_field *, size_t) = {count_bigfft, count_crt,
                                                                         count_hybrid};
    product p;
    gfp_random g;

    for (size_t i = 0; i < METHODS; i++) {
        row->counted[i] = count[i](&row->c[i], b->field, n);
        row->predicted[i] = row->counted[i] ? predict(&row->c[i], &b->u[i]) : 0;
    }
    gfp_poly_init(&p.a, b->field);
    gfp_poly_init(&p.b, b->field);
    gfp_poly_init(&p.c, b->field);
    gfp_random_seed(&g, b->s->seed);
    const bool ok =
        gfp_poly_random(&p.a, n, &g) == GFP_OK && gfp_poly_random(&p.b, n, &g) == GFP_OK;
    bool done = ok ? measure_methods(b, &p, n, row) : complain("no memory");
    if (done && shown && row->counted[CRT] && row->measured[CRT].runs > 0) {
        done = time_crt_steps(&row->crt, b->s, &p.a, &p.b, &b->u[CRT]);
    }
    gfp_poly_clear(&p.a);
    gfp_poly_clear(&p.b);
    gfp_poly_clear(&p.c);
    return done;
}

static size_t length_at(size_t i)
{
    return (size_t)1 << (LEAST_LOG2 + i);
}

static bool measure_field(bench_field *b, const paper *w)
{
    progress(gfp_field_name(b->field), "unit costs", 0);
    bool ok = time_bigfft_units(&b->u[BIGFFT], b->s, b->field) &&
              time_crt_units(&b->u[CRT], b->s, b->field) &&
              time_hybrid_units(&b->u[HYBRID], b->s, b->field);
    for (size_t i = 0; i < LENGTHS && ok; i++) {
        if (!left_out(w, length_at(i))) {
            ok = measure_length(b, length_at(i), i % SHOWN_STEP == 0, &b->rows[i]);
        }
    }
    progress_end();
    return ok;
}

/* ---- crossovers of methods ---- */

/* The time of method m at length i; 0: unknown. */
typedef double cost_of(const bench_field *b, size_t i, unsigned m);

static double predicted_of(const bench_field *b, size_t i, unsigned m)
{
    return b->rows[i].predicted[m];
}

static double measured_of(const bench_field *b, size_t i, unsigned m)
{
    return b->rows[i].measured[m].runs > 0 ? b->rows[i].measured[m].min_ns : 0;
}

/* log2 of the length from which x is faster than y, interpolated, over all lengths with a time for
 * both. Below LEAST_LOG2: x is faster at all these lengths; NAN: y is faster at the longest one.
 * *last := log2 of the longest such length. */
static double takes_over(const bench_field *b, cost_of *cost, unsigned x, unsigned y, double *last)
{
    double from = NAN,
           above = 0; /* log2 of the next longer length, and log2 of y / x at that length */

    *last = 0;
    for (size_t i = LENGTHS; i-- > 0;) {
        if (!(cost(b, i, x) > 0 && cost(b, i, y) > 0)) {
            continue;
        }
        const double here = log2(cost(b, i, y) / cost(b, i, x)), at = LEAST_LOG2 + (double)i;
        *last = *last > 0 ? *last : at;
        if (here <= 0) {
            return isnan(from) ? NAN : from - (from - at) * above / (above - here);
        }
        from = at;
        above = here;
    }
    return isnan(from) ? NAN : LEAST_LOG2 - 1;
}

static void print_takeover(FILE *out, double from, double last)
{
    if (isnan(from) && last > 0) {
        fprintf(out, "not up to 2^%.0f", last);
    } else if (isnan(from)) {
        fputs("–", out);
    } else if (from < LEAST_LOG2) {
        fputs("all lengths", out);
    } else {
        fprintf(out, "from 2^%.1f", from);
    }
}

/* ---- the report: products ---- */

static void write_units(FILE *out, bench_field *const *fields, size_t count)
{
    fputs(
        "\n### Costs of operations, ns\n\nData in a near cache, the least of several runs. bigfft: "
        "a general product (and that over k^2, for one product of words), a product in a table of "
        "powers, a sum of two digits inside a butterfly. crt: a butterfly or product of residues, "
        "a root of unity, a product of digit and word by the projection, one by the CRT (with its "
        "share of the division by r). hybrid: a sum of digits in the outer DFT, a butterfly, a "
        "product of residues, one of words by the CRT: the median of what restoring a leaf takes "
        "more than one of its transforms, by runs of both next to each other. The last columns: "
        "the operations of crt over a product of words in a general product, and the primes of a "
        "product of 2^10 terms over k; docs/design/papers.md says why the formulas differ.\n\n",
        out);
    markdown_head(out, 0,
                  "field | general product | / k^2 | power | digit sum | crt: butterfly | root | "
                  "projection | CRT | hybrid: digit sum | butterfly | residues | CRT | crt / word: "
                  "butterfly | projection | CRT | primes / k");
    for (size_t i = 0; i < count; i++) {
        const bench_field *b = fields[i];
        const double word = b->u[BIGFFT].products / b->k / b->k;
        const double numbers[] = {
            b->u[BIGFFT].products,        word,
            b->u[BIGFFT].powers,          b->u[BIGFFT].digit_sums,
            b->u[CRT].butterflies,        b->u[CRT].roots,
            b->u[CRT].projected,          b->u[CRT].recombined,
            b->u[HYBRID].outer_sums,      b->u[HYBRID].butterflies,
            b->u[HYBRID].pointwise,       b->u[HYBRID].recombined,
            b->u[CRT].butterflies / word, b->u[CRT].projected / word,
            b->u[CRT].recombined / word,  (double)count_crt_primes(b->field, 1024) / b->k,
        };
        fprintf(out, "| %s", gfp_field_name(b->field));
        for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
            fprintf(out, " | %.3g", numbers[j]);
        }
        fputs(" |\n", out);
    }
}

static void write_counts(FILE *out, const bench_field *b, size_t i, unsigned m)
{
    const length_row *row = &b->rows[i];
    const timing *t = &row->measured[m];

    if (!row->counted[m] || t->runs == 0) {
        return;
    }
    fprintf(out,
            "| %s | 2^%zu | %s | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.3g | %.3g |\n",
            gfp_field_name(b->field), LEAST_LOG2 + i, method_names[m],
            counts_word_products(&row->c[m], b->k), counts_additions(&row->c[m]), row->c[m].turned,
            counts_moved(&row->c[m]), row->predicted[m] / 1e6, t->min_ns / 1e6, t->median_ns / 1e6,
            t->spread, t->min_ns / row->predicted[m]);
}

static void write_products(FILE *out, bench_field *const *fields, size_t count)
{
    fputs("\n### Products of two polynomials of n terms: counts, predicted and measured "
          "times\n\nWord products: a general product over p = r^k + 1 is k^2 of them, a butterfly "
          "modulo a word-size prime one. Additions: of digits, in butterflies of elements and in "
          "hybrid's outer DFT; turned: digits that a multiplication by a power of r moves (hybrid "
          "only reads them elsewhere). Words moved: every step reads and writes its data once. "
          "Predicted: the counts times the costs above, and for words moved what a copy in an area "
          "of that size costs more than in a near cache. One thread, its CPU time.\n\n",
          out);
    markdown_head(out, 0,
                  "field | n | method | word products | additions | turned | words moved | "
                  "predicted, ms | measured, ms | median, ms | spread, %% | measured / predicted");
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < LENGTHS; j++) {
            for (unsigned m = 0; m < METHODS && j % SHOWN_STEP == 0; m++) {
                write_counts(out, fields[i], j, m);
            }
        }
    }
}

/* log2 of the length of factors for which (3) equals (4). */
static double formula_crossover(unsigned k)
{
    return log2(k) * (log2(k) + 1) - 1;
}

static const struct {
    unsigned x, y;
} pairs[] = {{CRT, BIGFFT}, {HYBRID, BIGFFT}, {HYBRID, CRT}};
#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static void write_crossovers(FILE *out, bench_field *const *fields, size_t count)
{
    fputs("\n### Where a method takes over, for good, terms of a factor\n\nFormulas: log2 N = log2 "
          "k log2 2k, where (3) is (4), N = 2n. Predicted and measured: the lengths above, all "
          "doublings, interpolated; \"all lengths\" are these.\n\n",
          out);
    markdown_head(out, 0,
                  "field | crt from bigfft: formulas | predicted | measured | hybrid from bigfft: "
                  "predicted | measured | hybrid from crt: predicted | measured");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "| %s | from 2^%.0f", gfp_field_name(fields[i]->field),
                formula_crossover(fields[i]->k));
        for (size_t j = 0; j < PAIRS; j++) {
            double last;
            double from = takes_over(fields[i], predicted_of, pairs[j].x, pairs[j].y, &last);
            fputs(" | ", out);
            print_takeover(out, from, last);
            from = takes_over(fields[i], measured_of, pairs[j].x, pairs[j].y, &last);
            fputs(" | ", out);
            print_takeover(out, from, last);
        }
        fputs(" |\n", out);
    }
}

static void write_steps(FILE *out, bench_field *const *fields, size_t count)
{
    crt_times products[MAX_FIELDS * (LENGTHS / SHOWN_STEP + 1)];
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < LENGTHS; j += SHOWN_STEP) {
            products[n++] = fields[i]->rows[j].crt;
        }
    }
    write_crt_steps(out, products, n);
}

/* ---- the table ---- */

static bool measure_fields(bench_field **fields, size_t *count, const paper *w)
{
    const settings *s = &w->s;

    /* Words of the longest products: two factors of 128 digits a term, and the product. */
    if (!time_far_words(s, w->max_points == 0 ? 32 : 9 + (unsigned)log2((double)w->max_points))) {
        return false;
    }
    const size_t all = s->field_count > 0 ? s->field_count : gfp_named_prime_count();
    for (; *count < all && *count < MAX_FIELDS; ++*count) {
        const char *name =
            s->field_count > 0 ? s->fields[*count] : gfp_named_prime_get(*count)->name;
        gfp_error error = {.message = "no memory"};
        gfp_field *field;
        bench_field *b = calloc(1, sizeof(*b));
        if (b == NULL || gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
            free(b);
            return complain("%s: %s", name, error.message);
        }
        *b = (bench_field){.s = s, .field = field, .k = gfp_field_k(field)};
        fields[*count] = b;
        if (!measure_field(b, w)) {
            ++*count;
            return false;
        }
    }
    return true;
}

/* The fields of the settings (by default all named fields), products of lengths and transforms that
 * are not left out. */
bool write_complexity(paper *w)
{
    bench_field *fields[MAX_FIELDS];
    FILE *out = w->out;
    size_t count = 0;
    bool ok = measure_cpu_time(true) && measure_fields(fields, &count, w);

    if (ok) {
        fputs("\n## Complexity on paper and in measurement\n", out);
        write_units(out, fields, count);
        write_products(out, fields, count);
        write_crossovers(out, fields, count);
        write_steps(out, fields, count);
        write_transforms_head(out);
        for (size_t i = 0; i < count && ok; i++) {
            ok = write_transforms(w, fields[i]->field, &fields[i]->u[BIGFFT]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        gfp_field_destroy(fields[i]->field);
        free(fields[i]);
    }
    return measure_cpu_time(false) && ok;
}
