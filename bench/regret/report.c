/* bench/regret/report.c: the report of gfpoly_regret: the average and the largest cost of the
 * picks, over all problems and over parts of them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/markdown.h"
#include "bench/regret/regret.h"
#include "cli/compare/sample.h"

#define TOO_FAR 1.25
#define WORST 10

static const char *const table_names[TABLES] = {"built-in", "tuning"};

/* Where factors and result lie: a gfp_residence. */
static const char *const residence_names[] = {"host", "device"};

const char *operation_of(const trial *t)
{
    return t->field == NULL ? zoperation_names[t->over_z] : gfp_operation_name(t->p.operation);
}

void name_ring(char *text, size_t size, const trial *t)
{
    if (t->field == NULL) {
        snprintf(text, size, "%zu, %zu bits", t->bits_a, t->bits_b);
    } else {
        snprintf(text, size, "%s", gfp_field_name(t->field));
    }
}

/* A selection of trials: one operation or all (NULL); host memory, device memory or both; a number
 * of threads, or any (0). */
typedef struct selection {
    const char *operation;
    const gfp_residence *resident;
    unsigned threads;
} selection;

static bool is_selected(const trial *t, const selection *x)
{
    return t->regret[BUILT_IN] > 0 &&
           (x->operation == NULL || strcmp(operation_of(t), x->operation) == 0) &&
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
        fprintf(out, "%s%s", comma, x->operation);
    } else if (x->resident == NULL) {
        fputs("all", out);
    }
}

/* Prints a row: average, median, worst, the share of trials above TOO_FAR, and the factor by which
 * estimates differ from times in the geometric mean. Prints nothing without trials. */
static void print_summary(FILE *out, const bench *b, int table, selection x, double *scratch)
{
    size_t count = 0, far = 0;
    double sum = 0, error = 0;

    for (size_t i = 0; i < b->done; i++) {
        const trial *t = &b->trials[i];
        if (is_selected(t, &x)) {
            scratch[count++] = t->regret[table];
            sum += t->regret[table];
            far += t->regret[table] > TOO_FAR;
            error += t->estimate[table] > 0
                         ? fabs(log(t->estimate[table] / t->by[t->pick[table]].least))
                         : 0;
        }
    }
    if (count > 0) {
        sort_times(scratch, count);
        fprintf(out, "| %s | ", table_names[table]);
        print_selection(out, &x);
        fprintf(out, " | %zu | %.3f | %.3f | %.3f | %.3f | %.1f %% | %.0f %% |\n", count,
                sum / (double)count, scratch[count / 2], scratch[count * 95 / 100],
                scratch[count - 1], 100 * (double)far / (double)count,
                100 * (exp(error / (double)count) - 1));
    }
}

/* Prints rows by threads (not for device memory) and by operations. */
static void print_parts(FILE *out, const bench *b, int table, const gfp_residence *resident,
                        double *scratch)
{
    if (b->o.threads > 1 && !b->o.over_z && (resident == NULL || *resident == GFP_RESIDENT_HOST)) {
        print_summary(out, b, table, (selection){NULL, resident, 1}, scratch);
        print_summary(out, b, table, (selection){NULL, resident, b->o.threads}, scratch);
    }
    for (unsigned i = 0; i < (b->o.over_z ? Z_OPERATIONS : OPERATIONS); i++) {
        const char *name = b->o.over_z ? zoperation_names[i] : gfp_operation_name(operations[i]);
        print_summary(out, b, table, (selection){name, resident, 0}, scratch);
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

/* All times in microseconds, with the estimate over the time in brackets. */
static void print_contenders(FILE *out, const trial *t)
{
    for (size_t i = 0; i < t->methods; i++) {
        const method_run *x = &t->by[i];
        if (x->least < 1e18) {
            fprintf(out, " %s %.4g", x->method != NULL ? x->method : "auto", x->least / 1e3);
        }
        if (x->least < 1e18 && x->estimate > 0) {
            fprintf(out, " (%.2f)", x->estimate / x->least);
        }
    }
    fputs(" |", out);
}

static void print_trial(FILE *out, const bench *b, const trial *t, int table)
{
    const method_run *pick = &t->by[t->pick[table]], *best = &t->by[t->best];
    const bool n = t->p.operation == GFP_OPERATION_LOW || t->p.n > 1;
    char ring[40];

    name_ring(ring, sizeof(ring), t);
    fprintf(out, "| %.3f | %s | %s | %zu | %zu | ", t->regret[table], ring, operation_of(t),
            t->p.len_a, t->p.len_b);
    if (n && (t->field == NULL || t->p.operation == GFP_OPERATION_LOW)) {
        fprintf(out, "%zu", t->p.n);
    }
    fprintf(out, " | %s | %u | %s | %.4g | %s | %.4g | %zu |", residence_names[t->p.resident],
            t->threads, pick->method != NULL ? pick->method : t->used, pick->least / 1e3,
            best->method, best->least / 1e3, t->number);
    if (b->o.all) {
        print_contenders(out, t);
    }
    fputc('\n', out);
}

/* Prints the trials with the largest cost by a table, or all trials. */
static void print_worst(FILE *out, const bench *b, int table, size_t count)
{
    double bound = HUGE_VAL;
    size_t printed = 0;

    fprintf(out, "\n## %s by the %s costs\n\n", b->o.all ? "Problems" : "Worst picks",
            table_names[table]);
    markdown_head(
        out, 0,
        "pick / best | %s | operation | len a | len b | n | factors | threads | pick | us "
        "| best | us | problem%s",
        b->o.over_z ? "coefficients" : "field", b->o.all ? " | all, us (estimate / time)" : "");
    while (printed < count && bound > 0) {
        double next = 0;
        for (size_t i = 0; i < b->done; i++) {
            const double regret = b->trials[i].regret[table];
            next = regret < bound ? fmax(next, regret) : next;
        }
        for (size_t i = 0; i < b->done && printed < count && next > 0; i++) {
            if (b->trials[i].regret[table] >= next && b->trials[i].regret[table] < bound) {
                print_trial(out, b, &b->trials[i], table);
                printed++;
            }
        }
        bound = next;
    }
}

static void print_preamble(FILE *out, const bench *b)
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
            b->o.over_z ? "Methods whose first calls took %g times the least time were left out. "
                        : "Methods estimated at more than %g times the least estimate were not "
                          "measured. ",
            b->o.far);
    fputs(b->o.over_z
              ? "Results were compared; the pick is the call that chooses, with the time of "
                "the choice. n is the length of a gcd's divisor."
              : "Results were compared with products computed twice.",
          out);
    fputs(b->gpu == NULL
              ? "\n\n"
              : " Half of the problems have factors and result in the device's memory, and "
                "take until it is done.\n\n",
          out);
    write_machine(out, &machine, "- ");
    fprintf(out, "- problems: %zu of %zu, seed %llu", b->done, b->o.count,
            (unsigned long long)b->o.s.seed);
    if (b->o.over_z) {
        fputs(", over Z, 1 thread\n", out);
        return;
    }
    fprintf(out, ", lengths up to %zu, up to %g s each, %s\n", b->o.max_len, b->o.longest, threads);
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
    print_preamble(out, b);
    fputc('\n', out);
    markdown_head(out, 0,
                  "costs | of | problems | average | median | 95 %% | worst | above %g | estimates "
                  "err by",
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
