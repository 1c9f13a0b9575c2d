/* watchdog.c: a thread of each rank sends a sign of life to rank 0 every second, and rank 0 to each
 * other rank. A process that is stopped or on a host that is dead sends none, and the command ends.
 * A process that computes sends them, however long it takes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/watchdog.h"

#define SECOND UINT64_C(1000000000)
#define USUAL_LIMIT 40
/* Signs come every second, and a tick may count two: with less, one late sign would be silence. */
#define LEAST_LIMIT 4
/* Ranks other than 0 and 1 wait longer for rank 0: one message is enough. */
#define LATER (5 * SECOND)
/* Between two looks at messages while the command runs, and at its end. */
#define TICK SECOND
#define LAST_TICK (SECOND / 100)
/* The most that a tick counts: this process may have been stopped meanwhile, with the others. */
#define MOST_TICK (2 * SECOND)
#define ABORT_SECONDS 5

enum { ALIVE = 'a', GOODBYE = 'g' };

/* Messages from and to another rank. */
struct other_rank {
    int rank;
    MPI_Request in, out;
    char received, sent;
    bool is_gone;    /* it has said goodbye */
    uint64_t silent; /* nanoseconds since its last sign */
};

static struct {
    MPI_Comm comm;
    int rank, report; /* report: the descriptor for the message */
    uint64_t limit;   /* 0: there is no watchdog */
    struct other_rank *other;
    int others;
    pthread_mutex_t lock;   /* of the two below */
    pthread_cond_t changed; /* waits by CLOCK_MONOTONIC */
    bool is_ending, is_ended;
} watch = {.report = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t clock_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The nanoseconds since *last, which becomes now. */
static uint64_t count_tick(uint64_t *last)
{
    const uint64_t now = clock_now(), passed = now - *last;
    *last = now;
    return passed < MOST_TICK ? passed : MOST_TICK;
}

/* ---- messages ---- */

static void await_sign(struct other_rank *p)
{
    (void)MPI_Irecv(&p->received, 1, MPI_CHAR, p->rank, 0, watch.comm, &p->in);
}

static void receive_signs(struct other_rank *p)
{
    int here = 1;
    while (!p->is_gone && here) {
        (void)MPI_Test(&p->in, &here, MPI_STATUS_IGNORE);
        if (here) {
            p->silent = 0;
            p->is_gone = p->received == GOODBYE;
            if (!p->is_gone) {
                await_sign(p);
            }
        }
    }
}

/* leaves: this rank says goodbye. Returns whether the other one needs no message any more. */
static bool send_sign(struct other_rank *p, bool leaves)
{
    int done = 1;
    (void)MPI_Test(&p->out, &done, MPI_STATUS_IGNORE);
    if (done && p->sent != GOODBYE) {
        p->sent = leaves ? GOODBYE : ALIVE;
        (void)MPI_Isend(&p->sent, 1, MPI_CHAR, p->rank, 0, watch.comm, &p->out);
        (void)MPI_Test(&p->out, &done, MPI_STATUS_IGNORE);
    }
    return done && p->sent == GOODBYE && p->is_gone;
}

/* ---- the end ---- */

static void end_silent(int silent)
{
    sigset_t of_alarm;
    (void)dprintf(
        watch.report,
        "gfpoly: rank %d has not answered for %u seconds: it is stopped, or its host does "
        "not answer\n",
        silent, (unsigned)(watch.limit / SECOND));
    remove_unfinished();
    sigemptyset(&of_alarm); /* the other threads may block it */
    sigaddset(&of_alarm, SIGALRM);
    (void)signal(SIGALRM, SIG_DFL);
    (void)pthread_sigmask(SIG_UNBLOCK, &of_alarm, NULL);
    (void)alarm(ABORT_SECONDS); /* the launcher may not answer, too */
    (void)MPI_Abort(MPI_COMM_WORLD, FAILED);
    _exit(FAILED);
}

/* All ranks have come to their end; none of them makes a call of MPI but MPI_Finalize. */
static void guard_end(void)
{
    const struct timespec pause = {.tv_sec = (time_t)(TICK / SECOND)};
    uint64_t last = clock_now(), passed = 0;
    while (passed < watch.limit) {
        (void)nanosleep(&pause, NULL);
        passed += count_tick(&last);
    }
    (void)dprintf(watch.report, "gfpoly: MPI does not end\n");
    _exit(FAILED);
}

/* ---- the thread ---- */

static bool sleep_once(bool is_ending)
{
    struct timespec pause = {.tv_nsec = (long)LAST_TICK};
    if (is_ending) {
        (void)nanosleep(&pause, NULL);
        return true;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &pause);
    pause.tv_sec += (time_t)(TICK / SECOND);
    (void)pthread_mutex_lock(&watch.lock);
    if (!watch.is_ending) {
        (void)pthread_cond_timedwait(&watch.changed, &watch.lock, &pause);
    }
    is_ending = watch.is_ending;
    (void)pthread_mutex_unlock(&watch.lock);
    return is_ending;
}

/* Whether this rank says goodbye: rank 0 only when all others have, so that its goodbye means that
 * all ranks have come to their end. */
static bool says_goodbye(bool is_ending)
{
    for (int i = 0; is_ending && watch.rank == 0 && i < watch.others; i++) {
        is_ending = watch.other[i].is_gone;
    }
    return is_ending;
}

static void *watch_others(void *ignored)
{
    const uint64_t limit = watch.limit + (watch.rank > 1 ? LATER : 0);
    bool is_ending = false, is_ended = false;
    uint64_t last = clock_now();
    while (!is_ended) {
        is_ending = sleep_once(is_ending);
        is_ended = is_ending;
        const uint64_t passed = count_tick(&last);
        const bool leaves = says_goodbye(is_ending);
        for (int i = 0; i < watch.others; i++) {
            struct other_rank *p = &watch.other[i];
            p->silent += passed;
            receive_signs(p);
            is_ended = send_sign(p, leaves) && is_ended;
            if (!p->is_gone && p->silent > limit) {
                end_silent(p->rank);
            }
        }
    }
    (void)pthread_mutex_lock(&watch.lock);
    watch.is_ended = true;
    (void)pthread_cond_signal(&watch.changed);
    (void)pthread_mutex_unlock(&watch.lock);
    guard_end();
    return ignored;
}

/* *limit := the nanoseconds that the environment asks for; 0: no watchdog. */
static bool read_limit(uint64_t *limit)
{
    const char *text = getenv(WATCHDOG);
    char *end = NULL;
    if (text == NULL || text[0] == '\0') {
        *limit = USUAL_LIMIT * SECOND;
        return true;
    }
    const long seconds = strcmp(text, "off") == 0 ? 0 : strtol(text, &end, 10);
    *limit = (uint64_t)seconds * SECOND;
    return end == NULL || (*end == '\0' && seconds >= LEAST_LIMIT && seconds <= INT32_MAX);
}

int watchdog_level(void)
{
    uint64_t limit;
    return read_limit(&limit) && limit == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
}

/* watch.limit := that of rank 0, on all ranks; 0 where MPI gives one of them less than
 * MPI_THREAD_MULTIPLE. Collective; returns an exit code, the same one on all ranks. */
static int agree_limit(int rank, int level)
{
    uint64_t own[3] = {UINT64_MAX, 1, level == MPI_THREAD_MULTIPLE}, least[3] = {0, 0, 0};
    if (rank == 0) {
        own[1] = read_limit(&own[0]);
    }
    (void)MPI_Allreduce(own, least, 3, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (least[1] == 0) {
        if (rank == 0) {
            complain(WATCHDOG ": unknown value '%s'; available: off, or %d seconds or more",
                     getenv(WATCHDOG), LEAST_LIMIT);
        }
        return BAD_USAGE;
    }
    watch.limit = least[2] != 0 ? least[0] : 0;
    return DONE;
}

static bool prepare_condition(void)
{
    pthread_condattr_t kind;
    if (pthread_condattr_init(&kind) != 0) {
        return false;
    }
    const bool done = pthread_condattr_setclock(&kind, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(&watch.changed, &kind) == 0;
    (void)pthread_condattr_destroy(&kind);
    return done;
}

static bool start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all); /* the command's signals are for its other threads */
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool done = pthread_create(&thread, NULL, watch_others, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (done) {
        (void)pthread_detach(thread);
    }
    return done;
}

int start_watchdog(int rank, int size, int level, int report)
{
    const int code = agree_limit(rank, level);
    if (code != DONE || watch.limit == 0) {
        return code;
    }
    watch.rank = rank;
    watch.report = report;
    watch.others = rank == 0 ? size - 1 : 1;
    watch.other = calloc((size_t)watch.others, sizeof *watch.other);
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &watch.comm);
    for (int i = 0; watch.other != NULL && i < watch.others; i++) {
        watch.other[i] =
            (struct other_rank){.rank = rank == 0 ? i + 1 : 0, .out = MPI_REQUEST_NULL};
        await_sign(&watch.other[i]);
    }
    if (watch.other == NULL || !prepare_condition() || !start_thread()) {
        complain("no memory for the watchdog of the ranks");
        (void)MPI_Abort(MPI_COMM_WORLD, FAILED);
    }
    return DONE;
}

void stop_watchdog(void)
{
    if (watch.limit == 0) {
        return;
    }
    (void)pthread_mutex_lock(&watch.lock);
    watch.is_ending = true;
    (void)pthread_cond_signal(&watch.changed);
    while (!watch.is_ended) {
        (void)pthread_cond_wait(&watch.changed, &watch.lock);
    }
    (void)pthread_mutex_unlock(&watch.lock);
    free(watch.other);
}
