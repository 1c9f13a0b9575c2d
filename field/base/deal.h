/* deal.h: loops over independent items whose results have known places, so that a dealer may share
 * the items between several processes (ranks) and keep finished ones in a file. Without a dealer
 * such a loop is a loop by threads (parallel.h). field/deal/ has the dealers.
 *
 * Every rank makes the same call on the same operands and comes to the same loops. After a loop all
 * ranks have the results of all items: what follows is the same on all of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_DEAL_H
#define GFP_FIELD_BASE_DEAL_H

#include "gfpoly/options.h"
#include "field/base/parallel.h"

struct gfp_call;

/* Some results of an item. */
typedef struct gfp_deal_span {
    void *data;
    size_t bytes;
} gfp_deal_span;

/* What the checkpoint keeps of a loop. */
typedef enum gfp_deal_keep {
    GFP_DEAL_KEEP, /* the results of finished items */
    /* Also, later loops overwrite what the items read, so that none of them may be computed again
     * then: when the loop ends, its results are durable in the checkpoint, and a call whose
     * checkpoint is damaged begins from nothing. */
    GFP_DEAL_KEEP_ALL,
    GFP_DEAL_KEEP_NONE /* no results: what the items read may change between two processes */
} gfp_deal_keep;

typedef struct gfp_deal_loop {
    gfp_parallel parallel; /* the body: what it writes for an item depends on the item alone */
    /* Returns part `part` < parts of the results of an item; all parts together have `bytes` bytes
     * at most. The parts of all items are disjoint. */
    gfp_deal_span (*place)(const void *job, size_t item, size_t part);
    size_t parts, bytes;
    double units; /* of the task's step, of an item */
    gfp_deal_keep keep;
} gfp_deal_loop;

typedef struct gfp_dealer_kind {
    /* Runs the loop for the call, `chunk` items at a time. Errors: those of any rank; IO. */
    gfp_status (*loop)(gfp_dealer *dealer, struct gfp_call *call, const gfp_deal_loop *loop,
                       size_t items, size_t chunk);
    /* Agrees on the status of the call, the same one on all ranks. *error has this rank's failure,
     * if there is one, and becomes that of the rank which failed first. */
    gfp_status (*agree)(gfp_dealer *dealer, gfp_status status, gfp_error *error);
    void (*destroy)(gfp_dealer *dealer);
    /* key := that of what was computed so far and of these bytes. */
    uint64_t (*mix)(uint64_t key, const void *data, size_t bytes);
} gfp_dealer_kind;

struct gfp_dealer {
    const gfp_dealer_kind *kind;
    unsigned depth;    /* calls that run, one inside another */
    bool agreed;       /* the outermost one has agreed on its status */
    uint64_t key;      /* of the operands, and of all loops until now */
    uint64_t call_key; /* of the operands of the outermost call */
    double least;      /* loops of a cost below this, in digit products, are not dealt */
};

#endif
