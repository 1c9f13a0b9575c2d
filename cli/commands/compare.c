/* compare.c: the subcommand compare: the times of every method over a range of lengths, as a
 * table, a plot in characters, and files with pictures; and the lengths at which one method
 * overtakes another.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/session.h"

#define DEFAULT_MIN_LEN 2
#define DEFAULT_MAX_LEN 65536
#define DEFAULT_POINTS 2

struct question comparison_question(const struct comparison *c, size_t length)
{
    const size_t n = c->len[length];
    return (struct question){
        .problem = {.operation = c->operation,
                    .len_a = c->operation == GFP_OPERATION_MIDDLE ? 2 * n - 1 : n,
                    .len_b = n,
                    .from = n - 1,
                    .n = n},
        .options = {.threads = c->threads}};
}

struct figure *comparison_figure(const struct comparison *c, size_t length, size_t method)
{
    return &c->all[length * c->methods + method];
}

bool comparison_has(const struct comparison *c, size_t method)
{
    for (size_t i = 0; i < c->lengths; i++) {
        if (comparison_figure(c, i, method)->outcome == MEASURED) {
            return true;
        }
    }
    return false;
}

double comparison_ratio(const struct comparison *c, size_t length, size_t method)
{
    return (double)comparison_figure(c, length, method)->timing.min_ns /
           (double)comparison_figure(c, length, c->pick[length])->timing.min_ns;
}

/* ---- what to measure ---- */

static void compare_clear(struct comparison *c)
{
    free(c->len);
    free(c->row);
    free(c->pick);
    free(c->name);
    free(c->all);
    free(c->crossover);
    free(c->words);
}

/* Checks that every word of the list names a method or one of the other libraries. Reports errors;
 * returns an exit code. */
static int check_list(const char *list, const struct peer *peers, size_t count)
{
    while (list != NULL) {
        const size_t word = strcspn(list, ",");
        bool known = false;
        for (size_t i = 0; i < gfp_method_count() + count && !known; i++) {
            const char *name =
                i < gfp_method_count() ? gfp_method_name(i) : peers[i - gfp_method_count()].name;
            known = strlen(name) == word && strncmp(list, name, word) == 0;
        }
        if (!known) {
            char name[40];
            struct suggestion s;
            snprintf(name, sizeof name, "%.*s", (int)(word < sizeof name ? word : sizeof name),
                     list);
            begin_suggestion(&s, name);
            consider_methods(&s);
            for (size_t i = 0; i < count; i++) {
                consider(&s, peers[i].name);
            }
            complain(
                "compare: --methods: unknown method '%s'; `gfpoly methods' lists the names; FLINT "
                "and NTL, if found, compute products on one thread%s",
                name, end_suggestion(&s, ""));
            return BAD_USAGE;
        }
        list = list[word] == '\0' ? NULL : list + word + 1;
    }
    return DONE;
}

/* Makes the columns. Reports errors; returns an exit code. */
static int make_columns(struct comparison *c, const char *list)
{
    struct peer peers[MOST_PEERS];
    /* Other libraries compute products on one thread only. */
    const bool served = c->operation == GFP_OPERATION_PRODUCT && c->threads <= 1;
    const size_t count = served ? find_peers(peers) : 0;
    c->row = calloc(gfp_method_count(), sizeof *c->row);
    c->name = calloc(gfp_method_count() + MOST_PEERS, sizeof *c->name);
    if (c->row == NULL || c->name == NULL) {
        return complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    for (size_t i = 0; i < gfp_method_count(); i++) {
        if (is_listed(list, gfp_method_name(i))) {
            c->row[c->own] = i;
            c->name[c->own++] = gfp_method_name(i);
        }
    }
    c->methods = c->own;
    for (size_t i = 0; i < count; i++) {
        if (is_listed(list, peers[i].name)) {
            struct peer *peer = &c->peer[c->methods - c->own];
            *peer = peers[i];
            c->name[c->methods++] = peer->name;
        }
    }
    return check_list(list, peers, count);
}

static int make_rows(struct comparison *c, const struct compare_values *values)
{
    const size_t min = values->min_len != 0 ? values->min_len : DEFAULT_MIN_LEN;
    const size_t max = values->max_len != 0 ? values->max_len : DEFAULT_MAX_LEN;
    const size_t points = values->points != 0 ? values->points : DEFAULT_POINTS;
    if (min > max) {
        complain("compare: --min-len %zu is above --max-len %zu", min, max);
        return BAD_USAGE;
    }
    c->lengths = fill_axis(NULL, min, max, 1 / (double)points);
    c->len = calloc(c->lengths, sizeof *c->len);
    c->all = c->methods > 0 ? calloc(c->lengths * c->methods, sizeof *c->all) : NULL;
    if (c->len == NULL || c->all == NULL) {
        return complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    (void)fill_axis(c->len, min, max, 1 / (double)points);
    return DONE;
}

/* ---- the command ---- */

/* A session's `print'. */
static int show_comparison(void *comparison)
{
    struct comparison *c = comparison;
    bool any = false;
    for (size_t i = 0; i < c->methods; i++) {
        any = any || comparison_has(c, i);
    }
    if (!any) {
        for (size_t i = 0; i < c->methods && c->lengths > 0; i++) {
            complain("compare: %s: %s", c->name[i], comparison_figure(c, 0, i)->note);
        }
        complain("compare: nothing was measured%s%s%s", c->folder != NULL ? "; " : "",
                 c->folder != NULL ? c->folder : "", c->folder != NULL ? " is unchanged" : "");
        return FAILED;
    }
    if (!find_crossovers(c)) {
        return complain_status("compare", GFP_ERR_MEMORY, NULL);
    }
    print_comparison(c);
    return DONE;
}

static int run_compare(const struct request *request)
{
    const struct compare_values *values = &request->own.compare;
    struct comparison c = {.operation = (gfp_operation)values->operation,
                           .threads = request->call.threads,
                           .seed = values->seed,
                           .seconds = values->seconds,
                           .folder = request->output};
    const struct session session = {&c,
                                    &c.machine,
                                    &c.lengths,
                                    measure_comparison,
                                    show_comparison,
                                    {write_csv, write_json, write_script, NULL}};
    gfp_field *field = NULL;
    if (build_refusal() != NULL) {
        complain("compare: this gfpoly was built %s: its times mean nothing", build_refusal());
        return FAILED;
    }
    if (request->output != NULL && request->output[0] == '\0') {
        complain("compare: --output: '' is no folder");
        return BAD_USAGE;
    }
    if (is_given(request, "strategies")) {
        return compare_strategies(request);
    }
    if (is_given(request, "fields")) {
        return compare_fields(request);
    }
    if (is_given(request, "levels")) {
        complain("compare: --levels goes with --fields");
        return BAD_USAGE;
    }
    if (is_given(request, "min-bits max-bits")) {
        complain("compare: --min-bits and --max-bits go with --strategies");
        return BAD_USAGE;
    }
    int code = make_columns(&c, values->methods);
    if (code == DONE) {
        code = create_field(&field, request->field[0]);
    }
    c.field = field;
    if (code == DONE) {
        code = make_rows(&c, values);
    }
    if (code == DONE) {
        code = run_session(&session, request->output);
    }
    compare_clear(&c);
    gfp_field_destroy(field);
    return code;
}

const struct command compare_commands[] = {
    {.name = "compare",
     .summary = "Measure methods over lengths: table, plot, crossovers",
     .doc = "Measures every method on random polynomials over a range of lengths, compares their "
            "results digit for digit, and shows the times and the length from which on each method "
            "is the fastest. On one thread times are the thread's CPU time, except for methods on "
            "a GPU. A time that breaks its method's curve is measured again. If gfpoly was built "
            "with FLINT or NTL, products by these libraries are measured too. A method that is "
            "expected to take more than about 20 times the least time is left out. An interrupt "
            "(INT, TERM, HUP) keeps the lengths that are complete; the exit status is then 1."
            "\vJSON keys of compare.json: machine {cpu, cpu_level, gpu, compiler, gfpoly, commit, "
            "flint, gmp, command, date}, peers: [{name, version}], field, operation, threads, "
            "clock (cpu or wall), seed, picks: [{len, method}], crossovers: [{method, len, "
            "interpolated}], words, figures: [{len_a, len_b, method, runs, min_ns, median_ns, "
            "spread_percent, ratio_to_pick, again, note}]; times not measured are null, and note "
            "gives the reason. With --strategies: machine, operation, threads, clock, seed, words, "
            "places: [{len, bits, best, lead (the second least time divided by the least; 0: "
            "none), used (by the choice), figures: [{strategy, runs, min_ns, median_ns, "
            "note}]}]. With --fields the same, with field in place of bits, and method and "
            "algorithm in place of strategy. The plot and the pictures need gnuplot (Debian: "
            "gnuplot-nox).",
     .run = run_compare},
    {.name = NULL}};
