/* mul.c: the subcommands mul and sqr: verified products of two or more factors, and a report on
 * them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* One product of two factors, or a square. */
struct product {
    size_t len_a, len_b, len_c;
    gfp_report report;
};

/* All products of a call. */
struct products {
    const struct request *request;
    const gfp_field *field;
    size_t count;
    struct product one[MAX_FILES];
};

/* ---- reports ---- */

/* Writes the members of one product. */
static void json_product(struct json *json, const struct product *p)
{
    json_u64(json, "len_a", p->len_a);
    json_u64(json, "len_b", p->len_b);
    json_u64(json, "len_c", p->len_c);
    json_report(json, &p->report, "multiply_ns");
}

static void sum_times(const struct products *all, uint64_t *multiply_ns, uint64_t *verify_ns)
{
    *multiply_ns = *verify_ns = 0;
    for (size_t i = 0; i < all->count; i++) {
        *multiply_ns += all->one[i].report.multiply_ns;
        *verify_ns += all->one[i].report.verify_ns;
    }
}

/* An e with 2^e at least the sum of the products' error probabilities; 0 where no product was
 * checked at points. */
static int total_log2_error(const struct products *all)
{
    double sum = 0;
    for (size_t i = 0; i < all->count; i++) {
        const int e = all->one[i].report.log2_error;
        sum += e < 0 ? exp2(e) : 0;
    }
    return sum > 0 ? (int)ceil(log2(sum)) : 0;
}

static void print_json(const struct products *all)
{
    struct json json;
    uint64_t multiply_ns = 0, verify_ns = 0;
    json_begin(&json, stdout);
    json_string(&json, "field", gfp_field_name(all->field));
    if (all->count == 1) {
        json_product(&json, &all->one[0]);
        json_end(&json);
        return;
    }
    sum_times(all, &multiply_ns, &verify_ns);
    json_u64(&json, "factors", all->count + 1);
    json_u64(&json, "len_c", all->one[all->count - 1].len_c);
    json_int(&json, "log2_error", total_log2_error(all));
    json_u64(&json, "multiply_ns", multiply_ns);
    json_u64(&json, "verify_ns", verify_ns);
    json_open(&json, "products", '[');
    for (size_t i = 0; i < all->count; i++) {
        json_open(&json, NULL, '{');
        json_product(&json, &all->one[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void print_all_times(const struct products *all)
{
    uint64_t multiply_ns = 0, verify_ns = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->count > 1) {
            fprintf(stderr, "product %zu of %zu: %zu x %zu coefficients\n", i + 1, all->count,
                    all->one[i].len_a, all->one[i].len_b);
        }
        print_report_times("multiply:", &all->one[i].report);
    }
    if (all->count > 1) {
        sum_times(all, &multiply_ns, &verify_ns);
        fprintf(stderr, "in all: multiply %.3f ms, verify %.3f ms\n", (double)multiply_ns / 1e6,
                (double)verify_ns / 1e6);
    }
}

/* Prints times and report, after the product was written. */
static int report_products(const struct products *all)
{
    if (all->request->call.time) {
        print_all_times(all);
    }
    if (!all->request->call.json) {
        return DONE;
    }
    print_json(all);
    return flush_standard_output(0);
}

/* ---- one product ---- */

/* A product under way. */
struct multiplication {
    gfp_error error;
    gfp_plan_text plan;
    struct progress progress;
    gfp_options options;
};

/* Notes the lengths of the next product, and prints the effect of --memory. */
static void begin_product(struct multiplication *m, struct products *all, size_t len_a,
                          size_t len_b)
{
    const struct request *request = all->request;
    struct product *p = &all->one[all->count];
    *p = (struct product){.len_a = len_a, .len_b = len_b};
    *m = (struct multiplication){.options = call_options(request, &p->report)};
    if (!request->call.binary) {
        const bool square = strcmp(request->command->name, "sqr") == 0;
        const struct question question = {
            .problem = {.operation = square ? GFP_OPERATION_SQUARE : GFP_OPERATION_PRODUCT,
                        .len_a = len_a,
                        .len_b = len_b},
            .options = {.threads = request->call.threads,
                        .memory_cap = request->call.memory,
                        .gpu_device = request->call.gpu_device,
                        .gpu_count = request->call.gpu_count,
                        .tuning = request->costs.tuning}};
        say_what_memory_forces(request, all->field, &question);
    } else if (request->call.memory == 0) {
        m->options.memory_cap = request->call.resume ? resumed_memory() : usual_memory();
    }
    tell("multiplying %zu x %zu coefficients", len_a, len_b);
    m->options.error = &m->error;
    m->options.plan = request->call.explain ? &m->plan : NULL;
    m->options.progress = begin_progress(&m->progress, "multiplying");
}

/* Records the result of a product. Reports errors; returns an exit code. */
static int end_product(struct multiplication *m, struct products *all, size_t len_c,
                       gfp_status status)
{
    struct product *p = &all->one[all->count++];
    p->len_c = len_c;
    end_progress(&m->progress);
    if (m->options.plan != NULL) {
        fputs(m->plan.text, stderr);
    }
    return end_call(all->request, &p->report, status, &m->error);
}

/* ---- factors ---- */

/* The length of a factor that was multiplied into another one. */
#define GONE SIZE_MAX

/* Polynomials in memory, or files: opened ones, and products under construction, of which only the
 * last gets a name. The opened files stay open to the end: the first one owns the field. */
struct factors {
    size_t count;
    size_t length[MAX_FILES];
    struct input *input; /* NULL: files */
    struct mapped opened;
    struct result made[MAX_FILES];  /* file NULL: no product */
    const gfp_file *now[MAX_FILES]; /* NULL: gone */
};

/* Polynomial i := the product of i and j; j := 0 where it is another one. */
static int multiply_polynomials(struct products *all, struct factors *f, size_t i, size_t j)
{
    struct multiplication m;
    gfp_poly *a = &f->input->operand[i].poly, *b = &f->input->operand[j].poly;
    begin_product(&m, all, a->len, b->len);
    const gfp_status status =
        i == j ? gfp_poly_sqr(a, a, &m.options) : gfp_poly_mul(a, a, b, &m.options);
    f->length[i] = a->len;
    if (i != j) {
        gfp_poly_zero(b);
    }
    return end_product(&m, all, a->len, status);
}

/* Replaces file i by the product `made`, or by nothing (NULL). */
static void replace_file(struct factors *f, size_t i, const struct result *made)
{
    if (f->made[i].file != NULL) {
        abandon_result(&f->made[i]);
    }
    f->now[i] = NULL;
    if (made != NULL) {
        f->made[i] = *made;
        f->now[i] = made->file;
        f->length[i] = gfp_file_get_info(made->file).length;
    }
}

/* File i := the product of i and j, without its final name. */
static int multiply_files(struct products *all, struct factors *f, size_t i, size_t j)
{
    struct multiplication m;
    struct result c = {.path = NULL};
    const gfp_file *a = f->now[i], *b = f->now[j];
    size_t length = 0;
    gfp_status status = gfp_file_product_length(&length, a, b);
    if (status != GFP_OK) {
        return complain_status(all->request->command->name, status, NULL);
    }
    int code = begin_result(&c, all->request->output, gfp_file_get_info(a).field, length);
    if (code != DONE) {
        return code;
    }
    begin_product(&m, all, gfp_file_get_info(a).length, gfp_file_get_info(b).length);
    status = gfp_file_mul(c.file, a, b, &m.options);
    code = end_product(&m, all, length, status);
    if (code != DONE) {
        abandon_result(&c);
        return code;
    }
    replace_file(f, j, NULL);
    replace_file(f, i, &c);
    return DONE;
}

/* The index of the shortest factor without the index `other`. */
static size_t mul_shortest(const struct factors *f, size_t other)
{
    size_t best = f->count;
    for (size_t i = 0; i < f->count; i++) {
        if (i != other && f->length[i] != GONE &&
            (best == f->count || f->length[i] < f->length[best])) {
            best = i;
        }
    }
    return best;
}

/* Multiplies all factors; *last is the index of the one that holds the product. The two shortest
 * ones are multiplied first, again and again, which keeps the lengths about equal. A single factor
 * is squared. */
static int multiply_factors(struct products *all, struct factors *f, size_t *last)
{
    int code = DONE;
    for (size_t left = f->count; (left > 1 || all->count == 0) && code == DONE; left--) {
        const size_t i = mul_shortest(f, f->count), j = f->count == 1 ? i : mul_shortest(f, i);
        const size_t first = i < j ? i : j, second = i < j ? j : i;
        code = f->input != NULL ? multiply_polynomials(all, f, first, second)
                                : multiply_files(all, f, first, second);
        if (first != second) {
            f->length[second] = GONE;
        }
        *last = first;
    }
    return code;
}

/* ---- in memory ---- */

static int multiply_and_write(struct products *all, struct factors *f)
{
    const gfp_format format = output_format(f->input, all->request);
    struct place place = usual_place(all->request);
    size_t last = 0;
    int code = open_places(&place, 1, all->request, format);
    if (code != DONE) {
        return code;
    }
    code = multiply_factors(all, f, &last);
    if (code != DONE) {
        abandon_places(&place, 1);
        return code;
    }
    const struct value c = {.poly = &f->input->operand[last].poly};
    code = write_places(&place, 1, &c, format);
    return code == DONE ? report_products(all) : code;
}

static int multiply_input(struct products *all, struct factors *f)
{
    struct input input;
    const struct request *request = all->request;
    int code = read_files(&input, request, request->file, request->files, OVER_FIELD);
    if (code == DONE) {
        all->field = input.field;
        f->input = &input;
        f->count = (size_t)input.count;
        for (size_t i = 0; i < f->count; i++) {
            f->length[i] = input.operand[i].poly.len;
        }
        code = multiply_and_write(all, f);
        free_input(&input);
    }
    return code;
}

/* ---- mapped files ---- */

/* Two equal paths make a square. */
static int open_factors(struct products *all, struct factors *f)
{
    const struct request *request = all->request;
    const bool square = request->files == 2 && strcmp(request->file[0], request->file[1]) == 0;
    f->count = square ? 1 : (size_t)request->files;
    const int code = open_mapped(&f->opened, request, f->count);
    all->field = f->opened.field;
    for (size_t i = 0; i < f->count && code == DONE; i++) {
        f->now[i] = f->opened.file[i];
        f->length[i] = gfp_file_get_info(f->now[i]).length;
    }
    return code;
}

static int multiply_mapped(struct products *all, struct factors *f)
{
    size_t last = 0;
    int code = check_binary(all->request);
    if (code != DONE) {
        return code;
    }
    code = open_factors(all, f);
    code = code == DONE ? multiply_factors(all, f, &last) : code;
    code = code == DONE ? finish_result(&f->made[last]) : code;
    code = code == DONE ? report_products(all) : code;
    for (size_t i = 0; i < f->count; i++) {
        replace_file(f, i, NULL);
    }
    close_mapped(&f->opened);
    return code;
}

/* ---- mapped files in steps, which ranks share and which are kept ---- */

/* A product in steps. */
struct kept_product {
    struct result c;
    char *journal; /* NULL: nothing is kept */
    gfp_dealer *dealer;
    size_t length;
};

/* Rank 0 begins the file, then the others open it. */
static int begin_kept(struct kept_product *p, const struct request *request, const gfp_file *a)
{
    const bool stays = request->call.resume;
    int code = DONE;
    for (int turn = 0; turn < 2 && code == DONE; turn++) {
        if (hooks_of_ranks.is_other == (turn == 1)) {
            code = begin_parted_result(&p->c, request->output, gfp_file_get_info(a).field,
                                       p->length, stays);
        }
        code = agree_code(code);
    }
    if (code == DONE && !gfp_file_get_info(p->c.file).locked) {
        complain("%s: the file system has no locks: start no second run", p->c.temporary);
    }
    if (code == DONE && request->call.resume) {
        p->journal = join_path(p->c.temporary, strlen(p->c.temporary), ".journal");
        if (p->journal != NULL && p->c.is_new && !hooks_of_ranks.is_other) {
            (void)remove(p->journal); /* of a product that was completed */
        }
        code = agree_code(p->journal == NULL
                              ? complain_status(request->command->name, GFP_ERR_MEMORY, NULL)
                              : DONE);
    }
    return code;
}

static int compute_kept(struct products *all, struct kept_product *p, const gfp_file *a,
                        const gfp_file *b)
{
    struct multiplication m;
    gfp_error error = {.message = ""};
    const struct request *request = all->request;
    if (make_dealer(&p->dealer, hooks_of_ranks.is_other ? NULL : p->journal, &error) != GFP_OK) {
        complain("%s: %s", request->command->name, error.message);
        return FAILED;
    }
    begin_product(&m, all, gfp_file_get_info(a).length, gfp_file_get_info(b).length);
    m.options.dealer = p->dealer;
    const gfp_status status = gfp_file_mul(p->c.file, a, b, &m.options);
    const int code = end_product(&m, all, p->length, status);
    if (p->journal != NULL && status != GFP_ERR_ARGUMENT) {
        tell("%s: %" PRIu64 " pieces of the work existed already", p->journal,
             gfp_dealer_get_info(p->dealer).restored);
    }
    if (p->journal != NULL && status == GFP_ERR_ARGUMENT) {
        complain("%s: a product goes on with the factors and the --memory with which it began; "
                 "without this file it begins anew",
                 p->journal);
    }
    /* What is wrong, or was not begun, serves nobody. */
    const bool begun = !p->c.is_new || status != GFP_ERR_UNAVAILABLE;
    p->c.stays = p->c.stays && begun && status != GFP_ERR_VERIFY;
    return status == GFP_ERR_ARGUMENT ? FAILED : code;
}

/* Rank 0 gives the file its name. */
static int finish_kept(struct kept_product *p)
{
    int code = DONE;
    if (hooks_of_ranks.is_other) {
        abandon_result(&p->c);
    } else {
        code = finish_result(&p->c);
    }
    return agree_code(code);
}

static int multiply_kept(struct products *all, struct factors *f)
{
    const struct request *request = all->request;
    struct kept_product p = {.c = {.path = NULL}};
    const gfp_file *a = f->now[0], *b = f->now[f->count - 1];
    const gfp_status status = gfp_file_product_length(&p.length, a, b);
    int code = status == GFP_OK ? begin_kept(&p, request, a)
                                : complain_status(request->command->name, status, NULL);
    if (code == DONE) {
        code = compute_kept(all, &p, a, b);
    }
    const bool stays = p.c.stays;
    code = code == DONE ? finish_kept(&p) : code;
    abandon_result(&p.c);
    if ((code == DONE || !stays) && p.journal != NULL && !hooks_of_ranks.is_other) {
        (void)remove(p.journal); /* while it is locked */
    }
    gfp_dealer_destroy(p.dealer);
    free(p.journal);
    return code == DONE ? report_products(all) : code;
}

static int run_kept(struct products *all, struct factors *f)
{
    const struct request *request = all->request;
    if (!request->call.binary || request->files > 2) {
        complain("%s: --resume needs --binary, and at most two factors", request->command->name);
        return BAD_USAGE;
    }
    int code = check_binary(request);
    if (code == DONE) {
        code = agree_code(open_factors(all, f));
        code = code == DONE ? multiply_kept(all, f) : code;
        close_mapped(&f->opened);
    }
    return code;
}

/* ---- the commands ---- */

static int run_mul(const struct request *request)
{
    struct products *all = calloc(1, sizeof *all);
    struct factors *f = calloc(1, sizeof *f);
    const bool lacks = all == NULL || f == NULL;
    int code =
        agree_code(lacks ? complain_status(request->command->name, GFP_ERR_MEMORY, NULL) : DONE);
    if (code == DONE && !lacks) {
        all->request = request;
        code = request->call.resume || hooks_of_ranks.agree != NULL ? run_kept(all, f)
               : request->call.binary                               ? multiply_mapped(all, f)
                                                                    : multiply_input(all, f);
    }
    free(all);
    free(f);
    return code;
}

#define PRODUCT_KEYS                                                                               \
    "len_a, len_b, len_c, method, verified, cross_method (null: none), points, log2_error (a "     \
    "wrong product passes with probability at most 2^log2_error), threads (those that the "        \
    "product used), multiply_ns, verify_ns, gpu_method, gpu_error (the method on a GPU that was "  \
    "picked and failed, and why; the CPU then computed the product; null: none)"

const struct command product_commands[] = {
    {.name = "mul",
     .summary = "Multiply polynomials and verify the product",
     .arguments = "A B...",
     .doc = "Writes the product of the polynomials in the files A and B, or in up to 256 files. "
            "The command verifies the product before it writes it. If the verification fails, it "
            "writes nothing, and the exit status is 1. With more than two factors it multiplies "
            "the two shortest ones first, again and again, and verifies each product."
            "\vJSON keys: field, " PRODUCT_KEYS ". More than two factors: field, factors, len_c, "
            "log2_error, multiply_ns, verify_ns (of all products), products: [{" PRODUCT_KEYS "}].",
     .files = 2,
     .most_files = MAX_FILES,
     .run = run_mul},
    {.name = "sqr",
     .summary = "Square a polynomial and verify the square",
     .arguments = "A",
     .doc = "Writes the square of the polynomial in the file A. The command verifies the square "
            "before it writes it. If the verification fails, it writes nothing, and the exit "
            "status is 1."
            "\vJSON keys: field, " PRODUCT_KEYS ".",
     .files = 1,
     .run = run_mul},
    {.name = NULL}};
