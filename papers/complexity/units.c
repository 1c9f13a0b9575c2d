/* papers/complexity/units.c: see units.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/complexity/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/impl.h"
#include "crt/hybrid/shape.h"
#include "crt/small/native.h"

/* The extra ns for a word that is read or written, over a near cache, by log2 of the
 * area's words. */
static double far_words[COUNT_AREAS];
/* Areas of up to 2^NEAR_LOG2 words are near. */
#define NEAR_LOG2 11
#define FARTHEST_LOG2 24

double predict(const counts *c, const unit_costs *u)
{
    double ns = c->products * u->products + c->powers * u->powers + c->digit_sums * u->digit_sums +
                c->outer_sums * u->outer_sums + c->butterflies * u->butterflies +
                c->pointwise * u->pointwise + c->roots * u->roots + c->projected * u->projected +
                c->recombined * u->recombined;

    for (size_t i = 0; i < COUNT_AREAS; i++) {
        ns += c->moved[i] * far_words[i];
    }
    return ns;
}

/* ---- measuring an operation ---- */

bool area_open(area *a, size_t words)
{
    a->block = malloc((words + 8) * sizeof(uint64_t));
    if (a->block == NULL) {
        complain("no memory for %zu words", words);
        return false;
    }
    a->words = gfp_hybrid_line(a->block);
    memset(a->words, 0, words * sizeof(uint64_t));
    return true;
}

typedef struct copying {
    uint64_t *words;
    size_t half;
} copying;

static bool run_copy(void *context)
{
    copying *w = context;
    memcpy(w->words + w->half, w->words, w->half * sizeof(uint64_t));
    w->words[0]++;
    return true;
}

static bool time_copy(const settings *s, unsigned log2_words, double *ns)
{
    area a = {NULL, NULL};
    timing t;

    if (!area_open(&a, (size_t)1 << log2_words)) {
        return false;
    }
    copying w = {a.words, (size_t)1 << (log2_words - 1)};
    const bool ok = measure(&t, s->seconds, run_copy, &w);
    *ns = ok ? t.min_ns / (2 * (double)w.half) : 0;
    free(a.block);
    return ok;
}

/* Fills far_words for areas of up to 2^most words; larger areas get the value of the largest. */
bool time_far_words(const settings *s, unsigned most)
{
    static bool known;
    double near = 0;

    if (known) {
        return true;
    }
    progress("", "words moved", most);
    if (!time_copy(s, NEAR_LOG2, &near)) {
        return false;
    }
    for (unsigned i = NEAR_LOG2 + 1; i < COUNT_AREAS; i++) {
        double ns = near;
        if (i > most || i > FARTHEST_LOG2) {
            far_words[i] = far_words[i - 1];
            continue;
        }
        if (!time_copy(s, i, &ns)) {
            return false;
        }
        far_words[i] = ns > near ? ns - near : 0;
    }
    known = true;
    return true;
}

/* ---- operations in Z/pZ ---- */

typedef struct elements {
    const gfp_field *field;
    const gfp_base_engine *base;
    size_t n, columns;
    unsigned radix_log;
    uint64_t *x, *y, *z;
    gfp_twiddle factors[64];
} elements;

static bool run_products(void *context)
{
    elements *w = context;
    w->field->kernels->mul_indexed(w->field, w->z, w->x, w->y, w->factors, w->n);
    return true;
}

static bool run_powers(void *context)
{
    elements *w = context;
    gfp_elem_mul(w->field, w->z, w->z, w->y + w->field->k);
    return true;
}

/* Base cases on columns, as in transforms. */
static bool run_base(void *context)
{
    elements *w = context;
    const size_t k = w->field->k;
    const gfp_base_rows rows = {w->x, w->columns * k, k, w->columns};

    if (w->base != NULL) {
        w->base->forward(w->field, &rows, w->radix_log);
    } else {
        gfp_fft_base(w->field, w->x, w->radix_log, w->columns);
    }
    return true;
}

bool time_bigfft_units(unit_costs *u, const settings *s, const gfp_field *field)
{
    const size_t k = field->k;
    elements w = {.field = field, .base = gfp_base_engine_get(field)};
    gfp_random g;
    area a = {NULL, NULL};
    timing t[3];

    w.radix_log = field->log2_k + 1;
    w.columns = w.base != NULL ? 16 : k < 16 ? 16 / k : 1;
    w.n = 1024 / k > 64 ? 64 : 1024 / k;
    const size_t size = (w.columns << w.radix_log) * k;
    if (!area_open(&a, 3 * (size > 64 * k ? size : 64 * k))) {
        return false;
    }
    w.x = a.words;
    w.y = w.x + (size > 64 * k ? size : 64 * k);
    w.z = w.y + 64 * k;
    for (size_t i = 0; i < 64; i++) {
        w.factors[i] = (gfp_twiddle){1 + 7 * i % (w.n - 1), i % (2 * k)};
    }
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w.x, w.columns << w.radix_log, &g);
    gfp_vec_random(field, w.y, 64, &g);
    gfp_vec_random(field, w.z, 64, &g);
    const bool ok = measure(&t[0], s->seconds, run_products, &w) &&
                    measure(&t[1], s->seconds, run_powers, &w) &&
                    measure(&t[2], s->seconds, run_base, &w);
    *u = (unit_costs){
        .products = t[0].min_ns / (double)w.n,
        .powers = t[1].min_ns,
        .digit_sums = t[2].min_ns / ((double)size * w.radix_log),
    };
    free(a.block);
    return ok;
}

/* ---- operations of hybrid ---- */

typedef struct leaves {
    gfp_hybrid_choice choice;
    gfp_hybrid_shape shape;
    size_t len;
    uint64_t *x, *product, *work, *polynomial;
    int64_t *digits;
} leaves;

static bool run_outer(void *context)
{
    leaves *w = context;
    const size_t columns = w->shape.outer.m / w->choice.outer->lanes;

    w->choice.outer->forward(&w->shape.outer, w->digits, w->polynomial, w->len / 2, 0, columns);
    w->choice.outer->inverse(&w->shape.outer, w->polynomial + w->len * w->choice.k, w->len,
                             w->digits, 0, columns);
    return true;
}

static gfp_leaves first_leaf(const leaves *w)
{
    return (gfp_leaves){w->choice.engine, &w->shape, 0, 1, w->work};
}

static bool run_leaf_transform(void *context)
{
    leaves *w = context;
    const gfp_leaves leaf = first_leaf(w);
    gfp_leaf_transform(&leaf, w->x, w->digits);
    return true;
}

static bool run_leaf_products(void *context)
{
    leaves *w = context;
    const gfp_leaves leaf = first_leaf(w);
    const gfp_leaf_pairs p = {{w->x}, {w->x}, 1};
    gfp_leaf_accumulate(&leaf, w->product, &p, 0);
    return true;
}

static bool run_leaf(void *context)
{
    leaves *w = context;
    const gfp_leaves leaf = first_leaf(w);
    run_leaf_products(w);
    gfp_leaf_restore(&leaf, w->digits, w->product, w->shape.outer.m);
    return true;
}

static size_t units_larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

/* The length of a leaf that is timed alone: about 2048 digits. */
static size_t leaf_length(size_t k)
{
    return units_larger(2048 / k, 8);
}

/* Opens a tree of at most 16 leaves, with memory for a longer leaf that is timed alone. */
static bool leaves_open(leaves *w, const settings *s, const gfp_field *field, area *a)
{
    gfp_random g;

    gfp_hybrid_choose(&w->choice, field);
    const unsigned log2_size = w->choice.log2_k < 3 ? w->choice.log2_k + 1 : 4;
    const size_t m = units_larger(4096 / field->k >> log2_size, 8);
    w->shape = (gfp_hybrid_shape){
        .outer = {field, log2_size, 1U << log2_size, m},
        .odd = 1,
        .primes = gfp_hybrid_primes(&w->choice, 1024),
        .group = 1,
    };
    w->len = m << log2_size;
    const size_t digits = gfp_hybrid_align(units_larger(w->len, leaf_length(field->k)) * field->k);
    w->shape.outer.m = leaf_length(field->k);
    const size_t work = gfp_hybrid_align(gfp_leaf_work_words(w->choice.engine, &w->shape));
    const size_t words = gfp_hybrid_align(gfp_leaf_transform_words(w->choice.engine, &w->shape, 1));
    if (gfp_leaf_prepare(w->choice.engine, &w->shape) != GFP_OK ||
        !area_open(a, 3 * digits + work + 2 * words)) {
        return complain("%s: no memory for leaves", gfp_field_name(field));
    }
    w->shape.outer.m = m;
    w->polynomial = a->words;
    w->digits = (int64_t *)(a->words + 2 * digits);
    w->work = a->words + 3 * digits;
    w->x = w->work + work;
    w->product = w->x + words;
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w->polynomial, w->len, &g);
    return true;
}

bool time_hybrid_units(unit_costs *u, const settings *s, const gfp_field *field)
{
    leaves w;
    area a = {NULL, NULL};
    bool (*const before[])(void *context) = {run_leaf_products, run_leaf_transform};
    timing outer, transform, products, back;

    if (!leaves_open(&w, s, field, &a)) {
        return false;
    }
    const double sums = count_outer_sums(&w.shape, 1);
    bool ok = measure(&outer, s->seconds, run_outer, &w);
    memset(w.digits, 0, leaf_length(field->k) * field->k * sizeof(*w.digits));
    w.shape.outer.leaves = 1;
    w.shape.outer.m = leaf_length(field->k);
    const int rounding = gfp_rounding_begin();
    ok = ok && measure(&transform, s->seconds, run_leaf_transform, &w) &&
         measure(&products, s->seconds, run_leaf_products, &w) &&
         measure_rest(&back, s->seconds, run_leaf, before, 2, &w);
    gfp_rounding_end(rounding);
    counts c = {0};
    count_leaves(&c, &w.choice, &w.shape);
    if (ok) {
        /* The way back consists of one of the leaf's three transforms and the CRT. Not every level
         * has a separate call for the CRT. */
        *u = (unit_costs){.outer_sums = outer.min_ns / sums,
                          .butterflies = transform.min_ns / (c.butterflies / 3),
                          .pointwise = products.min_ns / c.pointwise,
                          .recombined = fmax(back.median_ns, 0) / c.recombined};
    }
    free(a.block);
    return ok;
}

/* ---- operations of crt ---- */

#define RING_LOG2 11

typedef struct residues {
    const gfp_native_engine *engine;
    gfp_native_tables *tables;
    const gfp_native_set *set;
    size_t count; /* primes of one projection */
    unsigned log2_n;
    uint64_t *x, *elements, *roots, *work;
    gfp_ntt48_root *scale;
} residues;

#define RECOMBINED 64

static bool run_projection(void *context)
{
    residues *w = context;
    const gfp_native_factor factor = {w->x, w->elements, RECOMBINED};
    w->engine->project(w->tables, 0, w->count, &factor, RECOMBINED, RECOMBINED, w->work);
    return true;
}

static bool run_roots(void *context)
{
    residues *w = context;
    w->engine->roots(&w->tables->primes[0], w->log2_n, w->roots);
    return true;
}

/* A square takes two transforms. */
static bool run_ring(void *context)
{
    residues *w = context;
    w->engine->multiply(&w->tables->primes[0], w->roots, w->x, w->x,
                        (gfp_native_size){w->log2_n, false});
    return true;
}

static bool run_recombination(void *context)
{
    residues *w = context;
    w->engine->recombine(w->tables, w->set, w->scale, w->elements, w->x, RECOMBINED, RECOMBINED,
                         w->work);
    return true;
}

/* Butterflies and products of residues cannot be timed separately. */
static bool time_rings(unit_costs *u, const settings *s, residues *w)
{
    timing roots, ring;
    counts c = {0};

    w->log2_n = RING_LOG2;
    run_roots(w);
    if (!measure(&ring, s->seconds, run_ring, w) || !measure(&roots, s->seconds, run_roots, w)) {
        return false;
    }
    count_ring(&c, w->tables->field, RING_LOG2, 2);
    u->butterflies = u->pointwise = ring.min_ns / (c.butterflies + c.pointwise);
    u->roots = roots.min_ns / c.roots;
    return true;
}

bool time_crt_units(unit_costs *u, const settings *s, const gfp_field *field)
{
    residues w = {.engine = gfp_native_engine_get(field), .tables = gfp_native_tables_get(field)};
    timing projection, recombination;
    gfp_random g;
    area a = {NULL, NULL};

    if (w.tables == NULL) {
        return complain("%s: no memory for primes", gfp_field_name(field));
    }
    const size_t count = gfp_native_count(field, 1024), radix_k = w.tables->radix.k;
    w.set = gfp_native_set_get(w.tables, count);
    w.count = count < GFP_NATIVE_BATCH ? count : GFP_NATIVE_BATCH;
    const size_t words[] = {gfp_hybrid_align(count * RECOMBINED + ((size_t)1 << RING_LOG2)),
                            gfp_hybrid_align(RECOMBINED * (size_t)field->k),
                            gfp_hybrid_align(w.engine->root_words(RING_LOG2)),
                            gfp_hybrid_align(w.engine->crt_words(radix_k, count)), 2 * count};
    if (w.set == NULL || !area_open(&a, words[0] + words[1] + words[2] + words[3] + words[4])) {
        return complain("%s: no memory for residues", gfp_field_name(field));
    }
    w.x = a.words;
    w.elements = w.x + words[0];
    w.roots = w.elements + words[1];
    w.work = w.roots + words[2];
    w.scale = (gfp_ntt48_root *)(void *)(w.work + words[3]);
    for (size_t i = 0; i < count; i++) {
        w.scale[i] = gfp_ntt48_root_of(w.set->scale[i], w.tables->moduli[i]);
    }
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w.elements, RECOMBINED, &g);
    /* The residues for the recombination are those of elements. */
    for (size_t first = 0; first < count; first += GFP_NATIVE_BATCH) {
        const size_t rest = count - first;
        const gfp_native_factor factor = {w.x + first * RECOMBINED, w.elements, RECOMBINED};
        w.engine->project(w.tables, first, rest < GFP_NATIVE_BATCH ? rest : GFP_NATIVE_BATCH,
                          &factor, RECOMBINED, RECOMBINED, w.work);
    }
    const double pairs = RECOMBINED * (double)radix_k;
    bool ok = measure(&projection, s->seconds, run_projection, &w) &&
              measure(&recombination, s->seconds, run_recombination, &w);
    u->projected = projection.min_ns / (pairs * (double)w.count);
    u->recombined =
        recombination.min_ns / (pairs * ((double)count + 1) + RECOMBINED * (double)count);
    memset(w.x, 0, words[0] * sizeof(*w.x));
    ok = ok && time_rings(u, s, &w);
    free(a.block);
    return ok;
}
