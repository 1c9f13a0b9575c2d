/* impl.h: systems of two polynomials over Z: the steps of gfp_zsystem_solve, whose call is in
 * calls.c.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_SYSTEM_IMPL_H
#define GFP_MODULAR_SYSTEM_IMPL_H

#include "gfpoly/zsystem.h"
#include "modular/linear.h"

/* ---- steps ---- */

/* The total degree of f; -1 for 0. */
ptrdiff_t gfp_zbipoly_total_degree(const gfp_zbipoly *f);
/* z := f(X - t Y, Y). For t != 0 and the total degree n of f its degree in Y is n if and only if
 * the form of f of this degree is not 0 at (-t, 1). Errors: SIZE, MEMORY. */
gfp_status gfp_zbipoly_shear(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f, int64_t t);
/* z := f(Y, X). Errors: SIZE, MEMORY. */
gfp_status gfp_zbipoly_exchange(gfp_zcall *call, gfp_zbipoly *z, const gfp_zbipoly *f);

/* Adds a part of this multiplicity with zeros for polynomials. Errors: MEMORY. */
gfp_status gfp_zsystem_append(gfp_zsystem *s, size_t multiplicity, gfp_zsystem_part **part);

/* Adds a part to s for each multiplicity of roots of f: f is their product with these exponents. f
 * is primitive of positive degree, its leading coefficient positive. The step ends at the fraction
 * `to` of the call. Errors: those of gfp_zvec_gcd. */
gfp_status gfp_zsquarefree(gfp_zcall *call, gfp_zsystem *s, const gfp_zvec *f, double to);

/* A system, its linear forms T = X + t Y and T = Y + t X, and what is known about its solutions. */
typedef struct gfp_zforms {
    const gfp_zbipoly *system[2];
    gfp_zbipoly other[2]; /* X and Y exchanged */
    bool exchange;        /* forms with t != 0 are Y + t X */
    bool y_first;         /* Y is the first form, X the second one */
    size_t next;          /* the number of the next form */
    size_t degree;        /* solutions, each counted with its multiplicity; SIZE_MAX: not known */
    bool is_bounded;      /* gfp_zforms_bound_solutions was called */
    size_t least;         /* a lower bound of the number of solutions, values modulo one prime */
} gfp_zforms;

/* A system in T and Y after the substitution X := T - t Y, or in T and X after Y := T - t X: the
 * variable that is not T is Y here. a has the higher degree in Y. The leading coefficient in Y of a
 * or b, of b if the degrees are equal, is constant. */
typedef struct gfp_zsheared {
    gfp_zforms *forms;
    gfp_zbipoly a, b;
    bool exchanged, swapped; /* X and Y; a is made from the second polynomial */
    int64_t t;
    gfp_zvec content; /* of the resultant, with its sign */
    size_t held;      /* bytes of a and b that the cap counts */
} gfp_zsheared;

static inline bool gfp_zbipoly_is_monic(const gfp_zbipoly *f) /* but for a constant factor */
{
    return f->coeff[f->len - 1].len == 1;
}

/* Neither polynomial is constant. Errors: SIZE, MEMORY. gfp_zforms_end frees forms also after an
 * error. */
gfp_status gfp_zforms_begin(gfp_zcall *call, gfp_zforms *forms, const gfp_zbipoly *f,
                            const gfp_zbipoly *g);
void gfp_zforms_end(gfp_zforms *forms);
void gfp_zsheared_init(gfp_zsheared *sheared, gfp_zforms *forms, gfp_zring *ring);
void gfp_zsheared_clear(gfp_zcall *call, gfp_zsheared *sheared);
/* sheared := the system for this form, and *good := true; or false if no leading coefficient in Y
 * is constant. Errors: SIZE, MEMORY. */
gfp_status gfp_zforms_shear(gfp_zcall *call, gfp_zsheared *sheared, bool exchanged, int64_t t,
                            bool *good);
/* Sets forms->least, by the values of a form with a large t at the solutions modulo one prime, if
 * the bound is not known. Errors: those of gfp_zbiresultant_words. */
gfp_status gfp_zforms_bound_solutions(gfp_zcall *call, gfp_zforms *forms);
/* s := the parts of the system by the next form that separates the solutions. Errors: those of
 * gfp_zsystem_decompose. */
gfp_status gfp_zforms_solve(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared);

/* s := the parts of the system, and *separates := true; or false if T has one value at two
 * solutions. Sets the degree of the forms. Errors: ARGUMENT (infinitely many solutions), those of
 * gfp_zvec_gcd. */
gfp_status gfp_zsystem_decompose(gfp_zcall *call, gfp_zsystem *s, gfp_zsheared *sheared,
                                 bool *separates, double to);
/* Replaces x, y and q by shorter functions if the degree of y or q is not below that of f. to: the
 * fraction of the call at the end. Errors: those of gfp_zvec_gcd. */
gfp_status gfp_zsystem_shorten(gfp_zcall *call, gfp_zsystem_part *part, const gfp_zsheared *sheared,
                               double to);
/* Compares values at random points modulo eight random primes; adds to the report. Errors: VERIFY,
 * MEMORY, UNAVAILABLE (no seed). */
gfp_status gfp_zsystem_check(gfp_zcall *call, const gfp_zsystem *s, const gfp_zsheared *sheared);

/* ---- calls that are not public ---- */

/* Exchanges a and b; cannot fail. */
void gfp_zsystem_swap(gfp_zsystem *a, gfp_zsystem *b);

#endif
