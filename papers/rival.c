/* rival.c: plans of the papers' rival: transforms modulo each prime, and the three steps with their
 * times.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "attachment.h"
#include "rival_impl.h"
#include "support.h"
#include "word.h"

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

/* ---- work areas: one for all steps, its start rounded up to a multiple of LINE ---- */

#define LINE 64

size_t gfp_crt_rival_workspace(const gfp_crt_rival_plan *plan)
{
    size_t bytes = plan->kernels->work_words(plan) * sizeof(uint64_t);

    for (size_t i = 0; i < plan->count; i++) {
        const size_t needed = gfp_ntt_workspace(plan->ntt[i]);
        bytes = needed > bytes ? needed : bytes;
    }
    return gfp_size_add_sat(bytes, LINE);
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

static gfp_status transform_all(const gfp_crt_rival_plan *plan, uint64_t *y, const uint64_t *x,
                                void *work)
{
    for (size_t i = 0; i < plan->count; i++) {
        GFP_TRY(gfp_ntt_forward(plan->ntt[i], y + i * plan->n, x + i * plan->n, GFP_ORDER_NATURAL,
                                work));
    }
    return GFP_OK;
}

/* Runs the steps that have a source or target: projects x (or starts from residues if x is NULL),
 * transforms into y, recombines z. The transform cannot fail, since it has a work area. */
typedef struct steps {
    const uint64_t *x;
    const uint64_t *residues;
    uint64_t *y;
    uint64_t *z;
    bool transform;
    gfp_crt_rival_times times;
} steps;

static gfp_status run(const gfp_crt_rival_plan *plan, steps *s, void *work)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    const size_t bytes = gfp_crt_rival_workspace(plan);
    void *area = work != NULL ? work : gfp_allocate(allocator, bytes, 1);
    gfp_status status = GFP_OK;

    if (area == NULL) {
        return GFP_ERR_MEMORY;
    }
    uint64_t *aligned = align(area);
    uint64_t clock = gfp_clock_ns();
    if (s->x != NULL) {
        plan->kernels->project(plan, s->y, s->x, aligned);
        s->residues = s->y;
        s->times.project_ns = lap(&clock);
    }
    if (s->transform) {
        status = transform_all(plan, s->y, s->residues, aligned);
        s->residues = s->y;
        s->times.transform_ns = lap(&clock);
    }
    if (s->z != NULL && status == GFP_OK) {
        plan->kernels->recombine(plan, s->z, s->residues, aligned);
        s->times.recombine_ns = lap(&clock);
    }
    if (work == NULL) {
        gfp_release(allocator, area, bytes, 1);
    }
    return status;
}

gfp_status gfp_crt_rival_project(const gfp_crt_rival_plan *plan, uint64_t *residues,
                                 const uint64_t *x, void *work)
{
    steps s = {.x = x, .y = residues};

    return run(plan, &s, work);
}

gfp_status gfp_crt_rival_transform(const gfp_crt_rival_plan *plan, uint64_t *y, const uint64_t *x,
                                   void *work)
{
    steps s = {.residues = x, .y = y, .transform = true};

    return run(plan, &s, work);
}

gfp_status gfp_crt_rival_recombine(const gfp_crt_rival_plan *plan, uint64_t *z,
                                   const uint64_t *residues, void *work)
{
    steps s = {.residues = residues, .z = z};

    return run(plan, &s, work);
}

gfp_status gfp_crt_rival_forward(const gfp_crt_rival_plan *plan, uint64_t *z, uint64_t *y,
                                 const uint64_t *x, gfp_crt_rival_times *times, void *work)
{
    steps s = {.x = x, .y = y, .z = z, .transform = true};

    GFP_TRY(run(plan, &s, work));
    if (times != NULL) {
        *times = s.times;
    }
    return GFP_OK;
}
