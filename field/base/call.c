/* call.c: see call.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/call.h"

#include <stddef.h>
#include <string.h>

#include "field/base/support.h"

#define ALIGNMENT 64
#define ALIGN_WORDS 8

/* The head of a block. */
struct gfp_call_block {
    gfp_call_block *before;
    void *memory;       /* a gfp_work_block of the field, or a block of the allocator */
    uint64_t *data;     /* `words` words, of which `used` are in use */
    size_t bytes;       /* that it takes */
    size_t words, used; /* of data */
    size_t used_before; /* words in use of the blocks before */
};

_Static_assert(sizeof(gfp_call_block) <= GFP_WORK_HEAD, "the head of an area has room for it");

/* ---- begin and end ---- */

/* All but the error of a GPU, which is long, and is cleared if the report is delivered. */
static void clear_report(gfp_report *report)
{
    memset(report, 0, offsetof(gfp_report, gpu_error));
    report->verified = GFP_VERIFY_NONE;
    report->unlucky_primes = 0;
    report->threads = 1;
}

gfp_status gfp_call_begin(gfp_call *call, const char *name, const gfp_options *options)
{
    const bool by_default = gfp_options_leave_check(options);
    GFP_TRY(gfp_options_read(&options, &call->copy));
    if (options != &gfp_no_options && options != &call->copy) { /* they may end before the call */
        call->copy = *options;
        options = &call->copy;
    }
    call->name = name;
    call->options = options;
    call->by_default = by_default;
    call->field = NULL;
    call->allocator = NULL;
    call->block = NULL;
    call->first_words = call->peak = 0;
    gfp_call_limit(call, options->memory_cap);
    call->refused = 0;
    gfp_task_start(&call->task, options->progress);
    call->task.context = options;
    call->dealer = NULL;
    call->start = options->report != NULL ? gfp_clock_ns() : 0;
    call->checked_from = 0;
    clear_report(&call->report);
    call->error.status = GFP_OK;
    return GFP_OK;
}

static void set_check(gfp_call *call, gfp_verify verify)
{
    if (call->options != &call->copy) {
        call->copy = *call->options;
        call->options = &call->copy;
    }
    call->copy.verify = verify;
}

void gfp_call_check(gfp_call *call)
{
    if (call->by_default) {
        set_check(call, GFP_VERIFY_POINT);
    }
}

bool gfp_call_uncheck(gfp_call *call)
{
    if (!call->by_default || call->options->verify == GFP_VERIFY_NONE) {
        return false;
    }
    set_check(call, GFP_VERIFY_NONE);
    return true;
}

void gfp_call_unreported(gfp_call *call)
{
    call->copy.report = NULL; /* the options are this copy, or none, which have no report */
}

void gfp_call_limit(gfp_call *call, size_t cap)
{
    call->cap = call->left = cap != 0 ? cap : SIZE_MAX;
}

void gfp_call_checks(gfp_call *call)
{
    if (call->options->report != NULL && call->checked_from == 0) {
        call->checked_from = gfp_clock_ns();
        call->checked_ns = call->report.verify_ns;
    }
}

void gfp_call_checked(gfp_call *call)
{
    if (call->checked_from != 0) {
        call->report.verify_ns = call->checked_ns + gfp_clock_ns() - call->checked_from;
        call->checked_from = 0;
    }
}

static void call_fill_report(gfp_call *call)
{
    gfp_call_checked(call);
    if (call->report.gpu_method == NULL) {
        call->report.gpu_error = (gfp_error){.status = GFP_OK};
    }
    if (call->report.threads < call->task.workers) {
        call->report.threads = call->task.workers;
    }
    call->report.multiply_ns = gfp_clock_ns() - call->start - call->report.verify_ns;
    *call->options->report = call->report;
}

/* *error := the reason: of the step that the cap refused, or of the step that failed. */
static void call_fill_error(const gfp_call *call, gfp_status status, gfp_error *error)
{
    const size_t cap = call->cap;
    if (status == GFP_ERR_MEMORY && call->refused != 0) {
        gfp_error_fill(error, status,
                       "%s: at least %zu bytes are needed, more than the cap of %zu bytes",
                       call->name, call->refused, cap);
    } else if (status == GFP_ERR_CANCELLED) {
        gfp_error_fill(error, status, "cancelled by the caller's progress callback");
    } else if (call->error.status == status) {
        *error = call->error;
    } else if (status == GFP_ERR_MEMORY && cap != SIZE_MAX) {
        gfp_error_fill(error, status, "%s: no memory, or more than the cap of %zu bytes",
                       call->name, cap);
    } else {
        gfp_error_fill(error, status, "%s: %s", call->name, gfp_status_string(status));
    }
}

/* The outermost call of a dealer agrees on its status, once. */
static gfp_status call_agree(gfp_call *call, gfp_status status)
{
    gfp_dealer *dealer = call->dealer;
    gfp_error error = {.status = GFP_OK};
    if (dealer == NULL || dealer->depth > 1 || dealer->agreed) {
        return status;
    }
    dealer->agreed = true;
    if (status != GFP_OK) {
        call_fill_error(call, status, &error);
    }
    status = dealer->kind->agree(dealer, status, &error);
    if (status != GFP_OK) {
        call->error = error;
    }
    return status;
}

gfp_status gfp_call_finish(gfp_call *call)
{
    return call_agree(call, gfp_task_finish(&call->task) ? GFP_OK : GFP_ERR_CANCELLED);
}

gfp_status gfp_call_end(gfp_call *call, gfp_status status)
{
    status = call_agree(call, status);
    if (call->dealer != NULL) {
        call->dealer->depth--;
    }
    gfp_call_release(call, (gfp_call_mark){NULL, 0});
    if ((status == GFP_OK || status == GFP_ERR_VERIFY) && call->options->report != NULL) {
        call_fill_report(call);
    }
    if (status != GFP_OK && call->options->error != NULL) {
        call_fill_error(call, status, call->options->error);
    }
    return status;
}

/* ---- dealt loops ---- */

void gfp_call_use_dealer(gfp_call *call)
{
    gfp_dealer *dealer = call->options->dealer;
    call->dealer = dealer;
    if (dealer != NULL && dealer->depth++ == 0) {
        dealer->agreed = false;
        dealer->key = dealer->call_key = 0;
    }
    gfp_call_key(call, call->name, strlen(call->name));
}

void gfp_call_key(gfp_call *call, const void *data, size_t bytes)
{
    gfp_dealer *dealer = call->dealer;
    if (dealer != NULL) {
        dealer->key = dealer->kind->mix(dealer->key, data, bytes);
        dealer->call_key = dealer->depth == 1 ? dealer->key : dealer->call_key;
    }
}

gfp_status gfp_call_deal(gfp_call *call, const gfp_deal_loop *loop, size_t items, size_t chunk)
{
    const gfp_task *task = &call->task;
    const bool dealt =
        call->dealer != NULL && items > 0 &&
        (double)items * loop->units * (GFP_TASK_GRAIN / task->grain) >= call->dealer->least;
    return dealt ? call->dealer->kind->loop(call->dealer, call, loop, items, chunk)
                 : gfp_parallel_for(&loop->parallel, &call->task, items, chunk);
}

/* ---- calls inside ---- */

gfp_options gfp_call_inside(gfp_call *call)
{
    gfp_options inside = *call->options;
    call->forwarded = (gfp_progress){gfp_task_forward, &call->task};
    inside.verify = GFP_VERIFY_NONE;
    inside.progress = call->options->progress != NULL ? &call->forwarded : NULL;
    /* 0 would be no cap. */
    inside.memory_cap = call->left == SIZE_MAX ? 0 : call->left > 0 ? call->left : 1;
    inside.report = NULL;
    inside.plan = NULL;
    inside.error = &call->error;
    return inside;
}

gfp_status gfp_call_inner(gfp_call *call, gfp_status status)
{
    if (status == GFP_ERR_MEMORY || status == GFP_ERR_SIZE) {
        call->error.status = GFP_OK;
    }
    return status;
}

void gfp_call_note(gfp_call *call, const gfp_report *step)
{
    gfp_report *report = &call->report;
    report->threads = step->threads > report->threads ? step->threads : report->threads;
    if (step->gpu_method != NULL) {
        report->gpu_method = step->gpu_method;
        report->gpu_error = step->gpu_error;
    }
}

/* ---- memory ---- */

gfp_status gfp_call_afford(gfp_call *call, size_t bytes)
{
    if (bytes <= call->left) {
        call->refused = 0;
        return GFP_OK;
    }
    call->refused = gfp_size_add_sat(call->cap - gfp_size_min(call->left, call->cap), bytes);
    return GFP_ERR_MEMORY;
}

gfp_status gfp_call_take(gfp_call *call, size_t bytes)
{
    GFP_TRY(gfp_call_afford(call, bytes));
    gfp_call_charge(call, bytes);
    return GFP_OK;
}

void gfp_call_charge(gfp_call *call, size_t bytes)
{
    if (call->left != SIZE_MAX) {
        call->left -= gfp_size_min(bytes, call->left);
    }
}

void gfp_call_give(gfp_call *call, size_t bytes)
{
    if (call->left != SIZE_MAX) {
        call->left += bytes;
    }
}

/* The words of a new block with room for n words: without a cap at least twice those of the one
 * before. */
static size_t ample_words(const gfp_call *call, size_t n)
{
    size_t ample = call->first_words;
    if (call->left != SIZE_MAX || ample == 0) {
        return n;
    }
    if (call->block != NULL) {
        ample = gfp_size_mul_sat(2, call->block->words);
    }
    return n > ample ? n : ample;
}

/* The bytes of a block of n words. */
static size_t block_bytes(const gfp_call *call, size_t n)
{
    return call->field != NULL ? gfp_work_bytes(n)
                               : sizeof(gfp_call_block) + n * sizeof(uint64_t) + ALIGNMENT;
}

/* *block := the head of a new block of n words. */
static gfp_status make_block(gfp_call *call, gfp_call_block **block, size_t n)
{
    const gfp_call_block head = {.before = call->block,
                                 .bytes = block_bytes(call, n),
                                 .words = n,
                                 .used_before = gfp_call_words(call)};
    if (call->field != NULL) {
        gfp_work work;
        GFP_TRY(gfp_work_take(&work, call->field, n));
        *block = gfp_work_head(&work);
        **block = head;
        (*block)->memory = work.block;
        (*block)->data = work.words;
        return GFP_OK;
    }
    *block = gfp_allocate(call->allocator, head.bytes, 1);
    if (*block == NULL) {
        return GFP_ERR_MEMORY;
    }
    const uintptr_t end = (uintptr_t)(*block + 1);
    **block = head;
    (*block)->memory = *block;
    (*block)->data = (uint64_t *)(void *)((char *)(*block + 1) + (-end & (ALIGNMENT - 1)));
    return GFP_OK;
}

static gfp_status add_block(gfp_call *call, size_t n)
{
    const size_t words = ample_words(call, n);
    gfp_call_block *block;
    GFP_TRY(gfp_call_take(call, block_bytes(call, words)));
    const gfp_status status = make_block(call, &block, words);
    if (status != GFP_OK) {
        gfp_call_give(call, block_bytes(call, words));
        return status;
    }
    call->block = block;
    return GFP_OK;
}

static void release_block(gfp_call *call)
{
    gfp_call_block *block = call->block;
    const size_t bytes = block->bytes;
    call->block = block->before;
    if (call->field != NULL) {
        gfp_work work = {block->memory, block->data};
        gfp_work_give(&work, call->field);
    } else {
        gfp_release(call->allocator, block, bytes, 1);
    }
    gfp_call_give(call, bytes);
}

gfp_status gfp_call_array(gfp_call *call, uint64_t **x, size_t n)
{
    if (n > SIZE_MAX / 32) {
        return GFP_ERR_SIZE;
    }
    n = (n + ALIGN_WORDS - 1) / ALIGN_WORDS * ALIGN_WORDS;
    if (call->block == NULL || call->block->words - call->block->used < n) {
        GFP_TRY(add_block(call, n > 0 ? n : ALIGN_WORDS));
    }
    *x = call->block->data + call->block->used;
    call->block->used += n;
    const size_t all = gfp_call_words(call);
    call->peak = all > call->peak ? all : call->peak;
    return GFP_OK;
}

size_t gfp_call_words(const gfp_call *call)
{
    return call->block == NULL ? 0 : call->block->used_before + call->block->used;
}

gfp_call_mark gfp_call_mark_here(const gfp_call *call)
{
    return (gfp_call_mark){call->block, call->block == NULL ? 0 : call->block->used};
}

void gfp_call_release(gfp_call *call, gfp_call_mark mark)
{
    while (call->block != mark.block) {
        release_block(call);
    }
    if (call->block != NULL) {
        call->block->used = mark.used;
    }
}

/* ---- products and other calls without arrays ---- */

gfp_task *gfp_call_task(gfp_call *call, unsigned threads)
{
    const gfp_options *options = call->options;
    call->task.threads = threads;
    return options->progress == NULL && threads <= 1 && options->gpu_device == 0 &&
                   options->gpu_memory_cap == 0 && options->gpu_count <= 1
               ? NULL
               : &call->task;
}

double gfp_call_share(gfp_verify verify)
{
    return verify == GFP_VERIFY_CROSS ? 0.5 : verify == GFP_VERIFY_POINT ? 0.95 : 1;
}
