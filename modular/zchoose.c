/* zchoose.c: see zchoose.h. A choice compares the predicted times of the methods; where those that
 * win nearly always are short, others are not predicted.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "zchoose.h"

#include <math.h>

#include "zglance.h"
#include "zlog.h"

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
    {GFP_Z_WORDS, 0}, {GFP_Z_KRONECKER, 0}, {GFP_Z_FLINT, 3e4}, {GFP_Z_BIG, 1e5}, {GFP_Z_MIX, 1e5}};
enum { RESULTANTS = sizeof resultants / sizeof *resultants, GCDS = sizeof gcds / sizeof *gcds };

/* The limbs of the values of both operands, their products, and the bits of coefficients up to
 * which a gcd is one of integers; the nanoseconds of a glance for each of these products. */
#define SHORT_LIMBS 64
#define SHORT_PRODUCTS 300
#define SHORT_BITS 190
#define GLANCE_SHORT_NS 2.2
/* A glance of this time comes first in any case, with this part of the gcds of coefficients, and
 * where operands are not short for each number of the shorter one and as many of the other one:
 * every method takes several times as long. */
#define GLANCE_LEAST_NS 240
#define GLANCE_CONTENTS 0.25
#define GLANCE_NUMBER_NS 10
/* The parts of the time of a first image, and of a gcd of integers, that a gcd modulo one prime may
 * take before any choice. */
#define GLANCE_IMAGE 0.25
#define GLANCE_INTEGERS 0.1
/* The same part of the latter where no other method finds a divisor as soon: there the degree does
 * not matter, but whether operands are coprime, if a first image shows that much sooner. */
#define GLANCE_BRIEF 0.27
#define SOONER 1.15
#define BRIEF 0.95
#define LONG_NS 15000
/* Images of less time are not worth thoughts on long divisors. */
#define IMAGE_NS 5000

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
    gfp_zpredict_contents(&s);
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

/* The degree is not known: the operands are coprime, or the divisor has half of the length and the
 * bits of the shorter one, or most of them, or nearly all. */
enum { COPRIME, HALF, MOST, NEARLY, CASES };

typedef struct outlook {
    gfp_zprediction row[CASES][GCDS];
    double time[CASES][GCDS]; /* of each strategy without a glance; word-size primes may leave */
    double best[CASES];       /* the least time of a strategy */
    double seen[CASES];       /* until a gcd modulo one prime shows the divisor */
    unsigned cases;           /* the first ones, which are possible */
    size_t count;             /* rows that are predicted */
    size_t next;  /* the cheapest row but the first one for a divisor of half the length */
    bool goes_on; /* by word-size primes, whatever the first image shows */
} outlook;

static gfp_zguess guess_of(const gfp_zsizes *s, unsigned of)
{
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t bits = gfp_size_min(s->bits_a, s->bits_b) / 2;
    switch (of) {
    case COPRIME:
        return (gfp_zguess){1, 0};
    case HALF:
        return (gfp_zguess){shorter / 2 + 1, bits};
    case MOST:
        return (gfp_zguess){shorter - shorter / 8, bits};
    default:
        return (gfp_zguess){shorter - shorter / 16, bits};
    }
}

/* Fills the times of a case. */
static void weigh(outlook *o, const gfp_zsizes *s, unsigned of)
{
    const gfp_zprediction *row = o->row[of];
    double *time = o->time[of];
    for (size_t i = 0; i < o->count; i++) {
        time[i] = price(&row[i]);
    }
    if (of != COPRIME) {
        const size_t next = 1 + cheapest(row + 1, o->count - 1);
        const double leave = gfp_zpredict_first_image(s, guess_of(s, of).len) + price(&row[next]);
        o->next = of == HALF ? next : o->next;
        o->goes_on = of == HALF ? time[0] <= leave : o->goes_on;
        time[0] = fmin(time[0], leave);
    }
    o->best[of] = price(&row[cheapest(row, o->count)]);
}

/* Predicts from row o->count on while that is worth it, in the first cases. */
static void look(outlook *o, const gfp_zsizes *s, unsigned cases, bool all)
{
    while (o->count < 2 ||
           (o->count < GCDS && (all || is_long(s, o->row[HALF], o->count, &gcds[o->count])))) {
        for (unsigned of = 0; of < cases; of++) {
            gfp_zpredict_gcd(&o->row[of][o->count], gcds[o->count].method, s, guess_of(s, of));
        }
        o->count++;
    }
    for (unsigned of = o->cases; of < cases; of++) {
        for (size_t i = 0; i < o->count; i++) {
            gfp_zpredict_gcd(&o->row[of][i], gcds[i].method, s, guess_of(s, of));
        }
    }
    o->cases = cases;
}

static void look_on(outlook *o, const gfp_zsizes *s, const gfp_zoperands *p)
{
    look(o, s, o->row[COPRIME][0].estimate_ns < IMAGE_NS ? MOST : CASES, false);
    for (unsigned of = 0; of < o->cases; of++) {
        weigh(o, s, of);
        o->seen[of] = gfp_zglance_time(s->ring->level, p->a, p->b, guess_of(s, of).len);
    }
}

/* What is saved on coprime operands counts half as much as what is lost on others. */
#define GAIN 4
#define LN_2 0.693

/* The eighth power of a time divided by the least one, so that of several cases the greatest one
 * counts; less than the least one, the logarithm counts. Cases of long divisors count less. */
static double regret_of(const outlook *o, unsigned of, double time)
{
    static const double weight[CASES] = {1, 1, 0.3, 0.15};
    const double x = time / o->best[of], z = x * x * x * x;
    return weight[of] * (x < 1 ? 1 - GAIN * LN_2 * gfp_zlog2(o->best[of] / time) : z * z);
}

/* The row to take in the first cases when `spent` nanoseconds are gone; its regret is added to
 * *regret. */
static size_t pick_gcd(const outlook *o, unsigned cases, double spent, double *regret)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < o->count; i++) {
        double r = 0;
        for (unsigned of = 0; of < cases; of++) {
            r += regret_of(o, of, spent + o->time[of][i]);
        }
        best = r < least ? i : best;
        least = fmin(r, least);
    }
    *regret += least;
    return best;
}

/* Divisors that are somewhat shorter than those of a case are sought, too. */
#define PATIENCE 1.5

/* The regret of a glance that sees divisors of the cases from `from` on, in the first cases. */
static double glance_regret(const outlook *o, unsigned from, unsigned cases)
{
    double regret = 0;
    for (unsigned of = from; of < cases; of++) {
        regret += regret_of(o, of, o->seen[of] + (of == COPRIME ? 0 : o->best[of]));
    }
    (void)pick_gcd(o, from, PATIENCE * o->seen[from], &regret);
    return regret;
}

/* Whether a gcd modulo one prime comes first; then *worth := the nanoseconds that it may take, and
 * the cases that it excludes if it takes longer are left out. Else *row is the row to take. */
static bool is_worth_a_glance(outlook *o, double *worth, size_t *row)
{
    double least = 0, usual = 0;
    unsigned cases = o->cases;
    *row = pick_gcd(o, cases, 0, &least);
    (void)pick_gcd(o, MOST, 0, &usual);
    for (unsigned from = 0; from < o->cases && o->seen[COPRIME] < HUGE_VAL; from++) {
        /* What is rare excuses a short glance only. */
        const bool fits = from >= MOST || glance_regret(o, from, MOST) < usual;
        const double regret = glance_regret(o, from, o->cases);
        if (fits && regret < least) {
            least = regret;
            cases = from;
        }
    }
    if (cases == o->cases) {
        return false;
    }
    *worth = cases == COPRIME ? 2 * o->seen[COPRIME] : PATIENCE * o->seen[cases];
    o->cases = cases;
    return true;
}

/* The limbs of both values, multiplied; HUGE_VAL if an operand or a coefficient is not short. */
static double short_products(const gfp_zsizes *s)
{
    const size_t far = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const double near = (double)gfp_size_min(s->bits_a, s->bits_b) + 10;
    const double a = (double)s->len_a * near / 64, b = (double)s->len_b * near / 64;
    return far <= SHORT_BITS && a + b <= SHORT_LIMBS && a * b <= SHORT_PRODUCTS ? a * b : HUGE_VAL;
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

/* The nanoseconds that a glance before any choice is worth. *brief := whether a gcd of integers
 * takes a divisor of any length. */
static double first_worth(const outlook *o, bool *brief)
{
    const gfp_zprediction *coprime = o->row[COPRIME], *half = o->row[HALF];
    const double image = coprime[0].estimate_ns, time = price(&coprime[1]);
    *brief = time < LONG_NS && time + half[1].proof_ns < BRIEF * half[0].estimate_ns;
    return *brief && time > SOONER * image ? GLANCE_BRIEF * time
                                           : fmin(GLANCE_IMAGE * image, GLANCE_INTEGERS * time);
}

/* The method for a gcd whose length modulo one prime is known. */
static gfp_zmethod by_degree(const gfp_zsizes *s, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    return len_g == 1 ? GFP_Z_WORDS
                      : gcds[cheapest(rows, look_at(rows, s, len_g, 0, false))].method;
}

/* A gcd modulo one prime within this time; *len_g := the length, 0: not known. */
static bool glance(const gfp_zsizes *s, const gfp_zoperands *p, double worth, size_t *len_g)
{
    *len_g = 0;
    return gfp_zglance(s->ring->level, len_g, p->a, p->b, worth);
}

/* The nanoseconds that a glance before any prediction is worth. */
static double worth_at_once(const gfp_zsizes *s, double products)
{
    const double numbers = 2 * (double)gfp_size_min(s->len_a, s->len_b);
    return GLANCE_LEAST_NS + GLANCE_CONTENTS * s->contents +
           (products < HUGE_VAL ? GLANCE_SHORT_NS * products : GLANCE_NUMBER_NS * numbers);
}

/* *o := the outlook, where the choice needs one, else without rows. *brief: see first_worth. */
static gfp_zmethod choose_gcd(const gfp_zsizes *s, const gfp_zoperands *p, size_t *len_g,
                              outlook *o, bool *brief)
{
    const double time = gfp_zglance_time(s->ring->level, p->a, p->b, 1);
    const double products = short_products(s);
    double worth = worth_at_once(s, products), regret = 0;
    o->count = o->cases = 0;
    o->goes_on = true;
    *len_g = 0;
    *brief = products < HUGE_VAL;
    bool known = time <= worth && glance(s, p, 2 * worth, len_g);
    if (!*brief && !known) {
        look(o, s, MOST, false);
        worth = first_worth(o, brief);
        known = time <= worth && glance(s, p, 2 * worth, len_g);
    }
    if (*brief) {
        return *len_g == 1 ? GFP_Z_WORDS : GFP_Z_KRONECKER;
    }
    if (known) {
        return by_degree(s, *len_g);
    }
    size_t row;
    look_on(o, s, p);
    if (is_worth_a_glance(o, &worth, &row)) {
        if (glance(s, p, worth, len_g)) {
            return by_degree(s, *len_g);
        }
        row = pick_gcd(o, o->cases, 0, &regret);
    }
    return gcds[row].method;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g)
{
    outlook o;
    bool brief;
    const gfp_zsizes s = all_sizes_of(call, p);
    return choose_gcd(&s, p, len_g, &o, &brief);
}

#define STAY 1.0

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
    bool brief;
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod choice = choose_gcd(&s, p, &plan->len_g, &o, &brief);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    plan->len_g = call->method == GFP_Z_AUTO ? plan->len_g : 0;
    if (plan->len_g > 0) {
        (void)look_at(plan->row, &s, plan->len_g, 0, true);
    } else {
        all.count = all.cases = 0;
        look(&all, &s, MOST, true);
        for (size_t i = 0; i < GCDS; i++) {
            plan->row[i] = all.row[HALF][i];
            if (plan->row[i].reason == NULL) {
                plan->row[i].estimate_ns =
                    (all.row[COPRIME][i].estimate_ns + all.row[HALF][i].estimate_ns) / 2;
            }
        }
    }
    if (plan->len_g == 1) {
        plan->why = "a gcd modulo one prime proves that the operands are coprime";
    } else if (brief) {
        plan->why = "the operands are short";
    } else if (plan->len_g == 0 && choice == GFP_Z_WORDS && o.cases > 0 && !o.goes_on) {
        plan->then = plan->row[o.next].name;
        plan->why = "its first image shows coprime operands, or the degree for the next strategy";
    }
    size_t row = 0;
    while (gcds[row].method != choice) {
        row++;
    }
    set_pick(plan, row);
}
