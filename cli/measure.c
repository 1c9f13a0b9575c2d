/* measure.c: the method table for a problem, and the time of each method; shared by the subcommands
 * methods, demo and compare.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define TOO_SLOW 20.0 /* times the pick's estimate */
const struct effort usual_effort = {.budget_ns = 1e9, .most_ns = 3e9};

/* The number of available methods with a smaller estimate, or an equal one and an earlier row. */
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
    const struct row *pick = survey_pick(survey);
    double pick_ns = pick != NULL ? pick->info.estimate_ns : 0;
    for (struct row *row = survey->rows; row < survey->rows + survey->count; row++) {
        double ratio = pick_ns > 0 ? row->info.estimate_ns / pick_ns : 0;
        if (row->info.available && ratio > TOO_SLOW && rank_of(survey, row) >= keep) {
            row->skipped = true;
            snprintf(row->reason, sizeof row->reason,
                     "skipped: estimated at %.0f times the pick (--all runs it)", ratio);
        }
    }
}

int make_survey(struct survey *survey, const gfp_field *field, const struct question *question,
                bool all, size_t keep)
{
    survey->count = gfp_method_count();
    survey->first_pick = gfp_method_pick(&question->problem, field, &question->options);
    survey->rows = calloc(survey->count, sizeof *survey->rows);
    gfp_status status = survey->rows != NULL ? GFP_OK : GFP_ERR_MEMORY;
    for (size_t i = 0; i < survey->count && status == GFP_OK; i++) {
        struct row *row = &survey->rows[i];
        status = gfp_method_query(&row->info, i, &question->problem, field, &question->options);
        snprintf(row->reason, sizeof row->reason, "%s", row->info.reason);
    }
    if (status != GFP_OK) {
        free_survey(survey);
        return complain_status("method table", status, NULL);
    }
    /* The queries above have opened the GPU: this pick is the one among these estimates. */
    survey->pick = gfp_method_pick(&question->problem, field, &question->options);
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
    for (size_t i = 0; i < survey->count && survey->pick != NULL; i++) {
        if (strcmp(survey->rows[i].info.name, survey->pick) == 0) {
            return &survey->rows[i];
        }
    }
    return NULL;
}

/* The operands and result of a measurement. */
struct work {
    const gfp_problem *problem;
    const gfp_poly *a, *b;
    gfp_poly *c;
    gfp_space *space;
    gfp_operand *x;   /* of b */
    uint64_t *digits; /* of a batch: count copies of each factor, then the products */
};

/* Runs the operation once. */
static gfp_status run_once(const struct work *w, const gfp_options *options)
{
    const gfp_problem *p = w->problem;
    const size_t k = gfp_field_k(w->c->field);
    const gfp_batch batch = {.count = p->count, .len_a = p->len_a, .len_b = p->len_b};
    switch (p->operation) {
    case GFP_OPERATION_SQUARE:
        return gfp_poly_sqr(w->c, w->a, options);
    case GFP_OPERATION_LOW:
        return gfp_poly_mullow(w->c, w->a, w->b, p->n, options);
    case GFP_OPERATION_HIGH:
        return gfp_poly_mulhigh(w->c, w->a, w->b, p->n, options);
    case GFP_OPERATION_MIDDLE:
        return gfp_poly_mulmid(w->c, w->a, w->b, p->from, p->n, options);
    case GFP_OPERATION_OPERAND:
        return gfp_poly_mul_operand(w->c, 0, SIZE_MAX, w->a, w->x, options);
    case GFP_OPERATION_BATCH:
        return gfp_vec_mul_batch(w->c->field, w->digits + p->count * (p->len_a + p->len_b) * k,
                                 w->digits, w->digits + p->count * p->len_a * k, &batch, options);
    default:
        return gfp_poly_mul(w->c, w->a, w->b, options);
    }
}

/* A struct run, for take_samples. */
struct run {
    const struct work *work;
    const gfp_options *options;
};

static gfp_status run_call(void *context)
{
    const struct run *run = context;
    return run_once(run->work, run->options);
}

bool runs_on_gpu(const char *method)
{
    const size_t length = strlen(method);
    return length > 4 && strcmp(method + length - 4, "_gpu") == 0;
}

gfp_status run_verified(const struct question *question, gfp_poly *c, const gfp_poly *a,
                        const gfp_poly *b, gfp_error *error)
{
    gfp_problem asked = question->problem;
    const struct work w = {.problem = &asked, .a = a, .b = b, .c = c};
    const gfp_options options = {.error = error,
                                 .threads = question->options.threads,
                                 .memory_cap = question->options.memory_cap,
                                 .verify = GFP_VERIFY_POINT};
    if (question->problem.operation == GFP_OPERATION_OPERAND) {
        asked.operation = GFP_OPERATION_PRODUCT;
    }
    return run_once(&w, &options);
}

/* Allocates the batch and fills in its factors. */
static gfp_status fill_batch(struct work *w)
{
    const gfp_problem *p = w->problem;
    const size_t k = gfp_field_k(w->c->field), both = p->len_a + p->len_b;
    if (p->count > SIZE_MAX / sizeof(uint64_t) / k / both / 2) {
        return GFP_ERR_SIZE;
    }
    w->digits = malloc(p->count * 2 * both * k * sizeof(uint64_t));
    if (w->digits == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < p->count; i++) {
        memcpy(w->digits + i * p->len_a * k, w->a->digits, p->len_a * k * sizeof(uint64_t));
        memcpy(w->digits + (p->count * p->len_a + i * p->len_b) * k, w->b->digits,
               p->len_b * k * sizeof(uint64_t));
    }
    return GFP_OK;
}

/* Makes a space, and in it the operand of b. */
static gfp_status make_operand(struct work *w, const gfp_options *options)
{
    const gfp_space_spec spec = {.length = w->a->len + w->b->len - 1, .terms = 1};
    gfp_status status = gfp_space_create(&w->space, w->b->field, &spec, options);
    status = status == GFP_OK ? gfp_operand_create(&w->x, w->space) : status;
    return status == GFP_OK ? gfp_poly_to_operand(w->x, w->b, options) : status;
}

gfp_status measure_row(struct row *row, const struct question *question,
                       const struct effort *effort, gfp_poly *c, const gfp_poly *a,
                       const gfp_poly *b, gfp_error *error)
{
    struct work w = {.problem = &question->problem, .a = a, .b = b, .c = c};
    const gfp_options options = {.method = row->info.name, .error = error};
    gfp_status status = GFP_OK;
    if (question->problem.operation == GFP_OPERATION_OPERAND) {
        status = make_operand(&w, &options);
    } else if (question->problem.operation == GFP_OPERATION_BATCH) {
        status = fill_batch(&w);
    }
    if (status == GFP_OK) {
        const gfp_options repeated = {.method = row->info.name,
                                      .verify = GFP_VERIFY_NONE,
                                      .error = error,
                                      .threads = question->options.threads,
                                      .memory_cap = question->options.memory_cap};
        struct run run = {.work = &w, .options = &repeated};
        const bool cpu_time = question->options.threads <= 1 && !runs_on_gpu(row->info.name);
        status = take_samples(&row->timing, effort, cpu_time, run_call, &run);
    }
    gfp_operand_destroy(w.x);
    gfp_space_destroy(w.space);
    free(w.digits);
    return status;
}

/* a := exactly len random coefficients: the leading one is 1 where the draw gives 0. */
static gfp_status random_operand(gfp_poly *a, size_t len, gfp_random *generator)
{
    gfp_status status = gfp_poly_random(a, len, generator);
    return status == GFP_OK && a->len < len ? gfp_poly_set_coeff_u64(a, len - 1, 1) : status;
}

gfp_status draw_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed)
{
    gfp_random generator;
    gfp_random_seed(&generator, seed);
    const gfp_status status = random_operand(a, len_a, &generator);
    return status == GFP_OK ? random_operand(b, len_b, &generator) : status;
}

int random_operands(gfp_poly *a, size_t len_a, gfp_poly *b, size_t len_b, uint64_t seed)
{
    const gfp_status status = draw_operands(a, len_a, b, len_b, seed);
    if (status == GFP_OK) {
        return DONE;
    }
    return a->len < len_a || len_a == len_b ? complain_length("--len", len_a, status)
                                            : complain_length("--len-b", len_b, status);
}
