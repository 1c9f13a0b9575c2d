/* resultant_calls.c: the public call: resultants of bivariate polynomials over Z.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/resultant.h"
#include "modular/resultant/form.h"

/* x := -x for n integers. */
static void resultant_calls_negate(uint64_t *x, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        (void)mpn_neg(gfp_z_limbs(x + i * width), gfp_z_limbs(x + i * width), (mp_size_t)width);
    }
}

/* Compares with Res(b, a) = (-1)^(m n) Res(a, b) modulo other primes. */
static gfp_status resultant_calls_cross(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    const gfp_zbipair other = {pair->b, pair->a, pair->degree, pair->bits, 0, false};
    const size_t n = pair->degree + 1, width = gfp_z_width(pair->bits);
    const char *method = call->base.report.method;
    uint64_t *again;
    GFP_TRY(gfp_call_array(&call->base, &again, gfp_size_mul_sat(n, width)));
    GFP_TRY(gfp_zbiresultant_words(call, again, &other, gfp_zbiresultant_blocks(pair), 1));
    if (pair->a->len % 2 == 0 && pair->b->len % 2 == 0) {
        resultant_calls_negate(again, n, width);
    }
    call->base.report.verified = GFP_VERIFY_CROSS;
    call->base.report.cross_method = gfp_zmethod_names[GFP_Z_WORDS];
    call->base.report.method = method;
    return memcmp(r, again, n * width * sizeof *r) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

/* ---- an operand that is constant or linear in Y ---- */

/* z, empty, := c^n. */
static gfp_status by_power(gfp_zcall *call, gfp_ztemp *z, const gfp_zvec *c, size_t n, double to)
{
    static const uint64_t one[] = {1};
    call->base.report.method = "power";
    GFP_TRY(gfp_zvec_set_limbs(&z->v, one, 1, 1));
    return gfp_zvec_times_power(call, z, c, n, to);
}

/* z, empty, := the sum of f_i (-d)^i c^(n - i), the resultant of c Y + d and f of degree n in Y;
 * (-1)^n times that if `negative`. */
static gfp_status by_line(gfp_zcall *call, gfp_ztemp *z, const gfp_zbipoly *line,
                          const gfp_zbipoly *f, bool negative, double to)
{
    const gfp_zvec *d = &line->coeff[0];
    gfp_ztemp s;
    call->base.report.method = "linear";
    gfp_ztemp_init(call, &s);
    gfp_status status = gfp_zvec_combine(&s.v, -1, d, 0, 0, d);
    if (status == GFP_OK) {
        status = gfp_ztemp_count(call, &s);
    }
    if (status == GFP_OK) {
        status = gfp_zform_of_polynomials(call, z, f, &s.v, &line->coeff[1], to);
    }
    if (status == GFP_OK && negative && f->len % 2 == 0) {
        status = gfp_zvec_combine(&z->v, -1, &z->v, 0, 0, &z->v);
    }
    gfp_ztemp_clear(call, &s);
    return status;
}

/* z, empty, := the resultant; an operand is constant or linear. */
static gfp_status by_formula(gfp_zcall *call, gfp_ztemp *z, const gfp_zbipair *pair, double to)
{
    const gfp_zbipoly *a = pair->a, *b = pair->b;
    if (b->len == 1) {
        return by_power(call, z, &b->coeff[0], a->len - 1, to);
    }
    if (a->len == 1) {
        return by_power(call, z, &a->coeff[0], b->len - 1, to);
    }
    return a->len == 2 ? by_line(call, z, a, b, false, to) : by_line(call, z, b, a, true, to);
}

/* ---- the call ---- */

/* The part of the call until its check. */
static double before_check(const gfp_zcall *call)
{
    const gfp_verify verify = call->base.options->verify;
    return verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.98 : 1;
}

/* Checks r, of pair->degree + 1 numbers. */
static gfp_status resultant_calls_check(gfp_zcall *call, const uint64_t *r, const gfp_zbipair *pair)
{
    gfp_call_checks(&call->base);
    switch (call->base.options->verify) {
    case GFP_VERIFY_POINT:
        return gfp_zbiresultant_check(call, r, pair);
    case GFP_VERIFY_CROSS:
        return resultant_calls_cross(call, r, pair);
    default:
        return GFP_OK;
    }
}

/* The same for a vector. */
static gfp_status check_vector(gfp_zcall *call, const gfp_zvec *z, gfp_zbipair *pair)
{
    uint64_t *r;
    if (call->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zbiresultant_bounds(call, pair));
    const size_t n = pair->degree + 1, width = gfp_z_width(pair->bits);
    const size_t limbs = gfp_size_mul_sat(n, width);
    GFP_TRY(gfp_call_array(&call->base, &r, limbs));
    memset(r, 0, limbs * sizeof *r);
    for (size_t i = 0; i < z->len; i++) {
        gfp_z_resize(r + i * width, width, gfp_zvec_at(z, i), z->width);
    }
    return resultant_calls_check(call, r, pair);
}

/* made := the resultant by its formula. */
static gfp_status compute_by_formula(gfp_zcall *call, gfp_zvec *made, gfp_zbipair *pair)
{
    gfp_ztemp z;
    gfp_ztemp_init(call, &z);
    gfp_status status = by_formula(call, &z, pair, before_check(call));
    if (status == GFP_OK) {
        status = check_vector(call, &z.v, pair);
    }
    if (status == GFP_OK) {
        status = gfp_zvec_set_polynomial(made, z.v.limbs, z.v.len, z.v.width);
    }
    gfp_ztemp_clear(call, &z);
    return status == GFP_OK ? gfp_call_finish(&call->base) : status;
}

/* made := the resultant. */
static gfp_status resultant_calls_compute(gfp_zcall *call, gfp_zvec *made, const gfp_zbipoly *a,
                                          const gfp_zbipoly *b)
{
    gfp_zbipair pair = {.a = a, .b = b};
    call->base.report.method = gfp_zmethod_names[GFP_Z_WORDS];
    GFP_TRY(gfp_zcall_takes(call, 1U << GFP_Z_WORDS | 1U << GFP_Z_WORDS_GPU));
    if (a->len == 0 || b->len == 0) {
        return gfp_call_finish(&call->base);
    }
    if (call->method == GFP_Z_AUTO && gfp_size_min(a->len, b->len) <= 2) {
        return compute_by_formula(call, made, &pair);
    }
    GFP_TRY(gfp_zbiresultant_bounds(call, &pair));
    GFP_TRY(gfp_zbiresultant_choose(call, &pair));
    GFP_TRY(gfp_zvec_reserve(made, pair.degree + 1, gfp_z_width(pair.bits)));
    GFP_TRY(gfp_zbiresultant_words(call, made->limbs, &pair, 0, before_check(call)));
    GFP_TRY(resultant_calls_check(call, made->limbs, &pair));
    gfp_zvec_trim(made);
    return gfp_call_finish(&call->base);
}

static gfp_status run_resultant(gfp_zcall *call, gfp_zvec *r, const gfp_zbipoly *a,
                                const gfp_zbipoly *b)
{
    gfp_zring *const rings[] = {GFP_ZRING(r), GFP_ZRING(a), GFP_ZRING(b)};
    gfp_zvec made;
    GFP_TRY(gfp_zcall_start(call, rings, 3));
    gfp_zcall_key(call, a->coeff, a->len);
    gfp_zcall_key(call, b->coeff, b->len);
    gfp_zvec_init(&made, call->ring);
    const gfp_status status = resultant_calls_compute(call, &made, a, b);
    if (status == GFP_OK) {
        gfp_zvec_swap(r, &made);
    }
    gfp_zvec_clear(&made);
    return status;
}

gfp_status gfp_zbipoly_resultant_y(gfp_zvec *r, const gfp_zbipoly *a, const gfp_zbipoly *b,
                                   const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "bivariate resultant over Z", options));
    return gfp_call_end(&call.base, run_resultant(&call, r, a, b));
}
