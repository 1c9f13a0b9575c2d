/* horner.cpp: Horner's rule digit by digit (gpu/cuda/vector/horner.h), run on the host against the
 * oracle: every test field, the smallest and largest permitted points, extreme and random
 * coefficients in every order, and the ranges of digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>

extern "C" {
#include "lab/fixtures.h"
}

#include <vector>

#include "gpu/cuda/vector/horner.h"

namespace
{

constexpr size_t STEPS = 100;

/* |v| <= 1.02 r, or 2 r + 4 where r is small. */
template <bool SMALL> bool in_range(general::i128 v, uint64_t r)
{
    const general::u128 size = static_cast<general::u128>(v < 0 ? -v : v);
    return SMALL ? size <= 2 * general::u128{r} + 4 : 100 * size <= 102 * general::u128{r};
}

template <bool SMALL> struct horner_test {
    const lab *l;
    horner::constants c;
    std::vector<horner::digit> z;
    std::vector<uint64_t> q;

    horner_test(const lab *field_lab, uint64_t d)
        : l(field_lab), c(horner::make_constants(field_lab->entry->r, d)), z(field_lab->k),
          q(field_lab->k)
    {
    }

    void step(const uint64_t *x)
    {
        const unsigned k = l->k;
        for (unsigned i = 0; i < k; i++) {
            q[i] = horner::quotient<SMALL>(c, z[i], x[i]);
        }
        for (unsigned i = 0; i < k; i++) {
            horner::take<SMALL>(z[i], q[(i + k - 1) % k], horner::make_correction(c, i == 0));
            if (!in_range<SMALL>(horner::value<SMALL>(z[i]), c.r)) {
                fail_msg("%s: digit %u out of range", l->entry->text, i);
            }
        }
    }

    /* The sum of the digits' values times powers of r, modulo p. */
    void get(mpz_t sum) const
    {
        mpz_t term;
        mpz_init(term);
        mpz_set_ui(sum, 0);
        for (unsigned i = l->k; i-- > 0;) {
            const general::i128 v = horner::value<SMALL>(z[i]);
            const general::u128 size = static_cast<general::u128>(v < 0 ? -v : v);
            const uint64_t words[2] = {static_cast<uint64_t>(size),
                                       static_cast<uint64_t>(size >> 64)};
            oracle_set_u64(term, l->entry->r);
            mpz_mul(sum, sum, term);
            oracle_set_words(term, words, 2);
            if (v < 0) {
                mpz_sub(sum, sum, term);
            } else {
                mpz_add(sum, sum, term);
            }
        }
        mpz_mod(sum, sum, l->o.p);
        mpz_clear(term);
    }

    void expect(const mpz_t expected, const char *what, size_t i)
    {
        mpz_t sum;
        mpz_init(sum);
        get(sum);
        if (mpz_cmp(sum, expected) != 0) {
            fail_msg("%s: %s, point %llu, step %zu", l->entry->text, what,
                     static_cast<unsigned long long>(c.d), i);
        }
        mpz_clear(sum);
    }
};

/* Coefficients: the samples in turn, and one of them all the time. */
template <bool SMALL> void horner_check(const lab *l, uint64_t d, size_t first, size_t jump)
{
    horner_test<SMALL> test(l, d);
    mpz_t expected, point;
    mpz_init(expected);
    mpz_init(point);
    oracle_set_u64(point, d);
    for (size_t i = 0; i < STEPS; i++) {
        const size_t sample = (first + i * jump) % l->count;
        test.step(l->samples + sample * l->k);
        mpz_mul(expected, expected, point);
        mpz_add(expected, expected, l->values[sample]);
        mpz_mod(expected, expected, l->o.p);
        test.expect(expected, jump == 0 ? "one sample" : "samples in turn", i);
    }
    mpz_clear(expected);
    mpz_clear(point);
}

void values_agree_with_the_oracle(void **)
{
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        const uint64_t limit = gfp_fold_limit(l->entry->r);
        uint64_t seed = f;
        const uint64_t points[] = {0, 1, 2, limit / 2, limit - 1, oracle_random(&seed)};
        for (uint64_t point : points) {
            const size_t ways = l->k > 64 ? 4 : l->count;
            for (size_t first = 0; first < ways; first++) {
                for (size_t jump = 0; jump < 2; jump++) {
                    if (l->entry->r >> horner::SMALL_LOG == 0) {
                        horner_check<true>(l, point % limit, first, jump);
                    } else {
                        horner_check<false>(l, point % limit, first, jump);
                    }
                }
            }
        }
    }
}

/* Radices that no test field has: no prime is needed for a quotient. */
void quotients_for_every_size_of_radix_are_close(void **)
{
    uint64_t seed = 1;
    for (unsigned bits = horner::SMALL_LOG; bits < 64; bits++) {
        const uint64_t base = uint64_t{1} << bits;
        const uint64_t radices[] = {base, base + 2, base + (oracle_random(&seed) % base & ~1ull),
                                    base + base - 2};
        for (uint64_t r : radices) {
            const uint64_t limit = gfp_fold_limit(r);
            for (int i = 0; i < 2000; i++) {
                const horner::constants c = horner::make_constants(
                    r, i % 2 != 0 ? limit - 1 : oracle_random(&seed) % limit);
                const uint64_t size = oracle_random(&seed) % r;
                const bool negative = i / 2 % 2 != 0 && size != 0;
                horner::digit z = {negative ? 0 - size : size, negative ? ~0u : 0};
                const uint64_t x = i % 3 == 0 ? r : oracle_random(&seed) % r;
                const general::i128 v = horner::value<false>(z);
                const general::i128 t = v * static_cast<general::i128>(c.d) + x;
                const uint64_t q = horner::quotient<false>(c, z, x);
                const general::i128 s =
                    t - (static_cast<general::i128>(q) - c.bias) * static_cast<general::i128>(r);
                const general::u128 far = static_cast<general::u128>(s < 0 ? -s : s);
                assert_true(100 * far <= 76 * general::u128{r});
                horner::take<false>(z, c.bias, horner::make_correction(c, false));
                assert_true(horner::value<false>(z) == s);
            }
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_the_oracle),
        cmocka_unit_test(quotients_for_every_size_of_radix_are_close),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
