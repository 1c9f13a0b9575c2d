/* bench/peers.c: gfpoly_peers: the product of two random polynomials by gfpoly's pick and by other
 * libraries. The products are first compared, coefficient by coefficient, then timed, all in one
 * process with the same settings of malloc.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peers.h"
#include "peers_table.h"

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
    peers_output output;
} session;

/* The operands in our form and as integers, and the products. */
typedef struct problem {
    const gfp_field *field;
    size_t len, limbs;
    gfp_poly a, b, c;
    uint64_t *integers; /* one allocation for the next four */
    uint64_t *x, *y, *ours, *theirs;
    gfp_error error;
} problem;

static bool run_pick(void *context)
{
    problem *w = context;
    const gfp_options options = {.error = &w->error};

    return gfp_poly_mul(&w->c, &w->a, &w->b, &options) == GFP_OK;
}

/* z := n coefficients of a, as integers. */
static void to_integers(const problem *w, uint64_t *z, const gfp_poly *a, size_t n)
{
    uint64_t digits[GFP_MAX_K];

    for (size_t i = 0; i < n; i++) {
        gfp_poly_get_coeff(a, digits, i);
        gfp_elem_get_limbs(w->field, z + i * w->limbs, digits);
    }
}

static void problem_clear(problem *w)
{
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->c);
    free(w->integers);
}

static bool problem_init(problem *w, const gfp_field *field, size_t len, uint64_t seed)
{
    const size_t len_c = 2 * len - 1;
    gfp_random g;

    *w = (problem){.field = field, .len = len, .limbs = gfp_field_limbs(field)};
    gfp_poly_init(&w->a, field);
    gfp_poly_init(&w->b, field);
    gfp_poly_init(&w->c, field);
    gfp_random_seed(&g, seed);
    w->integers = calloc(2 * len + 2 * len_c, w->limbs * sizeof(uint64_t));
    if (w->integers == NULL || gfp_poly_random(&w->a, len, &g) != GFP_OK ||
        gfp_poly_random(&w->b, len, &g) != GFP_OK) {
        problem_clear(w);
        return complain("%s, length %zu: no memory", gfp_field_name(field), len);
    }
    w->x = w->integers;
    w->y = w->x + len * w->limbs;
    w->ours = w->y + len * w->limbs;
    w->theirs = w->ours + len_c * w->limbs;
    to_integers(w, w->x, &w->a, len);
    to_integers(w, w->y, &w->b, len);
    return true;
}

/* The index of the first coefficient in which the products differ; len_c if they are equal. */
static size_t first_difference(const problem *w)
{
    const size_t len_c = 2 * w->len - 1;
    size_t i = 0;

    while (i < len_c && memcmp(w->ours + i * w->limbs, w->theirs + i * w->limbs,
                               w->limbs * sizeof(uint64_t)) == 0) {
        i++;
    }
    return i;
}

/* The name of run_pick's method. */
static const char *pick_of(const problem *w)
{
    const gfp_problem product = {.len_a = w->len, .len_b = w->len};
    return gfp_method_pick(&product, w->field, NULL);
}

/* A library of the comparison; the first one is ours. */
typedef struct entrant {
    const peer *library; /* NULL: ours */
    char name[48];
    bool (*multiply)(void *state);
    void *state;
    timing time;
} entrant;

/* Converts the operands, and compares the product with ours. */
static bool enter_peer(const problem *w, entrant *e, const peer *other)
{
    const peer_problem operands = {gfp_field_modulus_limbs(w->field), w->limbs, w->x, w->y, w->len};
    const char *field = gfp_field_name(w->field);
    const size_t len_c = 2 * w->len - 1;

    *e = (entrant){.library = other, .multiply = other->multiply};
    snprintf(e->name, sizeof(e->name), "%s %s", other->name, other->version);
    progress(field, e->name, w->len);
    e->state = other->start(&operands);
    if (e->state == NULL || !other->multiply(e->state)) {
        return complain("%s, length %zu, %s: no memory", field, w->len, e->name);
    }
    other->get(e->state, w->theirs, len_c);
    const size_t i = first_difference(w);
    return i == len_c || complain("%s, length %zu: gfpoly (%s) and %s differ at coefficient %zu",
                                  field, w->len, pick_of(w), e->name, i);
}

static bool enter_gfpoly(problem *w, entrant *e)
{
    *e = (entrant){.multiply = run_pick, .state = w};
    snprintf(e->name, sizeof(e->name), "gfpoly %s (%s)", gfp_version(), pick_of(w));
    progress(gfp_field_name(w->field), e->name, w->len);
    if (!run_pick(w)) {
        return complain("%s, length %zu, %s: %s", gfp_field_name(w->field), w->len, e->name,
                        w->error.message);
    }
    to_integers(w, w->ours, &w->c, 2 * w->len - 1);
    return true;
}

/* Combines rounds: the least time of all, and the median of the round with the least time. */
static timing least(timing x, timing y)
{
    timing t = x.median_ns <= y.median_ns ? x : y;

    t.min_ns = x.min_ns < y.min_ns ? x.min_ns : y.min_ns;
    t.runs = x.runs + y.runs;
    return t;
}

static bool time_entrants(const settings *s, const problem *w, entrant *e, size_t count)
{
    for (size_t i = 0; i < ROUNDS * count; i++) {
        entrant *x = &e[i % count];
        timing t = {0};
        progress(gfp_field_name(w->field), x->name, w->len);
        if (!measure(&t, s->seconds / ROUNDS, x->multiply, x->state)) {
            return complain("%s, length %zu, %s: no memory", gfp_field_name(w->field), w->len,
                            x->name);
        }
        x->time = i < count ? t : least(x->time, t);
    }
    return true;
}

/* Adds a row: the time, and its ratio to ours. */
static bool add_row(report *r, const problem *w, const entrant *e, const timing *ours)
{
    record *x = report_add(r, "peer", gfp_field_name(w->field), e->name);

    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = w->len;
    x->time = e->time;
    x->ratio_to_gfpoly = e->time.min_ns / ours->min_ns;
    printf("  %-36s", e->name);
    print_timing(&e->time, 1e6);
    printf(" %9.3f %9.3f\n", x->ratio_to_gfpoly, e->time.median_ns / ours->median_ns);
    return true;
}

static bool bench_length(const session *o, problem *w, report *r)
{
    entrant entrants[1 + MAX_PEERS];
    size_t count = 1;
    bool ok = enter_gfpoly(w, &entrants[0]);

    while (ok && count <= o->peer_count) {
        ok = enter_peer(w, &entrants[count], o->peers[count - 1]);
        count++;
    }
    ok = ok && time_entrants(&o->s, w, entrants, count);
    progress_end();
    if (ok) {
        printf("%s, product of two polynomials of length %zu\n  %-36s", gfp_field_name(w->field),
               w->len, "");
        print_timing_head("ms");
        printf(" %9s %9s\n", "min /", "median /");
    }
    for (size_t i = 0; i < count && ok; i++) {
        ok = add_row(r, w, &entrants[i], &entrants[0].time);
    }
    for (size_t i = 1; i < count; i++) {
        if (entrants[i].state != NULL) {
            entrants[i].library->finish(entrants[i].state);
        }
    }
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
    o->output.bits[o->output.fields++] = gfp_field_bits(field);
    for (size_t i = 0; i < o->s.length_count && ok; i++) {
        problem w;
        ok = problem_init(&w, field, o->s.lengths[i], o->s.seed);
        if (ok) {
            ok = bench_length(o, &w, r);
            problem_clear(&w);
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
    if (ok) {
        report_start(&r);
    }
    measure_cpu_time(true);
    for (size_t i = 0; i < s->field_count && ok; i++) {
        ok = bench_field(o, s->fields[i], &r);
    }
    o->output.lengths = s->length_count;
    o->output.libraries = 1 + o->peer_count;
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    ok = ok && (table == NULL || peers_write_table(&o->output, &r, table));
    ok = ok && (o->output.picture == NULL || peers_draw(&o->output, &r));
    report_clear(&r);
    return ok;
}

enum { OPTION_FLINT = 256, OPTION_TABLE, OPTION_PICTURE };

static const struct argp_option options[] = {
    {"len", 'l', "N,N,...", 0, "Lengths of the factors (default: 1024,16384)", 0},
    {"flint", OPTION_FLINT, "MODULE", 0,
     "Another FLINT: a shared object of peers_flint.c linked with that FLINT; may be "
     "repeated",
     0},
    {"table", OPTION_TABLE, "FILE", 0,
     "Write a table of ratios in Markdown (default fields and lengths: those of the README)", 4},
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

/* Loads a module, which stays loaded. */
static void add_module(struct argp_state *state, session *o, const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const peer *other = module == NULL ? NULL : dlsym(module, "peer_flint");

    if (other == NULL) {
        argp_error(state, "%s", dlerror());
    }
    add_peer(state, o, other);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    session *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->s;
        return 0;
    case 'l':
        parse_lengths(state, &o->s, argument);
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
#endif
#if PEERS_HAVE_NTL
        add_peer(state, o, &peer_ntl);
#endif
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char documentation[] =
    "Times products by gfpoly's pick and by other libraries: FLINT's fmpz_mod_poly_mul and NTL's "
    "ZZ_pX, if they were found when this program was built.\vThe program first compares the "
    "products, coefficient by coefficient; the exit status is 1 if two differ. Times are CPU "
    "times of one thread without the conversions of operands and product. \"/\" is the ratio to "
    "gfpoly's time. For all libraries malloc takes big blocks from its heap and keeps them "
    "(M_MMAP_MAX 0, M_TRIM_THRESHOLD off), so that page faults do not decide.";

static void set_defaults(session *o)
{
    settings *s = &o->s;
    const bool table = o->output.table != NULL || o->output.picture != NULL;

    if (s->field_count == 0 && table) {
        memcpy(s->fields, table_fields, sizeof(table_fields));
        s->field_count = sizeof(table_fields) / sizeof(table_fields[0]);
    } else if (s->field_count == 0) {
        s->fields[s->field_count++] = "p8";
    }
    if (s->length_count == 0 && table) {
        memcpy(s->lengths, table_lengths, sizeof(table_lengths));
        s->length_count = sizeof(table_lengths) / sizeof(table_lengths[0]);
    } else if (s->length_count == 0) {
        s->lengths[s->length_count++] = 1024;
        s->lengths[s->length_count++] = 16384;
    }
}

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&common_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp parser = {options, parse_option, NULL, documentation, children, NULL, NULL};
    session o = {.s = {.seconds = 0.3, .seed = 1}, .output = {.argv = argv, .argc = argc}};

    program_name = "gfpoly_peers";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &o) != 0) {
        return 2;
    }
    if (mallopt(M_MMAP_MAX, 0) != 1 || mallopt(M_TRIM_THRESHOLD, -1) != 1) {
        complain("this malloc takes no settings: page faults count in the times");
    }
    set_defaults(&o);
    bool ok = bench_fields(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ok = complain("standard output: %s", strerror(errno));
    }
    return ok ? 0 : 1;
}
