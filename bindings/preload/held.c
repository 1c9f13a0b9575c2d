/* held.c: see held.h. The linker puts the functions below in the place of those that rooms call to
 * take and give work areas (--wrap).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* process_vm_readv */
#include "bindings/preload/held.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bindings/preload/apart.h"
#include "field/base/work.h"

/* This thread's computation, and what it holds. A handler may jump before or after any write. */
static _Thread_local struct {
    gfp_frame_slot frame; /* NULL: none */
    volatile bool off;    /* nothing is listed any more */
    atomic_size_t count;
    gfp_held item[GFP_HELD_MOST];
} current;

static void set_count(size_t n)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&current.count, n, memory_order_relaxed);
}

static size_t get_count(void)
{
    return atomic_load_explicit(&current.count, memory_order_relaxed);
}

static void held_hold(void (*give)(void *, const void *), void *area, const void *owner)
{
    const size_t n = get_count();
    if (n < GFP_HELD_MOST && current.frame != NULL && !current.off) {
        current.item[n] = (gfp_held){give, area, owner};
        set_count(n + 1);
    }
}

/* Areas are mostly given in the opposite order; those behind this one are then no longer listed. */
static void let_go(const void *area)
{
    for (size_t i = get_count(); i-- > 0;) {
        if (current.item[i].area == area) {
            set_count(i);
            return;
        }
    }
}

/* Empties the list. A handler that computes in the middle of the copy leaves the list empty. */
static gfp_held_list take_list(void)
{
    gfp_held_list taken;
    memcpy(taken.item, current.item, sizeof taken.item);
    atomic_signal_fence(memory_order_seq_cst);
    taken.count = atomic_exchange(&current.count, 0);
    return taken;
}

void gfp_held_give(const gfp_held_list *list)
{
    for (size_t i = list->count; i-- > 0;) {
        list->item[i].give(list->item[i].area, list->item[i].owner);
    }
}

/* ---- computations ---- */

/* Whether the frame is gone for certain: the memory holds something else, or does not exist. The
 * frame of a computation that waits for a handler still has its mark, whatever the stack that the
 * handler runs on. Where the system refuses the call, no frame is gone for certain. */
static bool is_gone(const gfp_frame *frame)
{
    const void *self = frame;
    const int error = errno;
    const struct iovec to = {&self, sizeof self};
    const struct iovec from = {(void *)&frame->self, sizeof self};
    const bool gone = process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT;
    errno = error;
    return gone || self != frame;
}

/* A handler jumped out of the computation before, or calls in the middle of that computation. If
 * that is not certain, this thread's areas are no longer listed: several computations may be in the
 * middle, and which one holds an area is not known. */
static void held_leave(bool gone)
{
    current.frame = NULL;
    current.off = current.off || !gone;
    const gfp_held_list held = take_list();
    if (!gfp_apart_end(current.off ? NULL : &held) && !current.off) {
        gfp_held_give(&held);
    }
}

void gfp_held_begin(gfp_frame *frame)
{
    const gfp_frame *before = current.frame;
    if (before != NULL) {
        held_leave(before == frame || (!current.off && is_gone(before)));
    }
    set_count(0);
    atomic_signal_fence(memory_order_seq_cst);
    gfp_frame_begin(&current.frame, frame);
}

void gfp_held_end(gfp_frame *frame)
{
    set_count(0);
    gfp_frame_end(&current.frame, frame);
}

/* ---- the work areas of fields ---- */

gfp_status __real_gfp_work_take(gfp_work *work, const gfp_field *field, size_t words);
void __real_gfp_work_give(gfp_work *work, const gfp_field *field);
gfp_status __wrap_gfp_work_take(gfp_work *work, const gfp_field *field, size_t words);
void __wrap_gfp_work_give(gfp_work *work, const gfp_field *field);

static void give_to_field(void *area, const void *owner)
{
    gfp_work work = {area, NULL};
    __real_gfp_work_give(&work, owner);
}

gfp_status __wrap_gfp_work_take(gfp_work *work, const gfp_field *field, size_t words)
{
    const gfp_status status = __real_gfp_work_take(work, field, words);
    if (work->block != NULL) {
        held_hold(give_to_field, work->block, field);
    }
    return status;
}

void __wrap_gfp_work_give(gfp_work *work, const gfp_field *field)
{
    let_go(work->block);
    __real_gfp_work_give(work, field);
}
