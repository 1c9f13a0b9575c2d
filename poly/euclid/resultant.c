/* resultant.c: resultants and subresultants, from the degrees and leading coefficients of
 * remainders.
 *
 * With n_i = deg r_i, c_i the leading coefficient of r_i, and s r_(i-1) = q r_i + r_(i+1), for j <=
 * n_(i+1): S_j(r_(i-1), r_i) = (-1)^((n_(i-1) - j) (n_i - j)) c_i^(n_(i-1) - n_(i+1)) s^(j - n_i)
 * S_j(r_i, r_(i+1)). At the end, S_j(x, y) for n_i = deg x > j >= deg y is lc(y)^(n_i - j - 1) y if
 * deg y = j. If deg y < j = n_i - 1, the formula holds for the last step with j in place of
 * n_(i+1), and y; otherwise S_j is 0. S_0 is the resultant.
 *
 * s is 1 or c_i^2, so the factor of y is a product of powers of the c_i. All powers are computed
 * together, bit by bit of the exponents, by products of vectors.
 *
 * The leading coefficients p_i = S_(n_i)[n_i], i >= 1, follow each other: with Q_i the product of
 * s_1, ..., s_i and d = n_i - n_(i+1), p_(i+1) = +-p_i (c_i c_(i+1) / Q_i)^d.
 *
 * Joachim von zur Gathen, Juergen Gerhard, Modern Computer Algebra, section 11.2, has subresultants
 * and Euclid's algorithm.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/gcd.h"
#include "field/base/support.h"

/* Powers of elements x_i, the exponents of one sign. */
typedef struct powers {
    const uint64_t *x;
    const int64_t *exponent;
    size_t count;
    int sign; /* exponents of the other sign do not count */
} powers;

/* z := the product of the n elements t, which change. */
static void resultant_product(const gfp_field *field, uint64_t *z, uint64_t *t, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (; n > 1; n -= n / 2) {
        gfp_vec_mul(field, t, t, t + (n - n / 2) * k, n / 2);
    }
    if (n == 1) {
        gfp_elem_set(field, z, t);
    } else {
        gfp_elem_one(field, z);
    }
}

/* The bits of an exponent from `shift` on, as many as a digit has; 0 for the other sign. */
#define DIGIT_BITS 3
#define DIGITS ((size_t)1 << DIGIT_BITS)

static size_t digit_of(const powers *w, size_t i, unsigned shift)
{
    const int64_t e = w->sign * w->exponent[i];
    return e < 0 ? 0 : ((uint64_t)e >> shift) % DIGITS;
}

/* z := z times the x_i, each to the power of its digit; t is room for count elements. By Horner's
 * rule for the products of all x_i with one digit. */
static void multiply_digit(const gfp_field *field, uint64_t *z, const powers *w, unsigned shift,
                           uint64_t *t)
{
    const size_t k = gfp_field_k(field);
    uint64_t one[GFP_MAX_K], passed[GFP_MAX_K];
    gfp_elem_one(field, passed);
    for (size_t digit = DIGITS - 1; digit > 0; digit--) {
        size_t n = 0;
        for (size_t i = 0; i < w->count; i++) {
            if (digit_of(w, i, shift) == digit) {
                gfp_elem_set(field, t + n++ * k, w->x + i * k);
            }
        }
        resultant_product(field, one, t, n);
        gfp_elem_mul(field, passed, passed, one);
        gfp_elem_mul(field, z, z, passed);
    }
}

/* z := the product of the powers. */
static void multiply_powers(const gfp_field *field, uint64_t *z, const powers *w, uint64_t *t)
{
    int64_t most = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < w->count; i++) {
        most = w->sign * w->exponent[i] > most ? w->sign * w->exponent[i] : most;
    }
    while (most >> bits != 0) {
        bits += DIGIT_BITS;
    }
    gfp_elem_one(field, z);
    for (unsigned shift = bits; shift > 0; shift -= DIGIT_BITS) {
        for (unsigned i = 0; i < DIGIT_BITS; i++) {
            gfp_elem_sqr(field, z, z);
        }
        multiply_digit(field, z, w, shift - DIGIT_BITS, t);
    }
}

/* ---- the factor of the last remainder ---- */

/* The exponents of c_1, c_2, ... in the factor of S_j; returns whether the sign is negative. n is
 * deg r_0. */
static bool find_exponents(const gfp_quotients *list, int64_t *exponent, size_t n, size_t j)
{
    int64_t before = (int64_t)(n - j); /* degrees less j */
    bool negative = false;
    for (size_t i = 0; i < list->count; i++) {
        const bool scaled = list->degrees[i] % 2 == 1, last = i + 1 == list->count;
        const int64_t now = before - (int64_t)(list->degrees[i] / 2);
        const int64_t next = last ? 0 : now - (int64_t)(list->degrees[i + 1] / 2);
        exponent[i] = before - next - (scaled ? 2 * now : 0);
        negative ^= before % 2 == 1 && now % 2 == 1;
        before = now;
    }
    return negative;
}

/* num / den := the factor: S_j of w->a and w->b is num / den w->y. y is not 0. */
static gfp_status find_factor(gfp_reduction *w, uint64_t *num, uint64_t *den, size_t j)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), count = w->list.count;
    uint64_t *room, *t;
    GFP_TRY(gfp_operation_array(op, &room, count / k + 2));
    GFP_TRY(gfp_operation_array(op, &t, count + 1));
    int64_t *exponent = (int64_t *)room;
    const bool negative = find_exponents(&w->list, exponent, w->a.len - 1, j);
    gfp_elem_set(field, w->list.lead + (count + 1) * k, w->y.digits + (w->y.len - 1) * k);
    exponent[count] = (int64_t)(w->x.len - j - 2);
    powers p = {w->list.lead + k, exponent, count + 1, -1};
    multiply_powers(field, den, &p, t);
    p.sign = 1;
    multiply_powers(field, num, &p, t);
    if (negative) {
        gfp_elem_neg(field, num, num);
    }
    return GFP_OK;
}

/* w, begun here, is led to the two remainders from which S_j follows, and checked. */
static gfp_status lead_to(gfp_operation_call *op, gfp_reduction *w, gfp_series a, gfp_series b,
                          size_t j)
{
    w->kept = false;
    w->listed = true;
    GFP_TRY(gfp_reduction_begin(op, w, a, b));
    GFP_TRY(gfp_reduce(w, j + 1));
    return gfp_reduction_check(w);
}

/* Whether exchanging polynomials of these lengths changes the sign of S_j. */
static bool changes_sign(gfp_series a, gfp_series b, size_t j)
{
    return (a.len - 1 - j) % 2 == 1 && (b.len - 1 - j) % 2 == 1;
}

/* ---- resultants ---- */

/* a is at least as long as b, and b is not 0. */
static gfp_status ratio_of_longer(gfp_operation_call *op, uint64_t *num, uint64_t *den,
                                  gfp_series a, gfp_series b)
{
    gfp_reduction w;
    gfp_elem_one(op->field, num);
    gfp_elem_one(op->field, den);
    if (a.len == 1) {
        return GFP_OK;
    }
    GFP_TRY(lead_to(op, &w, a, b, 0));
    if (w.y.len == 0) {
        gfp_elem_zero(op->field, num);
        return GFP_OK;
    }
    GFP_TRY(find_factor(&w, num, den, 0));
    gfp_elem_mul(op->field, num, num, w.y.digits);
    return GFP_OK;
}

/* num / den, elements, := the resultant; den is not 0. Checked at points if options->verify says
 * so; not by a second method. */
static gfp_status resultant_ratio(gfp_operation_call *op, uint64_t *num, uint64_t *den,
                                  gfp_series a, gfp_series b)
{
    const gfp_field *field = op->field;
    const bool exchanged = a.len < b.len;
    if (a.len == 0 || b.len == 0) {
        gfp_elem_zero(field, num);
        gfp_elem_one(field, den);
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(ratio_of_longer(op, num, den, exchanged ? b : a, exchanged ? a : b));
    gfp_operation_release(op, mark);
    if (exchanged && changes_sign(a, b, 0)) {
        gfp_elem_neg(field, num, num);
    }
    return GFP_OK;
}

/* Whether a result is computed again by a second method. */
static bool is_compared(const gfp_operation_call *op, gfp_series a, gfp_series b)
{
    return a.len > 0 && b.len > 0 && gfp_check_by_method(op, a.len + b.len + 1);
}

/* Computes r again by a second method. */
static gfp_status resultant_compare(gfp_operation_call *op, const uint64_t *r, gfp_series a,
                                    gfp_series b)
{
    gfp_operation_call again;
    gfp_options options;
    uint64_t other[GFP_MAX_K];
    GFP_TRY(gfp_operation_begin_again(&again, &options, op, a.len > b.len ? a.len : b.len,
                                      gfp_gcd_units(a.len, b.len, false)));
    GFP_TRY(gfp_operation_end_again(&again, op, gfp_resultant(&again, other, a, b)));
    return gfp_elem_equal(op->field, r, other) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

gfp_status gfp_resultant(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b)
{
    uint64_t den[GFP_MAX_K];
    GFP_TRY(resultant_ratio(op, r, den, a, b));
    GFP_TRY(gfp_elem_inv(op->field, den, den));
    gfp_elem_mul(op->field, r, r, den);
    return is_compared(op, a, b) ? resultant_compare(op, r, a, b) : GFP_OK;
}

/* ---- subresultants ---- */

/* s := S_j; a is at least as long as b. */
static gfp_status subresultant_of_longer(gfp_operation_call *op, gfp_piece *s, gfp_series a,
                                         gfp_series b, size_t j)
{
    const gfp_field *field = op->field;
    gfp_reduction w;
    uint64_t num[GFP_MAX_K], den[GFP_MAX_K];
    s->len = 0;
    GFP_TRY(lead_to(op, &w, a, b, j));
    if (w.y.len == 0 || (w.y.len < j + 1 && w.x.len > j + 2)) {
        return GFP_OK;
    }
    GFP_TRY(find_factor(&w, num, den, j));
    GFP_TRY(gfp_elem_inv(field, den, den));
    gfp_elem_mul(field, num, num, den);
    gfp_vec_scalar_mul(field, s->digits, w.y.digits, num, w.y.len);
    s->len = w.y.len;
    return GFP_OK;
}

static gfp_status resultant_subresultant(gfp_operation_call *op, gfp_piece *s, gfp_series a,
                                         gfp_series b, size_t j)
{
    const bool exchanged = a.len < b.len;
    GFP_TRY(gfp_piece_make(op, s, j + 1));
    if (a.len == 0 || b.len == 0) {
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(subresultant_of_longer(op, s, exchanged ? b : a, exchanged ? a : b, j));
    gfp_operation_release(op, mark);
    if (exchanged && changes_sign(a, b, j)) {
        gfp_vec_neg(op->field, s->digits, s->digits, s->len);
    }
    return GFP_OK;
}

/* Computes S_j again by a second method. */
static gfp_status compare_again(gfp_operation_call *op, gfp_series z, gfp_series a, gfp_series b,
                                size_t j)
{
    gfp_operation_call again;
    gfp_options options;
    gfp_piece other;
    bool good = false;
    GFP_TRY(gfp_operation_begin_again(&again, &options, op, a.len > b.len ? a.len : b.len,
                                      gfp_gcd_units(a.len, b.len, false)));
    const gfp_status status = resultant_subresultant(&again, &other, a, b, j);
    if (status == GFP_OK) {
        good = other.len == z.len && gfp_vec_equal(op->field, z.digits, other.digits, z.len);
    }
    GFP_TRY(gfp_operation_end_again(&again, op, status));
    return good ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

gfp_status gfp_subresultant(gfp_operation_call *op, gfp_piece *s, gfp_series a, gfp_series b,
                            size_t j)
{
    GFP_TRY(resultant_subresultant(op, s, a, b, j));
    return is_compared(op, a, b) ? compare_again(op, gfp_piece_series(*s), a, b, j) : GFP_OK;
}
