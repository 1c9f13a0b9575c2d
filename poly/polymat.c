/* polymat.c: products of matrices of polynomials on transforms that stay: each entry is transformed
 * once, products are added up in transformed form, and each entry of the result is transformed
 * back once. Matrices with too many entries, or too little memory, are multiplied in tiles.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "polymat.h"

#include "operand_impl.h"
#include "support.h"
#include "verify.h"

gfp_series gfp_entry(const gfp_field *field, const gfp_entries *a, size_t i)
{
    return a->poly != NULL ? (gfp_series){a->poly[i].digits, a->poly[i].len}
                           : (gfp_series){a->digits + i * a->len * gfp_field_k(field), a->len};
}

static gfp_series left_entry(const gfp_operation_call *op, const gfp_polymat_product *w, size_t i,
                             size_t t)
{
    return gfp_entry(op->field, &w->a, i * w->inner + t);
}

static gfp_series right_entry(const gfp_operation_call *op, const gfp_polymat_product *w, size_t t,
                              size_t j)
{
    return gfp_entry(op->field, &w->b, t * w->columns + j);
}

double gfp_polymat_units(const gfp_polymat_product *w)
{
    const double m = (double)w->rows, l = (double)w->inner, n = (double)w->columns;
    return (double)w->len * (GFP_OPERAND_TRANSFORM_SHARE * (m + n) * l +
                             m * n * (GFP_OPERAND_RESTORE_SHARE + l * GFP_OPERAND_MULTIPLY_SHARE));
}

/* ---- by products of polynomials ---- */

/* z, w->len coefficients, := entry (i, j) of the product, by this method (NULL: as options say). */
static gfp_status add_products(gfp_operation_call *op, const gfp_method *method, uint64_t *z,
                               const gfp_polymat_product *w, size_t entry)
{
    const gfp_field *field = op->field;
    const size_t i = entry / w->columns, j = entry % w->columns;
    uint64_t *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &t, w->len));
    gfp_vec_zero(field, z, w->len);
    for (size_t l = 0; l < w->inner; l++) {
        const gfp_series x = left_entry(op, w, i, l), y = right_entry(op, w, l, j);
        if (x.len > 0 && y.len > 0) {
            const size_t n = x.len + y.len - 1;
            const gfp_range range = gfp_range_make(field, x.digits, y.digits, x.len, y.len, 0, n);
            GFP_TRY(gfp_operation_product(op, method, t, &range));
            gfp_vec_add(field, z, z, t, n);
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status by_polynomials(gfp_operation_call *op, uint64_t *z, const gfp_polymat_product *w)
{
    for (size_t e = 0; e < w->rows * w->columns; e++) {
        GFP_TRY(add_products(op, NULL, z + e * w->len * gfp_field_k(op->field), w, e));
    }
    return GFP_OK;
}

/* ---- by transforms ---- */

/* A part of the product: rows, places of the sums and columns from here on. */
typedef struct tile {
    size_t row, at, column;
    size_t rows, inner, columns;
    gfp_operand *x[GFP_OPERATION_OPERANDS], *y[GFP_OPERATION_OPERANDS];
} tile;

/* The size of tiles whose operands number at most `most`, 2 at least. */
static void choose_size(tile *t, const gfp_polymat_product *w, size_t most)
{
    t->rows = gfp_size_min(w->rows, most / 2);
    t->inner = gfp_size_min(w->inner, most / 2);
    t->columns = gfp_size_min(w->columns, most / 2);
    while ((t->rows + t->columns) * t->inner > most) {
        size_t *longest = t->rows > t->columns ? &t->rows : &t->columns;
        longest = t->inner > *longest ? &t->inner : longest;
        *longest = (*longest + 1) / 2;
    }
}

/* The operands that half of the cap has room for, and the frame. */
static size_t most_operands(const gfp_operation_call *op, const gfp_space *s)
{
    const size_t bytes = gfp_size_mul_sat(gfp_operand_place_words(s), sizeof(uint64_t));
    const size_t most = op->left == SIZE_MAX || bytes == 0 ? SIZE_MAX : op->left / 2 / bytes;
    return most < 2 ? 2 : gfp_size_min(most, GFP_OPERATION_OPERANDS);
}

/* The transforms of the tile's entries of a and b. */
static gfp_status transform(gfp_operation_call *op, tile *t, gfp_space *s,
                            const gfp_polymat_product *w)
{
    gfp_operation_factor factor[GFP_OPERATION_OPERANDS];
    size_t count = 0;
    for (size_t i = 0; i < t->rows * t->inner; i++) {
        const gfp_series a = left_entry(op, w, t->row + i / t->inner, t->at + i % t->inner);
        GFP_TRY(gfp_operation_operand(op, &t->x[i], s));
        factor[count++] = (gfp_operation_factor){t->x[i], a.digits, a.len};
    }
    for (size_t i = 0; i < t->columns * t->inner; i++) {
        const gfp_series b = right_entry(op, w, t->at + i % t->inner, t->column + i / t->inner);
        GFP_TRY(gfp_operation_operand(op, &t->y[i], s));
        factor[count++] = (gfp_operation_factor){t->y[i], b.digits, b.len};
    }
    return gfp_operation_transforms(op, s, factor, count);
}

#define SUMS 64

/* Sums of the tile from number `first` on, of a few products each. */
static gfp_status few_products(gfp_operation_call *op, uint64_t *z, const tile *t, gfp_space *s,
                               size_t len)
{
    const size_t k = gfp_field_k(op->field), all = t->rows * t->columns;
    gfp_operation_sum sum[SUMS];
    for (size_t first = 0; first < all; first += SUMS) {
        const size_t count = gfp_size_min(SUMS, all - first);
        for (size_t e = 0; e < count; e++) {
            const size_t i = (first + e) / t->columns, j = (first + e) % t->columns;
            sum[e] =
                (gfp_operation_sum){.c = z + (first + e) * len * k, .end = len, .count = t->inner};
            for (size_t l = 0; l < t->inner; l++) {
                sum[e].x[l] = t->x[i * t->inner + l];
                sum[e].y[l] = t->y[j * t->inner + l];
            }
        }
        GFP_TRY(gfp_operation_sums(op, s, sum, count));
    }
    return GFP_OK;
}

static bool is_zero(const gfp_operand *x)
{
    return x->len == 0;
}

/* Sums of any numbers of products. */
static gfp_status many_products(gfp_operation_call *op, uint64_t *z, const tile *t, size_t len)
{
    const size_t k = gfp_field_k(op->field);
    for (size_t e = 0; e < t->rows * t->columns; e++) {
        const gfp_operand *x[GFP_OPERATION_OPERANDS], *y[GFP_OPERATION_OPERANDS];
        size_t count = 0;
        for (size_t l = 0; l < t->inner; l++) {
            x[count] = t->x[e / t->columns * t->inner + l];
            y[count] = t->y[e % t->columns * t->inner + l];
            count += !is_zero(x[count]) && !is_zero(y[count]);
        }
        gfp_vec_zero(op->field, z + e * len * k, len);
        if (count > 0) {
            GFP_TRY(gfp_operation_dot(op, z + e * len * k, 0, len, x, y, count));
        }
    }
    return GFP_OK;
}

/* Adds the tile's products, or writes those of the first places. */
static gfp_status multiply_tile(gfp_operation_call *op, uint64_t *z, tile *t, gfp_space *s,
                                const gfp_polymat_product *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), row = t->columns * w->len;
    uint64_t *sums;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &sums, t->rows * row));
    GFP_TRY(transform(op, t, s, w));
    GFP_TRY(t->inner <= GFP_OPERATION_SUM_PRODUCTS ? few_products(op, sums, t, s, w->len)
                                                   : many_products(op, sums, t, w->len));
    for (size_t i = 0; i < t->rows; i++) {
        uint64_t *to = z + ((t->row + i) * w->columns + t->column) * w->len * k;
        if (t->at == 0) {
            gfp_vec_copy(field, to, sums + i * row * k, row);
        } else {
            gfp_vec_add(field, to, to, sums + i * row * k, row);
        }
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status by_transforms(gfp_operation_call *op, uint64_t *z, const gfp_polymat_product *w)
{
    tile size, t;
    gfp_space *s;
    GFP_TRY(gfp_operation_space_of(op, &s, w->len, w->inner, GFP_WRAP_CYCLIC));
    choose_size(&size, w, most_operands(op, s));
    for (t.row = 0; t.row < w->rows; t.row += t.rows) {
        t.rows = gfp_size_min(size.rows, w->rows - t.row);
        for (t.column = 0; t.column < w->columns; t.column += t.columns) {
            t.columns = gfp_size_min(size.columns, w->columns - t.column);
            for (t.at = 0; t.at < w->inner; t.at += t.inner) {
                t.inner = gfp_size_min(size.inner, w->inner - t.at);
                GFP_TRY(multiply_tile(op, z, &t, s, w));
            }
        }
    }
    return GFP_OK;
}

gfp_status gfp_polymat_multiply(gfp_operation_call *op, uint64_t *z, const gfp_polymat_product *w)
{
    const size_t shorter = gfp_size_min(w->a.len, w->b.len);
    if (w->inner == 0) {
        gfp_vec_zero(op->field, z, w->rows * w->columns * w->len);
        return GFP_OK;
    }
    return op->classical || shorter <= op->threshold[GFP_THRESHOLD_SERIES_DEFINITION]
               ? by_polynomials(op, z, w)
               : by_transforms(op, z, w);
}

/* ---- check ---- */

static gfp_status value(gfp_operation_call *op, uint64_t *y, gfp_series x, uint64_t d)
{
    if (x.len == 0) {
        gfp_elem_zero(op->field, y);
        return GFP_OK;
    }
    return gfp_verify_evaluate(op->field, y, x.digits, x.len, d, &op->task) ? GFP_OK
                                                                            : GFP_ERR_CANCELLED;
}

/* C(d) = A(d) B(d), b being room for the values of B, columns after columns. */
static gfp_status check_at(gfp_operation_call *op, const uint64_t *z, const gfp_polymat_product *w,
                           uint64_t *a, uint64_t *b, uint64_t d)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t left[GFP_MAX_K], right[GFP_MAX_K];
    for (size_t i = 0; i < w->inner * w->columns; i++) {
        GFP_TRY(value(op, b + i * k, right_entry(op, w, i % w->inner, i / w->inner), d));
    }
    for (size_t i = 0; i < w->rows; i++) {
        for (size_t t = 0; t < w->inner; t++) {
            GFP_TRY(value(op, a + t * k, left_entry(op, w, i, t), d));
        }
        for (size_t j = 0; j < w->columns; j++) {
            const gfp_series c = {z + (i * w->columns + j) * w->len * k, w->len};
            gfp_vec_dot(field, left, a, b + j * w->inner * k, w->inner);
            GFP_TRY(value(op, right, c, d));
            if (!gfp_elem_equal(field, left, right)) {
                return gfp_operation_wrong(op, GFP_NO_INDEX);
            }
        }
    }
    return GFP_OK;
}

/* Each entry again by a second method. */
static gfp_status check_again(gfp_operation_call *op, const uint64_t *z,
                              const gfp_polymat_product *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    const gfp_range range = {.field = field, .len_a = w->a.len, .len_b = w->b.len, .end = w->len};
    const gfp_method *second;
    uint64_t *t;
    GFP_TRY(gfp_operation_second_method(op, &second, &range));
    GFP_TRY(gfp_operation_array(op, &t, w->len));
    for (size_t e = 0; e < w->rows * w->columns; e++) {
        const uint64_t *c = z + e * w->len * k;
        GFP_TRY(add_products(op, second, t, w, e));
        for (size_t i = 0; i < w->len; i++) {
            if (!gfp_elem_equal(field, c + i * k, t + i * k)) {
                return gfp_operation_wrong(op, e * w->len + i);
            }
        }
    }
    return GFP_OK;
}

static gfp_status check(gfp_operation_call *op, const uint64_t *z, const gfp_polymat_product *w)
{
    const size_t n = w->rows * w->columns * w->len, wrong = gfp_vec_canonical(op->field, z, n);
    const double items = (double)n + (double)w->inner * ((double)w->rows * (double)w->a.len +
                                                         (double)w->columns * (double)w->b.len);
    uint64_t d[GFP_VERIFY_MAX_POINTS], *a, *b;
    unsigned points;
    if (wrong < n) {
        return gfp_operation_wrong(op, wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, w->len, &points, d, items, gfp_field_k(op->field)));
    if (points == 0) {
        return check_again(op, z, w);
    }
    GFP_TRY(gfp_operation_array(op, &a, w->inner));
    GFP_TRY(gfp_operation_array(op, &b, w->inner * w->columns));
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(op, z, w, a, b, d[i]));
    }
    return GFP_OK;
}

gfp_status gfp_polymat_check(gfp_operation_call *op, const uint64_t *z,
                             const gfp_polymat_product *w)
{
    if (op->options->verify == GFP_VERIFY_NONE || w->inner == 0) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    const gfp_status status = check(op, z, w);
    gfp_operation_release(op, mark);
    op->report.verify_ns += gfp_clock_ns() - start;
    return status;
}
