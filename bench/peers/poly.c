/* bench/peers/poly.c: gfpoly_peers: products and other operations of random polynomials by gfpoly's
 * pick and by other libraries. The results are first compared, coefficient by coefficient, then
 * timed, all in one process with the same settings of malloc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/peers/operations.h"
#include "bench/peers/peer.h"
#include "bench/peers/table.h"

/* The fields and lengths of the README's table. */
static const char *const table_fields[] = {"p4", "p8", "p16", "p32", "p64"};
static const size_t table_lengths[] = {256, 1024, 4096, 16384, 65536};

/* Every library gets a share of the time in each round, so that a slow phase of the machine slows
 * all of them. */
#define ROUNDS 3

typedef struct session {
    settings s;
    const peer *peers[MAX_PEERS];
    size_t peer_count;
    bool chosen[PEER_OPERATIONS]; /* by the order of the list of operations */
    operands operands;
    bool tour;
    double budget; /* seconds; whoever takes longer for one run is skipped */
    peers_output output;
} session;

/* A problem, and its operands and results as integers. */
typedef struct comparison {
    problem w;
    size_t limbs, len_c; /* coefficients that are compared */
    peer_problem operands;
    uint64_t *integers; /* one allocation for the next five */
    uint64_t *x, *y, *z, *ours, *theirs;
} comparison;

/* ---- problems ---- */

/* z := n coefficients of a, as integers. */
static void to_integers(const comparison *c, uint64_t *z, const gfp_poly *a, size_t n)
{
    uint64_t digits[GFP_MAX_K];

    for (size_t i = 0; i < n; i++) {
        gfp_poly_get_coeff(a, digits, i);
        gfp_elem_get_limbs(c->w.field, z + i * c->limbs, digits);
    }
}

static void comparison_clear(comparison *c)
{
    problem_clear(&c->w);
    free(c->integers);
}

static bool comparison_init(comparison *c, const operation *o, const gfp_field *field, size_t n,
                            const operands *how)
{
    const size_t len_a = length_for(o->a, n), len_b = length_for(o->b, n);
    const size_t len_f = length_for(o->f, n), limbs = gfp_field_limbs(field);

    *c = (comparison){.limbs = limbs, .len_c = length_for(o->c, n)};
    if (!problem_init(&c->w, o, field, n, how)) {
        return false;
    }
    c->integers = calloc(len_a + len_b + len_f + 2 * c->len_c, limbs * sizeof(uint64_t));
    if (c->integers == NULL) {
        comparison_clear(c);
        return complain("%s, length %zu: no memory", gfp_field_name(field), n);
    }
    c->x = c->integers;
    c->y = c->x + len_a * limbs;
    c->z = c->y + len_b * limbs;
    c->ours = c->z + len_f * limbs;
    c->theirs = c->ours + c->len_c * limbs;
    to_integers(c, c->x, &c->w.a, len_a);
    to_integers(c, c->y, &c->w.b, len_b);
    to_integers(c, c->z, &c->w.f, len_f);
    c->operands = (peer_problem){.operation = o->code,
                                 .p = gfp_field_modulus_limbs(field),
                                 .limbs = limbs,
                                 .a = c->x,
                                 .b = c->y,
                                 .f = c->z,
                                 .len_a = len_a,
                                 .len_b = len_b,
                                 .len_f = len_f,
                                 .n = n};
    return true;
}

/* The index of the first coefficient in which the results differ; len_c if they are equal. */
static size_t first_difference(const comparison *c)
{
    size_t i = 0;

    while (i < c->len_c && memcmp(c->ours + i * c->limbs, c->theirs + i * c->limbs,
                                  c->limbs * sizeof(uint64_t)) == 0) {
        i++;
    }
    return i;
}

/* The name of the method of a product of two polynomials of this length. */
static const char *pick_of(const problem *w)
{
    const gfp_problem product = {.len_a = w->n, .len_b = w->n};
    return gfp_method_pick(&product, w->field, NULL);
}

/* A library of the comparison; the first one is ours. */
typedef struct entrant {
    const peer *library; /* NULL: ours */
    char name[48];
    bool (*run)(void *state);
    void *state;
    double estimate_ns; /* of one run; 0: not estimated */
    bool skipped;
    timing time;
} entrant;

/* Converts the operands. */
static bool entrant_start(entrant *e, comparison *c, const peer *library)
{
    *e = (entrant){.library = library, .run = problem_run, .state = &c->w};
    if (library == NULL) {
        snprintf(e->name, sizeof(e->name), "gfpoly %s (%s)", gfp_version(), pick_of(&c->w));
    } else {
        snprintf(e->name, sizeof(e->name), "%s %s", library->name, library->version);
        e->run = library->run;
        e->state = library->start(&c->operands);
    }
    return e->state != NULL ||
           complain("%s, length %zu, %s: no memory", gfp_field_name(c->w.field), c->w.n, e->name);
}

static void entrant_finish(entrant *e)
{
    if (e->library != NULL && e->state != NULL) {
        e->library->finish(e->state);
    }
    e->state = NULL;
}

/* e->time := the time of one run. */
static bool entrant_run(entrant *e, const comparison *c)
{
    progress(gfp_field_name(c->w.field), e->name, c->w.n);
    const uint64_t start = measure_clock_ns();
    if (!e->run(e->state)) {
        return complain("%s, length %zu, %s: %s", gfp_field_name(c->w.field), c->w.n, e->name,
                        e->library == NULL ? c->w.error.message : "no memory");
    }
    double ns = (double)(measure_clock_ns() - start);
    e->time = timing_of(&ns, 1, 1);
    return true;
}

/* Keeps our result, or compares another library's with it. */
static bool entrant_check(const entrant *e, const comparison *c)
{
    if (e->library == NULL) {
        to_integers(c, c->ours, &c->w.c, c->len_c);
        return true;
    }
    e->library->get(e->state, c->theirs, c->len_c);
    const size_t i = first_difference(c);
    return i == c->len_c ||
           complain("%s, length %zu: gfpoly (%s) and %s differ at coefficient %zu",
                    gfp_field_name(c->w.field), c->w.n, pick_of(&c->w), e->name, i);
}

/* ---- estimates ---- */

/* The shortest length at which times grow with it. */
#define SHORTEST_ESTIMATE 512

/* ns[i] := the time of a run of length n by entrant i, unless ns[i] exceeds the budget. */
static bool try_length(const session *o, const operation *op, const gfp_field *field, size_t n,
                       double *ns)
{
    comparison c;

    if (!comparison_init(&c, op, field, n, &o->operands)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < 1 + o->peer_count && ok; i++) {
        const peer *library = i == 0 ? NULL : o->peers[i - 1];
        entrant e;
        if (ns[i] > o->budget * 1e9 || (library != NULL && !library->serves(&c.operands))) {
            continue;
        }
        ok = entrant_start(&e, &c, library) && entrant_run(&e, &c);
        ns[i] = e.time.min_ns;
        /* The first run may make tables. */
        if (ok && ns[i] < o->budget * 1e8) {
            ok = entrant_run(&e, &c);
            ns[i] = e.time.min_ns;
        }
        entrant_finish(&e);
    }
    comparison_clear(&c);
    return ok;
}

/* ns[i] := an estimate of the time of one run by entrant i, from runs at an eighth and a quarter of
 * the length; zeros without a budget. */
static bool estimate(const session *o, const operation *op, const gfp_field *field, size_t n,
                     double *ns)
{
    double eighth[1 + MAX_PEERS] = {0};

    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        ns[i] = 0;
    }
    if (!isfinite(o->budget) || n < SHORTEST_ESTIMATE) {
        return true;
    }
    if (!try_length(o, op, field, n / 8, eighth)) {
        return false;
    }
    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        /* No operation takes less than linear time. */
        ns[i] = 8 * eighth[i];
    }
    if (!try_length(o, op, field, n / 4, ns)) {
        return false;
    }
    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        if (eighth[i] > 0 && ns[i] <= o->budget * 1e9) {
            const double growth = ns[i] / eighth[i];
            ns[i] *= fmax(4, growth * growth);
        }
    }
    return true;
}

/* ---- rows ---- */

/* Combines rounds: the least time of all, and the median of the round with the least time. */
static timing least(timing x, timing y)
{
    timing t = x.median_ns <= y.median_ns ? x : y;

    t.min_ns = x.min_ns < y.min_ns ? x.min_ns : y.min_ns;
    t.runs = x.runs + y.runs;
    return t;
}

/* Runs longer than the time of a figure are repeated once. */
static bool time_entrants(const settings *s, const comparison *c, entrant *e, size_t count)
{
    for (size_t i = 0; i < ROUNDS * count; i++) {
        entrant *x = &e[i % count];
        const bool is_long = x->time.runs == 1 && x->time.min_ns > s->seconds * 1e9;
        timing t = {0};
        if (x->skipped || (i >= count && x->time.min_ns > s->seconds * 1e9)) {
            continue;
        }
        progress(gfp_field_name(c->w.field), x->name, c->w.n);
        if (!measure(&t, s->seconds / ROUNDS, x->run, x->state)) {
            return complain("%s, length %zu, %s: no memory", gfp_field_name(c->w.field), c->w.n,
                            x->name);
        }
        x->time = i < count && !is_long ? t : least(x->time, t);
    }
    return true;
}

/* Adds a row: the time, and its ratio to ours; or why there is none. */
static bool add_row(report *r, const problem *w, const entrant *e, const timing *ours)
{
    const operation *o = w->operation;
    record *x =
        report_add(r, o->code == PEER_MUL ? "peer" : o->name, gfp_field_name(w->field), e->name);

    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = w->n;
    printf("  %-36s", e->name);
    if (e->skipped) {
        record_note(x, "skipped: a run takes about %.2g s", e->estimate_ns / 1e9);
        printf(" %s\n", x->note);
        return true;
    }
    x->time = e->time;
    x->ratio_to_gfpoly = e->time.min_ns / ours->min_ns;
    print_timing(&e->time, 1e6);
    printf(" %9.3f %9.3f\n", x->ratio_to_gfpoly, e->time.median_ns / ours->median_ns);
    return true;
}

/* Starts the libraries that have the operation, except those that take too long; all are skipped
 * if ours does. */
static bool enter(const session *o, comparison *c, const double *estimates, entrant *entrants,
                  size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        const peer *library = i == 0 ? NULL : o->peers[i - 1];
        entrant *e = &entrants[*count];
        if (library != NULL && !library->serves(&c->operands)) {
            continue;
        }
        ++*count;
        if (!entrant_start(e, c, library)) {
            return false;
        }
        e->estimate_ns = estimates[i];
        e->skipped = entrants[0].skipped || e->estimate_ns > o->budget * 1e9;
        if (!e->skipped && (!entrant_run(e, c) || !entrant_check(e, c))) {
            return false;
        }
    }
    return true;
}

static bool bench_length(const session *o, comparison *c, const double *estimates, report *r)
{
    entrant entrants[1 + MAX_PEERS];
    const problem *w = &c->w;
    size_t count;
    bool ok = enter(o, c, estimates, entrants, &count) && time_entrants(&o->s, c, entrants, count);

    progress_end();
    if (ok) {
        printf("%s, %s of length %zu\n  %-36s", gfp_field_name(w->field), w->operation->what, w->n,
               "");
        print_timing_head("ms");
        printf(" %9s %9s\n", "min /", "median /");
    }
    for (size_t i = 0; i < count && ok; i++) {
        ok = add_row(r, w, &entrants[i], &entrants[0].time);
    }
    fflush(stdout);
    for (size_t i = 0; i < count; i++) {
        entrant_finish(&entrants[i]);
    }
    return ok;
}

static bool bench_operation(const session *o, const operation *op, const gfp_field *field, size_t n,
                            report *r)
{
    double estimates[1 + MAX_PEERS];
    comparison c;

    if (!estimate(o, op, field, n, estimates) || !comparison_init(&c, op, field, n, &o->operands)) {
        return false;
    }
    const bool ok = bench_length(o, &c, estimates, r);
    comparison_clear(&c);
    return ok;
}

static bool bench_field(session *o, const char *name, report *r)
{
    gfp_field *field;
    gfp_error error;
    bool ok = true;

    if (gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        return complain("%s: %s", name, error.message);
    }
    peers_output *output = &o->output;
    snprintf(output->names[output->fields], sizeof(output->names[0]), "%s", gfp_field_name(field));
    output->bits[output->fields++] = gfp_field_bits(field);
    for (size_t i = 0; i < o->s.length_count * operation_count && ok; i++) {
        const size_t number = i % operation_count;
        if (o->chosen[number]) {
            ok = bench_operation(o, &operations[number], field, o->s.lengths[i / operation_count],
                                 r);
        }
    }
    gfp_field_destroy(field);
    return ok;
}

static bool bench_fields(session *o)
{
    const settings *s = &o->s;
    report r = {.records = NULL};
    FILE *csv = NULL;
    FILE *json = NULL;
    FILE *table = NULL;
    bool ok = check_build() && report_open(&csv, s->csv) && report_open(&json, s->json) &&
              report_open(&table, o->output.table);
    ok = ok && measure_cpu_time(true);
    if (ok) {
        report_start(&r);
    }
    for (size_t i = 0; i < s->field_count && ok; i++) {
        ok = bench_field(o, s->fields[i], &r);
    }
    o->output.length = s->lengths;
    o->output.lengths = s->length_count;
    o->output.libraries = 1 + o->peer_count;
    for (size_t i = 0; i < o->peer_count; i++) {
        o->output.peers[i] = o->peers[i];
    }
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    ok = ok && (table == NULL || (o->output.toolkit ? peers_write_toolkit(&o->output, &r, table)
                                                    : peers_write_table(&o->output, &r, table)));
    ok = ok && (o->output.picture == NULL || peers_draw(&o->output, &r));
    report_clear(&r);
    return ok;
}

enum {
    OPTION_OPERATION = 256,
    OPTION_INPUT,
    OPTION_BUDGET,
    OPTION_FLINT,
    OPTION_TABLE,
    OPTION_PICTURE
};

static const struct argp_option options[] = {
    {"len", 'l', "N,N,...", 0, "Lengths of the factors (default: 1024,16384)", 0},
    {"operation", OPTION_OPERATION, "NAME", 0,
     "An operation: mul (default), inverse, quotient, divrem, rem, rem-fixed, mulmod, sqrmod, "
     "powmod, gcd, xgcd, resultant, from-roots, multieval, multieval-kept, interp, interp-kept, "
     "compose, distinct-degree, factor, or all; or tour, the operations of the table in NTL's tour "
     "(default field and length: p16, 1000); may be repeated",
     0},
    {"input", OPTION_INPUT, "NAME", 0,
     "The operands: random (default), or shoup: coefficients 1, 2, 5, 26, ... from the leading one "
     "on, each the square of the previous one plus 1",
     0},
    {"budget", OPTION_BUDGET, "S", 0,
     "Skip a library, and a row if it is gfpoly, where one run takes more than S seconds by an "
     "estimate from runs at an eighth and a quarter of the length (default: skip nothing)",
     2},
    {"flint", OPTION_FLINT, "MODULE", 0,
     "Another FLINT: a shared object of flint.c and flint_gr.c linked with that FLINT; "
     "may be repeated",
     0},
    {"table", OPTION_TABLE, "FILE", 0,
     "Write a table in Markdown: of products (default fields and lengths: those of the README), or "
     "of all operations chosen, with times in units of a product too; with one length its columns "
     "are the libraries",
     4},
    {"picture", OPTION_PICTURE, "FILE", 0,
     "Draw the ratios by gnuplot, as SVG; FILE.gp: only the script that draws FILE.svg", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void add_peer(struct argp_state *state, session *o, const peer *other)
{
    if (o->peer_count == MAX_PEERS) {
        argp_error(state, "more than %d libraries", MAX_PEERS);
    }
    o->peers[o->peer_count++] = other;
}

/* Adds the libraries of a module. */
static void add_module(struct argp_state *state, session *o, const char *path)
{
    void *module = open_module(state, path);
    const peer *flint = dlsym(module, "peer_flint");

    if (flint == NULL) {
        argp_error(state, "%s", dlerror());
    }
    add_peer(state, o, flint);
    const peer *generic = dlsym(module, "peer_flint_gr");
    if (generic != NULL) {
        add_peer(state, o, generic);
    }
}

static void choose_operation(struct argp_state *state, session *o, const char *name)
{
    bool known = false;

    for (size_t i = 0; i < operation_count; i++) {
        const bool named = operation_named(&operations[i], name);
        o->chosen[i] = o->chosen[i] || named;
        known = known || named;
    }
    if (!known) {
        argp_error(state, "unknown operation '%s'", name);
    }
}

static void choose_input(struct argp_state *state, session *o, const char *name)
{
    o->operands.shoup = strcmp(name, "shoup") == 0;
    if (!o->operands.shoup && strcmp(name, "random") != 0) {
        argp_error(state, "unknown operands '%s'", name);
    }
}

/* The README's table and picture show products, by the libraries that serve every field. Other
 * tables show products too, the units of time. */
static void check_table(struct argp_state *state, session *o)
{
    const peer_problem longest = {.operation = PEER_MUL, .limbs = GFP_MAX_K};
    size_t kept = 0;

    for (size_t i = 1; i < operation_count; i++) {
        o->output.toolkit = o->output.toolkit || o->chosen[i];
    }
    if (o->output.toolkit) {
        o->chosen[0] = true;
        if (o->output.picture != NULL) {
            argp_error(state, "--picture shows products only");
        }
        return;
    }
    for (size_t i = 0; i < o->peer_count; i++) {
        if (o->peers[i]->serves(&longest)) {
            o->peers[kept++] = o->peers[i];
        }
    }
    o->peer_count = kept;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    session *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->s;
        return 0;
    case 'l':
        o->s.length_count = parse_lengths(state, o->s.lengths, argument);
        return 0;
    case OPTION_OPERATION:
        choose_operation(state, o, argument);
        o->tour = o->tour || strcmp(argument, "tour") == 0;
        return 0;
    case OPTION_INPUT:
        choose_input(state, o, argument);
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
    case OPTION_PICTURE:
        o->output.picture = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    case ARGP_KEY_END:
#if PEERS_HAVE_FLINT
        add_peer(state, o, &peer_flint);
        add_peer(state, o, &peer_flint_gr);
#endif
#if PEERS_HAVE_NTL
        add_peer(state, o, &peer_ntl);
#endif
        if (o->output.table != NULL || o->output.picture != NULL) {
            check_table(state, o);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char documentation[] =
    "Times products and other operations by gfpoly's pick and by other libraries: FLINT's "
    "fmpz_mod_poly and gr_poly over mpn_mod, and NTL's ZZ_pX, if they were found when this program "
    "was built.\vThe program first compares the results, coefficient by coefficient; the exit "
    "status is 1 if two differ. Times are CPU "
    "times of one thread without the conversions of operands and product. \"/\" is the ratio to "
    "gfpoly's time. For all libraries malloc takes big blocks from its heap and keeps them "
    "(M_MMAP_MAX 0, M_TRIM_THRESHOLD off), so that page faults do not decide.";

static void set_defaults(session *o)
{
    settings *s = &o->s;
    const bool table = !o->output.toolkit && (o->output.table != NULL || o->output.picture != NULL);
    bool any = false;

    for (size_t i = 0; i < operation_count; i++) {
        any = any || o->chosen[i];
    }
    o->chosen[0] = o->chosen[0] || !any;
    if (s->field_count == 0 && table) {
        memcpy(s->fields, table_fields, sizeof(table_fields));
        s->field_count = sizeof(table_fields) / sizeof(table_fields[0]);
    } else if (s->field_count == 0) {
        s->fields[s->field_count++] = o->tour ? "p16" : "p8";
    }
    if (s->length_count == 0 && table) {
        memcpy(s->lengths, table_lengths, sizeof(table_lengths));
        s->length_count = sizeof(table_lengths) / sizeof(table_lengths[0]);
    } else if (s->length_count == 0 && o->tour) {
        s->lengths[s->length_count++] = 1000;
    } else if (s->length_count == 0) {
        s->lengths[s->length_count++] = 1024;
        s->lengths[s->length_count++] = 16384;
    }
}

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&common_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp parser = {options, parse_option, NULL, documentation, children, NULL, NULL};
    session o = {.s = {.seconds = 0.3, .seed = 1},
                 .budget = INFINITY,
                 .output = {.argv = argv, .argc = argc}};

    program_name = "gfpoly_peers";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) {
        return 2;
    }
    keep_memory();
    set_defaults(&o);
    o.operands.seed = o.s.seed;
    bool ok = bench_fields(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ok = complain("standard output: %s", strerror(errno));
    }
    return ok ? 0 : 1;
}
