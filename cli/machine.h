/* machine.h: the GPU, and the facts on which figures depend: machine, compiler, versions, date. For
 * the command and the programs of bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_MACHINE_H
#define GFP_CLI_MACHINE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"
#include "gfpoly/gpu.h"
#include "cli/json.h"

/* The first device, or the reason why none can be used. */
struct device {
    bool available;
    gfp_error reason;
    gfp_gpu_info info;
};

void find_device(struct device *device);
/* text := a CUDA version, given as 1000 major + 10 minor; "" for 0. */
void cuda_version(char text[16], unsigned version);

/* The facts on which figures depend: machine, build, commit of the sources; the command, and the
 * date of the measurement. */
#define MACHINE_FACTS 10
struct machine {
    struct {
        const char *name;
        char text[300]; /* printable ASCII */
    } fact[MACHINE_FACTS];
};

void describe_machine(struct machine *machine);

/* Writes a line "NAME: TEXT" for each fact, behind `lead`: "# " in CSV, "- " in Markdown. */
void write_machine(FILE *out, const struct machine *machine, const char *lead);
/* Writes text in quotes, for CSV and gnuplot; quotes inside are doubled. */
void write_quoted(FILE *out, const char *text, char quote);
/* Writes the object "machine" with a key for each fact. */
void json_machine(struct json *json, const struct machine *machine);

/* With `on`, the chooser picks no GPU from now on, for times that are those of the CPU. Returns
 * false without memory. */
static inline bool keep_to_cpu(bool on)
{
    return (on ? setenv("GFPOLY_GPU", "off", 1) : unsetenv("GFPOLY_GPU")) == 0;
}

/* Why times of this build mean nothing: no optimisation, or sanitizers. NULL for other builds, and
 * where the environment has GFPOLY_ALLOW_DEBUG, for tests of programs that measure. The fact
 * `compiler' names such a build. */
const char *build_refusal(void);

#endif
