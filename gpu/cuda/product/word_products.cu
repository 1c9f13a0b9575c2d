/* word_products.cu: products of polynomials modulo words: transforms modulo three primes
 * (gpu/cuda/transform/ntt.h) between the steps of word_products_arith.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/transform/ntt.h"

#include "field/base/word.h"
#include "gpu/cuda/product/word_products_arith.h"

GFP_BEGIN_DECLS
#include "fft/words/primes.h"
GFP_END_DECLS

/* Kernels are outside of the namespace, where their stubs on the host are local symbols. */

/* z := residues of `count` vectors of len words, and zeros up to n. */
static __global__ void word_products_project(uint64_t *z, const uint64_t *x, size_t len, size_t n,
                                             size_t batch, size_t count,
                                             const __grid_constant__ gfp_gpu_word_primes primes)
{
    GFP_FOR_ITEMS(item, count * n)
    {
        const size_t b = item / n, t = item % n;
        const uint64_t word = t < len ? x[b * len + t] : 0;
        for (unsigned i = 0; i < GFP_GPU_WORD_PRIMES; i++) {
            z[(i * batch + b) * n + t] = word_residue(word, primes.modulus[i]);
        }
    }
}

static __global__ void word_products_multiply(uint64_t *x, const uint64_t *y, size_t each,
                                              const __grid_constant__ gfp_gpu_word_primes primes)
{
    GFP_FOR_ITEMS(item, GFP_GPU_WORD_PRIMES * each)
    {
        x[item] = mod_mul(x[item], y[item], primes.modulus[item / each]);
    }
}

static __global__ void word_products_combine(uint64_t *c, const uint64_t *z, size_t len, size_t n,
                                             size_t batch, size_t count,
                                             const __grid_constant__ gfp_gpu_word_primes primes,
                                             const gfp_gpu_word_modulus *moduli)
{
    GFP_FOR_ITEMS(item, count * len)
    {
        const size_t b = item / len, t = item % len;
        uint64_t r[GFP_GPU_WORD_PRIMES];
        for (unsigned i = 0; i < GFP_GPU_WORD_PRIMES; i++) {
            r[i] = z[(i * batch + b) * n + t];
        }
        c[item] = word_combine(r, primes, moduli[b]);
    }
}

namespace
{

/* Residues lie as gfp_cuda_ntt_shape says: vector b modulo prime i at (i batch + b) n. */
struct word_state {
    gfp_cuda_ntt_plan *ntt;
    gfp_gpu_word_primes primes;
    uint64_t *residues[2];
    size_t bytes; /* of each */
};

static word_state *state_of(const gfp_gpu_word_products *p)
{
    return (word_state *)p->state;
}

/* ---- plans ---- */

static size_t word_products_bytes(const gfp_gpu_word_products *p, size_t count)
{
    const size_t words = gfp_size_mul_sat(GFP_GPU_WORD_PRIMES * p->n, count);
    return gfp_size_add_sat(gfp_size_mul_sat(words, 2 * sizeof(uint64_t)),
                            gfp_cuda_ntt_most_bytes(GFP_GPU_WORD_PRIMES, count,
                                                    gfp_log2_above(p->n), sizeof(uint64_t)));
}

static void word_products_destroy(gfp_gpu_word_products *p)
{
    word_state *s = state_of(p);
    gfp_cuda_ntt_destroy(s->ntt);
    for (uint64_t *area : s->residues) {
        gfp_gpu_device_release(p->gpu, area, s->bytes);
    }
    gfp_release(&p->gpu->allocator, s, 1, sizeof *s);
    p->state = NULL;
}

/* Primes below 2^62: three of them exceed 2^185, more than 2^24 products below 2^126. */
static gfp_status choose_primes(gfp_gpu_word_products *p)
{
    uint64_t below = (uint64_t)1 << GFP_WORD_PRIME_BITS;
    for (uint64_t &q : p->prime) {
        if (gfp_word_prime_below(&q, below, gfp_log2_above(p->n)) != GFP_OK) {
            return GFP_GPU_FAIL(p->gpu, GFP_ERR_NO_ROOT, "no primes for %zu points", p->n);
        }
        below = q;
    }
    return GFP_OK;
}

static gfp_status word_products_fill(gfp_gpu_word_products *p, word_state *s)
{
    const gfp_cuda_ntt_shape shape = {p->prime, NULL, GFP_GPU_WORD_PRIMES, p->n, p->count, false};
    GFP_TRY(choose_primes(p));
    GFP_TRY(
        gfp_cuda_ntt_create(&s->ntt, p->gpu, gfp_cuda_ntt_engine_of(GFP_WORD_PRIME_BITS), &shape));
    for (unsigned i = 0; i < GFP_GPU_WORD_PRIMES; i++) {
        s->primes.modulus[i] = s->ntt->prime[i].modulus;
    }
    word_primes_fill(&s->primes);
    for (uint64_t *&area : s->residues) {
        GFP_TRY(gfp_gpu_device_allocate(p->gpu, (void **)&area, s->bytes));
    }
    return GFP_OK;
}

static gfp_status word_products_create(gfp_gpu_word_products *p)
{
    word_state *s = (word_state *)gfp_gpu_make(p->gpu, sizeof *s, "products modulo words");
    if (s == NULL) {
        return GFP_ERR_MEMORY;
    }
    p->state = s;
    s->bytes = GFP_GPU_WORD_PRIMES * p->n * p->count * sizeof(uint64_t);
    return word_products_fill(p, s); /* after a failure the caller destroys the state */
}

/* z := the transforms of `count` vectors x of len words. All vectors of the plan are transformed;
 * those beyond `count` are in range, and their results are not read. */
static gfp_status word_products_factor(gfp_gpu_word_products *p, uint64_t *z, const uint64_t *x,
                                       size_t len, size_t count)
{
    word_state *s = state_of(p);
    GFP_LAUNCH(p->gpu, word_products_project, item_blocks(count * p->n), item_threads, 0, z, x, len,
               p->n, p->count, count, s->primes);
    return s->ntt->engine->run(s->ntt, z, z, GFP_ORDER_PERMUTED, false);
}

static gfp_status word_products_run(gfp_gpu_word_products *p, size_t count, bool square)
{
    word_state *s = state_of(p);
    uint64_t *a = s->residues[0], *b = square ? a : s->residues[1];
    if (count < p->count) { /* residues in range for the transforms of all vectors */
        GFP_CUDA_TRY(p->gpu, cudaMemsetAsync(a, 0, s->bytes, gfp_cuda_of(p->gpu)->stream));
        GFP_CUDA_TRY(p->gpu, cudaMemsetAsync(b, 0, s->bytes, gfp_cuda_of(p->gpu)->stream));
    }
    GFP_TRY(word_products_factor(p, a, p->a, p->len_a, count));
    if (!square) {
        GFP_TRY(word_products_factor(p, b, p->b, p->len_b, count));
    }
    GFP_LAUNCH(p->gpu, word_products_multiply, item_blocks(GFP_GPU_WORD_PRIMES * p->count * p->n),
               item_threads, 0, a, b, p->count * p->n, s->primes);
    GFP_TRY(s->ntt->engine->run(s->ntt, a, a, GFP_ORDER_PERMUTED, true));
    GFP_LAUNCH(p->gpu, word_products_combine, item_blocks(count * p->len), item_threads, 0, p->c, a,
               p->len, p->n, p->count, count, s->primes, p->moduli);
    return GFP_OK;
}

} // namespace

const gfp_gpu_word_calls gfp_cuda_words = {word_products_bytes, word_products_create,
                                           word_products_destroy, word_products_run};
