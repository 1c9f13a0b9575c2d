/* bench/gpu/dealt_host.c: times of products and batches from and to host memory, usual and
 * page-locked, by one device (hybrid_gpu) and dealt over several (dealt_gpu). Every result is
 * compared with that of one device before it is timed. Wall-clock medians of calls on all threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/bench.h"
#include "gfpoly/product.h"

#define RUNS 9
/* Of longer calls there are fewer runs. */
#define LONG_TERMS ((size_t)1 << 25)
#define LONG_RUNS 3

/* `count` products of two factors of 2^log2_len coefficients. */
typedef struct host_row {
    const char *field;
    unsigned log2_len;
    size_t count;
} host_row;

static const host_row rows[] = {
    {"p8", 12, 1},   {"p8", 14, 1},  {"p8", 16, 1},  {"p8", 18, 1},  {"p8", 19, 1},  {"p8", 20, 1},
    {"p8", 22, 1},   {"p8", 24, 1},  {"p4", 22, 1},  {"p16", 22, 1}, {"p32", 20, 1}, {"p2", 8, 64},
    {"p8", 8, 4096}, {"p8", 12, 64}, {"p8", 16, 16}, {"p8", 19, 8},  {"p8", 22, 2},
};

typedef struct host_job {
    bench *b;
    gfp_field *field;
    gfp_batch batch;
    uint64_t *x, *y, *z, *expected;
    unsigned threads;
} host_job;

static gfp_status run_host(const host_job *w, uint64_t *z, unsigned devices, gfp_error *error)
{
    const gfp_options options = {.method = devices > 1 ? "dealt_gpu" : "hybrid_gpu",
                                 .verify = GFP_VERIFY_NONE,
                                 .threads = w->threads,
                                 .gpu_count = devices,
                                 .error = error};
    return gfp_vec_mul_batch(w->field, z, w->x, w->y, &w->batch, &options);
}

/* The median of some calls in milliseconds; 0: one failed, or gave another result than the first
 * call on one device. */
static double time_host(const host_job *w, size_t words, unsigned devices)
{
    const int runs = w->batch.count * w->batch.len_a < LONG_TERMS ? RUNS : LONG_RUNS;
    double samples[RUNS];
    gfp_error error = {.message = ""};
    for (int i = -1; i < runs; i++) { /* the first one warms up */
        const uint64_t start = clock_ns();
        if (run_host(w, w->z, devices, &error) != GFP_OK) {
            (void)fails(w->b, "%u devices: %s", devices, error.message);
            return 0;
        }
        samples[i < 0 ? 0 : i] = (double)(clock_ns() - start) / 1e6;
    }
    if (memcmp(w->z, w->expected, words * sizeof *w->z) != 0) {
        (void)fails(w->b, "the result of %u devices differs", devices);
        return 0;
    }
    return median_of_samples(samples, (size_t)runs);
}

static void print_times(host_job *w, size_t words, const char *memory, unsigned devices)
{
    double one = 0, ms = 1;
    for (unsigned members = 1; members <= devices && ms > 0; members++) {
        ms = time_host(w, words, members);
        one = members == 1 ? ms : one;
        if (ms > 0) {
            printf("| %s | %zu x %zu | %s | %u | %.3f | %.2f |\n", gfp_field_name(w->field),
                   w->batch.count, w->batch.len_a, memory, members, ms, one / ms);
        }
        (void)fflush(stdout);
    }
}

static void *host_block(gfp_gpu *gpu, size_t words, bool pinned)
{
    void *block = NULL;
    if (!pinned) {
        return malloc(words * sizeof(uint64_t));
    }
    return gfp_gpu_host_allocate(&block, gpu, words * sizeof(uint64_t), NULL) == GFP_OK ? block
                                                                                        : NULL;
}

static void host_free(gfp_gpu *gpu, void *block, bool pinned)
{
    if (pinned) {
        gfp_gpu_host_release(block, gpu);
    } else {
        free(block);
    }
}

/* Both factors, and the product, in memory of one kind. */
static void bench_memory(host_job *w, gfp_gpu *gpu, bool pinned, unsigned devices)
{
    const size_t k = gfp_field_k(w->field), terms = w->batch.count * w->batch.len_a;
    const size_t words = w->batch.count * (2 * w->batch.len_a - 1) * k;
    gfp_error error = {.message = ""};
    gfp_random g;
    w->x = host_block(gpu, terms * k, pinned);
    w->y = host_block(gpu, terms * k, pinned);
    w->z = host_block(gpu, words, pinned);
    w->expected = malloc(words * sizeof *w->expected);
    if (w->x == NULL || w->y == NULL || w->z == NULL || w->expected == NULL) {
        printf("| %s | %zu x %zu | host memory is not enough | | | |\n", gfp_field_name(w->field),
               w->batch.count, w->batch.len_a);
    } else {
        gfp_random_seed(&g, JOB_SEED);
        gfp_vec_random(w->field, w->x, terms, &g);
        gfp_vec_random(w->field, w->y, terms, &g);
        if (run_host(w, w->expected, 1, &error) == GFP_OK) {
            print_times(w, words, pinned ? "page-locked" : "usual", devices);
        } else {
            (void)fails(w->b, "%s", error.message);
        }
    }
    host_free(gpu, w->x, pinned);
    host_free(gpu, w->y, pinned);
    host_free(gpu, w->z, pinned);
    free(w->expected);
}

void bench_dealt_host(bench *b)
{
    gfp_gpu *gpus[GFP_GPU_MOST_MEMBERS];
    const size_t devices = open_devices(gpus);
    const gfp_machine_info machine = gfp_machine_get_info();
    printf("\n## Products from and to host memory, dealt over devices\n\n"
           "Milliseconds of a call on %u threads of the host; how many times as fast as one "
           "device.\n\n"
           "| field | products | memory | devices | ms | times |\n|---|---|---|---|---|---|\n",
           machine.threads);
    for (size_t i = 0; i < COUNT(rows) && devices > 0 && !b->failed; i++) {
        const size_t n = (size_t)1 << rows[i].log2_len;
        host_job w = {.b = b,
                      .batch = {.count = rows[i].count, .len_a = n, .len_b = n},
                      .threads = machine.threads};
        if (!wanted(b, rows[i].field, 16 * n * rows[i].count)) {
            continue;
        }
        if (gfp_field_create(&w.field, rows[i].field, NULL, NULL) != GFP_OK) {
            (void)fails(b, "%s", rows[i].field);
            break;
        }
        bench_memory(&w, gpus[0], false, (unsigned)devices);
        bench_memory(&w, gpus[0], true, (unsigned)devices);
        gfp_field_destroy(w.field);
    }
    gfp_gpu_pool_release();
    close_devices(gpus, devices);
}
