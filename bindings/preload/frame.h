/* frame.h: marks in the stack: whether the calling thread is inside a call of a host's function
 * from here, which may call functions of this library again. A signal handler of the host may have
 * jumped over the mark: a mark that the stack no longer has does not count.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FRAME_H
#define GFP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* A local variable of the function that calls the host's. */
typedef struct gfp_frame {
    const volatile struct gfp_frame *volatile self;
} gfp_frame;

/* The most bytes of stack between a mark and a call inside. */
#define GFP_FRAME_REACH ((uintptr_t)1 << 20)

/* A thread's innermost mark of a kind. */
typedef const gfp_frame *volatile gfp_frame_slot;

static inline void gfp_frame_begin(gfp_frame_slot *slot, gfp_frame *frame)
{
    frame->self = frame;
    *slot = frame;
}

/* frame: also one that has not begun. */
static inline void gfp_frame_end(gfp_frame_slot *slot, const gfp_frame *frame)
{
    if (*slot == frame) {
        *slot = (const gfp_frame *)0;
    }
}

/* Whether the calling function runs inside the call that the mark stands for. Stacks grow downward:
 * the mark of a function that has ended is below the caller's frame, or is overwritten. */
static inline bool gfp_frame_stands(gfp_frame_slot *slot)
{
    const gfp_frame *frame = *slot;
    if (frame == (const gfp_frame *)0) {
        return false;
    }
    const uintptr_t distance = (uintptr_t)frame - (uintptr_t)__builtin_frame_address(0);
    if (distance < GFP_FRAME_REACH && frame->self == frame) {
        return true;
    }
    *slot = (const gfp_frame *)0;
    return false;
}

#endif
