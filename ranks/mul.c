/* mul.c: the product of distributed polynomials by the hybrid method (crt/hybrid/shape.h): one plan
 * for all ranks. Ranks own ranges of columns for the outer DFT, and ranges of leaves:
 *
 *     coefficients in blocks -> columns: outer DFT -> leaves: products -> columns: outer DFT back
 *     -> coefficients in blocks.
 *
 * Where all memory is shared, the outer DFT reads coefficients from the other ranks' blocks and
 * writes leaf digits to their leaves; else each arrow is an exchange of messages, and the columns
 * of a rank lie in a slab, in which the outer DFT works in place.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/parallel.h"
#include "ranks/poly.h"

/* The units of a task: see crt/hybrid/lean.c. */
#define LEAF_UNITS 14.0
#define UNIT_COST 2.0
/* The chunks of columns for each thread. */
#define COLUMN_ROUNDS 4
/* The share of a verified call that is the product. */
#define PRODUCT_SHARE 0.9

typedef struct product {
    gfp_mpi_frame *f;
    gfp_mpi *mpi;
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    const gfp_mpi_poly *a, *b;
    gfp_mpi_poly *c;
    size_t k, lanes;
    gfp_mpi_deal columns; /* of vectors of `lanes` columns */
    gfp_mpi_deal leaves;
    gfp_mpi_memory work;           /* the leaves of a, then those of b unless it is a */
    uint64_t *slab;                /* without shared memory: the columns of this rank */
    unsigned workers;              /* with rooms for columns or leaves, */
    uint64_t *rooms;               /* of room_words each */
    size_t room_words, leaf_words; /* leaf_words: of one leaf */
} product;

static const gfp_outer *outer_of(const product *w)
{
    return &w->plan.shape.outer;
}

static bool is_square(const product *w)
{
    return w->a == w->b;
}

/* ---- plan and memory ---- */

static gfp_status plan_product(product *w)
{
    gfp_mpi_frame *f = w->f;
    const gfp_options *options = f->call.options;
    if (options->method != NULL && strcmp(options->method, "auto") != 0 &&
        strcmp(options->method, "hybrid") != 0) {
        return gfp_error_set(&f->call.error, GFP_ERR_UNAVAILABLE,
                             "over ranks the method is hybrid, not %.40s", options->method);
    }
    if (options->verify == GFP_VERIFY_CROSS) {
        return gfp_error_set(&f->call.error, GFP_ERR_UNAVAILABLE,
                             "over ranks a product is checked at points, not by a second method");
    }
    gfp_hybrid_choose(&w->choice, w->mpi->field);
    if (!gfp_hybrid_plan_unwrapped(&w->plan, &w->choice, w->a->deal.n, w->b->deal.n)) {
        return gfp_error_set(&f->call.error, GFP_ERR_UNAVAILABLE,
                             "factors of %zu and %zu coefficients are too long for one transform",
                             w->a->deal.n, w->b->deal.n);
    }
    w->plan.shape.group = 1;
    return GFP_OK;
}

/* Deals columns and leaves, and takes this rank's work space. Not agreed. */
static gfp_status take_rooms(product *w)
{
    gfp_call *call = &w->f->call;
    const gfp_outer *outer = outer_of(w);
    w->k = w->choice.k;
    w->lanes = w->choice.outer->lanes;
    w->columns = gfp_mpi_deal_even(outer->m / w->lanes, w->mpi->size);
    w->leaves = gfp_mpi_deal_even(outer->leaves, w->mpi->size);
    w->leaf_words = outer->m * w->k;
    w->workers = gfp_task_threads(&call->task);
    const size_t columns = gfp_hybrid_columns_words(&w->choice, outer);
    const size_t leaf = gfp_hybrid_align(gfp_leaf_work_words(w->choice.engine, &w->plan.shape));
    w->room_words = columns > leaf ? columns : leaf;
    if (gfp_mpi_deal_count(&w->leaves, w->mpi->rank) == 0) {
        w->room_words = columns;
    }
    GFP_TRY(gfp_call_array(
        call, &w->rooms,
        gfp_size_add_sat(gfp_size_mul_sat(w->workers, w->room_words), GFP_HYBRID_LINE)));
    w->rooms = gfp_hybrid_line(w->rooms);
    if (!w->mpi->direct) {
        const size_t width = gfp_mpi_deal_count(&w->columns, w->mpi->rank) * w->lanes;
        GFP_TRY(gfp_call_array(call, &w->slab, outer->leaves * width * w->k));
    }
    return gfp_call_take(call, (is_square(w) ? 1 : 2) * w->leaves.block * w->leaf_words *
                                   sizeof(uint64_t));
}

/* ---- the outer DFT ---- */

/* The leaves of factor 0 or 1, whose elements have k words. */
static gfp_mpi_array leaf_array(const product *w, unsigned factor)
{
    const size_t m = outer_of(w)->m;
    return (gfp_mpi_array){gfp_mpi_deal_units(w->leaves, m), w->work.block,
                           factor * w->leaves.block * w->leaf_words, w->k};
}

/* A pass over this rank's columns. */
typedef struct pass {
    const product *w;
    gfp_hybrid_pieces x, leaves;
    size_t len; /* coefficients of the polynomial */
    bool inverse;
} pass;

static gfp_status transform_columns(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const pass *s = user;
    const product *w = s->w;
    const gfp_hybrid_columns room =
        gfp_hybrid_columns_in(&w->choice, outer_of(w), w->rooms + worker * w->room_words);
    const size_t first = gfp_mpi_deal_first(&w->columns, w->mpi->rank);
    return gfp_hybrid_columns_pass(&room, &s->x, s->len, &s->leaves, s->inverse, first + from,
                                   first + to, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static gfp_status run_pass(pass *s)
{
    gfp_task *task = &s->w->f->call.task;
    const size_t items = gfp_mpi_deal_count(&s->w->columns, s->w->mpi->rank);
    const gfp_parallel loop = {.run = transform_columns, .job = s};
    return items == 0 ? GFP_OK
                      : gfp_parallel_for(&loop, task, items,
                                         gfp_parallel_chunk(task, items, COLUMN_ROUNDS));
}

/* The exchange of n elements of this deal with columns. */
static gfp_mpi_grid grid_of(const product *w, gfp_mpi_deal linear)
{
    return (gfp_mpi_grid){linear.n, outer_of(w)->m, w->k, linear,
                          gfp_mpi_deal_units(w->columns, w->lanes)};
}

/* The pass between the coefficients of x and the leaves of a factor. Not agreed. */
static gfp_status transform_poly(const product *w, const gfp_mpi_poly *x, unsigned factor,
                                 bool inverse)
{
    const gfp_mpi_array coefficients = gfp_mpi_poly_array(x), leaves = leaf_array(w, factor);
    const gfp_hybrid_pieces x_pieces = {gfp_mpi_array_at, &coefficients},
                            leaf_pieces = {gfp_mpi_array_at, &leaves};
    pass s = {w, x_pieces, leaf_pieces, x->deal.n, inverse};
    if (w->mpi->direct) {
        return run_pass(&s);
    }
    const gfp_mpi_grid x_grid = grid_of(w, x->deal), leaf_grid = grid_of(w, leaves.deal);
    uint64_t *const x_mine = gfp_mpi_poly_mine(x), *const leaves_mine =
                                                       w->work.block[w->mpi->rank] + leaves.offset;
    const gfp_mpi_slab slab = {w->slab, outer_of(w)->m,
                               gfp_mpi_deal_first(&w->columns, w->mpi->rank) * w->lanes,
                               gfp_mpi_deal_count(&w->columns, w->mpi->rank) * w->lanes, w->k};
    s.x = s.leaves = (gfp_hybrid_pieces){gfp_mpi_slab_at, &slab};
    GFP_TRY(inverse ? gfp_mpi_to_columns(w->mpi, &leaf_grid, leaves_mine, w->slab)
                    : gfp_mpi_to_columns(w->mpi, &x_grid, x_mine, w->slab));
    /* A rank that is cancelled takes part in the exchange. */
    const gfp_status status = run_pass(&s);
    GFP_TRY(inverse ? gfp_mpi_to_linear(w->mpi, &x_grid, x_mine, w->slab)
                    : gfp_mpi_to_linear(w->mpi, &leaf_grid, leaves_mine, w->slab));
    return status;
}

/* ---- leaves ---- */

static gfp_status multiply_leaves(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const product *w = user;
    const size_t first = gfp_mpi_deal_first(&w->leaves, w->mpi->rank);
    uint64_t *const a = w->work.block[w->mpi->rank];
    const uint64_t *const b = is_square(w) ? a : a + w->leaves.block * w->leaf_words;
    for (size_t j = from; j < to; j++) {
        const gfp_leaves leaf = {w->choice.engine, &w->plan.shape, (unsigned)(first + j), 1,
                                 w->rooms + worker * w->room_words};
        gfp_leaf_multiply(&leaf, (int64_t *)(a + j * w->leaf_words),
                          (const int64_t *)(b + j * w->leaf_words));
        if (!gfp_task_advance(task, (double)outer_of(w)->m * LEAF_UNITS)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status run_leaves(product *w)
{
    const size_t items = gfp_mpi_deal_count(&w->leaves, w->mpi->rank);
    const gfp_parallel loop = {.run = multiply_leaves, .job = w};
    return items == 0 ? GFP_OK : gfp_parallel_for(&loop, &w->f->call.task, items, 1);
}

/* ---- the product ---- */

static bool begin_units(product *w)
{
    const gfp_outer *outer = outer_of(w);
    const double columns =
        (double)gfp_mpi_deal_count(&w->columns, w->mpi->rank) * (double)w->lanes * outer->leaves;
    const double leaves = (double)gfp_mpi_deal_count(&w->leaves, w->mpi->rank) * (double)outer->m;
    const double units =
        columns * (is_square(w) ? 2 : 3) * GFP_HYBRID_COLUMN_UNITS + leaves * LEAF_UNITS;
    return gfp_task_span(&w->f->call.task, 1, units + 1, UNIT_COST * (double)w->k);
}

static gfp_status compute_product(product *w)
{
    gfp_mpi_frame *f = w->f;
    gfp_status status = gfp_leaf_prepare(w->choice.engine, &w->plan.shape);
    if (status == GFP_OK && !begin_units(w)) {
        status = GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_mpi_step(f, status));
    status = transform_poly(w, w->a, 0, false);
    if (!is_square(w)) {
        const gfp_status other = transform_poly(w, w->b, 1, false);
        status = status == GFP_OK ? other : status;
    }
    GFP_TRY(gfp_mpi_step(f, status));
    GFP_TRY(gfp_mpi_step(f, run_leaves(w)));
    return gfp_mpi_step(f, transform_poly(w, w->c, 0, true));
}

/* The report, the check, and the last step. */
static gfp_status conclude_product(product *w)
{
    gfp_mpi_frame *f = w->f;
    f->call.report.method = "hybrid";
    if (f->call.options->verify == GFP_VERIFY_POINT) {
        gfp_task_part(&f->call.task, 1);
        GFP_TRY(gfp_mpi_check_product(f, w->c, w->a, w->b));
    }
    return gfp_mpi_step(f, gfp_call_finish(&f->call));
}

/* With memory for leaves. */
static gfp_status run_product(product *w)
{
    const size_t words = (is_square(w) ? 1 : 2) * w->leaves.block * w->leaf_words;
    gfp_mpi_frame *f = w->f;
    GFP_TRY(gfp_mpi_memory_create(&w->work, w->mpi, words, &f->call.error));
    const int rounding = gfp_rounding_begin();
    const gfp_status status = compute_product(w);
    gfp_rounding_end(rounding);
    gfp_mpi_memory_destroy(&w->work, w->mpi);
    return status == GFP_OK ? conclude_product(w) : status;
}

static gfp_status mul_polys(gfp_mpi_frame *f, gfp_mpi_poly *c, const gfp_mpi_poly *a,
                            const gfp_mpi_poly *b)
{
    product w = {.f = f, .mpi = f->mpi, .a = a, .b = b, .c = c};
    const bool zero = a->deal.n == 0 || b->deal.n == 0;
    gfp_status status = zero ? GFP_OK : plan_product(&w);
    if (status == GFP_OK && !zero) {
        status = take_rooms(&w);
    }
    gfp_task_part(&f->call.task, f->call.options->verify == GFP_VERIFY_POINT ? PRODUCT_SHARE : 1);
    GFP_TRY(gfp_mpi_step(f, status));
    const size_t n = zero ? 0 : a->deal.n + b->deal.n - 1;
    GFP_TRY(gfp_mpi_poly_make(c, f->mpi, n, &f->call.error));
    status = zero ? GFP_OK : run_product(&w);
    if (status != GFP_OK) {
        gfp_mpi_memory_destroy(&c->memory, f->mpi);
    }
    return status;
}

gfp_status gfp_mpi_poly_mul(gfp_mpi_poly *c, const gfp_mpi_poly *a, const gfp_mpi_poly *b,
                            const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly z;
    gfp_mpi_fact facts[GFP_MPI_OPERAND_FACTS];
    GFP_TRY(gfp_mpi_objects(c, a, b, options));
    gfp_mpi_operand_facts(facts, a, b);
    GFP_TRY(gfp_mpi_begin(&frame, c->mpi, "a product over ranks", options, facts,
                          GFP_MPI_OPERAND_FACTS));
    const gfp_status status = mul_polys(&frame, &z, a, b);
    if (status == GFP_OK) {
        gfp_mpi_poly_take(c, &z);
    }
    return gfp_mpi_finish(&frame, status);
}
