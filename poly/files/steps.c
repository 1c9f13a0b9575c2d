/* steps.c: see steps.h. POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#if defined(__linux__)
#define _GNU_SOURCE /* sync_file_range */
#endif
#include "poly/files/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "field/base/parallel.h"
#include "product/verify/claim.h"

/* Items of a step: of this many bytes, but more of them for short steps, so that threads and ranks
 * share them. An item over columns writes one run for each leaf: runs should be much longer than
 * 2 MiB, the units in which the system may write a file back. */
#define ITEM_BYTES ((size_t)128 << 20)
#define SHARED_BYTES ((size_t)1 << 20)
#define LEAST_ITEMS 16
#define MOST_ITEMS 1024

/* The number of items of a step over this many bytes. It depends on nothing else: the keys of steps
 * contain it. */
static size_t item_count(size_t bytes)
{
    const size_t items = bytes / ITEM_BYTES;
    return bytes < SHARED_BYTES  ? 1
           : items < LEAST_ITEMS ? LEAST_ITEMS
                                 : gfp_size_min(items, MOST_ITEMS);
}

/* The first of n things that belong to item i of `items`, i <= items. */
static size_t item_first(size_t n, size_t items, size_t i)
{
    return n / items * i + gfp_size_min(n % items, i);
}

/* ---- areas ---- */

/* Returns IO with the message "name of the file: what: reason of errno". */
static gfp_status area_error(gfp_call *call, const gfp_file *file, const char *what)
{
    char text[200];
    const int number = errno;
    (void)snprintf(text, sizeof text, "%.120s: %s", file->temporary, what);
    errno = number;
    return gfp_file_io_error(&call->error, text);
}

static gfp_status map_areas(gfp_file_steps *s)
{
    size_t end;
    if (!gfp_size_add(&end, s->offset, s->bytes)) {
        return gfp_error_set(&s->call->error, GFP_ERR_SIZE,
                             "the areas of a product do not fit size_t");
    }
    if (!gfp_file_reserve(s->file->fd, end, true)) {
        return area_error(s->call, s->file, "no disk space for the areas of the product");
    }
    void *map =
        mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->file->fd, (off_t)s->offset);
    if (map == MAP_FAILED) {
        return area_error(s->call, s->file, "cannot map the areas of the product");
    }
    s->map = map;
    s->free = map;
    return GFP_OK;
}

/* A random number that all ranks share. */
typedef struct shared_number {
    gfp_call *call;
    const gfp_file *owned; /* this file gets it as its tag; NULL: none does */
    uint64_t x;
} shared_number;

static gfp_status draw_number(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    shared_number *w = job;
    (void)from;
    (void)to;
    (void)worker;
    (void)task;
    GFP_TRY(gfp_system_seed(&w->x, &w->call->error));
    w->x |= w->owned != NULL ? 1 : 0; /* a complete file has the tag 0 */
    return w->owned == NULL || gfp_file_set_tag(w->owned, w->x)
               ? GFP_OK
               : area_error(w->call, w->owned, "cannot write");
}

static gfp_deal_span place_number(const void *job, size_t item, size_t part)
{
    shared_number *w = (shared_number *)job;
    (void)item;
    (void)part;
    return (gfp_deal_span){&w->x, sizeof w->x};
}

/* One rank draws w->x, unless the dealer has kept it. */
static gfp_status share_number(shared_number *w, gfp_deal_keep keep)
{
    const gfp_deal_loop loop = {{draw_number, w, NULL}, place_number, 1, sizeof w->x, 1, keep};
    return gfp_call_deal(w->call, &loop, 1, 1);
}

/* A run that begins gives the file a tag, which its journal keeps: the journal of an earlier run,
 * whose contents are overwritten now, no longer describes the file. */
static gfp_status own_file(const gfp_file_steps *s)
{
    shared_number tag = {s->call, s->file, 0};
    if (!gfp_task_span(&s->call->task, 0, 1, 1)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(share_number(&tag, GFP_DEAL_KEEP_ALL));
    return gfp_file_tag(s->file) == tag.x
               ? GFP_OK
               : gfp_error_set(&s->call->error, GFP_ERR_ARGUMENT,
                               "%.120s: its contents are not those that the journal describes: "
                               "remove the journal to begin anew",
                               s->file->temporary);
}

gfp_status gfp_file_steps_open(gfp_file_steps *s, gfp_call *call, const gfp_field *field,
                               const gfp_file *file, size_t words)
{
    *s = (gfp_file_steps){.call = call, .field = field, .file = file};
    if (file == NULL) {
        return GFP_OK;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    s->bytes = gfp_size_mul_sat(words, sizeof(uint64_t));
    s->offset = (file->bytes + page - 1) / page * page;
    GFP_TRY(map_areas(s));
    const gfp_status status = own_file(s);
    if (status != GFP_OK) {
        gfp_file_steps_close(s);
    }
    return status;
}

void gfp_file_steps_close(gfp_file_steps *s)
{
    if (s->map != NULL) {
        (void)munmap(s->map, s->bytes);
        s->map = NULL;
    }
}

uint64_t *gfp_file_steps_take(gfp_file_steps *s, size_t n)
{
    uint64_t *area = s->free;
    s->free += gfp_file_steps_words(n);
    return area;
}

void gfp_file_steps_give(gfp_file_steps *s, uint64_t *area)
{
    s->free = area;
}

/* ---- a step ---- */

/* The results of items lie in the file. */
static gfp_deal_span place_nothing(const void *job, size_t item, size_t part)
{
    (void)item;
    (void)part;
    return (gfp_deal_span){(void *)job, 0};
}

/* Arrays of `bytes` bytes each, `step` words from one to the next, that an item has written. */
typedef struct written {
    const uint64_t *first;
    size_t bytes, step, count;
} written;

#if defined(__linux__)
/* Starts writing these pages, or with `wait` waits for them, too: those of others, who are not
 * ready, stay. False with errno. */
static bool write_pages(const gfp_file_steps *s, const unsigned char *from, size_t bytes, bool wait)
{
    const uintptr_t at = (uintptr_t)from, areas = (uintptr_t)s->map;
    const uintptr_t payload = (uintptr_t)s->file->map;
    const bool in_areas = at >= areas && at < areas + s->bytes;
    const uintptr_t offset = in_areas ? at - areas + s->offset : at - payload;
    const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
    return sync_file_range(s->file->fd, (off_t)offset, (off_t)bytes,
                           SYNC_FILE_RANGE_WRITE | (wait ? all : 0)) == 0;
}

/* What was written is durable before the dealer notes the item. The last step is for the metadata
 * of the file. */
static bool write_arrays(const gfp_file_steps *s, const written *x)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < 2 * x->count; i++) {
        const uint64_t *from = x->first + i % x->count * x->step;
        if (x->bytes > 0 && !write_pages(s, (const unsigned char *)from, x->bytes, i >= x->count)) {
            return false;
        }
    }
    unsigned char *const first = (unsigned char *)x->first;
    return msync(first - (uintptr_t)first % page, page, MS_SYNC) == 0;
}
#else
static bool write_arrays(const gfp_file_steps *s, const written *x)
{
    (void)x;
    return fsync(s->file->fd) == 0;
}
#endif

/* What an item has written becomes durable. The first one that fails, of all threads, tells why. */
static gfp_status make_durable(gfp_file_steps *s, const written *x)
{
    if (s->file == NULL || x->count == 0 || write_arrays(s, x)) {
        return GFP_OK;
    }
    return atomic_exchange(&s->told, true) ? GFP_ERR_IO
                                           : area_error(s->call, s->file, "cannot write");
}

static gfp_status run_step(gfp_file_steps *s, gfp_parallel_run *run, void *job, size_t items,
                           double units)
{
    const gfp_deal_loop loop = {{run, job, NULL},      place_nothing,    1, 0,
                                units / (double)items, GFP_DEAL_KEEP_ALL};
    return gfp_call_deal(s->call, &loop, items, 1);
}

/* ---- sums ---- */

typedef struct sum {
    gfp_file_steps *s;
    uint64_t *z;
    size_t n, items;
    const gfp_file_term *terms;
    unsigned count;
} sum;

/* Coefficients i <= j < i + n of the sum. */
static void add_terms(const sum *w, size_t i, size_t n)
{
    const gfp_field *field = w->s->field;
    const size_t k = gfp_field_k(field);
    uint64_t *z = w->z + i * k;
    for (unsigned t = 0; t < w->count; t++) {
        const gfp_file_term *term = &w->terms[t];
        const uint64_t *x = term->x + i * k;
        const size_t present = term->len > i ? gfp_size_min(term->len - i, n) : 0;
        if (t == 0) {
            if (x != z) {
                gfp_vec_set(field, z, x, present);
            }
            gfp_vec_zero(field, z + present * k, n - present);
        } else if (present > 0 && term->minus) {
            gfp_vec_sub(field, z, z, x, present);
        } else if (present > 0) {
            gfp_vec_add(field, z, z, x, present);
        }
    }
}

static gfp_status sum_items(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const sum *w = job;
    const size_t block = gfp_binary_block(w->s->field), first = item_first(w->n, w->items, from),
                 end = item_first(w->n, w->items, to), bytes = gfp_element_bytes(w->s->field);
    const written all = {w->z + first * gfp_field_k(w->s->field), (end - first) * bytes, 0, 1};
    (void)worker;
    for (size_t i = first; i < end; i += block) {
        const size_t n = gfp_size_min(block, end - i);
        add_terms(w, i, n);
        if (!gfp_task_advance(task, (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return make_durable(w->s, &all);
}

gfp_status gfp_file_steps_sum(gfp_file_steps *s, uint64_t *z, size_t n, const gfp_file_term *terms,
                              unsigned count)
{
    const size_t bytes = gfp_size_mul_sat(n, gfp_element_bytes(s->field));
    sum w = {s, z, n, item_count(bytes), terms, count};
    if (!gfp_task_span(&s->call->task, 1, (double)n, count * (double)gfp_field_k(s->field))) {
        return GFP_ERR_CANCELLED;
    }
    return run_step(s, sum_items, &w, w.items, (double)n);
}

/* ---- blocks ---- */

typedef struct block_job {
    gfp_file_steps *s;
    const gfp_hybrid_steps *steps;
    uint64_t *rooms;     /* of the workers, steps->room words each, or of more for columns */
    uint64_t *a, *b, *d; /* the areas: leaves of the factors and of the product */
    unsigned workers, threads;
    /* Of a step over columns: */
    uint64_t *x, *leaves;
    size_t len, items;
    bool inverse;
} block_job;

static gfp_status column_items(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const block_job *w = job;
    const gfp_outer *outer = &w->steps->plan.shape.outer;
    const size_t n = w->steps->columns, k = w->steps->choice.k, unit = outer->m / n,
                 columns[2] = {item_first(n, w->items, from), item_first(n, w->items, to)};
    const size_t first = columns[0] * unit, width = (columns[1] - columns[0]) * unit;
    /* In the product the last rows may be short, or have none of these columns. */
    const size_t rows = !w->inverse       ? outer->leaves
                        : first >= w->len ? 0
                                          : (w->len - 1 - first) / outer->m + 1;
    const uint64_t *z = w->inverse ? w->x : w->leaves;
    const written all = {z + first * k, width * k * sizeof *z, outer->m * k, rows};
    return gfp_hybrid_steps_columns(w->steps, w->x, w->len, w->leaves, w->inverse, columns,
                                    w->rooms + worker * w->steps->column_room, task)
               ? make_durable(w->s, &all)
               : GFP_ERR_CANCELLED;
}

static gfp_status run_columns(block_job *w, const uint64_t *x, size_t len, uint64_t *leaves,
                              bool inverse)
{
    const gfp_outer *outer = &w->steps->plan.shape.outer;
    w->x = (uint64_t *)x;
    w->len = len;
    w->leaves = leaves;
    w->inverse = inverse;
    w->items = gfp_size_min(item_count(w->steps->area * sizeof(uint64_t)), w->steps->columns);
    const size_t rooms = w->workers * w->steps->room / w->steps->column_room;
    w->s->call->task.threads = rooms < w->threads ? (unsigned)rooms : w->threads;
    return run_step(w->s, column_items, w, w->items,
                    (double)outer->leaves * (double)outer->m * GFP_HYBRID_COLUMN_UNITS);
}

static gfp_status leaf_items(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const block_job *w = job;
    const size_t n = w->steps->plan.shape.outer.m * w->steps->choice.k;
    const written all = {w->d + from * n, (to - from) * n * sizeof *w->d, 0, 1};
    for (size_t j = from; j < to; j++) {
        if (!gfp_hybrid_steps_leaf(w->steps, w->d, w->a, w->b, (unsigned)j,
                                   w->rooms + worker * w->steps->room, task)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return make_durable(w->s, &all);
}

static gfp_status multiply_block(block_job *w, const gfp_range *r, uint64_t *c)
{
    const gfp_outer *outer = &w->steps->plan.shape.outer;
    const double points = (double)outer->leaves * (double)outer->m;
    const bool square = w->a == w->b;
    const double units =
        points * ((square ? 2 : 3) * GFP_HYBRID_COLUMN_UNITS + GFP_HYBRID_LEAF_UNITS);
    if (!gfp_task_span(&w->s->call->task, 1, units,
                       GFP_HYBRID_UNIT_COST * (double)w->steps->choice.k)) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(gfp_leaf_prepare(w->steps->choice.engine, &w->steps->plan.shape));
    GFP_TRY(run_columns(w, r->a, r->len_a, w->a, false));
    if (!square) {
        GFP_TRY(run_columns(w, r->b, r->len_b, w->b, false));
    }
    w->s->call->task.threads = w->workers;
    GFP_TRY(run_step(w->s, leaf_items, w, outer->leaves, points * GFP_HYBRID_LEAF_UNITS));
    return run_columns(w, c, r->end, w->d, true);
}

gfp_status gfp_file_steps_block(gfp_file_steps *s, const gfp_file_block *b, uint64_t *c,
                                unsigned threads)
{
    const gfp_range *r = &b->range;
    const gfp_call_mark mark = gfp_call_mark_here(s->call);
    const bool kept = s->file != NULL, square = r->a == r->b && r->len_a == r->len_b;
    const size_t rooms = b->workers * b->steps.room;
    block_job w = {.s = s, .steps = &b->steps, .workers = b->workers, .threads = threads};
    GFP_TRY(kept ? gfp_call_array(s->call, &w.rooms, rooms) : GFP_OK);
    w.a = gfp_file_steps_take(s, b->steps.area);
    w.b = square ? w.a : gfp_file_steps_take(s, b->steps.area);
    w.d = kept ? gfp_file_steps_take(s, b->steps.area) : w.a;
    w.rooms = kept ? w.rooms : gfp_file_steps_take(s, rooms);
    const int rounding = gfp_rounding_begin();
    const gfp_status status = multiply_block(&w, r, c);
    gfp_rounding_end(rounding);
    s->call->task.threads = threads;
    gfp_file_steps_give(s, w.a);
    gfp_call_release(s->call, mark);
    return status;
}

/* ---- verification ---- */

#define VALUE_ITEMS 64

/* Values of parts of three polynomials at all points: VALUE_ITEMS parts of each. */
typedef struct values {
    gfp_call *call;
    const gfp_field *field;
    const uint64_t *x[3];
    size_t len[3], k;
    unsigned points;
    uint64_t d[GFP_VERIFY_MAX_POINTS], seed;
    uint64_t *value; /* [item][point], of k words */
} values;

static gfp_status evaluate_items(void *job, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const values *w = job;
    (void)worker;
    for (size_t i = from; i < to; i++) {
        const size_t f = i / VALUE_ITEMS, part = i % VALUE_ITEMS;
        const size_t at = item_first(w->len[f], VALUE_ITEMS, part),
                     n = item_first(w->len[f], VALUE_ITEMS, part + 1) - at;
        for (unsigned p = 0; p < w->points; p++) {
            uint64_t *y = w->value + (i * w->points + p) * w->k;
            if (n == 0) {
                gfp_elem_zero(w->field, y);
            } else if (!gfp_verify_evaluate(w->field, y, w->x[f] + at * w->k, n, w->d[p], task)) {
                return GFP_ERR_CANCELLED;
            }
        }
    }
    return GFP_OK;
}

static gfp_deal_span place_values(const void *job, size_t item, size_t part)
{
    const values *w = job;
    (void)part;
    return (gfp_deal_span){w->value + item * w->points * w->k, w->points * w->k * sizeof(uint64_t)};
}

/* y := the value of polynomial f at point p. */
static void join_parts(const values *w, uint64_t *y, unsigned f, unsigned p)
{
    const gfp_field *field = w->field;
    uint64_t power[GFP_MAX_K], term[GFP_MAX_K];
    gfp_elem_zero(field, y);
    for (size_t part = 0; part < VALUE_ITEMS; part++) {
        const uint64_t at = item_first(w->len[f], VALUE_ITEMS, part);
        gfp_elem_set_u64(field, power, w->d[p]);
        gfp_elem_pow(field, power, power, &at, 1);
        gfp_elem_mul(field, term, power,
                     w->value + ((f * VALUE_ITEMS + part) * w->points + p) * w->k);
        gfp_elem_add(field, y, y, term);
    }
}

static gfp_status compare_values(const values *w)
{
    const gfp_field *field = w->field;
    gfp_report *report = &w->call->report;
    for (unsigned p = 0; p < w->points; p++) {
        uint64_t y[3][GFP_MAX_K];
        for (unsigned f = 0; f < 3; f++) {
            join_parts(w, y[f], f, p);
        }
        report->points = p + 1;
        gfp_elem_mul(field, y[0], y[0], y[1]);
        if (!gfp_elem_equal(field, y[0], y[2])) {
            return gfp_error_set(&w->call->error, GFP_ERR_VERIFY,
                                 "the product and its operands differ at a random point");
        }
    }
    return GFP_OK;
}

/* All ranks take the seed of their options, which they compare, or a new one. */
static gfp_status share_seed(values *w)
{
    shared_number seed = {w->call, NULL, w->call->options->verify_seed};
    gfp_dealer *dealer = w->call->dealer;
    GFP_TRY(seed.x != 0 ? GFP_OK : share_number(&seed, GFP_DEAL_KEEP_NONE));
    dealer->key = dealer->kind->mix(dealer->key, &seed.x, sizeof seed.x);
    w->seed = seed.x;
    return GFP_OK;
}

gfp_status gfp_file_steps_verify(gfp_call *call, const gfp_range *r, const uint64_t *c)
{
    const gfp_field *field = r->field;
    const size_t items = 3 * VALUE_ITEMS;
    values w = {.call = call,
                .field = field,
                .x = {r->a, r->b, c},
                .len = {r->len_a, r->len_b, r->end},
                .k = gfp_field_k(field)};
    const double units = (double)r->len_a + (double)r->len_b + (double)r->end;
    w.points = gfp_verify_points(field, r->end, &call->report.log2_error);
    call->report.verified = GFP_VERIFY_POINT;
    if (!gfp_task_span(&call->task, 1, w.points * units, gfp_field_k(field))) {
        return GFP_ERR_CANCELLED;
    }
    GFP_TRY(share_seed(&w));
    gfp_verify_draw(field, w.d, w.points, w.seed);
    const size_t words = w.points * w.k;
    GFP_TRY(gfp_call_array(call, &w.value, items * words));
    const gfp_deal_loop loop = {
        {evaluate_items, &w, NULL},       place_values,      1, words * sizeof(uint64_t),
        w.points * units / (double)items, GFP_DEAL_KEEP_NONE};
    GFP_TRY(gfp_call_deal(call, &loop, items, 1));
    return compare_values(&w);
}
