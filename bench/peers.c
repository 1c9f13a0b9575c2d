/* bench/peers.c: gfpoly_peers: the product of two random polynomials by gfpoly's pick and by other
 * libraries: first compared, coefficient by coefficient, then timed, all in one process under the
 * same settings of malloc. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peers.h"

static const peer *const peers[] = {
#if PEERS_HAVE_FLINT
    &peer_flint,
#endif
#if PEERS_HAVE_NTL
    &peer_ntl,
#endif
};
#define PEERS (sizeof(peers) / sizeof(peers[0]))

/* The operands, ours and as integers, and the products. */
typedef struct problem {
    const gfp_field *field;
    size_t len, limbs;
    gfp_poly a, b, c;
    uint64_t *integers; /* one block for the four below */
    uint64_t *x, *y, *ours, *theirs;
    gfp_error error;
} problem;

static bool run_pick(void *context)
{
    problem *w = context;
    const gfp_mul_options options = {.error = &w->error};

    return gfp_poly_mul(&w->c, &w->a, &w->b, &options) == GFP_OK;
}

/* z := n coefficients of a as integers. */
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

/* The first coefficient where the products differ; len_c where they are equal. */
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

static bool compare_and_time(const settings *s, problem *w, const peer *other, void *state,
                             timing *t)
{
    const char *field = gfp_field_name(w->field);
    const size_t len_c = 2 * w->len - 1;

    if (!other->multiply(state)) {
        return complain("%s, length %zu, %s: no memory", field, w->len, other->name);
    }
    other->get(state, w->theirs, len_c);
    const size_t i = first_difference(w);
    if (i < len_c) {
        return complain("%s, length %zu: gfpoly (%s) and %s differ at coefficient %zu", field,
                        w->len, gfp_method_pick(w->field, w->len, w->len), other->name, i);
    }
    return measure(t, s->seconds, other->multiply, state) ||
           complain("%s, length %zu, %s: no memory", field, w->len, other->name);
}

/* A row: the time, and how much longer it is than ours. */
static bool add_row(report *r, const problem *w, const char *name, const timing *t,
                    const timing *ours)
{
    record *x = report_add(r, "peer", gfp_field_name(w->field), name);

    if (x == NULL) {
        return false;
    }
    x->len_a = x->len_b = w->len;
    x->time = *t;
    x->ratio_to_gfpoly = t->min_ns / ours->min_ns;
    progress_end();
    printf("  %-26s", name);
    print_timing(t, 1e6);
    printf(" %9.3f %9.3f\n", x->ratio_to_gfpoly, t->median_ns / ours->median_ns);
    return true;
}

static bool bench_peer(const settings *s, problem *w, const peer *other, const timing *ours,
                       report *r)
{
    const peer_problem operands = {gfp_field_modulus_limbs(w->field), w->limbs, w->x, w->y, w->len};
    timing t = {0};
    char name[40];

    snprintf(name, sizeof(name), "%s %s", other->name, other->version);
    progress(gfp_field_name(w->field), name, w->len);
    void *state = other->start(&operands);
    if (state == NULL) {
        return complain("%s, length %zu, %s: no memory", gfp_field_name(w->field), w->len, name);
    }
    const bool ok = compare_and_time(s, w, other, state, &t) && add_row(r, w, name, &t, ours);
    other->finish(state);
    return ok;
}

static bool bench_length(const settings *s, problem *w, report *r)
{
    const char *field = gfp_field_name(w->field);
    const char *pick = gfp_method_pick(w->field, w->len, w->len);
    timing ours = {0};
    char name[40];

    printf("%s, product of two polynomials of length %zu\n  %-26s", field, w->len, "");
    print_timing_head("ms");
    printf(" %9s %9s\n", "min /", "median /");
    snprintf(name, sizeof(name), "gfpoly %s (%s)", gfp_version(), pick);
    progress(field, name, w->len);
    if (!run_pick(w)) {
        return complain("%s, length %zu, %s: %s", field, w->len, name, w->error.message);
    }
    to_integers(w, w->ours, &w->c, 2 * w->len - 1);
    if (!measure(&ours, s->seconds, run_pick, w)) {
        return complain("%s, length %zu, %s: %s", field, w->len, name, w->error.message);
    }
    bool ok = add_row(r, w, name, &ours, &ours);
    for (size_t i = 0; i < PEERS && ok; i++) {
        ok = bench_peer(s, w, peers[i], &ours, r);
    }
    return ok;
}

static bool bench_field(const settings *s, const char *name, report *r)
{
    gfp_field *field;
    gfp_error error;
    bool ok = true;

    if (gfp_field_create(&field, name, NULL, &error) != GFP_OK) {
        return complain("%s: %s", name, error.message);
    }
    for (size_t i = 0; i < s->length_count && ok; i++) {
        problem w;
        ok = problem_init(&w, field, s->lengths[i], s->seed);
        if (ok) {
            ok = bench_length(s, &w, r);
            problem_clear(&w);
        }
    }
    gfp_field_destroy(field);
    return ok;
}

static bool bench_fields(const settings *s)
{
    report r = {.records = NULL};
    FILE *csv = NULL;
    FILE *json = NULL;
    bool ok = check_build() && report_open(&csv, s->csv) && report_open(&json, s->json);
    if (ok) {
        report_start(&r);
    }
    for (size_t i = 0; i < s->field_count && ok; i++) {
        ok = bench_field(s, s->fields[i], &r);
    }
    ok = ok && (csv == NULL || report_write_csv(&r, csv, s->csv));
    ok = ok && (json == NULL || report_write_json(&r, json, s->json));
    report_clear(&r);
    return ok;
}

static const struct argp_option options[] = {
    {"len", 'l', "N,N,...", 0, "Lengths of the factors (default: 1024,16384)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case 'l':
        parse_lengths(state, state->input, argument);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char documentation[] =
    "Times products by gfpoly's pick beside other libraries: FLINT's fmpz_mod_poly_mul and NTL's "
    "ZZ_pX, whichever were found when this was built.\vThe products are compared first, "
    "coefficient "
    "by coefficient; exits with 1 where two differ. Conversions of operands and product are not "
    "timed. One thread. \"/\" is the ratio to gfpoly's time. malloc is told for all of them to "
    "serve big blocks from its heap and to keep them (M_MMAP_MAX 0, M_TRIM_THRESHOLD off), so that "
    "page faults do not decide.";

int main(int argc, char **argv)
{
    const struct argp_child children[] = {{&common_options, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp parser = {options, parse_option, NULL, documentation, children, NULL, NULL};
    settings s = {.seconds = 0.3, .seed = 1};

    program_name = "gfpoly_peers";
    argp_err_exit_status = 2;
    if (argp_parse(&parser, argc, argv, 0, NULL, &s) != 0) {
        return 2;
    }
    if (mallopt(M_MMAP_MAX, 0) != 1 || mallopt(M_TRIM_THRESHOLD, -1) != 1) {
        complain("this malloc takes no settings: page faults count in the times");
    }
    if (s.field_count == 0) {
        s.fields[s.field_count++] = "p8";
    }
    if (s.length_count == 0) {
        s.lengths[s.length_count++] = 1024;
        s.lengths[s.length_count++] = 16384;
    }
    bool ok = bench_fields(&s);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ok = complain("standard output: %s", strerror(errno));
    }
    return ok ? 0 : 1;
}
