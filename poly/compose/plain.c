/* plain.c: composition of polynomials. f is cut into blocks; their values at g are a
 * product of matrices, and neighbours are joined with powers of g: two, four, ... blocks at once.
 * Each power is transformed once.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"
#include "poly/compose/series.h"

#include "field/base/support.h"
#include "poly/terms.h"
#include "product/verify/claim.h"

/* The coefficients of a block. Products of matrices cost less than three or four levels. */
#define BLOCK 16

/* The values of blocks or nodes at g: `count` arrays of `stride` elements, one after the other. */
typedef struct level {
    uint64_t *node;
    size_t count, stride, block; /* coefficients of f in a node */
} level;

static size_t stride_of(size_t block, size_t degree)
{
    return gfp_size_add_sat(gfp_size_mul_sat(block - 1, degree), 1);
}

static gfp_range product_of(const gfp_operation_call *op, gfp_series a, gfp_series b)
{
    return (gfp_range){.field = op->field,
                       .a = a.digits,
                       .b = b.digits,
                       .len_a = a.len,
                       .len_b = b.len,
                       .end = a.len + b.len - 1};
}

/* w := the values of the blocks; *power, *len := g^block, where there are several. */
static gfp_status plain_begin(gfp_operation_call *op, level *w, uint64_t **power, size_t *len,
                              gfp_series f, gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), degree = g.len - 1;
    gfp_native_matrix m;
    uint64_t *a, *b, *last;
    w->count = 1; /* blocks of about one length, a power of two of them */
    while (w->count * BLOCK < f.len) {
        w->count *= 2;
    }
    w->block = (f.len - 1) / w->count + 1;
    w->count = (f.len - 1) / w->block + 1;
    w->stride = stride_of(w->block, degree);
    GFP_TRY(gfp_operation_array(op, &w->node, gfp_size_mul_sat(w->count, w->stride)));
    *len = stride_of(w->block + 1, degree);
    GFP_TRY(gfp_operation_array(op, power, *len));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &a, w->count * w->block));
    GFP_TRY(gfp_operation_array(op, &b, gfp_size_mul_sat(w->block, w->stride)));
    gfp_series_copy(field, a, w->count * w->block, f);
    gfp_vec_zero(field, b, w->block * w->stride);
    gfp_elem_one(field, b);
    last = b;
    for (size_t i = 1; i < w->block || (i == w->block && w->count > 1); i++) {
        uint64_t *next = i < w->block ? b + i * w->stride * k : *power;
        const gfp_range range = product_of(op, (gfp_series){last, (i - 1) * degree + 1}, g);
        GFP_TRY(gfp_operation_product(op, NULL, next, &range));
        last = next;
    }
    GFP_TRY(gfp_native_matrix_init(&m, field, w->block, w->stride));
    const gfp_compose_product p = {.m = &m, .a = a, .rows = w->count, .b = {b, w->stride * k, k}};
    GFP_TRY(gfp_compose_multiply(op, w->node, &p));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* The nodes of the next level: left ones plus right ones times the power. */
static gfp_status plain_join(gfp_operation_call *op, level *to, const level *from,
                             const uint64_t *power, size_t len)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), from_words = from->stride * k;
    gfp_space *s;
    gfp_operand *x;
    GFP_TRY(gfp_operation_space_of(op, &s, from->stride + len - 1, 1, GFP_WRAP_LINEAR));
    GFP_TRY(gfp_operation_operand(op, &x, s));
    GFP_TRY(gfp_operation_set(op, x, power, len));
    for (size_t i = 0; i < to->count; i++) {
        uint64_t *node = to->node + i * to->stride * k;
        const uint64_t *left = from->node + 2 * i * from_words;
        if (2 * i + 1 < from->count) {
            GFP_TRY(gfp_operation_multiply_by(op, node, 0, to->stride, left + from_words,
                                              from->stride, x));
        } else {
            gfp_vec_zero(field, node, to->stride);
        }
        gfp_vec_add(field, node, node, left, from->stride);
    }
    return GFP_OK;
}

static gfp_status by_blocks(gfp_operation_call *op, uint64_t *c, gfp_series f, gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t degree = g.len - 1;
    level now;
    uint64_t *power, *square;
    size_t len;
    GFP_TRY(plain_begin(op, &now, &power, &len, f, g));
    while (now.count > 1) {
        level next = {.count = (now.count + 1) / 2,
                      .stride = stride_of(2 * now.block, degree),
                      .block = 2 * now.block};
        const size_t twice = 2 * len - 1;
        GFP_TRY(gfp_operation_array(op, &next.node, gfp_size_mul_sat(next.count, next.stride)));
        GFP_TRY(gfp_operation_array(op, &square, next.count > 1 ? twice : 0));
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        GFP_TRY(plain_join(op, &next, &now, power, len));
        if (next.count > 1) {
            const gfp_range range =
                product_of(op, (gfp_series){power, len}, (gfp_series){power, len});
            GFP_TRY(gfp_operation_product(op, NULL, square, &range));
        }
        gfp_operation_release(op, mark);
        power = square;
        len = twice;
        now = next;
    }
    /* The last node has leading zeros beyond the degree. */
    gfp_vec_set(field, c, now.node, stride_of(f.len, degree));
    return GFP_OK;
}

/* By Horner's rule and products of a row. */
static gfp_status by_horner(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                            gfp_series f, gfp_series g)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), degree = g.len - 1;
    uint64_t *now, *next;
    GFP_TRY(gfp_operation_array(op, &now, stride_of(f.len, degree)));
    GFP_TRY(gfp_operation_array(op, &next, stride_of(f.len, degree)));
    gfp_vec_set(field, now, f.digits + (f.len - 1) * k, 1);
    for (size_t i = f.len - 1; i-- > 0;) {
        uint64_t *last = now;
        const gfp_range range = product_of(op, (gfp_series){now, (f.len - 2 - i) * degree + 1}, g);
        GFP_TRY(gfp_operation_product(op, method, next, &range));
        gfp_elem_add(field, next, next, f.digits + i * k);
        now = next;
        next = last;
    }
    gfp_vec_set(field, c, now, stride_of(f.len, degree));
    return GFP_OK;
}

/* y := f(x), f_0 for x = 0. */
static gfp_status value_at(gfp_operation_call *op, uint64_t *y, gfp_series f, const uint64_t *x)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), count = gfp_elem_is_zero(field, x) ? 1 : f.len;
    gfp_elem_zero(field, y);
    for (size_t i = gfp_size_min(count, f.len); i-- > 0;) {
        gfp_elem_mul(field, y, y, x);
        gfp_elem_add(field, y, y, f.digits + i * k);
        if (!gfp_task_advance(&op->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

gfp_status gfp_compose_plain(gfp_operation_call *op, uint64_t *c, gfp_series f, gfp_series g)
{
    if (g.len == 1) {
        GFP_TRY(
            gfp_operation_step(op, (double)f.len, (double)f.len, gfp_task_product_cost(op->field)));
        return value_at(op, c, f, g.digits);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(op->classical || f.len <= 2 ? by_horner(op, NULL, c, f, g) : by_blocks(op, c, f, g));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_compose_plain_units(const gfp_field *field, size_t len_f, size_t len_g)
{
    const double n = (double)len_f * (double)len_g;
    double levels = 1;
    for (size_t i = BLOCK; i < len_f; i *= 2) {
        levels++;
    }
    return levels * n + gfp_compose_multiply_units(field, len_f / BLOCK + 1, BLOCK, BLOCK * len_g);
}

/* *z := g^d, d >= 1, in a new array. */
static gfp_status power_of(gfp_operation_call *op, gfp_series *z, gfp_series g, size_t d)
{
    size_t bit = 1;
    uint64_t *now, *next;
    while (bit <= d / 2) {
        bit *= 2;
    }
    GFP_TRY(gfp_operation_array(op, &now, stride_of(d + 1, g.len - 1)));
    GFP_TRY(gfp_operation_array(op, &next, stride_of(d + 1, g.len - 1)));
    *z = g;
    for (bit /= 2; bit > 0; bit /= 2) {
        for (size_t i = 0; i < 1 + ((d & bit) > 0 ? 1 : 0); i++) {
            uint64_t *last = now;
            const gfp_range range = product_of(op, *z, i == 0 ? *z : g);
            GFP_TRY(gfp_operation_product(op, NULL, next, &range));
            *z = (gfp_series){next, range.end};
            now = next;
            next = last;
        }
    }
    return GFP_OK;
}

gfp_status gfp_compose_powers(gfp_operation_call *op, uint64_t *c, gfp_series f, gfp_series g,
                              size_t d)
{
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    gfp_series h, power;
    GFP_TRY(gfp_terms_compress(op, &h, f, d));
    GFP_TRY(power_of(op, &power, g, d));
    GFP_TRY(gfp_compose_plain(op, c, h, power));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- check ---- */

static gfp_status check_at(gfp_operation_call *op, const uint64_t *c, gfp_series f, gfp_series g,
                           uint64_t d)
{
    const gfp_field *field = op->field;
    uint64_t x[GFP_MAX_K], y[GFP_MAX_K], z[GFP_MAX_K];
    if (!gfp_verify_evaluate(field, x, g.digits, g.len, d, &op->base.task) ||
        !gfp_verify_evaluate(field, z, c, stride_of(f.len, g.len - 1), d, &op->base.task)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(value_at(op, y, f, x));
    return gfp_elem_equal(field, y, z) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

/* By Horner's rule and a second method. */
static gfp_status check_again(gfp_operation_call *op, const uint64_t *c, size_t n, gfp_series f,
                              gfp_series g)
{
    const gfp_method *second;
    const size_t k = gfp_field_k(op->field);
    uint64_t *again;
    const gfp_range last = product_of(op, (gfp_series){c, n}, g);
    GFP_TRY(gfp_operation_second_method(op, &second, &last));
    GFP_TRY(gfp_operation_array(op, &again, n));
    GFP_TRY(by_horner(op, second, again, f, g));
    for (size_t i = 0; i < n; i++) {
        if (!gfp_elem_equal(op->field, c + i * k, again + i * k)) {
            return gfp_operation_wrong(op, i);
        }
    }
    return GFP_OK;
}

gfp_status gfp_compose_plain_check(gfp_operation_call *op, const uint64_t *c, gfp_series f,
                                   gfp_series g)
{
    const size_t n = stride_of(f.len, g.len - 1), wrong = gfp_vec_canonical(op->field, c, n);
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (wrong < n) {
        return gfp_operation_wrong(op, wrong);
    }
    GFP_TRY(gfp_operation_check_begin(op, n, &points, d, (double)(n + f.len + g.len),
                                      (double)gfp_field_k(op->field)));
    if (points == 0) {
        return check_again(op, c, n, f, g);
    }
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_at(op, c, f, g, d[i]));
    }
    return GFP_OK;
}
