/* hybrid.cu: the engine of hybrid products on the device: an outer DFT over Z/pZ on digits
 * (hybrid_outer.h), and leaves modulo a few primes below 2^30 (hybrid_leaf.h). No table depends on
 * p.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "gpu/cuda/product/hybrid_leaf.h"
#include "gpu/cuda/product/hybrid_outer.h"
#include "gpu/cuda/impl.h"
#include "gpu/product_engine.h"

#define MAX_K 256
#define BLOCK 4          /* m: leaves split down to X^m - g; long leaves may use m = 8 */
#define MIN_LOG2_UNITS 2 /* log2 of the least number of blocks of a leaf */
#define MAX_LOG2_M 4     /* log2 of the greatest size of the outer DFT, unless leaves need more */
#define MAX_ROW_LEVELS 10
#define MIN_PRIMES 3

/* The decomposition of products modulo X^N - 1. */
typedef struct hybrid_shape {
    unsigned k, log2_k;
    uint64_t r;
    unsigned log2_m;     /* M */
    unsigned log2_units; /* log2 of the blocks of a leaf */
    unsigned block;      /* m */
    size_t leaf;         /* L = m 2^log2_units */
    unsigned edge;       /* levels of a leaf in the first pass, */
    unsigned columns;    /* number of passes of four levels, */
    unsigned row;        /* and levels in the rows */
    unsigned primes;
    bool small; /* products of leaves are one kernel on digits; transforms of factors are digits */
    uint32_t q[GFP_HYBRID_LEAF_PRIMES];
} hybrid_shape;

typedef struct hybrid_state {
    hybrid_shape shape;
    gfp_gpu_leaf_pass pass; /* everything but areas and depths */
    size_t table_bytes, digit_bytes;
    gfp_leaf_factor *tables[2]; /* W and its inverses */
    int64_t *digits;            /* of one factor, or of the product, for the whole batch */
} hybrid_state;

/* Writes the known primes of the order 2^log2_order to q; returns their number. */
static unsigned find_primes(uint32_t *q, unsigned log2_order)
{
    const uint32_t *known = gfp_hybrid::leaf_primes[log2_order - gfp_hybrid::MIN_LOG2_ORDER];
    unsigned count = 0;
    while (count < GFP_HYBRID_LEAF_PRIMES && known[count] != 0) {
        q[count] = known[count];
        count++;
    }
    return count;
}

/* Chooses levels and primes for blocks X^block - g. Returns false if the primes, or the levels of
 * rows, do not suffice. */
static bool choose_block(hybrid_shape *s, size_t terms, unsigned block)
{
    s->block = block;
    s->log2_units = (unsigned)__builtin_ctzll(s->leaf) - (unsigned)__builtin_ctz(block);
    s->edge = s->log2_units <= MAX_ROW_LEVELS ? 0 : gfp_gpu_leaf_edge_levels(s->log2_k);
    const unsigned rest = s->log2_units - s->edge;
    s->columns = rest <= MAX_ROW_LEVELS ? 0 : (rest - MAX_ROW_LEVELS + 3) / 4;
    s->row = rest - 4 * s->columns;
    const unsigned log2_order = s->log2_k + 1 + s->log2_units;
    if (log2_order > gfp_hybrid::MAX_LOG2_ORDER || (block != BLOCK && s->columns == 0)) {
        return false;
    }
    const unsigned found = find_primes(s->q, log2_order);
    for (s->primes = MIN_PRIMES; s->primes <= found; s->primes++) {
        if (gfp_hybrid::crt_fits(s->q, (int)s->primes, s->k, s->r, terms)) {
            return true;
        }
    }
    return false;
}

/* Chooses leaves for an outer DFT of 2^log2_m points. */
static bool choose_leaves(hybrid_shape *s, const gfp_gpu *gpu, size_t n, size_t terms,
                          unsigned log2_m)
{
    s->log2_m = log2_m;
    s->leaf = n >> log2_m;
    const size_t sums = terms < s->leaf ? terms : s->leaf;
    if (!choose_block(s, sums, BLOCK) &&
        (gfp_cuda_device_of(gpu)->shared_per_block < GFP_HYBRID_LEAF_SHARED_8 ||
         !choose_block(s, sums, 2 * BLOCK))) {
        return false;
    }
    s->small = s->block == BLOCK && gfp_gpu_leaf_is_small(gpu, s->log2_k, s->r, s->leaf, s->primes);
    return true;
}

/* shared: for shares, which have at most 2^GFP_GPU_SHARE_LOG2_M leaves. */
static bool hybrid_choose(hybrid_shape *shape, const gfp_gpu *gpu, const gfp_field *field, size_t n,
                          size_t terms, bool shared)
{
    hybrid_shape s = {};
    s.k = gfp_field_k(field);
    s.r = gfp_field_r(field);
    s.log2_k = (unsigned)__builtin_ctz(s.k);
    const unsigned log2_n = (unsigned)__builtin_ctzll(n), least = MIN_LOG2_UNITS + 2;
    const unsigned all = log2_n - least < s.log2_k + 1 ? log2_n - least : s.log2_k + 1;
    const unsigned most = shared && all > GFP_GPU_SHARE_LOG2_M ? GFP_GPU_SHARE_LOG2_M : all;
    hybrid_shape t = s;
    /* Short products take fewer outer points, so that leaves are small and launches few. For
     * greater k a small leaf would be shorter than any leaf. */
    const unsigned small = GFP_HYBRID_LEAF_LOG2_SMALL - s.log2_k;
    if (small >= least && log2_n >= small && log2_n - small <= s.log2_k + 1 &&
        choose_leaves(&t, gpu, n, terms, log2_n - small) && t.small) {
        *shape = t;
        return true;
    }
    if (!choose_leaves(&s, gpu, n, terms, most)) {
        return false;
    }
    /* An outer DFT of 32 points is slower than one of 16, and more points take a second pass. A few
     * more levels of leaves cost less, unless they take another prime or pass. */
    const bool shorter = most > MAX_LOG2_M && !s.small &&
                         choose_leaves(&t, gpu, n, terms, MAX_LOG2_M) && t.primes <= s.primes &&
                         t.block <= s.block && t.columns <= s.columns;
    *shape = shorter ? t : s;
    return true;
}

static size_t hybrid_length(const gfp_gpu *gpu, const gfp_field *field, size_t n, size_t terms,
                            char *why, size_t size)
{
    const unsigned k = gfp_field_k(field);
    if (k > MAX_K || !gfp_gpu_outer_serves(k, gfp_field_r(field))) {
        snprintf(why, size, "hybrid_gpu serves k <= %d and 2^32 <= r < 2^64 - 2^27", MAX_K);
        return 0;
    }
    size_t length = (size_t)BLOCK << MIN_LOG2_UNITS;
    while (length < n && length <= SIZE_MAX / 4) {
        length *= 2;
    }
    hybrid_shape shape;
    if (length < n || !hybrid_choose(&shape, gpu, field, length, terms, false)) {
        snprintf(why, size, "too long: %d primes below 2^30 do not hold the coefficients",
                 GFP_HYBRID_LEAF_PRIMES);
        return 0;
    }
    return length;
}

/* ---- sizes ---- */

/* Words of the residues modulo one prime. Saturates. */
static size_t plane_words(const hybrid_shape *s, size_t leaves)
{
    const size_t tile = (size_t)GFP_HYBRID_LEAF_TILE * s->block;
    const size_t words = gfp_size_mul_sat(leaves, s->leaf * s->k);
    return words > SIZE_MAX - tile ? SIZE_MAX : (words + tile - 1) / tile * tile;
}

static size_t table_entries(const hybrid_shape *s)
{
    return (size_t)s->k << s->log2_units;
}

/* The leaves of the plan: of all polynomials of the batch, or the member's. */
static size_t leaves_of(const gfp_gpu_cyclic *plan, const hybrid_shape *s)
{
    const unsigned all = 1u << s->log2_m;
    return plan->members == 0 ? gfp_size_mul_sat(plan->batch, all)
                              : gfp_gpu_share_first(all, plan->members, plan->member + 1) -
                                    gfp_gpu_share_first(all, plan->members, plan->member);
}

/* Words of the digits of these leaves. Saturates. */
static size_t digit_words(const hybrid_shape *s, size_t leaves)
{
    return gfp_size_mul_sat(leaves, s->leaf * s->k);
}

/* Bytes of the digits of a plan, which for shares are those of all leaves. */
static size_t digit_bytes(const gfp_gpu_cyclic *plan, const hybrid_shape *s)
{
    const size_t leaves = plan->members == 0 ? leaves_of(plan, s) : (size_t)1 << s->log2_m;
    return s->small ? 0 : gfp_size_mul_sat(digit_words(s, leaves), sizeof(int64_t));
}

static size_t transform_words(const gfp_gpu_cyclic *plan, const hybrid_shape *s)
{
    if (s->small) {
        return digit_words(s, leaves_of(plan, s));
    }
    return gfp_size_mul_sat(plane_words(s, leaves_of(plan, s)), s->primes) / 2 + 1;
}

static size_t hybrid_bytes(const gfp_gpu_cyclic *plan, size_t *words)
{
    hybrid_shape s;
    if (!hybrid_choose(&s, plan->gpu, plan->field, plan->n, plan->terms, plan->members != 0)) {
        return SIZE_MAX;
    }
    *words = transform_words(plan, &s);
    const size_t tables = 2 * sizeof(gfp_leaf_factor) * s.primes * table_entries(&s);
    const size_t digits = digit_bytes(plan, &s);
    return digits > SIZE_MAX - tables ? SIZE_MAX : digits + tables;
}

/* ---- plans ---- */

static uint32_t root_of_order(uint32_t q, unsigned log2_order)
{
    for (uint64_t x = 2;; x++) {
        const uint64_t w = gfp_hybrid::power_mod(x, (q - 1) >> log2_order, q);
        if (gfp_hybrid::power_mod(w, (uint64_t)1 << (log2_order - 1), q) == q - 1) {
            return (uint32_t)w;
        }
    }
}

/* The constant w for `scaled`, with a rounded companion. */
static gfp_leaf_factor make_scale(uint64_t w, uint32_t q)
{
    return {(uint32_t)w, (uint32_t)(((w << 32) + q / 2) / q)};
}

static gfp_status fill_tables(gfp_gpu *gpu, const hybrid_state *s)
{
    const hybrid_shape *shape = &s->shape;
    const unsigned log2_entries = shape->log2_k + shape->log2_units;
    uint32_t roots[64 * GFP_HYBRID_LEAF_PRIMES] = {0}, *device = nullptr;
    for (unsigned i = 0; i < shape->primes; i++) {
        const uint32_t q = shape->q[i];
        uint64_t w = root_of_order(q, log2_entries + 1);
        /* W[2^t] is of order 2^(t + 2). */
        for (unsigned t = log2_entries; t-- > 0; w = w * w % q) {
            roots[64 * i + t] = (uint32_t)w;
            roots[64 * i + 32 + t] = (uint32_t)gfp_hybrid::power_mod(w, q - 2, q);
        }
    }
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&device, sizeof roots));
    gfp_status status = gfp_gpu_device_fill(gpu, device, roots, sizeof roots);
    if (status == GFP_OK) {
        status = gfp_gpu_leaf_tables(gpu, &s->pass, device);
    }
    gfp_gpu_device_release(gpu, device, sizeof roots);
    return status;
}

template <int N> static void make_constants(hybrid_state *s, gfp_hybrid::crt<N> *crt)
{
    const hybrid_shape *shape = &s->shape;
    gfp_hybrid::make_crt(crt, shape->r, shape->q);
    for (int i = 0; i < N; i++) {
        const uint32_t q = shape->q[i];
        /* Both projections and the product divide by 2^32 each, and the levels forwards and
         * backwards multiply by k 2^log2_units. */
        const uint64_t order = (uint64_t)shape->k << shape->log2_units;
        uint64_t scale = gfp_hybrid::power_mod(2, 96, q) * gfp_hybrid::power_mod(order, q - 2, q) %
                         q * crt->scale[i] % q;
        s->pass.q[i] = q;
        s->pass.twice[i] = 2 * q;
        s->pass.less[i] = 0 - 2 * q;
        s->pass.inverse[i] = gfp_hybrid::inverse_of(q);
        s->pass.scale[i] = make_scale(scale, q);
    }
}

static gfp_status hybrid_make(gfp_gpu_cyclic *plan, hybrid_state *s)
{
    gfp_gpu *gpu = plan->gpu;
    hybrid_shape *shape = &s->shape;
    if (!hybrid_choose(shape, gpu, plan->field, plan->n, plan->terms, plan->members != 0)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE, "hybrid_gpu does not serve these lengths");
    }
    if (plan->members != 0 && (shape->small || plan->members > 1u << shape->log2_m)) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE,
                            "products modulo X^%zu - 1 cannot be dealt over %u members", plan->n,
                            plan->members);
    }
    s->pass.radix = gfp_hybrid::make_radix(shape->r);
    switch (shape->primes) {
    case 3:
        make_constants(s, &s->pass.crt.of3);
        break;
    case 4:
        make_constants(s, &s->pass.crt.of4);
        break;
    case 5:
        make_constants(s, &s->pass.crt.of5);
        break;
    default:
        make_constants(s, &s->pass.crt.of6);
    }
    s->table_bytes = sizeof(gfp_leaf_factor) * shape->primes * table_entries(shape);
    s->digit_bytes = digit_bytes(plan, shape);
    for (gfp_leaf_factor *&table : s->tables) {
        GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&table, s->table_bytes));
    }
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&s->digits, s->digit_bytes));
    gfp_gpu_leaf_pass *pass = &s->pass;
    pass->leaves = leaves_of(plan, shape);
    pass->first = plan->members == 0
                      ? 0
                      : gfp_gpu_share_first(1u << shape->log2_m, plan->members, plan->member);
    pass->length = shape->leaf;
    pass->plane = plane_words(shape, pass->leaves);
    pass->table = table_entries(shape);
    pass->forward = s->tables[0];
    pass->backward = s->tables[1];
    pass->digits = s->digits + digit_words(shape, pass->first);
    pass->log2_m = shape->log2_m;
    pass->log2_k = shape->log2_k;
    pass->primes = shape->primes;
    plan->words = transform_words(plan, shape);
    return fill_tables(gpu, s);
}

static void hybrid_release(gfp_gpu *gpu, hybrid_state *s)
{
    for (gfp_leaf_factor *table : s->tables) {
        gfp_gpu_device_release(gpu, table, s->table_bytes);
    }
    gfp_gpu_device_release(gpu, s->digits, s->digit_bytes);
    gfp_release(&gpu->allocator, s, 1, sizeof *s);
}

static gfp_status hybrid_create(gfp_gpu_cyclic *plan)
{
    gfp_gpu *gpu = plan->gpu;
    hybrid_state *s = (hybrid_state *)gfp_allocate(&gpu->allocator, 1, sizeof *s);
    if (s == nullptr) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset((void *)s, 0, sizeof *s);
    const gfp_status status = hybrid_make(plan, s);
    if (status != GFP_OK) {
        hybrid_release(gpu, s);
        return status;
    }
    plan->state = s;
    return GFP_OK;
}

static void hybrid_destroy(gfp_gpu_cyclic *plan)
{
    hybrid_release(plan->gpu, (hybrid_state *)plan->state);
}

/* ---- products ---- */

static gfp_gpu_outer outer_of(const gfp_gpu_cyclic *plan, const hybrid_shape *s)
{
    gfp_gpu_outer outer = {};
    outer.k = s->k;
    outer.r = s->r;
    outer.log2_m = s->log2_m;
    outer.leaf = s->leaf;
    outer.batch = plan->batch;
    return outer;
}

/* Leaves may not fill the last tile of the rows' kernel. The rest of a plane is computed with the
 * other words, whatever its value, and no result depends on it. prepare_area sets the rest once,
 * for tools that report reads of memory that was never written. */
static gfp_status prepare_area(const gfp_gpu_cyclic *plan, uint64_t *t)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    const gfp_gpu_leaf_pass *pass = &s->pass;
    const uint64_t used = (pass->leaves << pass->log2_k) * pass->length;
    for (unsigned i = 0; i < pass->primes && used < pass->plane && !s->shape.small; i++) {
        GFP_CUDA_TRY(plan->gpu, cudaMemsetAsync((uint32_t *)t + i * pass->plane + used, 0,
                                                (pass->plane - used) * sizeof *pass->a,
                                                gfp_cuda_of(plan->gpu)->stream));
    }
    return GFP_OK;
}

/* The levels of leaves between the split and the rows. */
static gfp_status forward_columns(const gfp_gpu_cyclic *plan, gfp_gpu_leaf_pass *pass)
{
    const hybrid_shape *shape = &((const hybrid_state *)plan->state)->shape;
    pass->depth = shape->edge;
    for (unsigned i = 0; i < shape->columns; i++) {
        GFP_TRY(gfp_gpu_leaf_columns(plan->gpu, pass, true));
        pass->depth += 4;
    }
    return GFP_OK;
}

/* Products of leaves, and the way back up to the pass that makes digits. */
static gfp_status multiply_leaves(const gfp_gpu_cyclic *plan, gfp_gpu_leaf_pass *pass)
{
    const hybrid_shape *shape = &((const hybrid_state *)plan->state)->shape;
    pass->product = 1;
    pass->depth = shape->edge + 4 * shape->columns;
    GFP_TRY(gfp_gpu_leaf_rows(plan->gpu, pass, shape->row, shape->block));
    for (unsigned i = 0; i < shape->columns; i++) {
        pass->depth -= 4;
        GFP_TRY(gfp_gpu_leaf_columns(plan->gpu, pass, false));
    }
    return GFP_OK;
}

static gfp_status hybrid_transform(gfp_gpu_cyclic *plan, uint64_t *t, const uint64_t *x, size_t len,
                                   size_t stride, bool kept)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    const hybrid_shape *shape = &s->shape;
    const gfp_gpu_outer outer = outer_of(plan, shape);
    gfp_gpu_leaf_pass pass = s->pass;
    if (shape->small) {
        return gfp_gpu_outer_forward(plan->gpu, &outer, (int64_t *)t, x, len, stride);
    }
    pass.a = (uint32_t *)t;
    GFP_TRY(gfp_gpu_outer_forward(plan->gpu, &outer, s->digits, x, len, stride));
    GFP_TRY(gfp_gpu_leaf_split(plan->gpu, &pass, shape->log2_k, shape->edge));
    GFP_TRY(forward_columns(plan, &pass));
    return kept ? gfp_gpu_leaf_rows(plan->gpu, &pass, shape->row, shape->block) : GFP_OK;
}

static gfp_status hybrid_multiply(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n,
                                  size_t stride, uint64_t *ta, uint64_t *tb, bool tb_kept)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    const hybrid_shape *shape = &s->shape;
    const gfp_gpu_outer outer = outer_of(plan, shape);
    gfp_gpu_leaf_pass pass = s->pass;
    pass.a = (uint32_t *)ta;
    pass.b = (uint32_t *)tb;
    if (shape->small) {
        pass.digits = (int64_t *)ta;
        GFP_TRY(gfp_gpu_leaf_small(plan->gpu, &pass));
        return gfp_gpu_outer_inverse(plan->gpu, &outer, c, first, n, stride, pass.digits);
    }
    pass.b_done = tb_kept;
    GFP_TRY(multiply_leaves(plan, &pass));
    GFP_TRY(gfp_gpu_leaf_settle(plan->gpu, &pass, shape->log2_k, shape->edge));
    return gfp_gpu_outer_inverse(plan->gpu, &outer, c, first, n, stride, s->digits);
}

/* ---- shares of products dealt over several devices ---- */

static gfp_gpu_share_shape share_shape(const gfp_gpu_cyclic *plan)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    return {1u << s->shape.log2_m, 1u << s->shape.edge, s->shape.leaf >> s->shape.edge,
            (uint64_t *)s->digits};
}

static gfp_status share_project(gfp_gpu_cyclic *plan, uint64_t *t, const gfp_gpu_blocks *x,
                                size_t len, gfp_gpu_columns columns)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    const hybrid_shape *shape = &s->shape;
    const gfp_gpu_outer_share share = {outer_of(plan, shape), 1u << shape->edge, columns};
    gfp_gpu_leaf_pass pass = s->pass;
    pass.a = (uint32_t *)t;
    pass.from = columns.from;
    pass.width = columns.to - columns.from;
    if (pass.width == 0) {
        return GFP_OK;
    }
    GFP_TRY(gfp_gpu_outer_forward_share(plan->gpu, &share, pass.digits, x, len, pass.first,
                                        (unsigned)pass.leaves));
    return gfp_gpu_leaf_split(plan->gpu, &pass, shape->log2_k, shape->edge);
}

static gfp_status share_transform(gfp_gpu_cyclic *plan, uint64_t *t)
{
    gfp_gpu_leaf_pass pass = ((const hybrid_state *)plan->state)->pass;
    pass.a = (uint32_t *)t;
    return forward_columns(plan, &pass);
}

static gfp_status share_multiply(gfp_gpu_cyclic *plan, uint64_t *ta, uint64_t *tb, unsigned first,
                                 unsigned end)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    gfp_gpu_leaf_pass pass = s->pass;
    const uint64_t before = (first - pass.first) * (pass.length << pass.log2_k);
    pass.a = (uint32_t *)ta + before;
    pass.b = (uint32_t *)tb + before;
    pass.digits += before;
    pass.first = first;
    pass.leaves = end - first;
    GFP_TRY(multiply_leaves(plan, &pass));
    return gfp_gpu_leaf_settle(plan->gpu, &pass, s->shape.log2_k, s->shape.edge);
}

static gfp_status share_restore(gfp_gpu_cyclic *plan, uint64_t *c, size_t first, size_t n)
{
    const hybrid_state *s = (const hybrid_state *)plan->state;
    const gfp_gpu_outer outer = outer_of(plan, &s->shape);
    return gfp_gpu_outer_inverse(plan->gpu, &outer, c, first, n, n, s->digits);
}

static const gfp_gpu_share_calls hybrid_shares = {share_shape, share_project, share_transform,
                                                  share_multiply, share_restore};

const gfp_gpu_product_engine gfp_gpu_product_hybrid = {
    GFP_GPU_METHOD_HYBRID, hybrid_length,    hybrid_bytes,    hybrid_create, hybrid_destroy,
    prepare_area,          hybrid_transform, hybrid_multiply, nullptr,       nullptr,
    &hybrid_shares};
