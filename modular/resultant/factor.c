/* factor.c: what comes out of a resultant before any method: powers of X, X^s for X,
 * contents and constants; and resultants with a linear operand. With Sylvester's convention, a and
 * b of degrees m and n:
 *   res(X^i a, b) = b(0)^i res(a, b),  res(a, X^j b) = ((-1)^m a(0))^j res(a, b),
 *   res(a(X^s), b(X^s)) = res(a, b)^s,
 *   res(c a, d b) = c^n d^m res(a, b),  res(c, b) = c^n,  res(a, d) = d^m,
 *   res(c X + d, b) = the sum of b_i (-d)^i c^(n - i),  res(b, a) = (-1)^(m n) res(a, b).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/resultant/form.h"
#include "modular/reduce.h"
#include "modular/resultant/impl.h"

/* ---- factors ---- */

/* Contents are taken out of at least this number of coefficients, for a result that needs more than
 * one block of primes: else two gcds of coefficients take long next to all images. */
#define CONTENT_NUMBERS 64

/* Multiplies the resultant by c^n, or by (-c)^n. */
static void add_factor(gfp_zfactored *f, gfp_znat c, size_t n, bool negative)
{
    f->negative = f->negative != (negative && n % 2 == 1);
    if (n > 0 && !gfp_znat_is_one(c)) {
        f->base[f->count] = c;
        f->exponent[f->count] = n;
        f->count++;
    }
}

/* The same for the coefficient 0 of a, or its opposite. */
static gfp_status add_constant(gfp_zcall *call, gfp_zfactored *f, gfp_zpoly a, size_t n,
                               bool opposite)
{
    gfp_znat c;
    size_t width;
    const uint64_t *x = gfp_zpoly_get(a, 0, &width);
    GFP_TRY(gfp_znat_of(call, &c, x, width));
    add_factor(f, c, n, gfp_z_negative(x, width) != opposite);
    return GFP_OK;
}

/* *a := a without its content, whose power of this exponent becomes a factor. */
static gfp_status take_content(gfp_zcall *call, gfp_zfactored *f, gfp_zpoly *a, size_t n)
{
    gfp_znat c;
    GFP_TRY(gfp_zcontent(call, &c, *a));
    add_factor(f, c, n, false);
    return gfp_zdivide_exact(call, a, *a, c);
}

gfp_status gfp_zresultant_factor(gfp_zcall *call, gfp_zfactored *f, gfp_zpoly a, gfp_zpoly b)
{
    gfp_zreduced r;
    GFP_TRY(gfp_zreduce(call, &r, a, b));
    *f = (gfp_zfactored){.zero = r.power_a > 0 && r.power_b > 0, .pair = {r.a, r.b, 0}};
    if (f->zero) {
        return GFP_OK;
    }
    GFP_TRY(add_constant(call, f, b, r.power_a, false));
    GFP_TRY(add_constant(call, f, a, r.power_b, a.len % 2 == 0));
    const size_t m = gfp_size_mul_sat(r.a.len - 1, r.step);
    const size_t n = gfp_size_mul_sat(r.b.len - 1, r.step);
    if (m == 0 || n == 0) {
        return m == 0 ? add_constant(call, f, r.a, n, false) : add_constant(call, f, r.b, m, false);
    }
    f->power = r.step;
    f->pair.bits = gfp_zresultant_bits(r.a, r.b);
    if (f->pair.bits <= GFP_Z_BLOCK_BITS || r.a.len + r.b.len < CONTENT_NUMBERS) {
        return f->pair.bits == SIZE_MAX ? GFP_ERR_SIZE : GFP_OK;
    }
    GFP_TRY(take_content(call, f, &f->pair.a, n));
    GFP_TRY(take_content(call, f, &f->pair.b, m));
    f->pair.bits = gfp_zresultant_bits(f->pair.a, f->pair.b);
    return f->pair.bits == SIZE_MAX ? GFP_ERR_SIZE : GFP_OK;
}

/* ---- linear operands ---- */

/* A vector of one coefficient of a, which shares the limbs. */
static gfp_zvec view_of(gfp_zcall *call, gfp_zpoly a, size_t i)
{
    size_t width;
    uint64_t *x = (uint64_t *)gfp_zpoly_get(a, i, &width);
    return (gfp_zvec){.ring = call->ring, .limbs = x, .len = 1, .width = width};
}

gfp_status gfp_zresultant_linear(gfp_zcall *call, uint64_t *r, const gfp_zpair *pair, double to)
{
    const bool first = pair->a.len == 2;
    const gfp_zpoly line = first ? pair->a : pair->b, other = first ? pair->b : pair->a;
    const gfp_zvec t = view_of(call, line, 1), constant = view_of(call, line, 0);
    const bool negative = !first && other.len % 2 == 0;
    gfp_ztemp s, z;
    gfp_ztemp_init(call, &s);
    gfp_ztemp_init(call, &z);
    gfp_status status = gfp_zvec_combine(&s.v, -1, &constant, 0, 0, &constant);
    if (status == GFP_OK) {
        status = gfp_ztemp_count(call, &s);
    }
    if (status == GFP_OK) {
        status = gfp_zform_of_integers(call, &z, other, &s.v, &t, to);
    }
    if (status == GFP_OK && negative) {
        status = gfp_zvec_combine(&z.v, -1, &z.v, 0, 0, &constant);
    }
    if (status == GFP_OK) {
        const size_t width = gfp_z_width(pair->bits);
        memset(r, 0, width * sizeof *r);
        if (z.v.len > 0) {
            gfp_z_resize(r, width, z.v.limbs, z.v.width);
        }
    }
    gfp_ztemp_clear(call, &s);
    gfp_ztemp_clear(call, &z);
    return status;
}
