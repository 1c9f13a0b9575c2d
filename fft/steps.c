/* steps.c: steps on all elements of a vector, by all threads of a task: copies, products, divisions
 * by powers of two, bit reversal and reversal.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "fft/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* The least words of a chunk, some 15 us: of steps that compute, and of steps that move. */
#define LEAST_COMPUTED ((size_t)4096)
#define LEAST_MOVED ((size_t)16384)

/* The data of a step. */
typedef struct step {
    const gfp_field *field;
    uint64_t *z;
    const uint64_t *x, *y;
    size_t n;
    unsigned log2;
} step;

/* Runs a loop over `items` items. */
static bool run_step(gfp_task *task, gfp_parallel_run *run, step *s, size_t items, size_t words)
{
    const gfp_parallel loop = {.run = run, .job = s};
    const size_t least = words / s->field->k, chunk = gfp_parallel_chunk(task, items, 4);
    return gfp_parallel_for(&loop, task, items, chunk > least ? chunk : least) == GFP_OK;
}

static gfp_status steps_copy(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *s = user;
    const size_t k = s->field->k;
    (void)worker;
    (void)task;
    memcpy(s->z + from * k, s->x + from * k, (to - from) * k * sizeof *s->z);
    return GFP_OK;
}

bool gfp_fft_copy(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x, size_t n)
{
    step s = {.field = field, .z = z, .x = x, .n = n};
    return z == x || run_step(task, steps_copy, &s, n, LEAST_MOVED);
}

static gfp_status steps_multiply(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const step *s = user;
    const size_t at = from * s->field->k;
    (void)worker;
    return gfp_task_vec_mul(task, s->field, s->z + at, s->x + at, s->y + at, to - from)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

bool gfp_fft_multiply(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, size_t n)
{
    step s = {.field = field, .z = z, .x = x, .y = y, .n = n};
    return run_step(task, steps_multiply, &s, n, LEAST_COMPUTED);
}

static gfp_status steps_scale(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *s = user;
    const size_t k = s->field->k, block = gfp_task_block(gfp_task_product_cost(s->field));
    (void)worker;
    for (size_t i = from; i < to; i += block) {
        const size_t m = gfp_size_min(to - i, block);
        gfp_vec_scalar_mul(s->field, s->z + i * k, s->z + i * k, s->x, m);
        if (!gfp_task_advance(task, (double)m)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

bool gfp_fft_scale(gfp_task *task, const gfp_field *field, uint64_t *x, const uint64_t *c, size_t n)
{
    step s = {.field = field, .z = x, .x = c, .n = n};
    return run_step(task, steps_scale, &s, n, LEAST_COMPUTED);
}

static gfp_status steps_divide(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *s = user;
    const size_t k = s->field->k, block = gfp_task_block((double)k);
    (void)worker;
    for (size_t i = from; i < to; i += block) {
        const size_t m = gfp_size_min(to - i, block);
        gfp_vec_div_2exp(s->field, s->z + i * k, s->z + i * k, s->log2, m);
        if (!gfp_task_advance(task, (double)m * GFP_FFT_DIVISION_UNITS)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

bool gfp_fft_divide(gfp_task *task, const gfp_field *field, uint64_t *x, unsigned e, size_t n)
{
    step s = {.field = field, .z = x, .n = n, .log2 = e};
    return run_step(task, steps_divide, &s, n, LEAST_COMPUTED);
}

static void steps_exchange(const gfp_field *field, uint64_t *x, size_t i, size_t j)
{
    const size_t k = field->k;
    uint64_t t[GFP_MAX_K];
    memcpy(t, x + i * k, k * sizeof *x);
    memcpy(x + i * k, x + j * k, k * sizeof *x);
    memcpy(x + j * k, t, k * sizeof *x);
}

/* A pair is exchanged by the chunk of its lower index. */
static gfp_status reorder_in_place(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const step *s = user;
    (void)worker;
    (void)task;
    for (size_t i = from; i < to; i++) {
        const size_t j = gfp_bit_reverse(i, s->log2);
        if (i < j) {
            steps_exchange(s->field, s->z, i, j);
        }
    }
    return GFP_OK;
}

static gfp_status reorder_apart(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *s = user;
    const size_t k = s->field->k;
    (void)worker;
    (void)task;
    for (size_t i = from; i < to; i++) {
        memcpy(s->z + i * k, s->x + gfp_bit_reverse(i, s->log2) * k, k * sizeof *s->z);
    }
    return GFP_OK;
}

bool gfp_fft_reorder(gfp_task *task, const gfp_field *field, uint64_t *z, const uint64_t *x,
                     unsigned log2_n)
{
    step s = {.field = field, .z = z, .x = x, .n = (size_t)1 << log2_n, .log2 = log2_n};
    return run_step(task, z == x ? reorder_in_place : reorder_apart, &s, s.n, LEAST_MOVED / 4);
}

static gfp_status steps_reverse(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *s = user;
    (void)worker;
    (void)task;
    for (size_t i = from + 1; i < to + 1; i++) {
        steps_exchange(s->field, s->z, i, s->n - i);
    }
    return GFP_OK;
}

bool gfp_fft_reverse(gfp_task *task, const gfp_field *field, uint64_t *x, size_t n)
{
    step s = {.field = field, .z = x, .n = n};
    return n < 3 || run_step(task, steps_reverse, &s, (n - 1) / 2, LEAST_MOVED / 4);
}
