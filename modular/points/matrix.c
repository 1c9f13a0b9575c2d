/* matrix.c: square matrices of polynomials over Z: storage.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/matrix.h"

void gfp_zmatrix_init(gfp_zmatrix *a, gfp_zring *ring)
{
    *a = (gfp_zmatrix){.ring = ring};
}

void gfp_zmatrix_clear(gfp_zmatrix *a)
{
    for (size_t i = 0; i < a->n * a->n; i++) {
        gfp_zvec_clear(&a->entry[i]);
    }
    gfp_release(&a->ring->allocator, a->entry, a->n * a->n, sizeof *a->entry);
    gfp_zmatrix_init(a, a->ring);
}

gfp_status gfp_zmatrix_set_zero(gfp_zmatrix *a, size_t n)
{
    size_t count, bytes;
    if (a == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (!gfp_size_mul(&count, n, n) || !gfp_size_mul(&bytes, count, sizeof *a->entry)) {
        return GFP_ERR_SIZE;
    }
    gfp_zvec *entry = NULL;
    if (n > 0) {
        entry = gfp_allocate(&a->ring->allocator, count, sizeof *entry);
        if (entry == NULL) {
            return GFP_ERR_MEMORY;
        }
    }
    gfp_zmatrix_clear(a);
    *a = (gfp_zmatrix){a->ring, entry, n};
    for (size_t i = 0; i < count; i++) {
        gfp_zvec_init(&entry[i], a->ring);
    }
    return GFP_OK;
}

static gfp_status check_entry(const gfp_zmatrix *a, size_t i, size_t j, const gfp_zvec *c)
{
    if (a == NULL || c == NULL || i >= a->n || j >= a->n) {
        return GFP_ERR_ARGUMENT;
    }
    return a->ring != c->ring ? GFP_ERR_FIELD_MISMATCH : GFP_OK;
}

gfp_status gfp_zmatrix_set_entry(gfp_zmatrix *a, size_t i, size_t j, const gfp_zvec *c)
{
    gfp_zvec made;
    GFP_TRY(check_entry(a, i, j, c));
    gfp_zvec_init(&made, a->ring);
    GFP_TRY(gfp_zvec_set_result(&made, c));
    gfp_zvec_swap(&a->entry[i * a->n + j], &made);
    gfp_zvec_clear(&made);
    return GFP_OK;
}
