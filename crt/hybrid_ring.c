/* hybrid_ring.c: transforms that stay, leaf group by leaf group: what an engine does with a group
 * (crt/hybrid.h) for all of them, and the outer DFT before and after.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hybrid_ring.h"

#include <string.h>

#include "crt.h"
#include "support.h"
#include "word.h"
#include "work.h"

static const gfp_hybrid_parts *parts_of(const gfp_hybrid_ring *ring)
{
    return ring->choice.engine->parts;
}

/* ---- the ring ---- */

bool gfp_hybrid_ring_make(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                          size_t terms, size_t shorter, bool cyclic)
{
    gfp_hybrid_choose(&ring->choice, field);
    if (!gfp_hybrid_plan_ring(&ring->shape, &ring->choice, length, terms, shorter, cyclic,
                              &ring->cost)) {
        return false;
    }
    ring->length = ring->shape.outer.leaves * ring->shape.outer.m;
    /* The most terms that the primes admit, by bisection: primes grow with terms. */
    size_t low = 1;
    size_t high = (size_t)1 << ring->choice.engine->log2_max_length(ring->choice.k, 1);
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        const unsigned primes = gfp_hybrid_primes(&ring->choice, middle);
        if (primes != 0 && primes <= ring->shape.primes) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    ring->max_terms = low;
    return true;
}

/* The shape alone, for products at once: no sums are asked for. */
static void ring_of(gfp_hybrid_ring *ring, const gfp_hybrid_choice *choice,
                    const gfp_hybrid_shape *shape, double cost)
{
    ring->choice = *choice;
    ring->shape = *shape;
    ring->length = shape->outer.leaves * shape->outer.m;
    ring->max_terms = 0;
    ring->cost = cost;
}

bool gfp_hybrid_ring_shape(gfp_hybrid_ring *ring, const gfp_field *field, size_t length,
                           size_t shorter)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_shape shape;
    double cost;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_ring(&shape, &choice, length, 1, shorter, false, &cost)) {
        return false;
    }
    ring_of(ring, &choice, &shape, cost);
    return true;
}

gfp_status gfp_hybrid_ring_prepare(const gfp_hybrid_ring *ring)
{
    return ring->choice.engine->prepare(&ring->shape);
}

size_t gfp_hybrid_ring_terms(const gfp_hybrid_ring *ring, size_t len_a, size_t weight_a,
                             size_t len_b, size_t weight_b)
{
    const size_t terms = gfp_size_min(ring->shape.outer.m, gfp_size_min(len_a, len_b));
    return gfp_size_mul_sat(terms, gfp_size_mul_sat(weight_a, weight_b));
}

double gfp_hybrid_ring_points(const gfp_hybrid_ring *ring)
{
    return (double)ring->length;
}

double gfp_hybrid_ring_unit_cost(const gfp_hybrid_ring *ring)
{
    return 2.0 * ring->choice.k;
}

/* ---- memory: leaf digits of one or two factors, the channels of a group, the engine's work ----
 */

static size_t digit_words(const gfp_hybrid_ring *ring)
{
    const gfp_outer *outer = &ring->shape.outer;
    return gfp_size_mul_sat(outer->leaves >> gfp_outer_log2_step(outer),
                            gfp_outer_node_words(outer));
}

static size_t group_words(const gfp_hybrid_ring *ring, unsigned count)
{
    return gfp_hybrid_align(parts_of(ring)->words(&ring->shape, count));
}

size_t gfp_hybrid_ring_words(const gfp_hybrid_ring *ring)
{
    const unsigned leaves = ring->shape.outer.leaves, group = ring->shape.group;
    const size_t whole = gfp_size_mul_sat(leaves / group, group_words(ring, group));
    return leaves % group == 0 ? whole : gfp_size_add_sat(whole, group_words(ring, leaves % group));
}

size_t gfp_hybrid_ring_work(const gfp_hybrid_ring *ring, bool whole)
{
    const size_t engine = gfp_hybrid_align(ring->choice.engine->work_words(&ring->shape));
    const size_t group = group_words(ring, ring->shape.group);
    const size_t leaf = ring->shape.outer.m * ring->choice.k;
    const size_t digits = whole ? digit_words(ring) : ring->shape.group * leaf;
    return gfp_size_add_sat(gfp_size_add_sat(digits, gfp_size_add_sat(engine, group)),
                            GFP_HYBRID_LINE);
}

size_t gfp_hybrid_ring_product_work(const gfp_hybrid_ring *ring)
{
    const size_t engine = gfp_hybrid_align(ring->choice.engine->work_words(&ring->shape));
    const size_t digits = gfp_size_mul_sat(2, digit_words(ring));
    return gfp_size_add_sat(gfp_size_add_sat(digits, engine), GFP_HYBRID_LINE);
}

/* The parts of a work area. */
typedef struct area {
    int64_t *digits;
    int64_t *other; /* of a second factor, where nothing is kept */
    uint64_t *channels;
    uint64_t *engine;
} area;

static area area_behind(const gfp_hybrid_ring *ring, uint64_t *work, size_t channels)
{
    uint64_t *at = gfp_hybrid_line(work);
    area w;
    w.channels = at;
    w.engine = at + channels;
    w.digits =
        (int64_t *)w.engine + gfp_hybrid_align(ring->choice.engine->work_words(&ring->shape));
    w.other = w.digits + digit_words(ring);
    return w;
}

static area area_of(const gfp_hybrid_ring *ring, uint64_t *work)
{
    return area_behind(ring, work, group_words(ring, ring->shape.group));
}

/* ---- groups of leaves ---- */

/* A loop over groups: the leaves of one, where its digits and its channels start. */
typedef struct group {
    unsigned first, count;
    size_t digits, words;
} group;

static bool next_group(const gfp_hybrid_ring *ring, group *g)
{
    const gfp_hybrid_shape *shape = &ring->shape;
    const unsigned done = g->first + g->count;
    if (done >= shape->outer.leaves) {
        return false;
    }
    if (done > 0) {
        g->words += group_words(ring, g->count);
        g->digits = gfp_outer_leaf_at(&shape->outer, done);
    }
    g->first = done;
    g->count = (unsigned)gfp_size_min(shape->outer.leaves - done, shape->group);
    return true;
}

static bool advance(const gfp_hybrid_ring *ring, const group *g, double units, gfp_task *task)
{
    return gfp_task_advance(task, (double)g->count * (double)ring->shape.outer.m * units);
}

/* ---- the outer DFT ---- */

/* Of x, len coefficients, to digits, or (x = NULL) of digits to z. False: cancelled. */
static bool outer_dft(const gfp_hybrid_ring *ring, int64_t *digits, const uint64_t *x, uint64_t *z,
                      size_t len, gfp_task *task)
{
    const gfp_outer *outer = &ring->shape.outer;
    const gfp_outer_engine *engine = ring->choice.outer;
    const unsigned log2_step = gfp_outer_log2_step(outer);
    const size_t columns = (outer->m << log2_step) / engine->lanes;
    const double column = (double)(outer->leaves >> log2_step) * engine->lanes;
    const size_t step =
        task == NULL ? columns : gfp_task_block(column * gfp_hybrid_ring_unit_cost(ring));
    for (size_t v = 0; v < columns; v += step) {
        const size_t end = columns - v < step ? columns : v + step;
        if (x != NULL) {
            engine->forward(outer, digits, x, len, v, end);
        } else {
            engine->inverse(outer, z, len, digits, v, end);
        }
        if (!gfp_task_advance(task, (double)(end - v) * column * GFP_RING_OUTER)) {
            return false;
        }
    }
    return true;
}

/* The nodes whose first leaves are in the group become leaves. */
static void refine(const gfp_hybrid_ring *ring, int64_t *digits, const group *g)
{
    const gfp_outer *outer = &ring->shape.outer;
    const unsigned step = 1U << gfp_outer_log2_step(outer), end = g->first + g->count;
    for (unsigned j = (g->first + step - 1) & ~(step - 1); step > 1 && j < end; j += step) {
        ring->choice.outer->refine(outer, digits + gfp_outer_leaf_at(outer, j), j / step);
    }
}

/* The nodes whose last leaves are in the group become nodes again. */
static void coarsen(const gfp_hybrid_ring *ring, int64_t *digits, const group *g)
{
    const gfp_outer *outer = &ring->shape.outer;
    const unsigned step = 1U << gfp_outer_log2_step(outer), end = g->first + g->count;
    for (unsigned j = g->first & ~(step - 1); step > 1 && j + step <= end; j += step) {
        ring->choice.outer->coarsen(outer, digits + gfp_outer_leaf_at(outer, j), j / step);
    }
}

/* ---- operations ---- */

bool gfp_hybrid_ring_transform(const gfp_hybrid_ring *ring, uint64_t *x, const uint64_t *a,
                               size_t len, uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    if (len == 0) {
        memset(x, 0, gfp_hybrid_ring_words(ring) * sizeof *x);
        return true;
    }
    if (!outer_dft(ring, w.digits, a, NULL, len, task)) {
        return false;
    }
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        refine(ring, w.digits, &g);
        parts_of(ring)->transform(&ring->shape, x + g.words, w.digits + g.digits, g.first, g.count,
                                  w.engine);
        if (!advance(ring, &g, GFP_RING_TRANSFORM, task)) {
            return false;
        }
    }
    return true;
}

bool gfp_hybrid_ring_multiply(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                              const uint64_t *y, int sign, uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        parts_of(ring)->multiply(&ring->shape, z + g.words, x + g.words, y + g.words, g.first,
                                 g.count, sign, w.engine);
        if (!advance(ring, &g, GFP_RING_MULTIPLY, task)) {
            return false;
        }
    }
    return true;
}

void gfp_hybrid_ring_add(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                         const uint64_t *y, bool subtract)
{
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        parts_of(ring)->add(&ring->shape, z + g.words, x + g.words, y + g.words, g.count, subtract);
    }
}

/* The digits of the polynomial 1: in every leaf its coefficient 0 is 1. */
static void one_digits(const gfp_hybrid_ring *ring, int64_t *digits, unsigned count)
{
    const size_t leaf = ring->shape.outer.m * ring->choice.k;
    memset(digits, 0, count * leaf * sizeof *digits);
    for (unsigned j = 0; j < count; j++) {
        digits[j * leaf] = 1;
    }
}

bool gfp_hybrid_ring_lift(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                          uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        one_digits(ring, w.digits, g.count);
        parts_of(ring)->transform(&ring->shape, w.channels, w.digits, g.first, g.count, w.engine);
        parts_of(ring)->multiply(&ring->shape, z + g.words, x + g.words, w.channels, g.first,
                                 g.count, 0, w.engine);
        if (!advance(ring, &g, GFP_RING_TRANSFORM, task)) {
            return false;
        }
    }
    return true;
}

/* The digits of a group of a product's leaves. */
static void restore_group(const gfp_hybrid_ring *ring, const area *w, int64_t *digits,
                          const uint64_t *x, const group *g, size_t terms)
{
    memcpy(w->channels, x + g->words, group_words(ring, g->count) * sizeof *x);
    parts_of(ring)->restore(&ring->shape, digits, w->channels, g->first, g->count, terms,
                            w->engine);
}

bool gfp_hybrid_ring_renew(const gfp_hybrid_ring *ring, uint64_t *z, const uint64_t *x,
                           size_t terms, uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        restore_group(ring, &w, w.digits, x, &g, terms);
        parts_of(ring)->transform(&ring->shape, z + g.words, w.digits, g.first, g.count, w.engine);
        if (!advance(ring, &g, GFP_RING_RESTORE + GFP_RING_TRANSFORM, task)) {
            return false;
        }
    }
    return true;
}

bool gfp_hybrid_ring_restore(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                             const uint64_t *x, size_t terms, uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        restore_group(ring, &w, w.digits + g.digits, x, &g, terms);
        coarsen(ring, w.digits, &g);
        if (!advance(ring, &g, GFP_RING_RESTORE, task)) {
            return false;
        }
    }
    return outer_dft(ring, w.digits, NULL, c, len, task);
}

bool gfp_hybrid_ring_multiply_by(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                                 const uint64_t *a, size_t len_a, const uint64_t *y, size_t terms,
                                 uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    if (!outer_dft(ring, w.digits, a, NULL, len_a, task)) {
        return false;
    }
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        refine(ring, w.digits, &g);
        parts_of(ring)->multiply_by(&ring->shape, w.digits + g.digits, y + g.words, g.first,
                                    g.count, terms, w.engine);
        coarsen(ring, w.digits, &g);
        if (!advance(ring, &g, GFP_RING_TRANSFORM + GFP_RING_MULTIPLY + GFP_RING_RESTORE, task)) {
            return false;
        }
    }
    return outer_dft(ring, w.digits, NULL, c, len, task);
}

bool gfp_hybrid_ring_dot(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                         const uint64_t *const *x, const uint64_t *const *y, size_t count,
                         size_t terms, uint64_t *work, gfp_task *task)
{
    const area w = area_of(ring, work);
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        for (size_t i = 0; i < count; i++) {
            parts_of(ring)->multiply(&ring->shape, w.channels, x[i] + g.words, y[i] + g.words,
                                     g.first, g.count, i == 0 ? 0 : 1, w.engine);
            if (!advance(ring, &g, GFP_RING_MULTIPLY, task)) {
                return false;
            }
        }
        parts_of(ring)->restore(&ring->shape, w.digits + g.digits, w.channels, g.first, g.count,
                                terms, w.engine);
        coarsen(ring, w.digits, &g);
        if (!advance(ring, &g, GFP_RING_RESTORE, task)) {
            return false;
        }
    }
    return outer_dft(ring, w.digits, NULL, c, len, task);
}

bool gfp_hybrid_ring_product(const gfp_hybrid_ring *ring, uint64_t *c, size_t len,
                             const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                             uint64_t *work, gfp_task *task)
{
    const area w = area_behind(ring, work, 0);
    const bool square = a == b && len_a == len_b;
    if (!outer_dft(ring, w.digits, a, NULL, len_a, task) ||
        (!square && !outer_dft(ring, w.other, b, NULL, len_b, task))) {
        return false;
    }
    for (group g = {0, 0, 0, 0}; next_group(ring, &g);) {
        int64_t *x = w.digits + g.digits;
        refine(ring, w.digits, &g);
        if (!square) {
            refine(ring, w.other, &g);
        }
        ring->choice.engine->multiply(&ring->shape, x, square ? x : w.other + g.digits, g.first,
                                      g.count, w.engine);
        coarsen(ring, w.digits, &g);
        if (!advance(ring, &g, 2 * GFP_RING_TRANSFORM + GFP_RING_MULTIPLY + GFP_RING_RESTORE,
                     task)) {
            return false;
        }
    }
    return outer_dft(ring, w.digits, NULL, c, len, task);
}

/* ---- parts of products ---- */

/* Where coefficients first <= i < end of a product come from, if not from all of it. Modulo X^L - 1
 * nothing else falls on them if i + L >= len for all of them and i - L < 0. share: of the time of
 * the whole product. */
static bool range_ring(gfp_hybrid_ring *ring, const gfp_field *field, size_t len_a, size_t len_b,
                       size_t first, size_t end, double *share)
{
    const size_t len = len_a + len_b - 1, shorter = gfp_size_min(len_a, len_b);
    const size_t wrapped = end > len - first ? end : len - first;
    gfp_hybrid_choice choice;
    gfp_hybrid_plan whole;
    gfp_hybrid_shape shape;
    double cost;
    *share = 1;
    gfp_hybrid_choose(&choice, field);
    if (!gfp_hybrid_plan_make(&whole, &choice, len_a, len_b)) {
        return false;
    }
    if (wrapped < len && gfp_hybrid_plan_ring(&shape, &choice, wrapped, 1, shorter, true, &cost) &&
        cost < whole.cost) {
        ring_of(ring, &choice, &shape, cost);
        *share = cost / whole.cost;
        return true;
    }
    ring_of(ring, &choice, &whole.shape, whole.cost);
    return whole.shape.wrap == 0 && whole.block_a == len_a && whole.block_b == len_b;
}

/* Work areas up to this are on the stack. */
#define STACK_WORDS 4096

/* z := the first end coefficients in the ring. */
static gfp_status run_in(const gfp_hybrid_ring *ring, uint64_t *z, size_t end, const uint64_t *a,
                         size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                         gfp_task *task)
{
    const double units =
        3 * GFP_RING_OUTER + 2 * GFP_RING_TRANSFORM + GFP_RING_MULTIPLY + GFP_RING_RESTORE;
    if (!gfp_task_span(task, 1, units * gfp_hybrid_ring_points(ring),
                       gfp_hybrid_ring_unit_cost(ring))) {
        return GFP_ERR_CANCELLED;
    }
    const int rounding = gfp_rounding_begin();
    gfp_status status = gfp_hybrid_ring_prepare(ring);
    if (status == GFP_OK &&
        !gfp_hybrid_ring_product(ring, z, end, a, len_a, b, len_b, work, task)) {
        status = GFP_ERR_CANCELLED;
    }
    gfp_rounding_end(rounding);
    return status;
}

static gfp_status run_on_stack(const gfp_hybrid_ring *ring, uint64_t *z, size_t end,
                               const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                               gfp_task *task)
{
    uint64_t work[STACK_WORDS];
    return run_in(ring, z, end, a, len_a, b, len_b, work, task);
}

static gfp_status run_product(const gfp_hybrid_ring *ring, uint64_t *z, size_t end,
                              const uint64_t *a, size_t len_a, const uint64_t *b, size_t len_b,
                              gfp_task *task)
{
    const gfp_field *field = ring->choice.field;
    const size_t words = gfp_hybrid_ring_product_work(ring);
    if (words <= STACK_WORDS) {
        return run_on_stack(ring, z, end, a, len_a, b, len_b, task);
    }
    gfp_work work;
    GFP_TRY(gfp_work_take(&work, field, words));
    const gfp_status status = run_in(ring, z, end, a, len_a, b, len_b, work.words, task);
    gfp_work_give(&work, field);
    return status;
}

gfp_status gfp_crt_mul_hybrid_range(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, size_t first,
                                    size_t end, gfp_task *task)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    const size_t k = gfp_field_k(field), len = len_a + len_b - 1;
    gfp_hybrid_ring ring;
    double share;
    const bool in_ring = range_ring(&ring, field, len_a, len_b, first, end, &share);
    if (in_ring && first == 0) {
        return run_product(&ring, c, end, a, len_a, b, len_b, task);
    }
    const size_t n = in_ring ? end : len;
    uint64_t *z = gfp_allocate(allocator, n, k * sizeof *z);
    if (z == NULL) {
        return n > SIZE_MAX / sizeof *z / k ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const gfp_status status = in_ring ? run_product(&ring, z, end, a, len_a, b, len_b, task)
                                      : gfp_crt_mul_hybrid(field, z, a, len_a, b, len_b, task);
    if (status == GFP_OK) {
        gfp_vec_copy(field, c, z + first * k, end - first);
    }
    gfp_release(allocator, z, n, k * sizeof *z);
    return status;
}

double gfp_crt_hybrid_range_share(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                  size_t end)
{
    gfp_hybrid_ring ring;
    double share;
    (void)range_ring(&ring, field, len_a, len_b, first, end, &share);
    return share;
}
