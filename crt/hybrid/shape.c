/* shape.c: the shape of a hybrid product: the outer size and the leaves computed, the leaf
 * length odd 2^j, the primes that the proved bound requires, coefficients wrapped around, blocks:
 * the cheapest of a few candidates.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/hybrid/shape.h"

#include <math.h>

#include "field/base/attachment.h"
#include "field/base/support.h"
#include "field/base/word.h"

#define MIN_LEAF 8
/* The largest outer size whose levels always pay. */
#define OUTER_SIZE 16
/* The digits of leaves multiplied at once, if a leaf has fewer. */
#define GROUP_DIGITS 8192

/* ---- engines and bounds ---- */

static const gfp_leaf_engine *const engines[GFP_LEVEL_COUNT] = GFP_LEVEL_ROWS(
    &gfp_leaf_portable, &gfp_leaf_avx2, &gfp_leaf_avx512dq, &gfp_leaf_avx512ifma, &gfp_leaf_avx2);

/* Returns ceil(GFP_HYBRID_BITS log2 x), x >= 1: the rounding of log2 is far less than a unit. */
static unsigned log2_up(double x)
{
    return (unsigned)ceil(GFP_HYBRID_BITS * log2(x));
}

gfp_level gfp_hybrid_level(const gfp_field *field)
{
    const unsigned k = gfp_field_k(field);
    const uint64_t r = gfp_field_r(field);
    const gfp_level level = gfp_field_level(field);
    return engines[level]->serves(k, r) && gfp_outer_engine_get(level, k, r) != NULL
               ? level
               : GFP_LEVEL_PORTABLE;
}

static unsigned log2_floor(size_t x)
{
    return 63 - gfp_clz64(x);
}

/* Whether sums of `terms` terms stay below a bound. Most lengths are decided without a
 * logarithm. */
static bool stays_below(const gfp_hybrid_choice *choice, unsigned bound, size_t terms)
{
    const unsigned low = log2_floor(terms) * GFP_HYBRID_BITS + choice->term_log2;
    if (low >= bound) {
        return false;
    }
    return low + GFP_HYBRID_BITS < bound || log2_up((double)terms) + choice->term_log2 < bound;
}

bool gfp_hybrid_admits(const gfp_hybrid_choice *choice, unsigned count, size_t terms)
{
    return stays_below(choice, choice->engine->bound_log2(count), terms);
}

/* Whether reals serve leaves of m coefficients in place of the last prime. */
static bool takes_real(const gfp_hybrid_choice *choice, unsigned primes, size_t m)
{
    return primes == 3 && stays_below(choice, choice->engine->real_log2, m);
}

unsigned gfp_hybrid_primes(const gfp_hybrid_choice *choice, size_t terms)
{
    for (unsigned count = 1; count <= GFP_HYBRID_MAX_PRIMES; count++) {
        if (gfp_hybrid_admits(choice, count, terms)) {
            return count;
        }
    }
    return 0;
}

/* Computes the members that take time, and packs them into a note of the field. */
static uint64_t make_note(gfp_hybrid_choice *choice)
{
    const double digit = fmin((double)gfp_field_r(choice->field) / 2 * (1 + 0x1p-20), 0x1p63);
    choice->level = gfp_hybrid_level(choice->field);
    choice->engine = engines[choice->level];
    choice->term_log2 = 2 * log2_up(digit) + choice->log2_k * GFP_HYBRID_BITS; /* < 2^24 */
    choice->short_primes = gfp_hybrid_primes(choice, MIN_LEAF);
    return (uint64_t)1 << 63 | (uint64_t)choice->short_primes << 40 |
           (uint64_t)choice->level << 32 | choice->term_log2;
}

void gfp_hybrid_choose(gfp_hybrid_choice *choice, const gfp_field *field)
{
    const unsigned k = gfp_field_k(field);
    uint64_t note = gfp_field_note(field);
    *choice = (gfp_hybrid_choice){.field = field, .k = k, .log2_k = gfp_ctz64(k)};
    if (note == 0) {
        note = make_note(choice);
        gfp_field_set_note(field, note);
    }
    choice->level = (gfp_level)(note >> 32 & 0xff);
    choice->term_log2 = (uint32_t)note;
    choice->short_primes = (unsigned)(note >> 40 & 0xff);
    choice->engine = engines[choice->level];
    choice->outer = gfp_outer_engine_get(choice->level, k, gfp_field_r(field));
}

/* ---- costs ---- */

/* A model of costs in nanoseconds, roughly: only their ratios matter, and only for lengths between
 * powers of two. For a digit: the outer DFT (both directions); per prime the part that does not
 * grow with m, and a level. Then the factors of odd leaf lengths, and the constant cost of a
 * product. */
typedef struct cost_model {
    double outer, fixed, level;
    double odd3, odd5;
    double call;
} cost_model;

static const cost_model models[GFP_LEVEL_MEASURED] = {
    [GFP_LEVEL_PORTABLE] = {8, 9, 1.7, 1, 1, 200},
    [GFP_LEVEL_AVX2] = {3, 2.5, 0.35, 1.12, 1.24, 100},
    [GFP_LEVEL_AVX512IFMA] = {1.2, 0.9, 0.11, 1.10, 1.20, 100},
};

/* Reals in place of a prime save this much of its cost. */
#define REAL_SAVES 0.5

/* The cost of the second pass over the data for outer sizes above 16. */
#define SECOND_PASS 2.0

/* The factor of trees with leaves left out: from k = 8 on constants recombine them; below, loops
 * do, which weigh the more the less the leaves cost. */
static double partial_factor(const gfp_hybrid_choice *choice)
{
    return choice->k >= 8 ? 1.02 : 1.03 + 0.3 / choice->k;
}

/* The factor of leaves whose channels exceed a second-level cache: 2^16 residues. */
static double cache_factor(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape)
{
    const size_t residues = (shape->primes + 1) * shape->outer.m << choice->log2_k;
    const double excess = residues > (size_t)1 << 16 ? log2((double)residues) - 16 : 0;
    return 1 + 0.05 * fmin(excess, 3);
}

static double shape_cost(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape)
{
    const cost_model *model = &models[gfp_level_measured(choice->level)];
    const double digits = (double)shape->outer.leaves * (double)shape->outer.m * choice->k;
    const double levels = log2_floor(shape->outer.m) + choice->log2_k;
    const double primes = shape->primes - (shape->real ? REAL_SAVES : 0);
    double leaf = primes * (model->fixed + model->level * levels);
    leaf *= cache_factor(choice, shape);
    leaf *= shape->odd == 3 ? model->odd3 : shape->odd == 5 ? model->odd5 : 1;
    double outer = model->outer * (shape->outer.log2_size > 4 ? SECOND_PASS : 1);
    const bool partial = shape->outer.leaves < 1U << shape->outer.log2_size;
    return model->call + digits * (leaf + outer) * (partial ? partial_factor(choice) : 1);
}

/* The cost of e convolution sums, of e (e + 1) / 2 products in all. */
static double sums_cost(const gfp_hybrid_choice *choice, size_t e)
{
    return 0.5 * (double)e * ((double)e + 1) * (10 + 0.7 * choice->k * choice->k);
}

/* ---- one block ---- */

/* A search: lengths, and the cheapest shape so far. */
typedef struct search {
    const gfp_hybrid_choice *choice;
    size_t len_a, len_b, len_c;
    bool whole; /* not a block of a longer product: coefficients may wrap around */
    bool kept;  /* transforms are kept, and their products added: reals do not serve */
    gfp_hybrid_plan best;
    bool found;
} search;

static size_t leaf_terms(const search *s, size_t m)
{
    return gfp_size_min(m, gfp_size_min(s->len_a, s->len_b));
}

/* Returns the number of leaves multiplied at once: whole nodes of several leaves, or parts of
 * one. */
static unsigned leaves_at_once(const gfp_hybrid_choice *choice, unsigned log2_size, size_t m,
                               size_t leaves)
{
    const size_t step = log2_size > 4 ? (size_t)1 << (log2_size - 4) : 1;
    size_t group = ((size_t)GROUP_DIGITS >> choice->log2_k) / m;
    group = group > step ? group / step * step : group > 0 ? (size_t)1 << log2_floor(group) : 1;
    return (unsigned)gfp_size_min(group, leaves);
}

/* Makes the shape of these leaves, if roots of unity and primes serve it. */
static bool make_shape(const search *s, gfp_hybrid_shape *shape, unsigned log2_size, unsigned odd,
                       size_t m, size_t leaves)
{
    const gfp_hybrid_choice *choice = s->choice;
    const unsigned longest = choice->engine->log2_max_length(choice->k, odd);
    const unsigned primes = gfp_hybrid_primes(choice, leaf_terms(s, m));
    if (longest == 0 || primes == 0 || m > ((size_t)1 << longest) >> log2_size) {
        return false;
    }
    *shape = (gfp_hybrid_shape){
        .outer = {choice->field, log2_size, (unsigned)leaves, m},
        .odd = odd,
        .primes = primes,
        .group = leaves_at_once(choice, log2_size, m, leaves),
        .real = takes_real(choice, primes, m),
    };
    return true;
}

static void shape_offer(search *s, const gfp_hybrid_shape *shape, const gfp_hybrid_shape *top,
                        double cost)
{
    if (!s->found || cost < s->best.cost) {
        s->best.shape = *shape;
        s->best.top = *top;
        s->best.cost = cost;
        s->found = true;
    }
}

static const gfp_hybrid_shape no_shape;

static void try_leaves(search *s, unsigned log2_size, unsigned odd, size_t m)
{
    gfp_hybrid_shape shape;
    const size_t unit = log2_size > 4 ? (size_t)1 << (log2_size - 4) : 1; /* fft/outer/dft.h */
    const size_t leaves = ((s->len_c - 1) / m / unit + 1) * unit;
    if (make_shape(s, &shape, log2_size, odd, m, leaves)) {
        shape_offer(s, &shape, &no_shape, shape_cost(s->choice, &shape));
    }
}

static bool plan_short(search *s);
static void plan_leaves(search *s, unsigned log2_size);

/* Finds the cheapest shape without wrap-around. */
static bool plan_unwrapped(search *s)
{
    const unsigned log2_size = (unsigned)gfp_size_min(s->choice->log2_k + 1, 4);
    if (!plan_short(s)) {
        plan_leaves(s, log2_size);
    }
    return s->found;
}

/* Tries a full tree that is a little too short: the wrapped coefficients are computed
 * separately. */
static void try_wrap(search *s, unsigned log2_size, unsigned odd, size_t m)
{
    gfp_hybrid_shape shape;
    const size_t wrap = s->len_c - (m << log2_size);
    if (wrap > s->len_c / 8 || wrap >= gfp_size_min(s->len_a, s->len_b) ||
        !make_shape(s, &shape, log2_size, odd, m, (size_t)1 << log2_size)) {
        return;
    }
    shape.wrap = wrap;
    const double cost = shape_cost(s->choice, &shape);
    const double sums = sums_cost(s->choice, wrap);
    if (s->found && cost >= s->best.cost) {
        return;
    }
    search top = {.choice = s->choice, .len_a = wrap, .len_b = wrap, .len_c = 2 * wrap - 1};
    if (wrap > MIN_LEAF && plan_unwrapped(&top) && top.best.cost < sums) {
        shape_offer(s, &shape, &top.best.shape, cost + top.best.cost);
    } else {
        shape_offer(s, &shape, &no_shape, cost + sums);
    }
}

/* Returns the least odd 2^j >= need, 2^j >= MIN_LEAF. */
static size_t leaf_length(size_t need, unsigned odd)
{
    const size_t part = (need - 1) / odd + 1;
    const unsigned j = part <= 1 ? 0 : log2_floor(part - 1) + 1;
    return (size_t)odd << (j < 3 ? 3 : j);
}

/* Tries trees of this size, for len_c <= 2^62. */
static void plan_leaves(search *s, unsigned log2_size)
{
    const size_t need = ((s->len_c - 1) >> log2_size) + 1;
    for (unsigned odd = 1; odd <= 5; odd += 2) {
        try_leaves(s, log2_size, odd, leaf_length(need, odd));
    }
}

static void plan_wrapped(search *s, unsigned log2_size)
{
    const size_t need = ((s->len_c - 1) >> log2_size) + 1;
    for (unsigned odd = 1; odd <= 5 && s->whole; odd += 2) {
        const size_t m = leaf_length(need, odd) / 2;
        if (m >= MIN_LEAF * odd && m << log2_size < s->len_c) {
            try_wrap(s, log2_size, odd, m);
        }
    }
}

/* Takes leaves of MIN_LEAF coefficients if OUTER_SIZE of them suffice: a search would take longer
 * than it gains. */
static bool short_shape(gfp_hybrid_shape *shape, const gfp_hybrid_choice *choice, size_t len_c)
{
    const size_t leaves = (len_c - 1) / MIN_LEAF + 1;
    if (leaves > OUTER_SIZE || leaves > 2 * (size_t)choice->k || choice->short_primes == 0) {
        return false;
    }
    const unsigned log2_size = leaves <= 1 ? 0 : log2_floor(leaves - 1) + 1;
    *shape = (gfp_hybrid_shape){
        .outer = {choice->field, log2_size, (unsigned)leaves, MIN_LEAF},
        .odd = 1,
        .primes = choice->short_primes,
        .group = leaves_at_once(choice, log2_size, MIN_LEAF, leaves),
        .real = takes_real(choice, choice->short_primes, MIN_LEAF),
    };
    return true;
}

static bool plan_short(search *s)
{
    gfp_hybrid_shape shape;
    if (!short_shape(&shape, s->choice, s->len_c)) {
        return false;
    }
    shape_offer(s, &shape, &no_shape, shape_cost(s->choice, &shape));
    return true;
}

/* Tries larger outer sizes if they save a prime, or if no other shape serves: shorter leaves alone
 * do not pay for their second pass. */
static void plan_larger(search *s, unsigned log2_size)
{
    if (s->found && s->best.shape.primes == gfp_hybrid_primes(s->choice, MIN_LEAF)) {
        return;
    }
    while (log2_size++ < s->choice->log2_k + 1) {
        plan_leaves(s, log2_size);
        plan_wrapped(s, log2_size);
    }
}

/* Plans the product as one block. */
static bool plan_block(search *s)
{
    const unsigned log2_size = (unsigned)gfp_size_min(s->choice->log2_k + 1, 4);
    if (s->len_c > SIZE_MAX / 4) {
        return false;
    }
    if (!plan_short(s)) {
        plan_leaves(s, log2_size);
        plan_wrapped(s, log2_size);
        plan_larger(s, log2_size);
    }
    return s->found;
}

/* ---- blocks ---- */

static bool plan_blocks(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                        size_t len_b, size_t block_a, size_t block_b)
{
    search s = {.choice = choice, .len_a = block_a, .len_b = block_b};
    s.len_c = block_a + block_b - 1;
    s.whole = block_a == len_a && block_b == len_b;
    if (!plan_block(&s)) {
        return false;
    }
    *plan = s.best;
    plan->block_a = block_a;
    plan->block_b = block_b;
    plan->cost *= gfp_hybrid_blocks(plan, len_a, len_b);
    return true;
}

/* Tries blocks of the longer factor, as long as the shorter one or shorter by powers of two:
 * shorter transforms use the cache better. */
static void try_unbalanced(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                           size_t len_b)
{
    const bool swapped = len_a < len_b;
    const size_t longer = swapped ? len_b : len_a, shorter = swapped ? len_a : len_b;
    size_t total = (size_t)1 << (log2_floor(shorter) + 2);
    for (; total < longer && total >= 4 * MIN_LEAF; total *= 2) {
        gfp_hybrid_plan other;
        const size_t block =
            gfp_hybrid_ceil_div(longer, gfp_hybrid_ceil_div(longer, total - shorter + 1));
        if (plan_blocks(&other, choice, len_a, len_b, swapped ? shorter : block,
                        swapped ? block : shorter) &&
            other.cost < plan->cost) {
            *plan = other;
        }
    }
}

bool gfp_hybrid_plan_make(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                          size_t len_b)
{
    size_t block_a = len_a, block_b = len_b, sum;
    if (!gfp_size_add(&sum, len_a, len_b) || sum > SIZE_MAX / 4) {
        return false;
    }
    if (short_shape(&plan->shape, choice, sum - 1)) {
        plan->top = no_shape;
        plan->block_a = len_a;
        plan->block_b = len_b;
        plan->cost = shape_cost(choice, &plan->shape);
        return true;
    }
    while (!plan_blocks(plan, choice, len_a, len_b, block_a, block_b)) {
        gfp_cut_longer(&block_a, &block_b);
    }
    if (len_a / 4 >= len_b || len_b / 4 >= len_a) {
        try_unbalanced(plan, choice, len_a, len_b);
    }
    return true;
}

bool gfp_hybrid_plan_unwrapped(gfp_hybrid_plan *plan, const gfp_hybrid_choice *choice, size_t len_a,
                               size_t len_b)
{
    search s = {.choice = choice, .len_a = len_a, .len_b = len_b};
    if (!gfp_size_add(&s.len_c, len_a, len_b - 1) || s.len_c > SIZE_MAX / 4 ||
        !plan_unwrapped(&s)) {
        return false;
    }
    *plan = s.best;
    plan->block_a = len_a;
    plan->block_b = len_b;
    return true;
}

/* ---- kept transforms ---- */

/* Takes the shape of these leaves for sums, if it is cheaper than the best so far. */
static void offer_ring(search *s, unsigned log2_size, unsigned odd, size_t m, size_t leaves,
                       size_t terms)
{
    const size_t sum = gfp_size_mul_sat(leaf_terms(s, m), terms);
    const unsigned primes = gfp_hybrid_primes(s->choice, sum);
    gfp_hybrid_shape shape;
    if (primes != 0 && sum <= (size_t)1 << s->choice->engine->log2_max_length(s->choice->k, 1) &&
        make_shape(s, &shape, log2_size, odd, m, leaves)) {
        shape.primes = primes;
        shape.real = shape.real && primes == 3 && !s->kept;
        shape_offer(s, &shape, &no_shape, shape_cost(s->choice, &shape));
    }
}

static void try_ring(search *s, unsigned log2_size, unsigned odd, size_t terms, bool cyclic)
{
    const size_t need = ((s->len_c - 1) >> log2_size) + 1;
    const size_t m = leaf_length(need, odd),
                 unit = log2_size > 4 ? (size_t)1 << (log2_size - 4) : 1;
    const size_t leaves = cyclic ? (size_t)1 << log2_size : ((s->len_c - 1) / m / unit + 1) * unit;
    offer_ring(s, log2_size, odd, m, leaves, terms);
}

bool gfp_hybrid_plan_ring(gfp_hybrid_shape *shape, const gfp_hybrid_choice *choice, size_t length,
                          size_t terms, size_t shorter, bool cyclic, bool kept, double *cost)
{
    search s = {.choice = choice, .len_a = shorter, .len_b = shorter, .len_c = length};
    s.kept = kept;
    if (length > SIZE_MAX / 4) {
        return false;
    }
    for (unsigned log2_size = 0; log2_size <= choice->log2_k + 1; log2_size++) {
        for (unsigned odd = 1; odd <= 5; odd += 2) {
            try_ring(&s, log2_size, odd, terms, cyclic);
        }
    }
    *shape = s.best.shape;
    if (cost != NULL) {
        *cost = s.best.cost;
    }
    return s.found;
}

/* Trees of at most 16 leaves take one pass. */
bool gfp_hybrid_plan_negacyclic(gfp_hybrid_shape *shape, const gfp_hybrid_choice *choice,
                                size_t length, size_t terms, size_t shorter, double *cost)
{
    search s = {.choice = choice, .len_a = shorter, .len_b = shorter, .len_c = length};
    s.kept = true;
    if (length > SIZE_MAX / 4) {
        return false;
    }
    for (unsigned log2_half = 0; log2_half <= gfp_size_min(choice->log2_k, 3); log2_half++) {
        for (unsigned odd = 1; odd <= 5; odd += 2) {
            const size_t m = leaf_length(((length - 1) >> log2_half) + 1, odd);
            offer_ring(&s, log2_half + 1, odd, m, (size_t)1 << log2_half, terms);
        }
    }
    *shape = s.best.shape;
    *cost = s.best.cost;
    return s.found;
}
