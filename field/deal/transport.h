/* transport.h: how the ranks of a dealer exchange messages: MPI (ranks/), threads (tests), or
 * nothing where there is one rank. Messages between rank 0 and another rank arrive in order.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_DEAL_TRANSPORT_H
#define GFP_FIELD_DEAL_TRANSPORT_H

#include "gfpoly/base.h"

typedef struct gfp_transport {
    void *user;
    unsigned rank, ranks; /* this one, and their number */
    size_t most;          /* bytes of a message */
    char *room;           /* of `broadcast`, `room_bytes` bytes */
    size_t room_bytes;
    /* Sends a copy of the bytes to rank 0, or from rank 0 to another one. Errors: IO. */
    gfp_status (*send)(void *user, unsigned to, const void *data, size_t bytes);
    /* *bytes := the size of a message that has arrived, and *from := its sender; 0 if none has
     * arrived: at once, or with `wait` after some ms. Errors: IO. */
    gfp_status (*probe)(void *user, bool wait, unsigned *from, size_t *bytes);
    /* Receives the message that `probe` named; data NULL: discards it. */
    void (*receive)(void *user, unsigned from, void *data, size_t bytes);
    /* The first bytes of the room of rank 0 to all ranks, which make this call together. Errors:
     * IO. */
    gfp_status (*broadcast)(void *user, size_t bytes);
    /* Fills *error with the reason of a failure. */
    void (*reason)(void *user, gfp_error *error);
    /* Makes all later calls of all ranks fail, for this reason. */
    void (*fail)(void *user, const char *reason);
    void (*destroy)(void *user);
} gfp_transport;

#endif
