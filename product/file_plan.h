/* file_plan.h: plans of products of files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FILE_PLAN_H
#define GFP_FILE_PLAN_H

#include "methods.h"

/* Blocks are not cut further: what does not fit then is refused. */
#define GFP_FILE_MIN_BLOCK 64

/* What a block may take. */
typedef struct gfp_file_limits {
    const gfp_method *method;
    size_t cap;       /* bytes; SIZE_MAX: as many as it takes */
    unsigned threads; /* that a block may have */
} gfp_file_limits;

/* The ways to compute a block: in memory; in a work area most of which is in a scratch file; or in
 * halves. */
typedef enum gfp_file_way { GFP_FILE_WITHIN, GFP_FILE_STREAMED, GFP_FILE_CUT } gfp_file_way;

typedef struct gfp_file_block {
    gfp_file_way how;
    gfp_plan plan;         /* WITHIN, STREAMED */
    size_t streamed, held; /* STREAMED: bytes of the work area in the file, and in memory */
} gfp_file_block;

void gfp_file_plan_block(gfp_file_block *b, const gfp_file_limits *p, const gfp_range *range);
/* Whether files can be multiplied here. */
bool gfp_file_possible(void);
/* The plan of a product of files, whose cap is kept by scratch files and halves: plan->factor tells
 * what these cost. */
bool gfp_file_plan(gfp_plan *plan, const gfp_method *method, const gfp_range *range,
                   const gfp_limits *limits);
/* Fills the error of a block that is not cut further and takes more than the cap; returns the
 * status.
 */
gfp_status gfp_file_refuse_block(const gfp_file_limits *p, const gfp_range *range,
                                 gfp_error *error);
/* Fills the error of a product of files for which there is no plan; returns its status. */
gfp_status gfp_file_refuse(const gfp_plan *plan, gfp_error *error);

#endif
