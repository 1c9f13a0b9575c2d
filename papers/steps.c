/* papers/steps.c: see steps.h. The library's arithmetic is the library's own call. In GMP's the
 * steps of gmp_dft.c are parallel loops over blocks here, and are timed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/steps.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "field/base/parallel.h"
#include "fft/six_step.h"

/* The arguments of a running step by GMP. */
typedef struct step {
    steps *s;
    size_t a, b;   /* permutation: L_a^(ab) on every block of a b elements */
    size_t stride; /* twiddles: D_(K, stride) on every block of K stride elements */
} step;

static gfp_status steps_permute(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *p = job;
    const size_t words = p->s->words, bytes = words * sizeof(uint64_t);

    (void)worker;
    (void)task;
    for (size_t row = from; row < to; row++) {
        const size_t start = row / p->a * p->a * p->b, j = row % p->a;
        for (size_t i = 0; i < p->b; i++) {
            memcpy(p->s->copy + (start + j * p->b + i) * words,
                   p->s->x + (start + i * p->a + j) * words, bytes);
        }
    }
    return GFP_OK;
}

static gfp_status steps_base(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *p = job;
    steps *s = p->s;

    (void)task;
    for (size_t block = from; block < to; block++) {
        gmp_dft_base(&s->gmp[worker], (mp_limb_t *)(s->x + block * s->radix * s->words));
    }
    return GFP_OK;
}

static gfp_status steps_twiddle(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const step *p = job;
    steps *s = p->s;
    const size_t scale = s->n / (s->radix * p->stride);

    (void)task;
    for (size_t row = from; row < to; row++) {
        const size_t j = row % s->radix;
        uint64_t *x = s->x + row * p->stride * s->words;
        for (size_t i = 1; j > 0 && i < p->stride; i++) {
            gmp_dft_multiply_by_power(&s->gmp[worker], (mp_limb_t *)(x + i * s->words),
                                      i * j * scale);
        }
    }
    return GFP_OK;
}

/* The number of items of a loop over all n elements that a thread takes at once: a few rounds per
 * thread, but at least the work of about 15 us, so that small loops use no threads. GMP's
 * arithmetic takes about eight times as long per word as the library's. */
static size_t chunk_of(const steps *s, const gfp_task *task, size_t items)
{
    const size_t chunk = gfp_parallel_chunk(task, items, 4);
    const size_t least = 256 / (s->n / items * s->words);
    return chunk > least ? chunk : least;
}

static bool run_loop(steps *s, gfp_parallel_run *run, const step *p, size_t items, unsigned part)
{
    step copy = *p;
    const gfp_parallel loop = {.run = run, .job = &copy};
    gfp_task task;
    const uint64_t start = clock_ns();

    gfp_task_start(&task, NULL);
    task.threads = s->threads;
    const gfp_status status = gfp_parallel_for(&loop, &task, items, chunk_of(s, &task, items));
    s->ns[part] += (double)(clock_ns() - start);
    return status == GFP_OK;
}

/* The permuted elements are the new s->x. */
static bool permute_blocks(steps *s, size_t a, size_t b)
{
    const step p = {.s = s, .a = a, .b = b};
    const bool ok = run_loop(s, steps_permute, &p, s->n / b, PART_PERMUTATION);
    uint64_t *written = s->copy;

    s->copy = s->x;
    s->x = written;
    return ok;
}

static bool run_by_gmp(steps *s)
{
    const step all = {.s = s};
    bool ok = true;

    for (size_t stride = s->n / s->radix; stride > 1 && ok; stride /= s->radix) {
        ok = permute_blocks(s, s->radix, stride); /* 1 */
    }
    ok = ok && run_loop(s, steps_base, &all, s->n / s->radix, PART_DFT); /* 2 */
    for (size_t stride = s->radix; stride < s->n && ok; stride *= s->radix) {
        const step p = {.s = s, .stride = stride};
        ok = run_loop(s, steps_twiddle, &p, s->n / stride, PART_TWIDDLE) && /* 3 */
             permute_blocks(s, stride, s->radix) &&
             run_loop(s, steps_base, &all, s->n / s->radix, PART_DFT) &&
             permute_blocks(s, s->radix, stride);
    }
    return ok;
}

/* From one array to the other, as by GMP. */
static bool run_by_library(steps *s)
{
    const gfp_options options = {.threads = s->threads};
    const bool ok = gfp_fft_six_step_forward(s->plan, s->copy, s->x, &options, s->ns) == GFP_OK;
    uint64_t *written = s->copy;

    s->copy = s->x;
    s->x = written;
    return ok;
}

bool steps_run(void *context)
{
    steps *s = context;

    memset(s->ns, 0, sizeof(s->ns));
    return s->gmp != NULL ? run_by_gmp(s) : run_by_library(s);
}

bool steps_open(steps *s, const gfp_field *field, size_t n, bool by_gmp, unsigned threads)
{
    const uint64_t start = clock_ns();

    *s = (steps){.field = field,
                 .n = n,
                 .radix = 2 * (size_t)gfp_field_k(field),
                 .words = by_gmp ? gfp_field_limbs(field) : gfp_field_k(field),
                 .threads = threads};
    bool ok = true;
    if (by_gmp) {
        s->gmp = calloc(threads, sizeof(*s->gmp));
        ok = s->gmp != NULL && gmp_dft_init(&s->gmp[0], field, n);
        for (unsigned i = 1; i < threads && ok; i++) {
            ok = gmp_dft_share(&s->gmp[i], &s->gmp[0]);
        }
    } else {
        ok = gfp_fft_plan_create(&s->plan, field, n, NULL) == GFP_OK;
    }
    s->prepare_ns = (double)(clock_ns() - start);
    s->x = calloc(n, s->words * sizeof(uint64_t));
    s->copy = calloc(n, s->words * sizeof(uint64_t));
    if (!ok || s->x == NULL || s->copy == NULL) {
        steps_close(s);
        return complain("%s: no memory, or no roots, for %zu points", gfp_field_name(field), n);
    }
    return true;
}

void steps_close(steps *s)
{
    for (unsigned i = s->gmp != NULL ? s->threads : 0; i > 0; i--) {
        gmp_dft_clear(&s->gmp[i - 1]);
    }
    free(s->gmp);
    gfp_fft_plan_destroy(s->plan);
    free(s->x);
    free(s->copy);
    *s = (steps){.n = 0};
}

void steps_put(steps *s, const uint64_t *x)
{
    if (s->gmp != NULL) {
        gmp_dft_from_digits(&s->gmp[0], (mp_limb_t *)s->x, x, s->n);
    } else {
        memcpy(s->x, x, s->n * s->words * sizeof(uint64_t));
    }
}

void steps_get(steps *s, uint64_t *y)
{
    if (s->gmp != NULL) {
        gmp_dft_to_digits(&s->gmp[0], y, (const mp_limb_t *)s->x, s->n);
    } else {
        memcpy(y, s->x, s->n * s->words * sizeof(uint64_t));
    }
}
