/* none.c: what is built in the place of the backend without CUDA: nothing exists, and creating
 * anything says so.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu.h"
#include "support.h"

bool gfp_gpu_built_in(void)
{
    return false;
}

gfp_status gfp_gpu_count(unsigned *count, gfp_error *error)
{
    (void)count;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options, gfp_error *error)
{
    (void)gpu;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_destroy(gfp_gpu *gpu)
{
    (void)gpu;
}

gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    (void)gpu;
    (void)info;
    return GFP_ERR_UNAVAILABLE;
}

size_t gfp_gpu_memory_used(const gfp_gpu *gpu)
{
    (void)gpu;
    return 0;
}

size_t gfp_gpu_memory_peak(const gfp_gpu *gpu)
{
    (void)gpu;
    return 0;
}

gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error)
{
    (void)gpu;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu)
{
    (void)gpu;
    return NULL;
}

gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    (void)array;
    (void)gpu;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array, size_t first,
                              size_t words)
{
    (void)part;
    (void)array;
    (void)first;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_array_destroy(gfp_gpu_array *array)
{
    (void)array;
}

size_t gfp_gpu_array_words(const gfp_gpu_array *array)
{
    (void)array;
    return 0;
}

gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array)
{
    (void)array;
    return NULL;
}

gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words)
{
    (void)array;
    (void)first;
    (void)from;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words)
{
    (void)to;
    (void)array;
    (void)first;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    (void)z;
    (void)x;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_clear(gfp_gpu_array *z, size_t words)
{
    (void)z;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_host_allocate(gfp_gpu *gpu, void **block, size_t bytes)
{
    (void)gpu;
    (void)block;
    (void)bytes;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_host_release(gfp_gpu *gpu, void *block)
{
    (void)gpu;
    (void)block;
}

gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu)
{
    (void)gpu;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    (void)gpu;
    (void)graph;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph)
{
    (void)graph;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_graph_destroy(gfp_gpu_graph *graph)
{
    (void)graph;
}

gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    (void)timer;
    (void)gpu;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_timer_destroy(gfp_gpu_timer *timer)
{
    (void)timer;
}

gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer)
{
    (void)timer;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer)
{
    (void)timer;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms)
{
    (void)timer;
    (void)ms;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                   size_t n, const gfp_gpu_fft_options *options, gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)field;
    (void)n;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_fft_plan_length(const gfp_gpu_fft_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_fft_plan_batch(const gfp_gpu_fft_plan *plan)
{
    (void)plan;
    return 0;
}

const gfp_field *gfp_gpu_fft_plan_field(const gfp_gpu_fft_plan *plan)
{
    (void)plan;
    return NULL;
}

gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan)
{
    (void)plan;
    return GFP_GPU_FFT_AUTO;
}

size_t gfp_gpu_fft_plan_bytes(const gfp_gpu_fft_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_fft_forward(gfp_gpu_fft_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    (void)plan;
    (void)y;
    (void)x;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fft_inverse(gfp_gpu_fft_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    (void)plan;
    (void)x;
    (void)y;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fft_convolve_cyclic(gfp_gpu_fft_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fft_convolve_negacyclic(gfp_gpu_fft_plan *plan, gfp_gpu_array *c,
                                           const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fft_plan_times(gfp_gpu_fft_plan *plan, gfp_gpu_times *times)
{
    (void)plan;
    (void)times;
    return GFP_ERR_UNAVAILABLE;
}
