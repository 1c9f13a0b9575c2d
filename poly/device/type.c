/* type.c: polynomials on a device: rings, storage, places of results, searches, values. Above the
 * interface of gpu/ alone, so that it is the same with and without CUDA (where no ring can be made,
 * since there is no context).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/type.h"

#include "poly/impl.h"
#include "field/base/support.h"

/* ---- rings ---- */

void gfp_gpu_ring_trim(gfp_gpu_ring *ring)
{
    gfp_gpu_ring_drop_plans(ring);
    gfp_gpu_array_destroy(ring->spare);
    gfp_gpu_array_destroy(ring->work);
    gfp_gpu_array_destroy(ring->word);
    ring->spare = ring->work = ring->word = NULL;
    for (size_t i = 0; i < GFP_GPU_USES; i++) {
        gfp_gpu_array_destroy(ring->use[i]);
        ring->use[i] = NULL;
    }
}

void gfp_gpu_ring_destroy(gfp_gpu_ring *ring)
{
    if (ring != NULL) {
        gfp_gpu_ring_trim(ring);
        const gfp_allocator allocator = ring->allocator;
        gfp_release(&allocator, ring, 1, sizeof *ring);
    }
}

gfp_status gfp_gpu_ring_area(gfp_gpu_ring *ring, gfp_gpu_array **area, size_t words)
{
    if (*area != NULL && gfp_gpu_array_words(*area) >= words) {
        return GFP_OK;
    }
    gfp_gpu_array_destroy(*area); /* before: both may not fit */
    *area = NULL;
    return gfp_gpu_array_create(area, ring->gpu, words, NULL);
}

/* ---- storage ---- */

static gfp_status words_of(const gfp_gpu_ring *ring, size_t n, size_t *words)
{
    return gfp_size_mul(words, n, ring->k) ? GFP_OK : GFP_ERR_SIZE;
}

gfp_status gfp_gpu_ring_work(gfp_gpu_ring *ring, gfp_gpu_use use, size_t n, gfp_gpu_array **area)
{
    size_t words = 0;
    GFP_TRY(words_of(ring, n, &words));
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->use[use], words));
    *area = ring->use[use];
    return GFP_OK;
}

gfp_status gfp_gpu_poly_make(gfp_gpu_poly **a, gfp_gpu_ring *ring)
{
    gfp_gpu_poly *made = gfp_allocate(&ring->allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_gpu_poly){.ring = ring, .exact = true};
    *a = made;
    return GFP_OK;
}

void gfp_gpu_poly_destroy(gfp_gpu_poly *a)
{
    if (a != NULL) {
        gfp_gpu_array_destroy(a->array);
        gfp_release(&a->ring->allocator, a, 1, sizeof *a);
    }
}

gfp_gpu_array *gfp_gpu_poly_array(gfp_gpu_poly *a)
{
    return a->array;
}

static size_t type_elements(const gfp_gpu_ring *ring, const gfp_gpu_array *array)
{
    return array == NULL ? 0 : gfp_gpu_array_words(array) / ring->k;
}

gfp_status gfp_gpu_poly_place(gfp_gpu_poly *b, size_t n, bool apart, gfp_gpu_array **to)
{
    gfp_gpu_ring *ring = b->ring;
    size_t words = 0;
    if (!apart && b->capacity >= n) {
        *to = b->array;
        return GFP_OK;
    }
    GFP_TRY(words_of(ring, n, &words));
    /* Not one that is far too long: it would stay with b. */
    if (type_elements(ring, ring->spare) / 4 > n) {
        gfp_gpu_array_destroy(ring->spare);
        ring->spare = NULL;
    }
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->spare, words));
    *to = ring->spare;
    return GFP_OK;
}

void gfp_gpu_poly_take(gfp_gpu_poly *b, gfp_gpu_array *to, size_t n, bool exact)
{
    if (to != b->array) {
        b->ring->spare = b->array;
        b->array = to;
        b->capacity = type_elements(b->ring, to);
    }
    b->len = n;
    b->exact = exact || n == 0;
}

gfp_status gfp_gpu_poly_make_room(gfp_gpu_poly *b, size_t n)
{
    gfp_gpu_array *to = NULL;
    if (n <= b->capacity) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
    if (b->len > 0) {
        GFP_TRY(gfp_gpu_set(to, b->array, b->len * b->ring->k, NULL));
    }
    gfp_gpu_poly_take(b, to, b->len, b->exact);
    return GFP_OK;
}

/* ---- searches and values ---- */

gfp_status gfp_gpu_reverse_at(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t z_from,
                              gfp_gpu_array *x, size_t from, size_t n)
{
    gfp_gpu_array *to = NULL, *part = NULL;
    gfp_status status = gfp_gpu_array_part(&to, z, z_from * ring->k, n * ring->k);
    status = status != GFP_OK ? status : gfp_gpu_array_part(&part, x, from * ring->k, n * ring->k);
    status = status != GFP_OK ? status : gfp_gpu_vec_reverse(ring->field, to, part, n);
    gfp_gpu_array_destroy(to);
    gfp_gpu_array_destroy(part);
    return status;
}

/* The word that a search left. */
static gfp_status read_found(gfp_gpu_ring *ring, size_t *value)
{
    uint64_t word = 0;
    GFP_TRY(gfp_gpu_download(&word, ring->word, 0, 1, NULL));
    *value = (size_t)word;
    return GFP_OK;
}

/* *n := the number of elements without zeros at the end. */
static gfp_status count_elements(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t all, size_t *n)
{
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
    GFP_TRY(gfp_gpu_vec_length(ring->field, ring->word, x, all));
    return read_found(ring, n);
}

gfp_status gfp_gpu_poly_find_length(const gfp_gpu_poly *b, size_t *len)
{
    *len = b->len;
    return b->exact ? GFP_OK : count_elements(b->ring, b->array, b->len, len);
}

gfp_status gfp_gpu_expect_zeros(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n)
{
    size_t len = 0;
    GFP_TRY(count_elements(ring, x, n, &len));
    return len == 0 ? GFP_OK : GFP_ERR_VERIFY;
}

gfp_status gfp_gpu_check_elements(gfp_gpu_ring *ring, const gfp_gpu_array *x, size_t n)
{
    size_t first = n;
    if (n > 0) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_canonical(ring->field, ring->word, x, n, NULL));
        GFP_TRY(read_found(ring, &first));
    }
    return first == n ? GFP_OK : GFP_ERR_VERIFY;
}

/* *zero := whether coefficients from, from + 1, ... are all 0. */
static gfp_status is_zero_from(const gfp_gpu_poly *a, size_t from, bool *zero)
{
    size_t n = 0;
    *zero = true;
    if (from < a->len) {
        GFP_TRY(count_elements(a->ring, a->array, a->len, &n));
        *zero = n <= from;
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_compare(bool *equal, const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    const size_t n = gfp_size_min(a->len, b->len);
    gfp_gpu_ring *ring = a->ring;
    size_t first = n;
    bool zero = true;
    if (a->exact && b->exact && a->len != b->len) {
        *equal = false;
        return GFP_OK;
    }
    if (n > 0) {
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
        GFP_TRY(gfp_gpu_vec_difference(ring->field, ring->word, a->array, b->array, n));
        GFP_TRY(read_found(ring, &first));
    }
    if (first == n) {
        GFP_TRY(is_zero_from(a->len > n ? a : b, n, &zero));
    }
    *equal = first == n && zero;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_value(const gfp_gpu_poly *a, uint64_t *y, const uint64_t *x)
{
    gfp_gpu_ring *ring = a->ring;
    if (a->len == 0) {
        gfp_elem_zero(ring->field, y);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work, a->len * ring->k));
    GFP_TRY(gfp_gpu_vec_evaluate(ring->field, ring->work, a->array, a->len, x));
    return gfp_gpu_download(y, ring->work, 0, ring->k, NULL);
}
