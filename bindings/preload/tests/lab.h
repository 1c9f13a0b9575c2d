/* lab.h: what tests of libraries for LD_PRELOAD share: settings, counters, signals. C and
 * C++. Before this header: PRELOAD_VARIABLE, "GFPOLY_FLINT" or another, PRELOAD_COUNT, the name of
 * the function that reads a counter; cmocka.h and what it needs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef BINDINGS_PRELOAD_TESTS_LAB_H
#define BINDINGS_PRELOAD_TESTS_LAB_H

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/sanitized.h"

static inline long lab_count(const char *name)
{
    long (*function)(const char *) = NULL;
    void *address = dlsym(RTLD_DEFAULT, PRELOAD_COUNT);
    assert_non_null(address); /* LD_PRELOAD */
    memcpy(&function, &address, sizeof address);
    return function(name);
}

/* Whether the setting has this word, between commas. */
static inline bool has_word(const char *word)
{
    const char *text = getenv(PRELOAD_VARIABLE);
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        if (length == strlen(word) && strncmp(text, word, length) == 0) {
            return true;
        }
        text += length + (text[length] == ',');
    }
    return false;
}

/* Whether products are expected to be taken. */
static inline bool is_on(void)
{
    return !has_word("off");
}

static inline void set_timer(long microseconds)
{
    struct itimerval timer;
    memset(&timer, 0, sizeof timer);
    timer.it_value.tv_usec = microseconds;
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static inline void set_handler(int signal, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(signal, &action, NULL), 0);
}

/* Children of this process call work(user), which returns NULL if all is well. */
static inline void check_children(void *(*work)(void *), void *user)
{
    enum { CHILDREN = 8, SECONDS = 120 };
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS); /* fails where it would wait for ever */
            _exit(work(user) == NULL ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* Threads and children do the same work. among_threads: children are forked while the threads work;
 * under a sanitizer they are forked before, since its malloc stays locked in a child if a thread
 * was in it. */
static inline void check_threads_and_children(void *(*work)(void *), void *user, bool among_threads)
{
    enum { THREADS = 4 };
    pthread_t id[THREADS];
    void *failed;
    among_threads = among_threads && !SANITIZED;
    if (!among_threads) {
        check_children(work, user);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&id[i], NULL, work, user), 0);
    }
    if (among_threads) {
        check_children(work, user);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(id[i], &failed), 0);
        assert_null(failed);
    }
}

#endif
