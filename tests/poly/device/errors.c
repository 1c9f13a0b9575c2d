/* errors.c: resident polynomials: products whose check fails, what is refused; over
 * tests/lab/fake_device/device.h, where in addition every call is made to fail in turn, plans in
 * little memory.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/checks.h"
#include "poly/device/lab.h"

#include "poly/device/type.h"
#include "lab/meter.h"
#include "lab/rows.h"

/* As gpu_lab_open; the test is skipped on other devices. */
static gfp_gpu *open_fake_device(void)
{
    if (!over_fake_device()) {
        skip();
    }
    return gpu_lab_open();
}

/* ---- verification ---- */

static gfp_status errors_verify(pair *p, gfp_report *report)
{
    return checked_mul(p->dc, p->da, p->db, 12345, report);
}

/* Makes coefficient i of c and of dc differ by 1; the length stays. */
static void errors_spoil(pair *p, size_t i)
{
    uint64_t x[GFP_MAX_K], one[GFP_MAX_K];
    gfp_elem_one(p->l->field, one);
    gfp_poly_get_coeff(x, &p->c, i);
    gfp_elem_add(p->l->field, x, x, one);
    lab_ok(p, gfp_gpu_upload(gfp_gpu_poly_array(p->dc), i * p->l->k, x, p->l->k, NULL), "spoiling");
}

static void check_verification(pair *p)
{
    gfp_report report = {.points = 77};
    assert_int_equal(gfp_poly_mul(&p->c, &p->a, &p->b, NULL), GFP_OK);
    lab_upload(p);
    lab_ok(p, gfp_gpu_poly_upload(p->dc, &p->c, NULL), "upload");
    lab_ok(p, errors_verify(p, &report), "verification");
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    assert_in_range(report.points, 1, 4);
    assert_true(report.log2_error <= -40);
    const size_t places[] = {0, 1, p->c.len / 2, p->c.len - 1};
    for (size_t i = 0; LAB_ROW(places, i); i++) {
        if (places[i] < p->c.len) {
            lab_ok(p, gfp_gpu_poly_upload(p->dc, &p->c, NULL), "upload");
            errors_spoil(p, places[i]);
            assert_int_equal(errors_verify(p, &report), GFP_ERR_VERIFY);
        }
    }
    lab_ok(p, gfp_gpu_poly_upload(p->dc, &p->c, NULL), "upload");
    lab_ok(p, gfp_gpu_poly_shift_left(p->dc, p->dc, 1, NULL), "shift");
    assert_int_equal(errors_verify(p, NULL), GFP_ERR_VERIFY);
    assert_int_equal(gfp_gpu_poly_set_length(p->dc, 0, NULL), GFP_OK);
    assert_int_equal(errors_verify(p, NULL), GFP_ERR_VERIFY);
}

static void wrong_products_are_found(void **state)
{
    const size_t lengths[][2] = {{1, 1}, {5, 1}, {64, 64}, {700, 33}, {1500, 1500}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        const bool small = p.l->entry->r < 1 << 16;
        for (size_t i = 0; i < (small || p.l->k > 32 ? 3 : 5); i++) {
            lab_fill(p.l, &p.a, lengths[i][0], i);
            lab_fill(p.l, &p.b, lengths[i][1], i + 1);
            check_verification(&p);
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

static void squares_and_zeros_are_verified(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_report report;
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[2]);
    lab_ok(&p, errors_verify(&p, &report), "0 = 0 * 0");
    lab_fill(p.l, &p.a, 400, 3);
    lab_upload(&p);
    lab_ok(&p, errors_verify(&p, &report), "0 = a * 0");
    lab_ok(&p, gfp_gpu_poly_set(p.dc, p.da, NULL), "copy");
    assert_int_equal(errors_verify(&p, &report), GFP_ERR_VERIFY);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da, NULL), "square");
    lab_ok(&p, checked_mul(p.dc, p.da, p.da, 0, &report), "a square");
    lab_ok(&p, gfp_gpu_poly_neg(p.dc, p.dc, NULL), "negation");
    assert_int_equal(checked_mul(p.dc, p.da, p.da, 0, NULL), GFP_ERR_VERIFY);
    /* The same residue class, other digits. */
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da, NULL), "square");
    uint64_t *x = lab_array(p.l->k);
    for (size_t i = 0; i < p.l->k; i++) {
        x[i] = p.l->entry->r;
    }
    lab_ok(&p, gfp_gpu_upload(gfp_gpu_poly_array(p.dc), 0, x, p.l->k, NULL), "digits");
    assert_int_equal(checked_mul(p.dc, p.da, p.da, 0, NULL), GFP_ERR_VERIFY);
    lab_free(x);
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* Tiny fields: no set of points is large enough, unless residues are the polynomials. */
static void too_few_points_are_refused(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_report report = {.points = 77};
    pair p;
    (void)state;
    pair_open(&p, gpu, lab_named("16^2+1"));
    lab_fill(p.l, &p.a, 2000, 1);
    lab_upload(&p);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da, NULL), "square");
    assert_int_equal(checked_mul(p.dc, p.da, p.da, 1, &report), GFP_ERR_UNAVAILABLE);
    assert_int_equal(report.points, 77);
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* ---- errors ---- */

static void what_is_refused_changes_nothing(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_gpu_ring *untouched = (gfp_gpu_ring *)&other, *ring = untouched;
    const gfp_gpu_ring_options wrong = {.method = (gfp_gpu_method)77};
    gfp_error error = {.message = ""};
    bool equal = true;
    pair p, q, s;
    (void)state;
    assert_int_equal(gfp_gpu_ring_create(&ring, gpu, lab_fields[0].field, &wrong,
                                         &(gfp_options){.error = &error}),
                     GFP_ERR_ARGUMENT);
    assert_ptr_equal(ring, untouched);
    pair_open(&p, gpu, &lab_fields[0]);
    pair_open(&q, gpu, &lab_fields[1]);
    pair_open(&s, other, &lab_fields[0]);
    lab_fill(p.l, &p.a, 10, 1);
    lab_fill(p.l, &p.b, 10, 2);
    lab_upload(&p);
    lab_ok(&p, gfp_gpu_poly_set(p.dc, p.da, NULL), "copy");
    lab_ok(&q, gfp_gpu_poly_one(q.da, NULL), "one");
    lab_ok(&s, gfp_gpu_poly_one(s.da, NULL), "one");
    assert_int_equal(gfp_gpu_poly_add(p.dc, p.da, q.da, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_mul(p.dc, q.da, p.db, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_set(p.dc, q.da, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_upload(p.dc, &q.a, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_download(&q.a, p.dc, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_equal(&equal, p.dc, q.da, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_sub(p.dc, p.da, s.da, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_mul(p.dc, s.da, p.db, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_shift_left(p.dc, p.da, SIZE_MAX, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_gpu_poly_shift_left(p.dc, p.da, SIZE_MAX / 4, NULL), GFP_ERR_SIZE);
    assert_int_equal(gfp_gpu_poly_fit_length(p.dc, SIZE_MAX / 2, NULL), GFP_ERR_SIZE);
    lab_ok(&p, gfp_gpu_poly_shift_left(p.db, p.da, 1, NULL), "shift");
    assert_int_equal(gfp_gpu_poly_inv_series(p.dc, p.db, 100, NULL), GFP_ERR_NOT_INVERTIBLE);
    assert_int_equal(gfp_gpu_poly_set_length(p.db, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_poly_inv_series(p.dc, p.db, 100, NULL), GFP_ERR_NOT_INVERTIBLE);
    expect_poly(&p, p.dc, &p.a, "after calls that were refused");
    pair_close(&p);
    pair_close(&q);
    pair_close(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* A little of everything that makes plans and areas. */
static gfp_status errors_scenario(pair *p)
{
    bool equal = false;
    uint64_t y[GFP_MAX_K];
    gfp_status status = gfp_gpu_poly_upload(p->da, &p->a, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_upload(p->db, &p->b, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_mul(p->dc, p->da, p->db, NULL);
    status = status != GFP_OK ? status : checked_mul(p->dc, p->da, p->db, 1, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_sub(p->dc, p->db, p->dc, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_reverse(p->dc, p->dc, 300, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_shift_left(p->dc, p->dc, 3, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_inv_series(p->db, p->da, 600, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_eval(y, p->db, p->a.digits, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_equal(&equal, p->da, p->dc, NULL);
    return status;
}

static void *open_faults(gfp_gpu *gpu)
{
    pair *w = malloc(sizeof *w);
    assert_non_null(w);
    pair_open(w, gpu, &lab_fields[0]);
    lab_fill(w->l, &w->a, 100, 1);
    lab_fill(w->l, &w->b, 70, 2);
    gfp_elem_one(w->l->field, w->a.digits);
    return w;
}

static gfp_status play_faults(void *operands)
{
    return errors_scenario(operands);
}

static void close_faults(void *operands)
{
    pair_close(operands);
    free(operands);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    expect_faults_survived(&(fault_scene){open_faults, play_faults, NULL, close_faults, .least = 40,
                                          .most = 400, .dense = 0});
}

/* A product without memory leaves its output unchanged and frees other plans. */
static void plans_make_room(void **state)
{
    gfp_gpu *gpu = open_fake_device();
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    for (size_t len = 100; len <= 800; len *= 2) {
        lab_fill(p.l, &p.a, len, len);
        lab_upload(&p);
        lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da, NULL), "square");
    }
    assert_int_equal(fake_plans(), 4);
    lab_fill(p.l, &p.b, 3000, 1);
    lab_ok(&p, gfp_gpu_poly_upload(p.db, &p.b, NULL), "upload");
    lab_ok(&p, gfp_gpu_poly_fit_length(p.dc, 5999, NULL), "room");
    lab_fill(p.l, &p.c, 5, 1);
    lab_ok(&p, gfp_gpu_poly_upload(p.dc, &p.c, NULL), "upload");
    const size_t memory = gfp_gpu_memory_used(gpu) + 1000;
    fake_memory(memory);
    lab_ok(&p, gfp_gpu_poly_set(p.da, p.dc, NULL), "copy");
    assert_int_equal(gfp_gpu_poly_mul(p.dc, p.db, p.db, NULL), GFP_ERR_MEMORY);
    assert_int_equal(fake_plans(), 0);
    expect_poly(&p, p.dc, &p.c, "after a product without memory");
    fake_memory(memory + (size_t)100 * 6000);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.db, p.db, NULL), "square");
    fake_memory(SIZE_MAX);
    assert_int_equal(gfp_poly_sqr(&p.c, &p.b, NULL), GFP_OK);
    expect_poly(&p, p.dc, &p.c, "square with little memory");
    gfp_gpu_ring_trim(p.ring);
    assert_int_equal(fake_plans(), 0);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.db, p.db, NULL), "square");
    expect_poly(&p, p.dc, &p.c, "square after a trim");
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* A call without memory on the host does not quote what an earlier call missed on the device. */
static void earlier_failures_are_no_reasons(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    meter m = {.fail_at = 0, .lasting = true};
    gfp_error first = {.status = GFP_OK}, second = {.status = GFP_OK};
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    lab_fill(p.l, &p.a, 300, 1);
    lab_fill(p.l, &p.b, 200, 2);
    lab_upload(&p);
    assert_int_equal(
        gfp_gpu_poly_mul(p.dc, p.da, p.db, &(gfp_options){.gpu_memory_cap = 1, .error = &first}),
        GFP_ERR_MEMORY);
    assert_non_null(strstr(first.message, "device memory"));
    const gfp_allocator allocator = p.ring->allocator;
    p.ring->allocator = meter_hook(&m);
    assert_int_equal(gfp_gpu_poly_mul(p.dc, p.da, p.db, &(gfp_options){.error = &second}),
                     GFP_ERR_MEMORY);
    p.ring->allocator = allocator;
    assert_null(strstr(second.message, "device"));
    assert_int_equal(gfp_gpu_last_error(gpu)->status, GFP_ERR_MEMORY);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.db, NULL), "product");
    assert_int_equal(gfp_gpu_last_error(gpu)->status, GFP_ERR_MEMORY);
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* Plans are kept and found again; the one not used for the longest time is freed first. */
static void plans_are_kept_within_their_limit(void **state)
{
    gfp_gpu *gpu = open_fake_device();
    gfp_gpu_ring *ring = NULL;
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    /* A plan takes 16 bytes for a term of a factor. */
    const gfp_gpu_ring_options options = {.plan_bytes = 16 * 2 * 1024 * 3};
    lab_ok(&p, gfp_gpu_ring_create(&ring, gpu, p.l->field, &options, NULL), "ring");
    gfp_gpu_poly *c = lab_make(ring);
    const size_t lengths[] = {1024, 1000, 1020, 512, 500, 1024, 1024 * 2, 512, 1024, 4096, 4096};
    const size_t made[] = {1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 6};
    const size_t kept[] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1};
    const size_t before = fake_plans_made();
    for (size_t i = 0; LAB_ROW(lengths, i); i++) {
        lab_fill(p.l, &p.a, lengths[i], i);
        lab_ok(&p, gfp_gpu_poly_upload(p.da, &p.a, NULL), "upload");
        lab_ok(&p, gfp_gpu_poly_mul(c, p.da, p.da, NULL), "square");
        assert_int_equal(gfp_poly_sqr(&p.c, &p.a, NULL), GFP_OK);
        expect_poly(&p, c, &p.c, "square");
        if (fake_plans_made() - before != made[i] || fake_plans() != kept[i]) {
            fail_msg("step %zu: %zu plans made, %zu kept", i, fake_plans_made() - before,
                     fake_plans());
        }
    }
    gfp_gpu_poly_destroy(c);
    gfp_gpu_ring_destroy(ring);
    pair_close(&p);
    gpu_lab_close(gpu);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(squares_and_zeros_are_verified),
        cmocka_unit_test(too_few_points_are_refused),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(plans_make_room),
        cmocka_unit_test(earlier_failures_are_no_reasons),
        cmocka_unit_test(plans_are_kept_within_their_limit),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
