/* work.h: work areas that a field keeps. The area of one product serves the next, so that a run of
 * products asks the system for no memory and touches no fresh page.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_WORK_H
#define GFP_FIELD_BASE_WORK_H

#include "gfpoly/field.h"

/* The most areas that a field keeps, and the most bytes unless gfp_field_limit_memory sets a
 * limit. */
#define GFP_WORK_SLOTS 16
#define GFP_WORK_LIMIT ((size_t)1 << 30)

/* An area in use. */
typedef struct gfp_work {
    struct gfp_work_block *block;
    uint64_t *words;
} gfp_work;

/* Returns the bytes that an area of `words` words takes from the allocator if no kept area serves:
 * a multiple of 1/8 of the largest power of two below, so that growing lengths find the areas of
 * shorter ones. 0 words take nothing. Saturates. */
size_t gfp_work_bytes(size_t words);

/* Areas of up to this number of words are on the stack: an allocation costs a tenth of a short
 * product. */
#define GFP_STACK_WORDS 4096

/* Takes an area of at least `words` words, with undefined contents, aligned to 64 bytes. words = 0
 * takes nothing. Any number of threads may take and give at the same time; no thread waits. Errors:
 * SIZE, MEMORY. */
gfp_status gfp_work_take(gfp_work *work, const gfp_field *field, size_t words);
/* GFP_WORK_HEAD bytes in front of an area of at least one word, for its user; aligned for words. */
#define GFP_WORK_HEAD 56
void *gfp_work_head(const gfp_work *work);
/* Gives the area back; the field keeps or releases it. */
void gfp_work_give(gfp_work *work, const gfp_field *field);

#endif
