/* compose.c: composition modulo a fixed polynomial on a device, by baby steps and giant steps: f is
 * cut into blocks of s coefficients, powers g^0, ..., g^(s - 1) are rows of a matrix, the values of
 * the blocks are a product of matrices, and Horner's rule in g^s joins them (Brent, Kung).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/modulus.h"

#include <math.h>

#include "product/pipeline.h"

/* ---- counts ---- */

/* f of len terms: blocks of `steps` coefficients, and as many blocks or fewer. */
typedef struct block_split {
    size_t steps, blocks;
} block_split;

static block_split split_of(size_t len)
{
    block_split s = {.steps = 1};
    while (s.steps * s.steps < len) {
        s.steps++;
    }
    s.blocks = len / s.steps + (len % s.steps != 0);
    return s;
}

/* The values whose residues are kept: of g^i, i <= steps, and of block i at g. */
static unsigned power_value(size_t i)
{
    return i == 0   ? GFP_GPU_VALUE_ONE
           : i == 1 ? GFP_GPU_VALUE_A
                    : GFP_GPU_VALUE_TABLE + (unsigned)(i - 2);
}

static unsigned block_value(const block_split *s, size_t i)
{
    return GFP_GPU_VALUE_TABLE + (unsigned)(s->steps - 1 + i);
}

/* ---- a composition ---- */

/* Arrays of the call: rows of n elements. */
typedef struct composition {
    gfp_gpu_modular *w;
    const gfp_gpu_poly *f;
    block_split s;
    gfp_gpu_array *powers; /* steps + 1 */
    gfp_gpu_array *terms;  /* f's, and zeros: blocks of `steps` elements */
    gfp_gpu_array *values; /* of the blocks */
    gfp_gpu_ring_plan own; /* the modulus's plan, with a factor transformed */
    gfp_gpu_factor factor;
} composition;

/* The largest arrays of all calls: the ring's idle plans make room for them. */
static gfp_status compose_area(const composition *c, gfp_gpu_array **area, size_t rows, size_t n)
{
    gfp_gpu_ring *ring = c->w->M->ring;
    size_t words = 0;
    if (!gfp_size_mul(&words, rows, n) || !gfp_size_mul(&words, words, ring->k)) {
        return GFP_ERR_SIZE;
    }
    const gfp_status status = gfp_gpu_ring_area(ring, area, words);
    if (status != GFP_ERR_MEMORY || ring->plans == NULL) {
        return status;
    }
    gfp_gpu_ring_drop_plans(ring);
    return gfp_gpu_ring_area(ring, area, words);
}

static gfp_status compose_areas(composition *c)
{
    const gfp_gpu_modulus *M = c->w->M;
    const block_split *s = &c->s;
    const size_t k = M->ring->k, len = c->f->len;
    GFP_TRY(compose_area(c, &c->powers, s->steps + 1, M->n));
    GFP_TRY(compose_area(c, &c->values, s->blocks, M->n));
    GFP_TRY(compose_area(c, &c->terms, s->blocks, s->steps));
    GFP_TRY(gfp_gpu_copy_range(c->terms, 0, c->f->array, 0, len * k));
    return gfp_gpu_clear_range(c->terms, len * k, (s->blocks * s->steps - len) * k);
}

static void compose_release(composition *c)
{
    gfp_gpu_operand_destroy(c->own.operand);
    gfp_gpu_array_destroy(c->powers);
    gfp_gpu_array_destroy(c->terms);
    gfp_gpu_array_destroy(c->values);
}

static gfp_gpu_term power_term(const composition *c, size_t i)
{
    const size_t n = c->w->M->n;
    return (gfp_gpu_term){.rows = {c->powers, i * n, n}, .len = n, .value = power_value(i)};
}

/* A factor of many products: g^i, transformed once. */
static gfp_status keep_factor(composition *c, gfp_gpu_term *x, size_t i)
{
    const gfp_gpu_modulus *M = c->w->M;
    *x = power_term(c, i);
    c->own.plan = M->whole.plan;
    c->factor = (gfp_gpu_factor){.kept = &c->own, .rows = x->rows, .products = M->inverse.products};
    GFP_TRY(gfp_gpu_factor_transform(&c->factor));
    x->kept = &c->factor;
    return GFP_OK;
}

/* ---- baby steps ---- */

/* Rows 0 and 1 of the powers. */
static gfp_status first_powers(const composition *c, const gfp_gpu_term *g)
{
    const gfp_gpu_modulus *M = c->w->M;
    const size_t n = M->n, k = M->ring->k;
    uint64_t one[GFP_MAX_K];
    gfp_elem_one(M->ring->field, one);
    GFP_TRY(gfp_gpu_clear_range(c->powers, 0, 2 * n * k));
    GFP_TRY(gfp_gpu_upload(c->powers, 0, one, k, NULL));
    return gfp_gpu_copy_range(c->powers, n * k, g->rows.array, g->rows.from * k, g->len * k);
}

static gfp_status make_powers(composition *c, const gfp_gpu_term *g)
{
    const gfp_gpu_modulus *M = c->w->M;
    const size_t words = M->n * M->ring->k;
    gfp_gpu_term x, z;
    GFP_TRY(first_powers(c, g));
    GFP_TRY(keep_factor(c, &x, 1));
    const size_t last = c->s.blocks > 1 ? c->s.steps : c->s.steps - 1;
    for (size_t i = 2; i <= last; i++) {
        const gfp_gpu_term before = power_term(c, i - 1);
        GFP_TRY(gfp_gpu_modular_multiply(c->w, &z, &before, &x, 0, power_value(i)));
        GFP_TRY(gfp_gpu_copy_range(c->powers, i * words, M->result, 0, words));
    }
    return GFP_OK;
}

/* ---- the values of the blocks ---- */

static gfp_status make_values(const composition *c)
{
    const gfp_gpu_ring *ring = c->w->M->ring;
    const block_split *s = &c->s;
    const size_t n = c->w->M->n;
    const gfp_gpu_rows values = {c->values, 0, n}, terms = {c->terms, 0, s->steps},
                       powers = {c->powers, 0, n};
    const gfp_gpu_matrix_shape shape = {s->blocks, s->steps, n};
    return gfp_gpu_vec_mul_matrix(ring->field, &values, &terms, &powers, &shape);
}

/* Takes the residues of all values. */
static gfp_status take_values(const composition *c)
{
    const gfp_gpu_modulus *M = c->w->M;
    const size_t words = M->n * M->ring->k;
    for (size_t i = 0; i < c->s.blocks; i++) {
        gfp_gpu_array *row = NULL;
        GFP_TRY(gfp_gpu_array_part(&row, c->values, i * words, words));
        const gfp_status status = gfp_gpu_modular_value(c->w, block_value(&c->s, i), row, M->n);
        gfp_gpu_array_destroy(row);
        GFP_TRY(status);
    }
    return gfp_gpu_modular_compare(c->w);
}

/* z := the sum of e^i x_i, where x_i are n elements, `stride` words apart; z is apart. */
static void sum_by_powers(const gfp_field *field, uint64_t *z, const uint64_t *e, const uint64_t *x,
                          size_t stride, size_t rows, size_t n)
{
    gfp_vec_set(field, z, x + (rows - 1) * stride, n);
    for (size_t i = rows - 1; i-- > 0;) {
        gfp_vec_scalar_mul(field, z, z, e, n);
        gfp_vec_add(field, z, z, x + i * stride, n);
    }
}

/* What the comparison of the matrices takes on the host: f's terms, and zeros; a sum of their rows;
 * three polynomials' residues. */
typedef struct host_sums {
    uint64_t *terms, *weights, *left, *right, *product;
} host_sums;

/* Whether x->left is the sum of weight_j g^j at a point. */
static gfp_status compare_sums(const composition *c, const host_sums *x, const uint64_t *weights,
                               unsigned point)
{
    const gfp_gpu_modular *w = c->w;
    const gfp_field *field = w->M->ring->field;
    const size_t k = w->M->ring->k, j = w->at.block;
    gfp_vec_zero(field, x->right, j);
    for (size_t i = 0; i < c->s.steps; i++) {
        gfp_vec_scalar_mul(field, x->product, gfp_gpu_modular_residues(w, power_value(i), point),
                           weights + i * k, j);
        gfp_vec_add(field, x->right, x->right, x->product, j);
    }
    return gfp_vec_equal(field, x->left, x->right, j)
               ? GFP_OK
               : gfp_error_set(&w->op->base.error, GFP_ERR_VERIFY,
                               "a product of matrices is wrong");
}

/* The residues of the value of block 0 at a point; *stride := words from one block to the next. */
static const uint64_t *value_residues(const composition *c, unsigned point, size_t *stride)
{
    const uint64_t *first = gfp_gpu_modular_residues(c->w, block_value(&c->s, 0), point);
    *stride = (size_t)(gfp_gpu_modular_residues(c->w, block_value(&c->s, 1), point) - first);
    return first;
}

/* All rows, weighted with the powers of a random element. */
static gfp_status compare_weighted(const composition *c, const host_sums *x, gfp_random *random)
{
    const gfp_gpu_modular *w = c->w;
    const gfp_field *field = w->M->ring->field;
    const block_split *s = &c->s;
    uint64_t e[GFP_MAX_K];
    gfp_elem_random(field, e, random);
    sum_by_powers(field, x->weights, e, x->terms, s->steps * w->M->ring->k, s->blocks, s->steps);
    for (unsigned point = 0; point < w->at.points; point++) {
        size_t stride = 0;
        const uint64_t *values = value_residues(c, point, &stride);
        sum_by_powers(field, x->left, e, values, stride, s->blocks, w->at.block);
        GFP_TRY(compare_sums(c, x, x->weights, point));
    }
    return GFP_OK;
}

/* Row i. */
static gfp_status compare_row(const composition *c, const host_sums *x, size_t i)
{
    const gfp_gpu_modular *w = c->w;
    for (unsigned point = 0; point < w->at.points; point++) {
        size_t stride = 0;
        const uint64_t *values = value_residues(c, point, &stride);
        gfp_vec_set(w->M->ring->field, x->left, values + i * stride, w->at.block);
        GFP_TRY(compare_sums(c, x, x->terms + i * c->s.steps * w->M->ring->k, point));
    }
    return GFP_OK;
}

/* The number of random elements for which wrong rows pass with the probability of one claim at
 * most: an element does with (blocks - 1) / p. As many as blocks or more: rows are compared one by
 * one. */
static size_t count_elements(const composition *c)
{
    const gfp_gpu_modular *w = c->w;
    const gfp_field *field = w->M->ring->field;
    const double p = gfp_field_k(field) * log2((double)gfp_field_r(field)); /* p > r^k */
    const double each = p - log2((double)c->s.blocks);
    const double all = log2(w->op->claims) - w->at.log2_error;
    return each * (double)c->s.blocks <= all ? c->s.blocks : (size_t)ceil(all / each);
}

static gfp_status compare_values(const composition *c, const host_sums *x)
{
    const block_split *s = &c->s;
    const size_t words = c->f->len * c->w->M->ring->k, count = count_elements(c);
    gfp_random random;
    gfp_random_seed(&random, ~c->w->op->seed);
    GFP_TRY(gfp_gpu_download(x->terms, c->f->array, 0, words, NULL));
    gfp_vec_zero(c->w->M->ring->field, x->terms + words, s->blocks * s->steps - c->f->len);
    for (size_t i = 0; i < count; i++) {
        GFP_TRY(count < s->blocks ? compare_weighted(c, x, &random) : compare_row(c, x, i));
    }
    return GFP_OK;
}

static gfp_status check_values(const composition *c)
{
    const gfp_gpu_modular *w = c->w;
    gfp_call *base = &w->op->base;
    const block_split *s = &c->s;
    const size_t k = w->M->ring->k, all = s->blocks * s->steps * k, each = w->at.block * k;
    uint64_t *room = NULL;
    GFP_TRY(gfp_call_array(base, &room, all + s->steps * k + 3 * each));
    uint64_t *sums = room + all + s->steps * k;
    const host_sums x = {room, room + all, sums, sums + each, sums + 2 * each};
    gfp_call_checks(base);
    const gfp_status status = compare_values(c, &x);
    gfp_call_checked(base);
    return status;
}

/* ---- giant steps ---- */

/* M->result := the sum of value_i g^(s i); *z := the term. */
static gfp_status join_values(composition *c, gfp_gpu_term *z)
{
    const gfp_gpu_modulus *M = c->w->M;
    const size_t n = M->n, words = n * M->ring->k;
    size_t i = c->s.blocks - 1;
    gfp_gpu_term x;
    *z = (gfp_gpu_term){.rows = {M->result, 0, n}, .len = n, .value = block_value(&c->s, i)};
    GFP_TRY(gfp_gpu_copy_range(M->result, 0, c->values, i * words, words));
    GFP_TRY(i > 0 ? keep_factor(c, &x, c->s.steps) : GFP_OK);
    while (i-- > 0) {
        const gfp_gpu_rows terms[] = {z->rows, {c->values, i * n, n}};
        GFP_TRY(gfp_gpu_modular_multiply(c->w, z, z, &x, 0, GFP_GPU_VALUE_RESULT));
        GFP_TRY(gfp_gpu_vec_sum_rows(M->ring->field, &z->rows, terms, 2, 0, 1, n));
        GFP_TRY(gfp_gpu_modular_sum(c->w, z->value, z->value, block_value(&c->s, i)));
    }
    return gfp_gpu_modular_result(c->w, z->value);
}

static gfp_status compose_all(composition *c, gfp_gpu_poly *z, const gfp_gpu_poly *g)
{
    gfp_gpu_term x, result;
    GFP_TRY(compose_areas(c));
    GFP_TRY(gfp_gpu_modular_take(c->w, &x, g, 0));
    GFP_TRY(make_powers(c, &x));
    GFP_TRY(make_values(c));
    if (c->w->at.points > 0) {
        GFP_TRY(take_values(c));
        GFP_TRY(check_values(c));
    }
    GFP_TRY(join_values(c, &result));
    return gfp_gpu_modular_deliver(c->w, z, &result);
}

static gfp_status compute_composition(gfp_gpu_modular *w, gfp_gpu_poly *z, const gfp_gpu_call *call)
{
    const gfp_gpu_poly *f = call->input[0], *g = call->input[1];
    composition c = {.w = w, .f = f, .s = split_of(f->len)};
    if (f->len == 0) {
        return GFP_OK;
    }
    if (f->len == 1 || g->len == 0) {
        z->array = w->M->result;
        z->len = 1;
        z->exact = false;
        return gfp_gpu_copy_range(z->array, 0, f->array, 0, w->M->ring->k);
    }
    const gfp_status status = compose_all(&c, z, g);
    compose_release(&c);
    return status;
}

gfp_status gfp_gpu_poly_compose_mod(gfp_gpu_poly *c, const gfp_gpu_poly *f, const gfp_gpu_poly *g,
                                    gfp_gpu_modulus *M, const gfp_options *options)
{
    const block_split s = split_of(f == NULL ? 1 : f->len);
    gfp_gpu_modular_job j = {.compute = compute_composition,
                             .M = M,
                             .products = s.steps + s.blocks + 1,
                             .values = block_value(&s, s.blocks + 1)};
    return gfp_gpu_modular_run("composition by a modulus", c, f, g, &j, options);
}
