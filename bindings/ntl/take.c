/* take.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/elem.h"
#include "job.h"
#include "modulus.h"
#include "product.h"
#include "support.h"

/* The words of a buffer on the stack that coefficients pass through, a chunk at a time. */
#define CHUNK_WORDS 2048

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

static gfp_status import(const gfp_field *field, uint64_t *z, const gfp_zz *x, size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        for (size_t j = 0; j < count; j++) {
            if (!get_limbs(chunk + j * limbs, limbs, x + i + j)) {
                return GFP_ERR_RANGE;
            }
        }
        GFP_TRY(gfp_vec_set_limbs(field, z + i * k, chunk, limbs, limbs, count, NULL));
    }
    return GFP_OK;
}

/* The coefficients below end that a factor has. */
static size_t length(const gfp_job *job, const gfp_zz_px *x)
{
    return gfp_size_min((size_t)gfp_ntl_length(x), job->end);
}

static gfp_status import_factor(void *user, const gfp_field *field, uint64_t *z, bool second)
{
    const gfp_job *job = user;
    const gfp_zz_px *x = second ? job->b : job->a;
    return import(field, z, x->coeffs, length(job, x));
}

static void export_result(void *user, const gfp_field *field, const uint64_t *z, size_t n)
{
    const gfp_job *job = user;
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    job->host->set_length(job->result, (long)n);
    gfp_zz *result = job->result->coeffs;
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        gfp_vec_get_limbs(field, chunk, limbs, z + i * k, count);
        for (size_t j = 0; j < count; j++) {
            job->host->set_limbs(chunk + j * limbs, (long)limbs, result + i + j);
        }
    }
    job->host->normalize(job->result);
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
                                     .import = import_factor,
                                     .export = export_result};
    return gfp_product_take(&product, known);
}
