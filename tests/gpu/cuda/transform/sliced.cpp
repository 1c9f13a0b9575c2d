/* sliced.cpp: the fast engine of the device's transforms on the host: its arithmetic
 * (gpu/cuda/fast_arith.h) against GMP, and its plans and kernels (gpu/cuda/transform/sliced*), run
 * by emulated/cuda_runtime.h, against the library's transforms.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <gmp.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

extern "C" {
#include "field/base/support.h"
#include "lab/fixtures.h"
}
#include "gfpoly/fft.h"
#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/fast_mul.h"
#include "lab/emulated/room.h"
#include "gpu/cuda/transform/sliced.cuh"

using namespace gfp_fast;

/* ---- the parts of CUDA that the engine uses ---- */

/* Of the pass launched last. */
static unsigned threads_launched;

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments,
                             size_t shared, cudaStream_t)
{
    /* There are two types of kernels; those that make tables use no shared memory. */
    auto pass = [](const void *called, void **a) {
        ((void (*)(gfp_gpu_sliced_args))called)(*(gfp_gpu_sliced_args *)a[0]);
    };
    auto table = [](const void *called, void **a) {
        ((void (*)(uint64_t *, const uint64_t *, int, int, radix_constants))called)(
            *(uint64_t **)a[0], *(const uint64_t **)a[1], *(int *)a[2], *(int *)a[3],
            *(radix_constants *)a[4]);
    };
    if (shared != 0) {
        threads_launched = threads.x;
        emulated::launch(pass, kernel, blocks.x, threads.x, arguments, shared);
    } else {
        emulated::launch(table, kernel, blocks.x, threads.x, arguments, shared);
    }
    return cudaSuccess;
}

namespace
{

uint64_t random_state = 20170727;

uint64_t random_word()
{
    return oracle_random(&random_state);
}

/* A field and the arithmetic F that is tested over it. */
template <class F_> struct over {
    typedef F_ F;
    static constexpr int k = F::k;
    const lab &l;
    const radix_constants c;
    const F f;
    const u64 r;
    explicit over(const char *text)
        : l(*lab_named(text)), c(make_constants(F::k, l.o.r)), f(c), r(l.o.r)
    {
        assert_int_equal(l.k, F::k);
        assert_true(is_served(F::k, r));
        assert_true(!F::low_zero || (u32)r == 0);
    }
    over(const over &) = delete;
    /* r/2 and what gpu/cuda/fast_ranges.py proves that digits may have beyond it, in products and
     * behind levels. */
    uint64_t product_bound() const
    {
        const int bits = c.fraction < 21 ? c.fraction : 21;
        return F::roomy       ? r / 2 + r + (r >> 9)
               : F::two_terms ? r / 2 + (r >> 15)
                              : r / 2 + (u64)(((u128)r << 3) >> bits) + 1024;
    }
    uint64_t level_bound() const
    {
        const u64 words = ((u64)2 * F::k << 22) + ((u64)1 << (45 - log2_of((u32)c.level_left)));
        return F::two_terms ? r / 2 + (r >> (F::tight ? 17 : 6)) : r / 2 + words + (r >> 20) + 1024;
    }
};

/* test(over<F>) for the named primes that the engine serves. */
template <int K, u64 R, class Test> void one_named(const Test &test, const char *name)
{
    if constexpr (is_served(K, R)) {
        test(over<modulus<K, R>>(name));
    }
}
template <class Test> void every_named(const Test &test)
{
#define GFP_NAMED_PRIME(name, formula, named_r, named_k, ...)                                      \
    one_named<named_k, named_r>(test, name);
#include "field/primes/named.inc"
#undef GFP_NAMED_PRIME
}
/* The ends of the radices that are served. */
constexpr u64 ONE = 1;
static_assert(!is_served(2, ONE << 33) && !is_served(2, (ONE << 33) - (ONE << 32)), "");
static_assert(is_served(2, 3 * (ONE << 32)) && is_served(2, (ONE << 33) + 2), "");
static_assert(!is_served(2, (ONE << 33) - 2) && !is_served(2, 0 - (ONE << 37)), "");
static_assert(is_served(8, 0 - (ONE << 48)) && !is_served(2, 2 - (ONE << 48)), "");
static_assert(is_served(16, (ONE << 63) - 2) && !is_served(16, (ONE << 63) + (ONE << 32)), "");
static_assert(!is_served(32, (ONE << 50) + (ONE << 40)), "");
template <int K, bool LOW_ZERO, class Test>
void some_fields(const Test &test, std::initializer_list<const char *> fields)
{
    for (const char *text : fields) {
        test(over<radix<K, LOW_ZERO>>(text));
    }
}
/* The least and the greatest radices of each kind, and some of two terms. */
template <class Test> void every_unnamed(const Test &test)
{
    some_fields<2, true>(test, {"(2^34+2^32)^2+1", "(2^55-2^51)^2+1", "(2^64-2^49)^2+1",
                                "(2^64-281599530762240)^2+1"});
    some_fields<2, false>(test,
                          {"(2^33+2^14)^2+1", "(2^40+2^14)^2+1", "(2^64-281475028090880)^2+1"});
    some_fields<4, true>(test, {"(2^37+2^33)^4+1", "(2^63-2^36)^4+1", "(2^52+2^46)^4+1",
                                "(2^64-281569465991168)^4+1"});
    some_fields<4, false>(test,
                          {"(2^33+2^16)^4+1", "(2^38+2^29)^4+1", "(2^64-281474978021376)^4+1"});
    some_fields<8, true>(test,
                         {"(2^43-2^36)^8+1", "(2^61+2^41)^8+1", "(2^64-281831458996224)^8+1"});
    some_fields<8, false>(test,
                          {"(2^34+2^13)^8+1", "(2^40+204800)^8+1", "(2^64-281474985885696)^8+1"});
    some_fields<16, true>(test, {"(90194313216)^16+1", "(2^53+2^50)^16+1", "(2^52+2^34)^16+1",
                                 "(2^63-171798691840)^16+1"});
    some_fields<16, false>(test, {"(2^33+2^19)^16+1", "(2^40+20480)^16+1", "(2^63-18153472)^16+1"});
}
template <class Test> void every_field(const Test &test)
{
    every_named(test);
    every_unnamed(test);
}
/* Also the arithmetic of unnamed fields over named ones. */
template <class Test> void every_arithmetic(const Test &test)
{
    every_field(test);
    some_fields<2, true>(test, {"p2"});
    some_fields<4, true>(test, {"p4"});
    some_fields<8, true>(test, {"p8", "m8"});
    some_fields<16, true>(test, {"p16"});
    some_fields<4, false>(test, {"m4", "p4"});
}

class integer
{
  public:
    mpz_t value;
    integer()
    {
        mpz_init(value);
    }
    integer(const integer &) = delete;
    ~integer()
    {
        mpz_clear(value);
    }
};

/* The element modulo p whose digits are words, signed ones or not. */
template <class F>
void sliced_get(const oracle &o, mpz_t value, const u32 (&x)[2 * F::k], bool is_signed)
{
    uint64_t plus[F::k], minus[F::k];
    for (int i = 0; i < F::k; i++) {
        const uint64_t v = join(x[2 * i], x[2 * i + 1]);
        const bool below = is_signed && (s64)v < 0;
        plus[i] = below ? 0 : v;
        minus[i] = below ? 0 - v : 0;
    }
    integer subtracted;
    oracle_get(&o, value, plus);
    oracle_get(&o, subtracted.value, minus);
    mpz_sub(value, value, subtracted.value);
    mpz_mod(value, value, o.p);
}
template <class F> void sliced_set(u32 (&x)[2 * F::k], const uint64_t *digits)
{
    for (int i = 0; i < F::k; i++) {
        x[2 * i] = (u32)digits[i], x[2 * i + 1] = (u32)(digits[i] >> 32);
    }
}
template <class F> void assert_bounded(const u32 (&x)[2 * F::k], uint64_t bound)
{
    for (int i = 0; i < F::k; i++) {
        const s64 v = (s64)join(x[2 * i], x[2 * i + 1]);
        assert_true((v < 0 ? 0 - (u64)v : (u64)v) <= bound);
    }
}
template <class F>
void assert_unsigned(const over<F> &t, const u32 (&x)[2 * F::k], const mpz_t expected)
{
    integer value;
    for (int i = 0; i < F::k; i++) {
        assert_true(join(x[2 * i], x[2 * i + 1]) <= t.r);
    }
    sliced_get<F>(t.l.o, value.value, x, false);
    assert_int_equal(mpz_cmp(value.value, expected), 0);
}

/* ---- products ---- */

/* Checks x y, also as an entry of a table. */
template <class F>
void check_product(const over<F> &t, const uint64_t *x_digits, const uint64_t *y_digits)
{
    const oracle &o = t.l.o;
    u32 x[2 * F::k], y[2 * F::k], z[2 * F::k];
    integer a, b;
    sliced_set<F>(x, x_digits);
    sliced_set<F>(y, y_digits);
    sliced_get<F>(o, a.value, x, false);
    sliced_get<F>(o, b.value, y, false);
    oracle_mul(&o, a.value, a.value, b.value);
    multiply(t.f, x, y, [&](int pair, u32 v0, u32 v1, u32 v2, u32 v3) {
        z[4 * pair] = v0, z[4 * pair + 1] = v1, z[4 * pair + 2] = v2, z[4 * pair + 3] = v3;
    });
    sliced_get<F>(o, b.value, z, true);
    assert_int_equal(mpz_cmp(a.value, b.value), 0);
    assert_bounded<F>(z, t.product_bound());
    if (!F::two_terms || F::roomy) {
        tidy(t.f, z);
    }
    make_unsigned(t.f, z);
    assert_unsigned(t, z, a.value);
}

void products_agree_with_gmp(void **)
{
    every_arithmetic([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        const lab &l = t.l;
        for (size_t i = 0; i < l.count; i++) {
            for (size_t j = 0; j < l.count; j++) {
                check_product(t, lab_sample(&l, i), lab_sample(&l, j));
            }
        }
        /* Digits up to r, which canonical ones are not. */
        for (int i = 0; i < 4000; i++) {
            uint64_t x[2][F::k];
            for (int j = 0; j < 2 * F::k; j++) {
                const uint64_t kinds[] = {t.r, t.r - 1, t.r / 2, 0, 1, random_word() % t.r};
                const int kind = (i >> (j / F::k)) & 1;
                x[j / F::k][j % F::k] = kinds[kind == 0 ? random_word() % 6 : i / 4 % 6];
            }
            check_product(t, x[0], x[1]);
        }
    });
}

/* Balanced digits as levels leave them, made unsigned. */
void unsigned_digits_are_the_same_element(void **)
{
    every_arithmetic([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        const uint64_t most = t.level_bound();
        for (int i = 0; i < 4000; i++) {
            u32 x[2 * F::k];
            for (int j = 0; j < F::k; j++) {
                const uint64_t kinds[] = {0,        1,       ~(uint64_t)0, most,
                                          0 - most, t.r / 2, 0 - t.r / 2,  random_word() % most};
                const uint64_t v = kinds[i < 8      ? i
                                         : i < 1000 ? random_word() % 3
                                                    : random_word() % 8];
                x[2 * j] = (u32)v, x[2 * j + 1] = (u32)(v >> 32);
            }
            integer value;
            sliced_get<F>(t.l.o, value.value, x, true);
            make_unsigned(t.f, x);
            assert_unsigned(t, x, value.value);
        }
    });
}

/* ---- quotients ---- */

/* v := the signed integer of `count' words, lowest first. */
void set_signed(mpz_t v, const u32 *words, int count)
{
    mpz_import(v, (size_t)count, -1, sizeof *words, 0, 0, words);
    if ((s32)words[count - 1] < 0) {
        integer power;
        mpz_ui_pow_ui(power.value, 2, 32 * (unsigned long)count);
        mpz_sub(v, v, power.value);
    }
}
void set_s64(mpz_t v, s64 x)
{
    const u32 words[] = {(u32)x, (u32)((u64)x >> 32)};
    set_signed(v, words, 2);
}
/* Signed words of v. */
void get_signed(u32 *words, int count, const mpz_t v)
{
    integer t;
    mpz_fdiv_r_2exp(t.value, v, 32 * (mp_bitcnt_t)count);
    memset(words, 0, (size_t)count * sizeof *words);
    mpz_export(words, nullptr, -1, sizeof *words, 0, 0, t.value);
}

/* v = q r + rest, the rest bounded. */
void check_quotient(u64 radix, const mpz_t v, const mpz_t q, u64 rest, u64 bound)
{
    integer t, r;
    oracle_set_u64(r.value, radix);
    mpz_mul(t.value, q, r.value);
    mpz_sub(t.value, v, t.value);
    set_s64(r.value, (s64)rest);
    assert_int_equal(mpz_cmp(t.value, r.value), 0);
    assert_true(((s64)rest < 0 ? 0 - rest : rest) <= bound);
}

/* Multiples of r / 2, near by, and random numbers, up to the columns' bound. */
void quotients_of_columns_are_close(void **)
{
    every_arithmetic([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        integer v, q, r, most;
        oracle_set_u64(r.value, t.r);
        mpz_mul(most.value, r.value, r.value);
        mpz_mul_ui(most.value, most.value, F::k);
        for (int i = 0; i < 20000; i++) {
            /* most 2^-i, times a random 64-bit fraction */
            mpz_set(v.value, most.value);
            oracle_set_u64(q.value, i % 16 == 0 ? ~(uint64_t)0 : random_word());
            mpz_mul(v.value, v.value, q.value);
            mpz_fdiv_q_2exp(v.value, v.value, 64 + (mp_bitcnt_t)(random_word() % 130));
            if (i % 2 != 0) {
                mpz_set(q.value, r.value);
                mpz_fdiv_q_2exp(q.value, q.value, 1);
                mpz_fdiv_q(v.value, v.value, q.value);
                mpz_mul(v.value, v.value, q.value);
                set_s64(q.value, (s64)(random_word() % 5) - 2);
                mpz_add(v.value, v.value, q.value);
            }
            if (i % 4 >= 2) {
                mpz_neg(v.value, v.value);
            }
            const rounding<F> add(t.f);
            const u32 added[5] = {0, add.w1, add.w2, add.w3, add.w4};
            u32 w[5], lo, hi, quotient[3];
            set_signed(q.value, added, 5);
            mpz_add(q.value, v.value, q.value);
            get_signed(w, 5, q.value);
            reduce(t.f, w, lo, hi, quotient[0], quotient[1], quotient[2]);
            set_signed(q.value, quotient, 3);
            check_quotient(t.r, v.value, q.value, join(lo, hi), t.product_bound());
        }
        /* Digit 0 after the last carry: at most k r and a digit. */
        for (int i = 0; i < 20000; i++) {
            oracle_set_u64(v.value, i % 16 == 0 ? t.r : random_word() % t.r);
            mpz_mul_ui(v.value, v.value, F::k + 4);
            mpz_fdiv_q_2exp(v.value, v.value, random_word() % 16);
            if (i % 2 != 0) {
                mpz_neg(v.value, v.value);
            }
            u32 w[3], lo, hi;
            get_signed(w, 3, v.value);
            set_s64(q.value, reduce_small(t.f, w[0], w[1], w[2], lo, hi));
            check_quotient(t.r, v.value, q.value, join(lo, hi), t.product_bound());
        }
    });
}

/* Words as they are after the levels of a DFT_2k: sums of 2k digits, or near multiples of r / 2. */
void quotients_of_levels_are_close(void **)
{
    every_arithmetic([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        integer v, x_value;
        for (int i = 0; i < 40000; i++) {
            s32 word[3] = {0, 0, 0};
            const int kind = i % 8;
            for (int j = 0; j < 2 * F::k; j++) {
                const bool canonical = kind < 2;
                const u64 most = canonical ? t.r : t.product_bound();
                u64 x = kind == 7 ? 0 : i % 16 < 8 ? random_word() % (most + 1) : most;
                s32 a, b, c, sign = kind % 2 == 0 || random_word() % 2 != 0 ? 1 : -1;
                if (!canonical && (kind < 5 || random_word() % 2 != 0)) {
                    x = 0 - x;
                }
                split22((u32)x, (u32)(x >> 32), canonical ? 0xfffff : 0xffffffffu, a, b, c);
                assert_true(((u64)c << 44) + ((u64)b << 22) + (u64)a == x);
                word[0] += sign * a, word[1] += sign * b, word[2] += sign * c;
            }
            set_s64(v.value, word[2]);
            mpz_mul_2exp(v.value, v.value, 22);
            set_s64(x_value.value, word[1]);
            mpz_add(v.value, v.value, x_value.value);
            mpz_mul_2exp(v.value, v.value, 22);
            set_s64(x_value.value, word[0]);
            mpz_add(v.value, v.value, x_value.value);
            u32 lo, hi;
            const s32 q = quotient22(t.f, word[1], word[2]);
            join22(t.f, word[0], word[1], word[2], q, lo, hi);
            set_s64(x_value.value, q);
            check_quotient(t.r, v.value, x_value.value, join(lo, hi), t.level_bound() - 1000);
        }
    });
}

/* ---- transforms ---- */

/* Batches of DFT_N by the engine's plans and kernels, forward and back, both orders, in place and
 * not, on a device with this number of multiprocessors. Elements are samples: from number `first`
 * on, or number b all through transform b. Returns the threads of a block of the last pass. */
unsigned check_transforms(const lab &l, unsigned log2_n, size_t batch, size_t first, bool constant,
                          int processors = 0)
{
    const size_t n = (size_t)1 << log2_n;
    gfp_cuda gpu = emulated_gpu();
    gpu.allocator = *gfp_field_allocator(l.field);
    gpu.shared_per_block = 227 * 1024;
    gpu.multiprocessors = processors;
    gfp_gpu_fft_plan plan = {};
    plan.gpu = &gpu;
    plan.field = l.field;
    plan.k = l.k;
    plan.log2_n = log2_n;
    plan.n = n;
    plan.batch = batch;
    plan.words = batch * n * l.k;
    assert_true(gfp_gpu_fft_sliced.serves(&gpu, l.field, log2_n, batch));
    assert_int_equal(gfp_gpu_fft_sliced.create(&plan), GFP_OK);
    gfp_fft_plan *twin;
    assert_int_equal(gfp_fft_plan_create(&twin, l.field, n, nullptr), GFP_OK);
    void *block = nullptr;
    assert_int_equal(gfp_gpu_device_allocate(&gpu, &block, 2 * 8 * plan.words), GFP_OK);
    uint64_t *x = (uint64_t *)block, *y = x + plan.words;
    std::vector<uint64_t> time(plan.words), frequency(plan.words);
    for (size_t i = 0; i < batch * n; i++) {
        const uint64_t *sample = lab_sample(&l, constant ? i >> log2_n : first + i);
        std::copy(sample, sample + l.k, &time[i * l.k]);
    }
    for (gfp_order order : {GFP_ORDER_NATURAL, GFP_ORDER_PERMUTED}) {
        for (size_t i = 0; i < batch; i++) {
            assert_int_equal(gfp_fft_run(&frequency[i * n * l.k], &time[i * n * l.k], GFP_FORWARD,
                                         order, twin, nullptr),
                             GFP_OK);
        }
        const bool in_place = (order == GFP_ORDER_NATURAL) == (log2_n % 2 != 0);
        std::copy(time.begin(), time.end(), x);
        uint64_t *out = in_place ? x : y;
        assert_int_equal(gfp_gpu_fft_sliced.forward(&plan, out, x, order), GFP_OK);
        assert_memory_equal(out, frequency.data(), 8 * plan.words);
        assert_memory_equal(x, in_place ? frequency.data() : time.data(), 8 * plan.words);
        std::copy(frequency.begin(), frequency.end(), y);
        out = in_place ? y : x;
        assert_int_equal(gfp_gpu_fft_sliced.inverse(&plan, out, y, order), GFP_OK);
        assert_memory_equal(out, time.data(), 8 * plan.words);
        assert_memory_equal(y, in_place ? time.data() : frequency.data(), 8 * plan.words);
    }
    gfp_gpu_device_release(&gpu, block, 2 * 8 * plan.words);
    gfp_fft_plan_destroy(twin);
    gfp_gpu_fft_sliced.destroy(&plan);
    assert_int_equal(gpu.bytes, 0);
    return threads_launched;
}

/* The transform by shares: rows of some members, columns in groups; forwards and back. */
void check_shares(const lab &l, unsigned log2_n, unsigned members)
{
    const gfp_gpu_fft_share_calls *share = gfp_gpu_fft_sliced.share;
    const size_t n = (size_t)1 << log2_n, k = l.k;
    gfp_cuda gpu = emulated_gpu();
    gpu.allocator = *gfp_field_allocator(l.field);
    gpu.shared_per_block = 227 * 1024;
    gfp_gpu_fft_plan plan = {};
    plan.gpu = &gpu;
    plan.field = l.field;
    plan.k = l.k;
    plan.log2_n = log2_n;
    plan.n = n;
    plan.batch = 1;
    plan.words = n * k;
    assert_int_equal(gfp_gpu_fft_sliced.create(&plan), GFP_OK);
    const unsigned log2_rows = share->log2_rows(&plan);
    assert_true(log2_rows > 0);
    const size_t row = n >> log2_rows, each = n / members;
    assert_int_equal(each % row, 0);
    gfp_fft_plan *twin;
    assert_int_equal(gfp_fft_plan_create(&twin, l.field, n, nullptr), GFP_OK);
    void *block = nullptr;
    assert_int_equal(gfp_gpu_device_allocate(&gpu, &block, 3 * 8 * plan.words), GFP_OK);
    uint64_t *t = (uint64_t *)block, *y = t + plan.words, *x = y + plan.words;
    std::vector<uint64_t> time(plan.words), frequency(plan.words);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *sample = lab_sample(&l, 3 * log2_n + i);
        std::copy(sample, sample + k, &time[i * k]);
    }
    assert_int_equal(
        gfp_fft_run(frequency.data(), time.data(), GFP_FORWARD, GFP_ORDER_PERMUTED, twin, nullptr),
        GFP_OK);
    std::copy(time.begin(), time.end(), t);
    for (size_t from = 0, to; from < row; from = to) {
        to = std::min(row, from + 1 + (size_t)(random_word() % row));
        assert_int_equal(share->columns(&plan, t, from, to), GFP_OK);
    }
    for (size_t from = 0; from < n; from += each) {
        assert_int_equal(share->rows(&plan, y + from * k, t, from, from + each), GFP_OK);
    }
    assert_memory_equal(y, frequency.data(), 8 * plan.words);
    for (size_t from = 0; from < n; from += each) {
        assert_int_equal(share->rows_back(&plan, t, y + from * k, from, from + each), GFP_OK);
    }
    for (size_t from = 0, to; from < row; from = to) {
        to = std::min(row, from + 1 + (size_t)(random_word() % row));
        /* Only the mirrored columns are written. */
        std::fill(x, x + plan.words, ~(uint64_t)0);
        assert_int_equal(share->columns_back(&plan, x, t, from, to), GFP_OK);
        for (size_t i = 0; i < n; i++) {
            const size_t u = (row - i % row) % row;
            if (from <= u && u < to) {
                assert_memory_equal(x + i * k, &time[i * k], 8 * k);
            } else {
                assert_true(x[i * k] == ~(uint64_t)0);
            }
        }
    }
    gfp_gpu_device_release(&gpu, block, 3 * 8 * plan.words);
    gfp_fft_plan_destroy(twin);
    gfp_gpu_fft_sliced.destroy(&plan);
    assert_int_equal(gpu.bytes, 0);
}

/* Two passes, and where they are short three. */
void shares_agree_with_the_library(void **)
{
    every_field([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        for (unsigned log2_n : {F::k == 4 ? 10u : 9u, 11u, 13u}) {
            for (unsigned members = 1; members <= 4; members *= 2) {
                check_shares(t.l, log2_n, members);
            }
        }
    });
}

/* Every shape of a pass: lengths of one pass; then two passes, one of them of several levels. */
template <class F> void check_shapes(const over<F> &t)
{
    const lab &l = t.l;
    const unsigned one_pass = F::k == 4 ? 9 : 8;
    unsigned usual[10];
    for (unsigned log2_n = 1; log2_n <= one_pass; log2_n++) {
        usual[log2_n] = check_transforms(l, log2_n, log2_n < 4 ? 3 : 1, 5 * log2_n, false);
    }
    /* A tile for each processor: twice the threads, from some length on. */
    const unsigned few = F::k == 2 ? 7 : F::k == 16 ? 5 : 6;
    for (unsigned log2_n = 5; log2_n <= one_pass; log2_n++) {
        const unsigned threads = check_transforms(l, log2_n, 1, 3 * log2_n, false, 1);
        assert_int_equal(threads, usual[log2_n] * (log2_n >= few ? 2 : 1));
    }
    /* Many elements: other shapes. */
    if ((F::k == 4 || F::k == 8) && l.entry->named) {
        for (unsigned log2_n = F::k == 4 ? 6 : 7; log2_n <= one_pass; log2_n++) {
            check_transforms(l, log2_n, (size_t)1 << (GFP_FAST_LOG_MANY - log2_n), 0, false);
        }
    }
    check_transforms(l, F::k == 16 ? 11 : one_pass + 1, 1, 0, false);
}

void transforms_agree_with_the_library(void **)
{
    every_field([](const auto &t) { check_shapes(t); });
}

/* All elements the same extreme one: the greatest sums. */
void transforms_of_constants_agree_with_the_library(void **)
{
    every_field([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        const lab &l = t.l;
        check_transforms(l, F::log_k + 1, l.extremes, 0, true);
    });
}

/* Of all pairs of samples, and of random elements. */
void canonical_products_agree_with_the_library(void **)
{
    every_arithmetic([](const auto &t) {
        typedef typename std::decay_t<decltype(t)>::F F;
        const lab &l = t.l;
        const general::field field = general::make_field(t.r, F::k);
        const size_t pairs = l.count * l.count;
        for (size_t i = 0; i < pairs + 5000; i++) {
            uint64_t x[F::k], y[F::k], z[F::k], expected[F::k];
            if (i < pairs) {
                memcpy(x, lab_sample(&l, i / l.count), sizeof x);
                memcpy(y, lab_sample(&l, i), sizeof y);
            } else {
                oracle_random_element(&l.o, x, &random_state);
                oracle_random_element(&l.o, y, &random_state);
            }
            gfp_elem_mul(l.field, expected, x, y);
            multiply_canonical(t.f, field, general::view{z, 1}, general::const_view(x, 1),
                               general::const_view(y, 1));
            lab_expect_digits(&l, z, expected, 1, "canonical product", i, 0);
        }
    });
}

/* Lengths and fields without kernels. */
void what_is_not_served_is_refused(void **)
{
    gfp_cuda gpu = emulated_gpu();
    gpu.shared_per_block = 227 * 1024;
    const lab &l = *lab_named("p4");
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, l.field, 0, 1));
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, l.field, 32, 1));
    assert_true(gfp_gpu_fft_sliced.serves(&gpu, l.field, 20, 2047));
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, l.field, 20, 2048));
    for (const lab &other : lab_fields) {
        if (other.field != nullptr && !is_served(other.k, other.o.r)) {
            assert_false(gfp_gpu_fft_sliced.serves(&gpu, other.field, 1, 1));
        }
    }
    /* A pass halves twice: r is 4 times an odd number. */
    gfp_field *few = lab_create("(2^40+52)^8+1");
    assert_true(gfp_gpu_fft_sliced.serves(&gpu, few, 2, 1));
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, few, 3, 1));
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, few, 16, 1));
    gfp_field_destroy(few);
    gpu.shared_per_block = 1024;
    assert_false(gfp_gpu_fft_sliced.serves(&gpu, l.field, 1, 1));
}

int sliced_teardown(void **state)
{
    emulated::free_stacks();
    return lab_teardown(state);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_gmp),
        cmocka_unit_test(canonical_products_agree_with_the_library),
        cmocka_unit_test(unsigned_digits_are_the_same_element),
        cmocka_unit_test(quotients_of_columns_are_close),
        cmocka_unit_test(quotients_of_levels_are_close),
        cmocka_unit_test(transforms_agree_with_the_library),
        cmocka_unit_test(transforms_of_constants_agree_with_the_library),
        cmocka_unit_test(shares_agree_with_the_library),
        cmocka_unit_test(what_is_not_served_is_refused),
    };
    return cmocka_run_group_tests(tests, lab_setup, sliced_teardown);
}
