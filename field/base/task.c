/* task.c: spans of a long call, and the reports to its caller.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/task.h"

void gfp_task_start(gfp_task *task, const gfp_progress *progress)
{
    *task = (gfp_task){.progress = progress};
}

void gfp_task_part(gfp_task *task, double to)
{
    if (task != NULL) {
        task->part_from = task->part_to;
        task->part_to = to;
    }
}

/* Returns a fraction that is never above `to`, whatever is rounded, so that fractions do not fall
 * from one span to the next. */
static double task_fraction(const gfp_task *task)
{
    if (!(task->done < task->total)) {
        return task->to;
    }
    const double x = task->from + (task->to - task->from) * (task->done / task->total);
    return x < task->to ? x : task->to;
}

bool gfp_task_report(gfp_task *task)
{
    if (task == NULL) {
        return true;
    }
    if (task->team != NULL) {
        return gfp_team_report(task);
    }
    if (!task->cancelled && task->progress != NULL) {
        task->cancelled = !task->progress->step(task->progress->user, task_fraction(task));
    }
    task->next = task->done + task->grain;
    return !task->cancelled;
}

void gfp_task_again(gfp_task *task)
{
    if (task != NULL) {
        task->part_from = task->to = task_fraction(task);
        task->done = task->total = 0;
    }
}

bool gfp_task_span(gfp_task *task, double to, double units, double unit_cost)
{
    if (task == NULL) {
        return true;
    }
    task->from = task->to;
    task->to = to < 1 ? task->part_from + to * (task->part_to - task->part_from) : task->part_to;
    task->done = 0;
    task->total = units;
    task->grain = GFP_TASK_GRAIN / unit_cost;
    return gfp_task_report(task);
}

bool gfp_task_finish(gfp_task *task)
{
    if (task != NULL) {
        task->to = task->part_to;
        task->done = task->total;
    }
    return gfp_task_report(task);
}

bool gfp_task_forward(void *task, double fraction)
{
    gfp_task *t = task;
    t->done = fraction * t->total;
    return gfp_task_report(t);
}

size_t gfp_task_block(double element_cost)
{
    const double n = GFP_TASK_GRAIN / element_cost;
    return n < 1 ? 1 : (size_t)n;
}

bool gfp_task_vec_mul(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, size_t n)
{
    const size_t k = gfp_field_k(field);
    const size_t block = gfp_task_block(gfp_task_product_cost(field));
    for (size_t i = 0; i < n; i += block) {
        const size_t m = n - i < block ? n - i : block;
        gfp_vec_mul(field, z + i * k, x + i * k, y + i * k, m);
        if (!gfp_task_advance(task, (double)m)) {
            return false;
        }
    }
    return true;
}

double gfp_task_product_cost(const gfp_field *field)
{
    const double k = gfp_field_k(field);
    return k * k;
}
