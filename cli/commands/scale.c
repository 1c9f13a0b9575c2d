/* scale.c: the subcommand scale: predicted times of products by ranks, devices and through files,
 * from measured points (cli/scale/).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/scale/scale.h"

/* The table: terms 2^LEAST_LOG or fewer up to 2^MOST_LOG, each 4 times the one before; workers by
 * powers of two. */
#define LEAST_LOG 16
#define MOST_LOG 36
#define LOG_STEP 2
#define MOST_LOG_WORKERS 10
#define GOAL 0.15 /* of the error */

/* A table that is printed. */
struct scale_table {
    const struct group *group;
    const struct modulus *field;
    struct fit fit;
};

struct cell {
    uint64_t terms, workers;
    double seconds, efficiency;
    bool measured, fits;
};

static enum worker_kind kind_of(const struct scale_table *t)
{
    return t->group->point[0].kind;
}

static struct cell make_cell(const struct scale_table *t, unsigned log_terms, unsigned log_workers)
{
    const struct host *host = t->group->host;
    struct amounts x;
    struct point job = {.kind = kind_of(t),
                        .field = *t->field,
                        .terms = (uint64_t)1 << log_terms,
                        .workers = (uint64_t)1 << log_workers};
    struct cell c = {.terms = job.terms, .workers = job.workers};
    count_amounts(&x, host, &job);
    c.seconds = predict_seconds(&t->fit, host, &job);
    c.measured = is_measured(t->group, &job);
    /* One worker of a host may take all of its memory, but a device has its own. */
    const uint64_t share = job.kind == GPUS && job.workers < host->workers
                               ? host->memory / host->workers * job.workers
                               : host->memory;
    c.fits = host->memory == 0 || x.memory <= (double)share;
    job.workers = 1;
    c.efficiency = predict_seconds(&t->fit, host, &job) / c.seconds / (double)c.workers;
    return c;
}

/* The first row's log2: that of the least measured terms, if below LEAST_LOG. */
static unsigned first_log(const struct scale_table *t)
{
    unsigned log = LEAST_LOG;
    while (log > LOG_STEP && t->group->point[0].terms < (uint64_t)1 << log) {
        log -= LOG_STEP;
    }
    return log;
}

static bool is_row_measured(const struct scale_table *t, unsigned log)
{
    bool any = false;
    for (unsigned w = 0; w <= MOST_LOG_WORKERS && !any; w++) {
        any = make_cell(t, log, w).measured;
    }
    return any;
}

static double shown_rate(const struct column *column, double rate)
{
    return column->inverse ? 1e-9 / rate : rate * 1e9;
}

/* ---- text ---- */

static void print_fit(const struct scale_table *t)
{
    const struct host *host = t->group->host;
    const enum worker_kind kind = kind_of(t);
    printf("%s, %s: %zu points, hosts of %zu", host->name, worker_names[kind], t->group->count,
           (size_t)host->workers);
    if (host->memory != 0) {
        printf(", %.4g GiB", (double)host->memory / 1073741824);
    }
    printf("\n");
    for (const struct column *c = model_columns[kind];
         c < model_columns[kind] + MODEL_COLUMNS && c->name != NULL; c++) {
        const double rate = t->fit.rate[c - model_columns[kind]];
        if (rate > 0) {
            printf("  %-18s %.4g %s\n", c->name, shown_rate(c, rate), c->unit);
        } else {
            printf("  %-18s no part of the times\n", c->name);
        }
    }
    printf("  fitted to %zu points; error on the other %zu: median %.1f %%, worst %.1f %%\n",
           t->fit.fitted, t->fit.tested, 100 * t->fit.median, 100 * t->fit.worst);
    if (!(t->fit.worst <= GOAL)) {
        printf("  the worst error is above %.0f %%: do not rely on these predictions\n",
               100 * GOAL);
    }
    if (kind != FILES) {
        printf("  between hosts: %.4g GB/s each way%s, %.3g us a message (assumed)\n",
               (host->link != 0 ? (double)host->link : ASSUMED_LINK) / 1e9,
               host->link != 0 ? "" : " (assumed)", ASSUMED_LATENCY * 1e6);
    }
}

static void print_rows(const struct scale_table *t, bool efficiency)
{
    printf("%8s", "terms");
    for (unsigned w = 0; w <= MOST_LOG_WORKERS; w++) {
        printf("%8zu ", (size_t)1 << w);
    }
    printf("\n");
    for (unsigned log = first_log(t); log <= MOST_LOG; log += LOG_STEP) {
        printf("   2^%-2u ", log);
        for (unsigned w = 0; w <= MOST_LOG_WORKERS; w++) {
            const struct cell c = make_cell(t, log, w);
            printf("%8.3g%s", efficiency ? 100 * c.efficiency : c.seconds,
                   !c.fits      ? ">"
                   : c.measured ? " "
                                : "*");
        }
        printf("%s\n", is_row_measured(t, log) ? "" : "  not measured");
    }
}

static void print_table(const struct scale_table *t)
{
    print_fit(t);
    printf("  %s, seconds by number of %s; * not measured, > exceeds the memory of the hosts\n",
           t->field->name, kind_of(t) == GPUS ? "devices" : "ranks of one thread");
    print_rows(t, false);
    printf("  efficiency, %%\n");
    print_rows(t, true);
}

/* ---- JSON ---- */

static void json_table(struct json *json, const struct scale_table *t)
{
    const struct host *host = t->group->host;
    const enum worker_kind kind = kind_of(t);
    json_open(json, NULL, '{');
    json_string(json, "machine", host->name);
    json_string(json, "kind", worker_names[kind]);
    json_u64(json, "points", t->group->count);
    json_u64(json, "fitted", t->fit.fitted);
    json_digits(json, "median_error", t->fit.median, 4);
    json_digits(json, "worst_error", t->fit.worst, 4);
    json_bool(json, "reliable", t->fit.worst <= GOAL);
    json_digits(json, "link", host->link != 0 ? (double)host->link : ASSUMED_LINK, 6);
    json_bool(json, "link_assumed", host->link == 0);
    json_open(json, "rates", '[');
    for (size_t i = 0; i < MODEL_COLUMNS && model_columns[kind][i].name != NULL; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", model_columns[kind][i].name);
        json_string(json, "unit", model_columns[kind][i].unit);
        if (t->fit.rate[i] > 0) {
            json_digits(json, "value", shown_rate(&model_columns[kind][i], t->fit.rate[i]), 4);
        } else {
            json_null(json, "value");
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "rows", '[');
    for (unsigned log = first_log(t); log <= MOST_LOG; log += LOG_STEP) {
        for (unsigned w = 0; w <= MOST_LOG_WORKERS; w++) {
            const struct cell c = make_cell(t, log, w);
            json_open(json, NULL, '{');
            json_u64(json, "terms", c.terms);
            json_u64(json, "workers", c.workers);
            json_digits(json, "seconds", c.seconds, 4);
            json_digits(json, "efficiency", c.efficiency, 4);
            json_bool(json, "measured", c.measured);
            json_bool(json, "fits", c.fits);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* ---- the command ---- */

/* Reads --points, or the lines that the command brings along. */
static int load_points(struct points *points, const char *path)
{
    gfp_error error = {.message = ""};
    const char *name = path != NULL ? shown_path(path) : "the command's points";
    const bool standard = path != NULL && strcmp(path, "-") == 0;
    errno = 0;
    FILE *in = standard       ? stdin
               : path != NULL ? fopen(path, "r")
                              : fmemopen(measured_points, strlen(measured_points), "r");
    if (in == NULL) {
        complain("--points: %s: %s", name, strerror(errno));
        return path != NULL ? BAD_USAGE : FAILED;
    }
    const gfp_status status = read_points(points, in, &error);
    if (!standard) {
        (void)fclose(in);
    }
    if (status == GFP_OK) {
        return DONE;
    }
    if (error.line != 0) {
        complain("--points: %s:%zu: %s", name, (size_t)error.line, error.message);
    } else {
        complain("--points: %s: %s", name, error.message);
    }
    return exit_code(status);
}

/* Whether the options ask for the group. */
static bool is_asked(const struct request *request, const struct group *group)
{
    const struct scale_values *values = &request->own.scale;
    return (values->machine == NULL || strcmp(values->machine, group->host->name) == 0) &&
           (!is_given(request, "kind") || group->point[0].kind == values->kind);
}

static int run_scale(const struct request *request)
{
    static struct points points;
    struct modulus field = {.name = ""};
    gfp_error error = {.message = ""};
    struct json json;
    const bool as_json = request->call.json;
    size_t shown = 0, few = 0;
    const char *name = request->fields > 0 ? request->field[0] : "p8";
    const gfp_status status = find_modulus(&field, name, &error);
    if (status != GFP_OK) {
        return complain_status("--field", status, &error);
    }
    const int code = load_points(&points, request->own.scale.points);
    if (code != DONE) {
        return code;
    }
    for (struct group g = {.count = 0}; next_group(&g, &points);) {
        struct scale_table t = {.group = &g, .field = &field};
        if (!is_asked(request, &g)) {
            continue;
        }
        if (g.count < LEAST_POINTS) {
            say("%s, %s: no prediction from fewer than %d points: there are %zu", g.host->name,
                worker_names[g.point[0].kind], LEAST_POINTS, g.count);
            few++;
            continue;
        }
        if (!fit_points(&t.fit, &g)) {
            say("%s, %s: no rates fit the points", g.host->name, worker_names[g.point[0].kind]);
            few++;
            continue;
        }
        if (as_json && shown == 0) {
            json_begin(&json, stdout);
            json_string(&json, "field", field.name);
            json_digits(&json, "assumed_latency", ASSUMED_LATENCY, 4);
            json_open(&json, "tables", '[');
        }
        if (as_json) {
            json_table(&json, &t);
        } else {
            printf("%s", shown > 0 ? "\n" : "");
            print_table(&t);
        }
        shown++;
    }
    if (shown == 0) {
        complain("scale: %s", few > 0 ? "no points to fit a model to" : "no such points");
        return BAD_USAGE;
    }
    if (as_json) {
        json_close(&json, ']');
        json_end(&json);
    }
    return flush_standard_output(0);
}

const struct command scale_commands[] = {
    {.name = "scale",
     .summary = "Predict times of products over ranks and devices",
     .doc =
         "Predicts the times of products over many ranks, devices or through files, from measured "
         "points: of the command, or of your machines with --points."
         "\vA model is fitted to one half of the points of each machine; the error on the other "
         "half is printed. Lines of FILE, as gfpoly_bench_ranks and gfpoly_gpu_bench --points "
         "print them:\n"
         "  machine NAME workers N memory BYTES link BYTES\n"
         "  point NAME ranks|gpus|files FIELD TERMS WORKERS SECONDS\n"
         "N and memory are those of a host; link (may be left out): bytes a second between hosts. "
         "# begins a comment.\n"
         "JSON keys: field, assumed_latency (seconds), tables: [{machine, kind, points, fitted, "
         "median_error, worst_error, reliable (the worst error is at most 0.15), link, "
         "link_assumed, rates: [{name, unit, value (null: no part of the times)}], rows: [{terms, "
         "workers, seconds, efficiency, measured, fits (the memory of the hosts)}]}].",
     .run = run_scale},
    {.name = NULL}};
