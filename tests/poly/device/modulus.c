/* modulus.c: arithmetic modulo a fixed polynomial, Taylor shifts and geometric
 * progressions on a device, against the CPU's: operands of every kind of length, exponents, wrong
 * products that checks must find, cancellation; and quotients in four blocks. On a device or, if
 * the environment variable GFPOLY_TEST_DEVICE is "fake" or "planned", over
 * tests/lab/fake_device/device.h, where in addition every call is made to fail in turn; "planned":
 * by the library's own plans of products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/lab.h"
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "lab/rows.h"
#include "gfpoly/gpu_toolkit.h"
#include "poly/device/checks.h"
#include "poly/device/modulus.h"
#include "poly/device/series.h"
#include "poly/device/place.h"

/* A field on both sides, with polynomials; d has one of them, dz results. */
typedef struct site {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    parts s;
    gfp_gpu_poly *da, *db, *dz;
    gfp_gpu_modulus *M;
} site;

static void modulus_ok(const site *w, gfp_status status, const char *what)
{
    gpu_lab_ok(w->gpu, status, what);
}

/* f of degree n. */
static void open_site(site *w, gfp_gpu *gpu, const lab *l, size_t n)
{
    *w = (site){.l = l, .gpu = gpu};
    modulus_ok(w, gfp_gpu_ring_create(&w->ring, gpu, l->field, NULL, NULL), "ring");
    make_parts(&w->s, l->field, n, l->k + n);
    assert_int_equal(gfp_modulus_create(&w->s.M, &w->s.f, NULL), GFP_OK);
    modulus_ok(w, gfp_gpu_poly_create(&w->da, w->ring, NULL), "polynomial");
    modulus_ok(w, gfp_gpu_poly_create(&w->db, w->ring, NULL), "polynomial");
    modulus_ok(w, gfp_gpu_poly_create(&w->dz, w->ring, NULL), "polynomial");
}

static void make_device_modulus(site *w)
{
    gfp_error error = {.message = ""};
    modulus_ok(w, gfp_gpu_poly_upload(w->da, &w->s.f, NULL), "upload");
    if (gfp_gpu_modulus_create(&w->M, w->da, &(gfp_options){.error = &error}) != GFP_OK) {
        fail_msg("%s, degree %zu: %s", w->l->entry->text, w->s.n, error.message);
    }
}

static void close_site(site *w)
{
    gfp_gpu_modulus_destroy(w->M);
    gfp_gpu_poly_destroy(w->da);
    gfp_gpu_poly_destroy(w->db);
    gfp_gpu_poly_destroy(w->dz);
    gfp_gpu_ring_destroy(w->ring);
    clear_parts(&w->s);
}

static void modulus_expect(site *w, const gfp_gpu_poly *dx, const gfp_poly *x, const char *what,
                           size_t i)
{
    gfp_poly got;
    gfp_poly_init(&got, w->l->field);
    modulus_ok(w, gfp_gpu_poly_download(&got, dx, NULL), what);
    if (!gfp_poly_equal(&got, x)) {
        fail_msg("%s: %s modulo degree %zu, case %zu", w->l->entry->text, what, w->s.n, i);
    }
    gfp_poly_clear(&got);
}

/* ---- right results ---- */

/* Every kind of length: below f, f itself, X, up to 2 n terms, more, 0. */
#define KINDS 7
static const gfp_poly *modulus_operand(const site *w, size_t i)
{
    static const gfp_poly zero;
    const parts *s = &w->s;
    const gfp_poly *const all[KINDS] = {&s->a,       &s->f,        &s->x, &s->twice,
                                        &s->several, &s->multiple, &zero};
    return all[i];
}

static void modulus_upload(site *w, gfp_gpu_poly *to, size_t i)
{
    if (i == KINDS - 1) {
        assert_int_equal(gfp_gpu_poly_set_length(to, 0, NULL), GFP_OK);
    } else {
        modulus_ok(w, gfp_gpu_poly_upload(to, modulus_operand(w, i), NULL), "upload");
    }
}

/* The CPU's operand. */
static void modulus_copy(const site *w, gfp_poly *to, size_t i)
{
    if (i == KINDS - 1) {
        gfp_poly_zero(to);
    } else {
        assert_int_equal(gfp_poly_set(to, modulus_operand(w, i)), GFP_OK);
    }
}

static void check_products(site *w, size_t i, size_t j, const gfp_options *options)
{
    parts *s = &w->s;
    modulus_upload(w, w->da, i);
    modulus_upload(w, w->db, j);
    modulus_copy(w, &s->y, i);
    modulus_copy(w, &s->z, j);
    assert_int_equal(gfp_poly_mul_mod(&s->z, &s->y, &s->z, s->M, NULL), GFP_OK);
    modulus_ok(w, gfp_gpu_poly_mul_mod(w->dz, w->da, w->db, w->M, options), "product");
    modulus_expect(w, w->dz, &s->z, "product", KINDS * i + j);
    if (i == j) {
        assert_int_equal(gfp_poly_rem_mod(&s->y, &s->y, s->M, NULL), GFP_OK);
        modulus_ok(w, gfp_gpu_poly_rem_mod(w->dz, w->da, w->M, options), "remainder");
        modulus_expect(w, w->dz, &s->y, "remainder", i);
        modulus_ok(w, gfp_gpu_poly_mul_mod(w->da, w->da, w->da, w->M, options), "square");
        modulus_expect(w, w->da, &s->z, "square", i);
        modulus_ok(w, gfp_gpu_poly_rem_mod(w->db, w->db, w->M, options), "remainder in place");
        modulus_expect(w, w->db, &s->y, "remainder in place", i);
    } else {
        modulus_ok(w, gfp_gpu_poly_mul_mod(w->db, w->da, w->db, w->M, options), "product in place");
        modulus_expect(w, w->db, &s->z, "product in place", KINDS * i + j);
    }
}

static void check_power(site *w, size_t i, const uint64_t *e, size_t limbs,
                        const gfp_options *options)
{
    parts *s = &w->s;
    modulus_upload(w, w->da, i);
    modulus_copy(w, &s->y, i);
    assert_int_equal(gfp_poly_pow_mod(&s->z, &s->y, e, limbs, s->M, NULL), GFP_OK);
    modulus_ok(w, gfp_gpu_poly_pow_mod(w->da, w->da, e, limbs, w->M, options), "power");
    modulus_expect(w, w->da, &s->z, "power", 10 * i + limbs);
}

static void check_powers(site *w, const gfp_options *options)
{
    static const uint64_t exponents[][2] = {{0, 0}, {1, 0}, {2, 0}, {37, 0}, {UINT64_MAX, 5}};
    parts *s = &w->s;
    for (size_t i = 0; i < KINDS; i += i < 3 ? 1 : 2) {
        for (size_t e = 0; e < 5; e++) {
            check_power(w, i, exponents[e], e == 4 ? 2 : 1, options);
        }
    }
    check_power(w, 0, NULL, 0, options);
    check_power(w, KINDS - 1, NULL, 0, options);
    if (s->n > 40 || w->l->k > 8) {
        return;
    }
    assert_int_equal(gfp_poly_pow_mod(&s->z, &s->x, gfp_field_modulus_limbs(w->l->field),
                                      gfp_field_limbs(w->l->field), s->M, NULL),
                     GFP_OK);
    modulus_ok(w, gfp_gpu_poly_upload(w->da, &s->x, NULL), "upload");
    modulus_ok(w,
               gfp_gpu_poly_pow_mod(w->dz, w->da, gfp_field_modulus_limbs(w->l->field),
                                    gfp_field_limbs(w->l->field), w->M, options),
               "power p");
    modulus_expect(w, w->dz, &s->z, "power p", 0);
}

static void moduli_agree(void **state)
{
    static const size_t degrees[] = {1, 2, 9, 33, 64, 65, 130};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0, at = 0; f < oracle_field_count; f++) {
        if (gpu_lab_skips_alike(f) || lab_fields[f].k > 16 ||
            (lab_fields[f].entry->r < 1000 && f % 5 != 0)) {
            continue;
        }
        for (size_t t = 0; t < 2; t++, at++) {
            const size_t n = degrees[(at + at / 7) % 7], most = lab_fields[f].k <= 8 ? 130 : 33;
            gfp_report report = {.points = 99};
            const gfp_options options = {.verify = t == 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE,
                                         .verify_seed = f + 1,
                                         .report = &report};
            site w;
            open_site(&w, gpu, &lab_fields[f], n < most ? n : most);
            make_device_modulus(&w);
            modulus_expect(&w, w.M->f, &w.s.f, "modulus", 0);
            for (size_t i = 0; i < KINDS; i++) {
                check_products(&w, i, i, &options);
                check_products(&w, i, (i + 1 + f % 3) % KINDS, &options);
            }
            check_powers(&w, &options);
            assert_int_equal(report.verified, options.verify);
            assert_true(t == 0 ? report.points > 0 && report.log2_error <= -40
                               : report.points == 0);
            close_site(&w);
        }
    }
    gpu_lab_close(gpu);
}

/* Calls by two moduli alternate: they share the ring's work space. */
static void moduli_of_one_ring_agree(void **state)
{
    static const uint64_t e = 1000003;
    gfp_gpu *gpu = gpu_lab_open();
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 3};
    gfp_modulus *host = NULL;
    gfp_gpu_modulus *device = NULL;
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 40);
    make_device_modulus(&w);
    assert_int_equal(gfp_modulus_create(&host, &w.s.twice, NULL), GFP_OK);
    modulus_ok(&w, gfp_gpu_poly_upload(w.da, &w.s.twice, NULL), "upload");
    modulus_ok(&w, gfp_gpu_modulus_create(&device, w.da, NULL), "modulus");
    for (size_t i = 0; i < 4; i++) {
        gfp_gpu_modulus *M = i % 2 == 0 ? w.M : device;
        assert_int_equal(
            gfp_poly_pow_mod(&w.s.z, &w.s.several, &e, 1, i % 2 == 0 ? w.s.M : host, NULL), GFP_OK);
        modulus_ok(&w, gfp_gpu_poly_upload(w.da, &w.s.several, NULL), "upload");
        modulus_ok(&w, gfp_gpu_poly_pow_mod(w.dz, w.da, &e, 1, M, i < 2 ? NULL : &options),
                   "power");
        modulus_expect(&w, w.dz, &w.s.z, "power", i);
    }
    gfp_gpu_modulus_destroy(device);
    gfp_modulus_destroy(host);
    close_site(&w);
    gpu_lab_close(gpu);
}

/* ---- refused and cancelled ---- */

static void wrong_arguments_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    const uint64_t e = 5;
    site w, other;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 5);
    open_site(&other, gpu, lab_named("p8"), 5);
    assert_int_equal(gfp_gpu_poly_set_length(w.da, 0, NULL), GFP_OK);
    gfp_status status = gfp_gpu_modulus_create(&w.M, w.da, &(gfp_options){.error = &error});
    lab_expect_status(status, GFP_ERR_NOT_INVERTIBLE, &error, "modulus 0");
    modulus_ok(&w, gfp_gpu_poly_one(w.da, NULL), "1");
    status = gfp_gpu_modulus_create(&w.M, w.da, &(gfp_options){.error = &error});
    lab_expect_status(status, GFP_ERR_ARGUMENT, &error, "modulus of degree 0");
    assert_null(w.M);
    gfp_gpu_modulus_destroy(NULL);
    make_device_modulus(&w);
    gfp_options options = {.error = &error};
    modulus_ok(&w, gfp_gpu_poly_upload(w.dz, &w.s.b, NULL), "upload");
    status = gfp_gpu_poly_mul_mod(w.dz, w.da, other.da, w.M, &options);
    lab_expect_status(status, GFP_ERR_FIELD_MISMATCH, &error, "two fields");
    status = gfp_gpu_poly_rem_mod(other.dz, w.da, w.M, &options);
    lab_expect_status(status, GFP_ERR_FIELD_MISMATCH, &error, "two fields");
    status = gfp_gpu_poly_pow_mod(w.dz, w.da, NULL, 1, w.M, &options);
    lab_expect_status(status, GFP_ERR_ARGUMENT, &error, "no exponent");
    options.verify = GFP_VERIFY_CROSS;
    status = gfp_gpu_poly_pow_mod(w.dz, w.da, &e, 1, w.M, &options);
    lab_expect_status(status, GFP_ERR_UNAVAILABLE, &error, "a second method");
    status = gfp_gpu_poly_taylor_shift(w.dz, other.da, lab_sample(w.l, 1),
                                       &(gfp_options){.error = &error});
    lab_expect_status(status, GFP_ERR_FIELD_MISMATCH, &error, "two fields");
    modulus_expect(&w, w.dz, &w.s.b, "output", 0);
    close_site(&w);
    close_site(&other);
    gpu_lab_close(gpu);
}

/* With another f the products of this modulus are wrong, as a check must find; outputs stay. */
static void wrong_products_are_found(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        gfp_error error = {.message = ""};
        gfp_report report = {.points = 0};
        const gfp_options options = {
            .verify = GFP_VERIFY_POINT, .verify_seed = i, .error = &error, .report = &report};
        const uint64_t e[2] = {3, 77};
        site w;
        open_site(&w, gpu, lab_named(i == 0 ? "p2" : i == 1 ? "p8" : "p16"), 70);
        make_device_modulus(&w);
        gfp_gpu_poly *f = w.M->f;
        modulus_ok(&w, gfp_gpu_upload(gfp_gpu_poly_array(f), 0, w.s.twice.digits, w.l->k, NULL),
                   "wrong f");
        modulus_ok(&w, gfp_gpu_poly_upload(w.dz, &w.s.b, NULL), "upload");
        modulus_upload(&w, w.da, 3);
        gfp_status status = gfp_gpu_poly_rem_mod(w.dz, w.da, w.M, &options);
        lab_expect_status(status, GFP_ERR_VERIFY, &error, "remainder");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        modulus_upload(&w, w.da, 0);
        status = gfp_gpu_poly_mul_mod(w.dz, w.da, w.da, w.M, &options);
        lab_expect_status(status, GFP_ERR_VERIFY, &error, "square");
        status = gfp_gpu_poly_pow_mod(w.dz, w.da, e, 2, w.M, &options);
        lab_expect_status(status, GFP_ERR_VERIFY, &error, "power");
        modulus_upload(&w, w.da, 2);
        status = gfp_gpu_poly_pow_mod(w.dz, w.da, e, 2, w.M, &options);
        lab_expect_status(status, GFP_ERR_VERIFY, &error, "power of X");
        modulus_expect(&w, w.dz, &w.s.b, "output", i);
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* The same value of the first element of x that allows it, with a lowest digit of r or more. */
static void modulus_widen(const site *w, gfp_gpu_array *x)
{
    const size_t k = w->l->k;
    uint64_t e[GFP_MAX_K];
    for (size_t i = 0;; i++) {
        modulus_ok(w, gfp_gpu_download(e, x, i * k, k, NULL), "element");
        if (e[1] > 0 && e[1] < gfp_field_r(w->l->field)) {
            e[0] += gfp_field_r(w->l->field);
            e[1]--;
            modulus_ok(w, gfp_gpu_upload(x, i * k, e, k, NULL), "element");
            return;
        }
    }
}

/* A square whose result (1) or quotient (2) is not canonical, but right, is refused. */
static void check_square(site *w, unsigned wide)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 5, .error = &error};
    const size_t n = w->s.n;
    const gfp_gpu_array *x = gfp_gpu_poly_array(w->da);
    const gfp_gpu_term a = {.rows = {(gfp_gpu_array *)x, 0, n}, .len = n, .value = GFP_GPU_VALUE_A};
    const gfp_gpu_identity square = {GFP_GPU_IDENTITY_PRODUCT, GFP_GPU_VALUE_A, GFP_GPU_VALUE_A,
                                     GFP_GPU_VALUE_RESULT, 0};
    gfp_gpu_operation op;
    gfp_gpu_modular call = {.op = &op};
    modulus_ok(w, gfp_gpu_operation_begin(&op, "test", &options), "begin");
    modulus_ok(w, gfp_gpu_operation_start(&op, w->ring, true, 1), "start");
    modulus_ok(w, gfp_gpu_modular_prepare(&call, w->M, 1, GFP_GPU_VALUE_TABLE), "prepare");
    modulus_ok(w, gfp_gpu_modular_value(&call, GFP_GPU_VALUE_A, x, n), "factor");
    modulus_ok(w, gfp_gpu_modulus_multiply(w->M, &a, &a, 0), "square");
    if (wide > 0) {
        modulus_widen(w, wide == 1 ? w->M->result : w->M->quotient);
    }
    modulus_ok(w, gfp_gpu_modular_product(&call, &square), "product");
    const gfp_status status = gfp_gpu_operation_end(&op, gfp_gpu_modular_compare(&call));
    lab_expect_status(status, wide > 0 ? GFP_ERR_VERIFY : GFP_OK, &error, "square");
    assert_true((strstr(error.message, "not canonical") != NULL) == (wide > 0));
}

static void wide_digits_are_found(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        site w;
        open_site(&w, gpu, lab_named(i == 0 ? "p2" : i == 1 ? "p8" : "p16"), 70);
        make_device_modulus(&w);
        modulus_upload(&w, w.da, 0);
        modulus_ok(&w, gfp_gpu_poly_rem_mod(w.da, w.da, w.M, NULL), "remainder");
        for (unsigned wide = 0; wide < 3; wide++) {
            check_square(&w, wide);
        }
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

static void calls_are_cancelled(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_error error = {.message = ""};
    const uint64_t e[2] = {5, 9};
    bool cancelled = true;
    size_t stop = 0;
    site w;
    (void)state;
    open_site(&w, gpu, lab_named("p4"), 20);
    make_device_modulus(&w);
    assert_int_equal(gfp_poly_pow_mod(&w.s.z, &w.s.twice, e, 2, w.s.M, NULL), GFP_OK);
    for (; cancelled; stop += 1 + stop / 4) {
        watcher user = {.stop_at = stop};
        const gfp_progress progress = {watch_step, &user};
        const gfp_options options = {
            .verify = GFP_VERIFY_POINT, .progress = &progress, .error = &error};
        modulus_upload(&w, w.da, 3);
        modulus_ok(&w, gfp_gpu_poly_upload(w.dz, &w.s.b, NULL), "upload");
        const gfp_status status = gfp_gpu_poly_pow_mod(w.dz, w.da, e, 2, w.M, &options);
        cancelled = status != GFP_OK;
        if (cancelled) {
            lab_expect_status(status, GFP_ERR_CANCELLED, &error, "power");
            modulus_expect(&w, w.dz, &w.s.b, "output", stop);
        } else {
            assert_true(user.last == 1);
        }
    }
    assert_true(stop > 60);
    modulus_expect(&w, w.dz, &w.s.z, "power", 0);
    close_site(&w);
    gpu_lab_close(gpu);
}

/* ---- Taylor shifts ---- */

static void check_shift(site *w, size_t len, const uint64_t *c)
{
    parts *s = &w->s;
    gfp_random g;
    gfp_report report = {.points = 0};
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K];
    gfp_random_seed(&g, len);
    random_poly(&s->y, len, &g);
    modulus_ok(w, gfp_gpu_poly_upload(w->da, &s->y, NULL), "upload");
    const gfp_status status = gfp_poly_taylor_shift(&s->z, &s->y, c, NULL);
    if (status != GFP_OK) {
        assert_int_equal(status, GFP_ERR_UNAVAILABLE);
        assert_int_equal(gfp_gpu_poly_taylor_shift(w->dz, w->da, c, NULL), status);
        return;
    }
    modulus_ok(w, gfp_gpu_poly_taylor_shift(w->dz, w->da, c, NULL), "shift");
    modulus_expect(w, w->dz, &s->z, "shift", len);
    const gfp_status checked = checked_shift(w->dz, w->da, c, 3, &report);
    assert_true(checked == GFP_OK || (checked == GFP_ERR_UNAVAILABLE && w->l->entry->r < 1000));
    if (checked == GFP_OK && len > 0) {
        assert_true(report.points > 0 && report.log2_error <= -40);
        modulus_ok(w,
                   gfp_gpu_download(e, gfp_gpu_poly_array(w->dz), len / 2 * w->l->k, w->l->k, NULL),
                   "coefficient");
        gfp_elem_one(w->l->field, one);
        gfp_elem_add(w->l->field, e, e, one);
        modulus_ok(w,
                   gfp_gpu_upload(gfp_gpu_poly_array(w->dz), len / 2 * w->l->k, e, w->l->k, NULL),
                   "spoil");
        assert_int_equal(checked_shift(w->dz, w->da, c, 4, &report), GFP_ERR_VERIFY);
    }
    modulus_ok(w, gfp_gpu_poly_taylor_shift(w->da, w->da, c, NULL), "shift in place");
    modulus_expect(w, w->da, &s->z, "shift in place", len);
}

static void shifts_agree(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 17, 130, 300, 517};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site w;
        uint64_t zero[GFP_MAX_K] = {0};
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        open_site(&w, gpu, &lab_fields[f], 1);
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            if (lengths[i] < 20 || (w.l->k <= 8 && (f + i) % 2 == 0)) {
                check_shift(&w, lengths[i], lab_sample(w.l, f + i));
            }
        }
        check_shift(&w, 9, zero);
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* ---- geometric progressions ---- */

/* Values on both sides, spoiled ones, and interpolation. */
typedef struct progression {
    const uint64_t *start, *ratio;
    size_t len, n;
} progression;

static void expect_verdict(site *w, const gfp_gpu_array *values, const progression *p,
                           gfp_status expected)
{
    gfp_report report = {.points = 0};
    const gfp_status status =
        checked_geometric(w->da, values, p->start, p->ratio, p->n, 3, &report);
    if (status == GFP_ERR_UNAVAILABLE) { /* p is small */
        assert_true(w->l->entry->r < 1000);
        return;
    }
    lab_expect_status(status, expected, NULL, "check");
    assert_true(p->n == 0 || (report.points > 0 && report.log2_error <= -40));
}

static void check_values(site *w, gfp_gpu_array *device, uint64_t *values, const progression *p)
{
    const size_t k = w->l->k;
    uint64_t *got = lab_array(p->n * k + 1), e[GFP_MAX_K], one[GFP_MAX_K];
    modulus_ok(w, gfp_gpu_poly_eval_geometric(device, w->da, p->start, p->ratio, p->n, NULL),
               "values");
    assert_int_equal(gfp_poly_eval_geometric(values, &w->s.y, p->start, p->ratio, p->n, NULL),
                     GFP_OK);
    if (p->n > 0) {
        modulus_ok(w, gfp_gpu_download(got, device, 0, p->n * k, NULL), "download");
        lab_expect_digits(w->l, got, values, p->n, "values", p->len, p->n);
    }
    expect_verdict(w, device, p, GFP_OK);
    if (p->n > 0) {
        gfp_elem_one(w->l->field, one);
        gfp_elem_add(w->l->field, e, values + p->n / 2 * k, one);
        modulus_ok(w, gfp_gpu_upload(device, p->n / 2 * k, e, k, NULL), "spoil");
        expect_verdict(w, device, p, GFP_ERR_VERIFY);
        modulus_ok(w, gfp_gpu_upload(device, 0, values, p->n * k, NULL), "upload");
    }
    lab_free(got);
}

static void check_progression(site *w, const progression *p)
{
    gfp_random g;
    gfp_error error = {.message = ""}, expected = {.message = ""};
    const gfp_options options = {.error = &expected};
    const size_t k = w->l->k;
    uint64_t *values = lab_array(p->n * k + 1);
    gfp_gpu_array *device = NULL;
    gfp_random_seed(&g, p->n + p->len);
    random_poly(&w->s.y, p->len, &g);
    modulus_ok(w, gfp_gpu_poly_upload(w->da, &w->s.y, NULL), "upload");
    modulus_ok(w, gfp_gpu_array_create(&device, w->gpu, p->n * k + 2, NULL), "array");
    check_values(w, device, values, p);
    const gfp_status status =
        gfp_poly_interpolate_geometric(&w->s.z, values, p->start, p->ratio, p->n, &options);
    assert_true(status == GFP_OK || status == GFP_ERR_NOT_INVERTIBLE);
    lab_expect_status(gfp_gpu_poly_interpolate_geometric(w->dz, device, p->start, p->ratio, p->n,
                                                         &(gfp_options){.error = &error}),
                      status, &error, "interpolation");
    if (status == GFP_OK) {
        modulus_expect(w, w->dz, &w->s.z, "interpolation", p->n);
        modulus_ok(w, gfp_gpu_poly_set(w->da, w->dz, NULL), "copy");
        expect_verdict(w, device, p, GFP_OK);
    } else {
        assert_true(error.index == expected.index);
    }
    gfp_gpu_array_destroy(device);
    lab_free(values);
}

static void progressions_agree(void **state)
{
    static const size_t lengths[][2] = {{0, 3}, {1, 1},  {1, 5},   {4, 0},    {2, 2},
                                        {5, 1}, {17, 9}, {9, 140}, {200, 33}, {130, 130}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site w;
        uint64_t zero[GFP_MAX_K] = {0}, one[GFP_MAX_K], minus[GFP_MAX_K], two[GFP_MAX_K];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        open_site(&w, gpu, &lab_fields[f], 1);
        gfp_elem_one(w.l->field, one);
        gfp_elem_neg(w.l->field, minus, one);
        gfp_elem_add(w.l->field, two, one, one);
        const uint64_t *const ratios[] = {
            two, zero, one, minus, lab_sample(w.l, f + 1), lab_sample(w.l, f + 5)};
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            const size_t len = lengths[i][0], n = lengths[i][1], most = len > n ? len : n;
            for (size_t j = 0; j < (most < 20 ? 6 : 2) && (most < 20 || w.l->k <= 8); j++) {
                const uint64_t *q = ratios[most < 20 ? j : j == 0 ? 0 : 4];
                check_progression(&w, &(progression){lab_sample(w.l, f + i), q, len, n});
            }
        }
        check_progression(&w, &(progression){zero, two, 5, 4});
        check_progression(&w, &(progression){zero, two, 5, 1});
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* ---- quotients ---- */

/* A quotient of n terms by an inverse of a quarter of them, which only long ones take by
 * themselves. */
static void check_quarters(site *w, size_t n, size_t len_a, size_t len_b)
{
    const unsigned k = w->l->k;
    const size_t m = (n + 3) / 4;
    uint64_t *a = gpu_lab_random(w->l, len_a, n), *b = gpu_lab_random(w->l, len_b, n + 1);
    uint64_t *q = lab_array(n * k);
    gfp_elem_one(w->l->field, b);
    gfp_gpu_array *da = gpu_lab_upload(w->gpu, a, len_a * k);
    gfp_gpu_array *db = gpu_lab_upload(w->gpu, b, len_b * k);
    gfp_gpu_array *dg = gpu_lab_array(w->gpu, m * k), *dq = gpu_lab_array(w->gpu, n * k);
    const gfp_gpu_rows rg = {dg, 0, m}, rq = {dq, 0, n};
    const gfp_gpu_pairs pairs = {{da, 0, len_a}, {db, 0, len_b}, len_a, len_b, 1};
    assert_int_equal(gfp_vec_div_series(w->l->field, q, n, a, len_a, b, len_b, NULL), GFP_OK);
    modulus_ok(w, gfp_gpu_vec_inv_series(w->ring, &rg, m, &pairs.b, len_b, 1, NULL), "inverse");
    modulus_ok(w, gfp_gpu_rows_divide(w->ring, &rq, n, &pairs, &rg, m), "quotient");
    gpu_lab_expect(w->l, dq, q, n, "quotient by quarters", len_a, len_b);
    gfp_gpu_array_destroy(da);
    gfp_gpu_array_destroy(db);
    gfp_gpu_array_destroy(dg);
    gfp_gpu_array_destroy(dq);
    lab_free(a);
    lab_free(b);
    lab_free(q);
}

static void quotients_by_quarters_agree(void **state)
{
    static const size_t lengths[] = {4, 5, 6, 7, 17, 64, 130, 131, 132, 133, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        site w;
        if (gpu_lab_skips(f) || lab_fields[f].k > 8 || f % 2 != 0) {
            continue;
        }
        open_site(&w, gpu, &lab_fields[f], 1);
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            const size_t n = lengths[i];
            check_quarters(&w, n, n, n);
            check_quarters(&w, n, 1 + n / 5, n + 3);
            check_quarters(&w, n, n + 2, n / 4);
            check_quarters(&w, n, n, (n + 1) / 2);
        }
        assert_int_equal(gfp_gpu_quotient_terms(w.ring, 301, 1), 151);
        assert_int_equal(gfp_gpu_quotient_terms(w.ring, (size_t)1 << 22, 1), 1 << 20);
        assert_int_equal(gfp_gpu_quotient_terms(w.ring, (size_t)1 << 22, 2), 1 << 21);
        close_site(&w);
    }
    gpu_lab_close(gpu);
}

/* ---- failures ---- */

static gfp_status play_progression(site *w)
{
    const uint64_t *s = w->s.a.digits, *q = s + w->l->k;
    gfp_gpu_array *values = NULL;
    gfp_status status = gfp_gpu_array_create(&values, w->gpu, 30 * w->l->k, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_eval_geometric(values, w->db, s, q, 30, NULL);
    status = status != GFP_OK ? status
                              : gfp_gpu_poly_interpolate_geometric(w->dz, values, s, q, 30, NULL);
    status = status != GFP_OK ? status : checked_geometric(w->dz, values, s, q, 30, 3, NULL);
    gfp_gpu_array_destroy(values);
    return status;
}

static gfp_status modulus_play(site *w)
{
    const uint64_t e = 199;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 5};
    gfp_gpu_modulus *M = NULL;
    gfp_status status = gfp_gpu_poly_upload(w->da, &w->s.f, NULL);
    status = status != GFP_OK ? status : gfp_gpu_modulus_create(&M, w->da, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_upload(w->da, &w->s.twice, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_upload(w->db, &w->s.several, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_mul_mod(w->dz, w->da, w->db, M, &options);
    status = status != GFP_OK ? status : gfp_gpu_poly_pow_mod(w->dz, w->da, &e, 1, M, &options);
    status = status != GFP_OK ? status : gfp_gpu_poly_upload(w->da, &w->s.x, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_pow_mod(w->da, w->da, &e, 1, M, NULL);
    status =
        status != GFP_OK ? status : gfp_gpu_poly_taylor_shift(w->dz, w->db, w->s.a.digits, NULL);
    status = status != GFP_OK ? status : checked_shift(w->dz, w->db, w->s.a.digits, 3, NULL);
    status = status != GFP_OK ? status : play_progression(w);
    status = status != GFP_OK ? status : gfp_gpu_wait(w->gpu, NULL);
    gfp_gpu_modulus_destroy(M);
    return status;
}

static void *open_faults(gfp_gpu *gpu)
{
    site *w = malloc(sizeof *w);
    assert_non_null(w);
    open_site(w, gpu, lab_named("p4"), 22);
    return w;
}

static gfp_status play_faults(void *operands)
{
    return modulus_play(operands);
}

static void close_faults(void *operands)
{
    close_site(operands);
    free(operands);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    expect_faults_survived(&(fault_scene){open_faults, play_faults, NULL, close_faults,
                                          .least = 200, .most = 5000, .dense = 40});
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moduli_agree),
        cmocka_unit_test(moduli_of_one_ring_agree),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(wide_digits_are_found),
        cmocka_unit_test(calls_are_cancelled),
        cmocka_unit_test(shifts_agree),
        cmocka_unit_test(progressions_agree),
        cmocka_unit_test(quotients_by_quarters_agree),
        cmocka_unit_test(every_call_may_fail),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
