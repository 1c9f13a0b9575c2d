/* papers/complexity/crt.c: the part of the table complexity on why crt takes longer than counts
 * predict: the steps of a product, each timed on its own in the arrays and by the calls of a
 * product, compared with the cost of its operations in a near cache.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "papers/complexity/units.h"
#include "crt/hybrid/shape.h"
#include "crt/small/native.h"

/* Rounds over all steps and the product, so that a temporary slowdown of the machine affects all of
 * them. */
#define ROUNDS 4

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
    const gfp_native_factor a = {w->x + first * w->step, w->a->digits, w->a->len};
    const gfp_native_factor b = {w->y, w->b->digits, w->b->len};
    w->engine->project(w->tables, first, count, &a, w->step, points, w->work);
    w->engine->project(w->tables, first, count, &b, w->step, points, w->work);
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
    w->engine->recombine(w->tables, w->set, w->scale, w->z, w->x, w->step,
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
