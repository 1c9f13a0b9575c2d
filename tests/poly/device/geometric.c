/* geometric.c: values at geometric progressions and interpolation there on a device,
 * against the definition and the CPU: every field, points that are equal, wrong results that checks
 * must find. On a device or, if the environment variable GFPOLY_TEST_DEVICE is "fake" or "planned",
 * over tests/lab/fake_device/device.h, where in addition every call is made to fail in turn;
 * "planned": by the library's own plans of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "lab/rows.h"
#include "poly/device/checks.h"
#include "poly/device/place.h"
#include "gfpoly/gpu_toolkit.h"
#include "gpu/arrays.h"
#include "gfpoly/tree.h"
#include "field/elem.h"

/* A field on both sides; points start ratio^i, i < n; a polynomial with its values. */
typedef struct site {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    uint64_t seed, start[GFP_MAX_K], ratio[GFP_MAX_K];
    size_t n;
    gfp_poly f;
    gfp_gpu_poly *df;
    uint64_t *y;
    gfp_gpu_array *dy;
} site;

static void open_site(site *s, gfp_gpu *gpu, const lab *l)
{
    *s = (site){.l = l, .gpu = gpu, .seed = l->k + 1};
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&s->ring, gpu, l->field, NULL, NULL), "ring");
    assert_int_equal(gfp_gpu_poly_create(&s->df, s->ring, NULL), GFP_OK);
    gfp_poly_init(&s->f, l->field);
}

static void drop_values(site *s)
{
    if (s->y != NULL) {
        lab_free(s->y);
    }
    gfp_gpu_array_destroy(s->dy);
    s->y = NULL;
    s->dy = NULL;
}

static void close_site(site *s)
{
    drop_values(s);
    gfp_poly_clear(&s->f);
    gfp_gpu_poly_destroy(s->df);
    gfp_gpu_ring_destroy(s->ring);
}

static size_t geometric_below(site *s, size_t n)
{
    return (size_t)(oracle_random(&s->seed) % n);
}

/* x := a random element or a sample. */
static void geometric_draw(site *s, uint64_t *x)
{
    if (geometric_below(s, 4) == 0) {
        gfp_elem_set(s->l->field, x, lab_sample(s->l, geometric_below(s, s->l->count)));
    } else {
        oracle_random_element(&s->l->o, x, &s->seed);
    }
}

/* f: len terms. */
static void geometric_fill(site *s, size_t len)
{
    assert_int_equal(gfp_poly_fit_length(&s->f, len), GFP_OK);
    for (size_t i = 0; i < len; i++) {
        geometric_draw(s, s->f.digits + i * s->l->k);
    }
    assert_int_equal(gfp_poly_set_length(&s->f, len), GFP_OK);
}

/* Room for n values; f of len terms, on both sides. */
static void geometric_set(site *s, size_t n, size_t len)
{
    drop_values(s);
    s->n = n;
    s->y = lab_array((n + 1) * s->l->k);
    s->dy = gpu_lab_array(s->gpu, (n + 1) * s->l->k);
    geometric_fill(s, len);
    gpu_lab_ok(s->gpu, gfp_gpu_poly_upload(s->df, &s->f, NULL), "upload");
}

static void expect_poly(const site *s, const char *what)
{
    gfp_poly got;
    gfp_poly_init(&got, s->l->field);
    gpu_lab_ok(s->gpu, gfp_gpu_poly_download(&got, s->df, NULL), what);
    if (!gfp_poly_equal(&got, &s->f)) {
        fail_msg("%s: %s, %zu points, lengths %zu and %zu", s->l->entry->text, what, s->n, got.len,
                 s->f.len);
    }
    gfp_poly_clear(&got);
}

/* Values by the definition. */
static void check_values(site *s)
{
    const gfp_field *field = s->l->field;
    uint64_t x[GFP_MAX_K];
    gfp_error error = {.message = ""};
    gfp_elem_set(field, x, s->start);
    for (size_t i = 0; i < s->n; i++) {
        gfp_poly_eval(s->y + i * s->l->k, &s->f, x);
        gfp_elem_mul(field, x, x, s->ratio);
    }
    gpu_lab_ok(s->gpu,
               gfp_gpu_poly_eval_geometric(s->dy, s->df, s->start, s->ratio, s->n,
                                           &(gfp_options){.error = &error}),
               "values");
    if (s->n > 0) {
        gpu_lab_expect(s->l, s->dy, s->y, s->n, "values", s->n, s->f.len);
    }
}

/* Adds 1 to element i. */
static void geometric_spoil(const site *s, gfp_gpu_array *x, size_t i)
{
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K];
    const size_t k = s->l->k;
    gpu_lab_ok(s->gpu, gfp_gpu_download(e, x, i * k, k, NULL), "element");
    gfp_elem_one(s->l->field, one);
    gfp_elem_add(s->l->field, e, e, one);
    gpu_lab_ok(s->gpu, gfp_gpu_upload(x, i * k, e, k, NULL), "element");
}

static gfp_status geometric_verify(const site *s, uint64_t seed, gfp_report *report)
{
    return checked_geometric(s->df, s->dy, s->start, s->ratio, s->n, seed, report);
}

/* The device has the values of f; both are made wrong and right again. */
static void check_checks(site *s)
{
    gfp_report report = {.points = 77};
    const size_t k = s->l->k;
    const gfp_status status = geometric_verify(s, 7, &report);
    if (status == GFP_ERR_UNAVAILABLE && mpz_sizeinbase(s->l->o.p, 2) < 64) {
        assert_int_equal(report.points, 77);
        return;
    }
    gpu_lab_ok(s->gpu, status, "check");
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    if (s->n == 0) {
        return;
    }
    assert_true(report.points >= 1 && report.log2_error <= -40);
    const size_t i = geometric_below(s, s->n);
    geometric_spoil(s, s->dy, i);
    assert_int_equal(geometric_verify(s, 8, &report), GFP_ERR_VERIFY);
    uint64_t *wide = lab_array(k);
    memset(wide, 0xff, k * sizeof *wide);
    gpu_lab_ok(s->gpu, gfp_gpu_upload(s->dy, i * k, wide, k, NULL), "not canonical");
    assert_int_equal(geometric_verify(s, 9, NULL), GFP_ERR_VERIFY);
    lab_free(wide);
    gpu_lab_ok(s->gpu, gfp_gpu_upload(s->dy, i * k, s->y + i * k, k, NULL), "value");
    gpu_lab_ok(s->gpu, geometric_verify(s, 0, NULL), "check");
    if (s->f.len > 0 && !gfp_elem_is_zero(s->l->field, s->start)) {
        geometric_spoil(s, gfp_gpu_poly_array(s->df), geometric_below(s, s->f.len));
        assert_int_equal(geometric_verify(s, 10, NULL), GFP_ERR_VERIFY);
        gpu_lab_ok(s->gpu, gfp_gpu_poly_upload(s->df, &s->f, NULL), "upload");
    }
}

/* The values on the device are those of f: interpolation has the CPU's status and result. */
static void check_interpolation(site *s)
{
    gfp_error expected = {.message = ""}, error = {.message = ""};
    const gfp_options options = {.error = &expected};
    gfp_poly g;
    gfp_poly_init(&g, s->l->field);
    const gfp_status status =
        gfp_poly_interpolate_geometric(&g, s->y, s->start, s->ratio, s->n, &options);
    assert_true(status == GFP_OK || status == GFP_ERR_NOT_INVERTIBLE);
    const gfp_status got = gfp_gpu_poly_interpolate_geometric(
        s->df, s->dy, s->start, s->ratio, s->n, &(gfp_options){.error = &error});
    if (got != status) {
        fail_msg("%s: %zu points: %s, not %s", s->l->entry->text, s->n, gfp_status_string(got),
                 gfp_status_string(status));
    }
    if (status == GFP_OK) {
        assert_int_equal(gfp_poly_set(&s->f, &g), GFP_OK);
    } else if (!gfp_elem_is_zero(s->l->field, s->ratio)) {
        assert_int_equal(error.index, expected.index);
        assert_non_null(strstr(error.message, "equal"));
    }
    expect_poly(s, "interpolation");
    gfp_poly_clear(&g);
}

static void check_all(site *s, size_t n, size_t len)
{
    geometric_set(s, n, len);
    check_values(s);
    check_checks(s);
    /* The checks of a tiny field end early, with all values in place. */
    check_interpolation(s);
}

static bool geometric_skips(size_t f)
{
    return gpu_lab_skips_alike(f);
}

static void geometric_agrees(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 8, 31, 64, 127, 128, 129, 200};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        site s;
        if (geometric_skips(f)) {
            continue;
        }
        open_site(&s, gpu, l);
        for (size_t i = 0; LAB_ROW(counts, i); i++) {
            const size_t n = counts[i], lens[] = {0, 1, n / 2, n, 2 * n + 3};
            if (l->k > 16 && n > 8 && n != 129) {
                continue;
            }
            for (size_t j = 0; j < (l->k > 16 && n > 8 ? 1 : 5); j++) {
                do {
                    geometric_draw(&s, s.start);
                } while (i % 3 != 0 && gfp_elem_is_zero(l->field, s.start));
                do {
                    geometric_draw(&s, s.ratio);
                } while (i % 4 != 0 && gfp_elem_is_zero(l->field, s.ratio));
                check_all(&s, n, l->k > 16 && n > 8 ? n : lens[j]);
            }
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* Random lengths beyond several doublings of the sequences. */
static void long_progressions_agree(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8"};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        site s;
        open_site(&s, gpu, lab_named(names[i]));
        for (size_t j = 0; j < (lab_is_short() ? 2 : 6); j++) {
            geometric_draw(&s, s.ratio);
            do {
                oracle_random_element(&s.l->o, s.start, &s.seed);
            } while (gfp_elem_is_zero(s.l->field, s.start));
            check_all(&s, 1 + geometric_below(&s, 1500), geometric_below(&s, 1500));
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* Ratios 0, 1, -1, roots of unity; the start 0. */
static void special_ratios_agree(void **state)
{
    static const size_t counts[] = {1, 2, 3, 16, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        const uint64_t two_k = 2 * l->k;
        site s;
        if (geometric_skips(f) || l->k > 64) {
            continue;
        }
        open_site(&s, gpu, l);
        for (size_t i = 0; i < 5 * 5; i++) {
            const size_t n = i / 5 == 4 && l->k > 8 ? two_k : counts[i / 5];
            gfp_elem_one(l->field, s.ratio);
            gfp_elem_set_u64(l->field, s.start, i % 2 == 0 ? 1 : 3);
            if (i % 5 == 0) {
                gfp_elem_zero(l->field, s.ratio);
            } else if (i % 5 == 2) {
                gfp_elem_neg(l->field, s.ratio, s.ratio);
            } else if (i % 5 > 2) { /* r, of order 2 k: all points differ for n = 2 k */
                gfp_elem_mul_r(l->field, s.ratio, s.ratio, 1);
            }
            check_all(&s, i % 5 == 4 ? two_k : n, n + 1);
            gfp_elem_zero(l->field, s.start);
            check_all(&s, n, 5);
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void wrong_arguments_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_error error = {.message = ""};
    site s;
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    geometric_set(&s, 10, 6);
    gfp_elem_set_u64(s.l->field, s.start, 1);
    gfp_elem_set_u64(s.l->field, s.ratio, 2);
    gfp_gpu_array *foreign = gpu_lab_array(other, 100 * s.l->k);
    const size_t counts[] = {12, SIZE_MAX / 4, SIZE_MAX - 1, SIZE_MAX, 5};
    for (size_t i = 0; i < 5; i++) {
        gfp_gpu_array *y = i == 4 ? foreign : s.dy;
        const size_t n = counts[i];
        assert_int_equal(gfp_gpu_poly_eval_geometric(y, s.df, s.start, s.ratio, n,
                                                     &(gfp_options){.error = &error}),
                         GFP_ERR_ARGUMENT);
        assert_true(error.message[0] != '\0');
        assert_int_equal(gfp_gpu_poly_interpolate_geometric(s.df, y, s.start, s.ratio, n, NULL),
                         GFP_ERR_ARGUMENT);
        assert_int_equal(checked_geometric(s.df, y, s.start, s.ratio, n, 1, NULL),
                         GFP_ERR_ARGUMENT);
    }
    expect_poly(&s, "after calls that were refused");
    gfp_gpu_array_destroy(foreign);
    close_site(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* Interpolation from the polynomial's own array. */
static void values_may_be_the_polynomials(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    gfp_poly g;
    (void)state;
    open_site(&s, gpu, lab_named("p4"));
    gfp_poly_init(&g, s.l->field);
    gfp_elem_set_u64(s.l->field, s.start, 5);
    gfp_elem_set_u64(s.l->field, s.ratio, 3);
    geometric_set(&s, 40, 40);
    assert_int_equal(gfp_poly_interpolate_geometric(&g, s.f.digits, s.start, s.ratio, 40, NULL),
                     GFP_OK);
    gpu_lab_ok(gpu,
               gfp_gpu_poly_interpolate_geometric(s.df, gfp_gpu_poly_array(s.df), s.start, s.ratio,
                                                  40, NULL),
               "in place");
    assert_int_equal(gfp_poly_set(&s.f, &g), GFP_OK);
    expect_poly(&s, "in place");
    gfp_poly_clear(&g);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* Under every cap the calls keep to it: they succeed, or there is no memory, and outputs stay. */
static void caps_hold(void **state)
{
    const size_t n = 500, step = (size_t)1 << 13;
    size_t refused = 0;
    gfp_status status = GFP_ERR_MEMORY;
    (void)state;
    gpu_lab_close(gpu_lab_open()); /* skips without a device */
    for (size_t cap = step; status != GFP_OK; cap += step) {
        const gfp_options options = {.gpu_memory_cap = cap};
        gfp_gpu *gpu = NULL;
        gfp_gpu_array *y = NULL;
        site s;
        assert_int_equal(gfp_gpu_create(&gpu, NULL, &options), GFP_OK);
        open_site(&s, gpu, lab_named("p2"));
        geometric_fill(&s, n);
        gfp_elem_set_u64(s.l->field, s.start, 5);
        gfp_elem_set_u64(s.l->field, s.ratio, 3);
        status = gfp_gpu_poly_upload(s.df, &s.f, NULL);
        const bool loaded = status == GFP_OK;
        status = loaded ? gfp_gpu_array_create(&y, gpu, n * s.l->k, NULL) : status;
        status = status != GFP_OK ? status
                                  : gfp_gpu_poly_eval_geometric(y, s.df, s.start, s.ratio, n, NULL);
        status = status != GFP_OK
                     ? status
                     : gfp_gpu_poly_interpolate_geometric(s.df, y, s.start, s.ratio, n, NULL);
        assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
        assert_true(gfp_gpu_memory_peak(gpu) <= cap);
        if (loaded) {
            expect_poly(&s, "under a cap");
        }
        refused += status != GFP_OK;
        gfp_gpu_array_destroy(y);
        close_site(&s);
        gpu_lab_close(gpu);
    }
    assert_true(refused > 0);
}

/* ---- failures ---- */

#define SCENE_POINTS 300

static gfp_status geometric_play(site *s)
{
    const size_t n = SCENE_POINTS;
    gfp_status status = gfp_gpu_poly_upload(s->df, &s->f, NULL);
    status = status != GFP_OK
                 ? status
                 : gfp_gpu_poly_eval_geometric(s->dy, s->df, s->start, s->ratio, n, NULL);
    status = status != GFP_OK
                 ? status
                 : gfp_gpu_poly_interpolate_geometric(s->df, s->dy, s->start, s->ratio, n, NULL);
    status = status != GFP_OK ? status : geometric_verify(s, 5, NULL);
    return status != GFP_OK ? status : gfp_gpu_wait(s->gpu, NULL);
}

static void *open_faults(gfp_gpu *gpu)
{
    site *w = malloc(sizeof *w);
    assert_non_null(w);
    open_site(w, gpu, lab_named("p2"));
    geometric_set(w, SCENE_POINTS, SCENE_POINTS);
    gfp_elem_set_u64(w->l->field, w->start, 5);
    gfp_elem_set_u64(w->l->field, w->ratio, 3);
    return w;
}

static gfp_status play_faults(void *operands)
{
    return geometric_play(operands);
}

static void check_faults(void *operands)
{
    expect_poly(operands, "once more");
}

static void close_faults(void *operands)
{
    close_site(operands);
    free(operands);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    expect_faults_survived(&(fault_scene){open_faults, play_faults, check_faults, close_faults,
                                          .least = 100, .most = 3000, .dense = 0});
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometric_agrees),
        cmocka_unit_test(long_progressions_agree),
        cmocka_unit_test(special_ratios_agree),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(values_may_be_the_polynomials),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(every_call_may_fail),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
