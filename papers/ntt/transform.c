/* transform.c: transforms and convolutions over word-size primes: the order of the data around the
 * kernels, and the frame of the public calls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fft/call.h"
#include "papers/ntt/impl.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* ---- steps by threads ---- */

typedef struct share {
    gfp_ntt_part *part;
    const gfp_ntt_job *job;
    double units; /* of an item */
} share;

static gfp_status run_share(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const share *s = user;
    const size_t block = gfp_task_block(s->units * GFP_NTT_UNIT_COST);
    (void)worker;
    for (size_t i = from; i < to; i += block) {
        const size_t m = gfp_size_min(to - i, block);
        s->part(s->job, i, i + m);
        if (!gfp_task_advance(task, (double)m * s->units)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The items of a chunk are a multiple of this number, so that chunks of points are whole lines. */
#define CHUNK_ITEMS ((size_t)8)

bool gfp_ntt_share(gfp_task *task, gfp_ntt_part *part, const gfp_ntt_job *job, size_t items,
                   double units)
{
    share s = {part, job, units};
    const gfp_parallel loop = {.run = run_share, .job = &s};
    const double least = job->least / units;
    size_t chunk = gfp_parallel_chunk(task, items, 4);
    if ((double)chunk < least) {
        chunk = (size_t)least;
    }
    if (chunk >= CHUNK_ITEMS) {
        chunk = (chunk + CHUNK_ITEMS - 1) / CHUNK_ITEMS * CHUNK_ITEMS;
    }
    return gfp_parallel_for(&loop, task, items, chunk) == GFP_OK;
}

unsigned gfp_ntt_threads(const gfp_ntt_plan *plan, double units, unsigned threads)
{
    const double shares = threads <= 1 ? 1 : units / plan->least;
    return shares >= threads ? threads : shares < 1 ? 1 : (unsigned)shares;
}

/* Runs a part that goes over all points; items are vectors. */
static bool over_points(const gfp_ntt_plan *plan, gfp_task *task, gfp_ntt_part *part,
                        const gfp_ntt_job *job)
{
    const unsigned lanes = plan->kernels->lanes;
    return gfp_ntt_step(task, part, job, plan->n >> gfp_ctz64(lanes), (double)lanes);
}

static gfp_ntt_job job_of(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x,
                          const gfp_ntt_powers *table)
{
    return (gfp_ntt_job){.modulus = &plan->modulus,
                         .y = y,
                         .x = x,
                         .n = plan->n,
                         .table = table,
                         .tabulated = plan->form != GFP_NTT_COOLEY_TUKEY,
                         .least = plan->least};
}

static bool run_enter(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_task *task)
{
    const gfp_ntt_job job = job_of(plan, y, x, NULL);
    return over_points(plan, task, plan->kernels->enter, &job);
}

static bool run_leave(const gfp_ntt_plan *plan, uint64_t *y, gfp_task *task)
{
    const gfp_ntt_job job = job_of(plan, y, y, NULL);
    return over_points(plan, task, plan->kernels->leave, &job);
}

static bool run_leave_scaled(const gfp_ntt_plan *plan, uint64_t *y, gfp_task *task)
{
    const gfp_ntt_job job = job_of(plan, y, y, &plan->scale);
    return over_points(plan, task, plan->kernels->leave_scaled, &job);
}

static bool run_mul(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x, const uint64_t *y,
                    gfp_task *task)
{
    gfp_ntt_job job = job_of(plan, z, x, NULL);
    job.z = y;
    return over_points(plan, task, plan->kernels->mul, &job);
}

static bool run_reorder(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_task *task)
{
    const gfp_ntt_job job = job_of(plan, y, x, NULL);
    const unsigned bits = 2 * plan->kernels->tile_bits;
    const size_t items = plan->log2_n < bits ? 1 : plan->n >> bits;
    return gfp_ntt_step(task, plan->kernels->reorder, &job, items, (double)plan->n / (double)items);
}

/* ---- transforms; work is an area of n words for Stockham, unused by the other forms ---- */

/* How often Stockham's form moves from one array to the other; see impl.h. */
static unsigned stockham_moves(const gfp_ntt_plan *plan)
{
    const unsigned small = gfp_ctz64(plan->kernels->lanes);
    return (plan->log2_n - small + 1) / 2 + small;
}

/* y := the tabulated transform of x, in lazy residues, in natural order from natural order. */
static bool run_stockham(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, uint64_t *work,
                         const gfp_ntt_powers *table, gfp_task *task)
{
    const bool even = stockham_moves(plan) % 2 == 0;
    gfp_ntt_job job = job_of(plan, even ? y : work, NULL, table);
    job.other = even ? work : y;
    return run_enter(plan, job.y, x, task) && plan->kernels->stockham(&job, task);
}

/* The order of Cooley and Tukey: bit reversal, then the levels. */
static bool run_dit(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, bool reorder,
                    const gfp_ntt_powers *table, gfp_task *task)
{
    gfp_ntt_job job = job_of(plan, y, y, table);
    return run_enter(plan, y, x, task) && (!reorder || run_reorder(plan, y, y, task)) &&
           plan->kernels->dit(&job, task);
}

bool gfp_ntt_run_forward(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, gfp_order order,
                         uint64_t *work, gfp_task *task)
{
    const gfp_ntt_kernels *k = plan->kernels;
    const bool natural = order == GFP_ORDER_NATURAL;
    gfp_ntt_job job = job_of(plan, y, x, &plan->forward);
    if (plan->form == GFP_NTT_BLOCKED) {
        return k->blocked(&job, task) && (!natural || run_reorder(plan, y, y, task));
    }
    if (plan->form == GFP_NTT_STOCKHAM) {
        return run_stockham(plan, y, x, work, &plan->forward, task) && run_leave(plan, y, task) &&
               (natural || run_reorder(plan, y, y, task));
    }
    if (natural) {
        return run_dit(plan, y, x, true, &plan->forward, task) && run_leave(plan, y, task);
    }
    /* The same levels in reverse: natural order in, permuted order out. */
    return run_enter(plan, y, x, task) && k->dif(&job, task) && run_leave(plan, y, task);
}

/* x := N times the inverse, in lazy residues. */
static bool run_inverse_levels(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y,
                               bool natural, uint64_t *work, gfp_task *task)
{
    const bool stockham = plan->form == GFP_NTT_STOCKHAM;
    if (!stockham && plan->form != GFP_NTT_BLOCKED) {
        return run_dit(plan, x, y, natural, &plan->inverse, task);
    }
    if (natural != stockham) {
        if (!run_reorder(plan, x, y, task)) {
            return false;
        }
        y = x;
    }
    gfp_ntt_job job = job_of(plan, x, y, &plan->inverse);
    return stockham ? run_stockham(plan, x, y, work, &plan->inverse, task)
                    : plan->kernels->blocked_inverse(&job, task);
}

bool gfp_ntt_run_inverse(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y, gfp_order order,
                         uint64_t *work, gfp_task *task)
{
    return run_inverse_levels(plan, x, y, order == GFP_ORDER_NATURAL, work, task) &&
           run_leave_scaled(plan, x, task);
}

/* The order of the form's result without bit reversal. */
static gfp_order own_order(const gfp_ntt_plan *plan)
{
    return plan->form == GFP_NTT_STOCKHAM ? GFP_ORDER_NATURAL : GFP_ORDER_PERMUTED;
}

double gfp_ntt_units(const gfp_ntt_plan *plan, bool inverse, gfp_order order)
{
    unsigned others =
        order != own_order(plan) ? 1 : 0; /* passes over the points besides the levels */
    others += plan->form != GFP_NTT_BLOCKED ? 2 : inverse ? 1 : 0;
    return (double)plan->n * (plan->log2_n + others);
}

/* ---- work areas ---- */

size_t gfp_ntt_workspace(const gfp_ntt_plan *plan)
{
    return plan->form == GFP_NTT_STOCKHAM ? plan->n * sizeof(uint64_t) : 0;
}

size_t gfp_ntt_convolution_workspace(const gfp_ntt_plan *plan)
{
    return gfp_ntt_workspace(plan) + plan->n * sizeof(uint64_t);
}

/* A running call: its frame and its work area. */
typedef struct ntt_call {
    const gfp_ntt_plan *plan;
    gfp_fft_call frame;
    size_t bytes; /* of the work area; 0: the caller's, or none */
    uint64_t *area;
    int rounding;
} ntt_call;

/* Allocates the work area. */
static gfp_status take_area(ntt_call *call, size_t bytes)
{
    const gfp_options *options = call->frame.options;
    if (options->memory_cap != 0 && bytes > options->memory_cap) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "a transform needs %zu bytes of work space, the cap is %zu", bytes,
                             options->memory_cap);
    }
    call->area = gfp_allocate(&call->plan->allocator, bytes, 1);
    if (call->area == NULL) {
        return gfp_error_set(options->error, GFP_ERR_MEMORY,
                             "no memory for %zu bytes of work space", bytes);
    }
    call->bytes = bytes;
    return GFP_OK;
}

static gfp_status end(ntt_call *call, bool completed)
{
    gfp_rounding_end(call->rounding);
    if (call->bytes > 0) {
        gfp_release(&call->plan->allocator, call->area, call->bytes, 1);
    }
    return gfp_fft_call_end(&call->frame, completed);
}

/* Reads the options and takes a work area of `bytes` bytes, the caller's unless work is NULL. A
 * call that was not begun is not ended. */
static gfp_status begin(ntt_call *call, const gfp_ntt_plan *plan, void *work, size_t bytes,
                        double units, const gfp_options *options)
{
    call->plan = plan;
    call->area = work;
    call->bytes = 0;
    GFP_TRY(gfp_fft_call_read(&call->frame, gfp_ntt_form_name(plan->form), options));
    if (work == NULL && bytes > 0) {
        GFP_TRY(take_area(call, bytes));
    }
    call->frame.threads = gfp_ntt_threads(
        plan, units, gfp_parallel_threads_in(plan->process, call->frame.options->threads));
    call->rounding = gfp_rounding_begin();
    return gfp_fft_call_start(&call->frame, units, GFP_NTT_UNIT_COST) ? GFP_OK : end(call, false);
}

gfp_status gfp_ntt_forward(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x,
                           gfp_order order, void *work, const gfp_options *options)
{
    ntt_call call;
    GFP_TRY(begin(&call, plan, work, gfp_ntt_workspace(plan), gfp_ntt_units(plan, false, order),
                  options));
    return end(&call, gfp_ntt_run_forward(plan, y, x, order, call.area, call.frame.task));
}

gfp_status gfp_ntt_inverse(const gfp_ntt_plan *plan, uint64_t *x, const uint64_t *y,
                           gfp_order order, void *work, const gfp_options *options)
{
    ntt_call call;
    GFP_TRY(begin(&call, plan, work, gfp_ntt_workspace(plan), gfp_ntt_units(plan, true, order),
                  options));
    return end(&call, gfp_ntt_run_inverse(plan, x, y, order, call.area, call.frame.task));
}

/* ---- convolutions ---- */

void gfp_ntt_mul_pointwise(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x,
                           const uint64_t *y)
{
    const int rounding = gfp_rounding_begin();
    (void)run_mul(plan, z, x, y, NULL);
    gfp_rounding_end(rounding);
}

/* Returns the units of a convolution: two or three transforms, a product, and, by weights, three or
 * four steps on all points. */
static double convolution_units(const gfp_ntt_plan *plan, bool square, bool weights)
{
    const gfp_order order = own_order(plan);
    const double n = (double)plan->n;
    return gfp_ntt_units(plan, false, order) * (square ? 1 : 2) + gfp_ntt_units(plan, true, order) +
           n + (weights ? n * (square ? 2 : 3) : 0);
}

/* c := a b mod X^N - 1. other has room for n words, followed by the work area of the transforms. */
static bool convolve(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a, const uint64_t *b,
                     uint64_t *other, gfp_task *task)
{
    const gfp_order order = own_order(plan);
    uint64_t *work = other + plan->n;
    return (a == b || gfp_ntt_run_forward(plan, other, b, order, work, task)) &&
           gfp_ntt_run_forward(plan, c, a, order, work, task) &&
           run_mul(plan, c, c, a != b ? other : c, task) &&
           gfp_ntt_run_inverse(plan, c, c, order, work, task);
}

gfp_status gfp_ntt_convolve_cyclic(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                                   const uint64_t *b, void *work, const gfp_options *options)
{
    ntt_call call;
    GFP_TRY(begin(&call, plan, work, gfp_ntt_convolution_workspace(plan),
                  convolution_units(plan, a == b, false), options));
    return end(&call, convolve(plan, c, a, b, call.area, call.frame.task));
}

/* The subtree of block 1, which evaluates at the roots of X^N + 1. */
static bool run_negacyclic(const gfp_ntt_plan *plan, uint64_t *y, const uint64_t *x, bool inverse,
                           gfp_task *task)
{
    gfp_ntt_job job = job_of(plan, y, x, inverse ? &plan->inverse : &plan->forward);
    job.g = 1;
    return (inverse ? plan->kernels->blocked_inverse : plan->kernels->blocked)(&job, task);
}

static bool convolve_blocked(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, uint64_t *other, gfp_task *task)
{
    return (a == b || run_negacyclic(plan, other, b, false, task)) &&
           run_negacyclic(plan, c, a, false, task) &&
           run_mul(plan, c, c, a != b ? other : c, task) &&
           run_negacyclic(plan, c, c, true, task) && run_leave_scaled(plan, c, task);
}

/* y_i := x_i w^i; w is entry 0 of the table, as it is. Items are points. */
static void weigh_part(const gfp_ntt_job *job, size_t from, size_t to)
{
    const uint64_t q = job->modulus->q, w = job->table->w[0];
    const uint64_t companion = gfp_shoup_companion(w, q);
    uint64_t power = gfp_mod_pow(w, from, q);
    for (size_t i = from; i < to; i++) {
        job->y[i] = gfp_mod_mul(job->x[i], power, q);
        power = gfp_shoup_mul(power, w, companion, q);
        power = power >= q ? power - q : power;
    }
}

static bool weigh(const gfp_ntt_plan *plan, uint64_t *z, const uint64_t *x, uint64_t w,
                  gfp_task *task)
{
    const gfp_ntt_powers weight = {&w, NULL};
    const gfp_ntt_job job = job_of(plan, z, x, &weight);
    return gfp_ntt_step(task, weigh_part, &job, plan->n, 1);
}

/* With theta = w_2N: for c = a b mod X^N + 1, a(theta X) b(theta X) mod X^N - 1 is c(theta X). */
static bool convolve_weighed(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                             const uint64_t *b, uint64_t *other, gfp_task *task)
{
    const uint64_t q = plan->modulus.q, inverse = gfp_mod_pow(plan->theta, q - 2, q);
    return (a == b || weigh(plan, other, b, plan->theta, task)) &&
           weigh(plan, c, a, plan->theta, task) &&
           convolve(plan, c, c, a == b ? c : other, other, task) &&
           weigh(plan, c, c, inverse, task);
}

gfp_status gfp_ntt_convolve_negacyclic(const gfp_ntt_plan *plan, uint64_t *c, const uint64_t *a,
                                       const uint64_t *b, void *work, const gfp_options *options)
{
    const bool blocked = plan->form == GFP_NTT_BLOCKED;
    ntt_call call;
    if (!plan->negacyclic) {
        return gfp_error_set(options == NULL ? NULL : options->error, GFP_ERR_NO_ROOT,
                             "no root of order 2N modulo the prime, N = %zu", plan->n);
    }
    GFP_TRY(begin(&call, plan, work, gfp_ntt_convolution_workspace(plan),
                  convolution_units(plan, a == b, !blocked), options));
    return end(&call, (blocked ? convolve_blocked : convolve_weighed)(plan, c, a, b, call.area,
                                                                      call.frame.task));
}
