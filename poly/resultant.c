/* resultant.c: resultants, from the degrees and leading coefficients of remainders.
 *
 * With n_i = deg r_i, c_i the leading coefficient of r_i, and s r_(i-1) = q r_i + r_(i+1):
 * Res(r_(i-1), r_i) = (-1)^(n_(i-1) n_i) c_i^(n_(i-1) - n_(i+1)) s^(-n_i) Res(r_i, r_(i+1)).
 * s is 1 or c_i^2, so the resultant is a product of powers of the c_i. All powers are computed
 * together, bit by bit of the exponents, by products of vectors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gcd.h"
#include "support.h"

/* Powers of elements x_i, the exponents of one sign. */
typedef struct powers {
    const uint64_t *x;
    const int64_t *exponent;
    size_t count;
    int sign; /* exponents of the other sign do not count */
} powers;

/* z := the product of the n elements t, which change. */
static void product(const gfp_field *field, uint64_t *z, uint64_t *t, size_t n)
{
    const size_t k = gfp_field_k(field);
    for (; n > 1; n -= n / 2) {
        gfp_vec_mul(field, t, t, t + (n - n / 2) * k, n / 2);
    }
    if (n == 1) {
        gfp_elem_copy(field, z, t);
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
                gfp_elem_copy(field, t + n++ * k, w->x + i * k);
            }
        }
        product(field, one, t, n);
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

/* The exponents of c_1, c_2, ...; returns whether the sign is negative. n is deg r_0. */
static bool find_exponents(const gfp_quotients *list, int64_t *exponent, size_t n)
{
    int64_t before = (int64_t)n;
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

static gfp_status from_list(gfp_operation_call *op, uint64_t *r, const gfp_quotients *list,
                            size_t n)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *room, *t, z[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &room, list->count / k + 1));
    GFP_TRY(gfp_operation_array(op, &t, list->count));
    int64_t *exponent = (int64_t *)room;
    const bool negative = find_exponents(list, exponent, n);
    powers w = {list->lead + k, exponent, list->count, -1};
    multiply_powers(field, z, &w, t);
    GFP_TRY(gfp_elem_inv(field, z, z));
    w.sign = 1;
    multiply_powers(field, r, &w, t);
    gfp_elem_mul(field, r, r, z);
    if (negative) {
        gfp_elem_neg(field, r, r);
    }
    return GFP_OK;
}

/* a is at least as long as b, and both are not 0. */
static gfp_status of_longer(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b)
{
    gfp_reduction w = {.listed = true};
    GFP_TRY(gfp_reduction_begin(op, &w, a, b));
    GFP_TRY(gfp_reduce(&w, 0));
    GFP_TRY(gfp_reduction_check(&w));
    if (w.x.len > 1) {
        gfp_elem_zero(op->field, r);
        return GFP_OK;
    }
    return from_list(op, r, &w.list, a.len - 1);
}

/* Computes r again by a second method. */
static gfp_status compare(gfp_operation_call *op, const uint64_t *r, gfp_series a, gfp_series b)
{
    gfp_operation_call again;
    gfp_options options;
    uint64_t other[GFP_MAX_K];
    GFP_TRY(
        gfp_operation_begin_again(&again, &options, op, a.len, gfp_gcd_units(a.len, b.len, false)));
    GFP_TRY(gfp_operation_end_again(&again, op, gfp_resultant(&again, other, a, b)));
    return gfp_elem_equal(op->field, r, other) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

gfp_status gfp_resultant(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b)
{
    const gfp_field *field = op->field;
    if (a.len == 0 || b.len == 0) {
        gfp_elem_zero(field, r);
        return GFP_OK;
    }
    if (a.len < b.len) {
        GFP_TRY(gfp_resultant(op, r, b, a));
        if (a.len % 2 == 0 && b.len % 2 == 0) {
            gfp_elem_neg(field, r, r);
        }
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(of_longer(op, r, a, b));
    gfp_operation_release(op, mark);
    return gfp_check_by_method(op, a.len + b.len + 1) ? compare(op, r, a, b) : GFP_OK;
}
