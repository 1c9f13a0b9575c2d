/* karatsuba.c: Karatsuba's product on digit arrays, classical below a threshold; unbalanced
 * operands in blocks of the shorter length. The work space is one block of memory whose size is
 * known beforehand.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/attachment.h"
#include "product/methods/classical.h"
#include "product/methods/karatsuba.h"
#include "product/methods/row.h"
#include "field/base/parallel.h"
#include "field/base/support.h"

/* Up to this length the classical product is faster, since its kernel reduces a whole sum once.
 * Measured: 64, 32, 16, 8 for k = 2, 4, 8, 16 (the sum itself is cheaper for small k); 16 for k =
 * 16 where the kernel computes eight sums side by side. */
static size_t karatsuba_threshold(const gfp_field *field)
{
    unsigned k = gfp_field_k(field);
    if (k == 16 && gfp_field_level(field) == GFP_LEVEL_AVX512IFMA) {
        return 16;
    }
    return k < 32 ? 128 / k : 4;
}

/* Elements of work space for n by n. One level takes 2h - 1, h = n - floor(n/2), for the middle
 * product; its three products, of lengths h, h and n - h <= h, then share the rest. So W(n) = 2h -
 * 1 + W(h), W(n) = 0 up to the threshold; W grows with n, hence W(n - h) <= W(h). W(n) < 2 n + 64:
 * no overflow if n coefficients fit memory. */
static size_t square_space(const gfp_field *field, size_t n)
{
    size_t space = 0;
    while (n > karatsuba_threshold(field)) {
        n -= n / 2;
        space += 2 * n - 1;
    }
    return space;
}

/* Elements of work space for m by n, m >= n >= 1, in blocks of n by n. W(n) if m = n; otherwise 2n
 * - 1 for the product of a block, followed by W(n) or, for the last block of t = m mod n > 0
 * coefficients, the space for n by t. */
static size_t space_for(const gfp_field *field, size_t m, size_t n)
{
    size_t space = 0, most = 0;
    /* Depth by depth: space adds up the block products above, most is the largest total so far. */
    while (n > karatsuba_threshold(field) && m != n) {
        size_t t = m % n;
        space += 2 * n - 1;
        if (space + square_space(field, n) > most) {
            most = space + square_space(field, n);
        }
        if (t == 0) {
            return most;
        }
        m = n;
        n = t;
    }
    if (n > karatsuba_threshold(field)) {
        space += square_space(field, n);
    }
    return space > most ? space : most;
}

/* z := x_0 + x_1 X^h folded to x_0 + x_1; x has h + m coefficients, m <= h. */
static void karatsuba_fold(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t h,
                           size_t m)
{
    size_t k = gfp_field_k(field);
    gfp_vec_add(field, z, x, x + h * k, m);
    gfp_vec_set(field, z + m * k, x + m * k, h - m);
}

/* The numbers of products of coefficients for n by n, and for n + 1 by n + 1. */
typedef struct units {
    double here, next;
} units;

/* U(n) = n^2 up to the threshold, else 2 U(h) + U(n - h), h = n - floor(n/2). n and n + 1 need only
 * U(m) and U(m + 1), m = floor(n/2). */
static units balanced_units(const gfp_field *field, size_t n)
{
    units u = {(double)n * (double)n, ((double)n + 1) * ((double)n + 1)};
    if (n >= karatsuba_threshold(field)) {
        const units half = balanced_units(field, n / 2);
        const bool odd = n % 2 != 0;
        const double mixed = 2 * half.next + half.here;
        u.next = odd ? 3 * half.next : mixed;
        if (n > karatsuba_threshold(field)) {
            u.here = odd ? mixed : 3 * half.here;
        }
    }
    return u;
}

/* For m by n, m >= n >= 1: blocks of n by n, and the remaining t by n. */
static double units_for(const gfp_field *field, size_t m, size_t n)
{
    double sum = 0;
    while (n > karatsuba_threshold(field)) {
        const size_t blocks = m / n;
        sum += (double)blocks * balanced_units(field, n).here;
        const size_t t = m % n;
        if (t == 0) {
            return sum;
        }
        m = n;
        n = t;
    }
    return sum + (double)m * (double)n;
}

/* c := a b, n coefficients each. False: cancelled. */
static bool multiply_balanced(const gfp_field *field, uint64_t *c, const uint64_t *a,
                              const uint64_t *b, size_t n, uint64_t *work, gfp_task *task)
{
    if (n <= karatsuba_threshold(field)) {
        return gfp_classical_low(field, c, a, n, b, n, 2 * n - 1, task);
    }
    size_t k = gfp_field_k(field), m = n / 2, h = n - m;
    uint64_t *middle = work, *rest = work + (2 * h - 1) * k;
    /* c has 2n - 1 >= 2h elements, not written yet: the sums a_0 + a_1 and b_0 + b_1 go there. */
    karatsuba_fold(field, c, a, h, m);
    karatsuba_fold(field, c + h * k, b, h, m);
    if (!multiply_balanced(field, middle, c, c + h * k, h, rest, task)) {
        return false;
    }
    /* Low product at 0 (2h - 1), high one at 2h (2m - 1); neither writes the element between
     * them. */
    if (!multiply_balanced(field, c, a, b, h, rest, task) ||
        !multiply_balanced(field, c + 2 * h * k, a + h * k, b + h * k, m, rest, task)) {
        return false;
    }
    gfp_elem_zero(field, c + (2 * h - 1) * k);
    gfp_vec_sub(field, middle, middle, c, 2 * h - 1);
    gfp_vec_sub(field, middle, middle, c + 2 * h * k, 2 * m - 1);
    /* h + (2h - 1) <= 2n - 1 since h <= 2m: inside c. */
    gfp_vec_add(field, c + h * k, c + h * k, middle, 2 * h - 1);
    return true;
}

/* ---- several threads ---- */

/* Several levels of the recursion at once: a factor is 2^depth blocks of h coefficients, the last
 * ones 0 or shorter; threads share the 3^depth products of sums of blocks, one for each word of
 * depth letters. Letter i selects blocks by bit i of their numbers: 0 (letter 0), any (1), 1 (2).
 */
static unsigned depth_for(unsigned threads)
{
    return threads <= 4 ? 3 : 4;
}

static size_t power_of_3(unsigned e)
{
    return e == 0 ? 1 : 3 * power_of_3(e - 1);
}

static size_t block_length(size_t n, unsigned depth)
{
    return (n >> depth) + ((n & (((size_t)1 << depth) - 1)) != 0);
}

/* Below this length threads would wait more than they work. */
static bool worth_sharing(const gfp_field *field, size_t n, unsigned threads)
{
    return threads > 1 && n >= (2 * karatsuba_threshold(field)) << depth_for(threads);
}

/* Elements of shared work space for n by n: the products, and for each thread two factors and the
 * work space of a product. Saturates. */
static size_t shared_space(const gfp_field *field, size_t n, unsigned threads)
{
    if (!worth_sharing(field, n, threads)) {
        return 0;
    }
    const unsigned depth = depth_for(threads);
    const size_t h = block_length(n, depth);
    return gfp_size_add_sat(gfp_size_mul_sat(2 * power_of_3(depth), h),
                            gfp_size_mul_sat(threads, 2 * h + square_space(field, h)));
}

typedef struct sharing {
    const gfp_field *field;
    uint64_t *c;
    const uint64_t *a, *b;
    size_t n, h;
    unsigned depth;
    uint64_t *products; /* 2 h elements each, the last one 0 */
    uint64_t *work;     /* for each thread */
} sharing;

/* z := the sum of the blocks of x that the word, in base 3, selects. */
static void sum_blocks(const sharing *s, uint64_t *z, const uint64_t *x, size_t word)
{
    const size_t k = gfp_field_k(s->field);
    gfp_vec_zero(s->field, z, s->h);
    for (size_t block = 0; block >> s->depth == 0 && block * s->h < s->n; block++) {
        size_t letters = word;
        bool taken = true;
        for (unsigned i = 0; i < s->depth; i++, letters /= 3) {
            taken = taken && (letters % 3 == 1 || letters % 3 / 2 == (block >> i & 1));
        }
        if (taken) {
            gfp_vec_add(s->field, z, z, x + block * s->h * k,
                        gfp_size_min(s->h, s->n - block * s->h));
        }
    }
}

static gfp_status multiply_words(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const sharing *s = user;
    const size_t k = gfp_field_k(s->field), h = s->h;
    uint64_t *x = s->work + worker * (2 * h + square_space(s->field, h)) * k, *y = x + h * k;
    for (size_t word = from; word < to; word++) {
        uint64_t *product = s->products + word * 2 * h * k;
        sum_blocks(s, x, s->a, word);
        sum_blocks(s, y, s->b, word);
        if (!multiply_balanced(s->field, product, x, y, h, y + h * k, task)) {
            return GFP_ERR_CANCELLED;
        }
        gfp_elem_zero(s->field, product + (2 * h - 1) * k);
    }
    return GFP_OK;
}

/* Adds or subtracts the product's coefficients from <= i < to, and h + from <= i < h + to, at block
 * `block` of c. */
static void add_product(const sharing *s, const uint64_t *product, size_t block, bool negative,
                        size_t from, size_t to)
{
    const size_t k = gfp_field_k(s->field), len = 2 * s->n - 1;
    for (size_t half = 0; half < 2; half++) {
        const size_t at = (block + half) * s->h + from;
        if (at < len) {
            uint64_t *z = s->c + at * k;
            (negative ? gfp_vec_sub : gfp_vec_add)(s->field, z, z,
                                                   product + (half * s->h + from) * k,
                                                   gfp_size_min(to - from, len - at));
        }
    }
}

/* Coefficients from <= i < to of every block of c. With Y = X^(h 2^i), the letter's product goes to
 * 1 - Y (0), Y (both) or Y^2 - Y (1). */
static gfp_status join_products(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const sharing *s = user;
    const size_t k = gfp_field_k(s->field), len = 2 * s->n - 1, words = power_of_3(s->depth);
    (void)worker;
    for (size_t at = from; at < len; at += s->h) {
        gfp_vec_zero(s->field, s->c + at * k, gfp_size_min(to - from, len - at));
    }
    for (size_t word = 0; word < words; word++) {
        for (size_t terms = 0; terms >> s->depth == 0; terms++) {
            size_t block = 0, letters = word;
            bool negative = false, there = true;
            for (unsigned i = 0; i < s->depth; i++, letters /= 3) {
                const size_t letter = letters % 3, second = terms >> i & 1;
                there = there && (letter != 1 || second == 0);
                negative = negative != (second != 0);
                block += (second != 0 || letter == 1 ? (size_t)1 : letter) << i;
            }
            if (there) {
                add_product(s, s->products + word * 2 * s->h * k, block, negative, from, to);
            }
        }
    }
    return gfp_task_report(task) ? GFP_OK : GFP_ERR_CANCELLED;
}

/* c := a b, n coefficients each, in shared (may be NULL: one thread). False: cancelled. */
static bool multiply_square(const gfp_field *field, uint64_t *c, const uint64_t *a,
                            const uint64_t *b, size_t n, uint64_t *work, uint64_t *shared,
                            gfp_task *task)
{
    const unsigned threads = gfp_task_threads(task);
    if (shared == NULL || !worth_sharing(field, n, threads)) {
        return multiply_balanced(field, c, a, b, n, work, task);
    }
    sharing s = {.field = field, .c = c, .a = a, .b = b, .n = n, .depth = depth_for(threads)};
    const size_t words = power_of_3(s.depth);
    s.h = block_length(n, s.depth);
    s.products = shared;
    s.work = shared + 2 * words * s.h * gfp_field_k(field);
    const gfp_parallel products = {.run = multiply_words, .job = &s};
    const gfp_parallel join = {.run = join_products, .job = &s};
    return gfp_parallel_for(&products, task, words, 1) == GFP_OK &&
           gfp_parallel_for(&join, task, s.h, gfp_parallel_chunk(task, s.h, 2)) == GFP_OK;
}

/* Returns the range of a whole product. */
static gfp_range whole_range(const gfp_field *field, const uint64_t *a, size_t len_a,
                             const uint64_t *b, size_t len_b)
{
    return gfp_range_make(field, a, b, len_a, len_b, 0, len_a + len_b - 1);
}

/* c := the product of a range, all of it, len_a >= len_b >= 1. False: cancelled. */
static bool karatsuba_multiply(const gfp_range *r, uint64_t *c, uint64_t *work, uint64_t *shared,
                               gfp_task *task)
{
    const gfp_field *field = r->field;
    const uint64_t *a = r->a, *b = r->b;
    const size_t len_a = r->len_a, len_b = r->len_b, k = gfp_field_k(field);
    if (len_b <= karatsuba_threshold(field)) {
        return gfp_classical_range(r, c, task);
    }
    if (len_a == len_b) {
        return multiply_square(field, c, a, b, len_a, work, shared, task);
    }
    uint64_t *part = work, *rest = work + (2 * len_b - 1) * k;
    bool going = multiply_square(field, c, a, b, len_b, rest, shared, task);
    for (size_t i = len_b; i < len_a && going; i += len_b) {
        /* c holds the product of the blocks so far, i + len_b - 1 coefficients. */
        size_t t = len_a - i < len_b ? len_a - i : len_b;
        if (t == len_b) {
            going = multiply_square(field, part, a + i * k, b, len_b, rest, shared, task);
        } else {
            const gfp_range last = whole_range(field, b, len_b, a + i * k, t);
            going = karatsuba_multiply(&last, part, rest, shared, task);
        }
        if (going) {
            gfp_vec_add(field, c + i * k, c + i * k, part, len_b - 1);
            gfp_vec_set(field, c + (i + len_b - 1) * k, part + (len_b - 1) * k, t);
        }
    }
    return going;
}

/* Words of the work space of the whole product. Saturates. */
static size_t whole_words(const gfp_field *field, size_t len_a, size_t len_b)
{
    size_t longer = len_a >= len_b ? len_a : len_b, shorter = len_a >= len_b ? len_b : len_a;
    if (longer > SIZE_MAX / 64) {
        return SIZE_MAX; /* no such operands exist, and the sums below might wrap */
    }
    return gfp_size_mul_sat(space_for(field, longer, shorter), gfp_field_k(field));
}

/* Words of the buffers that threads share. Saturates. */
static size_t shared_words(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads)
{
    const size_t shorter = gfp_size_min(len_a, len_b);
    return shorter > SIZE_MAX / 64
               ? SIZE_MAX
               : gfp_size_mul_sat(shared_space(field, shorter, threads), gfp_field_k(field));
}

static bool multiply_whole(const gfp_range *r, uint64_t *c, uint64_t *work, gfp_task *task)
{
    const size_t shared = shared_words(r->field, r->len_a, r->len_b, gfp_task_threads(task));
    uint64_t *area = shared == 0 ? NULL : work + whole_words(r->field, r->len_a, r->len_b);
    const gfp_range whole = r->len_a < r->len_b
                                ? whole_range(r->field, r->b, r->len_b, r->a, r->len_a)
                                : whole_range(r->field, r->a, r->len_a, r->b, r->len_b);
    return karatsuba_multiply(&whole, c, work, area, task);
}

/* ---- low products: even and odd coefficients apart, so that all three products are low ones ----
 */

/* A low product of convolution sums has half the terms, so Karatsuba's method pays from twice the
 * length on. */
static size_t low_threshold(const gfp_field *field)
{
    return 2 * karatsuba_threshold(field);
}

/* Elements of work space: 2n for the parts of both factors, h + 2m for three products, h = n - m, m
 * = floor(n / 2); the recursive products share the rest. */
static size_t low_space(const gfp_field *field, size_t n)
{
    size_t space = 0;
    while (n > low_threshold(field)) {
        space += 3 * n + n / 2;
        n -= n / 2;
    }
    return space;
}

/* L(n) = n (n + 1) / 2 up to the threshold, else L(n - m) + 2 L(m): computed as in
 * balanced_units. */
static units low_pair(const gfp_field *field, size_t n)
{
    units u = {gfp_classical_units(n, n, n), gfp_classical_units(n + 1, n + 1, n + 1)};
    if (n >= low_threshold(field)) {
        const units half = low_pair(field, n / 2);
        const bool odd = n % 2 != 0;
        const double mixed = half.next + 2 * half.here;
        u.next = odd ? 3 * half.next : mixed;
        if (n > low_threshold(field)) {
            u.here = odd ? mixed : 3 * half.here;
        }
    }
    return u;
}

static double low_units(const gfp_field *field, size_t n)
{
    return low_pair(field, n).here;
}

/* take: z := coefficients first, first + 2, ... of x below n. put: sets these coefficients of x to
 * z. */
static void take_parts(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t first,
                       size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = first; i < n; i += 2) {
        gfp_elem_set(field, z + i / 2 * k, x + i * k);
    }
}

static void put_parts(const gfp_field *field, uint64_t *x, const uint64_t *z, size_t first,
                      size_t n)
{
    const size_t k = gfp_field_k(field);
    for (size_t i = first; i < n; i += 2) {
        gfp_elem_set(field, x + i * k, z + i / 2 * k);
    }
}

/* c := a b mod X^n, n coefficients each. With A = A0(X^2) + X A1(X^2) the even coefficients are
 * those of A0 B0 + Y A1 B1, the odd ones those of (A0 + A1)(B0 + B1) - A0 B0 - A1 B1. False:
 * cancelled. */
static bool low_balanced(const gfp_field *field, uint64_t *c, const uint64_t *a, const uint64_t *b,
                         size_t n, uint64_t *work, gfp_task *task)
{
    if (n <= low_threshold(field)) {
        return gfp_classical_low(field, c, a, n, b, n, n, task);
    }
    const size_t k = gfp_field_k(field), m = n / 2, h = n - m;
    uint64_t *a0 = work, *a1 = a0 + h * k, *b0 = a1 + m * k, *b1 = b0 + h * k;
    uint64_t *p0 = b1 + m * k, *p1 = p0 + h * k, *s = p1 + m * k, *rest = s + m * k;
    take_parts(field, a0, a, 0, n);
    take_parts(field, a1, a, 1, n);
    take_parts(field, b0, b, 0, n);
    take_parts(field, b1, b, 1, n);
    if (!low_balanced(field, p0, a0, b0, h, rest, task) ||
        !low_balanced(field, p1, a1, b1, m, rest, task)) {
        return false;
    }
    gfp_vec_add(field, a0, a0, a1, m);
    gfp_vec_add(field, b0, b0, b1, m);
    if (!low_balanced(field, s, a0, b0, m, rest, task)) {
        return false;
    }
    gfp_vec_sub(field, s, s, p0, m);
    gfp_vec_sub(field, s, s, p1, m);
    put_parts(field, c, s, 1, n);
    gfp_vec_add(field, p0 + k, p0 + k, p1, h - 1);
    put_parts(field, c, p0, 0, n);
    return true;
}

/* ---- middle products, Karatsuba's transposed (Hanrot, Quercia, Zimmermann 2004) ---- */

/* The least t 2^j >= n with t up to the threshold: every length that is halved is even. */
static size_t middle_size(const gfp_field *field, size_t n)
{
    unsigned j = 0;
    while (((n - 1) >> j) + 1 > karatsuba_threshold(field)) {
        j++;
    }
    return (((n - 1) >> j) + 1) << j;
}

/* For n = 2m: a sum of 2m - 1, a difference of m, a product of m; the recursive products share the
 * rest: below 4n. */
static size_t middle_space(size_t n)
{
    return 4 * n;
}

static double middle_units(const gfp_field *field, size_t n)
{
    return n <= karatsuba_threshold(field) ? (double)n * (double)n : 3 * middle_units(field, n / 2);
}

/* c_i := the sum over j of a_(i + n - 1 - j) b_j for i < n: n coefficients of b, 2n - 1 of a. With
 * windows A_w of 2m - 1 coefficients from w m on, c is A1 b0 + A0 b1, then A2 b0 + A1 b1. False:
 * cancelled. */
static bool middle_balanced(const gfp_field *field, uint64_t *c, const uint64_t *a,
                            const uint64_t *b, size_t n, uint64_t *work, gfp_task *task)
{
    const size_t k = gfp_field_k(field), m = n / 2;
    if (n <= karatsuba_threshold(field)) {
        const gfp_range middle = gfp_range_make(field, a, b, 2 * n - 1, n, n - 1, 2 * n - 1);
        return gfp_classical_range(&middle, c, task);
    }
    uint64_t *sum = work, *difference = sum + (2 * m - 1) * k, *product = difference + m * k;
    uint64_t *rest = product + m * k;
    const uint64_t *a1 = a + m * k, *a2 = a1 + m * k, *b1 = b + m * k;
    gfp_vec_sub(field, difference, b, b1, m);
    if (!middle_balanced(field, product, a1, difference, m, rest, task)) {
        return false;
    }
    gfp_vec_add(field, sum, a, a1, 2 * m - 1);
    if (!middle_balanced(field, c, sum, b1, m, rest, task)) {
        return false;
    }
    gfp_vec_add(field, sum, a1, a2, 2 * m - 1);
    if (!middle_balanced(field, c + m * k, sum, b, m, rest, task)) {
        return false;
    }
    gfp_vec_add(field, c, c, product, m);
    gfp_vec_sub(field, c + m * k, c + m * k, product, m);
    return true;
}

/* ---- coefficients first <= i < end of a product ---- */

static void reverse_copy(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t len,
                         size_t n)
{
    const size_t k = gfp_field_k(field), copied = gfp_size_min(len, n);
    for (size_t i = 0; i < copied; i++) {
        gfp_elem_set(field, z + i * k, x + (len - 1 - i) * k);
    }
    gfp_vec_zero(field, z + copied * k, n - copied);
}

static void padded_copy(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t len,
                        size_t n)
{
    const size_t copied = gfp_size_min(len, n);
    gfp_vec_set(field, z, x, copied);
    gfp_vec_zero(field, z + copied * gfp_field_k(field), n - copied);
}

/* work: copies of both factors, a padded result, and the work space of low_balanced. A high product
 * is the low product of the reversed factors. */
static bool low_or_high(const gfp_range *r, uint64_t *c, size_t n, bool high, uint64_t *work,
                        gfp_task *task)
{
    const gfp_field *field = r->field;
    const size_t k = gfp_field_k(field);
    uint64_t *x = work, *y = x + n * k, *z = y + n * k, *rest = z + n * k;
    if (high) {
        reverse_copy(field, x, r->a, r->len_a, n);
        reverse_copy(field, y, r->b, r->len_b, n);
    } else {
        padded_copy(field, x, r->a, r->len_a, n);
        padded_copy(field, y, r->b, r->len_b, n);
    }
    if (!low_balanced(field, high ? z : c, x, y, n, rest, task)) {
        return false;
    }
    if (high) {
        reverse_copy(field, c, z, n, n);
    }
    return true;
}

/* b is the shorter factor. Coefficient i of the product is c_(i - first) of the middle product of b
 * and the 2n - 1 coefficients of a from a_(first - n + 1) on, zeros where a has none. */
static bool karatsuba_middle(const gfp_range *r, uint64_t *c, size_t n, uint64_t *work,
                             gfp_task *task)
{
    const gfp_field *field = r->field;
    const size_t k = gfp_field_k(field), len_a = r->len_a, first = r->first;
    uint64_t *x = work, *y = x + 2 * n * k, *z = y + n * k, *rest = z + n * k;
    const size_t zeros = first < n - 1 ? n - 1 - first : 0, skip = first + zeros - (n - 1);
    gfp_vec_zero(field, x, zeros);
    padded_copy(field, x + zeros * k, r->a + gfp_size_min(skip, len_a) * k,
                len_a - gfp_size_min(skip, len_a), 2 * n - 1 - zeros);
    padded_copy(field, y, r->b, r->len_b, n);
    if (!middle_balanced(field, z, x, y, n, rest, task)) {
        return false;
    }
    gfp_vec_set(field, c, z, r->end - first);
    return true;
}

/* The way to compute a range, and its n. */
typedef enum range_kind { LOW, HIGH, MIDDLE, WHOLE } range_kind;

static range_kind range_of(const gfp_range *r, size_t *n)
{
    const gfp_field *field = r->field;
    const size_t len = gfp_range_product_length(r), shorter = gfp_size_min(r->len_a, r->len_b);
    const size_t first = r->first, end = r->end, width = end - first;
    const size_t wider = width > shorter ? width : shorter;
    if (width == len) {
        *n = 0;
        return WHOLE;
    }
    if ((first == 0 || end == len) && width <= shorter + shorter / 2) {
        *n = width;
        return first == 0 ? LOW : HIGH;
    }
    *n = middle_size(field, wider);
    return wider / 4 * 3 <= gfp_size_min(width, shorter) ? MIDDLE : WHOLE;
}

static double whole_units(const gfp_range *r)
{
    return r->len_a < r->len_b ? units_for(r->field, r->len_b, r->len_a)
                               : units_for(r->field, r->len_a, r->len_b);
}

/* The number of products of coefficients for a range. */
static double units_of(const gfp_range *r)
{
    size_t n;
    const range_kind kind = range_of(r, &n);
    const double whole = whole_units(r);
    const double part = kind == MIDDLE  ? middle_units(r->field, n)
                        : kind == WHOLE ? whole
                                        : low_units(r->field, n);
    return part < whole ? part : whole;
}

bool gfp_karatsuba_plan(gfp_plan *plan)
{
    const gfp_range *r = &plan->range;
    const size_t k = gfp_field_k(r->field);
    size_t n;
    const range_kind kind = range_of(r, &n);
    plan->needs = (gfp_needs){.first = r->first, .end = r->end, .share = 1};
    plan->state_bytes = 0;
    if (kind == WHOLE) {
        plan->needs.first = 0;
        plan->needs.end = gfp_range_product_length(r);
        plan->needs.words =
            gfp_size_add_sat(whole_words(r->field, r->len_a, r->len_b),
                             shared_words(r->field, r->len_a, r->len_b, plan->limits.threads));
    } else if (n > SIZE_MAX / 64 / k) {
        plan->needs.words = SIZE_MAX;
    } else {
        const size_t space =
            kind == MIDDLE ? 4 * n + middle_space(n) : 3 * n + low_space(r->field, n);
        plan->needs.words = space * k;
    }
    if (!gfp_range_is_whole(r)) {
        plan->needs.share = units_of(r) / whole_units(r);
    }
    return true;
}

gfp_status gfp_karatsuba_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                             uint64_t *work, gfp_task *task, gfp_error *error)
{
    gfp_range r = *range;
    size_t n;
    (void)error;
    r.first = plan->needs.first;
    r.end = plan->needs.end;
    const range_kind kind = range_of(&r, &n);
    if (!gfp_task_span(task, 1, units_of(&r), gfp_task_product_cost(r.field))) {
        return GFP_ERR_CANCELLED;
    }
    bool done;
    if (kind == WHOLE) {
        done = multiply_whole(&r, c, work, task);
    } else if (kind != MIDDLE) {
        done = low_or_high(&r, c, n, kind == HIGH, work, task);
    } else if (r.len_a < r.len_b) {
        const gfp_range swapped =
            gfp_range_make(r.field, r.b, r.a, r.len_b, r.len_a, r.first, r.end);
        done = karatsuba_middle(&swapped, c, n, work, task);
    } else {
        done = karatsuba_middle(&r, c, n, work, task);
    }
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}
