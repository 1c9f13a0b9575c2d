/* context.c: contexts over ranks: the duplicates of the communicator, what all ranks must have in
 * common, and how they exchange data.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/base/attachment.h"
#include "field/base/cpu.h"
#include "field/base/options.h"
#include "ranks/memory.h"

/* *failed: the first code that is not MPI_SUCCESS. */
static void note_code(int *failed, int code)
{
    *failed = *failed == MPI_SUCCESS ? code : *failed;
}

/* *size := the number of ranks on this rank's host. Returns the first code that is not
 * MPI_SUCCESS. */
static int count_host(MPI_Comm comm, int *size)
{
    MPI_Comm host = MPI_COMM_NULL;
    const int split =
        gfp_mpi_use.comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    const int counted = split == MPI_SUCCESS ? gfp_mpi_use.comm_size(host, size) : split;
    const int freed = host != MPI_COMM_NULL ? gfp_mpi_use.comm_free(&host) : MPI_SUCCESS;
    return counted != MPI_SUCCESS ? counted : freed;
}

/* Duplicates the program's communicator, whose errors are returned meanwhile. A rank whose call
 * fails makes the other calls: all ranks wait in them. Returns the first code that is not
 * MPI_SUCCESS, on any rank. */
static int duplicate_comm(gfp_mpi *mpi, MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int any = 0, failed = MPI_SUCCESS, host = 0;
    note_code(&failed, gfp_mpi_use.comm_get_errhandler(comm, &handler));
    note_code(&failed, gfp_mpi_use.comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    note_code(&failed, gfp_mpi_use.comm_rank(comm, &mpi->rank));
    note_code(&failed, gfp_mpi_use.comm_size(comm, &mpi->size));
    /* The duplicates inherit the handler, which is MPI_ERRORS_RETURN now. */
    note_code(&failed, gfp_mpi_use.comm_dup(comm, &mpi->comm));
    note_code(&failed, gfp_mpi_use.comm_dup(comm, &mpi->alarm));
    note_code(&failed, count_host(comm, &host));
    mpi->direct = host == mpi->size;
    const int told = gfp_mpi_use.allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)gfp_mpi_use.comm_set_errhandler(comm, handler);
        (void)gfp_mpi_use.errhandler_free(&handler);
    }
    return told != MPI_SUCCESS ? told : any;
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

/* ---- how ranks exchange data ---- */

/* The variable that makes ranks of one host send messages, for tests. */
#define EXCHANGE "GFPOLY_MPI_EXCHANGE"

/* Ranks of one host share memory, if a first block shows that they can. */
static gfp_status choose_exchange(gfp_mpi *mpi, gfp_error *error)
{
    gfp_mpi_memory memory = {0, NULL, NULL};
    const char *asked = getenv(EXCHANGE);
    uint64_t apart = !mpi->direct || (asked != NULL && strcmp(asked, "messages") == 0);
    if (gfp_mpi_max(mpi, &apart, 1) != GFP_OK) {
        return gfp_mpi_broken(mpi, error);
    }
    mpi->direct = apart == 0;
    gfp_status status = GFP_OK;
    if (mpi->direct) {
        status = gfp_mpi_memory_create(&memory, mpi, GFP_MAX_K, error);
        gfp_mpi_memory_destroy(&memory, mpi);
        mpi->direct = status == GFP_OK;
        status = status == GFP_ERR_UNAVAILABLE ? GFP_OK : status;
    }
    if (status == GFP_OK && !mpi->direct) {
        mpi->chunks = gfp_allocate(&mpi->allocator, 4 * GFP_MPI_CHUNK, sizeof(uint64_t));
        if (mpi->chunks == NULL) {
            status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for messages between ranks");
        }
    }
    return gfp_mpi_agree(mpi, status, error);
}

static size_t gathered_words(const gfp_mpi *mpi)
{
    return (size_t)mpi->size * GFP_MPI_GATHERED;
}

/* Without memory on one rank no rank gets a context; this rank takes part with a context on the
 * stack. */
static gfp_status create_context(gfp_mpi *mpi, MPI_Comm comm, gfp_status status,
                                 const gfp_options *options, gfp_error *error)
{
    const int code = duplicate_comm(mpi, comm);
    if (code != MPI_SUCCESS) {
        (void)gfp_mpi_check(mpi, code, "MPI_Comm_dup");
        return gfp_mpi_broken(mpi, error);
    }
    mpi->gathered = gfp_allocate(&mpi->allocator, gathered_words(mpi), sizeof(uint64_t));
    if (status == GFP_OK && mpi->gathered == NULL) {
        status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a context over ranks");
    }
    GFP_TRY(gfp_mpi_agree(mpi, status, error));
    GFP_TRY(compare_ranks(mpi, options, error));
    return mpi->field != NULL ? choose_exchange(mpi, error) : GFP_OK;
}

/* Communicators and buffers of a broken context stay: other ranks may have gone, and a collective
 * call that was given up may still write to the buffers. */
static _Atomic(gfp_mpi_buffers *) kept_buffers;

static void keep_buffers(gfp_mpi *mpi)
{
    gfp_mpi_buffers *b = mpi->buffers;
    b->gathered = mpi->gathered;
    b->chunks = mpi->chunks;
    b->next = atomic_load(&kept_buffers);
    while (!atomic_compare_exchange_weak(&kept_buffers, &b->next, b)) {
    }
}

static void free_context(gfp_mpi *mpi, gfp_mpi_buffers *on_stack)
{
    gfp_mpi_memory_forget(mpi);
    if (gfp_mpi_state(mpi, NULL) == GFP_OK) {
        (void)gfp_mpi_use.comm_free(&mpi->comm);
        (void)gfp_mpi_use.comm_free(&mpi->alarm);
        if (mpi->buffers != on_stack) {
            gfp_release(&mpi->allocator, mpi->buffers, 1, sizeof *mpi->buffers);
        }
        gfp_release(&mpi->allocator, mpi->gathered, gathered_words(mpi), sizeof(uint64_t));
        gfp_release(&mpi->allocator, mpi->chunks, 4 * GFP_MPI_CHUNK, sizeof(uint64_t));
    } else if (mpi->buffers != on_stack) {
        keep_buffers(mpi);
    }
}

gfp_status gfp_mpi_create(gfp_mpi **mpi, MPI_Comm comm, const gfp_field *field,
                          const gfp_options *options)
{
    gfp_options copy;
    gfp_error error = {.status = GFP_OK};
    int began = 0, ended = 0, inter = 0;
    const gfp_options *const given = options;
    gfp_status status = gfp_options_read(&options, &copy);
    gfp_error *const told = gfp_mpi_caller_error(&error, given, status);
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
