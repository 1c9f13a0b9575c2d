/* create.c: moduli, and products modulo f inside operations.
 *
 * A product a b is computed whole, in the space of the kept inverse. Its quotient by f is the
 * product of its high coefficients by the inverse, and the remainder is computed modulo X^L - 1
 * (poly/division/divrem.c).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/modulus/chain.h"
#include "poly/modulus/impl.h"

#include "field/base/kernels.h"
#include "poly/call.h"
#include "field/base/support.h"
#include "product/verify/claim.h"
#include "product/methods/engine.h"

/* ---- a modulus ---- */

/* *x := an operand in a space of its own. */
static gfp_status make_operand(gfp_operation_call *op, gfp_operand **x, size_t length, size_t terms)
{
    const gfp_space_spec spec = {length, terms, GFP_WRAP_CYCLIC};
    gfp_space *s = NULL;
    GFP_TRY(gfp_call_inner(&op->base, gfp_space_create(&s, op->field, &spec, &op->inner)));
    const gfp_status status = gfp_operand_create(x, s);
    gfp_space_destroy(s);
    return status;
}

/* Checks z, the series 1 / (X^n f(1 / X)) modulo X^n with its last coefficient first: of z times
 * f div X the n highest coefficients are 1, 0, 0, .... */
static gfp_status check_inverse(gfp_operation_call *op, const uint64_t *z, const uint64_t *f,
                                size_t n)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *one;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &one, n));
    gfp_vec_zero(op->field, one, n - 1);
    gfp_elem_one(op->field, one + (n - 1) * k);
    const gfp_operation_claim claim = {.c = one,
                                       .a = z,
                                       .b = f + k,
                                       .len_c = n,
                                       .len_a = n,
                                       .len_b = n,
                                       .first = n - 1,
                                       .end = 2 * n - 1};
    GFP_TRY(gfp_operation_check_product(op, &claim));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Fills the operands. */
static gfp_status modulus_keep(gfp_operation_call *op, gfp_modulus *M)
{
    const size_t n = M->f.len - 1;
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, n));
    GFP_TRY(gfp_poly_divisor_invert(op, z, n, M->f.digits, n));
    GFP_TRY(check_inverse(op, z, M->f.digits, n));
    GFP_TRY(make_operand(op, &M->quotients, 2 * n - 1, 1));
    GFP_TRY(make_operand(op, &M->minus, n, 2));
    GFP_TRY(gfp_operation_set(op, M->quotients, z, n));
    GFP_TRY(gfp_poly_divisor_fold(op, M->minus, M->f.digits, n));
    M->divisor.quotients = M->quotients;
    M->divisor.minus = M->minus;
    op->method = gfp_operand_space(M->quotients)->method;
    return GFP_OK;
}

static gfp_status create_fill(gfp_operation_call *op, gfp_modulus *M, const gfp_poly *f)
{
    const gfp_field *field = op->field;
    const size_t n = f->len - 1;
    GFP_TRY(gfp_poly_set(&M->f, f));
    M->divisor = (gfp_poly_divisor){.f = M->f.digits, .n = n, .m = n};
    GFP_TRY(gfp_elem_inv(field, M->divisor.inverse, f->digits + n * gfp_field_k(field)));
    if (!op->classical && n > op->threshold[GFP_THRESHOLD_MODULUS]) {
        GFP_TRY(modulus_keep(op, M));
    }
    return GFP_OK;
}

/* A call that creates a modulus. */
typedef struct job {
    gfp_poly_call call;
    gfp_modulus **made;
} job;

static gfp_status create_plan(gfp_operation_call *op, gfp_poly_call *w)
{
    const size_t len = w->input[0]->len;
    if (len == 0) {
        return gfp_poly_call_refuse(op, GFP_ERR_NOT_INVERTIBLE, "division by 0");
    }
    if (len == 1) {
        return gfp_poly_call_refuse(op, GFP_ERR_ARGUMENT, "a constant: everything is 0 modulo it");
    }
    w->units = gfp_poly_divisor_units(len - 1, len - 1);
    return GFP_OK;
}

static gfp_status create_compute(gfp_operation_call *op, gfp_piece *z, const gfp_poly_call *w)
{
    const gfp_allocator *allocator = gfp_field_allocator(op->field);
    gfp_modulus *made = gfp_allocate(allocator, 1, sizeof *made);
    (void)z;
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_modulus){.allocator = *allocator};
    gfp_poly_init(&made->f, op->field);
    *((const job *)w)->made = made;
    return create_fill(op, made, w->input[0]);
}

gfp_status gfp_modulus_create(gfp_modulus **M, const gfp_poly *f, const gfp_options *options)
{
    gfp_modulus *made = NULL;
    job w = {.call = {.name = "modulus",
                      .input = {f},
                      .inputs = 1,
                      .array = {{M, 1, "place for it"}},
                      .arrays = 1,
                      .plan = create_plan,
                      .compute = create_compute},
             .made = &made};
    const gfp_status status = gfp_poly_call_run(&w.call, options);
    if (status == GFP_OK) {
        *M = made;
    } else {
        gfp_modulus_destroy(made);
    }
    return status;
}

void gfp_modulus_destroy(gfp_modulus *M)
{
    if (M != NULL) {
        const gfp_allocator allocator = M->allocator;
        gfp_operand_destroy(M->quotients);
        gfp_operand_destroy(M->minus);
        gfp_poly_clear(&M->f);
        gfp_release(&allocator, M, 1, sizeof *M);
    }
}

const gfp_poly *gfp_modulus_poly(const gfp_modulus *M)
{
    return &M->f;
}

size_t gfp_modulus_bytes(const gfp_modulus *M)
{
    size_t bytes = sizeof *M + M->f.capacity * gfp_element_bytes(M->f.field);
    if (M->quotients != NULL) {
        bytes += gfp_operand_bytes(M->quotients) + gfp_operand_bytes(M->minus);
    }
    return bytes;
}

void gfp_modulus_name_method(gfp_operation_call *op, const gfp_modulus *M)
{
    if (M->quotients != NULL) {
        op->method = gfp_operand_space(M->quotients)->method;
        op->longest = gfp_space_length(gfp_operand_space(M->quotients));
    }
}

/* ---- products ---- */

/* c := a b X^shift, zeros below X^shift; by the definition. */
static gfp_status multiply_by_definition(gfp_operation_call *op, uint64_t *c,
                                         const gfp_modular_product *p)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), len = p->a.len + p->b.len - 1;
    const double terms = (double)gfp_size_min(p->a.len, p->b.len);
    const double cost = terms * gfp_task_product_cost(field);
    const size_t block = gfp_task_block(cost);
    gfp_vec_zero(field, c, p->shift);
    GFP_TRY(gfp_operation_step(op, (double)len, (double)len, cost));
    for (size_t i = 0; i < len; i += block) {
        const size_t end = gfp_size_min(len, i + block);
        gfp_field_kernels(field)->convolve(field, c + (p->shift + i) * k, p->a.digits, p->a.len,
                                           p->b.digits, p->b.len, i, end);
        if (!gfp_task_advance(&op->base.task, (double)(end - i))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The same by the method of the modulus. */
static gfp_status multiply_by_method(gfp_operation_call *op, const gfp_modulus *M, uint64_t *c,
                                     const gfp_modular_product *p)
{
    const gfp_field *field = op->field;
    const size_t len = p->a.len + p->b.len - 1;
    const gfp_range range = {.field = field,
                             .a = p->a.digits,
                             .b = p->b.digits,
                             .len_a = p->a.len,
                             .len_b = p->b.len,
                             .end = len};
    gfp_vec_zero(field, c, p->shift);
    c += p->shift * gfp_field_k(field);
    return p->kept != NULL
               ? gfp_operation_multiply_by(op, c, 0, len, p->a.digits, p->a.len, p->kept)
               : gfp_operation_product(op, gfp_operand_space(M->quotients)->method, c, &range);
}

double gfp_modulus_multiply_units(const gfp_modulus *M)
{
    const double n = (double)M->divisor.n;
    return M->quotients == NULL
               ? 3 * n
               : (2 * (GFP_OPERATION_SET_UNITS + 2 * GFP_OPERATION_MULTIPLY_BY_UNITS) +
                  GFP_OPERATION_MULTIPLY_BY_UNITS) *
                     n;
}

gfp_status gfp_modulus_multiply(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                                const gfp_modular_product *p)
{
    const gfp_field *field = op->field;
    const size_t n = M->divisor.n, shorter = gfp_size_min(p->a.len, p->b.len);
    const bool checked = op->base.options->verify != GFP_VERIFY_NONE;
    uint64_t *c, *q = NULL;
    if (shorter == 0) {
        gfp_vec_zero(field, r, n);
        if (p->link != NULL) {
            gfp_vec_zero(field, p->link->r, p->link->chain->ring.j);
        }
        return GFP_OK;
    }
    const size_t len = p->a.len + p->b.len - 1 + p->shift, len_q = len > n ? len - n : 0;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &c, len));
    if (checked) {
        GFP_TRY(gfp_operation_array(op, &q, len_q));
    }
    GFP_TRY(M->quotients == NULL || shorter <= op->threshold[GFP_THRESHOLD_MODULUS]
                ? multiply_by_definition(op, c, p)
                : multiply_by_method(op, M, c, p));
    GFP_TRY(gfp_poly_divisor_reduce(op, &M->divisor, q, r, (gfp_series){c, len}));
    GFP_TRY(gfp_modulus_check(op, M, p, (gfp_series){q, len_q}, r));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- remainders ---- */

gfp_status gfp_modulus_reduce(gfp_operation_call *op, const gfp_modulus *M, uint64_t *r,
                              gfp_series a)
{
    const size_t n = M->divisor.n, len_q = a.len > n ? a.len - n : 0;
    const bool checked = len_q > 0 && op->base.options->verify != GFP_VERIFY_NONE;
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

gfp_status gfp_modulus_reduced(gfp_operation_call *op, gfp_series *x, const gfp_modulus *M,
                               const gfp_poly *a)
{
    const size_t n = M->divisor.n;
    uint64_t *r;
    *x = (gfp_series){a->digits, a->len};
    if (a->len > n) {
        GFP_TRY(gfp_operation_array(op, &r, n));
        GFP_TRY(gfp_modulus_reduce(op, M, r, *x));
        *x = (gfp_series){r, n};
    }
    return GFP_OK;
}

/* ---- check ---- */

/* a b X^shift = q f + r. */
gfp_status gfp_modulus_check(gfp_operation_call *op, const gfp_modulus *M,
                             const gfp_modular_product *p, gfp_series q, const uint64_t *r)
{
    gfp_identity w = {.field = op->field};
    if (p->link != NULL) {
        return gfp_chain_add(op, p->link,
                             &(gfp_chain_product){{r, M->divisor.n}, q, p->shift, false});
    }
    gfp_identity_add(&w, p->a.digits, p->a.len, p->b.digits, p->b.len)->shift = p->shift;
    gfp_term *multiple = gfp_identity_add(&w, q.digits, q.len, M->f.digits, M->f.len);
    gfp_term *rest = gfp_identity_add(&w, r, M->divisor.n, NULL, 1);
    multiple->minus = multiple->result = rest->minus = rest->result = true;
    return gfp_operation_check(op, &w);
}
