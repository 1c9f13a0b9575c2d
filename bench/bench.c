/* bench/bench.c: the command gfpoly_bench: its options, fields and output files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers/operations.h"

enum {
    OPTION_LIMIT = 256,
    OPTION_METHODS,
    OPTION_DFT,
    OPTION_KERNELS,
    OPTION_WORDS,
    OPTION_THREADS,
    OPTION_DFT_THREADS,
    OPTION_TOOLKIT_THREADS,
    OPTION_OPERATION,
    OPTION_COST_TABLE,
    OPTION_FIRST,
    OPTION_THRESHOLDS
};

static const struct argp_option options[] = {
    {"len", 'l', "N,N,...", 0,
     "Lengths of the factors (default: 256,1024,4096,16384); of the transforms with --dft "
     "(default: 256,4096,65536)",
     0},
    {"methods", OPTION_METHODS, NULL, 0, "Products by every method", 1},
    {"dft", OPTION_DFT, NULL, 0, "Transforms", 1},
    {"kernels", OPTION_KERNELS, NULL, 0, "Kernels, in nanoseconds per element", 1},
    {"words", OPTION_WORDS, NULL, 0,
     "Integers of these lengths in bits (default: 505 ... 8192, 10^5, 10^6) to residues modulo "
     "word-size primes and back; no field",
     1},
    {"threads", OPTION_THREADS, NULL, 0,
     "Products by 1, 2, 4, 8 and 16 threads, every method, and batches of short ones (default "
     "fields: p2 ... p128; default lengths: 2^10 ... 2^18)",
     1},
    {"dft-threads", OPTION_DFT_THREADS, "N", 0,
     "Transforms over Z/pZ by one and by N threads, in turns", 1},
    {"toolkit-threads", OPTION_TOOLKIT_THREADS, "N", 0,
     "Operations on polynomials by 1 and by N threads in turns (default lengths: 4096 and 16384)",
     1},
    {"operation", OPTION_OPERATION, "NAME", 0,
     "For --toolkit-threads: an operation of gfpoly_peers, or all, or tour; may be repeated "
     "(default: all but compositions and factorisations)",
     2},
    {"first", OPTION_FIRST, NULL, 0,
     "The first product and the first gcd of a process next to later ones, in CPU time (default "
     "lengths: 16, 256, 1024, 4096)",
     1},
    {"thresholds", OPTION_THRESHOLDS, NULL, 0,
     "The sizes up to which division, gcds, series, trees and composition take their base cases "
     "(poly/thresholds.c), measured on one thread; for fields of a radix from 2^32 on",
     1},
    {"cost-table", OPTION_COST_TABLE, NULL, 0,
     "Print product/methods/costs_LEVEL.inc for this machine and kernel level, and do nothing else",
     1},
    {"limit", OPTION_LIMIT, "S", 0, "Skip methods estimated at more than S seconds (default: 2)",
     2},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const char documentation[] =
    "Measures the parts of gfpoly. Without --methods, --dft, --kernels, --words, "
    "--threads, --dft-threads or --toolkit-threads it measures products by every method, and "
    "kernels.\vThe "
    "program compares every "
    "product and transform with that of another method before it measures. min and median are "
    "wall-clock times on one thread (except with the options whose names end with threads), or of "
    "a "
    "method on a GPU, whose name says so; --threads and --toolkit-threads use no GPU. spread is "
    "the "
    "distance between the "
    "quartiles in percent of the median. A build without optimisation or with sanitizers is "
    "refused. \"/ flint\" is the ratio of a method's least time to flint's; \"verify\" is the time "
    "of the check at a random point divided by the method's least time. Exit status: 0, 1 after a "
    "failure, 2 after a mistake in usage.";

static unsigned parse_threads(struct argp_state *state, const char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || n < 2 || n > 1024) {
        argp_error(state, "'%s' is not a number of threads from 2 to 1024", text);
    }
    return (unsigned)n;
}

static void choose_operation(struct argp_state *state, settings *s, const char *name)
{
    uint64_t named = 0;

    for (size_t i = 0; i < operation_count; i++) {
        named |= (uint64_t)operation_named(&operations[i], name) << i;
    }
    if (named == 0) {
        argp_error(state, "unknown operation '%s'", name);
    }
    s->operations |= named;
}

/* Compositions and factorisations take minutes at the default lengths. */
static void default_operations(settings *s)
{
    for (size_t i = 0; i < operation_count; i++) {
        s->operations |= (uint64_t)(operations[i].code < PEER_COMPOSE) << i;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    settings *s = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = s;
        return 0;
    case 'l':
        s->length_count = parse_lengths(state, s->lengths, argument);
        return 0;
    case OPTION_LIMIT:
        s->limit = parse_seconds(state, argument);
        return 0;
    case OPTION_METHODS:
        s->methods = true;
        return 0;
    case OPTION_DFT:
        s->dft = true;
        return 0;
    case OPTION_KERNELS:
        s->kernels = true;
        return 0;
    case OPTION_WORDS:
        s->words = true;
        return 0;
    case OPTION_THREADS:
        s->threads = true;
        return 0;
    case OPTION_DFT_THREADS:
        s->dft_threads = parse_threads(state, argument);
        return 0;
    case OPTION_TOOLKIT_THREADS:
        s->toolkit_threads = parse_threads(state, argument);
        return 0;
    case OPTION_OPERATION:
        choose_operation(state, s, argument);
        return 0;
    case OPTION_FIRST:
        s->first = true;
        return 0;
    case OPTION_THRESHOLDS:
        s->thresholds = true;
        return 0;
    case OPTION_COST_TABLE:
        s->cost_table = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The settings of one part, with its own default lengths. */
static settings with_lengths(const settings *s, const size_t *lengths, size_t count)
{
    settings copy = *s;

    if (copy.length_count == 0) {
        memcpy(copy.lengths, lengths, count * sizeof(*lengths));
        copy.length_count = count;
    }
    return copy;
}

static bool bench_field(const settings *s, const gfp_field *field, report *r)
{
    static const size_t product_lengths[] = {256, 1024, 4096, 16384};
    static const size_t dft_lengths[] = {256, 4096, 65536};
    const settings products = with_lengths(s, product_lengths, 4);
    const settings transforms = with_lengths(s, dft_lengths, 3);
    static const size_t thread_lengths[] = {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14,
                                            1 << 15, 1 << 16, 1 << 17, 1 << 18};
    const settings threads = with_lengths(s, thread_lengths, 9);
    static const size_t dft_thread_lengths[] = {1 << 12, 1 << 14, 1 << 16, 1 << 18};
    const settings dft_threads = with_lengths(s, dft_thread_lengths, 4);
    static const size_t toolkit_lengths[] = {1 << 12, 1 << 14};
    const settings toolkit = with_lengths(s, toolkit_lengths, 2);
    static const size_t first_lengths[] = {16, 256, 1024, 4096};
    const settings first = with_lengths(s, first_lengths, 4);

    /* First calls come first: forks inherit what this process has made. */
    return (!s->first || bench_first(&first, field, r)) &&
           (!s->methods || bench_methods(&products, field, r)) &&
           (!s->dft || bench_dft(&transforms, field, r)) &&
           (!s->kernels || bench_kernels(s, field, r)) &&
           (!s->thresholds || bench_thresholds(s, field)) &&
           (!s->threads || bench_threads(&threads, field, r)) &&
           (s->dft_threads == 0 || bench_dft_threads(&dft_threads, field, r)) &&
           (s->toolkit_threads == 0 || bench_toolkit_threads(&toolkit, field, r));
}

static bool bench_fields(const settings *s, gfp_field *const *fields)
{
    report r = {.records = NULL};
    FILE *csv = NULL;
    FILE *json = NULL;
    bool ok = check_build() && report_open(&csv, s->csv) && report_open(&json, s->json);
    if (ok) {
        report_start(&r);
    }
    for (size_t i = 0; i < s->field_count && ok; i++) {
        ok = bench_field(s, fields[i], &r);
    }
    if (s->words && ok) {
        static const size_t bits[] = {505, 993, 1985, 4032, 8192, 100000, 1000000};
        const settings numbers = with_lengths(s, bits, 7);
        ok = bench_words(&numbers, &r);
    }
    print_spread(&r);
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    report_clear(&r);
    return ok;
}

/* Creates the fields before anything is measured. Returns an exit code. */
static int create_fields(const settings *s, gfp_field **fields)
{
    gfp_error error = {.message = ""};

    for (size_t i = 0; i < s->field_count; i++) {
        const gfp_status status = gfp_field_create(&fields[i], s->fields[i], NULL, &error);
        if (status != GFP_OK) {
            complain("--field %s: %s", s->fields[i], error.message);
            return status == GFP_ERR_MEMORY ? 1 : 2;
        }
    }
    return 0;
}

/* The default is p8; for products by threads all primes p2 to p128. */
static void default_fields(settings *s)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128"};

    if (!s->threads) {
        s->fields[s->field_count++] = "p8";
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        s->fields[s->field_count++] = names[i];
    }
}

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&common_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp parser = {options, parse_option, NULL, documentation, children, NULL, NULL};
    settings s = {.seconds = 0.3, .limit = 2, .seed = 1};
    gfp_field *fields[MAX_FIELDS] = {NULL};

    program_name = "gfpoly_bench";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &s) != 0) {
        return 2;
    }
    if (s.operations == 0) {
        default_operations(&s);
    }
    if (!s.methods && !s.dft && !s.kernels && !s.words && !s.threads && !s.first && !s.thresholds &&
        s.dft_threads == 0 && s.toolkit_threads == 0) {
        s.methods = s.kernels = true;
    }
    if ((s.threads || s.toolkit_threads != 0) && !keep_to_cpu(true)) {
        complain("no memory");
        return 1;
    }
    if (s.field_count == 0) {
        default_fields(&s);
    }
    int code = create_fields(&s, fields);
    if (code == 0) {
        const bool ok =
            s.cost_table ? check_build() && print_cost_table(&s) : bench_fields(&s, fields);
        code = ok ? 0 : 1;
    }
    for (size_t i = 0; i < s.field_count; i++) {
        gfp_field_destroy(fields[i]);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output: %s", strerror(errno));
        code = 1;
    }
    return code;
}
