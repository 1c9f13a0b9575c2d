/* named.c: the named primes with their certificates, which gfp_certificate_create found; the tests
 * create and check the certificates again.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/field.h"

#include "field/base/context.h"

static const gfp_named_prime named_primes[] = {
    {"p2", "(2^63+2^53)^2+1", UINT64_C(0x8020000000000000), 2, {GFP_PROOF_PROTH, 1, {{2, 3}}}},
    {"p4", "(2^64-2^50)^4+1", UINT64_C(0xfffc000000000000), 4, {GFP_PROOF_PROTH, 1, {{2, 5}}}},
    {"p8", "(2^63+2^34)^8+1", UINT64_C(0x8000000400000000), 8, {GFP_PROOF_PROTH, 1, {{2, 5}}}},
    {"p16", "(2^62+2^36)^16+1", UINT64_C(0x4000001000000000), 16, {GFP_PROOF_PROTH, 1, {{2, 3}}}},
    {"p32", "(2^62+2^56)^32+1", UINT64_C(0x4100000000000000), 32, {GFP_PROOF_PROTH, 1, {{2, 3}}}},
    {"p64", "(2^63-2^40)^64+1", UINT64_C(0x7fffff0000000000), 64, {GFP_PROOF_PROTH, 1, {{2, 3}}}},
    {"p128",
     "(2^64-2^28)^128+1",
     UINT64_C(0xfffffffff0000000),
     128,
     {GFP_PROOF_POCKLINGTON, 2, {{2, 23}, {109, 2}}}},
    {"m4",
     "(2^59+2^58+2^11)^4+1",
     UINT64_C(0x0c00000000000800),
     4,
     {GFP_PROOF_POCKLINGTON, 3, {{2, 3}, {87317, 2}, {12799, 2}}}},
    {"m8", "(2^59+2^57+2^39)^8+1", UINT64_C(0x0a00008000000000), 8, {GFP_PROOF_PROTH, 1, {{2, 5}}}},
    {"m16",
     "(2^58+2^55+2^45)^16+1",
     UINT64_C(0x0480200000000000),
     16,
     {GFP_PROOF_PROTH, 1, {{2, 3}}}},
    {"m32",
     "(2^58+2^55+2^17)^32+1",
     UINT64_C(0x0480000000020000),
     32,
     {GFP_PROOF_POCKLINGTON, 2, {{2, 3}, {934861, 2}}}},
    {"m64",
     "(2^57+2^56+2^11)^64+1",
     UINT64_C(0x0300000000000800),
     64,
     {GFP_PROOF_POCKLINGTON, 2, {{2, 3}, {122767159, 2}}}},
    {"m128",
     "(2^57+2^52+2^20)^128+1",
     UINT64_C(0x0210000000100000),
     128,
     {GFP_PROOF_POCKLINGTON, 2, {{2, 3}, {1472239, 2}}}},
};

size_t gfp_named_prime_count(void)
{
    return sizeof named_primes / sizeof *named_primes;
}

const gfp_named_prime *gfp_named_prime_get(size_t index)
{
    return index < gfp_named_prime_count() ? &named_primes[index] : NULL;
}

int gfp_named_prime_find(uint64_t r, unsigned k)
{
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        if (named_primes[i].r == r && named_primes[i].k == k) {
            return (int)i;
        }
    }
    return -1;
}
