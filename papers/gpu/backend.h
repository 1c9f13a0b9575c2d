/* backend.h: a table of functions for a kind of device, in addition to that of
 * gpu/backend.h: the functions that gfpoly/gpu_papers.h needs. The table's functions make and
 * release handles.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef PAPERS_GPU_BACKEND_H
#define PAPERS_GPU_BACKEND_H

#include "gpu/backend.h"
#include "gfpoly/gpu_papers.h"

GFP_BEGIN_DECLS

struct gfp_gpu_ntt_plan {
    gfp_gpu *gpu;
    size_t count; /* primes */
    size_t batch;
    size_t n;
    size_t words; /* words of an array with all residues */
};

struct gfp_gpu_rival_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t n; /* elements of a vector */
    size_t batch;
    size_t elements; /* batch n */
    size_t count;    /* s, the number of primes */
    size_t words;    /* words of Q */
};

/* The caller has checked the arrays and entered the device. */

/* Threads of a block in transforms over Z/pZ: a power of two from the least to the most. */
#define GFP_PAPERS_LEAST_THREADS 64
#define GFP_PAPERS_USUAL_THREADS 256
#define GFP_PAPERS_MOST_THREADS 512

/* Transforms over Z/pZ: engines for gfp_gpu_fft_plan. */
typedef struct gfp_papers_fft_calls {
    const gfp_gpu_fft_engine *whole, *split;
    /* Launches blocks of this number of threads from now on; called for every plan. */
    void (*set_threads)(gfp_gpu_fft_plan *plan, unsigned threads);
    /* Times the plan's steps from now on. */
    gfp_status (*time)(gfp_gpu_fft_plan *plan);
    gfp_status (*times)(gfp_gpu_fft_plan *plan, gfp_gpu_times *times);
} gfp_papers_fft_calls;

typedef struct gfp_papers_ntt_calls {
    gfp_status (*create)(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                         size_t count, size_t n, const gfp_gpu_ntt_options *options);
    void (*destroy)(gfp_gpu_ntt_plan *plan);
    /* y := the DFT of x, or its inverse, 1/N included, which convolutions and tests need. */
    gfp_status (*run)(gfp_gpu_ntt_plan *plan, uint64_t *y, const uint64_t *x, bool inverse);
    gfp_status (*scale)(gfp_gpu_ntt_plan *plan, uint64_t *z, const uint64_t *x, const uint64_t *c);
    gfp_status (*convolve)(gfp_gpu_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                           const uint64_t *b);
    gfp_status (*times)(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times);
} gfp_papers_ntt_calls;

typedef struct gfp_papers_rival_calls {
    gfp_status (*create)(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                         const gfp_gpu_rival_options *options);
    void (*destroy)(gfp_gpu_rival_plan *plan);
    /* Step 3 alone, for tests: no elements have residues as extreme as theirs. */
    gfp_status (*recombine)(gfp_gpu_rival_plan *plan, uint64_t *z, const uint64_t *residues);
    /* All three steps; z may be NULL. */
    gfp_status (*forward)(gfp_gpu_rival_plan *plan, uint64_t *z, uint64_t *y, const uint64_t *x);
} gfp_papers_rival_calls;

typedef struct gfp_papers_backend {
    const gfp_gpu_backend *gpu; /* the backend of the contexts that the table serves */
    const gfp_papers_fft_calls *fft;
    const gfp_papers_ntt_calls *ntt;
    const gfp_papers_rival_calls *rival;
} gfp_papers_backend;

/* The table of the context, or NULL. Without gfp_papers_use_backend only contexts of the library's
 * own backend have a table. */
const gfp_papers_backend *gfp_papers_backend_of(const gfp_gpu *gpu);
/* For tests. */
void gfp_papers_use_backend(const gfp_papers_backend *backend);

/* The table of the backend `cuda` (backend.cu), and its parts: fft.cu, ntt.cu,
 * rival.cu. */
extern const gfp_papers_backend gfp_papers_cuda;
extern const gfp_papers_fft_calls gfp_papers_cuda_fft;
extern const gfp_papers_ntt_calls gfp_papers_cuda_ntt;
extern const gfp_papers_rival_calls gfp_papers_cuda_rival;

GFP_END_DECLS
#endif
