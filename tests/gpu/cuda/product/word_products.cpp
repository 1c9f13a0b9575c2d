/* word_products.cpp: the device's arithmetic of products modulo words, run on the CPU
 * against GMP: residues, and coefficients from residues, for moduli of all sizes and extreme
 * integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

#include <gmp.h>

extern "C" {
#include "gfpoly/base.h"
#include "field/base/word.h"
#include "fft/words/primes.h"
}
#include "gpu/cuda/product/word_products_arith.h"

namespace
{

uint64_t state = 7;

uint64_t products_draw()
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t power_of_two(unsigned bits, uint64_t q)
{
    mpz_t x;
    mpz_init_set_ui(x, 1);
    mpz_mul_2exp(x, x, bits);
    const uint64_t y = mpz_fdiv_ui(x, q);
    mpz_clear(x);
    return y;
}

gfp_gpu_word_primes primes_of(unsigned log2_n)
{
    gfp_gpu_word_primes p = {};
    uint64_t below = (uint64_t)1 << GFP_WORD_PRIME_BITS;
    for (gfp_gpu_modulus &m : p.modulus) {
        assert_int_equal(gfp_word_prime_below(&m.q, below, log2_n), GFP_OK);
        below = m.q;
        m.negative_inverse = gfp_mont_negative_inverse(m.q);
        m.square32 = power_of_two(64, m.q);
        m.square64 = power_of_two(128, m.q);
        m.inverse = 1 / (double)m.q;
    }
    word_primes_fill(&p);
    return p;
}

gfp_gpu_word_modulus modulus_of(const gfp_gpu_word_primes &p, uint64_t q)
{
    gfp_divisor divisor;
    gfp_divisor_init(&divisor, q);
    gfp_gpu_word_modulus m = {q, divisor.d, divisor.inverse, divisor.shift, {0, 0}};
    mpz_t x;
    mpz_init_set_ui(x, p.modulus[0].q);
    m.weight[0] = mpz_fdiv_ui(x, q);
    mpz_mul_ui(x, x, p.modulus[1].q);
    m.weight[1] = mpz_fdiv_ui(x, q);
    mpz_clear(x);
    return m;
}

void residues_are_right(void **)
{
    const gfp_gpu_word_primes p = primes_of(20);
    static const uint64_t extreme[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63};
    for (int i = 0; i < 20000; i++) {
        const gfp_gpu_modulus &m = p.modulus[i % 3];
        const uint64_t x = i % 4 == 0   ? extreme[i / 4 % 5]
                           : i % 4 == 1 ? m.q * (1 + i % 3) - i % 2
                                        : products_draw();
        assert_int_equal(word_residue(x, m), x % m.q);
    }
}

void combine_is_right(void **)
{
    static const uint64_t moduli[] = {1,
                                      2,
                                      3,
                                      (uint64_t)1 << 31,
                                      (UINT64_C(1) << 30) - 35,
                                      (UINT64_C(1) << 62) - 57,
                                      (uint64_t)1 << 62,
                                      (UINT64_C(1) << 63) - 25,
                                      (uint64_t)1 << 63};
    const gfp_gpu_word_primes p = primes_of(24);
    mpz_t x, all;
    mpz_init(x);
    mpz_init_set_ui(all, p.modulus[0].q);
    mpz_mul_ui(all, all, p.modulus[1].q);
    mpz_mul_ui(all, all, p.modulus[2].q);
    for (int i = 0; i < 20000; i++) {
        const uint64_t q =
            i % 2 == 0 ? moduli[i / 2 % 9] : 1 + (products_draw() >> (1 + products_draw() % 63));
        const gfp_gpu_word_modulus m = modulus_of(p, q);
        uint64_t r[GFP_GPU_WORD_PRIMES];
        mpz_set_ui(x, products_draw());
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, products_draw());
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, products_draw());
        mpz_fdiv_q_2exp(x, x, (mp_bitcnt_t)(products_draw() % 192));
        if (i % 5 == 0) { /* the greatest integers */
            mpz_sub_ui(x, all, 1 + products_draw() % 3);
        }
        mpz_mod(x, x, all);
        for (unsigned j = 0; j < GFP_GPU_WORD_PRIMES; j++) {
            r[j] = mpz_fdiv_ui(x, p.modulus[j].q);
        }
        assert_int_equal(word_combine(r, p, m), mpz_fdiv_ui(x, q));
    }
    mpz_clear(x);
    mpz_clear(all);
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residues_are_right),
        cmocka_unit_test(combine_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
