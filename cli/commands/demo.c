/* demo.c: the subcommand demo: multiplies two random polynomials by every sensible method and
 * by other libraries, compares the products coefficient by coefficient, and prints the ratios of
 * the times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define DEFAULT_FIELD "p8"
/* Other libraries are left out if FLINT is estimated to take longer for one product. */
#define MOST_PEER_NS 2e9

/* The state of one demonstration. */
struct demo {
    gfp_poly a;
    gfp_poly b;
    gfp_poly first; /* the product by the first method that ran */
    gfp_poly other; /* the product by a later method */
    const char *first_name;
    unsigned agreeing;
    struct survey survey;
    const struct peer *peers; /* other libraries */
    size_t peer_count;
    struct timing times[MOST_PEERS]; /* the libraries'; runs 0: not measured */
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
static int demo_compare(struct demo *demo, const char *name)
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
        const struct question question = {.problem = {.len_a = demo->a.len, .len_b = demo->b.len}};
        gfp_status status =
            measure_row(row, &question, &usual_effort, &demo->other, &demo->a, &demo->b, &error);
        if (status != GFP_OK) {
            (void)complain_status(row->info.name, status, &error);
            return FAILED;
        }
        code = demo_compare(demo, row->info.name);
    }
    return code;
}

/* Whether the other libraries would take too long, by the estimate for FLINT. */
static bool takes_long(const struct demo *demo)
{
    for (size_t i = 0; i < demo->survey.count; i++) {
        const struct row *row = &demo->survey.rows[i];
        if (strcmp(row->info.name, "flint") == 0) {
            return row->info.estimate_ns > MOST_PEER_NS;
        }
    }
    return false;
}

static int run_peers(struct demo *demo)
{
    for (size_t i = 0; i < demo->peer_count; i++) {
        gfp_error error = {.message = ""};
        const gfp_status status = measure_peer(&demo->times[i], &demo->peers[i], &usual_effort,
                                               &demo->a, &demo->b, &demo->first, &error);
        if (status == GFP_ERR_VERIFY) {
            complain("cross-check failed: %s and %s differ", demo->first_name, demo->peers[i].name);
            return FAILED;
        }
        if (status != GFP_OK) { /* another library's failure is no failure of the demonstration */
            (void)complain_status(demo->peers[i].name, status, &error);
        }
    }
    return DONE;
}

static void print_times(const char *name, const struct timing *t, const struct timing *pick)
{
    const int decimals = pick->min_ns < 100000 ? 6 : 3; /* nanoseconds for short times */
    const double ratio = (double)t->min_ns / (double)pick->min_ns;
    printf("  %-20s %12.*f %12.*f ", name, decimals, (double)t->min_ns / 1e6, decimals,
           (double)t->median_ns / 1e6);
    printf(ratio < 0.095 ? "%8.2g\n" : "%8.2f\n", ratio);
}

/* Prints the methods that did not run: those that would take too long in one line, then (all) those
 * that cannot serve. */
static void print_idle(const struct demo *demo, bool all)
{
    const char *before = "  not run, estimated at more than 20 times the pick (--all runs them): ";
    for (size_t i = 0; i < demo->survey.count; i++) {
        const struct row *row = &demo->survey.rows[i];
        if (row->skipped) {
            printf("%s%s", before, row->info.name);
            before = ", ";
        }
    }
    printf("%s", strcmp(before, ", ") == 0 ? "\n" : "");
    for (size_t i = 0; i < demo->survey.count && all; i++) {
        const struct row *row = &demo->survey.rows[i];
        if (!row->info.available) {
            printf("  %-20s cannot run: %s\n", row->info.name, row->reason);
        }
    }
}

static void print_result(const struct demo *demo, bool all)
{
    const struct timing *pick = &survey_pick(&demo->survey)->timing;
    printf("  %-20s %12s %12s %8s\n", "method", "min ms", "median ms", "ratio");
    for (size_t i = 0; i < demo->survey.count; i++) {
        const struct row *row = &demo->survey.rows[i];
        if (row->timing.runs > 0) {
            print_times(row->info.name, &row->timing, pick);
        }
    }
    for (size_t i = 0; i < demo->peer_count; i++) {
        char name[80];
        if (demo->times[i].runs > 0) {
            snprintf(name, sizeof name, "%s %.*s", demo->peers[i].name,
                     (int)strcspn(demo->peers[i].version, " "), demo->peers[i].version);
            print_times(name, &demo->times[i], pick);
        }
    }
    print_idle(demo, all);
    printf("  pick: %s%s\n", demo->survey.pick,
           runs_on_gpu(demo->survey.pick) ? ", on the GPU, by the clock" : "");
    printf("cross-check: %u methods agree on all %zu coefficients\n", demo->agreeing,
           demo->first.len);
}

/* "19 times faster than FLINT 3.1.3 with fft_small, 4.1 times faster than NTL 11.5.1 on this
 * machine"; for a pick on a GPU "hybrid_gpu, on the GPU: 190 times ...". */
static void print_words(const struct demo *demo)
{
    const struct timing *pick = &survey_pick(&demo->survey)->timing;
    char before[80] = "";
    bool any = false;
    if (runs_on_gpu(demo->survey.pick)) {
        snprintf(before, sizeof before, "%s, on the GPU: ", demo->survey.pick);
    }
    for (size_t i = 0; i < demo->peer_count; i++) {
        const struct peer *peer = &demo->peers[i];
        const double ours = (double)pick->min_ns, theirs = (double)demo->times[i].min_ns;
        const double ratio = theirs >= ours ? theirs / ours : ours / theirs;
        if (demo->times[i].runs > 0) {
            printf("%s%.*f times %s than %s %s", before, ratio < 9.95, ratio,
                   theirs >= ours ? "faster" : "slower", peer->name, peer->version);
            snprintf(before, sizeof before, ", ");
            any = true;
        }
    }
    if (any) {
        printf(" on this machine; the same product\n");
    }
}

static void print_machine(void)
{
    const gfp_machine_info machine = gfp_machine_get_info();
    printf("gfpoly %s on %s (%s), 1 thread\n", gfp_version(), machine.cpu, machine.cpu_level);
}

static int run_demo(struct demo *demo, const gfp_field *field, const struct request *request)
{
    const struct demo_values *values = &request->own.demo;
    const size_t len = values->len;
    gfp_certificate certificate = *gfp_field_get_info(field).certificate;
    int code = random_operands(&demo->a, len, &demo->b, len, values->seed);
    if (code != DONE) {
        return code;
    }
    print_machine();
    printf("%s: r = %llu, k = %u, %u bits, proved prime (%s)\n", gfp_field_name(field),
           (unsigned long long)gfp_field_r(field), gfp_field_k(field), gfp_field_bits(field),
           gfp_proof_string(certificate.proof));
    printf("product of two random polynomials of %zu terms, seed %llu\n", len,
           (unsigned long long)values->seed);
    (void)fflush(stdout);
    /* At least two methods run: one product alone could not be compared. */
    const struct question question = {.problem = {.len_a = len, .len_b = len},
                                      .options = {.tuning = request->costs.tuning}};
    code = make_survey(&demo->survey, field, &question, values->all, 2);
    if (code != DONE) {
        return code;
    }
    code = run_rows(demo);
    if (takes_long(demo) && !values->all) {
        demo->peer_count = 0;
    }
    if (code == DONE) {
        code = run_peers(demo);
    }
    if (code == DONE && demo->agreeing < 2) {
        complain("cross-check impossible: only one method can serve");
        code = FAILED;
    }
    if (code == DONE) {
        print_result(demo, values->all);
        print_words(demo);
        code = flush_standard_output(0);
    }
    return code;
}

/* Shared by all demonstrations. */
struct stage {
    const struct request *request;
    struct peer peers[MOST_PEERS];
    size_t peer_count;
};

static int run_stage(const char *name, const struct stage *stage)
{
    gfp_field *field;
    struct demo demo;
    int code = create_field(&field, name);
    if (code != DONE) {
        return code;
    }
    demo_init(&demo, field);
    demo.peers = stage->peers;
    demo.peer_count = stage->peer_count;
    code = run_demo(&demo, field, stage->request);
    demo_clear(&demo);
    gfp_field_destroy(field);
    return code;
}

/* Prints this command's path for a shell, in quotes if it has unusual characters. */
static void print_command(void)
{
    static const char usual[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "/._+-";
    char *path = own_path();
    const char *command = path != NULL ? path : "gfpoly";
    const char *quote = command[strspn(command, usual)] != '\0' ? "'" : "";
    printf("%s", quote);
    for (; *command != '\0'; command++) {
        if (*command == '\'') {
            printf("'\\''");
        } else {
            putchar(*command);
        }
    }
    printf("%s", quote);
    free(path);
}

/* Prints complete commands. */
static void print_next(void)
{
    static const char *const next[] = {
        "compare --field p8 --max-seconds 20", /* a table and a plot over lengths */
        "methods --field p16 --len 4096",
        "primes --search --k 8 --min-bits 500 --max-bits 508 --random --count 3"};
    printf("\nTry next:\n");
    for (size_t i = 0; i < sizeof next / sizeof next[0]; i++) {
        printf("    ");
        print_command();
        printf(" %s\n", next[i]);
    }
}

static int run_demonstrations(const struct request *request)
{
    struct stage stage = {.request = request};
    const char *name = request->fields == 0 ? DEFAULT_FIELD : asked_field(request, 0);
    int code = DONE;
    stage.peer_count = find_peers(stage.peers);
    for (size_t i = 1; name != NULL && code == DONE; i++) {
        code = run_stage(name, &stage);
        name = asked_field(request, i);
    }
    if (code == DONE) {
        print_next();
        code = flush_standard_output(0);
    }
    return code;
}

const struct command demo_commands[] = {
    {.name = "demo",
     .summary = "Compare all methods on two random polynomials",
     .doc = "Multiplies two random polynomials by every available method, and by FLINT and NTL if "
            "gfpoly was built with them, compares all products coefficient by coefficient, and "
            "prints the CPU times of one thread, and of methods on a GPU times by the clock."
            "\vA method estimated at more than 20 times the pick's time is not run, but two "
            "methods always run. FLINT and NTL are left out if a product takes FLINT more than "
            "about 2 seconds. --all runs all of them, and lists the methods that cannot run, with "
            "the reasons. The exit status is 1 if two products differ.",
     .run = run_demonstrations},
    {.name = NULL}};
