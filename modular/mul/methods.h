/* methods.h: products of polynomials over Z inside the library: the problem, and the strategies
 * that solve it. calls.c has the call, check.c the checks; a file with the name of a strategy has
 * the strategy.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_MUL_METHODS_H
#define GFP_MODULAR_MUL_METHODS_H

#include "gfpoly/options.h"
#include "field/base/task.h"
#include "fft/words/ntt.h"
#include "modular/choice.h"

/* A factor: len >= 1 integers of `width` limbs, the last one not 0, absolute values below 2^bits.
 */
typedef struct gfp_zfactor {
    const uint64_t *x;
    size_t len, width, bits;
} gfp_zfactor;

/* How word-size primes compute a product. */
typedef struct gfp_zshape {
    bool serves; /* the product is not too long */
    bool direct; /* by the definition, else by transforms of this size */
    gfp_words_size size;
    /* The last block has four primes twice: halves of its transforms are side by side. */
    bool twice;
    size_t points; /* residues of a factor, or of the product, modulo a prime */
    size_t primes, blocks;
} gfp_zshape;

/* A product in progress. */
typedef struct gfp_zmul {
    gfp_zring *ring;
    gfp_zfactor a, b;  /* a is the longer factor */
    bool square;       /* b is a */
    size_t bits;       /* absolute values of the product are below 2^bits */
    uint64_t *c;       /* the product, which overlaps no factor */
    size_t len, width; /* integers of c; their limbs, gfp_z_width(bits) */
    gfp_task *task;    /* may be NULL; has begun a part, which the strategy fills */
    unsigned threads;
    size_t cap; /* bytes of work space; SIZE_MAX: any number */
    gfp_call *call;
    gfp_zshape shape;
} gfp_zmul;

typedef struct gfp_zstrategy {
    gfp_zmethod method;
    /* Why the strategy cannot serve the problem; NULL if it can. */
    const char *(*refuses)(const gfp_zmul *z);
    /* The bytes of work space, with as many threads as fit the cap. */
    size_t (*bytes)(const gfp_zmul *z);
    /* Errors: MEMORY, SIZE, CANCELLED and those of the engine. After CANCELLED c is undefined,
     * after other errors unchanged. */
    gfp_status (*multiply)(const gfp_zmul *z);
} gfp_zstrategy;

extern const gfp_zstrategy gfp_zmul_classical;
extern const gfp_zstrategy gfp_zmul_short;
extern const gfp_zstrategy gfp_zmul_words;
extern const gfp_zstrategy gfp_zmul_big;
extern const gfp_zstrategy gfp_zmul_flint;
extern const gfp_zstrategy gfp_zmul_kronecker;

/* Limbs of the longer integer between two reports at least: a product of some milliseconds. */
#define GFP_ZLONG ((size_t)1 << 16)

/* c := x y by GMP, integers of n >= m > 0 limbs; c overlaps neither. Blocks of a longer x are
 * multiplied one by one, with reports between them. Errors: MEMORY, CANCELLED; c is undefined then.
 */
gfp_status gfp_zmul_by_blocks(const gfp_zmul *z, uint64_t *c, const uint64_t *x, size_t n,
                              const uint64_t *y, size_t m);

/* The table of strategies. */
size_t gfp_zmul_count(void);
const gfp_zstrategy *gfp_zmul_strategy(size_t index);

/* Completes a problem whose factors have lengths, widths and bits; reads no coefficients. Errors:
 * SIZE. */
gfp_status gfp_zmul_prepare(gfp_zmul *z);
/* Sets the shape of a problem that is prepared. */
void gfp_zmul_set_shape(gfp_zmul *z);
/* c := a b, neither 0, in one width, by a strategy; NULL: the choice. The work of a call that is
 * begun; its report is filled. Errors: those of gfp_zvec_mul. */
gfp_status gfp_zmul_flat(gfp_call *call, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                         const gfp_zstrategy *s);

/* ---- what the ring keeps (kept.c) ---- */

/* An area of words, aligned to 64 bytes; the ring keeps one for the next call. */
typedef struct gfp_zarea {
    struct gfp_zarea_head *head;
    uint64_t *words;
} gfp_zarea;

/* Errors: SIZE, MEMORY. */
gfp_status gfp_zarea_take(gfp_zring *ring, gfp_zarea *area, size_t words);
void gfp_zarea_give(gfp_zring *ring, gfp_zarea *area);

/* Whether the last block of a basis of this number of primes has the same four primes twice. */
static inline bool gfp_zprimes_twice(size_t primes)
{
    const size_t last = primes % GFP_WORDS;
    return last > 0 && last <= GFP_WORDS / 2 && primes < GFP_ZKEPT_PRIMES;
}

/* A basis of the first primes of the supply. */
typedef struct gfp_zprimes {
    gfp_words_basis *basis;
    size_t primes, blocks;
    bool kept; /* by the ring */
} gfp_zprimes;

/* Takes the least basis of at least `bits` bits (gfp_words_basis_bits). Errors: MEMORY, SIZE. */
gfp_status gfp_zprimes_take(gfp_zring *ring, gfp_zprimes *p, size_t bits);
void gfp_zprimes_give(gfp_zprimes *p);

/* The primes of `short`, which the ring keeps; NULL: no memory. */
struct gfp_short_primes;
const struct gfp_short_primes *gfp_zshort_primes(gfp_zring *ring);

/* *roots := the roots of transforms of this size modulo the first one; those of the next primes
 * follow, `words` apart, engine->root_words in multiples of 8. NULL: the ring keeps none of this
 * size. Errors: MEMORY. */
gfp_status gfp_zshort_roots(gfp_zring *ring, const uint64_t **roots,
                            const struct gfp_short_primes *primes, unsigned log2_n, size_t words);

/* The threads of a call that asks for this number; 0: one. */
unsigned gfp_zmul_threads(const gfp_zring *ring, unsigned asked);

/* check.c. Whether c = a b, at a random point modulo each of eight random primes: a wrong product
 * passes with probability 2^-40 at most. Fills the report; errors: VERIFY, MEMORY, SIZE, CANCELLED,
 * UNAVAILABLE (no seed). */
gfp_status gfp_zmul_check_point(const gfp_zmul *z, gfp_report *report);

#endif
