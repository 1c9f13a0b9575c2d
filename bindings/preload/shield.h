/* shield.h: signals whose handlers hosts use to jump out of a computation (Sage's sig_on, alarms)
 * wait while this library computes: a jump out of malloc, of the loader, or of a product would
 * leave their state behind. A long product looks for such signals, ends early, and begins again
 * once the handler has returned.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SHIELD_H
#define GFP_SHIELD_H

#include <signal.h>
#include <stdbool.h>

typedef struct gfp_shield {
    sigset_t before; /* the thread's mask */
    bool nested;
} gfp_shield;

/* From now on SIGINT, SIGALRM, SIGHUP and SIGTERM wait, and gfp_shield_is_up says so. A shield may
 * be raised inside another one. */
void gfp_shield_raise(gfp_shield *shield);
/* Signals that waited arrive here, and their handlers may jump: nothing is held any more. */
void gfp_shield_lower(gfp_shield *shield);
/* Whether this thread is inside this library, so that calls from the host are not for us. */
bool gfp_shield_is_up(void);
/* Whether a signal waits. */
bool gfp_shield_waiting(const gfp_shield *shield);

#endif
