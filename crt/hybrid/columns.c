/* columns.c: see columns.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/columns.h"

#include <string.h>

/* The words of the columns transformed at once, if more than one column: they stay in the
 * first-level cache. */
#define CHUNK_WORDS ((size_t)1 << 12)

/* ---- arrays in pieces ---- */

uint64_t *gfp_hybrid_piece_at(const void *piece, size_t i, size_t *run)
{
    const gfp_hybrid_piece *p = piece;
    *run = p->end - i;
    return p->words + (i - p->from) * p->k;
}

void gfp_hybrid_pieces_read(const gfp_hybrid_pieces *x, size_t i, size_t n, size_t k, uint64_t *to)
{
    while (n > 0) {
        size_t run;
        const uint64_t *from = x->at(x->user, i, &run);
        run = gfp_size_min(run, n);
        memcpy(to, from, run * k * sizeof *to);
        to += run * k;
        i += run;
        n -= run;
    }
}

void gfp_hybrid_pieces_write(const gfp_hybrid_pieces *x, size_t i, size_t n, size_t k,
                             const uint64_t *from)
{
    while (n > 0) {
        size_t run;
        uint64_t *to = x->at(x->user, i, &run);
        run = gfp_size_min(run, n);
        memcpy(to, from, run * k * sizeof *to);
        from += run * k;
        i += run;
        n -= run;
    }
}

/* ---- the outer DFT of some columns ---- */

static size_t column_words(const gfp_hybrid_choice *choice, const gfp_outer *outer)
{
    return (size_t)outer->leaves * choice->outer->lanes * choice->k;
}

static size_t columns_at_once(const gfp_hybrid_choice *choice, const gfp_outer *outer)
{
    const size_t fit = CHUNK_WORDS / column_words(choice, outer);
    return gfp_size_min(fit > 0 ? fit : 1, outer->m / choice->outer->lanes);
}

static size_t array_words(const gfp_hybrid_choice *choice, const gfp_outer *outer)
{
    return gfp_hybrid_align(columns_at_once(choice, outer) * column_words(choice, outer));
}

size_t gfp_hybrid_columns_words(const gfp_hybrid_choice *choice, const gfp_outer *outer)
{
    return 2 * array_words(choice, outer);
}

gfp_hybrid_columns gfp_hybrid_columns_in(const gfp_hybrid_choice *choice, const gfp_outer *outer,
                                         uint64_t *room)
{
    return (gfp_hybrid_columns){choice, outer, columns_at_once(choice, outer), room,
                                room + array_words(choice, outer)};
}

/* Returns the tree over count columns. */
static gfp_outer narrow_tree(const gfp_hybrid_columns *w, size_t count)
{
    gfp_outer outer = *w->outer;
    outer.m = count * w->choice->outer->lanes;
    return outer;
}

/* Gathers the coefficients of x; returns their number. */
static size_t gather_columns(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                             size_t v, size_t count)
{
    const size_t m = w->outer->m, lanes = w->choice->outer->lanes, k = w->choice->k;
    const size_t width = count * lanes;
    size_t i = 0;
    do {
        const size_t at = i * m + v * lanes;
        const size_t present = at < len ? gfp_size_min(len - at, width) : 0;
        uint64_t *z = w->gathered + i * width * k;
        gfp_hybrid_pieces_read(x, at, present, k, z);
        memset(z + present * k, 0, (width - present) * k * sizeof *z);
        i++;
    } while (i * m + v * lanes < len);
    return i * width;
}

void gfp_hybrid_columns_forward(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                                size_t v, size_t count)
{
    const gfp_outer outer = narrow_tree(w, count);
    const size_t present = gather_columns(w, x, len, v, count);
    w->choice->outer->forward(&outer, (int64_t *)w->digits, w->gathered, present, 0, count);
}

void gfp_hybrid_columns_put(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *leaves,
                            unsigned first, unsigned end, size_t v, size_t count)
{
    const size_t lanes = w->choice->outer->lanes, k = w->choice->k, n = count * lanes;
    for (unsigned j = first; j < end; j++) {
        gfp_hybrid_pieces_write(leaves, j * w->outer->m + v * lanes, n, k, w->digits + j * n * k);
    }
}

void gfp_hybrid_columns_get(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *leaves, size_t v,
                            size_t count)
{
    const size_t lanes = w->choice->outer->lanes, k = w->choice->k, n = count * lanes;
    for (unsigned j = 0; j < w->outer->leaves; j++) {
        gfp_hybrid_pieces_read(leaves, j * w->outer->m + v * lanes, n, k, w->digits + j * n * k);
    }
}

void gfp_hybrid_columns_inverse(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                                size_t v, size_t count)
{
    const gfp_outer outer = narrow_tree(w, count);
    const size_t m = w->outer->m, from = v * w->choice->outer->lanes, k = w->choice->k;
    w->choice->outer->inverse(&outer, w->gathered, outer.leaves * outer.m, (int64_t *)w->digits, 0,
                              count);
    for (size_t i = 0; i * m + from < len; i++) {
        const size_t at = i * m + from;
        gfp_hybrid_pieces_write(x, at, gfp_size_min(len - at, outer.m), k,
                                w->gathered + i * outer.m * k);
    }
}

bool gfp_hybrid_columns_pass(const gfp_hybrid_columns *w, const gfp_hybrid_pieces *x, size_t len,
                             const gfp_hybrid_pieces *leaves, bool inverse, size_t from, size_t to,
                             gfp_task *task)
{
    const size_t column = w->choice->outer->lanes * w->outer->leaves;
    for (size_t v = from; v < to; v += w->at_once) {
        const size_t count = gfp_size_min(w->at_once, to - v);
        if (inverse) {
            gfp_hybrid_columns_get(w, leaves, v, count);
            gfp_hybrid_columns_inverse(w, x, len, v, count);
        } else {
            gfp_hybrid_columns_forward(w, x, len, v, count);
            gfp_hybrid_columns_put(w, leaves, 0, w->outer->leaves, v, count);
        }
        if (!gfp_task_advance(task, (double)(count * column) * GFP_HYBRID_COLUMN_UNITS)) {
            return false;
        }
    }
    return true;
}
