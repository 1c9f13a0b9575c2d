/* comm.c: see comm.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/comm.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "field/base/attachment.h"
#include "field/base/cpu.h"
#include "field/base/options.h"

#define TAG_ALARM 1
/* Tests of a request between two searches for an alarm. */
#define TESTS_BETWEEN 64

/* ---- failures of MPI ---- */

/* Tells all other ranks. Failures of these calls change nothing any more. */
static void raise_alarm(gfp_mpi *mpi)
{
    for (int i = 0; i < mpi->size && mpi->alarm != MPI_COMM_NULL; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (i != mpi->rank &&
            gfp_mpi_use.isend(&mpi->broken, (int)sizeof mpi->broken, MPI_BYTE, i, TAG_ALARM,
                              mpi->alarm, &request) == MPI_SUCCESS &&
            request != MPI_REQUEST_NULL) {
            (void)gfp_mpi_use.request_free(&request);
        }
    }
}

gfp_status gfp_mpi_check(gfp_mpi *mpi, int code, const char *name)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    if (code == MPI_SUCCESS) {
        return GFP_OK;
    }
    if (mpi->broken.status == GFP_OK) {
        (void)MPI_Error_string(code, text, &length);
        gfp_error_fill(&mpi->broken, GFP_ERR_IO, "rank %d: %s: %.150s", mpi->rank, name, text);
        raise_alarm(mpi);
    }
    return mpi->broken.status;
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
        gfp_error error;
        const int code = gfp_mpi_use.recv(&error, (int)sizeof error, MPI_BYTE, status.MPI_SOURCE,
                                          TAG_ALARM, mpi->alarm, MPI_STATUS_IGNORE);
        if (gfp_mpi_check(mpi, code, "MPI_Recv") == GFP_OK) {
            mpi->broken = error;
        }
    }
}

static gfp_status broken_status(const gfp_mpi *mpi, gfp_error *error)
{
    if (mpi->broken.status != GFP_OK && error != NULL) {
        *error = mpi->broken;
    }
    return mpi->broken.status;
}

gfp_status gfp_mpi_state(gfp_mpi *mpi, gfp_error *error)
{
    notice_alarm(mpi);
    return broken_status(mpi, error);
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
            (void)sched_yield();
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
    memcpy(mpi->buffers->sent, x, n * sizeof *x);
    GFP_TRY(gfp_mpi_check(mpi,
                          gfp_mpi_use.iallreduce(mpi->buffers->sent, mpi->buffers->received, (int)n,
                                                 MPI_UINT64_T, MPI_MAX, mpi->comm, &request),
                          "MPI_Iallreduce"));
    GFP_TRY(gfp_mpi_wait(mpi, &request, "MPI_Iallreduce"));
    memcpy(x, mpi->buffers->received, n * sizeof *x);
    return GFP_OK;
}

gfp_status gfp_mpi_broadcast(gfp_mpi *mpi, void *data, size_t bytes, int root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    GFP_TRY(gfp_mpi_state(mpi, NULL));
    memcpy(&mpi->buffers->message, data, bytes);
    GFP_TRY(gfp_mpi_check(
        mpi,
        gfp_mpi_use.ibcast(&mpi->buffers->message, (int)bytes, MPI_BYTE, root, mpi->comm, &request),
        "MPI_Ibcast"));
    GFP_TRY(gfp_mpi_wait(mpi, &request, "MPI_Ibcast"));
    memcpy(data, &mpi->buffers->message, bytes);
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
        return broken_status(mpi, error);
    }
    if (error != NULL) {
        *error = shared;
    }
    return shared.status;
}

gfp_status gfp_mpi_same(gfp_mpi *mpi, const gfp_mpi_fact *facts, size_t count, gfp_status status,
                        gfp_error *error)
{
    uint64_t x[GFP_MPI_WORDS];
    /* The greatest number of all is that of the least rank that failed. */
    x[0] = status < GFP_OK ? (uint64_t)(mpi->size - mpi->rank) : 0;
    for (size_t i = 0; i < count; i++) {
        x[1 + 2 * i] = facts[i].value;
        x[2 + 2 * i] = ~facts[i].value;
    }
    if (gfp_mpi_max(mpi, x, 1 + 2 * count) != GFP_OK) {
        return broken_status(mpi, error);
    }
    if (x[0] != 0) {
        return share_error(mpi, mpi->size - (int)x[0], status, error);
    }
    for (size_t i = 0; i < count; i++) {
        if (x[1 + 2 * i] != ~x[2 + 2 * i]) {
            return gfp_error_set(error, facts[i].status, "ranks have different %s", facts[i].name);
        }
    }
    return status;
}

gfp_status gfp_mpi_agree(gfp_mpi *mpi, gfp_status status, gfp_error *error)
{
    return gfp_mpi_same(mpi, NULL, 0, status, error);
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

/* ---- contexts ---- */

/* Duplicates the program's communicator, whose errors are returned meanwhile. `failed` becomes the
 * first code that is not MPI_SUCCESS, on any rank. */
static int duplicate_comm(gfp_mpi *mpi, MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int codes[7], any = 0, failed = MPI_SUCCESS;
    codes[0] = gfp_mpi_use.comm_get_errhandler(comm, &handler);
    codes[1] = gfp_mpi_use.comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    codes[2] = gfp_mpi_use.comm_rank(comm, &mpi->rank);
    codes[3] = gfp_mpi_use.comm_size(comm, &mpi->size);
    codes[4] = gfp_mpi_use.comm_dup(comm, &mpi->comm);
    codes[5] = gfp_mpi_use.comm_dup(comm, &mpi->alarm);
    for (int i = 0; i < 6 && failed == MPI_SUCCESS; i++) {
        failed = codes[i];
    }
    /* The duplicates inherit the handler, which is MPI_ERRORS_RETURN now. */
    codes[6] = gfp_mpi_use.allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)gfp_mpi_use.comm_set_errhandler(comm, handler);
        (void)gfp_mpi_use.errhandler_free(&handler);
    }
    return codes[6] != MPI_SUCCESS ? codes[6] : any;
}

/* What must be the same on all ranks. */
static gfp_status compare_ranks(gfp_mpi *mpi, const gfp_options *options, gfp_error *error)
{
    gfp_mpi_fact facts[5 + GFP_MPI_OPTION_FACTS];
    char version[64];
    (void)snprintf(version, sizeof version, "%s %zu", gfp_version(), sizeof(gfp_options));
    const gfp_field *field = mpi->field;
    facts[0] = (gfp_mpi_fact){"versions of gfpoly", gfp_mpi_text_fact(version), GFP_ERR_VERSION};
    facts[1] =
        (gfp_mpi_fact){"fields, or a field and none",
                       field == NULL ? 0 : (uint64_t)gfp_field_k(field), GFP_ERR_FIELD_MISMATCH};
    facts[2] =
        (gfp_mpi_fact){"fields", field == NULL ? 0 : gfp_field_r(field), GFP_ERR_FIELD_MISMATCH};
    facts[3] = (gfp_mpi_fact){
        "kernel levels; the variable GFPOLY_CPU sets one",
        (uint64_t)(field == NULL ? gfp_cpu_level_get() : gfp_field_level(field)), GFP_ERR_VERSION};
    return gfp_mpi_same(mpi, facts, 4 + gfp_mpi_option_facts(facts + 4, options), GFP_OK, error);
}

/* Without memory on one rank no rank gets a context; this rank takes part with a context on the
 * stack. */
static gfp_status create_context(gfp_mpi *mpi, MPI_Comm comm, gfp_status status,
                                 const gfp_options *options, gfp_error *error)
{
    const int code = duplicate_comm(mpi, comm);
    if (code != MPI_SUCCESS) {
        (void)gfp_mpi_check(mpi, code, "MPI_Comm_dup");
        return broken_status(mpi, error);
    }
    GFP_TRY(gfp_mpi_agree(mpi, status, error));
    return compare_ranks(mpi, options, error);
}

/* Communicators and buffers of a broken context stay: other ranks may have gone, and a collective
 * call that was given up may still write to the buffers. */
static void free_context(gfp_mpi *mpi, gfp_mpi_buffers *on_stack)
{
    if (gfp_mpi_state(mpi, NULL) == GFP_OK) {
        (void)gfp_mpi_use.comm_free(&mpi->comm);
        (void)gfp_mpi_use.comm_free(&mpi->alarm);
        if (mpi->buffers != on_stack) {
            gfp_release(&mpi->allocator, mpi->buffers, 1, sizeof *mpi->buffers);
        }
    }
}

gfp_status gfp_mpi_create(gfp_mpi **mpi, MPI_Comm comm, const gfp_field *field,
                          const gfp_options *options)
{
    gfp_options copy;
    gfp_error error = {.status = GFP_OK};
    int began = 0, ended = 0, inter = 0;
    gfp_error *const told = options == NULL ? NULL : options->error;
    gfp_status status = gfp_options_read(&options, &copy);
    (void)MPI_Initialized(&began);
    (void)MPI_Finalized(&ended);
    if (mpi == NULL || !began || ended || comm == MPI_COMM_NULL) {
        return gfp_error_set(told, GFP_ERR_ARGUMENT, "a context over ranks: %s",
                             !began || ended ? "MPI is not initialised"
                             : mpi == NULL   ? "no place for the context"
                                             : "no communicator");
    }
    (void)gfp_mpi_use.comm_test_inter(comm, &inter);
    if (inter) {
        return gfp_error_set(told, GFP_ERR_ARGUMENT, "a context over ranks: an intercommunicator");
    }
    if (status != GFP_OK) { /* this rank reads no options, and still takes part */
        (void)gfp_error_set(&error, status, "options of another version");
        options = &gfp_no_options;
    }
    const gfp_allocator allocator =
        field != NULL ? *gfp_field_allocator(field) : gfp_default_allocator;
    gfp_mpi local;
    gfp_mpi_buffers buffers;
    gfp_mpi *made = gfp_allocate(&allocator, 1, sizeof *made);
    gfp_mpi *const context = made != NULL ? made : &local;
    memset(context, 0, sizeof *context);
    context->comm = context->alarm = MPI_COMM_NULL;
    context->field = field;
    context->allocator = allocator;
    context->buffers = gfp_allocate(&allocator, 1, sizeof *context->buffers);
    if (status == GFP_OK && (made == NULL || context->buffers == NULL)) {
        status = gfp_error_set(&error, GFP_ERR_MEMORY, "no memory for a context over ranks");
    }
    if (context->buffers == NULL) {
        context->buffers = &buffers;
    }
    status = create_context(context, comm, status, options, &error);
    if (status == GFP_OK) {
        *mpi = context;
        return GFP_OK;
    }
    if (told != NULL) {
        *told = error;
    }
    free_context(context, &buffers);
    gfp_release(&allocator, made, 1, sizeof *made);
    return status;
}

void gfp_mpi_destroy(gfp_mpi *mpi)
{
    if (mpi != NULL) {
        const gfp_allocator allocator = mpi->allocator;
        free_context(mpi, NULL);
        gfp_release(&allocator, mpi, 1, sizeof *mpi);
    }
}

int gfp_mpi_rank(const gfp_mpi *mpi)
{
    return mpi->rank;
}

int gfp_mpi_ranks(const gfp_mpi *mpi)
{
    return mpi->size;
}
