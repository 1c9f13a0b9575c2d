/* calls.c: the public calls of greatest common divisors over Z: contents, special cases, the
 * method, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/big.h"
#include "modular/choice.h"
#include "modular/gcd/impl.h"
#include "modular/gcd/check.h"
#include "modular/reduce.h"
#include "modular/residues.h"

/* ---- primitive operands ---- */

/* log2 of the Euclidean norm of f over its leading coefficient, not too small. */
static double monic_norm(gfp_zpoly f)
{
    size_t width;
    const uint64_t *x = gfp_zpoly_get(f, f.len - 1, &width);
    return gfp_zpoly_log2_norm(f) - (double)(gfp_z_bits(x, width) - 1);
}

/* Completes the operands; p has a, b and their bits. */
static gfp_status make_operands(gfp_zcall *call, gfp_zoperands *p)
{
    const gfp_zpoly a = p->a, b = p->b;
    gfp_znat of_a, of_b;
    GFP_TRY(gfp_znat_of_coefficient(call, &of_a, a, a.len - 1));
    GFP_TRY(gfp_znat_of_coefficient(call, &of_b, b, b.len - 1));
    GFP_TRY(gfp_znat_gcd(call, &p->lead, of_a, of_b));
    p->lead.limbs[p->lead.n] = 0; /* a sign for projections */
    p->log2_lead = (double)gfp_z_magnitude_bits(p->lead.limbs, p->lead.n);
    p->log2_norm_a = monic_norm(a);
    p->log2_norm_b = monic_norm(b);
    return GFP_OK;
}

/* *u := the quotient f / g of FLINT's divisor. FLINT's own division by a product may refuse exact
 * quotients (crt/small/flint_zmul.c). */
static gfp_status flint_cofactor(gfp_zcall *call, gfp_zpoly *u, gfp_zpoly f, gfp_zpoly g)
{
    bool proved;
    size_t block;
    GFP_TRY(gfp_zdivides(call, &proved, u, f, g, &block));
    return proved ? GFP_OK : gfp_zcall_wrong(call);
}

/* d := the divisor by FLINT; the cofactors are 0 if they are not needed. */
static gfp_status by_flint(gfp_zcall *call, gfp_zdivisor *d, const gfp_zoperands *p)
{
    const size_t longer = p->a.len > p->b.len ? p->a.len : p->b.len;
    const size_t of_a = p->bits_a, of_b = p->bits_b;
    /* A factor's coefficients are below 2^deg times the norm. */
    const size_t width = gfp_z_width((of_a > of_b ? of_a : of_b) + 2 * longer + 64);
    gfp_crt_divisor z = {NULL, longer, width};
    const gfp_crt_integers a = gfp_zflint_integers(p->a), b = gfp_zflint_integers(p->b);
    if (!gfp_zflint_is_there()) {
        return gfp_zcall_unavailable(call, "the library was built without FLINT");
    }
    /* FLINT's own copies. */
    const size_t copies = gfp_size_mul_sat(gfp_size_mul_sat(3, longer), 8 * width);
    GFP_TRY(gfp_call_array(&call->base, &z.limbs, gfp_size_mul_sat(longer, width)));
    GFP_TRY(gfp_zcall_step_on(call, 0.9, 1, 1));
    GFP_TRY(gfp_call_take(&call->base, copies));
    const gfp_status status = gfp_crt_zgcd_flint(&z, &a, &b);
    gfp_call_give(&call->base, copies);
    GFP_TRY(status);
    GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
    d->g = (gfp_zpoly){z.limbs, z.len, width};
    d->u = d->v = (gfp_zpoly){NULL, 0, width};
    if (call->cofactors) {
        GFP_TRY(flint_cofactor(call, &d->u, p->a, d->g));
        GFP_TRY(flint_cofactor(call, &d->v, p->b, d->g));
    }
    return GFP_OK;
}

/* d := the divisor. Word-size primes serve where other methods do not find the divisor. */
static gfp_status by_method(gfp_zcall *call, gfp_zmethod *method, gfp_zdivisor *d,
                            const gfp_zoperands *p)
{
    bool found = false;
    GFP_TRY(gfp_zcall_takes(call, 1U << GFP_Z_WORDS | 1U << GFP_Z_BIG | 1U << GFP_Z_FLINT |
                                      1U << GFP_Z_KRONECKER));
    if (*method == GFP_Z_FLINT) {
        return by_flint(call, d, p);
    }
    if (*method == GFP_Z_BIG) {
        GFP_TRY(gfp_zgcd_big(call, &found, d, p));
    }
    if (!found) {
        const size_t shorter = gfp_size_min(p->a.len, p->b.len);
        const double blocks = gfp_zgcd_bits(p, shorter - 1) / GFP_Z_BLOCK_BITS + 2;
        *method = GFP_Z_WORDS;
        GFP_TRY(gfp_zcall_step_on(call, 0.5, blocks, 4 * (double)p->a.len * (double)p->b.len));
        GFP_TRY(gfp_zgcd_words(call, d, p));
    }
    return GFP_OK;
}

/* Word-size primes serve where coefficients have widths of their own; other methods that the
 * options name, or a check, take one width. */
static gfp_status choose_layout(gfp_zcall *call, gfp_zmethod *method, gfp_zpoly *a, gfp_zpoly *b)
{
    if ((a->width == 0 || b->width == 0) && *method == GFP_Z_AUTO) {
        *method = GFP_Z_WORDS;
    }
    if (*method != GFP_Z_AUTO && *method != GFP_Z_WORDS) {
        GFP_TRY(gfp_zpoly_flatten(call, a, *a));
        GFP_TRY(gfp_zpoly_flatten(call, b, *b));
    }
    return GFP_OK;
}

/* Kronecker's substitution computes the gcd of two values in any case: from this many bits on its
 * values are much longer than those of the proof. */
#define VALUES_LEAST_BITS 12

/* Whether the operands, of one width each, are proved coprime by values. */
static bool are_coprime(const gfp_zoperands *p)
{
    if (gfp_size_min(p->bits_a, p->bits_b) < VALUES_LEAST_BITS) {
        return false;
    }
    for (unsigned step = 8; step <= 32; step *= 2) {
        if (gfp_zvalues_serve(p, step)) {
            return gfp_zvalues_are_coprime(p, step);
        }
    }
    return false;
}

/* GMP's gcd of integers neither reports nor stops: a caller who waits for reports, or ranks that
 * wait for each other, get `words` from this number of bits of the shorter one on, some 30 ms. */
#define SILENT_BITS ((size_t)1 << 20)

/* The method of a call that names none. Values, copies, quotients and digits of Kronecker's
 * substitution fit the cap. */
static gfp_zmethod gcd_calls_choose(const gfp_zcall *call, const gfp_zoperands *p)
{
    const gfp_zsizes sizes = {p->a.len, p->b.len, p->bits_a, p->bits_b};
    const gfp_zmethod method = gfp_zchoose_gcd(call->ring->level, &sizes);
    const size_t widest = p->a.width > p->b.width ? p->a.width : p->b.width;
    const size_t limbs =
        gfp_size_mul_sat(gfp_size_add_sat(p->a.len, p->b.len), gfp_size_add_sat(widest, 2));
    const bool fits =
        call->base.left == SIZE_MAX || gfp_size_mul_sat(limbs, 100) <= call->base.left;
    const size_t integer =
        gfp_size_min(gfp_size_mul_sat(p->a.len, p->bits_a), gfp_size_mul_sat(p->b.len, p->bits_b));
    const bool waits = call->base.options->progress != NULL || call->base.dealer != NULL;
    const bool silent = waits && integer > SILENT_BITS;
    return fits && !silent ? method : GFP_Z_WORDS;
}

/* d := that of primitive polynomials, neither constant. */
static gfp_status primitive_divisor(gfp_zcall *call, gfp_zmethod *method, gfp_zdivisor *d,
                                    gfp_zpoly a, gfp_zpoly b)
{
    static uint64_t one[] = {1};
    const gfp_zpoly unit = {one, 1, 1};
    gfp_zoperands p;
    GFP_TRY(choose_layout(call, method, &a, &b));
    const bool opposite = gfp_zpoly_are_opposite(a, b);
    if ((opposite || gfp_zpoly_are_equal(a, b)) && *method == GFP_Z_AUTO) {
        const gfp_znat factor = {one, 1};
        const bool negative = gfp_zpoly_is_negative(a);
        GFP_TRY(gfp_zscale(call, &d->g, a, factor, negative));
        GFP_TRY(gfp_zscale(call, &d->u, unit, factor, negative));
        d->v = d->u;
        return opposite ? gfp_zscale(call, &d->v, d->u, factor, true) : GFP_OK;
    }
    p = (gfp_zoperands){.a = a, .b = b, .bits_a = gfp_zpoly_bits(a), .bits_b = gfp_zpoly_bits(b)};
    if (*method == GFP_Z_AUTO) {
        if (are_coprime(&p)) {
            *method = GFP_Z_KRONECKER;
            *d = (gfp_zdivisor){unit, a, b};
            return GFP_OK;
        }
        *method = gcd_calls_choose(call, &p);
    }
    if (*method == GFP_Z_KRONECKER) {
        bool found;
        GFP_TRY(gfp_zgcd_kronecker(call, &found, d, &p));
        if (found) {
            return GFP_OK;
        }
        *method = GFP_Z_WORDS;
    }
    GFP_TRY(make_operands(call, &p));
    return by_method(call, method, d, &p);
}

/* ---- operands of any kind ---- */

/* d := that of f and the constant c, or of c and f (`first`: f comes first). */
static gfp_status divisor_of_constant(gfp_zcall *call, gfp_zdivisor *d, gfp_zpoly f, gfp_zpoly c,
                                      bool first)
{
    gfp_znat x, g;
    GFP_TRY(gfp_znat_of_coefficient(call, &x, c, 0));
    GFP_TRY(gfp_zcontent_with(call, &g, f, x));
    g.limbs[g.n] = 0; /* a sign */
    d->g = (gfp_zpoly){g.limbs, 1, g.n + 1};
    if (!call->cofactors) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zdivide_exact(call, first ? &d->u : &d->v, f, g));
    return gfp_zdivide_exact(call, first ? &d->v : &d->u, c, g);
}

/* d := that of a and b, neither 0. */
static gfp_status divisor_with_content(gfp_zcall *call, gfp_zmethod *method, gfp_zdivisor *d,
                                       gfp_zpoly a, gfp_zpoly b)
{
    gfp_znat of_a, of_b, of_g, rest_a, rest_b;
    gfp_zpoly pa, pb;
    if (a.len == 1 || b.len == 1) {
        return b.len == 1 ? divisor_of_constant(call, d, a, b, true)
                          : divisor_of_constant(call, d, b, a, false);
    }
    GFP_TRY(gfp_zcontent(call, &of_a, a));
    GFP_TRY(gfp_zcontent(call, &of_b, b));
    GFP_TRY(gfp_znat_gcd(call, &of_g, of_a, of_b));
    GFP_TRY(gfp_zdivide_exact(call, &pa, a, of_a));
    GFP_TRY(gfp_zdivide_exact(call, &pb, b, of_b));
    GFP_TRY(primitive_divisor(call, method, d, pa, pb));
    if (!call->cofactors) {
        return gfp_zscale(call, &d->g, d->g, of_g, false);
    }
    GFP_TRY(gfp_znat_divide_exact(call, &rest_a, of_a, of_g));
    GFP_TRY(gfp_znat_divide_exact(call, &rest_b, of_b, of_g));
    GFP_TRY(gfp_zscale(call, &d->g, d->g, of_g, false));
    GFP_TRY(gfp_zscale(call, &d->u, d->u, rest_a, false));
    return gfp_zscale(call, &d->v, d->v, rest_b, false);
}

/* The same for the operands of r: the divisor of X^i a(X^s) and X^j b(X^s) is X^min(i, j) g(X^s), g
 * the divisor of a and b. */
static gfp_status full_divisor(gfp_zcall *call, gfp_zmethod *method, gfp_zdivisor *d,
                               const gfp_zreduced *r)
{
    const size_t common = gfp_size_min(r->power_a, r->power_b);
    GFP_TRY(divisor_with_content(call, method, d, r->a, r->b));
    GFP_TRY(gfp_zinflate(call, &d->g, d->g, common, r->step));
    if (!call->cofactors) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zinflate(call, &d->u, d->u, r->power_a - common, r->step));
    return gfp_zinflate(call, &d->v, d->v, r->power_b - common, r->step);
}

/* d := that of f and 0, or of 0 and f. */
static gfp_status divisor_of_one(gfp_zcall *call, gfp_zdivisor *d, gfp_zpoly f, bool first)
{
    static uint64_t one[] = {1};
    const gfp_zpoly none = {NULL, 0, 1}, unit = {one, f.len > 0, 1};
    const gfp_znat factor = {one, 1};
    const bool negative = gfp_zpoly_is_negative(f);
    *d = (gfp_zdivisor){none, none, none};
    GFP_TRY(gfp_zscale(call, &d->g, f, factor, negative));
    return gfp_zscale(call, first ? &d->u : &d->v, unit, factor, negative);
}

static bool gcd_calls_same(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    const gfp_zvec x = gfp_zpoly_view(call, a), y = gfp_zpoly_view(call, b);
    return gfp_zvec_equal(&x, &y);
}

/* Whether a second method finds the same, with the cofactors if they are needed. */
static gfp_status gcd_calls_cross(gfp_zcall *call, gfp_zmethod first, const gfp_zdivisor *d,
                                  const gfp_zreduced *r)
{
    gfp_zmethod second = first == GFP_Z_WORDS ? GFP_Z_BIG : GFP_Z_WORDS;
    if (second == GFP_Z_BIG && gfp_zflint_is_there() &&
        gfp_zpoly_bits(d->g) > gfp_zbig_most_bits()) {
        second = GFP_Z_FLINT; /* big primes would not suffice */
    }
    gfp_zdivisor other;
    const size_t unlucky = call->base.report.unlucky_primes;
    GFP_TRY(full_divisor(call, &second, &other, r));
    if (second == first && gfp_zflint_is_there()) { /* big primes did not serve */
        second = GFP_Z_FLINT;
        GFP_TRY(full_divisor(call, &second, &other, r));
    }
    call->base.report.unlucky_primes = unlucky; /* of the first method */
    call->base.report.verified = GFP_VERIFY_CROSS;
    call->base.report.cross_method = gfp_zmethod_names[second];
    const bool right = gcd_calls_same(call, d->g, other.g) &&
                       (!call->cofactors || (gcd_calls_same(call, d->u, other.u) &&
                                             gcd_calls_same(call, d->v, other.v)));
    return right ? GFP_OK : gfp_zcall_wrong(call);
}

static gfp_status compute_and_check(gfp_zcall *call, gfp_zdivisor *d, gfp_zpoly a, gfp_zpoly b)
{
    const gfp_verify verify = call->base.options->verify;
    gfp_zmethod method = call->method;
    gfp_zreduced r;
    gfp_zcall_part(call, verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.95 : 1);
    if (a.len == 0 || b.len == 0) {
        return divisor_of_one(call, d, a.len > 0 ? a : b, a.len > 0);
    }
    GFP_TRY(gfp_zreduce(call, &r, a, b));
    GFP_TRY(full_divisor(call, &method, d, &r));
    call->base.report.method = method != GFP_Z_AUTO ? gfp_zmethod_names[method] : "content";
    gfp_call_checks(&call->base);
    gfp_zcall_part(call, 1);
    switch (verify) {
    case GFP_VERIFY_POINT:
        return gfp_zgcd_check(call, a, b, d);
    case GFP_VERIFY_CROSS:
        return gcd_calls_cross(call, method, d, &r);
    default:
        return GFP_OK;
    }
}

/* ---- calls ---- */

/* Gives `count` results to the caller. */
static gfp_status gcd_calls_deliver(gfp_zcall *call, gfp_zvec *const *output, size_t count,
                                    const gfp_zdivisor *d)
{
    const gfp_zpoly *const z[] = {&d->g, &d->u, &d->v};
    gfp_zvec made[3];
    gfp_status status = GFP_OK;
    for (size_t i = 0; i < count; i++) {
        gfp_zvec_init(&made[i], call->ring);
    }
    for (size_t i = 0; i < count && status == GFP_OK; i++) {
        const gfp_zvec view = gfp_zpoly_view(call, *z[i]);
        status = gfp_zvec_set_result(&made[i], &view);
    }
    if (status == GFP_OK) {
        status = gfp_call_finish(&call->base);
    }
    for (size_t i = 0; i < count; i++) {
        if (status == GFP_OK) {
            gfp_zvec_swap(output[i], &made[i]);
        }
        gfp_zvec_clear(&made[i]);
    }
    return status;
}

static gfp_status gcd_calls_compute(gfp_zcall *call, gfp_zvec *const *output, size_t count,
                                    const gfp_zvec *a, const gfp_zvec *b)
{
    gfp_zdivisor d;
    gfp_zpoly f, g;
    gfp_zring *const rings[] = {GFP_ZRING(output[0]), GFP_ZRING(a), GFP_ZRING(b),
                                GFP_ZRING(output[count - 1]), GFP_ZRING(output[count / 2])};
    GFP_TRY(gfp_zcall_start(call, rings, 5));
    if (count == 3 &&
        (output[0] == output[1] || output[0] == output[2] || output[1] == output[2])) {
        return gfp_error_set(&call->base.error, GFP_ERR_ARGUMENT, "%s: two outputs are one vector",
                             call->base.name);
    }
    gfp_zcall_key(call, a, 1);
    gfp_zcall_key(call, b, 1);
    call->cofactors = count == 3 || call->base.options->verify == GFP_VERIFY_POINT;
    GFP_TRY(gfp_zpoly_of(call, &f, a));
    GFP_TRY(gfp_zpoly_of(call, &g, b));
    GFP_TRY(compute_and_check(call, &d, f, g));
    return gcd_calls_deliver(call, output, count, &d);
}

gfp_status gfp_zvec_gcd_cofactors(gfp_zvec *g, gfp_zvec *u, gfp_zvec *v, const gfp_zvec *a,
                                  const gfp_zvec *b, const gfp_options *options)
{
    gfp_zcall call;
    gfp_zvec *const output[] = {g, u, v};
    const size_t count = u == NULL && v == NULL ? 1 : 3;
    GFP_TRY(gfp_zcall_begin_dealt(&call, "greatest common divisor over Z", options));
    return gfp_call_end(&call.base, gcd_calls_compute(&call, output, count, a, b));
}
