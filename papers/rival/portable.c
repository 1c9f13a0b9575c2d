/* portable.c: projection to word-size primes and recombination, one element after another,
 * for any prime below 2^62: 128-bit sums of products, reduced by Montgomery's method, and GMP.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "papers/rival/impl.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* Elements per round over the primes: their digits stay in the cache, and residues are written and
 * read by whole cache lines. */
#define BLOCK 16

/* ---- step 1 ---- */

/* The sum of x_i w_i / 2^128 mod q, i < k, in [0, q), for w_i < q < 2^62 and any words x_i. The sum
 * of k <= 2^8 products is below 2^72 q: three words. The first reduction leaves less than 2^8 q + q
 * < 2^71, the second less than 2^7 + q + 1. */
static uint64_t project(const gfp_rival_prime *prime, const uint64_t *w, const uint64_t *x,
                        unsigned k)
{
    const uint64_t q = prime->q;
    gfp_u128 sum = 0;
    uint64_t carries = 0;

    for (unsigned i = 0; i < k; i++) {
        const gfp_u128 term = gfp_mul_wide(x[i], w[i]);
        sum += term;
        carries += sum < term;
    }
    const uint64_t m = (uint64_t)sum * prime->negative_inverse;
    /* The lower word of sum + m q is 0, with a carry unless it was 0 before. */
    const gfp_u128 upper =
        gfp_join(carries, gfp_hi64(sum)) + gfp_hi64(gfp_mul_wide(m, q)) + ((uint64_t)sum != 0);
    const uint64_t y = gfp_mont_reduce(upper, q, prime->negative_inverse);
    return y >= q ? y - q : y;
}

static void project_vec(const gfp_crt_rival_plan *plan, uint64_t *residues, const uint64_t *x,
                        gfp_rival_range range, uint64_t *work)
{
    const unsigned k = gfp_field_k(plan->field);

    (void)work;
    for (size_t j = range.from; j < range.to; j += BLOCK) {
        const size_t end = gfp_size_min(j + BLOCK, range.to);
        for (size_t i = 0; i < plan->count; i++) {
            for (size_t e = j; e < end; e++) {
                residues[i * plan->n + e] =
                    project(&plan->prime[i], plan->powers + i * k, x + e * k, k);
            }
        }
    }
}

/* ---- step 3 ---- */

void gfp_rival_reduce_once(const gfp_crt_rival_plan *plan, uint64_t *z, uint64_t top)
{
    const mp_size_t words = (mp_size_t)plan->words;

    if (top != 0 || mpn_cmp(z, plan->modulus, words) >= 0) {
        (void)mpn_sub_n(z, z, plan->modulus, words);
    }
}

/* Overwrites the residues x_i of one element with y_i = x_i (Q/q_i)^(-1) mod q_i, i < s, and
 * returns t: the element's integer is sum y_i Q/q_i - t Q, t = floor(sum y_i/q_i). The estimate of
 * t comes from fractions rounded down, and is at most one too small: s <= 2^9 fractions lose less
 * than 2^-54 each. */
static uint64_t weigh(const gfp_crt_rival_plan *plan, uint64_t *y, size_t stride)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < plan->count; i++) {
        const gfp_rival_prime *prime = &plan->prime[i];
        uint64_t v = gfp_shoup_mul(y[i * stride], prime->inverse, prime->companion, prime->q);
        v = v >= prime->q ? v - prime->q : v;
        y[i * stride] = v;
        sum += (uint64_t)(gfp_mul_wide(v, prime->reciprocal) >> prime->shift);
    }
    return sum >> GFP_RIVAL_FRACTION_BITS;
}

/* z := the integer with the residues y (overwritten), which lie stride words apart. The sum is
 * below s Q <= 2^9 Q, and takes one word more than z. */
static void recombine(const gfp_crt_rival_plan *plan, uint64_t *z, uint64_t *y, size_t stride)
{
    const mp_size_t words = (mp_size_t)plan->words;
    const uint64_t t = weigh(plan, y, stride);
    uint64_t top = 0;

    memset(z, 0, plan->words * sizeof *z);
    for (size_t i = 0; i < plan->count; i++) {
        top += mpn_addmul_1(z, plan->cofactors + i * plan->words, words, y[i * stride]);
    }
    top -= mpn_submul_1(z, plan->modulus, words, t);
    gfp_rival_reduce_once(plan, z, top);
}

static void recombine_vec(const gfp_crt_rival_plan *plan, uint64_t *z, const uint64_t *residues,
                          gfp_rival_range range, uint64_t *work)
{
    for (size_t j = range.from; j < range.to; j += BLOCK) {
        const size_t size = gfp_size_min(BLOCK, range.to - j);
        for (size_t i = 0; i < plan->count; i++) {
            memcpy(work + i * BLOCK, residues + i * plan->n + j, size * sizeof *work);
        }
        for (size_t e = 0; e < size; e++) {
            recombine(plan, z + (j + e) * plan->words, work + e, BLOCK);
        }
    }
}

static size_t work_words(const gfp_crt_rival_plan *plan)
{
    return plan->count * BLOCK;
}

const gfp_rival_kernels gfp_rival_portable = {"portable", 1, work_words, project_vec,
                                              recombine_vec};
