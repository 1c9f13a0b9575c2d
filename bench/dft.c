/* bench/dft.c: times of the transforms over Z/pZ: both orders, the inverse, and the six-step form.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef gfp_status (*transform)(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                                gfp_order order, void *work);

typedef struct job {
    gfp_fft_plan *plan;
    size_t n, words; /* length and words of a vector */
    uint64_t *x, *y, *z;
    void *work;
    transform run;
    gfp_order order;
} job;

static gfp_status six_step(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x,
                           gfp_order order, void *work)
{
    (void)order;
    return gfp_fft_forward_six_step(plan, y, x, work);
}

static gfp_status six_step_inverse(const gfp_fft_plan *plan, uint64_t *x, const uint64_t *y,
                                   gfp_order order, void *work)
{
    (void)order;
    return gfp_fft_inverse_six_step(plan, x, y, work);
}

static const struct {
    const char *name;
    transform forward, inverse;
    gfp_order order;
    bool six_step;
} forms[] = {
    {"natural", gfp_fft_forward, gfp_fft_inverse, GFP_ORDER_NATURAL, false},
    {"permuted", gfp_fft_forward, gfp_fft_inverse, GFP_ORDER_PERMUTED, false},
    {"six-step", six_step, six_step_inverse, GFP_ORDER_NATURAL, true},
};

static bool run_transform(void *context)
{
    job *w = context;

    return w->run(w->plan, w->y, w->x, w->order, w->work) == GFP_OK;
}

static void job_clear(job *w)
{
    gfp_fft_plan_destroy(w->plan);
    free(w->x);
    free(w->y);
    free(w->z);
    free(w->work);
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
    size_t work = gfp_fft_workspace(w->plan);
    if (gfp_fft_plan_is_six_step(w->plan) && gfp_fft_six_step_workspace(w->plan) > work) {
        work = gfp_fft_six_step_workspace(w->plan);
    }
    w->x = calloc(w->words, sizeof(uint64_t));
    w->y = calloc(w->words, sizeof(uint64_t));
    w->z = calloc(w->words, sizeof(uint64_t));
    w->work = malloc(work + 8);
    if (w->x == NULL || w->y == NULL || w->z == NULL || w->work == NULL) {
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

    if (forms[form].forward(w->plan, w->y, w->x, forms[form].order, w->work) != GFP_OK ||
        forms[form].inverse(w->plan, w->z, w->y, forms[form].order, w->work) != GFP_OK) {
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
    const gfp_field *field = gfp_fft_plan_field(w->plan);
    char name[32];

    snprintf(name, sizeof(name), "%s %s", inverse ? "inverse" : "forward", forms[form].name);
    progress(gfp_field_name(field), name, w->n);
    record *x = report_add(r, "dft", gfp_field_name(field), name);
    if (x == NULL) {
        return false;
    }
    x->len_a = w->n;
    w->run = inverse ? forms[form].inverse : forms[form].forward;
    w->order = forms[form].order;
    if (!measure(&x->time, s->seconds, run_transform, w)) {
        return complain("%s, N = %zu, %s: failed", gfp_field_name(field), w->n, name);
    }
    progress_end();
    printf("  %-18s", name);
    print_timing(&x->time, 1e6);
    putchar('\n');
    return true;
}

static bool bench_forms(const settings *s, job *w, uint64_t *natural, report *r)
{
    for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        if (forms[form].six_step && !gfp_fft_plan_is_six_step(w->plan)) {
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
        printf("%s, DFT of N = %zu\n  %-18s", gfp_field_name(field), w.n, "transform");
        print_timing_head("ms");
        putchar('\n');
        ok = natural != NULL ? bench_forms(s, &w, natural, r) : complain("no memory");
        free(natural);
        job_clear(&w);
    }
    return ok;
}
