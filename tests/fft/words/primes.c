/* primes.c: the supply of word-size primes against trial division, and the counts of primes of 31
 * bits in the literature.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The supply against trial division, and the counts of 31-bit primes in the literature. */
static void supply_of_primes(void **state)
{
    uint64_t q = 9;
    (void)state;
    assert_int_equal(gfp_word_prime_below(&q, ((uint64_t)1 << 62) + 1, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_word_prime_below(&q, 100, 62), GFP_ERR_ARGUMENT);
    for (unsigned below = 0; below <= 3; below++) {
        assert_int_equal(gfp_word_prime_below(&q, below, 0), GFP_DONE);
    }
    assert_int_equal(gfp_word_prime_below(&q, 17, 4), GFP_DONE);
    assert_int_equal(q, 9);
    for (unsigned log2_n = 0; log2_n <= 5; log2_n++) {
        uint64_t below = 3000;
        for (uint64_t c = below - 1; c >= 3; c--) {
            bool prime = c % 2 == 1 && (c - 1) % ((uint64_t)1 << log2_n) == 0;
            for (uint64_t d = 3; d * d <= c && prime; d += 2) {
                prime = c % d != 0;
            }
            if (prime) {
                assert_int_equal(gfp_word_prime_below(&below, below, log2_n), GFP_OK);
                assert_int_equal(below, c);
            }
        }
        assert_int_equal(gfp_word_prime_below(&below, below, log2_n), GFP_DONE);
    }
    static const unsigned expected[][2] = {{20, 202}, {23, 19}, {24, 10},
                                           {25, 7},   {26, 3},  {27, 1}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        unsigned count = 0;
        for (q = (uint64_t)1 << 31; gfp_word_prime_below(&q, q, expected[i][0]) == GFP_OK;) {
            count++;
        }
        assert_int_equal(count, expected[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supply_of_primes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
