/* task.h: how a long call accounts for its work, tells the caller's gfp_progress, and learns that
 * it shall stop. A task is one call. Its parts are what the call is made of (a product, its
 * verification), a part consists of spans, and a span counts units of work. Everything takes NULL
 * for a task: nobody asks.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TASK_H
#define GFP_TASK_H

#include "gfpoly/elem.h"

typedef struct gfp_task {
    const gfp_progress *progress;
    double part_from, part_to; /* the fraction of the call at the two ends of the part */
    double from, to;           /* the same of the span */
    double done, total;        /* units of the span */
    double grain, next;        /* the caller hears again when done reaches next */
    bool cancelled;            /* for good: the call winds up and returns CANCELLED */
    unsigned threads;          /* the call's threads; 0 and 1: the calling one */
    const void *context;       /* of the room above that made the task; lower rooms hand it down */
    /* Of a worker of a parallel loop (parallel.h): its loop, and whether it is the calling thread.
     */
    struct gfp_team *team;
    bool calls;
} gfp_task;

/* The caller need not hear more often than after so many digit products, a few 100 microseconds:
 * what hearing costs then does not show, and a step is far below the 50 ms of gfp_progress. */
#define GFP_TASK_GRAIN ((double)(1 << 18))

void gfp_task_start(gfp_task *task, const gfp_progress *progress);
/* The next part of the call, from where the last one ends to the fraction `to` of the call. */
void gfp_task_part(gfp_task *task, double to);
/* The next span, of the given units, a unit being about unit_cost digit products: from where the
 * last one ended to the fraction `to` of the part. Tells the caller; false: cancelled. */
bool gfp_task_span(gfp_task *task, double to, double units, double unit_cost);
/* What the part did is lost, and is done anew: it begins where the call is now. */
void gfp_task_again(gfp_task *task);
/* Tells the caller how far the call is; false: cancelled. For gfp_task_advance and for the ends of
 * steps. */
bool gfp_task_report(gfp_task *task);
/* parallel.c: the same for the task of a worker. */
bool gfp_team_report(gfp_task *mine);

/* The part is done. Tells the caller; false: cancelled. */
bool gfp_task_finish(gfp_task *task);

/* So many units more are done; false: cancelled. */
static inline bool gfp_task_advance(gfp_task *task, double units)
{
    if (task == NULL) {
        return true;
    }
    task->done += units;
    return task->done < task->next ? !task->cancelled : gfp_task_report(task);
}

/* Elements that a loop whose step costs element_cost digit products may treat between two calls of
 * gfp_task_advance; at least 1. */
size_t gfp_task_block(double element_cost);

/* Pointwise products z := x y of n elements, one unit each; false: cancelled, z undefined. */
bool gfp_task_vec_mul(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, size_t n);

/* What gfp_task_span takes as the cost of a general product in the field. */
double gfp_task_product_cost(const gfp_field *field);

#endif
