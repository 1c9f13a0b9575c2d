/* matrix_calls.c: the public calls: determinants and characteristic polynomials of matrices over
 * Z[X], from images at points (images.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/matrix.h"
#include "modular/bivariate.h"

/* ---- results and checks ---- */

/* Compares with the results for the transposed matrix modulo other primes. */
static gfp_status matrix_calls_cross(gfp_zcall *call, const uint64_t *r, const gfp_zimages *images)
{
    const size_t n = images->n, width = gfp_z_width(images->bits);
    const size_t limbs = images->results * (images->degree + 1) * width;
    uint64_t *again, *memory;
    GFP_TRY(gfp_call_array(&call->base, &again, limbs));
    GFP_TRY(gfp_call_array(&call->base, &memory,
                           gfp_size_mul_sat(n * n, sizeof(gfp_zvec) / sizeof *memory + 1)));
    gfp_zbipoly other = *images->operand[0];
    other.coeff = (gfp_zvec *)(void *)memory;
    for (size_t i = 0; i < n * n; i++) {
        other.coeff[i] = images->operand[0]->coeff[i % n * n + i / n];
    }
    gfp_zimages transposed = *images;
    transposed.operand[0] = &other;
    GFP_TRY(gfp_zimages_compute(call, again, &transposed, gfp_zimages_blocks(images), 1));
    call->base.report.verified = GFP_VERIFY_CROSS;
    call->base.report.cross_method = gfp_zmethod_names[GFP_Z_WORDS];
    return memcmp(r, again, limbs * sizeof *r) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

/* *r := the results in a new array. */
static gfp_status compute_and_check(gfp_zcall *call, uint64_t **r, const gfp_zimages *images)
{
    const gfp_verify verify = call->base.options->verify;
    const double to = verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.98 : 1;
    const size_t numbers = gfp_size_mul_sat(images->results, images->degree + 1);
    GFP_TRY(gfp_call_array(&call->base, r, gfp_size_mul_sat(numbers, gfp_z_width(images->bits))));
    GFP_TRY(gfp_zimages_compute(call, *r, images, 0, to));
    gfp_call_checks(&call->base);
    switch (verify) {
    case GFP_VERIFY_POINT:
        return gfp_zimages_check(call, *r, images);
    case GFP_VERIFY_CROSS:
        return matrix_calls_cross(call, *r, images);
    default:
        return GFP_OK;
    }
}

static gfp_status matrix_calls_begin(gfp_zcall *call)
{
    call->base.report.method = gfp_zmethod_names[GFP_Z_WORDS];
    return gfp_zcall_takes(call, 1U << GFP_Z_WORDS);
}

/* made := 1. */
static gfp_status set_one(gfp_zvec *made)
{
    static const uint64_t one = 1;
    return gfp_zvec_set_polynomial(made, &one, 1, 1);
}

/* ---- determinants ---- */

static gfp_status compute_determinant(gfp_zcall *call, gfp_zvec *made, const gfp_zmatrix *a)
{
    const gfp_zbipoly entries = gfp_zmatrix_view(a);
    const double n = (double)a->n;
    gfp_zimages images = {.kind = &gfp_zmatrix_determinants,
                          .operand = {&entries, NULL},
                          .n = a->n,
                          .results = 1,
                          .cost = n * n * n / 3};
    uint64_t *r;
    bool zero = false;
    GFP_TRY(matrix_calls_begin(call));
    if (a->n == 0) {
        GFP_TRY(set_one(made));
        return gfp_call_finish(&call->base);
    }
    GFP_TRY(gfp_zmatrix_bounds(call, &images, a, &zero));
    if (!zero) {
        GFP_TRY(compute_and_check(call, &r, &images));
        GFP_TRY(gfp_zvec_set_polynomial(made, r, images.degree + 1, gfp_z_width(images.bits)));
    }
    return gfp_call_finish(&call->base);
}

static gfp_status run_determinant(gfp_zcall *call, gfp_zvec *r, const gfp_zmatrix *a)
{
    gfp_zring *const rings[] = {GFP_ZRING(r), GFP_ZRING(a)};
    gfp_zvec made;
    GFP_TRY(gfp_zcall_start(call, rings, 2));
    gfp_zcall_key(call, a->entry, a->n * a->n);
    gfp_zvec_init(&made, call->ring);
    const gfp_status status = compute_determinant(call, &made, a);
    if (status == GFP_OK) {
        gfp_zvec_swap(r, &made);
    }
    gfp_zvec_clear(&made);
    return status;
}

gfp_status gfp_zmatrix_det(gfp_zvec *r, const gfp_zmatrix *a, const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "determinant over Z[X]", options));
    return gfp_call_end(&call.base, run_determinant(&call, r, a));
}

/* ---- characteristic polynomials ---- */

static gfp_status compute_charpoly(gfp_zcall *call, gfp_zbipoly *made, const gfp_zmatrix *a)
{
    const gfp_zbipoly entries = gfp_zmatrix_view(a);
    const double n = (double)a->n;
    gfp_zimages images = {.kind = &gfp_zmatrix_charpolys,
                          .operand = {&entries, NULL},
                          .n = a->n,
                          .results = a->n,
                          .cost = n * n * n};
    uint64_t *r;
    bool zero;
    GFP_TRY(matrix_calls_begin(call));
    GFP_TRY(gfp_zbipoly_fit(made, gfp_size_add_sat(a->n, 1)));
    if (a->n > 0) {
        GFP_TRY(gfp_zmatrix_bounds(call, &images, a, &zero));
        GFP_TRY(compute_and_check(call, &r, &images));
        const size_t len = images.degree + 1, width = gfp_z_width(images.bits);
        for (size_t o = 0; o < a->n; o++) {
            GFP_TRY(gfp_zvec_set_polynomial(&made->coeff[o], r + o * len * width, len, width));
        }
    }
    GFP_TRY(set_one(&made->coeff[a->n]));
    gfp_zbipoly_normalise(made, a->n + 1);
    return gfp_call_finish(&call->base);
}

static gfp_status run_charpoly(gfp_zcall *call, gfp_zbipoly *c, const gfp_zmatrix *a)
{
    gfp_zring *const rings[] = {GFP_ZRING(c), GFP_ZRING(a)};
    gfp_zbipoly made;
    GFP_TRY(gfp_zcall_start(call, rings, 2));
    gfp_zcall_key(call, a->entry, a->n * a->n);
    gfp_zbipoly_init(&made, call->ring);
    const gfp_status status = compute_charpoly(call, &made, a);
    if (status == GFP_OK) {
        gfp_zbipoly_swap(c, &made);
    }
    gfp_zbipoly_clear(&made);
    return status;
}

gfp_status gfp_zmatrix_charpoly(gfp_zbipoly *c, const gfp_zmatrix *a, const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "characteristic polynomial over Z[X]", options));
    return gfp_call_end(&call.base, run_charpoly(&call, c, a));
}
