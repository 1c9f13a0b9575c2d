/* methods.c: the rows of the method table, and their cost estimates from measured times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attachment.h"
#include "crt.h"
#include "gpu_methods.h"
#include "kernels.h"
#include "methods.h"
#include "operand_engine.h"
#include "parallel.h"
#include "support.h"
#include "tuning.h"
#include "work.h"

/* ---- estimates ---- */

enum {
    CLASSICAL,
    KARATSUBA,
    BIGFFT,
    MULTIMODULAR,
    FLINT,
    HYBRID,
    CRT,
    BIGFFT_GPU,
    HYBRID_GPU,
    MULTIMODULAR_GPU,
    METHODS
};

_Static_assert(METHODS <= GFP_COST_COLUMNS, "a row of costs has room for every method");

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

/* Of methods on integers: the shortest transforms, and the way from digits and back, take as long
 * for factors that are shorter than 4. */
static double growth_integers(double m)
{
    return growth_fft(fmax(m, 2));
}

/* Each coefficient of the result costs something beside its products, which shows where these are
 * few: as products of two factors of length m with as many products per coefficient, d = m^2 / (2 m
 * - 1), and as many coefficients. */
static double classical_balanced(size_t len_a, size_t len_b, double *len)
{
    const double a = (double)len_a, b = (double)len_b, d = a * b / (a + b - 1);
    *len = d + sqrt(d * fmax(d - 1, 0));
    return (a + b - 1) / (2 * *len - 1);
}

/* So many blocks of the shorter length. */
static double karatsuba_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = (double)(len_a < len_b ? len_a : len_b);
    return (double)(len_a < len_b ? len_b : len_a) / *len;
}

/* The transform length N alone matters; two factors of length 2^m have N = 2^(m+1). */
static double bigfft_balanced(size_t len_a, size_t len_b, double *len)
{
    double n = (double)gfp_bigfft_length(len_a, len_b);
    *len = n > 1 ? n / 2 : n == 1 ? 1 : HUGE_VAL;
    return 1;
}

/* The length of the product matters: as for two of the arithmetic mean. */
static double sum_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = ((double)len_a + (double)len_b) / 2;
    return 1;
}

/* The table that the row's times over a field come from: generic kernels are portable ones. */
static gfp_level cost_level(const gfp_field *field, size_t index, bool generic)
{
    if (index == HYBRID) {
        return gfp_crt_hybrid_level(field);
    }
    if (index == CRT) {
        return gfp_crt_native_level(field);
    }
    return generic ? GFP_LEVEL_PORTABLE : gfp_field_level(field);
}

/* The compiled-in tables were measured on fields that fast kernels serve, with digits of about 64
 * bits. On the generic kernels transforms of digits cost 4 times as much (2 to 5 times, measured),
 * products without transforms 1.4 times (1.1 to 1.5); the other methods see integers, and their
 * curve is that of the k whose elements have as many bits: half of that of k = 2 for one word. */
static double builtin_log2_cost(const gfp_field *field, size_t index, double m)
{
    const gfp_method *row = gfp_method_row(index);
    if (gfp_method_on_device(row)) {
        return gfp_device_log2_cost(row->device, field, m, false);
    }
    const bool generic = gfp_field_kernels(field) == &gfp_kernels_generic;
    const gfp_level level = cost_level(field, index, generic);
    const double slower = !generic ? 0 : index == CLASSICAL || index == KARATSUBA ? 0.5 : 2;
    if (index == HYBRID || strcmp(row->family, "digits") == 0) {
        return slower + gfp_cost_log2_builtin(level, gfp_field_k(field), index, row->growth, m);
    }
    unsigned k = 2;
    while (64 * k < gfp_field_bits(field)) {
        k *= 2;
    }
    return gfp_cost_log2_builtin(level, k, index, row->growth, m) -
           (gfp_field_bits(field) <= 64 ? 1 : 0);
}

static double follow_builtin(const gfp_shape *shape, double m)
{
    return builtin_log2_cost(shape->field, shape->method, m);
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
        cost = builtin_log2_cost(field, index, m);
    }
    return times * exp2(cost);
}

bool gfp_method_is_measured(const gfp_tuning *tuning, size_t index, const gfp_field *field)
{
    const gfp_shape shape = {.value = follow_builtin, .field = field, .method = index};
    return gfp_tuning_log2_cost(tuning, &shape, 0) < HUGE_VAL;
}

/* ---- rows ---- */

static bool always(const gfp_field *field, size_t len_a, size_t len_b, char *why, size_t size)
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

static size_t no_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    (void)threads;
    return 0;
}

static size_t flint_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    (void)threads;
    return gfp_crt_flint_bytes(field, len_a, len_b);
}

static size_t nothing(const gfp_field *field, size_t len_a, size_t len_b)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    return 0;
}

static gfp_status fill_error(gfp_status status, const char *method, gfp_error *error)
{
    if (status != GFP_OK && status != GFP_ERR_CANCELLED) {
        gfp_error_set(error, status, "%s: %s", method, gfp_status_string(status));
    }
    return status;
}

static gfp_status multimodular_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                       size_t len_a, const uint64_t *b, size_t len_b,
                                       uint64_t *work, gfp_task *task, gfp_error *error)
{
    (void)work;
    return fill_error(gfp_crt_mul_multimodular(field, c, a, len_a, b, len_b, task), "multimodular",
                      error);
}

static gfp_status flint_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                gfp_task *task, gfp_error *error)
{
    (void)work;
    return fill_error(gfp_crt_mul_flint(field, c, a, len_a, b, len_b, task), "flint", error);
}

static gfp_status hybrid_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_task *task, gfp_error *error)
{
    (void)work;
    return fill_error(gfp_crt_mul_hybrid(field, c, a, len_a, b, len_b, task), "hybrid", error);
}

static gfp_status crt_execute(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, uint64_t *work, gfp_task *task,
                              gfp_error *error)
{
    (void)work;
    return fill_error(gfp_crt_mul_native(field, c, a, len_a, b, len_b, task), "crt", error);
}

/* ---- rows on a device ---- */

static gfp_device_work whole_product(const gfp_field *field, gfp_gpu_method method, uint64_t *c,
                                     const uint64_t *a, size_t len_a, const uint64_t *b,
                                     size_t len_b)
{
    return (gfp_device_work){.method = method,
                             .field = field,
                             .c = c,
                             .a = a,
                             .b = b,
                             .len_a = len_a,
                             .len_b = len_b,
                             .n = gfp_size_add_sat(len_a, len_b) - 1,
                             .count = 1,
                             .stride_a = len_a,
                             .stride_b = len_b,
                             .stride_c = gfp_size_add_sat(len_a, len_b) - 1};
}

static size_t device_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    (void)threads;
    const gfp_device_work w =
        whole_product(field, GFP_GPU_METHOD_AUTO, NULL, NULL, len_a, NULL, len_b);
    return gfp_device_bytes(&w);
}

static gfp_status bigfft_gpu_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                     size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                     gfp_task *task, gfp_error *error)
{
    (void)work;
    const gfp_device_work w = whole_product(field, GFP_GPU_METHOD_BIGFFT, c, a, len_a, b, len_b);
    return gfp_device_run(&w, task, error);
}

static gfp_status hybrid_gpu_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                     size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                     gfp_task *task, gfp_error *error)
{
    (void)work;
    const gfp_device_work w = whole_product(field, GFP_GPU_METHOD_HYBRID, c, a, len_a, b, len_b);
    return gfp_device_run(&w, task, error);
}

static gfp_status multimodular_gpu_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                           size_t len_a, const uint64_t *b, size_t len_b,
                                           uint64_t *work, gfp_task *task, gfp_error *error)
{
    (void)work;
    const gfp_device_work w =
        whole_product(field, GFP_GPU_METHOD_MULTIMODULAR, c, a, len_a, b, len_b);
    return gfp_device_run(&w, task, error);
}

/* Shared parts: a product on 2 threads takes 1 - shared / 2 of its time, see performance-notes.
 * Squares by their product's time: the middle of k = 2 to 128, lengths 4 to 4096. Most lie within
 * 15 % of it; short ones (n <= 16) may gain nothing. */
static const gfp_method rows[METHODS] = {
    [CLASSICAL] = {"classical", "digits", growth_square, always, classical_balanced, nothing,
                   no_bytes, 0.99, 1, NULL, gfp_classical_execute, 1, GFP_GPU_METHOD_AUTO},
    [KARATSUBA] = {"karatsuba", "digits", growth_karatsuba, always, karatsuba_balanced,
                   gfp_karatsuba_block, gfp_karatsuba_bytes, 0.95, 1, NULL, gfp_karatsuba_execute,
                   1, GFP_GPU_METHOD_AUTO},
    [BIGFFT] = {"bigfft", "digits", growth_fft, gfp_bigfft_available, bigfft_balanced,
                gfp_bigfft_block, gfp_bigfft_bytes, 0.97, 0.73, &gfp_operand_bigfft,
                gfp_bigfft_execute, 1, GFP_GPU_METHOD_AUTO},
    [MULTIMODULAR] = {"multimodular", "crt", growth_integers, flint_available, sum_balanced,
                      nothing, gfp_crt_multimodular_bytes, 0.95, 0.88, NULL, multimodular_execute,
                      1, GFP_GPU_METHOD_AUTO},
    [FLINT] = {"flint", "flint", growth_integers, flint_available, sum_balanced, nothing,
               flint_bytes, 0, 0.77, NULL, flint_execute, 1, GFP_GPU_METHOD_AUTO},
    [HYBRID] = {"hybrid", "hybrid", growth_fft, always, sum_balanced, nothing, gfp_crt_hybrid_bytes,
                0.97, 0.8, &gfp_operand_hybrid, hybrid_execute, 1, GFP_GPU_METHOD_AUTO},
    [CRT] = {"crt", "crt", growth_integers, always, sum_balanced, nothing, gfp_crt_native_bytes,
             0.9, 0.82, &gfp_operand_crt, crt_execute, 1, GFP_GPU_METHOD_AUTO},
    /* Threads share the copies to and from page-locked memory: 33 ms on one, 14.5 on 4, 11 on 16.
     */
    [BIGFFT_GPU] = {"bigfft_gpu", "digits", growth_fft, gfp_bigfft_available, bigfft_balanced,
                    nothing, device_bytes, 0.75, 0.73, &gfp_operand_devices, bigfft_gpu_execute, 1,
                    GFP_GPU_METHOD_BIGFFT},
    [HYBRID_GPU] = {"hybrid_gpu", "hybrid", growth_fft, always, sum_balanced, nothing, device_bytes,
                    0.75, 0.75, &gfp_operand_devices, hybrid_gpu_execute, 1, GFP_GPU_METHOD_HYBRID},
    [MULTIMODULAR_GPU] = {"multimodular_gpu", "crt", growth_fft, always, sum_balanced, nothing,
                          device_bytes, 0.75, 0.75, &gfp_operand_devices, multimodular_gpu_execute,
                          1, GFP_GPU_METHOD_MULTIMODULAR},
};

const gfp_method *gfp_method_row(size_t index)
{
    return index < METHODS ? &rows[index] : NULL;
}

const gfp_method *gfp_method_find(const char *name)
{
    for (size_t i = 0; i < METHODS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

size_t gfp_method_bytes(const gfp_method *method, const gfp_field *field, size_t len_a,
                        size_t len_b, gfp_limits *limits, double *factor)
{
    *factor = 1;
    size_t bytes = method->bytes(field, len_a, len_b, limits->threads);
    if (limits->cap == 0 || bytes <= limits->cap) {
        return bytes;
    }
    limits->threads = 1;
    bytes = method->bytes(field, len_a, len_b, 1);
    if (bytes <= limits->cap) {
        return bytes;
    }
    return method == &rows[HYBRID]
               ? gfp_crt_hybrid_bytes_within(field, len_a, len_b, limits->cap, factor)
               : SIZE_MAX;
}

bool gfp_method_serves(const gfp_method *method, const gfp_field *field, size_t len_a, size_t len_b,
                       unsigned device, char *why, size_t size)
{
    return method->available(field, len_a, len_b, why, size) &&
           (!gfp_method_on_device(method) ||
            gfp_device_serves(device, method->device, field, len_a, len_b, why, size));
}

gfp_status gfp_method_run(const gfp_method *method, const gfp_field *field, uint64_t *c,
                          const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                          size_t cap, gfp_task *task, gfp_error *error)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    if (!gfp_method_serves(method, field, len_a, len_b, gfp_task_device(task), why, sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    gfp_limits limits = {cap, gfp_task_threads(task)};
    double factor;
    if (cap != 0 && gfp_method_bytes(method, field, len_a, len_b, &limits, &factor) > cap) {
        const gfp_problem product = {.len_a = len_a, .len_b = len_b, .memory_cap = cap};
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: the product needs %zu bytes of work space, the cap is %zu",
                             method->name, gfp_problem_least_bytes(method, field, &product), cap);
    }
    if (task != NULL) {
        task->threads = limits.threads;
    }
    if (cap != 0 && method->bytes(field, len_a, len_b, limits.threads) > cap) {
        return fill_error(gfp_crt_mul_hybrid_within(field, c, a, len_a, b, len_b, cap, task),
                          method->name, error);
    }
    size_t words = method->block(field, len_a, len_b), bytes = 0;
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%s: the work space does not fit size_t",
                             method->name);
    }
    gfp_work work;
    gfp_status status = gfp_work_take(&work, field, words);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "%s: no memory for %zu bytes of work space",
                             method->name, bytes);
    }
    status = method->execute(field, c, a, len_a, b, len_b, work.words, task, error);
    gfp_work_give(&work, field);
    return status;
}

/* ---- the public view ---- */

size_t gfp_method_count(void)
{
    return METHODS;
}

const char *gfp_method_name(size_t index)
{
    return index < METHODS ? rows[index].name : NULL;
}
