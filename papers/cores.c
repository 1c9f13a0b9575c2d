/* papers/cores.c: cores, which hyper-threading shares between threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdio.h>

#include "papers/tables.h"

unsigned count_cores(void)
{
    unsigned cores = 0;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return 0;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[100];
        unsigned first = cpu;
        if (!CPU_ISSET(cpu, &allowed)) {
            continue;
        }
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
                 cpu);
        FILE *in = fopen(path, "r");
        const bool told = in != NULL && fscanf(in, "%u", &first) == 1;
        if (in != NULL) {
            (void)fclose(in);
        }
        if (!told) {
            return 0;
        }
        cores += first == cpu || !CPU_ISSET(first, &allowed);
    }
    return cores;
}
