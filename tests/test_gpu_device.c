/* test_gpu_device.c: arithmetic on device arrays against the CPU, digit for digit: every test
 * field, all pairs of extreme and random elements, every overlap that is allowed. The device runs
 * the branches of gpu/arith.h in its own instructions, whose twins in C test_gpu_arith.cpp holds
 * against the oracle. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_lab.h"

#include <string.h>

/* n elements x and y on both sides, and what is expected of an operation. */
typedef struct pairs {
    const lab *l;
    gfp_gpu *gpu;
    size_t n, words;
    uint64_t *x, *y, *z;
    gfp_gpu_array *dx, *dy, *dz;
} pairs;

static void pairs_open(pairs *p, gfp_gpu *gpu, const lab *l, size_t n)
{
    p->l = l;
    p->gpu = gpu;
    p->n = n;
    p->words = n * l->k;
    p->x = lab_array(p->words);
    p->y = lab_array(p->words);
    p->z = lab_array(p->words);
}

static void pairs_upload(pairs *p)
{
    p->dx = gpu_lab_upload(p->gpu, p->x, p->words);
    p->dy = gpu_lab_upload(p->gpu, p->y, p->words);
    p->dz = gpu_lab_array(p->gpu, p->words);
}

static void pairs_close(pairs *p)
{
    gfp_gpu_array_destroy(p->dx);
    gfp_gpu_array_destroy(p->dy);
    gfp_gpu_array_destroy(p->dz);
    lab_free(p->x);
    lab_free(p->y);
    lab_free(p->z);
}

static void reload(pairs *p)
{
    gpu_lab_ok(p->gpu, gfp_gpu_upload(p->dx, 0, p->x, p->words), "upload");
    gpu_lab_ok(p->gpu, gfp_gpu_upload(p->dy, 0, p->y, p->words), "upload");
}

static void expect(const pairs *p, const gfp_gpu_array *array, const char *what)
{
    gpu_lab_expect(p->l, array, p->z, p->n, what, p->n, 0);
}

typedef gfp_status (*device_binary)(const gfp_field *field, gfp_gpu_array *z,
                                    const gfp_gpu_array *x, const gfp_gpu_array *y, size_t n);
typedef void (*host_binary)(const gfp_field *field, uint64_t *z, const uint64_t *x,
                            const uint64_t *y, size_t n);

static void check_binary(pairs *p, device_binary device, host_binary host, const char *what)
{
    const gfp_field *field = p->l->field;
    host(field, p->z, p->x, p->y, p->n);
    gpu_lab_ok(p->gpu, device(field, p->dz, p->dx, p->dy, p->n), what);
    expect(p, p->dz, what);
    gpu_lab_ok(p->gpu, device(field, p->dx, p->dx, p->dy, p->n), what);
    expect(p, p->dx, what);
    reload(p);
    gpu_lab_ok(p->gpu, device(field, p->dy, p->dx, p->dy, p->n), what);
    expect(p, p->dy, what);
    reload(p);
    host(field, p->z, p->x, p->x, p->n);
    gpu_lab_ok(p->gpu, device(field, p->dx, p->dx, p->dx, p->n), what);
    expect(p, p->dx, what);
    reload(p);
}

static void check_unary(pairs *p)
{
    const gfp_field *field = p->l->field;
    gfp_vec_neg(field, p->z, p->x, p->n);
    gpu_lab_ok(p->gpu, gfp_gpu_vec_neg(field, p->dz, p->dx, p->n), "negation");
    expect(p, p->dz, "negation");
    gpu_lab_ok(p->gpu, gfp_gpu_vec_neg(field, p->dz, p->dz, p->n), "negation in place");
    memcpy(p->z, p->x, p->words * sizeof *p->z);
    expect(p, p->dz, "negation in place");
    gfp_vec_mul(field, p->z, p->x, p->x, p->n);
    gpu_lab_ok(p->gpu, gfp_gpu_vec_sqr(field, p->dz, p->dx, p->n), "square");
    expect(p, p->dz, "square");
    gpu_lab_ok(p->gpu, gfp_gpu_copy(p->dz, p->dx, p->words), "copy");
    gpu_lab_ok(p->gpu, gfp_gpu_vec_sqr(field, p->dz, p->dz, p->n), "square in place");
    expect(p, p->dz, "square in place");
}

static void check_shifts(pairs *p)
{
    const gfp_field *field = p->l->field;
    const unsigned k = p->l->k;
    const unsigned shifts[] = {0, 1, 2, 3, k / 2, k - 1, k, k + 1, 2 * k - 1, 2 * k, 7 * k + 5};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i += gpu_lab_short() ? 4 : 1) {
        gfp_vec_mul_r(field, p->z, p->x, shifts[i], p->n);
        gpu_lab_ok(p->gpu, gfp_gpu_vec_mul_r(field, p->dz, p->dx, shifts[i], p->n), "shift");
        expect(p, p->dz, "shift");
        gpu_lab_ok(p->gpu, gfp_gpu_copy(p->dz, p->dx, p->words), "copy");
        gpu_lab_ok(p->gpu, gfp_gpu_vec_mul_r(field, p->dz, p->dz, shifts[i], p->n), "shift");
        expect(p, p->dz, "shift in place");
    }
}

static void check_scaling(pairs *p)
{
    for (size_t i = 0; i < p->l->count; i += gpu_lab_short() ? 20 : 3) {
        uint64_t c[GFP_MAX_K];
        memcpy(c, lab_sample(p->l, i), p->l->k * sizeof *c);
        gfp_vec_scale(p->l->field, p->z, p->x, c, p->n);
        gpu_lab_ok(p->gpu, gfp_gpu_vec_scale(p->l->field, p->dz, p->dx, c, p->n), "scaling");
        memset(c, 0xff, sizeof c); /* it was read before the call returned */
        expect(p, p->dz, "scaling");
    }
}

static void check_all(pairs *p)
{
    check_binary(p, gfp_gpu_vec_add, gfp_vec_add, "sum");
    check_binary(p, gfp_gpu_vec_sub, gfp_vec_sub, "difference");
    check_binary(p, gfp_gpu_vec_mul, gfp_vec_mul, "product");
    check_unary(p);
    check_shifts(p);
}

static void all_pairs_of_samples_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips(f)) {
            continue;
        }
        pairs p;
        pairs_open(&p, gpu, l, gpu_lab_short() ? l->count : l->count * l->count);
        for (size_t i = 0; i < p.n; i++) {
            memcpy(p.x + i * l->k, lab_sample(l, i / l->count), l->k * sizeof *p.x);
            memcpy(p.y + i * l->k, lab_sample(l, i), l->k * sizeof *p.y);
        }
        pairs_upload(&p);
        check_all(&p);
        pairs_close(&p);
        pairs_open(&p, gpu, l, l->count);
        memcpy(p.x, l->samples, p.words * sizeof *p.x);
        memcpy(p.y, l->samples, p.words * sizeof *p.y);
        pairs_upload(&p);
        check_scaling(&p);
        pairs_close(&p);
    }
    gpu_lab_close(gpu);
}

/* Numbers of elements around those that a block takes. */
static void random_elements_agree_for_every_length(void **state)
{
    const size_t lengths[] = {1, 2, 3, 63, 64, 65, 127, 128, 129, 255, 256, 257, 5000};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips(f)) {
            continue;
        }
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += gpu_lab_short() ? 9 : 1) {
            uint64_t seed = 100 * f + i;
            pairs p;
            pairs_open(&p, gpu, l, lengths[i]);
            for (size_t e = 0; e < p.n; e++) {
                oracle_random_element(&l->o, p.x + e * l->k, &seed);
                oracle_random_element(&l->o, p.y + e * l->k, &seed);
            }
            pairs_upload(&p);
            check_all(&p);
            pairs_close(&p);
        }
    }
    gpu_lab_close(gpu);
}

/* A call that is refused changes nothing. */
static void wrong_arrays_are_refused(void **state)
{
    enum { N = 10 };
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    const lab *l = &lab_fields[0];
    const size_t words = N * (size_t)l->k;
    uint64_t *x = lab_vector(l, N, 0);
    gfp_gpu_array *a = gpu_lab_upload(gpu, x, words), *b = gpu_lab_upload(gpu, x, words),
                  *foreign = gpu_lab_upload(other, x, words), *overlapping = NULL;
    (void)state;
    assert_int_equal(gfp_gpu_array_part(&overlapping, a, l->k, words - l->k), GFP_OK);
    assert_int_equal(gfp_gpu_vec_add(l->field, a, b, b, N + 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_add(l->field, a, b, b, SIZE_MAX), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul(l->field, a, b, b, SIZE_MAX / 2 + 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sub(l->field, a, foreign, b, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_sub(l->field, a, b, foreign, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul(l->field, a, b, foreign, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul(l->field, a, b, overlapping, N - 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_neg(l->field, a, overlapping, N - 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_scale(l->field, a, overlapping, x, N - 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_mul_r(l->field, overlapping, a, 1, N - 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_add(l->field, a, b, b, 0), GFP_OK);
    assert_int_equal(gfp_gpu_vec_sqr(l->field, a, b, 0), GFP_OK);
    gpu_lab_expect(l, a, x, N, "after calls that were refused", 0, 0);
    gfp_gpu_array_destroy(overlapping);
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    gfp_gpu_array_destroy(foreign);
    lab_free(x);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_of_samples_agree),
        cmocka_unit_test(random_elements_agree_for_every_length),
        cmocka_unit_test(wrong_arrays_are_refused),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
