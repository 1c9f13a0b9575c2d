/* elements.c: trace maps, minimal and characteristic polynomials modulo h of degree n.
 *
 * Trace map: with x_i = X^(p^i) and t_i = a + a^p + ... + a^(p^(i - 1)) modulo h, x_(i + j) is x_i
 * at x_j and t_(i + j) is t_j plus t_i at x_j (von zur Gathen, Shoup). Minimal polynomial: that of
 * the values l(a^i) of a random form divides it, and is it where a is a root. Characteristic
 * polynomial: the power sums of its roots are the traces of a^i.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/elements.h"

#include "poly/euclid/gcd.h"
#include "poly/sequence.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* ---- trace map ---- */

/* x_i and t_i, n elements each; NULL: not wanted. */
typedef struct frobenius {
    uint64_t *x, *t;
} frobenius;

/* to := the numbers i + j from those for i and for j, at the argument x_j. */
static gfp_status elements_join(gfp_operation_call *op, frobenius to, frobenius from,
                                const uint64_t *t_j, const gfp_compose_argument *A)
{
    const size_t n = A->M->divisor.n;
    gfp_series f[2] = {{NULL, 0}};
    uint64_t *r[2] = {NULL};
    size_t count = 0;
    if (to.x != NULL) {
        f[count] = (gfp_series){from.x, n};
        r[count++] = to.x;
    }
    if (to.t != NULL) {
        f[count] = (gfp_series){from.t, n};
        r[count++] = to.t;
    }
    GFP_TRY(gfp_compose_modular(op, r, A, f, count));
    if (to.t != NULL) {
        gfp_vec_add(op->field, to.t, to.t, t_j, n);
    }
    return GFP_OK;
}

/* to := those for 2 i. */
static gfp_status elements_twice(gfp_operation_call *op, frobenius to, frobenius from,
                                 const gfp_modulus *M)
{
    gfp_compose_argument A;
    const gfp_series x = {from.x, M->divisor.n};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_compose_argument_borrow(op, &A, M, x, to.x != NULL && to.t != NULL ? 2 : 1));
    GFP_TRY(elements_join(op, to, from, from.t, &A));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static unsigned bits_of(size_t d)
{
    unsigned bits = 0;
    for (; d > 0; d /= 2) {
        bits++;
    }
    return bits;
}

static unsigned ones_of(size_t d)
{
    unsigned ones = 0;
    for (; d > 0; d /= 2) {
        ones += d % 2;
    }
    return ones;
}

/* now := the numbers for d >= 1, from the first ones; both have room, `next` as well. x_d itself is
 * computed where `power` asks for it. */
static gfp_status elements_climb(gfp_operation_call *op, frobenius *now, frobenius next,
                                 const frobenius *first, size_t d, const gfp_modulus *M, bool power)
{
    const unsigned ones = ones_of(d);
    gfp_compose_argument one = {.M = M};
    if (ones > 1) {
        const size_t uses = (size_t)(ones - 1) * (first->t == NULL ? 1 : 2);
        const gfp_series x = {first->x, M->divisor.n};
        GFP_TRY(gfp_compose_argument_borrow(op, &one, M, x, uses));
    }
    for (unsigned i = bits_of(d) - 1; i-- > 0;) {
        const bool odd = d >> i & 1;
        frobenius to = next;
        if (i == 0 && !odd && !power) {
            to.x = NULL;
        }
        GFP_TRY(elements_twice(op, to, *now, M));
        next = *now;
        *now = to;
        if (odd) {
            to = next;
            if (i == 0 && !power) {
                to.x = NULL;
            }
            GFP_TRY(elements_join(op, to, *now, first->t, &one));
            next = *now;
            *now = to;
        }
    }
    return GFP_OK;
}

static gfp_status pair_of(gfp_operation_call *op, frobenius *w, size_t n, bool trace)
{
    w->t = NULL;
    GFP_TRY(gfp_operation_array(op, &w->x, n));
    return trace ? gfp_operation_array(op, &w->t, n) : GFP_OK;
}

/* x, n elements, := X mod h. */
static gfp_status elements_identity(gfp_operation_call *op, uint64_t *x, const gfp_modulus *M)
{
    uint64_t digits[2 * GFP_MAX_K];
    gfp_elem_zero(op->field, digits);
    gfp_elem_one(op->field, digits + gfp_field_k(op->field));
    return gfp_modulus_reduce(op, M, x, (gfp_series){digits, 2});
}

gfp_status gfp_compose_trace(gfp_operation_call *op, uint64_t *trace, uint64_t *power,
                             const gfp_modulus *M, gfp_series a, gfp_series x_p, size_t d)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n;
    frobenius first, now, next;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (d == 0) {
        if (trace != NULL) {
            gfp_vec_zero(field, trace, n);
        }
        return power == NULL ? GFP_OK : elements_identity(op, power, M);
    }
    GFP_TRY(pair_of(op, &first, n, trace != NULL));
    GFP_TRY(pair_of(op, &now, n, trace != NULL));
    GFP_TRY(pair_of(op, &next, n, trace != NULL));
    gfp_series_copy(field, first.x, n, x_p);
    gfp_vec_set(field, now.x, first.x, n);
    if (trace != NULL) {
        gfp_series_copy(field, first.t, n, a);
        gfp_vec_set(field, now.t, first.t, n);
    }
    GFP_TRY(elements_climb(op, &now, next, &first, d, M, power != NULL));
    if (power != NULL) {
        gfp_vec_set(field, power, now.x, n);
    }
    if (trace != NULL) {
        gfp_vec_set(field, trace, now.t, n);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* The units of a composition with its argument. */
static double composition_units(const gfp_modulus *M)
{
    const size_t n = M->divisor.n;
    const gfp_compose_argument A = {.M = M,
                                    .s = M->quotients == NULL ? 0 : gfp_compose_steps(M, 1)};
    return gfp_compose_argument_units(M, 1) + gfp_compose_modular_units(&A, n);
}

double gfp_compose_trace_units(const gfp_modulus *M, size_t d)
{
    return (double)(bits_of(d) + ones_of(d)) * 1.5 * composition_units(M);
}

/* ---- elements of degree at most 1 ---- */

/* f, n + 1 elements, := the characteristic polynomial of b X + c modulo h of degree n, b and c
 * those of a with a.len <= 2: that of X or, for b = 0, of 0, divided by powers of b and shifted by
 * -c. The characteristic is above n. */
static gfp_status characteristic_of_linear(gfp_operation_call *op, uint64_t *f,
                                           const gfp_modulus *M, gfp_series a)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, k = gfp_field_k(field);
    uint64_t *g, x[GFP_MAX_K], minus_c[GFP_MAX_K];
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &g, n + 1));
    gfp_vec_zero(field, g, n);
    gfp_elem_one(field, g + n * k);
    if (a.len == 2) {
        GFP_TRY(gfp_elem_inv(field, x, a.digits + k));
        gfp_vec_set(field, g, M->f.digits, n + 1);
        if (!gfp_elem_is_one(field, x)) {
            GFP_TRY(gfp_sequence_times_powers(op, g, n + 1, x));
        }
        GFP_TRY(gfp_elem_inv(field, x, g + n * k));
        if (!gfp_elem_is_one(field, x)) {
            gfp_vec_scalar_mul(field, g, g, x, n + 1);
        }
    }
    gfp_elem_zero(field, minus_c);
    if (a.len > 0) {
        gfp_elem_neg(field, minus_c, a.digits);
    }
    GFP_TRY(gfp_taylor_shift(op, f, g, n + 1, minus_c));
    GFP_TRY(op->base.options->verify == GFP_VERIFY_NONE
                ? GFP_OK
                : gfp_taylor_check(op, f, g, n + 1, minus_c));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Whether the element has a degree of at most 1, and that case is served apart; trims a. */
static bool is_linear(const gfp_operation_call *op, const gfp_modulus *M, gfp_series *a)
{
    a->len = gfp_series_trim(op->field, a->digits, a->len);
    return !op->classical && a->len <= 2 && gfp_series_has_inverses(op->field, M->divisor.n + 1);
}

/* f := X - c. */
static void minimal_of_constant(const gfp_field *field, uint64_t *f, size_t *len, gfp_series c)
{
    gfp_vec_zero(field, f, 1);
    if (c.len > 0) {
        gfp_elem_neg(field, f, c.digits);
    }
    gfp_elem_one(field, f + gfp_field_k(field));
    *len = 2;
}

/* ---- minimal polynomial ---- */

/* z, n elements, := the first n coefficients of X^len f(1 / X) for f of degree len. */
static void reverse_of(const gfp_field *field, uint64_t *z, size_t n, const uint64_t *f, size_t len)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = 0; i < n; i++) {
        if (i <= len) {
            gfp_vec_set(field, z + i * k, f + (len - i) * k, 1);
        } else {
            gfp_elem_zero(field, z + i * k);
        }
    }
}

/* A form under way to the minimal polynomial. */
typedef struct search {
    gfp_operation_call *op;
    const gfp_compose_argument *A;
    gfp_random random;
    uint64_t *form;  /* n elements */
    gfp_piece found; /* a divisor of the minimal polynomial, room for n + 1 coefficients */
    uint64_t *rest;  /* its value at the element, n elements */
} search;

static gfp_status elements_seed(gfp_operation_call *op, gfp_random *g)
{
    uint64_t s = op->base.options->verify_seed;
    if (s == 0) {
        GFP_TRY(gfp_system_seed(&s, &op->base.error));
    }
    gfp_random_seed(g, s);
    return GFP_OK;
}

/* Compares the value of the form at the sum of d^i X^i with that of l at its product by the rest.
 */
static gfp_status check_form_at(search *w, const uint64_t *l, const gfp_multiplier *B, uint64_t d)
{
    const gfp_field *field = w->op->field;
    const size_t n = w->A->M->divisor.n, k = gfp_field_k(field);
    uint64_t *a, *r, x[GFP_MAX_K], y[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(w->op, &a, n));
    GFP_TRY(gfp_operation_array(w->op, &r, n));
    gfp_elem_set_u64(field, x, d);
    gfp_elem_one(field, a);
    for (size_t i = 1; i < n; i++) {
        gfp_elem_mul(field, a + i * k, a + (i - 1) * k, x);
    }
    GFP_TRY(gfp_multiplier_apply(w->op, r, (gfp_series){a, n}, B, NULL));
    gfp_vec_dot(field, x, w->form, a, n);
    gfp_vec_dot(field, y, l, r, n);
    return gfp_elem_equal(field, x, y) ? GFP_OK : gfp_operation_wrong(w->op, GFP_NO_INDEX);
}

/* Checks the form, whose reverse is given: at points, or by the definition. */
static gfp_status check_form(search *w, const uint64_t *l, const uint64_t *reversed,
                             const gfp_multiplier *B)
{
    const size_t n = w->A->M->divisor.n;
    uint64_t d[GFP_VERIFY_MAX_POINTS], *again, *other;
    unsigned points;
    if (w->op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_check_begin(w->op, n, &points, d, 1, 1));
    if (points == 0) {
        gfp_multiplier plain = *B;
        plain.quotient = NULL;
        GFP_TRY(gfp_operation_array(w->op, &again, n));
        reverse_of(w->op->field, again, n, l, n - 1);
        GFP_TRY(gfp_operation_array(w->op, &other, n));
        GFP_TRY(gfp_multiplier_transpose(w->op, other, again, &plain));
        return gfp_vec_equal(w->op->field, other, reversed, n)
                   ? GFP_OK
                   : gfp_operation_wrong(w->op, GFP_NO_INDEX);
    }
    for (unsigned i = 0; i < points; i++) {
        GFP_TRY(check_form_at(w, l, B, d[i]));
    }
    return GFP_OK;
}

/* form := a -> l(a rest) for a random form l. */
static gfp_status draw_form(search *w)
{
    gfp_operation_call *op = w->op;
    const size_t n = w->A->M->divisor.n;
    uint64_t *l, *reversed, *transposed;
    gfp_multiplier B;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &l, n));
    GFP_TRY(gfp_operation_array(op, &reversed, n));
    GFP_TRY(gfp_operation_array(op, &transposed, n));
    gfp_vec_random(op->field, l, n, &w->random);
    reverse_of(op->field, reversed, n, l, n - 1);
    GFP_TRY(gfp_multiplier_borrow(op, &B, w->A->M, (gfp_series){w->rest, n}));
    GFP_TRY(gfp_multiplier_transpose(op, transposed, reversed, &B));
    reverse_of(op->field, w->form, n, transposed, n - 1);
    GFP_TRY(check_form(w, l, transposed, &B));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* found := found times the minimal polynomial of the values of the form; rest: their value. */
static gfp_status elements_extend(search *w)
{
    gfp_operation_call *op = w->op;
    const size_t n = w->A->M->divisor.n, count = 2 * (n + 1 - w->found.len);
    uint64_t *values, *product;
    gfp_piece factor;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &values, count));
    GFP_TRY(gfp_operation_array(op, &product, n + 1));
    GFP_TRY(gfp_compose_project(op, values, count, w->A, w->form));
    GFP_TRY(gfp_compose_project_check(op, values, count, w->A, w->form));
    GFP_TRY(gfp_minimal_polynomial(op, &factor, values, count));
    if (factor.len > n + 2 - w->found.len) { /* the values were wrong */
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    const size_t len = factor.len + w->found.len - 1;
    const gfp_range range = {.field = op->field,
                             .a = factor.digits,
                             .b = w->found.digits,
                             .len_a = factor.len,
                             .len_b = w->found.len,
                             .end = len};
    GFP_TRY(gfp_operation_product(op, NULL, product, &range));
    gfp_vec_set(op->field, w->found.digits, product, len);
    w->found.len = len;
    const gfp_series f = gfp_piece_series(w->found);
    GFP_TRY(gfp_compose_modular(op, &w->rest, w->A, &f, 1));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* A form finds the minimal polynomial with a probability of at least 1 - n / p, and some factor of
 * it, where the rest is not 0, with one of at least 1 - 1 / p. */
#define ROUNDS(n) (200 + 4 * (n))

gfp_status gfp_compose_minimal(gfp_operation_call *op, uint64_t *f, size_t *len,
                               const gfp_modulus *M, gfp_series a)
{
    const size_t n = M->divisor.n;
    gfp_compose_argument A;
    search w = {.op = op, .A = &A};
    if (is_linear(op, M, &a)) {
        if (a.len < 2) {
            minimal_of_constant(op->field, f, len, a);
            return GFP_OK;
        }
        *len = n + 1;
        return characteristic_of_linear(op, f, M, a);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(elements_seed(op, &w.random));
    GFP_TRY(gfp_compose_argument_borrow(op, &A, M, a, 3));
    GFP_TRY(gfp_operation_array(op, &w.form, n));
    GFP_TRY(gfp_operation_array(op, &w.rest, n));
    GFP_TRY(gfp_operation_array(op, &w.found.digits, n + 1));
    w.found.len = 1;
    gfp_elem_one(op->field, w.found.digits);
    gfp_vec_zero(op->field, w.rest, n);
    gfp_elem_one(op->field, w.rest);
    for (size_t i = 0; gfp_series_trim(op->field, w.rest, n) > 0; i++) {
        if (w.found.len > n || i == ROUNDS(n)) {
            return gfp_operation_wrong(op, GFP_NO_INDEX);
        }
        if (i == 0) {
            gfp_vec_random(op->field, w.form, n, &w.random);
        } else {
            GFP_TRY(draw_form(&w));
        }
        GFP_TRY(elements_extend(&w));
    }
    gfp_vec_set(op->field, f, w.found.digits, w.found.len);
    *len = w.found.len;
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_compose_minimal_units(const gfp_modulus *M)
{
    const size_t n = M->divisor.n;
    return 4 * composition_units(M) + gfp_reduce_units(2 * n, n);
}

/* ---- characteristic polynomial ---- */

/* l, n elements, := the traces of 1, X, ..., X^(n - 1): the sum of l_i T^i is the quotient of the
 * reversed derivative of h by the reversed h. */
static gfp_status trace_form(gfp_operation_call *op, uint64_t *l, const gfp_modulus *M)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, k = gfp_field_k(field);
    uint64_t *derivative, *top, *bottom;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &derivative, n));
    GFP_TRY(gfp_operation_array(op, &top, n));
    GFP_TRY(gfp_operation_array(op, &bottom, n));
    GFP_TRY(gfp_series_times_index(op, derivative, M->f.digits + k, 1, n));
    reverse_of(field, top, n, derivative, n - 1);
    reverse_of(field, bottom, n, M->f.digits, n);
    GFP_TRY(gfp_series_divide(op, l, n, (gfp_series){top, n}, (gfp_series){bottom, n}));
    const gfp_operation_claim claim = {
        .c = top, .a = l, .b = bottom, .len_c = n, .len_a = n, .len_b = n, .end = n};
    GFP_TRY(gfp_operation_check_product(op, &claim));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

gfp_status gfp_compose_characteristic(gfp_operation_call *op, uint64_t *f, const gfp_modulus *M,
                                      gfp_series a)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, k = gfp_field_k(field);
    gfp_compose_argument A;
    uint64_t *form, *sums, *inverse, *reversed;
    if (is_linear(op, M, &a)) {
        return characteristic_of_linear(op, f, M, a);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_compose_argument_borrow(op, &A, M, a, 2));
    GFP_TRY(gfp_operation_array(op, &form, n));
    GFP_TRY(gfp_operation_array(op, &sums, n + 1));
    GFP_TRY(gfp_operation_array(op, &inverse, n + 1));
    GFP_TRY(gfp_operation_array(op, &reversed, n + 1));
    GFP_TRY(trace_form(op, form, M));
    GFP_TRY(gfp_compose_project(op, sums, n + 1, &A, form));
    GFP_TRY(gfp_compose_project_check(op, sums, n + 1, &A, form));
    GFP_TRY(gfp_series_inverses(op, inverse, n + 1));
    gfp_elem_zero(field, sums);
    gfp_vec_mul(field, sums + k, sums + k, inverse + k, n);
    gfp_vec_neg(field, sums, sums, n + 1);
    const gfp_series h = {sums, n + 1};
    GFP_TRY(gfp_series_exp(op, reversed, n + 1, h, inverse));
    if (op->base.options->verify != GFP_VERIFY_NONE) {
        GFP_TRY(gfp_series_check_exp(op, reversed, n + 1, h));
    }
    reverse_of(field, f, n + 1, reversed, n);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_compose_characteristic_units(const gfp_modulus *M)
{
    const size_t n = M->divisor.n;
    return 2 * composition_units(M) + gfp_series_exp_units(n + 1) + gfp_series_divide_units(n) +
           gfp_series_inverses_units(n + 1);
}
