/* zresultant_calls.c: the public calls: resultants, discriminants, contents.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"
#include "zresultant.h"

/* ---- a resultant ---- */

/* r := the resultant by this method. */
static gfp_status run_method(gfp_zcall *call, gfp_zmethod method, uint64_t *r,
                             const gfp_zpair *pair, double to)
{
    switch (method) {
    case GFP_Z_WORDS:
        return gfp_zresultant_words(call, r, pair, 0, to);
    case GFP_Z_BIG:
        return gfp_zresultant_big(call, r, pair, to);
    case GFP_Z_MIX:
        return gfp_zresultant_mix(call, r, pair, to);
    case GFP_Z_FLINT:
        return gfp_zresultant_flint(call, r, pair);
    default:
        return gfp_zcall_unavailable(call, "resultants have no such method");
    }
}

static gfp_zmethod method_of(const gfp_zcall *call, const gfp_zpair *pair)
{
    if (call->method != GFP_Z_AUTO) {
        return call->method;
    }
    return gfp_zchoose_resultant(call, pair);
}

/* Whether a second method computes the same; word-size primes do if no other method can, others
 * than before if they came first. */
static gfp_status cross(gfp_zcall *call, gfp_zmethod first, const uint64_t *r,
                        const gfp_zpair *pair)
{
    const size_t width = gfp_z_width(pair->bits);
    const bool flint = first == GFP_Z_WORDS && gfp_zflint_is_there();
    const gfp_zmethod second = flint ? GFP_Z_FLINT : GFP_Z_WORDS;
    uint64_t *other;
    GFP_TRY(gfp_zcall_array(call, &other, width));
    if (flint) {
        GFP_TRY(gfp_zresultant_flint(call, other, pair));
    } else {
        const size_t from = first == GFP_Z_WORDS ? gfp_zresultant_blocks(pair) : 0;
        GFP_TRY(gfp_zresultant_words(call, other, pair, from, 1));
    }
    call->report.verified = GFP_VERIFY_CROSS;
    call->report.cross_method = gfp_zmethod_names[second];
    return memcmp(r, other, width * sizeof *r) == 0 ? GFP_OK : gfp_zcall_wrong(call);
}

static gfp_status compute_and_check(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair)
{
    const gfp_zmethod method = method_of(call, pair);
    const gfp_verify verify = call->options->verify;
    const double to = verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.95 : 1;
    call->report.method = gfp_zmethod_names[method];
    GFP_TRY(run_method(call, method, r, pair, to));
    gfp_zcall_checks(call);
    switch (verify) {
    case GFP_VERIFY_POINT:
        return gfp_zresultant_check(call, r, pair);
    case GFP_VERIFY_CROSS:
        return cross(call, method, r, pair);
    default:
        return GFP_OK;
    }
}

/* z := c^n with the sign. */
static gfp_status power(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly c, size_t n)
{
    uint64_t one = 1;
    gfp_znat x = {&one, 1}, square;
    const bool negative = gfp_zpoly_is_negative(c) && n % 2 == 1;
    const double bits = (double)n * (double)gfp_z_bits(c.limbs, c.width);
    if (bits > 0x1p50) {
        return GFP_ERR_SIZE;
    }
    call->report.method = "power";
    GFP_TRY(gfp_znat_of(call, &square, c.limbs, c.width));
    for (; n > 0; n /= 2) {
        if (n % 2 == 1) {
            GFP_TRY(gfp_znat_mul(call, &x, x, square));
        }
        if (n > 1) {
            GFP_TRY(gfp_znat_mul(call, &square, square, square));
        }
    }
    *z = (gfp_zpoly){NULL, 1, x.n + 1};
    GFP_TRY(gfp_zcall_array(call, &z->limbs, z->width));
    gfp_z_put(z->limbs, z->width, x.limbs, x.n, negative);
    return GFP_OK;
}

/* z := the resultant of a and b, one coefficient, or none: 0. */
static gfp_status resultant(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly a, gfp_zpoly b)
{
    *z = (gfp_zpoly){NULL, 0, 1};
    if (a.len == 0 || b.len == 0) {
        return GFP_OK;
    }
    if (a.len == 1 || b.len == 1) {
        return a.len == 1 ? power(call, z, a, b.len - 1) : power(call, z, b, a.len - 1);
    }
    const gfp_zpair pair = {a, b, gfp_zresultant_bits(a, b)};
    if (pair.bits == SIZE_MAX) {
        return GFP_ERR_SIZE;
    }
    *z = (gfp_zpoly){NULL, 1, gfp_z_width(pair.bits)};
    GFP_TRY(gfp_zcall_array(call, &z->limbs, z->width));
    return compute_and_check(call, z->limbs, &pair);
}

/* ---- calls ---- */

/* Gives a result to the caller. */
static gfp_status deliver(gfp_zcall *call, gfp_zvec *r, gfp_zpoly z)
{
    gfp_zvec made;
    gfp_zvec_init(&made, r->ring);
    gfp_status status = gfp_zvec_set_polynomial(&made, z.limbs, z.len, z.width);
    if (status == GFP_OK) {
        status = gfp_zcall_finish(call);
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
    GFP_TRY(gfp_zpoly_of(call, &f, a));
    GFP_TRY(gfp_zpoly_of(call, &g, b));
    GFP_TRY(resultant(call, &z, f, g));
    return deliver(call, r, z);
}

gfp_status gfp_zvec_resultant(gfp_zvec *r, const gfp_zvec *a, const gfp_zvec *b,
                              const gfp_options *options)
{
    static const char name[] = "resultant over Z";
    const gfp_zvec *const vectors[] = {r, a, b};
    gfp_options copy;
    gfp_zcall call;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_zvec_check(vectors, 3, name, options->error));
    GFP_TRY(gfp_zcall_begin(&call, name, r->ring, options));
    return gfp_zcall_end(&call, compute_resultant(&call, r, a, b));
}

gfp_status gfp_zderivative(gfp_zcall *call, gfp_zpoly *z, gfp_zpoly f)
{
    uint64_t *magnitude;
    *z = (gfp_zpoly){NULL, f.len - 1, f.width + 1};
    GFP_TRY(gfp_zcall_array(call, &z->limbs, gfp_size_mul_sat(z->len, z->width)));
    GFP_TRY(gfp_zcall_array(call, &magnitude, z->width));
    for (size_t i = 0; i < z->len; i++) {
        const uint64_t *x = gfp_zpoly_at(f, i + 1);
        const size_t n = gfp_z_magnitude(magnitude, x, f.width);
        magnitude[n] =
            n == 0 ? 0
                   : mpn_mul_1(gfp_z_limbs(magnitude), gfp_z_limbs(magnitude), (mp_size_t)n, i + 1);
        gfp_z_put(gfp_zpoly_at(*z, i), z->width, magnitude, n + (n > 0),
                  gfp_z_negative(x, f.width));
    }
    return GFP_OK;
}

static gfp_status compute_discriminant(gfp_zcall *call, gfp_zvec *r, const gfp_zvec *f)
{
    uint64_t one = 1;
    gfp_zpoly z = {NULL, 0, 1}, g, d;
    gfp_znat lead;
    GFP_TRY(gfp_zpoly_of(call, &g, f));
    if (g.len == 2) {
        z = (gfp_zpoly){&one, 1, 1};
    }
    if (g.len > 2) {
        const size_t n = g.len - 1;
        GFP_TRY(gfp_zderivative(call, &d, g));
        GFP_TRY(resultant(call, &z, g, d));
        /* (-1)^(n (n - 1) / 2) res(f, f') / lc(f) */
        GFP_TRY(gfp_znat_of(call, &lead, gfp_zpoly_at(g, n), g.width));
        GFP_TRY(gfp_zdivide_exact(call, &z, z, lead));
        const gfp_znat unit = {&one, 1};
        const bool odd = n % 4 == 2 || n % 4 == 3;
        GFP_TRY(gfp_zscale(call, &z, z, unit, odd != gfp_zpoly_is_negative(g)));
    }
    return deliver(call, r, z);
}

gfp_status gfp_zvec_discriminant(gfp_zvec *r, const gfp_zvec *f, const gfp_options *options)
{
    static const char name[] = "discriminant over Z";
    const gfp_zvec *const vectors[] = {r, f};
    gfp_options copy;
    gfp_zcall call;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_zvec_check(vectors, 2, name, options->error));
    GFP_TRY(gfp_zcall_begin(&call, name, r->ring, options));
    return gfp_zcall_end(&call, compute_discriminant(&call, r, f));
}

static gfp_status compute_content(gfp_zcall *call, gfp_zvec *r, const gfp_zvec *f)
{
    gfp_znat c;
    call->report.method = "gcd";
    GFP_TRY(gfp_zvec_content_of(call, &c, f));
    /* There is a limb for the sign. */
    gfp_zpoly z = {c.limbs, c.n > 0, c.n + 1};
    c.limbs[c.n] = 0;
    return deliver(call, r, z);
}

gfp_status gfp_zvec_content(gfp_zvec *r, const gfp_zvec *f, const gfp_options *options)
{
    static const char name[] = "content over Z";
    const gfp_zvec *const vectors[] = {r, f};
    gfp_options copy;
    gfp_zcall call;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_zvec_check(vectors, 2, name, options->error));
    GFP_TRY(gfp_zcall_begin(&call, name, r->ring, options));
    return gfp_zcall_end(&call, compute_content(&call, r, f));
}
