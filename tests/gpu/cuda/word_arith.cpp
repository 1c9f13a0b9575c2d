/* word_arith.cpp: the device's arithmetic modulo word-size primes, run on the CPU against GMP:
 * every ring on random and extreme residues, for primes at both sides of its limits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

#include <gmp.h>

#include "papers/gpu/rings.h"
#include "gpu/cuda/word_dft.h"

namespace
{

constexpr size_t SAMPLES = 24;

uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* By GMP. */
uint64_t oracle_mul(uint64_t a, uint64_t b, uint64_t q)
{
    mpz_t x;
    mpz_init_set_ui(x, a);
    mpz_mul_ui(x, x, b);
    const uint64_t y = mpz_fdiv_ui(x, q);
    mpz_clear(x);
    return y;
}

uint64_t oracle_pow(uint64_t a, uint64_t e, uint64_t q)
{
    mpz_t x, exponent, modulus;
    mpz_init_set_ui(x, a);
    mpz_init_set_ui(exponent, e);
    mpz_init_set_ui(modulus, q);
    mpz_powm(x, x, exponent, modulus);
    const uint64_t y = mpz_get_ui(x);
    mpz_clear(x);
    mpz_clear(exponent);
    mpz_clear(modulus);
    return y;
}

bool is_prime(uint64_t q)
{
    mpz_t x;
    mpz_init_set_ui(x, q);
    const bool prime = mpz_probab_prime_p(x, 30) != 0;
    mpz_clear(x);
    return prime;
}

/* The greatest prime below 2^bits that is 1 modulo 2^log2_n. */
uint64_t prime_under(unsigned bits, unsigned log2_n)
{
    const uint64_t step = (uint64_t)1 << log2_n;
    uint64_t q = ((uint64_t)1 << bits) + 1 - step;
    while (!is_prime(q)) {
        q -= step;
    }
    return q;
}

gfp_gpu_modulus modulus_of(uint64_t q)
{
    mpz_t x, base;
    gfp_gpu_modulus m;
    mpz_init(x);
    mpz_init_set_ui(base, 1);
    mpz_mul_2exp(base, base, 64);
    m.q = q;
    mpz_set_ui(x, q);
    mpz_neg(x, x);
    mpz_invert(x, x, base);
    m.negative_inverse = mpz_get_ui(x);
    m.square32 = oracle_pow(2, 64, q);
    m.square64 = oracle_pow(2, 128, q);
    m.inverse = 1.0 / (double)q;
    mpz_clear(x);
    mpz_clear(base);
    return m;
}

uint64_t arith_sample(size_t i, uint64_t q, uint64_t *seed)
{
    const uint64_t extremes[] = {0, 1, 2 % q, q - 1, q - 2, q / 2, q / 2 + 1, q / 3};
    const size_t count = sizeof extremes / sizeof extremes[0];
    return i < count ? extremes[i] : next_random(seed) % q;
}

/* x or the same residue in [0, m), or its other representatives, as the transforms have them. */
template <class ring>
void check_pair(const ring &r, const gfp_gpu_modulus &m, uint64_t a, uint64_t b)
{
    const uint64_t q = m.q;
    typedef typename ring::word word;
    const word x = r.enter(a);
    const word y = r.enter(b);
    const typename ring::power w = ring::encode(b, m);
    assert_int_equal(r.leave(x), a);
    assert_int_equal(ring::decode(w, m), b);
    assert_int_equal(r.leave(r.reduce(r.add(x, y))), (a + b) % q);
    assert_int_equal(r.leave(r.reduce(r.sub(x, y))), (a + (q - b)) % q);
    assert_int_equal(r.leave(r.mul(x, w)), oracle_mul(a, b, q));
    assert_int_equal(r.leave(r.sub_mul(y, x, w)), oracle_mul((b + (q - a)) % q, b, q));
    /* Wide operands: growing sums, or the rest of a difference. */
    const word wide = r.sub(r.add(x, x), y);
    assert_int_equal(r.leave(r.sub_mul(wide, x, w)), oracle_mul((a + (q - b)) % q, b, q));
    assert_int_equal(r.leave(r.mul(r.mul(wide, w), w)),
                     oracle_mul(oracle_mul((2 * a % q + (q - b)) % q, b, q), b, q));
}

template <class ring> void check_product(const ring &r, uint64_t a, uint64_t b, uint64_t q)
{
    assert_int_equal(r.leave(r.product(r.enter(a), r.enter(b))), oracle_mul(a, b, q));
}

template <class ring> void check_ring(uint64_t q)
{
    const gfp_gpu_modulus m = modulus_of(q);
    const ring r(m);
    uint64_t seed = q;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t j = 0; j < SAMPLES; j++) {
            check_pair<ring>(r, m, arith_sample(i, q, &seed), arith_sample(j, q, &seed));
        }
    }
}

/* Products of the transforms' own constants and words, in the rings that have them. */
template <class ring> void check_products(uint64_t q)
{
    const ring r(modulus_of(q));
    uint64_t seed = q;
    for (size_t i = 0; i < SAMPLES * SAMPLES; i++) {
        check_product<ring>(r, arith_sample(i / SAMPLES, q, &seed),
                            arith_sample(i % SAMPLES, q, &seed), q);
    }
}

/* DFT of 2^B points in registers against the definition, and back. */
template <class ring, int B> void check_registers(uint64_t q, int input)
{
    const gfp_gpu_modulus m = modulus_of(q);
    const ring r(m);
    constexpr int n = 1 << B;
    uint64_t g = 2;
    while (oracle_pow(g, (q - 1) / 2, q) != q - 1) {
        g++;
    }
    const uint64_t w = oracle_pow(g, (q - 1) / n, q);
    uint64_t seed = 7;
    uint64_t a[n];
    typename ring::word x[n];
    typename ring::power powers[n], inverses[n];
    for (int i = 0; i < n; i++) {
        const uint64_t alternating = i % 2 == 0 ? 0 : q - 1;
        a[i] = input == 0   ? next_random(&seed) % q
               : input == 1 ? q - 1
               : input == 2 ? q / 2
               : input == 3 ? q / 2 + 1
               : input == 4 ? alternating
                            : arith_sample((size_t)i, q, &seed);
        x[i] = r.enter(a[i]);
        powers[i] = ring::encode(oracle_pow(w, (uint64_t)i, q), m);
        inverses[i] = ring::encode(oracle_pow(w, (uint64_t)(n - i), q), m);
    }
    dft<B>::forward(r, x, powers);
    for (int i = 0; i < n; i++) {
        uint64_t expected = 0;
        for (int j = 0; j < n; j++) {
            expected += oracle_mul(a[j], oracle_pow(w, (uint64_t)i * (uint64_t)j, q), q);
            expected %= q;
        }
        assert_int_equal(r.leave(x[reversed(i, B)]), expected);
    }
    for (int i = 0; i < n; i++) {
        x[i] = r.reduce(x[i]);
    }
    dft<B>::backward(r, x, inverses);
    for (int i = 0; i < n; i++) {
        assert_int_equal(r.leave(x[i]), oracle_mul(a[i], n, q));
    }
}

template <class ring> void check_all(const unsigned *bits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t q = prime_under(bits[i], 6);
        check_ring<ring>(q);
        check_products<ring>(q);
        for (int input = 0; input < 6; input++) {
            check_registers<ring, 1>(q, input);
            check_registers<ring, 2>(q, input);
            check_registers<ring, 3>(q, input);
            check_registers<ring, 4>(q, input);
            check_registers<ring, ring::radix>(q, input);
        }
    }
}

void half_words(void **)
{
    static const unsigned bits[] = {8, 16, 29, 30, 31};
    check_all<ring31>(bits, 5);
    check_ring<ring31>(3);
}

void double_quotients(void **)
{
    static const unsigned bits[] = {8, 16, 29, 30};
    for (size_t i = 0; i < 4; i++) {
        check_ring<quotient30>(prime_under(bits[i], 6));
    }
    check_ring<quotient30>(3);
}

void arith_doubles(void **)
{
    static const unsigned bits[] = {8, 31, 32, 48, 49, 50};
    check_all<ring50>(bits, 6);
    check_ring<ring50>(3);
}

void arith_words(void **)
{
    static const unsigned bits[] = {8, 31, 32, 33, 61, 62};
    check_all<ring62>(bits, 6);
    check_ring<ring62>(3);
}

void tables_arithmetic(void **)
{
    static const unsigned bits[] = {8, 31, 50, 62};
    for (size_t i = 0; i < 4; i++) {
        const uint64_t q = prime_under(bits[i], 6);
        const gfp_gpu_modulus m = modulus_of(q);
        uint64_t seed = 3;
        for (size_t j = 0; j < SAMPLES * SAMPLES; j++) {
            const uint64_t a = arith_sample(j / SAMPLES, q, &seed);
            const uint64_t b = arith_sample(j % SAMPLES, q, &seed);
            assert_int_equal(mod_mul(a, b, m), oracle_mul(a, b, q));
            assert_int_equal(mod_pow(a, b, m), oracle_pow(a, b, q));
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_words),        cmocka_unit_test(double_quotients),
        cmocka_unit_test(arith_doubles),     cmocka_unit_test(arith_words),
        cmocka_unit_test(tables_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
