/* choice.c: see modular/choice.h. A choice compares the predicted times of the methods; where those
 * that win nearly always are short, others are not predicted.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choice.h"

#include <math.h>

#include "modular/gcd/impl.h"
#include "modular/gcd/glance.h"
#include "crt/small/log.h"
#include "modular/choose/predict.h"
#include "modular/resultant/impl.h"

bool gfp_zflint_is_there(void)
{
    return GFP_HAVE_FLINT && gfp_crt_flint_problem()[0] == '\0';
}

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
    {GFP_Z_WORDS, 0}, {GFP_Z_KRONECKER, 0}, {GFP_Z_FLINT, 6e4}, {GFP_Z_BIG, 3e5}, {GFP_Z_MIX, 3e5}};
enum { RESULTANTS = sizeof resultants / sizeof *resultants, GCDS = sizeof gcds / sizeof *gcds };
/* Rows of gcds; word-size primes are the first row of resultants, too. */
enum { WORDS, KRONECKER };

/* The limbs of the values of both operands, their products, and the bits of coefficients up to
 * which a gcd is one of integers. */
#define SHORT_LIMBS 64
#define SHORT_PRODUCTS 300
#define SHORT_BITS 190
/* The test of coprimality comes first if its predicted time is below this, plus this part of the
 * time of the contents, plus this for each coefficient of both operands up to the shorter length:
 * every method takes several times as long. */
#define GLANCE_LEAST_NS 240
#define GLANCE_CONTENTS 0.25
#define GLANCE_NUMBER_NS 10
/* The parts of the time of a first image, and of a gcd of integers, that a gcd modulo one prime may
 * take before any choice. */
#define GLANCE_IMAGE 0.25
#define GLANCE_INTEGERS 0.1
/* The same part of the time for a divisor where no other method finds one as soon: there the degree
 * does not matter, but whether operands are coprime. */
#define GLANCE_BRIEF 0.18
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
                    .width_a = gfp_zpoly_widest(a),
                    .width_b = gfp_zpoly_widest(b),
                    .left = call->left};
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

/* Word-size primes take no width for all, but the limbs that are there. */
static size_t mean_width(gfp_zpoly a)
{
    return a.len > 0 ? gfp_zpoly_limbs(a) / a.len + 1 : 1;
}

static gfp_zsizes mean_sizes(const gfp_zsizes *s, gfp_zpoly a, gfp_zpoly b)
{
    gfp_zsizes mean = *s;
    mean.width_a = mean_width(a);
    mean.width_b = mean_width(b);
    mean.bits_a = gfp_size_min(s->bits_a, 64 * mean.width_a);
    mean.bits_b = gfp_size_min(s->bits_b, 64 * mean.width_b);
    return mean;
}

/* FLINT's times depend on more than sizes. */
#define SCATTER 1.25

static double choice_price(const gfp_zprediction *row)
{
    const bool flint = row->name == gfp_zmethod_names[GFP_Z_FLINT];
    const double time = row->estimate_ns + row->create_ns;
    return row->reason != NULL ? HUGE_VAL : flint ? SCATTER * time : time;
}

/* The index of the least price. */
static size_t choice_cheapest(const gfp_zprediction *rows, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = choice_price(&rows[i]) < choice_price(&rows[best]) ? i : best;
    }
    return best;
}

/* The least time of others from which on a method is worth a prediction. */
static double least_time(const gfp_zsizes *s, const candidate *next)
{
    return s->ring->level != GFP_LEVEL_PORTABLE ? next->least_ns : next->least_ns / 5;
}

/* Whether the next method is worth a prediction, too. */
static bool is_long(const gfp_zsizes *s, const gfp_zprediction *rows, size_t count,
                    const candidate *next)
{
    return next->least_ns == 0 ||
           choice_price(&rows[choice_cheapest(rows, count)]) > least_time(s, next);
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
    return resultants[choice_cheapest(rows, count)].method;
}

/* ---- gcds ---- */

/* The degree is not known: the operands are coprime, or the divisor has half of the length and the
 * bits of the shorter one, or most of them, or nearly all. */
enum { COPRIME, HALF, MOST, NEARLY, CASES };

typedef struct outlook {
    gfp_zprediction row[CASES][GCDS];
    double time[CASES][GCDS]; /* of each strategy without a glance; word-size primes may leave */
    double best[CASES];       /* the least time of a strategy */
    double seen[CASES];       /* until a glance shows the divisor */
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

/* ---- glances ---- */

/* The usual exponent of values, and the greatest one; the gcd of values of coprime operands has
 * fewer bits than this many steps. */
#define STEP 8
#define MOST_STEP 32
#define CLEAR 3
/* The part of a gcd of coprime operands that a glance of half of the step may take: it fails more
 * often. */
#define FAILS 0.2

/* The glance that shows first whether operands are coprime: a gcd of values at 2^step, or, step =
 * 0, modulo one prime. */
typedef struct glance {
    unsigned step;
    double time; /* predicted, for coprime operands */
} glance;

/* The length of the gcd that a glance showed, and its bounds; 0: none. Not exact: a guess. */
typedef struct sight {
    size_t len, least, most;
    size_t common; /* bits of the values' gcd, at 2^step */
    unsigned step;
    bool exact;
} sight;

static double glance_time(const gfp_zsizes *s, const gfp_zoperands *p, unsigned step, gfp_zguess g)
{
    return step > 0 ? gfp_zpredict_values(s, step, g)
                    : gfp_zglance_time(s->ring->level, p->a, p->b, g.len);
}

static glance best_glance(const gfp_zsizes *s, const gfp_zoperands *p)
{
    const gfp_zguess coprime = {1, 0};
    glance best = {0, glance_time(s, p, 0, coprime)};
    for (unsigned step = STEP; step <= MOST_STEP; step *= 2) {
        if (gfp_zglance_serves(p, step)) {
            const double time = glance_time(s, p, step, coprime);
            return time < best.time ? (glance){step, time} : best;
        }
    }
    return best;
}

/* A glance of half of the step, where a better one is not worth its time: one of 14 pairs of
 * coprime operands has a gcd of values that is too great. */
static glance shorter_glance(const gfp_zsizes *s, const gfp_zoperands *p, glance g)
{
    const glance less = {STEP / 2, glance_time(s, p, STEP / 2, (gfp_zguess){1, 0})};
    return g.step == STEP && gfp_zglance_serves(p, STEP / 2) ? less : g;
}

/* What the gcd of values at 2^step says, of these bits: they are those of the leading coefficient,
 * and the step for each degree. The guess: coefficients have their share of half of the operands'
 * bits. */
static sight sight_of(const gfp_zsizes *s, unsigned step, size_t common)
{
    const size_t longest = gfp_size_min(s->len_a, s->len_b) - 1;
    const double degree = (double)longest, bits = (double)common, of_step = (double)step;
    const double lead = (double)gfp_size_min(s->bits_a, s->bits_b);
    const double guess = bits / (of_step + lead / (2 * degree)) + 0.5;
    const size_t least = (size_t)fmin(fmax(1, (bits - lead) / of_step), degree);
    const size_t most = gfp_size_min(common / step + 1, longest);
    /* A guess beyond the bounds says nothing. */
    const bool inside = guess >= (double)least && guess < (double)most;
    return (sight){.len = 1 + (inside ? (size_t)guess : least + (most - least) / 2),
                   .least = 1 + least,
                   .most = 1 + most,
                   .common = common,
                   .step = step};
}

/* A gcd modulo one prime ends without result after this time. */
static sight glance_at(const gfp_zsizes *s, const gfp_zoperands *p, glance g, double worth)
{
    size_t len = 0, common;
    if (g.step == 0) {
        (void)gfp_zglance(s->ring->level, &len, p->a, p->b, worth);
    } else if (gfp_zglance_values(&common, p, g.step)) {
        if (common > CLEAR * STEP / 2 || (common > 0 && g.step >= STEP)) {
            return sight_of(s, g.step, common);
        }
        len = common == 0;
    }
    return (sight){.len = len, .least = len, .most = len, .exact = true};
}

/* ---- cases ---- */

/* Fills the times of a case. */
static void choice_weigh(outlook *o, const gfp_zsizes *s, unsigned of)
{
    const gfp_zprediction *row = o->row[of];
    double *time = o->time[of];
    for (size_t i = 0; i < o->count; i++) {
        time[i] = choice_price(&row[i]);
    }
    if (of != COPRIME) {
        const size_t next = 1 + choice_cheapest(row + 1, o->count - 1);
        const double leave =
            gfp_zpredict_first_image(s, guess_of(s, of).len) + choice_price(&row[next]);
        o->next = of == HALF ? next : o->next;
        o->goes_on = of == HALF ? time[0] <= leave : o->goes_on;
        time[0] = fmin(time[0], leave);
    }
    o->best[of] = choice_price(&row[choice_cheapest(row, o->count)]);
}

/* Predicts from row o->count on, in the first cases: up to `rows` rows; 0: while that is worth it.
 */
static void choice_look(outlook *o, const gfp_zsizes *s, unsigned cases, size_t rows)
{
    while (rows > 0 ? o->count < rows
                    : o->count < GCDS && is_long(s, o->row[HALF], o->count, &gcds[o->count])) {
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

static void look_on(outlook *o, const gfp_zsizes *s, const gfp_zoperands *p, glance g)
{
    choice_look(o, s, o->row[COPRIME][0].estimate_ns < IMAGE_NS ? MOST : CASES, 0);
    for (unsigned of = 0; of < o->cases; of++) {
        choice_weigh(o, s, of);
        o->seen[of] = glance_time(s, p, g.step, guess_of(s, of));
    }
}

/* What is saved on coprime operands counts a quarter of what is lost on others. */
#define GAIN 2
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

/* Whether a glance comes first; then *worth := the nanoseconds that it may take, and the cases that
 * it excludes if it takes longer are left out. Else *row is the row to take. Values show nothing
 * before their end. */
static bool is_worth_a_glance(outlook *o, glance g, double *worth, size_t *row)
{
    double least = 0, usual = 0;
    unsigned cases = o->cases;
    const unsigned ends = g.step > 0 ? COPRIME + 1 : cases;
    *row = pick_gcd(o, cases, 0, &least);
    (void)pick_gcd(o, MOST, 0, &usual);
    for (unsigned from = 0; from < ends && o->seen[COPRIME] < HUGE_VAL; from++) {
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

/* The usual bits of a divisor of this length. */
static double usual_bits(const gfp_zsizes *s, size_t len_g)
{
    const double degree = (double)gfp_size_min(s->len_a, s->len_b) - 1;
    return ((double)len_g - 1) / degree / 2 * (double)gfp_size_min(s->bits_a, s->bits_b);
}

/* Predicts gcds as guessed: `most` rows; 0: while that is worth it. Returns their number. */
static size_t look_at(gfp_zprediction *rows, const gfp_zsizes *s, gfp_zguess g, size_t most)
{
    size_t count = 0;
    do {
        gfp_zpredict_gcd(&rows[count], gcds[count].method, s, g);
        count++;
    } while (most > 0 ? count < most : count < GCDS && is_long(s, rows, count, &gcds[count]));
    return count;
}

/* The nanoseconds that a glance before any choice is worth. *brief := whether a gcd of integers
 * takes a divisor of any length. */
static double first_worth(const outlook *o, const gfp_zsizes *s, bool *brief)
{
    const gfp_zprediction *coprime = o->row[COPRIME], *half = o->row[HALF];
    const double image = coprime[WORDS].estimate_ns, time = choice_price(&coprime[KRONECKER]);
    const double half_time = choice_price(&half[KRONECKER]),
                 words = BRIEF * half[WORDS].estimate_ns;
    *brief = (time < LONG_NS && time + half[KRONECKER].proof_ns < words) ||
             (half_time < least_time(s, &gcds[KRONECKER + 1]) && time < image && half_time < words);
    return *brief ? GLANCE_BRIEF * half_time : fmin(GLANCE_IMAGE * image, GLANCE_INTEGERS * time);
}

/* Bounds that differ by less than this part of the length, and of what is left of the operand, are
 * taken for one. */
#define NARROW 6

static bool are_narrow(const gfp_zsizes *s, const sight *seen)
{
    const size_t left = gfp_size_min(s->len_a, s->len_b) - seen->most + 1;
    return (seen->most - seen->least) * NARROW <= gfp_size_min(seen->len, left);
}

/* A divisor of this length, as seen. */
static gfp_zguess guess_at(const gfp_zsizes *s, const sight *seen, size_t len_g)
{
    const size_t of_degree = seen->step * (len_g - 1);
    return (gfp_zguess){len_g, seen->exact                ? (size_t)usual_bits(s, len_g)
                               : seen->common > of_degree ? seen->common - of_degree
                                                          : 0};
}

/* *row := the row for a gcd of a length between bounds, where that is clear: word-size primes may
 * leave; gcds of integers take longer for short divisors. */
static bool is_clear(const gfp_zsizes *s, const sight *seen, size_t *row)
{
    gfp_zprediction rows[GCDS], slow;
    if (look_at(rows, s, guess_at(s, seen, seen->len), 0) > KRONECKER + 1) {
        return false;
    }
    *row = choice_cheapest(rows, KRONECKER + 1);
    if (*row == WORDS || are_narrow(s, seen)) {
        return true;
    }
    gfp_zpredict_gcd(&slow, GFP_Z_KRONECKER, s, guess_at(s, seen, seen->least));
    return choice_price(&slow) <= choice_price(&rows[WORDS]);
}

/* The row of the least sum of eighth powers of ratios to the best one, at the bounds of the length
 * and the guess. Word-size primes may leave. */
static size_t row_within(const gfp_zsizes *s, const sight *seen)
{
    const size_t len[] = {seen->len, seen->least, (seen->len + seen->most) / 2};
    double sum[GCDS] = {0};
    size_t count = 0, best = 0;
    for (size_t i = 0; i < 3; i++) {
        gfp_zprediction rows[GCDS];
        count = look_at(rows, s, guess_at(s, seen, len[i]), count);
        const size_t next = 1 + choice_cheapest(rows + 1, count - 1);
        const double least = fmin(choice_price(&rows[WORDS]), choice_price(&rows[next]));
        const double leave = gfp_zpredict_first_image(s, len[i]) + choice_price(&rows[next]);
        for (size_t j = 0; j < count; j++) {
            const double time =
                j == WORDS ? fmin(choice_price(&rows[j]), leave) : choice_price(&rows[j]);
            const double x = time / least, z = x * x * x * x;
            sum[j] += z * z;
        }
    }
    for (size_t j = 1; j < count; j++) {
        best = sum[j] < sum[best] ? j : best;
    }
    return best;
}

/* The method after a glance. */
static gfp_zmethod by_length(const gfp_zsizes *s, const sight *seen)
{
    size_t row = WORDS;
    if (seen->len > 1 && !is_clear(s, seen, &row)) {
        row = row_within(s, seen);
    }
    return gcds[row].method;
}

/* The time of a gcd of integers, not too large, from the limbs of the shorter value: a glance
 * before any prediction is worth a part of that, and of what else every method does. */
#define GLANCE_AT_ONCE 0.17
#define GLANCE_SHORT 0.14 /* of operands whose gcd is one of integers */
#define INTEGERS_NS 900
#define INTEGERS_NUMBER_NS 9
#define INTEGERS_LIMB_NS 150

static double worth_at_once(const gfp_zsizes *s, bool brief)
{
    const double shorter = (double)gfp_size_min(s->len_a, s->len_b);
    const double bits = (double)gfp_size_min(s->bits_a, s->bits_b) + 10;
    const double integers = INTEGERS_NS + INTEGERS_LIMB_NS * shorter * bits / 64 +
                            INTEGERS_NUMBER_NS * (double)(s->len_a + s->len_b);
    const double every = GLANCE_LEAST_NS + GLANCE_CONTENTS * s->contents;
    const double part = brief ? GLANCE_SHORT : GLANCE_AT_ONCE;
    return fmin(part * (integers + s->contents), every + GLANCE_NUMBER_NS * 2 * shorter);
}

/* *o := the outlook, where the choice needs one, else without rows. *brief: see first_worth. */
static gfp_zmethod choose_gcd(const gfp_zsizes *s, const gfp_zoperands *p, sight *seen, outlook *o,
                              bool *brief)
{
    const glance g = best_glance(s, p);
    double regret = 0;
    o->count = o->cases = 0;
    o->goes_on = true;
    *seen = (sight){.exact = true};
    *brief = short_products(s) < HUGE_VAL;
    double worth = worth_at_once(s, *brief);
    if (g.time <= worth) {
        *seen = glance_at(s, p, g, 2 * worth);
    }
    if (!*brief && seen->len == 0) {
        choice_look(o, s, MOST, KRONECKER + 1);
        worth = first_worth(o, s, brief);
        const glance less = g.time > worth ? shorter_glance(s, p, g) : g;
        if (less.step == STEP / 2) {
            worth =
                fmin(worth / 2,
                     FAILS * choice_price(&o->row[COPRIME][choice_cheapest(o->row[COPRIME], 2)]));
        }
        if (less.time <= worth) {
            *seen = glance_at(s, p, less, 2 * worth);
        }
    }
    if (*brief) {
        return seen->len == 1 ? GFP_Z_WORDS : GFP_Z_KRONECKER;
    }
    if (seen->len > 0) {
        return by_length(s, seen);
    }
    size_t row;
    look_on(o, s, p, g);
    if (is_worth_a_glance(o, g, &worth, &row)) {
        *seen = glance_at(s, p, g, worth);
        if (seen->len > 0) {
            return by_length(s, seen);
        }
        row = pick_gcd(o, o->cases, 0, &regret);
    }
    return gcds[row].method;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g)
{
    outlook o;
    sight seen;
    bool brief;
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod method = choose_gcd(&s, p, &seen, &o, &brief);
    *len_g = seen.exact ? seen.len : 0;
    return method;
}

#define STAY 1.0

gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zguess g = {len_g, (size_t)fmax(p->log2_lead, usual_bits(&s, len_g))};
    const size_t count = look_at(rows, &s, g, 0);
    /* To stay costs more than to leave where the prediction errs. */
    rows[0].estimate_ns -= gfp_zpredict_first_image(&s, len_g);
    rows[0].estimate_ns = fmax(0, STAY * rows[0].estimate_ns);
    /* Big primes need the same proof, and the images are there. */
    for (size_t i = 0; i < count; i++) {
        const bool big = gcds[i].method == GFP_Z_BIG || gcds[i].method == GFP_Z_MIX;
        rows[i].reason = big ? "" : rows[i].reason;
    }
    return gcds[choice_cheapest(rows, count)].method;
}

/* ---- plans ---- */

static void set_pick(gfp_zplan *plan, size_t row)
{
    plan->pick = row;
    plan->why = plan->why != NULL ? plan->why : "it has the least predicted time";
}

/* Where a few coefficients are long, other methods are predicted for one width. */
static const char few_long[] = "a few coefficients are much longer than the others";

void gfp_zplan_resultant(gfp_zplan *plan, const gfp_zcall *call, const gfp_zpair *pair)
{
    gfp_zsizes s = sizes_of(call, pair->a, pair->b);
    s.bits = plan->bits = pair->bits;
    plan->count = RESULTANTS;
    for (size_t i = 0; i < RESULTANTS; i++) {
        gfp_zpredict_resultant(&plan->row[i], resultants[i].method, &s);
    }
    if (gfp_zpair_is_ragged(pair)) {
        const gfp_zsizes mean = mean_sizes(&s, pair->a, pair->b);
        gfp_zpredict_resultant(&plan->row[WORDS], GFP_Z_WORDS, &mean);
        plan->why = few_long;
        set_pick(plan, WORDS);
        return;
    }
    const gfp_zmethod choice = gfp_zchoose_resultant(call, pair);
    size_t row = 0;
    while (resultants[row].method != choice) {
        row++;
    }
    set_pick(plan, row);
}

static void plan_ragged_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p)
{
    const gfp_zsizes s = all_sizes_of(call, p), mean = mean_sizes(&s, p->a, p->b);
    plan->count = GCDS;
    plan->bits = gfp_size_min(mean.bits_a, mean.bits_b) / 2;
    for (size_t i = 0; i < GCDS; i++) {
        const gfp_zsizes *of = i == WORDS ? &mean : &s;
        gfp_zpredict_gcd(&plan->row[i], gcds[i].method, of, guess_of(of, HALF));
    }
    plan->why = few_long;
    set_pick(plan, WORDS);
}

void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p)
{
    outlook o, all;
    sight seen;
    bool brief;
    if (p->a.width == 0 || p->b.width == 0) {
        plan_ragged_gcd(plan, call, p);
        return;
    }
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod choice = choose_gcd(&s, p, &seen, &o, &brief);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    plan->len_g = call->method == GFP_Z_AUTO ? seen.len : 0;
    if (plan->len_g > 0) {
        (void)look_at(plan->row, &s, guess_at(&s, &seen, plan->len_g), GCDS);
    } else {
        all.count = all.cases = 0;
        choice_look(&all, &s, MOST, GCDS);
        for (size_t i = 0; i < GCDS; i++) {
            plan->row[i] = all.row[HALF][i];
            if (plan->row[i].reason == NULL) {
                plan->row[i].estimate_ns =
                    (all.row[COPRIME][i].estimate_ns + all.row[HALF][i].estimate_ns) / 2;
            }
        }
    }
    if (plan->len_g == 1) {
        plan->why = "a gcd modulo one prime, or of values, proves that the operands are coprime";
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
