/* bench/peers/main.c: gfpoly_peers: products and other operations of random polynomials over Z/p,
 * or over Z, by gfpoly's choice and by other libraries. The results are first compared, coefficient
 * by coefficient, then timed, all in one process with the same settings of malloc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/options.h"
#include "bench/peers/hosts.h"
#include "cli/compare/peer.h"

/* Every library gets a share of the time in each round, so that a slow phase of the machine slows
 * all of them. */
#define ROUNDS 3

/* A problem, and its operands and results as integers. */
typedef struct comparison {
    problem w;
    char ring[40];       /* "p8" or "64 bits" */
    size_t limbs, len_c; /* coefficients that are compared */
    peer_problem operands;
    uint64_t *integers;      /* the operands */
    uint64_t *ours, *theirs; /* results, one allocation */
} comparison;

/* ---- problems ---- */

/* z := n coefficients of a, as integers. */
static void to_integers(const comparison *c, uint64_t *z, const gfp_poly *a, size_t n)
{
    uint64_t digits[GFP_MAX_K];

    for (size_t i = 0; i < n; i++) {
        gfp_poly_get_coeff(digits, a, i);
        gfp_elem_get_limbs(c->w.field, z + i * c->limbs, digits);
    }
}

/* The same over Z, from narrower integers. */
static void widen_integers(const comparison *c, uint64_t *z, const gfp_zvec *a)
{
    for (size_t i = 0; i < a->len; i++) {
        const uint64_t *from = a->limbs + i * a->width;
        const uint64_t sign = 0 - (from[a->width - 1] >> 63);
        for (size_t j = 0; j < c->limbs; j++) {
            z[i * c->limbs + j] = j < a->width ? from[j] : sign;
        }
    }
}

static void comparison_clear(comparison *c)
{
    problem_clear(&c->w);
    free(c->integers);
    free(c->ours);
}

/* Allocates the operands' integers, and where the result's are not those of a gfp_zvec these. */
static bool allocate_integers(comparison *c, size_t operands_len)
{
    const size_t results = c->w.field != NULL ? 2 * c->len_c : 0;

    c->integers = calloc(operands_len, c->limbs * sizeof(uint64_t));
    c->ours = calloc(results + 1, c->limbs * sizeof(uint64_t));
    if (c->integers == NULL || c->ours == NULL) {
        comparison_clear(c);
        return complain("%s, length %zu: no memory", c->ring, c->w.n);
    }
    c->theirs = c->ours + c->len_c * c->limbs;
    return true;
}

static bool compare_over_p(comparison *c, const operation *o, const gfp_field *field, size_t n,
                           const operands *how)
{
    const size_t len_a = length_for(o->a, n), len_b = length_for(o->b, n);
    const size_t len_f = length_for(o->f, n), limbs = gfp_field_limbs(field);

    *c = (comparison){.limbs = limbs, .len_c = length_for(o->c, n)};
    snprintf(c->ring, sizeof(c->ring), "%s", gfp_field_name(field));
    if (!problem_init(&c->w, o, field, n, how) || !allocate_integers(c, len_a + len_b + len_f)) {
        return false;
    }
    uint64_t *x = c->integers, *y = x + len_a * limbs, *z = y + len_b * limbs;
    to_integers(c, x, &c->w.a, len_a);
    to_integers(c, y, &c->w.b, len_b);
    to_integers(c, z, &c->w.f, len_f);
    c->operands = (peer_problem){.operation = o->code,
                                 .p = gfp_field_modulus_limbs(field),
                                 .limbs = limbs,
                                 .a = x,
                                 .b = y,
                                 .f = z,
                                 .len_a = len_a,
                                 .len_b = len_b,
                                 .len_f = len_f,
                                 .n = n};
    return true;
}

static bool compare_over_z(comparison *c, const operation *o, gfp_zring *ring, size_t n,
                           size_t bits, const operands *how)
{
    *c = (comparison){.limbs = 0};
    snprintf(c->ring, sizeof(c->ring), "%zu bits", bits);
    if (!problem_init_z(&c->w, o, ring, n, bits, how)) {
        return false;
    }
    const gfp_zvec *a = &c->w.za, *b = &c->w.zb;
    c->limbs = a->width > b->width ? a->width : b->width;
    if (!allocate_integers(c, a->len + b->len)) {
        return false;
    }
    widen_integers(c, c->integers, a);
    widen_integers(c, c->integers + a->len * c->limbs, b);
    c->operands = (peer_problem){.operation = o->code,
                                 .limbs = c->limbs,
                                 .a = c->integers,
                                 .b = c->integers + a->len * c->limbs,
                                 .len_a = a->len,
                                 .len_b = b->len,
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

/* Our name in figures, over Z/p with the method of a product of two polynomials of this length. */
static void name_ours(char *text, size_t size, const problem *w)
{
    const gfp_problem product = {.len_a = w->n, .len_b = w->n};

    if (w->field == NULL) {
        snprintf(text, size, "gfpoly %s", gfp_version());
    } else {
        snprintf(text, size, "gfpoly %s (%s)", gfp_version(),
                 gfp_method_pick(&product, w->field, NULL));
    }
}

/* A library of the comparison; the first one is ours. */
typedef struct library_run {
    const peer *library; /* NULL: ours */
    size_t index;        /* 0: ours; i: library i - 1 */
    char name[48];
    bool (*run)(void *state);
    void *state;
    double estimate_ns; /* of one run; 0: not estimated */
    bool skipped;
    timing time;
} library_run;

/* Library `index`, not started. */
static library_run run_of(const session *o, comparison *c, size_t index)
{
    library_run e = {.index = index, .run = problem_run};

    if (index == 0) {
        name_ours(e.name, sizeof(e.name), &c->w);
    } else {
        e.library = o->peers[index - 1];
        e.run = e.library->run;
        snprintf(e.name, sizeof(e.name), "%s %s", e.library->name, e.library->version);
    }
    return e;
}

/* Converts the operands. */
static bool run_start(library_run *e, comparison *c)
{
    progress(c->ring, e->name, c->w.n);
    e->state = e->library == NULL ? &c->w : e->library->start(&c->operands);
    return e->state != NULL || complain("%s, length %zu, %s: no memory", c->ring, c->w.n, e->name);
}

static void run_finish(library_run *e)
{
    if (e->library != NULL && e->state != NULL) {
        e->library->finish(e->state);
    }
    e->state = NULL;
}

/* e->time := the time of one run. */
static bool run_run(library_run *e, const comparison *c)
{
    progress(c->ring, e->name, c->w.n);
    const uint64_t start = measure_clock_ns();
    if (!e->run(e->state)) {
        return complain("%s, length %zu, %s: %s", c->ring, c->w.n, e->name,
                        e->library == NULL ? c->w.error.message : "no memory");
    }
    double ns = (double)(measure_clock_ns() - start);
    e->time = timing_of(&ns, 1, 1);
    return true;
}

/* Keeps our result, or compares another library's with it. */
static bool run_check(const library_run *e, const comparison *c)
{
    const gfp_zvec *z = &c->w.zc;
    char ours[48];

    if (e->library == NULL && c->w.field != NULL) {
        to_integers(c, c->ours, &c->w.c, c->len_c);
    }
    if (e->library == NULL) {
        return true;
    }
    name_ours(ours, sizeof(ours), &c->w);
    if (c->w.field == NULL) {
        return e->library->equals(e->state, z->limbs, z->len, z->width) ||
               complain("%s of %zu terms, %s: %s and %s differ", c->w.operation->what, c->w.n,
                        c->ring, ours, e->name);
    }
    e->library->get(e->state, c->theirs, c->len_c);
    const size_t i = first_difference(c);
    return i == c->len_c || complain("%s, length %zu: %s and %s differ at coefficient %zu", c->ring,
                                     c->w.n, ours, e->name, i);
}

/* ---- estimates ---- */

/* The shortest length at which times grow with it. */
#define SHORTEST_ESTIMATE 512

/* ns[i] := the time of a run of length n by library_run i, unless ns[i] exceeds the budget. */
static bool try_length(const session *o, const operation *op, const gfp_field *field, size_t n,
                       double *ns)
{
    comparison c;

    if (!compare_over_p(&c, op, field, n, &o->operands)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < 1 + o->peer_count && ok; i++) {
        const peer *library = i == 0 ? NULL : o->peers[i - 1];
        library_run e = run_of(o, &c, i);
        if (ns[i] > o->budget * 1e9 || (library != NULL && !library->serves(&c.operands))) {
            continue;
        }
        ok = run_start(&e, &c) && run_run(&e, &c);
        ns[i] = e.time.min_ns;
        /* The first run may make tables. */
        if (ok && ns[i] < o->budget * 1e8) {
            ok = run_run(&e, &c);
            ns[i] = e.time.min_ns;
        }
        run_finish(&e);
    }
    comparison_clear(&c);
    return ok;
}

/* ns[i] := an estimate of the time of one run by library_run i, from runs at an eighth and a
 * quarter of the length; zeros without a budget. */
static bool estimate_run(const session *o, const operation *op, const gfp_field *field, size_t n,
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
static timing least_time(timing x, timing y)
{
    timing t = x.median_ns <= y.median_ns ? x : y;

    t.min_ns = x.min_ns < y.min_ns ? x.min_ns : y.min_ns;
    t.runs = x.runs + y.runs;
    return t;
}

/* Runs longer than the time of a figure are repeated once. */
static bool time_run(const settings *s, const comparison *c, library_run *x, bool first)
{
    const bool takes_long = x->time.min_ns > s->seconds * 1e9;
    timing t = {0};
    if (x->skipped || (!first && takes_long)) {
        return true;
    }
    progress(c->ring, x->name, c->w.n);
    if (!measure(&t, s->seconds / ROUNDS, x->run, x->state)) {
        return complain("%s, length %zu, %s: no memory", c->ring, c->w.n, x->name);
    }
    x->time = first && !(takes_long && x->time.runs == 1) ? t : least_time(x->time, t);
    return true;
}

/* The libraries take turns. */
static bool time_entrants(const settings *s, const comparison *c, library_run *e, size_t count)
{
    bool ok = true;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count && ok; i++) {
            ok = time_run(s, c, &e[i], round == 0);
        }
    }
    return ok;
}

/* Adds a row: the time, and its ratio to ours; or why there is none. */
static bool add_row(report *r, const comparison *c, const library_run *e, const timing *ours)
{
    record *x = report_add(r, section_of(c->w.operation), c->ring, e->name);

    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = c->w.n;
    x->library = e->index;
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
static bool start_runs(const session *o, comparison *c, const double *estimates,
                       library_run *library_runs, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < 1 + o->peer_count; i++) {
        const peer *library = i == 0 ? NULL : o->peers[i - 1];
        library_run *e = &library_runs[*count];
        if (i > 0 && !library->serves(&c->operands)) {
            continue;
        }
        ++*count;
        *e = run_of(o, c, i);
        e->estimate_ns = estimates[i];
        e->skipped = library_runs[0].skipped || e->estimate_ns > o->budget * 1e9;
        if (!e->skipped && (!run_start(e, c) || !run_run(e, c) || !run_check(e, c))) {
            return false;
        }
    }
    return true;
}

/* Also sets the estimates of a next place, from the times of this one. */
static bool bench_place(const session *o, comparison *c, double *estimates, report *r)
{
    library_run library_runs[1 + MAX_PEERS];
    const problem *w = &c->w;
    size_t count;
    bool ok = start_runs(o, c, estimates, library_runs, &count) &&
              time_entrants(&o->s, c, library_runs, count);

    progress_end();
    if (ok) {
        printf("%s, %s of length %zu\n  %-36s", c->ring, w->operation->what, w->n, "");
        print_timing_head("ms");
        printf(" %9s %9s\n", "min /", "median /");
    }
    for (size_t i = 0; i < count && ok; i++) {
        ok = add_row(r, c, &library_runs[i], &library_runs[0].time);
        if (!library_runs[i].skipped) {
            estimates[library_runs[i].index] = library_runs[i].time.min_ns;
        }
    }
    fflush(stdout);
    for (size_t i = 0; i < count; i++) {
        run_finish(&library_runs[i]);
    }
    return ok;
}

/* ---- places ---- */

static bool bench_field(session *o, const char *name, report *r)
{
    gfp_field *field;
    gfp_error error;
    bool ok = true;

    if (gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        return complain("%s: %s", name, error.message);
    }
    snprintf(o->ring[o->rings], sizeof(o->ring[0]), "%s", gfp_field_name(field));
    o->ring_bits[o->rings++] = gfp_field_bits(field);
    for (size_t i = 0; i < o->s.length_count * o->operation_count && ok; i++) {
        const operation *op = &o->operations[i % o->operation_count];
        const size_t n = o->s.lengths[i / o->operation_count];
        double estimates[1 + MAX_PEERS];
        comparison c;
        if (o->chosen[i % o->operation_count]) {
            ok = estimate_run(o, op, field, n, estimates) &&
                 compare_over_p(&c, op, field, n, &o->operands);
            if (ok) {
                ok = bench_place(o, &c, estimates, r);
                comparison_clear(&c);
            }
        }
    }
    gfp_field_destroy(field);
    return ok;
}

/* A row of the table over Z. A library that took longer than the budget is left out from then
 * on. */
static bool bench_row(const session *o, const operation *op, gfp_zring *ring, size_t n, report *r)
{
    double estimates[1 + MAX_PEERS] = {0};
    bool ok = true;

    for (size_t j = 0; j < o->s.bits_count && ok; j++) {
        comparison c;
        if (o->s.bits[j] <= o->most / n) {
            ok = compare_over_z(&c, op, ring, n, o->s.bits[j], &o->operands);
            if (ok) {
                ok = bench_place(o, &c, estimates, r);
                comparison_clear(&c);
            }
        }
    }
    return ok;
}

static bool bench_over_z(session *o, report *r)
{
    gfp_zring *ring;
    bool ok = true;

    must(gfp_zring_create(&ring, NULL, NULL), "ring");
    for (size_t j = 0; j < o->s.bits_count; j++) {
        snprintf(o->ring[o->rings++], sizeof(o->ring[0]), "%zu bits", o->s.bits[j]);
    }
    for (size_t i = 0; i < o->operation_count * o->s.length_count && ok; i++) {
        const size_t number = i / o->s.length_count;
        ok = !o->chosen[number] ||
             bench_row(o, &o->operations[number], ring, o->s.lengths[i % o->s.length_count], r);
    }
    gfp_zring_destroy(ring);
    return ok;
}

/* The table, with the machine's facts, is the figures of this mode. */
static bool bench_in_hosts(const session *o, report *r, FILE *table)
{
    FILE *out = table != NULL ? table : stdout;

    if (table != NULL) {
        report_begin(table);
    }
    fputs("# Hosts with and without gfpoly\n\n"
          "The least CPU times of several runs, on one thread, in the host's process without and "
          "with the library in\nLD_PRELOAD; all results were compared. With other types the times "
          "hold the conversions.\n\n",
          out);
    write_machine(out, &r->machine, "- ");
    fputc('\n', out);
    const bool ok = bench_hosts(o, r, out);
    return table == NULL ? ok : report_end(table, o->table) && ok;
}

static bool bench_all(session *o)
{
    const settings *s = &o->s;
    report r = {.records = NULL};
    FILE *csv = NULL, *json = NULL, *table = NULL;
    bool ok = check_build() && (o->in_hosts || check_preload()) && report_open(&csv, s->csv) &&
              report_open(&json, s->json) && report_open(&table, o->table);
    ok = ok && measure_cpu_time(true);
    if (ok) {
        report_start(&r);
        ok = !o->over_z || bench_over_z(o, &r);
    }
    for (size_t i = 0; i < s->field_count && ok && !o->in_hosts; i++) {
        ok = bench_field(o, s->fields[i], &r);
    }
    if (ok && o->in_hosts) {
        ok = bench_in_hosts(o, &r, table);
        table = NULL;
    }
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    ok = ok && (table == NULL || write_table(o, &r, table));
    ok = ok && (o->picture == NULL || draw_picture(o, &r));
    report_clear(&r);
    return ok;
}

/* ---- libraries ---- */

#if PEERS_HAVE_FLINT
#define PEERS_flint &peer_flint, &peer_flint_gr, &peer_flint_z,
#else
#define PEERS_flint
#endif
#if PEERS_HAVE_NTL
#define PEERS_ntl &peer_ntl, &peer_ntl_z,
#else
#define PEERS_ntl
#endif
#define PEERS(name) PEERS_##name

/* Those of the command's list that this build has; modules for --flint have those of FLINT. */
static const peer *const libraries[] = {PEER_LIST(PEERS)};
static const char *const module_symbols[] = {"peer_flint", "peer_flint_gr", "peer_flint_z"};

/* Over Z and over Z/p; complete_session takes away those of the other kind. */
static void add_peer(struct argp_state *state, session *o, const peer *other)
{
    if (o->peer_count == MAX_PEERS) {
        argp_error(state, "more than %d libraries", MAX_PEERS);
    }
    o->peers[o->peer_count++] = other;
}

static void add_module(struct argp_state *state, void *into, const char *path)
{
    void *module = open_module(state, path);

    for (size_t i = 0; i < sizeof(module_symbols) / sizeof(module_symbols[0]); i++) {
        const peer *flint = dlsym(module, module_symbols[i]);
        if (flint == NULL && i == 0) {
            argp_error(state, "%s", dlerror());
        }
        if (flint != NULL) {
            add_peer(state, into, flint);
        }
    }
}

/* ---- options ---- */

#define MOST_TERMS ((size_t)1 << 24)
#define DEFAULT_SECONDS 0.3

/* The fields and lengths of the README's table. */
static const char *const table_fields[] = {"p4", "p8", "p16", "p32", "p64"};
static const size_t table_lengths[] = {256, 1024, 4096, 16384, 65536};

/* Names are remembered until it is known whether they are those of operations over Z. */
static void choose_operation(struct argp_state *state, void *into, const char *name)
{
    session *o = into;
    bool known = false;

    for (size_t i = 0; i < operation_count; i++) {
        const bool named = operation_named(&operations[i], name);
        o->chosen[i] = o->chosen[i] || named;
        known = known || named;
    }
    if (!known) {
        argp_error(state, "unknown operation '%s'", name);
    }
    o->tour = o->tour || strcmp(name, "tour") == 0;
    o->all = o->all || strcmp(name, "all") == 0;
}

/* The chosen operations of the list over Z: those of the same names. */
static void choose_over_z(struct argp_state *state, session *o)
{
    bool over_z[PEER_OPERATIONS] = {false};

    for (size_t i = 0; i < operation_count; i++) {
        bool known = !o->chosen[i] || o->tour || o->all;
        for (size_t j = 0; j < z_operation_count; j++) {
            const bool same = strcmp(operations[i].name, z_operations[j].name) == 0;
            over_z[j] = over_z[j] || (same && o->chosen[i]);
            known = known || same;
        }
        if (!known) {
            argp_error(state, "--over-z has no operation '%s'", operations[i].name);
        }
    }
    memcpy(o->chosen, over_z, sizeof(over_z));
    o->operations = z_operations;
    o->operation_count = z_operation_count;
}

static void keep_peers(session *o)
{
    /* The README's table shows products, by the libraries that serve every field. */
    const peer_problem longest = {.operation = PEER_MUL, .limbs = GFP_MAX_K};
    const bool readme = !o->over_z && !o->toolkit && (o->table != NULL || o->picture != NULL);
    size_t kept = 0;

    for (size_t i = 0; i < o->peer_count; i++) {
        if (o->peers[i]->over_z == o->over_z && (!readme || o->peers[i]->serves(&longest))) {
            o->peers[kept++] = o->peers[i];
        }
    }
    o->peer_count = kept;
}

static void set_numbers(size_t *value, size_t *count, const size_t *numbers, size_t n)
{
    if (*count == 0) {
        memcpy(value, numbers, n * sizeof(*numbers));
        *count = n;
    }
}

static void set_fields(session *o, bool readme)
{
    settings *s = &o->s;

    if (s->field_count == 0 && readme) {
        memcpy(s->fields, table_fields, sizeof(table_fields));
        s->field_count = sizeof(table_fields) / sizeof(table_fields[0]);
    } else if (s->field_count == 0) {
        s->fields[s->field_count++] = o->tour ? "p16" : "p8";
    }
    if (readme) {
        set_numbers(s->lengths, &s->length_count, table_lengths, 5);
    } else if (o->tour) {
        set_numbers(s->lengths, &s->length_count, (const size_t[]){1000}, 1);
    } else {
        set_numbers(s->lengths, &s->length_count, (const size_t[]){1024, 16384}, 2);
    }
}

/* The fields of named primes with kernels of their own, and the lengths of both operands. */
static const char *const host_fields[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128"};
static const char host_pairs[] = "4x4,8x8,16x16,32x32,64x64,128x128,256x256,1024x1024,64x8,512x32";

static void take_pairs(struct argp_state *state, void *into, const char *text)
{
    session *o = into;
    int used = 0;

    for (o->pair_count = 0; *text != '\0'; text += used) {
        size_t n[2];
        if (o->pair_count == MAX_LENGTHS || sscanf(text, "%zux%zu%n", &n[0], &n[1], &used) != 2 ||
            n[1] < 1 || n[0] < n[1] || n[0] > MOST_TERMS) {
            argp_error(state, "no lengths, the longer one first: '%s'", text);
            return;
        }
        used += text[used] == ',';
        memcpy(o->pairs[o->pair_count++], n, sizeof(n));
    }
}

static void complete_hosts(struct argp_state *state, session *o)
{
    if (o->over_z || o->picture != NULL || o->input != NULL || o->s.length_count > 0) {
        argp_error(state, "--hosts takes no --over-z, --len, --input and --picture");
    }
    for (size_t i = 0; i < o->operation_count; i++) {
        o->chosen[i] = o->chosen[i] && !o->all;
        if (o->chosen[i] && !hosts_have(o->host, o->operations[i].name)) {
            argp_error(state, "--hosts has no operation '%s'%s%s", o->operations[i].name,
                       o->host != NULL ? " in " : "", o->host != NULL ? o->host : "");
        }
    }
    if (o->pair_count == 0) {
        take_pairs(state, o, host_pairs);
    }
    if (o->s.field_count == 0) {
        memcpy(o->s.fields, host_fields, sizeof(host_fields));
        o->s.field_count = sizeof(host_fields) / sizeof(host_fields[0]);
    }
}

/* Other tables than the README's show products too, the units of time. */
static void complete_session(struct argp_state *state, void *into)
{
    session *o = into;
    o->cell_seconds = o->s.seconds;
    if (!(o->s.seconds > 0)) {
        o->s.seconds = DEFAULT_SECONDS;
    }
    if (o->in_hosts) {
        complete_hosts(state, o);
        return;
    }
    if (o->pair_count > 0 || o->host != NULL) {
        argp_error(state, "--pairs and --host need --hosts");
    }
    const bool output = o->table != NULL || o->picture != NULL;
    bool any = false;

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        add_peer(state, o, libraries[i]);
    }
    for (size_t i = 0; i < operation_count; i++) {
        any = any || o->chosen[i];
        o->toolkit = o->toolkit || (output && !o->over_z && i > 0 && o->chosen[i]);
    }
    if (o->over_z && (o->s.field_count > 0 || o->input != NULL)) {
        argp_error(state, "--over-z takes no --field and no --input");
    }
    if (!o->over_z && (o->s.bits_count > 0 || o->most != SIZE_MAX)) {
        argp_error(state, "--bits and --most need --over-z");
    }
    if (o->picture != NULL && (o->toolkit || o->over_z)) {
        argp_error(state, "--picture shows products over Z/p only");
    }
    if (o->over_z) {
        choose_over_z(state, o);
        for (size_t i = 0; i < z_operation_count && !any; i++) {
            o->chosen[i] = true;
        }
        o->budget = isfinite(o->budget) ? o->budget : 10;
        set_numbers(o->s.lengths, &o->s.length_count, (const size_t[]){64, 256, 1024}, 3);
        set_numbers(o->s.bits, &o->s.bits_count, (const size_t[]){64, 256, 1024, 4096}, 4);
    } else {
        o->chosen[0] = o->chosen[0] || o->toolkit || !any;
        set_fields(o, output && !o->toolkit);
    }
    keep_peers(o);
}

static const option_row rows[] = {
    FIELD_ROWS,
    LENGTHS_ROW("Lengths of the factors (default: 1024,16384; with --over-z 64,256,1024)"),
    {ROW(session, over_z, OPTION_FLAG, "over-z", NULL,
         "Polynomials over Z: products, gcds and resultants by fmpz_poly and ZZX")},
    {ROW(session, s.bits, OPTION_LIST, "bits", "N,N,...",
         "With --over-z: bits of the operands' coefficients (default: 64,256,1024,4096)"),
     .count_place = offsetof(session, s.bits_count)},
    {ROW(session, in_hosts, OPTION_FLAG, "hosts", NULL,
         "Programs of FLINT and NTL with and without gfpoly's library in LD_PRELOAD: operations, "
         "fields (default: p2 to p128), lengths and bits of operands; then products by gfpoly for "
         "callers that hold other types")},
    {.name = "pairs",
     .argument = "NxM,...",
     .help = "With --hosts: the lengths of both operands, the longer one first",
     .kind = OPTION_TAKEN,
     .take = take_pairs},
    {ROW(session, host, OPTION_CHOICE, "host", "flint|ntl", "With --hosts: this host alone")},
    {ROW(session, rounds, OPTION_SIZE, "rounds", "N",
         "With --hosts: turns of both programs for a cell (default: 3), of --seconds together, or "
         "of 2 ms each; a cell above 1.15 takes up to five times as many"),
     .group = 2, .least = 1, .most = 1000},
    {.name = "operation",
     .argument = "NAME",
     .help =
         "An operation: mul (default), inverse, quotient, divrem, rem, rem-fixed, mulmod, "
         "sqrmod, powmod, gcd, xgcd, resultant, from-roots, multieval, multieval-kept, interp, "
         "interp-kept, compose, distinct-degree, factor, or all; or tour, the operations of "
         "the table in NTL's tour (default field and length: p16, 1000); with --over-z mul, gcd "
         "or resultant (default: all); with --hosts mul, divrem, rem, gcd or xgcd (default: all, "
         "and squares and low products); may be repeated",
     .kind = OPTION_TAKEN,
     .take = choose_operation},
    {ROW(session, input, OPTION_CHOICE, "input", "random|shoup",
         "The operands over Z/p: random (default), or shoup: coefficients 1, 2, 5, 26, ... from "
         "the leading one on, each the square of the previous one plus 1")},
    {ROW(session, most, OPTION_SIZE, "most", "N",
         "With --over-z: leave out places of more than N terms times bits"),
     .group = 2, .least = 1, .most = SIZE_MAX},
    {ROW(session, budget, OPTION_SECONDS, "budget", "S",
         "Skip a library, and a row if it is gfpoly, where one run takes more than S seconds by "
         "an estimate: from runs at an eighth and a quarter of the length (default: skip "
         "nothing); over Z from the place before in the row (default: 10)"),
     .group = 2},
    {.name = "flint",
     .argument = "MODULE",
     .help = "Another FLINT: a shared object of poly_flint.c, poly_flint_gr.c and integers_flint.c "
             "linked with that FLINT; may be repeated",
     .kind = OPTION_TAKEN,
     .take = add_module},
    {ROW(session, table, OPTION_TEXT, "table", "FILE",
         "Write a table in Markdown: of products (default fields and lengths: those of the "
         "README), of operations over Z, or of all operations chosen, with times in units of a "
         "product too; with one length its columns are the libraries"),
     .group = 4},
    {ROW(session, picture, OPTION_TEXT, "picture", "FILE",
         "Draw the ratios by gnuplot, as SVG; FILE.gp: only the script that draws FILE.svg"),
     .group = 4},
    TIME_ROWS("0.3"),
    FILE_ROWS,
};

static const char documentation[] =
    "Times products and other operations by gfpoly's choice and by other libraries: FLINT's "
    "fmpz_mod_poly, gr_poly over mpn_mod and fmpz_poly, and NTL's ZZ_pX and ZZX, if they were "
    "found when this program was built.\vThe program first compares the results, coefficient by "
    "coefficient; the exit status is 1 if two differ. Times are CPU times of one thread without "
    "the conversions of operands and results. \"/\" is the ratio to gfpoly's time. Over Z "
    "operands of gcds have a common divisor of half of the degree and of the bits; for gcds and "
    "resultants FLINT uses its own choice or its modular function, whichever is faster at a "
    "first call. For all libraries malloc takes big blocks from its heap and keeps them "
    "(M_MMAP_MAX 0, M_TRIM_THRESHOLD off), so that page faults do not decide.";

int main(int argc, char **argv)
{
    session o = {.s = {.seed = 1},
                 .operations = operations,
                 .operation_count = operation_count,
                 .budget = INFINITY,
                 .most = SIZE_MAX,
                 .rounds = 3,
                 .argv = argv,
                 .argc = argc};
    const program p = {.name = "gfpoly_peers",
                       .documentation = documentation,
                       .rows = rows,
                       .count = sizeof(rows) / sizeof(rows[0]),
                       .into = &o,
                       .complete = complete_session};

    parse_options(&p, argc, argv);
    keep_memory();
    o.operands =
        (operands){.seed = o.s.seed, .shoup = o.input != NULL && strcmp(o.input, "shoup") == 0};
    bool ok = bench_all(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ok = complain("standard output: %s", strerror(errno));
    }
    return ok ? 0 : 1;
}
