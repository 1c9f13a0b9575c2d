/* dealer.c: a dealer's messages by MPI. No call blocks: rank 0 computes, too, and a rank that
 * computes takes part in a transfer only when it looks for messages. Receiving is begun as soon as
 * a message is announced, into memory of its own. The message has arrived once all of it is
 * received.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "field/deal/dealer.h"
#include "ranks/comm.h"

#define TAG_DEAL 3
#define ROOM_BYTES ((size_t)1 << 22)
/* `probe` waits for this time. */
#define WAIT_NS 2000000

/* Memory that MPI reads or writes until the request is null. */
typedef struct message {
    MPI_Request request;
    char *data;
    size_t size, bytes; /* of the memory; of the message, 0: none */
    bool here;          /* the message has arrived */
} message;

/* A dealer's messages on this rank. */
typedef struct mpi_transport {
    gfp_mpi *mpi;
    message out;
    message *in; /* from each rank */
    char *room;
    bool stays; /* a request that was given up may use memory */
    struct mpi_transport *next;
} mpi_transport;

/* Transports whose memory stays. */
static _Atomic(mpi_transport *) kept_transports;

/* ---- memory ---- */

/* Without memory the context breaks, so that no rank waits for the message. */
static gfp_status reserve_bytes(mpi_transport *x, message *t, size_t bytes)
{
    if (bytes > t->size) {
        gfp_release(&x->mpi->allocator, t->data, t->size, 1);
        t->data = gfp_allocate(&x->mpi->allocator, bytes, 1);
        t->size = t->data != NULL ? bytes : 0;
    }
    t->bytes = t->data != NULL ? bytes : 0;
    return t->data != NULL ? GFP_OK : gfp_mpi_break(x->mpi, "no memory for a message");
}

static void end_message(mpi_transport *x, message *t)
{
    if (t->request != MPI_REQUEST_NULL) {
        gfp_mpi_give_up(&t->request);
        x->stays = true;
    }
}

static void transport_destroy(void *user)
{
    mpi_transport *x = user;
    const gfp_allocator allocator = x->mpi->allocator;
    const size_t size = (size_t)x->mpi->size;
    (void)gfp_mpi_wait(x->mpi, &x->out.request, "MPI_Isend");
    end_message(x, &x->out);
    for (size_t i = 0; x->in != NULL && i < size; i++) {
        end_message(x, &x->in[i]);
    }
    if (x->stays) {
        x->next = atomic_load(&kept_transports);
        while (!atomic_compare_exchange_weak(&kept_transports, &x->next, x)) {
        }
        return;
    }
    gfp_release(&allocator, x->out.data, x->out.size, 1);
    for (size_t i = 0; x->in != NULL && i < size; i++) {
        gfp_release(&allocator, x->in[i].data, x->in[i].size, 1);
    }
    gfp_release(&allocator, x->in, size, sizeof *x->in);
    gfp_release(&allocator, x->room, ROOM_BYTES, 1);
    gfp_release(&allocator, x, 1, sizeof *x);
}

/* ---- messages ---- */

/* Begins to receive a message of `source`, if one is announced; *found := whether. *waits :=
 * whether it has to wait, since the one before from the same rank was not taken yet. */
static gfp_status begin_receive(mpi_transport *x, int source, bool *found, bool *waits)
{
    gfp_mpi *mpi = x->mpi;
    MPI_Status status;
    int here = 0, bytes = 0;
    GFP_TRY(gfp_mpi_check(mpi, gfp_mpi_use.iprobe(source, TAG_DEAL, mpi->comm, &here, &status),
                          "MPI_Iprobe"));
    *found = here != 0;
    *waits = here != 0 && x->in[status.MPI_SOURCE].bytes > 0;
    if (!*found || *waits) {
        return GFP_OK;
    }
    message *t = &x->in[status.MPI_SOURCE];
    GFP_TRY(gfp_mpi_check(mpi, gfp_mpi_use.get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count"));
    GFP_TRY(reserve_bytes(x, t, (size_t)bytes));
    return gfp_mpi_check(mpi,
                         gfp_mpi_use.irecv(t->data, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_DEAL,
                                           mpi->comm, &t->request),
                         "MPI_Irecv");
}

/* Begins to receive what is announced. If the first message announced has to wait, the other ranks
 * are asked one by one. */
static gfp_status begin_all(mpi_transport *x)
{
    bool found = true, waits = false;
    while (found && !waits) {
        GFP_TRY(begin_receive(x, MPI_ANY_SOURCE, &found, &waits));
    }
    for (int i = 0; waits && i < x->mpi->size; i++) {
        bool ignored;
        if (x->in[i].bytes == 0) {
            GFP_TRY(begin_receive(x, i, &found, &ignored));
        }
    }
    return GFP_OK;
}

/* Waits until the last message is sent. Receiving is begun meanwhile: the rank that this one waits
 * for may wait in turn for its own message to be received here. */
static gfp_status wait_for_send(mpi_transport *x)
{
    int done = 0;
    while (!done) {
        GFP_TRY(gfp_mpi_state(x->mpi, NULL));
        GFP_TRY(gfp_mpi_check(x->mpi, gfp_mpi_use.test(&x->out.request, &done, MPI_STATUS_IGNORE),
                              "MPI_Isend"));
        if (!done) {
            GFP_TRY(begin_all(x));
            (void)sched_yield();
        }
    }
    return GFP_OK;
}

static gfp_status transport_send(void *user, unsigned to, const void *data, size_t bytes)
{
    mpi_transport *x = user;
    GFP_TRY(wait_for_send(x));
    GFP_TRY(reserve_bytes(x, &x->out, bytes));
    memcpy(x->out.data, data, bytes);
    return gfp_mpi_check(x->mpi,
                         gfp_mpi_use.isend(x->out.data, (int)bytes, MPI_BYTE, (int)to, TAG_DEAL,
                                           x->mpi->comm, &x->out.request),
                         "MPI_Isend");
}

/* *from := the sender of a message that has arrived, or -1. */
static gfp_status find_arrived(mpi_transport *x, int *from)
{
    *from = -1;
    for (int i = 0; i < x->mpi->size && *from < 0; i++) {
        message *t = &x->in[i];
        int done = t->here;
        if (t->bytes > 0 && !t->here) {
            GFP_TRY(gfp_mpi_check(x->mpi, gfp_mpi_use.test(&t->request, &done, MPI_STATUS_IGNORE),
                                  "MPI_Test"));
        }
        t->here = t->bytes > 0 && done != 0;
        *from = t->here ? i : -1;
    }
    return GFP_OK;
}

static gfp_status transport_probe(void *user, bool wait, unsigned *from, size_t *bytes)
{
    mpi_transport *x = user;
    const uint64_t start = wait ? gfp_clock_ns() : 0;
    int found;
    *bytes = 0;
    do {
        GFP_TRY(gfp_mpi_state(x->mpi, NULL));
        GFP_TRY(begin_all(x));
        GFP_TRY(find_arrived(x, &found));
        if (found >= 0) {
            *from = (unsigned)found;
            *bytes = x->in[found].bytes;
            return GFP_OK;
        }
        if (wait) {
            (void)sched_yield();
        }
    } while (wait && gfp_clock_ns() - start < WAIT_NS);
    return GFP_OK;
}

static void transport_receive(void *user, unsigned from, void *data, size_t bytes)
{
    mpi_transport *x = user;
    message *t = &x->in[from];
    if (data != NULL) {
        memcpy(data, t->data, bytes);
    }
    t->bytes = 0;
    t->here = false;
}

static gfp_status transport_broadcast(void *user, size_t bytes)
{
    mpi_transport *x = user;
    MPI_Request request = MPI_REQUEST_NULL;
    gfp_status status = gfp_mpi_check(
        x->mpi, gfp_mpi_use.ibcast(x->room, (int)bytes, MPI_BYTE, 0, x->mpi->comm, &request),
        "MPI_Ibcast");
    status = status == GFP_OK ? gfp_mpi_wait(x->mpi, &request, "MPI_Ibcast") : status;
    x->stays = x->stays || status != GFP_OK;
    return status;
}

static void transport_reason(void *user, gfp_error *error)
{
    const mpi_transport *x = user;
    (void)gfp_mpi_broken(x->mpi, error);
}

static void transport_fail(void *user, const char *reason)
{
    const mpi_transport *x = user;
    (void)gfp_mpi_break(x->mpi, reason);
}

/* ---- make ---- */

static gfp_status make_transport(mpi_transport **made, gfp_mpi *mpi)
{
    mpi_transport *x = gfp_allocate(&mpi->allocator, 1, sizeof *x);
    if (x == NULL) {
        return GFP_ERR_MEMORY;
    }
    *x = (mpi_transport){.mpi = mpi, .out = {.request = MPI_REQUEST_NULL}};
    x->in = gfp_allocate(&mpi->allocator, (size_t)mpi->size, sizeof *x->in);
    x->room = gfp_allocate(&mpi->allocator, ROOM_BYTES, 1);
    for (int i = 0; x->in != NULL && i < mpi->size; i++) {
        x->in[i] = (message){.request = MPI_REQUEST_NULL};
    }
    if (x->in == NULL || x->room == NULL) {
        transport_destroy(x);
        return GFP_ERR_MEMORY;
    }
    *made = x;
    return GFP_OK;
}

/* *dealer := this rank's. */
static gfp_status make_dealer(gfp_dealer **dealer, gfp_mpi *mpi, gfp_checkpoint *file)
{
    mpi_transport *x;
    const gfp_status status = make_transport(&x, mpi);
    if (status != GFP_OK) {
        gfp_checkpoint_close(file);
        return status;
    }
    const gfp_transport transport = {.user = x,
                                     .rank = (unsigned)mpi->rank,
                                     .ranks = (unsigned)mpi->size,
                                     .most = INT_MAX,
                                     .room = x->room,
                                     .room_bytes = ROOM_BYTES,
                                     .send = transport_send,
                                     .probe = transport_probe,
                                     .receive = transport_receive,
                                     .broadcast = transport_broadcast,
                                     .reason = transport_reason,
                                     .fail = transport_fail,
                                     .destroy = transport_destroy};
    return gfp_deal_create(dealer, &transport, file);
}

gfp_status gfp_mpi_dealer_create(gfp_dealer **dealer, gfp_mpi *mpi, const char *checkpoint,
                                 gfp_error *error)
{
    gfp_dealer *made = NULL;
    gfp_checkpoint *file = NULL;
    gfp_error own = {.status = GFP_OK};
    gfp_status status = GFP_OK;
    if (mpi == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a dealer of ranks: no context");
    }
    if (dealer == NULL) {
        status = gfp_error_set(&own, GFP_ERR_ARGUMENT, "a dealer of ranks: no place for it");
    } else if (mpi->rank == 0 && checkpoint != NULL) {
        status = gfp_checkpoint_open(&file, checkpoint, &own);
    }
    if (status == GFP_OK) {
        status = make_dealer(&made, mpi, file);
    }
    static const gfp_mpi_fact creating = {"calls", UINT64_MAX - 2, GFP_ERR_ARGUMENT};
    const gfp_status agreed = gfp_mpi_same(mpi, &creating, 1, status, &own);
    if (agreed == GFP_OK && dealer != NULL) {
        *dealer = made;
        return GFP_OK;
    }
    gfp_dealer_destroy(made);
    if (error != NULL) {
        *error = own;
    }
    return agreed;
}
