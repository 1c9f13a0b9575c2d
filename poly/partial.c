/* partial.c: parts of products: coefficients first <= i < end of a b, by every method: directly by
 * classical and Karatsuba's, in a shorter ring by the transforms, else out of the whole product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "crt.h"
#include "gfpoly/operand.h"
#include "gpu_methods.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"

static bool is(const gfp_method *method, const char *name)
{
    return strcmp(method->name, name) == 0;
}

static bool is_whole(const gfp_range *r)
{
    return r->first == 0 && r->end == r->len_a + r->len_b - 1;
}

/* ---- what it costs ---- */

/* On a device: transforms as long as keeps what wraps around apart from these coefficients, and
 * what crosses the bus; whichever saves less, by its law alone. */
static double device_share(const gfp_range *r)
{
    const size_t all = r->len_a + r->len_b - 1, longer = r->len_a > r->len_b ? r->len_a : r->len_b;
    size_t n = all - r->first > r->end ? all - r->first : r->end;
    n = n > longer ? n : longer;
    const double factors = (double)r->len_a + (double)r->len_b;
    return fmax((double)n / (double)all,
                (factors + (double)(r->end - r->first)) / (factors + (double)all));
}

double gfp_range_share(const gfp_method *method, const gfp_range *r)
{
    const size_t len = r->len_a + r->len_b - 1;
    if (is_whole(r)) {
        return 1;
    }
    if (is(method, "classical")) {
        return (gfp_classical_units(r->len_a, r->len_b, r->end) -
                (r->first > 0 ? gfp_classical_units(r->len_a, r->len_b, r->first) : 0)) /
               gfp_classical_units(r->len_a, r->len_b, len);
    }
    if (is(method, "karatsuba")) {
        return gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, r->first, r->end) /
               gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, 0, len);
    }
    if (gfp_method_on_device(method)) {
        return device_share(r);
    }
    return is(method, "hybrid")
               ? gfp_crt_hybrid_range_share(r->field, r->len_a, r->len_b, r->first, r->end)
               : 1;
}

/* ---- how ---- */

void gfp_range_trim(gfp_range *r)
{
    const size_t k = gfp_field_k(r->field);
    r->len_a = gfp_size_min(r->len_a, r->end);
    r->len_b = gfp_size_min(r->len_b, r->end);
    if (r->first >= r->len_b) { /* a_j with j + len_b - 1 < first matter to nothing */
        const size_t skip = gfp_size_min(r->first - (r->len_b - 1), r->len_a - 1);
        r->a += skip * k;
        r->len_a -= skip;
        r->first -= skip;
        r->end -= skip;
    }
    if (r->first >= r->len_a) {
        const size_t skip = gfp_size_min(r->first - (r->len_a - 1), r->len_b - 1);
        r->b += skip * k;
        r->len_b -= skip;
        r->first -= skip;
        r->end -= skip;
    }
}

static gfp_status no_memory(const char *method, gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MEMORY, "%s: no memory for a part of a product", method);
}

static gfp_status by_karatsuba(const gfp_range *r, size_t words, uint64_t *c, gfp_task *task,
                               gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(r->field);
    const double units = gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, r->first, r->end);
    uint64_t *work = gfp_allocate(allocator, words, sizeof *work);
    if (work == NULL) {
        return no_memory("karatsuba", error);
    }
    const bool done = gfp_task_span(task, 1, units, gfp_task_product_cost(r->field)) &&
                      gfp_karatsuba_range(r->field, c, r->a, r->len_a, r->b, r->len_b, r->first,
                                          r->end, work, task);
    gfp_release(allocator, work, words, sizeof *work);
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status by_classical(const gfp_range *r, uint64_t *c, gfp_task *task)
{
    const double units = gfp_classical_units(r->len_a, r->len_b, r->end) -
                         (r->first > 0 ? gfp_classical_units(r->len_a, r->len_b, r->first) : 0);
    return gfp_task_span(task, 1, units, gfp_task_product_cost(r->field)) &&
                   gfp_classical_range(r->field, c, r->a, r->len_a, r->b, r->len_b, r->first,
                                       r->end, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static gfp_status by_whole(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                           gfp_task *task, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(r->field);
    const size_t len = r->len_a + r->len_b - 1, k = gfp_field_k(r->field);
    uint64_t *z = gfp_allocate(allocator, len, k * sizeof *z);
    if (z == NULL) {
        return no_memory(method->name, error);
    }
    const gfp_status status =
        gfp_method_run(method, r->field, z, r->a, r->len_a, r->b, r->len_b, cap, task, error);
    if (status == GFP_OK) {
        gfp_vec_copy(r->field, c, z + r->first * k, r->end - r->first);
    }
    gfp_release(allocator, z, len, k * sizeof *z);
    return status;
}

static gfp_device_work on_device(const gfp_method *method, const gfp_range *r, uint64_t *c)
{
    return (gfp_device_work){.method = method->device,
                             .field = r->field,
                             .c = c,
                             .a = r->a,
                             .b = r->b,
                             .len_a = r->len_a,
                             .len_b = r->len_b,
                             .first = r->first,
                             .n = r->end - r->first,
                             .count = 1,
                             .stride_a = r->len_a,
                             .stride_b = r->len_b,
                             .stride_c = r->end - r->first};
}

static gfp_status by_device(const gfp_method *method, const gfp_range *r, uint64_t *c,
                            gfp_task *task, gfp_error *error)
{
    const gfp_device_work w = on_device(method, r, c);
    char why[sizeof((gfp_method_info *)0)->reason];
    if (!gfp_method_serves(method, r->field, r->len_a, r->len_b, gfp_task_device(task), why,
                           sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    return gfp_device_run(&w, task, error);
}

/* The part with no cap on memory. */
static gfp_status run_freely(const gfp_method *method, const gfp_range *r, uint64_t *c,
                             gfp_task *task, gfp_error *error)
{
    if (gfp_method_on_device(method)) {
        return by_device(method, r, c, task, error);
    }
    if (is(method, "classical")) {
        return by_classical(r, c, task);
    }
    if (is(method, "karatsuba")) {
        const size_t words =
            gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end);
        if (words > 0) {
            return by_karatsuba(r, words, c, task, error);
        }
    }
    if (is(method, "hybrid")) {
        const gfp_status status = gfp_crt_mul_hybrid_range(r->field, c, r->a, r->len_a, r->b,
                                                           r->len_b, r->first, r->end, task);
        return status == GFP_ERR_MEMORY ? no_memory("hybrid", error) : status;
    }
    return by_whole(method, r, c, 0, task, error);
}

/* ---- within a cap on memory: blocks ---- */

/* A block of a part, and where it lies in the call. Blocks are not cut below this length. */
#define MIN_BLOCK 32

typedef struct capped {
    const gfp_method *method;
    gfp_task *task;
    gfp_error *error;
} capped;

static size_t product_bytes(const gfp_range *r)
{
    return gfp_size_mul_sat(r->len_a + r->len_b - 1, gfp_element_bytes(r->field));
}

/* What run_freely takes. */
static size_t free_bytes(const gfp_method *method, const gfp_range *r, unsigned threads)
{
    if (is(method, "classical")) {
        return 0;
    }
    if (gfp_method_on_device(method)) {
        const gfp_device_work w = on_device(method, r, NULL);
        return gfp_device_bytes(&w);
    }
    if (is(method, "hybrid")) {
        return gfp_crt_hybrid_range_bytes(r->field, r->len_a, r->len_b, r->first, r->end, threads);
    }
    const size_t words =
        is(method, "karatsuba")
            ? gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end)
            : 0;
    return words > 0 ? gfp_size_mul_sat(words, sizeof(uint64_t))
                     : gfp_size_add_sat(product_bytes(r),
                                        method->bytes(r->field, r->len_a, r->len_b, threads));
}

/* Whether the whole product can be computed within the cap, itself beside it or (is_whole) not. */
static bool whole_fits(const capped *w, const gfp_range *r, size_t cap)
{
    const size_t beside = is_whole(r) ? 0 : product_bytes(r);
    gfp_limits limits = {cap - beside, 1};
    double factor;
    return beside < cap && gfp_method_bytes(w->method, r->field, r->len_a, r->len_b, &limits,
                                            &factor) <= cap - beside;
}

static gfp_status run_capped(const capped *w, const gfp_range *r, uint64_t *c, size_t cap,
                             double from, double to);

/* The coefficients of the block that r is, of which c has some; those outside its product are 0. */
static gfp_status run_shifted(const capped *w, gfp_range r, size_t shift, uint64_t *c, size_t cap,
                              double from, double to)
{
    const size_t k = gfp_field_k(r.field), n = r.end - r.first, len = r.len_a + r.len_b - 1 + shift;
    const size_t first = r.first > shift ? r.first : shift, end = gfp_size_min(r.end, len);
    if (c != NULL) {
        gfp_vec_zero(r.field, c, n);
    }
    if (first >= end) {
        return GFP_OK;
    }
    uint64_t *z = c == NULL ? NULL : c + (first - r.first) * k;
    r.first = first - shift;
    r.end = end - shift;
    gfp_range_trim(&r);
    return run_capped(w, &r, z, cap, from, to);
}

/* The longer factor in halves: two sums, the second of which takes memory of its own. */
static gfp_status cut_factor(const capped *w, const gfp_range *r, uint64_t *c, size_t cap,
                             double from, double to)
{
    const gfp_allocator *allocator = gfp_field_allocator(r->field);
    const size_t n = r->end - r->first, bytes = gfp_size_mul_sat(n, gfp_element_bytes(r->field));
    const bool cut_a = r->len_a >= r->len_b;
    const size_t half = (cut_a ? r->len_a : r->len_b) / 2;
    gfp_range low = *r, high = *r;
    *(cut_a ? &low.len_a : &low.len_b) = half;
    *(cut_a ? &high.a : &high.b) += half * gfp_field_k(r->field);
    *(cut_a ? &high.len_a : &high.len_b) -= half;
    if (bytes >= cap) {
        return GFP_ERR_MEMORY;
    }
    const double middle = (from + to) / 2;
    GFP_TRY(run_shifted(w, low, 0, c, cap, from, middle));
    uint64_t *z = c == NULL ? NULL : gfp_allocate(allocator, n, gfp_element_bytes(r->field));
    if (c != NULL && z == NULL) {
        return no_memory(w->method->name, w->error);
    }
    const gfp_status status = run_shifted(w, high, half, z, cap - bytes, middle, to);
    if (status == GFP_OK && c != NULL) {
        gfp_vec_add(r->field, c, c, z, n);
    }
    gfp_release(allocator, z, n, gfp_element_bytes(r->field));
    return status;
}

/* What is wanted in halves. */
static gfp_status cut_range(const capped *w, const gfp_range *r, uint64_t *c, size_t cap,
                            double from, double to)
{
    const size_t half = (r->end - r->first) / 2;
    const double middle = (from + to) / 2;
    gfp_range low = *r, high = *r;
    low.end = high.first = r->first + half;
    gfp_range_trim(&low);
    gfp_range_trim(&high);
    GFP_TRY(run_capped(w, &low, c, cap, from, middle));
    return run_capped(w, &high, c == NULL ? NULL : c + half * gfp_field_k(r->field), cap, middle,
                      to);
}

/* c := the part within cap bytes, which are the fractions from .. to of the call; with c = NULL it
 * only says whether they suffice. MEMORY is without an error's text then. */
static gfp_status run_capped(const capped *w, const gfp_range *r, uint64_t *c, size_t cap,
                             double from, double to)
{
    const bool fits = !is_whole(r) && free_bytes(w->method, r, gfp_task_threads(w->task)) <= cap;
    const bool fits_one = fits || (!is_whole(r) && free_bytes(w->method, r, 1) <= cap);
    if (!fits_one && !whole_fits(w, r, cap)) {
        const size_t longer = r->len_a > r->len_b ? r->len_a : r->len_b, n = r->end - r->first;
        if (longer <= MIN_BLOCK && n <= MIN_BLOCK) {
            return GFP_ERR_MEMORY;
        }
        return longer > n ? cut_factor(w, r, c, cap, from, to) : cut_range(w, r, c, cap, from, to);
    }
    if (c == NULL) {
        return GFP_OK;
    }
    if (w->task != NULL) {
        w->task->part_to = from;
        gfp_task_part(w->task, to);
        w->task->threads = fits ? w->task->threads : 1;
    }
    if (is_whole(r)) {
        return gfp_method_run(w->method, r->field, c, r->a, r->len_a, r->b, r->len_b, cap, w->task,
                              w->error);
    }
    return fits_one ? run_freely(w->method, r, c, w->task, w->error)
                    : by_whole(w->method, r, c, cap - product_bytes(r), w->task, w->error);
}

gfp_status gfp_range_run(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    if (is_whole(r)) {
        return gfp_method_run(method, r->field, c, r->a, r->len_a, r->b, r->len_b, cap, task,
                              error);
    }
    if (cap == 0) {
        return run_freely(method, r, c, task, error);
    }
    if (!gfp_method_serves(method, r->field, r->len_a, r->len_b, gfp_task_device(task), why,
                           sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    const capped w = {method, task, error};
    if (run_capped(&w, r, NULL, cap, 0, 1) != GFP_OK) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: no blocks of this part of a product fit a cap of %zu bytes",
                             method->name, cap);
    }
    return run_capped(&w, r, c, cap, task == NULL ? 0 : task->part_from,
                      task == NULL ? 1 : task->part_to);
}

/* Blocks: each halving of the memory about doubles the time. */
size_t gfp_range_bytes(const gfp_method *method, const gfp_range *r, gfp_limits *limits,
                       double *factor)
{
    const size_t cap = limits->cap, beside = product_bytes(r);
    const size_t bytes = free_bytes(method, r, limits->threads);
    const capped w = {method, NULL, NULL};
    *factor = 1;
    if (cap == 0 || bytes <= cap) {
        return bytes;
    }
    limits->threads = 1;
    const size_t least = free_bytes(method, r, 1);
    if (least <= cap) {
        return least;
    }
    gfp_limits inner = {cap > beside ? cap - beside : 1, 1};
    const size_t whole = gfp_method_bytes(method, r->field, r->len_a, r->len_b, &inner, factor);
    if (whole <= inner.cap) {
        *factor /= gfp_range_share(method, r);
        return beside + whole;
    }
    *factor = exp2(ceil(log2((double)least / (double)cap)));
    return run_capped(&w, r, NULL, cap, 0, 1) == GFP_OK ? cap : SIZE_MAX;
}
