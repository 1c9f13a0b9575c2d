/* measure.c: the time of every method over operations and lengths, for a tuning. A product
 * is repeated for some time, and its least time counts; a method that is much too slow is left
 * out.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <time.h>

#include "gfpoly/operand.h"
#include "product/device/methods.h"
#include "product/mul.h"
#include "field/base/support.h"
#include "product/choose/tuning.h"
#include "product/methods/engine.h"

/* Lengths go by half octaves h (length_at), from `first` on, by `step` or as next_half decides.
 * unequal: products and operands of the slopes below, too. A product may take up to limit_ns; it is
 * repeated until budget_ns have passed, and at least `runs` times. */
typedef struct scheme {
    unsigned first, step;
    bool unequal;
    double limit_ns, budget_ns;
    unsigned runs;
} scheme;

static const scheme quick_scheme = {
    .first = 4, .step = 4, .limit_ns = 5e7, .budget_ns = 2e7, .runs = 3};
static const scheme full_scheme = {
    .first = 0, .step = 1, .unequal = true, .limit_ns = 5e7, .budget_ns = 3e7, .runs = 4};

/* The half octave of length 2^7: up to there the fastest method changes often. */
#define SHORT 14
/* The half octave of length 2^4: for factors this short with long ones times differ length by
 * length. */
#define NARROW 8
/* log2 of the ratio of the first length to the second. */
static const unsigned slopes[] = {0, 2, 5, 9};
#define SLOPES (sizeof slopes / sizeof slopes[0])

/* Longer factors exceed every limit above. */
#define LAST_HALF 52
/* On a device a product may take this part of limit_ns: factors of the same length take less time
 * there, and making factors and plans takes longer than the measured products. */
#define DEVICE_LIMIT (1.0 / 8)
/* A method that took this multiple of the best time at the length before is left out. */
#define HOPELESS 20.0
/* A method that takes this multiple of the best time runs only `runs` times, */
#define BEATEN 3.0
/* or, if a product takes this long, twice. */
#define LONG_NS 2e6
/* The first operations are measured. */
#define OPERATIONS 5
/* For a sample this long the cost of the clock is negligible. */
#define SAMPLE_NS 2e4
#define REPORT_NS 2e7

/* A method at the current length. */
typedef struct candidate {
    bool runs;
    gfp_space *space;
    gfp_operand *x;             /* of the second factor, to measure operands */
    gfp_device_resident device; /* to measure resident products */
    size_t batch;               /* products of a sample: enough for the clock */
    unsigned samples;
    double least; /* nanoseconds of a product; HUGE_VAL: not known yet */
    double spent; /* nanoseconds */
} candidate;

/* An array of coefficients. */
typedef struct factor {
    uint64_t *digits;
    size_t len, room;
} factor;

typedef struct measurement {
    gfp_tuning *tuning;
    gfp_tuning *all; /* known and measured times, for estimates; or tuning */
    const gfp_field *field;
    const scheme *scheme;
    const gfp_tuning_options *options;
    bool gpu; /* a GPU is present, and this tuning may have times of it */
    gfp_operation operation;
    unsigned slope; /* octaves */
    gfp_residence resident;
    unsigned operations, threads;
    factor a, b, c; /* c: room for products */
    candidate by[GFP_COST_COLUMNS];
    /* For each method: its last measured time, and log2 of that shorter length; 0: none yet. */
    double last_ns[GFP_COST_COLUMNS], last_m[GFP_COST_COLUMNS];
    double best_ns; /* the least time at the length before; 0: none */
    /* The estimated nanoseconds of all measurements, by the compiled-in costs, and of those
     * done. */
    double planned, done;
    double reported;         /* the last fraction passed to progress */
    uint64_t next_report_ns; /* on the clock */
} measurement;

static const gfp_tuning_options default_options;

/* Calls progress; false: stop. */
static bool measure_report(measurement *s, double fraction)
{
    fraction = fraction < 1 ? fraction : 1;
    s->reported = fraction > s->reported ? fraction : s->reported;
    return s->options->progress == NULL || s->options->progress(s->options->user, s->reported);
}

/* Calls progress between two products if it is time to. `part` nanoseconds were spent on the
 * current length. */
static gfp_status measure_stay(measurement *s, double part)
{
    uint64_t now = gfp_clock_ns();
    if (now < s->next_report_ns) {
        return GFP_OK;
    }
    s->next_report_ns = now + (uint64_t)REPORT_NS;
    double done = s->done + part;
    if (measure_report(s, s->planned > 0 ? 0.99 * fmin(done / s->planned, 1) : 0)) {
        return GFP_OK;
    }
    return gfp_error_set(s->options->error, GFP_ERR_CANCELLED, "cancelled");
}

/* ---- lengths and curves ---- */

/* 1, 2, 3, 4, 6, 8, 12, ... */
static size_t length_at(unsigned h)
{
    return h % 2 == 0 ? (size_t)1 << h / 2 : (size_t)3 << (h - 1) / 2 >> 1;
}

static double limit_ns(const measurement *s)
{
    return s->scheme->limit_ns * (s->resident == GFP_RESIDENT_DEVICE ? DEVICE_LIMIT : 1);
}

static bool is_asked(const measurement *s, unsigned operation)
{
    return (s->operations >> operation & 1) != 0;
}

/* Whether a curve is measured: operations, and slopes of those that may have slopes. With factors
 * on a device neither operands (whose factors come from the host) nor threads are measured. */
static bool has_curve(const measurement *s, unsigned operation, unsigned slope)
{
    const bool on_device = s->resident == GFP_RESIDENT_DEVICE;
    return is_asked(s, operation) &&
           !(on_device && (operation == GFP_OPERATION_OPERAND || s->threads > 1)) &&
           (slope == 0 || (s->scheme->unequal && (operation == GFP_OPERATION_PRODUCT ||
                                                  operation == GFP_OPERATION_OPERAND)));
}

/* The half octave to measure after h. In full: the next one for short products of equal lengths,
 * since everything else is derived from these; an octave further for longer ones, other operations,
 * and narrow factors with longer ones; two octaves for the rest. */
static unsigned next_half(const measurement *s, unsigned h)
{
    const bool fine = s->operation == GFP_OPERATION_PRODUCT && s->slope == 0 && h < SHORT;
    const unsigned step = fine || s->scheme->step > 2   ? s->scheme->step
                          : s->slope == 0 || h < NARROW ? 2
                                                        : 4;
    return h == 0 && step == 1 ? 2 : h + step; /* length 3/2 does not exist */
}

/* The problem that is measured at half octave h. */
static gfp_problem problem_at(const measurement *s, unsigned h)
{
    const size_t n = length_at(h);
    const bool middle = s->operation == GFP_OPERATION_MIDDLE;
    return (gfp_problem){.operation = s->operation,
                         .len_a = middle ? 2 * n - 1 : n << s->slope,
                         .len_b = n,
                         .from = n - 1,
                         .n = n,
                         .resident = s->resident};
}

/* The estimate by a tuning; 0: the method cannot serve, or would use one thread although several
 * are requested, which another measurement covers. Without a GPU no query tries to open one. */
static double measure_estimate(const measurement *s, const gfp_tuning *tuning, size_t method,
                               unsigned h)
{
    gfp_method_info info;
    const gfp_problem p = problem_at(s, h);
    const gfp_options options = {.threads = s->threads, .tuning = tuning};
    if (gfp_method_on_device(gfp_method_row(method)) && !s->gpu) {
        return 0;
    }
    const gfp_status status = gfp_method_query(&info, method, &p, s->field, &options);
    return status == GFP_OK && info.available && (s->threads == 1 || info.threads > 1)
               ? info.estimate_ns
               : 0;
}

/* The expected time of the method at half octave h, from its last measured time. */
static double expected_ns(const measurement *s, size_t method, unsigned h)
{
    gfp_growth *growth = gfp_method_row(method)->growth;
    return s->last_ns[method] *
           exp2(growth(log2((double)length_at(h))) - growth(s->last_m[method]));
}

/* The last measured time is a lower bound. The law of growth would rule out methods whose time at
 * short lengths is mostly a fixed cost, although they are fastest at long ones. */
static bool measure_hopeless(const measurement *s, size_t method)
{
    return s->best_ns > 0 && s->last_ns[method] > HOPELESS * s->best_ns;
}

/* The estimated time to measure all methods at half octave h, by the compiled-in costs. */
static double measure_effort(const measurement *s, unsigned h)
{
    const scheme *how = s->scheme;
    double ns[GFP_COST_COLUMNS], least = HUGE_VAL, sum = 0;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        ns[i] = measure_estimate(s, NULL, i, h);
        least = ns[i] > 0 ? fmin(least, ns[i]) : least;
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (ns[i] > 0 && ns[i] <= limit_ns(s) && ns[i] <= HOPELESS * least) {
            const double runs = how->runs * ns[i];
            sum += ns[i] > BEATEN * least ? runs : fmax(how->budget_ns, runs);
        }
    }
    return sum;
}

/* A curve is an operation with a slope, with factors in host or in device memory. */
static gfp_status for_each_curve(measurement *s, gfp_status (*visit)(measurement *s))
{
    for (unsigned i = 0; i < 2 * OPERATIONS * SLOPES; i++) {
        s->resident = i < OPERATIONS * SLOPES ? GFP_RESIDENT_HOST : GFP_RESIDENT_DEVICE;
        s->operation = (gfp_operation)(i / SLOPES % OPERATIONS);
        s->slope = slopes[i % SLOPES];
        GFP_TRY(has_curve(s, s->operation, s->slope) ? visit(s) : GFP_OK);
    }
    return GFP_OK;
}

static gfp_status plan_curve(measurement *s)
{
    for (unsigned h = s->scheme->first; h <= LAST_HALF; h = next_half(s, h)) {
        s->planned += measure_effort(s, h);
    }
    return GFP_OK;
}

/* ---- measuring ---- */

/* Computes coefficients first <= i < end of a product as gfp_poly_mul does: methods on a device not
 * in place, since they could fail after they have begun to write. */
static gfp_status measure_multiply(measurement *s, const gfp_method *method, const factor *b,
                                   size_t first, size_t end)
{
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    const size_t size = gfp_element_bytes(s->field);
    const gfp_options options = {
        .method = method->name, /* else the CPU would continue if a device fails */
        .verify = GFP_VERIFY_NONE,
        .error = s->options->error,
        .threads = s->threads};
    const gfp_range asked =
        gfp_range_make(s->field, s->a.digits, b->digits, s->a.len, b->len, first, end);
    gfp_mul w;
    uint64_t *apart = NULL, *c = s->c.digits;
    GFP_TRY(gfp_call_begin(&w.product.base, "measured product", &options));
    gfp_status status = gfp_mul_plan(&w, method, &asked);
    if (status == GFP_OK && gfp_method_on_device(method)) {
        c = apart = gfp_allocate(allocator, w.len, size);
        status = apart != NULL ? GFP_OK : GFP_ERR_MEMORY;
    }
    if (status == GFP_OK) {
        status = gfp_mul_run(&w, c);
    }
    if (apart != NULL) {
        gfp_release(allocator, apart, w.len, size);
    }
    return gfp_call_end(&w.product.base, status);
}

/* Runs the operation once by a method. */
static gfp_status measure_run(measurement *s, size_t index)
{
    const gfp_method *method = gfp_method_row(index);
    const gfp_options by_operand = {.error = s->options->error, .threads = s->threads};
    const size_t n = s->b.len;
    if (s->resident == GFP_RESIDENT_DEVICE) {
        return gfp_device_resident_run(&s->by[index].device, s->options->error);
    }
    switch (s->operation) {
    case GFP_OPERATION_SQUARE:
        return measure_multiply(s, method, &s->a, 0, SIZE_MAX);
    case GFP_OPERATION_LOW:
        return measure_multiply(s, method, &s->b, 0, n);
    case GFP_OPERATION_MIDDLE:
        return measure_multiply(s, method, &s->b, n - 1, 2 * n - 1);
    case GFP_OPERATION_OPERAND:
        return gfp_vec_mul_operand(s->c.digits, 0, s->a.len + n - 1, s->a.digits, s->a.len,
                                   s->by[index].x, &by_operand);
    default:
        return measure_multiply(s, method, &s->b, 0, SIZE_MAX);
    }
}

uint64_t gfp_tuning_clock_ns(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
    }
#endif
    return gfp_clock_ns();
}

/* On one thread the time of other processes does not count. */
static uint64_t measure_now(const measurement *s, size_t index)
{
    return s->threads == 1 && !gfp_method_on_device(gfp_method_row(index)) ? gfp_tuning_clock_ns()
                                                                           : gfp_clock_ns();
}

/* Takes one sample of a method; if it is too short for the clock, doubles the next one. */
static gfp_status measure_sample(measurement *s, size_t index)
{
    candidate *x = &s->by[index];
    gfp_status status = GFP_OK;
    const uint64_t start = measure_now(s, index);
    for (size_t i = 0; i < x->batch && status == GFP_OK; i++) {
        status = measure_run(s, index);
    }
    const double ns = (double)(measure_now(s, index) - start);
    if (ns < SAMPLE_NS) {
        x->batch *= 2;
    } else {
        x->samples++;
        x->spent += ns;
        x->least = fmin(x->least, ns / (double)x->batch);
    }
    return status;
}

static gfp_status measure_explain(const measurement *s, gfp_status status)
{
    return status == GFP_OK ? GFP_OK
                            : gfp_error_set(s->options->error, status, "while measuring: %s",
                                            gfp_status_string(status));
}

/* Makes room for n coefficients, which are then undefined. */
static gfp_status measure_fit(factor *x, size_t n, const gfp_field *field)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    const size_t size = gfp_element_bytes(field);
    if (n > x->room) {
        gfp_release(allocator, x->digits, x->room, size);
        x->digits = gfp_allocate(allocator, n, size);
        x->room = x->digits != NULL ? n : 0;
    }
    x->len = x->room >= n ? n : 0;
    return x->room >= n ? GFP_OK : GFP_ERR_MEMORY;
}

static void measure_clear(factor *x, const gfp_field *field)
{
    gfp_release(gfp_field_allocator(field), x->digits, x->room, gfp_element_bytes(field));
}

/* Random factors of exactly these lengths. */
static gfp_status measure_draw(measurement *s, unsigned h)
{
    factor *factors[] = {&s->a, &s->b};
    const size_t k = gfp_field_k(s->field);
    const gfp_problem p = problem_at(s, h);
    gfp_random g;
    gfp_random_seed(&g, h);
    for (size_t i = 0; i < 2; i++) {
        const size_t len = i == 0 ? p.len_a : p.len_b;
        GFP_TRY(measure_fit(factors[i], len, s->field));
        for (size_t j = 0; j < len; j++) {
            gfp_elem_random(s->field, factors[i]->digits + j * k, &g);
        }
        uint64_t *last = factors[i]->digits + (len - 1) * k;
        if (gfp_elem_is_zero(s->field, last)) {
            gfp_elem_set_u64(s->field, last, 1);
        }
    }
    return measure_fit(&s->c, p.len_a + (p.len_a > p.len_b ? p.len_a : p.len_b), s->field);
}

/* The operation as a product on a device. */
static gfp_device_work device_work(const measurement *s, size_t index)
{
    const bool square = s->operation == GFP_OPERATION_SQUARE;
    const bool part = s->operation == GFP_OPERATION_LOW || s->operation == GFP_OPERATION_MIDDLE;
    return (gfp_device_work){.name = gfp_method_name(index),
                             .method = gfp_method_row(index)->device,
                             .members = 1,
                             .field = s->field,
                             .a = s->a.digits,
                             .b = square ? s->a.digits : s->b.digits,
                             .len_a = s->a.len,
                             .len_b = s->b.len,
                             .first = s->operation == GFP_OPERATION_MIDDLE ? s->b.len - 1 : 0,
                             .n = part ? s->b.len : s->a.len + s->b.len - 1,
                             .count = 1};
}

/* The work before the first sample: the transform, the upload, and a run that makes tables. */
static gfp_status measure_enter(measurement *s, size_t index)
{
    const gfp_options options = {.method = gfp_method_name(index), .error = s->options->error};
    candidate *x = &s->by[index];
    if (s->resident == GFP_RESIDENT_DEVICE) {
        const gfp_device_work w = device_work(s, index);
        GFP_TRY(gfp_device_resident_begin(&x->device, &w, s->options->error));
    } else if (s->operation == GFP_OPERATION_OPERAND) {
        const gfp_space_spec spec = {.length = s->a.len + s->b.len - 1, .terms = 1};
        GFP_TRY(gfp_space_create(&x->space, s->field, &spec, &options));
        GFP_TRY(gfp_operand_create(&x->x, x->space));
        GFP_TRY(gfp_operand_set(x->x, s->b.digits, s->b.len, &options));
    }
    return measure_run(s, index);
}

static double least_of_all(const measurement *s)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        least = fmin(least, s->by[i].least);
    }
    return least;
}

/* Whether a method has enough samples: more than one, since the system may have interrupted one.
 * Samples of a method that is much slower than the best need not be exact. */
static bool is_done(const measurement *s, const candidate *x)
{
    const bool beaten = x->least > BEATEN * least_of_all(s);
    const unsigned runs = beaten && x->least > LONG_NS ? 2 : s->scheme->runs;
    return x->samples >= runs && (beaten || x->spent >= s->scheme->budget_ns);
}

/* Takes a sample of each method in turn, so that a temporary slowdown of the machine affects all of
 * them. */
static gfp_status go_round(measurement *s)
{
    for (size_t i = 0; i < gfp_method_count(); i++) {
        GFP_TRY(s->by[i].runs ? measure_enter(s, i) : GFP_OK);
    }
    for (bool any = true; any;) {
        double spent = 0;
        any = false;
        for (size_t i = 0; i < gfp_method_count(); i++) {
            GFP_TRY(s->by[i].runs ? measure_sample(s, i) : GFP_OK);
            spent += s->by[i].spent;
            GFP_TRY(measure_stay(s, spent));
        }
        for (size_t i = 0; i < gfp_method_count(); i++) {
            s->by[i].runs = s->by[i].runs && !is_done(s, &s->by[i]);
            any = any || s->by[i].runs;
        }
    }
    return GFP_OK;
}

/* The row of half octave h. */
static gfp_tuning_row row_at(const measurement *s, unsigned h)
{
    const gfp_problem p = problem_at(s, h);
    return (gfp_tuning_row){.k = gfp_field_k(s->field),
                            .r = gfp_field_r(s->field),
                            .len = p.len_a,
                            .len_b = p.len_b,
                            .operation = s->operation,
                            .threads = s->threads,
                            .resident = s->resident};
}

/* Chooses the methods to measure at half octave h; enters the times of methods that are known. */
static void measure_choose(measurement *s, unsigned h)
{
    const gfp_tuning_row row = row_at(s, h);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const double ns = measure_estimate(s, s->all, i, h);
        const bool fits = (s->last_ns[i] > 0 ? expected_ns(s, i, h) : ns) <= limit_ns(s);
        const double known = s->options->known != NULL && ns > 0
                                 ? gfp_tuning_find_ns(s->options->known, &row, gfp_method_name(i))
                                 : 0;
        s->by[i] = (candidate){.runs = fits && ns > 0 && !(known > 0) && !measure_hopeless(s, i),
                               .batch = 1,
                               .least = known > 0 ? known : HUGE_VAL};
    }
}

/* Enters the measured times, and keeps all times for the next length. */
static gfp_status enter_row(measurement *s, unsigned h, const bool *measured)
{
    const gfp_tuning_row row = row_at(s, h);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const double ns = s->by[i].least;
        if (ns < HUGE_VAL) {
            s->last_ns[i] = ns;
            s->last_m[i] = log2((double)length_at(h));
        }
        if (measured[i]) {
            GFP_TRY(gfp_tuning_set_row(s->tuning, &row, gfp_method_name(i), ns));
            GFP_TRY(s->all == s->tuning ? GFP_OK
                                        : gfp_tuning_set_row(s->all, &row, gfp_method_name(i), ns));
        }
    }
    s->best_ns = least_of_all(s) < HUGE_VAL ? least_of_all(s) : s->best_ns;
    return GFP_OK;
}

/* Measures every method that was chosen. */
static gfp_status measure_length(measurement *s, unsigned h)
{
    bool measured[GFP_COST_COLUMNS] = {false}, any = false;
    for (size_t i = 0; i < gfp_method_count(); i++) {
        measured[i] = s->by[i].runs;
        any = any || measured[i];
    }
    GFP_TRY(any ? measure_explain(s, measure_draw(s, h)) : GFP_OK);
    const gfp_status status = go_round(s);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        gfp_operand_destroy(s->by[i].x);
        gfp_space_destroy(s->by[i].space);
        gfp_device_resident_end(&s->by[i].device, status);
    }
    GFP_TRY(status);
    return measure_explain(s, enter_row(s, h, measured));
}

static gfp_status measure_curve(measurement *s)
{
    s->best_ns = 0;
    memset(s->last_ns, 0, sizeof s->last_ns);
    for (unsigned h = s->scheme->first; h <= LAST_HALF; h = next_half(s, h)) {
        measure_choose(s, h);
        GFP_TRY(measure_length(s, h));
        s->done += measure_effort(s, h);
    }
    return GFP_OK;
}

static gfp_status measure_all(measurement *s)
{
    GFP_TRY(for_each_curve(s, plan_curve));
    GFP_TRY(measure_stay(s, 0));
    GFP_TRY(for_each_curve(s, measure_curve));
    (void)measure_report(s, 1); /* nothing is left to stop */
    return GFP_OK;
}

/* Estimates of the methods that use several threads depend on times on one thread: known times
 * count as if they had just been measured. Times of another machine are not used. */
static gfp_status measure_gather(measurement *s)
{
    const gfp_tuning *known = s->options->known;
    s->all = s->tuning;
    if (known == NULL || s->threads == 1) {
        return GFP_OK;
    }
    gfp_tuning *all = NULL;
    /* The machine with a GPU, if only one of both has one: tunings of both merge into that. */
    const gfp_machine *machine = gfp_tuning_has_gpu(known) ? &known->machine : &s->tuning->machine;
    GFP_TRY(measure_explain(s, gfp_tuning_create_for(&all, machine, &s->tuning->allocator)));
    gfp_status status = gfp_tuning_merge(all, known, NULL);
    if (status == GFP_OK) {
        status = gfp_tuning_merge(all, s->tuning, NULL);
    }
    if (status == GFP_OK) {
        s->all = all;
        return GFP_OK;
    }
    gfp_tuning_destroy(all);
    return status == GFP_STALE ? GFP_OK : measure_explain(s, status);
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
    /* Opens the GPU once, before the check: a tuning of a machine without a GPU stays without. */
    const bool gpu = gfp_tuning_has_gpu(tuning) && gfp_gpu_pool_ask(NULL) == GFP_OK;
    if (gfp_tuning_check(tuning, options->error) != GFP_OK) {
        return GFP_STALE;
    }
    measurement s = {.tuning = tuning,
                     .field = field,
                     .scheme = options->quick ? &quick_scheme : &full_scheme,
                     .options = options,
                     .gpu = gpu,
                     .operations = options->operations != 0 ? options->operations : 1,
                     .threads = options->threads != 0 ? options->threads : 1};
    gfp_status status = measure_gather(&s);
    if (status == GFP_OK) {
        status = measure_all(&s);
    }
    if (s.all != tuning) {
        gfp_tuning_destroy(s.all);
    }
    measure_clear(&s.a, field);
    measure_clear(&s.b, field);
    measure_clear(&s.c, field);
    return status;
}
