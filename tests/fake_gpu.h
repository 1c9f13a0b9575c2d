/* fake_gpu.h: stands for a device where what is built above gpu/ is tested without one: the same
 * calls over the CPU's memory and arithmetic, under other names (this header goes before every
 * other). Every call can fail. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#define FAKE_GPU 1

#define gfp_gpu_count fake_gpu_count
#define gfp_gpu_create fake_gpu_create
#define gfp_gpu_destroy fake_gpu_destroy
#define gfp_gpu_get_info fake_gpu_get_info
#define gfp_gpu_memory_used fake_gpu_memory_used
#define gfp_gpu_wait fake_gpu_wait
#define gfp_gpu_last_error fake_gpu_last_error
#define gfp_gpu_array_create fake_gpu_array_create
#define gfp_gpu_array_part fake_gpu_array_part
#define gfp_gpu_array_destroy fake_gpu_array_destroy
#define gfp_gpu_array_words fake_gpu_array_words
#define gfp_gpu_array_context fake_gpu_array_context
#define gfp_gpu_upload fake_gpu_upload
#define gfp_gpu_download fake_gpu_download
#define gfp_gpu_copy fake_gpu_copy
#define gfp_gpu_copy_range fake_gpu_copy_range
#define gfp_gpu_clear_range fake_gpu_clear_range
#define gfp_gpu_vec_add fake_gpu_vec_add
#define gfp_gpu_vec_sub fake_gpu_vec_sub
#define gfp_gpu_vec_neg fake_gpu_vec_neg
#define gfp_gpu_vec_scale fake_gpu_vec_scale
#define gfp_gpu_vec_reverse fake_gpu_vec_reverse
#define gfp_gpu_vec_length fake_gpu_vec_length
#define gfp_gpu_vec_difference fake_gpu_vec_difference
#define gfp_gpu_vec_canonical fake_gpu_vec_canonical
#define gfp_gpu_fold_limit fake_gpu_fold_limit
#define gfp_gpu_fold_words fake_gpu_fold_words
#define gfp_gpu_vec_fold fake_gpu_vec_fold
#define gfp_gpu_vec_evaluate fake_gpu_vec_evaluate
#define gfp_gpu_product_plan_create fake_gpu_product_plan_create
#define gfp_gpu_product_plan_destroy fake_gpu_product_plan_destroy
#define gfp_gpu_product_plan_bytes fake_gpu_product_plan_bytes
#define gfp_gpu_product_range fake_gpu_product_range

#include <stddef.h>

/* Calls that can fail, and the number of the one that does, from 0; SIZE_MAX: none. It is MEMORY
 * where something is made, else DEVICE. */
extern size_t fake_gpu_calls, fake_gpu_fail_at;
/* Bytes of device memory that there are. */
extern size_t fake_gpu_memory;
/* Plans that exist, and were ever made. */
extern size_t fake_gpu_plans, fake_gpu_plans_made;

#endif
