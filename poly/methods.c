/* methods.c: the rows of the method table, their cost estimates from measured times, and the
 * chooser: the available row of least estimate.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attachment.h"
#include "crt.h"
#include "kernels.h"
#include "methods.h"
#include "support.h"
#include "tuning.h"
#include "word.h"

/* ---- estimates ---- */

enum { CLASSICAL, KARATSUBA, BIGFFT, MULTIMODULAR, FLINT, HYBRID, CRT, METHODS };

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

/* len_a len_b products: as for two of the geometric mean. */
static double classical_balanced(size_t len_a, size_t len_b, double *len)
{
    *len = sqrt((double)len_a * (double)len_b);
    return 1;
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
 * bits. Methods on digits cost 4 times as much on the generic kernels (2 to 5 times, measured); the
 * others see integers, and their curve is that of the k whose elements have as many bits. */
static double builtin_log2_cost(const gfp_field *field, size_t index, double m)
{
    const gfp_method *row = gfp_method_row(index);
    const bool generic = gfp_field_kernels(field) == &gfp_kernels_generic;
    const gfp_level level = cost_level(field, index, generic);
    if (index == HYBRID || strcmp(row->family, "digits") == 0) {
        return (generic ? 2 : 0) +
               gfp_cost_log2_builtin(level, gfp_field_k(field), index, row->growth, m);
    }
    unsigned k = 2;
    while (64 * k < gfp_field_bits(field)) {
        k *= 2;
    }
    return gfp_cost_log2_builtin(level, k, index, row->growth, m);
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

static size_t nothing(const gfp_field *field, size_t len_a, size_t len_b)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    return 0;
}

static size_t karatsuba_bytes(const gfp_field *field, size_t len_a, size_t len_b)
{
    return gfp_size_mul_sat(gfp_karatsuba_block(field, len_a, len_b), sizeof(uint64_t));
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

static const gfp_method rows[METHODS] = {
    [CLASSICAL] = {"classical", "digits", 1, growth_square, always, classical_balanced, nothing,
                   nothing, gfp_classical_execute},
    [KARATSUBA] = {"karatsuba", "digits", 1, growth_karatsuba, always, karatsuba_balanced,
                   gfp_karatsuba_block, karatsuba_bytes, gfp_karatsuba_execute},
    [BIGFFT] = {"bigfft", "digits", 1, growth_fft, gfp_bigfft_available, bigfft_balanced,
                gfp_bigfft_block, gfp_bigfft_bytes, gfp_bigfft_execute},
    [MULTIMODULAR] = {"multimodular", "crt", 1, growth_fft, flint_available, sum_balanced, nothing,
                      gfp_crt_multimodular_bytes, multimodular_execute},
    [FLINT] = {"flint", "flint", 1, growth_fft, flint_available, sum_balanced, nothing,
               gfp_crt_flint_bytes, flint_execute},
    [HYBRID] = {"hybrid", "hybrid", 1, growth_fft, always, sum_balanced, nothing,
                gfp_crt_hybrid_bytes, hybrid_execute},
    [CRT] = {"crt", "crt", 1, growth_fft, always, sum_balanced, nothing, gfp_crt_native_bytes,
             crt_execute},
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

const gfp_method *gfp_method_cheapest(const gfp_tuning *tuning, const gfp_field *field,
                                      size_t len_a, size_t len_b, const char *other_than_family,
                                      const gfp_method *other_than)
{
    const gfp_method *best = NULL;
    double least = 0;
    char why[sizeof((gfp_method_info *)0)->reason];
    for (size_t i = 0; i < METHODS; i++) {
        const gfp_method *row = &rows[i];
        if (row == other_than ||
            (other_than_family != NULL && strcmp(row->family, other_than_family) == 0) ||
            !row->available(field, len_a, len_b, why, sizeof why)) {
            continue;
        }
        double ns = gfp_method_estimate(tuning, i, field, len_a, len_b);
        if (best == NULL || ns < least) {
            best = row;
            least = ns;
        }
    }
    return best;
}

/* A note: both lengths, and the pick's index + 1. */
#define NOTE_LENGTH_BITS 28
#define PICKS (GFP_NOTE_HYBRID - GFP_NOTE_PICKS)

const gfp_method *gfp_method_best(const gfp_tuning *tuning, const gfp_field *field, size_t len_a,
                                  size_t len_b)
{
    if (tuning != NULL || len_a >> NOTE_LENGTH_BITS != 0 || len_b >> NOTE_LENGTH_BITS != 0) {
        return gfp_method_cheapest(tuning, field, len_a, len_b, NULL, NULL);
    }
    const uint64_t key = ((uint64_t)len_a << NOTE_LENGTH_BITS | len_b) << 8;
    const size_t place = GFP_NOTE_PICKS + (size_t)(gfp_mix64(key) % PICKS);
    const uint64_t note = gfp_field_note(field, place);
    if (note >> 8 == key >> 8 && note != 0) {
        return &rows[(note & 0xff) - 1];
    }
    const gfp_method *row = gfp_method_cheapest(NULL, field, len_a, len_b, NULL, NULL);
    gfp_field_set_note(field, place, key | (uint64_t)(row - rows + 1));
    return row;
}

gfp_status gfp_method_run(const gfp_method *method, const gfp_field *field, uint64_t *c,
                          const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                          gfp_task *task, gfp_error *error)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    if (!method->available(field, len_a, len_b, why, sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    size_t words = method->block(field, len_a, len_b), bytes = 0;
    if (!gfp_size_mul(&bytes, words, sizeof(uint64_t))) {
        return gfp_error_set(error, GFP_ERR_SIZE, "%s: the work space does not fit size_t",
                             method->name);
    }
    const gfp_allocator *allocator = gfp_field_allocator(field);
    uint64_t *work = NULL;
    if (words > 0) {
        work = gfp_allocate(allocator, words, sizeof(uint64_t));
        if (work == NULL) {
            return gfp_error_set(error, GFP_ERR_MEMORY, "%s: no memory for %zu bytes of work space",
                                 method->name, bytes);
        }
    }
    gfp_status status = method->execute(field, c, a, len_a, b, len_b, work, task, error);
    gfp_release(allocator, work, words, sizeof(uint64_t));
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

gfp_status gfp_method_query_with(const gfp_tuning *tuning, const gfp_field *field, size_t len_a,
                                 size_t len_b, size_t index, gfp_method_info *info)
{
    if (index >= METHODS) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_method *row = &rows[index];
    /* A zero polynomial costs nothing; estimates start at one coefficient. */
    len_a = len_a == 0 ? 1 : len_a;
    len_b = len_b == 0 ? 1 : len_b;
    *info = (gfp_method_info){.name = row->name};
    info->available = row->available(field, len_a, len_b, info->reason, sizeof info->reason);
    if (info->available) {
        info->reason[0] = '\0';
        info->estimate_ns = gfp_method_estimate(tuning, index, field, len_a, len_b);
    }
    info->workspace = row->bytes(field, len_a, len_b);
    return GFP_OK;
}

gfp_status gfp_method_query(const gfp_field *field, size_t len_a, size_t len_b, size_t index,
                            gfp_method_info *info)
{
    return gfp_method_query_with(NULL, field, len_a, len_b, index, info);
}

const char *gfp_method_pick_with(const gfp_tuning *tuning, const gfp_field *field, size_t len_a,
                                 size_t len_b)
{
    len_a = len_a == 0 ? 1 : len_a;
    len_b = len_b == 0 ? 1 : len_b;
    const gfp_method *row = gfp_method_best(tuning, field, len_a, len_b);
    return row->name; /* classical can always serve */
}

const char *gfp_method_pick(const gfp_field *field, size_t len_a, size_t len_b)
{
    return gfp_method_pick_with(NULL, field, len_a, len_b);
}
