/* binary.h: the binary file format (gfpoly/file.h describes it): its header, its checksums, and
 * its reading and writing through streams. Nothing here needs more than C11.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_BINARY_H
#define GFP_BINARY_H

#include "gfpoly/file.h"

/* What a header says. */
typedef struct gfp_binary_head {
    unsigned version;
    uint64_t r;
    unsigned k;
    uint64_t length;   /* coefficients */
    uint64_t bytes;    /* of the payload: 8 k length */
    uint64_t checksum; /* of the payload */
} gfp_binary_head;

/* Coefficients that are looked at together while a cache holds them. */
size_t gfp_binary_block(const gfp_field *field);

/* *head := that of a new file of n coefficients, but for the checksum. SIZE. */
gfp_status gfp_binary_describe(gfp_binary_head *head, const gfp_field *field, uint64_t n);
/* The whole header, GFP_BINARY_PAYLOAD bytes. */
void gfp_binary_encode(unsigned char *page, const gfp_binary_head *head);
/* Everything about a header but whether r^k + 1 is prime. PARSE, MODULUS, SIZE; *error has the
 * offset. */
gfp_status gfp_binary_decode(gfp_binary_head *head, const unsigned char *page, gfp_error *error);
/* The field that a header names; or, where field is not NULL, whether it is that one. */
gfp_status gfp_binary_field(gfp_field **created, const gfp_binary_head *head,
                            const gfp_field *field, const gfp_allocator *allocator,
                            gfp_error *error);
/* *checksum := that of the payload x, by the version of the header, after a look at its digits:
 * RANGE where one is not canonical. */
gfp_status gfp_binary_sum(uint64_t *checksum, const gfp_binary_head *head, const gfp_field *field,
                          const uint64_t *x, gfp_error *error);
/* Whether the checksum is the header's: PARSE. */
gfp_status gfp_binary_compare(uint64_t checksum, const gfp_binary_head *head, gfp_error *error);

/* What gfp_poly_fread, gfp_poly_fread_field and gfp_vec_fwrite do for GFP_FORMAT_BINARY. */
gfp_status gfp_binary_read(gfp_poly *a, FILE *stream, size_t *stored_length, gfp_error *error);
gfp_status gfp_binary_read_field(gfp_poly *a, gfp_field **field, FILE *stream,
                                 const gfp_allocator *allocator, size_t *stored_length,
                                 gfp_error *error);
gfp_status gfp_binary_write(const gfp_field *field, const uint64_t *x, size_t n, FILE *stream);

#endif
