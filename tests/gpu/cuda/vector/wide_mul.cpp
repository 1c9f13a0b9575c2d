/* wide_mul.cpp: products of elements by the general product of k >= 32
 * (gpu/cuda/vector/wide_mul.cu) and the changes of digits of gpu/cuda/wide_lanes.cuh, run by
 * emulated/cuda_runtime.h, against the library and GMP: samples of every field, in place, blocks
 * that end amid a warp, digits that borrow from one another and digits that do not.
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
#include "gpu/cuda/vector/wide_mul.cu"

#include "lab/emulated/room.h"

namespace
{

typedef std::vector<uint64_t> digits;

/* Changes lane c's digits of n elements of k digits in place: from canonical digits to digits near
 * zero, or back, or adds those of y. */
enum change { BALANCE, CANONICAL, ADD };

template <int K, int COUNT>
void change_digits(uint64_t *x, const uint64_t *y, size_t n, change what, gfp_wide::radix R)
{
    constexpr int LANES = K / COUNT;
    const int c = (int)threadIdx.x % LANES;
    const size_t e = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / LANES, place = e < n ? e : 0;
    int64_t d[COUNT], v[COUNT];
    for (int i = 0; i < COUNT; i++) {
        d[i] = (int64_t)x[place * K + (size_t)(c + LANES * i)];
        v[i] = (int64_t)y[place * K + (size_t)(c + LANES * i)];
    }
    switch (what) {
    case BALANCE:
        gfp_wide::balance<COUNT, LANES>(d, c, R);
        break;
    case CANONICAL:
        gfp_wide::canonical<COUNT, LANES>(d, c, R);
        break;
    default:
        gfp_wide::add_settled<int64_t, COUNT, LANES>(d, v, c, R);
    }
    __syncwarp(); /* place 0 may be another lane's */
    for (int i = 0; i < COUNT && e < n; i++) {
        x[place * K + (size_t)(c + LANES * i)] = (uint64_t)d[i];
    }
}

template <class... Parameters> struct as {
    template <size_t... I> static void call_at(const void *kernel, void **a)
    {
        ((void (*)(Parameters...))kernel)(*(Parameters *)a[I]...);
    }
    template <class Sequence> struct caller;
    template <size_t... I> struct caller<std::index_sequence<I...>> {
        static void call(const void *kernel, void **a)
        {
            call_at<I...>(kernel, a);
        }
    };
};

struct launch_of {
    const void *kernel;
    void (*call)(const void *kernel, void **arguments);
};

template <class... Parameters> launch_of launch_as(void (*kernel)(Parameters...))
{
    return {(const void *)kernel,
            as<Parameters...>::template caller<std::index_sequence_for<Parameters...>>::call};
}

template <int K> std::vector<launch_of> launches()
{
    return {launch_as(wide_products<K, wide_array>), launch_as(wide_products<K, wide_indices>),
            launch_as(wide_scale<K>), launch_as(change_digits<K, gfp_wide::shape<K>::V>),
            launch_as(change_digits<K, 4>)};
}

} // namespace

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **a, size_t shared,
                             cudaStream_t)
{
    assert_int_equal(shared, 0);
    for (const auto &of_k : {launches<32>(), launches<64>(), launches<128>()}) {
        for (const launch_of &each : of_k) {
            if (each.kernel == kernel) {
                emulated::launch(each.call, kernel, blocks.x, threads.x, a, shared);
                return cudaSuccess;
            }
        }
    }
    fail();
    return cudaSuccess;
}

namespace
{

uint64_t random_state = 161803398;

/* n elements: samples from number `first` on, then random ones. */
digits wide_draw(const lab &l, size_t n, size_t first)
{
    digits x(n * l.k);
    for (size_t i = 0; i < n; i++) {
        memcpy(&x[i * l.k], lab_sample(&l, first + i), l.k * sizeof x[0]);
        if (i >= l.count) {
            oracle_random_element(&l.o, &x[i * l.k], &random_state);
        }
    }
    return x;
}

void check_multiply(const lab &l, gfp_gpu_wide_mul m, const digits &expected, const char *what)
{
    gfp_cuda gpu = emulated_gpu();
    bool served = false;
    assert_int_equal(gfp_gpu_vec_mul_wide(&gpu, l.field, &m, &served), GFP_OK);
    assert_true(served);
    lab_expect_digits(&l, m.z, expected.data(), m.n, what, m.n, 0);
}

void products_agree(void **)
{
    for (const char *name : {"p32", "p64", "p128", "m32", "m64", "m128", "(2^38-2^33)^32+1",
                             "(2^33+2^19)^64+1", "152116404224^128+1"}) {
        const lab &l = *lab_named(name);
        for (size_t n : {(size_t)1, (size_t)37}) {
            for (size_t shift = 0; shift < (n == 1 ? 1 : l.extremes); shift += 3) {
                digits x = wide_draw(l, n, 0), y = wide_draw(l, n, shift), z(n * l.k);
                digits expected(n * l.k);
                for (size_t i = 0; i < n; i++) {
                    gfp_elem_mul(l.field, &expected[i * l.k], &x[i * l.k], &y[i * l.k]);
                }
                check_multiply(l, {z.data(), x.data(), y.data(), nullptr, nullptr, 0, n}, expected,
                               "product");
                z = x;
                check_multiply(l, {z.data(), z.data(), y.data(), nullptr, nullptr, 0, n}, expected,
                               "product in x's place");
                check_multiply(l, {y.data(), x.data(), y.data(), nullptr, nullptr, 0, n}, expected,
                               "product in y's place");
                for (size_t i = 0; i < n; i++) {
                    gfp_elem_sqr(l.field, &expected[i * l.k], &x[i * l.k]);
                }
                check_multiply(l, {x.data(), x.data(), x.data(), nullptr, nullptr, 0, n}, expected,
                               "square in place");
            }
        }
    }
}

void products_by_one_element_agree(void **)
{
    for (const char *name : {"p32", "p64", "p128", "m32", "(2^33+2^19)^64+1"}) {
        const lab &l = *lab_named(name);
        const size_t n = 19;
        for (size_t i = 0; i < l.count; i += 2) {
            const uint64_t *c = lab_sample(&l, i);
            digits x = wide_draw(l, n, 0), low = wide_draw(l, n, i), expected(n * l.k);
            for (size_t j = 0; j < n; j++) {
                gfp_elem_mul(l.field, &expected[j * l.k], &x[j * l.k], c);
            }
            digits z(n * l.k);
            check_multiply(l, {z.data(), x.data(), nullptr, c, nullptr, 0, n}, expected, "product");
            z = x;
            check_multiply(l, {z.data(), z.data(), nullptr, c, nullptr, 0, n}, expected,
                           "product in x's place");
            for (size_t j = 0; j < n; j++) {
                gfp_elem_add(l.field, &expected[j * l.k], &expected[j * l.k], &low[j * l.k]);
            }
            check_multiply(l, {low.data(), x.data(), nullptr, c, low.data(), 0, n}, expected,
                           "product and sum");
        }
    }
}

void products_by_indices_agree(void **)
{
    for (const char *name : {"p32", "p64", "p128", "(2^33+2^19)^64+1"}) {
        const lab &l = *lab_named(name);
        for (uint64_t first : {(uint64_t)0, l.entry->r - 2, UINT64_MAX - 9}) {
            const size_t n = 10;
            digits x = wide_draw(l, n, first % 7), expected(n * l.k);
            for (size_t i = 0; i < n; i++) {
                uint64_t index[GFP_MAX_K];
                gfp_elem_set_u64(l.field, index, first + i);
                gfp_elem_mul(l.field, &expected[i * l.k], &x[i * l.k], index);
            }
            check_multiply(l, {x.data(), x.data(), nullptr, nullptr, nullptr, first, n}, expected,
                           "product by indices");
        }
    }
}

void other_fields_are_refused(void **)
{
    for (const char *name : {"p16", "m8", "(2^12-2)^256+1"}) {
        gfp_cuda gpu = emulated_gpu();
        const gfp_gpu_wide_mul m = {};
        bool served = true;
        assert_int_equal(gfp_gpu_vec_mul_wide(&gpu, lab_named(name)->field, &m, &served), GFP_OK);
        assert_false(served);
    }
    const uint64_t most = 0 - ((uint64_t)1 << 48), least = (uint64_t)1 << 33;
    assert_true(gfp_wide::elements_served(32, most) && gfp_wide::elements_served(32, least + 2));
    assert_false(gfp_wide::elements_served(256, most));
    assert_false(gfp_wide::elements_served(32, most + 2));
    assert_false(gfp_wide::elements_served(32, least - 2));
    for (unsigned log2_r = 33; log2_r < 64; log2_r++) {
        assert_false(gfp_wide::elements_served(32, (uint64_t)1 << log2_r));
    }
}

/* ---- digits ---- */

template <int K> void value_of(mpz_t value, const uint64_t *x, const mpz_t p, uint64_t r)
{
    mpz_set_ui(value, 0);
    for (int i = K - 1; i >= 0; i--) {
        const int64_t d = (int64_t)x[i];
        mpz_mul_ui(value, value, r);
        if (d >= 0) {
            mpz_add_ui(value, value, (uint64_t)d);
        } else {
            mpz_sub_ui(value, value, 0 - (uint64_t)d);
        }
    }
    mpz_mod(value, value, p);
}

template <int K, int COUNT>
void run_change(digits &x, const digits &y, change what, const gfp_wide::radix &R)
{
    constexpr unsigned THREADS = 128;
    gfp_cuda gpu = emulated_gpu();
    const size_t n = x.size() / K;
    auto launch = [&]() -> gfp_status {
        GFP_LAUNCH(&gpu, (change_digits<K, COUNT>), general::blocks_for(n, THREADS / (K / COUNT)),
                   THREADS, 0, x.data(), y.data(), n, what, R);
        return GFP_OK;
    };
    assert_int_equal(launch(), GFP_OK);
}

bool is_canonical(const uint64_t *x, int k, uint64_t r)
{
    bool lower = false, all = true;
    for (int i = 0; i + 1 < k; i++) {
        lower = lower || x[i] != 0;
        all = all && x[i] < r;
    }
    return all && (x[k - 1] < r || (x[k - 1] == r && !lower));
}

/* Digits of at most r/2 + 1 in size: kind 0 has runs of zeros, of ones and of others, kind 1 any
 * digits, kind 2 digits of 2^32 and more. */
template <int K> digits signed_draw(size_t n, uint64_t r, unsigned kind)
{
    const int64_t half = (int64_t)(r / 2), special[] = {0, 0, 0, -1, 1, half, -half, half - 1};
    digits x(n * K);
    uint64_t run = 0, which = 0;
    for (uint64_t &d : x) {
        const int64_t any = (int64_t)(oracle_random(&random_state) % r - r / 2);
        if (run-- == 0) {
            run = oracle_random(&random_state) % (2 * K);
            which = oracle_random(&random_state) % 8;
        }
        d = (uint64_t)(kind == 0 ? special[which] : any);
        if (kind == 2 && (uint64_t)any + ((uint64_t)1 << 32) < (uint64_t)1 << 33) {
            d = (uint64_t)half;
        }
    }
    for (int i = 0; i < K; i++) { /* 0, -1, 1 */
        x[i] = 0, x[K + i] = i == 0 ? ~(uint64_t)0 : 0, x[2 * K + i] = i == 0;
    }
    return x;
}

template <int K, int COUNT> void check_digits(uint64_t r, unsigned kind)
{
    const size_t n = 70;
    gfp_wide::radix R;
    mpz_t p, before, other, after;
    assert_true(gfp_wide::radix_init(R, K, r));
    mpz_inits(p, before, other, after, nullptr);
    mpz_set_ui(p, r);
    mpz_pow_ui(p, p, K);
    mpz_add_ui(p, p, 1);
    const digits start = signed_draw<K>(n, r, kind), y = signed_draw<K>(n, r, 1);
    digits canonical = start, balanced, sums;
    run_change<K, COUNT>(canonical, y, CANONICAL, R);
    balanced = canonical;
    run_change<K, COUNT>(balanced, y, BALANCE, R);
    sums = start;
    run_change<K, COUNT>(sums, y, ADD, R);
    const int64_t most = (int64_t)(r / 2) + 1;
    for (size_t i = 0; i < n; i++) {
        value_of<K>(before, &start[i * K], p, r);
        value_of<K>(other, &y[i * K], p, r);
        assert_true(is_canonical(&canonical[i * K], K, r));
        value_of<K>(after, &balanced[i * K], p, r);
        assert_int_equal(mpz_cmp(before, after), 0);
        mpz_add(before, before, other);
        mpz_mod(before, before, p);
        value_of<K>(after, &sums[i * K], p, r);
        assert_int_equal(mpz_cmp(before, after), 0);
        for (size_t j = i * K; j < (i + 1) * K; j++) {
            assert_true(llabs((int64_t)balanced[j]) <= most && llabs((int64_t)sums[j]) <= most);
        }
    }
    mpz_clears(p, before, other, after, nullptr);
}

template <int K> void check_radices()
{
    for (uint64_t r : {(uint64_t)1 << 33 | 2, ((uint64_t)1 << 62) + ((uint64_t)1 << 56),
                       0 - ((uint64_t)1 << 48), 0 - ((uint64_t)1 << 27)}) {
        if (gfp_wide::elements_served(K, r)) {
            for (unsigned kind = 0; kind < 3; kind++) {
                check_digits<K, gfp_wide::shape<K>::V>(r, kind);
                check_digits<K, 4>(r, kind); /* of passes */
            }
        }
    }
}

void digits_keep_their_values(void **)
{
    check_radices<32>();
    check_radices<64>();
    check_radices<128>();
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(products_by_one_element_agree),
        cmocka_unit_test(products_by_indices_agree),
        cmocka_unit_test(other_fields_are_refused),
        cmocka_unit_test(digits_keep_their_values),
    };
    const int failed = cmocka_run_group_tests(tests, lab_setup_count, lab_teardown);
    emulated::free_stacks();
    return failed;
}
