/* type_calls.c: rings; storage of polynomials on a device, transfers, linear operations, values.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/call.h"

#include "poly/impl.h"

/* ---- rings ---- */

static gfp_status make_ring(gfp_call *call, gfp_gpu_ring **ring, gfp_gpu *gpu,
                            const gfp_field *field, const gfp_gpu_ring_options *options)
{
    const gfp_gpu_ring_options usual = {.method = GFP_GPU_METHOD_AUTO};
    gfp_gpu_info info;
    options = options != NULL ? options : &usual;
    if ((unsigned)options->method > GFP_GPU_METHOD_CLASSICAL) {
        return gfp_error_set(&call->error, GFP_ERR_ARGUMENT, "%s: unknown product method %d",
                             call->name, (int)options->method);
    }
    const gfp_status status = gfp_gpu_get_info(&info, gpu, NULL);
    if (status != GFP_OK) {
        return gfp_error_set(&call->error, status, "%s: the device does not answer", call->name);
    }
    const gfp_allocator *allocator = gfp_field_allocator(field);
    gfp_gpu_ring *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_gpu_ring){.gpu = gpu,
                           .field = field,
                           .allocator = *allocator,
                           .k = gfp_field_k(field),
                           .method = options->method,
                           .plan_bytes = options->plan_bytes != 0 ? options->plan_bytes
                                                                  : info.memory_total / 8};
    *ring = made;
    return GFP_OK;
}

gfp_status gfp_gpu_ring_create(gfp_gpu_ring **ring, gfp_gpu *gpu, const gfp_field *field,
                               const gfp_gpu_ring_options *of_ring, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, "ring", options));
    gfp_call_unreported(&call);
    return gfp_call_end(&call, make_ring(&call, ring, gpu, field, of_ring));
}

/* ---- storage ---- */

gfp_status gfp_gpu_poly_create(gfp_gpu_poly **a, gfp_gpu_ring *ring, const gfp_options *options)
{
    gfp_call call;
    GFP_TRY(gfp_call_begin(&call, "polynomial", options));
    gfp_call_unreported(&call);
    return gfp_call_end(&call, gfp_gpu_poly_make(a, ring));
}

static gfp_status compute_room(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_poly *a = w->output[0];
    (void)op;
    GFP_TRY(gfp_gpu_poly_make_room(a, w->n));
    *z = *a;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_fit_length(gfp_gpu_poly *a, size_t capacity, const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){
            .name = "room", .output = {a}, .outputs = 1, .n = capacity, .compute = compute_room},
        options);
}

static gfp_status compute_declared(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->output[0];
    if (w->n > a->capacity) {
        return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT,
                             "%zu coefficients, there is room for %zu", w->n, a->capacity);
    }
    z->array = a->array;
    z->len = w->n;
    z->exact = w->n == 0;
    return GFP_OK;
}

gfp_status gfp_gpu_poly_set_length(gfp_gpu_poly *a, size_t n, const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){
            .name = "length", .output = {a}, .outputs = 1, .n = n, .compute = compute_declared},
        options);
}

static gfp_status compute_length(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    gfp_gpu_poly *a = w->output[0];
    size_t len = 0;
    (void)op;
    GFP_TRY(gfp_gpu_poly_find_length(a, &len));
    *(size_t *)w->own = len;
    *z = (gfp_gpu_poly){.ring = a->ring, .array = a->array, .len = len, .exact = true};
    return GFP_OK;
}

gfp_status gfp_gpu_poly_length(size_t *len, gfp_gpu_poly *a, const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){
            .name = "length", .output = {a}, .outputs = 1, .own = len, .compute = compute_length},
        options);
}

/* ---- transfers ---- */

static gfp_status check_host(gfp_gpu_operation *op, const gfp_poly *a)
{
    gfp_error *error = &op->base.error;
    if (a == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a polynomial is NULL");
    }
    return gfp_field_same(op->ring->field, a->field)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_FIELD_MISMATCH, "polynomials over %s and %s",
                               gfp_field_name(a->field), gfp_field_name(op->ring->field));
}

static gfp_status compute_upload(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_poly *a = w->own;
    GFP_TRY(check_host(op, a));
    if (a->len > 0) {
        GFP_TRY(gfp_gpu_poly_place(w->output[0], a->len, false, &z->array));
        GFP_TRY(gfp_gpu_upload(z->array, 0, a->digits, a->len * op->ring->k, NULL));
        z->len = a->len;
    }
    return GFP_OK;
}

gfp_status gfp_gpu_poly_upload(gfp_gpu_poly *b, const gfp_poly *a, const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "upload",
                                            .output = {b},
                                            .outputs = 1,
                                            .own = (void *)a,
                                            .compute = compute_upload},
                            options);
}

static gfp_status compute_download(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    gfp_poly *b = w->own;
    (void)z;
    GFP_TRY(check_host(op, b));
    GFP_TRY(gfp_poly_fit_length(b, a->len));
    if (a->len > 0) {
        GFP_TRY(gfp_gpu_download(b->digits, a->array, 0, a->len * a->ring->k, NULL));
    }
    gfp_poly_normalise(b, a->len);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_download(gfp_poly *b, const gfp_gpu_poly *a, const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){
            .name = "download", .input = {a}, .inputs = 1, .own = b, .compute = compute_download},
        options);
}

static gfp_status compute_one(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(op->ring->field, one);
    GFP_TRY(gfp_gpu_poly_place(w->output[0], 1, false, &z->array));
    z->len = 1;
    return gfp_gpu_upload(z->array, 0, one, op->ring->k, NULL);
}

gfp_status gfp_gpu_poly_one(gfp_gpu_poly *a, const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){.name = "one", .output = {a}, .outputs = 1, .compute = compute_one},
        options);
}

static gfp_status compute_equal(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    (void)op;
    (void)z;
    return gfp_gpu_poly_compare(w->own, w->input[0], w->input[1]);
}

gfp_status gfp_gpu_poly_equal(bool *equal, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                              const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "comparison",
                                            .input = {a, b},
                                            .inputs = 2,
                                            .own = equal,
                                            .compute = compute_equal},
                            options);
}

/* ---- linear operations ---- */

/* z := words of a from coefficient `from` on, at coefficient `at`. */
static gfp_status move_terms(const gfp_gpu_poly *a, gfp_gpu_array *z, size_t at, size_t from,
                             size_t n)
{
    const size_t k = a->ring->k;
    if (n == 0 || (z == a->array && at == from)) {
        return GFP_OK;
    }
    return gfp_gpu_copy_range(z, at * k, a->array, from * k, n * k);
}

/* A call b := f(a), with n. */
static gfp_status
run_linear(const char *name,
           gfp_status (*compute)(gfp_gpu_operation *, gfp_gpu_poly *, const gfp_gpu_call *),
           gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n, const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = name,
                                            .output = {b},
                                            .outputs = 1,
                                            .input = {a},
                                            .inputs = 1,
                                            .n = n,
                                            .compute = compute},
                            options);
}

static gfp_status compute_truncated(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    const size_t n = gfp_size_min(w->n, a->len);
    (void)op;
    if (n > 0) {
        GFP_TRY(gfp_gpu_poly_place(w->output[0], n, false, &z->array));
        GFP_TRY(move_terms(a, z->array, 0, 0, n));
    }
    z->len = n;
    z->exact = n == 0 || (a->exact && n == a->len);
    return GFP_OK;
}

gfp_status gfp_gpu_poly_truncate(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                 const gfp_options *options)
{
    return run_linear("truncation", compute_truncated, b, a, n, options);
}

gfp_status gfp_gpu_poly_set(gfp_gpu_poly *b, const gfp_gpu_poly *a, const gfp_options *options)
{
    return run_linear("copy", compute_truncated, b, a, SIZE_MAX, options);
}

static gfp_status compute_shifted_left(gfp_gpu_operation *op, gfp_gpu_poly *z,
                                       const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    gfp_gpu_poly *b = w->output[0];
    size_t len = 0;
    if (a->len == 0) {
        return GFP_OK;
    }
    if (!gfp_size_add(&len, a->len, w->n)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_gpu_poly_place(b, len, a == b && w->n > 0, &z->array));
    GFP_TRY(gfp_gpu_clear_range(z->array, 0, w->n * op->ring->k));
    z->len = len;
    z->exact = a->exact;
    return move_terms(a, z->array, w->n, 0, a->len);
}

gfp_status gfp_gpu_poly_shift_left(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                   const gfp_options *options)
{
    return run_linear("shift to the left", compute_shifted_left, b, a, n, options);
}

static gfp_status compute_shifted_right(gfp_gpu_operation *op, gfp_gpu_poly *z,
                                        const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    gfp_gpu_poly *b = w->output[0];
    (void)op;
    if (w->n >= a->len) {
        return GFP_OK;
    }
    z->len = a->len - w->n;
    z->exact = a->exact;
    GFP_TRY(gfp_gpu_poly_place(b, z->len, a == b && w->n > 0, &z->array));
    return move_terms(a, z->array, 0, w->n, z->len);
}

gfp_status gfp_gpu_poly_shift_right(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                    const gfp_options *options)
{
    return run_linear("shift to the right", compute_shifted_right, b, a, n, options);
}

static gfp_status compute_reversed(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    const size_t n = w->n, k = op->ring->k, len = gfp_size_min(n, a->len);
    gfp_gpu_poly *b = w->output[0];
    gfp_gpu_array *high = NULL;
    if (len == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(b, n, a == b && n > len, &z->array));
    /* The low len coefficients of a, reversed, are the high ones of b. */
    GFP_TRY(gfp_gpu_array_part(&high, z->array, (n - len) * k, len * k));
    const gfp_status status = gfp_gpu_vec_reverse(op->ring->field, high, a->array, len);
    gfp_gpu_array_destroy(high);
    GFP_TRY(status);
    z->len = n;
    z->exact = false;
    return gfp_gpu_clear_range(z->array, 0, (n - len) * k);
}

gfp_status gfp_gpu_poly_reverse(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                const gfp_options *options)
{
    return run_linear("reversal", compute_reversed, b, a, n, options);
}

static gfp_status compute_scaled(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    if (a->len == 0 || gfp_elem_is_zero(op->ring->field, w->x)) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(w->output[0], a->len, false, &z->array));
    z->len = a->len;
    z->exact = a->exact;
    return gfp_gpu_vec_scale(op->ring->field, z->array, a->array, w->x, a->len);
}

gfp_status gfp_gpu_poly_scalar_mul(gfp_gpu_poly *b, const gfp_gpu_poly *a, const uint64_t *x,
                                   const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "product by an element",
                                            .output = {b},
                                            .outputs = 1,
                                            .input = {a},
                                            .inputs = 1,
                                            .x = x,
                                            .compute = compute_scaled},
                            options);
}

static gfp_status compute_negative(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    const gfp_gpu_poly *a = w->input[0];
    if (a->len == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(w->output[0], a->len, false, &z->array));
    z->len = a->len;
    z->exact = a->exact;
    return gfp_gpu_vec_neg(op->ring->field, z->array, a->array, a->len);
}

gfp_status gfp_gpu_poly_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a, const gfp_options *options)
{
    return run_linear("negative", compute_negative, b, a, 0, options);
}

/* z := -a from coefficient `from` on, in its place. */
static gfp_status negate_from(const gfp_gpu_poly *a, gfp_gpu_array *z, size_t from)
{
    const size_t k = a->ring->k, n = a->len - from;
    gfp_gpu_array *to = NULL, *x = NULL;
    gfp_status status = gfp_gpu_array_part(&to, z, from * k, n * k);
    if (status == GFP_OK) {
        status = gfp_gpu_array_part(&x, a->array, from * k, n * k);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_vec_neg(a->ring->field, to, x, n);
    }
    gfp_gpu_array_destroy(to);
    gfp_gpu_array_destroy(x);
    return status;
}

/* z := a + b, or a - b. Coefficients beyond the shorter operand are copied from the longer one, and
 * negated if that one is subtracted. */
static gfp_status combine_polys(const gfp_gpu_call *w, gfp_gpu_poly *z, bool subtract)
{
    const gfp_gpu_poly *a = w->input[0], *b = w->input[1], *longer = a->len >= b->len ? a : b;
    const size_t n = longer->len, common = gfp_size_min(a->len, b->len);
    const gfp_field *field = a->ring->field;
    if (n == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_poly_place(w->output[0], n, false, &z->array));
    z->len = n;
    z->exact = longer->exact && common < n;
    if (common > 0) {
        GFP_TRY(subtract ? gfp_gpu_vec_sub(field, z->array, a->array, b->array, common)
                         : gfp_gpu_vec_add(field, z->array, a->array, b->array, common));
    }
    if (common == n) {
        return GFP_OK;
    }
    return subtract && longer == b ? negate_from(b, z->array, common)
                                   : move_terms(longer, z->array, common, common, n - common);
}

static gfp_status compute_sum(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    (void)op;
    return combine_polys(w, z, false);
}

static gfp_status compute_difference(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    (void)op;
    return combine_polys(w, z, true);
}

gfp_status gfp_gpu_poly_add(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                            const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "sum",
                                            .output = {c},
                                            .outputs = 1,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .compute = compute_sum},
                            options);
}

gfp_status gfp_gpu_poly_sub(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                            const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = "difference",
                                            .output = {c},
                                            .outputs = 1,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .compute = compute_difference},
                            options);
}

static gfp_status compute_value(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *w)
{
    (void)op;
    (void)z;
    return gfp_gpu_poly_value(w->input[0], w->own, w->x);
}

gfp_status gfp_gpu_poly_eval(uint64_t *y, const gfp_gpu_poly *a, const uint64_t *x,
                             const gfp_options *options)
{
    return gfp_gpu_call_run(
        &(gfp_gpu_call){
            .name = "value", .input = {a}, .inputs = 1, .x = x, .own = y, .compute = compute_value},
        options);
}
