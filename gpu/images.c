/* images.c: see images.h: device memory and tables for images of one shape, and their runs over a
 * backend's table.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/backend.h"
#include "gpu/images.h"

/* Bytes of values and powers of the primes that kernels take at once; the inverse of the share of
 * free memory that a plan leaves alone. */
#define PIECE_BYTES ((size_t)1 << 28)
#define SPARE_SHARE 8
/* Areas begin at multiples of these words. */
#define ALIGNMENT 32

struct gfp_gpu_images {
    gfp_gpu *gpu;
    gfp_gpu_images_work work;
    size_t blocks, piece; /* most blocks of a run; primes that kernels take at once */
    size_t terms;         /* coefficients of both polynomials */
    size_t table;         /* numbers in work.columns */
    void *memory;         /* of the device */
    size_t bytes;
    double *primes; /* on the host */
    size_t count;   /* blocks of the run in progress; 0: none */
};

/* ---- sizes ---- */

static size_t images_rounded(size_t words)
{
    return gfp_size_add_sat(words, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Words of the areas for `blocks` blocks, `piece` primes at once, in the order in which they lie.
 */
enum { RESIDUES, PRIMES, COLUMNS, POWERS, VALUES, RESULTS, AREAS };

static size_t area_words(const gfp_gpu_images *p, size_t blocks, size_t piece, size_t words[AREAS])
{
    const gfp_gpu_images_work *w = &p->work;
    size_t all = 0;
    words[RESIDUES] = gfp_size_mul_sat(blocks, w->step_z);
    words[PRIMES] = gfp_size_mul_sat(blocks, GFP_WORDS * GFP_GPU_IMAGES_CONSTANTS);
    words[COLUMNS] = p->table / 2;
    words[POWERS] = gfp_size_mul_sat(piece, gfp_size_mul_sat(w->powers_each, w->groups));
    words[VALUES] = gfp_size_mul_sat(piece, gfp_size_mul_sat(w->len_y[0] + w->len_y[1], w->points));
    words[RESULTS] = gfp_size_mul_sat(blocks, w->step);
    for (size_t i = 0; i < AREAS; i++) {
        words[i] = images_rounded(words[i]);
        all = gfp_size_add_sat(all, words[i]);
    }
    return gfp_size_mul_sat(all, sizeof(uint64_t));
}

/* Chooses the blocks, and primes at once, that the memory has room for. */
static gfp_status choose_sizes(gfp_gpu_images *p, size_t words[AREAS])
{
    gfp_gpu *gpu = p->gpu;
    const gfp_gpu_images_work *w = &p->work;
    const size_t rows = w->len_y[0] + w->len_y[1];
    const size_t each =
        gfp_size_mul_sat(8, gfp_size_add_sat(gfp_size_mul_sat(rows, w->points),
                                             gfp_size_mul_sat(w->powers_each, w->groups)));
    size_t room;
    GFP_TRY(gpu->backend->memory->available(gpu, &room));
    room -= room / SPARE_SHARE;
    const size_t cap = gpu->memory_cap - gfp_size_min(gpu->memory_cap, gpu->bytes);
    room = gfp_size_min(room, cap);
    p->piece = PIECE_BYTES / each > 0 ? PIECE_BYTES / each : 1;
    p->piece = gfp_size_min(p->piece, gfp_size_mul_sat(p->blocks, GFP_WORDS));
    while ((p->bytes = area_words(p, p->blocks, p->piece, words)) > room) {
        if (p->piece > 1) {
            p->piece /= 2;
        } else if (p->blocks > 1) {
            p->blocks /= 2;
        } else {
            return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY,
                                "images need %zu bytes of device memory, %zu are left", p->bytes,
                                room);
        }
    }
    return GFP_OK;
}

/* ---- tables ---- */

/* The columns that reach each row, then the first coefficient of each column. */
static void fill_columns(uint32_t *to, const gfp_gpu_images_shape *shape)
{
    uint32_t first = 0;
    for (size_t i = 0; i < 2; i++) {
        const gfp_gpu_images_columns *c = &shape->columns_of[i];
        for (size_t y = 0, reach = c->len_x; y < c->len_y; y++) {
            while (reach > 0 && c->rows[reach - 1] <= y) {
                reach--;
            }
            *to++ = (uint32_t)reach;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < shape->columns_of[i].len_x; j++) {
            *to++ = first;
            first += (uint32_t)shape->columns_of[i].rows[j];
        }
    }
}

static double images_least(uint64_t x, uint64_t q)
{
    return x > q / 2 ? -(double)(q - x) : (double)x;
}

/* The constants of a block's primes. */
static void fill_primes(double *to, const gfp_words *block)
{
    for (size_t l = 0; l < GFP_WORDS; l++) {
        *to++ = block->value[l];
        *to++ = block->reciprocal[l];
        for (size_t t = 0; t + 1 < GFP_WORDS_LOG2_ORDER; t++) {
            *to++ = images_least(block->turn[t][l], block->q[l]);
        }
    }
}

/* ---- creation ---- */

static gfp_status set_shape(gfp_gpu_images *p, const gfp_gpu_images_shape *shape)
{
    gfp_gpu_images_work *w = &p->work;
    for (size_t i = 0; i < 2; i++) {
        w->len_x[i] = shape->columns_of[i].len_x;
        w->len_y[i] = shape->columns_of[i].len_y;
        for (size_t j = 0; j < shape->columns_of[i].len_x; j++) {
            p->terms = gfp_size_add_sat(p->terms, shape->columns_of[i].rows[j]);
        }
    }
    if (p->terms > UINT32_MAX || shape->points > UINT32_MAX) {
        return GFP_GPU_FAIL(p->gpu, GFP_ERR_SIZE, "images of %zu coefficients at %zu points",
                            p->terms, shape->points);
    }
    const size_t most = p->gpu->backend->images->most(p->gpu);
    if (w->len_y[0] > most || w->len_y[1] > most - w->len_y[0]) {
        return GFP_GPU_FAIL(p->gpu, GFP_ERR_UNAVAILABLE,
                            "images of %zu and %zu coefficients: the device takes %zu in all",
                            w->len_y[0], w->len_y[1], most);
    }
    w->step_z = p->terms * GFP_WORDS;
    w->step = (shape->points + 1) * GFP_WORDS;
    w->points = shape->points;
    w->groups = shape->points >> GFP_GPU_IMAGES_LOG2_GROUP;
    w->powers_each = w->len_x[0] > w->len_x[1] ? w->len_x[0] : w->len_x[1];
    memcpy(w->part, shape->part, sizeof w->part);
    w->parts = shape->parts;
    p->blocks = shape->blocks;
    /* Whole words. */
    p->table = (w->len_y[0] + w->len_y[1] + w->len_x[0] + w->len_x[1] + 1) / 2 * 2;
    return GFP_OK;
}

static gfp_status images_allocate(gfp_gpu_images *p, const gfp_gpu_images_shape *shape)
{
    gfp_gpu *gpu = p->gpu;
    gfp_gpu_images_work *w = &p->work;
    size_t words[AREAS];
    GFP_TRY(choose_sizes(p, words));
    p->primes = gfp_allocate(&gpu->allocator, p->blocks * GFP_WORDS * GFP_GPU_IMAGES_CONSTANTS,
                             sizeof *p->primes);
    uint32_t *columns = gfp_allocate(&gpu->allocator, p->table, sizeof *columns);
    if (p->primes == NULL || columns == NULL) {
        gfp_release(&gpu->allocator, columns, p->table, sizeof *columns);
        return GFP_GPU_FAIL(gpu, GFP_ERR_MEMORY, "out of memory for tables of images");
    }
    gfp_status status = gfp_gpu_device_allocate(gpu, &p->memory, p->bytes);
    if (status == GFP_OK) {
        uint64_t *at = p->memory;
        w->z = at;
        w->primes = (const double *)(const void *)(at += words[RESIDUES]);
        w->columns = (const uint32_t *)(const void *)(at += words[PRIMES]);
        w->powers = (double *)(void *)(at += words[COLUMNS]);
        w->values = (double *)(void *)(at += words[POWERS]);
        w->results = at + words[VALUES];
        columns[p->table - 1] = 0;
        fill_columns(columns, shape);
        status = gpu->backend->memory->upload(gpu, at - words[POWERS] - words[COLUMNS], columns,
                                              p->table * sizeof *columns);
    }
    gfp_release(&gpu->allocator, columns, p->table, sizeof *columns);
    return status;
}

static void images_release(gfp_gpu_images *p)
{
    gfp_gpu *gpu = p->gpu;
    gfp_gpu_device_release(gpu, p->memory, p->bytes);
    gfp_release(&gpu->allocator, p->primes, p->blocks * GFP_WORDS * GFP_GPU_IMAGES_CONSTANTS,
                sizeof *p->primes);
    gfp_release(&gpu->allocator, p, 1, sizeof *p);
}

static gfp_status images_create(gfp_gpu_images **images, gfp_gpu *gpu,
                                const gfp_gpu_images_shape *shape)
{
    GFP_GPU_NEED(gpu, images, run);
    gfp_gpu_images *p = gfp_gpu_make(gpu, sizeof *p, "images");
    if (p == NULL) {
        return GFP_ERR_MEMORY;
    }
    p->gpu = gpu;
    gfp_status status = set_shape(p, shape);
    if (status == GFP_OK) {
        status = images_allocate(p, shape);
    }
    if (status == GFP_OK) {
        *images = p;
    } else {
        images_release(p);
    }
    return status;
}

gfp_status gfp_gpu_images_create(gfp_gpu_images **images, gfp_gpu *gpu,
                                 const gfp_gpu_images_shape *shape)
{
    GFP_GPU_RETURN(gpu, true, images_create(images, gpu, shape));
}

void gfp_gpu_images_destroy(gfp_gpu_images *images)
{
    if (images != NULL) {
        const gfp_gpu *gpu = images->gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        images_release(images);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
    }
}

size_t gfp_gpu_images_blocks(const gfp_gpu_images *images)
{
    return images->blocks;
}

/* ---- runs ---- */

static gfp_status images_begin(gfp_gpu_images *p, const gfp_gpu_images_run *run)
{
    gfp_gpu *gpu = p->gpu;
    const gfp_gpu_memory_calls *memory = gpu->backend->memory;
    const size_t constants = GFP_WORDS * GFP_GPU_IMAGES_CONSTANTS, primes = run->count * GFP_WORDS;
    gfp_gpu_images_work w = p->work;
    uint64_t *z = p->memory;
    if (run->count == 0 || run->count > p->blocks || run->step_z != w.step_z) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_ARGUMENT, "images modulo %zu blocks of %zu at most",
                            run->count, p->blocks);
    }
    for (size_t j = 0; j < run->count; j++) {
        fill_primes(p->primes + j * constants, run->block[j]);
    }
    GFP_TRY(memory->upload(gpu, z, run->z, run->count * w.step_z * sizeof *z));
    GFP_TRY(memory->upload(gpu, z + ((const uint64_t *)(const void *)w.primes - w.z), p->primes,
                           run->count * constants * sizeof *p->primes));
    for (w.first = 0; w.first < primes; w.first += p->piece) {
        w.count = gfp_size_min(p->piece, primes - w.first);
        GFP_TRY(gpu->backend->images->run(gpu, &w));
    }
    p->count = run->count;
    return GFP_OK;
}

gfp_status gfp_gpu_images_begin(gfp_gpu_images *images, const gfp_gpu_images_run *run)
{
    GFP_GPU_RETURN(images->gpu, true, images_begin(images, run));
}

static gfp_status images_end(const gfp_gpu_images *p, uint64_t *values)
{
    gfp_gpu *gpu = p->gpu;
    const gfp_gpu_images_work *w = &p->work;
    return gpu->backend->memory->download(gpu, values, w->results,
                                          p->count * w->step * sizeof *values);
}

gfp_status gfp_gpu_images_end(gfp_gpu_images *images, uint64_t *values)
{
    GFP_GPU_RETURN(images->gpu, true, images_end(images, values));
}
