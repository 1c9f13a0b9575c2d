/* resultant.c: resultants of bivariate polynomials over Z with respect to Y, and subresultants,
 * from images at points (images.h), on a device where that is faster. An image is the determinant
 * of Sylvester's matrix for the degrees over Z[X], also where leading coefficients vanish at a
 * point or modulo a prime: it is the value of the result.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/resultant.h"

#include "product/device/pool.h"
#include "crt/blocks/kernels/euclid.h"
#include "modular/points/device.h"
#include "modular/points/images.h"

/* ---- images ---- */

static gfp_words_image_many many_of(const gfp_zimages *images, const gfp_zimage_group *group)
{
    const size_t of_a = images->operand[0]->len, of_b = images->operand[1]->len;
    return (gfp_words_image_many){{group->block, group->x, group->x + of_a * GFP_WORDS, of_a, of_b},
                                  (of_a + of_b) * GFP_WORDS,
                                  group->points,
                                  images->results - 1,
                                  group->step * GFP_WORDS};
}

static size_t words_of(const gfp_zimages *images, size_t points)
{
    const gfp_words_image_many many = {
        .pair = {.len_a = images->operand[0]->len, .len_b = images->operand[1]->len},
        .count = points,
        .index = images->results - 1};
    return gfp_words_image_many_words(&many);
}

static void resultant_compute(const gfp_zimages *images, const gfp_zimage_group *group,
                              uint64_t *work)
{
    const gfp_words_image_many many = many_of(images, group);
    gfp_words_image_resultants(&many, group->level, group->r, work);
}

static const gfp_zimage_kind resultants = {words_of, resultant_compute};

static gfp_zimages images_of(const gfp_zbipair *pair)
{
    return (gfp_zimages){.kind = &resultants,
                         .operand = {pair->a, pair->b},
                         .results = pair->index + 1,
                         .degree = pair->degree,
                         .bits = pair->bits,
                         .cost = 4 * (double)pair->a->len * (double)pair->b->len,
                         .on_device = pair->on_device};
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

/* ---- the choice of a device ---- */

/* Nanoseconds of an image and of its values per product of both lengths in Y, with IFMA; how many
 * times as long the other levels take. */
#define IMAGE_NS 1.6
static const double times_longer[GFP_LEVEL_MEASURED] = {
    [GFP_LEVEL_PORTABLE] = 13, [GFP_LEVEL_AVX2] = 2, [GFP_LEVEL_AVX512IFMA] = 1};
/* A device takes some milliseconds more than its share; and a pick saves at least this time. */
#define DEVICE_NS 1e7
#define LEAST_NS 2e7

static bool is_served(const gfp_zbipair *pair)
{
    return pair->a->len >= 2 && pair->b->len >= 2;
}

static bool is_picked(gfp_zcall *call, const gfp_zbipair *pair)
{
    const unsigned device = call->base.options->gpu_device;
    const double images = (double)(pair->degree + 1) * (double)gfp_zbiresultant_blocks(pair);
    const double ns = images * IMAGE_NS * (double)pair->a->len * (double)pair->b->len;
    const double threads = call->base.task.threads > 1 ? call->base.task.threads : 1;
    const double here = ns * times_longer[gfp_level_measured(call->ring->level)] / threads;
    const double saved = here - ns * GFP_ZDEVICE_SHARE - DEVICE_NS;
    gfp_error ignored;
    /* Ranks would pick by times of their own. */
    const bool dealt = call->base.dealer != NULL;
    if (!is_served(pair) || dealt || call->base.left != SIZE_MAX || saved < LEAST_NS) {
        return false;
    }
    switch (gfp_device_get_state(device)) {
    case GFP_DEVICE_PRESENT:
        return true;
    case GFP_DEVICE_UNKNOWN:
        return gfp_device_missed(device, saved) && gfp_device_ask(device, &ignored) == GFP_OK;
    default:
        return false;
    }
}

gfp_status gfp_zbiresultant_choose(gfp_zcall *call, gfp_zbipair *pair)
{
    gfp_error reason;
    pair->on_device = call->method == GFP_Z_AUTO && is_picked(call, pair);
    if (call->method == GFP_Z_WORDS_GPU) {
        if (gfp_device_ask(call->base.options->gpu_device, &reason) != GFP_OK) {
            return gfp_zcall_unavailable(call, reason.message);
        }
        pair->on_device = is_served(pair); /* others have no sequence of remainders */
    }
    return GFP_OK;
}
