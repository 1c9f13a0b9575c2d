/* operands.h: what the calls modulo p of calls.c are called on: operands, objects, outputs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LIBRARY_OPERANDS_H
#define TESTS_LIBRARY_OPERANDS_H

#include "poly/factor/lab.h"
#include "poly/files/lab.h"

#include "gfpoly.h"
#include "lab/calls.h"
#include "poly/modulus/multiplier.h"

/* Families of calls, which need the same objects. */
enum {
    PRODUCT,
    TRANSFORM,
    OPERAND,
    DIVISION,
    COMPOSE,
    EUCLID,
    SERIES,
    POINTS,
    MODULI,
    FACTOR,
    FILES
};

/* ---- operands and outputs ---- */

enum { FEW = 4, OUTPUTS = 7, IN_PLACE = 6 };

/* A, B, ONE, ZERO: n terms, ONE a series that begins with 1, ZERO one with X; SHORTER: 3 n / 4;
 * C = A SHORTER; F: degree n; TWICE, LONGER, SEVERAL: 2 n, 2 n + 5 and 6 n terms; MULTIPLE = F A;
 * THREE = F SHORTER; SMALL: n / 8 + 2 terms. SPLIT: with roots and factors of degree 2 and 3, some
 * multiple; FLAT: the same without multiple ones; PAIRS: with factors of degree 2. */
enum {
    A,
    B,
    SHORTER,
    C,
    F,
    TWICE,
    LONGER,
    SEVERAL,
    MULTIPLE,
    THREE,
    ONE,
    ZERO,
    SMALL,
    X,
    SPLIT,
    FLAT,
    PAIRS,
    INPUTS
};

typedef struct world {
    gfp_field *field;
    size_t n, points, words; /* words: of w */
    gfp_poly in[INPUTS], moduli[FEW];
    uint64_t *v, *points_at, *marks;
    uint64_t start[GFP_MAX_K], ratio[GFP_MAX_K], seven[GFP_MAX_K];
    size_t degree; /* of a polynomial that is drawn */
    gfp_modulus *M;
    gfp_compose_argument *A;
    gfp_tree *T;
    gfp_space *space;
    gfp_operand *x, *y, *product;
    gfp_fft_plan *plan;
    gfp_file *file;
    int family;
    /* the outputs */
    gfp_poly z[OUTPUTS]; /* the last one is A before a call */
    uint64_t *w;
    bool yes;
    size_t len[FEW];
    gfp_factors factors;
    gfp_roots roots;
    gfp_operand *transform;
} world;

/* ---- outputs ---- */

static uint64_t mix_words(uint64_t h, const uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ x[i]) * 0x9e3779b97f4a7c15;
        h ^= h >> 29;
    }
    return h;
}

static uint64_t mix_number(uint64_t h, uint64_t x)
{
    return mix_words(h, &x, 1);
}

static uint64_t mix_poly(uint64_t h, const gfp_poly *a)
{
    return mix_words(mix_number(h, a->len), a->digits, a->len * gfp_field_k(a->field));
}

static uint64_t digest_of(const void *subject)
{
    const world *w = subject;
    const size_t k = gfp_field_k(w->field);
    uint64_t h = 1;
    for (size_t i = 0; i < OUTPUTS; i++) {
        h = mix_poly(h, &w->z[i]);
    }
    h = mix_number(mix_words(h, w->w, w->words), w->yes);
    for (size_t i = 0; i < FEW; i++) {
        h = mix_number(h, w->len[i]);
    }
    h = mix_words(h, w->factors.leading, k);
    for (size_t i = 0; i < w->factors.count; i++) {
        h = mix_number(mix_poly(h, &w->factors.factor[i].poly), w->factors.factor[i].exponent);
    }
    h = mix_words(h, w->roots.root, w->roots.count * k);
    for (size_t i = 0; i < w->roots.count; i++) {
        h = mix_number(h, w->roots.multiplicity[i]);
    }
    if (w->transform != NULL) {
        gfp_poly transform;
        gfp_poly_init(&transform, w->field);
        assert_int_equal(gfp_poly_from_operand(&transform, 0, SIZE_MAX, w->transform, NULL),
                         GFP_OK);
        h = mix_poly(h, &transform);
        gfp_poly_clear(&transform);
    }
    return h;
}

static uint64_t places_of(const void *subject)
{
    const world *w = subject;
    uint64_t h = 1;
    for (size_t i = 0; i < OUTPUTS; i++) {
        h = mix_number(h, (uintptr_t)w->z[i].digits);
    }
    return mix_number(mix_number(h, (uintptr_t)w->factors.factor), (uintptr_t)w->roots.root);
}

/* Values that no call here has as its result. */
static void reset_outputs(void *subject)
{
    world *w = subject;
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (w->family == PRODUCT) { /* no room for results */
            gfp_poly_clear(&w->z[i]);
        }
        lab_mark(&w->z[i]);
    }
    assert_int_equal(gfp_poly_set(&w->z[IN_PLACE], &w->in[A]), GFP_OK);
    gfp_vec_set(w->field, w->w, w->marks, w->words / gfp_field_k(w->field));
    memset(w->len, 0x33, sizeof w->len);
    w->yes = true;
    if (w->family == FACTOR) {
        gfp_poly quadratic;
        gfp_poly_init(&quadratic, w->field);
        assert_int_equal(gfp_poly_set_coeff_u64(&quadratic, 2, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&quadratic, 1, 1), GFP_OK);
        assert_int_equal(gfp_poly_factor(&w->factors, &quadratic, NULL), GFP_OK);
        assert_int_equal(gfp_poly_roots(&w->roots, &quadratic, NULL), GFP_OK);
        gfp_poly_clear(&quadratic);
    }
    if (w->transform != NULL) {
        assert_int_equal(gfp_poly_to_operand(w->transform, &w->in[SMALL], NULL), GFP_OK);
    }
}

/* ---- the world ---- */

/* Inputs of these terms are drawn in this order: series begin with A. */
static void make_polynomials(world *w, gfp_random *g)
{
    const size_t n = w->n;
    const struct {
        int which;
        size_t terms;
    } drawn[] = {{F, n + 1},
                 {A, n},
                 {B, n},
                 {TWICE, 2 * n},
                 {SEVERAL, 6 * n},
                 {SHORTER, 3 * n / 4},
                 {LONGER, 2 * n + 5},
                 {SMALL, n / 8 + 2}};
    for (size_t i = w->family == SERIES; i < sizeof drawn / sizeof *drawn; i++) {
        random_poly(&w->in[drawn[i].which], drawn[i].terms, g);
    }
    if (gfp_elem_is_zero(w->field, w->in[A].digits)) {
        assert_int_equal(gfp_poly_set_coeff_u64(&w->in[A], 0, 1), GFP_OK);
    }
    assert_int_equal(gfp_poly_set_coeff_u64(&w->in[X], 1, 1), GFP_OK);
    if (w->family == SERIES) {
        assert_int_equal(gfp_poly_set(&w->in[ONE], &w->in[A]), GFP_OK);
        assert_int_equal(gfp_poly_set(&w->in[ZERO], &w->in[A]), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&w->in[ONE], 0, 1), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&w->in[ZERO], 0, 0), GFP_OK);
        return;
    }
    if (w->family == PRODUCT || w->family == EUCLID) {
        assert_int_equal(gfp_poly_mul(&w->in[C], &w->in[A], &w->in[SHORTER], NULL), GFP_OK);
    }
    if (w->family == DIVISION || w->family == EUCLID) {
        assert_int_equal(gfp_poly_mul(&w->in[MULTIPLE], &w->in[F], &w->in[A], NULL), GFP_OK);
    }
    if (w->family == EUCLID) {
        assert_int_equal(gfp_poly_mul(&w->in[THREE], &w->in[F], &w->in[SHORTER], NULL), GFP_OK);
    }
}

/* The points differ, if the field has n elements. */
static void make_vectors(world *w, gfp_random *g)
{
    const size_t k = gfp_field_k(w->field), n = 2 * (w->n > w->points ? w->n : w->points) + 32;
    w->words = 2 * n * k;
    w->v = calloc(n * k, sizeof *w->v);
    w->points_at = calloc(n * k, sizeof *w->v);
    w->marks = calloc(w->words, sizeof *w->w);
    w->w = calloc(w->words, sizeof *w->w);
    assert_true(w->v != NULL && w->points_at != NULL && w->marks != NULL && w->w != NULL);
    gfp_vec_random(w->field, w->v, n, g);
    gfp_vec_random(w->field, w->points_at, n, g);
    gfp_vec_random(w->field, w->marks, 2 * n, g);
    for (size_t i = 0; gfp_field_bits(w->field) <= 40 && i < n; i++) {
        gfp_elem_set_u64(w->field, w->points_at + i * k, 7 * i + 9);
    }
    gfp_elem_set_u64(w->field, w->start, 2);
    gfp_elem_set_u64(w->field, w->ratio, 3);
    gfp_elem_set_u64(w->field, w->seven, 7);
}

/* Powers of different linear polynomials, of the degrees n, 1, 5 and 1, times 3. */
static void make_moduli(world *w)
{
    const size_t degree[FEW] = {w->n, 1, 5, 1};
    uint64_t x[GFP_MAX_K];
    for (uint64_t i = 0; i < FEW; i++) {
        gfp_elem_set_u64(w->field, x, i + 1);
        assert_int_equal(gfp_poly_set_coeff_u64(&w->moduli[i], 0, 3), GFP_OK);
        times_root(&w->moduli[i], x, degree[i]);
    }
}

static void make_factors(world *w, bool is_long, gfp_random *random)
{
    gfp_poly g;
    gfp_poly_init(&g, w->field);
    w->degree = is_long ? 12 : 3;
    make_split(&w->in[SPLIT], 3, 1, random);
    make_split(&w->in[FLAT], 2, 0, random);
    assert_int_equal(gfp_poly_one(&w->in[PAIRS]), GFP_OK);
    for (size_t i = 0; i < (is_long ? 9 : 3); i++) {
        assert_int_equal(gfp_poly_random_irreducible(&g, i == 2 ? 3 : 2, random, NULL), GFP_OK);
        times_power(&w->in[SPLIT], &g, i < 3 ? 1 + i % 2 : 0);
        times_power(&w->in[FLAT], &g, i < 3);
        times_power(&w->in[PAIRS], &g, i != 2);
    }
    if (is_long) {
        random_poly(&g, 24, random);
        times_power(&w->in[SPLIT], &g, 1);
        times_power(&w->in[FLAT], &g, 1);
    }
    gfp_poly_clear(&g);
}

static gfp_status make_operands(world *w, gfp_wrap wrap, const gfp_options *o)
{
    const gfp_space_spec spec = {.length = 2 * w->n, .terms = 2, .wrap = wrap};
    gfp_operand **const all[] = {&w->x, &w->y, &w->product, &w->transform};
    gfp_status status = gfp_space_create(&w->space, w->field, &spec, o);
    for (size_t i = 0; i < 4 && status == GFP_OK; i++) {
        assert_int_equal(gfp_operand_create(all[i], w->space), GFP_OK);
    }
    if (status == GFP_OK) {
        assert_int_equal(gfp_poly_to_operand(w->x, &w->in[A], NULL), GFP_OK);
        assert_int_equal(gfp_poly_to_operand(w->y, &w->in[B], NULL), GFP_OK);
        assert_int_equal(gfp_poly_to_operand(w->product, &w->in[SMALL], NULL), GFP_OK);
        assert_int_equal(gfp_operand_arith(w->product, w->product,
                                           wrap == GFP_WRAP_CYCLIC ? w->x : w->product,
                                           GFP_OPERAND_MUL),
                         GFP_OK);
    }
    return status;
}

static gfp_status make_objects(world *w, const calls_problem *p, const gfp_options *o)
{
    gfp_status status = GFP_OK;
    switch (w->family) {
    case TRANSFORM:
        return gfp_fft_plan_create(&w->plan, w->field, w->points, NULL);
    case OPERAND:
        return make_operands(w, p->is_long ? GFP_WRAP_CYCLIC : GFP_WRAP_LINEAR, o);
    case POINTS: /* the tree with its weights */
        status = gfp_tree_create(&w->T, w->field, w->points_at, w->n, o);
        return status == GFP_OK ? gfp_tree_interpolate(&w->z[0], w->v, w->T, o) : status;
    case FILES:
        assert_int_equal(gfp_file_create(&w->file, "input", w->field, w->points, NULL), GFP_OK);
        gfp_vec_set(w->field, gfp_file_digits_mutable(w->file), w->v, w->points);
        return gfp_file_commit(w->file, NULL);
    case DIVISION:
    case COMPOSE:
    case EUCLID:
    case MODULI:
        status = gfp_modulus_create(&w->M, &w->in[F], o);
        break;
    default:
        return GFP_OK;
    }
    if (status == GFP_OK && w->family == COMPOSE) {
        assert_int_equal(gfp_compose_argument_create(&w->A, &w->in[B], w->M, 1, o), GFP_OK);
    }
    return status;
}

static void *make_world(const calls_row *row, const calls_problem *p,
                        const gfp_allocator *allocator, const gfp_options *o, gfp_status *status)
{
    gfp_random g;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    gfp_random_seed(&g, 9);
    w->n = p->n;
    w->points = p->points > 0 ? p->points : 0;
    w->family = row->family;
    assert_int_equal(gfp_field_create(&w->field, p->field, allocator, NULL), GFP_OK);
    for (size_t i = 0; i < INPUTS; i++) {
        gfp_poly_init(&w->in[i], w->field);
    }
    for (size_t i = 0; i < FEW; i++) {
        gfp_poly_init(&w->moduli[i], w->field);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        gfp_poly_init(&w->z[i], w->field);
        if (w->family != PRODUCT && w->family != FACTOR) {
            assert_int_equal(gfp_poly_fit_length(&w->z[i], 6 * w->n), GFP_OK);
        }
    }
    gfp_factors_init(&w->factors, w->field);
    gfp_roots_init(&w->roots, w->field);
    make_polynomials(w, &g);
    make_vectors(w, &g);
    if (w->family == MODULI) {
        make_moduli(w);
    } else if (w->family == FACTOR) {
        make_factors(w, p->is_long, &g);
    }
    *status = make_objects(w, p, o);
    return w;
}

static void clear_world(void *subject)
{
    world *w = subject;
    gfp_file_close(w->file);
    gfp_fft_plan_destroy(w->plan);
    gfp_operand_destroy(w->transform);
    gfp_operand_destroy(w->product);
    gfp_operand_destroy(w->y);
    gfp_operand_destroy(w->x);
    gfp_space_destroy(w->space);
    gfp_tree_destroy(w->T);
    gfp_compose_argument_destroy(w->A);
    gfp_modulus_destroy(w->M);
    gfp_roots_clear(&w->roots);
    gfp_factors_clear(&w->factors);
    for (size_t i = 0; i < INPUTS; i++) {
        gfp_poly_clear(&w->in[i]);
    }
    for (size_t i = 0; i < FEW; i++) {
        gfp_poly_clear(&w->moduli[i]);
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        gfp_poly_clear(&w->z[i]);
    }
    uint64_t *const arrays[] = {w->v, w->points_at, w->marks, w->w};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    gfp_field_destroy(w->field);
    free(w);
}

static void release_memory(void *subject)
{
    gfp_field_release_memory(((world *)subject)->field);
}

static void keep_nothing(void *subject)
{
    gfp_field_limit_memory(((world *)subject)->field, 0);
}

#endif
