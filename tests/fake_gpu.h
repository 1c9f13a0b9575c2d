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
#define gfp_gpu_limbs_plan_create fake_gpu_limbs_plan_create
#define gfp_gpu_limbs_plan_destroy fake_gpu_limbs_plan_destroy
#define gfp_gpu_limbs_plan_size fake_gpu_limbs_plan_size
#define gfp_gpu_set_limbs_mod fake_gpu_set_limbs_mod
#define gfp_gpu_get_limbs fake_gpu_get_limbs
#define gfp_gpu_fold_limit fake_gpu_fold_limit
#define gfp_gpu_fold_words fake_gpu_fold_words
#define gfp_gpu_vec_fold fake_gpu_vec_fold
#define gfp_gpu_vec_evaluate fake_gpu_vec_evaluate
#define gfp_gpu_product_plan_create fake_gpu_product_plan_create
#define gfp_gpu_product_plan_destroy fake_gpu_product_plan_destroy
#define gfp_gpu_product_plan_bytes fake_gpu_product_plan_bytes
#define gfp_gpu_product_range fake_gpu_product_range

/* fake_transforms.c */
#define gfp_gpu_timer_create fake_gpu_timer_create
#define gfp_gpu_timer_destroy fake_gpu_timer_destroy
#define gfp_gpu_timer_start fake_gpu_timer_start
#define gfp_gpu_timer_stop fake_gpu_timer_stop
#define gfp_gpu_timer_read fake_gpu_timer_read
#define gfp_gpu_capture_begin fake_gpu_capture_begin
#define gfp_gpu_capture_end fake_gpu_capture_end
#define gfp_gpu_graph_launch fake_gpu_graph_launch
#define gfp_gpu_graph_destroy fake_gpu_graph_destroy
#define gfp_gpu_host_allocate fake_gpu_host_allocate
#define gfp_gpu_host_release fake_gpu_host_release
#define gfp_gpu_fft_plan_create fake_gpu_fft_plan_create
#define gfp_gpu_fft_plan_destroy fake_gpu_fft_plan_destroy
#define gfp_gpu_fft_plan_form fake_gpu_fft_plan_form
#define gfp_gpu_fft_forward fake_gpu_fft_forward
#define gfp_gpu_fft_inverse fake_gpu_fft_inverse
#define gfp_gpu_fft_plan_times fake_gpu_fft_plan_times
#define gfp_gpu_ntt_plan_create fake_gpu_ntt_plan_create
#define gfp_gpu_ntt_plan_destroy fake_gpu_ntt_plan_destroy
#define gfp_gpu_ntt_plan_length fake_gpu_ntt_plan_length
#define gfp_gpu_ntt_plan_batch fake_gpu_ntt_plan_batch
#define gfp_gpu_ntt_plan_prime_count fake_gpu_ntt_plan_prime_count
#define gfp_gpu_ntt_plan_prime fake_gpu_ntt_plan_prime
#define gfp_gpu_ntt_plan_form fake_gpu_ntt_plan_form
#define gfp_gpu_ntt_plan_product fake_gpu_ntt_plan_product
#define gfp_gpu_ntt_plan_words fake_gpu_ntt_plan_words
#define gfp_gpu_ntt_forward fake_gpu_ntt_forward
#define gfp_gpu_ntt_inverse fake_gpu_ntt_inverse
#define gfp_gpu_ntt_scale fake_gpu_ntt_scale
#define gfp_gpu_ntt_convolve_cyclic fake_gpu_ntt_convolve_cyclic
#define gfp_gpu_ntt_plan_times fake_gpu_ntt_plan_times
#define gfp_gpu_rival_plan_create fake_gpu_rival_plan_create
#define gfp_gpu_rival_plan_destroy fake_gpu_rival_plan_destroy
#define gfp_gpu_rival_plan_prime_count fake_gpu_rival_plan_prime_count
#define gfp_gpu_rival_plan_words fake_gpu_rival_plan_words
#define gfp_gpu_rival_forward fake_gpu_rival_forward
#define gfp_gpu_rival_plan_times fake_gpu_rival_plan_times

#include <stddef.h>

/* Calls that can fail, and the number of the one that does, from 0; SIZE_MAX: none. It is MEMORY
 * where something is made, else DEVICE. */
extern size_t fake_gpu_calls, fake_gpu_fail_at;
/* Bytes of device memory that there are. */
extern size_t fake_gpu_memory;
/* Plans that exist, and were ever made. */
extern size_t fake_gpu_plans, fake_gpu_plans_made;

#endif
