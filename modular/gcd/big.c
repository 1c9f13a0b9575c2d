/* big.c: greatest common divisors over Z modulo one big prime p = r^k + 1; candidates and
 * their proof.
 *
 * The candidate is l times the monic gcd modulo p, as for word-size primes (words.c). The first
 * prime has about the bits that a divisor needs whose coefficients are no longer than those of the
 * operands; primes up to the first one beyond the bound follow.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"

#include "modular/big.h"
#include "modular/gcd/impl.h"

double gfp_zgcd_bits(const gfp_zoperands *p, size_t degree)
{
    const double norm = p->log2_norm_a < p->log2_norm_b ? p->log2_norm_a : p->log2_norm_b;
    return (double)degree + p->log2_lead + norm + 2;
}

gfp_status gfp_zgcd_prove(gfp_zcall *call, bool *proved, gfp_zdivisor *d, const gfp_zoperands *p,
                          gfp_zpoly candidate, size_t *block)
{
    uint64_t one = 1;
    gfp_znat content;
    gfp_zpoly g;
    const gfp_znat unit = {&one, 1};
    GFP_TRY(gfp_zcontent(call, &content, candidate));
    GFP_TRY(gfp_zdivide_exact(call, &g, candidate, content));
    GFP_TRY(gfp_zscale(call, &g, g, unit, gfp_zpoly_is_negative(g)));
    d->g = g;
    GFP_TRY(gfp_zdivides(call, proved, &d->u, p->a, g, block));
    return *proved ? gfp_zdivides(call, proved, &d->v, p->b, g, block) : GFP_OK;
}

/* z := the polynomials a, b, and l as a constant, over their field. */
static gfp_status big_images(gfp_zcall *call, gfp_poly z[3], const gfp_zoperands *p)
{
    const gfp_zpoly lead = {p->lead.limbs, 1, p->lead.n + 1};
    GFP_TRY(gfp_zbig_image(call, &z[0], p->a));
    GFP_TRY(gfp_zbig_image(call, &z[1], p->b));
    return gfp_zbig_image(call, &z[2], lead);
}

gfp_status gfp_zgcd_image(gfp_zcall *call, gfp_poly *g, const gfp_zoperands *p)
{
    const size_t left = call->left;
    gfp_poly z[3];
    for (unsigned i = 0; i < 3; i++) {
        gfp_poly_init(&z[i], g->field);
    }
    gfp_status status = big_images(call, z, p);
    if (status == GFP_OK && z[2].len > 0) {
        const gfp_options inside = gfp_zcall_inside(call);
        status = gfp_poly_gcd(g, &z[0], &z[1], &inside);
    }
    if (status == GFP_OK && z[2].len > 0) {
        gfp_vec_scale(g->field, g->digits, g->digits, z[2].digits, g->len);
    }
    for (unsigned i = 0; i < 3; i++) {
        gfp_poly_clear(&z[i]);
    }
    call->left = left;
    return status;
}

/* Tries the named prime of this index; *len := the length of its image, 0 if p divides l. */
static gfp_status big_attempt(gfp_zcall *call, size_t index, size_t *len, bool *found,
                              gfp_zdivisor *d, const gfp_zoperands *p)
{
    const gfp_field *field;
    gfp_poly g;
    gfp_zpoly candidate = {NULL, 0, 1};
    size_t block;
    GFP_TRY(gfp_zring_field(call->ring, index, &field));
    gfp_poly_init(&g, field);
    gfp_status status = gfp_zgcd_image(call, &g, p);
    if (status == GFP_OK && g.len > 0) {
        candidate = (gfp_zpoly){NULL, g.len, gfp_field_limbs(field) + 1};
        status = gfp_zcall_array(call, &candidate.limbs, candidate.len * candidate.width);
    }
    if (status == GFP_OK && g.len > 0) {
        status = gfp_zbig_lift(call, candidate.limbs, candidate.width, field, g.digits, g.len);
    }
    gfp_poly_clear(&g);
    *len = candidate.len;
    if (status == GFP_OK && candidate.len == 1) {
        static uint64_t one[] = {1};
        *d = (gfp_zdivisor){{one, 1, 1}, p->a, p->b};
        *found = true;
    } else if (status == GFP_OK && candidate.len > 1) {
        status = gfp_zgcd_prove(call, found, d, p, candidate, &block);
    }
    return status;
}

gfp_status gfp_zgcd_big(gfp_zcall *call, bool *found, gfp_zdivisor *d, const gfp_zoperands *p,
                        gfp_zattempts *tried)
{
    const size_t degree = gfp_size_min(p->a.len, p->b.len) - 1;
    const size_t of_a = gfp_zpoly_bits(p->a), of_b = gfp_zpoly_bits(p->b);
    const double bound = gfp_zgcd_bits(p, degree), lead = p->log2_lead;
    size_t bits = gfp_size_min(of_a, of_b) + (size_t)lead + 2, index;
    *found = false;
    tried->count = 0;
    while (!*found && gfp_zring_named(bits, &index)) {
        GFP_TRY(gfp_zcall_step_on(call, 0.5, 1, 1));
        GFP_TRY(big_attempt(call, index, &tried->len[tried->count], found, d, p));
        tried->count++;
        const size_t used = gfp_zring_bits(index);
        if ((double)bits > bound) {
            break; /* unlucky: word-size primes go on */
        }
        bits = used + 1;
    }
    return GFP_OK;
}
