/* pairs.h: pairs of polynomials for tests of gcds and resultants of rows: all that makes
 * Euclid's algorithm leave its usual way.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_PAIRS_H
#define TESTS_LAB_PAIRS_H

#include "lab/fixtures.h"

/* The kinds of pairs. */
#define PAIRS_KINDS 12

/* a, b := a pair of a kind, of at most len_a and len_b coefficients, followed by zeros. */
void pairs_fill(const lab *l, uint64_t *a, size_t len_a, uint64_t *b, size_t len_b, unsigned kind,
                uint64_t *seed);
/* g, max(len_a, len_b) coefficients, := the gcd by the library, followed by zeros; r, an element,
 * := the resultant. Returns the gcd's length. */
size_t pairs_expect(const lab *l, uint64_t *g, uint64_t *r, const uint64_t *a, size_t len_a,
                    const uint64_t *b, size_t len_b);

#endif
