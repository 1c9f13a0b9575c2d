/* word_products.c: see word_products.h: memory for products of two lengths, and their runs over a
 * backend's table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/word_products.h"

#include "gpu/backend.h"
#include "field/base/word.h"

#define MOST_LOG2 24
/* The inverse of the share of free memory that a plan leaves alone. */
#define SPARE_SHARE 8

static size_t own_bytes(const gfp_gpu_word_products *p, size_t count)
{
    const size_t words = gfp_size_add_sat(gfp_size_add_sat(p->len_a, p->len_b), p->len);
    return gfp_size_mul_sat(
        count, gfp_size_add_sat(gfp_size_mul_sat(words, sizeof(uint64_t)), sizeof *p->moduli));
}

/* Chooses the number of products at once that the memory has room for. */
static gfp_status choose_count(gfp_gpu_word_products *p)
{
    gfp_gpu *gpu = p->gpu;
    size_t room;
    GFP_TRY(gpu->backend->memory->available(gpu, &room));
    room -= room / SPARE_SHARE;
    room = gfp_size_min(room, gpu->memory_cap - gfp_size_min(gpu->memory_cap, gpu->bytes));
    while (gfp_size_add_sat(own_bytes(p, p->count), gpu->backend->words->bytes(p, p->count)) >
           room) {
        if (p->count == 1) {
            return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY,
                                "a product of %zu words needs more than the %zu bytes of device "
                                "memory that are left",
                                p->len, room);
        }
        p->count /= 2;
    }
    p->bytes = own_bytes(p, p->count);
    return GFP_OK;
}

static gfp_status word_products_allocate(gfp_gpu_word_products *p)
{
    gfp_gpu *gpu = p->gpu;
    GFP_TRY(choose_count(p));
    p->host = gfp_allocate(&gpu->allocator, p->count, sizeof *p->host);
    if (p->host == NULL) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for %zu moduli", p->count);
    }
    GFP_TRY(gfp_gpu_device_allocate(gpu, &p->memory, p->bytes));
    p->moduli = p->memory;
    p->a = (uint64_t *)(void *)(p->moduli + p->count);
    p->b = p->a + p->count * p->len_a;
    p->c = p->b + p->count * p->len_b;
    return gpu->backend->words->create(p);
}

static void word_products_release(gfp_gpu_word_products *p)
{
    gfp_gpu *gpu = p->gpu;
    if (p->state != NULL) {
        gpu->backend->words->destroy(p);
    }
    gfp_gpu_device_release(gpu, p->memory, p->bytes);
    gfp_release(&gpu->allocator, p->host, p->count, sizeof *p->host);
    gfp_release(&gpu->allocator, p, 1, sizeof *p);
}

static gfp_status word_products_create(gfp_gpu_word_products **products, gfp_gpu *gpu, size_t len_a,
                                       size_t len_b, size_t count)
{
    GFP_GPU_NEED(gpu, words, run);
    if (len_a > (size_t)1 << MOST_LOG2 || len_b > ((size_t)1 << MOST_LOG2) + 1 - len_a) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_SIZE, "products of %zu and %zu words are too long", len_a,
                            len_b);
    }
    gfp_gpu_word_products *p = gfp_gpu_make(gpu, sizeof *p, "products modulo words");
    if (p == NULL) {
        return GFP_ERR_MEMORY;
    }
    p->gpu = gpu;
    p->len_a = len_a;
    p->len_b = len_b;
    p->len = len_a + len_b - 1;
    p->count = count;
    for (p->n = 2; p->n < p->len; p->n *= 2) {
    }
    const gfp_status status = word_products_allocate(p);
    if (status != GFP_OK) {
        word_products_release(p);
        return status;
    }
    *products = p;
    return GFP_OK;
}

gfp_status gfp_gpu_word_products_create(gfp_gpu_word_products **products, gfp_gpu *gpu,
                                        size_t len_a, size_t len_b, size_t count)
{
    GFP_GPU_RETURN(gpu, true, word_products_create(products, gpu, len_a, len_b, count));
}

void gfp_gpu_word_products_destroy(gfp_gpu_word_products *products)
{
    if (products != NULL) {
        const gfp_gpu *gpu = products->gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        word_products_release(products);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
}

/* ---- runs ---- */

static uint64_t word_products_reduce(gfp_u128 x, uint64_t q)
{
    return (uint64_t)(x % q);
}

static gfp_gpu_word_modulus modulus_of(const gfp_gpu_word_products *p, uint64_t q)
{
    gfp_divisor divisor;
    gfp_divisor_init(&divisor, q);
    const uint64_t first = p->prime[0] % q;
    return (gfp_gpu_word_modulus){
        .q = q,
        .d = divisor.d,
        .inverse = divisor.inverse,
        .shift = divisor.shift,
        .weight = {first, word_products_reduce(gfp_mul_wide(first, p->prime[1] % q), q)}};
}

/* The products from <= i < from + count of a run. */
static gfp_status run_some(gfp_gpu_word_products *p, const gfp_gpu_word_run *run, size_t from,
                           size_t count)
{
    gfp_gpu *gpu = p->gpu;
    const gfp_gpu_memory_calls *memory = gpu->backend->memory;
    const bool square = run->a == run->b && p->len_a == p->len_b;
    for (size_t i = 0; i < count; i++) {
        p->host[i] = modulus_of(p, run->q[from + i]);
    }
    GFP_TRY(memory->upload(gpu, p->moduli, p->host, count * sizeof *p->host));
    GFP_TRY(memory->upload(gpu, p->a, run->a + from * p->len_a, count * p->len_a * sizeof *p->a));
    if (!square) {
        GFP_TRY(
            memory->upload(gpu, p->b, run->b + from * p->len_b, count * p->len_b * sizeof *p->b));
    }
    GFP_TRY(gpu->backend->words->run(p, count, square));
    return memory->download(gpu, run->c + from * p->len, p->c, count * p->len * sizeof *p->c);
}

static gfp_status run_all(gfp_gpu_word_products *p, const gfp_gpu_word_run *run)
{
    for (size_t from = 0; from < run->count; from += p->count) {
        GFP_TRY(run_some(p, run, from, gfp_size_min(p->count, run->count - from)));
    }
    return GFP_OK;
}

gfp_status gfp_gpu_word_products_run(gfp_gpu_word_products *products, const gfp_gpu_word_run *run)
{
    GFP_GPU_RETURN(products->gpu, true, run_all(products, run));
}
