/* inputs.h: random operands over Z, and calls by the operation. For the command's map of strategies
 * and the programs of bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_INPUTS_H
#define CLI_COMPARE_INPUTS_H

#include "gfpoly.h"

/* An operation over Z that has several methods. */
typedef enum zoperation { Z_MUL, Z_GCD, Z_RESULTANT, Z_OPERATIONS } zoperation;
/* "mul", "gcd", "resultant". */
extern const char *const zoperation_names[Z_OPERATIONS];
/* The names of the methods, then NULL. */
#define MOST_ZMETHODS 6
extern const char *const zmethod_names[Z_OPERATIONS][MOST_ZMETHODS + 1];

/* a := n random numbers below 2^bits in absolute value, n and bits >= 1, the last one not 0.
 * Errors: SIZE, MEMORY. */
gfp_status draw_integers(gfp_zvec *a, size_t n, size_t bits, gfp_random *g);
/* Random operands of this degree and these bits; common: with a common divisor of half of both,
 * which goes to z. Errors: those of products. */
gfp_status draw_integer_pair(gfp_zvec *a, gfp_zvec *b, gfp_zvec *z, size_t degree, size_t bits,
                             bool common, gfp_random *g);
/* c := the product, gcd or resultant. Errors: those of the operation. */
gfp_status call_over_z(zoperation operation, gfp_zvec *c, const gfp_zvec *a, const gfp_zvec *b,
                       const gfp_options *options);

#endif
