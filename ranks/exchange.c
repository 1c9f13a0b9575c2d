/* exchange.c: see exchange.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/exchange.h"

#include <string.h>

#define TAG_DATA 2

/* ---- places ---- */

uint64_t *gfp_mpi_array_mine(const gfp_mpi_array *array, int rank)
{
    const bool begins = array->packed || gfp_mpi_deal_count(&array->deal, rank) == 0;
    const size_t place = begins ? 0 : gfp_mpi_deal_place(&array->deal, rank);
    return array->block[rank] + array->offset + place * array->k;
}

uint64_t *gfp_mpi_array_at(const void *array, size_t i, size_t *run)
{
    const gfp_mpi_array *a = array;
    const int owner = gfp_mpi_deal_owner(&a->deal, i);
    const size_t first = gfp_mpi_deal_first(&a->deal, owner);
    *run = gfp_mpi_deal_end(&a->deal, owner) - i;
    return gfp_mpi_array_mine(a, owner) + (i - first) * a->k;
}

uint64_t *gfp_mpi_slab_at(const void *slab, size_t i, size_t *run)
{
    const gfp_mpi_slab *s = slab;
    const size_t row = i / s->m, column = i % s->m - s->from;
    *run = s->width - column;
    return s->words + (row * s->width + column) * s->k;
}

/* ---- what two ranks exchange ---- */

/* The elements that rank `linear` has in its block and rank `columns` in its columns, in the order
 * of elements: at is the next one. */
typedef struct pair_cursor {
    const gfp_mpi_grid *grid;
    size_t low, high;   /* elements of the block */
    size_t left, right; /* columns */
    size_t at;
} pair_cursor;

static pair_cursor begin_pair(const gfp_mpi_grid *grid, int linear, int columns)
{
    return (pair_cursor){.grid = grid,
                         .low = gfp_mpi_deal_first(&grid->linear, linear),
                         .high = gfp_mpi_deal_end(&grid->linear, linear),
                         .left = gfp_mpi_deal_first(&grid->columns, columns),
                         .right = gfp_mpi_deal_end(&grid->columns, columns),
                         .at = gfp_mpi_deal_first(&grid->linear, linear)};
}

/* Moves to the next element that both have; returns the number of those that follow each other from
 * there on; 0: there is none. */
static size_t next_run(pair_cursor *c)
{
    const size_t m = c->grid->m;
    if (c->left >= c->right || c->at >= c->high) {
        return 0;
    }
    const size_t column = c->at % m;
    size_t row = c->at / m;
    if (column >= c->right) {
        row++;
    }
    const size_t first = row * m + c->left, end = row * m + c->right;
    c->at = c->at > first ? c->at : first;
    return c->at < c->high ? gfp_size_min(c->high, end) - c->at : 0;
}

/* Both parts of a rank. */
typedef struct parts {
    uint64_t *linear, *columns;
} parts;

/* The place of the cursor's element in one part. */
static uint64_t *cursor_place(const pair_cursor *c, const parts *x, bool in_columns)
{
    const gfp_mpi_grid *g = c->grid;
    const size_t place =
        in_columns ? c->at / g->m * (c->right - c->left) + c->at % g->m - c->left : c->at - c->low;
    return (in_columns ? x->columns : x->linear) + place * g->k;
}

/* Packs at most `room` words into a buffer, or unpacks them from there; returns their number. */
static size_t move_words(pair_cursor *c, const parts *x, bool in_columns, uint64_t *buffer,
                         size_t room, bool pack)
{
    const size_t k = c->grid->k;
    size_t used = 0, run;
    while (used + k <= room && (run = next_run(c)) > 0) {
        const size_t n = gfp_size_min(run, (room - used) / k);
        uint64_t *const place = cursor_place(c, x, in_columns);
        if (pack) {
            memcpy(buffer + used, place, n * k * sizeof *place);
        } else {
            memcpy(place, buffer + used, n * k * sizeof *place);
        }
        c->at += n;
        used += n * k;
    }
    return used;
}

/* The words that two ranks exchange. */
static size_t pair_words(pair_cursor c)
{
    size_t elements = 0, run;
    while ((run = next_run(&c)) > 0) {
        elements += run;
        c.at += run;
    }
    return elements * c.grid->k;
}

/* ---- messages ---- */

/* What this rank sends to one rank and receives from another, in chunks. */
typedef struct pair_transfer {
    gfp_mpi *mpi;
    parts x;
    pair_cursor out, in;
    bool to_columns;
    int to, from;
    size_t left;            /* words to receive that are not asked for */
    size_t expected[2];     /* words under way, by buffer */
    MPI_Request request[4]; /* sends, then receives, by buffer */
} pair_transfer;

static size_t chunk_words(const pair_transfer *t)
{
    const size_t k = t->out.grid->k;
    return GFP_MPI_CHUNK / k * k;
}

/* Starts the next chunk in buffers number i. Returns whether there was one. */
static bool start_chunk(pair_transfer *t, unsigned i, gfp_status *status)
{
    gfp_mpi *mpi = t->mpi;
    uint64_t *const out = mpi->chunks + i * GFP_MPI_CHUNK;
    uint64_t *const in = mpi->chunks + (2 + i) * GFP_MPI_CHUNK;
    t->expected[i] = gfp_size_min(t->left, chunk_words(t));
    t->left -= t->expected[i];
    if (t->expected[i] > 0) {
        *status = gfp_mpi_check(mpi,
                                gfp_mpi_use.irecv(in, (int)t->expected[i], MPI_UINT64_T, t->from,
                                                  TAG_DATA, mpi->comm, &t->request[2 + i]),
                                "MPI_Irecv");
    }
    const size_t sent = *status != GFP_OK
                            ? 0
                            : move_words(&t->out, &t->x, !t->to_columns, out, chunk_words(t), true);
    if (sent > 0) {
        *status = gfp_mpi_check(mpi,
                                gfp_mpi_use.isend(out, (int)sent, MPI_UINT64_T, t->to, TAG_DATA,
                                                  mpi->comm, &t->request[i]),
                                "MPI_Isend");
    }
    return sent > 0 || t->expected[i] > 0;
}

/* Waits for the chunk in buffers number i, and unpacks it. */
static gfp_status finish_chunk(pair_transfer *t, unsigned i)
{
    GFP_TRY(gfp_mpi_wait(t->mpi, &t->request[i], "MPI_Isend"));
    GFP_TRY(gfp_mpi_wait(t->mpi, &t->request[2 + i], "MPI_Irecv"));
    (void)move_words(&t->in, &t->x, t->to_columns, t->mpi->chunks + (2 + i) * GFP_MPI_CHUNK,
                     t->expected[i], false);
    return GFP_OK;
}

/* One chunk is packed and unpacked while the other one is under way. */
static gfp_status run_transfer(pair_transfer *t)
{
    gfp_status status = GFP_OK;
    bool open[2] = {false, false};
    unsigned i = 0;
    do {
        open[i] = start_chunk(t, i, &status);
        i ^= 1;
        if (status == GFP_OK && open[i]) {
            status = finish_chunk(t, i);
        }
    } while (status == GFP_OK && open[i ^ 1]);
    for (unsigned j = 0; status != GFP_OK && j < 4; j++) {
        gfp_mpi_give_up(&t->request[j]);
    }
    return status;
}

/* The part that stays on this rank. */
static void keep_part(pair_transfer *t, uint64_t *buffer)
{
    size_t words;
    while ((words = move_words(&t->out, &t->x, !t->to_columns, buffer, chunk_words(t), true)) > 0) {
        (void)move_words(&t->in, &t->x, t->to_columns, buffer, words, false);
    }
}

static gfp_status exchange_parts(gfp_mpi *mpi, const gfp_mpi_grid *grid, parts x, bool to_columns)
{
    GFP_TRY(gfp_mpi_state(mpi, NULL));
    for (int step = 0; step < mpi->size; step++) {
        pair_transfer t = {.mpi = mpi, .x = x, .to_columns = to_columns};
        t.to = (mpi->rank + step) % mpi->size;
        t.from = (mpi->rank - step + mpi->size) % mpi->size;
        t.out = to_columns ? begin_pair(grid, mpi->rank, t.to) : begin_pair(grid, t.to, mpi->rank);
        t.in =
            to_columns ? begin_pair(grid, t.from, mpi->rank) : begin_pair(grid, mpi->rank, t.from);
        for (unsigned j = 0; j < 4; j++) {
            t.request[j] = MPI_REQUEST_NULL;
        }
        if (step == 0) {
            keep_part(&t, mpi->chunks);
        } else {
            t.left = pair_words(t.in);
            GFP_TRY(run_transfer(&t));
        }
    }
    return GFP_OK;
}

gfp_status gfp_mpi_to_columns(gfp_mpi *mpi, const gfp_mpi_grid *grid, const uint64_t *linear,
                              uint64_t *columns)
{
    const parts x = {(uint64_t *)linear, columns};
    return exchange_parts(mpi, grid, x, true);
}

gfp_status gfp_mpi_to_linear(gfp_mpi *mpi, const gfp_mpi_grid *grid, uint64_t *linear,
                             const uint64_t *columns)
{
    const parts x = {linear, (uint64_t *)columns};
    return exchange_parts(mpi, grid, x, false);
}

gfp_status gfp_mpi_move(gfp_mpi *mpi, const gfp_mpi_array *x, size_t m, const gfp_mpi_deal *columns,
                        uint64_t *slab, bool to_slab)
{
    const size_t n = x->deal.n;
    if (!mpi->direct) {
        const gfp_mpi_grid grid = {n, m, x->k, x->deal, *columns};
        uint64_t *const mine = gfp_mpi_array_mine(x, mpi->rank);
        return to_slab ? gfp_mpi_to_columns(mpi, &grid, mine, slab)
                       : gfp_mpi_to_linear(mpi, &grid, mine, slab);
    }
    const gfp_hybrid_pieces pieces = {gfp_mpi_array_at, x};
    const size_t width = gfp_mpi_deal_count(columns, mpi->rank);
    for (size_t at = gfp_mpi_deal_first(columns, mpi->rank); at < n && width > 0; at += m) {
        const size_t count = gfp_size_min(width, n - at);
        if (to_slab) {
            gfp_hybrid_pieces_read(&pieces, at, count, x->k, slab);
        } else {
            gfp_hybrid_pieces_write(&pieces, at, count, x->k, slab);
        }
        slab += width * x->k;
    }
    return GFP_OK;
}
