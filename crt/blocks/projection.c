/* projection.c: projection of integers to a basis of word-size primes, and their reconstruction.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/blocks/remainders.h"

#include <string.h>

#include "field/base/support.h"
#include "crt/blocks/basis.h"

const gfp_words_kernels *gfp_words_kernels_of(gfp_level level)
{
    static const gfp_words_kernels *const rows[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_words_portable, &gfp_words_avx2, &gfp_words_avx512dq, &gfp_words_avx512,
                       &gfp_words_avx2);
    return rows[level];
}

/* ---- projection ---- */

/* The integers that are in digits at a time. */
#define BATCH 64

/* The words of an integer in digits, see gfp_words_digits. */
static size_t stride_of(size_t len)
{
    return len + 1 + 2 * gfp_words_steps(len);
}

/* Longer numbers than memory holds are refused before. */
size_t gfp_words_matrix_words(size_t width, size_t n)
{
    if (width > SIZE_MAX / 128) {
        return SIZE_MAX;
    }
    return gfp_size_mul_sat(stride_of(gfp_words_digits_of(width * 64)), gfp_size_min(n, BATCH));
}

size_t gfp_words_project_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    return gfp_words_tree_pays(basis, width, basis->count)
               ? gfp_size_add_sat(gfp_words_tree_project_words(basis, width),
                                  gfp_words_matrix_words(width, n))
               : gfp_words_matrix_words(width, n);
}

void gfp_words_matrix(const gfp_words_residues *r, const uint64_t *x, size_t width, size_t n,
                      uint64_t *work)
{
    const gfp_words_kernels *kernels = gfp_words_kernels_of(r->level);
    const size_t len = gfp_words_digits_of(width * 64);
    for (size_t from = 0; from < n; from += BATCH) {
        const gfp_words_digits digits = {work, len, stride_of(len), gfp_size_min(n - from, BATCH)};
        kernels->cut(&digits, x + from * width, width);
        for (size_t j = 0; j < r->count; j++) {
            kernels->project(r->basis->blocks[r->first + j],
                             r->basis->powers + (r->first + j) * GFP_WORDS_POWER_WORDS,
                             r->z + j * r->step + from * GFP_WORDS, &digits);
        }
    }
}

void gfp_words_project(const gfp_words_residues *r, const uint64_t *x, size_t width, size_t n,
                       uint64_t *work)
{
    if (!gfp_words_tree_pays(r->basis, width, r->count)) {
        gfp_words_matrix(r, x, width, n, work);
        return;
    }
    gfp_words_residues one = *r;
    for (size_t i = 0; i < n; i++, one.z += GFP_WORDS) {
        gfp_words_tree_project(&one, x + i * width, width, work, NULL);
    }
}

/* ---- reconstruction ---- */

/* The digits of the sums, and two more for pack. */
static size_t digit_rows(const gfp_words_basis *basis)
{
    return gfp_words_columns(basis->most_digits + 2);
}

/* The words of a group of numbers: factors y, digits, and for a tree the shares of each number and
 * scratch space. */
size_t gfp_words_recombine_words(const gfp_words_basis *basis, size_t width, size_t n)
{
    const size_t group = gfp_size_mul_sat(basis->most_rows + digit_rows(basis), GFP_WORDS_GROUP);
    (void)width;
    if (basis->leaf_count == 1) {
        return group;
    }
    const size_t shares =
        gfp_size_mul_sat(gfp_words_tree_limbs(basis), gfp_size_min(n, GFP_WORDS_GROUP));
    return gfp_size_add_sat(group, gfp_size_add_sat(shares, gfp_words_tree_scratch(basis)));
}

/* Whether the digits d are above (M - 1) / 2, as numbers that are not negative. */
static bool above_half(const gfp_words_basis *basis, const uint64_t *d)
{
    for (size_t t = basis->leaves[0].digits; t-- != 0;) {
        const uint64_t digit = d[t * GFP_WORDS_GROUP], half = basis->half_digits[t];
        if (digit != half) {
            return digit > half;
        }
    }
    return false;
}

/* Puts f, and zeros, into the last rows of y. With S / 2^49 the sum of the fractions, c / M = sum
 * y_i / q_i - f lies in [-1/2, 1/2) for f = floor(sum y_i / q_i + 1/2). S is low by less than 5/4
 * for each prime, and so f computed from S is too small by one at most; c computed with this f is
 * then above M / 2. Numbers that may be are those where S + 5/4 primes gives another f: they are
 * compared. */
static void round_sums(const gfp_words_basis *basis, const gfp_words_kernels *kernels, uint64_t *y,
                       const uint64_t sums[GFP_WORDS_GROUP], uint64_t *d, size_t n)
{
    const gfp_words_leaf *leaf = &basis->leaves[0];
    const uint64_t unit = (uint64_t)1 << GFP_WORDS_FRACTION_BITS;
    const uint64_t error = leaf->primes + leaf->primes / 4 + 1;
    uint64_t *last = y + leaf->primes * GFP_WORDS_GROUP;
    unsigned near = 0;
    memset(last, 0, (leaf->rows - leaf->primes) * GFP_WORDS_GROUP * sizeof *last);
    for (size_t i = 0; i < n; i++) {
        const uint64_t sum = sums[i] + unit / 2;
        last[i] = sum >> GFP_WORDS_FRACTION_BITS;
        near |= (unsigned)((sum + error) >> GFP_WORDS_FRACTION_BITS != last[i]) << i;
    }
    if (near == 0) {
        return;
    }
    kernels->combine(leaf, d, leaf->digits, y, n);
    for (size_t i = 0; i < n; i++) {
        last[i] += (near >> i & 1) != 0 && above_half(basis, d + i) ? 1 : 0;
    }
}

/* Numbers that take as long as a group. */
#define NEARLY 6

/* A running reconstruction. */
typedef struct recombination {
    const gfp_words_basis *basis;
    const gfp_words_kernels *kernels;
    size_t width, step;
    uint64_t *y, *digits; /* of a group */
    mp_limb_t *shares, *scratch;
} recombination;

/* At most 8 numbers from c on, by one leaf. */
static void recombine_alone(const recombination *r, uint64_t *c, const uint64_t *z, size_t n)
{
    const gfp_words_leaf *leaf = &r->basis->leaves[0];
    uint64_t sums[GFP_WORDS_GROUP];
    size_t len = leaf->digits;
    if (r->width <= len) {
        len = gfp_size_min(len, gfp_words_digits_of(r->width * 64));
    }
    r->kernels->weigh(leaf, r->y, sums, z, r->step, n);
    round_sums(r->basis, r->kernels, r->y, sums, r->digits, n);
    r->kernels->combine(leaf, r->digits, len, r->y, n);
    r->kernels->pack(c, r->width, r->width, r->digits, len, n);
}

/* c := u - f M in [-M / 2, M / 2), f from the sum S of the fractions: see round_sums. */
static void projection_finish(const gfp_words_basis *basis, uint64_t *c, size_t width, mp_limb_t *u,
                              gfp_u128 sum)
{
    const gfp_words_node *top = gfp_words_top(basis);
    const mp_size_t n = (mp_size_t)top->n;
    const uint64_t f = (uint64_t)((sum + ((gfp_u128)1 << (GFP_WORDS_FRACTION_BITS - 1))) >>
                                  GFP_WORDS_FRACTION_BITS);
    u[n] -= mpn_submul_1(u, top->limbs, n, f);
    if (u[n] >> 63 == 0 && (u[n] != 0 || mpn_cmp(u, basis->half, n) > 0)) {
        u[n] -= mpn_sub_n(u, u, top->limbs, n);
    }
    const size_t given = gfp_size_min(width, top->n + 1);
    memcpy(c, u, given * sizeof *c);
    memset(c + given, u[n] >> 63 != 0 ? 0xff : 0, (width - given) * sizeof *c);
}

/* The same by the tree. */
static void recombine_tree(const recombination *r, uint64_t *c, const uint64_t *z, size_t n)
{
    const gfp_words_basis *basis = r->basis;
    const size_t stride = gfp_words_tree_limbs(basis);
    gfp_u128 sums[GFP_WORDS_GROUP] = {0};
    mp_limb_t *share = r->shares;
    for (size_t i = 0; i < basis->leaf_count; i++) {
        const gfp_words_leaf *leaf = &basis->leaves[i];
        const size_t first = (size_t)(leaf->blocks - basis->leaves[0].blocks);
        const size_t limbs = basis->nodes[i].n + 1;
        uint64_t part[GFP_WORDS_GROUP];
        r->kernels->weigh(leaf, r->y, part, z + first * r->step, r->step, n);
        memset(r->y + leaf->primes * GFP_WORDS_GROUP, 0,
               (leaf->rows - leaf->primes) * GFP_WORDS_GROUP * sizeof *r->y);
        r->kernels->combine(leaf, r->digits, leaf->digits, r->y, n);
        r->kernels->pack((uint64_t *)(void *)share, stride, limbs, r->digits, leaf->digits, n);
        for (size_t l = 0; l < n; l++) {
            sums[l] += part[l];
        }
        share += limbs;
    }
    for (size_t l = 0; l < n; l++) {
        mp_limb_t *u = r->shares + l * stride;
        gfp_words_tree_sum(basis, u, r->scratch, NULL);
        projection_finish(basis, c + l * r->width, r->width, u, sums[l]);
    }
}

void gfp_words_recombine(const gfp_words_basis *basis, gfp_level level, uint64_t *c, size_t width,
                         const uint64_t *z, size_t step, size_t n, uint64_t *work)
{
    recombination r = {.basis = basis,
                       .kernels = gfp_words_kernels_of(level),
                       .width = width,
                       .step = step,
                       .y = work};
    r.digits = r.y + basis->most_rows * GFP_WORDS_GROUP;
    r.shares = (mp_limb_t *)(void *)(r.digits + digit_rows(basis) * GFP_WORDS_GROUP);
    r.scratch = r.shares + gfp_words_tree_limbs(basis) * gfp_size_min(n, GFP_WORDS_GROUP);
    for (size_t from = 0; from < n; from += GFP_WORDS_GROUP) {
        /* A last group of nearly eight begins in the one before: full groups are faster. */
        if (from > 0 && n - from < GFP_WORDS_GROUP && n - from >= NEARLY) {
            from = n - GFP_WORDS_GROUP;
        }
        const size_t group = gfp_size_min(n - from, GFP_WORDS_GROUP);
        if (basis->leaf_count == 1) {
            recombine_alone(&r, c + from * width, z + from * GFP_WORDS, group);
        } else {
            recombine_tree(&r, c + from * width, z + from * GFP_WORDS, group);
        }
    }
}
