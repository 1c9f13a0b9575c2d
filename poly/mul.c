/* mul.c: products of polynomials. A product is computed in fresh memory and verified before it
 * replaces the output, so a failure leaves the output unchanged, and the output may be an operand.
 * If nothing can fail once the product has begun, it is computed in the output's own storage.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/kernels.h"
#include "product/methods/kronecker.h"
#include "product/mul.h"
#include "field/base/parallel.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/terms.h"
#include "product/verify/claim.h"

static gfp_status check_operands(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                 gfp_error *error)
{
    if (a == NULL || b == NULL || c == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a polynomial is NULL");
    }
    if (a->field == NULL || b->field == NULL || c->field == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "a polynomial was not initialised: it has no field");
    }
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, result over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    return GFP_OK;
}

/* Whether c's storage and the len coefficients at x overlap. */
static bool mul_overlap(const gfp_poly *c, const uint64_t *x, size_t len)
{
    const size_t size = gfp_element_bytes(c->field);
    const uintptr_t at = (uintptr_t)c->digits, other = (uintptr_t)x;
    return at < other + len * size && other < at + c->capacity * size;
}

/* A product of polynomials: `zeros` coefficients, then those that w computes. */
typedef struct product {
    gfp_mul w;
    size_t zeros, len;
} product;

/* Whether the product may be computed in c's storage: it is large enough, the operands lie
 * elsewhere, and nothing can fail once digits are written. */
static bool in_place(const gfp_poly *c, const product *p)
{
    const gfp_mul *w = &p->w;
    const gfp_options *options = w->product.base.options;
    return c->capacity >= p->len && !mul_overlap(c, w->range.a, w->range.len_a) &&
           !mul_overlap(c, w->range.b, w->range.len_b) && options->progress == NULL &&
           !gfp_method_on_device(w->product.method) && options->verify == GFP_VERIFY_NONE &&
           w->product.plan.block == 0; /* blocks allocate memory after the first one */
}

/* The zeros come last: a product that fails before its first digit leaves all digits. */
static gfp_status multiply_to(const gfp_field *field, uint64_t *digits, product *p)
{
    GFP_TRY(gfp_mul_run(&p->w, digits + p->zeros * gfp_field_k(field)));
    gfp_vec_zero(field, digits, p->zeros);
    return GFP_OK;
}

static gfp_status multiply_in_place(gfp_poly *c, product *p)
{
    GFP_TRY(multiply_to(c->field, c->digits, p));
    gfp_poly_normalise(c, p->len);
    return GFP_OK;
}

static gfp_status multiply_apart(gfp_poly *c, product *p)
{
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    gfp_call *call = &p->w.product.base;
    uint64_t *digits = gfp_allocate(allocator, p->len, size);
    const gfp_status status =
        digits != NULL ? multiply_to(c->field, digits, p)
                       : gfp_error_set(&call->error, GFP_ERR_MEMORY,
                                       "no memory for a product of %zu coefficients", p->len);
    if (status == GFP_OK) {
        gfp_poly_take(c, digits, p->len, p->len);
        return GFP_OK;
    }
    if (digits != NULL) {
        gfp_release(allocator, digits, p->len, size);
    }
    return status == GFP_ERR_MEMORY && gfp_call_uncheck(call) && in_place(c, p)
               ? multiply_in_place(c, p)
               : status;
}

/* r, a range of a product, := that of the factors without their powers of X. Returns the number of
 * coefficients below, which are 0. */
static size_t take_power_of_x(gfp_range *r)
{
    const gfp_series a = {r->a, r->len_a}, b = {r->b, r->len_b};
    const size_t low_a = gfp_terms_valuation(r->field, a), low_b = gfp_terms_valuation(r->field, b);
    const size_t low = gfp_size_add_sat(low_a, low_b), k = gfp_field_k(r->field);
    const size_t zeros = low > r->first ? gfp_size_min(low, r->end) - r->first : 0;
    if (low_a == a.len || low_b == b.len || low >= r->end || r->first >= r->end) {
        return 0; /* 0 */
    }
    r->a += low_a * k;
    r->b += low_b * k;
    r->len_a -= low_a;
    r->len_b -= low_b;
    r->first -= gfp_size_min(r->first, low);
    r->end -= low;
    return zeros;
}

/* c := the part of a b that is asked for. */
static gfp_status compute_range(product *p, const gfp_method *method, gfp_poly *c,
                                const gfp_range *asked)
{
    GFP_TRY(gfp_mul_plan(&p->w, method, asked));
    if (p->w.product.nothing) {
        gfp_poly_zero(c); /* exact: nothing to verify */
        return gfp_product_run(&p->w.product);
    }
    if (!gfp_size_add(&p->len, p->zeros, p->w.len)) {
        return gfp_error_set(&p->w.product.base.error, GFP_ERR_SIZE,
                             "the product's length overflows");
    }
    return in_place(c, p) ? multiply_in_place(c, p) : multiply_apart(c, p);
}

static gfp_status range_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t first, size_t n, const gfp_options *options)
{
    product p;
    gfp_call *call = &p.w.product.base;
    GFP_TRY(gfp_call_begin(call, "product", options));
    gfp_status status = check_operands(c, a, b, &call->error);
    if (status == GFP_OK) {
        const size_t end = gfp_size_add_sat(first, n);
        gfp_range asked =
            gfp_range_make(c->field, a->digits, b->digits, a->len, b->len, first, end);
        p.zeros = take_power_of_x(&asked);
        status = compute_range(&p, method, c, &asked);
    }
    return gfp_call_end(call, status);
}

gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_options *options)
{
    return range_by(method, c, a, b, 0, n, options);
}

/* Products of up to this number of pairs of coefficients are classical, and take no longer than a
 * pick and a plan would. */
#define SHORT_PAIRS 16

static bool has_few_pairs(const gfp_poly *a, const gfp_poly *b)
{
    return a->len >= 1 && b->len >= 1 && a->len <= SHORT_PAIRS && b->len <= SHORT_PAIRS &&
           a->len * b->len <= SHORT_PAIRS;
}

/* Whether a pick may find a faster way, as coefficients are short: not for elements of few digits,
 * whose products are fast. */
#define FEW_DIGITS 8
static bool is_worth_a_pick(const gfp_poly *a, const gfp_poly *b)
{
    gfp_range range = gfp_range_make(a->field, a->digits, b->digits, a->len, b->len, 0, 1);
    if (gfp_field_k(a->field) > FEW_DIGITS) {
        gfp_range_scan(&range);
    }
    return range.bits_a != 0;
}

static bool is_short(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    return a != NULL && b != NULL && c != NULL && a->field == b->field && a->field == c->field &&
           has_few_pairs(a, b) && !is_worth_a_pick(a, b);
}

/* c := a b for a short product. Errors: MEMORY; c is unchanged then. */
static gfp_status multiply_short(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    const size_t n = a->len + b->len - 1;
    gfp_poly apart;
    gfp_poly_init(&apart, c->field);
    const bool here = c->capacity >= n && !mul_overlap(c, a->digits, a->len) &&
                      !mul_overlap(c, b->digits, b->len);
    gfp_poly *z = here ? c : &apart;
    GFP_TRY(gfp_poly_fit_length(z, n));
    gfp_field_kernels(c->field)->convolve(c->field, z->digits, a->digits, a->len, b->digits, b->len,
                                          0, n);
    gfp_poly_normalise(z, n);
    if (!here) {
        gfp_poly_swap(c, &apart);
        gfp_poly_clear(&apart);
    }
    return GFP_OK;
}

gfp_status gfp_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    if (options == NULL && is_short(c, a, b)) {
        return multiply_short(c, a, b);
    }
    return gfp_poly_mul_by(NULL, c, a, b, SIZE_MAX, options);
}

gfp_status gfp_poly_sqr(gfp_poly *c, const gfp_poly *a, const gfp_options *options)
{
    return gfp_poly_mul(c, a, a, options);
}

gfp_status gfp_poly_mullow(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                           const gfp_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, b, n, options);
}

gfp_status gfp_poly_mulhigh(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                            const gfp_options *options)
{
    return range_by(NULL, c, a, b, n, SIZE_MAX, options);
}

gfp_status gfp_poly_mulmid(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t from, size_t n,
                           const gfp_options *options)
{
    return range_by(NULL, c, a, b, from, n, options);
}

static gfp_status mul_differ(gfp_error *error, const char *what)
{
    return gfp_error_set(error, GFP_ERR_VERIFY, "%s", what);
}

/* The checks that need no arithmetic; *decided: they settle the result. */
static gfp_status check_shape(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                              gfp_error *error, bool *decided)
{
    *decided = true;
    if (a->len == 0 || b->len == 0) {
        return c->len == 0 ? GFP_OK
                           : mul_differ(error, "an operand is zero and the product is not");
    }
    if (c->len != a->len + b->len - 1) {
        return mul_differ(error, "the product's degree is not the sum of the degrees");
    }
    *decided = false;
    return GFP_OK;
}

static gfp_status verify_mul(gfp_call *call, const gfp_poly *c, const gfp_poly *a,
                             const gfp_poly *b)
{
    const gfp_options *options = call->options;
    /* NONE makes no sense here: the default is POINT. */
    const gfp_verify how = options->verify != GFP_VERIFY_NONE ? options->verify : GFP_VERIFY_POINT;
    bool decided;
    GFP_TRY(check_operands(c, a, b, &call->error));
    call->report.method = "";
    call->report.verified = how;
    gfp_call_checks(call);
    const gfp_status status = check_shape(c, a, b, &call->error, &decided);
    if (decided) {
        return status;
    }
    const gfp_claim claim = {
        .range = gfp_range_make(c->field, a->digits, b->digits, a->len, b->len, 0, c->len),
        .c = c->digits,
        .tuning = options->tuning,
        .cap = options->memory_cap};
    gfp_task *task = gfp_call_task(call, gfp_parallel_threads(c->field, options->threads));
    call->report.threads = gfp_task_threads(task);
    gfp_task_part(task, 1);
    GFP_TRY(
        gfp_verify_product(&claim, how, options->verify_seed, &call->report, task, &call->error));
    return gfp_task_finish(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_poly_verify_mul(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                               const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, "verification of a product", options));
    return gfp_call_end(&call, verify_mul(&call, c, a, b));
}
