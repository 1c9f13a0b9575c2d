/* frame.h: what factorisations have in common: the frame around calls inside, memory, the
 * factors found so far, powers of X, the stages.
 *
 * A factorisation is an operation (poly/operation.h) whose steps are public calls on polynomials.
 * Their checks are those that the caller asked for; their reports are added up.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_POLY_FACTOR_FRAME_H
#define GFP_POLY_FACTOR_FRAME_H

#include "gfpoly/compose.h"
#include "gfpoly/factor.h"
#include "poly/operation.h"

/* What a factorisation keeps in memory; freed in the opposite order. */
typedef struct gfp_factoring_item {
    struct gfp_factoring_item *below;
    gfp_poly poly;
    gfp_modulus *M;
    gfp_compose_argument *A;
    gfp_poly *list; /* several polynomials */
    size_t listed;
} gfp_factoring_item;

typedef struct gfp_factoring {
    gfp_operation_call op;
    gfp_options inside; /* of calls inside */
    gfp_report step;    /* of the last call inside */
    double largest;     /* units of the call inside that named the method */
    double crossed;     /* and of the one that named the second method */
    size_t cap;         /* 0: none */
    gfp_random random;
    gfp_factoring_item *top;
    gfp_factors found;
} gfp_factoring;

/* ---- the frame (frame.c) ---- */

/* Units of an operation modulo f of degree n, given in products of n terms. */
double gfp_factoring_units(size_t n, double products);

/* Begins a factorisation, as gfp_operation_begin, which may be ended before it is started. */
gfp_status gfp_factoring_begin(gfp_factoring *w, const char *name, const gfp_options *options);
/* Starts its work over the field, of about `units` units. Errors: as gfp_operation_start. */
gfp_status gfp_factoring_start(gfp_factoring *w, const gfp_field *field, double units);
/* Frees everything, fills the report or the error; returns the status. */
gfp_status gfp_factoring_end(gfp_factoring *w, gfp_status status);
/* Whether there is f, which is not 0. Errors: ARGUMENT. */
gfp_status gfp_factoring_check_input(gfp_factoring *w, const gfp_poly *f);

/* Before and after a call inside, with the options w->inside, of about `units` units. */
gfp_status gfp_factoring_enter(gfp_factoring *w, double units);
gfp_status gfp_factoring_note(gfp_factoring *w, double units, gfp_status status);
#define GFP_INSIDE(w, units, call)                                                                 \
    do {                                                                                           \
        const double units_ = (units);                                                             \
        GFP_TRY(gfp_factoring_enter((w), units_));                                                 \
        GFP_TRY(gfp_factoring_note((w), units_, (call)));                                          \
    } while (0)

/* *item := a new item, with room for n coefficients. Items above a mark, the w->top of an earlier
 * time, are freed by the release to this mark. */
gfp_status gfp_factoring_item_of(gfp_factoring *w, gfp_factoring_item **item, size_t n);
gfp_status gfp_factoring_poly(gfp_factoring *w, gfp_poly **a, size_t n);
/* *list := an array of polynomials with room for n coefficients each. */
gfp_status gfp_factoring_list(gfp_factoring *w, gfp_poly **list, size_t count, size_t n);
void gfp_factoring_release(gfp_factoring *w, gfp_factoring_item *mark);

/* The item's modulus, or argument, of which the older one is freed. */
gfp_status gfp_factoring_modulus(gfp_factoring *w, gfp_factoring_item *item, const gfp_poly *f);
gfp_status gfp_factoring_argument(gfp_factoring *w, gfp_factoring_item *item, const gfp_poly *g,
                                  const gfp_modulus *M, size_t uses);

/* g := the monic gcd of a and b. f := f / g, which is exact. r := a mod f, deg f > 0. */
gfp_status gfp_factoring_gcd(gfp_factoring *w, gfp_poly *g, const gfp_poly *a, const gfp_poly *b);
gfp_status gfp_factoring_divide(gfp_factoring *w, gfp_poly *f, const gfp_poly *g);
gfp_status gfp_factoring_rem(gfp_factoring *w, gfp_poly *r, const gfp_poly *a, const gfp_poly *f);
/* b := a - X. */
gfp_status gfp_factoring_minus_x(gfp_poly *b, const gfp_poly *a);

/* ---- products of factors (products.c) ---- */

/* Adds a copy of g with this exponent; w->found is the output of calls. Errors: MEMORY. */
gfp_status gfp_factors_add(gfp_factors *F, const gfp_poly *g, size_t exponent);
void gfp_factors_sort(gfp_factors *F);
void gfp_factors_sort_by_exponent(gfp_factors *F);
/* Whether the integer of x is below (-1), equal to (0), above (1) that of y. */
int gfp_factors_compare_elements(const gfp_field *field, const uint64_t *x, const uint64_t *y);
/* Checks that leading times the powers of the factors found and of the factors of `rest` (NULL:
 * none) is f. */
gfp_status gfp_factoring_check(gfp_factoring *w, const gfp_poly *f, const gfp_factors *rest);
/* With full verification: checks that the factors found are irreducible. */
gfp_status gfp_factoring_check_irreducible(gfp_factoring *w);

/* ---- powers of X modulo f (frobenius.c) ---- */

/* f of degree n >= 1, and powers of X modulo f. */
typedef struct gfp_frobenius {
    const gfp_poly *f;
    gfp_factoring_item *modulus;
    gfp_poly *root; /* X^((p - 1) / 2^levels) */
    unsigned levels;
    gfp_poly *x_p; /* X^p */
} gfp_frobenius;

/* Computes them. The items stay. */
gfp_status gfp_frobenius_of(gfp_factoring *w, gfp_frobenius *x, const gfp_poly *f);
double gfp_frobenius_units(const gfp_field *field, size_t n);
/* The number of levels for t values to be all different, very probably; at most v2(p - 1). */
unsigned gfp_frobenius_levels(const gfp_factoring *w, size_t t);
/* b := a^((p - 1) / 2^levels) modulo the polynomial of M. */
gfp_status gfp_frobenius_root(gfp_factoring *w, gfp_poly *b, const gfp_poly *a, unsigned levels,
                              const gfp_modulus *M);
/* b := a^(2^count) modulo the polynomial of M; b may be a. */
gfp_status gfp_frobenius_square(gfp_factoring *w, gfp_poly *b, const gfp_poly *a, unsigned count,
                                const gfp_modulus *M);
/* b := a^p modulo the polynomial of M; b may be a. */
gfp_status gfp_frobenius_apply(gfp_factoring *w, gfp_poly *b, const gfp_poly *a,
                               const gfp_modulus *M);
/* Whether `count` powers by p cost less than `compositions` compositions modulo a polynomial of
 * degree n. */
bool gfp_frobenius_by_powers(const gfp_factoring *w, size_t n, size_t count, double compositions);
double gfp_frobenius_composition_units(size_t n);
/* power := a^(p^(d (count - 1))) for a = X^(p^d): X^(p^(d count)). No input. */
gfp_status gfp_frobenius_power_of(gfp_factoring *w, gfp_poly *power, const gfp_poly *a, size_t d,
                                  size_t count, const gfp_modulus *M);
/* power := X^(p^d); trace := a + a^p + ... + a^(p^(d - 1)) modulo the polynomial of M, from x_p.
 * power or trace is NULL. They are no input. */
gfp_status gfp_frobenius_power(gfp_factoring *w, gfp_poly *power, const gfp_poly *x_p, size_t d,
                               const gfp_modulus *M);
gfp_status gfp_frobenius_trace(gfp_factoring *w, gfp_poly *trace, const gfp_poly *a,
                               const gfp_poly *x_p, size_t d, const gfp_modulus *M);

/* ---- stages ---- */

/* squarefree.c: adds the square-free parts of a monic f, with exponents, to F. */
gfp_status gfp_factoring_squarefree(gfp_factoring *w, gfp_factors *F, const gfp_poly *f);
/* distinct.c: adds the products of the factors of each degree of x->f, monic and square-free, to F;
 * exponents are degrees. */
gfp_status gfp_factoring_distinct(gfp_factoring *w, gfp_factors *F, const gfp_frobenius *x);
/* equal.c: adds the factors of f, monic and a product of different irreducible polynomials of
 * degree d, with this exponent to w->found. x: powers of X modulo a multiple of f. */
gfp_status gfp_factoring_equal(gfp_factoring *w, const gfp_poly *f, size_t d, size_t exponent,
                               const gfp_frobenius *x);
/* irreducible.c: *yes := whether f of degree n >= 1 is irreducible. */
gfp_status gfp_factoring_irreducible(gfp_factoring *w, bool *yes, const gfp_poly *f);

#endif
