/* steps.h: steps of products of files. Without a dealer threads share a step. With one, ranks and
 * threads share it, finished items are kept in the dealer's file, and a call that begins again goes
 * on behind them: then no step overwrites what it reads, and all areas lie in the file of the
 * product, behind its payload.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_FILES_STEPS_H
#define GFP_POLY_FILES_STEPS_H

#include <stdatomic.h>

#include "field/base/call.h"
#include "poly/files/impl.h"
#include "product/methods/file_plan.h"

typedef struct gfp_file_steps {
    gfp_call *call;
    const gfp_field *field;
    const gfp_file *file; /* of the product; NULL: nothing is kept, and there are no areas */
    unsigned char *map;   /* its areas, at this offset of the file, */
    size_t bytes, offset;
    uint64_t *free;   /* and the first free word, on a line */
    atomic_bool told; /* the call's error has the reason why an item could not be written */
} gfp_file_steps;

/* Makes and maps areas of `words` words behind the payload of the file, NULL: none. A call whose
 * dealer has kept nothing begins the file anew. Errors: ARGUMENT (what the dealer has kept
 * describes other contents), IO, SIZE, UNAVAILABLE (no random numbers), CANCELLED, the dealer's. */
gfp_status gfp_file_steps_open(gfp_file_steps *steps, gfp_call *call, const gfp_field *field,
                               const gfp_file *file, size_t words);
void gfp_file_steps_close(gfp_file_steps *steps);
/* The words of an area of n words. */
#define GFP_FILE_STEPS_LINE 8
static inline size_t gfp_file_steps_words(size_t n)
{
    return gfp_size_add_sat(n, GFP_FILE_STEPS_LINE - 1) / GFP_FILE_STEPS_LINE * GFP_FILE_STEPS_LINE;
}
/* Returns the next area; giving it back frees all later ones, too. */
uint64_t *gfp_file_steps_take(gfp_file_steps *steps, size_t n);
void gfp_file_steps_give(gfp_file_steps *steps, uint64_t *area);

/* A term of a sum: len coefficients, then zeros; `minus`: it is subtracted. */
typedef struct gfp_file_term {
    const uint64_t *x;
    size_t len;
    bool minus;
} gfp_file_term;

/* z := the sum of the terms, n coefficients. z may be the first term, where nothing is kept, and
 * overlaps no other one. Errors: IO, CANCELLED, the dealer's. */
gfp_status gfp_file_steps_sum(gfp_file_steps *steps, uint64_t *z, size_t n,
                              const gfp_file_term *terms, unsigned count);
/* c := the product of a block that was planned in steps, on this many threads. Where nothing is
 * kept, s->free is its work area. Errors: MEMORY, IO, CANCELLED, the dealer's. */
gfp_status gfp_file_steps_block(gfp_file_steps *steps, const gfp_file_block *block, uint64_t *c,
                                unsigned threads);

/* Whether c = a b at random points, which all ranks share, and its report; gfp_verify_points is not
 * 0. The check is made anew after each begin: c may have changed since an earlier one. Errors:
 * VERIFY, MEMORY, CANCELLED, UNAVAILABLE (no random numbers), the dealer's. */
gfp_status gfp_file_steps_verify(gfp_call *call, const gfp_range *range, const uint64_t *c);

#endif
