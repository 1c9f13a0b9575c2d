/* classical.c: the schoolbook product: coefficients are convolution sums, which the field's
 * kernel reduces once each. It serves every problem, and gives low products directly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "kernels.h"
#include "methods.h"

/* The sum of i + 1 over i < n. */
static double triangle(double n)
{
    return n * (n + 1) / 2;
}

/* c_i takes i + 1 products, less those whose factor would lie beyond the end of a or b. */
double gfp_classical_units(size_t len_a, size_t len_b, size_t n)
{
    double units = triangle((double)n);
    if (n > len_a) {
        units -= triangle((double)(n - len_a));
    }
    if (n > len_b) {
        units -= triangle((double)(n - len_b));
    }
    return units;
}

bool gfp_classical_range(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b, size_t first, size_t end, gfp_task *task)
{
    /* A coefficient takes at most `shorter` products. */
    size_t shorter = len_a < len_b ? len_a : len_b;
    size_t rows = gfp_task_block(gfp_task_product_cost(field)) / shorter + 1;
    double done = gfp_classical_units(len_a, len_b, first);
    for (size_t i = first; i < end; i += rows) {
        size_t stop = end - i < rows ? end : i + rows;
        gfp_field_kernels(field)->convolve(field, c + (i - first) * gfp_field_k(field), a, len_a, b,
                                           len_b, i, stop);
        double units = gfp_classical_units(len_a, len_b, stop);
        if (!gfp_task_advance(task, units - done)) {
            return false;
        }
        done = units;
    }
    return true;
}

bool gfp_classical_low(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                       const uint64_t *b, size_t len_b, size_t n, gfp_task *task)
{
    return gfp_classical_range(field, c, a, len_a, b, len_b, 0, n, task);
}

gfp_status gfp_classical_part(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, size_t n, gfp_task *task)
{
    return gfp_task_span(task, 1, gfp_classical_units(len_a, len_b, n),
                         gfp_task_product_cost(field)) &&
                   gfp_classical_low(field, c, a, len_a, b, len_b, n, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

gfp_status gfp_classical_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_task *task, gfp_error *error)
{
    (void)work;
    (void)error;
    return gfp_classical_part(field, c, a, len_a, b, len_b, len_a + len_b - 1, task);
}
