/* cut.c: see cut.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/cut.h"

#include "field/base/support.h"

/* ---- ranges ---- */

/* Keeps *len coefficients of the factor *x from number `from` on; NULL stands for a factor that is
 * not read. */
static void keep_part(const gfp_field *field, const uint64_t **x, size_t *len, size_t from,
                      size_t end)
{
    *x = *x == NULL ? NULL : *x + from * gfp_field_k(field);
    *len = end - from;
}

static void shift_down(gfp_range *r, size_t n)
{
    r->first -= n;
    r->end -= n;
}

/* a_i contributes to coefficients i <= c < i + len_b. */
void gfp_range_trim(gfp_range *r)
{
    if (gfp_range_is_whole(r)) {
        return;
    }
    const size_t from_a = r->first >= r->len_b ? r->first - (r->len_b - 1) : 0;
    const size_t from_b = r->first >= r->len_a ? r->first - (r->len_a - 1) : 0;
    keep_part(r->field, &r->a, &r->len_a, from_a, gfp_size_min(r->len_a, r->end));
    keep_part(r->field, &r->b, &r->len_b, from_b, gfp_size_min(r->len_b, r->end));
    shift_down(r, from_a + from_b);
}

gfp_range gfp_range_longer_first(const gfp_range *r)
{
    gfp_range range = *r;
    if (r->len_a < r->len_b) {
        range.a = r->b;
        range.b = r->a;
        range.len_a = r->len_b;
        range.len_b = r->len_a;
        range.bits_a = r->bits_b;
        range.bits_b = r->bits_a;
    }
    return range;
}

/* ---- pieces ---- */

/* *from, *end := part number i of `length` of first <= j < last. False: there is none. */
static bool part_of(size_t first, size_t last, size_t length, size_t i, size_t *from, size_t *end)
{
    if (i >= gfp_cut_count(last - first, length)) {
        return false;
    }
    *from = first + i * length;
    *end = *from + gfp_size_min(length, last - *from);
    return true;
}

bool gfp_cut_at(const gfp_cut *p, gfp_cut_piece *x, size_t a, size_t b, size_t stripe)
{
    gfp_range r = p->whole;
    size_t from_a, end_a, from_b, end_b, from, end;
    if (!part_of(0, r.len_a, p->length_a, a, &from_a, &end_a) ||
        !part_of(0, r.len_b, p->length_b, b, &from_b, &end_b) ||
        !part_of(r.first, r.end, p->width, stripe, &from, &end)) {
        return false;
    }
    r.first = from > from_a + from_b ? from : from_a + from_b;
    r.end = gfp_size_min(end, end_a + end_b - 1);
    if (r.first >= r.end) {
        return false;
    }
    *x = (gfp_cut_piece){.a = a, .b = b, .stripe = stripe, .at = r.first - p->whole.first};
    keep_part(r.field, &r.a, &r.len_a, from_a, end_a);
    keep_part(r.field, &r.b, &r.len_b, from_b, end_b);
    shift_down(&r, from_a + from_b);
    gfp_range_trim(&r);
    x->range = r;
    return true;
}

/* *first, *last := the parts of a that contribute, with a part of b, to a stripe. False: none
 * does. */
static bool contributing_parts(const gfp_cut *p, size_t b, size_t stripe, size_t *first,
                               size_t *last)
{
    const gfp_range *r = &p->whole;
    size_t from_b, end_b, from, end;
    if (!part_of(0, r->len_b, p->length_b, b, &from_b, &end_b) ||
        !part_of(r->first, r->end, p->width, stripe, &from, &end) || end <= from_b) {
        return false;
    }
    const size_t low = from >= end_b ? from - (end_b - 1) : 0;
    *first = low / p->length_a;
    *last = (gfp_size_min(end - from_b, r->len_a) - 1) / p->length_a;
    return low < r->len_a;
}

bool gfp_cut_next(const gfp_cut *p, gfp_cut_piece *x)
{
    const size_t parts = gfp_cut_count(p->whole.len_b, p->length_b);
    const size_t stripes = gfp_cut_count(p->whole.end - p->whole.first, p->width);
    size_t a = x->range.len_a == 0 ? 0 : x->a + 1, first, last;
    for (size_t b = x->b, stripe = x->stripe; b < parts; b++, stripe = 0) {
        for (; stripe < stripes; stripe++, a = 0) {
            if (contributing_parts(p, b, stripe, &first, &last) && a <= last) {
                return gfp_cut_at(p, x, a > first ? a : first, b, stripe);
            }
        }
    }
    return false;
}

size_t gfp_cut_total(const gfp_cut *p)
{
    size_t count = 0;
    for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(p, &x);) {
        count++;
    }
    return count;
}

/* ---- shapes ---- */

/* *first, *last := the stripes to which a part of a contributes, b being one part. False: to
 * none. */
static bool contributing_stripes(const gfp_cut *p, size_t a, size_t *first, size_t *last)
{
    const gfp_range *r = &p->whole;
    size_t from_a, end_a;
    if (!part_of(0, r->len_a, p->length_a, a, &from_a, &end_a)) {
        return false;
    }
    const size_t low = from_a > r->first ? from_a : r->first;
    const size_t high = gfp_size_min(end_a + r->len_b - 1, r->end);
    if (low >= high) {
        return false;
    }
    *first = (low - r->first) / p->width;
    *last = (high - 1 - r->first) / p->width;
    return true;
}

/* Pieces number first, ..., last of one part of a, or of one stripe. Two at either end may stick
 * out of the product of the part; all others are alike: of them one is visited at either end. */
#define END_PIECES 3
static void visit_line(const gfp_cut *p, const gfp_cut_piece *line, bool stripes, size_t first,
                       size_t last, gfp_cut_visit *visit, void *user)
{
    for (size_t i = first; i <= last; i++) {
        gfp_cut_piece x;
        if (i == first + END_PIECES && last - i >= END_PIECES) {
            i = last - END_PIECES + 1;
        }
        if (gfp_cut_at(p, &x, stripes ? line->a : i, 0, stripes ? i : line->stripe)) {
            visit(user, &x);
        }
    }
}

/* With several stripes and several parts, a piece has the shape of the one in the next stripe and
 * part, except for the last stripe and part. So every piece has the shape of one in the first or
 * last stripe, or in the first or last part. */
void gfp_cut_visit_shapes(const gfp_cut *p, gfp_cut_visit *visit, void *user)
{
    const gfp_cut_piece corners[] = {
        {.a = 0, .stripe = 0},
        {.a = gfp_cut_count(p->whole.len_a, p->length_a) - 1,
         .stripe = gfp_cut_count(p->whole.end - p->whole.first, p->width) - 1}};
    for (size_t i = 0; i < 2; i++) {
        size_t first, last;
        if (contributing_stripes(p, corners[i].a, &first, &last)) {
            visit_line(p, &corners[i], true, first, last, visit, user);
        }
        if (contributing_parts(p, 0, corners[i].stripe, &first, &last)) {
            visit_line(p, &corners[i], false, first, last, visit, user);
        }
    }
}

/* ---- sums of pieces ---- */

gfp_status gfp_cut_run(const gfp_cut *p, uint64_t *c, uint64_t *z, gfp_cut_multiply *multiply,
                       void *user)
{
    const gfp_field *field = p->whole.field;
    if (z != NULL) {
        gfp_vec_zero(field, c, p->whole.end - p->whole.first);
    }
    for (gfp_cut_piece x = {.a = 0}; gfp_cut_next(p, &x);) {
        uint64_t *to = c + x.at * gfp_field_k(field);
        GFP_TRY(multiply(user, &x, z != NULL ? z : to));
        if (z != NULL) {
            gfp_vec_add(field, to, to, z, x.range.end - x.range.first);
        }
    }
    return GFP_OK;
}
