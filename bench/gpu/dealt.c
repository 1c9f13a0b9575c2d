/* bench/gpu/dealt.c: times of products and transforms of resident polynomials dealt over several
 * devices of one host, next to the time on one. Every result is compared with that of one device
 * before it is timed. Wall-clock medians: of one call with a wait after it, and of several in a
 * row. With --points the first ones are lines for `gfpoly scale --points` instead of a table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/bench.h"
#include "bench/markdown.h"
#include "bench/points.h"
#include "gfpoly/gpu_product.h"

#define RUNS 9
#define IN_A_ROW 8
/* Of longer products there are fewer runs, and one at a time. */
#define LONG_TERMS ((size_t)1 << 25)
#define LONG_RUNS 3

typedef struct dealt_row {
    const char *field;
    size_t len;
    bool transform; /* forward, in permuted order */
} dealt_row;

#define PRODUCT(field, log2_len)                                                                   \
    {                                                                                              \
        (field), (size_t)1 << (log2_len), false                                                    \
    }
#define TRANSFORM(field, log2_len)                                                                 \
    {                                                                                              \
        (field), (size_t)1 << (log2_len), true                                                     \
    }
static const dealt_row rows[] = {
    PRODUCT("p8", 12),   PRODUCT("p8", 14),   PRODUCT("p8", 16),   PRODUCT("p8", 18),
    PRODUCT("p8", 19),   PRODUCT("p8", 20),   PRODUCT("p8", 21),   PRODUCT("p8", 22),
    PRODUCT("p8", 23),   PRODUCT("p8", 24),   PRODUCT("p4", 22),   PRODUCT("p16", 22),
    PRODUCT("p32", 20),  PRODUCT("p8", 25),   PRODUCT("p8", 26),   TRANSFORM("p4", 20),
    TRANSFORM("p4", 22), TRANSFORM("p4", 24), TRANSFORM("p8", 20), TRANSFORM("p8", 22),
    TRANSFORM("p8", 24), PRODUCT("p8", 28),
};

/* A polynomial in blocks. */
typedef struct dealt_poly {
    gfp_gpu_array *block[GFP_GPU_MOST_MEMBERS];
} dealt_poly;

/* Products of two factors of `len` coefficients, or transforms of so many, on the first `members`
 * devices. */
typedef struct dealt_job {
    bench *b;
    gfp_field *field;
    gfp_gpu **gpus;
    size_t members, k, len, len_z;
    bool transform;
    dealt_poly x, y, z;
    /* One of these: on several devices, or on one alone. */
    gfp_gpu_dealt_plan *plan;
    gfp_gpu_product_plan *whole;
    gfp_gpu_dealt_fft_plan *fft;
    gfp_gpu_fft_plan *whole_fft;
} dealt_job;

static size_t block_length(const dealt_job *w, size_t len, size_t i)
{
    const size_t each = gfp_gpu_dealt_each(len, w->members), at = i * each;
    return at >= len ? 0 : len - at < each ? len - at : each;
}

static gfp_status run_dealt(void *context)
{
    dealt_job *w = context;
    if (w->transform) {
        return w->whole_fft != NULL
                   ? gfp_gpu_fft_run(w->z.block[0], w->x.block[0], GFP_FORWARD, GFP_ORDER_PERMUTED,
                                     w->whole_fft, NULL)
                   : gfp_gpu_dealt_fft_run(w->z.block, w->x.block, GFP_FORWARD, w->fft, NULL);
    }
    return w->whole != NULL ? gfp_gpu_product_mul(w->z.block[0], w->x.block[0], w->len,
                                                  w->y.block[0], w->len, w->whole, NULL)
                            : gfp_gpu_dealt_mul(w->z.block, w->x.block, w->len, w->y.block, w->len,
                                                w->plan, NULL);
}

static gfp_status plan_dealt(dealt_job *w)
{
    const gfp_gpu_product_options hybrid = {.method = GFP_GPU_METHOD_HYBRID};
    if (w->transform) {
        return w->members == 1 ? gfp_gpu_fft_plan_create(&w->whole_fft, w->gpus[0], w->field,
                                                         w->len, NULL, NULL)
                               : gfp_gpu_dealt_fft_plan_create(&w->fft, w->gpus, w->members,
                                                               w->field, w->len, NULL);
    }
    return w->members == 1 ? gfp_gpu_product_plan_create(&w->whole, w->gpus[0], w->field, w->len,
                                                         w->len, &hybrid, NULL)
                           : gfp_gpu_dealt_plan_create(&w->plan, w->gpus, w->members, w->field,
                                                       w->len, w->len, NULL);
}

static bool wait_members(const dealt_job *w)
{
    for (size_t i = 0; i < w->members; i++) {
        if (gfp_gpu_wait(w->gpus[i], NULL) != GFP_OK) {
            return fails(w->b, "member %zu: %s", i, gfp_gpu_last_error(w->gpus[i])->message);
        }
    }
    return true;
}

/* Copies the blocks from or to the host. */
static bool move_blocks(const dealt_job *w, const dealt_poly *p, uint64_t *digits, size_t len,
                        bool up)
{
    for (size_t i = 0; i < w->members; i++) {
        const size_t words = block_length(w, len, i) * w->k;
        uint64_t *at = digits + i * gfp_gpu_dealt_each(len, w->members) * w->k;
        const gfp_status status = words == 0 ? GFP_OK
                                  : up       ? gfp_gpu_upload(p->block[i], 0, at, words, NULL)
                                             : gfp_gpu_download(at, p->block[i], 0, words, NULL);
        if (status != GFP_OK) {
            return fails(w->b, "member %zu: %s", i, gfp_gpu_last_error(w->gpus[i])->message);
        }
    }
    return true;
}

static bool make_blocks(const dealt_job *w, dealt_poly *p, size_t len)
{
    for (size_t i = 0; i < w->members; i++) {
        const size_t words = block_length(w, len, i) * w->k;
        if (gfp_gpu_array_create(&p->block[i], w->gpus[i], words, NULL) != GFP_OK) {
            return fails(w->b, "member %zu: %s", i, gfp_gpu_last_error(w->gpus[i])->message);
        }
    }
    return true;
}

static void dealt_close(dealt_job *w)
{
    for (size_t i = 0; i < w->members; i++) {
        gfp_gpu_array_destroy(w->x.block[i]);
        gfp_gpu_array_destroy(w->y.block[i]);
        gfp_gpu_array_destroy(w->z.block[i]);
    }
    gfp_gpu_dealt_plan_destroy(w->plan);
    gfp_gpu_product_plan_destroy(w->whole);
    gfp_gpu_dealt_fft_plan_destroy(w->fft);
    gfp_gpu_fft_plan_destroy(w->whole_fft);
}

/* Milliseconds of `count` products; the median of some runs, the first of which warms up. */
static double dealt_time(dealt_job *w, int count)
{
    const int runs = w->len < LONG_TERMS ? RUNS : LONG_RUNS;
    double samples[RUNS];
    for (int i = -1; i < runs; i++) {
        const uint64_t start = clock_ns();
        for (int j = 0; j < count; j++) {
            if (run_dealt(w) != GFP_OK) {
                (void)fails(w->b, "%s", gfp_gpu_last_error(w->gpus[0])->message);
                return 0;
            }
        }
        if (!wait_members(w)) {
            return 0;
        }
        samples[i < 0 ? 0 : i] = (double)(clock_ns() - start) / 1e6 / count;
    }
    return median_of_samples(samples, (size_t)runs);
}

typedef struct dealt_times {
    double one, row;
} dealt_times;

/* Computes and times; `expected` is compared with the result, or with one member becomes it. */
static bool dealt_measure(dealt_job *w, uint64_t *x, uint64_t *y, uint64_t *expected,
                          uint64_t *found, dealt_times *t)
{
    bool ok = make_blocks(w, &w->x, w->len) && make_blocks(w, &w->y, w->len) &&
              make_blocks(w, &w->z, w->len_z) && move_blocks(w, &w->x, x, w->len, true) &&
              move_blocks(w, &w->y, y, w->len, true);
    ok = ok && (plan_dealt(w) == GFP_OK ||
                fails(w->b, "%s, %zu terms, %zu members: %s", gfp_field_name(w->field), w->len,
                      w->members, gfp_gpu_last_error(w->gpus[0])->message));
    ok = ok &&
         (run_dealt(w) == GFP_OK || fails(w->b, "%s", gfp_gpu_last_error(w->gpus[0])->message));
    ok = ok && wait_members(w) &&
         move_blocks(w, &w->z, w->members == 1 ? expected : found, w->len_z, false);
    if (ok && w->members > 1 && memcmp(expected, found, w->len_z * w->k * sizeof *found) != 0) {
        ok = fails(w->b, "%s, %zu terms: the result of %zu members differs",
                   gfp_field_name(w->field), w->len, w->members);
    }
    if (ok) {
        t->one = dealt_time(w, 1);
        t->row = w->len < LONG_TERMS ? dealt_time(w, IN_A_ROW) : t->one;
    }
    dealt_close(w);
    return ok;
}

static void print_dealt(const bench *b, const dealt_row *row, size_t members, const dealt_times *t,
                        const dealt_times *first)
{
    if (b->points != NULL && !row->transform) {
        print_point(b->points, "gpus", row->field, row->len, members, t->one / 1e3);
        printf(" # in a row %.7g\n", t->row / 1e3);
    } else {
        printf("%s| %s | %zu%s | %zu | %.3f | %.2f | %.3f | %.2f |\n",
               b->points != NULL ? "# " : "", row->field, row->len, row->transform ? ", DFT" : "",
               members, t->one, first->one / t->one, t->row, first->row / t->row);
    }
    (void)fflush(stdout);
}

static void bench_row(bench *b, const dealt_row *row, gfp_gpu **gpus, size_t count)
{
    gfp_field *field = NULL;
    gfp_random g;
    if (gfp_field_create(&field, row->field, NULL, NULL) != GFP_OK) {
        (void)fails(b, "%s", row->field);
        return;
    }
    const size_t k = gfp_field_k(field), n = row->len, bytes = n * k * sizeof(uint64_t);
    uint64_t *x = malloc(bytes), *y = malloc(bytes), *z = malloc(2 * bytes),
             *found = malloc(2 * bytes);
    if (x == NULL || y == NULL || z == NULL || found == NULL) {
        printf("%s| %s | %zu | host memory is not enough | | | | |\n",
               b->points != NULL ? "# " : "", row->field, n);
    } else {
        gfp_random_seed(&g, JOB_SEED);
        gfp_vec_random(field, x, n, &g);
        gfp_vec_random(field, y, n, &g);
        dealt_times first = {0, 0}, t = {0, 0};
        for (size_t members = 1; members <= count; members++) {
            dealt_job w = {.b = b,
                           .field = field,
                           .gpus = gpus,
                           .members = members,
                           .k = k,
                           .len = n,
                           .len_z = row->transform ? n : 2 * n - 1,
                           .transform = row->transform};
            if (!dealt_measure(&w, x, y, z, found, &t)) {
                break;
            }
            first = members == 1 ? t : first;
            print_dealt(b, row, members, &t, &first);
        }
    }
    free(x);
    free(y);
    free(z);
    free(found);
    gfp_field_destroy(field);
}

static void begin_lines(bench *b, gfp_gpu **gpus, size_t count)
{
    gfp_gpu_info info;
    if (b->points == NULL) {
        printf("\n## Products and transforms dealt over devices\n\n"
               "Milliseconds of one call with a wait after it, and of each of %d in a row; how "
               "many times as fast as one device.\n\n"
               "| field | terms | devices | ms | times | in a row | times "
               "|\n|---|---|---|---|---|---|---|\n",
               IN_A_ROW);
    } else if (count > 0 && succeeds(b, gfp_gpu_get_info(&info, gpus[0], NULL), "device")) {
        print_points_machine(b->points, count, count * info.memory_total);
    }
}

size_t open_devices(gfp_gpu **gpus)
{
    size_t count = 0;
    while (count < GFP_GPU_MOST_MEMBERS &&
           gfp_gpu_create(&gpus[count], NULL, &(gfp_options){.gpu_device = (unsigned)count}) ==
               GFP_OK) {
        count++;
    }
    return count;
}

void close_devices(gfp_gpu **gpus, size_t count)
{
    while (count > 0) {
        gfp_gpu_destroy(gpus[--count]);
    }
}

void bench_dealt(bench *b)
{
    gfp_gpu *gpus[GFP_GPU_MOST_MEMBERS];
    const size_t count = open_devices(gpus);
    begin_lines(b, gpus, count);
    for (size_t i = 0; i < COUNT(rows) && !b->failed; i++) {
        if (wanted(b, rows[i].field, 16 * rows[i].len)) {
            bench_row(b, &rows[i], gpus, count);
        }
    }
    close_devices(gpus, count);
}
