/* convert.c: see job.h: numbers and moduli of NTL.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/ntl/job.h"

/* value := x, in `limbs` words. Returns false if x is negative or has more words. */
static bool get_limbs(uint64_t *value, size_t limbs, const gfp_zz *x)
{
    long signed_size;
    const uint64_t *from = gfp_ntl_limbs(x, &signed_size);
    const size_t size = (size_t)signed_size;
    if (signed_size < 0 || size > limbs) {
        return false;
    }
    for (size_t i = 0; i < limbs; i++) {
        value[i] = i < size ? from[i] : 0;
    }
    return true;
}

static bool convert_get(void *user, uint64_t *x, size_t limbs, bool second, size_t i, size_t count)
{
    const gfp_job *job = user;
    const gfp_zz *from = (second ? job->b : job->a)->coeffs + i;
    bool all = true;
    for (size_t j = 0; j < count && all; j++) {
        all = get_limbs(x + j * limbs, limbs, from + j);
    }
    return all;
}

static void convert_resize(void *user, size_t n)
{
    const gfp_job *job = user;
    job->host->set_length(*job->next, (long)n);
}

static void convert_set(void *user, const uint64_t *x, size_t limbs, size_t i, size_t count)
{
    const gfp_job *job = user;
    for (size_t j = 0; j < count; j++) {
        job->host->set_limbs(x + j * limbs, (long)limbs, (*job->next)->coeffs + i + j);
    }
}

gfp_passage gfp_ntl_passage(gfp_job *job)
{
    job->next = job->result;
    return (gfp_passage){job, convert_get, convert_resize, convert_set};
}

size_t gfp_ntl_bits(const gfp_host *host, const gfp_zz_px *x, size_t n)
{
    long all, most = 1;
    uint64_t top = 1;
    (void)gfp_ntl_limbs(gfp_ntl_modulus(host), &all);
    for (size_t i = 0; i < n && most < all; i++) {
        long limbs;
        const uint64_t *value = gfp_ntl_limbs(x->coeffs + i, &limbs);
        if (limbs >= most) {
            top = limbs > most || value[limbs - 1] > top ? value[limbs - 1] : top;
            most = limbs;
        }
    }
    const size_t bits = 64 * (size_t)most - (size_t)__builtin_clzll(top | 1);
    return (bits + 7) / 8 * 8;
}

gfp_known *gfp_ntl_known(const gfp_host *host)
{
    long limbs;
    const gfp_zz *p = gfp_ntl_modulus(host);
    const uint64_t *value = p == NULL ? NULL : gfp_ntl_limbs(p, &limbs);
    if (value == NULL || limbs < 2 || limbs > GFP_MAX_LIMBS || value[limbs - 1] == 0) {
        return NULL;
    }
    const size_t zeros = (size_t)__builtin_clzll(value[limbs - 1]);
    return gfp_known_modulus(value, 64 * (size_t)limbs - zeros);
}
