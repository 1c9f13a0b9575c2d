/* type.c: polynomials on a device: rings, storage, linear operations, values. Above the public
 * interface of gpu/ alone, so that it is the same with and without CUDA (where no ring can be made,
 * since there is no context).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/type.h"

#include <string.h>

#include "poly/impl.h"
#include "field/base/support.h"

/* ---- rings ---- */

gfp_status gfp_gpu_ring_create(gfp_gpu_ring **ring, gfp_gpu *gpu, const gfp_field *field,
                               const gfp_gpu_ring_options *options, gfp_error *error)
{
    const gfp_gpu_ring_options usual = {0};
    options = options != NULL ? options : &usual;
    if ((unsigned)options->method > GFP_GPU_METHOD_CLASSICAL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown product method %d",
                             (int)options->method);
    }
    gfp_gpu_info info;
    const gfp_status status = gfp_gpu_get_info(gpu, &info);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "the device does not answer");
    }
    const gfp_allocator *allocator = gfp_field_allocator(field);
    gfp_gpu_ring *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a ring");
    }
    *made = (gfp_gpu_ring){.gpu = gpu,
                           .field = field,
                           .allocator = *allocator,
                           .k = gfp_field_k(field),
                           .method = options->method,
                           .plan_bytes = options->plan_bytes != 0 ? options->plan_bytes
                                                                  : info.memory_total / 8};
    *ring = made;
    return GFP_OK;
}

void gfp_gpu_ring_trim(gfp_gpu_ring *ring)
{
    gfp_gpu_ring_drop_plans(ring);
    gfp_gpu_array_destroy(ring->spare);
    gfp_gpu_array_destroy(ring->work);
    gfp_gpu_array_destroy(ring->word);
    ring->spare = ring->work = ring->word = NULL;
    gfp_gpu_limbs_plan_destroy(ring->limbs);
    ring->limbs = NULL;
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
    return gfp_gpu_array_create(area, ring->gpu, words);
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

gfp_status gfp_gpu_ring_explain(const gfp_gpu_ring *ring, gfp_status status, gfp_error *error)
{
    if (status != GFP_OK && error != NULL && error->status != status) {
        return gfp_error_set(error, status, "%s", gfp_gpu_last_error(ring->gpu)->message);
    }
    return status;
}

gfp_status gfp_gpu_poly_create(gfp_gpu_poly **a, gfp_gpu_ring *ring)
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

size_t gfp_gpu_poly_bound(const gfp_gpu_poly *a)
{
    return a->len;
}

gfp_gpu_array *gfp_gpu_poly_array(gfp_gpu_poly *a)
{
    return a->array;
}

gfp_status gfp_gpu_poly_check(const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    if (!gfp_field_same(a->ring->field, b->ring->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    return a->ring->gpu == b->ring->gpu ? GFP_OK : GFP_ERR_ARGUMENT;
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

gfp_status gfp_gpu_poly_fit_length(gfp_gpu_poly *a, size_t capacity)
{
    gfp_gpu_array *to = NULL;
    if (capacity <= a->capacity) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(a, capacity, false, &to));
    if (a->len > 0) {
        GFP_TRY(gfp_gpu_copy(to, a->array, a->len * a->ring->k));
    }
    gfp_gpu_poly_take(a, to, a->len, a->exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_set_length(gfp_gpu_poly *a, size_t n)
{
    if (n > a->capacity) {
        return GFP_ERR_ARGUMENT;
    }
    a->len = n;
    a->exact = n == 0;
    return GFP_OK;
}

/* The word that a search left. */
static gfp_status read_found(gfp_gpu_ring *ring, size_t *value)
{
    uint64_t word = 0;
    GFP_TRY(gfp_gpu_download(&word, ring->word, 0, 1));
    *value = (size_t)word;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_length(gfp_gpu_poly *a, size_t *len)
{
    if (!a->exact) {
        size_t n = 0;
        GFP_TRY(gfp_gpu_ring_area(a->ring, &a->ring->word, 1));
        GFP_TRY(gfp_gpu_vec_length(a->ring->field, a->ring->word, a->array, a->len));
        GFP_TRY(read_found(a->ring, &n));
        a->len = n;
        a->exact = true;
    }
    *len = a->len;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_upload(gfp_gpu_poly *b, const gfp_poly *a)
{
    gfp_gpu_array *to = NULL;
    if (!gfp_field_same(b->ring->field, a->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    if (a->len > 0) {
        GFP_TRY(gfp_gpu_poly_place(b, a->len, false, &to));
        GFP_TRY(gfp_gpu_upload(to, 0, a->digits, a->len * b->ring->k));
        gfp_gpu_poly_take(b, to, a->len, true);
    }
    b->len = a->len;
    b->exact = true;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_download(gfp_poly *b, const gfp_gpu_poly *a)
{
    if (!gfp_field_same(a->ring->field, b->field)) {
        return GFP_ERR_FIELD_MISMATCH;
    }
    GFP_TRY(gfp_poly_fit_length(b, a->len));
    if (a->len > 0) {
        GFP_TRY(gfp_gpu_download(b->digits, a->array, 0, a->len * a->ring->k));
    }
    gfp_poly_normalise(b, a->len);
    return GFP_OK;
}

/* The ring's plan for integers of so many words. */
static gfp_status limbs_plan(gfp_gpu_ring *ring, size_t size)
{
    if (ring->limbs != NULL && gfp_gpu_limbs_plan_size(ring->limbs) == size) {
        return GFP_OK;
    }
    gfp_gpu_limbs_plan_destroy(ring->limbs); /* before: both may not fit */
    ring->limbs = NULL;
    return gfp_gpu_limbs_plan_create(&ring->limbs, ring->gpu, ring->field, size, NULL);
}

gfp_status gfp_gpu_poly_set_limbs(gfp_gpu_poly *b, const uint64_t *limbs, size_t size, size_t n)
{
    gfp_gpu_ring *ring = b->ring;
    gfp_gpu_array *to = NULL;
    size_t words = 0;
    size = size != 0 ? size : gfp_field_limbs(ring->field);
    if (!gfp_size_mul(&words, n, size)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(limbs_plan(ring, size));
    if (n > 0) {
        GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->work, words));
        GFP_TRY(gfp_gpu_upload(ring->work, 0, limbs, words));
        GFP_TRY(gfp_gpu_set_limbs_mod(ring->limbs, to, ring->work, n));
        GFP_TRY(gfp_gpu_wait(ring->gpu, NULL));
        gfp_gpu_poly_take(b, to, n, false);
    }
    b->len = n;
    b->exact = n == 0;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_get_limbs(const gfp_gpu_poly *a, uint64_t *limbs, size_t n)
{
    gfp_gpu_ring *ring = a->ring;
    const size_t size = gfp_field_limbs(ring->field), stored = gfp_size_min(a->len, n);
    size_t words = 0, all = 0;
    if (!gfp_size_mul(&words, stored, size) || !gfp_size_mul(&all, n, size)) {
        return GFP_ERR_SIZE;
    }
    if (stored > 0) {
        GFP_TRY(limbs_plan(ring, size));
        GFP_TRY(gfp_gpu_ring_area(ring, &ring->work, words));
        GFP_TRY(gfp_gpu_get_limbs(ring->limbs, ring->work, a->array, stored));
        GFP_TRY(gfp_gpu_download(limbs, ring->work, 0, words));
    }
    if (all > words) {
        memset(limbs + words, 0, (all - words) * sizeof *limbs);
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_get_coeff(const gfp_gpu_poly *a, uint64_t *x, size_t i)
{
    if (i >= a->len) {
        gfp_elem_zero(a->ring->field, x);
        return GFP_OK;
    }
    return gfp_gpu_download(x, a->array, i * a->ring->k, a->ring->k);
}

void gfp_gpu_poly_zero(gfp_gpu_poly *a)
{
    a->len = 0;
    a->exact = true;
}

gfp_status gfp_gpu_poly_one(gfp_gpu_poly *a)
{
    uint64_t one[GFP_MAX_K];
    gfp_gpu_array *to = NULL;
    gfp_elem_one(a->ring->field, one);
    GFP_TRY(gfp_gpu_poly_place(a, 1, false, &to));
    GFP_TRY(gfp_gpu_upload(to, 0, one, a->ring->k));
    gfp_gpu_poly_take(a, to, 1, true);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_copy(gfp_gpu_poly *b, const gfp_gpu_poly *a)
{
    return gfp_gpu_poly_truncate(b, a, SIZE_MAX);
}

gfp_status gfp_gpu_poly_swap(gfp_gpu_poly *a, gfp_gpu_poly *b)
{
    if (a->ring != b->ring) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_gpu_poly t = *a;
    *a = *b;
    *b = t;
    return GFP_OK;
}

/* *zero := whether coefficients from, from + 1, ... are all 0. */
static gfp_status is_zero_from(const gfp_gpu_poly *a, size_t from, bool *zero)
{
    size_t n = 0;
    *zero = true;
    if (from < a->len) {
        GFP_TRY(gfp_gpu_vec_length(a->ring->field, a->ring->word, a->array, a->len));
        GFP_TRY(read_found(a->ring, &n));
        *zero = n <= from;
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_equal(bool *equal, const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    const size_t n = gfp_size_min(a->len, b->len);
    size_t first = n;
    bool zero = true;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    if (a->exact && b->exact && a->len != b->len) {
        *equal = false;
        return GFP_OK;
    }
    gfp_gpu_ring *ring = a->ring;
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->word, 1));
    GFP_TRY(gfp_gpu_ring_area(b->ring, &b->ring->word, 1));
    if (n > 0) {
        GFP_TRY(gfp_gpu_vec_difference(ring->field, ring->word, a->array, b->array, n));
        GFP_TRY(read_found(ring, &first));
    }
    if (first == n) {
        GFP_TRY(is_zero_from(a->len > n ? a : b, n, &zero));
    }
    *equal = first == n && zero;
    return GFP_OK;
}

/* ---- linear operations ---- */

/* z := words of a from coefficient `from` on, at coefficient `at`. */
static gfp_status type_move(const gfp_gpu_poly *a, gfp_gpu_array *z, size_t at, size_t from,
                            size_t n)
{
    const size_t k = a->ring->k;
    if (n == 0 || (z == a->array && at == from)) {
        return GFP_OK;
    }
    return gfp_gpu_copy_range(z, at * k, a->array, from * k, n * k);
}

gfp_status gfp_gpu_poly_truncate(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    const bool exact = a->exact && n >= a->len;
    n = gfp_size_min(n, a->len);
    if (n == 0) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
    GFP_TRY(type_move(a, to, 0, 0, n));
    gfp_gpu_poly_take(b, to, n, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_shift_left(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    gfp_gpu_array *to = NULL;
    size_t len = 0;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    if (a->len == 0) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    if (!gfp_size_add(&len, a->len, n)) {
        return GFP_ERR_SIZE;
    }
    const bool exact = a->exact;
    GFP_TRY(gfp_gpu_poly_place(b, len, a == b && n > 0, &to));
    GFP_TRY(gfp_gpu_clear_range(to, 0, n * b->ring->k));
    GFP_TRY(type_move(a, to, n, 0, a->len));
    gfp_gpu_poly_take(b, to, len, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_shift_right(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    const bool exact = a->exact;
    if (n >= a->len) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    const size_t len = a->len - n;
    GFP_TRY(gfp_gpu_poly_place(b, len, a == b && n > 0, &to));
    GFP_TRY(type_move(a, to, 0, n, len));
    gfp_gpu_poly_take(b, to, len, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_reverse(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    const gfp_gpu_ring *ring = b->ring;
    gfp_gpu_array *to = NULL, *high = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    if (a->len == 0 || n == 0) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    const size_t len = gfp_size_min(n, a->len);
    GFP_TRY(gfp_gpu_poly_place(b, n, a == b && n > len, &to));
    /* The low len coefficients of a, reversed, are the high ones of b. */
    GFP_TRY(gfp_gpu_array_part(&high, to, (n - len) * ring->k, len * ring->k));
    gfp_status status = gfp_gpu_vec_reverse(ring->field, high, a->array, len);
    if (status == GFP_OK) {
        status = gfp_gpu_clear_range(to, 0, (n - len) * ring->k);
    }
    gfp_gpu_array_destroy(high);
    GFP_TRY(status);
    gfp_gpu_poly_take(b, to, n, false);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_scale(gfp_gpu_poly *b, const gfp_gpu_poly *a, const uint64_t *x)
{
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    const size_t n = a->len;
    const bool exact = a->exact;
    if (n == 0 || gfp_elem_is_zero(b->ring->field, x)) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
    GFP_TRY(gfp_gpu_vec_scale(b->ring->field, to, a->array, x, n));
    gfp_gpu_poly_take(b, to, n, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a)
{
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    const size_t n = a->len;
    const bool exact = a->exact;
    if (n == 0) {
        gfp_gpu_poly_zero(b);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(b, n, false, &to));
    GFP_TRY(gfp_gpu_vec_neg(b->ring->field, to, a->array, n));
    gfp_gpu_poly_take(b, to, n, exact);
    return GFP_OK;
}

/* z := -a from coefficient `from` on, in its place. */
static gfp_status negate_from(const gfp_gpu_poly *a, gfp_gpu_array *z, size_t from)
{
    const size_t k = a->ring->k, n = a->len - from;
    gfp_gpu_array *to = NULL, *x = NULL;
    gfp_status status = gfp_gpu_array_part(&to, z, from * k, n * k);
    if (status == GFP_OK) {
        status = gfp_gpu_array_part(&x, a->array, from * k, n * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_vec_neg(a->ring->field, to, x, n);
    }
    gfp_gpu_array_destroy(to);
    gfp_gpu_array_destroy(x);
    return status;
}

/* c := a + b, or a - b. Coefficients beyond the shorter operand are copied from the longer one, and
 * negated if that one is subtracted. */
static gfp_status combine_polys(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                bool subtract)
{
    const gfp_gpu_poly *longer = a->len >= b->len ? a : b;
    const size_t n = longer->len, common = gfp_size_min(a->len, b->len);
    const gfp_field *field = c->ring->field;
    gfp_gpu_array *to = NULL;
    GFP_TRY(gfp_gpu_poly_check(a, b));
    GFP_TRY(gfp_gpu_poly_check(a, c));
    if (n == 0) {
        gfp_gpu_poly_zero(c);
        return GFP_OK;
    }
    const bool exact = longer->exact && common < n;
    GFP_TRY(gfp_gpu_poly_place(c, n, false, &to));
    if (common > 0) {
        GFP_TRY(subtract ? gfp_gpu_vec_sub(field, to, a->array, b->array, common)
                         : gfp_gpu_vec_add(field, to, a->array, b->array, common));
    }
    if (common < n) {
        GFP_TRY(subtract && longer == b ? negate_from(b, to, common)
                                        : type_move(longer, to, common, common, n - common));
    }
    gfp_gpu_poly_take(c, to, n, exact);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_add(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    return combine_polys(c, a, b, false);
}

gfp_status gfp_gpu_poly_sub(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b)
{
    return combine_polys(c, a, b, true);
}

gfp_status gfp_gpu_poly_eval(const gfp_gpu_poly *a, uint64_t *y, const uint64_t *x)
{
    gfp_gpu_ring *ring = a->ring;
    if (a->len == 0) {
        gfp_elem_zero(ring->field, y);
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_ring_area(ring, &ring->work, a->len * ring->k));
    GFP_TRY(gfp_gpu_vec_evaluate(ring->field, ring->work, a->array, a->len, x));
    return gfp_gpu_download(y, ring->work, 0, ring->k);
}
