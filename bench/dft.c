/* bench/dft.c: times of the transforms over Z/pZ: both orders, the inverse, and the six-step form.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

typedef struct job {
    gfp_fft_plan *plan;
    size_t n, words; /* length and words of a vector */
    uint64_t *x, *y, *z;
    gfp_direction direction;
    gfp_order order;
    gfp_options options;
    bool known; /* z is the transform that threads have to give */
} job;

static const struct {
    const char *name, *method;
    gfp_order order;
} forms[] = {
    {"natural", "dft", GFP_ORDER_NATURAL},
    {"permuted", "dft", GFP_ORDER_PERMUTED},
    {"six-step", "six-step", GFP_ORDER_NATURAL},
};

/* Makes the job that of a form; false if the form does not serve the length. */
static bool take_form(job *w, size_t form)
{
    w->order = forms[form].order;
    w->options.method = forms[form].method;
    return gfp_fft_run(w->y, w->x, GFP_FORWARD, w->order, w->plan, &w->options) != GFP_ERR_NO_ROOT;
}

static bool run_transform(void *context)
{
    job *w = context;

    return gfp_fft_run(w->y, w->x, w->direction, w->order, w->plan, &w->options) == GFP_OK;
}

static void job_clear(job *w)
{
    gfp_fft_plan_destroy(w->plan);
    free(w->x);
    free(w->y);
    free(w->z);
}

static bool job_init(job *w, const gfp_field *field, size_t n, uint64_t seed)
{
    gfp_error error;
    gfp_random g;

    *w = (job){.n = n, .words = n * gfp_field_k(field)};
    if (gfp_fft_plan_create(&w->plan, field, n, &error) != GFP_OK) {
        complain("%s, N = %zu: %s", gfp_field_name(field), n, error.message);
        return false;
    }
    w->x = calloc(w->words, sizeof(uint64_t));
    w->y = calloc(w->words, sizeof(uint64_t));
    w->z = calloc(w->words, sizeof(uint64_t));
    if (w->x == NULL || w->y == NULL || w->z == NULL) {
        job_clear(w);
        complain("no memory for transforms of %zu elements", n);
        return false;
    }
    gfp_random_seed(&g, seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* Checks a form before it is timed: the inverse transform returns x, and in natural order the forms
 * give equal results. */
static bool check_form(job *w, size_t form, const uint64_t *natural)
{
    const gfp_field *field = gfp_fft_plan_field(w->plan);

    if (gfp_fft_run(w->y, w->x, GFP_FORWARD, w->order, w->plan, &w->options) != GFP_OK ||
        gfp_fft_run(w->z, w->y, GFP_INVERSE, w->order, w->plan, &w->options) != GFP_OK) {
        return complain("%s, N = %zu, %s: failed", gfp_field_name(field), w->n, forms[form].name);
    }
    if (!gfp_vec_equal(field, w->x, w->z, w->n) ||
        (forms[form].order == GFP_ORDER_NATURAL && natural != NULL &&
         !gfp_vec_equal(field, natural, w->y, w->n))) {
        return complain("%s, N = %zu, %s: wrong", gfp_field_name(field), w->n, forms[form].name);
    }
    return true;
}

static bool time_form(const settings *s, job *w, size_t form, bool inverse, report *r)
{
    char name[32];
    const timed_row f = {.section = "dft",
                         .field = gfp_field_name(gfp_fft_plan_field(w->plan)),
                         .name = name,
                         .len_a = w->n,
                         .unit = 1e6};

    snprintf(name, sizeof(name), "%s %s", inverse ? "inverse" : "forward", forms[form].name);
    w->direction = inverse ? GFP_INVERSE : GFP_FORWARD;
    return take_timed_row(s, r, &f, run_transform, w) != NULL;
}

static bool bench_forms(const settings *s, job *w, uint64_t *natural, report *r)
{
    for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        if (!take_form(w, form)) {
            continue;
        }
        if (!check_form(w, form, form == 0 ? NULL : natural)) {
            return false;
        }
        if (form == 0) {
            memcpy(natural, w->y, w->words * sizeof(uint64_t));
        }
        if (!time_form(s, w, form, false, r) || !time_form(s, w, form, true, r)) {
            return false;
        }
    }
    return true;
}

bool bench_dft(const settings *s, const gfp_field *field, report *r)
{
    bool ok = true;

    for (size_t i = 0; i < s->length_count && ok; i++) {
        job w;
        if (!job_init(&w, field, s->lengths[i], s->seed)) {
            return false;
        }
        uint64_t *natural = malloc(w.words * sizeof(uint64_t));
        printf("%s, DFT of N = %zu\n", gfp_field_name(field), w.n);
        print_head("transform", "ms");
        ok = natural != NULL ? bench_forms(s, &w, natural, r) : complain("no memory");
        free(natural);
        job_clear(&w);
    }
    return ok;
}

/* ---- by several threads ---- */

/* The second of two runs counts: the first one starts the threads, and leaves the data in their
 * caches. Both transforms must be w->z, which the first call of all sets. */
static bool run_by(void *context, unsigned threads, double *ns)
{
    job *w = context;

    w->options.threads = threads;
    bool ok = run_transform(w);
    const uint64_t start = clock_ns();
    ok = run_transform(w) && ok;
    *ns = (double)(clock_ns() - start);
    if (!w->known) {
        memcpy(w->z, w->y, w->words * sizeof(uint64_t));
        w->known = true;
    }
    return ok && gfp_vec_equal(gfp_fft_plan_field(w->plan), w->y, w->z, w->n);
}

bool bench_dft_threads(const settings *s, const gfp_field *field, report *r)
{
    timing loop;
    bool ok = true;

    if (!measure_loop(&loop, s->dft_threads)) {
        return false;
    }
    printf("a loop of %u threads without work: %.2f us, median %.2f\n", s->dft_threads,
           loop.min_ns / 1e3, loop.median_ns / 1e3);
    for (size_t i = 0; i < s->length_count && ok; i++) {
        job w;
        if (!job_init(&w, field, s->lengths[i], s->seed)) {
            return false;
        }
        printf("%s, DFT of N = %zu: ", gfp_field_name(field), w.n);
        print_turns_head(s->dft_threads);
        for (size_t form = 0; form < 2 * sizeof(forms) / sizeof(forms[0]) && ok; form++) {
            const bool inverse = form % 2 != 0;
            char name[32];
            if (!take_form(&w, form / 2)) {
                continue;
            }
            snprintf(name, sizeof(name), "%s %s", inverse ? "inverse" : "forward",
                     forms[form / 2].name);
            const timed_row f = {
                .section = "threads", .field = gfp_field_name(field), .name = name, .len_a = w.n};
            w.direction = inverse ? GFP_INVERSE : GFP_FORWARD;
            w.known = false;
            ok = take_turns(s, r, &f, s->dft_threads, run_by, &w);
        }
        job_clear(&w);
    }
    return ok;
}
