/* zimages_check.c: whether results are what their images say (zimages.h), at a random point x
 * modulo each of eight random primes q: the image of the values at x is r(x) modulo q.
 *
 * The difference D of a result and the right one has the degree d at most and |D_i| < 2^(bits + 1).
 * If D is not 0, a coefficient is not 0, which at most (bits + 1) / 49 of the primes divide that
 * are drawn from; modulo another prime D vanishes at no more than d of more than 2^49 points. d /
 * 2^49 is what another d / 2^22 bits would contribute to the first share.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "words_ntt.h"
#include "zimages.h"
#include "zpoints.h"

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

static size_t widest(const gfp_zimages *images)
{
    size_t width = gfp_z_width(images->bits);
    for (size_t i = 0; i < 2 && images->of[i] != NULL; i++) {
        for (size_t j = 0; j < images->of[i]->len; j++) {
            const size_t own = images->of[i]->coeff[j].width;
            width = own > width ? own : width;
        }
    }
    return width;
}

/* Compares the image, forms, with the values of the results. */
static gfp_status compare_values(checker *v, const uint64_t *r, const gfp_zimages *images,
                                 uint64_t *image)
{
    const gfp_points_kernels *kernels = gfp_points_get(v->call->ring->level);
    const size_t width = gfp_z_width(images->bits), len = images->degree + 1;
    uint64_t value[GFP_WORDS], *work;
    gfp_points point;
    (void)gfp_points_plan(&point, 1, 0);
    GFP_TRY(gfp_zcall_array(v->call, &work, gfp_points_interpolate_words(&point)));
    for (size_t o = 0; o < images->results; o++) {
        uint64_t *of_image = image + o * GFP_WORDS;
        /* The residues of the form: the polynomial of degree 0 with this value. */
        kernels->interpolate(&point, &v->block, of_image, work);
        evaluate(v, value, r + o * len * width, len, width);
        if (memcmp(value, of_image, sizeof value) != 0) {
            return gfp_zcall_wrong(v->call);
        }
    }
    return GFP_OK;
}

static gfp_status compare(checker *v, const uint64_t *r, const gfp_zimages *images)
{
    const gfp_zbipoly *const *of = images->of;
    const size_t terms = gfp_size_add_sat(of[0]->len, of[1] != NULL ? of[1]->len : 0);
    const size_t project = gfp_z_project_words(v->basis, widest(images), TILE);
    const size_t words = images->kind->words(images, 1);
    uint64_t *z, *image;
    GFP_TRY(gfp_zcall_array(v->call, &v->residues, TILE * GFP_WORDS));
    GFP_TRY(gfp_zcall_array(v->call, &z, gfp_size_mul_sat(terms, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &image, gfp_size_mul_sat(images->results, GFP_WORDS)));
    GFP_TRY(gfp_zcall_array(v->call, &v->work, project > words ? project : words));
    values_of(v, z, of[0]);
    if (of[1] != NULL) {
        values_of(v, z + of[0]->len * GFP_WORDS, of[1]);
    }
    const gfp_level level = v->call->ring->level;
    gfp_points_get(level)->enter(&v->block, z, terms);
    const gfp_zimage_group group = {&v->block, level, z, 1, image, 1};
    images->kind->compute(images, &group, v->work);
    return compare_values(v, r, images, image);
}

gfp_status gfp_zimages_check(gfp_zcall *call, const uint64_t *r, const gfp_zimages *images)
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
        status = compare(&v, r, images);
    }
    gfp_words_basis_destroy(v.basis);
    gfp_zcall_compared(call, (double)images->bits + 2 + (double)images->degree * 0x1p-22);
    return status;
}
