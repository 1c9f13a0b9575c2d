/* search.c: the supply of primes against enumeration by GMP: the primes, their order and
 * properties; the random order; refusals; fields from the supply.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "lab/oracle.h"
#include "lab/rows.h"

/* A prime as enumeration finds it. */
typedef struct found {
    uint64_t r;
    unsigned bits;
    unsigned v2;
    unsigned w;
    unsigned u;
    int sign;
} found;

#define MOST 5000

typedef struct list {
    found at[MOST];
    size_t count;
} list;

/* ---- enumeration ---- */

/* Appends r if r^k + 1 is a prime of the range. */
static void search_judge(list *l, const gfp_prime_range *range, found f)
{
    oracle o;
    oracle_init(&o, f.r, range->k);
    f.bits = (unsigned)mpz_sizeinbase(o.p, 2);
    f.v2 = (unsigned)mpz_scan1(o.special, 0) / range->k;
    if (f.bits >= range->min_bits && f.bits <= range->max_bits && f.v2 >= range->min_v2_r &&
        oracle_is_probable_prime(&o)) {
        assert_in_range(l->count, 0, MOST - 1);
        l->at[l->count++] = f;
    }
    oracle_clear(&o);
}

static int compare_by_size(const void *a, const void *b)
{
    const found *x = a;
    const found *y = b;
    if (x->bits != y->bits) {
        return x->bits < y->bits ? -1 : 1;
    }
    if (x->v2 != y->v2) {
        return x->v2 > y->v2 ? -1 : 1;
    }
    return x->r < y->r ? -1 : x->r > y->r;
}

static int compare_by_radix(const void *a, const void *b)
{
    const found *x = a;
    const found *y = b;
    return x->r < y->r ? -1 : x->r > y->r;
}

/* All 2^w + 2^u and 2^w - 2^u in the documented order, each radix in its documented form. */
static void enumerate_sparse(list *l, const gfp_prime_range *range)
{
    l->count = 0;
    for (unsigned u = 1; u < 64; u++) {
        for (unsigned w = u + 1; w <= 64; w++) {
            uint64_t power = w < 64 ? UINT64_C(1) << w : 0;
            uint64_t low = UINT64_C(1) << u;
            if (w < 64) {
                search_judge(l, range, (found){.r = power + low, .w = w, .u = u, .sign = 1});
            }
            if (w != u + 2) {
                search_judge(l, range, (found){.r = power - low, .w = w, .u = u, .sign = -1});
            }
        }
    }
    qsort(l->at, l->count, sizeof l->at[0], compare_by_size);
}

/* All even radices up to limit, ascending. */
static void enumerate_all(list *l, const gfp_prime_range *range, uint64_t limit)
{
    l->count = 0;
    for (uint64_t r = 2; r <= limit; r += 2) {
        search_judge(l, range, (found){.r = r});
    }
}

/* ---- the properties of a prime ---- */

static void expect_proved(const gfp_prime *prime)
{
    const gfp_certificate *c = &prime->certificate;
    uint64_t primes[16];
    uint64_t bases[16];
    oracle o;
    for (unsigned i = 0; i < c->count; i++) {
        primes[i] = c->factor[i].prime;
        bases[i] = c->factor[i].base;
    }
    oracle_init(&o, prime->r, prime->k);
    assert_true(oracle_is_probable_prime(&o));
    assert_int_equal(prime->bits, mpz_sizeinbase(o.p, 2));
    assert_int_equal(prime->v2_order, mpz_scan1(o.special, 0));
    assert_true(oracle_proves(&o, primes, bases, c->count));
    oracle_clear(&o);
}

static void expect_sparse(const gfp_prime *prime, const found *f, unsigned k)
{
    char formula[GFP_PRIME_FORMULA_SIZE];
    snprintf(formula, sizeof formula, "(2^%u%c2^%u)^%u+1", f->w, f->sign > 0 ? '+' : '-', f->u, k);
    assert_string_equal(prime->formula, formula);
    assert_true(prime->r == f->r);
    assert_int_equal(prime->k, k);
    assert_int_equal(prime->bits, f->bits);
    assert_int_equal(prime->v2_r, f->v2);
    assert_int_equal(prime->v2_order, f->v2 * k);
    assert_int_equal(prime->w, f->w);
    assert_int_equal(prime->u, f->u);
    assert_int_equal(prime->sign, f->sign);
}

static gfp_prime_supply *start_sparse(const gfp_prime_range *range)
{
    gfp_prime_supply *supply = NULL;
    gfp_error error = {.message = ""};
    if (gfp_prime_supply_create(&supply, range, NULL, NULL, &error) != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return supply;
}

static gfp_prime_supply *start_random(const gfp_prime_range *range, uint64_t seed)
{
    gfp_prime_supply *supply = NULL;
    gfp_error error = {.message = ""};
    gfp_random g;
    gfp_random_seed(&g, seed);
    if (gfp_prime_supply_create(&supply, range, &g, NULL, &error) != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return supply;
}

/* The supply says that it is empty, again and again, and writes nothing. */
static void expect_end(gfp_prime_supply *supply)
{
    gfp_prime prime = {.r = 1};
    gfp_error error = {.message = "untouched"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gfp_prime_supply_next(&prime, supply, &error), GFP_DONE);
        assert_true(prime.r == 1);
        assert_string_equal(error.message, "untouched");
    }
    assert_true(GFP_DONE > GFP_OK);
    assert_string_equal(gfp_status_string(GFP_DONE), "nothing left to deliver");
}

static gfp_prime search_take(gfp_prime_supply *supply)
{
    gfp_prime prime;
    gfp_error error = {.message = ""};
    gfp_status status = gfp_prime_supply_next(&prime, supply, &error);
    if (status != GFP_OK) {
        fail_msg("%s: %s", gfp_status_string(status), error.message);
    }
    return prime;
}

/* ---- sparse radices ---- */

static void sparse_supply_is_the_enumeration_in_order(void **state)
{
    static const gfp_prime_range ranges[] = {
        {2, 1, 128, 0},     {2, 60, 70, 5},     {4, 1, 256, 1},    {4, 100, 100, 0},
        {8, 9, 512, 0},     {8, 1, 9999, 20},   {8, 500, 508, 0},  {8, 506, 512, 0},
        {16, 300, 500, 0},  {32, 150, 260, 0},  {16, 17, 17, 0},   {64, 65, 400, 0},
        {128, 129, 400, 1}, {256, 257, 600, 0}, {2, 127, 128, 63},
    };
    static list expected;
    (void)state;
    for (size_t i = 0; LAB_ROW(ranges, i); i++) {
        enumerate_sparse(&expected, &ranges[i]);
        gfp_prime_supply *supply = start_sparse(&ranges[i]);
        for (size_t j = 0; j < expected.count; j++) {
            gfp_prime prime = search_take(supply);
            expect_sparse(&prime, &expected.at[j], ranges[i].k);
            expect_proved(&prime);
        }
        expect_end(supply);
        gfp_prime_supply_destroy(supply);
    }
}

static void sparse_supply_has_the_named_prime_of_the_paper(void **state)
{
    const gfp_prime_range range = {8, 505, 505, 30};
    gfp_prime_supply *supply = start_sparse(&range);
    (void)state;
    assert_string_equal(search_take(supply).formula, "(2^63+2^34)^8+1");
    gfp_prime_supply_destroy(supply);
}

/* ---- the random family ---- */

static void random_supply_delivers_the_whole_family_once(void **state)
{
    static const struct {
        gfp_prime_range range;
        uint64_t limit; /* on r */
    } cases[] = {
        {{2, 1, 24, 0}, 4096},      {{2, 10, 10, 0}, 32},        {{2, 20, 29, 3}, 1 << 15},
        {{4, 5, 56, 0}, 1 << 14},   {{4, 41, 43, 1}, 1 << 11},   {{8, 9, 104, 0}, 1 << 13},
        {{8, 70, 100, 5}, 1 << 13}, {{16, 17, 160, 0}, 1 << 10}, {{8, 9, 10, 0}, 4},
        {{64, 65, 512, 0}, 1 << 8}, {{2, 3, 3, 0}, 2},
    };
    static list expected;
    static list got;
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const gfp_prime_range *range = &cases[i].range;
        enumerate_all(&expected, range, cases[i].limit);
        gfp_prime_supply *supply = start_random(range, i);
        for (got.count = 0; got.count < expected.count; got.count++) {
            gfp_prime prime = search_take(supply);
            got.at[got.count].r = prime.r;
            assert_in_range(prime.bits, range->min_bits, range->max_bits);
            expect_proved(&prime);
        }
        expect_end(supply);
        gfp_prime_supply_destroy(supply);
        qsort(got.at, got.count, sizeof got.at[0], compare_by_radix);
        for (size_t j = 0; j < got.count; j++) {
            assert_true(got.at[j].r == expected.at[j].r);
        }
    }
}

/* Radices from an independent program. */
static void random_supply_is_the_same_everywhere(void **state)
{
    static const struct {
        gfp_prime_range range;
        uint64_t seed;
        uint64_t r[3];
    } cases[] = {
        {{8, 500, 508, 20},
         1,
         {UINT64_C(8296012752741203968), UINT64_C(11042828340052361216),
          UINT64_C(7061258399970754560)}},
        {{2, 126, 128, 0},
         UINT64_MAX,
         {UINT64_C(13151945906505627570), UINT64_C(18368511983522225616),
          UINT64_C(13922127255046541190)}},
        {{16, 1024, 1024, 40},
         7,
         {UINT64_C(17808431394297217024), UINT64_C(18285637032938045440),
          UINT64_C(17765235980488409088)}},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        gfp_prime_supply *supply = start_random(&cases[i].range, cases[i].seed);
        for (size_t j = 0; j < 3; j++) {
            gfp_prime prime = search_take(supply);
            assert_true(prime.r == cases[i].r[j]);
            expect_proved(&prime);
        }
        gfp_prime_supply_destroy(supply);
    }
}

static void a_hundred_random_primes_differ(void **state)
{
    const gfp_prime_range range = {8, 500, 508, 30};
    static list got;
    gfp_prime_supply *supply = start_random(&range, 5);
    (void)state;
    for (got.count = 0; got.count < 100; got.count++) {
        gfp_prime prime = search_take(supply);
        expect_proved(&prime);
        assert_int_equal(prime.k, 8);
        assert_in_range(prime.bits, 500, 508);
        assert_true(prime.v2_r >= 30 && prime.v2_order == 8 * prime.v2_r);
        got.at[got.count].r = prime.r;
    }
    gfp_prime_supply_destroy(supply);
    qsort(got.at, got.count, sizeof got.at[0], compare_by_radix);
    for (size_t j = 1; j < got.count; j++) {
        assert_true(got.at[j - 1].r < got.at[j].r);
    }
}

/* Over many seeds each prime of a small family comes first about equally often. */
static void no_prime_is_favoured(void **state)
{
    enum { SEEDS = 4000 };
    const gfp_prime_range range = {2, 8, 13, 0};
    static list family;
    static unsigned first[MOST];
    (void)state;
    enumerate_all(&family, &range, 128);
    assert_in_range(family.count, 10, 40);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        gfp_prime_supply *supply = start_random(&range, seed);
        uint64_t r = search_take(supply).r;
        for (size_t j = 0; j < family.count; j++) {
            first[j] += family.at[j].r == r;
        }
        gfp_prime_supply_destroy(supply);
    }
    double chi_square = 0;
    double mean = (double)SEEDS / (double)family.count;
    for (size_t j = 0; j < family.count; j++) {
        chi_square += (first[j] - mean) * (first[j] - mean) / mean;
    }
    /* Mean n - 1, variance 2 (n - 1): 100 is beyond five standard deviations for n <= 40. */
    assert_true(chi_square < 100);
}

/* ---- refusals ---- */

static char place;
static gfp_prime_supply *const untouched = (gfp_prime_supply *)(void *)&place;

static void ranges_without_candidates_are_refused(void **state)
{
    static const struct {
        gfp_prime_range range;
        gfp_status status;
        const char *message;
    } cases[] = {
        {{0, 10, 20, 0}, GFP_ERR_MODULUS, "k = 0"},
        {{1, 10, 20, 0}, GFP_ERR_MODULUS, "k = 1"},
        {{12, 10, 20, 0}, GFP_ERR_MODULUS, "k = 12"},
        {{512, 10, 20, 0}, GFP_ERR_MODULUS, "k = 512"},
        {{UINT_MAX, 10, 20, 0}, GFP_ERR_MODULUS, "not a power of two"},
        {{8, 20, 10, 0}, GFP_ERR_ARGUMENT, "from 20 to 10 bits"},
        {{8, 1, 8, 0}, GFP_ERR_ARGUMENT, "from 9 to 512 bits"},
        {{8, 513, 600, 0}, GFP_ERR_ARGUMENT, "from 9 to 512 bits"},
        {{256, 16385, UINT_MAX, 0}, GFP_ERR_ARGUMENT, "from 257 to 16384 bits"},
        {{8, 10, 20, 64}, GFP_ERR_ARGUMENT, "2^64"},
    };
    (void)state;
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        gfp_prime_supply *supply = untouched;
        gfp_error error = {.message = ""};
        gfp_random g;
        gfp_random before;
        gfp_random_seed(&g, 1);
        before = g;
        const gfp_prime_range *range = &cases[i].range;
        assert_int_equal(gfp_prime_supply_create(&supply, range, NULL, NULL, &error),
                         cases[i].status);
        assert_non_null(strstr(error.message, cases[i].message));
        error.message[0] = '\0';
        assert_int_equal(gfp_prime_supply_create(&supply, range, &g, NULL, &error),
                         cases[i].status);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_int_equal(gfp_prime_supply_create(&supply, range, NULL, NULL, NULL),
                         cases[i].status);
        assert_ptr_equal(supply, untouched);
        assert_memory_equal(&g, &before, sizeof g);
    }
}

/* Ranges that could hold a prime but hold no candidate are merely empty. */
static void empty_ranges_end_at_once(void **state)
{
    const gfp_prime_range range = {8, 100, 110, 40};
    gfp_prime_supply *sparse = start_sparse(&range);
    gfp_prime_supply *random = start_random(&range, 3);
    (void)state;
    expect_end(sparse);
    expect_end(random);
    gfp_prime_supply_destroy(sparse);
    gfp_prime_supply_destroy(random);
    gfp_prime_supply_destroy(NULL);
}

/* ---- fields ---- */

static void expect_same_field(const gfp_field *f, const gfp_field *g)
{
    uint64_t x[GFP_MAX_K];
    uint64_t y[GFP_MAX_K];
    const gfp_certificate *c = gfp_field_get_info(f).certificate;
    const gfp_certificate *d = gfp_field_get_info(g).certificate;
    assert_true(gfp_field_same(f, g));
    assert_string_equal(gfp_field_name(f), gfp_field_name(g));
    assert_string_equal(gfp_field_get_info(f).modulus, gfp_field_get_info(g).modulus);
    assert_int_equal(c->proof, d->proof);
    assert_int_equal(c->count, d->count);
    for (unsigned i = 0; i < c->count; i++) {
        assert_true(c->factor[i].prime == d->factor[i].prime);
        assert_true(c->factor[i].base == d->factor[i].base);
    }
    assert_int_equal(gfp_field_root(f, x, gfp_field_v2_order(f)), GFP_OK);
    assert_int_equal(gfp_field_root(g, y, gfp_field_v2_order(g)), GFP_OK);
    assert_true(gfp_elem_equal(f, x, y));
}

/* The same as from the formula, where p is proved anew. */
static void fields_from_the_supply_are_those_of_the_formula(void **state)
{
    static const gfp_prime_range ranges[] = {
        {8, 480, 512, 0}, {2, 100, 128, 1}, {16, 800, 1024, 20}, {4, 5, 60, 0}};
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof ranges / sizeof ranges[0]); i++) {
        const gfp_prime_range *range = &ranges[i / 2];
        gfp_prime_supply *supply = i % 2 == 0 ? start_sparse(range) : start_random(range, i);
        for (int j = 0; j < 2; j++) {
            gfp_field *field, *again;
            gfp_prime prime = search_take(supply);
            assert_int_equal(gfp_prime_supply_field(&field, supply, NULL), GFP_OK);
            assert_int_equal(gfp_field_create(&again, prime.formula, NULL, NULL), GFP_OK);
            assert_true(gfp_field_r(field) == prime.r);
            expect_same_field(field, again);
            gfp_field_destroy(field);
            gfp_field_destroy(again);
        }
        gfp_prime_supply_destroy(supply);
    }
}

/* A supply gives a field only after it has delivered a prime; at the end of the supply the field
 * stays, and it outlives the supply. */
static void the_field_is_that_of_the_last_prime(void **state)
{
    const gfp_prime_range range = {8, 505, 505, 0};
    gfp_prime_supply *supply = start_sparse(&range);
    gfp_field *const none = (gfp_field *)(void *)&place;
    gfp_field *field = none;
    gfp_error error = {.message = ""};
    (void)state;
    assert_int_equal(gfp_prime_supply_field(&field, supply, &error), GFP_ERR_ARGUMENT);
    assert_ptr_equal(field, none);
    assert_non_null(strstr(error.message, "not delivered"));
    assert_string_equal(search_take(supply).formula, "(2^63+2^34)^8+1");
    expect_end(supply);
    assert_int_equal(gfp_prime_supply_field(&field, supply, &error), GFP_OK);
    gfp_prime_supply_destroy(supply);
    assert_string_equal(gfp_field_name(field), "p8");
    gfp_field_destroy(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_supply_is_the_enumeration_in_order),
        cmocka_unit_test(sparse_supply_has_the_named_prime_of_the_paper),
        cmocka_unit_test(random_supply_delivers_the_whole_family_once),
        cmocka_unit_test(random_supply_is_the_same_everywhere),
        cmocka_unit_test(a_hundred_random_primes_differ),
        cmocka_unit_test(no_prime_is_favoured),
        cmocka_unit_test(ranges_without_candidates_are_refused),
        cmocka_unit_test(empty_ranges_end_at_once),
        cmocka_unit_test(fields_from_the_supply_are_those_of_the_formula),
        cmocka_unit_test(the_field_is_that_of_the_last_prime),
    };
    return cmocka_run_group_tests_name("primes", tests, NULL, NULL);
}
