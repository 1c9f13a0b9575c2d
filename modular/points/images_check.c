/* images_check.c: whether results are what their images say (images.h), at a random point x
 * modulo each of eight random primes q: the image of the values at x is r(x) modulo q.
 *
 * The difference D of a result and the right one has the degree d at most and |D_i| < 2^(bits + 1).
 * gfp_words_draw says how likely D vanishes at these points if it is not 0.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/images.h"
#include "crt/blocks/kernels/points.h"
#include "modular/points/values.h"

static size_t images_check_widest(const gfp_zimages *images)
{
    size_t width = gfp_z_width(images->bits);
    for (size_t i = 0; i < 2 && images->operand[i] != NULL; i++) {
        const size_t own = gfp_zbipoly_width(images->operand[i]);
        width = own > width ? own : width;
    }
    return width;
}

/* Compares the image at x, forms, with the values of the results. */
static gfp_status compare_values(gfp_zvalues *v, const uint64_t x[GFP_WORDS], const uint64_t *r,
                                 const gfp_zimages *images, uint64_t *image)
{
    const gfp_points_kernels *kernels = gfp_points_get(v->call->ring->level);
    const size_t width = gfp_z_width(images->bits), len = images->degree + 1;
    uint64_t value[GFP_WORDS], *work;
    gfp_points point;
    (void)gfp_points_plan(&point, 1, 0);
    GFP_TRY(gfp_call_array(&v->call->base, &work, gfp_points_interpolate_words(&point)));
    for (size_t o = 0; o < images->results; o++) {
        uint64_t *of_image = image + o * GFP_WORDS;
        /* The residues of the form: the polynomial of degree 0 with this value. */
        kernels->interpolate(&point, &v->block, of_image, work);
        gfp_zvalues_at(v, value, x, r + o * len * width, len, width);
        if (memcmp(value, of_image, sizeof value) != 0) {
            return gfp_zcall_wrong(v->call);
        }
    }
    return GFP_OK;
}

static gfp_status images_check_compare(gfp_zvalues *v, const uint64_t *r, const gfp_zimages *images)
{
    const gfp_zbipoly *const *operand = images->operand;
    const gfp_level level = v->call->ring->level;
    const size_t terms =
        gfp_size_add_sat(operand[0]->len, operand[1] != NULL ? operand[1]->len : 0);
    uint64_t *z, *image, *work, x[GFP_WORDS];
    GFP_TRY(gfp_call_array(&v->call->base, &z, gfp_size_mul_sat(terms, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&v->call->base, &image, gfp_size_mul_sat(images->results, GFP_WORDS)));
    GFP_TRY(gfp_call_array(&v->call->base, &work, images->kind->words(images, 1)));
    gfp_zvalues_draw(v, x);
    gfp_zvalues_rows(v, z, x, operand[0]);
    if (operand[1] != NULL) {
        gfp_zvalues_rows(v, z + operand[0]->len * GFP_WORDS, x, operand[1]);
    }
    gfp_points_get(level)->enter(&v->block, z, terms);
    const gfp_zimage_group group = {&v->block, level, z, 1, image, 1};
    images->kind->compute(images, &group, work);
    return compare_values(v, x, r, images, image);
}

gfp_status gfp_zimages_check(gfp_zcall *call, const uint64_t *r, const gfp_zimages *images)
{
    gfp_zvalues v;
    gfp_status status = gfp_zvalues_begin(call, &v, images_check_widest(images),
                                          (double)images->bits + 1, (double)images->degree);
    if (status == GFP_OK) {
        status = images_check_compare(&v, r, images);
    }
    gfp_zvalues_end(&v);
    return status;
}
