/* tuning_measure.c: the time of every method over operations and lengths, for a tuning. A product
 * is repeated for a while and the least time counts; a method that has become hopeless is left out.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "gfpoly/operand.h"
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
/* Operations that are measured: the first ones. */
#define OPERATIONS 5
/* A sample this long makes the clock's own cost negligible. */
#define SAMPLE_NS 2e4
#define REPORT_NS 2e7

/* A measurement under way. */
typedef struct measuring {
    gfp_tuning *tuning;
    const gfp_field *field;
    const scheme *scheme;
    const gfp_tuning_options *options;
    gfp_operation operation;
    unsigned operations, threads;
    gfp_poly a, b, c;
    gfp_fft_operand *x; /* of b, for the method under way */
    /* Of each method: its last measured time and the log2 of that length; 0: none yet. */
    double last_ns[GFP_COST_COLUMNS], last_m[GFP_COST_COLUMNS];
    double best_ns; /* the least time at the length before; 0: none */
    /* What each measurement is expected to take, by what was known before; their sum, and that of
     * those that are done. */
    double effort[OPERATIONS][LAST_LOG2_LEN + 1][GFP_COST_COLUMNS];
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

static bool is_asked(const measuring *s, unsigned operation)
{
    return (s->operations >> operation & 1) != 0;
}

/* What is measured at length 2^m. */
static gfp_problem problem_at(const measuring *s, unsigned m)
{
    const size_t n = length_at(m);
    const bool middle = s->operation == GFP_OPERATION_MIDDLE;
    return (gfp_problem){.operation = s->operation,
                         .len_a = middle ? 2 * n - 1 : n,
                         .len_b = n,
                         .from = n - 1,
                         .n = n,
                         .threads = s->threads,
                         .tuning = s->tuning};
}

/* The estimate; 0: the method cannot serve. */
static double estimate(const measuring *s, size_t method, unsigned m)
{
    gfp_method_info info;
    const gfp_problem p = problem_at(s, m);
    const gfp_status status = gfp_method_query_problem(s->field, &p, method, &info);
    return status == GFP_OK && info.available ? info.estimate_ns : 0;
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
    for (unsigned o = 0; o < OPERATIONS; o++) {
        s->operation = (gfp_operation)o;
        for (unsigned m = s->scheme->first; m <= LAST_LOG2_LEN && is_asked(s, o);
             m += s->scheme->step) {
            for (size_t i = 0; i < gfp_method_count(); i++) {
                const double ns = estimate(s, i, m);
                s->effort[o][m][i] = ns > 0 ? effort(s->scheme, ns) : 0;
                s->planned += s->effort[o][m][i];
            }
        }
    }
}

/* ---- measuring ---- */

/* The operation once, by a method. */
static gfp_status run(measuring *s, const gfp_method *method)
{
    const gfp_mul_options options = {.error = s->options->error, .threads = s->threads};
    const gfp_operand_options by_operand = {.error = s->options->error, .threads = s->threads};
    const size_t n = s->b.len;
    switch (s->operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_mul_by(method, &s->c, &s->a, &s->a, SIZE_MAX, &options);
    case GFP_OPERATION_LOW:
        return gfp_poly_mul_by(method, &s->c, &s->a, &s->b, n, &options);
    case GFP_OPERATION_MIDDLE:
        return gfp_poly_range_by(method, &s->c, &s->a, &s->b, n - 1, n, &options);
    case GFP_OPERATION_OPERAND:
        return gfp_poly_mul_operand(&s->c, &s->a, s->x, 0, SIZE_MAX, &by_operand);
    default:
        return gfp_poly_mul_by(method, &s->c, &s->a, &s->b, SIZE_MAX, &options);
    }
}

/* *ns := the time of `batch` products. */
static gfp_status sample(measuring *s, const gfp_method *method, size_t batch, double *ns)
{
    gfp_status status = GFP_OK;
    uint64_t start = gfp_clock_ns();
    for (size_t i = 0; i < batch && status == GFP_OK; i++) {
        status = run(s, method);
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

/* Factors of exactly the lengths. */
static gfp_status draw(measuring *s, unsigned m)
{
    gfp_poly *factors[] = {&s->a, &s->b};
    const gfp_problem p = problem_at(s, m);
    gfp_random g;
    gfp_random_seed(&g, m);
    for (size_t i = 0; i < 2; i++) {
        const size_t len = i == 0 ? p.len_a : p.len_b;
        GFP_TRY(gfp_poly_random(factors[i], len, &g));
        if (factors[i]->len < len) {
            GFP_TRY(gfp_poly_set_coeff_u64(factors[i], len - 1, 1));
        }
    }
    return GFP_OK;
}

/* s->x := the transform of b, where that is what is measured. */
static gfp_status transform(measuring *s, const gfp_method *method)
{
    const gfp_operand_options options = {.method = method->name, .error = s->options->error};
    if (s->operation != GFP_OPERATION_OPERAND) {
        return GFP_OK;
    }
    return gfp_fft_operand_create(&s->x, &s->b, s->a.len + s->b.len - 1, 1, &options);
}

/* *best gets smaller where this method is the fastest at this length. */
static gfp_status measure_method(measuring *s, size_t index, unsigned m, double *best)
{
    const gfp_method *method = gfp_method_row(index);
    const gfp_problem p = problem_at(s, m);
    const gfp_tuning_row row = {.k = gfp_field_k(s->field),
                                .r = gfp_field_r(s->field),
                                .len = p.len_a,
                                .len_b = p.len_b,
                                .operation = s->operation,
                                .threads = s->threads};
    double ns = 0;
    GFP_TRY(transform(s, method));
    const gfp_status status = time_method(s, method, &ns);
    gfp_fft_operand_destroy(s->x);
    s->x = NULL;
    GFP_TRY(status);
    s->last_ns[index] = ns;
    s->last_m[index] = m;
    *best = *best > 0 ? fmin(*best, ns) : ns;
    return explain(s, gfp_tuning_set_row(s->tuning, &row, method->name, ns));
}

/* Every method that is worth it; *any: whether one was. */
static gfp_status measure_length(measuring *s, unsigned m, bool *any)
{
    double best = 0;
    bool drawn = false;
    *any = false;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        bool fits = estimate(s, i, m) > 0 && expected_ns(s, i, m) <= s->scheme->limit_ns;
        *any = *any || fits;
        if (fits && !hopeless(s, i)) {
            GFP_TRY(drawn ? GFP_OK : explain(s, draw(s, m)));
            drawn = true;
            GFP_TRY(measure_method(s, i, m, &best));
            GFP_TRY(stay(s, s->effort[s->operation][m][i]));
        }
        s->done += s->effort[s->operation][m][i];
    }
    s->best_ns = best;
    return GFP_OK;
}

static gfp_status measure_operation(measuring *s, gfp_operation operation)
{
    bool any = true;
    s->operation = operation;
    s->best_ns = 0;
    memset(s->last_ns, 0, sizeof s->last_ns);
    for (unsigned m = s->scheme->first; m <= LAST_LOG2_LEN && any; m += s->scheme->step) {
        GFP_TRY(measure_length(s, m, &any));
    }
    return GFP_OK;
}

static gfp_status measure_all(measuring *s)
{
    GFP_TRY(stay(s, 0));
    for (unsigned o = 0; o < OPERATIONS; o++) {
        GFP_TRY(is_asked(s, o) ? measure_operation(s, (gfp_operation)o) : GFP_OK);
    }
    (void)report(s, 1); /* nothing is left to stop */
    return GFP_OK;
}

gfp_status gfp_tuning_measure(gfp_tuning *tuning, const gfp_field *field,
                              const gfp_tuning_options *options)
{
    options = options != NULL ? options : &default_options;
    if (options->operations >> OPERATIONS != 0 || options->threads > GFP_MAX_THREADS) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "operations that are not measured, or more than %d threads",
                             GFP_MAX_THREADS);
    }
    if (gfp_tuning_check(tuning, options->error) != GFP_OK) {
        return GFP_STALE;
    }
    measuring s = {.tuning = tuning,
                   .field = field,
                   .scheme = options->quick ? &quick_scheme : &full_scheme,
                   .options = options,
                   .operations = options->operations != 0 ? options->operations : 1,
                   .threads = options->threads != 0 ? options->threads : 1};
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
