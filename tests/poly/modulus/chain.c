/* chain.c: a chain accepts right products modulo f, and finds each wrong one.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/chain.h"

#include <stdlib.h>

#include "lab/rows.h"
#include "lab/sanitized.h"
#include "poly/division/lab.h"

/* Products by one factor b: r_(i+1) = b r_i X^shift - q_i f, or with N > 0 times 1 / V, V = (1 -
 * X^N) / 2, and q_i the factor of f that is added. */
#define STEPS 5
typedef struct steps {
    parts p;
    size_t n, N, shift;
    uint64_t *r[STEPS + 1], *q[STEPS]; /* n and len_q elements each */
    size_t len_q;
} steps;

static uint64_t *copy_digits(const gfp_poly *a, size_t len)
{
    const size_t words = len * gfp_field_k(a->field);
    uint64_t *x = calloc(words, sizeof *x);
    assert_non_null(x);
    assert_true(a->len <= len);
    memcpy(x, a->digits, a->len * gfp_field_k(a->field) * sizeof *x);
    return x;
}

/* v, which is 0, := (1 - X^N) / 2. */
static void set_half(gfp_poly *v, size_t N)
{
    uint64_t half[GFP_MAX_K];
    gfp_elem_set_u64(v->field, half, 2);
    assert_int_equal(gfp_elem_inv(v->field, half, half), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff(v, 0, half), GFP_OK);
    gfp_elem_neg(v->field, half, half);
    assert_int_equal(gfp_poly_set_coeff(v, N, half), GFP_OK);
}

/* Turns the coefficients back: X times the result modulo X^N - 1 is q. */
static void turn_back(const gfp_field *field, uint64_t *q, size_t N)
{
    const size_t k = gfp_field_k(field);
    uint64_t first[GFP_MAX_K];
    gfp_elem_set(field, first, q);
    memmove(q, q + k, (N - 1) * k * sizeof *q);
    gfp_elem_set(field, q + (N - 1) * k, first);
}

/* Step i: the remainder is x, the product y. */
static void make_step(steps *w, size_t i, const gfp_poly *half, const gfp_poly *inverse)
{
    parts *p = &w->p;
    assert_int_equal(gfp_poly_mul(&p->y, &p->x, &p->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_shift_left(&p->y, &p->y, w->shift), GFP_OK);
    assert_int_equal(gfp_poly_divrem(&p->z, &p->x, &p->y, &p->f, NULL), GFP_OK);
    if (w->N > 0) {
        assert_int_equal(gfp_poly_mul_mod(&p->x, &p->x, inverse, p->M, NULL), GFP_OK);
        assert_int_equal(gfp_poly_mul(&p->z, &p->x, half, NULL), GFP_OK);
        assert_int_equal(gfp_poly_sub(&p->z, &p->z, &p->y), GFP_OK);
        assert_int_equal(gfp_poly_divexact(&p->z, &p->z, &p->f, NULL), GFP_OK);
    }
    w->r[i + 1] = copy_digits(&p->x, w->n);
    w->q[i] = copy_digits(&p->z, w->len_q);
    if (w->N > 0 && w->shift > 0) {
        turn_back(p->f.field, w->q[i], w->N);
    }
}

static void make_steps(steps *w, const gfp_field *field, size_t n, size_t N, size_t shift)
{
    gfp_poly half, inverse;
    *w = (steps){.n = n, .N = N, .shift = shift, .len_q = N > 0 ? N : n - 1 + shift};
    make_parts(&w->p, field, n, 7 * n + N + shift);
    make_modulus(&w->p, NULL);
    gfp_poly_init(&half, field);
    gfp_poly_init(&inverse, field);
    if (N > 0) {
        set_half(&half, N);
        assert_int_equal(gfp_poly_rem_mod(&inverse, &half, w->p.M, NULL), GFP_OK);
        assert_int_equal(gfp_poly_inv_mod(&inverse, &inverse, w->p.M, NULL), GFP_OK);
    }
    assert_int_equal(gfp_poly_set(&w->p.x, &w->p.a), GFP_OK);
    w->r[0] = copy_digits(&w->p.x, n);
    for (size_t i = 0; i < STEPS; i++) {
        make_step(w, i, &half, &inverse);
    }
    gfp_poly_clear(&half);
    gfp_poly_clear(&inverse);
}

static void clear_steps(steps *w)
{
    for (size_t i = 0; i < STEPS; i++) {
        free(w->r[i]);
        free(w->q[i]);
    }
    free(w->r[STEPS]);
    clear_parts(&w->p);
}

static gfp_status run_chain(gfp_operation_call *op, const steps *w, gfp_chain *chain)
{
    uint64_t *x[2], *b, *digits = copy_digits(&w->p.b, w->n);
    gfp_status status = GFP_OK;
    assert_int_equal(gfp_chain_array(op, chain, &b), GFP_OK);
    assert_int_equal(gfp_chain_array(op, chain, &x[0]), GFP_OK);
    assert_int_equal(gfp_chain_array(op, chain, &x[1]), GFP_OK);
    assert_int_equal(gfp_chain_enter(op, chain, b, digits, w->n), GFP_OK);
    assert_int_equal(gfp_chain_enter(op, chain, x[0], w->r[0], w->n), GFP_OK);
    for (size_t i = 0; i < STEPS && status == GFP_OK; i++) {
        const gfp_chain_link link = {chain, x[i % 2], b, x[(i + 1) % 2]};
        const gfp_chain_product p = {
            {w->r[i + 1], w->n}, {w->q[i], w->len_q}, w->shift, w->N > 0 && w->shift > 0};
        status = gfp_chain_add(op, &link, &p);
    }
    free(digits);
    return status == GFP_OK ? gfp_chain_end(op, chain) : status;
}

/* The status of a check of all steps, and its error. */
static gfp_status check_steps(const steps *w, uint64_t seed, gfp_error *error)
{
    gfp_operation_call op;
    gfp_chain chain;
    gfp_report report;
    bool begun;
    const gfp_options options = {
        .verify = GFP_VERIFY_POINT, .verify_seed = seed, .report = &report, .error = error};
    assert_int_equal(gfp_operation_begin(&op, "a chain", &options), GFP_OK);
    assert_int_equal(gfp_operation_start(&op, w->p.f.field, 1, STEPS), GFP_OK);
    assert_int_equal(gfp_chain_begin(&op, &chain, &begun, w->p.M, w->N), GFP_OK);
    assert_true(begun);
    const gfp_status status = gfp_operation_end(&op, run_chain(&op, w, &chain));
    assert_int_equal(report.points, 1);
    assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    return status;
}

/* Adds 1 to a coefficient, runs the check, and restores it. */
static void expect_wrong(const steps *w, uint64_t *x, uint64_t seed)
{
    uint64_t kept[GFP_MAX_K], one[GFP_MAX_K];
    const gfp_field *field = w->p.f.field;
    gfp_error error;
    gfp_elem_set(field, kept, x);
    gfp_elem_one(field, one);
    gfp_elem_add(field, x, x, one);
    assert_int_equal(check_steps(w, seed, &error), GFP_ERR_VERIFY);
    assert_true(error.index == GFP_NO_INDEX);
    gfp_elem_set(field, x, kept);
}

static void expect_not_canonical(const steps *w, uint64_t *x, size_t place)
{
    const uint64_t kept = *x;
    gfp_error error;
    *x = UINT64_MAX;
    assert_int_equal(check_steps(w, 3, &error), GFP_ERR_VERIFY);
    assert_int_equal(error.index, place);
    *x = kept;
}

static void check_chain(const gfp_field *field, size_t n, size_t N, size_t shift)
{
    const size_t k = gfp_field_k(field);
    gfp_error error;
    steps w;
    make_steps(&w, field, n, N, shift);
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_int_equal(check_steps(&w, seed, &error), GFP_OK);
    }
    for (size_t i = 0; i < STEPS; i++) {
        const size_t places[] = {0, n / 2, n - 1};
        for (size_t j = 0; j < 3; j++) {
            expect_wrong(&w, w.r[i + 1] + places[j] * k, i + 1);
        }
        expect_wrong(&w, w.q[i], i + 1);
        expect_wrong(&w, w.q[i] + (w.len_q - 1) * k, i + 1);
    }
    expect_not_canonical(&w, w.r[STEPS] + (n / 2) * k, n / 2);
    expect_not_canonical(&w, w.q[0] + (w.len_q - 1) * k, w.len_q - 1);
    clear_steps(&w);
}

static void chains_find_wrong_products(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "p128"};
    static const size_t degrees[] = {2, 3, 8, 17, 64, 150, 600};
    (void)state;
    for (size_t f = 0; LAB_ROW(names, f); f++) {
        const gfp_field *field = lab_named(names[f])->field;
        const size_t most = gfp_field_k(field) > 8 || SANITIZED ? 4 : 7;
        for (size_t i = 0; i < most; i++) {
            const size_t n = degrees[i];
            check_chain(field, n, 0, i % 2);
            check_chain(field, n, n + n / 3, 0);
            check_chain(field, n, n + i % 2, 1);
        }
    }
}

/* Without points, in fields without residues and beyond a cap there is no chain. */
static void chains_that_do_not_serve(void **state)
{
    static const struct {
        const char *field;
        gfp_options options;
    } rows[] = {{"p8", {.verify = GFP_VERIFY_NONE}},
                {"p8", {.verify = GFP_VERIFY_CROSS}},
                {"2^16+1", {.verify = GFP_VERIFY_POINT}},
                {"p8", {.verify = GFP_VERIFY_POINT, .memory_cap = 1000}}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        gfp_operation_call op;
        gfp_chain chain;
        bool begun = true;
        parts p;
        make_parts(&p, lab_named(rows[i].field)->field, 40, i);
        make_modulus(&p, NULL);
        assert_int_equal(gfp_operation_begin(&op, "a chain", &rows[i].options), GFP_OK);
        assert_int_equal(gfp_operation_start(&op, p.f.field, 1, 1), GFP_OK);
        assert_int_equal(gfp_chain_begin(&op, &chain, &begun, p.M, 0), GFP_OK);
        assert_false(begun);
        assert_int_equal(gfp_operation_end(&op, GFP_OK), GFP_OK);
        clear_parts(&p);
    }
}

/* Without products nothing is checked or reported; the time of the beginning is that of checks. */
static void chains_without_products_report_nothing(void **state)
{
    gfp_operation_call op;
    gfp_chain chain;
    gfp_report report;
    bool begun = false;
    parts p;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report};
    (void)state;
    make_parts(&p, lab_named("p8")->field, 40, 1);
    make_modulus(&p, NULL);
    assert_int_equal(gfp_operation_begin(&op, "a chain", &options), GFP_OK);
    assert_int_equal(gfp_operation_start(&op, p.f.field, 1, 1), GFP_OK);
    assert_int_equal(gfp_chain_begin(&op, &chain, &begun, p.M, 0), GFP_OK);
    assert_true(begun);
    assert_int_equal(gfp_chain_end(&op, &chain), GFP_OK);
    assert_int_equal(gfp_operation_end(&op, GFP_OK), GFP_OK);
    assert_int_equal(report.verified, GFP_VERIFY_NONE);
    assert_int_equal(report.points, 0);
    assert_true(report.verify_ns > 0);
    clear_parts(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_find_wrong_products),
        cmocka_unit_test(chains_that_do_not_serve),
        cmocka_unit_test(chains_without_products_report_nothing),
    };
    return cmocka_run_group_tests(tests, lab_setup_toolkit, lab_teardown);
}
