/* bench/methods.c: every method's time at each length, its ratio to flint's, and the share of
 * verification; and the chooser's cost table from the same measurements.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/product.h"

static bool run_verification(void *context)
{
    product *p = context;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 1, .error = &p->error};

    return gfp_poly_verify_mul(&p->reference, &p->a, &p->b, &options) == GFP_OK;
}

/* Compares one product by the method, then measures its time. Returns NULL after a message. */
static record *time_method(const settings *s, product *p, const char *method, report *r)
{
    const timed_row f = {.section = "method",
                         .field = gfp_field_name(p->field),
                         .name = method,
                         .len_a = p->len,
                         .len_b = p->len,
                         .error = &p->error};

    p->options.method = method;
    return product_right(p, method) ? take_timed_row(s, r, &f, product_run, p) : NULL;
}

/* Adds one record per method: a time, or a note with the reason why there is none. */
static bool bench_row(const settings *s, product *p, size_t index, double verify_ns, report *r)
{
    gfp_method_info info;
    const gfp_problem problem = {.len_a = p->len, .len_b = p->len};

    if (gfp_method_query(&info, index, &problem, p->field, NULL) != GFP_OK) {
        return false;
    }
    if (info.available && info.estimate_ns <= s->limit * 1e9) {
        record *x = time_method(s, p, info.name, r);
        if (x != NULL) {
            x->verify_share = verify_ns / x->time.min_ns;
        }
        return x != NULL;
    }
    record *x = report_add(r, "method", gfp_field_name(p->field), info.name);
    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = p->len;
    if (info.available) {
        record_note(x, "skipped: estimated %.3g s, limit %.3g s", info.estimate_ns / 1e9, s->limit);
    } else {
        record_note(x, "not available: %s", info.reason);
    }
    return true;
}

static void print_row(const record *x)
{
    if (x->note[0] != '\0') {
        printf("  %-14s %s\n", x->name, x->note);
        return;
    }
    printf("  %-14s", x->name);
    print_timing(&x->time, 1e6);
    if (x->ratio_to_flint > 0) {
        printf(" %9.3f", x->ratio_to_flint);
    } else {
        printf(" %9s", "-");
    }
    printf(" %8.2f %%\n", 100 * x->verify_share);
}

/* Computes ratios to flint's row among the records from `first` on, then prints all rows. */
static void print_rows(report *r, size_t first)
{
    double flint = 0;

    for (size_t i = first; i < r->count; i++) {
        if (strcmp(r->records[i].name, "flint") == 0) {
            flint = r->records[i].time.min_ns;
        }
    }
    printf("  %-14s", "method");
    print_timing_head("ms");
    printf(" %9s %10s\n", "/ flint", "verify");
    for (size_t i = first; i < r->count; i++) {
        r->records[i].ratio_to_flint = flint > 0 ? r->records[i].time.min_ns / flint : 0;
        print_row(&r->records[i]);
    }
}

static bool bench_length(const settings *s, product *p, report *r)
{
    const size_t first = r->count;
    timing verification;

    progress(gfp_field_name(p->field), "verification", p->len);
    if (!measure(&verification, s->seconds, run_verification, p)) {
        return complain("%s, length %zu, verification: %s", gfp_field_name(p->field), p->len,
                        p->error.message);
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (!bench_row(s, p, i, verification.min_ns, r)) {
            return false;
        }
    }
    progress_end();
    const gfp_problem problem = {.len_a = p->len, .len_b = p->len};
    printf("%s, product of two polynomials of length %zu (pick: %s)\n", gfp_field_name(p->field),
           p->len, gfp_method_pick(&problem, p->field, NULL));
    print_rows(r, first);
    return true;
}

bool bench_methods(const settings *s, const gfp_field *field, report *r)
{
    bool ok = true;

    for (size_t i = 0; i < s->length_count && ok; i++) {
        product p;
        ok = product_init(&p, field, s->lengths[i], s->seed);
        if (ok) {
            ok = bench_length(s, &p, r);
            product_clear(&p);
        }
    }
    return ok;
}

/* ---- the cost table ---- */

#define TABLE_METHODS 7

/* Logarithms of lengths, closer where methods change places. */
static const int table_lengths[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16};
#define TABLE_LENGTHS (sizeof(table_lengths) / sizeof(table_lengths[0]))

static const char *const table_methods[TABLE_METHODS] = {
    "classical", "karatsuba", "bigfft", "multimodular", "flint", "hybrid", "crt"};

/* Extrapolates a method's time ns at length 2^from to 2^m: n^2, n^1.585 or n log n. */
static double bench_methods_extrapolate(size_t method, double ns, int from, int m)
{
    switch (method) {
    case 0:
        return ns * exp2(2 * (m - from));
    case 1:
        return ns * exp2(1.585 * (m - from));
    default:
        return ns * exp2(m - from) * (m + 1) / (from + 1);
    }
}

static bool is_available(const gfp_field *field, size_t len, const char *method)
{
    gfp_method_info info = {.available = false};
    const gfp_problem asked = {.len_a = len, .len_b = len};

    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), method) == 0) {
            return gfp_method_query(&info, i, &asked, field, NULL) == GFP_OK && info.available;
        }
    }
    return false;
}

/* Measures the wanted methods and prints their row; last[] := the times. */
static bool measure_row(const settings *s, const gfp_field *field, int m, const bool *wanted,
                        double *last, report *r)
{
    product p;

    if (!product_init(&p, field, (size_t)1 << m, s->seed)) {
        return false;
    }
    bool ok = true;
    char row[200];
    int used = snprintf(row, sizeof(row), "COSTS(%u, %d", gfp_field_k(field), m);
    for (size_t i = 0; i < TABLE_METHODS && ok; i++) {
        const record *x = wanted[i] ? time_method(s, &p, table_methods[i], r) : NULL;
        ok = !wanted[i] || x != NULL;
        last[i] = x != NULL ? x->time.min_ns : last[i];
        used += snprintf(row + used, sizeof(row) - (size_t)used, ", %.0f",
                         x != NULL ? x->time.min_ns : 0);
    }
    product_clear(&p);
    if (ok) {
        printf("%s)\n", row);
        fflush(stdout);
    }
    return ok;
}

/* Measures a row, unless every method would take too long. last[] holds and gets the times at this
 * length; times not measured are extrapolated. */
static bool table_row(const settings *s, const gfp_field *field, size_t row, double *last,
                      report *r)
{
    const int m = table_lengths[row];
    bool wanted[TABLE_METHODS];
    bool any = false;

    for (size_t i = 0; i < TABLE_METHODS; i++) {
        last[i] = row > 0 ? bench_methods_extrapolate(i, last[i], table_lengths[row - 1], m) : 0;
        wanted[i] =
            last[i] <= s->limit * 1e9 && is_available(field, (size_t)1 << m, table_methods[i]);
        any = any || wanted[i];
    }
    return !any || measure_row(s, field, m, wanted, last, r);
}

static bool table_field(const settings *s, const char *name, report *r)
{
    double last[TABLE_METHODS] = {0};
    gfp_field *field;
    gfp_error error;
    bool ok = true;

    if (gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        return complain("%s: %s", name, error.message);
    }
    for (size_t row = 0; row < TABLE_LENGTHS && ok; row++) {
        ok = table_row(s, field, row, last, r);
    }
    gfp_field_destroy(field);
    return ok;
}

bool print_cost_table(const settings *s, report *r)
{
    bool ok = true;

    printf("/* costs_%s.inc: nanoseconds of a product of two random polynomials of 2^log2_len\n"
           " * coefficients, %s kernels, one thread; 0: not measured. Rows as `gfpoly_bench\n"
           " * --cost-table` prints them. SPDX-License-Identifier: LGPL-3.0-or-later */\n"
           "/* k, log2_len, classical, karatsuba, bigfft, multimodular, flint, hybrid, crt */\n",
           gfp_machine_get_info().cpu_level, gfp_machine_get_info().cpu_level);
    for (unsigned k = 2; k <= 128 && ok; k *= 2) {
        char name[8];
        snprintf(name, sizeof(name), "p%u", k);
        ok = table_field(s, name, r);
    }
    return ok;
}
