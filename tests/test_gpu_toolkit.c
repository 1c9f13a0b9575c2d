/* test_gpu_toolkit.c: what is built on products on a device, against the CPU: sums of rows,
 * products of rows by every method, inverses of elements, series and quotients in batches,
 * division, gcds and resultants, trees of products with evaluation and interpolation, and wrong
 * results that checks must find. On a device or, if the environment variable GFPOLY_TEST_DEVICE is
 * "fake" or "planned", over fake_device.h, where in addition every call is made to fail in turn;
 * "planned": by the library's own plans of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake_device.h"
#include "gfpoly/division.h"
#include "gfpoly/gpu_toolkit.h"
#include "gfpoly/series.h"
#include "pairs_lab.h"

static bool over(const char *name)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, name) == 0;
}

static bool over_fake_device(void)
{
    return over("fake");
}

/* A field on both sides. */
typedef struct site {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    uint64_t seed;
} site;

static void open_site(site *s, gfp_gpu *gpu, const lab *l)
{
    *s = (site){.l = l, .gpu = gpu, .seed = l->k + 1};
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&s->ring, gpu, l->field, NULL, NULL), "ring");
}

static void close_site(site *s)
{
    gfp_gpu_ring_destroy(s->ring);
}

static void ok(const site *s, gfp_status status, const char *what)
{
    gpu_lab_ok(s->gpu, status, what);
}

/* Fields: named ones and some of the tiny; the first of each k where tests are short. */
static bool skips(size_t f)
{
    return gpu_lab_skips_alike(f) || (lab_fields[f].entry->r < 1000 && f % 3 != 0);
}

static size_t below(site *s, size_t n)
{
    return (size_t)(oracle_random(&s->seed) % n);
}

/* n elements, random ones and samples; not_zero: none of them is 0. */
static uint64_t *draw(site *s, size_t n, bool not_zero)
{
    const unsigned k = s->l->k;
    uint64_t *x = lab_array(n * k);
    for (size_t i = 0; i < n; i++) {
        do {
            if (below(s, 4) == 0) {
                memcpy(x + i * k, lab_sample(s->l, below(s, s->l->count)), k * sizeof *x);
            } else {
                oracle_random_element(&s->l->o, x + i * k, &s->seed);
            }
        } while (not_zero && gfp_elem_is_zero(s->l->field, x + i * k));
    }
    return x;
}

static gfp_gpu_array *up(const site *s, const uint64_t *x, size_t n)
{
    return gpu_lab_upload(s->gpu, x, n * s->l->k);
}

static uint64_t *down(const site *s, const gfp_gpu_array *x, size_t n)
{
    uint64_t *y = lab_array(n * s->l->k);
    ok(s, gfp_gpu_download(y, x, 0, n * s->l->k), "download");
    return y;
}

static void same(const site *s, const uint64_t *x, const uint64_t *y, size_t n, const char *what,
                 size_t i, size_t j)
{
    lab_expect_digits(s->l, x, y, n, what, i, j);
}

/* ---- rows ---- */

/* z, of `all` elements, and its sum on the CPU. */
static void check_sum(site *s, size_t rows, size_t n, size_t count, unsigned negated)
{
    const unsigned k = s->l->k;
    const gfp_field *field = s->l->field;
    const size_t stride = n + below(s, 3), from = below(s, 4), all = from + rows * stride + n;
    uint64_t *x[GFP_GPU_ROWS_MAX], *z = draw(s, all, false), *got;
    gfp_gpu_array *dz = up(s, z, all), *dx[GFP_GPU_ROWS_MAX];
    gfp_gpu_rows terms[GFP_GPU_ROWS_MAX] = {{NULL, 0, 0}};
    const gfp_gpu_rows to = {dz, from, stride};
    for (size_t t = 0; t < count; t++) {
        const size_t step = below(s, 4) == 0 ? 0 : n + below(s, 5), at = below(s, 3);
        const size_t length = at + rows * step + n;
        x[t] = draw(s, length, false);
        dx[t] = up(s, x[t], length);
        terms[t] = (gfp_gpu_rows){dx[t], at, step};
    }
    if (count > 1) { /* one input is z itself */
        terms[1] = to;
    }
    ok(s, gfp_gpu_vec_sum_rows(field, &to, terms, count, negated, rows, n), "sum of rows");
    for (size_t i = 0; i < rows * n; i++) {
        uint64_t sum[GFP_MAX_K], *place = z + (from + i / n * stride + i % n) * k;
        gfp_elem_zero(field, sum);
        for (size_t t = 0; t < count; t++) {
            const uint64_t *e =
                t == 1 ? place : x[t] + (terms[t].from + i / n * terms[t].stride + i % n) * k;
            (negated >> t & 1 ? gfp_elem_sub : gfp_elem_add)(field, sum, sum, e);
        }
        gfp_elem_copy(field, place, sum);
    }
    got = down(s, dz, all);
    same(s, got, z, all, "sum of rows", rows, n);
    for (size_t t = 0; t < count; t++) {
        lab_free(x[t]);
        gfp_gpu_array_destroy(dx[t]);
    }
    lab_free(z);
    lab_free(got);
    gfp_gpu_array_destroy(dz);
}

static void sums_of_rows_agree(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {7, 1}, {1, 40}, {33, 5}, {3, 129}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            for (size_t count = 0; count <= GFP_GPU_ROWS_MAX; count++) {
                check_sum(&s, shapes[i][0], shapes[i][1], count, (unsigned)below(&s, 16));
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void indices_multiply(void **state)
{
    const uint64_t firsts[] = {0, 1, UINT64_MAX - 70, (uint64_t)1 << 40};
    const size_t n = 150;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        uint64_t index[GFP_MAX_K];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < 4; i++) {
            uint64_t *x = draw(&s, n, false);
            gfp_gpu_array *dx = up(&s, x, n);
            ok(&s, gfp_gpu_vec_mul_index(s.l->field, dx, dx, firsts[i], n), "indices");
            for (size_t j = 0; j < n; j++) {
                gfp_elem_set_u64(s.l->field, index, firsts[i] + j);
                gfp_elem_mul(s.l->field, x + j * s.l->k, x + j * s.l->k, index);
            }
            uint64_t *got = down(&s, dx, n);
            same(&s, got, x, n, "product by indices", i, 0);
            lab_free(x);
            lab_free(got);
            gfp_gpu_array_destroy(dx);
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* ---- products of rows ---- */

/* A plan's shape and the product that it computes. */
typedef struct rows_case {
    gfp_gpu_method method;
    size_t rows, len_a, len_b, first, n;
} rows_case;

/* The same coefficients on the CPU, for row i of packed factors. */
static void expect_row(const site *s, const rows_case *c, const uint64_t *a, const uint64_t *b,
                       uint64_t *z)
{
    const unsigned k = s->l->k;
    const size_t all = c->len_a + c->len_b - 1;
    const gfp_batch one = {.count = 1, .len_a = c->len_a, .len_b = c->len_b};
    const gfp_options options = {.method = "classical"};
    uint64_t *whole = lab_array(all * k);
    assert_int_equal(gfp_vec_mul_batch(s->l->field, whole, a, b, &one, &options), GFP_OK);
    for (size_t i = 0; i < c->n; i++) {
        if (c->first + i < all) {
            gfp_elem_copy(s->l->field, z + i * k, whole + (c->first + i) * k);
        } else {
            gfp_elem_zero(s->l->field, z + i * k);
        }
    }
    lab_free(whole);
}

/* Factors alternate in one array, products lie apart from one another; also by an operand. */
static void check_rows(site *s, const rows_case *c)
{
    const unsigned k = s->l->k;
    const size_t step = c->len_a + c->len_b + below(s, 3), gap = c->n + below(s, 4);
    const size_t from = below(s, 3), room = from + c->rows * gap;
    const gfp_gpu_product_options options = {
        .method = c->method, .batch = c->rows, .first = c->first, .n = c->n};
    uint64_t *x = draw(s, c->rows * step, false), *z = draw(s, room, false);
    gfp_gpu_array *dx = up(s, x, c->rows * step), *dz = up(s, z, room);
    const gfp_gpu_rows a = {dx, 0, step}, b = {dx, c->len_a, step}, to = {dz, from, gap};
    gfp_gpu_product_plan *plan = NULL;
    gfp_gpu_operand *operand = NULL;
    gfp_error error = {.message = ""};
    if (gfp_gpu_product_plan_create(&plan, s->gpu, s->l->field, c->len_a, c->len_b, &options,
                                    &error) != GFP_OK) {
        fail_msg("%s: %s", s->l->entry->text, error.message);
    }
    for (size_t i = 0; i < c->rows; i++) {
        expect_row(s, c, x + i * step * k, x + (i * step + c->len_a) * k, z + (from + i * gap) * k);
    }
    ok(s, gfp_gpu_product_rows(plan, &to, &a, c->len_a, &b, c->len_b, c->first, c->n), "rows");
    uint64_t *got = down(s, dz, room);
    same(s, got, z, room, "product of rows", c->len_a, c->len_b);
    ok(s, gfp_gpu_vec_sum_rows(s->l->field, &to, NULL, 0, 0, c->rows, c->n), "zeros");
    const gfp_status kept = gfp_gpu_operand_create_rows(&operand, plan, &b, c->len_b);
    if (kept == GFP_ERR_UNAVAILABLE && gfp_gpu_product_plan_pieces(plan) > 1) {
        ok(s, gfp_gpu_product_rows(plan, &to, &a, c->len_a, &b, c->len_b, c->first, c->n), "rows");
    } else {
        ok(s, kept, "operand");
        ok(s, gfp_gpu_operand_mul_rows(plan, &to, &a, c->len_a, operand, c->first, c->n),
           "product by an operand");
    }
    lab_free(got);
    got = down(s, dz, room);
    same(s, got, z, room, "product of rows by operands", c->len_a, c->len_b);
    gfp_gpu_operand_destroy(operand);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dz);
    lab_free(x);
    lab_free(z);
    lab_free(got);
}

static void products_of_rows_agree(void **state)
{
    static const rows_case cases[] = {
        {GFP_GPU_METHOD_CLASSICAL, 1, 1, 1, 0, 1},   {GFP_GPU_METHOD_CLASSICAL, 40, 1, 1, 0, 2},
        {GFP_GPU_METHOD_CLASSICAL, 33, 2, 2, 0, 4},  {GFP_GPU_METHOD_CLASSICAL, 9, 4, 2, 2, 2},
        {GFP_GPU_METHOD_CLASSICAL, 5, 3, 2, 1, 3},   {GFP_GPU_METHOD_CLASSICAL, 3, 2, 100, 0, 101},
        {GFP_GPU_METHOD_CLASSICAL, 2, 57, 1, 50, 9}, {GFP_GPU_METHOD_AUTO, 17, 2, 1, 1, 1},
        {GFP_GPU_METHOD_AUTO, 6, 16, 8, 8, 8},       {GFP_GPU_METHOD_AUTO, 3, 40, 20, 20, 20},
        {GFP_GPU_METHOD_AUTO, 5, 20, 20, 0, 40},     {GFP_GPU_METHOD_AUTO, 1, 300, 150, 150, 150},
    };
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (s.l->k <= 32 || cases[i].len_a < 100) {
                check_rows(&s, &cases[i]);
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* Every length of both factors up to the longest that classical_gpu takes for all fields, squares,
 * and the fast kernels' longer ones. */
static void short_products_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        char why[100];
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t len = 1; len <= 32; len += len < 9 ? 1 : 11) {
            const bool serves = gfp_gpu_product_serves(gpu, GFP_GPU_METHOD_CLASSICAL, s.l->field,
                                                       len, len, why, sizeof why);
            assert_true(serves || len > 3 || over_fake_device());
            for (size_t other = 1; serves && other <= len + 3; other += 1 + other / 4) {
                const rows_case c = {GFP_GPU_METHOD_CLASSICAL, 3 + below(&s, 5), len, other, 0,
                                     len + other - 1};
                check_rows(&s, &c);
                const rows_case part = {GFP_GPU_METHOD_CLASSICAL, 3, other, len, len / 2,
                                        1 + below(&s, other)};
                check_rows(&s, &part);
            }
        }
        close_site(&s);
    }
    assert_false(gfp_gpu_product_serves(gpu, GFP_GPU_METHOD_CLASSICAL, lab_fields[0].field,
                                        over_fake_device() ? 0 : 100, 100, (char[100]){0}, 100));
    gpu_lab_close(gpu);
}

/* A square of rows is one factor twice. */
static void squares_of_rows_agree(void **state)
{
    const size_t rows = 7, n = 6, step = 9;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        const rows_case c = {GFP_GPU_METHOD_AUTO, rows, n, n, 0, 2 * n - 1};
        const gfp_gpu_product_options options = {.batch = rows};
        uint64_t *x = draw(&s, rows * step, false), *z = lab_array(rows * c.n * s.l->k);
        gfp_gpu_array *dx = up(&s, x, rows * step);
        gfp_gpu_array *dz = gpu_lab_array(gpu, rows * c.n * s.l->k);
        const gfp_gpu_rows a = {dx, 1, step}, to = {dz, 0, c.n};
        gfp_gpu_product_plan *plan = NULL;
        ok(&s, gfp_gpu_product_plan_create(&plan, gpu, s.l->field, n, n, &options, NULL), "plan");
        ok(&s, gfp_gpu_product_rows(plan, &to, &a, n, &a, n, 0, c.n), "squares");
        for (size_t i = 0; i < rows; i++) {
            const uint64_t *row = x + (i * step + 1) * s.l->k;
            expect_row(&s, &c, row, row, z + i * c.n * s.l->k);
        }
        uint64_t *got = down(&s, dz, rows * c.n);
        same(&s, got, z, rows * c.n, "squares of rows", n, step);
        gfp_gpu_product_plan_destroy(plan);
        gfp_gpu_array_destroy(dx);
        gfp_gpu_array_destroy(dz);
        lab_free(x);
        lab_free(z);
        lab_free(got);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void wrong_rows_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    site s;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    const gfp_field *field = s.l->field;
    gfp_gpu_array *x = gpu_lab_array(gpu, 100 * s.l->k), *y = gpu_lab_array(gpu, 100 * s.l->k);
    gfp_gpu_array *foreign = gpu_lab_array(other, 100 * s.l->k);
    const gfp_gpu_rows z = {x, 0, 10}, in = {y, 0, 10}, shifted = {x, 2, 10}, beside = {x, 5, 10};
    const gfp_gpu_rows late = {y, 51, 10}, far = {y, 101, 10}, huge = {y, 0, SIZE_MAX / 3};
    const gfp_gpu_rows abroad = {foreign, 0, 10};
    ok(&s, gfp_gpu_clear(x, 100 * s.l->k), "clear");
    ok(&s, gfp_gpu_clear(y, 100 * s.l->k), "clear");
    ok(&s, gfp_gpu_vec_sum_rows(field, &z, &beside, 1, 0, 10, 5), "alternating rows");
    ok(&s, gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 0, 5), "no rows");
    ok(&s, gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 10, 0), "no columns");
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &beside, 1, 0, 10, 6), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &shifted, 1, 0, 10, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 11, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &in, 5, 0, 10, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 9, 11), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &late, 1, 0, 10, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &far, 1, 0, 1, 0), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &huge, 1, 0, 10, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &huge, &z, 1, 0, 10, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sum_rows(field, &z, &abroad, 1, 0, 10, 5), GFP_ERR_ARGUMENT);
    gfp_gpu_product_plan *plan = NULL;
    const gfp_gpu_product_options options = {.batch = 5};
    ok(&s, gfp_gpu_product_plan_create(&plan, gpu, field, 3, 3, &options, NULL), "plan");
    const gfp_gpu_rows a = {y, 0, 6}, b = {y, 3, 6}, c = {x, 0, 10}, in_y = {y, 30, 10};
    ok(&s, gfp_gpu_product_rows(plan, &c, &a, 3, &b, 3, 0, 5), "rows");
    ok(&s, gfp_gpu_product_rows(plan, &in_y, &a, 3, &b, 3, 0, 5), "behind one another");
    const gfp_gpu_rows close = {x, 0, 4}, over = {y, 25, 10}, end = {x, 56, 10};
    assert_int_equal(gfp_gpu_product_rows(plan, &close, &a, 3, &b, 3, 0, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &over, &a, 3, &b, 3, 0, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &end, &a, 3, &b, 3, 0, 5), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_product_rows(plan, &c, &abroad, 3, &b, 3, 0, 5), GFP_ERR_ARGUMENT);
    gfp_gpu_product_plan_destroy(plan);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(y);
    gfp_gpu_array_destroy(foreign);
    close_site(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* ---- inverses of elements ---- */

static void check_inverses(site *s, size_t n)
{
    uint64_t *x = draw(s, n, true), *z = lab_array(n * s->l->k);
    gfp_gpu_array *dx = up(s, x, n), *dz = gpu_lab_array(s->gpu, n * s->l->k + 2);
    gfp_error error = {.message = ""};
    assert_int_equal(gfp_vec_inv(s->l->field, z, x, n, NULL), GFP_OK);
    ok(s, gfp_gpu_vec_inv(s->ring, dz, dx, n, &error), "inverses");
    uint64_t *got = down(s, dz, n);
    same(s, got, z, n, "inverse", n, 0);
    lab_free(got);
    ok(s, gfp_gpu_vec_inv(s->ring, dz, dz, n, NULL), "inverses in place");
    got = down(s, dz, n);
    same(s, got, x, n, "inverse of inverse", n, 0);
    lab_free(got);
    gfp_gpu_array *window = NULL;
    ok(s, gfp_gpu_array_part(&window, dz, 0, n * s->l->k), "window");
    ok(s, gfp_gpu_vec_inv(s->ring, window, dz, n, NULL), "inverses in place by a window");
    gfp_gpu_array_destroy(window);
    got = down(s, dz, n);
    same(s, got, z, n, "inverse in place by a window", n, 0);
    lab_free(got);
    const size_t zero = below(s, n);
    gfp_elem_zero(s->l->field, x + zero * s->l->k);
    ok(s, gfp_gpu_upload(dx, 0, x, n * s->l->k), "upload");
    ok(s, gfp_gpu_clear(dz, n * s->l->k), "clear");
    assert_int_equal(gfp_gpu_vec_inv(s->ring, dz, dx, n, &error), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(error.index, zero);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dz);
    lab_free(x);
    lab_free(z);
}

static void inverses_agree(void **state)
{
    static const size_t counts[] = {1, 2, 127, 128, 129, 255, 256, 257, 1000, 1023};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            check_inverses(&s, counts[i]);
        }
        ok(&s, gfp_gpu_vec_inv(s.ring, NULL, NULL, 0, NULL), "none");
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* ---- power series ---- */

typedef struct series_case {
    size_t rows, n, len_a, len_b;
} series_case;

/* Rows of the divisor with constant terms that are not 0. */
static void check_series(site *s, const series_case *c)
{
    const unsigned k = s->l->k;
    const size_t step_a = c->len_a + below(s, 3), step_b = c->len_b + below(s, 3);
    const size_t step_q = c->n + below(s, 3), from = below(s, 3);
    const size_t all = from + c->rows * step_q;
    uint64_t *a = draw(s, c->rows * step_a + 1, false), *b = draw(s, c->rows * step_b + 1, true);
    uint64_t *q = draw(s, all, false);
    gfp_gpu_array *da = up(s, a, c->rows * step_a + 1), *db = up(s, b, c->rows * step_b + 1);
    gfp_gpu_array *dq = up(s, q, all);
    const gfp_gpu_rows x = {da, 0, step_a}, y = {db, 0, step_b}, to = {dq, from, step_q};
    gfp_error error = {.message = ""};
    for (int kind = 0; kind < 2; kind++) {
        const gfp_status status =
            kind == 0 ? gfp_gpu_vec_inv_series(s->ring, &to, c->n, &y, c->len_b, c->rows, &error)
                      : gfp_gpu_vec_div_series(s->ring, &to, c->n, &x, c->len_a, &y, c->len_b,
                                               c->rows, &error);
        ok(s, status, "series");
        for (size_t i = 0; i < c->rows; i++) {
            uint64_t *z = q + (from + i * step_q) * k;
            const uint64_t *v = b + i * step_b * k;
            assert_int_equal(kind == 0
                                 ? gfp_vec_inv_series(s->l->field, z, c->n, v, c->len_b, NULL)
                                 : gfp_vec_div_series(s->l->field, z, c->n, a + i * step_a * k,
                                                      c->len_a, v, c->len_b, NULL),
                             GFP_OK);
        }
        uint64_t *got = down(s, dq, all);
        same(s, got, q, all, kind == 0 ? "inverses of series" : "quotients of series", c->rows,
             c->n);
        lab_free(got);
    }
    const size_t zero = below(s, c->rows);
    ok(s, gfp_gpu_clear_range(db, zero * step_b * k, k), "clear");
    assert_int_equal(gfp_gpu_vec_inv_series(s->ring, &to, c->n, &y, c->len_b, c->rows, &error),
                     GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(error.index, c->rows == 1 ? error.index : zero);
    uint64_t *got = down(s, dq, all);
    same(s, got, q, all, "after an error", c->rows, c->n);
    lab_free(got);
    lab_free(a);
    lab_free(b);
    lab_free(q);
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dq);
}

static void series_agree(void **state)
{
    static const series_case cases[] = {
        {1, 1, 1, 1},      {1, 300, 300, 300}, {1, 700, 40, 3},  {1, 513, 600, 900},
        {3, 90, 90, 90},   {5, 64, 20, 64},    {20, 33, 33, 10}, {300, 1, 1, 1},
        {300, 2, 2, 2},    {270, 16, 16, 16},  {400, 21, 30, 5}, {260, 40, 1, 1},
        {257, 12, 12, 40},
    };
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (s.l->k <= 8 || (i % 4 == 0 && s.l->k <= 64)) {
                check_series(&s, &cases[i]);
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* ---- polynomials ---- */

static gfp_gpu_poly *make(const site *s)
{
    gfp_gpu_poly *a = NULL;
    assert_int_equal(gfp_gpu_poly_create(&a, s->ring), GFP_OK);
    return a;
}

/* len coefficients, the last one not 0. */
static void fill(site *s, gfp_poly *x, size_t len)
{
    uint64_t *digits = draw(s, len + 1, false);
    assert_int_equal(gfp_poly_fit_length(x, len), GFP_OK);
    memcpy(x->digits, digits, len * s->l->k * sizeof *digits);
    if (len > 0) {
        gfp_elem_set_u64(s->l->field, x->digits + (len - 1) * s->l->k, 3);
        if (gfp_elem_is_zero(s->l->field, x->digits + (len - 1) * s->l->k)) {
            gfp_elem_one(s->l->field, x->digits + (len - 1) * s->l->k);
        }
    }
    assert_int_equal(gfp_poly_set_length(x, len), GFP_OK);
    lab_free(digits);
}

static void expect_poly(const site *s, const gfp_gpu_poly *dx, const gfp_poly *x, const char *what)
{
    gfp_poly got;
    gfp_poly_init(&got, s->l->field);
    ok(s, gfp_gpu_poly_download(&got, dx), what);
    if (!gfp_poly_equal(&got, x)) {
        fail_msg("%s: %s, lengths %zu and %zu", s->l->entry->text, what, got.len, x->len);
    }
    gfp_poly_clear(&got);
}

/* Adds 1 to coefficient i. */
static void spoil(const site *s, gfp_gpu_poly *x, size_t i)
{
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K];
    ok(s, gfp_gpu_poly_get_coeff(x, e, i), "coefficient");
    gfp_elem_one(s->l->field, one);
    gfp_elem_add(s->l->field, e, e, one);
    ok(s, gfp_gpu_upload(gfp_gpu_poly_array(x), i * s->l->k, e, s->l->k), "coefficient");
}

/* Writes the element of coefficient i with a lowest digit of r or more; false if it has no such
 * digits of 64 bits. */
static bool widen(const site *s, gfp_gpu_poly *x, size_t i)
{
    const uint64_t r = s->l->entry->r;
    uint64_t e[GFP_MAX_K];
    ok(s, gfp_gpu_poly_get_coeff(x, e, i), "coefficient");
    if (e[1] == 0 || e[0] > UINT64_MAX - r) {
        return false;
    }
    e[0] += r;
    e[1]--;
    ok(s, gfp_gpu_upload(gfp_gpu_poly_array(x), i * s->l->k, e, s->l->k), "coefficient");
    return true;
}

typedef struct division_site {
    gfp_poly a, b, q, r;
    gfp_gpu_poly *da, *db, *dq, *dr;
} division_site;

static void check_verification(site *s, division_site *d)
{
    gfp_report report = {.points = 77};
    const gfp_status status = gfp_gpu_poly_verify_divrem(d->dq, d->dr, d->da, d->db, 5, &report);
    if (status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 16) {
        return; /* tiny fields */
    }
    ok(s, status, "check");
    assert_true(report.verified == GFP_VERIFY_POINT &&
                (report.log2_error <= -40 || report.points == 0));
    gfp_gpu_poly *const spoiled[] = {d->dq, d->dr, d->da};
    for (size_t i = 0; i < 3; i++) {
        const size_t len = gfp_gpu_poly_bound(spoiled[i]);
        if (len > 0) {
            spoil(s, spoiled[i], below(s, len));
            assert_int_equal(gfp_gpu_poly_verify_divrem(d->dq, d->dr, d->da, d->db, 6, NULL),
                             GFP_ERR_VERIFY);
            const gfp_poly *right[] = {&d->q, &d->r, &d->a};
            ok(s, gfp_gpu_poly_upload(spoiled[i], right[i]), "upload");
            if (i < 2 && report.points > 0 && widen(s, spoiled[i], below(s, len))) {
                assert_int_equal(gfp_gpu_poly_verify_divrem(d->dq, d->dr, d->da, d->db, 6, NULL),
                                 GFP_ERR_VERIFY);
                ok(s, gfp_gpu_poly_upload(spoiled[i], right[i]), "upload");
            }
        }
    }
}

static void check_division(site *s, division_site *d, size_t len_a, size_t len_b)
{
    gfp_error error = {.message = ""};
    fill(s, &d->a, len_a);
    fill(s, &d->b, len_b);
    ok(s, gfp_gpu_poly_upload(d->da, &d->a), "upload");
    ok(s, gfp_gpu_poly_upload(d->db, &d->b), "upload");
    assert_int_equal(gfp_poly_divrem(&d->q, &d->r, &d->a, &d->b, NULL), GFP_OK);
    ok(s, gfp_gpu_poly_divrem(d->dq, d->dr, d->da, d->db, &error), "division");
    expect_poly(s, d->dq, &d->q, "quotient");
    expect_poly(s, d->dr, &d->r, "remainder");
    check_verification(s, d);
    /* In place, in both ways. */
    ok(s, gfp_gpu_poly_divrem(d->da, d->db, d->da, d->db, NULL), "division in place");
    expect_poly(s, d->da, &d->q, "quotient in the dividend's place");
    expect_poly(s, d->db, &d->r, "remainder in the divisor's place");
    ok(s, gfp_gpu_poly_upload(d->da, &d->a), "upload");
    ok(s, gfp_gpu_poly_upload(d->db, &d->b), "upload");
    ok(s, gfp_gpu_poly_divrem(d->db, d->da, d->da, d->db, NULL), "division in place");
    expect_poly(s, d->db, &d->q, "quotient in the divisor's place");
    expect_poly(s, d->da, &d->r, "remainder in the dividend's place");
}

static void open_division(site *s, division_site *d)
{
    gfp_poly *const p[] = {&d->a, &d->b, &d->q, &d->r};
    gfp_gpu_poly **const dp[] = {&d->da, &d->db, &d->dq, &d->dr};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(p[i], s->l->field);
        *dp[i] = make(s);
    }
}

static void close_division(division_site *d)
{
    gfp_poly *const p[] = {&d->a, &d->b, &d->q, &d->r};
    gfp_gpu_poly *const dp[] = {d->da, d->db, d->dq, d->dr};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(p[i]);
        gfp_gpu_poly_destroy(dp[i]);
    }
}

static void divisions_agree(void **state)
{
    static const size_t lengths[][2] = {{1, 1},      {5, 1},     {3, 7},    {0, 4},     {128, 64},
                                        {193, 65},   {130, 65},  {700, 20}, {700, 690}, {600, 300},
                                        {1024, 512}, {257, 129}, {700, 100}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        division_site d;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        open_division(&s, &d);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (s.l->k <= 8 || (i % 3 == 1 && (s.l->k <= 32 || lengths[i][0] < 200))) {
                check_division(&s, &d, lengths[i][0], lengths[i][1]);
            }
        }
        close_division(&d);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* A bound of the divisor's length that is not its length; a divisor 0; quotients of series. */
static void division_of_bounds(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    division_site d;
    gfp_error error = {.message = ""};
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_division(&s, &d);
    fill(&s, &d.a, 90);
    fill(&s, &d.b, 30);
    ok(&s, gfp_gpu_poly_upload(d.da, &d.a), "upload");
    ok(&s, gfp_gpu_poly_upload(d.db, &d.b), "upload");
    ok(&s, gfp_gpu_poly_reverse(d.db, d.db, 40), "reverse");
    ok(&s, gfp_gpu_poly_reverse(d.db, d.db, 60), "reverse");
    ok(&s, gfp_gpu_poly_shift_right(d.db, d.db, 20), "shift");
    assert_int_equal(gfp_gpu_poly_bound(d.db), 40);
    assert_int_equal(gfp_poly_divrem(&d.q, &d.r, &d.a, &d.b, NULL), GFP_OK);
    ok(&s, gfp_gpu_poly_divrem(d.dq, d.dr, d.da, d.db, &error), "division");
    expect_poly(&s, d.dq, &d.q, "quotient");
    expect_poly(&s, d.dr, &d.r, "remainder");
    assert_int_equal(gfp_gpu_poly_divrem(d.dq, d.dq, d.da, d.db, &error), GFP_ERR_ARGUMENT);
    gfp_gpu_poly_zero(d.db);
    assert_int_equal(gfp_gpu_poly_divrem(d.dq, d.dr, d.da, d.db, &error), GFP_ERR_NOT_INVERTIBLE);
    expect_poly(&s, d.dq, &d.q, "after a division by 0");
    expect_poly(&s, d.dr, &d.r, "after a division by 0");
    assert_int_equal(gfp_gpu_poly_div_series(d.dq, d.da, d.db, 5, &error), GFP_ERR_NOT_INVERTIBLE);
    gfp_elem_one(s.l->field, d.b.digits);
    ok(&s, gfp_gpu_poly_upload(d.db, &d.b), "upload");
    for (size_t n = 0; n < 700; n = 3 * n + 1) {
        assert_int_equal(gfp_poly_div_series(&d.q, &d.a, &d.b, n, NULL), GFP_OK);
        ok(&s, gfp_gpu_poly_div_series(d.dq, d.da, d.db, n, &error), "quotient of series");
        expect_poly(&s, d.dq, &d.q, "quotient of series");
    }
    gfp_gpu_poly_zero(d.da);
    ok(&s, gfp_gpu_poly_div_series(d.da, d.da, d.db, 5, &error), "0 / b");
    assert_int_equal(gfp_gpu_poly_bound(d.da), 0);
    close_division(&d);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* ---- trees ---- */

/* Distinct elements. */
static uint64_t *draw_points(site *s, size_t n)
{
    const unsigned k = s->l->k;
    uint64_t *x = draw(s, n, false), shift[GFP_MAX_K];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (gfp_elem_equal(s->l->field, x + i * k, x + j * k)) {
                gfp_elem_set_u64(s->l->field, shift, 1 + below(s, 1000));
                gfp_elem_add(s->l->field, x + i * k, x + i * k, shift);
                j = SIZE_MAX; /* once more */
            }
        }
    }
    return x;
}

static void evaluate_by_definition(const site *s, uint64_t *y, const gfp_poly *f, const uint64_t *x,
                                   size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gfp_poly_eval(f, y + i * s->l->k, x + i * s->l->k);
    }
}

typedef struct tree_site {
    size_t n;
    uint64_t *x, *y;
    gfp_gpu_array *dx, *dy;
    gfp_gpu_tree *tree;
    gfp_poly f;
    gfp_gpu_poly *df;
} tree_site;

static void open_tree(site *s, tree_site *t, size_t n, bool distinct)
{
    gfp_error error = {.message = ""};
    *t = (tree_site){.n = n};
    t->x = distinct ? draw_points(s, n) : draw(s, n, false);
    t->y = lab_array(n * s->l->k);
    t->dx = up(s, t->x, n);
    t->dy = gpu_lab_array(s->gpu, n * s->l->k);
    gfp_poly_init(&t->f, s->l->field);
    t->df = make(s);
    const gfp_status status = gfp_gpu_tree_create(&t->tree, s->ring, t->dx, n, &error);
    if (status != GFP_OK) {
        fail_msg("%s: %zu points: %s", s->l->entry->text, n, error.message);
    }
}

static void close_tree(tree_site *t)
{
    gfp_gpu_tree_destroy(t->tree);
    gfp_gpu_poly_destroy(t->df);
    gfp_poly_clear(&t->f);
    gfp_gpu_array_destroy(t->dx);
    gfp_gpu_array_destroy(t->dy);
    lab_free(t->x);
    lab_free(t->y);
}

static void check_product(site *s, tree_site *t)
{
    gfp_poly factor;
    gfp_poly_init(&factor, s->l->field);
    uint64_t e[GFP_MAX_K];
    gfp_elem_one(s->l->field, e);
    assert_int_equal(gfp_poly_set_coeff(&t->f, 0, e), GFP_OK);
    assert_int_equal(gfp_poly_set_length(&t->f, 1), GFP_OK);
    for (size_t i = 0; i < t->n; i++) {
        gfp_elem_one(s->l->field, e);
        assert_int_equal(gfp_poly_set_coeff(&factor, 1, e), GFP_OK);
        gfp_elem_neg(s->l->field, e, t->x + i * s->l->k);
        assert_int_equal(gfp_poly_set_coeff(&factor, 0, e), GFP_OK);
        assert_int_equal(gfp_poly_mul(&t->f, &t->f, &factor, NULL), GFP_OK);
    }
    ok(s, gfp_gpu_tree_product(t->df, t->tree), "product from roots");
    expect_poly(s, t->df, &t->f, "product of a tree");
    gfp_gpu_poly_zero(t->df);
    ok(s, gfp_gpu_poly_from_roots(t->df, t->dx, t->n, NULL), "product from roots");
    expect_poly(s, t->df, &t->f, "product from roots");
    assert_int_equal(gfp_gpu_tree_count(t->tree), t->n);
    gfp_poly_clear(&factor);
}

static void check_evaluation(site *s, tree_site *t, size_t len)
{
    gfp_error error = {.message = ""};
    fill(s, &t->f, len);
    ok(s, gfp_gpu_poly_upload(t->df, &t->f), "upload");
    ok(s, gfp_gpu_tree_eval(t->dy, t->tree, t->df, &error), "evaluation");
    evaluate_by_definition(s, t->y, &t->f, t->x, t->n);
    uint64_t *got = down(s, t->dy, t->n);
    same(s, got, t->y, t->n, "values", t->n, len);
    lab_free(got);
}

/* dy has the values of f, of at most n terms. */
static void check_interpolation(site *s, tree_site *t)
{
    gfp_error error = {.message = ""};
    gfp_report report = {.points = 77};
    const gfp_status status = gfp_gpu_tree_verify(t->tree, t->df, t->dy, 7, &report);
    const bool tiny = status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 24;
    if (!tiny) {
        ok(s, status, "check");
        assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    }
    ok(s, gfp_gpu_tree_interpolate(t->df, t->tree, t->dy, &error), "interpolation");
    expect_poly(s, t->df, &t->f, "interpolation");
    if (!tiny) {
        spoil(s, t->df, below(s, gfp_gpu_poly_bound(t->df)));
        assert_int_equal(gfp_gpu_tree_verify(t->tree, t->df, t->dy, 8, NULL), GFP_ERR_VERIFY);
        ok(s, gfp_gpu_poly_upload(t->df, &t->f), "upload");
        const size_t i = below(s, t->n);
        gfp_elem_set_u64(s->l->field, t->y, 1);
        gfp_elem_add(s->l->field, t->y + i * s->l->k, t->y + i * s->l->k, t->y);
        ok(s, gfp_gpu_upload(t->dy, i * s->l->k, i == 0 ? t->x : t->y + i * s->l->k, s->l->k),
           "value");
        if (i != 0) {
            assert_int_equal(gfp_gpu_tree_verify(t->tree, t->df, t->dy, 9, NULL), GFP_ERR_VERIFY);
        }
    }
}

static void trees_agree(void **state)
{
    static const size_t counts[] = {1, 2, 3, 4, 7, 16, 17, 33, 100, 128, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, l);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const size_t n = counts[i];
            tree_site t;
            if (l->k > 16 && (i % 3 != 0 || n > 33)) {
                continue;
            }
            /* Tiny fields have few elements. */
            const bool distinct = mpz_cmp_ui(l->o.p, 40 * n) > 0;
            open_tree(&s, &t, n, distinct);
            check_product(&s, &t);
            check_evaluation(&s, &t, 0);
            check_evaluation(&s, &t, 1);
            check_evaluation(&s, &t, 3 * n + 2);
            check_evaluation(&s, &t, n / 2 + 1);
            check_evaluation(&s, &t, n);
            if (distinct) {
                check_interpolation(&s, &t);
            }
            assert_true(gfp_gpu_tree_bytes(t.tree) >= n * l->k * sizeof(uint64_t));
            close_tree(&t);
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void long_trees_agree(void **state)
{
    static const size_t counts[] = {1024, 1500, 4096};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        site s;
        tree_site t;
        open_site(&s, gpu, lab_named("p2"));
        open_tree(&s, &t, counts[i], true);
        check_evaluation(&s, &t, counts[i]);
        check_interpolation(&s, &t);
        close_tree(&t);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void equal_points_are_named(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    tree_site t;
    gfp_error error = {.message = ""};
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_tree(&s, &t, 50, true);
    ok(&s, gfp_gpu_copy_range(t.dx, 41 * s.l->k, t.dx, 12 * s.l->k, s.l->k), "copy");
    gfp_gpu_tree_destroy(t.tree);
    ok(&s, gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 50, &error), "tree");
    memcpy(t.x + 41 * s.l->k, t.x + 12 * s.l->k, s.l->k * sizeof *t.x);
    check_evaluation(&s, &t, 50); /* is legal */
    assert_int_equal(gfp_gpu_tree_interpolate(t.df, t.tree, t.dy, &error), GFP_ERR_NOT_INVERTIBLE);
    assert_true(error.index == 12 || error.index == 41);
    assert_non_null(strstr(error.message, "12"));
    assert_non_null(strstr(error.message, "41"));
    expect_poly(&s, t.df, &t.f, "after an error");
    assert_int_equal(gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 0, &error), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 51, &error), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_tree_verify(t.tree, t.df, t.dy, 1, NULL), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(gfp_gpu_poly_from_roots(t.df, t.dx, 51, &error), GFP_ERR_ARGUMENT);
    expect_poly(&s, t.df, &t.f, "after an error");
    ok(&s, gfp_gpu_poly_from_roots(t.df, t.dx, 0, &error), "no roots");
    assert_int_equal(gfp_poly_one(&t.f), GFP_OK);
    expect_poly(&s, t.df, &t.f, "no roots");
    close_tree(&t);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* ---- gcds and resultants ---- */

/* Pairs of rows that alternate in one array, with their results. */
typedef struct pairs_site {
    size_t len_a, len_b, room, rows, stride;
    uint64_t *x, *g, *r, *lengths, *got_lengths;
    gfp_gpu_array *dx, *dg, *dr;
    gfp_gpu_pairs pairs;
    gfp_gpu_rows gcds, resultants;
} pairs_site;

static void open_pairs(site *s, pairs_site *w, size_t len_a, size_t len_b, size_t rows)
{
    const size_t k = s->l->k, step = len_a + len_b + below(s, 3);
    const size_t room = len_a > len_b ? len_a : len_b, stride = room + below(s, 3);
    *w = (pairs_site){.len_a = len_a, .len_b = len_b, .room = room, .rows = rows, .stride = stride};
    w->x = draw(s, rows * step + 1, false);
    w->g = draw(s, rows * stride + 1, false);
    w->r = lab_array((2 * rows + 1) * k);
    w->lengths = lab_array(rows + 1);
    w->got_lengths = lab_array(rows + 1);
    w->dg = up(s, w->g, rows * stride + 1);
    for (size_t i = 0; i < rows; i++) {
        uint64_t *a = w->x + i * step * k;
        pairs_fill(s->l, a, len_a, a + len_a * k, len_b, (unsigned)(i % PAIRS_KINDS), &s->seed);
        w->lengths[i] = pairs_expect(s->l, w->g + i * stride * k, w->r + 2 * i * k, a, len_a,
                                     a + len_a * k, len_b);
    }
    w->dx = up(s, w->x, rows * step + 1);
    w->dr = up(s, w->r, 2 * rows + 1);
    w->pairs = (gfp_gpu_pairs){{w->dx, 0, step}, {w->dx, len_a, step}, len_a, len_b, rows};
    w->gcds = (gfp_gpu_rows){w->dg, 0, stride};
    w->resultants = (gfp_gpu_rows){w->dr, 0, 2};
}

static void close_pairs(pairs_site *w)
{
    lab_free(w->x);
    lab_free(w->g);
    lab_free(w->r);
    lab_free(w->lengths);
    lab_free(w->got_lengths);
    gfp_gpu_array_destroy(w->dx);
    gfp_gpu_array_destroy(w->dg);
    gfp_gpu_array_destroy(w->dr);
}

/* Changes digit 0 of element i of an array, and back. */
static void expect_found(site *s, pairs_site *w, gfp_gpu_array *x, size_t i, bool resultants)
{
    const size_t k = s->l->k;
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K], changed[GFP_MAX_K];
    ok(s, gfp_gpu_download(e, x, i * k, k), "download");
    gfp_elem_one(s->l->field, one);
    for (unsigned way = 0; way < 2; way++) { /* another element; digits that are not canonical */
        gfp_elem_add(s->l->field, changed, e, one);
        if (way == 1) {
            if (e[1] == 0 || e[0] > UINT64_MAX - s->l->entry->r) {
                break;
            }
            gfp_elem_copy(s->l->field, changed, e);
            changed[0] += s->l->entry->r;
            changed[1]--;
        }
        ok(s, gfp_gpu_upload(x, i * k, changed, k), "upload");
        assert_int_equal(
            resultants ? gfp_gpu_vec_verify_resultant(s->ring, &w->resultants, &w->pairs, 7, NULL)
                       : gfp_gpu_vec_verify_gcd(s->ring, &w->gcds, &w->pairs, 7, NULL),
            GFP_ERR_VERIFY);
    }
    ok(s, gfp_gpu_upload(x, i * k, e, k), "upload");
}

/* Both results are verified; wrong ones are found. */
static void check_pair_checks(site *s, pairs_site *w)
{
    gfp_report report = {.points = 77};
    const gfp_status status = gfp_gpu_vec_verify_gcd(s->ring, &w->gcds, &w->pairs, 5, &report);
    if (status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 16) {
        return; /* tiny fields */
    }
    ok(s, status, "check of gcds");
    assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    /* The bound is that of all pairs; r^k is below p and above p / 2. */
    const double log2_p = (double)mpz_sizeinbase(s->l->o.p, 2),
                 all = (double)w->pairs.len_a + (double)w->pairs.len_b;
    assert_true(report.log2_error >= report.points * (log2(all) - log2_p) + log2((double)w->rows));
    ok(s, gfp_gpu_vec_verify_resultant(s->ring, &w->resultants, &w->pairs, 5, &report), "check");
    const size_t i = below(s, w->rows);
    expect_found(s, w, w->dr, 2 * i, true);
    expect_found(s, w, w->dg, i * w->stride + below(s, w->room), false);
    if (w->lengths[i] > 0) {
        expect_found(s, w, w->dg, i * w->stride + w->lengths[i] - 1, false);
    }
}

static void check_pairs(site *s, size_t len_a, size_t len_b, size_t rows)
{
    pairs_site w;
    gfp_error error = {.message = ""};
    open_pairs(s, &w, len_a, len_b, rows);
    const gfp_status status = gfp_gpu_vec_gcd(s->ring, &w.gcds, w.got_lengths, &w.pairs, &error);
    if (status != GFP_OK) {
        fail_msg("%s: gcds: %s", s->l->entry->text, error.message);
    }
    uint64_t *got = down(s, w.dg, rows * w.stride + 1);
    same(s, got, w.g, rows * w.stride + 1, "gcds", len_a, len_b);
    assert_memory_equal(w.got_lengths, w.lengths, rows * sizeof *w.lengths);
    lab_free(got);
    /* Resultants overwrite what is there, elements in between stay. */
    uint64_t *noise = draw(s, 2 * rows + 1, false);
    ok(s, gfp_gpu_upload(w.dr, 0, noise, (2 * rows + 1) * s->l->k), "noise");
    ok(s, gfp_gpu_vec_resultant(s->ring, &w.resultants, &w.pairs, &error), "resultants");
    got = down(s, w.dr, 2 * rows + 1);
    for (size_t i = 0; i < rows; i++) {
        const size_t k = s->l->k;
        same(s, got + 2 * i * k, w.r + 2 * i * k, 1, "resultant", len_a, len_b);
        same(s, got + (2 * i + 1) * k, noise + (2 * i + 1) * k, 1, "between", len_a, len_b);
    }
    lab_free(noise);
    lab_free(got);
    check_pair_checks(s, &w);
    /* In the place of an operand. */
    if (len_a >= len_b && w.pairs.a.stride >= w.room) {
        ok(s, gfp_gpu_vec_gcd(s->ring, &w.pairs.a, NULL, &w.pairs, NULL), "gcds in place");
        const gfp_gpu_rows both[] = {w.pairs.a, w.gcds};
        ok(s, gfp_gpu_vec_sum_rows(s->l->field, &w.gcds, both, 2, 1, rows, w.room), "difference");
        got = down(s, w.dg, rows * w.stride);
        for (size_t i = 0; i < rows * w.room; i++) {
            assert_true(gfp_elem_is_zero(s->l->field,
                                         got + (i / w.room * w.stride + i % w.room) * s->l->k));
        }
        lab_free(got);
    }
    close_pairs(&w);
}

static void gcds_and_resultants_agree(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {5, 5}, {2, 7}, {17, 9}, {40, 41}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        if (skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            if (s.l->k <= 8 || (s.l->k <= 32 && shapes[i][0] < 40) || shapes[i][0] == 5) {
                check_pairs(&s, shapes[i][0], shapes[i][1], PAIRS_KINDS);
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void long_gcds_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    (void)state;
    open_site(&s, gpu, lab_named("p8"));
    check_pairs(&s, 129, 129, PAIRS_KINDS);
    check_pairs(&s, 150, 257, PAIRS_KINDS);
    close_site(&s);
    gpu_lab_close(gpu);
}

static void empty_pairs_have_results(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    pairs_site w;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    const size_t k = s.l->k;
    open_pairs(&s, &w, 3, 0, 12); /* the shorter ones have no coefficients */
    ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &w.pairs, NULL), "gcds");
    assert_memory_equal(w.got_lengths, w.lengths, 12 * sizeof *w.lengths);
    ok(&s, gfp_gpu_vec_verify_gcd(s.ring, &w.gcds, &w.pairs, 1, NULL), "check");
    gfp_gpu_pairs no_array = w.pairs;
    no_array.b.array = NULL;
    ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &no_array, NULL), "no array");
    assert_memory_equal(w.got_lengths, w.lengths, 12 * sizeof *w.lengths);
    ok(&s, gfp_gpu_vec_verify_gcd(s.ring, &w.gcds, &no_array, 1, NULL), "check without an array");
    ok(&s, gfp_gpu_vec_resultant(s.ring, &w.resultants, &no_array, NULL), "no array");
    no_array = (gfp_gpu_pairs){.rows = 12};
    ok(&s, gfp_gpu_vec_gcd(s.ring, &(gfp_gpu_rows){NULL, 0, 0}, NULL, &no_array, NULL), "nothing");
    w.pairs.len_a = 0;
    uint64_t e[GFP_MAX_K];
    ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, w.got_lengths, &w.pairs, NULL), "gcds of nothing");
    assert_int_equal(w.got_lengths[5], 0);
    ok(&s, gfp_gpu_vec_verify_gcd(s.ring, &w.gcds, &w.pairs, 1, NULL), "check");
    gfp_elem_one(s.l->field, e);
    ok(&s, gfp_gpu_upload(w.dr, 8 * k, e, k), "upload");
    assert_int_equal(gfp_gpu_vec_verify_resultant(s.ring, &w.resultants, &w.pairs, 1, NULL),
                     GFP_ERR_VERIFY);
    ok(&s, gfp_gpu_vec_resultant(s.ring, &w.resultants, &w.pairs, NULL), "resultants of nothing");
    ok(&s, gfp_gpu_download(e, w.dr, 8 * k, k), "download");
    assert_true(gfp_elem_is_zero(s.l->field, e));
    ok(&s, gfp_gpu_vec_verify_resultant(s.ring, &w.resultants, &w.pairs, 1, NULL), "check");
    w.pairs = (gfp_gpu_pairs){.a = w.pairs.a, .b = w.pairs.b, .len_a = 3};
    ok(&s, gfp_gpu_vec_gcd(s.ring, &w.gcds, NULL, &w.pairs, NULL), "no rows");
    ok(&s, gfp_gpu_vec_verify_resultant(s.ring, &w.resultants, &w.pairs, 1, NULL), "no rows");
    close_pairs(&w);
    close_site(&s);
    gpu_lab_close(gpu);
}

static void wrong_pairs_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_error error = {.message = ""};
    site s;
    pairs_site w;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_pairs(&s, &w, 6, 5, 12);
    gfp_gpu_array *foreign = gpu_lab_array(other, 100 * s.l->k);
    const gfp_gpu_rows close = {w.dg, 0, 5}, far = {w.dg, 40, w.stride}, abroad = {foreign, 0, 6};
    const gfp_gpu_rows *const wrong[] = {&close, &far, &abroad};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_gpu_vec_gcd(s.ring, wrong[i], NULL, &w.pairs, &error),
                         GFP_ERR_ARGUMENT);
        if (i > 0) {
            gfp_gpu_pairs pairs = w.pairs;
            pairs.a = *wrong[i];
            assert_int_equal(gfp_gpu_vec_gcd(s.ring, &w.gcds, NULL, &pairs, &error),
                             GFP_ERR_ARGUMENT);
            assert_int_equal(gfp_gpu_vec_resultant(s.ring, &w.resultants, &pairs, &error),
                             GFP_ERR_ARGUMENT);
            assert_int_equal(gfp_gpu_vec_verify_gcd(s.ring, &w.gcds, &pairs, 1, NULL),
                             GFP_ERR_ARGUMENT);
            pairs = w.pairs;
            pairs.b = *wrong[i];
            assert_int_equal(gfp_gpu_vec_resultant(s.ring, &w.resultants, &pairs, &error),
                             GFP_ERR_ARGUMENT);
        }
    }
    /* Words that overlap an operand. */
    gfp_gpu_array *work = gpu_lab_array(gpu, gfp_gpu_euclid_elements(&w.pairs) * s.l->k);
    assert_int_equal(gfp_gpu_vec_euclid(s.l->field, work, w.dx, &w.pairs, NULL), GFP_ERR_ARGUMENT);
    gfp_gpu_array_destroy(work);
    gfp_gpu_array_destroy(foreign);
    close_pairs(&w);
    close_site(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* Sizes that overflow are refused at once, and change nothing. */
static void absurd_sizes_are_refused(void **state)
{
    static const size_t sizes[] = {(size_t)1 << 40, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    site s;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    uint64_t *x = draw(&s, 10, true);
    gfp_gpu_array *dx = up(&s, x, 10), *dz = up(&s, x, 10);
    const gfp_gpu_rows f = {dx, 0, 1}, g = {dz, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        const size_t n = sizes[i];
        const gfp_gpu_rows far = {dx, n, 1}, wide = {dz, 0, n};
        const gfp_status results[] = {
            gfp_gpu_vec_inv(s.ring, dz, dx, n, &error),
            gfp_gpu_vec_inv_series(s.ring, &g, n, &f, 10, 1, &error),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &f, n, 1, &error),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &f, 1, n, &error),
            gfp_gpu_vec_inv_series(s.ring, &wide, 2, &f, 1, n, &error),
            gfp_gpu_vec_inv_series(s.ring, &g, 1, &far, 1, 1, &error),
            gfp_gpu_vec_div_series(s.ring, &g, 1, &f, n, &f, 1, 1, &error),
            gfp_gpu_vec_div_series(s.ring, &g, n, &f, 1, &f, 1, n, &error),
            gfp_gpu_vec_gcd(s.ring, &g, NULL, &(gfp_gpu_pairs){f, f, n, 1, 1}, &error),
            gfp_gpu_vec_gcd(s.ring, &g, NULL, &(gfp_gpu_pairs){f, f, 1, n, n}, &error),
            gfp_gpu_vec_resultant(s.ring, &g, &(gfp_gpu_pairs){f, f, 1, 1, n}, &error),
            gfp_gpu_vec_resultant(s.ring, &g, &(gfp_gpu_pairs){f, far, 1, 1, 1}, &error),
            gfp_gpu_vec_sum_rows(s.l->field, &g, &f, 1, 0, n, n),
            gfp_gpu_vec_sum_rows(s.l->field, &g, &f, 1, 0, 1, n),
            gfp_gpu_vec_mul_index(s.l->field, dz, dx, 1, n),
        };
        for (size_t j = 0; j < sizeof results / sizeof *results; j++) {
            if (results[j] != GFP_ERR_SIZE && results[j] != GFP_ERR_ARGUMENT) {
                fail_msg("size %zx, call %zu: %s", n, j, gfp_status_string(results[j]));
            }
        }
        gfp_gpu_tree *tree = NULL;
        gfp_gpu_poly *m = make(&s);
        assert_int_equal(gfp_gpu_tree_create(&tree, s.ring, dx, n, &error), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_poly_from_roots(m, dx, n, &error), GFP_ERR_ARGUMENT);
        assert_null(tree);
        gfp_gpu_poly_destroy(m);
    }
    uint64_t *got = down(&s, dz, 10);
    same(&s, got, x, 10, "after calls that were refused", 0, 0);
    lab_free(got);
    lab_free(x);
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dz);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* ---- failures ---- */

/* Operands and results of a little of everything. */
typedef struct scene {
    site s;
    uint64_t *x;
    gfp_gpu_array *points, *values;
    gfp_gpu_poly *f, *g, *q, *r;
} scene;

#define SCENE_POINTS 20

static gfp_status play(scene *w)
{
    const size_t k = w->s.l->k, n = SCENE_POINTS;
    const gfp_gpu_rows x = {w->points, 0, 1}, y = {w->values, 0, 1};
    gfp_gpu_tree *tree = NULL;
    gfp_status status = gfp_gpu_upload(w->points, 0, w->x, 300 * k);
    status = status != GFP_OK ? status : gfp_gpu_tree_create(&tree, w->s.ring, w->points, n, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_from_roots(w->f, w->points, n, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_sqr(w->f, w->f);
    status = status != GFP_OK ? status : gfp_gpu_tree_product(w->g, tree);
    status = status != GFP_OK ? status : gfp_gpu_poly_divrem(w->q, w->r, w->f, w->g, NULL);
    status =
        status != GFP_OK ? status : gfp_gpu_poly_verify_divrem(w->q, w->r, w->f, w->g, 3, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_truncate(w->q, w->q, n);
    status = status != GFP_OK ? status : gfp_gpu_tree_eval(w->values, tree, w->q, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_interpolate(w->r, tree, w->values, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_verify(tree, w->r, w->values, 4, NULL);
    status = status != GFP_OK ? status : gfp_gpu_vec_inv_series(w->s.ring, &y, 1, &x, 1, 300, NULL);
    const gfp_gpu_rows a = {w->points, 0, 3}, b = {w->values, 0, 3};
    status = status != GFP_OK ? status
                              : gfp_gpu_vec_div_series(w->s.ring, &b, 3, &a, 3, &a, 3, 100, NULL);
    const gfp_gpu_pairs pairs = {{w->points, 0, 6}, {w->points, 3, 6}, 3, 3, 40};
    const gfp_gpu_rows r = {w->values, 250, 1};
    status = status != GFP_OK ? status : gfp_gpu_vec_resultant(w->s.ring, &r, &pairs, NULL);
    status =
        status != GFP_OK ? status : gfp_gpu_vec_verify_resultant(w->s.ring, &r, &pairs, 5, NULL);
    status = status != GFP_OK ? status : gfp_gpu_vec_gcd(w->s.ring, &b, NULL, &pairs, NULL);
    status = status != GFP_OK ? status : gfp_gpu_wait(w->s.gpu, NULL);
    gfp_gpu_tree_destroy(tree);
    return status;
}

static void open_scene(scene *w, gfp_gpu *gpu)
{
    open_site(&w->s, gpu, &lab_fields[0]);
    w->x = draw_points(&w->s, 300);
    for (size_t i = 0; i < 300; i++) {
        if (gfp_elem_is_zero(w->s.l->field, w->x + i * w->s.l->k)) {
            gfp_elem_set_u64(w->s.l->field, w->x + i * w->s.l->k, 12345);
        }
    }
    w->points = gpu_lab_array(gpu, 300 * w->s.l->k);
    w->values = gpu_lab_array(gpu, 300 * w->s.l->k);
    w->f = make(&w->s);
    w->g = make(&w->s);
    w->q = make(&w->s);
    w->r = make(&w->s);
}

static void close_scene(scene *w)
{
    gfp_gpu_poly_destroy(w->f);
    gfp_gpu_poly_destroy(w->g);
    gfp_gpu_poly_destroy(w->q);
    gfp_gpu_poly_destroy(w->r);
    gfp_gpu_array_destroy(w->points);
    gfp_gpu_array_destroy(w->values);
    close_site(&w->s);
    lab_free(w->x);
}

/* Every call fails in turn, on the device or for lack of memory: its status is returned, every
 * object can be used again, nothing is lost. */
static void every_call_may_fail(void **state)
{
    (void)state;
    if (!over_fake_device() && !over("planned")) {
        skip();
    }
    gfp_gpu *gpu = gpu_lab_open();
    for (int i = 0; i < 2; i++) {
        const fake_fault fault = i == 0 ? FAKE_ONCE : FAKE_MEMORY;
        bool failed = true;
        size_t calls = 0;
        for (size_t n = 1; failed; n++) {
            scene w;
            open_scene(&w, gpu);
            fake_fail(fault, n);
            const gfp_status status = play(&w);
            calls = fake_calls();
            failed = fake_failed();
            fake_fail(fault, 0);
            assert_true(failed ? n <= calls : status == GFP_OK);
            /* With fewer objects in memory a call may succeed that failed before. */
            if (status != (i == 0 ? GFP_ERR_DEVICE : GFP_ERR_MEMORY) &&
                (status != GFP_OK || (i == 0 && failed))) {
                fail_msg("call %zu: %s", n, gfp_status_string(status));
            }
            ok(&w.s, play(&w), "once more");
            close_scene(&w);
            assert_int_equal(gfp_gpu_memory_used(gpu), 0);
            assert_int_equal(fake_plans(), 0);
        }
        assert_in_range(calls, 200, 3000);
    }
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_rows_agree),
        cmocka_unit_test(indices_multiply),
        cmocka_unit_test(products_of_rows_agree),
        cmocka_unit_test(short_products_agree),
        cmocka_unit_test(squares_of_rows_agree),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(inverses_agree),
        cmocka_unit_test(series_agree),
        cmocka_unit_test(divisions_agree),
        cmocka_unit_test(division_of_bounds),
        cmocka_unit_test(trees_agree),
        cmocka_unit_test(long_trees_agree),
        cmocka_unit_test(equal_points_are_named),
        cmocka_unit_test(gcds_and_resultants_agree),
        cmocka_unit_test(long_gcds_agree),
        cmocka_unit_test(empty_pairs_have_results),
        cmocka_unit_test(wrong_pairs_are_refused),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(every_call_may_fail),
    };
    if (over_fake_device()) {
        fake_use();
        fake_reset(SIZE_MAX);
    } else if (over("planned")) {
        fake_use_planned();
        fake_reset(SIZE_MAX);
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
