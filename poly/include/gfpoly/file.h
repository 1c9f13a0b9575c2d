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
 * Files of version 1 are read too and no longer written. They differ in bytes 8-11 and in the
 * checksums, which are little-endian: of words w_1, ..., w_m of 32 bits (of which a digit is two,
 * the lower half first) c_m of c_0 = 1, c_i = (c_(i-1) g + w_i) mod (2^61 - 1) with the primitive
 * root g = 1234567890123456793.
 *
 * Errors name a place: error->offset is that byte of the file, error->index the coefficient where
 * it is one. Mappings are of POSIX systems; elsewhere the functions below return UNAVAILABLE, and
 * the format is read and written through streams (GFP_FORMAT_BINARY of gfpoly/poly.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FILE_H
#define GFPOLY_FILE_H

#include "gfpoly/poly.h"

GFP_BEGIN_DECLS

/* Bytes before the payload; the first of them all. */
#define GFP_BINARY_PAYLOAD 4096
#define GFP_BINARY_FIRST_BYTE 0x89

/* A binary file in memory: one that was opened, read-only, or one that is being made. The system
 * brings its pages in and out: they do not count as memory of the process that must be had. What a
 * status cannot tell: a page that cannot be read, because the disk fails or because somebody
 * shortens the file meanwhile, ends the process with SIGBUS. Disk space that runs out can not: it
 * is taken before the first page is written. */
typedef struct gfp_file gfp_file;

/* Opens a file and checks all of it: magic, version, sizes against the file's, k and r, that p is
 * prime, both checksums, that every digit is canonical. field: what it must be over, and what the
 * file refers to from then on; or NULL: the file makes its own. allocator (may be NULL: malloc and
 * free) where field is NULL. Errors: IO (errno tells), PARSE (malformed or damaged), RANGE (digits
 * that are not canonical), FIELD_MISMATCH, those of gfp_field_create_rk, SIZE, MEMORY, UNAVAILABLE.
 * Cost: one pass over the file, at the memory's speed where the system has it in memory. It asks no
 * gfp_progress. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_open(gfp_file **file, const char *path,
                                                const gfp_field *field,
                                                const gfp_allocator *allocator, gfp_error *error);

/* Begins a file of length coefficients over field, all 0, that shall be called path: written
 * without a name in the same folder, so that nothing is left of it when the process is killed, or
 * where the file system cannot do that, under another name (".gfpoly-..."); on disk space that is
 * taken now. Whatever path names now stays as it is until gfp_file_commit; it must be a regular
 * file or none, links are followed. Errors: IO (errno tells: ENOSPC and EFBIG too), SIZE, MEMORY,
 * UNAVAILABLE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_create(gfp_file **file, const char *path,
                                                  const gfp_field *field, size_t length,
                                                  gfp_error *error);

/* Checks the digits written, completes the header, waits until the disk has it all, and gives the
 * file its path in one step. A file without a name that replaces another one has a name
 * ".gfpoly-..." for some microseconds. Then it is as if opened. Errors: RANGE (digits that are not
 * canonical), IO, ARGUMENT (not one that is being made). On an error the file is still being made.
 */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_commit(gfp_file *file, gfp_error *error);

/* Ends the mapping; removes a file that was not committed. NULL is allowed. */
GFP_API void gfp_file_close(gfp_file *file);

GFP_API const gfp_field *gfp_file_field(const gfp_file *file);
/* Coefficients, leading zeros included. */
GFP_API size_t gfp_file_length(const gfp_file *file);
/* length times k digits; NULL for length 0. Those of a file that is being made may be written. */
GFP_API const uint64_t *gfp_file_digits(const gfp_file *file);
/* The same of a file that is being made; NULL for others. */
GFP_API uint64_t *gfp_file_digits_mutable(gfp_file *file);
/* The name under which a file is being made, for a signal handler that removes it; NULL for one
 * without a name and for others. It lasts until gfp_file_commit or gfp_file_close. */
GFP_API const char *gfp_file_temporary(const gfp_file *file);

/* A whole polynomial from a file (checked as by gfp_file_open), and to one. Errors: as above; a and
 * the file are unchanged then. */
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_load(gfp_poly *a, const char *path, gfp_error *error);
GFP_API GFP_MUST_CHECK gfp_status gfp_poly_store(const gfp_poly *a, const char *path,
                                                 gfp_error *error);

/* The number of coefficients of the product of two files: what gfp_file_multiply needs c to have. 0
 * where one of them is zero. Errors: SIZE. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_product_length(const gfp_file *a, const gfp_file *b,
                                                          size_t *length);
/* c := a b, c a file that is being made, of that length over the same field; a may equal b. options
 * as of gfp_poly_mul. Beside the mappings it uses about options->memory_cap bytes at most, tables
 * of the field included (0: what the method needs): where a method needs more, hybrid repeats a
 * part of its work or works in a scratch file, and where its leaves are too long for that the
 * factors are cut in halves (Karatsuba: 1.5 times the work for each halving). Scratch files have no
 * name and lie in the folder of c; they take up to 3 times the bytes of c (with memory_cap 0:
 * none). With a scratch file the leaves are multiplied by as many of the threads as memory_cap
 * holds the work of, all of them transform. Verification at points goes through the files as they
 * lie; GFP_VERIFY_CROSS computes the product a second time in a scratch file. Errors: as of
 * gfp_poly_mul; MEMORY also where memory_cap is too small for blocks of 64 coefficients (some 7 KiB
 * k for hybrid); IO where scratch files find no room; ARGUMENT (c). c's digits are undefined then.
 * Progress: as of gfp_poly_mul, block by block: steps grow with the leaf, 0.1 s at a cap of 64 MiB.
 * Cost: that of the product in fresh memory as long as nothing is cut; the pages of scratch files
 * and of c count as much as the arithmetic. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_multiply(gfp_file *c, const gfp_file *a,
                                                    const gfp_file *b, const gfp_options *options);
/* gfp_file_create, gfp_file_multiply, gfp_file_commit, gfp_file_close: path is the product, or is
 * as it was. path may be that of a or of b. */
GFP_API GFP_MUST_CHECK gfp_status gfp_file_mul(const char *path, const gfp_file *a,
                                               const gfp_file *b, const gfp_options *options);

GFP_END_DECLS
#endif
