/* images.cpp: the kernels of bivariate images (gpu/cuda/vector/images.cu), run by
 * emulated/cuda_runtime.h, against the CPU's images: blocks of threads of both sizes, the last one
 * not full, several pieces and runs; extreme residues.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

extern "C" {
#include "gfpoly/base.h"
#include <cmocka.h>
}
#include "gpu/cuda/vector/images.cu"

#include "lab/emulated/room.h"

static void images_call(const void *kernel, void **a)
{
    ((void (*)(gfp_gpu_images_work, unsigned))kernel)(*(gfp_gpu_images_work *)a[0],
                                                      *(unsigned *)a[1]);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **a, size_t shared,
                             cudaStream_t)
{
    emulated::launch(images_call, kernel, blocks.x, threads.x, a, shared);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t)
{
    return cudaSuccess;
}

namespace
{

/* A block of primes by hand: the greatest ones = 1 mod 2^24, and roots by powers. */
uint64_t images_power(uint64_t x, uint64_t e, uint64_t q)
{
    unsigned __int128 z = 1, b = x;
    for (; e != 0; e >>= 1) {
        z = (e & 1) != 0 ? z * b % q : z;
        b = b * b % q;
    }
    return (uint64_t)z;
}

uint64_t state = 1;

uint64_t images_draw(uint64_t q, bool extreme)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t x = state >> 12;
    return extreme ? (x % 3 == 0 ? q - 1 : x % 3 == 1 ? q / 2 : q / 2 + 1) : x % q;
}

/* The resultant for formal degrees: Gauss on Sylvester's matrix modulo q. */
uint64_t images_determinant(const std::vector<uint64_t> &a, const std::vector<uint64_t> &b,
                            uint64_t q)
{
    const size_t m = a.size() - 1, n = b.size() - 1, d = m + n;
    std::vector<uint64_t> s(d * d);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= m; j++) {
            s[i * d + i + j] = a[m - j];
        }
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j <= n; j++) {
            s[(n + i) * d + i + j] = b[n - j];
        }
    }
    unsigned __int128 z = 1;
    for (size_t k = 0; k < d; k++) {
        size_t row = k;
        while (row < d && s[row * d + k] == 0) {
            row++;
        }
        if (row == d) {
            return 0;
        }
        if (row != k) {
            z = q - z;
            for (size_t j = 0; j < d; j++) {
                std::swap(s[row * d + j], s[k * d + j]);
            }
        }
        z = z * s[k * d + k] % q;
        const uint64_t inverse = images_power(s[k * d + k], q - 2, q);
        for (size_t i = k + 1; i < d; i++) {
            const unsigned __int128 f = (unsigned __int128)s[i * d + k] * inverse % q;
            for (size_t j = k; j < d; j++) {
                s[i * d + j] = (uint64_t)((s[i * d + j] + f * (q - s[k * d + j])) % q);
            }
        }
    }
    return (uint64_t)z;
}

struct shape {
    size_t m, n, x; /* lengths in Y; all columns are full but the last ones */
    unsigned log2_m;
    int shared; /* bytes of shared memory */
    size_t cap; /* bytes of device memory */
};

gfp_words make_block()
{
    /* Of the supply's table: the first primes. */
    gfp_words block = {};
    size_t found = 0;
    for (uint64_t q = ((uint64_t)1 << 50) + 1; found < GFP_WORDS;) {
        q -= (uint64_t)1 << 24;
        bool prime = true;
        for (uint64_t base : {2, 3, 5, 7, 11}) {
            prime = prime && images_power(base, q - 1, q) == 1;
        }
        uint64_t root = 2;
        while (prime && images_power(root, (q - 1) / 2, q) == 1) {
            root++;
        }
        if (prime) {
            block.q[found] = q;
            block.value[found] = (double)q;
            block.reciprocal[found] = 1 / (double)q;
            for (unsigned t = 0; t + 1 < GFP_WORDS_LOG2_ORDER; t++) {
                block.turn[t][found] = images_power(root, (q - 1) >> (t + 2), q);
            }
            found++;
        }
    }
    return block;
}

/* Point i of a part of 2^log2_m points of the roots of unity: in the order of the node tree. */
uint64_t point_of(const gfp_words &block, size_t l, size_t i)
{
    uint64_t v = (i & 1) != 0 ? block.q[l] - 1 : 1;
    for (unsigned bit = 1; i >> bit != 0; bit++) {
        if ((i >> bit & 1) != 0) {
            v = (uint64_t)((unsigned __int128)v * block.turn[bit - 1][l] % block.q[l]);
        }
    }
    return v;
}

gfp_status images_available(gfp_gpu *, size_t *bytes)
{
    *bytes = (size_t)1 << 30;
    return GFP_OK;
}

gfp_status images_download(gfp_gpu *, void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return GFP_OK;
}

void images_check(const gfp_words &block, const shape &s, bool extreme)
{
    gfp_cuda gpu = emulated_gpu();
    gfp_gpu_memory_calls memory = *gpu.backend->memory;
    gfp_gpu_backend backend = *gpu.backend;
    memory.available = images_available;
    memory.download = images_download;
    backend.memory = &memory;
    backend.images = &gfp_cuda_images;
    gpu.backend = &backend;
    gpu.memory_cap = s.cap;
    gpu.shared_per_block = s.shared;
    std::vector<size_t> rows[2] = {std::vector<size_t>(s.x, s.m),
                                   std::vector<size_t>(s.x + 2, s.n)};
    rows[1][s.x + 1] = 1;
    gfp_gpu_images_shape shape = {};
    shape.columns_of[0] = {rows[0].data(), rows[0].size(), s.m};
    shape.columns_of[1] = {rows[1].data(), rows[1].size(), s.n};
    shape.part[0] = {s.log2_m, 0, 0};
    shape.parts = 1;
    shape.points = (size_t)1 << s.log2_m;
    shape.blocks = 2;
    gfp_gpu_images *images = nullptr;
    assert_int_equal(gfp_gpu_images_create(&images, &gpu, &shape), GFP_OK);
    const size_t blocks = gfp_gpu_images_blocks(images);
    const size_t terms = s.x * s.m + (s.x + 1) * s.n + 1, step = (shape.points + 1) * GFP_WORDS;
    const gfp_words *const bases[] = {&block, &block};
    std::vector<uint64_t> z(blocks * terms * GFP_WORDS), r(blocks * step);
    for (size_t i = 0; i < z.size(); i++) {
        z[i] = images_draw(block.q[i % GFP_WORDS], extreme);
    }
    const gfp_gpu_images_run run = {bases, blocks, z.data(), terms * GFP_WORDS};
    assert_int_equal(gfp_gpu_images_begin(images, &run), GFP_OK);
    assert_int_equal(gfp_gpu_images_end(images, r.data()), GFP_OK);
    size_t regular = 0;
    for (size_t i = 0; i < blocks * shape.points * GFP_WORDS; i += extreme ? 1 : 3) {
        const size_t j = i / (shape.points * GFP_WORDS), l = i % GFP_WORDS;
        const size_t point = i / GFP_WORDS % shape.points;
        const uint64_t q = block.q[l], v = point_of(block, l, point);
        const uint64_t got = r[j * step + point * GFP_WORDS + l],
                       *c = &z[j * terms * GFP_WORDS + l];
        std::vector<uint64_t> f[2] = {std::vector<uint64_t>(s.m), std::vector<uint64_t>(s.n)};
        for (size_t k = 0; k < 2; k++) {
            unsigned __int128 x = 1;
            for (size_t n : rows[k]) {
                for (size_t y = 0; y < n; y++, c += GFP_WORDS) {
                    f[k][y] = (uint64_t)((f[k][y] + x * *c) % q);
                }
                x = x * v % q;
            }
        }
        if (got != GFP_GPU_IMAGES_IRREGULAR) {
            regular++;
            assert_true(got == images_determinant(f[0], f[1], q));
        }
    }
    assert_true(regular > 0);
    gfp_gpu_images_destroy(images);
    assert_int_equal(gpu.bytes, 0);
}

void images_are_determinants(void **)
{
    static const shape shapes[] = {
        {2, 2, 3, 3, 232448, SIZE_MAX}, {5, 4, 30, 7, 232448, SIZE_MAX},
        {4, 7, 9, 6, 232448, 1 << 17},  {9, 2, 5, 5, 8192, SIZE_MAX},
        {12, 12, 6, 5, 32768, 1 << 16}, {3, 10, 1, 4, 232448, SIZE_MAX},
    };
    const gfp_words block = make_block();
    for (const shape &s : shapes) {
        images_check(block, s, false);
        images_check(block, s, true);
    }
}

void long_ones_are_refused(void **)
{
    gfp_cuda gpu = emulated_gpu();
    gpu.shared_per_block = 8192;
    assert_int_equal(gfp_cuda_images.most(&gpu), 31);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(images_are_determinants),
                                       cmocka_unit_test(long_ones_are_refused)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
