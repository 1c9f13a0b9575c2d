/* tree_steps.c: values of a short polynomial at many points, without a tree, by baby steps and
 * giant steps (Paterson and Stockmeyer): f is cut into blocks of s coefficients, whose values are
 * the product of the matrix of coefficients by that of the powers x^0, ..., x^(s - 1) of all
 * points; Horner's rule in x^s joins them. A point takes s + len / s products in the field, and len
 * terms of a product of matrices (crt/small/native_matrix.h) or of linear combinations.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "crt/small/native_matrix.h"
#include "field/base/kernels.h"
#include "field/base/support.h"
#include "poly/points/tree.h"

/* Points that are treated at once: at most, and where threads share them at least, a multiple of a
 * step. */
#define POINTS 256
#define FEWEST_POINTS 32
#define POINTS_STEP 16
/* The most coefficients of a block, and blocks. */
#define MOST_STEPS 64

typedef struct job {
    const gfp_field *field;
    uint64_t *values;
    const uint64_t *points;
    const uint64_t *a; /* rows of s coefficients, with zeros at the end */
    size_t n, s, rows, columns;
    gfp_native_matrix m;
    bool residues; /* the product of matrices is that of m */
} job;

static size_t steps_of(size_t len)
{
    return gfp_size_min((size_t)ceil(sqrt((double)len)), MOST_STEPS);
}

/* The arrays of a worker: rows of `columns` elements, and the words of the product of matrices. */
typedef struct block {
    uint64_t *power, *sum, *giant, *next, *work;
} block;

static size_t block_elements(const job *j)
{
    const size_t words = j->residues ? gfp_native_matrix_work_words(&j->m, j->rows, 1) + 8 : 0;
    return (j->s + j->rows + 2) * j->columns + words / gfp_field_k(j->field) + 1;
}

static block block_in(const job *j, uint64_t *scratch)
{
    const size_t words = j->columns * gfp_field_k(j->field), line = 8;
    block b = {.power = scratch, .sum = scratch + j->s * words};
    b.giant = b.sum + j->rows * words;
    b.next = b.giant + words;
    b.work = b.next + words;
    b.work += (line - (uintptr_t)b.work / sizeof *b.work % line) % line;
    return b;
}

/* The powers of `count` points, and of 0 beyond. */
static void fill_powers(const job *j, const block *b, const uint64_t *x, size_t count)
{
    const gfp_field *field = j->field;
    const size_t k = gfp_field_k(field), n = j->columns, words = n * k;
    uint64_t *first = j->s > 1 ? b->power + words : b->giant;
    for (size_t i = 0; i < n; i++) {
        gfp_elem_one(field, b->power + i * k);
    }
    gfp_vec_set(field, first, x, count);
    gfp_vec_zero(field, first + count * k, n - count);
    for (size_t i = 2; i <= j->s; i++) {
        uint64_t *power = i < j->s ? b->power + i * words : b->giant;
        gfp_vec_mul(field, power, b->power + (i - 1) * words, first, n);
    }
}

/* The values of the blocks of f. */
static void multiply_rows(const job *j, const block *b)
{
    const size_t k = gfp_field_k(j->field), words = j->columns * k;
    const uint64_t *row[MOST_STEPS];
    if (j->residues) {
        const gfp_native_matrix_call call = {&j->m, b->work, NULL};
        const gfp_native_matrix_input left = {j->a, j->s * k, k}, right = {b->power, words, k};
        const gfp_native_matrix_entries to = {b->sum, words, k};
        (void)gfp_native_matrix_multiply(&call, &to, &left, j->rows, &right, NULL);
        return;
    }
    for (size_t i = 0; i < j->s; i++) {
        row[i] = b->power + i * words;
    }
    for (size_t i = 0; i < j->rows; i++) {
        gfp_field_kernels(j->field)->lincomb(j->field, b->sum + i * words, NULL,
                                             j->a + i * j->s * k, row, j->s, j->columns);
    }
}

/* Items are blocks of points. */
static gfp_status run_blocks(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const job *j = user;
    const gfp_field *field = j->field;
    const size_t k = gfp_field_k(field), n = j->columns, words = n * k;
    const block b = block_in(j, scratch);
    for (; from < to; from++) {
        const size_t i = from * n, count = gfp_size_min(j->n - i, n);
        uint64_t *y = b.sum + (j->rows - 1) * words;
        fill_powers(j, &b, j->points + i * k, count);
        multiply_rows(j, &b);
        for (size_t r = j->rows - 1; r-- > 0;) {
            gfp_vec_mul(field, b.next, y, b.giant, count);
            y = b.sum + r * words;
            gfp_vec_add(field, y, y, b.next, count);
        }
        gfp_vec_set(field, j->values + i * k, y, count);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static double steps_units(const job *j)
{
    const size_t products = j->s + j->rows, terms = j->s * j->rows;
    return GFP_OPERATION_ELEMENT_UNITS * (double)j->n * ((double)products + (double)terms / 8);
}

/* The points that are treated at once: threads have a block each, if it is not too short. */
static size_t columns_of(const gfp_operation_call *op, size_t n, double units)
{
    const size_t threads = op->base.left != SIZE_MAX ? 1 : gfp_operation_threads(op, units);
    const size_t share = (n - 1) / threads + 1;
    const size_t most = share > FEWEST_POINTS ? gfp_size_min(share, POINTS) : FEWEST_POINTS;
    const size_t blocks = (n - 1) / most + 1;
    const size_t columns = ((n - 1) / blocks / POINTS_STEP + 1) * POINTS_STEP;
    return gfp_size_min(columns, n);
}

/* Whether the arrays of one thread keep to half of what a cap leaves. */
static bool fits_cap(const gfp_operation_call *op, const job *j)
{
    const size_t elements = j->s * j->rows + block_elements(j);
    return op->base.left == SIZE_MAX ||
           elements <= op->base.left / 2 / gfp_element_bytes(op->field);
}

gfp_status gfp_steps_values(gfp_operation_call *op, uint64_t *values, gfp_series f,
                            const uint64_t *points, size_t n)
{
    const size_t s = steps_of(f.len), rows = (f.len - 1) / s + 1;
    uint64_t *a;
    job j = {.field = op->field,
             .values = values,
             .points = points,
             .n = n,
             .s = s,
             .rows = rows,
             .residues = rows > op->threshold[GFP_THRESHOLD_MATRIX_ROWS]};
    const double units = steps_units(&j);
    if (rows > MOST_STEPS) {
        return gfp_classical_values(op, values, f, points, n);
    }
    j.columns = columns_of(op, n, units);
    if (j.residues) {
        GFP_TRY(gfp_native_matrix_init(&j.m, op->field, s, j.columns));
    }
    if (!fits_cap(op, &j)) {
        return gfp_classical_values(op, values, f, points, n);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &a, rows * s));
    gfp_series_copy(op->field, a, rows * s, f);
    j.a = a;
    const size_t blocks = (n - 1) / j.columns + 1;
    const gfp_operation_loop loop = {.run = run_blocks,
                                     .job = &j,
                                     .items = blocks,
                                     .chunk = 1,
                                     .scratch = block_elements(&j),
                                     .units = units,
                                     .cost = units / (double)blocks / GFP_OPERATION_ELEMENT_UNITS *
                                             gfp_task_product_cost(op->field)};
    GFP_TRY(gfp_operation_loop_run(op, &loop));
    gfp_operation_release(op, mark);
    return GFP_OK;
}
