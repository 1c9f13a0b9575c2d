/* fixtures.h: shared by the tests of fields, elements and transforms: every test field, opened
 * once, with its oracle and a set of inputs; guarded arrays; comparison with the oracle.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_FIXTURES_H
#define TESTS_LAB_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gfpoly/elem.h"
#include "gfpoly/file.h"
#include "lab/oracle.h"

#define LAB_RANDOM 8

/* One field: samples are `extremes` extreme elements and LAB_RANDOM random ones, as digits and as
 * integers. */
typedef struct lab {
    const oracle_field *entry;
    gfp_field *field;
    oracle o;
    unsigned k;
    uint64_t *samples;
    mpz_t *values;
    size_t extremes;
    size_t count;
} lab;

extern lab lab_fields[ORACLE_ALL];

/* Whether tests are short: they are built with sanitizers, their CPU is emulated, or a script has
 * set GFPOLY_TEST_SHORT. */
bool lab_is_short(void);

/* cmocka group fixtures. lab_setup: the first ORACLE_USUAL of oracle_fields; lab_setup_all, for the
 * rooms that compute with elements: all. Either: ORACLE_SHORT of them in short tests.
 * lab_setup_toolkit, for what is built on products, whose code is the same for every field:
 * ORACLE_SHORT, in short tests ORACLE_TOOLKIT. lab_setup_count, for tests that open fields of their
 * own: no field, but oracle_field_count is that of lab_setup_all. scripts/full.sh sets
 * GFPOLY_TEST_LONG: all fields. */
int lab_setup(void **state);
int lab_setup_count(void **state);
int lab_setup_all(void **state);
int lab_setup_toolkit(void **state);
int lab_teardown(void **state);
/* The field with this name in oracle_fields; fails the test if there is none. */
const lab *lab_named(const char *text);
/* The condition of a loop over the open fields, for (size_t f = 0; lab_field_row(f); f++): a
 * failure in its body names the field (lab/rows.h). */
bool lab_field_row(size_t f);
/* Runs check over every open field. */
void lab_for_each(void (*check)(const lab *l));
/* Sample i (modulo the number of samples), and its integer. */
const uint64_t *lab_sample(const lab *l, size_t i);
/* Opens the field named text; fails the test on an error. */
gfp_field *lab_create(const char *text);

/* An array of `words` words, 8 bytes past a multiple of 64, with guard words on both sides. */
uint64_t *lab_array(size_t words);
/* The array of n elements, filled with samples from number first on. */
uint64_t *lab_vector(const lab *l, size_t n, size_t first);
/* Frees the array; fails the test if a guard word was overwritten. */
void lab_free(uint64_t *array);

/* Fails the test unless x is canonical and equals the integer `expected` (or the n elements of
 * digits do). The message names the field, `what` and the numbers i and j. */
void lab_expect(const lab *l, const uint64_t *x, const mpz_t expected, const char *what, size_t i,
                size_t j);
void lab_expect_digits(const lab *l, const uint64_t *x, const uint64_t *expected, size_t n,
                       const char *what, size_t i, size_t j);
/* Fails the test unless status is `expected` and the error (may be NULL) agrees and has a message.
 */
void lab_expect_status(gfp_status status, gfp_status expected, const gfp_error *error,
                       const char *what);

/* The file at path := a b: made, computed, committed, closed. */
gfp_status lab_file_mul(const char *path, const gfp_file *a, const gfp_file *b,
                        const gfp_options *options);

#endif
