/* native.c: the native multimodular product: its primes and constants, projection, transforms
 * and CRT of every engine against GMP, the edges of the bound, blocks, failing allocations,
 * threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "lab/meter.h"
#include "crt/small/native_product.h"
#include "field/base/parallel.h"
#include "lab/row.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "crt/small/short.h"

static const gfp_native_engine *const engines[] = {
    &gfp_native_portable,
#if GFP_X86_LEVELS
    &gfp_native_avx512,
#endif
};
#define ENGINES (sizeof engines / sizeof engines[0])

static bool native_usable(const gfp_native_engine *engine, const lab *l)
{
    const gfp_native_radix radix = gfp_native_radix_of(l->field);
    return gfp_cpu_has(engine->level) && engine->serves(&radix);
}

/* An array on a line of 64 bytes. */
static uint64_t *native_lines(size_t words)
{
    uint64_t *x = aligned_alloc(64, (words + 8) / 8 * 64);
    assert_non_null(x);
    return x;
}

static uint64_t mpz_mod_word(const mpz_t z, uint64_t q)
{
    return mpz_fdiv_ui(z, (unsigned long)q);
}

/* ---- primes ---- */

static bool is_prime(uint64_t q)
{
    mpz_t z;
    mpz_init(z);
    oracle_set_u64(z, q);
    const bool prime = mpz_probab_prime_p(z, 20) != 0;
    mpz_clear(z);
    return prime;
}

static void primes_are_such_as_the_bounds_need(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const gfp_native_tables *t = gfp_native_tables_get(lab_fields[f].field);
        assert_non_null(t);
        assert_true(t->count <= GFP_NATIVE_MAX_PRIMES && t->log2_order >= 14);
        assert_true(t->log2_order >= gfp_native_least_order(lab_fields[f].field));
        for (size_t i = 0; i < t->count; i++) {
            const uint64_t q = t->primes[i].prime.q;
            assert_true(is_prime(q));
            assert_true(q < (uint64_t)1 << 48 && q > ((uint64_t)1 << 48) - ((uint64_t)1 << 31));
            assert_true(i == 0 || q < t->primes[i - 1].prime.q);
            assert_int_equal((q - 1) % ((uint64_t)1 << t->log2_order), 0);
            assert_true(gfp_mod_mul(t->primes[i].turn[0].w, t->primes[i].turn[0].w, q) == q - 1);
        }
    }
}

/* Those of crt/small/short.h: the greatest below 2^48 with the roots of unity, none left out. */
static void short_primes_are_the_greatest(void **state)
{
    const uint64_t step = (uint64_t)1 << GFP_NTT48_LOG2_ORDER;
    uint64_t q = ((uint64_t)1 << GFP_NATIVE_BITS) + 1;
    gfp_short_primes *primes = malloc(sizeof *primes);
    (void)state;
    assert_non_null(primes);
    gfp_short_primes_fill(primes, &gfp_native_portable);
    for (size_t i = 0; i < GFP_SHORT_PRIMES; i++) {
        do {
            q -= step;
        } while (!is_prime(q));
        assert_true(primes->prime[i].prime.q == q);
    }
    free(primes);
}

/* z := the product of the first count primes. */
static void product_of_primes(mpz_t z, const gfp_native_tables *t, size_t count)
{
    mpz_set_ui(z, 1);
    for (size_t i = 0; i < count; i++) {
        mpz_mul_ui(z, z, (unsigned long)t->primes[i].prime.q);
    }
}

static void primes_exceed_four_times_the_bound(void **state)
{
    (void)state;
    static const size_t terms[] = {1, 2, 3, 4, 5, 1000, 1 << 20, ((size_t)1 << 47) + 1};
    mpz_t bound, product;
    mpz_inits(bound, product, NULL);
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const gfp_native_tables *t = gfp_native_tables_get(l->field);
        for (size_t i = 0; LAB_ROW(terms, i); i++) {
            const size_t count = gfp_native_count(l->field, terms[i]);
            assert_true(count == t->count || count + 1 == t->count);
            mpz_mul(bound, l->o.special, l->o.special);
            mpz_mul_ui(bound, bound, 4 * terms[i]);
            product_of_primes(product, t, count);
            assert_true(mpz_cmp(product, bound) > 0);
            product_of_primes(product, t, count > 2 ? count - 2 : 0);
            assert_true(mpz_cmp(product, bound) < 0);
        }
    }
    mpz_clears(bound, product, NULL);
}

/* ---- projection ---- */

static void check_projection(const lab *l, const gfp_native_engine *engine, size_t len)
{
    const gfp_native_tables *t = gfp_native_tables_get(l->field);
    const size_t n = (len + 7) / 8 * 8 + 8, step = n + 8;
    uint64_t *x = lab_vector(l, len, 0);
    uint64_t *z = native_lines(GFP_NATIVE_BATCH * step);
    uint64_t *work = native_lines(engine->crt_words(l->k, t->count));
    for (size_t first = 0; first < t->count; first += GFP_NATIVE_BATCH) {
        const size_t left = t->count - first;
        const size_t count = left < GFP_NATIVE_BATCH ? left : GFP_NATIVE_BATCH;
        engine->project(t, first, count, &(gfp_native_factor){z, x, len}, step, n, work);
        for (size_t j = 0; j < count; j++) {
            const uint64_t q = t->primes[first + j].prime.q;
            for (size_t i = 0; i < n; i++) {
                const uint64_t residue = z[j * step + i];
                const uint64_t expected = i < len ? mpz_mod_word(l->values[i % l->count], q) : 0;
                assert_int_equal(residue % q, expected);
                /* What the transforms take. */
                assert_true(engine->level == GFP_LEVEL_PORTABLE
                                ? residue < q
                                : residue >= 3 * q && residue / 122 < q / 10);
            }
        }
    }
    free(work);
    free(z);
    lab_free(x);
}

static void projection_is_reduction(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (size_t e = 0; e < ENGINES; e++) {
            if (native_usable(engines[e], l)) {
                check_projection(l, engines[e], 1);
                check_projection(l, engines[e], l->count < 24 ? l->count : 24);
                check_projection(l, engines[e], l->count);
            }
        }
    }
}

/* ---- transforms ---- */

/* c := a b modulo X^n - 1 and q: the product itself where it is that short. */
static void native_convolve(uint64_t *c, const uint64_t *a, const uint64_t *b, size_t n, uint64_t q)
{
    memset(c, 0, n * sizeof *c);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            uint64_t *z = &c[(i + j) % n];
            *z = (*z + gfp_mod_mul(a[i], b[j], q)) % q;
        }
    }
}

/* Residues 0, q - 1, random ones; in the engine's range. */
static uint64_t residue_of(size_t kind, uint64_t q, uint64_t *seed)
{
    const uint64_t x = oracle_random(seed);
    return kind == 0 ? x % q : kind == 1 ? q - 1 : kind == 2 ? (x % 2) * (q - 1) : x % 3;
}

static void check_transform(const gfp_native_tables *t, const gfp_native_engine *engine, size_t i,
                            gfp_native_size size, size_t kind)
{
    const size_t n = gfp_native_points(size), len = size.three ? (n + 1) / 2 : n;
    const uint64_t q = t->primes[i].prime.q;
    const uint64_t lift = engine->level == GFP_LEVEL_PORTABLE ? 0 : 3 * q;
    uint64_t seed = 17 * n + kind;
    uint64_t *a = native_lines(n), *b = native_lines(n), *expected = native_lines(n),
             *square = native_lines(n);
    uint64_t *roots = native_lines(engine->root_words(size.log2_n));
    const uint64_t left =
        gfp_mod_mul(gfp_mod_pow(2, gfp_native_halvings(engine, size), q),
                    gfp_mod_pow(gfp_mod_pow(2, engine->log2_montgomery, q), q - 2, q), q);
    for (size_t j = 0; j < n; j++) {
        a[j] = j < len ? residue_of(kind, q, &seed) : 0;
        b[j] = j < len ? residue_of(kind, q, &seed) : 0;
    }
    native_convolve(expected, a, b, n, q);
    native_convolve(square, a, a, n, q);
    uint64_t *x = native_lines(n);
    for (size_t j = 0; j < n; j++) {
        a[j] += lift;
        b[j] += lift;
        x[j] = a[j];
    }
    engine->roots(&t->primes[i], size.log2_n, roots);
    engine->multiply(&t->primes[i], roots, a, b, size);
    engine->multiply(&t->primes[i], roots, x, x, size);
    for (size_t j = 0; j < n; j++) {
        a[j] &= GFP_NATIVE_PIECE_MASK;
        x[j] &= GFP_NATIVE_PIECE_MASK;
        assert_true(a[j] < 2 * q && x[j] < 2 * q);
        assert_int_equal(a[j] % q, gfp_mod_mul(expected[j], left, q));
        assert_int_equal(x[j] % q, gfp_mod_mul(square[j], left, q));
    }
    free(x);
    free(roots);
    free(square);
    free(expected);
    free(b);
    free(a);
}

/* Arrays of a check of steps. */
enum { A, B, D, AB, AA, BB, SUM, MIXED, LIFTED, FUSED, ARRAYS };

/* Sums and products of transforms: a b + b b - (a + b) a + d and (a + b)^2, which are b b - a a + d
 * and a a + 2 a b + b b; and a b at once. */
static void run_steps(const gfp_native_prime *prime, const gfp_native_engine *engine,
                      uint64_t *const *x, const uint64_t *roots, gfp_native_size size)
{
    const unsigned all = GFP_NATIVE_FORWARD | GFP_NATIVE_MULTIPLY | GFP_NATIVE_INVERSE;
    const size_t n = gfp_native_points(size);
    memcpy(x[FUSED], x[A], n * sizeof *x[A]);
    engine->steps(prime, roots, x[A], NULL, size, GFP_NATIVE_FORWARD);
    engine->steps(prime, roots, x[B], NULL, size, GFP_NATIVE_FORWARD);
    engine->steps(prime, roots, x[D], NULL, size, GFP_NATIVE_FORWARD);
    engine->steps(prime, roots, x[FUSED], x[B], size, all);
    engine->add(prime, x[SUM], x[A], x[B], n, false);
    engine->accumulate(prime, roots, x[MIXED], x[A], x[B], size, 0);
    engine->accumulate(prime, roots, x[MIXED], x[B], x[B], size, 1);
    engine->accumulate(prime, roots, x[MIXED], x[SUM], x[A], size, -1);
    engine->add(prime, x[LIFTED], x[D], x[D], n, false);
    engine->add(prime, x[LIFTED], x[LIFTED], x[D], n, true);
    engine->lift(prime, x[LIFTED], x[LIFTED], n);
    engine->add(prime, x[MIXED], x[MIXED], x[LIFTED], n, false);
    engine->accumulate(prime, roots, x[SUM], x[SUM], x[SUM], size, 0);
    engine->steps(prime, roots, x[MIXED], NULL, size, GFP_NATIVE_INVERSE);
    engine->steps(prime, roots, x[SUM], NULL, size, GFP_NATIVE_INVERSE);
}

static void check_steps(const gfp_native_tables *t, const gfp_native_engine *engine, size_t i,
                        gfp_native_size size, size_t kind)
{
    const size_t n = gfp_native_points(size), len = size.three ? (n + 1) / 2 : n;
    const uint64_t q = t->primes[i].prime.q;
    const uint64_t lift = engine->level == GFP_LEVEL_PORTABLE ? 0 : 3 * q;
    uint64_t seed = 23 * n + kind;
    uint64_t *x[ARRAYS], *roots = native_lines(engine->root_words(size.log2_n)),
                         *d = native_lines(n);
    const uint64_t left =
        gfp_mod_mul(gfp_mod_pow(2, gfp_native_halvings(engine, size), q),
                    gfp_mod_pow(gfp_mod_pow(2, engine->log2_montgomery, q), q - 2, q), q);
    for (size_t j = 0; j < ARRAYS; j++) {
        x[j] = native_lines(n);
    }
    for (size_t j = 0; j < n; j++) {
        x[A][j] = j < len ? residue_of(kind, q, &seed) : 0;
        x[B][j] = j < len ? residue_of(kind, q, &seed) : 0;
        d[j] = x[D][j] = residue_of(kind, q, &seed);
    }
    native_convolve(x[AB], x[A], x[B], n, q);
    native_convolve(x[AA], x[A], x[A], n, q);
    native_convolve(x[BB], x[B], x[B], n, q);
    for (size_t j = 0; j < n; j++) {
        x[A][j] += lift;
        x[B][j] += lift;
        x[D][j] += lift;
    }
    engine->roots(&t->primes[i], size.log2_n, roots);
    run_steps(&t->primes[i], engine, x, roots, size);
    for (size_t j = 0; j < n; j++) {
        const uint64_t ab = x[AB][j], aa = x[AA][j], bb = x[BB][j];
        const uint64_t mixed = (bb + q - aa + d[j]) % q, square = (aa + 2 * ab + bb) % q;
        assert_int_equal((x[FUSED][j] & GFP_NATIVE_PIECE_MASK) % q, gfp_mod_mul(ab, left, q));
        assert_int_equal((x[MIXED][j] & GFP_NATIVE_PIECE_MASK) % q, gfp_mod_mul(mixed, left, q));
        assert_int_equal((x[SUM][j] & GFP_NATIVE_PIECE_MASK) % q, gfp_mod_mul(square, left, q));
    }
    for (size_t j = 0; j < ARRAYS; j++) {
        free(x[j]);
    }
    free(roots);
    free(d);
}

static void transforms_multiply(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f += 5) {
        const gfp_native_tables *t = gfp_native_tables_get(lab_fields[f].field);
        for (size_t e = 0; e < ENGINES; e++) {
            if (!gfp_cpu_has(engines[e]->level)) {
                continue;
            }
            for (unsigned log2_n = engines[e]->least_log2_n; log2_n <= (EMULATED ? 8 : 10);
                 log2_n++) {
                const bool divisible = log2_n >= engines[e]->least_log2_n + 2;
                for (size_t kind = 0; kind < 8; kind++) {
                    const gfp_native_size size = {log2_n, divisible && kind >= 4};
                    check_transform(t, engines[e], 0, size, kind % 4);
                    check_transform(t, engines[e], t->count - 1, size, kind % 4);
                    check_steps(t, engines[e], kind % t->count, size, kind % 4);
                }
            }
        }
    }
}

#if GFP_X86_LEVELS
/* The vector kernels make the same roots as the scalar code, companions too. */
static void vector_roots_are_exact(void **state)
{
    (void)state;
    const unsigned log2_n = 14;
    const gfp_native_engine *engine = &gfp_native_avx512;
    if (!gfp_cpu_has(engine->level)) {
        skip();
    }
    const gfp_native_tables *t = gfp_native_tables_get(lab_fields[0].field);
    uint64_t *words = native_lines(engine->root_words(log2_n));
    const gfp_ntt48_root *table = (const gfp_ntt48_root *)(const void *)words;
    const size_t count = (size_t)1 << (log2_n - 4);
    for (size_t i = 0; i < t->count; i++) {
        const uint64_t q = t->primes[i].prime.q;
        engine->roots(&t->primes[i], log2_n, words);
        for (size_t b = 0; b < count; b++) {
            uint64_t w = 1;
            for (unsigned bit = 0; bit < log2_n - 4; bit++) {
                w = (b >> bit & 1) == 0 ? w : gfp_mod_mul(w, t->primes[i].turn[bit].w, q);
            }
            const gfp_ntt48_root root = gfp_ntt48_root_of(w, q);
            assert_int_equal(table[b].w, root.w);
            assert_int_equal(table[b].companion, root.companion);
            assert_int_equal(gfp_mod_mul(table[b].w, table[count + b].w, q), 1);
        }
    }
    free(words);
}
#endif

/* ---- CRT ---- */

/* Coefficients to recombine: the ends of [0, M / 4) and of the bound, multiples of p and their
 * neighbours, random ones. */
#define VALUES 45

static void value_of(mpz_t z, const lab *l, const mpz_t product, size_t i, uint64_t *seed)
{
    const uint64_t x = oracle_random(seed);
    mpz_t bound;
    mpz_init(bound);
    mpz_fdiv_q_ui(bound, product, 4);
    mpz_mul(z, l->o.special, l->o.special);
    if (i < 8) {
        mpz_mul_ui(z, z, i);
    } else if (i < 12) {
        mpz_sub_ui(z, bound, i - 7);
    } else if (i < 16) {
        mpz_set_ui(z, i - 12);
    } else if (i < 24) { /* k p - 1, k p, k p + 1, and so on */
        mpz_mul_ui(z, l->o.p, x >> 40);
        mpz_add_ui(z, z, i - 16);
        mpz_sub_ui(z, z, mpz_cmp_ui(z, 4) > 0 ? 4 : 0);
    } else if (i < 32) { /* samples, and r^k, and what they carry into */
        mpz_mul_ui(z, l->o.p, x >> 44);
        mpz_add(z, z, l->values[x % l->count]);
    } else { /* about x / 2^64 of the range */
        oracle_set_u64(z, x);
        mpz_mul(z, z, bound);
        mpz_fdiv_q_2exp(z, z, 64);
    }
    if (mpz_cmp(z, bound) >= 0) {
        mpz_sub_ui(z, bound, 1);
    }
    mpz_clear(bound);
}

static void check_recombination(const lab *l, const gfp_native_engine *engine, size_t count,
                                size_t n)
{
    gfp_native_tables *t = gfp_native_tables_get(l->field);
    const gfp_native_set *set = gfp_native_set_get(t, count);
    const size_t step = (VALUES + 15) / 16 * 16;
    uint64_t seed = count + n;
    uint64_t *x = native_lines(count * step), *work = native_lines(engine->crt_words(l->k, count));
    uint64_t *z = lab_array(n * l->k);
    gfp_ntt48_root *scale = malloc(count * sizeof *scale);
    mpz_t *values = oracle_vec_new(n);
    mpz_t product;
    mpz_init(product);
    product_of_primes(product, t, count);
    for (size_t i = 0; i < n; i++) {
        value_of(values[i], l, product, i, &seed);
    }
    for (size_t j = 0; j < count; j++) {
        const uint64_t q = t->primes[j].prime.q;
        scale[j] = gfp_ntt48_root_of(set->scale[j], q);
        for (size_t i = 0; i < step; i++) { /* below 2 q */
            x[j * step + i] = i < n ? mpz_mod_word(values[i], q) + (i + j) % 2 * q : UINT64_MAX;
        }
    }
    engine->recombine(t, set, scale, z, x, step, n, work);
    for (size_t i = 0; i < n; i++) {
        mpz_mod(values[i], values[i], l->o.p);
        lab_expect(l, z + i * l->k, values[i], "recombined", i, count);
    }
    mpz_clear(product);
    oracle_vec_free(values, n);
    free(scale);
    lab_free(z);
    free(work);
    free(x);
}

static void recombination_is_crt(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const gfp_native_tables *t = gfp_native_tables_get(l->field);
        for (size_t e = 0; e < ENGINES; e++) {
            if (native_usable(engines[e], l)) {
                check_recombination(l, engines[e], t->count, VALUES);
                check_recombination(l, engines[e], t->count - 1, 3);
                check_recombination(l, engines[e], t->count - 1, 24);
            }
        }
    }
}

/* ---- products ---- */

/* By transforms of at most 2^(limit + least_log2_n) points. */
static gfp_status multiply_within(const gfp_range *range, unsigned limit, uint64_t *c,
                                  gfp_task *task)
{
    const gfp_limits limits = {.threads = gfp_task_threads(task)};
    gfp_native_product p;
    gfp_needs needs;
    assert_true(gfp_native_product_plan(&p, &needs, range, &limits, limit));
    assert_int_equal(gfp_native_product_prepare(&p, &needs, range), GFP_OK);
    uint64_t *area = lab_array(needs.words + 7); /* 8 bytes past a line */
    const gfp_status status = gfp_native_product_run(&p, range, c, area + 7, task);
    lab_free(area);
    return status;
}

/* Short transforms: products in blocks of both factors; every remainder of lengths by blocks. */
static void check_blocks(const lab *l, unsigned limit, size_t len_a, size_t len_b)
{
    const size_t n = len_a + len_b - 1;
    uint64_t *a = lab_vector(l, len_a, 3), *b = lab_vector(l, len_b, 11);
    uint64_t *c = lab_array(n * l->k);
    const gfp_range range = row_range(l->field, a, len_a, b, len_b);
    mpz_t *x = oracle_vec_new(len_a), *y = oracle_vec_new(len_b), *z = oracle_vec_new(n);
    oracle_vec_get(&l->o, x, a, len_a);
    oracle_vec_get(&l->o, y, b, len_b);
    oracle_poly_mul(&l->o, z, x, len_a, y, len_b);
    assert_int_equal(multiply_within(&range, limit, c, NULL), GFP_OK);
    for (size_t i = 0; i < n; i++) {
        lab_expect(l, c + i * l->k, z[i], "block", i, limit);
    }
    for (unsigned threads = 2; threads <= 3; threads++) {
        gfp_task task;
        gfp_task_start(&task, NULL);
        task.threads = threads;
        gfp_task_part(&task, 1);
        memset(c, 0x77, n * l->k * sizeof *c);
        assert_int_equal(multiply_within(&range, limit, c, &task), GFP_OK);
        for (size_t i = 0; i < n; i++) {
            lab_expect(l, c + i * l->k, z[i], "block by threads", i, threads);
        }
    }
    oracle_vec_free(z, n);
    oracle_vec_free(y, len_b);
    oracle_vec_free(x, len_a);
    lab_free(c);
    lab_free(b);
    lab_free(a);
}

static void products_in_blocks(void **state)
{
    (void)state;
    static const size_t lens[] = {1, 2, 5, 8, 9, 31, 40};
    for (size_t f = 0; lab_field_row(f); f++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0] && lab_fields[f].k <= 16; i++) {
            for (size_t j = 0; j < sizeof lens / sizeof lens[0]; j += EMULATED ? 3 : 1) {
                for (unsigned limit = 1; limit <= 3; limit++) {
                    check_blocks(&lab_fields[f], limit, lens[i], lens[j]);
                }
            }
        }
    }
}

/* All coefficients r^k: the greatest sums. */
static void products_reach_the_bound(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const size_t len = 20, n = 2 * len - 1;
        uint64_t *a = lab_array(len * l->k), *c = lab_array(n * l->k);
        memset(a, 0, len * l->k * sizeof *a);
        for (size_t i = 0; i < len; i++) {
            a[i * l->k + l->k - 1] = l->o.r;
        }
        assert_int_equal(row_square("crt", l->field, c, a, len, NULL), GFP_OK);
        mpz_t z;
        mpz_init(z);
        for (size_t i = 0; i < n; i++) { /* (-1)^2 for each term */
            mpz_set_ui(z, i < len ? i + 1 : n - i);
            mpz_mod(z, z, l->o.p);
            lab_expect(l, c + i * l->k, z, "bound", i, len);
        }
        mpz_clear(z);
        lab_free(c);
        lab_free(a);
    }
}

static void absurd_lengths_are_refused(void **state)
{
    (void)state;
    const gfp_field *field = lab_fields[0].field;
    const gfp_limits limits = {.threads = 1};
    const gfp_range too_long = {.field = field, .len_a = SIZE_MAX, .len_b = 2, .end = 1};
    const gfp_range absurd = {
        .field = field, .len_a = SIZE_MAX / 2, .len_b = SIZE_MAX / 2, .end = SIZE_MAX - 2};
    const gfp_range thousand = {.field = field, .len_a = 1000, .len_b = 1000, .end = 1999};
    const gfp_method *crt = gfp_method_find("crt");
    gfp_plan plan, other;
    assert_false(gfp_plan_make(&plan, crt, &too_long, &limits));
    /* In blocks: more than a thousand coefficients take, but no more than the longest transforms.
     */
    assert_true(gfp_plan_make(&plan, crt, &absurd, &limits));
    assert_true(gfp_plan_make(&other, crt, &thousand, &limits));
    assert_true(plan.bytes > other.bytes && plan.bytes < SIZE_MAX / 2);
}

/* ---- memory ---- */

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        const gfp_level before = gfp_cpu_level_get();
        gfp_status status = GFP_ERR_MEMORY;
        for (size_t left = 0; status != GFP_OK && gfp_cpu_level_force(level); left++) {
            meter m = {.fail_at = SIZE_MAX, .lasting = true};
            const gfp_allocator allocator = meter_hook(&m);
            gfp_field *field = NULL;
            assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
            uint64_t a[8 * 100] = {1, 2, 3}, c[8 * 199];
            meter_fail_at(&m, left);
            status = row_square("crt", field, c, a, 100, NULL);
            assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
            assert_true(left > 5 || status == GFP_ERR_MEMORY);
            /* Again, with memory. */
            m.fail_at = SIZE_MAX;
            assert_int_equal(row_square("crt", field, c, a, 100, NULL), GFP_OK);
            assert_true(c[0] == 1 && c[1] == 4 && c[2] == 10);
            gfp_field_destroy(field);
            meter_expect_empty(&m);
        }
        assert_true(gfp_cpu_level_force(before));
    }
}

/* ---- threads ---- */

#define THREADS 4
#define THREAD_LENGTH 40

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

typedef struct worker {
    pthread_t id;
    const gfp_field *field;
    bool good;
} worker;

/* (1 + X + ... )^2. */
static void *native_square(void *argument)
{
    worker *w = argument;
    uint64_t a[2 * THREAD_LENGTH] = {0}, c[4 * THREAD_LENGTH];
    pthread_mutex_lock(&gate); /* until all threads have started */
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < THREAD_LENGTH; i++) {
        a[2 * i] = 1;
    }
    w->good = row_square("crt", w->field, c, a, THREAD_LENGTH, NULL) == GFP_OK;
    for (size_t i = 0; i < THREAD_LENGTH && w->good; i++) {
        w->good = c[2 * i] == i + 1 && c[2 * i + 1] == 0;
    }
    return NULL;
}

/* Threads that make a field's first products at once. */
static void first_products_of_several_threads(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        worker workers[THREADS];
        gfp_field *field = lab_create("p2");
        pthread_mutex_lock(&gate);
        for (size_t i = 0; i < THREADS; i++) {
            workers[i] = (worker){.field = field};
            assert_int_equal(pthread_create(&workers[i].id, NULL, native_square, &workers[i]), 0);
        }
        pthread_mutex_unlock(&gate);
        for (size_t i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(workers[i].id, NULL), 0);
            assert_true(workers[i].good);
        }
        gfp_field_destroy(field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_are_such_as_the_bounds_need),
        cmocka_unit_test(short_primes_are_the_greatest),
        cmocka_unit_test(primes_exceed_four_times_the_bound),
        cmocka_unit_test(projection_is_reduction),
        cmocka_unit_test(transforms_multiply),
#if GFP_X86_LEVELS
        cmocka_unit_test(vector_roots_are_exact),
#endif
        cmocka_unit_test(recombination_is_crt),
        cmocka_unit_test(products_in_blocks),
        cmocka_unit_test(products_reach_the_bound),
        cmocka_unit_test(absurd_lengths_are_refused),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(first_products_of_several_threads),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
