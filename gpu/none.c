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

gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first, const gfp_gpu_array *x,
                              size_t x_first, size_t words)
{
    (void)z;
    (void)z_first;
    (void)x;
    (void)x_first;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words)
{
    (void)z;
    (void)first;
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

gfp_status gfp_gpu_host_is_pinned(gfp_gpu *gpu, const void *block, size_t bytes, bool *pinned)
{
    (void)gpu;
    (void)block;
    (void)bytes;
    (void)pinned;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_upload_begin(gfp_gpu_array *array, size_t first, const uint64_t *from,
                                size_t words)
{
    (void)array;
    (void)first;
    (void)from;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_download_begin(uint64_t *to, const gfp_gpu_array *array, size_t first,
                                  size_t words)
{
    (void)to;
    (void)array;
    (void)first;
    (void)words;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fence_create(gfp_gpu_fence **fence, gfp_gpu *gpu)
{
    (void)fence;
    (void)gpu;
    return GFP_ERR_UNAVAILABLE;
}

void gfp_gpu_fence_destroy(gfp_gpu_fence *fence)
{
    (void)fence;
}

gfp_status gfp_gpu_fence_set(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    (void)fence;
    (void)queue;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fence_hold(gfp_gpu_fence *fence, gfp_gpu_queue queue)
{
    (void)fence;
    (void)queue;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_fence_wait(gfp_gpu_fence *fence)
{
    (void)fence;
    return GFP_ERR_UNAVAILABLE;
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

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_mul_r(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             unsigned s, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)s;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c, size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)c;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t size, gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)field;
    (void)size;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_limbs_plan_bytes(const gfp_gpu_limbs_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                 const gfp_gpu_array *limbs, size_t n)
{
    (void)plan;
    (void)z;
    (void)limbs;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs, const gfp_gpu_array *x,
                             size_t n)
{
    (void)plan;
    (void)limbs;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                               size_t n)
{
    (void)field;
    (void)z;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result, const gfp_gpu_array *x,
                              size_t n)
{
    (void)field;
    (void)result;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_difference(const gfp_field *field, gfp_gpu_array *result,
                                  const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n)
{
    (void)field;
    (void)result;
    (void)x;
    (void)y;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_canonical(const gfp_field *field, gfp_gpu_array *result,
                                 const gfp_gpu_array *x, size_t n)
{
    (void)field;
    (void)result;
    (void)x;
    (void)n;
    return GFP_ERR_UNAVAILABLE;
}

uint64_t gfp_gpu_fold_limit(const gfp_field *field)
{
    (void)field;
    return 0;
}

size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                          size_t j)
{
    (void)gpu;
    (void)field;
    (void)n;
    (void)count;
    (void)j;
    return 0;
}

gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *const *x,
                            const size_t *n, size_t count, size_t j, uint64_t d)
{
    (void)field;
    (void)y;
    (void)x;
    (void)n;
    (void)count;
    (void)j;
    (void)d;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *x,
                                size_t n, const uint64_t *point)
{
    (void)field;
    (void)y;
    (void)x;
    (void)n;
    (void)point;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_plan_create(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                                   size_t count, size_t n, const gfp_gpu_ntt_options *options,
                                   gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)primes;
    (void)count;
    (void)n;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_ntt_plan_destroy(gfp_gpu_ntt_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_ntt_plan_length(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_batch(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_prime_count(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

uint64_t gfp_gpu_ntt_plan_prime(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

uint64_t gfp_gpu_ntt_plan_root(const gfp_gpu_ntt_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

gfp_ntt_form gfp_gpu_ntt_plan_form(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return GFP_NTT_FORM_AUTO;
}

gfp_gpu_ntt_product gfp_gpu_ntt_plan_product(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return GFP_GPU_NTT_PRODUCT_AUTO;
}

size_t gfp_gpu_ntt_plan_words(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_ntt_plan_bytes(const gfp_gpu_ntt_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_ntt_forward(gfp_gpu_ntt_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                               gfp_order order)
{
    (void)plan;
    (void)y;
    (void)x;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_inverse(gfp_gpu_ntt_plan *plan, gfp_gpu_array *x, const gfp_gpu_array *y,
                               gfp_order order)
{
    (void)plan;
    (void)x;
    (void)y;
    (void)order;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_mul_pointwise(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z,
                                     const gfp_gpu_array *x, const gfp_gpu_array *y)
{
    (void)plan;
    (void)z;
    (void)x;
    (void)y;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_scale(gfp_gpu_ntt_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c)
{
    (void)plan;
    (void)z;
    (void)x;
    (void)c;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_convolve_cyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                       const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_convolve_negacyclic(gfp_gpu_ntt_plan *plan, gfp_gpu_array *c,
                                           const gfp_gpu_array *a, const gfp_gpu_array *b)
{
    (void)plan;
    (void)c;
    (void)a;
    (void)b;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_ntt_plan_times(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times)
{
    (void)plan;
    (void)times;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_plan_create(gfp_gpu_rival_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t n,
                                     const gfp_gpu_rival_options *options, gfp_error *error)
{
    (void)plan;
    (void)gpu;
    (void)field;
    (void)n;
    (void)options;
    return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "built without CUDA");
}

void gfp_gpu_rival_plan_destroy(gfp_gpu_rival_plan *plan)
{
    (void)plan;
}

size_t gfp_gpu_rival_plan_length(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

const gfp_field *gfp_gpu_rival_plan_field(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return NULL;
}

gfp_crt_rival_primes gfp_gpu_rival_plan_kind(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return GFP_CRT_RIVAL_AUTO;
}

size_t gfp_gpu_rival_plan_prime_count(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

uint64_t gfp_gpu_rival_plan_prime(const gfp_gpu_rival_plan *plan, size_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

size_t gfp_gpu_rival_plan_words(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

size_t gfp_gpu_rival_plan_bytes(const gfp_gpu_rival_plan *plan)
{
    (void)plan;
    return 0;
}

gfp_status gfp_gpu_rival_project(gfp_gpu_rival_plan *plan, gfp_gpu_array *residues,
                                 const gfp_gpu_array *x)
{
    (void)plan;
    (void)residues;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_transform(gfp_gpu_rival_plan *plan, gfp_gpu_array *y,
                                   const gfp_gpu_array *x)
{
    (void)plan;
    (void)y;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_recombine(gfp_gpu_rival_plan *plan, gfp_gpu_array *z,
                                   const gfp_gpu_array *residues)
{
    (void)plan;
    (void)z;
    (void)residues;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_forward(gfp_gpu_rival_plan *plan, gfp_gpu_array *z, gfp_gpu_array *y,
                                 const gfp_gpu_array *x)
{
    (void)plan;
    (void)z;
    (void)y;
    (void)x;
    return GFP_ERR_UNAVAILABLE;
}

gfp_status gfp_gpu_rival_plan_times(gfp_gpu_rival_plan *plan, gfp_gpu_times *times)
{
    (void)plan;
    (void)times;
    return GFP_ERR_UNAVAILABLE;
}
