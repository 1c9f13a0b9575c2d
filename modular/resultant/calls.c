/* calls.c: the public calls: resultants, discriminants, contents.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choice.h"
#include "modular/resultant/form.h"
#include "modular/resultant/impl.h"

/* ---- a resultant ---- */

static gfp_status by_flint(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair)
{
    const gfp_crt_integers a = gfp_zflint_integers(pair->a), b = gfp_zflint_integers(pair->b);
    if (!gfp_zflint_is_there()) {
        return gfp_zcall_unavailable(call, "the library was built without FLINT");
    }
    /* FLINT allocates by itself: copies of the operands, the primes' residues of the result. */
    const size_t copies = gfp_size_add_sat(gfp_size_mul_sat(a.len, 8 * a.width + 40),
                                           gfp_size_mul_sat(b.len, 8 * b.width + 40));
    const size_t bytes = gfp_size_add_sat(gfp_size_mul_sat(3, copies), pair->bits);
    GFP_TRY(gfp_call_take(&call->base, bytes));
    GFP_TRY(gfp_zcall_step_on(call, 0.9, 1, 1));
    GFP_TRY(gfp_crt_zresultant_flint(r, gfp_z_width(pair->bits), &a, &b));
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    gfp_call_give(&call->base, bytes);
    return GFP_OK;
}

/* r := the resultant by this method. Methods but word-size primes take one width. */
static gfp_status run_method(gfp_zcall *call, gfp_zmethod method, uint64_t *r,
                             const gfp_zpair *operands, double to)
{
    gfp_zpair flat = *operands;
    const gfp_zpair *pair = &flat;
    if (method != GFP_Z_WORDS) {
        GFP_TRY(gfp_zpoly_flatten(call, &flat.a, flat.a));
        GFP_TRY(gfp_zpoly_flatten(call, &flat.b, flat.b));
    }
    switch (method) {
    case GFP_Z_WORDS:
        return gfp_zresultant_words(call, r, pair, 0, to);
    case GFP_Z_BIG:
        return gfp_zresultant_big(call, r, pair, to);
    case GFP_Z_FLINT:
        return by_flint(call, r, pair);
    default:
        return gfp_zcall_takes(call, 1U << GFP_Z_WORDS | 1U << GFP_Z_BIG | 1U << GFP_Z_FLINT);
    }
}

/* Whether a second method computes the same; word-size primes do if no other method can, others
 * than before if they came first. */
static gfp_status resultant_calls_cross(gfp_zcall *call, gfp_zmethod first, const uint64_t *r,
                                        const gfp_zpair *pair)
{
    const size_t width = gfp_z_width(pair->bits);
    const bool flint = first == GFP_Z_WORDS && gfp_zflint_is_there();
    const gfp_zmethod second = flint ? GFP_Z_FLINT : GFP_Z_WORDS;
    uint64_t *other;
    GFP_TRY(gfp_call_array(&call->base, &other, width));
    if (flint) {
        GFP_TRY(run_method(call, second, other, pair, 1));
    } else {
        const size_t from = first == GFP_Z_WORDS ? gfp_zresultant_blocks(pair) : 0;
        GFP_TRY(gfp_zresultant_words(call, other, pair, from, 1));
    }
    call->base.report.verified = GFP_VERIFY_CROSS;
    call->base.report.cross_method = gfp_zmethod_names[second];
    return memcmp(r, other, width * sizeof *r) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

/* r := the resultant of what is left of the operands, to the fraction `to` of the part. */
static gfp_status resultant_calls_compute(gfp_zcall *call, gfp_zmethod *method, uint64_t *r,
                                          const gfp_zpair *pair, double to)
{
    if (call->method == GFP_Z_AUTO && gfp_zpair_is_linear(pair)) {
        call->base.report.method = "linear";
        return gfp_zresultant_linear(call, r, pair, to);
    }
    *method = call->method;
    if (*method == GFP_Z_AUTO) {
        const bool fits = gfp_zresultant_blocks(pair) <= GFP_Z_MOST_BLOCKS;
        *method = fits || !gfp_zflint_is_there() ? GFP_Z_WORDS : GFP_Z_FLINT;
    }
    call->base.report.method = gfp_zmethod_names[*method];
    return run_method(call, *method, r, pair, to);
}

/* z := the product of the factors; core: the resultant of the pair, or 1. */
static gfp_status put_together(gfp_zcall *call, gfp_ztemp *z, const gfp_zfactored *f,
                               const gfp_zvec *core)
{
    static const uint64_t one[] = {1};
    const double steps = (double)f->count + 1;
    GFP_TRY(gfp_zvec_set_limbs(&z->v, one, 1, 1));
    GFP_TRY(gfp_zvec_times_power(call, z, core, f->power, 1 / steps));
    for (size_t i = 0; i < f->count; i++) {
        const gfp_znat c = f->base[i];
        uint64_t *x; /* with a limb for the sign */
        GFP_TRY(gfp_call_array(&call->base, &x, c.n + 1));
        memcpy(x, c.limbs, c.n * sizeof *x);
        x[c.n] = 0;
        const gfp_zvec base = {.ring = call->ring, .limbs = x, .len = 1, .width = c.n + 1};
        GFP_TRY(gfp_zvec_times_power(call, z, &base, f->exponent[i], (double)(i + 2) / steps));
    }
    return f->negative ? gfp_zvec_combine(&z->v, -1, &z->v, 0, 0, &z->v) : GFP_OK;
}

/* *z := the resultant of operands other than 0, in an array of the call or in `made`. */
static gfp_status compute_and_check(gfp_zcall *call, gfp_zpoly *z, gfp_ztemp *made,
                                    const gfp_zfactored *f)
{
    const gfp_verify verify = call->base.options->verify;
    const double to = verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.95 : 1;
    const bool plain = f->power == 1 && f->count == 0 && !f->negative;
    const size_t width = f->power > 0 ? gfp_z_width(f->pair.bits) : 1;
    gfp_zmethod method = GFP_Z_AUTO;
    uint64_t *r;
    call->base.report.method = "power";
    GFP_TRY(gfp_call_array(&call->base, &r, width));
    *z = (gfp_zpoly){r, 1, width};
    if (f->power > 0) {
        GFP_TRY(resultant_calls_compute(call, &method, r, &f->pair, plain ? to : 0.8 * to));
    }
    if (!plain) {
        const gfp_zvec core = {.ring = call->ring, .limbs = r, .len = 1, .width = width};
        gfp_zcall_part(call, to);
        GFP_TRY(put_together(call, made, f, &core));
        GFP_TRY(gfp_zpoly_of(call, z, &made->v));
        gfp_zcall_part(call, 1);
    }
    gfp_call_checks(&call->base);
    switch (verify) {
    case GFP_VERIFY_POINT:
        return gfp_zresultant_check(call, *z, f);
    case GFP_VERIFY_CROSS:
        return f->power > 0 ? resultant_calls_cross(call, method, r, &f->pair) : GFP_OK;
    default:
        return GFP_OK;
    }
}

/* *z := the resultant of a and b, one coefficient, or none: 0; `made` may hold its limbs. */
static gfp_status resultant_of(gfp_zcall *call, gfp_zpoly *z, gfp_ztemp *made, gfp_zpoly a,
                               gfp_zpoly b)
{
    gfp_zfactored f;
    *z = (gfp_zpoly){NULL, 0, 1};
    if (a.len == 0 || b.len == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zresultant_factor(call, &f, a, b));
    if (f.zero) {
        call->base.report.method = "power";
        return GFP_OK;
    }
    return compute_and_check(call, z, made, &f);
}

/* ---- calls ---- */

/* Gives a result to the caller. */
static gfp_status resultant_calls_deliver(gfp_zcall *call, gfp_zvec *r, gfp_zpoly z)
{
    gfp_zvec made;
    gfp_zvec_init(&made, r->ring);
    gfp_status status = gfp_zvec_set_polynomial(&made, z.limbs, z.len, z.width);
    if (status == GFP_OK) {
        status = gfp_call_finish(&call->base);
    }
    if (status == GFP_OK) {
        gfp_zvec_swap(r, &made);
    }
    gfp_zvec_clear(&made);
    return status;
}

static gfp_status compute_resultant(gfp_zcall *call, gfp_zvec *r, const gfp_zvec *a,
                                    const gfp_zvec *b)
{
    gfp_zpoly z, f, g;
    gfp_ztemp made;
    gfp_zcall_key(call, a, 1);
    gfp_zcall_key(call, b, 1);
    GFP_TRY(gfp_zpoly_of(call, &f, a));
    GFP_TRY(gfp_zpoly_of(call, &g, b));
    gfp_ztemp_init(call, &made);
    gfp_status status = resultant_of(call, &z, &made, f, g);
    if (status == GFP_OK) {
        status = resultant_calls_deliver(call, r, z);
    }
    gfp_ztemp_clear(call, &made);
    return status;
}

gfp_status gfp_zvec_resultant(gfp_zvec *r, const gfp_zvec *a, const gfp_zvec *b,
                              const gfp_options *options)
{
    gfp_zring *const rings[] = {GFP_ZRING(r), GFP_ZRING(a), GFP_ZRING(b)};
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "resultant over Z", options));
    const gfp_status status = gfp_zcall_start(&call, rings, 3);
    return gfp_call_end(&call.base, status == GFP_OK ? compute_resultant(&call, r, a, b) : status);
}

gfp_status gfp_zderivative(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f)
{
    uint64_t *magnitude;
    size_t width;
    GFP_TRY(gfp_zpoly_reserve_like(call, z, f, 1));
    GFP_TRY(gfp_call_array(&call->base, &magnitude, gfp_zpoly_widest(f) + 1));
    z->len = f.len - 1;
    if (f.width == 0) {
        z->limbs[0] = f.len; /* offsets of one number less */
    }
    for (size_t i = 0; i < z->len; i++) {
        const uint64_t *x = gfp_zpoly_get(f, i + 1, &width);
        const size_t n = gfp_z_magnitude(magnitude, x, width);
        magnitude[n] =
            n == 0 ? 0
                   : mpn_mul_1(gfp_z_limbs(magnitude), gfp_z_limbs(magnitude), (mp_size_t)n, i + 1);
        gfp_zpoly_put(*z, i, magnitude, gfp_z_strip(magnitude, n + (n > 0)),
                      gfp_z_negative(x, width));
    }
    return GFP_OK;
}

/* *z := (-1)^(n (n - 1) / 2) res(f, f') / lc(f), n >= 2 the degree of f. */
static gfp_status resultant_calls_discriminant(gfp_zcall *call, gfp_zpoly *z, gfp_ztemp *made,
                                               gfp_zpoly f)
{
    uint64_t one = 1;
    const gfp_znat unit = {&one, 1};
    const size_t n = f.len - 1;
    const bool odd = n % 4 == 2 || n % 4 == 3;
    gfp_zpoly d;
    gfp_znat lead;
    GFP_TRY(gfp_zderivative(call, &d, f));
    GFP_TRY(resultant_of(call, z, made, f, d));
    GFP_TRY(gfp_znat_of_coefficient(call, &lead, f, n));
    GFP_TRY(gfp_zdivide_exact(call, z, *z, lead));
    return gfp_zscale(call, z, *z, unit, odd != gfp_zpoly_is_negative(f));
}

static gfp_status compute_discriminant(gfp_zcall *call, gfp_zvec *r, const gfp_zvec *f)
{
    uint64_t one = 1;
    gfp_zpoly g;
    gfp_zcall_key(call, f, 1);
    GFP_TRY(gfp_zpoly_of(call, &g, f));
    gfp_zpoly z = {&one, g.len == 2, 1};
    gfp_ztemp made;
    gfp_status status = GFP_OK;
    gfp_ztemp_init(call, &made);
    if (g.len > 2) {
        status = resultant_calls_discriminant(call, &z, &made, g);
    }
    if (status == GFP_OK) {
        status = resultant_calls_deliver(call, r, z);
    }
    gfp_ztemp_clear(call, &made);
    return status;
}

gfp_status gfp_zvec_discriminant(gfp_zvec *r, const gfp_zvec *f, const gfp_options *options)
{
    gfp_zring *const rings[] = {GFP_ZRING(r), GFP_ZRING(f)};
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "discriminant over Z", options));
    const gfp_status status = gfp_zcall_start(&call, rings, 2);
    return gfp_call_end(&call.base, status == GFP_OK ? compute_discriminant(&call, r, f) : status);
}

static gfp_status compute_content(gfp_zcall *call, gfp_zvec *r, const gfp_zvec *f)
{
    gfp_znat c;
    call->base.report.method = "gcd";
    GFP_TRY(gfp_zvec_content_of(call, &c, f));
    /* There is a limb for the sign. */
    gfp_zpoly z = {c.limbs, c.n > 0, c.n + 1};
    c.limbs[c.n] = 0;
    return resultant_calls_deliver(call, r, z);
}

gfp_status gfp_zvec_content(gfp_zvec *r, const gfp_zvec *f, const gfp_options *options)
{
    gfp_zring *const rings[] = {GFP_ZRING(r), GFP_ZRING(f)};
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin(&call, "content over Z", options));
    const gfp_status status = gfp_zcall_start(&call, rings, 2);
    return gfp_call_end(&call.base, status == GFP_OK ? compute_content(&call, r, f) : status);
}
