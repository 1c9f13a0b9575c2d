/* fma_checked.c: the transforms in doubles (fft/words/ntt_fma_vec.h) and the products of leaves
 * over them on checking lanes: results against the definition, and bounds that hold for all inputs
 * in the ranges of fft/words/ntt_fma.h. It runs on every machine; the build compiles it for both
 * widths.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

/* The library has the real ones, at the AVX2 level. */
#define gfp_fma_primes checked_fma_primes
#define gfp_fma_odd_root checked_fma_odd_root
#define gfp_fma_root_make checked_fma_root_make
#define gfp_fma_roots_fill checked_fma_roots_fill
#define gfp_hybrid_fma_constants checked_hybrid_fma_constants
#define gfp_hybrid_fma_roots checked_hybrid_fma_roots
#ifdef GFP_WIDE
#define gfp_fma_forward_8 checked_fma_forward
#define gfp_fma_backward_8 checked_fma_backward
#define gfp_hybrid_fma_base_8 checked_hybrid_fma_base
#define gfp_hybrid_fma_multiply_short_8 checked_hybrid_fma_multiply_short
#else
#define gfp_fma_forward checked_fma_forward
#define gfp_fma_backward checked_fma_backward
#define gfp_hybrid_fma_base checked_hybrid_fma_base
#define gfp_hybrid_fma_multiply_short checked_hybrid_fma_multiply_short
#endif
#include "lab/fma_checked.h"

#include <stdlib.h>

#include "lab/rows.h"

#include "fft/words/ntt_fma_tables_avx2.c"

#include "fft/words/ntt_fma_avx2.c"

#include "crt/hybrid/leaf/fma_tables_avx2.c"

#include "crt/hybrid/leaf/fma_base_avx2.c"

/* Products of at most this many coefficients are compared with the definition. */
#define DEFINED 200
#define LOG2_NODES 13

static uint64_t seed = 3;

/* Products modulo x^m - g, m = 4 odd 2^levels, g that of the node. */
typedef struct stand {
    gfp_fma_context context;
    gfp_fma_prime prime;
    gfp_fma_root *roots, *odd_roots;
    unsigned levels, passed; /* passed: between vectors */
    uint32_t node;
    size_t m;
} stand;

static void *stand_array(size_t count, size_t size)
{
    void *x = aligned_alloc(64, (count * size + 63) / 64 * 64);
    assert_non_null(x);
    return x;
}

static gfp_fma_root *stand_roots(unsigned prime, unsigned odd)
{
    const size_t tables = odd == 1 ? 2 : GFP_FMA_ODD_ROOTS(odd);
    gfp_fma_root *roots = stand_array(tables << LOG2_NODES, sizeof *roots);
    gfp_hybrid_fma_roots((uint64_t *)(void *)roots, prime, odd, LOG2_NODES);
    return roots;
}

static void stand_open(stand *s, unsigned prime, unsigned odd, unsigned levels, uint32_t node)
{
    const size_t nodes = (size_t)1 << LOG2_NODES;
    prime_make(&s->prime, prime);
    s->roots = stand_roots(prime, 1);
    s->odd_roots = stand_roots(prime, odd);
    s->levels = levels;
    s->passed = levels - GFP_FMA_INNER;
    s->node = node;
    s->m = (size_t)4 * odd << levels;
    s->context = (gfp_fma_context){
        .modulus = {s->prime.q, s->prime.inverse, s->roots, s->roots + nodes},
        .prime = &s->prime,
        .odd_roots = s->odd_roots,
        .nodes = nodes,
        .scale = gfp_fma_root_make(1, gfp_fma_primes[prime]),
        .odd = odd,
    };
    fma_q = s->prime.q;
    fma_memory_clear();
}

static void stand_close(stand *s)
{
    free(s->roots);
    free(s->odd_roots);
}

/* x := integers of at most bound q, among them both ends. */
static double *stand_fill(const stand *s, double bound)
{
    double *x = stand_array(s->m, sizeof *x);
    const double most = floor(bound * fma_q);
    for (size_t i = 0; i < s->m; i += GFP_FMA_LANES) {
        fma_lanes v = {.bound = bound};
        for (unsigned j = 0; j < GFP_FMA_LANES; j++) {
            const uint64_t r = gfp_mix64(seed++);
            const double inner = floor((double)(r >> 11) * 0x1p-53 * 2 * most) - most;
            v.v[j] = r % 5 == 0 ? most : r % 5 == 1 ? -most : inner;
        }
        _mm256_store_pd(x + i, v);
    }
    return x;
}

static double *stand_copy(const stand *s, const double *x)
{
    double *z = stand_array(s->m, sizeof *z);
    for (size_t i = 0; i < s->m; i += GFP_FMA_LANES) {
        _mm256_store_pd(z + i, _mm256_load_pd(x + i));
    }
    return z;
}

static void expect_range(const stand *s, const double *x, double bound)
{
    for (size_t i = 0; i < s->m; i += GFP_FMA_LANES) {
        assert_true(_mm256_load_pd(x + i).bound <= bound);
    }
}

static uint64_t residue_of(double x)
{
    const int64_t q = (int64_t)fma_q, rest = (int64_t)x % q;
    return (uint64_t)(rest < 0 ? rest + q : rest);
}

/* c = count a b 2^levels odd. */
static void expect_product(const stand *s, const double *c, const double *a, const double *b,
                           int64_t count)
{
    const uint64_t q = (uint64_t)fma_q;
    const uint64_t scale = residue_of((double)(count * (int64_t)s->context.odd * (1 << s->levels)));
    const uint64_t root = residue_of(s->roots[s->node / 2].value),
                   g = s->node % 2 == 0 ? root : q - root;
    for (size_t i = 0; i < s->m && s->m <= DEFINED; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < s->m; j++) {
            const size_t other = i >= j ? i - j : i + s->m - j;
            const uint64_t t = gfp_mod_mul(residue_of(a[j]), residue_of(b[other]), q);
            sum = (sum + (i >= j ? t : gfp_mod_mul(t, g, q))) % q;
        }
        assert_int_equal(residue_of(c[i]), gfp_mod_mul(sum, scale, q));
    }
}

/* count = 3: a b + a b + a b; count = -1: a b - a b - a b. fa and fb are transforms of a and b. */
static void check_sums(const stand *s, const double *a, const double *b, const double *fa,
                       const double *fb, int64_t count)
{
    const gfp_fma_nodes nodes = {&s->node, 1, s->levels};
    gfp_fma_context context = s->context;
    double *z = stand_copy(s, fa);
    gfp_hybrid_fma_base(&context, z, z, fb, &nodes, false);
    if (count < 0) {
        context.scale = (gfp_fma_root){-context.scale.value, -context.scale.quotient};
    }
    gfp_hybrid_fma_base(&context, z, fa, fb, &nodes, true);
    gfp_hybrid_fma_base(&context, z, fa, fb, &nodes, true);
    expect_range(s, z, 0.8);
    gfp_fma_backward(&context.modulus, z, context.odd, s->passed, s->node);
    expect_product(s, z, a, b, count);
    free(z);
}

static void check_short(const stand *s, const double *a, const double *b)
{
    const gfp_fma_nodes nodes = {&s->node, 1, s->levels};
    for (unsigned square = 0; square < 2; square++) {
        double *c = stand_copy(s, a), *d = square != 0 ? c : stand_copy(s, b);
        gfp_hybrid_fma_multiply_short(&s->context, c, d, &nodes, square == 0);
        expect_range(s, c, 1.25);
        expect_product(s, c, a, square != 0 ? a : b, 1);
        if (square == 0) {
            free(d);
        }
        free(c);
    }
}

static void check_shape(const stand *s)
{
    const size_t width = s->context.odd;
    const gfp_fma_modulus *modulus = &s->context.modulus;
    const gfp_fma_nodes nodes = {&s->node, 1, s->levels};
    double *a = stand_fill(s, 2.83), *b = stand_fill(s, 2.83);
    double *c = stand_copy(s, a), *d = stand_copy(s, b);
    gfp_fma_forward(modulus, c, width, s->passed, s->node);
    gfp_fma_forward(modulus, d, width, s->passed, s->node);
    expect_range(s, c, s->passed == 3 ? 2.83 : 4.15);
    expect_range(s, d, 4.15);
    check_sums(s, a, b, c, d, 3);
    check_sums(s, a, b, c, d, -1);
    gfp_hybrid_fma_base(&s->context, c, c, d, &nodes, false);
    expect_range(s, c, 1.25);
    gfp_fma_backward(modulus, c, width, s->passed, s->node);
    expect_range(s, c, 1.25);
    expect_product(s, c, a, b, 1);
    free(c);
    free(d);
    if (s->context.odd == 1 && s->levels >= 1 && s->levels <= GFP_HYBRID_FMA_SHORT) {
        check_short(s, a, b);
    }
    free(a);
    free(b);
}

/* Passes of one, two and three levels, and several of them. */
static void products_stay_in_range(void **state)
{
    static const unsigned odds[] = {1, 3, 5};
    static const uint32_t nodes[] = {0, 1, 6, 7};
    (void)state;
    for (unsigned prime = 0; prime < GFP_FMA_PRIMES; prime++) {
        for (size_t i = 0; LAB_ROW(odds, i); i++) {
            for (unsigned levels = 1; levels <= 9; levels++) {
                stand s;
                stand_open(&s, prime, odds[i], levels, nodes[(prime + levels) % 4]);
                check_shape(&s);
                stand_close(&s);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
