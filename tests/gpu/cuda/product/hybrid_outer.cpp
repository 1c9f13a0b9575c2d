/* hybrid_outer.cpp: the outer DFT of the device's hybrid product (gpu/hybrid_outer*), run by
 * emulated/cuda_runtime.h, against its definition in GMP: all k, trees and leaves of every kind,
 * extreme radices and digits.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <gmp.h>

extern "C" {
#include <cmocka.h>

#include "lab/oracle.h"
}

#include <algorithm>
#include <vector>

#include "gpu/cuda/product/hybrid_outer.h"

#include "gpu/cuda/product/hybrid_digits.h"
#include "gpu/cuda/product/hybrid_outer.cuh"
#include "lab/emulated/room.h"

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments,
                             size_t shared, cudaStream_t)
{
    auto pass = [](const void *called, void **a) {
        ((void (*)(gfp_gpu_outer_args))called)(*(gfp_gpu_outer_args *)a[0]);
    };
    emulated::launch(pass, kernel, blocks.x, threads.x, arguments, shared);
    return cudaSuccess;
}

namespace
{

uint64_t random_state = 88172645463325252u;

uint64_t random_word()
{
    return oracle_random(&random_state);
}

/* The sum of v_j r^j, by Horner. p = r^k + 1, which need not be a prime here. */
class ring
{
  public:
    unsigned k;
    uint64_t r;
    mpz_t p;
    ring(unsigned k_, uint64_t r_) : k(k_), r(r_)
    {
        mpz_init_set_ui(p, r);
        mpz_pow_ui(p, p, k);
        mpz_add_ui(p, p, 1);
    }
    ring(const ring &) = delete;
    ~ring()
    {
        mpz_clear(p);
    }
    template <class Digit> void get(mpz_t value, const Digit *digits) const
    {
        mpz_set_ui(value, 0);
        for (unsigned j = k; j-- > 0;) {
            mpz_mul_ui(value, value, r);
            if ((Digit)-1 < 0 && (int64_t)digits[j] < 0) {
                mpz_sub_ui(value, value, 0 - (uint64_t)digits[j]);
            } else {
                mpz_add_ui(value, value, (uint64_t)digits[j]);
            }
        }
    }
    bool canonical(const uint64_t *digits) const
    {
        bool special = digits[k - 1] == r, fits = true;
        for (unsigned j = 0; j < k; j++) {
            fits = fits && digits[j] < r;
            special = special && (j == k - 1 || digits[j] == 0);
        }
        return fits || special;
    }
};

/* Number `kind` of some kinds of elements. */
enum { KINDS = 10 };
void outer_fill(const ring &f, uint64_t *x, unsigned kind)
{
    const uint64_t r = f.r;
    for (unsigned j = 0; j < f.k; j++) {
        const uint64_t any = random_word() % r;
        const uint64_t values[KINDS] = {any,
                                        0,
                                        r - 1,
                                        r / 2,
                                        r / 2 + 1,
                                        j == 0,
                                        j & 1 ? r - 1 : 0,
                                        j == f.k - 1 ? r : 0,
                                        random_word() & 1 ? r - 1 : 0,
                                        j == 0 ? r - 1 - any % 3 : r - 1};
        x[j] = values[kind % KINDS];
    }
}
/* The same for balanced digits; the first ones as far from 0 as they may be. */
void fill_balanced(const ring &f, int64_t *d, unsigned kind)
{
    const int64_t bound = (int64_t)gfp_hybrid::digit_bound(f.r);
    for (unsigned j = 0; j < f.k; j++) {
        const uint64_t width = 2 * (uint64_t)bound + 1;
        const int64_t any = (int64_t)(random_word() % (width != 0 ? width : 1) - (uint64_t)bound);
        const int64_t values[KINDS] = {any,
                                       bound,
                                       -bound,
                                       j & 1 ? bound : -bound,
                                       0,
                                       -(int64_t)(j == 0),
                                       j == 0,
                                       random_word() & 1 ? bound : -bound,
                                       j == f.k - 1 ? 1 : 0,
                                       (int64_t)(random_word() % 3) - 1};
        d[j] = values[kind % KINDS];
    }
}

unsigned outer_reversed(unsigned x, unsigned bits)
{
    unsigned y = 0;
    for (unsigned i = 0; i < bits; i++) {
        y |= (x >> i & 1) << (bits - 1 - i);
    }
    return y;
}

/* The leaves of x (len elements), some of many, are those in d, coefficient for coefficient. */
void check_leaves(const ring &f, const gfp_gpu_outer &shape, const int64_t *d, const uint64_t *x,
                  size_t len)
{
    const unsigned m = 1u << shape.log2_m;
    mpz_t value, sum, root;
    mpz_inits(value, sum, root, nullptr);
    const unsigned step = m <= 32 ? 1 : m / 8 + 1;
    for (unsigned s = random_word() % step; s < m; s += step) {
        mpz_set_ui(root, f.r);
        mpz_powm_ui(root, root, outer_reversed(s, shape.log2_m) * (2 * f.k >> shape.log2_m), f.p);
        for (size_t u = 0; u < shape.leaf; u++) {
            mpz_set_ui(sum, 0);
            for (unsigned i = m; i-- > 0;) {
                mpz_mul(sum, sum, root);
                if (i * shape.leaf + u < len) {
                    f.get(value, x + (i * shape.leaf + u) * f.k);
                    mpz_add(sum, sum, value);
                }
                mpz_mod(sum, sum, f.p);
            }
            f.get(value, d + (s * shape.leaf + u) * f.k);
            mpz_sub(sum, sum, value);
            assert_true(mpz_divisible_p(sum, f.p));
        }
    }
    mpz_clears(value, sum, root, nullptr);
}

void outer_check(unsigned k, uint64_t r, unsigned log2_m, size_t leaf, size_t batch, size_t len)
{
    const ring f(k, r);
    const gfp_gpu_outer shape = {k, r, log2_m, leaf, batch};
    const size_t n = leaf << log2_m, stride = len + 1;
    gfp_cuda gpu = emulated_gpu();
    std::vector<uint64_t> x(batch * stride * k, ~(uint64_t)0);
    std::vector<int64_t> d(batch * n * k, INT64_MIN);
    for (size_t b = 0; b < batch; b++) {
        const unsigned kind = (unsigned)(random_word() % (KINDS + 3));
        for (size_t i = 0; i < len; i++) {
            outer_fill(f, &x[(b * stride + i) * k], kind < KINDS ? kind : (unsigned)random_word());
        }
    }
    assert_int_equal(gfp_gpu_outer_forward(&gpu, &shape, d.data(), x.data(), len, stride), GFP_OK);
    for (size_t b = 0; b < batch; b++) {
        check_leaves(f, shape, &d[b * n * k], &x[b * stride * k], len);
    }
    for (int64_t v : d) {
        assert_true((uint64_t)llabs(v) <= gfp_hybrid::digit_bound(r));
    }
    /* Back, from other digits. */
    for (size_t b = 0; b < batch; b++) {
        const unsigned kind = (unsigned)(random_word() % (KINDS + 3));
        for (size_t i = 0; i < n; i++) {
            fill_balanced(f, &d[(b * n + i) * k], kind < KINDS ? kind : (unsigned)random_word());
        }
    }
    std::vector<int64_t> copy = d;
    std::vector<uint64_t> all(batch * n * k), some;
    assert_int_equal(gfp_gpu_outer_inverse(&gpu, &shape, all.data(), 0, n, n, copy.data()), GFP_OK);
    for (size_t i = 0; i < batch * n; i++) {
        assert_true(f.canonical(&all[i * k]));
    }
    for (size_t b = 0; b < batch; b++) {
        check_leaves(f, shape, &d[b * n * k], &all[b * n * k], n);
    }
    /* Some of the coefficients. */
    const size_t first = random_word() % n, count = 1 + random_word() % n, apart = count + 2;
    some.assign(batch * apart * k, 7);
    assert_int_equal(
        gfp_gpu_outer_inverse(&gpu, &shape, some.data(), first, count, apart, d.data()), GFP_OK);
    for (size_t b = 0; b < batch; b++) {
        for (size_t i = 0; i < apart; i++) {
            for (unsigned j = 0; j < k; j++) {
                const uint64_t expected = i < count ? all[(b * n + (first + i) % n) * k + j] : 7;
                assert_true(some[(b * apart + i) * k + j] == expected);
            }
        }
    }
}

const uint64_t radices[] = {
    0x8000000400000000,    0xfffc000000000000,        0xfffffffff0000000,
    gfp_hybrid::RADIX_MIN, gfp_hybrid::RADIX_MAX - 1, /* 2 divides it, and no more */
    0x0300000000000800,    0x8000000000000000,        0x7ffffffffffffffe,
};

/* Shares of several members: leaves of x, whose blocks lie apart. */
void check_shares(unsigned k, uint64_t r, unsigned log2_m, unsigned parts, size_t part, size_t len,
                  unsigned members)
{
    const size_t leaf = parts * part;
    const ring f(k, r);
    const unsigned m = 1u << log2_m;
    const gfp_gpu_outer shape = {k, r, log2_m, leaf, 1};
    gfp_gpu_outer_share share = {shape, parts, {}};
    const size_t n = leaf << log2_m, each = gfp_gpu_dealt_each(len, members);
    gfp_cuda gpu = emulated_gpu();
    std::vector<uint64_t> x(len * k);
    std::vector<int64_t> d(n * k, INT64_MIN);
    const unsigned kind = (unsigned)(random_word() % (KINDS + 3));
    for (size_t i = 0; i < len; i++) {
        outer_fill(f, &x[i * k], kind < KINDS ? kind : (unsigned)random_word());
    }
    std::vector<std::vector<uint64_t>> blocks(members);
    gfp_gpu_blocks in = {};
    in.each = each;
    for (size_t i = 0; i < members; i++) {
        const size_t at = std::min(len, i * each), end = std::min(len, at + each);
        blocks[i].assign(x.begin() + (long)(at * k), x.begin() + (long)(end * k));
        in.block[i] = blocks[i].data();
    }
    for (unsigned i = 0; i < members; i++) {
        const unsigned first = gfp_gpu_share_first(m, members, i);
        const unsigned end = gfp_gpu_share_first(m, members, i + 1);
        std::vector<int64_t> own((end - first) * leaf * k, INT64_MIN);
        /* In two groups of columns. */
        const size_t between = random_word() % (part + 1);
        share.columns = {between, part};
        assert_int_equal(
            gfp_gpu_outer_forward_share(&gpu, &share, own.data(), &in, len, first, end - first),
            GFP_OK);
        share.columns = {0, between};
        assert_int_equal(
            gfp_gpu_outer_forward_share(&gpu, &share, own.data(), &in, len, first, end - first),
            GFP_OK);
        std::copy(own.begin(), own.end(), d.begin() + (long)(first * leaf * k));
    }
    check_leaves(f, shape, d.data(), x.data(), len);
    for (int64_t v : d) {
        assert_true((uint64_t)llabs(v) <= gfp_hybrid::digit_bound(r));
    }
}

void shares_of_members(void **)
{
    for (unsigned k = 2; k <= 128; k *= 2) {
        for (unsigned log2_m = 0; (1u << log2_m) <= 2 * k && log2_m <= GFP_GPU_SHARE_LOG2_M;
             log2_m++) {
            for (unsigned members = 1; members <= 5 && members <= 1u << log2_m; members++) {
                const uint64_t r =
                    radices[random_word() % (sizeof radices / sizeof *radices)] & ~(uint64_t)1;
                const unsigned parts = 1u << random_word() % 3;
                const size_t part = 1 + random_word() % (k >= 32 ? 2 : 5);
                const size_t n = parts * part << log2_m;
                check_shares(k, r, log2_m, parts, part, 1 + random_word() % n, members);
                check_shares(k, r, log2_m, parts, part, n, members);
            }
        }
    }
}

/* Trees of all sizes for k digits. */
void outer_trees(unsigned k)
{
    for (uint64_t r : radices) {
        for (unsigned log2_m = 0; (1u << log2_m) <= 2 * k; log2_m++) {
            /* Large ones take long here. */
            if (k >= 32 && random_word() % ((k << log2_m) / 512 + 1) != 0) {
                continue;
            }
            const size_t leaf = 1 + random_word() % (k >= 32 ? 3 : 40);
            const size_t batch = 1 + random_word() % 3, n = leaf << log2_m;
            outer_check(k, r & ~(uint64_t)1, log2_m, leaf, batch,
                        random_word() % 2 ? n : n / 2 + 1);
        }
    }
}

void trees_of_few_digits(void **)
{
    for (unsigned k = 2; k <= 16; k *= 2) {
        outer_trees(k);
    }
}

void trees_of_many_digits(void **)
{
    for (unsigned k = 32; k <= 256; k *= 2) {
        outer_trees(k);
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_few_digits),
        cmocka_unit_test(trees_of_many_digits),
        cmocka_unit_test(shares_of_members),
    };
    const int failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    emulated::free_stacks();
    return failed;
}
