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
#include "gpu/arrays.h"
#include "ranks/memory.h"

/* *failed: the first code that is not MPI_SUCCESS. */
static void note_code(int *failed, int code)
{
    *failed = *failed == MPI_SUCCESS ? code : *failed;
}

/* *size := the number of ranks on this rank's host, *rank := that of this one among them. Returns
 * the first code that is not MPI_SUCCESS. */
static int count_host(MPI_Comm comm, int *size, int *rank)
{
    MPI_Comm host = MPI_COMM_NULL;
    const int split =
        gfp_mpi_use.comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int counted = split == MPI_SUCCESS ? gfp_mpi_use.comm_size(host, size) : split;
    if (split == MPI_SUCCESS) {
        note_code(&counted, gfp_mpi_use.comm_rank(host, rank));
    }
    const int freed = host != MPI_COMM_NULL ? gfp_mpi_use.comm_free(&host) : MPI_SUCCESS;
    return counted != MPI_SUCCESS ? counted : freed;
}

/* Duplicates the program's communicator, whose errors are returned meanwhile. A rank whose call
 * fails makes the other calls: all ranks wait in them. Returns the first code that is not
 * MPI_SUCCESS, on any rank. *lacking := the least rank whose context is temporary, since it has no
 * memory; -1: none. */
static int duplicate_comm(gfp_mpi *mpi, MPI_Comm comm, int *lacking)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int any[2] = {0, 0}, failed = MPI_SUCCESS, host = 0;
    note_code(&failed, gfp_mpi_use.comm_get_errhandler(comm, &handler));
    note_code(&failed, gfp_mpi_use.comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    note_code(&failed, gfp_mpi_use.comm_rank(comm, &mpi->rank));
    note_code(&failed, gfp_mpi_use.comm_size(comm, &mpi->size));
    /* The duplicates inherit the handler, which is MPI_ERRORS_RETURN now. */
    note_code(&failed, gfp_mpi_use.comm_dup(comm, &mpi->comm));
    note_code(&failed, gfp_mpi_use.comm_dup(comm, &mpi->alarm));
    note_code(&failed, count_host(comm, &host, &mpi->local));
    mpi->direct = host == mpi->size;
    const int own[2] = {failed, mpi->temporary ? mpi->size - mpi->rank : 0};
    const int told = gfp_mpi_use.allreduce(own, any, 2, MPI_INT, MPI_MAX, comm);
    *lacking = any[1] > 0 ? mpi->size - any[1] : -1;
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)gfp_mpi_use.comm_set_errhandler(comm, handler);
        (void)gfp_mpi_use.errhandler_free(&handler);
    }
    return told != MPI_SUCCESS ? told : any[0];
}

/* What must be the same on all ranks. */
static gfp_status compare_ranks(gfp_mpi *mpi, const gfp_options *options, gfp_error *error)
{
    gfp_mpi_fact facts[4 + GFP_MPI_OPTION_FACTS];
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
    if (status != GFP_OK) {
        return status; /* of all ranks */
    }
    if (!mpi->direct) {
        mpi->chunks = gfp_allocate(&mpi->allocator, 4 * GFP_MPI_CHUNK, sizeof(uint64_t));
        if (mpi->chunks == NULL) {
            status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for messages between ranks");
        }
    }
    return gfp_mpi_agree(mpi, status, error);
}

/* What distinguishes this call from others that agree. */
static const gfp_mpi_fact destroying_context = {"calls", UINT64_MAX - 1, GFP_ERR_ARGUMENT};

static size_t gathered_words(const gfp_mpi *mpi)
{
    return (size_t)mpi->size * GFP_MPI_GATHERED;
}

static void free_comms(gfp_mpi *mpi)
{
    (void)gfp_mpi_use.comm_free(&mpi->comm);
    (void)gfp_mpi_use.comm_free(&mpi->alarm);
    mpi->comm = mpi->alarm = MPI_COMM_NULL;
}

/* Without memory on one rank no rank gets a context. */
static gfp_status create_context(gfp_mpi *mpi, MPI_Comm comm, gfp_status status,
                                 const gfp_options *options, gfp_error *error)
{
    int lacking;
    const int code = duplicate_comm(mpi, comm, &lacking);
    if (code != MPI_SUCCESS) {
        (void)gfp_mpi_check(mpi, code, "MPI_Comm_dup");
        return gfp_mpi_broken(mpi, error);
    }
    if (lacking >= 0) {
        free_comms(mpi);
        return gfp_error_set(error, GFP_ERR_MEMORY, "rank %d: no memory for a context over ranks",
                             lacking);
    }
    mpi->gathered = gfp_allocate(&mpi->allocator, gathered_words(mpi), sizeof(uint64_t));
    if (status == GFP_OK && mpi->gathered == NULL) {
        status = gfp_error_set(error, GFP_ERR_MEMORY, "no memory for a context over ranks");
    }
    GFP_TRY(gfp_mpi_agree(mpi, status, error));
    GFP_TRY(compare_ranks(mpi, options, error));
    return mpi->field != NULL ? choose_exchange(mpi, error) : GFP_OK;
}

/* The contexts that broke and were destroyed: see gfp_mpi.next. */
static _Atomic(gfp_mpi *) kept_contexts;

/* Communicators are freed by all ranks together: an alarm may be under way when this rank comes
 * here, so that ranks agree once more. If another rank is in another call, the context breaks: that
 * rank would wait later. A broken context and its communicators stay. */
static void free_context(gfp_mpi *mpi)
{
    gfp_mpi_memory_forget(mpi);
    if (mpi->comm != MPI_COMM_NULL &&
        gfp_mpi_same(mpi, &destroying_context, 1, GFP_OK, NULL) == GFP_OK) {
        free_comms(mpi);
    } else if (mpi->comm != MPI_COMM_NULL && gfp_mpi_broken(mpi, NULL) == GFP_OK) {
        (void)gfp_mpi_break(mpi, "it destroys a context that another rank uses");
    }
    if (mpi->temporary) {
        return;
    }
    if (gfp_mpi_broken(mpi, NULL) == GFP_OK) {
        const gfp_allocator allocator = mpi->allocator;
        gfp_release(&allocator, mpi->gathered, gathered_words(mpi), sizeof(uint64_t));
        gfp_release(&allocator, mpi->chunks, 4 * GFP_MPI_CHUNK, sizeof(uint64_t));
        gfp_release(&allocator, mpi, 1, sizeof *mpi);
        return;
    }
    mpi->next = atomic_load(&kept_contexts);
    while (!atomic_compare_exchange_weak(&kept_contexts, &mpi->next, mpi)) {
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
    if (!began || ended || comm == MPI_COMM_NULL) {
        return gfp_error_set(told, GFP_ERR_ARGUMENT, "a context over ranks: %s",
                             !began || ended ? "MPI is not initialised" : "no communicator");
    }
    (void)gfp_mpi_use.comm_test_inter(comm, &inter);
    if (inter) {
        return gfp_error_set(told, GFP_ERR_ARGUMENT, "a context over ranks: an intercommunicator");
    }
    if (status != GFP_OK) { /* this rank reads no options, and still takes part */
        options = &gfp_no_options;
    } else if (mpi == NULL) {
        status = gfp_error_set(&error, GFP_ERR_ARGUMENT,
                               "a context over ranks: no place for the context");
    }
    const gfp_allocator allocator =
        field != NULL ? *gfp_field_allocator(field) : gfp_default_allocator;
    gfp_mpi local;
    gfp_mpi *const made = gfp_allocate(&allocator, 1, sizeof *made);
    gfp_mpi *const context = made != NULL ? made : &local;
    memset(context, 0, sizeof *context);
    context->comm = context->alarm = MPI_COMM_NULL;
    context->field = field;
    context->allocator = allocator;
    context->temporary = made == NULL;
    status = create_context(context, comm, status, options, &error);
    if (status == GFP_OK && mpi != NULL) {
        *mpi = context;
        return GFP_OK;
    }
    if (told != NULL) {
        *told = error;
    }
    free_context(context);
    return status;
}

gfp_status gfp_mpi_device(unsigned *device, const gfp_mpi *mpi, gfp_error *error)
{
    unsigned count = 1;
    const char *setting = getenv("GFPOLY_GPU");
    if (setting != NULL && strcmp(setting, "off") == 0) { /* as for methods of products */
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "no GPU: GFPOLY_GPU=off");
    }
    GFP_TRY(gfp_gpu_count(&count, error));
    *device = (unsigned)mpi->local % count;
    return GFP_OK;
}

void gfp_mpi_destroy(gfp_mpi *mpi)
{
    if (mpi != NULL) {
        free_context(mpi);
    }
}
