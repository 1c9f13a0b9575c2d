/* loop.c: the items of a loop, dealt over ranks: see dealer.h.
 *
 * Chunks are long at first and shorter at the end (guided): a part of the items that are left, so
 * that all ranks end at about the same time; not above CHUNK_MOST_NS, so that a rank that dies
 * loses little; not below CHUNK_LEAST_NS, so that messages take below a hundredth of the time. The
 * items of loops that keep all results are parts of long steps: chunks take CHUNK_LEAST_NS, or one
 * item for each thread.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/deal/dealer.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

#define CHUNK_MOST_NS 2.5e8
#define CHUNK_LEAST_NS 1e6
/* Bytes of the results of a chunk, at most, unless one item has more. */
#define CHUNK_BYTES ((size_t)1 << 22)
/* Chunks that a rank has at a time. */
#define AHEAD 2

typedef struct run {
    gfp_deal_state *d;
    gfp_call *call;
    const gfp_deal_loop *loop;
    size_t items, chunk;
    uint64_t key;
    char *buffer; /* a message with the results of `most` items */
    size_t size, most;
    double ns;   /* of an item */
    double done; /* units of the task before the loop */
    gfp_progress hook;
    const gfp_progress *progress; /* the caller's */
    /* Rank 0: */
    uint8_t *taken;      /* items that were restored or given to a rank */
    bool *open;          /* ranks that have opened the loop */
    size_t next;         /* items before this one are taken */
    size_t left, undone; /* items not taken, items without results */
    unsigned open_count;
    /* Other ranks: */
    size_t queue[AHEAD][2];
    unsigned queued;
    bool closed;
} run;

/* ---- results ---- */

enum direction { COUNT, PACK, UNPACK };

/* A place in the results of all items. */
typedef struct cursor {
    size_t item, part, offset;
} cursor;

/* Moves up to `size` bytes between the results of items c->item <= i < end and the buffer; returns
 * the number of bytes. */
static size_t move_results(const run *r, cursor *c, size_t end, enum direction way, char *buffer,
                           size_t size)
{
    size_t used = 0;
    while (c->item < end && used < size) {
        const gfp_deal_span span = r->loop->place(r->loop->parallel.job, c->item, c->part);
        const size_t n = gfp_size_min(span.bytes - c->offset, size - used);
        char *data = (char *)span.data + c->offset;
        if (way == PACK) {
            memcpy(buffer + used, data, n);
        } else if (way == UNPACK) {
            memcpy(data, buffer + used, n);
        }
        used += n;
        c->offset += n;
        if (c->offset == span.bytes) {
            c->offset = 0;
            c->part++;
        }
        if (c->part == r->loop->parts) {
            c->part = 0;
            c->item++;
        }
    }
    return used;
}

/* The bytes of the results of items from <= i < to. */
static size_t results_size(const run *r, size_t from, size_t to)
{
    cursor c = {from, 0, 0};
    return move_results(r, &c, to, COUNT, NULL, SIZE_MAX);
}

/* Packs results behind the head of a message; returns the bytes of the results. */
static size_t pack_results(const run *r, const size_t items[2])
{
    cursor c = {items[0], 0, 0};
    return move_results(r, &c, items[1], PACK, r->buffer + sizeof(gfp_deal_message),
                        r->size - sizeof(gfp_deal_message));
}

/* The results of all items from rank 0 to all others. */
static gfp_status share_results(run *r)
{
    gfp_deal_state *d = r->d;
    const bool mine = d->transport.rank == 0;
    cursor c = {0, 0, 0};
    while (c.item < r->items) {
        cursor ahead = c;
        const size_t n = move_results(r, &ahead, r->items, mine ? PACK : COUNT, d->transport.room,
                                      d->transport.room_bytes);
        GFP_TRY(gfp_deal_check(d, d->transport.broadcast(d->transport.user, n)));
        if (!mine) {
            (void)move_results(r, &c, r->items, UNPACK, d->transport.room, n);
        }
        c = ahead;
    }
    return GFP_OK;
}

/* ---- one chunk on this rank ---- */

typedef struct chunk_job {
    const gfp_parallel *parallel;
    size_t from;
} chunk_job;

static gfp_status run_part(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const chunk_job *c = job;
    return c->parallel->run(c->parallel->job, c->from + from, c->from + to, worker, task);
}

static gfp_status run_chunk(run *r, const size_t items[2])
{
    const chunk_job job = {&r->loop->parallel, items[0]};
    const gfp_parallel parallel = {run_part, (void *)&job, r->loop->parallel.leave};
    gfp_task *task = &r->call->task;
    const size_t n = items[1] - items[0];
    const size_t part = gfp_size_min(r->chunk, gfp_parallel_chunk(task, n, 4));
    const uint64_t start = gfp_clock_ns();
    task->progress = &r->hook;
    const gfp_status status = gfp_parallel_for(&parallel, task, n, part);
    task->progress = r->progress;
    r->ns = (double)(gfp_clock_ns() - start) / (double)n;
    return status;
}

static bool caller_goes_on(const run *r, double fraction)
{
    return r->progress == NULL || r->progress->step(r->progress->user, fraction);
}

/* ---- rank 0: chunks ---- */

/* The number of items of the next chunk. */
static size_t chunk_size(const run *r)
{
    const size_t ranks = r->d->transport.ranks;
    const double guided = ranks == 1 ? (double)r->left : (double)r->left / (4 * (double)ranks);
    const bool is_step = r->loop->keep == GFP_DEAL_KEEP_ALL;
    const double least = CHUNK_LEAST_NS / r->ns,
                 most = (is_step ? CHUNK_LEAST_NS : CHUNK_MOST_NS) / r->ns;
    double n = guided > least ? guided : least;
    n = n < most ? n : most;
    const size_t size = n < 1 ? 1 : n < (double)r->most ? (size_t)n : r->most;
    const size_t unit = r->chunk > 1 ? r->chunk : 1, threads = gfp_task_threads(&r->call->task);
    /* Long items, too, are for all threads. */
    const size_t floor =
        threads == 1 ? 1 : gfp_size_min(gfp_size_min(threads * unit, r->most), r->left / ranks + 1);
    return size <= floor ? floor : size > unit ? size - size % unit : size;
}

/* Takes items that nobody has; returns false if none is left. */
static bool take_chunk(run *r, size_t items[2])
{
    while (r->next < r->items && r->taken[r->next] != 0) {
        r->next++;
    }
    const size_t size = chunk_size(r);
    size_t to = r->next;
    for (; to < r->items && to - r->next < size && r->taken[to] == 0; to++) {
        r->taken[to] = 1;
    }
    items[0] = r->next;
    items[1] = to;
    r->left -= to - r->next;
    r->next = to;
    return items[0] < items[1];
}

/* Sends a chunk to a rank, if items are left. */
static gfp_status give_chunk(run *r, unsigned to)
{
    size_t items[2];
    return take_chunk(r, items) ? gfp_deal_tell(r->d, to, GFP_DEAL_CHUNK, r->key, items) : GFP_OK;
}

static bool is_kept(const run *r)
{
    return r->d->file != NULL && r->loop->keep != GFP_DEAL_KEEP_NONE;
}

/* Items have results, which are packed behind the head. */
static gfp_status keep_results(run *r, const size_t items[2], size_t bytes)
{
    const uint64_t kept[2] = {items[0], items[1]};
    gfp_error error = {.status = GFP_OK};
    r->undone -= items[1] - items[0];
    if (!is_kept(r)) {
        return GFP_OK;
    }
    const gfp_status status = gfp_checkpoint_append(
        r->d->file, r->key, kept, r->buffer + sizeof(gfp_deal_message), bytes, &error);
    if (status != GFP_OK) {
        gfp_deal_fail(r->d, status, error.message);
    }
    return status;
}

/* ---- rank 0: messages ---- */

static gfp_status take_results(run *r, unsigned from, size_t bytes)
{
    gfp_deal_message m;
    memcpy(&m, r->buffer, sizeof m);
    const size_t items[2] = {(size_t)m.from, (size_t)m.to};
    cursor c = {items[0], 0, 0};
    if (m.key != r->key || m.from > m.to || m.to > r->items ||
        bytes - sizeof m != results_size(r, items[0], items[1])) {
        gfp_deal_differ(r->d);
        return GFP_ERR_ARGUMENT;
    }
    (void)move_results(r, &c, items[1], UNPACK, r->buffer + sizeof m, bytes - sizeof m);
    GFP_TRY(keep_results(r, items, bytes - sizeof m));
    return give_chunk(r, from);
}

static gfp_status rank_opens(run *r, unsigned from, const gfp_deal_message *m)
{
    r->open[from] = true;
    r->open_count++;
    if (m->key != r->key) {
        gfp_deal_differ(r->d);
        return GFP_ERR_ARGUMENT;
    }
    for (unsigned i = 0; i < AHEAD; i++) {
        GFP_TRY(give_chunk(r, from));
    }
    return GFP_OK;
}

static gfp_status treat_message(run *r, unsigned from, size_t bytes)
{
    gfp_deal_message m;
    GFP_TRY(gfp_deal_receive(r->d, from, bytes, r->buffer, r->size));
    memcpy(&m, r->buffer, sizeof m);
    switch (m.kind) {
    case GFP_DEAL_OPEN:
        return rank_opens(r, from, &m);
    case GFP_DEAL_DONE:
        return take_results(r, from, bytes);
    case GFP_DEAL_END: /* the rank failed, or came to the end without this loop */
        r->open_count -= r->open[from] ? 1 : 0;
        r->open[from] = false;
        gfp_deal_note_end(r->d, from, &m);
        gfp_deal_differ(r->d);
        return r->d->failure.status;
    default:
        return gfp_deal_refuse(r->d, GFP_DEAL_OUT_OF_ORDER);
    }
}

/* Treats all messages that have arrived; wait: waits some ms for one. Failures are in d->failure.
 */
static bool treat_messages(run *r, bool wait)
{
    gfp_deal_state *d = r->d;
    unsigned from = 0;
    size_t bytes = 1;
    while (bytes > 0 && d->failure.status == GFP_OK) {
        if (gfp_deal_check(d, d->transport.probe(d->transport.user, wait, &from, &bytes)) ==
                GFP_OK &&
            bytes > 0) {
            const gfp_status status = treat_message(r, from, bytes);
            if (status != GFP_OK) {
                gfp_deal_fail(d, status, gfp_status_string(status));
            }
        }
        wait = false;
    }
    return d->failure.status == GFP_OK;
}

static bool first_hook(void *user, double fraction)
{
    run *r = user;
    return (r->d->transport.ranks == 1 || treat_messages(r, false)) && caller_goes_on(r, fraction);
}

/* ---- rank 0: the loop ---- */

/* Items from <= i < to := the results of a record. */
static gfp_status restore_record(run *r, const uint64_t items[2])
{
    gfp_error error = {.status = GFP_OK};
    for (size_t i = (size_t)items[0]; i < items[1]; i++) {
        for (size_t part = 0; part < r->loop->parts; part++) {
            const gfp_deal_span span = r->loop->place(r->loop->parallel.job, i, part);
            const gfp_status status =
                gfp_checkpoint_read(r->d->file, span.data, span.bytes, &error);
            if (status != GFP_OK) {
                gfp_deal_fail(r->d, status, error.message);
                return status;
            }
        }
    }
    memset(r->taken + items[0], 1, (size_t)(items[1] - items[0]));
    r->left -= (size_t)(items[1] - items[0]);
    r->undone = r->left;
    r->d->restored += items[1] - items[0];
    return GFP_OK;
}

static bool is_free(const run *r, const uint64_t items[2])
{
    return memchr(r->taken + items[0], 1, (size_t)(items[1] - items[0])) == NULL;
}

/* Takes results from the checkpoint. */
static gfp_status restore_results(run *r)
{
    gfp_deal_state *d = r->d;
    gfp_error error = {.status = GFP_OK};
    uint64_t items[2], bytes;
    size_t at = 0;
    if (!is_kept(r)) {
        return GFP_OK;
    }
    const bool whole = r->loop->keep == GFP_DEAL_KEEP_ALL;
    const gfp_status status = gfp_checkpoint_begin(d->file, d->base.call_key, whole, &error);
    if (status != GFP_OK) {
        gfp_deal_fail(d, status, error.message);
        return status;
    }
    while (gfp_checkpoint_next(d->file, r->key, &at, items, &bytes)) {
        if (items[0] < items[1] && items[1] <= r->items && is_free(r, items) &&
            bytes == results_size(r, (size_t)items[0], (size_t)items[1])) {
            GFP_TRY(restore_record(r, items));
        }
    }
    return GFP_OK;
}

/* Computes a chunk, or waits for messages if none is left. */
static gfp_status first_step(run *r)
{
    size_t items[2];
    gfp_task *task = &r->call->task;
    if (!take_chunk(r, items)) {
        (void)treat_messages(r, true);
        return gfp_task_report(task) ? GFP_OK : GFP_ERR_CANCELLED;
    }
    GFP_TRY(run_chunk(r, items));
    const size_t bytes = is_kept(r) ? pack_results(r, items) : 0;
    GFP_TRY(keep_results(r, items, bytes));
    const double done = r->done + r->loop->units * (double)(r->items - r->undone);
    task->done = done > task->done ? done : task->done;
    return GFP_OK;
}

/* The checkpoint of a loop whose items cannot be computed again later. */
static gfp_status sync_results(run *r)
{
    gfp_deal_state *d = r->d;
    gfp_error error = {.status = GFP_OK};
    if (d->file == NULL || r->loop->keep != GFP_DEAL_KEEP_ALL || d->failure.status != GFP_OK) {
        return d->failure.status;
    }
    const gfp_status status = gfp_checkpoint_sync(d->file, &error);
    if (status != GFP_OK) {
        gfp_deal_fail(d, status, error.message);
    }
    return status;
}

static gfp_status run_first(run *r)
{
    gfp_deal_state *d = r->d;
    const unsigned others = d->transport.ranks - 1;
    gfp_status status = restore_results(r);
    while (status == GFP_OK && d->failure.status == GFP_OK &&
           (r->undone > 0 || r->open_count < others)) {
        status = others > 0 ? (treat_messages(r, false) ? GFP_OK : d->failure.status) : GFP_OK;
        status = status == GFP_OK ? first_step(r) : status;
    }
    if (status != GFP_OK) {
        const gfp_error *error = &r->call->error;
        gfp_deal_fail(d, status,
                      error->status == status ? error->message : gfp_status_string(status));
    }
    (void)sync_results(r);
    for (unsigned i = 1; i <= others; i++) {
        if (r->open[i]) {
            GFP_TRY(gfp_deal_tell(d, i, GFP_DEAL_CLOSE, r->key, NULL));
        }
    }
    return d->failure.status;
}

/* ---- other ranks ---- */

static gfp_status other_message(run *r, size_t bytes)
{
    gfp_deal_message m;
    GFP_TRY(gfp_deal_receive(r->d, 0, bytes, &m, sizeof m));
    if (m.kind == GFP_DEAL_CHUNK && r->queued < AHEAD && m.to <= r->items && m.from < m.to) {
        r->queue[r->queued][0] = (size_t)m.from;
        r->queue[r->queued][1] = (size_t)m.to;
        r->queued++;
        return GFP_OK;
    }
    if (m.kind != GFP_DEAL_CLOSE) {
        return gfp_deal_refuse(r->d, GFP_DEAL_OUT_OF_ORDER);
    }
    r->closed = true;
    if (m.status != GFP_OK) {
        gfp_deal_fail(r->d, (gfp_status)m.status, m.text);
    }
    return r->d->failure.status;
}

static bool other_messages(run *r, bool wait)
{
    gfp_deal_state *d = r->d;
    unsigned from = 0;
    size_t bytes = 1;
    while (bytes > 0 && !r->closed && d->failure.status == GFP_OK) {
        if (gfp_deal_check(d, d->transport.probe(d->transport.user, wait, &from, &bytes)) ==
                GFP_OK &&
            bytes > 0) {
            (void)other_message(r, bytes);
        }
        wait = false;
    }
    return d->failure.status == GFP_OK;
}

static bool other_hook(void *user, double fraction)
{
    run *r = user;
    return other_messages(r, false) && caller_goes_on(r, fraction);
}

/* Computes the first chunk of the queue, and sends the results. */
static gfp_status other_chunk(run *r)
{
    gfp_deal_state *d = r->d;
    const size_t items[2] = {r->queue[0][0], r->queue[0][1]};
    memmove(r->queue[0], r->queue[1], (AHEAD - 1) * sizeof r->queue[0]);
    r->queued--;
    GFP_TRY(run_chunk(r, items));
    const gfp_deal_message m = {
        .kind = GFP_DEAL_DONE, .key = r->key, .from = items[0], .to = items[1]};
    memcpy(r->buffer, &m, sizeof m);
    const size_t bytes = pack_results(r, items);
    return gfp_deal_check(d, d->transport.send(d->transport.user, 0, r->buffer, sizeof m + bytes));
}

/* *own := a failure of this rank. The rank may leave the loop, which has results of all items
 * otherwise, only if it has a chunk without results: then rank 0 cannot have closed the loop. */
static gfp_status run_other(run *r, gfp_status *own)
{
    gfp_deal_state *d = r->d;
    GFP_TRY(gfp_deal_tell(d, 0, GFP_DEAL_OPEN, r->key, NULL));
    while (d->failure.status == GFP_OK && !r->closed) {
        if (r->queued == 0) {
            (void)other_messages(r, true);
            *own = gfp_task_report(&r->call->task) ? *own : GFP_ERR_CANCELLED;
        } else {
            *own = *own == GFP_OK ? other_chunk(r) : *own;
            if (*own != GFP_OK) {
                break;
            }
        }
    }
    return d->failure.status != GFP_OK || r->closed ? d->failure.status : *own;
}

/* ---- all ranks ---- */

static gfp_status loop_arrays(run *r)
{
    uint64_t *memory;
    const unsigned ranks = r->d->transport.ranks;
    const size_t whole = gfp_size_mul_sat(r->items, r->loop->bytes);
    r->most = r->loop->bytes > CHUNK_BYTES ? 1 : CHUNK_BYTES / (r->loop->bytes + 1) + 1;
    r->most = gfp_size_min(r->most, r->items);
    const size_t results = gfp_size_min(gfp_size_mul_sat(r->most, r->loop->bytes), whole);
    r->size = gfp_size_add_sat(results, sizeof(gfp_deal_message));
    GFP_TRY(gfp_call_array(&*r->call, &memory, r->size / 8 + 1));
    r->buffer = (char *)memory;
    if (r->d->transport.rank == 0) {
        GFP_TRY(gfp_call_array(r->call, &memory, r->items / 8 + 1));
        r->taken = (uint8_t *)memory;
        memset(r->taken, 0, r->items);
        GFP_TRY(gfp_call_array(r->call, &memory, ranks));
        r->open = (bool *)memory;
        memset(r->open, 0, ranks * sizeof *r->open);
    }
    return GFP_OK;
}

static gfp_status deal_items(run *r)
{
    gfp_task *task = &r->call->task;
    gfp_status own = GFP_OK;
    GFP_TRY(loop_arrays(r));
    GFP_TRY(r->d->transport.rank == 0 ? run_first(r) : run_other(r, &own));
    if (r->d->transport.ranks > 1) {
        GFP_TRY(share_results(r));
    }
    GFP_TRY(own);
    const double done = r->done + r->loop->units * (double)r->items;
    task->done = done > task->done ? done : task->done;
    return gfp_task_report(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_deal_loop_run(gfp_dealer *dealer, struct gfp_call *call, const gfp_deal_loop *loop,
                             size_t items, size_t chunk)
{
    gfp_deal_state *d = (gfp_deal_state *)dealer;
    const uint64_t shape[] = {items, loop->parts, loop->bytes};
    const gfp_call_mark mark = gfp_call_mark_here(call);
    if (d->transport.ranks > 1 && loop->bytes > d->transport.most - sizeof(gfp_deal_message)) {
        return gfp_parallel_for(&loop->parallel, &call->task, items, chunk);
    }
    dealer->key = dealer->kind->mix(dealer->key, shape, sizeof shape);
    run r = {.d = d,
             .call = call,
             .loop = loop,
             .items = items,
             .chunk = chunk,
             .key = dealer->key,
             .ns = loop->units * (GFP_TASK_GRAIN / call->task.grain),
             .done = call->task.done,
             .progress = call->task.progress,
             .left = items,
             .undone = items};
    r.hook = (gfp_progress){d->transport.rank == 0 ? first_hook : other_hook, &r};
    const gfp_status status = deal_items(&r);
    gfp_call_release(call, mark);
    if (status != GFP_OK && d->failure.status == status && call->error.status != status) {
        call->error = d->failure;
    }
    return status;
}
