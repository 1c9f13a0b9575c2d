/* papers/complexity/transforms.c: the part of the table complexity on transforms: the formulas of
 * ISSAC 2017, section 2, compared with counts, predictions and times of both approaches.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "bench/markdown.h"
#include "papers/complexity/report.h"
#include "papers/small.h"

/* Digits (elements times k) of the longest transforms. */
#define MOST_DIGITS ((size_t)1 << 20)
/* The points of the transforms whose steps give the costs. */
#define UNIT_POINTS 64

typedef struct transforms {
    gfp_fft_plan *big;
    small_primes small;
    uint64_t *x, *y;
} transforms;

static bool run_big(void *context)
{
    transforms *w = context;
    return gfp_fft_forward(w->big, w->y, w->x, GFP_ORDER_PERMUTED, NULL) == GFP_OK;
}

/* Stockham's form, whose results are residues. */
static bool run_small(void *context)
{
    return small_project(context) && small_transform(context) && small_recombine(context);
}

static void transforms_close(transforms *w)
{
    gfp_fft_plan_destroy(w->big);
    small_close(&w->small);
    free(w->x);
    free(w->y);
}

static bool transforms_open(transforms *w, const settings *s, const gfp_field *field, size_t n)
{
    gfp_random g;

    *w = (transforms){.x = calloc(n, gfp_field_k(field) * sizeof(uint64_t)),
                      .y = calloc(n, gfp_field_k(field) * sizeof(uint64_t))};
    if (w->x == NULL || w->y == NULL || gfp_fft_plan_create(&w->big, field, n, NULL) != GFP_OK ||
        !small_open(&w->small, field, n, GFP_NTT_STOCKHAM, s->seed)) {
        transforms_close(w);
        return complain("%s, N = %zu: no transform, or no memory", gfp_field_name(field), n);
    }
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* Checks that the way back gives the input, and that the first value is the sum of the input. */
static bool check_transforms(transforms *w, const gfp_field *field)
{
    const size_t n = w->small.n;

    return (small_check(&w->small) && run_big(w) && evaluates(field, w->y, NULL, w->x, n) &&
            gfp_fft_inverse(w->big, w->y, w->y, GFP_ORDER_PERMUTED, NULL) == GFP_OK &&
            gfp_vec_equal(field, w->x, w->y, n)) ||
           complain("%s, N = %zu: a transform is wrong", gfp_field_name(field), n);
}

static void count_small(counts *c, const small_primes *w)
{
    count_small_primes(c, w->n, w->blocks * GFP_WORDS, w->limbs, w->width);
}

/* The costs of the operations modulo small primes, from a short transform. */
static bool time_small(const settings *s, const gfp_field *field, unit_costs *u)
{
    transforms w;
    timing project, transform, recombine;
    counts c;

    if (!transforms_open(&w, s, field, UNIT_POINTS)) {
        return false;
    }
    /* A transform of a transform is one of residues, too. */
    const bool ok = check_transforms(&w, field) &&
                    measure(&project, s->seconds, small_project, &w.small) &&
                    measure(&transform, s->seconds, small_transform, &w.small) &&
                    measure(&recombine, s->seconds, small_recombine, &w.small);
    count_small(&c, &w.small);
    transforms_close(&w);
    if (ok) {
        *u = (unit_costs){.projected = project.min_ns / c.projected,
                          .butterflies = transform.min_ns / c.butterflies,
                          .recombined = recombine.min_ns / c.recombined};
    }
    return ok || complain("%s: transforms of %d points failed", gfp_field_name(field), UNIT_POINTS);
}

static bool write_transform(FILE *out, const settings *s, const gfp_field *field,
                            const unit_costs *big_units, const unit_costs *units, size_t n)
{
    const formulas f = formulas_of(gfp_field_k(field), n);
    transforms w;
    timing big = {0}, small = {0};
    counts of_big = {0}, of_small = {0};

    progress(gfp_field_name(field), "transforms", n);
    if (!transforms_open(&w, s, field, n)) {
        return false;
    }
    count_transform(&of_big, w.big);
    count_small(&of_small, &w.small);
    const bool ok = check_transforms(&w, field) && measure(&big, s->seconds, run_big, &w) &&
                    measure(&small, s->seconds, run_small, &w.small);
    transforms_close(&w);
    progress_end();
    if (!ok) {
        return complain("%s, N = %zu: a transform failed", gfp_field_name(field), n);
    }
    const double big_ns = predict(&of_big, big_units), small_ns = predict(&of_small, units);
    fprintf(out,
            "| %s | %zu | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.4g | %.3g | "
            "%.3g | %.4g | %.4g | %.3g | %.3g | %.3g | %.3g | %.3g |\n",
            gfp_field_name(field), n, f.radix_2, f.radix_2k, f.small_primes,
            counts_word_products(&of_big, gfp_field_k(field)), counts_additions(&of_big),
            counts_word_products(&of_small, gfp_field_k(field)), counts_moved(&of_big),
            big_ns / 1e6, big.min_ns / 1e6, big.spread, big.min_ns / big_ns, small_ns / 1e6,
            small.min_ns / 1e6, small.spread, small.min_ns / small_ns, f.radix_2k / f.small_primes,
            big_ns / small_ns, big.min_ns / small.min_ns);
    return true;
}

void write_transforms_head(FILE *out)
{
    fputs(
        "\n### Transforms of N points: the formulas of ISSAC 2017, counts, and times\n\nFormulas, "
        "leading terms with M(k) = k^2: (2) with K = 2, (3) with K = 2k, (4) by k primes of a word "
        "and the CRT. Counted: the transform of this library over Z/pZ (products of words and "
        "additions of digits), and primes of 50 bits in blocks of eight, as few as have a product "
        "above p, in Stockham's form, with projection and recombination (products).\n\n",
        out);
    markdown_head(out, 0,
                  "field | N | (2) | (3) | (4) | big prime: products | additions | small primes: "
                  "products | big prime: words moved | predicted, ms | measured, ms | spread, %% | "
                  "measured / predicted | small primes: predicted, ms | measured, ms | spread, %% "
                  "| measured / predicted | (3) / (4) | big / small, predicted | measured");
}

bool write_transforms(const paper *w, const gfp_field *field, const unit_costs *big)
{
    unit_costs units;
    bool ok = time_small(&w->s, field, &units);

    for (size_t n = 256; n * gfp_field_k(field) <= MOST_DIGITS && ok; n *= 16) {
        if (!left_out(w, n)) {
            ok = write_transform(w->out, &w->s, field, big, &units, n);
        }
    }
    return ok;
}
