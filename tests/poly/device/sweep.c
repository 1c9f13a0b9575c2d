/* sweep.c: every operation of resident polynomials and rows over drawn shapes: fields,
 * methods, numbers of terms and of rows, lengths of operands; against the CPU. A ring keeps its
 * plans from case to case, and the shape decides what a plan must serve: no call may fail but by a
 * method that does not serve. On a device for up to 40 seconds or, if the environment variable
 * GFPOLY_TEST_DEVICE is "fake" or "planned", over tests/lab/fake_device/device.h, whose own plans
 * serve nothing but what they were made for; "planned": by the library's own plans of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "lab/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "poly/device/place.h"
#include "gfpoly/division.h"
#include "gfpoly/gcd.h"
#include "gfpoly/gpu_toolkit.h"
#include "gfpoly/modulus.h"
#include "gfpoly/series.h"
#include "gfpoly/tree.h"
#include "poly/device/series.h"
#include "poly/device/type.h"

#define SECONDS 40
#define MOST_ROWS 400
#define METHODS (GFP_GPU_METHOD_CLASSICAL + 1)
/* Bytes of a simulated device that hold the operands and little else. */
#define LITTLE ((size_t)400000)

/* Fields of short and long digits, with and without long transforms over Z/pZ. */
static const struct {
    const char *text;
    uint64_t r;
    unsigned k;
} fields[] = {
    {"29662692480^8+1", 29662692480, 8},
    {"4^8+1", 4, 8},
    {"p4", UINT64_MAX - (UINT64_C(1) << 50) + 1, 4},
    {"256^2+1", 256, 2},
    {"p32", (UINT64_C(1) << 62) + (UINT64_C(1) << 56), 32},
    {"30^32+1", 30, 32},
};
#define FIELDS (sizeof fields / sizeof *fields)

/* A field on both sides, by one method. */
typedef struct site {
    size_t index;
    gfp_gpu_method method;
    gfp_field *field;
    oracle o;
    unsigned k;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    bool little; /* calls may run out of memory */
    uint64_t seed;
} site;

/* Numbers of terms of a result, and of operands a and b; of rows. */
typedef struct shape {
    size_t n, len_a, len_b, rows;
} shape;

static void open_site(site *s, gfp_gpu *gpu, size_t field, gfp_gpu_method method)
{
    const gfp_gpu_ring_options options = {.method = method};
    *s = (site){.index = field, .method = method, .gpu = gpu, .k = fields[field].k};
    s->seed = 1000 * field + method;
    s->field = lab_create(fields[field].text);
    oracle_init(&s->o, fields[field].r, fields[field].k);
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&s->ring, gpu, s->field, &options, NULL), "ring");
}

static void close_site(site *s)
{
    gfp_gpu_ring_destroy(s->ring);
    oracle_clear(&s->o);
    gfp_field_destroy(s->field);
}

static size_t sweep_below(site *s, size_t n)
{
    return (size_t)(oracle_random(&s->seed) % n);
}

/* From 1 to n, short and long ones alike. */
static size_t draw_length(site *s, size_t n)
{
    size_t most = n;
    while (most > 8 && sweep_below(s, 3) == 0) {
        most /= 4;
    }
    return 1 + sweep_below(s, most);
}

/* n elements; every `unit`th is not 0. */
static uint64_t *sweep_draw(site *s, size_t n, size_t unit)
{
    uint64_t *x = lab_array(n * s->k);
    for (size_t i = 0; i < n; i++) {
        oracle_random_element(&s->o, x + i * s->k, &s->seed);
        if (i % unit == 0 && gfp_elem_is_zero(s->field, x + i * s->k)) {
            gfp_elem_one(s->field, x + i * s->k);
        }
    }
    return x;
}

/* A polynomial of len terms with constant and leading terms that are not 0, on both sides. */
typedef struct both {
    gfp_poly x;
    gfp_gpu_poly *dx;
} both;

static void sweep_make(site *s, both *f, size_t len)
{
    gfp_poly_init(&f->x, s->field);
    assert_int_equal(gfp_gpu_poly_create(&f->dx, s->ring, NULL), GFP_OK);
    if (len > 0) {
        uint64_t *digits = sweep_draw(s, len, len > 1 ? len - 1 : 1);
        assert_int_equal(gfp_poly_fit_length(&f->x, len), GFP_OK);
        memcpy(f->x.digits, digits, len * s->k * sizeof *digits);
        assert_int_equal(gfp_poly_set_length(&f->x, len), GFP_OK);
        gpu_lab_ok(s->gpu, gfp_gpu_poly_upload(f->dx, &f->x, NULL), "upload");
        lab_free(digits);
    }
}

static void sweep_drop(both *f)
{
    gfp_poly_clear(&f->x);
    gfp_gpu_poly_destroy(f->dx);
}

static gfp_gpu_array *sweep_up(const site *s, const uint64_t *x, size_t n)
{
    return gpu_lab_upload(s->gpu, x, n * s->k);
}

/* ---- comparisons ---- */

/* Fails the test with the names of all that was drawn. */
static void fail_at(const site *s, const shape *c, const char *what, const char *why)
{
    fail_msg("%s, %s over %s: n %zu, lengths %zu and %zu, %zu rows: %s", what,
             gfp_gpu_method_name(s->method), fields[s->index].text, c->n, c->len_a, c->len_b,
             c->rows, why);
}

/* Whether the call succeeded: both sides agree about what has no result, and only a method that is
 * named may not serve. */
static bool sweep_goes(const site *s, const shape *c, gfp_status status, gfp_status expected,
                       const char *what)
{
    const bool lacks = (status == GFP_ERR_UNAVAILABLE && s->method != GFP_GPU_METHOD_AUTO) ||
                       (status == GFP_ERR_MEMORY && s->little);
    if (status != expected && !lacks) {
        fail_at(s, c, what, status == GFP_OK ? "no error" : gfp_gpu_last_error(s->gpu)->message);
    }
    return status == GFP_OK;
}

static void same_rows(const site *s, const shape *c, const gfp_gpu_array *dx, const uint64_t *x,
                      size_t n, const char *what)
{
    uint64_t *got = lab_array(n * s->k);
    gpu_lab_ok(s->gpu, gfp_gpu_download(got, dx, 0, n * s->k, NULL), what);
    if (memcmp(got, x, n * s->k * sizeof *x) != 0) {
        fail_at(s, c, what, "wrong elements");
    }
    lab_free(got);
}

/* The result f of a call on both sides; whether both have it. */
static bool same_poly(const site *s, const shape *c, const both *f, gfp_status status,
                      gfp_status expected, const char *what)
{
    gfp_poly got;
    if (!sweep_goes(s, c, status, expected, what)) {
        return false;
    }
    gfp_poly_init(&got, s->field);
    gpu_lab_ok(s->gpu, gfp_gpu_poly_download(&got, f->dx, NULL), what);
    if (!gfp_poly_equal(&got, &f->x)) {
        fail_at(s, c, what, "wrong coefficients");
    }
    gfp_poly_clear(&got);
    return true;
}

/* ---- operations ---- */

/* Inverses and quotients of rows. */
static void check_series(site *s, const shape *c)
{
    const unsigned k = s->k;
    const size_t all = c->rows * c->n;
    uint64_t *a = sweep_draw(s, c->rows * c->len_a, 1),
             *b = sweep_draw(s, c->rows * c->len_b, c->len_b);
    uint64_t *z = lab_array(all * k);
    gfp_gpu_array *da = sweep_up(s, a, c->rows * c->len_a),
                  *db = sweep_up(s, b, c->rows * c->len_b);
    gfp_gpu_array *dz = gpu_lab_array(s->gpu, all * k);
    const gfp_gpu_rows to = {dz, 0, c->n};
    const gfp_gpu_pairs pairs = {{da, 0, c->len_a}, {db, 0, c->len_b}, c->len_a, c->len_b, c->rows};
    for (int kind = 0; kind < 2; kind++) {
        const char *what = kind == 0 ? "inverses of series" : "quotients of series";
        for (size_t i = 0; i < c->rows; i++) {
            const uint64_t *f = b + i * c->len_b * k;
            uint64_t *g = z + i * c->n * k;
            assert_int_equal(kind == 0 ? gfp_vec_inv_series(s->field, g, c->n, f, c->len_b, NULL)
                                       : gfp_vec_div_series(s->field, g, c->n, a + i * c->len_a * k,
                                                            c->len_a, f, c->len_b, NULL),
                             GFP_OK);
        }
        const gfp_status status =
            kind == 0
                ? gfp_gpu_vec_inv_series(s->ring, &to, c->n, &pairs.b, c->len_b, c->rows, NULL)
                : gfp_gpu_vec_div_series(s->ring, &to, c->n, &pairs, NULL);
        if (sweep_goes(s, c, status, GFP_OK, what)) {
            same_rows(s, c, dz, z, all, what);
        }
    }
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dz);
    lab_free(a);
    lab_free(b);
    lab_free(z);
}

static void check_gcds(site *s, const shape *c)
{
    const size_t n = c->len_a > c->len_b ? c->len_a : c->len_b, k = s->k;
    uint64_t *g = lab_array(c->rows * n * k), *r = lab_array(c->rows * k);
    gfp_gpu_array *dx[] = {gpu_lab_array(s->gpu, c->rows * c->len_a * k),
                           gpu_lab_array(s->gpu, c->rows * c->len_b * k),
                           gpu_lab_array(s->gpu, c->rows * n * k),
                           gpu_lab_array(s->gpu, c->rows * k)};
    const gfp_gpu_pairs pairs = {
        {dx[0], 0, c->len_a}, {dx[1], 0, c->len_b}, c->len_a, c->len_b, c->rows};
    const gfp_gpu_rows to = {dx[2], 0, n}, one = {dx[3], 0, 1};
    memset(g, 0, c->rows * n * k * sizeof *g);
    for (size_t i = 0; i < c->rows; i++) {
        both a, b, d;
        sweep_make(s, &a, c->len_a);
        sweep_make(s, &b, c->len_b);
        sweep_make(s, &d, 0);
        assert_int_equal(gfp_poly_gcd(&d.x, &a.x, &b.x, NULL), GFP_OK);
        memcpy(g + i * n * k, d.x.digits, d.x.len * k * sizeof *g);
        assert_int_equal(gfp_poly_resultant(r + i * k, &a.x, &b.x, NULL), GFP_OK);
        gpu_lab_ok(s->gpu, gfp_gpu_upload(dx[0], i * c->len_a * k, a.x.digits, c->len_a * k, NULL),
                   "");
        gpu_lab_ok(s->gpu, gfp_gpu_upload(dx[1], i * c->len_b * k, b.x.digits, c->len_b * k, NULL),
                   "");
        sweep_drop(&a);
        sweep_drop(&b);
        sweep_drop(&d);
    }
    if (sweep_goes(s, c, gfp_gpu_vec_gcd(s->ring, &to, NULL, &pairs, NULL), GFP_OK, "gcds")) {
        same_rows(s, c, dx[2], g, c->rows * n, "gcds");
    }
    if (sweep_goes(s, c, gfp_gpu_vec_resultant(s->ring, &one, &pairs, NULL), GFP_OK,
                   "resultants")) {
        same_rows(s, c, dx[3], r, c->rows, "resultants");
    }
    for (size_t i = 0; i < 4; i++) {
        gfp_gpu_array_destroy(dx[i]);
    }
    lab_free(g);
    lab_free(r);
}

/* Whole products and parts of them. */
static void check_products(site *s, const shape *c)
{
    const size_t from = sweep_below(s, c->len_a + c->len_b);
    both a, b, z;
    sweep_make(s, &a, c->len_a);
    sweep_make(s, &b, c->len_b);
    sweep_make(s, &z, 0);
    gfp_status expected = gfp_poly_mul(&z.x, &a.x, &b.x, NULL);
    (void)same_poly(s, c, &z, gfp_gpu_poly_mul(z.dx, a.dx, b.dx, NULL), expected, "product");
    expected = gfp_poly_mullow(&z.x, &a.x, &b.x, c->n, NULL);
    (void)same_poly(s, c, &z, gfp_gpu_poly_mullow(z.dx, a.dx, b.dx, c->n, NULL), expected,
                    "low product");
    expected = gfp_poly_mulhigh(&z.x, &a.x, &b.x, from, NULL);
    (void)same_poly(s, c, &z, gfp_gpu_poly_mulhigh(z.dx, a.dx, b.dx, from, NULL), expected,
                    "high product");
    expected = gfp_poly_mulmid(&z.x, &a.x, &b.x, from, c->n, NULL);
    (void)same_poly(s, c, &z, gfp_gpu_poly_mulmid(z.dx, a.dx, b.dx, from, c->n, NULL), expected,
                    "middle product");
    sweep_drop(&a);
    sweep_drop(&b);
    sweep_drop(&z);
}

/* Series of polynomials, division, products modulo b. */
static void check_division(site *s, const shape *c)
{
    gfp_modulus *M = NULL;
    gfp_gpu_modulus *dM = NULL;
    both a, b, q, r;
    sweep_make(s, &a, c->len_a);
    sweep_make(s, &b, c->len_b);
    sweep_make(s, &q, 0);
    sweep_make(s, &r, 0);
    gfp_status expected = gfp_poly_inv_series(&q.x, &b.x, c->n, NULL);
    (void)same_poly(s, c, &q, gfp_gpu_poly_inv_series(q.dx, b.dx, c->n, NULL), expected,
                    "inverse of a series");
    expected = gfp_poly_div_series(&q.x, &a.x, &b.x, c->n, NULL);
    (void)same_poly(s, c, &q, gfp_gpu_poly_div_series(q.dx, a.dx, b.dx, c->n, NULL), expected,
                    "quotient of series");
    expected = gfp_poly_divrem(&q.x, &r.x, &a.x, &b.x, NULL);
    const gfp_status status = gfp_gpu_poly_divrem(q.dx, r.dx, a.dx, b.dx, NULL);
    (void)same_poly(s, c, &q, status, expected, "quotient");
    (void)same_poly(s, c, &r, status, expected, "remainder");
    if (c->len_b > 1 &&
        sweep_goes(s, c, gfp_gpu_modulus_create(&dM, b.dx, NULL), GFP_OK, "modulus")) {
        assert_int_equal(gfp_modulus_create(&M, &b.x, NULL), GFP_OK);
        expected = gfp_poly_mul_mod(&r.x, &a.x, &a.x, M, NULL);
        if (same_poly(s, c, &r, gfp_gpu_poly_mul_mod(r.dx, a.dx, a.dx, dM, NULL), expected,
                      "square modulo b")) {
            expected = gfp_poly_mul_mod(&q.x, &a.x, &r.x, M, NULL);
            (void)same_poly(s, c, &q, gfp_gpu_poly_mul_mod(q.dx, a.dx, r.dx, dM, NULL), expected,
                            "product modulo b");
        }
    }
    gfp_modulus_destroy(M);
    gfp_gpu_modulus_destroy(dM);
    sweep_drop(&a);
    sweep_drop(&b);
    sweep_drop(&q);
    sweep_drop(&r);
}

/* Taylor shifts; trees over the points 1, 2, ..., some of them equal where p is small. */
static void check_trees(site *s, const shape *c)
{
    const size_t n = c->n < 700 ? c->n : 700;
    uint64_t *x = sweep_draw(s, n, 1), *y = lab_array(n * s->k);
    gfp_tree *T = NULL;
    gfp_gpu_tree *dT = NULL;
    both a, f;
    for (size_t i = 0; i < n; i++) {
        gfp_elem_set_u64(s->field, x + i * s->k, i + 1);
    }
    gfp_gpu_array *dx = sweep_up(s, x, n), *dy = gpu_lab_array(s->gpu, n * s->k);
    sweep_make(s, &a, c->len_a);
    sweep_make(s, &f, 0);
    gfp_status expected = gfp_poly_taylor_shift(&f.x, &a.x, x, NULL);
    (void)same_poly(s, c, &f, gfp_gpu_poly_taylor_shift(f.dx, a.dx, x, NULL), expected,
                    "Taylor shift");
    expected = gfp_poly_product_roots(&f.x, x, n, NULL);
    (void)same_poly(s, c, &f, gfp_gpu_poly_product_roots(f.dx, dx, n, NULL), expected, "roots");
    assert_int_equal(gfp_tree_create(&T, s->field, x, n, NULL), GFP_OK);
    if (sweep_goes(s, c, gfp_gpu_tree_create(&dT, s->ring, dx, n, NULL), GFP_OK, "tree")) {
        assert_int_equal(gfp_tree_eval(y, &a.x, T, NULL), GFP_OK);
        if (sweep_goes(s, c, gfp_gpu_tree_eval(dy, a.dx, dT, NULL), GFP_OK, "values")) {
            same_rows(s, c, dy, y, n, "values");
        }
        gpu_lab_ok(s->gpu, gfp_gpu_upload(dy, 0, y, n * s->k, NULL), "upload");
        expected = gfp_tree_interpolate(&f.x, y, T, NULL);
        (void)same_poly(s, c, &f, gfp_gpu_tree_interpolate(f.dx, dy, dT, NULL), expected,
                        "interpolation");
    }
    gfp_tree_destroy(T);
    gfp_gpu_tree_destroy(dT);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dy);
    sweep_drop(&a);
    sweep_drop(&f);
    lab_free(x);
    lab_free(y);
}

static void check_geometric(site *s, const shape *c)
{
    uint64_t *x = sweep_draw(s, 2, 1), *y = lab_array(c->n * s->k), *ratio = x + s->k;
    gfp_gpu_array *dy = gpu_lab_array(s->gpu, c->n * s->k);
    both a, f;
    sweep_make(s, &a, c->len_a);
    sweep_make(s, &f, 0);
    assert_int_equal(gfp_poly_eval_geometric(y, &a.x, x, ratio, c->n, NULL), GFP_OK);
    if (sweep_goes(s, c, gfp_gpu_poly_eval_geometric(dy, a.dx, x, ratio, c->n, NULL), GFP_OK,
                   "values")) {
        same_rows(s, c, dy, y, c->n, "values at a progression");
    }
    gpu_lab_ok(s->gpu, gfp_gpu_upload(dy, 0, y, c->n * s->k, NULL), "upload");
    const gfp_status expected = gfp_poly_interpolate_geometric(&f.x, y, x, ratio, c->n, NULL);
    (void)same_poly(s, c, &f, gfp_gpu_poly_interpolate_geometric(f.dx, dy, x, ratio, c->n, NULL),
                    expected, "interpolation at a progression");
    gfp_gpu_array_destroy(dy);
    sweep_drop(&a);
    sweep_drop(&f);
    lab_free(x);
    lab_free(y);
}

/* Most terms of results and operands for digits of k = 8, and whether rows count. */
static const struct {
    void (*check)(site *s, const shape *c);
    size_t terms;
    bool rows;
} operations[] = {
    {check_series, 1000, true},   {check_series, 60, true},  {check_products, 1000, false},
    {check_division, 700, false}, {check_trees, 300, false}, {check_geometric, 300, false},
    {check_gcds, 40, true},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

/* ---- tests ---- */

/* "fake", "planned", or NULL: a device. */
static const char *sweep_simulated(void)
{
    return getenv("GFPOLY_TEST_DEVICE");
}

/* Whether there is a device, or GFPOLY_TEST_LONG is set. */
static bool is_long(void)
{
    return !lab_is_short() && (sweep_simulated() == NULL || getenv("GFPOLY_TEST_LONG") != NULL);
}

static double sweep_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Few rows of long series, or many of short ones. */
static void draw_case(site *s, size_t operation)
{
    const size_t part = is_long() && !s->little                       ? 1
                        : lab_is_short() && sweep_simulated() == NULL ? 8
                                                                      : 2;
    const size_t most = operations[operation].terms / part;
    const size_t terms = most / (s->k > 8 ? s->k / 8 : 1) + 1;
    shape c = {.n = draw_length(s, terms), .rows = 1};
    c.len_a = sweep_below(s, 3) == 0 ? c.n + 1 : draw_length(s, terms);
    c.len_b = sweep_below(s, 3) == 0 ? c.n : draw_length(s, terms);
    if (operations[operation].rows) {
        c.rows += sweep_below(s, 1 + MOST_ROWS / (c.n + c.len_a + c.len_b));
        c.rows += sweep_below(s, 3);
    }
    operations[operation].check(s, &c);
    if (s->little) {
        gfp_gpu_ring_trim(s->ring);
    }
}

/* A round over all fields, methods and operations, or until the time is over. */
static void run_round(site s[FIELDS][METHODS], double until)
{
    for (size_t i = 0; i < FIELDS * METHODS * OPERATIONS && sweep_seconds() < until; i++) {
        const size_t f = i / OPERATIONS / METHODS;
        if (f == 0 || !gpu_lab_serial()) {
            draw_case(&s[f][i / OPERATIONS % METHODS], i % OPERATIONS);
        }
    }
}

static void open_sites(site s[FIELDS][METHODS], gfp_gpu *gpu)
{
    for (size_t i = 0; i < FIELDS * METHODS; i++) {
        open_site(&s[i / METHODS][i % METHODS], gpu, i / METHODS, (gfp_gpu_method)(i % METHODS));
    }
}

static void close_sites(site s[FIELDS][METHODS])
{
    for (size_t i = 0; i < FIELDS * METHODS; i++) {
        close_site(&s[i / METHODS][i % METHODS]);
    }
}

/* One round, or as many as the time allows. */
static void shapes_agree(void **state)
{
    const double until = is_long() ? sweep_seconds() + SECONDS : INFINITY;
    site s[FIELDS][METHODS];
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    open_sites(s, gpu);
    do {
        run_round(s, until);
    } while (is_long() && sweep_seconds() < until);
    close_sites(s);
    gpu_lab_close(gpu);
}

/* Plans without room for whole products, or for all rows at once, compute them in pieces. */
static void shapes_in_little_memory_agree(void **state)
{
    site s[FIELDS][METHODS];
    (void)state;
    if (sweep_simulated() == NULL) {
        skip();
    }
    gfp_gpu *gpu = gpu_lab_open();
    open_sites(s, gpu);
    for (size_t i = 0; i < FIELDS * METHODS; i++) {
        s[i / METHODS][i % METHODS].little = true;
    }
    fake_memory(LITTLE);
    run_round(s, INFINITY);
    fake_memory(SIZE_MAX);
    close_sites(s);
    gpu_lab_close(gpu);
}

/* Divisors shorter than the first terms that Newton's iteration has: plans for products of a kept
 * factor of which their range needs a part. */
static void rows_by_short_divisors_agree(void **state)
{
    static const size_t lengths[] = {1, 2, 3, 5, 9, 17, 33, 63, 64, 65, 126, 250, 501, 999, 1000};
    static const size_t rows[FIELDS] = {3, 4, 2};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < (gpu_lab_serial() ? 1 : 2); f++) {
        site s;
        open_site(&s, gpu, f, GFP_GPU_METHOD_AUTO);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += lab_is_short() ? 6 : 1) {
            const shape c = {1000, 1000, lengths[i], rows[f]};
            check_series(&s, &c);
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_short_divisors_agree),
        cmocka_unit_test(shapes_agree),
        cmocka_unit_test(shapes_in_little_memory_agree),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
