/* bipoly_gcd.c: greatest common divisors of bivariate polynomials.
 *
 * Y is made the variable of lower degree. Let c be the gcd of the contents in X, a and b primitive
 * from here on, h their gcd, primitive, and e the gcd of their leading coefficients in Y. Where e
 * does not vanish at x, the gcd of a(x, Y) and b(x, Y) has at least the degree of h, and where it
 * has that degree (the point is lucky) it is h(x, Y) up to a constant, which e / lc(h) determines:
 * images times e(x) are those of (e / lc(h)) h, whose degree in X is at most deg e + deg_X h. A gcd
 * at Y = y bounds deg_X h likewise.
 *
 * Points are those of a geometric progression with a random start. If all of them are lucky, as
 * they nearly always are, coefficients are interpolated there; else from the lucky ones among more
 * points. The result's primitive part h' is right if and only if it divides a and b and its degree
 * is that of one image. Fields with too few points: subresultants.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly.h"

#include "bipoly_chain.h"
#include "bipoly_group.h"
#include "bipoly_image.h"
#include "geometric.h"
#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "gfpoly/tree.h"
#include "operation_batch.h"
#include "poly_impl.h"
#include "sequence.h"
#include "support.h"

/* Attempts with points before subresultants. */
#define ATTEMPTS 3

typedef struct divisor {
    gfp_operation_call *op;
    gfp_bipoly a, b; /* primitive */
    gfp_bipoly h, q;
    gfp_poly c, e;
    gfp_poly s, t; /* room */
    gfp_random random;
    size_t len_h; /* 1 + a bound of the degree of h in X */
} divisor;

static void divisor_init(divisor *w, gfp_operation_call *op)
{
    gfp_bipoly *const bipolys[] = {&w->a, &w->b, &w->h, &w->q};
    gfp_poly *const polys[] = {&w->c, &w->e, &w->s, &w->t};
    w->op = op;
    for (size_t i = 0; i < 4; i++) {
        gfp_bipoly_init(bipolys[i], op->field);
        gfp_poly_init(polys[i], op->field);
    }
}

static void divisor_clear(divisor *w)
{
    gfp_bipoly *const bipolys[] = {&w->a, &w->b, &w->h, &w->q};
    gfp_poly *const polys[] = {&w->c, &w->e, &w->s, &w->t};
    for (size_t i = 0; i < 4; i++) {
        gfp_bipoly_clear(bipolys[i]);
        gfp_poly_clear(polys[i]);
    }
}

static const gfp_poly *lead_of(const gfp_bipoly *a)
{
    return &a->coeff[a->len - 1];
}

/* ---- calls inside ---- */

/* The options of a call inside, which is a step of its own. */
static gfp_status inside(gfp_operation_call *op, gfp_options *options, gfp_verify verify,
                         double units)
{
    *options = op->inner;
    options->verify = verify;
    GFP_TRY(gfp_bipoly_cap(op, options));
    return gfp_operation_step(op, units, 1, 1);
}

/* z := the gcd of x and y, certified as the caller asks; z may be x or y. */
static gfp_status gcd_inside(gfp_operation_call *op, gfp_poly *z, const gfp_poly *x,
                             const gfp_poly *y)
{
    gfp_options options;
    GFP_TRY(inside(op, &options, op->options->verify, 4 * (double)(x->len + y->len)));
    return gfp_poly_gcd(z, x, y, &options);
}

/* c := the gcd of all coefficients of a, which is not 0, and of `multiple`, unless NULL. */
static gfp_status content(gfp_operation_call *op, gfp_poly *c, const gfp_bipoly *a,
                          const gfp_poly *multiple)
{
    size_t shortest = a->len - 1;
    for (size_t j = 0; j < a->len; j++) {
        if (a->coeff[j].len > 0 && a->coeff[j].len < a->coeff[shortest].len) {
            shortest = j;
        }
    }
    GFP_TRY(gfp_poly_make_monic(c, &a->coeff[shortest]));
    if (multiple != NULL && c->len > 1) {
        GFP_TRY(gcd_inside(op, c, multiple, c));
    }
    for (size_t j = 0; j < a->len && c->len > 1; j++) {
        if (j != shortest && a->coeff[j].len > 0) {
            GFP_TRY(gcd_inside(op, c, &a->coeff[j], c));
        }
    }
    return GFP_OK;
}

/* a := a / c, which divides all coefficients. */
static gfp_status divide_rows(gfp_operation_call *op, gfp_bipoly *a, const gfp_poly *c)
{
    gfp_options options;
    for (size_t j = 0; j < a->len && c->len > 1; j++) {
        GFP_TRY(inside(op, &options, GFP_VERIFY_NONE, 3 * (double)a->coeff[j].len));
        GFP_TRY(gfp_poly_divexact(&a->coeff[j], &a->coeff[j], c, &options));
    }
    return GFP_OK;
}

static gfp_status multiply_rows(gfp_operation_call *op, gfp_bipoly *a, const gfp_poly *c)
{
    gfp_options options;
    for (size_t j = 0; j < a->len && c->len > 1; j++) {
        GFP_TRY(inside(op, &options, op->options->verify, (double)(a->coeff[j].len + c->len)));
        GFP_TRY(gfp_poly_mul(&a->coeff[j], &a->coeff[j], c, &options));
    }
    return GFP_OK;
}

/* ---- the degree in X ---- */

/* w->len_h := 1 + a bound of deg_X h, by a gcd at a random Y = y at which the degree of a or b in X
 * does not fall. */
static gfp_status bound_degree(divisor *w)
{
    gfp_operation_call *op = w->op;
    const size_t x_a = gfp_bipoly_len_x(&w->a), x_b = gfp_bipoly_len_x(&w->b);
    uint64_t y[GFP_MAX_K];
    w->len_h = gfp_size_min(x_a, x_b);
    gfp_elem_random(op->field, y, &w->random);
    GFP_TRY(gfp_bipoly_eval_y(&w->s, &w->a, y));
    GFP_TRY(gfp_bipoly_eval_y(&w->t, &w->b, y));
    if (w->s.len == x_a || w->t.len == x_b) {
        GFP_TRY(gcd_inside(op, &w->s, &w->s, &w->t));
        w->len_h = gfp_size_min(w->len_h, w->s.len);
    }
    return GFP_OK;
}

/* ---- images ---- */

typedef struct images {
    divisor *w;
    size_t n, stride; /* points; room of an image */
    const uint64_t *values;
    uint64_t *digits; /* n images */
    size_t *len;      /* of each: 0 where it is longer than its room */
    uint64_t *e;      /* the values of e */
    size_t done;
} images;

static void keep(const images *v, size_t i, const uint64_t *g, size_t len)
{
    const gfp_field *field = v->w->op->field;
    v->len[i] = len <= v->stride ? len : 0;
    gfp_vec_copy(field, v->digits + i * v->stride * gfp_field_k(field), g, v->len[i]);
}

static gfp_status image_points(void *user, size_t from, size_t to, uint64_t *room, gfp_task *task)
{
    const images *v = user;
    const gfp_field *field = v->w->op->field;
    const size_t k = gfp_field_k(field), len_a = v->w->a.len, len_b = v->w->b.len;
    for (size_t i = from; i < to; i += GFP_GROUP) {
        const size_t count = gfp_size_min(GFP_GROUP, to - i), at = v->done + i;
        const gfp_group_images group = {field, v->values + i * (len_a + len_b) * k, len_a, len_b,
                                        count};
        gfp_group_gcds(&group, v->digits + at * v->stride * k, v->len + at, v->stride, room);
        if (!gfp_task_advance(task, (double)count)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status short_images(images *v, size_t count)
{
    gfp_operation_call *op = v->w->op;
    const size_t len_a = v->w->a.len, len_b = v->w->b.len;
    const double products = gfp_image_products(len_a, len_b);
    const gfp_operation_loop loop = {.run = image_points,
                                     .job = v,
                                     .items = count,
                                     .chunk = GFP_GROUP,
                                     .scratch = gfp_group_room(len_a, len_b),
                                     .units =
                                         GFP_OPERATION_ELEMENT_UNITS * products * (double)count,
                                     .cost = products * gfp_task_product_cost(op->field)};
    return gfp_operation_loop_run(op, &loop);
}

/* One image at a time, by all threads. */
static gfp_status long_images(images *v, size_t count)
{
    divisor *w = v->w;
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field), len_a = w->a.len, len_b = w->b.len;
    gfp_options options;
    for (size_t i = 0; i < count; i++) {
        uint64_t *row = (uint64_t *)v->values + i * (len_a + len_b) * k;
        gfp_poly a = {field, row, len_a, len_a}, b = {field, row + len_a * k, len_b, len_b};
        gfp_poly_normalise(&a, len_a);
        gfp_poly_normalise(&b, len_b);
        GFP_TRY(inside(w->op, &options, GFP_VERIFY_NONE,
                       GFP_OPERATION_ELEMENT_UNITS * gfp_image_products(len_a, len_b)));
        GFP_TRY(gfp_poly_gcd(&w->s, &a, &b, &options));
        keep(v, v->done + i, w->s.digits, w->s.len);
    }
    return GFP_OK;
}

static gfp_status all_images(images *v, const gfp_bipoly_start *s)
{
    gfp_operation_call *op = v->w->op;
    const gfp_bipoly *a = &v->w->a, *b = &v->w->b;
    const gfp_progression p = {s->start, s->ratio, v->n};
    gfp_bipoly_points points = {.of = {a, b}, .start = s->start, .ratio = s->ratio};
    const size_t longer = a->len > b->len ? a->len : b->len;
    uint64_t *values;
    GFP_TRY(gfp_geometric_values(op, v->e, (gfp_series){v->w->e.digits, v->w->e.len}, &p));
    GFP_TRY(gfp_bipoly_points_begin(op, &points, v->n));
    const size_t block = gfp_bipoly_block(op, &points, v->n);
    GFP_TRY(gfp_operation_array(op, &values, gfp_size_mul_sat(block, points.rows)));
    v->values = values;
    for (v->done = 0; v->done < v->n; v->done += block) {
        const size_t count = gfp_size_min(block, v->n - v->done);
        GFP_TRY(gfp_bipoly_points_next(op, values, &points, count));
        GFP_TRY(longer <= gfp_image_length(op->field) ? short_images(v, count)
                                                      : long_images(v, count));
    }
    return GFP_OK;
}

/* ---- from images to h ---- */

static bool is_lucky(const images *v, size_t i, size_t len)
{
    const gfp_field *field = v->w->op->field;
    return v->len[i] == len && !gfp_elem_is_zero(field, v->e + i * gfp_field_k(field));
}

/* The least length of an image; 0 if no point will do. */
static size_t least_length(const images *v)
{
    size_t least = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (v->len[i] > 0 && is_lucky(v, i, v->len[i]) && (least == 0 || v->len[i] < least)) {
            least = v->len[i];
        }
    }
    return least;
}

/* The lucky points come first, at most `most`; returns their number. points_i: their indices. */
static size_t gather(images *v, size_t len, size_t *index, size_t most)
{
    const gfp_field *field = v->w->op->field;
    const size_t k = gfp_field_k(field);
    size_t found = 0;
    for (size_t i = 0; i < v->n && found < most; i++) {
        if (is_lucky(v, i, len)) {
            gfp_vec_copy(field, v->digits + found * v->stride * k, v->digits + i * v->stride * k,
                         len);
            gfp_elem_copy(field, v->e + found * k, v->e + i * k);
            index[found++] = i;
        }
    }
    return found;
}

/* Images of n points, len coefficients each, times e divided by the leading coefficient. */
static gfp_status make_comparable(images *v, size_t n, size_t len)
{
    gfp_operation_call *op = v->w->op;
    const size_t k = gfp_field_k(op->field);
    uint64_t *lead;
    size_t zero;
    GFP_TRY(gfp_operation_array(op, &lead, n));
    for (size_t i = 0; i < n; i++) {
        gfp_elem_copy(op->field, lead + i * k, v->digits + (i * v->stride + len - 1) * k);
    }
    GFP_TRY(gfp_sequence_invert(op, lead, lead, n, &zero));
    GFP_TRY(gfp_sequence_times(op, lead, v->e, n));
    for (size_t i = 0; i < n; i++) {
        uint64_t *image = v->digits + i * v->stride * k;
        gfp_vec_scale(op->field, image, image, lead + i * k, len);
    }
    return GFP_OK;
}

/* z := the polynomial with these values at the points of these indices: a progression's first ones,
 * or others. */
static gfp_status interpolate(divisor *w, uint64_t *z, const uint64_t *values,
                              const gfp_bipoly_start *s, const size_t *index, size_t n)
{
    gfp_operation_call *op = w->op;
    const size_t k = gfp_field_k(op->field);
    const gfp_progression p = {s->start, s->ratio, n};
    gfp_options options;
    uint64_t *points;
    if (index[n - 1] == n - 1) {
        return gfp_geometric_solve(op, z, values, &p);
    }
    GFP_TRY(gfp_operation_array(op, &points, n));
    for (size_t i = 0; i < n; i++) {
        const uint64_t exponent = index[i];
        gfp_elem_pow(op->field, points + i * k, s->ratio, &exponent, 1);
    }
    gfp_vec_scale(op->field, points, points, s->start, n);
    GFP_TRY(inside(op, &options, GFP_VERIFY_NONE, gfp_geometric_solve_units(n)));
    GFP_TRY(gfp_poly_interpolate(&w->t, points, values, n, &options));
    gfp_vec_copy(op->field, z, w->t.digits, w->t.len);
    gfp_vec_zero(op->field, z + w->t.len * k, n - w->t.len);
    return GFP_OK;
}

/* w->h := the polynomial with these images, in X of length n, in Y of length len. */
static gfp_status interpolate_rows(images *v, const gfp_bipoly_start *s, const size_t *index,
                                   size_t n, size_t len)
{
    divisor *w = v->w;
    const gfp_field *field = w->op->field;
    const size_t k = gfp_field_k(field);
    uint64_t *all, *column;
    GFP_TRY(gfp_operation_array(w->op, &all, gfp_size_mul_sat(n, len)));
    GFP_TRY(gfp_operation_array(w->op, &column, n));
    for (size_t j = 0; j < len; j++) {
        const gfp_operation_mark mark = gfp_operation_mark_here(w->op);
        for (size_t i = 0; i < n; i++) {
            gfp_elem_copy(field, column + i * k, v->digits + (i * v->stride + j) * k);
        }
        GFP_TRY(interpolate(w, all + j * n * k, column, s, index, n));
        gfp_operation_release(w->op, mark);
    }
    return gfp_bipoly_from_array(&w->h, &(gfp_bipoly_array){all, len, n, n, 1});
}

/* An array of n sizes. */
static gfp_status take_sizes(gfp_operation_call *op, size_t **x, size_t n)
{
    uint64_t *words;
    GFP_TRY(gfp_operation_array(op, &words, n / gfp_field_k(op->field) + 1));
    *x = (size_t *)words;
    return GFP_OK;
}

/* w->h := a candidate from n or more points; *made: there is one. */
static gfp_status candidate(divisor *w, bool *made, size_t n, size_t points)
{
    gfp_operation_call *op = w->op;
    images v = {.w = w, .n = points, .stride = gfp_size_min(w->a.len, w->b.len)};
    gfp_bipoly_start s;
    size_t *index;
    *made = false;
    GFP_TRY(gfp_bipoly_progression(op, &s, points, &w->random));
    if (!s.found) {
        return GFP_OK;
    }
    GFP_TRY(gfp_operation_array(op, &v.digits, gfp_size_mul_sat(v.n, v.stride)));
    GFP_TRY(gfp_operation_array(op, &v.e, v.n));
    GFP_TRY(take_sizes(op, &v.len, v.n));
    GFP_TRY(take_sizes(op, &index, v.n));
    GFP_TRY(all_images(&v, &s));
    const size_t len = least_length(&v);
    if (len == 1) {
        *made = true;
        return gfp_bipoly_one(&w->h);
    }
    if (len == 0 || gather(&v, len, index, n) < n) {
        return GFP_OK;
    }
    GFP_TRY(make_comparable(&v, n, len));
    GFP_TRY(interpolate_rows(&v, &s, index, n, len));
    *made = w->h.len > 0;
    return GFP_OK;
}

/* ---- proof ---- */

/* w->h := its primitive part; `multiple`: a multiple of its content, or NULL. */
static gfp_status make_primitive(divisor *w, const gfp_poly *multiple)
{
    if (multiple != NULL && multiple->len == 1) {
        return GFP_OK;
    }
    GFP_TRY(content(w->op, &w->s, &w->h, multiple));
    return divide_rows(w->op, &w->h, &w->s);
}

/* *yes := whether h divides a and b. */
static gfp_status divides_both(divisor *w, bool *yes)
{
    *yes = true;
    if (w->h.len == 1 && w->h.coeff[0].len == 1) {
        return GFP_OK;
    }
    GFP_TRY(gfp_bipoly_divide(w->op, yes, &w->q, &w->a, &w->h));
    return *yes ? gfp_bipoly_divide(w->op, yes, &w->q, &w->b, &w->h) : GFP_OK;
}

/* Checks that no common divisor has a higher degree in Y, by a gcd at a random point that is
 * checked itself. Fields without such a point are not asked. */
static gfp_status check_degree(divisor *w)
{
    gfp_operation_call *op = w->op;
    if (op->options->verify == GFP_VERIFY_NONE) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        uint64_t x[GFP_MAX_K], e[GFP_MAX_K];
        gfp_elem_random(op->field, x, &w->random);
        gfp_poly_eval(&w->e, e, x);
        if (gfp_elem_is_zero(op->field, e)) {
            continue;
        }
        GFP_TRY(gfp_bipoly_eval_x(&w->s, &w->a, x));
        GFP_TRY(gfp_bipoly_eval_x(&w->t, &w->b, x));
        GFP_TRY(gcd_inside(op, &w->s, &w->s, &w->t));
        if (w->s.len == w->h.len) {
            return GFP_OK;
        }
        if (w->s.len < w->h.len) {
            break;
        }
    }
    /* Unlucky points all of them, in a tiny field, or a wrong h. */
    return gfp_field_bits(op->field) > 60 ? gfp_operation_wrong(op, GFP_NO_INDEX) : GFP_OK;
}

/* ---- the algorithm ---- */

/* Whether the field has this number of points, at least, that are not 0. */
static size_t points_within(const gfp_field *field, size_t n)
{
    if (gfp_field_bits(field) > 60) {
        return n;
    }
    return gfp_size_min(n, (size_t)gfp_field_modulus_limbs(field)[0] - 1);
}

static gfp_status by_chain(divisor *w)
{
    size_t bound;
    if (!gfp_bipoly_resultant_bound(&bound, &w->a, &w->b)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_bipoly_chain_gcd(w->op, &w->h, &w->a, &w->b, bound));
    if (w->h.len == 1) {
        return gfp_bipoly_one(&w->h);
    }
    return make_primitive(w, NULL);
}

/* w->h := the gcd of the primitive parts, both of degree at least 1 in Y. */
static gfp_status primitive_gcd(divisor *w)
{
    gfp_operation_call *op = w->op;
    bool done = false;
    GFP_TRY(gcd_inside(op, &w->e, lead_of(&w->a), lead_of(&w->b)));
    if (!op->classical) {
        GFP_TRY(bound_degree(w));
    }
    const size_t n = op->classical ? 0 : w->len_h + w->e.len - 1;
    for (unsigned i = 0; i < ATTEMPTS && !done && !op->classical; i++) {
        const size_t points = points_within(op->field, i == 0 ? n : (n + 4) << i);
        const gfp_operation_mark mark = gfp_operation_mark_here(op);
        if (points >= n) {
            GFP_TRY(candidate(w, &done, n, points));
            gfp_operation_release(op, mark);
        }
        if (done) {
            GFP_TRY(make_primitive(w, &w->e));
            GFP_TRY(divides_both(w, &done));
        }
    }
    if (!done) {
        GFP_TRY(by_chain(w));
        GFP_TRY(divides_both(w, &done));
        if (!done) {
            return gfp_operation_wrong(op, GFP_NO_INDEX);
        }
    }
    return check_degree(w);
}

/* Neither is 0. made := the gcd. */
static gfp_status compute(divisor *w, gfp_bipoly *made, const gfp_bipoly *a, const gfp_bipoly *b)
{
    gfp_operation_call *op = w->op;
    const size_t x =
        gfp_bipoly_len_x(a) > gfp_bipoly_len_x(b) ? gfp_bipoly_len_x(a) : gfp_bipoly_len_x(b);
    const size_t y = a->len > b->len ? a->len : b->len;
    const bool exchange = x < y;
    GFP_TRY(gfp_bipoly_reserve(op, gfp_size_mul_sat(6, gfp_bipoly_bytes(op->field, y, x))));
    GFP_TRY(gfp_bipoly_seed(op, &w->random));
    GFP_TRY(exchange ? gfp_bipoly_transpose(&w->a, a) : gfp_bipoly_copy(&w->a, a));
    GFP_TRY(exchange ? gfp_bipoly_transpose(&w->b, b) : gfp_bipoly_copy(&w->b, b));
    GFP_TRY(content(op, &w->s, &w->a, NULL));
    GFP_TRY(divide_rows(op, &w->a, &w->s));
    GFP_TRY(content(op, &w->t, &w->b, NULL));
    GFP_TRY(divide_rows(op, &w->b, &w->t));
    GFP_TRY(gcd_inside(op, &w->c, &w->s, &w->t));
    if (w->a.len == 1 || w->b.len == 1) {
        GFP_TRY(gfp_bipoly_one(&w->h));
    } else {
        GFP_TRY(primitive_gcd(w));
    }
    GFP_TRY(multiply_rows(op, &w->h, &w->c));
    if (exchange) {
        GFP_TRY(gfp_bipoly_transpose(&w->h, &w->h));
    }
    return gfp_bipoly_make_monic(made, &w->h);
}

static gfp_status run(gfp_operation_call *op, gfp_bipoly *made, const gfp_bipoly *a,
                      const gfp_bipoly *b)
{
    gfp_status status = GFP_OK;
    if (a->len == 0 || b->len == 0) {
        const gfp_bipoly *other = a->len == 0 ? b : a;
        status = other->len == 0 ? GFP_OK : gfp_bipoly_make_monic(made, other);
    } else {
        divisor w;
        divisor_init(&w, op);
        status = compute(&w, made, a, b);
        divisor_clear(&w);
    }
    return status == GFP_OK ? gfp_operation_finish(op) : status;
}

/* Of images, of values at points, and of both divisions. */
static double units_of(const gfp_bipoly *a, const gfp_bipoly *b)
{
    const double x = (double)gfp_bipoly_len_x(a) + (double)gfp_bipoly_len_x(b);
    const double y = (double)gfp_size_min(a->len, b->len) + 1;
    return x * y * (y / 2 + 20);
}

gfp_status gfp_bipoly_gcd(gfp_bipoly *g, const gfp_bipoly *a, const gfp_bipoly *b,
                          const gfp_options *options)
{
    static const char name[] = "a gcd of bivariate polynomials";
    gfp_operation_call op;
    gfp_options copy;
    gfp_bipoly made;
    size_t n;
    GFP_TRY(gfp_options_read(&options, &copy));
    GFP_TRY(gfp_bipoly_check_operands(g, a, b, options));
    if (!gfp_size_mul(&n, a->len + b->len, gfp_bipoly_len_x(a) + gfp_bipoly_len_x(b)) ||
        n > SIZE_MAX / 16) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "%s: the degrees are too high", name);
    }
    GFP_TRY(gfp_operation_begin(&op, name, a->field, options, units_of(a, b), 2));
    gfp_bipoly_init(&made, a->field);
    const gfp_status status = gfp_operation_end(&op, run(&op, &made, a, b));
    if (status == GFP_OK) {
        gfp_bipoly_swap(g, &made);
    }
    gfp_bipoly_clear(&made);
    return status;
}
