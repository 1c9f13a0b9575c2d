/* hybrid.cpp: digits and residues of the device's hybrid product (gpu/cuda/product/hybrid_digits.h) on
 * the host, against GMP: the smallest and largest primes and radices that are served, digits and
 * sums at their bounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <gmp.h>

extern "C" {
#include <cmocka.h>

#include "lab/oracle.h"
}

#include "gpu/cuda/product/hybrid_digits.h"
#include "gpu/cuda/product/hybrid_primes.h"

using namespace gfp_hybrid;

namespace
{

uint64_t random_state = 88172645463325252u;

uint64_t random_word()
{
    return oracle_random(&random_state);
}

void set_signed(mpz_t z, int64_t x)
{
    mpz_set_ui(z, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    if (x < 0) {
        mpz_neg(z, z);
    }
}

const uint64_t radices[] = {
    RADIX_MIN,          0x8000000400000000, 0xfffc000000000000, 0xfffffffff0000000, RADIX_MAX,
    0x0300000000000800, 0x4100000000000000, 0x8000000000000000, 0xffff000000000000, RADIX_MIN + 2,
    0x0000100000000100, 0x7ffffffffffffffe, 0xffff000000000002,
};

void digits_become_residues(void **)
{
    const u32 primes[] = {PRIME_MIN, 715827883, 1073741789, 1073479681, 998244353, PRIME_MAX};
    mpz_t x;
    mpz_init(x);
    for (u32 q : primes) {
        const u32 inverse = inverse_of(q);
        assert_int_equal((u32)(inverse * q), 1);
        for (int i = 0; i < 20000; i++) {
            const uint64_t w = random_word();
            const int64_t ends[] = {
                INT64_MAX,        INT64_MIN,          0, -1, 1, (int64_t)q, -(int64_t)q,
                (int64_t)1 << 32, -((int64_t)1 << 32)};
            const int64_t d = i < 9     ? ends[i]
                              : i < 200 ? (int64_t)((w & 3) - 2 + ((uint64_t)(i & 63) << 57))
                                        : (int64_t)w >> (i & 63);
            const u32 y = project(d, q, inverse);
            assert_true((uint64_t)y < 4 * (uint64_t)q);
            set_signed(x, d);
            mpz_sub_ui(x, x, (uint64_t)y << 32);
            assert_true(mpz_divisible_ui_p(x, q));
        }
    }
    mpz_clear(x);
}

/* count primes that are 1 modulo `step` and below 2^30, the greatest ones or the least. */
void find_primes(u32 *primes, int count, u32 step, bool least)
{
    mpz_t q;
    mpz_init(q);
    u32 x = least ? PRIME_MIN / step * step + 1 + step : PRIME_MAX / step * step + 1;
    for (int i = 0; i < count;) {
        mpz_set_ui(q, x);
        if (x <= PRIME_MAX && mpz_probab_prime_p(q, 20)) {
            primes[i++] = x;
        }
        x = least ? x + step : x - step;
    }
    mpz_clear(q);
}

enum { KINDS = 6 };

template <int N> void check_crt(uint64_t r, const u32 *primes)
{
    crt<N> constants;
    const radix R = make_radix(r);
    make_crt(&constants, r, primes);
    /* The largest number of products that the bound admits. */
    unsigned k = 16;
    uint64_t terms = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit != 0; bit /= 2) {
        terms += crt_fits(primes, N, k, r, terms + bit) ? bit : 0;
    }
    if (terms == 0) {
        return;
    }
    mpz_t most, c, sum, other, digit, p;
    mpz_inits(most, c, sum, other, digit, p, nullptr);
    mpz_set_ui(most, terms * k);
    mpz_mul_ui(most, most, digit_bound(r));
    mpz_mul_ui(most, most, digit_bound(r));
    mpz_set_ui(p, 1);
    for (int i = 0; i < N; i++) {
        mpz_mul_ui(p, p, primes[i]);
    }
    mpz_mul_ui(sum, most, 2);
    assert_true(mpz_cmp(sum, p) < 0);
    /* Terms are the most: one in 2^15 more does not fit, unless it is their number that does not.
     */
    mpz_mul_ui(sum, sum, (1 << 15) + 1);
    mpz_tdiv_q_2exp(sum, sum, 15);
    assert_true(terms < 1000000 || (terms + 1) * k > INT32_MAX || mpz_cmp(sum, p) > 0);
    mpz_set_ui(p, r);
    mpz_pow_ui(p, p, k);
    mpz_add_ui(p, p, 1);
    gmp_randstate_t state;
    gmp_randinit_default(state);
    for (int kind = 0; kind < 10 * KINDS; kind++) {
        triple t[16];
        mpz_set_ui(sum, 0);
        for (unsigned j = k; j-- > 0;) {
            /* |c| <= most. */
            mpz_urandomm(c, state, most);
            mpz_tdiv_q_2exp(c, c, kind % KINDS == 1 ? random_word() % 150 : 0);
            if (kind % KINDS == 2 || (kind % KINDS == 3 && (random_word() & 1))) {
                mpz_set(c, most);
            } else if (kind % KINDS == 4) {
                /* Halves: (h + 1/2) r, and next to it; and of r^2. */
                mpz_fdiv_q_2exp(c, c, 64);
                mpz_mul_ui(c, c, r);
                mpz_add_ui(c, c, r / 2 + random_word() % 3 - 1);
            } else if (kind % KINDS == 5) {
                mpz_set_ui(other, r);
                mpz_mul_ui(other, other, r);
                mpz_tdiv_q(c, c, other);
                mpz_mul_2exp(c, c, 1);
                mpz_add_ui(c, c, 1);
                mpz_mul(c, c, other);
                mpz_tdiv_q_2exp(c, c, 1);
                mpz_set_ui(other, r / 2 + random_word() % 3 - 1);
                mpz_sub(c, c, other);
            }
            if (mpz_cmpabs(c, most) > 0) {
                mpz_set(c, most);
            }
            if (random_word() & 1) {
                mpz_neg(c, c);
            }
            mpz_mul_ui(sum, sum, r);
            mpz_add(sum, sum, c);
            /* Of the residues that may be given, the greatest, the least or any. */
            s32 x[N];
            for (int i = 0; i < N; i++) {
                const s32 bound = (s32)residue_bound(N, primes[i]), q = (s32)primes[i];
                mpz_mul_ui(other, c, constants.scale[i]);
                x[i] = (s32)mpz_fdiv_ui(other, primes[i]);
                const bool lower = x[i] > bound || kind / KINDS % 3 == 1 ||
                                   (kind / KINDS % 3 == 2 && (random_word() & 1));
                x[i] -= lower && x[i] >= q - bound ? q : 0;
            }
            t[j] = recombine(constants, R, x);
            if (!R.tight) {
                const triple same = recombine<N, false>(constants, R, x);
                assert_true(same.c0 == t[j].c0 && same.c1 == t[j].c1 && same.c2 == t[j].c2);
            }
            mpz_set_si(other, t[j].c2);
            mpz_mul_ui(other, other, r);
            set_signed(digit, t[j].c1);
            mpz_add(other, other, digit);
            mpz_mul_ui(other, other, r);
            set_signed(digit, t[j].c0);
            mpz_add(other, other, digit);
            assert_int_equal(mpz_cmp(other, c), 0);
        }
        /* One digit of each place, and one carry. */
        int64_t d[16];
        s32 carry[16];
        for (unsigned j = 0; j < k; j++) {
            const int64_t c1 = j > 0 ? t[j - 1].c1 : -t[k - 1].c1;
            const s32 c2 = j > 1 ? t[j - 2].c2 : -t[k + j - 2].c2;
            d[j] = settle(R, t[j].c0, c1, c2, &carry[j]);
            assert_true(abs(carry[j]) <= 4);
        }
        mpz_set_ui(other, 0);
        for (unsigned j = k; j-- > 0;) {
            d[j] += j > 0 ? carry[j - 1] : -carry[k - 1];
            assert_true((uint64_t)llabs(d[j]) <= digit_bound(r));
            mpz_mul_ui(other, other, r);
            set_signed(c, d[j]);
            mpz_add(other, other, c);
        }
        mpz_sub(sum, sum, other);
        assert_true(mpz_divisible_p(sum, p));
    }
    gmp_randclear(state);
    mpz_clears(most, c, sum, other, digit, p, nullptr);
}

void residues_become_digits(void **)
{
    for (uint64_t r : radices) {
        for (int i = 0; i < 3; i++) {
            u32 primes[6];
            find_primes(primes, 6, i == 1 ? 1u << 20 : 2, i == 2);
            check_crt<2>(r, primes);
            check_crt<3>(r, primes);
            check_crt<4>(r, primes);
            check_crt<5>(r, primes);
            check_crt<6>(r, primes);
        }
    }
}

/* The goals need 2^22 products of digits and five primes up to the greatest radix. */
void five_primes_are_enough(void **)
{
    u32 primes[5];
    find_primes(primes, 5, 1u << 20, false);
    assert_true(crt_fits(primes, 5, 4, RADIX_MAX, (uint64_t)1 << 20));
    assert_true(crt_fits(primes, 3, 4, RADIX_MIN, (uint64_t)1 << 20));
    assert_false(crt_fits(primes, 4, 8, 0x8000000400000000, 1));
}

/* No prime is left out, and a 0 ends the list. */
void primes_of_leaves_are_the_greatest(void **)
{
    for (unsigned log2 = MIN_LOG2_ORDER; log2 <= MAX_LOG2_ORDER + 2; log2++) {
        const u32 step = (u32)1 << log2;
        int count = 0;
        for (u32 x = ((u32)1 << 30) - step + 1; x >= PRIME_MIN && count < GFP_HYBRID_LEAF_PRIMES;
             x -= step) {
            mpz_t n;
            mpz_init_set_ui(n, x);
            if (mpz_probab_prime_p(n, 30) != 0) {
                assert_true(log2 <= MAX_LOG2_ORDER);
                assert_int_equal(leaf_primes[log2 - MIN_LOG2_ORDER][count], x);
                count++;
            }
            mpz_clear(n);
        }
        for (; log2 <= MAX_LOG2_ORDER && count < GFP_HYBRID_LEAF_PRIMES; count++) {
            assert_int_equal(leaf_primes[log2 - MIN_LOG2_ORDER][count], 0);
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_become_residues),
        cmocka_unit_test(residues_become_digits),
        cmocka_unit_test(five_primes_are_enough),
        cmocka_unit_test(primes_of_leaves_are_the_greatest),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
