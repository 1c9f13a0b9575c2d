/* zbiresultant.c: resultants of bivariate polynomials over Z with respect to Y, from images at
 * points (zimages.h). An image is the determinant of Sylvester's matrix for the degrees over Z[X],
 * also where leading coefficients vanish at a point or modulo a prime: it is the value of the
 * result.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zbiresultant.h"

#include "image.h"
#include "zimages.h"

static gfp_words_image_many many_of(const gfp_zimages *images, const gfp_zimage_group *group)
{
    const size_t of_a = images->of[0]->len, of_b = images->of[1]->len;
    return (gfp_words_image_many){{group->block, group->x, group->x + of_a * GFP_WORDS, of_a, of_b},
                                  (of_a + of_b) * GFP_WORDS,
                                  group->points};
}

static size_t words_of(const gfp_zimages *images, size_t points)
{
    const gfp_words_image_many many = {
        .pair = {.len_a = images->of[0]->len, .len_b = images->of[1]->len}, .count = points};
    return gfp_words_image_many_words(&many);
}

static void compute(const gfp_zimages *images, const gfp_zimage_group *group, uint64_t *work)
{
    const gfp_words_image_many many = many_of(images, group);
    gfp_words_image_resultants(&many, group->level, group->r, work);
}

static const gfp_zimage_kind resultants = {words_of, compute};

static gfp_zimages images_of(const gfp_zbipair *pair)
{
    return (gfp_zimages){.kind = &resultants,
                         .of = {pair->a, pair->b},
                         .results = 1,
                         .degree = pair->degree,
                         .bits = pair->bits,
                         .cost = 4 * (double)pair->a->len * (double)pair->b->len};
}

size_t gfp_zbiresultant_blocks(const gfp_zbipair *pair)
{
    const gfp_zimages images = images_of(pair);
    return gfp_zimages_blocks(&images);
}

gfp_status gfp_zbiresultant_words(gfp_zcall *call, uint64_t *r, const gfp_zbipair *pair,
                                  size_t first, double to)
{
    const gfp_zimages images = images_of(pair);
    return gfp_zimages_compute(call, r, &images, first, to);
}

gfp_status gfp_zbiresultant_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_zimages images = images_of(pair);
    return gfp_zimages_check(call, r, &images);
}
