/* bench/peers_table.h: gfpoly_peers' results as the README shows them: a table in Markdown and a
 * picture.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PEERS_TABLE_H
#define PEERS_TABLE_H

#include "bench.h"

#define MAX_PEERS 8

/* The order of the report's records: by field, by length, by library with ours first. */
typedef struct peers_output {
    const char *table;   /* a file, or NULL */
    const char *picture; /* a file, or NULL */
    char **argv;         /* the command line; the table shows it */
    int argc;
    unsigned bits[MAX_FIELDS];
    size_t fields, lengths, libraries;
} peers_output;

/* Both return false after a message. The stream is report_open's. */
bool peers_write_table(const peers_output *o, const report *r, FILE *out);
bool peers_draw(const peers_output *o, const report *r);

#endif
