/* bench/regret_report.c: the report of gfpoly_regret: the average and the largest cost of the
 * picks, over all problems and over parts of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "bench/regret.h"

#define TOO_FAR 1.25
#define WORST 10

static const char *const table_names[TABLES] = {"built-in", "tuning"};

/* Where factors and result lie: a gfp_residence. */
static const char *const residence_names[] = {"host", "device"};

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x;
    const double b = *(const double *)y;

    return (a > b) - (a < b);
}

/* A selection of trials: one operation or all; host memory, device memory or both; a number of
 * threads, or any (0). */
typedef struct selection {
    const gfp_operation *operation;
    const gfp_residence *resident;
    unsigned threads;
} selection;

static bool is_selected(const trial *t, const selection *x)
{
    return (x->operation == NULL || t->p.operation == *x->operation) &&
           (x->resident == NULL || t->p.resident == *x->resident) &&
           (x->threads == 0 || t->threads == x->threads);
}

/* Prints "all", or the selection's properties between commas. */
static void print_selection(FILE *out, const selection *x)
{
    const char *comma = "";

    if (x->resident != NULL) {
        fputs(residence_names[*x->resident], out);
        comma = ", ";
    }
    if (x->threads != 0) {
        fprintf(out, "%s%u thread%s", comma, x->threads, x->threads > 1 ? "s" : "");
    } else if (x->operation != NULL) {
        fprintf(out, "%s%s", comma, gfp_operation_name(*x->operation));
    } else if (x->resident == NULL) {
        fputs("all", out);
    }
}

/* Prints a row: average, median, worst, and the share of trials above TOO_FAR. Prints nothing
 * without trials. */
static void print_summary(FILE *out, const bench *b, int table, selection x, double *scratch)
{
    size_t count = 0, far = 0;
    double sum = 0;

    for (size_t i = 0; i < b->done; i++) {
        const trial *t = &b->trials[i];
        if (is_selected(t, &x)) {
            scratch[count++] = t->regret[table];
            sum += t->regret[table];
            far += t->regret[table] > TOO_FAR;
        }
    }
    if (count > 0) {
        qsort(scratch, count, sizeof(*scratch), ascending);
        fprintf(out, "| %s | ", table_names[table]);
        print_selection(out, &x);
        fprintf(out, " | %zu | %.3f | %.3f | %.3f | %.3f | %.1f %% |\n", count, sum / (double)count,
                scratch[count / 2], scratch[count * 95 / 100], scratch[count - 1],
                100 * (double)far / (double)count);
    }
}

/* Prints rows by threads (not for device memory) and by operations. */
static void print_parts(FILE *out, const bench *b, int table, const gfp_residence *resident,
                        double *scratch)
{
    if (b->o.threads > 1 && (resident == NULL || *resident == GFP_RESIDENT_HOST)) {
        print_summary(out, b, table, (selection){NULL, resident, 1}, scratch);
        print_summary(out, b, table, (selection){NULL, resident, b->o.threads}, scratch);
    }
    for (size_t i = 0; i < OPERATIONS; i++) {
        print_summary(out, b, table, (selection){&operations[i], resident, 0}, scratch);
    }
}

static void print_table(FILE *out, const bench *b, int table, double *scratch)
{
    static const gfp_residence residences[] = {GFP_RESIDENT_HOST, GFP_RESIDENT_DEVICE};

    print_summary(out, b, table, (selection){NULL, NULL, 0}, scratch);
    if (b->gpu == NULL) {
        print_parts(out, b, table, NULL, scratch);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        print_summary(out, b, table, (selection){NULL, &residences[i], 0}, scratch);
        print_parts(out, b, table, &residences[i], scratch);
    }
}

static void print_trial(FILE *out, const trial *t, int table)
{
    const contender *pick = &t->by[t->pick[table]], *best = &t->by[t->best];

    fprintf(out, "| %.3f | %s | %s | %zu | %zu | ", t->regret[table], gfp_field_name(t->field),
            gfp_operation_name(t->p.operation), t->p.len_a, t->p.len_b);
    if (t->p.operation == GFP_OPERATION_LOW) {
        fprintf(out, "%zu", t->p.n);
    }
    fprintf(out, " | %s | %u | %s | %.4g | %s | %.4g |\n", residence_names[t->p.resident],
            t->threads, pick->method, pick->least / 1e3, best->method, best->least / 1e3);
}

/* Prints the trials with the largest cost by a table, or all trials. */
static void print_worst(FILE *out, const bench *b, int table, size_t count)
{
    double bound = HUGE_VAL;
    size_t printed = 0;

    fprintf(out,
            "\n## %s by the %s costs\n\n| pick / best | field | operation | len a | len b | n | "
            "factors | threads | pick | us | best | us |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            b->o.all ? "Problems" : "Worst picks", table_names[table]);
    while (printed < count) {
        double next = 0;
        for (size_t i = 0; i < b->done; i++) {
            const double regret = b->trials[i].regret[table];
            next = regret < bound ? fmax(next, regret) : next;
        }
        for (size_t i = 0; i < b->done && printed < count && next > 0; i++) {
            if (b->trials[i].regret[table] >= next && b->trials[i].regret[table] < bound) {
                print_trial(out, &b->trials[i], table);
                printed++;
            }
        }
        bound = next;
    }
}

static void print_head(FILE *out, const bench *b)
{
    struct machine machine;
    char threads[40] = "1 thread";

    if (b->o.threads > 1) {
        (void)snprintf(threads, sizeof(threads), "1 or %u threads", b->o.threads);
    }
    describe_machine(&machine);
    fputs("# What the chooser's picks cost\n\nThe time of the pick over that of the best method, "
          "on random problems that the tuning has not measured. Times: the least of interleaved "
          "samples, on one thread of its own time, on several and on a GPU by the clock; ratios "
          "above 1.1 were measured again, the two alone. ",
          out);
    fprintf(out,
            "Methods estimated at more than %g times the least estimate were not measured. Results "
            "were compared with products computed twice.%s\n\n",
            FAR,
            b->gpu == NULL
                ? ""
                : " Half of the problems have factors and result in the device's memory, "
                  "and take until it is done.");
    write_machine(out, &machine, "- ");
    fprintf(out, "- problems: %zu of %zu, seed %llu, lengths up to %zu, up to %g s each, %s\n",
            b->done, b->o.count, (unsigned long long)b->o.s.seed, b->o.max_len, b->o.longest,
            threads);
    fprintf(out, "- fields: %zu, from %s to %s\n", b->o.s.field_count, gfp_field_name(b->fields[0]),
            gfp_field_name(b->fields[b->o.s.field_count - 1]));
}

bool write_report(const bench *b, FILE *out)
{
    const int tables = b->tuning != NULL ? TABLES : TUNED;
    double *scratch = malloc((b->done + 1) * sizeof(*scratch));

    if (scratch == NULL) {
        return complain("no memory");
    }
    print_head(out, b);
    fprintf(out,
            "\n| costs | of | problems | average | median | 95 %% | worst | above %g |\n"
            "|---|---|---|---|---|---|---|---|\n",
            TOO_FAR);
    for (int table = 0; table < tables; table++) {
        print_table(out, b, table, scratch);
    }
    for (int table = 0; table < tables; table++) {
        print_worst(out, b, table, b->o.all || b->done < WORST ? b->done : WORST);
    }
    free(scratch);
    return true;
}
