/* operation_sums.c: several transforms, or several sums of products, of one space in one call: the
 * call begins once, and threads share them where they are short.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/choose/choice.h"
#include "product/operand/batch.h"
#include "product/operand/impl.h"
#include "poly/operation_batch.h"
#include "field/base/support.h"

/* Items beyond this time are computed one after the other, by all threads. */
#define LONG_NS 1e6
/* Items that take less than this all together are computed by one thread. Measured: gcds of degree
 * 2^10 to 2^14. */
#define SHARED_NS 12e3
/* The same in operations of few units in all, which gain little: gcds below degree 2^11. */
#define SHARED_NS_SHORT 80e3
#define SHORT_NS 12e6

/* Transforms, or sums. */
typedef struct batch {
    gfp_space *s;
    const gfp_operation_factor *factor; /* NULL: sums */
    const gfp_operation_sum *sum;
    size_t count;
    size_t products; /* of a sum, at most */
    gfp_operand_call call;
} batch;

static double share_of(const batch *w)
{
    return w->factor != NULL
               ? GFP_OPERAND_TRANSFORM_SHARE
               : GFP_OPERAND_RESTORE_SHARE + (double)w->products * GFP_OPERAND_MULTIPLY_SHARE;
}

static gfp_operand_steps steps_of(const batch *w)
{
    const double count = (double)w->count;
    return w->factor != NULL ? (gfp_operand_steps){count, 0, 0}
                             : (gfp_operand_steps){0, (double)w->products * count, count};
}

static gfp_status operation_sums_transform(gfp_operand_call *call, const gfp_operation_factor *f)
{
    const gfp_field *field = call->s->field;
    const size_t k = gfp_field_k(field);
    size_t len = f->len;
    while (len > 0 && gfp_elem_is_zero(field, f->digits + (len - 1) * k)) {
        len--;
    }
    gfp_operand_set_zero(f->x);
    if (len > 0) {
        GFP_TRY(gfp_operand_transform(call, f->x, f->digits, len));
    }
    return GFP_OK;
}

/* The pairs without 0; *len := the length of their sum. */
static gfp_operand_sum pairs_of(const gfp_operation_sum *sum, const gfp_operand **x,
                                const gfp_operand **y, size_t *len)
{
    size_t count = 0;
    *len = 0;
    for (size_t i = 0; i < sum->count; i++) {
        if (sum->x[i]->len > 0 && sum->y[i]->len > 0) {
            const size_t one = gfp_operand_product_length(sum->x[i], sum->y[i]);
            *len = one > *len ? one : *len;
            x[count] = sum->x[i];
            y[count++] = sum->y[i];
        }
    }
    return (gfp_operand_sum){x, y, count};
}

static gfp_status add_up(gfp_operand_call *call, const gfp_operation_sum *sum)
{
    const gfp_field *field = call->s->field;
    const gfp_operand *x[GFP_OPERATION_SUM_PRODUCTS], *y[GFP_OPERATION_SUM_PRODUCTS];
    size_t len;
    const gfp_operand_sum pairs = pairs_of(sum, x, y, &len);
    const gfp_ring_part part = {sum->c, 0, gfp_size_min(sum->end, len)};
    if (part.end > 0) {
        GFP_TRY(gfp_operand_sum_up(call, &part, &pairs));
    }
    gfp_vec_zero(field, sum->c + part.end * gfp_field_k(field), sum->end - part.end);
    return GFP_OK;
}

static gfp_status run_item(const batch *w, gfp_operand_call *call, size_t i)
{
    return w->factor != NULL ? operation_sums_transform(call, &w->factor[i])
                             : add_up(call, &w->sum[i]);
}

/* ---- one after the other ---- */

static gfp_status run_all(batch *w)
{
    gfp_operand_call *call = &w->call;
    const gfp_operand_steps steps = steps_of(w);
    if (!gfp_operand_span(call->task, w->s, &steps)) {
        return GFP_ERR_CANCELLED;
    }
    for (size_t i = 0; i < w->count; i++) {
        GFP_TRY(run_item(w, call, i));
    }
    return gfp_task_finish(call->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status in_turn(gfp_operation_call *op, batch *w, double units)
{
    GFP_TRY(gfp_operation_call_inside(op, units));
    gfp_status status = gfp_operand_call_begin(&w->call, w->s, &op->inner, true, 0, share_of(w));
    status = gfp_operand_call_end(&w->call, status == GFP_OK ? run_all(w) : status);
    if (op->inner.report != NULL && status == GFP_OK) {
        gfp_call_note(&op->base, &op->step);
    }
    return gfp_call_inner(&op->base, status);
}

/* ---- side by side ---- */

/* The elements of an array that is the work area of a worker. */
static size_t work_elements(const gfp_operation_call *op, const gfp_space *s)
{
    return gfp_operand_work_words(s, true, 1) / gfp_field_k(op->field) + 1;
}

static gfp_status run_some(void *user, size_t from, size_t to, uint64_t *scratch, gfp_task *task)
{
    const batch *w = user;
    gfp_operand_call call;
    gfp_status status = GFP_OK;
    gfp_operand_batch_begin(&call, w->s, scratch);
    for (size_t i = from; i < to && status == GFP_OK; i++) {
        status = run_item(w, &call, i);
        if (status == GFP_OK && !gfp_task_advance(task, 1)) {
            status = GFP_ERR_CANCELLED;
        }
    }
    gfp_operand_batch_end(&call);
    return status;
}

static gfp_status side_by_side(gfp_operation_call *op, batch *w, double units)
{
    const gfp_operation_loop loop = {.run = run_some,
                                     .job = w,
                                     .items = w->count,
                                     .chunk = 1,
                                     .scratch = work_elements(op, w->s),
                                     .units = units,
                                     .cost = GFP_TASK_GRAIN};
    return gfp_operation_loop_run(op, &loop);
}

/* Whether threads compute whole items: each is too short for several threads, or there are items
 * for all of them, none of which is so long that its progress has to be reported. */
static bool is_side_by_side(const gfp_operation_call *op, const batch *w)
{
    const gfp_method *method = w->s->method;
    const double ns = share_of(w) * w->s->ns;
    const double least = gfp_operation_ns(op, op->units) < SHORT_NS ? SHARED_NS_SHORT : SHARED_NS;
    const unsigned threads = op->base.task.threads;
    return op->base.left == SIZE_MAX && threads > 1 && method->shared > 0 &&
           gfp_operand_batch_serves(w->s, w->products) && ns * (double)w->count >= least &&
           (gfp_method_useful_threads(method, ns, threads) == 1 ||
            (w->count >= threads && ns < LONG_NS));
}

static gfp_status operation_sums_run(gfp_operation_call *op, batch *w)
{
    const double units = share_of(w) * (double)w->count * (double)w->s->length;
    return is_side_by_side(op, w) ? side_by_side(op, w, units) : in_turn(op, w, units);
}

/* ---- calls ---- */

/* Whether the engine computes such sums, and needs no check of its own. */
static bool operation_sums_serves(const gfp_space *s)
{
    return s->engine->dot != NULL && s->points == 0 && s->engine->cache_bytes == 0;
}

gfp_status gfp_operation_transforms(gfp_operation_call *op, gfp_space *s,
                                    const gfp_operation_factor *factor, size_t count)
{
    batch w = {.s = s, .factor = factor, .count = count, .products = 1};
    for (size_t i = 0; i < count && !operation_sums_serves(s); i++) {
        GFP_TRY(gfp_operation_set(op, factor[i].x, factor[i].digits, factor[i].len));
    }
    return operation_sums_serves(s) && count > 0 ? operation_sums_run(op, &w) : GFP_OK;
}

static bool all_sum_up(const gfp_space *s, const gfp_operation_sum *sum, size_t count)
{
    bool good = operation_sums_serves(s);
    for (size_t i = 0; i < count && good; i++) {
        const gfp_operand *x[GFP_OPERATION_SUM_PRODUCTS], *y[GFP_OPERATION_SUM_PRODUCTS];
        size_t len;
        const gfp_operand_sum pairs = pairs_of(&sum[i], x, y, &len);
        good = pairs.count == 0 || gfp_operand_sums_up(&pairs);
    }
    return good;
}

gfp_status gfp_operation_sums(gfp_operation_call *op, gfp_space *s, const gfp_operation_sum *sum,
                              size_t count)
{
    batch w = {.s = s, .sum = sum, .count = count, .products = 2};
    for (size_t i = 0; i < count; i++) {
        w.products = sum[i].count > w.products ? sum[i].count : w.products;
    }
    if (all_sum_up(s, sum, count)) {
        return count > 0 ? operation_sums_run(op, &w) : GFP_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const gfp_operand *x[GFP_OPERATION_SUM_PRODUCTS], *y[GFP_OPERATION_SUM_PRODUCTS];
        size_t len;
        const gfp_operand_sum pairs = pairs_of(&sum[i], x, y, &len);
        gfp_vec_zero(op->field, sum[i].c, sum[i].end);
        if (pairs.count > 0) {
            GFP_TRY(gfp_operation_dot(op, sum[i].c, 0, sum[i].end, x, y, pairs.count));
        }
    }
    return GFP_OK;
}
