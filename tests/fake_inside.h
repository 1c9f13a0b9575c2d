/* fake_inside.h: what the parts of the backend `host` share (see fake_device.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef FAKE_INSIDE_H
#define FAKE_INSIDE_H

#include "backend.h"
#include "measure.h"

/* What is enqueued: run(o) does it. */
typedef struct operation operation;
struct operation {
    void (*run)(gfp_gpu *gpu, const operation *o);
    int queue;  /* where it was put */
    int kind;   /* of a call of the table that has kinds */
    void *plan; /* any */
    const gfp_field *field;
    uint64_t *to;
    const uint64_t *from, *other;
    size_t n;         /* words, or elements */
    int fence_queue;  /* of a hold */
    size_t at;        /* and its place */
    uint64_t *copied; /* of constants on the host, freed once it has run; or NULL */
    gfp_gpu_fold fold;
    size_t len_a, len_b, first;
    gfp_order order;
    bool inverse;
};

/* Enqueues it; while a capture is open it is recorded instead. */
gfp_status fake_put(gfp_gpu *gpu, gfp_gpu_queue queue, operation o);
/* Runs all that was enqueued. */
void fake_run_all(gfp_gpu *gpu);
/* So many bytes, all 0, counted as an object until fake_unmake, which takes NULL too. */
void *fake_make(size_t bytes);
void fake_unmake(void *made);

/* The graph that is being recorded; NULL: none. */
typedef struct fake_graph {
    gfp_gpu_graph base;
    operation *recorded;
    size_t count;
} fake_graph;
fake_graph **fake_recording(gfp_gpu *gpu);

/* fake_device.c */
extern const gfp_gpu_backend fake_backend;

/* fake_transforms.c: the state of the one engine's plans; what is timed and whether that ran is for
 * fake_papers.c. */
typedef struct fake_fft {
    gfp_fft_plan *cpu;
    void *tables; /* device memory, as much as the data */
    bool timed, ran;
} fake_fft;
extern const gfp_gpu_fft_engine *const fake_fft_engines[];
extern const gfp_gpu_measure_calls fake_measure;

#endif
