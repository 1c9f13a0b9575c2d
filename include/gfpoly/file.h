/* gfpoly/file.h: polynomials in binary files: a format that maps into memory as it stands, whole
 * polynomials from and to it, and products of mapped files that need not fit in memory.
 *
 * The format, version 2, all numbers little-endian but for the checksums:
 *
 *     bytes   what
 *      0- 7   89 47 46 50 0d 0a 1a 0a: no text, "GFP", line ends that a transfer of text changes
 *      8-11   version, 2
 *     12-15   bytes of these fields up to the header's checksum: 80
 *     16-23   r
 *     24-27   k: the field is Z/pZ, p = r^k + 1
 *     28-31   layout of the payload: 1, canonical digits, coefficient by coefficient
 *     32-39   n, the number of coefficients
 *     40-47   offset of the payload: 4096
 *     48-55   bytes of the payload: 8 k n, the rest of the file
 *     56-63   checksum of the payload: of byte 4096 to the last byte of the file
 *     64-71   0
 *     72-79   checksum of the header: of bytes 0-71
 *     80-4095 0
 *     4096-   n k digits of 64 bits, constant term first, of a coefficient the least significant
 *             first, in canonical form (gfpoly/elem.h); leading coefficients may be 0
 *
 * A checksum is XXH3 with 64 bits and seed 0 (of no bytes for n = 0), stored in its canonical form:
 * big-endian, as tools print it. Each covers one range of bytes, so that other tools can check it:
 *
 *     tail -c +4097 FILE | xxhsum -H3    prints    od -A n -t x1 -j 56 -N 8 FILE
 *     head -c 72 FILE | xxhsum -H3       prints    od -A n -t x1 -j 72 -N 8 FILE
 *
 * and in Python xxhash.xxh3_64_digest(data[4096:]) == data[56:64].
 *
 * Files of version 1 are read as well, but not written. They differ in bytes 8-11 and in the
 * checksums, which are little-endian. The checksum of the 32-bit words w_1, ..., w_m (two for each
 * digit, the lower half first) is c_m, where c_0 = 1, c_i = (c_(i-1) g + w_i) mod (2^61 - 1) and
 * g = 1234567890123456793 is a primitive root.
 *
 * Errors have a place: error->offset is the byte of the file, error->index the coefficient if the
 * error is about one. Streams read and write the format, too (GFP_FORMAT_BINARY of gfpoly/poly.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FILE_H
#define GFPOLY_FILE_H

#include "gfpoly/fft.h"
#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* Bytes before the payload; the first of them all. */
#define GFP_BINARY_PAYLOAD 4096
#define GFP_BINARY_FIRST_BYTE 0x89

/* A binary file in memory: opened, read-only, or being made. The system loads and writes its pages
 * as needed; they need not fit in memory. No status reports a page that cannot be read because the
 * disk fails or another program shortens the file: the system then ends the process with SIGBUS.
 * Lack of disk space cannot do that, since disk space is reserved before the first page is
 * written. */
typedef struct gfp_file gfp_file;

/* Opens a file and checks all of it: magic, version, sizes against the file's, k and r, that p is
 * prime, both checksums, that every digit is canonical. field: the field that the file must be
 * over, which the file then refers to; NULL: the file makes its own, with allocator (NULL: malloc
 * and free). Errors: IO (see errno), PARSE (malformed or damaged), RANGE (digits that are not
 * canonical), FIELD_MISMATCH, those of gfp_field_create_rk, SIZE, MEMORY. Cost: one
 * pass over the file, at the speed of memory if the system has the file in memory. Does not call
 * gfp_progress. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_open(gfp_file **file, const char *path,
                                                const gfp_field *field,
                                                const gfp_allocator *allocator, gfp_error *error);

/* Reads the header of a file, *length := the number of coefficients, and checks what gfp_file_open
 * checks, but for the digits and their checksum. field: the field that the file must be over, and
 * *made stays as it is; NULL: *made := the file's field, a new one. Errors: as gfp_file_open, but
 * not RANGE; outputs are unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_read_header(gfp_field **made, size_t *length,
                                                       const char *path, const gfp_field *field,
                                                       const gfp_allocator *allocator,
                                                       gfp_error *error);

/* Begins a file of `length` coefficients over field, all 0, with the final name path, on disk space
 * that is reserved now. Until gfp_file_commit the file lies in the folder of path without a name,
 * so that nothing is left if the process is killed; if the file system has no such files, under
 * another name (".gfpoly-..."). A file at path stays as it is until gfp_file_commit; path must name
 * a regular file or nothing, links are followed. Errors: IO (see errno: ENOSPC and EFBIG too),
 * SIZE, MEMORY. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_create(gfp_file **file, const char *path,
                                                  const gfp_field *field, size_t length,
                                                  gfp_error *error);

/* Begins such a file, or goes on with one, under the name path GFP_FILE_KEPT: the file stays if
 * the process ends or closes the file before gfp_file_commit, and the next call with the same field
 * and length finds its contents. The contents of a product are those that its dealer's file
 * describes: a call without this file begins anew, and that one serves no longer. Errors: as
 * gfp_file_create; IO (another process uses the file); ARGUMENT (a file of this name is no such
 * file, or one of another field or length; it stays as it is). */
#define GFP_FILE_KEPT ".part"
GFP_API GFP_MUST_CHECK gfp_status gfp_file_resume(gfp_file **file, const char *path,
                                                  const gfp_field *field, size_t length,
                                                  gfp_error *error);
/* Opens the file that gfp_file_resume with the same arguments returned in another process, which
 * still has it open: a rank calls it after rank 0 has begun the file. One of the processes commits.
 * Errors: as gfp_file_resume, but a missing file is IO. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_share(gfp_file **file, const char *path,
                                                 const gfp_field *field, size_t length,
                                                 gfp_error *error);

/* Gives a file that is being made a temporary name (gfp_file_info) if it has none, so that
 * other processes can open it. gfp_file_commit and gfp_file_close remove that name. Errors: IO (see
 * errno), ARGUMENT (the file is not being made). */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_name(gfp_file *file, gfp_error *error);

/* Checks the digits, completes the header, waits until everything is on the disk, and gives the
 * file its path in one step. A file without a name that replaces another one is named ".gfpoly-..."
 * for some microseconds. Afterwards the file is as if opened. Errors: RANGE (digits that are not
 * canonical), IO, ARGUMENT (the file is not being made). After an error the file is still being
 * made. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_commit(gfp_file *file, gfp_error *error);

/* Unmaps the file; removes a file that was not committed. NULL is allowed. */
GFP_API void gfp_file_close(gfp_file *file);

/* A file as it stands. field and digits are valid until gfp_file_close, temporary until
 * gfp_file_name, gfp_file_commit or gfp_file_close. */
typedef struct gfp_file_info {
    const gfp_field *field;
    size_t length;          /* coefficients, leading zeros included */
    const uint64_t *digits; /* length times k; NULL for length 0 */
    /* The temporary name of a file that is being made, for a signal handler that removes it; NULL
     * for a file without a name and for others. */
    const char *temporary;
    /* Whether other processes are kept out of a file that gfp_file_resume or gfp_file_share
     * returned. If not, the file system has no locks (flock, or those of fcntl for open files), and
     * the caller sees to it that no other process begins or continues the file meanwhile. */
    bool locked;
} gfp_file_info;
/* Describes a file. */
GFP_API gfp_file_info gfp_file_get_info(const gfp_file *file);
/* The digits of a file that is being made, to be written; NULL for others. */
GFP_API uint64_t *gfp_file_digits_mutable(gfp_file *file);

/* A whole polynomial from a file (checked as by gfp_file_open), and to a file. Errors: as above; a
 * and the file are unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_load(gfp_poly *a, const char *path, gfp_error *error);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_store(const gfp_poly *a, const char *path,
                                                 gfp_error *error);

/* The number of coefficients of the product of two files, which gfp_file_mul needs c to have;
 * 0 if a file is the polynomial 0. Errors: ARGUMENT (NULL), SIZE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_product_length(size_t *length, const gfp_file *a,
                                                          const gfp_file *b);
/* c := a b. c is a file that is being made, of gfp_file_product_length over the same field; a may
 * equal b, and the path of c may be that of a or of b. options as for gfp_poly_mul.
 *
 * Memory: about options->memory_cap bytes at most, in addition to the mappings, tables of the field
 * included (0: as many as the method needs). If a method needs more, hybrid repeats a part of its
 * work or works in a scratch file; if its leaves are too long for that, the factors are cut in
 * halves (Karatsuba: 1.5 times the work for each halving). Scratch files have no name and lie in
 * the folder of c; they take up to 3 times the bytes of c (with memory_cap 0: none). With a scratch
 * file, as many threads multiply leaves as memory_cap has room for; all threads transform.
 *
 * With a dealer (gfpoly/dealer.h) in the options, c is a file of gfp_file_resume, and the product
 * is computed in steps. The dealer's file keeps finished parts of steps, durable ones, and the same
 * call goes on behind them after its process ended; ranks (gfpoly/mpi.h) share the parts: each of
 * them opens a, b and c, of a file system that keeps shared mappings of all ranks alike. Parts
 * under way are lost: at most one leaf (a sixteenth of a block, below) or 1 % of the work for each
 * thread, and one more for each rank other than 0. memory_cap holds for each rank; scratch files
 * are parts of c and take up to 3 times its bytes. The method is hybrid, the check one at points
 * (else UNAVAILABLE; also if the system has no random numbers). A dealer's file of other factors,
 * plan or version, or of a c that another call has begun anew since: ARGUMENT.
 *
 * Verification at points reads the files in place; GFP_VERIFY_CROSS computes the product a second
 * time in a scratch file. Errors: as for gfp_poly_mul; MEMORY also if memory_cap is too small for
 * blocks of 64 coefficients (some 7 KiB k for hybrid); IO if scratch files find no room; ARGUMENT
 * (c). The digits of c are undefined then. Progress: as for gfp_poly_mul, block by block: steps
 * grow with the leaf, 0.1 s at a cap of 64 MiB. Cost: that of the product in fresh memory unless
 * the factors are cut; the pages of scratch files and of c cost as much as the arithmetic. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_mul(gfp_file *c, const gfp_file *a, const gfp_file *b,
                                               const gfp_options *options);

/* y := DFT_N(x), or its inverse, as gfp_fft_run: y is a file that is being made, N its length; x,
 * over the same field, has N coefficients at most, and is continued by zeros. Options are those of
 * transforms (gfpoly/fft.h).
 *
 * Memory: if memory_cap is 0 or at least the bytes of N elements, the transform runs in the pages
 * of the output, and N is any divisor of p - 1. Otherwise N is a power of two above 4 k^2, and two
 * passes move blocks through memory, about memory_cap bytes at most in addition to the mappings,
 * tables included: some sqrt(N) elements are the least. Natural order then takes a scratch file of
 * N elements without a name in the folder of the output, permuted order none; the report's method
 * is "dft by blocks".
 *
 * Errors: ARGUMENT (the files; N does not serve; no such direction or order), FIELD_MISMATCH,
 * NO_ROOT, MEMORY (the cap is too small even for blocks, too), SIZE, IO if the scratch file finds
 * no room, and those of transforms. The output's digits are undefined then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_fft_run(gfp_file *y, const gfp_file *x,
                                                   gfp_direction direction, gfp_order order,
                                                   const gfp_options *options);

GFP_END_DECLS
#endif
