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
#define GLANCE_IMAGE 0.25
#define GLANCE_INTEGERS 0.1
#define GLANCE_SHORT_NS 300
/* The same part of the latter where no other method finds a divisor as soon: there the degree does
 * not matter, but whether operands are coprime, if a first image shows that much sooner. */
#define GLANCE_BRIEF 0.27
#define SOONER 1.15
#define BRIEF 0.95

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
        return (gfp_zguess){shorter - shorter / 32, bits};
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

/* An image of less time is not worth thoughts on long divisors. */
#define LONG_NS 5000

static void look(outlook *o, const gfp_zsizes *s, const gfp_zoperands *p, bool all)
{
    o->count = 0;
    o->cases = CASES;
    do {
        for (unsigned of = 0; of < o->cases; of++) {
            gfp_zpredict_gcd(&o->row[of][o->count], gcds[o->count].method, s, guess_of(s, of));
        }
        o->cases = o->row[COPRIME][0].estimate_ns < LONG_NS ? MOST : CASES;
        o->count++;
    } while (o->count < GCDS && (all || is_long(s, o->row[HALF], o->count, &gcds[o->count])));
    for (unsigned of = 0; of < o->cases; of++) {
        weigh(o, s, of);
        o->seen[of] = gfp_zglance_time(s->ring->level, p->a, p->b, guess_of(s, of).len);
    }
}

/* What is saved on coprime operands does not make up for all that is lost on others. */
#define GAIN 0.8

/* The eighth power of a time divided by the least one, so that of several cases the greatest one
 * counts; cases of long divisors count less. */
static double regret_of(const outlook *o, unsigned of, double time)
{
    static const double weight[CASES] = {1, 1, 0.3, 0.15};
    const double x = time / o->best[of], y = x < GAIN ? GAIN : x, z = y * y * y * y;
    return weight[of] * z * z;
}

/* The row to take when `spent` nanoseconds are gone; its regret is added to *regret. */
static size_t pick_gcd(const outlook *o, double spent, double *regret)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < o->count; i++) {
        double r = 0;
        for (unsigned of = 0; of < o->cases; of++) {
            r += regret_of(o, of, spent + o->time[of][i]);
        }
        best = r < least ? i : best;
        least = fmin(r, least);
    }
    *regret += least;
    return best;
}

/* Whether a gcd modulo one prime comes first; then *worth := the nanoseconds that it may take, and
 * the cases that it excludes if it takes longer are left out. Else *row is the row to take. */
static bool is_worth_a_glance(outlook *o, double *worth, size_t *row)
{
    double least = 0;
    unsigned cases = o->cases;
    *row = pick_gcd(o, 0, &least);
    for (unsigned from = 0; from < o->cases && o->seen[COPRIME] < HUGE_VAL; from++) {
        /* Divisors of the cases from this one on are seen. */
        outlook rest = *o;
        double regret = 0;
        for (unsigned of = from; of < o->cases; of++) {
            const double left = of == COPRIME ? 0 : o->best[of];
            regret += regret_of(o, of, o->seen[of] + left);
        }
        rest.cases = from;
        (void)pick_gcd(&rest, o->seen[from], &regret);
        if (regret < least) {
            least = regret;
            cases = from;
        }
    }
    if (cases == o->cases) {
        return false;
    }
    *worth = cases == COPRIME ? 2 * o->seen[COPRIME] : o->seen[cases];
    o->cases = cases;
    return true;
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

/* The nanoseconds that a glance before any choice is worth. *brief := whether a gcd of integers
 * takes a divisor of any length. */
static double first_worth(const gfp_zsizes *s, bool *brief)
{
    gfp_zprediction integers, words;
    *brief = is_short(s);
    if (*brief) {
        return GLANCE_SHORT_NS;
    }
    gfp_zpredict_gcd(&integers, GFP_Z_KRONECKER, s, guess_of(s, COPRIME));
    gfp_zpredict_gcd(&words, GFP_Z_WORDS, s, guess_of(s, HALF));
    const double time = integers.reason != NULL ? HUGE_VAL : integers.estimate_ns;
    double most = time; /* of any divisor */
    if (s->bits_a != s->bits_b && time < words.estimate_ns) {
        gfp_zpredict_gcd(&integers, GFP_Z_KRONECKER, s, guess_of(s, HALF));
        most = fmax(time, integers.estimate_ns);
    }
    const double image = gfp_zpredict_first_image(s, 1);
    *brief = most < BRIEF * words.estimate_ns;
    return *brief && time > SOONER * image ? GLANCE_BRIEF * time
                                           : fmin(GLANCE_IMAGE * image, GLANCE_INTEGERS * time);
}

/* The length of the gcd modulo one prime, where this costs little; 0: not known. */
static size_t glance(const gfp_zsizes *s, const gfp_zoperands *p, bool *brief)
{
    const gfp_level level = s->ring->level;
    const double worth = first_worth(s, brief);
    size_t len = 0;
    return gfp_zglance_time(level, p->a, p->b, 1) <= worth &&
                   gfp_zglance(level, &len, p->a, p->b, 2 * worth)
               ? len
               : 0;
}

/* The method for a gcd whose length modulo one prime is known. */
static gfp_zmethod by_degree(const gfp_zsizes *s, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    return len_g == 1 ? GFP_Z_WORDS
                      : gcds[cheapest(rows, look_at(rows, s, len_g, 0, false))].method;
}

/* *o := the outlook, where the choice needs one, else without rows. *brief: see glance. */
static gfp_zmethod choose_gcd(const gfp_zsizes *s, const gfp_zoperands *p, size_t *len_g,
                              outlook *o, bool *brief)
{
    o->count = 0;
    *len_g = glance(s, p, brief);
    if (*brief) {
        return *len_g == 1 ? GFP_Z_WORDS : GFP_Z_KRONECKER;
    }
    if (*len_g > 0) {
        return by_degree(s, *len_g);
    }
    look(o, s, p, false);
    size_t row;
    double worth, regret = 0;
    if (is_worth_a_glance(o, &worth, &row)) {
        if (gfp_zglance(s->ring->level, len_g, p->a, p->b, worth)) {
            return by_degree(s, *len_g);
        }
        row = pick_gcd(o, 0, &regret);
    }
    *len_g = 0;
    return gcds[row].method;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g)
{
    outlook o;
    bool brief;
    const gfp_zsizes s = all_sizes_of(call, p);
    return choose_gcd(&s, p, len_g, &o, &brief);
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
    bool brief;
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod choice = choose_gcd(&s, p, &plan->len_g, &o, &brief);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    plan->len_g = call->method == GFP_Z_AUTO ? plan->len_g : 0;
    if (plan->len_g > 0) {
        (void)look_at(plan->row, &s, plan->len_g, 0, true);
    } else {
        look(&all, &s, p, true);
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
