/* papers_calls.h: the part of a backend's table that only the comparisons with papers, and
 * measurements, reach: graphs, timers, transforms over word-size primes, the papers' rival. Handles
 * are made and released by the backend.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_PAPERS_CALLS_H
#define GFP_GPU_PAPERS_CALLS_H

#include "backend.h"

GFP_BEGIN_DECLS

struct gfp_gpu_graph {
    gfp_gpu *gpu;
};

struct gfp_gpu_timer {
    gfp_gpu *gpu;
};

struct gfp_gpu_ntt_plan {
    gfp_gpu *gpu;
    size_t count; /* primes */
    size_t batch;
    size_t n;
    size_t words; /* of an array of all residues */
    size_t bytes; /* device memory held */
    gfp_ntt_form form;
    gfp_gpu_ntt_product product;
};

struct gfp_gpu_rival_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    unsigned k;
    size_t n;
    gfp_crt_rival_primes kind;
    size_t count; /* s */
    size_t words; /* of Q */
    size_t bytes; /* device memory held */
};

/* Arrays are checked; the device is entered. */

typedef struct gfp_gpu_graph_calls {
    gfp_status (*capture_begin)(gfp_gpu *gpu);
    /* The capture is open; it is closed in any case. */
    gfp_status (*capture_end)(gfp_gpu *gpu, gfp_gpu_graph **graph);
    gfp_status (*launch)(gfp_gpu_graph *graph);
    void (*destroy)(gfp_gpu_graph *graph);
} gfp_gpu_graph_calls;

typedef struct gfp_gpu_timer_calls {
    gfp_status (*create)(gfp_gpu_timer **timer, gfp_gpu *gpu);
    void (*destroy)(gfp_gpu_timer *timer);
    gfp_status (*start)(gfp_gpu_timer *timer);
    gfp_status (*stop)(gfp_gpu_timer *timer);
    gfp_status (*read)(gfp_gpu_timer *timer, double *ms);
} gfp_gpu_timer_calls;

typedef struct gfp_gpu_ntt_calls {
    gfp_status (*create)(gfp_gpu_ntt_plan **plan, gfp_gpu *gpu, const uint64_t *primes,
                         size_t count, size_t n, const gfp_gpu_ntt_options *options);
    void (*destroy)(gfp_gpu_ntt_plan *plan);
    uint64_t (*prime)(const gfp_gpu_ntt_plan *plan, size_t i);
    uint64_t (*root)(const gfp_gpu_ntt_plan *plan, size_t i);
    gfp_status (*run)(gfp_gpu_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                      bool inverse);
    gfp_status (*multiply)(gfp_gpu_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                           const uint64_t *y);
    gfp_status (*scale)(gfp_gpu_ntt_plan *plan, uint64_t *z, const uint64_t *x, const uint64_t *c);
    gfp_status (*convolve)(gfp_gpu_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                           const uint64_t *b, bool negacyclic);
    gfp_status (*times)(gfp_gpu_ntt_plan *plan, gfp_gpu_times *times);
} gfp_gpu_ntt_calls;

typedef struct gfp_gpu_rival_calls {
    gfp_status (*create)(gfp_gpu_rival_plan **plan, gfp_gpu *gpu, const gfp_field *field, size_t n,
                         const gfp_gpu_rival_options *options);
    void (*destroy)(gfp_gpu_rival_plan *plan);
    uint64_t (*prime)(const gfp_gpu_rival_plan *plan, size_t i);
    gfp_status (*project)(gfp_gpu_rival_plan *plan, uint64_t *residues, const uint64_t *x);
    gfp_status (*transform)(gfp_gpu_rival_plan *plan, uint64_t *y, const uint64_t *x);
    gfp_status (*recombine)(gfp_gpu_rival_plan *plan, uint64_t *z, const uint64_t *residues);
    /* All three; z may be NULL. */
    gfp_status (*forward)(gfp_gpu_rival_plan *plan, uint64_t *z, uint64_t *y, const uint64_t *x);
    gfp_status (*times)(gfp_gpu_rival_plan *plan, gfp_gpu_times *times);
} gfp_gpu_rival_calls;

typedef struct gfp_gpu_papers_calls {
    const gfp_gpu_graph_calls *graphs;
    const gfp_gpu_timer_calls *timers;
    const gfp_gpu_ntt_calls *ntt;
    const gfp_gpu_rival_calls *rival;
} gfp_gpu_papers_calls;

GFP_END_DECLS
#endif
