/* bipoly_eval.c: values of many polynomials in X at blocks of a geometric progression.
 *
 * Let C(i) = i (i - 1) / 2. Then i j = C(i + j) - C(i) - C(j), and the value of f at c q^i is
 * q^(-C(i)) times the sum over j of (f_j c^j q^(-C(j))) q^C(i + j). Read backwards, the powers
 * q^C(t), t < L, are transformed once, and serve all polynomials and all blocks of L - len + 1
 * points, each with its own c: of a product modulo X^L - 1 the coefficients from len - 1 on are
 * these sums, the last point first.
 *
 * Short polynomials: at each point a linear combination of the vectors of the coefficients of X^i,
 * with the powers of the point.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "geometric.h"
#include "operation_batch.h"
#include "poly_impl.h"
#include "sequence.h"
#include "support.h"
#include "verify.h"

/* Shorter polynomials, and fewer points, take linear combinations. Measured:
 * docs/design/bivariate.md. */
#define SHORT 8
/* Lengths of cyclic products, in lengths of polynomials, and at least. */
#define RING 4
#define LEAST_RING 64

static size_t row_count(const gfp_bipoly_points *w)
{
    return w->of[0]->len + (w->of[1] != NULL ? w->of[1]->len : 0);
}

static const gfp_poly *row_of(const gfp_bipoly_points *w, size_t r)
{
    return r < w->of[0]->len ? &w->of[0]->coeff[r] : &w->of[1]->coeff[r - w->of[0]->len];
}

/* z := start ratio^i. */
static void point_at(const gfp_bipoly_points *w, uint64_t *z, size_t i)
{
    const uint64_t exponent = i;
    gfp_elem_pow(w->field, z, w->ratio, &exponent, 1);
    gfp_elem_mul(w->field, z, z, w->start);
}

/* ---- tables ---- */

/* The space, and what it is made of; w->points := the points of a block. */
static gfp_status make_ring(gfp_operation_call *op, gfp_bipoly_points *w, size_t n)
{
    const size_t len = w->len;
    const size_t ring = len < LEAST_RING / RING ? LEAST_RING : gfp_size_mul_sat(RING, len);
    const size_t asked = gfp_size_min(ring, gfp_size_add_sat(n, len - 1));
    uint64_t *t, inverse[GFP_MAX_K];
    GFP_TRY(gfp_operation_space_of(op, &w->space, asked, 1, GFP_WRAP_CYCLIC));
    GFP_TRY(gfp_operation_operand(op, &w->up, w->space));
    const size_t L = gfp_space_length(w->space);
    w->points = L - len + 1;
    GFP_TRY(gfp_elem_inv(op->field, inverse, w->ratio));
    GFP_TRY(gfp_operation_array(op, &w->down, w->points));
    GFP_TRY(gfp_operation_array(op, &w->weights, len));
    GFP_TRY(gfp_operation_array(op, &w->forward, len));
    GFP_TRY(gfp_sequence_chirp(op, w->down, w->points, inverse));
    gfp_sequence_reverse(op->field, w->down, w->points);
    GFP_TRY(gfp_sequence_chirp(op, w->weights, len, inverse));
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &t, L > len ? L : len));
    GFP_TRY(gfp_sequence_powers(op, t, len, w->start));
    GFP_TRY(gfp_sequence_times(op, w->weights, t, len));
    GFP_TRY(gfp_sequence_chirp(op, t, L, w->ratio));
    gfp_sequence_reverse(op->field, t, L);
    GFP_TRY(gfp_operation_set(op, w->up, t, L));
    gfp_operation_release(op, mark);
    const uint64_t exponent = w->points;
    gfp_elem_pow(op->field, inverse, w->ratio, &exponent, 1);
    return gfp_sequence_powers(op, w->forward, len, inverse);
}

/* w->columns := the coefficients of X^0 of all polynomials, of X^1, ... */
static gfp_status make_columns(gfp_operation_call *op, gfp_bipoly_points *w)
{
    const size_t k = gfp_field_k(op->field);
    GFP_TRY(gfp_operation_array(op, &w->columns, gfp_size_mul_sat(w->rows, w->len)));
    for (size_t i = 0; i < w->len; i++) {
        for (size_t r = 0; r < w->rows; r++) {
            gfp_poly_get_coeff(row_of(w, r), w->columns + (i * w->rows + r) * k, i);
        }
    }
    w->points = 1;
    return GFP_OK;
}

gfp_status gfp_bipoly_points_begin(gfp_operation_call *op, gfp_bipoly_points *w, size_t n)
{
    size_t len = 0;
    w->field = op->field;
    w->next = 0;
    w->space = NULL;
    w->columns = NULL;
    w->rows = row_count(w);
    for (size_t r = 0; r < w->rows; r++) {
        len = row_of(w, r)->len > len ? row_of(w, r)->len : len;
    }
    w->len = len;
    return op->classical || len < SHORT || n < SHORT || gfp_elem_is_zero(op->field, w->ratio)
               ? make_columns(op, w)
               : make_ring(op, w, n);
}

double gfp_bipoly_points_units(size_t rows, size_t len, size_t n)
{
    const double values = (double)rows * (double)n;
    return len < SHORT || n < SHORT
               ? GFP_OPERATION_ELEMENT_UNITS * values * (double)len / 2
               : (RING + 1) / (RING - 1.0) *
                         (GFP_OPERATION_MULTIPLY_BY_UNITS + 2 * GFP_OPERATION_ELEMENT_UNITS) *
                         values +
                     (double)(len + n);
}

/* ---- by linear combinations ---- */

typedef struct point_job {
    const gfp_bipoly_points *w;
    uint64_t *values;
} point_job;

/* power := 1, x, ..., x^(len-1). */
static void powers_of(const gfp_field *field, uint64_t *power, const uint64_t *x, size_t len)
{
    const size_t k = gfp_field_k(field);
    gfp_elem_one(field, power);
    for (size_t i = 1; i < len; i++) {
        gfp_elem_mul(field, power + i * k, power + (i - 1) * k, x);
    }
}

/* Columns that are combined at once. */
#define COLUMNS ((size_t)32)

/* z := the values of all polynomials at the point with these powers; t: room for as many. */
static void combine(const gfp_bipoly_points *w, uint64_t *z, const uint64_t *power, uint64_t *t)
{
    const size_t k = gfp_field_k(w->field), rows = w->rows;
    const uint64_t *columns[COLUMNS];
    gfp_vec_zero(w->field, z, w->len == 0 ? rows : 0);
    for (size_t from = 0; from < w->len; from += COLUMNS) {
        const size_t some = gfp_size_min(COLUMNS, w->len - from);
        for (size_t i = 0; i < some; i++) {
            columns[i] = w->columns + (from + i) * rows * k;
        }
        gfp_vec_lincomb(w->field, from == 0 ? z : t, power + from * k, columns, some, rows);
        if (from > 0) {
            gfp_vec_add(w->field, z, z, t, rows);
        }
    }
}

static gfp_status combine_points(void *user, size_t from, size_t to, uint64_t *room, gfp_task *task)
{
    const point_job *job = user;
    const gfp_bipoly_points *w = job->w;
    const size_t k = gfp_field_k(w->field);
    uint64_t x[GFP_MAX_K], *power = room + w->rows * k;
    point_at(w, x, w->next + from);
    for (size_t i = from; i < to; i++) {
        powers_of(w->field, power, x, w->len);
        combine(w, job->values + i * w->rows * k, power, room);
        gfp_elem_mul(w->field, x, x, w->ratio);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status by_combinations(gfp_operation_call *op, uint64_t *values,
                                  const gfp_bipoly_points *w, size_t n)
{
    point_job job = {w, values};
    const double products = (double)w->len * (double)(w->rows + 1);
    const gfp_operation_loop loop = {.run = combine_points,
                                     .job = &job,
                                     .items = n,
                                     .chunk = 1,
                                     .scratch = gfp_size_add_sat(w->len + 1, w->rows),
                                     .units =
                                         GFP_OPERATION_ELEMENT_UNITS * products / 2 * (double)n,
                                     .cost = products * gfp_task_product_cost(op->field)};
    return gfp_operation_loop_run(op, &loop);
}

/* ---- by cyclic products ---- */

typedef struct block_job {
    const gfp_bipoly_points *w;
    uint64_t *values;
    size_t count; /* points that are wanted */
} block_job;

/* Values of polynomial r at the points of a block. */
static gfp_status block_row(void *user, size_t r, const gfp_operation_worker *worker)
{
    const block_job *job = user;
    const gfp_bipoly_points *w = job->w;
    const gfp_field *field = w->field;
    const size_t k = gfp_field_k(field), len = w->len, L = len - 1 + w->points;
    const gfp_poly *f = row_of(w, r);
    const gfp_operand *const x[] = {worker->x[0]}, *const up[] = {w->up};
    uint64_t *z = worker->z;
    if (f->len == 0) {
        for (size_t i = 0; i < job->count; i++) {
            gfp_elem_zero(field, job->values + (i * w->rows + r) * k);
        }
        return GFP_OK;
    }
    gfp_vec_mul(field, z, f->digits, w->weights, f->len);
    GFP_TRY(gfp_operation_worker_set(worker, worker->x[0], z, f->len));
    GFP_TRY(gfp_operation_worker_dot(worker, z, L - job->count, L, x, up, 1));
    uint64_t *last = z + (L - job->count) * k;
    gfp_vec_mul(field, last, last, w->down + (w->points - job->count) * k, job->count);
    for (size_t i = 0; i < job->count; i++) {
        gfp_elem_copy(field, job->values + (i * w->rows + r) * k, z + (L - 1 - i) * k);
    }
    return GFP_OK;
}

static gfp_status by_products(gfp_operation_call *op, uint64_t *values, gfp_bipoly_points *w,
                              size_t n)
{
    const size_t k = gfp_field_k(op->field), L = w->len - 1 + w->points;
    for (size_t done = 0; done < n; done += w->points) {
        block_job job = {w, values + done * w->rows * k, gfp_size_min(w->points, n - done)};
        const gfp_operation_batch batch = {
            .run = block_row,
            .job = &job,
            .space = w->space,
            .items = w->rows,
            .operands = 1,
            .elements = L,
            .terms = 1,
            .units = (GFP_OPERATION_MULTIPLY_BY_UNITS + GFP_OPERATION_ELEMENT_UNITS) *
                     (double)(w->rows * L)};
        GFP_TRY(gfp_operation_batch_run(op, &batch));
        GFP_TRY(gfp_sequence_times(op, w->weights, w->forward, w->len));
    }
    return GFP_OK;
}

gfp_status gfp_bipoly_points_next(gfp_operation_call *op, uint64_t *values, gfp_bipoly_points *w,
                                  size_t n)
{
    GFP_TRY(w->columns != NULL ? by_combinations(op, values, w, n) : by_products(op, values, w, n));
    w->next += n;
    return GFP_OK;
}

/* ---- check ---- */

/* Checks the values of one polynomial: v has n elements, `step` elements apart. */
static gfp_status check_column(gfp_operation_call *op, const uint64_t *v, size_t step, gfp_series f,
                               const gfp_progression *p)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *t;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &t, p->n));
    for (size_t i = 0; i < p->n; i++) {
        gfp_elem_copy(op->field, t + i * k, v + i * step * k);
    }
    GFP_TRY(gfp_geometric_check(op, t, f, p));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Checks the values of a(X, y) for a random y. */
static gfp_status check_at_once(gfp_operation_call *op, const uint64_t *values, const gfp_bipoly *a,
                                const gfp_progression *p)
{
    const gfp_field *field = op->field;
    const size_t k = gfp_field_k(field), len = gfp_bipoly_len_x(a);
    uint64_t y[GFP_MAX_K], seed = op->options->verify_seed, *power, *f, *v;
    gfp_random g;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, op->options->error));
    }
    gfp_random_seed(&g, ~seed);
    gfp_elem_random(field, y, &g);
    GFP_TRY(gfp_operation_array(op, &power, a->len));
    GFP_TRY(gfp_operation_array(op, &f, len));
    GFP_TRY(gfp_operation_array(op, &v, p->n));
    powers_of(field, power, y, a->len);
    gfp_vec_zero(field, f, len);
    for (size_t j = 0; j < a->len; j++) {
        gfp_vec_addmul(field, f, a->coeff[j].digits, power + j * k, a->coeff[j].len);
    }
    for (size_t i = 0; i < p->n; i++) {
        gfp_vec_dot(field, v + i * k, values + i * a->len * k, power, a->len);
    }
    return gfp_geometric_check(op, v, (gfp_series){f, len}, p);
}

static gfp_status check(gfp_operation_call *op, const uint64_t *values, const gfp_bipoly *a,
                        const gfp_progression *p)
{
    const size_t k = gfp_field_k(op->field);
    const size_t terms = gfp_size_mul_sat(2, gfp_size_add_sat(p->n, gfp_bipoly_len_x(a)));
    int log2_error;
    const size_t wrong = gfp_vec_canonical(op->field, values, p->n * a->len);
    if (wrong < p->n * a->len) {
        return gfp_operation_wrong(op, wrong);
    }
    if (op->options->verify == GFP_VERIFY_POINT &&
        gfp_verify_points(op->field, gfp_size_add_sat(terms, a->len), &log2_error) > 0) {
        return check_at_once(op, values, a, p);
    }
    for (size_t j = 0; j < a->len; j++) {
        GFP_TRY(check_column(op, values + j * k, a->len,
                             (gfp_series){a->coeff[j].digits, a->coeff[j].len}, p));
    }
    return GFP_OK;
}

/* ---- the call ---- */

static gfp_status evaluate(gfp_operation_call *op, uint64_t *values, const gfp_bipoly *a,
                           const gfp_progression *p)
{
    gfp_bipoly_points w = {.of = {a, NULL}, .start = p->start, .ratio = p->ratio};
    uint64_t *z;
    GFP_TRY(gfp_operation_array(op, &z, p->n * a->len));
    GFP_TRY(gfp_bipoly_points_begin(op, &w, p->n));
    GFP_TRY(gfp_bipoly_points_next(op, z, &w, p->n));
    if (op->options->verify != GFP_VERIFY_NONE) {
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        GFP_TRY(check(op, z, a, p));
        gfp_operation_release(op, mark);
    }
    GFP_TRY(gfp_operation_finish(op));
    gfp_vec_copy(op->field, values, z, p->n * a->len);
    return GFP_OK;
}

gfp_status gfp_bipoly_eval_geometric(uint64_t *values, const gfp_bipoly *a, const uint64_t *start,
                                     const uint64_t *ratio, size_t n, const gfp_options *options)
{
    static const char name[] = "values of a bivariate polynomial";
    const gfp_progression p = {start, ratio, n};
    gfp_operation_call op;
    gfp_options copy;
    size_t all;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_bipoly_check_operands(a, a, a, options));
    if (start == NULL || ratio == NULL || (values == NULL && n > 0 && a->len > 0)) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "%s: an array or element is NULL",
                             name);
    }
    if (!gfp_size_mul(&all, a->len, n) || all > SIZE_MAX / 4 ||
        n > SIZE_MAX / 8 - gfp_bipoly_len_x(a)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: %zu points", name, n);
    }
    GFP_TRY(gfp_operation_begin(&op, name, a->field, options,
                                gfp_bipoly_points_units(a->len, gfp_bipoly_len_x(a), n), 1));
    return gfp_operation_end(&op,
                             all == 0 ? gfp_operation_finish(&op) : evaluate(&op, values, a, &p));
}
