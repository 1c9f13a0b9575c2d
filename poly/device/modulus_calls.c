/* modulus_calls.c: remainders, products and powers modulo a fixed polynomial on a device.
 * Results are written to the modulus's own array, and copied to their place when they have passed
 * their checks. A chain of products is enqueued without a wait.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/modulus.h"

#include "poly/exponent.h"
#include "poly/modulus/impl.h"

/* ---- the call ---- */

static gfp_status compute_job(gfp_gpu_operation *op, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    const gfp_gpu_modular_job *j = call->own;
    gfp_gpu_modular w = {.op = op};
    if (j->M == NULL) {
        return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT, "no modulus");
    }
    if (j->limbs == NULL && j->n_limbs > 0) {
        return gfp_error_set(&op->base.error, GFP_ERR_ARGUMENT, "no exponent");
    }
    GFP_TRY(gfp_gpu_modular_prepare(&w, j->M, j->products, j->values));
    return j->compute(&w, z, call);
}

gfp_status gfp_gpu_modular_run(const char *name, gfp_gpu_poly *c, const gfp_gpu_poly *a,
                               const gfp_gpu_poly *b, gfp_gpu_modular_job *j,
                               const gfp_options *options)
{
    return gfp_gpu_call_run(&(gfp_gpu_call){.name = name,
                                            .ring = j->M != NULL ? j->M->ring : NULL,
                                            .output = {c},
                                            .outputs = 1,
                                            .input = {a, b},
                                            .inputs = 2,
                                            .own_checks = true,
                                            .own = j,
                                            .compute = compute_job},
                            options);
}

gfp_status gfp_gpu_modular_deliver(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_term *x)
{
    const gfp_gpu_modulus *M = w->M;
    const size_t k = M->ring->k;
    GFP_TRY(gfp_gpu_modular_compare(w));
    z->array = x->rows.array;
    z->len = x->len;
    z->exact = false;
    if (x->rows.from == 0) {
        return GFP_OK;
    }
    z->array = M->result;
    return gfp_gpu_copy_range(z->array, 0, x->rows.array, x->rows.from * k, x->len * k);
}

static gfp_gpu_term result_of(const gfp_gpu_modulus *M, unsigned value)
{
    return (gfp_gpu_term){.rows = {M->result, 0, M->n}, .len = M->n, .value = value};
}

gfp_status gfp_gpu_modular_multiply(gfp_gpu_modular *w, gfp_gpu_term *z, const gfp_gpu_term *a,
                                    const gfp_gpu_term *b, unsigned shift, unsigned value)
{
    const gfp_gpu_identity identity = {GFP_GPU_IDENTITY_PRODUCT, a->value, b->value, value, shift};
    GFP_TRY(gfp_gpu_modulus_multiply(w->M, a, b, shift));
    *z = result_of(w->M, value);
    return gfp_gpu_modular_product(w, &identity);
}

/* ---- operands ---- */

/* M->result := the remainder of n + 1 to 2 n terms. */
static gfp_status reduce_short(gfp_gpu_modular *w, const gfp_gpu_poly *a, unsigned value)
{
    gfp_gpu_modulus *M = w->M;
    const size_t k = M->ring->k, n = M->n;
    const gfp_gpu_identity identity = {GFP_GPU_IDENTITY_PRODUCT, value, GFP_GPU_VALUE_ONE, value,
                                       0};
    GFP_TRY(gfp_gpu_modular_value(w, value, a->array, a->len));
    GFP_TRY(gfp_gpu_copy_range(M->product, k, a->array, 0, a->len * k));
    GFP_TRY(gfp_gpu_clear_range(M->product, (a->len + 1) * k, (2 * n - a->len) * k));
    GFP_TRY(gfp_gpu_modulus_multiply(M, NULL, NULL, 0));
    return gfp_gpu_modular_product(w, &identity);
}

/* The same for more terms, by a division, which is checked as one. */
static gfp_status reduce_long(gfp_gpu_modular *w, const gfp_gpu_poly *a, unsigned value)
{
    const gfp_gpu_modulus *M = w->M;
    gfp_gpu_operation *op = w->op;
    gfp_gpu_division d = {.a = a, .b = M->f, .len = M->n + 1, .n = a->len - M->n};
    GFP_TRY(gfp_gpu_divide(M->ring, &d, &op->base.error));
    GFP_TRY(gfp_gpu_division_rest(M->ring, &d, M->result));
    if (w->at.points > 0) {
        const gfp_gpu_poly q = {.ring = M->ring, .array = d.top_a, .len = d.n},
                           r = {.ring = M->ring, .array = M->result, .len = M->n};
        gfp_call_checks(&op->base);
        const gfp_status status = gfp_gpu_check_product(op, a, &q, M->f, &r, true);
        gfp_call_checked(&op->base);
        if (status == GFP_ERR_VERIFY) {
            return gfp_error_set(&op->base.error, status, "a remainder modulo f is wrong");
        }
        GFP_TRY(status);
    }
    return gfp_gpu_modular_value(w, value, M->result, M->n);
}

gfp_status gfp_gpu_modular_take(gfp_gpu_modular *w, gfp_gpu_term *x, const gfp_gpu_poly *a,
                                unsigned number)
{
    gfp_gpu_modulus *M = w->M;
    const size_t n = M->n;
    const unsigned value = GFP_GPU_VALUE_A + number;
    if (a->len <= n) {
        *x = (gfp_gpu_term){.rows = {a->array, 0, a->len}, .len = a->len, .value = value};
        return gfp_gpu_modular_value(w, value, a->array, a->len);
    }
    GFP_TRY(gfp_gpu_ring_area(M->ring, &M->reduced[number], n * M->ring->k));
    GFP_TRY(a->len <= 2 * n ? reduce_short(w, a, value) : reduce_long(w, a, value));
    *x = (gfp_gpu_term){.rows = {M->reduced[number], 0, n}, .len = n, .value = value};
    return gfp_gpu_set(M->reduced[number], M->result, n * M->ring->k, NULL);
}

/* ---- remainders and products ---- */

static gfp_status compute_rem(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    gfp_gpu_term x;
    if (call->input[0]->len <= w->M->n) {
        *z = *call->input[0];
        w->op->apart = false; /* nothing is computed */
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_modular_take(w, &x, call->input[0], 0));
    return gfp_gpu_modular_deliver(w, z, &x);
}

gfp_status gfp_gpu_poly_rem_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a, gfp_gpu_modulus *M,
                                const gfp_options *options)
{
    gfp_gpu_modular_job j = {
        .compute = compute_rem, .M = M, .products = 1, .values = GFP_GPU_VALUE_TABLE};
    return gfp_gpu_modular_run("remainder by a modulus", c, a, a, &j, options);
}

static gfp_status compute_mul(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    const gfp_gpu_poly *a = call->input[0], *b = call->input[1];
    gfp_gpu_term x, y, product;
    if (a->len == 0 || b->len == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_modular_take(w, &x, a, 0));
    if (a != b) {
        GFP_TRY(gfp_gpu_modular_take(w, &y, b, 1));
    }
    GFP_TRY(gfp_gpu_modular_multiply(w, &product, &x, a == b ? &x : &y, 0, GFP_GPU_VALUE_RESULT));
    return gfp_gpu_modular_deliver(w, z, &product);
}

gfp_status gfp_gpu_poly_mul_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                gfp_gpu_modulus *M, const gfp_options *options)
{
    gfp_gpu_modular_job j = {
        .compute = compute_mul, .M = M, .products = 3, .values = GFP_GPU_VALUE_TABLE};
    return gfp_gpu_modular_run("product by a modulus", c, a, b, &j, options);
}

/* ---- powers ---- */

/* An exponent without leading zeros. */
typedef struct exponent {
    const uint64_t *limbs;
    size_t bits;
} exponent;

/* M->result := X^start, start < n. */
static gfp_status set_power_of_x(gfp_gpu_modular *w, size_t start)
{
    const gfp_gpu_modulus *M = w->M;
    const size_t k = M->ring->k;
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(M->ring->field, one);
    GFP_TRY(gfp_gpu_clear(M->result, M->n * k, NULL));
    GFP_TRY(gfp_gpu_upload(M->result, start * k, one, k, NULL));
    return gfp_gpu_modular_value(w, GFP_GPU_VALUE_RESULT, M->result, M->n);
}

/* A factor X only shifts the product that is reduced. */
static gfp_status power_of_x(gfp_gpu_modular *w, gfp_gpu_term *z, const exponent *e)
{
    size_t bits = e->bits;
    const size_t start = gfp_exponent_start(e->limbs, w->M->n, &bits);
    GFP_TRY(set_power_of_x(w, start));
    *z = result_of(w->M, GFP_GPU_VALUE_RESULT);
    while (bits-- > 0) {
        GFP_TRY(gfp_gpu_modular_multiply(w, z, z, z, gfp_exponent_bit(e->limbs, bits),
                                         GFP_GPU_VALUE_RESULT));
    }
    return GFP_OK;
}

/* Place i of the table := a b modulo f; *x := the term there. */
static gfp_status keep_power(gfp_gpu_modular *w, gfp_gpu_term *x, const gfp_gpu_term *a,
                             const gfp_gpu_term *b, size_t i)
{
    gfp_gpu_modulus *M = w->M;
    const size_t k = M->ring->k, n = M->n;
    GFP_TRY(gfp_gpu_modular_multiply(w, x, a, b, 0, GFP_GPU_VALUE_TABLE + (unsigned)i));
    x->rows = (gfp_gpu_rows){M->table, i * n, n};
    return gfp_gpu_copy_range(M->table, i * n * k, M->result, 0, n * k);
}

#define MOST_POWERS ((size_t)1 << (GFP_MAX_WINDOW - 1))

/* odd := a, a^3, a^5, ...: `count` powers; the square lies behind them. */
static gfp_status fill_table(gfp_gpu_modular *w, gfp_gpu_term odd[MOST_POWERS],
                             const gfp_gpu_term *a, size_t count)
{
    gfp_gpu_term square;
    size_t room = 0;
    odd[0] = *a;
    if (count == 1) {
        return GFP_OK;
    }
    if (!gfp_size_mul(&room, w->M->n, (count + 1) * w->M->ring->k)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_gpu_ring_area(w->M->ring, &w->M->table, room));
    GFP_TRY(keep_power(w, &square, a, a, count));
    for (size_t i = 1; i < count; i++) {
        GFP_TRY(keep_power(w, &odd[i], &square, &odd[i - 1], i));
    }
    return GFP_OK;
}

static gfp_status power_by_windows(gfp_gpu_modular *w, gfp_gpu_term *z, const gfp_gpu_term *a,
                                   const exponent *e)
{
    const unsigned most = gfp_exponent_window(e->bits);
    gfp_gpu_term odd[MOST_POWERS];
    size_t bits = e->bits;
    GFP_TRY(fill_table(w, odd, a, (size_t)1 << (most - 1)));
    *z = odd[gfp_exponent_next(e->limbs, most, &bits).odd / 2];
    while (bits > 0) {
        const gfp_exponent_step step = gfp_exponent_next(e->limbs, most, &bits);
        for (size_t i = 0; i < step.squares; i++) {
            GFP_TRY(gfp_gpu_modular_multiply(w, z, z, z, 0, GFP_GPU_VALUE_RESULT));
        }
        GFP_TRY(step.odd != 0
                    ? gfp_gpu_modular_multiply(w, z, z, &odd[step.odd / 2], 0, GFP_GPU_VALUE_RESULT)
                    : GFP_OK);
    }
    return GFP_OK;
}

/* *yes := whether a = X. Waits. */
static gfp_status is_x(const gfp_gpu_poly *a, bool *yes)
{
    const gfp_field *field = a->ring->field;
    const size_t k = a->ring->k;
    uint64_t low[2 * GFP_MAX_K];
    size_t len = 0;
    *yes = false;
    if (a->len < 2) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_download(low, a->array, 0, 2 * k, NULL));
    if (gfp_elem_is_zero(field, low) && gfp_elem_is_one(field, low + k)) {
        GFP_TRY(gfp_gpu_poly_find_length(a, &len));
        *yes = len == 2;
    }
    return GFP_OK;
}

static gfp_status compute_power(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    const gfp_gpu_modular_job *j = call->own;
    const gfp_gpu_poly *a = call->input[0];
    const exponent e = {j->limbs, gfp_exponent_bits(j->limbs, j->n_limbs)};
    gfp_gpu_term x, power;
    bool of_x = e.bits == 0;
    if (e.bits > 0 && a->len == 0) {
        return GFP_OK;
    }
    GFP_TRY(of_x ? GFP_OK : is_x(a, &of_x));
    if (of_x) {
        GFP_TRY(power_of_x(w, &power, &e));
    } else {
        GFP_TRY(gfp_gpu_modular_take(w, &x, a, 0));
        GFP_TRY(power_by_windows(w, &power, &x, &e));
    }
    return gfp_gpu_modular_deliver(w, z, &power);
}

gfp_status gfp_gpu_poly_pow_mod(gfp_gpu_poly *c, const gfp_gpu_poly *a, const uint64_t *limbs,
                                size_t n_limbs, gfp_gpu_modulus *M, const gfp_options *options)
{
    const size_t products = limbs == NULL ? 0 : gfp_modulus_power_products(limbs, n_limbs);
    gfp_gpu_modular_job j = {.compute = compute_power,
                             .M = M,
                             .products = products + 1,
                             .values = GFP_GPU_VALUE_TABLE + (unsigned)MOST_POWERS + 1,
                             .limbs = limbs,
                             .n_limbs = n_limbs};
    return gfp_gpu_modular_run("power by a modulus", c, a, a, &j, options);
}
