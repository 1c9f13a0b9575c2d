/* info.c: the subcommands info (this build and machine) and primes (the named fields;
 * search.c has the search).
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
    json_string(&json, "cpu_level", gfp_cpu_level());
    json_u64(&json, "threads", gfp_threads_available());
    json_string(&json, "flint", gfp_flint_version());
    device_json(&json, device);
    methods_json(&json, methods, count);
    json_end(&json);
}

static int run_info(const struct settings *settings)
{
    struct device device;
    gfp_method_info methods[MAX_METHODS];
    const size_t all = gfp_method_count(), count = all < MAX_METHODS ? all : MAX_METHODS;
    look_for_device(&device);
    int code = ask_methods(methods, count);
    if (code != DONE) {
        return code;
    }
    if (settings->json) {
        info_json(&device, methods, count);
        return flush_standard_output(0);
    }
    const char *flint = gfp_flint_version();
    printf("gfpoly     %s\n", gfp_version());
    printf("CPU level  %s\n", gfp_cpu_level());
    printf("threads    %u%s\n", gfp_threads_available(),
           gfp_threads_built_in() ? "" : " (built without OpenMP)");
    printf("FLINT      %s\n", flint[0] != '\0' ? flint : "not built in");
    print_device(&device);
    print_methods(methods, count);
    return flush_standard_output(0);
}

static const struct argp_option info_options[] = {OPTION_JSON, OPTION_END};

const struct command command_info = {
    .name = "info",
    .summary = "Show version, CPU level, threads, FLINT, GPU, methods",
    .arguments = NULL,
    .doc = "Shows the version and options of this build of gfpoly, and the hardware that it uses."
           "\vJSON keys: version, cpu_level, threads, flint (\"\" when built without), "
           "gpu {available, reason, name, capability, multiprocessors, clock_khz, memory_total, "
           "memory_free, driver, runtime} (\"\" and 0 without a GPU), methods: [{name, "
           "available, reason}].",
    .options = info_options,
    .run = run_info};

static int print_prime(struct json *json, const gfp_named_prime *prime)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_status status = gfp_field_create(&field, prime->name, NULL, &error);
    if (status != GFP_OK) {
        (void)complain_status(prime->name, status, &error);
        return FAILED;
    }
    const char *proof = gfp_proof_string(gfp_field_certificate(field)->proof);
    if (json != NULL) {
        json_open(json, NULL, '{');
        json_string(json, "name", prime->name);
        json_string(json, "formula", prime->formula);
        json_u64(json, "k", gfp_field_k(field));
        json_u64(json, "bits", gfp_field_bits(field));
        json_u64(json, "v2_r", gfp_field_v2_r(field));
        json_u64(json, "v2_p_minus_1", gfp_field_v2_order(field));
        json_string(json, "proof", proof);
        json_close(json, '}');
    } else {
        printf("%-6s %-26s %4u %6u %6u %8u  %s\n", prime->name, prime->formula, gfp_field_k(field),
               gfp_field_bits(field), gfp_field_v2_r(field), gfp_field_v2_order(field), proof);
    }
    gfp_field_destroy(field);
    return DONE;
}

static int list_primes(const struct settings *settings)
{
    struct json json;
    int code = DONE;
    if (settings->json) {
        json_begin(&json, stdout);
        json_open(&json, "primes", '[');
    } else {
        printf("%-6s %-26s %4s %6s %6s %8s  %s\n", "name", "p", "k", "bits", "v2(r)", "v2(p-1)",
               "proof");
    }
    for (size_t i = 0; i < gfp_named_prime_count() && code == DONE; i++) {
        code = print_prime(settings->json ? &json : NULL, gfp_named_prime_get(i));
    }
    if (settings->json) {
        json_close(&json, ']');
        json_end(&json);
    }
    return code == DONE ? flush_standard_output(0) : code;
}

static int run_primes(const struct settings *settings)
{
    if (settings->search && settings->stock) {
        complain("primes: --search and --stock exclude each other");
        return BAD_USAGE;
    }
    if (settings->search) {
        return search_primes(settings);
    }
    if (settings->stock) {
        return list_stock(settings);
    }
    if (settings->random || (settings->given & (GIVEN_RANGE | GIVEN_SEED)) != 0) {
        complain("primes: --k, --min-bits, --max-bits, --min-v2, --count, --random and --seed go "
                 "with --search; --k and --count also with --stock");
        return BAD_USAGE;
    }
    return list_primes(settings);
}

static const struct argp_option primes_options[] = {
    OPTION("search", KEY_SEARCH, NULL, "Search for primes instead of listing the named ones"),
    OPTION("stock", KEY_STOCK, NULL, "List the primes in stock: all, or those of --k"),
    OPTION("k", KEY_K, "K", "The exponent: 2, 4, ..., 256"),
    OPTION("min-bits", KEY_MIN_BITS, "B", "Least number of bits of p"),
    OPTION("max-bits", KEY_MAX_BITS, "B", "Largest number of bits of p"),
    OPTION("min-v2", KEY_MIN_V2, "V",
           "Only radices divisible by 2^V, which have transforms of lengths up to 2^(K V) (default "
           "1)"),
    OPTION("count", KEY_COUNT, "N",
           "Find or list at most N primes (default: all; with --random, one)"),
    OPTION("random", KEY_RANDOM, NULL, "Any even radix r, in a random order"),
    OPTION_SEED,
    OPTION_JSON,
    OPTION_END};

const struct command command_primes = {
    .name = "primes",
    .summary = "List the named primes, those in stock, or others",
    .arguments = NULL,
    .doc = "Lists the named primes p = r^k + 1: k, the bits of p, the exponents of 2 in r and in "
           "p - 1 (transforms exist up to that power of two), and the kind of primality proof. "
           "With --search it finds and proves other primes, and prints each as soon as it is "
           "found: those with r = 2^w + 2^u or 2^w - 2^u, by rising bits, then falling v2(r), then "
           "rising r; or with --random those with any even r, without repetition, in an order that "
           "depends on the seed alone. With --stock it lists primes that come with the library, "
           "proved: some hundred with the largest r = 2^63 - j 2^36 for each k from 4 to 128. "
           "--field accepts the printed p."
           "\vJSON: primes: [{name, formula, k, bits, v2_r, v2_p_minus_1, proof}]; with --search "
           "or --stock: primes: [{formula, r, k, bits, v2_r, v2_p_minus_1, sign, w, u, proof, "
           "certificate: "
           "[{prime, base}]}], exhausted. r, prime and base are strings; r = 2^w + sign 2^u, or "
           "sign, w and u are null; exhausted is true where the range is known to have no more "
           "primes; with --random that is known only after a search for more primes than exist.",
    .options = primes_options,
    .run = run_primes};
