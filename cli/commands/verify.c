/* verify.c: the subcommand verify: checks whether a file holds the product of two others.
 * Binary files are mapped.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

#define CLAIM 3 /* A, B and C */

/* The claim C = A B, and the result of the check. */
struct claim {
    const gfp_field *field;
    gfp_poly view[CLAIM]; /* the digits belong to an input or a file */
    gfp_report report;
    gfp_error error;
    gfp_status status; /* OK: the claim holds; VERIFY: it does not */
};

/* ---- the check ---- */

/* Rounds of points under one bar. */
struct rounds {
    struct progress progress;
    double done, total; /* points */
};

/* gfp_progress.step */
static bool show_round(void *user, double fraction)
{
    struct rounds *rounds = user;
    show_progress(&rounds->progress, (rounds->done + fraction) / rounds->total);
    return true;
}

/* Checks until --points random digits were used, for moduli or points; each call of the library
 * uses its own number. */
static void verify_check(struct claim *claim, const struct request *request)
{
    struct rounds rounds = {
        .total = request->own.check.points > 0 ? (double)request->own.check.points : 1};
    const gfp_progress step = {.step = show_round, .user = &rounds};
    gfp_options options = {.verify = (gfp_verify)request->call.verify,
                           .verify_seed = request->own.check.seed,
                           .report = &claim->report,
                           .error = &claim->error,
                           .memory_cap = request->call.memory,
                           .threads = request->call.threads};
    gfp_report sum = {.points = 0};
    bool more = true;
    options.progress = begin_progress(&rounds.progress, "verifying") != NULL ? &step : NULL;
    while (more) {
        claim->status =
            gfp_poly_verify_mul(&claim->view[2], &claim->view[0], &claim->view[1], &options);
        sum.points += claim->report.points;
        sum.log2_error += claim->report.log2_error;
        sum.verify_ns += claim->report.verify_ns;
        rounds.done += claim->report.points;
        more = claim->status == GFP_OK && claim->report.points > 0 &&
               sum.points < request->own.check.points;
        options.verify_seed += options.verify_seed != 0; /* 0: new random points each time */
    }
    end_progress(&rounds.progress);
    claim->report.points = sum.points;
    claim->report.log2_error = sum.log2_error;
    claim->report.verify_ns = sum.verify_ns;
}

static void print_json(const struct claim *claim)
{
    const bool holds = claim->status == GFP_OK;
    const gfp_report *report = &claim->report;
    struct json json;
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(claim->field));
    json_u64(&json, "len_a", claim->view[0].len);
    json_u64(&json, "len_b", claim->view[1].len);
    json_u64(&json, "len_c", claim->view[2].len);
    json_bool(&json, "product", holds);
    json_string(&json, "reason", holds ? NULL : claim->error.message);
    json_string(&json, "verified", verification_name(report->verified));
    json_string(&json, "cross_method", report->cross_method);
    json_u64(&json, "points", report->points);
    json_int(&json, "log2_error", report->log2_error);
    json_u64(&json, "verify_ns", report->verify_ns);
    json_end(&json);
}

static void print_answer(const struct claim *claim, const struct request *request)
{
    const gfp_report *report = &claim->report;
    const char *c = shown_path(request->file[2]);
    if (claim->status != GFP_OK) {
        printf("%s is NOT the product: %s\n", c, claim->error.message);
    } else if (report->cross_method != NULL) {
        printf("%s is the product: %s computes the same coefficients\n", c, report->cross_method);
    } else if (report->points > 0) {
        printf("%s is the product: %u random digit%s; a wrong one passes with probability <= "
               "2^%d\n",
               c, report->points, report->points == 1 ? "" : "s", report->log2_error);
    } else {
        printf("%s is the product\n", c);
    }
}

static int check_and_tell(struct claim *claim, const struct request *request)
{
    verify_check(claim, request);
    if (claim->status != GFP_OK && claim->status != GFP_ERR_VERIFY) {
        return complain_status(request->command->name, claim->status, &claim->error);
    }
    if (request->call.json) {
        print_json(claim);
    } else if (!request->quiet) {
        print_answer(claim, request);
    }
    if (request->call.time) {
        fprintf(stderr, "verify:   %.3f ms\n", (double)claim->report.verify_ns / 1e6);
    }
    const int code = flush_standard_output(0);
    return claim->status == GFP_OK ? code : FAILED;
}

/* ---- the files ---- */

/* A polynomial over the mapped digits; calls may only read it. */
static gfp_poly view_of(const gfp_file *file)
{
    const gfp_field *field = gfp_file_get_info(file).field;
    gfp_poly view;
    gfp_poly_init(&view, field);
    view.digits = (uint64_t *)gfp_file_get_info(file).digits;
    view.len = gfp_file_get_info(file).length;
    while (view.len > 0 &&
           gfp_elem_is_zero(field, view.digits + (view.len - 1) * gfp_field_k(field))) {
        view.len--;
    }
    return view;
}

static int verify_mapped(struct claim *claim, const struct request *request)
{
    struct mapped mapped;
    int code = open_mapped(&mapped, request, CLAIM);
    if (code == DONE) {
        claim->field = mapped.field;
        for (int i = 0; i < CLAIM; i++) {
            claim->view[i] = view_of(mapped.file[i]);
        }
        code = check_and_tell(claim, request);
    }
    close_mapped(&mapped);
    return code;
}

static int verify_read(struct claim *claim, const struct request *request)
{
    struct input input;
    int code = read_files(&input, request, request->file, CLAIM, OVER_FIELD);
    if (code == DONE) {
        claim->field = input.field;
        for (int i = 0; i < CLAIM; i++) {
            claim->view[i] = input.operand[i].poly;
        }
        code = check_and_tell(claim, request);
        free_input(&input);
    }
    return code;
}

static int run_verify(const struct request *request)
{
    struct claim claim = {.status = GFP_OK};
    bool binary = true;
    for (int i = 0; i < CLAIM; i++) {
        binary = binary && is_binary_file(request->file[i]);
    }
    if (request->call.verify == GFP_VERIFY_CROSS && is_given(request, "points seed")) {
        complain("verify: --points and --seed go with --by point");
        return BAD_USAGE;
    }
    return binary ? verify_mapped(&claim, request) : verify_read(&claim, request);
}

const struct command verify_commands[] = {
    {.name = "verify",
     .summary = "Check whether a polynomial is the product of two others",
     .arguments = "A B C",
     .doc = "Checks whether the polynomial in the file C is the product of those in A and B. Any "
            "program may have computed C. Three binary files are mapped: they need not fit in "
            "memory."
            "\vExit status: 0 when C = A B; 1 when C is another polynomial; 2 when they cannot be "
            "compared. With --quiet the command prints nothing. JSON keys: field, len_a, len_b, "
            "len_c, product (true or false), reason (null: C is the product), verified (point or "
            "cross; a field that is too small for points gives cross), cross_method (null: none), "
            "points, log2_error (a wrong product passes with probability at most 2^log2_error), "
            "verify_ns.",
     .files = CLAIM,
     .run = run_verify},
    {.name = NULL}};
