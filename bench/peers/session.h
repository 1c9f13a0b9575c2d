/* bench/peers/session.h: shared by the files of gfpoly_peers: what is compared, and the figures as
 * a table in Markdown and as a picture.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_SESSION_H
#define BENCH_PEERS_SESSION_H

#include "bench/peers/operations.h"

#define MAX_PEERS 16

typedef struct session {
    settings s;
    const peer *peers[MAX_PEERS]; /* all of them over Z, or over Z/p */
    size_t peer_count;
    bool over_z, tour, all, toolkit; /* toolkit: the table is one of operations over Z/p */
    const operation *operations;
    size_t operation_count;
    bool chosen[PEER_OPERATIONS]; /* by the order of the list of operations */
    const char *input;            /* the operands' name; NULL: random */
    operands operands;
    double budget;                /* seconds; whoever takes longer for one run is skipped */
    size_t most;                  /* over Z: terms times bits of a place */
    bool in_hosts;                /* computations in other programs (hosts.h), */
    const char *host;             /* of this host alone; NULL: of all, */
    size_t pairs[MAX_LENGTHS][2]; /* by operands of these lengths, the longer one first, */
    size_t pair_count, rounds;    /* in this number of turns, */
    double cell_seconds;          /* together of this time at least; 0: not given */
    const char *table, *picture;  /* files, or NULL */
    char **argv;                  /* the command line; the table shows it */
    int argc;
    size_t rings; /* fields, with their names in the figures and their bits; or numbers of bits */
    char ring[MAX_FIELDS][40];
    unsigned ring_bits[MAX_FIELDS];
} session;

/* An operation over a ring, at a length. */
typedef struct place {
    const operation *operation;
    const char *ring;
    size_t len;
} place;
/* The figure of a library (0: ours, i: o->peers[i - 1]) at a place; NULL: there is none. A figure
 * without runs was skipped. */
const record *find_figure(const report *r, const place *at, size_t library);
/* A report calls products over Z/p "peer". */
const char *section_of(const operation *o);
const char *fact_of(const report *r, const char *name);
/* "flint 3.7.0" as "FLINT 3.7.0". */
#define LIBRARY_NAME 40
void library_name(char text[LIBRARY_NAME], const char *name);
void write_library(FILE *out, const char *name);

/* Both return false after a message. The stream is report_open's. */
bool write_table(const session *o, const report *r, FILE *out);
bool draw_picture(const session *o, const report *r);

#endif
