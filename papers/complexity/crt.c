/* papers/complexity/crt.c: the part of the table complexity on why crt takes longer than counts
 * predict: the steps of a product, each timed on its own in the arrays and by the calls of a
 * product, compared with the cost of its operations in a near cache.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "bench/markdown.h"
#include "papers/complexity/report.h"
#include "crt/hybrid/shape.h"
#include "crt/small/native.h"

/* Rounds over all steps and the product, so that a temporary slowdown of the machine affects all of
 * them. */
#define ROUNDS 4
/* The list below the table calls products up to this length short. */
#define SHORT 32

typedef struct crt_steps {
    const gfp_poly *a, *b;
    gfp_poly c;
    const gfp_native_engine *engine;
    gfp_native_tables *tables;
    const gfp_native_set *set;
    size_t step; /* words between arrays of residues */
    gfp_native_size size;
    uint64_t *x, *y, *z, *roots, *work;
    gfp_ntt48_root *scale;
} crt_steps;

static size_t crt_least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* The number of primes processed together. */
static size_t batch_at(const crt_steps *w, size_t first)
{
    return crt_least(w->set->count - first, GFP_NATIVE_BATCH);
}

static void project_batch(const crt_steps *w, size_t first)
{
    const size_t count = batch_at(w, first), points = gfp_native_points(w->size);
    w->engine->project(w->tables, first, count, w->x + first * w->step, w->step, w->a->digits,
                       w->a->len, points, w->work);
    w->engine->project(w->tables, first, count, w->y, w->step, w->b->digits, w->b->len, points,
                       w->work);
}

static bool run_projection(void *context)
{
    const crt_steps *w = context;
    for (size_t first = 0; first < w->set->count; first += GFP_NATIVE_BATCH) {
        project_batch(w, first);
    }
    return true;
}

static bool run_roots(void *context)
{
    const crt_steps *w = context;
    for (size_t i = 0; i < w->set->count; i++) {
        w->engine->roots(&w->tables->primes[i], w->size.log2_n, w->roots);
    }
    return true;
}

/* All steps except the CRT: transforms overwrite their input, so that projection runs each time. */
static bool run_residues(void *context)
{
    const crt_steps *w = context;
    for (size_t first = 0; first < w->set->count; first += GFP_NATIVE_BATCH) {
        project_batch(w, first);
        for (size_t i = 0; i < batch_at(w, first); i++) {
            const gfp_native_prime *prime = &w->tables->primes[first + i];
            w->engine->roots(prime, w->size.log2_n, w->roots);
            w->engine->multiply(prime, w->roots, w->x + (first + i) * w->step, w->y + i * w->step,
                                w->size);
        }
    }
    return true;
}

static bool run_recombination(void *context)
{
    const crt_steps *w = context;
    w->engine->recombine(w->tables, w->set, w->scale, w->z, w->x, w->step, 0,
                         w->a->len + w->b->len - 1, w->work);
    return true;
}

static bool run_product(void *context)
{
    crt_steps *w = context;
    const gfp_options options = {.method = "crt", .threads = 1};
    return gfp_poly_mul(&w->c, w->a, w->b, &options) == GFP_OK;
}

static bool crt_open(crt_steps *w, area *m)
{
    const gfp_field *field = w->a->field;
    const size_t points = gfp_native_points(w->size), count = gfp_native_count(field, w->a->len);

    w->engine = gfp_native_engine_get(field);
    w->tables = gfp_native_tables_get(field);
    w->set = w->tables != NULL ? gfp_native_set_get(w->tables, count) : NULL;
    if (w->set == NULL) {
        return complain("%s: no memory for primes", gfp_field_name(field));
    }
    w->step = points + GFP_HYBRID_LINE;
    const size_t words[] = {gfp_hybrid_align(count * w->step),
                            gfp_hybrid_align(crt_least(count, GFP_NATIVE_BATCH) * w->step),
                            gfp_hybrid_align(points * field->k),
                            gfp_hybrid_align(w->engine->root_words(w->size.log2_n)),
                            gfp_hybrid_align(w->engine->crt_words(w->tables->radix.k, count)),
                            2 * count};
    if (!area_open(m, words[0] + words[1] + words[2] + words[3] + words[4] + words[5])) {
        return false;
    }
    w->x = m->words;
    w->y = w->x + words[0];
    w->z = w->y + words[1];
    w->roots = w->z + words[2];
    w->work = w->roots + words[3];
    w->scale = (gfp_ntt48_root *)(void *)(w->work + words[4]);
    gfp_native_fill_scale(w->scale, w->engine, w->tables, w->set, w->size);
    return true;
}

/* Whether the steps give the product. */
static bool is_product(crt_steps *w)
{
    const size_t n = w->a->len + w->b->len - 1;
    return run_product(w) && run_residues(w) && run_recombination(w) && w->c.len == n &&
           gfp_vec_equal(w->a->field, w->c.digits, w->z, n);
}

static bool measure_steps(crt_times *t, const settings *s, crt_steps *w)
{
    bool (*const bodies[])(void *context) = {run_projection, run_roots, run_residues,
                                             run_recombination, run_product};
    double ns[] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};

    for (size_t i = 0; i < ROUNDS; i++) {
        for (size_t j = 0; j < sizeof(ns) / sizeof(ns[0]); j++) {
            timing here;
            if (!measure(&here, s->seconds / ROUNDS, bodies[j], w)) {
                return false;
            }
            ns[j] = fmin(ns[j], here.min_ns);
        }
    }
    t->measured[CRT_PROJECTION] = ns[0];
    t->measured[CRT_ROOTS] = ns[1];
    t->measured[CRT_TRANSFORMS] = ns[2] - ns[0] - ns[1];
    t->measured[CRT_RECOMBINATION] = ns[3];
    t->whole = ns[4];
    return true;
}

bool time_crt_steps(crt_times *t, const settings *s, const gfp_poly *a, const gfp_poly *b,
                    const unit_costs *u)
{
    crt_steps w = {.a = a, .b = b};
    area m = {NULL, NULL};
    counts c[CRT_STEPS];

    while ((size_t)1 << w.size.log2_n < 2 * a->len) {
        w.size.log2_n++;
    }
    *t = (crt_times){.field = a->field, .n = a->len};
    if (!count_crt_steps(c, a->field, a->len) || !crt_open(&w, &m)) {
        return false;
    }
    for (size_t i = 0; i < CRT_STEPS; i++) {
        t->predicted[i] = predict(&c[i], u);
    }
    gfp_poly_init(&w.c, a->field);
    const bool ok = is_product(&w) ? measure_steps(t, s, &w)
                                   : complain("%s, length %zu: the steps of crt give no product",
                                              gfp_field_name(a->field), a->len);
    gfp_poly_clear(&w.c);
    free(m.block);
    return ok;
}

/* ---- the report ---- */

static double sum_of(const double *ns)
{
    double sum = 0;
    for (size_t i = 0; i < CRT_STEPS; i++) {
        sum += ns[i];
    }
    return sum;
}

static void write_row(FILE *out, const crt_times *t)
{
    const double percent = 100 / sum_of(t->predicted);

    fprintf(out, "| %s | 2^%.0f | %.2f", gfp_field_name(t->field), log2((double)t->n),
            t->whole / sum_of(t->predicted));
    for (size_t i = 0; i < CRT_STEPS; i++) {
        fprintf(out, " | %.1f → %.1f", percent * t->predicted[i], percent * t->measured[i]);
    }
    fprintf(out, " | 0 → %.1f |\n", percent * (t->whole - sum_of(t->measured)));
}

/* The mean excess of the products of these lengths over their predictions, step by step. */
static void write_excess(FILE *out, const crt_times *products, size_t count, bool is_short)
{
    static const char *const names[] = {"projection", "roots", "transforms", "CRT"};
    double excess[CRT_STEPS] = {0}, outside = 0, ratio = 0, taken = 0;

    for (size_t i = 0; i < count; i++) {
        const crt_times *t = &products[i];
        if (!(t->whole > 0) || (t->n <= SHORT) != is_short) {
            continue;
        }
        const double predicted = sum_of(t->predicted);
        taken++;
        ratio += t->whole / predicted;
        outside += (t->whole - sum_of(t->measured)) / predicted;
        for (size_t j = 0; j < CRT_STEPS; j++) {
            excess[j] += (t->measured[j] - t->predicted[j]) / predicted;
        }
    }
    if (taken == 0) {
        return;
    }
    fprintf(out, "- %s 2^%d terms (%.0f products): %.2f times the prediction; in percent of it:",
            is_short ? "up to" : "above", (int)log2(SHORT), taken, ratio / taken);
    for (size_t j = 0; j < CRT_STEPS; j++) {
        fprintf(out, " %s %+.1f,", names[j], 100 * excess[j] / taken);
    }
    fprintf(out, " outside the steps %+.1f.\n", 100 * outside / taken);
}

void write_crt_steps(FILE *out, const crt_times *products, size_t count)
{
    double any = 0;

    for (size_t i = 0; i < count; i++) {
        any += products[i].whole;
    }
    if (!(any > 0)) {
        return;
    }
    fputs("\n### Products by crt, step by step\n\nIn percent of the product's prediction: what a "
          "step is predicted to take → what it takes by itself, in the arrays and by the calls of "
          "a product. Transforms: what residues take, less their projection and roots. Outside: "
          "what the product takes more than these steps. The least of some rounds of all.\n\n",
          out);
    markdown_head(
        out, 0,
        "field | n | measured / predicted | projection | roots | transforms | CRT | outside");
    for (size_t i = 0; i < count; i++) {
        if (products[i].whole > 0) {
            write_row(out, &products[i]);
        }
    }
    fputs("\nBy what products by crt miss their predictions:\n\n", out);
    write_excess(out, products, count, true);
    write_excess(out, products, count, false);
    fputs(
        "\nNot counted, step by step: projection writes the zeros behind the factors, fills arrays "
        "of up to 32 primes side by side, and in vectors works for eight primes at a time, whole "
        "ones. Roots and transforms have a price for each prime, however short; the costs of "
        "2^11 points stand for butterflies and products of blocks at any length; and a "
        "transform goes through its array once for a few levels, not once in all. The CRT reads "
        "the arrays of all primes side by side. Outside the steps: plan, areas and the call; the "
        "factors of the CRT, which each product computes for its primes; and that a step alone "
        "finds its data nearer than after the others.\n",
        out);
}
