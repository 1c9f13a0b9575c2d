/* work.h: work areas that a field keeps: what a product worked in serves the next one, so that a
 * run of products asks the system for no memory and touches no fresh page.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_WORK_H
#define GFP_WORK_H

#include "gfpoly/field.h"

/* Areas kept at most, and their bytes unless gfp_field_limit_memory says otherwise. */
#define GFP_WORK_SLOTS 16
#define GFP_WORK_LIMIT ((size_t)1 << 30)

/* An area taken. */
typedef struct gfp_work {
    struct gfp_work_block *block;
    uint64_t *words;
} gfp_work;

/* What an area of so many words takes from the allocator when none is kept: a multiple of 1/8 of
 * the largest power of two below, so that growing lengths find the areas of shorter ones. 0 words
 * take nothing. Saturates. */
size_t gfp_work_bytes(size_t words);

/* Areas up to this are on the stack: an allocation costs a tenth of a short product. */
#define GFP_STACK_WORDS 4096

/* An area of at least so many words, its contents undefined, aligned to 64 bytes. words = 0 takes
 * nothing. Any number of threads may take and give back at once; nobody waits. Errors: SIZE,
 * MEMORY. */
gfp_status gfp_work_take(gfp_work *work, const gfp_field *field, size_t words);
/* Gives it back, to be kept or released. */
void gfp_work_give(gfp_work *work, const gfp_field *field);

#endif
