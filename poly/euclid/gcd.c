/* gcd.c: Euclid's algorithm from a pair of polynomials downwards, its cofactors, and greatest
 * common divisors.
 *
 * While the pair is long, half-gcds of its highest coefficients take about a quarter of the degree
 * away at a time; quotients that are in their way are computed by divisions. A short pair is
 * finished by the definition. Cofactors are computed at the end, from the last step to the first:
 * vectors of two polynomials by matrices.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/euclid/gcd.h"

#include "field/base/support.h"

/* ---- reductions ---- */

/* Pairs of up to this length are finished by the definition. */
static size_t finish_length(const gfp_operation_call *op)
{
    return 2 * op->threshold[GFP_THRESHOLD_HALF_GCD];
}

/* *step := a new step; if steps are not kept, always the same one, whose memory gfp_reduce
 * releases. */
static gfp_step *new_step(gfp_reduction *w)
{
    gfp_step *step = &w->step[w->steps];
    w->steps += w->kept ? 1 : 0;
    return step;
}

static gfp_quotients *list_of(gfp_reduction *w)
{
    return w->listed ? &w->list : NULL;
}

static void gcd_exchange(gfp_piece *x, gfp_piece *y)
{
    const gfp_piece z = *x;
    *x = *y;
    *y = z;
}

static gfp_pair pair_of(const gfp_reduction *w)
{
    return (gfp_pair){gfp_piece_series(w->x), gfp_piece_series(w->y)};
}

/* (x, y) := (y, x mod y). */
static gfp_status gcd_divide(gfp_reduction *w)
{
    gfp_step *step = new_step(w);
    step->division = true;
    GFP_TRY(gfp_piece_make(w->op, &step->q, w->x.len - w->y.len + 1));
    GFP_TRY(gfp_divide_step(w->op, &step->q, &w->spare, list_of(w), pair_of(w)));
    gcd_exchange(&w->x, &w->y);
    gcd_exchange(&w->y, &w->spare);
    return GFP_OK;
}

/* The pair by steps of the definition. */
static gfp_status gcd_finish(gfp_reduction *w, size_t bound)
{
    gfp_step *step = new_step(w);
    gfp_piece c, d;
    gfp_euclid_result result = {.c = &c, .d = &d, .list = list_of(w)};
    step->division = false;
    if (w->kept) {
        GFP_TRY(gfp_matrix_make(w->op, &step->M, w->x.len - bound + 2));
        result.M = &step->M;
    }
    c = w->spare;
    GFP_TRY(gfp_piece_make(w->op, &d, w->y.len));
    GFP_TRY(gfp_euclid(w->op, &result, pair_of(w), bound, false));
    w->spare = w->x;
    w->x = c;
    gfp_piece_copy(w->op->field, &w->y, gfp_piece_series(d));
    return GFP_OK;
}

/* The pair by the matrix of a step. */
static gfp_status gcd_apply(gfp_reduction *w, const gfp_matrix *M, const uint64_t *lead)
{
    gfp_operation_call *op = w->op;
    const gfp_piece *m = M->entry;
    const size_t len = w->x.len - M->degree;
    const gfp_series x = gfp_piece_series(w->x), y = gfp_piece_series(w->y);
    gfp_piece d;
    uint64_t zero[GFP_MAX_K];
    gfp_elem_zero(op->field, zero);
    GFP_TRY(gfp_piece_make(op, &d, len));
    gfp_dot dots[] = {{&w->spare, gfp_piece_series(m[0]), x, gfp_piece_series(m[1]), y, true, lead},
                      {&d, gfp_piece_series(m[2]), x, gfp_piece_series(m[3]), y, true, zero}};
    GFP_TRY(gfp_dots(op, dots, 2, len));
    gcd_exchange(&w->x, &w->spare);
    gfp_piece_copy(op->field, &w->y, gfp_piece_series(d));
    return GFP_OK;
}

/* The sum of the degrees of quotients that the next half-gcd takes away: a power of 2, about 0.3 n.
 */
static size_t gcd_choose(size_t n, size_t most)
{
    size_t power = 1;
    while (5 * power <= n) {
        power *= 2;
    }
    return gfp_size_min(power, most);
}

/* A half-gcd with quotients of sum at most k. */
static gfp_status reduce_by(gfp_reduction *w, size_t k)
{
    gfp_operation_call *op = w->op;
    const size_t from = w->x.len - 1 - 2 * k;
    const gfp_pair high = gfp_pair_above(op->field, pair_of(w), from);
    uint64_t lead[GFP_MAX_K];
    gfp_step *step = new_step(w);
    step->division = false;
    GFP_TRY(gfp_matrix_make(op, &step->M, k + 1));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_hgcd(op, &step->M, lead, list_of(w), high, k));
    GFP_TRY(gcd_apply(w, &step->M, lead));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status next_step(gfp_reduction *w, size_t bound)
{
    const size_t n = w->x.len - 1, falls = w->x.len - w->y.len;
    const size_t k = gcd_choose(n, n - bound);
    if (falls > 0 && (w->op->classical || n < finish_length(w->op))) {
        return gcd_finish(w, bound);
    }
    return falls > 0 && falls <= k ? reduce_by(w, k) : gcd_divide(w);
}

gfp_status gfp_reduction_begin(gfp_operation_call *op, gfp_reduction *w, gfp_series a, gfp_series b)
{
    const gfp_field *field = op->field;
    w->op = op;
    w->a = a;
    w->b = b;
    w->steps = 0;
    GFP_TRY(gfp_piece_make(op, &w->x, a.len));
    GFP_TRY(gfp_piece_make(op, &w->y, a.len));
    GFP_TRY(gfp_piece_make(op, &w->spare, a.len));
    gfp_piece_copy(field, &w->x, a);
    gfp_piece_copy(field, &w->y, b);
    return !w->listed ? GFP_OK
                      : gfp_quotients_make(op, &w->list, a.len,
                                           a.digits + (a.len - 1) * gfp_field_k(field));
}

gfp_status gfp_reduce(gfp_reduction *w, size_t bound)
{
    while (w->y.len > bound) {
        if (w->steps == GFP_REDUCTION_STEPS) {
            return GFP_ERR_SIZE;
        }
        const gfp_operation_mark mark = gfp_operation_mark_here(w->op);
        GFP_TRY(next_step(w, bound));
        if (!w->kept) {
            gfp_operation_release(w->op, mark);
        }
    }
    return GFP_OK;
}

double gfp_reduce_units(size_t len, size_t bound)
{
    double units = 0;
    const size_t least = bound > 48 ? bound : 48;
    for (size_t n = len; n > least; n -= n / 4) {
        units += gfp_hgcd_units(n / 4) + 4 * (double)n;
    }
    return units + 8 * (double)least;
}

/* ---- cofactors ---- */

/* A row of two polynomials, and room for the next one. */
typedef struct cofactor_row {
    gfp_operation_call *op;
    gfp_piece now[2], next[2];
    bool wanted[2];
} cofactor_row;

static void take_next(cofactor_row *c)
{
    gcd_exchange(&c->now[0], &c->next[0]);
    gcd_exchange(&c->now[1], &c->next[1]);
}

/* The row times (0, 1; 1, -q). */
static gfp_status times_quotient(cofactor_row *c, gfp_piece q)
{
    gfp_piece_copy(c->op->field, &c->next[0], gfp_piece_series(c->now[1]));
    GFP_TRY(gfp_piece_submul(c->op, &c->next[1], gfp_piece_series(c->now[0]), gfp_piece_series(q),
                             gfp_piece_series(c->now[1])));
    take_next(c);
    return GFP_OK;
}

static gfp_status times_matrix(cofactor_row *c, const gfp_matrix *M, bool last)
{
    const gfp_piece *m = M->entry, *now = c->now;
    const size_t longer = now[0].len > now[1].len ? now[0].len : now[1].len;
    gfp_dot dots[2];
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (!last || c->wanted[i]) {
            dots[count++] = (gfp_dot){.z = &c->next[i],
                                      .p = gfp_piece_series(now[0]),
                                      .a = gfp_piece_series(m[i]),
                                      .q = gfp_piece_series(now[1]),
                                      .b = gfp_piece_series(m[2 + i])};
        }
    }
    GFP_TRY(gfp_dots(c->op, dots, count, longer + M->degree));
    take_next(c);
    return GFP_OK;
}

/* The last step's row. */
static void gcd_begin(cofactor_row *c, const gfp_reduction *w, unsigned row)
{
    const gfp_field *field = c->op->field;
    const gfp_step *step = &w->step[w->steps - 1];
    uint64_t *const one = c->now[1].digits;
    if (!step->division) {
        gfp_piece_copy(field, &c->now[0], gfp_piece_series(step->M.entry[2 * row]));
        gfp_piece_copy(field, &c->now[1], gfp_piece_series(step->M.entry[2 * row + 1]));
    } else if (row == 0) {
        c->now[0].len = 0;
        gfp_elem_one(field, one);
        c->now[1].len = 1;
    } else {
        gfp_elem_one(field, c->now[0].digits);
        c->now[0].len = 1;
        gfp_vec_neg(field, c->now[1].digits, step->q.digits, step->q.len);
        c->now[1].len = step->q.len;
    }
}

static void hand_over(const gfp_field *field, gfp_piece *z, gfp_piece x)
{
    if (z != NULL) {
        gfp_piece_copy(field, z, gfp_piece_series(x));
    }
}

gfp_status gfp_reduction_cofactors(gfp_reduction *w, gfp_piece *u, gfp_piece *v, unsigned row)
{
    gfp_operation_call *op = w->op;
    const size_t room = w->a.len + 2;
    cofactor_row c = {.op = op, .wanted = {u != NULL, v != NULL}};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    for (size_t i = 0; i < 2; i++) {
        GFP_TRY(gfp_piece_make(op, &c.now[i], room));
        GFP_TRY(gfp_piece_make(op, &c.next[i], room));
    }
    if (w->steps == 0) {
        gfp_elem_one(op->field, c.now[row].digits);
        c.now[row].len = 1;
    } else {
        gcd_begin(&c, w, row);
    }
    for (size_t i = w->steps; i-- > 1;) {
        const gfp_step *step = &w->step[i - 1];
        GFP_TRY(step->division ? times_quotient(&c, step->q) : times_matrix(&c, &step->M, i == 1));
    }
    hand_over(op->field, u, c.now[0]);
    hand_over(op->field, v, c.now[1]);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* ---- greatest common divisors ---- */

static bool is_checked(const gfp_operation_call *op)
{
    return op->base.options->verify != GFP_VERIFY_NONE;
}

/* The greatest common divisor of a, not 0 and at least as long as b, and b. */
static gfp_status gcd_of_longer(gfp_operation_call *op, gfp_common_divisor *d, gfp_series a,
                                gfp_series b, bool cofactors)
{
    const gfp_field *field = op->field;
    gfp_reduction w = {.kept = cofactors, .listed = is_checked(op)};
    gfp_piece *const z[] = {&d->g, &d->u, &d->v};
    uint64_t c[GFP_MAX_K];
    if (b.len == 1) { /* a constant: u = 0 */
        gfp_elem_one(field, d->g.digits);
        d->g.len = 1;
        d->v.len = cofactors ? 1 : 0;
        return cofactors ? gfp_elem_inv(field, d->v.digits, b.digits) : GFP_OK;
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_reduction_begin(op, &w, a, b));
    GFP_TRY(gfp_reduce(&w, 0));
    if (w.listed) {
        GFP_TRY(gfp_reduction_check(&w));
    }
    if (cofactors) {
        GFP_TRY(gfp_reduction_cofactors(&w, &d->u, &d->v, 0));
    }
    if (w.x.len == 1 && !cofactors) {
        gfp_elem_one(field, d->g.digits);
        d->g.len = 1;
        gfp_operation_release(op, mark);
        return GFP_OK;
    }
    GFP_TRY(gfp_elem_inv(field, c, w.x.digits + (w.x.len - 1) * gfp_field_k(field)));
    gfp_piece_copy(field, &d->g, gfp_piece_series(w.x));
    gfp_operation_release(op, mark);
    for (size_t i = 0; i < (cofactors ? 3 : 1); i++) {
        gfp_vec_scalar_mul(field, z[i]->digits, z[i]->digits, c, z[i]->len);
    }
    return GFP_OK;
}

static bool gcd_same(const gfp_field *field, gfp_piece x, gfp_piece y)
{
    return x.len == y.len && gfp_vec_equal(field, x.digits, y.digits, x.len);
}

/* Computes d again by a second method. */
static gfp_status gcd_compare(gfp_operation_call *op, const gfp_common_divisor *d, gfp_series a,
                              gfp_series b, bool cofactors)
{
    gfp_operation_call again;
    gfp_options options;
    gfp_common_divisor other;
    bool good = true;
    GFP_TRY(gfp_operation_begin_again(&again, &options, op, a.len > b.len ? a.len : b.len,
                                      gfp_gcd_units(a.len, b.len, cofactors)));
    const gfp_status status = gfp_gcd(&again, &other, a, b, cofactors);
    if (status == GFP_OK) {
        good = gcd_same(op->field, d->g, other.g) &&
               (!cofactors ||
                (gcd_same(op->field, d->u, other.u) && gcd_same(op->field, d->v, other.v)));
    }
    GFP_TRY(gfp_operation_end_again(&again, op, status));
    return good ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static void exchange_cofactors(gfp_common_divisor *d, bool cofactors)
{
    if (cofactors) {
        gcd_exchange(&d->u, &d->v);
    }
}

gfp_status gfp_gcd(gfp_operation_call *op, gfp_common_divisor *d, gfp_series a, gfp_series b,
                   bool cofactors)
{
    const size_t len = a.len > b.len ? a.len : b.len;
    if (a.len < b.len) {
        GFP_TRY(gfp_gcd(op, d, b, a, cofactors));
        exchange_cofactors(d, cofactors);
        return GFP_OK;
    }
    *d = (gfp_common_divisor){.g = {NULL, 0}};
    GFP_TRY(gfp_piece_make(op, &d->g, len));
    if (cofactors) {
        GFP_TRY(gfp_piece_make(op, &d->u, gfp_size_add_sat(len, 2)));
        GFP_TRY(gfp_piece_make(op, &d->v, gfp_size_add_sat(len, 2)));
    }
    if (len == 0) {
        return GFP_OK;
    }
    GFP_TRY(gcd_of_longer(op, d, a, b, cofactors));
    if (cofactors) {
        const gfp_bezout claim = {gfp_piece_series(d->u), a, gfp_piece_series(d->v), b,
                                  gfp_piece_series(d->g)};
        GFP_TRY(gfp_bezout_check(op, &claim));
    }
    return gfp_check_by_method(op, a.len + b.len + 1) ? gcd_compare(op, d, a, b, cofactors)
                                                      : GFP_OK;
}

double gfp_gcd_units(size_t len_a, size_t len_b, bool cofactors)
{
    const size_t n = gfp_size_min(len_a, len_b);
    return 4 * (double)(len_a > len_b ? len_a : len_b) + gfp_reduce_units(n, 0) +
           (cofactors ? 16 * (double)n : 0);
}

/* ---- inverses ---- */

static gfp_status no_inverse(gfp_operation_call *op, size_t degree)
{
    return gfp_error_set(&op->base.error, GFP_ERR_NOT_INVERTIBLE,
                         "%s: polynomial and modulus have a common factor of degree %zu",
                         op->base.name, degree);
}

/* The cofactor v of a constant w->x, checked, by that constant. */
static gfp_status divide_cofactor(gfp_reduction *w, uint64_t *c)
{
    gfp_operation_call *op = w->op;
    const gfp_field *field = op->field;
    const size_t n = w->a.len - 1;
    gfp_piece u, v;
    uint64_t x[GFP_MAX_K];
    GFP_TRY(gfp_piece_make(op, &u, gfp_size_add_sat(n, 2)));
    GFP_TRY(gfp_piece_make(op, &v, gfp_size_add_sat(n, 2)));
    GFP_TRY(gfp_reduction_cofactors(w, is_checked(op) ? &u : NULL, &v, 0));
    if (is_checked(op)) {
        const gfp_bezout claim = {gfp_piece_series(u), w->a, gfp_piece_series(v), w->b,
                                  gfp_piece_series(w->x)};
        GFP_TRY(gfp_bezout_check(op, &claim));
    }
    if (v.len > n) {
        return gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    GFP_TRY(gfp_elem_inv(field, x, w->x.digits));
    gfp_vec_scalar_mul(field, c, v.digits, x, v.len);
    gfp_vec_zero(field, c + v.len * gfp_field_k(field), n - v.len);
    return GFP_OK;
}

static gfp_status gcd_invert(gfp_operation_call *op, uint64_t *c, gfp_series a, gfp_series f)
{
    gfp_reduction w = {.kept = true, .listed = is_checked(op)};
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_reduction_begin(op, &w, f, a));
    GFP_TRY(gfp_reduce(&w, 0));
    if (w.listed) {
        GFP_TRY(gfp_reduction_check(&w));
    }
    if (w.x.len != 1) {
        return no_inverse(op, w.x.len - 1);
    }
    GFP_TRY(divide_cofactor(&w, c));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Inverts again by a second method, which gives the same c and status. */
static gfp_status invert_again(gfp_operation_call *op, const uint64_t *c, gfp_status found,
                               gfp_series a, gfp_series f)
{
    const size_t n = f.len - 1;
    gfp_operation_call again;
    gfp_options options;
    uint64_t *z;
    bool good = false;
    GFP_TRY(
        gfp_operation_begin_again(&again, &options, op, f.len, gfp_gcd_units(f.len, f.len, true)));
    gfp_status status = gfp_operation_array(&again, &z, n);
    if (status == GFP_OK) {
        status = gcd_invert(&again, z, a, f);
        good = status == found && (status != GFP_OK || gfp_vec_equal(op->field, c, z, n));
    }
    status = gfp_operation_end_again(&again, op, status);
    return good ? found
           : status == GFP_OK || status == GFP_ERR_NOT_INVERTIBLE
               ? gfp_operation_wrong(op, GFP_NO_INDEX)
               : status;
}

gfp_status gfp_inverse_modulo(gfp_operation_call *op, uint64_t *c, gfp_series a, gfp_series f)
{
    const gfp_status status = gcd_invert(op, c, a, f);
    return (status == GFP_OK || status == GFP_ERR_NOT_INVERTIBLE) &&
                   gfp_check_by_method(op, a.len + f.len + 1)
               ? invert_again(op, c, status, a, f)
               : status;
}
