/* create.c: operands: their storage, the calls on them, and their transforms from coefficients.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "product/operand/impl.h"

#include <string.h>

#include "product/choose/choice.h"
#include "product/verify/claim.h"
#include "field/base/support.h"
#include "product/methods/engine.h"

#define ALIGN_WORDS 8

/* ---- storage ---- */

/* The words of an operand's block. Saturates. */
static size_t block_words(const gfp_space *s)
{
    return gfp_size_add_sat(s->words, ALIGN_WORDS + s->points * gfp_field_k(s->field));
}

uint64_t *gfp_operand_values(const gfp_operand *x)
{
    return x->t.words + x->space->words;
}

void gfp_operand_forget(gfp_operand *x)
{
    if (x->t.cache != NULL) {
        x->space->engine->forget(x->space->ring, &x->t);
    }
}

static void create_shut(gfp_operand *x)
{
    const gfp_allocator *allocator = gfp_field_allocator(x->space->field);
    gfp_operand_forget(x);
    gfp_release(allocator, x->t.cache, 1, x->space->engine->cache_bytes);
    gfp_release(allocator, x->block, block_words(x->space), sizeof *x->block);
}

static gfp_status make_cache(gfp_operand *x)
{
    const size_t cache = x->space->engine->cache_bytes;
    if (cache != 0) {
        x->t.cache = gfp_allocate(gfp_field_allocator(x->space->field), 1, cache);
        if (x->t.cache == NULL) {
            return GFP_ERR_MEMORY;
        }
        memset(x->t.cache, 0, cache);
    }
    return GFP_OK;
}

/* x := an operand of the space, its words undefined, in this memory. */
static gfp_status create_place(gfp_operand *x, gfp_space *s, uint64_t *block)
{
    const uintptr_t misaligned = (uintptr_t)block / sizeof *block % ALIGN_WORDS;
    *x = (gfp_operand){.space = s};
    x->t.words = block + (ALIGN_WORDS - misaligned) % ALIGN_WORDS;
    return make_cache(x);
}

/* The same in memory of its own; the space does not count it as an owner. */
static gfp_status create_open(gfp_operand *x, gfp_space *s)
{
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    uint64_t *block = gfp_allocate(allocator, block_words(s), sizeof *block);
    if (block == NULL) {
        return block_words(s) > SIZE_MAX / sizeof *block ? GFP_ERR_SIZE : GFP_ERR_MEMORY;
    }
    const gfp_status status = create_place(x, s, block);
    if (status == GFP_OK) {
        x->block = block;
    } else {
        gfp_release(allocator, block, block_words(s), sizeof *block);
    }
    return status;
}

size_t gfp_operand_place_words(const gfp_space *s)
{
    return block_words(s);
}

gfp_status gfp_operand_place(gfp_operand *x, gfp_space *s, uint64_t *block)
{
    GFP_TRY(create_place(x, s, block));
    gfp_operand_set_zero(x);
    atomic_fetch_add(&s->owners, 1);
    return GFP_OK;
}

void gfp_operand_displace(gfp_operand *x)
{
    gfp_space *s = x->space;
    create_shut(x);
    gfp_space_destroy(s);
}

void gfp_operand_exchange(gfp_operand *c, gfp_operand *x)
{
    const gfp_operand old = *c;
    *c = *x;
    *x = old;
}

void gfp_operand_set_zero(gfp_operand *x)
{
    gfp_operand_forget(x);
    gfp_vec_zero(x->space->field, gfp_operand_values(x), x->space->points);
    x->len = 0;
    x->t.weight = 0;
    x->t.product = false;
    x->blank = true;
}

void gfp_operand_settle(gfp_operand *x)
{
    if (x->blank) {
        memset(x->t.words, 0, x->space->words * sizeof *x->t.words);
        x->blank = false;
    }
}

/* ---- calls ---- */

size_t gfp_operand_call_bytes(const gfp_space *s)
{
    return gfp_work_bytes(gfp_operand_work_words(s, true, 1));
}

size_t gfp_operand_staging(const gfp_space *s)
{
    return s->engine->staging == NULL ? 0 : s->engine->staging(s->ring);
}

size_t gfp_operand_host_bytes(const gfp_space *s)
{
    return gfp_size_add_sat(gfp_size_mul_sat(block_words(s), sizeof(uint64_t)),
                            sizeof(gfp_operand) + s->engine->cache_bytes);
}

void gfp_operand_report_nothing(gfp_report *report, const gfp_space *s)
{
    if (report != NULL) {
        *report =
            (gfp_report){.method = s->method->name, .verified = GFP_VERIFY_NONE, .threads = 1};
    }
}

/* The threads of a call that takes this share of a product's time. */
static unsigned threads_of(const gfp_space *s, const gfp_options *options, double share)
{
    const unsigned asked = options->threads != 0 ? options->threads : s->threads;
    return gfp_method_useful_threads(s->method, share * s->ns,
                                     gfp_parallel_threads(s->field, asked));
}

static void call_tasks(gfp_operand_call *w, unsigned threads)
{
    const gfp_progress *progress = w->base.options->progress;
    gfp_task_start(&w->unwatched, NULL);
    w->base.task.threads = w->unwatched.threads = threads;
    w->base.task.context = NULL;
    w->task = progress != NULL || threads > 1 ? &w->base.task : NULL;
    w->quiet = threads > 1 ? &w->unwatched : NULL;
    gfp_task_part(w->task, 1);
    (void)gfp_task_span(w->quiet, 1, 1, gfp_task_product_cost(w->s->field));
}

/* The most operands that a call opens in addition to its work area: two converted factors, their
 * product, and for a sum beyond the bound both summands converted. */
#define MOST_APART 5

gfp_status gfp_operand_call_begin(gfp_operand_call *w, const gfp_space *s,
                                  const gfp_options *options, bool whole, size_t apart,
                                  double share)
{
    const size_t cap = options->memory_cap != 0 ? options->memory_cap : s->cap;
    const size_t operands = gfp_size_mul_sat(MOST_APART * sizeof(uint64_t), block_words(s));
    unsigned threads = threads_of(s, options, share);
    (void)gfp_call_begin(&w->base, "operand", options); /* they have been read */
    gfp_call_limit(&w->base, cap);
    w->s = s;
    w->method = s->method;
    w->entered = false;
    size_t bytes = gfp_work_bytes(gfp_operand_work_words(s, whole, threads));
    if (cap != 0 && gfp_size_add_sat(gfp_size_add_sat(bytes, apart), operands) > cap) {
        threads = 1;
        bytes = gfp_work_bytes(gfp_operand_work_words(s, whole, 1));
    }
    GFP_TRY(gfp_call_take(&w->base, gfp_size_add_sat(bytes, apart)));
    w->threads = threads;
    call_tasks(w, threads);
    GFP_TRY(gfp_work_take(&w->area, s->field, gfp_operand_work_words(s, whole, threads)));
    w->work = w->area.words;
    w->rounding = gfp_rounding_begin();
    w->entered = true;
    return GFP_OK;
}

gfp_status gfp_operand_call_end(gfp_operand_call *w, gfp_status status)
{
    gfp_report *report = &w->base.report;
    if (w->entered) {
        gfp_rounding_end(w->rounding);
        gfp_work_give(&w->area, w->s->field);
        report->threads = w->threads;
    }
    report->method = w->method->name;
    report->verified = w->s->points > 0 ? GFP_VERIFY_POINT : GFP_VERIFY_NONE;
    report->points = w->s->points;
    report->log2_error = w->s->log2_error;
    return gfp_call_end(&w->base, status);
}

gfp_status gfp_operand_open_apart(gfp_operand_call *w, gfp_operand *x)
{
    gfp_space *s = x->space;
    const size_t bytes = gfp_size_mul_sat(block_words(s), sizeof *x->block);
    GFP_TRY(gfp_call_afford(&w->base, bytes));
    GFP_TRY(create_open(x, s));
    gfp_call_charge(&w->base, bytes);
    return GFP_OK;
}

void gfp_operand_shut_apart(gfp_operand_call *w, gfp_operand *x)
{
    gfp_call_give(&w->base, block_words(x->space) * sizeof *x->block);
    create_shut(x);
}

/* ---- verification ---- */

void gfp_operand_evaluate(const gfp_operand_call *w, uint64_t *y, const uint64_t *a, size_t len)
{
    const gfp_space *s = w->s;
    for (unsigned i = 0; i < s->points; i++) {
        (void)gfp_verify_evaluate(s->field, y + i * gfp_field_k(s->field), a, len, s->point[i],
                                  w->quiet);
    }
}

gfp_status gfp_operand_compare_values(gfp_operand_call *w, const uint64_t *values,
                                      const uint64_t *z, size_t len)
{
    const gfp_field *field = w->s->field;
    uint64_t y[GFP_VERIFY_MAX_POINTS * GFP_MAX_K];
    if (gfp_vec_canonical(field, z, len) != len) {
        return gfp_error_set(&w->base.error, GFP_ERR_VERIFY, "a coefficient is not canonical");
    }
    gfp_operand_evaluate(w, y, z, len);
    return gfp_vec_equal(field, y, values, w->s->points)
               ? GFP_OK
               : gfp_error_set(
                     &w->base.error, GFP_ERR_VERIFY,
                     "the operands and the coefficients computed from them differ at a random "
                     "point");
}

void gfp_operand_multiply_values(uint64_t *values, const gfp_operand *a, const gfp_operand *b,
                                 int sign)
{
    const gfp_space *s = a->space;
    gfp_operand_elements e = {s->field, values, gfp_operand_values(a), gfp_operand_values(b),
                              sign,     0};
    (void)gfp_operand_run_elements(gfp_operand_multiply_elements, &e, s->points, NULL);
}

/* ---- from coefficients ---- */

static gfp_status transform_to(gfp_operand_call *w, gfp_operand *x, const uint64_t *a, size_t len)
{
    const gfp_operand_steps steps = {.transforms = 1};
    if (!gfp_operand_span(w->task, w->s, &steps)) {
        return GFP_ERR_CANCELLED;
    }
    gfp_operand_forget(x);
    GFP_TRY(gfp_operand_transform(w, x, a, len));
    gfp_operand_evaluate(w, gfp_operand_values(x), a, len);
    return gfp_task_finish(w->task) ? GFP_OK : GFP_ERR_CANCELLED;
}

gfp_status gfp_operand_set(gfp_operand *x, const uint64_t *digits, size_t n,
                           const gfp_options *options)
{
    gfp_options copy;
    gfp_operand_call w;
    GFP_TRY(gfp_options_read(&options, &copy));
    if (x == NULL || (digits == NULL && n > 0)) {
        return gfp_error_set(options->error, GFP_ERR_ARGUMENT, "no operand, or no coefficients");
    }
    const gfp_space *s = x->space;
    while (n > 0 && gfp_elem_is_zero(s->field, digits + (n - 1) * gfp_field_k(s->field))) {
        n--;
    }
    if (n > s->length) {
        return gfp_error_set(options->error, GFP_ERR_SIZE,
                             "%zu coefficients for operands of length %zu", n, s->length);
    }
    if (n == 0) {
        gfp_operand_set_zero(x);
        gfp_operand_report_nothing(options->report, s);
        return GFP_OK;
    }
    gfp_status status =
        gfp_operand_call_begin(&w, s, options, true, 0, GFP_OPERAND_TRANSFORM_SHARE);
    if (status == GFP_OK) {
        status = transform_to(&w, x, digits, n);
        if (status != GFP_OK) {
            gfp_operand_set_zero(x);
        }
    }
    return gfp_operand_call_end(&w, status);
}

gfp_status gfp_operand_create(gfp_operand **x, gfp_space *s)
{
    if (x == NULL || s == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    const gfp_allocator *allocator = gfp_field_allocator(s->field);
    gfp_operand *made = gfp_allocate(allocator, 1, sizeof *made);
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = create_open(made, s);
    if (status != GFP_OK) {
        gfp_release(allocator, made, 1, sizeof *made);
        return status;
    }
    gfp_operand_set_zero(made);
    atomic_fetch_add(&s->owners, 1);
    *x = made;
    return GFP_OK;
}

void gfp_operand_destroy(gfp_operand *x)
{
    if (x != NULL) {
        gfp_space *s = x->space;
        const gfp_allocator *allocator = gfp_field_allocator(s->field);
        create_shut(x);
        gfp_release(allocator, x, 1, sizeof *x);
        gfp_space_destroy(s);
    }
}

gfp_status gfp_operand_check_alike(const gfp_operand *c, const gfp_operand *a, const gfp_operand *b)
{
    if (c == NULL || a == NULL || b == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (c->space == a->space && c->space == b->space) {
        return GFP_OK;
    }
    return gfp_field_same(c->space->field, a->space->field) &&
                   gfp_field_same(c->space->field, b->space->field)
               ? GFP_ERR_ARGUMENT
               : GFP_ERR_FIELD_MISMATCH;
}

gfp_status gfp_operand_check_product(size_t *len, const gfp_space *s, size_t len_a, size_t len_b)
{
    *len = len_a + len_b - 1; /* at most SIZE_MAX / 2 each: see check_spec */
    if (*len > s->length && s->wrap == GFP_WRAP_LINEAR) {
        return GFP_ERR_SIZE;
    }
    *len = gfp_size_min(*len, s->length);
    return GFP_OK;
}

size_t gfp_operand_product_length(const gfp_operand *a, const gfp_operand *b)
{
    return gfp_size_min(a->len + b->len - 1, a->space->length);
}

/* ---- queries ---- */

gfp_space *gfp_operand_space(const gfp_operand *x)
{
    return x->space;
}

size_t gfp_operand_bytes(const gfp_operand *x)
{
    const gfp_space *s = x->space;
    const size_t elsewhere = x->t.cache == NULL ? 0 : s->engine->held(s->ring, &x->t);
    return gfp_operand_host_bytes(s) + elsewhere;
}
