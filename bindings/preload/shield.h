/* shield.h: signals whose handlers hosts use to jump out of a computation (Sage's sig_on, alarms)
 * wait while this library computes: a jump out of malloc, of the loader, or of a product would
 * leave their state behind. A long product looks for such signals, ends early, and begins again
 * once the handler has returned.
 *
 * A process with one thread blocks the signals. With several threads the kernel would give a
 * process's signal to another thread, whose handler then jumps on the wrong stack: there a function
 * of this file stands before each handler, and keeps signals back that reach a thread under a
 * shield. The functions are exported: two libraries for LD_PRELOAD in one process share those of
 * the first one, or each would stand before the other's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_SHIELD_H
#define GFP_SHIELD_H

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(default)

typedef struct gfp_shield {
    sigset_t before; /* the thread's mask */
    bool nested, masks;
} gfp_shield;

/* From now on SIGINT, SIGALRM, SIGHUP and SIGTERM wait, and gfp_shield_is_up says so. A shield may
 * be raised inside another one. */
void gfp_shield_raise(gfp_shield *shield);
/* Signals that waited arrive here, and their handlers may jump: nothing is held any more. */
void gfp_shield_lower(gfp_shield *shield);
/* Whether this thread is inside such a library, so that calls from the host are not for it. */
bool gfp_shield_is_up(void);
/* Whether a signal waits. */
bool gfp_shield_waiting(const gfp_shield *shield);

#pragma GCC visibility pop

#endif
