/* operation.c: see operation.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/operation.h"

#include <string.h>

#include "product/mul.h"
#include "product/operand/batch.h"
#include "product/operand/impl.h"
#include "field/base/parallel.h"
#include "product/pipeline.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "product/methods/engine.h"

/* ---- progress ---- */

void gfp_operation_part(gfp_operation_call *op, double units)
{
    op->done += units;
    gfp_task_part(&op->base.task,
                  op->done < op->units ? op->from + (1 - op->from) * (op->done / op->units) : 1);
}

gfp_status gfp_operation_step(gfp_operation_call *op, double units, double items, double cost)
{
    gfp_operation_part(op, units);
    return gfp_task_span(&op->base.task, 1, items, cost) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* The cap of a call inside which takes these bytes in addition to what it counts itself. */
static gfp_status set_cap(gfp_operation_call *op, size_t apart)
{
    GFP_TRY(gfp_call_afford(&op->base, apart + 1));
    op->inner.memory_cap = op->base.left == SIZE_MAX ? 0 : op->base.left - apart;
    return GFP_OK;
}

/* About the time of a unit for each digit of an element. Measured: 20 (p8), 23 (p2), 33 (p32) with
 * AVX-512 IFMA, more on other levels. */
#define UNIT_NS 20
/* The least time of a step, for each of its threads: product/choose/choice.c. */
#define THREAD_NS 20e3

double gfp_operation_ns(const gfp_operation_call *op, double units)
{
    return units * UNIT_NS * gfp_field_k(op->field);
}

unsigned gfp_operation_threads(const gfp_operation_call *op, double units)
{
    const double most = gfp_operation_ns(op, units) / THREAD_NS;
    const unsigned threads = op->base.task.threads;
    return most < 2 ? 1 : most < threads ? (unsigned)most : threads;
}

/* Passes the status of a call inside. If the cap refused the call: op->base.refused := about the
 * cap that the call needs at least, for these bytes (SIZE_MAX: not known), and more than were left.
 */
static gfp_status operation_refuse(gfp_operation_call *op, gfp_status status, size_t bytes)
{
    (void)gfp_call_inner(&op->base, status);
    if (status == GFP_ERR_MEMORY && op->base.left != SIZE_MAX) {
        const size_t left = op->inner.memory_cap, taken = op->base.options->memory_cap - left;
        const size_t more = gfp_size_add_sat(left, left / 32 + 1);
        op->base.refused =
            gfp_size_add_sat(taken, bytes != SIZE_MAX && bytes > more ? bytes : more);
    }
    return status;
}

gfp_status gfp_operation_call_inside(gfp_operation_call *op, double units)
{
    GFP_TRY(set_cap(op, 0));
    return op->base.options->progress == NULL ? GFP_OK : gfp_operation_step(op, units, 1, 1);
}

/* ---- begin and end ---- */

bool gfp_operation_is_classical(const gfp_options *options)
{
    return options != NULL && options->method != NULL && strcmp(options->method, "classical") == 0;
}

/* Words of the first block, at least. */
#define LEAST_WORDS 512
/* And at most unless an array needs more: beyond, doubling costs nothing. */
#define MOST_FIRST_WORDS (1 << 24)

/* About the words that the units of the operation need. */
static size_t first_words(const gfp_operation_call *op)
{
    const double first = op->units * gfp_field_k(op->field);
    return first > LEAST_WORDS && first < MOST_FIRST_WORDS ? (size_t)first : LEAST_WORDS;
}

gfp_status gfp_operation_begin(gfp_operation_call *op, const char *name, const gfp_options *options)
{
    GFP_TRY(gfp_call_begin(&op->base, name, options));
    op->field = NULL;
    op->method = NULL;
    op->longest = 0;
    op->done = op->from = 0;
    op->checks = 0;
    op->operands = op->spaces = 0;
    return GFP_OK;
}

gfp_status gfp_operation_start(gfp_operation_call *op, const gfp_field *field, double units,
                               unsigned claims)
{
    const gfp_options *options = op->base.options;
    op->field = field;
    if (!gfp_options_auto(options) && gfp_method_find(options->method) == NULL) {
        return gfp_method_unknown(options->method, &op->base.error);
    }
    op->classical = gfp_operation_is_classical(options);
    gfp_thresholds_read(op->threshold, field, options->tuning);
    op->units = (units > 1 ? units : 1) / gfp_call_share(options->verify);
    op->check_units = (op->units - units) / claims;
    op->base.field = field;
    op->base.first_words = first_words(op);
    op->base.task.threads = gfp_parallel_threads(field, options->threads);
    op->inner = gfp_call_inside(&op->base);
    op->inner.report = options->report != NULL ? &op->step : NULL;
    return GFP_OK;
}

gfp_status gfp_operation_finish(gfp_operation_call *op)
{
    gfp_task_part(&op->base.task, 1);
    return gfp_call_finish(&op->base);
}

static void drop_operands(gfp_operation_call *op, size_t operands)
{
    while (op->operands > operands) {
        gfp_operand *x = &op->operand[--op->operands];
        gfp_call_give(&op->base, x->space->engine->cache_bytes);
        gfp_operand_displace(x);
    }
}

gfp_status gfp_operation_end(gfp_operation_call *op, gfp_status status)
{
    drop_operands(op, 0);
    while (op->spaces > 0) {
        gfp_space_destroy(op->space[--op->spaces].space);
    }
    op->base.report.method = op->method != NULL ? op->method->name : "classical";
    return gfp_call_end(&op->base, status);
}

gfp_status gfp_operation_again(gfp_operation_call *op, gfp_status status)
{
    const gfp_options options = *op->base.options;
    const uint64_t start = op->base.start;
    gfp_task *task = &op->base.task;
    gfp_task_again(task);
    const double reached = task->to;
    op->base.copy = options;
    op->base.copy.error = NULL; /* the first run's failure is not the caller's */
    op->base.options = &op->base.copy;
    (void)gfp_operation_end(op, status);
    GFP_TRY(gfp_operation_begin(op, op->base.name, &options));
    op->base.start = start;
    op->from = task->part_to = task->to = reached;
    return GFP_OK;
}

/* ---- memory ---- */

gfp_status gfp_operation_array(gfp_operation_call *op, uint64_t **x, size_t n)
{
    return gfp_call_array(&op->base, x, gfp_size_mul_sat(n, gfp_field_k(op->field)));
}

gfp_operation_mark gfp_operation_mark_here(const gfp_operation_call *op)
{
    return (gfp_operation_mark){gfp_call_mark_here(&op->base), op->operands};
}

void gfp_operation_release(gfp_operation_call *op, gfp_operation_mark mark)
{
    drop_operands(op, mark.operands);
    gfp_call_release(&op->base, mark.arrays);
}

/* ---- spaces and operands ---- */

/* The bytes of a space itself, about. */
#define SPACE_BYTES 2048

static gfp_status make_space(gfp_operation_call *op, const gfp_space_spec *spec)
{
    gfp_space *made = NULL;
    GFP_TRY(set_cap(op, SPACE_BYTES));
    GFP_TRY(operation_refuse(op, gfp_space_create(&made, op->field, spec, &op->inner), 0));
    if (op->spaces == GFP_OPERATION_SPACES) { /* the oldest one goes; its operands keep it */
        gfp_space_destroy(op->space[0].space);
        op->spaces--;
        memmove(op->space, op->space + 1, op->spaces * sizeof *op->space);
    } else {
        gfp_call_charge(&op->base, SPACE_BYTES);
    }
    gfp_call_charge(&op->base, made->ring->bytes); /* its creation kept to the cap */
    op->space[op->spaces++] = (gfp_operation_space){made, *spec};
    if (spec->length > op->longest) {
        op->longest = spec->length;
        op->method = made->method;
    }
    return GFP_OK;
}

gfp_status gfp_operation_space_of(gfp_operation_call *op, gfp_space **s, size_t length,
                                  size_t terms, gfp_wrap wrap)
{
    const gfp_space_spec spec = {length, terms, wrap};
    for (size_t i = 0; i < op->spaces; i++) {
        const gfp_space_spec *other = &op->space[i].spec;
        if (other->length == length && other->terms == terms && other->wrap == wrap) {
            *s = op->space[i].space;
            return GFP_OK;
        }
    }
    GFP_TRY(make_space(op, &spec));
    *s = op->space[op->spaces - 1].space;
    return GFP_OK;
}

gfp_status gfp_operation_operand(gfp_operation_call *op, gfp_operand **x, gfp_space *s)
{
    const size_t cache = s->engine->cache_bytes;
    uint64_t *block;
    if (op->operands == GFP_OPERATION_OPERANDS) {
        return GFP_ERR_MEMORY;
    }
    GFP_TRY(gfp_call_afford(&op->base, cache));
    GFP_TRY(gfp_call_array(&op->base, &block, gfp_operand_place_words(s)));
    *x = &op->operand[op->operands];
    GFP_TRY(gfp_operand_place(*x, s, block));
    op->operands++;
    gfp_call_charge(&op->base, cache);
    return GFP_OK;
}

/* What the report or the error keeps of a call inside by operands of s. */
static gfp_status operation_note(gfp_operation_call *op, gfp_status status, const gfp_space *s)
{
    (void)operation_refuse(op, status, s != NULL ? gfp_operand_call_bytes(s) : 0);
    if (op->inner.report != NULL && status == GFP_OK) {
        gfp_call_note(&op->base, &op->step);
    }
    return status;
}

static double length_of(const gfp_operand *x)
{
    return (double)gfp_space_length(gfp_operand_space(x));
}

gfp_status gfp_operation_set(gfp_operation_call *op, gfp_operand *x, const uint64_t *a, size_t n)
{
    GFP_TRY(gfp_operation_call_inside(op, GFP_OPERATION_SET_UNITS * length_of(x)));
    return operation_note(op, gfp_operand_set(x, a, n, &op->inner), x->space);
}

/* Zeros where a call has found no coefficients. */
static void operation_pad(const gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                          const gfp_operand_digits *d)
{
    const size_t reached = d->z == NULL ? from : d->end;
    gfp_vec_zero(op->field, c + reached * gfp_field_k(op->field), end - reached);
}

gfp_status gfp_operation_multiply_by(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                                     const uint64_t *a, size_t len_a, const gfp_operand *x)
{
    const gfp_ring_factor factor = {a, len_a};
    gfp_operand_digits d = {.z = c, .room = end};
    GFP_TRY(gfp_operation_call_inside(op, GFP_OPERATION_MULTIPLY_BY_UNITS * length_of(x)));
    GFP_TRY(operation_note(
        op, gfp_operand_take_product(&d, from, end - from, &factor, x, &op->inner), x->space));
    operation_pad(op, c, from, end, &d);
    return GFP_OK;
}

gfp_status gfp_operation_dot(gfp_operation_call *op, uint64_t *c, size_t from, size_t end,
                             const gfp_operand *const *x, const gfp_operand *const *y, size_t count)
{
    const gfp_operand_sum sum = {x, y, count};
    gfp_operand_digits d = {.z = c, .room = end};
    const double one = GFP_OPERAND_RESTORE_SHARE + (double)count * GFP_OPERAND_MULTIPLY_SHARE;
    GFP_TRY(gfp_operation_call_inside(op, one * length_of(x[0])));
    GFP_TRY(operation_note(op, gfp_operand_take_sum(&d, from, end - from, &sum, &op->inner),
                           x[0]->space));
    operation_pad(op, c, from, end, &d);
    return GFP_OK;
}

/* refuse, for a product. */
static gfp_status refuse_product(gfp_operation_call *op, gfp_status status, const gfp_mul *w)
{
    const gfp_method *row;
    const bool refused = status == GFP_ERR_MEMORY && op->base.left != SIZE_MAX;
    return operation_refuse(op, status, refused ? gfp_product_least_bytes(&w->product, &row) : 0);
}

static gfp_status product_inside(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                                 const gfp_range *range, gfp_mul *w)
{
    GFP_TRY(gfp_mul_plan(w, method, range));
    if (!w->product.nothing) {
        GFP_TRY(gfp_mul_run(w, c));
    }
    const size_t n = range->end - range->first, len = w->product.nothing ? 0 : w->len;
    gfp_vec_zero(op->field, c + len * gfp_field_k(op->field), n - len);
    if (method == NULL && len > op->longest) {
        op->longest = len;
        op->method = w->product.method;
    }
    return GFP_OK;
}

gfp_status gfp_operation_product(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                                 const gfp_range *range)
{
    gfp_mul w;
    GFP_TRY(gfp_operation_call_inside(op, (double)(range->end - range->first)));
    GFP_TRY(gfp_call_begin(&w.product.base, "product", &op->inner));
    w.product.method = NULL;
    const gfp_status status =
        gfp_call_end(&w.product.base, product_inside(op, method, c, range, &w));
    return refuse_product(op, operation_note(op, status, NULL), &w);
}
