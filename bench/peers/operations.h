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

/* One row of the list is all that a new operation needs, other libraries apart. */
typedef struct operation {
    const char *name, *what;
    peer_operation code;
    length a, b, f, c; /* of the operands and the result; 0: there is no such operand */
    gfp_status (*run)(struct problem *w, const gfp_options *o); /* c := the result */
} operation;

extern const operation operations[];
extern const size_t operation_count; /* at most PEER_OPERATIONS; the first one is the product */

/* Whether the name chooses an operation: its own name, "all", or "tour", the operations of the
 * table in NTL's tour. */
bool operation_named(const operation *o, const char *name);

/* The operands and the result. */
typedef struct problem {
    const operation *operation;
    const gfp_field *field;
    size_t n;
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
void problem_clear(problem *w);
/* w->c := the result, by w->options. The argument is a problem *, for measure(). */
bool problem_run(void *problem);

#endif
