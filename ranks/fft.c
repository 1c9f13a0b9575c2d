/* fft.c: transforms of distributed arrays: the six-step formula of fft/blocks.h, N = R C, with the
 * matrix of R rows dealt to ranks by columns, and then by rows:
 *
 *     blocks -> columns: transforms of R points, products -> rows: transforms of C points
 *     -> blocks.
 *
 * In natural order the values of a row lie apart in the result, and the last arrow is a
 * transposition; in permuted order a row stays a row, and the inverse goes the way back. Rank 0
 * transforms other lengths alone.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/blocks.h"
#include "field/base/parallel.h"
#include "ranks/poly.h"

/* The elements of a row that a transposition moves at a time. */
#define TILE ((size_t)16)

typedef struct transform {
    gfp_mpi_frame *f;
    gfp_mpi *mpi;
    gfp_fft_blocks blocks;
    gfp_direction direction;
    gfp_order order;
    size_t k, row_count, column_count; /* R, C */
    gfp_mpi_deal rows, columns;
    gfp_mpi_memory memory; /* this rank's rows, or the vectors of its columns */
    uint64_t *slab;        /* this rank's columns, a row of them after the other */
    uint64_t *work;        /* of the threads */
} transform;

static uint64_t *vectors_of(const transform *w)
{
    return w->memory.block[w->mpi->rank];
}

/* ---- steps of this rank ---- */

/* z[j rows + i] := x[i columns + j]. */
typedef struct transposition {
    uint64_t *z;
    const uint64_t *x;
    size_t rows, columns, k;
} transposition;

static gfp_status transpose_columns(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const transposition *t = user;
    const size_t k = t->k;
    (void)worker;
    (void)task;
    for (size_t first = from; first < to; first += TILE) {
        const size_t end = gfp_size_min(first + TILE, to);
        for (size_t i = 0; i < t->rows; i++) {
            for (size_t j = first; j < end; j++) {
                memcpy(t->z + (j * t->rows + i) * k, t->x + (i * t->columns + j) * k,
                       k * sizeof *t->z);
            }
        }
    }
    return GFP_OK;
}

static gfp_status transpose_array(const transform *w, uint64_t *z, const uint64_t *x, size_t rows,
                                  size_t columns)
{
    const transposition t = {z, x, rows, columns, w->k};
    const gfp_parallel loop = {.run = transpose_columns, .job = (void *)&t};
    gfp_task *task = &w->f->call.task;
    return columns == 0
               ? GFP_OK
               : gfp_parallel_for(&loop, task, columns, gfp_parallel_chunk(task, columns, 1));
}

/* Transforms the vectors of this rank's columns or rows. */
static gfp_status transform_vectors(const transform *w, bool columns)
{
    const gfp_mpi_deal *deal = columns ? &w->columns : &w->rows;
    const gfp_fft_vectors v = {columns,
                               w->direction == GFP_INVERSE,
                               w->order,
                               gfp_mpi_deal_first(deal, w->mpi->rank),
                               gfp_mpi_deal_count(deal, w->mpi->rank),
                               vectors_of(w),
                               w->work};
    return v.count == 0 || gfp_fft_blocks_vectors(&w->blocks, &v, &w->f->call.task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static gfp_status transform_slab(const transform *w)
{
    const size_t width = gfp_mpi_deal_count(&w->columns, w->mpi->rank);
    GFP_TRY(transpose_array(w, vectors_of(w), w->slab, w->row_count, width));
    GFP_TRY(transform_vectors(w, true));
    return transpose_array(w, w->slab, vectors_of(w), width, w->row_count);
}

/* ---- passes of all ranks, agreed ---- */

/* The rows as an array. */
static gfp_mpi_array rows_array(const transform *w)
{
    return (gfp_mpi_array){gfp_mpi_deal_units(w->rows, w->column_count), w->memory.block, 0, w->k,
                           false};
}

/* to := the transforms of the columns of `from`. */
static gfp_status pass_columns(const transform *w, const gfp_mpi_array *from,
                               const gfp_mpi_array *to)
{
    const size_t m = w->column_count;
    GFP_TRY(gfp_mpi_step(w->f, gfp_mpi_move(w->mpi, from, m, &w->columns, w->slab, true)));
    GFP_TRY(gfp_mpi_step(w->f, transform_slab(w)));
    return gfp_mpi_step(w->f, gfp_mpi_move(w->mpi, to, m, &w->columns, w->slab, false));
}

/* y := the columns of the transposed matrix: its rows have R elements. */
static gfp_status scatter_rows(const transform *w, const gfp_mpi_array *y)
{
    const size_t count = gfp_mpi_deal_count(&w->rows, w->mpi->rank);
    GFP_TRY(gfp_mpi_step(w->f, transpose_array(w, w->slab, vectors_of(w), count, w->column_count)));
    return gfp_mpi_step(w->f, gfp_mpi_move(w->mpi, y, w->row_count, &w->rows, w->slab, false));
}

static gfp_status run_passes(const transform *w, const gfp_mpi_array *y, const gfp_mpi_array *x)
{
    const gfp_mpi_array rows = rows_array(w);
    const bool back = w->order == GFP_ORDER_PERMUTED && w->direction == GFP_INVERSE;
    if (back) {
        GFP_TRY(gfp_mpi_step(w->f,
                             gfp_mpi_move(w->mpi, x, x->deal.n, &rows.deal, vectors_of(w), true)));
    } else {
        GFP_TRY(pass_columns(w, x, &rows));
    }
    GFP_TRY(gfp_mpi_step(w->f, transform_vectors(w, false)));
    if (back) {
        return pass_columns(w, &rows, y);
    }
    return w->order == GFP_ORDER_NATURAL
               ? scatter_rows(w, y)
               : gfp_mpi_step(w->f,
                              gfp_mpi_move(w->mpi, y, y->deal.n, &rows.deal, vectors_of(w), false));
}

/* ---- memory ---- */

static size_t memory_words(const transform *w)
{
    const size_t rows = w->rows.block * w->column_count, columns = w->columns.block * w->row_count;
    return (rows > columns ? rows : columns) * w->k;
}

/* Takes this rank's work space, and begins its share of the work. Not agreed. */
static gfp_status begin_share(transform *w)
{
    gfp_call *call = &w->f->call;
    const size_t words = memory_words(w);
    GFP_TRY(gfp_call_take(call, gfp_fft_blocks_bytes(&w->blocks)));
    GFP_TRY(gfp_call_take(call, words * sizeof(uint64_t)));
    GFP_TRY(gfp_call_array(call, &w->slab, words));
    GFP_TRY(gfp_call_array(call, &w->work, gfp_task_threads(&call->task) * w->blocks.each));
    const double columns = (double)gfp_mpi_deal_count(&w->columns, w->mpi->rank),
                 rows = (double)gfp_mpi_deal_count(&w->rows, w->mpi->rank);
    const double units = columns * gfp_fft_blocks_units(&w->blocks, true) +
                         rows * gfp_fft_blocks_units(&w->blocks, false);
    return gfp_task_span(&call->task, 1, units + 1, gfp_task_product_cost(w->mpi->field))
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

/* With plans and tables on all ranks. */
static gfp_status run_blocks(transform *w, const gfp_mpi_array *y, const gfp_mpi_array *x)
{
    w->k = gfp_field_k(w->mpi->field);
    w->row_count = (size_t)1 << w->blocks.log2_rows;
    w->column_count = (size_t)1 << w->blocks.log2_columns;
    w->rows = gfp_mpi_deal_even(w->row_count, w->mpi->size);
    w->columns = gfp_mpi_deal_even(w->column_count, w->mpi->size);
    GFP_TRY(gfp_mpi_step(w->f, begin_share(w)));
    GFP_TRY(gfp_mpi_memory_create(&w->memory, w->mpi, memory_words(w), &w->f->call.error));
    const gfp_status status = run_passes(w, y, x);
    gfp_mpi_memory_destroy(&w->memory, w->mpi);
    return status;
}

static gfp_status deal_transform(transform *w, const gfp_mpi_array *y, const gfp_mpi_array *x)
{
    gfp_call *call = &w->f->call;
    /* Plans and tables that the cap excludes are not made. */
    gfp_status status = gfp_fft_blocks_create(&w->blocks, w->mpi->field, x->deal.n,
                                              gfp_size_min(call->left, SIZE_MAX / 2),
                                              gfp_task_threads(&call->task), &call->error);
    status = gfp_mpi_step(w->f, status);
    status = status == GFP_OK ? run_blocks(w, y, x) : status;
    gfp_fft_blocks_clear(&w->blocks);
    return status;
}

/* ---- one rank ---- */

static gfp_status transform_whole(transform *w, uint64_t *z, size_t n)
{
    gfp_call *call = &w->f->call;
    gfp_fft_plan *plan = NULL;
    size_t bytes, words;
    gfp_fft_sizes(w->mpi->field, n, &bytes, &words);
    GFP_TRY(gfp_call_take(call, bytes));
    const gfp_options inside = gfp_call_inside(call);
    GFP_TRY(gfp_fft_plan_create(&plan, w->mpi->field, n, &call->error));
    const gfp_status status = gfp_fft_run(z, z, w->direction, w->order, plan, &inside);
    gfp_fft_plan_destroy(plan);
    return gfp_call_inner(call, status);
}

/* Rank 0 transforms. */
static gfp_status gather_transform(transform *w, const gfp_mpi_array *y, const gfp_mpi_array *x)
{
    const size_t n = x->deal.n;
    const bool mine = w->mpi->rank == 0;
    const gfp_mpi_deal whole = gfp_mpi_deal_root(n, w->mpi->size, 0);
    uint64_t *z = NULL;
    gfp_status status = gfp_call_array(&w->f->call, &z, mine ? n * x->k : 0);
    if (status == GFP_OK && !gfp_task_span(&w->f->call.task, 1, 1, 1)) {
        status = GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_mpi_step(w->f, status));
    GFP_TRY(gfp_mpi_step(w->f, gfp_mpi_move(w->mpi, x, n, &whole, z, true)));
    GFP_TRY(gfp_mpi_step(w->f, mine ? transform_whole(w, z, n) : GFP_OK));
    return gfp_mpi_step(w->f, gfp_mpi_move(w->mpi, y, n, &whole, z, false));
}

/* ---- calls ---- */

static gfp_status check_options(gfp_mpi_frame *f, gfp_direction direction, gfp_order order)
{
    const gfp_options *options = f->call.options;
    if (!gfp_options_auto(options) && strcmp(options->method, "dft") != 0) {
        return gfp_error_set(&f->call.error, GFP_ERR_UNKNOWN,
                             "unknown method \"%.60s\"; over ranks: auto, dft", options->method);
    }
    if (options->verify != GFP_VERIFY_NONE) {
        return gfp_error_set(&f->call.error, GFP_ERR_UNAVAILABLE,
                             "a transform has no verification");
    }
    return gfp_fft_check_kind(direction, order, &f->call.error);
}

static gfp_status run_transform(transform *w, gfp_mpi_poly *z, const gfp_mpi_poly *x)
{
    gfp_mpi_frame *f = w->f;
    const size_t n = x->deal.n, k = gfp_field_k(w->mpi->field);
    GFP_TRY(check_options(f, w->direction, w->order)); /* the same on all ranks */
    GFP_TRY(gfp_mpi_poly_make(z, w->mpi, n, &f->call.error));
    const gfp_mpi_array from = gfp_mpi_poly_array(x), to = gfp_mpi_poly_array(z);
    const bool dealt = (n & (n - 1)) == 0 && n / 4 / k > k;
    f->call.report.method = "dft";
    gfp_task_part(&f->call.task, 1);
    gfp_status status = dealt ? deal_transform(w, &to, &from) : gather_transform(w, &to, &from);
    status = status == GFP_OK ? gfp_mpi_step(f, gfp_call_finish(&f->call)) : status;
    if (status != GFP_OK) {
        gfp_mpi_memory_destroy(&z->memory, w->mpi);
    }
    return status;
}

gfp_status gfp_mpi_fft_run(gfp_mpi_poly *y, const gfp_mpi_poly *x, gfp_direction direction,
                           gfp_order order, const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly z;
    GFP_TRY(gfp_mpi_objects(y, x, x, options));
    const gfp_mpi_fact facts[] = {{"lengths", x->deal.n, GFP_ERR_ARGUMENT},
                                  {"directions", (uint64_t)direction, GFP_ERR_ARGUMENT},
                                  {"orders", (uint64_t)order, GFP_ERR_ARGUMENT}};
    GFP_TRY(gfp_mpi_begin(&frame, y->mpi, "a transform over ranks", options, facts, 3));
    transform w = {.f = &frame, .mpi = y->mpi, .direction = direction, .order = order};
    const gfp_status status = run_transform(&w, &z, x);
    if (status == GFP_OK) {
        gfp_mpi_poly_take(y, &z);
    }
    return gfp_mpi_finish(&frame, status);
}
