/* device.c: images of bivariate resultants on a device (gpu/images.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/device.h"

static gfp_gpu_images_shape shape_of(const gfp_points_pair *pair, size_t blocks)
{
    const gfp_points_columns *const columns_of[] = {&pair->a, &pair->b};
    gfp_gpu_images_shape shape = {
        .parts = pair->points->parts, .points = pair->points->n, .blocks = blocks};
    for (size_t i = 0; i < 2; i++) {
        shape.columns_of[i] = (gfp_gpu_images_columns){columns_of[i]->rows, columns_of[i]->len_x,
                                                       columns_of[i]->len_y};
    }
    for (unsigned i = 0; i < pair->points->parts; i++) {
        shape.part[i] =
            (gfp_gpu_images_part){pair->points->part[i].log2_m, pair->points->part[i].log2_order,
                                  pair->points->part[i].from};
    }
    return shape;
}

/* The reason of a failure, from the context. */
static gfp_status device_failed(const gfp_zdevice *d, gfp_zcall *call, gfp_status status)
{
    if (status == GFP_OK) {
        return GFP_OK;
    }
    return gfp_error_set(&call->base.error, status, "%s: method %s: %s", call->base.name,
                         gfp_zmethod_names[GFP_Z_WORDS_GPU], gfp_gpu_last_error(d->gpu)->message);
}

gfp_status gfp_zdevice_open(gfp_zdevice *d, gfp_zcall *call, const gfp_points_pair *pair,
                            size_t *blocks)
{
    const gfp_options options = {.gpu_device = call->base.options->gpu_device,
                                 .gpu_memory_cap = call->base.options->gpu_memory_cap,
                                 .error = &call->base.error};
    const gfp_gpu_images_shape shape = shape_of(pair, *blocks);
    *d = (gfp_zdevice){NULL, NULL};
    GFP_TRY(gfp_gpu_create(&d->gpu, &call->ring->allocator, &options));
    const gfp_status status =
        device_failed(d, call, gfp_gpu_images_create(&d->images, d->gpu, &shape));
    if (status == GFP_OK) {
        *blocks = gfp_gpu_images_blocks(d->images);
    } else {
        gfp_zdevice_close(d);
    }
    return status;
}

gfp_status gfp_zdevice_begin(gfp_zdevice *d, gfp_zcall *call, const gfp_gpu_images_run *run)
{
    return device_failed(d, call, gfp_gpu_images_begin(d->images, run));
}

gfp_status gfp_zdevice_end(gfp_zdevice *d, gfp_zcall *call, uint64_t *values)
{
    return device_failed(d, call, gfp_gpu_images_end(d->images, values));
}

void gfp_zdevice_close(gfp_zdevice *d)
{
    gfp_gpu_images_destroy(d->images);
    gfp_gpu_destroy(d->gpu);
    *d = (gfp_zdevice){NULL, NULL};
}

bool gfp_zdevice_failed(gfp_zcall *call, gfp_status status)
{
    if (status == GFP_OK || call->method == GFP_Z_WORDS_GPU) {
        return false;
    }
    call->base.report.gpu_method = gfp_zmethod_names[GFP_Z_WORDS_GPU];
    call->base.report.gpu_error = call->base.error;
    call->base.error = (gfp_error){.message = ""};
    return true;
}
