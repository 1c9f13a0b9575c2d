/* short.c: products over Z of polynomials with short coefficients by two to six primes just
 * below 2^48 (crt/small/short.h): a prime's coefficients lie side by side, and no lane is idle,
 * while the blocks of words.c have eight primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/parallel.h"
#include "crt/small/short.h"
#include "modular/mul/methods.h"

/* Coefficients of a call of recombination. */
#define TILE 256

typedef struct run {
    const gfp_zmul *z;
    const gfp_short_kernels *kernels;
    const gfp_short_primes *primes;
    gfp_short_crt crt;
    gfp_native_size size;
    size_t points, step; /* words from the residues of a prime to those of the next one */
    size_t root_words, work_words;
    unsigned workers;
    uint64_t *a, *work;
    const uint64_t *roots; /* that the ring keeps, or NULL */
} run;

static size_t short_rounded(size_t words)
{
    return (words + 7) / 8 * 8;
}

static bool is_served(const gfp_zmul *z, run *r)
{
    *r = (run){.z = z, .kernels = gfp_short_kernels_get(z->ring->level)};
    return z->a.bits <= GFP_SHORT_BITS && z->b.bits <= GFP_SHORT_BITS &&
           z->a.width <= GFP_SHORT_WIDTH && z->b.width <= GFP_SHORT_WIDTH &&
           gfp_short_count(z->bits) <= GFP_SHORT_PRIMES &&
           gfp_short_size_for(&r->size, r->kernels->engine, z->len);
}

static size_t words_of(run *r, unsigned workers)
{
    const gfp_zmul *z = r->z;
    r->crt.count = (unsigned)gfp_short_count(z->bits);
    r->points = gfp_native_points(r->size);
    r->step = short_rounded(gfp_native_step(r->size));
    r->root_words = short_rounded(r->kernels->engine->root_words(r->size.log2_n));
    r->work_words = r->root_words + (z->square ? 0 : r->step);
    r->workers = (unsigned)gfp_size_min(workers, r->crt.count);
    return r->crt.count * r->step + r->workers * r->work_words;
}

static gfp_status multiply_primes(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const run *r = user;
    const gfp_zmul *z = r->z;
    uint64_t *work = r->work + worker * r->work_words;
    for (size_t i = from; i < to; i++) {
        const gfp_native_prime *prime = &r->primes->prime[i];
        uint64_t *a = r->a + i * r->step, *b = z->square ? a : work + r->root_words;
        const uint64_t *roots = r->roots != NULL ? r->roots + i * r->root_words : work;
        r->kernels->project(r->primes, (unsigned)i, a, z->a.x, z->a.width, z->a.len, r->points);
        if (!z->square) {
            r->kernels->project(r->primes, (unsigned)i, b, z->b.x, z->b.width, z->b.len, r->points);
        }
        if (roots == work) {
            r->kernels->engine->roots(prime, r->size.log2_n, work);
        }
        r->kernels->engine->multiply(prime, roots, a, b, r->size);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status recombine_tiles(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const run *r = user;
    const gfp_zmul *z = r->z;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t at = i * TILE, end = gfp_size_min(at + TILE, z->len);
        r->kernels->recombine(&r->crt, z->c + at * z->width, z->width, r->a, r->step, at, end);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status short_loop(run *r, gfp_parallel_run *body, unsigned workers, size_t items)
{
    const gfp_parallel parallel = {.run = body, .job = r};
    gfp_task *task = r->z->task;
    const unsigned threads = gfp_task_threads(task);
    if (task == NULL) {
        return body(r, 0, items, 0, NULL);
    }
    task->threads = workers;
    const gfp_status status =
        gfp_parallel_for(&parallel, task, items, gfp_parallel_chunk(task, items, 4));
    task->threads = threads;
    return status;
}

static gfp_status multiply_areas(run *r)
{
    const gfp_zmul *z = r->z;
    const size_t tiles = (z->len + TILE - 1) / TILE;
    const double cost = (double)r->points * 30;
    if (!gfp_task_span(z->task, 0.8, r->crt.count, cost)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(short_loop(r, multiply_primes, r->workers, r->crt.count));
    if (!gfp_task_span(z->task, 1, (double)tiles, TILE)) {
        return GFP_ERR_CANCELLED;
    }
    return short_loop(r, recombine_tiles, z->threads, tiles);
}

/* ---- the strategy ---- */

static const char *short_refuses(const gfp_zmul *z)
{
    run r;
    return is_served(z, &r)
               ? NULL
               : "it serves coefficients of at most 142 bits, products of at most 285 bits and "
                 "transforms of at most 2^22 points, 2^25 by AVX-512";
}

static size_t bytes_of(const gfp_zmul *z)
{
    run r;
    return is_served(z, &r) ? gfp_size_mul_sat(words_of(&r, 1), sizeof(uint64_t)) : SIZE_MAX;
}

static gfp_status short_multiply(const gfp_zmul *z)
{
    gfp_zarea area;
    run r;
    if (!is_served(z, &r)) {
        return GFP_ERR_SIZE;
    }
    size_t words = words_of(&r, z->threads);
    if (words > z->cap / sizeof(uint64_t)) {
        words = words_of(&r, 1);
    }
    if (words > z->cap / sizeof(uint64_t)) {
        return GFP_ERR_MEMORY;
    }
    r.primes = gfp_zshort_primes(z->ring);
    if (r.primes == NULL) {
        return GFP_ERR_MEMORY;
    }
    GFP_TRY(gfp_zshort_roots(z->ring, &r.roots, r.primes, r.size.log2_n, r.root_words));
    r.crt.primes = r.primes;
    r.crt.halvings = gfp_native_halvings(r.kernels->engine, r.size);
    GFP_TRY(gfp_zarea_take(z->ring, &area, words));
    r.a = area.words;
    r.work = r.a + r.crt.count * r.step;
    const gfp_status status = multiply_areas(&r);
    gfp_zarea_give(z->ring, &area);
    return status;
}

const gfp_zstrategy gfp_zmul_short = {GFP_Z_SHORT, short_refuses, bytes_of, short_multiply};
