/* zresultant.c: resultants over Z by images modulo blocks of word-size primes, and their check.
 *
 * |res(a, b)| <= |a|^deg(b) |b|^deg(a), |.| the Euclidean norm: Hadamard's bound for the rows of
 * Sylvester's matrix. The image modulo a prime is the determinant of this matrix for the degrees
 * over Z, also where a leading coefficient vanishes: no prime is unlucky, and the number of primes
 * is known beforehand.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zresultant.h"

#include <math.h>

#include "image.h"
#include "word.h"

size_t gfp_zresultant_bits(gfp_zpoly a, gfp_zpoly b)
{
    const double of_a = gfp_z_log2_norm(a.limbs, a.len, a.width);
    const double of_b = gfp_z_log2_norm(b.limbs, b.len, b.width);
    const double bits = (double)(b.len - 1) * of_a + (double)(a.len - 1) * of_b;
    /* Rounding errs by less than 2^-40 of the sum. */
    const double above = bits * (1 + 0x1p-40) + 2;
    return above < 0x1p50 ? (size_t)above : SIZE_MAX;
}

/* ---- images ---- */

typedef struct images {
    const gfp_zpair *pair;
    gfp_level level;
    const gfp_zblocks *blocks;
    const gfp_words *const *block; /* of the supply, blocks->count of them */
    size_t part;                   /* items of the loop are blocks of this part */
    size_t at_once;                /* blocks that are projected at once */
    uint64_t *r;
    uint64_t *memory; /* of the workers */
    size_t each, project, image;
} images;

/* Blocks from <= j < to of the part. */
static gfp_status run_images(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const images *w = job;
    const gfp_words_basis *basis = w->blocks->basis[w->part].basis;
    const gfp_zpoly a = w->pair->a, b = w->pair->b;
    const size_t step_a = a.len * GFP_WORDS, step_b = b.len * GFP_WORDS;
    uint64_t *za = w->memory + worker * w->each, *zb = za + w->at_once * step_a;
    uint64_t *work = zb + w->at_once * step_b;
    for (size_t j = from; j < to;) {
        const size_t count = gfp_size_min(w->at_once, to - j);
        gfp_words_project(basis, w->level, j, count, za, step_a, a.limbs, a.width, a.len, work);
        gfp_words_project(basis, w->level, j, count, zb, step_b, b.limbs, b.width, b.len, work);
        for (size_t i = 0; i < count; i++, j++) {
            const size_t index = w->blocks->first[w->part] + j;
            const gfp_words_image_pair pair = {w->block[index], za + i * step_a, zb + i * step_b,
                                               a.len, b.len};
            gfp_words_image_resultant(&pair, w->level, w->r + index * GFP_WORDS, work);
            if (!gfp_task_advance(task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
    }
    return GFP_OK;
}

/* Words of residues that a worker keeps at once: they stay in its second-level cache. */
#define RESIDUES 32768

static gfp_status make_workers(gfp_zcall *call, images *w)
{
    const gfp_zpoly a = w->pair->a, b = w->pair->b;
    const size_t of_pair = gfp_size_mul_sat(gfp_size_add_sat(a.len, b.len), GFP_WORDS);
    const size_t width = a.width > b.width ? a.width : b.width;
    const size_t len = a.len > b.len ? a.len : b.len;
    size_t project = 0;
    for (size_t i = 0; i < w->blocks->parts; i++) {
        const size_t words = gfp_z_project_words(w->blocks->basis[i].basis, width, len);
        project = words > project ? words : project;
    }
    const size_t image = gfp_words_image_work_words(a.len, b.len);
    w->at_once = of_pair < RESIDUES ? gfp_size_min(RESIDUES / of_pair, GFP_WORDS) : 1;
    const size_t work = ((project > image ? project : image) + 7) / 8 * 8;
    w->each = gfp_size_add_sat(gfp_size_mul_sat(of_pair, w->at_once), work);
    const unsigned workers = gfp_parallel_workers(&call->task, w->blocks->count, 1);
    return gfp_zcall_array(call, &w->memory, gfp_size_mul_sat(w->each, workers));
}

static gfp_status compute_images(gfp_zcall *call, images *w, double to)
{
    const gfp_parallel loop = {run_images, w, NULL};
    const double cost = 4 * (double)w->pair->a.len * (double)w->pair->b.len;
    GFP_TRY(make_workers(call, w));
    GFP_TRY(gfp_zcall_step(call, to, (double)w->blocks->count, cost));
    for (w->part = 0; w->part < w->blocks->parts; w->part++) {
        const size_t items = w->blocks->first[w->part + 1] - w->blocks->first[w->part];
        const unsigned workers = gfp_parallel_workers(&call->task, items, 1);
        const size_t share = (items + workers - 1) / workers;
        call->report.threads = workers > call->report.threads ? workers : call->report.threads;
        GFP_TRY(gfp_parallel_for(&loop, &call->task, items, gfp_size_min(share, w->at_once)));
    }
    return GFP_OK;
}

static gfp_status by_words(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to,
                           gfp_zblocks *blocks)
{
    uint64_t *memory;
    GFP_TRY(gfp_zblocks_make(call, blocks, gfp_size_add_sat(pair->bits, 2)));
    images w = {.pair = pair, .level = call->ring->level, .blocks = blocks};
    GFP_TRY(gfp_zcall_array(call, &w.r, blocks->count * GFP_WORDS));
    GFP_TRY(gfp_zcall_array(call, &memory, blocks->count));
    const gfp_words **block = (const gfp_words **)(void *)memory;
    for (size_t j = 0; j < blocks->count; j++) {
        GFP_TRY(gfp_words_supply_block(call->ring->supply, j, &block[j]));
    }
    w.block = block;
    GFP_TRY(compute_images(call, &w, to));
    return gfp_zblocks_integer(call, r, gfp_z_width(pair->bits), blocks, w.r);
}

gfp_status gfp_zresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to)
{
    gfp_zblocks blocks = {.parts = 0};
    const gfp_status status = by_words(call, r, pair, to, &blocks);
    gfp_zblocks_clear(&blocks);
    return status;
}

/* ---- check ---- */

static gfp_status check(gfp_zcall *call, const uint64_t *r, const gfp_zpair *pair,
                        gfp_words_basis *basis, const gfp_words *block)
{
    const gfp_zpoly a = pair->a, b = pair->b;
    const gfp_level level = call->ring->level;
    const size_t width = gfp_z_width(pair->bits), n = (a.len + b.len) * GFP_WORDS;
    const size_t widest = a.width > b.width ? a.width : b.width;
    uint64_t *z, *work, image[GFP_WORDS], value[GFP_WORDS];
    GFP_TRY(gfp_zcall_array(call, &z, n));
    size_t words = gfp_z_project_words(basis, widest, a.len > b.len ? a.len : b.len);
    const size_t of_image = gfp_words_image_work_words(a.len, b.len);
    const size_t of_r = gfp_z_project_words(basis, width, 1);
    words = words > of_image ? words : of_image;
    GFP_TRY(gfp_zcall_array(call, &work, words > of_r ? words : of_r));
    uint64_t *za = z, *zb = z + a.len * GFP_WORDS;
    gfp_words_project(basis, level, 0, 1, za, 0, a.limbs, a.width, a.len, work);
    gfp_words_project(basis, level, 0, 1, zb, 0, b.limbs, b.width, b.len, work);
    const gfp_words_image_pair images_of = {block, za, zb, a.len, b.len};
    gfp_words_image_resultant(&images_of, level, image, work);
    gfp_words_project(basis, level, 0, 1, value, 0, r, width, 1, work);
    return memcmp(image, value, sizeof image) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

gfp_status gfp_zresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zpair *pair)
{
    gfp_words block;
    gfp_words_basis *basis;
    const gfp_words *const blocks[] = {&block};
    GFP_TRY(gfp_zcall_random_block(call, &block));
    GFP_TRY(gfp_words_basis_create(&basis, blocks, NULL, 1, &call->ring->allocator));
    gfp_status status = gfp_zcall_may_take(call, gfp_words_basis_bytes(basis));
    if (status == GFP_OK) {
        status = check(call, r, pair, basis, &block);
    }
    gfp_words_basis_destroy(basis);
    gfp_zcall_compared(call, (double)pair->bits + 1);
    return status;
}
