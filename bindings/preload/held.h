/* held.h: the work areas that a thread's computation holds. If a signal handler of the host has
 * jumped out of the computation, the thread's next one gives them back, where that is safe.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HELD_H
#define GFP_HELD_H

#include <stddef.h>

#include "bindings/preload/frame.h"

/* A work area, and the function that gives the area back to its field or ring. */
typedef struct gfp_held {
    void (*give)(void *area, const void *owner);
    void *area;
    const void *owner;
} gfp_held;

/* Further areas are lost at a jump. */
#define GFP_HELD_MOST 8
typedef struct gfp_held_list {
    size_t count;
    gfp_held item[GFP_HELD_MOST];
} gfp_held_list;

/* Gives back all areas of a list that no computation uses. */
void gfp_held_give(const gfp_held_list *list);

/* A computation of this thread begins, and ends. frame: a variable of the function that computes.
 */
void gfp_held_begin(gfp_frame *frame);
void gfp_held_end(gfp_frame *frame);

#endif
