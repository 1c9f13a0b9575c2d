/* product.c: the hybrid product: the portable leaf engine against GMP; plans and their bounds;
 * products by picked and by enforced plans, at every kernel level, against the classical product
 * and Karatsuba's; squares, structured operands, cancellation, failing allocations, threads.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "crt/methods.h"
#include "field/base/context.h"
#include "gfpoly/poly.h"
#include "crt/hybrid/shape.h"
#include "lab/meter.h"
#include "lab/row.h"

/* ---- fields of every level ---- */

/* In addition to the lab's radices: k = 256 with digits that fast kernels serve, and the ends of
 * their range; these p need not be prime. */
static const struct {
    uint64_t r;
    unsigned k;
} more_radices[] = {
    {(UINT64_C(1) << 62) + (UINT64_C(1) << 56), 256},
    {0 - (UINT64_C(1) << 28), 256},
    {UINT64_C(1) << 32, 8},
    {(UINT64_C(1) << 32) + 2, 64},
    {GFP_OUTER_R_MAX, 4},
    {GFP_OUTER_R_MAX + 2, 128},
    {UINT64_MAX - 1, 16},
    {UINT64_MAX - 1, 2},
    {2, 256},
    {2, 2},
};
#define MORE (sizeof more_radices / sizeof more_radices[0])

typedef struct ring {
    gfp_field *field;
    oracle o;
    unsigned k;
} ring;

static size_t ring_count(void)
{
    return oracle_field_count + MORE;
}

/* A field for arithmetic only, at this level. */
static void ring_open(ring *z, size_t index, gfp_level level)
{
    const bool listed = index < oracle_field_count;
    const uint64_t r = listed ? oracle_fields[index].r : more_radices[index - oracle_field_count].r;
    const unsigned k = listed ? oracle_fields[index].k : more_radices[index - oracle_field_count].k;
    const gfp_level before = gfp_cpu_level_get();
    z->k = k;
    z->field = NULL;
    assert_true(gfp_cpu_level_force(level));
    assert_int_equal(gfp_field_create_raw(&z->field, r, k, NULL, NULL), GFP_OK);
    assert_true(gfp_cpu_level_force(before));
    oracle_init(&z->o, r, k);
}

static void ring_close(ring *z)
{
    gfp_field_destroy(z->field);
    oracle_clear(&z->o);
}

/* A product costs tens of microseconds and more. */
static bool product_costly(const ring *z)
{
    return z->k >= 64 && z->o.r < (uint64_t)1 << 32;
}

/* ---- operands ---- */

typedef enum pattern {
    RANDOM,
    SPECIAL,
    TOP,
    HALF,
    ALTERNATING,
    SPARSE,
    RIPPLE,
    ONES,
    KINDS
} pattern;

static uint64_t pattern_digit(const ring *z, pattern kind, size_t t)
{
    switch (kind) {
    case SPECIAL:
        return t + 1 == z->k ? z->o.r : 0;
    case TOP:
        return z->o.r - 1;
    case HALF:
        return z->o.r / 2;
    case ALTERNATING:
        return t % 2 == 0 ? 0 : z->o.r - 1;
    case ONES:
        return 1;
    default:
        return 0;
    }
}

/* RIPPLE: powers of r times a small number, whose products leave long runs of zeros. */
static void fill_element(const ring *z, uint64_t *x, pattern kind, size_t i, gfp_random *g)
{
    if (kind == RANDOM || (kind == SPARSE && i % 7 == 0)) {
        gfp_elem_random(z->field, x, g);
        return;
    }
    for (size_t t = 0; t < z->k; t++) {
        x[t] = pattern_digit(z, kind, t);
    }
    if (kind == RIPPLE) {
        x[i % z->k] = i % 3 == 0 ? z->o.r - 1 : 1;
    }
}

static uint64_t *product_operand(const ring *z, size_t n, pattern kind, gfp_random *g)
{
    uint64_t *x = lab_array(n * z->k);
    for (size_t i = 0; i < n; i++) {
        fill_element(z, x + i * z->k, kind, i, g);
    }
    return x;
}

static uint64_t *run_row(const ring *z, const char *name, const uint64_t *a, size_t len_a,
                         const uint64_t *b, size_t len_b)
{
    const gfp_method *row = gfp_method_find(name);
    uint64_t *c = lab_array((len_a + len_b - 1) * z->k);
    const gfp_range range = row_range(z->field, a, len_a, b, len_b);
    assert_int_equal(row_multiply(row, c, &range, NULL), GFP_OK);
    return c;
}

static void expect_equal(const ring *z, const uint64_t *c, const uint64_t *expected, size_t len_a,
                         size_t len_b, const char *what)
{
    for (size_t i = 0; i < (len_a + len_b - 1) * z->k; i++) {
        if (c[i] != expected[i]) {
            fail_msg("%s: k = %u, r = %llu, level %s, %zu x %zu: coefficient %zu, digit %zu", what,
                     z->k, (unsigned long long)z->o.r,
                     gfp_cpu_level_name(gfp_field_level(z->field)), len_a, len_b, i / z->k,
                     i % z->k);
        }
    }
}

static void check_product(const ring *z, size_t len_a, pattern kind_a, size_t len_b, pattern kind_b,
                          gfp_random *g)
{
    uint64_t *a = product_operand(z, len_a, kind_a, g), *b = product_operand(z, len_b, kind_b, g);
    uint64_t *expected = run_row(z, "karatsuba", a, len_a, b, len_b);
    uint64_t *c = run_row(z, "hybrid", a, len_a, b, len_b);
    expect_equal(z, c, expected, len_a, len_b, "product");
    lab_free(a);
    lab_free(b);
    lab_free(c);
    lab_free(expected);
}

static void check_square(const ring *z, size_t len, pattern kind, gfp_random *g)
{
    uint64_t *a = product_operand(z, len, kind, g);
    uint64_t *expected = run_row(z, "karatsuba", a, len, a, len);
    uint64_t *c = run_row(z, "hybrid", a, len, a, len);
    expect_equal(z, c, expected, len, len, "square");
    lab_free(a);
    lab_free(c);
    lab_free(expected);
}

typedef void check(const ring *z, gfp_random *g);

/* Runs a check over every field at every level, but only once on the portable engines, which serve
 * the fields that a level's engines do not. */
static void product_everywhere(check *run)
{
    gfp_random g;
    gfp_random_seed(&g, 1);
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        for (size_t i = 0; i < ring_count() && gfp_cpu_has(level); i++) {
            ring z;
            ring_open(&z, i, level);
            if (gfp_hybrid_level(z.field) == level) {
                run(&z, &g);
            }
            ring_close(&z);
        }
    }
}

static void check_lengths(const ring *z, gfp_random *g)
{
    const size_t most = product_costly(z) ? 5
                        : z->k <= 8       ? 70
                        : z->k <= 32      ? 40
                        : z->k <= 64      ? 20
                                          : 9;
    for (size_t len_a = 1; len_a <= most; len_a += 1 + len_a / (z->k <= 8 ? 8 : 3)) {
        check_product(z, len_a, RANDOM, 1 + gfp_random_below(g, most), RANDOM, g);
        check_product(z, 1 + gfp_random_below(g, len_a), RANDOM, len_a, RANDOM, g);
        check_square(z, len_a, RANDOM, g);
    }
}

static void products_of_all_lengths(void **state)
{
    (void)state;
    product_everywhere(check_lengths);
}

static void check_patterns(const ring *z, gfp_random *g)
{
    const size_t n = product_costly(z) ? 3 : z->k <= 8 ? 45 : z->k <= 32 ? 18 : 6;
    for (int a = 0; a < KINDS; a++) {
        for (int b = a; b < KINDS; b += z->k <= 32 ? 1 : 3) {
            check_product(z, n, (pattern)a, n - n / 3, (pattern)b, g);
        }
        check_square(z, n, (pattern)a, g);
    }
}

static void products_of_extreme_operands(void **state)
{
    (void)state;
    product_everywhere(check_patterns);
}

/* Around powers of two, between them, and unbalanced. */
static void check_long(const ring *z, gfp_random *g)
{
    const size_t n = product_costly(z)            ? 0
                     : z->o.r < (uint64_t)1 << 32 ? 64
                     : z->k <= 4                  ? 1024
                                                  : 4096 / z->k;
    const size_t pairs[][2] = {{n, n},         {n + 1, n},     {n + 9, n + 9},
                               {n - 1, n + 2}, {n + n / 4, n}, {n / 2 + n / 5, n / 3},
                               {3, n + n / 2}, {n / 9, 2 * n}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && n >= 16; i++) {
        check_product(z, pairs[i][0], RANDOM, pairs[i][1], i % 2 == 0 ? RANDOM : SPARSE, g);
    }
    if (n > 0) {
        check_square(z, n + 1, RANDOM, g);
    }
}

static void long_products(void **state)
{
    (void)state;
    product_everywhere(check_long);
}

/* ---- the leaf engine ---- */

/* Digits of a leaf: random within the bound, or all at its ends. */
static void fill_leaf(const ring *z, int64_t *d, size_t words, int kind, uint64_t *seed)
{
    /* (r/2) (1 + 2^-20) rounded down, within int64_t. */
    const uint64_t half = z->o.r / 2, extra = half >> 20;
    const uint64_t top = half + extra > INT64_MAX ? INT64_MAX : half + extra;
    for (size_t i = 0; i < words; i++) {
        const uint64_t x = oracle_random(seed);
        const uint64_t random = top == INT64_MAX ? x >> 1 : x % (top + 1);
        const bool negative = kind == 1   ? true
                              : kind == 2 ? i % 2 == 0
                              : kind == 3 ? i / z->k % 2 == 0
                                          : oracle_random(seed) % 2 == 0;
        const uint64_t size = kind >= 1 && kind <= 4 ? top : random;
        d[i] = kind == 0 ? (int64_t)top : negative ? -(int64_t)size : (int64_t)size;
    }
}

/* Coefficient x of a leaf with `lanes` lanes as an integer, not reduced. */
static void leaf_value(const ring *z, mpz_t value, const int64_t *d, unsigned lanes, size_t x)
{
    mpz_t digit, power;
    mpz_init(digit);
    mpz_init_set_ui(power, 1);
    mpz_set_ui(value, 0);
    for (unsigned t = 0; t < z->k; t++) {
        const int64_t v = d[(x / lanes * z->k + t) * lanes + x % lanes];
        oracle_set_u64(digit, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
        if (v < 0) {
            mpz_neg(digit, digit);
        }
        mpz_addmul(value, digit, power);
        oracle_set_u64(digit, z->o.r);
        mpz_mul(power, power, digit);
    }
    mpz_clear(digit);
    mpz_clear(power);
}

/* The product of two leaves modulo x^m - r^e by its definition. */
static void leaf_product(const ring *z, mpz_t *c, mpz_t *a, mpz_t *b, size_t m, unsigned e)
{
    mpz_t root;
    mpz_init(root);
    oracle_r_power(&z->o, root, e);
    for (size_t i = 0; i < m; i++) {
        mpz_set_ui(c[i], 0);
        for (size_t j = i + 1; j < m; j++) {
            mpz_addmul(c[i], a[j], b[m + i - j]);
        }
        mpz_mul(c[i], c[i], root);
        for (size_t j = 0; j <= i; j++) {
            mpz_addmul(c[i], a[j], b[i - j]);
        }
        mpz_mod(c[i], c[i], z->o.p);
    }
    mpz_clear(root);
}

static void expect_balanced(const ring *z, const int64_t *d, size_t words)
{
    const uint64_t half = z->o.r / 2;
    for (size_t i = 0; i < words; i++) {
        const uint64_t size = d[i] < 0 ? 0 - (uint64_t)d[i] : (uint64_t)d[i];
        assert_true(size <= half + (half >> 20));
    }
}

static void expect_leaf(const ring *z, const int64_t *d, unsigned lanes, mpz_t *expected, size_t m,
                        const char *what)
{
    mpz_t value;
    mpz_init(value);
    for (size_t i = 0; i < m; i++) {
        leaf_value(z, value, d, lanes, i);
        mpz_mod(value, value, z->o.p);
        if (mpz_cmp(value, expected[i]) != 0) {
            fail_msg("%s: k = %u, r = %llu, m = %zu: coefficient %zu", what, z->k,
                     (unsigned long long)z->o.r, m, i);
        }
    }
    mpz_clear(value);
}

static unsigned leaf_exponent(const ring *z, unsigned log2_size, unsigned j)
{
    unsigned reversed = 0;
    for (unsigned i = 0; i < log2_size; i++) {
        reversed |= (j >> i & 1) << (log2_size - 1 - i);
    }
    return (2 * z->k >> log2_size) * reversed;
}

/* The ways to multiply leaves: side by side; each in steps that threads may share; in parts. */
typedef enum way { TOGETHER, SHARED, IN_PARTS, WAYS } way;

static uint64_t *on_line(uint64_t *x)
{
    return x + (8 - (uintptr_t)x / 8 % 8) % 8;
}

/* x := the channels of a leaf, in two unequal pieces. */
static void evaluate_leaf(const gfp_leaves *leaf, unsigned prime, uint64_t *x,
                          const int64_t *digits)
{
    const size_t columns = leaf->shape->outer.m / leaf->engine->lanes;
    gfp_leaf_evaluate_columns(leaf, prime, x, digits, columns / 3, columns);
    gfp_leaf_evaluate_columns(leaf, prime, x, digits, 0, columns / 3);
}

/* a := a b for one leaf: the last prime first, odd primes by one call, the others' channels and all
 * columns in two unequal pieces. */
static void multiply_in_steps(const gfp_leaves *leaf, int64_t *a, const int64_t *b)
{
    size_t words[2];
    gfp_leaf_part_words(leaf->engine, leaf->shape, words);
    const unsigned primes = leaf->shape->primes, k = gfp_field_k(leaf->shape->outer.field);
    uint64_t *store = lab_array((primes + 1) * words[0] + words[1] + 8), *area = on_line(store);
    uint64_t *other = area + primes * words[0];
    const gfp_leaves one = {leaf->engine, leaf->shape, leaf->first, 1, other + words[0]};
    const size_t columns = leaf->shape->outer.m / leaf->engine->lanes;
    for (unsigned i = primes; i-- > 0;) {
        uint64_t *x = area + i * words[0], *y = a == b ? x : other;
        if (i % 2 != 0) {
            gfp_leaf_residues(&one, i, x, other, a, b);
            continue;
        }
        evaluate_leaf(&one, i, x, a);
        if (a != b) {
            evaluate_leaf(&one, i, y, b);
        }
        gfp_leaf_multiply_channels(&one, i, x, y, (k + 3) / 4, k);
        gfp_leaf_multiply_channels(&one, i, x, y, 0, (k + 3) / 4);
    }
    gfp_leaf_restore_columns(&one, area, a, columns / 3, columns);
    gfp_leaf_restore_columns(&one, area, a, 0, columns / 3);
    lab_free(store);
}

/* sum := sum + (4 + 3 - 3 - 2 - 2) x y. */
static void add_sums(const gfp_leaves *leaves, uint64_t *sum, const uint64_t *x, const uint64_t *y)
{
    const gfp_leaf_pairs four = {{x, x, x, x}, {y, y, y, y}, 4};
    const gfp_leaf_pairs three = {{y, y, y}, {x, x, x}, 3}, two = {{x, y}, {y, x}, 2};
    gfp_leaf_accumulate(leaves, sum, &four, 1);
    gfp_leaf_accumulate(leaves, sum, &three, 1);
    gfp_leaf_accumulate(leaves, sum, &three, -1);
    gfp_leaf_accumulate(leaves, sum, &two, -1);
    gfp_leaf_accumulate(leaves, sum, &two, -1);
}

/* a := a b as 2 a b - a b, the factors transformed once, and a 1 = a by a transform that stays. */
static void multiply_in_parts(const gfp_leaves *leaves, int64_t *a, const int64_t *b)
{
    const gfp_hybrid_shape *shape = leaves->shape;
    const size_t words = gfp_leaf_transform_words(leaves->engine, shape, leaves->count);
    const size_t leaf = shape->outer.m * gfp_field_k(shape->outer.field);
    uint64_t *store = lab_array(4 * words + 8), *x = on_line(store), *y = x + words;
    uint64_t *z = y + words, *sum = z + words;
    gfp_leaf_transform(leaves, x, a);
    gfp_leaf_transform(leaves, y, b);
    const gfp_leaf_pairs pair = {{x}, {y}, 1};
    gfp_leaf_accumulate(leaves, z, &pair, 0);
    gfp_leaf_add(leaves, sum, z, z, false);
    gfp_leaf_accumulate(leaves, sum, &pair, -1);
    add_sums(leaves, sum, x, y);
    gfp_leaf_restore(leaves, a, sum, shape->outer.m);
    memset(a, 0, leaves->count * leaf * sizeof *a);
    for (unsigned j = 0; j < leaves->count; j++) {
        a[j * leaf] = 1;
    }
    gfp_leaf_transform(leaves, y, a);
    gfp_leaf_restore(leaves, a, z, shape->outer.m);
    gfp_leaf_multiply_by(leaves, a, y, shape->outer.m);
    lab_free(store);
}

/* a := a b for the shape's group of leaves. */
static void multiply_leaves(const gfp_leaves *leaves, way how, int64_t *a, const int64_t *b)
{
    const size_t leaf = leaves->shape->outer.m * gfp_field_k(leaves->shape->outer.field);
    if (how == TOGETHER) {
        gfp_leaf_multiply(leaves, a, b);
    } else if (how == IN_PARTS) {
        multiply_in_parts(leaves, a, b);
    }
    for (unsigned j = 0; how == SHARED && j < leaves->count; j++) {
        gfp_leaves one = *leaves;
        one.first += j;
        multiply_in_steps(&one, a + j * leaf, b + j * leaf);
    }
}

/* Two leaves, of given kinds of digits, or one squared (kind_b < 0). */
static void check_leaves(const ring *z, const gfp_hybrid_choice *choice, gfp_hybrid_shape shape,
                         unsigned first, way how, int kind_a, int kind_b)
{
    const size_t m = shape.outer.m, words = 2 * m * z->k;
    uint64_t seed = m + first;
    uint64_t *store = lab_array(2 * words + gfp_leaf_work_words(choice->engine, &shape) + 16);
    int64_t *a = (int64_t *)on_line(store), *b = a + words;
    mpz_t *x = oracle_vec_new(2 * m), *y = oracle_vec_new(2 * m), *c = oracle_vec_new(m);
    fill_leaf(z, a, words, kind_a, &seed);
    fill_leaf(z, b, words, kind_b < 0 ? 0 : kind_b, &seed);
    for (size_t i = 0; i < 2 * m; i++) {
        leaf_value(z, x[i], a, choice->outer->lanes, i);
        leaf_value(z, y[i], kind_b < 0 ? a : b, choice->outer->lanes, i);
    }
    assert_int_equal(gfp_leaf_prepare(choice->engine, &shape), GFP_OK);
    const gfp_leaves leaves = {choice->engine, &shape, first, 2, (uint64_t *)(b + words)};
    multiply_leaves(&leaves, how, a, kind_b < 0 ? a : b);
    expect_balanced(z, a, words);
    for (unsigned j = 0; j < 2; j++) {
        leaf_product(z, c, x + j * m, y + j * m, m,
                     leaf_exponent(z, shape.outer.log2_size, first + j));
        expect_leaf(z, a + j * m * z->k, choice->outer->lanes, c, m, "leaf");
    }
    oracle_vec_free(x, 2 * m);
    oracle_vec_free(y, 2 * m);
    oracle_vec_free(c, m);
    lab_free(store);
}

/* Returns log2 of m k D^2, in units of 1 / GFP_HYBRID_BITS, rounded up. */
static unsigned log2_of_terms(const gfp_hybrid_choice *choice, size_t m)
{
    return choice->term_log2 + (unsigned)ceil(GFP_HYBRID_BITS * log2((double)m));
}

/* Products by parts keep transforms: they take primes only. */
static void check_engine(const ring *z, gfp_random *g)
{
    static const size_t lengths[] = {8, 16, 24, 32, 40, 48, 80};
    gfp_hybrid_choice choice;
    (void)g;
    gfp_hybrid_choose(&choice, z->field);
    for (size_t i = 0; i < (z->k <= 16 ? 7 : z->k <= 64 ? 3 : 2); i++) {
        const size_t m = lengths[i];
        const unsigned odd = m % 3 == 0 ? 3 : m % 5 == 0 ? 5 : 1;
        const unsigned log2_size = 1 + (unsigned)i % (choice.log2_k + 1);
        gfp_hybrid_shape shape = {.outer = {z->field, log2_size, 1U << log2_size, m},
                                  .odd = odd,
                                  .primes = gfp_hybrid_primes(&choice, m),
                                  .group = 2};
        const unsigned first = (unsigned)(3 * i) % ((1U << log2_size) - 1);
        const bool exact =
            shape.primes == 3 && log2_of_terms(&choice, m) < choice.engine->real_log2;
        for (int kind = 0; kind < 6 * WAYS; kind++) {
            shape.real = exact && kind / 6 != IN_PARTS;
            check_leaves(z, &choice, shape, first, (way)(kind / 6), kind % 6, (kind * 5 + 1) % 6);
        }
        for (int how = 0; how < WAYS; how++) {
            shape.real = exact && how != IN_PARTS;
            check_leaves(z, &choice, shape, first, (way)how, 5, -1);
            check_leaves(z, &choice, shape, first, (way)how, 0, -1);
        }
    }
}

static void leaves_are_multiplied_right(void **state)
{
    (void)state;
    product_everywhere(check_engine);
}

/* ---- enforced plans ---- */

static void check_plan(const ring *z, const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan,
                       size_t len_a, size_t len_b, gfp_random *g)
{
    uint64_t *a = product_operand(z, len_a, RANDOM, g), *b = product_operand(z, len_b, RANDOM, g);
    uint64_t *expected = run_row(z, "karatsuba", a, len_a, b, len_b);
    uint64_t *c = lab_array((len_a + len_b - 1) * z->k);
    uint64_t *work = lab_array(gfp_hybrid_words(choice, plan, len_a, len_b));
    const gfp_range range = row_range(z->field, a, len_a, b, len_b);
    assert_int_equal(gfp_hybrid_run(choice, plan, &range, c, work, NULL), GFP_OK);
    expect_equal(z, c, expected, len_a, len_b, "enforced plan");
    lab_free(a);
    lab_free(b);
    lab_free(c);
    lab_free(work);
    lab_free(expected);
}

/* Outer sizes and numbers of leaves, each with the largest length that it serves; not those for
 * which Karatsuba's method takes long: test_outer has them. */
static void check_trees(const ring *z, gfp_random *g)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_choose(&choice, z->field);
    for (unsigned log2_size = 0; log2_size <= choice.log2_k + 1 && !product_costly(z);
         log2_size++) {
        const unsigned size = 1U << log2_size;
        const unsigned unit = size > 16 ? size / 16 : 1;
        for (unsigned leaves = size / 2 + unit; leaves <= size; leaves += unit + size / 8) {
            const size_t n = (size_t)leaves * 8 / 2;
            gfp_hybrid_plan plan = {.shape = {.outer = {z->field, log2_size, leaves, 8},
                                              .odd = 1,
                                              .primes = gfp_hybrid_primes(&choice, 8),
                                              .group = leaves}};
            plan.block_a = n;
            plan.block_b = n + 1;
            if (n * z->k > 4096) {
                break;
            }
            check_plan(z, &choice, &plan, n, n + 1, g);
        }
    }
}

static void every_tree_serves(void **state)
{
    (void)state;
    product_everywhere(check_trees);
}

/* Terms so large that plans need more primes, larger outer sizes, or blocks. */
static void check_tight(const ring *z, gfp_random *g)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_choose(&choice, z->field);
    const unsigned term = choice.term_log2;
    for (unsigned count = 1; count <= GFP_HYBRID_MAX_PRIMES && z->k <= 16; count++) {
        const unsigned bound = choice.engine->bound_log2(count);
        for (unsigned terms = 8; terms <= 32 && bound > term + 6 * GFP_HYBRID_BITS; terms *= 2) {
            gfp_hybrid_plan plan;
            /* The largest number of terms for this number of primes. */
            choice.term_log2 = bound - gfp_ctz64(terms) * GFP_HYBRID_BITS - 1;
            assert_int_equal(gfp_hybrid_primes(&choice, terms), count);
            assert_true(gfp_hybrid_primes(&choice, terms + 1) != count);
            assert_true(gfp_hybrid_plan_make(&plan, &choice, 150, 130));
            check_plan(z, &choice, &plan, 150, 130, g);
            choice.term_log2 = term;
        }
    }
}

static void tight_bounds_are_kept(void **state)
{
    (void)state;
    product_everywhere(check_tight);
}

/* ---- plans ---- */

/* k D^2 terms < 2^bound by GMP, for the field's own digits. */
static void expect_bound(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape,
                         size_t len_a, size_t len_b)
{
    size_t terms = len_a < len_b ? len_a : len_b;
    terms = shape->outer.m < terms ? shape->outer.m : terms;
    const double digit = fmin((double)gfp_field_r(choice->field) / 2 * (1 + 0x1p-20), 0x1p63);
    const double log2_sum = log2((double)terms) + log2(choice->k) + 2 * log2(digit);
    assert_true(log2_sum * GFP_HYBRID_BITS < choice->engine->bound_log2(shape->primes));
    const double log2_norms = log2((double)shape->outer.m) + log2(choice->k) + 2 * log2(digit);
    assert_int_equal(shape->real, shape->primes == 3 &&
                                      log2_norms * GFP_HYBRID_BITS < choice->engine->real_log2);
}

static void expect_shape(const gfp_hybrid_choice *choice, const gfp_hybrid_shape *shape,
                         size_t len_a, size_t len_b)
{
    const size_t size = (size_t)1 << shape->outer.log2_size, m = shape->outer.m;
    const size_t part = m / shape->odd;
    assert_true(shape->odd == 1 || shape->odd == 3 || shape->odd == 5);
    assert_true(m % shape->odd == 0 && part >= 8 && (part & (part - 1)) == 0);
    assert_in_range(size, 1, 2 * choice->k);
    assert_in_range(shape->outer.leaves, 1, size);
    assert_true(size <= 16 || shape->outer.leaves % (size / 16) == 0);
    assert_in_range(shape->group, 1, shape->outer.leaves);
    const size_t step = size > 16 ? size / 16 : 1;
    assert_true(shape->group % step == 0 || step % shape->group == 0);
    assert_true(shape->group <= step ||
                step * m * choice->k == gfp_outer_node_words(&shape->outer));
    assert_true(m * size <= (size_t)1 << choice->engine->log2_max_length(choice->k, shape->odd));
    assert_true(shape->outer.leaves * m + shape->wrap >= len_a + len_b - 1);
    if (shape->wrap > 0) {
        assert_int_equal(shape->outer.leaves, size);
        assert_int_equal(size * m + shape->wrap, len_a + len_b - 1);
        assert_true(shape->wrap < len_a && shape->wrap < len_b);
    }
    expect_bound(choice, shape, len_a, len_b);
}

static void expect_plan(const gfp_hybrid_choice *choice, const gfp_hybrid_plan *plan, size_t len_a,
                        size_t len_b)
{
    assert_in_range(plan->block_a, 1, len_a);
    assert_in_range(plan->block_b, 1, len_b);
    expect_shape(choice, &plan->shape, plan->block_a, plan->block_b);
    if (plan->block_a < len_a || plan->block_b < len_b) {
        assert_int_equal(plan->shape.wrap, 0);
    }
    if (plan->top.outer.m != 0) {
        assert_int_equal(plan->top.wrap, 0);
        expect_shape(choice, &plan->top, plan->shape.wrap, plan->shape.wrap);
    }
}

static void check_plans(const ring *z, gfp_random *g)
{
    gfp_hybrid_choice choice;
    gfp_hybrid_plan plan;
    gfp_hybrid_choose(&choice, z->field);
    for (size_t i = 0; i < 500; i++) {
        const size_t len_a = 1 + gfp_random_below(g, (uint64_t)1 << (1 + i % 36));
        const size_t len_b =
            i % 3 == 0 ? len_a : 1 + gfp_random_below(g, (uint64_t)1 << (1 + i / 14));
        assert_true(gfp_hybrid_plan_make(&plan, &choice, len_a, len_b));
        expect_plan(&choice, &plan, len_a, len_b);
    }
    for (unsigned m = 0; m < 40; m++) {
        for (size_t n = ((size_t)1 << m) - (m > 0); n <= ((size_t)1 << m) + 1; n++) {
            if (n > 0) {
                assert_true(gfp_hybrid_plan_make(&plan, &choice, n, n));
                expect_plan(&choice, &plan, n, n);
            }
        }
    }
    assert_false(gfp_hybrid_plan_make(&plan, &choice, SIZE_MAX, 1));
    assert_false(gfp_hybrid_plan_make(&plan, &choice, SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 1));
    assert_false(gfp_hybrid_plan_make(&plan, &choice, 1, SIZE_MAX / 4));
    assert_true(gfp_hybrid_plan_make(&plan, &choice, SIZE_MAX / 8, SIZE_MAX / 8));
    const gfp_range absurd = {
        .field = z->field, .len_a = SIZE_MAX / 2, .len_b = SIZE_MAX / 2, .end = SIZE_MAX - 2};
    const gfp_limits limits = {.threads = 1};
    gfp_plan none;
    assert_false(gfp_plan_make(&none, gfp_method_find("hybrid"), &absurd, &limits));
    assert_true(none.bytes == SIZE_MAX);
}

static void plans_keep_their_bounds(void **state)
{
    (void)state;
    product_everywhere(check_plans);
}

static gfp_hybrid_plan plan_of(const gfp_hybrid_choice *choice, double n)
{
    gfp_hybrid_plan plan;
    assert_true(gfp_hybrid_plan_make(&plan, choice, (size_t)n, (size_t)n));
    return plan;
}

/* Coefficients computed for one of the product: little waste between powers of two, and hardly more
 * time just above one. */
static void check_growth(const ring *z, gfp_random *g)
{
    gfp_hybrid_choice choice;
    (void)g;
    gfp_hybrid_choose(&choice, z->field);
    for (unsigned m = 12; m <= 16; m++) {
        const double n = exp2(m);
        const gfp_hybrid_plan plan = plan_of(&choice, n);
        for (unsigned percent = 100; percent < 200; percent++) {
            const double x = percent / 100.0;
            const gfp_hybrid_plan longer = plan_of(&choice, x * n);
            const double computed =
                (double)longer.shape.outer.leaves * (double)longer.shape.outer.m;
            const bool same =
                longer.shape.primes == plan.shape.primes && longer.shape.real == plan.shape.real;
            assert_true(computed < 1.26 * (2 * x * n));
            assert_true(!same || longer.cost < 1.45 * x * plan.cost);
        }
        const gfp_hybrid_plan next = plan_of(&choice, n + 1);
        if (next.shape.primes == plan.shape.primes && next.shape.real == plan.shape.real) {
            assert_true(next.cost < 1.1 * plan.cost);
        }
    }
}

static void time_grows_smoothly(void **state)
{
    (void)state;
    product_everywhere(check_growth);
}

/* ---- cancellation and memory ---- */

typedef struct progress_record {
    size_t calls, stop_at;
    double last;
} progress_record;

static bool record_progress(void *user, double fraction)
{
    progress_record *h = user;
    assert_true(fraction >= h->last && fraction <= 1);
    h->last = fraction;
    return ++h->calls <= h->stop_at;
}

static void check_cancelling(const ring *z, gfp_random *g)
{
    const size_t n = 4000 / z->k;
    if (z->o.r < GFP_FAST_R_MIN) {
        return;
    }
    uint64_t *a = product_operand(z, n, RANDOM, g), *c = lab_array((2 * n - 1) * z->k);
    size_t calls = SIZE_MAX;
    for (size_t stop = SIZE_MAX;; stop = stop == SIZE_MAX ? 0 : stop + 1 + calls / 8) {
        progress_record h = {0, stop, 0};
        const gfp_progress progress = {record_progress, &h};
        gfp_task task;
        gfp_task_start(&task, &progress);
        gfp_task_part(&task, 1);
        const gfp_status status = row_square("hybrid", z->field, c, a, n, &task);
        if (stop >= calls) {
            assert_int_equal(status, GFP_OK);
            if (stop != SIZE_MAX) {
                break;
            }
            calls = h.calls;
        } else {
            assert_int_equal(status, GFP_ERR_CANCELLED);
            assert_int_equal(h.calls, stop + 1);
        }
    }
    lab_free(a);
    lab_free(c);
}

static void products_can_be_cancelled(void **state)
{
    (void)state;
    product_everywhere(check_cancelling);
}

/* The field owns the tables that a failed product leaves, and frees them. */
static void failing_allocations_of_tables(void **state)
{
    (void)state;
    for (gfp_level level = GFP_LEVEL_PORTABLE; level < GFP_LEVEL_COUNT; level++) {
        const gfp_level before = gfp_cpu_level_get();
        gfp_status status = GFP_ERR_MEMORY;
        for (size_t left = 0; status != GFP_OK && gfp_cpu_level_force(level); left++) {
            meter m = {.fail_at = SIZE_MAX, .lasting = true};
            const gfp_allocator allocator = meter_hook(&m);
            gfp_field *field = NULL;
            assert_int_equal(gfp_field_create(&field, "p8", &allocator, NULL), GFP_OK);
            uint64_t a[8 * 100] = {1, 2, 3}, c[8 * 199];
            meter_fail_at(&m, left);
            status = row_square("hybrid", field, c, a, 100, NULL);
            assert_true(status == GFP_OK || status == GFP_ERR_MEMORY);
            assert_true(left > 0 || status == GFP_ERR_MEMORY);
            /* Again, with memory. */
            m.fail_at = SIZE_MAX;
            assert_int_equal(row_square("hybrid", field, c, a, 100, NULL), GFP_OK);
            assert_true(c[0] == 1 && c[1] == 4 && c[2] == 10);
            gfp_field_destroy(field);
            meter_expect_empty(&m);
        }
        assert_true(gfp_cpu_level_force(before));
    }
}

/* ---- threads ---- */

/* Threads that make a field's first products at once, in different orders: each finds tables, makes
 * them, or finds ones that another has made or replaced meanwhile. */
#define THREADS 4
#define LENGTHS 6
static const size_t thread_lengths[LENGTHS] = {9, 300, 40, 700, 100, 60};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

typedef struct worker {
    pthread_t id;
    const ring *z;
    const uint64_t *a;
    uint64_t *const *expected; /* [n]: the square of the first n coefficients of a */
    size_t first;
    bool good;
} worker;

static void *square_all(void *argument)
{
    worker *w = argument;
    pthread_mutex_lock(&gate); /* until all threads have started */
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < LENGTHS; i++) {
        const size_t which = (w->first + i) % LENGTHS, n = thread_lengths[which];
        const size_t bytes = (2 * n - 1) * w->z->k * sizeof(uint64_t);
        uint64_t *c = malloc(bytes);
        w->good = w->good && c != NULL &&
                  row_square("hybrid", w->z->field, c, w->a, n, NULL) == GFP_OK &&
                  memcmp(c, w->expected[which], bytes) == 0;
        free(c);
    }
    return NULL;
}

static void check_threads(const ring *z, gfp_random *g)
{
    worker workers[THREADS];
    uint64_t *a, *expected[LENGTHS];
    if (z->k != 4) {
        return;
    }
    a = product_operand(z, 700, RANDOM, g);
    for (size_t i = 0; i < LENGTHS; i++) {
        expected[i] = run_row(z, "karatsuba", a, thread_lengths[i], a, thread_lengths[i]);
    }
    pthread_mutex_lock(&gate);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.z = z, .a = a, .expected = expected, .first = i, .good = true};
        assert_int_equal(pthread_create(&workers[i].id, NULL, square_all, &workers[i]), 0);
    }
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].id, NULL), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_true(workers[i].good);
    }
    for (size_t i = 0; i < LENGTHS; i++) {
        lab_free(expected[i]);
    }
    lab_free(a);
}

static void threads_share_the_tables_of_a_field(void **state)
{
    (void)state;
    product_everywhere(check_threads);
}

/* Products by hybrid and bigfft over a fresh field, in every rounding mode. */
static void rounding_modes_do_not_matter(void **state)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const names[] = {"p2", "p4", "p8", "p64"};
    static const char *const methods[] = {"hybrid", "bigfft"};
    (void)state;
    const gfp_level before = gfp_cpu_level_get();
    for (unsigned level = 0; level < GFP_LEVEL_COUNT; level++) {
        for (size_t i = 0; i < 16 && gfp_cpu_level_force((gfp_level)level); i++) {
            gfp_field *field = lab_create(names[i / 4]);
            gfp_poly a, b, c[2];
            gfp_random g;
            gfp_random_seed(&g, i);
            gfp_poly_init(&a, field);
            gfp_poly_init(&b, field);
            assert_int_equal(gfp_poly_random(&a, 100, &g), GFP_OK);
            assert_int_equal(gfp_poly_random(&b, 90, &g), GFP_OK);
            assert_int_equal(fesetround(modes[i % 4]), 0);
            for (unsigned m = 0; m < 2; m++) {
                const gfp_options options = {.method = methods[m]};
                gfp_poly_init(&c[m], field);
                assert_int_equal(gfp_poly_mul(&c[m], &a, &b, &options), GFP_OK);
            }
            assert_int_equal(fegetround(), modes[i % 4]);
            assert_int_equal(fesetround(FE_TONEAREST), 0);
            const gfp_options point = {.verify = GFP_VERIFY_POINT};
            assert_int_equal(gfp_poly_verify_mul(&c[0], &a, &b, &point), GFP_OK);
            assert_true(gfp_poly_equal(&c[0], &c[1]));
            gfp_poly_clear(&a);
            gfp_poly_clear(&b);
            gfp_poly_clear(&c[0]);
            gfp_poly_clear(&c[1]);
            gfp_field_destroy(field);
        }
    }
    assert_true(gfp_cpu_level_force(before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_all_lengths),
        cmocka_unit_test(products_of_extreme_operands),
        cmocka_unit_test(long_products),
        cmocka_unit_test(leaves_are_multiplied_right),
        cmocka_unit_test(every_tree_serves),
        cmocka_unit_test(tight_bounds_are_kept),
        cmocka_unit_test(plans_keep_their_bounds),
        cmocka_unit_test(time_grows_smoothly),
        cmocka_unit_test(products_can_be_cancelled),
        cmocka_unit_test(failing_allocations_of_tables),
        cmocka_unit_test(threads_share_the_tables_of_a_field),
        cmocka_unit_test(rounding_modes_do_not_matter),
    };
    return cmocka_run_group_tests(tests, lab_setup_count, NULL);
}
