/* native_steps.c: projection and CRT of the native multimodular method, which threads share by
 * tiles of points.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native.h"

#include "field/base/parallel.h"
#include "field/base/support.h"

void gfp_native_fill_scale(gfp_ntt48_root *scale, const gfp_native_engine *engine,
                           const gfp_native_tables *tables, const gfp_native_set *set,
                           gfp_native_size size)
{
    const unsigned halvings = gfp_native_halvings(engine, size);
    for (size_t i = 0; i < set->count; i++) {
        const uint64_t q = tables->primes[i].prime.q;
        uint64_t x = gfp_mod_pow((q + 1) / 2, halvings, q);
        x = gfp_mod_mul(x, gfp_mod_pow(2, engine->log2_montgomery, q), q);
        scale[i] = gfp_ntt48_root_of(gfp_mod_mul(x, set->scale[i], q), q);
    }
}

/* Points and coefficients are handed out in tiles: aligned ones, of whole vectors. */
static size_t tiles_of(size_t n)
{
    return (n + GFP_NATIVE_TILE - 1) / GFP_NATIVE_TILE;
}

/* Returns the tiles between two reports if a point takes this many units. */
static size_t tiles_at_once(double units)
{
    return tiles_of(gfp_task_block(units * GFP_NATIVE_UNIT_COST));
}

/* Chunks of tiles for each thread: many, since tiles beyond the factors' ends take no time. */
#define ROUNDS 8

/* Runs a loop over the tiles of n points. Returns false if the call is cancelled. */
static bool share_tiles(gfp_parallel_run *run, void *job, size_t n, gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = job};
    const size_t tiles = tiles_of(n);
    return gfp_parallel_for(&loop, task, tiles, gfp_parallel_chunk(task, tiles, ROUNDS)) == GFP_OK;
}

/* A running projection or CRT. */
typedef struct pass {
    const gfp_native_steps *w;
    size_t first, count; /* of primes */
    const gfp_native_factor *factors;
    size_t factors_count;
    uint64_t *c; /* n coefficients */
    size_t n;
    const uint64_t *x;
} pass;

/* Projects points from <= i < end of a factor; points beyond its coefficients are 0. */
static void project_part(const pass *s, const gfp_native_factor *f, size_t from, size_t end,
                         uint64_t *work)
{
    const gfp_native_steps *w = s->w;
    const size_t len = from < f->len ? gfp_size_min(end, f->len) - from : 0;
    const gfp_native_factor part = {f->z + from, len == 0 ? f->x : f->x + from * w->field->k, len};
    w->engine->project(w->tables, s->first, s->count, &part, w->step, end - from, work);
}

static gfp_status project_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const gfp_native_steps *w = s->w;
    uint64_t *work = w->work + worker * w->work_words;
    const size_t points = gfp_native_points(w->size);
    const double units = (double)s->count * (double)w->field->k;
    const size_t block = tiles_at_once(units);
    for (size_t i = from; i < to; i += block) {
        const size_t begin = i * GFP_NATIVE_TILE;
        const size_t end = gfp_size_min(gfp_size_min(i + block, to) * GFP_NATIVE_TILE, points);
        for (size_t f = 0; f < s->factors_count; f++) {
            project_part(s, &s->factors[f], begin, end, work);
        }
        if (!gfp_task_advance(task, (double)(end - begin) * units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

bool gfp_native_project(const gfp_native_steps *w, size_t first, size_t count,
                        const gfp_native_factor *factors, size_t n)
{
    pass s = {.w = w, .first = first, .count = count, .factors = factors, .factors_count = n};
    return share_tiles(project_tiles, &s, gfp_native_points(w->size), w->task);
}

/* A running step modulo primes. */
typedef struct prime_loop {
    gfp_native_prime_step *step;
    const void *user;
    size_t first;
    double units; /* of a prime */
} prime_loop;

static gfp_status run_primes(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const prime_loop *s = user;
    for (size_t i = from; i < to; i++) {
        if (!s->step(s->user, s->first + i, worker, task) || !gfp_task_advance(task, s->units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

bool gfp_native_primes(const gfp_native_steps *w, size_t first, size_t count,
                       gfp_native_prime_step *step, const void *user, double units)
{
    prime_loop s = {step, user, first, units * (double)gfp_native_points(w->size)};
    const gfp_parallel loop = {.run = run_primes, .job = &s};
    return gfp_parallel_for(&loop, w->task, count, 1) == GFP_OK;
}

/* Recombines the coefficients of tiles from <= i < to. */
static gfp_status recombine_tiles(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const pass *s = user;
    const gfp_native_steps *w = s->w;
    uint64_t *work = w->work + worker * w->work_words;
    const size_t k = w->field->k;
    const double units = (double)w->set->count * (double)k;
    const size_t block = tiles_at_once(units);
    for (size_t i = from; i < to; i += block) {
        const size_t begin = i * GFP_NATIVE_TILE;
        const size_t end = gfp_size_min(gfp_size_min(i + block, to) * GFP_NATIVE_TILE, s->n);
        w->engine->recombine(w->tables, w->set, w->scale, s->c + begin * k, s->x + begin, w->step,
                             end - begin, work);
        if (!gfp_task_advance(task, (double)(end - begin) * units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

bool gfp_native_recombine(const gfp_native_steps *w, uint64_t *c, size_t n, const uint64_t *x)
{
    pass s = {.w = w, .c = c, .n = n, .x = x};
    return share_tiles(recombine_tiles, &s, n, w->task);
}
