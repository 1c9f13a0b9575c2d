/* mul.c: the product of distributed polynomials by the hybrid method (crt/hybrid/shape.h): one plan
 * for all ranks. Ranks own ranges of columns for the outer DFT, and ranges of leaves:
 *
 *     coefficients in blocks -> columns: outer DFT -> leaves: products -> columns: outer DFT back
 *     -> coefficients in blocks.
 *
 * Where all memory is shared, the outer DFT reads coefficients from the other ranks' blocks and
 * writes leaf digits to their leaves; else each arrow is an exchange of messages, and the columns
 * of a rank lie in a slab, in which the outer DFT works in place.
 *
 * Factors that are too long for one transform, or for a rank's cap, are cut (crt/cut.h): products
 * of their parts are added one after the other.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/parallel.h"
#include "field/base/work.h"
#include "product/verify/claim.h"
#include "ranks/poly.h"

/* The chunks of columns for each thread. */
#define COLUMN_ROUNDS 4
/* The most cuts. Two cuts make four products of half the length: the work doubles. */
#define MOST_CUTS 20
/* The share of a verified call that is the product. */
#define PRODUCT_SHARE 0.9

typedef struct product {
    gfp_mpi_frame *f;
    gfp_mpi *mpi;
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan; /* of the parts that the factors are cut into, or of the factors */
    const gfp_mpi_poly *a, *b;
    gfp_mpi_poly *c;
    bool cut, square;          /* square: of a factor that is not cut: it has leaves once */
    gfp_mpi_array part[2], to; /* what is multiplied, and the place of the product */
    size_t k, lanes;
    gfp_mpi_deal columns; /* of vectors of `lanes` columns */
    gfp_mpi_deal leaves;
    gfp_mpi_memory work; /* the leaves of the first part, then those of the second unless it is the
                            first */
    gfp_mpi_memory sum;  /* with cut: this rank's coefficients of the product of two parts */
    uint64_t *slab;      /* without shared memory: the columns of this rank */
    size_t slab_words;
    unsigned workers;              /* with rooms for columns or leaves, */
    uint64_t *rooms;               /* of room_words each */
    size_t room_words, leaf_words; /* leaf_words: of one leaf */
} product;

static const gfp_outer *outer_of(const product *w)
{
    return &w->plan.shape.outer;
}

/* ---- plan and memory ---- */

/* Whether the options serve a product of n coefficients. */
static gfp_status check_options(gfp_mpi_frame *f, size_t n)
{
    const gfp_options *options = f->call.options;
    gfp_error *const error = &f->call.error;
    int log2_error;
    if (!gfp_options_auto(options)) {
        const gfp_method *const method = gfp_method_find(options->method);
        if (method == NULL) {
            return gfp_method_unknown(options->method, error);
        }
        if (strcmp(method->name, "hybrid") != 0) {
            return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                                 "over ranks the method is hybrid, not %.40s", method->name);
        }
    }
    if (options->verify == GFP_VERIFY_CROSS) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                             "over ranks a product is checked at points, not by a second method");
    }
    return options->verify == GFP_VERIFY_POINT &&
                   gfp_verify_points(f->mpi->field, n, &log2_error) == 0
               ? gfp_error_set(error, GFP_ERR_UNAVAILABLE,
                               "a check of this field needs too many points; over ranks no other "
                               "check exists")
               : GFP_OK;
}

/* Deals columns and leaves, and sizes this rank's work space. */
static void size_product(product *w)
{
    const gfp_outer *outer = outer_of(w);
    w->k = w->choice.k;
    w->lanes = w->choice.outer->lanes;
    w->columns = gfp_mpi_deal_even(outer->m / w->lanes, w->mpi->size);
    w->leaves = gfp_mpi_deal_even(outer->leaves, w->mpi->size);
    w->leaf_words = outer->m * w->k;
    w->workers = gfp_task_threads(&w->f->call.task);
    const size_t columns = gfp_hybrid_columns_words(&w->choice, outer);
    const size_t leaf = gfp_hybrid_align(gfp_leaf_work_words(w->choice.engine, &w->plan.shape));
    w->room_words = columns > leaf ? columns : leaf;
    if (gfp_mpi_deal_count(&w->leaves, w->mpi->rank) == 0) {
        w->room_words = columns;
    }
    const size_t width = gfp_mpi_deal_count(&w->columns, w->mpi->rank) * w->lanes;
    w->slab_words = w->mpi->direct ? 0 : outer->leaves * width * w->k;
}

static size_t rooms_words(const product *w)
{
    return gfp_size_add_sat(gfp_size_mul_sat(w->workers, w->room_words), GFP_HYBRID_LINE);
}

/* The words of `work` and `sum`, the same number on each rank. */
static size_t work_words(const product *w)
{
    return (w->square ? 1 : 2) * w->leaves.block * w->leaf_words;
}

static size_t sum_words(const product *w)
{
    const gfp_mpi_deal c = gfp_mpi_deal_even(w->a->deal.n + w->b->deal.n - 1, w->mpi->size);
    return w->cut ? gfp_size_min(c.block, w->plan.block_a + w->plan.block_b - 1) * w->k : 0;
}

/* The bytes of all blocks of this rank besides the polynomials. */
static size_t needed_bytes(const product *w)
{
    const size_t shared = (work_words(w) + sum_words(w)) * sizeof(uint64_t);
    const size_t arrays =
        gfp_size_add_sat(gfp_work_bytes(rooms_words(w)), gfp_work_bytes(w->slab_words));
    return gfp_size_add_sat(shared, arrays);
}

/* Plans the product of parts, after this number of cuts. Returns false if they are too long. */
static bool plan_parts(product *w, uint64_t cuts)
{
    size_t block_a = w->a->deal.n, block_b = w->b->deal.n;
    for (uint64_t i = 0; i < cuts; i++) {
        gfp_cut_longer(&block_a, &block_b);
    }
    if (!gfp_hybrid_plan_unwrapped(&w->plan, &w->choice, block_a, block_b)) {
        return false;
    }
    w->plan.shape.group = 1;
    w->cut = cuts > 0;
    w->square = w->a == w->b && !w->cut;
    size_product(w);
    return true;
}

/* Lowers the number of threads until the work space is within this rank's cap. Returns false if
 * that of one thread is not. */
static bool fit_workers(product *w)
{
    while (gfp_call_afford(&w->f->call, needed_bytes(w)) != GFP_OK) {
        if (w->workers == 1) {
            return false;
        }
        w->workers--;
    }
    return true;
}

/* Raises *cuts to the next number of cuts after which one transform serves the parts, within this
 * rank's cap. Not agreed. */
static gfp_status raise_cuts(product *w, uint64_t *cuts)
{
    while (!plan_parts(w, *cuts) || !fit_workers(w)) {
        if (*cuts == MOST_CUTS || (w->plan.block_a == 1 && w->plan.block_b == 1)) {
            return GFP_ERR_MEMORY;
        }
        ++*cuts;
    }
    return GFP_OK;
}

/* Takes this rank's work space. Not agreed. */
static gfp_status take_rooms(product *w)
{
    gfp_call *call = &w->f->call;
    GFP_TRY(gfp_call_array(call, &w->rooms, rooms_words(w)));
    w->rooms = gfp_hybrid_line(w->rooms);
    GFP_TRY(gfp_call_array(call, &w->slab, w->slab_words));
    return gfp_call_take(call, (work_words(w) + sum_words(w)) * sizeof(uint64_t));
}

/* The plan that all ranks agree on, with work space on each. A cut can raise what a rank needs: the
 * first one adds a sum, and makes a square a product. So ranks raise the number of cuts until it is
 * within the caps of all. */
static gfp_status plan_product(product *w)
{
    uint64_t cuts = 0, before;
    gfp_hybrid_choose(&w->choice, w->mpi->field);
    do {
        before = cuts;
        GFP_TRY(gfp_mpi_step(w->f, raise_cuts(w, &cuts)));
        GFP_TRY(gfp_mpi_step(w->f, gfp_mpi_max(w->mpi, &cuts, 1)));
    } while (cuts > before);
    w->f->call.task.threads = w->workers;
    return gfp_mpi_step(w->f, take_rooms(w));
}

/* ---- the outer DFT ---- */

/* The leaves of part 0 or 1, whose elements have k words. */
static gfp_mpi_array leaf_array(const product *w, unsigned factor)
{
    const size_t m = outer_of(w)->m;
    return (gfp_mpi_array){gfp_mpi_deal_units(w->leaves, m), w->work.block,
                           factor * w->leaves.block * w->leaf_words, w->k, false};
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

/* The pass between the coefficients x and the leaves of part 0 or 1. Not agreed. */
static gfp_status transform_part(const product *w, const gfp_mpi_array *x, unsigned factor,
                                 bool inverse)
{
    const gfp_mpi_array leaves = leaf_array(w, factor);
    const gfp_hybrid_pieces x_pieces = {gfp_mpi_array_at, x},
                            leaf_pieces = {gfp_mpi_array_at, &leaves};
    pass s = {w, x_pieces, leaf_pieces, x->deal.n, inverse};
    if (w->mpi->direct) {
        return run_pass(&s);
    }
    const gfp_mpi_grid x_grid = grid_of(w, x->deal), leaf_grid = grid_of(w, leaves.deal);
    uint64_t *const x_mine = gfp_mpi_array_mine(x, w->mpi->rank);
    uint64_t *const leaves_mine = gfp_mpi_array_mine(&leaves, w->mpi->rank);
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
    const uint64_t *const b = w->square ? a : a + w->leaves.block * w->leaf_words;
    for (size_t j = from; j < to; j++) {
        const gfp_leaves leaf = {w->choice.engine, &w->plan.shape, (unsigned)(first + j), 1,
                                 w->rooms + worker * w->room_words};
        gfp_leaf_multiply(&leaf, (int64_t *)(a + j * w->leaf_words),
                          (const int64_t *)(b + j * w->leaf_words));
        if (!gfp_task_advance(task, (double)outer_of(w)->m * GFP_HYBRID_LEAF_UNITS)) {
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
    const double blocks = gfp_hybrid_blocks(&w->plan, w->a->deal.n, w->b->deal.n);
    const double second = w->square ? 0 : (double)gfp_cut_count(w->b->deal.n, w->plan.block_b);
    const double columns =
        (double)gfp_mpi_deal_count(&w->columns, w->mpi->rank) * (double)w->lanes * outer->leaves;
    const double leaves = (double)gfp_mpi_deal_count(&w->leaves, w->mpi->rank) * (double)outer->m;
    const double units = columns * (2 * blocks + second) * GFP_HYBRID_COLUMN_UNITS +
                         leaves * blocks * GFP_HYBRID_LEAF_UNITS;
    return gfp_task_span(&w->f->call.task, 1, units + 1, GFP_HYBRID_UNIT_COST * (double)w->k);
}

/* w->to := the product of the parts. second: the leaves of the second one are to be computed. */
static gfp_status multiply_parts(product *w, bool second)
{
    gfp_mpi_frame *f = w->f;
    gfp_status status = transform_part(w, &w->part[0], 0, false);
    if (second) {
        const gfp_status other = transform_part(w, &w->part[1], 1, false);
        status = status == GFP_OK ? other : status;
    }
    GFP_TRY(gfp_mpi_step(f, status));
    GFP_TRY(gfp_mpi_step(f, run_leaves(w)));
    return gfp_mpi_step(f, transform_part(w, &w->to, 0, true));
}

/* Adds this rank's coefficients of the product of two parts, which begins at coefficient `at`. */
static void add_sum(product *w, size_t at)
{
    const gfp_mpi_array c = gfp_mpi_poly_range(w->c, at, w->to.deal.n);
    const size_t count = gfp_mpi_deal_count(&c.deal, w->mpi->rank);
    if (count > 0) {
        uint64_t *const z = gfp_mpi_array_mine(&c, w->mpi->rank);
        gfp_vec_add(w->mpi->field, z, z, gfp_mpi_array_mine(&w->to, w->mpi->rank), count);
    }
}

/* c := the sum of the products of all parts. */
static gfp_status multiply_pieces(product *w)
{
    const gfp_range factors =
        gfp_range_whole(w->mpi->field, NULL, w->a->deal.n, NULL, w->b->deal.n);
    const gfp_cut cut = gfp_cut_factors(&factors, w->plan.block_a, w->plan.block_b);
    size_t last = SIZE_MAX; /* the part of b whose leaves are present */
    gfp_vec_zero(w->mpi->field, gfp_mpi_poly_mine(w->c), gfp_mpi_poly_count(w->c));
    for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(&cut, &x);) {
        w->part[0] = gfp_mpi_poly_range(w->a, x.a * cut.length_a, x.range.len_a);
        w->part[1] = gfp_mpi_poly_range(w->b, x.b * cut.length_b, x.range.len_b);
        w->to = (gfp_mpi_array){gfp_mpi_deal_range(w->c->deal, x.at, x.range.end), w->sum.block, 0,
                                w->k, true};
        GFP_TRY(multiply_parts(w, x.b != last));
        add_sum(w, x.at);
        last = x.b;
    }
    return GFP_OK;
}

static gfp_status compute_product(product *w)
{
    gfp_status status = gfp_leaf_prepare(w->choice.engine, &w->plan.shape);
    if (status == GFP_OK && !begin_units(w)) {
        status = GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_mpi_step(w->f, status));
    if (w->cut) {
        return multiply_pieces(w);
    }
    w->part[0] = gfp_mpi_poly_array(w->a);
    w->part[1] = gfp_mpi_poly_array(w->b);
    w->to = gfp_mpi_poly_array(w->c);
    return multiply_parts(w, !w->square);
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

/* With memory for leaves and sums. */
static gfp_status run_product(product *w)
{
    gfp_error *const error = &w->f->call.error;
    GFP_TRY(gfp_mpi_memory_create(&w->work, w->mpi, work_words(w), error));
    gfp_status status =
        w->cut ? gfp_mpi_memory_create(&w->sum, w->mpi, sum_words(w), error) : GFP_OK;
    if (status == GFP_OK) {
        const int rounding = gfp_rounding_begin();
        status = compute_product(w);
        gfp_rounding_end(rounding);
        gfp_mpi_memory_destroy(&w->sum, w->mpi);
    }
    gfp_mpi_memory_destroy(&w->work, w->mpi);
    return status == GFP_OK ? conclude_product(w) : status;
}

static gfp_status mul_polys(gfp_mpi_frame *f, gfp_mpi_poly *c, const gfp_mpi_poly *a,
                            const gfp_mpi_poly *b)
{
    product w = {.f = f, .mpi = f->mpi, .a = a, .b = b, .c = c};
    const bool zero = a->deal.n == 0 || b->deal.n == 0;
    const size_t n = zero ? 0 : a->deal.n + b->deal.n - 1;
    gfp_task_part(&f->call.task, f->call.options->verify == GFP_VERIFY_POINT ? PRODUCT_SHARE : 1);
    GFP_TRY(check_options(f, n)); /* the same on all ranks */
    if (!zero) {
        GFP_TRY(plan_product(&w));
    }
    GFP_TRY(gfp_mpi_poly_make(c, f->mpi, n, &f->call.error));
    const gfp_status status = zero ? GFP_OK : run_product(&w);
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
