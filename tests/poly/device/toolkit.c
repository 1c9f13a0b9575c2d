/* toolkit.c: rows on a device, against the CPU (toolkit_lab.h): sums, products by
 * every method, inverses of elements, series and quotients in batches. Over the backend `host' in
 * addition every call is made to fail in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "poly/device/checks.h"
#include "poly/device/toolkit_lab.h"

#include "gpu/products.h"
#include "poly/device/series.h"
#include "lab/rows.h"
#include "field/elem.h"

/* ---- rows ---- */

/* z, of `all` elements, and its sum on the CPU. */
static void check_sum(site *s, size_t rows, size_t n, size_t count, unsigned negated)
{
    const unsigned k = s->l->k;
    const gfp_field *field = s->l->field;
    const size_t stride = n + toolkit_lab_below(s, 3), from = toolkit_lab_below(s, 4),
                 all = from + rows * stride + n;
    uint64_t *x[GFP_GPU_ROWS_MAX], *z = toolkit_lab_draw(s, all, false), *got;
    gfp_gpu_array *dz = lab_upload(s, z, all), *dx[GFP_GPU_ROWS_MAX];
    gfp_gpu_rows terms[GFP_GPU_ROWS_MAX] = {{NULL, 0, 0}};
    const gfp_gpu_rows to = {dz, from, stride};
    for (size_t t = 0; t < count; t++) {
        const size_t step = toolkit_lab_below(s, 4) == 0 ? 0 : n + toolkit_lab_below(s, 5),
                     at = toolkit_lab_below(s, 3);
        const size_t length = at + rows * step + n;
        x[t] = toolkit_lab_draw(s, length, false);
        dx[t] = lab_upload(s, x[t], length);
        terms[t] = (gfp_gpu_rows){dx[t], at, step};
    }
    if (count > 1) { /* one input is z itself */
        terms[1] = to;
    }
    toolkit_lab_ok(s, gfp_gpu_vec_sum_rows(field, &to, terms, count, negated, rows, n),
                   "sum of rows");
    for (size_t i = 0; i < rows * n; i++) {
        uint64_t sum[GFP_MAX_K], *place = z + (from + i / n * stride + i % n) * k;
        gfp_elem_zero(field, sum);
        for (size_t t = 0; t < count; t++) {
            const uint64_t *e =
                t == 1 ? place : x[t] + (terms[t].from + i / n * terms[t].stride + i % n) * k;
            (negated >> t & 1 ? gfp_elem_sub : gfp_elem_add)(field, sum, sum, e);
        }
        gfp_elem_set(field, place, sum);
    }
    got = lab_download(s, dz, all);
    toolkit_lab_same(s, got, z, all, "sum of rows", rows, n);
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(shapes, i); i++) {
            for (size_t count = 0; count <= GFP_GPU_ROWS_MAX; count++) {
                check_sum(&s, shapes[i][0], shapes[i][1], count,
                          (unsigned)toolkit_lab_below(&s, 16));
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
            uint64_t *x = toolkit_lab_draw(&s, n, false);
            gfp_gpu_array *dx = lab_upload(&s, x, n);
            toolkit_lab_ok(&s, gfp_gpu_vec_mul_index(s.l->field, dx, dx, firsts[i], n), "indices");
            for (size_t j = 0; j < n; j++) {
                gfp_elem_set_u64(s.l->field, index, firsts[i] + j);
                gfp_elem_mul(s.l->field, x + j * s.l->k, x + j * s.l->k, index);
            }
            uint64_t *got = lab_download(&s, dx, n);
            toolkit_lab_same(&s, got, x, n, "product by indices", i, 0);
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
            gfp_elem_set(s->l->field, z + i * k, whole + (c->first + i) * k);
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
    const size_t step = c->len_a + c->len_b + toolkit_lab_below(s, 3),
                 gap = c->n + toolkit_lab_below(s, 4);
    const size_t from = toolkit_lab_below(s, 3), room = from + c->rows * gap;
    const gfp_gpu_product_options options = {
        .method = c->method, .batch = c->rows, .first = c->first, .n = c->n};
    uint64_t *x = toolkit_lab_draw(s, c->rows * step, false), *z = toolkit_lab_draw(s, room, false);
    gfp_gpu_array *dx = lab_upload(s, x, c->rows * step), *dz = lab_upload(s, z, room);
    const gfp_gpu_rows a = {dx, 0, step}, b = {dx, c->len_a, step}, to = {dz, from, gap};
    gfp_gpu_product_plan *plan = NULL;
    gfp_gpu_operand *operand = NULL;
    gfp_error error = {.message = ""};
    if (gfp_gpu_product_plan_create(&plan, s->gpu, s->l->field, c->len_a, c->len_b, &options,
                                    &(gfp_options){.error = &error}) != GFP_OK) {
        fail_msg("%s: %s", s->l->entry->text, error.message);
    }
    for (size_t i = 0; i < c->rows; i++) {
        expect_row(s, c, x + i * step * k, x + (i * step + c->len_a) * k, z + (from + i * gap) * k);
    }
    toolkit_lab_ok(s, gfp_gpu_product_rows(plan, &to, &a, c->len_a, &b, c->len_b, c->first, c->n),
                   "rows");
    uint64_t *got = lab_download(s, dz, room);
    toolkit_lab_same(s, got, z, room, "product of rows", c->len_a, c->len_b);
    toolkit_lab_ok(s, gfp_gpu_vec_sum_rows(s->l->field, &to, NULL, 0, 0, c->rows, c->n), "zeros");
    const gfp_status kept = gfp_gpu_operand_create_rows(&operand, plan, &b, c->len_b);
    if (kept == GFP_ERR_UNAVAILABLE && gfp_gpu_product_plan_pieces(plan) > 1) {
        toolkit_lab_ok(
            s, gfp_gpu_product_rows(plan, &to, &a, c->len_a, &b, c->len_b, c->first, c->n), "rows");
    } else {
        toolkit_lab_ok(s, kept, "operand");
        toolkit_lab_ok(s,
                       gfp_gpu_operand_mul_rows(plan, &to, &a, c->len_a, operand, c->first, c->n),
                       "product by an operand");
    }
    lab_free(got);
    got = lab_download(s, dz, room);
    toolkit_lab_same(s, got, z, room, "product of rows by operands", c->len_a, c->len_b);
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(cases, i); i++) {
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t len = 1; len <= 32; len += len < 9 ? 1 : 11) {
            const bool serves = gfp_gpu_product_serves(gpu, GFP_GPU_METHOD_CLASSICAL, s.l->field,
                                                       len, len, why, sizeof why);
            assert_true(serves || len > 3 || over_fake_device());
            for (size_t other = 1; serves && other <= len + 3; other += 1 + other / 4) {
                const rows_case c = {
                    GFP_GPU_METHOD_CLASSICAL, 3 + toolkit_lab_below(&s, 5), len, other, 0,
                    len + other - 1};
                check_rows(&s, &c);
                const rows_case part = {GFP_GPU_METHOD_CLASSICAL,        3, other, len, len / 2,
                                        1 + toolkit_lab_below(&s, other)};
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        const rows_case c = {GFP_GPU_METHOD_AUTO, rows, n, n, 0, 2 * n - 1};
        const gfp_gpu_product_options options = {.batch = rows};
        uint64_t *x = toolkit_lab_draw(&s, rows * step, false), *z = lab_array(rows * c.n * s.l->k);
        gfp_gpu_array *dx = lab_upload(&s, x, rows * step);
        gfp_gpu_array *dz = gpu_lab_array(gpu, rows * c.n * s.l->k);
        const gfp_gpu_rows a = {dx, 1, step}, to = {dz, 0, c.n};
        gfp_gpu_product_plan *plan = NULL;
        toolkit_lab_ok(
            &s, gfp_gpu_product_plan_create(&plan, gpu, s.l->field, n, n, &options, NULL), "plan");
        toolkit_lab_ok(&s, gfp_gpu_product_rows(plan, &to, &a, n, &a, n, 0, c.n), "squares");
        for (size_t i = 0; i < rows; i++) {
            const uint64_t *row = x + (i * step + 1) * s.l->k;
            expect_row(&s, &c, row, row, z + i * c.n * s.l->k);
        }
        uint64_t *got = lab_download(&s, dz, rows * c.n);
        toolkit_lab_same(&s, got, z, rows * c.n, "squares of rows", n, step);
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
    toolkit_lab_ok(&s, gfp_gpu_clear(x, 100 * s.l->k, NULL), "clear");
    toolkit_lab_ok(&s, gfp_gpu_clear(y, 100 * s.l->k, NULL), "clear");
    toolkit_lab_ok(&s, gfp_gpu_vec_sum_rows(field, &z, &beside, 1, 0, 10, 5), "alternating rows");
    toolkit_lab_ok(&s, gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 0, 5), "no rows");
    toolkit_lab_ok(&s, gfp_gpu_vec_sum_rows(field, &z, &in, 1, 0, 10, 0), "no columns");
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
    toolkit_lab_ok(&s, gfp_gpu_product_plan_create(&plan, gpu, field, 3, 3, &options, NULL),
                   "plan");
    const gfp_gpu_rows a = {y, 0, 6}, b = {y, 3, 6}, c = {x, 0, 10}, in_y = {y, 30, 10};
    toolkit_lab_ok(&s, gfp_gpu_product_rows(plan, &c, &a, 3, &b, 3, 0, 5), "rows");
    toolkit_lab_ok(&s, gfp_gpu_product_rows(plan, &in_y, &a, 3, &b, 3, 0, 5), "behind one another");
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

/* One element of z is changed, by a digit and then to a value that is no element. */
static void wrong_inverses_are_found(site *s, gfp_gpu_array *z, gfp_gpu_array *x, size_t n,
                                     size_t at)
{
    const size_t k = s->l->k;
    uint64_t right[GFP_MAX_K], wrong[GFP_MAX_K];
    toolkit_lab_ok(s, gfp_gpu_download(right, z, at * k, k, NULL), "download");
    gfp_elem_one(s->l->field, wrong);
    gfp_elem_add(s->l->field, wrong, wrong, right);
    toolkit_lab_ok(s, gfp_gpu_upload(z, at * k, wrong, k, NULL), "upload");
    assert_int_equal(checked_inverses(s->ring, z, x, n), GFP_ERR_VERIFY);
    memset(wrong, 0xff, sizeof wrong);
    toolkit_lab_ok(s, gfp_gpu_upload(z, at * k, wrong, k, NULL), "upload");
    assert_int_equal(checked_inverses(s->ring, z, x, n), GFP_ERR_VERIFY);
    toolkit_lab_ok(s, gfp_gpu_upload(z, at * k, right, k, NULL), "upload");
}

static void check_inverses(site *s, size_t n)
{
    uint64_t *x = toolkit_lab_draw(s, n, true), *z = lab_array(n * s->l->k);
    gfp_gpu_array *dx = lab_upload(s, x, n), *dz = gpu_lab_array(s->gpu, n * s->l->k + 2);
    gfp_error error = {.message = ""};
    assert_int_equal(gfp_vec_inv(s->l->field, z, x, n, NULL), GFP_OK);
    toolkit_lab_ok(s, gfp_gpu_vec_inv(s->ring, dz, dx, n, &(gfp_options){.error = &error}),
                   "inverses");
    uint64_t *got = lab_download(s, dz, n);
    toolkit_lab_same(s, got, z, n, "inverse", n, 0);
    lab_free(got);
    toolkit_lab_ok(s, gfp_gpu_vec_inv(s->ring, dz, dz, n, NULL), "inverses in place");
    got = lab_download(s, dz, n);
    toolkit_lab_same(s, got, x, n, "inverse of inverse", n, 0);
    lab_free(got);
    gfp_gpu_array *window = NULL;
    toolkit_lab_ok(s, gfp_gpu_array_part(&window, dz, 0, n * s->l->k), "window");
    toolkit_lab_ok(s, gfp_gpu_vec_inv(s->ring, window, dz, n, NULL),
                   "inverses in place by a window");
    gfp_gpu_array_destroy(window);
    got = lab_download(s, dz, n);
    toolkit_lab_same(s, got, z, n, "inverse in place by a window", n, 0);
    lab_free(got);
    toolkit_lab_ok(s, checked_inverses(s->ring, dz, dx, n), "check of inverses");
    const size_t zero = toolkit_lab_below(s, n);
    wrong_inverses_are_found(s, dz, dx, n, zero);
    gfp_elem_zero(s->l->field, x + zero * s->l->k);
    toolkit_lab_ok(s, gfp_gpu_upload(dx, 0, x, n * s->l->k, NULL), "upload");
    toolkit_lab_ok(s, gfp_gpu_clear(dz, n * s->l->k, NULL), "clear");
    assert_int_equal(gfp_gpu_vec_inv(s->ring, dz, dx, n, &(gfp_options){.error = &error}),
                     GFP_ERR_NOT_INVERTIBLE);
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(counts, i); i++) {
            check_inverses(&s, counts[i]);
        }
        toolkit_lab_ok(&s, gfp_gpu_vec_inv(s.ring, NULL, NULL, 0, NULL), "none");
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
    const size_t step_a = c->len_a + toolkit_lab_below(s, 3),
                 step_b = c->len_b + toolkit_lab_below(s, 3);
    const size_t step_q = c->n + toolkit_lab_below(s, 3), from = toolkit_lab_below(s, 3);
    const size_t all = from + c->rows * step_q;
    uint64_t *a = toolkit_lab_draw(s, c->rows * step_a + 1, false),
             *b = toolkit_lab_draw(s, c->rows * step_b + 1, true);
    uint64_t *q = toolkit_lab_draw(s, all, false);
    gfp_gpu_array *da = lab_upload(s, a, c->rows * step_a + 1),
                  *db = lab_upload(s, b, c->rows * step_b + 1);
    gfp_gpu_array *dq = lab_upload(s, q, all);
    const gfp_gpu_rows to = {dq, from, step_q};
    const gfp_gpu_pairs pairs = {{da, 0, step_a}, {db, 0, step_b}, c->len_a, c->len_b, c->rows};
    gfp_error error = {.message = ""};
    for (int kind = 0; kind < 2; kind++) {
        const gfp_status status =
            kind == 0 ? gfp_gpu_vec_inv_series(s->ring, &to, c->n, &pairs.b, c->len_b, c->rows,
                                               &(gfp_options){.error = &error})
                      : gfp_gpu_vec_div_series(s->ring, &to, c->n, &pairs,
                                               &(gfp_options){.error = &error});
        toolkit_lab_ok(s, status, "series");
        for (size_t i = 0; i < c->rows; i++) {
            uint64_t *z = q + (from + i * step_q) * k;
            const uint64_t *v = b + i * step_b * k;
            assert_int_equal(kind == 0
                                 ? gfp_vec_inv_series(s->l->field, z, c->n, v, c->len_b, NULL)
                                 : gfp_vec_div_series(s->l->field, z, c->n, a + i * step_a * k,
                                                      c->len_a, v, c->len_b, NULL),
                             GFP_OK);
        }
        uint64_t *got = lab_download(s, dq, all);
        toolkit_lab_same(s, got, q, all, kind == 0 ? "inverses of series" : "quotients of series",
                         c->rows, c->n);
        lab_free(got);
    }
    const size_t zero = toolkit_lab_below(s, c->rows);
    toolkit_lab_ok(s, gfp_gpu_clear_range(db, zero * step_b * k, k), "clear");
    assert_int_equal(gfp_gpu_vec_inv_series(s->ring, &to, c->n, &pairs.b, c->len_b, c->rows,
                                            &(gfp_options){.error = &error}),
                     GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(error.index, c->rows == 1 ? error.index : zero);
    uint64_t *got = lab_download(s, dq, all);
    toolkit_lab_same(s, got, q, all, "after an error", c->rows, c->n);
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
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(cases, i); i++) {
            if (s.l->k <= 8 || (i % 4 == 0 && s.l->k <= 64)) {
                check_series(&s, &cases[i]);
            }
        }
        close_site(&s);
    }
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

static gfp_status toolkit_play(scene *w)
{
    const size_t k = w->s.l->k, n = SCENE_POINTS;
    const gfp_gpu_rows x = {w->points, 0, 1}, y = {w->values, 0, 1};
    gfp_gpu_tree *tree = NULL;
    gfp_status status = gfp_gpu_upload(w->points, 0, w->x, 300 * k, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_create(&tree, w->s.ring, w->points, n, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_product_roots(w->f, w->points, n, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_mul(w->f, w->f, w->f, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_product(w->g, tree, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_divrem(w->q, w->r, w->f, w->g, NULL);
    status = status != GFP_OK ? status : checked_divrem(w->q, w->r, w->f, w->g, 3, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_truncate(w->q, w->q, n, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_eval(w->values, w->q, tree, NULL);
    status = status != GFP_OK ? status : gfp_gpu_tree_interpolate(w->r, w->values, tree, NULL);
    status = status != GFP_OK ? status : checked_tree(tree, w->r, w->values, 4, NULL);
    status = status != GFP_OK ? status : gfp_gpu_vec_inv_series(w->s.ring, &y, 1, &x, 1, 300, NULL);
    const gfp_gpu_rows a = {w->points, 0, 3}, b = {w->values, 0, 3};
    const gfp_gpu_pairs same = {a, a, 3, 3, 100};
    status = status != GFP_OK ? status : gfp_gpu_vec_div_series(w->s.ring, &b, 3, &same, NULL);
    const gfp_gpu_pairs pairs = {{w->points, 0, 6}, {w->points, 3, 6}, 3, 3, 40};
    const gfp_gpu_rows r = {w->values, 250, 1};
    status = status != GFP_OK ? status : gfp_gpu_vec_resultant(w->s.ring, &r, &pairs, NULL);
    status = status != GFP_OK ? status : checked_resultants(w->s.ring, &r, &pairs, 5, NULL);
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
    w->f = toolkit_lab_make(&w->s);
    w->g = toolkit_lab_make(&w->s);
    w->q = toolkit_lab_make(&w->s);
    w->r = toolkit_lab_make(&w->s);
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

static void *open_faults(gfp_gpu *gpu)
{
    scene *w = malloc(sizeof *w);
    assert_non_null(w);
    open_scene(w, gpu);
    return w;
}

static gfp_status play_faults(void *operands)
{
    return toolkit_play(operands);
}

static void close_faults(void *operands)
{
    close_scene(operands);
    free(operands);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    expect_faults_survived(&(fault_scene){open_faults, play_faults, NULL, close_faults,
                                          .least = 200, .most = 3000, .dense = 0});
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_rows_agree),     cmocka_unit_test(indices_multiply),
        cmocka_unit_test(products_of_rows_agree), cmocka_unit_test(short_products_agree),
        cmocka_unit_test(squares_of_rows_agree),  cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(inverses_agree),         cmocka_unit_test(series_agree),
        cmocka_unit_test(every_call_may_fail),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
