/* file.c: distributed polynomials from and to binary files. Every rank reads or writes its own
 * block by MPI-IO; the checksum of the payload, which is over all blocks in order, goes from rank
 * to rank.
 *
 * No call is collective: each rank opens the file alone (MPI_COMM_SELF). In a collective call ranks
 * would wait for one that has failed before, or fails inside.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "poly/files/impl.h"
#include "poly/impl.h"
#include "ranks/poly.h"

#define TAG_SUM 4
/* The words of a read or a write. */
#define PIECE_WORDS ((size_t)1 << 21)

/* ---- blocks in a file ---- */

static gfp_status check_io(int code, const char *name, gfp_error *error)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    if (code == MPI_SUCCESS) {
        return GFP_OK;
    }
    (void)MPI_Error_string(code, text, &length);
    return gfp_error_set(error, GFP_ERR_IO, "%s: %.150s", name, text);
}

/* *file := the file, whose errors are returned. Files that are opened inherit the handler of
 * MPI_FILE_NULL, which is the program's. */
static gfp_status open_own(MPI_File *file, const char *path, int mode, gfp_error *error)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int code = gfp_mpi_use.file_get_errhandler(MPI_FILE_NULL, &handler);
    if (code == MPI_SUCCESS) {
        code = gfp_mpi_use.file_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    }
    if (code == MPI_SUCCESS) {
        code = gfp_mpi_use.file_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, file);
    }
    if (handler != MPI_ERRHANDLER_NULL) {
        (void)gfp_mpi_use.file_set_errhandler(MPI_FILE_NULL, handler);
        (void)gfp_mpi_use.errhandler_free(&handler);
    }
    return check_io(code, "MPI_File_open", error);
}

static gfp_status move_piece(MPI_File file, MPI_Offset at, uint64_t *x, size_t n, bool writes,
                             gfp_error *error)
{
    MPI_Status status;
    int count = 0;
    if (writes) {
        GFP_TRY(check_io(gfp_mpi_use.file_write_at(file, at, x, (int)n, MPI_UINT64_T, &status),
                         "MPI_File_write_at", error));
    } else {
        GFP_TRY(check_io(gfp_mpi_use.file_read_at(file, at, x, (int)n, MPI_UINT64_T, &status),
                         "MPI_File_read_at", error));
    }
    GFP_TRY(check_io(gfp_mpi_use.get_count(&status, MPI_UINT64_T, &count), "MPI_Get_count", error));
    return count == (int)n
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_IO, "%s %d of %zu words from byte %lld on",
                               writes ? "MPI-IO wrote" : "MPI-IO read", count, n, (long long)at);
}

/* The same for the open file fd at this path. MPI-IO may take what stands before a colon for the
 * name of a driver, so that such a file gets another name. */
static gfp_status open_at(MPI_File *file, int fd, const char *path, bool writes, gfp_error *error)
{
    char name[40];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return open_own(file, strchr(path, ':') != NULL ? name : path,
                    writes ? MPI_MODE_RDWR : MPI_MODE_RDONLY, error);
}

/* Reads this rank's block of x from the file, or writes the block there, which is durable then:
 * by fsync, since MPI_File_sync may keep other threads of the process out of MPI for as long as the
 * disk takes, and before MPI_File_close, which has nothing to wait for then. */
static gfp_status move_block(const gfp_mpi_poly *x, const char *path, bool writes, gfp_error *error)
{
    const size_t k = gfp_field_k(x->mpi->field), words = gfp_mpi_poly_count(x) * k;
    const size_t first = gfp_mpi_deal_first(&x->deal, x->mpi->rank) * k;
    MPI_File file = MPI_FILE_NULL;
    if (words == 0) {
        return GFP_OK;
    }
    const int fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd < 0) {
        return gfp_file_io_error(error, "cannot open");
    }
    gfp_status status = open_at(&file, fd, path, writes, error);
    for (size_t i = 0; i < words && status == GFP_OK; i += PIECE_WORDS) {
        const MPI_Offset at = (MPI_Offset)(GFP_BINARY_PAYLOAD + (first + i) * sizeof(uint64_t));
        status = move_piece(file, at, gfp_mpi_poly_mine(x) + i,
                            gfp_size_min(PIECE_WORDS, words - i), writes, error);
    }
    if (status == GFP_OK && writes && fsync(fd) != 0) {
        status = gfp_file_io_error(error, "cannot write");
    }
    if (file != MPI_FILE_NULL) {
        const int code = gfp_mpi_use.file_close(&file);
        status = status == GFP_OK ? check_io(code, "MPI_File_close", error) : status;
    }
    (void)close(fd);
    return status;
}

/* ---- the payload of all ranks ---- */

/* mpi->relayed := the state of the checksum from the first block to this rank's, which comes from
 * the rank before and goes to the next one. Errors: IO. */
static gfp_status relay_sum(gfp_mpi *mpi, const uint64_t *x, size_t words, unsigned version)
{
    gfp_binary_state *const state = &mpi->relayed;
    MPI_Request request = MPI_REQUEST_NULL;
    gfp_status status = GFP_OK;
    if (mpi->rank > 0) {
        status = gfp_mpi_check(mpi,
                               gfp_mpi_use.irecv(state, (int)sizeof *state, MPI_BYTE, mpi->rank - 1,
                                                 TAG_SUM, mpi->comm, &request),
                               "MPI_Irecv");
        status = status == GFP_OK ? gfp_mpi_wait(mpi, &request, "MPI_Irecv") : status;
    } else {
        gfp_binary_state_begin(state, version);
    }
    if (status == GFP_OK) {
        gfp_binary_state_add(state, x, words);
    }
    if (status == GFP_OK && mpi->rank < mpi->size - 1) {
        status = gfp_mpi_check(mpi,
                               gfp_mpi_use.isend(state, (int)sizeof *state, MPI_BYTE, mpi->rank + 1,
                                                 TAG_SUM, mpi->comm, &request),
                               "MPI_Isend");
        status = status == GFP_OK ? gfp_mpi_wait(mpi, &request, "MPI_Isend") : status;
    }
    gfp_mpi_give_up(&request);
    return status;
}

/* Checks the digits of all blocks; *checksum := that of the payload, on all ranks. `status` is that
 * of this rank's block, which need not be there if it is not OK. Errors, agreed: also RANGE. */
static gfp_status sum_blocks(gfp_mpi_frame *f, const gfp_mpi_poly *x, unsigned version,
                             gfp_status status, uint64_t *checksum)
{
    gfp_mpi *mpi = f->mpi;
    const uint64_t *mine = gfp_mpi_poly_mine(x);
    const size_t count = status == GFP_OK ? gfp_mpi_poly_count(x) : 0;
    const size_t good = gfp_vec_canonical(mpi->field, mine, count);
    const uint64_t place = gfp_mpi_deal_first(&x->deal, mpi->rank) + good;
    const gfp_status relayed = relay_sum(mpi, mine, count * gfp_field_k(mpi->field), version);
    GFP_TRY(gfp_mpi_step(f, status == GFP_OK ? relayed : status));
    /* The greatest number is that of the least coefficient. */
    uint64_t words[2] = {good < count ? ~place : 0,
                         mpi->rank == mpi->size - 1 ? gfp_binary_state_end(&mpi->relayed) : 0};
    GFP_TRY(gfp_mpi_step(f, gfp_mpi_max(mpi, words, 2)));
    *checksum = words[1];
    return words[0] == 0 ? GFP_OK : gfp_binary_refuse(mpi->field, ~words[0], &f->call.error);
}

/* ---- from a file ---- */

/* The header of a file that has the same one on all ranks. */
static gfp_status open_everywhere(gfp_mpi_frame *f, gfp_file **file, const char *path)
{
    gfp_error *const error = &f->call.error;
    gfp_binary_head head = {.length = 0};
    gfp_status status = path != NULL ? gfp_file_open_head(file, path, f->mpi->field, NULL, error)
                                     : gfp_error_set(error, GFP_ERR_ARGUMENT, "no path of a file");
    if (status == GFP_OK) {
        head = (*file)->head;
    }
    const gfp_mpi_fact facts[] = {{"files: versions", head.version, GFP_ERR_ARGUMENT},
                                  {"files: lengths", head.length, GFP_ERR_ARGUMENT},
                                  {"files: checksums", head.checksum, GFP_ERR_ARGUMENT}};
    return gfp_mpi_same(f->mpi, facts, 3, status, error);
}

static gfp_status read_blocks(gfp_mpi_frame *f, gfp_mpi_poly *z, const gfp_binary_head *head,
                              const char *path)
{
    uint64_t checksum = 0;
    GFP_TRY(gfp_mpi_poly_make(z, f->mpi, (size_t)head->length, &f->call.error));
    const gfp_status mine = move_block(z, path, false, &f->call.error);
    gfp_status status = sum_blocks(f, z, head->version, mine, &checksum);
    status = status == GFP_OK ? gfp_binary_compare(checksum, head, &f->call.error) : status;
    if (status != GFP_OK) {
        gfp_mpi_memory_destroy(&z->memory, f->mpi);
    }
    return status;
}

gfp_status gfp_mpi_poly_scatter_file(gfp_mpi_poly *a, const char *path, const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly z;
    gfp_file *file = NULL;
    GFP_TRY(gfp_mpi_objects(a, a, a, options));
    GFP_TRY(gfp_mpi_begin(&frame, a->mpi, "a file to ranks", options, NULL, 0));
    gfp_call_unreported(&frame.call);
    gfp_status status = open_everywhere(&frame, &file, path);
    if (status == GFP_OK && file != NULL) {
        status = read_blocks(&frame, &z, &file->head, path);
        if (status == GFP_OK) {
            gfp_mpi_poly_take(a, &z);
        }
    }
    gfp_file_close(file);
    return gfp_mpi_finish(&frame, status);
}

/* ---- to a file ---- */

/* The root's file has a name then, which goes to path[0 .. PATH_MAX). */
static gfp_status name_file(gfp_file *file, const gfp_mpi_poly *a, char *path, gfp_error *error)
{
    if (file == NULL ||
        (gfp_file_digits_mutable(file) == NULL && gfp_file_get_info(file).length > 0)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the file is not being made");
    }
    if (gfp_file_get_info(file).length != a->deal.n) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the file has another length");
    }
    if (file->kept) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the file is one of gfp_file_resume");
    }
    GFP_TRY(gfp_file_name(file, error));
    char *whole = gfp_path_follow(file->temporary);
    if (whole == NULL && errno == ENOMEM) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "no memory for the path of a file");
    }
    const int n = whole != NULL ? snprintf(path, PATH_MAX, "%s", whole) : -1;
    free(whole);
    errno = n >= PATH_MAX ? ENAMETOOLONG : errno;
    return n >= 0 && n < PATH_MAX ? GFP_OK : gfp_file_io_error(error, "cannot find the file");
}

/* path := that of the root. */
static gfp_status share_path(gfp_mpi *mpi, char *path, int root)
{
    uint64_t bytes = mpi->rank == root ? strlen(path) + 1 : 0;
    GFP_TRY(gfp_mpi_max(mpi, &bytes, 1));
    for (size_t i = 0; i < bytes; i += sizeof(gfp_error)) {
        GFP_TRY(gfp_mpi_broadcast(mpi, path + i, gfp_size_min(bytes - i, sizeof(gfp_error)), root));
    }
    return GFP_OK;
}

static gfp_status write_blocks(gfp_mpi_frame *f, gfp_file *file, const gfp_mpi_poly *a, int root)
{
    gfp_mpi *mpi = f->mpi;
    gfp_error *const error = &f->call.error;
    gfp_binary_head head;
    char path[PATH_MAX] = "";
    uint64_t checksum = 0;
    gfp_status status = gfp_mpi_check_root(mpi, file != NULL ? file->field : NULL, root, error);
    if (status == GFP_OK && mpi->rank == root) {
        status = name_file(file, a, path, error);
    }
    GFP_TRY(gfp_mpi_step(f, status));
    GFP_TRY(gfp_mpi_step(f, share_path(mpi, path, root)));
    GFP_TRY(gfp_binary_describe(&head, mpi->field, a->deal.n));
    const gfp_status mine = move_block(a, path, true, error);
    GFP_TRY(sum_blocks(f, a, head.version, mine, &checksum));
    if (mpi->rank == root && file != NULL) {
        file->head.checksum = checksum;
        file->summed = true;
    }
    return GFP_OK;
}

gfp_status gfp_mpi_poly_gather_file(gfp_file *file, const gfp_mpi_poly *a, int root,
                                    const gfp_options *options)
{
    gfp_mpi_frame frame;
    GFP_TRY(gfp_mpi_objects(a, a, a, options));
    GFP_TRY(gfp_mpi_begin_gather(&frame, a, root, options));
    const gfp_status status = write_blocks(&frame, file, a, root);
    return gfp_mpi_finish(&frame, status);
}
