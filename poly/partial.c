/* partial.c: parts of products: coefficients first <= i < end of a b, by every method: directly by
 * classical and Karatsuba's, in a shorter ring by the transforms, else out of the whole product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "crt.h"
#include "gfpoly/operand.h"
#include "methods.h"
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

/* Within a cap only classical computes less than the whole. */
double gfp_range_share(const gfp_method *method, const gfp_range *r, size_t cap)
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
    if (is(method, "karatsuba") && cap == 0) {
        return gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, r->first, r->end) /
               gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, 0, len);
    }
    return is(method, "hybrid") && cap == 0
               ? gfp_crt_hybrid_range_share(r->field, r->len_a, r->len_b, r->first, r->end)
               : 1;
}

bool gfp_range_shares(const gfp_method *method)
{
    return !is(method, "hybrid");
}

/* The whole product is computed beside the cap. */
size_t gfp_range_bytes(const gfp_method *method, const gfp_range *r, gfp_limits *limits,
                       double *factor)
{
    const size_t len = r->len_a + r->len_b - 1;
    *factor = 1;
    if (is(method, "classical")) {
        return 0;
    }
    const size_t words =
        is(method, "karatsuba") && limits->cap == 0
            ? gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end)
            : 0;
    if (words > 0) {
        return gfp_size_mul_sat(words, sizeof(uint64_t));
    }
    const size_t bytes = gfp_method_bytes(method, r->field, r->len_a, r->len_b, limits, factor);
    return limits->cap != 0 || is(method, "hybrid")
               ? bytes
               : gfp_size_add_sat(bytes, gfp_size_mul_sat(len, gfp_element_bytes(r->field)));
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

gfp_status gfp_range_run(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error)
{
    if (is_whole(r)) {
        return gfp_method_run(method, r->field, c, r->a, r->len_a, r->b, r->len_b, cap, task,
                              error);
    }
    if (is(method, "classical")) {
        return by_classical(r, c, task);
    }
    if (is(method, "karatsuba") && cap == 0) {
        const size_t words =
            gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end);
        if (words > 0) {
            return by_karatsuba(r, words, c, task, error);
        }
    }
    if (is(method, "hybrid") && cap == 0) {
        const gfp_status status = gfp_crt_mul_hybrid_range(r->field, c, r->a, r->len_a, r->b,
                                                           r->len_b, r->first, r->end, task);
        return status == GFP_ERR_MEMORY ? no_memory("hybrid", error) : status;
    }
    return by_whole(method, r, c, cap, task, error);
}
