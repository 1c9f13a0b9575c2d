/* compose.c: products of matrices on a device against sums of products of elements, and composition
 * modulo a polynomial against the CPU's: lengths of every kind, wrong matrices, products and sums
 * that checks must find, cancellation. On a device or, if the environment variable
 * GFPOLY_TEST_DEVICE is "fake" or "planned", over tests/lab/fake_device/device.h, where in addition
 * every call is made to fail in turn; "planned": by the library's own plans of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "gfpoly/compose.h"
#include "gfpoly/gpu_toolkit.h"
#include "gpu/arrays.h"
#include "lab/rows.h"
#include "poly/device/place.h"

/* ---- spoiled results ---- */

/* The call of either function that ends with a wrong element, counted from 1; 0: none. row: of the
 * matrix. */
static struct {
    size_t matrix, sum, row;
} spoiled;

gfp_status __real_gfp_gpu_vec_mul_matrix(const gfp_field *field, const gfp_gpu_rows *c,
                                         const gfp_gpu_rows *a, const gfp_gpu_rows *b,
                                         const gfp_gpu_matrix_shape *shape);
gfp_status __wrap_gfp_gpu_vec_mul_matrix(const gfp_field *field, const gfp_gpu_rows *c,
                                         const gfp_gpu_rows *a, const gfp_gpu_rows *b,
                                         const gfp_gpu_matrix_shape *shape);
gfp_status __real_gfp_gpu_vec_sum_rows(const gfp_field *field, const gfp_gpu_rows *z,
                                       const gfp_gpu_rows *x, size_t count, unsigned negated,
                                       size_t rows, size_t n);
gfp_status __wrap_gfp_gpu_vec_sum_rows(const gfp_field *field, const gfp_gpu_rows *z,
                                       const gfp_gpu_rows *x, size_t count, unsigned negated,
                                       size_t rows, size_t n);

/* Adds 1 to the last of n elements. */
static gfp_status compose_spoil(const gfp_field *field, const gfp_gpu_rows *z, size_t n)
{
    const size_t k = gfp_field_k(field), at = (z->from + n - 1) * k;
    uint64_t x[GFP_MAX_K], one[GFP_MAX_K];
    gfp_elem_one(field, one);
    const gfp_status status = gfp_gpu_download(x, z->array, at, k, NULL);
    gfp_elem_add(field, x, x, one);
    return status == GFP_OK ? gfp_gpu_upload(z->array, at, x, k, NULL) : status;
}

gfp_status __wrap_gfp_gpu_vec_mul_matrix(const gfp_field *field, const gfp_gpu_rows *c,
                                         const gfp_gpu_rows *a, const gfp_gpu_rows *b,
                                         const gfp_gpu_matrix_shape *shape)
{
    const gfp_status status = __real_gfp_gpu_vec_mul_matrix(field, c, a, b, shape);
    const size_t row = spoiled.row < shape->rows ? spoiled.row : shape->rows - 1;
    const gfp_gpu_rows at = {c->array, c->from + row * c->stride, c->stride};
    return status == GFP_OK && spoiled.matrix > 0 && --spoiled.matrix == 0
               ? compose_spoil(field, &at, shape->columns)
               : status;
}

gfp_status __wrap_gfp_gpu_vec_sum_rows(const gfp_field *field, const gfp_gpu_rows *z,
                                       const gfp_gpu_rows *x, size_t count, unsigned negated,
                                       size_t rows, size_t n)
{
    const gfp_status status = __real_gfp_gpu_vec_sum_rows(field, z, x, count, negated, rows, n);
    return status == GFP_OK && spoiled.sum > 0 && --spoiled.sum == 0 ? compose_spoil(field, z, n)
                                                                     : status;
}

/* ---- matrices ---- */

/* Element (i, j) of the product. */
static void compose_expected(const lab *l, uint64_t *z, const uint64_t *a, const uint64_t *b,
                             size_t inner, size_t stride_b)
{
    uint64_t product[GFP_MAX_K];
    gfp_elem_zero(l->field, z);
    for (size_t i = 0; i < inner; i++) {
        gfp_elem_mul(l->field, product, a + i * l->k, b + i * stride_b * l->k);
        gfp_elem_add(l->field, z, z, product);
    }
}

/* Random elements; `kind` 1: all -1, the largest; 2: samples of the field. */
static uint64_t *compose_elements(const lab *l, size_t n, uint64_t seed, size_t kind)
{
    uint64_t *x = gpu_lab_random(l, n, seed);
    for (size_t i = 0; i < n && kind > 0; i++) {
        uint64_t *to = x + i * l->k;
        if (kind == 1) {
            gfp_elem_one(l->field, to);
            gfp_elem_neg(l->field, to, to);
        } else {
            gfp_elem_set(l->field, to, lab_sample(l, i % l->count));
        }
    }
    return x;
}

static void check_matrix(gfp_gpu *gpu, const lab *l, const gfp_gpu_matrix_shape *s, size_t kind)
{
    const size_t k = l->k, gap = kind; /* elements between rows, which stay */
    const size_t wide_a = s->inner + gap, wide_b = s->columns + gap;
    uint64_t *a = compose_elements(l, s->rows * wide_a, 3, kind);
    uint64_t *b = compose_elements(l, s->inner * wide_b, 4, kind);
    uint64_t *c = compose_elements(l, s->rows * wide_b, 5, 0);
    gfp_gpu_array *da = gpu_lab_upload(gpu, a, s->rows * wide_a * k);
    gfp_gpu_array *db = gpu_lab_upload(gpu, b, s->inner * wide_b * k);
    gfp_gpu_array *dc = gpu_lab_upload(gpu, c, s->rows * wide_b * k);
    const gfp_gpu_rows to = {dc, 0, wide_b}, x = {da, 0, wide_a}, y = {db, 0, wide_b};
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t j = 0; j < s->columns; j++) {
            compose_expected(l, c + (i * wide_b + j) * k, a + i * wide_a * k, b + j * k, s->inner,
                             wide_b);
        }
    }
    gpu_lab_ok(gpu, gfp_gpu_vec_mul_matrix(l->field, &to, &x, &y, s), "matrix");
    gpu_lab_expect(l, dc, c, s->rows * wide_b, "matrix", s->rows, s->columns);
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dc);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

static void matrices_agree(void **state)
{
    static const gfp_gpu_matrix_shape shapes[] = {
        {1, 1, 1}, {2, 3, 5}, {1, 17, 64}, {9, 16, 65}, {33, 1, 7}, {129, 18, 3}, {5, 40, 130}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        if (gpu_lab_skips(f)) {
            continue;
        }
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            if (lab_fields[f].k <= 16 || i < 3) {
                check_matrix(gpu, &lab_fields[f], &shapes[i], (i + f) % 3);
            }
        }
    }
    gpu_lab_close(gpu);
}

static void wrong_matrices_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = lab_named("p4");
    gfp_gpu_array *x = gpu_lab_array(gpu, 40 * l->k), *z = gpu_lab_array(gpu, 8 * l->k);
    const gfp_gpu_rows a = {x, 0, 4}, b = {x, 16, 2}, c = {z, 0, 2}, narrow = {x, 0, 1},
                       inside = {x, 30, 2};
    (void)state;
    const gfp_gpu_matrix_shape s = {4, 4, 2}, long_sums = {4, 30, 2};
    assert_int_equal(gfp_gpu_vec_mul_matrix(l->field, &c, &narrow, &b, &s), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul_matrix(l->field, &c, &a, &b, &long_sums), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul_matrix(l->field, &inside, &inside, &b, &s), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul_matrix(l->field, &a, &a, &b, &s), GFP_ERR_ARGUMENT);
    const gfp_gpu_matrix_shape many = {4, (size_t)1 << 31, 0};
    assert_int_equal(gfp_gpu_vec_mul_matrix(l->field, &c, &a, &b, &many), GFP_ERR_ARGUMENT);
    const gfp_gpu_matrix_shape none = {4, 0, 2}, nothing = {0, 4, 2};
    uint64_t *zeros = calloc(8 * l->k, sizeof *zeros);
    assert_non_null(zeros);
    gpu_lab_ok(gpu, gfp_gpu_vec_mul_matrix(l->field, &c, &a, &b, &none), "empty sums");
    gpu_lab_expect(l, z, zeros, 8, "empty sums", 4, 2);
    gpu_lab_ok(gpu, gfp_gpu_vec_mul_matrix(l->field, &c, &a, &b, &nothing), "no rows");
    free(zeros);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(z);
    gpu_lab_close(gpu);
}

/* ---- compositions ---- */

/* h of degree n on both sides; f and g of the CPU. */
typedef struct site {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    gfp_poly h, f, g, c, got;
    gfp_modulus *M;
    gfp_gpu_poly *df, *dg, *dc;
    gfp_gpu_modulus *dM;
} site;

static void random_poly(gfp_poly *x, size_t len, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    assert_int_equal(gfp_poly_random(x, len, &g), GFP_OK);
}

static void open_site(site *w, gfp_gpu *gpu, const lab *l, size_t n)
{
    *w = (site){.l = l, .gpu = gpu};
    gfp_poly *const all[] = {&w->h, &w->f, &w->g, &w->c, &w->got};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_init(all[i], l->field);
    }
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&w->ring, gpu, l->field, NULL, NULL), "ring");
    gpu_lab_ok(gpu, gfp_gpu_poly_create(&w->df, w->ring, NULL), "polynomial");
    gpu_lab_ok(gpu, gfp_gpu_poly_create(&w->dg, w->ring, NULL), "polynomial");
    gpu_lab_ok(gpu, gfp_gpu_poly_create(&w->dc, w->ring, NULL), "polynomial");
    random_poly(&w->h, n + 1, n);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->h, n, 3), GFP_OK);
    assert_int_equal(gfp_modulus_create(&w->M, &w->h, NULL), GFP_OK);
    gpu_lab_ok(gpu, gfp_gpu_poly_upload(w->df, &w->h, NULL), "upload");
    gpu_lab_ok(gpu, gfp_gpu_modulus_create(&w->dM, w->df, NULL), "modulus");
}

static void close_site(site *w)
{
    gfp_gpu_modulus_destroy(w->dM);
    gfp_modulus_destroy(w->M);
    gfp_gpu_poly_destroy(w->df);
    gfp_gpu_poly_destroy(w->dg);
    gfp_gpu_poly_destroy(w->dc);
    gfp_gpu_ring_destroy(w->ring);
    gfp_poly *const all[] = {&w->h, &w->f, &w->g, &w->c, &w->got};
    for (size_t i = 0; i < 5; i++) {
        gfp_poly_clear(all[i]);
    }
}

/* Draws f and g, and composes them on the CPU. */
static void draw_operands(site *w, size_t len_f, size_t len_g)
{
    gfp_compose_argument *A = NULL;
    random_poly(&w->f, len_f, 1 + len_f);
    random_poly(&w->g, len_g, 2 + len_g);
    assert_int_equal(gfp_compose_argument_create(&A, &w->g, w->M, 1, NULL), GFP_OK);
    assert_int_equal(gfp_poly_compose_mod(&w->c, &w->f, A, NULL), GFP_OK);
    gfp_compose_argument_destroy(A);
    gpu_lab_ok(w->gpu, gfp_gpu_poly_upload(w->df, &w->f, NULL), "upload");
    gpu_lab_ok(w->gpu, gfp_gpu_poly_upload(w->dg, &w->g, NULL), "upload");
}

static void expect_poly(site *w, const gfp_gpu_poly *x, const gfp_poly *expected, const char *what)
{
    gpu_lab_ok(w->gpu, gfp_gpu_poly_download(&w->got, x, NULL), what);
    if (!gfp_poly_equal(&w->got, expected)) {
        fail_msg("%s: %s of %zu by %zu terms modulo degree %zu", w->l->entry->text, what, w->f.len,
                 w->g.len, w->h.len - 1);
    }
}

static void compositions_agree(void **state)
{
    static const size_t degrees[] = {1, 2, 9, 40, 70};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0, at = 0; f < oracle_field_count; f++) {
        if (gpu_lab_skips_alike(f) || lab_fields[f].k > 32) {
            continue;
        }
        const size_t n = lab_fields[f].k <= 16 ? degrees[at++ % 5] : 9;
        const size_t lengths[][2] = {{0, n},        {1, n},     {2, n},
                                     {n, 0},        {n, 1},     {n, n},
                                     {5, 2},        {n, n + 1}, {3 * n + 1, 2 * n},
                                     {n + 2, 3 * n}};
        gfp_report report = {.points = 99};
        const gfp_options options = {.verify = f % 2 == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE,
                                     .verify_seed = f + 1,
                                     .report = &report};
        site w;
        open_site(&w, gpu, &lab_fields[f], n);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            draw_operands(&w, lengths[i][0], lengths[i][1]);
            gpu_lab_ok(gpu, gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options),
                       "composition");
            expect_poly(&w, w.dc, &w.c, "composition");
            gpu_lab_ok(gpu,
                       gfp_gpu_poly_compose_mod(i % 2 == 0 ? w.df : w.dg, w.df, w.dg, w.dM, NULL),
                       "composition in place");
            expect_poly(&w, i % 2 == 0 ? w.df : w.dg, &w.c, "composition in place");
        }
        assert_true(options.verify == GFP_VERIFY_NONE ? report.points == 0
                                                      : report.log2_error <= -40);
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* g(g) by one polynomial, and f(X) = f modulo h. */
static void special_arguments_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p8"), 30);
    draw_operands(&w, 25, 2);
    assert_int_equal(gfp_poly_set_coeff_u64(&w.g, 0, 0), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w.g, 1, 1), GFP_OK);
    gpu_lab_ok(gpu, gfp_gpu_poly_upload(w.dg, &w.g, NULL), "upload");
    gpu_lab_ok(gpu, gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, NULL), "f(X)");
    expect_poly(&w, w.dc, &w.f, "f(X)");
    gpu_lab_ok(gpu, gfp_gpu_poly_compose_mod(w.dc, w.dg, w.df, w.dM, NULL), "X(f)");
    expect_poly(&w, w.dc, &w.f, "X(f)");
    draw_operands(&w, 25, 25);
    gfp_compose_argument *A = NULL;
    assert_int_equal(gfp_compose_argument_create(&A, &w.f, w.M, 1, NULL), GFP_OK);
    assert_int_equal(gfp_poly_compose_mod(&w.c, &w.f, A, NULL), GFP_OK);
    gfp_compose_argument_destroy(A);
    gpu_lab_ok(gpu, gfp_gpu_poly_compose_mod(w.df, w.df, w.df, w.dM, NULL), "f(f)");
    expect_poly(&w, w.df, &w.c, "f(f)");
    close_site(&w);
    gpu_lab_close(gpu);
}

/* A constant that is 0 is known to be 0. */
static void constants_are_exact(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_gpu_poly *zero = NULL;
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 6);
    gpu_lab_ok(gpu, gfp_gpu_poly_create(&zero, w.ring, NULL), "0");
    draw_operands(&w, 5, 0);
    assert_int_equal(gfp_poly_set_coeff_u64(&w.f, 0, 0), GFP_OK);
    gpu_lab_ok(gpu, gfp_gpu_poly_upload(w.df, &w.f, NULL), "upload");
    for (int i = 0; i < 2; i++) {
        bool equal = false;
        gpu_lab_ok(gpu, gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, NULL), "f(0)");
        gpu_lab_ok(gpu, gfp_gpu_poly_equal(&equal, w.dc, zero, NULL), "equal");
        assert_true(equal);
        gpu_lab_ok(gpu, gfp_gpu_poly_sub(w.df, w.df, w.df, NULL), "0 of an unknown length");
        gpu_lab_ok(gpu, gfp_gpu_poly_truncate(w.df, w.df, 1, NULL), "one term");
    }
    gfp_gpu_poly_destroy(zero);
    close_site(&w);
    gpu_lab_close(gpu);
}

/* ---- wrong results, refusals ---- */

static void wrong_steps_are_found(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = i, .error = &error};
        site w;
        open_site(&w, gpu, lab_named(i == 0 ? "p2" : i == 1 ? "p8" : "p16"), 40);
        draw_operands(&w, 40, 40);
        gpu_lab_ok(gpu, gfp_gpu_poly_upload(w.dc, &w.h, NULL), "upload");
        gfp_status status = GFP_OK;
        for (spoiled.row = 0; spoiled.row < 6; spoiled.row++) {
            spoiled.matrix = 1;
            status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
            lab_expect_status(status, GFP_ERR_VERIFY, &error, "product of matrices");
            assert_non_null(strstr(error.message, "matrices"));
        }
        /* 6 baby steps and 5 giant steps, each with a sum modulo h, and 5 sums of values. */
        size_t found = 0;
        for (size_t at = 1; at < 200; at++) {
            spoiled.sum = at;
            status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
            if (spoiled.sum > 0) {
                assert_int_equal(status, GFP_OK); /* the call has fewer sums */
                break;
            }
            lab_expect_status(status, GFP_ERR_VERIFY, &error, "sum");
            found++;
        }
        spoiled.sum = 0;
        assert_int_equal(found, 16);
        expect_poly(&w, w.dc, &w.c, "composition after wrong ones");
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* A random element of a small field may not tell rows apart: they are compared one by one, or the
 * check is refused. */
static void wrong_rows_over_small_fields_are_found(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    size_t fields = 0;
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        if (l->entry->r >= 1000 || fields == 4) {
            continue;
        }
        site w;
        open_site(&w, gpu, l, 20);
        draw_operands(&w, 30, 20);
        for (uint64_t seed = 0; seed < 20; seed++) {
            gfp_error error = {.message = ""};
            const gfp_options options = {
                .verify = GFP_VERIFY_POINT, .verify_seed = seed, .error = &error};
            spoiled.row = seed % 6;
            spoiled.matrix = 1;
            const gfp_status status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
            spoiled.matrix = 0;
            if (status != GFP_ERR_UNAVAILABLE) {
                lab_expect_status(status, GFP_ERR_VERIFY, &error, l->entry->text);
                fields += seed == 0;
            }
        }
        close_site(&w);
    }
    assert_true(fields > 0);
    gpu_lab_close(gpu);
}

/* Caps of the device's memory and of the host's: right results, or no memory. */
static void caps_are_kept(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    size_t served = 0, refused = 0;
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 40);
    draw_operands(&w, 50, 40);
    for (size_t cap = 1000; cap < 4000000; cap += cap / 3) {
        for (int which = 0; which < 2; which++) {
            const gfp_options options = {.verify = GFP_VERIFY_POINT,
                                         .gpu_memory_cap = which == 0 ? cap : 0,
                                         .memory_cap = which == 0 ? 0 : cap};
            const gfp_status status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
            assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
            if (status == GFP_OK) {
                expect_poly(&w, w.dc, &w.c, "composition within a cap");
            }
            *(status == GFP_OK ? &served : &refused) += 1;
        }
    }
    assert_true(served > 0 && refused > 0);
    close_site(&w);
    gpu_lab_close(gpu);
}

static void wrong_arguments_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    gfp_options options = {.error = &error};
    site w, other;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 5);
    open_site(&other, gpu, lab_named("p8"), 5);
    draw_operands(&w, 5, 5);
    draw_operands(&other, 5, 5);
    gfp_status status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, NULL, &options);
    lab_expect_status(status, GFP_ERR_ARGUMENT, &error, "modulus");
    status = gfp_gpu_poly_compose_mod(w.dc, NULL, w.dg, w.dM, &options);
    lab_expect_status(status, GFP_ERR_ARGUMENT, &error, "no polynomial");
    status = gfp_gpu_poly_compose_mod(w.dc, w.df, other.dg, w.dM, &options);
    lab_expect_status(status, GFP_ERR_FIELD_MISMATCH, &error, "two fields");
    options.verify = GFP_VERIFY_CROSS;
    status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
    lab_expect_status(status, GFP_ERR_UNAVAILABLE, &error, "a second method");
    close_site(&w);
    close_site(&other);
    gpu_lab_close(gpu);
}

static void calls_are_cancelled(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    bool cancelled = true;
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 20);
    draw_operands(&w, 30, 30);
    for (size_t stop = 0; cancelled; stop++) {
        watcher user = {.stop_at = stop};
        const gfp_progress progress = {watch_step, &user};
        const gfp_options options = {
            .verify = GFP_VERIFY_POINT, .progress = &progress, .error = &error};
        gpu_lab_ok(gpu, gfp_gpu_poly_upload(w.dc, &w.h, NULL), "upload");
        const gfp_status status = gfp_gpu_poly_compose_mod(w.dc, w.df, w.dg, w.dM, &options);
        cancelled = status != GFP_OK;
        if (cancelled) {
            lab_expect_status(status, GFP_ERR_CANCELLED, &error, "composition");
            expect_poly(&w, w.dc, &w.h, "output");
        } else {
            assert_true(user.last == 1 && stop > 9);
        }
    }
    expect_poly(&w, w.dc, &w.c, "composition");
    close_site(&w);
    gpu_lab_close(gpu);
}

/* ---- failures ---- */

static void *open_faults(gfp_gpu *gpu)
{
    site *w = malloc(sizeof *w);
    assert_non_null(w);
    open_site(w, gpu, lab_named("p4"), 22);
    draw_operands(w, 20, 22);
    return w;
}

static gfp_status play_faults(void *operands)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 5};
    site *w = operands;
    gfp_status status = gfp_gpu_poly_upload(w->dg, &w->g, NULL);
    status =
        status != GFP_OK ? status : gfp_gpu_poly_compose_mod(w->dc, w->df, w->dg, w->dM, &options);
    return status != GFP_OK ? status : gfp_gpu_wait(w->gpu, NULL);
}

static void close_faults(void *operands)
{
    close_site(operands);
    free(operands);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    expect_faults_survived(&(fault_scene){open_faults, play_faults, NULL, close_faults, .least = 50,
                                          .most = 3000, .dense = 40});
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_agree),
        cmocka_unit_test(wrong_matrices_are_refused),
        cmocka_unit_test(compositions_agree),
        cmocka_unit_test(special_arguments_agree),
        cmocka_unit_test(constants_are_exact),
        cmocka_unit_test(wrong_steps_are_found),
        cmocka_unit_test(wrong_rows_over_small_fields_are_found),
        cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(calls_are_cancelled),
        cmocka_unit_test(every_call_may_fail),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
