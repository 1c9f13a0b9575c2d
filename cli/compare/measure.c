/* measure.c: measures a comparison, length by length: which methods are still worth
 * measuring, how long each may take, whether their results agree, and which times are doubtful.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "cli/compare/session.h"

/* A method is left out if it is expected to take this many times the least time, unless its last
 * time is below the least time expected now: then most of its last time may have been fixed cost,
 * and the expectation may be wrong. */
#define LOST_RATIO 20.0
/* A method is left out in any case if it is expected to take this many times the least time. */
#define HOPELESS_RATIO 100.0
/* One product may take this part of the time that is left. */
#define LARGEST_PART 0.125
#define MOST_BUDGET_NS 5e8
#define LEAST_BUDGET_NS 1e6
/* Samples may take this part of a figure's time; the rest is for warming up, comparing, and
 * starting other programs. */
#define SAMPLES_PART 0.6
/* Times that break their method's curve are measured again, in up to AGAIN_ROUNDS rounds, for
 * AGAIN_SECONDS or, if longer, for AGAIN_PART of the time allowed. */
#define AGAIN_ROUNDS 3
#define AGAIN_SECONDS 0.5
#define AGAIN_PART 0.25
/* Other libraries have no estimates: a multiple of the least one is used. */
#define PEER_RATIO 10.0

/* The last time and the estimates of a method. */
struct history {
    double last_ns, last_estimate; /* the last time measured, and its estimate; 0: none yet */
    size_t last_len;
    double last_ratio; /* the last time divided by the least time at that length */
    double estimate;   /* at the current length; 0: the method cannot serve */
    char reason[200];
};

struct measuring {
    struct comparison *c;
    struct history *history; /* of each method */
    struct bar bar;
    double deadline;      /* on the clock */
    double *plan;         /* nanoseconds that each figure is expected to take; 0: left out */
    double planned, done; /* sums of `plan` */
    size_t left;          /* figures planned and not yet measured */
    double part;          /* the plan of the current figure */
    gfp_poly a, b, result, expected;
    bool drawn;
    char undrawn[240]; /* why this length cannot be measured; "": it can */
};

static double at_most(double x, double limit)
{
    return x < limit ? x : limit;
}

/* Asks for the estimates at a length. */
static gfp_status measure_ask(struct measuring *s, size_t length)
{
    const struct question q = comparison_question(s->c, length);
    double best = 0;
    for (size_t i = 0; i < s->c->own; i++) {
        gfp_method_info info;
        struct history *h = &s->history[i];
        gfp_status status =
            gfp_method_query(&info, s->c->row[i], &q.problem, s->c->field, &q.options);
        if (status != GFP_OK) {
            return status;
        }
        h->estimate = info.available ? info.estimate_ns : 0;
        snprintf(h->reason, sizeof h->reason, "%s", info.reason);
        best = h->estimate > 0 && (!(best > 0) || h->estimate < best) ? h->estimate : best;
    }
    for (size_t i = s->c->own; i < s->c->methods; i++) {
        s->history[i].estimate = PEER_RATIO * (best > 0 ? best : (double)q.problem.len_a);
    }
    return GFP_OK;
}

/* The expected time of a method: its estimate, scaled by its last time if it has one. */
static double expected_ns(const struct history *h)
{
    return h->last_ns > 0 ? h->last_ns * (h->estimate / h->last_estimate) : h->estimate;
}

/* The least expected time; 0: no method can serve. */
static double best_expected(const struct measuring *s)
{
    double best = 0;
    for (size_t i = 0; i < s->c->methods; i++) {
        const struct history *h = &s->history[i];
        if (h->estimate > 0 && (!(best > 0) || expected_ns(h) < best)) {
            best = expected_ns(h);
        }
    }
    return best;
}

static gfp_status make_plan(struct measuring *s)
{
    const struct comparison *c = s->c;
    const double budget =
        at_most(c->seconds * 1e9 / (double)(c->lengths * c->methods), MOST_BUDGET_NS);
    gfp_status status = GFP_OK;
    for (size_t l = 0; l < c->lengths && status == GFP_OK; l++) {
        status = measure_ask(s, l);
        const double best = best_expected(s);
        for (size_t i = 0; i < c->methods && status == GFP_OK; i++) {
            const double ns = s->history[i].estimate;
            if (ns > 0 && ns <= LOST_RATIO * best && ns <= LARGEST_PART * c->seconds * 1e9) {
                s->plan[l * c->methods + i] = budget > 4 * ns ? budget : 4 * ns;
                s->planned += s->plan[l * c->methods + i];
                s->left++;
            }
        }
    }
    return status;
}

/* Decides whether to measure a method at a length; sets the figure's outcome and the reason. */
static bool measure_decide(const struct measuring *s, size_t method, struct figure *figure)
{
    const struct history *h = &s->history[method];
    const bool peer = method >= s->c->own; /* the other libraries are always compared */
    const double best = best_expected(s);
    const double ns = expected_ns(h);
    const double left = (s->deadline - seconds_now()) * 1e9;
    if (!(h->estimate > 0)) {
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof figure->note, "cannot serve: %s", h->reason);
    } else if (!peer && h->last_ns > 0 && h->last_ratio > LOST_RATIO / 2 &&
               ns > LOST_RATIO * best && (h->last_ns > best || ns > HOPELESS_RATIO * best)) {
        figure->outcome = LOST;
        snprintf(figure->note, sizeof figure->note,
                 "left out: took %.3g times the least at %zu terms", h->last_ratio, h->last_len);
    } else if (!peer && !(h->last_ns > 0) && ns > HOPELESS_RATIO * best) {
        figure->outcome = LOST;
        snprintf(figure->note, sizeof figure->note, "left out: estimated at %.3g times the least",
                 ns / best);
    } else if (ns > LARGEST_PART * left) {
        figure->outcome = TOO_LONG;
        snprintf(figure->note, sizeof figure->note,
                 "left out: about %.3g s, and --max-seconds leaves too few", ns / 1e9);
    } else {
        figure->outcome = MEASURED;
    }
    return figure->outcome == MEASURED;
}

/* effort.stay. */
static bool measure_stay(void *user, double spent_ns)
{
    struct measuring *s = user;
    if (s->planned > 0) {
        bar_show(&s->bar, at_most((s->done + at_most(spent_ns, s->part)) / s->planned, 1));
    }
    return !stop_asked();
}

/* Draws the factors and computes the expected result, once for each length. A length that needs too
 * much memory is left out. Returns an exit code. */
static int measure_draw(struct measuring *s, const struct question *q)
{
    gfp_error error = {.message = ""};
    if (s->drawn) {
        return DONE;
    }
    s->drawn = true;
    gfp_status status = draw_operands(&s->a, q->problem.len_a, &s->b, q->problem.len_b, s->c->seed);
    if (status == GFP_OK) {
        status = run_verified(q, &s->expected, &s->a, &s->b, &error);
    }
    if (status == GFP_ERR_MEMORY || status == GFP_ERR_SIZE) {
        snprintf(s->undrawn, sizeof s->undrawn, "left out: %.200s",
                 error.message[0] != '\0' ? error.message : gfp_status_string(status));
        return DONE;
    }
    return status == GFP_OK ? DONE : complain_status("compare", status, &error);
}

/* Computes one result and compares it, then measures the time. *wrong: the result differs from the
 * verified one. */
static gfp_status take_time(struct measuring *s, size_t length, size_t method,
                            const struct effort *effort, struct timing *timing, bool *wrong,
                            gfp_error *error)
{
    const struct comparison *c = s->c;
    const struct question q = comparison_question(c, length);
    const struct effort once = {.budget_ns = 0, .most_ns = 0, .stay = measure_stay, .user = s};
    struct row row = {.info = {.name = c->name[method]}};
    gfp_status status;
    if (method >= c->own) {
        status = measure_peer(timing, &c->peer[method - c->own], effort, &s->a, &s->b, &s->expected,
                              error);
        *wrong = status == GFP_ERR_VERIFY;
        return status;
    }
    status = measure_row(&row, &q, &once, &s->result, &s->a, &s->b, error);
    *wrong = status == GFP_OK && !gfp_poly_equal(&s->result, &s->expected);
    if (status == GFP_OK && !*wrong) {
        status = measure_row(&row, &q, effort, &s->result, &s->a, &s->b, error);
        *timing = row.timing;
    }
    return status;
}

/* Measures a figure; a lower time that it already has stays. */
static int measure_figure(struct measuring *s, size_t length, size_t method, gfp_status *status)
{
    const struct question q = comparison_question(s->c, length);
    const double left_ns = (s->deadline - seconds_now()) * 1e9;
    const double share = SAMPLES_PART * left_ns / (double)(s->left > 0 ? s->left : 1);
    const struct effort effort = {
        .budget_ns = share > LEAST_BUDGET_NS ? at_most(share, MOST_BUDGET_NS) : LEAST_BUDGET_NS,
        .most_ns = LARGEST_PART * left_ns,
        .stay = measure_stay,
        .user = s};
    struct figure *figure = comparison_figure(s->c, length, method);
    struct history *h = &s->history[method];
    struct timing timing = {.runs = 0};
    bool wrong = false;
    gfp_error error = {.message = ""};
    const int code = measure_draw(s, &q);
    if (code == DONE && s->undrawn[0] != '\0') {
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof figure->note, "%s", s->undrawn);
    }
    if (code != DONE || figure->outcome != MEASURED) {
        return code;
    }
    *status = take_time(s, length, method, &effort, &timing, &wrong, &error);
    if (wrong) {
        complain("compare: wrong result: %s at %zu terms differs from what was verified",
                 s->c->name[method], s->c->len[length]);
        return FAILED;
    }
    if (*status == GFP_ERR_CANCELLED) {
        return DONE;
    }
    if (*status != GFP_OK) { /* the other methods continue */
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof figure->note, "failed: %.200s",
                 error.message[0] != '\0' ? error.message : gfp_status_string(*status));
        *status = GFP_OK;
        return DONE;
    }
    if (figure->timing.runs == 0 || timing.min_ns < figure->timing.min_ns) {
        figure->timing = timing;
    }
    h->last_ns = (double)figure->timing.min_ns;
    h->last_estimate = h->estimate;
    h->last_len = s->c->len[length];
    return DONE;
}

/* Notes the ratio of each method measured at this length to the least time. */
static void note_ratios(struct measuring *s, size_t length)
{
    double best = 0;
    for (size_t i = 0; i < s->c->methods; i++) {
        const struct figure *f = comparison_figure(s->c, length, i);
        if (f->outcome == MEASURED && (!(best > 0) || (double)f->timing.min_ns < best)) {
            best = (double)f->timing.min_ns;
        }
    }
    for (size_t i = 0; i < s->c->methods && best > 0; i++) {
        if (s->history[i].last_len == s->c->len[length]) {
            s->history[i].last_ratio = s->history[i].last_ns / best;
        }
    }
}

/* Begins a length. */
static void start_length(struct measuring *s)
{
    s->drawn = false;
    s->undrawn[0] = '\0';
}

/* Measures a method that would be left out for its time at this length once more, if its time or
 * its estimate says that this does not take too long: one bad time must not leave a method out. */
static int confirm_losers(struct measuring *s, size_t length, gfp_status *status)
{
    int code = DONE;
    for (size_t i = 0; i < s->c->own && code == DONE && *status == GFP_OK; i++) {
        const struct history *h = &s->history[i];
        const double most = LARGEST_PART * (s->deadline - seconds_now()) * 1e9;
        if (h->last_len == s->c->len[length] && h->last_ratio > LOST_RATIO / 2 &&
            at_most(h->last_ns, LOST_RATIO / 2 * h->estimate) < most) {
            code = measure_figure(s, length, i, status);
        }
    }
    return code;
}

static int measure_length(struct measuring *s, size_t length, gfp_status *status)
{
    int code = DONE;
    *status = measure_ask(s, length);
    start_length(s);
    for (size_t i = 0; i < s->c->methods && code == DONE && *status == GFP_OK; i++) {
        s->part = s->plan[length * s->c->methods + i];
        if (!measure_stay(s, 0)) {
            *status = GFP_ERR_CANCELLED;
        } else if (measure_decide(s, i, comparison_figure(s->c, length, i))) {
            code = measure_figure(s, length, i, status);
        }
        s->done += s->part;
        s->left -= s->part > 0 ? 1 : 0;
    }
    note_ratios(s, length);
    if (code == DONE && *status == GFP_OK) {
        code = confirm_losers(s, length, status);
        note_ratios(s, length);
    }
    return code;
}

/* ---- times to doubt ---- */

static double time_at(const struct comparison *c, size_t length, size_t method)
{
    const struct figure *f = comparison_figure(c, length, method);
    return f->outcome == MEASURED && f->timing.min_ns > 0 ? (double)f->timing.min_ns : 0;
}

/* A time breaks its method's curve if it exceeds `order` times a longer product's time, or `step`
 * times the time that its neighbours suggest. */
struct limits {
    double order, step;
};

/* The limits of each round: the worst times are measured again first. */
static const struct limits doubtful[AGAIN_ROUNDS] = {{1.5, 2.5}, {1.05, 1.5}, {1.05, 1.5}};
/* The limit for marking a time after that: real steps, such as those of padding, are smaller. */
static const struct limits broken_still = {1.05, 2.5};

/* The neighbours suggest a straight line in the logarithms; without a following neighbour,
 * quadratic growth. */
static bool breaks_curve(const struct comparison *c, size_t length, size_t method,
                         const struct limits *limits)
{
    const double ns = time_at(c, length, method);
    const double before = length > 0 ? time_at(c, length - 1, method) : 0;
    const double after = length + 1 < c->lengths ? time_at(c, length + 1, method) : 0;
    bool broken = false;
    if (ns > 0 && before > 0) {
        const double x0 = log((double)c->len[length - 1]);
        const double x = log((double)c->len[length]) - x0;
        const double slope =
            after > 0 ? log(after / before) / (log((double)c->len[length + 1]) - x0) : 2;
        broken = ns > limits->step * before * exp(slope * x);
    }
    for (size_t l = length + 1; l < c->lengths && ns > 0; l++) {
        const double longer = time_at(c, l, method);
        broken = broken || (longer > 0 && ns > limits->order * longer);
    }
    return broken;
}

/* Measures one time again. */
static int measure_again(struct measuring *s, size_t length, size_t method, gfp_status *status)
{
    const struct figure before = *comparison_figure(s->c, length, method);
    struct figure *figure = comparison_figure(s->c, length, method);
    const int code = measure_stay(s, 0) ? measure_figure(s, length, method, status) : DONE;
    if (figure->outcome != MEASURED) { /* the first time stays */
        *figure = before;
    }
    figure->again++;
    return code;
}

/* Measures again the times at a length that break their curves, while time is left. */
static int mend_length(struct measuring *s, size_t length, const struct limits *limits, double end,
                       gfp_status *status)
{
    int code = DONE;
    start_length(s);
    for (size_t i = 0; i < s->c->methods && code == DONE && *status == GFP_OK; i++) {
        if (breaks_curve(s->c, length, i, limits) && seconds_now() < end) {
            code = measure_again(s, length, i, status);
        }
    }
    return code;
}

/* Measures times again that break their curves, and marks those that still do. */
static int mend_curves(struct measuring *s, gfp_status *status)
{
    const struct comparison *c = s->c;
    const double now = seconds_now();
    int code = DONE;
    const double end = now + fmax(AGAIN_PART * c->seconds, AGAIN_SECONDS);
    s->deadline = fmax(s->deadline, end);
    s->planned = 0; /* the bar is full */
    s->left = 2 * c->lengths;
    for (size_t round = 0; round < AGAIN_ROUNDS && code == DONE; round++) {
        for (size_t l = 0; l < c->lengths && code == DONE; l++) {
            code = mend_length(s, l, &doubtful[round], end, status);
        }
    }
    for (size_t l = 0; l < c->lengths && code == DONE; l++) {
        for (size_t i = 0; i < c->methods; i++) {
            if (breaks_curve(c, l, i, &broken_still)) {
                struct figure *f = comparison_figure(c, l, i);
                snprintf(f->note, sizeof f->note, "breaks its curve%s",
                         f->again > 0 ? ", measured again" : "");
            }
        }
    }
    return code;
}

int measure_comparison(void *comparison, bool *interrupted)
{
    struct comparison *c = comparison;
    struct measuring s = {.c = c, .deadline = seconds_now() + c->seconds};
    gfp_status status = GFP_ERR_MEMORY;
    int code = DONE;
    s.history = calloc(c->methods, sizeof *s.history);
    s.plan = calloc(c->lengths * c->methods, sizeof *s.plan);
    gfp_poly_init(&s.a, c->field);
    gfp_poly_init(&s.b, c->field);
    gfp_poly_init(&s.result, c->field);
    gfp_poly_init(&s.expected, c->field);
    if (s.history != NULL && s.plan != NULL) {
        status = make_plan(&s);
    }
    bar_start(&s.bar);
    s.bar.label = gfp_field_name(c->field);
    for (size_t l = 0; l < c->lengths && code == DONE && status == GFP_OK; l++) {
        code = measure_length(&s, l, &status);
        if (status == GFP_ERR_CANCELLED) {
            *interrupted = true;
            c->lengths = l;
        }
    }
    if (code == DONE && status == GFP_OK) {
        code = mend_curves(&s, &status);
    }
    bar_clear(&s.bar);
    gfp_poly_clear(&s.a);
    gfp_poly_clear(&s.b);
    gfp_poly_clear(&s.result);
    gfp_poly_clear(&s.expected);
    free(s.history);
    free(s.plan);
    if (code == DONE && status != GFP_OK && status != GFP_ERR_CANCELLED) {
        code = complain_status("compare", status, NULL);
    }
    return code;
}
