/* limbs_tables.c: see limbs.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/limbs.h"

#include <gmp.h>
#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"

/* Row `row` of a matrix with `rows` rows, in groups of `columns` columns, := the halves
 * of n words. */
static void fill_row(uint32_t *matrix, size_t columns, size_t rows, size_t row, const uint64_t *x,
                     size_t n)
{
    for (size_t j = 0; j < 2 * n; j++) {
        matrix[(j / columns * rows + row) * columns + j % columns] =
            (uint32_t)(x[j / 2] >> (32 * (j % 2)));
    }
}

static void fill_set(uint32_t *set, const gfp_field *field, size_t size)
{
    const size_t columns = 2 * (size_t)gfp_limbs_together(field->k);
    uint64_t power[GFP_MAX_LIMBS + 1] = {1}, digits[GFP_MAX_K];
    for (size_t j = 0; j < 2 * size; j++) {
        gfp_radix_reduce(field, digits, power, field->limbs + 1);
        fill_row(set, columns, 2 * size, j, digits, field->k);
        /* The next power, computed from the last reduced one. */
        gfp_radix_to_limbs(field, power, digits);
        power[field->limbs] = mpn_lshift(power, power, (mp_size_t)field->limbs, 32);
    }
}

static void fill_get(uint32_t *get, const gfp_field *field)
{
    const size_t columns = 2 * (size_t)gfp_limbs_together(field->k), rows = 2 * (size_t)field->k;
    uint64_t power[GFP_MAX_LIMBS + 1] = {1}, shifted[GFP_MAX_LIMBS + 1];
    const size_t n = field->limbs;
    for (size_t i = 0; i < field->k; i++) {
        fill_row(get, columns, rows, 2 * i, power, n);
        /* Bits that the shift loses only meet halves of digits that are 0, since elements are below
         * 2^(64 n). */
        (void)mpn_lshift(shifted, power, (mp_size_t)n, 32);
        fill_row(get, columns, rows, 2 * i + 1, shifted, n);
        (void)mpn_mul_1(power, power, (mp_size_t)n, field->r);
    }
}

gfp_status gfp_limbs_tables_init(gfp_limbs_tables *tables, const gfp_field *field, size_t size,
                                 const gfp_allocator *allocator)
{
    const size_t k = field->k, together = gfp_limbs_together(field->k);
    gfp_limbs_tables made = {.get = 2 * size * 2 * k};
    made.groups = (unsigned)((field->limbs + together - 1) / together);
    made.words = (made.get + made.groups * 2 * together * 2 * k) / 2;
    made.image = gfp_allocate(allocator, made.words, sizeof *made.image);
    if (made.image == NULL) {
        return GFP_ERR_MEMORY;
    }
    memset(made.image, 0, made.words * sizeof *made.image);
    fill_set((uint32_t *)made.image, field, size);
    fill_get((uint32_t *)made.image + made.get, field);
    *tables = made;
    return GFP_OK;
}

void gfp_limbs_tables_release(gfp_limbs_tables *tables, const gfp_allocator *allocator)
{
    gfp_release(allocator, tables->image, tables->words, sizeof *tables->image);
    tables->image = NULL;
}
