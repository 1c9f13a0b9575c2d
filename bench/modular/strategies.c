/* bench/modular/strategies.c: products, gcds and resultants over Z by every strategy and by the
 * choice: the first call of a ring, which makes fields and tables, and the least time.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/modular/sections.h"

typedef struct call {
    zoperation operation;
    gfp_zring *ring;
    size_t degree, bits;
    gfp_zvec a, b, c, expected;
    gfp_options options;
    gfp_error error;
    gfp_report report;
} call;

static bool run_call(void *context)
{
    call *w = context;
    return run_operation(w->operation, &w->c, &w->a, &w->b, &w->options) == GFP_OK;
}

/* Bits of a factor so that products of two factors of n such numbers stay below 2^bits. */
static size_t factor_bits(size_t bits, size_t n)
{
    size_t log2_n = 0;
    while (n > (size_t)1 << log2_n) {
        log2_n++;
    }
    return bits > log2_n + 2 ? (bits - log2_n) / 2 : 1;
}

/* One strategy; name NULL: the choice, whose result is the expected one. */
static bool bench_strategy(const settings *s, call *w, const char *name, report *r)
{
    char label[60], field[40];
    timed_row f = {.section = "strategy",
                   .field = field,
                   .name = label,
                   .len_a = w->degree,
                   .len_b = w->degree,
                   .error = &w->error};
    const uint64_t start = measure_clock_ns();
    w->options.method = name;
    const gfp_status status = run_operation(w->operation, &w->c, &w->a, &w->b, &w->options);
    const double first = (double)(measure_clock_ns() - start);
    if (name != NULL && (status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_UNKNOWN ||
                         (status == GFP_OK && strcmp(w->report.method, name) != 0))) {
        return true; /* no primes for these operands, or no method of its own */
    }
    must(status, name != NULL ? name : "auto");
    if (name == NULL) {
        must(gfp_zvec_set(&w->expected, &w->c), "result");
        snprintf(label, sizeof label, "auto: %s", w->report.method);
    } else {
        snprintf(label, sizeof label, "%s", name);
    }
    if (!gfp_zvec_equal(&w->c, &w->expected)) {
        return complain("degree %zu, %zu bits: the result by %s differs", w->degree, w->bits,
                        label);
    }
    if (name != NULL && first > 1e9 * s->limit) {
        return true;
    }
    snprintf(field, sizeof field, "%s, %zu bits", zoperation_names[w->operation], w->bits);
    const record *x = take_timed_row(s, r, &f, run_call, w);
    if (x == NULL) {
        return false;
    }
    printf("  %-30s", label);
    print_timing(&x->time, 1e6);
    printf(" %12.4f\n", 1e-6 * first);
    (void)fflush(stdout);
    record *y = report_add(r, "strategy", field, "");
    if (y != NULL) {
        snprintf(y->name, sizeof y->name, "%s, first call", label);
        y->len_a = y->len_b = w->degree;
        y->time = (timing){.min_ns = first, .median_ns = first, .runs = 1};
    }
    return y != NULL;
}

static bool bench_place(const settings *s, call *w, report *r)
{
    gfp_random g;
    const bool product = w->operation == Z_MUL;
    gfp_random_seed(&g, s->seed + w->degree * 10007 + w->bits);
    draw_pair(&w->a, &w->b, &w->c, w->degree,
              product ? factor_bits(w->bits, w->degree + 1) : w->bits, w->operation == Z_GCD, &g);
    printf("%s of degree %zu, %zu bits\n  %-30s", zoperation_names[w->operation], w->degree,
           w->bits, "strategy");
    print_timing_head("ms");
    printf(" %12s\n", "first call");
    bool ok = bench_strategy(s, w, NULL, r);
    for (const char *const *name = zmethod_names[w->operation]; *name != NULL && ok; name++) {
        ok = bench_strategy(s, w, *name, r);
    }
    return ok;
}

bool bench_strategies(const settings *s, report *r)
{
    call w = {.options = {.error = &w.error, .report = &w.report}};
    gfp_zvec *const all[] = {&w.a, &w.b, &w.c, &w.expected};
    bool ok = find_operation(&w.operation, s->strategies) && measure_cpu_time(true);
    must(gfp_zring_create(&w.ring, NULL, NULL), "ring");
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_init(all[i], w.ring);
    }
    for (size_t i = 0; i < s->length_count * s->bits_count && ok; i++) {
        w.degree = s->lengths[i / s->bits_count];
        w.bits = s->bits[i % s->bits_count];
        ok = bench_place(s, &w, r);
    }
    for (size_t i = 0; i < 4; i++) {
        gfp_zvec_clear(all[i]);
    }
    gfp_zring_destroy(w.ring);
    return measure_cpu_time(false) && ok;
}
