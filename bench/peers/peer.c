/* bench/peers/peer.c: gfpoly_peer_flint and gfpoly_peer_ntl: operations by another library, for the
 * command's `compare' and `demo', and for gfpoly_peers --hosts, which starts them with and without
 * a library in LD_PRELOAD. The program reads operands and writes the result and its time
 * (cli/compare/peer.h), without the time of conversions. PEER and PEER_Z name the library's peers
 * over Z/p and over Z. It knows nothing of gfpoly.
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

/* A problem and the peer that computes it. */
typedef struct task {
    const peer *library;
    void *state;
} task;

static gfp_status peer_run(void *context)
{
    const task *t = context;
    return t->library->run(t->state) ? GFP_OK : GFP_ERR_MEMORY;
}

static bool write_reply(const struct peer_reply *answer, const uint64_t *c, size_t words)
{
    return fwrite(answer, sizeof(*answer), 1, stdout) == 1 &&
           (words == 0 || fwrite(c, sizeof(*c), words, stdout) == words) && fflush(stdout) == 0;
}

static const peer *library_for(uint64_t operation)
{
    return operation >= PEER_Z_MUL ? &PEER_Z : &PEER;
}

/* Computes the result c and answer->timing. */
static void peer_compute(struct peer_reply *answer, uint64_t *c, const peer_problem *problem,
                         const struct peer_request *request)
{
    const struct effort effort = {.budget_ns = (double)request->budget_ns,
                                  .most_ns = (double)request->most_ns};
    task t = {.library = library_for(problem->operation)};
    t.state = t.library->serves(problem) ? t.library->start(problem) : NULL;
    answer->timing.runs = 0;
    if (t.state != NULL) {
        if (take_samples(&answer->timing, &effort, true, peer_run, &t) != GFP_OK) {
            answer->timing.runs = 0;
        } else if (request->len_c > 0) {
            t.library->get(t.state, c, request->len_c);
        }
        t.library->finish(t.state);
    }
}

static bool is_sound(const struct peer_request *request)
{
    const uint64_t most = SIZE_MAX / 8 / sizeof(uint64_t);
    return request->magic == PEER_MAGIC && request->limbs > 0 &&
           request->operation < PEER_OPERATIONS && request->len_a <= most / request->limbs / 2 &&
           request->len_b <= most / request->limbs / 2 && request->len_c <= most / request->limbs &&
           (request->len_c == 0 || library_for(request->operation)->get != NULL);
}

/* Reads the operands, computes, and replies. */
static bool serve_request(struct peer_reply *answer, const struct peer_request *request)
{
    const size_t limbs = request->limbs;
    const size_t words = (1 + request->len_a + request->len_b) * limbs;
    const size_t result = request->len_c * limbs;
    uint64_t *x = malloc(words * sizeof(*x));
    uint64_t *c = calloc(result + 1, sizeof(*c));
    bool ok = x != NULL && c != NULL && read_words(x, words);
    if (ok) {
        const uint64_t *b = x + (1 + request->len_a) * limbs;
        const peer_problem problem = {.operation = (peer_operation)request->operation,
                                      .p = x,
                                      .limbs = limbs,
                                      .a = x + limbs,
                                      .b = b,
                                      .len_a = request->len_a,
                                      .len_b = request->len_b,
                                      .n = request->n};
        peer_compute(answer, c, &problem, request);
        ok = write_reply(answer, c, answer->timing.runs > 0 ? result : 0);
    }
    free(x);
    free(c);
    return ok;
}

int main(void)
{
    struct peer_request request;
    struct peer_reply answer = {.magic = PEER_MAGIC};
    bool any = false, ok = true;
    for (size_t i = 0; i + 1 < sizeof(answer.name) && PEER.name[i] != '\0'; i++) {
        answer.name[i] = (char)toupper((unsigned char)PEER.name[i]);
    }
    snprintf(answer.version, sizeof(answer.version), "%s", PEER.version);
    while (ok && fread(&request, sizeof(request), 1, stdin) == 1) {
        if (!is_sound(&request)) {
            any = false;
            break;
        }
        any = true;
        ok = request.len_a == 0 ? write_reply(&answer, NULL, 0) : serve_request(&answer, &request);
    }
    if (!any) {
        fputs("this program is run by `gfpoly compare', `gfpoly demo' and `gfpoly_peers --hosts'\n",
              stderr);
        return 2;
    }
    return ok ? 0 : 1;
}
