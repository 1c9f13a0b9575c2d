/* twin.c: the three steps of the papers' rival on the CPU, one element and one butterfly after
 * another: the slow twin of gpu/rival.cu.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "papers/rival/half.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

void gfp_half_rival_project(const gfp_half_rival *rival, uint64_t *residues, const uint64_t *x,
                            size_t n)
{
    const unsigned k = gfp_field_k(rival->field);

    for (size_t i = 0; i < rival->count; i++) {
        const uint64_t q = rival->prime[i].q, r = gfp_field_r(rival->field) % q;
        for (size_t j = 0; j < n; j++) {
            uint64_t y = 0;
            for (unsigned d = k; d-- > 0;) {
                y = (y * r + x[j * k + d] % q) % q; /* y r < 2^62 */
            }
            residues[i * n + j] = y;
        }
    }
}

/* x w mod q, q < 2^62. */
static uint64_t twin_multiply(uint64_t x, uint64_t w, uint64_t companion, uint64_t q)
{
    const uint64_t y = gfp_shoup_mul(x, w, companion, q);

    return y >= q ? y - q : y;
}

void gfp_word_transform(uint64_t *x, size_t n, uint64_t q, uint64_t *work)
{
    const uint64_t root = gfp_word_root_of_unity(q, gfp_ctz64(n));
    uint64_t *from = x, *to = work;

    for (size_t s = n / 2; s >= 1; s /= 2) {
        const uint64_t step = gfp_mod_pow(root, s, q), next = gfp_shoup_companion(step, q);
        uint64_t w = 1;
        for (size_t j = 0; j < n / 2 / s; j++) {
            const uint64_t companion = gfp_shoup_companion(w, q);
            for (size_t t = 0; t < s; t++) {
                const uint64_t a = from[2 * j * s + t];
                const uint64_t b = twin_multiply(from[2 * j * s + s + t], w, companion, q);
                to[j * s + t] = a + b >= q ? a + b - q : a + b;
                to[n / 2 + j * s + t] = gfp_mod_sub(a, b, q);
            }
            w = twin_multiply(w, step, next, q);
        }
        uint64_t *written = to;
        to = from;
        from = written;
    }
    if (from != x) {
        memcpy(x, from, n * sizeof *x);
    }
}

void gfp_half_rival_transform(const gfp_half_rival *rival, uint64_t *y, size_t n, uint64_t *work)
{
    for (size_t i = 0; i < rival->count; i++) {
        gfp_word_transform(y + i * n, n, rival->prime[i].q, work);
    }
}

/* z = sum y_i Q/q_i mod Q with y_i = x_i (Q/q_i)^(-1) mod q_i: below s Q, one word more than Q. */
void gfp_half_rival_recombine(const gfp_half_rival *rival, uint64_t *z, const uint64_t *residues,
                              size_t n)
{
    const mp_size_t words = (mp_size_t)rival->words;
    mp_limb_t sum[GFP_RIVAL_MAX_PRIMES + 1], quotient[2];

    for (size_t j = 0; j < n; j++) {
        memset(sum, 0, (rival->words + 1) * sizeof *sum);
        for (size_t i = 0; i < rival->count; i++) {
            const gfp_rival_prime *prime = &rival->prime[i];
            const uint64_t y = residues[i * n + j] * prime->inverse % prime->q;
            sum[words] += mpn_addmul_1(sum, rival->cofactors + i * rival->words, words, y);
        }
        mpn_tdiv_qr(quotient, z + j * rival->words, 0, sum, words + 1, rival->modulus, words);
    }
}
