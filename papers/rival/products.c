/* products.c: plans of the papers' rival: transforms modulo each prime, and the three steps with
 * their times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/attachment.h"
#include "fft/call.h"
#include "papers/ntt/impl.h"
#include "field/base/parallel.h"
#include "papers/rival/impl.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* ---- plans ---- */

/* The kernels of the field's level if they serve these primes and this length, else the portable
 * ones. */
static const gfp_rival_kernels *choose_kernels(const gfp_crt_rival_plan *plan)
{
    const gfp_rival_kernels *kernels = &gfp_rival_portable;
#if GFP_X86_LEVELS
    const gfp_level level = gfp_field_level(plan->field);
    if (level >= GFP_LEVEL_AVX2 && plan->n >= gfp_rival_avx2.block) {
        kernels = &gfp_rival_avx2;
    }
    if (level >= GFP_LEVEL_AVX512IFMA && plan->n >= gfp_rival_avx512ifma.block) {
        kernels = &gfp_rival_avx512ifma;
    }
#endif
    return plan->kind == GFP_CRT_RIVAL_HALF_WORDS ? kernels : &gfp_rival_portable;
}

static gfp_status fill_transforms(gfp_crt_rival_plan *plan, const gfp_ntt_options *options,
                                  gfp_error *error)
{
    for (size_t i = 0; i < plan->count; i++) {
        GFP_TRY(gfp_ntt_plan_create(&plan->ntt[i], plan->prime[i].q, plan->n, options,
                                    gfp_field_allocator(plan->field), error));
    }
    return GFP_OK;
}

/* Fills all members of the plan; after a failure the caller destroys the plan. */
static gfp_status fill_plan(gfp_crt_rival_plan *plan, const gfp_crt_rival_options *options,
                            gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    uint64_t primes[GFP_RIVAL_MAX_PRIMES];

    GFP_TRY(gfp_rival_choose_primes(primes, &plan->count, &plan->kind, plan->field,
                                    gfp_ctz64(plan->n), options, error));
    plan->prime = gfp_allocate(allocator, plan->count, sizeof *plan->prime);
    plan->ntt = gfp_allocate(allocator, plan->count, sizeof(gfp_ntt_plan *));
    if (plan->ntt != NULL) {
        memset(plan->ntt, 0, plan->count * sizeof(gfp_ntt_plan *));
    }
    if (plan->prime == NULL || plan->ntt == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    for (size_t i = 0; i < plan->count; i++) {
        plan->prime[i].q = primes[i];
    }
    plan->kernels = choose_kernels(plan);
    plan->vector = plan->kernels != &gfp_rival_portable;
    const gfp_status status = gfp_rival_tables_init(plan);
    if (status != GFP_OK) {
        return gfp_error_set(error, status, "out of memory for %zu primes", plan->count);
    }
    return fill_transforms(plan, &options->ntt, error);
}

gfp_status gfp_crt_rival_plan_create(gfp_crt_rival_plan **plan, const gfp_field *field, size_t n,
                                     const gfp_crt_rival_options *options, gfp_error *error)
{
    static const gfp_crt_rival_options automatic;

    options = options != NULL ? options : &automatic;
    /* Residues and integers have at most 2 words per digit. */
    GFP_TRY(gfp_rival_check(field, n, options->primes, 2, error));
    gfp_crt_rival_plan *made = gfp_allocate(gfp_field_allocator(field), 1, sizeof *made);
    if (made == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *made = (gfp_crt_rival_plan){.field = field, .n = n};
    const gfp_status status = fill_plan(made, options, error);
    if (status != GFP_OK) {
        gfp_crt_rival_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

void gfp_crt_rival_plan_destroy(gfp_crt_rival_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    if (plan->ntt != NULL) {
        for (size_t i = 0; i < plan->count; i++) {
            gfp_ntt_plan_destroy(plan->ntt[i]);
        }
    }
    gfp_rival_tables_release(plan);
    gfp_release(allocator, plan->ntt, plan->count, sizeof(gfp_ntt_plan *));
    gfp_release(allocator, plan->prime, plan->count, sizeof *plan->prime);
    gfp_release(allocator, plan, 1, sizeof *plan);
}

size_t gfp_crt_rival_plan_length(const gfp_crt_rival_plan *plan)
{
    return plan->n;
}

const gfp_field *gfp_crt_rival_plan_field(const gfp_crt_rival_plan *plan)
{
    return plan->field;
}

gfp_crt_rival_primes gfp_crt_rival_plan_kind(const gfp_crt_rival_plan *plan)
{
    return plan->kind;
}

size_t gfp_crt_rival_plan_prime_count(const gfp_crt_rival_plan *plan)
{
    return plan->count;
}

uint64_t gfp_crt_rival_plan_prime(const gfp_crt_rival_plan *plan, size_t i)
{
    return plan->prime[i].q;
}

const gfp_ntt_plan *gfp_crt_rival_plan_ntt(const gfp_crt_rival_plan *plan, size_t i)
{
    return plan->ntt[i];
}

size_t gfp_crt_rival_plan_words(const gfp_crt_rival_plan *plan)
{
    return plan->words;
}

const uint64_t *gfp_crt_rival_plan_modulus(const gfp_crt_rival_plan *plan)
{
    return plan->modulus;
}

const char *gfp_crt_rival_plan_kernels(const gfp_crt_rival_plan *plan)
{
    return plan->kernels->name;
}

size_t gfp_crt_rival_plan_bytes(const gfp_crt_rival_plan *plan)
{
    size_t bytes = sizeof *plan + plan->count * (sizeof *plan->prime + sizeof(gfp_ntt_plan *)) +
                   gfp_rival_tables_bytes(plan);

    for (size_t i = 0; i < plan->count; i++) {
        bytes = gfp_size_add_sat(bytes, gfp_ntt_plan_bytes(plan->ntt[i]));
    }
    return bytes;
}

/* ---- the work area: its start rounded up to a multiple of LINE; an area for each thread ---- */

#define LINE 64

/* Returns the words of a thread's area, of the kernels or of a transform, in whole lines. */
static size_t area_words(const gfp_crt_rival_plan *plan)
{
    const size_t line = LINE / sizeof(uint64_t);
    size_t words = plan->kernels->work_words(plan);

    for (size_t i = 0; i < plan->count; i++) {
        const size_t needed = gfp_ntt_workspace(plan->ntt[i]) / sizeof(uint64_t);
        words = needed > words ? needed : words;
    }
    return (words + line - 1) / line * line;
}

size_t gfp_crt_rival_workspace(const gfp_crt_rival_plan *plan, unsigned threads)
{
    const size_t bytes = area_words(plan) * sizeof(uint64_t);

    return gfp_size_add_sat(gfp_size_mul_sat(bytes, threads == 0 ? 1 : threads), LINE);
}

/* Returns the nanoseconds since *start, an earlier time, and sets *start to now. */
static uint64_t lap(uint64_t *start)
{
    const uint64_t before = *start;

    *start = gfp_clock_ns();
    return *start - before;
}

static uint64_t *align(void *work)
{
    const size_t over = (size_t)((uintptr_t)work % LINE);

    return (uint64_t *)((unsigned char *)work + (over == 0 ? 0 : LINE - over));
}

/* Runs the steps that have a source or target: projects x (or starts from residues if x is NULL),
 * transforms into y, recombines z. */
typedef struct steps {
    const gfp_crt_rival_plan *plan;
    const uint64_t *x;
    const uint64_t *residues;
    uint64_t *y;
    uint64_t *z;
    bool transform;
    gfp_crt_rival_times times;
    uint64_t *work; /* aligned; area_words words for each thread */
    size_t area_words;
} steps;

/* ---- steps by threads; false: cancelled ---- */

/* Elements of an item: a multiple of every kernels' block. */
#define GROUP ((size_t)64)

/* All work is counted in the units of gfp_ntt_units, half a product of words each. Those of an
 * element in step 1, about as many as in step 3: */
static double element_units(const gfp_crt_rival_plan *plan)
{
    return (double)plan->count * gfp_field_k(plan->field) / GFP_NTT_UNIT_COST;
}

static gfp_status run_elements(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const steps *s = user;
    const gfp_crt_rival_plan *plan = s->plan;
    uint64_t *work = s->work + worker * s->area_words;

    for (size_t i = from; i < to; i++) {
        const gfp_rival_range range = {i * GROUP, gfp_size_min((i + 1) * GROUP, plan->n)};
        if (s->residues == NULL) {
            plan->kernels->project(plan, s->y, s->x, range, work);
        } else {
            plan->kernels->recombine(plan, s->z, s->residues, range, work);
        }
        if (!gfp_task_advance(task, (double)(range.to - range.from) * element_units(plan))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Step 1, or step 3 if there are residues. */
static bool on_elements(steps *s, gfp_task *task)
{
    const gfp_parallel loop = {.run = run_elements, .job = s};
    const size_t items = (s->plan->n + GROUP - 1) / GROUP;
    const size_t least = (size_t)(s->plan->ntt[0]->least / (element_units(s->plan) * GROUP));
    const size_t chunk = gfp_parallel_chunk(task, items, 4);

    return gfp_parallel_for(&loop, task, items, chunk > least ? chunk : least) == GFP_OK;
}

static gfp_status transform_primes(void *user, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const steps *s = user;
    const size_t n = s->plan->n;
    uint64_t *work = s->work + worker * s->area_words;

    for (size_t i = from; i < to; i++) {
        if (!gfp_ntt_run_forward(s->plan->ntt[i], s->y + i * n, s->residues + i * n,
                                 GFP_ORDER_NATURAL, work, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Threads share the primes if the primes are many or divide evenly; else the work of each transform
 * in turn. */
static bool transform_all(steps *s, gfp_task *task)
{
    const gfp_parallel loop = {.run = transform_primes, .job = s};
    const gfp_ntt_plan *ntt = s->plan->ntt[0];
    const unsigned threads = gfp_task_threads(task);
    const size_t count = s->plan->count;

    if (count % threads != 0 && count < 4 * (size_t)threads) {
        return transform_primes(s, 0, count, 0, task) == GFP_OK;
    }
    const size_t least = (size_t)(ntt->least / gfp_ntt_units(ntt, false, GFP_ORDER_NATURAL));
    return gfp_parallel_for(&loop, task, count, least == 0 ? 1 : least) == GFP_OK;
}

/* The units of all steps of a call. */
static double measure_work(const steps *s)
{
    const gfp_crt_rival_plan *plan = s->plan;
    const double elements = (double)plan->n * element_units(plan);
    double units = (s->x != NULL ? elements : 0) + (s->z != NULL ? elements : 0);

    for (size_t i = 0; i < plan->count && s->transform; i++) {
        units += gfp_ntt_units(plan->ntt[i], false, GFP_ORDER_NATURAL);
    }
    return units;
}

/* The steps of a call with their times. */
static bool run_steps(steps *s, gfp_task *task)
{
    uint64_t clock = gfp_clock_ns();

    if (s->x != NULL) {
        if (!on_elements(s, task)) {
            return false;
        }
        s->residues = s->y;
        s->times.project_ns = lap(&clock);
    }
    if (s->transform) {
        if (!transform_all(s, task)) {
            return false;
        }
        s->residues = s->y;
        s->times.transform_ns = lap(&clock);
    }
    if (s->z != NULL) {
        if (!on_elements(s, task)) {
            return false;
        }
        s->times.recombine_ns = lap(&clock);
    }
    return true;
}

/* ---- calls ---- */

/* Allocates the work area of a call for call->threads threads, or for fewer if the cap says so. */
static gfp_status take_area(gfp_fft_call *call, const gfp_crt_rival_plan *plan, size_t *bytes)
{
    const gfp_options *options = call->options;
    const size_t cap = options->memory_cap != 0 ? options->memory_cap : SIZE_MAX;

    *bytes = gfp_crt_rival_workspace(plan, call->threads);
    while (call->threads > 1 && *bytes > cap) {
        *bytes = gfp_crt_rival_workspace(plan, --call->threads);
    }
    if (*bytes > cap) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "the transforms need %zu bytes of work space, the cap is %zu", *bytes,
                             cap);
    }
    call->area = gfp_allocate(gfp_field_allocator(plan->field), *bytes, 1);
    return call->area != NULL ? GFP_OK
                              : gfp_error_set(options->error, GFP_ERR_MEMORY,
                                              "no memory for %zu bytes of work space", *bytes);
}

static gfp_status run(const gfp_crt_rival_plan *plan, steps *s, void *work,
                      const gfp_options *options)
{
    gfp_fft_call call;
    size_t bytes = 0;

    s->plan = plan;
    const double units = measure_work(s);
    GFP_TRY(gfp_fft_call_read(&call, "rival", options));
    call.threads = gfp_ntt_threads(
        plan->ntt[0], units, gfp_parallel_threads_in(plan->ntt[0]->process, call.options->threads));
    if (work == NULL) {
        GFP_TRY(take_area(&call, plan, &bytes));
    }
    s->area_words = area_words(plan);
    s->work = align(work != NULL ? work : call.area);
    const int rounding = gfp_rounding_begin();
    const bool completed =
        gfp_fft_call_start(&call, units, GFP_NTT_UNIT_COST) && run_steps(s, call.task);
    gfp_rounding_end(rounding);
    if (work == NULL) {
        gfp_release(gfp_field_allocator(plan->field), call.area, bytes, 1);
    }
    return gfp_fft_call_end(&call, completed);
}

gfp_status gfp_crt_rival_project(const gfp_crt_rival_plan *plan, uint64_t *residues,
                                 const uint64_t *x, void *work, const gfp_options *options)
{
    steps s = {.x = x, .y = residues};

    return run(plan, &s, work, options);
}

gfp_status gfp_crt_rival_transform(const gfp_crt_rival_plan *plan, uint64_t *y, const uint64_t *x,
                                   void *work, const gfp_options *options)
{
    steps s = {.residues = x, .y = y, .transform = true};

    return run(plan, &s, work, options);
}

gfp_status gfp_crt_rival_recombine(const gfp_crt_rival_plan *plan, uint64_t *z,
                                   const uint64_t *residues, void *work, const gfp_options *options)
{
    steps s = {.residues = residues, .z = z};

    return run(plan, &s, work, options);
}

gfp_status gfp_crt_rival_forward(const gfp_crt_rival_plan *plan, uint64_t *z, uint64_t *y,
                                 const uint64_t *x, gfp_crt_rival_times *times, void *work,
                                 const gfp_options *options)
{
    steps s = {.x = x, .y = y, .z = z, .transform = true};

    GFP_TRY(run(plan, &s, work, options));
    if (times != NULL) {
        *times = s.times;
    }
    return GFP_OK;
}
