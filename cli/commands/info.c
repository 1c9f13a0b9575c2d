/* info.c: the subcommand info: this build and machine.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* The most methods that info shows. */
#define MAX_METHODS 32

static void device_json(struct json *json, const struct device *device)
{
    const gfp_gpu_info *info = &device->info;
    char text[32] = "";
    json_open(json, "gpu", '{');
    json_bool(json, "available", device->available);
    json_string(json, "reason", device->reason.message);
    json_string(json, "name", info->name);
    if (device->available) {
        (void)snprintf(text, sizeof text, "%u.%u", info->capability_major, info->capability_minor);
    }
    json_string(json, "capability", text);
    json_u64(json, "multiprocessors", info->multiprocessors);
    json_u64(json, "clock_khz", info->clock_khz);
    json_u64(json, "memory_total", info->memory_total);
    json_u64(json, "memory_free", info->memory_free);
    cuda_version(text, info->driver_version);
    json_string(json, "driver", text);
    cuda_version(text, info->runtime_version);
    json_string(json, "runtime", text);
    json_close(json, '}');
}

static void print_device(const struct device *device)
{
    const gfp_gpu_info *info = &device->info;
    const double gib = 1024.0 * 1024.0 * 1024.0;
    char driver[16];
    char runtime[16];
    if (!device->available) {
        printf("GPU        not available: %s\n", device->reason.message);
        return;
    }
    cuda_version(driver, info->driver_version);
    cuda_version(runtime, info->runtime_version);
    printf("GPU        %s: compute capability %u.%u, %u multiprocessors of %u MHz, %.1f GiB (%.1f "
           "free)\n",
           info->name, info->capability_major, info->capability_minor, info->multiprocessors,
           info->clock_khz / 1000, (double)info->memory_total / gib,
           (double)info->memory_free / gib);
    printf("CUDA       %s, the driver's %s\n", runtime, driver);
}

/* Asks the method table about short products over p8. */
static int ask_methods(gfp_method_info methods[], size_t count)
{
    gfp_field *field = NULL;
    const gfp_problem problem = {.len_a = 64, .len_b = 64};
    int code = create_field(&field, "p8");
    for (size_t i = 0; i < count && code == DONE; i++) {
        gfp_status status = gfp_method_query(&methods[i], i, &problem, field, NULL);
        code = status == GFP_OK ? DONE : complain_status("method table", status, NULL);
    }
    gfp_field_destroy(field);
    return code;
}

static void methods_json(struct json *json, const gfp_method_info methods[], size_t count)
{
    json_open(json, "methods", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", methods[i].name);
        json_bool(json, "available", methods[i].available);
        json_string(json, "reason", methods[i].reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Prints the available methods, then the others with the reasons. */
static void print_methods(const gfp_method_info methods[], size_t count)
{
    printf("methods   ");
    for (size_t i = 0; i < count; i++) {
        if (methods[i].available) {
            printf(" %s", methods[i].name);
        }
    }
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        if (!methods[i].available) {
            printf("           not %s: %s\n", methods[i].name, methods[i].reason);
        }
    }
}

static void info_json(const struct device *device, const gfp_method_info methods[], size_t count)
{
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "version", gfp_version());
    json_string(&json, "cpu_level", gfp_machine_get_info().cpu_level);
    json_u64(&json, "threads", gfp_machine_get_info().threads);
    json_string(&json, "flint", gfp_build_get_info()->flint);
    json_bool(&json, "mpi", gfp_build_get_info()->mpi);
    device_json(&json, device);
    methods_json(&json, methods, count);
    json_end(&json);
}

static int run_info(const struct request *request)
{
    struct device device;
    gfp_method_info methods[MAX_METHODS];
    const size_t all = gfp_method_count(), count = all < MAX_METHODS ? all : MAX_METHODS;
    find_device(&device);
    int code = ask_methods(methods, count);
    if (code != DONE) {
        return code;
    }
    if (request->call.json) {
        info_json(&device, methods, count);
        return flush_standard_output(0);
    }
    const char *flint = gfp_build_get_info()->flint;
    printf("gfpoly     %s\n", gfp_version());
    printf("CPU level  %s\n", gfp_machine_get_info().cpu_level);
    printf("threads    %u%s\n", gfp_machine_get_info().threads,
           gfp_build_get_info()->threads ? "" : " (built without OpenMP)");
    printf("FLINT      %s\n", flint[0] != '\0' ? flint : "not built in");
    printf("MPI        %s\n",
           gfp_build_get_info()->mpi ? "by mpirun gfpoly, and libgfpoly_mpi" : "not built in");
    print_device(&device);
    print_methods(methods, count);
    return flush_standard_output(0);
}

const struct command info_commands[] = {
    {.name = "info",
     .summary = "Show version, CPU level, libraries, GPU, methods",
     .doc = "Shows the version and options of this build of gfpoly, and the hardware that it uses."
            "\vJSON keys: version, cpu_level, threads, flint (\"\" when built without), mpi, gpu "
            "{available, reason, name, capability, multiprocessors, clock_khz, memory_total, "
            "memory_free, driver, runtime} (\"\" and 0 without a GPU), methods: [{name, available, "
            "reason}].",
     .run = run_info},
    {.name = NULL}};
