/* papers/complexity/tables.c: complexity on paper and in measurement: operations counted by walking
 * plans (counts.h), times predicted from the counts (units.h), and measured times; and the lengths
 * from which a method is faster than another, by the papers' formulas, by prediction and by
 * measurement.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "papers/complexity/units.h"
#include "papers/paper.h"

/* Products have 2^LEAST_LOG2 to 2^MOST_LOG2 terms; tables of single lengths show every third. */
#define LEAST_LOG2 2
#define MOST_LOG2 16
#define SHOWN_STEP 3
#define SHORT_LOG2 5 /* the table of means calls products up to this length short */
/* Products with a longer estimated time are not measured. */
#define LIMIT_NS 2e8
/* Digits (elements times k) of the longest transforms. */
#define MOST_DIGITS ((size_t)1 << 20)

/* The row of the field of `r` for another length; 0: for none. */
static table_row row_of_length(const table_row *r, size_t n)
{
    return (table_row){.field = r->field, .name = r->name, .k = r->k, .n = n};
}

/* ---- costs of operations: "cost.METHOD.OPERATION" ---- */

enum { BIGFFT, CRT, HYBRID, METHODS, SMALL = METHODS, COSTS_OF };
static const struct {
    const char *name;
    bool (*time_units)(unit_costs *u, const settings *s, const gfp_field *field);
    bool (*count)(counts *c, const gfp_field *field, size_t n); /* products */
} methods[COSTS_OF] = {{"bigfft", time_bigfft_units, count_bigfft},
                       {"crt", time_crt_units, count_crt},
                       {"hybrid", time_hybrid_units, count_hybrid},
                       {"small", time_small_units, NULL}};

static const struct {
    const char *name;
    size_t place;
} operations[] = {
    {"products", offsetof(unit_costs, products)},
    {"powers", offsetof(unit_costs, powers)},
    {"digit_sums", offsetof(unit_costs, digit_sums)},
    {"outer_sums", offsetof(unit_costs, outer_sums)},
    {"butterflies", offsetof(unit_costs, butterflies)},
    {"pointwise", offsetof(unit_costs, pointwise)},
    {"roots", offsetof(unit_costs, roots)},
    {"projected", offsetof(unit_costs, projected)},
    {"recombined", offsetof(unit_costs, recombined)},
};

static double *cost_at(unit_costs *u, size_t operation)
{
    return (double *)(void *)((char *)u + operations[operation].place);
}

static bool measure_costs(paper *w, const table_row *r)
{
    const double k = r->k;
    /* Words of the longest products: two factors of 128 digits a term, and the product. */
    const unsigned most = w->max_points == 0 ? 32 : 9 + (unsigned)log2((double)w->max_points);

    if (!time_far_words(&w->s, most)) {
        return false;
    }
    progress(r->name, "costs of operations", 0);
    for (size_t i = 0; i < COSTS_OF; i++) {
        unit_costs u = {0};
        if (!methods[i].time_units(&u, &w->s, r->field)) {
            return false;
        }
        for (size_t j = 0; j < COUNT(operations); j++) {
            quantity_put(w, r, *cost_at(&u, j), "cost.%s.%s", methods[i].name, operations[j].name);
        }
        if (i == BIGFFT) {
            quantity_put(w, r, u.products / k / k, "cost.word");
        }
    }
    quantity_put(w, r, (double)count_crt_primes(r->field, 1024) / k, "cost.primes");
    return true;
}

/* Fills in the costs for the field of `r`. */
static bool find_costs(paper *w, const table_row *r, size_t method, unit_costs *u)
{
    const table_row of_field = row_of_length(r, 0);
    bool ok = true;

    for (size_t i = 0; i < COUNT(operations) && ok; i++) {
        ok = quantity_find(w, &of_field, cost_at(u, i), "cost.%s.%s", methods[method].name,
                           operations[i].name);
    }
    return ok;
}

/* "PREFIX.NAME.products" and so on; times are in ms. */
static void put_counts(paper *w, const table_row *r, const char *prefix, const char *name,
                       const counts *c, const unit_costs *u)
{
    quantity_put(w, r, counts_word_products(c, r->k), "%s.%s.products", prefix, name);
    quantity_put(w, r, counts_additions(c), "%s.%s.additions", prefix, name);
    quantity_put(w, r, c->turned, "%s.%s.turned", prefix, name);
    quantity_put(w, r, counts_moved(c), "%s.%s.moved", prefix, name);
    quantity_put(w, r, predict(c, u) / 1e6, "%s.%s.predicted", prefix, name);
}

static void put_times(paper *w, const table_row *r, const char *prefix, const char *name,
                      const timing *t)
{
    quantity_put(w, r, t->min_ns / 1e6, "%s.%s.ms", prefix, name);
    quantity_put(w, r, t->median_ns / 1e6, "%s.%s.median", prefix, name);
    quantity_put(w, r, t->spread, "%s.%s.spread", prefix, name);
}

/* ---- products: "product_by.METHOD.QUANTITY" ---- */

typedef struct product {
    gfp_poly a, b, c;
    gfp_options options;
} product;

static void product_close(product *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
}

/* Draws factors of r->n terms. The caller calls product_close after success and after failure. */
static bool product_open(product *p, const paper *w, const table_row *r)
{
    gfp_random g;

    *p = (product){.options = {.threads = 1}};
    gfp_poly_init(&p->a, r->field);
    gfp_poly_init(&p->b, r->field);
    gfp_poly_init(&p->c, r->field);
    gfp_random_seed(&g, w->s.seed);
    return (gfp_poly_random(&p->a, r->n, &g) == GFP_OK &&
            gfp_poly_random(&p->b, r->n, &g) == GFP_OK) ||
           complain("no memory");
}

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
static bool time_methods(paper *w, const table_row *r, product *p)
{
    gfp_poly first;
    bool any = false, ok = true;

    gfp_poly_init(&first, r->field);
    for (size_t i = 0; i < METHODS && ok; i++) {
        timing t;
        if (!is_measurable(r->field, r->n, methods[i].name)) {
            continue;
        }
        progress(r->name, methods[i].name, r->n);
        p->options.method = methods[i].name;
        const uint64_t start = clock_ns();
        ok = run_product(p);
        const double three_runs = 3.5e-9 * (double)(clock_ns() - start);
        ok = ok && (any ? gfp_poly_equal(&p->c, &first) : gfp_poly_set(&first, &p->c) == GFP_OK) &&
             measure(&t, fmax(w->s.seconds, three_runs), run_product, p);
        any = true;
        if (ok) {
            put_times(w, r, "product_by", methods[i].name, &t);
        }
    }
    gfp_poly_clear(&first);
    return ok || complain("%s, length %zu: a product failed, or two differ", r->name, r->n);
}

static bool measure_products(paper *w, const table_row *r)
{
    product p;

    for (size_t i = 0; i < METHODS; i++) {
        counts c;
        unit_costs u;
        if (!find_costs(w, r, i, &u)) {
            return false;
        }
        if (methods[i].count(&c, r->field, r->n)) {
            put_counts(w, r, "product_by", methods[i].name, &c, &u);
        }
    }
    const bool ok = product_open(&p, w, r) && time_methods(w, r, &p);
    product_close(&p);
    return ok;
}

/* ---- crossovers of methods: "takeover.X_Y.SOURCE", "takeover.formulas" ---- */

/* log2 of the length from which x is faster than y by the quantities product_by.METHOD.`time`,
 * interpolated, over all lengths with a time for both. 0: at all lengths; the opposite of log2 of
 * the longest one: at none; NAN: there are no such lengths. */
static bool find_takeover(paper *w, const table_row *r, const char *x, const char *y,
                          const char *time, double *from)
{
    double above = 0, last = 0; /* above: log2 of y / x at 2^from */

    *from = NAN;
    for (unsigned at = MOST_LOG2; at >= LEAST_LOG2; at--) {
        const table_row length = row_of_length(r, (size_t)1 << at);
        double of_x, of_y;
        if (!quantity_find(w, &length, &of_x, "product_by.%s.%s", x, time) ||
            !quantity_find(w, &length, &of_y, "product_by.%s.%s", y, time)) {
            return false;
        }
        if (!(of_x > 0 && of_y > 0)) {
            continue;
        }
        const double here = log2(of_y / of_x);
        last = last > 0 ? last : at;
        if (here <= 0) {
            *from = isnan(*from) ? -last : *from - (*from - at) * above / (above - here);
            return true;
        }
        *from = at;
        above = here;
    }
    *from = isnan(*from) ? NAN : 0;
    return true;
}

static bool measure_takeovers(paper *w, const table_row *r)
{
    static const struct {
        const char *x, *y;
    } pairs[] = {{"crt", "bigfft"}, {"hybrid", "bigfft"}, {"hybrid", "crt"}};
    static const char *const sources[] = {"predicted", "ms"};
    const double log2_k = log2(r->k);

    for (size_t i = 0; i < COUNT(pairs) * COUNT(sources); i++) {
        const char *x = pairs[i / 2].x, *y = pairs[i / 2].y, *time = sources[i % 2];
        double from;
        if (!find_takeover(w, r, x, y, time, &from)) {
            return false;
        }
        quantity_put(w, r, from, "takeover.%s_%s.%s", x, y, time);
    }
    /* log2 of the length of factors for which (3) equals (4) */
    quantity_put(w, r, log2_k * (log2_k + 1) - 1, "takeover.formulas");
    return true;
}

/* ---- products by crt, step by step: "step.STEP.SOURCE", in percent of the prediction ---- */

#define OUTSIDE CRT_STEPS
static const char *const step_names[CRT_STEPS + 1] = {"projection", "roots", "transforms",
                                                      "recombination", "outside"};

static double sum_of_steps(const double *ns)
{
    double sum = 0;

    for (size_t i = 0; i < CRT_STEPS; i++) {
        sum += ns[i];
    }
    return sum;
}

/* Unknown of products that are not counted, or not measured. */
static bool measure_crt_steps(paper *w, const table_row *r)
{
    product p;
    crt_times t;
    unit_costs u;
    double predicted, ms;

    if (!quantity_find(w, r, &predicted, "product_by.crt.predicted") ||
        !quantity_find(w, r, &ms, "product_by.crt.ms") || !find_costs(w, r, CRT, &u)) {
        return false;
    }
    if (isnan(predicted) || isnan(ms)) {
        return true;
    }
    const bool ok = product_open(&p, w, r) && time_crt_steps(&t, &w->s, &p.a, &p.b, &u);
    product_close(&p);
    if (!ok) {
        return false;
    }
    const double all = sum_of_steps(t.predicted), outside = t.whole - sum_of_steps(t.measured);
    for (size_t i = 0; i <= CRT_STEPS; i++) {
        const double was = i == OUTSIDE ? 0 : t.predicted[i];
        const double is = i == OUTSIDE ? outside : t.measured[i];
        quantity_put(w, r, 100 * was / all, "step.%s.predicted", step_names[i]);
        quantity_put(w, r, 100 * is / all, "step.%s.measured", step_names[i]);
    }
    quantity_put(w, r, t.whole / all, "step.ratio");
    return true;
}

/* Means over the short products of the table above, or over the long ones: "excess.STEP",
 * "excess.ratio", "excess.products". */
static bool measure_excess(paper *w, const table_row *r)
{
    const bool is_short = r->token[0] == 's';
    double sums[CRT_STEPS + 1] = {0}, ratios = 0, products = 0;

    for (size_t i = 0; i < count_fields(w); i++) {
        const gfp_field *field = field_at(w, i);
        if (field == NULL) {
            return false;
        }
        for (unsigned at = LEAST_LOG2; at <= MOST_LOG2; at += SHOWN_STEP) {
            const table_row length = {.field = field,
                                      .name = gfp_field_name(field),
                                      .k = gfp_field_k(field),
                                      .n = (size_t)1 << at};
            double ratio, was, is;
            if (!quantity_find(w, &length, &ratio, "step.ratio")) {
                return false;
            }
            if (isnan(ratio) || (at <= SHORT_LOG2) != is_short) {
                continue;
            }
            products++;
            ratios += ratio;
            for (size_t j = 0; j <= CRT_STEPS; j++) {
                if (!quantity_find(w, &length, &was, "step.%s.predicted", step_names[j]) ||
                    !quantity_find(w, &length, &is, "step.%s.measured", step_names[j])) {
                    return false;
                }
                sums[j] += is - was;
            }
        }
    }
    for (size_t j = 0; j <= CRT_STEPS && products > 0; j++) {
        quantity_put(w, r, sums[j] / products, "excess.%s", step_names[j]);
    }
    quantity_put(w, r, products, "excess.products");
    quantity_put(w, r, ratios / products, "excess.ratio");
    return true;
}

/* ---- transforms: "transform.APPROACH.QUANTITY", "transform.FORMULA" ---- */

static bool measure_transforms(paper *w, const table_row *r)
{
    const formulas f = formulas_of(r->k, r->n);
    transform_times t;
    unit_costs big, small;

    if (r->n * r->k > MOST_DIGITS) {
        return true;
    }
    if (!find_costs(w, r, BIGFFT, &big) || !find_costs(w, r, SMALL, &small)) {
        return false;
    }
    progress(r->name, "transforms", r->n);
    if (!time_transforms(&t, &w->s, r->field, r->n)) {
        return false;
    }
    quantity_put(w, r, f.radix_2, "transform.radix_2");
    quantity_put(w, r, f.radix_2k, "transform.radix_2k");
    quantity_put(w, r, f.small_primes, "transform.small_primes");
    put_counts(w, r, "transform", "big", &t.count_big, &big);
    put_counts(w, r, "transform", "small", &t.count_small, &small);
    put_times(w, r, "transform", "big", &t.big);
    put_times(w, r, "transform", "small", &t.small);
    return true;
}

const quantity_group complexity_groups[] = {
    {"cost", measure_costs, 0, false},
    {"product_by", measure_products, 0, false},
    {"takeover", measure_takeovers, 0, false},
    {"step", measure_crt_steps, 0, false},
    {"excess", measure_excess, 0, false},
    {"transform", measure_transforms, 0, false},
    {NULL, NULL, 0, false},
};

/* ---- tables ---- */

static void plain_cell(FILE *out, double was, double here)
{
    if (!isnan(was)) {
        fprintf(out, "%.3g → ", was);
    }
    fprintf(out, "%.4g", here);
}

/* As find_takeover has it. */
static void takeover_cell(FILE *out, double was, double here)
{
    (void)was;
    if (isnan(here)) {
        fputs("–", out);
    } else if (here < 0) {
        fprintf(out, "not up to 2^%.0f", -here);
    } else if (here > 0) {
        fprintf(out, "from 2^%.3g", here);
    } else {
        fputs("all lengths", out);
    }
}

#define POINTS(text, token, log2)                                                                  \
    {                                                                                              \
        text, token, NULL, log2, false, false, false                                               \
    }
#define LENGTH(log2) POINTS("2^" #log2, "", log2)
#define METHOD(log2, method) POINTS("2^" #log2 " | " method, method, log2)
#define METHODS_AT(log2) METHOD(log2, "bigfft"), METHOD(log2, "crt"), METHOD(log2, "hybrid")
#define OF_STEP(title, step)                                                                       \
    {                                                                                              \
        title, "step." step ".predicted", "step." step ".measured", NULL, NULL                     \
    }

/* A part whose rows are fields and whose cells are written by `cell`. */
#define FIELDS_PART(cell)                                                                          \
    .name = "complexity", .of_fields = true, .by_cpu_time = true, .write_cell = (cell)

const paper_table complexity_tables[] = {
    {FIELDS_PART(plain_cell),
     .title = "Complexity on paper and in measurement\n\n### Costs of operations, ns",
     .text =
         "Data in a near cache, the least of several runs. bigfft: a general product (and that "
         "over k^2, for one product of words), a product in a table of powers, a sum of two digits "
         "inside a butterfly. crt: a butterfly or product of residues, a root of unity, a product "
         "of digit and word by the projection, one by the CRT (with its share of the division by "
         "r). hybrid: a sum of digits in the outer DFT, a butterfly, a product of residues, one of "
         "words by the CRT: the median of what restoring a leaf takes more than one of its "
         "transforms, by runs of both next to each other. The last columns: the operations of crt "
         "over a product of words in a general product, and the primes of a product of 2^10 terms "
         "over k; docs/design/papers.md says why the formulas differ.",
     .heads = "field",
     .columns = COLUMNS(
         HERE("general product", "cost.bigfft.products"), HERE("/ k^2", "cost.word"),
         HERE("power", "cost.bigfft.powers"), HERE("digit sum", "cost.bigfft.digit_sums"),
         HERE("crt: butterfly", "cost.crt.butterflies"), HERE("root", "cost.crt.roots"),
         HERE("projection", "cost.crt.projected"), HERE("CRT", "cost.crt.recombined"),
         HERE("hybrid: digit sum", "cost.hybrid.outer_sums"),
         HERE("butterfly", "cost.hybrid.butterflies"), HERE("residues", "cost.hybrid.pointwise"),
         HERE("CRT", "cost.hybrid.recombined"),
         HERE("crt / word: butterfly", "cost.crt.butterflies / cost.word"),
         HERE("projection", "cost.crt.projected / cost.word"),
         HERE("CRT", "cost.crt.recombined / cost.word"), HERE("primes / k", "cost.primes"))},
    {FIELDS_PART(plain_cell),
     .title = "### Products of two polynomials of n terms: counts, predicted and measured times",
     .text =
         "Word products: a general product over p = r^k + 1 is k^2 of them, a butterfly modulo a "
         "word-size prime one. Additions: of digits, in butterflies of elements and in hybrid's "
         "outer DFT; turned: digits that a multiplication by a power of r moves (hybrid only reads "
         "them elsewhere). Words moved: every step reads and writes its data once. Predicted: the "
         "counts times the costs above, and for words moved what a copy in an area of that size "
         "costs more than in a near cache. One thread, its CPU time.",
     .skips_unknown = true, .heads = "field | n | method",
     .variations =
         VARIATIONS(METHODS_AT(2), METHODS_AT(5), METHODS_AT(8), METHODS_AT(11), METHODS_AT(14)),
     .columns = COLUMNS(
         HERE("word products", "product_by.@.products"),
         HERE("additions", "product_by.@.additions"), HERE("turned", "product_by.@.turned"),
         HERE("words moved", "product_by.@.moved"), HERE("predicted, ms", "product_by.@.predicted"),
         HERE("measured, ms", "product_by.@.ms"), HERE("median, ms", "product_by.@.median"),
         HERE("spread, %", "product_by.@.spread"),
         HERE("measured / predicted", "product_by.@.ms / product_by.@.predicted"))},
    {FIELDS_PART(takeover_cell),
     .title = "### Where a method takes over, for good, terms of a factor",
     .text = "Formulas: log2 N = log2 k log2 2k, where (3) is (4), N = 2n. Predicted and measured: "
             "the lengths above, all doublings, interpolated; \"all lengths\" are these.",
     .heads = "field",
     .columns = COLUMNS(HERE("crt from bigfft: formulas", "takeover.formulas"),
                        HERE("predicted", "takeover.crt_bigfft.predicted"),
                        HERE("measured", "takeover.crt_bigfft.ms"),
                        HERE("hybrid from bigfft: predicted", "takeover.hybrid_bigfft.predicted"),
                        HERE("measured", "takeover.hybrid_bigfft.ms"),
                        HERE("hybrid from crt: predicted", "takeover.hybrid_crt.predicted"),
                        HERE("measured", "takeover.hybrid_crt.ms"))},
    {FIELDS_PART(plain_cell), .title = "### Products by crt, step by step",
     .text =
         "In percent of the product's prediction: what a step is predicted to take → what it takes "
         "by itself, in the arrays and by the calls of a product. Transforms: what residues take, "
         "less their projection and roots. Outside: what the product takes more than these steps. "
         "The least of some rounds of all.",
     .skips_unknown = true, .heads = "field | n",
     .variations = VARIATIONS(LENGTH(2), LENGTH(5), LENGTH(8), LENGTH(11), LENGTH(14)),
     .columns =
         COLUMNS(HERE("measured / predicted", "step.ratio"), OF_STEP("projection", "projection"),
                 OF_STEP("roots", "roots"), OF_STEP("transforms", "transforms"),
                 OF_STEP("CRT", "recombination"), OF_STEP("outside", "outside"))},
    {.name = "complexity",
     .title =
         "Not counted, step by step: projection writes the zeros behind the factors, fills arrays "
         "of up to 32 primes side by side, and in vectors works for eight primes at a time, whole "
         "ones. Roots and transforms have a price for each prime, however short; the costs of 2^11 "
         "points stand for butterflies and products of blocks at any length; and a transform goes "
         "through its array once for a few levels, not once in all. The CRT reads the arrays of "
         "all primes side by side. Outside the steps: plan, areas and the call; the factors of the "
         "CRT, which each product computes for its primes; and that a step alone finds its data "
         "nearer than after the others.",
     .text = "By what products by crt miss their predictions, means in percent of these:",
     .skips_unknown = true,
     .by_cpu_time = true,
     .write_cell = plain_cell,
     .heads = "terms",
     .rows = ROWS({.text = "up to 2^5", .token = "short"}, {.text = "above 2^5", .token = "long"}),
     .columns =
         COLUMNS(HERE("products", "excess.products"), HERE("measured / predicted", "excess.ratio"),
                 HERE("projection", "excess.projection"), HERE("roots", "excess.roots"),
                 HERE("transforms", "excess.transforms"), HERE("CRT", "excess.recombination"),
                 HERE("outside the steps", "excess.outside"))},
    {FIELDS_PART(plain_cell),
     .title = "### Transforms of N points: the formulas of ISSAC 2017, counts, and times",
     .text =
         "Formulas, leading terms with M(k) = k^2: (2) with K = 2, (3) with K = 2k, (4) by k "
         "primes of a word and the CRT. Counted: the transform of this library over Z/pZ (products "
         "of words and additions of digits), and primes of 50 bits in blocks of eight, as few as "
         "have a product above p, in Stockham's form, with projection and recombination "
         "(products).",
     .skips_unknown = true, .heads = "field | N",
     .variations =
         VARIATIONS(POINTS("256", "", 8), POINTS("4096", "", 12), POINTS("65536", "", 16)),
     .columns = COLUMNS(
         HERE("(2)", "transform.radix_2"), HERE("(3)", "transform.radix_2k"),
         HERE("(4)", "transform.small_primes"),
         HERE("big prime: products", "transform.big.products"),
         HERE("additions", "transform.big.additions"),
         HERE("small primes: products", "transform.small.products"),
         HERE("big prime: words moved", "transform.big.moved"),
         HERE("predicted, ms", "transform.big.predicted"), HERE("measured, ms", "transform.big.ms"),
         HERE("spread, %", "transform.big.spread"),
         HERE("measured / predicted", "transform.big.ms / transform.big.predicted"),
         HERE("small primes: predicted, ms", "transform.small.predicted"),
         HERE("measured, ms", "transform.small.ms"), HERE("spread, %", "transform.small.spread"),
         HERE("measured / predicted", "transform.small.ms / transform.small.predicted"),
         HERE("(3) / (4)", "transform.radix_2k / transform.small_primes"),
         HERE("big / small, predicted", "transform.big.predicted / transform.small.predicted"),
         HERE("measured", "transform.big.ms / transform.small.ms"))},
    {.name = NULL},
};
