/* big.c: greatest common divisors over Z modulo big primes p = r^k + 1, one after the other, as
 * words.c has it for blocks of word-size primes: images of the least degree are kept, candidates
 * that are much shorter than the product of the primes are proved, and if the product exceeds twice
 * the bound, a refuted candidate shows that all of its primes are unlucky. The first prime suffices
 * for a divisor whose coefficients are no longer than those of the operands, if a named prime is as
 * large.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gcd.h"

#include "modular/big.h"
#include "modular/gcd/impl.h"

/* z := the polynomials a, b, and l as a constant, over their field. */
static gfp_status big_images(gfp_zcall *call, gfp_poly z[3], const gfp_zoperands *p)
{
    const gfp_zpoly lead = {p->lead.limbs, 1, p->lead.n + 1};
    GFP_TRY(gfp_zbig_image(call, &z[0], p->a));
    GFP_TRY(gfp_zbig_image(call, &z[1], p->b));
    return gfp_zbig_image(call, &z[2], lead);
}

/* g := lead times the monic gcd modulo the prime of g's field; empty if p divides lead. */
static gfp_status big_image(gfp_zcall *call, gfp_poly *g, const gfp_zoperands *p)
{
    const size_t left = call->base.left;
    gfp_poly z[3];
    for (unsigned i = 0; i < 3; i++) {
        gfp_poly_init(&z[i], g->field);
    }
    gfp_status status = big_images(call, z, p);
    if (status == GFP_OK && z[2].len > 0) {
        const gfp_options inside = gfp_zcall_inside(call);
        status = gfp_call_inner(&call->base, gfp_poly_gcd(g, &z[0], &z[1], &inside));
    }
    if (status == GFP_OK && z[2].len > 0) {
        gfp_vec_scalar_mul(g->field, g->digits, g->digits, z[2].digits, g->len);
    }
    for (unsigned i = 0; i < 3; i++) {
        gfp_poly_clear(&z[i]);
    }
    call->base.left = left;
    return status;
}

typedef struct search {
    gfp_zcall *call;
    const gfp_zoperands *p;
    gfp_zbig_order order;
    size_t len;   /* the least length of an image so far, or a bound below it */
    size_t count; /* the primes that are kept: */
    gfp_zbig sum; /* l times their monic images */
} search;

/* Keeps the image, or counts it as unlucky. */
static gfp_status big_keep(search *s, const gfp_poly *image)
{
    if (image->len == 0 || image->len > s->len) {
        s->call->base.report.unlucky_primes++; /* it divides l, or its degree is too great */
        return GFP_OK;
    }
    if (image->len < s->len || s->count == 0) {
        s->call->base.report.unlucky_primes += s->count;
        s->count = 0;
        s->len = image->len;
        GFP_TRY(gfp_zbig_begin(&s->sum, s->call, s->len));
    }
    s->count++;
    return gfp_zbig_add(&s->sum, image->field, image->digits);
}

static gfp_status take_image(search *s, size_t index)
{
    gfp_zring_big big;
    gfp_poly image;
    const double bits = (double)gfp_zring_bits(index);
    GFP_TRY(gfp_zcall_step_on(s->call, bits / (gfp_zgcd_bits(s->p, s->len) + bits), 1, 1));
    GFP_TRY(gfp_zring_big_take(s->call->ring, &big, index));
    gfp_poly_init(&image, big.field);
    gfp_status status = big_image(s->call, &image, s->p);
    if (status == GFP_OK) {
        status = big_keep(s, &image);
    }
    gfp_poly_clear(&image);
    gfp_zring_big_give(&big);
    return status;
}

/* Proves the candidate if it is short or must be right, and learns from its refutation. */
static gfp_status big_attempt(search *s, bool *found, gfp_zdivisor *d)
{
    gfp_zpoly z;
    size_t block;
    const double bits = (double)gfp_zbig_bits(&s->sum);
    const bool complete = bits > gfp_zgcd_bits(s->p, s->len - 1);
    const gfp_call_mark mark = gfp_call_mark_here(&s->call->base);
    GFP_TRY(gfp_zbig_get(&s->sum, &z));
    if (complete || (double)gfp_zpoly_bits(z) + GFP_ZGCD_GAP < bits) {
        GFP_TRY(gfp_zgcd_prove(s->call, found, d, s->p, z, &block));
    }
    if (!*found && complete) {
        s->call->base.report.unlucky_primes += s->count;
        s->count = 0;
        s->len--;
    }
    if (!*found) {
        gfp_call_release(&s->call->base, mark);
    }
    return GFP_OK;
}

/* The bits that the product of the kept primes lacks. */
static size_t big_missing(const search *s)
{
    const double bound = gfp_zgcd_bits(s->p, s->len - 1) + 1;
    const double bits = s->count > 0 ? (double)gfp_zbig_bits(&s->sum) : 0;
    return bound - bits < 0x1p50 ? (size_t)(bound - bits) + 1 : SIZE_MAX;
}

gfp_status gfp_zgcd_big(gfp_zcall *call, bool *found, gfp_zdivisor *d, const gfp_zoperands *p)
{
    search s = {.call = call, .p = p, .len = gfp_size_min(p->a.len, p->b.len)};
    const size_t of_a = gfp_zpoly_bits(p->a), of_b = gfp_zpoly_bits(p->b);
    const size_t bits = gfp_size_min(of_a, of_b) + (size_t)p->log2_lead + GFP_ZGCD_GAP + 2;
    size_t index;
    *found = false;
    gfp_zbig_order_init(&s.order, bits, call->base.options->verify_seed);
    while (!*found && s.len > 1 && gfp_zbig_order_next(&s.order, big_missing(&s), &index)) {
        GFP_TRY(take_image(&s, index));
        if (s.count > 0 && s.len > 1) {
            GFP_TRY(big_attempt(&s, found, d));
        }
    }
    if (!*found && s.len == 1) {
        /* The degree of a lucky or an unlucky image is no less than that of the divisor. */
        static uint64_t one[] = {1};
        *d = (gfp_zdivisor){{one, 1, 1}, p->a, p->b};
        *found = true;
    }
    return GFP_OK;
}
