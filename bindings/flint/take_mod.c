/* take_mod.c: products modulo p = r^k + 1.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "decision.h"
#include "job.h"
#include "modulus.h"
#include "mul.h"
#include "settings.h"
#include "support.h"
#include "work.h"

/* The words of a buffer on the stack that coefficients pass through, a chunk at a time. */
#define CHUNK_WORDS 2048

static bool step(void *user, double fraction)
{
    (void)fraction;
    return !gfp_shield_waiting(user);
}

/* z := n elements. Errors: RANGE (a coefficient is not below p). */
static gfp_status import(const gfp_host *host, const gfp_field *field, uint64_t *z,
                         const gfp_fmpz *x, size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    const gfp_slong bits = host->max_bits(x, (gfp_slong)n);
    if (bits < 0 || (size_t)bits > 64 * limbs) {
        return GFP_ERR_RANGE;
    }
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        for (size_t j = 0; j < count; j++) {
            host->get_ui_array((gfp_ulong *)chunk + j * limbs, (gfp_slong)limbs, x + i + j);
        }
        GFP_TRY(gfp_vec_set_limbs(field, z + i * k, chunk, limbs, limbs, count, NULL));
    }
    return GFP_OK;
}

static void export(const gfp_host *host, const gfp_field *field, gfp_fmpz *z, const uint64_t *x,
                   size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        gfp_vec_get_limbs(field, chunk, limbs, x + i * k, count);
        for (size_t j = 0; j < count; j++) {
            host->set_ui_array(z + i + j, (const gfp_ulong *)chunk + j * limbs, (gfp_slong)limbs);
        }
    }
}

/* The product in the area, which holds factors and result. */
static gfp_status multiply_in(uint64_t *area, const gfp_job *job, const gfp_field *field,
                              const gfp_options *options)
{
    gfp_mul w;
    const size_t k = gfp_field_k(field);
    const bool square = job->a == job->b && job->len_a == job->len_b;
    uint64_t *b = square ? area : area + job->len_a * k;
    GFP_TRY(import(job->host, field, area, job->a, job->len_a));
    if (!square) {
        GFP_TRY(import(job->host, field, b, job->b, job->len_b));
    }
    uint64_t *c = b + job->len_b * k;
    const gfp_range range = {field, area, b, job->len_a, job->len_b, job->first, job->end};
    GFP_TRY(gfp_mul_begin(&w, NULL, &range, options));
    size_t n = 0;
    if (!w.product.nothing) {
        GFP_TRY(gfp_mul_run(&w, c));
        n = w.len;
    }
    export(job->host, field, job->result, c, n);
    job->host->vec_zero(job->result + n, (gfp_slong)(job->end - job->first - n));
    return GFP_OK;
}

static gfp_status multiply(const gfp_job *job, const gfp_field *field, const gfp_options *options)
{
    gfp_work work;
    size_t words;
    if (!gfp_size_add(&words, job->len_a, job->len_b) || !gfp_size_mul(&words, words, 2) ||
        !gfp_size_mul(&words, words, gfp_field_k(field))) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_work_take(&work, field, words));
    const gfp_status status = multiply_in(work.words, job, field, options);
    gfp_work_give(&work, field);
    return status;
}

/* Factors without coefficients that do not matter, and the size. */
static gfp_job_size measure(const gfp_job *job, size_t bits)
{
    gfp_job_size size = {.len_a = job->len_a, .len_b = job->len_b, .first = job->first};
    if (size.len_a < size.len_b) {
        size.len_a = job->len_b;
        size.len_b = job->len_a;
    }
    size.end = gfp_size_min(job->end, size.len_a + size.len_b - 1);
    size.bits_a = size.bits_b = bits;
    size.square = job->a == job->b && job->len_a == job->len_b;
    return size;
}

/* Computes; a product that a signal interrupts begins again, and then ends. */
static bool compute(const gfp_job *job, const gfp_field *field, double ns)
{
    gfp_shield shield;
    const gfp_progress progress = {step, &shield};
    gfp_options options = {.size = sizeof options, .threads = gfp_job_threads(job, ns)};
    options.progress = ns > GFP_LONG_NS && !gfp_shield_is_up() ? &progress : NULL;
    gfp_shield_raise(&shield);
    gfp_status status = multiply(job, field, &options);
    gfp_shield_lower(&shield);
    if (status == GFP_ERR_CANCELLED) {
        gfp_count_add(GFP_COUNT_STOPPED);
        options.progress = NULL;
        gfp_shield_raise(&shield);
        status = multiply(job, field, &options);
        gfp_shield_lower(&shield);
    }
    return status == GFP_OK;
}

static bool try_mod(const gfp_job *job, gfp_known *known)
{
    const gfp_job_size size = measure(job, gfp_known_bits(known));
    const gfp_field *field = gfp_known_field(known, 0);
    if (field == NULL) {
        field = gfp_known_field(known, gfp_decision_flint_mod(job->host, &size));
    }
    if (field == NULL || size.first >= size.end) {
        return false;
    }
    const gfp_decision decision = gfp_decide_mod(job->host, field, &size);
    return decision.take && compute(job, field, decision.ns);
}

bool gfp_take_mod(const gfp_job *job)
{
    gfp_known *known = gfp_known_modulus(job->host, job->p);
    if (known == NULL) {
        return false;
    }
    const bool taken = try_mod(job, known);
    gfp_count_add(taken ? GFP_COUNT_MOD : GFP_COUNT_MOD_PASSED);
    return taken;
}
