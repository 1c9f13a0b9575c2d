/* bench/peers/integers_flint.c: FLINT's fmpz_poly for gfpoly_peers --over-z: of the FLINT that
 * gfpoly is linked with, or of another one in a module for --flint. Gcds and resultants are by
 * FLINT's own choice or by its modular functions, whichever took less time at a first call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <time.h>

#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

#include "bench/peers/peer.h"
#include "bench/peers/speed.h"

typedef struct work {
    peer_operation operation;
    slong n;
    size_t limbs;
    fmpz_poly_t a, b, c;
    fmpz_t value;
    bool modular;
} work;

/* FLINT's own choice for operands that take longer is the modular function. */
#define LONG_SECONDS 1

static void integers_flint_set(fmpz_poly_t f, const uint64_t *x, size_t len, size_t width)
{
    fmpz_t value;
    fmpz_init(value);
    fmpz_poly_init2(f, (slong)len);
    for (size_t i = len; i-- > 0;) {
        fmpz_set_signed_ui_array(value, (const ulong *)(x + i * width), (slong)width);
        fmpz_poly_set_coeff_fmpz(f, (slong)i, value);
    }
    fmpz_clear(value);
}

static bool integers_flint_run(void *state)
{
    work *w = state;
    if (w->operation == PEER_Z_MUL) {
        fmpz_poly_mul(w->c, w->a, w->b);
    } else if (w->operation == PEER_Z_SQR) {
        fmpz_poly_sqr(w->c, w->a);
    } else if (w->operation == PEER_Z_MULLOW) {
        fmpz_poly_mullow(w->c, w->a, w->b, w->n);
    } else if (w->operation == PEER_Z_GCD) {
        (w->modular ? fmpz_poly_gcd_modular : fmpz_poly_gcd)(w->c, w->a, w->b);
    } else {
        (w->modular ? fmpz_poly_resultant_modular : fmpz_poly_resultant)(w->value, w->a, w->b);
    }
    return true;
}

static double integers_flint_seconds(work *w, bool modular)
{
    struct timespec from, to;
    w->modular = modular;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    (void)integers_flint_run(w);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return difftime(to.tv_sec, from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static bool integers_flint_serves(const peer_problem *problem)
{
    (void)problem;
    return true;
}

static void *integers_flint_start(const peer_problem *problem)
{
    work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    w->operation = problem->operation;
    w->n = (slong)problem->n;
    w->limbs = problem->limbs;
    integers_flint_set(w->a, problem->a, problem->len_a, problem->limbs);
    integers_flint_set(w->b, problem->b, problem->len_b, problem->limbs);
    fmpz_poly_init(w->c);
    fmpz_init(w->value);
    if (w->operation == PEER_Z_GCD || w->operation == PEER_Z_RESULTANT) {
        const double first = integers_flint_seconds(w, true); /* it may make tables */
        if (first < LONG_SECONDS) {
            const double modular = integers_flint_seconds(w, true);
            w->modular = modular < integers_flint_seconds(w, false);
        }
    }
    return w;
}

static void integers_flint_get(const void *state, uint64_t *c, size_t n)
{
    const work *w = state;
    const bool one = w->operation == PEER_Z_RESULTANT;
    fmpz_t value;
    fmpz_init(value);
    for (size_t i = 0; i < n; i++) {
        fmpz_poly_get_coeff_fmpz(value, w->c, (slong)i);
        fmpz_get_signed_ui_array((ulong *)(c + i * w->limbs), (slong)w->limbs,
                                 one && i == 0 ? w->value : value);
    }
    fmpz_clear(value);
}

static bool integers_flint_equals(const void *state, const uint64_t *c, size_t n, size_t width)
{
    const work *w = state;
    fmpz_poly_t theirs;
    fmpz_t value;
    integers_flint_set(theirs, c, n, width);
    fmpz_init(value);
    fmpz_poly_get_coeff_fmpz(value, theirs, 0);
    const bool same = w->operation == PEER_Z_RESULTANT ? fmpz_equal(w->value, value) != 0
                                                       : fmpz_poly_equal(w->c, theirs) != 0;
    fmpz_clear(value);
    fmpz_poly_clear(theirs);
    return same;
}

static void integers_flint_finish(void *state)
{
    work *w = state;
    fmpz_poly_clear(w->a);
    fmpz_poly_clear(w->b);
    fmpz_poly_clear(w->c);
    fmpz_clear(w->value);
    free(w);
}

PEER_EXPORT const peer peer_flint_z = {.name = "flint",
                                       .version = FLINT_VERSION PEERS_SPEED,
                                       .over_z = true,
                                       .serves = integers_flint_serves,
                                       .start = integers_flint_start,
                                       .run = integers_flint_run,
                                       .get = integers_flint_get,
                                       .equals = integers_flint_equals,
                                       .finish = integers_flint_finish};
