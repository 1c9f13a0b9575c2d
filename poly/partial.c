/* partial.c: parts of products: coefficients first <= i < end of a b, by every method: directly by
 * classical and Karatsuba's, in a shorter ring by the transforms, else out of the whole product.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "crt.h"
#include "gfpoly/operand.h"
#include "gpu_methods.h"
#include "methods.h"
#include "parallel.h"
#include "support.h"

static bool is(const gfp_method *method, const char *name)
{
    return strcmp(method->name, name) == 0;
}

static bool is_whole(const gfp_range *r)
{
    return r->first == 0 && r->end == r->len_a + r->len_b - 1;
}

/* ---- what it costs ---- */

/* On a device: transforms as long as keeps what wraps around apart from these coefficients, and
 * what crosses the bus; whichever saves less, by its law alone. */
static double device_share(const gfp_range *r)
{
    const size_t all = r->len_a + r->len_b - 1, longer = r->len_a > r->len_b ? r->len_a : r->len_b;
    size_t n = all - r->first > r->end ? all - r->first : r->end;
    n = n > longer ? n : longer;
    const double factors = (double)r->len_a + (double)r->len_b;
    return fmax((double)n / (double)all,
                (factors + (double)(r->end - r->first)) / (factors + (double)all));
}

double gfp_range_share(const gfp_method *method, const gfp_range *r)
{
    const size_t len = r->len_a + r->len_b - 1;
    if (is_whole(r)) {
        return 1;
    }
    if (is(method, "classical")) {
        return gfp_classical_range_units(r->len_a, r->len_b, r->first, r->end) /
               gfp_classical_units(r->len_a, r->len_b, len);
    }
    if (is(method, "karatsuba")) {
        return gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, r->first, r->end) /
               gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, 0, len);
    }
    if (gfp_method_on_device(method)) {
        return device_share(r);
    }
    return is(method, "hybrid")
               ? gfp_crt_hybrid_range_share(r->field, r->len_a, r->len_b, r->first, r->end)
               : 1;
}

/* ---- how ---- */

/* The factor *x of *len coefficients without its first n; NULL stands for one that nobody reads. */
static void leave_out(const gfp_field *field, const uint64_t **x, size_t *len, size_t n)
{
    *x = *x == NULL ? NULL : *x + n * gfp_field_k(field);
    *len -= n;
}

static void shift_down(gfp_range *r, size_t n)
{
    r->first -= n;
    r->end -= n;
}

void gfp_range_trim(gfp_range *r)
{
    r->len_a = gfp_size_min(r->len_a, r->end);
    r->len_b = gfp_size_min(r->len_b, r->end);
    if (r->first >= r->len_b) { /* a_j with j + len_b - 1 < first matter to nothing */
        const size_t skip = gfp_size_min(r->first - (r->len_b - 1), r->len_a - 1);
        leave_out(r->field, &r->a, &r->len_a, skip);
        shift_down(r, skip);
    }
    if (r->first >= r->len_a) {
        const size_t skip = gfp_size_min(r->first - (r->len_a - 1), r->len_b - 1);
        leave_out(r->field, &r->b, &r->len_b, skip);
        shift_down(r, skip);
    }
}

static gfp_status no_memory(const char *method, gfp_error *error)
{
    return gfp_error_set(error, GFP_ERR_MEMORY, "%s: no memory for a part of a product", method);
}

static gfp_status by_karatsuba(const gfp_range *r, size_t words, uint64_t *c, gfp_task *task,
                               gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(r->field);
    const double units = gfp_karatsuba_range_units(r->field, r->len_a, r->len_b, r->first, r->end);
    uint64_t *work = gfp_allocate(allocator, words, sizeof *work);
    if (work == NULL) {
        return no_memory("karatsuba", error);
    }
    const bool done = gfp_task_span(task, 1, units, gfp_task_product_cost(r->field)) &&
                      gfp_karatsuba_range(r->field, c, r->a, r->len_a, r->b, r->len_b, r->first,
                                          r->end, work, task);
    gfp_release(allocator, work, words, sizeof *work);
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status by_classical(const gfp_range *r, uint64_t *c, gfp_task *task)
{
    const double units = gfp_classical_range_units(r->len_a, r->len_b, r->first, r->end);
    return gfp_task_span(task, 1, units, gfp_task_product_cost(r->field)) &&
                   gfp_classical_range(r->field, c, r->a, r->len_a, r->b, r->len_b, r->first,
                                       r->end, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}

static gfp_status by_whole(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                           gfp_task *task, gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(r->field);
    const size_t len = r->len_a + r->len_b - 1, k = gfp_field_k(r->field);
    uint64_t *z = gfp_allocate(allocator, len, k * sizeof *z);
    if (z == NULL) {
        return no_memory(method->name, error);
    }
    const gfp_status status =
        gfp_method_run(method, r->field, z, r->a, r->len_a, r->b, r->len_b, cap, task, error);
    if (status == GFP_OK) {
        gfp_vec_copy(r->field, c, z + r->first * k, r->end - r->first);
    }
    gfp_release(allocator, z, len, k * sizeof *z);
    return status;
}

static gfp_device_work on_device(const gfp_method *method, const gfp_range *r, uint64_t *c)
{
    return (gfp_device_work){.method = method->device,
                             .field = r->field,
                             .c = c,
                             .a = r->a,
                             .b = r->b,
                             .len_a = r->len_a,
                             .len_b = r->len_b,
                             .first = r->first,
                             .n = r->end - r->first,
                             .count = 1,
                             .stride_a = r->len_a,
                             .stride_b = r->len_b,
                             .stride_c = r->end - r->first};
}

static gfp_status by_device(const gfp_method *method, const gfp_range *r, uint64_t *c,
                            gfp_task *task, gfp_error *error)
{
    const gfp_device_work w = on_device(method, r, c);
    char why[sizeof((gfp_method_info *)0)->reason];
    if (!gfp_method_serves(method, r->field, r->len_a, r->len_b, gfp_task_device(task), why,
                           sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    return gfp_device_run(&w, task, error);
}

/* The part with no cap on memory. */
static gfp_status run_freely(const gfp_method *method, const gfp_range *r, uint64_t *c,
                             gfp_task *task, gfp_error *error)
{
    if (is_whole(r)) {
        return gfp_method_run(method, r->field, c, r->a, r->len_a, r->b, r->len_b, 0, task, error);
    }
    if (gfp_method_on_device(method)) {
        return by_device(method, r, c, task, error);
    }
    if (is(method, "classical")) {
        return by_classical(r, c, task);
    }
    if (is(method, "karatsuba")) {
        const size_t words =
            gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end);
        if (words > 0) {
            return by_karatsuba(r, words, c, task, error);
        }
    }
    if (is(method, "hybrid")) {
        const gfp_status status = gfp_crt_mul_hybrid_range(r->field, c, r->a, r->len_a, r->b,
                                                           r->len_b, r->first, r->end, task);
        return status == GFP_ERR_MEMORY ? no_memory("hybrid", error) : status;
    }
    return by_whole(method, r, c, 0, task, error);
}

/* ---- within a cap on memory: blocks ---- */

static size_t product_bytes(const gfp_range *r)
{
    return gfp_size_mul_sat(r->len_a + r->len_b - 1, gfp_element_bytes(r->field));
}

/* What run_freely takes. */
static size_t free_bytes(const gfp_method *method, const gfp_range *r, unsigned threads)
{
    if (is_whole(r)) {
        return method->bytes(r->field, r->len_a, r->len_b, threads);
    }
    if (is(method, "classical")) {
        return 0;
    }
    if (gfp_method_on_device(method)) {
        const gfp_device_work w = on_device(method, r, NULL);
        return gfp_device_bytes(&w);
    }
    if (is(method, "hybrid")) {
        return gfp_crt_hybrid_range_bytes(r->field, r->len_a, r->len_b, r->first, r->end, threads);
    }
    const size_t words =
        is(method, "karatsuba")
            ? gfp_karatsuba_range_block(r->field, r->len_a, r->len_b, r->first, r->end)
            : 0;
    return words > 0 ? gfp_size_mul_sat(words, sizeof(uint64_t))
                     : gfp_size_add_sat(product_bytes(r),
                                        method->bytes(r->field, r->len_a, r->len_b, threads));
}

/* The part in stripes of `width` coefficients, each the sum of what pieces of `length` coefficients
 * of the longer factor add: as halving both often enough gives, where they are longer than that.
 * Where a stripe has several pieces, what each adds is computed apart. */
typedef struct grid {
    gfp_range r; /* a the longer factor */
    size_t width, length, stripes, pieces;
} grid;

/* Blocks are not cut below this length. */
#define MIN_BLOCK 32

static size_t longest(const gfp_range *r)
{
    const size_t longer = r->len_a > r->len_b ? r->len_a : r->len_b, n = r->end - r->first;
    return longer > n ? longer : n;
}

static unsigned most_halvings(const gfp_range *r)
{
    unsigned halvings = 0;
    while ((longest(r) - 1) >> halvings >= MIN_BLOCK) {
        halvings++;
    }
    return halvings;
}

static grid grid_of(const gfp_range *r, unsigned halvings)
{
    const size_t size = ((longest(r) - 1) >> halvings) + 1, n = r->end - r->first;
    grid g = {.r = *r};
    if (r->len_a < r->len_b) {
        g.r.a = r->b;
        g.r.len_a = r->len_b;
        g.r.b = r->a;
        g.r.len_b = r->len_a;
    }
    g.width = gfp_size_min(size, n);
    g.length = gfp_size_min(size, g.r.len_a);
    g.stripes = (n - 1) / g.width + 1;
    g.pieces = (g.r.len_a - 1) / g.length + 1;
    return g;
}

/* What a piece adds to a stripe: coefficients from number *at of the part on. False: nothing. */
static bool block_at(gfp_range *block, size_t *at, const grid *g, size_t stripe, size_t piece)
{
    const size_t from = g->r.first + stripe * g->width, skip = piece * g->length;
    const size_t to = from + gfp_size_min(g->width, g->r.end - from);
    *block = g->r;
    leave_out(g->r.field, &block->a, &block->len_a, skip);
    block->len_a = gfp_size_min(block->len_a, g->length);
    const size_t end = gfp_size_min(to, skip + block->len_a + block->len_b - 1);
    const size_t first = from > skip ? from : skip;
    if (first >= end) {
        return false;
    }
    *at = first - g->r.first;
    block->first = first;
    block->end = end;
    shift_down(block, skip);
    gfp_range_trim(block);
    return true;
}

/* Shapes of blocks, and the most bytes that one of them takes. Shapes that come again in the next
 * stripe or piece are asked for once. */
#define SHAPES 4
typedef struct survey {
    const gfp_method *method;
    unsigned threads;
    gfp_range seen[SHAPES];
    size_t count, bytes;
} survey;

static void look_at(survey *s, const grid *g, size_t stripe, size_t piece)
{
    gfp_range block;
    size_t at;
    if (stripe >= g->stripes || piece >= g->pieces || !block_at(&block, &at, g, stripe, piece)) {
        return;
    }
    for (size_t i = 0; i < SHAPES && i < s->count; i++) {
        const gfp_range *x = &s->seen[i];
        if (x->len_a == block.len_a && x->len_b == block.len_b && x->first == block.first &&
            x->end == block.end) {
            return;
        }
    }
    s->seen[s->count++ % SHAPES] = block;
    const size_t bytes = free_bytes(s->method, &block, s->threads);
    s->bytes = bytes > s->bytes ? bytes : s->bytes;
}

static void look_around(survey *s, const grid *g, size_t stripe, size_t piece)
{
    look_at(s, g, stripe, piece);
    look_at(s, g, stripe + 1, piece);
    look_at(s, g, stripe == 0 ? 0 : stripe - 1, piece);
    look_at(s, g, stripe, piece + 1);
    look_at(s, g, stripe, piece == 0 ? 0 : piece - 1);
}

/* The pieces that may add to a stripe, which are few where the other factor is short. */
static size_t first_piece(const grid *g, size_t stripe)
{
    const size_t from = g->r.first + stripe * g->width;
    return from > g->r.len_b ? (from - g->r.len_b) / g->length : 0;
}

static size_t last_piece(const grid *g, size_t stripe)
{
    const size_t from = g->r.first + stripe * g->width;
    const size_t to = from + gfp_size_min(g->width, g->r.end - from);
    return gfp_size_min((to - 1) / g->length, g->pieces - 1);
}

/* The blocks of a stripe that begin or end where the second factor does, which cuts them: all in
 * between are alike, but for the last one. */
static void look_at_stripe(survey *s, const grid *g, size_t stripe)
{
    const size_t ends = first_piece(g, stripe), begins = last_piece(g, stripe);
    look_around(s, g, stripe, begins);
    look_around(s, g, stripe, (begins + ends) / 2);
    look_around(s, g, stripe, ends);
}

/* The same of a piece. */
static void look_at_piece(survey *s, const grid *g, size_t piece)
{
    const size_t skip = piece * g->length, reached = skip + g->r.len_b, first = g->r.first;
    const size_t begins = skip > first ? (skip - first) / g->width : 0;
    const size_t ends =
        gfp_size_min(reached > first ? (reached - first) / g->width : 0, g->stripes - 1);
    look_around(s, g, begins, piece);
    look_around(s, g, (begins + ends) / 2, piece);
    look_around(s, g, ends, piece);
}

/* What run_grid takes on so many threads. Where there are several stripes and several pieces, width
 * and length are the same, and a block is like the one of the next stripe and piece, but for the
 * last stripe and piece: every block is like one of the first stripe, of the first piece, or of
 * the last ones. */
static size_t grid_bytes(const gfp_method *method, const grid *g, unsigned threads)
{
    survey s = {.method = method, .threads = threads};
    look_at_stripe(&s, g, 0);
    look_at_stripe(&s, g, g->stripes - 1);
    look_at_piece(&s, g, 0);
    look_at_piece(&s, g, g->pieces - 1);
    const size_t apart = g->pieces > 1 ? g->width : 0;
    return gfp_size_add_sat(s.bytes, gfp_size_mul_sat(apart, gfp_element_bytes(g->r.field)));
}

/* The largest blocks that take at most cap bytes on one thread, by bisection. False: none do. */
static bool grid_within(grid *g, const gfp_method *method, const gfp_range *r, size_t cap)
{
    unsigned low = 1, high = most_halvings(r);
    *g = grid_of(r, high);
    if (high == 0 || grid_bytes(method, g, 1) > cap) {
        return false;
    }
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const grid other = grid_of(r, middle);
        if (grid_bytes(method, &other, 1) <= cap) {
            *g = other;
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return true;
}

/* How a part is computed within a cap. */
typedef struct capped {
    enum { FREELY, WHOLE, BLOCKS, NOT_AT_ALL } how;
    unsigned threads;
    size_t bytes;
    double factor; /* of its time on one thread */
    grid g;        /* BLOCKS */
} capped;

/* Blocks: each halving of the memory about doubles the time. */
static void plan_capped(capped *p, const gfp_method *method, const gfp_range *r, unsigned threads,
                        size_t cap)
{
    *p = (capped){.how = FREELY, .threads = threads, .factor = 1};
    p->bytes = free_bytes(method, r, threads);
    if (p->bytes <= cap) {
        return;
    }
    p->threads = 1;
    const size_t least = p->bytes = free_bytes(method, r, 1);
    if (least <= cap) {
        return;
    }
    const size_t beside = product_bytes(r);
    gfp_limits inner = {cap > beside ? cap - beside : 1, 1};
    const size_t whole = gfp_method_bytes(method, r->field, r->len_a, r->len_b, &inner, &p->factor);
    if (whole <= inner.cap && beside < cap) {
        p->how = WHOLE;
        p->factor /= gfp_range_share(method, r);
        p->bytes = beside + whole;
        return;
    }
    p->factor = exp2(ceil(log2((double)least / (double)cap)));
    if (!grid_within(&p->g, method, r, cap)) {
        p->how = NOT_AT_ALL;
        p->bytes = SIZE_MAX;
        return;
    }
    p->how = BLOCKS;
    p->threads = threads > 1 && grid_bytes(method, &p->g, threads) <= cap ? threads : 1;
    p->bytes = cap;
}

typedef struct grid_run {
    const gfp_method *method;
    const grid *g;
    uint64_t *c;
    uint64_t *z;     /* room for what a piece adds; NULL where a stripe has one */
    double from, to; /* of the call */
    gfp_task *task;
    gfp_error *error;
} grid_run;

static gfp_status run_block(const grid_run *w, size_t stripe, size_t piece)
{
    const grid *g = w->g;
    const gfp_field *field = g->r.field;
    const size_t begin = first_piece(g, stripe), pieces = last_piece(g, stripe) - begin + 1;
    const double done = (double)stripe + (double)(piece - begin + 1) / (double)pieces;
    gfp_range block;
    size_t at;
    if (!block_at(&block, &at, g, stripe, piece)) {
        return GFP_OK;
    }
    uint64_t *to = w->c + at * gfp_field_k(field);
    gfp_task_part(w->task, w->from + (w->to - w->from) * done / (double)g->stripes);
    GFP_TRY(run_freely(w->method, &block, w->z != NULL ? w->z : to, w->task, w->error));
    if (w->z != NULL) {
        gfp_vec_add(field, to, to, w->z, block.end - block.first);
    }
    return GFP_OK;
}

static gfp_status run_blocks(const grid_run *w)
{
    const grid *g = w->g;
    if (w->task != NULL) {
        w->task->part_to = w->from; /* the first block begins there */
    }
    if (w->z != NULL) {
        gfp_vec_zero(g->r.field, w->c, g->r.end - g->r.first);
    }
    for (size_t stripe = 0; stripe < g->stripes; stripe++) {
        const size_t last = last_piece(g, stripe);
        for (size_t piece = first_piece(g, stripe); piece <= last; piece++) {
            GFP_TRY(run_block(w, stripe, piece));
        }
    }
    return GFP_OK;
}

static gfp_status run_grid(const gfp_method *method, const grid *g, uint64_t *c, gfp_task *task,
                           gfp_error *error)
{
    const gfp_allocator *allocator = gfp_field_allocator(g->r.field);
    const size_t bytes = gfp_element_bytes(g->r.field);
    grid_run w = {.method = method, .g = g, .c = c, .to = 1, .task = task, .error = error};
    if (task != NULL) {
        w.from = task->part_from;
        w.to = task->part_to;
    }
    if (g->pieces > 1) {
        w.z = gfp_allocate(allocator, g->width, bytes);
        if (w.z == NULL) {
            return no_memory(method->name, error);
        }
    }
    const gfp_status status = run_blocks(&w);
    gfp_release(allocator, w.z, g->width, bytes);
    return status;
}

gfp_status gfp_range_run(const gfp_method *method, const gfp_range *r, uint64_t *c, size_t cap,
                         gfp_task *task, gfp_error *error)
{
    char why[sizeof((gfp_method_info *)0)->reason];
    if (is_whole(r)) {
        return gfp_method_run(method, r->field, c, r->a, r->len_a, r->b, r->len_b, cap, task,
                              error);
    }
    if (cap == 0) {
        return run_freely(method, r, c, task, error);
    }
    if (!gfp_method_serves(method, r->field, r->len_a, r->len_b, gfp_task_device(task), why,
                           sizeof why)) {
        return gfp_error_set(error, GFP_ERR_UNAVAILABLE, "%s cannot serve: %s", method->name, why);
    }
    capped p;
    plan_capped(&p, method, r, gfp_task_threads(task), cap);
    if (p.how == NOT_AT_ALL) {
        return gfp_error_set(error, GFP_ERR_MEMORY,
                             "%s: no blocks of this part of a product fit a cap of %zu bytes",
                             method->name, cap);
    }
    if (task != NULL) {
        task->threads = p.threads;
    }
    return p.how == FREELY  ? run_freely(method, r, c, task, error)
           : p.how == WHOLE ? by_whole(method, r, c, cap - product_bytes(r), task, error)
                            : run_grid(method, &p.g, c, task, error);
}

size_t gfp_range_bytes(const gfp_method *method, const gfp_range *r, gfp_limits *limits,
                       double *factor)
{
    capped p;
    *factor = 1;
    if (limits->cap == 0) {
        return free_bytes(method, r, limits->threads);
    }
    plan_capped(&p, method, r, limits->threads, limits->cap);
    limits->threads = p.threads;
    *factor = p.factor;
    return p.bytes;
}
