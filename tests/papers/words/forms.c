/* forms.c: the papers' transforms modulo word-size primes on the CPU, at every kernel level:
 * against the definition, and each form against the others; products by constants.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "crt/blocks/remainders.h"
#include "field/base/word.h"
#include "fft/words/primes.h"
#include "papers/words/forms.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t *words_of(size_t n)
{
    uint64_t *x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
    assert_non_null(x);
    return x;
}

enum { INPUT_RANDOM, INPUT_ZERO, INPUT_GREATEST, INPUT_ALTERNATING, INPUT_LONE, INPUTS };

static uint64_t input_at(size_t i, size_t n, uint64_t q, int input, uint64_t random)
{
    switch (input) {
    case INPUT_RANDOM:
        return random % q;
    case INPUT_GREATEST:
        return q - 1;
    case INPUT_ALTERNATING:
        return i % 2 * (q - 1);
    case INPUT_LONE:
        return i == n / 3 ? q - 1 : 0;
    default:
        return 0;
    }
}

/* The value of x, n coefficients a stride apart, at root^place. */
static uint64_t value_at(const uint64_t *x, size_t n, size_t stride, uint64_t root, size_t place,
                         uint64_t q)
{
    const uint64_t at = gfp_mod_pow(root, place, q);
    uint64_t value = 0;
    for (size_t j = n; j-- > 0;) {
        value = (gfp_mod_mul(value, at, q) + x[j * stride]) % q;
    }
    return value;
}

/* All places of a short transform, some of a long one. */
static size_t step_between(size_t n)
{
    return n <= 64 ? 1 : n / 5;
}

static void check_block(const gfp_forms *forms, const gfp_words *block, unsigned log2_n,
                        gfp_ntt_form form, int input)
{
    const size_t n = (size_t)1 << log2_n, words = n * GFP_WORDS;
    uint64_t *table = words_of(GFP_WORDS * gfp_forms_entries(log2_n, form));
    uint64_t *x = words_of(words), *y = words_of(words), *work = words_of(words);
    uint64_t seed = log2_n;
    for (size_t i = 0; i < words; i++) {
        x[i] = input_at(i / GFP_WORDS, n, block->q[i % GFP_WORDS], input, oracle_random(&seed));
    }
    memcpy(y, x, words * sizeof *x);
    forms->powers(block, table, log2_n, form);
    forms->transform(block, table, y, work, log2_n, form);
    for (size_t place = 0; place < n; place += step_between(n)) {
        for (size_t l = 0; l < GFP_WORDS; l++) {
            const uint64_t q = block->q[l];
            const uint64_t root =
                gfp_mod_pow(block->root[l], (uint64_t)1 << (GFP_WORDS_LOG2_ORDER - log2_n), q);
            if (y[place * GFP_WORDS + l] != value_at(x + l, n, GFP_WORDS, root, place, q)) {
                fail_msg("%s, %s, 2^%u points, input %d: value %zu modulo prime %zu",
                         gfp_cpu_level_name(forms->level), gfp_ntt_form_name(form), log2_n, input,
                         place, l);
            }
        }
    }
    free(table);
    free(x);
    free(y);
    free(work);
}

/* Runs body with the kernels of each level of this machine. */
static void at_every_level(void (*body)(const gfp_forms *forms))
{
    const gfp_level before = gfp_cpu_level_get();
    for (int level = 0; level < GFP_LEVEL_COUNT; level++) {
        if (gfp_cpu_level_force((gfp_level)level)) {
            const gfp_forms *forms = gfp_forms_get((gfp_level)level);
            assert_int_equal(forms->level, level);
            body(forms);
        }
    }
    assert_true(gfp_cpu_level_force(before));
}

static void transform_blocks(const gfp_forms *forms)
{
    static const gfp_ntt_form all[] = {GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED,
                                       GFP_NTT_STOCKHAM};
    gfp_words_supply *supply;
    assert_int_equal(gfp_words_supply_create(&supply, NULL), GFP_OK);
    for (size_t index = 0; index < 2; index++) {
        const gfp_words *block;
        assert_int_equal(gfp_words_supply_block(supply, 100 * index, &block), GFP_OK);
        for (unsigned log2_n = 1; log2_n <= 11; log2_n += log2_n < 6 ? 1 : 5) {
            for (size_t i = 0; i < COUNT(all) * INPUTS; i++) {
                check_block(forms, block, log2_n, all[i / INPUTS], (int)(i % INPUTS));
            }
        }
    }
    gfp_words_supply_destroy(supply);
}

static void transforms_modulo_blocks(void **state)
{
    (void)state;
    at_every_level(transform_blocks);
}

/* ---- one prime ---- */

static uint64_t prime_under(unsigned bits, unsigned log2_n)
{
    uint64_t q = 0;
    assert_int_equal(gfp_word_prime_below(&q, (uint64_t)1 << bits, log2_n), GFP_OK);
    return q;
}

static void check_half(const gfp_forms *forms, uint64_t q, unsigned log2_n, int input)
{
    const gfp_half half = gfp_half_of((uint32_t)q);
    const size_t n = (size_t)1 << log2_n;
    const uint64_t root = gfp_word_root_of_unity(q, log2_n);
    uint32_t *y = calloc(n, sizeof *y), *work = calloc(n, sizeof *work);
    uint32_t *powers = calloc(n, sizeof *powers);
    uint64_t *x = words_of(n), seed = q;
    assert_true(y != NULL && work != NULL && powers != NULL);
    for (size_t i = 0; i < n; i++) {
        x[i] = input_at(i, n, q, input, oracle_random(&seed));
        y[i] = (uint32_t)x[i];
    }
    gfp_half_powers(powers, (uint32_t)q, log2_n);
    forms->transform_half(&half, powers, y, work, log2_n);
    for (size_t place = 0; place < n; place += step_between(n)) {
        assert_int_equal(y[place], value_at(x, n, 1, root, place, q));
    }
    free(x);
    free(y);
    free(work);
    free(powers);
}

static void transform_halves(const gfp_forms *forms)
{
    static const uint64_t tiny[] = {3, 5, 17, 257, 65537};
    for (size_t i = 0; i < COUNT(tiny) * INPUTS; i++) {
        const uint64_t q = tiny[i / INPUTS];
        for (unsigned log2_n = 1; log2_n <= 8 && (q - 1) >> log2_n << log2_n == q - 1; log2_n++) {
            check_half(forms, q, log2_n, (int)(i % INPUTS));
        }
    }
    for (unsigned log2_n = 1; log2_n <= 12; log2_n++) {
        check_half(forms, prime_under(30, log2_n), log2_n, (int)log2_n % INPUTS);
        check_half(forms, prime_under(29, log2_n), log2_n, INPUT_RANDOM);
    }
}

static void transforms_modulo_one_prime(void **state)
{
    (void)state;
    at_every_level(transform_halves);
}

/* Products one above or below a multiple of the prime, where the quotient in double is nearly an
 * integer, by both products; the rest of a vector; in place. */
static void scale_at_limits(const gfp_forms *forms)
{
    const uint64_t primes[] = {3, 65537, prime_under(29, 4), prime_under(30, 12)};
    for (size_t i = 0; i < COUNT(primes); i++) {
        const uint64_t q = primes[i];
        const gfp_half half = gfp_half_of((uint32_t)q);
        uint64_t seed = q;
        for (size_t round = 0; round < 64; round++) {
            const uint64_t c =
                round < 4 ? (q - 1 - round % q) % q : 1 + oracle_random(&seed) % (q - 1);
            const uint64_t inverse = c != 0 ? gfp_mod_pow(c, q - 2, q) : 0;
            uint32_t x[37], y[37];
            for (size_t j = 0; j < COUNT(x); j++) {
                const uint64_t values[] = {inverse, (q - inverse) % q,       2 * inverse % q, q - 1,
                                           0,       oracle_random(&seed) % q};
                x[j] = (uint32_t)values[j % COUNT(values)];
            }
            for (int product = GFP_HALF_MONTGOMERY; product <= GFP_HALF_DOUBLE_QUOTIENT;
                 product++) {
                forms->scale(&half, y, x, COUNT(x), (uint32_t)c, (gfp_half_product)product);
                for (size_t j = 0; j < COUNT(x); j++) {
                    assert_int_equal(y[j], x[j] * c % q);
                }
            }
            memcpy(y, x, sizeof x);
            forms->scale(&half, y, y, COUNT(x), (uint32_t)c, GFP_HALF_DOUBLE_QUOTIENT);
            assert_int_equal(y[36], x[36] * c % q);
        }
    }
}

static void products_by_constants(void **state)
{
    (void)state;
    at_every_level(scale_at_limits);
}

static void names_of_forms(void **state)
{
    (void)state;
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_BLOCKED), "blocked");
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_COOLEY_TUKEY), "cooley-tukey");
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_COOLEY_TUKEY_TABULATED),
                        "cooley-tukey-tabulated");
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_STOCKHAM), "stockham");
    assert_string_equal(gfp_ntt_form_name((gfp_ntt_form)9), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_modulo_blocks),
        cmocka_unit_test(transforms_modulo_one_prime),
        cmocka_unit_test(products_by_constants),
        cmocka_unit_test(names_of_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
