/* transforms.c: the rest of the backend `host' (device.h): timers, graphs, and transforms
 * by the CPU.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fake_device/inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

static gfp_status capture_begin(gfp_gpu *gpu)
{
    fake_graph *graph = fake_make(sizeof *graph);
    graph->base.gpu = gpu;
    *fake_recording(gpu) = graph;
    return GFP_OK;
}

static void graph_destroy(gfp_gpu_graph *graph)
{
    free(((fake_graph *)graph)->recorded);
    fake_unmake(graph);
}

static gfp_status capture_end(gfp_gpu *gpu, gfp_gpu_graph **graph)
{
    fake_graph *recorded = *fake_recording(gpu);
    int before = -1;
    *fake_recording(gpu) = NULL;
    const gfp_status status = gfp_gpu_enter(gpu, false, &before);
    if (status != GFP_OK) {
        graph_destroy(&recorded->base);
        return status;
    }
    *graph = &recorded->base;
    return GFP_OK;
}

static gfp_status graph_launch(gfp_gpu_graph *base)
{
    const fake_graph *graph = (const fake_graph *)base;
    for (size_t i = 0; i < graph->count; i++) {
        GFP_TRY(fake_put(base->gpu, GFP_GPU_QUEUE_MAIN, graph->recorded[i]));
    }
    return GFP_OK;
}

/* ---- timers ---- */

typedef struct host_timer {
    gfp_gpu_timer base;
    uint64_t start, stop; /* ns; 0: not set */
} host_timer;

static gfp_status timer_create(gfp_gpu_timer **timer, gfp_gpu *gpu)
{
    *timer = fake_make(sizeof(host_timer));
    (*timer)->gpu = gpu;
    return GFP_OK;
}

static void timer_destroy(gfp_gpu_timer *timer)
{
    fake_unmake(timer);
}

static gfp_status timer_start(gfp_gpu_timer *timer)
{
    fake_run_all(timer->gpu);
    ((host_timer *)timer)->start = gfp_clock_ns();
    ((host_timer *)timer)->stop = 0;
    return GFP_OK;
}

static gfp_status timer_stop(gfp_gpu_timer *timer)
{
    fake_run_all(timer->gpu);
    ((host_timer *)timer)->stop = ((host_timer *)timer)->start > 0 ? gfp_clock_ns() : 0;
    return GFP_OK;
}

static gfp_status timer_read(gfp_gpu_timer *base, double *ms)
{
    const host_timer *timer = (const host_timer *)base;
    if (timer->stop == 0) {
        return GFP_GPU_FAIL(base->gpu, GFP_ERR_ARGUMENT, "not started and stopped");
    }
    *ms = (double)(timer->stop - timer->start + 1) / 1e6;
    return GFP_OK;
}

const gfp_gpu_measure_calls fake_measure = {
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .timer_create = timer_create,
    .timer_destroy = timer_destroy,
    .timer_start = timer_start,
    .timer_stop = timer_stop,
    .timer_read = timer_read,
};

/* ---- transforms over Z/pZ ---- */

static bool fft_serves(const gfp_gpu *gpu, const gfp_field *field, unsigned log2_n, size_t batch)
{
    (void)gpu;
    (void)field;
    (void)log2_n;
    (void)batch;
    return true;
}

static void fft_destroy(gfp_gpu_fft_plan *plan)
{
    fake_fft *own = plan->state;
    gfp_gpu_device_release(plan->gpu, own->tables, plan->words * sizeof(uint64_t));
    gfp_fft_plan_destroy(own->cpu);
    fake_unmake(own);
}

static gfp_status fft_create(gfp_gpu_fft_plan *plan)
{
    fake_fft *own = fake_make(sizeof *own);
    plan->state = own;
    gfp_status status =
        gfp_gpu_device_allocate(plan->gpu, &own->tables, plan->words * sizeof(uint64_t));
    if (status == GFP_OK) {
        status = gfp_fft_plan_create(&own->cpu, plan->field, plan->n, &plan->gpu->error);
    }
    if (status != GFP_OK) {
        fft_destroy(plan);
        plan->state = NULL;
    }
    return status;
}

static void run_fft(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_fft_plan *plan = o->plan;
    const fake_fft *own = plan->state;
    const size_t words = plan->n * plan->k;
    (void)gpu;
    for (size_t i = 0; i < plan->batch; i++) {
        uint64_t *y = o->to + i * words;
        const uint64_t *x = o->from + i * words;
        if ((o->inverse ? gfp_fft_run(y, x, GFP_INVERSE, o->order, own->cpu, NULL)
                        : gfp_fft_run(y, x, GFP_FORWARD, o->order, own->cpu, NULL)) != GFP_OK) {
            abort();
        }
    }
}

static gfp_status fft_forward(gfp_gpu_fft_plan *plan, uint64_t *y, const uint64_t *x,
                              gfp_order order)
{
    const operation o = {.run = run_fft, .plan = plan, .to = y, .from = x, .order = order};
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN, o);
}

static gfp_status fft_inverse(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *y,
                              gfp_order order)
{
    const operation o = {
        .run = run_fft, .plan = plan, .to = x, .from = y, .order = order, .inverse = true};
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN, o);
}

/* ---- shares: the first pass has two levels of radix 2, the rest is a transform of each row ----
 */

#define LOG2_ROWS 2

static unsigned share_log2_rows(const gfp_gpu_fft_plan *plan)
{
    return plan->log2_n > 2 * LOG2_ROWS && plan->batch == 1 ? LOG2_ROWS : 0;
}

/* One level of column u, forwards or back: pairs (x, y) of elements n / 2 apart in blocks of n,
 * x + y and (x - y) w_n^i. Back: the halves of these without the division. */
static void column_level(const gfp_gpu_fft_plan *plan, uint64_t *column, unsigned level, size_t u,
                         bool back)
{
    const gfp_field *field = plan->field;
    const size_t k = plan->k, rows = (size_t)1 << LOG2_ROWS, row = plan->n >> LOG2_ROWS;
    const size_t half = rows >> (level + 1);
    uint64_t root[GFP_MAX_K], w[GFP_MAX_K], s[GFP_MAX_K], d[GFP_MAX_K];
    gfp_status status = gfp_field_root(field, root, plan->log2_n - level);
    status = status == GFP_OK && back ? gfp_elem_inv(field, root, root) : status;
    for (size_t p = 0; p < rows; p++) {
        uint64_t *x = column + p * k, *y = x + half * k;
        if ((p & half) != 0) {
            continue;
        }
        const uint64_t exponent = (p % half) * row + u;
        gfp_elem_pow(field, w, root, &exponent, 1);
        if (back) {
            gfp_elem_mul(field, d, y, w);
            gfp_elem_add(field, s, x, d);
            gfp_elem_sub(field, y, x, d);
        } else {
            gfp_elem_add(field, s, x, y);
            gfp_elem_sub(field, d, x, y);
            gfp_elem_mul(field, y, d, w);
        }
        memcpy(x, s, k * sizeof *x);
    }
    if (status != GFP_OK) {
        abort();
    }
}

static void run_columns(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_fft_plan *plan = o->plan;
    const size_t k = plan->k, rows = (size_t)1 << LOG2_ROWS, row = plan->n >> LOG2_ROWS;
    uint64_t column[(GFP_MAX_K) << LOG2_ROWS], quarter[GFP_MAX_K] = {rows};
    (void)gpu;
    if (gfp_elem_inv(plan->field, quarter, quarter) != GFP_OK) {
        abort();
    }
    for (size_t at = o->columns.from; at < o->columns.to; at++) {
        const size_t u = o->inverse ? (row - at) % row : at; /* the column of the coefficients */
        for (size_t p = 0; p < rows; p++) {
            memcpy(column + p * k, o->from + (p * row + at) * k, k * sizeof *column);
        }
        for (unsigned i = 0; i < LOG2_ROWS; i++) {
            column_level(plan, column, o->inverse ? LOG2_ROWS - 1 - i : i, u, o->inverse);
        }
        for (size_t p = 0; p < rows; p++) {
            uint64_t *to = o->to + (p * row + u) * k;
            memcpy(to, column + p * k, k * sizeof *to);
            if (o->inverse) {
                gfp_elem_mul(plan->field, to, to, quarter);
            }
        }
    }
}

/* Back, a row's elements are mirrored, as if roots had the same direction. */
static void run_rows(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_fft_plan *plan = o->plan;
    const size_t k = plan->k, row = plan->n >> LOG2_ROWS;
    gfp_fft_plan *cpu = NULL;
    uint64_t *x = fake_make(row * k * sizeof *x);
    gfp_status status = gfp_fft_plan_create(&cpu, plan->field, row, NULL);
    (void)gpu;
    for (size_t i = 0; i < o->n && status == GFP_OK; i += row) {
        if (!o->inverse) {
            status = gfp_fft_run(x, o->from + i * k, GFP_FORWARD, GFP_ORDER_PERMUTED, cpu, NULL);
            memcpy(o->to + i * k, x, row * k * sizeof *x);
            continue;
        }
        status = gfp_fft_run(x, o->from + i * k, GFP_INVERSE, GFP_ORDER_PERMUTED, cpu, NULL);
        for (size_t u = 0; u < row; u++) {
            memcpy(o->to + (i + (row - u) % row) * k, x + u * k, k * sizeof *x);
        }
    }
    gfp_fft_plan_destroy(cpu);
    fake_unmake(x);
    if (status != GFP_OK) {
        abort();
    }
}

static gfp_status put_columns(gfp_gpu_fft_plan *plan, uint64_t *to, const uint64_t *from,
                              gfp_gpu_columns columns, bool inverse)
{
    return fake_put(plan->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = run_columns,
                                .plan = plan,
                                .to = to,
                                .from = from,
                                .columns = columns,
                                .inverse = inverse});
}

static gfp_status put_rows(gfp_gpu_fft_plan *plan, uint64_t *to, const uint64_t *from, size_t n,
                           bool inverse)
{
    return fake_put(
        plan->gpu, GFP_GPU_QUEUE_MAIN,
        (operation){
            .run = run_rows, .plan = plan, .to = to, .from = from, .n = n, .inverse = inverse});
}

static gfp_status share_columns(gfp_gpu_fft_plan *plan, uint64_t *t, size_t from, size_t to)
{
    return put_columns(plan, t, t, (gfp_gpu_columns){from, to}, false);
}

static gfp_status share_rows(gfp_gpu_fft_plan *plan, uint64_t *y, uint64_t *t, size_t from,
                             size_t to)
{
    return put_rows(plan, y, t + from * plan->k, to - from, false);
}

static gfp_status share_rows_back(gfp_gpu_fft_plan *plan, uint64_t *t, const uint64_t *y,
                                  size_t from, size_t to)
{
    return put_rows(plan, t + from * plan->k, y, to - from, true);
}

static gfp_status share_columns_back(gfp_gpu_fft_plan *plan, uint64_t *x, const uint64_t *t,
                                     size_t from, size_t to)
{
    return put_columns(plan, x, t, (gfp_gpu_columns){from, to}, true);
}

static const gfp_gpu_fft_share_calls shares = {share_log2_rows, share_columns, share_rows,
                                               share_rows_back, share_columns_back};

static const gfp_gpu_fft_engine fast = {
    GFP_GPU_FFT_FAST, fft_serves, fft_create, fft_forward, fft_inverse, fft_destroy, &shares,
};
const gfp_gpu_fft_engine *const fake_fft_engines[] = {&fast, NULL};
