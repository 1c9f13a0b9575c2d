/* flint.c: the program around the section "From FLINT" of docs/porting.md, which
 * tests/project/porting.sh puts into guide.inc. Each row of the page's tables starts from results
 * that differ on both sides; afterwards all touched results equal their twins, and one result at
 * least is touched.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <flint/fmpz_mod_poly.h>
#include <flint/fmpz_mod_poly_factor.h>
#include <flint/fmpz_vec.h>

#include "gfpoly.h"
#include "gfpoly/flint.h"
#include "gfpoly/zvec_flint.h"

static int failures, rows;

/* f := len coefficients without a pattern. */
static void fill(fmpz_mod_poly_t f, slong len, const fmpz_mod_ctx_t ctx)
{
    static flint_rand_t state;
    static bool ready;
    if (!ready) {
#if __FLINT_RELEASE < 30200
        flint_randinit(state);
#else
        flint_rand_init(state);
#endif
        ready = true;
    }
    fmpz_t c;
    fmpz_init(c);
    fmpz_mod_poly_zero(f, ctx);
    for (slong i = 0; i < len; i++) {
        fmpz_randm(c, state, fmpz_mod_ctx_modulus(ctx));
        fmpz_mod_poly_set_coeff_fmpz(f, i, c, ctx);
    }
    fmpz_clear(c);
}

/* a := len coefficients of both signs, a multiple of 1 + X + ... */
static void zfill(fmpz_poly_t a, slong len)
{
    fmpz_poly_t b;
    fmpz_poly_init(b);
    for (slong i = 0; i < len; i++) {
        fmpz_poly_set_coeff_si(a, i, (i * i * 7919 + len) % 1009 - 500);
        fmpz_poly_set_coeff_si(b, i % 5, 1);
    }
    fmpz_poly_mul(a, a, b);
    fmpz_poly_clear(b);
}

/* Compares a result with its twin if one of them is touched. */
static void pair(int *touched, bool left, bool right, bool equal, const char *name)
{
    if (left || right) {
        *touched += 1;
        if (!equal) {
            printf("the sides differ in %s, after:\n", name);
            failures++;
        }
    }
}

static void poly_pair(int *touched, const fmpz_mod_poly_t f, const gfp_poly *F,
                      const fmpz_mod_ctx_t ctx, const char *name)
{
    fmpz_mod_poly_t other;
    fmpz_mod_poly_init(other, ctx);
    if (gfp_poly_get_fmpz_mod_poly(other, F, ctx) != GFP_OK) {
        failures++;
    }
    pair(touched, !fmpz_mod_poly_is_one(f, ctx), !gfp_poly_is_zero(F),
         fmpz_mod_poly_equal(f, other, ctx), name);
    fmpz_mod_poly_clear(other, ctx);
}

static void elem_pair(int *touched, const fmpz_t y, const gfp_field *field, const uint64_t *Y)
{
    fmpz_t other;
    fmpz_init(other);
    if (gfp_elem_get_fmpz(field, other, Y) != GFP_OK) {
        failures++;
    }
    pair(touched, !fmpz_is_one(y), !fmpz_is_zero(other), fmpz_equal(y, other), "y");
    fmpz_clear(other);
}

static void end_row(int touched, int before, const char *row)
{
    if (touched == 0) {
        printf("no result, after:\n");
        failures++;
    }
    if (failures > before) {
        printf("    %s\n", row);
    }
    rows++;
}

#define EACH(f) f(g, G) f(h, H) f(q, Q) f(r, R) f(s, S) f(t, T) f(u, U)
#define INIT(f, F) fmpz_mod_poly_init(f, ctx);
#define INIT_TWIN(f, F) gfp_poly_init(F, field);
#define CLEAR_BOTH(f, F) fmpz_mod_poly_clear(f, ctx), gfp_poly_clear(F);
#define CLEAR_OTHERS EACH(CLEAR_BOTH) fmpz_mod_poly_clear(f, ctx);

#define START(f, F) fmpz_mod_poly_set_ui(f, 1, ctx), gfp_poly_zero(F);
#define RESULTS(f) f(h, H) f(q, Q) f(r, R) f(s, S) f(t, T)
#define COMPARE(f, F) poly_pair(&touched, f, F, ctx, #f);
#define BEGIN_ROW                                                                                  \
    {                                                                                              \
        slong n = -1, N = -2;                                                                      \
        int touched = 0, before = failures;                                                        \
        RESULTS(START)                                                                             \
        fmpz_one(y), gfp_elem_zero(field, Y);
#define END_ROW(row)                                                                               \
    RESULTS(COMPARE)                                                                               \
    elem_pair(&touched, y, field, Y);                                                              \
    pair(&touched, n != -1, N != -2, n == N, "n");                                                 \
    end_row(touched, before, row);                                                                 \
    }
#define BEGIN_ZROW                                                                                 \
    {                                                                                              \
        int touched = 0, before = failures;                                                        \
        fmpz_poly_one(c), fmpz_poly_zero(C), fmpz_one(z), fmpz_zero(Z);
#define END_ZROW(row)                                                                              \
    pair(&touched, !fmpz_poly_is_one(c), !fmpz_poly_is_zero(C), fmpz_poly_equal(c, C), "c");       \
    pair(&touched, !fmpz_is_one(z), !fmpz_is_zero(Z), fmpz_equal(z, Z), "z");                      \
    end_row(touched, before, row);                                                                 \
    }

int main(void)
{
#include "guide.inc"
    printf("%d rows, %d failures\n", rows, failures);
    return failures != 0;
}
