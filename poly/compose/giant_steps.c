/* giant_steps.c: composition modulo h of degree n: baby steps and giant steps.
 *
 * f is cut into blocks of s coefficients. The values of the blocks at g are the product of the
 * matrix of coefficients by the matrix whose rows are 1, g, ..., g^(s - 1) modulo h; powers of g^s
 * join them (join.c). The algorithm is Brent's and Kung's. Several compositions by one argument
 * make one product of matrices.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/compose/impl.h"

#include <math.h>

#include "poly/euclid/steps.h"
#include "poly/modulus/chain.h"
#include "poly/impl.h"
#include "field/base/support.h"
#include "poly/modulus/multiplier.h"

/* ---- an argument ---- */

/* A baby step takes about 1.4 of the time of a giant step: rows are joined several at once, but are
 * restored from residues. */
#define BABY_SHARE 1.4

size_t gfp_compose_steps(const gfp_modulus *M, size_t uses)
{
    const double n = (double)M->divisor.n;
    const double s = ceil(sqrt(n * (double)uses / BABY_SHARE));
    return s < n ? (size_t)s : M->divisor.n;
}

double gfp_compose_argument_units(const gfp_modulus *M, size_t uses)
{
    const size_t s = gfp_compose_steps(M, uses);
    return M->quotients == NULL
               ? 0
               : (double)s * gfp_multiplier_apply_units(M) + 2 * gfp_multiplier_units(M);
}

/* *x := `words` words, of the operation or the argument's own. */
static gfp_status giant_steps_take(gfp_operation_call *op, const gfp_compose_argument *A,
                                   uint64_t **x, size_t words)
{
    if (!A->stays) {
        return gfp_operation_array(op, x, words / gfp_field_k(op->field) + 1);
    }
    *x = gfp_allocate(&A->M->allocator, words, sizeof **x);
    return *x == NULL ? GFP_ERR_MEMORY : GFP_OK;
}

/* The check of the powers of g: residues of g, of the last power and of the next one. */
typedef struct powers_check {
    gfp_chain chain;
    bool begun;
    uint64_t *g, *last, *next;
} powers_check;

static gfp_status powers_check_begin(gfp_operation_call *op, powers_check *w,
                                     const gfp_compose_argument *A)
{
    GFP_TRY(gfp_chain_begin(op, &w->chain, &w->begun, A->M, 0));
    if (!w->begun) {
        return GFP_OK;
    }
    GFP_TRY(gfp_chain_array(op, &w->chain, &w->g));
    GFP_TRY(gfp_chain_array(op, &w->chain, &w->last));
    GFP_TRY(gfp_chain_array(op, &w->chain, &w->next));
    GFP_TRY(gfp_chain_enter(op, &w->chain, w->g, A->g.digits, A->g.len));
    gfp_vec_set(op->field, w->last, w->g, w->chain.ring.j);
    return GFP_OK;
}

/* next := last g mod f. */
static gfp_status next_power(gfp_operation_call *op, powers_check *w, uint64_t *next,
                             gfp_series last, const gfp_multiplier *by)
{
    const gfp_chain_link link = {&w->chain, w->last, w->g, w->next};
    uint64_t *other = w->last;
    GFP_TRY(gfp_multiplier_apply(op, next, last, by, w->begun ? &link : NULL));
    w->last = w->next;
    w->next = other;
    return GFP_OK;
}

/* The powers of g, and the multiplier of the last one. */
static gfp_status fill_powers(gfp_operation_call *op, gfp_compose_argument *A)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, words = n * gfp_field_k(field);
    const gfp_series g = {A->g.digits, A->g.len};
    gfp_multiplier by;
    powers_check check = {.last = NULL, .next = NULL};
    uint64_t *next;
    gfp_vec_zero(field, A->power, n);
    gfp_elem_one(field, A->power);
    GFP_TRY(gfp_operation_array(op, &next, n));
    GFP_TRY(gfp_multiplier_borrow(op, &by, A->M, g));
    GFP_TRY(powers_check_begin(op, &check, A));
    for (size_t i = 1; i <= A->s; i++) {
        uint64_t *power = i < A->s ? A->power + i * words : next;
        if (i == 1) {
            gfp_series_copy(field, power, n, g);
        } else {
            const gfp_series last = {A->power + (i - 1) * words, n};
            GFP_TRY(next_power(op, &check, power, last, &by));
        }
    }
    GFP_TRY(check.begun ? gfp_chain_end(op, &check.chain) : GFP_OK);
    return A->stays ? gfp_multiplier_fill(op, &A->giant, A->M, (gfp_series){next, n})
                    : gfp_multiplier_borrow(op, &A->giant, A->M, (gfp_series){next, n});
}

/* Keeps the residues of the powers. */
static gfp_status keep_residues(gfp_operation_call *op, gfp_compose_argument *A)
{
    const gfp_native_matrix *m = &A->matrix;
    const size_t k = gfp_field_k(op->field), line = 8;
    const gfp_native_matrix_input b = {A->power, m->columns * k, k};
    gfp_native_matrix_call call = {.m = m, .task = &op->base.task};
    A->kept_words = gfp_size_add_sat(gfp_native_matrix_kept_words(m), line);
    GFP_TRY(giant_steps_take(op, A, &A->kept_block, A->kept_words));
    A->kept = A->kept_block + (line - (uintptr_t)A->kept_block / sizeof *A->kept % line) % line;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &call.work,
                                gfp_native_matrix_work_words(m, 0, op->base.task.threads) / k + 1));
    GFP_TRY(gfp_operation_step(op, 0, gfp_native_matrix_units(m, 0), GFP_NATIVE_MATRIX_UNIT_COST));
    if (!gfp_native_matrix_keep(&call, A->kept, &b)) {
        return GFP_ERR_CANCELLED;
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Everything but g. */
static gfp_status giant_steps_fill(gfp_operation_call *op, gfp_compose_argument *A, size_t uses)
{
    const size_t n = A->M->divisor.n;
    if (A->M->quotients == NULL) {
        return GFP_OK;
    }
    A->s = gfp_compose_steps(A->M, uses);
    A->power_words = gfp_size_mul_sat(gfp_size_mul_sat(A->s, n), gfp_field_k(op->field));
    GFP_TRY(giant_steps_take(op, A, &A->power, A->power_words));
    GFP_TRY(gfp_native_matrix_init(&A->matrix, op->field, A->s, n));
    GFP_TRY(fill_powers(op, A));
    return uses > 1 && gfp_compose_residues_serve(op) ? keep_residues(op, A) : GFP_OK;
}

gfp_status gfp_compose_argument_borrow(gfp_operation_call *op, gfp_compose_argument *A,
                                       const gfp_modulus *M, gfp_series g, size_t uses)
{
    *A = (gfp_compose_argument){.M = M};
    gfp_poly_init(&A->g, op->field);
    A->g.len = gfp_series_trim(op->field, g.digits, g.len);
    GFP_TRY(gfp_operation_array(op, &A->g.digits, A->g.len));
    gfp_vec_set(op->field, A->g.digits, g.digits, A->g.len);
    return giant_steps_fill(op, A, uses);
}

static gfp_status fill_own(gfp_operation_call *op, gfp_compose_argument *A, gfp_series g,
                           size_t uses)
{
    GFP_TRY(gfp_poly_fit_length(&A->g, g.len));
    gfp_vec_set(op->field, A->g.digits, g.digits, g.len);
    gfp_poly_normalise(&A->g, g.len);
    return giant_steps_fill(op, A, uses);
}

gfp_status gfp_compose_argument_make(gfp_operation_call *op, gfp_compose_argument **A,
                                     const gfp_modulus *M, gfp_series g, size_t uses)
{
    gfp_compose_argument *made = gfp_allocate(&M->allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    *made = (gfp_compose_argument){.M = M, .stays = true};
    gfp_poly_init(&made->g, op->field);
    gfp_poly_init(&made->giant.b, op->field);
    const gfp_status status = fill_own(op, made, g, uses);
    if (status != GFP_OK) {
        gfp_compose_argument_destroy(made);
        return status;
    }
    *A = made;
    return GFP_OK;
}

void gfp_compose_argument_destroy(gfp_compose_argument *A)
{
    if (A != NULL) {
        const gfp_allocator *allocator = &A->M->allocator;
        gfp_multiplier_empty(&A->giant);
        gfp_release(allocator, A->kept_block, A->kept_words, sizeof *A->kept_block);
        gfp_release(allocator, A->power, A->power_words, sizeof *A->power);
        gfp_poly_clear(&A->g);
        gfp_release(allocator, A, 1, sizeof *A);
    }
}

size_t gfp_compose_argument_bytes(const gfp_compose_argument *A)
{
    const size_t words = A->power_words + A->kept_words;
    const size_t giant = A->s == 0 ? 0 : gfp_multiplier_bytes(&A->giant) - sizeof A->giant;
    return sizeof *A + A->g.capacity * gfp_element_bytes(A->g.field) + words * sizeof *A->power +
           giant;
}

/* ---- composition ---- */

/* r := f(g) by Horner's rule, a product modulo h for each coefficient. */
static gfp_status compose_by_horner(gfp_operation_call *op, uint64_t *r,
                                    const gfp_compose_argument *A, gfp_series f)
{
    const gfp_field *field = op->field;
    const size_t n = A->M->divisor.n, k = gfp_field_k(field);
    const gfp_series g = {A->g.digits, A->g.len};
    uint64_t *next;
    gfp_vec_zero(field, r, n);
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &next, n));
    for (size_t i = f.len; i-- > 0;) {
        const gfp_modular_product p = {.a = {r, n}, .b = g};
        GFP_TRY(gfp_modulus_multiply(op, A->M, next, &p));
        gfp_elem_add(field, next, next, f.digits + i * k);
        gfp_vec_set(field, r, next, n);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static size_t blocks_of(const gfp_compose_argument *A, gfp_series f)
{
    return f.len == 0 ? 0 : (f.len - 1) / A->s + 1;
}

/* The blocks of all f[i], s coefficients each, one after the other, and their numbers. */
static gfp_status giant_steps_collect(gfp_operation_call *op, uint64_t **a, size_t *rows,
                                      size_t *blocks, const gfp_compose_argument *A,
                                      const gfp_series *f, size_t count)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field);
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = blocks_of(A, f[i]);
        *rows = gfp_size_add_sat(*rows, blocks[i]);
    }
    GFP_TRY(gfp_operation_array(op, a, gfp_size_mul_sat(*rows, A->s)));
    uint64_t *at = *a;
    for (size_t i = 0; i < count; i++) {
        const size_t len = blocks[i] * A->s;
        gfp_series_copy(field, at, len, f[i]);
        at += len * k;
    }
    return GFP_OK;
}

gfp_status gfp_compose_modular(gfp_operation_call *op, uint64_t *const *r,
                               const gfp_compose_argument *A, const gfp_series *f, size_t count)
{
    const size_t n = A->M->divisor.n, k = gfp_field_k(op->field);
    uint64_t *a, *c, *block;
    size_t rows;
    if (A->s == 0) {
        for (size_t i = 0; i < count; i++) {
            GFP_TRY(compose_by_horner(op, r[i], A, f[i]));
        }
        return GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &block, count)); /* an element has room for a number */
    size_t *blocks = (size_t *)(void *)block;
    GFP_TRY(giant_steps_collect(op, &a, &rows, blocks, A, f, count));
    GFP_TRY(gfp_operation_array(op, &c, gfp_size_mul_sat(rows, n)));
    if (rows > 0) {
        const gfp_compose_product p = {
            .m = &A->matrix, .a = a, .rows = rows, .b = {A->power, n * k, k}, .kept = A->kept};
        GFP_TRY(gfp_compose_multiply(op, c, &p));
        GFP_TRY(gfp_compose_check(op, c, &p));
    }
    GFP_TRY(gfp_compose_join(op, r, A, c, blocks, count));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

double gfp_compose_modular_units(const gfp_compose_argument *A, size_t terms)
{
    const size_t n = A->M->divisor.n;
    if (A->s == 0) {
        return (double)terms * gfp_modulus_multiply_units(A->M);
    }
    const size_t rows = terms / A->s + 1;
    return gfp_compose_multiply_units(A->M->f.field, rows, A->s, n) +
           gfp_compose_join_units(A->M, rows, 1);
}
