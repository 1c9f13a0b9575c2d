/* stock.c: the primes in stock: every proof, by GMP and by the library; fields from the stock.
 * GFPOLY_TEST_LONG: also the proofs of the longest primes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "lab/meter.h"
#include "lab/oracle.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "field/primes/stock.h"

static const struct {
    unsigned k;
    size_t count;
} shelves[] = {{4, 256}, {8, 256}, {16, 256}, {32, 128}, {64, 128}, {128, 32}};
#define SHELVES (sizeof shelves / sizeof *shelves)

static gfp_prime primes_stock(unsigned k, size_t index)
{
    gfp_prime prime;
    assert_int_equal(gfp_prime_stock_get(&prime, k, index, NULL), GFP_OK);
    return prime;
}

static void the_stock_is_as_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHELVES; i++) {
        const unsigned k = shelves[i].k;
        uint64_t last = UINT64_C(1) << 63;
        assert_int_equal(gfp_prime_stock_count(k), shelves[i].count);
        for (size_t j = 0; j < shelves[i].count; j++) {
            char formula[GFP_PRIME_FORMULA_SIZE];
            const gfp_prime prime = primes_stock(k, j);
            assert_int_equal(prime.k, k);
            assert_int_equal(prime.bits, 63 * k);
            assert_true(prime.r < last && prime.r % (UINT64_C(1) << 36) == 0);
            assert_true(prime.v2_r >= 36 && prime.v2_order == k * prime.v2_r);
            assert_true(prime.r >> prime.v2_r & 1);
            if (prime.sign == 0) {
                snprintf(formula, sizeof formula, "%llu^%u+1", (unsigned long long)prime.r, k);
                assert_string_equal(prime.formula, formula);
            }
            assert_int_equal(prime.certificate.proof, GFP_PROOF_PROTH);
            assert_int_equal(prime.certificate.count, 1);
            assert_true(prime.certificate.factor[0].prime == 2);
            for (size_t n = 0; n < gfp_named_prime_count(); n++) {
                const gfp_named_prime *named = gfp_named_prime_get(n);
                assert_false(named->k == k && named->r == prime.r);
            }
            last = prime.r;
        }
    }
}

/* Whether the proof of a prime takes too long for a usual run; those of some are checked. */
static bool is_skipped(unsigned k, size_t index)
{
    const unsigned most = SANITIZED ? 8 : 16;
    return getenv("GFPOLY_TEST_LONG") == NULL && k > most && index % (8 * k / most) != 0;
}

static void every_proof_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHELVES; i++) {
        for (size_t j = 0; j < shelves[i].count; j++) {
            const gfp_prime prime = primes_stock(shelves[i].k, j);
            gfp_certificate made;
            oracle o;
            if (is_skipped(prime.k, j)) {
                continue;
            }
            oracle_init(&o, prime.r, prime.k);
            assert_int_equal(mpz_sizeinbase(o.p, 2), prime.bits);
            assert_true(oracle_proves(&o, &prime.certificate.factor[0].prime,
                                      &prime.certificate.factor[0].base, 1));
            oracle_clear(&o);
            if (prime.k <= 8) {
                /* The library finds the same base. */
                assert_int_equal(gfp_certificate_create(&made, prime.r, prime.k, NULL, NULL),
                                 GFP_OK);
                assert_memory_equal(&made, &prime.certificate, sizeof made);
            }
        }
    }
}

/* No prime between those in stock is left out: the library searches again. */
static void nothing_is_left_out(void **state)
{
    (void)state;
    for (unsigned k = 4; k <= 8; k *= 2) {
        uint64_t r = UINT64_C(1) << 63;
        for (size_t j = 0; j < 20; j++) {
            gfp_certificate c;
            gfp_status status;
            do {
                r -= UINT64_C(1) << 36;
                status = gfp_certificate_create(&c, r, k, NULL, NULL);
            } while (status == GFP_ERR_COMPOSITE);
            assert_int_equal(status, GFP_OK);
            assert_true(primes_stock(k, j).r == r);
        }
    }
}

static void expect_field(const gfp_field *field, const gfp_prime *prime)
{
    uint64_t root[GFP_MAX_K], power[GFP_MAX_K];
    const uint64_t two = 2;
    assert_non_null(field);
    assert_true(gfp_field_k(field) == prime->k && gfp_field_r(field) == prime->r);
    assert_int_equal(gfp_field_bits(field), prime->bits);
    assert_memory_equal(gfp_field_get_info(field).certificate, &prime->certificate,
                        sizeof prime->certificate);
    /* w_4^2 = -1. */
    assert_int_equal(gfp_field_root(field, root, 2), GFP_OK);
    gfp_elem_pow(field, power, root, &two, 1);
    gfp_elem_neg(field, power, power);
    assert_true(gfp_elem_is_one(field, power));
}

static void fields_from_the_stock(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHELVES; i++) {
        const size_t last = shelves[i].count - 1, at[] = {0, last / 3, last};
        for (size_t j = 0; j < 3 && (j == 0 || shelves[i].k <= 32); j++) {
            const gfp_prime prime = primes_stock(shelves[i].k, at[j]);
            gfp_field *field = NULL, *again = NULL;
            assert_int_equal(gfp_prime_stock_field(&field, prime.k, at[j], NULL, NULL), GFP_OK);
            expect_field(field, &prime);
            assert_int_equal(gfp_field_create(&again, prime.formula, NULL, NULL), GFP_OK);
            expect_field(again, &prime);
            assert_true(gfp_field_same(field, again));
            gfp_field_destroy(field);
            gfp_field_destroy(again);
        }
    }
}

/* Radices next to those in stock have no proof there. */
static void neighbours_are_not_in_stock(void **state)
{
    (void)state;
    for (size_t j = 0; j < 5; j++) {
        const uint64_t r = primes_stock(8, j).r;
        const uint64_t near[] = {r + 2, r - (UINT64_C(1) << 35), r | UINT64_C(1) << 63};
        for (size_t i = 0; i < 3; i++) {
            gfp_field *field = NULL;
            oracle o;
            oracle_init(&o, near[i], 8);
            const bool prime = oracle_is_probable_prime(&o);
            oracle_clear(&o);
            assert_int_equal(gfp_field_create_rk(&field, near[i], 8, NULL, NULL),
                             prime ? GFP_OK : GFP_ERR_COMPOSITE);
            gfp_field_destroy(field);
        }
        /* The r of another k. */
        gfp_field *field = NULL;
        oracle o;
        oracle_init(&o, r, 16);
        assert_int_equal(gfp_field_create_rk(&field, r, 16, NULL, NULL),
                         oracle_is_probable_prime(&o) ? GFP_OK : GFP_ERR_COMPOSITE);
        oracle_clear(&o);
        gfp_field_destroy(field);
    }
}

static void refusals_leave_the_outputs(void **state)
{
    static const unsigned none[] = {0, 1, 2, 3, 5, 256, 512, UINT32_MAX};
    gfp_prime prime = {.r = 1};
    gfp_field *field = NULL;
    gfp_error error;
    meter m = {.fail_at = SIZE_MAX};
    const gfp_allocator hook = meter_hook(&m);
    (void)state;
    for (size_t i = 0; LAB_ROW(none, i); i++) {
        assert_int_equal(gfp_prime_stock_count(none[i]), 0);
        assert_int_equal(gfp_prime_stock_get(&prime, none[i], 0, &error), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_prime_stock_field(&field, none[i], 0, NULL, NULL), GFP_ERR_ARGUMENT);
    }
    assert_int_equal(gfp_prime_stock_get(&prime, 8, 256, &error), GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "256 primes of k = 8"));
    assert_int_equal(gfp_prime_stock_get(&prime, 8, SIZE_MAX, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_prime_stock_get(NULL, 8, 0, NULL), GFP_ERR_ARGUMENT);
    for (size_t i = 0;; i++) {
        meter_fail_at(&m, i);
        const gfp_status status = gfp_prime_stock_field(&field, 8, 3, &hook, &error);
        if (status == GFP_OK) {
            assert_true(i > 2);
            break;
        }
        assert_int_equal(status, GFP_ERR_MEMORY);
        assert_null(field);
    }
    assert_true(prime.r == 1);
    gfp_field_destroy(field);
    meter_expect_empty(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stock_is_as_described),   cmocka_unit_test(every_proof_holds),
        cmocka_unit_test(nothing_is_left_out),         cmocka_unit_test(fields_from_the_stock),
        cmocka_unit_test(neighbours_are_not_in_stock), cmocka_unit_test(refusals_leave_the_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
