/* peer.h: the protocol between the command and the programs that run other libraries for it
 * (gfpoly_peer_flint, gfpoly_peer_ntl: bench/peers/peer.c). A request on standard input, a reply on
 * standard output: the structs below, then integers in [0, p), `limbs` 64-bit words each, least
 * significant first, all in this host's byte order.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_PEER_H
#define CLI_COMPARE_PEER_H

#include <stdint.h>

#include "cli/compare/sample.h"

/* The libraries: each has a program gfpoly_peer_NAME; bench/peers/ compares the same ones. */
#define PEER_LIST(ROW) ROW(flint) ROW(ntl)

#define PEER_MAGIC UINT64_C(0x3172656570706667) /* "gfppeer1" */

/* Followed by p and the len coefficients of each factor. len 0 asks for a reply without a product.
 */
struct peer_request {
    uint64_t magic, limbs, len;
    uint64_t budget_ns, most_ns; /* as in struct effort */
};

/* Followed by the 2 len - 1 coefficients of the product, if it could be computed. */
struct peer_reply {
    uint64_t magic;
    char name[16];        /* "FLINT" */
    char version[48];     /* "3.1.3 with fft_small" */
    struct timing timing; /* runs 0: out of memory */
};

#endif
