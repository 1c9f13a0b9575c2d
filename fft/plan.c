/* plan.c: plans: the splitting of N into radices and the table of twiddles.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/axes.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/task.h"

/* The most words (a few cache lines) of a row of a base-case buffer. */
#define ROW_WORDS 16

static gfp_status check_length(const gfp_field *field, size_t n, gfp_error *error)
{
    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if (gfp_ctz64(n) > field->v2_order) {
        return gfp_error_set(error, GFP_ERR_NO_ROOT,
                             "transform length %zu does not divide p - 1: the largest is 2^%u", n,
                             field->v2_order);
    }
    return GFP_OK;
}

/* Splits N into full radices 2k, and a smaller one first: with a small radix at the top level, the
 * most elements have a trivial twiddle. */
static void split_length(gfp_fft_plan *plan)
{
    unsigned full = plan->field->log2_k + 1;
    unsigned rest = plan->log2_n % full;
    plan->levels = 0;
    if (rest != 0) {
        plan->radix_log[plan->levels++] = rest;
    }
    for (unsigned left = plan->log2_n - rest; left > 0; left -= full) {
        plan->radix_log[plan->levels++] = full;
    }
}

/* A thread starts its share of the table with a power: some 100 products. */
#define LEAST_POWERS 512

typedef struct powers {
    const gfp_fft_plan *plan;
    const uint64_t *root;
} powers;

/* table[t] := root^t, from <= t < to. */
static gfp_status fill_powers(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const powers *w = user;
    const gfp_field *field = w->plan->field;
    const uint64_t exponent = from;
    uint64_t *x = w->plan->table + from * field->k;
    (void)worker;
    if (from == 0) {
        gfp_elem_one(field, x);
    } else {
        gfp_elem_pow(field, x, w->root, &exponent, 1);
    }
    for (size_t t = from + 1; t < to; t++, x += field->k) {
        gfp_elem_mul(field, x + field->k, x, w->root);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status fill_table(gfp_fft_plan *plan, gfp_error *error, gfp_task *task)
{
    const gfp_field *field = plan->field;
    size_t k = field->k;
    uint64_t root[GFP_MAX_K];
    plan->table = gfp_allocate(&field->allocator, plan->table_size, k * sizeof *plan->table);
    if (plan->table == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for %zu twiddles",
                             plan->table_size);
    }
    GFP_TRY(gfp_field_root(field, root, plan->log2_n));
    powers w = {plan, root};
    const gfp_parallel loop = {.run = fill_powers, .job = &w};
    size_t chunk = gfp_parallel_chunk(task, plan->table_size, 2);
    chunk = chunk > LEAST_POWERS ? chunk : LEAST_POWERS;
    return gfp_parallel_for(&loop, task, plan->table_size, chunk);
}

static size_t table_size(const gfp_field *field, size_t n)
{
    return n > 2 * (size_t)field->k ? n / (2 * (size_t)field->k) : 1;
}

static size_t columns_of(const gfp_field *field)
{
    return field->k < ROW_WORDS ? ROW_WORDS / field->k : 1;
}

/* A base case takes radix <= 2k rows of columns_of(field) columns, and all of them are elements of
 * x. */
static size_t buffer_size(const gfp_field *field, size_t n)
{
    return gfp_size_min(n, 2 * (size_t)field->k * columns_of(field));
}

void gfp_fft_sizes(const gfp_field *field, size_t n, size_t *plan_bytes, size_t *work_words)
{
    const size_t table = gfp_size_mul_sat(table_size(field, n), field->k * sizeof(uint64_t));
    *plan_bytes = gfp_size_add_sat(sizeof(gfp_fft_plan), table);
    *work_words = buffer_size(field, n) * field->k;
}

double gfp_fft_plan_units(const gfp_field *field, size_t n)
{
    return (double)table_size(field, n);
}

/* A unit per element and level: the butterflies and the twiddle of the element. */
double gfp_fft_transform_units(const gfp_field *field, size_t n)
{
    unsigned full = field->log2_k + 1;
    unsigned levels = (gfp_ctz64(n) + full - 1) / full;
    return (double)n * levels;
}

gfp_status gfp_fft_plan_create_task(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                                    gfp_error *error, gfp_task *task)
{
    size_t bytes;
    GFP_TRY(check_length(field, n, error));
    if (!gfp_size_mul(&bytes, n, 4 * field->k * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    gfp_fft_plan *p = gfp_allocate(&field->allocator, 1, sizeof *p);
    if (p == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset(p, 0, sizeof *p);
    p->field = field;
    p->n = n;
    p->log2_n = gfp_ctz64(n);
    p->table_size = table_size(field, n);
    p->base = gfp_base_engine_get(field);
    p->columns = columns_of(field);
    p->buffer = buffer_size(field, n);
    split_length(p);
    gfp_status status = fill_table(p, error, task);
    if (status != GFP_OK) {
        gfp_fft_plan_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

/* A plan by axes. */
static gfp_status create_by_axes(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                                 gfp_error *error)
{
    size_t bytes;
    if (n == 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a transform of length 0");
    }
    if (!gfp_size_mul(&bytes, n, 8 * field->k * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    gfp_fft_plan *p = gfp_allocate(&field->allocator, 1, sizeof *p);
    if (p == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = (gfp_fft_plan){.field = field, .n = n};
    const gfp_status status = gfp_fft_axes_make(p, error);
    if (status != GFP_OK) {
        gfp_fft_plan_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

gfp_status gfp_fft_plan_create(gfp_fft_plan **plan, const gfp_field *field, size_t n,
                               gfp_error *error)
{
    const bool power = n != 0 && (n & (n - 1)) == 0;
    return power ? gfp_fft_plan_create_task(plan, field, n, error, NULL)
                 : create_by_axes(plan, field, n, error);
}

void gfp_fft_plan_destroy(gfp_fft_plan *plan)
{
    if (plan != NULL) {
        const gfp_field *field = plan->field;
        gfp_fft_axes_destroy(plan);
        gfp_release(&field->allocator, plan->table, plan->table_size,
                    field->k * sizeof *plan->table);
        gfp_release(&field->allocator, plan, 1, sizeof *plan);
    }
}

size_t gfp_fft_plan_length(const gfp_fft_plan *plan)
{
    return plan->n;
}

const gfp_field *gfp_fft_plan_field(const gfp_fft_plan *plan)
{
    return plan->field;
}

size_t gfp_fft_plan_bytes(const gfp_fft_plan *plan)
{
    return sizeof *plan + plan->table_size * plan->field->k * sizeof *plan->table +
           (plan->axes != NULL ? gfp_fft_axes_bytes(plan) : 0);
}

size_t gfp_fft_buffer_words(const gfp_fft_plan *plan)
{
    return plan->axes != NULL ? gfp_fft_axes_each(plan) : plan->buffer * plan->field->k;
}
