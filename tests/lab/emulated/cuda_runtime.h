/* cuda_runtime.h: stands for CUDA's where files of gpu/ are compiled for the host: what
 * gpu/cuda/transform/sliced_kernels.h, gpu/cuda/transform/sliced.cuh, hybrid*.cu,
 * gpu/cuda/general.cuh, gpu/cuda/wide_lanes.cuh, gpu/cuda/vector/rows.cu,
 * gpu/cuda/vector/wide_mul.cu, gpu/cuda/product/classical.cu, gpu/cuda/product/matrix.cu and
 * gpu/cuda/vector/euclid.cu use of it. A block's threads are fibers of one thread; those of a warp
 * wait for each other where they exchange values, all of a block at barriers. Warps take turns from
 * the first on or, in every second block, from the last, so that a barrier that is missing is
 * noticed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_EMULATED_CUDA_RUNTIME_H
#define TESTS_LAB_EMULATED_CUDA_RUNTIME_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static /* one block runs at a time */
#define __constant__

struct uint2 {
    uint32_t x, y;
};
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};
struct alignas(16) int4 {
    int32_t x, y, z, w;
};
struct alignas(16) longlong2 {
    long long x, y;
};
struct alignas(16) ulonglong2 {
    unsigned long long x, y;
};
struct dim3 {
    unsigned x;
    dim3(unsigned x_ = 1) : x(x_)
    {
    }
};
typedef int cudaError_t;
typedef void *cudaStream_t, *cudaEvent_t;
enum {
    cudaSuccess = 0,
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout
};

inline cudaError_t cudaFuncSetAttribute(const void *, int, int)
{
    return cudaSuccess;
}
/* The test's: memory, and launches: it knows the kernels' types. */
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **arguments,
                             size_t shared, cudaStream_t stream);

inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y)
{
    return {x, y};
}
inline uint2 make_uint2(uint32_t x, uint32_t y)
{
    return {x, y};
}
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return {x, y, z, w};
}
inline int4 make_int4(int32_t x, int32_t y, int32_t z, int32_t w)
{
    return {x, y, z, w};
}
template <class T> inline T __ldg(const T *p)
{
    return *p;
}
inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
inline uint32_t __brev(uint32_t x)
{
    uint32_t y = 0;
    for (int i = 0; i < 32; i++) {
        y |= ((x >> i) & 1) << (31 - i);
    }
    return y;
}

inline dim3 threadIdx(0), blockIdx(0), blockDim(0);

namespace emulated
{

enum { MAX_THREADS = 512, STACK = 1 << 18 };
enum state { RUNS, EXCHANGES, WAITS, ENDED };

/* A fiber has a stack for all its blocks: at the end of a kernel it waits for the next one. */
struct fiber {
    jmp_buf place;
    void *stack;
    state now;
    unsigned exchanges; /* so far; values of two in a row lie apart */
};

inline fiber fibers[MAX_THREADS];
inline jmp_buf scheduler;
inline uint32_t exchanged[MAX_THREADS / 32][2][32];
inline unsigned char *shared;
inline void (*call)(const void *kernel, void **arguments);
inline const void *called;
inline void **passed;

/* Unlike swapcontext, without system calls. */
inline void change_place(jmp_buf &from, jmp_buf &to)
{
    if (_setjmp(from) == 0) {
        _longjmp(to, 1);
    }
}
inline void leave(state now)
{
    fiber &f = fibers[threadIdx.x];
    f.now = now;
    change_place(f.place, scheduler);
}
inline void begin()
{
    for (;;) {
        call(called, passed);
        leave(ENDED);
    }
}
/* Runs the fiber of threadIdx until it leaves. */
inline void enter()
{
    fiber &f = fibers[threadIdx.x];
    if (f.stack != nullptr) {
        change_place(scheduler, f.place);
        return;
    }
    f.stack = malloc(STACK);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = f.stack;
    context.uc_stack.ss_size = STACK;
    context.uc_link = nullptr;
    makecontext(&context, begin, 0);
    if (_setjmp(scheduler) == 0) {
        setcontext(&context);
    }
}
/* The values of the lanes of this warp. */
inline const uint32_t *exchange(uint32_t value)
{
    const unsigned t = threadIdx.x;
    uint32_t *values = exchanged[t / 32][fibers[t].exchanges++ & 1];
    values[t % 32] = value;
    leave(EXCHANGES);
    return values;
}
inline void same(state x, state y)
{
    if (x != y) {
        fprintf(stderr, "threads that must stay together part\n");
        abort();
    }
}
/* To the next barrier, or the end. */
inline state run_warp(unsigned warp)
{
    do {
        for (unsigned t = 32 * warp; t < 32 * warp + 32; t++) {
            threadIdx = dim3(t);
            enter();
            same(fibers[t].now, fibers[32 * warp].now);
        }
    } while (fibers[32 * warp].now == EXCHANGES);
    return fibers[32 * warp].now;
}
inline void run_block(unsigned threads, bool backwards)
{
    const unsigned warps = threads / 32;
    for (unsigned t = 0; t < threads; t++) {
        fiber &f = fibers[t];
        f.now = RUNS;
        f.exchanges = 0;
    }
    state now = WAITS;
    while (now == WAITS) {
        for (unsigned i = 0; i < warps; i++) {
            state after = run_warp(backwards ? warps - 1 - i : i);
            same(i == 0 ? after : now, after);
            now = after;
        }
    }
}
/* kernel(arguments), made by call, in every thread. */
inline void launch(void (*call_)(const void *, void **), const void *kernel, unsigned blocks,
                   unsigned threads, void **arguments, size_t shared_bytes)
{
    static bool backwards;
    call = call_, called = kernel, passed = arguments;
    blockDim = dim3(threads);
    /* 0xa5 in what no one has written, and behind the end. */
    const size_t room = (shared_bytes + 256) & ~(size_t)127;
    shared = (unsigned char *)aligned_alloc(128, room);
    for (unsigned i = 0; i < blocks; i++) {
        memset(shared, 0xa5, room);
        blockIdx = dim3(i);
        run_block(threads, backwards);
        backwards = !backwards;
        for (size_t j = shared_bytes; j < room; j++) {
            if (shared[j] != 0xa5) {
                fprintf(stderr, "a block writes beyond its shared memory\n");
                abort();
            }
        }
    }
    free(shared);
}
inline void free_stacks()
{
    for (fiber &f : fibers) {
        free(f.stack);
        f.stack = nullptr;
    }
}

} // namespace emulated

inline void __syncthreads()
{
    emulated::leave(emulated::WAITS);
}
inline uint32_t __shfl_sync(uint32_t, uint32_t value, int from, int width)
{
    const uint32_t first = threadIdx.x % 32 & ~((uint32_t)width - 1);
    return emulated::exchange(value)[first | ((uint32_t)from & ((uint32_t)width - 1))];
}
inline void __syncwarp()
{
    emulated::exchange(0);
}
inline uint32_t __ballot_sync(uint32_t, bool value)
{
    const uint32_t *values = emulated::exchange(value);
    uint32_t votes = 0;
    for (int i = 0; i < 32; i++) {
        votes |= values[i] << i;
    }
    return votes;
}
inline bool __any_sync(uint32_t mask, bool value)
{
    return __ballot_sync(mask, value) != 0;
}

/* What gpu/cuda/transform/sliced_kernels.h leaves to PTX: copies that are made when they are asked
 * for. */
#define GFP_FAST_EMULATED
#define GFP_FAST_LOG_MANY 10
#define GFP_FAST_SHARED(name) unsigned char *name = emulated::shared
inline void copy_to_shared(unsigned char *to, const uint4 *from)
{
    *(uint4 *)to = *from;
}
inline void wait_for_copies()
{
}

#endif
