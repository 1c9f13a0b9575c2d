/* bench/peers/poly_flint.c: FLINT's fmpz_mod_poly for gfpoly_peers: of the FLINT that gfpoly is
 * linked with, or of another one in a module for --flint.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_mod_poly_factor.h>
#include <flint/fmpz_vec.h>

#include "bench/peers/peer.h"
#include "bench/peers/speed.h"

typedef struct work {
    peer_operation operation;
    size_t limbs, n;
    fmpz_t p, element;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a, b, f, inverse; /* of the reversed f */
    fmpz_mod_poly_t c, d, e;
    fmpz *points, *values; /* n each */
    fmpz_mod_poly_factor_t factors;
} work;

static void poly_flint_set(const work *w, fmpz_mod_poly_t poly, const uint64_t *x, size_t len)
{
    fmpz_t value;

    fmpz_init(value);
    fmpz_mod_poly_init(poly, w->ctx);
    for (size_t i = len; i-- > 0;) {
        fmpz_set_ui_array(value, x + i * w->limbs, (slong)w->limbs);
        fmpz_mod_poly_set_coeff_fmpz(poly, (slong)i, value, w->ctx);
    }
    fmpz_clear(value);
}

/* x := the integers of an array, zeros beyond them. */
static void set_vector(const work *w, fmpz *x, const uint64_t *integers, size_t len)
{
    for (size_t i = 0; i < w->n && i < len; i++) {
        fmpz_set_ui_array(x + i, integers + i * w->limbs, (slong)w->limbs);
    }
}

static bool poly_flint_serves(const peer_problem *problem)
{
    switch (problem->operation) {
    case PEER_EVALUATE_KEPT:
    case PEER_INTERPOLATE:
    case PEER_INTERPOLATE_KEPT:
        return false;
    default:
        return true;
    }
}

static void *poly_flint_start(const peer_problem *problem)
{
    work *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        return NULL;
    }
    w->operation = problem->operation;
    w->limbs = problem->limbs;
    w->n = problem->n;
    fmpz_init(w->p);
    fmpz_init(w->element);
    fmpz_set_ui_array(w->p, problem->p, (slong)problem->limbs);
    fmpz_mod_ctx_init(w->ctx, w->p);
    poly_flint_set(w, w->a, problem->a, problem->len_a);
    poly_flint_set(w, w->b, problem->b, problem->len_b);
    poly_flint_set(w, w->f, problem->f, problem->len_f);
    fmpz_mod_poly_init(w->inverse, w->ctx);
    fmpz_mod_poly_init(w->c, w->ctx);
    fmpz_mod_poly_init(w->d, w->ctx);
    fmpz_mod_poly_init(w->e, w->ctx);
    fmpz_mod_poly_factor_init(w->factors, w->ctx);
    if (peer_is_prepared(w->operation)) {
        fmpz_mod_poly_reverse(w->inverse, w->f, (slong)problem->len_f, w->ctx);
        fmpz_mod_poly_inv_series(w->inverse, w->inverse, (slong)problem->len_f, w->ctx);
    }
    w->points = _fmpz_vec_init((slong)w->n);
    w->values = _fmpz_vec_init((slong)w->n);
    const bool roots = w->operation == PEER_FROM_ROOTS;
    set_vector(w, w->points, roots ? problem->a : problem->b,
               roots ? problem->len_a : problem->len_b);
    return w;
}

/* The polynomial has to be monic. */
static bool distinct_degree(work *w)
{
    slong *degrees = malloc((w->n + 1) * sizeof(*degrees));

    if (degrees == NULL) {
        return false;
    }
    fmpz_mod_poly_make_monic(w->d, w->a, w->ctx);
    w->factors->num = 0;
    fmpz_mod_poly_factor_distinct_deg(w->factors, w->d, &degrees, w->ctx);
    free(degrees);
    return true;
}

/* Operations modulo the fixed polynomial f. */
static void run_prepared(work *w)
{
    switch (w->operation) {
    case PEER_REM_FIXED:
        fmpz_mod_poly_divrem_newton_n_preinv(w->d, w->c, w->a, w->f, w->inverse, w->ctx);
        break;
    case PEER_MULMOD:
        fmpz_mod_poly_mulmod_preinv(w->c, w->a, w->b, w->f, w->inverse, w->ctx);
        break;
    case PEER_SQRMOD:
        fmpz_mod_poly_mulmod_preinv(w->c, w->a, w->a, w->f, w->inverse, w->ctx);
        break;
    default:
        fmpz_mod_poly_powmod_x_fmpz_preinv(w->c, w->p, w->f, w->inverse, w->ctx);
        break;
    }
}

static bool poly_flint_run(void *state)
{
    work *w = state;
    const slong n = (slong)w->n;

    if (peer_is_prepared(w->operation)) {
        run_prepared(w);
        return true;
    }
    switch (w->operation) {
    case PEER_MUL:
        fmpz_mod_poly_mul(w->c, w->a, w->b, w->ctx);
        return true;
    case PEER_INVERSE:
        fmpz_mod_poly_inv_series(w->c, w->a, n, w->ctx);
        return true;
    case PEER_QUOTIENT:
        fmpz_mod_poly_div_series(w->c, w->a, w->b, n, w->ctx);
        return true;
    case PEER_DIVREM:
        fmpz_mod_poly_divrem(w->d, w->c, w->a, w->b, w->ctx);
        return true;
    case PEER_REM:
        fmpz_mod_poly_rem(w->c, w->a, w->b, w->ctx);
        return true;
    case PEER_GCD:
        fmpz_mod_poly_gcd(w->c, w->a, w->b, w->ctx);
        return true;
    case PEER_XGCD:
        fmpz_mod_poly_xgcd(w->d, w->c, w->e, w->a, w->b, w->ctx);
        return true;
    case PEER_RESULTANT:
        fmpz_mod_poly_resultant(w->element, w->a, w->b, w->ctx);
        return true;
    case PEER_FROM_ROOTS:
        fmpz_mod_poly_product_roots_fmpz_vec(w->c, w->points, n, w->ctx);
        return true;
    case PEER_EVALUATE:
        fmpz_mod_poly_evaluate_fmpz_vec_fast(w->values, w->a, w->points, n, w->ctx);
        return true;
    case PEER_COMPOSE:
        fmpz_mod_poly_compose_mod(w->c, w->a, w->b, w->f, w->ctx);
        return true;
    case PEER_DISTINCT_DEGREE:
        return distinct_degree(w);
    case PEER_FACTOR:
        fmpz_mod_poly_factor(w->factors, w->a, w->ctx);
        return true;
    case PEER_SQR:
        fmpz_mod_poly_sqr(w->c, w->a, w->ctx);
        return true;
    case PEER_MULLOW:
        fmpz_mod_poly_mullow(w->c, w->a, w->b, n, w->ctx);
        return true;
    default:
        return false;
    }
}

/* w->c := the sum of the squares of the factors. */
static void sum_up(work *w)
{
    fmpz_mod_poly_zero(w->c, w->ctx);
    for (slong i = 0; i < w->factors->num; i++) {
        fmpz_mod_poly_sqr(w->d, w->factors->poly + i, w->ctx);
        fmpz_mod_poly_add(w->c, w->c, w->d, w->ctx);
    }
}

static void poly_flint_get(const void *state, uint64_t *c, size_t n)
{
    work *w = (work *)state;
    fmpz_t value;

    if (peer_has_factors(w->operation)) {
        sum_up(w);
    }
    fmpz_init(value);
    memset(c, 0, n * w->limbs * sizeof(*c));
    for (size_t i = 0; i < n; i++) {
        if (w->operation == PEER_RESULTANT) {
            fmpz_set(value, w->element);
        } else if (w->operation == PEER_EVALUATE) {
            fmpz_set(value, w->values + i);
        } else {
            fmpz_mod_poly_get_coeff_fmpz(value, w->c, (slong)i, w->ctx);
        }
        fmpz_get_ui_array(c + i * w->limbs, (slong)w->limbs, value);
    }
    fmpz_clear(value);
}

static void poly_flint_finish(void *state)
{
    work *w = state;

    fmpz_mod_poly_clear(w->a, w->ctx);
    fmpz_mod_poly_clear(w->b, w->ctx);
    fmpz_mod_poly_clear(w->f, w->ctx);
    fmpz_mod_poly_clear(w->inverse, w->ctx);
    fmpz_mod_poly_clear(w->c, w->ctx);
    fmpz_mod_poly_clear(w->d, w->ctx);
    fmpz_mod_poly_clear(w->e, w->ctx);
    fmpz_mod_poly_factor_clear(w->factors, w->ctx);
    _fmpz_vec_clear(w->points, (slong)w->n);
    _fmpz_vec_clear(w->values, (slong)w->n);
    fmpz_mod_ctx_clear(w->ctx);
    fmpz_clear(w->p);
    fmpz_clear(w->element);
    free(w);
}

PEER_EXPORT const peer peer_flint = {.name = "flint",
                                     .version = FLINT_VERSION PEERS_SPEED,
                                     .serves = poly_flint_serves,
                                     .start = poly_flint_start,
                                     .run = poly_flint_run,
                                     .get = poly_flint_get,
                                     .finish = poly_flint_finish};
