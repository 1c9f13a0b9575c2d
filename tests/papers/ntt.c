/* ntt.c: transforms over word-size primes: every form, modular product and kernel level
 * against the definition and against a plain loop of radix 2, on random and extreme residues, for
 * primes at both sides of every limit.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/cpu.h"
#include "field/primes/factor.h"
#include "gfpoly.h"
#include "gfpoly/ntt.h"
#include "lab/fixtures.h"
#include "lab/meter.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- slow twins ---- */

static uint64_t mod_add(uint64_t a, uint64_t b, uint64_t q)
{
    return a >= q - b ? a - (q - b) : a + b;
}

static size_t reversed(size_t x, unsigned bits)
{
    size_t y = 0;
    for (unsigned i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
}

/* The definition: O(n^2). */
static void dft_by_definition(uint64_t *y, const uint64_t *x, size_t n, uint64_t w, uint64_t q)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t step = gfp_mod_pow(w, i, q);
        uint64_t power = 1;
        y[i] = 0;
        for (size_t j = 0; j < n; j++) {
            y[i] = mod_add(y[i], gfp_mod_mul(x[j], power, q), q);
            power = gfp_mod_mul(power, step, q);
        }
    }
}

/* Bit reversal, then levels of butterflies. */
static void dft_by_loop(uint64_t *y, const uint64_t *x, size_t n, uint64_t w, uint64_t q)
{
    const unsigned bits = gfp_ctz64(n);
    for (size_t i = 0; i < n; i++) {
        y[reversed(i, bits)] = x[i];
    }
    for (size_t h = 1; h < n; h *= 2) {
        const uint64_t step = gfp_mod_pow(w, n / (2 * h), q);
        uint64_t power = 1;
        for (size_t i = 0; i < h; i++) {
            for (size_t at = i; at < n; at += 2 * h) {
                const uint64_t t = gfp_mod_mul(y[at + h], power, q);
                y[at + h] = gfp_mod_sub(y[at], t, q);
                y[at] = mod_add(y[at], t, q);
            }
            power = gfp_mod_mul(power, step, q);
        }
    }
}

static void convolve_by_definition(uint64_t *c, const uint64_t *a, const uint64_t *b, size_t n,
                                   uint64_t q, bool negacyclic)
{
    memset(c, 0, n * sizeof *c);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const uint64_t t = gfp_mod_mul(a[i], b[j], q);
            const size_t at = (i + j) % n;
            c[at] = i + j >= n && negacyclic ? gfp_mod_sub(c[at], t, q) : mod_add(c[at], t, q);
        }
    }
}

/* ---- inputs ---- */

enum {
    INPUT_RANDOM,
    INPUT_ZERO,
    INPUT_ONE,
    INPUT_GREATEST,
    INPUT_HALF,
    INPUT_ALTERNATING,
    INPUT_LONE,
    INPUT_LAST,
    INPUT_ENDS,
    INPUTS
};

static void fill_input(uint64_t *x, size_t n, uint64_t q, int input, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = oracle_random(&seed);
        switch (input) {
        case INPUT_RANDOM:
            x[i] = random % q;
            break;
        case INPUT_ONE:
            x[i] = 1;
            break;
        case INPUT_GREATEST:
            x[i] = q - 1;
            break;
        case INPUT_HALF:
            x[i] = q / 2;
            break;
        case INPUT_ALTERNATING:
            x[i] = i % 2 == 0 ? 0 : q - 1;
            break;
        case INPUT_LONE:
            x[i] = i == n / 3 ? q - 1 : 0;
            break;
        case INPUT_LAST:
            x[i] = i == n - 1 ? 1 : 0;
            break;
        case INPUT_ENDS: /* near the ends of the range */
            x[i] = random & 1 ? (random >> 1) % 3 % q : q - 1 - (random >> 1) % 3 % q;
            break;
        default:
            x[i] = 0;
        }
    }
}

/* ---- plans of every kind ---- */

static const gfp_ntt_form forms[] = {GFP_NTT_FORM_AUTO, GFP_NTT_COOLEY_TUKEY,
                                     GFP_NTT_COOLEY_TUKEY_TABULATED, GFP_NTT_STOCKHAM,
                                     GFP_NTT_BLOCKED};
static const gfp_ntt_product products[] = {GFP_NTT_PRODUCT_AUTO, GFP_NTT_SHOUP, GFP_NTT_MONTGOMERY,
                                           GFP_NTT_DOUBLE_QUOTIENT};

typedef void (*plan_check)(const gfp_ntt_plan *plan, void *context);

/* Runs check on a plan of every level, form and product that q admits. */
static void for_every_plan(uint64_t q, size_t n, plan_check check, void *context)
{
    const gfp_level level = gfp_cpu_level_get();
    for (int l = 0; l < GFP_LEVEL_COUNT; l++) {
        if (!gfp_cpu_level_force((gfp_level)l)) {
            continue;
        }
        for (size_t form = 0; form < COUNT(forms); form++) {
            for (size_t product = 0; product < COUNT(products); product++) {
                const gfp_ntt_options options = {forms[form], products[product]};
                gfp_ntt_plan *plan;
                if (options.product == GFP_NTT_DOUBLE_QUOTIENT && q >> 30 != 0) {
                    continue;
                }
                assert_int_equal(gfp_ntt_plan_create(&plan, q, n, &options, NULL, NULL), GFP_OK);
                check(plan, context);
                gfp_ntt_plan_destroy(plan);
            }
        }
    }
    assert_true(gfp_cpu_level_force(level));
}

static void expect_equal(const gfp_ntt_plan *plan, const uint64_t *x, const uint64_t *expected,
                         const char *what, int input)
{
    const size_t n = gfp_ntt_plan_length(plan);
    for (size_t i = 0; i < n; i++) {
        if (x[i] != expected[i]) {
            fail_msg("q = %llu, N = %zu, %s, %s, %s: %s, input %d: at %zu %llu is not %llu",
                     (unsigned long long)gfp_ntt_plan_modulus(plan), n,
                     gfp_ntt_form_name(gfp_ntt_plan_form(plan)),
                     gfp_ntt_product_name(gfp_ntt_plan_product(plan)), gfp_ntt_plan_kernels(plan),
                     what, input, i, (unsigned long long)x[i], (unsigned long long)expected[i]);
        }
    }
}

/* ---- transforms ---- */

/* An input with its transform in both orders. */
typedef struct sample {
    int input;
    uint64_t *x, *natural, *permuted;
} sample;

typedef struct samples {
    sample items[INPUTS];
    size_t count;
} samples;

static void samples_make(samples *s, uint64_t q, size_t n, uint64_t w, size_t count)
{
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        sample *item = &s->items[i];
        item->input = (int)i;
        item->x = lab_array(n);
        item->natural = lab_array(n);
        item->permuted = lab_array(n);
        fill_input(item->x, n, q, item->input, q ^ n);
        dft_by_loop(item->natural, item->x, n, w, q);
        if (n <= 32) {
            uint64_t twin[32];
            dft_by_definition(twin, item->x, n, w, q);
            assert_memory_equal(twin, item->natural, n * sizeof *twin);
        }
        for (size_t j = 0; j < n; j++) {
            item->permuted[reversed(j, gfp_ctz64(n))] = item->natural[j];
        }
    }
}

static void samples_free(samples *s)
{
    for (size_t i = 0; i < s->count; i++) {
        lab_free(s->items[i].x);
        lab_free(s->items[i].natural);
        lab_free(s->items[i].permuted);
    }
}

static void check_sample(const gfp_ntt_plan *plan, const sample *s, gfp_order order, bool in_place,
                         uint64_t *y, void *work)
{
    const size_t bytes = gfp_ntt_plan_length(plan) * sizeof *y;
    const uint64_t *image = order == GFP_ORDER_NATURAL ? s->natural : s->permuted;
    const uint64_t *from = s->x;
    if (in_place) {
        memcpy(y, s->x, bytes);
        from = y;
    }
    assert_int_equal(gfp_ntt_forward(plan, y, from, order, work, NULL), GFP_OK);
    expect_equal(plan, y, image, order == GFP_ORDER_NATURAL ? "forward" : "forward permuted",
                 s->input);
    from = image;
    if (in_place) {
        from = y;
    } else {
        memset(y, 0xa5, bytes);
    }
    assert_int_equal(gfp_ntt_inverse(plan, y, from, order, work, NULL), GFP_OK);
    expect_equal(plan, y, s->x, order == GFP_ORDER_NATURAL ? "inverse" : "inverse permuted",
                 s->input);
}

static void check_transforms(const gfp_ntt_plan *plan, void *context)
{
    const samples *s = context;
    const size_t n = gfp_ntt_plan_length(plan);
    uint64_t *y = lab_array(n);
    uint64_t *work = lab_array(gfp_ntt_workspace(plan) / sizeof *work);
    for (size_t i = 0; i < s->count; i++) {
        /* In place with our work area, out of place with the call's own. */
        check_sample(plan, &s->items[i], GFP_ORDER_NATURAL, true, y, work);
        check_sample(plan, &s->items[i], GFP_ORDER_PERMUTED, false, y, NULL);
        if (i == 0) {
            check_sample(plan, &s->items[i], GFP_ORDER_NATURAL, false, y, NULL);
            check_sample(plan, &s->items[i], GFP_ORDER_PERMUTED, true, y, work);
        }
    }
    lab_free(y);
    lab_free(work);
}

static uint64_t root_for(uint64_t q, size_t n)
{
    gfp_ntt_plan *plan;
    assert_int_equal(gfp_ntt_plan_create(&plan, q, n, NULL, NULL, NULL), GFP_OK);
    const uint64_t w = gfp_ntt_plan_root(plan);
    gfp_ntt_plan_destroy(plan);
    /* Of order n. */
    assert_int_equal(gfp_mod_pow(w, n, q), 1 % q);
    assert_true(n == 1 || gfp_mod_pow(w, n / 2, q) == q - 1);
    return w;
}

static void transform_length(uint64_t q, size_t n, size_t count)
{
    samples s;
    samples_make(&s, q, n, root_for(q, n), count);
    for_every_plan(q, n, check_transforms, &s);
    samples_free(&s);
}

/* The greatest and the least prime of 2^log2_n | q - 1 on the two sides of 2^bits. */
static uint64_t prime_under(unsigned bits, unsigned log2_n)
{
    uint64_t q = 0;
    assert_int_equal(gfp_word_prime_below(&q, (uint64_t)1 << bits, log2_n), GFP_OK);
    return q;
}

static uint64_t prime_over(unsigned bits, unsigned log2_n)
{
    uint64_t q = ((uint64_t)1 << bits) + 1;
    while (!gfp_word_is_prime(q)) {
        q += (uint64_t)1 << log2_n;
    }
    return q;
}

static void tiny_primes(void **state)
{
    static const uint64_t primes[] = {3, 5, 17, 97, 193, 257, 7681, 12289, 65537};
    (void)state;
    for (size_t i = 0; i < COUNT(primes); i++) {
        for (size_t n = 1; (primes[i] - 1) % n == 0 && n <= 4096; n *= 2) {
            transform_length(primes[i], n, n <= 256 ? INPUTS : 2);
        }
    }
}

static void primes_at_the_limits(void **state)
{
    static const unsigned under[] = {20, 29, 30, 31, 32, 47, 48, 49, 50, 51, 52, 53, 60, 61, 62};
    (void)state;
    for (size_t i = 0; i < COUNT(under); i++) {
        const unsigned bits = under[i];
        const uint64_t q = prime_under(bits, 13);
        for (size_t n = 1; n <= 1024; n *= 2) {
            transform_length(q, n, n <= 128 ? INPUTS : 4);
        }
        if (bits < 62) {
            const uint64_t over = prime_over(bits, 12);
            for (size_t n = 8; n <= 512; n *= 4) {
                transform_length(over, n, n <= 128 ? INPUTS : 4);
            }
        }
    }
}

static void long_transforms(void **state)
{
    static const unsigned bits[] = {30, 31, 48, 50, 62};
    (void)state;
    for (size_t i = 0; i < COUNT(bits); i++) {
        const uint64_t q = prime_under(bits[i], 17);
        for (size_t n = 2048; n <= 16384; n *= 2) {
            transform_length(q, n, 4);
        }
    }
    transform_length(prime_under(50, 17), 65536, 1);
    transform_length(prime_under(30, 17), 131072, 1);
}

/* ---- products ---- */

typedef struct operands {
    uint64_t *a, *b, *pointwise, *cyclic, *negacyclic, *square;
} operands;

static void check_products(const gfp_ntt_plan *plan, void *context)
{
    const operands *o = context;
    const size_t n = gfp_ntt_plan_length(plan);
    uint64_t *c = lab_array(n);
    uint64_t *work = lab_array(gfp_ntt_convolution_workspace(plan) / sizeof *work);
    gfp_ntt_mul_pointwise(plan, c, o->a, o->b);
    expect_equal(plan, c, o->pointwise, "pointwise", 0);
    assert_int_equal(gfp_ntt_convolve_cyclic(plan, c, o->a, o->b, work, NULL), GFP_OK);
    expect_equal(plan, c, o->cyclic, "cyclic", 0);
    memcpy(c, o->a, n * sizeof *c);
    assert_int_equal(gfp_ntt_convolve_cyclic(plan, c, c, o->b, NULL, NULL), GFP_OK);
    expect_equal(plan, c, o->cyclic, "cyclic in place of a", 0);
    memcpy(c, o->a, n * sizeof *c);
    assert_int_equal(gfp_ntt_convolve_cyclic(plan, c, c, c, NULL, NULL), GFP_OK);
    expect_equal(plan, c, o->square, "square in place", 0);
    memcpy(c, o->b, n * sizeof *c);
    if ((gfp_ntt_plan_modulus(plan) - 1) % (2 * n) == 0) {
        assert_int_equal(gfp_ntt_convolve_negacyclic(plan, c, o->a, c, work, NULL), GFP_OK);
        expect_equal(plan, c, o->negacyclic, "negacyclic in place of b", 0);
        assert_int_equal(gfp_ntt_convolve_negacyclic(plan, c, o->a, o->b, NULL, NULL), GFP_OK);
        expect_equal(plan, c, o->negacyclic, "negacyclic", 0);
    } else {
        assert_int_equal(gfp_ntt_convolve_negacyclic(plan, c, o->a, c, work, NULL),
                         GFP_ERR_NO_ROOT);
        expect_equal(plan, c, o->b, "refused", 0);
    }
    lab_free(c);
    lab_free(work);
}

static void products_for(uint64_t q, size_t n, int input_a, int input_b)
{
    operands o = {lab_array(n), lab_array(n), lab_array(n),
                  lab_array(n), lab_array(n), lab_array(n)};
    fill_input(o.a, n, q, input_a, 1);
    fill_input(o.b, n, q, input_b, 2);
    for (size_t i = 0; i < n; i++) {
        o.pointwise[i] = gfp_mod_mul(o.a[i], o.b[i], q);
    }
    convolve_by_definition(o.cyclic, o.a, o.b, n, q, false);
    convolve_by_definition(o.negacyclic, o.a, o.b, n, q, true);
    convolve_by_definition(o.square, o.a, o.a, n, q, false);
    for_every_plan(q, n, check_products, &o);
    lab_free(o.a);
    lab_free(o.b);
    lab_free(o.pointwise);
    lab_free(o.cyclic);
    lab_free(o.negacyclic);
    lab_free(o.square);
}

static void convolutions(void **state)
{
    static const unsigned bits[] = {30, 31, 48, 50, 51, 62};
    (void)state;
    for (size_t n = 1; n <= 16; n *= 2) {
        products_for(17, n, INPUT_RANDOM, INPUT_RANDOM);
    }
    products_for(3, 2, INPUT_GREATEST, INPUT_GREATEST);
    products_for(257, 128, INPUT_GREATEST, INPUT_RANDOM);
    products_for(257, 256, INPUT_GREATEST, INPUT_GREATEST);
    for (size_t i = 0; i < COUNT(bits); i++) {
        const uint64_t q = prime_under(bits[i], 13);
        for (size_t n = 1; n <= 128; n *= 2) {
            products_for(q, n, INPUT_RANDOM, INPUT_RANDOM);
            products_for(q, n, INPUT_GREATEST, INPUT_GREATEST);
            products_for(q, n, INPUT_ENDS, INPUT_ALTERNATING);
        }
        products_for(q, 512, INPUT_RANDOM, INPUT_ENDS);
    }
}

/* ---- the double quotient near its limit ---- */

/* Products one above or below a multiple of the greatest prime below 2^30, where the quotient in
 * double is nearly an integer; and the prime above the limit is refused. */
static void double_quotient_limit(void **state)
{
    const gfp_ntt_options options = {GFP_NTT_FORM_AUTO, GFP_NTT_DOUBLE_QUOTIENT};
    gfp_error error;
    gfp_ntt_plan *plan = NULL;
    (void)state;
    lab_expect_status(gfp_ntt_plan_create(&plan, prime_over(30, 12), 64, &options, NULL, &error),
                      GFP_ERR_ARGUMENT, &error, "double quotient above its limit");
    assert_null(plan);
    /* Pairs with x y = q m - 1 or q m + 1: the quotient in double is nearly an integer. */
    const uint64_t q = prime_under(30, 12);
    uint64_t x[4096];
    uint64_t y[4096];
    uint64_t z[4096];
    uint64_t seed = 3;
    for (size_t i = 0; i < 4096; i++) {
        x[i] = i < 2048 ? q - 1 - i : 1 + oracle_random(&seed) % (q - 1);
        y[i] = gfp_mod_pow(x[i], q - 2, q);
        y[i] = i % 3 == 0 ? q - y[i] : i % 3 == 1 ? y[i] : mod_add(y[i], y[i], q);
    }
    const gfp_level level = gfp_cpu_level_get();
    for (int l = 0; l < GFP_LEVEL_COUNT; l++) {
        if (gfp_cpu_level_force((gfp_level)l)) {
            assert_int_equal(gfp_ntt_plan_create(&plan, q, 4096, &options, NULL, NULL), GFP_OK);
            gfp_ntt_mul_pointwise(plan, z, x, y);
            for (size_t i = 0; i < 4096; i++) {
                assert_int_equal(z[i], i % 3 == 0 ? q - 1 : i % 3 == 1 ? 1 : 2);
            }
            gfp_ntt_plan_destroy(plan);
        }
    }
    assert_true(gfp_cpu_level_force(level));
}

/* ---- errors, allocation, threads, primes ---- */

static void expect_refused(uint64_t q, size_t n, gfp_ntt_options options, gfp_status expected,
                           const char *what)
{
    gfp_error error;
    gfp_ntt_plan *plan = NULL;
    lab_expect_status(gfp_ntt_plan_create(&plan, q, n, &options, NULL, &error), expected, &error,
                      what);
    assert_null(plan);
    assert_int_equal(gfp_ntt_plan_create(&plan, q, n, &options, NULL, NULL), expected);
}

static void refused_arguments(void **state)
{
    const gfp_ntt_options automatic = {GFP_NTT_FORM_AUTO, GFP_NTT_PRODUCT_AUTO};
    const gfp_ntt_options no_form = {(gfp_ntt_form)5, GFP_NTT_PRODUCT_AUTO};
    const gfp_ntt_options no_product = {GFP_NTT_FORM_AUTO, (gfp_ntt_product)4};
    (void)state;
    expect_refused(0, 1, automatic, GFP_ERR_ARGUMENT, "q = 0");
    expect_refused(1, 1, automatic, GFP_ERR_ARGUMENT, "q = 1");
    expect_refused(2, 1, automatic, GFP_ERR_ARGUMENT, "q = 2");
    expect_refused(15, 2, automatic, GFP_ERR_ARGUMENT, "q = 15");
    expect_refused(((uint64_t)1 << 62) + 1, 2, automatic, GFP_ERR_ARGUMENT, "q > 2^62");
    expect_refused(UINT64_C(4611686018427388039), 2, automatic, GFP_ERR_ARGUMENT, "prime > 2^62");
    expect_refused(17, 0, automatic, GFP_ERR_ARGUMENT, "N = 0");
    expect_refused(17, 12, automatic, GFP_ERR_ARGUMENT, "N = 12");
    expect_refused(17, 32, automatic, GFP_ERR_NO_ROOT, "N = 32 modulo 17");
    expect_refused(17, 16, no_form, GFP_ERR_ARGUMENT, "no such form");
    expect_refused(17, 16, no_product, GFP_ERR_ARGUMENT, "no such product");
    gfp_ntt_plan_destroy(NULL);
}

static void names_and_queries(void **state)
{
    gfp_ntt_plan *plan;
    (void)state;
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_FORM_AUTO), "auto");
    assert_string_equal(gfp_ntt_form_name(GFP_NTT_STOCKHAM), "stockham");
    assert_string_equal(gfp_ntt_form_name((gfp_ntt_form)9), "unknown");
    assert_string_equal(gfp_ntt_product_name(GFP_NTT_PRODUCT_AUTO), "auto");
    assert_string_equal(gfp_ntt_product_name(GFP_NTT_DOUBLE_QUOTIENT), "double-quotient");
    assert_string_equal(gfp_ntt_product_name((gfp_ntt_product)9), "unknown");
    assert_int_equal(gfp_ntt_plan_create(&plan, 257, 64, NULL, NULL, NULL), GFP_OK);
    assert_int_equal(gfp_ntt_plan_length(plan), 64);
    assert_int_equal(gfp_ntt_plan_modulus(plan), 257);
    assert_int_equal(gfp_ntt_plan_root(plan), gfp_mod_pow(3, 4, 257));
    assert_int_not_equal(gfp_ntt_plan_form(plan), GFP_NTT_FORM_AUTO);
    assert_int_not_equal(gfp_ntt_plan_product(plan), GFP_NTT_PRODUCT_AUTO);
    assert_true(gfp_ntt_plan_bytes(plan) > 64 * sizeof(uint64_t));
    assert_string_equal(gfp_ntt_plan_kernels(plan), gfp_cpu_level_name(gfp_cpu_level_get()));
    gfp_ntt_plan_destroy(plan);
}

static void failing_allocations(void **state)
{
    meter m = {.lasting = true};
    const gfp_allocator allocator = meter_hook(&m);
    const gfp_ntt_options options = {GFP_NTT_STOCKHAM, GFP_NTT_PRODUCT_AUTO};
    uint64_t x[64] = {5, 7};
    uint64_t y[64] = {9};
    gfp_ntt_plan *plan = NULL;
    gfp_error error;
    (void)state;
    for (size_t left = 0; left < 2; left++) {
        meter_fail_at(&m, left);
        lab_expect_status(gfp_ntt_plan_create(&plan, 257, 64, &options, &allocator, &error),
                          GFP_ERR_MEMORY, &error, "plan without memory");
        assert_null(plan);
        meter_expect_empty(&m);
    }
    meter_fail_at(&m, 2);
    assert_int_equal(gfp_ntt_plan_create(&plan, 257, 64, &options, &allocator, NULL), GFP_OK);
    assert_int_equal(m.bytes, gfp_ntt_plan_bytes(plan));
    assert_int_equal(gfp_ntt_forward(plan, y, x, GFP_ORDER_NATURAL, NULL, NULL), GFP_ERR_MEMORY);
    assert_int_equal(gfp_ntt_inverse(plan, y, x, GFP_ORDER_NATURAL, NULL, NULL), GFP_ERR_MEMORY);
    assert_int_equal(gfp_ntt_convolve_cyclic(plan, y, x, x, NULL, NULL), GFP_ERR_MEMORY);
    assert_int_equal(gfp_ntt_convolve_negacyclic(plan, y, x, x, NULL, NULL), GFP_ERR_MEMORY);
    assert_int_equal(y[0], 9);
    meter_fail_at(&m, 1);
    assert_int_equal(gfp_ntt_forward(plan, y, x, GFP_ORDER_NATURAL, NULL, NULL), GFP_OK);
    assert_int_equal(m.bytes, gfp_ntt_plan_bytes(plan));
    gfp_ntt_plan_destroy(plan);
    meter_expect_empty(&m);
}

typedef struct worker {
    const gfp_ntt_plan *plan;
    uint64_t seed;
    bool ok;
} worker;

static void *work_on(void *argument)
{
    worker *w = argument;
    const size_t n = gfp_ntt_plan_length(w->plan);
    uint64_t *x = malloc(n * sizeof *x);
    uint64_t *y = malloc(n * sizeof *y);
    w->ok = x != NULL && y != NULL;
    for (int round = 0; round < 50 && w->ok; round++) {
        fill_input(x, n, gfp_ntt_plan_modulus(w->plan), INPUT_RANDOM, w->seed);
        w->ok = gfp_ntt_forward(w->plan, y, x, GFP_ORDER_NATURAL, NULL, NULL) == GFP_OK &&
                gfp_ntt_inverse(w->plan, y, y, GFP_ORDER_NATURAL, NULL, NULL) == GFP_OK &&
                memcmp(x, y, n * sizeof *x) == 0;
    }
    free(x);
    free(y);
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    gfp_ntt_plan *plan;
    pthread_t threads[4];
    worker workers[4];
    (void)state;
    assert_int_equal(gfp_ntt_plan_create(&plan, prime_under(50, 13), 2048, NULL, NULL, NULL),
                     GFP_OK);
    for (size_t i = 0; i < 4; i++) {
        workers[i] = (worker){plan, i + 1, false};
        assert_int_equal(pthread_create(&threads[i], NULL, work_on, &workers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(workers[i].ok);
    }
    gfp_ntt_plan_destroy(plan);
}

/* The supply against trial division, and the counts of 31-bit primes in the literature. */
static void supply_of_primes(void **state)
{
    uint64_t q = 9;
    (void)state;
    assert_int_equal(gfp_word_prime_below(&q, ((uint64_t)1 << 62) + 1, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_word_prime_below(&q, 100, 62), GFP_ERR_ARGUMENT);
    for (unsigned below = 0; below <= 3; below++) {
        assert_int_equal(gfp_word_prime_below(&q, below, 0), GFP_DONE);
    }
    assert_int_equal(gfp_word_prime_below(&q, 17, 4), GFP_DONE);
    assert_int_equal(q, 9);
    for (unsigned log2_n = 0; log2_n <= 5; log2_n++) {
        uint64_t below = 3000;
        for (uint64_t c = below - 1; c >= 3; c--) {
            bool prime = c % 2 == 1 && (c - 1) % ((uint64_t)1 << log2_n) == 0;
            for (uint64_t d = 3; d * d <= c && prime; d += 2) {
                prime = c % d != 0;
            }
            if (prime) {
                assert_int_equal(gfp_word_prime_below(&below, below, log2_n), GFP_OK);
                assert_int_equal(below, c);
            }
        }
        assert_int_equal(gfp_word_prime_below(&below, below, log2_n), GFP_DONE);
    }
    static const unsigned expected[][2] = {{20, 202}, {23, 19}, {24, 10},
                                           {25, 7},   {26, 3},  {27, 1}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        unsigned count = 0;
        for (q = (uint64_t)1 << 31; gfp_word_prime_below(&q, q, expected[i][0]) == GFP_OK;) {
            count++;
        }
        assert_int_equal(count, expected[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_primes),           cmocka_unit_test(primes_at_the_limits),
        cmocka_unit_test(long_transforms),       cmocka_unit_test(convolutions),
        cmocka_unit_test(double_quotient_limit), cmocka_unit_test(refused_arguments),
        cmocka_unit_test(names_and_queries),     cmocka_unit_test(failing_allocations),
        cmocka_unit_test(threads_share_a_plan),  cmocka_unit_test(supply_of_primes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
