/* parallel.h: loops over independent items by several threads, as one step of a task. The threads
 * are OpenMP's, or POSIX ones for thread sanitizers; a build without runs every loop in the calling
 * thread. Rooms above use this and no pragmas.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_PARALLEL_H
#define GFP_PARALLEL_H

#include "task.h"

/* How this build makes threads: GFP_PARALLEL is one of these (cmake: GFP_OPENMP). */
#define GFP_PARALLEL_NONE 0
#define GFP_PARALLEL_OPENMP 1
#define GFP_PARALLEL_PTHREADS 2 /* the twin that thread sanitizers understand */

/* The items from <= i < to of a loop, as worker number `worker`, of which no two run at once. task
 * is the worker's own (NULL where the loop has none): it takes gfp_task_advance and
 * gfp_task_report, whose false means that the loop stops: return CANCELLED then. Any other error
 * stops the loop as well. It must not allocate through the hook. */
typedef gfp_status gfp_parallel_run(void *job, size_t from, size_t to, unsigned worker,
                                    gfp_task *task);

typedef struct gfp_parallel {
    gfp_parallel_run *run;
    void *job;
    /* Called in every thread but the calling one after its last items; may be NULL. */
    void (*leave)(void);
} gfp_parallel;

/* The threads of a task: at least 1, and 1 without a task. */
static inline unsigned gfp_task_threads(const gfp_task *task)
{
    return task == NULL || task->threads == 0 ? 1 : task->threads;
}

/* The workers of a loop over so many items, handed out `chunk` >= 1 at once: no more than threads
 * of the task, and none without a chunk. At least 1; their numbers are below this. */
unsigned gfp_parallel_workers(const gfp_task *task, size_t items, size_t chunk);

/* Runs the loop and returns when all threads are done. One worker: a single call, in the calling
 * thread, with the task itself. Where several fail, one of their errors is returned. Threads
 * compute with the caller's results: what is done per item must not depend on the worker. */
gfp_status gfp_parallel_for(const gfp_parallel *loop, gfp_task *task, size_t items, size_t chunk);

/* A chunk size that hands out about `rounds` chunks to each thread of the task. */
size_t gfp_parallel_chunk(const gfp_task *task, size_t items, size_t rounds);

/* The threads of a call: `asked`, or where that is 0 the field's default, but 1 inside a parallel
 * region. 1 in a child of fork that took the field over: OpenMP's threads stayed behind. */
unsigned gfp_parallel_threads(const gfp_field *field, unsigned asked);

#endif
