/* karatsuba.c: Karatsuba's product on digit arrays, classical below a threshold; unbalanced
 * operands in blocks of the shorter length. All work space is one block whose size is known
 * beforehand. SPDX-License-Identifier: LGPL-3.0-or-later */
#include "attachment.h"
#include "methods.h"
#include "support.h"

/* Up to this length the classical product is faster: measured at 64, 32, 16, 8 for k = 2, 4, 8, 16,
 * since its kernel reduces a whole sum once, and the sum itself is cheaper for small k; at 16 for k
 * = 16 where eight sums are computed side by side. */
static size_t threshold(const gfp_field *field)
{
    unsigned k = gfp_field_k(field);
    if (k == 16 && gfp_field_level(field) >= GFP_LEVEL_AVX512IFMA) {
        return 16;
    }
    return k < 32 ? 128 / k : 4;
}

/* Elements of work space for n by n. One level takes 2h - 1, h = n - floor(n/2), for the middle
 * product; its three products, of lengths h, h and n - h <= h, then share what follows. So
 * W(n) = 2h - 1 + W(h), W(n) = 0 up to the threshold; W grows with n, hence W(n - h) <= W(h).
 * W(n) < 2 n + 64: no overflow where n coefficients fit memory. */
static size_t square_space(const gfp_field *field, size_t n)
{
    size_t space = 0;
    while (n > threshold(field)) {
        n -= n / 2;
        space += 2 * n - 1;
    }
    return space;
}

/* Elements of work space for m by n, m >= n >= 1. Blocks of n by n: W(n) where they are the whole
 * (m = n), else 2n - 1 for the product of a block and behind it W(n) or, for the last block of
 * t = m mod n > 0 coefficients, the space for n by t. */
static size_t space_for(const gfp_field *field, size_t m, size_t n)
{
    size_t space = 0, most = 0;
    /* Depth by depth: space counts the block products above, most the largest total so far. */
    while (n > threshold(field) && m != n) {
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
    if (n > threshold(field)) {
        space += square_space(field, n);
    }
    return space > most ? space : most;
}

/* z := x_0 + x_1 X^h folded to x_0 + x_1; x has h + m coefficients, m <= h. */
static void fold(const gfp_field *field, uint64_t *z, const uint64_t *x, size_t h, size_t m)
{
    size_t k = gfp_field_k(field);
    gfp_vec_add(field, z, x, x + h * k, m);
    gfp_vec_copy(field, z + m * k, x + m * k, h - m);
}

/* Products of coefficients that n by n, and n + 1 by n + 1, take. */
typedef struct units {
    double here, next;
} units;

/* U(n) = n^2 up to the threshold, else 2 U(h) + U(n - h), h = n - floor(n/2): for n and n + 1 this
 * asks only for U(m) and U(m + 1), m = floor(n/2). */
static units balanced_units(const gfp_field *field, size_t n)
{
    units u = {(double)n * (double)n, ((double)n + 1) * ((double)n + 1)};
    if (n >= threshold(field)) {
        const units half = balanced_units(field, n / 2);
        const bool odd = n % 2 != 0;
        const double mixed = 2 * half.next + half.here;
        u.next = odd ? 3 * half.next : mixed;
        if (n > threshold(field)) {
            u.here = odd ? mixed : 3 * half.here;
        }
    }
    return u;
}

/* For m by n, m >= n >= 1: blocks of n by n, and what is left, t by n. */
static double units_for(const gfp_field *field, size_t m, size_t n)
{
    double sum = 0;
    while (n > threshold(field)) {
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
    if (n <= threshold(field)) {
        return gfp_classical_low(field, c, a, n, b, n, 2 * n - 1, task);
    }
    size_t k = gfp_field_k(field), m = n / 2, h = n - m;
    uint64_t *middle = work, *rest = work + (2 * h - 1) * k;
    /* c has 2n - 1 >= 2h places, free as yet: the sums a_0 + a_1 and b_0 + b_1 go there. */
    fold(field, c, a, h, m);
    fold(field, c + h * k, b, h, m);
    if (!multiply_balanced(field, middle, c, c + h * k, h, rest, task)) {
        return false;
    }
    /* Low product at 0 (2h - 1), high one at 2h (2m - 1); the place between belongs to neither. */
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

/* c := a b, len_a >= len_b >= 1. False: cancelled. */
static bool multiply(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                     const uint64_t *b, size_t len_b, uint64_t *work, gfp_task *task)
{
    if (len_b <= threshold(field)) {
        return gfp_classical_low(field, c, a, len_a, b, len_b, len_a + len_b - 1, task);
    }
    if (len_a == len_b) {
        return multiply_balanced(field, c, a, b, len_a, work, task);
    }
    size_t k = gfp_field_k(field);
    uint64_t *part = work, *rest = work + (2 * len_b - 1) * k;
    bool going = multiply_balanced(field, c, a, b, len_b, rest, task);
    for (size_t i = len_b; i < len_a && going; i += len_b) {
        /* c holds the product of the blocks before, i + len_b - 1 coefficients. */
        size_t t = len_a - i < len_b ? len_a - i : len_b;
        if (t == len_b) {
            going = multiply_balanced(field, part, a + i * k, b, len_b, rest, task);
        } else {
            going = multiply(field, part, b, len_b, a + i * k, t, rest, task);
        }
        if (going) {
            gfp_vec_add(field, c + i * k, c + i * k, part, len_b - 1);
            gfp_vec_copy(field, c + (i + len_b - 1) * k, part + (len_b - 1) * k, t);
        }
    }
    return going;
}

size_t gfp_karatsuba_block(const gfp_field *field, size_t len_a, size_t len_b)
{
    size_t longer = len_a >= len_b ? len_a : len_b, shorter = len_a >= len_b ? len_b : len_a;
    if (longer > SIZE_MAX / 64) {
        return SIZE_MAX; /* no such operands exist, and sums below might wrap */
    }
    return gfp_size_mul_sat(space_for(field, longer, shorter), gfp_field_k(field));
}

gfp_status gfp_karatsuba_execute(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 gfp_task *task, gfp_error *error)
{
    (void)error;
    const bool swap = len_a < len_b;
    const size_t longer = swap ? len_b : len_a, shorter = swap ? len_a : len_b;
    return gfp_task_span(task, 1, units_for(field, longer, shorter),
                         gfp_task_product_cost(field)) &&
                   multiply(field, c, swap ? b : a, longer, swap ? a : b, shorter, work, task)
               ? GFP_OK
               : GFP_ERR_CANCELLED;
}
