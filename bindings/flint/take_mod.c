/* take_mod.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "job.h"
#include "modulus.h"
#include "product.h"
#include "support.h"

/* Coefficients that are looked at in one call. */
#define PIECE ((size_t)16)

static bool get(void *user, uint64_t *x, size_t limbs, bool second, size_t i, size_t count)
{
    const gfp_job *job = user;
    const gfp_fmpz *from = (second ? job->b : job->a) + i;
    const gfp_slong bits = job->host->max_bits(from, (gfp_slong)count);
    if (bits < 0 || (size_t)bits > 64 * limbs) {
        return false;
    }
    for (size_t j = 0; j < count; j++) {
        job->host->get_ui_array((gfp_ulong *)x + j * limbs, (gfp_slong)limbs, from + j);
    }
    return true;
}

static void resize(void *user, size_t n)
{
    const gfp_job *job = user;
    job->host->vec_zero(job->result + n, (gfp_slong)(job->end - job->first - n));
}

static void set(void *user, const uint64_t *x, size_t limbs, size_t i, size_t count)
{
    const gfp_job *job = user;
    for (size_t j = 0; j < count; j++) {
        job->host->set_ui_array(job->result + i + j, (const gfp_ulong *)x + j * limbs,
                                (gfp_slong)limbs);
    }
}

/* Shorter factors, in limbs of p, are FLINT's. */
#define LEAST_BITS (32 * 64)

static gfp_known *known_of(const gfp_host *host, const gfp_fmpz *p, size_t len)
{
    uint64_t value[GFP_MAX_LIMBS];
    const gfp_slong bits = host->max_bits(p, 1);
    if (bits <= 64 || bits > 64 * GFP_MAX_LIMBS || len * ((size_t)bits + 63) < LEAST_BITS) {
        return NULL;
    }
    host->get_ui_array((gfp_ulong *)value, (bits + 63) / 64, p);
    return gfp_known_modulus(value, (size_t)bits);
}

/* The bits of the longest coefficient, up to multiples of 8; about the bits of p as soon as one is
 * as long. */
static size_t bits_of(const gfp_host *host, const gfp_fmpz *x, size_t n, const gfp_fmpz *p)
{
    const size_t all = (size_t)host->max_bits(p, 1);
    size_t most = 1;
    for (size_t i = 0; i < n && most + 8 < all; i += PIECE) {
        const gfp_slong bits = host->max_bits(x + i, (gfp_slong)gfp_size_min(n - i, PIECE));
        const size_t size = (size_t)(bits < 0 ? -bits : bits);
        most = size > most ? size : most;
    }
    return (most + 7) / 8 * 8;
}

bool gfp_take_mod(const gfp_job *job)
{
    gfp_known *known = known_of(job->host, job->p, gfp_size_min(job->len_a, job->len_b));
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const bool square = job->a == job->b && job->len_a == job->len_b;
    const size_t bits_a = bits_of(job->host, job->a, job->len_a, job->p);
    const gfp_product_mod product = {
        .host = job->host,
        .len_a = job->len_a,
        .len_b = job->len_b,
        .first = job->first,
        .end = job->end,
        .bits_a = bits_a,
        .bits_b = square ? bits_a : bits_of(job->host, job->b, job->len_b, job->p),
        .square = square,
        .passage = {&copy, get, resize, set}};
    return gfp_product_take(&product, known);
}
