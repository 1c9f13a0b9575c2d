/* check.c: whether c = a b over Z, at a random point modulo each of eight random primes.
 *
 * D = a b - c is a polynomial of degree len - 1 at most with |D_i| < 2^(64 width), whatever the
 * limbs of c are. If D is not 0, gfp_words_draw says how likely D vanishes at all eight points.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "product/verify/claim.h"
#include "fft/words/ntt.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

/* The numbers that are projected at a time. Those of more limbs than a part are cut into parts. */
#define TILE 256
#define PART 256

typedef struct check {
    const gfp_zmul *z;
    const gfp_words *block;
    gfp_words_basis *basis;
    uint64_t point[GFP_WORDS];
    uint64_t base[GFP_WORDS]; /* 2^(64 PART) */
    uint64_t *residues, *work;
} check;

/* y := y point^n + the value of the polynomial of n <= TILE numbers. */
static void append_numbers(const check *v, uint64_t y[GFP_WORDS], const uint64_t *x, size_t width,
                           size_t n)
{
    const gfp_level level = v->z->ring->level;
    gfp_words_project(&(gfp_words_residues){v->basis, level, 0, 1, v->residues, TILE * GFP_WORDS},
                      x, width, n, v->work);
    gfp_words_ntt_get(level)->evaluate(v->block, y, v->point, v->residues, n);
}

/* y := a long number: the value at 2^(64 PART) of the parts of its limbs. Parts are projected as
 * numbers in two's complement, so the sign bit of a part adds one to the next part. */
static bool evaluate_parts(const check *v, uint64_t y[GFP_WORDS], const uint64_t *x, size_t width)
{
    const gfp_level level = v->z->ring->level;
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t end = width; end > 0;) {
        const size_t limbs = end % PART != 0 ? end % PART : PART;
        const size_t n = limbs < PART ? 1 : gfp_size_min(end / PART, TILE), size = n * limbs;
        end -= size;
        gfp_words_project(
            &(gfp_words_residues){v->basis, level, 0, 1, v->residues, TILE * GFP_WORDS}, x + end,
            limbs, n, v->work);
        for (size_t i = end == 0 ? 1 : 0; i < n; i++) {
            const uint64_t carry = x[end + i * limbs - 1] >> 63;
            for (unsigned l = 0; l < GFP_WORDS; l++) {
                uint64_t *r = &v->residues[i * GFP_WORDS + l];
                *r = *r + carry == v->block->q[l] ? 0 : *r + carry;
            }
        }
        gfp_words_ntt_get(level)->evaluate(v->block, y, v->base, v->residues, n);
        if (!gfp_task_advance(v->z->task, (double)size)) {
            return false;
        }
    }
    return true;
}

/* y := y point + a long number. */
static bool append_long(const check *v, uint64_t y[GFP_WORDS], const uint64_t *x, size_t width)
{
    uint64_t one[GFP_WORDS];
    if (!evaluate_parts(v, one, x, width)) {
        return false;
    }
    memcpy(v->residues, one, sizeof one);
    gfp_words_ntt_get(v->z->ring->level)->evaluate(v->block, y, v->point, v->residues, 1);
    return true;
}

/* y := the values of a polynomial. */
static gfp_status check_evaluate(const check *v, uint64_t y[GFP_WORDS], const gfp_zfactor *f)
{
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t end = f->len; end > 0;) {
        const size_t n = f->width > PART ? 1 : gfp_size_min(end, TILE);
        end -= n;
        const uint64_t *x = f->x + end * f->width;
        if (f->width > PART) {
            if (!append_long(v, y, x, f->width)) {
                return GFP_ERR_CANCELLED;
            }
            continue;
        }
        append_numbers(v, y, x, f->width, n);
        if (!gfp_task_advance(v->z->task, (double)n * (double)f->width)) {
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
            return gfp_error_set(&z->call->error, GFP_ERR_VERIFY,
                                 "%s: the result has another value at a random point",
                                 z->call->name);
        }
    }
    return GFP_OK;
}

/* Compares modulo the primes of a block. */
static gfp_status check_block(const gfp_zmul *z, const gfp_words *block, gfp_random *random)
{
    check v = {.z = z, .block = block};
    gfp_zarea area;
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        v.point[l] = gfp_random_below(random, block->q[l]);
        v.base[l] = gfp_mod_pow(2, 64 * PART, block->q[l]);
    }
    GFP_TRY(gfp_words_basis_create(&v.basis, &block, NULL, 1, &z->ring->allocator));
    size_t width = z->width > z->a.width ? z->width : z->a.width;
    width = gfp_size_min(width > z->b.width ? width : z->b.width, PART);
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

gfp_status gfp_zmul_check_point(const gfp_zmul *z, gfp_report *report)
{
    gfp_random random;
    gfp_words block;
    uint64_t seed = z->call->options->verify_seed;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &z->call->error));
    }
    gfp_random_seed(&random, seed);
    const double error =
        gfp_words_draw(&block, &random, 64 * (double)z->width, (double)(z->len - 1));
    report->verified = GFP_VERIFY_POINT;
    report->points = GFP_WORDS;
    report->log2_error = (int)ceil(error);
    const double limbs = (double)z->len * (double)z->width + (double)z->a.len * (double)z->a.width +
                         (double)z->b.len * (double)z->b.width;
    return gfp_task_span(z->task, 1, limbs, GFP_WORDS) ? check_block(z, &block, &random)
                                                       : GFP_ERR_CANCELLED;
}
