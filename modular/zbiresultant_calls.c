/* zbiresultant_calls.c: the public call: resultants of bivariate polynomials over Z.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zbiresultant.h"

/* x := -x for n integers. */
static void negate(uint64_t *x, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        (void)mpn_neg(gfp_z_limbs(x + i * width), gfp_z_limbs(x + i * width), (mp_size_t)width);
    }
}

/* Compares with Res(b, a) = (-1)^(m n) Res(a, b) modulo other primes. */
static gfp_status cross(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_zbipair other = {pair->b, pair->a, pair->degree, pair->bits, 0, false};
    const size_t n = pair->degree + 1, width = gfp_z_width(pair->bits);
    const char *method = call->report.method;
    uint64_t *again;
    GFP_TRY(gfp_zcall_array(call, &again, gfp_size_mul_sat(n, width)));
    GFP_TRY(gfp_zbiresultant_words(call, again, &other, gfp_zbiresultant_blocks(pair), 1));
    if (pair->a->len % 2 == 0 && pair->b->len % 2 == 0) {
        negate(again, n, width);
    }
    call->report.verified = GFP_VERIFY_CROSS;
    call->report.cross_method = gfp_zmethod_names[GFP_Z_WORDS];
    call->report.method = method;
    return memcmp(r, again, n * width * sizeof *r) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

static gfp_status compute_and_check(gfp_zcall *call, uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_verify verify = call->options->verify;
    const double to = verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.98 : 1;
    GFP_TRY(gfp_zbiresultant_words(call, r, pair, 0, to));
    gfp_zcall_checks(call);
    switch (verify) {
    case GFP_VERIFY_POINT:
        return gfp_zbiresultant_check(call, r, pair);
    case GFP_VERIFY_CROSS:
        return cross(call, r, pair);
    default:
        return GFP_OK;
    }
}

/* made := the resultant. */
static gfp_status compute(gfp_zcall *call, gfp_zvec *made, const gfp_zbipoly *a,
                          const gfp_zbipoly *b)
{
    gfp_zbipair pair = {.a = a, .b = b};
    uint64_t *r;
    call->report.method = gfp_zmethod_names[GFP_Z_WORDS];
    GFP_TRY(gfp_zcall_takes(call, 1U << GFP_Z_WORDS | 1U << GFP_Z_WORDS_GPU));
    if (a->len == 0 || b->len == 0) {
        return gfp_zcall_finish(call);
    }
    GFP_TRY(gfp_zbiresultant_bounds(call, &pair));
    GFP_TRY(gfp_zbiresultant_choose(call, &pair));
    const size_t n = pair.degree + 1, width = gfp_z_width(pair.bits);
    GFP_TRY(gfp_zcall_array(call, &r, gfp_size_mul_sat(n, width)));
    GFP_TRY(compute_and_check(call, r, &pair));
    GFP_TRY(gfp_zvec_set_polynomial(made, r, n, width));
    return gfp_zcall_finish(call);
}

gfp_status gfp_zbipoly_resultant_y(gfp_zvec *r, const gfp_zbipoly *a, const gfp_zbipoly *b,
                                   const gfp_options *options)
{
    static const char name[] = "bivariate resultant over Z";
    gfp_options copy;
    gfp_zcall call;
    gfp_zvec made;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (r == NULL || a == NULL || b == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no polynomial", name);
    }
    if (r->ring != a->ring || r->ring != b->ring) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "%s: polynomials over different rings", name);
    }
    GFP_TRY(gfp_zcall_begin(&call, name, r->ring, options));
    gfp_zvec_init(&made, r->ring);
    const gfp_status status = compute(&call, &made, a, b);
    if (status == GFP_OK) {
        gfp_zvec_swap(r, &made);
    }
    gfp_zvec_clear(&made);
    return gfp_zcall_end(&call, status);
}
