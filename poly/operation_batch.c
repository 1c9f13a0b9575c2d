/* operation_batch.c: see operation_batch.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/operation_batch.h"

#include "product/operand/batch.h"
#include "product/operand/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* Threads compute items side by side up to this time of a product; beyond, all threads share each
 * product, which also reports its progress. */
#define LONG_NS 1e6
/* Chunks for each thread. */
#define ROUNDS 8
#define LINE_WORDS 8

static void note_threads(gfp_operation_call *op, unsigned threads)
{
    if (threads > op->base.report.threads) {
        op->base.report.threads = threads;
    }
}

/* *x := room for as many words, aligned. */
static gfp_status take_words(gfp_operation_call *op, uint64_t **x, size_t words)
{
    const size_t k = gfp_field_k(op->field);
    return gfp_operation_array(op, x, words / k + 1);
}

static size_t operation_batch_aligned(size_t words)
{
    return gfp_size_add_sat(words, LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
}

/* ---- any items ---- */

typedef struct loop_run {
    const gfp_operation_loop *loop;
    uint64_t *scratch;
    size_t words; /* of a worker */
} loop_run;

static gfp_status run_items(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const loop_run *r = user;
    return r->loop->run(r->loop->job, from, to, r->scratch + worker * r->words, task);
}

/* The chunk, and in *workers the threads: with a cap on memory, or too few units, one. */
static size_t operation_batch_share(gfp_operation_call *op, double units, size_t items,
                                    size_t least, unsigned *workers)
{
    size_t chunk = gfp_parallel_chunk(&op->base.task, items, ROUNDS);
    chunk = chunk > least ? chunk : least;
    if (op->base.left != SIZE_MAX || gfp_operation_threads(op, units) == 1) {
        chunk = items > 0 ? items : 1;
    }
    *workers = gfp_parallel_workers(&op->base.task, items, chunk);
    return chunk;
}

gfp_status gfp_operation_loop_run(gfp_operation_call *op, const gfp_operation_loop *loop)
{
    unsigned workers;
    const size_t chunk = operation_batch_share(op, loop->units, loop->items, loop->chunk, &workers);
    loop_run r = {.loop = loop};
    const gfp_parallel parallel = {.run = run_items, .job = &r};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    r.words = operation_batch_aligned(gfp_size_mul_sat(loop->scratch, gfp_field_k(op->field)));
    GFP_TRY(take_words(op, &r.scratch, gfp_size_mul_sat(workers, r.words)));
    GFP_TRY(gfp_operation_step(op, loop->units, (double)loop->items, loop->cost));
    GFP_TRY(gfp_parallel_for(&parallel, &op->base.task, loop->items, chunk));
    note_threads(op, workers);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- items side by side ---- */

typedef struct side {
    const gfp_operation_batch *batch;
    gfp_operation_call *op;
    uint64_t *memory;
    size_t work, operand, words; /* of a worker: the work area, an operand, all */
} side;

/* The operands of a worker in its memory; they are not counted as owners of the space. */
static void place_operands(const side *s, uint64_t *at, gfp_operand *x, gfp_operand **list)
{
    for (size_t i = 0; i < s->batch->operands; i++) {
        x[i] = (gfp_operand){.space = s->batch->space, .t = {.words = at + i * s->operand}};
        list[i] = &x[i];
    }
}

static gfp_status run_side(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const side *s = user;
    uint64_t *memory = s->memory + worker * s->words;
    gfp_operand_call call;
    gfp_operand x[GFP_OPERATION_WORKER_OPERANDS], *list[GFP_OPERATION_WORKER_OPERANDS];
    const gfp_operation_worker w = {.op = s->op,
                                    .call = &call,
                                    .x = list,
                                    .z = memory + s->work + s->batch->operands * s->operand};
    gfp_status status = GFP_OK;
    place_operands(s, memory + s->work, x, list);
    gfp_operand_batch_begin(&call, s->batch->space, memory);
    for (size_t i = from; i < to && status == GFP_OK; i++) {
        status = s->batch->run(s->batch->job, i, &w);
        if (status == GFP_OK && !gfp_task_advance(task, 1)) {
            status = GFP_ERR_CANCELLED;
        }
    }
    gfp_operand_batch_end(&call);
    return status;
}

static gfp_status run_side_by_side(gfp_operation_call *op, const gfp_operation_batch *b)
{
    unsigned workers;
    const size_t chunk = operation_batch_share(op, b->units, b->items, 1, &workers);
    side s = {.batch = b, .op = op};
    const gfp_parallel parallel = {.run = run_side, .job = &s};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    s.work = operation_batch_aligned(gfp_operand_work_words(b->space, true, 1));
    s.operand = operation_batch_aligned(gfp_operand_place_words(b->space));
    s.words = gfp_size_add_sat(
        gfp_size_add_sat(s.work, gfp_size_mul_sat(b->operands, s.operand)),
        operation_batch_aligned(gfp_size_mul_sat(b->elements, gfp_field_k(op->field))));
    GFP_TRY(take_words(op, &s.memory, gfp_size_mul_sat(workers, s.words)));
    GFP_TRY(gfp_operation_step(op, b->units, (double)b->items, b->space->ns));
    GFP_TRY(gfp_parallel_for(&parallel, &op->base.task, b->items, chunk));
    note_threads(op, workers);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- items one by one ---- */

static gfp_status run_one_by_one(gfp_operation_call *op, const gfp_operation_batch *b)
{
    gfp_operand *list[GFP_OPERATION_WORKER_OPERANDS];
    gfp_operation_worker w = {.op = op, .x = list};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    for (size_t i = 0; i < b->operands; i++) {
        GFP_TRY(gfp_operation_operand(op, &list[i], b->space));
    }
    GFP_TRY(gfp_operation_array(op, &w.z, b->elements));
    for (size_t i = 0; i < b->items; i++) {
        GFP_TRY(b->run(b->job, i, &w));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_operation_batch_run(gfp_operation_call *op, const gfp_operation_batch *b)
{
    const bool apart = gfp_operand_batch_serves(b->space, b->terms) && b->space->ns < LONG_NS &&
                       b->items >= gfp_task_threads(&op->base.task);
    return apart ? run_side_by_side(op, b) : run_one_by_one(op, b);
}

gfp_status gfp_operation_worker_set(const gfp_operation_worker *w, gfp_operand *x,
                                    const uint64_t *a, size_t n)
{
    return w->call != NULL ? gfp_operand_transform(w->call, x, a, n)
                           : gfp_operation_set(w->op, x, a, n);
}

gfp_status gfp_operation_worker_dot(const gfp_operation_worker *w, uint64_t *c, size_t from,
                                    size_t end, const gfp_operand *const *x,
                                    const gfp_operand *const *y, size_t count)
{
    const gfp_operand_sum sum = {x, y, count};
    const gfp_ring_part part = {c, from, end};
    return w->call != NULL ? gfp_operand_sum_up(w->call, &part, &sum)
                           : gfp_operation_dot(w->op, c, from, end, x, y, count);
}
