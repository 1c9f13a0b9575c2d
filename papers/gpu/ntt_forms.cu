/* ntt_forms.cu: the papers' transforms over word-size primes ("Fast polynomial multiplication
 * on a GPU", 2010; section 7 of ISSAC 2017), with their steps as separate kernels: Cooley-Tukey
 * with a base case of 16 points, with powers by jumps through one table or in a table per level,
 * and Stockham.
 *
 * Every kernel treats all vectors of a plan. Half words lie in two buffers; if residues are half
 * words already, no conversion runs at the beginning.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "papers/gpu/ntt.cuh"
#include "papers/gpu/rings.h"
#include "gpu/cuda/transform/ntt_block.cuh"

namespace
{

constexpr unsigned base_log = 4;

/* Vectors of 2^log2_n words, `batch` of them for each prime. */
struct vectors {
    unsigned log2_n, batch;
    /* The number of the prime of word i. */
    GFP_HD unsigned prime(size_t i) const
    {
        return (unsigned)(i >> log2_n) / batch;
    }
};

/* ---- steps: every item is one butterfly, base case or word ---- */

/* y[i] of a vector := x in the ring's form, or back to canonical residues. */
template <class ring, class edge>
static __global__ void forms_enter(typename ring::word *y, const edge *x,
                                   const gfp_gpu_prime *primes, vectors v, size_t items)
{
    GFP_FOR_ITEMS(i, items)
    {
        y[i] = ring(primes[v.prime(i)].modulus).enter(x[i]);
    }
}

/* The last step of an inverse multiplies by 1/N. */
template <class ring, class edge>
static __global__ void forms_leave(edge *y, const typename ring::word *x,
                                   const gfp_gpu_prime *primes, vectors v, size_t items, int scaled)
{
    GFP_FOR_ITEMS(i, items)
    {
        const gfp_gpu_prime &prime = primes[v.prime(i)];
        const ring r(prime.modulus);
        typename ring::word value = x[i];
        if (scaled) {
            value = r.mul(value, ring::encode(prime.scale, prime.modulus));
        }
        y[i] = (edge)r.leave(value);
    }
}

/* Block g of 2^base words := the words at bitrev(g), bitrev(g) + N/2^base, ...: the product of
 * log2_n - base stride permutations L_2. base = 0: bit reversal. */
template <class word>
static __global__ void forms_permute(word *y, const word *x, unsigned log2_n, unsigned base,
                                     size_t items)
{
    const unsigned rest = log2_n - base;
    const size_t mask = ((size_t)1 << log2_n) - 1;
    GFP_FOR_ITEMS(i, items)
    {
        const unsigned g = (unsigned)((i & mask) >> base);
        const size_t j = i & (((size_t)1 << base) - 1);
        y[i] = x[(i & ~mask) + bit_reverse(g, rest) + (j << rest)];
    }
}

/* The DFT of 2^B neighbouring words, in natural order and in place. table: w_(2^B)^i at
 * i stride. */
template <class ring, int B>
static __global__ void base_case(typename ring::word *x, const typename ring::power *table,
                                 size_t table_size, size_t stride, const gfp_gpu_prime *primes,
                                 vectors v, size_t items)
{
    GFP_FOR_ITEMS(item, items)
    {
        const size_t prime = v.prime(item << B);
        const ring r(primes[prime].modulus);
        typename ring::word y[1 << B];
        typename ring::power w[1 << B];
        GFP_UNROLLED
        for (int i = 0; i < (1 << B); i++) {
            y[i] = r.reduce(x[(item << B) + (unsigned)i]);
        }
        GFP_UNROLLED
        for (int i = 1; i < (1 << (B - 1)); i++) {
            w[i] = table[prime * table_size + (unsigned)i * stride];
        }
        dft<B>::forward(r, y, w);
        GFP_UNROLLED
        for (int i = 0; i < (1 << B); i++) {
            x[(item << B) + (unsigned)i] = r.reduce(y[reversed(i, B)]);
        }
    }
}

/* The powers of a level in the primes' tables of `size` entries: w^i is entry first + i stride. */
template <class power> struct level_powers {
    const power *table;
    size_t size, first, stride;
    GFP_HD power at(size_t prime, size_t i) const
    {
        return table[prime * size + first + i * stride];
    }
};

/* (X[i], X[h + i]) := X[i] +- X[h + i] w^i over segments of 2h words, w of order 2h. */
template <class ring>
static __global__ void forms_butterflies(typename ring::word *x,
                                         level_powers<typename ring::power> powers, unsigned log2_h,
                                         const gfp_gpu_prime *primes, vectors v, size_t items)
{
    GFP_FOR_ITEMS(item, items)
    {
        const size_t prime = v.prime(2 * item);
        const ring r(primes[prime].modulus);
        const size_t i = item & (((size_t)1 << log2_h) - 1);
        typename ring::word *at = x + ((item >> log2_h << (log2_h + 1)) + i);
        const size_t h = (size_t)1 << log2_h;
        const typename ring::word a = at[0];
        const typename ring::word b = r.mul(at[h], powers.at(prime, i));
        at[0] = r.reduce(r.add(a, b));
        at[h] = r.reduce(r.sub(a, b));
    }
}

/* Stockham's A1, L_2^(2n') x I_s with s = 2^level, 2n' s = N: y[(j n' + i) s + c] := x[(2 i + j) s
 * + c]. */
template <class word>
static __global__ void stride_permute(word *y, const word *x, unsigned log2_n, unsigned level,
                                      size_t items)
{
    const size_t mask = ((size_t)1 << log2_n) - 1;
    GFP_FOR_ITEMS(item, items)
    {
        const size_t place = item & mask;
        const size_t c = place & (((size_t)1 << level) - 1);
        const size_t ji = place >> level;
        const size_t j = ji >> (log2_n - level - 1);
        const size_t i = ji & (((size_t)1 << (log2_n - level - 1)) - 1);
        y[item] = x[(item & ~mask) + ((2 * i + j) << level) + c];
    }
}

/* A2: multiplies word N/2 + t of a vector by w_N^(t with its lowest `level` bits cleared). */
template <class ring>
static __global__ void scale_half(typename ring::word *x, const typename ring::power *table,
                                  size_t table_size, unsigned log2_n, unsigned level,
                                  const gfp_gpu_prime *primes, vectors v, size_t items)
{
    const size_t half = (size_t)1 << (log2_n - 1);
    GFP_FOR_ITEMS(item, items)
    {
        const size_t prime = v.prime(2 * item);
        const ring r(primes[prime].modulus);
        const size_t t = item & (half - 1);
        typename ring::word *at = x + (2 * item - t) + half;
        *at = r.mul(*at, table[prime * table_size + (t >> level << level)]);
    }
}

/* A3: DFT_2 x I_(N/2), from x to y. */
template <class ring>
static __global__ void half_butterflies(typename ring::word *x, unsigned log2_n,
                                        const gfp_gpu_prime *primes, vectors v, size_t items)
{
    const size_t half = (size_t)1 << (log2_n - 1);
    GFP_FOR_ITEMS(item, items)
    {
        const ring r(primes[v.prime(2 * item)].modulus);
        const size_t t = item & (half - 1);
        typename ring::word *at = x + (2 * item - t);
        const typename ring::word a = at[0];
        const typename ring::word b = at[half];
        at[0] = r.reduce(r.add(a, b));
        at[half] = r.reduce(r.sub(a, b));
    }
}

/* z := x c, residues of one prime. */
template <class ring, class edge>
static __global__ void scale_all(edge *z, const edge *x, typename ring::power c,
                                 gfp_gpu_modulus modulus, size_t items)
{
    const ring r(modulus);
    GFP_FOR_ITEMS(i, items)
    {
        z[i] = (edge)r.leave(r.mul(r.enter(x[i]), c));
    }
}

/* ---- powers by doubling ---- */

/* Entries first + s ... first + 2s - 1 := the entries from first on, times w^s. s = 0: entry first
 * := 1. */
template <class ring>
static __global__ void double_expand(typename ring::power *table, size_t table_size, size_t first,
                                     size_t s, const gfp_gpu_prime *primes, size_t count,
                                     int inverse)
{
    GFP_FOR_ITEMS(item, count * (s == 0 ? 1 : s))
    {
        const gfp_gpu_prime &prime = primes[s == 0 ? item : item / s];
        typename ring::power *t = table + (s == 0 ? item : item / s) * table_size + first;
        if (s == 0) {
            t[0] = ring::encode(1, prime.modulus);
        } else {
            const size_t i = item % s;
            const uint64_t step = mod_pow(prime.root[inverse], s, prime.modulus);
            const uint64_t power = ring::decode(t[i], prime.modulus);
            t[s + i] = ring::encode(mod_mul(power, step, prime.modulus), prime.modulus);
        }
    }
}

/* Entry h + i := entry 2h + 2i, i < h: a level takes every second power of the level above. */
template <class power>
static __global__ void every_second(power *table, size_t table_size, size_t h, size_t items)
{
    GFP_FOR_ITEMS(item, items)
    {
        power *t = table + item / h * table_size;
        t[h + item % h] = t[2 * (h + item % h)];
    }
}

template <class ring>
static gfp_status fill_powers(gfp_papers_ntt *plan, int inverse, size_t table_size)
{
    typedef typename ring::power power;
    const bool tabulated = plan->form == GFP_NTT_COOLEY_TUKEY_TABULATED;
    const size_t half = plan->n / 2;
    power *table = (power *)plan->ntt->tables[inverse];
    const size_t first = tabulated ? half : 0;
    for (size_t s = 0; s < half; s = s == 0 ? 1 : 2 * s) {
        GFP_LAUNCH(plan->gpu, double_expand<ring>, item_blocks(plan->count * (s == 0 ? 1 : s)),
                   item_threads, 0, table, table_size, first, s, plan->ntt->device, plan->count,
                   inverse);
    }
    for (size_t h = half / 2; tabulated && h > 0; h /= 2) {
        GFP_LAUNCH(plan->gpu, every_second<power>, item_blocks(plan->count * h), item_threads, 0,
                   table, table_size, h, plan->count * h);
    }
    return GFP_OK;
}

/* ---- engines ---- */

static size_t vector_words(const gfp_papers_ntt *plan)
{
    return plan->count * plan->batch * plan->n;
}

/* Words of one table per prime: N/2 powers, or the powers of all levels. */
static size_t power_count(const gfp_papers_ntt *plan)
{
    return plan->form == GFP_NTT_COOLEY_TUKEY_TABULATED ? plan->n : plan->n / 2;
}

template <class ring> static gfp_status papers_create(gfp_papers_ntt *plan)
{
    typedef typename ring::power power;
    const size_t table_size = power_count(plan);
    size_t tables;
    if (!gfp_size_mul(&tables, plan->count * sizeof(power), table_size)) {
        return GFP_GPU_FAIL(plan->gpu, GFP_ERR_SIZE, "tables for %zu primes are too large",
                            plan->count);
    }
    GFP_TRY(gfp_cuda_ntt_allocate(plan->ntt, tables,
                                  2 * vector_words(plan) * sizeof(typename ring::word)));
    for (int inverse = 0; inverse < 2; inverse++) {
        GFP_TRY(fill_powers<ring>(plan, inverse, table_size));
    }
    return GFP_OK;
}

/* A running transform: the words are in `here`, and the other buffer is free. */
template <class ring> struct run_state {
    typedef typename ring::word word;
    typedef typename ring::power power;
    gfp_papers_ntt *plan;
    const power *table;
    size_t table_size, items;
    vectors shape;
    word *here, *other;

    GFP_GPU_INLINE void swap()
    {
        word *before = here;
        here = other;
        other = before;
    }
    GFP_GPU_INLINE gfp_status mark(unsigned step)
    {
        return gfp_gpu_clock_mark(&plan->clock, step, 1);
    }

    GFP_GPU_INLINE gfp_status permute_from(const word *x, unsigned base)
    {
        GFP_LAUNCH(plan->gpu, forms_permute<word>, item_blocks(items), item_threads, 0, other, x,
                   plan->log2_n, base, items);
        swap();
        return mark(GFP_PAPERS_NTT_PERMUTATION);
    }

    template <int B> GFP_GPU_INLINE gfp_status base_cases()
    {
        GFP_LAUNCH(plan->gpu, (base_case<ring, B>), item_blocks(items >> B), item_threads, 0, here,
                   table, table_size, plan->n >> B, plan->ntt->device, shape, items >> B);
        return mark(GFP_PAPERS_NTT_BASE);
    }

    /* The first tables per level hold the powers of the base case. */
    GFP_GPU_INLINE gfp_status base_cases_of(unsigned log2)
    {
        switch (log2) {
        case 1:
            return base_cases<1>();
        case 2:
            return base_cases<2>();
        case 3:
            return base_cases<3>();
        default:
            return base_cases<base_log>();
        }
    }

    GFP_GPU_INLINE gfp_status cooley_tukey(const word *x)
    {
        const bool tabulated = plan->form == GFP_NTT_COOLEY_TUKEY_TABULATED;
        const unsigned base = plan->log2_n < base_log ? plan->log2_n : base_log;
        GFP_TRY(permute_from(x, base));
        /* The powers of w_N are the table of the top level, if there is a table per level. */
        const power *all = table;
        if (tabulated) {
            table += plan->n / 2;
        }
        GFP_TRY(base_cases_of(base));
        table = all;
        for (unsigned level = base; level < plan->log2_n; level++) {
            const level_powers<power> powers = {table, table_size,
                                                tabulated ? (size_t)1 << level : 0,
                                                tabulated ? 1 : plan->n >> (level + 1)};
            GFP_LAUNCH(plan->gpu, forms_butterflies<ring>, item_blocks(items / 2), item_threads, 0,
                       here, powers, level, plan->ntt->device, shape, items / 2);
            GFP_TRY(mark(GFP_PAPERS_NTT_BUTTERFLY));
        }
        return GFP_OK;
    }

    GFP_GPU_INLINE gfp_status stockham(const word *x)
    {
        for (unsigned level = plan->log2_n; level-- > 0;) {
            GFP_LAUNCH(plan->gpu, stride_permute<word>, item_blocks(items), item_threads, 0, other,
                       x, plan->log2_n, level, items);
            swap();
            x = here;
            GFP_TRY(mark(GFP_PAPERS_NTT_PERMUTATION));
            GFP_LAUNCH(plan->gpu, scale_half<ring>, item_blocks(items / 2), item_threads, 0, here,
                       table, table_size, plan->log2_n, level, plan->ntt->device, shape, items / 2);
            GFP_TRY(mark(GFP_PAPERS_NTT_TWIDDLE));
            GFP_LAUNCH(plan->gpu, half_butterflies<ring>, item_blocks(items / 2), item_threads, 0,
                       here, plan->log2_n, plan->ntt->device, shape, items / 2);
            GFP_TRY(mark(GFP_PAPERS_NTT_BUTTERFLY));
        }
        return GFP_OK;
    }

    template <class edge> GFP_GPU_INLINE gfp_status run(edge *y, const edge *x, bool inverse)
    {
        const word *from = (const word *)x;
        if (!plan->packed) {
            GFP_LAUNCH(plan->gpu, (forms_enter<ring, edge>), item_blocks(items), item_threads, 0,
                       here, x, plan->ntt->device, shape, items);
            GFP_TRY(mark(GFP_PAPERS_NTT_CONVERT));
            from = here;
        }
        GFP_TRY(plan->form == GFP_NTT_STOCKHAM ? stockham(from) : cooley_tukey(from));
        GFP_LAUNCH(plan->gpu, (forms_leave<ring, edge>), item_blocks(items), item_threads, 0, y,
                   here, plan->ntt->device, shape, items, inverse);
        return mark(GFP_PAPERS_NTT_CONVERT);
    }
};

template <class ring>
static gfp_status papers_run(gfp_papers_ntt *plan, void *y, const void *x, bool inverse)
{
    typedef typename ring::word word;
    word *work = (word *)plan->ntt->work;
    const size_t items = vector_words(plan);
    run_state<ring> state = {plan,
                             (const typename ring::power *)plan->ntt->tables[inverse],
                             power_count(plan),
                             items,
                             {plan->log2_n, (unsigned)plan->batch},
                             work,
                             work + items};
    if (plan->packed) {
        return state.run((uint32_t *)y, (const uint32_t *)x, inverse);
    }
    return state.run((uint64_t *)y, (const uint64_t *)x, inverse);
}

template <class ring, class edge>
static gfp_status scale_each(gfp_papers_ntt *plan, edge *z, const edge *x, const uint64_t *c)
{
    const size_t each = plan->batch * plan->n;
    for (size_t i = 0; i < plan->count; i++) {
        const gfp_gpu_modulus &modulus = plan->ntt->prime[i].modulus;
        const typename ring::power constant = ring::encode(c[i] % modulus.q, modulus);
        GFP_LAUNCH(plan->gpu, (scale_all<ring, edge>), item_blocks(each), item_threads, 0,
                   z + i * each, x + i * each, constant, modulus, each);
    }
    return GFP_OK;
}

template <class ring>
static gfp_status papers_scale(gfp_papers_ntt *plan, void *z, const void *x, const uint64_t *c)
{
    return plan->packed ? scale_each<ring, uint32_t>(plan, (uint32_t *)z, (const uint32_t *)x, c)
                        : scale_each<ring, uint64_t>(plan, (uint64_t *)z, (const uint64_t *)x, c);
}

template <class ring> static constexpr gfp_papers_ntt_row forms_row()
{
    return {ring::bits, papers_create<ring>, papers_run<ring>, papers_scale<ring>};
}

} // namespace

const gfp_papers_ntt_row gfp_papers_ntt_rows[GFP_PAPERS_NTT_ROWS] = {forms_row<ring31>(),
                                                                     forms_row<quotient30>()};
