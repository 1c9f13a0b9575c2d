/* fft.c: one transform dealt over several contexts. N = P S; member i has the rows of elements from
 * i N / g on, which are its block. Forward, each member sends the others their columns of its rows,
 * takes its columns through the first pass, and sends the others their rows of them; the other
 * passes are each member's own. The inverse goes back. Columns and rows are taken in groups: the
 * links work while groups are computed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "gpu/dealt/dealt.h"

/* Copies to other members, and those of a member to itself, which take their own time. */
static const gfp_gpu_queue MAIN = GFP_GPU_QUEUE_MAIN, COPIES = GFP_GPU_QUEUE_UPLOAD,
                           OWN = GFP_GPU_QUEUE_DOWNLOAD;

struct gfp_gpu_dealt_fft_plan {
    gfp_allocator allocator;
    gfp_gpu_dealt_group group;
    size_t n, rows, row, bytes; /* N, P, S, and the bytes of N elements */
    size_t groups;              /* of columns, and of rows: 1 or 2 */
    gfp_gpu_fft_plan *plans[GFP_GPU_MOST_MEMBERS];
    uint64_t *t[GFP_GPU_MOST_MEMBERS], *x[GFP_GPU_MOST_MEMBERS]; /* of all elements each */
};

typedef struct transform {
    gfp_gpu_dealt_fft_plan *plan;
    const gfp_gpu_dealt_group *group;
    gfp_gpu_blocks x, y;
} transform;

/* Columns, or rows, from <= u < to. */
typedef struct span {
    size_t from, to;
} span;

/* ---- plans ---- */

static gfp_status open_member(gfp_gpu_dealt_fft_plan *plan, unsigned i)
{
    gfp_gpu *gpu = plan->group.members[i].gpu;
    const unsigned count = plan->group.count;
    GFP_TRY(gfp_gpu_fft_plan_create(&plan->plans[i], gpu, plan->group.field, plan->n, NULL, NULL));
    const gfp_gpu_fft_share_calls *share = plan->plans[i]->engine->share;
    const unsigned log2_rows = share == NULL ? 0 : share->log2_rows(plan->plans[i]);
    plan->rows = (size_t)1 << log2_rows;
    plan->row = plan->n >> log2_rows;
    if (log2_rows == 0 || plan->rows % count != 0 || plan->row < count) {
        return GFP_GPU_FAIL(gpu, GFP_ERR_UNAVAILABLE,
                            "a transform of length %zu over %s cannot be dealt over %u members",
                            plan->n, gfp_field_name(plan->group.field), count);
    }
    GFP_TRY(gfp_gpu_device_allocate(gpu, (void **)&plan->t[i], plan->bytes));
    return gfp_gpu_device_allocate(gpu, (void **)&plan->x[i], plan->bytes);
}

static gfp_status open_plan(gfp_gpu_dealt_fft_plan *plan, gfp_gpu *const *gpus, size_t members,
                            const gfp_field *field)
{
    size_t words;
    GFP_TRY(gfp_gpu_dealt_open(&plan->group, gpus, members, field));
    if (!gfp_size_mul(&words, plan->n, plan->group.k) ||
        !gfp_size_mul(&plan->bytes, words, sizeof(uint64_t))) {
        return GFP_GPU_FAIL(gpus[0], GFP_ERR_SIZE, "a transform of length %zu is too large",
                            plan->n);
    }
    for (unsigned i = 0; i < plan->group.count; i++) {
        GFP_GPU_DEALT_TRY(&plan->group, i, true, open_member(plan, i));
    }
    const size_t least = gpus[0]->backend->exchange->group_bytes;
    const bool cut =
        plan->bytes / members >= least && plan->row >= 2 * members && plan->rows >= 4 * members;
    plan->groups = cut ? 2 : 1;
    return GFP_OK;
}

static gfp_status make_plan(gfp_gpu_dealt_fft_plan **plan, gfp_gpu *const *gpus, size_t members,
                            const gfp_field *field, size_t n)
{
    gfp_gpu_dealt_fft_plan *made = gfp_gpu_make(gpus[0], sizeof *made, "a plan");
    if (made == NULL) {
        return GFP_ERR_MEMORY;
    }
    made->allocator = gpus[0]->allocator;
    made->n = n;
    const gfp_status status = open_plan(made, gpus, members, field);
    if (status != GFP_OK) {
        gfp_gpu_dealt_fft_plan_destroy(made);
        return status;
    }
    *plan = made;
    return GFP_OK;
}

gfp_status gfp_gpu_dealt_fft_plan_create(gfp_gpu_dealt_fft_plan **plan, gfp_gpu *const *gpus,
                                         size_t members, const gfp_field *field, size_t n,
                                         const gfp_options *options)
{
    if (plan == NULL || !gfp_gpu_dealt_all(gpus, members)) {
        return gfp_gpu_dealt_refuse("a plan of dealt transforms", options);
    }
    GFP_GPU_CALL("plan of dealt transforms", gpus[0], options,
                 make_plan(plan, gpus, members, field, n));
}

void gfp_gpu_dealt_fft_plan_destroy(gfp_gpu_dealt_fft_plan *plan)
{
    if (plan == NULL) {
        return;
    }
    gfp_gpu_dealt_wait(&plan->group);
    for (unsigned i = 0; i < plan->group.count; i++) {
        gfp_gpu *gpu = plan->group.members[i].gpu;
        const int before = gfp_gpu_enter_to_destroy(gpu);
        gfp_gpu_device_release(gpu, plan->t[i], plan->bytes);
        gfp_gpu_device_release(gpu, plan->x[i], plan->bytes);
        (void)gfp_gpu_leave(gpu, before, GFP_OK);
        gfp_gpu_fft_plan_destroy(plan->plans[i]);
    }
    gfp_gpu_dealt_close(&plan->group);
    const gfp_allocator allocator = plan->allocator;
    gfp_release(&allocator, plan, 1, sizeof *plan);
}

/* ---- shares ---- */

/* Group g of the columns of member i: halves. */
static span columns_of(const gfp_gpu_dealt_fft_plan *plan, unsigned i, size_t g)
{
    const size_t each = plan->row / plan->group.count, first = i * each;
    return (span){first + each * g / plan->groups, first + each * (g + 1) / plan->groups};
}

/* All columns of member i. */
static span own_columns(const gfp_gpu_dealt_fft_plan *plan, unsigned i)
{
    const size_t each = plan->row / plan->group.count;
    return (span){i * each, (i + 1) * each};
}

/* Group g of the rows of member i. In time, a quarter is next to the columns: to copy the rest
 * takes about as long as to compute the quarter. */
static span rows_of(const gfp_gpu_dealt_fft_plan *plan, unsigned i, size_t g, bool inverse)
{
    const size_t each = plan->rows / plan->group.count, first = i * each;
    const size_t cut = plan->groups == 1 ? each : inverse ? each - each / 4 : each / 4;
    return g == 0 ? (span){first, first + cut} : (span){first + cut, first + each};
}

static const gfp_gpu_fft_share_calls *shares_of(const gfp_gpu_dealt_fft_plan *plan, unsigned i)
{
    return plan->plans[i]->engine->share;
}

/* Member i copies these rows of these columns. Row 0 is at `to` and at `from`. */
static gfp_status copy_rows(const transform *f, unsigned i, uint64_t *to, const uint64_t *from,
                            span rows, span columns)
{
    const size_t row = f->plan->row, at = (rows.from * row + columns.from) * f->group->k;
    const gfp_gpu_dealt_rows shape = {columns.to - columns.from, rows.to - rows.from, row};
    return gfp_gpu_dealt_copy(f->group, i, COPIES, to + at, from + at, shape);
}

/* Copies follow what the member has computed. */
static gfp_status follow_main(const transform *f, unsigned i)
{
    const gfp_gpu_dealt_member *m = &f->group->members[i];
    GFP_TRY(gfp_gpu_dealt_set(m, m->made, MAIN));
    GFP_TRY(gfp_gpu_dealt_hold(m, OWN, m->made));
    return gfp_gpu_dealt_hold(m, COPIES, m->made);
}

static gfp_status set_sent(const transform *f, unsigned i)
{
    const gfp_gpu_dealt_member *m = &f->group->members[i];
    GFP_TRY(gfp_gpu_dealt_set(m, m->read, OWN));
    return gfp_gpu_dealt_set(m, m->sent, COPIES);
}

/* What all members have sent so far, and what it copied itself, is there before member i goes on.
 */
static gfp_status hold_copies(const transform *f, unsigned i)
{
    GFP_TRY(gfp_gpu_dealt_hold(&f->group->members[i], MAIN, f->group->members[i].read));
    return gfp_gpu_dealt_hold_sent(f->group, i);
}

/* ---- forward ---- */

/* Member i sends all members their group of columns of its block of x. */
static gfp_status send_columns(const transform *f, unsigned i, size_t g)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const size_t row = plan->row, each = plan->rows / f->group->count, k = f->group->k;
    for (unsigned step = 0; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        const span c = columns_of(plan, j, g);
        const gfp_gpu_dealt_rows rows = {c.to - c.from, each, row};
        GFP_TRY(gfp_gpu_dealt_copy(f->group, i, j == i ? OWN : COPIES,
                                   plan->t[j] + (i * each * row + c.from) * k,
                                   f->x.block[i] + c.from * k, rows));
    }
    return set_sent(f, i);
}

static gfp_status forward_columns(const transform *f, unsigned i, size_t g)
{
    const span c = columns_of(f->plan, i, g);
    GFP_TRY(hold_copies(f, i));
    return shares_of(f->plan, i)->columns(f->plan->plans[i], f->plan->t[i], c.from, c.to);
}

/* Member i sends the others their group of rows of its columns. */
static gfp_status send_rows(const transform *f, unsigned i, size_t g)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    GFP_TRY(g == 0 ? follow_main(f, i) : GFP_OK);
    for (unsigned step = 1; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        GFP_TRY(copy_rows(f, i, plan->t[j], plan->t[i], rows_of(plan, j, g, false),
                          own_columns(plan, i)));
    }
    return set_sent(f, i);
}

static gfp_status forward_rows(const transform *f, unsigned i, size_t g)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const span r = rows_of(plan, i, g, false);
    const size_t before = (r.from - rows_of(plan, i, 0, false).from) * plan->row * f->group->k;
    GFP_TRY(hold_copies(f, i));
    return shares_of(plan, i)->rows(plan->plans[i], f->y.block[i] + before, plan->t[i],
                                    r.from * plan->row, r.to * plan->row);
}

/* A step of member i with group g. */
typedef gfp_status step_call(const transform *f, unsigned i, size_t g);

/* A step of all members, so that all work at once. */
static gfp_status run_step(const transform *f, step_call *step, size_t g)
{
    for (unsigned i = 0; i < f->group->count; i++) {
        GFP_GPU_DEALT_TRY(f->group, i, false, step(f, i, g));
    }
    return GFP_OK;
}

static gfp_status run_forward(const transform *f)
{
    for (size_t g = 0; g < f->plan->groups; g++) {
        GFP_TRY(run_step(f, send_columns, g));
        GFP_TRY(run_step(f, forward_columns, g));
    }
    for (size_t g = 0; g < f->plan->groups; g++) {
        GFP_TRY(run_step(f, send_rows, g));
        GFP_TRY(run_step(f, forward_rows, g));
    }
    return GFP_OK;
}

/* ---- back ---- */

/* A group of rows from the values, which then goes to the others. */
static gfp_status inverse_rows(const transform *f, unsigned i, size_t g)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const span r = rows_of(plan, i, g, true);
    const size_t before = (r.from - rows_of(plan, i, 0, true).from) * plan->row * f->group->k;
    GFP_TRY(shares_of(plan, i)->rows_back(plan->plans[i], plan->t[i], f->y.block[i] + before,
                                          r.from * plan->row, r.to * plan->row));
    GFP_TRY(follow_main(f, i));
    for (unsigned step = 1; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        GFP_TRY(copy_rows(f, i, plan->t[j], plan->t[i], r, own_columns(plan, j)));
    }
    return set_sent(f, i);
}

/* Sends columns of x to all blocks. */
static gfp_status send_result(const transform *f, unsigned i, span columns)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const size_t row = plan->row, each = plan->rows / f->group->count, k = f->group->k;
    const gfp_gpu_dealt_rows rows = {columns.to - columns.from, each, row};
    for (unsigned step = 0; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        GFP_TRY(gfp_gpu_dealt_copy(f->group, i, j == i ? OWN : COPIES,
                                   f->x.block[j] + columns.from * k,
                                   plan->x[i] + (j * each * row + columns.from) * k, rows));
    }
    return GFP_OK;
}

/* The columns of the result are those of t mirrored: -u mod S. */
static gfp_status inverse_columns(const transform *f, unsigned i, size_t g)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const span c = columns_of(plan, i, g);
    const size_t row = plan->row, first = c.from == 0 ? 1 : c.from;
    GFP_TRY(g == 0 ? hold_copies(f, i) : GFP_OK);
    GFP_TRY(shares_of(plan, i)->columns_back(plan->plans[i], plan->x[i], plan->t[i], c.from, c.to));
    GFP_TRY(follow_main(f, i));
    GFP_TRY(c.from == 0 ? send_result(f, i, (span){0, 1}) : GFP_OK);
    return send_result(f, i, (span){row - (c.to - 1), row - (first - 1)});
}

/* What the member sends comes before the end of the call. */
static gfp_status end_member(const transform *f, unsigned i, size_t g)
{
    (void)g;
    GFP_TRY(set_sent(f, i));
    GFP_TRY(gfp_gpu_dealt_hold(&f->group->members[i], MAIN, f->group->members[i].read));
    return gfp_gpu_dealt_hold(&f->group->members[i], MAIN, f->group->members[i].sent);
}

static gfp_status run_inverse(const transform *f)
{
    for (size_t g = 0; g < f->plan->groups; g++) {
        GFP_TRY(run_step(f, inverse_rows, g));
    }
    for (size_t g = 0; g < f->plan->groups; g++) {
        GFP_TRY(run_step(f, inverse_columns, g));
    }
    return run_step(f, end_member, 0);
}

/* ---- transforms ---- */

/* The blocks of y are those of x, or lie apart. */
static gfp_status dealt_transform(gfp_gpu_array *const *y, gfp_gpu_array *const *x,
                                  gfp_direction direction, gfp_gpu_dealt_fft_plan *plan)
{
    transform f = {.plan = plan, .group = &plan->group};
    const size_t words = plan->n / plan->group.count * plan->group.k;
    GFP_TRY(gfp_gpu_fft_check_direction(f.group->members[0].gpu, direction));
    GFP_TRY(gfp_gpu_dealt_blocks(f.group, x, plan->n, &f.x));
    GFP_TRY(gfp_gpu_dealt_blocks(f.group, y, plan->n, &f.y));
    for (unsigned i = 0; i < f.group->count; i++) {
        const gfp_status status =
            gfp_gpu_array_check_pair(f.group->members[i].gpu, y[i], words, x[i], words);
        if (status != GFP_OK) {
            return gfp_gpu_dealt_failed(f.group, i, status);
        }
    }
    gfp_status status = gfp_gpu_dealt_join(f.group);
    if (status == GFP_OK) {
        status = direction == GFP_INVERSE ? run_inverse(&f) : run_forward(&f);
    }
    status = status == GFP_OK ? gfp_gpu_dealt_join(f.group) : status;
    if (status != GFP_OK) {
        gfp_gpu_dealt_wait(f.group); /* members may still write to each other's memory */
    }
    return status;
}

gfp_status gfp_gpu_dealt_fft_run(gfp_gpu_array *const *y, gfp_gpu_array *const *x,
                                 gfp_direction direction, gfp_gpu_dealt_fft_plan *plan,
                                 const gfp_options *options)
{
    if (y == NULL || x == NULL || plan == NULL) {
        return gfp_gpu_dealt_refuse("a dealt transform", options);
    }
    GFP_GPU_CALL("dealt transform", plan->group.members[0].gpu, options,
                 dealt_transform(y, x, direction, plan));
}
