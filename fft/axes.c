/* axes.c: see axes.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/axes.h"

#include <string.h>

#include "field/base/parallel.h"
#include "field/base/support.h"
#include "fft/task.h"

/* ---- making ---- */

/* The kinds that the cheapest is chosen from. */
static const gfp_fft_axis_kind *const kinds[] = {&gfp_fft_axis_power, &gfp_fft_axis_radix,
                                                 &gfp_fft_axis_chirp};

/* Appends an axis of length prime^exponent. part: the root of this order. */
static gfp_status add_axis(gfp_fft_plan *plan, uint64_t prime, unsigned exponent, size_t stride,
                           const uint64_t *part, gfp_error *error)
{
    gfp_fft_axes *axes = plan->axes;
    gfp_fft_axis *axis = &axes->axis[axes->count];
    *axis = (gfp_fft_axis){.field = plan->field, .length = 1, .stride = stride, .prime = prime};
    for (unsigned i = 0; i < exponent; i++) {
        axis->length *= prime;
    }
    axis->kind = kinds[0];
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++) {
        axis->kind = kinds[i]->units(axis) < axis->kind->units(axis) ? kinds[i] : axis->kind;
    }
    axes->count++;
    return axis->kind->prepare(axis, part, error);
}

/* Appends the axes: odd primes first, so that columns of powers of two lie closest together. */
static gfp_status add_axes(gfp_fft_plan *plan, gfp_error *error)
{
    uint64_t prime[GFP_MAX_FACTORS], root[GFP_MAX_K];
    const size_t n = plan->n;
    const unsigned count = gfp_factor(n, prime);
    size_t inner = n;
    for (unsigned i = count; i-- > 0;) {
        unsigned exponent = 0;
        size_t power = 1;
        for (size_t left = n; left % prime[i] == 0; left /= prime[i]) {
            power *= prime[i];
            exponent++;
        }
        inner /= power;
        if (gfp_fft_prime_power_root(plan->field, root, prime[i], exponent) != GFP_OK) {
            return gfp_error_set(error, GFP_ERR_NO_ROOT,
                                 "transform length %zu does not divide p - 1: its factor %zu does "
                                 "not",
                                 n, power);
        }
        GFP_TRY(add_axis(plan, prime[i], exponent, inner, root, error));
    }
    return GFP_OK;
}

/* Fills the places; the remainders of the indices modulo the length of each axis are counted. */
static gfp_status make_places(gfp_fft_plan *plan, gfp_error *error)
{
    gfp_fft_axes *axes = plan->axes;
    const size_t n = plan->n;
    if (axes->count <= 1) {
        return GFP_OK;
    }
    axes->places = gfp_allocate(&plan->field->allocator, n, sizeof *axes->places);
    if (axes->places == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for the places of %zu indices",
                             n);
    }
    memset(axes->places, 0, n * sizeof *axes->places);
    for (unsigned a = 0; a < axes->count; a++) {
        const gfp_fft_axis *axis = &axes->axis[a];
        size_t rest = 0;
        for (size_t i = 0; i < n; i++) {
            axes->places[i] += rest * axis->stride;
            rest = rest + 1 == axis->length ? 0 : rest + 1;
        }
    }
    return GFP_OK;
}

gfp_status gfp_fft_axes_make(gfp_fft_plan *plan, gfp_error *error)
{
    gfp_fft_axes *axes = gfp_allocate(&plan->field->allocator, 1, sizeof *axes);
    if (axes == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset(axes, 0, sizeof *axes);
    plan->axes = axes;
    GFP_TRY(add_axes(plan, error));
    gfp_elem_set_u64(plan->field, axes->scale, plan->n);
    GFP_TRY(gfp_elem_inv(plan->field, axes->scale, axes->scale)); /* N divides p - 1 */
    return make_places(plan, error);
}

void gfp_fft_axes_destroy(gfp_fft_plan *plan)
{
    gfp_fft_axes *axes = plan->axes;
    const gfp_field *field = plan->field;
    if (axes == NULL) {
        return;
    }
    for (unsigned i = 0; i < axes->count; i++) {
        gfp_fft_axis *axis = &axes->axis[i];
        gfp_fft_plan_destroy(axis->inner);
        gfp_release(&field->allocator, axis->table, axis->entries, field->k * sizeof *axis->table);
    }
    gfp_release(&field->allocator, axes->places, plan->n, sizeof *axes->places);
    gfp_release(&field->allocator, axes, 1, sizeof *axes);
}

size_t gfp_fft_axes_bytes(const gfp_fft_plan *plan)
{
    const gfp_fft_axes *axes = plan->axes;
    size_t bytes = sizeof *axes + (axes->places != NULL ? plan->n : 0) * sizeof *axes->places;
    for (unsigned i = 0; i < axes->count; i++) {
        const gfp_fft_axis *axis = &axes->axis[i];
        bytes += axis->entries * plan->field->k * sizeof *axis->table;
        bytes += axis->inner != NULL ? gfp_fft_plan_bytes(axis->inner) : 0;
    }
    return bytes;
}

/* ---- needs ---- */

/* The words of the columns that move through a buffer: those of an innermost axis do not move. */
static size_t buffer_words(const gfp_fft_axis *axis)
{
    return axis->stride == 1 ? 0 : axis->length * axis->columns * axis->field->k;
}

size_t gfp_fft_axes_shared(const gfp_fft_plan *plan)
{
    return plan->axes->places != NULL ? plan->n * plan->field->k : 0;
}

size_t gfp_fft_axes_each(const gfp_fft_plan *plan)
{
    size_t most = 0;
    for (unsigned i = 0; i < plan->axes->count; i++) {
        const gfp_fft_axis *axis = &plan->axes->axis[i];
        const size_t words = gfp_size_add_sat(buffer_words(axis), axis->kind->words(axis));
        most = words > most ? words : most;
    }
    return most;
}

double gfp_fft_axes_units(const gfp_fft_plan *plan)
{
    double units = 0;
    for (unsigned i = 0; i < plan->axes->count; i++) {
        const gfp_fft_axis *axis = &plan->axes->axis[i];
        units += axis->kind->units(axis) * ((double)plan->n / (double)axis->length);
    }
    return units;
}

/* ---- running ---- */

/* A sweep along an axis. An item is a group of columns that lie side by side. */
typedef struct sweep {
    const gfp_fft_axis *axis;
    uint64_t *x;
    bool inverse, permuted;
    size_t groups; /* of the columns inside the axis */
    uint64_t *work;
    size_t each; /* words of a thread's work area */
} sweep;

/* Moves columns between x and the buffer. */
static void move_columns(const gfp_fft_axis *axis, uint64_t *to, size_t to_row,
                         const uint64_t *from, size_t from_row, size_t columns)
{
    const size_t k = axis->field->k;
    for (size_t i = 0; i < axis->length; i++) {
        memcpy(to + i * to_row * k, from + i * from_row * k, columns * k * sizeof *to);
    }
}

/* Transforms one item. */
static bool sweep_item(const sweep *s, size_t item, uint64_t *work, gfp_task *task)
{
    const gfp_fft_axis *axis = s->axis;
    const size_t k = axis->field->k, at = item % s->groups * axis->columns;
    const size_t columns = gfp_size_min(axis->columns, axis->stride - at);
    uint64_t *x = s->x + (item / s->groups * axis->length * axis->stride + at) * k;
    if (columns == axis->stride) {
        return axis->kind->run(axis, x, columns, s->inverse, s->permuted, work, task);
    }
    uint64_t *rest = work + buffer_words(axis);
    move_columns(axis, work, columns, x, axis->stride, columns);
    if (!axis->kind->run(axis, work, columns, s->inverse, s->permuted, rest, task)) {
        return false;
    }
    move_columns(axis, x, axis->stride, work, columns, columns);
    return true;
}

static gfp_status sweep_items(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const sweep *s = user;
    for (size_t i = from; i < to; i++) {
        if (!sweep_item(s, i, s->work + worker * s->each, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The least words of a chunk, some 15 us. */
#define LEAST_WORDS ((size_t)2048)

/* Transforms along an axis. Threads share the columns if these are many or divide evenly, else the
 * work in each column. */
static bool run_axis(const gfp_fft_plan *plan, sweep *s, gfp_task *task)
{
    const gfp_fft_axis *axis = s->axis;
    s->groups = (axis->stride + axis->columns - 1) / axis->columns;
    const size_t items = plan->n / axis->length / axis->stride * s->groups;
    const size_t threads = gfp_task_threads(task);
    const size_t least = LEAST_WORDS / (axis->length * axis->columns * plan->field->k) + 1;
    const size_t chunk = gfp_parallel_chunk(task, items, 4);
    const gfp_parallel loop = {.run = sweep_items, .job = s};
    if (items % threads == 0 || items >= 8 * threads) {
        return gfp_parallel_for(&loop, task, items, chunk > least ? chunk : least) == GFP_OK;
    }
    return sweep_items(s, 0, items, 0, task) == GFP_OK;
}

/* A move of all elements between indices and places. */
typedef struct mapping {
    const gfp_fft_plan *plan;
    uint64_t *z;
    const uint64_t *x;
    bool to_places;
} mapping;

static gfp_status map_elements(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const mapping *s = user;
    const size_t k = s->plan->field->k, *place = s->plan->axes->places;
    (void)worker;
    (void)task;
    for (size_t i = from; i < to; i++) {
        const size_t target = s->to_places ? place[i] : i, source = s->to_places ? i : place[i];
        memcpy(s->z + target * k, s->x + source * k, k * sizeof *s->z);
    }
    return GFP_OK;
}

/* z at the places := x at the indices, or the other way round. */
static bool axes_map(const gfp_fft_plan *plan, uint64_t *z, const uint64_t *x, bool to_places,
                     gfp_task *task)
{
    mapping s = {plan, z, x, to_places};
    const gfp_parallel loop = {.run = map_elements, .job = &s};
    const size_t chunk = gfp_parallel_chunk(task, plan->n, 4);
    const size_t least = 4 * LEAST_WORDS / plan->field->k;
    return gfp_parallel_for(&loop, task, plan->n, chunk > least ? chunk : least) == GFP_OK;
}

/* Transforms along every axis, in place. */
static bool run_axes(const gfp_fft_plan *plan, uint64_t *x, bool inverse, bool permuted,
                     uint64_t *area, gfp_task *task)
{
    const gfp_fft_axes *axes = plan->axes;
    sweep s = {.x = x, .inverse = inverse, .permuted = permuted};
    s.work = area + gfp_fft_axes_shared(plan);
    s.each = gfp_fft_axes_each(plan);
    bool going = true;
    for (unsigned i = 0; i < axes->count && going; i++) {
        s.axis = &axes->axis[i];
        going = run_axis(plan, &s, task);
    }
    return going;
}

bool gfp_fft_axes_run(const gfp_fft_plan *plan, uint64_t *y, const uint64_t *x, bool inverse,
                      bool permuted, uint64_t *area, gfp_task *task)
{
    const gfp_field *field = plan->field;
    if (plan->axes->places == NULL) {
        return gfp_fft_copy(task, field, y, x, plan->n) &&
               run_axes(plan, y, inverse, permuted, area, task);
    }
    /* The values of a permuted order stay at their places. */
    if (inverse) {
        return (permuted ? gfp_fft_copy(task, field, area, x, plan->n)
                         : axes_map(plan, area, x, true, task)) &&
               run_axes(plan, area, true, permuted, area, task) &&
               axes_map(plan, y, area, false, task);
    }
    return axes_map(plan, area, x, true, task) &&
           run_axes(plan, area, false, permuted, area, task) &&
           (permuted ? gfp_fft_copy(task, field, y, area, plan->n)
                     : axes_map(plan, y, area, false, task));
}
