/* split.c: products of polynomials over Z of which a few coefficients are much longer than the
 * others.
 *
 * Coefficients are in groups by width: group k has those of 2^k ... 2^(k + 1) - 1 limbs. A split
 * divides both factors between two groups into short and long coefficients: c = short short + short
 * long + long short + long long. Each of the four terms is dense, a product of vectors of one width
 * without the zeros at both ends, or has rows: a product of integers for each two coefficients that
 * are not 0. The split is the one of least predicted time; a product of one dense term is none.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/mul/split.h"

#include <math.h>

#include "field/primes/factor.h"
#include "product/verify/claim.h"
#include "field/base/word.h"
#include "modular/linear.h"
#include "modular/mul/methods.h"
#include "modular/scalar.h"
#include "crt/small/kronecker.h"

enum { GROUPS = 58, TERMS = 4 };

/* Nanoseconds of a limb of factors and product in a dense term, about. */
static const double dense_limb_ns[GFP_LEVEL_MEASURED] = {
    [GFP_LEVEL_PORTABLE] = 40, [GFP_LEVEL_AVX2] = 25, [GFP_LEVEL_AVX512IFMA] = 9};
/* Limbs of a coefficient of the product that take that much time again. */
#define LONGER_LIMBS 300.0
/* Nanoseconds of a limb of a sum in rows. */
#define ROW_LIMB_NS 0.2
#define ROW_NS 8.0
/* Of each coefficient of the sum. */
#define SUM_NS 30.0
/* Predictions of splits may err. */
#define MARGIN 0.8

/* Coefficients: their range, number and limbs. */
typedef struct group {
    size_t first, end, count, limbs, widest;
} group;

typedef struct factor {
    const gfp_zvec *vec;
    uint64_t *width; /* of each coefficient; 0 for 0 */
    group by_width[GROUPS];
} factor;

/* The coefficients in groups from <= k < to. */
typedef struct part {
    const factor *whole;
    unsigned from, to;
    group all;
} part;

typedef struct term {
    part p, q;
    bool dense;
    double ns;
    gfp_ztemp product; /* of a dense one */
} term;

typedef struct split {
    term term[TERMS];
    unsigned count;
    double ns, dense_ns; /* as chosen; with dense terms */
} split;

typedef struct work {
    gfp_zcall *call;
    factor a, b;
    split best;
    gfp_ztemp sum; /* with widths of its own, which hold all sums */
    uint64_t *memory;
} work;

/* ---- groups ---- */

static void add_to_group(group *g, const group *more)
{
    if (more->count > 0) {
        g->first = g->count == 0 || more->first < g->first ? more->first : g->first;
        g->end = more->end > g->end ? more->end : g->end;
        g->widest = more->widest > g->widest ? more->widest : g->widest;
        g->limbs = gfp_size_add_sat(g->limbs, more->limbs);
        g->count += more->count;
    }
}

static unsigned group_of(size_t width)
{
    return 63 - gfp_clz64(width);
}

static gfp_status read_factor(gfp_zcall *call, factor *f, const gfp_zvec *a)
{
    memset(f, 0, sizeof *f);
    f->vec = a;
    GFP_TRY(gfp_call_array(&call->base, &f->width, a->len));
    for (size_t i = 0; i < a->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        const size_t own = gfp_z_own_width(x, width);
        const group one = {i, i + 1, 1, own, own};
        const bool zero = own == 1 && x[0] == 0;
        f->width[i] = zero ? 0 : own;
        if (!zero) {
            add_to_group(&f->by_width[group_of(own)], &one);
        }
    }
    return GFP_OK;
}

static part part_of(const factor *f, unsigned from, unsigned to)
{
    part p = {f, from, to, {0, 0, 0, 0, 0}};
    for (unsigned k = from; k < to; k++) {
        add_to_group(&p.all, &f->by_width[k]);
    }
    return p;
}

static bool is_in(const part *p, size_t i)
{
    const size_t width = (size_t)p->whole->width[i];
    return width > 0 && group_of(width) >= p->from && group_of(width) < p->to;
}

/* ---- predicted times ---- */

static double rows_ns(const part *p, const part *q)
{
    double sum = 0;
    for (unsigned k = p->from; k < p->to; k++) {
        const group *g = &p->whole->by_width[k];
        for (unsigned l = q->from; l < q->to && g->count > 0; l++) {
            const group *h = &q->whole->by_width[l];
            if (h->count > 0) {
                const double x = (double)g->limbs / (double)g->count;
                const double y = (double)h->limbs / (double)h->count;
                const double product =
                    fmin(x, y) < 2 ? 0.54 * fmax(x, y) : gfp_zkronecker_integer_ns(x, y);
                sum += (double)g->count * (double)h->count *
                       (ROW_NS + product + ROW_LIMB_NS * (x + y));
            }
        }
    }
    return sum;
}

static double dense_ns(const gfp_zcall *call, const part *p, const part *q)
{
    const size_t of_p = p->all.end - p->all.first, of_q = q->all.end - q->all.first;
    const double x = (double)p->all.widest, y = (double)q->all.widest;
    const double len = (double)of_p + (double)of_q;
    const double limbs = (double)of_p * x + (double)of_q * y + len * (x + y);
    return dense_limb_ns[gfp_level_measured(call->ring->level)] * (1 + (x + y) / LONGER_LIMBS) *
           limbs;
}

/* Adds the term p q. */
static void add_term(gfp_zcall *call, split *s, part p, part q)
{
    if (p.all.count > 0 && q.all.count > 0) {
        const double rows = rows_ns(&p, &q), dense = dense_ns(call, &p, &q);
        term *t = &s->term[s->count++];
        *t = (term){.p = p, .q = q, .dense = dense < rows, .ns = fmin(dense, rows)};
        s->ns += t->ns;
        s->dense_ns += dense;
    }
}

static split split_at(const work *w, unsigned k)
{
    split s = {.ns = k < GROUPS ? SUM_NS * (double)(w->a.vec->len + w->b.vec->len) : 0};
    const part a[] = {part_of(&w->a, 0, k), part_of(&w->a, k, GROUPS)};
    const part b[] = {part_of(&w->b, 0, k), part_of(&w->b, k, GROUPS)};
    for (unsigned i = 0; i < TERMS; i++) {
        add_term(w->call, &s, a[i / 2], b[i % 2]);
    }
    return s;
}

/* Chooses the split; returns whether it is one. */
static bool choose_split(work *w)
{
    double whole = HUGE_VAL; /* of a product in one width */
    for (unsigned k = GROUPS; k > 0; k--) {
        const bool changes = w->a.by_width[k - 1].count > 0 || w->b.by_width[k - 1].count > 0;
        if (k == GROUPS || changes) {
            const split s = split_at(w, k);
            w->best = k == GROUPS || s.ns < w->best.ns ? s : w->best;
            whole = k == GROUPS ? s.dense_ns : whole;
        }
    }
    const bool dense = w->best.count == 1 && w->best.term[0].dense;
    return !dense && w->best.ns < MARGIN * whole;
}

/* ---- dense terms ---- */

/* x := the part from its first coefficient on, in one width. */
static gfp_status split_gather(gfp_zcall *call, gfp_ztemp *x, const part *p)
{
    const size_t n = p->all.end - p->all.first, widest = p->all.widest;
    GFP_TRY(gfp_zvec_reserve(&x->v, n, widest));
    GFP_TRY(gfp_ztemp_count(call, x));
    memset(x->v.limbs, 0, n * widest * sizeof *x->v.limbs);
    for (size_t i = 0; i < n; i++) {
        if (is_in(p, p->all.first + i)) {
            size_t width;
            const uint64_t *from = gfp_zvec_get(&width, p->whole->vec, p->all.first + i);
            gfp_z_resize(x->v.limbs + i * widest, widest, from,
                         (size_t)p->whole->width[p->all.first + i]);
        }
    }
    return GFP_OK;
}

static gfp_status multiply_parts(gfp_zcall *call, term *t, gfp_ztemp *x, gfp_ztemp *y)
{
    const bool square =
        t->p.whole->vec == t->q.whole->vec && t->p.from == t->q.from && t->p.to == t->q.to;
    gfp_report report;
    gfp_call inner;
    GFP_TRY(split_gather(call, x, &t->p));
    if (!square) {
        GFP_TRY(split_gather(call, y, &t->q));
    }
    gfp_options inside = gfp_zcall_inside(call);
    inside.report = &report;
    GFP_TRY(gfp_call_begin(&inner, "product over Z", &inside));
    const gfp_status status =
        gfp_zmul_flat(&inner, &t->product.v, &x->v, square ? &x->v : &y->v, NULL);
    GFP_TRY(gfp_call_inner(&call->base, gfp_call_end(&inner, status)));
    gfp_call_note(&call->base, &report);
    return gfp_ztemp_count(call, &t->product);
}

static gfp_status multiply_dense(gfp_zcall *call, term *t)
{
    gfp_ztemp x, y;
    gfp_ztemp_init(call, &x);
    gfp_ztemp_init(call, &y);
    const gfp_status status = multiply_parts(call, t, &x, &y);
    gfp_ztemp_clear(call, &x);
    gfp_ztemp_clear(call, &y);
    return status;
}

/* ---- sums ---- */

/* *list := the indices of the part. */
static gfp_status list_part(gfp_zcall *call, uint64_t **list, const part *p)
{
    size_t n = 0;
    GFP_TRY(gfp_call_array(&call->base, list, p->all.count));
    for (size_t i = p->all.first; i < p->all.end; i++) {
        if (is_in(p, i)) {
            (*list)[n++] = i;
        }
    }
    return GFP_OK;
}

/* Takes the widths of a term's coefficients into account. */
static gfp_status split_widen(gfp_zcall *call, uint64_t *width, const term *t)
{
    const size_t at = t->p.all.first + t->q.all.first;
    uint64_t *list[2];
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    if (t->dense) {
        const gfp_zvec *c = &t->product.v;
        for (size_t i = 0; i < c->len; i++) {
            width[at + i] = width[at + i] < c->width ? c->width : width[at + i];
        }
        return GFP_OK;
    }
    GFP_TRY(list_part(call, &list[0], &t->p));
    GFP_TRY(list_part(call, &list[1], &t->q));
    for (size_t i = 0; i < t->p.all.count; i++) {
        for (size_t j = 0; j < t->q.all.count; j++) {
            uint64_t *to = &width[list[0][i] + list[1][j]];
            const uint64_t both = t->p.whole->width[list[0][i]] + t->q.whole->width[list[1][j]];
            *to = *to < both ? both : *to;
        }
    }
    gfp_call_release(&call->base, mark);
    return GFP_OK;
}

/* w->sum := zeros, of one limb more than any coefficient of a term, for the sum of all. */
static gfp_status make_sum(work *w)
{
    const size_t n = w->a.vec->len + w->b.vec->len - 1;
    gfp_zlayout layout = {0, 0, 0};
    uint64_t *width;
    const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
    GFP_TRY(gfp_call_array(&w->call->base, &width, n));
    memset(width, 0, n * sizeof *width);
    for (unsigned i = 0; i < w->best.count; i++) {
        GFP_TRY(split_widen(w->call, width, &w->best.term[i]));
    }
    for (size_t i = 0; i < n; i++) {
        gfp_zlayout_add(&layout, (size_t)width[i] + 1);
    }
    GFP_TRY(gfp_zvec_reserve(&w->sum.v, 1, gfp_size_add_sat(layout.total, n + 1)));
    uint64_t *limbs = w->sum.v.limbs;
    memset(limbs, 0, w->sum.v.width * sizeof *limbs);
    GFP_TRY(gfp_ztemp_count(w->call, &w->sum));
    limbs[0] = n + 1;
    for (size_t i = 0; i < n; i++) {
        limbs[i + 1] = limbs[i] + width[i] + 1;
    }
    w->sum.v.len = n;
    w->sum.v.width = 0;
    gfp_call_release(&w->call->base, mark);
    return GFP_OK;
}

/* z, of `width` limbs, := z + x or z - x, for a magnitude x of n < width limbs. */
static void add_magnitude(uint64_t *z, size_t width, const uint64_t *x, size_t n, bool negative)
{
    mp_limb_t *to = gfp_z_limbs(z);
    if (n == 0) {
        return;
    }
    if (negative) {
        (void)mpn_sub(to, to, (mp_size_t)width, gfp_z_const_limbs(x), (mp_size_t)n);
    } else {
        (void)mpn_add(to, to, (mp_size_t)width, gfp_z_const_limbs(x), (mp_size_t)n);
    }
}

static uint64_t *sum_at(work *w, size_t i, size_t *width)
{
    uint64_t *limbs = w->sum.v.limbs;
    *width = (size_t)(limbs[i + 1] - limbs[i]);
    return limbs + limbs[i];
}

static void add_dense(work *w, const term *t)
{
    const gfp_zvec *c = &t->product.v;
    const uint64_t one = 1;
    for (size_t i = 0; i < c->len; i++) {
        size_t width;
        uint64_t *to = sum_at(w, t->p.all.first + t->q.all.first + i, &width);
        const uint64_t *x = gfp_zvec_at(c, i);
        add_magnitude(to, width, x, c->width, false);
        if (gfp_z_negative(x, c->width)) { /* x - 2^(64 c->width) */
            add_magnitude(to + c->width, width - c->width, &one, 1, true);
        }
    }
}

/* ---- rows ---- */

/* The sum at `at` += x y, or -= x y, for magnitudes, x the longer one. */
static void add_product(work *w, size_t at, gfp_znat x, gfp_znat y, bool negative)
{
    size_t width;
    uint64_t *to = sum_at(w, at, &width), carry;
    if (y.n > 1) {
        (void)mpn_mul(gfp_z_limbs(w->memory), gfp_z_limbs(x.limbs), (mp_size_t)x.n,
                      gfp_z_limbs(y.limbs), (mp_size_t)y.n);
        add_magnitude(to, width, w->memory, gfp_z_strip(w->memory, x.n + y.n), negative);
        return;
    }
    carry = negative
                ? mpn_submul_1(gfp_z_limbs(to), gfp_z_limbs(x.limbs), (mp_size_t)x.n, y.limbs[0])
                : mpn_addmul_1(gfp_z_limbs(to), gfp_z_limbs(x.limbs), (mp_size_t)x.n, y.limbs[0]);
    add_magnitude(to + x.n, width - x.n, &carry, 1, negative);
}

/* z := |coefficient i|, in z's limbs; returns whether the coefficient is negative. */
static bool split_take(gfp_znat *z, const factor *f, size_t i)
{
    size_t width;
    const uint64_t *x = gfp_zvec_get(&width, f->vec, i);
    z->n = gfp_z_magnitude(z->limbs, x, (size_t)f->width[i]);
    return gfp_z_negative(x, width);
}

static gfp_status add_rows(work *w, const term *t)
{
    const size_t of_x = t->p.all.widest, of_y = t->q.all.widest;
    uint64_t *list[2];
    gfp_znat x, y;
    GFP_TRY(list_part(w->call, &list[0], &t->p));
    GFP_TRY(list_part(w->call, &list[1], &t->q));
    GFP_TRY(gfp_call_array(&w->call->base, &x.limbs, of_x));
    GFP_TRY(gfp_call_array(&w->call->base, &y.limbs, of_y));
    GFP_TRY(gfp_call_array(&w->call->base, &w->memory, of_x + of_y));
    for (size_t i = 0; i < t->p.all.count; i++) {
        const bool sign = split_take(&x, t->p.whole, (size_t)list[0][i]);
        for (size_t j = 0; j < t->q.all.count; j++) {
            const bool negative = split_take(&y, t->q.whole, (size_t)list[1][j]) != sign;
            const bool longer = x.n >= y.n;
            add_product(w, (size_t)(list[0][i] + list[1][j]), longer ? x : y, longer ? y : x,
                        negative);
            if (!gfp_task_advance(&w->call->base.task, 1)) {
                return GFP_ERR_CANCELLED;
            }
        }
    }
    return GFP_OK;
}

/* ---- the check ---- */

/* A coefficient of a b - c that is not 0 is below 2^bits: at most bits / 61 of the primes between
 * 2^61 and 2^62, more than 2^55, divide it. Modulo another one, the difference vanishes at less
 * points than it has coefficients, of more than 2^61. */
enum { POINTS = 2, LOG2_PRIME = 61, LOG2_PRIMES = 55 };

static uint64_t draw_prime(gfp_random *g)
{
    uint64_t q;
    do {
        q = UINT64_C(1) << LOG2_PRIME | gfp_random_below(g, UINT64_C(1) << LOG2_PRIME) | 1;
    } while (!gfp_word_is_prime(q));
    return q;
}

/* x modulo q. */
static uint64_t split_reduce(const uint64_t *x, size_t width, const gfp_divisor *q)
{
    const bool negative = gfp_z_negative(x, width);
    uint64_t r;
    if (width == 1) {
        const uint64_t magnitude = negative ? 0 - x[0] : x[0];
        (void)gfp_div_wide(q, magnitude, &r);
        return negative ? gfp_mod_sub(0, r, q->value) : r;
    }
    r = mpn_mod_1(gfp_z_const_limbs(x), (mp_size_t)width, q->value);
    return negative
               ? gfp_mod_sub(r, gfp_mod_pow(UINT64_MAX % q->value + 1, width, q->value), q->value)
               : r;
}

/* *y := the value of f at x modulo q. */
static gfp_status split_evaluate(gfp_zcall *call, uint64_t *y, const gfp_zvec *f, uint64_t x,
                                 const gfp_divisor *q)
{
    *y = 0;
    for (size_t i = f->len; i-- > 0;) {
        size_t width;
        const uint64_t *c = gfp_zvec_get(&width, f, i);
        const gfp_u128 next = gfp_mul_wide(*y, x) + split_reduce(c, gfp_z_own_width(c, width), q);
        (void)gfp_div_wide(q, next, y);
        if (!gfp_task_advance(&call->base.task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

static gfp_status check_point(gfp_zcall *call, gfp_random *g, const gfp_zvec *const f[3])
{
    uint64_t y[3];
    gfp_divisor q;
    gfp_divisor_init(&q, draw_prime(g));
    const uint64_t x = gfp_random_below(g, q.value);
    for (unsigned i = 0; i < 3; i++) {
        GFP_TRY(split_evaluate(call, &y[i], f[i], x, &q));
    }
    return gfp_mod_mul(y[0], y[1], q.value) == y[2] ? GFP_OK : gfp_zcall_wrong(call);
}

gfp_status gfp_zsplit_check(gfp_zcall *call, const gfp_zvec *a, const gfp_zvec *b,
                            const gfp_zvec *c)
{
    const gfp_zvec *const f[] = {a, b, c};
    const double len = (double)a->len + (double)b->len + (double)c->len;
    const double most = (double)gfp_zvec_bits(a) + (double)gfp_zvec_bits(b) + 64;
    const double bits = fmax(most, (double)gfp_zvec_bits(c) + 1);
    gfp_random g;
    uint64_t seed = call->base.options->verify_seed;
    if (seed == 0) {
        GFP_TRY(gfp_system_seed(&seed, &call->base.error));
    }
    gfp_random_seed(&g, seed);
    GFP_TRY(gfp_zcall_step(call, 1, POINTS * len, bits / 64 / (len + 1) + 1));
    for (unsigned i = 0; i < POINTS; i++) {
        GFP_TRY(check_point(call, &g, f));
    }
    const double one = (bits / LOG2_PRIME + 1) / (double)(UINT64_C(1) << LOG2_PRIMES) +
                       len / (double)(UINT64_C(1) << LOG2_PRIME);
    call->base.report.verified = GFP_VERIFY_POINT;
    call->base.report.points = POINTS;
    call->base.report.log2_error = (int)ceil(POINTS * log2(one));
    return GFP_OK;
}

/* ---- the call ---- */

static gfp_status add_terms(work *w)
{
    double done = 0;
    for (unsigned i = 0; i < w->best.count; i++) {
        term *t = &w->best.term[i];
        done += t->ns;
        if (t->dense) {
            GFP_TRY(gfp_zcall_step(w->call, done / w->best.ns, 1, 1));
            GFP_TRY(multiply_dense(w->call, t));
        }
    }
    GFP_TRY(make_sum(w));
    for (unsigned i = 0; i < w->best.count; i++) {
        term *t = &w->best.term[i];
        const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
        if (t->dense) {
            add_dense(w, t);
            gfp_ztemp_clear(w->call, &t->product);
        } else {
            const double pairs = (double)t->p.all.count * (double)t->q.all.count;
            GFP_TRY(gfp_zcall_step_on(w->call, t->ns / w->best.ns, pairs, t->ns / pairs));
            GFP_TRY(add_rows(w, t));
            gfp_call_release(&w->call->base, mark);
        }
    }
    return GFP_OK;
}

static gfp_status split_multiply(work *w, gfp_zvec *c)
{
    gfp_zcall *call = w->call;
    const bool checks = call->base.options->verify == GFP_VERIFY_POINT;
    gfp_zcall_part(call, checks ? 0.9 : 1);
    GFP_TRY(add_terms(w));
    GFP_TRY(gfp_zvec_set_result(c, &w->sum.v));
    gfp_ztemp_clear(call, &w->sum);
    if (checks) {
        gfp_call_checks(&call->base);
        gfp_zcall_part(call, 1);
        GFP_TRY(gfp_zsplit_check(call, w->a.vec, w->b.vec, c));
    }
    return gfp_call_finish(&call->base);
}

static gfp_status split_run(work *w, bool *done, gfp_zvec *made, const gfp_zvec *a,
                            const gfp_zvec *b)
{
    GFP_TRY(read_factor(w->call, &w->a, a));
    GFP_TRY(read_factor(w->call, &w->b, b));
    *done = choose_split(w);
    if (!*done) {
        return GFP_OK;
    }
    for (unsigned i = 0; i < w->best.count; i++) {
        gfp_ztemp_init(w->call, &w->best.term[i].product);
    }
    gfp_ztemp_init(w->call, &w->sum);
    const gfp_status status = split_multiply(w, made);
    for (unsigned i = 0; i < w->best.count; i++) {
        gfp_ztemp_clear(w->call, &w->best.term[i].product);
    }
    gfp_ztemp_clear(w->call, &w->sum);
    return status;
}

gfp_status gfp_zsplit_mul(gfp_zcall *call, bool *done, gfp_zvec *c, const gfp_zvec *a,
                          const gfp_zvec *b)
{
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    work w = {.call = call};
    gfp_zvec made;
    gfp_zvec_init(&made, c->ring);
    const gfp_status status = split_run(&w, done, &made, a, b);
    if (status == GFP_OK && *done) {
        call->base.report.method = "split";
        gfp_zvec_swap(c, &made);
    }
    gfp_zvec_clear(&made);
    gfp_call_release(&call->base, mark);
    return status;
}
