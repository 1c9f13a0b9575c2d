/* zfactors.c: see zfactors.h; and their measurement: some calls of each strategy are timed, and
 * compared with the compiled-in predictions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zfactors.h"

#include <math.h>
#include <string.h>

#include "gfpoly/zplan.h"
#include "tuning.h"
#include "zchoose.h"
#include "zpredict.h"
#include "zvec_impl.h"

static const char *const names[GFP_ZGROUPS] = {"z_big",    "z_conversions", "z_flint",
                                               "z_images", "z_integers",    "z_transforms"};

size_t gfp_zcost_count(void)
{
    return GFP_ZGROUPS;
}

const char *gfp_zcost_name(size_t index)
{
    return index < GFP_ZGROUPS ? names[index] : NULL;
}

double gfp_zcost_factor(size_t index, const gfp_tuning *tuning)
{
    double factor[GFP_ZGROUPS];
    gfp_zfactors_read(factor, tuning);
    return index < GFP_ZGROUPS ? factor[index] : 0;
}

void gfp_zfactors_read(double factor[GFP_ZGROUPS], const gfp_tuning *tuning)
{
    const size_t count = tuning != NULL ? tuning->factors : 0;
    for (size_t i = 0, j = 0; i < GFP_ZGROUPS; i++) {
        int order = 1;
        while (j < count && (order = strcmp(tuning->factor[j].name, names[i])) < 0) {
            j++; /* of another version */
        }
        const bool known = j < count && order == 0;
        factor[i] = known ? (double)tuning->factor[j].thousandths / 1000 : 1;
    }
}

/* ---- measuring ---- */

/* Calls whose times show a factor. */
typedef struct trial {
    gfp_zgroup factor;
    gfp_zoperation operation; /* MUL or RESULTANT */
    const char *method;
    size_t len, bits;
} trial;

/* Conversions and transforms come first: others subtract conversions. */
static const trial trials[] = {
    {GFP_ZGROUP_CONVERSIONS, GFP_ZOPERATION_MUL, "words", 40, 4000},
    {GFP_ZGROUP_TRANSFORMS, GFP_ZOPERATION_MUL, "words", 1000, 60},
    {GFP_ZGROUP_TRANSFORMS, GFP_ZOPERATION_MUL, "short", 1000, 60},
    {GFP_ZGROUP_IMAGES, GFP_ZOPERATION_RESULTANT, "words", 60, 30},
    {GFP_ZGROUP_IMAGES, GFP_ZOPERATION_RESULTANT, "words", 200, 10},
    {GFP_ZGROUP_INTEGERS, GFP_ZOPERATION_MUL, "kronecker", 20, 20},
    {GFP_ZGROUP_INTEGERS, GFP_ZOPERATION_MUL, "kronecker", 50, 200},
    {GFP_ZGROUP_INTEGERS, GFP_ZOPERATION_MUL, "kronecker", 800, 20},
    {GFP_ZGROUP_FLINT, GFP_ZOPERATION_MUL, "flint", 50, 500},
    {GFP_ZGROUP_FLINT, GFP_ZOPERATION_MUL, "flint", 400, 60},
    {GFP_ZGROUP_FLINT, GFP_ZOPERATION_RESULTANT, "flint", 30, 60},
    {GFP_ZGROUP_BIG, GFP_ZOPERATION_MUL, "big", 100, 100},
    {GFP_ZGROUP_BIG, GFP_ZOPERATION_MUL, "big", 1000, 200},
};
enum { TRIALS = sizeof trials / sizeof *trials };

typedef struct lab {
    const gfp_tuning_options *options;
    gfp_zring *ring;
    gfp_zvec a, b, c;
    gfp_random random;
    double sum[GFP_ZGROUPS]; /* of the logarithms of the ratios */
    size_t count[GFP_ZGROUPS];
} lab;

/* A sample this long makes the clock's own cost negligible; how long a trial is repeated. */
#define SAMPLE_NS 2e4
#define BUDGET_NS 2e7
#define QUICK_NS 4e6
/* At least this number of samples. */
#define SAMPLES 3
/* What a single trial may show. */
#define MOST_RATIO 100.0

static gfp_status draw(gfp_zvec *z, size_t len, size_t bits, gfp_random *g)
{
    const size_t width = bits / 64 + 1, top = bits % 64;
    GFP_TRY(gfp_zvec_reserve(z, len, width));
    for (size_t i = 0; i < len; i++) {
        uint64_t *x = z->limbs + i * width;
        for (size_t j = 0; j < width; j++) {
            x[j] = gfp_random_u64(g);
        }
        x[width - 1] = top == 0 ? 0 : x[width - 1] >> (64 - top);
        x[0] |= 1; /* not 0 */
    }
    z->len = len;
    z->width = width;
    return GFP_OK;
}

static gfp_status run(lab *w, const trial *t)
{
    const gfp_options call = {.method = t->method, .error = w->options->error};
    return t->operation == GFP_ZOPERATION_MUL ? gfp_zvec_mul(&w->c, &w->a, &w->b, &call)
                                              : gfp_zvec_resultant(&w->c, &w->a, &w->b, &call);
}

/* *ns := the least time of a call; the first one makes tables. */
static gfp_status measure(lab *w, const trial *t, double *ns)
{
    const double budget = w->options->quick ? QUICK_NS : BUDGET_NS;
    double spent = 0;
    size_t batch = 1, samples = 0;
    *ns = HUGE_VAL;
    GFP_TRY(run(w, t));
    while (samples < SAMPLES || spent < budget) {
        const uint64_t start = gfp_tuning_clock_ns();
        for (size_t i = 0; i < batch; i++) {
            GFP_TRY(run(w, t));
        }
        const double time = (double)(gfp_tuning_clock_ns() - start);
        spent += time;
        if (time < SAMPLE_NS && spent < budget) {
            batch *= 2;
        } else {
            samples++;
            *ns = fmin(*ns, time / (double)batch);
        }
    }
    return GFP_OK;
}

/* The factor so far. */
static double mean(const lab *w, gfp_zgroup factor)
{
    return w->count[factor] > 0 ? exp(w->sum[factor] / (double)w->count[factor]) : 1;
}

/* Enters what a trial shows; the conversions within other times are those measured before. */
static void enter(lab *w, const trial *t, const gfp_zprediction *row, double ns)
{
    double predicted = row->estimate_ns, time = ns;
    if (t->factor == GFP_ZGROUP_TRANSFORMS || t->factor == GFP_ZGROUP_IMAGES) {
        predicted -= row->convert_ns;
        time = fmax(ns - mean(w, GFP_ZGROUP_CONVERSIONS) * row->convert_ns, ns / MOST_RATIO);
    }
    if (predicted > 0 && time > 0) {
        w->sum[t->factor] += log(fmin(fmax(time / predicted, 1 / MOST_RATIO), MOST_RATIO));
        w->count[t->factor]++;
    }
}

/* Strategies that cannot serve, without FLINT, show nothing. */
static gfp_status run_trial(lab *w, const trial *t)
{
    gfp_zplan plan;
    double ns;
    const gfp_options quiet = {.error = w->options->error};
    GFP_TRY(draw(&w->a, t->len, t->bits, &w->random));
    GFP_TRY(draw(&w->b, t->len, t->bits, &w->random));
    GFP_TRY(gfp_zvec_plan(&plan, t->operation, &w->a, &w->b, &quiet));
    for (size_t i = 0; i < plan.count; i++) {
        const gfp_zprediction *row = &plan.row[i];
        if (strcmp(row->name, t->method) == 0 && row->reason == NULL) {
            GFP_TRY(measure(w, t, &ns));
            enter(w, t, row, ns);
        }
    }
    return GFP_OK;
}

static gfp_status run_trials(lab *w)
{
    const gfp_tuning_options *o = w->options;
    for (size_t i = 0; i < TRIALS; i++) {
        if (o->progress != NULL && !o->progress(o->user, (double)i / TRIALS)) {
            return gfp_error_set(o->error, GFP_ERR_CANCELLED, "cancelled");
        }
        GFP_TRY(run_trial(w, &trials[i]));
    }
    return GFP_OK;
}

static bool is_known(const gfp_tuning *tuning, const char *name)
{
    bool found = false;
    for (size_t i = 0; tuning != NULL && i < tuning->factors; i++) {
        found = found || strcmp(tuning->factor[i].name, name) == 0;
    }
    return found;
}

static gfp_status enter_all(const lab *w, gfp_tuning *tuning)
{
    for (size_t i = 0; i < GFP_ZGROUPS; i++) {
        if (w->count[i] > 0 && !is_known(w->options->known, names[i])) {
            GFP_TRY(gfp_tuning_set_factor(tuning,
                                          &(gfp_tuning_factor){names[i], mean(w, (gfp_zgroup)i)}));
        }
    }
    return GFP_OK;
}

gfp_status gfp_tuning_measure_zcosts(gfp_tuning *tuning, const gfp_tuning_options *options)
{
    static const gfp_tuning_options all_zero;
    lab w = {.options = options != NULL ? options : &all_zero};
    size_t missing = 0;
    if (gfp_tuning_check(tuning, w.options->error) != GFP_OK) {
        return GFP_STALE;
    }
    for (size_t i = 0; i < GFP_ZGROUPS; i++) {
        const bool exists = i != GFP_ZGROUP_FLINT || gfp_zflint_is_there();
        missing += exists && !is_known(w.options->known, names[i]);
    }
    if (missing == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_zring_create(&w.ring, &tuning->allocator, w.options->error));
    gfp_zvec *const vectors[] = {&w.a, &w.b, &w.c};
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_init(vectors[i], w.ring);
    }
    gfp_random_seed(&w.random, 1);
    gfp_status status = run_trials(&w);
    status = status == GFP_OK ? enter_all(&w, tuning) : status;
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_clear(vectors[i]);
    }
    gfp_zring_destroy(w.ring);
    if (status == GFP_OK && w.options->progress != NULL) {
        (void)w.options->progress(w.options->user, 1); /* nothing is left to stop */
    }
    return status;
}
