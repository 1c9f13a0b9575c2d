/* shield.c: see shield.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shield.h"

#include <stddef.h>

static const int deferred[] = {SIGINT, SIGALRM, SIGHUP, SIGTERM};
#define DEFERRED (sizeof deferred / sizeof *deferred)

static _Thread_local bool up;

void gfp_shield_raise(gfp_shield *shield)
{
    sigset_t set;
    shield->nested = up;
    if (up) {
        return;
    }
    (void)sigemptyset(&set);
    for (size_t i = 0; i < DEFERRED; i++) {
        (void)sigaddset(&set, deferred[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &set, &shield->before);
    up = true;
}

void gfp_shield_lower(gfp_shield *shield)
{
    if (!shield->nested) {
        up = false;
        (void)pthread_sigmask(SIG_SETMASK, &shield->before, NULL);
    }
}

bool gfp_shield_is_up(void)
{
    return up;
}

bool gfp_shield_waiting(const gfp_shield *shield)
{
    sigset_t set;
    if (sigpending(&set) != 0) {
        return false;
    }
    for (size_t i = 0; i < DEFERRED; i++) {
        if (sigismember(&set, deferred[i]) == 1 && sigismember(&shield->before, deferred[i]) == 0) {
            return true;
        }
    }
    return false;
}
