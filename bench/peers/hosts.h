/* bench/peers/hosts.h: gfpoly_peers --hosts: computations in programs of FLINT and NTL with and
 * without gfpoly's libraries for LD_PRELOAD, and products for callers that hold other types.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BENCH_PEERS_HOSTS_H
#define BENCH_PEERS_HOSTS_H

#include "bench/peers/session.h"

/* A product with the conversions from and to a caller's type (convert.c). Returns false without
 * memory. */
typedef struct conversion {
    const char *name;
    bool (*measure)(timing *t, double seconds, const gfp_poly *a, const gfp_poly *b);
} conversion;

extern const conversion conversions[];
extern const size_t conversion_count;

/* Whether the host `where`, NULL: any, has an operation of this name, in upper or lower case. */
bool hosts_have(const char *where, const char *name);
/* Measures every host's operations, o->pairs and fields, and the conversions; writes the table to
 * `out`. Returns false after a message. */
bool bench_hosts(const session *o, report *r, FILE *out);

#endif
