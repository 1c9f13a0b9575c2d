/* ifma_checked.c: the products in Z_q[x]/(x^m - g) by IFMA on checking lanes: results against the
 * definition, and intervals that hold for all inputs in the ranges of fft/words/ntt_ifma.h. It runs
 * on every machine.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/ifma_checked.h"

#include <stdlib.h>
#include <string.h>

#include "lab/rows.h"

/* The library has the real ones. */
#define gfp_ntt_ifma_multiply checked_ifma_multiply
#define gfp_ntt_ifma_steps checked_ifma_steps
#define gfp_ntt_ifma_accumulate checked_ifma_accumulate
#define gfp_ntt_ifma_add checked_ifma_add
#include "fft/words/ntt_ifma_avx512.c"

/* Leaves are the nodes of this depth, or the root alone. */
#define DEPTH 2
/* Products of at most this many coefficients are compared with the definition. */
#define DEFINED 200

static uint64_t seed = 3;

/* A product: m coefficients in m / 8 vectors for each leaf. */
typedef struct stand {
    gfp_ntt_ifma ntt;
    size_t leaves, m, vectors; /* of all leaves */
    uint32_t nodes[1 << DEPTH];
    uint64_t q;
    gfp_ntt48_root *forward, *inverse, *odd_roots, dft[GFP_NTT48_DFT_ROOTS];
} stand;

static void *stand_array(size_t count, size_t size)
{
    void *x = calloc(count, size);
    assert_non_null(x);
    return x;
}

static void stand_open(stand *s, unsigned prime, unsigned odd, unsigned log2_blocks, bool several)
{
    const unsigned depth = several ? DEPTH : 0, log2_count = depth + log2_blocks + 1;
    const gfp_ntt48_prime *p = &gfp_ntt48_primes[prime];
    uint64_t inverse_q = 1;
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < 6; i++) {
        inverse_q *= 2 - p->q * inverse_q;
    }
    s->q = p->q;
    s->leaves = (size_t)1 << depth;
    s->m = (size_t)8 * odd << log2_blocks;
    s->vectors = s->leaves * s->m / 8;
    s->forward = stand_array((size_t)1 << log2_count, sizeof *s->forward);
    s->inverse = stand_array((size_t)1 << log2_count, sizeof *s->inverse);
    gfp_ntt48_roots_fill(s->forward, s->inverse, p, log2_count);
    if (odd > 1) {
        s->odd_roots =
            stand_array(((size_t)GFP_NTT48_ODD_ROOTS(odd)) << log2_count, sizeof *s->odd_roots);
        gfp_ntt48_odd_roots_fill(s->odd_roots, p, odd, log2_count);
        gfp_ntt48_dft_roots_fill(s->dft, p, odd);
    }
    for (uint32_t i = 0; i < s->leaves; i++) {
        s->nodes[i] = i;
    }
    s->ntt = (gfp_ntt_ifma){
        .prime = p,
        .inverse_q = inverse_q & (uint64_t)(LANES_RADIX - 1),
        .forward = s->forward,
        .inverse = s->inverse,
        .odd_roots = s->odd_roots,
        .dft_roots = s->dft,
        .odd = odd,
        .log2_blocks = log2_blocks,
    };
}

static void stand_close(stand *s)
{
    free(s->forward);
    free(s->inverse);
    free(s->odd_roots);
}

/* Integers in [3 q, 12.2 q], among them both ends. */
static ifma_lanes *stand_fill(const stand *s)
{
    const uint64_t least = 3 * s->q, most = 122 * s->q / 10;
    ifma_lanes *x = stand_array(s->vectors, sizeof *x);
    for (size_t i = 0; i < 8 * s->vectors; i++) {
        const uint64_t r = gfp_mix64(seed++);
        x[i / 8].w[i % 8] = r % 5 == 0 ? least : r % 5 == 1 ? most : least + r % (most - least + 1);
        x[i / 8].low = least;
        x[i / 8].high = most;
    }
    return x;
}

static ifma_lanes *stand_copy(const stand *s, const ifma_lanes *x)
{
    ifma_lanes *z = stand_array(s->vectors, sizeof *z);
    memcpy(z, x, s->vectors * sizeof *z);
    return z;
}

/* The residue of a coefficient. */
static uint64_t residue_of(const stand *s, const ifma_lanes *x, size_t i)
{
    return (x[i / 8].w[i % 8] & (uint64_t)(LANES_RADIX - 1)) % s->q;
}

/* All lanes are in [0, most]. */
static void expect_range(const stand *s, const ifma_lanes *x, gfp_i128 most)
{
    for (size_t i = 0; i < s->vectors; i++) {
        assert_true(x[i].low >= 0 && x[i].high <= most);
    }
}

/* c = a b 2^log2_blocks odd / 2^52, c in [0, 2 q). */
static void expect_product(const stand *s, const ifma_lanes *c, const ifma_lanes *a,
                           const ifma_lanes *b)
{
    const uint64_t q = s->q;
    uint64_t scale = (uint64_t)s->ntt.odd << s->ntt.log2_blocks;
    expect_range(s, c, 2 * (gfp_i128)q - 1);
    for (unsigned i = 0; i < 52; i++) { /* halves */
        scale = scale % 2 == 0 ? scale / 2 : (scale + q) / 2;
    }
    for (size_t leaf = 0; leaf < s->leaves && s->m <= DEFINED; leaf++) {
        const uint64_t w = s->forward[leaf / 2].w, g = leaf % 2 == 0 ? w : q - w;
        for (size_t i = 0; i < s->m; i++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < s->m; j++) {
                const size_t at = leaf * s->m, other = i >= j ? i - j : i + s->m - j;
                uint64_t t = gfp_mod_mul(residue_of(s, a, at + j), residue_of(s, b, at + other), q);
                t = i >= j ? t : gfp_mod_mul(t, g, q);
                sum = (sum + t) % q;
            }
            assert_int_equal(residue_of(s, c, leaf * s->m + i), gfp_mod_mul(sum, scale, q));
        }
    }
}

/* z := z + sign c d, `count` times in one sum. */
static void stand_accumulate(const stand *s, ifma_lanes *z, const ifma_lanes *c,
                             const ifma_lanes *d, size_t count, int sign)
{
    gfp_ifma_pairs p = {.count = count};
    for (size_t i = 0; i < count; i++) {
        p.x[i] = i % 2 == 0 ? c : d;
        p.y[i] = i % 2 == 0 ? d : c;
    }
    gfp_ntt_ifma_accumulate(&s->ntt, z, &p, s->leaves, s->nodes, sign);
}

static void check_shape(const stand *s)
{
    const gfp_i128 most = 122 * (gfp_i128)s->q / 10;
    ifma_lanes *a = stand_fill(s), *b = stand_fill(s);
    ifma_lanes *c = stand_copy(s, a), *d = stand_copy(s, b);
    gfp_ntt_ifma_multiply(&s->ntt, c, d, s->leaves, s->nodes);
    expect_product(s, c, a, b);
    memcpy(c, a, s->vectors * sizeof *c);
    gfp_ntt_ifma_multiply(&s->ntt, c, c, s->leaves, s->nodes);
    expect_product(s, c, a, a);
    /* In steps: b's transform is kept; then c := a b + a b - a b. */
    memcpy(c, a, s->vectors * sizeof *c);
    memcpy(d, b, s->vectors * sizeof *d);
    gfp_ntt_ifma_steps(&s->ntt, d, d, s->leaves, s->nodes, GFP_IFMA_FORWARD);
    expect_range(s, d, most);
    gfp_ntt_ifma_steps(&s->ntt, c, d, s->leaves, s->nodes,
                       GFP_IFMA_FORWARD | GFP_IFMA_MULTIPLY | GFP_IFMA_INVERSE | GFP_IFMA_FAR);
    expect_product(s, c, a, b);
    memcpy(c, a, s->vectors * sizeof *c);
    gfp_ntt_ifma_steps(&s->ntt, c, d, s->leaves, s->nodes, GFP_IFMA_FORWARD);
    expect_range(s, c, most);
    ifma_lanes *z = stand_array(s->vectors, sizeof *z);
    stand_accumulate(s, z, c, d, 1, 0);
    stand_accumulate(s, z, c, d, 1, 1);
    stand_accumulate(s, z, c, d, 1, -1);
    for (size_t count = 2; count <= GFP_IFMA_PAIRS; count++) { /* z := a b (2 + 3 - 4) at the end */
        stand_accumulate(s, z, c, d, count, count == 2 ? 0 : count == 3 ? 1 : -1);
    }
    gfp_ntt_ifma_steps(&s->ntt, z, NULL, s->leaves, s->nodes, GFP_IFMA_INVERSE);
    expect_product(s, z, a, b);
    free(a);
    free(b);
    free(c);
    free(d);
    free(z);
}

/* Blocks of one to four levels, of several passes, and depth first. */
static void products_stay_in_range(void **state)
{
    static const unsigned odds[] = {1, 3, 5};
    (void)state;
    for (unsigned prime = 0; prime < GFP_NTT48_PRIMES; prime++) {
        for (size_t i = 0; LAB_ROW(odds, i); i++) {
            for (unsigned log2_blocks = 0; log2_blocks <= 10; log2_blocks++) {
                stand s;
                stand_open(&s, prime, odds[i], log2_blocks, log2_blocks <= 5);
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
    return cmocka_run_group_tests_name("ifma_checked", tests, NULL, NULL);
}
