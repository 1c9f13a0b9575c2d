/* classical.cpp: the kernels of products by definition, of rows and of Euclid's algorithm
 * (gpu/cuda/product/classical.cu, gpu/cuda/vector/rows.cu, gpu/cuda/vector/euclid.cu), run by
 * emulated/cuda_runtime.h, against the library: every field of the tests, every length of short
 * factors, parts, strides, rows that end in the middle of a block, all kinds of pairs.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include <algorithm>
#include <vector>

extern "C" {
#include "lab/fixtures.h"
#include "lab/pairs.h"
}
#include "gpu/cuda/product/classical.cu"
#include "gpu/cuda/vector/euclid.cu"
#include "gpu/cuda/vector/rows.cu"
#include "gpu/cuda/vector/wide_mul.cu"

#include "lab/emulated/room.h"

/* ---- launches ---- */

/* The arguments of the kernels of the call in progress. */
static enum {
    FAST,
    WIDE,
    ANY,
    SUM,
    SUM_WIDE,
    SUM_ANY,
    INDEX,
    INDEX_WIDE,
    INDEX_ANY,
    EUCLID,
    EUCLID_WIDE,
    EUCLID_ANY
} arguments;

template <class... Parameters> struct as {
    template <size_t... I> struct places {
        static void call(const void *kernel, void **a)
        {
            ((void (*)(Parameters...))kernel)(*(Parameters *)a[I]...);
        }
    };
};

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **a, size_t shared,
                             cudaStream_t)
{
    void (*const calls[])(const void *, void **) = {
        as<field, gfp_fast::radix_constants, gfp_gpu_direct, size_t, size_t>::places<0, 1, 2, 3,
                                                                                     4>::call,
        as<gfp_gpu_direct, size_t, gfp_wide::radix>::places<0, 1, 2>::call,
        as<field, gfp_gpu_direct, size_t>::places<0, 1, 2>::call,
        as<field, gfp_gpu_row_sum>::places<0, 1>::call,
        as<gfp_gpu_row_sum, gfp_wide::radix>::places<0, 1>::call,
        as<size_t, sum_any>::places<0, 1>::call,
        as<field, uint64_t *, const uint64_t *, size_t, index_elements>::places<0, 1, 2, 3,
                                                                                4>::call,
        as<uint64_t *, const uint64_t *, size_t, wide_indices, gfp_wide::radix>::places<0, 1, 2, 3,
                                                                                        4>::call,
        as<field, uint64_t *, const uint64_t *, size_t, index_columns>::places<0, 1, 2, 3, 4>::call,
        as<field, gfp_fast::radix_constants, euclid_arguments>::places<0, 1, 2>::call,
        as<field, gfp_wide::radix, euclid_arguments>::places<0, 1, 2>::call,
        as<field, euclid_arguments>::places<0, 1>::call,
    };
    assert_int_equal(shared, 0);
    emulated::launch(calls[arguments], kernel, blocks.x, threads.x, a, shared);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

namespace
{

typedef std::vector<uint64_t> digits;

uint64_t random_state = 4711;

size_t classical_below(size_t n)
{
    return (size_t)(oracle_random(&random_state) % n);
}

/* n elements, random ones and samples. */
digits classical_draw(const lab &l, size_t n)
{
    digits x(n * l.k);
    for (size_t i = 0; i < n; i++) {
        if (classical_below(3) == 0) {
            memcpy(&x[i * l.k], lab_sample(&l, classical_below(l.count)), l.k * sizeof x[0]);
        } else {
            oracle_random_element(&l.o, &x[i * l.k], &random_state);
        }
    }
    return x;
}

/* ---- products ---- */

struct shape {
    size_t rows, len_a, len_b, first, n;
};

/* Coefficient i of a row. */
void add_terms(const lab &l, uint64_t *z, const uint64_t *a, const uint64_t *b, const shape &s,
               size_t i)
{
    uint64_t term[GFP_MAX_K];
    gfp_elem_zero(l.field, z);
    for (size_t j = 0; j < s.len_b && j <= i; j++) {
        if (i - j < s.len_a) {
            gfp_elem_mul(l.field, term, a + (i - j) * l.k, b + j * l.k);
            gfp_elem_add(l.field, z, z, term);
        }
    }
}

void check_product(const lab &l, const shape &s, bool square)
{
    gfp_cuda gpu = emulated_gpu();
    const gfp_gpu_cyclic plan = {&gpu, l.field, l.k, 0, 0, s.rows, 0, 0, 0, nullptr, nullptr, 0};
    const size_t stride_a = s.len_a + classical_below(3),
                 stride_b = square ? stride_a : s.len_b + classical_below(3);
    const size_t stride_c = s.n + classical_below(3);
    const digits a = classical_draw(l, s.rows * stride_a),
                 b = square ? a : classical_draw(l, s.rows * stride_b);
    digits c = classical_draw(l, s.rows * stride_c), expected = c;
    for (size_t i = 0; i < s.rows * s.n; i++) {
        const size_t row = i / s.n, at = i % s.n;
        add_terms(l, &expected[(row * stride_c + at) * l.k], &a[row * stride_a * l.k],
                  &b[row * stride_b * l.k], s, s.first + at);
    }
    const gfp_gpu_direct product = {c.data(), a.data(), b.data(), s.len_a,  s.len_b, s.first,
                                    s.n,      stride_a, stride_b, stride_c, s.rows};
    arguments = is_fast(l.field) ? FAST : is_wide(l.field) ? WIDE : ANY;
    assert_int_equal(gfp_gpu_product_classical.direct(&plan, &product), GFP_OK);
    lab_expect_digits(&l, c.data(), expected.data(), s.rows * stride_c, "product", s.len_a,
                      s.len_b);
}

void products_agree(void **)
{
    for (const lab &l : lab_fields) {
        char why[100];
        if (l.field == nullptr) {
            continue;
        }
        const size_t most = l.k > 16 ? 4 : 9;
        for (size_t len = 1; len <= most; len++) {
            if (gfp_gpu_product_classical.length(nullptr, l.field, 2 * len, len, why, sizeof why) ==
                0) {
                assert_true(len > 3);
                continue;
            }
            check_product(l, {3, len, len, 0, 2 * len - 1}, false);
            check_product(l, {2, len, len, 0, 2 * len}, true);
            check_product(l, {1 + classical_below(9), 2 * len, len, len, len}, false);
            check_product(
                l, {1, len, 2 * len + 3, classical_below(3 * len), 1 + classical_below(3 * len)},
                false);
        }
    }
    const lab &l = *lab_named("p8");
    check_product(l, {67, 1, 1, 0, 1}, false);
    check_product(l, {2, 140, 3, 0, 142}, false);
    check_product(l, {2, 32, 32, 0, 63}, false);
    check_product(l, {5, 4, 4, 9, 3}, false); /* beyond the end */
}

/* Lanes of a warp reduce each product: up to 32 terms, for every k. */
void long_elements_take_32_terms(void **)
{
    for (const char *name : {"p32", "p64", "p128"}) {
        const lab &l = *lab_named(name);
        char why[100];
        assert_true(is_wide(l.field));
        assert_int_equal(
            gfp_gpu_product_classical.length(nullptr, l.field, 63, 32, why, sizeof why), 63);
        assert_int_equal(
            gfp_gpu_product_classical.length(nullptr, l.field, 65, 33, why, sizeof why), 0);
        assert_string_equal(why, "the shorter factor has more than 32 coefficients");
        for (size_t len : {5, 16, 31, 32}) {
            check_product(l, {1, len, len, len - 3, 5}, false);
        }
        check_product(l, {2, 32, 40, 30, 3}, false);
    }
    check_product(*lab_named("p32"), {1, 32, 32, 0, 63}, true);
}

/* ---- rows ---- */

void sums_agree(void **)
{
    for (const lab &l : lab_fields) {
        if (l.field == nullptr) {
            continue;
        }
        for (unsigned count = 0; count <= GFP_GPU_ROWS_MAX; count++) {
            gfp_cuda gpu = emulated_gpu();
            const size_t rows = 1 + classical_below(5), n = 1 + classical_below(l.k > 32 ? 9 : 70);
            gfp_gpu_row_sum s = {};
            s.rows = rows, s.n = n, s.count = count, s.negated = (unsigned)classical_below(16);
            s.z_stride = n + classical_below(3);
            digits z = classical_draw(l, rows * s.z_stride), expected = z, x[GFP_GPU_ROWS_MAX];
            for (unsigned t = 0; t < count; t++) {
                s.x_stride[t] = t == 2 ? 0 : n + classical_below(3);
                x[t] = classical_draw(l, rows * (n + 3));
                s.x[t] = x[t].data();
            }
            if (count == 4) {
                s.x[3] = z.data(), s.x_stride[3] = s.z_stride;
            }
            s.z = z.data();
            for (size_t i = 0; i < rows * n; i++) {
                const size_t row = i / n, at = i % n;
                uint64_t sum[GFP_MAX_K];
                gfp_elem_zero(l.field, sum);
                for (unsigned t = 0; t < count; t++) {
                    const uint64_t *e = s.x[t] + (row * s.x_stride[t] + at) * l.k;
                    ((s.negated >> t & 1) != 0 ? gfp_elem_sub : gfp_elem_add)(l.field, sum, sum, e);
                }
                gfp_elem_set(l.field, &expected[(row * s.z_stride + at) * l.k], sum);
            }
            arguments = l.k <= 16                                                   ? SUM
                        : gfp_wide::elements_served((int)l.k, gfp_field_r(l.field)) ? SUM_WIDE
                                                                                    : SUM_ANY;
            assert_int_equal(gfp_cuda_sum_rows(&gpu, l.field, &s), GFP_OK);
            lab_expect_digits(&l, z.data(), expected.data(), rows * s.z_stride, "sum", count, n);
        }
    }
}

void indices_multiply(void **)
{
    const uint64_t firsts[] = {0, 1, UINT64_MAX - 5, (uint64_t)1 << 40};
    for (const lab &l : lab_fields) {
        for (uint64_t first : firsts) {
            gfp_cuda gpu = emulated_gpu();
            const size_t n = l.k > 32 ? 7 : 130;
            if (l.field == nullptr) {
                continue;
            }
            digits x = classical_draw(l, n), expected(n * l.k);
            for (size_t i = 0; i < n; i++) {
                uint64_t index[GFP_MAX_K];
                gfp_elem_set_u64(l.field, index, first + i);
                gfp_elem_mul(l.field, &expected[i * l.k], &x[i * l.k], index);
            }
            arguments = l.k <= 16                                         ? INDEX
                        : gfp_wide::elements_served((int)l.k, l.entry->r) ? INDEX_WIDE
                                                                          : INDEX_ANY;
            assert_int_equal(gfp_cuda_mul_index(&gpu, l.field, x.data(), x.data(), first, n),
                             GFP_OK);
            lab_expect_digits(&l, x.data(), expected.data(), n, "product by indices", first, n);
        }
    }
}

/* A modulus just above 2^63: indices up to 2^64 are up to twice as large. */
void indices_beyond_the_modulus_multiply(void **)
{
    const uint64_t r = 3037000524, digits_of_x[] = {0, 1, 2, r / 2, r - 2, r - 1};
    gfp_field *field = nullptr;
    assert_int_equal(gfp_field_create(&field, "3037000524^2+1", nullptr, nullptr), GFP_OK);
    gfp_cuda gpu = emulated_gpu();
    const size_t n = 36, k = 2;
    digits x(n * k), expected(n * k);
    for (size_t i = 0; i < n; i++) {
        uint64_t index[GFP_MAX_K];
        x[i * k] = digits_of_x[i % 6];
        x[i * k + 1] = digits_of_x[i / 6];
        gfp_elem_set_u64(field, index, UINT64_MAX - 30 + i);
        gfp_elem_mul(field, &expected[i * k], &x[i * k], index);
    }
    arguments = INDEX;
    assert_int_equal(gfp_cuda_mul_index(&gpu, field, x.data(), x.data(), UINT64_MAX - 30, n),
                     GFP_OK);
    assert_true(x == expected);
    gfp_field_destroy(field);
}

/* ---- Euclid's algorithm ---- */

/* Runs it, and expects gcds of the expected lengths up to their leading coefficients, and the
 * resultants. */
void check_euclid(const lab &l, gfp_gpu_euclid e, const digits &g, const digits &r,
                  const std::vector<uint64_t> &lengths)
{
    gfp_cuda gpu = emulated_gpu();
    const size_t k = l.k;
    assert_int_equal(gfp_cuda_euclid(&gpu, l.field, &e), GFP_OK);
    for (size_t i = 0; i < e.rows; i++) {
        uint64_t t[GFP_MAX_K];
        assert_int_equal(e.words[i], lengths[i]);
        for (size_t j = 0; j < e.room; j++) {
            gfp_elem_mul(l.field, t, &g[(i * e.room + j) * k], e.leads + i * k);
            lab_expect_digits(&l, e.work + (2 * i * e.room + j) * k, t, 1, "gcd", i, j);
        }
        assert_false(gfp_elem_is_zero(l.field, e.denominators + i * k));
        gfp_elem_mul(l.field, t, &r[i * k], e.denominators + i * k);
        lab_expect_digits(&l, e.numerators + i * k, t, 1, "resultant", i, e.room);
    }
}

/* The words of a check, all zero but for row `wrong`, if the claim is wrong there. */
void check_claims(const lab &l, gfp_gpu_euclid e, const digits &claims, bool resultants,
                  size_t wrong)
{
    gfp_cuda gpu = emulated_gpu();
    const digits point = classical_draw(l, 1);
    e.claim = claims.data();
    e.stride_claim = resultants ? 1 : e.room;
    e.resultants = resultants;
    e.point = point.data();
    assert_int_equal(gfp_cuda_euclid(&gpu, l.field, &e), GFP_OK);
    for (size_t i = 0; i < e.rows; i++) {
        assert_int_equal(e.words[i], i == wrong);
    }
}

/* Another element in row `row`, or digits that are not canonical. */
void check_wrong_claims(const lab &l, const gfp_gpu_euclid &e, const digits &claims,
                        bool resultants, size_t row)
{
    const size_t length = resultants ? 1 : e.room,
                 at = (row * length + classical_below(length)) * l.k;
    uint64_t one[GFP_MAX_K];
    digits changed = claims;
    gfp_elem_one(l.field, one);
    check_claims(l, e, claims, resultants, SIZE_MAX);
    gfp_elem_add(l.field, &changed[at], &changed[at], one);
    check_claims(l, e, changed, resultants, row);
    changed = claims;
    if (changed[at + 1] != 0 && changed[at] <= UINT64_MAX - l.entry->r) {
        changed[at] += l.entry->r;
        changed[at + 1]--;
        check_claims(l, e, changed, resultants, row);
    }
}

void check_pairs(const lab &l, size_t len_a, size_t len_b, bool claims)
{
    const size_t k = l.k, rows = PAIRS_KINDS, step = len_a + len_b + classical_below(3);
    const size_t room = std::max(len_a, len_b);
    digits x = classical_draw(l, rows * step), g(rows * room * k), r(rows * k);
    digits work = classical_draw(l, rows * (2 * room + 3));
    std::vector<uint64_t> lengths(rows), words(rows);
    for (size_t i = 0; i < rows; i++) {
        uint64_t *a = &x[i * step * k];
        pairs_fill(&l, a, len_a, a + len_a * k, len_b, (unsigned)i, &random_state);
        lengths[i] = pairs_expect(&l, &g[i * room * k], &r[i * k], a, len_a, a + len_a * k, len_b);
    }
    gfp_gpu_euclid e = {};
    e.a = x.data(), e.b = x.data() + len_a * k;
    e.stride_a = e.stride_b = step;
    e.len_a = len_a, e.len_b = len_b, e.room = room, e.rows = rows;
    e.work = work.data();
    e.leads = e.work + 2 * rows * room * k;
    e.numerators = e.leads + rows * k;
    e.denominators = e.numerators + rows * k;
    e.words = words.data();
    arguments = is_fast(l.field) ? EUCLID : is_wide(l.field) ? EUCLID_WIDE : EUCLID_ANY;
    const digits before = x;
    check_euclid(l, e, g, r, lengths);
    if (claims) {
        check_wrong_claims(l, e, g, false, classical_below(rows));
        check_wrong_claims(l, e, r, true, classical_below(rows));
    }
    assert_true(x == before);
}

/* A field for each fast kernel, and for each k of the others. */
void gcds_and_resultants_agree(void **)
{
    unsigned seen[2] = {0, 0}; /* bits k of fields of is_wide, and of others */
    for (const lab &l : lab_fields) {
        if (l.field == nullptr) {
            continue;
        }
        unsigned &of_kind = seen[is_wide(l.field) ? 0 : 1];
        if (!is_fast(l.field) && ((l.k > 32 && !is_wide(l.field)) || (of_kind & l.k) != 0)) {
            continue;
        }
        of_kind |= is_fast(l.field) ? 0 : l.k;
        check_pairs(l, 4, 5, l.k == 4 || l.k == 8 || l.k == 32 || l.entry->r < 1000);
        if (is_fast(l.field)) {
            check_pairs(l, 9, 2, false);
        }
    }
    check_pairs(*lab_named("p2"), 66, 67, false); /* two warps */
}

/* And m16, which has kernels of its own, in short tests, too; and fields of the kernels for any
 * radix, near both ends of their range. */
int classical_setup(void **state)
{
    const int status = lab_setup(state);
    for (const char *text :
         {"m16", "p64", "p128", "(2^34+2^32)^2+1", "(2^64-2^49)^2+1", "(2^64-281475028090880)^2+1",
          "(2^63-2^36)^4+1", "(2^64-281474978021376)^4+1", "(2^61+2^41)^8+1", "(2^40+204800)^8+1",
          "(2^52+2^34)^16+1", "(2^63-18153472)^16+1"}) {
        (void)lab_named(text);
    }
    return status;
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(long_elements_take_32_terms),
        cmocka_unit_test(sums_agree),
        cmocka_unit_test(indices_multiply),
        cmocka_unit_test(indices_beyond_the_modulus_multiply),
        cmocka_unit_test(gcds_and_resultants_agree),
    };
    const int failed = cmocka_run_group_tests(tests, classical_setup, lab_teardown);
    emulated::free_stacks();
    return failed;
}
