/* wide.cpp: the device's general product by small primes (gpu/cuda/wide_product.h), its
 * lanes run one after another on the host, against GMP: named and extreme radices, all pairs of
 * extreme digits and random ones, and the stated bounds.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
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

#include "gpu/cuda/wide_product.h"

using namespace gfp_wide;

namespace
{

uint64_t random_state = 88172645463325252u;

uint64_t random_word()
{
    return oracle_random(&random_state);
}

void assert_below(int64_t value, double bound, int prime_number)
{
    assert_true((double)llabs(value) < bound * prime(prime_number));
}

/* The carry into digit j: that of digit j - 1, or for digit 0 the negative of the highest digit's.
 */
template <int K> int64_t from_below(const int32_t (&carry)[K], int j)
{
    return j > 0 ? carry[j - 1] : -(int64_t)carry[K - 1];
}

/* The kernels' product, lane after lane. */
template <int K, bool WIDE>
void wide_multiply(const radix &R, const int64_t *x, const int64_t *y, int64_t *z)
{
    constexpr int V = shape<K>::V, L = shape<K>::L, G = shape<K>::G;
    int32_t residue[K][PRIMES], entry[ENTRY<K>];
    unroll<PRIMES>([&](auto p_) {
        constexpr int P = GFP_AT(p_);
        int32_t table[K], transform[K], product[K], v[V];
        for (int c = 0; c < L; c++) {
            int64_t a[V], b[V];
            for (int i = 0; i < V; i++) {
                a[i] = x[c + L * i], b[i] = y[c + L * i];
            }
            prepare<K, P>(b, R, v);
            for (int i = 0; i < V; i++) {
                assert_below(v[i], 0.5001, P);
                table[i * L + c] = v[i];
            }
            put_entry<K, P>(v, entry, c);
            forward<K, P>(a, v);
            for (int i = 0; i < V; i++) {
                assert_below(v[i], 11.3, P);
                transform[i * L + c] = v[i];
            }
        }
        for (int lane = 0; lane < L; lane++) {
            int32_t a[V], b[V], zb[V], u[V], z_roots[G];
            for (int i = 0; i < V; i++) {
                a[i] = transform[lane * V + i], b[i] = table[lane * V + i];
            }
            for (int g = 0; g < G; g++) {
                z_roots[g] = zeta(P, V, lane * G + g);
            }
            wrap<K, P>(b, z_roots, zb);
            for (int i = 0; i < V; i++) {
                assert_below(zb[i], 0.51, P);
                assert_int_equal(zb[i], entry[2 * P * K + K + lane * V + i]);
                assert_int_equal(b[i], entry[2 * P * K + lane * V + i]);
            }
            products<K, P>(a, b, zb, u);
            for (int i = 0; i < V; i++) {
                assert_below(u[i], 1.9, P);
                product[lane * V + i] = u[i];
            }
        }
        for (int c = 0; c < L; c++) {
            for (int i = 0; i < V; i++) {
                v[i] = product[i * L + c];
            }
            backward<K, P>(v);
            for (int i = 0; i < V; i++) {
                assert_below(v[i], 6, P);
                residue[c + L * i][P] = v[i];
            }
        }
    });
    column sum[K];
    int32_t quotient[K], one[K];
    for (int j = 0; j < K; j++) {
        sum[j] = recombine(residue[j], R);
    }
    for (int j = 0; j < K; j++) {
        uint32_t h_lo = j > 0 ? sum[j - 1].h_lo : 0u - sum[K - 1].h_lo;
        int64_t h_hi = j > 0 ? sum[j - 1].h_hi : -sum[K - 1].h_hi - (sum[K - 1].h_lo != 0);
        z[j] = divide<WIDE>(sum[j], h_lo, h_hi, R, quotient[j]);
    }
    for (int j = 0; j < K; j++) {
        if (WIDE) {
            z[j] = settle(z[j], from_below(quotient, j), R, one[j]);
        } else {
            z[j] += from_below(quotient, j);
        }
    }
    for (int j = 0; WIDE && j < K; j++) {
        z[j] += from_below(one, j);
    }
}

template <int K> void value_of(mpz_t value, const int64_t *x, uint64_t r, const mpz_t p)
{
    mpz_set_ui(value, 0);
    for (int i = K - 1; i >= 0; i--) {
        mpz_mul_ui(value, value, r);
        if (x[i] >= 0) {
            mpz_add_ui(value, value, (uint64_t)x[i]);
        } else {
            mpz_sub_ui(value, value, 0 - (uint64_t)x[i]);
        }
    }
    mpz_mod(value, value, p);
}

template <int K, bool WIDE> void wide_check(uint64_t r)
{
    radix R = {};
    assert_true(radix_init(R, K, r));
    mpz_t p, a, b, c;
    mpz_inits(p, a, b, c, nullptr);
    mpz_set_ui(p, r);
    mpz_pow_ui(p, p, K);
    mpz_add_ui(p, p, 1);
    const int64_t half = (int64_t)(r / 2);
    const double most = r >> 56 != 0 ? 0.5 + 1.0 / (1 << 18) : 0.75; /* of r, for a digit */
    const int64_t extreme[] = {0, 1, -1, half, -half, half - 1};
    auto any = [&] { return (int64_t)(random_word() % r - r / 2); };
    /* Constant, alternating, random, mixed, and with few digits that are not 0. */
    auto digit = [&](int kind, int i) {
        switch (kind) {
        case 6:
            return i % 2 != 0 ? half : -half;
        case 7:
            return i % 3 != 0 ? -half : half;
        case 8:
            return any();
        case 9:
            return random_word() % 4 != 0 ? any() : extreme[random_word() % 6];
        case 10:
            return random_word() % 16 != 0 ? 0 : extreme[random_word() % 6];
        default:
            return extreme[kind];
        }
    };
    for (int n = 0; n < 11 * 11 * 3; n++) {
        int64_t x[K], y[K], z[K];
        for (int i = 0; i < K; i++) {
            x[i] = digit(n % 11, i), y[i] = digit(n / 11 % 11, i);
        }
        wide_multiply<K, WIDE>(R, x, y, z);
        value_of<K>(a, x, r, p);
        value_of<K>(b, y, r, p);
        mpz_mul(a, a, b);
        mpz_mod(a, a, p);
        value_of<K>(c, z, r, p);
        assert_int_equal(mpz_cmp(a, c), 0);
        for (int i = 0; i < K; i++) {
            assert_true(fabs((double)z[i]) <= (double)r * most);
        }
    }
    mpz_clears(p, a, b, c, nullptr);
}

/* Each k is a program of its own: with sanitizers the unrolled kernels of all compile for a minute.
 */
constexpr int this_k = GFP_WIDE_K;
constexpr struct {
    int k;
    uint64_t r;
} radices[] = {
    {4, (1ull << 59) + (1ull << 58) + (1ull << 11)},
    {4, 0 - (1ull << 50)},
    {8, (1ull << 63) + (1ull << 34)},
    {16, (1ull << 62) + (1ull << 36)},
    {32, (1ull << 62) + (1ull << 56)},
    {32, (1ull << 58) + (1ull << 55) + (1ull << 17)},
    {32, (1ull << 56) + 2},
    {32, 0 - (1ull << 48)},
    {64, (1ull << 63) - (1ull << 40)},
    {64, (1ull << 57) + (1ull << 56) + (1ull << 11)},
    {64, 0 - (1ull << 48) - 2},
    {128, 0 - (1ull << 28)},
    {128, 0 - (1ull << 27)},
    {128, (1ull << 57) + (1ull << 52) + (1ull << 20)},
    {128, (1ull << 63) + 2},
};

void products_agree_with_gmp(void **)
{
    int checked = 0;
    for (const auto &row : radices) {
        if (row.k == this_k) {
            wide_check<this_k, this_k == 128>(row.r);
            checked++;
        }
    }
    assert_true(checked > 0);
}

/* Every number of bits: at either end, of two terms, and any, with three, four and five primes. */
void radices_of_all_lengths_agree_with_gmp(void **)
{
    for (int bits = LEAST_BITS; bits < 64; bits++) {
        const uint64_t least = (uint64_t)1 << (bits - 1);
        for (uint64_t r : {least + 2, least + (least >> 2), 2 * least - 2,
                           least + (random_word() & (least - 1) & ~(uint64_t)1)}) {
            wide_check<this_k, this_k == 128>(r);
        }
    }
}

void small_radices_are_refused(void **)
{
    radix R = {};
    assert_false(radix_init(R, this_k, (1ull << 33) - 2));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(products_agree_with_gmp),
                                cmocka_unit_test(radices_of_all_lengths_agree_with_gmp),
                                cmocka_unit_test(small_radices_are_refused)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
