/* word.c: the word-size arithmetic under the fields: factoring, primality, division by
 * reciprocals and by shifts, text conversion; none of it allocates by GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#if GFP_HAVE_FLINT
#include <flint/flint.h>
#include <flint/ulong_extras.h>
#endif

#include "field/base/decimal.h"
#include "field/primes/factor.h"
#include "gfpoly/elem.h"
#include "field/kernels/reference.h"
#include "field/base/word.h"
#include "lab/rows.h"

static void check_factors(uint64_t n)
{
    uint64_t prime[GFP_MAX_FACTORS];
    unsigned count = gfp_factor(n, prime);
    uint64_t rest = n;
    for (unsigned i = 0; i < count; i++) {
        mpz_t p;
        mpz_init_set_ui(p, prime[i]);
        assert_true(i == 0 || prime[i - 1] < prime[i]);
        assert_int_not_equal(mpz_probab_prime_p(p, 25), 0);
        assert_int_equal(rest % prime[i], 0);
        while (rest % prime[i] == 0) {
            rest /= prime[i];
        }
        mpz_clear(p);
    }
    assert_int_equal(rest, 1);
#if GFP_HAVE_FLINT
    n_factor_t factors;
    n_factor_init(&factors);
    n_factor(&factors, n, 1);
    assert_int_equal((unsigned)factors.num, count);
#endif
}

static void words_are_factored_completely(void **state)
{
    (void)state;
    static const uint64_t special[] = {1,
                                       2,
                                       3,
                                       4,
                                       1009 * 1009,
                                       UINT64_C(1000003) * 1000003,
                                       UINT64_C(4294967291) * 4294967291,
                                       UINT64_C(4294967291) * 4294967279,
                                       UINT64_C(18446744073709551557),
                                       UINT64_MAX,
                                       614889782588491410,
                                       UINT64_C(2642245) * 2642245 * 2642245,
                                       UINT64_C(1) << 63,
                                       UINT64_C(3825123056546413051)};
    gfp_random g;
    gfp_random_seed(&g, 5);
    for (size_t i = 0; LAB_ROW(special, i); i++) {
        check_factors(special[i]);
    }
    for (unsigned bits = 2; bits <= 64; bits++) {
        for (int i = 0; i < 10; i++) {
            check_factors((gfp_random_u64(&g) >> (64 - bits)) | 1);
        }
    }
}

static void primality_agrees_with_gmp(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 6);
    for (uint64_t n = 0; n < 20000; n++) {
        uint64_t m = n < 5000 ? n : gfp_random_u64(&g) >> gfp_random_below(&g, 60);
        mpz_t z;
        mpz_init_set_ui(z, m);
        assert_int_equal(gfp_word_is_prime(m), mpz_probab_prime_p(z, 25) != 0);
        mpz_clear(z);
    }
    /* Strong pseudoprimes to many small bases. */
    assert_false(gfp_word_is_prime(UINT64_C(3825123056546413051)));
    assert_false(gfp_word_is_prime(UINT64_C(341550071728321)));
}

static void bits_are_counted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(gfp_ctz64((uint64_t)1 << i), i);
        assert_int_equal(gfp_ctz64(UINT64_MAX << i), i);
        assert_int_equal(gfp_clz64((uint64_t)1 << i), 63 - i);
        assert_int_equal(gfp_clz64(UINT64_MAX >> i), i);
        assert_int_equal(gfp_log2_above((uint64_t)1 << i), i);
        assert_int_equal(gfp_log2_above(((uint64_t)1 << i) + 1), i + 1);
    }
    assert_int_equal(gfp_log2_above(0), 0);
    assert_int_equal(gfp_log2_above(UINT64_MAX), 64);
}

static uint64_t word_edge(gfp_random *g, uint64_t bound)
{
    switch (gfp_random_below(g, 4)) {
    case 0:
        return bound - 1;
    case 1:
        return gfp_random_below(g, bound < 3 ? bound : 3);
    default:
        return gfp_random_below(g, bound);
    }
}

/* gfp_div21 and gfp_split3 against 128-bit division and mpn. */
static void reciprocal_division_is_exact(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 7);
    for (int i = 0; i < 200000; i++) {
        uint64_t value = gfp_random_u64(&g) >> gfp_random_below(&g, 63);
        gfp_divisor divisor;
        uint64_t rem, h, l;
        value += value == 0;
        value = i % 7 == 0 ? UINT64_MAX - (uint64_t)i : value;
        gfp_divisor_init(&divisor, value);
        gfp_u128 x = gfp_join(word_edge(&g, value), word_edge(&g, 0));
        uint64_t q = gfp_div_wide(&divisor, x, &rem);
        assert_true(q == (uint64_t)(x / value) && rem == (uint64_t)(x % value));
        if (value >> 32 != 0) {
            /* u below 2^16 value^2. */
            mp_limb_t u[3] = {value, 0, 0};
            u[1] = mpn_mul_1(u, u, 1, value);
            u[2] = mpn_mul_1(u, u, 2, word_edge(&g, 1 << 16));
            mp_limb_t copy[3] = {u[0], u[1], u[2]};
            uint64_t c = gfp_split3(&divisor, u[2], u[1], u[0], &l, &h);
            assert_true(l == mpn_divrem_1(copy, 0, copy, 3, value));
            assert_true(h == mpn_divrem_1(copy, 0, copy, 3, value));
            assert_true(c == copy[0] && copy[1] == 0);
        }
    }
}

static void shift_division_is_exact(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 8);
    for (size_t i = 0; i < gfp_named_prime_count(); i++) {
        const gfp_named_prime *prime = gfp_named_prime_get(i);
        gfp_sparse_radix radix;
        /* The p-primes have two-term radices, the m-primes three terms. */
        assert_int_equal(gfp_sparse_radix_find(&radix, prime->r), prime->name[0] == 'p');
        for (int j = 0; j < 20000 && prime->name[0] == 'p'; j++) {
            uint64_t rem;
            gfp_i128 z = (gfp_i128)gfp_join(word_edge(&g, (uint64_t)1 << 62), word_edge(&g, 0));
            z = j % 2 == 0 ? z >> gfp_random_below(&g, 125) : z;
            z = j % 3 == 0 ? -z : z;
            gfp_i128 q = gfp_sparse_radix_divide(&radix, z, &rem);
            assert_true(rem < prime->r);
            assert_true(q * (gfp_i128)prime->r + (gfp_i128)rem == z);
        }
    }
}

static void check_text(const uint64_t *z, size_t n, int base)
{
    char text[5200], expected[5200];
    uint64_t copy[260], back[260];
    size_t bad;
    mpz_t m;
    memcpy(copy, z, n * sizeof *z);
    size_t length = gfp_limbs_to_text(text, copy, n, base);
    text[length] = '\0';
    assert_true(length <= gfp_limbs_text_size(n, base));
    mpz_init(m);
    mpz_import(m, n, -1, 8, 0, 0, z);
    mpz_get_str(expected, base, m);
    mpz_clear(m);
    assert_string_equal(text, expected);
    assert_int_equal(gfp_limbs_from_text(back, n, text, length, base, &bad), GFP_OK);
    assert_memory_equal(back, z, n * sizeof *z);
    if (z[n - 1] != 0 && n > 1) {
        assert_int_equal(gfp_limbs_from_text(back, n - 1, text, length, base, &bad), GFP_ERR_RANGE);
    }
}

static void numbers_survive_text(void **state)
{
    (void)state;
    gfp_random g;
    gfp_random_seed(&g, 9);
    for (size_t n = 1; n <= 256; n += 1 + n / 5) {
        for (int i = 0; i < 12; i++) {
            uint64_t z[256];
            for (size_t j = 0; j < n; j++) {
                uint64_t pattern[] = {gfp_random_u64(&g), 0, UINT64_MAX};
                z[j] = pattern[gfp_random_below(&g, (uint64_t)i % 3 + 1)];
            }
            check_text(z, n, 10);
            check_text(z, n, 16);
        }
    }
}

/* An allocator that works, while any use of GMP's own allocator fails the test. */
static bool gmp_asked;

static void *gmp_allocate(size_t bytes)
{
    gmp_asked = true;
    return test_malloc(bytes);
}

static void *gmp_reallocate(void *block, size_t old, size_t bytes)
{
    (void)old;
    gmp_asked = true;
    return test_realloc(block, bytes);
}

static void gmp_free(void *block, size_t bytes)
{
    (void)bytes;
    test_free(block);
}

static void fields_and_elements_ask_gmp_for_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"p2", "p32", "p128", "30^32+1", "(2^23-2^5)^256+1"};
    void *(*allocate)(size_t);
    void *(*reallocate)(void *, size_t, size_t);
    void (*release)(void *, size_t);
    mp_get_memory_functions(&allocate, &reallocate, &release);
    gfp_random g;
    gfp_random_seed(&g, 10);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        gfp_field *field = NULL, *again = NULL;
        uint64_t x[GFP_MAX_K], y[GFP_MAX_K], limbs[700];
        char text[5200];
        gmp_asked = false;
        mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_free);
        gfp_status status = gfp_field_create(&field, names[i], NULL, NULL);
        bool same = false;
        if (status == GFP_OK) {
            status = gfp_field_create(&again, gfp_field_get_info(field).modulus, NULL, NULL);
            gfp_elem_random(field, x, &g);
            for (int base = 10; base <= 16 && status == GFP_OK; base += 6) {
                size_t length;
                status = gfp_elem_get_string(field, text, sizeof text, &length, base, x);
                if (status == GFP_OK) {
                    status = gfp_elem_set_string(field, y, text, length, base, NULL);
                }
                same = gfp_elem_equal(field, x, y);
            }
            memset(limbs, 0xff, sizeof limbs);
            gfp_elem_set_limbs(field, y, limbs, sizeof limbs / sizeof limbs[0]);
            gfp_elem_get_limbs(field, limbs, y);
        }
        gfp_status inverted = status == GFP_OK ? gfp_elem_inv(field, y, x) : status;
        mp_set_memory_functions(allocate, reallocate, release);
        assert_int_equal(status, GFP_OK);
        assert_int_equal(inverted, GFP_OK);
        assert_true(same);
        assert_false(gmp_asked);
        gfp_field_destroy(again);
        gfp_field_destroy(field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_factored_completely),
        cmocka_unit_test(primality_agrees_with_gmp),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(reciprocal_division_is_exact),
        cmocka_unit_test(shift_division_is_exact),
        cmocka_unit_test(numbers_survive_text),
        cmocka_unit_test(fields_and_elements_ask_gmp_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
