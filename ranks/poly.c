/* poly.c: distributed polynomials: blocks, to and from one rank, sums, values.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ranks/poly.h"

#include <string.h>

/* ---- objects ---- */

gfp_status gfp_mpi_poly_make(gfp_mpi_poly *a, gfp_mpi *mpi, size_t n, gfp_error *error)
{
    const gfp_mpi_deal deal = gfp_mpi_deal_even(n, mpi->size);
    const size_t words = gfp_size_mul_sat(deal.block, gfp_field_k(mpi->field));
    *a = (gfp_mpi_poly){.mpi = mpi, .deal = deal};
    return gfp_mpi_memory_create(&a->memory, mpi, words, error);
}

void gfp_mpi_poly_take(gfp_mpi_poly *a, gfp_mpi_poly *made)
{
    gfp_mpi_memory_destroy(&a->memory, a->mpi);
    *a = *made;
}

gfp_status gfp_mpi_objects(const gfp_mpi_poly *c, const gfp_mpi_poly *a, const gfp_mpi_poly *b,
                           const gfp_options *options)
{
    const gfp_mpi_poly *const any = c != NULL ? c : a != NULL ? a : b;
    return c != NULL && a != NULL && b != NULL && a->mpi == c->mpi && b->mpi == c->mpi
               ? GFP_OK
               : gfp_mpi_refuse(any == NULL ? NULL : any->mpi, options,
                                "polynomials over ranks of different contexts, or NULL");
}

void gfp_mpi_operand_facts(gfp_mpi_fact facts[GFP_MPI_OPERAND_FACTS], const gfp_mpi_poly *a,
                           const gfp_mpi_poly *b)
{
    facts[0] = (gfp_mpi_fact){"lengths", a->deal.n, GFP_ERR_ARGUMENT};
    facts[1] = (gfp_mpi_fact){"lengths", b->deal.n, GFP_ERR_ARGUMENT};
    facts[2] = (gfp_mpi_fact){"calls: a square and a product", a == b, GFP_ERR_ARGUMENT};
}

gfp_status gfp_mpi_poly_create(gfp_mpi_poly **a, gfp_mpi *mpi, size_t n, const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly x;
    gfp_mpi_poly *made = NULL;
    if (a == NULL || mpi == NULL || mpi->field == NULL) {
        return gfp_mpi_refuse(mpi, options, "a polynomial over ranks needs a context with a field");
    }
    const gfp_mpi_fact facts[] = {{"lengths", n, GFP_ERR_ARGUMENT}};
    GFP_TRY(gfp_mpi_begin(&frame, mpi, "a polynomial over ranks", options, facts, 1));
    gfp_call_unreported(&frame.call);
    gfp_status status = gfp_mpi_poly_make(&x, mpi, n, &frame.call.error);
    if (status == GFP_OK) {
        made = gfp_allocate(&mpi->allocator, 1, sizeof *made);
        status = gfp_mpi_step(&frame, made == NULL ? GFP_ERR_MEMORY : GFP_OK);
        if (status != GFP_OK || made == NULL) {
            gfp_mpi_memory_destroy(&x.memory, mpi);
            gfp_release(&mpi->allocator, made, 1, sizeof *made);
        } else {
            *made = x;
            memset(gfp_mpi_poly_mine(made), 0,
                   x.deal.block * gfp_field_k(mpi->field) * sizeof(uint64_t));
            *a = made;
        }
    }
    return gfp_mpi_finish(&frame, status);
}

void gfp_mpi_poly_destroy(gfp_mpi_poly *a)
{
    if (a != NULL) {
        gfp_mpi *mpi = a->mpi;
        gfp_mpi_memory_destroy(&a->memory, mpi);
        gfp_release(&mpi->allocator, a, 1, sizeof *a);
    }
}

size_t gfp_mpi_poly_length(const gfp_mpi_poly *a)
{
    return a->deal.n;
}

uint64_t *gfp_mpi_poly_block(size_t *first, size_t *count, gfp_mpi_poly *a)
{
    *first = gfp_mpi_deal_first(&a->deal, a->mpi->rank);
    *count = gfp_mpi_poly_count(a);
    return gfp_mpi_poly_mine(a);
}

/* ---- to and from one rank, and between deals ---- */

/* Moves all of x between its blocks and an array that is dealt otherwise, of which this rank has
 * `part`: a matrix of one row. */
static gfp_status move_poly(const gfp_mpi_poly *x, const gfp_mpi_deal *other, uint64_t *part,
                            bool to_other)
{
    const gfp_mpi_array array = gfp_mpi_poly_array(x);
    return gfp_mpi_move(x->mpi, &array, other->n, other, part, to_other);
}

gfp_status gfp_mpi_check_root(const gfp_mpi *mpi, const gfp_field *field, int root,
                              gfp_error *error)
{
    if (root < 0 || root >= mpi->size) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "no rank %d exists", root);
    }
    if (mpi->rank == root && field == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "the root passes no polynomial or file");
    }
    return mpi->rank == root && !gfp_field_same(field, mpi->field)
               ? gfp_error_set(error, GFP_ERR_FIELD_MISMATCH,
                               "the root's polynomial is over another field than the ranks")
               : GFP_OK;
}

static gfp_status scatter_whole(gfp_mpi_frame *f, gfp_mpi_poly *z, const gfp_poly *x, int root)
{
    gfp_mpi *mpi = f->mpi;
    const gfp_field *const field = x != NULL ? x->field : NULL;
    GFP_TRY(gfp_mpi_step(f, gfp_mpi_check_root(mpi, field, root, &f->call.error)));
    const bool mine = mpi->rank == root && x != NULL;
    uint64_t n = mine ? x->len : 0;
    GFP_TRY(gfp_mpi_step(f, gfp_mpi_max(mpi, &n, 1)));
    GFP_TRY(gfp_mpi_poly_make(z, mpi, (size_t)n, &f->call.error));
    const gfp_mpi_deal deal = gfp_mpi_deal_root((size_t)n, mpi->size, root);
    const gfp_status status = gfp_mpi_step(f, move_poly(z, &deal, mine ? x->digits : NULL, false));
    if (status != GFP_OK) {
        gfp_mpi_memory_destroy(&z->memory, mpi);
    }
    return status;
}

gfp_status gfp_mpi_poly_scatter(gfp_mpi_poly *a, const gfp_poly *b, int root,
                                const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly z;
    const gfp_mpi_fact facts[] = {{"roots", (uint64_t)root, GFP_ERR_ARGUMENT}};
    GFP_TRY(gfp_mpi_objects(a, a, a, options));
    GFP_TRY(gfp_mpi_begin(&frame, a->mpi, "a scatter to ranks", options, facts, 1));
    gfp_call_unreported(&frame.call);
    const gfp_status status = scatter_whole(&frame, &z, b, root);
    if (status == GFP_OK) {
        gfp_mpi_poly_take(a, &z);
    }
    return gfp_mpi_finish(&frame, status);
}

gfp_status gfp_mpi_begin_gather(gfp_mpi_frame *frame, const gfp_mpi_poly *a, int root,
                                const gfp_options *options)
{
    const gfp_mpi_fact facts[] = {{"lengths", a->deal.n, GFP_ERR_ARGUMENT},
                                  {"roots", (uint64_t)root, GFP_ERR_ARGUMENT}};
    GFP_TRY(gfp_mpi_begin(frame, a->mpi, "a gather from ranks", options, facts, 2));
    gfp_call_unreported(&frame->call);
    return GFP_OK;
}

static gfp_status gather_whole(gfp_mpi_frame *f, uint64_t *digits, const gfp_mpi_poly *a, int root)
{
    const gfp_mpi_deal deal = gfp_mpi_deal_root(a->deal.n, f->mpi->size, root);
    return gfp_mpi_step(f, move_poly(a, &deal, digits, true));
}

gfp_status gfp_mpi_poly_gather(gfp_poly *b, const gfp_mpi_poly *a, int root,
                               const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_poly x; /* b stays as it is until all is well */
    GFP_TRY(gfp_mpi_objects(a, a, a, options));
    const bool mine = a->mpi->rank == root;
    const gfp_field *const field = b != NULL ? b->field : NULL;
    GFP_TRY(gfp_mpi_begin_gather(&frame, a, root, options));
    gfp_poly_init(&x, mine && b != NULL ? field : a->mpi->field);
    gfp_status status = gfp_mpi_check_root(a->mpi, field, root, &frame.call.error);
    if (status == GFP_OK && mine) {
        status = gfp_poly_fit_length(&x, a->deal.n);
    }
    status = gfp_mpi_step(&frame, status);
    if (status == GFP_OK) {
        status = gather_whole(&frame, x.digits, a, root);
    }
    if (status == GFP_OK) {
        status = gfp_mpi_step(&frame, mine ? gfp_poly_set_length(&x, a->deal.n) : GFP_OK);
    }
    if (status == GFP_OK && mine && b != NULL) { /* it is not NULL: gfp_mpi_check_root */
        gfp_poly_swap(b, &x);
    }
    gfp_poly_clear(&x);
    return gfp_mpi_finish(&frame, status);
}

/* ---- sums ---- */

/* *digits := this rank's coefficients of x as those of `like` are dealt, zeros beyond x: its own
 * block, or a copy. Not agreed. */
static gfp_status align_poly(gfp_mpi_frame *f, const uint64_t **digits, const gfp_mpi_poly *x,
                             const gfp_mpi_deal *like)
{
    uint64_t *copy;
    const size_t k = gfp_field_k(f->mpi->field);
    if (x->deal.n == like->n) {
        *digits = gfp_mpi_poly_mine(x);
        return GFP_OK;
    }
    GFP_TRY(gfp_call_array(&f->call, &copy, like->block * k));
    memset(copy, 0, like->block * k * sizeof *copy);
    *digits = copy;
    return GFP_OK;
}

/* All ranks must have this element. */
static gfp_mpi_fact point_fact(const gfp_field *field, const uint64_t *x)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < gfp_field_k(field); i++) {
        hash = (hash ^ x[i]) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29;
    }
    return (gfp_mpi_fact){"elements", hash, GFP_ERR_ARGUMENT};
}

/* z := x[0] + c x[1], for z of the longer one's length. */
static gfp_status add_polys(gfp_mpi_frame *f, gfp_mpi_poly *z, const gfp_mpi_poly *const x[2],
                            const uint64_t *c)
{
    const gfp_field *field = f->mpi->field;
    const uint64_t *digits[2];
    uint64_t *mine = gfp_mpi_poly_mine(z);
    const size_t count = gfp_mpi_poly_count(z);
    gfp_status status = GFP_OK;
    for (int i = 0; i < 2 && status == GFP_OK; i++) {
        status = align_poly(f, &digits[i], x[i], &z->deal);
    }
    GFP_TRY(gfp_mpi_step(f, status));
    for (int i = 0; i < 2 && status == GFP_OK; i++) {
        if (x[i]->deal.n != z->deal.n && x[i]->deal.n > 0) {
            status = move_poly(x[i], &z->deal, (uint64_t *)digits[i], true);
        }
    }
    GFP_TRY(gfp_mpi_step(f, status));
    uint64_t minus[GFP_MAX_K];
    gfp_elem_neg(field, minus, c);
    if (gfp_elem_is_one(field, c)) {
        gfp_vec_add(field, mine, digits[0], digits[1], count);
    } else if (gfp_elem_is_one(field, minus)) {
        gfp_vec_sub(field, mine, digits[0], digits[1], count);
    } else {
        gfp_vec_set(field, mine, digits[0], count);
        gfp_vec_scalar_addmul(field, mine, digits[1], c, count);
    }
    return gfp_mpi_step(f, gfp_call_finish(&f->call));
}

gfp_status gfp_mpi_poly_scalar_addmul(gfp_mpi_poly *c, const gfp_mpi_poly *a, const gfp_mpi_poly *b,
                                      const uint64_t *x, const gfp_options *options)
{
    gfp_mpi_frame frame;
    gfp_mpi_poly z;
    gfp_mpi_fact facts[GFP_MPI_OPERAND_FACTS + 1];
    const gfp_mpi_poly *const terms[2] = {a, b};
    GFP_TRY(gfp_mpi_objects(c, a, b, options));
    gfp_mpi_operand_facts(facts, a, b);
    facts[GFP_MPI_OPERAND_FACTS] = point_fact(c->mpi->field, x);
    GFP_TRY(gfp_mpi_begin(&frame, c->mpi, "a sum over ranks", options, facts,
                          GFP_MPI_OPERAND_FACTS + 1));
    gfp_call_unreported(&frame.call);
    const size_t n = a->deal.n > b->deal.n ? a->deal.n : b->deal.n;
    gfp_status status = gfp_mpi_poly_make(&z, c->mpi, n, &frame.call.error);
    if (status == GFP_OK) {
        status = add_polys(&frame, &z, terms, x);
        if (status == GFP_OK) {
            gfp_mpi_poly_take(c, &z);
        } else {
            gfp_mpi_memory_destroy(&z.memory, c->mpi);
        }
    }
    return gfp_mpi_finish(&frame, status);
}

/* ---- values ---- */

gfp_status gfp_mpi_join_values(uint64_t *y, const gfp_mpi_poly *a, const uint64_t *x,
                               const uint64_t *mine)
{
    const gfp_field *field = a->mpi->field;
    const size_t k = gfp_field_k(field);
    const uint64_t block = a->deal.block;
    uint64_t power[GFP_MAX_K];
    GFP_TRY(gfp_mpi_gather(a->mpi, mine, k));
    gfp_elem_pow(field, power, x, &block, 1);
    gfp_elem_zero(field, y);
    for (int i = a->mpi->size - 1; i >= 0; i--) {
        gfp_elem_mul(field, y, y, power);
        gfp_elem_add(field, y, y, a->mpi->gathered + (size_t)i * k);
    }
    return GFP_OK;
}

gfp_status gfp_mpi_poly_eval(uint64_t *y, const gfp_mpi_poly *a, const uint64_t *x,
                             const gfp_options *options)
{
    gfp_mpi_frame frame;
    uint64_t mine[GFP_MAX_K], value[GFP_MAX_K];
    GFP_TRY(gfp_mpi_objects(a, a, a, options));
    const gfp_field *field = a->mpi->field;
    const gfp_mpi_fact facts[] = {{"lengths", a->deal.n, GFP_ERR_ARGUMENT}, point_fact(field, x)};
    GFP_TRY(gfp_mpi_begin(&frame, a->mpi, "a value over ranks", options, facts, 2));
    gfp_call_unreported(&frame.call);
    const gfp_poly block = {field, gfp_mpi_poly_mine(a), gfp_mpi_poly_count(a), a->deal.block};
    gfp_poly_eval(mine, &block, x);
    gfp_status status = gfp_mpi_join_values(value, a, x, mine);
    status = gfp_mpi_step(&frame, status);
    if (status == GFP_OK) {
        gfp_elem_set(field, y, value);
    }
    return gfp_mpi_finish(&frame, status);
}
