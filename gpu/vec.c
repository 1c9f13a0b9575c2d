/* vec.c: arithmetic on device arrays of elements, searches, folds, integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"
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

gfp_status gfp_gpu_vec_mul_rows(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                                const gfp_gpu_array *y, size_t rows, size_t n)
{
    gfp_gpu *gpu = z->gpu;
    GFP_GPU_NEED(gpu, vec, mul_rows);
    return gpu->backend->vec->mul_rows(gpu, field, z->data, x->data, y->data, rows, n);
}

gfp_status gfp_gpu_vec_powers(const gfp_field *field, gfp_gpu_array *table, const uint64_t *root,
                              size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t power[GFP_MAX_K];
    gfp_elem_one(field, power);
    GFP_TRY(gfp_gpu_upload(table, 0, power, k));
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

gfp_status gfp_gpu_vec_canonical(const gfp_field *field, gfp_gpu_array *result,
                                 const gfp_gpu_array *x, size_t n)
{
    GFP_GPU_RETURN(result->gpu, false, vec_search(GFP_GPU_VEC_CANONICAL, field, result, x, x, n));
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

/* ---- integers ---- */

gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t size, gfp_error *error)
{
    const gfp_gpu_limbs_calls *limbs = gpu->backend->limbs;
    int before = -1;
    if (limbs == NULL) {
        return gfp_gpu_report(gpu, gfp_gpu_lacks(gpu, "limbs"), error);
    }
    gfp_gpu_limbs_plan *made = gfp_gpu_make(gpu, limbs->plan_size, "a plan");
    if (made == NULL) {
        return gfp_gpu_report(gpu, GFP_ERR_MEMORY, error);
    }
    made->gpu = gpu;
    made->field = field;
    made->size = size != 0 ? size : gfp_field_limbs(field);
    gfp_status status = gfp_gpu_enter(gpu, true, &before);
    status = status != GFP_OK ? status : gfp_gpu_leave(gpu, before, limbs->open(made));
    if (status != GFP_OK) {
        gfp_gpu_report(gpu, status, error);
        gfp_gpu_limbs_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    const gfp_gpu_limbs_calls *limbs = gpu->backend->limbs;
    const int before = gfp_gpu_enter_to_destroy(gpu);
    limbs->close(plan);
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
    gfp_release(&gpu->allocator, plan, 1, limbs->plan_size);
}

size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan)
{
    return plan->size;
}

size_t gfp_gpu_limbs_plan_bytes(const gfp_gpu_limbs_plan *plan)
{
    return plan->bytes;
}

/* Checks the arrays of n numbers: `from` words each in x, `to` words each in z. */
static gfp_status check_numbers(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z, size_t to,
                                const gfp_gpu_array *x, size_t from, size_t n)
{
    if (n > SIZE_MAX / to || n > SIZE_MAX / from) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "%zu numbers of %zu words are too many", n,
                            from);
    }
    return n == 0 ? GFP_OK : gfp_gpu_array_check_apart(plan->gpu, z, n * to, x, n * from);
}

static gfp_status set_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *limbs,
                            size_t n)
{
    GFP_TRY(check_numbers(plan, z, gfp_field_k(plan->field), limbs, plan->size, n));
    return n == 0 ? GFP_OK : plan->gpu->backend->limbs->set(plan, z->data, limbs->data, n);
}

gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                 const gfp_gpu_array *limbs, size_t n)
{
    GFP_GPU_RETURN(plan->gpu, false, set_limbs(plan, z, limbs, n));
}

static gfp_status get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs, const gfp_gpu_array *x,
                            size_t n)
{
    if (plan->size < gfp_field_limbs(plan->field)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT,
                            "elements take %u words, integers of the plan have %zu",
                            gfp_field_limbs(plan->field), plan->size);
    }
    GFP_TRY(check_numbers(plan, limbs, plan->size, x, gfp_field_k(plan->field), n));
    return n == 0 ? GFP_OK : plan->gpu->backend->limbs->get(plan, limbs->data, x->data, n);
}

gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs, const gfp_gpu_array *x,
                             size_t n)
{
    GFP_GPU_RETURN(plan->gpu, false, get_limbs(plan, limbs, x, n));
}
