/* shield.c: see shield.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* __libc_single_threaded */
#include "shield.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HAS_ONE_THREAD() (__libc_single_threaded != 0)
#endif
#endif
#ifndef HAS_ONE_THREAD
#define HAS_ONE_THREAD() false
#endif

static const int deferred[] = {SIGINT, SIGALRM, SIGHUP, SIGTERM};
#define DEFERRED (sizeof deferred / sizeof *deferred)

static _Thread_local volatile sig_atomic_t up;
static _Thread_local volatile sig_atomic_t waiting[DEFERRED];

/* ---- functions that stand before handlers ---- */

/* Whether the signal is kept back. */
static bool keeps(int signal)
{
    for (size_t i = 0; i < DEFERRED && up; i++) {
        if (deferred[i] == signal) {
            waiting[i] = 1;
            return true;
        }
    }
    return false;
}

typedef void handler(int);
typedef void action(int, siginfo_t *, void *);

/* A handler keeps the function before it for ever: hosts ask which one is installed, and install
 * that again later. */
#define PLACES 8
static _Atomic(handler *) handlers[PLACES];
static _Atomic(action *) actions[PLACES];

static void handle(int i, int signal)
{
    if (!keeps(signal)) {
        atomic_load (&handlers[i])(signal);
    }
}

static void act(int i, int signal, siginfo_t *info, void *context)
{
    if (!keeps(signal)) {
        atomic_load (&actions[i])(signal, info, context);
    }
}

#define BEFORE(i)                                                                                  \
    static void before_handler_##i(int signal)                                                     \
    {                                                                                              \
        handle(i, signal);                                                                         \
    }                                                                                              \
    static void before_action_##i(int signal, siginfo_t *info, void *context)                      \
    {                                                                                              \
        act(i, signal, info, context);                                                             \
    }
BEFORE(0)
BEFORE(1)
BEFORE(2)
BEFORE(3)
BEFORE(4)
BEFORE(5)
BEFORE(6)
BEFORE(7)

static handler *const before_handlers[PLACES] = {
    before_handler_0, before_handler_1, before_handler_2, before_handler_3,
    before_handler_4, before_handler_5, before_handler_6, before_handler_7,
};
static action *const before_actions[PLACES] = {
    before_action_0, before_action_1, before_action_2, before_action_3,
    before_action_4, before_action_5, before_action_6, before_action_7,
};

/* The function before a handler, the handler itself if that is such a function; NULL: no place. */
static handler *before_handler(handler *host)
{
    for (size_t i = 0; i < PLACES; i++) {
        handler *there = NULL;
        if (host == before_handlers[i]) {
            return host;
        }
        if (atomic_compare_exchange_strong(&handlers[i], &there, host) || there == host) {
            return before_handlers[i];
        }
    }
    return NULL;
}

static action *before_action(action *host)
{
    for (size_t i = 0; i < PLACES; i++) {
        action *there = NULL;
        if (host == before_actions[i]) {
            return host;
        }
        if (atomic_compare_exchange_strong(&actions[i], &there, host) || there == host) {
            return before_actions[i];
        }
    }
    return NULL;
}

/* Puts a function before the signal's handler; false: that is not possible. */
static bool guard(int signal)
{
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0) {
        return false;
    }
    if ((now.sa_flags & SA_SIGINFO) != 0) {
        action *before = before_action(now.sa_sigaction);
        const bool done = before == now.sa_sigaction;
        now.sa_sigaction = before;
        return done || (before != NULL && sigaction(signal, &now, NULL) == 0);
    }
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) {
        return true;
    }
    handler *before = before_handler(now.sa_handler);
    const bool done = before == now.sa_handler;
    now.sa_handler = before;
    return done || (before != NULL && sigaction(signal, &now, NULL) == 0);
}

/* ---- the shield ---- */

static void block(sigset_t *before)
{
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < DEFERRED; i++) {
        (void)sigaddset(&set, deferred[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &set, before);
}

void gfp_shield_raise(gfp_shield *shield)
{
    shield->nested = up != 0;
    shield->masks = HAS_ONE_THREAD();
    if (shield->nested) {
        return;
    }
    for (size_t i = 0; i < DEFERRED && !shield->masks; i++) {
        shield->masks = !guard(deferred[i]);
    }
    if (shield->masks) {
        block(&shield->before);
    }
    up = 1;
}

void gfp_shield_lower(gfp_shield *shield)
{
    if (shield->nested) {
        return;
    }
    up = 0;
    for (size_t i = 0; i < DEFERRED; i++) {
        if (waiting[i]) {
            waiting[i] = 0;
            (void)pthread_kill(pthread_self(), deferred[i]);
        }
    }
    if (shield->masks) {
        (void)pthread_sigmask(SIG_SETMASK, &shield->before, NULL);
    }
}

bool gfp_shield_is_up(void)
{
    return up != 0;
}

/* Of the signals that are blocked. */
static bool is_pending(const gfp_shield *shield, size_t i)
{
    sigset_t set;
    return shield->masks && sigpending(&set) == 0 && sigismember(&set, deferred[i]) == 1 &&
           sigismember(&shield->before, deferred[i]) == 0;
}

bool gfp_shield_waiting(const gfp_shield *shield)
{
    for (size_t i = 0; i < DEFERRED; i++) {
        if (waiting[i] || is_pending(shield, i)) {
            return true;
        }
    }
    return false;
}
