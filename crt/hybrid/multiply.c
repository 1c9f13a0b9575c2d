/* multiply.c: the hybrid product: both factors to leaf digits, the products of leaves, and back;
 * wrapped coefficients separately; long or unbalanced factors in blocks. All memory is one work
 * area.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/attachment.h"
#include "crt/hybrid/outer_dft.h"
#include "field/base/kernels.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* ---- the work area ---- */

/* Returns the number of leaves that a thread takes at once: fewer than a group if there were too
 * few groups for the threads, and whole nodes if these are refined. */
static unsigned unit_of(const gfp_hybrid_shape *shape, unsigned threads)
{
    const unsigned step = 1U << gfp_outer_log2_step(&shape->outer);
    const unsigned share = (shape->outer.leaves - 1) / threads + 1;
    const unsigned most = (share + step - 1) / step * step;
    const unsigned unit = shape->group < step ? step : shape->group;
    return unit < most ? unit : most;
}

static unsigned threads_of(const gfp_hybrid_plan *plan)
{
    return plan->threads > 1 ? plan->threads : 1;
}

/* Each thread gets this number of items of a loop, if there are as many: some processors are slower
 * than others, or do other work. LEAF_ROUNDS: whole leaves; pieces of columns. IMAGE_ROUNDS: parts
 * of leaves, which cost more. */
#define LEAF_ROUNDS 4
#define IMAGE_ROUNDS 3

/* How threads share leaves: a leaf modulo a prime, an image, is an item, or a group of an image's
 * channels, which needs the channels of all second factors. */
typedef struct parts {
    size_t images;   /* 0: leaves stay whole */
    unsigned groups; /* of an image, a power of two */
    size_t channels_words, work_words;
} parts;

static parts parts_of(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                      const gfp_hybrid_shape *shape)
{
    const unsigned threads = threads_of(plan);
    parts z = {.images = 0, .groups = 1};
    if (threads == 1 || unit_of(shape, threads) > 1 ||
        shape->outer.leaves >= LEAF_ROUNDS * threads) {
        return z;
    }
    size_t words[2];
    gfp_leaf_part_words(choice->engine, shape, words);
    z.channels_words = words[0];
    z.work_words = gfp_hybrid_align(words[1]);
    z.images = (size_t)shape->outer.leaves * shape->primes;
    while (z.groups < choice->k && z.images * z.groups < (size_t)IMAGE_ROUNDS * threads) {
        z.groups *= 2;
    }
    return z;
}

/* Returns the number of second factors whose channels an area has. */
static size_t other_images(const parts *p, unsigned threads)
{
    return p->groups > 1 ? p->images : threads;
}

/* Returns the words of the products of leaves: a work area for each thread, and the channels of
 * leaves that threads share. */
static size_t products_words(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                             const gfp_hybrid_shape *shape)
{
    const unsigned threads = threads_of(plan), unit = unit_of(shape, threads);
    const parts p = parts_of(choice, plan, shape);
    if (p.images > 0) {
        const size_t arrays = gfp_size_add_sat(p.images, other_images(&p, threads));
        return gfp_size_add_sat(gfp_size_mul_sat(p.channels_words, arrays),
                                gfp_size_mul_sat(threads, p.work_words));
    }
    const size_t units = (shape->outer.leaves + unit - 1) / unit;
    return gfp_size_mul_sat(gfp_size_min(threads, units),
                            gfp_hybrid_align(gfp_leaf_work_words(choice->engine, shape)));
}

/* Returns the words of the leaves of two factors and of the engine. */
static size_t shape_words(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                          const gfp_hybrid_shape *shape)
{
    if (shape->outer.m == 0) {
        return 0;
    }
    return gfp_size_add_sat(gfp_size_mul_sat(2, gfp_hybrid_digit_words(&shape->outer)),
                            products_words(choice, plan, shape));
}

/* Returns the number of coefficients kept separately: wrapped ones, and the product of two
 * blocks. */
static size_t kept_coefficients(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b)
{
    const size_t product =
        gfp_hybrid_is_cut(plan, len_a, len_b) ? plan->block_a + plan->block_b - 1 : 0;
    return plan->shape.wrap + product;
}

size_t gfp_hybrid_words(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan, size_t len_a,
                        size_t len_b)
{
    const size_t main = shape_words(choice, plan, &plan->shape),
                 top = shape_words(choice, plan, &plan->top);
    const size_t kept = gfp_size_mul_sat(kept_coefficients(plan, len_a, len_b), choice->k);
    return gfp_size_add_sat(gfp_size_add_sat(kept, main > top ? main : top), 2 * GFP_HYBRID_LINE);
}

/* ---- one product ---- */

/* A running product. */
typedef struct job {
    const gfp_hybrid_choice *choice;
    const gfp_hybrid_plan *plan;
    uint64_t *area;    /* the part for a shape, aligned to a line */
    uint64_t *wrapped; /* plan->shape.wrap coefficients */
    uint64_t *product; /* of two blocks, if there are several */
    gfp_task *task;
} job;

static double shape_units(const gfp_hybrid_shape *shape, bool square)
{
    const double points = (double)shape->outer.leaves * (double)shape->outer.m;
    return points * ((square ? 2 : 3) * GFP_HYBRID_OUTER_UNITS + GFP_HYBRID_LEAF_UNITS);
}

/* Returns the leaf digits of one factor in the area. */
static int64_t *leaves_at(const job *w, const gfp_hybrid_shape *shape, unsigned factor)
{
    return (int64_t *)w->area + factor * gfp_outer_words(&shape->outer);
}

static gfp_hybrid_nodes nodes_at(const job *w, const gfp_hybrid_shape *shape, unsigned factor)
{
    return (gfp_hybrid_nodes){w->choice, &shape->outer, leaves_at(w, shape, factor)};
}

/* Running products of leaves. */
typedef struct pass {
    const job *w;
    const gfp_hybrid_shape *shape;
    gfp_hybrid_nodes nodes; /* of the first factor, and then of the product */
    gfp_hybrid_nodes other; /* of the second factor, which may be the first */
    bool other_refined; /* the second factor's nodes are refined to leaves, or the second factor is
                           the first */
    unsigned unit;      /* leaves that a thread takes at once */
} pass;

/* Multiplies `count` leaves from leaf `first` on, a group at a time. */
static void multiply_unit(const pass *s, unsigned first, unsigned count, uint64_t *work)
{
    const gfp_hybrid_shape *shape = s->shape;
    const gfp_outer *outer = &shape->outer;
    unsigned n;
    for (unsigned j = first; j < first + count; j += n) {
        const size_t at = gfp_outer_leaf_at(outer, j);
        n = (unsigned)gfp_size_min(first + count - j, shape->group);
        gfp_hybrid_refine(&s->nodes, j, n);
        if (!s->other_refined) {
            gfp_hybrid_refine(&s->other, j, n);
        }
        const gfp_leaves leaves = {s->w->choice->engine, shape, j, n, work};
        gfp_leaf_multiply(&leaves, s->nodes.digits + at, s->other.digits + at);
        gfp_hybrid_coarsen(&s->nodes, j, n);
    }
}

/* Multiplies units from <= i < to. */
static gfp_status multiply_units(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const pass *s = user;
    const gfp_hybrid_shape *shape = s->shape;
    uint64_t *work = (uint64_t *)leaves_at(s->w, shape, 2);
    if (worker > 0) {
        work += worker * gfp_hybrid_align(gfp_leaf_work_words(s->w->choice->engine, shape));
    }
    for (size_t i = from; i < to; i++) {
        const unsigned j = (unsigned)i * s->unit;
        const unsigned count = (unsigned)gfp_size_min(shape->outer.leaves - j, s->unit);
        multiply_unit(s, j, count, work);
        if (!gfp_task_advance(task,
                              (double)count * (double)shape->outer.m * GFP_HYBRID_LEAF_UNITS)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Leaves that threads share, in loops over parts of all of them. */
typedef struct sharing {
    const pass *pass;
    parts parts;
    bool square;
    uint64_t *x;     /* the channels of all images */
    uint64_t *other; /* those of second factors, of all images or one for each thread */
    uint64_t *work;  /* the threads' work areas */
    size_t columns;  /* of a leaf */
    size_t pieces;   /* of its columns */
} sharing;

/* Returns the shared leaf i, for a thread. */
static gfp_leaves shared_leaf(const sharing *s, size_t i, unsigned worker)
{
    return (gfp_leaves){s->pass->w->choice->engine, s->pass->shape, (unsigned)i, 1,
                        s->work + worker * s->parts.work_words};
}

/* Returns the leaf digits of the shared leaf i. */
static int64_t *shared_digits(const sharing *s, int64_t *digits, size_t i)
{
    return digits + gfp_outer_leaf_at(&s->pass->shape->outer, (unsigned)i);
}

static uint64_t *image_at(const sharing *s, uint64_t *channels, size_t image)
{
    return channels + image * s->parts.channels_words;
}

/* Item i is piece i mod pieces of the columns of an image. */
static gfp_status evaluate_pieces(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const sharing *s = user;
    const unsigned primes = s->pass->shape->primes;
    for (size_t i = from; i < to; i++) {
        const size_t piece = i % s->pieces, image = i / s->pieces, leaf = image / primes;
        const size_t v0 = s->columns * piece / s->pieces, v1 = s->columns * (piece + 1) / s->pieces;
        const unsigned prime = (unsigned)(image % primes);
        const gfp_leaves one = shared_leaf(s, leaf, worker);
        gfp_leaf_evaluate_columns(&one, prime, image_at(s, s->x, image),
                                  shared_digits(s, s->pass->nodes.digits, leaf), v0, v1);
        if (!s->square) {
            gfp_leaf_evaluate_columns(&one, prime, image_at(s, s->other, image),
                                      shared_digits(s, s->pass->other.digits, leaf), v0, v1);
        }
    }
    return gfp_task_report(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Item i is group i mod groups of the channels of an image. If an image is one group, its digits
 * are evaluated, too. */
static gfp_status multiply_groups(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const sharing *s = user;
    const gfp_hybrid_shape *shape = s->pass->shape;
    const unsigned groups = s->parts.groups, channels = s->pass->w->choice->k / groups;
    const double units = (double)shape->outer.m * GFP_HYBRID_LEAF_UNITS / (shape->primes * groups);
    for (size_t i = from; i < to; i++) {
        const size_t image = i / groups, leaf = image / shape->primes;
        const unsigned prime = (unsigned)(image % shape->primes);
        const unsigned c0 = (unsigned)(i % groups) * channels;
        const gfp_leaves one = shared_leaf(s, leaf, worker);
        uint64_t *x = image_at(s, s->x, image);
        if (groups == 1) {
            gfp_leaf_residues(&one, prime, x, image_at(s, s->other, worker),
                              shared_digits(s, s->pass->nodes.digits, leaf),
                              shared_digits(s, s->pass->other.digits, leaf));
        } else {
            gfp_leaf_multiply_channels(&one, prime, x, s->square ? x : image_at(s, s->other, image),
                                       c0, c0 + channels);
        }
        if (!gfp_task_advance(task, units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Item i is piece i mod pieces of the columns of a leaf. */
static gfp_status restore_pieces(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const sharing *s = user;
    for (size_t i = from; i < to; i++) {
        const size_t leaf = i / s->pieces, piece = i % s->pieces;
        const gfp_leaves one = shared_leaf(s, leaf, worker);
        gfp_leaf_restore_columns(&one, image_at(s, s->x, leaf * s->pass->shape->primes),
                                 shared_digits(s, s->pass->nodes.digits, leaf),
                                 s->columns * piece / s->pieces,
                                 s->columns * (piece + 1) / s->pieces);
    }
    return gfp_task_report(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Cuts the columns of each of `count` arrays into pieces for LEAF_ROUNDS rounds, and runs a loop
 * over these. */
static bool share_pieces(sharing *s, gfp_parallel_run *run, size_t count)
{
    gfp_task *task = s->pass->w->task;
    const size_t wanted = ((size_t)LEAF_ROUNDS * gfp_task_threads(task) + count - 1) / count;
    const gfp_parallel loop = {.run = run, .job = s};
    s->pieces = gfp_size_min(wanted, s->columns);
    return gfp_parallel_for(&loop, task, count * s->pieces, 1) == GFP_OK;
}

static bool multiply_shared(const pass *shared, const parts *p, bool square)
{
    const job *w = shared->w;
    const gfp_hybrid_shape *shape = shared->shape;
    sharing s = {.pass = shared, .parts = *p, .square = square};
    s.columns = shape->outer.m / w->choice->engine->lanes;
    s.x = (uint64_t *)leaves_at(w, shape, 2);
    s.other = image_at(&s, s.x, p->images);
    s.work = image_at(&s, s.other, other_images(p, gfp_task_threads(w->task)));
    const gfp_parallel multiply = {.run = multiply_groups, .job = &s};
    return (p->groups == 1 || share_pieces(&s, evaluate_pieces, p->images)) &&
           gfp_parallel_for(&multiply, w->task, p->images * p->groups, 1) == GFP_OK &&
           share_pieces(&s, restore_pieces, shape->outer.leaves);
}

/* Multiplies the leaves of the first factor by those of the second, or squares them, one node after
 * the other; known: the second leaves are those of an earlier product. Returns false if the call is
 * cancelled. */
static bool multiply_leaves(const job *w, const gfp_hybrid_shape *shape, bool square, bool known)
{
    /* Only the threads with work areas. */
    const unsigned threads = gfp_task_threads(w->task);
    if (w->task != NULL) {
        w->task->threads = (unsigned)gfp_size_min(threads, threads_of(w->plan));
    }
    pass s = {.w = w,
              .shape = shape,
              .nodes = nodes_at(w, shape, 0),
              .other = nodes_at(w, shape, square ? 0 : 1),
              .other_refined = square || known,
              .unit = unit_of(shape, threads_of(w->plan))};
    const gfp_parallel loop = {.run = multiply_units, .job = &s};
    const size_t units = (shape->outer.leaves + s.unit - 1) / s.unit;
    const parts p = parts_of(w->choice, w->plan, shape);
    const bool done = p.images > 0 ? multiply_shared(&s, &p, square)
                                   : gfp_parallel_for(&loop, w->task, units, 1) == GFP_OK;
    if (w->task != NULL) {
        w->task->threads = threads;
    }
    return done;
}

/* c := the coefficients of a b modulo x^(leaves m) - ... below the range's end; b = NULL: the
 * second factor's leaves are known. Returns false if the call is cancelled. */
static bool multiply_shape(const job *w, const gfp_hybrid_shape *shape, const gfp_range *r,
                           uint64_t *c, bool square)
{
    const gfp_hybrid_nodes a = nodes_at(w, shape, 0);
    const gfp_hybrid_input factors[2] = {{a, r->a, r->len_a},
                                         {nodes_at(w, shape, 1), r->b, r->len_b}};
    return gfp_hybrid_forward(factors, square || r->b == NULL ? 1 : 2, w->task) &&
           multiply_leaves(w, shape, square, r->b == NULL) &&
           gfp_hybrid_inverse(&a, c, r->end, w->task);
}

/* wrapped := the last wrap coefficients of a b. c, which has room for twice as many, is work space.
 * Returns false if the call is cancelled. */
static bool multiply_tops(const job *w, const gfp_range *r, uint64_t *c, bool square)
{
    const gfp_field *field = w->choice->field;
    const gfp_hybrid_shape *top = &w->plan->top;
    const size_t k = w->choice->k, e = w->plan->shape.wrap;
    const uint64_t *x = r->a + (r->len_a - e) * k, *y = r->b + (r->len_b - e) * k;
    if (top->outer.m == 0) {
        for (size_t i = 0; i < e; i++) {
            gfp_vec_dot_reversed(field, w->wrapped + i * k, x + i * k, y + i * k, e - i);
        }
        return true;
    }
    const gfp_range tops = gfp_range_make(field, x, y, e, e, 0, 2 * e - 1);
    if (!multiply_shape(w, top, &tops, c, square)) {
        return false;
    }
    gfp_vec_set(field, w->wrapped, c + (e - 1) * k, e);
    return true;
}

/* c := the whole product in one block. Returns false if the call is cancelled. */
static bool multiply_block(const job *w, const gfp_range *r, uint64_t *c, bool square)
{
    const gfp_hybrid_shape *shape = &w->plan->shape;
    const size_t k = w->choice->k, e = shape->wrap, n = gfp_range_product_length(r) - e;
    if (e > 0 && !multiply_tops(w, r, c, square)) {
        return false;
    }
    const gfp_range low = gfp_range_make(r->field, r->a, r->b, r->len_a, r->len_b, 0, n);
    if (!multiply_shape(w, shape, &low, c, square)) {
        return false;
    }
    if (e > 0) {
        gfp_vec_sub(w->choice->field, c, c, w->wrapped, e);
        gfp_vec_set(w->choice->field, c + n * k, w->wrapped, e);
    }
    return true;
}

/* ---- blocks ---- */

/* The leaves of a part of b stay known for all parts of a. */
static gfp_status hybrid_piece(void *user, const gfp_cut_piece *x, uint64_t *c)
{
    const job *w = user;
    gfp_range r = x->range;
    r.b = x->a > 0 ? NULL : r.b;
    return multiply_shape(w, &w->plan->shape, &r, c, false) ? GFP_OK : GFP_ERR_CANCELLED;
}

static double plan_units(const gfp_hybrid_plan *plan, size_t len_a, size_t len_b, bool square)
{
    return gfp_hybrid_blocks(plan, len_a, len_b) * shape_units(&plan->shape, square) +
           shape_units(&plan->top, square);
}

static gfp_status multiply_prepare(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan)
{
    GFP_TRY(gfp_leaf_prepare(choice->engine, &plan->shape));
    return plan->top.outer.m == 0 ? GFP_OK : gfp_leaf_prepare(choice->engine, &plan->top);
}

/* c := a b by the plan, or (ring) the coefficients below r->end in the ring of the plan's shape. */
static gfp_status multiply_run(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                               const gfp_range *r, bool ring, uint64_t *c, uint64_t *work,
                               gfp_task *task)
{
    const bool cut = gfp_hybrid_is_cut(plan, r->len_a, r->len_b);
    const bool square = r->a == r->b && r->len_a == r->len_b && !cut;
    const double units = plan_units(plan, r->len_a, r->len_b, square);
    if (!gfp_task_span(task, 1, units, GFP_HYBRID_UNIT_COST * choice->k)) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    const gfp_status prepared = multiply_prepare(choice, plan);
    if (prepared != GFP_OK) {
        gfp_rounding_end(rounding);
        return prepared;
    }
    job w = {.choice = choice, .plan = plan, .task = task};
    w.area = gfp_hybrid_line(work);
    if (cut || plan->shape.wrap > 0) { /* the kept coefficients */
        const size_t main = shape_words(choice, plan, &plan->shape),
                     top = shape_words(choice, plan, &plan->top);
        w.wrapped = w.area + gfp_hybrid_align(main > top ? main : top);
        w.product = w.wrapped + plan->shape.wrap * choice->k;
    }
    gfp_status status;
    if (cut) {
        const gfp_cut pieces = gfp_cut_factors(r, plan->block_a, plan->block_b);
        status = gfp_cut_run(&pieces, c, w.product, hybrid_piece, &w);
    } else {
        const bool done = ring ? multiply_shape(&w, &plan->shape, r, c, square)
                               : multiply_block(&w, r, c, square);
        status = done ? GFP_OK : GFP_ERR_CANCELLED;
    }
    gfp_rounding_end(rounding);
    return status;
}

gfp_status gfp_hybrid_run(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                          const gfp_range *r, uint64_t *c, uint64_t *work, gfp_task *task)
{
    return multiply_run(choice, plan, r, false, c, work, task);
}

gfp_status gfp_hybrid_run_first(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                                const gfp_range *r, uint64_t *c, uint64_t *work, gfp_task *task)
{
    return multiply_run(choice, plan, r, true, c, work, task);
}
