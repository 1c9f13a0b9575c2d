/* mul.c: the public products: choosing the row, computing into fresh memory, verifying, and only
 * then replacing the output, so that a failure leaves it as it was and it may equal an operand.
 * Where nothing can fail once it is begun, the product goes to the output's own storage.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "parallel.h"
#include "product.h"
#include "support.h"

/* What is asked for when the coefficients of this range are wanted, or with verification the whole
 * product. */
static gfp_problem problem_of(const gfp_range *r, const gfp_options *options)
{
    gfp_problem p = {.len_a = r->len_a, .len_b = r->len_b};
    const bool whole =
        options->verify != GFP_VERIFY_NONE || (r->first == 0 && r->end == r->len_a + r->len_b - 1);
    if (!whole) {
        p.operation = GFP_OPERATION_MIDDLE;
        p.from = r->first;
        p.n = r->end - r->first;
    } else if (r->a == r->b && r->len_a == r->len_b) {
        p.operation = GFP_OPERATION_SQUARE;
    }
    return p;
}

static gfp_status check_operands(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                 const gfp_options *options)
{
    if (a == NULL || b == NULL || c == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "a polynomial is NULL");
    }
    if (a->field == NULL || b->field == NULL || c->field == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT,
                             "a polynomial was not initialised: it has no field");
    }
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, product over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    return GFP_OK;
}

/* A product under way: what of it is wanted, what is computed, and where it goes. A verification
 * compares whole products. */
typedef struct job {
    gfp_product product;
    gfp_range wanted, range;
    uint64_t *digits;
    size_t len; /* coefficients computed */
} job;

static gfp_status compute(gfp_product *p, gfp_error *error)
{
    job *w = (job *)p;
    const gfp_status status = gfp_plan_run(&p->plan, &w->range, w->digits, p->task, error);
    p->report.threads = gfp_task_threads(p->task);
    return status;
}

static gfp_status verify(gfp_product *p)
{
    const job *w = (const job *)p;
    const gfp_options *options = p->options;
    const gfp_claim claim = {.field = p->field,
                             .c = w->digits,
                             .a = w->range.a,
                             .b = w->range.b,
                             .len_a = w->range.len_a,
                             .len_b = w->range.len_b,
                             .used = p->method,
                             .tuning = options->tuning,
                             .cap = options->memory_cap};
    gfp_task_part(p->task, 1);
    return gfp_verify_product(&claim, options->verify, options->verify_seed, &p->report, p->task,
                              options->error);
}

/* A whole product, computed for verification, takes of the cap what it is longer than the result.
 */
static gfp_status respect_cap(job *w)
{
    const gfp_options *options = w->product.options;
    const size_t wanted = w->wanted.end - w->wanted.first;
    const size_t apart = (w->len - wanted) * gfp_element_bytes(w->range.field);
    if (options->memory_cap == 0) {
        return GFP_OK;
    }
    if (options->memory_cap <= apart) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "the whole product, which is verified, takes %zu bytes in addition to "
                             "the part; the cap is %zu",
                             apart, options->memory_cap);
    }
    w->product.request.cap = options->memory_cap - apart;
    return GFP_OK;
}

/* What to compute: what is wanted, or all of it. */
static gfp_status computed_range(job *w)
{
    const gfp_options *options = w->product.options;
    size_t bytes = 0;
    w->range = w->wanted;
    if (options->verify != GFP_VERIFY_NONE) {
        w->range.first = 0;
        w->range.end = w->range.len_a + w->range.len_b - 1;
    } else {
        gfp_range_trim(&w->range);
    }
    w->len = w->range.end - w->range.first;
    if (!gfp_size_mul(&bytes, w->len, gfp_element_bytes(w->range.field))) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "a product of %zu coefficients does not fit size_t", w->len);
    }
    return respect_cap(w);
}

/* c := what is wanted of p, whose memory c takes over. */
static void install(gfp_poly *c, const job *p)
{
    const size_t k = gfp_field_k(c->field), n = p->wanted.end - p->wanted.first;
    gfp_poly result;
    if (n < p->len) { /* the whole product was computed */
        memmove(p->digits, p->digits + p->wanted.first * k, n * k * sizeof *p->digits);
    }
    gfp_poly_init(&result, c->field);
    result.digits = p->digits;
    result.capacity = p->len;
    gfp_poly_normalise(&result, n);
    gfp_poly_swap(c, &result);
    gfp_poly_clear(&result);
}

/* Whether c's storage and len coefficients at x have a word in common. */
static bool overlap(const gfp_poly *c, const uint64_t *x, size_t len)
{
    const size_t size = gfp_element_bytes(c->field);
    const uintptr_t at = (uintptr_t)c->digits, other = (uintptr_t)x;
    return at < other + len * size && other < at + c->capacity * size;
}

/* Whether the product may be computed where c's digits are: there is room, the operands are
 * elsewhere, and nothing can fail once digits are written. */
static bool in_place(const gfp_poly *c, const job *w)
{
    const gfp_options *options = w->product.options;
    return c->capacity >= w->len && !overlap(c, w->range.a, w->range.len_a) &&
           !overlap(c, w->range.b, w->range.len_b) && options->progress == NULL &&
           !gfp_method_on_device(w->product.method) && options->verify == GFP_VERIFY_NONE &&
           w->product.plan.blocks.stripes == 0; /* blocks allocate after the first one */
}

static gfp_status multiply_in_place(gfp_poly *c, job *w)
{
    w->digits = c->digits;
    GFP_TRY(gfp_product_run(&w->product));
    gfp_poly_normalise(c, w->len); /* without verification that is all that is wanted */
    return GFP_OK;
}

static gfp_status multiply_apart(gfp_poly *c, job *w)
{
    const gfp_allocator *allocator = gfp_field_allocator(c->field);
    const size_t size = gfp_element_bytes(c->field);
    w->digits = gfp_allocate(allocator, w->len, size);
    if (w->digits == NULL) {
        return gfp_error_set(w->product.options->error, GFP_ERR_MEMORY,
                             "no memory for a product of %zu coefficients", w->len);
    }
    const gfp_status status = gfp_product_run(&w->product);
    if (status == GFP_OK) {
        install(c, w);
    } else {
        gfp_release(allocator, w->digits, w->len, size);
    }
    return status;
}

/* The part of a b that is wanted; false: there is nothing in it. Coefficients of X^end and above
 * matter to none of it. */
static gfp_status wanted_range(gfp_range *r, const gfp_poly *a, const gfp_poly *b, size_t first,
                               size_t n, gfp_error *error, bool *nothing)
{
    size_t end, sum = 0;
    if (!gfp_size_add(&end, first, n)) {
        end = SIZE_MAX;
    }
    *r = (gfp_range){
        a->field, a->digits, b->digits, gfp_size_min(a->len, end), gfp_size_min(b->len, end),
        first,    end};
    *nothing = r->len_a == 0 || r->len_b == 0;
    if (*nothing) {
        return GFP_OK;
    }
    if (!gfp_size_add(&sum, r->len_a, r->len_b)) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the product's length overflows");
    }
    r->end = gfp_size_min(end, sum - 1);
    *nothing = r->first >= r->end;
    return GFP_OK;
}

gfp_status gfp_poly_range_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                             const gfp_poly *b, size_t first, size_t n, const gfp_options *options)
{
    static const gfp_range trivial = {.len_a = 1, .len_b = 1, .end = 1};
    job w;
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_operands(c, a, b, options));
    w.product.field = c->field;
    w.product.options = options;
    w.product.compute = compute;
    w.product.verify = verify;
    w.product.method = method;
    GFP_TRY(wanted_range(&w.wanted, a, b, first, n, options->error, &w.product.nothing));
    if (w.product.nothing) {
        w.wanted = trivial;
        w.wanted.field = c->field;
    }
    const gfp_problem problem = problem_of(&w.wanted, options);
    w.product.request = gfp_request_make(&problem, c->field, options);
    GFP_TRY(computed_range(&w));
    GFP_TRY(gfp_product_choose(&w.product));
    if (w.product.nothing) {
        gfp_poly_zero(c); /* exact: nothing to verify */
        return gfp_product_run(&w.product);
    }
    return in_place(c, &w) ? multiply_in_place(c, &w) : multiply_apart(c, &w);
}

gfp_status gfp_poly_mul_by(const gfp_method *method, gfp_poly *c, const gfp_poly *a,
                           const gfp_poly *b, size_t n, const gfp_options *options)
{
    return gfp_poly_range_by(method, c, a, b, 0, n, options);
}

gfp_status gfp_poly_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                        const gfp_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, b, SIZE_MAX, options);
}

gfp_status gfp_poly_sqr(gfp_poly *c, const gfp_poly *a, const gfp_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, a, SIZE_MAX, options);
}

gfp_status gfp_poly_mul_low(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                            const gfp_options *options)
{
    return gfp_poly_mul_by(NULL, c, a, b, n, options);
}

gfp_status gfp_poly_mul_high(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t n,
                             const gfp_options *options)
{
    return gfp_poly_range_by(NULL, c, a, b, n, SIZE_MAX, options);
}

gfp_status gfp_poly_mul_middle(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, size_t from,
                               size_t n, const gfp_options *options)
{
    return gfp_poly_range_by(NULL, c, a, b, from, n, options);
}

static gfp_status differ(gfp_error *error, const char *what)
{
    return gfp_error_set(error, GFP_ERR_VERIFY, "%s", what);
}

/* The checks that need no arithmetic; *decided is set where they settle the matter. */
static gfp_status check_shape(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                              const gfp_options *options, bool *decided)
{
    *decided = true;
    if (a->len == 0 || b->len == 0) {
        return c->len == 0 ? GFP_OK
                           : differ(options->error, "an operand is zero and the product is not");
    }
    if (c->len != a->len + b->len - 1) {
        return differ(options->error, "the product's degree is not the sum of the degrees");
    }
    *decided = false;
    return GFP_OK;
}

gfp_status gfp_poly_verify_mul(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                               const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_operands(c, a, b, options));
    /* Asking for nothing makes no sense here: the default is a point. */
    gfp_verify how = options->verify != GFP_VERIFY_NONE ? options->verify : GFP_VERIFY_POINT;
    gfp_report report = {.method = "", .verified = how};
    uint64_t start = gfp_clock_ns();
    bool decided;
    gfp_status status = check_shape(c, a, b, options, &decided);
    if (!decided) {
        const gfp_claim claim = {.field = c->field,
                                 .c = c->digits,
                                 .a = a->digits,
                                 .b = b->digits,
                                 .len_a = a->len,
                                 .len_b = b->len,
                                 .tuning = options->tuning,
                                 .cap = options->memory_cap};
        gfp_task task;
        gfp_task *watched =
            gfp_product_watch(&task, options, gfp_parallel_threads(c->field, options->threads));
        gfp_task_part(watched, 1);
        status =
            gfp_verify_product(&claim, how, options->verify_seed, &report, watched, options->error);
        status = status == GFP_OK && !gfp_task_finish(watched) ? GFP_ERR_CANCELLED : status;
        status = gfp_say_cancelled(status, options->error);
    }
    report.verify_ns = gfp_clock_ns() - start;
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    return status;
}
