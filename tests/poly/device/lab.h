/* lab.h: shared by the tests of resident polynomials: polynomials on both sides, at the
 * place of place.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DEVICE_LAB_H
#define TESTS_POLY_DEVICE_LAB_H

#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "gfpoly/gpu_poly.h"
#include "poly/device/type.h"
#include "poly/device/place.h"

/* A ring, and polynomials a, b, c on both sides. */
typedef struct pair {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    gfp_poly a, b, c;
    gfp_gpu_poly *da, *db, *dc;
} pair;

static inline void lab_ok(const pair *p, gfp_status status, const char *what)
{
    gpu_lab_ok(p->gpu, status, what);
}

static inline gfp_gpu_poly *lab_make(gfp_gpu_ring *ring)
{
    gfp_gpu_poly *a = NULL;
    assert_int_equal(gfp_gpu_poly_create(&a, ring, NULL), GFP_OK);
    return a;
}

static inline void pair_open(pair *p, gfp_gpu *gpu, const lab *l)
{
    gfp_error error = {.message = ""};
    *p = (pair){.l = l, .gpu = gpu};
    gpu_lab_ok(gpu,
               gfp_gpu_ring_create(&p->ring, gpu, l->field, NULL, &(gfp_options){.error = &error}),
               "ring");
    gfp_poly_init(&p->a, l->field);
    gfp_poly_init(&p->b, l->field);
    gfp_poly_init(&p->c, l->field);
    p->da = lab_make(p->ring);
    p->db = lab_make(p->ring);
    p->dc = lab_make(p->ring);
}

static inline void pair_close(pair *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
    gfp_gpu_poly_destroy(p->da);
    gfp_gpu_poly_destroy(p->db);
    gfp_gpu_poly_destroy(p->dc);
    gfp_gpu_ring_destroy(p->ring);
}

/* len coefficients of random and extreme elements, the last one not 0. */
static inline void lab_fill(const lab *l, gfp_poly *x, size_t len, uint64_t seed)
{
    assert_int_equal(gfp_poly_fit_length(x, len), GFP_OK);
    for (size_t i = 0; i < len; i++) {
        uint64_t *to = x->digits + i * l->k;
        if (oracle_random(&seed) % 3 == 0) {
            memcpy(to, lab_sample(l, (size_t)(oracle_random(&seed) % l->count)), l->k * sizeof *to);
        } else {
            oracle_random_element(&l->o, to, &seed);
        }
    }
    if (len > 0) {
        gfp_elem_one(l->field, x->digits + (len - 1) * l->k);
    }
    assert_int_equal(gfp_poly_set_length(x, len), GFP_OK);
}

static inline void lab_upload(pair *p)
{
    lab_ok(p, gfp_gpu_poly_upload(p->da, &p->a, NULL), "upload");
    lab_ok(p, gfp_gpu_poly_upload(p->db, &p->b, NULL), "upload");
}

/* Checks that the digits and the length equal those of x. */
static inline void expect_poly(const pair *p, gfp_gpu_poly *dx, const gfp_poly *x, const char *what)
{
    gfp_poly got;
    size_t len = 0;
    gfp_poly_init(&got, x->field);
    const size_t bound = dx->len;
    lab_ok(p, gfp_gpu_poly_download(&got, dx, NULL), what);
    if (!gfp_poly_equal(&got, x)) {
        fail_msg("%s: %s, lengths %zu and %zu", p->l->entry->text, what, got.len, x->len);
    }
    lab_ok(p, gfp_gpu_poly_length(&len, dx, NULL), what);
    if (len != x->len || bound < len || dx->len != len ||
        (len > 0 && gfp_gpu_array_words(gfp_gpu_poly_array(dx)) < len * p->l->k)) {
        fail_msg("%s: %s, length %zu by %zu instead of %zu", p->l->entry->text, what, len, bound,
                 x->len);
    }
    gfp_poly_clear(&got);
}

/* Fields of tests: named ones and one of the tiny; the first of each k where tests are short. */
static inline bool lab_skips(size_t f)
{
    return gpu_lab_skips_alike(f) || (lab_fields[f].entry->r < 1000 && f % 3 != 0);
}

#endif
