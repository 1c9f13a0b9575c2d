/* named.c: access to the named primes, whose list with certificates is field/primes/named.inc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/field.h"

#include "field/base/context.h"

#define GFP_NAMED_PRIME(name, formula, r, k, ...) {name, formula, UINT64_C(r), k, __VA_ARGS__},
static const gfp_named_prime named_primes[] = {
#include "field/primes/named.inc"
};
#undef GFP_NAMED_PRIME

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
