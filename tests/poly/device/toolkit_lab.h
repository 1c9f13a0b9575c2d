/* toolkit_lab.h: what is built on products on a device: fields, arrays and polynomials on both
 * sides, at the place of place.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DEVICE_TOOLKIT_LAB_H
#define TESTS_POLY_DEVICE_TOOLKIT_LAB_H

#include "lab/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/division.h"
#include "gfpoly/gpu_toolkit.h"
#include "gfpoly/series.h"
#include "lab/pairs.h"
#include "poly/device/place.h"

/* A field on both sides. */
typedef struct site {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    uint64_t seed;
} site;

static inline void open_site(site *s, gfp_gpu *gpu, const lab *l)
{
    *s = (site){.l = l, .gpu = gpu, .seed = l->k + 1};
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&s->ring, gpu, l->field, NULL, NULL), "ring");
}

static inline void close_site(site *s)
{
    gfp_gpu_ring_destroy(s->ring);
}

static inline void toolkit_lab_ok(const site *s, gfp_status status, const char *what)
{
    gpu_lab_ok(s->gpu, status, what);
}

/* Fields: named ones and some of the tiny; the first of each k where tests are short. */
static inline bool toolkit_lab_skips(size_t f)
{
    return gpu_lab_skips_alike(f) || (lab_fields[f].entry->r < 1000 && f % 3 != 0);
}

static inline size_t toolkit_lab_below(site *s, size_t n)
{
    return (size_t)(oracle_random(&s->seed) % n);
}

/* n elements, random ones and samples; not_zero: none of them is 0. */
static inline uint64_t *toolkit_lab_draw(site *s, size_t n, bool not_zero)
{
    const unsigned k = s->l->k;
    uint64_t *x = lab_array(n * k);
    for (size_t i = 0; i < n; i++) {
        do {
            if (toolkit_lab_below(s, 4) == 0) {
                memcpy(x + i * k, lab_sample(s->l, toolkit_lab_below(s, s->l->count)),
                       k * sizeof *x);
            } else {
                oracle_random_element(&s->l->o, x + i * k, &s->seed);
            }
        } while (not_zero && gfp_elem_is_zero(s->l->field, x + i * k));
    }
    return x;
}

static inline gfp_gpu_array *lab_upload(const site *s, const uint64_t *x, size_t n)
{
    return gpu_lab_upload(s->gpu, x, n * s->l->k);
}

static inline uint64_t *lab_download(const site *s, const gfp_gpu_array *x, size_t n)
{
    uint64_t *y = lab_array(n * s->l->k);
    toolkit_lab_ok(s, gfp_gpu_download(y, x, 0, n * s->l->k, NULL), "download");
    return y;
}

static inline void toolkit_lab_same(const site *s, const uint64_t *x, const uint64_t *y, size_t n,
                                    const char *what, size_t i, size_t j)
{
    lab_expect_digits(s->l, x, y, n, what, i, j);
}

/* ---- polynomials ---- */

static inline gfp_gpu_poly *toolkit_lab_make(const site *s)
{
    gfp_gpu_poly *a = NULL;
    assert_int_equal(gfp_gpu_poly_create(&a, s->ring, NULL), GFP_OK);
    return a;
}

/* ---- trees ---- */

/* Distinct elements. */
static inline uint64_t *draw_points(site *s, size_t n)
{
    const unsigned k = s->l->k;
    uint64_t *x = toolkit_lab_draw(s, n, false), shift[GFP_MAX_K];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (gfp_elem_equal(s->l->field, x + i * k, x + j * k)) {
                gfp_elem_set_u64(s->l->field, shift, 1 + toolkit_lab_below(s, 1000));
                gfp_elem_add(s->l->field, x + i * k, x + i * k, shift);
                j = SIZE_MAX; /* once more */
            }
        }
    }
    return x;
}

#endif
