/* elements.c: sums and products of vectors over Z/pZ, shared by the threads of a call.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/methods/engine.h"

#include "field/base/support.h"

/* The least number of elements that a thread takes at once. */
static size_t least_elements(const gfp_field *field)
{
    return 4096 / gfp_field_k(field);
}

bool gfp_operand_run_elements(gfp_parallel_run *run, gfp_operand_elements *e, size_t n,
                              gfp_task *task)
{
    const gfp_parallel loop = {.run = run, .job = e};
    const size_t chunk = gfp_parallel_chunk(task, n, 4), least = least_elements(e->field);
    return gfp_parallel_for(&loop, task, n, chunk > least ? chunk : least) == GFP_OK;
}

gfp_status gfp_operand_add_elements(void *user, size_t from, size_t to, unsigned worker,
                                    gfp_task *task)
{
    const gfp_operand_elements *e = user;
    const size_t at = from * gfp_field_k(e->field);
    (void)worker;
    (void)task;
    if (e->sign < 0) {
        gfp_vec_sub(e->field, e->z + at, e->x + at, e->y + at, to - from);
    } else {
        gfp_vec_add(e->field, e->z + at, e->x + at, e->y + at, to - from);
    }
    return GFP_OK;
}

/* The number of elements of a product in temporary memory. */
#define APART 4

gfp_status gfp_operand_multiply_elements(void *user, size_t from, size_t to, unsigned worker,
                                         gfp_task *task)
{
    const gfp_operand_elements *e = user;
    const size_t k = gfp_field_k(e->field);
    uint64_t product[APART * GFP_MAX_K];
    (void)worker;
    (void)task;
    if (e->sign == 0) {
        gfp_vec_mul(e->field, e->z + from * k, e->x + from * k, e->y + from * k, to - from);
        return GFP_OK;
    }
    for (size_t i = from; i < to; i += APART) {
        const size_t n = gfp_size_min(to - i, APART);
        uint64_t *z = e->z + i * k;
        gfp_vec_mul(e->field, product, e->x + i * k, e->y + i * k, n);
        if (e->sign < 0) {
            gfp_vec_sub(e->field, z, z, product, n);
        } else {
            gfp_vec_add(e->field, z, z, product, n);
        }
    }
    return GFP_OK;
}
