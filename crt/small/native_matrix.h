/* native_matrix.h: products of matrices over Z/pZ through word primes: entries are projected to
 * residues, matrices of residues are multiplied modulo each prime with sums reduced once for many
 * terms, and the CRT gives the entries of the product. Residues are the channels of the hybrid
 * method's leaves (crt/hybrid/leaf/engine.h), the values of an entry's digits at k roots modulo
 * three or four primes, where the leaf engine has products of matrices; else they are residues
 * modulo the primes of native.h. Projection and CRT are linear in the entries; a term costs a word
 * product for each channel or prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_NATIVE_MATRIX_H
#define GFP_CRT_SMALL_NATIVE_MATRIX_H

#include "crt/hybrid/shape.h"
#include "crt/small/native.h"

/* The shape of products A B = C: B has `inner` rows and `columns` columns; A has any number of
 * rows. */
typedef struct gfp_native_matrix {
    const gfp_field *field;
    gfp_hybrid_choice leaf; /* its engine: NULL if there are no channels */
    gfp_hybrid_shape shape;
    const gfp_native_engine *engine; /* without channels */
    const gfp_native_tables *tables;
    const gfp_native_set *set;
    size_t count; /* channels, or primes */
    size_t inner, columns;
    size_t width; /* columns of a tile, the unit of work */
} gfp_native_matrix;

/* An array of elements as a matrix: entry (i, j) is at digits + i row + j column. */
typedef struct gfp_native_matrix_entries {
    uint64_t *digits;
    size_t row, column;
} gfp_native_matrix_entries;
typedef struct gfp_native_matrix_input {
    const uint64_t *digits;
    size_t row, column;
} gfp_native_matrix_input;

/* m := the shape, both numbers at least 1, and its primes. Errors: MEMORY. */
gfp_status gfp_native_matrix_init(gfp_native_matrix *m, const gfp_field *field, size_t inner,
                                  size_t columns);
/* The same by the primes of native.h. */
gfp_status gfp_native_matrix_init_primes(gfp_native_matrix *m, const gfp_field *field, size_t inner,
                                         size_t columns);

/* Returns the words of the residues of B, for products by the same B. Saturates. */
size_t gfp_native_matrix_kept_words(const gfp_native_matrix *m);
/* Returns the words of a work area for A with `rows` rows and this many threads. Saturates. */
size_t gfp_native_matrix_work_words(const gfp_native_matrix *m, size_t rows, unsigned threads);

/* The units of a product that gfp_native_matrix_multiply counts, and the digit products of one. */
double gfp_native_matrix_units(const gfp_native_matrix *m, size_t rows);
#define GFP_NATIVE_MATRIX_UNIT_COST 1.0

/* A running step in a work area, aligned to 64 bytes. task: its span counts
 * gfp_native_matrix_units. */
typedef struct gfp_native_matrix_call {
    const gfp_native_matrix *m;
    uint64_t *work;
    gfp_task *task;
} gfp_native_matrix_call;

/* kept := the residues of B, aligned to 64 bytes; work for 0 rows. Returns false if the call is
 * cancelled. */
bool gfp_native_matrix_keep(const gfp_native_matrix_call *call, uint64_t *kept,
                            const gfp_native_matrix_input *b);
/* c := a b, `rows` rows. kept: the residues of b, which is not read then, or NULL. Entries of a row
 * of c are adjacent (c->column is k). c overlaps no input. Returns false if the call is cancelled;
 * c is undefined then. */
bool gfp_native_matrix_multiply(const gfp_native_matrix_call *call,
                                const gfp_native_matrix_entries *c,
                                const gfp_native_matrix_input *a, size_t rows,
                                const gfp_native_matrix_input *b, const uint64_t *kept);

#endif
