/* fma.c: the hybrid method's leaf products of the levels of AVX2, AVX-512 without IFMA and NEON
 * against GMP: one leaf is a product of polynomials over Z/p modulo x^m - r^e, found by Kronecker
 * substitution; and every digit that comes back is balanced.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/context.h"
#include "crt/hybrid/leaf/engine.h"
#include "lab/fixtures.h"

#if GFP_X86_LEVELS || GFP_NEON_LEVEL

static const gfp_leaf_engine *tested;

typedef struct leaf_case {
    const gfp_leaf_engine *engine;
    gfp_hybrid_shape shape;
    unsigned first, count;
    oracle o;
    uint64_t bound; /* on digits */
} leaf_case;

/* ---- the slow twin ---- */

/* v := the coefficients of one leaf, in [0, p). */
static void leaf_get(const leaf_case *l, mpz_t *v, const int64_t *digits)
{
    unsigned k = l->o.k;
    const size_t lanes = l->engine->lanes;
    for (size_t x = 0; x < l->shape.outer.m; x++) {
        mpz_set_ui(v[x], 0);
        for (unsigned t = k; t-- > 0;) {
            int64_t d = digits[(x / lanes * k + t) * lanes + x % lanes];
            mpz_mul_ui(v[x], v[x], l->o.r);
            if (d < 0) {
                mpz_sub_ui(v[x], v[x], (uint64_t)0 - (uint64_t)d);
            } else {
                mpz_add_ui(v[x], v[x], (uint64_t)d);
            }
        }
        mpz_mod(v[x], v[x], l->o.p);
    }
}

/* z := sum of v[x] 2^(64 words x). */
static void fma_pack(mpz_t z, mpz_t *v, size_t m, size_t words)
{
    uint64_t *limbs = calloc(m * words, sizeof *limbs);
    assert_non_null(limbs);
    for (size_t x = 0; x < m; x++) {
        mpz_export(limbs + x * words, NULL, -1, 8, 0, 0, v[x]);
    }
    mpz_import(z, m * words, -1, 8, 0, 0, limbs);
    free(limbs);
}

static void product_mod(const leaf_case *l, mpz_t *c, mpz_t *a, mpz_t *b, unsigned long e)
{
    size_t m = l->shape.outer.m;
    size_t words = (2 * mpz_sizeinbase(l->o.p, 2) + 32) / 64 + 1;
    mpz_t x, y, part, shift;
    mpz_inits(x, y, part, shift, NULL);
    fma_pack(x, a, m, words);
    fma_pack(y, b, m, words);
    mpz_mul(x, x, y);
    uint64_t *limbs = calloc(2 * m * words + 1, sizeof *limbs);
    assert_non_null(limbs);
    mpz_export(limbs, NULL, -1, 8, 0, 0, x);
    oracle_r_power(&l->o, shift, e);
    for (size_t i = 0; i < m; i++) {
        mpz_import(c[i], words, -1, 8, 0, 0, limbs + i * words);
        mpz_import(part, words, -1, 8, 0, 0, limbs + (m + i) * words);
        mpz_mul(part, part, shift);
        mpz_add(c[i], c[i], part);
        mpz_mod(c[i], c[i], l->o.p);
    }
    free(limbs);
    mpz_clears(x, y, part, shift, NULL);
}

static unsigned long leaf_exponent(const leaf_case *l, unsigned j)
{
    unsigned s = l->shape.outer.log2_size;
    unsigned reversed = 0;
    for (unsigned i = 0; i < s; i++) {
        reversed |= (j >> i & 1) << (s - 1 - i);
    }
    return 2UL * l->o.k / (1UL << s) * reversed;
}

/* ---- inputs ---- */

enum pattern { RANDOM, TOP, BOTTOM, ALTERNATING, ZERO, ONE, LONE, SPARSE, MIXED, PATTERNS };

static int64_t digit_make(enum pattern pattern, size_t i, uint64_t bound, uint64_t *state)
{
    int64_t top = (int64_t)bound;
    uint64_t random = oracle_random(state);
    switch (pattern) {
    case RANDOM:
        return (int64_t)(random % (2 * bound + 1) - bound);
    case TOP:
        return top;
    case BOTTOM:
        return -top;
    case ALTERNATING:
        return i % 2 == 0 ? top : -top;
    case ONE:
        return 1;
    case LONE:
        return i == 5 ? -top : 0;
    case SPARSE:
        return random % 16 == 0 ? (random >> 32 & 1) == 0 ? top : -1 : 0;
    case MIXED:
        return (random >> 32 & 1) == 0 ? top : -top;
    default:
        return 0;
    }
}

static int64_t *leaves_make(const leaf_case *l, enum pattern pattern, uint64_t *state)
{
    size_t size = l->count * l->shape.outer.m * l->o.k;
    int64_t *digits = aligned_alloc(64, (size * 8 + 63) / 64 * 64);
    assert_non_null(digits);
    for (size_t i = 0; i < size; i++) {
        digits[i] = digit_make(pattern, i, l->bound, state);
    }
    return digits;
}

/* ---- one check ---- */

static void check_balanced(const leaf_case *l, const int64_t *digits)
{
    size_t size = l->count * l->shape.outer.m * l->o.k;
    for (size_t i = 0; i < size; i++) {
        uint64_t d = digits[i] < 0 ? (uint64_t)0 - (uint64_t)digits[i] : (uint64_t)digits[i];
        if (d > l->bound) {
            fail_msg("r = %#llx, k = %u, m = %zu: digit %zu is %lld", (unsigned long long)l->o.r,
                     l->o.k, l->shape.outer.m, i, (long long)digits[i]);
        }
    }
}

static void check_leaf(const leaf_case *l, unsigned j, const int64_t *a, const int64_t *b,
                       const int64_t *z, const char *what)
{
    size_t m = l->shape.outer.m;
    mpz_t *x = oracle_vec_new(m), *y = oracle_vec_new(m), *expected = oracle_vec_new(m);
    leaf_get(l, x, a);
    leaf_get(l, y, b);
    product_mod(l, expected, x, y, leaf_exponent(l, j));
    leaf_get(l, x, z);
    for (size_t i = 0; i < m; i++) {
        if (mpz_cmp(x[i], expected[i]) != 0) {
            fail_msg(
                "r = %#llx, k = %u, size 2^%u, leaf %u, m = %zu, %u primes, %s: coefficient %zu",
                (unsigned long long)l->o.r, l->o.k, l->shape.outer.log2_size, j, m, l->shape.primes,
                what, i);
        }
    }
    oracle_vec_free(x, m);
    oracle_vec_free(y, m);
    oracle_vec_free(expected, m);
}

static void check_product(const leaf_case *l, enum pattern p, enum pattern q, bool square)
{
    uint64_t state = 12345 + p + 100 * q;
    size_t leaf = l->shape.outer.m * l->o.k;
    size_t bytes = l->count * leaf * sizeof(int64_t);
    int64_t *a = leaves_make(l, p, &state);
    int64_t *b = square ? a : leaves_make(l, q, &state);
    int64_t *kept = malloc(bytes + 1); /* + 1: analysers cannot see that bytes > 0 */
    size_t words = gfp_leaf_work_words(l->engine, &l->shape);
    uint64_t *work = aligned_alloc(64, (words * 8 + 63) / 64 * 64);
    assert_non_null(kept);
    assert_non_null(work);
    memcpy(kept, a, bytes);
    const gfp_leaves leaves = {l->engine, &l->shape, l->first, l->count, work};
    gfp_leaf_multiply(&leaves, a, b);
    check_balanced(l, a);
    for (unsigned i = 0; i < l->count; i++) {
        check_leaf(l, l->first + i, kept + i * leaf, square ? kept + i * leaf : b + i * leaf,
                   a + i * leaf, square ? "square" : "product");
    }
    free(work);
    free(kept);
    if (!square) {
        free(b);
    }
    free(a);
}

/* ---- cases ---- */

static leaf_case case_make(gfp_field *field, unsigned log2_size, unsigned odd, size_t m,
                           unsigned primes, bool real)
{
    leaf_case l;
    memset(&l, 0, sizeof l);
    l.engine = tested;
    l.shape.outer.field = field;
    l.shape.outer.log2_size = log2_size;
    l.shape.outer.leaves = 1U << log2_size;
    l.shape.outer.m = m;
    l.shape.odd = odd;
    l.shape.primes = primes;
    l.shape.real = real && l.engine->real_log2 > 0; /* else three primes */
    l.shape.group = 1;
    l.count = 1;
    uint64_t half = field->r / 2;
    uint64_t bound = half + (half >> 20);
    l.bound = bound < (uint64_t)INT64_MAX ? bound : (uint64_t)INT64_MAX;
    oracle_init(&l.o, field->r, field->k);
    assert_int_equal(gfp_leaf_prepare(l.engine, &l.shape), GFP_OK);
    return l;
}

static gfp_field *field_make(uint64_t r, unsigned k)
{
    gfp_field *field = NULL;
    assert_int_equal(gfp_field_create_raw(&field, r, k, NULL, NULL), GFP_OK);
    return field;
}

static const uint64_t radices[] = {
    ((uint64_t)1 << 63) + ((uint64_t)1 << 53),
    0 - ((uint64_t)1 << 50),
    ((uint64_t)1 << 63) + ((uint64_t)1 << 34),
    ((uint64_t)1 << 62) + ((uint64_t)1 << 36),
    ((uint64_t)1 << 62) + ((uint64_t)1 << 56),
    ((uint64_t)1 << 63) - ((uint64_t)1 << 40),
    0 - ((uint64_t)1 << 28),
    ((uint64_t)3 << 58) + 2048,
    ((uint64_t)1 << 57) + (1 << 20) * 33,
    (uint64_t)1 << 32,
    ((uint64_t)1 << 32) + 2,
    ((uint64_t)1 << 53) - 2,
    ((uint64_t)1 << 53) + 2,
    GFP_OUTER_R_MAX,
    ((uint64_t)1 << 63) - 2,
    (uint64_t)1 << 63,
};

#define RADICES (sizeof radices / sizeof *radices)

/* Every k, radix and odd factor: short leaves, all patterns in turn. */
static void test_every_field(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= GFP_MAX_K; k *= 2) {
        for (size_t i = 0; i < RADICES; i++) {
            gfp_field *field = field_make(radices[i], k);
            unsigned size = k >= 8 ? 4 : k == 4 ? 3 : 2;
            for (unsigned j = 0; j < 6; j++) {
                const unsigned odd = 1 + j / 2 * 2;
                leaf_case l = case_make(field, size, odd, (size_t)8 * odd, 3, j % 2 != 0);
                for (unsigned n = 0; n < (k <= 16 ? 4U : 1U); n++) {
                    enum pattern p = (enum pattern)((i + n + odd) % PATTERNS);
                    l.first = (unsigned)(7 * i + 3 * odd + n) % (1U << size);
                    check_product(&l, p, (enum pattern)((i + 3 * n) % PATTERNS), n == 3);
                }
                oracle_clear(&l.o);
            }
            gfp_field_destroy(field);
        }
    }
}

/* Longer leaves, up to the recursion; sizes of the outer tree from 1 to 2k; 3 or 4 primes, or
 * reals. */
static void test_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        unsigned k = 2U << i;
        gfp_field *field = field_make(radices[(size_t)3 * i + 1], k);
        for (unsigned odd = 1; odd <= 5; odd += 2) {
            for (unsigned levels = 1; levels < (i == 0 ? 11U : 7U); levels++) {
                unsigned size = levels % (unsigned)(i + 3);
                const size_t m = (size_t)(4 * odd) << levels;
                for (unsigned how = 0; how < 3; how++) {
                    const bool real = how == 2;
                    leaf_case l = case_make(field, size, odd, m, real ? 3 : 3 + how, real);
                    l.first = (levels * 5) % (1U << size);
                    check_product(&l, RANDOM, RANDOM, false);
                    check_product(&l, TOP, levels % 2 == 0 ? TOP : BOTTOM, false);
                    check_product(&l, MIXED, MIXED, true);
                    oracle_clear(&l.o);
                }
            }
        }
        gfp_field_destroy(field);
    }
}

/* Several leaves side by side. */
static void test_groups(void **state)
{
    (void)state;
    gfp_field *field = field_make(radices[2], 8);
    for (unsigned j = 0; j < 6; j++) {
        const unsigned odd = 1 + j / 2 * 2;
        leaf_case l = case_make(field, 4, odd, (size_t)8 * odd, 3, j % 2 != 0);
        l.shape.group = 16;
        for (l.count = 1; l.count <= 16; l.count += 5) {
            for (l.first = 0; l.first + l.count <= 16; l.first += 3) {
                check_product(&l, RANDOM, MIXED, false);
                check_product(&l, RANDOM, RANDOM, true);
            }
        }
        oracle_clear(&l.o);
    }
    gfp_field_destroy(field);
}

/* The greatest digits that a bound admits: m k D^2 just below 2^98 for two primes. */
static void test_bound(void **state)
{
    (void)state;
    /* D = (r / 2)(1 + 2^-20) <= 2^43 sqrt(1/2): with m k = 2^13, m k D^2 <= 2^98. */
    static const uint64_t roots[] = {UINT64_C(0xb504e000000), UINT64_C(0xb504dffff0a)};
    for (size_t i = 0; i < 2; i++) {
        gfp_field *field = field_make(roots[i], 8);
        leaf_case l = case_make(field, 4, 1, 1024, 2, false);
        assert_true(l.engine->bound_log2(2) >= 98 * GFP_HYBRID_BITS);
        for (l.first = 0; l.first < 16; l.first += 5) {
            check_product(&l, TOP, TOP, false);
            check_product(&l, TOP, BOTTOM, false);
            check_product(&l, ALTERNATING, ALTERNATING, true);
            check_product(&l, MIXED, MIXED, true);
        }
        oracle_clear(&l.o);
        gfp_field_destroy(field);
    }
}

/* The roots of the reals are next to those of long double. */
static void test_real_roots(void **state)
{
    (void)state;
    enum { LOG2 = 12 };
    static double roots[2 << LOG2];
    gfp_leaf_avx2.fill_roots((uint64_t *)(void *)roots, GFP_LEAF_REAL, 1, LOG2);
    for (unsigned i = 0; i < 1U << LOG2; i++) {
        unsigned reversed = 0;
        for (unsigned j = 0; j < LOG2; j++) {
            reversed |= (i >> j & 1) << (LOG2 - 1 - j);
        }
        const long double angle = 3.14159265358979323846264338327950288L * reversed / (1U << LOG2);
        assert_true(fabsl(roots[2 * i] - cosl(angle)) <= 0x1.801p-53L);
        assert_true(fabsl(roots[2 * i + 1] - sinl(angle)) <= 0x1.801p-53L);
    }
}

/* The greatest digits for which reals serve: m k D^2 just below 2^142.25. */
static void test_real_bound(void **state)
{
    (void)state;
    static const struct {
        uint64_t r;
        unsigned k, odd;
        size_t m;
    } cases[] = {
        {GFP_OUTER_R_MAX, 8, 1, 8192},
        {GFP_OUTER_R_MAX, 2, 1, 32768},
        {((uint64_t)1 << 63) + ((uint64_t)1 << 34), 4, 1, 65536},
        {((uint64_t)1 << 63) + ((uint64_t)1 << 34), 16, 3, 12288},
        {((uint64_t)1 << 63) + ((uint64_t)1 << 34), 16, 5, 10240},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gfp_field *field = field_make(cases[i].r, cases[i].k);
        leaf_case l = case_make(field, 2, cases[i].odd, cases[i].m, 3, true);
        const double terms = (double)cases[i].m * cases[i].k * (double)l.bound * (double)l.bound;
        assert_true(GFP_HYBRID_BITS * log2(terms) < l.engine->real_log2);
        l.first = (unsigned)i % 4;
        check_product(&l, TOP, TOP, false);
        check_product(&l, TOP, ALTERNATING, false);
        check_product(&l, MIXED, MIXED, true);
        oracle_clear(&l.o);
        gfp_field_destroy(field);
    }
}

int main(void)
{
    int failed = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bound),
    };
    const struct CMUnitTest tests_of_reals[] = {
        cmocka_unit_test(test_real_roots),
        cmocka_unit_test(test_real_bound),
    };
    if (gfp_cpu_has(GFP_LEVEL_FOUR_LANES)) {
        tested = &gfp_leaf_avx2;
        failed += cmocka_run_group_tests_name(tested->name, tests, NULL, NULL);
        failed += cmocka_run_group_tests_name(tested->name, tests_of_reals, NULL, NULL);
    }
#if GFP_X86_LEVELS
    if (gfp_cpu_has(GFP_LEVEL_AVX512DQ)) {
        tested = &gfp_leaf_avx512dq;
        failed += cmocka_run_group_tests_name(tested->name, tests, NULL, NULL);
    }
#endif
    return failed;
}

#else

int main(void)
{
    return 0;
}

#endif
