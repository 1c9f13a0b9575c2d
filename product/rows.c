/* rows.c: the rows of the method table, and their cost estimates from measured times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/base/attachment.h"
#include "product/methods/bigfft.h"
#include "product/choose/choice.h"
#include "product/methods/classical.h"
#include "crt/methods.h"
#include "product/device/methods.h"
#include "product/methods/karatsuba.h"
#include "field/base/kernels.h"
#include "product/methods/kronecker.h"
#include "product/methods/row.h"
#include "product/methods/engine.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "product/choose/tuning.h"

/* ---- estimates ---- */

enum {
    CLASSICAL,
    KARATSUBA,
    BIGFFT,
    MULTIMODULAR,
    FLINT,
    HYBRID,
    CRT,
    KRONECKER,
    DEALT_GPU,
    BIGFFT_GPU,
    HYBRID_GPU,
    MULTIMODULAR_GPU,
    METHODS
};

_Static_assert(METHODS < GFP_COST_COLUMNS, "a row of costs has room for every method");

/* n^2, n^log2(3), n log n for n = 2^m. */
static double growth_square(double m)
{
    return 2 * m;
}

static double growth_karatsuba(double m)
{
    return 1.585 * m;
}

static double growth_fft(double m)
{
    return m + log2(m + 2);
}

/* For methods on integers: factors shorter than 4 take as long as factors of length 4, because of
 * the shortest transforms and the conversions from and to digits. */
static double growth_integers(double m)
{
    return growth_fft(fmax(m, 2));
}

/* A coefficient of the result costs more than its products, which matters if the products are few.
 * So the problem counts as products of two factors of length m that have as many products per
 * coefficient, d = m^2 / (2 m - 1), and as many coefficients. */
static double classical_balanced(size_t len_a, size_t len_b, double *len)
{
    const double a = (double)len_a, b = (double)len_b, d = a * b / (a + b - 1);
    *len = d + sqrt(d * fmax(d - 1, 0));
    return (a + b - 1) / (2 * *len - 1);
}

/* Blocks of the shorter length. */
static double karatsuba_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = (double)(len_a < len_b ? len_a : len_b);
    return (double)(len_a < len_b ? len_b : len_a) / *len;
}

/* The time depends only on the transform length N; two factors of length 2^m have N = 2^(m+1). */
static double bigfft_balanced(size_t len_a, size_t len_b, double *len)
{
    double n = (double)gfp_bigfft_length(len_a, len_b);
    *len = n > 1 ? n / 2 : n == 1 ? 1 : HUGE_VAL;
    return 1;
}

/* The time depends on the length of the product: two factors of the arithmetic mean. */
static double sum_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = ((double)len_a + (double)len_b) / 2;
    return 1;
}

/* The compiled-in tables were measured over fields that fast kernels serve, with digits of about 64
 * bits. With generic kernels transforms of digits cost 4 times as much (2 to 5 times, measured),
 * products without transforms 1.4 times (1.1 to 1.5). */
static double digits_cost(const gfp_method *row, const gfp_field *field, double m, double slower)
{
    const bool generic = gfp_field_kernels(field) == &gfp_kernels_generic;
    const gfp_level level = generic ? GFP_LEVEL_PORTABLE : gfp_field_level(field);
    return (generic ? slower : 0) +
           gfp_cost_log2_builtin(level, gfp_field_k(field), gfp_method_index(row), row->growth, m);
}

static double sums_cost(const gfp_method *row, const gfp_field *field, double m)
{
    return digits_cost(row, field, m, 0.5);
}

static double bigfft_cost(const gfp_method *row, const gfp_field *field, double m)
{
    return digits_cost(row, field, m, 2);
}

/* Generic kernels slow down its outer DFT. */
static double hybrid_cost(const gfp_method *row, const gfp_field *field, double m)
{
    const bool generic = gfp_field_kernels(field) == &gfp_kernels_generic;
    return (generic ? 2 : 0) + gfp_cost_log2_builtin(gfp_hybrid_level(field), gfp_field_k(field),
                                                     gfp_method_index(row), row->growth, m);
}

/* Methods on integers use the curve of the k whose elements have as many bits; for one word, half
 * of the curve of k = 2. */
static double bits_cost(const gfp_method *row, const gfp_field *field, double m, gfp_level level)
{
    unsigned k = 2;
    while (64 * k < gfp_field_bits(field)) {
        k *= 2;
    }
    return gfp_cost_log2_builtin(level, k, gfp_method_index(row), row->growth, m) -
           (gfp_field_bits(field) <= 64 ? 1 : 0);
}

static double integers_cost(const gfp_method *row, const gfp_field *field, double m)
{
    const bool generic = gfp_field_kernels(field) == &gfp_kernels_generic;
    return bits_cost(row, field, m, generic ? GFP_LEVEL_PORTABLE : gfp_field_level(field));
}

static double crt_cost(const gfp_method *row, const gfp_field *field, double m)
{
    return bits_cost(row, field, m, gfp_crt_native_level(field));
}

static double device_cost(const gfp_method *row, const gfp_field *field, double m)
{
    return gfp_device_log2_cost(row->device, field, m, false);
}

static double follow_builtin(const gfp_shape *shape, double m)
{
    const gfp_method *row = gfp_method_row(shape->method);
    return row->log2_cost(row, shape->field, m);
}

double gfp_method_estimate(const gfp_tuning *tuning, size_t index, const gfp_field *field,
                           size_t len_a, size_t len_b)
{
    const gfp_method *row = gfp_method_row(index);
    double len;
    double times = row->balanced(len_a, len_b, &len);
    double cost = HUGE_VAL;
    if (!(len < HUGE_VAL)) {
        return HUGE_VAL;
    }
    double m = log2(len);
    if (tuning != NULL) {
        const gfp_shape shape = {.value = follow_builtin, .field = field, .method = index};
        cost = gfp_tuning_log2_cost(tuning, &shape, m);
    }
    if (!(cost < HUGE_VAL)) {
        cost = row->log2_cost(row, field, m);
    }
    return times * exp2(cost);
}

bool gfp_method_is_measured(const gfp_tuning *tuning, size_t index, const gfp_field *field)
{
    const gfp_shape shape = {.value = follow_builtin, .field = field, .method = index};
    return gfp_tuning_log2_cost(tuning, &shape, 0) < HUGE_VAL;
}

/* ---- rows ---- */

static bool rows_always(const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    (void)why;
    (void)size;
    return true;
}

static bool flint_available(const gfp_field *field, size_t len_a, size_t len_b, char *why,
                            size_t size)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    const char *problem = gfp_crt_flint_problem();
    if (problem[0] == '\0') {
        return true;
    }
    snprintf(why, size, "%s", problem);
    return false;
}

static gfp_status fill_error(gfp_status status, const char *method, gfp_error *error)
{
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        gfp_error_set(error, status, "%s: %s", method, gfp_status_string(status));
    }
    return status;
}

/* For rows that compute whole products only. */
static bool plan_whole(gfp_plan *plan, size_t beyond)
{
    plan->needs =
        (gfp_needs){.end = gfp_range_product_length(&plan->range), .beyond = beyond, .share = 1};
    plan->state_bytes = 0;
    return true;
}

static bool multimodular_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    return plan_whole(
        plan, gfp_crt_multimodular_bytes(r->field, r->len_a, r->len_b, plan->limits.threads));
}

static gfp_status multimodular_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                                   uint64_t *work, gfp_task *task, gfp_error *error)
{
    (void)work;
    return fill_error(gfp_crt_mul_multimodular(range->field, c, range->a, range->len_a, range->b,
                                               range->len_b, task),
                      plan->method->name, error);
}

static bool flint_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    return plan_whole(plan, gfp_crt_flint_bytes(r->field, r->len_a, r->len_b));
}

static gfp_status flint_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    (void)work;
    return fill_error(
        gfp_crt_mul_flint(range->field, c, range->a, range->len_a, range->b, range->len_b, task),
        plan->method->name, error);
}

static bool hybrid_plan(gfp_plan *plan)
{
    const bool planned =
        gfp_hybrid_product_plan(&plan->state.hybrid, &plan->needs, &plan->range, &plan->limits);
    if (plan->state.hybrid.way != GFP_HYBRID_LONG) {
        plan->state_bytes = offsetof(gfp_hybrid_product, by_short);
    }
    return planned;
}

static gfp_status hybrid_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error)
{
    return fill_error(gfp_hybrid_product_run(&plan->state.hybrid, range, c, work, task),
                      plan->method->name, error);
}

static void hybrid_describe(const gfp_plan *plan, gfp_text *text)
{
    gfp_hybrid_product_describe(&plan->state.hybrid, &plan->range, text);
}

static void crt_describe(const gfp_plan *plan, gfp_text *text)
{
    gfp_native_product_describe(&plan->state.native, &plan->range, text);
}

static void multimodular_describe(const gfp_plan *plan, gfp_text *text)
{
    const gfp_range *r = &plan->range;
    gfp_text_line(text, "primes", "%zu", gfp_crt_prime_count(r->field, r->len_a, r->len_b));
}

static bool crt_plan(gfp_plan *plan)
{
    return gfp_native_product_plan(&plan->state.native, &plan->needs, &plan->range, &plan->limits,
                                   GFP_NATIVE_MAX_LOG2_ORDER);
}

static gfp_status crt_prepare(gfp_plan *plan, gfp_task *task, gfp_error *error)
{
    (void)task;
    return fill_error(gfp_native_product_prepare(&plan->state.native, &plan->needs, &plan->range),
                      plan->method->name, error);
}

static gfp_status crt_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c, uint64_t *work,
                          gfp_task *task, gfp_error *error)
{
    (void)error;
    return gfp_native_product_run(&plan->state.native, range, c, work, task);
}

/* ---- rows on a device ---- */

static unsigned plan_members(const gfp_plan *plan)
{
    return plan->method->one_device != NULL && plan->limits.devices > 1 ? plan->limits.devices : 1;
}

static gfp_device_work device_work(const gfp_plan *plan, const gfp_range *r, uint64_t *c)
{
    const size_t n = plan->needs.end - plan->needs.first;
    return (gfp_device_work){.name = plan->method->name,
                             .method = plan->method->device,
                             .members = plan_members(plan),
                             .field = r->field,
                             .c = c,
                             .a = r->a,
                             .b = r->b,
                             .len_a = r->len_a,
                             .len_b = r->len_b,
                             .first = plan->needs.first,
                             .n = n,
                             .count = 1,
                             .stride_a = r->len_a,
                             .stride_b = r->len_b,
                             .stride_c = n};
}

/* The transforms have the shortest length at which no coefficient wraps around into the range;
 * transfers take the bytes that cross the bus. The share is the larger of both shares, each by its
 * own law. Dealt products are computed as a whole. */
static bool device_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    const size_t all = gfp_range_product_length(r);
    const size_t n = gfp_range_ring_length(r);
    const double factors = (double)r->len_a + (double)r->len_b;
    plan->needs = (gfp_needs){.first = r->first, .end = r->end, .share = 1};
    if (!gfp_range_is_whole(r) && plan->method->one_device == NULL) {
        plan->needs.share = fmax((double)n / (double)all,
                                 (factors + (double)(r->end - r->first)) / (factors + (double)all));
    }
    const gfp_device_work w = device_work(plan, r, NULL);
    plan->needs.beyond = gfp_device_bytes(&w);
    plan->state_bytes = 0;
    return true;
}

static gfp_status device_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_device_work w = device_work(plan, range, c);
    (void)work;
    return gfp_device_run(&w, task, error);
}

static gfp_status device_run_batch(const gfp_plan *plan, const gfp_batch *batch, uint64_t *c,
                                   const uint64_t *a, const uint64_t *b, gfp_task *task,
                                   gfp_error *error)
{
    gfp_device_work w = {.name = plan->method->name,
                         .method = plan->method->device,
                         .members = plan_members(plan),
                         .field = plan->range.field,
                         .c = c,
                         .a = a,
                         .b = b,
                         .len_a = batch->len_a,
                         .len_b = batch->len_b,
                         .n = batch->len_a + batch->len_b - 1,
                         .count = batch->count};
    w.stride_a = batch->stride_a;
    w.stride_b = batch->stride_b;
    w.stride_c = batch->stride_c;
    const size_t cap = plan->limits.cap, bytes = gfp_device_bytes(&w);
    if (cap != 0 && bytes > cap) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: the batch needs %zu bytes of work space, the cap is %zu",
                             plan->method->name, bytes, cap);
    }
    return gfp_device_run(&w, task, error);
}

/* shared: a product on 2 threads takes 1 - shared / 2 of its time, see docs/results.md. square: the
 * middle of k = 2 to 128, lengths 4 to 4096; most lie within 15 % of it; short ones (n <= 16) may
 * gain nothing. */
static const gfp_method rows[METHODS] = {
    [CLASSICAL] = {.name = "classical",
                   .family = "digits",
                   .algorithm = "classical",
                   .growth = growth_square,
                   .available = rows_always,
                   .balanced = classical_balanced,
                   .log2_cost = sums_cost,
                   .plan = gfp_classical_plan,
                   .run = gfp_classical_run,
                   .side_by_side = true,
                   .shared = 0.99,
                   .square = 1,
                   .revision = 1},
    [KARATSUBA] = {.name = "karatsuba",
                   .family = "digits",
                   .algorithm = "classical",
                   .growth = growth_karatsuba,
                   .available = rows_always,
                   .balanced = karatsuba_balanced,
                   .log2_cost = sums_cost,
                   .plan = gfp_karatsuba_plan,
                   .run = gfp_karatsuba_run,
                   .side_by_side = true,
                   .shared = 0.95,
                   .square = 1,
                   .revision = 1},
    [BIGFFT] = {.name = "bigfft",
                .family = "digits",
                .algorithm = "big-prime FFT",
                .growth = growth_fft,
                .available = gfp_bigfft_available,
                .balanced = bigfft_balanced,
                .log2_cost = bigfft_cost,
                .plan = gfp_bigfft_plan,
                .prepare = gfp_bigfft_prepare,
                .finish = gfp_bigfft_finish,
                .run = gfp_bigfft_run,
                .describe = gfp_bigfft_describe,
                .side_by_side = true,
                .shared = 0.97,
                .square = 0.73,
                .operands = &gfp_bigfft_rings,
                .revision = 1},
    [MULTIMODULAR] = {.name = "multimodular",
                      .family = "crt",
                      .algorithm = "FLINT's CRT",
                      .growth = growth_integers,
                      .available = flint_available,
                      .balanced = sum_balanced,
                      .log2_cost = integers_cost,
                      .plan = multimodular_plan,
                      .run = multimodular_run,
                      .describe = multimodular_describe,
                      .shared = 0.95,
                      .square = 0.88,
                      .revision = 1},
    [FLINT] = {.name = "flint",
               .family = "flint",
               .algorithm = "FLINT",
               .growth = growth_integers,
               .available = flint_available,
               .balanced = sum_balanced,
               .log2_cost = integers_cost,
               .plan = flint_plan,
               .run = flint_run,
               .shared = 0,
               .square = 0.77,
               .revision = 1},
    [HYBRID] = {.name = "hybrid",
                .family = "hybrid",
                .algorithm = "hybrid",
                .growth = growth_fft,
                .available = rows_always,
                .balanced = sum_balanced,
                .log2_cost = hybrid_cost,
                .plan = hybrid_plan,
                .run = hybrid_run,
                .describe = hybrid_describe,
                .side_by_side = true,
                .shared = 0.97,
                .square = 0.8,
                .operands = &gfp_hybrid_rings,
                .revision = 1},
    [CRT] = {.name = "crt",
             .family = "crt",
             .algorithm = "own CRT",
             .growth = growth_integers,
             .available = rows_always,
             .balanced = sum_balanced,
             .log2_cost = crt_cost,
             .plan = crt_plan,
             .prepare = crt_prepare,
             .run = crt_run,
             .describe = crt_describe,
             .side_by_side = true,
             .shared = 0.9,
             .square = 0.82,
             .operands = &gfp_native_rings,
             .revision = 1},
    /* FLINT, too, multiplies polynomials by Kronecker's substitution. */
    [KRONECKER] = {.name = "kronecker",
                   .family = "flint",
                   .algorithm = "Kronecker",
                   .growth = growth_integers,
                   .available = rows_always,
                   .balanced = sum_balanced,
                   .log2_cost = gfp_kronecker_log2_cost,
                   .short_ns = gfp_kronecker_short_ns,
                   .plan = gfp_kronecker_plan,
                   .run = gfp_kronecker_run,
                   .describe = gfp_kronecker_describe,
                   .side_by_side = true,
                   .shared = 0,
                   .square = 0.8,
                   .revision = 1},
    /* A product by leaves (gpu/dealt), or in parts by the methods of one device. */
    [DEALT_GPU] = {.name = "dealt_gpu",
                   .family = "hybrid",
                   .algorithm = "hybrid",
                   .growth = growth_fft,
                   .available = rows_always,
                   .balanced = sum_balanced,
                   .log2_cost = device_cost,
                   .plan = device_plan,
                   .run = device_run,
                   .run_batch = device_run_batch,
                   .shared = 0.75,
                   .square = 0.75,
                   .revision = 1,
                   .device = GFP_GPU_METHOD_HYBRID,
                   .one_device = &rows[HYBRID_GPU]},
    /* Threads share the copies to and from page-locked memory: 33 ms on one thread, 14.5 on 4, 11
     * on 16. */
    [BIGFFT_GPU] = {.name = "bigfft_gpu",
                    .family = "digits",
                    .algorithm = "big-prime FFT",
                    .growth = growth_fft,
                    .available = gfp_bigfft_available,
                    .balanced = bigfft_balanced,
                    .log2_cost = device_cost,
                    .plan = device_plan,
                    .run = device_run,
                    .run_batch = device_run_batch,
                    .shared = 0.75,
                    .square = 0.73,
                    .operands = &gfp_device_rings,
                    .revision = 1,
                    .device = GFP_GPU_METHOD_BIGFFT},
    [HYBRID_GPU] = {.name = "hybrid_gpu",
                    .family = "hybrid",
                    .algorithm = "hybrid",
                    .growth = growth_fft,
                    .available = rows_always,
                    .balanced = sum_balanced,
                    .log2_cost = device_cost,
                    .plan = device_plan,
                    .run = device_run,
                    .run_batch = device_run_batch,
                    .shared = 0.75,
                    .square = 0.75,
                    .operands = &gfp_device_rings,
                    .revision = 1,
                    .device = GFP_GPU_METHOD_HYBRID},
    [MULTIMODULAR_GPU] = {.name = "multimodular_gpu",
                          .family = "crt",
                          .algorithm = "own CRT",
                          .growth = growth_fft,
                          .available = rows_always,
                          .balanced = sum_balanced,
                          .log2_cost = device_cost,
                          .plan = device_plan,
                          .run = device_run,
                          .run_batch = device_run_batch,
                          .shared = 0.75,
                          .square = 0.75,
                          .operands = &gfp_device_rings,
                          .revision = 1,
                          .device = GFP_GPU_METHOD_MULTIMODULAR},
};

/* Rows that a test adds follow the table's own. */
static const gfp_method *added[GFP_COST_COLUMNS - METHODS];

const gfp_method *gfp_method_row(size_t index)
{
    return index < METHODS            ? &rows[index]
           : index < GFP_COST_COLUMNS ? added[index - METHODS]
                                      : NULL;
}

size_t gfp_method_index(const gfp_method *row)
{
    size_t i = 0;
    while (i < GFP_COST_COLUMNS && gfp_method_row(i) != row) {
        i++;
    }
    return i;
}

void gfp_method_add(const gfp_method *row)
{
    const size_t free = gfp_method_index(NULL);
    if (free < GFP_COST_COLUMNS) {
        added[free - METHODS] = row;
    }
}

void gfp_method_remove(const gfp_method *row)
{
    const size_t index = gfp_method_index(row);
    if (index >= METHODS && index < GFP_COST_COLUMNS) {
        added[index - METHODS] = NULL;
    }
}

const gfp_method *gfp_method_find(const char *name)
{
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_row(i)->name, name) == 0) {
            return gfp_method_row(i);
        }
    }
    return NULL;
}

/* Whether there are several devices, and each serves. */
static bool devices_serve(const gfp_method *method, const gfp_field *field, size_t len_a,
                          size_t len_b, unsigned device, unsigned members, char *why, size_t size)
{
    char reason[sizeof((gfp_method_info *)0)->reason];
    for (unsigned i = 0; i < members && members <= GFP_GPU_MOST_MEMBERS; i++) {
        if (!gfp_device_serves(device + i, method->device, field, len_a, len_b, reason,
                               sizeof reason)) {
            (void)(members > 1 ? snprintf(why, size, "device %u: %.140s", device + i, reason)
                               : snprintf(why, size, "%.159s", reason));
            return false;
        }
    }
    if (members < 2 || members > GFP_GPU_MOST_MEMBERS) {
        (void)snprintf(why, size, "it deals products over 2 to %d GPUs, and is to use %u",
                       GFP_GPU_MOST_MEMBERS, members);
        return false;
    }
    return true;
}

bool gfp_method_serves(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                       unsigned device, unsigned members, char *why, size_t size)
{
    return method->available(field, len_a, len_b, why, size) &&
           (!gfp_method_on_device(method) ? true
            : method->one_device != NULL
                ? devices_serve(method, field, len_a, len_b, device, members, why, size)
                : gfp_device_serves(device, method->device, field, len_a, len_b, why, size));
}

gfp_status gfp_plan_refuse(const gfp_plan *plan, gfp_error *error)
{
    const gfp_range *r = &plan->range;
    const char *name = plan->method->name;
    const size_t cap = plan->limits.cap;
    if (cap == 0) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%s: memory cannot hold such lengths", name);
    }
    if (!gfp_range_is_whole(r)) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: no blocks of this part of a product fit a cap of %zu bytes", name,
                             cap);
    }
    const gfp_problem product = {.len_a = r->len_a, .len_b = r->len_b};
    const gfp_options options = {.memory_cap = cap, .gpu_count = plan->limits.devices};
    const gfp_request q = gfp_request_make(&product, r->field, &options);
    return gfp_error_set(error, GFP_ERR_MEMORY,
                         "%s: the product needs %zu bytes of work space, the cap is %zu", name,
                         gfp_request_least_bytes(&q, plan->method), cap);
}

gfp_status gfp_range_run(const gfp_method *method, const gfp_range *range, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error)
{
    const unsigned devices = gfp_task_devices(task);
    const gfp_limits limits = {.cap = cap, .threads = gfp_task_threads(task), .devices = devices};
    gfp_range trimmed = *range;
    char why[sizeof((gfp_method_info *)0)->reason];
    gfp_plan plan;
    if (!gfp_method_serves(method, range->field, range->len_a, range->len_b, gfp_task_device(task),
                           devices, why, sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    gfp_range_trim(&trimmed);
    return gfp_plan_make(&plan, method, &trimmed, &limits)
               ? gfp_plan_run(&plan, &trimmed, c, task, error)
               : gfp_plan_refuse(&plan, error);
}

/* ---- the public view ---- */

size_t gfp_method_count(void)
{
    return gfp_method_index(NULL);
}

const char *gfp_method_name(size_t index)
{
    const gfp_method *row = gfp_method_row(index);
    return row != NULL ? row->name : NULL;
}
