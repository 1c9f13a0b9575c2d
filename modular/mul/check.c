/* check.c: whether c = a b over Z, at a random point modulo each of eight random primes.
 *
 * D = a b - c is a polynomial of degree d = len - 1 at most with |D_i| < 2^(64 width), whatever the
 * limbs of c are. If D is not 0, a coefficient is not 0; at most 64 width / 49 primes above 2^49
 * divide it, of 2^18 primes at least that gfp_words_draw draws from (about 1.9 10^6). Modulo
 * another prime D vanishes at no more than d of more than 2^49 points. So all eight values of D
 * vanish with probability at most (64 width / 49 / 2^18 + d / 2^49)^8; several blocks are drawn if
 * that is too much.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "product/verify/claim.h"
#include "fft/words/ntt.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

#define TILE 256
#define LOG2_PRIMES 18
/* A wrong product passes with probability 2^LOG2_ERROR at most; the most blocks for this. */
#define LOG2_ERROR (-40)
#define BLOCKS 8

typedef struct check {
    const gfp_zmul *z;
    const gfp_words *block;
    gfp_words_basis *basis;
    uint64_t point[GFP_WORDS];
    uint64_t *residues, *work;
} check;

/* y := the values of a polynomial. */
static gfp_status check_evaluate(const check *v, uint64_t y[GFP_WORDS], const gfp_zfactor *f)
{
    const gfp_level level = v->z->ring->level;
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t end = f->len; end > 0;) {
        const size_t n = gfp_size_min(end, TILE);
        end -= n;
        gfp_words_project(
            &(gfp_words_residues){v->basis, level, 0, 1, v->residues, TILE * GFP_WORDS},
            f->x + end * f->width, f->width, n, v->work);
        gfp_words_ntt_get(level)->evaluate(v->block, y, v->point, v->residues, n);
        if (!gfp_task_advance(v->z->task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status check_compare(const check *v)
{
    const gfp_zmul *z = v->z;
    const gfp_zfactor c = {z->c, z->len, z->width, z->bits};
    uint64_t a[GFP_WORDS], b[GFP_WORDS], y[GFP_WORDS];
    GFP_TRY(check_evaluate(v, a, &z->a));
    GFP_TRY(check_evaluate(v, b, &z->b));
    GFP_TRY(check_evaluate(v, y, &c));
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        if (gfp_mod_mul(a[i], b[i], v->block->q[i]) != y[i]) {
            return gfp_error_set(z->options->error, GFP_ERR_VERIFY,
                                 "the product over Z has another value at a random point");
        }
    }
    return GFP_OK;
}

static void check_draw(check *v, gfp_words *block, gfp_random *random)
{
    gfp_words_draw(block, random);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        v->point[i] = gfp_random_below(random, block->q[i]);
    }
    v->block = block;
}

/* Compares modulo one block. */
static gfp_status check_block(const gfp_zmul *z, gfp_random *random)
{
    check v = {.z = z};
    gfp_words block;
    gfp_zarea area;
    check_draw(&v, &block, random);
    const gfp_words *blocks[] = {&block};
    GFP_TRY(gfp_words_basis_create(&v.basis, blocks, NULL, 1, &z->ring->allocator));
    size_t width = z->width > z->a.width ? z->width : z->a.width;
    width = width > z->b.width ? width : z->b.width;
    const size_t work = gfp_words_project_words(v.basis, width, TILE);
    gfp_status status = gfp_zarea_take(z->ring, &area, TILE * GFP_WORDS + work);
    if (status == GFP_OK) {
        v.residues = area.words;
        v.work = area.words + TILE * GFP_WORDS;
        status = check_compare(&v);
        gfp_zarea_give(z->ring, &area);
    }
    gfp_words_basis_destroy(v.basis);
    return status;
}

unsigned gfp_zmul_check_blocks(const gfp_zmul *z, int *error)
{
    const double primes = 64 * (double)z->width / 49 / (double)(1 << LOG2_PRIMES);
    const double one = GFP_WORDS * log2(fmin(1, primes + (double)(z->len - 1) / 0x1p49));
    for (unsigned blocks = 1; blocks <= BLOCKS; blocks++) {
        if (blocks * one <= LOG2_ERROR) {
            *error = (int)ceil(blocks * one);
            return blocks;
        }
    }
    return 0;
}

gfp_status gfp_zmul_check_point(const gfp_zmul *z, gfp_report *report)
{
    gfp_random random;
    uint64_t seed = z->options->verify_seed;
    const unsigned blocks = gfp_zmul_check_blocks(z, &report->log2_error);
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, z->options->error));
    }
    gfp_random_seed(&random, seed);
    report->verified = GFP_VERIFY_POINT;
    report->points = blocks * GFP_WORDS;
    for (unsigned i = 0; i < blocks; i++) {
        if (!gfp_task_span(z->task, (i + 1.0) / blocks,
                           (double)z->len + (double)z->a.len + (double)z->b.len, 1)) {
            return GFP_ERR_CANCELLED;
        }
        GFP_TRY(check_block(z, &random));
    }
    return GFP_OK;
}
