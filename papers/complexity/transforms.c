/* papers/complexity/transforms.c: times of transforms over Z/pZ and modulo word-size primes, and
 * the costs of the operations modulo these.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "papers/complexity/units.h"
#include "papers/small.h"

/* The points of the transforms whose steps give the costs. */
#define UNIT_POINTS 64

typedef struct transforms {
    gfp_fft_plan *big;
    small_primes small;
    uint64_t *x, *y;
} transforms;

static bool run_big(void *context)
{
    transforms *w = context;
    return gfp_fft_run(w->y, w->x, GFP_FORWARD, GFP_ORDER_PERMUTED, w->big, NULL) == GFP_OK;
}

/* Stockham's form, whose results are residues. */
static bool run_small(void *context)
{
    return small_project(context) && small_transform(context) && small_recombine(context);
}

static void transforms_close(transforms *w)
{
    gfp_fft_plan_destroy(w->big);
    small_close(&w->small);
    free(w->x);
    free(w->y);
}

static bool transforms_open(transforms *w, const settings *s, const gfp_field *field, size_t n)
{
    gfp_random g;

    *w = (transforms){.x = calloc(n, gfp_field_k(field) * sizeof(uint64_t)),
                      .y = calloc(n, gfp_field_k(field) * sizeof(uint64_t))};
    if (w->x == NULL || w->y == NULL || gfp_fft_plan_create(&w->big, field, n, NULL) != GFP_OK ||
        !small_open(&w->small, field, n, GFP_NTT_STOCKHAM, s->seed)) {
        transforms_close(w);
        return complain("%s, N = %zu: no transform, or no memory", gfp_field_name(field), n);
    }
    gfp_random_seed(&g, s->seed);
    gfp_vec_random(field, w->x, n, &g);
    return true;
}

/* Checks that the way back gives the input, and that the first value is the sum of the input. */
static bool check_transforms(transforms *w, const gfp_field *field)
{
    const size_t n = w->small.n;

    return (small_check(&w->small) && run_big(w) && evaluates(field, w->y, NULL, w->x, n) &&
            gfp_fft_run(w->y, w->y, GFP_INVERSE, GFP_ORDER_PERMUTED, w->big, NULL) == GFP_OK &&
            gfp_vec_equal(field, w->x, w->y, n)) ||
           complain("%s, N = %zu: a transform is wrong", gfp_field_name(field), n);
}

static void count_small(counts *c, const small_primes *w)
{
    count_small_primes(c, w->n, w->blocks * GFP_WORDS, w->limbs, w->width);
}

bool time_small_units(unit_costs *u, const settings *s, const gfp_field *field)
{
    transforms w;
    timing project, transform, recombine;
    counts c;

    if (!transforms_open(&w, s, field, UNIT_POINTS)) {
        return false;
    }
    /* A transform of a transform is one of residues, too. */
    const bool ok = check_transforms(&w, field) &&
                    measure(&project, s->seconds, small_project, &w.small) &&
                    measure(&transform, s->seconds, small_transform, &w.small) &&
                    measure(&recombine, s->seconds, small_recombine, &w.small);
    count_small(&c, &w.small);
    transforms_close(&w);
    if (ok) {
        *u = (unit_costs){.projected = project.min_ns / c.projected,
                          .butterflies = transform.min_ns / c.butterflies,
                          .recombined = recombine.min_ns / c.recombined};
    }
    return ok || complain("%s: transforms of %d points failed", gfp_field_name(field), UNIT_POINTS);
}

bool time_transforms(transform_times *t, const settings *s, const gfp_field *field, size_t n)
{
    transforms w;

    *t = (transform_times){.count_big = {0}};
    if (!transforms_open(&w, s, field, n)) {
        return false;
    }
    count_transform(&t->count_big, w.big);
    count_small(&t->count_small, &w.small);
    const bool ok = check_transforms(&w, field) && measure(&t->big, s->seconds, run_big, &w) &&
                    measure(&t->small, s->seconds, run_small, &w.small);
    transforms_close(&w);
    return ok || complain("%s, N = %zu: a transform failed", gfp_field_name(field), n);
}
