/* inside.h: shared by the parts of the backend `host' (see device.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_FAKE_DEVICE_INSIDE_H
#define TESTS_LAB_FAKE_DEVICE_INSIDE_H

#include "gpu/backend.h"
#include "gpu/measure.h"
#include "gpu/product_engine.h"

/* An enqueued operation; run(o) performs it. */
typedef struct operation operation;
struct operation {
    void (*run)(gfp_gpu *gpu, const operation *o);
    int queue;  /* the operation's queue */
    int kind;   /* the kind of a call that has kinds */
    void *plan; /* a plan of any type */
    const gfp_field *field;
    uint64_t *to;
    const uint64_t *from, *other;
    uint64_t *third;  /* a second result, or NULL */
    size_t n;         /* number of words or elements */
    int fence_queue;  /* the queue of a hold */
    size_t at;        /* the place in that queue */
    uint64_t *copied; /* a copy of constants on the host, freed after the operation ran; or NULL */
    gfp_gpu_fold fold;
    gfp_gpu_row_sum sum;
    gfp_gpu_direct direct;
    gfp_gpu_euclid pairs;
    gfp_gpu_matrix matrix;
    size_t len_a, len_b, first, stride_b, stride_c;
    gfp_order order;
    bool inverse;
    gfp_gpu_blocks blocks;
    gfp_gpu_columns columns;
};

/* Enqueues the operation, or records it while a capture is open. */
gfp_status fake_put(gfp_gpu *gpu, gfp_gpu_queue queue, operation o);
/* Runs all enqueued operations. */
void fake_run_all(gfp_gpu *gpu);
/* Allocates `bytes' zero bytes, which count as an object until fake_unmake, which also takes NULL.
 */
void *fake_make(size_t bytes);
void fake_unmake(void *made);

/* The graph under construction; NULL: none. */
typedef struct fake_graph {
    gfp_gpu_graph base;
    operation *recorded;
    size_t count;
} fake_graph;
fake_graph **fake_recording(gfp_gpu *gpu);

/* backend.c */
extern const gfp_gpu_backend fake_backend, fake_planned_backend;

/* arrays.c */
extern const gfp_gpu_vec_calls fake_vec;

/* products.c */
extern const struct gfp_gpu_product_engine *const fake_product_engines[];

/* transforms.c: a plan of the only engine; `timed' and the flag of a timed run serve
 * papers.c. */
typedef struct fake_fft {
    gfp_fft_plan *cpu;
    void *tables; /* device memory, as much as the data */
    bool timed, ran;
    unsigned threads; /* of a block, which the emulation does not have; in the papers' forms */
} fake_fft;
extern const gfp_gpu_fft_engine *const fake_fft_engines[];
extern const gfp_gpu_measure_calls fake_measure;

/* images.c */
extern const struct gfp_gpu_images_calls fake_images;

/* words.c */
extern const struct gfp_gpu_word_calls fake_words;

#endif
