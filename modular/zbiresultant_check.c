/* zbiresultant_check.c: whether r is the resultant of two bivariate polynomials over Z, at a random
 * point x modulo each of eight random primes q: Res_Y(a(x, Y), b(x, Y)) = r(x) modulo q.
 *
 * D = Res_Y(a, b) - r has the degree d at most and |D_i| < 2^(bits + 1). If D is not 0, a
 * coefficient is not 0, which at most (bits + 1) / 49 of the primes divide that are drawn from;
 * modulo another prime D vanishes at no more than d of more than 2^49 points. d / 2^49 is what
 * another d / 2^22 bits would contribute to the first share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "image.h"
#include "words_ntt.h"
#include "zbiresultant.h"

#define TILE 256

typedef struct checker {
    gfp_zcall *call;
    gfp_words block;
    gfp_words_basis *basis;
    uint64_t x[GFP_WORDS];
    uint64_t *residues, *work;
} checker;

/* y := the value of a polynomial at x. */
static void evaluate(const checker *v, uint64_t y[GFP_WORDS], const uint64_t *c, size_t len,
                     size_t width)
{
    const gfp_level level = v->call->ring->level;
    memset(y, 0, GFP_WORDS * sizeof *y);
    for (size_t end = len; end > 0;) {
        const size_t n = gfp_size_min(end, TILE);
        end -= n;
        gfp_words_project(&(gfp_words_residues){v->basis, level, 0, 1, v->residues, 0},
                          c + end * width, width, n, v->work);
        gfp_words_ntt_get(level)->evaluate(&v->block, y, v->x, v->residues, n);
    }
}

static void values_of(const checker *v, uint64_t *z, const gfp_zbipoly *f)
{
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        evaluate(v, z + j * GFP_WORDS, row->limbs, row->len, row->width);
    }
}

static size_t widest(const gfp_zbipair *pair)
{
    const gfp_zbipoly *const of[] = {pair->a, pair->b};
    size_t width = gfp_z_width(pair->bits);
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < of[i]->len; j++) {
            width = of[i]->coeff[j].width > width ? of[i]->coeff[j].width : width;
        }
    }
    return width;
}

static gfp_status compare(checker *v, const uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_zbipoly *a = pair->a, *b = pair->b;
    const size_t project = gfp_z_project_words(v->basis, widest(pair), TILE);
    const size_t image = gfp_words_image_work_words(a->len, b->len);
    uint64_t *za, *zb, of_r[GFP_WORDS], value[GFP_WORDS];
    GFP_TRY(gfp_zcall_array(v->call, &v->residues, TILE * GFP_WORDS));
    GFP_TRY(gfp_zcall_array(v->call, &za, gfp_size_mul_sat(a->len, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &zb, gfp_size_mul_sat(b->len, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &v->work, project > image ? project : image));
    values_of(v, za, a);
    values_of(v, zb, b);
    evaluate(v, of_r, r, pair->degree + 1, gfp_z_width(pair->bits));
    const gfp_words_image_pair at_x = {&v->block, za, zb, a->len, b->len};
    gfp_words_image_resultant(&at_x, v->call->ring->level, value, v->work);
    return memcmp(value, of_r, sizeof value) == 0 ? GFP_OK : gfp_zcall_wrong(v->call);
}

gfp_status gfp_zbiresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    gfp_random g;
    checker v = {.call = call};
    const gfp_words *const blocks[] = {&v.block};
    GFP_TRY(gfp_zcall_random_block(call, &v.block));
    gfp_random_seed(&g, v.block.q[0] ^ v.block.q[1] << 14);
    for (unsigned l = 0; l < GFP_WORDS; l++) {
        v.x[l] = gfp_random_below(&g, v.block.q[l]);
    }
    GFP_TRY(gfp_words_basis_create(&v.basis, blocks, NULL, 1, &call->ring->allocator));
    gfp_status status = gfp_zcall_may_take(call, gfp_words_basis_bytes(v.basis));
    if (status == GFP_OK) {
        status = compare(&v, r, pair);
    }
    gfp_words_basis_destroy(v.basis);
    gfp_zcall_compared(call, (double)pair->bits + 2 + (double)pair->degree * 0x1p-22);
    return status;
}
