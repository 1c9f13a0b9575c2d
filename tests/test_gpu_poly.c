/* test_gpu_poly.c: resident polynomials against gfp_poly, digit for digit: every operation, every
 * overlap, products by plans for classes of lengths, inverses of series, and products whose check
 * fails. On a device or, if the environment variable GFPOLY_TEST_DEVICE is "fake", over
 * fake_device.h, where in addition every call is made to fail in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_lab.h"

#include <stdlib.h>
#include <string.h>

#include "fake_device.h"
#include "gfpoly/gpu_poly.h"

static bool over_fake_device(void)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, "fake") == 0;
}

/* As gpu_lab_open; the test is skipped on other devices. */
static gfp_gpu *open_fake_device(void)
{
    if (!over_fake_device()) {
        skip();
    }
    return gpu_lab_open();
}

/* A ring, and polynomials a, b, c on both sides. */
typedef struct pair {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    gfp_poly a, b, c;
    gfp_gpu_poly *da, *db, *dc;
} pair;

static void ok(const pair *p, gfp_status status, const char *what)
{
    gpu_lab_ok(p->gpu, status, what);
}

static gfp_gpu_poly *make(gfp_gpu_ring *ring)
{
    gfp_gpu_poly *a = NULL;
    assert_int_equal(gfp_gpu_poly_create(&a, ring), GFP_OK);
    return a;
}

static void pair_open(pair *p, gfp_gpu *gpu, const lab *l)
{
    gfp_error error = {.message = ""};
    *p = (pair){.l = l, .gpu = gpu};
    gpu_lab_ok(gpu, gfp_gpu_ring_create(&p->ring, gpu, l->field, NULL, &error), "ring");
    gfp_poly_init(&p->a, l->field);
    gfp_poly_init(&p->b, l->field);
    gfp_poly_init(&p->c, l->field);
    p->da = make(p->ring);
    p->db = make(p->ring);
    p->dc = make(p->ring);
}

static void pair_close(pair *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
    gfp_gpu_poly_destroy(p->da);
    gfp_gpu_poly_destroy(p->db);
    gfp_gpu_poly_destroy(p->dc);
    gfp_gpu_ring_destroy(p->ring);
}

/* len coefficients of random and extreme elements, the last one not 0. */
static void fill(const lab *l, gfp_poly *x, size_t len, uint64_t seed)
{
    assert_int_equal(gfp_poly_fit_length(x, len), GFP_OK);
    for (size_t i = 0; i < len; i++) {
        uint64_t *to = x->digits + i * l->k;
        if (oracle_random(&seed) % 3 == 0) {
            memcpy(to, lab_sample(l, (size_t)(oracle_random(&seed) % l->count)), l->k * sizeof *to);
        } else {
            oracle_random_element(&l->o, to, &seed);
        }
    }
    if (len > 0) {
        gfp_elem_one(l->field, x->digits + (len - 1) * l->k);
    }
    assert_int_equal(gfp_poly_set_length(x, len), GFP_OK);
}

static void upload(pair *p)
{
    ok(p, gfp_gpu_poly_upload(p->da, &p->a), "upload");
    ok(p, gfp_gpu_poly_upload(p->db, &p->b), "upload");
}

/* Checks that the digits and the length equal those of x. */
static void expect(const pair *p, gfp_gpu_poly *dx, const gfp_poly *x, const char *what)
{
    gfp_poly got;
    size_t len = 0;
    gfp_poly_init(&got, x->field);
    const size_t bound = gfp_gpu_poly_bound(dx);
    ok(p, gfp_gpu_poly_download(&got, dx), what);
    if (!gfp_poly_equal(&got, x)) {
        fail_msg("%s: %s, lengths %zu and %zu", p->l->entry->text, what, got.len, x->len);
    }
    ok(p, gfp_gpu_poly_length(dx, &len), what);
    if (len != x->len || bound < len || gfp_gpu_poly_bound(dx) != len ||
        gfp_gpu_poly_capacity(dx) < len) {
        fail_msg("%s: %s, length %zu by %zu instead of %zu", p->l->entry->text, what, len, bound,
                 x->len);
    }
    gfp_poly_clear(&got);
}

/* Fields of tests: named ones and one of the tiny; the first of each k where tests are short. */
static bool skips(size_t f)
{
    return gpu_lab_skips_alike(f) || (lab_fields[f].entry->r < 1000 && f % 3 != 0);
}

/* ---- linear operations ---- */

static void storage_keeps_coefficients(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        uint64_t x[GFP_MAX_K], y[GFP_MAX_K];
        pair p;
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, l);
        expect(&p, p.da, &p.a, "nothing yet");
        fill(l, &p.a, 37, f);
        upload(&p);
        expect(&p, p.da, &p.a, "there and back");
        ok(&p, gfp_gpu_poly_fit_length(p.da, 100), "room");
        assert_int_equal(gfp_gpu_poly_capacity(p.da), 100);
        expect(&p, p.da, &p.a, "room");
        for (size_t i = 0; i < 40; i += 3) {
            gfp_poly_get_coeff(&p.a, x, i);
            ok(&p, gfp_gpu_poly_get_coeff(p.da, y, i), "coefficient");
            lab_expect_digits(l, y, x, 1, "coefficient", i, 0);
        }
        ok(&p, gfp_gpu_poly_copy(p.dc, p.da), "copy");
        expect(&p, p.dc, &p.a, "copy");
        ok(&p, gfp_gpu_poly_swap(p.dc, p.db), "swap");
        expect(&p, p.db, &p.a, "swap");
        expect(&p, p.dc, &p.b, "swap");
        ok(&p, gfp_gpu_poly_one(p.dc), "one");
        assert_int_equal(gfp_poly_one(&p.c), GFP_OK);
        expect(&p, p.dc, &p.c, "one");
        gfp_gpu_poly_zero(p.da);
        expect(&p, p.da, &p.b, "zero");
        assert_int_equal(gfp_gpu_poly_set_length(p.da, 101), GFP_ERR_ARGUMENT);
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
    gpu_lab_ok(gpu, gfp_gpu_array_create(&owner, gpu, 40), "array");
    gpu_lab_ok(gpu, gfp_gpu_upload(owner, 0, words, 40), "upload");
    const size_t used = gfp_gpu_memory_used(gpu);
    unsigned char *address = gfp_gpu_array_address(owner);
    assert_non_null(address);
    gpu_lab_ok(gpu, gfp_gpu_array_adopt(&adopted, gpu, address + 16, 38), "adopt");
    assert_int_equal(gfp_gpu_memory_used(gpu), used);
    assert_int_equal(gfp_gpu_array_words(adopted), 38);
    assert_ptr_equal(gfp_gpu_array_address(adopted), address + 16);
    gpu_lab_ok(gpu, gfp_gpu_download(back, adopted, 0, 38), "download");
    assert_memory_equal(back, words + 2, 38 * sizeof *back);
    gpu_lab_ok(gpu, gfp_gpu_upload(adopted, 5, words, 1), "upload");
    gfp_gpu_array_destroy(adopted);
    gpu_lab_ok(gpu, gfp_gpu_download(back, owner, 0, 40), "download");
    words[7] = words[0];
    assert_memory_equal(back, words, sizeof back);
    adopted = NULL;
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, address + 8, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, NULL, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_array_adopt(&adopted, gpu, address, SIZE_MAX), GFP_ERR_SIZE);
    assert_null(adopted);
    gpu_lab_ok(gpu, gfp_gpu_array_adopt(&adopted, gpu, NULL, 0), "nothing");
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
    gpu_lab_ok(gpu, gfp_gpu_array_create(&owner, gpu, WORDS), "array");
    gpu_lab_ok(other, gfp_gpu_array_create(&from, other, WORDS), "array");
    gpu_lab_ok(other, gfp_gpu_array_adopt(&view, other, gfp_gpu_array_address(owner), WORDS),
               "adopt");
    gpu_lab_ok(other, gfp_gpu_upload(from, 0, words, WORDS), "upload");
    gpu_lab_ok(other, gfp_gpu_copy(view, from, WORDS), "copy");
    gpu_lab_ok(gpu, gfp_gpu_wait_device(gpu), "wait");
    gpu_lab_ok(gpu, gfp_gpu_download(back, owner, 0, WORDS), "download");
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
        fill(p.l, &p.a, 20, zeros);
        ok(&p, gfp_gpu_poly_fit_length(p.da, 20 + zeros), "room");
        uint64_t *x = lab_array((20 + zeros) * k);
        memset(x, 0, (20 + zeros) * k * sizeof *x);
        memcpy(x, p.a.digits, 20 * k * sizeof *x);
        ok(&p, gfp_gpu_upload(gfp_gpu_poly_array(p.da), 0, x, (20 + zeros) * k), "raw");
        ok(&p, gfp_gpu_poly_set_length(p.da, 20 + zeros), "length");
        assert_int_equal(gfp_gpu_poly_bound(p.da), 20 + zeros);
        expect(&p, p.da, &p.a, "leading zeros");
        lab_free(x);
    }
    pair_close(&p);
    gpu_lab_close(gpu);
}

/* Integers of the modulus's size and longer, leading zeros among them, and back. */
static void integers_become_coefficients(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        const size_t own = gfp_field_limbs(l->field), n = 40, beyond = 5;
        const size_t sizes[] = {0, own, own + 1};
        pair p;
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, l);
        uint64_t *x = lab_array(n * (own + 1)), *y = lab_array((n + beyond) * own);
        uint64_t *expected = lab_array((n + beyond) * own);
        gfp_random g;
        gfp_random_seed(&g, f);
        for (size_t i = 0; i < 3; i++) {
            const size_t size = sizes[i] != 0 ? sizes[i] : own;
            for (size_t j = 0; j < n * size; j++) {
                x[j] = j < (n - 3) * size ? gfp_random_u64(&g) : 0;
            }
            assert_int_equal(gfp_poly_fit_length(&p.a, n), GFP_OK);
            gfp_vec_set_limbs_mod(l->field, p.a.digits, x, size, size, n);
            memset(expected, 0, (n + beyond) * own * sizeof *expected);
            gfp_vec_get_limbs(l->field, expected, own, p.a.digits, n);
            assert_int_equal(gfp_poly_set_length(&p.a, n), GFP_OK);
            ok(&p, gfp_gpu_poly_set_limbs(p.da, x, sizes[i], n), "integers");
            assert_int_equal(gfp_gpu_poly_bound(p.da), n);
            memset(y, 0xff, (n + beyond) * own * sizeof *y);
            ok(&p, gfp_gpu_poly_get_limbs(p.da, y, n + beyond), "integers back");
            assert_memory_equal(y, expected, (n + beyond) * own * sizeof *y);
            ok(&p, gfp_gpu_poly_get_limbs(p.da, y, 7), "some integers back");
            assert_memory_equal(y, expected, (n + beyond) * own * sizeof *y);
            expect(&p, p.da, &p.a, "integers");
        }
        assert_int_equal(gfp_gpu_poly_set_limbs(p.da, x, 5000, 0), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_poly_set_limbs(p.da, x, 3, SIZE_MAX / 2), GFP_ERR_SIZE);
        assert_true(own == 1 || gfp_gpu_poly_get_limbs(p.da, y, SIZE_MAX) == GFP_ERR_SIZE);
        expect(&p, p.da, &p.a, "after what was refused");
        ok(&p, gfp_gpu_poly_set_limbs(p.da, NULL, 0, 0), "no integers");
        ok(&p, gfp_gpu_poly_get_limbs(p.da, y, 1), "a zero");
        assert_true(gfp_gpu_poly_bound(p.da) == 0 && y[0] == 0 && y[own - 1] == 0);
        lab_free(x);
        lab_free(y);
        lab_free(expected);
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

typedef gfp_status (*device_unary)(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n);
typedef gfp_status (*host_unary)(gfp_poly *b, const gfp_poly *a, size_t n);

static gfp_status device_neg(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    (void)n;
    return gfp_gpu_poly_neg(b, a);
}

static gfp_status host_neg(gfp_poly *b, const gfp_poly *a, size_t n)
{
    (void)n;
    return gfp_poly_neg(b, a);
}

/* By a sample of a's field. */
static const lab *scaling;

static gfp_status device_scale(gfp_gpu_poly *b, const gfp_gpu_poly *a, size_t n)
{
    return gfp_gpu_poly_scale(b, a, lab_sample(scaling, n));
}

static gfp_status host_scale(gfp_poly *b, const gfp_poly *a, size_t n)
{
    return gfp_poly_scale(b, a, lab_sample(scaling, n));
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
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        scaling = p.l;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            for (size_t j = 0; j < sizeof amounts / sizeof *amounts; j += gpu_lab_short() ? 3 : 1) {
                for (size_t u = 0; u < sizeof unary / sizeof *unary; u++) {
                    fill(p.l, &p.a, lengths[i], i + j);
                    upload(&p);
                    assert_int_equal(unary[u].host(&p.c, &p.a, amounts[j]), GFP_OK);
                    ok(&p, unary[u].device(p.dc, p.da, amounts[j]), unary[u].name);
                    expect(&p, p.dc, &p.c, unary[u].name);
                    ok(&p, unary[u].device(p.da, p.da, amounts[j]), unary[u].name);
                    expect(&p, p.da, &p.c, unary[u].name);
                }
            }
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

typedef gfp_status (*device_binary)(gfp_gpu_poly *c, const gfp_gpu_poly *a, const gfp_gpu_poly *b);
typedef gfp_status (*host_binary)(gfp_poly *c, const gfp_poly *a, const gfp_poly *b);

/* Into a third one, into either, and of one with itself. */
static void check_binary(pair *p, device_binary device, host_binary host, const char *what)
{
    assert_int_equal(host(&p->c, &p->a, &p->b), GFP_OK);
    upload(p);
    ok(p, device(p->dc, p->da, p->db), what);
    expect(p, p->dc, &p->c, what);
    ok(p, device(p->da, p->da, p->db), what);
    expect(p, p->da, &p->c, what);
    upload(p);
    ok(p, device(p->db, p->da, p->db), what);
    expect(p, p->db, &p->c, what);
    upload(p);
    assert_int_equal(host(&p->c, &p->a, &p->a), GFP_OK);
    ok(p, device(p->dc, p->da, p->da), what);
    expect(p, p->dc, &p->c, what);
    ok(p, device(p->da, p->da, p->da), what);
    expect(p, p->da, &p->c, what);
}

static void sums_agree(void **state)
{
    const size_t lengths[] = {0, 1, 2, 33, 260};
    const size_t count = sizeof lengths / sizeof *lengths;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; i < count * count; i += gpu_lab_short() ? 6 : 1) {
            fill(p.l, &p.a, lengths[i / count], i);
            fill(p.l, &p.b, lengths[i % count], i + 1000);
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
    fill(p.l, &p.a, 500, 1);
    assert_int_equal(gfp_poly_truncate(&p.b, &p.a, 70), GFP_OK);
    assert_int_equal(gfp_poly_sub(&p.c, &p.a, &p.b), GFP_OK);
    upload(&p);
    ok(&p, gfp_gpu_poly_upload(p.dc, &p.c), "upload");
    ok(&p, gfp_gpu_poly_sub(p.da, p.da, p.dc), "difference");
    assert_int_equal(gfp_gpu_poly_bound(p.da), 500);
    ok(&p, gfp_gpu_poly_equal(&equal, p.da, p.db), "comparison");
    assert_true(equal);
    ok(&p, gfp_gpu_poly_equal(&equal, p.db, p.da), "comparison");
    assert_true(equal);
    ok(&p, gfp_gpu_poly_equal(&equal, p.dc, p.da), "comparison");
    assert_false(equal);
    assert_int_equal(gfp_poly_sqr(&p.c, &p.b, NULL), GFP_OK);
    ok(&p, gfp_gpu_poly_mul(p.dc, p.da, p.da), "square");
    assert_int_equal(gfp_gpu_poly_bound(p.dc), 999);
    expect(&p, p.dc, &p.c, "square with leading zeros");
    ok(&p, gfp_gpu_poly_sub(p.dc, p.da, p.db), "difference");
    gfp_gpu_poly_zero(p.db);
    ok(&p, gfp_gpu_poly_equal(&equal, p.dc, p.db), "comparison");
    assert_true(equal);
    ok(&p, gfp_gpu_poly_equal(&equal, p.da, p.db), "comparison");
    assert_false(equal);
    ok(&p, gfp_gpu_poly_mul(p.da, p.da, p.db), "product by 0");
    assert_int_equal(gfp_gpu_poly_bound(p.da), 0);
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
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            uint64_t y[GFP_MAX_K], z[GFP_MAX_K];
            const uint64_t *x = lab_sample(p.l, p.l->count - 1 - i);
            fill(p.l, &p.a, lengths[i], i);
            upload(&p);
            gfp_poly_eval(&p.a, y, x);
            ok(&p, gfp_gpu_poly_eval(p.da, z, x), "value");
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
    upload(p);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const size_t n = cuts[i];
        assert_int_equal(gfp_poly_mul_low(&p->c, &p->a, &p->b, n, NULL), GFP_OK);
        ok(p, gfp_gpu_poly_mul_low(p->dc, p->da, p->db, n), "low product");
        expect(p, p->dc, &p->c, "low product");
        assert_int_equal(gfp_poly_mul_high(&p->c, &p->a, &p->b, n, NULL), GFP_OK);
        ok(p, gfp_gpu_poly_mul_high(p->dc, p->da, p->db, n), "high product");
        expect(p, p->dc, &p->c, "high product");
        for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j += 3) {
            assert_int_equal(gfp_poly_mul_middle(&p->c, &p->a, &p->b, n, cuts[j], NULL), GFP_OK);
            ok(p, gfp_gpu_poly_mul_middle(p->dc, p->da, p->db, n, cuts[j]), "middle product");
            expect(p, p->dc, &p->c, "middle product");
        }
    }
    ok(p, gfp_gpu_poly_mul_middle(p->db, p->da, p->db, 1, 5), "middle product");
    assert_int_equal(gfp_poly_mul_middle(&p->c, &p->a, &p->b, 1, 5, NULL), GFP_OK);
    expect(p, p->db, &p->c, "middle product in place");
}

static void products_agree(void **state)
{
    const size_t lengths[] = {1, 2, 17, 64, 65, 130, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        /* The simulated device takes the time of the CPU's slow twins. */
        const bool few = gpu_lab_short() || p.l->k > 16 || (over_fake_device() && p.l->k > 4);
        const size_t step = few ? 10 : over_fake_device() || p.l->k > 4 ? 5 : 2;
        const size_t count =
            sizeof lengths / sizeof *lengths - (over_fake_device() && p.l->k > 16 ? 2 : 0);
        for (size_t i = 0; i < count * count; i += step) {
            fill(p.l, &p.a, lengths[i / count], i);
            fill(p.l, &p.b, lengths[i % count], i + 1000);
            check_binary(&p, gfp_gpu_poly_mul, host_mul, "product");
            check_parts(&p);
            assert_int_equal(gfp_poly_sqr(&p.c, &p.a, NULL), GFP_OK);
            ok(&p, gfp_gpu_poly_upload(p.da, &p.a), "upload");
            ok(&p, gfp_gpu_poly_sqr(p.da, p.da), "square");
            expect(&p, p.da, &p.c, "square");
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
    for (unsigned i = 0; i < (gpu_lab_short() ? 10u : 60u); i++) {
        fill(p.l, &p.a, (size_t)(1 + oracle_random(&seed) % 900), i);
        fill(p.l, &p.b, (size_t)(1 + oracle_random(&seed) % (i % 2 != 0 ? 900 : 20)), i);
        const size_t all = p.a.len + p.b.len;
        const size_t first = (size_t)(oracle_random(&seed) % all);
        const size_t n = (size_t)(oracle_random(&seed) % all);
        upload(&p);
        assert_int_equal(gfp_poly_mul_middle(&p.c, &p.a, &p.b, first, n, NULL), GFP_OK);
        ok(&p, gfp_gpu_poly_mul_middle(p.dc, p.da, p.db, first, n), "middle product");
        expect(&p, p.dc, &p.c, "middle product");
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
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        for (size_t i = 0; i < count * count; i += gpu_lab_short() || p.l->k > 8 ? 11 : 2) {
            const size_t n = lengths[i % count];
            fill(p.l, &p.a, lengths[i / count], i);
            gfp_elem_one(p.l->field, p.a.digits);
            if (i % 3 == 0) { /* not a power of r */
                gfp_elem_set_u64(p.l->field, p.a.digits, 3);
            }
            upload(&p);
            ok(&p, gfp_gpu_poly_inv_series(p.dc, p.da, n), "inverse");
            ok(&p, gfp_gpu_poly_inv_series(p.da, p.da, n), "inverse");
            ok(&p, gfp_gpu_poly_download(&p.b, p.dc), "inverse");
            expect(&p, p.da, &p.b, "inverse in place");
            assert_int_equal(gfp_poly_mul_low(&p.c, &p.a, &p.b, n, NULL), GFP_OK);
            if (!gfp_poly_is_one(&p.c) || p.b.len > n) {
                fail_msg("%s: 1 / a of %zu terms to %zu", p.l->entry->text, p.a.len, n);
            }
        }
        pair_close(&p);
    }
    gpu_lab_close(gpu);
}

/* ---- verification ---- */

static gfp_status verify(pair *p, gfp_report *report)
{
    return gfp_gpu_poly_verify_mul(p->dc, p->da, p->db, 12345, report);
}

/* Makes coefficient i of c and of dc differ by 1; the length stays. */
static void spoil(pair *p, size_t i)
{
    uint64_t x[GFP_MAX_K], one[GFP_MAX_K];
    gfp_elem_one(p->l->field, one);
    gfp_poly_get_coeff(&p->c, x, i);
    gfp_elem_add(p->l->field, x, x, one);
    ok(p, gfp_gpu_upload(gfp_gpu_poly_array(p->dc), i * p->l->k, x, p->l->k), "spoiling");
}

static void check_verification(pair *p)
{
    gfp_report report = {.points = 77};
    assert_int_equal(gfp_poly_mul(&p->c, &p->a, &p->b, NULL), GFP_OK);
    upload(p);
    ok(p, gfp_gpu_poly_upload(p->dc, &p->c), "upload");
    ok(p, verify(p, &report), "verification");
    assert_int_equal(report.verified, GFP_VERIFY_POINT);
    assert_in_range(report.points, 1, 4);
    assert_true(report.log2_error <= -40);
    const size_t places[] = {0, 1, p->c.len / 2, p->c.len - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] < p->c.len) {
            ok(p, gfp_gpu_poly_upload(p->dc, &p->c), "upload");
            spoil(p, places[i]);
            assert_int_equal(verify(p, &report), GFP_ERR_VERIFY);
        }
    }
    ok(p, gfp_gpu_poly_upload(p->dc, &p->c), "upload");
    ok(p, gfp_gpu_poly_shift_left(p->dc, p->dc, 1), "shift");
    assert_int_equal(verify(p, NULL), GFP_ERR_VERIFY);
    gfp_gpu_poly_zero(p->dc);
    assert_int_equal(verify(p, NULL), GFP_ERR_VERIFY);
}

static void wrong_products_are_found(void **state)
{
    const size_t lengths[][2] = {{1, 1}, {5, 1}, {64, 64}, {700, 33}, {1500, 1500}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        pair p;
        if (skips(f)) {
            continue;
        }
        pair_open(&p, gpu, &lab_fields[f]);
        const bool small = p.l->entry->r < 1 << 16;
        for (size_t i = 0; i < (small || p.l->k > 32 ? 3 : 5); i++) {
            fill(p.l, &p.a, lengths[i][0], i);
            fill(p.l, &p.b, lengths[i][1], i + 1);
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
    ok(&p, verify(&p, &report), "0 = 0 * 0");
    fill(p.l, &p.a, 400, 3);
    upload(&p);
    ok(&p, verify(&p, &report), "0 = a * 0");
    ok(&p, gfp_gpu_poly_copy(p.dc, p.da), "copy");
    assert_int_equal(verify(&p, &report), GFP_ERR_VERIFY);
    ok(&p, gfp_gpu_poly_sqr(p.dc, p.da), "square");
    ok(&p, gfp_gpu_poly_verify_mul(p.dc, p.da, p.da, 0, &report), "a square");
    ok(&p, gfp_gpu_poly_neg(p.dc, p.dc), "negation");
    assert_int_equal(gfp_gpu_poly_verify_mul(p.dc, p.da, p.da, 0, NULL), GFP_ERR_VERIFY);
    /* The same residue class, other digits. */
    ok(&p, gfp_gpu_poly_sqr(p.dc, p.da), "square");
    uint64_t *x = lab_array(p.l->k);
    for (size_t i = 0; i < p.l->k; i++) {
        x[i] = p.l->entry->r;
    }
    ok(&p, gfp_gpu_upload(gfp_gpu_poly_array(p.dc), 0, x, p.l->k), "digits");
    assert_int_equal(gfp_gpu_poly_verify_mul(p.dc, p.da, p.da, 0, NULL), GFP_ERR_VERIFY);
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
    fill(p.l, &p.a, 2000, 1);
    upload(&p);
    ok(&p, gfp_gpu_poly_sqr(p.dc, p.da), "square");
    assert_int_equal(gfp_gpu_poly_verify_mul(p.dc, p.da, p.da, 1, &report), GFP_ERR_UNAVAILABLE);
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
    assert_int_equal(gfp_gpu_ring_create(&ring, gpu, lab_fields[0].field, &wrong, &error),
                     GFP_ERR_ARGUMENT);
    assert_ptr_equal(ring, untouched);
    pair_open(&p, gpu, &lab_fields[0]);
    pair_open(&q, gpu, &lab_fields[1]);
    pair_open(&s, other, &lab_fields[0]);
    fill(p.l, &p.a, 10, 1);
    fill(p.l, &p.b, 10, 2);
    upload(&p);
    ok(&p, gfp_gpu_poly_copy(p.dc, p.da), "copy");
    ok(&q, gfp_gpu_poly_one(q.da), "one");
    ok(&s, gfp_gpu_poly_one(s.da), "one");
    assert_int_equal(gfp_gpu_poly_add(p.dc, p.da, q.da), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_mul(p.dc, q.da, p.db), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_copy(p.dc, q.da), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_upload(p.dc, &q.a), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_download(&q.a, p.dc), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_equal(&equal, p.dc, q.da), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_gpu_poly_sub(p.dc, p.da, s.da), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_mul(p.dc, s.da, p.db), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_verify_mul(p.dc, s.da, p.db, 1, NULL), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_swap(p.dc, s.da), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_shift_left(p.dc, p.da, SIZE_MAX), GFP_ERR_SIZE);
    assert_int_equal(gfp_gpu_poly_shift_left(p.dc, p.da, SIZE_MAX / 4), GFP_ERR_SIZE);
    assert_int_equal(gfp_gpu_poly_fit_length(p.dc, SIZE_MAX / 2), GFP_ERR_SIZE);
    ok(&p, gfp_gpu_poly_shift_left(p.db, p.da, 1), "shift");
    assert_int_equal(gfp_gpu_poly_inv_series(p.dc, p.db, 100), GFP_ERR_NOT_INVERTIBLE);
    gfp_gpu_poly_zero(p.db);
    assert_int_equal(gfp_gpu_poly_inv_series(p.dc, p.db, 100), GFP_ERR_NOT_INVERTIBLE);
    expect(&p, p.dc, &p.a, "after calls that were refused");
    pair_close(&p);
    pair_close(&q);
    pair_close(&s);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* A little of everything that makes plans and areas. */
static gfp_status scenario(pair *p)
{
    bool equal = false;
    uint64_t y[GFP_MAX_K];
    gfp_status status = gfp_gpu_poly_upload(p->da, &p->a);
    status = status != GFP_OK ? status : gfp_gpu_poly_upload(p->db, &p->b);
    status = status != GFP_OK ? status : gfp_gpu_poly_mul(p->dc, p->da, p->db);
    status = status != GFP_OK ? status : gfp_gpu_poly_verify_mul(p->dc, p->da, p->db, 1, NULL);
    status = status != GFP_OK ? status : gfp_gpu_poly_sub(p->dc, p->db, p->dc);
    status = status != GFP_OK ? status : gfp_gpu_poly_reverse(p->dc, p->dc, 300);
    status = status != GFP_OK ? status : gfp_gpu_poly_shift_left(p->dc, p->dc, 3);
    status = status != GFP_OK ? status : gfp_gpu_poly_inv_series(p->db, p->da, 600);
    status = status != GFP_OK ? status : gfp_gpu_poly_eval(p->db, y, p->a.digits);
    status = status != GFP_OK ? status : gfp_gpu_poly_get_limbs(p->db, y, 2);
    status = status != GFP_OK ? status : gfp_gpu_poly_set_limbs(p->db, y, 1, 2);
    status = status != GFP_OK ? status : gfp_gpu_poly_equal(&equal, p->da, p->dc);
    return status;
}

/* Every call fails in turn, on the device or for lack of memory: its status is returned, every
 * object can be used again, nothing is lost. */
static void every_call_may_fail(void **state)
{
    gfp_gpu *gpu = open_fake_device();
    size_t calls = 0;
    pair p;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const fake_fault fault = i == 0 ? FAKE_ONCE : FAKE_MEMORY;
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            pair_open(&p, gpu, &lab_fields[0]);
            fill(p.l, &p.a, 100, 1);
            fill(p.l, &p.b, 70, 2);
            gfp_elem_one(p.l->field, p.a.digits);
            fake_fail(fault, n);
            const gfp_status status = scenario(&p);
            calls = fake_calls();
            failed = fake_failed();
            fake_fail(fault, 0);
            assert_true(failed ? n <= calls : status == GFP_OK);
            /* With fewer objects in memory a call may succeed that failed before. */
            assert_true(status == (i == 0 ? GFP_ERR_DEVICE : GFP_ERR_MEMORY) ||
                        (status == GFP_OK && (i == 1 || !failed)));
            ok(&p, scenario(&p), "once more");
            pair_close(&p);
            assert_int_equal(gfp_gpu_memory_used(gpu), 0);
            assert_int_equal(fake_plans(), 0);
        }
        assert_in_range(calls, 40, 400);
    }
    gpu_lab_close(gpu);
}

/* A product without memory leaves its output unchanged and frees other plans. */
static void plans_make_room(void **state)
{
    gfp_gpu *gpu = open_fake_device();
    pair p;
    (void)state;
    pair_open(&p, gpu, &lab_fields[0]);
    for (size_t len = 100; len <= 800; len *= 2) {
        fill(p.l, &p.a, len, len);
        upload(&p);
        ok(&p, gfp_gpu_poly_sqr(p.dc, p.da), "square");
    }
    assert_int_equal(fake_plans(), 4);
    fill(p.l, &p.b, 3000, 1);
    ok(&p, gfp_gpu_poly_upload(p.db, &p.b), "upload");
    ok(&p, gfp_gpu_poly_fit_length(p.dc, 5999), "room");
    fill(p.l, &p.c, 5, 1);
    ok(&p, gfp_gpu_poly_upload(p.dc, &p.c), "upload");
    const size_t memory = gfp_gpu_memory_used(gpu) + 1000;
    fake_memory(memory);
    ok(&p, gfp_gpu_poly_copy(p.da, p.dc), "copy");
    assert_int_equal(gfp_gpu_poly_sqr(p.dc, p.db), GFP_ERR_MEMORY);
    assert_int_equal(fake_plans(), 0);
    expect(&p, p.dc, &p.c, "after a product without memory");
    fake_memory(memory + (size_t)100 * 6000);
    ok(&p, gfp_gpu_poly_sqr(p.dc, p.db), "square");
    fake_memory(SIZE_MAX);
    assert_int_equal(gfp_poly_sqr(&p.c, &p.b, NULL), GFP_OK);
    expect(&p, p.dc, &p.c, "square with little memory");
    gfp_gpu_ring_trim(p.ring);
    assert_int_equal(fake_plans(), 0);
    ok(&p, gfp_gpu_poly_sqr(p.dc, p.db), "square");
    expect(&p, p.dc, &p.c, "square after a trim");
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
    ok(&p, gfp_gpu_ring_create(&ring, gpu, p.l->field, &options, NULL), "ring");
    gfp_gpu_poly *c = make(ring);
    const size_t lengths[] = {1024, 1000, 1020, 512, 500, 1024, 1024 * 2, 512, 1024, 4096, 4096};
    const size_t made[] = {1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 6};
    const size_t kept[] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 1};
    const size_t before = fake_plans_made();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        fill(p.l, &p.a, lengths[i], i);
        ok(&p, gfp_gpu_poly_upload(p.da, &p.a), "upload");
        ok(&p, gfp_gpu_poly_sqr(c, p.da), "square");
        assert_int_equal(gfp_poly_sqr(&p.c, &p.a, NULL), GFP_OK);
        expect(&p, c, &p.c, "square");
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

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_keeps_coefficients),
        cmocka_unit_test(memory_of_other_code_is_adopted),
        cmocka_unit_test(work_of_other_code_is_waited_for),
        cmocka_unit_test(raw_coefficients_are_normalised),
        cmocka_unit_test(integers_become_coefficients),
        cmocka_unit_test(unary_operations_agree),
        cmocka_unit_test(sums_agree),
        cmocka_unit_test(leading_zeros_do_not_matter),
        cmocka_unit_test(values_agree),
        cmocka_unit_test(products_agree),
        cmocka_unit_test(any_lengths_have_plans),
        cmocka_unit_test(inverses_of_series_agree),
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(squares_and_zeros_are_verified),
        cmocka_unit_test(too_few_points_are_refused),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(plans_make_room),
        cmocka_unit_test(plans_are_kept_within_their_limit),
    };
    if (over_fake_device()) {
        fake_use();
        fake_reset(SIZE_MAX);
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
