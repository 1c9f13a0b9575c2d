/* predict.c: see predict.h.
 *
 * Word-size primes: sums of measured times of steps. Images are interpolated, in logarithms,
 * between measured degrees; the other constants were fitted to some hundred random problems, with
 * errors of 4 to 8 % in the mean. Big primes, FLINT and GMP: interpolated tables.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/choose/predict.h"

#include <math.h>

#include "crt/methods.h"
#include "crt/blocks/kernels/euclid_levels.h"
#include "field/base/word.h"
#include "modular/choice.h"
#include "modular/mul/cost.h"
#include "modular/gcd/impl.h"
#include "crt/small/log.h"
#include "modular/mix.h"
#include "modular/residues.h"

/* Degrees 2^i; limbs 2^i; degrees 4^i and bits 4^(j + 1). */
enum { IMAGES = 14, INTEGERS = 17, DEGREES = 7, SIZES = 7, FIELDS = 7 };

/* Nanoseconds, of one thread. */
typedef struct costs {
    double image[IMAGES]; /* log2 of the time of an image modulo a block */
    double step, excess;  /* of an image: for each coefficient by which an operand is longer, and
                             for each of these and each one of the shorter operand */
    double block, coefficient, limb; /* of a resultant: for each block; number and limb of one */
    double number, more;             /* of a gcd: for each number and limb of a block */
    double quotient, proof; /* of a proof: for each product of a quotient, for each block */
    double lift, join; /* for each number that is reconstructed and block, and square of blocks */
} costs;

/* Several big primes, and residues modulo big primes. */
typedef struct big_costs {
    double number; /* of a residue: for each element of the prime's k */
    double limb;   /* and for each limb of an operand */
    double invert; /* of a prime's k: the inverse of the product of those before */
    double step;   /* of an integer, for each prime: for each element of its k, */
    double join;   /* for each of these and each limb that is there, */
    double scan;   /* for each such limb */
} big_costs;

#include "modular/choose/predict.inc"

/* ---- interpolation ---- */

/* The place of x among n entries; lines go on beyond the last one. No call of a library: choices
 * come here often. */
static size_t predict_place(double x, size_t n, double *fraction)
{
    const double inside = x > 0 ? x : 0;
    const size_t i = inside < (double)(n - 2) ? (size_t)inside : n - 2;
    *fraction = inside - (double)i;
    return i;
}

static double predict_between(double x, double y, double fraction)
{
    return x + fraction * (y - x);
}

static double in_table(const double *table, size_t n, double x)
{
    double f;
    const size_t i = predict_place(gfp_zlog2(x > 1 ? x : 1), n, &f);
    return gfp_zexp2(predict_between(table[i], table[i + 1], f));
}

static double in_grid(const double grid[DEGREES][SIZES], double degree, double bits)
{
    double f, g;
    const size_t i = predict_place(gfp_zlog2(fmax(degree, 1)) / 2, DEGREES, &f);
    const size_t j = predict_place(gfp_zlog2(fmax(bits, 4)) / 2 - 1, SIZES, &g);
    const double low = predict_between(grid[i][j], grid[i][j + 1], g);
    return gfp_zexp2(
        predict_between(low, predict_between(grid[i + 1][j], grid[i + 1][j + 1], g), f));
}

/* ---- common parts ---- */

static double predict_longer(const gfp_zsizes *s)
{
    return (double)(s->len_a > s->len_b ? s->len_a : s->len_b);
}

static double predict_shorter(const gfp_zsizes *s)
{
    return (double)(s->len_a < s->len_b ? s->len_a : s->len_b);
}

static const costs *costs_of(const gfp_zsizes *s)
{
    return &level_costs[s->ring->level];
}

/* An image modulo a block, of a pair with a gcd of this length. */
static double image_time(const gfp_zsizes *s, double len_g)
{
    const costs *c = costs_of(s);
    const double least = gfp_zexp2(c->image[0]);
    double t = in_table(c->image, IMAGES, predict_shorter(s) - 1);
    if (len_g > 2) {
        const bool fails =
            predict_shorter(s) > GFP_IMAGE_HALF_LEAST && 3 * len_g > 2 * predict_shorter(s);
        const double half = fails ? 0.25 * t : 0; /* half-gcds that are given up */
        t = fmax(least, t - in_table(c->image, IMAGES, len_g - 1)) + half;
    }
    return 0.96 * t +
           (predict_longer(s) - predict_shorter(s)) * (c->step + c->excess * predict_shorter(s));
}

static double predict_numbers(const gfp_zsizes *s)
{
    return (double)s->len_a + (double)s->len_b;
}

static double predict_limbs(const gfp_zsizes *s)
{
    return (double)s->len_a * (double)s->width_a + (double)s->len_b * (double)s->width_b;
}

static double predict_threads(const gfp_zsizes *s)
{
    return s->threads > 1 ? (double)s->threads : 1;
}

static void set_words(gfp_zprediction *row, size_t blocks)
{
    row->blocks = blocks;
    row->primes = blocks * GFP_WORDS;
    row->bits = blocks * GFP_Z_BLOCK_BITS;
}

/* An image of a pair with a gcd of this length over a field of this k, with the conversions. */
static double big_image_time(const gfp_zsizes *s, unsigned k, double len_g)
{
    const double d = sqrt(((double)s->len_a - 1) * ((double)s->len_b - 1));
    size_t field = 0;
    double f;
    while (k >> (field + 2) != 0) {
        field++;
    }
    const double *table = big_image[field];
    size_t i = predict_place(gfp_zlog2(fmax(d, 1)) / 2, DEGREES, &f);
    double t = gfp_zexp2(predict_between(table[i], table[i + 1], f));
    if (len_g > 2) {
        i = predict_place(gfp_zlog2(len_g - 1) / 2, DEGREES, &f);
        const double half =
            3 * len_g > 2 * predict_shorter(s) ? 0.3 * t : 0; /* half-gcds that fail */
        t = fmax(gfp_zexp2(table[0]), t - gfp_zexp2(predict_between(table[i], table[i + 1], f))) +
            half;
    }
    return big_level[s->ring->level] * t;
}

/* Residues of the operands modulo a big prime: numbers are cut into blocks. */
static double big_convert_time(const gfp_zsizes *s, unsigned k)
{
    const double of_k = (double)k;
    return big.number * of_k * predict_numbers(s) + big.limb * predict_limbs(s);
}

/* The named prime of least size with 2^bits < p, and an image of a pair over its field, with the
 * conversions; row->convert_ns := the part of these. HUGE_VAL: none is as large. */
static double big_time(gfp_zprediction *row, const gfp_zsizes *s, size_t bits, size_t len_g)
{
    size_t index;
    if (!gfp_zring_named(bits, &index) || !gfp_zcost_big_serves(index)) {
        return HUGE_VAL;
    }
    const gfp_named_prime *prime = gfp_named_prime_get(index);
    row->prime = prime->name;
    row->primes = 1;
    row->bits = gfp_zring_bits(index);
    row->create_ns = atomic_load(&s->ring->field[index]) == NULL ? gfp_zcost_field(index) : 0;
    row->convert_ns = big_convert_time(s, prime->k);
    return big_image_time(s, prime->k, (double)len_g) + row->convert_ns;
}

/* Images modulo several big primes for `bits` bits, where `bound` are sought, and len_g integers
 * from them, prime by prime. HUGE_VAL: there are too few primes. */
static double mix_time(gfp_zprediction *row, const gfp_zsizes *s, size_t bits, size_t bound,
                       size_t len_g)
{
    gfp_zmix_demand demand;
    if (!gfp_zmix_demand_of(&demand, s->ring, bits, bound)) {
        return HUGE_VAL;
    }
    double time = 0, below = 0; /* limbs of the product so far */
    for (size_t i = 0; i < GFP_ZRING_SHELVES; i++) {
        const unsigned k = 4U << i;
        const double n = (double)demand.primes[i], of_k = (double)k;
        const double convert = n > 0 ? big_convert_time(s, k) : 0;
        /* The sum of the limbs below each prime. */
        const double steps = n * below + of_k * n * (n - 1) / 2;
        const double join =
            (double)len_g * (n * big.step * of_k + big.join * of_k * steps + big.scan * steps);
        row->convert_ns += n * convert + join;
        time += n > 0 ? n * (big_image_time(s, k, (double)len_g) + convert) + join : 0;
        time += of_k * big.invert * (below > 0 ? n : fmax(n - 1, 0));
        row->create_ns += (double)(demand.primes[i] - demand.kept[i]) * gfp_zcost_field_of(k);
        row->primes += demand.primes[i];
        below += n * of_k;
    }
    row->bits = demand.bits;
    return time;
}

static void predict_refuse(gfp_zprediction *row, const char *reason)
{
    row->reason = reason;
    row->estimate_ns = row->convert_ns = row->proof_ns = row->create_ns = 0;
    row->primes = row->blocks = row->bits = 0;
    row->prime = NULL;
}

static void predict_finish(gfp_zprediction *row, double time)
{
    if (time < HUGE_VAL) {
        row->estimate_ns = time;
    } else if (row->reason == NULL) {
        predict_refuse(row, row->name == gfp_zmethod_names[GFP_Z_MIX]
                                ? "the result needs more bits than all big primes have"
                                : "no named prime exceeds the bound of the result");
    }
}

/* ---- resultants ---- */

/* The tables of a basis for few numbers. */
static double few_time(double blocks)
{
    return 1200 + 1185 * gfp_zexp2(1.34 * gfp_zlog2(blocks));
}

static double resultant_by_words(gfp_zprediction *row, const gfp_zsizes *s)
{
    const costs *c = costs_of(s);
    const size_t count = gfp_size_add_sat(s->bits, 2) / GFP_Z_BLOCK_BITS + 1;
    const double blocks = (double)count;
    if (count > GFP_Z_MOST_BLOCKS) {
        predict_refuse(row, "the result needs more word-size primes than there are");
        return HUGE_VAL;
    }
    set_words(row, count);
    row->convert_ns =
        blocks * (c->coefficient * predict_numbers(s) + c->limb * predict_limbs(s) + 12 * blocks) +
        8 * predict_limbs(s);
    row->create_ns = gfp_zring_kept(s->ring, count, true) != NULL ? 0 : few_time(blocks);
    const double images = blocks * (image_time(s, 1) + c->block);
    return 1000 + row->convert_ns + images / fmin(predict_threads(s), blocks);
}

void gfp_zpredict_resultant(gfp_zprediction *row, gfp_zmethod method, const gfp_zsizes *s)
{
    *row = (gfp_zprediction){.name = gfp_zmethod_names[method]};
    double time = HUGE_VAL;
    switch (method) {
    case GFP_Z_WORDS:
        time = resultant_by_words(row, s);
        break;
    case GFP_Z_BIG:
        time = big_time(row, s, gfp_size_add_sat(s->bits, 1), 1) + 2000;
        break;
    case GFP_Z_MIX: {
        const size_t bits = gfp_size_add_sat(s->bits, 1);
        time = mix_time(row, s, bits, bits, 1) + 1000;
        break;
    }
    case GFP_Z_FLINT: {
        /* Degrees and bits of operands of equal sizes with the same bound. FLINT's steps for
         * unequal degrees take longer than for equal ones with the same product. */
        const double m = (double)s->len_a - 1, n = (double)s->len_b - 1;
        const double d = sqrt(sqrt(m * n) * (m + n) / 2);
        const double bits = (double)s->bits / (2 * fmax(d, 1)) - gfp_zlog2(d + 1) / 2 + 0.8;
        time = in_grid(flint_resultant, d, bits);
        if (!gfp_zflint_is_there()) {
            predict_refuse(row, "the library was built without FLINT");
        }
        break;
    }
    default:
        predict_refuse(row, "resultants have no such strategy");
    }
    predict_finish(row, row->reason == NULL ? time : HUGE_VAL);
}

/* ---- gcds ---- */

/* The time of the gcd of two coefficients of `width` words each. */
static double coefficient_gcd(size_t width)
{
    return width == 1 ? 71 : in_table(integer_gcd, INTEGERS, (double)width);
}

void gfp_zpredict_contents(gfp_zsizes *s)
{
    /* Without the content: a long one ends the gcds early. */
    const double of_a = coefficient_gcd(gfp_z_width(s->bits_a));
    const double of_b = coefficient_gcd(gfp_z_width(s->bits_b));
    s->contents = of_a + of_b;
    s->leads = fmin(of_a, of_b);
}

/* The proof of a divisor of this length and these bits, of one operand. */
static double proof_time(const gfp_zsizes *s, bool first, gfp_zguess g)
{
    const costs *c = costs_of(s);
    const double len = (double)(first ? s->len_a : s->len_b), len_g = (double)g.len;
    const double len_u = fmax(len - len_g + 1, 1);
    const size_t of_a = first ? s->bits_a : s->bits_b;
    const size_t sums = gfp_log2_above((size_t)fmin(len_g, len_u));
    const size_t count = (of_a + sums + 8) / GFP_Z_BLOCK_BITS + 1;
    const double blocks = (double)count;
    const double width = (double)(first ? s->width_a : s->width_b);
    const double width_g = (double)gfp_z_width(g.bits);
    const double convert = c->number * (len + len_g) + c->more * (len * width + len_g * width_g) +
                           (c->lift + c->join * blocks) * len_u;
    const double divide = c->proof + c->quotient * len_u * len_g;
    return blocks * (convert + divide) / fmin(predict_threads(s), blocks);
}

/* For each number: bits and norms. */
#define ONCE 8

double gfp_zpredict_first_image(const gfp_zsizes *s, size_t len_g)
{
    const costs *c = costs_of(s);
    return 800 + image_time(s, (double)len_g) + (ONCE + c->number) * predict_numbers(s) +
           c->more * predict_limbs(s);
}

/* For each coefficient of a candidate: its content. */
#define CANDIDATE_NS 15

static double candidate_time(gfp_zguess g)
{
    return CANDIDATE_NS * (double)g.len + coefficient_gcd(gfp_z_width(g.bits));
}

static double gcd_by_words(gfp_zprediction *row, const gfp_zsizes *s, gfp_zguess g)
{
    const costs *c = costs_of(s);
    const size_t count = g.len <= 1 ? 1 : (g.bits + 40) / GFP_Z_BLOCK_BITS + 1;
    const double blocks = (double)count;
    const double project = c->number * predict_numbers(s) + c->more * predict_limbs(s);
    const double images = image_time(s, (double)g.len) + project;
    set_words(row, count);
    const double lift = g.len > 1 ? blocks * (c->lift + c->join * blocks) * (double)g.len : 0;
    row->convert_ns = blocks * project + lift;
    if (g.len > 1) {
        row->proof_ns = proof_time(s, true, g) + proof_time(s, false, g) + candidate_time(g);
    }
    /* A divisor's leading coefficient ends the gcd of those of the operands early. */
    const double leads = g.len > 1 ? 0.6 * s->leads : s->leads;
    return 750 + s->contents + leads + ONCE * predict_numbers(s) + row->proof_ns + lift +
           blocks * images / fmin(predict_threads(s), blocks);
}

/* A quotient of q limbs by m limbs, with the remainder. Beyond m limbs of the quotient each one
 * takes longer than the last one of m, and less where m is small. */
static double division_time(double q, double m)
{
    const double less = q < m ? q : m;
    if (less < 1) {
        return 0;
    }
    const double even = in_table(integer_quotient, INTEGERS, less);
    const double more = 1.43 / (m + 7);
    return q <= m ? m / q * even : even * (1 + (q - m) * more);
}

/* Of a gcd of integers: for each number, and each of its limbs; for each number of long
 * coefficients, and each of their limbs; for each coefficient of the divisor; for each
 * one of a quotient, and each of its limbs. */
#define VALUE_NS 2.6
#define VALUE_LIMB_NS 3.5
#define LONG_VALUE_NS 5.2
#define LONG_LIMB_NS 0.87
#define DIVISOR_NS 5.3
#define QUOTIENT_NS 2.3
#define QUOTIENT_LIMB_NS 5.9

/* The proof that g divides an operand, by one division of integers. */
static double integer_proof_time(double len, double len_g, double limb)
{
    return 1.4 * division_time((len - len_g) * limb, len_g * limb);
}

/* The same for the operand of long coefficients: by longer digits, or by residues. */
static double long_proof_time(const gfp_zsizes *s, gfp_zguess g, gfp_zdigits digits)
{
    const bool first = s->bits_a > s->bits_b;
    const double len = (double)(first ? s->len_a : s->len_b), len_g = (double)g.len;
    const double limb = (double)digits.proof_bits / 64;
    return digits.residues ? proof_time(s, first, g)
                           : integer_proof_time(len, len_g, limb) +
                                 (VALUE_NS + VALUE_LIMB_NS * limb) * (len + len_g);
}

/* The time of the proofs of a divisor of this length. */
static double kronecker_proof_time(const gfp_zsizes *s, gfp_zguess g, gfp_zdigits digits)
{
    const bool both = digits.gcd_bits == digits.proof_bits;
    const double len_g = (double)g.len, limb = (double)digits.gcd_bits / 64;
    double t = 270 + coefficient_gcd(gfp_z_width(g.bits)) + DIVISOR_NS * len_g +
               (QUOTIENT_NS + QUOTIENT_LIMB_NS * limb) * (predict_numbers(s) - 2 * len_g);
    if (both || s->bits_a < s->bits_b) {
        t += integer_proof_time((double)s->len_a, len_g, limb);
    }
    if (both || s->bits_b < s->bits_a) {
        t += integer_proof_time((double)s->len_b, len_g, limb);
    }
    return t + (both ? 0 : long_proof_time(s, g, digits));
}

/* The gcd of values of a and b limbs; a divisor of g limbs ends it early. */
static double integer_gcd_time(double a, double b, double g)
{
    const double whole = in_table(integer_gcd, INTEGERS, b);
    const double share = g > 0 && g < b ? gfp_zexp2(-1.74 * gfp_zlog2(b / g)) : g > 0;
    return whole * (1 - share) + 0.95 * division_time(a - b, b);
}

static double gcd_by_kronecker(gfp_zprediction *row, const gfp_zsizes *s, gfp_zguess g)
{
    const gfp_zdigits digits =
        gfp_zgcd_digits(s->ring->level, s->len_a, s->bits_a, s->len_b, s->bits_b);
    const double limb = (double)digits.gcd_bits / 64, proof_limb = (double)digits.proof_bits / 64;
    row->bits = digits.gcd_bits;
    /* Values, copies, quotients, digits. */
    if (s->left != SIZE_MAX && 100 * predict_numbers(s) * (proof_limb + 2) > (double)s->left) {
        predict_refuse(row, "the cap on memory is too low for integers of this size");
        return HUGE_VAL;
    }
    if (predict_longer(s) * proof_limb >= (double)GFP_ZKRONECKER_LIMBS) {
        predict_refuse(row, "the operands are too long for one integer");
        return HUGE_VAL;
    }
    const bool both = digits.gcd_bits == digits.proof_bits, wide_a = !both && s->bits_a > s->bits_b,
               wide_b = !both && !wide_a;
    const double x = (double)s->len_a * limb + (wide_a ? proof_limb : 0);
    const double y = (double)s->len_b * limb + (wide_b ? proof_limb : 0);
    const double a = x > y ? x : y, b = x > y ? y : x;
    const double of_long = (double)(wide_a ? s->len_a : wide_b ? s->len_b : 0);
    row->convert_ns = VALUE_NS * predict_numbers(s) + VALUE_LIMB_NS * (a + b) +
                      (LONG_VALUE_NS + LONG_LIMB_NS * proof_limb) * of_long;
    row->proof_ns = g.len > 1 ? kronecker_proof_time(s, g, digits) : 0;
    const double top =
        fmin((double)g.bits, (double)digits.gcd_bits) / 64; /* of the divisor's value */
    const double of_g = g.len > 1 ? ((double)g.len - 1) * limb + top : 0;
    const double gcd = integer_gcd_time(a, b, of_g);
    return 375 + gcd + s->contents + row->proof_ns + row->convert_ns;
}

/* Of a gcd of short values: for each coefficient of one limb, or of several, and each of their
 * limbs; once. */
#define SHORT_ONE_NS 0.6
#define SHORT_NUMBER_NS 3
#define SHORT_LIMB_NS 0.4
#define SHORT_NS 20

static double value_time(size_t len, size_t width)
{
    return (double)len *
           (width == 1 ? SHORT_ONE_NS : SHORT_NUMBER_NS + SHORT_LIMB_NS * (double)width);
}

double gfp_zpredict_values(const gfp_zsizes *s, unsigned step, gfp_zguess g)
{
    const size_t limbs_a = (step * (s->len_a - 1) + s->bits_a) / 64 + 1;
    const size_t limbs_b = (step * (s->len_b - 1) + s->bits_b) / 64 + 1;
    const double a = (double)limbs_a, b = (double)limbs_b;
    const double of_g = g.len > 1 ? (double)(step * (g.len - 1) + g.bits) / 64 : 0;
    const double gcd = integer_gcd_time(fmax(a, b), fmin(a, b), of_g);
    return SHORT_NS + gcd + value_time(s->len_a, s->width_a) + value_time(s->len_b, s->width_b);
}

/* A longer operand counts as several of the shorter one's length, and the bits are those of the
 * longer coefficients: FLINT often takes less time, but not always. On the portable level the bits
 * are the geometric mean, the longer ones counted twice. A long divisor ends Euclid's algorithm
 * early, once the longer operand is reduced to the length of the shorter one. */
static double gcd_by_flint(const gfp_zsizes *s, gfp_zguess g)
{
    const bool vectors = s->ring->level != GFP_LEVEL_PORTABLE;
    const double d = predict_shorter(s) - 1, of_g = (double)g.len - 1;
    const double most = (double)(s->bits_a > s->bits_b ? s->bits_a : s->bits_b);
    const double bits = vectors ? most
                                : gfp_zexp2((gfp_zlog2((double)s->bits_a) +
                                             gfp_zlog2((double)s->bits_b) + gfp_zlog2(most)) /
                                            3);
    const double part = of_g / fmax(d, 1), share = fmin(2 * part, 1);
    const double coprime = in_grid(flint_gcd[0], d, bits);
    const double half = in_grid(flint_gcd[1], d, bits);
    const double early = d > 16 && part > 0.5 ? 0.3 + 0.7 / 0.75 * (1 - part * part) : 1;
    const double ratio = predict_numbers(s) / (2 * predict_shorter(s));
    const double whole = coprime + share * (half - coprime), less = share * (1 - early) * half;
    const double t = whole * ratio - less;
    return s->cofactors && g.len > 1 ? 1.4 * t : t;
}

static double gcd_by_big(gfp_zprediction *row, const gfp_zsizes *s, gfp_zguess g)
{
    const size_t least = s->bits_a < s->bits_b ? s->bits_a : s->bits_b;
    const double time = big_time(row, s, gfp_size_add_sat(least, g.bits), g.len);
    if (g.len > 1) {
        row->proof_ns = proof_time(s, true, g) + proof_time(s, false, g);
    }
    return 2000 + time + row->proof_ns + s->contents + s->leads;
}

/* The bits of a divisor, or one prime that shows that there is none. */
static double gcd_by_mix(gfp_zprediction *row, const gfp_zsizes *s, gfp_zguess g)
{
    const size_t least = s->bits_a < s->bits_b ? s->bits_a : s->bits_b;
    const size_t bound = gfp_size_add_sat(gfp_size_min(s->len_a, s->len_b), least);
    const size_t bits = g.len > 1 ? gfp_size_add_sat(g.bits, 40) : 1;
    const double time = mix_time(row, s, bits, bits > bound ? bits : bound, g.len);
    if (g.len > 1) {
        row->proof_ns = proof_time(s, true, g) + proof_time(s, false, g);
    }
    return 2000 + time + row->proof_ns + s->contents + s->leads;
}

void gfp_zpredict_gcd(gfp_zprediction *row, gfp_zmethod method, const gfp_zsizes *s,
                      gfp_zguess guess)
{
    *row = (gfp_zprediction){.name = gfp_zmethod_names[method]};
    double time = HUGE_VAL;
    switch (method) {
    case GFP_Z_WORDS:
        time = gcd_by_words(row, s, guess);
        break;
    case GFP_Z_KRONECKER:
        time = gcd_by_kronecker(row, s, guess);
        break;
    case GFP_Z_BIG:
        time = gcd_by_big(row, s, guess);
        break;
    case GFP_Z_MIX:
        time = gcd_by_mix(row, s, guess);
        break;
    case GFP_Z_FLINT:
        time = gcd_by_flint(s, guess);
        if (!gfp_zflint_is_there()) {
            predict_refuse(row, "the library was built without FLINT");
        }
        break;
    default:
        predict_refuse(row, "gcds have no such strategy");
    }
    predict_finish(row, row->reason == NULL ? time : HUGE_VAL);
}
