/* word_vec.c: products of polynomials modulo a word: over Z, then modulo q.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/wvec.h"

#include <string.h>

#include "field/base/options.h"
#include "field/base/parallel.h"
#include "product/pipeline.h"
#include "field/base/word.h"
#include "gpu/word_products.h"
#include "modular/mul/methods.h"
#include "modular/vec.h"

/* ---- reduction ---- */

/* Numbers of up to three limbs, not negative, modulo q <= 2^63. */
typedef struct reduction {
    const gfp_zvec *z;
    uint64_t *c;
    gfp_divisor q;
    uint64_t powers[2]; /* 2^64 and 2^128 modulo q */
} reduction;

/* x modulo q. */
static uint64_t reduce_wide(const gfp_divisor *q, gfp_u128 x)
{
    uint64_t high = gfp_hi64(x), low;
    if (high >= q->value) { /* rare for sums of word_vec_reduce */
        high %= q->value;
    }
    (void)gfp_div_wide(q, gfp_join(high, (uint64_t)x), &low);
    return low;
}

static void reduction_init(reduction *r, uint64_t q)
{
    *r = (reduction){.z = NULL};
    gfp_divisor_init(&r->q, q);
    r->powers[0] = reduce_wide(&r->q, (gfp_u128)1 << 64);
    r->powers[1] = reduce_wide(&r->q, gfp_mul_wide(r->powers[0], r->powers[0]));
}

/* Sums of fewer than 2^61 products below 2^126: less than 2^187, the third limb is below 2^59. The
 * sum is below 2^64 + 2^64 2^63 + 2^59 2^63 < 2^128.
 */
static uint64_t word_vec_reduce(const reduction *r, const uint64_t *x, size_t width)
{
    gfp_u128 sum = x[0];
    sum += width > 1 ? gfp_mul_wide(x[1], r->powers[0]) : 0;
    sum += width > 2 ? gfp_mul_wide(x[2], r->powers[1]) : 0;
    return reduce_wide(&r->q, sum);
}

static gfp_status reduce_some(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const reduction *r = job;
    (void)worker, (void)task;
    for (size_t i = from; i < to; i++) {
        r->c[i] = word_vec_reduce(r, gfp_zvec_at(r->z, i), r->z->width);
    }
    return GFP_OK;
}

/* Numbers that a thread reduces at once: some microseconds. */
#define CHUNK 4096

/* c := z modulo q, with zeros up to len. */
static void reduce_all(uint64_t *c, size_t len, const gfp_zvec *z, uint64_t q, unsigned threads)
{
    reduction r;
    const gfp_parallel loop = {.run = reduce_some, .job = &r};
    gfp_task task;
    reduction_init(&r, q);
    r.z = z;
    r.c = c;
    gfp_task_start(&task, NULL);
    task.threads = threads;
    (void)gfp_parallel_for(&loop, &task, z->len, CHUNK); /* the body cannot fail */
    memset(c + z->len, 0, (len - z->len) * sizeof *c);
}

/* ---- short products ---- */

/* The most coefficients of the factors for the definition: 2 ms, without progress. */
#define DIRECT 32
#define DIRECT_LONGER 65536

/* A sum of up to 2^64 products of two words below 2^63, in three words. */
typedef struct sum {
    gfp_u128 low;
    uint64_t high;
} sum;

/* c := a b modulo q by the definition; c may be a. */
static void multiply_direct(uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                            size_t len_b, uint64_t q)
{
    reduction r;
    reduction_init(&r, q);
    for (size_t i = len_a + len_b - 1; i-- > 0;) { /* reads a_j, j <= i: c may be a */
        const size_t first = i < len_b ? 0 : i - len_b + 1, last = i < len_a ? i : len_a - 1;
        sum s = {0, 0};
        for (size_t j = first; j <= last; j++) {
            const gfp_u128 t = gfp_mul_wide(a[j], b[i - j]);
            s.low += t;
            s.high += s.low < t;
        }
        const uint64_t limbs[] = {(uint64_t)s.low, gfp_hi64(s.low), s.high};
        c[i] = word_vec_reduce(&r, limbs, 3);
    }
}

/* c may be a or b. */
static void multiply_short(uint64_t *c, const uint64_t *a, size_t len_a, const uint64_t *b,
                           size_t len_b, uint64_t q)
{
    uint64_t copy[DIRECT];
    /* The longer factor comes first, and may be c; the shorter one is a copy. */
    if (len_a < len_b) {
        multiply_short(c, b, len_b, a, len_a, q);
        return;
    }
    memcpy(copy, b, len_b * sizeof *b);
    multiply_direct(c, a, len_a, copy, len_b, q);
}

/* ---- on a device ---- */

#define DEVICE_METHOD "words_gpu"

static bool names_device(const gfp_options *options)
{
    return options->method != NULL && strcmp(options->method, DEVICE_METHOD) == 0;
}

/* c := all products of the run, on the device of the options. */
static gfp_status run_on_device(gfp_zring *ring, const gfp_wvec_products *p, uint64_t *c,
                                const gfp_options *options)
{
    const gfp_options where = {.gpu_device = options->gpu_device,
                               .gpu_memory_cap = options->gpu_memory_cap,
                               .error = options->error};
    gfp_gpu_word_products *plan = NULL;
    gfp_gpu *gpu = NULL;
    GFP_TRY(gfp_gpu_create(&gpu, &ring->allocator, &where));
    gfp_status status = gfp_gpu_word_products_create(&plan, gpu, p->len_a, p->len_b, p->count);
    if (status == GFP_OK) {
        status =
            gfp_gpu_word_products_run(plan, &(gfp_gpu_word_run){c, p->a, p->b, p->q, p->count});
    }
    if (status != GFP_OK) {
        (void)gfp_error_set(options->error, status, "method " DEVICE_METHOD ": %.200s",
                            gfp_gpu_last_error(gpu)->message);
    }
    gfp_gpu_word_products_destroy(plan);
    gfp_gpu_destroy(gpu);
    return status;
}

/* Whether the products c are those of the CPU; fills the report. Errors: VERIFY. */
static gfp_status check_on_cpu(gfp_zring *ring, const gfp_wvec_products *p, const uint64_t *c,
                               const gfp_options *options, gfp_report *report)
{
    const size_t len = p->len_a + p->len_b - 1;
    gfp_options plain = *options;
    uint64_t *again = gfp_allocate(&ring->allocator, len, sizeof *again);
    gfp_status status = again != NULL ? GFP_OK
                                      : gfp_error_set(options->error, GFP_ERR_MEMORY,
                                                      "no memory for %zu residues", len);
    const uint64_t start = gfp_clock_ns();
    plain.method = NULL;
    plain.verify = GFP_VERIFY_NONE;
    plain.report = NULL;
    plain.progress = NULL;
    for (size_t i = 0; i < p->count && status == GFP_OK; i++) {
        status = gfp_wvec_mul(ring, again, p->a + i * p->len_a, p->len_a, p->b + i * p->len_b,
                              p->len_b, p->q[i], &plain);
        if (status == GFP_OK && memcmp(again, c + i * len, len * sizeof *again) != 0) {
            status = gfp_error_set_at(options->error, GFP_ERR_VERIFY, i,
                                      "product %zu by " DEVICE_METHOD " is wrong", i);
        }
    }
    gfp_release(&ring->allocator, again, len, sizeof *again);
    report->verified = GFP_VERIFY_CROSS;
    report->cross_method = "auto";
    report->verify_ns = gfp_clock_ns() - start;
    return status;
}

/* The products go to memory of their own first: c is unchanged after an error, and may be a or b.
 */
static gfp_status multiply_on_device(gfp_zring *ring, const gfp_wvec_products *p,
                                     const gfp_options *options)
{
    const size_t words = p->count * (p->len_a + p->len_b - 1);
    gfp_report report = {.method = DEVICE_METHOD, .verified = GFP_VERIFY_NONE, .threads = 1};
    uint64_t *c = gfp_allocate(&ring->allocator, words, sizeof *c);
    const uint64_t start = gfp_clock_ns();
    gfp_status status = c != NULL ? run_on_device(ring, p, c, options)
                                  : gfp_error_set(options->error, GFP_ERR_MEMORY,
                                                  "no memory for %zu residues", words);
    report.multiply_ns = gfp_clock_ns() - start;
    if (status == GFP_OK && options->verify != GFP_VERIFY_NONE) {
        status = check_on_cpu(ring, p, c, options, &report);
    }
    if (status == GFP_OK) {
        memcpy(p->c, c, words * sizeof *c);
    }
    if (options->report != NULL && (status == GFP_OK || status == GFP_ERR_VERIFY)) {
        *options->report = report;
    }
    gfp_release(&ring->allocator, c, words, sizeof *c);
    return status;
}

/* ---- one product ---- */

/* Errors: RANGE. */
static gfp_status check_factor(const uint64_t *x, size_t len, uint64_t q, char name,
                               gfp_error *error)
{
    for (size_t i = 0; i < len; i++) {
        if (x[i] >= q) {
            return gfp_error_set_at(error, GFP_ERR_RANGE, i,
                                    "coefficient %zu of %c, %llu, is not below the modulus %llu", i,
                                    name, (unsigned long long)x[i], (unsigned long long)q);
        }
    }
    return GFP_OK;
}

static gfp_status check_modulus(uint64_t q, gfp_error *error)
{
    return q >= 1 && q <= (uint64_t)1 << 63
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_ARGUMENT, "the modulus %llu is not in [1, 2^63]",
                               (unsigned long long)q);
}

static size_t bits_of(uint64_t q)
{
    return q > 1 ? 64 - gfp_clz64(q - 1) : 1;
}

/* Takes the product over Z from the cap. Errors: SIZE, MEMORY. */
static gfp_status take_product(gfp_options *options, size_t len, size_t terms, uint64_t q)
{
    const size_t width = gfp_z_width(2 * bits_of(q) + bits_of(terms));
    size_t bytes;
    if (!gfp_size_mul(&bytes, len, width * sizeof(uint64_t))) {
        return gfp_error_set(options->error, GFP_ERR_SIZE, "a product of %zu residues is too long",
                             len);
    }
    if (options->memory_cap != 0 && bytes >= options->memory_cap) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "a product of %zu residues needs more than %zu bytes", len,
                             options->memory_cap);
    }
    options->memory_cap -= options->memory_cap == 0 ? 0 : bytes;
    return GFP_OK;
}

static bool is_direct(size_t len_a, size_t len_b)
{
    return len_a < len_b ? len_a <= DIRECT && len_b <= DIRECT_LONGER
                         : len_b <= DIRECT && len_a <= DIRECT_LONGER;
}

/* The product of factors that are not empty and have been checked. options: a copy of the
 * caller's. */
static gfp_status word_vec_multiply(gfp_zring *ring, uint64_t *c, const uint64_t *a, size_t len_a,
                                    const uint64_t *b, size_t len_b, uint64_t q,
                                    gfp_options options)
{
    /* Vectors of width 1 that only read the caller's words, all below 2^63. */
    const gfp_zvec factors[] = {{ring, (uint64_t *)a, len_a, 1, len_a},
                                {ring, (uint64_t *)b, len_b, 1, len_b}};
    const size_t len = len_a + len_b - 1;
    gfp_zvec product;
    if (is_direct(len_a, len_b) && gfp_options_auto(&options) &&
        options.verify == GFP_VERIFY_NONE) {
        const uint64_t start = gfp_clock_ns();
        multiply_short(c, a, len_a, b, len_b, q);
        if (options.report != NULL) {
            *options.report = (gfp_report){.method = "classical",
                                           .verified = GFP_VERIFY_NONE,
                                           .threads = 1,
                                           .multiply_ns = gfp_clock_ns() - start};
        }
        return GFP_OK;
    }
    GFP_TRY(take_product(&options, len, gfp_size_min(len_a, len_b), q));
    gfp_zvec_init(&product, ring);
    const gfp_status status = gfp_zvec_mul(&product, &factors[0], &factors[1], &options);
    if (status == GFP_OK) {
        reduce_all(c, len, &product, q, gfp_zmul_threads(ring, options.threads));
    }
    gfp_zvec_clear(&product);
    return status;
}

/* Checks what a call has in common for all of its products. Errors: ARGUMENT, SIZE. */
static gfp_status check_call(const gfp_zring *ring, bool arrays, size_t len_a, size_t len_b,
                             gfp_error *error)
{
    size_t len;
    if (ring == NULL || !arrays) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "a product modulo a word: an argument is NULL");
    }
    return gfp_size_add(&len, len_a, len_b) && len <= SIZE_MAX / sizeof(uint64_t)
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_SIZE, "a product of %zu and %zu residues is too long",
                               len_a, len_b);
}

gfp_status gfp_wvec_mul(gfp_zring *ring, uint64_t *c, const uint64_t *a, size_t len_a,
                        const uint64_t *b, size_t len_b, uint64_t q, const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    const bool empty = len_a == 0 || len_b == 0;
    GFP_TRY(check_call(ring, empty || (c != NULL && a != NULL && b != NULL), len_a, len_b,
                       options->error));
    GFP_TRY(check_modulus(q, options->error));
    GFP_TRY(check_factor(a, empty ? 0 : len_a, q, 'a', options->error));
    GFP_TRY(check_factor(b, empty ? 0 : len_b, q, 'b', options->error));
    if (!empty && names_device(options)) {
        return multiply_on_device(ring, &(gfp_wvec_products){c, a, b, len_a, len_b, &q, 1},
                                  options);
    }
    return empty ? GFP_OK : word_vec_multiply(ring, c, a, len_a, b, len_b, q, *options);
}

/* ---- many ---- */

/* Adds to the message which product it is about. */
static gfp_status name_product(gfp_status status, size_t i, gfp_error *error)
{
    if (status != GFP_OK && error != NULL) {
        const gfp_error first = *error;
        return gfp_error_set_at(error, status, i, "product %zu: %.200s", i, first.message);
    }
    return status;
}

/* Progress of a product inside: a share of the whole call's. */
typedef struct batch_progress {
    const gfp_progress *outer; /* may be NULL */
    size_t done, count;
    uint64_t reported_ns; /* the time of the last report */
} batch_progress;

static bool word_vec_report(void *user, double fraction)
{
    batch_progress *h = user;
    h->reported_ns = gfp_clock_ns();
    return h->outer->step(h->outer->user, ((double)h->done + fraction) / (double)h->count);
}

/* Short products do not report their progress themselves. */
#define REPORT_NS 200000

/* A product is done. Returns false if the call is cancelled. */
static bool report_end(batch_progress *h)
{
    const bool due = h->outer != NULL && gfp_clock_ns() - h->reported_ns >= REPORT_NS;
    return !due || word_vec_report(h, 1);
}

/* The words of a product from which on several threads pay in a batch. */
#define THREADS_FROM ((size_t)1 << 16)

static gfp_status multiply_each(gfp_zring *ring, const gfp_wvec_products *p,
                                const gfp_options *options)
{
    const size_t len = p->len_a + p->len_b - 1;
    batch_progress h = {options->progress, 0, p->count, gfp_clock_ns()};
    const gfp_progress inside = {.step = word_vec_report, .user = &h};
    gfp_report report = {.verified = GFP_VERIFY_NONE, .threads = 1}, all = report;
    gfp_options each = *options;
    each.progress = options->progress != NULL ? &inside : NULL;
    /* Products follow one another: a short one would lose more by starting threads than it gains.
     */
    each.threads = len < THREADS_FROM ? 1 : options->threads;
    each.report = &report;
    for (; h.done < p->count; h.done++) {
        const size_t i = h.done;
        GFP_TRY(name_product(word_vec_multiply(ring, p->c + i * len, p->a + i * p->len_a, p->len_a,
                                               p->b + i * p->len_b, p->len_b, p->q[i], each),
                             i, options->error));
        report.multiply_ns += all.multiply_ns;
        report.verify_ns += all.verify_ns;
        all = report;
        if (!report_end(&h)) {
            return gfp_error_set(options->error, GFP_ERR_CANCELLED,
                                 "cancelled by the caller's progress callback");
        }
    }
    if (options->report != NULL) {
        *options->report = all;
    }
    return GFP_OK;
}

/* Errors: ARGUMENT, SIZE. */
static gfp_status check_products(const gfp_zring *ring, const gfp_wvec_products *p,
                                 gfp_error *error)
{
    size_t words;
    if (p == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "products modulo words: an argument is NULL");
    }
    GFP_TRY(check_call(ring, p->c != NULL && p->a != NULL && p->b != NULL && p->q != NULL, p->len_a,
                       p->len_b, error));
    return gfp_size_mul(&words, p->count, (p->len_a + p->len_b) * sizeof(uint64_t))
               ? GFP_OK
               : gfp_error_set(error, GFP_ERR_SIZE,
                               "%zu products of %zu and %zu residues are too many", p->count,
                               p->len_a, p->len_b);
}

gfp_status gfp_wvec_mul_batch(gfp_zring *ring, const gfp_wvec_products *p,
                              const gfp_options *options)
{
    gfp_options copy;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (p != NULL && ring != NULL && (p->count == 0 || p->len_a == 0 || p->len_b == 0)) {
        return GFP_OK;
    }
    GFP_TRY(check_products(ring, p, options->error));
    for (size_t i = 0; i < p->count; i++) {
        gfp_status status = check_modulus(p->q[i], options->error);
        if (status == GFP_OK) {
            status = check_factor(p->a + i * p->len_a, p->len_a, p->q[i], 'a', options->error);
        }
        if (status == GFP_OK) {
            status = check_factor(p->b + i * p->len_b, p->len_b, p->q[i], 'b', options->error);
        }
        GFP_TRY(name_product(status, i, options->error));
    }
    return names_device(options) ? multiply_on_device(ring, p, options)
                                 : multiply_each(ring, p, options);
}
