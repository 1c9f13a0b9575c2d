/* zsystem.c: the subcommand zsystem: the solutions of two polynomial equations over the
 * integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

/* A call is the second half of two calls, or the first one. */
struct half {
    const gfp_progress *whole;
    double from;
};

static bool zsystem_report(void *user, double fraction)
{
    const struct half *half = user;
    return half->whole->step(half->whole->user, half->from + fraction / 2);
}

/* Both calls fill one report: times add up. */
static gfp_status add_boxes(struct call *call, const gfp_options *options)
{
    gfp_report report = {.threads = 1};
    gfp_options copy = *options;
    copy.report = &report;
    const gfp_status status =
        gfp_zsystem_boxes(&call->c.own.system.boxes, &call->c.own.system.solutions,
                          gfp_zboxes_bits(call->request->own.system.digits), &copy);
    add_report(options->report, &report);
    return status;
}

static gfp_status zsystem_solve(struct call *call, const gfp_options *options)
{
    const struct operand *operand = call->input.operand;
    const bool boxes = call->request->own.system.boxes;
    struct half half = {options->progress, 0};
    const gfp_progress progress = {zsystem_report, &half};
    gfp_options copy = *options;
    gfp_zsystem_init(&call->c.own.system.solutions, call->input.ring);
    gfp_zboxes_init(&call->c.own.system.boxes, call->input.ring);
    if (boxes && options->progress != NULL) {
        copy.progress = &progress;
    }
    const gfp_status status = gfp_zsystem_solve(
        &call->c.own.system.solutions, &operand[0].bivariate, &operand[1].bivariate, &copy);
    half.from = 0.5;
    return status == GFP_OK && boxes ? add_boxes(call, &copy) : status;
}

static gfp_status write_system(const struct call *call, FILE *stream, gfp_format format)
{
    const gfp_zsystem *solutions = &call->c.own.system.solutions;
    (void)format;
    return call->request->own.system.boxes
               ? gfp_zboxes_fwrite(&call->c.own.system.boxes, solutions, stream)
               : gfp_zsystem_fwrite(solutions, stream);
}

static void describe_system(const struct call *call, struct json *json)
{
    const gfp_zsystem *s = &call->c.own.system.solutions;
    json_int(json, "s", (int)s->s);
    json_int(json, "t", (int)s->t);
    json_u64(json, "degree", s->degree);
    json_u64(json, "solutions", gfp_zsystem_solutions(s));
    json_length(json, "real_solutions", call->request->own.system.boxes,
                call->c.own.system.boxes.count);
    json_open(json, "parts", '[');
    for (size_t i = 0; i < s->count; i++) {
        json_open(json, NULL, '{');
        json_u64(json, "multiplicity", s->part[i].multiplicity);
        json_u64(json, "degree", s->part[i].f.len - 1);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void free_system(struct call *call)
{
    gfp_zsystem_clear(&call->c.own.system.solutions);
    gfp_zboxes_clear(&call->c.own.system.boxes);
}

static int begin_system(struct call *call)
{
    if (is_given(call->request, "digits") && !call->request->own.system.boxes) {
        complain("zsystem: --digits needs --boxes");
        return BAD_USAGE;
    }
    return DONE;
}

const struct command zsystem_commands[] = {
    {.name = "zsystem",
     .summary = "Solve two bivariate integer equations",
     .arguments = "F G",
     .doc = "Writes the solutions of F = G = 0 for the polynomials in X and Y with integer "
            "coefficients in the files F and G, which have a line \"length  c0 c1 ...\" with the "
            "polynomial in X for each power of Y, from Y^0 on. The line \"t N\" names the linear "
            "form T = X + N Y, which separates the solutions; a line \"s M\" before it makes it "
            "T = M X + N Y. Then, for each multiplicity or a part of its solutions, lines have the "
            "multiplicity and the polynomials f, q, x, y: each root T of f is a complex solution X "
            "= x(T) / q(T), Y = y(T) / q(T). With --boxes, a line for each real solution has its "
            "multiplicity and decimal bounds: X lies between the first two, Y between the others; "
            "no two boxes meet. Results are proved. A system with infinitely many solutions is an "
            "error."
            "\vJSON keys: operation, len_y_f, len_y_g (1 + the degrees in Y), s, t, degree "
            "(solutions with multiplicity), solutions, real_solutions (null without --boxes), "
            "parts (multiplicity, degree), " OPERATION_KEYS ".",
     .files = 2,
     .operation = {.label = "system",
                   .kind = TWO_VARIABLES,
                   .begin = begin_system,
                   .compute = zsystem_solve,
                   .members = {{"len_y_f", LENGTH_OF, 0}, {"len_y_g", LENGTH_OF, 1}},
                   .describe = describe_system,
                   .write = write_system,
                   .free_own = free_system}},
    {.name = NULL}};
