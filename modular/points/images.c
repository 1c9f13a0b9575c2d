/* images.c: polynomials in X over Z from their images: see images.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/points/images.h"

#include <stdatomic.h>

#include "modular/points/device.h"

/* Coefficients of a call of projection or reconstruction. */
#define TILE 64
/* Words of the residues of the operands for a group of blocks: they stay in a second-level cache,
 * but threads and devices share the images of more blocks; with a cap. */
#define RESIDUES ((size_t)1 << 15)
#define SHARED_RESIDUES ((size_t)1 << 21)
#define CAPPED_RESIDUES ((size_t)1 << 14)
/* Words of the values at a group of points: they stay in a second-level cache. */
#define VALUES ((size_t)1 << 16)
/* Runs of a device: a run's values are interpolated while the next one computes. A device does not
 * go on where more than the inverse of IRREGULAR_SHARE of the groups have an irregular image. */
#define RUNS 8
#define IRREGULAR_SHARE 4

/* ---- columns ---- */

/* A polynomial by powers of X: column j has the coefficients of X^j and Y^0, ..., up to the last
 * one that is not 0. */
typedef struct columns {
    size_t *rows, len_x, len_y;
    gfp_zpoly terms; /* the columns, one after the other */
} columns;

/* The layout of the terms, by the widths of rows. */
static gfp_zlayout layout_of(const gfp_zbipoly *f, size_t terms)
{
    gfp_zlayout layout = {terms, 1, terms}; /* zeros take a limb each */
    for (size_t j = 0; j < f->len; j++) {
        const gfp_zvec *row = &f->coeff[j];
        const gfp_zpoly own = {row->limbs, row->len, row->width};
        const size_t widest = gfp_zpoly_widest(own);
        layout.widest = widest > layout.widest ? widest : layout.widest;
        layout.total = gfp_size_add_sat(layout.total, row->len > 0 ? gfp_zpoly_limbs(own) : 0);
    }
    return layout;
}

static void put_number(gfp_zpoly z, size_t at, const gfp_zvec *from, size_t i)
{
    static const uint64_t zero;
    size_t width = 1;
    const uint64_t *x = i < from->len ? gfp_zvec_entry(from, i, &width) : &zero;
    if (z.width > 0) {
        gfp_z_resize(gfp_zpoly_at(z, at), z.width, x, width);
    } else {
        gfp_zpoly_put_limbs(z, at, x, width);
    }
}

static gfp_status make_columns(gfp_zcall *call, columns *c, const gfp_zbipoly *f)
{
    uint64_t *memory;
    size_t terms = 0;
    *c = (columns){.len_x = gfp_zbipoly_len_x(f), .len_y = f->len};
    GFP_TRY(gfp_call_array(&call->base, &memory, c->len_x));
    c->rows = (size_t *)(void *)memory;
    for (size_t i = 0, j = f->len; i < c->len_x; i++) { /* j - 1: the last long row */
        while (f->coeff[j - 1].len <= i) {
            j--;
        }
        c->rows[i] = j;
        terms += j;
    }
    const gfp_zlayout layout = layout_of(f, terms);
    GFP_TRY(gfp_zpoly_reserve(call, &c->terms, &layout));
    size_t at = 0;
    for (size_t i = 0; i < c->len_x; i++) {
        for (size_t j = 0; j < c->rows[i]; j++, at++) {
            put_number(c->terms, at, &f->coeff[j], i);
        }
    }
    return GFP_OK;
}

/* ---- the computation ---- */

typedef struct run {
    gfp_zcall *call;
    const gfp_zimages *images;
    columns operand[2];
    gfp_points points;
    const gfp_points_kernels *kernels;
    gfp_level level;
    const gfp_words_basis *basis;
    const gfp_words **block; /* of the basis */
    size_t count;            /* blocks */
    size_t first, at_once;   /* the blocks whose residues are there */
    uint64_t *z;             /* forms of the coefficients of both, of `at_once` blocks */
    uint64_t *values;        /* of the results at the points, then coefficients, of all blocks */
    size_t step_z, step;     /* words from block to block */
    uint64_t *result;
    size_t width;
    uint64_t *memory; /* of the workers */
    size_t each;
    gfp_zdevice device;
    uint64_t *other;         /* the residues of the run before, where a device computes */
    atomic_size_t irregular; /* groups of points */
    unsigned threads;        /* of loops inside the one over blocks, */
    bool inside;             /* which runs */
    bool by_device;          /* a device has computed some values */
} run;

static uint64_t *work_of(const run *w, unsigned worker)
{
    return w->memory + worker * w->each;
}

/* The values, then the coefficients, of this result. */
static uint64_t *values_of(const run *w, size_t block, size_t result)
{
    return w->values + block * w->step + result * w->points.n * GFP_WORDS;
}

static size_t tiles_of(size_t n)
{
    return (n + TILE - 1) / TILE;
}

/* Tiles of coefficients of the one polynomial, then of the other one. */
static gfp_status images_project(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *w = job;
    const size_t tiles = tiles_of(w->operand[0].terms.len);
    for (size_t i = from; i < to; i++) {
        const columns *c = &w->operand[i >= tiles];
        const size_t at = (i >= tiles ? i - tiles : i) * TILE;
        const size_t n = gfp_size_min(TILE, c->terms.len - at);
        uint64_t *z = w->z + (at + (i >= tiles ? w->operand[0].terms.len : 0)) * GFP_WORDS;
        gfp_zpoly_project_part(
            &(gfp_words_residues){w->basis, w->level, w->first, w->at_once, z, w->step_z}, c->terms,
            at, n, work_of(w, worker));
        for (size_t j = 0; w->device.images == NULL && j < w->at_once; j++) {
            w->kernels->enter(w->block[w->first + j], z + j * w->step_z, n);
        }
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_points_pair pair_of(const run *w, size_t j)
{
    const columns *a = &w->operand[0], *b = &w->operand[1];
    const uint64_t *z = w->z + j * w->step_z;
    return (gfp_points_pair){&w->points,
                             w->block[w->first + j],
                             {z, a->rows, a->len_x, a->len_y},
                             {z + a->terms.len * GFP_WORDS, b->rows, b->len_x, b->len_y}};
}

static size_t value_words(const run *w)
{
    return gfp_size_mul_sat(gfp_size_mul_sat(w->operand[0].len_y + w->operand[1].len_y, GFP_WORDS),
                            (size_t)1 << w->points.log2_group);
}

static size_t groups_of(const run *w)
{
    return gfp_points_groups(&w->points);
}

/* Where the values of item i are: a group of points of a block. */
static uint64_t *item_values(const run *w, size_t i)
{
    const size_t j = i / groups_of(w), g = i % groups_of(w);
    return values_of(w, w->first + j, 0) + ((g << w->points.log2_group) * GFP_WORDS);
}

/* Its points. */
static size_t item_points(const run *w, size_t i)
{
    return gfp_points_of_group(&w->points, i % groups_of(w));
}

static void compute_item(const run *w, size_t i, unsigned worker)
{
    uint64_t *x = work_of(w, worker), *work = x + value_words(w);
    const gfp_points_pair pair = pair_of(w, i / groups_of(w));
    const size_t points = item_points(w, i);
    const gfp_zimage_group group = {pair.block, w->level,          x,
                                    points,     item_values(w, i), w->points.n};
    w->kernels->group(&pair, i % groups_of(w), x, work);
    w->images->kind->compute(w->images, &group, work);
}

/* Items: groups of points, block after block. */
static gfp_status compute_values(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *w = job;
    for (size_t i = from; i < to; i++) {
        compute_item(w, i, worker);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The values of a result at a group of points. */
static gfp_deal_span values_place(const void *job, size_t item, size_t part)
{
    const run *w = job;
    uint64_t *r = item_values(w, item) + part * w->points.n * GFP_WORDS;
    return (gfp_deal_span){r, GFP_WORDS * item_points(w, item) * sizeof *r};
}

/* ---- values from a device ---- */

static bool is_regular(const uint64_t *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (r[i] == GFP_GPU_IMAGES_IRREGULAR) {
            return false;
        }
    }
    return true;
}

/* The same items: residues become forms where all images of a group are there. */
static gfp_status enter_values(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    run *w = job;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t points = item_points(w, i);
        uint64_t *r = item_values(w, i);
        if (is_regular(r, points * GFP_WORDS)) {
            w->kernels->enter(w->block[w->first + i / groups_of(w)], r, points);
        } else {
            (void)atomic_fetch_add(&w->irregular, 1);
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The CPU computes the other groups: no form is IRREGULAR, which is above all residues, and no
 * number as a double. */
static gfp_status repair_values(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *w = job;
    for (size_t i = from; i < to; i++) {
        if (!is_regular(item_values(w, i), item_points(w, i) * GFP_WORDS)) {
            compute_item(w, i, worker);
        }
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Items: blocks, whose coefficients become forms. */
static gfp_status enter_residues(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const run *w = job;
    (void)worker;
    for (size_t j = from; j < to; j++) {
        w->kernels->enter(w->block[w->first + j], w->z + j * w->step_z, w->step_z / GFP_WORDS);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Items: results, block after block. */
static gfp_status images_interpolate(void *job, size_t from, size_t to, unsigned worker,
                                     gfp_task *task)
{
    const run *w = job;
    for (size_t i = from; i < to; i++) {
        const size_t j = w->first + i / w->images->results, o = i % w->images->results;
        w->kernels->interpolate(&w->points, w->block[j], values_of(w, j, o), work_of(w, worker));
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* Items: tiles of coefficients, result after result. */
static gfp_status images_recombine(void *job, size_t from, size_t to, unsigned worker,
                                   gfp_task *task)
{
    const run *w = job;
    const size_t len = w->images->degree + 1, tiles = tiles_of(len);
    for (size_t i = from; i < to; i++) {
        const size_t o = i / tiles, at = i % tiles * TILE, n = gfp_size_min(TILE, len - at);
        gfp_words_recombine(w->basis, w->level, w->result + (o * len + at) * w->width, w->width,
                            values_of(w, 0, o) + at * GFP_WORDS, w->step, n, work_of(w, worker));
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The coefficients of a tile. */
static gfp_deal_span tiles_place(const void *job, size_t item, size_t part)
{
    const run *w = job;
    const size_t len = w->images->degree + 1, tiles = tiles_of(len);
    const size_t o = item / tiles, at = item % tiles * TILE, n = gfp_size_min(TILE, len - at);
    (void)part;
    return (gfp_deal_span){w->result + (o * len + at) * w->width, n * w->width * sizeof *w->result};
}

/* ---- sizes ---- */

static double greater_of(double a, double b)
{
    return a > b ? a : b;
}

/* log2 of the points of a group: with T coefficients in R rows a point takes 3 (T / L - R) cycles
 * of fold, if L points are fewer than a row has coefficients, 4 log2(L) R of butterflies, and 650 /
 * L of the inversion. */
static unsigned log2_group(const run *w)
{
    const size_t rows = w->operand[0].len_y + w->operand[1].len_y, n = w->images->degree + 1;
    const double terms = (double)w->operand[0].terms.len + (double)w->operand[1].terms.len;
    unsigned e = 0;
    for (;; e++) {
        const size_t next = (size_t)2 << e;
        const double points = (double)next, r = (double)rows;
        const double less = greater_of(2 * terms / points, r) - greater_of(terms / points, r);
        if (next * 16 > n || next * rows * GFP_WORDS > VALUES ||
            (e >= 3 && 3 * less + 650 / points < 4 * r)) {
            return e;
        }
    }
}

static size_t images_rounded(size_t words)
{
    return gfp_size_add_sat(words, GFP_WORDS - 1) / GFP_WORDS * GFP_WORDS;
}

static size_t images_greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static gfp_status make_workers(run *w, unsigned workers)
{
    const gfp_points_pair pair = pair_of(w, 0);
    const size_t points = (size_t)1 << w->points.log2_group;
    const size_t work = images_greater(images_rounded(gfp_points_group_words(&pair)),
                                       images_rounded(w->images->kind->words(w->images, points)));
    w->each = gfp_size_add_sat(value_words(w), work);
    for (size_t i = 0; i < 2; i++) {
        w->each = images_greater(
            w->each, images_rounded(gfp_zpoly_project_words(w->basis, w->operand[i].terms)));
    }
    w->each = images_greater(w->each, gfp_points_interpolate_words(&w->points));
    w->each = images_greater(w->each,
                             images_rounded(gfp_words_recombine_words(w->basis, w->width, TILE)));
    return gfp_call_array(&w->call->base, &w->memory, gfp_size_mul_sat(w->each, workers));
}

/* Arrays of the call; more threads than items of images are of no use. */
static gfp_status make_arrays(run *w, unsigned *workers)
{
    /* The values of a point modulo the blocks do not meet in a cache set. */
    w->step = gfp_size_mul_sat(
        gfp_size_add_sat(gfp_size_mul_sat(w->points.n, w->images->results), 1), GFP_WORDS);
    const size_t items = gfp_size_mul_sat(w->at_once, groups_of(w));
    *workers = gfp_parallel_workers(&w->call->base.task, items, 1);
    GFP_TRY(gfp_call_array(&w->call->base, &w->z, gfp_size_mul_sat(w->step_z, w->at_once)));
    if (w->device.images != NULL) {
        GFP_TRY(gfp_call_array(&w->call->base, &w->other, gfp_size_mul_sat(w->step_z, w->at_once)));
    }
    GFP_TRY(gfp_call_array(&w->call->base, &w->values, gfp_size_mul_sat(w->step, w->count)));
    return make_workers(w, *workers);
}

/* ---- the steps ---- */

static gfp_status images_loop(run *w, gfp_parallel_run *body, size_t items)
{
    const gfp_parallel parallel = {body, w, NULL};
    gfp_task *task = &w->call->base.task;
    return gfp_parallel_for(&parallel, task, items, gfp_parallel_chunk(task, items, 16));
}

/* The same for a loop that a dealer may deal, unless it is inside one that is dealt. */
static gfp_status dealt_loop(run *w, gfp_deal_loop *loop, size_t items)
{
    loop->parallel.job = w;
    return w->inside ? images_loop(w, loop->parallel.run, items)
                     : gfp_call_deal(&w->call->base, loop, items,
                                     gfp_parallel_chunk(&w->call->base.task, items, 16));
}

static gfp_status project_blocks(run *w, double to)
{
    const size_t terms = images_greater(w->operand[0].terms.len + w->operand[1].terms.len, 1);
    const double limbs =
        (double)gfp_zpoly_limbs(w->operand[0].terms) + (double)gfp_zpoly_limbs(w->operand[1].terms);
    GFP_TRY(gfp_zcall_step(w->call, to, (double)terms, (double)w->at_once * limbs / (double)terms));
    return images_loop(w, images_project,
                       tiles_of(w->operand[0].terms.len) + tiles_of(w->operand[1].terms.len));
}

/* Begins a loop over groups of points: `image` times the cost of an image each. */
static gfp_status step_of_images(run *w, double image, double to)
{
    const size_t terms = w->operand[0].terms.len + w->operand[1].terms.len,
                 items = w->at_once * groups_of(w);
    const double cost =
        (w->images->cost + (double)terms / 8) * (double)((size_t)1 << w->points.log2_group);
    return gfp_zcall_step(w->call, to, (double)items, image * cost);
}

static gfp_status loop_of_images(run *w, gfp_parallel_run *body, double image, double to)
{
    GFP_TRY(step_of_images(w, image, to));
    return images_loop(w, body, w->at_once * groups_of(w));
}

static gfp_status values_of_blocks(run *w, double to)
{
    gfp_deal_loop loop = {{compute_values, NULL, NULL},
                          values_place,
                          w->images->results,
                          w->images->results * ((size_t)GFP_WORDS << w->points.log2_group) *
                              sizeof(uint64_t),
                          1,
                          GFP_DEAL_KEEP};
    GFP_TRY(step_of_images(w, 1, to));
    return dealt_loop(w, &loop, w->at_once * groups_of(w));
}

static gfp_status interpolate_blocks(run *w, double to)
{
    const size_t polynomials = w->at_once * w->images->results;
    GFP_TRY(gfp_zcall_step(w->call, to, (double)polynomials, 32 * (double)w->points.n));
    return images_loop(w, images_interpolate, polynomials);
}

/* Values and coefficients modulo the blocks from w->first on, between these fractions of the
 * call. */
static gfp_status compute_blocks(run *w, double from, double to)
{
    GFP_TRY(project_blocks(w, from + 0.02 * (to - from)));
    GFP_TRY(values_of_blocks(w, from + 0.97 * (to - from)));
    return interpolate_blocks(w, to);
}

/* ---- the same on a device ---- */

/* The blocks of a run, and where their residues are. */
typedef struct share {
    size_t first, count;
    uint64_t *z;
} share;

static void turn_to(run *w, const share *s)
{
    w->first = s->first;
    w->at_once = s->count;
    w->z = s->z;
}

/* From the values of a run to coefficients, between these fractions of the call. */
static gfp_status take_values(run *w, const share *s, double from, double to)
{
    const double part = to - from;
    turn_to(w, s);
    w->by_device = true;
    atomic_store(&w->irregular, 0);
    GFP_TRY(loop_of_images(w, enter_values, 1e-3, from + 0.4 * part));
    if (atomic_load(&w->irregular) != 0) {
        GFP_TRY(gfp_zcall_step(w->call, from + 0.5 * part, (double)w->at_once, (double)w->step_z));
        GFP_TRY(images_loop(w, enter_residues, w->at_once));
        GFP_TRY(loop_of_images(w, repair_values, 1, from + 0.6 * part));
    }
    return interpolate_blocks(w, to);
}

static gfp_status begin_run(run *w, const share *s)
{
    const gfp_gpu_images_run operand = {w->block + s->first, s->count, s->z, w->step_z};
    return gfp_zdevice_begin(&w->device, w->call, &operand);
}

static gfp_status end_run(run *w, const share *s)
{
    return s->count == 0 ? GFP_OK
                         : gfp_zdevice_end(&w->device, w->call, w->values + s->first * w->step);
}

/* Blocks from <= j < to of a step whose units are blocks. */
typedef struct stretch {
    size_t from, to;
    gfp_task step; /* the step before block `from` */
} stretch;

/* The fraction of the call's part before block j. */
static double fraction_at(const stretch *blocks, size_t j)
{
    const gfp_task *t = &blocks->step;
    const double done = (t->done + (double)(j - blocks->from)) / t->total;
    const double at = t->from + (t->to - t->from) * (done < 1 ? done : 1);
    const double part = t->part_to - t->part_from;
    return part > 0 ? (at - t->part_from) / part : 1;
}

/* Blocks from *done on; *done := the first block that has no coefficients: not the last one if the
 * device failed, and the CPU goes on, or if few images are regular. The device is closed then. */
static gfp_status compute_on_device(run *w, const stretch *blocks, size_t *done)
{
    const size_t all = blocks->to - blocks->from;
    const size_t at_once = gfp_size_min(w->at_once, (all + RUNS - 1) / RUNS);
    uint64_t *z[] = {w->z, w->other};
    share before = {blocks->from, 0, NULL};
    for (size_t turn = 0; *done < blocks->to; turn++) {
        const size_t first = before.first + before.count;
        const share now = {first, gfp_size_min(at_once, blocks->to - first), z[turn % 2]};
        const double from = fraction_at(blocks, before.first), until = fraction_at(blocks, first);
        const double middle = from + 0.5 * (until - from);
        if (now.count > 0) {
            turn_to(w, &now);
            GFP_TRY(project_blocks(w, middle));
        }
        gfp_status status = end_run(w, &before);
        if (status == GFP_OK && now.count > 0) {
            status = begin_run(w, &now);
        }
        if (gfp_zdevice_failed(w->call, status)) {
            gfp_zdevice_close(&w->device);
            break;
        }
        GFP_TRY(status);
        if (before.count > 0) {
            GFP_TRY(take_values(w, &before, middle, until));
            *done = first;
            if (atomic_load(&w->irregular) > before.count * groups_of(w) / IRREGULAR_SHARE) {
                gfp_zdevice_close(&w->device);
                break;
            }
        }
        before = now;
    }
    return GFP_OK;
}

/* The same by the CPU. */
static gfp_status compute_on_host(run *w, const stretch *blocks, size_t done)
{
    const size_t at_once = w->at_once;
    while (done < blocks->to) {
        w->first = done;
        w->at_once = gfp_size_min(at_once, blocks->to - done);
        done += w->at_once;
        GFP_TRY(compute_blocks(w, fraction_at(blocks, w->first), fraction_at(blocks, done)));
    }
    return GFP_OK;
}

/* Items: blocks, whose coefficients are computed. The loop has one worker, and loops inside all of
 * the call's threads; `task` is the call's. */
static gfp_status compute_coefficients(void *job, size_t from, size_t to, unsigned worker,
                                       gfp_task *task)
{
    run *w = job;
    const stretch blocks = {from, to, *task};
    uint64_t *const z = w->z;
    const size_t at_once = w->at_once;
    size_t done = from;
    gfp_status status = GFP_OK;
    (void)worker;
    w->inside = true;
    task->threads = w->threads;
    task->to = task->from + (task->to - task->from) * (task->done / task->total);
    if (w->device.images != NULL) {
        status = compute_on_device(w, &blocks, &done);
    }
    w->z = z;
    w->at_once = at_once;
    status = status == GFP_OK ? compute_on_host(w, &blocks, done) : status;
    w->at_once = at_once;
    w->inside = false;
    task->threads = 1;
    task->from = blocks.step.from;
    task->to = blocks.step.to;
    task->total = blocks.step.total;
    task->grain = blocks.step.grain;
    task->done = task->next = blocks.step.done + (double)(to - from);
    return status != GFP_OK || gfp_task_report(task) ? status : GFP_ERR_CANCELLED;
}

/* The coefficients of a block. */
static gfp_deal_span coefficients_place(const void *job, size_t item, size_t part)
{
    const run *w = job;
    return (gfp_deal_span){values_of(w, item, part),
                           (w->images->degree + 1) * GFP_WORDS * sizeof(uint64_t)};
}

/* All blocks, up to the fraction `to` of the call. */
static gfp_status device_blocks(run *w, double to)
{
    const size_t results = w->images->results;
    const size_t bytes = results * (w->images->degree + 1) * GFP_WORDS * sizeof(uint64_t);
    gfp_deal_loop loop = {
        {compute_coefficients, NULL, NULL}, coefficients_place, results, bytes, 1, GFP_DEAL_KEEP};
    gfp_task *task = &w->call->base.task;
    GFP_TRY(gfp_zcall_step(w->call, to, (double)w->count,
                           GFP_ZDEVICE_SHARE * w->images->cost * (double)w->points.n +
                               32 * (double)w->points.n));
    w->threads = task->threads;
    task->threads = 1;
    const gfp_status status = dealt_loop(w, &loop, w->count);
    task->threads = w->threads;
    if (w->by_device || w->device.images != NULL) {
        w->call->base.report.method = gfp_zmethod_names[GFP_Z_WORDS_GPU];
    }
    gfp_zdevice_close(&w->device);
    return status;
}

/* ---- all blocks ---- */

static gfp_status images_compute(run *w, double to)
{
    unsigned workers;
    const unsigned threads = w->call->base.task.threads;
    GFP_TRY(make_arrays(w, &workers));
    w->call->base.task.threads = workers;
    w->call->base.report.threads =
        workers > w->call->base.report.threads ? workers : w->call->base.report.threads;
    const size_t at_once = w->at_once;
    const size_t len = w->images->degree + 1;
    const double from = w->call->base.task.to, images = 0.95 * (to - from) / (double)w->count;
    const bool on_device = w->device.images != NULL;
    if (on_device) {
        GFP_TRY(device_blocks(w, 0.95 * to));
    }
    for (w->first = 0; w->first < w->count && !on_device; w->first += w->at_once) {
        w->at_once = gfp_size_min(at_once, w->count - w->first);
        GFP_TRY(compute_blocks(w, from + images * (double)w->first,
                               from + images * (double)(w->first + w->at_once)));
    }
    GFP_TRY(gfp_zcall_step(w->call, to, (double)len * (double)w->images->results,
                           (double)w->count * (double)w->count));
    gfp_deal_loop loop = {{images_recombine, NULL, NULL},      tiles_place, 1,
                          TILE * w->width * sizeof *w->result, TILE,        GFP_DEAL_KEEP};
    GFP_TRY(dealt_loop(w, &loop, tiles_of(len) * w->images->results));
    w->call->base.task.threads = threads;
    return GFP_OK;
}

size_t gfp_zimages_blocks(const gfp_zimages *images)
{
    return gfp_size_add_sat(images->bits, 2) / GFP_Z_BLOCK_BITS + 1;
}

/* The blocks of the supply from number `first` on. */
static gfp_status take_blocks(run *w, size_t first)
{
    uint64_t *memory;
    GFP_TRY(gfp_call_array(&w->call->base, &memory, w->count));
    w->block = (const gfp_words **)(void *)memory;
    for (size_t j = 0; j < w->count; j++) {
        GFP_TRY(gfp_words_supply_block(w->call->ring->supply, first + j, &w->block[j]));
    }
    return GFP_OK;
}

static gfp_status open_device(run *w)
{
    const columns *a = &w->operand[0], *b = &w->operand[1];
    const gfp_points_pair pair = {
        &w->points, NULL, {NULL, a->rows, a->len_x, a->len_y}, {NULL, b->rows, b->len_x, b->len_y}};
    size_t blocks = gfp_size_min(w->at_once, (w->count + RUNS - 1) / RUNS);
    const gfp_status status = gfp_zdevice_open(&w->device, w->call, &pair, &blocks);
    if (status == GFP_OK) {
        w->at_once = blocks;
    }
    return gfp_zdevice_failed(w->call, status) ? GFP_OK : status;
}

static gfp_status by_basis(run *w, size_t first, double to)
{
    static const gfp_zbipoly none;
    const gfp_zimages *images = w->images;
    GFP_TRY(make_columns(w->call, &w->operand[0], images->operand[0]));
    GFP_TRY(make_columns(w->call, &w->operand[1],
                         images->operand[1] != NULL ? images->operand[1] : &none));
    const size_t terms = w->operand[0].terms.len + w->operand[1].terms.len;
    /* Ranks, and runs that go on from a checkpoint, have the same loops for all numbers of threads.
     */
    const bool shared =
        images->on_device || w->call->base.task.threads > 1 || w->call->base.dealer != NULL;
    const size_t most = w->call->base.left != SIZE_MAX ? CAPPED_RESIDUES
                        : shared                       ? SHARED_RESIDUES
                                                       : RESIDUES;
    w->step_z = gfp_size_mul_sat(images_greater(terms, 1), GFP_WORDS);
    w->at_once = gfp_size_min(w->count, images_greater(most / w->step_z, 1));
    const unsigned group = images->on_device ? GFP_GPU_IMAGES_LOG2_GROUP : log2_group(w);
    const size_t whole =
        images->on_device ? (size_t)1 << group : 1; /* a device takes whole groups */
    if (!gfp_points_plan(&w->points, (images->degree + whole) / whole * whole, group)) {
        return gfp_error_set(&w->call->base.error, GFP_ERR_SIZE,
                             "%s: the degree %zu is above that of word-size primes",
                             w->call->base.name, images->degree);
    }
    GFP_TRY(take_blocks(w, first));
    if (images->on_device) {
        GFP_TRY(open_device(w));
    }
    return images_compute(w, to);
}

gfp_status gfp_zimages_compute(gfp_zcall *call, uint64_t *r, const gfp_zimages *images,
                               size_t first, double to)
{
    gfp_zring_basis basis;
    run w = {.call = call,
             .images = images,
             .level = call->ring->level,
             .kernels = gfp_points_get(call->ring->level),
             .count = gfp_zimages_blocks(images),
             .result = r,
             .width = gfp_z_width(images->bits)};
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    call->base.report.method = gfp_zmethod_names[GFP_Z_WORDS];
    gfp_status status = gfp_zblocks_take(call, &basis, first, w.count, false);
    w.basis = basis.basis;
    if (status == GFP_OK) {
        status = by_basis(&w, first, to);
    }
    gfp_zdevice_close(&w.device);
    gfp_zblocks_give(call, &basis);
    gfp_call_release(&call->base, mark);
    return status;
}
