/* cmd_demo.c: the subcommand demo: the product of two random polynomials by every method that makes
 * sense, compared coefficient by coefficient. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli.h"

#define DEFAULT_FIELD "p8"
#define DEFAULT_LEN 16384

/* What one demonstration works on. */
struct demo {
    gfp_poly a;
    gfp_poly b;
    gfp_poly first; /* the product by the first method that ran */
    gfp_poly other; /* by a later one */
    const char *first_name;
    unsigned agreeing;
    struct survey survey;
};

static void demo_init(struct demo *demo, const gfp_field *field)
{
    *demo = (struct demo){.first_name = NULL};
    gfp_poly_init(&demo->a, field);
    gfp_poly_init(&demo->b, field);
    gfp_poly_init(&demo->first, field);
    gfp_poly_init(&demo->other, field);
}

static void demo_clear(struct demo *demo)
{
    gfp_poly_clear(&demo->a);
    gfp_poly_clear(&demo->b);
    gfp_poly_clear(&demo->first);
    gfp_poly_clear(&demo->other);
    free_survey(&demo->survey);
}

/* Compares the product just computed with the first. Returns an exit code. */
static int compare(struct demo *demo, const char *name)
{
    if (demo->first_name == NULL) {
        demo->first_name = name;
        gfp_poly_swap(&demo->first, &demo->other);
    } else if (!gfp_poly_equal(&demo->first, &demo->other)) {
        complain("cross-check failed: %s and %s differ", demo->first_name, name);
        return FAILED;
    }
    demo->agreeing++;
    return DONE;
}

static int run_rows(struct demo *demo)
{
    int code = DONE;
    for (size_t i = 0; i < demo->survey.count && code == DONE; i++) {
        struct row *row = &demo->survey.rows[i];
        if (!row->info.available || row->skipped) {
            continue;
        }
        gfp_error error = {.message = ""};
        const gfp_problem problem = {.len_a = demo->a.len, .len_b = demo->b.len};
        gfp_status status =
            measure_row(row, &problem, &usual_effort, &demo->other, &demo->a, &demo->b, &error);
        if (status != GFP_OK) {
            (void)complain_status(row->info.name, status, &error);
            return FAILED;
        }
        code = compare(demo, row->info.name);
    }
    return code;
}

static void print_row(const struct row *row, const struct row *pick)
{
    if (row->timing.runs > 0) {
        printf("  %-13s ran      %12.3f %12.3f %8.2f\n", row->info.name,
               (double)row->timing.min_ns / 1e6, (double)row->timing.median_ns / 1e6,
               pick->timing.median_ns > 0
                   ? (double)row->timing.median_ns / (double)pick->timing.median_ns
                   : 1.0);
    } else {
        printf("  %-13s %-8s %12s %12s %8s  %s\n", row->info.name,
               row->skipped ? "skipped" : "cannot", "-", "-", "-", row->reason);
    }
}

static void print_result(const struct demo *demo)
{
    const struct row *pick = survey_pick(&demo->survey);
    printf("  %-13s %-8s %12s %12s %8s\n", "method", "status", "min ms", "median ms", "ratio");
    for (size_t i = 0; i < demo->survey.count; i++) {
        print_row(&demo->survey.rows[i], pick);
    }
    printf("  pick: %s\n", demo->survey.pick);
    printf("cross-check: %u methods agree on all %zu coefficients\n", demo->agreeing,
           demo->first.len);
}

static int run_demo(struct demo *demo, const gfp_field *field, const struct settings *settings,
                    const gfp_tuning *tuning)
{
    size_t len = (settings->given & GIVEN_LEN) != 0 ? settings->len : DEFAULT_LEN;
    gfp_certificate certificate = *gfp_field_certificate(field);
    int code = random_operands(&demo->a, len, &demo->b, len, settings->seed);
    if (code != DONE) {
        return code;
    }
    printf("%s: r = %llu, k = %u, %u bits, proved prime (%s)\n", gfp_field_name(field),
           (unsigned long long)gfp_field_r(field), gfp_field_k(field), gfp_field_bits(field),
           gfp_proof_string(certificate.proof));
    printf("product of two random polynomials of %zu terms, seed %llu\n", len,
           (unsigned long long)settings->seed);
    (void)fflush(stdout);
    /* Two methods at least: with one there would be nothing to compare. */
    const gfp_problem problem = {.len_a = len, .len_b = len, .tuning = tuning};
    code = make_survey(&demo->survey, field, &problem, settings->all, 2);
    if (code != DONE) {
        return code;
    }
    code = run_rows(demo);
    if (code == DONE && demo->agreeing < 2) {
        complain("cross-check impossible: only one method can serve");
        code = FAILED;
    }
    if (code == DONE) {
        print_result(demo);
        code = flush_standard_output(0);
    }
    return code;
}

static int demonstrate(const char *name, const struct settings *settings, const gfp_tuning *tuning)
{
    gfp_field *field;
    struct demo demo;
    int code = create_field(&field, name);
    if (code != DONE) {
        return code;
    }
    demo_init(&demo, field);
    code = run_demo(&demo, field, settings, tuning);
    demo_clear(&demo);
    gfp_field_destroy(field);
    return code;
}

/* A --field argument: a field, or all of the named ones. */
static int demonstrate_argument(const char *name, const struct settings *settings,
                                const gfp_tuning *tuning)
{
    int code = DONE;
    if (strcmp(name, "all") != 0) {
        return demonstrate(name, settings, tuning);
    }
    for (size_t i = 0; i < gfp_named_prime_count() && code == DONE; i++) {
        code = demonstrate(gfp_named_prime_get(i)->name, settings, tuning);
    }
    return code;
}

static int run(const struct settings *settings)
{
    struct costs costs;
    int code = load_costs(&costs, settings);
    if (code != DONE) {
        return code;
    }
    if (settings->fields == 0) {
        code = demonstrate(DEFAULT_FIELD, settings, costs.tuning);
    }
    for (int i = 0; i < settings->fields && code == DONE; i++) {
        code = demonstrate_argument(settings->field[i], settings, costs.tuning);
    }
    check_costs_again(&costs);
    free_costs(&costs);
    return code;
}

static const struct argp_option demo_options[] = {
    OPTION("field", KEY_FIELD, "NAME",
           "The field (default: p8); may be repeated; all stands for every named prime"),
    OPTION("fields", KEY_FIELD, "all", "The same"),
    OPTION("len", KEY_LEN, "N", "Coefficients of both polynomials (default: 16384)"),
    OPTION_SEED,
    OPTION_TUNING,
    OPTION_ALL,
    OPTION_END};

const struct command command_demo = {
    .name = "demo",
    .summary = "Multiply two random polynomials by every method and compare",
    .arguments = NULL,
    .doc = "Multiplies two random polynomials by every available method, compares all products "
           "coefficient by coefficient, and prints the times."
           "\vA method estimated at more than 20 times the pick is skipped, but two methods run "
           "always. Exit status 1 when two products differ.",
    .options = demo_options,
    .least_len = 1,
    .many_fields = true,
    .run = run};
