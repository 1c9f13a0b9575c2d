/* words.c: products modulo words for the backend `host', by the definition.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "lab/fake_device/inside.h"
#include "field/base/word.h"
#include "gpu/word_products.h"

static size_t words_bytes(const gfp_gpu_word_products *p, size_t count)
{
    return 16 * p->n * count;
}

/* The state is device memory, as much as on a device. */
static gfp_status words_create(gfp_gpu_word_products *p)
{
    p->prime[0] = 97; /* unused */
    p->prime[1] = 101;
    return gfp_gpu_device_allocate(p->gpu, &p->state, words_bytes(p, p->count));
}

static void words_destroy(gfp_gpu_word_products *p)
{
    gfp_gpu_device_release(p->gpu, p->state, words_bytes(p, p->count));
    p->state = NULL;
}

/* o->n: the products; o->inverse: squares. */
static void words_multiply(gfp_gpu *gpu, const operation *o)
{
    const gfp_gpu_word_products *p = o->plan;
    (void)gpu;
    for (size_t i = 0; i < o->n * p->len; i++) {
        const size_t product = i / p->len, at = i % p->len;
        const uint64_t *a = p->a + product * p->len_a, q = p->moduli[product].q;
        const uint64_t *b = o->inverse ? a : p->b + product * p->len_b;
        gfp_u128 sum = 0;
        for (size_t j = at < p->len_b ? 0 : at - p->len_b + 1; j <= at && j < p->len_a; j++) {
            sum = (sum + gfp_mul_wide(a[j], b[at - j]) % q) % q;
        }
        p->c[i] = (uint64_t)sum;
    }
}

static gfp_status words_run(gfp_gpu_word_products *p, size_t count, bool square)
{
    return fake_put(p->gpu, GFP_GPU_QUEUE_MAIN,
                    (operation){.run = words_multiply, .plan = p, .n = count, .inverse = square});
}

const gfp_gpu_word_calls fake_words = {words_bytes, words_create, words_destroy, words_run};
