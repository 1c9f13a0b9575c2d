/* bench/peers/peer.c: gfpoly_peer_flint and gfpoly_peer_ntl: a product by another library, for the
 * command's `compare' and `demo'. The program reads the operands and writes the product and its
 * time (cli/compare/peer.h), without the time of conversions. PEER names the library.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/peer.h"
#include "bench/peers/peer.h"

static bool read_words(uint64_t *words, size_t n)
{
    return fread(words, sizeof(*words), n, stdin) == n;
}

static gfp_status peer_multiply(void *context)
{
    return PEER.run(context) ? GFP_OK : GFP_ERR_MEMORY;
}

static bool write_reply(const struct peer_reply *answer, const uint64_t *c, size_t words)
{
    return fwrite(answer, sizeof(*answer), 1, stdout) == 1 &&
           (words == 0 || fwrite(c, sizeof(*c), words, stdout) == words) && fflush(stdout) == 0;
}

/* Computes the product c and answer->timing. */
static void peer_compute(struct peer_reply *answer, uint64_t *c, const peer_problem *problem,
                         const struct peer_request *request)
{
    const struct effort effort = {.budget_ns = (double)request->budget_ns,
                                  .most_ns = (double)request->most_ns};
    void *state = PEER.start(problem);
    if (state != NULL) {
        if (take_samples(&answer->timing, &effort, true, peer_multiply, state) == GFP_OK) {
            PEER.get(state, c, 2 * problem->n - 1);
        } else {
            answer->timing.runs = 0;
        }
        PEER.finish(state);
    }
}

int main(void)
{
    struct peer_request request;
    struct peer_reply answer = {.magic = PEER_MAGIC};
    for (size_t i = 0; i + 1 < sizeof(answer.name) && PEER.name[i] != '\0'; i++) {
        answer.name[i] = (char)toupper((unsigned char)PEER.name[i]);
    }
    snprintf(answer.version, sizeof(answer.version), "%s", PEER.version);
    if (fread(&request, sizeof(request), 1, stdin) != 1 || request.magic != PEER_MAGIC ||
        request.limbs == 0 || request.len > SIZE_MAX / 8 / sizeof(uint64_t) / request.limbs) {
        fputs("this program is run by `gfpoly compare' and `gfpoly demo'\n", stderr);
        return 2;
    }
    if (request.len == 0) {
        return write_reply(&answer, NULL, 0) ? 0 : 1;
    }
    const size_t limbs = request.limbs;
    const size_t len = request.len;
    const size_t words = (2 * len - 1) * limbs;
    uint64_t *x = malloc((1 + 2 * len) * limbs * sizeof(*x));
    uint64_t *c = calloc(words, sizeof(*c));
    bool ok = x != NULL && c != NULL && read_words(x, (1 + 2 * len) * limbs);
    if (ok) {
        const peer_problem problem = {.operation = PEER_MUL,
                                      .p = x,
                                      .limbs = limbs,
                                      .a = x + limbs,
                                      .b = x + (1 + len) * limbs,
                                      .len_a = len,
                                      .len_b = len,
                                      .n = len};
        peer_compute(&answer, c, &problem, &request);
        ok = write_reply(&answer, c, answer.timing.runs > 0 ? words : 0);
    }
    free(x);
    free(c);
    return ok ? 0 : 1;
}
