/* axes.c: see axes.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/axes.h"

#include <string.h>

#include "field/primes/factor.h"
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
    *axis = (gfp_fft_axis){
        .field = plan->field, .length = 1, .stride = stride, .prime = prime, .multiplier = 1};
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

/* Appends the axes of a dimension whose elements lie `stride` apart: odd primes first, so that
 * columns of powers of two lie closest together. */
static gfp_status add_dimension(gfp_fft_plan *plan, size_t length, size_t stride,
                                const uint64_t *root, gfp_error *error)
{
    uint64_t prime[GFP_MAX_FACTORS], part[GFP_MAX_K];
    const unsigned count = gfp_factor(length, prime);
    size_t inner = length;
    for (unsigned i = count; i-- > 0;) {
        unsigned exponent = 0;
        size_t power = 1;
        for (size_t left = length; left % prime[i] == 0; left /= prime[i]) {
            power *= prime[i];
            exponent++;
        }
        inner /= power;
        if (gfp_fft_prime_power_root(plan->field, part, prime[i], exponent) != GFP_OK) {
            return prime[i] == 2 && power == length
                       ? gfp_error_set(error, GFP_ERR_NO_ROOT,
                                       "transform length %zu does not divide p - 1: the largest "
                                       "power of two is 2^%u",
                                       length, plan->field->v2_order)
                       : gfp_error_set(error, GFP_ERR_NO_ROOT,
                                       "transform length %zu does not divide p - 1: its factor "
                                       "%zu does not",
                                       length, power);
        }
        if (root != NULL) {
            gfp_fft_part_of_root(plan->field, part, root, length, power);
        }
        GFP_TRY(add_axis(plan, prime[i], exponent, stride * inner, part, error));
    }
    return GFP_OK;
}

/* Whether the place of some index is not the index. */
static bool axes_moves(const gfp_fft_axes *axes)
{
    bool any = axes->count > axes->dimensions;
    for (unsigned i = 0; i < axes->count; i++) {
        any = any || axes->axis[i].multiplier != 1;
    }
    return any;
}

/* Fills the places of a dimension; the remainders of the indices modulo each length are counted. */
static void fill_places(const gfp_fft_axes *axes, unsigned dimension, size_t *in, size_t *out)
{
    const size_t n = axes->length[dimension];
    memset(in, 0, n * sizeof *in);
    memset(out, 0, n * sizeof *out);
    for (unsigned a = axes->first[dimension]; a < axes->first[dimension + 1]; a++) {
        const gfp_fft_axis *axis = &axes->axis[a];
        size_t plain = 0, multiple = 0;
        for (size_t i = 0; i < n; i++) {
            in[i] += plain * axis->stride;
            out[i] += multiple * axis->stride;
            plain = plain + 1 == axis->length ? 0 : plain + 1;
            multiple += axis->multiplier; /* below 2 length */
            multiple -= multiple >= axis->length ? axis->length : 0;
        }
    }
}

static gfp_status make_places(gfp_fft_plan *plan, gfp_error *error)
{
    gfp_fft_axes *axes = plan->axes;
    size_t count = 0;
    if (!axes_moves(axes)) {
        return GFP_OK;
    }
    for (unsigned d = 0; d < axes->dimensions; d++) {
        count += 2 * axes->length[d]; /* at most 2 N */
    }
    axes->places = gfp_allocate(&plan->field->allocator, count, sizeof *axes->places);
    if (axes->places == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for the places of %zu indices",
                             count);
    }
    axes->place_count = count;
    size_t *at = axes->places;
    for (unsigned d = 0; d < axes->dimensions; d++) {
        fill_places(axes, d, at, at + axes->length[d]);
        at += 2 * axes->length[d];
    }
    return GFP_OK;
}

gfp_status gfp_fft_axes_make(gfp_fft_plan *plan, const size_t *length, unsigned dimensions,
                             const uint64_t *root, gfp_error *error)
{
    gfp_fft_axes *axes = gfp_allocate(&plan->field->allocator, 1, sizeof *axes);
    if (axes == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for a plan");
    }
    memset(axes, 0, sizeof *axes);
    plan->axes = axes;
    size_t stride = plan->n;
    for (unsigned d = 0; d < dimensions; d++) {
        stride /= length[d];
        if (length[d] > 1) {
            axes->length[axes->dimensions] = length[d];
            axes->first[axes->dimensions++] = axes->count;
            GFP_TRY(add_dimension(plan, length[d], stride, root, error));
            axes->first[axes->dimensions] = axes->count;
        }
    }
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
    gfp_release(&field->allocator, axes->places, axes->place_count, sizeof *axes->places);
    gfp_release(&field->allocator, axes, 1, sizeof *axes);
}

size_t gfp_fft_axes_bytes(const gfp_fft_plan *plan)
{
    const gfp_fft_axes *axes = plan->axes;
    size_t bytes = sizeof *axes + axes->place_count * sizeof *axes->places;
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
    bool values, to_places;
} mapping;

/* The indices of element i in each dimension. */
static void split_index(const gfp_fft_axes *axes, size_t i, size_t *index)
{
    for (unsigned d = axes->dimensions; d-- > 0;) {
        index[d] = i % axes->length[d];
        i /= axes->length[d];
    }
}

/* The place of the first index of a row, without that of the last dimension. */
static size_t place_of_row(const mapping *s, const size_t *index, const size_t **last)
{
    const gfp_fft_axes *axes = s->plan->axes;
    const size_t *at = axes->places;
    size_t place = 0;
    for (unsigned d = 0; d < axes->dimensions; d++) {
        *last = s->values ? at + axes->length[d] : at;
        place += d + 1 < axes->dimensions ? (*last)[index[d]] : 0;
        at += 2 * axes->length[d];
    }
    return place;
}

static gfp_status map_elements(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const mapping *s = user;
    const gfp_fft_axes *axes = s->plan->axes;
    const size_t k = s->plan->field->k, row = axes->length[axes->dimensions - 1];
    (void)worker;
    (void)task;
    for (size_t i = from; i < to;) {
        size_t index[GFP_FFT_MAX_AXES];
        const size_t *last = index; /* place_of_row sets it */
        split_index(axes, i, index);
        const size_t start = place_of_row(s, index, &last), column = i % row;
        const size_t count = gfp_size_min(to - i, row - column);
        for (size_t j = 0; j < count; j++) {
            const size_t place = start + last[column + j];
            const size_t target = s->to_places ? place : i + j,
                         source = s->to_places ? i + j : place;
            memcpy(s->z + target * k, s->x + source * k, k * sizeof *s->z);
        }
        i += count;
    }
    return GFP_OK;
}

/* z at the places := x at the indices, or the other way round. */
static bool axes_map(const gfp_fft_plan *plan, uint64_t *z, const uint64_t *x, bool values,
                     bool to_places, gfp_task *task)
{
    mapping s = {plan, z, x, values, to_places};
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
                         : axes_map(plan, area, x, true, true, task)) &&
               run_axes(plan, area, true, permuted, area, task) &&
               axes_map(plan, y, area, false, false, task);
    }
    return axes_map(plan, area, x, false, true, task) &&
           run_axes(plan, area, false, permuted, area, task) &&
           (permuted ? gfp_fft_copy(task, field, y, area, plan->n)
                     : axes_map(plan, y, area, true, false, task));
}
