/* product.c: see product.h. What a computation holds is given back by the compiler's cleanups, also
 * where a host's function throws.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product.h"

#include "gfpoly/elem.h"
#include "mul.h"
#include "settings.h"
#include "shield.h"
#include "support.h"
#include "work.h"

/* From this predicted time on a product looks for signals. */
#define LONG_NS 1e7

static bool step(void *user, double fraction)
{
    (void)fraction;
    return !gfp_shield_waiting(user);
}

static unsigned threads_of(const gfp_host *host, double ns)
{
    /* Threads are started for each loop. */
    const double worth = ns / 1e6;
    const int allowed = gfp_host_threads(host);
    const double threads = worth < allowed ? worth : allowed;
    return threads < 2 ? 1 : threads > 64 ? 64 : (unsigned)threads;
}

static gfp_status shielded(gfp_computation *function, void *user, unsigned threads, bool stops)
{
    __attribute__((cleanup(gfp_shield_lower))) gfp_shield shield;
    const gfp_progress progress = {step, &shield};
    gfp_options options = {.size = sizeof options, .threads = threads};
    options.progress = stops && !gfp_shield_is_up() ? &progress : NULL;
    gfp_shield_raise(&shield);
    return function(user, &options);
}

bool gfp_compute(gfp_computation *function, void *user, const gfp_host *host, double ns)
{
    const unsigned threads = threads_of(host, ns);
    gfp_status status = shielded(function, user, threads, ns > LONG_NS);
    if (status == GFP_ERR_CANCELLED) {
        gfp_count_add(GFP_COUNT_STOPPED);
        status = shielded(function, user, threads, false);
    }
    return status == GFP_OK;
}

/* ---- modulo p ---- */

typedef struct job {
    const gfp_product_mod *product;
    const gfp_field *field;
} job;

typedef struct area {
    gfp_work work;
    const gfp_field *field;
} area;

static void give(area *a)
{
    gfp_work_give(&a->work, a->field);
}

/* The words of a buffer on the stack that coefficients pass through. */
#define CHUNK_WORDS 2048

/* z := a factor. Errors: RANGE (a coefficient is not below p). */
static gfp_status import(const gfp_product_mod *p, const gfp_field *field, uint64_t *z, bool second)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), n = second ? p->len_b : p->len_a;
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        if (!p->get(p->user, chunk, limbs, second, i, count)) {
            return GFP_ERR_RANGE;
        }
        GFP_TRY(
            gfp_vec_set_limbs(field, z + i * gfp_field_k(field), chunk, limbs, limbs, count, NULL));
    }
    return GFP_OK;
}

/* The result := n elements. */
static void export(const gfp_product_mod *p, const gfp_field *field, const uint64_t *z, size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    while (n > 0 && gfp_elem_is_zero(field, z + (n - 1) * k)) {
        n--;
    }
    p->resize(p->user, n);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        gfp_vec_get_limbs(field, chunk, limbs, z + i * k, count);
        p->set(p->user, chunk, limbs, i, count);
    }
}

/* The product in an area, which holds factors and result. */
static gfp_status multiply_in(uint64_t *words, const gfp_product_mod *p, const gfp_field *field,
                              const gfp_options *options)
{
    gfp_mul w;
    const size_t k = gfp_field_k(field);
    uint64_t *b = p->square ? words : words + p->len_a * k;
    GFP_TRY(import(p, field, words, false));
    if (!p->square) {
        GFP_TRY(import(p, field, b, true));
    }
    uint64_t *c = b + p->len_b * k;
    const gfp_range range = {field, words, b, p->len_a, p->len_b, p->first, p->end};
    GFP_TRY(gfp_mul_begin(&w, NULL, &range, options));
    size_t n = 0;
    if (!w.product.nothing) {
        GFP_TRY(gfp_mul_run(&w, c));
        n = w.len;
    }
    export(p, field, c, n);
    return GFP_OK;
}

static gfp_status multiply(void *user, const gfp_options *options)
{
    const job *j = user;
    const gfp_product_mod *p = j->product;
    size_t words;
    gfp_work work;
    if (!gfp_size_add(&words, p->len_a, p->len_b) || !gfp_size_mul(&words, words, 2) ||
        !gfp_size_mul(&words, words, gfp_field_k(j->field))) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_work_take(&work, j->field, words));
    __attribute__((cleanup(give))) area a = {work, j->field};
    return multiply_in(a.work.words, p, j->field, options);
}

static gfp_job_size size_of(const gfp_product_mod *p, size_t bits)
{
    gfp_job_size size = {.len_a = p->len_a, .len_b = p->len_b, .first = p->first};
    if (size.len_a < size.len_b) {
        size.len_a = p->len_b;
        size.len_b = p->len_a;
    }
    size.end = gfp_size_min(p->end, size.len_a + size.len_b - 1);
    size.bits_a = size.bits_b = bits;
    size.square = p->square;
    return size;
}

static bool attempt(const gfp_product_mod *p, gfp_known *known)
{
    const gfp_job_size size = size_of(p, gfp_known_bits(known));
    const gfp_field *field = gfp_known_field(known, 0);
    if (field == NULL) {
        field = gfp_known_field(known, gfp_host_mod_ns(p->host, &size));
    }
    if (field == NULL || size.first >= size.end) {
        return false;
    }
    const gfp_decision decision = gfp_decide_mod(p->host, field, &size);
    job j = {p, field};
    return decision.take && gfp_compute(multiply, &j, p->host, decision.ns);
}

bool gfp_product_take(const gfp_product_mod *product, gfp_known *known)
{
    const bool taken = attempt(product, known);
    gfp_count_add(taken ? GFP_COUNT_MOD : GFP_COUNT_MOD_PASSED);
    return taken;
}
