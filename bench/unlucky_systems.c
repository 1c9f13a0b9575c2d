/* unlucky_systems.c: eliminants of katsura-n, by Macaulay's matrix and the matrix of the
 * multiplication by an unknown, and of noon-3, by a bivariate resultant.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>

#include "bench/unlucky.h"

enum { UNKNOWNS = 5 };

/* Exponents of n unknowns. */
typedef struct monomial {
    unsigned e[UNKNOWNS];
} monomial;

static unsigned unlucky_systems_degree(const monomial *m)
{
    unsigned d = 0;
    for (size_t i = 0; i < UNKNOWNS; i++) {
        d += m->e[i];
    }
    return d;
}

static monomial unlucky_systems_times(monomial a, monomial b)
{
    for (size_t i = 0; i < UNKNOWNS; i++) {
        a.e[i] += b.e[i];
    }
    return a;
}

/* Macaulay's matrix of n polynomials of degree 2 in n unknowns: column j belongs to m[j], degrees
 * fall; the rows are the polynomials times all monomials of degree at most top - 2. */
typedef struct macaulay {
    size_t n, count;
    unsigned top;
    monomial *m;
    slong *row; /* [j]: that has its pivot in column j, or -1 */
    fmpz_mat_t a;
    fmpz_t den;
} macaulay;

/* 1, and the coefficients of u_1, ..., u_n. */
typedef struct form {
    int64_t c[UNKNOWNS + 1];
} form;

static void unlucky_systems_list(macaulay *x, monomial *m, size_t unknown, unsigned left)
{
    if (unknown == x->n || unknown == UNKNOWNS) {
        if (left == 0) {
            x->m[x->count++] = *m;
        }
        return;
    }
    for (unsigned e = 0; e <= left; e++) {
        m->e[unknown] = e;
        unlucky_systems_list(x, m, unknown + 1, left - e);
    }
    m->e[unknown] = 0;
}

static size_t unlucky_systems_find(const macaulay *x, const monomial *m)
{
    for (size_t j = 0; j < x->count; j++) {
        size_t i = 0;
        while (i < x->n && x->m[j].e[i] == m->e[i]) {
            i++;
        }
        if (i == x->n) {
            return j;
        }
    }
    return x->count;
}

/* The unknown of this index as a form; u_0 = 1 - 2 (u_1 + ... + u_n). */
static form unlucky_systems_unknown(size_t n, size_t index)
{
    form f = {{0}};
    if (index > 0) {
        f.c[index] = 1;
        return f;
    }
    f.c[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        f.c[i] = -2;
    }
    return f;
}

/* Adds the coefficient c of u_i u_j, u_0 standing for 1, times the monomial m to a row. */
static void unlucky_systems_add(macaulay *x, size_t row, monomial m, const size_t index[2],
                                int64_t c)
{
    for (size_t i = 0; i < 2; i++) {
        if (index[i] > 0) {
            m.e[index[i] - 1]++;
        }
    }
    fmpz *at = fmpz_mat_entry(x->a, (slong)row, (slong)unlucky_systems_find(x, &m));
    if (c < 0) {
        fmpz_sub_ui(at, at, (ulong)-c);
    } else {
        fmpz_add_ui(at, at, (ulong)c);
    }
}

/* row := m times the equation of this index: sum u_|l| u_|index - l| = u_index. */
static void unlucky_systems_equation(macaulay *x, size_t row, const monomial *m, size_t index)
{
    const long n = (long)x->n;
    for (long l = -n; l <= n; l++) {
        const long other = labs((long)index - l);
        if (other > n) {
            continue;
        }
        const form f = unlucky_systems_unknown(x->n, (size_t)labs(l)),
                   g = unlucky_systems_unknown(x->n, (size_t)other);
        for (size_t i = 0; i <= x->n; i++) {
            for (size_t j = 0; j <= x->n; j++) {
                unlucky_systems_add(x, row, *m, (const size_t[2]){i, j}, f.c[i] * g.c[j]);
            }
        }
    }
    const form f = unlucky_systems_unknown(x->n, index);
    for (size_t i = 0; i <= x->n; i++) {
        unlucky_systems_add(x, row, *m, (const size_t[2]){i, 0}, -f.c[i]);
    }
}

static size_t unlucky_systems_binomial(size_t n, size_t k)
{
    size_t b = 1;
    for (size_t i = 1; i <= k; i++) {
        b = b * (n - k + i) / i;
    }
    return b;
}

/* At the degree n + 1 the reduced matrix expresses every monomial by 2^n ones of lower degree, if
 * no solution lies at infinity. */
static void unlucky_systems_reduce(macaulay *x, size_t n)
{
    *x = (macaulay){.n = n, .top = (unsigned)n + 1};
    const size_t columns = unlucky_systems_binomial(n + x->top, n);
    x->m = calloc(columns, sizeof *x->m);
    x->row = calloc(columns, sizeof *x->row);
    if (x->m == NULL || x->row == NULL) {
        abort();
    }
    for (unsigned d = x->top + 1; d-- > 0;) {
        monomial m = {{0}};
        unlucky_systems_list(x, &m, 0, d);
    }
    const size_t rows = n * unlucky_systems_binomial(n + x->top - 2, n);
    fmpz_mat_init(x->a, (slong)rows, (slong)columns);
    fmpz_init(x->den);
    size_t row = 0;
    for (size_t j = 0; j < columns; j++) {
        if (unlucky_systems_degree(&x->m[j]) + 2 <= x->top) {
            for (size_t i = 0; i < n; i++) {
                unlucky_systems_equation(x, row++, &x->m[j], i);
            }
        }
    }
    const slong rank = fmpz_mat_rref(x->a, x->den, x->a);
    slong next = 0;
    for (size_t j = 0; j < columns; j++) {
        const bool pivot = next < rank && !fmpz_is_zero(fmpz_mat_entry(x->a, next, (slong)j));
        x->row[j] = pivot ? next++ : -1;
    }
}

static void unlucky_systems_clear(macaulay *x)
{
    fmpz_mat_clear(x->a);
    fmpz_clear(x->den);
    free(x->m);
    free(x->row);
}

/* t, of as many rows and columns as columns without a pivot, := den times the matrix of the
 * multiplication by the last unknown. false: some product has a degree above the top one. */
static bool unlucky_systems_multiplication(fmpz_mat_t t, const macaulay *x, const size_t *basis,
                                           size_t size)
{
    monomial last = {{0}};
    last.e[x->n - 1] = 1;
    for (size_t i = 0; i < size; i++) {
        const monomial m = unlucky_systems_times(x->m[basis[i]], last);
        const size_t j = unlucky_systems_find(x, &m);
        if (j == x->count) {
            return false;
        }
        for (size_t k = 0; k < size; k++) {
            fmpz *at = fmpz_mat_entry(t, (slong)i, (slong)k);
            if (x->row[j] >= 0) {
                fmpz_neg(at, fmpz_mat_entry(x->a, x->row[j], (slong)basis[k]));
            } else if (basis[k] == j) {
                fmpz_set(at, x->den);
            }
        }
    }
    return true;
}

/* Whether 1 / 3 and 0 are zeros of r: u_0 = u_n = 1/3 and u_0 = 1 are solutions. */
static bool has_known_zeros(const fmpz_poly_t r)
{
    fmpz_poly_t known, rest;
    fmpz_poly_init(known);
    fmpz_poly_init(rest);
    fmpz_poly_set_coeff_si(known, 1, -1);
    fmpz_poly_set_coeff_si(known, 2, 3);
    const bool ok = fmpz_poly_divides(rest, r, known);
    fmpz_poly_clear(known);
    fmpz_poly_clear(rest);
    return ok;
}

bool katsura_eliminant(fmpz_poly_t r, size_t n)
{
    macaulay x;
    unlucky_systems_reduce(&x, n);
    size_t basis[(size_t)1 << UNKNOWNS], size = 0, free_columns = 0;
    for (size_t j = 0; j < x.count; j++) {
        if (x.row[j] < 0) {
            free_columns++;
            if (size < (size_t)1 << n) {
                basis[size++] = j;
            }
        }
    }
    fmpz_mat_t t;
    fmpz_mat_init(t, (slong)size, (slong)size);
    bool ok = free_columns == (size_t)1 << n && unlucky_systems_multiplication(t, &x, basis, size);
    if (ok) {
        /* That of den times a matrix, at den z. */
        fmpz_t power;
        fmpz_init_set_ui(power, 1);
        fmpz_mat_charpoly(r, t);
        for (slong i = 0; i < fmpz_poly_length(r); i++) {
            fmpz_mul(fmpz_poly_get_coeff_ptr(r, i), fmpz_poly_get_coeff_ptr(r, i), power);
            fmpz_mul(power, power, x.den);
        }
        fmpz_clear(power);
        fmpz_poly_primitive_part(r, r);
        ok = has_known_zeros(r);
    }
    fmpz_mat_clear(t);
    unlucky_systems_clear(&x);
    return ok;
}

/* Noon-3: t (s - t^2) - 11/10 t + 1 = 0 for the three unknowns t, s the sum of their squares. The
 * equation of z gives s; x and y are zeros of z t^3 + (1 - z^3) t - z; y^2 is known from s, x and
 * z, and y from its equation and y^2. */
bool noon_eliminant(fmpz_poly_t r, fmpz_mpoly_ctx_t ring)
{
    const char *names[2] = {"x", "z"};
    fmpz_mpoly_t f, g;
    fmpz_poly_t part, rest;
    fmpz_mpoly_init(f, ring);
    fmpz_mpoly_init(g, ring);
    fmpz_poly_init(part);
    fmpz_poly_init(rest);
    bool ok = fmpz_mpoly_set_str_pretty(f, "z*x^3+(1-z^3)*x-z", names, ring) == 0 &&
              fmpz_mpoly_set_str_pretty(g, "(11*z-10-10*z*x^2)*(11-10*z^2-10*x^2)^2-1000*z", names,
                                        ring) == 0 &&
              fmpz_mpoly_resultant(f, f, g, 0, ring) && fmpz_mpoly_get_fmpz_poly(r, f, 1, ring);
    if (ok) {
        /* z = 0 is no solution. Equal unknowns are zeros of 20 t^3 - 11 t + 10. */
        while (fmpz_poly_length(r) > 0 && fmpz_is_zero(r->coeffs)) {
            fmpz_poly_shift_right(r, r, 1);
        }
        fmpz_poly_derivative(part, r);
        fmpz_poly_gcd(part, part, r);
        fmpz_poly_primitive_part(r, r);
        fmpz_poly_primitive_part(part, part);
        fmpz_poly_div(r, r, part);
        (void)fmpz_poly_set_str(part, "4  10 -11 0 20");
        ok = fmpz_poly_divides(rest, r, part);
    }
    fmpz_poly_clear(rest);
    fmpz_poly_clear(part);
    fmpz_mpoly_clear(g, ring);
    fmpz_mpoly_clear(f, ring);
    return ok;
}
