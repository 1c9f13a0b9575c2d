/* bench/peers/operations.c: see operations.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bench/modular/inputs.h"
#include "bench/peers/operations.h"

size_t length_for(length l, size_t n)
{
    return l.times * n + (size_t)l.plus;
}

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
    return gfp_poly_rem(&w->c, &w->a, &w->b, o);
}

static gfp_status run_rem_fixed(problem *w, const gfp_options *o)
{
    return gfp_poly_rem_mod(&w->c, &w->a, w->modulus, o);
}

static gfp_status run_mulmod(problem *w, const gfp_options *o)
{
    return gfp_poly_mul_mod(&w->c, &w->a, &w->b, w->modulus, o);
}

static gfp_status run_sqrmod(problem *w, const gfp_options *o)
{
    return gfp_poly_mul_mod(&w->c, &w->a, &w->a, w->modulus, o);
}

static gfp_status run_powmod(problem *w, const gfp_options *o)
{
    const gfp_status status = gfp_poly_set_coeff_u64(&w->d, 1, 1);
    return status == GFP_OK ? gfp_poly_pow_mod(&w->c, &w->d, gfp_field_modulus_limbs(w->field),
                                               gfp_field_limbs(w->field), w->modulus, o)
                            : status;
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
    return gfp_poly_product_roots(&w->c, w->a.digits, w->n, o);
}

static gfp_status run_evaluate(problem *w, const gfp_options *o)
{
    gfp_status status = gfp_poly_fit_length(&w->c, w->n);
    if (status == GFP_OK) {
        status = gfp_poly_eval_vec(w->c.digits, &w->a, w->b.digits, w->n, o);
    }
    return status == GFP_OK ? gfp_poly_set_length(&w->c, w->n) : status;
}

static gfp_status run_evaluate_kept(problem *w, const gfp_options *o)
{
    gfp_status status = gfp_poly_fit_length(&w->c, w->n);
    if (status == GFP_OK) {
        status = gfp_tree_eval(w->c.digits, &w->a, w->tree, o);
    }
    return status == GFP_OK ? gfp_poly_set_length(&w->c, w->n) : status;
}

static gfp_status run_interpolate(problem *w, const gfp_options *o)
{
    return gfp_poly_interpolate(&w->c, w->a.digits, w->b.digits, w->n, o);
}

static gfp_status run_interpolate_kept(problem *w, const gfp_options *o)
{
    return gfp_tree_interpolate(&w->c, w->b.digits, w->tree, o);
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

/* c := the sum of the squares of the factors that `find` finds in a. */
static gfp_status add_squares(problem *w, const gfp_options *o,
                              gfp_status (*find)(gfp_factors *, const gfp_poly *,
                                                 const gfp_options *))
{
    gfp_factors factors;
    gfp_factors_init(&factors, w->field);
    gfp_status status = find(&factors, &w->a, o);
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

static gfp_status run_distinct_degree(problem *w, const gfp_options *o)
{
    return add_squares(w, o, gfp_poly_factor_distinct_deg);
}

static gfp_status run_factor(problem *w, const gfp_options *o)
{
    return add_squares(w, o, gfp_poly_factor);
}

const operation operations[] = {
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
    {"rem", "remainder, 2n by n terms", PEER_REM, {2, 0}, {1, 0}, {0, 0}, {1, 0}, run_rem},
    {"rem-fixed",
     "remainder of 2n terms by a prepared f",
     PEER_REM_FIXED,
     {2, 0},
     {0, 0},
     {1, 1},
     {1, 0},
     run_rem_fixed},
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
    {"multieval-kept",
     "values of n terms at n points, tree kept",
     PEER_EVALUATE_KEPT,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_evaluate_kept},
    {"interp",
     "interpolation at n points",
     PEER_INTERPOLATE,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_interpolate},
    {"interp-kept",
     "interpolation at n points, tree kept",
     PEER_INTERPOLATE_KEPT,
     {1, 0},
     {1, 0},
     {0, 0},
     {1, 0},
     run_interpolate_kept},
    {"compose",
     "a(b) modulo f of degree n",
     PEER_COMPOSE,
     {1, 0},
     {1, 0},
     {1, 1},
     {1, 0},
     run_compose},
    {"distinct-degree",
     "products of the factors of each degree, degree n",
     PEER_DISTINCT_DEGREE,
     {1, 1},
     {0, 0},
     {0, 0},
     {2, 1},
     run_distinct_degree},
    {"factor",
     "factors of a polynomial of degree n",
     PEER_FACTOR,
     {1, 1},
     {0, 0},
     {0, 0},
     {2, 1},
     run_factor},
};
const size_t operation_count = sizeof(operations) / sizeof(operations[0]);

static gfp_status run_over_z(problem *w, const gfp_options *o)
{
    const zoperation asked = (zoperation)(w->operation->code - PEER_Z_MUL);
    return run_operation(asked, &w->zc, &w->za, &w->zb, o);
}

const operation z_operations[] = {
    {.name = "mul", .what = "product", .code = PEER_Z_MUL, .run = run_over_z},
    {.name = "gcd", .what = "gcd", .code = PEER_Z_GCD, .run = run_over_z},
    {.name = "resultant", .what = "resultant", .code = PEER_Z_RESULTANT, .run = run_over_z},
};
const size_t z_operation_count = sizeof(z_operations) / sizeof(z_operations[0]);

bool operation_named(const operation *o, const char *name)
{
    static const peer_operation tour[] = {
        PEER_MUL,    PEER_REM, PEER_REM_FIXED, PEER_GCD, PEER_POWMOD, PEER_DISTINCT_DEGREE,
        PEER_FACTOR,
    };

    if (strcmp(name, "tour") == 0) {
        for (size_t i = 0; i < sizeof(tour) / sizeof(tour[0]); i++) {
            if (o->code == tour[i]) {
                return true;
            }
        }
        return false;
    }
    return strcmp(name, o->name) == 0 || strcmp(name, "all") == 0;
}

/* ---- operands ---- */

/* a := len random coefficients, the first and the last one not 0. */
static bool operations_draw(gfp_poly *a, size_t len, gfp_random *g)
{
    do {
        if (gfp_poly_random(a, len, g) != GFP_OK) {
            return false;
        }
    } while (len > 0 && (a->len < len || gfp_elem_is_zero(a->field, a->digits)));
    return true;
}

/* a := the next len numbers x of Shoup's sequence, the leading coefficient first. */
static bool continue_shoup(gfp_poly *a, size_t len, uint64_t *x)
{
    uint64_t one[GFP_MAX_K];

    gfp_elem_set_u64(a->field, one, 1);
    for (size_t i = len; i-- > 0;) {
        if (gfp_poly_set_coeff(a, i, x) != GFP_OK) {
            return false;
        }
        gfp_elem_sqr(a->field, x, x);
        gfp_elem_add(a->field, x, x, one);
    }
    return a->len == len;
}

static bool fill_shoup(problem *w, size_t len_a, size_t len_b, size_t len_f)
{
    uint64_t x[GFP_MAX_K];

    gfp_elem_set_u64(w->field, x, 1);
    return continue_shoup(&w->f, len_f, x) && continue_shoup(&w->a, len_a, x) &&
           continue_shoup(&w->b, len_b, x);
}

static bool draw_all(problem *w, size_t len_a, size_t len_b, size_t len_f, uint64_t seed)
{
    gfp_random g;

    gfp_random_seed(&g, seed);
    return operations_draw(&w->a, len_a, &g) && operations_draw(&w->b, len_b, &g) &&
           operations_draw(&w->f, len_f, &g);
}

static gfp_status operations_prepare(problem *w)
{
    const gfp_options options = {.verify = GFP_VERIFY_NONE, .error = &w->error};

    switch (w->operation->code) {
    case PEER_REM_FIXED:
    case PEER_MULMOD:
    case PEER_SQRMOD:
    case PEER_POWMOD:
        return gfp_modulus_create(&w->modulus, &w->f, &options);
    case PEER_EVALUATE_KEPT:
        return gfp_tree_create(&w->tree, w->field, w->b.digits, w->n, &options);
    case PEER_INTERPOLATE_KEPT:
        return gfp_tree_create(&w->tree, w->field, w->a.digits, w->n, &options);
    default:
        return GFP_OK;
    }
}

bool problem_init(problem *w, const operation *o, const gfp_field *field, size_t n,
                  const operands *how)
{
    const size_t len_a = length_for(o->a, n), len_b = length_for(o->b, n);
    const size_t len_f = length_for(o->f, n);
    const char *name = gfp_field_name(field);

    *w = (problem){.operation = o, .field = field, .n = n};
    w->options.error = &w->error;
    w->options.verify = GFP_VERIFY_NONE;
    gfp_poly_init(&w->a, field);
    gfp_poly_init(&w->b, field);
    gfp_poly_init(&w->f, field);
    gfp_poly_init(&w->c, field);
    gfp_poly_init(&w->d, field);
    gfp_poly_init(&w->e, field);
    const bool filled = how->shoup ? fill_shoup(w, len_a, len_b, len_f)
                                   : draw_all(w, len_a, len_b, len_f, how->seed);
    if (!filled) {
        problem_clear(w);
        return complain("%s, %s of length %zu: no memory, or a leading coefficient of 0", name,
                        o->name, n);
    }
    if (operations_prepare(w) != GFP_OK) {
        complain("%s, %s of length %zu: %s", name, o->name, n, w->error.message);
        problem_clear(w);
        return false;
    }
    return true;
}

bool problem_init_z(problem *w, const operation *o, gfp_zring *ring, size_t n, size_t bits,
                    const operands *how)
{
    gfp_random g;

    *w = (problem){.operation = o, .n = n, .bits = bits};
    w->options.error = &w->error;
    w->options.verify = GFP_VERIFY_NONE;
    gfp_zvec_init(&w->za, ring);
    gfp_zvec_init(&w->zb, ring);
    gfp_zvec_init(&w->zc, ring);
    gfp_random_seed(&g, how->seed);
    draw_pair(&w->za, &w->zb, &w->zc, n - 1, bits, o->code == PEER_Z_GCD, &g);
    return true;
}

void problem_clear(problem *w)
{
    if (w->field == NULL) {
        gfp_zvec_clear(&w->za);
        gfp_zvec_clear(&w->zb);
        gfp_zvec_clear(&w->zc);
        return;
    }
    gfp_tree_destroy(w->tree);
    gfp_modulus_destroy(w->modulus);
    gfp_poly_clear(&w->a);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->f);
    gfp_poly_clear(&w->c);
    gfp_poly_clear(&w->d);
    gfp_poly_clear(&w->e);
}

bool problem_run(void *state)
{
    problem *w = state;

    return w->operation->run(w, &w->options) == GFP_OK;
}
