/* fake_gpu.c: see fake_gpu.h. What is asked of a call is checked as strictly as on a device; a plan
 * of products serves nothing that it was not made for. SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fake_gpu_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/gpu_product.h"
#include "gfpoly/poly.h"

size_t fake_gpu_calls, fake_gpu_fail_at = SIZE_MAX, fake_gpu_memory = SIZE_MAX;
size_t fake_gpu_plans, fake_gpu_plans_made;

struct gfp_gpu_product_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    size_t len_a, len_b, n, bytes;
};

gfp_status fake_gpu_failed(gfp_gpu *gpu, gfp_status status, const char *message)
{
    gpu->error.status = status;
    strncpy(gpu->error.message, message, sizeof gpu->error.message - 1);
    return status;
}

/* Of a call that waits, or that the stand-in does not record. */
gfp_status fake_gpu_begin(gfp_gpu *gpu, gfp_status failure)
{
    if (gpu->capturing) {
        return fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "inside a capture");
    }
    return fake_gpu_calls++ == fake_gpu_fail_at ? fake_gpu_failed(gpu, failure, "as asked")
                                                : GFP_OK;
}

void *fake_gpu_make(size_t bytes)
{
    void *made = calloc(1, bytes);
    if (made == NULL) {
        abort();
    }
    return made;
}

static gfp_status take(gfp_gpu *gpu, size_t bytes)
{
    if (gpu->bytes > fake_gpu_memory || bytes > fake_gpu_memory - gpu->bytes) {
        return fake_gpu_failed(gpu, GFP_ERR_MEMORY, "out of memory");
    }
    gpu->bytes += bytes;
    return GFP_OK;
}

/* ---- contexts and arrays ---- */

gfp_status gfp_gpu_count(unsigned *count, gfp_error *error)
{
    (void)error;
    *count = 1;
    return GFP_OK;
}

gfp_status gfp_gpu_create(gfp_gpu **gpu, const gfp_gpu_options *options, gfp_error *error)
{
    const char *fail_at =
        getenv("FAKE_GPU_FAIL_AT"); /* of programs that are no test by themselves */
    (void)options;
    (void)error;
    if (fail_at != NULL) {
        fake_gpu_fail_at = strtoull(fail_at, NULL, 10);
    }
    *gpu = fake_gpu_make(sizeof **gpu);
    return GFP_OK;
}

void gfp_gpu_destroy(gfp_gpu *gpu)
{
    if (gpu != NULL && gpu->bytes != 0) {
        fputs("something of a context outlives it\n", stderr);
        abort();
    }
    free(gpu);
}

gfp_status gfp_gpu_get_info(gfp_gpu *gpu, gfp_gpu_info *info)
{
    TRY(fake_gpu_begin(gpu, GFP_ERR_DEVICE));
    memset(info, 0, sizeof *info);
    info->memory_total = info->memory_free = (size_t)1 << 30;
    return GFP_OK;
}

size_t gfp_gpu_memory_used(const gfp_gpu *gpu)
{
    return gpu->bytes;
}

gfp_status gfp_gpu_wait(gfp_gpu *gpu, gfp_error *error)
{
    (void)gpu;
    (void)error;
    return GFP_OK;
}

const gfp_error *gfp_gpu_last_error(const gfp_gpu *gpu)
{
    return &gpu->error;
}

gfp_status gfp_gpu_array_create(gfp_gpu_array **array, gfp_gpu *gpu, size_t words)
{
    TRY(fake_gpu_begin(gpu, GFP_ERR_MEMORY));
    if (words > SIZE_MAX / sizeof(uint64_t)) {
        return fake_gpu_failed(gpu, GFP_ERR_SIZE, "too large");
    }
    TRY(take(gpu, words * sizeof(uint64_t)));
    gfp_gpu_array *made = fake_gpu_make(sizeof *made);
    uint64_t *data = fake_gpu_make(words * sizeof *data + 1);
    memset(data, 0xa5, words * sizeof *data); /* nobody may count on zeros */
    *made = (gfp_gpu_array){gpu, data, words, false};
    *array = made;
    return GFP_OK;
}

gfp_status gfp_gpu_array_part(gfp_gpu_array **part, gfp_gpu_array *array, size_t first,
                              size_t words)
{
    TRY(fake_gpu_begin(array->gpu, GFP_ERR_MEMORY));
    if (first % 2 != 0 || first > array->words || words > array->words - first) {
        return fake_gpu_failed(array->gpu, GFP_ERR_ARGUMENT, "no such part");
    }
    gfp_gpu_array *made = fake_gpu_make(sizeof *made);
    *made = (gfp_gpu_array){array->gpu, array->data + first, words, true};
    *part = made;
    return GFP_OK;
}

void gfp_gpu_array_destroy(gfp_gpu_array *array)
{
    if (array != NULL && !array->window) {
        array->gpu->bytes -= array->words * sizeof(uint64_t);
        free(array->data);
    }
    free(array);
}

size_t gfp_gpu_array_words(const gfp_gpu_array *array)
{
    return array->words;
}

gfp_gpu *gfp_gpu_array_context(const gfp_gpu_array *array)
{
    return array->gpu;
}

gfp_status fake_gpu_check(const gfp_gpu_array *out, size_t out_words, const gfp_gpu_array *in,
                          size_t in_words, bool apart)
{
    const bool same = out->data == in->data && !apart;
    if (in->gpu != out->gpu || out->words < out_words || in->words < in_words) {
        return fake_gpu_failed(out->gpu, GFP_ERR_ARGUMENT, "another context, or too short");
    }
    if (!same && out->data < in->data + in_words && in->data < out->data + out_words) {
        return fake_gpu_failed(out->gpu, GFP_ERR_ARGUMENT, "overlap");
    }
    return GFP_OK;
}

/* What a call on words of an array, or of host memory and of it, begins with. */
static gfp_status begin_range(const gfp_gpu_array *array, size_t first, size_t words)
{
    TRY(fake_gpu_begin(array->gpu, GFP_ERR_DEVICE));
    if (first > array->words || words > array->words - first) {
        return fake_gpu_failed(array->gpu, GFP_ERR_ARGUMENT, "too many words");
    }
    return GFP_OK;
}

gfp_status gfp_gpu_upload(gfp_gpu_array *array, size_t first, const uint64_t *from, size_t words)
{
    TRY(begin_range(array, first, words));
    memcpy(array->data + first, from, words * sizeof *from);
    return GFP_OK;
}

gfp_status gfp_gpu_download(uint64_t *to, const gfp_gpu_array *array, size_t first, size_t words)
{
    TRY(begin_range(array, first, words));
    memcpy(to, array->data + first, words * sizeof *to);
    return GFP_OK;
}

gfp_status gfp_gpu_copy_range(gfp_gpu_array *z, size_t z_first, const gfp_gpu_array *x,
                              size_t x_first, size_t words)
{
    TRY(fake_gpu_begin(z->gpu, GFP_ERR_DEVICE));
    if (z_first > z->words || x_first > x->words) {
        return fake_gpu_failed(z->gpu, GFP_ERR_ARGUMENT, "too many words");
    }
    const gfp_gpu_array to = {z->gpu, z->data + z_first, z->words - z_first, true};
    const gfp_gpu_array from = {x->gpu, x->data + x_first, x->words - x_first, true};
    TRY(fake_gpu_check(&to, words, &from, words, true));
    memcpy(to.data, from.data, words * sizeof *to.data);
    return GFP_OK;
}

gfp_status gfp_gpu_copy(gfp_gpu_array *z, const gfp_gpu_array *x, size_t words)
{
    return z->data == x->data ? GFP_OK : gfp_gpu_copy_range(z, 0, x, 0, words);
}

gfp_status gfp_gpu_clear_range(gfp_gpu_array *z, size_t first, size_t words)
{
    TRY(begin_range(z, first, words));
    memset(z->data + first, 0, words * sizeof *z->data);
    return GFP_OK;
}

/* ---- arrays of elements ---- */

/* What z := f(x, y) by elements begins with. */
static gfp_status begin_elements(const gfp_field *field, const gfp_gpu_array *z,
                                 const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n)
{
    const size_t words = n * gfp_field_k(field);
    TRY(fake_gpu_begin(z->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(z, words, x, words, false));
    return fake_gpu_check(z, words, y, words, false);
}

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    TRY(begin_elements(field, z, x, y, n));
    gfp_vec_add(field, z->data, x->data, y->data, n);
    return GFP_OK;
}

gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    TRY(begin_elements(field, z, x, y, n));
    gfp_vec_sub(field, z->data, x->data, y->data, n);
    return GFP_OK;
}

gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    TRY(begin_elements(field, z, x, x, n));
    gfp_vec_neg(field, z->data, x->data, n);
    return GFP_OK;
}

gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c, size_t n)
{
    TRY(begin_elements(field, z, x, x, n));
    gfp_vec_scale(field, z->data, x->data, c, n);
    return GFP_OK;
}

gfp_status gfp_gpu_vec_reverse(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                               size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t low[GFP_MAX_K], high[GFP_MAX_K];
    TRY(begin_elements(field, z, x, x, n));
    for (size_t i = 0; i < (n + 1) / 2; i++) {
        gfp_elem_copy(field, low, x->data + i * k);
        gfp_elem_copy(field, high, x->data + (n - 1 - i) * k);
        gfp_elem_copy(field, z->data + i * k, high);
        gfp_elem_copy(field, z->data + (n - 1 - i) * k, low);
    }
    return GFP_OK;
}

/* ---- integers ---- */

struct gfp_gpu_limbs_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    size_t size;
};

gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t size, gfp_error *error)
{
    (void)error;
    TRY(fake_gpu_begin(gpu, GFP_ERR_MEMORY));
    if (size > 4096) {
        return fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "integers that are too long");
    }
    TRY(take(gpu, 100));
    gfp_gpu_limbs_plan *made = fake_gpu_make(sizeof *made);
    *made = (gfp_gpu_limbs_plan){gpu, field, size != 0 ? size : gfp_field_limbs(field)};
    *plan = made;
    return GFP_OK;
}

void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan)
{
    if (plan != NULL) {
        plan->gpu->bytes -= 100;
        free(plan);
    }
}

size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan)
{
    return plan->size;
}

gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                 const gfp_gpu_array *limbs, size_t n)
{
    TRY(fake_gpu_begin(z->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(z, n * gfp_field_k(plan->field), limbs, n * plan->size, true));
    gfp_vec_set_limbs_mod(plan->field, z->data, limbs->data, plan->size, plan->size, n);
    return GFP_OK;
}

gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs, const gfp_gpu_array *x,
                             size_t n)
{
    TRY(fake_gpu_begin(x->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(limbs, n * plan->size, x, n * gfp_field_k(plan->field), true));
    gfp_vec_get_limbs(plan->field, limbs->data, plan->size, x->data, n);
    return GFP_OK;
}

/* ---- searches ---- */

gfp_status gfp_gpu_vec_length(const gfp_field *field, gfp_gpu_array *result, const gfp_gpu_array *x,
                              size_t n)
{
    const size_t k = gfp_field_k(field);
    TRY(fake_gpu_begin(result->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(result, 1, x, n * k, true));
    while (n > 0 && gfp_elem_is_zero(field, x->data + (n - 1) * k)) {
        n--;
    }
    result->data[0] = n;
    return GFP_OK;
}

gfp_status gfp_gpu_vec_difference(const gfp_field *field, gfp_gpu_array *result,
                                  const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n)
{
    const size_t k = gfp_field_k(field);
    size_t i = 0;
    TRY(fake_gpu_begin(result->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(result, 1, x, n * k, true));
    TRY(fake_gpu_check(result, 1, y, n * k, true));
    while (i < n && gfp_elem_equal(field, x->data + i * k, y->data + i * k)) {
        i++;
    }
    result->data[0] = i;
    return GFP_OK;
}

gfp_status gfp_gpu_vec_canonical(const gfp_field *field, gfp_gpu_array *result,
                                 const gfp_gpu_array *x, size_t n)
{
    TRY(fake_gpu_begin(result->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(result, 1, x, n * gfp_field_k(field), true));
    result->data[0] = gfp_vec_canonical(field, x->data, n);
    return GFP_OK;
}

uint64_t gfp_gpu_fold_limit(const gfp_field *field)
{
    const uint64_t r = gfp_field_r(field), large = (uint64_t)1 << 57;
    return r < 4 ? 1 : r / 4 < large ? r / 4 : large;
}

size_t gfp_gpu_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                          size_t j)
{
    (void)gpu;
    (void)n;
    return count * j * gfp_field_k(field) + 1;
}

gfp_status gfp_gpu_vec_fold(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *const *x,
                            const size_t *n, size_t count, size_t j, uint64_t d)
{
    const size_t k = gfp_field_k(field);
    uint64_t point[GFP_MAX_K];
    TRY(fake_gpu_begin(y->gpu, GFP_ERR_DEVICE));
    gfp_elem_set_u64(field, point, d);
    y->data[count * j * k] = 0;
    for (size_t c = 0; c < count; c++) {
        TRY(fake_gpu_check(y, count * j * k + 1, x[c], n[c] * k, true));
        for (size_t i = 0; i < n[c] * k; i++) {
            y->data[count * j * k] |= x[c]->data[i] >= gfp_field_r(field);
        }
        gfp_vec_zero(field, y->data + c * j * k, j);
        for (size_t i = n[c]; i-- > 0;) {
            uint64_t *to = y->data + (c * j + i % j) * k;
            gfp_elem_mul(field, to, to, point);
            /* Others leave an answer that says so, and that nobody may use. */
            if (gfp_elem_is_canonical(field, x[c]->data + i * k)) {
                gfp_elem_add(field, to, to, x[c]->data + i * k);
            }
        }
    }
    return GFP_OK;
}

gfp_status gfp_gpu_vec_evaluate(const gfp_field *field, gfp_gpu_array *y, const gfp_gpu_array *x,
                                size_t n, const uint64_t *point)
{
    const size_t k = gfp_field_k(field);
    uint64_t sum[GFP_MAX_K];
    TRY(fake_gpu_begin(y->gpu, GFP_ERR_DEVICE));
    TRY(fake_gpu_check(y, k, x, n * k, true));
    gfp_elem_zero(field, sum);
    for (size_t i = n; i-- > 0;) {
        gfp_elem_mul(field, sum, sum, point);
        gfp_elem_add(field, sum, sum, x->data + i * k);
    }
    gfp_elem_copy(field, y->data, sum);
    return GFP_OK;
}

/* ---- products ---- */

/* What coefficients first <= i < end of a product take, factors cut to what matters. */
static size_t least(size_t len_a, size_t len_b, size_t first, size_t end)
{
    const size_t all = len_a + len_b - 1;
    size_t n = all - first > end ? all - first : end;
    n = n > len_a ? n : len_a;
    return n > len_b ? n : len_b;
}

gfp_status gfp_gpu_product_plan_create(gfp_gpu_product_plan **plan, gfp_gpu *gpu,
                                       const gfp_field *field, size_t len_a, size_t len_b,
                                       const gfp_gpu_product_options *options, gfp_error *error)
{
    const size_t all = len_a + len_b - 1;
    const size_t first = options->n != 0 ? options->first : 0;
    const size_t end = options->n != 0 ? first + options->n : all;
    (void)error;
    TRY(fake_gpu_begin(gpu, GFP_ERR_MEMORY));
    if (len_a == 0 || len_b == 0 || first >= all || end > all) {
        return fake_gpu_failed(gpu, GFP_ERR_ARGUMENT, "no such coefficients");
    }
    const size_t n = least(len_a, len_b, first, end);
    const size_t bytes = 3 * n * gfp_field_k(field) * sizeof(uint64_t);
    TRY(take(gpu, bytes));
    gfp_gpu_product_plan *made = fake_gpu_make(sizeof *made);
    *made = (gfp_gpu_product_plan){gpu, field, len_a, len_b, n, bytes};
    fake_gpu_plans++;
    fake_gpu_plans_made++;
    *plan = made;
    return GFP_OK;
}

void gfp_gpu_product_plan_destroy(gfp_gpu_product_plan *plan)
{
    if (plan != NULL) {
        plan->gpu->bytes -= plan->bytes;
        fake_gpu_plans--;
        free(plan);
    }
}

size_t gfp_gpu_product_plan_bytes(const gfp_gpu_product_plan *plan)
{
    return plan->bytes;
}

gfp_status gfp_gpu_product_range(gfp_gpu_product_plan *plan, gfp_gpu_array *c,
                                 const gfp_gpu_array *a, size_t len_a, const gfp_gpu_array *b,
                                 size_t len_b, size_t first, size_t n)
{
    const size_t k = gfp_field_k(plan->field);
    TRY(fake_gpu_begin(plan->gpu, GFP_ERR_DEVICE));
    if (len_a == 0 || len_a > plan->len_a || len_b == 0 || len_b > plan->len_b || n == 0 ||
        first + n > len_a + len_b - 1 || least(len_a, len_b, first, first + n) > plan->n) {
        return fake_gpu_failed(plan->gpu, GFP_ERR_ARGUMENT, "not what the plan was made for");
    }
    TRY(fake_gpu_check(c, n * k, a, len_a * k, true));
    TRY(fake_gpu_check(c, n * k, b, len_b * k, true));
    gfp_vec_zero(plan->field, c->data, n);
    const gfp_batch one = {.count = 1, .len_a = len_a, .len_b = len_b};
    uint64_t *z = fake_gpu_make((len_a + len_b - 1) * k * sizeof *z);
    if (gfp_vec_mul_batch(plan->field, z, a->data, b->data, &one, NULL) != GFP_OK) {
        abort();
    }
    memcpy(c->data, z + first * k, n * k * sizeof *z);
    free(z);
    return GFP_OK;
}
