/* bench/peers_table.h: what gfpoly_peers measured, as the README shows it: a table in Markdown and
 * a picture.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PEERS_TABLE_H
#define PEERS_TABLE_H

#include "bench.h"

#define MAX_PEERS 8

/* The records of a report lie in this order: by field, by length, by library, ours first. */
typedef struct peers_output {
    const char *table;   /* a file, or NULL */
    const char *picture; /* a file, or NULL */
    char **argv;         /* the command, which the table names */
    int argc;
    unsigned bits[MAX_FIELDS];
    size_t fields, lengths, libraries;
} peers_output;

/* Both are false after a message. The stream is that of report_open. */
bool peers_write_table(const peers_output *o, const report *r, FILE *out);
bool peers_draw(const peers_output *o, const report *r);

#endif
