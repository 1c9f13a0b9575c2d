/* factor.c: prime factors of a 64-bit word, for the proofs of primality.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/primes/factor.h"

#include "field/base/word.h"

/* Whether n is a strong probable prime to base a; n odd, n > 2, n - 1 = odd 2^s. */
static bool is_strong_probable_prime(uint64_t n, uint64_t a)
{
    unsigned s = gfp_ctz64(n - 1);
    uint64_t x = gfp_mod_pow(a, (n - 1) >> s, n);
    if (a % n == 0 || x == 1 || x == n - 1) {
        return true;
    }
    for (unsigned i = 1; i < s; i++) {
        x = gfp_mod_mul(x, x, n);
        if (x == n - 1) {
            return true;
        }
    }
    return false;
}

bool gfp_word_is_prime(uint64_t n)
{
    /* The first twelve primes are enough bases below 2^64 (Sorenson, Webster 2015). */
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    if (n < 2) {
        return false;
    }
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (n % bases[i] == 0) {
            return n == bases[i];
        }
    }
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (!is_strong_probable_prime(n, bases[i])) {
            return false;
        }
    }
    return true;
}

static uint64_t factor_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static uint64_t rho_step(uint64_t x, uint64_t c, uint64_t n)
{
    uint64_t square = gfp_mod_mul(x, x, n);
    return square >= n - c ? square - (n - c) : square + c;
}

/* Returns a proper factor of an odd composite n, by Pollard's rho with Brent's cycle search; the
 * differences of a block are multiplied, and one gcd is taken per block. */
static uint64_t proper_factor(uint64_t n)
{
    for (uint64_t c = 1;; c++) {
        uint64_t y = 2;
        uint64_t g = 1;
        for (uint64_t length = 1; g == 1; length *= 2) {
            uint64_t x = y;
            for (uint64_t done = 0; done < length && g == 1;) {
                uint64_t start = y;
                uint64_t product = 1;
                uint64_t block = length - done < 128 ? length - done : 128;
                for (uint64_t i = 0; i < block; i++) {
                    y = rho_step(y, c, n);
                    product = gfp_mod_mul(product, x > y ? x - y : y - x, n);
                }
                g = factor_gcd(product, n);
                if (g == n) {
                    /* This block met all factors at once: repeat it one step at a time. */
                    g = 1;
                    for (y = start; g == 1;) {
                        y = rho_step(y, c, n);
                        g = factor_gcd(x > y ? x - y : y - x, n);
                    }
                }
                done += block;
            }
        }
        if (g != n) {
            return g;
        }
    }
}

static unsigned factor_insert(uint64_t prime[GFP_MAX_FACTORS], unsigned count, uint64_t p)
{
    unsigned at = count;
    for (unsigned i = 0; i < count; i++) {
        if (prime[i] == p) {
            return count;
        }
    }
    for (; at > 0 && prime[at - 1] > p; at--) {
        prime[at] = prime[at - 1];
    }
    prime[at] = p;
    return count + 1;
}

unsigned gfp_factor(uint64_t n, uint64_t prime[GFP_MAX_FACTORS])
{
    unsigned count = 0;
    for (uint64_t p = 2; p < 1000 && p * p <= n; p += p == 2 ? 1 : 2) {
        if (n % p == 0) {
            count = factor_insert(prime, count, p);
            while (n % p == 0) {
                n /= p;
            }
        }
    }
    /* The rest has factors above 1000, at most 6 of them: split until all are prime. */
    uint64_t stack[8];
    unsigned depth = 0;
    if (n > 1) {
        stack[depth++] = n;
    }
    while (depth > 0) {
        uint64_t m = stack[--depth];
        if (gfp_word_is_prime(m)) {
            count = factor_insert(prime, count, m);
        } else {
            uint64_t factor = proper_factor(m);
            stack[depth++] = factor;
            stack[depth++] = m / factor;
        }
    }
    return count;
}
