/* parallel.h: loops over independent items by several threads, as one step of a task. The threads
 * are OpenMP's, or POSIX threads for thread sanitizers; a build without threads runs every loop in
 * the calling thread. Rooms above use these functions and no pragmas.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_PARALLEL_H
#define GFP_FIELD_BASE_PARALLEL_H

#include "field/base/task.h"

/* The ways a build makes threads: GFP_PARALLEL is one of them (cmake: GFP_OPENMP). */
#define GFP_PARALLEL_NONE 0
#define GFP_PARALLEL_OPENMP 1
#define GFP_PARALLEL_PTHREADS 2 /* the twin that thread sanitizers understand */

/* The body of a loop: does the items from <= i < to, as worker number `worker`. No two calls with
 * the same worker number run at the same time. task is the worker's own task (NULL if the loop has
 * none), for gfp_task_advance and gfp_task_report: if one of them returns false, the loop stops and
 * the body must return CANCELLED. Any other error stops the loop as well. The body must not
 * allocate through the hook. */
typedef gfp_status gfp_parallel_run(void *job, size_t from, size_t to, unsigned worker,
                                    gfp_task *task);

typedef struct gfp_parallel {
    gfp_parallel_run *run;
    void *job;
    /* Called in every thread except the calling one, after its last items; may be NULL. */
    void (*leave)(void);
} gfp_parallel;

/* Returns the number of threads of a task: at least 1, and 1 without a task. */
static inline unsigned gfp_task_threads(const gfp_task *task)
{
    return task == NULL || task->threads == 0 ? 1 : task->threads;
}

/* Returns the number of processors that threads of this process may run on, at least 1; 1 in a
 * build without threads. */
unsigned gfp_threads_available(void);

/* Returns the number of workers of a loop over `items` items, handed out in chunks of `chunk` >= 1
 * items: at most the threads of the task, at most the number of chunks, and at least 1. Worker
 * numbers are below this number. */
unsigned gfp_parallel_workers(const gfp_task *task, size_t items, size_t chunk);

/* Runs the loop and returns when all threads are done. A loop with one worker is a single call, in
 * the calling thread, with the task itself. If several workers fail, the function returns one of
 * their errors. Threads write to the caller's arrays, so the result for an item must not depend on
 * the worker. */
gfp_status gfp_parallel_for(const gfp_parallel *loop, gfp_task *task, size_t items, size_t chunk);

/* Returns a chunk size that hands out about `rounds` chunks to each thread of the task. */
size_t gfp_parallel_chunk(const gfp_task *task, size_t items, size_t rounds);

/* Returns a number of this process that a child of fork does not share: a negative one that counts
 * the forks by which the process came about, which costs no call of the system as getpid does; or
 * the process's id if forks cannot be counted. */
long gfp_parallel_process(void);

/* The default number of threads of the field's calls, at least 1. */
unsigned gfp_field_threads(const gfp_field *field);
/* Returns the number of threads of a call: `asked`, or the field's default if `asked` is 0. The
 * default is 1 inside a parallel region. A child of fork that inherited the field gets 1, since
 * OpenMP's threads stay in the parent. */
unsigned gfp_parallel_threads(const gfp_field *field, unsigned asked);
/* The same for an object that is no field and was made in this process (gfp_parallel_process): its
 * default is 1. */
unsigned gfp_parallel_threads_in(long process, unsigned asked);

#endif
