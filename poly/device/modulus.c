/* modulus.c: a fixed modulus on a device, and products modulo it. A product w of 2 n terms is
 * reduced by Barrett's method: the quotient is the high half of the high half of w times the
 * inverse, and the remainder w - q f is computed modulo X^N - 1 alone, N >= n.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/modulus.h"

/* The least degree of f for products modulo X^wrap - 1. */
#define SHORT_MODULUS 64

/* ---- creation ---- */

/* The inverse of f reversed, in reverse order. */
static gfp_status make_inverse(gfp_gpu_modulus *M, gfp_gpu_array *to, gfp_error *error)
{
    gfp_gpu_ring *ring = M->ring;
    const size_t n = M->n;
    gfp_gpu_array *reversed = NULL, *inverse = NULL;
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n + 1, &reversed));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, n, &inverse));
    GFP_TRY(gfp_gpu_vec_reverse(ring->field, reversed, M->f->array, n + 1));
    const gfp_gpu_rows g = {inverse, 0, n}, f = {reversed, 0, n + 1};
    GFP_TRY(gfp_gpu_rows_invert(ring, &g, n, &f, n + 1, 1, error));
    return gfp_gpu_vec_reverse(ring->field, to, inverse, n);
}

/* The products by the inverse and by f, and the plans that they share with products modulo f. */
static gfp_status make_plans(gfp_gpu_modulus *M)
{
    const size_t n = M->n;
    M->inverse.products = (gfp_gpu_products){
        .rows = 1, .exact = true, .count = 2, .extent = {{n, n, n - 1, n}, {n, n, 0, 2 * n}}};
    M->divisor.products = (gfp_gpu_products){
        .rows = 1, .exact = true, .wrap = n, .count = 1, .extent = {{n, n, 0, n}}};
    GFP_TRY(gfp_gpu_ring_make_plan(M->ring, &M->inverse.products, &M->whole));
    M->low.plan = M->whole.plan;
    if (n < SHORT_MODULUS) {
        return GFP_OK;
    }
    gfp_gpu_ring_plan low = {.plan = NULL};
    const gfp_status status = gfp_gpu_ring_make_plan(M->ring, &M->divisor.products, &low);
    if (status == GFP_OK) {
        M->low = low;
        M->wrap = gfp_gpu_product_plan_length(low.plan);
    }
    return status == GFP_ERR_MEMORY || status == GFP_ERR_UNAVAILABLE ? GFP_OK : status;
}

/* f modulo X^wrap - 1, or modulo X^n. Returns its length. */
static gfp_status make_divisor(const gfp_gpu_modulus *M, gfp_gpu_array *to, size_t *len)
{
    const size_t n = M->n, k = M->ring->k;
    const gfp_gpu_rows z = {to, 0, n}, top = {M->f->array, n, n}, terms[] = {z, top};
    *len = M->wrap > n ? n + 1 : n;
    GFP_TRY(gfp_gpu_set(to, M->f->array, *len * k, NULL));
    return M->wrap == n ? gfp_gpu_vec_sum_rows(M->ring->field, &z, terms, 2, 0, 1, 1) : GFP_OK;
}

static gfp_status make_factors(gfp_gpu_modulus *M, gfp_error *error)
{
    const size_t n = M->n, k = M->ring->k;
    M->inverse.kept = &M->whole;
    M->inverse.rows.stride = n;
    M->divisor.kept = &M->low;
    M->divisor.rows.stride = n + 1;
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->inverse.rows.array, n * k));
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->divisor.rows.array, (n + 1) * k));
    GFP_TRY(make_inverse(M, M->inverse.rows.array, error));
    GFP_TRY(make_divisor(M, M->divisor.rows.array, &M->divisor.products.extent[0].len_b));
    GFP_TRY(gfp_gpu_factor_transform(&M->inverse));
    return gfp_gpu_factor_transform(&M->divisor);
}

/* M->f := f, without leading zeros; *len := its length. */
static gfp_status copy_modulus(gfp_gpu_modulus *M, const gfp_gpu_poly *f, size_t *len)
{
    GFP_TRY(gfp_gpu_poly_find_length(f, len));
    GFP_TRY(gfp_gpu_poly_make(&M->f, M->ring));
    if (*len > 0) {
        GFP_TRY(gfp_gpu_poly_make_room(M->f, *len));
        GFP_TRY(gfp_gpu_set(M->f->array, f->array, *len * M->ring->k, NULL));
    }
    M->f->len = *len;
    M->f->exact = true;
    return GFP_OK;
}

static gfp_status modulus_fill(gfp_gpu_modulus *M, const gfp_gpu_poly *f, gfp_error *error)
{
    const size_t k = M->ring->k;
    size_t len = 0, all = 0;
    GFP_TRY(copy_modulus(M, f, &len));
    if (len == 0) {
        return gfp_error_set(error, GFP_ERR_NOT_INVERTIBLE, "the modulus is 0");
    }
    if (len == 1) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the modulus has degree 0");
    }
    M->n = len - 1;
    if (!gfp_size_mul(&all, M->n, 8 * k * sizeof(uint64_t))) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(make_plans(M));
    GFP_TRY(make_factors(M, error));
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->product, (2 * M->n + 1) * k));
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->quotient, M->n * k));
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->result, M->n * k));
    return gfp_gpu_clear(M->product, k, NULL);
}

static gfp_status compute_modulus(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_modulus **made = w->own;
    (void)z;
    *made = gfp_allocate(&op->ring->allocator, 1, sizeof **made);
    if (*made == NULL) {
        return GFP_ERR_MEMORY;
    }
    **made = (gfp_gpu_modulus){.ring = op->ring};
    return modulus_fill(*made, w->input[0], &op->base.error);
}

/* The kept inverse, put in order again, by f reversed is 1 modulo X^n. */
static gfp_status check_modulus(gfp_gpu_operation *op, const gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_modulus *const *made = w->own, *M = *made;
    gfp_gpu_ring *ring = op->ring;
    const size_t n = M->n;
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *reversed = NULL, *inverse = NULL, *unit = NULL;
    (void)z;
    GFP_TRY(gfp_gpu_check_elements(ring, M->inverse.rows.array, n));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_FIRST, n + 1, &reversed));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_INVERSE, n, &inverse));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, 1, &unit));
    GFP_TRY(gfp_gpu_vec_reverse(ring->field, reversed, M->f->array, n + 1));
    GFP_TRY(gfp_gpu_vec_reverse(ring->field, inverse, M->inverse.rows.array, n));
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(unit, 0, one, ring->k, NULL));
    const gfp_gpu_rows expected = {unit, 0, 1};
    const gfp_gpu_pairs pairs = {{reversed, 0, n + 1}, {inverse, 0, n}, n + 1, n, 1};
    return gfp_gpu_check_rows(op, &expected, 1, &pairs, 0, n);
}

gfp_status gfp_gpu_modulus_create(gfp_gpu_modulus **M, const gfp_gpu_poly *f,
                                  const gfp_options *options)
{
    gfp_gpu_modulus *made = NULL;
    const gfp_status status = gfp_gpu_call_run(&(gfp_gpu_call){.name = "modulus",
                                                               .input = {f},
                                                               .inputs = 1,
                                                               .own = &made,
                                                               .compute = compute_modulus,
                                                               .check = check_modulus},
                                               options);
    if (status != GFP_OK) {
        gfp_gpu_modulus_destroy(made);
        return status;
    }
    *M = made;
    return GFP_OK;
}

/* The arrays that M may have. */
#define ARRAYS 9
static void modulus_list(const gfp_gpu_modulus *M, gfp_gpu_array *array[ARRAYS])
{
    gfp_gpu_array *const all[ARRAYS] = {
        M->inverse.rows.array, M->divisor.rows.array, M->product, M->quotient, M->result,
        M->reduced[0],         M->reduced[1],         M->table,   M->log};
    for (size_t i = 0; i < ARRAYS; i++) {
        array[i] = all[i];
    }
}

void gfp_gpu_modulus_destroy(gfp_gpu_modulus *M)
{
    gfp_gpu_array *array[ARRAYS];
    if (M == NULL) {
        return;
    }
    gfp_gpu_operand_destroy(M->whole.operand);
    gfp_gpu_operand_destroy(M->low.operand);
    if (M->low.plan != M->whole.plan) {
        gfp_gpu_product_plan_destroy(M->low.plan);
    }
    gfp_gpu_product_plan_destroy(M->whole.plan);
    modulus_list(M, array);
    for (size_t i = 0; i < ARRAYS; i++) {
        gfp_gpu_array_destroy(array[i]);
    }
    gfp_gpu_poly_destroy(M->f);
    gfp_release(&M->ring->allocator, M, 1, sizeof *M);
}

/* ---- products ---- */

/* M->result := the remainder of the 2 n terms of M->product from element `from` on. */
static gfp_status modulus_reduce(const gfp_gpu_modulus *M, size_t from)
{
    const size_t n = M->n;
    const size_t twice = M->wrap == 0 ? 0 : gfp_size_min(n, 2 * n - gfp_size_min(M->wrap, 2 * n));
    const gfp_gpu_rows w = {M->product, from, 2 * n}, high = {M->product, from + n, n},
                       q = {M->quotient, 0, n}, r = {M->result, 0, n};
    const gfp_gpu_rows both[] = {w, r, {M->product, from + M->wrap, n}};
    const gfp_gpu_rows behind = {M->result, twice, n},
                       one[] = {{M->product, from + twice, n}, behind};
    GFP_TRY(gfp_gpu_factor_mul(&M->inverse, 0, &q, &high));
    GFP_TRY(gfp_gpu_factor_mul(&M->divisor, 0, &r, &q));
    if (twice > 0) {
        GFP_TRY(gfp_gpu_vec_sum_rows(M->ring->field, &r, both, 3, 2, 1, twice));
    }
    return twice == n ? GFP_OK
                      : gfp_gpu_vec_sum_rows(M->ring->field, &behind, one, 2, 2, 1, n - twice);
}

gfp_status gfp_gpu_modulus_multiply(const gfp_gpu_modulus *M, const gfp_gpu_term *a,
                                    const gfp_gpu_term *b, unsigned shift)
{
    const gfp_gpu_rows w = {M->product, 1, 2 * M->n};
    if (b != NULL && b->kept != NULL) {
        GFP_TRY(gfp_gpu_factor_mul(b->kept, 1, &w, &a->rows));
    } else if (b != NULL) {
        GFP_TRY(gfp_gpu_product_rows(M->whole.plan, &w, &a->rows, a->len, &b->rows, b->len, 0,
                                     2 * M->n));
    }
    return modulus_reduce(M, 1 - shift);
}
