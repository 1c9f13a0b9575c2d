/* peers.c: products by other libraries, computed by programs in the command's folder or near it:
 * finding the programs, and talking to them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare/peer.h"
#include "cli/spawn.h"

#define PROGRAM(name) "gfpoly_peer_" #name,
static const char *const programs[MOST_PEERS] = {PEER_LIST(PROGRAM)};
/* Relative to the command's folder: in a build, and in an installation. */
static const char *const folders[] = {"", "../libexec/gfpoly/"};
/* A program that does not name itself within this time is not used. */
#define PATIENCE_SECONDS 5.0

char *own_path(void)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || path[0] != '/') {
        return NULL;
    }
    path[n] = '\0';
    return strdup(path);
}

/* ---- talking ---- */

/* A running program, and our ends of the pipes to it. */
struct talk {
    pid_t pid;
    int to, from;
    double deadline; /* for reading, on the monotonic clock; 0: none */
};

static bool open_pipes(int down[2], int up[2])
{
    if (pipe(down) != 0) {
        return false;
    }
    if (pipe(up) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return false;
    }
    /* Our ends must not stay open in the program. */
    (void)fcntl(down[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(up[0], F_SETFD, FD_CLOEXEC);
    return true;
}

static bool start_talk(struct talk *talk, const char *path)
{
    int down[2];
    int up[2];
    if (!open_pipes(down, up)) {
        return false;
    }
    char *const argv[] = {(char *)path, NULL};
    /* A library for LD_PRELOAD that the caller uses may compute for the library to compare with. */
    (void)unsetenv("LD_PRELOAD");
    const bool started = spawn_filter(&talk->pid, argv, down[0], up[1]) == 0;
    (void)close(down[0]);
    (void)close(up[1]);
    talk->to = down[1];
    talk->from = up[0];
    talk->deadline = 0;
    if (!started) {
        (void)close(talk->to);
        (void)close(talk->from);
    }
    return started;
}

/* Writes all n bytes. Returns false on an error, or where a signal asked to stop. */
static bool peers_give(const struct talk *talk, const void *data, size_t n)
{
    const char *at = data;
    while (n > 0 && !stop_asked()) {
        const ssize_t done = write(talk->to, at, n);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return n == 0;
}

/* Closes our end: the request is complete. */
static void end_request(struct talk *talk)
{
    (void)close(talk->to);
    talk->to = -1;
}

/* Waits for data to read. Returns false where the deadline passed first. */
static bool peers_await(const struct talk *talk)
{
    struct pollfd ready = {.fd = talk->from, .events = POLLIN};
    double left = talk->deadline - seconds_now();
    while (talk->deadline > 0 && left > 0 && !stop_asked()) {
        if (poll(&ready, 1, 1 + (int)(1000 * left)) > 0) {
            return true;
        }
        left = talk->deadline - seconds_now();
    }
    return !(talk->deadline > 0);
}

static bool peers_take(const struct talk *talk, void *data, size_t n)
{
    char *at = data;
    while (n > 0 && !stop_asked()) {
        if (!peers_await(talk)) {
            return false;
        }
        const ssize_t done = read(talk->from, at, n);
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return n == 0;
}

static void end_talk(const struct talk *talk, bool well)
{
    if (!well) {
        (void)kill(talk->pid, SIGKILL);
    }
    if (talk->to >= 0) {
        (void)close(talk->to);
    }
    (void)close(talk->from);
    while (waitpid(talk->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* ---- looking for them ---- */

/* Ends the text that the program sent, and replaces what is not printable. */
static void peers_clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text != '\0'; text++) {
        *text = *text < ' ' || *text > '~' ? '?' : *text;
    }
}

/* Asks the program for its library's name and version. Returns whether it answers. */
static bool peers_meet(struct peer *peer)
{
    const struct peer_request request = {.magic = PEER_MAGIC, .limbs = 1};
    struct peer_reply reply;
    struct talk talk;
    if (access(peer->path, X_OK) != 0 || !start_talk(&talk, peer->path)) {
        return false;
    }
    talk.deadline = seconds_now() + PATIENCE_SECONDS;
    bool well = peers_give(&talk, &request, sizeof request);
    end_request(&talk);
    well = well && peers_take(&talk, &reply, sizeof reply);
    end_talk(&talk, false); /* it is not needed any more */
    if (!well || reply.magic != PEER_MAGIC) {
        return false;
    }
    peers_clean(reply.name, sizeof reply.name);
    peers_clean(reply.version, sizeof reply.version);
    snprintf(peer->name, sizeof peer->name, "%s", reply.name);
    snprintf(peer->version, sizeof peer->version, "%s", reply.version);
    return true;
}

size_t find_peers(struct peer *peers)
{
    char *own = own_path();
    size_t count = 0;
    for (size_t i = 0; i < MOST_PEERS && own != NULL; i++) {
        bool found = false;
        for (size_t j = 0; j < sizeof folders / sizeof folders[0] && !found; j++) {
            struct peer peer;
            const int n = snprintf(peer.path, sizeof peer.path, "%.*s%s%s", (int)folder_length(own),
                                   own, folders[j], programs[i]);
            found = n > 0 && (size_t)n < sizeof peer.path && peers_meet(&peer);
            if (found) {
                peers[count++] = peer;
            }
        }
    }
    free(own);
    return count;
}

/* ---- products ---- */

/* p and the operands as integers; the caller frees them. */
static uint64_t *make_integers(const gfp_poly *a, const gfp_poly *b, size_t len)
{
    const gfp_field *field = a->field;
    const size_t limbs = gfp_field_limbs(field);
    uint64_t *x = calloc((1 + 2 * len) * limbs, sizeof *x);
    if (x != NULL) {
        memcpy(x, gfp_field_modulus_limbs(field), limbs * sizeof *x);
        gfp_vec_get_limbs(field, x + limbs, limbs, a->digits, len);
        gfp_vec_get_limbs(field, x + (1 + len) * limbs, limbs, b->digits, len);
    }
    return x;
}

/* Reads a product of len coefficients and compares it with `expected`: OK, VERIFY where they
 * differ, IO where it does not arrive, MEMORY. */
static gfp_status take_product(const struct talk *talk, const gfp_poly *expected, size_t len)
{
    const gfp_field *field = expected->field;
    const size_t limbs = gfp_field_limbs(field);
    const size_t bytes = len * limbs * sizeof(uint64_t);
    uint64_t *ours = malloc(bytes);
    uint64_t *theirs = malloc(bytes);
    gfp_status status = GFP_ERR_MEMORY;
    if (ours != NULL && theirs != NULL) {
        status = peers_take(talk, theirs, bytes) ? GFP_OK : GFP_ERR_IO;
    }
    if (status == GFP_OK && expected->len == len) {
        gfp_vec_get_limbs(field, ours, limbs, expected->digits, len);
        status = memcmp(ours, theirs, bytes) == 0 ? GFP_OK : GFP_ERR_VERIFY;
    } else if (status == GFP_OK) {
        status = GFP_ERR_VERIFY;
    }
    free(ours);
    free(theirs);
    return status;
}

static gfp_status peers_fail(gfp_error *error, gfp_status status)
{
    const char *message = status == GFP_ERR_IO       ? "ended without an answer"
                          : status == GFP_ERR_VERIFY ? "computes another product"
                                                     : gfp_status_string(status);
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* Ends the request, then reads and checks the reply. */
static gfp_status take_reply(struct timing *timing, struct talk *talk, const gfp_poly *expected,
                             size_t len)
{
    struct peer_reply reply;
    end_request(talk);
    if (!peers_take(talk, &reply, sizeof reply) || reply.magic != PEER_MAGIC) {
        return GFP_ERR_IO;
    }
    *timing = reply.timing;
    return timing->runs > 0 ? take_product(talk, expected, len) : GFP_ERR_MEMORY;
}

gfp_status measure_peer(struct timing *timing, const struct peer *peer, const struct effort *effort,
                        const gfp_poly *a, const gfp_poly *b, const gfp_poly *expected,
                        gfp_error *error)
{
    const size_t len = a->len;
    const size_t limbs = gfp_field_limbs(a->field);
    const struct peer_request request = {.magic = PEER_MAGIC,
                                         .limbs = limbs,
                                         .len_a = len,
                                         .len_b = len,
                                         .n = len,
                                         .len_c = 2 * len - 1,
                                         .budget_ns = (uint64_t)effort->budget_ns,
                                         .most_ns = (uint64_t)effort->most_ns};
    struct talk talk;
    uint64_t *x = make_integers(a, b, len);
    gfp_status status = x != NULL ? GFP_OK : GFP_ERR_MEMORY;
    if (status == GFP_OK && !start_talk(&talk, peer->path)) {
        status = GFP_ERR_IO;
    } else if (status == GFP_OK) {
        const bool sent = peers_give(&talk, &request, sizeof request) &&
                          peers_give(&talk, x, (1 + 2 * len) * limbs * sizeof *x);
        status = sent ? take_reply(timing, &talk, expected, 2 * len - 1) : GFP_ERR_IO;
        end_talk(&talk, status == GFP_OK);
    }
    free(x);
    if (stop_asked()) {
        return GFP_ERR_CANCELLED;
    }
    return status == GFP_OK ? GFP_OK : peers_fail(error, status);
}
