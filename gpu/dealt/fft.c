/* fft.c: one transform dealt over several contexts. N = P S; member i has the rows of elements from
 * i N / g on, which are its block. Forward, each member copies its share of the columns from all
 * blocks, takes them through the first pass, and sends the members' rows of them back; the other
 * passes are each member's own. The inverse goes back. Columns are taken in groups, so that the
 * links work while groups are computed: the queue of uploads has the copies to a member, that of
 * downloads the copies from it.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gpu/call.h"
#include "gpu/dealt/dealt.h"

/* The most groups of columns, and the least bytes of a group. To enqueue a group takes a member
 * some 20 us. */
#define MOST_GROUPS ((size_t)8)
#define LEAST_BYTES ((size_t)16 << 20)

static const gfp_gpu_queue MAIN = GFP_GPU_QUEUE_MAIN, IN = GFP_GPU_QUEUE_UPLOAD,
                           OUT = GFP_GPU_QUEUE_DOWNLOAD;

struct gfp_gpu_dealt_fft_plan {
    gfp_allocator allocator;
    gfp_gpu_dealt_group group;
    size_t n, rows, row, bytes; /* N, P, S, and the bytes of N elements */
    size_t groups;
    gfp_gpu_fft_plan *plans[GFP_GPU_MOST_MEMBERS];
    uint64_t *t[GFP_GPU_MOST_MEMBERS], *x[GFP_GPU_MOST_MEMBERS]; /* of all elements each */
};

typedef struct transform {
    gfp_gpu_dealt_fft_plan *plan;
    const gfp_gpu_dealt_group *group;
    gfp_gpu_blocks x, y;
} transform;

/* Columns from <= u < to. */
typedef struct columns {
    size_t from, to;
} columns;

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
    plan->groups = gfp_size_min(MOST_GROUPS, plan->bytes / members / LEAST_BYTES + 1);
    plan->groups = gfp_size_min(plan->groups, plan->row / members);
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

/* ---- columns ---- */

/* Group g of the columns of member i. */
static columns columns_of(const gfp_gpu_dealt_fft_plan *plan, unsigned i, size_t g)
{
    const size_t each = plan->row / plan->group.count, first = i * each;
    return (columns){first + each * g / plan->groups, first + each * (g + 1) / plan->groups};
}

static const gfp_gpu_fft_share_calls *shares_of(const gfp_gpu_dealt_fft_plan *plan, unsigned i)
{
    return plan->plans[i]->engine->share;
}

/* The columns of one block, which has P / g rows; from and to have places for rows of S. */
static gfp_gpu_dealt_rows block_rows(const gfp_gpu_dealt_fft_plan *plan, columns c)
{
    return (gfp_gpu_dealt_rows){c.to - c.from, plan->rows / plan->group.count, plan->row,
                                plan->row};
}

/* Copies columns to member i's t: from the blocks x, or if they are NULL from the rows that the
 * other members have in their t. */
static gfp_status gather_columns(const transform *f, unsigned i, columns c, const gfp_gpu_blocks *x)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const gfp_gpu_dealt_member *m = &f->group->members[i];
    const size_t k = f->group->k, each = plan->n / f->group->count;
    for (unsigned step = 0; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        const uint64_t *from = x != NULL ? x->block[j] : plan->t[j] + j * each * k;
        if (x != NULL || j != i) {
            GFP_TRY(gfp_gpu_dealt_copy(f->group, i, IN, plan->t[i] + (j * each + c.from) * k,
                                       from + c.from * k, block_rows(plan, c)));
        }
    }
    GFP_TRY(gfp_gpu_dealt_set(m, m->read, IN));
    return gfp_gpu_dealt_hold(m, MAIN, m->read);
}

/* Sends columns of member i's array `from` to the blocks of all members in `to`. */
static gfp_status scatter_columns(const transform *f, unsigned i, columns c, const uint64_t *from,
                                  uint64_t *const *to)
{
    const gfp_gpu_dealt_fft_plan *plan = f->plan;
    const size_t k = f->group->k, each = plan->n / f->group->count;
    for (unsigned step = 0; step < f->group->count; step++) {
        const unsigned j = (i + step) % f->group->count;
        if (to[j] != NULL) {
            GFP_TRY(gfp_gpu_dealt_copy(f->group, i, OUT, to[j] + c.from * k,
                                       from + (j * each + c.from) * k, block_rows(plan, c)));
        }
    }
    return GFP_OK;
}

/* The copies from member i wait for what it has computed. */
static gfp_status follow_main(const transform *f, unsigned i)
{
    const gfp_gpu_dealt_member *m = &f->group->members[i];
    GFP_TRY(gfp_gpu_dealt_set(m, m->made, MAIN));
    return gfp_gpu_dealt_hold(m, OUT, m->made);
}

/* All that members send is there before member i goes on. */
static gfp_status hold_sent(const transform *f, unsigned i)
{
    for (unsigned j = 0; j < f->group->count; j++) {
        GFP_TRY(gfp_gpu_dealt_hold(&f->group->members[i], MAIN, f->group->members[j].sent));
    }
    return GFP_OK;
}

static gfp_status set_sent(const transform *f)
{
    for (unsigned i = 0; i < f->group->count; i++) {
        const gfp_gpu_dealt_member *m = &f->group->members[i];
        GFP_GPU_DEALT_TRY(f->group, i, false, gfp_gpu_dealt_set(m, m->sent, OUT));
    }
    return GFP_OK;
}

/* ---- forward ---- */

static gfp_status forward_columns(const transform *f, unsigned i, size_t g)
{
    gfp_gpu_dealt_fft_plan *plan = f->plan;
    const columns c = columns_of(plan, i, g);
    uint64_t *to[GFP_GPU_MOST_MEMBERS] = {NULL};
    for (unsigned j = 0; j < f->group->count; j++) {
        const size_t at = j * (plan->n / f->group->count) * f->group->k;
        to[j] = j == i ? NULL : plan->t[j] + at; /* its own rows are there */
    }
    GFP_TRY(gather_columns(f, i, c, &f->x));
    GFP_TRY(shares_of(plan, i)->columns(plan->plans[i], plan->t[i], c.from, c.to));
    GFP_TRY(follow_main(f, i));
    return scatter_columns(f, i, c, plan->t[i], to);
}

static gfp_status forward_rows(const transform *f, unsigned i)
{
    gfp_gpu_dealt_fft_plan *plan = f->plan;
    const size_t each = plan->n / f->group->count;
    GFP_TRY(hold_sent(f, i));
    return shares_of(plan, i)->rows(plan->plans[i], f->y.block[i], plan->t[i], i * each,
                                    (i + 1) * each);
}

static gfp_status run_forward(const transform *f)
{
    for (size_t g = 0; g < f->plan->groups; g++) {
        for (unsigned i = 0; i < f->group->count; i++) {
            GFP_GPU_DEALT_TRY(f->group, i, false, forward_columns(f, i, g));
        }
    }
    GFP_TRY(set_sent(f));
    for (unsigned i = 0; i < f->group->count; i++) {
        GFP_GPU_DEALT_TRY(f->group, i, false, forward_rows(f, i));
    }
    return GFP_OK;
}

/* ---- back ---- */

static gfp_status inverse_rows(const transform *f, unsigned i)
{
    gfp_gpu_dealt_fft_plan *plan = f->plan;
    const gfp_gpu_dealt_member *m = &f->group->members[i];
    const size_t each = plan->n / f->group->count;
    GFP_TRY(shares_of(plan, i)->rows_back(plan->plans[i], plan->t[i], f->y.block[i], i * each,
                                          (i + 1) * each));
    return gfp_gpu_dealt_set(m, m->made, MAIN);
}

/* The columns of the result are those of t mirrored: -u mod S. */
static gfp_status inverse_columns(const transform *f, unsigned i, size_t g)
{
    gfp_gpu_dealt_fft_plan *plan = f->plan;
    const columns c = columns_of(plan, i, g);
    const size_t row = plan->row;
    GFP_TRY(gather_columns(f, i, c, NULL));
    GFP_TRY(shares_of(plan, i)->columns_back(plan->plans[i], plan->x[i], plan->t[i], c.from, c.to));
    GFP_TRY(follow_main(f, i));
    if (c.from == 0) {
        const columns zero = {0, 1}, rest = {row - (c.to - 1), row};
        GFP_TRY(scatter_columns(f, i, zero, plan->x[i], f->x.block));
        return scatter_columns(f, i, rest, plan->x[i], f->x.block);
    }
    const columns mirrored = {row - (c.to - 1), row - (c.from - 1)};
    return scatter_columns(f, i, mirrored, plan->x[i], f->x.block);
}

static gfp_status hold_made(const transform *f, unsigned i)
{
    for (unsigned j = 0; j < f->group->count; j++) {
        GFP_TRY(gfp_gpu_dealt_hold(&f->group->members[i], IN, f->group->members[j].made));
    }
    return GFP_OK;
}

static gfp_status run_inverse(const transform *f)
{
    for (unsigned i = 0; i < f->group->count; i++) {
        GFP_GPU_DEALT_TRY(f->group, i, false, inverse_rows(f, i));
    }
    for (unsigned i = 0; i < f->group->count; i++) {
        GFP_GPU_DEALT_TRY(f->group, i, false, hold_made(f, i));
    }
    for (size_t g = 0; g < f->plan->groups; g++) {
        for (unsigned i = 0; i < f->group->count; i++) {
            GFP_GPU_DEALT_TRY(f->group, i, false, inverse_columns(f, i, g));
        }
    }
    GFP_TRY(set_sent(f));
    for (unsigned i = 0; i < f->group->count; i++) {
        GFP_GPU_DEALT_TRY(f->group, i, false, hold_sent(f, i));
    }
    return GFP_OK;
}

/* ---- transforms ---- */

/* y from x, or with `inverse` x from y. The blocks of the result are those of the other, or lie
 * apart. */
static gfp_status dealt_transform(gfp_gpu_array *const *y, gfp_gpu_array *const *x, bool inverse,
                                  gfp_gpu_dealt_fft_plan *plan)
{
    transform f = {.plan = plan, .group = &plan->group};
    const size_t words = plan->n / plan->group.count * plan->group.k;
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
        status = inverse ? run_inverse(&f) : run_forward(&f);
    }
    status = status == GFP_OK ? gfp_gpu_dealt_join(f.group) : status;
    if (status != GFP_OK) {
        gfp_gpu_dealt_wait(f.group); /* members may still write to each other's memory */
    }
    return status;
}

gfp_status gfp_gpu_dealt_fft_forward(gfp_gpu_array *const *y, gfp_gpu_array *const *x,
                                     gfp_gpu_dealt_fft_plan *plan, const gfp_options *options)
{
    if (y == NULL || x == NULL || plan == NULL) {
        return gfp_gpu_dealt_refuse("a dealt transform", options);
    }
    GFP_GPU_CALL("dealt transform", plan->group.members[0].gpu, options,
                 dealt_transform(y, x, false, plan));
}

gfp_status gfp_gpu_dealt_fft_inverse(gfp_gpu_array *const *x, gfp_gpu_array *const *y,
                                     gfp_gpu_dealt_fft_plan *plan, const gfp_options *options)
{
    if (y == NULL || x == NULL || plan == NULL) {
        return gfp_gpu_dealt_refuse("a dealt inverse transform", options);
    }
    GFP_GPU_CALL("dealt inverse transform", plan->group.members[0].gpu, options,
                 dealt_transform(y, x, true, plan));
}
