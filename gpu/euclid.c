/* euclid.c: Euclid's algorithm for many pairs of rows on a device: the checks of its arguments.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"

size_t gfp_gpu_euclid_elements(const gfp_gpu_pairs *pairs)
{
    const size_t room = pairs->len_a > pairs->len_b ? pairs->len_a : pairs->len_b;
    return gfp_size_mul_sat(pairs->rows, gfp_size_add_sat(gfp_size_mul_sat(room, 2), 3));
}

/* Checks rows of n elements, which must lie apart from the work space and the words; *data := the
 * first row, NULL for n = 0. */
static gfp_status euclid_input(const gfp_field *field, const gfp_gpu_array *work,
                               const gfp_gpu_array *out, const gfp_gpu_rows *x, size_t rows,
                               size_t n, const uint64_t **data)
{
    gfp_gpu *gpu = work->gpu;
    const size_t words = gfp_gpu_row_words(field, rows, x->stride, n);
    gfp_gpu_array at;
    if (n == 0) {
        *data = NULL;
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_rows_at(gpu, field, x, &at));
    GFP_TRY(gfp_gpu_array_check_apart(gpu, work, work->words, &at, words));
    GFP_TRY(gfp_gpu_array_check_apart(gpu, out, rows, &at, words));
    *data = at.data;
    return GFP_OK;
}

static gfp_status gpu_euclid(const gfp_field *field, gfp_gpu_array *work, gfp_gpu_array *words,
                             const gfp_gpu_pairs *pairs, const gfp_gpu_claim *claim)
{
    gfp_gpu *gpu = work->gpu;
    const size_t room = pairs->len_a > pairs->len_b ? pairs->len_a : pairs->len_b;
    const size_t elements = gfp_gpu_euclid_elements(pairs), k = gfp_field_k(field);
    gfp_gpu_euclid e = {.stride_a = pairs->a.stride,
                        .stride_b = pairs->b.stride,
                        .len_a = pairs->len_a,
                        .len_b = pairs->len_b,
                        .rows = pairs->rows,
                        .room = room};
    GFP_GPU_NEED(gpu, vec, euclid);
    GFP_TRY(gfp_gpu_array_check(gpu, work, gfp_gpu_element_words(field, elements)));
    GFP_TRY(gfp_gpu_array_check_apart(gpu, words, pairs->rows, work, work->words));
    GFP_TRY(euclid_input(field, work, words, &pairs->a, pairs->rows, pairs->len_a, &e.a));
    GFP_TRY(euclid_input(field, work, words, &pairs->b, pairs->rows, pairs->len_b, &e.b));
    if (claim != NULL) {
        GFP_TRY(euclid_input(field, work, words, &claim->rows, pairs->rows,
                             claim->resultants ? 1 : room, &e.claim));
        e.stride_claim = claim->rows.stride;
        e.resultants = claim->resultants;
        e.point = claim->point;
    }
    if (pairs->rows == 0 || room == 0) {
        return GFP_OK;
    }
    if (pairs->rows > INT32_MAX) { /* blocks of a launch */
        return GFP_ERR_SIZE;
    }
    e.work = work->data;
    e.leads = e.work + pairs->rows * 2 * room * k;
    e.numerators = e.leads + pairs->rows * k;
    e.denominators = e.numerators + pairs->rows * k;
    e.words = words->data;
    return gpu->backend->vec->euclid(gpu, field, &e);
}

gfp_status gfp_gpu_vec_euclid(const gfp_field *field, gfp_gpu_array *work, gfp_gpu_array *words,
                              const gfp_gpu_pairs *pairs, const gfp_gpu_claim *claim)
{
    GFP_GPU_RETURN(work->gpu, false, gpu_euclid(field, work, words, pairs, claim));
}
