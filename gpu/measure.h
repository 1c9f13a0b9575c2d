/* measure.h: graphs and timers on a device, for programs that measure and for tests: functions over
 * a backend's table, and that table. Not installed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_GPU_MEASURE_H
#define GFP_GPU_MEASURE_H

#include "gfpoly/gpu.h"

GFP_BEGIN_DECLS

/* ---- graphs ---- */

/* A recorded sequence of work that can be launched any number of times at little cost
 * per launch. */
typedef struct gfp_gpu_graph {
    gfp_gpu *gpu;
} gfp_gpu_graph;

/* Opens a capture. Until gfp_gpu_capture_end, calls that enqueue work record the work and do
 * nothing else. Calls that wait, create, copy from or to the host, or use a fence fail with
 * ARGUMENT; nothing may be destroyed. Arrays and plans in the capture must outlive the graph.
 * Errors: ARGUMENT (a capture is open), DEVICE. */
GFP_MUST_CHECK gfp_status gfp_gpu_capture_begin(gfp_gpu *gpu);
/* *graph := the recorded work. The call closes the capture in any case. Errors: ARGUMENT (no
 * capture is open), DEVICE, MEMORY; *graph is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph);
/* Enqueues the recorded work. Errors: DEVICE; ARGUMENT inside a capture. */
GFP_MUST_CHECK gfp_status gfp_gpu_graph_launch(gfp_gpu_graph *graph);
/* NULL is allowed. */
void gfp_gpu_graph_destroy(gfp_gpu_graph *graph);

/* ---- timers ---- */

/* The time between two places in the main queue. */
typedef struct gfp_gpu_timer {
    gfp_gpu *gpu;
} gfp_gpu_timer;

/* Errors: MEMORY, DEVICE; *timer is unchanged. */
GFP_MUST_CHECK gfp_status gfp_gpu_timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu);
/* NULL is allowed. */
void gfp_gpu_timer_destroy(gfp_gpu_timer *timer);
/* Enqueues the start and the stop of the timer. Errors: DEVICE; ARGUMENT inside a capture. */
GFP_MUST_CHECK gfp_status gfp_gpu_timer_start(gfp_gpu_timer *timer);
GFP_MUST_CHECK gfp_status gfp_gpu_timer_stop(gfp_gpu_timer *timer);
/* *ms := the milliseconds between start and stop; waits for the stop. Errors: DEVICE, ARGUMENT (not
 * started and stopped). */
GFP_MUST_CHECK gfp_status gfp_gpu_timer_read(gfp_gpu_timer *timer, double *ms);

/* ---- plans ---- */

/* The form that was chosen; never AUTO. */
gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan);
/* Bytes of device memory that the plan holds. */
size_t gfp_gpu_fft_plan_bytes(const gfp_gpu_fft_plan *plan);
/* "auto", "fast", "reference"; never NULL. */
const char *gfp_gpu_fft_form_name(gfp_gpu_fft_form form);

/* ---- a backend's table ---- */

/* The functions above enter the device before they call the table. The backend makes and releases
 * the handles. */
typedef struct gfp_gpu_measure_calls {
    gfp_status (*capture_begin)(gfp_gpu *gpu);
    /* The capture is open; `end` closes it in any case. */
    gfp_status (*capture_end)(gfp_gpu *gpu, gfp_gpu_graph **graph);
    gfp_status (*graph_launch)(gfp_gpu_graph *graph);
    void (*graph_destroy)(gfp_gpu_graph *graph);
    gfp_status (*timer_create)(gfp_gpu_timer **timer, gfp_gpu *gpu);
    void (*timer_destroy)(gfp_gpu_timer *timer);
    gfp_status (*timer_start)(gfp_gpu_timer *timer);
    gfp_status (*timer_stop)(gfp_gpu_timer *timer);
    gfp_status (*timer_read)(gfp_gpu_timer *timer, double *ms);
} gfp_gpu_measure_calls;

GFP_END_DECLS
#endif
