/* roots.c: isolation of real roots by Descartes' rule of signs in Bernstein's basis.
 *
 * On an interval f = sum_i b_i binomial(n, i) v^i (1 - v)^(n - i) after a change of v to [0, 1];
 * the number of roots there is the number of sign changes of b_0, ..., b_n, or less by an even
 * number. 0 and 1 decide; other intervals are halved by de Casteljau's algorithm. (G. E. Collins,
 * A. G. Akritas, SYMSAC 1976; J. M. Lane, R. F. Riesenfeld, BIT 21, 1981; coefficients that are
 * known to some bits only: A. Eigenwillig et al., CASC 2005.)
 *
 * Coefficients are integers b of some limbs that stand for numbers in [b, b + error]; halving is
 * rounded down n times, by at most 1/2 each time. If errors hide the signs, all is done again with
 * twice the limbs. Ends of intervals that are roots are found by exact values.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/system/roots.h"

#include "field/base/word.h"

/* Limbs to begin with. */
#define LIMBS 2
/* Changes of sign of one side, from which on a polynomial may have many real roots. */
#define MANY 12
/* Bits that the greatest coefficient must have above the error. */
#define MARGIN 20

void gfp_zroots_clear(gfp_zroots *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        mpz_clears(roots->root[i].c, roots->root[i].d, NULL);
    }
    gfp_release(&roots->ring->allocator, roots->root, roots->room, sizeof *roots->root);
    *roots = (gfp_zroots){.ring = roots->ring};
}

static void truncate_to(gfp_zroots *roots, size_t count)
{
    while (roots->count > count) {
        gfp_zroot *root = &roots->root[--roots->count];
        mpz_clears(root->c, root->d, NULL);
    }
}

/* ---- one side ---- */

typedef struct search {
    gfp_zcall *call;
    gfp_zroots *roots;
    const gfp_zvec *f;
    gfp_zside side;
    size_t n;            /* the degree */
    size_t limbs;        /* of a coefficient on [0, 1] */
    const uint64_t *sum; /* binomial(n, i) b_i, exactly, at position n - i */
    size_t width;        /* of these */
    bool failed;         /* more limbs are needed */
} search;

/* The interval [c / 2^s, (c + 1) / 2^s] with its coefficients. */
typedef struct node {
    uint64_t *b;
    size_t limbs; /* of a coefficient; all are below 2^(64 limbs - 2) */
    uint64_t error;
    size_t s;
    bool root_first, root_last; /* the end is a root: its coefficient is 0 */
} node;

/* The sign changes as far as known. */
typedef struct changes {
    size_t least, most;
    int first; /* the first sign that is known */
    size_t bits;
} changes;

/* 0: not known. */
static int sign_of(const uint64_t *b, size_t limbs, uint64_t error)
{
    const bool negative = gfp_z_negative(b, limbs);
    const uint64_t flip = negative ? UINT64_MAX : 0;
    uint64_t high = 0;
    for (size_t i = 1; i < limbs; i++) {
        high |= b[i] ^ flip;
    }
    if (negative) {
        return high != 0 || ~b[0] >= error ? -1 : 0;
    }
    return high != 0 || b[0] != 0;
}

static size_t bits_of(const uint64_t *b, size_t limbs)
{
    const uint64_t flip = gfp_z_negative(b, limbs) ? UINT64_MAX : 0;
    for (size_t i = limbs; i-- > 0;) {
        if ((b[i] ^ flip) != 0) {
            return 64 * i + 64 - gfp_clz64(b[i] ^ flip);
        }
    }
    return 0;
}

/* Coefficients whose sign is not known may change the sign at every place that lets them. */
static changes count_changes(const search *w, const node *d)
{
    changes z = {0, 0, 0, 0};
    int last = 0;
    size_t unknown = 0;
    const size_t to = d->root_last ? w->n : w->n + 1;
    for (size_t i = d->root_first ? 1 : 0; i < to; i++) {
        const uint64_t *b = d->b + i * d->limbs;
        const int sign = sign_of(b, d->limbs, d->error);
        const size_t bits = bits_of(b, d->limbs);
        z.bits = bits > z.bits ? bits : z.bits;
        if (sign == 0) {
            unknown++;
            continue;
        }
        if (last == 0) {
            z.first = sign;
            z.most = unknown;
        } else if (sign == last) {
            z.most += (unknown + 1) / 2 * 2;
        } else {
            z.least++;
            z.most += 1 + unknown / 2 * 2;
        }
        last = sign;
        unknown = 0;
    }
    z.most += unknown;
    return z;
}

static gfp_status make_room(gfp_zroots *roots)
{
    if (roots->count < roots->room) {
        return GFP_OK;
    }
    const size_t room = 2 * roots->room + 4;
    gfp_zroot *fresh = gfp_allocate(&roots->ring->allocator, room, sizeof *fresh);
    if (fresh == NULL) {
        return GFP_ERR_MEMORY;
    }
    if (roots->count > 0) {
        memcpy(fresh, roots->root, roots->count * sizeof *fresh);
    }
    gfp_release(&roots->ring->allocator, roots->root, roots->room, sizeof *fresh);
    roots->root = fresh;
    roots->room = room;
    return GFP_OK;
}

/* Adds the root c / 2^e. */
static gfp_status add_exact(search *w, const mpz_t c, size_t e)
{
    GFP_TRY(make_room(w->roots));
    gfp_zroot *root = &w->roots->root[w->roots->count++];
    *root = (gfp_zroot){.e = e, .side = w->side, .exact = true};
    mpz_init_set(root->c, c);
    mpz_init(root->d);
    return GFP_OK;
}

gfp_status gfp_zroots_add_rational(gfp_zroots *roots, const mpz_t c, const mpz_t d, size_t part)
{
    GFP_TRY(make_room(roots));
    gfp_zroot *root = &roots->root[roots->count++];
    *root = (gfp_zroot){.exact = true, .part = part};
    mpz_init_set(root->c, c);
    mpz_init_set(root->d, d);
    return GFP_OK;
}

/* ---- halves ---- */

/* For a number of limbs that the compiler knows. */
static inline void halve_fixed(uint64_t *left, uint64_t *b, size_t n, size_t limbs)
{
    for (size_t k = 0; k <= n; k++) {
        memcpy(left + k * limbs, b, limbs * sizeof *b);
        uint64_t *x = b;
        for (size_t i = 0; i < n - k; i++, x += limbs) {
            uint64_t below = 0, carry = 0;
            for (size_t j = 0; j < limbs; j++) {
                const gfp_u128 sum = (gfp_u128)x[j] + x[j + limbs] + carry;
                carry = gfp_hi64(sum);
                if (j > 0) {
                    x[j - 1] = below >> 1 | (uint64_t)sum << 63;
                }
                below = (uint64_t)sum;
            }
            x[limbs - 1] = below >> 1 | (below & (uint64_t)1 << 63);
        }
    }
}

static void halve_limbs(uint64_t *left, uint64_t *b, size_t n, size_t limbs)
{
    for (size_t k = 0; k <= n; k++) {
        memcpy(left + k * limbs, b, limbs * sizeof *b);
        for (size_t i = 0; i < n - k; i++) {
            mp_limb_t *x = gfp_z_limbs(b + i * limbs);
            (void)mpn_add_n(x, x, x + limbs, (mp_size_t)limbs);
            const mp_limb_t sign = x[limbs - 1] & (mp_limb_t)1 << 63;
            (void)mpn_rshift(x, x, (mp_size_t)limbs, 1);
            x[limbs - 1] |= sign;
        }
    }
}

/* left := the left half of d, d := the right half; c: that of d. */
static gfp_status roots_halve(search *w, node *d, node *left, mpz_t c)
{
    switch (d->limbs) {
    case 1:
        halve_fixed(left->b, d->b, w->n, 1);
        break;
    case 2:
        halve_fixed(left->b, d->b, w->n, 2);
        break;
    case 3:
        halve_fixed(left->b, d->b, w->n, 3);
        break;
    case 4:
        halve_fixed(left->b, d->b, w->n, 4);
        break;
    default:
        halve_limbs(left->b, d->b, w->n, d->limbs);
    }
    left->limbs = d->limbs;
    left->error = d->error = d->error + w->n / 2 + 1;
    left->s = d->s = d->s + 1;
    left->root_first = d->root_first;
    left->root_last = d->root_first = false;
    mpz_mul_2exp(c, c, 1);
    mpz_add_ui(c, c, 1);
    if (sign_of(d->b, d->limbs, d->error) == 0 && gfp_zroots_sign(w->f, w->side, c, d->s) == 0) {
        GFP_TRY(add_exact(w, c, d->s));
        left->root_last = d->root_first = true;
    }
    const double work = (double)w->n * (double)w->n * (double)d->limbs / 8 + 1;
    return gfp_task_advance(&w->call->base.task, work) ? GFP_OK : GFP_ERR_CANCELLED;
}

static gfp_status add_root(search *w, const node *d, const mpz_t c, int sign)
{
    GFP_TRY(add_exact(w, c, d->s));
    gfp_zroot *root = &w->roots->root[w->roots->count - 1];
    root->exact = false;
    root->sign = sign;
    return GFP_OK;
}

static gfp_status roots_explore(search *w, node *d, const mpz_t from);

/* Both halves may have roots: the left one first. */
static gfp_status explore_left(search *w, node *left, const mpz_t right)
{
    mpz_t c;
    mpz_init(c);
    mpz_sub_ui(c, right, 1);
    const gfp_status status = roots_explore(w, left, c);
    mpz_clear(c);
    return status;
}

/* Leaves out leading limbs that all coefficients, of at most these bits, can do without. */
static void roots_narrow(const search *w, node *d, size_t bits)
{
    const size_t limbs = (bits + 2 + 63) / 64, old = d->limbs;
    if (limbs < old) {
        for (size_t i = 0; i <= w->n; i++) {
            memmove(d->b + i * limbs, d->b + i * old, limbs * sizeof *d->b);
        }
        d->limbs = limbs;
    }
}

/* One step; *done: the interval is decided. */
static gfp_status roots_step(search *w, node *d, mpz_t c, bool *done)
{
    const changes all = count_changes(w, d);
    node left = {.b = NULL};
    *done = all.most == 0 || (all.least == 1 && all.most == 1);
    if (all.most == 0) {
        return GFP_OK;
    }
    if (*done) {
        return add_root(w, d, c, all.first);
    }
    if (all.bits < MARGIN + 64 - gfp_clz64(d->error)) {
        *done = w->failed = true;
        return GFP_OK;
    }
    roots_narrow(w, d, all.bits);
    const size_t words = (w->n + 1) * d->limbs;
    GFP_TRY(gfp_call_array(&w->call->base, &left.b, words));
    GFP_TRY(roots_halve(w, d, &left, c));
    if (count_changes(w, &left).most == 0) {
        return GFP_OK;
    }
    if (count_changes(w, d).most == 0) {
        memcpy(d->b, left.b, words * sizeof *d->b);
        left.b = d->b;
        *d = left;
        mpz_sub_ui(c, c, 1);
        return GFP_OK;
    }
    GFP_TRY(explore_left(w, &left, c));
    *done = w->failed;
    return GFP_OK;
}

/* Adds the roots inside d; its coefficients are lost. The depth of recursion is at most the number
 * of sign changes. */
static gfp_status roots_explore(search *w, node *d, const mpz_t from)
{
    bool done = false;
    gfp_status status = GFP_OK;
    mpz_t c;
    mpz_init_set(c, from);
    while (!done && status == GFP_OK) {
        const gfp_call_mark mark = gfp_call_mark_here(&w->call->base);
        status = roots_step(w, d, c, &done);
        gfp_call_release(&w->call->base, mark);
    }
    mpz_clear(c);
    return status;
}

/* ---- coefficients ---- */

/* Adds all coefficients to their neighbours, n + (n - 1) + ... times: those of f(v + 1). */
static gfp_status shift_by_one(search *w, uint64_t *x)
{
    const size_t n = w->n, width = w->width;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = n; k-- > i;) {
            mp_limb_t *z = gfp_z_limbs(x + k * width);
            (void)mpn_add_n(z, z, z + width, (mp_size_t)width);
        }
        if (!gfp_task_advance(&w->call->base.task, (double)(n - i) * (double)width / 8)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* binomial(n, i) b_i is the coefficient of v^(n - i) in the reversed polynomial of v + 1. */
static gfp_status make_sums(search *w)
{
    uint64_t *x;
    mpz_t z;
    w->width = gfp_z_width(gfp_zvec_bits(w->f) + w->n + 1);
    GFP_TRY(gfp_call_array(&w->call->base, &x, gfp_size_mul_sat(w->n + 1, w->width)));
    mpz_init(z);
    for (size_t i = 0; i <= w->n; i++) {
        gfp_zroots_coefficient(z, w->f, w->n, w->side, w->n - i);
        gfp_z_put(x + i * w->width, w->width, (const uint64_t *)(const void *)mpz_limbs_read(z),
                  mpz_size(z), mpz_sgn(z) < 0);
    }
    mpz_clear(z);
    w->sum = x;
    return shift_by_one(w, x);
}

/* Changes of sign of the exact coefficients; zeros do not count. */
static size_t exact_changes(const search *w)
{
    size_t number = 0;
    int last = 0;
    for (size_t i = 0; i <= w->n; i++) {
        const uint64_t *x = w->sum + i * w->width;
        const int sign = gfp_z_negative(x, w->width) ? -1 : gfp_z_bits(x, w->width) > 0;
        number += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return number;
}

/* d := the coefficients on [0, 1], with w->limbs limbs. */
static void make_node(search *w, node *d)
{
    size_t bits = 0;
    mpz_t z, binomial;
    mpz_init(z);
    mpz_init_set_ui(binomial, 1);
    for (size_t i = 0; i <= w->n; i++) {
        const size_t more = gfp_z_bits(w->sum + i * w->width, w->width);
        bits = more > bits ? more : bits;
    }
    const size_t room = 64 * w->limbs - 2;
    for (size_t i = 0; i <= w->n; i++) {
        const gfp_zvec x = {
            .limbs = (uint64_t *)w->sum + (w->n - i) * w->width, .len = 1, .width = w->width};
        gfp_zroots_coefficient(z, &x, 0, (gfp_zside){false, false}, 0);
        if (bits > room) {
            mpz_fdiv_q_2exp(z, z, bits - room);
        } else {
            mpz_mul_2exp(z, z, room - bits);
        }
        mpz_fdiv_q(z, z, binomial); /* both roundings down: by less than 2 in all */
        gfp_z_put(d->b + i * w->limbs, w->limbs, (const uint64_t *)(const void *)mpz_limbs_read(z),
                  mpz_size(z), mpz_sgn(z) < 0);
        mpz_mul_ui(binomial, binomial, (unsigned long)(w->n - i));
        mpz_divexact_ui(binomial, binomial, (unsigned long)(i + 1));
    }
    *d = (node){.b = d->b, .limbs = w->limbs, .error = 2};
    d->root_first = gfp_z_bits(w->sum + w->n * w->width, w->width) == 0;
    d->root_last = gfp_z_bits(w->sum, w->width) == 0;
    mpz_clears(z, binomial, NULL);
}

/* The ends 0 and 1: T = 0 is a root of the first side, T = 1 and T = -1 of those that are not
 * reversed. */
static gfp_status add_ends(search *w, const node *d)
{
    const bool found[2] = {d->root_first && !w->side.negative, d->root_last};
    for (unsigned i = 0; i < 2 && !w->side.reversed; i++) {
        if (found[i]) {
            mpz_t end;
            mpz_init_set_ui(end, i);
            const gfp_status status = add_exact(w, end, 0);
            mpz_clear(end);
            GFP_TRY(status);
        }
    }
    return GFP_OK;
}

/* Limbs to begin with: errors must be smaller than the values at both ends. */
static size_t first_limbs(const search *w)
{
    size_t bits = 0, least = SIZE_MAX;
    for (size_t i = 0; i <= w->n; i++) {
        const size_t more = gfp_z_bits(w->sum + i * w->width, w->width);
        bits = more > bits ? more : bits;
        if ((i == 0 || i == w->n) && more > 0) {
            least = more < least ? more : least;
        }
    }
    return LIMBS + (least < bits ? (bits - least) / 64 : 0);
}

static gfp_status isolate_side(search *w, bool *many)
{
    const size_t known = w->roots->count;
    GFP_TRY(make_sums(w));
    const size_t most = exact_changes(w);
    if (many != NULL && most >= MANY) {
        *many = true;
        return GFP_OK;
    }
    w->limbs = first_limbs(w);
    for (w->failed = true; w->failed; w->limbs *= 2) {
        node d;
        mpz_t zero;
        w->failed = false;
        truncate_to(w->roots, known);
        GFP_TRY(gfp_call_array(&w->call->base, &d.b, gfp_size_mul_sat(w->n + 1, w->limbs)));
        make_node(w, &d);
        GFP_TRY(add_ends(w, &d));
        if (most > 0) {
            mpz_init(zero);
            const gfp_status status = roots_explore(w, &d, zero);
            mpz_clear(zero);
            GFP_TRY(status);
        }
    }
    return GFP_OK;
}

gfp_status gfp_zroots_isolate(gfp_zcall *call, gfp_zroots *roots, const gfp_zvec *f, size_t part,
                              bool *many)
{
    const size_t known = roots->count;
    for (unsigned i = 0; i < 4; i++) {
        search w = {.call = call,
                    .roots = roots,
                    .f = f,
                    .side = {i % 2 == 1, i / 2 == 1},
                    .n = f->len - 1};
        const gfp_call_mark mark = gfp_call_mark_here(&call->base);
        const gfp_status status = isolate_side(&w, many);
        gfp_call_release(&call->base, mark);
        GFP_TRY(status);
        if (many != NULL && *many) {
            truncate_to(roots, known);
            return GFP_OK;
        }
    }
    for (size_t i = known; i < roots->count; i++) {
        roots->root[i].part = part;
    }
    return GFP_OK;
}
