/* roots.c: the canonical roots of unity of prime power orders that divide p - 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/axes.h"

static void roots_power(const gfp_field *field, uint64_t *z, const uint64_t *x, uint64_t exponent)
{
    gfp_elem_pow(field, z, x, &exponent, 1);
}

/* z := a^((p - 1) / prime^exponent), p - 1 = r^k, r = prime^v s: k powers of s, then powers of the
 * prime. */
static void cofactor_power(const gfp_field *field, uint64_t *z, uint64_t a, uint64_t prime,
                           unsigned exponent)
{
    uint64_t s = field->r;
    unsigned v = 0;
    for (; s % prime == 0; s /= prime) {
        v++;
    }
    gfp_elem_set_u64(field, z, a);
    for (unsigned i = 0; i < field->k; i++) {
        roots_power(field, z, z, s);
    }
    for (unsigned i = exponent; i < v * field->k; i++) {
        roots_power(field, z, z, prime);
    }
}

gfp_status gfp_fft_prime_power_root(const gfp_field *field, uint64_t *root, uint64_t prime,
                                    unsigned exponent)
{
    uint64_t r = field->r;
    unsigned most = 0;
    if (prime == 2) {
        return gfp_field_root(field, root, exponent);
    }
    for (; r % prime == 0; r /= prime) {
        most += field->k;
    }
    if (exponent > most) {
        return GFP_ERR_NO_ROOT;
    }
    /* The least a that is no prime-th power. */
    for (uint64_t a = 2;; a++) {
        uint64_t z[GFP_MAX_K];
        cofactor_power(field, root, a, prime, exponent);
        gfp_elem_set(field, z, root);
        for (unsigned i = 1; i < exponent; i++) {
            roots_power(field, z, z, prime);
        }
        if (!gfp_elem_is_one(field, z) && !gfp_elem_is_zero(field, z)) {
            return GFP_OK;
        }
    }
}
