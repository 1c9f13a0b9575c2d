/* take.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "job.h"
#include "modulus.h"
#include "product.h"
#include "support.h"

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

/* The coefficients below end that a factor has. */
static size_t length(const gfp_job *job, const gfp_zz_px *x)
{
    return gfp_size_min((size_t)gfp_ntl_length(x), job->end);
}

static bool get(void *user, uint64_t *x, size_t limbs, bool second, size_t i, size_t count)
{
    const gfp_job *job = user;
    const gfp_zz *from = (second ? job->b : job->a)->coeffs + i;
    bool all = true;
    for (size_t j = 0; j < count && all; j++) {
        all = get_limbs(x + j * limbs, limbs, from + j);
    }
    return all;
}

static void resize(void *user, size_t n)
{
    const gfp_job *job = user;
    job->host->set_length(job->result, (long)n);
}

static void set(void *user, const uint64_t *x, size_t limbs, size_t i, size_t count)
{
    const gfp_job *job = user;
    for (size_t j = 0; j < count; j++) {
        job->host->set_limbs(x + j * limbs, (long)limbs, job->result->coeffs + i + j);
    }
}

/* The record of the modulus that the thread has installed. */
static gfp_known *known_of(const gfp_host *host)
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

bool gfp_take(const gfp_job *job)
{
    gfp_known *known = known_of(job->host);
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const gfp_product_mod product = {.host = job->host,
                                     .len_a = length(job, job->a),
                                     .len_b = length(job, job->b),
                                     .end = job->end,
                                     .square = job->a == job->b,
                                     .user = &copy,
                                     .get = get,
                                     .resize = resize,
                                     .set = set};
    return gfp_product_take(&product, known);
}
