/* fold.cu: values of polynomials on the device: modulo X^j - d for a word d, by Horner's rule in
 * pieces, and at any element.
 *
 * Blocks of j coefficients are the coefficients of a polynomial in X^j. A group of threads computes
 * one of the j results, PER digits a thread, and goes through `steps` blocks from the last one
 * down. The thread of the next digit takes the quotient of a digit in the same step and passes
 * nothing on (horner.h), so that no thread waits for a chain of carries. General products with
 * powers of d^steps join the results of the pieces.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/general.cuh"
#include "gpu/cuda/vector/horner.h"
#include "gpu/cuda/vector/elements.h"

using general::const_view;
using general::field;
using general::THREADS;
using general::view;
using general::wide;

/* The number of blocks that a thread loads in advance. */
#define AHEAD 4

/* Blocks of threads per multiprocessor, of those that fit some devices. */
static constexpr unsigned fold_resident(unsigned per)
{
    return per == 2 ? 5 : per == 4 ? 4 : 2;
}

/* The most threads of a multiprocessor: 1024 for compute capability 7.5, 1536 for some others. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define RESIDENT_THREADS 1024
#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
#define RESIDENT_THREADS 1536
#else
#define RESIDENT_THREADS 2048
#endif

/* The blocks that the compiler leaves registers for. */
static constexpr unsigned fold_bound(unsigned per)
{
    return fold_resident(per) * THREADS <= RESIDENT_THREADS ? fold_resident(per)
                                                            : RESIDENT_THREADS / THREADS;
}

/* An element takes at most 32 threads. */
static constexpr unsigned digits_per_thread(unsigned k)
{
    return k <= 64 ? 2 : k / 32;
}

namespace
{
/* The polynomials of one launch, cut into pieces. Coefficient i of piece m of a polynomial goes to
 * element m row + offset + i of y; the pieces of a polynomial are those from number `first` on. */
struct polynomial {
    const uint64_t *x;
    size_t n, first, offset;
};

struct pieces {
    uint64_t *y;
    uint64_t *large; /* := 1 if some digit is r or more */
    polynomial p[GFP_GPU_FOLD_MAX];
    unsigned polynomials;
    size_t j, steps, count, row;
};
} // namespace

/* Makes the elements of a block canonical: writes the digits of all its threads to shared memory,
 * element after element. */
template <unsigned PER, bool SMALL>
static __device__ void fold_settle(const field &f, const horner::digit (&z)[PER], uint64_t *digits,
                                   int *carries)
{
    const unsigned k = f.k, at = threadIdx.x * PER;
#pragma unroll
    for (unsigned i = 0; i < PER; i++) {
        carries[at + i] = general::divide_sum(f, horner::value<SMALL>(z[i]), digits[at + i]);
    }
    __syncthreads();
    if (threadIdx.x < THREADS * PER / k) {
        uint64_t *element = digits + threadIdx.x * k;
        const int *carry = carries + threadIdx.x * k;
        general::set_sums(f, view{element, 1}, [&](unsigned i) {
            const int from = i == 0 ? -carry[k - 1] : carry[i - 1];
            return static_cast<general::i128>(element[i]) + from;
        });
    }
    __syncthreads();
}

/* Volatile: the loads are issued together, not each at its first use. */
template <unsigned PER>
static __device__ __forceinline__ void load_digits(uint64_t (&a)[PER], const uint64_t *x,
                                                   bool inside)
{
#pragma unroll
    for (unsigned i = 0; i < PER; i += 2) {
        asm volatile("{\n\t"
                     ".reg .pred inside;\n\t"
                     "setp.ne.u32 inside, %3, 0;\n\t"
                     "mov.u64 %0, 0;\n\t"
                     "mov.u64 %1, 0;\n\t"
                     "@inside ld.global.cs.v2.u64 {%0, %1}, [%2];\n\t"
                     "}"
                     : "=&l"(a[i]), "=&l"(a[i + 1])
                     : "l"(x + i), "r"(static_cast<unsigned>(inside)));
    }
}

/* A thread has PER digits, so that the k digits of an element belong to one warp. */
template <unsigned PER, bool SMALL>
static __global__ void __launch_bounds__(THREADS, fold_bound(PER))
    fold_pieces(horner::constants c, field f, pieces p)
{
    __shared__ uint64_t digits[THREADS * PER];
    __shared__ int carries[THREADS * PER];
    const unsigned k = f.k, lanes = k / PER, lane = threadIdx.x & (lanes - 1);
    const size_t slot = (blockIdx.x * size_t{THREADS} + threadIdx.x) / lanes;
    const size_t number = slot / p.j, own = slot % p.j, jump = p.j * k;
    const horner::correction first = horner::make_correction(c, lane == 0),
                             others = horner::make_correction(c, false);
    polynomial mine = p.p[0];
    for (unsigned i = 1; i < p.polynomials; i++) {
        if (number >= p.p[i].first) {
            mine = p.p[i];
        }
    }
    const size_t piece = number - mine.first;
    size_t at = (piece + 1) * p.steps * p.j + own; /* index in the block after the piece */
    const uint64_t *from = mine.x + at * k + lane * PER;
    bool large = false;
    horner::digit z[PER] = {};
    for (size_t left = p.steps; left > 0; left -= AHEAD) {
        uint64_t x[AHEAD][PER];
#pragma unroll
        for (unsigned s = 0; s < AHEAD; s++) {
            from -= jump;
            at -= p.j;
            load_digits(x[s], from, at < mine.n);
        }
#pragma unroll
        for (unsigned s = 0; s < AHEAD; s++) {
            uint64_t q[PER];
#pragma unroll
            for (unsigned i = 0; i < PER; i++) {
                large = large || x[s][i] >= c.r;
                q[i] = horner::quotient<SMALL>(c, z[i], x[s][i]);
            }
            const uint64_t below = __shfl_sync(0xffffffffu, q[PER - 1], lane - 1, lanes);
            horner::take<SMALL>(z[0], below, first);
#pragma unroll
            for (unsigned i = 1; i < PER; i++) {
                horner::take<SMALL>(z[i], q[i - 1], others);
            }
        }
    }
    fold_settle<PER, SMALL>(f, z, digits, carries);
    if (number < p.count) {
        uint64_t *to = p.y + (piece * p.row + mine.offset + own) * k + lane * PER;
#pragma unroll
        for (unsigned i = 0; i < PER; i++) {
            to[i] = digits[threadIdx.x * PER + i];
        }
    }
    if (large) {
        *p.large = 1;
    }
}

template <unsigned PER>
static gfp_status launch_pieces(gfp_gpu *gpu, const horner::constants &c, const field &f,
                                const pieces &p)
{
    const unsigned blocks = general::blocks_for(p.count * p.j * (f.k / PER), THREADS);
    if (f.r >> horner::SMALL_LOG == 0) {
        GFP_LAUNCH(gpu, (fold_pieces<PER, true>), blocks, THREADS, 0, c, f, p);
    } else {
        GFP_LAUNCH(gpu, (fold_pieces<PER, false>), blocks, THREADS, 0, c, f, p);
    }
    return GFP_OK;
}

static gfp_status fold_pieces_of(gfp_gpu *gpu, const horner::constants &c, const field &f,
                                 const pieces &p)
{
    switch (digits_per_thread(f.k)) {
    case 2:
        return launch_pieces<2>(gpu, c, f, p);
    case 4:
        return launch_pieces<4>(gpu, c, f, p);
    default:
        return launch_pieces<8>(gpu, c, f, p);
    }
}

/* ---- sums of rows by powers of an element ---- */

namespace
{
/* z_i := low_i + c high_i; `high` is the x of launch_columns. */
struct join_columns {
    const uint64_t *low;
    uint64_t c[GFP_MAX_K];
    unsigned k;
    __device__ size_t at(size_t i) const
    {
        return i;
    }
    __device__ uint64_t digit(size_t, unsigned d) const
    {
        return c[d];
    }
    __device__ wide column(const field &f, const const_view &a, const const_view &b, size_t i,
                           unsigned d) const
    {
        return general::add_wide(general::column(f, a, b, d), {low[i * k + d], 0, 0});
    }
};
} // namespace

/* z_i := low_i + c high_i, i < n. */
static gfp_status join_halves(gfp_gpu *gpu, const gfp_field *over, uint64_t *z,
                              const uint64_t *high, const uint64_t *low, const uint64_t *c,
                              size_t n)
{
    const gfp_gpu_wide_mul m = {z, high, nullptr, c, low, 0, n};
    bool served = false;
    GFP_TRY(gfp_gpu_vec_mul_wide(gpu, over, &m, &served));
    if (served) {
        return GFP_OK;
    }
    join_columns map = {};
    map.low = low;
    map.k = gfp_field_k(over);
    memcpy(map.c, c, map.k * sizeof *c);
    return general::launch_columns(gpu, general::field_of(over), z, high, n, map);
}

/* z := the sum of c^i x_i for the m >= 1 rows x_i, `row` elements each. powers has room for the
 * c^(2^t) with 2^t < m. z has room for as many rows as the greatest power of two below m, and may
 * be x; m = 1 leaves z unchanged. */
static gfp_status join_rows(gfp_gpu *gpu, const gfp_field *over, uint64_t *z, const uint64_t *x,
                            size_t m, size_t row, const uint64_t *c, uint64_t *powers)
{
    const field f = general::field_of(over);
    const size_t k = f.k;
    unsigned t = 0;
    gfp_elem_set(over, powers, c);
    for (; (size_t{2} << t) < m; t++) {
        gfp_elem_sqr(over, powers + (t + 1) * k, powers + t * k);
    }
    for (; m > 1; t--) {
        const size_t half = size_t{1} << t, with = (m - half) * row;
        GFP_TRY(join_halves(gpu, over, z, x + half * row * k, x, powers + t * k, with));
        if (z != x && with < half * row) {
            GFP_CUDA_TRY(gpu, cudaMemcpyAsync(z + with * k, x + with * k,
                                              (half * row - with) * k * sizeof *z,
                                              cudaMemcpyDeviceToDevice, gfp_cuda_of(gpu)->stream));
        }
        x = z;
        m = half;
    }
    return GFP_OK;
}

/* ---- the calls ---- */

/* Cuts polynomials into pieces: enough to fill the device, and each of AHEAD blocks or more.
 * Returns the words of y: a row of residues for every piece of the longest polynomial, and two
 * words. */
static size_t fold_cut(const gfp_gpu *gpu, unsigned k, const size_t *n, size_t count, size_t j,
                       pieces *p)
{
    const unsigned per = digits_per_thread(k), lanes = k / per;
    const size_t threads =
        (size_t)gfp_cuda_device_of(gpu)->multiprocessors * fold_resident(per) * THREADS;
    size_t blocks = 0, most = threads / lanes / j, rows = 1;
    for (size_t i = 0; i < count; i++) {
        blocks = gfp_size_add_sat(blocks, n[i] / j + 1);
    }
    /* the last piece of each polynomial is not full */
    most = most > count ? most - count : 1;
    p->polynomials = (unsigned)count;
    p->j = j;
    p->row = gfp_size_mul_sat(count, j);
    p->steps = (blocks / most / AHEAD + 1) * AHEAD;
    for (size_t i = 0; i < count; i++) {
        const size_t own = n[i] == 0 ? 1 : (n[i] - 1) / gfp_size_mul_sat(p->steps, j) + 1;
        p->p[i].n = n[i];
        p->p[i].first = p->count;
        p->p[i].offset = i * j;
        p->count += own;
        rows = own > rows ? own : rows;
    }
    return gfp_size_add_sat(gfp_size_mul_sat(gfp_size_mul_sat(rows, p->row), k), 2);
}

size_t gfp_cuda_fold_words(const gfp_gpu *gpu, const gfp_field *field, const size_t *n,
                           size_t count, size_t j)
{
    pieces p = {};
    return fold_cut(gpu, gfp_field_k(field), n, count, j, &p);
}

/* Computes all pieces, then joins their rows, and copies p.large behind the residues. */
static gfp_status fold_all(gfp_gpu *gpu, const gfp_field *over, const pieces &p, size_t words,
                           uint64_t d, uint64_t *powers)
{
    const field f = general::field_of(over);
    const horner::constants c = horner::make_constants(f.r, d);
    const size_t row_words = p.row * f.k;
    uint64_t weight[GFP_MAX_K], *after = p.y + row_words;
    /* Polynomials with fewer pieces than others have no residues in the last rows. */
    GFP_CUDA_TRY(gpu, cudaMemsetAsync(p.y, 0, words * sizeof *p.y, gfp_cuda_of(gpu)->stream));
    GFP_TRY(fold_pieces_of(gpu, c, f, p));
    const uint64_t exponent = p.steps;
    gfp_elem_set_u64(over, weight, d);
    gfp_elem_pow(over, weight, weight, &exponent, 1);
    GFP_TRY(join_rows(gpu, over, p.y, p.y, (words - 2) / row_words, p.row, weight, powers));
    if (p.large != after) {
        GFP_CUDA_TRY(gpu, cudaMemcpyAsync(after, p.large, sizeof *after, cudaMemcpyDeviceToDevice,
                                          gfp_cuda_of(gpu)->stream));
    }
    return GFP_OK;
}

/* Room for 64 powers of an element, on the host. */
static uint64_t *make_powers(gfp_gpu *gpu, unsigned k)
{
    return (uint64_t *)gfp_gpu_make(gpu, 64 * k * sizeof(uint64_t), "powers of a point");
}

static void release_powers(gfp_gpu *gpu, uint64_t *powers, unsigned k)
{
    gfp_release(&gpu->allocator, powers, 1, 64 * k * sizeof *powers);
}

gfp_status gfp_cuda_fold(gfp_gpu *gpu, const gfp_field *over, const gfp_gpu_fold *fold)
{
    const unsigned k = gfp_field_k(over);
    pieces p = {};
    (void)fold_cut(gpu, k, fold->n, fold->count, fold->j, &p);
    for (size_t i = 0; i < fold->count; i++) {
        p.p[i].x = fold->x[i];
    }
    p.y = fold->y;
    p.large = fold->y + fold->words - 2;
    uint64_t *powers = make_powers(gpu, k);
    if (powers == nullptr) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = fold_all(gpu, over, p, fold->words, fold->d, powers);
    release_powers(gpu, powers, k);
    return status;
}

gfp_status gfp_cuda_evaluate(gfp_gpu *gpu, const gfp_field *over, uint64_t *y, const uint64_t *x,
                             size_t n, const uint64_t *point)
{
    const unsigned k = gfp_field_k(over);
    uint64_t *powers = make_powers(gpu, k);
    if (powers == nullptr) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = join_rows(gpu, over, y, x, n, 1, point, powers);
    release_powers(gpu, powers, k);
    return status;
}
