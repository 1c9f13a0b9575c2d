/* bench/peers/poly_flint_gr.c: FLINT's generic polynomials over mpn_mod (FLINT 3.2 and later) for
 * gfpoly_peers, in the same library or module as flint.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <flint/flint.h>

#include "bench/peers/peer.h"

#if __FLINT_RELEASE >= 30200

#include <flint/fmpz.h>
#include <flint/gr.h>
#include <flint/gr_poly.h>
#include <flint/gr_vec.h>

typedef struct work {
    peer_operation operation;
    size_t limbs, n;
    fmpz_t p;
    gr_ctx_t ctx;
    gr_poly_t a, b, f, inverse; /* of the reversed f */
    gr_poly_t c, d, e;
    gr_vec_t points, values;
    gr_ptr element;
} work;

static int generic_set(const work *w, gr_poly_t poly, const uint64_t *x, size_t len)
{
    fmpz_t value;
    int status = GR_SUCCESS;

    fmpz_init(value);
    gr_poly_init(poly, (gr_ctx_struct *)w->ctx);
    for (size_t i = len; i-- > 0;) {
        fmpz_set_ui_array(value, x + i * w->limbs, (slong)w->limbs);
        status |= gr_poly_set_coeff_fmpz(poly, (slong)i, value, (gr_ctx_struct *)w->ctx);
    }
    fmpz_clear(value);
    return status;
}

static int set_vector(const work *w, gr_vec_t vector, const uint64_t *x, size_t len)
{
    gr_ctx_struct *ctx = (gr_ctx_struct *)w->ctx;
    fmpz_t value;
    int status = GR_SUCCESS;

    fmpz_init(value);
    gr_vec_init(vector, (slong)w->n, ctx);
    for (size_t i = 0; i < w->n && i < len; i++) {
        fmpz_set_ui_array(value, x + i * w->limbs, (slong)w->limbs);
        status |= gr_set_fmpz(gr_vec_entry_ptr(vector, (slong)i, ctx), value, ctx);
    }
    fmpz_clear(value);
    return status;
}

static bool gr_serves(const peer_problem *problem)
{
    switch (problem->operation) {
    case PEER_EVALUATE_KEPT:
    case PEER_INTERPOLATE_KEPT:
    case PEER_DISTINCT_DEGREE:
    case PEER_FACTOR:
        return false;
    default:
        return problem->limbs >= 2 && problem->limbs <= 16;
    }
}

static void generic_finish(void *state)
{
    work *w = state;

    gr_poly_clear(w->a, w->ctx);
    gr_poly_clear(w->b, w->ctx);
    gr_poly_clear(w->f, w->ctx);
    gr_poly_clear(w->inverse, w->ctx);
    gr_poly_clear(w->c, w->ctx);
    gr_poly_clear(w->d, w->ctx);
    gr_poly_clear(w->e, w->ctx);
    gr_vec_clear(w->points, w->ctx);
    gr_vec_clear(w->values, w->ctx);
    gr_heap_clear(w->element, w->ctx);
    gr_ctx_clear(w->ctx);
    fmpz_clear(w->p);
    free(w);
}

static void *generic_start(const peer_problem *problem)
{
    work *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        return NULL;
    }
    w->operation = problem->operation;
    w->limbs = problem->limbs;
    w->n = problem->n;
    fmpz_init(w->p);
    fmpz_set_ui_array(w->p, problem->p, (slong)problem->limbs);
    int status = gr_ctx_init_mpn_mod(w->ctx, w->p);
    if (status != GR_SUCCESS) {
        fmpz_clear(w->p);
        free(w);
        return NULL;
    }
    status |= gr_ctx_set_is_field(w->ctx, T_TRUE);
    const bool points_first = w->operation == PEER_FROM_ROOTS || w->operation == PEER_INTERPOLATE;
    status |= generic_set(w, w->a, problem->a, problem->len_a);
    status |= generic_set(w, w->b, problem->b, problem->len_b);
    status |= generic_set(w, w->f, problem->f, problem->len_f);
    status |= set_vector(w, w->points, points_first ? problem->a : problem->b,
                         points_first ? problem->len_a : problem->len_b);
    status |= set_vector(w, w->values, problem->b, problem->len_b);
    gr_poly_init(w->inverse, w->ctx);
    gr_poly_init(w->c, w->ctx);
    gr_poly_init(w->d, w->ctx);
    gr_poly_init(w->e, w->ctx);
    w->element = gr_heap_init(w->ctx);
    if (peer_is_prepared(w->operation)) {
        status |= gr_poly_reverse(w->inverse, w->f, (slong)problem->len_f, w->ctx);
        status |= gr_poly_inv_series(w->inverse, w->inverse, (slong)problem->len_f, w->ctx);
    }
    if (status != GR_SUCCESS) {
        generic_finish(w);
        return NULL;
    }
    return w;
}

static int generic_compute(work *w)
{
    const slong n = (slong)w->n;

    switch (w->operation) {
    case PEER_MUL:
        return gr_poly_mul(w->c, w->a, w->b, w->ctx);
    case PEER_INVERSE:
        return gr_poly_inv_series(w->c, w->a, n, w->ctx);
    case PEER_QUOTIENT:
        return gr_poly_div_series(w->c, w->a, w->b, n, w->ctx);
    case PEER_DIVREM:
        return gr_poly_divrem(w->d, w->c, w->a, w->b, w->ctx);
    case PEER_REM:
        return gr_poly_rem(w->c, w->a, w->b, w->ctx);
    case PEER_REM_FIXED:
        return gr_poly_rem(w->c, w->a, w->f, w->ctx);
    case PEER_MULMOD:
        return gr_poly_mulmod_preinv(w->c, w->a, w->b, w->f, w->inverse, w->ctx);
    case PEER_SQRMOD:
        return gr_poly_mulmod_preinv(w->c, w->a, w->a, w->f, w->inverse, w->ctx);
    case PEER_POWMOD:
        return gr_poly_powmod_x_fmpz_preinv(w->c, w->p, w->f, w->inverse, w->ctx);
    case PEER_GCD:
        return gr_poly_gcd(w->c, w->a, w->b, w->ctx);
    case PEER_XGCD:
        return gr_poly_xgcd(w->d, w->c, w->e, w->a, w->b, w->ctx);
    case PEER_RESULTANT:
        return gr_poly_resultant(w->element, w->a, w->b, w->ctx);
    case PEER_FROM_ROOTS:
        return gr_poly_product_roots(w->c, w->points, w->ctx);
    case PEER_EVALUATE:
        return gr_poly_evaluate_vec_fast(w->values, w->a, w->points, w->ctx);
    case PEER_INTERPOLATE:
        return gr_poly_interpolate_fast(w->c, w->points, w->values, w->ctx);
    case PEER_COMPOSE:
        return gr_poly_compose_mod(w->c, w->a, w->b, w->f, w->ctx);
    default:
        return GR_UNABLE;
    }
}

static bool generic_run(void *state)
{
    return generic_compute(state) == GR_SUCCESS;
}

static void generic_get(const void *state, uint64_t *c, size_t n)
{
    const work *w = state;
    gr_ctx_struct *ctx = (gr_ctx_struct *)w->ctx;
    gr_ptr coefficient = gr_heap_init(ctx);
    fmpz_t value;
    int status = GR_SUCCESS;

    fmpz_init(value);
    memset(c, 0, n * w->limbs * sizeof(*c));
    for (size_t i = 0; i < n; i++) {
        if (w->operation == PEER_RESULTANT) {
            status |= gr_get_fmpz(value, w->element, ctx);
        } else if (w->operation == PEER_EVALUATE) {
            status |= gr_get_fmpz(value, gr_vec_entry_srcptr(w->values, (slong)i, ctx), ctx);
        } else {
            status |= gr_poly_get_coeff_scalar(coefficient, w->c, (slong)i, ctx);
            status |= gr_get_fmpz(value, coefficient, ctx);
        }
        fmpz_get_ui_array(c + i * w->limbs, (slong)w->limbs, value);
    }
    fmpz_clear(value);
    gr_heap_clear(coefficient, ctx);
    if (status != GR_SUCCESS) {
        memset(c, 255, n * w->limbs * sizeof(*c)); /* no result: it differs from every other one */
    }
}

PEER_EXPORT const peer peer_flint_gr = {.name = "flint gr",
                                        .version = FLINT_VERSION,
                                        .serves = gr_serves,
                                        .start = generic_start,
                                        .run = generic_run,
                                        .get = generic_get,
                                        .finish = generic_finish};

#else

static bool gr_serves(const peer_problem *problem)
{
    (void)problem;
    return false;
}

PEER_EXPORT const peer peer_flint_gr = {
    .name = "flint gr", .version = FLINT_VERSION, .serves = gr_serves};

#endif
