/* vec.c: arithmetic on device arrays of elements, searches, folds, integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"
#include "gpu/call.h"
#include "gpu/fold.h"

size_t gfp_gpu_element_words(const gfp_field *field, size_t n)
{
    size_t words;
    return gfp_size_mul(&words, n, gfp_field_k(field)) ? words : SIZE_MAX;
}

/* ---- arithmetic ---- */

static gfp_status vec_combine(gfp_gpu_vec_operation operation, const gfp_field *field,
                              gfp_gpu_array *z, const gfp_gpu_array *x, const gfp_gpu_array *y,
                              size_t n)
{
    gfp_gpu *gpu = z->gpu;
    const size_t words = gfp_gpu_element_words(field, n);
    GFP_GPU_NEED(gpu, vec, combine);
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, y, words));
    return n == 0 ? GFP_OK
                  : gpu->backend->vec->combine(gpu, operation, field, z->data, x->data, y->data, n);
}

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_combine(GFP_GPU_VEC_ADD, field, z, x, y, n));
}

gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_combine(GFP_GPU_VEC_SUB, field, z, x, y, n));
}

gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_combine(GFP_GPU_VEC_NEG, field, z, x, x, n));
}

gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_combine(GFP_GPU_VEC_MUL, field, z, x, y, n));
}

gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    return gfp_gpu_vec_mul(field, z, x, x, n);
}

gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                               size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_combine(GFP_GPU_VEC_REVERSE, field, z, x, x, n));
}

static gfp_status vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                            const uint64_t *c, size_t n)
{
    gfp_gpu *gpu = z->gpu;
    const size_t words = gfp_gpu_element_words(field, n);
    GFP_GPU_NEED(gpu, vec, scale);
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    return n == 0 ? GFP_OK : gpu->backend->vec->scale(gpu, field, z->data, x->data, c, n);
}

gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c, size_t n)
{
    GFP_GPU_RETURN(z->gpu, false, vec_scale(field, z, x, c, n));
}

gfp_status gfp_gpu_vec_powers(const gfp_field *field, gfp_gpu_array *table, const uint64_t *root,
                              size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t power[GFP_MAX_K];
    gfp_elem_one(field, power);
    GFP_TRY(gfp_gpu_upload(table, 0, power, k, NULL));
    gfp_elem_set(field, power, root);
    for (size_t have = 1; have < n;) { /* power = root^have */
        const size_t more = gfp_size_min(have, n - have);
        gfp_gpu_array next = {table->gpu, table->data + have * k, more * k, true};
        GFP_TRY(gfp_gpu_vec_scale(field, &next, table, power, more));
        gfp_elem_sqr(field, power, power);
        have += more;
    }
    return GFP_OK;
}

/* ---- searches ---- */

static gfp_status vec_search(gfp_gpu_vec_search what, const gfp_field *field, gfp_gpu_array *result,
                             const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n)
{
    gfp_gpu *gpu = result->gpu;
    const size_t words = gfp_gpu_element_words(field, n);
    GFP_GPU_NEED(gpu, vec, search);
    GFP_TRY(gfp_gpu_array_check_apart(gpu, result, 1, x, words));
    GFP_TRY(gfp_gpu_array_check_apart(gpu, result, 1, y, words));
    return gpu->backend->vec->search(gpu, what, field, result->data, x->data, y->data, n);
}

gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result, const gfp_gpu_array *x,
                              size_t n)
{
    GFP_GPU_RETURN(result->gpu, false, vec_search(GFP_GPU_VEC_LENGTH, field, result, x, x, n));
}

gfp_status gfp_gpu_vec_difference(const gfp_field *field, gfp_gpu_array *result,
                                  const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n)
{
    GFP_GPU_RETURN(result->gpu, false, vec_search(GFP_GPU_VEC_DIFFERENCE, field, result, x, y, n));
}

static gfp_status search_canonical(const gfp_field *field, gfp_gpu_array *result,
                                   const gfp_gpu_array *x, size_t n)
{
    GFP_GPU_RETURN(result->gpu, false, vec_search(GFP_GPU_VEC_CANONICAL, field, result, x, x, n));
}

gfp_status gfp_gpu_vec_canonical(const gfp_field *field, gfp_gpu_array *result,
                                 const gfp_gpu_array *x, size_t n, const gfp_options *options)
{
    GFP_GPU_CALL("search", result->gpu, options, search_canonical(field, result, x, n));
}

/* ---- values ---- */

uint64_t gfp_gpu_fold_limit(const gfp_field *field)
{
    return gfp_fold_limit(gfp_field_r(field));
}

size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                          size_t j)
{
    const gfp_gpu_vec_calls *vec = gpu->backend->vec;
    return j == 0 || count == 0 || count > GFP_GPU_FOLD_MAX || vec == NULL || vec->fold == NULL
               ? 0
               : vec->fold_words(gpu, field, n, count, j);
}

static gfp_status vec_fold(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *const *x,
                           const size_t *n, gfp_gpu_fold *f)
{
    gfp_gpu *gpu = y->gpu;
    const unsigned k = gfp_field_k(field);
    GFP_GPU_NEED(gpu, vec, fold);
    if (f->j == 0 || f->count == 0 || f->count > GFP_GPU_FOLD_MAX ||
        f->d >= gfp_gpu_fold_limit(field)) {
        return GFP_GPU_FAIL(
            gpu, GFP_ERR_ARGUMENT,
            "fold of %zu polynomials modulo X^%zu - %llu: 1 to 4 polynomials, j >= 1, d < %llu",
            f->count, f->j, (unsigned long long)f->d,
            (unsigned long long)gfp_gpu_fold_limit(field));
    }
    f->y = y->data;
    f->words = gfp_gpu_fold_words(gpu, field, n, f->count, f->j);
    for (size_t i = 0; i < f->count; i++) {
        GFP_TRY(gfp_gpu_array_check_apart(gpu, y, f->words, x[i], gfp_size_mul_sat(n[i], k)));
        f->x[i] = x[i]->data;
        f->n[i] = n[i];
    }
    return gpu->backend->vec->fold(gpu, field, f);
}

gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *const *x,
                            const size_t *n, size_t count, size_t j, uint64_t d)
{
    gfp_gpu_fold f = {.count = count, .j = j, .d = d};
    GFP_GPU_RETURN(y->gpu, false, vec_fold(field, y, x, n, &f));
}

static gfp_status vec_evaluate(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *x,
                               size_t n, const uint64_t *point)
{
    gfp_gpu *gpu = y->gpu;
    const unsigned k = gfp_field_k(field);
    size_t room = 1;
    GFP_GPU_NEED(gpu, vec, evaluate);
    while (room < n && room < n - room) {
        room *= 2;
    }
    GFP_TRY(gfp_gpu_array_check_apart(gpu, y, room * k, x, gfp_size_mul_sat(n, k)));
    if (n == 0) {
        return gpu->backend->memory->clear(gpu, y->data, k * sizeof *y->data);
    }
    return n == 1 ? gpu->backend->memory->copy(gpu, y->data, x->data, k * sizeof *y->data)
                  : gpu->backend->vec->evaluate(gpu, field, y->data, x->data, n, point);
}

gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *x,
                                size_t n, const uint64_t *point)
{
    GFP_GPU_RETURN(y->gpu, false, vec_evaluate(field, y, x, n, point));
}
