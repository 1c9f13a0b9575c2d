/* matrix.cu: products of matrices over Z/pZ: residues modulo primes below 2^31, a product of
 * matrices for each prime, and elements of its residues (multimodular.cuh). Columns are treated
 * some at a time. Bounds: multimodular_ranges.py.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/cuda/product/multimodular.cuh"
#include "gpu/cuda/vector/elements.h"

GFP_BEGIN_DECLS
#include "field/base/word.h"
GFP_END_DECLS

namespace
{

constexpr unsigned prime_bits = 31;

/* A block computes tile_rows rows by tile_columns columns, `depth` terms of each sum at a time; a
 * thread rows_each by columns_each. */
constexpr unsigned tile_threads = 256;
constexpr unsigned rows_each = 8, columns_each = 4;
constexpr unsigned tile_columns = 64;
constexpr unsigned across = tile_columns / columns_each;
constexpr unsigned tile_rows = tile_threads / across * rows_each;
constexpr unsigned depth = 16;
constexpr unsigned padded_rows =
    tile_rows + 4; /* columns of a tile of A begin in different banks */

/* Residues modulo one prime: A is rows x 2^log2_inner, B inner x 2^log2_width, C rows x
 * 2^log2_width. */
struct residue_shape {
    unsigned rows, inner, log2_inner, log2_width;
    unsigned tiles_across; /* of a row of C */
    unsigned tiles;        /* for each prime */
};

/* ---- the kernel ---- */

/* x - 2^32 q if that is not negative. */
static GFP_HD uint64_t fold_high(uint64_t x, uint32_t q)
{
    const uint32_t high = (uint32_t)(x >> 32), less = high - q;
    return (uint64_t)(less < high ? less : high) << 32 | (uint32_t)x;
}

/* x / 2^32 modulo q < 2^31, for x < 2^32 q. */
static GFP_HD uint32_t reduce_sum(uint64_t x, const gfp_multi_prime &prime)
{
    const uint32_t q = (uint32_t)prime.q;
    const uint32_t t =
        (uint32_t)((x + (uint64_t)((uint32_t)x * (uint32_t)prime.negative_inverse) * q) >> 32);
    return t >= q ? t - q : t;
}

/* What a thread loads of the next tiles, in registers until the tiles before are used. */
struct next_tiles {
    uint32_t a[tile_rows * depth / tile_threads], b[tile_columns * depth / tile_threads];
};

/* Terms from j on of the sums for rows from `row` on and columns from `column` on; 0 beyond the
 * matrices. */
static GFP_HD void load_tiles(next_tiles &z, const uint32_t *a, const uint32_t *b,
                              const residue_shape &s, unsigned row, unsigned column, unsigned j,
                              unsigned thread)
{
    GFP_UNROLLED
    for (unsigned i = 0; i < sizeof z.a / sizeof *z.a; i++) {
        const unsigned place = i * tile_threads + thread;
        const unsigned down = row + place / depth, term = j + place % depth;
        const bool inside = down < s.rows && term < s.inner;
        z.a[i] = inside ? a[((size_t)down << s.log2_inner) + term] : 0;
    }
    GFP_UNROLLED
    for (unsigned i = 0; i < sizeof z.b / sizeof *z.b; i++) {
        const unsigned place = i * tile_threads + thread;
        const unsigned term = j + place / tile_columns, right = column + place % tile_columns;
        const bool inside = term < s.inner && right >> s.log2_width == 0;
        z.b[i] = inside ? b[((size_t)term << s.log2_width) + right] : 0;
    }
}

static GFP_HD void store_tiles(uint32_t (*left)[padded_rows], uint32_t (*right)[tile_columns],
                               const next_tiles &z, unsigned thread)
{
    GFP_UNROLLED
    for (unsigned i = 0; i < sizeof z.a / sizeof *z.a; i++) {
        const unsigned place = i * tile_threads + thread;
        left[place % depth][place / depth] = z.a[i];
    }
    GFP_UNROLLED
    for (unsigned i = 0; i < sizeof z.b / sizeof *z.b; i++) {
        const unsigned place = i * tile_threads + thread;
        right[place / tile_columns][place % tile_columns] = z.b[i];
    }
}

/* sums := sums + the products of column j of a tile of A and row j of a tile of B, for two j. A sum
 * is below 2^32 q before and after: two products are below 2 q^2 <= 2^32 q. */
static GFP_HD void add_terms(uint64_t (*sums)[columns_each], const uint32_t (*left)[padded_rows],
                             const uint32_t (*right)[tile_columns], uint32_t q, unsigned down,
                             unsigned right_of)
{
    GFP_UNROLLED
    for (unsigned j = 0; j < 2; j++) {
        multi::four x[rows_each / 4], y[columns_each / 4];
        GFP_UNROLLED
        for (unsigned i = 0; i < rows_each / 4; i++) {
            x[i] = *(const multi::four *)(left[j] + down * rows_each + 4 * i);
        }
        GFP_UNROLLED
        for (unsigned i = 0; i < columns_each / 4; i++) {
            y[i] = *(const multi::four *)(right[j] + right_of * columns_each + 4 * i);
        }
        GFP_UNROLLED
        for (unsigned r = 0; r < rows_each; r++) {
            GFP_UNROLLED
            for (unsigned c = 0; c < columns_each; c++) {
                const uint64_t sum =
                    sums[r][c] + (uint64_t)x[r / 4].entry[r % 4] * y[c / 4].entry[c % 4];
                sums[r][c] = j == 1 ? fold_high(sum, q) : sum;
            }
        }
    }
}

} // namespace

/* C := A B scale / 2^64 modulo each prime. Outside of the namespace, where its stub on the host is
 * a local symbol. */
static __global__ void __launch_bounds__(tile_threads, 2)
    matrix_multiply(uint32_t *c, const uint32_t *a, const uint32_t *b, const uint32_t *scale,
                    const gfp_multi_prime *primes, const __grid_constant__ residue_shape s)
{
    alignas(16) __shared__ uint32_t left[depth][padded_rows];
    alignas(16) __shared__ uint32_t right[depth][tile_columns];
    const unsigned number = blockIdx.x / s.tiles, tile = blockIdx.x % s.tiles;
    const unsigned row = tile / s.tiles_across * tile_rows;
    const unsigned column = tile % s.tiles_across * tile_columns;
    const unsigned down = threadIdx.x / across, right_of = threadIdx.x % across;
    const gfp_multi_prime prime = primes[number];
    uint64_t sums[rows_each][columns_each] = {};
    next_tiles next;
    a += ((size_t)number * s.rows) << s.log2_inner;
    b += ((size_t)number * s.inner) << s.log2_width;
    c += ((size_t)number * s.rows) << s.log2_width;
    load_tiles(next, a, b, s, row, column, 0, threadIdx.x);
    for (unsigned j = 0; j < s.inner; j += depth) {
        __syncthreads();
        store_tiles(left, right, next, threadIdx.x);
        __syncthreads();
        if (j + depth < s.inner) {
            load_tiles(next, a, b, s, row, column, j + depth, threadIdx.x);
        }
        for (unsigned i = 0; i < depth; i += 2) {
            add_terms(sums, left + i, right + i, (uint32_t)prime.q, down, right_of);
        }
    }
    const uint32_t factor = scale[number];
    GFP_UNROLLED
    for (unsigned r = 0; r < rows_each; r++) {
        GFP_UNROLLED
        for (unsigned i = 0; i < columns_each; i++) {
            const unsigned at = row + down * rows_each + r;
            const unsigned place = column + right_of * columns_each + i;
            if (at < s.rows && place >> s.log2_width == 0) {
                c[((size_t)at << s.log2_width) + place] =
                    reduce_sum((uint64_t)reduce_sum(sums[r][i], prime) * factor, prime);
            }
        }
    }
}

namespace
{

/* ---- a product ---- */

/* A product that runs: what it holds on the device. */
struct matrix_run {
    gfp_gpu *gpu;
    const gfp_gpu_matrix *m;
    size_t count; /* primes */
    multi::setting setting;
    uint64_t *image; /* the tables */
    uint32_t *scale;
    uint32_t *a, *b, *c; /* residues: b and c of 2^log2_width columns */
    size_t image_bytes, scale_bytes, bytes[3];
    unsigned log2_inner, log2_width;
};

static void matrix_release(const matrix_run *w)
{
    gfp_gpu_device_release(w->gpu, w->image, w->image_bytes);
    gfp_gpu_device_release(w->gpu, w->scale, w->scale_bytes);
    gfp_gpu_device_release(w->gpu, w->a, w->bytes[0]);
    gfp_gpu_device_release(w->gpu, w->b, w->bytes[1]);
    gfp_gpu_device_release(w->gpu, w->c, w->bytes[2]);
}

/* Copies the tables to the device. The scale of prime i is 2^64 / M_i: sums are divided by 2^32
 * twice. */
static gfp_status upload_tables(matrix_run *w, const gfp_multi_primes *primes,
                                const gfp_multi_tables *tables)
{
    uint32_t scale[GFP_MULTI_MAX_PRIMES + 1];
    for (size_t i = 0; i < primes->count; i++) {
        const uint64_t q = primes->q[i];
        scale[i] = (uint32_t)gfp_mod_mul(tables->scale[i], ((uint64_t)1 << 32) % q, q);
    }
    const size_t image_bytes = tables->words * sizeof *w->image;
    const size_t scale_bytes = (primes->count + 1) * sizeof *scale;
    scale[primes->count] = 0;
    GFP_TRY(gfp_gpu_device_allocate(w->gpu, (void **)&w->image, image_bytes));
    w->image_bytes = image_bytes;
    GFP_TRY(gfp_gpu_device_allocate(w->gpu, (void **)&w->scale, scale_bytes));
    w->scale_bytes = scale_bytes;
    GFP_TRY(gfp_gpu_device_fill(w->gpu, w->image, tables->image, image_bytes));
    return gfp_gpu_device_fill(w->gpu, w->scale, scale, scale_bytes);
}

static gfp_status make_tables(matrix_run *w, const gfp_field *field)
{
    const gfp_allocator *allocator = &w->gpu->allocator;
    gfp_multi_primes primes;
    gfp_multi_tables tables;
    if (!gfp_multi_choose(&primes, field, prime_bits, 0, w->m->inner)) {
        return GFP_GPU_FAIL(w->gpu, GFP_ERR_UNAVAILABLE, "there are too few primes for sums of %zu",
                            w->m->inner);
    }
    if (gfp_multi_tables_init(&tables, field, &primes, allocator) != GFP_OK) {
        return GFP_GPU_FAIL(w->gpu, GFP_ERR_MEMORY, "out of memory for %zu primes", primes.count);
    }
    w->count = primes.count;
    const gfp_status status = upload_tables(w, &primes, &tables);
    if (status == GFP_OK) {
        w->setting = multi::make_setting(field, &tables, prime_bits, w->image);
    }
    gfp_multi_tables_release(&tables, allocator);
    return status;
}

static gfp_status residue_area(matrix_run *w, unsigned i, uint32_t **area, size_t rows,
                               unsigned log2_columns)
{
    const size_t each = gfp_size_mul_sat(rows, (size_t)1 << log2_columns);
    const size_t bytes = gfp_size_mul_sat(gfp_size_mul_sat(each, w->count), sizeof **area);
    GFP_TRY(gfp_gpu_device_allocate(w->gpu, (void **)area, bytes));
    w->bytes[i] = bytes;
    return GFP_OK;
}

/* More columns at once gain nothing where residues take this many bytes. */
constexpr size_t enough_bytes = (size_t)1 << 28;

/* Room for residues: of half as many columns until memory suffices. */
static gfp_status make_areas(matrix_run *w)
{
    const gfp_gpu_matrix *m = w->m;
    const size_t column = (m->inner + m->rows) * w->count * sizeof *w->b;
    w->log2_inner = gfp_log2_above(m->inner);
    w->log2_width = gfp_log2_above(m->columns);
    while (w->log2_width > 6 && column > enough_bytes >> w->log2_width) {
        w->log2_width--;
    }
    GFP_TRY(residue_area(w, 0, &w->a, m->rows, w->log2_inner));
    for (;; w->log2_width--) {
        gfp_status status = residue_area(w, 1, &w->b, m->inner, w->log2_width);
        status = status == GFP_OK ? residue_area(w, 2, &w->c, m->rows, w->log2_width) : status;
        if (status != GFP_ERR_MEMORY || w->log2_width == 0) {
            return status;
        }
        gfp_gpu_device_release(w->gpu, w->b, w->bytes[1]);
        w->b = nullptr;
        w->bytes[1] = 0;
    }
}

/* Columns from <= i < from + n of the product. */
static gfp_status multiply_columns(const matrix_run *w, size_t from, size_t n)
{
    const gfp_gpu_matrix *m = w->m;
    const size_t words = from * w->setting.k;
    const multi::row_span b = {m->inner, n, m->stride_b, 0, w->log2_width};
    const multi::row_span c = {m->rows, n, m->stride_c, 0, w->log2_width};
    const unsigned tiles_across = multi::block_count((size_t)1 << w->log2_width, tile_columns);
    const residue_shape s = {
        (unsigned)m->rows, (unsigned)m->inner,
        w->log2_inner,     w->log2_width,
        tiles_across,      tiles_across * multi::block_count(m->rows, tile_rows)};
    GFP_TRY(multi::run_project<uint32_t>(w->gpu, w->setting, w->b, m->b + words, b));
    GFP_LAUNCH(w->gpu, matrix_multiply, (unsigned)w->count * s.tiles, tile_threads, 0, w->c, w->a,
               w->b, (const uint32_t *)w->scale, w->setting.prime, s);
    return multi::run_recombine<uint32_t>(w->gpu, w->setting, m->c + words, w->c, c);
}

static gfp_status multiply_all(matrix_run *w, const gfp_field *field)
{
    const gfp_gpu_matrix *m = w->m;
    GFP_TRY(make_tables(w, field));
    GFP_TRY(make_areas(w));
    const multi::row_span a = {m->rows, m->inner, m->stride_a, 0, w->log2_inner};
    const size_t width = (size_t)1 << w->log2_width;
    GFP_TRY(multi::run_project<uint32_t>(w->gpu, w->setting, w->a, m->a, a));
    for (size_t from = 0; from < m->columns; from += width) {
        GFP_TRY(multiply_columns(w, from, gfp_size_min(width, m->columns - from)));
    }
    return GFP_OK;
}

} // namespace

gfp_status gfp_cuda_mul_matrix(gfp_gpu *gpu, const gfp_field *field, const gfp_gpu_matrix *m)
{
    matrix_run w = {};
    w.gpu = gpu;
    w.m = m;
    const gfp_status status = multiply_all(&w, field);
    matrix_release(&w);
    return status;
}
