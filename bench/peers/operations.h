/* bench/peers/operations.h: the operations that the programs of this folder time, with operands of
 * any length over any field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_OPERATIONS_H
#define BENCH_PEERS_OPERATIONS_H

#include "bench/bench.h"
#include "bench/peers/peer.h"

/* times n + plus. */
typedef struct length {
    size_t times;
    int plus;
} length;

size_t length_for(length l, size_t n);

struct problem;

/* One row of a list is all that a new operation needs, other libraries apart. */
typedef struct operation {
    const char *name, *what;
    peer_operation code;
    length a, b, f, c; /* of the operands and the result; 0: there is no such operand. Over Z all
                          operands have n terms */
    gfp_status (*run)(struct problem *w, const gfp_options *o); /* c := the result */
} operation;

extern const operation operations[];
extern const size_t operation_count; /* at most PEER_OPERATIONS; the first one is the product */

/* Over Z: products, gcds, resultants. */
extern const operation z_operations[];
extern const size_t z_operation_count;

/* Whether the name chooses an operation: its own name, "all", or "tour", the operations of the
 * table in NTL's tour. */
bool operation_named(const operation *o, const char *name);

/* The operands and the result. */
typedef struct problem {
    const operation *operation;
    const gfp_field *field; /* NULL: over Z, with coefficients of `bits` bits */
    size_t n, bits;
    gfp_zvec za, zb, zc; /* over Z, instead of the next line */
    gfp_poly a, b, f, c, d, e;
    gfp_modulus *modulus; /* f, if the operation has it prepared */
    gfp_tree *tree;       /* of the points, if the operation has it kept */
    gfp_options options;
    gfp_error error;
} problem;

/* How operands are made. With `shoup` their coefficients, from the leading one of f on, then of a,
 * then of b, are the numbers 1, 2, 5, 26, ..., each the square of the one before, plus 1. f, or a
 * where there is no f, is then the polynomial by which V. Shoup tests factorisations. Otherwise
 * coefficients are random, the first and the last one not 0. */
typedef struct operands {
    uint64_t seed;
    bool shoup;
} operands;

/* Returns false after a message. */
bool problem_init(problem *w, const operation *o, const gfp_field *field, size_t n,
                  const operands *how);
/* The same over Z; operands of gcds have a common divisor of half of the degree and of the bits. */
bool problem_init_z(problem *w, const operation *o, gfp_zring *ring, size_t n, size_t bits,
                    const operands *how);
void problem_clear(problem *w);
/* w->c or w->zc := the result, by w->options. The argument is a problem *, for measure(). */
bool problem_run(void *problem);

#endif
