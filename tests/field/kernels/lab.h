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

/* The different tables that serve a field: the one in use, and those of the CPU's levels. */
typedef struct lab_tables {
    const gfp_kernels *table[1 + GFP_LEVEL_COUNT];
    size_t count;
} lab_tables;

static inline lab_tables lab_tables_of(const lab *l)
{
    const gfp_kernels *used = gfp_field_kernels(l->field), *below = NULL;
    lab_tables all = {{used}, 1};
    if (l->o.r >= GFP_FAST_R_MIN && l->o.r <= GFP_FAST_R_MAX) {
        assert_non_null(gfp_kernels_portable(l->k, l->o.r));
    }
    for (int level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        const gfp_kernels *table = gfp_kernels_get((gfp_level)level, l->k, l->o.r);
        if (gfp_cpu_has((gfp_level)level) && table != used && table != below) {
            all.table[all.count++] = table;
        }
        below = table;
    }
    return all;
}

/* Runs check on every table of every field. */
static inline void for_each_table(void (*check)(const bench *b))
{
    for (size_t i = 0; lab_field_row(i); i++) {
        const lab_tables all = lab_tables_of(&lab_fields[i]);
        for (size_t t = 0; t < all.count; t++) {
            check(&(bench){&lab_fields[i], all.table[t], &gfp_kernels_reference});
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
