/* native.h: the native multimodular product: coefficients projected to primes just below 2^48, one
 * transform product per prime, recombined by CRT straight to base-r digits. Its tables, and the
 * engines of the kernel levels.
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * With primes q_i, M their product and M_i = M / q_i, a coefficient c of the product over Z, 0 <= c
 * < M / 4, with residues c_i is sum y_i M_i - f M, y_i = c_i / M_i mod q_i in [0, q_i). As c / M =
 * sum y_i / q_i - f, and q_i > 2^48 - 2^31, f is sum y_i / 2^48 rounded: the sum is low by less
 * than s 2^-17 (s < 2^10 primes), and so below f + 1/4 and above f - 2^-7. Modulo p, c is the sum
 * of y_i (M_i mod p) and f (-M mod p): s + 1 products of words and rows of base-r digits.
 *
 * Short digits are taken together, `per` of them as one digit in radix R = r^per, so that R is 2^32
 * at least where p is large enough; k and r below are those of radix R. Digits are cut in two
 * pieces, their low 52 bits and the rest: vectors multiply 52-bit words. */
#ifndef GFP_NATIVE_H
#define GFP_NATIVE_H

#include <stdatomic.h>

#include "field_impl.h"
#include "ntt48.h"
#include "task.h"

/* Primes are 2^48 - delta, delta < 2^GFP_NATIVE_DELTA_BITS. */
#define GFP_NATIVE_BITS 48
#define GFP_NATIVE_DELTA_BITS 31
#define GFP_NATIVE_PIECE_BITS 52
#define GFP_NATIVE_PIECE_MASK (((uint64_t)1 << GFP_NATIVE_PIECE_BITS) - 1)

/* The most primes: 48 s exceeds 2 k 64 + 48 + 51. */
#define GFP_NATIVE_MAX_PRIMES 688
/* Powers of the radix are tabulated for so many primes side by side. */
#define GFP_NATIVE_GROUP 8
/* Primes that are projected to at once, a multiple of that. */
#define GFP_NATIVE_BATCH 32
/* Roots of unity are tabulated up to this order, 2^24. */
#define GFP_NATIVE_MAX_LOG2_ORDER 24

#define GFP_NATIVE_R_MIN ((uint64_t)1 << 32)

/* p = r^k + 1 again, each digit being per digits of the field. */
typedef struct gfp_native_radix {
    uint64_t r; /* at least GFP_NATIVE_R_MIN, or per = 1 */
    unsigned k;
    unsigned per;
} gfp_native_radix;

gfp_native_radix gfp_native_radix_of(const gfp_field *field);

typedef struct gfp_native_prime {
    gfp_ntt48_prime prime; /* generator: any non-residue */
    uint64_t inverse_q;    /* 1 / q mod 2^52 */
    gfp_ntt48_root fold;   /* 2^52 */
    /* Roots of unity of order 2^(t+2) at t, and their inverses. */
    gfp_ntt48_root turn[GFP_NATIVE_MAX_LOG2_ORDER - 1];
    gfp_ntt48_root back[GFP_NATIVE_MAX_LOG2_ORDER - 1];
} gfp_native_prime;

/* What the CRT by the first count primes needs. */
typedef struct gfp_native_set {
    size_t count;
    uint64_t *scale; /* count: 1 / M_i mod q_i */
    /* count + 1 rows of digits, M_i mod p and -M mod p, in pieces; digits in groups of
     * GFP_NATIVE_DIGITS(k), all rows of a group together: see gfp_native_column. */
    uint64_t *columns;
} gfp_native_set;

#define GFP_NATIVE_DIGITS(k) ((k) < 4 ? (size_t)(k) : (size_t)4)

/* Where the two pieces of digit t of a row are. */
static inline size_t gfp_native_column(size_t k, size_t count, size_t row, size_t t)
{
    const size_t digits = GFP_NATIVE_DIGITS(k);
    return 2 * ((t / digits * (count + 1) + row) * digits + t % digits);
}

typedef struct gfp_native_tables {
    gfp_attachment head;
    const gfp_field *field;
    gfp_native_radix radix;
    gfp_lanes_radix lanes; /* of radix.r where that is at least GFP_NATIVE_R_MIN */
    size_t count;          /* primes, descending */
    unsigned log2_order;   /* 2^log2_order divides all q - 1 */
    gfp_native_prime *primes;
    uint64_t *moduli; /* the primes alone */
    /* r^t and 2^52 r^t modulo GFP_NATIVE_GROUP primes at a time (0 behind the last): see
     * gfp_native_power. */
    uint64_t *powers;
    size_t power_words;
    /* Of count - 1 and of count primes; made at the first product that needs it. */
    _Atomic(gfp_native_set *) sets[2];
} gfp_native_tables;

/* Where the power that goes with a piece (0 or 1) of digit t is. */
static inline size_t gfp_native_power(size_t k, size_t prime, size_t t, size_t piece)
{
    return ((prime / GFP_NATIVE_GROUP * k + t) * 2 + piece) * GFP_NATIVE_GROUP +
           prime % GFP_NATIVE_GROUP;
}

/* An element's digits in radix R, x having those in radix r of the field, and back: z and x do not
 * overlap; the special element's top digit is R. */
void gfp_native_join(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x);
void gfp_native_split(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x);

/* A transform: modulo X^(2^log2_n) - 1, of 2^log2_n points, or, for three quarters of that, modulo
 * (X^(2m) - 1) (X^m - s), m = 2^log2_n / 4 and s the root of order 4, node 2 of the tree. */
typedef struct gfp_native_size {
    unsigned log2_n;
    bool three; /* log2_n >= least_log2_n + 2 */
} gfp_native_size;

static inline size_t gfp_native_points(gfp_native_size size)
{
    return size.three ? (size_t)3 << (size.log2_n - 2) : (size_t)1 << size.log2_n;
}

enum { GFP_NATIVE_FORWARD = 1, GFP_NATIVE_MULTIPLY = 2, GFP_NATIVE_INVERSE = 4 };

/* The kernels of a level. Arrays of residues hold as many words as points; areas are aligned to 64
 * bytes. */
typedef struct gfp_native_engine {
    gfp_level level;
    bool (*serves)(const gfp_native_radix *radix);
    unsigned least_log2_n;
    /* Products come multiplied by 2^gfp_native_halvings / 2^log2_montgomery. */
    unsigned log2_montgomery;
    /* Words of the roots of a transform, and of work space for the CRT. */
    size_t (*root_words)(unsigned log2_n);
    size_t (*crt_words)(size_t k, size_t count);
    /* z[j step + i] := a residue of x_i modulo prime first + j, j < count <= GFP_NATIVE_BATCH,
     * first being a multiple of GFP_NATIVE_GROUP, and of 0 for len <= i < n; x of len elements,
     * each of k digits of any size. n points. work: crt_words. */
    void (*project)(const gfp_native_tables *tables, size_t first, size_t count, uint64_t *z,
                    size_t step, const uint64_t *x, size_t len, size_t n, uint64_t *work);
    /* The roots of unity that multiply needs. */
    void (*roots)(const gfp_native_prime *prime, unsigned log2_n, uint64_t *roots);
    /* a := a b in this ring, up to the factor above; residues as project and this
     * makes them. b is overwritten; it may be a. */
    void (*multiply)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *a, uint64_t *b,
                     gfp_native_size size);
    /* The same in steps, in this order. FORWARD: residues a as project makes them become their
     * transform, a factor. MULTIPLY: the factor a becomes its product with the factor b, which
     * stays; b matters to this step only. INVERSE: a product a becomes residues as multiply makes
     * them. */
    void (*steps)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *a,
                  const uint64_t *b, gfp_native_size size, unsigned steps);
    /* z := x y, z + x y, z - x y for sign 0, 1, -1: factors x and y, products z. z may be x or y.
     */
    void (*accumulate)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *z,
                       const uint64_t *x, const uint64_t *y, gfp_native_size size, int sign);
    /* z := x + y or x - y, n points, both factors or both products, what z is then; products are
     * factors, too, as far as ranges go. z may be x or y. */
    void (*add)(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, const uint64_t *y,
                size_t n, bool subtract);
    /* z := the factor x as a product, n points: x / 2^log2_montgomery. z may be x. */
    void (*lift)(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, size_t n);
    /* z := the elements from <= i < end (z being the place of element `from`) with residues
     * x[j step + i] scale_j, scaled as y_i above; from is a multiple of 16. work: crt_words. */
    void (*recombine)(const gfp_native_tables *tables, const gfp_native_set *set,
                      const gfp_ntt48_root *scale, uint64_t *z, const uint64_t *x, size_t step,
                      size_t from, size_t end, uint64_t *work);
} gfp_native_engine;

static inline unsigned gfp_native_halvings(const gfp_native_engine *engine, gfp_native_size size)
{
    return size.log2_n - engine->least_log2_n - (size.three ? 1 : 0);
}

/* The factors scale[0 .. set->count) of recombine: 1 / M_i and what transforms of that size leave.
 */
void gfp_native_fill_scale(gfp_ntt48_root *scale, const gfp_native_engine *engine,
                           const gfp_native_tables *tables, const gfp_native_set *set,
                           gfp_native_size size);

/* Elements that recombine treats at once, at most. */
#define GFP_NATIVE_TILE 16

extern const gfp_native_engine gfp_native_portable;
#if GFP_X86_LEVELS
extern const gfp_native_engine gfp_native_avx512;
#endif
/* The engine of the field's level, or the portable one where that does not serve it. */
const gfp_native_engine *gfp_native_engine_get(const gfp_field *field);

/* Primes for coefficients that are sums of so many products. */
size_t gfp_native_count(const gfp_field *field, size_t terms);
/* The field's tables; NULL: no memory. Cost of the first call: finding the primes. */
gfp_native_tables *gfp_native_tables_get(const gfp_field *field);
/* The set for gfp_native_count(field, terms) primes, terms < 2^48; NULL: no memory. */
const gfp_native_set *gfp_native_set_get(gfp_native_tables *tables, size_t count);

/* ---- steps that threads share (native_steps.c) ---- */

/* Arrays of residues lie this many words apart, longer than a power of two, so that the residues of
 * a coefficient do not meet in a cache set. */
static inline size_t gfp_native_step(gfp_native_size size)
{
    return gfp_native_points(size) + 8;
}

/* Units of progress: for a residue's way through three transforms, and, for each prime, for a digit
 * of a coefficient in the projection and in the CRT. */
#define GFP_NATIVE_RESIDUE_UNITS 4.0
#define GFP_NATIVE_UNIT_COST 1.0

/* What projection and CRT work with. */
typedef struct gfp_native_steps {
    const gfp_field *field;
    const gfp_native_engine *engine;
    const gfp_native_tables *tables;
    const gfp_native_set *set;
    gfp_native_size size;
    size_t step;    /* between arrays of residues */
    uint64_t *work; /* crt_words for each thread, work_words apart */
    size_t work_words;
    const gfp_ntt48_root *scale; /* of the set */
    gfp_task *task;
} gfp_native_steps;

/* A polynomial to project: x, len coefficients, to the arrays from z on. */
typedef struct gfp_native_factor {
    uint64_t *z;
    const uint64_t *x;
    size_t len;
} gfp_native_factor;

/* Projects factors, one or two, to primes first <= j < first + count, as engine->project. False:
 * cancelled. */
bool gfp_native_project(const gfp_native_steps *w, size_t first, size_t count,
                        const gfp_native_factor *factors, size_t n);
/* c := n coefficients whose residues modulo all primes are the arrays from x on. False: cancelled.
 */
bool gfp_native_recombine(const gfp_native_steps *w, uint64_t *c, size_t n, const uint64_t *x);

/* The field's tables have this log2_order at least: known before the primes are found. */
unsigned gfp_native_least_order(const gfp_field *field);

#endif
