/* tables.c: the constants of the papers' rival: powers of r modulo the primes, cofactors Q/q,
 * and both as matrices of half words for the vector kernels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>
#include <string.h>

#include "papers/rival/impl.h"
#include "field/base/support.h"
#include "field/base/word.h"

/* 2^e mod q. */
static uint64_t power_of_two(unsigned e, uint64_t q)
{
    return gfp_mod_pow(2, e, q);
}

static size_t round_up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

/* ---- one prime after another ---- */

static void prime_init(gfp_crt_rival_plan *plan, size_t index)
{
    gfp_rival_prime *prime = &plan->prime[index];
    const uint64_t q = prime->q;
    const uint64_t *cofactor = plan->cofactors + index * plan->words;
    const unsigned bits = 64 - gfp_clz64(q);

    prime->negative_inverse = gfp_mont_negative_inverse(q);
    prime->inverse = gfp_mod_pow(mpn_mod_1(cofactor, (mp_size_t)plan->words, q), q - 2, q);
    prime->companion = gfp_shoup_companion(prime->inverse, q);
    prime->mont_inverse = gfp_mod_mul(prime->inverse, power_of_two(32, q), q);
    prime->reciprocal = (uint64_t)(((gfp_u128)1 << (63 + bits)) / q);
    prime->shift = bits + 63 - GFP_RIVAL_FRACTION_BITS;
}

static void powers_init(gfp_crt_rival_plan *plan, size_t index)
{
    const unsigned k = gfp_field_k(plan->field);
    const uint64_t q = plan->prime[index].q;
    const uint64_t r = gfp_field_r(plan->field) % q;
    uint64_t *power = plan->powers + index * k;

    power[0] = power_of_two(128, q);
    for (unsigned i = 1; i < k; i++) {
        power[i] = gfp_mod_mul(power[i - 1], r, q);
    }
}

/* ---- matrices ---- */

/* The `width` bits of x (n words) from bit `from` on; bits beyond x are 0. width <= 32. */
static uint32_t bits_at(const uint64_t *x, size_t n, size_t from, unsigned width)
{
    const size_t i = from / 64;
    const uint64_t low = i < n ? x[i] : 0;
    const uint64_t high = i + 1 < n ? x[i + 1] : 0;

    return (uint32_t)((gfp_join(high, low) >> (from % 64)) & (((uint64_t)1 << width) - 1));
}

/* The place of an entry in a matrix with `columns` columns. */
static size_t place(size_t row, size_t column, size_t columns)
{
    return (row / GFP_RIVAL_ROWS * columns + column) * GFP_RIVAL_ROWS + row % GFP_RIVAL_ROWS;
}

static size_t split_entries(const gfp_crt_rival_plan *plan)
{
    return round_up(plan->count, GFP_RIVAL_ROWS) * plan->matrices.terms;
}

static size_t merge_entries(const gfp_crt_rival_plan *plan)
{
    return round_up(1 + plan->matrices.columns, GFP_RIVAL_ROWS) * plan->count;
}

/* floor(log2 x), x >= 1. */
static unsigned log2_floor(uint64_t x)
{
    return 63 - gfp_clz64(x);
}

/* As few parts per digit as keep a row's sum below 2^63: parts k (2^part_bits - 1) (2^31 - 1).
 * Three parts suffice for all k <= 256: 768 2^22 2^31 < 2^63. */
static void choose_parts(const gfp_field *field, gfp_rival_matrices *m)
{
    const unsigned log2_k = log2_floor(gfp_field_k(field));
    const unsigned bits = log2_floor(gfp_field_r(field)) + 1;

    for (m->parts = 1; m->parts <= 3; m->parts++) {
        const unsigned log2_parts = m->parts - 1; /* log2 of 1, 2 and (rounded up) 3 parts */
        m->part_bits = (bits + m->parts - 1) / m->parts;
        if (m->part_bits + 31 + log2_k + log2_parts <= 63) {
            break;
        }
    }
    m->terms = m->parts * (size_t)gfp_field_k(field);
}

/* A column's sum stays below 2^64: s (2^31 - 1) (2^w - 1) for its products, (s - 1) (2^w - 1) for t
 * times the complement, 2^(64 - w) - 1 for the carry from below: 2^64 - 2^w in all for s = 2^(33 -
 * w), and s = 2k is a power of two. */
static void choose_columns(const gfp_crt_rival_plan *plan, gfp_rival_matrices *m)
{
    const size_t bits = 64 * plan->words - gfp_clz64(plan->modulus[plan->words - 1]);

    m->column_bits = 33 - log2_floor(plan->count);
    m->columns = (bits + 1 + m->column_bits - 1) / m->column_bits;
}

static void fill_split(const gfp_crt_rival_plan *plan)
{
    const gfp_rival_matrices *m = &plan->matrices;
    const unsigned k = gfp_field_k(plan->field);

    for (size_t j = 0; j < plan->count; j++) {
        const uint64_t q = plan->prime[j].q;
        const uint64_t shift = power_of_two(m->part_bits, q);
        /* The kernels reduce by 2^64 only. */
        const uint64_t unscale = gfp_mod_pow(power_of_two(64, q), q - 2, q);
        for (unsigned i = 0; i < k; i++) {
            uint64_t w = gfp_mod_mul(plan->powers[j * k + i], unscale, q);
            for (unsigned part = 0; part < m->parts; part++) {
                m->split[place(j, i * m->parts + part, m->terms)] = (uint32_t)w;
                w = gfp_mod_mul(w, shift, q);
            }
        }
    }
}

static void fill_merge(const gfp_crt_rival_plan *plan)
{
    const gfp_rival_matrices *m = &plan->matrices;

    for (size_t j = 0; j < plan->count; j++) {
        m->merge[place(0, j, plan->count)] =
            (uint32_t)(((uint64_t)1 << GFP_RIVAL_FRACTION_BITS) / plan->prime[j].q);
        for (size_t c = 0; c < m->columns; c++) {
            m->merge[place(1 + c, j, plan->count)] = bits_at(
                plan->cofactors + j * plan->words, plan->words, c * m->column_bits, m->column_bits);
        }
    }
}

/* Minus Q, column by column: the complement of each column, plus one in the lowest column, which
 * does not carry: Q is odd. */
static void fill_complement(const gfp_crt_rival_plan *plan)
{
    const gfp_rival_matrices *m = &plan->matrices;
    const uint64_t mask = ((uint64_t)1 << m->column_bits) - 1;

    for (size_t c = 0; c < m->columns; c++) {
        m->complement[c] =
            mask - bits_at(plan->modulus, plan->words, c * m->column_bits, m->column_bits);
    }
    m->complement[0]++;
}

static gfp_status matrices_init(gfp_crt_rival_plan *plan)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    gfp_rival_matrices *m = &plan->matrices;

    choose_parts(plan->field, m);
    choose_columns(plan, m);
    m->split = gfp_allocate(allocator, split_entries(plan), sizeof *m->split);
    m->merge = gfp_allocate(allocator, merge_entries(plan), sizeof *m->merge);
    m->complement = gfp_allocate(allocator, m->columns, sizeof *m->complement);
    if (m->split == NULL || m->merge == NULL || m->complement == NULL) {
        return GFP_ERR_MEMORY;
    }
    memset(m->split, 0, split_entries(plan) * sizeof *m->split);
    memset(m->merge, 0, merge_entries(plan) * sizeof *m->merge);
    fill_split(plan);
    fill_merge(plan);
    fill_complement(plan);
    return GFP_OK;
}

/* ---- all tables ---- */

/* The product of `count` primes; `words` has room for 64 bits per prime. */
static void modulus_init(gfp_crt_rival_plan *plan)
{
    plan->modulus[0] = plan->prime[0].q;
    plan->words = 1;
    for (size_t i = 1; i < plan->count; i++) {
        const uint64_t carry =
            mpn_mul_1(plan->modulus, plan->modulus, (mp_size_t)plan->words, plan->prime[i].q);
        if (carry != 0) {
            plan->modulus[plan->words++] = carry;
        }
    }
}

gfp_status gfp_rival_tables_init(gfp_crt_rival_plan *plan)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    const unsigned k = gfp_field_k(plan->field);

    plan->modulus = gfp_allocate(allocator, plan->count, sizeof *plan->modulus);
    plan->powers = gfp_allocate(allocator, plan->count * k, sizeof *plan->powers);
    if (plan->modulus == NULL || plan->powers == NULL) {
        return GFP_ERR_MEMORY;
    }
    modulus_init(plan);
    plan->cofactors = gfp_allocate(allocator, plan->count * plan->words, sizeof *plan->cofactors);
    if (plan->cofactors == NULL) {
        return GFP_ERR_MEMORY;
    }
    for (size_t i = 0; i < plan->count; i++) {
        (void)mpn_divrem_1(plan->cofactors + i * plan->words, 0, plan->modulus,
                           (mp_size_t)plan->words, plan->prime[i].q);
        prime_init(plan, i);
        powers_init(plan, i);
    }
    return plan->vector ? matrices_init(plan) : GFP_OK;
}

void gfp_rival_tables_release(gfp_crt_rival_plan *plan)
{
    const gfp_allocator *allocator = gfp_field_allocator(plan->field);
    gfp_rival_matrices *m = &plan->matrices;

    gfp_release(allocator, m->split, split_entries(plan), sizeof *m->split);
    gfp_release(allocator, m->merge, merge_entries(plan), sizeof *m->merge);
    gfp_release(allocator, m->complement, m->columns, sizeof *m->complement);
    gfp_release(allocator, plan->cofactors, plan->count * plan->words, sizeof *plan->cofactors);
    gfp_release(allocator, plan->powers, plan->count * gfp_field_k(plan->field),
                sizeof *plan->powers);
    gfp_release(allocator, plan->modulus, plan->count, sizeof *plan->modulus);
}

size_t gfp_rival_tables_bytes(const gfp_crt_rival_plan *plan)
{
    const size_t words = plan->count * (1 + gfp_field_k(plan->field) + plan->words);
    const gfp_rival_matrices *m = &plan->matrices;
    const size_t entries = split_entries(plan) + merge_entries(plan);

    return words * sizeof(uint64_t) +
           (plan->vector ? entries * sizeof *m->split + m->columns * sizeof *m->complement : 0);
}
