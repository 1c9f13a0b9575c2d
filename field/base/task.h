/* task.h: the account of a long call's work: it reports progress to the caller's gfp_progress, and
 * returns whether the call must stop. A task is one call. A call consists of parts (a product, its
 * verification), a part consists of spans, and a span counts units of work. Every function accepts
 * NULL for a task: then nothing is reported and nothing is cancelled.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_TASK_H
#define GFP_FIELD_BASE_TASK_H

#include "gfpoly/elem.h"

typedef struct gfp_task {
    const gfp_progress *progress;
    double part_from, part_to; /* the fraction of the call at the two ends of the part */
    double from, to;           /* the fraction of the call at the two ends of the span */
    double done, total;        /* units of the span */
    double grain, next;        /* the caller's callback runs again when done reaches next */
    bool cancelled;            /* permanent: the call ends and returns CANCELLED */
    unsigned threads;          /* the call's threads; 0 and 1: the calling thread alone */
    unsigned workers;          /* the most that a loop used; 0: no loop used more than one */
    const void
        *context; /* belongs to the room above that made the task; lower rooms hand it down */
    /* In the task of a worker of a parallel loop (parallel.h): its loop, and whether the worker
     * runs in the calling thread. */
    struct gfp_team *team;
    bool calls;
} gfp_task;

/* The digit products between two calls of the caller's callback, a few 100 microseconds: the cost
 * of the callback does not show, and a step is far below the 50 ms of gfp_progress. */
#define GFP_TASK_GRAIN ((double)(1 << 18))

/* Starts a task that reports to progress (may be NULL), with one thread. */
void gfp_task_start(gfp_task *task, const gfp_progress *progress);
/* Starts the next part of the call, from the end of the last part to the fraction `to` of the
 * call. */
void gfp_task_part(gfp_task *task, double to);
/* Starts the next span, of `units` units that cost about unit_cost digit products each: from the
 * end of the last span to the fraction `to` of the part. Reports the progress; returns false if the
 * call is cancelled. */
bool gfp_task_span(gfp_task *task, double to, double units, double unit_cost);
/* Discards the work of the current part, which is done again: the part then starts at the fraction
 * that the call has reached. */
void gfp_task_again(gfp_task *task);
/* Reports the progress to the caller; returns false if the call is cancelled. gfp_task_advance
 * calls this function, and so do ends of steps. */
bool gfp_task_report(gfp_task *task);
/* parallel.c: gfp_task_report for the task of a worker. */
bool gfp_team_report(gfp_task *mine);

/* For the gfp_progress of a call inside, which is the whole span of `task`, a gfp_task: the call
 * inside has reached this fraction. */
bool gfp_task_forward(void *task, double fraction);

/* Ends the part and reports the progress; returns false if the call is cancelled. */
bool gfp_task_finish(gfp_task *task);

/* Counts `units` further units as done; returns false if the call is cancelled. */
static inline bool gfp_task_advance(gfp_task *task, double units)
{
    if (task == NULL) {
        return true;
    }
    task->done += units;
    return task->done < task->next ? !task->cancelled : gfp_task_report(task);
}

/* Returns the number of elements, at least 1, that a loop whose step costs element_cost digit
 * products may treat between two calls of gfp_task_advance. */
size_t gfp_task_block(double element_cost);

/* z_i := x_i y_i for n elements, one unit each. Returns false if the call is cancelled; z is
 * undefined then. */
bool gfp_task_vec_mul(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, size_t n);

/* Returns the cost of a general product in the field, in the unit of gfp_task_span. */
double gfp_task_product_cost(const gfp_field *field);

#endif
