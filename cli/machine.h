/* machine.h: the GPU, and what figures depend on: machine, compiler, versions, date. The command's,
 * and of the programs of bench/. SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_MACHINE_H
#define GFP_CLI_MACHINE_H

#include <stdbool.h>

#include "gfpoly.h"

/* The first device, or why there is none. */
struct device {
    bool available;
    gfp_error reason;
    gfp_gpu_info info;
};

void look_for_device(struct device *device);
/* CUDA's way to number versions, 1000 major + 10 minor, as text; "" of 0. */
void cuda_version(char text[16], unsigned version);

/* What figures depend on, and when they were measured. */
#define MACHINE_FACTS 8
struct machine {
    struct {
        const char *name;
        char text[300]; /* printable ASCII */
    } fact[MACHINE_FACTS];
};

void describe_machine(struct machine *machine);

#endif
