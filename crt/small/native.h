/* native.h: the native multimodular product: coefficients projected to primes just below 2^48, one
 * transform product per prime, recombined by CRT straight to base-r digits. This header has its
 * tables and the engines of the kernel levels.
 *
 * With primes q_i, M their product and M_i = M / q_i, a coefficient c of the product over Z, 0 <= c
 * < M / 4, with residues c_i is sum y_i M_i - f M, y_i = c_i / M_i mod q_i in [0, q_i). As c / M =
 * sum y_i / q_i - f, and q_i > 2^48 - 2^31, f is sum y_i / 2^48 rounded: the sum is low by less
 * than s 2^-17 (s < 2^10 primes), and so below f + 1/4 and above f - 2^-7. Modulo p, c is the sum
 * of y_i (M_i mod p) and f (-M mod p): s + 1 products of words and rows of base-r digits.
 *
 * Short digits are joined, `per` of them as one digit in radix R = r^per, so that R is at least
 * 2^32 if p is large enough; k and r below are those of radix R. Digits are cut in two pieces,
 * their low 52 bits and the rest: vectors multiply 52-bit words.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_SMALL_NATIVE_H
#define GFP_CRT_SMALL_NATIVE_H

#include <stdatomic.h>

#include "field/base/context.h"
#include "fft/words/ntt48.h"
#include "field/base/task.h"

/* Primes are 2^48 - delta, delta < 2^GFP_NATIVE_DELTA_BITS. */
#define GFP_NATIVE_BITS 48
#define GFP_NATIVE_DELTA_BITS 31
#define GFP_NATIVE_PIECE_BITS 52
#define GFP_NATIVE_PIECE_MASK (((uint64_t)1 << GFP_NATIVE_PIECE_BITS) - 1)

/* The most primes: 48 s exceeds 2 k 64 + 48 + 51. */
#define GFP_NATIVE_MAX_PRIMES 688
/* The number of primes whose powers of the radix are tabulated side by side. */
#define GFP_NATIVE_GROUP 8
/* The number of primes of one projection, a multiple of GFP_NATIVE_GROUP. */
#define GFP_NATIVE_BATCH 32
/* Roots of unity are tabulated up to this order, 2^24. */
#define GFP_NATIVE_MAX_LOG2_ORDER 24

#define GFP_NATIVE_R_MIN ((uint64_t)1 << 32)

/* p = r^k + 1 in a longer radix: a digit is `per` digits of the field. */
typedef struct gfp_native_radix {
    uint64_t r; /* at least GFP_NATIVE_R_MIN, or per = 1 */
    unsigned k;
    unsigned per;
} gfp_native_radix;

gfp_native_radix gfp_native_radix_of(const gfp_field *field);

typedef struct gfp_native_prime {
    gfp_ntt48_prime prime; /* with any non-residue as generator */
    uint64_t inverse_q;    /* 1 / q mod 2^52 */
    gfp_ntt48_root fold;   /* 2^52 */
    /* turn[t]: a root of unity of order 2^(t+2); turn_inverse[t]: its inverse. */
    gfp_ntt48_root turn[GFP_NATIVE_MAX_LOG2_ORDER - 1];
    gfp_ntt48_root back[GFP_NATIVE_MAX_LOG2_ORDER - 1];
} gfp_native_prime;

/* The tables of the prime q, 1 modulo 2^log2_order: of roots up to this order. */
void gfp_native_prime_fill(gfp_native_prime *prime, uint64_t q, unsigned log2_order);

/* The constants of the CRT by the first count primes. */
typedef struct gfp_native_set {
    size_t count;
    uint64_t *scale; /* count entries: 1 / M_i mod q_i */
    /* count + 1 rows of digits, M_i mod p and -M mod p, in pieces; digits in groups of
     * GFP_NATIVE_DIGITS(k), all rows of a group together: see gfp_native_column. */
    uint64_t *columns;
} gfp_native_set;

#define GFP_NATIVE_DIGITS(k) ((k) < 4 ? (size_t)(k) : (size_t)4)

/* Returns the index of the two pieces of digit t of a row. */
static inline size_t gfp_native_column(size_t k, size_t count, size_t row, size_t t)
{
    const size_t digits = GFP_NATIVE_DIGITS(k);
    return 2 * ((t / digits * (count + 1) + row) * digits + t % digits);
}

typedef struct gfp_native_tables {
    gfp_attachment head;
    const gfp_field *field;
    gfp_native_radix radix;
    gfp_lanes_radix lanes; /* of radix.r if that is at least GFP_NATIVE_R_MIN */
    size_t count;          /* primes, descending */
    unsigned log2_order;   /* 2^log2_order divides all q - 1 */
    gfp_native_prime *primes;
    uint64_t *moduli; /* the primes' values */
    /* r^t and 2^52 r^t modulo GFP_NATIVE_GROUP primes at a time (0 after the last): see
     * gfp_native_power. */
    uint64_t *powers;
    size_t power_words;
    /* The sets of count - 1 and of count primes; each is made at the first product that needs
     * it. */
    _Atomic(gfp_native_set *) sets[2];
} gfp_native_tables;

/* Returns the index of the power for piece 0 or 1 of digit t. */
static inline size_t gfp_native_power(size_t k, size_t prime, size_t t, size_t piece)
{
    return ((prime / GFP_NATIVE_GROUP * k + t) * 2 + piece) * GFP_NATIVE_GROUP +
           prime % GFP_NATIVE_GROUP;
}

/* gfp_native_join converts an element from the digits x in radix r of the field to the digits z in
 * radix R; gfp_native_split converts back. z and x must not overlap; the special element's top
 * digit is R. */
void gfp_native_join(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x);
void gfp_native_split(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x);

/* The size of a transform: modulo X^(2^log2_n) - 1, of 2^log2_n points, or (three) of three
 * quarters of these points, modulo (X^(2m) - 1) (X^m - s), m = 2^log2_n / 4 and s the root of order
 * 4, node 2 of the tree. */
typedef struct gfp_native_size {
    unsigned log2_n;
    bool three; /* needs log2_n >= least_log2_n + 2 */
} gfp_native_size;

static inline size_t gfp_native_points(gfp_native_size size)
{
    return size.three ? (size_t)3 << (size.log2_n - 2) : (size_t)1 << size.log2_n;
}

enum { GFP_NATIVE_FORWARD = 1, GFP_NATIVE_MULTIPLY = 2, GFP_NATIVE_INVERSE = 4 };

/* A polynomial to project: x, len coefficients, to the arrays from z on. */
typedef struct gfp_native_factor {
    uint64_t *z;
    const uint64_t *x;
    size_t len;
} gfp_native_factor;

/* The kernels of a level. Arrays of residues hold as many words as points; areas are aligned to 64
 * bytes. */
typedef struct gfp_native_engine {
    gfp_level level, combine_level; /* of the transforms, and of combine */
    bool (*serves)(const gfp_native_radix *radix);
    unsigned least_log2_n;
    /* Products are multiplied by 2^gfp_native_halvings / 2^log2_montgomery. */
    unsigned log2_montgomery;
    /* Return the words of the roots of a transform, and of work space for the CRT. */
    size_t (*root_words)(unsigned log2_n);
    size_t (*crt_words)(size_t k, size_t count);
    /* Projects a factor: z[j step + i] := a residue of x_i modulo prime first + j, j < count <=
     * GFP_NATIVE_BATCH, and of 0 for len <= i < n. first is a multiple of GFP_NATIVE_GROUP. x has
     * len elements of k digits of any size each. n points. work: crt_words. */
    void (*project)(const gfp_native_tables *tables, size_t first, size_t count,
                    const gfp_native_factor *factor, size_t step, size_t n, uint64_t *work);
    /* Computes the roots of unity that multiply needs. */
    void (*roots)(const gfp_native_prime *prime, unsigned log2_n, uint64_t *roots);
    /* a := a b in the ring of `size`, up to the factor above. Residues in are those of project or
     * multiply. b is overwritten; b may be a. */
    void (*multiply)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *a, uint64_t *b,
                     gfp_native_size size);
    /* multiply in steps, in this order. FORWARD: the residues a, as from project, become their
     * transform, a factor. MULTIPLY: the factor a becomes its product with the factor b, which does
     * not change; only this step reads b. INVERSE: a product a becomes residues, as from
     * multiply. */
    void (*steps)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *a,
                  const uint64_t *b, gfp_native_size size, unsigned steps);
    /* z := x y, z + x y, z - x y for sign 0, 1, -1: factors x and y, products z. z may be x or
     * y. */
    void (*accumulate)(const gfp_native_prime *prime, const uint64_t *roots, uint64_t *z,
                       const uint64_t *x, const uint64_t *y, gfp_native_size size, int sign);
    /* z := x + y or x - y, n points; x, y and z are all factors or all products. Products are
     * factors, too, as far as ranges go. z may be x or y. */
    void (*add)(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, const uint64_t *y,
                size_t n, bool subtract);
    /* z := the factor x as a product, n points: x / 2^log2_montgomery. z may be x. */
    void (*lift)(const gfp_native_prime *prime, uint64_t *z, const uint64_t *x, size_t n);
    /* c := the product of a panel, or c plus the product, over 2^log2_combine. Residues of the
     * panel are those of project. */
    void (*combine)(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel, bool first);
    unsigned log2_combine;
    /* Computes elements z_i, i < n, with residues x[j step + i] scale_j, scaled as y_i above. x is
     * a multiple of 16 points from the beginning of its array. work: crt_words. */
    void (*recombine)(const gfp_native_tables *tables, const gfp_native_set *set,
                      const gfp_ntt48_root *scale, uint64_t *z, const uint64_t *x, size_t step,
                      size_t n, uint64_t *work);
} gfp_native_engine;

static inline unsigned gfp_native_halvings(const gfp_native_engine *engine, gfp_native_size size)
{
    return size.log2_n - engine->least_log2_n - (size.three ? 1 : 0);
}

/* scale[0 .. set->count) := the factors of recombine: 1 / M_i over the factor that transforms of
 * that size leave. */
void gfp_native_fill_scale(gfp_ntt48_root *scale, const gfp_native_engine *engine,
                           const gfp_native_tables *tables, const gfp_native_set *set,
                           gfp_native_size size);

/* The most elements that recombine treats at once. */
#define GFP_NATIVE_TILE 16

/* native_matrix_*.c: the combine of the engines. */
void gfp_native_combine_portable(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                                 bool first);
void gfp_native_combine_avx2(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                             bool first);
void gfp_native_combine_avx512(const gfp_native_prime *prime, uint64_t *c, const gfp_panel *panel,
                               bool first);

extern const gfp_native_engine gfp_native_portable;
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
/* The portable engine with a combine for AVX2. */
extern const gfp_native_engine gfp_native_avx2;
extern const gfp_native_engine gfp_native_avx512;
#endif
/* Returns the engine of the field's level, or the portable one if that engine does not serve the
 * field. */
const gfp_native_engine *gfp_native_engine_get(const gfp_field *field);

/* Returns the number of primes for coefficients that are sums of `terms` products. */
size_t gfp_native_count(const gfp_field *field, size_t terms);
/* Returns the field's tables; NULL: no memory. The first call finds the primes. */
gfp_native_tables *gfp_native_tables_get(const gfp_field *field);
/* Returns the set of `count` = gfp_native_count(field, terms) primes, terms < 2^48; NULL: no
 * memory. */
const gfp_native_set *gfp_native_set_get(gfp_native_tables *tables, size_t count);

/* ---- steps that threads share (native_steps.c) ---- */

/* Returns the words from one array of residues to the next. This is more than a power of two, so
 * that the residues of a coefficient do not meet in a cache set. */
static inline size_t gfp_native_step(gfp_native_size size)
{
    return gfp_native_points(size) + 8;
}

/* Units of progress: for a residue's three transforms, and, for each prime, for a digit of a
 * coefficient in the projection and in the CRT. */
#define GFP_NATIVE_RESIDUE_UNITS 4.0
#define GFP_NATIVE_UNIT_COST 1.0

/* The common arguments of projection and CRT. */
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

/* Projects factors, one or two, to primes first <= j < first + count, by engine->project. Returns
 * false if the call is cancelled. */
bool gfp_native_project(const gfp_native_steps *w, size_t first, size_t count,
                        const gfp_native_factor *factors, size_t n);
/* A step modulo prime j by thread `worker`. Returns false if the call is cancelled. */
typedef bool gfp_native_prime_step(const void *user, size_t j, unsigned worker, gfp_task *task);
/* Does a step modulo primes first <= j < first + count, which threads share; reports `units` for
 * each point of each prime. Returns false if the call is cancelled. */
bool gfp_native_primes(const gfp_native_steps *w, size_t first, size_t count,
                       gfp_native_prime_step *step, const void *user, double units);
/* c := n coefficients whose residues modulo all primes are the arrays from x on. Returns false if
 * the call is cancelled. */
bool gfp_native_recombine(const gfp_native_steps *w, uint64_t *c, size_t n, const uint64_t *x);

/* Returns a lower bound of log2_order of the field's tables, which is known before the primes are
 * found. */
unsigned gfp_native_least_order(const gfp_field *field);

#endif
