/* binary.h: the binary file format (gfpoly/file.h describes it): its header, its checksums, and
 * reading and writing through streams. Needs only C11.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_BINARY_H
#define GFP_POLY_BINARY_H

#include "gfpoly/file.h"

/* The fields of a header. */
typedef struct gfp_binary_head {
    unsigned version;
    uint64_t r;
    unsigned k;
    uint64_t length;   /* coefficients */
    uint64_t bytes;    /* of the payload: 8 k length */
    uint64_t checksum; /* of the payload */
} gfp_binary_head;

/* Coefficients that are processed together while they are in a cache. */
size_t gfp_binary_block(const gfp_field *field);

/* *head := the header of a new file of n coefficients, without the checksum. Errors: SIZE. */
gfp_status gfp_binary_describe(gfp_binary_head *head, const gfp_field *field, uint64_t n);
/* The whole header, GFP_BINARY_PAYLOAD bytes. */
void gfp_binary_encode(unsigned char *page, const gfp_binary_head *head);
/* Checks everything in a header except whether r^k + 1 is prime. Errors: PARSE, MODULUS, SIZE;
 * *error has the offset. */
gfp_status gfp_binary_decode(gfp_binary_head *head, const unsigned char *page, gfp_error *error);
/* Makes the field that a header names; if field is not NULL, checks instead that field is that
 * one. */
gfp_status gfp_binary_field(gfp_field **created, const gfp_binary_head *head,
                            const gfp_field *field, const gfp_allocator *allocator,
                            gfp_error *error);
/* *checksum := the checksum of the payload x, by the version of the header, after a check of its
 * digits: RANGE if a coefficient is not canonical. */
gfp_status gfp_binary_sum(uint64_t *checksum, const gfp_binary_head *head, const gfp_field *field,
                          const uint64_t *x, gfp_error *error);
/* The same piece by piece: n words of a payload in order, each piece perhaps in another process of
 * this version, which the state goes to byte by byte. */
#define GFP_BINARY_STATE_WORDS 192
typedef struct gfp_binary_state {
    uint64_t words[GFP_BINARY_STATE_WORDS];
} gfp_binary_state;
void gfp_binary_state_begin(gfp_binary_state *state, unsigned version);
void gfp_binary_state_add(gfp_binary_state *state, const uint64_t *x, size_t n);
uint64_t gfp_binary_state_end(const gfp_binary_state *state);
/* Returns RANGE for coefficient `place`, which is not canonical. */
gfp_status gfp_binary_refuse(const gfp_field *field, uint64_t place, gfp_error *error);
/* Compares the checksum with the header's. Errors: PARSE. */
gfp_status gfp_binary_compare(uint64_t checksum, const gfp_binary_head *head, gfp_error *error);

/* gfp_poly_fread, gfp_poly_fread_field and gfp_vec_fwrite for GFP_FORMAT_BINARY. */
gfp_status gfp_binary_read(gfp_poly *a, FILE *stream, size_t *stored_length, gfp_error *error);
gfp_status gfp_binary_read_field(gfp_poly *a, gfp_field **field, FILE *stream,
                                 const gfp_allocator *allocator, size_t *stored_length,
                                 gfp_error *error);
gfp_status gfp_binary_write(const gfp_field *field, const uint64_t *x, size_t n, FILE *stream);

#endif
