/* product.c: see product.h. What a computation holds is given back by the compiler's cleanups, also
 * where a host's function throws.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/product.h"

#include "bindings/preload/apart.h"
#include "gfpoly/elem.h"
#include "bindings/preload/held.h"
#include "product/mul.h"
#include "bindings/preload/settings.h"
#include "field/base/support.h"
#include "field/base/work.h"

static unsigned threads_of(const gfp_host *host, double ns)
{
    /* Threads are started for each loop. */
    const double worth = ns / 1e6;
    const int allowed = gfp_host_threads(host);
    const double threads = worth < allowed ? worth : allowed;
    return threads < 2 ? 1 : threads > 64 ? 64 : (unsigned)threads;
}

bool gfp_compute(gfp_computation *function, void *user, const gfp_host *host, double ns)
{
    /* The host's own results are not checked either, and its times are compared without checks. */
    const gfp_options options = {
        .size = sizeof options, .verify = GFP_VERIFY_NONE, .threads = threads_of(host, ns)};
    __attribute__((cleanup(gfp_held_end))) gfp_frame frame;
    gfp_held_begin(&frame);
    return function(user, &options) == GFP_OK;
}

/* ---- modulo p ---- */

typedef struct mod_call {
    const gfp_job_mod *job;
    const gfp_field *field;
} mod_call;

static gfp_status product_compute(void *user, const gfp_options *options)
{
    const mod_call *call = user;
    return call->job->compute(call->job->user, call->field, options);
}

static bool product_attempt(const gfp_job_mod *job, gfp_known *known)
{
    gfp_job_mod copy = *job;
    gfp_job_size *size = &copy.size;
    size->bits = gfp_known_bits(known);
    const gfp_field *field = gfp_known_field(known, 0);
    if (field == NULL) {
        field = gfp_known_field(known, size->kind->host_ns(job->host, size));
    }
    if (field == NULL || size->first >= size->end) {
        return false;
    }
    const gfp_decision decision = gfp_decide_mod(job->host, field, size);
    mod_call call = {&copy, field};
    return decision.take && gfp_compute(product_compute, &call, job->host, decision.ns);
}

bool gfp_job_take(const gfp_job_mod *job, gfp_known *known)
{
    const bool taken = product_attempt(job, known);
    gfp_count_add(taken ? job->size.kind->taken : job->size.kind->passed);
    return taken;
}

/* ---- coefficients ---- */

/* The words of a buffer on the stack that coefficients pass through. */
#define CHUNK_WORDS 2048

gfp_status gfp_passage_import(const gfp_passage *passage, const gfp_field *field, uint64_t *z,
                              bool second, size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        if (!passage->get(passage->user, chunk, limbs, second, i, count)) {
            return GFP_ERR_RANGE;
        }
        GFP_TRY(
            gfp_vec_set_limbs(field, z + i * gfp_field_k(field), chunk, limbs, limbs, count, NULL));
    }
    return GFP_OK;
}

void gfp_passage_export(const gfp_passage *passage, const gfp_field *field, const uint64_t *z,
                        size_t n)
{
    uint64_t chunk[CHUNK_WORDS];
    const size_t limbs = gfp_field_limbs(field), k = gfp_field_k(field);
    while (n > 0 && gfp_elem_is_zero(field, z + (n - 1) * k)) {
        n--;
    }
    passage->resize(passage->user, n);
    for (size_t i = 0; i < n; i += CHUNK_WORDS / limbs) {
        const size_t count = gfp_size_min(n - i, CHUNK_WORDS / limbs);
        gfp_vec_get_limbs(field, chunk, limbs, z + i * k, count);
        passage->set(passage->user, chunk, limbs, i, count);
    }
}

/* ---- products ---- */

typedef struct area {
    gfp_work work;
    const gfp_field *field;
} area;

static void product_give(area *a)
{
    gfp_work_give(&a->work, a->field);
}

/* The head of an area: what the computation reads, apart from factors and result behind the head.
 */
typedef struct head {
    gfp_options options;
    gfp_range range;
    gfp_mul mul;
    uint64_t *c;
    size_t n; /* coefficients of the result */
} head;
#define HEAD_WORDS ((sizeof(head) + 63) / 64 * 8)

static gfp_status product_run(void *user)
{
    head *h = user;
    gfp_call *call = &h->mul.product.base;
    GFP_TRY(gfp_call_begin(call, "product", &h->options));
    gfp_status status = gfp_mul_plan(&h->mul, NULL, &h->range);
    h->n = 0;
    if (status == GFP_OK && !h->mul.product.nothing) {
        status = gfp_mul_run(&h->mul, h->c);
        h->n = h->mul.len;
    }
    return gfp_call_end(call, status);
}

static gfp_status multiply_in(uint64_t *words, const gfp_product_mod *p, const gfp_field *field,
                              const gfp_options *options)
{
    head *h = (head *)(void *)words;
    const size_t k = gfp_field_k(field);
    uint64_t *a = words + HEAD_WORDS, *b = p->square ? a : a + p->len_a * k;
    GFP_TRY(gfp_passage_import(&p->passage, field, a, false, p->len_a));
    if (!p->square) {
        GFP_TRY(gfp_passage_import(&p->passage, field, b, true, p->len_b));
    }
    h->options = *options;
    h->range = gfp_range_make(field, a, b, p->len_a, p->len_b, p->first, p->end);
    h->c = b + p->len_b * k;
    GFP_TRY(gfp_apart(product_run, h, &h->options));
    gfp_passage_export(&p->passage, field, h->c, h->n);
    return GFP_OK;
}

static gfp_status product_multiply(void *user, const gfp_field *field, const gfp_options *options)
{
    const gfp_product_mod *p = user;
    size_t words;
    gfp_work work;
    if (!gfp_size_add(&words, p->len_a, p->len_b) || !gfp_size_mul(&words, words, 2) ||
        !gfp_size_mul(&words, words, gfp_field_k(field)) ||
        !gfp_size_add(&words, words, HEAD_WORDS)) {
        return GFP_ERR_SIZE;
    }
    GFP_TRY(gfp_work_take(&work, field, words));
    __attribute__((cleanup(product_give))) area a = {work, field};
    return multiply_in(a.work.words, p, field, options);
}

static const gfp_job_kind product_kind = {GFP_COUNT_MOD, GFP_COUNT_MOD_PASSED,
                                          gfp_decision_product_ns, gfp_host_mod_ns};

static gfp_job_size size_of(const gfp_product_mod *p)
{
    gfp_job_size size = {.kind = &product_kind,
                         .len_a = p->len_a,
                         .len_b = p->len_b,
                         .bits_a = p->bits_a,
                         .bits_b = p->bits_b,
                         .first = p->first};
    if (size.len_a < size.len_b) {
        size.len_a = p->len_b;
        size.len_b = p->len_a;
        size.bits_a = p->bits_b;
        size.bits_b = p->bits_a;
    }
    size.end = gfp_size_min(p->end, size.len_a + size.len_b - 1);
    size.square = p->square;
    return size;
}

bool gfp_product_take(const gfp_product_mod *product, gfp_known *known)
{
    gfp_product_mod copy = *product;
    const gfp_job_mod job = {product->host, size_of(product), &copy, product_multiply};
    return gfp_job_take(&job, known);
}
