/* ifma.c: the leaf products of the IFMA level against products of integers modulo p by
 * GMP, the range of their digits, and their tables of primes and roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "field/base/context.h"
#include "crt/hybrid/leaf/engine.h"
#include "fft/words/ntt48.h"
#include "lab/oracle.h"
#include "lab/rows.h"
#include "field/base/word.h"

#if GFP_X86_LEVELS

/* ---- fields, shapes and operands ---- */

typedef struct radix {
    unsigned k;
    uint64_t r;
} radix;

/* In addition to the named fields: the smallest and largest radices of the engine, powers of 2,
 * twice odd numbers, the radices where its split changes, and k = 256. */
static const radix extra_radices[] = {
    {2, GFP_FAST_R_MIN},
    {4, GFP_FAST_R_MIN + 2},
    {8, (UINT64_C(1) << 57) - 2},
    {8, UINT64_C(1) << 57},
    {4, (UINT64_C(1) << 57) + 2},
    {16, UINT64_C(1) << 62},
    {2, GFP_OUTER_R_MAX},
    {8, GFP_OUTER_R_MAX},
    {64, GFP_OUTER_R_MAX},
    {8, (UINT64_C(1) << 63) - 2},
    {8, UINT64_C(1) << 63},
    {4, 0 - (UINT64_C(1) << 57)},
    {4, 2 - (UINT64_C(1) << 57)},
    {32, UINT64_C(3) << 40},
    {256, (UINT64_C(1) << 62) + (UINT64_C(1) << 56)},
    {256, 0 - (UINT64_C(1) << 28)},
    {256, (UINT64_C(1) << 40) + 2},
};

/* Leaf digits; fft/outer/dft.h states the range of the greatest. */
typedef enum operand {
    RANDOM,
    ALL_MOST,
    ALL_LEAST,
    ALTERNATING,
    SPARSE,
    ENDS,
    UNITS,
    ZERO,
    OPERANDS
} operand;

static int64_t ifma_most(uint64_t r)
{
    uint64_t d = r / 2 + (r >> 21);
    return d < INT64_MAX ? (int64_t)d : INT64_MAX;
}

static int64_t digit_of(operand kind, uint64_t r, size_t i, uint64_t *state)
{
    uint64_t x = oracle_random(state);
    switch (kind) {
    case RANDOM:
        return (int64_t)(x % r - r / 2);
    case ALL_MOST:
        return ifma_most(r);
    case ALL_LEAST:
        return -ifma_most(r);
    case ALTERNATING:
        return i % 2 != 0 ? ifma_most(r) : -ifma_most(r);
    case SPARSE:
        return x % 16 == 0 ? ifma_most(r) : 0;
    case ENDS:
        return x % 2 == 0 ? ifma_most(r) : -ifma_most(r);
    case UNITS:
        return (int64_t)(x % 3) - 1;
    default:
        return 0;
    }
}

static size_t ifma_place(const gfp_hybrid_shape *shape, size_t leaf, size_t x, unsigned t)
{
    size_t vector = (leaf * shape->outer.m + x) / 8;
    return (vector * shape->outer.field->k + t) * 8 + x % 8;
}

/* ---- the slow twin ---- */

/* v := the element modulo p of coefficient x of a leaf. */
static void get_element(const gfp_hybrid_shape *shape, const oracle *o, mpz_t v,
                        const int64_t *digits, size_t leaf, size_t x)
{
    const int64_t *digit = digits + ifma_place(shape, leaf, x, 0);
    mpz_set_si(v, (long)digit[8 * (o->k - 1)]);
    for (unsigned t = o->k - 1; t-- != 0;) {
        mpz_mul_ui(v, v, o->r);
        if (digit[8 * t] < 0) {
            mpz_sub_ui(v, v, 0 - (uint64_t)digit[8 * t]);
        } else {
            mpz_add_ui(v, v, (uint64_t)digit[8 * t]);
        }
    }
    mpz_mod(v, v, o->p);
}

/* The leaf as one integer: coefficients `bits` apart. */
static void ifma_pack(const gfp_hybrid_shape *shape, const oracle *o, mpz_t z,
                      const int64_t *digits, size_t leaf, size_t words)
{
    uint64_t *text = calloc(shape->outer.m * words, sizeof *text);
    mpz_t v;
    mpz_init(v);
    assert_non_null(text);
    for (size_t x = 0; x < shape->outer.m; x++) {
        get_element(shape, o, v, digits, leaf, x);
        oracle_get_words(text + x * words, words, v);
    }
    oracle_set_words(z, text, shape->outer.m * words);
    mpz_clear(v);
    free(text);
}

static unsigned leaf_exponent(const gfp_hybrid_shape *shape, unsigned leaf)
{
    unsigned reversed = 0;
    for (unsigned i = 0; i < shape->outer.log2_size; i++) {
        reversed = 2 * reversed + (leaf >> i & 1);
    }
    return reversed * (2 * shape->outer.field->k >> shape->outer.log2_size);
}

/* Whether digits of the leaf (number `leaf` of the shape, number i of both arrays) are a b modulo
 * x^m - r^e. a and b are the operands, packed. */
static bool is_product(const gfp_hybrid_shape *shape, const oracle *o, const int64_t *digits,
                       size_t i, unsigned leaf, const mpz_t a, const mpz_t b, size_t words)
{
    const size_t m = shape->outer.m, total = 2 * m * words;
    uint64_t *text = calloc(total, sizeof *text);
    mpz_t ab, low, high, v, shift;
    bool right = true;
    mpz_inits(ab, low, high, v, shift, NULL);
    assert_non_null(text);
    mpz_mul(ab, a, b);
    oracle_get_words(text, total, ab);
    oracle_r_power(o, shift, leaf_exponent(shape, leaf));
    for (size_t x = 0; x < m && right; x++) {
        oracle_set_words(low, text + x * words, words);
        oracle_set_words(high, text + (m + x) * words, words);
        mpz_mul(high, high, shift);
        mpz_add(low, low, high);
        mpz_mod(low, low, o->p);
        get_element(shape, o, v, digits, i, x);
        right = mpz_cmp(low, v) == 0;
    }
    mpz_clears(ab, low, high, v, shift, NULL);
    free(text);
    return right;
}

/* ---- one product ---- */

static int64_t *leaf_array(size_t words)
{
    int64_t *array = aligned_alloc(64, (words + 8) * sizeof *array);
    assert_non_null(array);
    return array;
}

static void ifma_fill(const gfp_hybrid_shape *shape, int64_t *digits, unsigned count, operand kind,
                      uint64_t *state)
{
    for (size_t i = 0; i < count * shape->outer.m * shape->outer.field->k; i++) {
        digits[i] = digit_of(kind, shape->outer.field->r, i / 8, state);
    }
}

static void expect_range(const gfp_hybrid_shape *shape, const int64_t *digits, unsigned count)
{
    const int64_t bound = ifma_most(shape->outer.field->r);
    for (size_t i = 0; i < count * shape->outer.m * shape->outer.field->k; i++) {
        assert_in_range((uint64_t)digits[i] + (uint64_t)bound, 0, 2 * (uint64_t)bound);
    }
}

static void check_product(const gfp_hybrid_shape *shape, unsigned first, unsigned count,
                          operand kind_a, operand kind_b, bool square)
{
    const gfp_leaf_engine *engine = &gfp_leaf_avx512ifma;
    const gfp_field *field = shape->outer.field;
    const size_t words = 2 * field->k + 1, size = count * shape->outer.m * field->k;
    const size_t work_words = gfp_leaf_work_words(engine, shape);
    uint64_t state = size + kind_a, *work = (uint64_t *)leaf_array(work_words);
    int64_t *a = leaf_array(size), *b = square ? a : leaf_array(size), *copy = leaf_array(size);
    mpz_t *packed_a = oracle_vec_new(count), *packed_b = oracle_vec_new(count);
    oracle o;
    oracle_init(&o, field->r, field->k);
    ifma_fill(shape, b, count, kind_b, &state);
    ifma_fill(shape, a, count, kind_a, &state);
    memset(work, 0xee, (work_words + 8) * sizeof *work);
    for (unsigned i = 0; i < count; i++) {
        ifma_pack(shape, &o, packed_a[i], a, i, words);
        ifma_pack(shape, &o, packed_b[i], b, i, words);
    }
    memcpy(copy, b, size * sizeof *b);
    a[size] = b[size] = 12345; /* there is room for it */
    const gfp_leaves leaves = {engine, shape, first, count, work};
    gfp_leaf_multiply(&leaves, a, b);
    assert_int_equal(a[size], 12345);
    assert_int_equal(work[work_words], UINT64_C(0xeeeeeeeeeeeeeeee));
    if (!square) {
        assert_memory_equal(b, copy, size * sizeof *b);
    }
    expect_range(shape, a, count);
    for (unsigned i = 0; i < count; i++) {
        if (!is_product(shape, &o, a, i, first + i, packed_a[i], packed_b[i], words)) {
            fail_msg("k = %u, r = %llx, L = %u, m = %zu, odd = %u, primes = %u, leaf %u, operands "
                     "%d and %d: not the product",
                     field->k, (unsigned long long)field->r, shape->outer.log2_size, shape->outer.m,
                     shape->odd, shape->primes, first + i, (int)kind_a, (int)kind_b);
        }
    }
    oracle_clear(&o);
    oracle_vec_free(packed_a, count);
    oracle_vec_free(packed_b, count);
    if (!square) {
        free(b);
    }
    free(a);
    free(copy);
    free(work);
}

/* ---- shapes ---- */

/* Whether the coefficients of the shape's leaves stay within what its primes admit. */
static bool ifma_admitted(const gfp_hybrid_shape *shape)
{
    const gfp_field *field = shape->outer.field;
    mpz_t bound, d;
    mpz_inits(bound, d, NULL);
    mpz_set_si(d, (long)ifma_most(field->r));
    mpz_mul(bound, d, d);
    mpz_mul_ui(bound, bound, field->k);
    mpz_mul_ui(bound, bound, shape->outer.m);
    long exponent;
    const double part = mpz_get_d_2exp(&exponent, bound);
    bool fits = ((double)exponent + log2(part)) * GFP_HYBRID_BITS <=
                gfp_leaf_avx512ifma.bound_log2(shape->primes);
    mpz_clears(bound, d, NULL);
    return fits;
}

static gfp_hybrid_shape shape_of(const gfp_field *field, unsigned log2_size, size_t m, unsigned odd,
                                 unsigned primes, unsigned group)
{
    gfp_hybrid_shape shape = {.odd = odd, .primes = primes, .group = group};
    shape.outer = (gfp_outer){field, log2_size, 1U << log2_size, m};
    return shape;
}

static bool ifma_prepared(const gfp_hybrid_shape *shape)
{
    bool served = ifma_admitted(shape);
    if (served) {
        assert_int_equal(gfp_leaf_prepare(&gfp_leaf_avx512ifma, shape), GFP_OK);
    }
    return served;
}

static void check_lengths(const gfp_field *field, unsigned primes)
{
    const unsigned log2_most = field->log2_k + 1, log2_usual = log2_most < 4 ? log2_most : 4;
    const unsigned sizes[3] = {0, log2_usual, log2_most};
    unsigned turn = 0;
    for (unsigned odd = 1; odd <= 5; odd += 2) {
        const size_t longest = field->k <= 16 ? 256 : 2048 / field->k;
        for (size_t m = 8 * odd; m <= longest * odd || m == 8 * odd; m *= 2, turn++) {
            unsigned log2_size = sizes[turn % 3];
            unsigned group = m <= 64 && field->k <= 16 ? 3 : 2;
            unsigned leaves = 1U << log2_size, count = group < leaves ? group : leaves;
            gfp_hybrid_shape shape = shape_of(field, log2_size, m, odd, primes, count);
            if (ifma_prepared(&shape)) {
                check_product(&shape, leaves - count, count, RANDOM, RANDOM, false);
                check_product(&shape, 0, 1, RANDOM, RANDOM, true);
            }
        }
    }
}

static void check_operands(const gfp_field *field, unsigned primes)
{
    const size_t m = field->k <= 32 ? 32 : 8;
    gfp_hybrid_shape shape =
        shape_of(field, field->log2_k < 4 ? field->log2_k : 4, m, 1, primes, 1);
    if (ifma_prepared(&shape)) {
        for (int a = 0; a < (int)OPERANDS; a++) {
            for (int b = primes == 3 ? 0 : a; b <= a; b++) {
                unsigned leaf = (unsigned)(a + b) % (1U << shape.outer.log2_size);
                check_product(&shape, leaf, 1, (operand)a, (operand)b, false);
            }
            check_product(&shape, 1, 1, (operand)a, (operand)a, true);
        }
    }
}

/* Leaves whose coefficients come near the bound: for great r only, where they are not too long. */
static void check_bound(const gfp_field *field, unsigned primes)
{
    const operand ends[3] = {ALL_MOST, ALL_LEAST, ENDS};
    if (field->r >> 63 == 0 || field->k > 128) {
        return;
    }
    for (unsigned odd = 1; odd <= 5; odd += 2) {
        gfp_hybrid_shape shape = shape_of(field, 0, 8 * odd, odd, primes, 1), longer = shape;
        while (longer.outer.m * field->k <= 1U << 17 && ifma_admitted(&longer)) {
            shape = longer;
            longer.outer.m *= 2;
        }
        if (ifma_prepared(&shape)) {
            check_product(&shape, 0, 1, ends[odd / 2], ALL_MOST, false);
        }
    }
}

static void with_field(unsigned k, uint64_t r, void (*check)(const gfp_field *, unsigned),
                       unsigned argument)
{
    gfp_field *field;
    assert_int_equal(gfp_field_create_raw(&field, r, k, NULL, NULL), GFP_OK);
    assert_true(gfp_leaf_avx512ifma.serves(k, r));
    check(field, argument);
    gfp_field_destroy(field);
}

static void with_all_fields(void (*check)(const gfp_field *, unsigned), unsigned argument)
{
    if (!gfp_cpu_has(GFP_LEVEL_AVX512IFMA)) {
        skip();
    }
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *named = gfp_named_prime_get(i);
        with_field(named->k, named->r, check, argument);
    }
    for (size_t i = 0; LAB_ROW(extra_radices, i); i++) {
        with_field(extra_radices[i].k, extra_radices[i].r, check, argument);
    }
}

/* ---- tests ---- */

static void every_length(void **state)
{
    (void)state;
    with_all_fields(check_lengths, 3);
}

static void every_length_by_four_primes(void **state)
{
    (void)state;
    with_all_fields(check_lengths, 4);
}

static void every_operand(void **state)
{
    (void)state;
    with_all_fields(check_operands, 3);
}

static void every_operand_by_four_primes(void **state)
{
    (void)state;
    with_all_fields(check_operands, 4);
}

static void coefficients_at_the_bound(void **state)
{
    (void)state;
    with_all_fields(check_bound, 3);
}

/* Passes of every kind, depth first too. */
static void long_leaves(void **state)
{
    (void)state;
    if (!gfp_cpu_has(GFP_LEVEL_AVX512IFMA)) {
        skip();
    }
    gfp_field *field;
    assert_int_equal(gfp_field_create_raw(&field, (UINT64_C(1) << 57) + 2, 2, NULL, NULL), GFP_OK);
    for (unsigned log2 = 10; log2 <= 17; log2++) {
        gfp_hybrid_shape shape = shape_of(field, 2, (size_t)1 << log2, 1, 3, 1);
        assert_true(ifma_prepared(&shape));
        check_product(&shape, log2 % 4, 1, RANDOM, RANDOM, log2 % 2 != 0);
    }
    for (unsigned odd = 3; odd <= 5; odd += 2) {
        gfp_hybrid_shape shape = shape_of(field, 2, (size_t)odd << 13, odd, 3, 1);
        assert_true(ifma_prepared(&shape));
        check_product(&shape, 3, 1, RANDOM, RANDOM, false);
    }
    gfp_field_destroy(field);
}

/* q is prime, generator a primitive root, orders as stated. */
static void primes_and_roots(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GFP_NTT48_PRIMES; i++) {
        const gfp_ntt48_prime *prime = &gfp_ntt48_primes[i];
        const uint64_t q = prime->q, delta = (UINT64_C(1) << 48) - q;
        mpz_t z;
        mpz_init(z);
        oracle_set_u64(z, q);
        assert_int_not_equal(mpz_probab_prime_p(z, 30), 0);
        mpz_clear(z);
        assert_int_equal((q - 1) % (UINT64_C(15) << GFP_NTT48_LOG2_ORDER), 0);
        assert_true(delta < UINT64_C(1) << 31);
        assert_true(i == 0 || q < gfp_ntt48_primes[i - 1].q);
        for (unsigned factor = 2; factor <= 5; factor += factor == 2 ? 1 : 2) {
            assert_int_not_equal(gfp_mod_pow(prime->generator, (q - 1) / factor, q), 1);
        }
        gfp_ntt48_root roots[2][64];
        gfp_ntt48_roots_fill(roots[0], roots[1], prime, 6);
        for (unsigned b = 0; b < 64; b++) {
            uint64_t w = roots[0][b].w,
                     square = b % 2 == 0 ? roots[0][b / 2].w : q - roots[0][b / 2].w;
            assert_int_equal(gfp_mod_mul(w, roots[1][b].w, q), 1);
            assert_int_equal(gfp_mod_mul(w, w, q), square);
            assert_int_equal(roots[0][b].companion, (uint64_t)(((gfp_u128)w << 52) / q));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_and_roots),
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_length_by_four_primes),
        cmocka_unit_test(every_operand),
        cmocka_unit_test(every_operand_by_four_primes),
        cmocka_unit_test(coefficients_at_the_bound),
        cmocka_unit_test(long_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
