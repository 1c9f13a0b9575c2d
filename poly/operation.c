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

#define ALIGN_WORDS 8

/* ---- progress ---- */

gfp_status gfp_operation_step(gfp_operation_call *op, double units, double items, double cost)
{
    op->done += units;
    gfp_task_part(&op->task, op->done < op->units ? op->done / op->units : 1);
    return gfp_task_span(&op->task, 1, items, cost) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Whether the cap has room for these bytes; op->refused := the cap that this step needs if not. */
static gfp_status operation_afford(gfp_operation_call *op, size_t bytes)
{
    if (op->parent != NULL) { /* a branch takes no memory */
        op->refused = 0;
        return bytes == 0 ? GFP_OK : GFP_ERR_MEMORY;
    }
    const bool room = op->left == SIZE_MAX || bytes <= op->left;
    const size_t cap = op->options->memory_cap, taken = cap > op->left ? cap - op->left : 0;
    op->refused = room ? 0 : gfp_size_add_sat(taken, bytes);
    return room ? GFP_OK : GFP_ERR_MEMORY;
}

/* The cap of a call inside which takes these bytes in addition to what it counts itself. */
static gfp_status set_cap(gfp_operation_call *op, size_t apart)
{
    GFP_TRY(operation_afford(op, apart + 1));
    op->inner.memory_cap = op->left == SIZE_MAX ? 0 : op->left - apart;
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
    const unsigned threads = op->task.threads;
    return most < 2 ? 1 : most < threads ? (unsigned)most : threads;
}

/* Passes the status of a call inside. If the cap refused the call: op->refused := about the cap
 * that the call needs at least, for these bytes (SIZE_MAX: not known), and more than were left. */
static gfp_status operation_refuse(gfp_operation_call *op, gfp_status status, size_t bytes)
{
    if (status == GFP_ERR_MEMORY && op->left != SIZE_MAX) {
        const size_t left = op->inner.memory_cap, taken = op->options->memory_cap - left;
        const size_t more = gfp_size_add_sat(left, left / 32 + 1);
        op->refused = gfp_size_add_sat(taken, bytes != SIZE_MAX && bytes > more ? bytes : more);
    }
    return status;
}

gfp_status gfp_operation_call_inside(gfp_operation_call *op, double units)
{
    GFP_TRY(set_cap(op, 0));
    return op->options->progress == NULL ? GFP_OK : gfp_operation_step(op, units, 1, 1);
}

/* ---- begin and end ---- */

bool gfp_operation_is_classical(const gfp_options *options)
{
    return options != NULL && options->method != NULL && strcmp(options->method, "classical") == 0;
}

gfp_status gfp_operation_begin(gfp_operation_call *op, const char *name, const gfp_field *field,
                               const gfp_options *options, double units, unsigned claims)
{
    op->options = options;
    GFP_TRY(gfp_options_read(&op->options, &op->copy));
    options = op->options;
    op->field = field;
    op->name = name;
    op->method = NULL;
    op->longest = 0;
    if (options->method != NULL && strcmp(options->method, "auto") != 0 &&
        gfp_method_find(options->method) == NULL) {
        return gfp_method_unknown(options->method, options->error);
    }
    op->classical = gfp_operation_is_classical(options);
    gfp_thresholds_read(op->threshold, field, options->tuning);
    op->done = op->check_error = 0;
    op->units = (units > 1 ? units : 1) / gfp_call_share(options->verify);
    op->check_units = (op->units - units) / claims;
    op->left = options->memory_cap != 0 ? options->memory_cap : SIZE_MAX;
    op->refused = 0;
    op->start = options->report != NULL ? gfp_clock_ns() : 0;
    op->blocks = op->operands = op->spaces = op->peak = 0;
    op->parent = NULL;
    op->report = (gfp_report){.threads = 1};
    op->step = op->report;
    op->forwarded = (gfp_progress){gfp_task_forward, &op->task};
    op->inner = *options;
    op->inner.verify = GFP_VERIFY_NONE;
    op->inner.progress = options->progress != NULL ? &op->forwarded : NULL;
    op->inner.report = options->report != NULL ? &op->step : NULL;
    gfp_task_start(&op->task, options->progress);
    op->task.threads = gfp_parallel_threads(field, options->threads);
    op->task.context = options;
    return GFP_OK;
}

gfp_status gfp_operation_finish(gfp_operation_call *op)
{
    gfp_task_part(&op->task, 1);
    return gfp_task_finish(&op->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

static void drop_blocks(gfp_operation_call *op, size_t blocks)
{
    while (op->blocks > blocks) {
        gfp_operation_block *b = &op->block[--op->blocks];
        gfp_work_give(&b->work, op->field);
        if (op->left != SIZE_MAX) {
            op->left += gfp_work_bytes(b->words);
        }
    }
}

static void drop_operands(gfp_operation_call *op, size_t operands)
{
    while (op->operands > operands) {
        gfp_operand *x = &op->operand[--op->operands];
        if (op->left != SIZE_MAX) {
            op->left += x->space->engine->cache_bytes;
        }
        gfp_operand_displace(x);
    }
}

/* The report of the whole, where the last call inside has left its own. */
static void fill_report(gfp_operation_call *op)
{
    gfp_report *to = op->options->report;
    op->report.method = op->method != NULL ? op->method->name : "classical";
    op->report.multiply_ns = gfp_clock_ns() - op->start - op->report.verify_ns;
    *to = op->report;
}

static void fill_error(const gfp_operation_call *op, gfp_status status)
{
    const gfp_options *options = op->options;
    if (status == GFP_ERR_MEMORY && op->refused != 0) {
        gfp_error_fill(options->error, status,
                       "%s: at least %zu bytes are needed, more than the cap of %zu bytes",
                       op->name, op->refused, options->memory_cap);
    } else if (status == GFP_ERR_MEMORY && options->memory_cap != 0) {
        gfp_error_fill(options->error, status, "%s: no memory, or more than the cap of %zu bytes",
                       op->name, options->memory_cap);
    } else if (status == GFP_ERR_MEMORY || status == GFP_ERR_SIZE) {
        gfp_error_fill(options->error, status, "%s: %s", op->name, gfp_status_string(status));
    } else {
        (void)gfp_call_cancelled(status, options->error);
    }
}

gfp_status gfp_operation_end(gfp_operation_call *op, gfp_status status)
{
    drop_operands(op, 0);
    while (op->spaces > 0) {
        gfp_space_destroy(op->space[--op->spaces].space);
    }
    drop_blocks(op, 0);
    if (status != GFP_OK && status != GFP_ERR_VERIFY) {
        fill_error(op, status);
    } else if (op->options->report != NULL) {
        fill_report(op);
    }
    return status;
}

/* ---- branches ---- */

/* Asks the loop's host whether to go on. */
static bool operation_ask(void *task, double fraction)
{
    (void)fraction;
    return gfp_task_report(task);
}

size_t gfp_operation_words(const gfp_operation_call *op)
{
    return op->blocks == 0 ? 0 : op->block[op->blocks - 1].before + op->block[op->blocks - 1].used;
}

size_t gfp_operation_branch_words(const gfp_operation_call *parent, size_t words)
{
    size_t work = 0;
    for (size_t i = 0; i < parent->spaces; i++) {
        const size_t one = gfp_operand_batch_words(parent->space[i].space);
        work = one > work ? one : work;
    }
    work = gfp_size_add_sat(work, gfp_field_k(parent->field) + ALIGN_WORDS);
    return gfp_size_add_sat(words, work) / ALIGN_WORDS * ALIGN_WORDS;
}

void gfp_operation_begin_branch(gfp_operation_call *op, const gfp_operation_call *parent,
                                uint64_t *memory, size_t words, gfp_task *task, gfp_error *error)
{
    op->field = parent->field;
    op->copy = *parent->options;
    op->copy.error = error;
    op->copy.report = NULL;
    op->options = &op->copy;
    op->name = parent->name;
    op->method = NULL;
    op->longest = 0;
    op->classical = parent->classical;
    memcpy(op->threshold, parent->threshold, sizeof op->threshold);
    op->done = op->check_error = 0;
    op->units = parent->units;
    op->check_units = parent->check_units;
    op->left = SIZE_MAX;
    op->refused = 0;
    op->start = 0;
    op->block[0] = (gfp_operation_block){.work.words = memory, .words = words};
    op->blocks = 1;
    op->operands = op->spaces = op->peak = 0;
    op->parent = parent;
    op->report = (gfp_report){.threads = 1};
    op->forwarded = (gfp_progress){operation_ask, task};
    gfp_task_start(&op->task, parent->options->progress != NULL ? &op->forwarded : NULL);
    op->task.threads = 1;
    op->task.context = op->options;
}

/* ---- memory ---- */

/* Words of the first block, at least. */
#define LEAST_WORDS 512
/* And at most unless an array needs more: beyond, doubling costs nothing. */
#define MOST_FIRST_WORDS (1 << 24)

/* The words of a new block with room for `words` words: twice those of the one before, at first
 * about those that the units of the operation need. Where there is a cap: no more than needed. */
static size_t ample_words(const gfp_operation_call *op, size_t words)
{
    const double first = op->units * gfp_field_k(op->field);
    size_t ample = LEAST_WORDS;
    if (op->left != SIZE_MAX) {
        return words;
    }
    if (op->blocks > 0) {
        ample = gfp_size_mul_sat(2, op->block[op->blocks - 1].words);
    } else if (first > LEAST_WORDS && first < MOST_FIRST_WORDS) {
        ample = (size_t)first;
    }
    return words > ample ? words : ample;
}

static gfp_status add_block(gfp_operation_call *op, size_t words)
{
    gfp_operation_block *b = &op->block[op->blocks];
    const size_t bytes = gfp_work_bytes(words = ample_words(op, words));
    if (op->blocks == GFP_OPERATION_BLOCKS) {
        return GFP_ERR_MEMORY;
    }
    GFP_TRY(operation_afford(op, bytes));
    GFP_TRY(gfp_work_take(&b->work, op->field, words));
    b->words = words;
    b->used = 0;
    b->before = op->blocks > 0 ? b[-1].before + b[-1].used : 0;
    op->blocks++;
    if (op->left != SIZE_MAX) {
        op->left -= bytes;
    }
    return GFP_OK;
}

/* *x := words, aligned to 64 bytes. */
static gfp_status take_words(gfp_operation_call *op, uint64_t **x, size_t words)
{
    if (words > SIZE_MAX / 16) {
        return GFP_ERR_SIZE;
    }
    words = (words + ALIGN_WORDS - 1) / ALIGN_WORDS * ALIGN_WORDS;
    if (op->blocks == 0 ||
        op->block[op->blocks - 1].words - op->block[op->blocks - 1].used < words) {
        GFP_TRY(add_block(op, words));
    }
    gfp_operation_block *b = &op->block[op->blocks - 1];
    *x = b->work.words + b->used;
    b->used += words;
    op->peak = b->before + b->used > op->peak ? b->before + b->used : op->peak;
    return GFP_OK;
}

gfp_status gfp_operation_array(gfp_operation_call *op, uint64_t **x, size_t n)
{
    return take_words(op, x, gfp_size_mul_sat(n, gfp_field_k(op->field)));
}

gfp_status gfp_operation_may_take(gfp_operation_call *op, size_t bytes)
{
    return operation_afford(op, bytes);
}

gfp_operation_mark gfp_operation_mark_here(const gfp_operation_call *op)
{
    return (gfp_operation_mark){op->blocks, op->blocks == 0 ? 0 : op->block[op->blocks - 1].used,
                                op->operands};
}

void gfp_operation_release(gfp_operation_call *op, gfp_operation_mark mark)
{
    drop_operands(op, mark.operands);
    drop_blocks(op, mark.blocks);
    if (op->blocks > 0) {
        op->block[op->blocks - 1].used = mark.used;
    }
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
    } else if (op->left != SIZE_MAX) {
        op->left -= SPACE_BYTES;
    }
    if (op->left != SIZE_MAX) { /* its creation kept to the cap */
        op->left -= gfp_size_min(made->state_bytes, op->left);
    }
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
    const gfp_operation_call *owner = op->parent != NULL ? op->parent : op;
    for (size_t i = 0; i < owner->spaces; i++) {
        const gfp_space_spec *other = &owner->space[i].spec;
        if (other->length == length && other->terms == terms && other->wrap == wrap) {
            *s = owner->space[i].space;
            return op->parent == NULL || gfp_operand_batch_serves(*s, 2) ? GFP_OK
                                                                         : GFP_ERR_UNAVAILABLE;
        }
    }
    if (op->parent != NULL) {
        return GFP_ERR_UNAVAILABLE;
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
    GFP_TRY(operation_afford(op, cache));
    GFP_TRY(take_words(op, &block, gfp_operand_place_words(s)));
    *x = &op->operand[op->operands];
    GFP_TRY(gfp_operand_place(*x, s, block));
    op->operands++;
    if (op->left != SIZE_MAX) {
        op->left -= gfp_size_min(cache, op->left);
    }
    return GFP_OK;
}

/* What the report or the error keeps of a call inside by operands of s. */
static gfp_status operation_note(gfp_operation_call *op, gfp_status status, const gfp_space *s)
{
    (void)operation_refuse(op, status, s != NULL ? gfp_operand_call_bytes(s) : 0);
    if (op->inner.report != NULL && status == GFP_OK) {
        const gfp_report *step = &op->step;
        op->report.threads =
            step->threads > op->report.threads ? step->threads : op->report.threads;
        if (step->gpu_method != NULL) {
            op->report.gpu_method = step->gpu_method;
            op->report.gpu_error = step->gpu_error;
        }
    }
    return status;
}

static double length_of(const gfp_operand *x)
{
    return (double)gfp_space_length(gfp_operand_space(x));
}

gfp_status gfp_operation_set(gfp_operation_call *op, gfp_operand *x, const uint64_t *a, size_t n)
{
    if (op->parent != NULL) {
        const gfp_operation_factor factor = {x, a, n};
        return gfp_operation_transforms(op, x->space, &factor, 1);
    }
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
    const gfp_operand_factor factor = {a, len_a};
    gfp_operand_digits d = {.z = c, .room = end};
    if (op->parent != NULL) {
        return gfp_operation_branch_multiply_by(op, c, from, end, a, len_a, x);
    }
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
    if (op->parent != NULL) {
        return GFP_ERR_UNAVAILABLE;
    }
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
    const bool refused = status == GFP_ERR_MEMORY && op->left != SIZE_MAX;
    return operation_refuse(op, status, refused ? gfp_product_least_bytes(&w->product, &row) : 0);
}

gfp_status gfp_operation_product(gfp_operation_call *op, const gfp_method *method, uint64_t *c,
                                 const gfp_range *range)
{
    const size_t k = gfp_field_k(op->field), n = range->end - range->first;
    gfp_mul w;
    if (op->parent != NULL) {
        return GFP_ERR_UNAVAILABLE;
    }
    GFP_TRY(gfp_operation_call_inside(op, (double)n));
    w.product.method = NULL;
    GFP_TRY(refuse_product(op, gfp_mul_begin(&w, method, range, &op->inner), &w));
    if (w.product.nothing) {
        gfp_vec_zero(op->field, c, n);
        return GFP_OK;
    }
    GFP_TRY(refuse_product(op, operation_note(op, gfp_mul_run(&w, c), NULL), &w));
    gfp_vec_zero(op->field, c + w.len * k, n - w.len);
    if (method == NULL && w.len > op->longest) {
        op->longest = w.len;
        op->method = w.product.method;
    }
    return GFP_OK;
}
