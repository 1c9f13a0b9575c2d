/* sequence.c: sequences of elements on a device, by doubling. With C(i) = i (i - 1) / 2 and
 * z_i = s^i q^C(i), z_(h + i) is z_i v_i for v_i = z_h q^(h i), since C(h + i) = C(h) + C(i) + h i.
 * The v of 2 h are v_i^2 q^(h h), and these times q^(2 h h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include "poly/impl.h"

/* The number of elements that the CPU computes: a doubling on the device takes up to four launches.
 */
#define FIRST_ELEMENTS 128

/* The first h elements of z are known. */
typedef struct doubling {
    gfp_gpu_ring *ring;
    gfp_gpu_array *z, *v; /* v: NULL if q = 1, where all v_i are v_0 */
    const uint64_t *q;
    size_t n, h;
    uint64_t v_0[GFP_MAX_K], step[GFP_MAX_K]; /* s^h q^C(h), q^h */
} doubling;

/* Elements of z that the next doubling makes. */
static size_t more_of(const doubling *w)
{
    return gfp_size_min(w->h, w->n - w->h);
}

/* The first elements of z, times `first`, and of v. */
static gfp_status sequence_start(doubling *w, const uint64_t *first, const uint64_t *s)
{
    const gfp_gpu_ring *ring = w->ring;
    const gfp_field *field = ring->field;
    const size_t k = ring->k, h = w->h, more = more_of(w);
    uint64_t factor[GFP_MAX_K];
    uint64_t *host = NULL;
    GFP_TRY(gfp_call_array(&ring->operation->base, &host, (h + more) * k));
    gfp_elem_one(field, w->v_0);
    gfp_elem_one(field, w->step);
    gfp_elem_set(field, factor, s); /* s q^i */
    for (size_t i = 0; i < h; i++) {
        gfp_elem_mul(field, host + i * k, first, w->v_0);
        gfp_elem_mul(field, w->v_0, w->v_0, factor);
        gfp_elem_mul(field, factor, factor, w->q);
        gfp_elem_mul(field, w->step, w->step, w->q);
    }
    uint64_t *v = host + h * k;
    for (size_t i = 0; i < more; i++) {
        if (i == 0) {
            gfp_elem_set(field, v, w->v_0);
        } else {
            gfp_elem_mul(field, v + i * k, v + (i - 1) * k, w->step);
        }
    }
    GFP_TRY(gfp_gpu_upload(w->z, 0, host, h * k, NULL));
    return w->v != NULL && more > 0 ? gfp_gpu_upload(w->v, 0, v, more * k, NULL) : GFP_OK;
}

/* Elements h, h + 1, ... of z. */
static gfp_status double_elements(const doubling *w)
{
    const gfp_gpu_ring *ring = w->ring;
    gfp_gpu_array *next = NULL;
    const size_t more = more_of(w);
    GFP_TRY(gfp_gpu_array_part(&next, w->z, w->h * ring->k, more * ring->k));
    const gfp_status status = w->v != NULL
                                  ? gfp_gpu_vec_mul(ring->field, next, w->z, w->v, more)
                                  : gfp_gpu_vec_scale(ring->field, next, w->z, w->v_0, more);
    gfp_gpu_array_destroy(next);
    return status;
}

/* The v of 2 h; w->h is 2 h already, w->step still q^h. */
static gfp_status double_factors(const doubling *w, const uint64_t *ratio)
{
    const gfp_gpu_ring *ring = w->ring;
    const size_t h = w->h / 2, more = more_of(w), low = gfp_size_min(h, more);
    uint64_t square[GFP_MAX_K];
    gfp_gpu_array *next = NULL;
    GFP_TRY(gfp_gpu_vec_sqr(ring->field, w->v, w->v, low));
    GFP_TRY(gfp_gpu_vec_scale(ring->field, w->v, w->v, ratio, low));
    if (more == low) {
        return GFP_OK;
    }
    gfp_elem_sqr(ring->field, square, ratio);
    GFP_TRY(gfp_gpu_array_part(&next, w->v, h * ring->k, (more - low) * ring->k));
    const gfp_status status = gfp_gpu_vec_scale(ring->field, next, w->v, square, more - low);
    gfp_gpu_array_destroy(next);
    return status;
}

gfp_status gfp_gpu_set_chirp(gfp_gpu_ring *ring, gfp_gpu_array *z, size_t n, const uint64_t *first,
                             const uint64_t *s, const uint64_t *q)
{
    const gfp_field *field = ring->field;
    doubling w = {.ring = ring, .z = z, .q = q, .n = n, .h = gfp_size_min(n, FIRST_ELEMENTS)};
    if (n > w.h && !gfp_elem_is_one(field, q)) {
        GFP_TRY(gfp_gpu_ring_work(ring, GFP_GPU_USE_SECOND, n - n / 2, &w.v));
    }
    GFP_TRY(sequence_start(&w, first, s));
    while (w.h < n) {
        uint64_t ratio[GFP_MAX_K]; /* q^(h h) */
        const uint64_t exponent = w.h;
        GFP_TRY(double_elements(&w));
        gfp_elem_pow(field, ratio, w.step, &exponent, 1);
        gfp_elem_sqr(field, w.v_0, w.v_0);
        gfp_elem_mul(field, w.v_0, w.v_0, ratio);
        w.h = gfp_size_min(w.h, SIZE_MAX / 2) * 2;
        GFP_TRY(w.v != NULL && w.h < n ? double_factors(&w, ratio) : GFP_OK);
        gfp_elem_sqr(field, w.step, w.step);
    }
    return GFP_OK;
}
