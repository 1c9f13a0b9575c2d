/* big.c: big primes inside the library: their order, and integers from residues
 * against GMP, for random and extreme integers and residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/lab.h"

#include "gfpoly/elem.h"
#include "gfpoly/primes.h"
#include "modular/big.h"

/* ---- the order ---- */

/* Takes all primes: each once, k = 8 first, then rising k; returns how many. */
static size_t expect_order(uint64_t seed, size_t *first)
{
    static unsigned char seen[GFP_ZRING_PRIMES];
    gfp_zbig_order order;
    size_t index, count = 0, bits = 0;
    unsigned last = 8;
    memset(seen, 0, sizeof seen);
    gfp_zbig_order_init(&order, SIZE_MAX, seed);
    while (gfp_zbig_order_next(&order, SIZE_MAX, &index)) {
        assert_true(index < GFP_ZRING_PRIMES && !seen[index]);
        seen[index] = 1;
        const unsigned k = gfp_zring_k(index);
        assert_true(k >= last && k <= 128);
        last = k;
        bits += gfp_zring_bits(index);
        if (count++ == 0) {
            *first = index;
        }
    }
    assert_true(bits >= gfp_zbig_most_bits());
    assert_true(bits < gfp_zbig_most_bits() + 40000); /* the named primes */
    return count;
}

static void primes_come_once(void **state)
{
    size_t first[3], all = 0;
    (void)state;
    for (unsigned k = 8; k <= 128; k *= 2) {
        all += gfp_prime_stock_count(k);
    }
    assert_int_equal(expect_order(0, &first[0]), all + 10);
    assert_int_equal(expect_order(5, &first[1]), all + 10);
    assert_int_equal(expect_order(6, &first[2]), all + 10);
    assert_string_equal(gfp_named_prime_get(first[0])->name, "p8");
    assert_true(first[0] != first[1] && first[1] != first[2]);
}

static void few_bits_take_small_primes(void **state)
{
    gfp_zbig_order order;
    size_t index, count = 0;
    (void)state;
    gfp_zbig_order_init(&order, SIZE_MAX, 0);
    assert_true(gfp_zbig_order_next(&order, 252, &index));
    assert_int_equal(gfp_zring_k(index), 8);
    while (gfp_zbig_order_next(&order, 251, &index) && gfp_zring_k(index) == 4) {
        count++;
    }
    assert_int_equal(count, gfp_prime_stock_count(4) + 2);
    assert_int_equal(gfp_zring_k(index), 8); /* none of k = 4 is left */
}

/* The named prime that suffices comes first, and once. */
static void a_prime_that_suffices_comes_first(void **state)
{
    (void)state;
    for (size_t bits = 1; bits < 9000; bits += bits < 600 ? 1 : 97) {
        gfp_zbig_order order;
        size_t index, named, count = 0;
        const bool suffices = gfp_zring_named(bits, &named);
        gfp_zbig_order_init(&order, bits, 0);
        assert_true(gfp_zbig_order_next(&order, SIZE_MAX, &index));
        assert_int_equal(index, suffices ? named : order.start[1] + 2);
        for (unsigned i = 0; i < 20; i++) {
            assert_true(gfp_zbig_order_next(&order, SIZE_MAX, &index));
            count += index == named;
        }
        assert_int_equal(count, 0);
        /* A seed draws all of them. */
        gfp_zbig_order_init(&order, bits, 9);
        assert_true(gfp_zbig_order_next(&order, SIZE_MAX, &index));
        assert_int_equal(gfp_zring_k(index), 8);
    }
}

/* Bits and fields of all indices are those of the primes. */
static void indices_name_primes(void **state)
{
    mpz_t p;
    size_t count = 0;
    (void)state;
    mpz_init(p);
    for (size_t i = 0; i < GFP_ZRING_PRIMES + 3; i++) {
        gfp_zring_big big;
        const unsigned k = gfp_zring_k(i);
        if (k == 0) {
            assert_int_equal(gfp_zring_big_take(ring, &big, i), GFP_ERR_UNKNOWN);
            continue;
        }
        count++;
        if (k > 16 || (k > 4 && i % 16 != 0)) {
            continue;
        }
        assert_int_equal(gfp_zring_big_take(ring, &big, i), GFP_OK);
        assert_int_equal(gfp_field_k(big.field), k);
        assert_int_equal(mpz_set_str(p, gfp_field_get_info(big.field).modulus, 10), 0);
        gfp_zring_big_give(&big);
        mpz_sub_ui(p, p, 1);
        assert_int_equal(mpz_sizeinbase(p, 2) - 1, gfp_zring_bits(i));
    }
    assert_int_equal(count, 1056 + gfp_named_prime_count());
    mpz_clear(p);
}

/* The ring keeps fields up to a limit; further ones are the call's. */
static void some_fields_are_kept(void **state)
{
    gfp_zring *own;
    gfp_zring_big big;
    size_t kept = 0;
    (void)state;
    assert_int_equal(gfp_zring_create(&own, NULL, NULL), GFP_OK);
    for (size_t i = 0; i < 256; i++) {
        const size_t index = GFP_ZRING_FIELDS + 2 * GFP_ZRING_SHELF + i; /* k = 16 */
        for (unsigned round = 0; round < 2; round++) {
            assert_int_equal(gfp_zring_big_take(own, &big, index), GFP_OK);
            assert_true(big.own == NULL || big.own == big.field);
            assert_int_equal(big.own == NULL, atomic_load(&own->field[index]) == big.field);
            kept += round == 0 && big.own == NULL;
            gfp_zring_big_give(&big);
        }
    }
    assert_int_equal(kept, 256);
    assert_int_equal(gfp_zring_big_take(own, &big, GFP_ZRING_FIELDS), GFP_OK);
    assert_non_null(big.own);
    gfp_zring_big_give(&big);
    gfp_zring_big_give(&big);
    gfp_zring_destroy(own);
}

/* ---- integers ---- */

/* v := x modulo the prime; p := the prime. */
static void mix_residue(uint64_t *v, mpz_t p, const gfp_field *field, const mpz_t x)
{
    uint64_t limbs[GFP_MAX_LIMBS] = {0};
    mpz_t z;
    mpz_init(z);
    assert_int_equal(mpz_set_str(p, gfp_field_get_info(field).modulus, 10), 0);
    mpz_fdiv_r(z, x, p);
    mpz_export(limbs, NULL, -1, sizeof *limbs, 0, 0, z);
    gfp_elem_set_limbs(field, v, limbs, gfp_field_limbs(field));
    mpz_clear(z);
}

/* x_i: random, 0, 1, -1, the extremes of (-M / 2, M / 2), multiples of a prime less 1. */
static void choose_integers(zlab x, const mpz_t m, const mpz_t p, gfp_random *g)
{
    for (size_t i = 0; i < x.len; i++) {
        mpz_t *z = &x.c[i];
        switch (gfp_random_below(g, 6)) {
        case 0:
            mpz_set_si(*z, (long)gfp_random_below(g, 3) - 1);
            break;
        case 1:
            mpz_fdiv_q_2exp(*z, m, 1);
            break;
        case 2:
            mpz_fdiv_q_2exp(*z, m, 1);
            mpz_neg(*z, *z);
            break;
        case 3: /* the special element r^k = p - 1 */
            mpz_sub_ui(*z, p, 1);
            if (mpz_cmp(m, p) == 0) {
                mpz_set_si(*z, -1);
            }
            break;
        default:
            zlab_number(*z, mpz_sizeinbase(m, 2) - 2, g);
        }
    }
}

static void expect_integers(const size_t *index, size_t count, size_t n, gfp_random *g)
{
    gfp_zring_big big[8];
    uint64_t *v = malloc(n * GFP_MAX_K * sizeof *v);
    zlab x = zlab_new(n);
    gfp_zcall call;
    gfp_zbig mix;
    gfp_zpoly z;
    gfp_zvec got;
    mpz_t m, p;
    assert_non_null(v);
    mpz_init_set_ui(m, 1);
    mpz_init(p);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(gfp_zring_big_take(ring, &big[i], index[i]), GFP_OK);
        assert_int_equal(mpz_set_str(p, gfp_field_get_info(big[i].field).modulus, 10), 0);
        mpz_mul(m, m, p);
    }
    choose_integers(x, m, p, g);
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zbig_begin(&mix, &call, n), GFP_OK);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++) {
            mix_residue(v + j * gfp_field_k(big[i].field), p, big[i].field, x.c[j]);
        }
        assert_int_equal(gfp_zbig_add(&mix, big[i].field, v), GFP_OK);
        gfp_zring_big_give(&big[i]);
    }
    assert_int_equal(gfp_zbig_bits(&mix), mpz_sizeinbase(m, 2) - 1);
    assert_int_equal(gfp_zbig_get(&mix, &z), GFP_OK);
    got = (gfp_zvec){.ring = ring, .limbs = z.limbs, .len = n, .width = z.width};
    zlab y = zlab_of(&got);
    for (size_t j = 0; j < n; j++) {
        assert_int_equal(mpz_cmp(y.c[j], x.c[j]), 0);
    }
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
    mpz_clear(m);
    mpz_clear(p);
    zlab_free(&x);
    zlab_free(&y);
    free(v);
}

static void integers_come_back(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t trial = 0; trial < 120; trial++) {
        gfp_zbig_order order;
        size_t index[8];
        const size_t count = 1 + gfp_random_below(&g, 8);
        gfp_zbig_order_init(&order, SIZE_MAX, trial);
        for (size_t i = 0; i < count; i++) {
            /* Primes of different sizes, in any order; named ones, k = 16 and 2 among them. */
            const size_t kind = gfp_random_below(&g, 8);
            assert_true(gfp_zbig_order_next(&order, kind < 3 ? 1 : SIZE_MAX, &index[i]));
            if (kind == 7) {
                index[i] = GFP_ZRING_FIELDS + 2 * GFP_ZRING_SHELF + i;
            }
        }
        expect_integers(index, count, 1 + gfp_random_below(&g, 40), &g);
    }
}

/* A prime that comes twice is refused: its inverse does not exist. */
static void a_prime_comes_once(void **state)
{
    gfp_zring_big big;
    uint64_t v[8] = {1};
    gfp_zcall call;
    gfp_zbig mix;
    (void)state;
    assert_int_equal(gfp_zring_big_take(ring, &big, GFP_ZRING_FIELDS + GFP_ZRING_SHELF), GFP_OK);
    assert_int_equal(zlab_call_begin(&call, "test", ring, NULL), GFP_OK);
    assert_int_equal(gfp_zbig_begin(&mix, &call, 1), GFP_OK);
    assert_int_equal(gfp_zbig_add(&mix, big.field, v), GFP_OK);
    assert_int_equal(gfp_zbig_add(&mix, big.field, v), GFP_ERR_NOT_INVERTIBLE);
    gfp_zring_big_give(&big);
    assert_int_equal(gfp_call_end(&call.base, GFP_OK), GFP_OK);
}

/* The ring keeps bases for few numbers that are longer than those for many. */
static void bases_for_few_numbers_are_kept(void **state)
{
    static const size_t counts[] = {GFP_ZRING_BASES, GFP_ZRING_BASES + 1};
    gfp_zring *own;
    (void)state;
    assert_int_equal(gfp_zring_create(&own, NULL, NULL), GFP_OK);
    for (size_t i = 0; i < 2; i++) {
        gfp_zring_basis b;
        assert_null(gfp_zring_kept(own, counts[i], true));
        assert_int_equal(gfp_zring_take(own, &b, 0, counts[i], true, NULL), GFP_OK);
        assert_true(b.kept);
        assert_ptr_equal(gfp_zring_kept(own, counts[i], true), b.basis);
        assert_null(gfp_zring_kept(own, counts[i], false));
        const gfp_words_basis *first = b.basis;
        gfp_zring_give(&b);
        assert_int_equal(gfp_zring_take(own, &b, 0, counts[i], true, NULL), GFP_OK);
        assert_ptr_equal(b.basis, first);
        gfp_zring_give(&b);
    }
    assert_null(gfp_zring_kept(own, 0, true));
    assert_null(gfp_zring_kept(own, GFP_ZRING_BASES_FEW + 1, true));
    gfp_zring_destroy(own);
}

/* z := the integer next to 0 with this residue, by the function under test and by GMP. */
static void expect_least(const mpz_t residue, const mpz_t modulus, size_t limbs)
{
    uint64_t m[4] = {0}, half[4] = {0}, x[4] = {0}, z[5], expected[5] = {0};
    const size_t width = limbs + 1;
    mpz_t t;
    mpz_init(t);
    mpz_export(m, NULL, -1, sizeof *m, 0, 0, modulus);
    mpz_fdiv_q_2exp(t, modulus, 1);
    mpz_export(half, NULL, -1, sizeof *half, 0, 0, t);
    mpz_export(x, NULL, -1, sizeof *x, 0, 0, residue);
    const bool negative = mpz_cmp(residue, t) > 0;
    mpz_set(t, residue);
    if (negative) {
        mpz_sub(t, t, modulus);
        mpz_fdiv_r_2exp(t, t, 64 * width); /* in two's complement */
    }
    mpz_export(expected, NULL, -1, sizeof *expected, 0, 0, t);
    gfp_zbig_least(z, width, x, m, half, limbs);
    assert_memory_equal(z, expected, width * sizeof *z);
    mpz_clear(t);
}

/* Moduli of one to four limbs, low limbs of ones, of zeros or mixed; residues at both ends and
 * around half of the modulus. */
static void least_integers_at_half_of_the_modulus(void **state)
{
    (void)state;
    for (size_t limbs = 1; limbs <= 4; limbs++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            mpz_t modulus, residue;
            mpz_inits(modulus, residue, NULL);
            mpz_setbit(modulus, 64 * limbs - (kind % 2 == 0 ? 0 : 7));
            mpz_sub_ui(modulus, modulus, kind < 2 ? 59 : 1); /* below a power of two */
            if (kind == 3) {
                mpz_fdiv_q_ui(modulus, modulus, 3);
                mpz_setbit(modulus, 0);
            }
            for (unsigned place = 0; place < 9; place++) {
                mpz_fdiv_q_2exp(residue, modulus, place < 3 ? 1 : 0);
                if (place < 3) {
                    mpz_add_ui(residue, residue, place);
                    mpz_sub_ui(residue, residue, 1);
                } else if (place < 6) {
                    mpz_set_ui(residue, place - 3);
                } else {
                    mpz_sub_ui(residue, residue, place - 5);
                }
                expect_least(residue, modulus, limbs);
            }
            mpz_clears(modulus, residue, NULL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_come_once),
        cmocka_unit_test(few_bits_take_small_primes),
        cmocka_unit_test(a_prime_that_suffices_comes_first),
        cmocka_unit_test(indices_name_primes),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(least_integers_at_half_of_the_modulus),
        cmocka_unit_test(a_prime_comes_once),
        cmocka_unit_test(some_fields_are_kept),
        cmocka_unit_test(bases_for_few_numbers_are_kept),
    };
    return cmocka_run_group_tests(tests, zlab_setup, zlab_teardown);
}
