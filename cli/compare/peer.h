/* peer.h: the protocol between the command and the programs that run other libraries for it
 * (gfpoly_peer_flint, gfpoly_peer_ntl: bench/peers/peer.c). A request on standard input, a reply on
 * standard output: the structs below, then integers, `limbs` 64-bit words each, least significant
 * first, all in this host's byte order. Over Z/p they are in [0, p); over Z p is 0, and they are in
 * two's complement. A program answers requests until its input ends.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CLI_COMPARE_PEER_H
#define CLI_COMPARE_PEER_H

#include <stdint.h>

#include "cli/compare/sample.h"

/* The libraries: each has a program gfpoly_peer_NAME; bench/peers/ compares the same ones. */
#define PEER_LIST(ROW) ROW(flint) ROW(ntl)

#define PEER_MAGIC UINT64_C(0x3272656570706667) /* "gfppeer2" */

/* Followed by p and the coefficients of both operands. len_a = 0 asks for the library's name alone.
 */
struct peer_request {
    uint64_t magic, limbs;
    uint64_t operation;    /* a peer_operation (bench/peers/peer.h); 0: the product over Z/p */
    uint64_t len_a, len_b; /* of the operands */
    uint64_t n;            /* the length in the operation's definition */
    uint64_t len_c;        /* coefficients of the result in the reply; 0: none */
    uint64_t budget_ns, most_ns; /* as in struct effort */
};

/* Followed by the len_c coefficients of the result, if it could be computed. */
struct peer_reply {
    uint64_t magic;
    char name[16];        /* "FLINT" */
    char version[48];     /* "3.1.3 with fft_small" */
    struct timing timing; /* runs 0: out of memory */
};

#endif
