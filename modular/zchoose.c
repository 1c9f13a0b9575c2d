/* zchoose.c: see zchoose.h. A choice compares the predicted times of the methods; where those that
 * win nearly always are short, others are not predicted.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"

#include <math.h>

/* The methods of an operation, in the order of a plan's rows; word-size primes come first. */
static const gfp_zmethod resultants[] = {GFP_Z_WORDS, GFP_Z_BIG, GFP_Z_MIX, GFP_Z_FLINT};
static const gfp_zmethod gcds[] = {GFP_Z_WORDS, GFP_Z_KRONECKER, GFP_Z_BIG, GFP_Z_MIX, GFP_Z_FLINT};
enum { RESULTANTS = sizeof resultants / sizeof *resultants, GCDS = sizeof gcds / sizeof *gcds };

/* The first rows, which are nearly always the best where kernels have vectors. Others are predicted
 * if these take longer than LONG_NS. Limbs of an operand up to which a gcd is one of integers. */
enum { FIRST_RESULTANTS = 1, FIRST_GCDS = 2 };
#define LONG_NS 10000
#define SHORT_LIMBS 12

static gfp_zsizes sizes_of(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    return (gfp_zsizes){.ring = call->ring,
                        .threads = call->task.threads,
                        .cofactors = call->cofactors,
                        .len_a = a.len,
                        .len_b = b.len,
                        .width_a = a.width,
                        .width_b = b.width,
                        .left = call->left};
}

/* The same with the bits, for gcds. */
static gfp_zsizes all_sizes_of(const gfp_zcall *call, const gfp_zoperands *p)
{
    gfp_zsizes s = sizes_of(call, p->a, p->b);
    s.bits_a = p->bits_a;
    s.bits_b = p->bits_b;
    return s;
}

/* FLINT's times depend on more than sizes. */
#define SCATTER 1.25

static double price(const gfp_zprediction *row)
{
    const bool flint = row->name == gfp_zmethod_names[GFP_Z_FLINT];
    const double time = row->estimate_ns + row->create_ns;
    return row->reason != NULL ? HUGE_VAL : flint ? SCATTER * time : time;
}

/* The index of the least price. */
static size_t cheapest(const gfp_zprediction *rows, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = price(&rows[i]) < price(&rows[best]) ? i : best;
    }
    return best;
}

/* Whether more rows than the `count` ones are worth predicting. */
static bool is_long(const gfp_zsizes *s, const gfp_zprediction *rows, size_t count, size_t first)
{
    return count < first || s->ring->level == GFP_LEVEL_PORTABLE ||
           price(&rows[cheapest(rows, count)]) > LONG_NS;
}

/* ---- resultants ---- */

gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair)
{
    gfp_zprediction rows[RESULTANTS];
    gfp_zsizes s = sizes_of(call, pair->a, pair->b);
    s.bits = pair->bits;
    size_t count = 0;
    do {
        gfp_zpredict_resultant(&rows[count], resultants[count], &s);
        count++;
    } while (count < RESULTANTS && is_long(&s, rows, count, FIRST_RESULTANTS));
    return resultants[cheapest(rows, count)];
}

/* ---- gcds ---- */

/* The degree is not known: the operands are coprime, or half of the degree and of the bits of the
 * shorter one is the divisor's. */
typedef struct outlook {
    gfp_zprediction coprime[GCDS], half[GCDS];
    size_t count; /* rows that are predicted */
    size_t next;  /* the cheapest row but the first one for a divisor */
    double leave; /* the time of a divisor by the first image and then this row */
    bool goes_on; /* by word-size primes, whatever the first image shows */
} outlook;

static void look(outlook *o, const gfp_zsizes *s, bool all)
{
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const gfp_zguess none = {1, 0},
                     half = {shorter / 2 + 1, gfp_size_min(s->bits_a, s->bits_b) / 2};
    o->count = 0;
    do {
        gfp_zpredict_gcd(&o->coprime[o->count], gcds[o->count], s, none);
        gfp_zpredict_gcd(&o->half[o->count], gcds[o->count], s, half);
        o->count++;
    } while (o->count < GCDS && (all || is_long(s, o->half, o->count, FIRST_GCDS)));
    o->next = 1 + cheapest(o->half + 1, o->count - 1);
    o->leave = gfp_zpredict_first_image(s, half.len) + price(&o->half[o->next]);
    o->goes_on = price(&o->half[0]) <= o->leave;
}

/* The sum of both cases' times, each divided by the least one. */
static double regret_of(const outlook *o, size_t i)
{
    const double coprime = price(&o->coprime[cheapest(o->coprime, o->count)]);
    const double half = price(&o->half[cheapest(o->half, o->count)]);
    const double found = i == 0 && !o->goes_on ? o->leave : price(&o->half[i]);
    return price(&o->coprime[i]) / coprime + found / half;
}

static size_t pick_gcd(const outlook *o)
{
    size_t best = 0;
    for (size_t i = 1; i < o->count; i++) {
        best = regret_of(o, i) < regret_of(o, best) ? i : best;
    }
    return best;
}

static bool is_short(const gfp_zsizes *s)
{
    const size_t bits = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const size_t len = s->len_a > s->len_b ? s->len_a : s->len_b;
    return len <= 64 * SHORT_LIMBS && len * bits <= (size_t)64 * SHORT_LIMBS;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p)
{
    outlook o;
    const gfp_zsizes s = all_sizes_of(call, p);
    if (is_short(&s)) {
        return GFP_Z_KRONECKER;
    }
    look(&o, &s, false);
    return gcds[pick_gcd(&o)];
}

#define STAY 1.3

gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    const gfp_zsizes s = all_sizes_of(call, p);
    const double degree = (double)gfp_size_min(s.len_a, s.len_b) - 1;
    const double share = ((double)len_g - 1) / degree / 2;
    const double guess = share * (double)gfp_size_min(s.bits_a, s.bits_b);
    const gfp_zguess g = {len_g, (size_t)fmax(p->log2_lead, guess)};
    size_t count = 0;
    do {
        gfp_zpredict_gcd(&rows[count], gcds[count], &s, g);
        count++;
    } while (count < GCDS && is_long(&s, rows, count, FIRST_GCDS));
    /* To stay costs more than to leave where the prediction errs. */
    rows[0].estimate_ns -= gfp_zpredict_first_image(&s, len_g);
    rows[0].estimate_ns = fmax(0, STAY * rows[0].estimate_ns);
    /* Big primes need the same proof, and the images are there. */
    for (size_t i = 0; i < count; i++) {
        rows[i].reason = gcds[i] == GFP_Z_BIG || gcds[i] == GFP_Z_MIX ? "" : rows[i].reason;
    }
    return gcds[cheapest(rows, count)];
}

/* ---- plans ---- */

static void set_pick(gfp_zplan *plan, size_t row)
{
    plan->pick = row;
    plan->why = plan->why != NULL ? plan->why : "it has the least predicted time";
}

void gfp_zplan_resultant(gfp_zplan *plan, const gfp_zcall *call, const gfp_zpair *pair)
{
    gfp_zsizes s = sizes_of(call, pair->a, pair->b);
    s.bits = plan->bits = pair->bits;
    plan->count = RESULTANTS;
    for (size_t i = 0; i < RESULTANTS; i++) {
        gfp_zpredict_resultant(&plan->row[i], resultants[i], &s);
    }
    const gfp_zmethod choice = gfp_zchoose_resultant(call, pair);
    size_t row = 0;
    while (resultants[row] != choice) {
        row++;
    }
    set_pick(plan, row);
}

void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p)
{
    outlook o;
    const gfp_zsizes s = all_sizes_of(call, p);
    look(&o, &s, true);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    for (size_t i = 0; i < GCDS; i++) {
        plan->row[i] = o.half[i];
        if (o.half[i].reason == NULL) {
            plan->row[i].estimate_ns = (o.coprime[i].estimate_ns + o.half[i].estimate_ns) / 2;
        }
    }
    size_t row = pick_gcd(&o);
    if (is_short(&s)) {
        row = 1;
        plan->why = "the operands are short";
    } else if (row == 0 && !o.goes_on) {
        plan->then = plan->row[o.next].name;
        plan->why = "its first image shows coprime operands, or the degree for the next strategy";
    }
    set_pick(plan, row);
}
