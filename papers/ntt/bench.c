/* papers/ntt/bench.c: times of the transforms over word-size primes, for every form, modular
 * product and kernel level, and both orders; also the time per point and level.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "field/base/cpu.h"
#include "gfpoly/ntt.h"
#include "fft/words/primes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct job {
    gfp_ntt_plan *plan;
    size_t n;
    unsigned levels;   /* log2 n */
    uint64_t *vectors; /* x, y, z, expected and work in one block */
    uint64_t *x, *y, *z, *expected, *work;
    gfp_order order;
    bool inverse;
    gfp_options options; /* threads */
} job;

/* The sizes of primes in the measurements: for the double quotient, for the papers' rival, for the
 * vector kernels, and larger ones. */
static const unsigned prime_bits[] = {30, 31, 48, 50, 62};

static const gfp_ntt_form forms[] = {GFP_NTT_COOLEY_TUKEY, GFP_NTT_COOLEY_TUKEY_TABULATED,
                                     GFP_NTT_STOCKHAM, GFP_NTT_BLOCKED};
static const gfp_ntt_product products[] = {GFP_NTT_SHOUP, GFP_NTT_MONTGOMERY,
                                           GFP_NTT_DOUBLE_QUOTIENT};

static bool run_transform(void *context)
{
    job *w = context;
    return (w->inverse ? gfp_ntt_inverse : gfp_ntt_forward)(w->plan, w->y, w->x, w->order, w->work,
                                                            &w->options) == GFP_OK;
}

static bool job_init(job *w, size_t n, uint64_t q, uint64_t seed)
{
    const size_t each = (n + 7) / 8 * 8; /* whole cache lines */
    gfp_random g;

    *w = (job){.n = n};
    for (size_t m = n; m > 1; m /= 2) {
        w->levels++;
    }
    w->vectors = aligned_alloc(64, 5 * each * sizeof(uint64_t));
    if (w->vectors == NULL) {
        return complain("no memory for transforms of %zu residues", n);
    }
    w->x = w->vectors;
    w->y = w->x + each;
    w->z = w->y + each;
    w->expected = w->z + each;
    w->work = w->expected + each;
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < n; i++) {
        w->x[i] = gfp_random_below(&g, q);
    }
    return true;
}

/* Checks that the transform in natural order equals that of the first plan, and that every inverse
 * gives x. */
static bool check_plan(job *w, bool first)
{
    const size_t bytes = w->n * sizeof(uint64_t);

    for (int order = 0; order < 2; order++) {
        if (gfp_ntt_forward(w->plan, w->y, w->x, (gfp_order)order, w->work, &w->options) !=
                GFP_OK ||
            gfp_ntt_inverse(w->plan, w->z, w->y, (gfp_order)order, w->work, &w->options) !=
                GFP_OK) {
            return complain("transform of %zu residues: failed", w->n);
        }
        if (order == GFP_ORDER_NATURAL && first) {
            memcpy(w->expected, w->y, bytes);
        }
        if (memcmp(w->z, w->x, bytes) != 0 ||
            (order == GFP_ORDER_NATURAL && memcmp(w->y, w->expected, bytes) != 0)) {
            return complain("transform of %zu residues, %s, %s: wrong", w->n,
                            gfp_ntt_form_name(gfp_ntt_plan_form(w->plan)),
                            gfp_ntt_product_name(gfp_ntt_plan_product(w->plan)));
        }
    }
    return true;
}

static bool time_plan(const settings *s, job *w, const char *prime, report *r)
{
    static const char *const names[] = {"natural", "permuted", "inverse natural",
                                        "inverse permuted"};
    const char *form = gfp_ntt_form_name(gfp_ntt_plan_form(w->plan));
    const char *product = gfp_ntt_product_name(gfp_ntt_plan_product(w->plan));
    const char *kernels = gfp_ntt_plan_kernels(w->plan);

    printf("  %-10s %-16s %-23s", kernels, product, form);
    for (int i = 0; i < 4; i++) {
        char plain[72], name[96];
        snprintf(plain, sizeof(plain), "%s %s %s%s%s", form, product, kernels,
                 i % 2 != 0 ? " permuted" : "", i / 2 != 0 ? " inverse" : "");
        name_by_threads(name, sizeof(name), plain, s->ntt_threads);
        progress(prime, name, w->n);
        record *x = report_add(r, "ntt", prime, name);
        if (x == NULL) {
            return false;
        }
        x->len_a = w->n;
        w->order = (gfp_order)(i % 2);
        w->inverse = i / 2 != 0;
        if (!measure(&x->time, s->seconds, run_transform, w)) {
            return complain("%s, N = %zu, %s %s: failed", prime, w->n, form, names[i]);
        }
        progress_end();
        printf(" %9.3f %6.3f", x->time.min_ns / 1e3,
               x->time.min_ns / (double)w->n / (w->levels == 0 ? 1 : w->levels));
    }
    printf("\n");
    return true;
}

/* Measures the kernels of one level; rows that another level serves are left out. */
static bool bench_level(const settings *s, job *w, uint64_t q, const char *prime, gfp_level level,
                        report *r)
{
    bool ok = true;

    for (size_t i = 0; i < COUNT(products) * COUNT(forms) && ok; i++) {
        const gfp_ntt_options options = {forms[i % COUNT(forms)], products[i / COUNT(forms)]};
        gfp_error error = {.message = ""};
        if (options.product == GFP_NTT_DOUBLE_QUOTIENT && q >> GFP_NTT_DOUBLE_QUOTIENT_BITS != 0) {
            continue;
        }
        if (gfp_ntt_plan_create(&w->plan, q, w->n, &options, NULL, &error) != GFP_OK) {
            return complain("%s, N = %zu: %s", prime, w->n, error.message);
        }
        if (strcmp(gfp_ntt_plan_kernels(w->plan), gfp_cpu_level_name(level)) == 0) {
            ok = check_plan(w, level == GFP_LEVEL_PORTABLE && i == 0) && time_plan(s, w, prime, r);
        }
        gfp_ntt_plan_destroy(w->plan);
    }
    return ok;
}

static bool bench_prime(const settings *s, unsigned bits, size_t n, report *r)
{
    char prime[40];
    job w;
    uint64_t q = 0;
    bool ok = true;

    if (gfp_word_prime_below(&q, (uint64_t)1 << bits, 20) != GFP_OK || (q - 1) % n != 0) {
        printf("no transform of N = %zu for primes of %u bits\n", n, bits);
        return true;
    }
    snprintf(prime, sizeof(prime), "%llu", (unsigned long long)q);
    printf("q = %s (%u bits), N = %zu, %u thread%s: us, ns per point and level\n  %-51s", prime,
           bits, n, s->ntt_threads > 1 ? s->ntt_threads : 1U, s->ntt_threads > 1 ? "s" : "", "");
    printf(" %16s %16s %16s %16s\n", "natural", "permuted", "inverse natural", "permuted");
    if (!job_init(&w, n, q, s->seed)) {
        return false;
    }
    w.options.threads = s->ntt_threads == 0 ? 1 : s->ntt_threads;
    const gfp_level current = gfp_cpu_level_get();
    for (int level = 0; level <= (int)current && ok; level++) {
        ok = gfp_cpu_level_force((gfp_level)level) &&
             bench_level(s, &w, q, prime, (gfp_level)level, r);
    }
    ok = gfp_cpu_level_force(current) && ok;
    free(w.vectors);
    return ok;
}

bool bench_ntt(const settings *s, report *r)
{
    bool ok = true;

    for (size_t bits = 0; bits < COUNT(prime_bits) && ok; bits++) {
        for (size_t i = 0; i < s->length_count && ok; i++) {
            ok = bench_prime(s, prime_bits[bits], s->lengths[i], r);
        }
    }
    return ok;
}
