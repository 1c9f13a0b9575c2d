/* classical.c: the schoolbook product: coefficients are convolution sums, which the field's
 * kernel reduces once each. It serves every problem, and gives low products directly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/classical.h"
#include "field/base/kernels.h"
#include "product/methods/row.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* The sum of the integers from x to y, up or down. */
static double sum_between(size_t x, size_t y)
{
    const double count = (double)(x < y ? y - x : x - y) + 1;
    return count * ((double)x + (double)y) / 2;
}

/* c_i takes i + 1 products, but at most as many as the shorter factor has coefficients, and at most
 * as many as there are coefficients from c_i on. The three stretches are summed separately: no
 * difference of large sums. */
static double range_units(size_t len_a, size_t len_b, size_t first, size_t end)
{
    const size_t longer = len_a > len_b ? len_a : len_b, most = gfp_size_min(len_a, len_b);
    const size_t len = longer + most - 1;
    const size_t up = gfp_size_min(end, most), down = first > longer ? first : longer;
    const size_t from = first > most ? first : most, to = gfp_size_min(end, longer);
    return (first < up ? sum_between(first + 1, up) : 0) +
           (from < to ? (double)most * (double)(to - from) : 0) +
           (down < end ? sum_between(len - down, len - (end - 1)) : 0);
}

double gfp_classical_units(size_t len_a, size_t len_b, size_t n)
{
    return range_units(len_a, len_b, 0, n);
}

/* A running computation of the coefficients of a range. */
typedef struct job {
    const gfp_range *range;
    uint64_t *c;
    size_t rows; /* coefficients between two checks for cancellation */
} job;

/* The coefficients first + from <= i < first + to of a product by a factor 1 are those of the other
 * one. */
static bool copy_by_one(const job *w, size_t from, size_t to)
{
    const gfp_range *r = w->range;
    const size_t k = gfp_field_k(r->field);
    const bool a_is_one = r->len_a == 1 && gfp_elem_is_one(r->field, r->a);
    if (!a_is_one && (r->len_b != 1 || !gfp_elem_is_one(r->field, r->b))) {
        return false;
    }
    gfp_vec_set(r->field, w->c + from * k, (a_is_one ? r->b : r->a) + (r->first + from) * k,
                to - from);
    return true;
}

static gfp_status classical_convolve(void *user, size_t from, size_t to, unsigned worker,
                                     gfp_task *task)
{
    const job *w = user;
    const gfp_range *r = w->range;
    double done = gfp_classical_units(r->len_a, r->len_b, r->first + from);
    (void)worker;
    for (size_t i = from; i < to; i += w->rows) {
        size_t end = to - i < w->rows ? to : i + w->rows;
        if (!copy_by_one(w, i, end)) {
            gfp_field_kernels(r->field)->convolve(r->field, w->c + i * gfp_field_k(r->field), r->a,
                                                  r->len_a, r->b, r->len_b, r->first + i,
                                                  r->first + end);
        }
        double units = gfp_classical_units(r->len_a, r->len_b, r->first + end);
        if (!gfp_task_advance(task, units - done)) {
            return GFP_ERR_CANCELLED;
        }
        done = units;
    }
    return GFP_OK;
}

/* The least number of digit products for a thread, some 20 us. */
#define LEAST_CHUNK 32768.0

bool gfp_classical_range(const gfp_range *range, uint64_t *c, gfp_task *task)
{
    /* A coefficient takes at most `shorter` products. */
    const size_t shorter = gfp_size_min(range->len_a, range->len_b);
    const double cost = gfp_task_product_cost(range->field);
    const size_t rows = gfp_task_block(cost) / shorter + 1;
    job w = {range, c, rows};
    const size_t n = range->end - range->first;
    const gfp_parallel loop = {.run = classical_convolve, .job = &w};
    /* Coefficients in the middle take the most time: many small chunks, of whole vectors of
     * coefficients. */
    size_t chunk = gfp_size_min(gfp_parallel_chunk(task, n, 16), rows);
    size_t least = (size_t)(LEAST_CHUNK / (cost * (double)shorter));
    chunk = (chunk > least ? chunk : least) / 8 * 8 + 8;
    return gfp_parallel_for(&loop, task, n, chunk) == GFP_OK;
}

bool gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n, gfp_task *task)
{
    const gfp_range range = gfp_range_make(field, a, b, len_a, len_b, 0, n);
    return gfp_classical_range(&range, c, task);
}

bool gfp_classical_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    plan->needs = (gfp_needs){.first = r->first, .end = r->end, .share = 1};
    plan->state_bytes = 0;
    if (!gfp_range_is_whole(r)) {
        const size_t length = gfp_range_product_length(r);
        plan->needs.share = range_units(r->len_a, r->len_b, r->first, r->end) /
                            gfp_classical_units(r->len_a, r->len_b, length);
    }
    return true;
}

gfp_status gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_range r = gfp_range_make(range->field, range->a, range->b, range->len_a, range->len_b,
                                       plan->needs.first, plan->needs.end);
    const double units = range_units(r.len_a, r.len_b, r.first, r.end);
    (void)work;
    (void)error;
    return gfp_task_span(task, 1, units, gfp_task_product_cost(r.field)) &&
                   gfp_classical_range(&r, c, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}
