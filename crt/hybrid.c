/* hybrid.c: the hybrid product: both factors to leaf digits, the leaves multiplied, and back;
 * wrapped coefficients apart; long or unbalanced factors in blocks. All memory is one work area.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "attachment.h"
#include "crt.h"
#include "hybrid_long.h"
#include "hybrid_shape.h"
#include "kernels.h"
#include "support.h"

/* Leaf digits and engines want lines of 64 bytes. */
#define ALIGN_WORDS 8

static size_t align_up(size_t words)
{
    return gfp_size_add_sat(words, ALIGN_WORDS - 1) / ALIGN_WORDS * ALIGN_WORDS;
}

/* ---- the work area ---- */

static size_t leaf_words(const gfp_hybrid_shape *shape)
{
    return gfp_size_mul_sat(gfp_size_mul_sat(shape->outer.leaves, shape->outer.m),
                            gfp_field_k(shape->outer.field));
}

/* For the leaves of two factors and the engine. */
static size_t shape_words(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape)
{
    if (shape->outer.m == 0) {
        return 0;
    }
    return gfp_size_add_sat(gfp_size_mul_sat(2, leaf_words(shape)),
                            choice->engine->work_words(shape));
}

static bool is_cut(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b)
{
    return plan->block_a < len_a || plan->block_b < len_b;
}

/* Coefficients kept beside: those wrapped around, and the product of two blocks. */
static size_t kept_coefficients(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b)
{
    const size_t product = is_cut(plan, len_a, len_b) ? plan->block_a + plan->block_b - 1 : 0;
    return plan->shape.wrap + product;
}

size_t gfp_hybrid_words(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan, size_t len_a,
                        size_t len_b)
{
    const size_t main = shape_words(choice, &plan->shape), top = shape_words(choice, &plan->top);
    const size_t kept = gfp_size_mul_sat(kept_coefficients(plan, len_a, len_b), choice->k);
    return gfp_size_add_sat(gfp_size_add_sat(kept, main > top ? main : top), 2 * ALIGN_WORDS);
}

/* ---- one product ---- */

/* A product under way. */
typedef struct job {
    const gfp_hybrid_choice *choice;
    const gfp_hybrid_plan *plan;
    uint64_t *area;    /* for a shape, on a line */
    uint64_t *wrapped; /* plan->shape.wrap coefficients */
    uint64_t *product; /* of two blocks, where there are several */
    gfp_task *task;
} job;

/* What the parts of a product weigh, for progress: a forward or inverse outer DFT of a coefficient,
 * and its product. */
#define OUTER_UNITS 1.0
#define LEAF_UNITS 14.0
/* Digit products that take as long as a unit of a digit. */
#define UNIT_COST 2.0

static double shape_units(const gfp_hybrid_shape *shape, bool square)
{
    const double points = (double)shape->outer.leaves * (double)shape->outer.m;
    return points * ((square ? 2 : 3) * OUTER_UNITS + LEAF_UNITS);
}

/* Leaf digits of one factor, where they start in the area. */
static int64_t *leaves_at(const job *w, const gfp_hybrid_shape *shape, unsigned factor)
{
    return (int64_t *)w->area + factor * leaf_words(shape);
}

/* Columns between two reports: all where nobody asks. */
static size_t column_step(const job *w, const gfp_hybrid_shape *shape)
{
    const size_t columns = shape->outer.m / w->choice->outer->lanes;
    const double cost = (double)shape->outer.leaves * w->choice->outer->lanes * w->choice->k;
    return w->task == NULL ? columns : gfp_task_block(cost * OUTER_UNITS * UNIT_COST);
}

/* The outer DFT of a factor (x, len), or its inverse to z, len coefficients. False: cancelled. */
static bool outer_dft(const job *w, const gfp_hybrid_shape *shape, unsigned factor,
                      const uint64_t *x, uint64_t *z, size_t len)
{
    const unsigned lanes = w->choice->outer->lanes;
    const size_t columns = shape->outer.m / lanes, step = column_step(w, shape);
    int64_t *digits = leaves_at(w, shape, factor);
    for (size_t v = 0; v < columns; v += step) {
        const size_t end = columns - v < step ? columns : v + step;
        if (z != NULL) {
            w->choice->outer->inverse(&shape->outer, z, len, digits, v, end);
        } else {
            w->choice->outer->forward(&shape->outer, digits, x, len, v, end);
        }
        if (!gfp_task_advance(w->task,
                              (double)((end - v) * lanes * shape->outer.leaves) * OUTER_UNITS)) {
            return false;
        }
    }
    return true;
}

/* The leaves of the first factor times those of the second, or squared. False: cancelled. */
static bool multiply_leaves(const job *w, const gfp_hybrid_shape *shape, bool square)
{
    const size_t words = shape->outer.m * w->choice->k;
    int64_t *a = leaves_at(w, shape, 0), *b = square ? a : leaves_at(w, shape, 1);
    uint64_t *work = (uint64_t *)leaves_at(w, shape, 2);
    for (unsigned j = 0; j < shape->outer.leaves; j += shape->group) {
        const unsigned left = shape->outer.leaves - j;
        const unsigned count = left < shape->group ? left : shape->group;
        w->choice->engine->multiply(shape, a + j * words, b + j * words, j, count, work);
        if (!gfp_task_advance(w->task, (double)count * (double)shape->outer.m * LEAF_UNITS)) {
            return false;
        }
    }
    return true;
}

/* c := the first len coefficients of a b modulo x^(leaves m) - ..., the second factor's leaves
 * being there already (b = NULL) or not. False: cancelled. */
static bool multiply_shape(const job *w, const gfp_hybrid_shape *shape, uint64_t *c, size_t len,
                           const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                           bool square)
{
    return (square || b == NULL || outer_dft(w, shape, 1, b, NULL, len_b)) &&
           outer_dft(w, shape, 0, a, NULL, len_a) && multiply_leaves(w, shape, square) &&
           outer_dft(w, shape, 0, NULL, c, len);
}

/* wrapped := the last wrap coefficients of a b; c, which has room for twice as many, serves as work
 * space. False: cancelled. */
static bool multiply_tops(const job *w, uint64_t *c, const uint64_t *a, size_t len_a,
                          const uint64_t *b, size_t len_b, bool square)
{
    const gfp_field *field = w->choice->field;
    const gfp_hybrid_shape *top = &w->plan->top;
    const size_t k = w->choice->k, e = w->plan->shape.wrap;
    const uint64_t *x = a + (len_a - e) * k, *y = b + (len_b - e) * k;
    if (top->outer.m == 0) {
        for (size_t i = 0; i < e; i++) {
            gfp_vec_dot(field, w->wrapped + i * k, x + i * k, y + i * k, e - i);
        }
        return true;
    }
    if (!multiply_shape(w, top, c, 2 * e - 1, x, e, y, e, square)) {
        return false;
    }
    gfp_vec_copy(field, w->wrapped, c + (e - 1) * k, e);
    return true;
}

/* c := a b in one block; b = NULL: its leaves are there. False: cancelled. */
static bool multiply_block(const job *w, uint64_t *c, const uint64_t *a, size_t len_a,
                           const uint64_t *b, size_t len_b, bool square)
{
    const gfp_hybrid_shape *shape = &w->plan->shape;
    const size_t k = w->choice->k, e = shape->wrap, n = len_a + len_b - 1 - e;
    if (e > 0 && !multiply_tops(w, c, a, len_a, b, len_b, square)) {
        return false;
    }
    if (!multiply_shape(w, shape, c, n, a, len_a, b, len_b, square)) {
        return false;
    }
    if (e > 0) {
        gfp_vec_sub(w->choice->field, c, c, w->wrapped, e);
        gfp_vec_copy(w->choice->field, c + n * k, w->wrapped, e);
    }
    return true;
}

/* ---- blocks ---- */

/* c += a b for the block of a that starts at i and that of b at j. */
static bool add_block(const job *w, uint64_t *c, const uint64_t *a, size_t len_a, size_t i,
                      const uint64_t *b, size_t len_b, size_t j, bool known)
{
    const size_t k = w->choice->k;
    const size_t n_a = gfp_size_min(w->plan->block_a, len_a - i);
    const size_t n_b = gfp_size_min(w->plan->block_b, len_b - j);
    const size_t n = n_a + n_b - 1;
    uint64_t *z = c + (i + j) * k;
    if (!multiply_shape(w, &w->plan->shape, w->product, n, a + i * k, n_a, known ? NULL : b + j * k,
                        n_b, false)) {
        return false;
    }
    gfp_vec_add(w->choice->field, z, z, w->product, n);
    return true;
}

static bool multiply_blocks(const job *w, uint64_t *c, const uint64_t *a, size_t len_a,
                            const uint64_t *b, size_t len_b)
{
    gfp_vec_zero(w->choice->field, c, len_a + len_b - 1);
    for (size_t j = 0; j < len_b; j += w->plan->block_b) {
        for (size_t i = 0; i < len_a; i += w->plan->block_a) {
            if (!add_block(w, c, a, len_a, i, b, len_b, j, i > 0)) {
                return false;
            }
        }
    }
    return true;
}

static double plan_units(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b, bool square)
{
    const size_t blocks_a = (len_a - 1) / plan->block_a + 1;
    const size_t blocks_b = (len_b - 1) / plan->block_b + 1;
    return (double)blocks_a * (double)blocks_b * shape_units(&plan->shape, square) +
           shape_units(&plan->top, square);
}

static gfp_status prepare(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan)
{
    GFP_TRY(choice->engine->prepare(&plan->shape));
    return plan->top.outer.m == 0 ? GFP_OK : choice->engine->prepare(&plan->top);
}

gfp_status gfp_hybrid_run(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan, uint64_t *c,
                          const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                          uint64_t *work, gfp_task *task)
{
    const bool cut = is_cut(plan, len_a, len_b);
    const bool square = a == b && len_a == len_b && !cut;
    if (!gfp_task_span(task, 1, plan_units(plan, len_a, len_b, square), UNIT_COST * choice->k)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    const gfp_status prepared = prepare(choice, plan);
    if (prepared != GFP_OK) {
        gfp_rounding_end(rounding);
        return prepared;
    }
    job w = {.choice = choice, .plan = plan, .task = task};
    const uintptr_t misaligned = (uintptr_t)work / sizeof *work % ALIGN_WORDS;
    w.area = work + (ALIGN_WORDS - misaligned) % ALIGN_WORDS;
    const size_t main = shape_words(choice, &plan->shape), top = shape_words(choice, &plan->top);
    w.wrapped = w.area + align_up(main > top ? main : top);
    w.product = w.wrapped + plan->shape.wrap * choice->k;
    const bool done = cut ? multiply_blocks(&w, c, a, len_a, b, len_b)
                          : multiply_block(&w, c, a, len_a, b, len_b, square);
    gfp_rounding_end(rounding);
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* ---- the door ---- */

gfp_level gfp_crt_hybrid_level(const gfp_field *field)
{
    return gfp_hybrid_level(field);
}

/* How factors of very different lengths are multiplied, if that is cheaper than the plan. */
static bool plan_long(gfp_hybrid_long *other, const gfp_hybrid_plan *plan, const gfp_field *field,
                      size_t len_a, size_t len_b)
{
    return gfp_hybrid_long_make(other, field, len_a < len_b ? len_b : len_a,
                                gfp_size_min(len_a, len_b)) &&
           other->cost < plan->cost;
}

size_t gfp_crt_hybrid_bytes(const gfp_field *field, size_t len_a, size_t len_b)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_hybrid_long other;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&plan, &choice, len_a, len_b)) {
        return SIZE_MAX;
    }
    const size_t words = plan_long(&other, &plan, field, len_a, len_b)
                             ? gfp_hybrid_long_words(&other)
                             : gfp_hybrid_words(&choice, &plan, len_a, len_b);
    return gfp_size_mul_sat(words, sizeof(uint64_t));
}

/* Work areas up to this are on the stack: an allocation costs a tenth of a short product. */
#define STACK_WORDS 4096

static gfp_status run_on_stack(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                               uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                               size_t len_b, gfp_task *task)
{
    uint64_t work[STACK_WORDS];
    return gfp_hybrid_run(choice, plan, c, a, len_a, b, len_b, work, task);
}

static gfp_status multiply_long(const gfp_hybrid_long *plan, uint64_t *c, const uint64_t *a,
                                size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->ring.choice.field);
    const size_t words = gfp_hybrid_long_words(plan);
    const bool swapped = len_a < len_b;
    uint64_t *work = gfp_allocate(allocator, words, sizeof *work);
    if (work == NULL) {
        return words > SIZE_MAX / sizeof *work ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const gfp_status status =
        gfp_hybrid_long_run(plan, c, swapped ? b : a, swapped ? a : b, work, task);
    gfp_release(allocator, work, words, sizeof *work);
    return status;
}

gfp_status gfp_crt_mul_hybrid(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, gfp_task *task)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_hybrid_long other;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&plan, &choice, len_a, len_b)) {
        return GFP_ERR_SIZE;
    }
    if (plan_long(&other, &plan, field, len_a, len_b)) {
        return multiply_long(&other, c, a, len_a, b, len_b, task);
    }
    const size_t words = gfp_hybrid_words(&choice, &plan, len_a, len_b);
    if (words <= STACK_WORDS) {
        return run_on_stack(&choice, &plan, c, a, len_a, b, len_b, task);
    }
    uint64_t *work = gfp_allocate(allocator, words, sizeof *work);
    if (work == NULL) {
        return words > SIZE_MAX / sizeof *work ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const gfp_status status = gfp_hybrid_run(&choice, &plan, c, a, len_a, b, len_b, work, task);
    gfp_release(allocator, work, words, sizeof *work);
    return status;
}
