/* arrays.c: the part of the backend `host' (device.h) on arrays of elements: linear
 * operations, sums, searches, gcds; from and to integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/gcd.h"
#include "field/elem.h"

/* ---- arrays of elements ---- */

static uint64_t *copy_of(const gfp_field *field, const uint64_t *c)
{
    uint64_t *made = malloc(GFP_MAX_K * sizeof *made);
    if (made == NULL) {
        abort();
    }
    gfp_elem_set(field, made, c);
    return made;
}

static void arrays_reverse(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    const size_t k = gfp_field_k(field);
    uint64_t low[GFP_MAX_K], high[GFP_MAX_K];
    for (size_t i = 0; i < (n + 1) / 2; i++) {
        gfp_elem_set(field, low, x + i * k);
        gfp_elem_set(field, high, x + (n - 1 - i) * k);
        gfp_elem_set(field, z + i * k, high);
        gfp_elem_set(field, z + (n - 1 - i) * k, low);
    }
}

static void run_combine(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    switch ((gfp_gpu_vec_operation)o->kind) {
    case GFP_GPU_VEC_ADD:
        gfp_vec_add(o->field, o->to, o->from, o->other, o->n);
        break;
    case GFP_GPU_VEC_SUB:
        gfp_vec_sub(o->field, o->to, o->from, o->other, o->n);
        break;
    case GFP_GPU_VEC_NEG:
        gfp_vec_neg(o->field, o->to, o->from, o->n);
        break;
    case GFP_GPU_VEC_MUL:
        gfp_vec_mul(o->field, o->to, o->from, o->other, o->n);
        break;
    case GFP_GPU_VEC_REVERSE:
        arrays_reverse(o->field, o->to, o->from, o->n);
        break;
    }
}

static gfp_status arrays_combine(gfp_gpu *gpu, gfp_gpu_vec_operation kind, const gfp_field *field,
                                 uint64_t *z, const uint64_t *x, const uint64_t *y, size_t n)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_combine,
                                .kind = (int)kind,
                                .field = field,
                                .to = z,
                                .from = x,
                                .other = y,
                                .n = n});
}

static void run_scale(gfp_gpu *gpu, const operation *o)
{
    (void)gpu;
    gfp_vec_scalar_mul(o->field, o->to, o->from, o->copied, o->n);
}

static gfp_status arrays_scale(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                               const uint64_t *c, size_t n)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_scale,
                                .field = field,
                                .to = z,
                                .from = x,
                                .n = n,
                                .copied = copy_of(field, c)});
}

static void run_search(gfp_gpu *gpu, const operation *o)
{
    const size_t k = gfp_field_k(o->field);
    size_t i = 0;
    (void)gpu;
    switch ((gfp_gpu_vec_search)o->kind) {
    case GFP_GPU_VEC_LENGTH:
        for (i = o->n; i > 0 && gfp_elem_is_zero(o->field, o->from + (i - 1) * k);) {
            i--;
        }
        break;
    case GFP_GPU_VEC_DIFFERENCE:
        while (i < o->n && gfp_elem_equal(o->field, o->from + i * k, o->other + i * k)) {
            i++;
        }
        break;
    case GFP_GPU_VEC_CANONICAL:
        i = gfp_vec_canonical(o->field, o->from, o->n);
        break;
    }
    *o->to = i;
}

static gfp_status arrays_search(gfp_gpu *gpu, gfp_gpu_vec_search kind, const gfp_field *field,
                                uint64_t *result, const uint64_t *x, const uint64_t *y, size_t n)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_search,
                                .kind = (int)kind,
                                .field = field,
                                .to = result,
                                .from = x,
                                .other = y,
                                .n = n});
}

static size_t fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n, size_t count,
                         size_t j)
{
    (void)gpu;
    (void)n;
    return count * j * gfp_field_k(field) + 1;
}

static void run_fold(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_fold *f = &o->fold;
    const size_t k = gfp_field_k(o->field), j = f->j;
    uint64_t point[GFP_MAX_K], *large = f->y + f->count * j * k;
    (void)gpu;
    gfp_elem_set_u64(o->field, point, f->d);
    *large = 0;
    for (size_t c = 0; c < f->count; c++) {
        for (size_t i = 0; i < f->n[c] * k; i++) {
            *large |= f->x[c][i] >= gfp_field_r(o->field);
        }
        gfp_vec_zero(o->field, f->y + c * j * k, j);
        for (size_t i = f->n[c]; i-- > 0;) {
            uint64_t *to = f->y + (c * j + i % j) * k;
            gfp_elem_mul(o->field, to, to, point);
            /* Other elements leave an answer that marks itself as unusable. */
            if (gfp_elem_is_canonical(o->field, f->x[c] + i * k)) {
                gfp_elem_add(o->field, to, to, f->x[c] + i * k);
            }
        }
    }
}

static gfp_status arrays_fold(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_fold *f)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_fold, .field = field, .fold = *f});
}

static void run_evaluate(gfp_gpu *gpu, const operation *o)
{
    const size_t k = gfp_field_k(o->field);
    uint64_t sum[GFP_MAX_K];
    (void)gpu;
    gfp_elem_zero(o->field, sum);
    for (size_t i = o->n; i-- > 0;) {
        gfp_elem_mul(o->field, sum, sum, o->copied);
        gfp_elem_add(o->field, sum, sum, o->from + i * k);
    }
    gfp_elem_set(o->field, o->to, sum);
}

static gfp_status arrays_evaluate(gfp_gpu *gpu, const gfp_field *field, uint64_t *y,
                                  const uint64_t *x, size_t n, const uint64_t *point)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_evaluate,
                                .field = field,
                                .to = y,
                                .from = x,
                                .n = n,
                                .copied = copy_of(field, point)});
}

static void run_sum(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_row_sum *s = &o->sum;
    const size_t k = gfp_field_k(o->field);
    uint64_t sum[GFP_MAX_K];
    (void)gpu;
    for (size_t i = 0; i < s->rows * s->n; i++) {
        const size_t row = i / s->n, column = i % s->n;
        gfp_elem_zero(o->field, sum);
        for (unsigned t = 0; t < s->count; t++) {
            const uint64_t *x = s->x[t] + (row * s->x_stride[t] + column) * k;
            if ((s->negated >> t & 1) != 0) {
                gfp_elem_sub(o->field, sum, sum, x);
            } else {
                gfp_elem_add(o->field, sum, sum, x);
            }
        }
        gfp_elem_set(o->field, s->z + (row * s->z_stride + column) * k, sum);
    }
}

static gfp_status sum_rows(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_row_sum *sum)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_sum, .field = field, .sum = *sum});
}

static void run_index(gfp_gpu *gpu, const operation *o)
{
    const size_t k = gfp_field_k(o->field);
    uint64_t index[GFP_MAX_K];
    (void)gpu;
    for (size_t i = 0; i < o->n; i++) {
        gfp_elem_set_u64(o->field, index, o->at + i);
        gfp_elem_mul(o->field, o->to + i * k, o->from + i * k, index);
    }
}

static gfp_status mul_index(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                            uint64_t first, size_t n)
{
    return fake_put(
        gpu, GFP_GPU_QUEUE_MAIN,
        (operation){.run = run_index, .field = field, .to = z, .from = x, .at = first, .n = n});
}

static void arrays_must(gfp_status status)
{
    if (status != GFP_OK) {
        fprintf(stderr, "the simulated device: %s\n", gfp_status_string(status));
        abort();
    }
}

/* x := the n coefficients at `from`. */
static void take_polynomial(gfp_poly *x, const uint64_t *from, size_t n)
{
    arrays_must(gfp_poly_fit_length(x, n));
    gfp_vec_set(x->field, x->digits, from, n);
    while (n > 0 && gfp_elem_is_zero(x->field, x->digits + (n - 1) * gfp_field_k(x->field))) {
        n--;
    }
    x->len = n;
}

/* A row's results are twice the gcd, and the resultant's double over 2; `g` is the gcd. */
static void write_pair(const gfp_field *field, const gfp_gpu_euclid *e, size_t row,
                       const gfp_poly *g, const uint64_t *resultant)
{
    const size_t k = gfp_field_k(field);
    uint64_t *to = e->work + row * 2 * e->room * k, *lead = e->leads + row * k;
    uint64_t *two = e->denominators + row * k;
    gfp_elem_set_u64(field, two, 2);
    gfp_elem_mul(field, e->numerators + row * k, resultant, two);
    gfp_vec_zero(field, to, e->room);
    gfp_vec_scalar_mul(field, to, g->digits, two, g->len);
    if (g->len > 0) {
        gfp_elem_set(field, lead, two);
    } else {
        gfp_elem_one(field, lead);
    }
    e->words[row] = g->len;
}

static void check_pair(const gfp_field *field, const gfp_gpu_euclid *e, size_t row,
                       const gfp_poly *g, const uint64_t *resultant)
{
    const size_t k = gfp_field_k(field);
    const uint64_t *claim = e->claim + row * e->stride_claim * k;
    bool right = true;
    for (size_t i = 0; i < (e->resultants ? k : e->room * k); i++) {
        const uint64_t digit = e->resultants ? resultant[i] : i < g->len * k ? g->digits[i] : 0;
        right = right && claim[i] == digit;
    }
    e->words[row] = !right;
}

static void run_euclid(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_euclid *e = &o->pairs;
    const size_t k = gfp_field_k(o->field);
    const gfp_options options = {.method = "classical", .threads = 1};
    gfp_poly a, b, g;
    uint64_t resultant[GFP_MAX_K];
    (void)gpu;
    gfp_poly_init(&a, o->field);
    gfp_poly_init(&b, o->field);
    gfp_poly_init(&g, o->field);
    for (size_t row = 0; row < e->rows; row++) {
        take_polynomial(&a, e->a + row * e->stride_a * k, e->len_a);
        take_polynomial(&b, e->b + row * e->stride_b * k, e->len_b);
        arrays_must(gfp_poly_gcd(&g, &a, &b, &options));
        arrays_must(gfp_poly_resultant(resultant, &a, &b, &options));
        (e->claim != NULL ? check_pair : write_pair)(o->field, e, row, &g, resultant);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&g);
}

static gfp_status arrays_euclid(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_euclid *pairs)
{
    return fake_put(gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_euclid, .field = field, .pairs = *pairs});
}

static void run_matrix(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_matrix *m = &o->matrix;
    const size_t k = gfp_field_k(o->field);
    uint64_t product[GFP_MAX_K];
    (void)gpu;
    for (size_t i = 0; i < m->rows; i++) {
        for (size_t j = 0; j < m->columns; j++) {
            uint64_t *to = m->c + (i * m->stride_c + j) * k;
            gfp_elem_zero(o->field, to);
            for (size_t l = 0; l < m->inner; l++) {
                gfp_elem_mul(o->field, product, m->a + (i * m->stride_a + l) * k,
                             m->b + (l * m->stride_b + j) * k);
                gfp_elem_add(o->field, to, to, product);
            }
        }
    }
}

/* Takes memory for the time of the call, as a device does. */
static gfp_status arrays_matrix(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_matrix *m)
{
    const size_t bytes = 8 * (m->rows + m->inner) * m->columns;
    void *room = NULL;
    GFP_TRY(gfp_gpu_device_allocate(gpu, &room, bytes));
    const gfp_status status = fake_put(
        gpu, GFP_GPU_QUEUE_MAIN, (operation){.run = run_matrix, .field = field, .matrix = *m});
    gfp_gpu_device_release(gpu, room, bytes);
    return status;
}

const gfp_gpu_vec_calls fake_vec = {
    .combine = arrays_combine,
    .scale = arrays_scale,
    .search = arrays_search,
    .fold_words = fold_words,
    .fold = arrays_fold,
    .evaluate = arrays_evaluate,
    .sum_rows = sum_rows,
    .mul_index = mul_index,
    .euclid = arrays_euclid,
    .mul_matrix = arrays_matrix,
};
