/* limbs.cu: radix conversion on the device: elements from and to integers of 64-bit words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu_impl.h"
#include "limbs_arith.h"

struct gfp_gpu_limbs_plan {
    gfp_gpu *gpu;
    const gfp_field *field;
    size_t size;
    uint64_t *image; /* the tables on the device */
    size_t image_words;
    limbs::setting setting;
};

namespace
{

constexpr unsigned threads = 128;

template <unsigned DIGITS>
static __global__ void __launch_bounds__(threads)
    set_limbs(uint64_t *z, const uint64_t *x, const __grid_constant__ limbs::setting s, size_t n)
{
    const size_t i = blockIdx.x * (size_t)threads + threadIdx.x;
    if (i < n) {
        limbs::set<DIGITS>(z + i * s.k, x + i * s.size, s);
    }
}

template <unsigned DIGITS>
static __global__ void __launch_bounds__(threads)
    get_limbs(uint64_t *z, const uint64_t *x, const __grid_constant__ limbs::setting s, size_t n)
{
    const size_t i = blockIdx.x * (size_t)threads + threadIdx.x;
    if (i < n) {
        limbs::get<DIGITS>(z + i * s.size, x + i * s.k, s);
    }
}

template <unsigned DIGITS>
static gfp_status run(gfp_gpu_limbs_plan *plan, uint64_t *z, const uint64_t *x, size_t n, bool get)
{
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    if (get) {
        GFP_LAUNCH(plan->gpu, (get_limbs<DIGITS>), blocks, threads, 0, z, x, plan->setting, n);
    } else {
        GFP_LAUNCH(plan->gpu, (set_limbs<DIGITS>), blocks, threads, 0, z, x, plan->setting, n);
    }
    return GFP_OK;
}

/* From x to z, of so many words a number. */
static gfp_status convert(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z, size_t to,
                          const gfp_gpu_array *x, size_t from, size_t n, bool get)
{
    GFP_GPU_ENTER(plan->gpu, false);
    if (n == 0) {
        return GFP_OK;
    }
    if (n > SIZE_MAX / to || n > SIZE_MAX / from) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT, "%zu numbers of %zu words", n, from);
    }
    GFP_TRY(gfp_gpu_array_check_apart(plan->gpu, z, n * to, x, n * from));
    switch (gfp_limbs_together(plan->setting.k)) {
    case 2:
        return run<2>(plan, z->data, x->data, n, get);
    case 4:
        return run<4>(plan, z->data, x->data, n, get);
    default:
        return run<8>(plan, z->data, x->data, n, get);
    }
}

static gfp_status fill_plan(gfp_gpu_limbs_plan *plan)
{
    const gfp_allocator *allocator = &plan->gpu->allocator;
    gfp_limbs_tables tables;
    if (gfp_limbs_tables_init(&tables, plan->field, plan->size, allocator) != GFP_OK) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    const size_t bytes = tables.words * sizeof(uint64_t);
    gfp_status status = gfp_gpu_device_allocate(plan->gpu, (void **)&plan->image, bytes);
    if (status == GFP_OK) {
        plan->image_words = tables.words;
        plan->setting = limbs::make_setting(plan->field, plan->size, &tables, plan->image);
        status = gfp_gpu_device_fill(plan->gpu, plan->image, tables.image, bytes);
    }
    gfp_limbs_tables_release(&tables, allocator);
    return status;
}

static gfp_status make_plan(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu, const gfp_field *field,
                            size_t size)
{
    GFP_GPU_ENTER(gpu, true);
    size = size != 0 ? size : gfp_field_limbs(field);
    if (size > GFP_LIMBS_MAX_SIZE) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "numbers of %zu words: %d at most", size,
                            GFP_LIMBS_MAX_SIZE);
    }
    gfp_gpu_limbs_plan *p = (gfp_gpu_limbs_plan *)gfp_allocate(&gpu->allocator, 1, sizeof *p);
    if (p == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    *p = {};
    p->gpu = gpu;
    p->field = field;
    p->size = size;
    const gfp_status status = fill_plan(p);
    if (status != GFP_OK) {
        gfp_gpu_limbs_plan_destroy(p);
        return status;
    }
    *plan = p;
    return GFP_OK;
}

} // namespace

gfp_status gfp_gpu_limbs_plan_create(gfp_gpu_limbs_plan **plan, gfp_gpu *gpu,
                                     const gfp_field *field, size_t size, gfp_error *error)
{
    return gfp_gpu_report(gpu, make_plan(plan, gpu, field, size), error);
}

void gfp_gpu_limbs_plan_destroy(gfp_gpu_limbs_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu *gpu = plan->gpu;
    gfp_gpu_scope scope(gpu);
    gfp_gpu_device_release(gpu, plan->image, plan->image_words * sizeof(uint64_t));
    gfp_release(&gpu->allocator, plan, 1, sizeof *plan);
}

size_t gfp_gpu_limbs_plan_size(const gfp_gpu_limbs_plan *plan)
{
    return plan->size;
}

size_t gfp_gpu_limbs_plan_bytes(const gfp_gpu_limbs_plan *plan)
{
    return plan->image_words * sizeof(uint64_t);
}

gfp_status gfp_gpu_set_limbs_mod(gfp_gpu_limbs_plan *plan, gfp_gpu_array *z,
                                 const gfp_gpu_array *limbs, size_t n)
{
    return convert(plan, z, plan->setting.k, limbs, plan->size, n, false);
}

gfp_status gfp_gpu_get_limbs(gfp_gpu_limbs_plan *plan, gfp_gpu_array *limbs, const gfp_gpu_array *x,
                             size_t n)
{
    if (plan->size < gfp_field_limbs(plan->field)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_ARGUMENT,
                            "elements have %u words, numbers of the plan %zu",
                            gfp_field_limbs(plan->field), plan->size);
    }
    return convert(plan, limbs, plan->size, x, plan->setting.k, n, true);
}
