/* native_product.c: the native multimodular product: lengths, blocks, memory, and the steps of a
 * product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native_product.h"

#include "crt/cut.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/work.h"

const gfp_native_engine *gfp_native_engine_get(const gfp_field *field)
{
    static const gfp_native_engine *const engines[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_native_portable, &gfp_native_avx2, &gfp_native_avx2, &gfp_native_avx512,
                       &gfp_native_avx2);
    const gfp_native_radix radix = gfp_native_radix_of(field);
    const gfp_native_engine *engine = engines[gfp_field_level(field)];
    return engine->serves(&radix) ? engine : engines[GFP_LEVEL_AVX2]; /* which serves all */
}

/* ---- the division of a product ---- */

/* Plans blocks of the longer factor as long as the shorter one or longer: the least number of
 * points in all. A shorter factor of more than half the longest transform is cut, too. */
static void plan_make(gfp_native_product *p, unsigned most, size_t len_a, size_t len_b)
{
    const unsigned least = p->engine->least_log2_n;
    const size_t longest = (size_t)1 << most;
    double points = 0;
    p->block_b = len_b <= longest / 2 ? len_b : longest / 2;
    p->size = (gfp_native_size){most, false};
    p->block_a = longest - p->block_b + 1;
    for (unsigned i = 0; i <= 2 * (most - least); i++) {
        /* 1, 2, 3 (of 4), 4, 6 (of 8), 8, ... times the least length. */
        const gfp_native_size size = {least + (i + 1) / 2, i % 2 == 1 && i > 1};
        const size_t n = gfp_native_points(size);
        if (n < p->block_b) {
            continue;
        }
        const size_t block = gfp_size_min(n - p->block_b + 1, len_a);
        const double here = (double)gfp_cut_count(len_a, block) * (double)n;
        if (points == 0 || here <= points) {
            points = here;
            p->size = size;
            p->block_a = block;
        }
        if (block == len_a) {
            break;
        }
    }
}

/* Plans a product modulo X^n - 1 for the least power of two that a range needs, if that is
 * shorter. */
static void try_ring(gfp_native_product *p, gfp_needs *needs, unsigned most, const gfp_range *r)
{
    const size_t length = gfp_range_ring_length(r);
    const size_t longer = r->len_a > r->len_b ? r->len_a : r->len_b;
    const size_t shorter = gfp_size_min(r->len_a, r->len_b);
    gfp_native_size size = {p->engine->least_log2_n, false};
    while (gfp_native_points(size) < length && size.log2_n < most) {
        size.log2_n++;
    }
    const double n = (double)gfp_native_points(size);
    const double usual = (double)gfp_cut_count(longer, p->block_a) *
                         (double)gfp_cut_count(shorter, p->block_b) *
                         (double)gfp_native_points(p->size);
    if (gfp_native_points(size) >= length && n < usual) {
        p->size = size;
        p->block_a = longer;
        p->block_b = shorter;
        p->ring = true;
        needs->end = r->end;
        needs->share = n / usual;
    }
}

/* ---- the work area ---- */

/* A line of 64 bytes, in words. Arrays of residues are longer than a power of two by a line, so
 * that the residues of a coefficient do not meet in a cache set. */
#define LINE 8

typedef struct job {
    const gfp_field *field;
    const gfp_native_engine *engine;
    gfp_native_tables *tables;
    const gfp_native_set *set;
    const gfp_native_product *plan;
    size_t step;       /* between arrays of residues */
    uint64_t *image_a; /* set->count arrays: those of the product at the end */
    uint64_t *image_b; /* GFP_NATIVE_BATCH arrays, or set->count if that is less */
    uint64_t *roots;   /* of one prime, for each thread */
    uint64_t *work;    /* of projection and CRT, for each thread */
    size_t root_words, work_words;
    uint64_t *scale;   /* set->count gfp_ntt48_root */
    uint64_t *product; /* of two blocks, if there are several */
    gfp_task *task;
} job;

static bool is_cut(const gfp_native_product *p, size_t len_a, size_t len_b)
{
    return p->block_a < len_a || p->block_b < len_b;
}

/* Returns the words of a part of the area; saturates. */
static size_t native_product_part(size_t count, size_t words)
{
    return gfp_size_add_sat(gfp_size_mul_sat(count, words), LINE - 1) / LINE * LINE;
}

/* The parts in order, with their sizes; roots and work are those of one thread. */
enum { IMAGE_A, IMAGE_B, ROOTS, WORK, SCALE, PRODUCT, PARTS };

static void parts_of(size_t words[PARTS], const gfp_field *field, const gfp_native_engine *engine,
                     const gfp_native_product *p, bool cut)
{
    const size_t step = gfp_native_step(p->size);
    words[IMAGE_A] = native_product_part(p->count, step);
    words[IMAGE_B] = native_product_part(gfp_size_min(GFP_NATIVE_BATCH, p->count), step);
    words[ROOTS] = native_product_part(1, engine->root_words(p->size.log2_n));
    words[WORK] = native_product_part(1, engine->crt_words(gfp_native_radix_of(field).k, p->count));
    words[SCALE] = native_product_part(2, p->count);
    words[PRODUCT] = cut ? native_product_part(p->block_a + p->block_b, field->k) : 0;
}

/* Returns the number of threads that transform at once, each with its roots. */
static unsigned native_product_transformers(const gfp_native_product *p, unsigned threads)
{
    return (unsigned)gfp_size_min(threads, gfp_size_min(GFP_NATIVE_BATCH, p->count));
}

/* Returns the words of all parts for `threads` threads. Saturates. */
static size_t sum_of(const size_t words[PARTS], const gfp_native_product *p, unsigned threads)
{
    size_t sum = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned times = i == ROOTS  ? native_product_transformers(p, threads)
                               : i == WORK ? threads
                                           : 1;
        sum = gfp_size_add_sat(sum, gfp_size_mul_sat(words[i], times));
    }
    return sum;
}

static void place_parts(job *w, const size_t words[PARTS], unsigned threads, uint64_t *area)
{
    w->root_words = words[ROOTS];
    w->work_words = words[WORK];
    w->image_a = area;
    w->image_b = w->image_a + words[IMAGE_A];
    w->roots = w->image_b + words[IMAGE_B];
    w->work = w->roots + native_product_transformers(w->plan, threads) * words[ROOTS];
    w->scale = w->work + threads * words[WORK];
    w->product = w->scale + words[SCALE];
}

/* ---- one product ---- */

static double product_units(const job *w)
{
    const double n = (double)w->step, s = (double)w->plan->count;
    return n * s * (GFP_NATIVE_RESIDUE_UNITS + 2 * (double)w->field->k);
}

/* The transforms of a product, shared by the threads. */
typedef struct pass {
    const job *w;
    size_t first;    /* number of the first prime in arrays x and y */
    uint64_t *x, *y; /* their residues */
} pass;

static bool multiply_prime(const void *user, size_t j, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const job *w = s->w;
    const gfp_native_prime *prime = &w->tables->primes[j];
    uint64_t *roots = w->roots + worker * w->root_words;
    const size_t at = (j - s->first) * w->step;
    (void)task;
    w->engine->roots(prime, w->plan->size.log2_n, roots);
    w->engine->multiply(prime, roots, s->x + at, s->y + at, w->plan->size);
    return true;
}

/* c := the first n coefficients of the product of one block. */
static bool native_product_multiply(const job *w, const gfp_range *r, uint64_t *c, size_t n)
{
    const gfp_native_steps steps = {.field = w->field,
                                    .engine = w->engine,
                                    .tables = w->tables,
                                    .set = w->set,
                                    .size = w->plan->size,
                                    .step = w->step,
                                    .work = w->work,
                                    .work_words = w->work_words,
                                    .scale = (const gfp_ntt48_root *)(const void *)w->scale,
                                    .task = w->task};
    const bool square = r->a == r->b && r->len_a == r->len_b;
    pass s = {.w = w};
    for (s.first = 0; s.first < w->set->count; s.first += GFP_NATIVE_BATCH) {
        const size_t count = gfp_size_min(GFP_NATIVE_BATCH, w->set->count - s.first);
        s.x = w->image_a + s.first * w->step;
        s.y = square ? s.x : w->image_b;
        const gfp_native_factor factors[] = {{s.x, r->a, r->len_a}, {s.y, r->b, r->len_b}};
        if (!gfp_native_project(&steps, s.first, count, factors, square ? 1 : 2) ||
            !gfp_native_primes(&steps, s.first, count, multiply_prime, &s,
                               GFP_NATIVE_RESIDUE_UNITS)) {
            return false;
        }
    }
    return gfp_native_recombine(&steps, c, n, w->image_a);
}

static gfp_status native_piece(void *user, const gfp_cut_piece *x, uint64_t *c)
{
    const gfp_range *r = &x->range;
    return native_product_multiply(user, r, c, r->end) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- the entry points ---- */

static bool plan_is_cut(const gfp_native_product *p, const gfp_range *r)
{
    return is_cut(p, r->len_a > r->len_b ? r->len_a : r->len_b, gfp_size_min(r->len_a, r->len_b));
}

static void plan_range(gfp_native_product *p, gfp_needs *needs, const gfp_range *r)
{
    /* Roots of order n serve down to single values. */
    const unsigned most = p->limit + p->engine->least_log2_n;
    size_t words[PARTS];
    *needs = (gfp_needs){.end = gfp_range_product_length(r), .share = 1};
    p->ring = false;
    plan_make(p, most, r->len_a > r->len_b ? r->len_a : r->len_b, gfp_size_min(r->len_a, r->len_b));
    if (!gfp_range_is_whole(r)) {
        try_ring(p, needs, most, r);
    }
    p->count = gfp_native_count(r->field, gfp_size_min(p->block_a, p->block_b));
    parts_of(words, r->field, p->engine, p, plan_is_cut(p, r));
    needs->words = sum_of(words, p, p->threads);
}

bool gfp_native_product_plan(gfp_native_product *p, gfp_needs *needs, const gfp_range *r,
                             const gfp_limits *limits, unsigned limit)
{
    size_t length;
    if (!gfp_size_add(&length, r->len_a, r->len_b - 1)) {
        return false;
    }
    *p = (gfp_native_product){
        .engine = gfp_native_engine_get(r->field), .limit = limit, .threads = limits->threads};
    plan_range(p, needs, r);
    return true;
}

gfp_status gfp_native_product_prepare(gfp_native_product *p, gfp_needs *needs, const gfp_range *r)
{
    p->tables = gfp_native_tables_get(r->field);
    if (p->tables == NULL) {
        return GFP_ERR_MEMORY;
    }
    const unsigned limit = p->tables->log2_order, most = limit + p->engine->least_log2_n;
    if (p->size.log2_n > most || p->block_b > ((size_t)1 << most) / 2) {
        p->limit = limit;
        plan_range(p, needs, r);
    }
    p->set = gfp_native_set_get(p->tables, p->count);
    return p->set != NULL ? GFP_OK : GFP_ERR_MEMORY;
}

void gfp_native_product_describe(const gfp_native_product *p, const gfp_range *r, gfp_text *text)
{
    const bool cut = plan_is_cut(p, r);
    gfp_text_line(text, "transform", "N = %zu, %s, modulo %zu primes of 48 bits, %s",
                  gfp_native_points(p->size),
                  p->size.three ? "three quarters of a power of two" : "modulo X^N - 1", p->count,
                  gfp_cpu_level_name(p->engine->level));
    if (cut) {
        gfp_text_line(text, "pieces", "of %zu and %zu coefficients", p->block_a, p->block_b);
    }
}

gfp_level gfp_crt_native_level(const gfp_field *field)
{
    return gfp_native_engine_get(field)->level;
}

static gfp_status native_product_run(job *w, const gfp_range *r, uint64_t *c)
{
    const gfp_native_product *p = w->plan;
    const double blocks =
        (double)gfp_cut_count(r->len_a, p->block_a) * (double)gfp_cut_count(r->len_b, p->block_b);
    gfp_native_fill_scale((gfp_ntt48_root *)(void *)w->scale, w->engine, w->tables, w->set,
                          p->size);
    if (!gfp_task_span(w->task, 1, blocks * product_units(w), GFP_NATIVE_UNIT_COST)) {
        return GFP_ERR_CANCELLED;
    }
    if (plan_is_cut(p, r)) {
        const gfp_cut pieces = gfp_cut_factors(r, p->block_a, p->block_b);
        return gfp_cut_run(&pieces, c, w->product, native_piece, w);
    }
    const size_t n = p->ring ? r->end : gfp_range_product_length(r);
    return native_product_multiply(w, r, c, n) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_native_product_run(const gfp_native_product *p, const gfp_range *r, uint64_t *c,
                                  uint64_t *work, gfp_task *task)
{
    size_t words[PARTS];
    job w = {.field = r->field,
             .engine = p->engine,
             .tables = p->tables,
             .set = p->set,
             .plan = p,
             .step = gfp_native_step(p->size),
             .task = task};
    parts_of(words, r->field, p->engine, p, plan_is_cut(p, r));
    place_parts(&w, words, p->threads, work);
    const gfp_range longer_first = gfp_range_longer_first(r);
    return native_product_run(&w, &longer_first, c);
}
