/* plan.c: plans for word-size primes: the choice of kernels, the tables of powers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/primes/factor.h"
#include "fft/impl.h"
#include "papers/ntt/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

/* ---- checks of arguments ---- */

static gfp_status check_modulus(uint64_t q, gfp_ntt_product product, gfp_error *error)
{
    const unsigned long long value = q;
    if (q >> GFP_NTT_MAX_BITS != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "modulus %llu is not below 2^%d", value,
                             GFP_NTT_MAX_BITS);
    }
    if (q % 2 == 0 || !gfp_word_is_prime(q)) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "modulus %llu is not an odd prime", value);
    }
    if (product == GFP_NTT_DOUBLE_QUOTIENT && q >> GFP_NTT_DOUBLE_QUOTIENT_BITS != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "modulus %llu is not below 2^%d, the double quotient's limit", value,
                             GFP_NTT_DOUBLE_QUOTIENT_BITS);
    }
    return GFP_OK;
}

static gfp_status check_length(uint64_t q, size_t n, gfp_error *error)
{
    if (n == 0 || (n & (n - 1)) != 0) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "transform length %zu is not a power of two",
                             n);
    }
    if (n > SIZE_MAX / 64) { /* the tables and the padding fit a size_t */
        return gfp_error_set(error, GFP_ERR_SIZE, "transform length %zu is too large", n);
    }
    if ((q - 1) % n != 0) {
        return gfp_error_set(error, GFP_ERR_NO_ROOT,
                             "transform length %zu does not divide q - 1: the largest is 2^%u", n,
                             gfp_ctz64(q - 1));
    }
    return GFP_OK;
}

static gfp_status check_options(const gfp_ntt_options *options, gfp_error *error)
{
    const unsigned form = (unsigned)options->form;
    const unsigned product = (unsigned)options->product;
    if (form > GFP_NTT_BLOCKED) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown transform form %u", form);
    }
    if (product > GFP_NTT_DOUBLE_QUOTIENT) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "unknown modular product %u", product);
    }
    return GFP_OK;
}

/* The first of these rows that serves the modulus and the length, or NULL. */
static const gfp_ntt_kernels *find_row(const gfp_ntt_kernels *rows, size_t count, uint64_t q,
                                       size_t n, gfp_ntt_product product)
{
    for (const gfp_ntt_kernels *row = rows; row < rows + count; row++) {
        if (row->product == product && q >> row->bits == 0 &&
            (row->lanes == 1 || n / 2 >= row->lanes)) {
            return row;
        }
    }
    return NULL;
}

/* The best kernels; the portable ones serve every modulus that check_modulus accepts. */
static const gfp_ntt_kernels *choose_kernels(uint64_t q, size_t n, gfp_ntt_product product)
{
    const gfp_ntt_kernels *row = NULL;
#if GFP_X86_LEVELS
    if (gfp_cpu_level_get() >= GFP_LEVEL_AVX512IFMA) {
        row = find_row(gfp_ntt_kernels_avx512, GFP_NTT_ROWS_AVX512, q, n, product);
    }
    if (row == NULL && gfp_cpu_level_get() >= GFP_LEVEL_AVX2) {
        row = find_row(gfp_ntt_kernels_avx2, GFP_NTT_ROWS_AVX2, q, n, product);
    }
#endif
    return row != NULL ? row : find_row(gfp_ntt_kernels_scalar, GFP_NTT_ROWS_SCALAR, q, n, product);
}

/* ---- tables ---- */

/* Steps through the powers of w by Shoup products with the fixed factor w. */
typedef struct walk {
    uint64_t q, w, companion, power;
} walk;

static walk walk_start(uint64_t q, uint64_t w)
{
    return (walk){q, w, gfp_shoup_companion(w, q), 1};
}

static uint64_t walk_next(walk *walker)
{
    const uint64_t power = walker->power;
    const uint64_t next = gfp_shoup_mul(power, walker->w, walker->companion, walker->q);
    walker->power = next >= walker->q ? next - walker->q : next;
    return power;
}

static void encode(const gfp_ntt_plan *plan, const gfp_ntt_powers *table, size_t i, uint64_t c)
{
    plan->kernels->encode(&plan->modulus, c, table->w + i, table->companion + i);
}

/* Entry i < n/2 is w^i, where w has order n. */
static void fill_jumped(const gfp_ntt_plan *plan, const gfp_ntt_powers *table, uint64_t w)
{
    walk walker = walk_start(plan->modulus.q, w);
    for (size_t i = 0; i < plan->entries; i++) {
        encode(plan, table, i, walk_next(&walker));
    }
}

/* Entry h + i is (w^(n/2h))^i, i < h: first the top level; each lower level is every second power
 * of the level above. */
static void fill_tabulated(const gfp_ntt_plan *plan, const gfp_ntt_powers *table, uint64_t w)
{
    walk walker = walk_start(plan->modulus.q, w);
    const size_t half = plan->n / 2;
    for (size_t i = 0; i < half; i++) {
        encode(plan, table, half + i, walk_next(&walker));
    }
    for (size_t i = half; i-- > 1;) {
        table->w[i] = table->w[2 * i];
        table->companion[i] = table->companion[2 * i];
    }
}

/* Entry g is the power bitrev(g) of w, which has order 2 entries. */
static void fill_blocked(const gfp_ntt_plan *plan, const gfp_ntt_powers *table, uint64_t w)
{
    walk walker = walk_start(plan->modulus.q, w);
    const unsigned bits = gfp_ctz64(plan->entries);
    for (size_t i = 0; i < plan->entries; i++) {
        encode(plan, table, gfp_bit_reverse(i, bits), walk_next(&walker));
    }
}

static size_t count_entries(const gfp_ntt_plan *plan)
{
    const size_t half = plan->n > 1 ? plan->n / 2 : 1;
    switch (plan->form) {
    case GFP_NTT_COOLEY_TUKEY:
        return half;
    case GFP_NTT_BLOCKED:
        return plan->negacyclic ? plan->n : half;
    default:
        return 2 * half;
    }
}

/* Words of a cache line. */
#define LINE 8

/* Words of one table, in whole lines. */
static size_t table_words(const gfp_ntt_plan *plan)
{
    return (plan->entries + GFP_NTT_PADDING + LINE - 1) / LINE * LINE;
}

/* Words of the block of four tables, including room to start at a line. */
static size_t block_words(const gfp_ntt_plan *plan)
{
    return 4 * table_words(plan) + LINE;
}

static uint64_t inverse_mod(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x, q - 2, q);
}

static gfp_status fill_tables(gfp_ntt_plan *plan)
{
    const size_t words = block_words(plan);
    plan->block = gfp_allocate(&plan->allocator, words, sizeof *plan->block);
    if (plan->block == NULL) {
        return GFP_ERR_MEMORY;
    }
    memset(plan->block, 0, words * sizeof *plan->block);
    const size_t each = table_words(plan);
    uint64_t *start =
        plan->block + (LINE - (uintptr_t)plan->block / sizeof(uint64_t) % LINE) % LINE;
    plan->forward = (gfp_ntt_powers){start, start + each};
    plan->inverse = (gfp_ntt_powers){start + 2 * each, start + 3 * each};
    const bool blocked = plan->form == GFP_NTT_BLOCKED;
    const uint64_t w = blocked && plan->negacyclic ? plan->theta : plan->root;
    void (*const fill)(const gfp_ntt_plan *, const gfp_ntt_powers *, uint64_t) =
        blocked                              ? fill_blocked
        : plan->form == GFP_NTT_COOLEY_TUKEY ? fill_jumped
                                             : fill_tabulated;
    fill(plan, &plan->forward, w);
    fill(plan, &plan->inverse, inverse_mod(w, plan->modulus.q));
    return GFP_OK;
}

void gfp_ntt_reorder_short(uint64_t *y, const uint64_t *x, unsigned log2_n)
{
    for (size_t i = 0; i < (size_t)1 << log2_n; i++) {
        const size_t j = gfp_bit_reverse(i, log2_n);
        if (i <= j) {
            const uint64_t here = x[i];
            y[i] = x[j];
            y[j] = here;
        }
    }
}

/* ---- plans ---- */

/* Returns the least units of a chunk: some 15 us at 0.13 to 0.2 ns in lanes, about 0.8 ns without,
 * 0.7 ns where powers are gathered. Forms with a loop for each pair of levels need longer loops: at
 * 2^18 points their loops take 50 us in lanes, and two threads were 0.83 to 0.96 times as fast as
 * one where threads sleep between loops. */
static double least_units(const gfp_ntt_plan *plan)
{
    const bool lanes = plan->kernels->lanes > 1;
    switch (plan->form) {
    case GFP_NTT_BLOCKED:
    case GFP_NTT_COOLEY_TUKEY:
        return lanes ? 1 << 17 : 1 << 14;
    default:
        return lanes ? 1 << 19 : 1 << 15;
    }
}

static void init_plan(gfp_ntt_plan *plan, uint64_t q, size_t n, const gfp_ntt_options *options)
{
    const gfp_ntt_product product =
        options->product == GFP_NTT_PRODUCT_AUTO ? GFP_NTT_SHOUP : options->product;
    plan->kernels = choose_kernels(q, n, product);
    plan->form = options->form == GFP_NTT_FORM_AUTO ? GFP_NTT_BLOCKED : options->form;
    plan->n = n;
    plan->log2_n = gfp_ctz64(n);
    plan->negacyclic = gfp_ctz64(q - 1) > plan->log2_n;
    plan->root = gfp_word_root_of_unity(q, plan->log2_n);
    plan->theta = plan->negacyclic ? gfp_word_root_of_unity(q, plan->log2_n + 1) : 0;
    plan->entries = count_entries(plan);
    plan->least = least_units(plan);
    const uint64_t r = gfp_mod_pow(2, plan->kernels->montgomery_bits, q);
    const int rounding = gfp_rounding_begin();
    const double inverse = 1.0 / (double)q;
    gfp_rounding_end(rounding);
    plan->modulus = (gfp_ntt_modulus){
        .q = q,
        .negative_inverse = gfp_mont_negative_inverse(q),
        .montgomery_square = plan->kernels->montgomery_bits == 0 ? 0 : gfp_mod_mul(r, r, q),
        .inverse = inverse};
    plan->scale = (gfp_ntt_powers){plan->scale_words, plan->scale_words + 1};
    encode(plan, &plan->scale, 0, inverse_mod(n % q, q));
}

gfp_status gfp_ntt_plan_create(gfp_ntt_plan **plan, uint64_t q, size_t n,
                               const gfp_ntt_options *options, const gfp_allocator *allocator,
                               gfp_error *error)
{
    static const gfp_ntt_options automatic = {GFP_NTT_FORM_AUTO, GFP_NTT_PRODUCT_AUTO};
    if (allocator == NULL) {
        allocator = &gfp_default_allocator;
    }
    if (options == NULL) {
        options = &automatic;
    }
    GFP_TRY(check_options(options, error));
    GFP_TRY(check_modulus(q, options->product, error));
    GFP_TRY(check_length(q, n, error));
    gfp_ntt_plan *p = gfp_allocate(allocator, 1, sizeof *p);
    if (p == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset(p, 0, sizeof *p);
    p->allocator = *allocator;
    p->process = gfp_parallel_process();
    init_plan(p, q, n, options);
    const gfp_status status = fill_tables(p);
    if (status != GFP_OK) {
        gfp_ntt_plan_destroy(p);
        return gfp_error_set(error, status, "no memory for the powers of a transform of length %zu",
                             n);
    }
    *plan = p;
    return GFP_OK;
}

void gfp_ntt_plan_destroy(gfp_ntt_plan *plan)
{
    if (plan != NULL) {
        const gfp_allocator allocator = plan->allocator;
        gfp_release(&allocator, plan->block, block_words(plan), sizeof *plan->block);
        gfp_release(&allocator, plan, 1, sizeof *plan);
    }
}

/* ---- queries ---- */

size_t gfp_ntt_plan_length(const gfp_ntt_plan *plan)
{
    return plan->n;
}

uint64_t gfp_ntt_plan_modulus(const gfp_ntt_plan *plan)
{
    return plan->modulus.q;
}

uint64_t gfp_ntt_plan_root(const gfp_ntt_plan *plan)
{
    return plan->root;
}

gfp_ntt_form gfp_ntt_plan_form(const gfp_ntt_plan *plan)
{
    return plan->form;
}

gfp_ntt_product gfp_ntt_plan_product(const gfp_ntt_plan *plan)
{
    return plan->kernels->product;
}

const char *gfp_ntt_plan_kernels(const gfp_ntt_plan *plan)
{
    return gfp_cpu_level_name(plan->kernels->level);
}

size_t gfp_ntt_plan_bytes(const gfp_ntt_plan *plan)
{
    return sizeof *plan + block_words(plan) * sizeof *plan->block;
}

const char *gfp_ntt_product_name(gfp_ntt_product product)
{
    switch (product) {
    case GFP_NTT_PRODUCT_AUTO:
        return "auto";
    case GFP_NTT_SHOUP:
        return "shoup";
    case GFP_NTT_MONTGOMERY:
        return "montgomery";
    case GFP_NTT_DOUBLE_QUOTIENT:
        return "double-quotient";
    }
    return "unknown";
}

const char *gfp_ntt_form_name(gfp_ntt_form form)
{
    switch (form) {
    case GFP_NTT_FORM_AUTO:
        return "auto";
    case GFP_NTT_COOLEY_TUKEY:
        return "cooley-tukey";
    case GFP_NTT_COOLEY_TUKEY_TABULATED:
        return "cooley-tukey-tabulated";
    case GFP_NTT_STOCKHAM:
        return "stockham";
    case GFP_NTT_BLOCKED:
        return "blocked";
    }
    return "unknown";
}
