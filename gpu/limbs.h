/* limbs.h: the tables for radix conversion on the device, computed on the host. Plain C.
 *
 * A number of `size` words is read as 2 size half words v_j: the element is the sum of v_j times
 * the digits of 2^(32 j) mod p. An element is read as the 2 k half words v_(2 i + h) of its digits:
 * the integer is the sum of v_(2 i + h) 2^(32 h) r^i. Both sums are products of a constant matrix
 * with a vector of half words (gpu/cuda/half_words.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_LIMBS_H
#define GFP_GPU_LIMBS_H

#include "gfpoly/field.h"

GFP_BEGIN_DECLS

#define GFP_LIMBS_MAX_SIZE 4096

/* Digits or words of the result that a thread computes at once; each takes two columns. */
static inline unsigned gfp_limbs_together(unsigned k)
{
    return k < 8 ? k : 8;
}

/* One block of half words. The matrix `set` comes first, in groups of 2 gfp_limbs_together(k)
 * columns, each group with 2 size rows. The matrix `get` follows, with a column for every half word
 * of gfp_field_limbs words, in groups of the same width, each group with 2 k rows. */
typedef struct gfp_limbs_tables {
    size_t get;      /* offset of `get`, in half words */
    unsigned groups; /* groups of `get` */
    size_t words;
    uint64_t *image;
} gfp_limbs_tables;

/* Errors: MEMORY; nothing is left allocated. */
gfp_status gfp_limbs_tables_init(gfp_limbs_tables *tables, const gfp_field *field, size_t size,
                                 const gfp_allocator *allocator);
void gfp_limbs_tables_release(gfp_limbs_tables *tables, const gfp_allocator *allocator);

GFP_END_DECLS
#endif
