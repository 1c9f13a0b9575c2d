/* boxes.c: boxes of the real solutions of a system: real roots of the parts, and enclosures of
 * both coordinates there, refined until the boxes are small and disjoint.
 *
 * A real root of a part is T of a solution with rational, and so real, functions of T for
 * coordinates; T of a real solution is real.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>

#include "gfpoly/zsystem.h"
#include "gfpoly/zvec_gmp.h"
#include "modular/system/roots.h"

#define MOST_BITS ((size_t)1 << 30)

void gfp_zboxes_init(gfp_zboxes *b, gfp_zring *ring)
{
    *b = (gfp_zboxes){.ring = ring};
    gfp_zvec_init(&b->bounds, ring);
}

void gfp_zboxes_clear(gfp_zboxes *b)
{
    gfp_zvec_clear(&b->bounds);
    gfp_release(&b->ring->allocator, b->part, b->count, sizeof *b->part);
    gfp_zboxes_init(b, b->ring);
}

/* ---- one box ---- */

typedef struct box {
    __mpz_struct bound[4]; /* times 2^scale */
    size_t part;
} box;

/* The real roots of all parts, and their boxes. */
typedef struct work {
    gfp_zcall *call;
    const gfp_zsystem *s;
    gfp_zvec *rest; /* of each part: f without the rational roots */
    gfp_zroots roots;
    box *boxes;
    size_t scale;
    size_t precision, part; /* the bits that the last root needed, one of this part */
} work;

typedef struct ranges {
    gfp_zrange x, y, q;
} ranges;

/* low, high := an enclosure of a / q times 2^scale, q > 0. */
static void boxes_quotient(mpz_ptr low, mpz_ptr high, const gfp_zrange *a, const gfp_zrange *q,
                           size_t scale)
{
    mpz_mul_2exp(low, a->low, scale);
    mpz_fdiv_q(low, low, mpz_sgn(low) >= 0 ? q->high : q->low);
    mpz_mul_2exp(high, a->high, scale);
    mpz_cdiv_q(high, high, mpz_sgn(high) >= 0 ? q->low : q->high);
}

static void boxes_negate(gfp_zrange *z)
{
    mpz_swap(z->low, z->high);
    mpz_neg(z->low, z->low);
    mpz_neg(z->high, z->high);
}

static bool is_small(const box *b)
{
    bool small = true;
    mpz_t side;
    mpz_init(side);
    for (unsigned i = 0; i < 4; i += 2) {
        mpz_sub(side, &b->bound[i + 1], &b->bound[i]);
        small = small && mpz_cmp_ui(side, 4) <= 0;
    }
    mpz_clear(side);
    return small;
}

static size_t boxes_greatest(size_t a, size_t b, size_t c)
{
    const size_t most = a > b ? a : b;
    return most > c ? most : c;
}

/* Returns false if the root and the values must be known better. */
static bool boxes_enclose(const work *w, box *b, const gfp_zroot *root, ranges *r, size_t precision)
{
    const gfp_zsystem_part *part = &w->s->part[b->part];
    const size_t n = boxes_greatest(part->x.len, part->y.len, part->q.len) - 1;
    const size_t bits =
        boxes_greatest(gfp_zvec_bits(&part->x), gfp_zvec_bits(&part->y), gfp_zvec_bits(&part->q));
    const ptrdiff_t p = (ptrdiff_t)precision - (ptrdiff_t)bits;
    gfp_zroots_range(&r->q, root, &part->q, n, p);
    if (mpz_sgn(r->q.low) <= 0 && mpz_sgn(r->q.high) >= 0) {
        return false;
    }
    gfp_zroots_range(&r->x, root, &part->x, n, p);
    gfp_zroots_range(&r->y, root, &part->y, n, p);
    if (mpz_sgn(r->q.high) < 0) {
        boxes_negate(&r->q);
        boxes_negate(&r->x);
        boxes_negate(&r->y);
    }
    boxes_quotient(&b->bound[0], &b->bound[1], &r->x, &r->q, w->scale);
    boxes_quotient(&b->bound[2], &b->bound[3], &r->y, &r->q, w->scale);
    return is_small(b);
}

/* Makes box i small, 4 / 2^scale. */
static gfp_status make_box(work *w, size_t i)
{
    ranges r;
    box *b = &w->boxes[i];
    gfp_zroot *root = &w->roots.root[i];
    const gfp_zvec *f = &w->rest[b->part];
    gfp_status status = GFP_OK;
    mpz_inits(r.x.low, r.x.high, r.y.low, r.y.high, r.q.low, r.q.high, NULL);
    const size_t least = w->scale + 32;
    if (w->part != b->part || w->precision < least) {
        w->precision = least;
        w->part = b->part;
    }
    for (; status == GFP_OK; w->precision += w->precision / 2) {
        /* Values near many roots are small: they need more bits than the root itself. */
        status = gfp_zroots_refine(w->call, root, f, least + (w->precision - least) / 4);
        if (status == GFP_OK && boxes_enclose(w, b, root, &r, w->precision + 64)) {
            break;
        }
        status = status == GFP_OK && !gfp_task_advance(&w->call->base.task, (double)f->len)
                     ? GFP_ERR_CANCELLED
                     : status;
    }
    mpz_clears(r.x.low, r.x.high, r.y.low, r.y.high, r.q.low, r.q.high, NULL);
    return status;
}

/* ---- all boxes ---- */

/* Whether the intervals i, i + 1 of the bounds have a common point. */
static bool boxes_meet(const box *a, const box *b, unsigned i)
{
    return mpz_cmp(&a->bound[i], &b->bound[i + 1]) <= 0 &&
           mpz_cmp(&b->bound[i], &a->bound[i + 1]) <= 0;
}

static bool are_disjoint(const work *w)
{
    for (size_t i = 0; i < w->roots.count; i++) {
        for (size_t j = 0; j < i; j++) {
            const box *a = &w->boxes[i], *b = &w->boxes[j];
            if (boxes_meet(a, b, 0) && boxes_meet(a, b, 2)) {
                return false;
            }
        }
    }
    return true;
}

static gfp_status make_boxes(work *w)
{
    const size_t n = w->roots.count;
    for (bool done = n == 0; !done; w->scale *= done ? 1 : 2) {
        /* A root, its values, four bounds: numbers of some times the bits. */
        GFP_TRY(gfp_call_take(&w->call->base, gfp_size_mul_sat(n, w->scale / 8 * 6 + 256)));
        GFP_TRY(gfp_zcall_step(w->call, (w->call->base.task.to + 1) / 2, (double)n, 1000));
        for (size_t i = 0; i < n; i++) {
            GFP_TRY(make_box(w, i));
        }
        done = are_disjoint(w);
    }
    return GFP_OK;
}

static int boxes_compare(const void *left, const void *right)
{
    const box *a = left, *b = right;
    const int by_x = mpz_cmp(&a->bound[0], &b->bound[0]);
    return by_x != 0 ? by_x : mpz_cmp(&a->bound[2], &b->bound[2]);
}

/* b := the boxes. */
static gfp_status boxes_deliver(work *w, gfp_zboxes *b)
{
    const size_t n = w->roots.count;
    uint64_t *memory;
    GFP_TRY(gfp_call_array(&w->call->base, &memory,
                           gfp_size_mul_sat(4 * n, sizeof(__mpz_struct) / sizeof *memory)));
    if (n > 0) {
        qsort(w->boxes, n, sizeof *w->boxes, boxes_compare);
        b->part = gfp_allocate(&b->ring->allocator, n, sizeof *b->part);
        if (b->part == NULL) {
            return GFP_ERR_MEMORY;
        }
    }
    b->count = n;
    b->scale = w->scale;
    __mpz_struct *all = (__mpz_struct *)(void *)memory;
    for (size_t i = 0; i < n; i++) {
        b->part[i] = w->boxes[i].part;
        memcpy(all + 4 * i, w->boxes[i].bound, sizeof w->boxes[i].bound);
    }
    return gfp_zvec_set_mpz(&b->bounds, all, 4 * n);
}

/* Boxes for the roots; frees their integers. */
static gfp_status with_boxes(work *w, gfp_zboxes *b)
{
    const size_t n = w->roots.count;
    uint64_t *memory;
    GFP_TRY(
        gfp_call_array(&w->call->base, &memory, gfp_size_mul_sat(n, sizeof(box) / sizeof *memory)));
    w->boxes = (box *)(void *)memory;
    for (size_t i = 0; i < n; i++) {
        w->boxes[i].part = w->roots.root[i].part;
        for (unsigned j = 0; j < 4; j++) {
            mpz_init(&w->boxes[i].bound[j]);
        }
    }
    gfp_status status = make_boxes(w);
    status = status == GFP_OK ? boxes_deliver(w, b) : status;
    for (size_t i = 0; i < n; i++) {
        for (unsigned j = 0; j < 4; j++) {
            mpz_clear(&w->boxes[i].bound[j]);
        }
    }
    return status;
}

static gfp_status find_roots(work *w)
{
    const gfp_zsystem *s = w->s;
    for (size_t i = 0; i < s->count; i++) {
        const double to = 0.8 * (double)(i + 1) / (double)s->count;
        const double n = (double)s->part[i].f.len;
        GFP_TRY(gfp_zcall_step(w->call, to, 20 * n * n, 1));
        bool many = false;
        GFP_TRY(gfp_zroots_isolate(w->call, &w->roots, &s->part[i].f, i, &many));
        if (!many) {
            GFP_TRY(gfp_zvec_set(&w->rest[i], &s->part[i].f));
            continue;
        }
        GFP_TRY(gfp_zroots_split(w->call, &w->roots, &w->rest[i], &s->part[i].f, i));
        if (w->rest[i].len > 1) {
            GFP_TRY(gfp_zroots_isolate(w->call, &w->roots, &w->rest[i], i, NULL));
        }
    }
    return GFP_OK;
}

static gfp_status boxes_compute(work *w, gfp_zboxes *b)
{
    uint64_t *memory;
    const size_t n = w->s->count;
    GFP_TRY(gfp_call_array(&w->call->base, &memory,
                           gfp_size_mul_sat(n, sizeof(gfp_zvec) / sizeof *memory)));
    w->rest = (gfp_zvec *)(void *)memory;
    for (size_t i = 0; i < n; i++) {
        gfp_zvec_init(&w->rest[i], w->s->ring);
    }
    gfp_status status = find_roots(w);
    status = status == GFP_OK ? with_boxes(w, b) : status;
    for (size_t i = 0; i < n; i++) {
        gfp_zvec_clear(&w->rest[i]);
    }
    return status == GFP_OK ? gfp_call_finish(&w->call->base) : status;
}

static gfp_status boxes_run(gfp_zcall *call, gfp_zboxes *b, const gfp_zsystem *s, size_t bits)
{
    gfp_zring *const rings[] = {GFP_ZRING(s), GFP_ZRING(b)};
    gfp_zboxes made;
    GFP_TRY(gfp_zcall_start(call, rings, 2));
    if (bits > MOST_BITS) {
        return gfp_error_set(&call->base.error, GFP_ERR_SIZE, "%s: more than %zu bits",
                             call->base.name, MOST_BITS);
    }
    gfp_zboxes_init(&made, call->ring);
    work w = {.call = call, .s = s, .roots = {.ring = call->ring}, .scale = bits + 2};
    const gfp_status status = boxes_compute(&w, &made);
    gfp_zroots_clear(&w.roots);
    if (status == GFP_OK) {
        const gfp_zboxes t = *b;
        *b = made;
        made = t;
    }
    gfp_zboxes_clear(&made);
    return status;
}

gfp_status gfp_zsystem_boxes(gfp_zboxes *b, const gfp_zsystem *s, size_t bits,
                             const gfp_options *options)
{
    gfp_zcall call;
    GFP_TRY(gfp_zcall_begin(&call, "boxes of a bivariate system", options));
    return gfp_call_end(&call.base, boxes_run(&call, b, s, bits));
}
