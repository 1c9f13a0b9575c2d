/* arith.cpp: the device's general arithmetic (gpu/cuda/arith.h), run on the host against the
 * oracle: every test field, all pairs of extreme and random elements, digits next to each other and
 * far apart, every permitted overlap.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>

extern "C" {
#include "lab/fixtures.h"
}

#include <vector>

#include "gpu/cuda/arith.h"

namespace
{

/* Elements in one area: number e has its digit i at e element_step + i digit_step. */
class elements
{
  public:
    elements(unsigned k, size_t count, bool planes)
        : element_step(planes ? 1 : k), digit_step(planes ? count : 1), words(count * k)
    {
    }
    general::view operator[](size_t e)
    {
        return {words.data() + e * element_step, digit_step};
    }

  private:
    size_t element_step, digit_step;
    std::vector<uint64_t> words;
};

class integer
{
  public:
    integer()
    {
        mpz_init(value);
    }
    ~integer()
    {
        mpz_clear(value);
    }
    integer(const integer &) = delete;
    integer &operator=(const integer &) = delete;

    mpz_t value;
};

/* The field under test, its elements x, y, z and two more, and the oracle's answer. */
struct bench {
    const lab *l;
    general::field f;
    elements area;
    general::view x, y, z;
    integer expected, other;

    bench(const lab *field_lab, bool planes)
        : l(field_lab), f(general::make_field(field_lab->entry->r, field_lab->k)),
          area(field_lab->k, 3, planes), x(area[0]), y(area[1]), z(area[2])
    {
        assert_int_equal(f.v2_r, gfp_field_v2_order(field_lab->field) / field_lab->k);
    }

    void set(const general::view &v, size_t sample)
    {
        for (unsigned i = 0; i < l->k; i++) {
            v[i] = l->samples[sample * l->k + i];
        }
    }

    void expect(const general::view &v, const mpz_t value, const char *what, size_t i, size_t j)
    {
        std::vector<uint64_t> digits(l->k);
        for (unsigned a = 0; a < l->k; a++) {
            digits[a] = v[a];
        }
        lab_expect(l, digits.data(), value, what, i, j);
    }
};

void for_each_bench(void (*check)(bench &))
{
    for (size_t i = 0; i < oracle_field_count; i++) {
        for (int planes = 0; planes < 2; planes++) {
            bench b(&lab_fields[i], planes == 1);
            check(b);
        }
    }
}

void check_sums(bench &b)
{
    for (size_t i = 0; i < b.l->count; i++) {
        for (size_t j = 0; j < b.l->count; j++) {
            b.set(b.x, i);
            b.set(b.y, j);
            oracle_add(&b.l->o, b.expected.value, b.l->values[i], b.l->values[j]);
            oracle_sub(&b.l->o, b.other.value, b.l->values[i], b.l->values[j]);
            general::add(b.f, b.z, b.x, b.y);
            b.expect(b.z, b.expected.value, "sum", i, j);
            general::sub(b.f, b.z, b.x, b.y);
            b.expect(b.z, b.other.value, "difference", i, j);
            general::butterfly(b.f, b.x, b.y);
            b.expect(b.x, b.expected.value, "sum of a butterfly", i, j);
            b.expect(b.y, b.other.value, "difference of a butterfly", i, j);
            b.set(b.x, i);
            general::sub(b.f, b.x, b.x, b.z);
            b.expect(b.x, b.l->values[j], "difference over its first operand", i, j);
            b.set(b.x, i);
            general::sub(b.f, b.z, b.x, b.z);
            b.expect(b.z, b.l->values[j], "difference over its second operand", i, j);
        }
    }
}

void sums_agree_with_the_oracle(void **)
{
    for_each_bench(check_sums);
}

void check_single(bench &b)
{
    for (size_t i = 0; i < b.l->count; i++) {
        b.set(b.x, i);
        general::neg(b.f, b.z, b.x);
        oracle_neg(&b.l->o, b.expected.value, b.l->values[i]);
        b.expect(b.z, b.expected.value, "negation", i, 0);
        for (unsigned s = 0; s < 2 * b.l->k; s += 1 + b.l->k / 16) {
            general::mul_r(b.f, b.z, b.x, s);
            oracle_r_power(&b.l->o, b.other.value, s);
            oracle_mul(&b.l->o, b.expected.value, b.l->values[i], b.other.value);
            b.expect(b.z, b.expected.value, "times a power of r", i, s);
            b.set(b.z, i);
            general::mul_r_in_place(b.f, b.z, s);
            b.expect(b.z, b.expected.value, "times a power of r in place", i, s);
        }
        for (unsigned j = 0; j <= b.f.v2_r; j++) {
            general::div_2exp(b.f, b.z, b.x, j);
            oracle_half_power(&b.l->o, b.other.value, j);
            oracle_mul(&b.l->o, b.expected.value, b.l->values[i], b.other.value);
            b.expect(b.z, b.expected.value, "divided by a power of two", i, j);
            general::add(b.f, b.z, b.x, b.x);
            general::div_2exp(b.f, b.z, b.z, 1);
            b.expect(b.z, b.l->values[i], "half of twice", i, j);
        }
    }
}

void negation_shifts_and_halves_agree_with_the_oracle(void **)
{
    for_each_bench(check_single);
}

/* z := x y r^s with all columns split before any is carried, as blocks of threads do it. */
void multiply_in_parts(bench &b, unsigned s)
{
    const unsigned k = b.l->k;
    std::vector<general::parts> parts(k);
    for (unsigned i = 0; i < k; i++) {
        const unsigned from = (i - s) & (2 * k - 1);
        parts[i] = general::split(b.f, general::column(b.f, b.x, b.y, from));
        assert_true(parts[i].h < b.f.r);
        assert_true(parts[i].c <= static_cast<int64_t>(k));
        assert_true(-parts[i].c <= static_cast<int64_t>(k));
    }
    general::set_parts(
        b.f, b.z, [&](unsigned i) { return parts[i].l; }, [&](unsigned i) { return parts[i].h; },
        [&](unsigned i) { return parts[i].c; });
}

/* The same with digits known to the compiler. */
template <unsigned K> void check_fixed(bench &b, size_t i, size_t j)
{
    general::add<K>(b.f, b.z, b.x, b.y);
    oracle_add(&b.l->o, b.expected.value, b.l->values[i], b.l->values[j]);
    b.expect(b.z, b.expected.value, "sum for fixed k", i, j);
    general::sub<K>(b.f, b.z, b.x, b.y);
    oracle_sub(&b.l->o, b.expected.value, b.l->values[i], b.l->values[j]);
    b.expect(b.z, b.expected.value, "difference for fixed k", i, j);
    general::mul<K>(b.f, b.z, b.x, b.y);
    oracle_mul(&b.l->o, b.expected.value, b.l->values[i], b.l->values[j]);
    b.expect(b.z, b.expected.value, "product for fixed k", i, j);
    general::neg<K>(b.f, b.z, b.x);
    oracle_neg(&b.l->o, b.expected.value, b.l->values[i]);
    b.expect(b.z, b.expected.value, "negation for fixed k", i, j);
}

void check_fixed_digits(bench &b)
{
    for (size_t i = 0; i < b.l->count; i++) {
        b.set(b.x, i);
        for (size_t j = i % 3; j < b.l->count; j += 3) {
            b.set(b.y, j);
            switch (b.l->k) {
            case 2:
                check_fixed<2>(b, i, j);
                break;
            case 4:
                check_fixed<4>(b, i, j);
                break;
            case 8:
                check_fixed<8>(b, i, j);
                break;
            case 16:
                check_fixed<16>(b, i, j);
                break;
            default:
                return;
            }
        }
    }
}

void operations_for_fixed_k_agree_with_the_oracle(void **)
{
    for_each_bench(check_fixed_digits);
}

/* All pairs for small k, some of them for larger k. */
void check_products(bench &b)
{
    const size_t step = 1 + b.l->k / 64;
    for (size_t i = 0; i < b.l->count; i++) {
        b.set(b.x, i);
        for (size_t j = i % step; j <= i; j += step) {
            const unsigned s = static_cast<unsigned>(i * 5 + j * 3) % (2 * b.l->k);
            b.set(b.y, j);
            oracle_mul(&b.l->o, b.expected.value, b.l->values[i], b.l->values[j]);
            general::mul(b.f, b.z, b.x, b.y);
            b.expect(b.z, b.expected.value, "product", i, j);
            if (i == j) {
                general::mul(b.f, b.z, b.x, b.x);
                b.expect(b.z, b.expected.value, "square", i, j);
            }
            oracle_r_power(&b.l->o, b.other.value, s);
            oracle_mul(&b.l->o, b.expected.value, b.expected.value, b.other.value);
            multiply_in_parts(b, s);
            b.expect(b.z, b.expected.value, "product times a power of r, in parts", i, j);
        }
    }
}

void products_agree_with_the_oracle(void **)
{
    for_each_bench(check_products);
}

/* divide gives back q and digit from v = q r + digit. */
void check_division(bench &b, const mpz_t q, uint64_t digit)
{
    uint64_t words[3], got_digit;
    integer v;
    oracle_set_u64(v.value, digit);
    mpz_addmul(v.value, q, b.other.value);
    mpz_fdiv_r_2exp(v.value, v.value, 192);
    oracle_get_words(words, 3, v.value);
    const general::i128 got = general::divide(b.f, {words[0], words[1], words[2]}, got_digit);
    mpz_fdiv_r_2exp(v.value, q, 128);
    oracle_get_words(words, 2, v.value);
    assert_int_equal(got_digit, digit);
    assert_int_equal(static_cast<uint64_t>(got), words[0]);
    assert_int_equal(static_cast<uint64_t>(got >> 64), words[1]);
}

void check_divisions(bench &b)
{
    const uint64_t r = b.l->entry->r;
    integer most, q;
    uint64_t state = 1;
    oracle_set_u64(b.other.value, r);
    mpz_mul_2exp(most.value, b.other.value, general::BIAS_LOG); /* -most <= q < most */
    for (int i = 0; i < 200; i++) {
        const uint64_t words[2] = {oracle_random(&state), oracle_random(&state)};
        const unsigned bits = static_cast<unsigned>(oracle_random(&state) % 76);
        oracle_set_words(q.value, words, 2);
        mpz_fdiv_r_2exp(q.value, q.value, bits);
        mpz_mod(q.value, q.value, most.value);
        if (i < 4) { /* the ends: 0 and the greatest, and below what these become */
            mpz_set_ui(q.value, 0);
            mpz_sub_ui(q.value, i < 2 ? q.value : most.value, i < 2 ? 0 : 1);
        }
        if (i % 2 == 1) {
            mpz_com(q.value, q.value); /* -q - 1 */
        }
        for (uint64_t digit : {UINT64_C(0), UINT64_C(1), r / 2, r - 1, words[0] % r}) {
            check_division(b, q.value, digit);
        }
    }
}

void columns_divide_by_the_radix(void **)
{
    for_each_bench(check_divisions);
}

/* Sums of products against GMP where every carry runs through. */
void long_sums_of_products_carry(void **)
{
    const uint64_t ends[] = {0, 1, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    integer sum, x, y, got;
    general::wide acc = {0, 0, 0}, twice = {0, 0, 0};
    for (int round = 0; round < 20; round++) {
        for (uint64_t a : ends) {
            for (uint64_t b : ends) {
                general::multiply_add(acc, a, b);
                oracle_set_u64(x.value, a);
                oracle_set_u64(y.value, b);
                mpz_addmul(sum.value, x.value, y.value);
                const uint64_t words[3] = {acc.w0, acc.w1, acc.w2};
                oracle_set_words(got.value, words, 3);
                assert_int_equal(mpz_cmp(got.value, sum.value), 0);
                twice = general::add_wide(acc, acc);
                const general::wide back = general::subtract_wide(twice, acc);
                assert_true(back.w0 == acc.w0 && back.w1 == acc.w1 && back.w2 == acc.w2);
                const general::wide minus = general::subtract_wide({0, 0, 0}, acc);
                const general::wide zero = general::add_wide(minus, acc);
                assert_true(zero.w0 == 0 && zero.w1 == 0 && zero.w2 == 0);
            }
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_with_the_oracle),
        cmocka_unit_test(negation_shifts_and_halves_agree_with_the_oracle),
        cmocka_unit_test(products_agree_with_the_oracle),
        cmocka_unit_test(operations_for_fixed_k_agree_with_the_oracle),
        cmocka_unit_test(columns_divide_by_the_radix),
        cmocka_unit_test(long_sums_of_products_carry),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
