/* gfpoly/mpi.h: polynomials over the ranks of a communicator of MPI (libgfpoly_mpi). No other
 * header includes mpi.h, and gfpoly.h does not include this one.
 *
 * The program calls MPI_Init and MPI_Finalize. The library never ends the process: its own
 * duplicates of the communicator return errors, and after each step all ranks agree on a status, so
 * that a call returns the same status, and the message of the least rank that failed, on every
 * rank. If MPI itself fails on a rank, the others are told, and every later call of the context
 * returns IO.
 *
 * Calls that end with options are collective: all ranks make them in the same order, with equal
 * options except for threads, memory_cap, progress, report, error and plan. A rank that makes no
 * call keeps the others waiting; ranks that make different calls get an error (ARGUMENT). A context
 * belongs to one thread at a time, the one that MPI serves (MPI_THREAD_FUNNELED). Threads inside a
 * call do not call MPI.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_MPI_H
#define GFPOLY_MPI_H

#include <mpi.h>

#include "gfpoly/dealer.h"
#include "gfpoly/fft.h"
#include "gfpoly/file.h"
#include "gfpoly/options.h"
#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* A communicator, and a field or none. */
typedef struct gfp_mpi gfp_mpi;

/* Creates a context over the ranks of comm, which may be destroyed or used for anything afterwards.
 * field: the field of this rank, which outlives the context, the same one on all ranks; NULL on all
 * ranks: a context for calls that need no field. Errors, on all ranks alike: ARGUMENT (MPI is not
 * initialised, or was finalised; an intercommunicator; ranks have different options),
 * FIELD_MISMATCH, VERSION (ranks run different versions of the library, or different kernel levels
 * for their fields: GFPOLY_CPU sets one), MEMORY, IO (a call of MPI failed); *mpi is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_create(gfp_mpi **mpi, MPI_Comm comm,
                                                 const gfp_field *field,
                                                 const gfp_options *options);
/* Collective. Whatever was made with the context must be destroyed before. NULL is allowed. */
GFP_API void gfp_mpi_destroy(gfp_mpi *mpi);

typedef struct gfp_mpi_info {
    int rank; /* this rank, and the number of ranks */
    int ranks;
} gfp_mpi_info;
/* Describes the context; not collective. */
GFP_API gfp_mpi_info gfp_mpi_get_info(const gfp_mpi *mpi);

/* *device := the GPU for this rank, for gpu_device of options: the ranks of a host take its devices
 * in turn. Not collective. Errors: UNAVAILABLE (no device, or none can be used; GFPOLY_GPU=off),
 * DEVICE and MEMORY (the driver fails); *device is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_device(unsigned *device, const gfp_mpi *mpi,
                                                 gfp_error *error);

/* Returns OK on all ranks if all ranks pass OK; else the status and the message of the least rank
 * that failed, or if none did of the least one with a warning: for steps of the program's own.
 * Ranks pass their own error and message in *error, which may be NULL, and receive the agreed
 * ones there. Collective. Errors: IO. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_agree(gfp_mpi *mpi, gfp_status status, gfp_error *error);

/* ---- distributed polynomials ---- */

/* A polynomial of a fixed number of coefficients, of which the last ones may be 0: n coefficients
 * of P ranks lie in blocks of B = ceil(n / P), canonical digits, constant term first: rank i has
 * coefficients i B, ..., (i + 1) B - 1, the last ranks may have fewer or none. On one host the
 * blocks are shared memory; they do not come from the allocator. */
typedef struct gfp_mpi_poly gfp_mpi_poly;

/* Errors of all calls below, on all ranks alike: ARGUMENT (objects of different contexts; ranks
 * make different calls, or have different lengths or options; a context without a field), SIZE,
 * MEMORY, UNAVAILABLE (ranks of one host cannot share memory, though they could when the context
 * was made), IO, CANCELLED; outputs are unchanged. Outputs may equal inputs. */

/* Creates a polynomial of n coefficients 0. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_create(gfp_mpi_poly **a, gfp_mpi *mpi, size_t n,
                                                      const gfp_options *options);
/* Collective, but between two other calls ranks may destroy polynomials in any order. If one has
 * destroyed a polynomial that another still has, a later call may return ARGUMENT. NULL is allowed.
 * The context keeps up to four blocks of memory for later calls. */
GFP_API void gfp_mpi_poly_destroy(gfp_mpi_poly *a);

/* The number of coefficients. */
GFP_API size_t gfp_mpi_poly_length(const gfp_mpi_poly *a);
/* Returns the digits of this rank's block: coefficients *first, ..., *first + *count - 1. The
 * program may write canonical digits there between calls; the next call that changes a makes the
 * address invalid. */
GFP_API uint64_t *gfp_mpi_poly_block(size_t *first, size_t *count, gfp_mpi_poly *a);

/* a := b of rank root, of as many coefficients, without leading zeros: a vector whose last entries
 * may be zero is written to blocks (gfp_mpi_poly_block) or read from a file. Other ranks may pass
 * NULL for b. Errors: also ARGUMENT (root is no rank, or passes NULL), FIELD_MISMATCH. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_scatter(gfp_mpi_poly *a, const gfp_poly *b, int root,
                                                       const gfp_options *options);
/* b of rank root := a, without leading zeros. Other ranks may pass NULL for b, which stays as it
 * is. Errors: as of scatter. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_gather(gfp_poly *b, const gfp_mpi_poly *a, int root,
                                                      const gfp_options *options);

/* a := the coefficients of the file at path, leading zeros included, after all checks of
 * gfp_file_open. Each rank reads its block by MPI-IO; on each one the path leads to the file.
 * Errors: those of gfp_file_open, ARGUMENT (NULL; ranks have different files). */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_scatter_file(gfp_mpi_poly *a, const char *path,
                                                            const gfp_options *options);
/* The digits of a file := a. Rank root is making the file (gfp_file_create), of as many
 * coefficients as a; other ranks may pass NULL. Each rank writes its block by MPI-IO, and waits
 * until it is on the disk: the file gets its temporary name (gfp_file_name), at which all ranks
 * must see it. gfp_file_commit completes the file, and does not read the digits once more: nobody
 * writes digits between the two calls by an address from before. Errors: as of scatter, RANGE
 * (digits that are not canonical), and ARGUMENT (another length; a file that is not being made, or
 * one of gfp_file_resume). */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_gather_file(gfp_file *file, const gfp_mpi_poly *a,
                                                           int root, const gfp_options *options);

/* c := a + x b, of as many coefficients as the longer one: the sum for x = 1, the difference for
 * x = -1. x is the same element on all ranks. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_scalar_addmul(gfp_mpi_poly *c, const gfp_mpi_poly *a,
                                                             const gfp_mpi_poly *b,
                                                             const uint64_t *x,
                                                             const gfp_options *options);

/* c := a b, of len_a + len_b - 1 coefficients, or none if a or b has none; the square if a and b
 * are one object. The method is hybrid: ranks compute the outer DFT for their columns, exchange,
 * multiply their leaves, exchange and go back. Work is shared by at most 16 ranks (8 at k = 4, 4 at
 * k = 2): further ones help with the outer DFT. Factors that are too long for one transform, or for
 * the memory_cap of a rank, are cut: two cuts halve both factors, and double the work. A rank whose
 * cap does not admit all its threads uses fewer before factors are cut; all ranks make the cuts
 * that fit all caps. The result does not depend on the number of ranks. options: threads,
 * memory_cap (bytes of work space of this rank), verify (POINT: ranks evaluate their blocks at
 * random points), verify_seed, progress, report. Errors: also UNKNOWN (no such method), UNAVAILABLE
 * (another method; a check by a second method; a field too small for a check at points), VERIFY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_mul(gfp_mpi_poly *c, const gfp_mpi_poly *a,
                                                   const gfp_mpi_poly *b,
                                                   const gfp_options *options);

/* y := DFT_N of the N coefficients of x, or its inverse, as gfp_fft_run (gfpoly/fft.h); y has N
 * coefficients then. For a power of two N > 4 k^2
 * ranks transform columns of the matrix of R rows, N = R C, R <= C <= 2R, and then rows, and
 * exchange all elements three times in natural order, twice in permuted order if the number of
 * ranks divides R. For any other
 * divisor N of p - 1 rank 0 computes. The values do not depend on the number of ranks. options:
 * threads, memory_cap (bytes of work space of this rank, some 16 k N / ranks), progress, report
 * (method "dft"). Errors: also UNKNOWN (another method), UNAVAILABLE (a verification), ARGUMENT (N
 * = 0; no such direction or order), NO_ROOT. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_fft_run(gfp_mpi_poly *y, const gfp_mpi_poly *x,
                                                  gfp_direction direction, gfp_order order,
                                                  const gfp_options *options);

/* y := a(x) on all ranks; x is the same element on all. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_poly_eval(uint64_t *y, const gfp_mpi_poly *a,
                                                    const uint64_t *x, const gfp_options *options);

/* ---- modular methods over Z ---- */

/* *dealer := a dealer (gfpoly/dealer.h) of calls over Z on all ranks of the context, which must
 * outlive it. All ranks make the same calls on the same operands, and get the same results; images
 * are dealt out to them as they finish earlier ones. A call fails on all ranks if it fails on one.
 * checkpoint: NULL, or on rank 0, which alone reads and writes it, the file of gfp_dealer_create.
 * Collective. Errors, on all ranks alike: those of gfp_dealer_create, and IO. gfp_dealer_destroy
 * frees the dealer. */
GFP_API GFP_MUST_CHECK gfp_status gfp_mpi_dealer_create(gfp_dealer **dealer, gfp_mpi *mpi,
                                                        const char *checkpoint, gfp_error *error);

GFP_END_DECLS
#endif
