/* dealer.c: a dealer's messages by MPI. No call blocks: rank 0 computes, too, and a rank that
 * computes takes part in a transfer only when it looks for messages. Receiving is begun as soon as
 * a message is announced, into memory of its own, and the message counts as arrived once all of it
 * is there.
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
typedef struct transfer {
    MPI_Request request;
    char *data;
    size_t size, bytes; /* of the memory; of the message, 0: none */
    bool here;          /* the message has arrived */
} transfer;

typedef struct line {
    gfp_mpi *mpi;
    transfer out;
    transfer *in; /* from each rank */
    char *room;
    bool stays; /* a request that was given up may use memory */
    struct line *next;
} line;

/* Lines whose memory stays. */
static _Atomic(line *) kept_lines;

/* ---- memory ---- */

/* Without memory the context breaks, so that no rank waits for the message. */
static gfp_status reserve_bytes(line *l, transfer *t, size_t bytes)
{
    if (bytes > t->size) {
        gfp_release(&l->mpi->allocator, t->data, t->size, 1);
        t->data = gfp_allocate(&l->mpi->allocator, bytes, 1);
        t->size = t->data != NULL ? bytes : 0;
    }
    t->bytes = t->data != NULL ? bytes : 0;
    return gfp_mpi_check(l->mpi, t->data != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM,
                         "memory for a message");
}

static void end_transfer(line *l, transfer *t)
{
    if (t->request != MPI_REQUEST_NULL) {
        gfp_mpi_give_up(&t->request);
        l->stays = true;
    }
}

static void line_destroy(void *user)
{
    line *l = user;
    const gfp_allocator allocator = l->mpi->allocator;
    const size_t size = (size_t)l->mpi->size;
    (void)gfp_mpi_wait(l->mpi, &l->out.request, "MPI_Isend");
    end_transfer(l, &l->out);
    for (size_t i = 0; l->in != NULL && i < size; i++) {
        end_transfer(l, &l->in[i]);
    }
    if (l->stays) {
        l->next = atomic_load(&kept_lines);
        while (!atomic_compare_exchange_weak(&kept_lines, &l->next, l)) {
        }
        return;
    }
    gfp_release(&allocator, l->out.data, l->out.size, 1);
    for (size_t i = 0; l->in != NULL && i < size; i++) {
        gfp_release(&allocator, l->in[i].data, l->in[i].size, 1);
    }
    gfp_release(&allocator, l->in, size, sizeof *l->in);
    gfp_release(&allocator, l->room, ROOM_BYTES, 1);
    gfp_release(&allocator, l, 1, sizeof *l);
}

/* ---- messages ---- */

static gfp_status line_send(void *user, unsigned to, const void *data, size_t bytes)
{
    line *l = user;
    GFP_TRY(gfp_mpi_wait(l->mpi, &l->out.request, "MPI_Isend"));
    GFP_TRY(reserve_bytes(l, &l->out, bytes));
    memcpy(l->out.data, data, bytes);
    return gfp_mpi_check(l->mpi,
                         gfp_mpi_use.isend(l->out.data, (int)bytes, MPI_BYTE, (int)to, TAG_DEAL,
                                           l->mpi->comm, &l->out.request),
                         "MPI_Isend");
}

/* Begins to receive a message of `source`, if one is announced; *found := whether. *waits :=
 * whether it has to wait, since the one before from the same rank was not taken yet. */
static gfp_status begin_receive(line *l, int source, bool *found, bool *waits)
{
    gfp_mpi *mpi = l->mpi;
    MPI_Status status;
    int here = 0, bytes = 0;
    GFP_TRY(gfp_mpi_check(mpi, gfp_mpi_use.iprobe(source, TAG_DEAL, mpi->comm, &here, &status),
                          "MPI_Iprobe"));
    *found = here != 0;
    *waits = here != 0 && l->in[status.MPI_SOURCE].bytes > 0;
    if (!*found || *waits) {
        return GFP_OK;
    }
    transfer *t = &l->in[status.MPI_SOURCE];
    GFP_TRY(gfp_mpi_check(mpi, MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count"));
    GFP_TRY(reserve_bytes(l, t, (size_t)bytes));
    return gfp_mpi_check(mpi,
                         gfp_mpi_use.irecv(t->data, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_DEAL,
                                           mpi->comm, &t->request),
                         "MPI_Irecv");
}

/* Begins to receive what is announced. If the first message announced has to wait, the other ranks
 * are asked one by one. */
static gfp_status begin_all(line *l)
{
    bool found = true, waits = false;
    while (found && !waits) {
        GFP_TRY(begin_receive(l, MPI_ANY_SOURCE, &found, &waits));
    }
    for (int i = 0; waits && i < l->mpi->size; i++) {
        bool ignored;
        if (l->in[i].bytes == 0) {
            GFP_TRY(begin_receive(l, i, &found, &ignored));
        }
    }
    return GFP_OK;
}

/* *from := the sender of a message that has arrived, or -1. */
static gfp_status find_arrived(line *l, int *from)
{
    *from = -1;
    for (int i = 0; i < l->mpi->size && *from < 0; i++) {
        transfer *t = &l->in[i];
        int done = t->here;
        if (t->bytes > 0 && !t->here) {
            GFP_TRY(gfp_mpi_check(l->mpi, gfp_mpi_use.test(&t->request, &done, MPI_STATUS_IGNORE),
                                  "MPI_Test"));
        }
        t->here = t->bytes > 0 && done != 0;
        *from = t->here ? i : -1;
    }
    return GFP_OK;
}

static gfp_status line_probe(void *user, bool wait, unsigned *from, size_t *bytes)
{
    line *l = user;
    const uint64_t start = wait ? gfp_clock_ns() : 0;
    int found;
    *bytes = 0;
    do {
        GFP_TRY(gfp_mpi_state(l->mpi, NULL));
        GFP_TRY(begin_all(l));
        GFP_TRY(find_arrived(l, &found));
        if (found >= 0) {
            *from = (unsigned)found;
            *bytes = l->in[found].bytes;
            return GFP_OK;
        }
        if (wait) {
            (void)sched_yield();
        }
    } while (wait && gfp_clock_ns() - start < WAIT_NS);
    return GFP_OK;
}

static void line_receive(void *user, unsigned from, void *data, size_t bytes)
{
    line *l = user;
    transfer *t = &l->in[from];
    if (data != NULL) {
        memcpy(data, t->data, bytes);
    }
    t->bytes = 0;
    t->here = false;
}

static gfp_status line_broadcast(void *user, size_t bytes)
{
    line *l = user;
    MPI_Request request = MPI_REQUEST_NULL;
    GFP_TRY(gfp_mpi_check(
        l->mpi, gfp_mpi_use.ibcast(l->room, (int)bytes, MPI_BYTE, 0, l->mpi->comm, &request),
        "MPI_Ibcast"));
    const gfp_status status = gfp_mpi_wait(l->mpi, &request, "MPI_Ibcast");
    l->stays = l->stays || status != GFP_OK;
    return status;
}

static void line_reason(void *user, gfp_error *error)
{
    line *l = user;
    if (l->mpi->broken.status != GFP_OK) {
        *error = l->mpi->broken;
    } else {
        gfp_error_fill(error, GFP_ERR_MEMORY, "rank %d: no memory for messages", l->mpi->rank);
    }
}

/* ---- make ---- */

static gfp_status make_line(line **made, gfp_mpi *mpi)
{
    line *l = gfp_allocate(&mpi->allocator, 1, sizeof *l);
    if (l == NULL) {
        return GFP_ERR_MEMORY;
    }
    *l = (line){.mpi = mpi, .out = {.request = MPI_REQUEST_NULL}};
    l->in = gfp_allocate(&mpi->allocator, (size_t)mpi->size, sizeof *l->in);
    l->room = gfp_allocate(&mpi->allocator, ROOM_BYTES, 1);
    for (int i = 0; l->in != NULL && i < mpi->size; i++) {
        l->in[i] = (transfer){.request = MPI_REQUEST_NULL};
    }
    if (l->in == NULL || l->room == NULL) {
        line_destroy(l);
        return GFP_ERR_MEMORY;
    }
    *made = l;
    return GFP_OK;
}

/* *dealer := this rank's. */
static gfp_status make_dealer(gfp_dealer **dealer, gfp_mpi *mpi, gfp_checkpoint *file)
{
    line *l;
    const gfp_status status = make_line(&l, mpi);
    if (status != GFP_OK) {
        gfp_checkpoint_close(file);
        return status;
    }
    const gfp_transport transport = {.user = l,
                                     .rank = (unsigned)mpi->rank,
                                     .ranks = (unsigned)mpi->size,
                                     .most = INT_MAX,
                                     .room = l->room,
                                     .room_bytes = ROOM_BYTES,
                                     .send = line_send,
                                     .probe = line_probe,
                                     .receive = line_receive,
                                     .broadcast = line_broadcast,
                                     .reason = line_reason,
                                     .destroy = line_destroy};
    return gfp_deal_create(dealer, &transport, file);
}

gfp_status gfp_mpi_create_dealer(gfp_dealer **dealer, gfp_mpi *mpi, const char *checkpoint,
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
    const gfp_status agreed = gfp_mpi_agree(mpi, status, &own);
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
