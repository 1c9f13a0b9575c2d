/* take_mod.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/flint/job.h"
#include "bindings/preload/modulus.h"
#include "bindings/preload/product.h"
#include "field/base/support.h"

/* value := x, in `limbs` words. Returns false if x is negative or has more words. */
static bool get_limbs(uint64_t *value, size_t limbs, gfp_fmpz x)
{
    uint64_t word;
    long signed_size;
    const uint64_t *from = gfp_fmpz_limbs(x, &signed_size, &word);
    const size_t size = (size_t)signed_size;
    if (signed_size < 0 || size > limbs) {
        return false;
    }
    for (size_t i = 0; i < limbs; i++) {
        value[i] = i < size ? from[i] : 0;
    }
    return true;
}

static bool take_mod_get(void *user, uint64_t *x, size_t limbs, bool second, size_t i, size_t count)
{
    const gfp_job *job = user;
    const gfp_fmpz *from = (second ? job->b : job->a) + i;
    bool all = true;
    for (size_t j = 0; j < count && all; j++) {
        all = get_limbs(x + j * limbs, limbs, from[j]);
    }
    return all;
}

static void take_mod_resize(void *user, size_t n)
{
    const gfp_job *job = user;
    job->host->vec_zero(job->result + n, (gfp_slong)(job->end - job->first - n));
}

static void take_mod_set(void *user, const uint64_t *x, size_t limbs, size_t i, size_t count)
{
    const gfp_job *job = user;
    for (size_t j = 0; j < count; j++) {
        job->host->set_ui_array(job->result + i + j, (const gfp_ulong *)x + j * limbs,
                                (gfp_slong)limbs);
    }
}

static gfp_known *known_of(const gfp_fmpz *p)
{
    uint64_t word;
    long limbs;
    const uint64_t *value = gfp_fmpz_limbs(*p, &limbs, &word);
    if (limbs < 2 || limbs > GFP_MAX_LIMBS) {
        return NULL;
    }
    return gfp_known_modulus(value, gfp_flint_bits(p, 1, 1));
}

/* The bits of the longest coefficient, up to multiples of 8, or of one as long as p. */
static size_t bits_of(const gfp_fmpz *x, size_t n, const gfp_fmpz *p)
{
    uint64_t word;
    long limbs;
    (void)gfp_fmpz_limbs(*p, &limbs, &word);
    const size_t bits = gfp_flint_bits(x, n, limbs);
    return bits == 0 ? 8 : (bits + 7) / 8 * 8;
}

bool gfp_take_mod(const gfp_job *job)
{
    gfp_known *known = known_of(job->p);
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const bool square = job->a == job->b && job->len_a == job->len_b;
    const size_t bits_a = bits_of(job->a, job->len_a, job->p);
    const gfp_product_mod product = {
        .host = job->host,
        .len_a = job->len_a,
        .len_b = job->len_b,
        .first = job->first,
        .end = job->end,
        .bits_a = bits_a,
        .bits_b = square ? bits_a : bits_of(job->b, job->len_b, job->p),
        .square = square,
        .passage = {&copy, take_mod_get, take_mod_resize, take_mod_set}};
    return gfp_product_take(&product, known);
}
