/* fft.c: plans of transforms over Z/pZ: parts common to all engines: checks of arguments, the
 * choice of an engine.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/backend.h"
#include "gpu/call.h"
#include "gpu/measure.h"

static unsigned log2_of(size_t n)
{
    return (unsigned)__builtin_ctzll(n);
}

static gfp_status check_length(gfp_gpu *gpu, const gfp_field *field, size_t n)
{
    unsigned order = gfp_field_v2_order(field);
    if (n == 0 || (n & (n - 1)) != 0) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two", n);
    }
    if (log2_of(n) > order) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_NO_ROOT,
                            "transform length %zu does not divide p - 1: the largest is 2^%u", n,
                            order);
    }
    return GFP_OK;
}

static gfp_status choose_engine(gfp_gpu_fft_plan *plan, gfp_gpu_fft_form form,
                                const gfp_gpu_fft_engine *const *engines)
{
    gfp_gpu *gpu = plan->gpu;
    if ((unsigned)form > GFP_GPU_FFT_REFERENCE) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "unknown transform form %d", (int)form);
    }
    for (const gfp_gpu_fft_engine *const *row = engines; *row != NULL; row++) {
        const gfp_gpu_fft_engine *engine = *row;
        if ((form == GFP_GPU_FFT_AUTO || engine->form == form) &&
            engine->serves(gpu, plan->field, plan->log2_n, plan->batch)) {
            plan->engine = engine;
            return GFP_OK;
        }
    }
    if (form == GFP_GPU_FFT_AUTO) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "no form serves length %zu over %s", plan->n,
                            gfp_field_name(plan->field));
    }
    return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE,
                        "the form \"%s\" does not serve length %zu over %s",
                        gfp_gpu_fft_form_name(form), plan->n, gfp_field_name(plan->field));
}

static gfp_status fft_prepare(gfp_gpu_fft_plan *plan, const gfp_gpu_fft_options *options,
                              const gfp_gpu_fft_engine *const *engines)
{
    gfp_gpu *gpu = plan->gpu;
    if (engines == NULL) {
        return gfp_gpu_lacks(gpu, "fft");
    }
    GFP_TRY(check_length(gpu, plan->field, plan->n));
    plan->log2_n = log2_of(plan->n);
    size_t bytes;
    if (!gfp_size_mul(&plan->words, plan->n, plan->k) ||
        !gfp_size_mul(&plan->words, plan->words, plan->batch) ||
        !gfp_size_mul(&bytes, plan->words, sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "%zu transforms of length %zu are too large",
                            plan->batch, plan->n);
    }
    GFP_TRY(choose_engine(plan, options->form, engines));
    size_t before = gpu->bytes;
    gfp_status status = plan->engine->create(plan);
    if (status != GFP_OK) {
        plan->engine = NULL; /* the engine has nothing to destroy */
        return status;
    }
    plan->bytes = gpu->bytes - before;
    return GFP_OK;
}

gfp_status gfp_gpu_fft_plan_make(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                 size_t n, const gfp_gpu_fft_options *options,
                                 const gfp_gpu_fft_engine *const *engines)
{
    int before = -1;
    gfp_gpu_fft_plan *made = gfp_gpu_make(gpu, sizeof *made, "a plan");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->gpu = gpu;
    made->field = field;
    made->k = gfp_field_k(field);
    made->n = n;
    made->batch = options->batch != 0 ? options->batch : 1;
    gfp_status status = gfp_gpu_enter(gpu, true, &before);
    status =
        status != GFP_OK ? status : gfp_gpu_leave(gpu, before, fft_prepare(made, options, engines));
    if (status != GFP_OK) {
        gfp_gpu_fft_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

gfp_status gfp_gpu_fft_plan_create(gfp_gpu_fft_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                                   size_t n, const gfp_gpu_fft_options *of_plan,
                                   const gfp_options *options)
{
    const gfp_gpu_fft_options usual = {.batch = 1};
    const gfp_gpu_fft_options *given = of_plan != NULL ? of_plan : &usual;
    GFP_GPU_CALL("plan of transforms", gpu, options,
                 gfp_gpu_fft_plan_make(plan, gpu, field, n, given, gpu->backend->fft));
}

void gfp_gpu_fft_plan_destroy(gfp_gpu_fft_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    const int before = gfp_gpu_enter_to_destroy(gpu);
    if (plan->engine != NULL) {
        plan->engine->destroy(plan);
    }
    (void)gfp_gpu_leave(gpu, before, GFP_OK);
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

gfp_gpu_fft_form gfp_gpu_fft_plan_form(const gfp_gpu_fft_plan *plan)
{
    return plan->engine->form;
}

size_t gfp_gpu_fft_plan_bytes(const gfp_gpu_fft_plan *plan)
{
    return plan->bytes;
}

/* ---- transforms ---- */

static gfp_status check_order(gfp_gpu *gpu, gfp_order order)
{
    if (order != GFP_ORDER_NATURAL && order != GFP_ORDER_PERMUTED) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "unknown order %d", (int)order);
    }
    return GFP_OK;
}

static gfp_status check_transform(gfp_gpu_fft_plan *plan, gfp_gpu_array *z, const gfp_gpu_array *x,
                                  gfp_order order)
{
    GFP_TRY(check_order(plan->gpu, order));
    return gfp_gpu_array_check_pair(plan->gpu, z, plan->words, x, plan->words);
}

gfp_status gfp_gpu_fft_check_direction(gfp_gpu *gpu, gfp_direction direction)
{
    if (direction != GFP_FORWARD && direction != GFP_INVERSE) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "no such direction: %d", (int)direction);
    }
    return GFP_OK;
}

static gfp_status fft_transform(gfp_gpu_fft_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                                gfp_direction direction, gfp_order order)
{
    GFP_TRY(gfp_gpu_fft_check_direction(plan->gpu, direction));
    GFP_TRY(check_transform(plan, y, x, order));
    return (direction == GFP_INVERSE ? plan->engine->inverse
                                     : plan->engine->forward)(plan, y->data, x->data, order);
}

static gfp_status enter_transform(gfp_gpu_fft_plan *plan, gfp_gpu_array *y, const gfp_gpu_array *x,
                                  gfp_direction direction, gfp_order order)
{
    GFP_GPU_RETURN(plan->gpu, false, fft_transform(plan, y, x, direction, order));
}

gfp_status gfp_gpu_fft_run(gfp_gpu_array *y, const gfp_gpu_array *x, gfp_direction direction,
                           gfp_order order, gfp_gpu_fft_plan *plan, const gfp_options *options)
{
    GFP_GPU_CALL(direction == GFP_INVERSE ? "inverse transform" : "transform", plan->gpu, options,
                 enter_transform(plan, y, x, direction, order));
}
