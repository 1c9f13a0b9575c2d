/* rows.c: rows of elements in arrays on a device: their checks, their sums, and products of
 * matrices.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"

/* ---- checks ---- */

size_t gfp_gpu_row_words(const gfp_field *field, size_t rows, size_t stride, size_t n)
{
    size_t before = 0, elements = 0;
    if (rows == 0 || n == 0) {
        return 0;
    }
    return gfp_size_mul(&before, rows - 1, stride) && gfp_size_add(&elements, before, n)
               ? gfp_gpu_element_words(field, elements)
               : SIZE_MAX;
}

/* Whether rows of one stride alternate: no element of one is an element of the other. */
static bool rows_alternate(gfp_gpu_row_span x, gfp_gpu_row_span y, size_t k)
{
    if (x.stride != y.stride || x.stride == 0) {
        return false;
    }
    const uintptr_t a = (uintptr_t)x.array->data, b = (uintptr_t)y.array->data;
    const size_t step = x.stride * k * sizeof *x.array->data;
    const size_t words_before = (a <= b ? x.n : y.n) * k; /* of the one that begins first */
    const size_t words_behind = (a <= b ? y.n : x.n) * k;
    const size_t apart = (size_t)(a <= b ? b - a : a - b) % step / sizeof *x.array->data;
    return apart >= words_before && words_behind <= x.stride * k - apart;
}

gfp_status gfp_gpu_rows_check_apart(gfp_gpu *gpu, const gfp_field *field, size_t rows,
                                    gfp_gpu_row_span out, gfp_gpu_row_span in)
{
    const size_t out_words = gfp_gpu_row_words(field, rows, out.stride, out.n);
    const size_t in_words = gfp_gpu_row_words(field, rows, in.stride, in.n);
    GFP_TRY(gfp_gpu_array_check(gpu, out.array, out_words));
    GFP_TRY(gfp_gpu_array_check(gpu, in.array, in_words));
    return rows_alternate(out, in, gfp_field_k(field))
               ? GFP_OK
               : gfp_gpu_array_check_apart(gpu, out.array, out_words, in.array, in_words);
}

gfp_status gfp_gpu_rows_at(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_rows *rows,
                           gfp_gpu_array *part)
{
    const size_t words = gfp_gpu_element_words(field, rows->from);
    GFP_TRY(gfp_gpu_array_check(gpu, rows->array, words));
    *part = (gfp_gpu_array){.gpu = gpu,
                            .data = rows->array->data + words,
                            .words = rows->array->words - words,
                            .window = true};
    return GFP_OK;
}

/* ---- sums ---- */

/* Checks an input of a sum, and adds it to *sum. */
static gfp_status add_input(const gfp_field *field, const gfp_gpu_array *z, gfp_gpu_row_sum *sum,
                            const gfp_gpu_rows *x)
{
    gfp_gpu *gpu = z->gpu;
    gfp_gpu_array at;
    GFP_TRY(gfp_gpu_rows_at(gpu, field, x, &at));
    if (at.data == z->data && x->stride == sum->z_stride) {
        GFP_TRY(
            gfp_gpu_array_check(gpu, &at, gfp_gpu_row_words(field, sum->rows, x->stride, sum->n)));
    } else {
        const gfp_gpu_row_span out = {z, sum->z_stride, sum->n}, in = {&at, x->stride, sum->n};
        GFP_TRY(gfp_gpu_rows_check_apart(gpu, field, sum->rows, out, in));
    }
    sum->x[sum->count] = at.data;
    sum->x_stride[sum->count] = x->stride;
    sum->count++;
    return GFP_OK;
}

static gfp_status sum_rows(const gfp_field *field, const gfp_gpu_rows *z, const gfp_gpu_rows *x,
                           size_t count, unsigned negated, size_t rows, size_t n)
{
    gfp_gpu *gpu = z->array->gpu;
    gfp_gpu_array to;
    gfp_gpu_row_sum sum = {.z_stride = z->stride, .negated = negated, .rows = rows, .n = n};
    GFP_GPU_NEED(gpu, vec, sum_rows);
    if (count > GFP_GPU_ROWS_MAX || (rows > 1 && z->stride < n)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "a sum of %zu inputs (at most %d) in rows of %zu elements, %zu apart",
                            count, GFP_GPU_ROWS_MAX, n, z->stride);
    }
    GFP_TRY(gfp_gpu_rows_at(gpu, field, z, &to));
    GFP_TRY(gfp_gpu_array_check(gpu, &to, gfp_gpu_row_words(field, rows, z->stride, n)));
    sum.z = to.data;
    for (size_t t = 0; t < count; t++) {
        GFP_TRY(add_input(field, &to, &sum, &x[t]));
    }
    return rows == 0 || n == 0 ? GFP_OK : gpu->backend->vec->sum_rows(gpu, field, &sum);
}

gfp_status gfp_gpu_vec_sum_rows(const gfp_field *field, const gfp_gpu_rows *z,
                                const gfp_gpu_rows *x, size_t count, unsigned negated, size_t rows,
                                size_t n)
{
    GFP_GPU_RETURN(z->array->gpu, false, sum_rows(field, z, x, count, negated, rows, n));
}

static gfp_status mul_index(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                            uint64_t first, size_t n)
{
    gfp_gpu *gpu = z->gpu;
    const size_t words = gfp_gpu_element_words(field, n);
    GFP_GPU_NEED(gpu, vec, mul_index);
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    return n == 0 ? GFP_OK : gpu->backend->vec->mul_index(gpu, field, z->data, x->data, first, n);
}

gfp_status gfp_gpu_vec_mul_index(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                                 uint64_t first, size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, mul_index(field, z, x, first, n));
}

/* ---- matrices ---- */

/* *at := a window on the matrix. */
static gfp_status matrix_at(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_rows *x,
                            size_t rows, size_t columns, gfp_gpu_array *at)
{
    if (rows > 1 && x->stride < columns) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "rows of %zu elements are %zu apart", columns,
                            x->stride);
    }
    GFP_TRY(gfp_gpu_rows_at(gpu, field, x, at));
    return gfp_gpu_array_check(gpu, at, gfp_gpu_row_words(field, rows, x->stride, columns));
}

static gfp_status mul_matrix(const gfp_field *field, const gfp_gpu_rows *c, const gfp_gpu_rows *a,
                             const gfp_gpu_rows *b, const gfp_gpu_matrix_shape *s)
{
    gfp_gpu *gpu = c->array->gpu;
    gfp_gpu_array to, left, right;
    GFP_GPU_NEED(gpu, vec, mul_matrix);
    GFP_TRY(matrix_at(gpu, field, c, s->rows, s->columns, &to));
    GFP_TRY(matrix_at(gpu, field, a, s->rows, s->inner, &left));
    GFP_TRY(matrix_at(gpu, field, b, s->inner, s->columns, &right));
    const size_t words = gfp_gpu_row_words(field, s->rows, c->stride, s->columns);
    GFP_TRY(gfp_gpu_array_check_apart(gpu, &to, words, &left,
                                      gfp_gpu_row_words(field, s->rows, a->stride, s->inner)));
    GFP_TRY(gfp_gpu_array_check_apart(gpu, &to, words, &right,
                                      gfp_gpu_row_words(field, s->inner, b->stride, s->columns)));
    if (s->rows >> 31 != 0 || s->inner >> 31 != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "%zu rows of %zu elements are too many", s->rows,
                            s->inner);
    }
    if (s->rows == 0 || s->columns == 0) {
        return GFP_OK;
    }
    if (s->inner == 0) {
        return sum_rows(field, c, NULL, 0, 0, s->rows, s->columns);
    }
    const gfp_gpu_matrix m = {.c = to.data,
                              .a = left.data,
                              .b = right.data,
                              .stride_c = c->stride,
                              .stride_a = a->stride,
                              .stride_b = b->stride,
                              .rows = s->rows,
                              .inner = s->inner,
                              .columns = s->columns};
    return gpu->backend->vec->mul_matrix(gpu, field, &m);
}

gfp_status gfp_gpu_vec_mul_matrix(const gfp_field *field, const gfp_gpu_rows *c,
                                  const gfp_gpu_rows *a, const gfp_gpu_rows *b,
                                  const gfp_gpu_matrix_shape *shape)
{
    GFP_GPU_RETURN(c->array->gpu, true, mul_matrix(field, c, a, b, shape));
}
