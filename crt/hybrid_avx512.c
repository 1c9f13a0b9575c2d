/* hybrid_avx512.c: the leaf products of the hybrid method by AVX-512 IFMA. Modulo each prime
 * the digits of a leaf become k channels in Z_q[x]/(x^m - g), side by side for all leaves of the
 * call; the channels are multiplied; digits come back by CRT. SPDX-License-Identifier:
 * LGPL-3.0-or-later
 */
#include "hybrid_avx512.h"

#include "field_impl.h"
#include "ntt_ifma.h"

/* Below this many vectors per channel all channels go through the transforms as one array. */
#define FEW_COLUMNS 64

/* Vectors of digits that go through the CRT at once, at least. */
#define CRT_VECTORS 64

static bool serves(unsigned k, uint64_t r)
{
    return k >= 2 && k <= GFP_MAX_K && r >= GFP_FAST_R_MIN && r <= GFP_OUTER_R_MAX;
}

/* 1 - 2^-14 and 1 + 2^-7 have binary logarithms of -5.8 and 735.7 / 65536. */
static unsigned bound_log2(unsigned count)
{
    return count == 3   ? GFP_HYBRID_BITS * GFP_IFMA_BITS_3 - 6
           : count == 4 ? GFP_HYBRID_BITS * GFP_IFMA_BITS_4 + 735
                        : 0;
}

static unsigned log2_max_length(unsigned k, unsigned odd)
{
    (void)k;
    return odd == 1 || odd == 3 || odd == 5 ? GFP_IFMA_LOG2_LENGTH : 0;
}

/* The work space: channels of a for every prime; channels of b for one; residues of a few columns;
 * the node of every leaf and channel. */
typedef struct layout {
    size_t k;
    size_t columns; /* vectors of coefficients */
    size_t step;    /* between channels: odd where they are long, against meeting in a cache set */
    size_t prime_step;
    size_t crt_columns;
    size_t nodes; /* words */
} layout;

static layout layout_of(const gfp_hybrid_shape *shape, size_t leaves)
{
    layout l;
    l.k = shape->outer.field->k;
    l.columns = leaves * (shape->outer.m / 8);
    l.step = l.columns < FEW_COLUMNS ? l.columns : l.columns | 1;
    l.prime_step = l.k * l.step;
    l.crt_columns = l.k < CRT_VECTORS ? CRT_VECTORS / l.k : 1;
    l.nodes = (leaves * l.k + 15) / 16 * 8;
    return l;
}

static size_t work_words(const gfp_hybrid_shape *shape)
{
    layout l = layout_of(shape, shape->group);
    return 8 * ((shape->primes + 1) * l.prime_step + shape->primes * l.crt_columns * l.k) + l.nodes;
}

/* The channels of a for the last prime. */
static size_t late_word(const gfp_hybrid_shape *shape)
{
    return 8 * (shape->primes - 1) * layout_of(shape, 1).prime_step;
}

/* Leaf j is x^m - T^e(j), e(j) = 2k / 2^L reversed_L(j), and channel c has T = theta of order 2k to
 * the power E(c) = reversed_(1 + log2 k)(k + c), its place in the tree of T^(2k) - 1. So the leaf
 * modulo q is x^m - w^(E(c) reversed_L(j)), w of order 2^L, which is the node reversed_L(E(c)
 * reversed_L(j) mod 2^L) at depth L. */
static void fill_nodes(const gfp_ifma_tables *tables, const gfp_hybrid_shape *shape, unsigned first,
                       unsigned count, uint32_t *nodes)
{
    const unsigned k = shape->outer.field->k, log2_size = shape->outer.log2_size;
    const unsigned log2_order = shape->outer.field->log2_k + 1;
    const uint16_t *reversed = tables->reversed;
    const unsigned mask = (1U << log2_size) - 1;
    for (unsigned c = 0; c < k; c++) {
        unsigned exponent = reversed[k + c] >> (9 - log2_order);
        for (unsigned j = first; j < first + count; j++) {
            unsigned leaf = reversed[j] >> (9 - log2_size);
            *nodes++ = (uint32_t)reversed[(exponent * leaf) & mask] >> (9 - log2_size);
        }
    }
}

/* The transforms modulo prime number i of the shape's leaves. */
static gfp_ntt_ifma transforms_of(const gfp_hybrid_shape *shape, const gfp_ifma_tables *tables,
                                  unsigned i)
{
    const unsigned log2_blocks = gfp_ifma_log2_blocks(shape);
    const unsigned log2_plain = gfp_ifma_log2_plain(shape);
    const gfp_ifma_roots *roots = &tables->roots[i];
    gfp_ntt_ifma ntt = {.prime = &gfp_ntt48_primes[i], .inverse_q = tables->inverse_q[i]};
    ntt.forward = atomic_load_explicit(&roots->plain[log2_plain], memory_order_acquire);
    ntt.inverse = ntt.forward + ((size_t)1 << log2_plain);
    ntt.odd = shape->odd;
    ntt.log2_blocks = log2_blocks;
    if (shape->odd != 1) {
        const unsigned log2_nodes = shape->outer.log2_size + log2_blocks;
        ntt.odd_roots =
            atomic_load_explicit(&roots->odd[shape->odd / 4][log2_nodes], memory_order_acquire);
        ntt.dft_roots = tables->dft[i][shape->odd / 4];
    }
    return ntt;
}

/* The channels x of one operand times those of the other, y, count leaves of them. */
static void multiply_channels(const gfp_ntt_ifma *ntt, const layout *l, __m512i *x, __m512i *y,
                              unsigned count, const uint32_t *nodes)
{
    if (l->step == l->columns) {
        gfp_ntt_ifma_multiply(ntt, x, y, l->k * count, nodes);
        return;
    }
    for (size_t c = 0; c < l->k; c++) {
        gfp_ntt_ifma_multiply(ntt, x + c * l->step, y + c * l->step, count, nodes + c * count);
    }
}

/* Digits from the channels of all primes, a few columns at a time: columns from <= v < to. */
static void recombine(const gfp_hybrid_shape *shape, const gfp_ifma_tables *tables, const layout *l,
                      __m512i *digits, const __m512i *channels, __m512i *residues, size_t from,
                      size_t to)
{
    const gfp_field *field = shape->outer.field;
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[field->log2_k - 1];
    const unsigned set = shape->primes - 3, log2_blocks = gfp_ifma_log2_blocks(shape);
    const size_t step = l->crt_columns * l->k;
    gfp_ifma_split_kernel *split = gfp_ifma_split_kernel_get(shape->primes, field->r);
    for (size_t column = from; column < to; column += l->crt_columns) {
        size_t left = to - column, n = left < l->crt_columns ? left : l->crt_columns;
        for (unsigned i = 0; i < shape->primes; i++) {
            kernels->interpolate(&gfp_ntt48_primes[i], transforms_of(shape, tables, i).inverse,
                                 tables->scale[set][shape->odd / 2][log2_blocks][i],
                                 residues + i * step, channels + i * l->prime_step + column,
                                 l->step, n);
        }
        split(&tables->split[set], field->r, digits + column * l->k, residues, step, field->k, n);
    }
}

/* x := the channels of a b modulo prime number i, y being those of b; b may equal a. */
static void multiply_modulo(const gfp_hybrid_shape *shape, const gfp_ifma_tables *tables,
                            const layout *l, unsigned i, __m512i *x, __m512i *y, const int64_t *a,
                            const int64_t *b, unsigned count, const uint32_t *nodes)
{
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[shape->outer.field->log2_k - 1];
    const gfp_ntt_ifma ntt = transforms_of(shape, tables, i);
    y = b == a ? x : y;
    if (b != a) { /* first: b may lie at x */
        kernels->evaluate(ntt.prime, ntt.forward, y, l->step, (const __m512i *)b, l->columns);
    }
    kernels->evaluate(ntt.prime, ntt.forward, x, l->step, (const __m512i *)a, l->columns);
    multiply_channels(&ntt, l, x, y, count, nodes);
}

static void multiply(const gfp_hybrid_shape *shape, int64_t *a, const int64_t *b, unsigned first,
                     unsigned count, uint64_t *work)
{
    const gfp_field *field = shape->outer.field;
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(field);
    const layout l = layout_of(shape, count);
    __m512i *channels_a = (__m512i *)work;
    __m512i *channels_b = channels_a + shape->primes * l.prime_step;
    __m512i *residues = channels_b + l.prime_step;
    uint32_t *nodes = (uint32_t *)(residues + shape->primes * l.crt_columns * l.k);

    fill_nodes(tables, shape, first, count, nodes);
    for (unsigned i = 0; i < shape->primes; i++) {
        multiply_modulo(shape, tables, &l, i, channels_a + i * l.prime_step, channels_b, a, b,
                        count, nodes);
    }
    recombine(shape, tables, &l, (__m512i *)a, channels_a, residues, 0, l.columns);
}

/* For each prime the channels of a leaf of a, then those of b, then the nodes. */
static void part_words(const gfp_hybrid_shape *shape, size_t words[2])
{
    const layout l = layout_of(shape, 1);
    words[0] = shape->primes * (2 * 8 * l.prime_step + l.nodes);
    words[1] = 8 * shape->primes * l.crt_columns * l.k;
}

static void residues(const gfp_hybrid_shape *shape, const int64_t *a, const int64_t *b,
                     unsigned leaf, unsigned prime, uint64_t *area)
{
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(shape->outer.field);
    const layout l = layout_of(shape, 1);
    __m512i *x = (__m512i *)area + prime * l.prime_step;
    __m512i *y = x + shape->primes * l.prime_step;
    uint64_t *rest = area + 2 * 8 * shape->primes * l.prime_step;
    uint32_t *nodes = (uint32_t *)(rest + prime * l.nodes);
    fill_nodes(tables, shape, leaf, 1, nodes);
    multiply_modulo(shape, tables, &l, prime, x, y, a, b, 1, nodes);
}

static void restore(const gfp_hybrid_shape *shape, int64_t *a, size_t v0, size_t v1,
                    const uint64_t *area, uint64_t *work)
{
    const layout l = layout_of(shape, 1);
    recombine(shape, gfp_ifma_tables_get(shape->outer.field), &l, (__m512i *)a,
              (const __m512i *)area, (__m512i *)work, v0, v1);
}

/* ---- products in parts ---- */

static size_t parts_words(const gfp_hybrid_shape *shape, unsigned count)
{
    return 8 * shape->primes * layout_of(shape, count).prime_step;
}

/* The parts of the work area behind the channels of the primes and of one operand. */
typedef struct places {
    __m512i *channels;
    __m512i *residues;
    uint32_t *nodes;
} places;

static places places_of(const gfp_hybrid_shape *shape, const gfp_ifma_tables *tables,
                        const layout *l, unsigned first, unsigned count, uint64_t *work)
{
    places p;
    p.channels = (__m512i *)work;
    p.residues = p.channels + (shape->primes + 1) * l->prime_step;
    p.nodes = (uint32_t *)(p.residues + shape->primes * l->crt_columns * l->k);
    fill_nodes(tables, shape, first, count, p.nodes);
    return p;
}

/* An operand of more words than this, 1 MiB, is not in the second-level cache. */
#define FAR_WORDS ((size_t)1 << 17)

/* gfp_ntt_ifma_steps of all channels of one prime. */
static void channel_steps(const gfp_ntt_ifma *ntt, const layout *l, __m512i *x, const __m512i *y,
                          unsigned count, const uint32_t *nodes, unsigned steps)
{
    if (l->step == l->columns) {
        gfp_ntt_ifma_steps(ntt, x, y, l->k * count, nodes, steps);
        return;
    }
    for (size_t c = 0; c < l->k; c++) {
        gfp_ntt_ifma_steps(ntt, x + c * l->step, y + c * l->step, count, nodes + c * count, steps);
    }
}

static void parts_transform(const gfp_hybrid_shape *shape, uint64_t *x, const int64_t *digits,
                            unsigned first, unsigned count, uint64_t *work)
{
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(shape->outer.field);
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[shape->outer.field->log2_k - 1];
    const layout l = layout_of(shape, count);
    const places p = places_of(shape, tables, &l, first, count, work);
    for (unsigned i = 0; i < shape->primes; i++) {
        const gfp_ntt_ifma ntt = transforms_of(shape, tables, i);
        __m512i *z = (__m512i *)x + i * l.prime_step;
        kernels->evaluate(ntt.prime, ntt.forward, z, l.step, (const __m512i *)digits, l.columns);
        channel_steps(&ntt, &l, z, z, count, p.nodes, GFP_IFMA_FORWARD);
    }
}

static void parts_multiply(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x,
                           const uint64_t *y, unsigned first, unsigned count, int sign,
                           uint64_t *work)
{
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(shape->outer.field);
    const layout l = layout_of(shape, count);
    const places p = places_of(shape, tables, &l, first, count, work);
    for (unsigned i = 0; i < shape->primes; i++) {
        const gfp_ntt_ifma ntt = transforms_of(shape, tables, i);
        const bool joined = l.step == l.columns; /* all channels as one array */
        const size_t arrays = joined ? 1 : l.k, leaves = joined ? l.k * count : count;
        for (size_t c = 0; c < arrays; c++) {
            const size_t at = i * l.prime_step + c * l.step;
            gfp_ntt_ifma_accumulate(&ntt, (__m512i *)z + at, (const __m512i *)x + at,
                                    (const __m512i *)y + at, leaves, p.nodes + c * count, sign);
        }
    }
}

static void parts_add(const gfp_hybrid_shape *shape, uint64_t *z, const uint64_t *x,
                      const uint64_t *y, unsigned count, bool subtract)
{
    const layout l = layout_of(shape, count);
    for (unsigned i = 0; i < shape->primes; i++) {
        for (size_t c = 0; c < l.k; c++) {
            const size_t at = i * l.prime_step + c * l.step;
            gfp_ntt_ifma_add(&gfp_ntt48_primes[i], (__m512i *)z + at, (const __m512i *)x + at,
                             (const __m512i *)y + at, l.columns, subtract);
        }
    }
}

static void parts_restore(const gfp_hybrid_shape *shape, int64_t *digits, uint64_t *x,
                          unsigned first, unsigned count, size_t terms, uint64_t *work)
{
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(shape->outer.field);
    const layout l = layout_of(shape, count);
    const places p = places_of(shape, tables, &l, first, count, work);
    (void)terms; /* the split serves all that the primes do */
    for (unsigned i = 0; i < shape->primes; i++) {
        const gfp_ntt_ifma ntt = transforms_of(shape, tables, i);
        __m512i *z = (__m512i *)x + i * l.prime_step;
        channel_steps(&ntt, &l, z, z, count, p.nodes, GFP_IFMA_INVERSE);
    }
    recombine(shape, tables, &l, (__m512i *)digits, (__m512i *)x, p.residues, 0, l.columns);
}

static void parts_multiply_by(const gfp_hybrid_shape *shape, int64_t *a, const uint64_t *y,
                              unsigned first, unsigned count, size_t terms, uint64_t *work)
{
    const gfp_ifma_tables *tables = gfp_ifma_tables_get(shape->outer.field);
    const gfp_ifma_leaf_kernels *kernels = &gfp_ifma_leaf_table[shape->outer.field->log2_k - 1];
    const layout l = layout_of(shape, count);
    const places p = places_of(shape, tables, &l, first, count, work);
    const size_t operand = shape->primes * l.k * shape->outer.leaves * shape->outer.m;
    const unsigned far = operand > FAR_WORDS ? GFP_IFMA_FAR : 0;
    (void)terms;
    for (unsigned i = 0; i < shape->primes; i++) {
        const gfp_ntt_ifma ntt = transforms_of(shape, tables, i);
        __m512i *x = p.channels + i * l.prime_step;
        kernels->evaluate(ntt.prime, ntt.forward, x, l.step, (const __m512i *)a, l.columns);
        channel_steps(&ntt, &l, x, (const __m512i *)y + i * l.prime_step, count, p.nodes,
                      GFP_IFMA_FORWARD | GFP_IFMA_MULTIPLY | GFP_IFMA_INVERSE | far);
    }
    recombine(shape, tables, &l, (__m512i *)a, p.channels, p.residues, 0, l.columns);
}

static const gfp_hybrid_parts parts = {
    .words = parts_words,
    .transform = parts_transform,
    .multiply = parts_multiply,
    .add = parts_add,
    .restore = parts_restore,
    .multiply_by = parts_multiply_by,
};

const gfp_hybrid_engine gfp_hybrid_avx512ifma = {
    .name = "avx512ifma",
    .serves = serves,
    .bound_log2 = bound_log2,
    .log2_max_length = log2_max_length,
    .work_words = work_words,
    .late_word = late_word,
    .prepare = gfp_ifma_tables_prepare,
    .multiply = multiply,
    .part_words = part_words,
    .residues = residues,
    .restore = restore,
    .parts = &parts,
};
