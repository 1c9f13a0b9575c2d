/* bench/bench.c: gfpoly_bench: its sections and options, fields, and output files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/modular/sections.h"
#include "bench/options.h"
#include "bench/peers/operations.h"

/* A part of the program, chosen by an option: a flag, or one whose value is not zero then. It runs
 * over each field, or once. */
typedef struct section {
    option_row option;
    size_t lengths[9], bits[4]; /* default ones; 0 ends them */
    const char *const *fields;  /* default ones; NULL: p8 */
    bool (*over_field)(const settings *s, const gfp_field *field, report *r);
    bool (*once)(const settings *s, report *r);
    bool on_cpu; /* no GPU computes anything */
    bool source; /* prints a file of the library */
} section;

typedef struct session {
    settings s;
    bool chosen[32];
} session;

static const char *const all_p[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128", NULL};

#define FLAG(text, description)                                                                    \
    .option = {.name = (text), .help = (description), .group = 1, .kind = OPTION_FLAG}
#define VALUE(text, value, description, type, member)                                              \
    .option = {.name = (text),                                                                     \
               .argument = (value),                                                                \
               .help = (description),                                                              \
               .group = 1,                                                                         \
               .kind = (type),                                                                     \
               .least = 2,                                                                         \
               .most = 1024,                                                                       \
               .place = offsetof(session, s.member)}

/* In this order. First calls come first: forks inherit what this process has made. */
static const section sections[] = {
    {FLAG("first", "The first product and the first gcd of a process next to later ones, in CPU "
                   "time (default lengths: 16, 256, 1024, 4096)"),
     .lengths = {16, 256, 1024, 4096}, .over_field = bench_first},
    {FLAG("methods", "Products by every method (default lengths: 256, 1024, 4096, 16384)"),
     .lengths = {256, 1024, 4096, 16384}, .over_field = bench_methods},
    {FLAG("dft", "Transforms (default lengths: 256, 4096, 65536)"), .lengths = {256, 4096, 65536},
     .over_field = bench_dft},
    {FLAG("kernels", "Kernels, in nanoseconds per element"), .over_field = bench_kernels},
    {FLAG("thresholds",
          "The sizes up to which division, gcds, series, trees and composition take their base "
          "cases (poly/thresholds.c), measured on one thread; for fields of a radix from 2^32 on"),
     .over_field = bench_thresholds},
    {FLAG("threads", "Products by 1, 2, 4, 8 and 16 threads, every method, and batches of short "
                     "ones (default fields: p2 ... p128; default lengths: 2^10 ... 2^18)"),
     .lengths = {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18},
     .fields = all_p, .over_field = bench_threads, .on_cpu = true},
    {VALUE("dft-threads", "N", "Transforms over Z/pZ by one and by N threads, in turns",
           OPTION_COUNT, dft_threads),
     .lengths = {1 << 12, 1 << 14, 1 << 16, 1 << 18}, .over_field = bench_dft_threads},
    {VALUE("toolkit-threads", "N",
           "Operations on polynomials by 1 and by N threads in turns (default lengths: 4096, "
           "16384)",
           OPTION_COUNT, toolkit_threads),
     .lengths = {1 << 12, 1 << 14}, .over_field = bench_toolkit_threads, .on_cpu = true},
    {FLAG("words", "Integers of these lengths in bits (default: 505 ... 8192, 10^5, 10^6) to "
                   "residues modulo word-size primes and back; no field"),
     .lengths = {505, 993, 1985, 4032, 8192, 100000, 1000000}, .once = bench_words},
    {FLAG("rows", "The rows by which scripts/pairs.sh compares two revisions: products over the "
                  "named fields, squares, parts, operands, batches, threads, series, products on a "
                  "GPU; no field"),
     .once = bench_rows},
    {FLAG("cost-table", "product/methods/costs_LEVEL.inc for this machine and kernel level"),
     .once = print_cost_table, .source = true},
    {FLAG("images", "Resultants and gcds of these degrees modulo blocks of word-size primes at all "
                    "levels, and by FLINT (default: 8, 16, ..., 1024)"),
     .lengths = {8, 16, 32, 64, 128, 256, 512, 1024}, .once = bench_images},
    {VALUE("strategies", "mul|gcd|resultant",
           "Over Z, of these degrees (default: 64, 256, 1024): every strategy, and the choice; "
           "operands of gcds have a divisor of half of the degree and bits",
           OPTION_CHOICE, strategies),
     .lengths = {64, 256, 1024}, .bits = {64, 256, 1024, 4096}, .once = bench_strategies},
    {VALUE("bivariate", "parts|flint|gp|gpu|system",
           "Resultants over Z of two variables, of these total degrees (default: 20) and 16 bits: "
           "with the parts of a call; by FLINT too; as a program for PARI's gp; by a GPU; or the "
           "solutions of the system",
           OPTION_CHOICE, bivariate),
     .lengths = {20}, .bits = {16}, .once = bench_bivariate},
};
#define SECTIONS (sizeof sections / sizeof *sections)

/* ---- options ---- */

static void choose_operation(struct argp_state *state, void *user, const char *name)
{
    session *o = user;
    uint64_t named = 0;
    for (size_t i = 0; i < operation_count; i++) {
        named |= (uint64_t)operation_named(&operations[i], name) << i;
    }
    if (named == 0) {
        argp_error(state, "unknown operation '%s'", name);
    }
    o->s.operations |= named;
}

static const option_row common[] = {
    FIELD_ROWS,
    LENGTHS_ROW("Lengths of the factors or transforms; the defaults are those of the sections"),
    {ROW(session, s.bits, OPTION_LIST, "bits", "N,N,...",
         "For --strategies and --bivariate: bits of the operands' coefficients; of products of "
         "the result's"),
     .group = 2, .count_place = offsetof(session, s.bits_count)},
    {.name = "operation",
     .argument = "NAME",
     .help =
         "For --toolkit-threads: an operation of gfpoly_peers, or all, or tour; may be repeated "
         "(default: all but compositions and factorisations)",
     .group = 2,
     .kind = OPTION_TAKEN,
     .take = choose_operation},
    {ROW(session, s.filter, OPTION_TEXT, "filter", "TEXT",
         "For --rows: only rows whose names contain TEXT"),
     .group = 2},
    {ROW(session, s.limit, OPTION_SECONDS, "limit", "S",
         "Skip what takes more than S seconds (default: 2)"),
     .group = 2},
    TIME_ROWS("0.3"),
    FILE_ROWS,
};
#define COMMON (sizeof common / sizeof *common)

static const char documentation[] =
    "Measures the parts of gfpoly. Without a section it measures products by every method, and "
    "kernels.\vThe program compares every product, transform and result with that of another "
    "method before it measures. min and median are wall-clock times on one thread (except with "
    "the options whose names end with threads), or of a method on a GPU, whose name says so; over "
    "Z and in rows of one thread they are CPU times; --threads and --toolkit-threads use no GPU. "
    "spread is the distance between the quartiles in percent of the median. A build without "
    "optimisation or with sanitizers is refused. \"/ flint\" is the ratio of a method's least "
    "time to flint's; \"verify\" is the time of the check at a random point divided by the "
    "method's least time. Exit status: 0, 1 after a failure, 2 after a mistake in usage.";

/* Whether the option of a section was given. */
static bool is_chosen(const session *o, size_t i)
{
    const option_row *row = &sections[i].option;
    const void *place = (const char *)o + row->place;
    switch (row->kind) {
    case OPTION_COUNT:
        return *(const unsigned *)place != 0;
    case OPTION_CHOICE:
        return *(const char *const *)place != NULL;
    default:
        return o->chosen[i];
    }
}

/* Without a section, methods and kernels. */
static void choose_sections(session *o)
{
    bool any = false;
    for (size_t i = 0; i < SECTIONS; i++) {
        any = any || is_chosen(o, i);
    }
    for (size_t i = 0; i < SECTIONS && !any; i++) {
        o->chosen[i] =
            sections[i].over_field == bench_methods || sections[i].over_field == bench_kernels;
    }
}

/* Those of the first section that has default fields, or p8. */
static void choose_fields(settings *s, const session *o)
{
    static const char *const p8[] = {"p8", NULL};
    const char *const *names = NULL;
    bool any = false;
    for (size_t i = 0; i < SECTIONS; i++) {
        if (is_chosen(o, i)) {
            any = any || sections[i].over_field != NULL;
            names = names == NULL ? sections[i].fields : names;
        }
    }
    if (any) {
        for (names = names == NULL ? p8 : names; *names != NULL; names++) {
            s->fields[s->field_count++] = *names;
        }
    }
}

static void set_defaults(session *o)
{
    choose_sections(o);
    if (o->s.field_count == 0) {
        choose_fields(&o->s, o);
    }
    /* Compositions and factorisations take minutes at the default lengths. */
    for (size_t i = 0; i < operation_count && o->s.operations >> i == 0; i++) {
        o->s.operations |= (uint64_t)(operations[i].code < PEER_COMPOSE) << i;
    }
}

static void read_options(session *o, int argc, char **argv)
{
    option_row rows[SECTIONS + COMMON];
    const program p = {.name = "gfpoly_bench",
                       .documentation = documentation,
                       .rows = rows,
                       .count = SECTIONS + COMMON,
                       .into = o};
    for (size_t i = 0; i < SECTIONS; i++) {
        rows[i] = sections[i].option;
        if (rows[i].kind == OPTION_FLAG) {
            rows[i].place = offsetof(session, chosen) + i * sizeof o->chosen[0];
        }
    }
    memcpy(rows + SECTIONS, common, sizeof common);
    parse_options(&p, argc, argv);
}

/* ---- running ---- */

/* The settings of one section, with its own default lengths and bits. */
static settings settings_of(const settings *s, const section *part)
{
    settings copy = *s;
    for (size_t i = 0; s->length_count == 0 && i < 9 && part->lengths[i] > 0; i++) {
        copy.lengths[copy.length_count++] = part->lengths[i];
    }
    for (size_t i = 0; s->bits_count == 0 && i < 4 && part->bits[i] > 0; i++) {
        copy.bits[copy.bits_count++] = part->bits[i];
    }
    return copy;
}

/* Sections over fields, field by field, then the others. */
static bool run_sections(const session *o, gfp_field *const *fields, report *r)
{
    bool ok = true;
    for (size_t i = 0; i < (o->s.field_count + 1) * SECTIONS && ok; i++) {
        const section *part = &sections[i % SECTIONS];
        const size_t field = i / SECTIONS;
        if (is_chosen(o, i % SECTIONS)) {
            const settings s = settings_of(&o->s, part);
            if (field < o->s.field_count) {
                ok = part->over_field == NULL || part->over_field(&s, fields[field], r);
            } else {
                ok = part->once == NULL || part->once(&s, r);
            }
        }
    }
    return ok;
}

static bool run_all(const session *o, gfp_field *const *fields)
{
    const settings *s = &o->s;
    report r = {.records = NULL};
    FILE *csv = NULL, *json = NULL;
    bool source = false, ok = true;
    for (size_t i = 0; i < SECTIONS; i++) {
        source = source || (is_chosen(o, i) && sections[i].source);
        if (is_chosen(o, i) && sections[i].on_cpu) {
            ok = ok && (keep_to_cpu(true) || complain("no memory"));
        }
    }
    ok = ok && check_build() && check_preload() && report_open(&csv, s->csv) &&
         report_open(&json, s->json);
    if (ok && source) {
        describe_machine(&r.machine);
    } else if (ok) {
        report_start(&r);
    }
    ok = ok && run_sections(o, fields, &r);
    if (!source) {
        print_spread(&r);
    }
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

int main(int argc, char **argv)
{
    session o = {.s = {.seconds = 0.3, .limit = 2, .seed = 1}};
    gfp_field *fields[MAX_FIELDS] = {NULL};

    read_options(&o, argc, argv);
    set_defaults(&o);
    int code = create_fields(&o.s, fields);
    if (code == 0) {
        code = run_all(&o, fields) ? 0 : 1;
    }
    for (size_t i = 0; i < o.s.field_count; i++) {
        gfp_field_destroy(fields[i]);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output: %s", strerror(errno));
        code = 1;
    }
    return code;
}
