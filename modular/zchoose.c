/* zchoose.c: see zchoose.h. A choice compares the predicted times of the methods; where those that
 * win nearly always are short, others are not predicted.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"

#include <math.h>

#include "zglance.h"

/* A method is predicted if the cheapest one before it in the table takes longer than least_ns:
 * those before are nearly always the best where kernels have vectors. */
typedef struct candidate {
    gfp_zmethod method;
    double least_ns;
} candidate;

/* The methods of an operation, in the order of a plan's rows; word-size primes come first. */
static const candidate resultants[] = {
    {GFP_Z_WORDS, 0}, {GFP_Z_FLINT, 1e4}, {GFP_Z_BIG, 1e5}, {GFP_Z_MIX, 1e5}};
static const candidate gcds[] = {
    {GFP_Z_WORDS, 0}, {GFP_Z_KRONECKER, 0}, {GFP_Z_FLINT, 1e4}, {GFP_Z_BIG, 1e5}, {GFP_Z_MIX, 1e5}};
enum { RESULTANTS = sizeof resultants / sizeof *resultants, GCDS = sizeof gcds / sizeof *gcds };

/* Limbs of an operand up to which a gcd is one of integers. */
#define SHORT_LIMBS 12
/* The parts of the time of a first image, and of a gcd of integers, that a gcd modulo one prime may
 * take before any choice; nanoseconds of one for operands that are short. */
#define GLANCE_IMAGE 0.4
#define GLANCE_INTEGERS 0.1
#define GLANCE_SHORT_NS 300
static gfp_zsizes sizes_of(const gfp_zcall *call, gfp_zpoly a, gfp_zpoly b)
{
    gfp_zsizes s = {.ring = call->ring,
                    .threads = call->task.threads,
                    .cofactors = call->cofactors,
                    .len_a = a.len,
                    .len_b = b.len,
                    .width_a = a.width,
                    .width_b = b.width,
                    .left = call->left};
    gfp_zfactors_read(s.factor, call->options->tuning);
    return s;
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

/* Whether the next method is worth a prediction, too. */
static bool is_long(const gfp_zsizes *s, const gfp_zprediction *rows, size_t count,
                    const candidate *next)
{
    const bool vectors = s->ring->level != GFP_LEVEL_PORTABLE;
    const double least = vectors ? next->least_ns : next->least_ns / 5;
    return least == 0 || price(&rows[cheapest(rows, count)]) > least;
}

/* ---- resultants ---- */

gfp_zmethod gfp_zchoose_resultant(const gfp_zcall *call, const gfp_zpair *pair)
{
    gfp_zprediction rows[RESULTANTS];
    gfp_zsizes s = sizes_of(call, pair->a, pair->b);
    s.bits = pair->bits;
    size_t count = 0;
    do {
        gfp_zpredict_resultant(&rows[count], resultants[count].method, &s);
        count++;
    } while (count < RESULTANTS && is_long(&s, rows, count, &resultants[count]));
    return resultants[cheapest(rows, count)].method;
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
        gfp_zpredict_gcd(&o->coprime[o->count], gcds[o->count].method, s, none);
        gfp_zpredict_gcd(&o->half[o->count], gcds[o->count].method, s, half);
        o->count++;
    } while (o->count < GCDS && (all || is_long(s, o->half, o->count, &gcds[o->count])));
    o->next = 1 + cheapest(o->half + 1, o->count - 1);
    o->leave = gfp_zpredict_first_image(s, half.len) + price(&o->half[o->next]);
    o->goes_on = price(&o->half[0]) <= o->leave;
}

/* The sum of the fourth powers of times in both cases, each divided by the least one: the greater
 * one counts. */
static double regret_of(const outlook *o, double coprime, double half)
{
    const double x = coprime / price(&o->coprime[cheapest(o->coprime, o->count)]);
    const double y = half / price(&o->half[cheapest(o->half, o->count)]);
    return x * x * x * x + y * y * y * y;
}

/* *regret := that of the pick. */
static size_t pick_gcd(const outlook *o, double *regret)
{
    size_t best = 0;
    *regret = HUGE_VAL;
    for (size_t i = 0; i < o->count; i++) {
        const double half = i == 0 && !o->goes_on ? o->leave : price(&o->half[i]);
        const double r = regret_of(o, price(&o->coprime[i]), half);
        best = r < *regret ? i : best;
        *regret = fmin(r, *regret);
    }
    return best;
}

/* The regret of a gcd modulo one prime first, which proves that operands are coprime. */
static double glance_regret(const outlook *o, double time)
{
    return regret_of(o, time, time + price(&o->half[cheapest(o->half, o->count)]));
}

static bool is_short(const gfp_zsizes *s)
{
    const size_t bits = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const size_t len = s->len_a > s->len_b ? s->len_a : s->len_b;
    return len <= 64 * SHORT_LIMBS && len * bits <= (size_t)64 * SHORT_LIMBS;
}

/* Predicts gcds of this length, whose multiple with the leading coefficient has at least `lead`
 * bits; returns the number of rows. */
static size_t look_at(gfp_zprediction *rows, const gfp_zsizes *s, size_t len_g, double lead,
                      bool all)
{
    const double degree = (double)gfp_size_min(s->len_a, s->len_b) - 1;
    const double share = ((double)len_g - 1) / degree / 2;
    const double guess = share * (double)gfp_size_min(s->bits_a, s->bits_b);
    const gfp_zguess g = {len_g, (size_t)fmax(lead, guess)};
    size_t count = 0;
    do {
        gfp_zpredict_gcd(&rows[count], gcds[count].method, s, g);
        count++;
    } while (count < GCDS && (all || is_long(s, rows, count, &gcds[count])));
    return count;
}

/* The length of the gcd modulo one prime; 0: not known. */
static size_t glance(const gfp_zsizes *s, const gfp_zoperands *p)
{
    size_t len = 0;
    double worth = GLANCE_SHORT_NS;
    if (!is_short(s)) {
        gfp_zprediction row;
        const gfp_zguess none = {1, 0};
        gfp_zpredict_gcd(&row, GFP_Z_KRONECKER, s, none);
        worth = GLANCE_IMAGE * gfp_zpredict_first_image(s, 1);
        worth = row.reason != NULL ? worth : fmin(worth, GLANCE_INTEGERS * row.estimate_ns);
    }
    return gfp_zglance(s->ring->level, &len, p->a, p->b, worth) ? len : 0;
}

/* The method for a gcd whose length modulo one prime is known. */
static gfp_zmethod by_degree(const gfp_zsizes *s, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    if (len_g == 1) {
        return GFP_Z_WORDS;
    }
    return is_short(s) ? GFP_Z_KRONECKER
                       : gcds[cheapest(rows, look_at(rows, s, len_g, 0, false))].method;
}

/* *o := the outlook, where the choice needs one, else without rows. */
static gfp_zmethod choose_gcd(const gfp_zsizes *s, const gfp_zoperands *p, size_t *len_g,
                              outlook *o)
{
    o->count = 0;
    *len_g = glance(s, p);
    if (*len_g > 0 || is_short(s)) {
        return *len_g > 0 ? by_degree(s, *len_g) : GFP_Z_KRONECKER;
    }
    look(o, s, false);
    double regret;
    const size_t row = pick_gcd(o, &regret);
    const double time = gfp_zglance_time(s->ring->level, p->a, p->b);
    if (glance_regret(o, time) < regret && gfp_zglance(s->ring->level, len_g, p->a, p->b, time)) {
        return by_degree(s, *len_g);
    }
    *len_g = 0;
    return gcds[row].method;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g)
{
    outlook o;
    const gfp_zsizes s = all_sizes_of(call, p);
    return choose_gcd(&s, p, len_g, &o);
}

#define STAY 1.3

gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    const gfp_zsizes s = all_sizes_of(call, p);
    const size_t count = look_at(rows, &s, len_g, p->log2_lead, false);
    /* To stay costs more than to leave where the prediction errs. */
    rows[0].estimate_ns -= gfp_zpredict_first_image(&s, len_g);
    rows[0].estimate_ns = fmax(0, STAY * rows[0].estimate_ns);
    /* Big primes need the same proof, and the images are there. */
    for (size_t i = 0; i < count; i++) {
        const bool big = gcds[i].method == GFP_Z_BIG || gcds[i].method == GFP_Z_MIX;
        rows[i].reason = big ? "" : rows[i].reason;
    }
    return gcds[cheapest(rows, count)].method;
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
        gfp_zpredict_resultant(&plan->row[i], resultants[i].method, &s);
    }
    const gfp_zmethod choice = gfp_zchoose_resultant(call, pair);
    size_t row = 0;
    while (resultants[row].method != choice) {
        row++;
    }
    set_pick(plan, row);
}

void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p)
{
    outlook o, all;
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod choice = choose_gcd(&s, p, &plan->len_g, &o);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    plan->len_g = call->method == GFP_Z_AUTO ? plan->len_g : 0;
    if (plan->len_g > 0) {
        (void)look_at(plan->row, &s, plan->len_g, 0, true);
    } else {
        look(&all, &s, true);
        for (size_t i = 0; i < GCDS; i++) {
            plan->row[i] = all.half[i];
            if (all.half[i].reason == NULL) {
                plan->row[i].estimate_ns =
                    (all.coprime[i].estimate_ns + all.half[i].estimate_ns) / 2;
            }
        }
    }
    if (plan->len_g == 1) {
        plan->why = "a gcd modulo one prime proves that the operands are coprime";
    } else if (is_short(&s)) {
        plan->why = "the operands are short";
    } else if (plan->len_g == 0 && choice == GFP_Z_WORDS && o.count > 0 && !o.goes_on) {
        plan->then = plan->row[o.next].name;
        plan->why = "its first image shows coprime operands, or the degree for the next strategy";
    }
    size_t row = 0;
    while (gcds[row].method != choice) {
        row++;
    }
    set_pick(plan, row);
}
