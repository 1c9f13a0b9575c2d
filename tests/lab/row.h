/* row.h: products by rows of the method table, for tests below the public functions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_ROW_H
#define TESTS_LAB_ROW_H

#include "product/methods/row.h"

static inline gfp_range row_range(const gfp_field *field, const uint64_t *a, size_t len_a,
                                  const uint64_t *b, size_t len_b)
{
    return (gfp_range){
        .field = field, .a = a, .b = b, .len_a = len_a, .len_b = len_b, .end = len_a + len_b - 1};
}

/* c := a b with the task's threads (NULL: one). */
static inline gfp_status row_multiply(const gfp_method *row, uint64_t *c, const gfp_range *range,
                                      gfp_task *task)
{
    return gfp_range_run(row, range, c, 0, task, NULL);
}

/* c := a^2 by the row `name'. */
static inline gfp_status row_square(const char *name, const gfp_field *field, uint64_t *c,
                                    const uint64_t *a, size_t len, gfp_task *task)
{
    const gfp_range range = row_range(field, a, len, a, len);
    return row_multiply(gfp_method_find(name), c, &range, task);
}

#endif
