/* words.c: resultants over Z by images modulo blocks of word-size primes, and their check.
 *
 * |res(a, b)| <= |a|^deg(b) |b|^deg(a), |.| the Euclidean norm: Hadamard's bound for the rows of
 * Sylvester's matrix. The image modulo a prime is the determinant of this matrix for the degrees
 * over Z, also where a leading coefficient vanishes: no prime is unlucky, and the number of primes
 * is known beforehand.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/resultant/impl.h"

#include <math.h>

#include "crt/blocks/kernels/euclid.h"
#include "field/base/word.h"

size_t gfp_zresultant_bits(gfp_zpoly a, gfp_zpoly b)
{
    const double of_a = gfp_zpoly_log2_norm(a), of_b = gfp_zpoly_log2_norm(b);
    const double bits = (double)(b.len - 1) * of_a + (double)(a.len - 1) * of_b;
    /* Rounding errs by less than 2^-40 of the sum. */
    const double above = bits * (1 + 0x1p-40) + 2;
    return above < 0x1p50 ? (size_t)above : SIZE_MAX;
}

/* ---- images ---- */

typedef struct images {
    const gfp_zpair *pair;
    gfp_level level;
    const gfp_words_basis *basis;
    const gfp_words *const *block; /* of the supply */
    size_t first, count;           /* the blocks are `count` ones from here on */
    size_t at_once;                /* blocks that are projected at once */
    uint64_t *r;
    uint64_t *memory; /* of the workers */
    size_t each;
} images;

/* Blocks from <= j < to. */
static gfp_status run_images(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const images *w = job;
    const gfp_zpoly a = w->pair->a, b = w->pair->b;
    const size_t step_a = a.len * GFP_WORDS, step_b = b.len * GFP_WORDS;
    uint64_t *za = w->memory + worker * w->each, *zb = za + w->at_once * step_a;
    uint64_t *work = zb + w->at_once * step_b;
    for (size_t j = from; j < to;) {
        const size_t n = gfp_size_min(w->at_once, to - j);
        gfp_zpoly_project(&(gfp_words_residues){w->basis, w->level, j, n, za, step_a}, a, work);
        gfp_zpoly_project(&(gfp_words_residues){w->basis, w->level, j, n, zb, step_b}, b, work);
        for (size_t i = 0; i < n; i++, j++) {
            const gfp_words_image_pair pair = {w->block[j], za + i * step_a, zb + i * step_b, a.len,
                                               b.len};
            gfp_words_image_resultant(&pair, w->level, w->r + j * GFP_WORDS, work);
            if (!gfp_task_advance(task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
    }
    return GFP_OK;
}

/* Words of residues that a worker keeps at once: they stay in its second-level cache. */
#define RESIDUES 32768

static gfp_status make_workers(gfp_zcall *call, images *w, unsigned workers)
{
    const gfp_zpoly a = w->pair->a, b = w->pair->b;
    const size_t of_pair = gfp_size_mul_sat(gfp_size_add_sat(a.len, b.len), GFP_WORDS);
    const size_t of_a = gfp_zpoly_project_words(w->basis, a);
    const size_t of_b = gfp_zpoly_project_words(w->basis, b);
    const size_t project = of_a > of_b ? of_a : of_b;
    const size_t image = gfp_size_add_sat(gfp_words_image_work_words(a.len, b.len), 7) / 8 * 8;
    w->at_once = of_pair < RESIDUES ? gfp_size_min(RESIDUES / of_pair, GFP_WORDS) : 1;
    w->at_once = gfp_size_min(w->at_once, (w->count + workers - 1) / workers);
    w->each =
        gfp_size_add_sat(gfp_size_mul_sat(of_pair, w->at_once), project > image ? project : image);
    return gfp_call_array(&call->base, &w->memory, gfp_size_mul_sat(w->each, workers));
}

/* The images of a block. */
static gfp_deal_span images_place(const void *job, size_t item, size_t part)
{
    const images *w = job;
    (void)part;
    return (gfp_deal_span){w->r + item * GFP_WORDS, GFP_WORDS * sizeof *w->r};
}

static gfp_status compute_images(gfp_zcall *call, images *w, double to)
{
    const gfp_deal_loop loop = {{run_images, w, NULL}, images_place, 1, GFP_WORDS * sizeof *w->r, 1,
                                GFP_DEAL_KEEP};
    const double cost = 4 * (double)w->pair->a.len * (double)w->pair->b.len;
    const unsigned workers = gfp_parallel_workers(&call->base.task, w->count, 1);
    GFP_TRY(make_workers(call, w, workers));
    GFP_TRY(gfp_zcall_step(call, to, (double)w->count, cost));
    call->base.report.threads =
        workers > call->base.report.threads ? workers : call->base.report.threads;
    return gfp_call_deal(&call->base, &loop, w->count, w->at_once);
}

/* r := the resultant; the basis has enough primes. */
static gfp_status by_basis(gfp_zcall *call, uint64_t *r, images *w, double to)
{
    uint64_t *memory;
    const size_t width = gfp_z_width(w->pair->bits);
    GFP_TRY(gfp_call_array(&call->base, &w->r, w->count * GFP_WORDS));
    GFP_TRY(gfp_call_array(&call->base, &memory, w->count));
    const gfp_words **block = (const gfp_words **)(void *)memory;
    for (size_t j = 0; j < w->count; j++) {
        GFP_TRY(gfp_words_supply_block(call->ring->supply, w->first + j, &block[j]));
    }
    w->block = block;
    GFP_TRY(compute_images(call, w, 0.95 * to));
    GFP_TRY(gfp_zcall_step(call, to, 1, 1));
    GFP_TRY(gfp_call_array(&call->base, &memory, gfp_words_recombine_words(w->basis, width, 1)));
    gfp_words_recombine(w->basis, w->level, r, width, w->r, GFP_WORDS, 1, memory);
    return GFP_OK;
}

size_t gfp_zresultant_blocks(const gfp_zpair *pair)
{
    return gfp_size_add_sat(pair->bits, 2) / GFP_Z_BLOCK_BITS + 1;
}

gfp_status gfp_zresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, size_t first,
                                double to)
{
    gfp_zring_basis basis;
    const size_t count = gfp_zresultant_blocks(pair);
    images w = {.pair = pair, .level = call->ring->level, .first = first, .count = count};
    gfp_status status = gfp_zblocks_take(call, &basis, first, count, true);
    w.basis = basis.basis;
    if (status == GFP_OK) {
        status = by_basis(call, r, &w, to);
    }
    gfp_zblocks_give(call, &basis);
    return status;
}

/* ---- check ---- */

typedef struct checker {
    gfp_zcall *call;
    const gfp_words *block;
    gfp_words_basis *basis;
} checker;

/* z := f modulo the primes. */
static gfp_status words_project(const checker *w, uint64_t *z, gfp_zpoly f)
{
    uint64_t *work;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    GFP_TRY(gfp_call_array(&w->call->base, &work, gfp_zpoly_project_words(w->basis, f)));
    gfp_zpoly_project(&(gfp_words_residues){w->basis, w->call->ring->level, 0, 1, z, 0}, f, work);
    gfp_call_release(&w->call->base, mark);
    return GFP_OK;
}

/* z := the images of the pair's resultant. */
static gfp_status image_of(const checker *w, uint64_t z[GFP_WORDS], const gfp_zpair *pair)
{
    const gfp_zpoly a = pair->a, b = pair->b;
    uint64_t *x, *work;
    GFP_TRY(gfp_call_array(&w->call->base, &x, gfp_size_mul_sat(a.len + b.len, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&w->call->base, &work, gfp_words_image_work_words(a.len, b.len)));
    uint64_t *y = x + a.len * GFP_WORDS;
    GFP_TRY(words_project(w, x, a));
    GFP_TRY(words_project(w, y, b));
    const gfp_words_image_pair images_of = {w->block, x, y, a.len, b.len};
    gfp_words_image_resultant(&images_of, w->call->ring->level, z, work);
    return GFP_OK;
}

static gfp_status words_check(const checker *w, gfp_zpoly r, const gfp_zfactored *f)
{
    uint64_t image[GFP_WORDS], value[GFP_WORDS] = {0};
    if (f->power > 0) {
        GFP_TRY(image_of(w, image, &f->pair));
    }
    if (r.len > 0) {
        GFP_TRY(words_project(w, value, r));
    }
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        const uint64_t q = w->block->q[l];
        uint64_t z = f->power > 0 ? gfp_mod_pow(image[l], f->power, q) : 1;
        for (size_t i = 0; i < f->count; i++) {
            const gfp_znat c = f->base[i];
            const uint64_t x = mpn_mod_1(gfp_z_limbs(c.limbs), (mp_size_t)c.n, q);
            z = gfp_mod_mul(z, gfp_mod_pow(x, f->exponent[i], q), q);
        }
        if ((f->negative && z != 0 ? q - z : z) != value[l]) {
            return gfp_zcall_wrong(w->call);
        }
    }
    return GFP_OK;
}

/* The bits of the resultant are at most this. */
static double bits_of(const gfp_zfactored *f)
{
    double bits = f->power > 0 ? (double)f->power * (double)f->pair.bits : 1;
    for (size_t i = 0; i < f->count; i++) {
        const gfp_znat c = f->base[i];
        bits += (double)f->exponent[i] * (double)gfp_z_magnitude_bits(c.limbs, c.n);
    }
    return bits;
}

gfp_status gfp_zresultant_check(gfp_zcall *call, gfp_zpoly r, const gfp_zfactored *f)
{
    gfp_words block;
    checker w = {.call = call, .block = &block};
    const gfp_words *const blocks[] = {&block};
    GFP_TRY(gfp_zcall_random_block(call, &block, bits_of(f) + 1, 0));
    GFP_TRY(gfp_words_basis_create(&w.basis, blocks, NULL, 1, &call->ring->allocator));
    const size_t bytes = gfp_words_basis_bytes(w.basis);
    gfp_status status = gfp_call_take(&call->base, bytes);
    if (status == GFP_OK) {
        status = words_check(&w, r, f);
        gfp_call_give(&call->base, bytes);
    }
    gfp_words_basis_destroy(w.basis);
    return status;
}
