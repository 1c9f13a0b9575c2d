/* bivariate.c: bivariate polynomials over Z: storage, equality, degrees.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/bivariate.h"

#include "modular/ring.h"
#include "modular/vec.h"

void gfp_zbipoly_init(gfp_zbipoly *a, gfp_zring *ring)
{
    *a = (gfp_zbipoly){.ring = ring};
}

void gfp_zbipoly_clear(gfp_zbipoly *a)
{
    for (size_t j = 0; j < a->capacity; j++) {
        gfp_zvec_clear(&a->coeff[j]);
    }
    gfp_release(&a->ring->allocator, a->coeff, a->capacity, sizeof *a->coeff);
    gfp_zbipoly_init(a, a->ring);
}

void gfp_zbipoly_swap(gfp_zbipoly *a, gfp_zbipoly *b)
{
    const gfp_zbipoly t = *a;
    *a = *b;
    *b = t;
}

gfp_status gfp_zbipoly_fit(gfp_zbipoly *a, size_t capacity)
{
    if (capacity <= a->capacity) {
        return GFP_OK;
    }
    if (capacity > SIZE_MAX / sizeof *a->coeff) {
        return GFP_ERR_SIZE;
    }
    gfp_zvec *fresh = gfp_allocate(&a->ring->allocator, capacity, sizeof *fresh);
    if (fresh == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (a->capacity > 0) {
        memcpy(fresh, a->coeff, a->capacity * sizeof *fresh);
    }
    for (size_t j = a->capacity; j < capacity; j++) {
        gfp_zvec_init(&fresh[j], a->ring);
    }
    gfp_release(&a->ring->allocator, a->coeff, a->capacity, sizeof *a->coeff);
    a->coeff = fresh;
    a->capacity = capacity;
    return GFP_OK;
}

void gfp_zbipoly_normalise(gfp_zbipoly *a, size_t n)
{
    while (n > 0 && a->coeff[n - 1].len == 0) {
        n--;
    }
    a->len = n;
}

gfp_status gfp_zbipoly_set(gfp_zbipoly *b, const gfp_zbipoly *a)
{
    gfp_zbipoly made;
    if (a == NULL || b == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (a->ring != b->ring) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_zbipoly_init(&made, b->ring);
    gfp_status status = gfp_zbipoly_fit(&made, a->len);
    for (size_t j = 0; status == GFP_OK && j < a->len; j++) {
        status = gfp_zvec_set(&made.coeff[j], &a->coeff[j]);
    }
    if (status == GFP_OK) {
        made.len = a->len;
        gfp_zbipoly_swap(b, &made);
    }
    gfp_zbipoly_clear(&made);
    return status;
}

size_t gfp_zbipoly_len_x(const gfp_zbipoly *a)
{
    size_t most = 0;
    for (size_t j = 0; j < a->len; j++) {
        most = a->coeff[j].len > most ? a->coeff[j].len : most;
    }
    return most;
}

gfp_status gfp_zbipoly_view(const gfp_zbipoly **flat, gfp_zbipoly *copy, const gfp_zbipoly *a)
{
    bool ragged = false;
    for (size_t j = 0; j < a->len; j++) {
        ragged = ragged || a->coeff[j].width == 0;
    }
    *flat = ragged ? copy : a;
    if (!ragged) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zbipoly_fit(copy, a->len));
    for (size_t j = 0; j < a->len; j++) {
        GFP_TRY(gfp_zvec_set_flat(&copy->coeff[j], &a->coeff[j]));
    }
    copy->len = a->len;
    return GFP_OK;
}

gfp_status gfp_zbipoly_set_coeff(gfp_zbipoly *a, size_t j, const gfp_zvec *c)
{
    gfp_zvec made;
    if (a == NULL || c == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (a->ring != c->ring) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    gfp_zvec_init(&made, a->ring);
    GFP_TRY(gfp_zvec_set_result(&made, c));
    gfp_status status = GFP_OK;
    if (j >= a->len && made.len > 0) {
        const size_t ample = j >= a->capacity && j > 0 ? gfp_size_add_sat(j, j / 2) : j;
        status = gfp_zbipoly_fit(a, gfp_size_add_sat(ample, 1));
        for (size_t i = a->len; status == GFP_OK && i < j; i++) {
            a->coeff[i].len = 0;
        }
    }
    if (status == GFP_OK && j < a->capacity && (j < a->len || made.len > 0)) {
        gfp_zvec_swap(&a->coeff[j], &made);
        gfp_zbipoly_normalise(a, j < a->len ? a->len : j + 1);
    }
    gfp_zvec_clear(&made);
    return status;
}
