/* held.c: see held.h. The linker puts the functions below in the place of those that rooms call to
 * take and give work areas (--wrap).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* process_vm_readv */
#include "held.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

#include "apart.h"
#include "work.h"

typedef struct computation {
    const gfp_held_mark *volatile mark; /* NULL: none */
    uint64_t number;
    gfp_held_list list;
} computation;
static _Thread_local computation current;

/* ---- the list: a handler may jump before or after any write ---- */

static void hold(void (*give)(void *, const void *), void *area, const void *owner)
{
    gfp_held_list *list = &current.list;
    const size_t n = list->count;
    if (current.mark != NULL && n < GFP_HELD_MOST) {
        list->item[n] = (gfp_held){give, area, owner};
        atomic_signal_fence(memory_order_seq_cst);
        list->count = n + 1;
    }
}

/* Areas are mostly given in the opposite order; those behind this one are then no longer listed. */
static void let_go(const void *area)
{
    gfp_held_list *list = &current.list;
    for (size_t i = list->count; i-- > 0;) {
        if (list->item[i].area == area) {
            list->count = i;
            return;
        }
    }
}

void gfp_held_give(gfp_held_list *list)
{
    while (list->count > 0) {
        const gfp_held last = list->item[list->count - 1];
        list->count = list->count - 1;
        atomic_signal_fence(memory_order_seq_cst);
        last.give(last.area, last.owner);
    }
}

gfp_held_list *gfp_held_here(void)
{
    return &current.list;
}

/* ---- computations ---- */

/* Whether the frame with this mark is gone for certain: the memory holds another number, or does
 * not exist. The frame of a computation that waits for a handler still has its number, whatever the
 * stack that the handler runs on. */
static bool is_gone(const gfp_held_mark *mark, uint64_t number)
{
    uint64_t there = number;
    const int error = errno;
    const struct iovec to = {&there, sizeof there};
    const struct iovec from = {(void *)&mark->number, sizeof there};
    const bool gone = process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 && errno == EFAULT;
    errno = error;
    return gone || there != number;
}

void gfp_held_begin(gfp_held_mark *mark)
{
    static atomic_uint_fast64_t last;
    const uint64_t number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    const gfp_held_mark *before = current.mark;
    mark->number = number;
    if (before != NULL) { /* a handler jumped out of a computation, or calls in the middle of one */
        const bool gone = before == mark || is_gone(before, current.number);
        current.mark = NULL;
        if (!gfp_apart_end(gone) && gone) {
            gfp_held_give(&current.list);
        }
    }
    current.list.count = 0;
    current.number = number;
    atomic_signal_fence(memory_order_seq_cst);
    current.mark = mark;
}

void gfp_held_end(gfp_held_mark *mark)
{
    if (current.mark == mark) {
        current.mark = NULL;
        current.list.count = 0;
    }
    mark->number = 0;
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
        hold(give_to_field, work->block, field);
    }
    return status;
}

void __wrap_gfp_work_give(gfp_work *work, const gfp_field *field)
{
    let_go(work->block);
    __real_gfp_work_give(work, field);
}
