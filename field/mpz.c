/* mpz.c: elements from and to GMP integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/gmp.h"

#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"

static void set_limbs(mpz_ptr value, const uint64_t *limbs, unsigned n)
{
    mp_limb_t *z = mpz_limbs_write(value, (mp_size_t)n);
    memcpy(z, limbs, n * sizeof *limbs);
    mpz_limbs_finish(value, (mp_size_t)n);
}

void gfp_elem_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr value)
{
    gfp_elem_set_limbs(field, z, (const uint64_t *)(const void *)mpz_limbs_read(value),
                       mpz_size(value));
    if (mpz_sgn(value) < 0) {
        gfp_elem_neg(field, z, z);
    }
}

void gfp_elem_get_mpz(const gfp_field *field, mpz_ptr value, const uint64_t *x)
{
    uint64_t limbs[GFP_MAX_LIMBS];
    gfp_elem_get_limbs(field, limbs, x);
    set_limbs(value, limbs, field->limbs);
}

/* The numbers of one call of gfp_convert_import or gfp_convert_export. */
#define CHUNK 64

void gfp_vec_set_mpz(const gfp_field *field, uint64_t *z, mpz_srcptr values, size_t n)
{
    gfp_limbs_view x[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = gfp_size_min(n - i, CHUNK);
        uint64_t *to = z + i * field->k;
        for (size_t j = 0; j < count; j++) {
            x[j].limbs = (const uint64_t *)(const void *)mpz_limbs_read(&values[i + j]);
            x[j].size = mpz_size(&values[i + j]);
        }
        gfp_convert_import(field, to, x, count);
        for (size_t j = 0; j < count; j++) {
            if (mpz_sgn(&values[i + j]) < 0) {
                gfp_elem_neg(field, to + j * field->k, to + j * field->k);
            }
        }
    }
}

void gfp_vec_get_mpz(const gfp_field *field, mpz_ptr values, const uint64_t *x, size_t n)
{
    uint64_t *to[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = gfp_size_min(n - i, CHUNK);
        for (size_t j = 0; j < count; j++) {
            to[j] = (uint64_t *)(void *)mpz_limbs_write(&values[i + j], (mp_size_t)field->limbs);
        }
        gfp_convert_export(field, to, x + i * field->k, count);
        for (size_t j = 0; j < count; j++) {
            mpz_limbs_finish(&values[i + j], (mp_size_t)field->limbs);
        }
    }
}

void gfp_field_get_mpz(const gfp_field *field, mpz_ptr value)
{
    set_limbs(value, field->modulus, field->limbs);
}
