/* plugin_slow.c: for a plug-in whose start takes long: it writes a byte to the descriptor
 * PLUGIN_STARTED, then sleeps.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor)) static void start_slowly(void)
{
    const char *descriptor = getenv("PLUGIN_STARTED");
    const struct timespec while_others_run = {.tv_nsec = 300000000};
    if (descriptor != NULL && write(atoi(descriptor), "x", 1) == 1) {
        (void)nanosleep(&while_others_run, NULL);
    }
}
