/* bipoly_resultant.c: resultants of bivariate polynomials with respect to one variable.
 *
 * For a, b of degrees m, n in Y the resultant R has the degree at most n deg_w a + m deg_w b - w m
 * n for every w, where deg_w gives X the weight 1 and Y the weight w: the determinant's terms have
 * this weight at most. The least over all integers w is taken: w = 0 gives the degrees in X, w = 1
 * total degrees. The coefficient of Y^j in the subresultant of index k has n - k and m - k of the
 * rows, and the columns k + 1, ..., m + n - k - 1 and j: with N = n - k and M = m - k its degree is
 * at most N deg_w a + M deg_w b - w (M N + (M + N - 1) k + j).
 *
 * Values of a and b at one more point than this degree, a resultant at each point, interpolation.
 * Points are those of a geometric progression with a random start. Leading coefficients may vanish
 * there: images are polynomials of degrees m and n with zeros as leading coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "bipoly_chain.h"
#include "bipoly_group.h"
#include "bipoly_image.h"
#include "euclid.h"
#include "geometric.h"
#include "gfpoly/gcd.h"
#include "operation_batch.h"
#include "poly_impl.h"
#include "sequence.h"
#include "support.h"
#include "verify.h"

/* ---- the degree ---- */

/* The degree of a polynomial with these lengths where Y has the weight w. */
static double weighted_degree(gfp_bipoly_lengths a, double w)
{
    const char *at = (const char *)a.first;
    double most = -1;
    bool any = false;
    for (size_t j = 0; j < a.count; j++, at += a.step) {
        const size_t len = *(const size_t *)(const void *)at;
        const double degree = (double)len - 1 + w * (double)j;
        if (len > 0 && (!any || degree > most)) {
            most = degree;
            any = true;
        }
    }
    return most;
}

/* The bound of all coefficients for the weight w. */
static double bound_by(gfp_bipoly_lengths a, gfp_bipoly_lengths b, size_t index, double w)
{
    const double k = (double)index, m = (double)a.count - 1 - k, n = (double)b.count - 1 - k;
    const double columns = m * n + (k > 0 ? (m + n - 1) * k : 0);
    return n * weighted_degree(a, w) + m * weighted_degree(b, w) - w * columns -
           (w < 0 ? w * k : 0);
}

bool gfp_bipoly_lengths_bound(size_t *bound, gfp_bipoly_lengths a, gfp_bipoly_lengths b,
                              size_t index)
{
    double w = 0, least = bound_by(a, b, index, 0);
    const double up = bound_by(a, b, index, 1), move = up < least ? 1 : -1;
    /* A convex function of w, without a lower bound if high powers of Y divide a and b. */
    for (double next = up < least ? up : bound_by(a, b, index, -1); next < least && least > 0;) {
        least = next;
        w += move;
        next = bound_by(a, b, index, w + move);
    }
    *bound = least > 0 ? (size_t)least : 0;
    return least < (double)((size_t)1 << 48);
}

static gfp_bipoly_lengths lengths_of(const gfp_bipoly *a)
{
    return (gfp_bipoly_lengths){&a->coeff[0].len, sizeof *a->coeff, a->len};
}

bool gfp_bipoly_resultant_bound(size_t *bound, const gfp_bipoly *a, const gfp_bipoly *b)
{
    return gfp_bipoly_lengths_bound(bound, lengths_of(a), lengths_of(b), 0);
}

/* ---- points ---- */

/* Attempts to find a ratio of sufficient order. */
#define RATIOS 64

/* *yes := whether the powers 1, ..., n-1 of ratio are not 1. */
static gfp_status has_order(gfp_operation_call *op, bool *yes, const uint64_t *ratio, size_t n)
{
    const size_t k = gfp_field_k(op->field);
    uint64_t *z;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &z, n));
    GFP_TRY(gfp_sequence_powers(op, z, n, ratio));
    *yes = !gfp_elem_is_zero(op->field, ratio);
    for (size_t i = 1; i < n && *yes; i++) {
        *yes = !gfp_elem_is_one(op->field, z + i * k);
    }
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* Whether the field has more than n elements. */
static bool has_elements(const gfp_field *field, size_t n)
{
    return gfp_field_bits(field) > 60 || gfp_field_modulus_limbs(field)[0] > n;
}

gfp_status gfp_bipoly_progression(gfp_operation_call *op, gfp_bipoly_start *s, size_t n,
                                  gfp_random *g)
{
    const gfp_field *field = op->field;
    s->found = false;
    if (!has_elements(field, n)) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < RATIOS && !s->found; i++) {
        gfp_elem_random(field, s->ratio, g);
        GFP_TRY(has_order(op, &s->found, s->ratio, n));
    }
    do {
        gfp_elem_random(field, s->start, g);
    } while (gfp_elem_is_zero(field, s->start));
    return GFP_OK;
}

gfp_status gfp_bipoly_seed(gfp_operation_call *op, gfp_random *g)
{
    uint64_t seed = op->options->verify_seed;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, op->options->error));
    }
    gfp_random_seed(g, seed ^ 0x9e3779b97f4a7c15); /* other numbers than those of checks */
    return GFP_OK;
}

/* ---- images ---- */

typedef struct images {
    gfp_operation_call *op;
    const gfp_bipoly *a, *b;
    size_t n;            /* points */
    uint64_t *values;    /* of a block */
    uint64_t *num, *den; /* of all points */
    size_t done;         /* points before the block */
} images;

static gfp_status image_points(void *user, size_t from, size_t to, uint64_t *room, gfp_task *task)
{
    const images *w = user;
    const size_t k = gfp_field_k(w->op->field), rows = w->a->len + w->b->len;
    for (size_t i = from; i < to; i += GFP_GROUP) {
        const size_t count = gfp_size_min(GFP_GROUP, to - i), at = (w->done + i) * k;
        const gfp_group_images group = {w->op->field, w->values + i * rows * k, w->a->len,
                                        w->b->len, count};
        gfp_group_resultants(&group, w->num + at, w->den + at, room);
        if (!gfp_task_advance(task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static size_t longer_of(const images *w)
{
    return w->a->len > w->b->len ? w->a->len : w->b->len;
}

static gfp_status short_images(images *w, size_t count)
{
    const double products = gfp_image_products(w->a->len, w->b->len);
    const gfp_operation_loop loop = {.run = image_points,
                                     .job = w,
                                     .items = count,
                                     .chunk = GFP_GROUP,
                                     .scratch = gfp_group_room(w->a->len, w->b->len),
                                     .units =
                                         GFP_OPERATION_ELEMENT_UNITS * products * (double)count,
                                     .cost = products * gfp_task_product_cost(w->op->field)};
    return gfp_operation_loop_run(w->op, &loop);
}

/* The resultant of arrays without leading zeros by a call inside, with this verification. */
static gfp_status resultant_inside(gfp_operation_call *op, uint64_t *r, gfp_series a, gfp_series b,
                                   gfp_verify verify, double units)
{
    gfp_options options = op->inner;
    const gfp_poly f = {op->field, (uint64_t *)a.digits, a.len, a.len};
    const gfp_poly g = {op->field, (uint64_t *)b.digits, b.len, b.len};
    options.verify = verify;
    GFP_TRY(gfp_bipoly_cap(op, &options));
    GFP_TRY(gfp_operation_step(op, units, 1, 1));
    return gfp_poly_resultant(r, &f, &g, &options);
}

/* One image at a time, by all threads; an image with zeros as leading coefficients as short ones.
 */
static gfp_status long_image(images *w, uint64_t *num, uint64_t *den, gfp_series a, gfp_series b,
                             gfp_verify verify)
{
    gfp_operation_call *op = w->op;
    const double products = gfp_image_products(a.len, b.len);
    uint64_t *room;
    if (gfp_series_trim(op->field, a.digits, a.len) == a.len &&
        gfp_series_trim(op->field, b.digits, b.len) == b.len) {
        gfp_elem_one(op->field, den);
        return resultant_inside(op, num, a, b, verify, GFP_OPERATION_ELEMENT_UNITS * products);
    }
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &room, gfp_image_room(longer_of(w))));
    gfp_image_resultant(op->field, num, den, a, b, room);
    gfp_operation_release(op, mark);
    return GFP_OK;
}

static gfp_status long_images(images *w, size_t count)
{
    const size_t k = gfp_field_k(w->op->field), rows = w->a->len + w->b->len;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *row = w->values + i * rows * k;
        const gfp_series a = {row, w->a->len}, b = {row + w->a->len * k, w->b->len};
        GFP_TRY(long_image(w, w->num + (w->done + i) * k, w->den + (w->done + i) * k, a, b,
                           GFP_VERIFY_NONE));
    }
    return GFP_OK;
}

/* Words of the values of a block, about: they stay in a cache. */
#define BLOCK_WORDS ((size_t)1 << 18)
#define CAPPED_BLOCK_WORDS ((size_t)1 << 14)

size_t gfp_bipoly_block(const gfp_operation_call *op, const gfp_bipoly_points *w, size_t n)
{
    const size_t words = gfp_size_mul_sat(w->rows, gfp_field_k(op->field));
    const size_t most = op->left == SIZE_MAX ? BLOCK_WORDS : CAPPED_BLOCK_WORDS;
    size_t block = most / (words > 0 ? words : 1) / w->points * w->points;
    block = block < w->points ? w->points : block;
    /* Points enough for all threads. */
    while (block < 4 * (size_t)op->task.threads && block < n) {
        block += w->points;
    }
    return gfp_size_min(block, n);
}

/* num_i / den_i := the resultant at start ratio^i. */
static gfp_status all_images(images *w, const gfp_bipoly_start *s)
{
    gfp_operation_call *op = w->op;
    gfp_bipoly_points points = {.of = {w->a, w->b}, .start = s->start, .ratio = s->ratio};
    GFP_TRY(gfp_bipoly_points_begin(op, &points, w->n));
    const size_t block = gfp_bipoly_block(op, &points, w->n);
    GFP_TRY(gfp_operation_array(op, &w->values, gfp_size_mul_sat(block, points.rows)));
    for (w->done = 0; w->done < w->n; w->done += block) {
        const size_t count = gfp_size_min(block, w->n - w->done);
        GFP_TRY(gfp_bipoly_points_next(op, w->values, &points, count));
        GFP_TRY(longer_of(w) <= gfp_image_length(op->field) ? short_images(w, count)
                                                            : long_images(w, count));
    }
    return GFP_OK;
}

/* ---- the resultant ---- */

typedef struct resultant {
    const gfp_bipoly *a, *b;
    size_t bound;
} resultant;

/* z, bound + 1 elements, := the resultant. */
static gfp_status by_points(gfp_operation_call *op, uint64_t *z, const resultant *w,
                            const gfp_bipoly_start *s)
{
    const size_t n = w->bound + 1;
    const gfp_progression p = {s->start, s->ratio, n};
    images all = {.op = op, .a = w->a, .b = w->b, .n = n};
    size_t zero;
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_array(op, &all.num, n));
    GFP_TRY(gfp_operation_array(op, &all.den, n));
    GFP_TRY(all_images(&all, s));
    GFP_TRY(gfp_sequence_invert(op, all.den, all.den, n, &zero));
    GFP_TRY(gfp_sequence_times(op, all.num, all.den, n));
    GFP_TRY(gfp_geometric_solve(op, z, all.num, &p));
    gfp_operation_release(op, mark);
    return GFP_OK;
}

/* z := all coefficients of a at X = x. */
static void values_at(uint64_t *z, const gfp_bipoly *a, const uint64_t *x)
{
    for (size_t j = 0; j < a->len; j++) {
        gfp_poly_eval(&a->coeff[j], z + j * gfp_field_k(a->field), x);
    }
}

/* Compares the result's value at d with the resultant there. */
static gfp_status check_at(gfp_operation_call *op, const gfp_poly *r, const resultant *w,
                           uint64_t d)
{
    const gfp_field *field = op->field;
    uint64_t x[GFP_MAX_K], value[GFP_MAX_K], num[GFP_MAX_K], den[GFP_MAX_K], *a, *b;
    images one = {.op = op, .a = w->a, .b = w->b};
    GFP_TRY(gfp_operation_array(op, &a, w->a->len));
    GFP_TRY(gfp_operation_array(op, &b, w->b->len));
    gfp_elem_set_u64(field, x, d);
    values_at(a, w->a, x);
    values_at(b, w->b, x);
    gfp_poly_eval(r, value, x);
    GFP_TRY(long_image(&one, num, den, (gfp_series){a, w->a->len}, (gfp_series){b, w->b->len},
                       GFP_VERIFY_POINT));
    gfp_elem_mul(field, value, value, den);
    return gfp_elem_equal(field, value, num) ? GFP_OK : gfp_operation_wrong(op, GFP_NO_INDEX);
}

static gfp_status install(gfp_poly *r, const uint64_t *z, size_t n)
{
    GFP_TRY(gfp_poly_fit_length(r, n));
    gfp_vec_copy(r->field, r->digits, z, n);
    gfp_poly_normalise(r, n);
    return GFP_OK;
}

/* r := the resultant by points, if the field has so many, else without. */
static gfp_status by_either(gfp_operation_call *op, gfp_poly *r, const resultant *w, bool points)
{
    gfp_bipoly_start s = {.found = false};
    gfp_random g;
    uint64_t *z;
    if (points) {
        GFP_TRY(gfp_bipoly_seed(op, &g));
        GFP_TRY(gfp_bipoly_progression(op, &s, w->bound + 1, &g));
    }
    if (!s.found) {
        return gfp_bipoly_chain_resultant(op, r, w->a, w->b, w->bound);
    }
    GFP_TRY(gfp_operation_array(op, &z, w->bound + 1));
    GFP_TRY(by_points(op, z, w, &s));
    return install(r, z, w->bound + 1);
}

/* Compares with the other algorithm, and with operands exchanged. */
static gfp_status check_again(gfp_operation_call *op, const gfp_poly *r, const resultant *w)
{
    const resultant other = {w->b, w->a, w->bound};
    gfp_poly again;
    gfp_poly_init(&again, op->field);
    op->report.cross_method = "classical";
    gfp_status status = by_either(op, &again, &other, op->classical);
    if (status == GFP_OK && w->a->len % 2 == 0 && w->b->len % 2 == 0) {
        status = gfp_poly_neg(&again, &again);
    }
    if (status == GFP_OK && !gfp_poly_equal(&again, r)) {
        status = gfp_operation_wrong(op, GFP_NO_INDEX);
    }
    gfp_poly_clear(&again);
    return status;
}

static gfp_status check(gfp_operation_call *op, const gfp_poly *r, const resultant *w)
{
    uint64_t d[GFP_VERIFY_MAX_POINTS];
    unsigned points;
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    const uint64_t start = gfp_clock_ns();
    const gfp_operation_mark mark = gfp_operation_mark_here(op);
    GFP_TRY(gfp_operation_check_begin(op, w->bound + 1, &points, d, 1, 1));
    gfp_status status = points == 0 ? check_again(op, r, w) : GFP_OK;
    for (unsigned i = 0; i < points && status == GFP_OK; i++) {
        status = check_at(op, r, w, d[i]);
    }
    gfp_operation_release(op, mark);
    op->report.verify_ns += gfp_clock_ns() - start;
    return status;
}

static gfp_status compute(gfp_operation_call *op, gfp_poly *made, const resultant *w)
{
    if (w->a->len == 0 || w->b->len == 0) {
        return gfp_operation_finish(op);
    }
    GFP_TRY(by_either(op, made, w, !op->classical));
    GFP_TRY(check(op, made, w));
    return gfp_operation_finish(op);
}

static double units_of(const resultant *w)
{
    const size_t x_a = gfp_bipoly_len_x(w->a), x_b = gfp_bipoly_len_x(w->b), n = w->bound + 1;
    const double image = GFP_OPERATION_ELEMENT_UNITS * gfp_image_products(w->a->len, w->b->len);
    return has_elements(w->a->field, n)
               ? gfp_bipoly_points_units(w->a->len + w->b->len, x_a > x_b ? x_a : x_b, n) +
                     image * (double)n + gfp_geometric_solve_units(n)
               : gfp_bipoly_chain_units(w->a->len, w->b->len, w->bound);
}

/* taken: bytes that the caller has allocated. */
static gfp_status run(gfp_poly *r, const gfp_bipoly *a, const gfp_bipoly *b, size_t taken,
                      const gfp_options *options)
{
    static const char name[] = "a resultant of bivariate polynomials";
    resultant w = {a, b, 0};
    gfp_operation_call op;
    gfp_poly made;
    if (a->len > 0 && b->len > 0 && !gfp_bipoly_resultant_bound(&w.bound, a, b)) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: the degrees are too high", name);
    }
    GFP_TRY(gfp_operation_begin(&op, name, a->field, options, units_of(&w), 1));
    gfp_poly_init(&made, a->field);
    gfp_status status = gfp_bipoly_reserve(&op, taken);
    status = gfp_operation_end(&op, status == GFP_OK ? compute(&op, &made, &w) : status);
    if (status == GFP_OK) {
        gfp_poly_swap(r, &made);
    }
    gfp_poly_clear(&made);
    return status;
}

static gfp_status check_arguments(const gfp_poly *r, const gfp_bipoly *a, const gfp_bipoly *b,
                                  const gfp_options *options)
{
    GFP_TRY(gfp_bipoly_check_operands(a, a, b, options));
    if (r == NULL || r->field == NULL) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "the result is NULL");
    }
    return gfp_field_same(r->field, a->field)
               ? GFP_OK
               : gfp_error_set(options->error, GFP_ERR_FIELD_MISMATCH,
                               "operands over %s, result over %s", gfp_field_name(a->field),
                               gfp_field_name(r->field));
}

gfp_status gfp_bipoly_resultant_y(gfp_poly *r, const gfp_bipoly *a, const gfp_bipoly *b,
                                  const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(r, a, b, options));
    return run(r, a, b, 0, options);
}

gfp_status gfp_bipoly_resultant_x(gfp_poly *r, const gfp_bipoly *a, const gfp_bipoly *b,
                                  const gfp_options *options)
{
    gfp_options copy;
    gfp_bipoly x;
    gfp_bipoly y;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(check_arguments(r, a, b, options));
    gfp_bipoly_init(&x, a->field);
    gfp_bipoly_init(&y, a->field);
    gfp_status status = gfp_bipoly_transpose(&x, a);
    if (status == GFP_OK) {
        status = gfp_bipoly_transpose(&y, b);
    }
    status = status == GFP_OK
                 ? run(r, &x, &y,
                       gfp_size_add_sat(gfp_bipoly_bytes(a->field, x.len, gfp_bipoly_len_x(&x)),
                                        gfp_bipoly_bytes(a->field, y.len, gfp_bipoly_len_x(&y))),
                       options)
                 : gfp_error_set(options->error, status, "no memory to exchange the variables");
    gfp_bipoly_clear(&x);
    gfp_bipoly_clear(&y);
    return status;
}
