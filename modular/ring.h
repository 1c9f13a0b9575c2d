/* ring.h: what a gfp_zring keeps: the supply of word-size primes, bases of them, and fields of big
 * primes. All of it is made at its first use and stays; threads publish it without locks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_RING_H
#define GFP_MODULAR_RING_H

#include <stdatomic.h>

#include "gfpoly/field.h"
#include "gfpoly/zvec.h"
#include "field/base/support.h"
#include "field/base/task.h"
#include "crt/blocks/remainders.h"

/* Bases that a ring keeps: those of the first 1, 2, ..., blocks, for many numbers and for few,
 * whose tables are far smaller, up to these bytes in all; short ones, whose making takes several
 * times a product, up to twice as much. */
#define GFP_ZRING_BASES 512
#define GFP_ZRING_BASES_FEW 4096
#define GFP_ZRING_BASIS_BYTES ((size_t)1 << 26)
#define GFP_ZRING_SHORT_BASIS ((size_t)1 << 20)
/* Big primes have indices: below GFP_ZRING_FIELDS those of the named primes, which are fewer; from
 * there on, GFP_ZRING_SHELF for each of k = 4, 8, ..., 128, the primes in stock. */
#define GFP_ZRING_FIELDS 32
#define GFP_ZRING_SHELF 256
#define GFP_ZRING_SHELVES 6
/* The bytes of fields of primes in stock that a ring keeps, and those of one field, for each k:
 * with tables of products, about. */
#define GFP_ZRING_STOCK_BYTES ((size_t)1 << 26)
#define GFP_ZRING_STOCK_EACH ((size_t)1 << 14)
#define GFP_ZRING_PRIMES (GFP_ZRING_FIELDS + GFP_ZRING_SHELVES * GFP_ZRING_SHELF)

/* The most primes of a basis that products keep, within the bytes of all bases; the most bytes of
 * the area that they keep. */
#define GFP_ZKEPT_PRIMES 2048
/* Roots of `short` for transforms below 2^GFP_ZKEPT_ROOTS points: 100 KB in all by AVX-512, 790 KB
 * at other levels. */
#define GFP_ZKEPT_ROOTS 13
#define GFP_ZKEPT_AREA ((size_t)1 << 28)

/* Objects that products keep (modular/mul/kept.c). */
typedef struct gfp_zkept {
    /* [s]: of the first s primes; bases of whole blocks are those of the ring. */
    _Atomic(gfp_words_basis *) basis[GFP_ZKEPT_PRIMES];
    /* [j]: four primes of block j twice, of a basis whose last block has at most four primes. */
    _Atomic(gfp_words *) twice[GFP_ZKEPT_PRIMES / GFP_WORDS];
    _Atomic(struct gfp_short_primes *) short_primes;
    /* [l]: roots of transforms of up to 2^l points modulo each prime of `short`. */
    _Atomic(uint64_t *) short_roots[GFP_ZKEPT_ROOTS];
    _Atomic(struct gfp_zarea_head *) area;
} gfp_zkept;

struct gfp_zring {
    gfp_allocator allocator;
    gfp_level level; /* of the kernels */
    long process;    /* gfp_parallel_process of the process that created the ring */
    gfp_words_supply *supply;
    _Atomic(gfp_words_basis *) basis[GFP_ZRING_BASES], few[GFP_ZRING_BASES_FEW];
    atomic_size_t basis_bytes; /* of those that are kept */
    _Atomic(gfp_field *) field[GFP_ZRING_PRIMES];
    atomic_size_t stock_bytes; /* of fields of primes in stock */
    gfp_zkept kept;
};

/* Called by the creation and the end of a ring. */
void gfp_zkept_init(gfp_zring *ring);
void gfp_zkept_clear(gfp_zring *ring);

/* A basis of whole blocks, first ... first + count - 1 of the supply, in use. */
typedef struct gfp_zring_basis {
    gfp_words_basis *basis;
    bool kept; /* by the ring */
} gfp_zring_basis;

/* Keeps a basis at its place, if the bytes allow that: returns the one that is kept then, which may
 * be another thread's (`made` is destroyed), and else NULL. */
gfp_words_basis *gfp_zring_keep(gfp_zring *ring, _Atomic(gfp_words_basis *) *place,
                                gfp_words_basis *made);
/* The basis of the first `count` blocks that the ring keeps, or NULL. few: it reconstructs a few
 * numbers only, and may be one for many numbers. */
gfp_words_basis *gfp_zring_kept(const gfp_zring *ring, size_t count, bool few);
/* Takes a basis, which may be one that the ring keeps. Errors: MEMORY, SIZE. */
gfp_status gfp_zring_take(gfp_zring *ring, gfp_zring_basis *b, size_t first, size_t count, bool few,
                          gfp_task *task);
/* Gives the basis back; a zero struct is allowed. */
void gfp_zring_give(gfp_zring_basis *b);

/* The field of a big prime, in use. */
typedef struct gfp_zring_big {
    const gfp_field *field;
    gfp_field *own; /* the same, if the ring does not keep the field */
} gfp_zring_big;

/* Takes the field of the big prime of this index; the ring keeps some. Errors: MEMORY, UNKNOWN
 * (index). */
gfp_status gfp_zring_big_take(gfp_zring *ring, gfp_zring_big *big, size_t index);
/* Gives the field back; a zero struct is allowed. */
void gfp_zring_big_give(gfp_zring_big *big);
/* The exponent k of the big prime of this index; 0: there is none. */
unsigned gfp_zring_k(size_t index);
/* *index := the named prime of least size with 2^bits < p; false: none is as large. */
bool gfp_zring_named(size_t bits, size_t *index);
/* Some bits with 2^bits < p for the big prime of this index. */
size_t gfp_zring_bits(size_t index);

#endif
