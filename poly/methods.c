/* methods.c: the rows of the method table, their cost estimates from the compiled-in measurements,
 * and the chooser: the available row of least estimate.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crt.h"
#include "methods.h"
#include "support.h"

/* ---- estimates ---- */

enum { CLASSICAL, KARATSUBA, BIGFFT, MULTIMODULAR, FLINT, METHODS };

/* A row: k, log2 of the length, and per method the nanoseconds of a product of two polynomials of
 * that length; 0: not measured. Rows of one k are adjacent, both columns ascending. */
enum { COLUMN_K, COLUMN_LOG2_LEN, COLUMN_NS, COLUMNS = COLUMN_NS + METHODS };
static const double costs[][COLUMNS] = {
#include "cost_table.inc"
};
static const size_t cost_count = sizeof costs / sizeof costs[0];

/* How time grows with the length where nothing was measured: n^2, n^log2(3), n log n (m = log2 n),
 * as log2 of the time, up to a constant. */
static double growth(int method, double m)
{
    switch (method) {
    case CLASSICAL:
        return 2 * m;
    case KARATSUBA:
        return 1.585 * m;
    default:
        return m + log2(m + 2);
    }
}

/* log2 of the time at length 2^m for a k of the table: between two measured lengths on a straight
 * line, outside of them by the law of growth. */
static double log2_cost(int method, unsigned k, double m)
{
    const double *below = NULL, *above = NULL;
    size_t ns = COLUMN_NS + (size_t)method;
    for (size_t i = 0; i < cost_count && above == NULL; i++) {
        const double *row = costs[i];
        if (row[COLUMN_K] != k || !(row[ns] > 0)) {
            continue;
        }
        if (row[COLUMN_LOG2_LEN] <= m) {
            below = row;
        } else {
            above = row;
        }
    }
    if (below == NULL && above == NULL) {
        return HUGE_VAL;
    }
    if (below == NULL || above == NULL) {
        const double *known = below == NULL ? above : below;
        double from = growth(method, known[COLUMN_LOG2_LEN]);
        return log2(known[ns]) + growth(method, m) - from;
    }
    double step = above[COLUMN_LOG2_LEN] - below[COLUMN_LOG2_LEN];
    double t = (m - below[COLUMN_LOG2_LEN]) / step;
    return (1 - t) * log2(below[ns]) + t * log2(above[ns]);
}

/* Nanoseconds for two polynomials of length len. k = 256 continues the step from 64 to 128. */
static double balanced_cost(int method, unsigned k, double len)
{
    double m = log2(len);
    if (k <= 128) {
        return exp2(log2_cost(method, k, m));
    }
    return exp2(2 * log2_cost(method, 128, m) - log2_cost(method, 64, m));
}

/* len_a len_b products: as for two of the geometric mean. */
static double classical_ns(const gfp_field *field, size_t len_a, size_t len_b)
{
    double len = sqrt((double)len_a * (double)len_b);
    return balanced_cost(CLASSICAL, gfp_field_k(field), len);
}

/* So many blocks of the shorter length. */
static double karatsuba_ns(const gfp_field *field, size_t len_a, size_t len_b)
{
    double shorter = (double)(len_a < len_b ? len_a : len_b);
    double longer = (double)(len_a < len_b ? len_b : len_a);
    return longer / shorter * balanced_cost(KARATSUBA, gfp_field_k(field), shorter);
}

/* The transform length alone matters; the table's lengths 2^m have N = 2^(m+1). */
static double bigfft_ns(const gfp_field *field, size_t len_a, size_t len_b)
{
    double n = (double)gfp_bigfft_length(len_a, len_b);
    return n == 0 ? HUGE_VAL : balanced_cost(BIGFFT, gfp_field_k(field), n / 2);
}

/* The length of the product matters: as for two of the arithmetic mean. */
static double multimodular_ns(const gfp_field *field, size_t len_a, size_t len_b)
{
    double len = ((double)len_a + (double)len_b) / 2;
    return balanced_cost(MULTIMODULAR, gfp_field_k(field), len);
}

static double flint_ns(const gfp_field *field, size_t len_a, size_t len_b)
{
    double len = ((double)len_a + (double)len_b) / 2;
    return balanced_cost(FLINT, gfp_field_k(field), len);
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

static const gfp_method rows[METHODS] = {
    [CLASSICAL] = {"classical", "digits", always, classical_ns, nothing, nothing,
                   gfp_classical_execute},
    [KARATSUBA] = {"karatsuba", "digits", always, karatsuba_ns, gfp_karatsuba_block,
                   karatsuba_bytes, gfp_karatsuba_execute},
    [BIGFFT] = {"bigfft", "digits", gfp_bigfft_available, bigfft_ns, gfp_bigfft_block,
                gfp_bigfft_bytes, gfp_bigfft_execute},
    [MULTIMODULAR] = {"multimodular", "crt", flint_available, multimodular_ns, nothing,
                      gfp_crt_multimodular_bytes, multimodular_execute},
    [FLINT] = {"flint", "flint", flint_available, flint_ns, nothing, gfp_crt_flint_bytes,
               flint_execute},
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

const gfp_method *gfp_method_cheapest(const gfp_field *field, size_t len_a, size_t len_b,
                                      const char *other_than_family, const gfp_method *other_than)
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
        double ns = row->estimate_ns(field, len_a, len_b);
        if (best == NULL || ns < least) {
            best = row;
            least = ns;
        }
    }
    return best;
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

gfp_status gfp_method_query(const gfp_field *field, size_t len_a, size_t len_b, size_t index,
                            gfp_method_info *info)
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
        info->estimate_ns = row->estimate_ns(field, len_a, len_b);
    }
    info->workspace = row->bytes(field, len_a, len_b);
    return GFP_OK;
}

const char *gfp_method_pick(const gfp_field *field, size_t len_a, size_t len_b)
{
    len_a = len_a == 0 ? 1 : len_a;
    len_b = len_b == 0 ? 1 : len_b;
    const gfp_method *row = gfp_method_cheapest(field, len_a, len_b, NULL, NULL);
    return row->name; /* classical can always serve */
}
