/* tuning_measure.c: the time of every method over lengths, for a tuning. A product is repeated for
 * a while and the least time counts; a method that has become hopeless is left out.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "methods.h"
#include "support.h"
#include "tuning.h"

/* Lengths 2^first, 2^(first + step), ... A product may take up to limit_ns, and is repeated until
 * budget_ns have passed, but runs times at least. */
typedef struct scheme {
    unsigned first, step;
    double limit_ns, budget_ns;
    unsigned runs;
} scheme;

static const scheme quick_scheme = {
    .first = 2, .step = 2, .limit_ns = 2.5e8, .budget_ns = 4e7, .runs = 3};
static const scheme full_scheme = {
    .first = 1, .step = 1, .limit_ns = 1e9, .budget_ns = 2.5e8, .runs = 3};

/* Longer factors are beyond every limit above. */
#define LAST_LOG2_LEN 26
/* A method that took so many times what the best did at the length before is left out. */
#define HOPELESS 50.0
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 2e4
#define REPORT_NS 2e7

/* A measurement under way. */
typedef struct measuring {
    gfp_tuning *tuning;
    const gfp_field *field;
    const scheme *scheme;
    const gfp_tuning_options *options;
    gfp_poly a, b, c;
    /* Of each method: its last measured time and the log2 of that length; 0: none yet. */
    double last_ns[GFP_COST_COLUMNS], last_m[GFP_COST_COLUMNS];
    double best_ns; /* the least time at the length before; 0: none */
    /* What each measurement is expected to take, by what was known before; their sum, and that of
     * those that are done. */
    double effort[LAST_LOG2_LEN + 1][GFP_COST_COLUMNS];
    double planned, done;
    double reported;         /* the last fraction told */
    uint64_t next_report_ns; /* on the clock */
} measuring;

static const gfp_tuning_options default_options;

/* Tells the caller; false: stop. */
static bool report(measuring *s, double fraction)
{
    fraction = fraction < 1 ? fraction : 1;
    s->reported = fraction > s->reported ? fraction : s->reported;
    return s->options->progress == NULL || s->options->progress(s->options->user, s->reported);
}

/* The same between two products, where it is time to; part nanoseconds have gone into the method
 * under way. */
static gfp_status stay(measuring *s, double part)
{
    uint64_t now = gfp_clock_ns();
    if (now < s->next_report_ns) {
        return GFP_OK;
    }
    s->next_report_ns = now + (uint64_t)REPORT_NS;
    double done = s->done + part;
    if (report(s, s->planned > 0 ? 0.99 * fmin(done / s->planned, 1) : 0)) {
        return GFP_OK;
    }
    return gfp_error_set(s->options->error, GFP_ERR_CANCELLED, "cancelled");
}

/* ---- what to measure ---- */

static size_t length_at(unsigned m)
{
    return (size_t)1 << m;
}

static bool available(const measuring *s, size_t method, unsigned m)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    size_t len = length_at(m);
    return gfp_method_row(method)->available(s->field, len, len, why, sizeof why);
}

/* What the method will take at length 2^m, from its last measured time; 0: nothing known. */
static double expected_ns(const measuring *s, size_t method, unsigned m)
{
    gfp_growth *growth = gfp_method_row(method)->growth;
    if (!(s->last_ns[method] > 0)) {
        return 0;
    }
    return s->last_ns[method] * exp2(growth(m) - growth(s->last_m[method]));
}

/* The last measured time is a lower bound; the law of growth would condemn methods whose time is
 * mostly fixed cost at short lengths, though they win at long ones. */
static bool hopeless(const measuring *s, size_t method)
{
    return s->best_ns > 0 && s->last_ns[method] > HOPELESS * s->best_ns;
}

/* The time that measuring a product of ns takes; 0 where it would be left out. */
static double effort(const scheme *how, double ns)
{
    return ns <= how->limit_ns ? fmax(how->budget_ns, how->runs * ns) : 0;
}

static void make_plan(measuring *s)
{
    for (unsigned m = s->scheme->first; m <= LAST_LOG2_LEN; m += s->scheme->step) {
        for (size_t i = 0; i < gfp_method_count(); i++) {
            size_t len = length_at(m);
            double ns = gfp_method_estimate(s->tuning, i, s->field, len, len);
            s->effort[m][i] = available(s, i, m) ? effort(s->scheme, ns) : 0;
            s->planned += s->effort[m][i];
        }
    }
}

/* ---- measuring ---- */

/* *ns := the time of `batch` products. */
static gfp_status sample(measuring *s, const gfp_method *method, size_t batch, double *ns)
{
    gfp_status status = GFP_OK;
    uint64_t start = gfp_clock_ns();
    for (size_t i = 0; i < batch && status == GFP_OK; i++) {
        gfp_mul_options options = {.error = s->options->error, .threads = 1};
        status = gfp_poly_mul_by(method, &s->c, &s->a, &s->b, SIZE_MAX, &options);
    }
    *ns = (double)(gfp_clock_ns() - start);
    return status;
}

/* *least := the least time of one product. */
static gfp_status time_method(measuring *s, const gfp_method *method, double *least)
{
    size_t batch = 1;
    double ns = 0, spent = 0;
    GFP_TRY(sample(s, method, batch, &ns));
    while (ns < SAMPLE_NS) { /* what is too short for the clock was the warm-up */
        batch *= 2;
        GFP_TRY(sample(s, method, batch, &ns));
    }
    *least = ns;
    for (unsigned runs = 1; runs < s->scheme->runs || spent < s->scheme->budget_ns; runs++) {
        spent += ns;
        GFP_TRY(stay(s, spent));
        GFP_TRY(sample(s, method, batch, &ns));
        *least = ns < *least ? ns : *least;
    }
    *least /= (double)batch;
    return GFP_OK;
}

static gfp_status explain(const measuring *s, gfp_status status)
{
    return status == GFP_OK ? GFP_OK
                            : gfp_error_set(s->options->error, status, "while measuring: %s",
                                            gfp_status_string(status));
}

/* Factors of exactly the length. */
static gfp_status draw(measuring *s, unsigned m)
{
    gfp_poly *factors[] = {&s->a, &s->b};
    gfp_random g;
    gfp_random_seed(&g, m);
    for (size_t i = 0; i < 2; i++) {
        size_t len = length_at(m);
        GFP_TRY(gfp_poly_random(factors[i], len, &g));
        if (factors[i]->len < len) {
            GFP_TRY(gfp_poly_set_coeff_u64(factors[i], len - 1, 1));
        }
    }
    return GFP_OK;
}

/* *best gets smaller where this method is the fastest at this length. */
static gfp_status measure_method(measuring *s, size_t index, unsigned m, double *best)
{
    const gfp_method *method = gfp_method_row(index);
    double ns = 0;
    GFP_TRY(time_method(s, method, &ns));
    s->last_ns[index] = ns;
    s->last_m[index] = m;
    *best = *best > 0 ? fmin(*best, ns) : ns;
    return explain(s, gfp_tuning_set_ns(s->tuning, s->field, length_at(m), method->name, ns));
}

/* Every method that is worth it; *any: whether one was. */
static gfp_status measure_length(measuring *s, unsigned m, bool *any)
{
    double best = 0;
    bool drawn = false;
    *any = false;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        bool fits = available(s, i, m) && expected_ns(s, i, m) <= s->scheme->limit_ns;
        *any = *any || fits;
        if (fits && !hopeless(s, i)) {
            GFP_TRY(drawn ? GFP_OK : explain(s, draw(s, m)));
            drawn = true;
            GFP_TRY(measure_method(s, i, m, &best));
            GFP_TRY(stay(s, s->effort[m][i]));
        }
        s->done += s->effort[m][i];
    }
    s->best_ns = best;
    return GFP_OK;
}

static gfp_status measure_all(measuring *s)
{
    bool any = true;
    GFP_TRY(stay(s, 0));
    for (unsigned m = s->scheme->first; m <= LAST_LOG2_LEN && any; m += s->scheme->step) {
        GFP_TRY(measure_length(s, m, &any));
    }
    (void)report(s, 1); /* nothing is left to stop */
    return GFP_OK;
}

gfp_status gfp_tuning_measure(gfp_tuning *tuning, const gfp_field *field,
                              const gfp_tuning_options *options)
{
    options = options != NULL ? options : &default_options;
    if (gfp_tuning_check(tuning, options->error) != GFP_OK) {
        return GFP_STALE;
    }
    measuring s = {.tuning = tuning,
                   .field = field,
                   .scheme = options->quick ? &quick_scheme : &full_scheme,
                   .options = options};
    gfp_poly_init(&s.a, field);
    gfp_poly_init(&s.b, field);
    gfp_poly_init(&s.c, field);
    make_plan(&s);
    gfp_status status = measure_all(&s);
    gfp_poly_clear(&s.a);
    gfp_poly_clear(&s.b);
    gfp_poly_clear(&s.c);
    return status;
}
