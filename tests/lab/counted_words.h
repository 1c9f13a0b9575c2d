/* counted_words.h: included before a source file of the library, this header counts the word
 * products that the file computes (tests/papers/complexity/counts.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_COUNTED_WORDS_H
#define TESTS_LAB_COUNTED_WORDS_H

#include "field/base/word.h"

typedef struct counted_words {
    double shoup, wide, montgomery, modular;
} counted_words;

extern counted_words word_products;

/* Inside a macro, its own name means the function. */
#define gfp_shoup_mul(x, w, c, q) (word_products.shoup++, gfp_shoup_mul(x, w, c, q))
#define gfp_mul_wide(a, b) (word_products.wide++, gfp_mul_wide(a, b))
#define gfp_mont_reduce(x, q, n) (word_products.montgomery++, gfp_mont_reduce(x, q, n))
#define gfp_mod_mul(a, b, q) (word_products.modular++, gfp_mod_mul(a, b, q))

#endif
