/* zchoose.c: see zchoose.h. A choice compares the predicted times of the methods; where the one
 * that wins nearly always is short, others are not predicted. SPDX-License-Identifier:
 * LGPL-3.0-or-later */
#include "zchoose.h"

#include <math.h>

/* The methods of an operation, in the order of a plan's rows; word-size primes come first. */
static const gfp_zmethod resultants[] = {GFP_Z_WORDS, GFP_Z_BIG, GFP_Z_FLINT};
static const gfp_zmethod gcds[] = {GFP_Z_WORDS, GFP_Z_KRONECKER, GFP_Z_BIG, GFP_Z_FLINT};
enum { RESULTANTS = sizeof resultants / sizeof *resultants, GCDS = sizeof gcds / sizeof *gcds };

/* Nanoseconds of a resultant by word-size primes up to which nothing else is predicted; limbs of
 * the shorter operand up to which a gcd is one of integers. */
#define SHORT_NS 5000
#define SHORT_LIMBS 6

static gfp_zsizes sizes_of(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    return (gfp_zsizes){.ring = call->ring,
                        .threads = call->task.threads,
                        .cofactors = call->cofactors,
                        .len_a = a.len,
                        .len_b = b.len,
                        .width_a = a.width,
                        .width_b = b.width,
                        .bits_a = gfp_zpoly_bits(a),
                        .bits_b = gfp_zpoly_bits(b),
                        .left = call->left};
}

static double price(const gfp_zprediction *row)
{
    return row->reason == NULL ? row->estimate_ns + row->create_ns : HUGE_VAL;
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

/* ---- resultants ---- */

gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair)
{
    gfp_zprediction rows[RESULTANTS];
    gfp_zsizes s = sizes_of(call, pair->a, pair->b);
    s.bits = pair->bits;
    for (size_t i = 0; i < RESULTANTS; i++) {
        gfp_zpredict_resultant(&rows[i], resultants[i], &s);
        if (i == 0 && rows[0].reason == NULL && rows[0].estimate_ns < SHORT_NS) {
            return GFP_Z_WORDS;
        }
    }
    return resultants[cheapest(rows, RESULTANTS)];
}

/* ---- gcds ---- */

/* The degree is not known: the operands are coprime, or half of the degree and of the bits of the
 * shorter one is the divisor's. */
typedef struct outlook {
    gfp_zprediction coprime[GCDS], half[GCDS];
    size_t next;     /* the cheapest row but the first one for a divisor */
    bool goes_on;    /* by word-size primes, whatever the first image shows */
    double by_words; /* the mean time of both cases, if the choice is made again */
} outlook;

static void look(outlook *o, const gfp_zsizes *s)
{
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const gfp_zguess none = {1, 0},
                     half = {shorter / 2 + 1, gfp_size_min(s->bits_a, s->bits_b) / 2};
    for (size_t i = 0; i < GCDS; i++) {
        gfp_zpredict_gcd(&o->coprime[i], gcds[i], s, none);
        gfp_zpredict_gcd(&o->half[i], gcds[i], s, half);
    }
    o->next = 1 + cheapest(o->half + 1, GCDS - 1);
    const double other = gfp_zpredict_first_image(s) + price(&o->half[o->next]);
    o->goes_on = price(&o->half[0]) <= other;
    o->by_words = (price(&o->coprime[0]) + fmin(price(&o->half[0]), other)) / 2;
}

static double mean_price(const outlook *o, size_t i)
{
    return (price(&o->coprime[i]) + price(&o->half[i])) / 2;
}

static size_t pick_gcd(const outlook *o)
{
    size_t best = 0;
    double least = o->by_words;
    for (size_t i = 1; i < GCDS; i++) {
        if (mean_price(o, i) < least) {
            best = i;
            least = mean_price(o, i);
        }
    }
    return best;
}

static bool is_short(const gfp_zsizes *s)
{
    const size_t bits = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const size_t len = s->len_a > s->len_b ? s->len_a : s->len_b;
    return len <= 64 * SHORT_LIMBS && len * bits <= (size_t)64 * SHORT_LIMBS;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    outlook o;
    const gfp_zsizes s = sizes_of(call, a, b);
    if (is_short(&s)) {
        return GFP_Z_KRONECKER;
    }
    look(&o, &s);
    return gcds[pick_gcd(&o)];
}

gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    const gfp_zsizes s = sizes_of(call, p->a, p->b);
    const double degree = (double)gfp_size_min(s.len_a, s.len_b) - 1;
    const double share = ((double)len_g - 1) / degree / 2;
    const double guess = share * (double)gfp_size_min(s.bits_a, s.bits_b);
    const gfp_zguess g = {len_g, (size_t)fmax(p->log2_lead, guess)};
    for (size_t i = 0; i < GCDS; i++) {
        gfp_zpredict_gcd(&rows[i], gcds[i], &s, g);
    }
    rows[0].estimate_ns = fmax(0, rows[0].estimate_ns - gfp_zpredict_first_image(&s));
    return gcds[cheapest(rows, GCDS)];
}

/* ---- plans ---- */

/* Sets the row that the options name, or the choice's one with its reason. */
static void set_pick(gfp_zplan *plan, gfp_zmethod asked, const gfp_zmethod *methods, size_t choice)
{
    plan->pick = choice;
    if (asked == GFP_Z_AUTO) {
        plan->why = plan->why != NULL ? plan->why : "it has the least predicted time";
        return;
    }
    plan->pick = 0;
    plan->then = NULL;
    while (plan->pick < plan->count && methods[plan->pick] != asked) {
        plan->pick++;
    }
    const bool served = plan->pick < plan->count && plan->row[plan->pick].reason == NULL;
    plan->pick = served ? plan->pick : plan->count;
    plan->why = served ? "the options name it" : "the strategy that the options name cannot serve";
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
    set_pick(plan, call->method, resultants, row);
}

void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    outlook o;
    const gfp_zsizes s = sizes_of(call, a, b);
    look(&o, &s);
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
    set_pick(plan, call->method, gcds, row);
}
