/* machine.c: see machine.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/machine.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a file that the build writes (cmake/commit.cmake): "COMMIT, clean", "COMMIT, with changes" or
 * "unknown". */
extern const char gfp_commit[];

void find_device(struct device *device)
{
    gfp_gpu *gpu = NULL;
    *device = (struct device){.reason = {.message = ""}};
    if (gfp_gpu_create(&gpu, NULL, &(gfp_options){.error = &device->reason}) != GFP_OK) {
        return;
    }
    device->available = gfp_gpu_get_info(&device->info, gpu, NULL) == GFP_OK;
    if (!device->available) {
        device->reason = *gfp_gpu_last_error(gpu);
    }
    gfp_gpu_destroy(gpu);
}

void cuda_version(char text[16], unsigned version)
{
    text[0] = '\0';
    if (version != 0) {
        (void)snprintf(text, 16, "%u.%u", version / 1000, version % 1000 / 10);
    }
}

static void describe_gpu(char *text, size_t size)
{
    struct device device;
    find_device(&device);
    if (device.available) {
        char driver[16];
        char runtime[16];
        cuda_version(driver, device.info.driver_version);
        cuda_version(runtime, device.info.runtime_version);
        snprintf(text, size, "%.100s, CUDA %s, driver for %s", device.info.name, runtime, driver);
    } else {
        snprintf(text, size, "no GPU: %s", device.reason.message);
    }
}

/* The program's name without its folder, and its arguments. */
static void describe_command(char *text, size_t size)
{
    FILE *in = fopen("/proc/self/cmdline", "r");
    const size_t count = in != NULL ? fread(text, 1, size - 1, in) : 0;
    size_t start = 0;
    if (in != NULL) {
        (void)fclose(in);
    }
    text[count] = '\0';
    for (size_t i = 0; i < count && text[i] != '\0'; i++) {
        start = text[i] == '/' ? i + 1 : start;
    }
    memmove(text, text + start, count - start + 1);
    for (size_t i = 0; i + 1 < count - start; i++) {
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
    if (count == 0) {
        snprintf(text, size, "unknown");
    }
}

/* The reason why this build is slow, or NULL. */
static const char *slow_build(void)
{
#if defined(GFP_SANITIZED)
    return "with sanitizers";
#else
    return gfp_build_get_info()->optimised ? NULL : "without optimisation";
#endif
}

const char *build_refusal(void)
{
    return getenv("GFPOLY_ALLOW_DEBUG") == NULL ? slow_build() : NULL;
}

void describe_machine(struct machine *machine)
{
    const char *slow = slow_build();
    char compiler[100];
    const gfp_machine_info info = gfp_machine_get_info();
    char gpu[300];
    char command[300];
    char date[32] = "unknown";
    const time_t now = time(NULL);
    struct tm utc;
    const char *flint = gfp_build_get_info()->flint;
    describe_command(command, sizeof command);
    describe_gpu(gpu, sizeof gpu);
    snprintf(compiler, sizeof compiler, "%s%s%s", gfp_build_get_info()->compiler,
             slow != NULL ? ", " : "", slow != NULL ? slow : "");
    if (gmtime_r(&now, &utc) != NULL) {
        (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    const struct {
        const char *name, *text;
    } facts[MACHINE_FACTS] = {{"cpu", info.cpu},
                              {"cpu_level", info.cpu_level},
                              {"gpu", gpu},
                              {"compiler", compiler},
                              {"gfpoly", gfp_version()},
                              {"commit", gfp_commit},
                              {"flint", flint[0] != '\0' ? flint : "none"},
                              {"gmp", gmp_version},
                              {"command", command},
                              {"date", date}};
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        char *text = machine->fact[i].text;
        machine->fact[i].name = facts[i].name;
        snprintf(text, sizeof machine->fact[i].text, "%s", facts[i].text);
        for (; *text != '\0'; text++) {
            *text = *text < ' ' || *text > '~' ? ' ' : *text;
        }
    }
}

void write_machine(FILE *out, const struct machine *machine, const char *lead)
{
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        fprintf(out, "%s%s: %s\n", lead, machine->fact[i].name, machine->fact[i].text);
    }
}

void write_quoted(FILE *out, const char *text, char quote)
{
    fputc(quote, out);
    for (; *text != '\0'; text++) {
        if (*text == quote) {
            fputc(quote, out);
        }
        fputc(*text, out);
    }
    fputc(quote, out);
}

void json_machine(struct json *json, const struct machine *machine)
{
    json_open(json, "machine", '{');
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        json_string(json, machine->fact[i].name, machine->fact[i].text);
    }
    json_close(json, '}');
}
