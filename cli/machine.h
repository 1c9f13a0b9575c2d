/* machine.h: the GPU, and what figures depend on: machine, compiler, versions, date. The command's,
 * and of the programs of bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_MACHINE_H
#define GFP_CLI_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "gfpoly.h"
#include "json.h"

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

/* A line "NAME: TEXT" for each, behind the lead: "# " in CSV, "- " in Markdown. */
void write_machine(FILE *out, const struct machine *machine, const char *lead);
/* Text in quotes, for CSV and for gnuplot: those inside are doubled. */
void write_quoted(FILE *out, const char *text, char quote);
/* The object "machine", a key for each. */
void json_machine(struct json *json, const struct machine *machine);

/* Why times of this build say nothing: no optimisation, or sanitizers. NULL where they do, or where
 * the environment has GFPOLY_ALLOW_DEBUG, for tests of programs that measure: the fact `compiler'
 * tells of such a build. */
const char *build_refusal(void);

#endif
