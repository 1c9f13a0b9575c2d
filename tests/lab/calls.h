/* calls.h: the tests that every call with options has to pass, over tables of operations: memory
 * that fails, cancelled calls and their reports, caps, threads, methods, verification. A call that
 * fails leaves its outputs as they were. docs/design/tests.md says how to add a row.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_CALLS_H
#define TESTS_LAB_CALLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gfpoly/poly.h"
#include "lab/meter.h"

/* ---- tables ---- */

enum {
    CREATES = 1,      /* makes an object, or results of any length, whose memory no cap counts */
    MAY_BE_RIGHT = 2, /* a wrong product inside may leave the result right */
    MOST_MATTER = 4,  /* some wrong products inside leave the result right, but not all */
    NO_OPERANDS = 8,  /* computes no products with operands */
    SHARED = 16,      /* uses all threads */
    IMPOSSIBLE = 32,  /* the field is too small for the problem */
    CERTIFIED = 64,   /* finds wrong products even without verification */
    UNDEFINED = 256,  /* leaves its outputs undefined when it is cancelled */
    NO_CHECK = 512,   /* has no verification, or no second method for one */
    IMMEDIATE = 1024, /* reports nothing */
    WALK_ONLY = 2048, /* stands in the table for the walk alone */
    KEEPS = 4096,     /* the ring may keep more memory after any call, also a cancelled one */
    BEST_LEVEL = 8192 /* `between` holds for the best kernels; others may report once */
};

/* A call of the library: its operands and outputs are the subject. */
typedef struct calls_row {
    const char *name;
    gfp_status (*run)(void *subject, const gfp_options *options);
    unsigned traits;
    int family;
    const char *methods; /* separated by spaces; NULL: auto */
    size_t between;      /* reports inside (0, 1) that the call needs at least */
    size_t most;         /* the least cap that suffices is below these bytes; 0: 2^23 */
} calls_row;

/* Where a family of rows is called: a field (NULL: Z), a measure of the operands, and the length of
 * transforms and files. */
typedef struct calls_problem {
    const char *field;
    size_t n, points;
    bool is_long; /* longer or cyclic operands, as the table says */
} calls_problem;

typedef struct calls_table {
    const calls_row *rows;
    size_t count;
    /* A subject, all of whose memory that the library takes goes through the allocator (NULL: the
     * default); *status: of the objects that the options choose a method for. */
    void *(*make)(const calls_row *row, const calls_problem *p, const gfp_allocator *allocator,
                  const gfp_options *options, gfp_status *status);
    void (*clear)(void *subject);
    /* Gives the outputs the values that they have before a call. */
    void (*reset)(void *subject);
    /* Numbers that depend on all outputs, and on the places where these lie. */
    uint64_t (*digest)(const void *subject);
    uint64_t (*places)(const void *subject);
    /* Frees the memory that is kept for later calls; NULL: tables stay. */
    void (*release)(void *subject);
    /* Keeps no memory for later calls from here on; may be NULL. */
    void (*keep_nothing)(void *subject);
    /* Bytes that a call within a cap may take in addition. */
    size_t (*apart)(const calls_row *row, const calls_problem *p);
    unsigned (*traits)(const calls_row *row, const calls_problem *p);
} calls_table;

#define CALLS_ALL (-1)

/* The rows with this number of family (CALLS_ALL: all rows), and the problems of their tests. */
typedef struct calls_family {
    const char *name;
    int number;
    const calls_table *table;
    const calls_problem *problems;
    size_t problem_count;
    size_t rounds;       /* allocations that fail, cancelled reports, in about; 0: each of them */
    const char *methods; /* in place of the rows'; NULL: these */
    bool shared;         /* calls of a problem have one subject, whatever their methods are */
    bool every_check;    /* for all problems, not for the first one only */
    size_t reports;      /* of a call, at least */
    unsigned threads;    /* calls are also cancelled with this number of threads; 0: with one */
    const char *const *method_fields; /* where all methods are compared, up to NULL */
    size_t method_n;
    const size_t *thread_n; /* over p8, where two threads are compared with one, up to 0 */
} calls_family;

/* ---- one call ---- */

typedef struct calls_host {
    size_t asked, stop_at, between; /* returns false at question number stop_at */
    double first, last;
    bool falls, asked_again; /* a fraction is wrong; there was a question after the last one */
} calls_host;

typedef struct calls_case {
    const calls_table *table;
    const calls_row *row;
    const calls_problem *problem;
    meter m;
    gfp_allocator allocator;
    void *subject;
    uint64_t before, places; /* of the outputs before a call */
    uint64_t right;          /* of the outputs after a call; 0: not known yet */
    calls_host host;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} calls_case;

/* Makes the operands of a row for a call with these options. */
void calls_open(calls_case *c, const calls_family *f, const calls_row *row, const calls_problem *p,
                const gfp_options *options);
/* Clears them; fails the test if a block is left. */
void calls_close(calls_case *c);
gfp_status calls_run(calls_case *c);
/* Fails the test unless a call failed with this status and a message, and changed no output. */
void calls_expect_failure(const calls_case *c, gfp_status status, gfp_status expected,
                          size_t round);

/* A method whose products are wrong: one more in a coefficient amid those that are asked for, at
 * one call of its engine; whole: products of polynomials, too, and in the last coefficient. */
void calls_add_wrong_method(bool whole);
void calls_remove_wrong_method(void);
/* Opens a row by this method, right so far. */
void calls_open_wrong(calls_case *c, const calls_family *f, const calls_row *row,
                      const calls_problem *p, gfp_verify verify);
/* The product of this number from here on will be wrong; the number of products since then. */
void calls_spoil(size_t which);
size_t calls_products(void);
/* Runs it with a wrong product number `which`; SIZE_MAX: none. *count := the products. */
gfp_status calls_run_wrong(calls_case *c, size_t which, size_t *count);
/* The number of the product after n that is tried next, of `all`. */
size_t calls_next_round(size_t rounds, size_t n, size_t all);

/* ---- columns: a cmocka test each, whose state is a family ---- */

void calls_allocations_that_fail(void **family);
void calls_cancelled_at_every_step(void **family);
void calls_caps_on_memory(void **family);
void calls_threads_do_not_matter(void **family);
void calls_methods_alike(void **family);
/* Wrong products are found in products with operands; in all products. */
void calls_wrong_products_are_caught(void **family);
void calls_all_wrong_products_are_caught(void **family);

/* Rows of all families: a call that was cancelled, over fields or rings that are new or not, is
 * followed by one with the right result; memory is as before. */
typedef struct calls_walk {
    const calls_family *family; /* whose table is walked */
    calls_problem problem;
    gfp_options options;
    bool any_check; /* a random kind of verification for each row */
    size_t stops;   /* cancelled calls of each row, at least 2 */
} calls_walk;

void calls_walk_rows(const calls_walk *w);

/* A test: a column, and the family that is its state. */
typedef struct calls_test {
    const char *family, *column;
    void (*run)(void **state);
    const void *state;
} calls_test;

/* Runs the tests of the family that the first argument names ("all": of all families; without an
 * argument: of `usual`), of these the ones that the second one matches, with * and ?. */
int calls_main(int argc, char **argv, const char *usual, const calls_test *tests, size_t count,
               int (*set_up)(void **), int (*tear_down)(void **));

#endif
