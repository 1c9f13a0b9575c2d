/* type.c: resident polynomials against gfp_poly, digit for digit: every operation, every
 * overlap, products by plans for classes of lengths, inverses of series. On a device or, if the
 * environment variable GFPOLY_TEST_DEVICE is "fake", over tests/lab/fake_device/device.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/device/lab.h"
#include "lab/rows.h"

/* ---- linear operations ---- */

static void storage_keeps_coefficients(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, l);
        expect_poly(&p, p.da, &p.a, "nothing yet");
        lab_fill(l, &p.a, 37, f);
        lab_upload(&p);
        expect_poly(&p, p.da, &p.a, "there and back");
        lab_ok(&p, gfp_gpu_poly_fit_length(p.da, 100, NULL), "room");
        assert_int_equal(gfp_gpu_array_words(gfp_gpu_poly_array(p.da)), 100 * l->k);
        expect_poly(&p, p.da, &p.a, "room");
        for (size_t i = 0; i < 37; i += 3) {
            gfp_poly_get_coeff(x, &p.a, i);
            lab_ok(&p, gfp_gpu_download(y, gfp_gpu_poly_array(p.da), i * l->k, l->k, NULL),
                   "coefficient");
            lab_expect_digits(l, y, x, 1, "coefficient", i, 0);
        }
        lab_ok(&p, gfp_gpu_poly_set(p.dc, p.da, NULL), "copy");
        expect_poly(&p, p.dc, &p.a, "copy");
        lab_ok(&p, gfp_gpu_poly_one(p.dc, NULL), "one");
        assert_int_equal(gfp_poly_one(&p.c), GFP_OK);
        expect_poly(&p, p.dc, &p.c, "one");
        assert_int_equal(gfp_gpu_poly_set_length(p.da, 0, NULL), GFP_OK);
        expect_poly(&p, p.da, &p.b, "zero");
        assert_int_equal(gfp_gpu_poly_set_length(p.da, 101, NULL), GFP_ERR_ARGUMENT);
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

/* The memory of one array serves as memory of other code. */
static void memory_of_other_code_is_adopted(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    gfp_gpu_array *owner = NULL, *adopted = NULL;
    uint64_t words[40], back[40];
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        words[i] = 3 * i + 1;
    }
    gpu_lab_ok(gpu, gfp_gpu_array_create(&owner, gpu, 40, NULL), "array");
    gpu_lab_ok(gpu, gfp_gpu_upload(owner, 0, words, 40, NULL), "upload");
    const size_t used = gfp_gpu_memory_used(gpu);
    unsigned char *address = gfp_gpu_array_address(owner);
    assert_non_null(address);
    gpu_lab_ok(gpu, gfp_gpu_array_adopt(&adopted, gpu, address + 16, 38, NULL), "adopt");
    assert_int_equal(gfp_gpu_memory_used(gpu), used);
    assert_int_equal(gfp_gpu_array_words(adopted), 38);
    assert_ptr_equal(gfp_gpu_array_address(adopted), address + 16);
    gpu_lab_ok(gpu, gfp_gpu_download(back, adopted, 0, 38, NULL), "download");
    assert_memory_equal(back, words + 2, 38 * sizeof *back);
    gpu_lab_ok(gpu, gfp_gpu_upload(adopted, 5, words, 1, NULL), "upload");
    gfp_gpu_array_destroy(adopted);
    gpu_lab_ok(gpu, gfp_gpu_download(back, owner, 0, 40, NULL), "download");
    words[7] = words[0];
    assert_memory_equal(back, words, sizeof back);
    adopted = NULL;
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, address + 8, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, NULL, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, address, SIZE_MAX, NULL), GFP_ERR_SIZE);
    assert_null(adopted);
    gpu_lab_ok(gpu, gfp_gpu_array_adopt(&adopted, gpu, NULL, 0, NULL), "nothing");
    gfp_gpu_array_destroy(adopted);
    gfp_gpu_array_destroy(owner);
    gpu_lab_close(gpu);
}

/* Another context, which does not wait for its own work, is the other code. */
static void work_of_other_code_is_waited_for(void **state)
{
    enum { WORDS = 40 };
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_gpu_array *owner = NULL, *view = NULL, *from = NULL;
    uint64_t words[WORDS], back[WORDS];
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = 5 * i + 2;
    }
    gpu_lab_ok(gpu, gfp_gpu_array_create(&owner, gpu, WORDS, NULL), "array");
    gpu_lab_ok(other, gfp_gpu_array_create(&from, other, WORDS, NULL), "array");
    gpu_lab_ok(other, gfp_gpu_array_adopt(&view, other, gfp_gpu_array_address(owner), WORDS, NULL),
               "adopt");
    gpu_lab_ok(other, gfp_gpu_upload(from, 0, words, WORDS, NULL), "upload");
    gpu_lab_ok(other, gfp_gpu_set(view, from, WORDS, NULL), "copy");
    gpu_lab_ok(gpu, gfp_gpu_wait_device(gpu, NULL), "wait");
    gpu_lab_ok(gpu, gfp_gpu_download(back, owner, 0, WORDS, NULL), "download");
    assert_memory_equal(back, words, sizeof back);
    gfp_gpu_array_destroy(view);
    gfp_gpu_array_destroy(from);
    gpu_lab_close(other);
    gfp_gpu_array_destroy(owner);
    gpu_lab_close(gpu);
}

static void raw_coefficients_are_normalised(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    const size_t k = p.l->k;
    for (size_t zeros = 0; zeros <= 5000; zeros = 7 * zeros + 1) {
        lab_fill(p.l, &p.a, 20, zeros);
        lab_ok(&p, gfp_gpu_poly_fit_length(p.da, 20 + zeros, NULL), "room");
        uint64_t *x = lab_array((20 + zeros) * k);
        memset(x, 0, (20 + zeros) * k * sizeof *x);
        memcpy(x, p.a.digits, 20 * k * sizeof *x);
        lab_ok(&p, gfp_gpu_upload(gfp_gpu_poly_array(p.da), 0, x, (20 + zeros) * k, NULL), "raw");
        lab_ok(&p, gfp_gpu_poly_set_length(p.da, 20 + zeros, NULL), "length");
        assert_int_equal(p.da->len, 20 + zeros);
        expect_poly(&p, p.da, &p.a, "leading zeros");
        lab_free(x);
    }
    pair_close(&p);
    gpu_lab_close(gpu);
}

typedef gfp_status (*device_unary)(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                                   const gfp_options *options);
typedef gfp_status (*host_unary)(gfp_poly *b, const gfp_poly *a, size_t n);

static gfp_status device_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                             const gfp_options *options)
{
    (void)n;
    return gfp_gpu_poly_neg(b, a, options);
}

static gfp_status host_neg(gfp_poly *b, const gfp_poly *a, size_t n)
{
    (void)n;
    return gfp_poly_neg(b, a);
}

/* By a sample of a's field. */
static const lab *scaling;

static gfp_status device_scale(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n,
                               const gfp_options *options)
{
    return gfp_gpu_poly_scalar_mul(b, a, lab_sample(scaling, n), options);
}

static gfp_status host_scale(gfp_poly *b, const gfp_poly *a, size_t n)
{
    return gfp_poly_scalar_mul(b, a, lab_sample(scaling, n));
}

static const struct {
    const char *name;
    device_unary device;
    host_unary host;
} unary[] = {
    {"truncation", gfp_gpu_poly_truncate, gfp_poly_truncate},
    {"shift left", gfp_gpu_poly_shift_left, gfp_poly_shift_left},
    {"shift right", gfp_gpu_poly_shift_right, gfp_poly_shift_right},
    {"reversal", gfp_gpu_poly_reverse, gfp_poly_reverse},
    {"negation", device_neg, host_neg},
    {"scaling", device_scale, host_scale},
};

static void unary_operations_agree(void **state)
{
    const size_t lengths[] = {0, 1, 2, 31, 300}, amounts[] = {0, 1, 2, 30, 31, 32, 299, 300, 700};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        scaling = p.l;
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            for (size_t j = 0; j < sizeof amounts / sizeof *amounts; j += lab_is_short() ? 3 : 1) {
                for (size_t u = 0; LAB_ROW(unary, u); u++) {
                    lab_fill(p.l, &p.a, lengths[i], i + j);
                    lab_upload(&p);
                    assert_int_equal(unary[u].host(&p.c, &p.a, amounts[j]), GFP_OK);
                    lab_ok(&p, unary[u].device(p.dc, p.da, amounts[j], NULL), unary[u].name);
                    expect_poly(&p, p.dc, &p.c, unary[u].name);
                    lab_ok(&p, unary[u].device(p.da, p.da, amounts[j], NULL), unary[u].name);
                    expect_poly(&p, p.da, &p.c, unary[u].name);
                }
            }
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

typedef gfp_status (*device_binary)(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b,
                                    const gfp_options *options);
typedef gfp_status (*host_binary)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);

/* Into a third one, into either, and of one with itself. */
static void check_binary(pair *p, device_binary device, host_binary host, const char *what)
{
    assert_int_equal(host(&p->c, &p->a, &p->b), GFP_OK);
    lab_upload(p);
    lab_ok(p, device(p->dc, p->da, p->db, NULL), what);
    expect_poly(p, p->dc, &p->c, what);
    lab_ok(p, device(p->da, p->da, p->db, NULL), what);
    expect_poly(p, p->da, &p->c, what);
    lab_upload(p);
    lab_ok(p, device(p->db, p->da, p->db, NULL), what);
    expect_poly(p, p->db, &p->c, what);
    lab_upload(p);
    assert_int_equal(host(&p->c, &p->a, &p->a), GFP_OK);
    lab_ok(p, device(p->dc, p->da, p->da, NULL), what);
    expect_poly(p, p->dc, &p->c, what);
    lab_ok(p, device(p->da, p->da, p->da, NULL), what);
    expect_poly(p, p->da, &p->c, what);
}

static void sums_agree(void **state)
{
    const size_t lengths[] = {0, 1, 2, 33, 260};
    const size_t count = sizeof lengths / sizeof *lengths;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; i < count * count; i += lab_is_short() ? 6 : 1) {
            lab_fill(p.l, &p.a, lengths[i / count], i);
            lab_fill(p.l, &p.b, lengths[i % count], i + 1000);
            check_binary(&p, gfp_gpu_poly_add, gfp_poly_add, "sum");
            check_binary(&p, gfp_gpu_poly_sub, gfp_poly_sub, "difference");
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

/* Bounds that are not lengths go on as such. */
static void leading_zeros_do_not_matter(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    pair p;
    bool equal = false;
    (void)state;
    pair_open(&p, gpu, &lab_fields[2]);
    lab_fill(p.l, &p.a, 500, 1);
    assert_int_equal(gfp_poly_truncate(&p.b, &p.a, 70), GFP_OK);
    assert_int_equal(gfp_poly_sub(&p.c, &p.a, &p.b), GFP_OK);
    lab_upload(&p);
    lab_ok(&p, gfp_gpu_poly_upload(p.dc, &p.c, NULL), "upload");
    lab_ok(&p, gfp_gpu_poly_sub(p.da, p.da, p.dc, NULL), "difference");
    assert_int_equal(p.da->len, 500);
    lab_ok(&p, gfp_gpu_poly_equal(&equal, p.da, p.db, NULL), "comparison");
    assert_true(equal);
    lab_ok(&p, gfp_gpu_poly_equal(&equal, p.db, p.da, NULL), "comparison");
    assert_true(equal);
    lab_ok(&p, gfp_gpu_poly_equal(&equal, p.dc, p.da, NULL), "comparison");
    assert_false(equal);
    assert_int_equal(gfp_poly_sqr(&p.c, &p.b, NULL), GFP_OK);
    lab_ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da, NULL), "square");
    assert_int_equal(p.dc->len, 999);
    expect_poly(&p, p.dc, &p.c, "square with leading zeros");
    lab_ok(&p, gfp_gpu_poly_sub(p.dc, p.da, p.db, NULL), "difference");
    assert_int_equal(gfp_gpu_poly_set_length(p.db, 0, NULL), GFP_OK);
    lab_ok(&p, gfp_gpu_poly_equal(&equal, p.dc, p.db, NULL), "comparison");
    assert_true(equal);
    lab_ok(&p, gfp_gpu_poly_equal(&equal, p.da, p.db, NULL), "comparison");
    assert_false(equal);
    lab_ok(&p, gfp_gpu_poly_mul(p.da, p.da, p.db, NULL), "product by 0");
    assert_int_equal(p.da->len, 0);
    pair_close(&p);
    gpu_lab_close(gpu);
}

static void values_agree(void **state)
{
    const size_t lengths[] = {0, 1, 2, 3, 4, 5, 63, 64, 65, 1000};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            uint64_t y[GFP_MAX_K], z[GFP_MAX_K];
            const uint64_t *x = lab_sample(p.l, p.l->count - 1 - i);
            lab_fill(p.l, &p.a, lengths[i], i);
            lab_upload(&p);
            gfp_poly_eval(y, &p.a, x);
            lab_ok(&p, gfp_gpu_poly_eval(z, p.da, x, NULL), "value");
            lab_expect_digits(p.l, z, y, 1, "value", lengths[i], 0);
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

/* ---- products ---- */

static gfp_status host_mul(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    return gfp_poly_mul(c, a, b, NULL);
}

static void check_parts(pair *p)
{
    const size_t all = p->a.len + p->b.len;
    const size_t cuts[] = {0, 1, p->a.len / 2, p->b.len, all - all / 3, all - 2, all};
    lab_upload(p);
    for (size_t i = 0; LAB_ROW(cuts, i); i++) {
        const size_t n = cuts[i];
        assert_int_equal(gfp_poly_mullow(&p->c, &p->a, &p->b, n, NULL), GFP_OK);
        lab_ok(p, gfp_gpu_poly_mullow(p->dc, p->da, p->db, n, NULL), "low product");
        expect_poly(p, p->dc, &p->c, "low product");
        assert_int_equal(gfp_poly_mulhigh(&p->c, &p->a, &p->b, n, NULL), GFP_OK);
        lab_ok(p, gfp_gpu_poly_mulhigh(p->dc, p->da, p->db, n, NULL), "high product");
        expect_poly(p, p->dc, &p->c, "high product");
        for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j += 3) {
            assert_int_equal(gfp_poly_mulmid(&p->c, &p->a, &p->b, n, cuts[j], NULL), GFP_OK);
            lab_ok(p, gfp_gpu_poly_mulmid(p->dc, p->da, p->db, n, cuts[j], NULL), "middle product");
            expect_poly(p, p->dc, &p->c, "middle product");
        }
    }
    lab_ok(p, gfp_gpu_poly_mulmid(p->db, p->da, p->db, 1, 5, NULL), "middle product");
    assert_int_equal(gfp_poly_mulmid(&p->c, &p->a, &p->b, 1, 5, NULL), GFP_OK);
    expect_poly(p, p->db, &p->c, "middle product in place");
}

static void products_agree(void **state)
{
    const size_t lengths[] = {1, 2, 17, 64, 65, 130, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        /* The simulated device takes the time of the CPU's slow twins. */
        const bool few = lab_is_short() || p.l->k > 16 || (over_fake_device() && p.l->k > 4);
        const size_t step = few ? 10 : over_fake_device() || p.l->k > 4 ? 5 : 2;
        const size_t count =
            sizeof lengths / sizeof *lengths - (over_fake_device() && p.l->k > 16 ? 2 : 0);
        for (size_t i = 0; i < count * count; i += step) {
            lab_fill(p.l, &p.a, lengths[i / count], i);
            lab_fill(p.l, &p.b, lengths[i % count], i + 1000);
            check_binary(&p, gfp_gpu_poly_mul, host_mul, "product");
            check_parts(&p);
            assert_int_equal(gfp_poly_sqr(&p.c, &p.a, NULL), GFP_OK);
            lab_ok(&p, gfp_gpu_poly_upload(p.da, &p.a, NULL), "upload");
            lab_ok(&p, gfp_gpu_poly_mul(p.da, p.da, p.da, NULL), "square");
            expect_poly(&p, p.da, &p.c, "square");
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

/* Every pair of random lengths finds a plan that serves it. */
static void any_lengths_have_plans(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    uint64_t seed = 7;
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    for (unsigned i = 0; i < (lab_is_short() ? 10u : 60u); i++) {
        lab_fill(p.l, &p.a, (size_t)(1 + oracle_random(&seed) % 900), i);
        lab_fill(p.l, &p.b, (size_t)(1 + oracle_random(&seed) % (i % 2 != 0 ? 900 : 20)), i);
        const size_t all = p.a.len + p.b.len;
        const size_t first = (size_t)(oracle_random(&seed) % all);
        const size_t n = (size_t)(oracle_random(&seed) % all);
        lab_upload(&p);
        assert_int_equal(gfp_poly_mulmid(&p.c, &p.a, &p.b, first, n, NULL), GFP_OK);
        lab_ok(&p, gfp_gpu_poly_mulmid(p.dc, p.da, p.db, first, n, NULL), "middle product");
        expect_poly(&p, p.dc, &p.c, "middle product");
    }
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* 1 / a: random, sparse, constant, shorter and longer than the inverse; in place. */
static void inverses_of_series_agree(void **state)
{
    const size_t lengths[] = {1, 2, 5, 16, 17, 33, 100, 257, 700};
    const size_t count = sizeof lengths / sizeof *lengths;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (lab_skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; i < count * count; i += lab_is_short() || p.l->k > 8 ? 11 : 2) {
            const size_t n = lengths[i % count];
            lab_fill(p.l, &p.a, lengths[i / count], i);
            gfp_elem_one(p.l->field, p.a.digits);
            if (i % 3 == 0) { /* not a power of r */
                gfp_elem_set_u64(p.l->field, p.a.digits, 3);
            }
            lab_upload(&p);
            lab_ok(&p, gfp_gpu_poly_inv_series(p.dc, p.da, n, NULL), "inverse");
            lab_ok(&p, gfp_gpu_poly_inv_series(p.da, p.da, n, NULL), "inverse");
            lab_ok(&p, gfp_gpu_poly_download(&p.b, p.dc, NULL), "inverse");
            expect_poly(&p, p.da, &p.b, "inverse in place");
            assert_int_equal(gfp_poly_mullow(&p.c, &p.a, &p.b, n, NULL), GFP_OK);
            if (!gfp_poly_is_one(&p.c) || p.b.len > n) {
                fail_msg("%s: 1 / a of %zu terms to %zu", p.l->entry->text, p.a.len, n);
            }
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_keeps_coefficients),
        cmocka_unit_test(memory_of_other_code_is_adopted),
        cmocka_unit_test(work_of_other_code_is_waited_for),
        cmocka_unit_test(raw_coefficients_are_normalised),
        cmocka_unit_test(unary_operations_agree),
        cmocka_unit_test(sums_agree),
        cmocka_unit_test(leading_zeros_do_not_matter),
        cmocka_unit_test(values_agree),
        cmocka_unit_test(products_agree),
        cmocka_unit_test(any_lengths_have_plans),
        cmocka_unit_test(inverses_of_series_agree),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
