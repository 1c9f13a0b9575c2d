/* compare.cu: searches in device arrays of elements, and the reversal of arrays.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/general.cuh"
#include "gpu/cuda/vector/elements.h"

using general::THREADS;

/* Words per thread between two reads of the common result. */
#define WORDS_AT_ONCE 8

namespace
{
typedef unsigned long long word;

/* Finds words other than 0; the search is for the last one. */
struct last_nonzero {
    const uint64_t *x;
    unsigned k;
    __device__ bool found(size_t w) const
    {
        return x[w] != 0;
    }
};

struct differs {
    const uint64_t *x, *y;
    unsigned k;
    __device__ bool found(size_t w) const
    {
        return x[w] != y[w];
    }
};

struct not_canonical {
    const uint64_t *x;
    uint64_t r;
    unsigned k;
    __device__ bool found(size_t w) const
    {
        if (x[w] < r) {
            return false;
        }
        const size_t element = w / k * k;
        bool special = x[w] == r && w - element == k - 1;
        for (unsigned i = 0; i + 1 < k; i++) {
            special = special && x[element + i] == 0;
        }
        return !special;
    }
};

struct set_word {
    word *at, value;
    __device__ void operator()(size_t) const
    {
        *at = value;
    }
};

/* Exchanges words i < half of an array of n elements of k words with their mirror images. */
struct reverse_words {
    uint64_t *z;
    const uint64_t *x;
    size_t n;
    unsigned k;
    __device__ void operator()(size_t i) const
    {
        const size_t low = i, high = (n - 1 - i / k) * k + i % k;
        const uint64_t a = x[low], b = x[high];
        z[low] = b;
        z[high] = a;
    }
};
} // namespace

/* *result := 1 + the greatest number of an element with a word that `find` accepts (LAST), or the
 * least number of such an element. Before the call *result holds the answer for the case that no
 * word is found. Blocks start from the side where the answer lies, and stop once their words cannot
 * change it. */
template <bool LAST, class Find>
static __global__ void __launch_bounds__(THREADS)
    compare_search(word *result, size_t words, Find find)
{
    const size_t tile = size_t{THREADS} * WORDS_AT_ONCE, tiles = (words + tile - 1) / tile;
    for (size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const size_t first = (LAST ? tiles - 1 - t : t) * tile;
        const word so_far = *reinterpret_cast<volatile word *>(result);
        if (LAST ? so_far > (first + tile - 1) / find.k + 1 : so_far < first / find.k) {
            return;
        }
        size_t best = SIZE_MAX;
        for (unsigned i = 0; i < WORDS_AT_ONCE; i++) {
            const size_t w = first + i * THREADS + threadIdx.x;
            if (w < words && find.found(w) && (LAST || best == SIZE_MAX)) {
                best = w / find.k;
            }
        }
        if (best != SIZE_MAX) {
            if (LAST) {
                atomicMax(result, static_cast<word>(best) + 1);
            } else {
                atomicMin(result, static_cast<word>(best));
            }
        }
    }
}

template <bool LAST, class Find>
static gfp_status launch_search(gfp_gpu *gpu, uint64_t *result, size_t n, const Find &find)
{
    const size_t words = n * find.k;
    word *to = reinterpret_cast<word *>(result);
    GFP_TRY(general::launch(gpu, 1, set_word{to, LAST ? 0 : static_cast<word>(n)}));
    if (words != 0) {
        const size_t blocks = (words + THREADS * WORDS_AT_ONCE - 1) / (THREADS * WORDS_AT_ONCE);
        const size_t most = (size_t)gfp_cuda_device_of(gpu)->multiprocessors * 8;
        GFP_LAUNCH(gpu, (compare_search<LAST, Find>), (unsigned)(blocks < most ? blocks : most),
                   THREADS, 0, to, words, find);
    }
    return GFP_OK;
}

gfp_status gfp_cuda_search(gfp_gpu *gpu, gfp_gpu_vec_search what, const gfp_field *field,
                           uint64_t *result, const uint64_t *x, const uint64_t *y, size_t n)
{
    const unsigned k = gfp_field_k(field);
    switch (what) {
    case GFP_GPU_VEC_LENGTH:
        return launch_search<true>(gpu, result, n, last_nonzero{x, k});
    case GFP_GPU_VEC_DIFFERENCE:
        return launch_search<false>(gpu, result, n, differs{x, y, k});
    case GFP_GPU_VEC_CANONICAL:
        break;
    }
    return launch_search<false>(gpu, result, n, not_canonical{x, gfp_field_r(field), k});
}

gfp_status gfp_cuda_reverse(gfp_gpu *gpu, const gfp_field *field, uint64_t *z, const uint64_t *x,
                            size_t n)
{
    const unsigned k = gfp_field_k(field);
    return general::launch(gpu, (n / 2 + n % 2) * k, reverse_words{z, x, n, k});
}
