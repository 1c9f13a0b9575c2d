/* native.c: the native multimodular product: lengths, blocks, memory, and the steps of a product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "native.h"

#include "crt.h"
#include "parallel.h"
#include "support.h"
#include "work.h"

const gfp_native_engine *gfp_native_engine_get(const gfp_field *field)
{
#if GFP_X86_LEVELS
    const gfp_native_radix radix = gfp_native_radix_of(field);
    if (gfp_field_level(field) >= GFP_LEVEL_AVX512IFMA && gfp_native_avx512.serves(&radix)) {
        return &gfp_native_avx512;
    }
#else
    (void)field;
#endif
    return &gfp_native_portable;
}

/* ---- how a product is cut ---- */

/* The product of len_a by len_b >= 1 coefficients, len_a >= len_b, is the sum of those of blocks of
 * block_a by block_b, each a product of transforms of this size. */
typedef struct plan {
    gfp_native_size size;
    size_t block_a, block_b;
    size_t count; /* primes, of block_b terms */
} plan;

static size_t blocks_of(size_t len, size_t block)
{
    return (len - 1) / block + 1;
}

/* Blocks of the longer factor as long as the shorter one needs, or longer: the least number of
 * points in all. A shorter factor of more than half the longest transform is cut itself. */
static void plan_make(plan *p, const gfp_field *field, unsigned least, unsigned most, size_t len_a,
                      size_t len_b)
{
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
        const double here = (double)blocks_of(len_a, block) * (double)n;
        if (points == 0 || here <= points) {
            points = here;
            p->size = size;
            p->block_a = block;
        }
        if (block == len_a) {
            break;
        }
    }
    p->count = gfp_native_count(field, gfp_size_min(p->block_a, p->block_b));
}

/* ---- the work area ---- */

/* Words of a line of 64 bytes. */
#define LINE 8

typedef struct job {
    const gfp_field *field;
    const gfp_native_engine *engine;
    gfp_native_tables *tables;
    const gfp_native_set *set;
    plan plan;
    size_t step;       /* between arrays of residues */
    uint64_t *image_a; /* set->count arrays: the product's in the end */
    uint64_t *image_b; /* GFP_NATIVE_BATCH arrays, or set->count if that is less */
    uint64_t *roots;   /* of one prime, for each thread */
    uint64_t *work;    /* of projection and CRT, for each thread */
    size_t root_words, work_words;
    uint64_t *scale;   /* set->count gfp_ntt48_root */
    uint64_t *product; /* of two blocks, where there are several */
    gfp_task *task;
} job;

static bool is_cut(const plan *p, size_t len_a, size_t len_b)
{
    return p->block_a < len_a || p->block_b < len_b;
}

/* Words of a part of the area; saturates. */
static size_t part(size_t count, size_t words)
{
    return gfp_size_add_sat(gfp_size_mul_sat(count, words), LINE - 1) / LINE * LINE;
}

/* Sizes of the parts in order; roots and work of one thread. */
enum { IMAGE_A, IMAGE_B, ROOTS, WORK, SCALE, PRODUCT, PARTS };

static void parts_of(size_t words[PARTS], const gfp_field *field, const gfp_native_engine *engine,
                     const plan *p, bool cut)
{
    const size_t step = gfp_native_step(p->size);
    words[IMAGE_A] = part(p->count, step);
    words[IMAGE_B] = part(gfp_size_min(GFP_NATIVE_BATCH, p->count), step);
    words[ROOTS] = part(1, engine->root_words(p->size.log2_n));
    words[WORK] = part(1, engine->crt_words(gfp_native_radix_of(field).k, p->count));
    words[SCALE] = part(2, p->count);
    words[PRODUCT] = cut ? part(p->block_a + p->block_b, field->k) : 0;
}

/* Threads that transform at once, each with its roots. */
static unsigned transformers(const plan *p, unsigned threads)
{
    return (unsigned)gfp_size_min(threads, gfp_size_min(GFP_NATIVE_BATCH, p->count));
}

/* Words of all parts for so many threads. Saturates. */
static size_t sum_of(const size_t words[PARTS], const plan *p, unsigned threads)
{
    size_t sum = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned times = i == ROOTS ? transformers(p, threads) : i == WORK ? threads : 1;
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
    w->work = w->roots + transformers(&w->plan, threads) * words[ROOTS];
    w->scale = w->work + threads * words[WORK];
    w->product = w->scale + words[SCALE];
}

/* ---- one product ---- */

static double product_units(const job *w)
{
    const double n = (double)w->step, s = (double)w->plan.count;
    return n * s * (GFP_NATIVE_RESIDUE_UNITS + 2 * (double)w->field->k);
}

/* The transforms of a product, which threads share. */
typedef struct pass {
    const job *w;
    const gfp_native_steps *steps;
    size_t first;    /* of the primes under way */
    uint64_t *x, *y; /* their residues */
} pass;

/* The transforms of primes first + from <= j < first + to. */
static gfp_status multiply_primes(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const pass *s = user;
    const job *w = s->w;
    uint64_t *roots = w->roots + worker * w->root_words;
    const double units = (double)gfp_native_points(w->plan.size) * GFP_NATIVE_RESIDUE_UNITS;
    for (size_t j = from; j < to; j++) {
        const gfp_native_prime *prime = &w->tables->primes[s->first + j];
        w->engine->roots(prime, w->plan.size.log2_n, roots);
        w->engine->multiply(prime, roots, s->x + j * w->step, s->y + j * w->step, w->plan.size);
        if (!gfp_task_advance(task, units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static bool multiply(const job *w, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                     size_t len_b, bool square)
{
    const gfp_native_steps steps = {.field = w->field,
                                    .engine = w->engine,
                                    .tables = w->tables,
                                    .set = w->set,
                                    .size = w->plan.size,
                                    .step = w->step,
                                    .work = w->work,
                                    .work_words = w->work_words,
                                    .scale = (const gfp_ntt48_root *)(const void *)w->scale,
                                    .task = w->task};
    pass s = {.w = w, .steps = &steps};
    const gfp_parallel primes = {.run = multiply_primes, .job = &s};
    for (s.first = 0; s.first < w->set->count; s.first += GFP_NATIVE_BATCH) {
        const size_t count = gfp_size_min(GFP_NATIVE_BATCH, w->set->count - s.first);
        s.x = w->image_a + s.first * w->step;
        s.y = square ? s.x : w->image_b;
        const gfp_native_factor factors[] = {{s.x, a, len_a}, {s.y, b, len_b}};
        if (!gfp_native_project(&steps, s.first, count, factors, square ? 1 : 2) ||
            gfp_parallel_for(&primes, w->task, count, 1) != GFP_OK) {
            return false;
        }
    }
    return gfp_native_recombine(&steps, c, len_a + len_b - 1, w->image_a);
}

static bool multiply_blocks(const job *w, uint64_t *c, const uint64_t *a, size_t len_a,
                            const uint64_t *b, size_t len_b)
{
    const size_t k = w->field->k;
    gfp_vec_zero(w->field, c, len_a + len_b - 1);
    for (size_t j = 0; j < len_b; j += w->plan.block_b) {
        const size_t n_b = gfp_size_min(w->plan.block_b, len_b - j);
        for (size_t i = 0; i < len_a; i += w->plan.block_a) {
            const size_t n_a = gfp_size_min(w->plan.block_a, len_a - i);
            uint64_t *z = c + (i + j) * k;
            if (!multiply(w, w->product, a + i * k, n_a, b + j * k, n_b, false)) {
                return false;
            }
            gfp_vec_add(w->field, z, z, w->product, n_a + n_b - 1);
        }
    }
    return true;
}

/* ---- the door ---- */

static void plan_of(plan *p, const gfp_field *field, const gfp_native_engine *engine,
                    unsigned log2_order, size_t len_a, size_t len_b)
{
    /* Roots of order n serve down to single values. */
    plan_make(p, field, engine->least_log2_n, log2_order + engine->least_log2_n,
              len_a > len_b ? len_a : len_b, gfp_size_min(len_a, len_b));
}

/* The roots that a field has are known once its primes are. */
static size_t area_words(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    const gfp_native_engine *engine = gfp_native_engine_get(field);
    size_t words[PARTS];
    plan p;
    plan_of(&p, field, engine, GFP_NATIVE_MAX_LOG2_ORDER, len_a, len_b);
    parts_of(words, field, engine, &p,
             is_cut(&p, len_a > len_b ? len_a : len_b, gfp_size_min(len_a, len_b)));
    return sum_of(words, &p, threads);
}

size_t gfp_crt_native_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    return gfp_work_bytes(area_words(field, len_a, len_b, threads));
}

size_t gfp_crt_native_words(const gfp_field *field, size_t len_a, size_t len_b)
{
    return area_words(field, len_a, len_b, 1);
}

gfp_level gfp_crt_native_level(const gfp_field *field)
{
    return gfp_native_engine_get(field)->level;
}

static gfp_status run(job *w, uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                      size_t len_b)
{
    const bool cut = is_cut(&w->plan, len_a, len_b);
    const double blocks =
        (double)blocks_of(len_a, w->plan.block_a) * (double)blocks_of(len_b, w->plan.block_b);
    gfp_native_fill_scale((gfp_ntt48_root *)(void *)w->scale, w->engine, w->tables, w->set,
                          w->plan.size);
    if (!gfp_task_span(w->task, 1, blocks * product_units(w), GFP_NATIVE_UNIT_COST)) {
        return GFP_ERR_CANCELLED;
    }
    const bool done = cut ? multiply_blocks(w, c, a, len_a, b, len_b)
                          : multiply(w, c, a, len_a, b, len_b, a == b && len_a == len_b);
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* The product in an area of the caller's or (NULL) one of its own. */
static gfp_status multiply_in(const gfp_field *field, unsigned limit, uint64_t *c,
                              const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                              uint64_t *work, gfp_task *task)
{
    const unsigned threads = gfp_task_threads(task);
    job w = {.field = field, .engine = gfp_native_engine_get(field), .task = task};
    size_t words[PARTS], len_c;
    if (!gfp_size_add(&len_c, len_a, len_b - 1)) {
        return GFP_ERR_SIZE;
    }
    if (len_a < len_b) {
        return multiply_in(field, limit, c, b, len_b, a, len_a, work, task);
    }
    w.tables = gfp_native_tables_get(field);
    if (w.tables == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (limit > w.tables->log2_order) {
        limit = w.tables->log2_order;
    }
    plan_of(&w.plan, field, w.engine, limit, len_a, len_b);
    w.set = gfp_native_set_get(w.tables, w.plan.count);
    if (w.set == NULL) {
        return GFP_ERR_MEMORY;
    }
    w.step = gfp_native_step(w.plan.size);
    parts_of(words, field, w.engine, &w.plan, is_cut(&w.plan, len_a, len_b));
    gfp_work area;
    GFP_TRY(gfp_work_take(&area, field, work != NULL ? 0 : sum_of(words, &w.plan, threads)));
    place_parts(&w, words, threads, work != NULL ? work : area.words);
    const gfp_status status = run(&w, c, a, len_a, b, len_b);
    gfp_work_give(&area, field);
    return status;
}

gfp_status gfp_native_mul(const gfp_field *field, unsigned limit, uint64_t *c, const uint64_t *a,
                          size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task)
{
    return multiply_in(field, limit, c, a, len_a, b, len_b, NULL, task);
}

gfp_status gfp_crt_mul_native_in(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work)
{
    return multiply_in(field, GFP_NATIVE_MAX_LOG2_ORDER, c, a, len_a, b, len_b, work, NULL);
}

gfp_status gfp_crt_mul_native(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, gfp_task *task)
{
    return gfp_native_mul(field, GFP_NATIVE_MAX_LOG2_ORDER, c, a, len_a, b, len_b, task);
}
