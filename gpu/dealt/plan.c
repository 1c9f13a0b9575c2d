/* plan.c: products dealt over several contexts. A plan takes the first of two ways that serves it:
 * leaves of one product are dealt, or blocks of the longer factor.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "gpu/dealt/dealt.h"

#define WAYS 2

static const gfp_gpu_dealt_way *const ways[WAYS] = {&gfp_gpu_dealt_by_leaves,
                                                    &gfp_gpu_dealt_by_parts};

/* ---- plans ---- */

static void close_way(gfp_gpu_dealt_plan *plan)
{
    for (unsigned i = 0; plan->way != NULL && i < plan->group.count; i++) {
        gfp_gpu *gpu = plan->group.members[i].gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        plan->way->close(plan, i);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
    plan->way = NULL;
}

static gfp_status check_sizes(gfp_gpu *gpu, const gfp_gpu_dealt_plan *plan, const gfp_field *field)
{
    size_t words, len;
    if (plan->len_a == 0 || plan->len_b == 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT,
                            "factors of %zu and %zu coefficients: each needs at least 1",
                            plan->len_a, plan->len_b);
    }
    if (field != NULL && (!gfp_size_add(&len, plan->len_a, plan->len_b) ||
                          !gfp_size_mul(&words, len, 4 * gfp_field_k(field) * sizeof(uint64_t)))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "products of %zu by %zu coefficients: too large",
                            plan->len_a, plan->len_b);
    }
    return gpu->backend->product_engines != NULL ? GFP_OK : gfp_gpu_lacks(gpu, "product_engines");
}

static gfp_status open_plan(gfp_gpu_dealt_plan *plan, gfp_gpu *const *gpus, size_t members,
                            const gfp_field *field)
{
    gfp_status status = GFP_ERR_UNAVAILABLE;
    GFP_TRY(check_sizes(gpus[0], plan, field));
    GFP_TRY(gfp_gpu_dealt_open(&plan->group, gpus, members, field));
    for (size_t i = 0; i < WAYS && status == GFP_ERR_UNAVAILABLE; i++) {
        plan->way = ways[i];
        status = plan->way->open(plan);
        if (status != GFP_OK) {
            close_way(plan);
        }
    }
    return status;
}

static gfp_status make_plan(gfp_gpu_dealt_plan **plan, gfp_gpu *const *gpus, size_t members,
                            const gfp_field *field, size_t len_a, size_t len_b)
{
    gfp_gpu_dealt_plan *made = gfp_gpu_make(gpus[0], sizeof *made, "a plan");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->allocator = gpus[0]->allocator;
    made->len_a = len_a;
    made->len_b = len_b;
    const gfp_status status = open_plan(made, gpus, members, field);
    if (status != GFP_OK) {
        gfp_gpu_dealt_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_plan_create(gfp_gpu_dealt_plan **plan, gfp_gpu *const *gpus,
                                     size_t members, const gfp_field *field, size_t len_a,
                                     size_t len_b, const gfp_options *options)
{
    if (plan == NULL || !gfp_gpu_dealt_all(gpus, members)) {
        return gfp_gpu_dealt_refuse("a plan of dealt products", options);
    }
    GFP_GPU_CALL("plan of dealt products", gpus[0], options,
                 make_plan(plan, gpus, members, field, len_a, len_b));
}

void gfp_gpu_dealt_plan_destroy(gfp_gpu_dealt_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu_dealt_wait(&plan->group);
    close_way(plan);
    gfp_gpu_dealt_close(&plan->group);
    const gfp_allocator allocator = plan->allocator;
    gfp_release(&allocator, plan, 1, sizeof *plan);
}

/* ---- products ---- */

/* The blocks of c lie apart from those of x. */
static gfp_status check_apart(const gfp_gpu_dealt_product *p, gfp_gpu_array *const *c,
                              gfp_gpu_array *const *x, size_t len)
{
    const gfp_gpu_dealt_group *group = p->group;
    for (unsigned i = 0; i < group->count; i++) {
        const size_t n = gfp_gpu_dealt_block(group, len, i),
                     n_c = gfp_gpu_dealt_block(group, p->len_c, i);
        if (n > 0 && n_c > 0) {
            const gfp_status status = gfp_gpu_array_check_apart(group->members[i].gpu, c[i],
                                                                n_c * group->k, x[i], n * group->k);
            if (status != GFP_OK) {
                return gfp_gpu_dealt_failed(group, i, status);
            }
        }
    }
    return GFP_OK;
}

static gfp_status run_product(const gfp_gpu_dealt_product *p)
{
    GFP_TRY(gfp_gpu_dealt_join(p->group));
    GFP_TRY(p->plan->way->run(p));
    return gfp_gpu_dealt_join(p->group);
}

static gfp_status dealt_mul(gfp_gpu_array *const *c, gfp_gpu_array *const *a, size_t len_a,
                            gfp_gpu_array *const *b, size_t len_b, gfp_gpu_dealt_plan *plan)
{
    gfp_gpu_dealt_product p = {.plan = plan,
                               .group = &plan->group,
                               .len = {len_a, len_b},
                               .len_c = len_a + len_b - 1,
                               .square = len_a == len_b};
    if (len_a == 0 || len_b == 0 || len_a > plan->len_a || len_b > plan->len_b) {
        return GFP_GPU_FAIL(plan->group.members[0].gpu, GFP_ERR_ARGUMENT,
                            "factors of %zu and %zu coefficients, the plan takes 1 to %zu and %zu",
                            len_a, len_b, plan->len_a, plan->len_b);
    }
    GFP_TRY(gfp_gpu_dealt_blocks(p.group, a, len_a, &p.x[0]));
    GFP_TRY(gfp_gpu_dealt_blocks(p.group, b, len_b, &p.x[1]));
    GFP_TRY(gfp_gpu_dealt_blocks(p.group, c, p.len_c, &p.c));
    GFP_TRY(check_apart(&p, c, a, len_a));
    GFP_TRY(check_apart(&p, c, b, len_b));
    for (unsigned i = 0; i < p.group->count; i++) {
        p.square = p.square && p.x[0].block[i] == p.x[1].block[i];
    }
    const gfp_status status = run_product(&p);
    if (status != GFP_OK) {
        /* Members may still read and write each other's blocks. */
        gfp_gpu_dealt_wait(p.group);
    }
    return status;
}

gfp_status gfp_gpu_dealt_mul(gfp_gpu_array *const *c, gfp_gpu_array *const *a, size_t len_a,
                             gfp_gpu_array *const *b, size_t len_b, gfp_gpu_dealt_plan *plan,
                             const gfp_options *options)
{
    if (c == NULL || a == NULL || b == NULL || plan == NULL) {
        return gfp_gpu_dealt_refuse("a dealt product", options);
    }
    GFP_GPU_CALL("dealt product", plan->group.members[0].gpu, options,
                 dealt_mul(c, a, len_a, b, len_b, plan));
}
