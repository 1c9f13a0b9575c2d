/* lazy_checked.c: the portable leaves (fft/words/ntt_lazy.c, crt/hybrid/leaf/portable.c) on words
 * with proved bounds, a leaf engine like every other one: the bounds hold for all digits, and the
 * results are those of the real engine.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/lazy_checked.h"

#include <stdlib.h>

#include "field/base/context.h"
#include "crt/hybrid/leaf/engine.h"
#include "lab/rows.h"

/* The library has the real ones. */
static const gfp_leaf_engine *const real_engine = &gfp_leaf_portable;
#define gfp_leaf_portable checked_leaf_portable
#define gfp_lazy_prime checked_lazy_prime
#define gfp_lazy_fill checked_lazy_fill
#define gfp_lazy_forward checked_lazy_forward
#define gfp_lazy_inverse checked_lazy_inverse
extern const gfp_leaf_engine gfp_leaf_portable;
#define memcpy(to, from, size) lazy_copy((to), (from), (size))
#include "fft/words/ntt_lazy.c"

#include "crt/hybrid/leaf/portable.c"
#undef memcpy

static uint64_t seed = 7;

/* Leaves of one shape with an engine. */
typedef struct stand {
    gfp_field *field;
    gfp_hybrid_shape shape;
    gfp_leaves leaves;
    uint64_t *work, *part[3]; /* three transforms */
} stand;

static void *stand_array(size_t words)
{
    uint64_t *x = aligned_alloc(64, (words * sizeof *x + 63) / 64 * 64);
    assert_non_null(x);
    memset(x, 0, words * sizeof *x);
    return x;
}

static void stand_open(stand *s, const gfp_leaf_engine *engine, uint64_t r,
                       const gfp_hybrid_shape *shape, unsigned k)
{
    assert_int_equal(gfp_field_create_raw(&s->field, r, k, NULL, NULL), GFP_OK);
    s->shape = *shape;
    s->shape.outer.field = s->field;
    assert_int_equal(gfp_leaf_prepare(engine, &s->shape), GFP_OK);
    s->work = stand_array(gfp_leaf_work_words(engine, &s->shape));
    for (size_t i = 0; i < 3; i++) {
        s->part[i] = stand_array(gfp_leaf_transform_words(engine, &s->shape, 1));
    }
    s->leaves = (gfp_leaves){engine, &s->shape, 1, 1, s->work};
}

static void stand_close(stand *s)
{
    free(s->work);
    for (size_t i = 0; i < 3; i++) {
        free(s->part[i]);
    }
    gfp_field_destroy(s->field);
}

/* Digits at the ends of what is admitted, 0 and in between. */
static int64_t *stand_digits(size_t n, uint64_t r)
{
    int64_t *x = stand_array(n);
    const uint64_t bound = r / 2 + (r >> 21);
    const int64_t most = bound < INT64_MAX ? (int64_t)bound : INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = gfp_mix64(seed++);
        const int64_t inner = (int64_t)(draw % (2 * (uint64_t)most + 1) - (uint64_t)most);
        x[i] = draw >> 32 & 1 ? most : draw >> 33 & 1 ? -most : draw >> 34 & 1 ? inner : 0;
    }
    return x;
}

/* z := a b, then a b - a b + (a b + a b) in transforms. */
static void compute_all(stand *s, int64_t *z, int64_t *sum, const int64_t *a, const int64_t *b,
                        size_t n)
{
    gfp_leaf_transform(&s->leaves, s->part[0], a);
    gfp_leaf_transform(&s->leaves, s->part[1], b);
    const gfp_leaf_pairs pair = {{s->part[0]}, {s->part[1]}, 1};
    gfp_leaf_accumulate(&s->leaves, s->part[2], &pair, 0);
    gfp_leaf_accumulate(&s->leaves, s->part[2], &pair, -1);
    gfp_leaf_accumulate(&s->leaves, s->part[2], &pair, 1);
    gfp_leaf_add(&s->leaves, s->part[2], s->part[2], s->part[2], false);
    gfp_leaf_add(&s->leaves, s->part[0], s->part[2], s->part[0], true);
    gfp_leaf_restore(&s->leaves, sum, s->part[2], 2 * s->shape.outer.m);
    memcpy(z, a, n * sizeof *z);
    gfp_leaf_multiply(&s->leaves, z, b);
}

static void check_shape(uint64_t r, unsigned k, unsigned odd, unsigned levels, unsigned primes)
{
    const gfp_hybrid_shape shape = {
        .outer = {.log2_size = 1, .leaves = 2, .m = (size_t)8 * odd << levels},
        .odd = odd,
        .primes = primes,
        .group = 1};
    const size_t n = shape.outer.m * k;
    stand checked, real;
    int64_t *a = stand_digits(n, r), *b = stand_digits(n, r);
    int64_t *z[2], *sum[2];
    lazy_memory_clear();
    stand_open(&checked, &gfp_leaf_portable, r, &shape, k);
    stand_open(&real, real_engine, r, &shape, k);
    for (size_t i = 0; i < 2; i++) {
        z[i] = stand_array(n);
        sum[i] = stand_array(n);
        compute_all(i == 0 ? &checked : &real, z[i], sum[i], a, b, n);
    }
    assert_memory_equal(z[0], z[1], n * sizeof *z[0]);
    assert_memory_equal(sum[0], sum[1], n * sizeof *sum[0]);
    memcpy(z[0], a, n * sizeof *a); /* squares */
    memcpy(z[1], a, n * sizeof *a);
    gfp_leaf_multiply(&checked.leaves, z[0], z[0]);
    gfp_leaf_multiply(&real.leaves, z[1], z[1]);
    assert_memory_equal(z[0], z[1], n * sizeof *z[0]);
    for (size_t i = 0; i < 2; i++) {
        free(z[i]);
        free(sum[i]);
    }
    free(a);
    free(b);
    stand_close(&checked);
    stand_close(&real);
}

/* Every k and base; transforms of an odd and an even number of levels, and depth first. */
static void products_stay_in_range(void **state)
{
    static const uint64_t radices[] = {(uint64_t)1 << 32, ((uint64_t)1 << 63) + ((uint64_t)1 << 34),
                                       0 - ((uint64_t)1 << 28)};
    (void)state;
    for (size_t i = 0; LAB_ROW(radices, i); i++) {
        for (unsigned k = 2; k <= GFP_MAX_K; k *= 2) {
            for (unsigned odd = 1; odd <= 5; odd += 2) {
                for (unsigned levels = 0; levels <= (k <= 4 ? 3U : 1U); levels++) {
                    check_shape(radices[i], k, odd, levels, 3);
                }
            }
        }
    }
    check_shape(radices[1], 2, 1, 11, 3);
    check_shape(radices[0], 4, 1, 2, 2);
    check_shape((uint64_t)1 << 20, 4, 3, 1, 1);
}

/* ---- steps at the ends of their contracts ---- */

/* n words of which [0, most] is known. */
static uint64_t *words_below(size_t n, uint64_t most)
{
    uint64_t *x = stand_array(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = gfp_mix64(seed++);
        const uint64_t inner = most == UINT64_MAX ? draw : draw % (most + 1);
        gfp_lazy_store(&x[i], lazy_word(draw % 3 == 0 ? most : inner, 0, most));
    }
    return x;
}

/* Frees the words, which are at most this. */
static void expect_below(uint64_t *x, size_t n, uint64_t most)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(gfp_lazy_load(&x[i]).high <= most);
    }
    free(x);
}

static void transforms_take_what_they_permit(void **state)
{
    enum { NODES = 1 << 13 };
    gfp_shoup *w = stand_array(4 * NODES), *inverse = w + NODES;
    (void)state;
    for (unsigned prime = 0; prime < GFP_LAZY_PRIMES; prime++) {
        const uint64_t q = gfp_lazy_prime(prime);
        const gfp_lazy lazy = {q, gfp_mont_negative_inverse(q), w, inverse};
        gfp_lazy_fill(w, inverse, prime, NODES);
        for (unsigned levels = 1; levels <= 12; levels++) {
            const size_t n = (size_t)4 << levels;
            lazy_memory_clear();
            uint64_t *x = words_below(n, 40 * q);
            gfp_lazy_forward(&lazy, x, n, 1, 4);
            expect_below(x, n, (40 + 2 * levels) * q);
            x = words_below(n, GFP_LAZY_INVERSE_BOUND * q - 1);
            gfp_lazy_inverse(&lazy, x, n, 1, 4);
            expect_below(x, n, GFP_LAZY_INVERSE_BOUND * q - 1);
        }
    }
    free(w);
}

static void products_take_what_they_permit(void **state)
{
    static const size_t bases[] = {4, 5, 6, 8, 10, 12};
    (void)state;
    for (unsigned prime = 0; prime < GFP_LAZY_PRIMES; prime++) {
        const uint64_t q = gfp_lazy_prime(prime);
        const gfp_lazy lazy = {q, gfp_mont_negative_inverse(q), NULL, NULL};
        for (size_t i = 0; LAB_ROW(bases, i); i++) {
            const size_t n = bases[i];
            for (unsigned negative = 0; negative < 2; negative++) {
                lazy_memory_clear();
                uint64_t *a = words_below(n, 74 * q), *b = words_below(n, UINT64_MAX);
                base_product(n, a, b, gfp_shoup_make(q - 2, q), negative != 0, &lazy);
                expect_below(a, n, GFP_LAZY_INVERSE_BOUND * q - 1);
                free(b);
                a = words_below(n, UINT64_MAX);
                b = words_below(n, UINT64_MAX);
                add_channel(a, a, b, n, negative != 0, q);
                expect_below(a, n, 2 * q - 1);
                free(b);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_stay_in_range),
        cmocka_unit_test(transforms_take_what_they_permit),
        cmocka_unit_test(products_take_what_they_permit),
    };
    return cmocka_run_group_tests_name("lazy_checked", tests, NULL, NULL);
}
