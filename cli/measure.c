/* measure.c: the method table for a given problem, and the time each method takes on it; shared by
 * the subcommands methods and demo. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define TOO_SLOW 20.0 /* times the pick's estimate */
#define MAX_RUNS 101
#define LEAST_RUNS 3
#define BUDGET_NS UINT64_C(1000000000)
#define MOST_NS UINT64_C(3000000000)

/* How many available methods have a smaller estimate, or an equal one and an earlier row. */
static size_t rank_of(const struct survey *survey, const struct row *row)
{
    size_t rank = 0;
    for (const struct row *other = survey->rows; other < survey->rows + survey->count; other++) {
        if (other->info.available &&
            (other->info.estimate_ns < row->info.estimate_ns ||
             (other->info.estimate_ns <= row->info.estimate_ns && other < row))) {
            rank++;
        }
    }
    return rank;
}

static void mark_slow(struct survey *survey, size_t keep)
{
    double pick_ns = survey_pick(survey)->info.estimate_ns;
    for (struct row *row = survey->rows; row < survey->rows + survey->count; row++) {
        double ratio = pick_ns > 0 ? row->info.estimate_ns / pick_ns : 0;
        if (row->info.available && ratio > TOO_SLOW && rank_of(survey, row) >= keep) {
            row->skipped = true;
            snprintf(row->reason, sizeof(row->reason),
                     "skipped: estimated at %.0f times the pick (--all runs it)", ratio);
        }
    }
}

int make_survey(struct survey *survey, const gfp_tuning *tuning, const gfp_field *field,
                size_t len_a, size_t len_b, bool all, size_t keep)
{
    survey->count = gfp_method_count();
    survey->pick = gfp_method_pick_with(tuning, field, len_a, len_b);
    survey->rows = calloc(survey->count, sizeof(*survey->rows));
    gfp_status status = survey->rows != NULL ? GFP_OK : GFP_ERR_MEMORY;
    for (size_t i = 0; i < survey->count && status == GFP_OK; i++) {
        struct row *row = &survey->rows[i];
        status = gfp_method_query_with(tuning, field, len_a, len_b, i, &row->info);
        snprintf(row->reason, sizeof(row->reason), "%s", row->info.reason);
    }
    if (status != GFP_OK) {
        free_survey(survey);
        return complain_status("method table", status, NULL);
    }
    if (!all) {
        mark_slow(survey, keep);
    }
    return DONE;
}

void free_survey(struct survey *survey)
{
    free(survey->rows);
    survey->rows = NULL;
}

const struct row *survey_pick(const struct survey *survey)
{
    size_t i = 0;
    while (i + 1 < survey->count && strcmp(survey->rows[i].info.name, survey->pick) != 0) {
        i++;
    }
    return &survey->rows[i];
}

static int compare_times(const void *x, const void *y)
{
    const uint64_t *a = x;
    const uint64_t *b = y;
    return (*a > *b) - (*a < *b);
}

/* Whether to run once more after so many runs that took so long. */
static bool go_on(unsigned runs, uint64_t total_ns)
{
    if (runs == 0) {
        return true;
    }
    return runs < LEAST_RUNS ? total_ns < MOST_NS : runs < MAX_RUNS && total_ns < BUDGET_NS;
}

gfp_status measure_row(struct row *row, gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                       gfp_error *error)
{
    uint64_t times[MAX_RUNS];
    uint64_t total_ns = 0;
    unsigned runs = 0;
    while (go_on(runs, total_ns)) {
        gfp_mul_report report = {.method = NULL};
        gfp_mul_options options = {.method = row->info.name, .report = &report, .error = error};
        gfp_status status = gfp_poly_mul(c, a, b, &options);
        if (status != GFP_OK) {
            return status;
        }
        times[runs++] = report.multiply_ns;
        total_ns += report.multiply_ns;
    }
    qsort(times, runs, sizeof(times[0]), compare_times);
    row->runs = runs;
    row->min_ns = times[0];
    row->median_ns = times[runs / 2];
    return GFP_OK;
}

/* a := exactly len random coefficients: the leading one is 1 where the draw gives 0. */
static gfp_status random_operand(gfp_poly *a, size_t len, gfp_random *generator)
{
    gfp_status status = gfp_poly_random(a, len, generator);
    return status == GFP_OK && a->len < len ? gfp_poly_set_coeff_u64(a, len - 1, 1) : status;
}

int random_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed)
{
    gfp_random generator;
    gfp_random_seed(&generator, seed);
    gfp_status status = random_operand(a, len_a, &generator);
    if (status != GFP_OK) {
        return complain_length("--len", len_a, status);
    }
    status = random_operand(b, len_b, &generator);
    return status == GFP_OK ? DONE
                            : complain_length(len_a == len_b ? "--len" : "--len-b", len_b, status);
}
