/* unlucky.h: shared by the tests over Z: products of the primes that the library takes first,
 * for inputs that make them unlucky.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_MODULAR_UNLUCKY_H
#define TESTS_MODULAR_UNLUCKY_H

#include "modular/lab.h"

#include "gfpoly/primes.h"
#include "field/base/support.h"
#include "crt/blocks/remainders.h"

/* factor := the product of the primes of the first `blocks` blocks, or of those after a few. */
static inline void unlucky_words(mpz_t factor, size_t from, size_t blocks, unsigned first)
{
    gfp_words_supply *supply;
    mpz_set_ui(factor, 1);
    assert_int_equal(gfp_words_supply_create(&supply, &gfp_default_allocator), GFP_OK);
    for (size_t j = from; j < from + blocks; j++) {
        const gfp_words *block;
        assert_int_equal(gfp_words_supply_block(supply, j, &block), GFP_OK);
        for (unsigned i = j == from ? first : 0; i < GFP_WORDS; i++) {
            mpz_mul_ui(factor, factor, block->q[i]);
        }
    }
    gfp_words_supply_destroy(supply);
}

/* factor := the product of `count` primes, from this number on, of p8, m8 and the primes of k = 8
 * in stock, the order in which "big" draws several. */
static inline void unlucky_big(mpz_t factor, size_t from, size_t count)
{
    mpz_t p;
    mpz_init(p);
    mpz_set_ui(factor, 1);
    for (size_t i = from; i < from + count; i++) {
        gfp_prime prime = {.r = UINT64_C(0x8000000400000000)};
        if (i == 1) {
            prime.r = UINT64_C(0x0a00008000000000);
        } else if (i > 1) {
            assert_int_equal(gfp_prime_stock_get(&prime, 8, i - 2, NULL), GFP_OK);
        }
        mpz_set_ui(p, prime.r);
        mpz_pow_ui(p, p, 8);
        mpz_add_ui(p, p, 1);
        mpz_mul(factor, factor, p);
    }
    mpz_clear(p);
}

#endif
