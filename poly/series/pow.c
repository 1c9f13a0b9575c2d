/* pow.c: powers of power series: f = X^v u with u_0 != 0 has f^e = X^(v e) u^e, and u^e is
 * u_0^e exp(e log(u / u_0)), or a few products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/series/impl.h"

#include "field/base/support.h"
#include "poly/terms.h"

/* Powers that take up to this number of products are computed by them: logarithm and exponential
 * take as long as about 6. Measured: docs/design/toolkit.md. */
#define PRODUCTS_MAX 5

/* ---- the plan ---- */

static bool pow_bit(const gfp_power *w, size_t i)
{
    return w->exponent[i / 64] >> (i % 64) & 1;
}

/* The bits of the exponent, which is not 0. */
static size_t bits_of(const gfp_power *w)
{
    size_t bits = 64 * w->limbs;
    while (!pow_bit(w, bits - 1)) {
        bits--;
    }
    return bits;
}

/* A square for each bit below the highest one, and a product where the bit is 1. */
static size_t count_products(const gfp_power *w)
{
    const size_t bits = bits_of(w);
    size_t products = bits - 1;
    for (size_t i = 0; i + 1 < bits; i++) {
        products += pow_bit(w, i);
    }
    return products;
}

/* The shift v e, at most n. */
static size_t shift_of(const gfp_power *w, size_t v)
{
    if (v == 0) {
        return 0;
    }
    return w->limbs > 1 || w->exponent[0] >= w->n || v >= w->n / (size_t)w->exponent[0] + 1
               ? w->n
               : gfp_size_min(w->n, v * (size_t)w->exponent[0]);
}

void gfp_power_plan(gfp_power *w, const gfp_field *field, size_t n, gfp_series f,
                    const uint64_t *exponent, size_t limbs)
{
    const size_t v = gfp_terms_valuation(field, f);
    while (limbs > 0 && exponent[limbs - 1] == 0) {
        limbs--;
    }
    *w = (gfp_power){.n = n, .exponent = exponent, .limbs = limbs};
    if (limbs > 0) {
        w->shift = v == f.len ? n : shift_of(w, v);
        w->u = gfp_series_slice(field, f, v, n - w->shift);
        w->products = count_products(w);
        if (w->products > PRODUCTS_MAX && gfp_series_has_inverses(field, n - w->shift)) {
            w->products = 0;
        }
    }
}

/* Whether the power needs no product of series. */
static bool is_trivial(const gfp_power *w)
{
    return w->limbs == 0 || w->shift == w->n || w->u.len == 1;
}

/* Whether the exponent is 1. */
static bool is_first(const gfp_power *w)
{
    return w->limbs == 1 && w->exponent[0] == 1;
}

double gfp_power_units(const gfp_power *w)
{
    const size_t n = w->n - w->shift;
    return is_trivial(w) || is_first(w) ? (double)n
           : w->products > 0
               ? (double)w->products * (double)n
               : gfp_series_inverses_units(n) + gfp_series_log_units(n) + gfp_series_exp_units(n);
}

unsigned gfp_power_claims(const gfp_power *w)
{
    return is_trivial(w) || is_first(w) ? 1
           : w->products > 0            ? (unsigned)gfp_size_min(w->products, 1U << 30)
                                        : 2;
}

/* ---- by products ---- */

/* c := a b modulo X^n, checked. */
static gfp_status pow_multiply(gfp_operation_call *op, uint64_t *c, const uint64_t *a, gfp_series b,
                               size_t n)
{
    const gfp_range range = {
        .field = op->field, .a = a, .b = b.digits, .len_a = n, .len_b = b.len, .end = n};
    const gfp_operation_claim claim = {
        .c = c, .a = a, .b = b.digits, .len_c = n, .len_a = n, .len_b = b.len, .end = n};
    GFP_TRY(gfp_operation_product(op, NULL, c, &range));
    return gfp_operation_check_product(op, &claim);
}

static gfp_status by_products(gfp_operation_call *op, uint64_t *z, const gfp_power *w)
{
    const size_t n = w->n - w->shift;
    uint64_t *x, *y;
    GFP_TRY(gfp_operation_array(op, &x, n));
    GFP_TRY(gfp_operation_array(op, &y, n));
    gfp_series_copy(op->field, x, n, w->u);
    for (size_t i = bits_of(w) - 1; i-- > 0;) {
        GFP_TRY(pow_multiply(op, y, x, (gfp_series){x, n}, n));
        if (pow_bit(w, i)) {
            GFP_TRY(pow_multiply(op, x, y, w->u, n));
        } else {
            uint64_t *other = x;
            x = y;
            y = other;
        }
    }
    gfp_vec_set(op->field, z, x, n);
    return GFP_OK;
}

/* ---- by logarithm and exponential ---- */

/* The identities of a power z with this logarithm of u. */
static gfp_status check_identities(gfp_operation_call *op, const uint64_t *z, const gfp_power *w,
                                   const uint64_t *logarithm, uint64_t *scaled)
{
    const size_t n = w->n - w->shift;
    uint64_t e[GFP_MAX_K], constant[GFP_MAX_K];
    gfp_elem_set_limbs(op->field, e, w->exponent, w->limbs);
    gfp_elem_pow(op->field, constant, w->u.digits, w->exponent, w->limbs);
    if (!gfp_elem_equal(op->field, constant, z)) {
        return gfp_operation_wrong(op, w->shift);
    }
    GFP_TRY(gfp_series_check_log(op, logarithm, n, w->u));
    gfp_vec_scalar_mul(op->field, scaled, logarithm, e, n);
    return gfp_series_check_exp(op, z, n, (gfp_series){scaled, n});
}

static gfp_status pow_check(gfp_operation_call *op, const uint64_t *z, const gfp_power *w,
                            const uint64_t *logarithm, uint64_t *scaled)
{
    const uint64_t start = gfp_clock_ns(), before = op->base.report.verify_ns;
    if (op->base.options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const gfp_status status = check_identities(op, z, w, logarithm, scaled);
    op->base.report.verify_ns = before + (gfp_clock_ns() - start);
    return status;
}

static gfp_status by_exponential(gfp_operation_call *op, uint64_t *z, const gfp_power *w)
{
    const gfp_field *field = op->field;
    const size_t n = w->n - w->shift;
    uint64_t *inverse, *logarithm, *scaled, e[GFP_MAX_K];
    GFP_TRY(gfp_operation_array(op, &inverse, n));
    GFP_TRY(gfp_operation_array(op, &logarithm, n));
    GFP_TRY(gfp_operation_array(op, &scaled, n));
    GFP_TRY(gfp_series_inverses(op, inverse, n));
    GFP_TRY(gfp_series_log(op, logarithm, n, w->u, inverse));
    gfp_elem_set_limbs(field, e, w->exponent, w->limbs);
    gfp_vec_scalar_mul(field, scaled, logarithm, e, n);
    GFP_TRY(gfp_series_exp(op, z, n, (gfp_series){scaled, n}, inverse));
    gfp_elem_pow(field, e, w->u.digits, w->exponent, w->limbs);
    gfp_vec_scalar_mul(field, z, z, e, n);
    return pow_check(op, z, w, logarithm, scaled);
}

gfp_status gfp_power_run(gfp_operation_call *op, uint64_t *z, const gfp_power *w)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *power = z + w->shift * k;
    gfp_vec_zero(field, z, w->n);
    if (w->limbs == 0) {
        gfp_elem_one(field, z);
        return GFP_OK;
    }
    if (is_trivial(w)) {
        if (w->shift < w->n) {
            gfp_elem_pow(field, power, w->u.digits, w->exponent, w->limbs);
        }
        return GFP_OK;
    }
    return w->products > 0 || is_first(w) ? by_products(op, power, w)
                                          : by_exponential(op, power, w);
}
