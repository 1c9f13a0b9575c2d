/* checkpoint.h: a file that keeps finished items of dealt loops.
 *
 * The file has a header with the key of a call, then records: a head (key of a loop, items from <=
 * i < to, bytes) and the results of these items. Checksums (XXH3) tell damaged heads and results:
 * behind a damaged head nothing is read, damaged results are left out. All numbers are 64-bit
 * words, little-endian as the hosts are.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_DEAL_CHECKPOINT_H
#define GFP_FIELD_DEAL_CHECKPOINT_H

#include "gfpoly/base.h"

typedef struct gfp_checkpoint gfp_checkpoint;

/* Opens or creates the file, locks it, and reads the heads of its records. Errors: ARGUMENT (no
 * checkpoint), IO, MEMORY. */
gfp_status gfp_checkpoint_open(gfp_checkpoint **file, const char *path, gfp_error *error);
/* Makes durable what was written; removes a file that was created here and has no header. NULL is
 * allowed. */
void gfp_checkpoint_close(gfp_checkpoint *file);
/* Whether other processes are kept out of the file. */
bool gfp_checkpoint_locked(const gfp_checkpoint *file);
/* Writes the header of an empty file, or compares the key with that of the header. whole: a damaged
 * file, other than one whose last record is cut off, counts as one without records. Errors:
 * ARGUMENT (another key), IO. */
gfp_status gfp_checkpoint_begin(gfp_checkpoint *file, uint64_t key, bool whole, gfp_error *error);
/* Makes durable what was written. Errors: IO. */
gfp_status gfp_checkpoint_sync(gfp_checkpoint *file, gfp_error *error);
/* Appends a record, which gfp_checkpoint_next finds from then on. Errors: IO, MEMORY. */
gfp_status gfp_checkpoint_append(gfp_checkpoint *file, uint64_t key, const uint64_t items[2],
                                 const void *data, size_t bytes, gfp_error *error);

/* Goes on, from *at = 0, to the next record with this key: sets its items and its bytes, and
 * returns true; or false behind the last one. */
bool gfp_checkpoint_next(gfp_checkpoint *file, uint64_t key, size_t *at, uint64_t items[2],
                         uint64_t *bytes);
/* data := the next bytes of the record that was found last. Errors: IO. */
gfp_status gfp_checkpoint_read(gfp_checkpoint *file, void *data, size_t bytes, gfp_error *error);

/* The key of what `key` stands for, followed by these bytes (XXH3). */
uint64_t gfp_checkpoint_mix(uint64_t key, const void *data, size_t bytes);

#endif
