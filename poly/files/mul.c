/* mul.c: products of mapped files in little memory. A block is computed in one of three ways: in
 * memory; in steps of hybrid, with the leaves in a scratch file, or in a file that a dealer shares
 * and keeps (steps.h); or in halves of the factors, with sums and middle products in such files.
 * POSIX.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "poly/files/impl.h"
#include "poly/files/steps.h"
#include "product/methods/file_plan.h"
#include "field/base/parallel.h"
#include "product/pipeline.h"
#include "field/base/support.h"
#include "product/verify/claim.h"

/* A running product, computed in blocks. */
typedef struct run {
    const gfp_field *field;
    size_t k;
    gfp_file_limits within;
    const char *path;     /* scratch files lie in its folder */
    gfp_scratch work;     /* kept from block to block */
    gfp_file_steps steps; /* of sums, and of blocks in steps */
    gfp_task *task;       /* may be NULL */
    unsigned used;        /* the most threads that a block had */
    gfp_error *error;
} run;

typedef struct job {
    gfp_product product;
    gfp_file *file; /* of the product */
    uint64_t *c;
    const uint64_t *a, *b;
    size_t len_a, len_b;
    const char *path;
    size_t cap;
} job;

static gfp_status open_scratch(const run *p, gfp_scratch *scratch, size_t streamed, size_t held)
{
    return gfp_scratch_open(scratch, p->path, gfp_field_allocator(p->field), streamed, held,
                            p->error);
}

/* ---- a block ---- */

/* Makes p->work large enough. The work area of an earlier block is kept if it suffices; then the
 * streamed part ends at the same address. */
static gfp_status fit_work(run *p, size_t streamed, size_t held)
{
    if (p->work.words != NULL && streamed <= p->work.streamed && held <= p->work.held) {
        return GFP_OK;
    }
    gfp_scratch_close(&p->work);
    return open_scratch(p, &p->work, streamed, held);
}

static gfp_status run_steps(run *p, const gfp_file_block *b, uint64_t *c)
{
    if (!p->within.kept) {
        GFP_TRY(fit_work(p, b->streamed, b->held));
        p->steps.free = p->work.words + (p->work.streamed - b->streamed) / sizeof(uint64_t);
    }
    return gfp_file_steps_block(&p->steps, b, c, p->within.threads);
}

static gfp_status multiply_files(run *p, uint64_t *c, const gfp_range *r, double from, double to);

/* ---- halves ---- */

/* Arrays of n coefficients for a middle product, or a sum with it: *u may be m, except where steps
 * are kept. */
typedef struct middle {
    gfp_scratch scratch;
    uint64_t *m, *u;
} middle;

static gfp_status open_middle(run *p, middle *x, size_t n)
{
    *x = (middle){.scratch = {.bytes = 0}};
    if (p->within.kept) {
        x->m = gfp_file_steps_take(&p->steps, n * p->k);
        x->u = gfp_file_steps_take(&p->steps, n * p->k);
        return GFP_OK;
    }
    GFP_TRY(open_scratch(p, &x->scratch, n * p->k * sizeof(uint64_t), 0));
    x->m = x->u = x->scratch.words;
    return GFP_OK;
}

static void close_middle(run *p, middle *x)
{
    if (p->within.kept) {
        gfp_file_steps_give(&p->steps, x->m);
    }
    gfp_scratch_close(&x->scratch);
}

/* z := x->u, n coefficients. */
static gfp_status put_middle(run *p, const middle *x, uint64_t *z, size_t n)
{
    const gfp_file_term whole = {x->u, n, false};
    return gfp_file_steps_sum(&p->steps, z, n, &whole, 1);
}

/* c := a b for a = a0 + a1 X^h and b of at most h coefficients: two products. */
static gfp_status multiply_long(run *p, uint64_t *c, const gfp_file_block *block, middle *x,
                                double from, double to)
{
    const gfp_range *r = &block->range;
    const size_t h = block->half, len_b = r->len_b, n = r->len_a - h + len_b - 1;
    const gfp_range low = gfp_range_whole(p->field, r->a, h, r->b, len_b);
    const gfp_range high = gfp_range_whole(p->field, r->a + h * p->k, r->len_a - h, r->b, len_b);
    const double half = (from + to) / 2;
    uint64_t *z = c + h * p->k;
    GFP_TRY(multiply_files(p, c, &low, from, half));
    GFP_TRY(multiply_files(p, x->m, &high, half, to));
    const gfp_file_term terms[] = {{z, len_b - 1, false}, {x->m, n, false}};
    if (!p->within.kept) {
        return gfp_file_steps_sum(&p->steps, z, n, terms, 2);
    }
    GFP_TRY(gfp_file_steps_sum(&p->steps, x->u, n, terms, 2));
    return put_middle(p, x, z, n);
}

/* s := x0 + x1 for x = x0 + x1 X^h. */
static gfp_status add_halves(run *p, uint64_t *s, const uint64_t *x, size_t len, size_t h)
{
    const gfp_file_term terms[] = {{x, h, false}, {x + h * p->k, len - h, false}};
    return gfp_file_steps_sum(&p->steps, s, h, terms, 2);
}

/* c := a b by Karatsuba's three products, of h = block->half < len_b <= len_a; x has room for 2
 * h - 1 coefficients. The longest product comes first, so that work memory is made once; the sums
 * lie where the other two go later (len_a + len_b - 1 >= 2 h). */
static gfp_status multiply_halves(run *p, uint64_t *c, const gfp_file_block *block, middle *x,
                                  double from, double to)
{
    const gfp_range *r = &block->range;
    const uint64_t *a = r->a, *b = r->b;
    const size_t len_a = r->len_a, len_b = r->len_b, h = block->half, k = p->k, n = 2 * h - 1;
    const bool square = a == b && len_a == len_b;
    const double part = (to - from) / 3;
    const gfp_file_term nothing = {c, 0, false};
    uint64_t *sa = c, *sb = square ? sa : c + h * k, *top = c + 2 * h * k, *z = c + h * k;
    const gfp_range sums = gfp_range_whole(p->field, sa, h, sb, h),
                    low = gfp_range_whole(p->field, a, h, b, h);
    const gfp_range high = gfp_range_whole(p->field, a + h * k, len_a - h, b + h * k, len_b - h);
    GFP_TRY(add_halves(p, sa, a, len_a, h));
    if (!square) {
        GFP_TRY(add_halves(p, sb, b, len_b, h));
    }
    GFP_TRY(multiply_files(p, x->m, &sums, from, from + part));
    GFP_TRY(multiply_files(p, c, &low, from + part, to - part));
    GFP_TRY(gfp_file_steps_sum(&p->steps, c + n * k, 1, &nothing, 1));
    GFP_TRY(multiply_files(p, top, &high, to - part, to));
    /* The middle product a0 b1 + a1 b0 has at most len_a - 1 <= r->end - h coefficients. */
    const size_t all = gfp_size_min(n, r->end - h);
    const gfp_file_term terms[] = {
        {x->m, all, false}, {c, all, true}, {top, high.end, true}, {z, all, false}};
    GFP_TRY(gfp_file_steps_sum(&p->steps, x->u, all, terms, 4));
    return put_middle(p, x, z, all);
}

/* The coefficients of a middle product. */
static size_t middle_length(const gfp_file_block *block)
{
    const gfp_range *r = &block->range;
    return block->how == GFP_FILE_LONG ? r->len_a - block->half + r->len_b - 1
                                       : 2 * block->half - 1;
}

static gfp_status multiply_cut(run *p, uint64_t *c, const gfp_file_block *block, double from,
                               double to)
{
    middle x;
    GFP_TRY(open_middle(p, &x, middle_length(block)));
    const gfp_status status = block->how == GFP_FILE_LONG
                                  ? multiply_long(p, c, block, &x, from, to)
                                  : multiply_halves(p, c, block, &x, from, to);
    close_middle(p, &x);
    return status;
}

/* ---- any product ---- */

static gfp_status run_whole(run *p, gfp_file_block *b, uint64_t *c)
{
    if (b->how == GFP_FILE_STEPS) {
        return run_steps(p, b, c);
    }
    gfp_scratch_close(&p->work); /* the block's work area may take the whole cap */
    return gfp_plan_run(&b->plan, &b->range, c, p->task, p->error);
}

/* A block that is not cut. */
static gfp_status run_block(run *p, gfp_file_block *b, uint64_t *c, double to)
{
    gfp_task_part(p->task, to);
    const gfp_status status = run_whole(p, b, c);
    if (p->task != NULL) {
        p->used = gfp_task_threads(p->task) > p->used ? gfp_task_threads(p->task) : p->used;
        p->task->threads = p->within.threads; /* this block may have used fewer */
    }
    return status;
}

/* c := the product of a range, all of it, as the part from `from` to `to` of the call. Recursion
 * depth: the number of times a length can be halved. */
static gfp_status multiply_files(run *p, uint64_t *c, const gfp_range *r, double from, double to)
{
    gfp_file_block block;
    gfp_file_plan_block(&block, &p->within, r);
    switch (block.how) {
    case GFP_FILE_REFUSED:
        return gfp_file_refuse_block(&p->within, &block.range, p->error);
    case GFP_FILE_LONG:
    case GFP_FILE_HALVES:
        return multiply_cut(p, c, &block, from, to);
    default:
        return run_block(p, &block, c, to);
    }
}

static gfp_file_limits limits_of(const job *w, const gfp_method *method)
{
    return (gfp_file_limits){method, w->cap, gfp_task_threads(w->product.task),
                             w->product.request.kept, w->product.request.members};
}

/* c := a b, as the part from `from` to `to` of the call. */
static gfp_status run_method(job *w, const gfp_method *method, uint64_t *c, double from, double to,
                             gfp_error *error)
{
    run p = {.field = w->product.field,
             .k = gfp_field_k(w->product.field),
             .within = limits_of(w, method),
             .path = w->path,
             .task = w->product.task,
             .used = 1,
             .error = error};
    const gfp_range whole = gfp_range_whole(p.field, w->a, w->len_a, w->b, w->len_b);
    GFP_TRY(gfp_file_steps_open(&p.steps, &w->product.base, p.field, p.within.kept ? w->file : NULL,
                                w->product.plan.areas));
    const gfp_status status = multiply_files(&p, c, &whole, from, to);
    gfp_file_steps_close(&p.steps);
    gfp_scratch_close(&p.work);
    w->product.base.report.threads = p.used;
    return status;
}

/* ---- products that a dealer shares and keeps ---- */

/* Returns the words of areas that a range takes. Mixes the plan of its blocks into *key. */
static size_t plan_areas(const job *w, const gfp_range *r, uint64_t *key)
{
    const gfp_file_limits within = limits_of(w, w->product.method);
    const size_t k = gfp_field_k(r->field);
    const gfp_dealer *dealer = w->product.base.dealer;
    gfp_file_block b;
    gfp_file_plan_block(&b, &within, r);
    if (b.how == GFP_FILE_STEPS) {
        const gfp_hybrid_shape *shape = &b.steps.plan.shape;
        const uint64_t facts[] = {shape->outer.m, shape->outer.leaves, shape->primes};
        *key = dealer->kind->mix(*key, facts, sizeof facts);
        return b.streamed / sizeof(uint64_t);
    }
    *key = dealer->kind->mix(*key, &b.half, sizeof b.half);
    if (b.how == GFP_FILE_REFUSED) {
        return 0;
    }
    const bool is_long = b.how == GFP_FILE_LONG;
    const size_t h = b.half, len_b = is_long ? b.range.len_b : h, from = is_long ? 0 : h;
    const gfp_range low = gfp_range_whole(r->field, b.range.a, h, b.range.b, len_b),
                    high = gfp_range_whole(r->field, b.range.a + h * k, b.range.len_a - h,
                                           b.range.b + from * k, b.range.len_b - from);
    const size_t of_low = plan_areas(w, &low, key), of_high = plan_areas(w, &high, key);
    const size_t words = gfp_file_steps_words(gfp_size_mul_sat(middle_length(&b), k));
    return gfp_size_add_sat(gfp_size_mul_sat(words, 2), of_low > of_high ? of_low : of_high);
}

/* Plans the areas. Tells the dealer what the steps and their results depend on. */
static void mul_key(job *w, const gfp_file *a, const gfp_file *b)
{
    gfp_call *call = &w->product.base;
    const gfp_field *field = w->product.field;
    const gfp_range whole = gfp_range_whole(field, w->a, w->len_a, w->b, w->len_b);
    uint64_t plan = 0;
    w->product.plan.areas = w->product.nothing ? 0 : plan_areas(w, &whole, &plan);
    const uint64_t facts[] = {gfp_field_r(field),
                              gfp_field_k(field),
                              w->len_a,
                              w->len_b,
                              a->head.checksum,
                              b->head.checksum,
                              a == b,
                              (uint64_t)gfp_hybrid_level(field),
                              plan};
    gfp_call_key(call, gfp_version(), strlen(gfp_version()));
    gfp_call_key(call, facts, sizeof facts);
}

/* With a dealer hybrid computes, in blocks of steps. */
static gfp_status choose_steps(job *w, const gfp_file *a, const gfp_file *b)
{
    gfp_product *p = &w->product;
    const gfp_options *options = p->base.options;
    if (!w->file->kept || a->fd >= 0 || b->fd >= 0) {
        return gfp_error_set(&p->base.error, GFP_ERR_ARGUMENT,
                             "with a dealer the product is a file of gfp_file_resume, and its "
                             "factors are opened files");
    }
    p->method = gfp_method_find("hybrid");
    if (!gfp_options_auto(options) && gfp_method_find(options->method) != p->method) {
        return gfp_error_set(&p->base.error, GFP_ERR_UNAVAILABLE,
                             "with a dealer the method is hybrid, not %.40s", options->method);
    }
    if (options->verify == GFP_VERIFY_CROSS) {
        return gfp_error_set(&p->base.error, GFP_ERR_UNAVAILABLE,
                             "with a dealer a product is checked at points, not by a second "
                             "method");
    }
    int log2_error;
    if (options->verify == GFP_VERIFY_POINT && !p->nothing &&
        gfp_verify_points(p->field, w->len_a + w->len_b - 1, &log2_error) == 0) {
        return gfp_error_set(&p->base.error, GFP_ERR_UNAVAILABLE,
                             "with a dealer a product is checked at points, of which %s has too "
                             "few",
                             gfp_field_name(p->field));
    }
    p->request.kept = true;
    return GFP_OK;
}

/* ---- verification ---- */

static gfp_status mul_compare(job *w, const uint64_t *d, size_t n)
{
    const gfp_field *field = w->product.field;
    gfp_error *error = &w->product.base.error;
    const size_t block = gfp_binary_block(field), k = gfp_field_k(field);
    for (size_t i = 0; i < n; i += block) {
        size_t m = gfp_size_min(block, n - i);
        const uint64_t *x = w->c + i * k, *y = d + i * k;
        if (gfp_vec_equal(field, x, y, m)) {
            continue;
        }
        for (m = 0; gfp_elem_equal(field, x + m * k, y + m * k);) {
            m++;
        }
        return gfp_error_set_at(error, GFP_ERR_VERIFY, i + m,
                                "the product and that by %s differ at coefficient %zu",
                                w->product.base.report.cross_method, i + m);
    }
    return GFP_OK;
}

/* Computes the whole product again by another method, and compares. */
static gfp_status verify_cross(job *w)
{
    gfp_product *p = &w->product;
    const size_t n = w->len_a + w->len_b - 1;
    const unsigned threads = p->base.report.threads;
    gfp_scratch d = {.bytes = 0};
    p->base.report.verified = GFP_VERIFY_CROSS;
    p->base.report.cross_method = p->second->name;
    GFP_TRY(gfp_scratch_open(&d, w->path, gfp_field_allocator(p->field),
                             n * gfp_element_bytes(p->field), 0, &p->base.error));
    gfp_status status = run_method(w, p->second, d.words, gfp_call_share(p->base.options->verify),
                                   1, &p->base.error);
    p->base.report.threads = threads;
    if (status == GFP_OK) {
        status = mul_compare(w, d.words, n);
    }
    gfp_scratch_close(&d);
    return status;
}

static gfp_status mul_verify(gfp_product *p)
{
    job *w = (job *)p;
    const gfp_options *options = p->base.options;
    const size_t length = w->len_a + w->len_b - 1;
    int log2_error = 0;
    if (p->base.dealer != NULL) {
        const gfp_range whole = gfp_range_whole(p->field, w->a, w->len_a, w->b, w->len_b);
        gfp_task_part(p->task, 1);
        return gfp_file_steps_verify(&p->base, &whole, w->c);
    }
    if (options->verify != GFP_VERIFY_POINT ||
        gfp_verify_points(p->field, length, &log2_error) == 0) {
        return verify_cross(w);
    }
    const gfp_claim claim = {
        .range = gfp_range_make(p->field, w->a, w->b, w->len_a, w->len_b, 0, length),
        .c = w->c,
        .used = p->method,
        .tuning = options->tuning,
        .cap = w->cap};
    gfp_task_part(p->task, 1);
    return gfp_verify_product(&claim, options->verify, options->verify_seed, &p->base.report,
                              p->task, &p->base.error);
}

static gfp_status mul_compute(gfp_product *p, gfp_error *error)
{
    if (p->base.dealer != NULL) {
        p->task = &p->base.task;
    }
    if (p->task != NULL) {
        p->task->part_to = p->from; /* the first block begins at this fraction */
    }
    return run_method((job *)p, p->method, ((job *)p)->c, p->from,
                      gfp_call_share(p->base.options->verify), error);
}

/* ---- files ---- */

/* The number of coefficients without leading zeros. */
static size_t true_length(const gfp_file *file)
{
    const gfp_field *field = gfp_file_get_info(file).field;
    const uint64_t *x = gfp_file_get_info(file).digits;
    size_t n = gfp_file_get_info(file).length;
    while (n > 0 && gfp_elem_is_zero(field, x + (n - 1) * gfp_field_k(field))) {
        n--;
    }
    return n;
}

gfp_status gfp_file_product_length(size_t *length, const gfp_file *a, const gfp_file *b)
{
    if (a == NULL || b == NULL || length == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    const size_t len_a = true_length(a), len_b = true_length(b);
    size_t sum = 0;
    if (len_a > 0 && len_b > 0) {
        if (!gfp_size_add(&sum, len_a, len_b)) {
            return GFP_ERR_SIZE;
        }
        sum--;
    }
    *length = sum;
    return GFP_OK;
}

static gfp_status mul_check(gfp_file *c, const gfp_file *a, const gfp_file *b, gfp_error *error)
{
    size_t length = 0;
    if (a == NULL || b == NULL || c == NULL) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT, "a file is NULL");
    }
    if (!gfp_field_same(a->field, b->field) || !gfp_field_same(a->field, c->field)) {
        return gfp_error_set(error, GFP_ERR_FIELD_MISMATCH,
                             "operands over %s and %s, product over %s", gfp_field_name(a->field),
                             gfp_field_name(b->field), gfp_field_name(c->field));
    }
    if (gfp_file_product_length(&length, a, b) != GFP_OK) {
        return gfp_error_set(error, GFP_ERR_SIZE, "the product's length overflows");
    }
    if (c->fd < 0 || gfp_file_get_info(c).length != length) {
        return gfp_error_set(error, GFP_ERR_ARGUMENT,
                             "the file for the product is not being made, or not of %zu "
                             "coefficients",
                             length);
    }
    return GFP_OK;
}

static gfp_status mul_run(job *w, gfp_file *c, const gfp_file *a, const gfp_file *b)
{
    gfp_product *p = &w->product;
    GFP_TRY(mul_check(c, a, b, &p->base.error));
    GFP_TRY(p->base.dealer != NULL ? GFP_OK : gfp_file_disown(c, &p->base.error));
    w->file = c;
    w->c = gfp_file_digits_mutable(c);
    w->a = gfp_file_get_info(a).digits;
    w->b = gfp_file_get_info(b).digits;
    w->len_a = true_length(a);
    w->len_b = true_length(b);
    w->path = c->target;
    w->cap = p->base.cap;
    p->field = p->base.field = c->field;
    p->nothing = w->len_a == 0 || w->len_b == 0; /* the product with 0 is exact */
    const gfp_problem problem = {
        .operation = GFP_OPERATION_FILE, .len_a = w->len_a, .len_b = w->len_b};
    p->request = gfp_request_make(&problem, c->field, p->base.options);
    if (p->base.dealer != NULL) {
        GFP_TRY(choose_steps(w, a, b));
    }
    GFP_TRY(gfp_product_choose(p));
    if (p->base.dealer != NULL) {
        mul_key(w, a, b);
    }
    return gfp_product_run(p);
}

gfp_status gfp_file_mul(gfp_file *c, const gfp_file *a, const gfp_file *b,
                        const gfp_options *options)
{
    job w = {.product = {.compute = mul_compute, .verify = mul_verify}};
    gfp_call *call = &w.product.base;
    double least = 0;
    GFP_TRY(gfp_call_begin(call, "product of files", options));
    gfp_call_use_dealer(call);
    gfp_dealer *dealer = call->dealer;
    if (dealer != NULL) { /* every step is dealt: it may overwrite what an earlier one reads */
        least = dealer->least;
        dealer->least = 0;
    }
    const gfp_status status = gfp_call_end(call, mul_run(&w, c, a, b));
    if (dealer != NULL) {
        dealer->least = least;
    }
    return status;
}
