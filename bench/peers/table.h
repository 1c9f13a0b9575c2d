/* bench/peers/table.h: gfpoly_peers' results as the README shows them: a table in Markdown and a
 * picture.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_TABLE_H
#define BENCH_PEERS_TABLE_H

#include "bench/bench.h"
#include "bench/peers/peer.h"

#define MAX_PEERS 8

/* The order of the report's records: by field, by length, by library with ours first. */
typedef struct peers_output {
    const char *table;   /* a file, or NULL */
    const char *picture; /* a file, or NULL */
    char **argv;         /* the command line; the table shows it */
    int argc;
    bool toolkit; /* the table is one of operations */
    unsigned bits[MAX_FIELDS];
    char names[MAX_FIELDS][40];
    const size_t *length;
    const peer *peers[MAX_PEERS];
    size_t fields, lengths, libraries;
} peers_output;

/* Both return false after a message. The stream is report_open's. */
bool peers_write_table(const peers_output *o, const report *r, FILE *out);
bool peers_write_toolkit(const peers_output *o, const report *r, FILE *out);
bool peers_draw(const peers_output *o, const report *r);

/* Parts of all tables: milliseconds with three digits, or all digits before the point; a ratio with
 * two or three digits, or one below 1; "-" for either if there is no figure, which is 0;
 * "flint 3.7.0" as "FLINT 3.7.0"; a paragraph that begins with the text, the machine's facts and
 * the command. */
void peers_write_ms(FILE *out, double ns);
void peers_write_ratio(FILE *out, double ratio);
void peers_write_library(FILE *out, const char *name);
void peers_write_facts(const peers_output *o, const report *r, const char *text, FILE *out);

#endif
