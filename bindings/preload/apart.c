/* apart.c: see apart.h. Threads that have ended a computation wait for the next one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* pthread_attr_setsigmask_np, syscall */
#include "bindings/preload/apart.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bindings/preload/memory.h"
#include "field/base/parallel.h"

#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 32)
#define HAS_MASKS 1
#endif
#endif
#ifndef HAS_MASKS
#define HAS_MASKS 0
#endif

/* ---- waiting: no lock, and no point at which the host may cancel the thread ---- */

static void wait_for(atomic_int *word, int unwanted)
{
    const int error = errno;
    while (atomic_load(word) == unwanted) {
        (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, unwanted, NULL, NULL, 0);
    }
    errno = error;
}

/* *word := value if it is what is expected; returns whether it was. */
static bool set_and_wake(atomic_int *word, int expected, int value)
{
    const int error = errno;
    if (!atomic_compare_exchange_strong(word, &expected, value)) {
        return false;
    }
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = error;
    return true;
}

/* ---- threads ---- */

typedef enum state { RUNNING, DONE, LEFT } state;

typedef struct job {
    gfp_status (*function)(void *user);
    void *user;
    gfp_progress progress;
    atomic_bool cancelled;
    gfp_status status;
    atomic_int state; /* LEFT: nobody waits, and the other thread gives back what the call held */
    gfp_held_list held;
} job;

static bool goes_on(void *user, double fraction)
{
    const job *j = user;
    (void)fraction;
    return !atomic_load_explicit(&j->cancelled, memory_order_relaxed);
}

/* The computation that this thread waits for, or that a handler jumped out of. */
static _Thread_local job *volatile awaited;

bool gfp_apart_end(const gfp_held_list *held)
{
    int running = RUNNING;
    job *j = awaited;
    awaited = NULL;
    if (j == NULL) {
        return false;
    }
    atomic_store(&j->cancelled, true);
    if (held == NULL) {
        return false;
    }
    j->held = *held;
    if (atomic_compare_exchange_strong(&j->state, &running, LEFT)) {
        return true;
    }
    gfp_host_release(j, sizeof *j); /* DONE */
    return false;
}

typedef struct runner {
    long process; /* gfp_parallel_process */
    job *next;
    atomic_int has_next;
} runner;

#define RUNNERS 16
static _Atomic(runner *) idle[RUNNERS];

static bool add_idle(runner *r)
{
    for (size_t i = 0; i < RUNNERS; i++) {
        runner *none = NULL;
        if (atomic_compare_exchange_strong(&idle[i], &none, r)) {
            return true;
        }
    }
    return false;
}

/* A thread of this process that waits for work; NULL: none. */
static runner *take_idle(void)
{
    for (size_t i = 0; i < RUNNERS; i++) {
        runner *r = atomic_load(&idle[i]) == NULL ? NULL : atomic_exchange(&idle[i], NULL);
        /* A child of fork has its parent's list, but not the threads. */
        if (r != NULL && r->process == gfp_parallel_process()) {
            return r;
        }
    }
    return NULL;
}

static bool has_idle(void)
{
    bool some = false;
    for (size_t i = 0; i < RUNNERS; i++) {
        some = some || atomic_load(&idle[i]) != NULL;
    }
    return some;
}

static runner *apart_start(void);

/* A caller that a handler jumps out of the start of a thread would leave the C library's locks
 * locked: threads of this file, which no signal reaches, start the next one in time. */
static void start_spare(void)
{
    runner *r = has_idle() ? NULL : apart_start();
    if (r != NULL && !add_idle(r)) {
        (void)set_and_wake(&r->has_next, 0, 1); /* nothing: the thread ends */
    }
}

static void run_job(runner *r, job *j, bool *stays)
{
    start_spare();
    j->status = j->function(j->user);
    *stays = add_idle(r); /* the caller's next computation finds this thread */
    if (!set_and_wake(&j->state, RUNNING, DONE)) {
        gfp_held_give(&j->held);
        gfp_host_release(j, sizeof *j);
    }
}

static void *apart_run(void *user)
{
    runner *r = user;
    bool stays = true;
    while (stays) {
        wait_for(&r->has_next, 0);
        job *j = r->next;
        r->next = NULL;
        atomic_store(&r->has_next, 0);
        stays = j != NULL;
        if (stays) {
            run_job(r, j, &stays);
        }
    }
    gfp_host_release(r, sizeof *r);
    return NULL;
}

/* Starts a detached thread that blocks all signals. */
static bool start_detached(runner *r)
{
#if HAS_MASKS
    pthread_t id;
    pthread_attr_t attributes;
    sigset_t all;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)sigfillset(&all);
    const bool started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                         pthread_attr_setsigmask_np(&attributes, &all) == 0 &&
                         pthread_create(&id, &attributes, apart_run, r) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
#else
    (void)r; /* the thread would take signals of the process */
    return false;
#endif
}

/* A new thread; NULL: none can be started. */
static runner *apart_start(void)
{
    runner *made = gfp_host_allocate(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->process = gfp_parallel_process();
    if (!start_detached(made)) {
        gfp_host_release(made, sizeof *made);
        return NULL;
    }
    return made;
}

/* The first call counts forks from then on, which is not for a thread with handlers that jump. */
__attribute__((constructor)) static void count_forks(void)
{
    (void)gfp_parallel_process();
}

gfp_status gfp_apart(gfp_status (*function)(void *user), void *user, gfp_options *options)
{
    job *j = options->threads > 1 ? gfp_host_allocate(sizeof *j) : NULL;
    runner *r = j == NULL ? NULL : take_idle();
    r = r == NULL && j != NULL ? apart_start() : r;
    if (r == NULL) {
        options->threads = 1;
        gfp_host_release(j, sizeof *j);
        return function(user);
    }
    *j = (job){.function = function, .user = user, .progress = {goes_on, j}};
    options->progress = &j->progress;
    r->next = j;
    awaited = j;
    (void)set_and_wake(&r->has_next, 0, 1);
    wait_for(&j->state, RUNNING);
    awaited = NULL;
    const gfp_status status = j->status;
    gfp_host_release(j, sizeof *j);
    return status;
}
