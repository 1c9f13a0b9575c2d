/* dealer.h: dealers: their messages and states. dealer.c makes them and agrees on statuses, loop.c
 * deals the items of a loop.
 *
 * Rank 0 deals chunks of items, computes some itself, collects the results, keeps them in the
 * checkpoint, and at the end gives all of them to all ranks. Rank 0 looks for messages between its
 * items, and needs no further thread. Another rank has two chunks at a time, so that it need not
 * wait for the next one.
 *
 *   others to rank 0:  OPEN (a loop begins), DONE (a chunk, with results), END (the call ends)
 *   rank 0 to others:  CHUNK, CLOSE (the loop ends), ANSWER (the status of the call)
 *
 * A rank that fails ends its call at once: END stands for all that would follow. Rank 0 then closes
 * the loop of the others. A call is over when all ranks have sent END and have the ANSWER, so that
 * no message is left for the next call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_DEAL_DEALER_H
#define GFP_FIELD_DEAL_DEALER_H

#include "gfpoly/dealer.h"
#include "field/base/call.h"
#include "field/deal/checkpoint.h"
#include "field/deal/transport.h"

typedef enum gfp_deal_kind {
    GFP_DEAL_OPEN,
    GFP_DEAL_DONE,
    GFP_DEAL_END,
    GFP_DEAL_CHUNK,
    GFP_DEAL_CLOSE,
    GFP_DEAL_ANSWER
} gfp_deal_kind;

typedef struct gfp_deal_message {
    uint64_t kind;     /* a gfp_deal_kind */
    uint64_t key;      /* of OPEN and END: that of the dealer */
    uint64_t from, to; /* items; of a failure, the index of the error */
    int64_t status;    /* of END, CLOSE and ANSWER */
    char text[sizeof(((gfp_error *)0)->message)];
} gfp_deal_message;

typedef struct gfp_deal_state {
    gfp_dealer base;
    gfp_transport transport;
    gfp_checkpoint *file; /* of rank 0; NULL: none */
    uint64_t restored;    /* items */
    gfp_error failure;    /* of this call: the first one that this rank knows; status OK: none */
    bool *ended;          /* of rank 0: which ranks have sent END */
    unsigned ended_count; /* of them */
} gfp_deal_state;

/* *dealer := one over this transport, which the dealer destroys, also after an error; file, which
 * may be NULL, belongs to the dealer alike. Errors: MEMORY. */
gfp_status gfp_deal_create(gfp_dealer **dealer, const gfp_transport *transport,
                           gfp_checkpoint *file);

/* gfp_dealer_kind.loop. */
gfp_status gfp_deal_loop_run(gfp_dealer *dealer, struct gfp_call *call, const gfp_deal_loop *loop,
                             size_t items, size_t chunk);

/* Notes the first failure of a call. */
void gfp_deal_fail(gfp_deal_state *d, gfp_status status, const char *text);
/* Notes the failure of a call of the transport, and returns its status. */
gfp_status gfp_deal_check(gfp_deal_state *d, gfp_status status);
/* Ends the transport for all ranks after a message that no rank sends: another rank may wait for
 * what was expected in its place. Returns IO. */
#define GFP_DEAL_OUT_OF_ORDER "a message of ranks came out of order"
gfp_status gfp_deal_refuse(gfp_deal_state *d, const char *reason);
/* Notes that ranks do not compute the same. */
void gfp_deal_differ(gfp_deal_state *d);
/* Notes the END of a rank. */
void gfp_deal_note_end(gfp_deal_state *d, unsigned rank, const gfp_deal_message *m);
/* Sends a message without results; CLOSE, END and ANSWER tell the failure, if there is one. Errors:
 * IO. */
gfp_status gfp_deal_tell(gfp_deal_state *d, unsigned to, gfp_deal_kind kind, uint64_t key,
                         const size_t items[2]);
/* Receives a message of `bytes` bytes into `buffer` of `size` bytes, which begins with *m then.
 * Errors: IO (also if the buffer is too small). */
gfp_status gfp_deal_receive(gfp_deal_state *d, unsigned from, size_t bytes, void *buffer,
                            size_t size);

#endif
