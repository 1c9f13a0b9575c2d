/* hybrid_range.c: parts of products: modulo X^L - 1 with L too short for the product, where what
 * wraps around misses the coefficients that are wanted; else out of the whole product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt.h"
#include "hybrid_shape.h"
#include "parallel.h"
#include "support.h"

/* How coefficients first <= i < end of a product are computed. */
typedef struct range_plan {
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    bool in_ring; /* in the ring of the plan's shape; else as the whole product */
    double share; /* of the time of the whole product */
} range_plan;

/* Modulo X^L - 1 nothing else falls on these coefficients if i + L >= len for all of them and i - L
 * < 0. */
static bool make_plan(range_plan *p, const gfp_field *field, size_t len_a, size_t len_b,
                      size_t first, size_t end)
{
    const size_t len = len_a + len_b - 1, shorter = gfp_size_min(len_a, len_b);
    const size_t wrapped = end > len - first ? end : len - first;
    gfp_hybrid_shape shape;
    double cost;
    *p = (range_plan){.share = 1};
    gfp_hybrid_choose(&p->choice, field);
    if (!gfp_hybrid_plan_make(&p->plan, &p->choice, len_a, len_b)) {
        return false;
    }
    if (wrapped < len &&
        gfp_hybrid_plan_ring(&shape, &p->choice, wrapped, 1, shorter, true, &cost) &&
        cost < p->plan.cost) {
        p->share = cost / p->plan.cost;
        p->plan =
            (gfp_hybrid_plan){.shape = shape, .block_a = len_a, .block_b = len_b, .cost = cost};
    }
    p->in_ring = p->plan.shape.wrap == 0 && p->plan.block_a == len_a && p->plan.block_b == len_b;
    return true;
}

/* z := what precedes `end`, n coefficients. */
static gfp_status run(const range_plan *p, uint64_t *z, size_t n, const uint64_t *a, size_t len_a,
                      const uint64_t *b, size_t len_b, gfp_task *task)
{
    return p->in_ring ? gfp_hybrid_run_first(&p->choice, &p->plan, z, n, a, len_a, b, len_b, task)
                      : gfp_crt_mul_hybrid(p->choice.field, z, a, len_a, b, len_b, task);
}

/* Coefficients that are computed, if not where the result goes; 0: there. */
static size_t computed_apart(const range_plan *p, size_t len_a, size_t len_b, size_t first,
                             size_t end)
{
    return !p->in_ring ? len_a + len_b - 1 : first > 0 ? end : 0;
}

gfp_status gfp_crt_mul_hybrid_range(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, size_t first,
                                    size_t end, gfp_task *task)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    const size_t k = gfp_field_k(field);
    range_plan p;
    if (!make_plan(&p, field, len_a, len_b, first, end)) {
        return GFP_ERR_SIZE;
    }
    p.plan.threads = gfp_task_threads(task);
    const size_t n = computed_apart(&p, len_a, len_b, first, end);
    if (n == 0) {
        return run(&p, c, end, a, len_a, b, len_b, task);
    }
    uint64_t *z = gfp_allocate(allocator, n, k * sizeof *z);
    if (z == NULL) {
        return n > SIZE_MAX / sizeof *z / k ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const gfp_status status = run(&p, z, n, a, len_a, b, len_b, task);
    if (status == GFP_OK) {
        gfp_vec_copy(field, c, z + first * k, end - first);
    }
    gfp_release(allocator, z, n, k * sizeof *z);
    return status;
}

size_t gfp_crt_hybrid_range_bytes(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                  size_t end, unsigned threads)
{
    range_plan p;
    if (!make_plan(&p, field, len_a, len_b, first, end)) {
        return SIZE_MAX;
    }
    p.plan.threads = threads;
    const size_t apart = gfp_size_mul_sat(computed_apart(&p, len_a, len_b, first, end),
                                          gfp_field_k(field) * sizeof(uint64_t));
    return gfp_size_add_sat(apart, p.in_ring ? gfp_hybrid_area(&p.choice, &p.plan, len_a, len_b)
                                             : gfp_crt_hybrid_bytes(field, len_a, len_b, threads));
}

double gfp_crt_hybrid_range_share(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                  size_t end)
{
    range_plan p;
    return make_plan(&p, field, len_a, len_b, first, end) ? p.share : 1;
}
