/* bench/peers_flint.c: FLINT's fmpz_mod_poly_mul for gfpoly_peers: of the FLINT that gfpoly is
 * linked with, or of another one in a module for --flint.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mod.h>
#include <flint/fmpz_mod_poly.h>

#include "peers.h"

typedef struct product {
    size_t limbs;
    fmpz_t p;
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a, b, c;
} product;

static void set(product *w, fmpz_mod_poly_t poly, const uint64_t *x, size_t len)
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

static void *start(const peer_problem *problem)
{
    product *w = malloc(sizeof(*w));

    if (w == NULL) {
        return NULL;
    }
    w->limbs = problem->limbs;
    fmpz_init(w->p);
    fmpz_set_ui_array(w->p, problem->p, (slong)problem->limbs);
    fmpz_mod_ctx_init(w->ctx, w->p);
    set(w, w->a, problem->a, problem->len);
    set(w, w->b, problem->b, problem->len);
    fmpz_mod_poly_init(w->c, w->ctx);
    return w;
}

static bool multiply(void *state)
{
    product *w = state;

    fmpz_mod_poly_mul(w->c, w->a, w->b, w->ctx);
    return true;
}

static void get(const void *state, uint64_t *c, size_t n)
{
    const product *w = state;
    fmpz_t value;

    fmpz_init(value);
    memset(c, 0, n * w->limbs * sizeof(*c));
    for (size_t i = 0; i < n; i++) {
        fmpz_mod_poly_get_coeff_fmpz(value, w->c, (slong)i, w->ctx);
        fmpz_get_ui_array(c + i * w->limbs, (slong)w->limbs, value);
    }
    fmpz_clear(value);
}

static void finish(void *state)
{
    product *w = state;

    fmpz_mod_poly_clear(w->a, w->ctx);
    fmpz_mod_poly_clear(w->b, w->ctx);
    fmpz_mod_poly_clear(w->c, w->ctx);
    fmpz_mod_ctx_clear(w->ctx);
    fmpz_clear(w->p);
    free(w);
}

/* Transforms by small primes (fft_small) make FLINT 3 much faster; builds for older CPUs lack them.
 */
#if !defined(GFP_FLINT_FFT_SMALL) && defined(FLINT_HAVE_FFT_SMALL)
#define GFP_FLINT_FFT_SMALL FLINT_HAVE_FFT_SMALL
#endif
#if defined(GFP_FLINT_FFT_SMALL) && GFP_FLINT_FFT_SMALL
#define SPEED " with fft_small"
#elif __FLINT_VERSION >= 3
#define SPEED " without fft_small"
#else
#define SPEED ""
#endif

PEER_EXPORT const peer peer_flint = {"flint", FLINT_VERSION SPEED, start, multiply, get, finish};
