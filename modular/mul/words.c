/* words.c: products over Z by word-size primes: projection to blocks of primes, transforms or
 * products by the definition in lanes, reconstruction by the Chinese remainder theorem.
 *
 * Residues of the product stay for all blocks until the reconstruction; those of the second factor
 * are there for one group of blocks at a time.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/parallel.h"
#include "fft/words/ntt.h"
#include "modular/mul/methods.h"
#include "modular/residues.h"

/* Coefficients of a call of projection or reconstruction. */
#define TILE 64
/* From this logarithm of the points on a table of roots takes milliseconds. */
#define REPORTED 18
/* The bytes of the residues of both factors for a group of blocks: they stay in the cache. */
#define GROUP_BYTES ((size_t)1 << 19)
/* The least blocks of a group: a projection to several blocks cuts numbers into digits once. */
#define GROUP_LEAST 32

typedef struct run {
    const gfp_zmul *z;
    const gfp_words_basis *basis;
    const gfp_words_ntt *ntt;
    gfp_zshape shape;
    size_t step;  /* words from block to block */
    size_t group; /* blocks of a group */
    unsigned workers;
    size_t work_words; /* of a worker */
    size_t words;      /* of all areas */
    uint64_t *a, *b, *work;
    size_t first, count; /* the group in progress */
} run;

static size_t words_greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t words_rounded(size_t words)
{
    return (words + GFP_WORDS - 1) / GFP_WORDS * GFP_WORDS;
}

static size_t total_words(const run *r)
{
    const size_t arrays = r->shape.blocks + (r->z->square ? 0 : r->group);
    return gfp_size_add_sat(gfp_size_mul_sat(arrays, r->step),
                            gfp_size_mul_sat(r->workers, r->work_words));
}

/* Plans the areas: fewer workers and smaller groups if the cap is exceeded. */
static void words_plan(run *r)
{
    const gfp_zmul *z = r->z;
    const size_t points = r->shape.points;
    size_t work = r->shape.direct ? gfp_words_direct_words(z->a.len, z->b.len)
                                  : gfp_words_root_words(r->shape.size);
    work = words_greater(work, gfp_words_project_words(r->basis, z->a.width, TILE));
    work = words_greater(work, gfp_words_project_words(r->basis, z->b.width, TILE));
    work = words_greater(work, gfp_words_recombine_words(r->basis, z->width, TILE));
    r->work_words = words_rounded(work);
    /* More than a power of two: the residues of a coefficient do not meet in a cache set. */
    r->step = (points + 1) * GFP_WORDS;
    r->workers = z->threads;
    r->group = GROUP_BYTES / (2 * r->step * sizeof(uint64_t));
    r->group = gfp_size_min(words_greater(words_greater(r->group, GROUP_LEAST), r->workers),
                            r->shape.blocks);
    r->words = total_words(r);
    if (gfp_size_mul_sat(r->words, sizeof(uint64_t)) > z->cap) {
        r->group = r->workers = 1;
        r->words = total_words(r);
    }
}

/* Begins a step of items that take about `cost` products of words each. */
static bool is_cancelled(const gfp_zmul *z, double to, double items, double cost)
{
    return !gfp_task_span(z->task, to, items, cost);
}

/* Products of words for a coefficient, by `blocks` blocks. */
static double residue_cost(size_t blocks, size_t width)
{
    return (double)(blocks * GFP_WORDS) * (double)width;
}

/* ---- steps ---- */

static gfp_status project_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *r = user;
    const gfp_zmul *z = r->z;
    const size_t tiles_a = (z->a.len + TILE - 1) / TILE;
    for (size_t i = from; i < to; i++) {
        const bool second = i >= tiles_a;
        const gfp_zfactor *f = second ? &z->b : &z->a;
        const size_t at = (second ? i - tiles_a : i) * TILE, n = gfp_size_min(f->len - at, TILE);
        uint64_t *to_residues = second ? r->b : r->a + r->first * r->step;
        gfp_words_project(&(gfp_words_residues){r->basis, z->ring->level, r->first, r->count,
                                                to_residues + at * GFP_WORDS, r->step},
                          f->x + at * f->width, f->width, n, r->work + worker * r->work_words);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Counts a quarter of a block's work; returns whether the call is cancelled. */
static bool words_stops(gfp_task *task)
{
    return !gfp_task_advance(task, 0.25);
}

static gfp_status words_transform(const run *r, const gfp_words *block, uint64_t *a, uint64_t *b,
                                  gfp_words_size size, uint64_t *roots, gfp_task *task)
{
    const gfp_zmul *z = r->z;
    r->ntt->roots(block, roots, size);
    if (size.log2_n >= REPORTED && !gfp_task_report(task)) {
        return GFP_ERR_CANCELLED;
    }
    r->ntt->forward(block, roots, a, z->a.len, size, task);
    if (words_stops(task)) {
        return GFP_ERR_CANCELLED;
    }
    if (!z->square) {
        r->ntt->forward(block, roots, b, z->b.len, size, task);
    }
    if (words_stops(task)) {
        return GFP_ERR_CANCELLED;
    }
    r->ntt->multiply(block, roots, a, b, size, task);
    if (words_stops(task)) {
        return GFP_ERR_CANCELLED;
    }
    r->ntt->inverse(block, roots, a, size, task);
    return words_stops(task) ? GFP_ERR_CANCELLED : GFP_OK;
}

static gfp_status multiply_twice(const run *r, const gfp_words *block, uint64_t *a, uint64_t *b,
                                 uint64_t *roots, gfp_task *task)
{
    const gfp_zmul *z = r->z;
    const gfp_words_size half = {r->shape.size.log2_n - 1, false};
    r->ntt->fold(block, a, z->a.len, half);
    if (!z->square) {
        r->ntt->fold(block, b, z->b.len, half);
    }
    GFP_TRY(words_transform(r, block, a, b, half, roots, task));
    r->ntt->unfold(block, a, half);
    return GFP_OK;
}

static gfp_status multiply_blocks(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const run *r = user;
    const gfp_zmul *z = r->z;
    uint64_t *work = r->work + worker * r->work_words;
    for (size_t i = from; i < to; i++) {
        const gfp_words *block = gfp_words_basis_block(r->basis, r->first + i);
        uint64_t *a = r->a + (r->first + i) * r->step;
        uint64_t *b = z->square ? a : r->b + i * r->step;
        if (r->shape.direct) {
            r->ntt->direct(block, a, a, z->a.len, b, z->b.len, work);
            if (!gfp_task_advance(task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        } else if (r->shape.twice && r->first + i + 1 == r->shape.blocks) {
            GFP_TRY(multiply_twice(r, block, a, b, work, task));
        } else {
            GFP_TRY(words_transform(r, block, a, b, r->shape.size, work, task));
        }
    }
    return GFP_OK;
}

static gfp_status recombine_tiles(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const run *r = user;
    const gfp_zmul *z = r->z;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, n = gfp_size_min(z->len - at, TILE);
        gfp_words_recombine(r->basis, z->ring->level, z->c + at * z->width, z->width,
                            r->a + at * GFP_WORDS, r->step, n, r->work + worker * r->work_words);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status words_loop(run *r, gfp_parallel_run *body, size_t items)
{
    const gfp_parallel parallel = {.run = body, .job = r};
    gfp_task *task = r->z->task;
    const unsigned threads = gfp_task_threads(task);
    if (task == NULL) {
        return body(r, 0, items, 0, NULL);
    }
    task->threads = r->workers;
    const gfp_status status =
        gfp_parallel_for(&parallel, task, items, gfp_parallel_chunk(task, items, 8));
    task->threads = threads;
    return status;
}

static size_t tiles_of(size_t len)
{
    return (len + TILE - 1) / TILE;
}

/* The parts of the time of projections, and of these and the transforms, about. */
#define PROJECTIONS 0.2
#define BEFORE 0.7

static gfp_status multiply_group(run *r)
{
    const gfp_zmul *z = r->z;
    const double before = (double)r->first / (double)r->shape.blocks;
    const double share = (double)r->count / (double)r->shape.blocks;
    const double middle = before * BEFORE + share * PROJECTIONS;
    const size_t coefficients = z->a.len + (z->square ? 0 : z->b.len);
    if (is_cancelled(z, middle, (double)coefficients, residue_cost(r->count, z->a.width))) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(
        words_loop(r, project_tiles, tiles_of(z->a.len) + (z->square ? 0 : tiles_of(z->b.len))));
    /* Three transforms of some 20 levels. */
    const double block_cost = 60 * GFP_WORDS * (double)r->shape.points;
    if (is_cancelled(z, (before + share) * BEFORE, (double)r->count, block_cost)) {
        return GFP_ERR_CANCELLED;
    }
    return words_loop(r, multiply_blocks, r->count);
}

static gfp_status multiply_areas(run *r)
{
    const gfp_zmul *z = r->z;
    for (r->first = 0; r->first < r->shape.blocks; r->first += r->count) {
        r->count = gfp_size_min(r->group, r->shape.blocks - r->first);
        GFP_TRY(multiply_group(r));
    }
    if (is_cancelled(z, 1, (double)z->len, residue_cost(r->shape.blocks, z->width))) {
        return GFP_ERR_CANCELLED;
    }
    return words_loop(r, recombine_tiles, tiles_of(z->len));
}

/* ---- the strategy ---- */

void gfp_zmul_set_shape(gfp_zmul *z)
{
    gfp_zshape *shape = &z->shape;
    const bool transforms = gfp_words_size_for(&shape->size, z->len);
    shape->direct = z->b.len <= GFP_WORDS_DIRECT;
    shape->points = shape->direct ? z->len : transforms ? gfp_words_points(shape->size) : SIZE_MAX;
    shape->primes = (z->bits + 1) / GFP_WORDS_BITS + 1;
    shape->blocks = (shape->primes + GFP_WORDS - 1) / GFP_WORDS;
    shape->serves = (transforms || shape->direct) && shape->blocks <= GFP_Z_MOST_BLOCKS;
    shape->twice = !shape->direct && transforms && !shape->size.three &&
                   shape->size.log2_n > GFP_WORDS_LEAST_LOG2 && z->a.len <= shape->points / 2 &&
                   gfp_zprimes_twice(shape->primes);
}

static const char *words_refuses(const gfp_zmul *z)
{
    return z->shape.serves ? NULL : "the product is too long for word-size primes";
}

/* An estimate that needs no basis: residues of the product and of a block of the second factor, and
 * the work areas of one thread. */
static size_t bytes_of(const gfp_zmul *z)
{
    const gfp_zshape shape = z->shape;
    if (!shape.serves) {
        return SIZE_MAX;
    }
    const size_t words = gfp_size_mul_sat((shape.points + 1) * GFP_WORDS, shape.blocks + 1);
    return gfp_size_mul_sat(sizeof(uint64_t), gfp_size_add_sat(words, shape.points * 2));
}

static gfp_status words_multiply(const gfp_zmul *z)
{
    run r = {.z = z, .ntt = gfp_words_ntt_get(z->ring->level), .shape = z->shape};
    gfp_zprimes primes;
    gfp_zarea area;
    if (!r.shape.serves) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_zprimes_take(z->ring, &primes, z->bits + 1));
    r.basis = primes.basis;
    r.shape.blocks = primes.blocks;
    r.shape.twice = r.shape.twice && gfp_zprimes_twice(primes.primes);
    words_plan(&r);
    gfp_status status =
        gfp_size_mul_sat(r.words, sizeof(uint64_t)) > z->cap ? GFP_ERR_MEMORY : GFP_OK;
    status = status == GFP_OK ? gfp_zarea_take(z->ring, &area, r.words) : status;
    if (status == GFP_OK) {
        r.a = area.words;
        r.b = r.a + r.shape.blocks * r.step;
        r.work = r.b + (z->square ? 0 : r.group * r.step);
        status = multiply_areas(&r);
        gfp_zarea_give(z->ring, &area);
    }
    gfp_zprimes_give(&primes);
    return status;
}

const gfp_zstrategy gfp_zmul_words = {GFP_Z_WORDS, words_refuses, bytes_of, words_multiply};
