/* compare_measure.c: the figures of a comparison, length by length: which methods are still worth
 * measuring, how long each may take, and that their results agree.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* A method is left out where it is expected to take so many times the least time, unless its last
 * time is below what the best one is expected to take: then the expectation may be wrong, as where
 * most of its time was fixed cost. */
#define LOST_RATIO 20.0
/* But not where it would take so many times. */
#define HOPELESS_RATIO 100.0
/* Of the time that is left, one product may take this part. */
#define LARGEST_PART 0.125
#define MOST_BUDGET_NS 5e8
#define LEAST_BUDGET_NS 1e6

/* What is known of a method. */
struct history {
    double last_ns, last_estimate; /* measured last, and what was estimated then; 0: not yet */
    size_t last_len;
    double last_ratio; /* to the least time at that length */
    double estimate;   /* at the length under way; 0: the method cannot serve */
    char reason[200];
};

struct measuring {
    struct comparison *c;
    struct history *history; /* of each method */
    struct bar bar;
    double deadline;      /* on the clock */
    double *plan;         /* nanoseconds that each figure is expected to take; 0: left out */
    double planned, done; /* sums of it */
    size_t left;          /* figures that are planned and to come */
    double part;          /* the plan of the figure under way */
    gfp_poly a, b, result, expected;
    bool drawn;
    char undrawn[240]; /* why there is nothing to measure at this length; "": there is */
};

static double at_most(double x, double limit)
{
    return x < limit ? x : limit;
}

/* Estimates for a length. */
static gfp_status ask(struct measuring *s, size_t length)
{
    const gfp_problem p = comparison_problem(s->c, length);
    for (size_t i = 0; i < s->c->methods; i++) {
        gfp_method_info info;
        struct history *h = &s->history[i];
        gfp_status status = gfp_method_query_problem(s->c->field, &p, s->c->row[i], &info);
        if (status != GFP_OK) {
            return status;
        }
        h->estimate = info.available ? info.estimate_ns : 0;
        snprintf(h->reason, sizeof(h->reason), "%s", info.reason);
    }
    return GFP_OK;
}

/* What a method will take, from its last time where there is one. */
static double expected_ns(const struct history *h)
{
    return h->last_ns > 0 ? h->last_ns * (h->estimate / h->last_estimate) : h->estimate;
}

/* The least of that; 0: no method can serve. */
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
        status = ask(s, l);
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

/* Whether to measure a method at a length; figure gets the outcome and the reason. */
static bool decide(const struct measuring *s, const struct history *h, struct figure *figure)
{
    const double best = best_expected(s);
    const double ns = expected_ns(h);
    const double left = (s->deadline - seconds_now()) * 1e9;
    if (!(h->estimate > 0)) {
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof(figure->note), "cannot serve: %s", h->reason);
    } else if (h->last_ns > 0 && h->last_ratio > LOST_RATIO / 2 && ns > LOST_RATIO * best &&
               (h->last_ns > best || ns > HOPELESS_RATIO * best)) {
        figure->outcome = LOST;
        snprintf(figure->note, sizeof(figure->note),
                 "left out: took %.3g times the least at %zu terms", h->last_ratio, h->last_len);
    } else if (!(h->last_ns > 0) && ns > HOPELESS_RATIO * best) {
        figure->outcome = LOST;
        snprintf(figure->note, sizeof(figure->note), "left out: estimated at %.3g times the least",
                 ns / best);
    } else if (ns > LARGEST_PART * left) {
        figure->outcome = TOO_LONG;
        snprintf(figure->note, sizeof(figure->note),
                 "left out: about %.3g s, and --max-seconds leaves too few", ns / 1e9);
    } else {
        figure->outcome = MEASURED;
    }
    return figure->outcome == MEASURED;
}

/* effort.stay. */
static bool stay(void *user, double spent_ns)
{
    struct measuring *s = user;
    if (s->planned > 0) {
        bar_show(&s->bar, at_most((s->done + at_most(spent_ns, s->part)) / s->planned, 1));
    }
    return !stop_asked();
}

/* The factors, and what is to come out: once for a length. A length that memory is too short for is
 * left out; returns an exit code. */
static int draw(struct measuring *s, const gfp_problem *p)
{
    gfp_error error = {.message = ""};
    if (s->drawn) {
        return DONE;
    }
    s->drawn = true;
    gfp_status status = draw_operands(&s->a, p->len_a, &s->b, p->len_b, s->c->seed);
    if (status == GFP_OK) {
        status = run_verified(p, &s->expected, &s->a, &s->b, &error);
    }
    if (status == GFP_ERR_MEMORY || status == GFP_ERR_SIZE) {
        snprintf(s->undrawn, sizeof(s->undrawn), "left out: %.200s",
                 error.message[0] != '\0' ? error.message : gfp_status_string(status));
        return DONE;
    }
    return status == GFP_OK ? DONE : complain_status("compare", status, &error);
}

/* One result, compared; then the time. */
static int measure_figure(struct measuring *s, size_t length, size_t method, gfp_status *status)
{
    const gfp_problem p = comparison_problem(s->c, length);
    const double left_ns = (s->deadline - seconds_now()) * 1e9;
    const double share = left_ns / (double)(s->left > 0 ? s->left : 1);
    const struct effort once = {.budget_ns = 0, .most_ns = 0, .stay = stay, .user = s};
    const struct effort effort = {
        .budget_ns = share > LEAST_BUDGET_NS ? at_most(share, MOST_BUDGET_NS) : LEAST_BUDGET_NS,
        .most_ns = LARGEST_PART * left_ns,
        .stay = stay,
        .user = s};
    struct row row = {.info = {.name = s->c->name[method]}};
    struct figure *figure = comparison_figure(s->c, length, method);
    gfp_error error = {.message = ""};
    const int code = draw(s, &p);
    if (code == DONE && s->undrawn[0] != '\0') {
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof(figure->note), "%s", s->undrawn);
    }
    if (code != DONE || figure->outcome != MEASURED) {
        return code;
    }
    *status = measure_row(&row, &p, &once, &s->result, &s->a, &s->b, &error);
    if (*status == GFP_OK && !gfp_poly_equal(&s->result, &s->expected)) {
        complain("compare: wrong result: %s at %zu terms differs from what was verified",
                 row.info.name, s->c->len[length]);
        return FAILED;
    }
    if (*status == GFP_OK) {
        *status = measure_row(&row, &p, &effort, &s->result, &s->a, &s->b, &error);
    }
    if (*status == GFP_ERR_CANCELLED) {
        return DONE;
    }
    if (*status != GFP_OK) { /* the others go on */
        figure->outcome = CANNOT;
        snprintf(figure->note, sizeof(figure->note), "failed: %.200s",
                 error.message[0] != '\0' ? error.message : gfp_status_string(*status));
        *status = GFP_OK;
        return DONE;
    }
    figure->runs = row.runs;
    figure->min_ns = row.min_ns;
    figure->median_ns = row.median_ns;
    figure->spread = row.spread;
    s->history[method].last_ns = (double)row.min_ns;
    s->history[method].last_estimate = s->history[method].estimate;
    s->history[method].last_len = s->c->len[length];
    return DONE;
}

/* How far each of the methods measured at this length was behind. */
static void note_ratios(struct measuring *s, size_t length)
{
    double best = 0;
    for (size_t i = 0; i < s->c->methods; i++) {
        const struct figure *f = comparison_figure(s->c, length, i);
        if (f->outcome == MEASURED && (!(best > 0) || (double)f->min_ns < best)) {
            best = (double)f->min_ns;
        }
    }
    for (size_t i = 0; i < s->c->methods && best > 0; i++) {
        if (s->history[i].last_len == s->c->len[length]) {
            s->history[i].last_ratio = s->history[i].last_ns / best;
        }
    }
}

static int measure_length(struct measuring *s, size_t length, gfp_status *status)
{
    int code = DONE;
    *status = ask(s, length);
    s->drawn = false;
    s->undrawn[0] = '\0';
    for (size_t i = 0; i < s->c->methods && code == DONE && *status == GFP_OK; i++) {
        s->part = s->plan[length * s->c->methods + i];
        if (!stay(s, 0)) {
            *status = GFP_ERR_CANCELLED;
        } else if (decide(s, &s->history[i], comparison_figure(s->c, length, i))) {
            code = measure_figure(s, length, i, status);
        }
        s->done += s->part;
        s->left -= s->part > 0 ? 1 : 0;
    }
    note_ratios(s, length);
    return code;
}

int measure_comparison(struct comparison *c, bool *interrupted)
{
    struct measuring s = {.c = c, .deadline = seconds_now() + c->seconds};
    gfp_status status = GFP_ERR_MEMORY;
    int code = DONE;
    s.history = calloc(c->methods, sizeof(*s.history));
    s.plan = calloc(c->lengths * c->methods, sizeof(*s.plan));
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
