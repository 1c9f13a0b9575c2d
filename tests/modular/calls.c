/* calls.c: the calls over Z that take options, as a table of operations with the tests of
 * tests/lab/calls.h, and the time between reports of long calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "gfpoly/zsystem.h"
#include "lab/calls.h"
#include "lab/rows.h"
#include "lab/sanitized.h"
#include "modular/ragged_forms.h"
#include "modular/system/lab.h"

/* ---- operands and outputs ---- */

/* A, B: with a common divisor; G, SHORT: random; INFLATED: polynomials in X^2; BINOMIAL: two terms,
 * of the degrees 300, 1 and 20; MANY: 3000 terms, PAIR: 2; RAGGED: some coefficients are long. */
enum {
    A,
    B,
    G,
    SHORT,
    MODULUS,
    RESIDUES,
    INFLATED_A,
    INFLATED_B,
    BINOMIAL_A,
    BINOMIAL_1,
    BINOMIAL_20,
    MANY,
    PAIR,
    RAGGED,
    RAGGED_B,
    RAGGED_C,
    LONG_A,
    LONG_B,
    LONG_C,
    OPERANDS
};

typedef struct zworld {
    gfp_zring *ring;
    gfp_zvec in[OPERANDS];
    gfp_zbipoly plane[2];
    problem parts; /* a system of three parts */
    gfp_zmatrix matrix, integers;
    gfp_zsystem solutions;
    int family;
    /* the outputs */
    gfp_zvec z[3];
    gfp_zbipoly of_plane;
    gfp_zsystem system;
    gfp_zboxes boxes;
} zworld;

/* ---- the table ---- */

/* The operands of a row. Before a call its output holds 7; in IN_PLACE(S), an operand. */
enum {
    VECTORS,
    COMPOSED,
    RECONSTRUCTION,
    PLANES,
    MATRICES,
    SYSTEMS,
    SHAPES,
    LONG_SHAPES,
    IN_PLACE,
    IN_PLACES
};

#define P(i) (&w->in[i])
#define Z &w->z[0]
#define MODULAR "words big kronecker flint auto"

/* A family, a name, the function without gfp_, traits, methods, reports between 0 and 1 that the
 * operands here need at least, a bound of the least cap, and the arguments before the options. */
#define CALLS(_)                                                                                   \
    _(VECTORS, product, zvec_mul, 0, MODULAR, 0, 0, Z, P(A), P(B))                                 \
    _(VECTORS, short_product, zvec_mul, CREATES, "classical short words", 0, 0, Z, P(SHORT),       \
      P(SHORT))                                                                                    \
    _(VECTORS, gcd, zvec_gcd, 0, MODULAR, 1, 0, Z, P(A), P(B))                                     \
    _(VECTORS, cofactors, zvec_gcd_cofactors, 0, MODULAR, 1, 0, Z, &w->z[1], &w->z[2], P(A), P(B)) \
    _(VECTORS, resultant, zvec_resultant, 0, "words big flint auto", 1, 0, Z, P(A), P(G))          \
    _(VECTORS, discriminant, zvec_discriminant, 0, "words flint auto", 1, 0, Z, P(G))              \
    _(VECTORS, content, zvec_content, CREATES, "auto", 0, 0, Z, P(A))                              \
    _(COMPOSED, composed_sum, zvec_composed, 0, "words", 2, 0, Z, P(G), P(G), GFP_ZCOMPOSED_SUM)   \
    _(COMPOSED, composed_product, zvec_composed, 0, "words", 2, 0, Z, P(G), P(G),                  \
      GFP_ZCOMPOSED_PRODUCT)                                                                       \
    _(COMPOSED, composed_difference, zvec_composed, 0, "words", 2, 0, Z, P(G), P(G),               \
      GFP_ZCOMPOSED_DIFFERENCE)                                                                    \
    _(COMPOSED, composed_quotient, zvec_composed, 0, "words", 2, 0, Z, P(G), P(G),                 \
      GFP_ZCOMPOSED_QUOTIENT)                                                                      \
    _(RECONSTRUCTION, reconstruction, zvec_reconstruct, 0, "auto", 1, 1 << 14, Z, &w->z[1],        \
      P(RESIDUES), P(MODULUS), NULL, NULL)                                                         \
    _(PLANES, bivariate_resultant, zbipoly_resultant_y, 0, "words", 2, 0, Z, &w->plane[0],         \
      &w->plane[1])                                                                                \
    _(MATRICES, det, zmatrix_det, 0, "words", 2, 1 << 22, Z, &w->matrix)                           \
    _(MATRICES, characteristic, zmatrix_charpoly, 0, "words", 2, 1 << 22, &w->of_plane,            \
      &w->matrix)                                                                                  \
    _(MATRICES, characteristic_of_integers, zmatrix_charpoly, 0, "words", 1, 1 << 22,              \
      &w->of_plane, &w->integers)                                                                  \
    _(SYSTEMS, system, zsystem_solve, 0, "words", 4, 1 << 22, &w->system, &w->plane[0],            \
      &w->plane[1])                                                                                \
    _(SYSTEMS, system_of_parts, zsystem_solve, 0, "auto", 0, 1 << 22, &w->system, &w->parts.f,     \
      &w->parts.g)                                                                                 \
    _(SYSTEMS, boxes, zsystem_boxes, 0, "auto", 1, 0, &w->boxes, &w->solutions, 100)               \
    _(SHAPES, inflated_resultant, zvec_resultant, KEEPS, "auto", 0, 0, Z, P(INFLATED_A),           \
      P(INFLATED_B))                                                                               \
    _(SHAPES, inflated_gcd, zvec_gcd, KEEPS, "auto", 0, 0, Z, P(INFLATED_A), P(INFLATED_B))        \
    _(SHAPES, binomial_resultant, zvec_resultant, KEEPS, "auto", 0, 0, Z, P(BINOMIAL_A),           \
      P(BINOMIAL_1))                                                                               \
    _(SHAPES, binomial_gcd, zvec_gcd, KEEPS, "auto", 0, 0, Z, P(BINOMIAL_A), P(BINOMIAL_20))       \
    _(LONG_SHAPES, pair_resultant, zvec_resultant, CREATES | KEEPS, "auto", 2, 0, Z, P(MANY),      \
      P(PAIR))                                                                                     \
    _(LONG_SHAPES, ragged_product, zvec_mul, CREATES | KEEPS | BEST_LEVEL, "auto", 2, 0, Z,        \
      P(LONG_A), P(LONG_B))                                                                        \
    _(LONG_SHAPES, ragged_gcd, zvec_gcd, CREATES | KEEPS, "auto", 4, 0, Z, P(RAGGED), P(RAGGED_B)) \
    _(LONG_SHAPES, ragged_long_gcd, zvec_gcd, CREATES | KEEPS, "auto", 4, 0, Z, P(RAGGED),         \
      P(RAGGED_C))                                                                                 \
    _(IN_PLACE, product_in_place, zvec_mul, CREATES | KEEPS, "auto", 0, 0, Z, Z, P(LONG_C))        \
    _(IN_PLACES, cofactors_in_place, zvec_gcd_cofactors, CREATES | KEEPS, "auto", 0, 0, Z,         \
      &w->z[1], &w->z[2], Z, &w->z[2])

#define CALL(family, label, name, traits, methods, between, most, ...)                             \
    static gfp_status call_##label(void *subject, const gfp_options *options)                      \
    {                                                                                              \
        zworld *w = subject;                                                                       \
        return gfp_##name(__VA_ARGS__, options);                                                   \
    }
CALLS(CALL)

#define ROW(family, label, name, traits, methods, between, most, ...)                              \
    {#label, call_##label, traits, family, methods, between, most},
static const calls_row rows[] = {CALLS(ROW)};

/* ---- outputs ---- */

static uint64_t mix_number(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15 ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const gfp_zvec *a)
{
    char *text;
    size_t size;
    assert_int_equal(gfp_zvec_to_string(&text, &size, a), GFP_OK);
    for (size_t i = 0; i < size; i++) {
        h = mix_number(h, (unsigned char)text[i]);
    }
    gfp_free(text);
    return h;
}

static uint64_t digest_of(const void *subject)
{
    const zworld *w = subject;
    uint64_t h = 1;
    for (size_t i = 0; i < 3; i++) {
        h = mix_text(h, &w->z[i]);
    }
    for (size_t i = 0; i < w->of_plane.len; i++) {
        h = mix_text(h, &w->of_plane.coeff[i]);
    }
    for (size_t i = 0; i < w->system.count; i++) {
        const gfp_zsystem_part *part = &w->system.part[i];
        const gfp_zvec *const vecs[] = {&part->f, &part->x, &part->y, &part->q};
        h = mix_number(h, part->multiplicity);
        for (size_t j = 0; j < 4; j++) {
            h = mix_text(h, vecs[j]);
        }
    }
    return mix_text(mix_number(h, w->boxes.count), &w->boxes.bounds);
}

static uint64_t places_of(const void *subject)
{
    const zworld *w = subject;
    uint64_t h = 1;
    for (size_t i = 0; i < 3; i++) {
        h = mix_number(h, (uintptr_t)w->z[i].limbs);
    }
    return h;
}

static void reset_outputs(void *subject)
{
    static const uint64_t seven[] = {7};
    zworld *w = subject;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_zvec_set_limbs(&w->z[i], seven, 1, 1), GFP_OK);
    }
    gfp_zbipoly_clear(&w->of_plane);
    gfp_zsystem_clear(&w->system);
    gfp_zboxes_clear(&w->boxes);
    assert_int_equal(gfp_zbipoly_set_coeff(&w->of_plane, 0, &w->z[0]), GFP_OK);
    if (w->family == IN_PLACE || w->family == IN_PLACES) {
        assert_int_equal(gfp_zvec_set(&w->z[0], &w->in[RAGGED]), GFP_OK);
    }
    if (w->family == IN_PLACES) {
        assert_int_equal(gfp_zvec_set(&w->z[1], &w->in[RAGGED_B]), GFP_OK);
        assert_int_equal(gfp_zvec_set(&w->z[2], &w->in[RAGGED_B]), GFP_OK);
    }
}

/* ---- the world: scale 0 is the least one ---- */

static void set_and_free(gfp_zvec *to, zlab f)
{
    zlab_set(to, f);
    zlab_free(&f);
}

static void make_vectors(zworld *w, size_t scale, gfp_random *g)
{
    const size_t common = scale == 0 ? 12 : 16 * scale, own = scale == 0 ? 12 : 25 * scale;
    zlab f = zlab_random(common, scale == 0 ? 500 : 300, 1, g);
    zlab a = zlab_random(own, 250, 1, g), b = zlab_random(own, 250, 1, g);
    set_and_free(&w->in[A], zlab_product(f, a));
    set_and_free(&w->in[B], zlab_product(f, b));
    set_and_free(&w->in[G], zlab_random(scale == 0 ? 5 : 14, 200, 1, g));
    set_and_free(&w->in[SHORT], zlab_random(14, 60, 1, g));
    zlab_free(&f);
    zlab_free(&a);
    zlab_free(&b);
}

/* c X^degree + d. */
static void set_two(gfp_zvec *to, size_t degree, long c, long d)
{
    zlab f = zlab_new(degree + 1);
    mpz_set_si(f.c[degree], c);
    mpz_set_si(f.c[0], d);
    set_and_free(to, f);
}

/* to := c X^power (1 + X^2 + X^4 + ...), with `terms` terms. */
static void set_inflated(gfp_zvec *to, size_t terms, size_t power, long c)
{
    zlab f = zlab_new(power + 2 * terms - 1);
    for (size_t i = power; i < f.len; i += 2) {
        mpz_set_si(f.c[i], c);
    }
    set_and_free(to, f);
}

static void make_shapes(zworld *w)
{
    set_inflated(&w->in[INFLATED_A], 200, 3, 1);
    set_inflated(&w->in[INFLATED_B], 90, 0, 15);
    set_two(&w->in[BINOMIAL_A], 300, 5, -7);
    set_two(&w->in[BINOMIAL_1], 1, 3, -2);
    set_two(&w->in[BINOMIAL_20], 20, 3, -2);
}

/* Residues of fractions i / (i + 1) modulo a prime, 2^607 - 1. */
static void make_residues(zworld *w, size_t count)
{
    zlab m = zlab_new(1), a = zlab_new(count);
    mpz_ui_pow_ui(m.c[0], 2, 607);
    mpz_sub_ui(m.c[0], m.c[0], 1);
    for (size_t i = 0; i < a.len; i++) {
        mpz_set_ui(a.c[i], i + 1);
        assert_true(mpz_invert(a.c[i], a.c[i], m.c[0]) != 0);
        mpz_mul_ui(a.c[i], a.c[i], i + 2);
        mpz_mod(a.c[i], a.c[i], m.c[0]);
    }
    set_and_free(&w->in[MODULUS], m);
    set_and_free(&w->in[RESIDUES], a);
}

/* Polynomials x f and x h, or f h, of which f has a long coefficient. */
static void make_ragged(zworld *w, gfp_random *g)
{
    zlab f = zform_new(ONE_LONG, 300, 20000, g), h = zform_new(UNIFORM_LONG, 12, 40, g);
    zlab x = zform_new(UNIFORM_LONG, 7, 40, g);
    set_and_free(&w->in[RAGGED], zlab_product(f, x));
    set_and_free(&w->in[RAGGED_B], zlab_product(h, x));
    set_and_free(&w->in[RAGGED_C], zlab_product(h, f));
    assert_int_equal(w->in[RAGGED].width, 0);
    zlab_free(&f);
    zlab_free(&h);
    zlab_free(&x);
    set_and_free(&w->in[LONG_C], zform_new(ONE_LONG, 40, 300, g));
}

static void make_long(zworld *w, gfp_random *g)
{
    set_and_free(&w->in[MANY], zlab_random(3000, 60, 1, g));
    set_and_free(&w->in[PAIR], zlab_random(2, 60, 1, g));
    set_and_free(&w->in[LONG_A], zform_new(ROOT_LONG, 4000, 3000, g));
    set_and_free(&w->in[LONG_B], zform_new(LONG_RUN, 300, 30, g));
}

static void make_planes(zworld *w, size_t scale, gfp_random *g)
{
    const size_t degree = scale == 0 ? 3 : 8;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j <= degree; j++) {
            gfp_zvec row;
            gfp_zvec_init(&row, w->ring);
            set_and_free(&row, zlab_random(degree + 1 - j, 40, 1, g));
            assert_int_equal(gfp_zbipoly_set_coeff(&w->plane[i], j, &row), GFP_OK);
            gfp_zvec_clear(&row);
        }
    }
}

/* m := n^2 polynomials of `terms` terms each. */
static void make_matrix(gfp_zmatrix *m, size_t n, size_t terms, gfp_random *g, gfp_zring *over)
{
    assert_int_equal(gfp_zmatrix_set_zero(m, n), GFP_OK);
    for (size_t i = 0; i < n * n; i++) {
        gfp_zvec entry;
        gfp_zvec_init(&entry, over);
        set_and_free(&entry, zlab_random(terms, 60, 1, g));
        assert_int_equal(gfp_zmatrix_set_entry(m, i / n, i % n, &entry), GFP_OK);
        gfp_zvec_clear(&entry);
    }
}

static void make_operands(zworld *w, size_t scale)
{
    gfp_random g;
    gfp_random_seed(&g, 1120);
    switch (w->family) {
    case RECONSTRUCTION:
        make_residues(w, scale == 0 ? 3 : 40);
        return;
    case PLANES:
        make_planes(w, scale, &g);
        return;
    case MATRICES:
        make_matrix(&w->matrix, scale == 0 ? 5 : 12, 4, &g, w->ring);
        make_matrix(&w->integers, scale == 0 ? 5 : 24, 1, &g, w->ring);
        return;
    case SYSTEMS:
        make_planes(w, scale, &g);
        make_three_parts(&w->parts, w->ring);
        assert_int_equal(gfp_zsystem_solve(&w->solutions, &w->plane[0], &w->plane[1], NULL),
                         GFP_OK);
        return;
    case SHAPES:
        make_shapes(w);
        return;
    case LONG_SHAPES:
        make_long(w, &g);
        make_ragged(w, &g);
        return;
    case IN_PLACE:
    case IN_PLACES:
        make_ragged(w, &g);
        return;
    default:
        make_vectors(w, scale, &g);
    }
}

static void *make_world(const calls_row *row, const calls_problem *p,
                        const gfp_allocator *allocator, const gfp_options *o, gfp_status *status)
{
    zworld *w = calloc(1, sizeof *w);
    assert_non_null(w);
    (void)o;
    *status = gfp_zring_create(&w->ring, allocator, NULL);
    assert_int_equal(*status, GFP_OK);
    w->family = row->family;
    for (size_t i = 0; i < OPERANDS; i++) {
        gfp_zvec_init(&w->in[i], w->ring);
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_init(&w->z[i], w->ring);
    }
    gfp_zbipoly_init(&w->plane[0], w->ring);
    gfp_zbipoly_init(&w->plane[1], w->ring);
    gfp_zbipoly_init(&w->parts.f, w->ring);
    gfp_zbipoly_init(&w->parts.g, w->ring);
    gfp_zsystem_init(&w->parts.s, w->ring);
    gfp_zmatrix_init(&w->matrix, w->ring);
    gfp_zmatrix_init(&w->integers, w->ring);
    gfp_zsystem_init(&w->solutions, w->ring);
    gfp_zbipoly_init(&w->of_plane, w->ring);
    gfp_zsystem_init(&w->system, w->ring);
    gfp_zboxes_init(&w->boxes, w->ring);
    make_operands(w, p->n);
    return w;
}

static void clear_world(void *subject)
{
    zworld *w = subject;
    for (size_t i = 0; i < OPERANDS; i++) {
        gfp_zvec_clear(&w->in[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        gfp_zvec_clear(&w->z[i]);
    }
    gfp_zbipoly_clear(&w->plane[0]);
    gfp_zbipoly_clear(&w->plane[1]);
    gfp_zbipoly_clear(&w->parts.f);
    gfp_zbipoly_clear(&w->parts.g);
    gfp_zmatrix_clear(&w->matrix);
    gfp_zmatrix_clear(&w->integers);
    gfp_zsystem_clear(&w->solutions);
    gfp_zbipoly_clear(&w->of_plane);
    gfp_zsystem_clear(&w->system);
    gfp_zboxes_clear(&w->boxes);
    gfp_zring_destroy(w->ring);
    free(w);
}

/* A basis is made before its bytes are known; results are no part of a cap. */
static size_t bytes_apart(const calls_row *row, const calls_problem *p)
{
    (void)p;
    switch (row->family) {
    case RECONSTRUCTION:
        return 1024;
    case SHAPES:
        return 20000;
    case LONG_SHAPES:
    case IN_PLACE:
    case IN_PLACES:
        return 2 << 20;
    default:
        return 300 << 10;
    }
}

static unsigned traits_of(const calls_row *row, const calls_problem *p)
{
    (void)p;
    return row->traits;
}

static const calls_table table = {rows,          sizeof rows / sizeof *rows,
                                  make_world,    clear_world,
                                  reset_outputs, digest_of,
                                  places_of,     NULL,
                                  NULL,          bytes_apart,
                                  traits_of};

/* ---- families: all rows ---- */

static const calls_problem usual[] = {{NULL, 1, 0, 0}}, small[] = {{NULL, 0, 0, 0}};
static const calls_family watched = {
    "Z",          CALLS_ALL,           &table,       usual,       1,
    .rounds = 40, .every_check = true, .reports = 1, .threads = 2};
static const calls_family tight = {"Z", CALLS_ALL, &table, small, 1, .rounds = 48};

static void walk_usual(void **state)
{
    (void)state;
    calls_walk_rows(&(calls_walk){&watched, {NULL, 1, 0, 0}, {.threads = 1}, true, 3});
}

static void walk_two_threads(void **state)
{
    (void)state;
    calls_walk_rows(&(calls_walk){&watched, {NULL, 3, 0, 0}, {.threads = 2}, true, 3});
}

/* ---- time between reports ---- */

/* A host that measures in CPU time, and cancels after `limit` seconds. */
typedef struct watch_of_time {
    double start, last, gap, limit;
} watch_of_time;

static double cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool measure_gap(void *user, double fraction)
{
    watch_of_time *w = user;
    const double now = cpu_seconds();
    (void)fraction;
    w->gap = now - w->last > w->gap ? now - w->last : w->gap;
    w->last = now;
    return now - w->start < w->limit;
}

static void set_long(gfp_zvec *z, size_t len, size_t width, gfp_random *g)
{
    uint64_t *limbs = calloc(len * width, sizeof *limbs);
    assert_non_null(limbs);
    for (size_t i = 0; i < len * width; i++) {
        limbs[i] = gfp_random_u64(g) >> (i % width == width - 1 ? 1 : 0);
    }
    gfp_zvec_init(z, ring);
    assert_int_equal(gfp_zvec_set_limbs(z, limbs, len, width), GFP_OK);
    free(limbs);
}

/* Setups of long resultants; integers that GMP would multiply in one piece: long ones, a long and a
 * short one. Reports come in short intervals from the start on, and the answer no is obeyed then.
 * Portable kernels take longer than GMP, which multiplies long integers there. */
static const struct {
    zlab_call *run;
    size_t len_a, width_a, len_b, width_b;
    double limit; /* the call is cancelled after these seconds; 0: never */
    bool kernels; /* of a level above the portable one */
    const char *method;
    gfp_verify verify;
} long_calls[] = {
    {gfp_zvec_mul, 1, 1500000, 1, 1400000, 0, true, NULL, GFP_VERIFY_NONE},
    {gfp_zvec_mul, 1, 1500000, 1, 1400000, 0, true, NULL, GFP_VERIFY_POINT},
    {gfp_zvec_mul, 1, 4000000, 1, 3000, 0, false, NULL, GFP_VERIFY_POINT},
    {gfp_zvec_mul, 1, 2500000, 1, 60000, 0, false, NULL, GFP_VERIFY_NONE},
    {gfp_zvec_mul, 2, 1500000, 3, 20000, 0, false, "classical", GFP_VERIFY_POINT},
    {gfp_zvec_resultant, 2000, 30, 1900, 30, 1, false, NULL, GFP_VERIFY_NONE},
};

static void long_calls_report_soon(void **state)
{
    gfp_random g;
    gfp_zvec a, b, z;
    (void)state;
    if (EMULATED) {
        skip(); /* its times are the emulator's */
    }
    gfp_random_seed(&g, 32);
    assert_int_equal(zlab_setup(NULL), 0);
    for (size_t i = 0; LAB_ROW(long_calls, i); i++) {
        const double limit = long_calls[i].limit;
        watch_of_time w = {.limit = limit > 0 ? limit : 1e9};
        const gfp_progress progress = {measure_gap, &w};
        gfp_report report = {.points = 0};
        const gfp_options options = {.method = long_calls[i].method,
                                     .verify = long_calls[i].verify,
                                     .progress = &progress,
                                     .report = &report};
        if (long_calls[i].kernels && gfp_cpu_level_get() == GFP_LEVEL_PORTABLE) {
            continue;
        }
        set_long(&a, long_calls[i].len_a, long_calls[i].width_a, &g);
        set_long(&b, long_calls[i].len_b, long_calls[i].width_b, &g);
        gfp_zvec_init(&z, ring);
        w.start = w.last = cpu_seconds();
        const gfp_status status = long_calls[i].run(&z, &a, &b, &options);
        const double end = cpu_seconds(), total = end - w.start;
        assert_int_equal(status, limit > 0 ? GFP_ERR_CANCELLED : GFP_OK);
        const gfp_verify asked = long_calls[i].verify;
        const gfp_verify done = asked != GFP_VERIFY_DEFAULT ? asked : GFP_VERIFY_NONE;
        assert_int_equal(report.verified, limit > 0 ? GFP_VERIFY_DEFAULT : done);
        w.gap = end - w.last > w.gap ? end - w.last : w.gap;
        /* An image of a resultant takes half a second with sanitizers and portable kernels. */
        if (w.gap > (SANITIZED ? 1.5 : 0.3) && w.gap > 0.35 * total) {
            fail_msg("call %zu: %.2f s without a report, of %.2f", i, w.gap, total);
        }
        gfp_zvec_clear(&a);
        gfp_zvec_clear(&b);
        gfp_zvec_clear(&z);
    }
    assert_int_equal(zlab_teardown(NULL), 0);
}

static const calls_test tests[] = {
    {"watched", "cancelled at every step", calls_cancelled_at_every_step, &watched},
    {"watched", "long calls report soon", long_calls_report_soon, NULL},
    {"memory", "allocations that fail", calls_allocations_that_fail, &tight},
    {"memory", "caps", calls_caps_on_memory, &tight},
    {"walk", "one thread", walk_usual, NULL},
    {"walk", "two threads", walk_two_threads, NULL},
};

int main(int argc, char **argv)
{
    return calls_main(argc, argv, "all", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
