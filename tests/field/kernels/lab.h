/* lab.h: shared by the tests of kernel tables: every table of every test field next to the
 * reference.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_FIELD_KERNELS_LAB_H
#define TESTS_FIELD_KERNELS_LAB_H

#include <stdio.h>

#include "lab/fixtures.h"

#include "field/base/kernels.h"

/* A table under test over a field; slow is the reference. */
typedef struct bench {
    const lab *l;
    const gfp_kernels *fast;
    const gfp_kernels *slow;
} bench;

/* Runs check on every table that serves a field. */
static inline void for_each_table(void (*check)(const bench *b))
{
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab *l = &lab_fields[i];
        const gfp_kernels *used = gfp_field_kernels(l->field);
        const gfp_kernels *portable = gfp_kernels_portable(l->k, l->o.r);
        bench b = {l, used, &gfp_kernels_reference};
        if (l->o.r >= GFP_FAST_R_MIN && l->o.r <= GFP_FAST_R_MAX) {
            assert_non_null(portable);
        }
        check(&b);
        const gfp_kernels *below = NULL;
        for (int level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
            b.fast = gfp_kernels_get((gfp_level)level, l->k, l->o.r);
            if (gfp_cpu_has((gfp_level)level) && b.fast != used && b.fast != below) {
                check(&b);
            }
            below = b.fast;
        }
    }
}

static inline void expect_same(const bench *b, const uint64_t *z, const uint64_t *expected,
                               size_t n, const char *what, size_t i, size_t j)
{
    char text[80];
    snprintf(text, sizeof text, "%s of %s", what, b->fast->name);
    lab_expect_digits(b->l, z, expected, n, text, i, j);
}

static inline size_t lab_bytes(const bench *b, size_t n)
{
    return n * b->l->k * sizeof(uint64_t);
}

#endif
