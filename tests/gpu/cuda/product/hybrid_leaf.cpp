/* hybrid_leaf.cpp: the hybrid engine of the device, its leaves' kernels run thread by
 * thread on the host over an outer DFT by definition, against the CPU's products.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>

#include <initializer_list>

extern "C" {
#include <cmocka.h>

#include "gfpoly/fft.h"
#include "fft/task.h"
#include "field/base/support.h"
#include "lab/convolve.h"
#include "lab/oracle.h"
}

#include "gpu/cuda/product/hybrid_leaf.h"
#include <algorithm>
#include <vector>

#include "gpu/cuda/product/hybrid_outer.h"
#include "gpu/product_engine.h"
#include "lab/emulated/room.h"
#include "field/elem.h"

/* ---- what the engine takes from CUDA ---- */

static int shared_per_block = 227 * 1024; /* of the simulated device */

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments,
                             size_t shared, cudaStream_t)
{
    assert_true(shared <= (size_t)shared_per_block);
    /* All kernels have the same arguments. */
    auto call = [](const void *called, void **a) {
        ((void (*)(gfp_gpu_leaf_pass))called)(*(gfp_gpu_leaf_pass *)a[0]);
    };
    emulated::launch(call, kernel, blocks.x, threads.x, arguments, shared);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

/* ---- the outer DFT by definition ---- */

static const gfp_field *the_field;

static uint32_t leaf_turn(const gfp_gpu_outer *outer, unsigned s)
{
    unsigned t = 0;
    for (unsigned i = 0; i < outer->log2_m; i++) {
        t |= (s >> i & 1) << (outer->log2_m - 1 - i);
    }
    return t * (2 * outer->k >> outer->log2_m);
}

bool gfp_gpu_outer_serves(unsigned, uint64_t r)
{
    return r >= gfp_hybrid::RADIX_MIN && r <= gfp_hybrid::RADIX_MAX;
}

gfp_status gfp_gpu_outer_forward(gfp_gpu *, const gfp_gpu_outer *outer, int64_t *d,
                                 const uint64_t *x, size_t len, size_t stride)
{
    const unsigned k = outer->k;
    for (size_t b = 0; b < outer->batch; b++) {
        for (unsigned s = 0; s < 1u << outer->log2_m; s++) {
            for (size_t i = 0; i < outer->leaf; i++, d += k) {
                uint64_t sum[GFP_MAX_K] = {0}, y[GFP_MAX_K];
                for (size_t j = i, e = 0; j < len; j += outer->leaf, e += leaf_turn(outer, s)) {
                    gfp_elem_mul_r(the_field, y, x + (b * stride + j) * k, e % (2 * k));
                    gfp_elem_add(the_field, sum, sum, y);
                }
                uint64_t carry = 0;
                for (unsigned t = 0; t < k; t++) {
                    const uint64_t v = sum[t] + carry;
                    carry = v > outer->r / 2;
                    d[t] = (int64_t)(v - (carry ? outer->r : 0));
                }
                d[0] -= (int64_t)carry;
            }
        }
    }
    return GFP_OK;
}

/* The element of balanced digits. */
static void leaf_get(uint64_t *z, const int64_t *d, unsigned k, uint64_t r)
{
    uint64_t plus[GFP_MAX_K], minus[GFP_MAX_K];
    for (unsigned t = 0; t < k; t++) {
        assert_true((uint64_t)llabs((long long)d[t]) <= gfp_hybrid::digit_bound(r));
        plus[t] = d[t] > 0 ? (uint64_t)d[t] : 0;
        minus[t] = d[t] < 0 ? (uint64_t)-d[t] : 0;
    }
    gfp_elem_sub(the_field, z, plus, minus);
}

gfp_status gfp_gpu_outer_inverse(gfp_gpu *, const gfp_gpu_outer *outer, uint64_t *c, size_t first,
                                 size_t n, size_t stride, int64_t *d)
{
    const unsigned k = outer->k;
    uint64_t scale[GFP_MAX_K] = {(uint64_t)1 << outer->log2_m};
    assert_int_equal(gfp_elem_inv(the_field, scale, scale), GFP_OK);
    for (size_t b = 0; b < outer->batch; b++) {
        for (size_t i = 0; i < n; i++) {
            const size_t at = (first + i) % (outer->leaf << outer->log2_m);
            uint64_t sum[GFP_MAX_K] = {0}, y[GFP_MAX_K];
            for (unsigned s = 0; s < 1u << outer->log2_m; s++) {
                const size_t e = at / outer->leaf * leaf_turn(outer, s) % (2 * k);
                leaf_get(y, d + (((b << outer->log2_m) + s) * outer->leaf + at % outer->leaf) * k,
                         k, outer->r);
                gfp_elem_mul_r(the_field, y, y, (unsigned)((2 * k - e) % (2 * k)));
                gfp_elem_add(the_field, sum, sum, y);
            }
            gfp_elem_mul(the_field, c + (b * stride + i) * k, sum, scale);
        }
    }
    return GFP_OK;
}

/* Shares: one block holds all coefficients here. */
gfp_status gfp_gpu_outer_forward_share(gfp_gpu *gpu, const gfp_gpu_outer_share *share, int64_t *d,
                                       const gfp_gpu_blocks *x, size_t len, unsigned first,
                                       unsigned count)
{
    const gfp_gpu_outer *outer = &share->shape;
    const size_t k = outer->k, words = outer->leaf * k, part = outer->leaf / share->parts;
    std::vector<int64_t> all(words << outer->log2_m);
    assert_int_equal(gfp_gpu_outer_forward(gpu, outer, all.data(), x->block[0], len, len), GFP_OK);
    for (unsigned i = 0; i < count * share->parts; i++) {
        const size_t at = (i * part + share->columns.from) * k;
        memcpy(d + at, all.data() + first * words + at,
               (share->columns.to - share->columns.from) * k * sizeof *d);
    }
    return GFP_OK;
}

/* ---- tests ---- */

static uint64_t random_state = 20170727;

/* Elements: random ones, or all of one kind. */
static void leaf_fill(uint64_t *x, size_t n, unsigned k, uint64_t r, unsigned kind)
{
    for (size_t i = 0; i < n; i++, x += k) {
        const bool special = (kind == 5 || kind == 0) && oracle_random(&random_state) % 16 == 0;
        for (unsigned t = 0; t < k; t++) {
            x[t] = kind == 1   ? 0
                   : kind == 2 ? r - 1
                   : kind == 3 ? r / 2
                   : kind == 4 ? (i + t) % 2 * (r - 1)
                               : oracle_random(&random_state) % r;
            if (special) {
                x[t] = t == k - 1 ? r : 0;
            }
        }
    }
}

/* A plan and its arrays. */
struct problem {
    gfp_field *field;
    unsigned k;
    uint64_t r;
    gfp_cuda gpu;
    gfp_gpu_cyclic plan;
    size_t len[2];
    uint64_t *x[2], *c, *t[2];
};

static uint64_t *words_of(size_t n)
{
    uint64_t *x = (uint64_t *)aligned_alloc(256, (8 * n + 255) & ~(size_t)255);
    assert_non_null(x);
    return x;
}

static void open_problem(problem &p, const char *text, size_t n, size_t len_a, size_t len_b,
                         size_t batch, unsigned kind)
{
    const gfp_gpu_product_engine *engine = &gfp_gpu_product_hybrid;
    gfp_error error;
    char why[256] = "";
    size_t words;
    memset((void *)&p, 0, sizeof p);
    assert_int_equal(gfp_field_create(&p.field, text, NULL, &error), GFP_OK);
    the_field = p.field;
    p.k = gfp_field_k(p.field);
    p.r = gfp_field_r(p.field);
    p.gpu = emulated_gpu();
    p.gpu.allocator = *gfp_field_allocator(p.field);
    p.gpu.shared_per_block = shared_per_block;
    p.plan.gpu = &p.gpu;
    p.plan.field = p.field;
    p.plan.k = p.k;
    p.plan.terms = len_a < len_b ? len_a : len_b;
    p.plan.n = engine->length(&p.gpu, p.field, n, p.plan.terms, why, sizeof why);
    p.plan.batch = batch;
    p.plan.engine = engine;
    assert_true(p.plan.n >= n);
    const size_t bytes = engine->bytes(&p.plan, &words);
    assert_int_equal(engine->create(&p.plan), GFP_OK);
    assert_true(p.plan.words <= words && p.gpu.bytes <= bytes);
    p.len[0] = len_a, p.len[1] = len_b;
    for (int i = 0; i < 2; i++) {
        p.x[i] = words_of(p.len[i] * batch * p.k);
        p.t[i] = words_of(p.plan.words);
        leaf_fill(p.x[i], p.len[i] * batch, p.k, p.r, kind);
    }
    /* No product depends on what it writes: the other area is not prepared. */
    assert_int_equal(engine->prepare_area(&p.plan, p.t[0]), GFP_OK);
    p.c = words_of(p.plan.n * batch * p.k);
}

static void close_problem(problem &p)
{
    for (int i = 0; i < 2; i++) {
        free(p.x[i]), free(p.t[i]);
    }
    free(p.c);
    p.plan.engine->destroy(&p.plan);
    assert_int_equal(p.gpu.bytes, 0);
    gfp_field_destroy(p.field);
}

/* Number i of the batch against the CPU's cyclic product, of the same length. (By transforms over
 * Z/pZ: gfp_poly_mul would bring the library's own methods on a device along.) */
static void leaf_expect(const problem &p, size_t i, bool square, const char *what)
{
    const size_t n = p.plan.n;
    uint64_t *x[2], *want = words_of(n * p.k);
    gfp_fft_plan *plan = nullptr;
    for (int factor = 0; factor < 2; factor++) {
        const int from = square ? 0 : factor;
        x[factor] = words_of(n * p.k);
        memset(x[factor], 0, 8 * n * p.k);
        memcpy(x[factor], p.x[from] + i * p.len[from] * p.k, 8 * p.len[from] * p.k);
    }
    assert_int_equal(gfp_fft_plan_create(&plan, p.field, n, NULL), GFP_OK);
    assert_int_equal(lab_convolve(want, x[0], x[1], n, GFP_ORDER_PERMUTED, plan), GFP_OK);
    gfp_fft_plan_destroy(plan);
    for (size_t j = 0; j < n * p.k; j++) {
        if (want[j] != p.c[i * n * p.k + j]) {
            fail_msg("%s, N = %zu, lengths %zu and %zu, %s: digit %zu of coefficient %zu of number "
                     "%zu",
                     gfp_field_name(p.field), n, p.len[0], p.len[1], what, j % p.k, j / p.k, i);
        }
    }
    free(x[0]), free(x[1]);
    free(want);
}

/* Products, products by a factor that is kept, and squares. */
static void leaf_check(const char *text, size_t n, size_t len_a, size_t len_b, size_t batch,
                       unsigned kind)
{
    static const char *const names[] = {"product", "kept factor", "square"};
    problem p;
    open_problem(p, text, n, len_a, len_b, batch, kind);
    const gfp_gpu_product_engine *engine = p.plan.engine;
    for (int mode = 0; mode < 3; mode++) {
        const bool kept = mode == 1, square = mode == 2;
        assert_int_equal(engine->transform(&p.plan, p.t[0], p.x[0], len_a, len_a, false), GFP_OK);
        if (!square) {
            assert_int_equal(engine->transform(&p.plan, p.t[1], p.x[1], len_b, len_b, kept),
                             GFP_OK);
        }
        memset(p.c, 0xa5, 8 * p.k * p.plan.n * batch);
        assert_int_equal(engine->multiply(&p.plan, p.c, 0, p.plan.n, p.plan.n, p.t[0],
                                          p.t[square ? 0 : 1], kept),
                         GFP_OK);
        for (size_t i = 0; i < batch; i++) {
            leaf_expect(p, i, square, names[mode]);
        }
    }
    close_problem(p);
}

/* The product by the leaves of several members, one after the other, columns and leaves in groups;
 * the last member restores some coefficients. */
static void check_shares(const char *text, size_t n, size_t len, unsigned members, unsigned kind)
{
    problem p;
    open_problem(p, text, n, len, len, 1, kind);
    const gfp_gpu_share_calls *calls = p.plan.engine->share;
    const gfp_gpu_blocks x[2] = {{{p.x[0]}, len}, {{p.x[1]}, len}};
    std::vector<uint64_t> digits(p.plan.n * p.k);
    for (unsigned i = 0; i < members; i++) {
        gfp_gpu_cyclic plan = p.plan;
        size_t words;
        plan.member = i;
        plan.members = members;
        const size_t bytes = plan.engine->bytes(&plan, &words), before = p.gpu.bytes;
        assert_int_equal(plan.engine->create(&plan), GFP_OK);
        assert_true(plan.words <= words && p.gpu.bytes - before <= bytes);
        const gfp_gpu_share_shape shape = calls->shape(&plan);
        const size_t length = shape.parts * shape.part, leaf_words = length * p.k;
        assert_true(shape.leaves * length == p.plan.n);
        const size_t between = oracle_random(&random_state) % (shape.part + 1);
        const gfp_gpu_columns groups[2] = {{between, shape.part}, {0, between}};
        uint64_t *t[2] = {words_of(plan.words), words_of(plan.words)};
        assert_int_equal(plan.engine->prepare_area(&plan, t[0]), GFP_OK);
        for (int factor = 0; factor < 2; factor++) {
            for (const gfp_gpu_columns &g : groups) {
                assert_int_equal(calls->project(&plan, t[factor], &x[factor], len, g), GFP_OK);
            }
            assert_int_equal(calls->transform(&plan, t[factor]), GFP_OK);
        }
        /* Whole tiles of the rows' kernel are a group. */
        const unsigned first = gfp_gpu_share_first(shape.leaves, members, i);
        const unsigned end = gfp_gpu_share_first(shape.leaves, members, i + 1);
        const bool whole = leaf_words % (8 * GFP_HYBRID_LEAF_TILE) == 0;
        const unsigned step = whole ? 1 + oracle_random(&random_state) % 3 : end - first;
        for (unsigned s = first; s < end; s += step) {
            const unsigned to = s + step < end ? s + step : end;
            assert_int_equal(calls->multiply(&plan, t[0], t[1], s, to), GFP_OK);
        }
        std::copy(shape.digits + first * leaf_words, shape.digits + end * leaf_words,
                  digits.begin() + (long)(first * leaf_words));
        if (i + 1 == members) {
            std::copy(digits.begin(), digits.end(), shape.digits);
            const size_t middle = oracle_random(&random_state) % p.plan.n;
            if (middle > 0) {
                assert_int_equal(calls->restore(&plan, p.c, 0, middle), GFP_OK);
            }
            std::copy(digits.begin(), digits.end(), shape.digits);
            assert_int_equal(calls->restore(&plan, p.c + middle * p.k, middle, p.plan.n - middle),
                             GFP_OK);
            leaf_expect(p, 0, false, "shares");
        }
        free(t[0]), free(t[1]);
        plan.engine->destroy(&plan);
    }
    close_problem(p);
}

static void shares_agree_with_the_cpu(void **)
{
    for (unsigned members = 1; members <= 5; members++) {
        check_shares("p8", 1 << 10, 1 << 9, members, 0);
        check_shares("p4", 1 << 12, 3000, members, members);
        check_shares("p16", 1 << 10, 500, members, 0);
        check_shares("m8", 1 << 10, 1 << 9, members, 0);
        check_shares("p64", 1 << 7, 60, members, 0);
    }
    check_shares("p8", 1 << 15, 1 << 14, 2, 0);
    check_shares("p8", 1 << 16, 1 << 15, 3, 0);
    check_shares("p2", 1 << 14, 1 << 13, 2, 2);
}

static void short_products_agree_with_the_cpu(void **)
{
    static const char *const fields[] = {"p2", "p4", "p8", "p16", "p32", "p64", "p128", "m4", "m8"};
    for (const char *text : fields) {
        for (size_t n = 16; n <= 128; n *= 2) {
            leaf_check(text, n, n / 2, n / 2, 1, 0);
        }
        leaf_check(text, 64, 64, 33, 3, 0);
        for (unsigned kind = 1; kind <= 5; kind++) {
            leaf_check(text, 32, 32, 32, 1, kind);
        }
    }
}

/* Rows of every number of levels, and levels before them. */
static void long_products_agree_with_the_cpu(void **)
{
    for (size_t n = 1 << 10; n <= 1 << 13; n *= 2) {
        leaf_check("p4", n, n / 2, n / 2, 1, 0);
    }
    leaf_check("p8", 1 << 15, 1 << 14, 1 << 14, 1, 0);
    leaf_check("p8", 1 << 16, 1 << 16, 1 << 15, 1, 2);
    leaf_check("p16", 1 << 14, 1 << 13, 1 << 13, 1, 0);
    leaf_check("p2", 1 << 14, 1 << 13, 1 << 13, 1, 0);
    leaf_check("p2", 1 << 16, 1 << 16, 1 << 16, 1, 2);
}

/* Devices without room for the largest kernels take others, one after the other. */
static void products_agree_with_less_shared_memory(void **)
{
    static const char *const fields[] = {"p2", "p4", "p8", "p16"};
    const int sizes[] = {48 * 1024, 64 * 1024, 99 * 1024};
    for (int size : sizes) {
        shared_per_block = size;
        for (const char *text : fields) {
            leaf_check(text, 128, 64, 64, 2, 0);
            leaf_check(text, 512, 256, 256, 1, 2);
        }
    }
    leaf_check("p2", 1 << 14, 1 << 13, 1 << 13, 1, 0);
    shared_per_block = 227 * 1024;
}

/* The greatest primes below 2^30 that have W of 2^log2_w entries, and the tables; their bytes. */
static size_t make_tables(gfp_cuda &gpu, gfp_gpu_leaf_pass &pass, uint32_t *roots, unsigned log2_w)
{
    mpz_t prime;
    mpz_init(prime);
    uint32_t x = ((uint32_t)1 << 30) + 1;
    pass.table = (uint64_t)1 << log2_w;
    for (uint32_t i = 0; i < pass.primes; i++) {
        do {
            x -= (uint32_t)2 << log2_w;
            mpz_set_ui(prime, x);
        } while (mpz_probab_prime_p(prime, 20) == 0);
        pass.q[i] = x, pass.twice[i] = 2 * x, pass.less[i] = 0 - 2 * x,
        pass.inverse[i] = gfp_hybrid::inverse_of(x);
        uint64_t w = 0;
        for (uint64_t g = 2; w == 0 || gfp_hybrid::power_mod(w, pass.table, x) != x - 1; g++) {
            w = gfp_hybrid::power_mod(g, (x - 1) >> (log2_w + 1), x);
        }
        for (unsigned t = log2_w; t-- > 0; w = w * w % x) {
            roots[64 * i + t] = (uint32_t)w;
            roots[64 * i + 32 + t] = (uint32_t)gfp_hybrid::power_mod(w, x - 2, x);
        }
    }
    mpz_clear(prime);
    const size_t bytes = pass.primes * pass.table * sizeof(gfp_leaf_factor);
    assert_int_equal(gfp_gpu_device_allocate(&gpu, (void **)&pass.forward, bytes), GFP_OK);
    assert_int_equal(gfp_gpu_device_allocate(&gpu, (void **)&pass.backward, bytes), GFP_OK);
    assert_int_equal(gfp_gpu_leaf_tables(&gpu, &pass, roots), GFP_OK);
    return bytes;
}

/* ---- passes by themselves ---- */

/* Passes of four levels and rows, with blocks of m coefficients; a product as in
 * gpu/cuda/product/hybrid.cu, from residues to residues, where whole products that have such passes
 * take too long. */
struct inner {
    unsigned log2_k, m, row, columns, log2_m, leaves;
    bool greatest, kept; /* 4q - 1 everywhere; the other factor's transform is made first */
};

/* Coefficients of the second factor that are not 0, in every channel: the first and the last one
 * among them. */
#define TERMS 16

struct term {
    uint64_t at;
    uint32_t value;
};

/* c := a b modulo X^length - g, times scale, modulo q. */
static void multiply_channel(uint64_t *c, const uint32_t *a, const term *b, uint64_t length,
                             uint64_t g, uint64_t scale, uint64_t q)
{
    memset(c, 0, 8 * length);
    for (int t = 0; t < TERMS; t++) {
        const uint64_t v = b[t].value * scale % q, turned = v * g % q;
        for (uint64_t j = 0; j < length; j++) {
            const uint64_t at = j + b[t].at, to = at < length ? at : at - length;
            c[to] = (c[to] + a[j] % q * (at < length ? v : turned)) % q;
        }
    }
}

static void run_inner(gfp_cuda &gpu, gfp_gpu_leaf_pass &pass, const inner &x, uint32_t *a,
                      uint32_t *b)
{
    for (uint32_t *factor : {a, b}) {
        pass.a = factor;
        for (pass.depth = 0; pass.depth < 4 * x.columns; pass.depth += 4) {
            assert_int_equal(gfp_gpu_leaf_columns(&gpu, &pass, true), GFP_OK);
        }
    }
    if (x.kept) {
        assert_int_equal(gfp_gpu_leaf_rows(&gpu, &pass, x.row, x.m), GFP_OK);
    }
    pass.a = a, pass.b = b, pass.product = 1, pass.b_done = x.kept;
    assert_int_equal(gfp_gpu_leaf_rows(&gpu, &pass, x.row, x.m), GFP_OK);
    for (unsigned i = 0; i < x.columns; i++) {
        pass.depth -= 4;
        assert_int_equal(gfp_gpu_leaf_columns(&gpu, &pass, false), GFP_OK);
    }
}

static void check_inner(const inner &x)
{
    gfp_cuda gpu = emulated_gpu();
    gfp_gpu_leaf_pass pass = {};
    uint32_t roots[64 * GFP_HYBRID_LEAF_PRIMES] = {0};
    const unsigned units = x.row + 4 * x.columns, depth = x.log2_k + 1;
    const uint64_t k = (uint64_t)1 << x.log2_k, length = (uint64_t)x.m << units;
    const uint64_t channels = x.leaves * k, tile = 1024 * x.m;
    gpu.shared_per_block = shared_per_block;
    pass.leaves = x.leaves, pass.length = length, pass.log2_m = x.log2_m, pass.log2_k = x.log2_k;
    pass.primes = 2;
    pass.plane = (channels * length + tile - 1) / tile * tile;
    const size_t tables = make_tables(gpu, pass, roots, x.log2_k + units);
    uint32_t *a = (uint32_t *)words_of(pass.plane), *b = (uint32_t *)words_of(pass.plane);
    uint32_t *given = (uint32_t *)words_of(pass.plane);
    uint64_t *want = words_of(length);
    term *terms = (term *)words_of(2 * channels * TERMS * sizeof(term) / 8);
    memset(a, 0, 8 * pass.plane);
    memset(b, 0, 8 * pass.plane);
    for (uint64_t i = 0; i < 2 * channels; i++) {
        const uint64_t from = i / channels * pass.plane + i % channels * length;
        const uint32_t q = pass.q[i / channels];
        for (uint64_t j = 0; j < length; j++) {
            a[from + j] = (uint32_t)(x.greatest ? 4 * (uint64_t)q - 1
                                                : oracle_random(&random_state) % (4 * (uint64_t)q));
        }
        for (uint64_t t = 0; t < TERMS; t++) { /* one in each part */
            const uint64_t part = length / TERMS, random = oracle_random(&random_state);
            const uint64_t at = t == 0 ? 0 : t == TERMS - 1 ? length - 1 : t * part + random % part;
            terms[i * TERMS + t] = {at, (uint32_t)(1 + (random >> 32) % (q - 1))};
            b[from + at] = terms[i * TERMS + t].value;
        }
    }
    memcpy(given, a, 8 * pass.plane);
    run_inner(gpu, pass, x, a, b);
    for (uint64_t i = 0; i < 2 * channels; i++) {
        const uint64_t from = i / channels * pass.plane + i % channels * length;
        const uint64_t prime = i / channels, channel = i % channels, q = pass.q[prime];
        const uint32_t node =
            gfp_leaf::leaf_node(pass, x.log2_k, channel / k, (uint32_t)(channel % k));
        const uint64_t g = gfp_hybrid::power_mod(roots[64 * prime + depth - 2],
                                                 gfp_leaf::reversed(node, depth), (uint32_t)q);
        /* Levels there and back give 2^units, products are divided by 2^32. */
        const uint64_t scale =
            gfp_hybrid::power_mod(2, units, (uint32_t)q) *
            gfp_hybrid::power_mod(gfp_hybrid::power_mod(2, 32, (uint32_t)q), q - 2, (uint32_t)q) %
            q;
        multiply_channel(want, given + from, terms + i * TERMS, length, g, scale, q);
        for (uint64_t j = 0; j < length; j++) {
            if (a[from + j] >= 2 * q || a[from + j] % q != want[j]) {
                fail_msg("k = %u, m = %u, %u levels in rows, %u passes of four: prime %u, channel "
                         "%u, coefficient %u",
                         (unsigned)k, x.m, x.row, x.columns, (unsigned)prime, (unsigned)channel,
                         (unsigned)j);
            }
        }
    }
    free(a), free(b), free(given), free(want), free(terms);
    gfp_gpu_device_release(&gpu, pass.forward, tables);
    gfp_gpu_device_release(&gpu, pass.backward, tables);
}

static void passes_of_four_levels_agree_with_the_definition(void **)
{
    static const inner cases[] = {
        {1, 4, 7, 1, 2, 3, true, false},
        {7, 4, 3, 1, 8, 2, false, false},
        {1, 8, 8, 1, 1, 1, false, true},
        {1, 8, 7, 2, 0, 1, false, false},
    };
    for (const inner &x : cases) {
        check_inner(x);
    }
}

/* The first pass and the last one by themselves, for as many primes: what residues are multiplied
 * by in between, digits come back with, whatever the leaf. Columns that do not fill blocks. */
template <int N>
static void check_edge(const char *text, bool deep, gfp_hybrid::crt<N> gfp_gpu_leaf_crt::*crt)
{
    gfp_error error;
    gfp_field *field;
    gfp_cuda gpu = emulated_gpu();
    gfp_gpu_leaf_pass pass = {};
    uint32_t roots[64 * GFP_HYBRID_LEAF_PRIMES] = {0};
    assert_int_equal(gfp_field_create(&field, text, NULL, &error), GFP_OK);
    the_field = field;
    gpu.shared_per_block = shared_per_block;
    const unsigned k = gfp_field_k(field), log2_k = (unsigned)__builtin_ctz(k);
    const unsigned levels = deep ? gfp_gpu_leaf_edge_levels(log2_k) : 0, log2_w = log2_k + levels;
    const uint64_t r = gfp_field_r(field);
    pass.leaves = 3, pass.log2_m = 1, pass.log2_k = log2_k;
    pass.length = (size_t)(deep ? 21 : 210) << levels;
    pass.primes = N;
    pass.plane = pass.leaves * pass.length * k;
    pass.radix = gfp_hybrid::make_radix(r);
    const size_t tables = make_tables(gpu, pass, roots, log2_w);
    gfp_hybrid::make_crt(&(pass.crt.*crt), r, pass.q);
    for (int i = 0; i < N; i++) {
        const uint32_t q = pass.q[i];
        const uint64_t scale = gfp_hybrid::power_mod(2, 32, q) *
                               gfp_hybrid::power_mod(pass.table, q - 2, q) % q *
                               (pass.crt.*crt).scale[i] % q;
        pass.scale[i] = {(uint32_t)scale, (uint32_t)(((scale << 32) + q / 2) / q)};
    }
    pass.digits = (int64_t *)words_of(pass.plane);
    uint64_t *want = words_of(pass.plane);
    pass.a = (uint32_t *)words_of((N * pass.plane + 1) / 2);
    for (size_t i = 0; i < pass.plane; i++) {
        const int64_t half = (int64_t)(r / 2), d = (int64_t)oracle_random(&random_state);
        pass.digits[i] = i % 7 == 0   ? half
                         : i % 7 == 1 ? -half
                                      : (int64_t)((uint64_t)d % r - (uint64_t)half);
    }
    for (size_t i = 0; i < pass.plane / k; i++) {
        leaf_get(want + i * k, pass.digits + i * k, k, r);
    }
    /* Times (r - 1) 2^16: the bound of sums of products. */
    assert_int_equal(gfp_gpu_leaf_split(&gpu, &pass, log2_k, levels), GFP_OK);
    for (int i = 0; i < N; i++) {
        const uint32_t q = pass.q[i];
        for (size_t j = i * pass.plane; j < (i + 1) * pass.plane; j++) {
            assert_true((uint64_t)pass.a[j] < 4 * (uint64_t)q);
            pass.a[j] = (uint32_t)((uint64_t)pass.a[j] * ((r - 1) % q) % q * (1 << 16) % q);
        }
    }
    uint64_t factor[GFP_MAX_K] = {r - 1}, shift[GFP_MAX_K] = {1 << 16};
    gfp_elem_mul(field, factor, factor, shift);
    memset((void *)pass.digits, 0xa5, 8 * pass.plane);
    assert_int_equal(gfp_gpu_leaf_settle(&gpu, &pass, log2_k, levels), GFP_OK);
    for (size_t i = 0; i < pass.plane / k; i++) {
        uint64_t z[GFP_MAX_K];
        leaf_get(z, pass.digits + i * k, k, r);
        gfp_elem_mul(field, want + i * k, want + i * k, factor);
        if (memcmp(z, want + i * k, 8 * k) != 0) {
            fail_msg("%s, %d primes, %u levels: coefficient %zu", text, N, levels, i);
        }
    }
    free(pass.digits), free(pass.a), free(want);
    gfp_gpu_device_release(&gpu, pass.forward, tables);
    gfp_gpu_device_release(&gpu, pass.backward, tables);
    gfp_field_destroy(field);
}

static void digits_come_back(void **)
{
    static const char *const fields[] = {"p2",  "p4",   "p8",   "p16", "p32",
                                         "p64", "p128", "m128", "m4"};
    for (const char *text : fields) {
        for (int deep = 0; deep < 2; deep++) {
            check_edge<5>(text, deep != 0, &gfp_gpu_leaf_crt::of5);
        }
    }
    check_edge<6>("p128", true, &gfp_gpu_leaf_crt::of6);
    check_edge<6>("p8", true, &gfp_gpu_leaf_crt::of6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_come_back),
        cmocka_unit_test(passes_of_four_levels_agree_with_the_definition),
        cmocka_unit_test(shares_agree_with_the_cpu),
        cmocka_unit_test(short_products_agree_with_the_cpu),
        cmocka_unit_test(long_products_agree_with_the_cpu),
        cmocka_unit_test(products_agree_with_less_shared_memory),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    emulated::free_stacks();
    return failed;
}
