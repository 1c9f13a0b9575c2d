/* matrix.cpp: products of matrices (gpu/cuda/product/matrix.cu), run by emulated/cuda_runtime.h,
 * against sums of products of elements: every field of the tests, tiles that are not full, rows
 * with gaps, columns in several turns; and sums of extreme residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include <vector>

extern "C" {
#include "lab/fixtures.h"
}
#include "gpu/cuda/product/matrix.cu"

#include "lab/emulated/room.h"

/* ---- launches ---- */

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
    const auto project = as<uint32_t *, const uint64_t *, multi::setting, unsigned, size_t, size_t,
                            size_t, unsigned>::places<0, 1, 2, 3, 4, 5, 6, 7>::call;
    const auto multiply =
        as<uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *,
           const gfp_multi_prime *, residue_shape>::places<0, 1, 2, 3, 4, 5>::call;
    const auto recombine =
        as<uint64_t *, const uint32_t *, multi::setting, unsigned, size_t, size_t, size_t, size_t,
           unsigned>::places<0, 1, 2, 3, 4, 5, 6, 7, 8>::call;
    emulated::launch(kernel == (const void *)multi::multimodular_project<uint32_t> ? project
                     : kernel == (const void *)matrix_multiply                     ? multiply
                                                                                   : recombine,
                     kernel, blocks.x, threads.x, a, shared);
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

/* ---- sums modulo a prime ---- */

gfp_multi_prime prime_of(uint64_t q)
{
    return {q, gfp_mont_negative_inverse(q), 0};
}

/* Sums of `terms` products of two residues each, by the kernel's steps and by division. */
void check_sums(uint64_t q, unsigned terms, bool greatest)
{
    static uint32_t left[2][padded_rows], right[2][tile_columns];
    const gfp_multi_prime prime = prime_of(q);
    uint64_t sums[rows_each][columns_each] = {}, expected[rows_each][columns_each] = {};
    for (unsigned t = 0; t < terms; t++) {
        for (unsigned j = 0; j < 2; j++) {
            for (unsigned i = 0; i < rows_each; i++) {
                left[j][rows_each + i] =
                    (uint32_t)(greatest ? q - 1 : oracle_random(&random_state) % q);
            }
            for (unsigned i = 0; i < columns_each; i++) {
                right[j][3 * columns_each + i] =
                    (uint32_t)(greatest ? q - 1 : oracle_random(&random_state) % q);
            }
        }
        add_terms(sums, left, right, (uint32_t)q, 1, 3);
        for (unsigned r = 0; r < rows_each; r++) {
            for (unsigned c = 0; c < columns_each; c++) {
                for (unsigned j = 0; j < 2; j++) {
                    expected[r][c] = (expected[r][c] + (uint64_t)left[j][rows_each + r] *
                                                           right[j][3 * columns_each + c] % q) %
                                     q;
                }
                assert_true(sums[r][c] >> 32 < q);
            }
        }
    }
    for (unsigned r = 0; r < rows_each; r++) {
        for (unsigned c = 0; c < columns_each; c++) {
            const uint64_t reduced = reduce_sum(sums[r][c], prime);
            assert_true(reduced < q && (reduced << 32) % q == expected[r][c]);
        }
    }
}

void sums_stay_in_range(void **)
{
    static const uint64_t primes[] = {2147483647, 2147483629, 1073741827, 1610612741};
    for (uint64_t q : primes) {
        check_sums(q, 300, true);
        check_sums(q, 300, false);
        const gfp_multi_prime prime = prime_of(q);
        assert_int_equal(reduce_sum(0, prime), 0);
        assert_true(((uint64_t)reduce_sum((q << 32) - 1, prime) << 32) % q == q - 1);
        assert_true(fold_high((q << 32) + 5, (uint32_t)q) == 5);
        assert_true(fold_high((q << 32) - 1, (uint32_t)q) == (q << 32) - 1);
    }
}

/* ---- products ---- */

struct shape {
    size_t rows, inner, columns, gap;
    size_t cap; /* bytes of device memory; 0: all */
};

digits matrix_draw(const lab &l, size_t n, unsigned kind)
{
    digits x(n * l.k + 2);
    for (size_t i = 0; i < n; i++) {
        if (kind == 0) {
            memcpy(&x[i * l.k], lab_sample(&l, (size_t)(oracle_random(&random_state) % l.count)),
                   l.k * sizeof x[0]);
        } else if (kind == 1) {
            gfp_elem_one(l.field, &x[i * l.k]);
            gfp_elem_neg(l.field, &x[i * l.k], &x[i * l.k]);
        } else {
            oracle_random_element(&l.o, &x[i * l.k], &random_state);
        }
    }
    return x;
}

/* Elements begin at multiples of 16 bytes. */
uint64_t *place_of(digits &x)
{
    return &x[(uintptr_t)&x[0] % 16 == 0 ? 0 : 1];
}

digits aligned_copy(const digits &x)
{
    digits y(x.size() + 2);
    memcpy(place_of(y), &x[0], x.size() * sizeof x[0]);
    return y;
}

void check_product(const lab &l, const shape &s, unsigned kind)
{
    const size_t k = l.k, wide_a = s.inner + s.gap, wide_b = s.columns + s.gap;
    const digits a = matrix_draw(l, s.rows * wide_a, kind);
    const digits b = matrix_draw(l, s.inner * wide_b, kind);
    digits c = matrix_draw(l, s.rows * wide_b, 2);
    digits pa = aligned_copy(a), pb = aligned_copy(b), pc = aligned_copy(c);
    gfp_cuda gpu = emulated_gpu();
    gpu.memory_cap = s.cap != 0 ? s.cap : gpu.memory_cap;
    const gfp_gpu_matrix m = {place_of(pc), place_of(pa), place_of(pb), wide_b,   wide_a,
                              wide_b,       s.rows,       s.inner,      s.columns};
    assert_int_equal(gfp_cuda_mul_matrix(&gpu, l.field, &m), GFP_OK);
    assert_int_equal(gpu.bytes, 0);
    for (size_t i = 0; i < s.rows; i++) {
        for (size_t j = 0; j < s.columns; j++) {
            uint64_t *z = &c[(i * wide_b + j) * k], product[GFP_MAX_K];
            gfp_elem_zero(l.field, z);
            for (size_t t = 0; t < s.inner; t++) {
                gfp_elem_mul(l.field, product, &a[(i * wide_a + t) * k], &b[(t * wide_b + j) * k]);
                gfp_elem_add(l.field, z, z, product);
            }
        }
    }
    if (memcmp(place_of(pc), &c[0], s.rows * wide_b * k * sizeof c[0]) != 0) {
        fail_msg("%s: %zu x %zu by %zu x %zu", l.entry->text, s.rows, s.inner, s.inner, s.columns);
    }
}

void products_agree(void **)
{
    static const shape shapes[] = {{1, 1, 1, 0, 0},   {3, 17, 5, 1, 0},   {2, 16, 65, 0, 0},
                                   {130, 3, 2, 3, 0}, {5, 33, 130, 2, 0}, {9, 2, 64, 0, 0}};
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab &l = lab_fields[f];
        const size_t count = l.k <= 8 ? 6 : l.k <= 32 ? 2 : 1;
        for (size_t i = 0; i < count; i++) {
            check_product(l, shapes[(f + i) % 6], (unsigned)(f + i) % 3);
        }
    }
    emulated::free_stacks();
}

/* Memory for a few columns at once, and for none. */
void columns_take_turns(void **)
{
    const lab &l = *lab_named("p2");
    for (unsigned log2_room = 9; log2_room < 17; log2_room++) {
        const shape s = {3, 6, 70, 1, ((size_t)1 << log2_room) + 4096};
        check_product(l, s, 2);
    }
    gfp_cuda gpu = emulated_gpu();
    gpu.memory_cap = 100;
    digits x = matrix_draw(l, 4, 2), z(4 * l.k);
    const gfp_gpu_matrix m = {&z[0], &x[0], &x[0], 2, 2, 2, 2, 2, 2};
    assert_int_equal(gfp_cuda_mul_matrix(&gpu, l.field, &m), GFP_ERR_MEMORY);
    assert_int_equal(gpu.bytes, 0);
    emulated::free_stacks();
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_in_range),
        cmocka_unit_test(products_agree),
        cmocka_unit_test(columns_take_turns),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
