/* modulus_calls.c: the public calls modulo f: arguments, the operation around the computation,
 * outputs; multipliers.
 *
 * Multipliers: with b' the quotient of b X^(n - 1) by f, the quotient of a b by f is that of a b'
 * by X^(n - 1): both differ by a fraction whose numerator's degree is below its denominator's. So a
 * b itself is computed modulo X^L - 1 alone, together with the remainder. The idea is Shoup's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gcd.h"
#include "modulus.h"
#include "operand_engine.h"
#include "poly_impl.h"
#include "support.h"

/* ---- a call ---- */

typedef struct job job;
struct job {
    const char *name;
    /* r, n elements, := the result. */
    gfp_status (*compute)(gfp_operation_call *op, uint64_t *r, const job *w);
    double units;
    unsigned products; /* that are checked, at least 1 */
    const gfp_modulus *M;
    const gfp_poly *a, *b;
    const uint64_t *exponent;
    size_t limbs;
    const gfp_multiplier *B;
};

static const gfp_field *field_of(const gfp_modulus *M)
{
    return M->f.field;
}

/* Moduli alone know their method. */
static void name_method(gfp_operation_call *op, const gfp_modulus *M)
{
    if (M->quotients != NULL) {
        op->method = gfp_operand_space(M->quotients)->method;
        op->longest = gfp_space_length(gfp_operand_space(M->quotients));
    }
}

static gfp_status compute(gfp_operation_call *op, gfp_poly *c, const job *w)
{
    const size_t n = w->M->divisor.n;
    uint64_t *r;
    name_method(op, w->M);
    GFP_TRY(gfp_operation_array(op, &r, n));
    GFP_TRY(w->compute(op, r, w));
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, c->digits, r, n);
    gfp_poly_normalise(c, n);
    return GFP_OK;
}

/* The inputs may be the output: they are looked at after it has room. */
static gfp_status run(gfp_poly *c, const job *w, const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (w->M == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no modulus", w->name);
    }
    GFP_TRY(gfp_poly_check_operands(c, w->a, w->b, options));
    GFP_TRY(gfp_poly_check_operands(c, w->a, &w->M->f, options));
    if (w->exponent == NULL && w->limbs > 0) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: no exponent", w->name);
    }
    const gfp_status status = gfp_poly_fit_length(c, w->M->divisor.n);
    if (status != GFP_OK) {
        return gfp_error_set(options->error, status, "%s: no room for the result", w->name);
    }
    GFP_TRY(gfp_operation_begin(&op, w->name, field_of(w->M), options,
                                w->units +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->a->len) +
                                    gfp_poly_divisor_reduce_units(&w->M->divisor, w->b->len),
                                w->products));
    return gfp_operation_end(&op, compute(&op, c, w));
}

/* ---- remainders ---- */

/* r := a mod f, checked as a 1 = q f + r. */
static gfp_status reduce(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r, gfp_series a)
{
    const size_t n = M->divisor.n, len_q = a.len > n ? a.len - n : 0;
    const bool checked = len_q > 0 && op->options->verify != GFP_VERIFY_NONE;
    uint64_t one[GFP_MAX_K], *q = NULL;
    gfp_elem_one(op->field, one);
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    if (checked) {
        GFP_TRY(gfp_operation_array(op, &q, len_q));
    }
    GFP_TRY(gfp_poly_divisor_reduce(op, &M->divisor, q, r, a));
    if (checked) {
        const gfp_modular_product p = {.a = a, .b = {one, 1}};
        GFP_TRY(gfp_modulus_check(op, M, &p, (gfp_series){q, len_q}, r));
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* *x := a, or in a new array a mod f. */
static gfp_status reduced(gfp_operation_call *op, gfp_series *x, const gfp_modulus *M,
                          const gfp_poly *a)
{
    const size_t n = M->divisor.n;
    uint64_t *r;
    *x = (gfp_series){a->digits, a->len};
    if (a->len > n) {
        GFP_TRY(gfp_operation_array(op, &r, n));
        GFP_TRY(reduce(op, M, r, *x));
        *x = (gfp_series){r, n};
    }
    return GFP_OK;
}

static gfp_status compute_rem(gfp_operation_call *op, uint64_t *r, const job *w)
{
    return reduce(op, w->M, r, (gfp_series){w->a->digits, w->a->len});
}

gfp_status gfp_poly_rem_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    return run(c,
               &(job){.name = "remainder by a modulus",
                      .compute = compute_rem,
                      .products = 1,
                      .M = M,
                      .a = a,
                      .b = a},
               options);
}

/* ---- products and powers ---- */

static gfp_status compute_mul(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_modular_product p = {.shift = 0};
    GFP_TRY(reduced(op, &p.a, w->M, w->a));
    p.b = p.a;
    if (w->b != w->a) {
        GFP_TRY(reduced(op, &p.b, w->M, w->b));
    }
    return gfp_modulus_multiply(op, w->M, r, &p);
}

gfp_status gfp_poly_mul_mod(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, const gfp_modulus *M,
                            const gfp_options *options)
{
    return run(c,
               &(job){.name = "product by a modulus",
                      .compute = compute_mul,
                      .units = M == NULL ? 0 : gfp_modulus_multiply_units(M),
                      .products = 3,
                      .M = M,
                      .a = a,
                      .b = b},
               options);
}

gfp_status gfp_poly_sqr_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    return gfp_poly_mul_mod(c, a, a, M, options);
}

static gfp_status compute_power(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_series a;
    GFP_TRY(reduced(op, &a, w->M, w->a));
    return gfp_modulus_power(op, w->M, r, a, w->exponent, w->limbs);
}

gfp_status gfp_poly_pow_mod(gfp_poly *c, const gfp_poly *a, const uint64_t *exponent,
                            size_t n_limbs, const gfp_modulus *M, const gfp_options *options)
{
    const unsigned products = exponent == NULL ? 1 : gfp_modulus_power_products(exponent, n_limbs);
    return run(c,
               &(job){.name = "power by a modulus",
                      .compute = compute_power,
                      .units = M == NULL ? 0 : products * gfp_modulus_multiply_units(M),
                      .products = products + 1,
                      .M = M,
                      .a = a,
                      .b = a,
                      .exponent = exponent,
                      .limbs = n_limbs},
               options);
}

gfp_status gfp_poly_pow_p_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                              const gfp_options *options)
{
    const gfp_field *field = M == NULL ? NULL : field_of(M);
    return gfp_poly_pow_mod(c, a, M == NULL ? NULL : gfp_field_modulus_limbs(field),
                            M == NULL ? 0 : gfp_field_limbs(field), M, options);
}

static gfp_status compute_inverse(gfp_operation_call *op, uint64_t *r, const job *w)
{
    gfp_series a;
    GFP_TRY(reduced(op, &a, w->M, w->a));
    a.len = gfp_series_trim(op->field, a.digits, a.len);
    if (a.len == 0) {
        return gfp_error_set(op->options->error, GFP_ERR_NOT_INVERTIBLE,
                             "%s: the polynomial is 0 modulo the modulus", op->name);
    }
    return gfp_inverse_modulo(op, r, a, (gfp_series){w->M->f.digits, w->M->f.len});
}

gfp_status gfp_poly_inv_mod(gfp_poly *c, const gfp_poly *a, const gfp_modulus *M,
                            const gfp_options *options)
{
    const size_t len = M == NULL ? 0 : M->f.len;
    return run(c,
               &(job){.name = "inverse by a modulus",
                      .compute = compute_inverse,
                      .units = gfp_gcd_units(len, len, true),
                      .products = 2,
                      .M = M,
                      .a = a,
                      .b = a},
               options);
}

/* ---- multipliers ---- */

struct gfp_multiplier {
    const gfp_modulus *M;
    gfp_poly b;            /* below f */
    gfp_operand *quotient; /* b'; NULL: products as of any two factors */
    gfp_operand *low;      /* b modulo X^L - 1 */
};

/* Fills the operands. */
static gfp_status keep(gfp_operation_call *op, gfp_multiplier *B)
{
    const gfp_modulus *M = B->M;
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), n = M->divisor.n, len = B->b.len + n - 1;
    const bool checked = op->options->verify != GFP_VERIFY_NONE;
    uint64_t one[GFP_MAX_K], *w, *q, *r;
    gfp_elem_one(field, one);
    GFP_TRY(gfp_operation_array(op, &w, len));
    GFP_TRY(gfp_operation_array(op, &q, len - n));
    GFP_TRY(gfp_operation_array(op, &r, checked ? n : 0));
    gfp_vec_zero(field, w, n - 1);
    gfp_vec_copy(field, w + (n - 1) * k, B->b.digits, B->b.len);
    const gfp_modular_product p = {.a = {w, len}, .b = {one, 1}};
    GFP_TRY(gfp_poly_divisor_reduce(op, &M->divisor, q, checked ? r : NULL, p.a));
    GFP_TRY(gfp_modulus_check(op, M, &p, (gfp_series){q, len - n}, r));
    GFP_TRY(gfp_operand_create(&B->quotient, gfp_operand_space(M->quotients)));
    GFP_TRY(gfp_operand_create(&B->low, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_set(op, B->quotient, q, len - n));
    return gfp_operation_set(op, B->low, B->b.digits, B->b.len);
}

static gfp_status fill(gfp_operation_call *op, gfp_multiplier *B, const gfp_poly *b)
{
    const size_t n = B->M->divisor.n;
    gfp_series x;
    name_method(op, B->M);
    GFP_TRY(gfp_poly_fit_length(&B->b, gfp_size_min(n, b->len)));
    GFP_TRY(reduced(op, &x, B->M, b));
    gfp_vec_copy(op->field, B->b.digits, x.digits, x.len);
    gfp_poly_normalise(&B->b, x.len);
    if (B->M->quotients != NULL && B->b.len > GFP_DIVISION_KEPT_SHORT) {
        GFP_TRY(keep(op, B));
    }
    return gfp_operation_finish(op);
}

gfp_status gfp_multiplier_create(gfp_multiplier **B, const gfp_poly *b, const gfp_modulus *M,
                                 const gfp_options *options)
{
    gfp_options copy;
    gfp_operation_call op;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (B == NULL || M == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "multiplier: no place for it, or no modulus");
    }
    GFP_TRY(gfp_poly_check_operands(b, b, &M->f, options));
    GFP_TRY(gfp_operation_begin(
        &op, "multiplier", field_of(M), options,
        gfp_modulus_multiply_units(M) + gfp_poly_divisor_reduce_units(&M->divisor, b->len), 1));
    gfp_multiplier *made = gfp_allocate(&M->allocator, 1, sizeof *made);
    gfp_status status = GFP_ERR_MEMORY;
    if (made != NULL) {
        *made = (gfp_multiplier){.M = M};
        gfp_poly_init(&made->b, field_of(M));
        status = fill(&op, made, b);
    }
    status = gfp_operation_end(&op, status);
    if (status == GFP_OK) {
        *B = made;
    } else {
        gfp_multiplier_destroy(made);
    }
    return status;
}

void gfp_multiplier_destroy(gfp_multiplier *B)
{
    if (B != NULL) {
        gfp_operand_destroy(B->quotient);
        gfp_operand_destroy(B->low);
        gfp_poly_clear(&B->b);
        gfp_release(&B->M->allocator, B, 1, sizeof *B);
    }
}

size_t gfp_multiplier_bytes(const gfp_multiplier *B)
{
    size_t bytes = sizeof *B + B->b.capacity * gfp_element_bytes(B->b.field);
    if (B->quotient != NULL) {
        bytes += gfp_operand_bytes(B->quotient) + gfp_operand_bytes(B->low);
    }
    return bytes;
}

/* r := a b mod f by what is kept of b. */
static gfp_status multiply_by_kept(gfp_operation_call *op, uint64_t *r, gfp_series a,
                                   const gfp_multiplier *B)
{
    const gfp_modulus *M = B->M;
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, len_q = a.len - 1;
    gfp_operand *x, *y;
    uint64_t *t;
    GFP_TRY(gfp_operation_operand(op, &x, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_operand(op, &y, gfp_operand_space(M->minus)));
    GFP_TRY(gfp_operation_array(op, &t, n - 1 + len_q));
    GFP_TRY(gfp_operation_multiply_by(op, t, n - 1, n - 1 + len_q, a.digits, a.len, B->quotient));
    const gfp_series q = {t + (n - 1) * gfp_field_k(field), len_q};
    GFP_TRY(gfp_operation_set(op, x, a.digits, a.len));
    GFP_TRY(gfp_operation_set(op, y, q.digits, q.len));
    const gfp_operand *const left[] = {x, y}, *const right[] = {B->low, M->minus};
    GFP_TRY(gfp_operation_dot(op, r, 0, n, left, right, 2));
    const gfp_modular_product p = {.a = a, .b = {B->b.digits, B->b.len}};
    return gfp_modulus_check(op, M, &p, q, r);
}

static gfp_status compute_multiplier(gfp_operation_call *op, uint64_t *r, const job *w)
{
    const gfp_series b = {w->B->b.digits, w->B->b.len};
    gfp_series a;
    GFP_TRY(reduced(op, &a, w->M, w->a));
    if (w->B->quotient != NULL && a.len > GFP_DIVISION_KEPT_SHORT) {
        return multiply_by_kept(op, r, a, w->B);
    }
    const gfp_modular_product p = {.a = a, .b = b};
    return gfp_modulus_multiply(op, w->M, r, &p);
}

gfp_status gfp_poly_mul_multiplier(gfp_poly *c, const gfp_poly *a, const gfp_multiplier *B,
                                   const gfp_options *options)
{
    return run(c,
               &(job){.name = "product by a multiplier",
                      .compute = compute_multiplier,
                      .units = B == NULL ? 0 : gfp_modulus_multiply_units(B->M),
                      .products = 2,
                      .M = B == NULL ? NULL : B->M,
                      .a = a,
                      .b = a,
                      .B = B},
               options);
}
