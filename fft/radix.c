/* radix.c: transforms along an axis whose length is a power of an odd prime q: levels of radix q,
 * each by sums of products (Cooley-Tukey, decimation in frequency), on several columns at once.
 * Pairs of inputs j and q - j share their products: with u = x_j + x_(q-j), v = x_j - x_(q-j),
 * c_t = (w^t + w^-t) / 2 and s_t = (w^t - w^-t) / 2, w = w_q, the outputs i and q - i are
 * x_0 + sum c_(ij) u_j +- sum s_(ij) v_j over 0 < j < q / 2.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "fft/axes.h"
#include "field/base/support.h"

/* The most inputs of one sum, and the most twiddles of one call of a kernel. */
#define TERMS ((size_t)16)
#define TWIDDLES ((size_t)64)

/* Words of the columns that go through a level at once. */
#define CHUNK_WORDS ((size_t)4096)

static size_t half_of(const gfp_fft_axis *axis)
{
    return axis->prime / 2;
}

static unsigned levels_of(const gfp_fft_axis *axis)
{
    unsigned levels = 0;
    for (size_t n = axis->length; n > 1; n /= axis->prime) {
        levels++;
    }
    return levels;
}

/* The elements of a chunk of a row. */
static size_t chunk_of(const gfp_fft_axis *axis)
{
    const size_t chunk = CHUNK_WORDS / axis->field->k / axis->prime;
    return chunk < 8 ? 8 : chunk;
}

static double radix_units(const gfp_fft_axis *axis)
{
    const double q = (double)axis->prime, half = floor(q / 2);
    const double level = 2 * half * half / q + 1;
    return axis->prime == 2 ? INFINITY : (double)axis->length * levels_of(axis) * level;
}

/* The table: w^t, t < L; c_t, t < q; s_t, t < q. */
static void fill_table(gfp_fft_axis *axis, const uint64_t *root)
{
    const gfp_field *field = axis->field;
    const size_t k = field->k, length = axis->length, q = axis->prime, step = length / q;
    uint64_t *x = axis->table;
    gfp_elem_one(field, x);
    for (size_t t = 1; t < length; t++) {
        gfp_elem_mul(field, x + t * k, x + (t - 1) * k, root);
    }
    uint64_t *cosine = x + length * k, *sine = cosine + q * k;
    for (size_t t = 0; t < q; t++) {
        const uint64_t *w = x + t * step * k, *inverse = x + (q - t) % q * step * k;
        gfp_elem_add(field, cosine + t * k, w, inverse);
        gfp_elem_sub(field, sine + t * k, w, inverse);
    }
    gfp_vec_div_2exp(field, cosine, cosine, 1, 2 * q);
}

static gfp_status radix_prepare(gfp_fft_axis *axis, const uint64_t *root, gfp_error *error)
{
    const size_t k = axis->field->k;
    const size_t columns = 2 * CHUNK_WORDS / k / axis->length;
    axis->columns = gfp_size_min(columns < 8 ? 8 : columns, axis->stride);
    axis->entries = axis->length + 2 * axis->prime;
    axis->table = gfp_allocate(&axis->field->allocator, axis->entries, k * sizeof *axis->table);
    if (axis->table == NULL) {
        return gfp_error_set(error, GFP_ERR_MEMORY, "out of memory for %zu roots", axis->entries);
    }
    fill_table(axis, root);
    return GFP_OK;
}

/* The outputs of a chunk, and a row of columns. */
static size_t radix_words(const gfp_fft_axis *axis)
{
    return (axis->prime * chunk_of(axis) + axis->columns) * axis->field->k;
}

/* z := a + sum of t_(ij) x_j over 0 < j <= half, x_j `apart` elements apart, n elements each; t is
 * a part of the table, modulo q. backwards: x_j is at -j. a may be NULL: 0. */
static void add_products(const gfp_fft_axis *axis, uint64_t *z, const uint64_t *a,
                         const uint64_t *t, size_t i, const uint64_t *x, ptrdiff_t apart, size_t n)
{
    const gfp_field *field = axis->field;
    const size_t k = field->k, half = half_of(axis);
    uint64_t c[TERMS * GFP_MAX_K];
    const uint64_t *rows[TERMS];
    for (size_t from = 1; from <= half; from += TERMS) {
        const size_t count = gfp_size_min(TERMS, half + 1 - from);
        for (size_t j = 0; j < count; j++) {
            const size_t at = (from + j) * i % axis->prime;
            memcpy(c + j * k, t + at * k, k * sizeof *c);
            rows[j] = x + (ptrdiff_t)((from + j) * k) * apart;
        }
        field->kernels->lincomb(field, z, a, c, rows, count, n);
        a = z;
    }
}

/* DFT_q over n elements each of q rows `apart` elements apart; out has room for q n elements. A
 * pair of outputs adds its share of `units`: between two reports of progress are about 2 n q
 * products. False: cancelled. */
static bool dft_chunk(const gfp_fft_axis *axis, uint64_t *x, size_t apart, size_t n, uint64_t *out,
                      double units, gfp_task *task)
{
    const gfp_field *field = axis->field;
    const size_t k = field->k, q = axis->prime, half = half_of(axis), row = n * k;
    const uint64_t *cosine = axis->table + axis->length * k, *sine = cosine + q * k;
    for (size_t j = 1; j <= half; j++) {
        uint64_t *low = x + j * apart * k, *high = x + (q - j) * apart * k;
        gfp_vec_sub(field, out, low, high, n);
        gfp_vec_add(field, low, low, high, n);
        memcpy(high, out, row * sizeof *x);
    }
    memcpy(out, x, row * sizeof *x);
    for (size_t j = 1; j <= half; j++) {
        gfp_vec_add(field, out, out, x + j * apart * k, n);
    }
    for (size_t i = 1; i <= half; i++) {
        uint64_t *even = out + i * row, *odd = out + (q - i) * row;
        add_products(axis, even, x, cosine, i, x, (ptrdiff_t)apart, n);
        add_products(axis, odd, NULL, sine, i, x + q * apart * k, -(ptrdiff_t)apart, n);
        if (!gfp_task_advance(task, units / (double)half)) {
            return false;
        }
    }
    memcpy(x, out, row * sizeof *x);
    for (size_t i = 1; i <= half; i++) {
        const uint64_t *even = out + i * row, *odd = out + (q - i) * row;
        gfp_vec_add(field, x + i * apart * k, even, odd, n);
        gfp_vec_sub(field, x + (q - i) * apart * k, even, odd, n);
    }
    return true;
}

/* x[i J + j], rows of `columns` elements, times w_len^(i j); len = q J rows. */
static void radix_twiddle(const gfp_fft_axis *axis, uint64_t *x, size_t columns, size_t len)
{
    const gfp_field *field = axis->field;
    const size_t scale = len > 0 ? axis->length / len : 0;
    const size_t step = len / axis->prime, end = len * columns;
    gfp_twiddle factors[TWIDDLES];
    for (size_t at = step * columns; at < end; at += TWIDDLES) {
        const size_t count = gfp_size_min(TWIDDLES, end - at);
        for (size_t i = 0; i < count; i++) {
            const size_t row = (at + i) / columns;
            factors[i] = (gfp_twiddle){row / step * (row % step) * scale, 0};
        }
        uint64_t *z = x + at * field->k;
        field->kernels->mul_indexed(field, z, z, axis->table, factors, count);
    }
}

/* One level on `len` rows, then its blocks of rows. */
static bool radix_level(const gfp_fft_axis *axis, uint64_t *x, size_t columns, size_t len,
                        uint64_t *work, gfp_task *task)
{
    const size_t k = axis->field->k, step = len / axis->prime, apart = step * columns;
    const size_t chunk = chunk_of(axis);
    const double each = radix_units(axis) / (double)axis->length / levels_of(axis);
    for (size_t at = 0; at < apart; at += chunk) {
        const size_t n = gfp_size_min(chunk, apart - at);
        if (!dft_chunk(axis, x + at * k, apart, n, work, (double)(n * axis->prime) * each, task)) {
            return false;
        }
    }
    bool going = true;
    if (step > 1) {
        radix_twiddle(axis, x, columns, len);
        for (size_t i = 0; i < axis->prime && going; i++) {
            going = radix_level(axis, x + i * apart * k, columns, step, work, task);
        }
    }
    return going;
}

static void exchange_rows(const gfp_fft_axis *axis, uint64_t *x, size_t columns, size_t i, size_t j,
                          uint64_t *work)
{
    const size_t row = columns * axis->field->k;
    memcpy(work, x + i * row, row * sizeof *x);
    memcpy(x + i * row, x + j * row, row * sizeof *x);
    memcpy(x + j * row, work, row * sizeof *x);
}

/* Levels leave row i at the place of its base-q digits in reverse. */
static void radix_reorder(const gfp_fft_axis *axis, uint64_t *x, size_t columns, uint64_t *work)
{
    for (size_t i = 0; i < axis->length && axis->length > axis->prime; i++) {
        size_t j = 0, rest = i;
        for (size_t n = axis->length; n > 1; n /= axis->prime) {
            j = j * axis->prime + rest % axis->prime;
            rest /= axis->prime;
        }
        if (i < j) {
            exchange_rows(axis, x, columns, i, j, work);
        }
    }
}

static bool radix_run(const gfp_fft_axis *axis, uint64_t *x, size_t columns, bool inverse,
                      bool permuted, uint64_t *work, gfp_task *task)
{
    (void)permuted;
    if (!radix_level(axis, x, columns, axis->length, work, task)) {
        return false;
    }
    radix_reorder(axis, x, columns, work);
    for (size_t i = 1; inverse && i < axis->length - i; i++) {
        exchange_rows(axis, x, columns, i, axis->length - i, work);
    }
    return true;
}

const gfp_fft_axis_kind gfp_fft_axis_radix = {.name = "radix",
                                              .units = radix_units,
                                              .prepare = radix_prepare,
                                              .words = radix_words,
                                              .run = radix_run};
