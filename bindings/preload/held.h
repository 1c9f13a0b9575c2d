/* held.h: the work areas that a thread's computation holds. If a signal handler of the host has
 * jumped out of the computation, the thread's next one gives them back.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HELD_H
#define GFP_HELD_H

#include <stddef.h>
#include <stdint.h>

/* A work area, and the function that gives the area back to its field or ring. */
typedef struct gfp_held {
    void (*give)(void *area, const void *owner);
    void *area;
    const void *owner;
} gfp_held;

/* Further areas are lost at a jump. */
#define GFP_HELD_MOST 8
typedef struct gfp_held_list {
    volatile size_t count;
    gfp_held item[GFP_HELD_MOST];
} gfp_held_list;

/* Gives back all areas of a list that no computation uses. */
void gfp_held_give(gfp_held_list *list);

/* A mark in the frame of a computation: a number that no other mark has. */
typedef struct gfp_held_mark {
    volatile uint64_t number;
} gfp_held_mark;

/* A computation of this thread begins, and ends. */
void gfp_held_begin(gfp_held_mark *mark);
void gfp_held_end(gfp_held_mark *mark);
/* The list of the computation that this thread is in. */
gfp_held_list *gfp_held_here(void);

#endif
