/* take_z.c: products over Z. One ring serves all FLINTs of the process.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <limits.h>
#include <stdatomic.h>

#include "bindings/preload/apart.h"
#include "bindings/preload/flint/job.h"
#include "bindings/preload/memory.h"
#include "bindings/preload/product.h"
#include "bindings/preload/settings.h"
#include "field/base/support.h"
#include "modular/vec.h"

/* ---- the ring, and vectors that stay for the next product ---- */

typedef struct area {
    gfp_zvec a, b, c;
    bool square; /* c = a a */
    gfp_options options;
} area;

#define AREAS 8
/* The most limbs of an area that stays. */
#define AREA_LIMBS ((size_t)1 << 25)

static _Atomic(gfp_zring *) the_ring;
static _Atomic(area *) areas[AREAS];

/* NULL: no memory. */
static gfp_zring *ring_of_process(void)
{
    gfp_zring *ring = atomic_load(&the_ring), *made = NULL;
    if (ring != NULL) {
        return ring;
    }
    if (gfp_zring_create(&made, &gfp_host_memory, NULL) == GFP_OK) {
        if (atomic_compare_exchange_strong(&the_ring, &ring, made)) {
            ring = made;
        } else {
            gfp_zring_destroy(made);
        }
    }
    return ring;
}

static area *take_area(gfp_zring *ring)
{
    for (size_t i = 0; i < AREAS; i++) {
        area *there = atomic_exchange(&areas[i], NULL);
        if (there != NULL) {
            return there;
        }
    }
    area *made = gfp_host_allocate(sizeof *made);
    if (made != NULL) {
        gfp_zvec_init(&made->a, ring);
        gfp_zvec_init(&made->b, ring);
        gfp_zvec_init(&made->c, ring);
    }
    return made;
}

static void give_area(area *used)
{
    const bool small = used->a.alloc + used->b.alloc + used->c.alloc <= AREA_LIMBS;
    for (size_t i = 0; i < AREAS && small; i++) {
        area *none = NULL;
        if (atomic_compare_exchange_strong(&areas[i], &none, used)) {
            return;
        }
    }
    gfp_zvec_clear(&used->a);
    gfp_zvec_clear(&used->b);
    gfp_zvec_clear(&used->c);
    gfp_host_release(used, sizeof *used);
}

/* ---- conversion ---- */

static gfp_status take_z_import(const gfp_host *host, gfp_zvec *z, const gfp_fmpz *x, size_t n,
                                size_t bits)
{
    const size_t width = gfp_z_width(bits);
    GFP_TRY(gfp_zvec_reserve(z, n, width));
    for (size_t i = 0; i < n; i++) {
        host->get_signed_ui_array((gfp_ulong *)z->limbs + i * width, (gfp_slong)width, x + i);
    }
    return GFP_OK;
}

/* result := coefficients first <= i < end of c. */
static void take_z_export(const gfp_job *job, const gfp_zvec *c)
{
    const size_t end = gfp_size_min(c->len, job->end);
    size_t n = 0;
    for (size_t i = job->first; i < end; i++, n++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, c, i);
        job->host->set_signed_ui_array(job->result + n, (const gfp_ulong *)x, (gfp_slong)width);
    }
    job->host->vec_zero(job->result + n, (gfp_slong)(job->end - job->first - n));
}

/* ---- the product ---- */

static bool is_square(const gfp_job *job)
{
    return job->a == job->b && job->len_a == job->len_b;
}

static gfp_status take_z_run(void *user)
{
    area *in = user;
    return gfp_zvec_mul(&in->c, &in->a, in->square ? &in->a : &in->b, &in->options);
}

static gfp_status multiply_in(area *in, const gfp_job *job, const gfp_job_size *size,
                              const gfp_options *options)
{
    in->square = is_square(job);
    in->options = *options;
    GFP_TRY(take_z_import(job->host, &in->a, job->a, job->len_a, size->bits_a));
    if (!in->square) {
        GFP_TRY(take_z_import(job->host, &in->b, job->b, job->len_b, size->bits_b));
    }
    GFP_TRY(gfp_apart(take_z_run, in, &in->options));
    take_z_export(job, &in->c);
    return GFP_OK;
}

typedef struct product {
    gfp_zring *ring;
    const gfp_job *job;
    const gfp_job_size *size;
} product;

static gfp_status take_z_multiply(void *user, const gfp_options *options)
{
    const product *p = user;
    area *in = take_area(p->ring);
    if (in == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = multiply_in(in, p->job, p->size, options);
    give_area(in);
    return status;
}

/* Of the longer factor first. */
static gfp_job_size take_z_measure(const gfp_job *job)
{
    gfp_job_size size = {.len_a = job->len_a, .len_b = job->len_b, .first = job->first};
    size.square = is_square(job);
    size.bits_a = gfp_flint_bits(job->a, job->len_a, LONG_MAX);
    size.bits_b = size.square ? size.bits_a : gfp_flint_bits(job->b, job->len_b, LONG_MAX);
    size.end = gfp_size_min(job->end, size.len_a + size.len_b - 1);
    return size;
}

static bool try_z(const gfp_job *job)
{
    const gfp_job_size size = take_z_measure(job);
    if (size.bits_a == 0 || size.bits_b == 0 || size.first >= size.end) {
        return false;
    }
    gfp_zring *ring = ring_of_process();
    if (ring == NULL) {
        return false;
    }
    const gfp_decision decision = gfp_decide_z(job->host, ring, &size);
    product p = {ring, job, &size};
    return decision.take && gfp_compute(take_z_multiply, &p, job->host, decision.ns);
}

bool gfp_take_z(const gfp_job *job)
{
    gfp_job ordered = *job;
    if (job->len_a < job->len_b) {
        ordered.a = job->b;
        ordered.b = job->a;
        ordered.len_a = job->len_b;
        ordered.len_b = job->len_a;
    }
    ordered.len_a = gfp_size_min(ordered.len_a, job->end);
    ordered.len_b = gfp_size_min(ordered.len_b, job->end);
    const bool taken = try_z(&ordered);
    gfp_count_add(taken ? GFP_COUNT_Z : GFP_COUNT_Z_PASSED);
    return taken;
}
