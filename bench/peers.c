/* bench/peers.c: gfpoly_peers: products and other operations of random polynomials by gfpoly's pick
 * and by other libraries. The results are first compared, coefficient by coefficient, then timed,
 * all in one process with the same settings of malloc.
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
    bool chosen[PEER_OPERATIONS]; /* by the order of the list of operations */
    peers_output output;
} session;

/* The operands in our form and as integers, and the results. */
typedef struct problem {
    const struct operation *operation;
    const gfp_field *field;
    size_t n, limbs, len_c; /* coefficients that are compared */
    gfp_poly a, b, f, c, d, e;
    gfp_modulus *modulus;
    uint64_t *integers; /* one allocation for the next five */
    uint64_t *x, *y, *z, *ours, *theirs;
    gfp_error error;
} problem;

/* ---- operations ---- */

/* times n + plus. */
typedef struct length {
    size_t times;
    int plus;
} length;

static size_t length_for(length l, size_t n)
{
    return l.times * n + (size_t)l.plus;
}

/* One row of this list is all that a new operation needs here. */
typedef struct operation {
    const char *name, *what;
    peer_operation code;
    length a, b, f, c;
    gfp_status (*run)(problem *w, const gfp_options *o); /* c := the result */
} operation;

static gfp_status run_mul(problem *w, const gfp_options *o)
{
    return gfp_poly_mul(&w->c, &w->a, &w->b, o);
}

static gfp_status run_inverse(problem *w, const gfp_options *o)
{
    return gfp_poly_inv_series(&w->c, &w->a, w->n, o);
}

static gfp_status run_quotient(problem *w, const gfp_options *o)
{
    return gfp_poly_div_series(&w->c, &w->a, &w->b, w->n, o);
}

static gfp_status run_divrem(problem *w, const gfp_options *o)
{
    return gfp_poly_divrem(&w->d, &w->c, &w->a, &w->b, o);
}

static gfp_status run_rem(problem *w, const gfp_options *o)
{
    return gfp_poly_rem_mod(&w->c, &w->a, w->modulus, o);
}

static gfp_status run_mulmod(problem *w, const gfp_options *o)
{
    return gfp_poly_mul_mod(&w->c, &w->a, &w->b, w->modulus, o);
}

static gfp_status run_sqrmod(problem *w, const gfp_options *o)
{
    return gfp_poly_sqr_mod(&w->c, &w->a, w->modulus, o);
}

static gfp_status run_powmod(problem *w, const gfp_options *o)
{
    const gfp_status status = gfp_poly_set_coeff_u64(&w->d, 1, 1);
    return status == GFP_OK ? gfp_poly_pow_p_mod(&w->c, &w->d, w->modulus, o) : status;
}

static gfp_status run_gcd(problem *w, const gfp_options *o)
{
    return gfp_poly_gcd(&w->c, &w->a, &w->b, o);
}

static gfp_status run_xgcd(problem *w, const gfp_options *o)
{
    return gfp_poly_xgcd(&w->d, &w->c, &w->e, &w->a, &w->b, o);
}

static gfp_status run_resultant(problem *w, const gfp_options *o)
{
    gfp_status status = gfp_poly_fit_length(&w->c, 1);
    if (status == GFP_OK) {
        status = gfp_poly_resultant(w->c.digits, &w->a, &w->b, o);
    }
    return status == GFP_OK ? gfp_poly_set_length(&w->c, 1) : status;
}

static gfp_status run_from_roots(problem *w, const gfp_options *o)
{
    return gfp_poly_from_roots(&w->c, w->a.digits, w->n, o);
}

static gfp_status run_evaluate(problem *w, const gfp_options *o)
{
    gfp_status status = gfp_poly_fit_length(&w->c, w->n);
    if (status == GFP_OK) {
        status = gfp_poly_multieval(w->c.digits, &w->a, w->b.digits, w->n, o);
    }
    return status == GFP_OK ? gfp_poly_set_length(&w->c, w->n) : status;
}

static gfp_status run_interpolate(problem *w, const gfp_options *o)
{
    return gfp_poly_interpolate(&w->c, w->a.digits, w->b.digits, w->n, o);
}

static gfp_status run_compose(problem *w, const gfp_options *o)
{
    gfp_modulus *M = NULL;
    gfp_compose_argument *A = NULL;
    gfp_status status = gfp_modulus_create(&M, &w->f, o);
    if (status == GFP_OK) {
        status = gfp_compose_argument_create(&A, &w->b, M, 1, o);
    }
    if (status == GFP_OK) {
        status = gfp_poly_compose_mod(&w->c, &w->a, A, o);
    }
    gfp_compose_argument_destroy(A);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status run_factor(problem *w, const gfp_options *o)
{
    gfp_factors factors;
    gfp_factors_init(&factors, w->field);
    gfp_status status = gfp_poly_factor(&factors, &w->a, o);
    gfp_poly_zero(&w->c);
    for (size_t i = 0; i < factors.count && status == GFP_OK; i++) {
        status = gfp_poly_sqr(&w->d, &factors.factor[i].poly, o);
        if (status == GFP_OK) {
            status = gfp_poly_add(&w->c, &w->c, &w->d);
        }
    }
    gfp_factors_clear(&factors);
    return status;
}

static const operation operations[] = {
    {"mul", "product of two polynomials", PEER_MUL, {1, 0}, {1, 0}, {0, 0}, {2, -1}, run_mul},
    {"inverse", "inverse modulo X^n", PEER_INVERSE, {1, 0}, {0, 0}, {0, 0}, {1, 0}, run_inverse},
    {"quotient",
     "quotient modulo X^n",
     PEER_QUOTIENT,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_quotient},
    {"divrem",
     "quotient and remainder, 2n by n terms",
     PEER_DIVREM,
     {2, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_divrem},
    {"rem",
     "remainder of 2n terms by a prepared f",
     PEER_REM,
     {2, 0},
     {0, 0},
     {1, 1},
     {1, 0},
     run_rem},
    {"mulmod", "a b modulo a prepared f", PEER_MULMOD, {1, 0}, {1, 0}, {1, 1}, {1, 0}, run_mulmod},
    {"sqrmod", "a^2 modulo a prepared f", PEER_SQRMOD, {1, 0}, {0, 0}, {1, 1}, {1, 0}, run_sqrmod},
    {"powmod", "X^p modulo a prepared f", PEER_POWMOD, {0, 0}, {0, 0}, {1, 1}, {1, 0}, run_powmod},
    {"gcd",
     "gcd of two polynomials of degree n",
     PEER_GCD,
     {1, 1},
     {1, 1},
     {0, 0},
     {1, 1},
     run_gcd},
    {"xgcd", "gcd and cofactors, degree n", PEER_XGCD, {1, 1}, {1, 1}, {0, 0}, {1, 0}, run_xgcd},
    {"resultant",
     "resultant of two polynomials of degree n",
     PEER_RESULTANT,
     {1, 1},
     {1, 1},
     {0, 0},
     {0, 1},
     run_resultant},
    {"from-roots",
     "product of X - x_i from n roots",
     PEER_FROM_ROOTS,
     {1, 0},
     {0, 0},
     {0, 0},
     {1, 1},
     run_from_roots},
    {"multieval",
     "values of n terms at n points",
     PEER_EVALUATE,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_evaluate},
    {"interp",
     "interpolation at n points",
     PEER_INTERPOLATE,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_interpolate},
    {"compose",
     "a(b) modulo f of degree n",
     PEER_COMPOSE,
     {1, 0},
     {1, 0},
     {1, 1},
     {1, 0},
     run_compose},
    {"factor",
     "factors of a polynomial of degree n",
     PEER_FACTOR,
     {1, 1},
     {0, 0},
     {0, 0},
     {2, 1},
     run_factor},
};
#define OPERATION_COUNT (sizeof(operations) / sizeof(operations[0]))

static bool run_ours(void *context)
{
    problem *w = context;
    const gfp_options options = {.error = &w->error};

    return w->operation->run(w, &options) == GFP_OK;
}

/* ---- problems ---- */

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
    gfp_modulus_destroy(w->modulus);
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->f);
    gfp_poly_clear(&w->c);
    gfp_poly_clear(&w->d);
    gfp_poly_clear(&w->e);
    free(w->integers);
}

/* a := len random coefficients, the first and the last one not 0. */
static bool draw(gfp_poly *a, size_t len, gfp_random *g)
{
    do {
        if (gfp_poly_random(a, len, g) != GFP_OK) {
            return false;
        }
    } while (len > 0 && (a->len < len || gfp_elem_is_zero(a->field, a->digits)));
    return true;
}

static bool is_prepared(const operation *o)
{
    return o->code >= PEER_REM && o->code <= PEER_POWMOD;
}

static bool fill(problem *w, gfp_random *g)
{
    const operation *o = w->operation;
    const size_t len_a = length_for(o->a, w->n), len_b = length_for(o->b, w->n);
    const size_t len_f = length_for(o->f, w->n);

    w->len_c = length_for(o->c, w->n);
    w->integers = calloc(len_a + len_b + len_f + 2 * w->len_c, w->limbs * sizeof(uint64_t));
    if (w->integers == NULL || !draw(&w->a, len_a, g) || !draw(&w->b, len_b, g) ||
        !draw(&w->f, len_f, g)) {
        return false;
    }
    w->x = w->integers;
    w->y = w->x + len_a * w->limbs;
    w->z = w->y + len_b * w->limbs;
    w->ours = w->z + len_f * w->limbs;
    w->theirs = w->ours + w->len_c * w->limbs;
    to_integers(w, w->x, &w->a, len_a);
    to_integers(w, w->y, &w->b, len_b);
    to_integers(w, w->z, &w->f, len_f);
    return !is_prepared(o) || gfp_modulus_create(&w->modulus, &w->f, NULL) == GFP_OK;
}

static bool problem_init(problem *w, const operation *o, const gfp_field *field, size_t n,
                         uint64_t seed)
{
    gfp_random g;

    *w = (problem){.operation = o, .field = field, .n = n, .limbs = gfp_field_limbs(field)};
    gfp_poly_init(&w->a, field);
    gfp_poly_init(&w->b, field);
    gfp_poly_init(&w->f, field);
    gfp_poly_init(&w->c, field);
    gfp_poly_init(&w->d, field);
    gfp_poly_init(&w->e, field);
    gfp_random_seed(&g, seed);
    if (!fill(w, &g)) {
        problem_clear(w);
        return complain("%s, length %zu: no memory", gfp_field_name(field), n);
    }
    return true;
}

/* The index of the first coefficient in which the results differ; len_c if they are equal. */
static size_t first_difference(const problem *w)
{
    size_t i = 0;

    while (i < w->len_c && memcmp(w->ours + i * w->limbs, w->theirs + i * w->limbs,
                                  w->limbs * sizeof(uint64_t)) == 0) {
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
    timing time;
} entrant;

static peer_problem problem_of(const problem *w)
{
    const operation *o = w->operation;
    const size_t len_a = length_for(o->a, w->n), len_b = length_for(o->b, w->n);
    const size_t len_f = length_for(o->f, w->n);

    return (peer_problem){.operation = o->code,
                          .p = gfp_field_modulus_limbs(w->field),
                          .limbs = w->limbs,
                          .a = w->x,
                          .b = w->y,
                          .f = w->z,
                          .len_a = len_a,
                          .len_b = len_b,
                          .len_f = len_f,
                          .n = w->n};
}

/* Converts the operands, and compares the result with ours. */
static bool enter_peer(const problem *w, entrant *e, const peer *other)
{
    const peer_problem operands = problem_of(w);
    const char *field = gfp_field_name(w->field);

    *e = (entrant){.library = other, .run = other->run};
    snprintf(e->name, sizeof(e->name), "%s %s", other->name, other->version);
    progress(field, e->name, w->n);
    e->state = other->start(&operands);
    if (e->state == NULL || !other->run(e->state)) {
        return complain("%s, length %zu, %s: no memory", field, w->n, e->name);
    }
    other->get(e->state, w->theirs, w->len_c);
    const size_t i = first_difference(w);
    return i == w->len_c || complain("%s, length %zu: gfpoly (%s) and %s differ at coefficient %zu",
                                     field, w->n, pick_of(w), e->name, i);
}

static bool enter_gfpoly(problem *w, entrant *e)
{
    *e = (entrant){.run = run_ours, .state = w};
    snprintf(e->name, sizeof(e->name), "gfpoly %s (%s)", gfp_version(), pick_of(w));
    progress(gfp_field_name(w->field), e->name, w->n);
    if (!run_ours(w)) {
        return complain("%s, length %zu, %s: %s", gfp_field_name(w->field), w->n, e->name,
                        w->error.message);
    }
    to_integers(w, w->ours, &w->c, w->len_c);
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
        progress(gfp_field_name(w->field), x->name, w->n);
        if (!measure(&t, s->seconds / ROUNDS, x->run, x->state)) {
            return complain("%s, length %zu, %s: no memory", gfp_field_name(w->field), w->n,
                            x->name);
        }
        x->time = i < count ? t : least(x->time, t);
    }
    return true;
}

/* Adds a row: the time, and its ratio to ours. */
static bool add_row(report *r, const problem *w, const entrant *e, const timing *ours)
{
    const operation *o = w->operation;
    record *x =
        report_add(r, o->code == PEER_MUL ? "peer" : o->name, gfp_field_name(w->field), e->name);

    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = w->n;
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
    const peer_problem operands = problem_of(w);
    size_t count = 1;
    bool ok = enter_gfpoly(w, &entrants[0]);

    for (size_t i = 0; i < o->peer_count && ok; i++) {
        if (o->peers[i]->serves(&operands)) {
            ok = enter_peer(w, &entrants[count], o->peers[i]);
            count++;
        }
    }
    ok = ok && time_entrants(&o->s, w, entrants, count);
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
    for (size_t i = 0; i < o->s.length_count * OPERATION_COUNT && ok; i++) {
        const size_t number = i % OPERATION_COUNT;
        problem w;
        if (!o->chosen[number]) {
            continue;
        }
        ok = problem_init(&w, &operations[number], field, o->s.lengths[i / OPERATION_COUNT],
                          o->s.seed);
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

enum { OPTION_OPERATION = 256, OPTION_FLINT, OPTION_TABLE, OPTION_PICTURE };

static const struct argp_option options[] = {
    {"len", 'l', "N,N,...", 0, "Lengths of the factors (default: 1024,16384)", 0},
    {"operation", OPTION_OPERATION, "NAME", 0,
     "An operation: mul (default), inverse, quotient, divrem, rem, mulmod, sqrmod, powmod, gcd, "
     "xgcd, resultant, from-roots, multieval, interp, compose, factor, or all; may be repeated",
     0},
    {"flint", OPTION_FLINT, "MODULE", 0,
     "Another FLINT: a shared object of peers_flint.c and peers_flint_gr.c linked with that FLINT; "
     "may be repeated",
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
    other = dlsym(module, "peer_flint_gr");
    if (other != NULL) {
        add_peer(state, o, other);
    }
}

static void choose_operation(struct argp_state *state, session *o, const char *name)
{
    bool known = false;

    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        const bool named = strcmp(name, operations[i].name) == 0 || strcmp(name, "all") == 0;
        o->chosen[i] = o->chosen[i] || named;
        known = known || named;
    }
    if (!known) {
        argp_error(state, "unknown operation '%s'", name);
    }
}

/* A table or a picture shows products, by the libraries that serve every field. */
static void check_table(struct argp_state *state, session *o)
{
    const peer_problem longest = {.operation = PEER_MUL, .limbs = GFP_MAX_K};
    size_t kept = 0;

    for (size_t i = 1; i < OPERATION_COUNT; i++) {
        if (o->chosen[i]) {
            argp_error(state, "--table and --picture show products only");
        }
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
        parse_lengths(state, &o->s, argument);
        return 0;
    case OPTION_OPERATION:
        choose_operation(state, o, argument);
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
    const bool table = o->output.table != NULL || o->output.picture != NULL;
    bool any = false;

    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        any = any || o->chosen[i];
    }
    o->chosen[0] = o->chosen[0] || !any;
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
