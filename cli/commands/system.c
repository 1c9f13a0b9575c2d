/* system.c: the subcommand zsystem: the solutions of two polynomial equations over the
 * integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

#define USUAL_DIGITS 15

/* An operation with its results; the operation is the first member. */
struct system {
    struct operation operation;
    gfp_zsystem solutions;
    gfp_zboxes boxes;
};

/* A call is the second half of two calls, or the first one. */
struct half {
    const gfp_progress *whole;
    double from;
};

static bool hear(void *user, double fraction)
{
    const struct half *half = user;
    return half->whole->step(half->whole->user, half->from + fraction / 2);
}

/* Both calls fill one report: times add up. */
static gfp_status add_boxes(struct system *system, const gfp_options *options)
{
    const struct settings *settings = system->operation.settings;
    gfp_report report = {.threads = 1};
    gfp_options copy = *options;
    const size_t digits = settings->digits != 0 ? settings->digits : USUAL_DIGITS;
    copy.report = &report;
    const gfp_status status =
        gfp_zsystem_boxes(&system->boxes, &system->solutions, gfp_zboxes_bits(digits), &copy);
    options->report->multiply_ns += report.multiply_ns;
    return status;
}

static gfp_status solve(const struct operation *operation, gfp_zvec *c, const struct input *input,
                        const gfp_options *options)
{
    struct system *system = (struct system *)operation;
    struct half half = {options->progress, 0};
    const gfp_progress progress = {hear, &half};
    gfp_options copy = *options;
    (void)c;
    gfp_zsystem_init(&system->solutions, input->ring);
    gfp_zboxes_init(&system->boxes, input->ring);
    if (operation->settings->boxes && options->progress != NULL) {
        copy.progress = &progress;
    }
    const gfp_status status = gfp_zsystem_solve(&system->solutions, &input->operand[0].bivariate,
                                                &input->operand[1].bivariate, &copy);
    half.from = 0.5;
    return status == GFP_OK && operation->settings->boxes ? add_boxes(system, &copy) : status;
}

static gfp_status write_system(const struct operation *operation, FILE *stream, gfp_format format)
{
    const struct system *system = (const struct system *)operation;
    (void)format;
    return operation->settings->boxes
               ? gfp_zboxes_fwrite(&system->boxes, &system->solutions, stream)
               : gfp_zsystem_fwrite(&system->solutions, stream);
}

static void describe_system(const struct operation *operation, struct json *json, const gfp_zvec *c,
                            const struct input *input)
{
    const struct system *system = (const struct system *)operation;
    const gfp_zsystem *s = &system->solutions;
    (void)c;
    json_u64(json, "len_y_f", input->operand[0].bivariate.len);
    json_u64(json, "len_y_g", input->operand[1].bivariate.len);
    json_int(json, "s", (int)s->s);
    json_int(json, "t", (int)s->t);
    json_u64(json, "degree", s->degree);
    json_u64(json, "solutions", gfp_zsystem_solutions(s));
    if (operation->settings->boxes) {
        json_u64(json, "real_solutions", system->boxes.count);
    } else {
        json_null(json, "real_solutions");
    }
    json_open(json, "parts", '[');
    for (size_t i = 0; i < s->count; i++) {
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", s->part[i].multiplicity);
        json_u64(json, "degree", s->part[i].f.len - 1);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void free_system(struct operation *operation)
{
    struct system *system = (struct system *)operation;
    gfp_zsystem_clear(&system->solutions);
    gfp_zboxes_clear(&system->boxes);
}

static int run_zsystem(const struct settings *settings)
{
    if (settings->digits != 0 && !settings->boxes) {
        complain("zsystem: --digits needs --boxes");
        return BAD_USAGE;
    }
    struct system system = {.operation = {.settings = settings,
                                          .name = "zsystem",
                                          .label = "system",
                                          .file = settings->file,
                                          .files = 2,
                                          .place = {usual_place(settings)},
                                          .compute_integers = solve,
                                          .write = write_system,
                                          .free = free_system,
                                          .describe_integers = describe_system,
                                          .kind = TWO_VARIABLES}};
    return run_operation(&system.operation);
}

static const struct argp_option zsystem_options[] = {
    OPTION("boxes", KEY_BOXES, NULL, "Write boxes of the real solutions"),
    OPTION("digits", KEY_DIGITS, "D", "Sides of boxes are at most 10^-D (default 15)"),
    Z_OPTIONS_WITH("words", ", the only method"), OPTION_OUTPUT, OPTION_END};

const struct command command_zsystem = {
    .name = "zsystem",
    .summary = "Solve two bivariate integer equations",
    .arguments = "F G",
    .doc =
        "Writes the solutions of F = G = 0 for the polynomials in X and Y with integer "
        "coefficients in the files F and G, which have a line \"length  c0 c1 ...\" with the "
        "polynomial in X for each power of Y, from Y^0 on. The line \"t N\" names the linear "
        "form T = X + N Y, which separates the solutions; a line \"s M\" before it makes it "
        "T = M X + N Y. Then, for each multiplicity or a part "
        "of its solutions, lines have the multiplicity and the polynomials f, q, x, y: each "
        "root T of f is a complex solution X = x(T) / q(T), Y = y(T) / q(T). With --boxes, a "
        "line for each real solution has its multiplicity and decimal bounds: X lies between "
        "the first two, Y between the others; no two boxes meet. Results are proved. A system "
        "with infinitely many solutions is an error."
        "\vJSON keys: operation, len_y_f, len_y_g (1 + the degrees in Y), s, t, degree (solutions "
        "with multiplicity), solutions, real_solutions (null without --boxes), parts "
        "(multiplicity, degree), " OPERATION_KEYS ".",
    .options = zsystem_options,
    .files = 2,
    .run = run_zsystem};
