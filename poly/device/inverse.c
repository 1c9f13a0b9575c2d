/* inverse.c: inverses of many elements on a device: products of halves down to a few elements,
 * which the CPU inverts, and the same way back; products of the first elements of an array in the
 * same way, by products of neighbours.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gpu_toolkit.h"
#include "poly/device/call.h"
#include "poly/impl.h"
#include "field/elem.h"

/* The CPU inverts so many elements, in 13 us at k = 8; a level on the device takes four launches.
 */
#define LAST_ELEMENTS 128
#define MAX_LEVELS 64

/* Level 0 is x. Element i of a level is the product of elements i and i + half of the level before,
 * half = ceil(count / 2); the middle one of an odd count stands alone. */
typedef struct inversion {
    gfp_gpu_ring *ring;
    const gfp_gpu_array *x;
    gfp_gpu_array *area; /* the other levels, one after another, and two places for inverses */
    size_t from[MAX_LEVELS], count[MAX_LEVELS];
    size_t place[2];
    unsigned levels;
} inversion;

static size_t half_of(size_t n)
{
    return n - n / 2;
}

/* *part := elements from, from + 1, ... of an array. */
static gfp_status part_of(const gfp_gpu_ring *ring, const gfp_gpu_array *array, size_t from,
                          size_t n, gfp_gpu_array **part)
{
    return gfp_gpu_array_part(part, (gfp_gpu_array *)array, from * ring->k, n * ring->k);
}

gfp_status gfp_gpu_multiply_at(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t z_from,
                               const gfp_gpu_array *x, size_t x_from, const gfp_gpu_array *y,
                               size_t y_from, size_t n)
{
    gfp_gpu_array *to = NULL, *a = NULL, *b = NULL;
    gfp_status status = part_of(ring, z, z_from, n, &to);
    status = status != GFP_OK ? status : part_of(ring, x, x_from, n, &a);
    status = status != GFP_OK ? status : part_of(ring, y, y_from, n, &b);
    status = status != GFP_OK ? status : gfp_gpu_vec_mul(ring->field, to, a, b, n);
    gfp_gpu_array_destroy(to);
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    return status;
}

static gfp_status copy_at(const gfp_gpu_ring *ring, gfp_gpu_array *z, size_t z_from,
                          const gfp_gpu_array *x, size_t x_from, size_t n)
{
    return gfp_gpu_copy_range(z, z_from * ring->k, x, x_from * ring->k, n * ring->k);
}

static const gfp_gpu_array *array_of(const inversion *v, unsigned level)
{
    return level == 0 ? v->x : v->area;
}

static gfp_status open_inversion(inversion *v, size_t n)
{
    size_t room = 0;
    for (v->levels = 0;; v->levels++) {
        v->count[v->levels] = n;
        v->from[v->levels] = v->levels == 0 ? 0 : room;
        room += v->levels == 0 ? 0 : n;
        if (n <= LAST_ELEMENTS) {
            break;
        }
        n = half_of(n);
    }
    v->place[0] = room;
    v->place[1] = room + half_of(v->count[0]);
    return gfp_gpu_ring_work(v->ring, GFP_GPU_USE_LEVELS, room + 2 * half_of(v->count[0]),
                             &v->area);
}

static gfp_status multiply_levels(const inversion *v)
{
    for (unsigned t = 0; t < v->levels; t++) {
        const size_t n = v->count[t], half = half_of(n), pairs = n / 2, to = v->from[t + 1];
        const gfp_gpu_array *x = array_of(v, t);
        GFP_TRY(
            gfp_gpu_multiply_at(v->ring, v->area, to, x, v->from[t], x, v->from[t] + half, pairs));
        if (pairs < half) {
            GFP_TRY(copy_at(v->ring, v->area, to + pairs, x, v->from[t] + pairs, 1));
        }
    }
    return GFP_OK;
}

/* z from z_from on := the inverses of level t, from those of level t + 1 at `inverse`. z may lie
 * where x does, by another window, too: `spare` has room for the half of x that is read last. */
static gfp_status invert_level(const inversion *v, unsigned t, gfp_gpu_array *z, size_t z_from,
                               size_t inverse, size_t spare)
{
    const size_t n = v->count[t], half = half_of(n), pairs = n / 2, from = v->from[t];
    const gfp_gpu_array *x = array_of(v, t), *low = t == 0 ? v->area : x;
    const size_t low_from = t == 0 ? spare : from;
    GFP_TRY(t == 0 ? copy_at(v->ring, v->area, spare, x, from, pairs) : GFP_OK);
    GFP_TRY(gfp_gpu_multiply_at(v->ring, z, z_from, v->area, inverse, x, from + half, pairs));
    GFP_TRY(gfp_gpu_multiply_at(v->ring, z, z_from + half, v->area, inverse, low, low_from, pairs));
    return pairs < half ? copy_at(v->ring, z, z_from + pairs, v->area, inverse + pairs, 1) : GFP_OK;
}

/* *index := the place of a zero of x, from that of a zero of the last level. */
static gfp_status find_zero(const inversion *v, size_t *index)
{
    uint64_t element[GFP_MAX_K];
    for (unsigned t = v->levels; t-- > 0;) {
        const size_t half = half_of(v->count[t]);
        if (*index < v->count[t] / 2) {
            GFP_TRY(gfp_gpu_download(element, array_of(v, t), (v->from[t] + *index) * v->ring->k,
                                     v->ring->k, NULL));
            *index += gfp_elem_is_zero(v->ring->field, element) ? 0 : half;
        }
    }
    return GFP_OK;
}

/* The inverses of the last level, at place[0]. */
static gfp_status invert_last(const inversion *v, gfp_gpu_array *to, size_t at, gfp_error *error)
{
    const gfp_gpu_ring *ring = v->ring;
    const size_t k = ring->k, n = v->count[v->levels];
    gfp_error own = {.status = GFP_OK};
    uint64_t *host = NULL;
    GFP_TRY(gfp_call_array(&ring->operation->base, &host, n * k));
    GFP_TRY(gfp_gpu_download(host, array_of(v, v->levels), v->from[v->levels] * k, n * k, NULL));
    const gfp_status status = gfp_vec_inv(ring->field, host, host, n, &own);
    if (status == GFP_ERR_NOT_INVERTIBLE) {
        size_t index = (size_t)own.index;
        GFP_TRY(find_zero(v, &index));
        return gfp_error_set_at(error, status, index, "element %zu is 0", index);
    }
    GFP_TRY(status);
    return gfp_gpu_upload(to, at * k, host, n * k, NULL);
}

static gfp_status invert_all(inversion *v, gfp_gpu_array *z, size_t n, gfp_error *error)
{
    GFP_TRY(open_inversion(v, n));
    GFP_TRY(multiply_levels(v));
    if (v->levels == 0) {
        return invert_last(v, z, 0, error);
    }
    unsigned at = 0;
    GFP_TRY(invert_last(v, v->area, v->place[at], error));
    for (unsigned t = v->levels; t-- > 1; at ^= 1) {
        GFP_TRY(invert_level(v, t, v->area, v->place[at ^ 1], v->place[at], 0));
    }
    return invert_level(v, 0, z, 0, v->place[at], v->place[at ^ 1]);
}

gfp_status gfp_gpu_invert(gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x, size_t n,
                          gfp_error *error)
{
    inversion v = {.ring = ring, .x = x};
    size_t words = 0;
    if (!gfp_size_mul(&words, n, 4 * ring->k * sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%zu elements", n);
    }
    return invert_all(&v, z, n, error);
}

/* ---- the call ---- */

/* The inverses stay apart from z, which may be x, if they are checked. */
static gfp_status compute_inverses(gfp_gpu_operation *op, gfp_gpu_poly *made, const gfp_gpu_call *w)
{
    gfp_gpu_array **apart = w->own, *z = (gfp_gpu_array *)w->array[0].x;
    (void)made;
    if (op->apart) {
        GFP_TRY(gfp_gpu_array_create(apart, op->ring->gpu, w->n * op->ring->k, NULL));
        z = *apart;
    }
    return gfp_gpu_invert(op->ring, z, w->array[1].x, w->n, &op->base.error);
}

gfp_status gfp_gpu_check_inverses(gfp_gpu_operation *op, const gfp_gpu_array *z,
                                  const gfp_gpu_array *x, size_t n)
{
    gfp_gpu_ring *ring = op->ring;
    gfp_gpu_array *products = NULL, *unit = NULL;
    uint64_t one[GFP_MAX_K];
    GFP_TRY(gfp_gpu_check_elements(ring, z, n));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_LEVELS, n, &products));
    GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SMALL, 1, &unit));
    gfp_elem_one(ring->field, one);
    GFP_TRY(gfp_gpu_upload(unit, 0, one, ring->k, NULL));
    GFP_TRY(gfp_gpu_vec_mul(ring->field, products, z, x, n));
    const gfp_gpu_rows d = {products, 0, 1}, terms[] = {d, {unit, 0, 0}};
    GFP_TRY(gfp_gpu_vec_sum_rows(ring->field, &d, terms, 2, 2, n, 1));
    return gfp_gpu_expect_zeros(ring, products, n);
}

static gfp_status check_call(gfp_gpu_operation *op, const gfp_gpu_poly *made, const gfp_gpu_call *w)
{
    gfp_gpu_array *const *z = w->own;
    (void)made;
    return gfp_gpu_check_inverses(op, *z, w->array[1].x, w->n);
}

static gfp_status deliver_inverses(gfp_gpu_operation *op, const gfp_gpu_call *w)
{
    gfp_gpu_array *const *made = w->own;
    return *made == NULL
               ? GFP_OK
               : gfp_gpu_set((gfp_gpu_array *)w->array[0].x, *made, w->n * op->ring->k, NULL);
}

gfp_status gfp_gpu_vec_inv(gfp_gpu_ring *ring, gfp_gpu_array *z, const gfp_gpu_array *x, size_t n,
                           const gfp_options *options)
{
    gfp_gpu_array *made = NULL;
    if (n == 0) {
        return GFP_OK;
    }
    const gfp_status status =
        gfp_gpu_call_run(&(gfp_gpu_call){.name = "inverses",
                                         .ring = ring,
                                         .array = {{z, n, "the output"}, {x, n, "the input"}},
                                         .arrays = 2,
                                         .n = n,
                                         .own = &made,
                                         .compute = compute_inverses,
                                         .check = check_call,
                                         .deliver = deliver_inverses},
                         options);
    gfp_gpu_array_destroy(made);
    return status;
}

/* ---- products of the first elements ---- */

/* Level 0 is z. Element i of a level is the product of elements 2 i and 2 i + 1 of the level
 * before; the last one of an odd count stands alone. */
typedef struct prefixes {
    gfp_gpu_ring *ring;
    gfp_gpu_array *array[MAX_LEVELS];
    size_t from[MAX_LEVELS], count[MAX_LEVELS];
    gfp_gpu_array *gathered; /* every other element of a level */
    unsigned levels;
} prefixes;

static gfp_status open_prefixes(prefixes *v, gfp_gpu_array *z, size_t n)
{
    gfp_gpu_array *area = NULL;
    size_t room = 0;
    for (v->levels = 0;; v->levels++) {
        v->count[v->levels] = n;
        v->from[v->levels] = v->levels == 0 ? 0 : room;
        room += v->levels == 0 ? 0 : n;
        if (n <= LAST_ELEMENTS) {
            break;
        }
        n = half_of(n);
    }
    GFP_TRY(gfp_gpu_ring_work(v->ring, GFP_GPU_USE_LEVELS, room, &area));
    for (unsigned t = 0; t <= v->levels; t++) {
        v->array[t] = t == 0 ? z : area;
    }
    return gfp_gpu_ring_work(v->ring, GFP_GPU_USE_SMALL, half_of(v->count[0]), &v->gathered);
}

/* n elements of a level, every other one from element `first` on, as rows of one element. */
static gfp_gpu_rows every_other(const prefixes *v, unsigned t, size_t first)
{
    return (gfp_gpu_rows){v->array[t], v->from[t] + first, 2};
}

static gfp_status copy_rows(const prefixes *v, const gfp_gpu_rows *z, const gfp_gpu_rows *x,
                            size_t n)
{
    return n == 0 ? GFP_OK : gfp_gpu_vec_sum_rows(v->ring->field, z, x, 1, 0, n, 1);
}

static gfp_status multiply_neighbours(const prefixes *v, unsigned t)
{
    const size_t n = v->count[t], pairs = n / 2, to = v->from[t + 1];
    const gfp_gpu_rows even = every_other(v, t, 0), odd = every_other(v, t, 1);
    const gfp_gpu_rows left = {v->gathered, 0, 1}, right = {v->array[t + 1], to, 1};
    GFP_TRY(copy_rows(v, &left, &even, pairs));
    GFP_TRY(copy_rows(v, &right, &odd, pairs));
    GFP_TRY(gfp_gpu_multiply_at(v->ring, v->array[t + 1], to, v->array[t + 1], to, v->gathered, 0,
                                pairs));
    return n % 2 == 0
               ? GFP_OK
               : copy_at(v->ring, v->array[t + 1], to + pairs, v->array[t], v->from[t] + n - 1, 1);
}

/* The products of level t from those of level t + 1: these are the odd ones, and one element more
 * gives the even ones. */
static gfp_status multiply_prefixes(const prefixes *v, unsigned t)
{
    const size_t n = v->count[t], pairs = n / 2, others = half_of(n) - 1;
    const gfp_gpu_rows even = every_other(v, t, 2), odd = every_other(v, t, 1);
    const gfp_gpu_rows left = {v->gathered, 0, 1}, right = {v->array[t + 1], v->from[t + 1], 1};
    GFP_TRY(copy_rows(v, &left, &even, others));
    GFP_TRY(gfp_gpu_multiply_at(v->ring, v->gathered, 0, v->gathered, 0, v->array[t + 1],
                                v->from[t + 1], others));
    GFP_TRY(copy_rows(v, &even, &left, others));
    return copy_rows(v, &odd, &right, pairs);
}

/* The products of the last level, by the CPU. */
static gfp_status multiply_last(const prefixes *v)
{
    const gfp_gpu_ring *ring = v->ring;
    const size_t k = ring->k, n = v->count[v->levels], at = v->from[v->levels] * k;
    uint64_t *host = NULL;
    GFP_TRY(gfp_call_array(&ring->operation->base, &host, n * k));
    GFP_TRY(gfp_gpu_download(host, v->array[v->levels], at, n * k, NULL));
    for (size_t i = 1; i < n; i++) {
        gfp_elem_mul(ring->field, host + i * k, host + i * k, host + (i - 1) * k);
    }
    return gfp_gpu_upload(v->array[v->levels], at, host, n * k, NULL);
}

gfp_status gfp_gpu_prefix_products(gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n)
{
    prefixes v = {.ring = ring};
    if (n < 2) {
        return GFP_OK;
    }
    GFP_TRY(open_prefixes(&v, z, n));
    for (unsigned t = 0; t < v.levels; t++) {
        GFP_TRY(multiply_neighbours(&v, t));
    }
    GFP_TRY(multiply_last(&v));
    for (unsigned t = v.levels; t-- > 0;) {
        GFP_TRY(multiply_prefixes(&v, t));
    }
    return GFP_OK;
}
