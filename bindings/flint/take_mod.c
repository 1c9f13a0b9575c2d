/* take_mod.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/elem.h"
#include "job.h"
#include "modulus.h"
#include "product.h"
#include "support.h"

/* The words of a buffer on the stack that coefficients pass through, a chunk at a time. */
#define CHUNK_WORDS 2048

/* z := n elements. Errors: RANGE (a coefficient is not below p). */
static gfp_status import(const gfp_host *host, const gfp_field *field, uint64_t *z,
                         const gfp_fmpz *x, size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    const gfp_slong bits = host->max_bits(x, (gfp_slong)n);
    if (bits < 0 || (size_t)bits > 64 * limbs) {
        return GFP_ERR_RANGE;
    }
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        for (size_t j = 0; j < count; j++) {
            host->get_ui_array((gfp_ulong *)chunk + j * limbs, (gfp_slong)limbs, x + i + j);
        }
        GFP_TRY(gfp_vec_set_limbs(field, z + i * k, chunk, limbs, limbs, count, NULL));
    }
    return GFP_OK;
}

static void export(const gfp_host *host, const gfp_field *field, gfp_fmpz *z, const uint64_t *x,
                   size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        gfp_vec_get_limbs(field, chunk, limbs, x + i * k, count);
        for (size_t j = 0; j < count; j++) {
            host->set_ui_array(z + i + j, (const gfp_ulong *)chunk + j * limbs, (gfp_slong)limbs);
        }
    }
}

static gfp_status import_factor(void *user, const gfp_field *field, uint64_t *z, bool second)
{
    const gfp_job *job = user;
    return second ? import(job->host, field, z, job->b, job->len_b)
                  : import(job->host, field, z, job->a, job->len_a);
}

static void export_result(void *user, const gfp_field *field, const uint64_t *z, size_t n)
{
    const gfp_job *job = user;
    export(job->host, field, job->result, z, n);
    job->host->vec_zero(job->result + n, (gfp_slong)(job->end - job->first - n));
}

static gfp_known *known_of(const gfp_host *host, const gfp_fmpz *p)
{
    uint64_t value[GFP_MAX_LIMBS];
    const gfp_slong bits = host->max_bits(p, 1);
    if (bits <= 64 || bits > 64 * GFP_MAX_LIMBS) {
        return NULL;
    }
    host->get_ui_array((gfp_ulong *)value, (bits + 63) / 64, p);
    return gfp_known_modulus(value, (size_t)bits);
}

bool gfp_take_mod(const gfp_job *job)
{
    gfp_known *known = known_of(job->host, job->p);
    if (known == NULL) {
        return false;
    }
    gfp_job copy = *job;
    const gfp_product_mod product = {.host = job->host,
                                     .len_a = job->len_a,
                                     .len_b = job->len_b,
                                     .first = job->first,
                                     .end = job->end,
                                     .square = job->a == job->b && job->len_a == job->len_b,
                                     .user = &copy,
                                     .import = import_factor,
                                     .export = export_result};
    return gfp_product_take(&product, known);
}
