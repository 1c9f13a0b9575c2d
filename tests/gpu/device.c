/* device.c: arithmetic on device arrays against the CPU, digit for digit: every test
 * field, all pairs of extreme and random elements, every permitted overlap. The device runs the
 * branches of gpu/cuda/arith.h in its own instructions; tests/gpu/cuda/arith.cpp compares their
 * twins in C with the oracle.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <string.h>

#include "lab/rows.h"
#include "gpu/arrays.h"

/* n elements x and y on both sides, and the expected result of an operation. */
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

static void device_reload(pairs *p)
{
    gpu_lab_ok(p->gpu, gfp_gpu_upload(p->dx, 0, p->x, p->words, NULL), "upload");
    gpu_lab_ok(p->gpu, gfp_gpu_upload(p->dy, 0, p->y, p->words, NULL), "upload");
}

static void device_expect(const pairs *p, const gfp_gpu_array *array, const char *what)
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
    device_expect(p, p->dz, what);
    gpu_lab_ok(p->gpu, device(field, p->dx, p->dx, p->dy, p->n), what);
    device_expect(p, p->dx, what);
    device_reload(p);
    gpu_lab_ok(p->gpu, device(field, p->dy, p->dx, p->dy, p->n), what);
    device_expect(p, p->dy, what);
    device_reload(p);
    host(field, p->z, p->x, p->x, p->n);
    gpu_lab_ok(p->gpu, device(field, p->dx, p->dx, p->dx, p->n), what);
    device_expect(p, p->dx, what);
    device_reload(p);
}

static void check_unary(pairs *p)
{
    const gfp_field *field = p->l->field;
    gfp_vec_neg(field, p->z, p->x, p->n);
    gpu_lab_ok(p->gpu, gfp_gpu_vec_neg(field, p->dz, p->dx, p->n), "negation");
    device_expect(p, p->dz, "negation");
    gpu_lab_ok(p->gpu, gfp_gpu_vec_neg(field, p->dz, p->dz, p->n), "negation in place");
    memcpy(p->z, p->x, p->words * sizeof *p->z);
    device_expect(p, p->dz, "negation in place");
    gfp_vec_mul(field, p->z, p->x, p->x, p->n);
    gpu_lab_ok(p->gpu, gfp_gpu_vec_sqr(field, p->dz, p->dx, p->n), "square");
    device_expect(p, p->dz, "square");
    gpu_lab_ok(p->gpu, gfp_gpu_set(p->dz, p->dx, p->words, NULL), "copy");
    gpu_lab_ok(p->gpu, gfp_gpu_vec_sqr(field, p->dz, p->dz, p->n), "square in place");
    device_expect(p, p->dz, "square in place");
}

static void check_scaling(pairs *p)
{
    for (size_t i = 0; i < p->l->count; i += lab_is_short() ? 20 : 3) {
        uint64_t c[GFP_MAX_K];
        memcpy(c, lab_sample(p->l, i), p->l->k * sizeof *c);
        gfp_vec_scalar_mul(p->l->field, p->z, p->x, c, p->n);
        gpu_lab_ok(p->gpu, gfp_gpu_vec_scale(p->l->field, p->dz, p->dx, c, p->n), "scaling");
        memset(c, 0xff, sizeof c); /* it was read before the call returned */
        device_expect(p, p->dz, "scaling");
    }
}

static void check_all(pairs *p)
{
    check_binary(p, gfp_gpu_vec_add, gfp_vec_add, "sum");
    check_binary(p, gfp_gpu_vec_sub, gfp_vec_sub, "difference");
    check_binary(p, gfp_gpu_vec_mul, gfp_vec_mul, "product");
    check_unary(p);
}

static void all_pairs_of_samples_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        pairs p;
        pairs_open(&p, gpu, l, lab_is_short() ? l->count : l->count * l->count);
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
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i += lab_is_short() ? 9 : 1) {
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

/* Radices at the ends of those of the fast products, which are data of the kernels. */
static void unnamed_fields_agree(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = ORACLE_FIELDS; f < ORACLE_ALL; f++) {
        const lab *l = lab_named(oracle_fields[f].text);
        uint64_t seed = f;
        pairs p;
        pairs_open(&p, gpu, l, 300);
        for (size_t e = 0; e < p.n; e++) {
            oracle_random_element(&l->o, p.x + e * l->k, &seed);
            oracle_random_element(&l->o, p.y + e * l->k, &seed);
            if (e < l->count) {
                memcpy(p.x + e * l->k, lab_sample(l, e), l->k * sizeof *p.x);
            }
        }
        pairs_upload(&p);
        check_all(&p);
        check_scaling(&p);
        pairs_close(&p);
    }
    gpu_lab_close(gpu);
}

/* y := x modulo X^j - d by its definition: Horner's rule for each place in a block. */
static void fold_directly(const lab *l, uint64_t *y, const uint64_t *x, size_t n, size_t j,
                          uint64_t d)
{
    uint64_t point[GFP_MAX_K];
    gfp_elem_set_u64(l->field, point, d);
    memset(y, 0, j * l->k * sizeof *y);
    for (size_t i = n; i-- > 0;) {
        uint64_t *to = y + i % j * l->k;
        gfp_elem_mul(l->field, to, to, point);
        gfp_elem_add(l->field, to, to, x + i * l->k);
    }
}

/* Three polynomials at once: n coefficients, half of them, none. */
static void check_fold(const lab *l, gfp_gpu *gpu, const gfp_gpu_array *dx, const uint64_t *x,
                       size_t n, size_t j, uint64_t d)
{
    const gfp_gpu_array *from[] = {dx, dx, dx};
    const size_t lengths[] = {n, n / 2, 0};
    const size_t room = gfp_gpu_fold_words(gpu, l->field, lengths, 3, j);
    uint64_t *y = lab_array(3 * j * l->k);
    gfp_gpu_array *dy = gpu_lab_array(gpu, room);
    for (size_t c = 0; c < 3; c++) {
        fold_directly(l, y + c * j * l->k, x, lengths[c], j, d);
    }
    gpu_lab_ok(gpu, gfp_gpu_vec_fold(l->field, dy, from, lengths, 3, j, d), "fold");
    gpu_lab_expect(l, dy, y, 3 * j, "fold", n, j);
    uint64_t large = 77, expected = 0;
    for (size_t i = 0; i < n * l->k; i++) {
        expected |= x[i] >= l->entry->r;
    }
    gpu_lab_ok(gpu, gfp_gpu_download(&large, dy, 3 * j * l->k, 1, NULL), "fold");
    assert_int_equal(large != 0, expected);
    gfp_gpu_array_destroy(dy);
    lab_free(y);
}

static void folds_agree(void **state)
{
    const size_t lengths[] = {0, 1, 5, 64, 1000, 6001}, blocks[] = {1, 2, 3, 32, 100, 1024};
    const size_t count = sizeof lengths / sizeof *lengths;
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        uint64_t seed = f;
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        const uint64_t limit = gfp_gpu_fold_limit(l->field);
        const uint64_t points[] = {limit - 1, oracle_random(&seed) % limit, 1 % limit, 0};
        const size_t most = l->k > 32 ? 1000 : 6001;
        uint64_t *x = gpu_lab_random(l, most, f);
        for (size_t i = 0; i < most; i += 3) {
            memcpy(x + i * l->k, lab_sample(l, i / 3), l->k * sizeof *x);
        }
        gfp_gpu_array *dx = gpu_lab_upload(gpu, x, most * l->k);
        for (size_t i = 0; i < count * count; i += lab_is_short() ? 7 : 1) {
            if (lengths[i / count] <= most) {
                check_fold(l, gpu, dx, x, lengths[i / count], blocks[i % count], points[i % 4]);
            }
        }
        gfp_gpu_array_destroy(dx);
        lab_free(x);
    }
    gpu_lab_close(gpu);
}

/* Coefficients that are all alike, r^k among them: carries that go on, or nowhere. */
static void folds_of_extreme_elements_agree(void **state)
{
    enum { N = 500 };
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        uint64_t *x = lab_array(N * l->k);
        gfp_gpu_array *dx = gpu_lab_array(gpu, N * l->k);
        for (size_t e = 0; e < l->extremes; e += lab_is_short() || l->k > 32 ? 7 : 1) {
            for (size_t i = 0; i < N; i++) {
                memcpy(x + i * l->k, lab_sample(l, e), l->k * sizeof *x);
            }
            gpu_lab_ok(gpu, gfp_gpu_upload(dx, 0, x, N * l->k, NULL), "upload");
            check_fold(l, gpu, dx, x, N, 4, gfp_gpu_fold_limit(l->field) - 1);
        }
        gfp_gpu_array_destroy(dx);
        lab_free(x);
    }
    gpu_lab_close(gpu);
}

static uint64_t result_of(gfp_gpu_array *result, gfp_status status)
{
    uint64_t word = 0;
    gpu_lab_ok(gfp_gpu_array_context(result), status, "search");
    gpu_lab_ok(gfp_gpu_array_context(result), gfp_gpu_download(&word, result, 0, 1, NULL),
               "result");
    return word;
}

/* One digit of one element among zeros, or another one than in a copy, or too large. */
static void searches_find_single_digits(void **state)
{
    const size_t lengths[] = {1, 2, 255, 1000, 40000}, places[] = {0, 1, 254, 511, 999, 39999};
    gfp_gpu *gpu = gpu_lab_open();
    gfp_gpu_array *result = gpu_lab_array(gpu, 2);
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips_alike(f) || (f % 4 != 0 && l->entry->r < 1000)) {
            continue;
        }
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            const size_t n = l->k > 32 ? (lengths[i] + 15) / 16 : lengths[i];
            uint64_t *x = lab_array(n * l->k);
            memset(x, 0, n * l->k * sizeof *x);
            gfp_gpu_array *dx = gpu_lab_upload(gpu, x, n * l->k);
            gfp_gpu_array *dy = gpu_lab_upload(gpu, x, n * l->k);
            assert_int_equal(result_of(result, gfp_gpu_vec_length(l->field, result, dx, n)), 0);
            assert_int_equal(result_of(result, gfp_gpu_vec_difference(l->field, result, dx, dy, n)),
                             n);
            assert_int_equal(
                result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), n);
            for (size_t j = 0; LAB_ROW(places, j); j++) {
                const size_t at = places[j], top = at * l->k + l->k - 1;
                const uint64_t one = 1, r = l->entry->r, too_large = r + 1, zero = 0;
                if (at >= n) {
                    continue;
                }
                const size_t word = at * l->k + j % l->k;
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, word, &one, 1, NULL), "digit");
                assert_int_equal(result_of(result, gfp_gpu_vec_length(l->field, result, dx, n)),
                                 at + 1);
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_difference(l->field, result, dx, dy, n)), at);
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), n);
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, word, &too_large, 1, NULL), "digit");
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), at);
                /* r is right at the top only, and alone. */
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, word, &zero, 1, NULL), "digit");
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, top, &r, 1, NULL), "digit");
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), n);
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, top - 1, &one, 1, NULL), "digit");
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), at);
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, top, &zero, 1, NULL), "digit");
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, top - 1, &r, 1, NULL), "digit");
                assert_int_equal(
                    result_of(result, gfp_gpu_vec_canonical(l->field, result, dx, n, NULL)), at);
                gpu_lab_ok(gpu, gfp_gpu_upload(dx, top - 1, &zero, 1, NULL), "digit");
            }
            gfp_gpu_array_destroy(dx);
            gfp_gpu_array_destroy(dy);
            lab_free(x);
        }
    }
    gfp_gpu_array_destroy(result);
    gpu_lab_close(gpu);
}

static void searches_find_the_outermost(void **state)
{
    enum { N = 30000 };
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = &lab_fields[0];
    gfp_gpu_array *result = gpu_lab_array(gpu, 2);
    uint64_t *x = gpu_lab_random(l, N, 1), *y = lab_array(N * l->k);
    (void)state;
    gfp_gpu_array *dx = gpu_lab_upload(gpu, x, N * l->k), *dy = gpu_lab_array(gpu, N * l->k);
    for (size_t from = 0; from < N; from = 3 * from + 11) {
        const size_t end = N - from / 2;
        memcpy(y, x, N * l->k * sizeof *y);
        memset(y + end * l->k, 0, (N - end) * l->k * sizeof *y);
        for (size_t i = from; i < end; i++) {
            y[i * l->k] ^= 1;
            y[i * l->k + 1] |= 1; /* not 0 */
        }
        gpu_lab_ok(gpu, gfp_gpu_upload(dy, 0, y, N * l->k, NULL), "upload");
        assert_int_equal(result_of(result, gfp_gpu_vec_length(l->field, result, dy, N)), end);
        assert_int_equal(result_of(result, gfp_gpu_vec_difference(l->field, result, dx, dy, N)),
                         from);
    }
    gfp_gpu_array_destroy(dx);
    gfp_gpu_array_destroy(dy);
    gfp_gpu_array_destroy(result);
    lab_free(x);
    lab_free(y);
    gpu_lab_close(gpu);
}

static void reversals_and_ranges_agree(void **state)
{
    const size_t lengths[] = {1, 2, 3, 64, 777};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        if (gpu_lab_skips_alike(f)) {
            continue;
        }
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            const size_t n = lengths[i], k = l->k;
            uint64_t *x = gpu_lab_random(l, n, f), *y = lab_array(2 * n * k);
            for (size_t j = 0; j < n; j++) {
                memcpy(y + j * k, x + (n - 1 - j) * k, k * sizeof *y);
            }
            gfp_gpu_array *dx = gpu_lab_upload(gpu, x, n * k), *dy = gpu_lab_array(gpu, 2 * n * k);
            gpu_lab_ok(gpu, gfp_gpu_vec_reverse(l->field, dy, dx, n), "reversal");
            gpu_lab_expect(l, dy, y, n, "reversal", n, 0);
            gpu_lab_ok(gpu, gfp_gpu_vec_reverse(l->field, dx, dx, n), "reversal");
            gpu_lab_expect(l, dx, y, n, "reversal in place", n, 0);
            memcpy(y + n * k, y, n * k * sizeof *y);
            memset(y, 0, n * k * sizeof *y);
            gpu_lab_ok(gpu, gfp_gpu_copy_range(dy, n * k, dx, 0, n * k), "copy");
            gpu_lab_ok(gpu, gfp_gpu_clear_range(dy, 0, n * k), "clear");
            gpu_lab_expect(l, dy, y, 2 * n, "ranges", n, 0);
            assert_int_equal(gfp_gpu_copy_range(dy, n * k, dy, n * k - 1, n * k), GFP_ERR_ARGUMENT);
            assert_int_equal(gfp_gpu_copy_range(dy, n * k + 1, dx, 0, n * k), GFP_ERR_ARGUMENT);
            assert_int_equal(gfp_gpu_clear_range(dy, 1, 2 * n * k), GFP_ERR_ARGUMENT);
            gpu_lab_expect(l, dy, y, 2 * n, "after calls that were refused", n, 0);
            gfp_gpu_array_destroy(dx);
            gfp_gpu_array_destroy(dy);
            lab_free(x);
            lab_free(y);
        }
    }
    gpu_lab_close(gpu);
}

/* A refused call changes nothing. */
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
    assert_int_equal(gfp_gpu_vec_add(l->field, a, b, b, 0), GFP_OK);
    for (size_t f = 0; f < 7; f++) { /* fields with kernels of their own, and others */
        assert_int_equal(gfp_gpu_vec_mul(lab_fields[f].field, a, b, b, 0), GFP_OK);
        assert_int_equal(gfp_gpu_vec_sqr(lab_fields[f].field, a, b, 0), GFP_OK);
    }
    const gfp_gpu_array *from[] = {b, foreign};
    const size_t lengths[] = {N, N};
    const uint64_t limit = gfp_gpu_fold_limit(l->field);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 1, 1, limit), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 1, 0, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 0, 1, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 5, 1, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 2, 1, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 1, N + 1, 1), GFP_ERR_ARGUMENT);
    for (int shift = 56; shift < 64; shift++) { /* sizes that pass 2^64 */
        const size_t j = (size_t)1 << shift, half[] = {N / 2, N / 2};
        const gfp_gpu_array *both[] = {b, b};
        assert_int_equal(gfp_gpu_vec_fold(l->field, a, from, lengths, 1, j, 1), GFP_ERR_ARGUMENT);
        assert_int_equal(gfp_gpu_vec_fold(l->field, a, both, half, 2, j, 1), GFP_ERR_ARGUMENT);
    }
    assert_int_equal(gfp_gpu_vec_evaluate(l->field, overlapping, a, N, x), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_reverse(l->field, overlapping, a, N - 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_length(l->field, a, a, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_difference(l->field, a, b, foreign, N), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_vec_canonical(l->field, a, b, N + 1, NULL), GFP_ERR_ARGUMENT);
    gpu_lab_expect(l, a, x, N, "after calls that were refused", 0, 0);
    gfp_gpu_array_destroy(overlapping);
    gfp_gpu_array_destroy(a);
    gfp_gpu_array_destroy(b);
    gfp_gpu_array_destroy(foreign);
    lab_free(x);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

/* Rounds of z := -(x + z): each copy runs in its own queue, and only fences keep it in its place.
 */
static void copies_run_between_fences(void **state)
{
    enum { N = 20000, ROUNDS = 6 };
    (void)state;
    gfp_gpu *gpu = gpu_lab_open();
    const lab *l = &lab_fields[2];
    const size_t words = N * l->k;
    gfp_gpu_fence *there = NULL, *done = NULL;
    gfp_gpu_array *x = gpu_lab_array(gpu, words), *z = gpu_lab_array(gpu, words);
    uint64_t *expected = lab_array(words), *usual = gpu_lab_random(l, N, 5);
    void *block = NULL;
    bool pinned = false;
    gpu_lab_ok(gpu, gfp_gpu_host_allocate(&block, gpu, 2 * words * sizeof(uint64_t), NULL),
               "memory");
    uint64_t *in = block, *out = in + words;
    gpu_lab_ok(gpu, gfp_gpu_host_is_pinned(gpu, in, 2 * words * 8, &pinned), "pinned");
    assert_true(pinned);
    gpu_lab_ok(gpu, gfp_gpu_host_is_pinned(gpu, usual, words * 8, &pinned), "pinned");
    assert_false(pinned);
    gpu_lab_ok(gpu, gfp_gpu_fence_create(&there, gpu), "fence");
    gpu_lab_ok(gpu, gfp_gpu_fence_create(&done, gpu), "fence");
    gpu_lab_ok(gpu, gfp_gpu_fence_wait(done), "a fence that was never set");
    gpu_lab_ok(gpu, gfp_gpu_clear(z, words, NULL), "clear");
    gfp_vec_zero(l->field, expected, N);
    memcpy(in, usual, words * sizeof *in);
    for (int i = 0; i < ROUNDS; i++) {
        gpu_lab_ok(gpu, gfp_gpu_fence_hold(done, GFP_GPU_QUEUE_UPLOAD), "hold");
        gpu_lab_ok(gpu, gfp_gpu_upload_begin(x, 0, i % 2 == 0 ? in : usual, words), "upload");
        gpu_lab_ok(gpu, gfp_gpu_fence_set(there, GFP_GPU_QUEUE_UPLOAD), "set");
        gpu_lab_ok(gpu, gfp_gpu_fence_hold(there, GFP_GPU_QUEUE_MAIN), "hold");
        gpu_lab_ok(gpu, gfp_gpu_vec_add(l->field, z, z, x, N), "sum");
        gpu_lab_ok(gpu, gfp_gpu_vec_neg(l->field, z, z, N), "negation");
        gpu_lab_ok(gpu, gfp_gpu_fence_set(done, GFP_GPU_QUEUE_MAIN), "set");
        gpu_lab_ok(gpu, gfp_gpu_fence_hold(done, GFP_GPU_QUEUE_DOWNLOAD), "hold");
        gpu_lab_ok(gpu, gfp_gpu_download_begin(out, z, 0, words), "download");
        gpu_lab_ok(gpu, gfp_gpu_fence_set(done, GFP_GPU_QUEUE_DOWNLOAD), "set");
        gpu_lab_ok(gpu, gfp_gpu_fence_wait(done), "wait");
        gfp_vec_add(l->field, expected, expected, usual, N);
        gfp_vec_neg(l->field, expected, expected, N);
        lab_expect_digits(l, out, expected, N, "between fences", (size_t)i, 0);
    }
    assert_int_equal(gfp_gpu_upload_begin(x, 1, in, words), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_download_begin(out, x, words, 1), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_fence_set(done, (gfp_gpu_queue)3), GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_fence_hold(done, (gfp_gpu_queue)-1), GFP_ERR_ARGUMENT);
    gfp_gpu_fence_destroy(there);
    gfp_gpu_fence_destroy(done);
    gfp_gpu_fence_destroy(NULL);
    gfp_gpu_host_release(block, gpu);
    gfp_gpu_array_destroy(x);
    gfp_gpu_array_destroy(z);
    lab_free(expected);
    lab_free(usual);
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_of_samples_agree),
        cmocka_unit_test(random_elements_agree_for_every_length),
        cmocka_unit_test(unnamed_fields_agree),
        cmocka_unit_test(folds_agree),
        cmocka_unit_test(folds_of_extreme_elements_agree),
        cmocka_unit_test(searches_find_single_digits),
        cmocka_unit_test(searches_find_the_outermost),
        cmocka_unit_test(reversals_and_ranges_agree),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(copies_run_between_fences),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
