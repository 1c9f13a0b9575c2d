/* bench/peers/integers.c: gfpoly_zpeers: products, gcds and resultants of random polynomials over Z
 * by gfpoly's choice and by other libraries. The results are first compared, then timed, all in one
 * process with the same settings of malloc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers/table.h"
#include "bench/peers/integers.h"
#include "bench/modular/times.h"

/* Every library gets a share of the time in each round, so that a slow phase of the machine slows
 * all of them. */
#define ROUNDS 3

static const char *const operation_names[ZPEER_OPERATIONS] = {"mul", "gcd", "resultant"};
static const char *const row_names[ZPEER_OPERATIONS] = {"product", "gcd", "resultant"};

typedef struct session {
    settings s;
    size_t bits[MAX_LENGTHS], bits_count;
    bool chosen[ZPEER_OPERATIONS];
    size_t most; /* terms times bits of a place */
    double budget;
    const zpeer *peers[MAX_PEERS];
    size_t peer_count;
    peers_output output; /* the table's file, and the command */
    gfp_zring *ring;
    /* Of the last place of a row: a library that took longer than the budget is left out from then
     * on. */
    double last_ns[1 + MAX_PEERS];
} session;

/* A place of the table, ours as well as a library's state in the others. */
typedef struct place {
    zpeer_operation operation;
    size_t len, bits;
    gfp_zvec a, b, c;
    uint64_t *integers; /* both operands, for the libraries */
    zpeer_problem problem;
    void *state[MAX_PEERS]; /* NULL: the library is left out */
    timing time[1 + MAX_PEERS];
} place;

static bool run_ours(void *state)
{
    place *p = state;
    const gfp_options one = {.threads = 1}; /* the calling thread's time counts */
    const gfp_status status = p->operation == ZPEER_MUL ? gfp_zvec_mul(&p->c, &p->a, &p->b, &one)
                              : p->operation == ZPEER_GCD
                                  ? gfp_zvec_gcd(&p->c, &p->a, &p->b, &one)
                                  : gfp_zvec_resultant(&p->c, &p->a, &p->b, &one);
    return status == GFP_OK || complain("%s of %zu terms, %zu bits: %s", row_names[p->operation],
                                        p->len, p->bits, gfp_status_string(status));
}

/* ---- operands ---- */

/* Random polynomials of len terms; those of gcds have a common divisor of half of the degree and of
 * the bits. */
static void draw(place *p, gfp_random *g)
{
    const bool common = p->operation == ZPEER_GCD && p->len > 2 && p->bits > 1;
    const size_t len = common ? (p->len - 1) / 2 + 1 : p->len,
                 bits = common ? p->bits / 2 : p->bits;
    fill_random(&p->a, len, bits, g);
    fill_random(&p->b, len, bits, g);
    if (common) {
        fill_random(&p->c, p->len - len + 1, bits, g);
        must(gfp_zvec_mul(&p->a, &p->a, &p->c, NULL), "operands");
        must(gfp_zvec_mul(&p->b, &p->b, &p->c, NULL), "operands");
    }
}

/* x := len integers of this width, from narrower ones. */
static void widen(uint64_t *x, const gfp_zvec *a, size_t width)
{
    for (size_t i = 0; i < a->len; i++) {
        const uint64_t *from = a->limbs + i * a->width;
        const uint64_t sign = 0 - (from[a->width - 1] >> 63);
        for (size_t j = 0; j < width; j++) {
            x[i * width + j] = j < a->width ? from[j] : sign;
        }
    }
}

static bool place_init(place *p, session *o, zpeer_operation operation, size_t len, size_t bits)
{
    gfp_random g;
    *p = (place){.operation = operation, .len = len, .bits = bits};
    gfp_random_seed(&g, o->s.seed);
    gfp_zvec_init(&p->a, o->ring);
    gfp_zvec_init(&p->b, o->ring);
    gfp_zvec_init(&p->c, o->ring);
    draw(p, &g);
    const size_t width = p->a.width > p->b.width ? p->a.width : p->b.width;
    p->integers = calloc(p->a.len + p->b.len, width * sizeof *p->integers);
    if (p->integers == NULL) {
        return complain("no memory");
    }
    widen(p->integers, &p->a, width);
    widen(p->integers + p->a.len * width, &p->b, width);
    p->problem = (zpeer_problem){.operation = operation,
                                 .a = p->integers,
                                 .b = p->integers + p->a.len * width,
                                 .len_a = p->a.len,
                                 .len_b = p->b.len,
                                 .width = width};
    return true;
}

static void place_clear(place *p, const session *o)
{
    for (size_t i = 0; i < o->peer_count; i++) {
        if (p->state[i] != NULL) {
            o->peers[i]->finish(p->state[i]);
        }
    }
    free(p->integers);
    gfp_zvec_clear(&p->a);
    gfp_zvec_clear(&p->b);
    gfp_zvec_clear(&p->c);
}

/* ---- times ---- */

/* Computes once by every library, and compares. */
static bool compare(place *p, const session *o)
{
    if (!run_ours(p)) {
        return false;
    }
    for (size_t i = 0; i < o->peer_count; i++) {
        const zpeer *library = o->peers[i];
        if (o->last_ns[1 + i] > o->budget * 1e9 || !library->serves(&p->problem)) {
            continue;
        }
        progress(row_names[p->operation], library->name, p->len);
        p->state[i] = library->start(&p->problem);
        if (p->state[i] == NULL || !library->run(p->state[i])) {
            return complain("%s %s: no memory", library->name, library->version);
        }
        if (!library->equals(p->state[i], p->c.limbs, p->c.len, p->c.width)) {
            return complain("%s of %zu terms, %zu bits: gfpoly and %s %s differ",
                            row_names[p->operation], p->len, p->bits, library->name,
                            library->version);
        }
    }
    return true;
}

/* The least time of all rounds. A library whose call takes longer than the time of a figure has one
 * round. */
static bool take_times(place *p, session *o)
{
    for (size_t i = 0; i < ROUNDS * (1 + o->peer_count); i++) {
        const size_t which = i % (1 + o->peer_count);
        const zpeer *library = which == 0 ? NULL : o->peers[which - 1];
        timing *time = &p->time[which], t;
        if ((library != NULL && p->state[which - 1] == NULL) ||
            (time->runs > 0 && time->min_ns > o->s.seconds * 1e9)) {
            continue;
        }
        progress(row_names[p->operation], library == NULL ? "gfpoly" : library->name, p->len);
        if (!measure(&t, o->s.seconds / ROUNDS, library == NULL ? run_ours : library->run,
                     library == NULL ? (void *)p : p->state[which - 1])) {
            return complain("no memory");
        }
        if (time->runs > 0) {
            t.runs += time->runs;
            t.min_ns = fmin(t.min_ns, time->min_ns);
        }
        *time = t;
        o->last_ns[which] = t.min_ns;
    }
    return true;
}

static bool add_records(const place *p, const session *o, report *r)
{
    progress_end();
    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        const zpeer *library = i == 0 ? NULL : o->peers[i - 1];
        char bits[32], name[80];
        (void)snprintf(bits, sizeof bits, "%zu bits", p->bits);
        (void)snprintf(name, sizeof name, "%s %s", library == NULL ? "gfpoly" : library->name,
                       library == NULL ? gfp_version() : library->version);
        record *x = report_add(r, operation_names[p->operation], bits, name);
        if (x == NULL) {
            return false;
        }
        x->len_a = x->len_b = p->len;
        x->time = p->time[i];
        printf("%-10s %7zu %6zu  %-36s", row_names[p->operation], p->len, p->bits, name);
        if (x->time.runs == 0) {
            record_note(x, "left out: %s",
                        library->serves(&p->problem) ? "the budget" : "too large for this library");
            printf(" %s\n", x->note);
            continue;
        }
        x->ratio_to_gfpoly = x->time.min_ns / p->time[0].min_ns;
        print_timing(&x->time, 1e6);
        printf(" %9.3f\n", x->ratio_to_gfpoly);
    }
    (void)fflush(stdout);
    return true;
}

static bool bench_place(session *o, zpeer_operation operation, size_t len, size_t bits, report *r)
{
    place p;
    const bool ok = place_init(&p, o, operation, len, bits) && compare(&p, o) &&
                    take_times(&p, o) && add_records(&p, o, r);
    place_clear(&p, o);
    return ok;
}

/* ---- the table ---- */

/* The figure of a library, 0 being ours; NULL: there is none. */
static const record *figure(const session *o, const report *r, const size_t index[3],
                            size_t library)
{
    char bits[32];
    (void)snprintf(bits, sizeof bits, "%zu bits", o->bits[index[2]]);
    for (size_t i = library; i < r->count; i += 1 + o->peer_count) {
        const record *x = &r->records[i];
        if (strcmp(x->section, operation_names[index[0]]) == 0 &&
            x->len_a == o->s.lengths[index[1]] && strcmp(x->field, bits) == 0 && x->time.runs > 0) {
            return x;
        }
    }
    return NULL;
}

static void write_row(const session *o, const report *r, size_t operation, size_t len,
                      size_t library, FILE *out)
{
    if (library == 0) {
        (void)fprintf(out, "| %s, %zu | gfpoly, ms", row_names[operation], o->s.lengths[len]);
    } else {
        (void)fputs("| | ", out);
        peers_write_library(out, o->peers[library - 1]->name);
        (void)fprintf(out, " %s", o->peers[library - 1]->version);
    }
    for (size_t j = 0; j < o->bits_count; j++) {
        const record *x = figure(o, r, (const size_t[]){operation, len, j}, library);
        (void)fputs(" | ", out);
        if (x == NULL) {
            (void)fputs("-", out);
        } else if (library == 0) {
            peers_write_ms(out, x->time.min_ns);
        } else {
            peers_write_ratio(out, x->ratio_to_gfpoly);
        }
    }
    (void)fputs(" |\n", out);
}

/* A line: the mean and the least of the ratios of an operation, for each library. */
static void write_means(const session *o, const report *r, size_t operation, FILE *out)
{
    const char *before = ":";
    (void)fprintf(out, "- %s", row_names[operation]);
    for (size_t i = 1; i <= o->peer_count; i++) {
        double sum = 0, least = HUGE_VAL;
        size_t count = 0;
        for (size_t j = i; j < r->count; j += 1 + o->peer_count) {
            const record *x = &r->records[j];
            if (strcmp(x->section, operation_names[operation]) == 0 && x->time.runs > 0) {
                sum += log(x->ratio_to_gfpoly);
                least = fmin(least, x->ratio_to_gfpoly);
                count++;
            }
        }
        if (count > 0) {
            (void)fprintf(out, "%s ", before);
            peers_write_library(out, o->peers[i - 1]->name);
            (void)fprintf(out, " %s ", o->peers[i - 1]->version);
            peers_write_ratio(out, exp(sum / (double)count));
            (void)fputs(" (at least ", out);
            peers_write_ratio(out, least);
            (void)fprintf(out, ", of %zu)", count);
            before = ",";
        }
    }
    (void)fputs("\n", out);
}

static bool write_table(const session *o, const report *r, FILE *out)
{
    report_begin(out);
    (void)fputs("| terms | bits of a coefficient:", out);
    for (size_t j = 0; j < o->bits_count; j++) {
        (void)fprintf(out, " | %zu", o->bits[j]);
    }
    (void)fputs(" |\n|---|---|", out);
    for (size_t j = 0; j < o->bits_count; j++) {
        (void)fputs("---:|", out);
    }
    (void)fputs("\n", out);
    for (size_t i = 0; i < ZPEER_OPERATIONS * o->s.length_count * (1 + o->peer_count); i++) {
        const size_t row = i / (1 + o->peer_count), operation = row / o->s.length_count;
        if (o->chosen[operation]) {
            write_row(o, r, operation, row % o->s.length_count, i % (1 + o->peer_count), out);
        }
    }
    (void)fputs("\n", out);
    for (size_t i = 0; i < ZPEER_OPERATIONS; i++) {
        if (o->chosen[i]) {
            write_means(o, r, i, out);
        }
    }
    peers_write_facts(&o->output, r, "Random operands,", out);
    return report_end(out, o->output.table);
}

/* ---- the program ---- */

static bool bench_operation(session *o, zpeer_operation operation, report *r)
{
    for (size_t i = 0; i < o->s.length_count; i++) {
        memset(o->last_ns, 0, sizeof o->last_ns);
        for (size_t j = 0; j < o->bits_count; j++) {
            if (o->bits[j] <= o->most / o->s.lengths[i] &&
                !bench_place(o, operation, o->s.lengths[i], o->bits[j], r)) {
                return false;
            }
        }
    }
    return true;
}

static bool bench(session *o)
{
    const settings *s = &o->s;
    report r = {.records = NULL};
    FILE *csv = NULL, *json = NULL, *table = NULL;
    bool ok = check_build() && report_open(&csv, s->csv) && report_open(&json, s->json) &&
              report_open(&table, o->output.table);
    ok = ok && measure_cpu_time(true);
    if (ok) {
        report_start(&r);
    }
    if (ok) {
        printf("%-10s %7s %6s  %-36s", "", "terms", "bits", "");
        print_timing_head("ms");
        printf("   / gfpoly\n");
    }
    for (size_t i = 0; i < ZPEER_OPERATIONS && ok; i++) {
        ok = !o->chosen[i] || bench_operation(o, (zpeer_operation)i, &r);
    }
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    ok = ok && (table == NULL || write_table(o, &r, table));
    report_clear(&r);
    return ok;
}

enum {
    OPTION_OPERATION = 256,
    OPTION_BITS,
    OPTION_MOST,
    OPTION_BUDGET,
    OPTION_FLINT,
    OPTION_TABLE
};

static const struct argp_option options[] = {
    {"operation", OPTION_OPERATION, "NAME", 0,
     "mul, gcd or resultant (default: all); may be repeated", 0},
    {"len", 'l', "N,N,...", 0, "Terms of each operand (default: 64,256,1024)", 0},
    {"bits", OPTION_BITS, "N,N,...", 0,
     "Bits of the operands' coefficients (default: 64,256,1024,4096)", 0},
    {"most", OPTION_MOST, "N", 0, "Leave out places of more than N terms times bits", 2},
    {"budget", OPTION_BUDGET, "S", 0,
     "Leave a library out of the rest of a row once a run takes more than S seconds (default: 10)",
     2},
    {"flint", OPTION_FLINT, "MODULE", 0,
     "Another FLINT: a shared object of integers_flint.c linked with that FLINT; may be repeated",
     0},
    {"table", OPTION_TABLE, "FILE", 0, "Write a table in Markdown", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void add_peer(struct argp_state *state, session *o, const zpeer *library)
{
    if (o->peer_count == MAX_PEERS) {
        argp_error(state, "more than %d libraries", MAX_PEERS);
    }
    o->peers[o->peer_count++] = library;
}

static void add_module(struct argp_state *state, session *o, const char *path)
{
    const zpeer *flint = dlsym(open_module(state, path), "zpeer_flint");
    if (flint == NULL) {
        argp_error(state, "%s", dlerror());
    }
    add_peer(state, o, flint);
}

static void choose(struct argp_state *state, session *o, const char *name)
{
    for (size_t i = 0; i < ZPEER_OPERATIONS; i++) {
        if (strcmp(name, operation_names[i]) == 0) {
            o->chosen[i] = true;
            return;
        }
    }
    argp_error(state, "unknown operation '%s'", name);
}

static void set_defaults(struct argp_state *state, session *o)
{
    bool any = false;
    for (size_t i = 0; i < ZPEER_OPERATIONS; i++) {
        any = any || o->chosen[i];
    }
    for (size_t i = 0; i < ZPEER_OPERATIONS; i++) {
        o->chosen[i] = o->chosen[i] || !any;
    }
    if (o->s.length_count == 0) {
        o->s.length_count = parse_lengths(state, o->s.lengths, "64,256,1024");
    }
    if (o->bits_count == 0) {
        o->bits_count = parse_lengths(state, o->bits, "64,256,1024,4096");
    }
#if PEERS_HAVE_FLINT
    add_peer(state, o, &zpeer_flint);
#endif
#if PEERS_HAVE_NTL
    add_peer(state, o, &zpeer_ntl);
#endif
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    session *o = state->input;
    size_t numbers[MAX_LENGTHS];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->s;
        return 0;
    case 'l':
        o->s.length_count = parse_lengths(state, o->s.lengths, argument);
        return 0;
    case OPTION_OPERATION:
        choose(state, o, argument);
        return 0;
    case OPTION_BITS:
        o->bits_count = parse_lengths(state, o->bits, argument);
        return 0;
    case OPTION_MOST:
        if (parse_lengths(state, numbers, argument) != 1) {
            argp_error(state, "--most takes one number, not '%s'", argument);
        }
        o->most = numbers[0];
        return 0;
    case OPTION_BUDGET:
        o->budget = parse_seconds(state, argument);
        return 0;
    case OPTION_FLINT:
        add_module(state, o, argument);
        return 0;
    case OPTION_TABLE:
        o->output.table = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    case ARGP_KEY_END:
        set_defaults(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char documentation[] =
    "Times products, gcds and resultants of random polynomials over Z by gfpoly's choice and by "
    "other libraries: FLINT's fmpz_poly and NTL's ZZX, if they were found when this program was "
    "built. Operands of gcds have a common divisor of half of the degree and of the "
    "bits.\vThe program first compares the results; the exit status is 1 if two differ. Times are "
    "CPU times of one thread without conversions. For gcds and resultants FLINT uses its own "
    "choice or its modular function, whichever is faster at a first call. For all libraries malloc "
    "keeps what it has, so that page faults do not decide.";

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&report_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp parser = {options, parse_option, NULL, documentation, children, NULL, NULL};
    session o = {.s = {.seconds = 0.3, .seed = 1},
                 .budget = 10,
                 .most = SIZE_MAX,
                 .output = {.argv = argv, .argc = argc}};

    program_name = "gfpoly_zpeers";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) {
        return 2;
    }
    keep_memory();
    must(gfp_zring_create(&o.ring, NULL, NULL), "ring");
    const bool ok = bench(&o);
    gfp_zring_destroy(o.ring);
    return ok ? 0 : 1;
}
