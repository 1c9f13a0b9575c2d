/* seam.h: the functions of MPI that the room calls through a table, so that tests can make them
 * fail: all but MPI_Initialized, MPI_Finalized and MPI_Error_string.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_RANKS_SEAM_H
#define GFP_RANKS_SEAM_H

#include <mpi.h>

/* The rows: the member's name, MPI's name, the parameters, the arguments. */
/* clang-format off */
#define GFP_MPI_ROWS(row)                                                                         \
    row(comm_test_inter, MPI_Comm_test_inter, (MPI_Comm comm, int *flag), (comm, flag))           \
    row(comm_get_errhandler, MPI_Comm_get_errhandler,                                             \
        (MPI_Comm comm, MPI_Errhandler *handler),                                                 \
        (comm, handler))                                                                          \
    row(comm_set_errhandler, MPI_Comm_set_errhandler,                                             \
        (MPI_Comm comm, MPI_Errhandler handler),                                                  \
        (comm, handler))                                                                          \
    row(errhandler_free, MPI_Errhandler_free, (MPI_Errhandler *handler), (handler))               \
    row(comm_dup, MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))                    \
    row(comm_split_type, MPI_Comm_split_type,                                                     \
        (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part),                        \
        (comm, type, key, info, part))                                                            \
    row(comm_free, MPI_Comm_free, (MPI_Comm *comm), (comm))                                       \
    row(comm_rank, MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))                       \
    row(comm_size, MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size))                       \
    row(allreduce, MPI_Allreduce,                                                                 \
        (const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),             \
        (x, y, n, type, op, comm))                                                                \
    row(iallreduce, MPI_Iallreduce,                                                               \
        (const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,              \
         MPI_Request *request),                                                                   \
        (x, y, n, type, op, comm, request))                                                       \
    row(iallgather, MPI_Iallgather,                                                               \
        (const void *x, int n, MPI_Datatype type, void *y, int m, MPI_Datatype to,                \
         MPI_Comm comm, MPI_Request *request),                                                    \
        (x, n, type, y, m, to, comm, request))                                                    \
    row(ibcast, MPI_Ibcast,                                                                       \
        (void *x, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),       \
        (x, n, type, root, comm, request))                                                        \
    row(isend, MPI_Isend,                                                                         \
        (const void *x, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,                 \
         MPI_Request *request),                                                                   \
        (x, n, type, to, tag, comm, request))                                                     \
    row(irecv, MPI_Irecv,                                                                         \
        (void *x, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,                     \
         MPI_Request *request),                                                                   \
        (x, n, type, from, tag, comm, request))                                                   \
    row(recv, MPI_Recv,                                                                           \
        (void *x, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,                     \
         MPI_Status *status),                                                                     \
        (x, n, type, from, tag, comm, status))                                                    \
    row(iprobe, MPI_Iprobe,                                                                       \
        (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),                        \
        (from, tag, comm, flag, status))                                                          \
    row(get_count, MPI_Get_count,                                                                 \
        (const MPI_Status *status, MPI_Datatype type, int *count),                                \
        (status, type, count))                                                                    \
    row(test, MPI_Test,                                                                           \
        (MPI_Request *request, int *flag, MPI_Status *status),                                    \
        (request, flag, status))                                                                  \
    row(cancel, MPI_Cancel, (MPI_Request *request), (request))                                    \
    row(request_free, MPI_Request_free, (MPI_Request *request), (request))                        \
    row(file_get_errhandler, MPI_File_get_errhandler,                                             \
        (MPI_File file, MPI_Errhandler *handler),                                                 \
        (file, handler))                                                                          \
    row(file_set_errhandler, MPI_File_set_errhandler,                                             \
        (MPI_File file, MPI_Errhandler handler),                                                  \
        (file, handler))                                                                          \
    row(file_open, MPI_File_open,                                                                 \
        (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file),               \
        (comm, path, mode, info, file))                                                           \
    row(file_close, MPI_File_close, (MPI_File *file), (file))                                     \
    row(file_read_at, MPI_File_read_at,                                                           \
        (MPI_File file, MPI_Offset at, void *x, int n, MPI_Datatype type, MPI_Status *status),    \
        (file, at, x, n, type, status))                                                           \
    row(file_write_at, MPI_File_write_at,                                                         \
        (MPI_File file, MPI_Offset at, const void *x, int n, MPI_Datatype type,                   \
         MPI_Status *status),                                                                     \
        (file, at, x, n, type, status))
/* clang-format on */

/* NOLINTBEGIN(bugprone-macro-parentheses) */
typedef struct gfp_mpi_calls {
#define GFP_MPI_MEMBER(name, function, parameters, arguments) int(*name) parameters;
    GFP_MPI_ROWS(GFP_MPI_MEMBER)
#undef GFP_MPI_MEMBER
} gfp_mpi_calls;
/* NOLINTEND(bugprone-macro-parentheses) */

/* MPI's own functions. */
extern const gfp_mpi_calls gfp_mpi_usual;
/* The table in use; only tests change it. */
extern gfp_mpi_calls gfp_mpi_use;

#endif
