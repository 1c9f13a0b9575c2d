/* comm.c: see comm.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/comm.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "field/base/options.h"

#define TAG_ALARM 1
/* Tests of a request between two searches for an alarm, and searches before a rank that waits
 * sleeps between them: some 0.5 ms. */
#define TESTS_BETWEEN 64
#define SEARCHES_AWAKE 64
#define SLEEP_NS 50000

/* ---- failures of MPI ---- */

/* Tells all other ranks. Failures of these calls change nothing any more. Messages may be under way
 * when this rank destroys its context: they are sent from memory that stays. */
static void raise_alarm(gfp_mpi *mpi)
{
    static const gfp_error unnamed = {.status = GFP_ERR_IO,
                                      .message = "a rank without memory cannot use MPI"};
    mpi->alarm_sent = mpi->broken;
    const gfp_error *const sent = mpi->temporary ? &unnamed : &mpi->alarm_sent;
    for (int i = 0; i < mpi->size && mpi->alarm != MPI_COMM_NULL; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (i != mpi->rank &&
            gfp_mpi_use.isend(sent, (int)sizeof *sent, MPI_BYTE, i, TAG_ALARM, mpi->alarm,
                              &request) == MPI_SUCCESS &&
            request != MPI_REQUEST_NULL) {
            (void)gfp_mpi_use.request_free(&request);
        }
    }
}

gfp_status gfp_mpi_break(gfp_mpi *mpi, const char *reason)
{
    if (mpi->broken.status == GFP_OK) {
        gfp_error_fill(&mpi->broken, GFP_ERR_IO, "rank %d: %.200s", mpi->rank, reason);
        raise_alarm(mpi);
    }
    return mpi->broken.status;
}

gfp_status gfp_mpi_check(gfp_mpi *mpi, int code, const char *name)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error", reason[200];
    int length = 0;
    if (code == MPI_SUCCESS) {
        return GFP_OK;
    }
    (void)MPI_Error_string(code, text, &length);
    (void)snprintf(reason, sizeof reason, "%s: %.150s", name, text);
    return gfp_mpi_break(mpi, reason);
}

/* Breaks the context if another rank has raised an alarm. */
static void notice_alarm(gfp_mpi *mpi)
{
    int here = 0;
    MPI_Status status;
    if (mpi->broken.status == GFP_OK &&
        gfp_mpi_check(mpi,
                      gfp_mpi_use.iprobe(MPI_ANY_SOURCE, TAG_ALARM, mpi->alarm, &here, &status),
                      "MPI_Iprobe") == GFP_OK &&
        here) {
        gfp_error error = {.status = GFP_ERR_IO};
        const int code = gfp_mpi_use.recv(&error, (int)sizeof error, MPI_BYTE, status.MPI_SOURCE,
                                          TAG_ALARM, mpi->alarm, MPI_STATUS_IGNORE);
        if (gfp_mpi_check(mpi, code, "MPI_Recv") == GFP_OK) {
            mpi->broken = error;
        }
    }
}

gfp_status gfp_mpi_broken(const gfp_mpi *mpi, gfp_error *error)
{
    if (mpi->broken.status != GFP_OK && error != NULL) {
        *error = mpi->broken;
    }
    return mpi->broken.status;
}

gfp_status gfp_mpi_state(gfp_mpi *mpi, gfp_error *error)
{
    notice_alarm(mpi);
    return gfp_mpi_broken(mpi, error);
}

/* Where ranks share a processor, the one that is waited for must run. */
static void give_way(unsigned searches)
{
    const struct timespec pause = {0, SLEEP_NS};
    if (searches < SEARCHES_AWAKE) {
        (void)sched_yield();
    } else {
        (void)nanosleep(&pause, NULL);
    }
}

gfp_status gfp_mpi_wait(gfp_mpi *mpi, MPI_Request *request, const char *name)
{
    int done = 0;
    for (unsigned tests = 0; mpi->broken.status == GFP_OK; tests++) {
        const int code = gfp_mpi_use.test(request, &done, MPI_STATUS_IGNORE);
        if (gfp_mpi_check(mpi, code, name) != GFP_OK || done) {
            break;
        }
        if (tests % TESTS_BETWEEN == TESTS_BETWEEN - 1) {
            notice_alarm(mpi);
            give_way(tests / TESTS_BETWEEN);
        }
    }
    return mpi->broken.status;
}

void gfp_mpi_give_up(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL) {
        (void)gfp_mpi_use.cancel(request);
        (void)gfp_mpi_use.request_free(request);
    }
}

/* ---- what all ranks know ---- */

gfp_status gfp_mpi_max(gfp_mpi *mpi, uint64_t *x, size_t n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    GFP_TRY(gfp_mpi_state(mpi, NULL));
    memcpy(mpi->sent, x, n * sizeof *x);
    GFP_TRY(gfp_mpi_check(mpi,
                          gfp_mpi_use.iallreduce(mpi->sent, mpi->received, (int)n, MPI_UINT64_T,
                                                 MPI_MAX, mpi->comm, &request),
                          "MPI_Iallreduce"));
    GFP_TRY(gfp_mpi_wait(mpi, &request, "MPI_Iallreduce"));
    memcpy(x, mpi->received, n * sizeof *x);
    return GFP_OK;
}

gfp_status gfp_mpi_gather(gfp_mpi *mpi, const uint64_t *x, size_t n)
{
    MPI_Request request = MPI_REQUEST_NULL;
    GFP_TRY(gfp_mpi_state(mpi, NULL));
    memcpy(mpi->gathered + (size_t)mpi->rank * n, x, n * sizeof *x);
    GFP_TRY(gfp_mpi_check(mpi,
                          gfp_mpi_use.iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mpi->gathered,
                                                 (int)n, MPI_UINT64_T, mpi->comm, &request),
                          "MPI_Iallgather"));
    return gfp_mpi_wait(mpi, &request, "MPI_Iallgather");
}

gfp_status gfp_mpi_broadcast(gfp_mpi *mpi, void *data, size_t bytes, int root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    GFP_TRY(gfp_mpi_state(mpi, NULL));
    memcpy(&mpi->message, data, bytes);
    GFP_TRY(gfp_mpi_check(
        mpi, gfp_mpi_use.ibcast(&mpi->message, (int)bytes, MPI_BYTE, root, mpi->comm, &request),
        "MPI_Ibcast"));
    GFP_TRY(gfp_mpi_wait(mpi, &request, "MPI_Ibcast"));
    memcpy(data, &mpi->message, bytes);
    return GFP_OK;
}

/* The error of the least rank that failed, which all ranks know. */
static gfp_status share_error(gfp_mpi *mpi, int root, gfp_status status, gfp_error *error)
{
    gfp_error shared;
    memset(&shared, 0, sizeof shared);
    if (mpi->rank == root) {
        const bool told = error != NULL && error->status == status;
        gfp_error_fill(&shared, status, "rank %d: %.220s", root,
                       told ? error->message : gfp_status_string(status));
        if (told) {
            shared.line = error->line;
            shared.column = error->column;
            shared.offset = error->offset;
            shared.index = error->index;
        }
    }
    if (gfp_mpi_broadcast(mpi, &shared, sizeof shared, root) != GFP_OK) {
        return gfp_mpi_broken(mpi, error);
    }
    if (error != NULL) {
        *error = shared;
    }
    return shared.status;
}

gfp_status gfp_mpi_same(gfp_mpi *mpi, const gfp_mpi_fact *facts, size_t count, gfp_status status,
                        gfp_error *error)
{
    const uint64_t size = (uint64_t)mpi->size, rank = (uint64_t)mpi->rank;
    uint64_t x[GFP_MPI_WORDS];
    /* The greatest number of all is that of the least rank that failed; without an error, of the
     * least rank with a warning. */
    x[0] = status == GFP_OK ? 0 : size - rank + (status < GFP_OK ? size : 0);
    for (size_t i = 0; i < GFP_MPI_FACTS; i++) {
        x[1 + 2 * i] = i < count ? facts[i].value : 0;
        x[2 + 2 * i] = ~x[1 + 2 * i];
    }
    if (gfp_mpi_max(mpi, x, GFP_MPI_WORDS) != GFP_OK) {
        return gfp_mpi_broken(mpi, error);
    }
    if (x[0] != 0) {
        return share_error(mpi, (int)((x[0] > size ? 2 * size : size) - x[0]), status, error);
    }
    for (size_t i = 0; i < GFP_MPI_FACTS; i++) {
        if (x[1 + 2 * i] != ~x[2 + 2 * i]) {
            return gfp_error_set(error, i < count ? facts[i].status : GFP_ERR_ARGUMENT,
                                 "ranks have different %s", i < count ? facts[i].name : "calls");
        }
    }
    return GFP_OK;
}

gfp_status gfp_mpi_agree(gfp_mpi *mpi, gfp_status status, gfp_error *error)
{
    return gfp_mpi_same(mpi, NULL, 0, status, error);
}

gfp_error *gfp_mpi_caller_error(gfp_error *error, const gfp_options *options, gfp_status status)
{
    gfp_error *told = gfp_options_error(options);
    if (status != GFP_OK && told != NULL && told->status == status) {
        *error = *told;
    }
    return told;
}

uint64_t gfp_mpi_text_fact(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325U; /* FNV-1a */
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
    }
    return hash;
}

size_t gfp_mpi_option_facts(gfp_mpi_fact *facts, const gfp_options *options)
{
    const char *method = gfp_options_auto(options) ? "auto" : options->method;
    facts[0] = (gfp_mpi_fact){"options: method", gfp_mpi_text_fact(method), GFP_ERR_ARGUMENT};
    facts[1] = (gfp_mpi_fact){"options: verify", (uint64_t)options->verify, GFP_ERR_ARGUMENT};
    facts[2] = (gfp_mpi_fact){"options: verify_seed", options->verify_seed, GFP_ERR_ARGUMENT};
    return 3;
}

gfp_mpi_info gfp_mpi_get_info(const gfp_mpi *mpi)
{
    return (gfp_mpi_info){.rank = mpi->rank, .ranks = mpi->size};
}
