/* dft.c: transforms of mapped files: in the result's own pages, or by blocks with a scratch
 * file. POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>

#include "fft/blocks.h"
#include "poly/files/impl.h"
#include "field/base/parallel.h"
#include "poly/impl.h"
#include "field/base/support.h"

/* A transform of a file. */
typedef struct job {
    const gfp_field *field;
    gfp_file *to;
    const gfp_file *from;
    size_t n;
    gfp_direction direction;
    gfp_order order;
    const gfp_options *options;
} job;

static gfp_status dft_check(const job *w)
{
    gfp_error *error = w->options->error;
    if (w->to == NULL || w->from == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a file is NULL");
    }
    GFP_TRY(gfp_fft_check_kind(w->direction, w->order, error));
    if (!gfp_field_same(w->to->field, w->from->field)) {
        return gfp_error_set(error, GFP_ERR_FIELD_MISMATCH, "a file over %s, its transform over %s",
                             gfp_field_name(w->from->field), gfp_field_name(w->to->field));
    }
    if (w->to->fd < 0 || gfp_file_get_info(w->to).length == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "the file for the transform is not being made, or of length 0");
    }
    if (gfp_file_get_info(w->from).length > gfp_file_get_info(w->to).length) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "a file of %zu elements does not fit a transform of %zu points",
                             gfp_file_get_info(w->from).length, gfp_file_get_info(w->to).length);
    }
    return GFP_OK;
}

/* In the result's pages, any length. */
static gfp_status run_in_place(const job *w)
{
    const size_t k = gfp_field_k(w->field), len = gfp_file_get_info(w->from).length;
    gfp_fft_plan *plan = NULL;
    uint64_t *y = gfp_file_digits_mutable(w->to);
    GFP_TRY(gfp_fft_plan_create(&plan, w->field, w->n, w->options->error));
    if (len > 0) {
        gfp_vec_set(w->field, y, gfp_file_get_info(w->from).digits, len);
    }
    gfp_vec_zero(w->field, y + len * k, w->n - len);
    const gfp_status status = gfp_fft_run(y, y, w->direction, w->order, plan, w->options);
    gfp_fft_plan_destroy(plan);
    return status;
}

/* With the scratch file open, unless the order is permuted. */
static gfp_status run_blocks(const job *w, const gfp_fft_blocks *blocks, uint64_t *scratch)
{
    const gfp_fft_arrays arrays = {.in = gfp_file_get_info(w->from).digits,
                                   .len = gfp_file_get_info(w->from).length,
                                   .scratch = scratch,
                                   .out = gfp_file_digits_mutable(w->to)};
    gfp_options options = *w->options;
    gfp_fft_call call;
    const gfp_fft_needs needs =
        gfp_fft_blocks_needs(blocks, w->options->memory_cap, &options.memory_cap);
    GFP_TRY(gfp_fft_call_begin(&call, "dft by blocks", w->field, &needs, &options));
    const bool completed =
        (w->direction == GFP_INVERSE ? gfp_fft_blocks_inverse
                                     : gfp_fft_blocks_forward)(blocks, &arrays, w->order, &call);
    return gfp_fft_call_end(&call, completed);
}

static gfp_status run_with_scratch(const job *w, const gfp_fft_blocks *blocks)
{
    gfp_scratch scratch = {.bytes = 0};
    if (w->order == GFP_ORDER_PERMUTED) {
        return run_blocks(w, blocks, NULL);
    }
    GFP_TRY(gfp_scratch_open(&scratch, w->to->target, gfp_field_allocator(w->field),
                             w->n * gfp_field_k(w->field) * sizeof(uint64_t), 0,
                             w->options->error));
    const gfp_status status = run_blocks(w, blocks, scratch.words);
    const int number = errno;
    gfp_scratch_close(&scratch);
    errno = number;
    return status;
}

static gfp_status dft_run(job *w)
{
    gfp_fft_blocks blocks;
    GFP_TRY(dft_check(w));
    GFP_TRY(gfp_file_disown(w->to, w->options->error));
    w->field = w->to->field;
    w->n = gfp_file_get_info(w->to).length;
    const size_t cap = w->options->memory_cap;
    if (cap == 0 || w->to->head.bytes <= cap) {
        return run_in_place(w);
    }
    GFP_TRY(gfp_fft_blocks_create(&blocks, w->field, w->n, cap,
                                  gfp_parallel_threads(w->field, w->options->threads),
                                  w->options->error));
    const gfp_status status = run_with_scratch(w, &blocks);
    gfp_fft_blocks_clear(&blocks);
    return status;
}

gfp_status gfp_file_fft_run(gfp_file *y, const gfp_file *x, gfp_direction direction,
                            gfp_order order, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    job w = {.to = y, .from = x, .direction = direction, .order = order, .options = options};
    return dft_run(&w);
}
