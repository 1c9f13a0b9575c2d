/* create.c: the constants of a block of primes, and proofs of primality, eight at a time.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/words/block.h"

#include <string.h>

#include "field/primes/factor.h"
#include "field/base/support.h"
#include "fft/words/primes.h"
#include "fft/words/portable.h"

/* Small primes whose residues tell whether they are residues modulo q. */
static const unsigned small_primes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

/* Returns Legendre's symbol (x / p), by reciprocity; p odd, x < p. */
static int create_legendre(unsigned x, unsigned p)
{
    int sign = 1;
    while (x != 0) {
        for (; x % 2 == 0; x /= 2) {
            sign = p % 8 == 3 || p % 8 == 5 ? -sign : sign;
        }
        const unsigned t = p % x;
        sign = x % 4 == 3 && p % 4 == 3 ? -sign : sign;
        p = x;
        x = t;
    }
    return p == 1 ? sign : 0;
}

/* Returns the least p among the small primes that is no square modulo q; 0 if there is none. 2 is a
 * square, since 8 divides q - 1, and (p / q) = (q / p), since 4 does. The least non-residue of a
 * prime is a prime. */
static uint64_t non_square(uint64_t q)
{
    for (unsigned i = 0; i < sizeof small_primes / sizeof *small_primes; i++) {
        if (create_legendre((unsigned)(q % small_primes[i]), small_primes[i]) < 0) {
            return small_primes[i];
        }
    }
    return 0;
}

void gfp_words_fill_arithmetic(gfp_words *w, const uint64_t q[GFP_WORDS])
{
    const int mode = gfp_rounding_begin(); /* of the reciprocals */
    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        w->q[i] = q[i];
        w->negative_inverse[i] = gfp_mont_negative_inverse(q[i]) & GFP_WORDS_RADIX_MASK;
        w->one[i] = ((uint64_t)1 << GFP_WORDS_RADIX_BITS) % q[i];
        w->square[i] = gfp_mod_mul(w->one[i], w->one[i], q[i]);
        w->value[i] = (double)q[i];
        w->reciprocal[i] = 1 / w->value[i];
    }
    gfp_rounding_end(mode);
}

/* Returns the form of g^((q - 1) / 2^24). */
static words create_power(const uint64_t g[GFP_WORDS], const words_moduli *m)
{
    const words x = words_enter(words_load(g), m);
    words z = words_one(m);
    for (unsigned bit = GFP_WORDS_BITS; bit-- != GFP_WORDS_LOG2_ORDER;) {
        unsigned mask = 0;
        for (unsigned i = 0; i < GFP_WORDS; i++) {
            mask |= (unsigned)(m->block->q[i] >> bit & 1) << i;
        }
        z = words_mul(z, z, m);
        z = words_select(mask, words_mul(z, x, m), z);
    }
    return z;
}

void gfp_words_fill(gfp_words *w, const uint64_t q[GFP_WORDS])
{
    uint64_t g[GFP_WORDS];
    gfp_words_fill_arithmetic(w, q);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        g[i] = non_square(q[i]);
        if (g[i] == 0) {
            g[i] = gfp_word_non_residue(q[i]);
        }
    }
    const words_moduli m = words_moduli_of(w);
    words z = create_power(g, &m);
    words_store(w->root, words_leave(z, &m));
    for (unsigned t = GFP_WORDS_LOG2_ORDER - 1; t-- > 0; z = words_mul(z, z, &m)) {
        words_store(w->turn[t], words_leave(z, &m));
    }
}

/* With F = 2^24 and q = j F + 1 let g^((q - 1) / 2) = -1 modulo q. Modulo every prime factor of q
 * the order of g^j is F then, and so all factors are 1 modulo F. Were q composite, q = (x F + 1) (y
 * F + 1), then j = x y F + x + y; as j < 4 F, x y is at most 3, and j is F + 2, 2 F + 3 or 3 F +
 * 4. These three, and numbers without a small g, are tested otherwise. If q is prime, g^((q - 1) /
 * 2) is -1, since g is no square. */
unsigned gfp_words_primes(const uint64_t q[GFP_WORDS])
{
    gfp_words w;
    uint64_t g[GFP_WORDS];
    unsigned primes = 0;
    gfp_words_fill_arithmetic(&w, q);
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        g[i] = non_square(q[i]);
    }
    const words_moduli m = words_moduli_of(&w);
    words z = create_power(g, &m);
    for (unsigned i = 1; i < GFP_WORDS_LOG2_ORDER; i++) {
        z = words_mul(z, z, &m);
    }
    const unsigned proved = words_zeros(words_add(z, words_one(&m), &m));
    for (unsigned i = 0; i < GFP_WORDS; i++) {
        const uint64_t order = (uint64_t)1 << GFP_WORDS_LOG2_ORDER, j = q[i] / order;
        const uint64_t x = j / order;
        const bool other = g[i] == 0 || j == x * order + x + 1;
        primes |= (other ? (unsigned)gfp_word_is_prime(q[i]) : proved >> i & 1) << i;
    }
    return primes;
}
