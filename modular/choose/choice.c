/* choice.c: see modular/choice.h. A choice compares the predicted times of the methods; where those
 * that win nearly always are short, others are not predicted.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choice.h"

#include <math.h>

#include "modular/gcd/impl.h"
#include "modular/gcd/degree.h"
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
/* The degree test (modular/gcd/degree.h) comes first if its predicted time is below this, plus this
 * part of the time of the contents, plus this for each coefficient of both operands up to the
 * shorter length: every method takes several times as long. */
#define TEST_LEAST_NS 240
#define TEST_CONTENTS 0.25
#define TEST_NUMBER_NS 10
/* The parts of the time of a first image, and of a gcd of integers, that a degree test may take
 * before any prediction of other methods. */
#define TEST_IMAGE 0.25
#define TEST_INTEGERS 0.1
/* The same part of the time for a divisor where no other method finds one as soon: there the degree
 * does not matter, but whether operands are coprime. */
#define TEST_BY_INTEGERS 0.18
#define BY_INTEGERS 0.95
#define LONG_NS 15000
/* Cases of long divisors are predicted where an image takes more time than this. */
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

typedef struct gcd_cases {
    gfp_zprediction row[CASES][GCDS];
    double time[CASES][GCDS]; /* of each method without a degree test; word-size primes may switch
                                 to another method after the first image */
    double best[CASES];       /* the least time of a method */
    double test[CASES];       /* of the degree test, until the length of the divisor is known */
    unsigned cases;           /* the first ones, which are possible */
    size_t count;             /* rows that are predicted */
    size_t next;         /* the cheapest row but the first one for a divisor of half the length */
    bool never_switches; /* word-size primes stay, whatever the first image shows */
} gcd_cases;

static gfp_zguess guess_of(const gfp_zsizes *s, unsigned which)
{
    const size_t shorter = gfp_size_min(s->len_a, s->len_b);
    const size_t bits = gfp_size_min(s->bits_a, s->bits_b) / 2;
    switch (which) {
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

/* ---- degree tests ---- */

/* The usual exponent of values, and the greatest one; the gcd of values of coprime operands has
 * fewer bits than this many steps. */
#define STEP 8
#define MOST_STEP 32
#define CLEAR 3
/* The part of a gcd of coprime operands that a test of half of the step may take: it fails more
 * often. */
#define FAILS 0.2

/* The degree test that is the fastest one for coprime operands: a gcd of values at 2^step, or, step
 * = 0, modulo one prime. */
typedef struct degree_test {
    unsigned step;
    double time; /* predicted, for coprime operands */
} degree_test;

/* The result of a degree test: an estimate of the length of the gcd, and its bounds; 0: none.
 * Exact: the three are equal, an upper bound that nearly always is the length. */
typedef struct length_bounds {
    size_t len, least, most;
    size_t common; /* bits of the values' gcd, at 2^step */
    unsigned step;
    bool exact;
} length_bounds;

static double test_time(const gfp_zsizes *s, const gfp_zoperands *p, unsigned step, gfp_zguess g)
{
    return step > 0 ? gfp_zpredict_values(s, step, g)
                    : gfp_zdegree_prime_time(s->ring->level, p->a, p->b, g.len);
}

static degree_test fastest_test(const gfp_zsizes *s, const gfp_zoperands *p)
{
    const gfp_zguess coprime = {1, 0};
    degree_test best = {0, test_time(s, p, 0, coprime)};
    for (unsigned step = STEP; step <= MOST_STEP; step *= 2) {
        if (gfp_zdegree_values_serve(p, step)) {
            const double time = test_time(s, p, step, coprime);
            return time < best.time ? (degree_test){step, time} : best;
        }
    }
    return best;
}

/* The test of half of the step, where the whole step takes too long: one of 14 pairs of coprime
 * operands has a gcd of values that is too great. */
static degree_test half_step_test(const gfp_zsizes *s, const gfp_zoperands *p, degree_test test)
{
    const degree_test less = {STEP / 2, test_time(s, p, STEP / 2, (gfp_zguess){1, 0})};
    return test.step == STEP && gfp_zdegree_values_serve(p, STEP / 2) ? less : test;
}

/* The bounds from `common`, the bits of the gcd of values at 2^step: bits of the leading
 * coefficient, and `step` for each degree. The estimate: coefficients have their share of half of
 * the operands' bits. */
static length_bounds bounds_by_values(const gfp_zsizes *s, unsigned step, size_t common)
{
    const size_t longest = gfp_size_min(s->len_a, s->len_b) - 1;
    const double degree = (double)longest, bits = (double)common, of_step = (double)step;
    const double lead = (double)gfp_size_min(s->bits_a, s->bits_b);
    const double estimate = bits / (of_step + lead / (2 * degree)) + 0.5;
    const size_t least = (size_t)fmin(fmax(1, (bits - lead) / of_step), degree);
    const size_t most = gfp_size_min(common / step + 1, longest);
    /* An estimate beyond the bounds says nothing. */
    const bool inside = estimate >= (double)least && estimate < (double)most;
    return (length_bounds){.len = 1 + (inside ? (size_t)estimate : least + (most - least) / 2),
                           .least = 1 + least,
                           .most = 1 + most,
                           .common = common,
                           .step = step};
}

/* A gcd modulo one prime ends without result after limit_ns nanoseconds. */
static length_bounds run_test(const gfp_zsizes *s, const gfp_zoperands *p, degree_test test,
                              double limit_ns)
{
    size_t len = 0, common;
    if (test.step == 0) {
        (void)gfp_zdegree_prime(s->ring->level, &len, p->a, p->b, limit_ns);
    } else if (gfp_zdegree_values(&common, p, test.step)) {
        if (common > CLEAR * STEP / 2 || (common > 0 && test.step >= STEP)) {
            return bounds_by_values(s, test.step, common);
        }
        len = common == 0;
    }
    return (length_bounds){.len = len, .least = len, .most = len, .exact = true};
}

/* ---- cases ---- */

/* Fills the times of a case. */
static void fill_times(gcd_cases *c, const gfp_zsizes *s, unsigned j)
{
    const gfp_zprediction *row = c->row[j];
    double *time = c->time[j];
    for (size_t i = 0; i < c->count; i++) {
        time[i] = choice_price(&row[i]);
    }
    if (j != COPRIME) {
        const size_t next = 1 + choice_cheapest(row + 1, c->count - 1);
        const double switched =
            gfp_zpredict_first_image(s, guess_of(s, j).len) + choice_price(&row[next]);
        c->next = j == HALF ? next : c->next;
        c->never_switches = j == HALF ? time[0] <= switched : c->never_switches;
        time[0] = fmin(time[0], switched);
    }
    c->best[j] = choice_price(&row[choice_cheapest(row, c->count)]);
}

/* Predicts from row c->count on, in the first cases: up to `rows` rows; 0: while another row is
 * worth a prediction. */
static void predict_cases(gcd_cases *c, const gfp_zsizes *s, unsigned cases, size_t rows)
{
    while (rows > 0 ? c->count < rows
                    : c->count < GCDS && is_long(s, c->row[HALF], c->count, &gcds[c->count])) {
        for (unsigned j = 0; j < cases; j++) {
            gfp_zpredict_gcd(&c->row[j][c->count], gcds[c->count].method, s, guess_of(s, j));
        }
        c->count++;
    }
    for (unsigned j = c->cases; j < cases; j++) {
        for (size_t i = 0; i < c->count; i++) {
            gfp_zpredict_gcd(&c->row[j][i], gcds[i].method, s, guess_of(s, j));
        }
    }
    c->cases = cases;
}

/* Predicts the cases that are possible, and the degree test in each of them. */
static void fill_cases(gcd_cases *c, const gfp_zsizes *s, const gfp_zoperands *p, degree_test test)
{
    predict_cases(c, s, c->row[COPRIME][0].estimate_ns < IMAGE_NS ? MOST : CASES, 0);
    for (unsigned j = 0; j < c->cases; j++) {
        fill_times(c, s, j);
        c->test[j] = test_time(s, p, test.step, guess_of(s, j));
    }
}

/* Time that is saved on coprime operands counts a quarter of time that is lost on others. */
#define GAIN 2
#define LN_2 0.693

/* The eighth power of a time divided by the least one, so that of several cases the greatest one
 * counts; less than the least one, the logarithm counts. Cases of long divisors count less. */
static double regret_of(const gcd_cases *c, unsigned j, double time)
{
    static const double weight[CASES] = {1, 1, 0.3, 0.15};
    const double x = time / c->best[j], z = x * x * x * x;
    return weight[j] * (x < 1 ? 1 - GAIN * LN_2 * gfp_zlog2(c->best[j] / time) : z * z);
}

/* The row to take in the first cases when `spent` nanoseconds are gone; its regret is added to
 * *regret. */
static size_t pick_gcd(const gcd_cases *c, unsigned cases, double spent, double *regret)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < c->count; i++) {
        double r = 0;
        for (unsigned j = 0; j < cases; j++) {
            r += regret_of(c, j, spent + c->time[j][i]);
        }
        best = r < least ? i : best;
        least = fmin(r, least);
    }
    *regret += least;
    return best;
}

/* The time limit of a test over the predicted time: divisors that are somewhat shorter than those
 * of a case are found, too. */
#define LIMIT_FACTOR 1.5

/* The regret of a degree test that finds the length of divisors of the cases from `from` on, in the
 * first cases. */
static double test_regret(const gcd_cases *c, unsigned from, unsigned cases)
{
    double regret = 0;
    for (unsigned j = from; j < cases; j++) {
        regret += regret_of(c, j, c->test[j] + (j == COPRIME ? 0 : c->best[j]));
    }
    (void)pick_gcd(c, from, LIMIT_FACTOR * c->test[from], &regret);
    return regret;
}

/* Whether the degree test comes first; then *limit_ns := the nanoseconds that it may take, and the
 * cases that it excludes if it takes longer are left out. Else *row is the row to take. A gcd of
 * values shows nothing before its end. */
static bool test_comes_first(gcd_cases *c, degree_test test, double *limit_ns, size_t *row)
{
    double least = 0, usual = 0;
    unsigned cases = c->cases;
    const unsigned ends = test.step > 0 ? COPRIME + 1 : cases;
    *row = pick_gcd(c, cases, 0, &least);
    (void)pick_gcd(c, MOST, 0, &usual);
    for (unsigned from = 0; from < ends && c->test[COPRIME] < HUGE_VAL; from++) {
        /* Rare cases justify a short test only. */
        const bool fits = from >= MOST || test_regret(c, from, MOST) < usual;
        const double regret = test_regret(c, from, c->cases);
        if (fits && regret < least) {
            least = regret;
            cases = from;
        }
    }
    if (cases == c->cases) {
        return false;
    }
    *limit_ns = cases == COPRIME ? 2 * c->test[COPRIME] : LIMIT_FACTOR * c->test[cases];
    c->cases = cases;
    return true;
}

/* The limbs of both values, multiplied; HUGE_VAL if an operand or a coefficient is not short. */
static double short_products(const gfp_zsizes *s)
{
    const size_t greatest = s->bits_a > s->bits_b ? s->bits_a : s->bits_b;
    const double step = (double)gfp_size_min(s->bits_a, s->bits_b) + 10;
    const double a = (double)s->len_a * step / 64, b = (double)s->len_b * step / 64;
    return greatest <= SHORT_BITS && a + b <= SHORT_LIMBS && a * b <= SHORT_PRODUCTS ? a * b
                                                                                     : HUGE_VAL;
}

/* The usual bits of a divisor of this length. */
static double usual_bits(const gfp_zsizes *s, size_t len_g)
{
    const double degree = (double)gfp_size_min(s->len_a, s->len_b) - 1;
    return ((double)len_g - 1) / degree / 2 * (double)gfp_size_min(s->bits_a, s->bits_b);
}

/* Predicts gcds as guessed: `most` rows; 0: while another row is worth a prediction. Returns their
 * number. */
static size_t predict_rows(gfp_zprediction *rows, const gfp_zsizes *s, gfp_zguess g, size_t most)
{
    size_t count = 0;
    do {
        gfp_zpredict_gcd(&rows[count], gcds[count].method, s, g);
        count++;
    } while (most > 0 ? count < most : count < GCDS && is_long(s, rows, count, &gcds[count]));
    return count;
}

/* The nanoseconds that a degree test may take before the cases of long divisors are predicted.
 * *by_integers := whether a gcd of integers is the choice for a divisor of any length. */
static double first_limit(const gcd_cases *c, const gfp_zsizes *s, bool *by_integers)
{
    const gfp_zprediction *coprime = c->row[COPRIME], *half = c->row[HALF];
    const double image = coprime[WORDS].estimate_ns, time = choice_price(&coprime[KRONECKER]);
    const double half_time = choice_price(&half[KRONECKER]),
                 words = BY_INTEGERS * half[WORDS].estimate_ns;
    *by_integers =
        (time < LONG_NS && time + half[KRONECKER].proof_ns < words) ||
        (half_time < least_time(s, &gcds[KRONECKER + 1]) && time < image && half_time < words);
    return *by_integers ? TEST_BY_INTEGERS * half_time
                        : fmin(TEST_IMAGE * image, TEST_INTEGERS * time);
}

/* Bounds that differ by less than this part of the length, and of what is left of the operand, are
 * taken for one. */
#define NARROW 6

static bool are_narrow(const gfp_zsizes *s, const length_bounds *bounds)
{
    const size_t left = gfp_size_min(s->len_a, s->len_b) - bounds->most + 1;
    return (bounds->most - bounds->least) * NARROW <= gfp_size_min(bounds->len, left);
}

/* A divisor of this length, by the result of a degree test. */
static gfp_zguess guess_at(const gfp_zsizes *s, const length_bounds *bounds, size_t len_g)
{
    const size_t of_degree = bounds->step * (len_g - 1);
    return (gfp_zguess){len_g, bounds->exact                ? (size_t)usual_bits(s, len_g)
                               : bounds->common > of_degree ? bounds->common - of_degree
                                                            : 0};
}

/* *row := the row for a gcd of a length between bounds, where that is clear: word-size primes may
 * switch; gcds of integers take longer for short divisors. */
static bool is_clear(const gfp_zsizes *s, const length_bounds *bounds, size_t *row)
{
    gfp_zprediction rows[GCDS], slow;
    if (predict_rows(rows, s, guess_at(s, bounds, bounds->len), 0) > KRONECKER + 1) {
        return false;
    }
    *row = choice_cheapest(rows, KRONECKER + 1);
    if (*row == WORDS || are_narrow(s, bounds)) {
        return true;
    }
    gfp_zpredict_gcd(&slow, GFP_Z_KRONECKER, s, guess_at(s, bounds, bounds->least));
    return choice_price(&slow) <= choice_price(&rows[WORDS]);
}

/* The row of the least sum of eighth powers of ratios to the best one, at the bounds of the length
 * and the estimate. Word-size primes may switch. */
static size_t row_within(const gfp_zsizes *s, const length_bounds *bounds)
{
    const size_t len[] = {bounds->len, bounds->least, (bounds->len + bounds->most) / 2};
    double sum[GCDS] = {0};
    size_t count = 0, best = 0;
    for (size_t i = 0; i < 3; i++) {
        gfp_zprediction rows[GCDS];
        count = predict_rows(rows, s, guess_at(s, bounds, len[i]), count);
        const size_t next = 1 + choice_cheapest(rows + 1, count - 1);
        const double least = fmin(choice_price(&rows[WORDS]), choice_price(&rows[next]));
        const double switched = gfp_zpredict_first_image(s, len[i]) + choice_price(&rows[next]);
        for (size_t j = 0; j < count; j++) {
            const double time =
                j == WORDS ? fmin(choice_price(&rows[j]), switched) : choice_price(&rows[j]);
            const double x = time / least, z = x * x * x * x;
            sum[j] += z * z;
        }
    }
    for (size_t j = 1; j < count; j++) {
        best = sum[j] < sum[best] ? j : best;
    }
    return best;
}

/* The method after a degree test. */
static gfp_zmethod by_length(const gfp_zsizes *s, const length_bounds *bounds)
{
    size_t row = WORDS;
    if (bounds->len > 1 && !is_clear(s, bounds, &row)) {
        row = row_within(s, bounds);
    }
    return gcds[row].method;
}

/* A lower estimate of the time of a gcd of integers, from the limbs of the shorter value: a degree
 * test before any prediction may take this part of that time and of the contents. */
#define TEST_AT_ONCE 0.17
#define TEST_SHORT 0.14 /* of operands whose gcd is one of integers */
#define INTEGERS_NS 900
#define INTEGERS_NUMBER_NS 9
#define INTEGERS_LIMB_NS 150

static double limit_at_once(const gfp_zsizes *s, bool by_integers)
{
    const double shorter = (double)gfp_size_min(s->len_a, s->len_b);
    const double bits = (double)gfp_size_min(s->bits_a, s->bits_b) + 10;
    const double integers = INTEGERS_NS + INTEGERS_LIMB_NS * shorter * bits / 64 +
                            INTEGERS_NUMBER_NS * (double)(s->len_a + s->len_b);
    const double every = TEST_LEAST_NS + TEST_CONTENTS * s->contents;
    const double part = by_integers ? TEST_SHORT : TEST_AT_ONCE;
    return fmin(part * (integers + s->contents), every + TEST_NUMBER_NS * 2 * shorter);
}

/* *c := the cases, where the choice needs them, else no rows. *by_integers: see first_limit. */
static gfp_zmethod choose_gcd(const gfp_zsizes *s, const gfp_zoperands *p, length_bounds *bounds,
                              gcd_cases *c, bool *by_integers)
{
    const degree_test test = fastest_test(s, p);
    double regret = 0;
    c->count = c->cases = 0;
    c->never_switches = true;
    *bounds = (length_bounds){.exact = true};
    *by_integers = short_products(s) < HUGE_VAL;
    double limit_ns = limit_at_once(s, *by_integers);
    if (test.time <= limit_ns) {
        *bounds = run_test(s, p, test, 2 * limit_ns);
    }
    if (!*by_integers && bounds->len == 0) {
        predict_cases(c, s, MOST, KRONECKER + 1);
        limit_ns = first_limit(c, s, by_integers);
        const degree_test less = test.time > limit_ns ? half_step_test(s, p, test) : test;
        if (less.step == STEP / 2) {
            limit_ns =
                fmin(limit_ns / 2,
                     FAILS * choice_price(&c->row[COPRIME][choice_cheapest(c->row[COPRIME], 2)]));
        }
        if (less.time <= limit_ns) {
            *bounds = run_test(s, p, less, 2 * limit_ns);
        }
    }
    if (*by_integers) {
        return bounds->len == 1 ? GFP_Z_WORDS : GFP_Z_KRONECKER;
    }
    if (bounds->len > 0) {
        return by_length(s, bounds);
    }
    size_t row;
    fill_cases(c, s, p, test);
    if (test_comes_first(c, test, &limit_ns, &row)) {
        *bounds = run_test(s, p, test, limit_ns);
        if (bounds->len > 0) {
            return by_length(s, bounds);
        }
        row = pick_gcd(c, c->cases, 0, &regret);
    }
    return gcds[row].method;
}

gfp_zmethod gfp_zchoose_gcd(const gfp_zcall *call, const gfp_zoperands *p, size_t *len_g)
{
    gcd_cases c;
    length_bounds bounds;
    bool by_integers;
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod method = choose_gcd(&s, p, &bounds, &c, &by_integers);
    *len_g = bounds.exact ? bounds.len : 0;
    return method;
}

gfp_zmethod gfp_zchoose_again(const gfp_zcall *call, const gfp_zoperands *p, size_t len_g)
{
    gfp_zprediction rows[GCDS];
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zguess g = {len_g, (size_t)fmax(p->log2_lead, usual_bits(&s, len_g))};
    const size_t count = predict_rows(rows, &s, g, 0);
    /* The first image is there. */
    rows[WORDS].estimate_ns =
        fmax(0, rows[WORDS].estimate_ns - gfp_zpredict_first_image(&s, len_g));
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
        const gfp_zsizes *sizes = i == WORDS ? &mean : &s;
        gfp_zpredict_gcd(&plan->row[i], gcds[i].method, sizes, guess_of(sizes, HALF));
    }
    plan->why = few_long;
    set_pick(plan, WORDS);
}

void gfp_zplan_gcd(gfp_zplan *plan, const gfp_zcall *call, const gfp_zoperands *p)
{
    gcd_cases c, all;
    length_bounds bounds;
    bool by_integers;
    if (p->a.width == 0 || p->b.width == 0) {
        plan_ragged_gcd(plan, call, p);
        return;
    }
    const gfp_zsizes s = all_sizes_of(call, p);
    const gfp_zmethod choice = choose_gcd(&s, p, &bounds, &c, &by_integers);
    plan->count = GCDS;
    plan->bits = gfp_size_min(s.bits_a, s.bits_b) / 2;
    plan->len_g = call->method == GFP_Z_AUTO ? bounds.len : 0;
    if (plan->len_g > 0) {
        (void)predict_rows(plan->row, &s, guess_at(&s, &bounds, plan->len_g), GCDS);
    } else {
        all.count = all.cases = 0;
        predict_cases(&all, &s, MOST, GCDS);
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
    } else if (by_integers) {
        plan->why = "the operands are short";
    } else if (plan->len_g == 0 && choice == GFP_Z_WORDS && c.cases > 0 && !c.never_switches) {
        plan->next = plan->row[c.next].name;
        plan->why = "its first image shows coprime operands, or the degree for the next strategy";
    }
    size_t row = 0;
    while (gcds[row].method != choice) {
        row++;
    }
    set_pick(plan, row);
}
