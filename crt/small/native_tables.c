/* native_tables.c: primes and constants of the native multimodular product, made at a field's first
 * product and kept with the field. Set-up only: portable.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native.h"

#include <gmp.h>
#include <string.h>

#include "field/primes/factor.h"
#include "field/base/support.h"
#include "field/base/word.h"
#include "fft/words/primes.h"

/* ---- the radix ---- */

/* Returns the radix: digits are joined in pairs until they are long enough; at least two remain. */
gfp_native_radix gfp_native_radix_of(const gfp_field *field)
{
    gfp_native_radix radix = {field->r, field->k, 1};
    while (radix.r < GFP_NATIVE_R_MIN && radix.k > 2) {
        radix = (gfp_native_radix){radix.r * radix.r, radix.k / 2, 2 * radix.per};
    }
    return radix.r < GFP_NATIVE_R_MIN ? (gfp_native_radix){field->r, field->k, 1} : radix;
}

/* The top digit of the special element is r, and becomes R. */
void gfp_native_join(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x)
{
    const uint64_t r = tables->field->r;
    const unsigned per = tables->radix.per;
    for (unsigned t = 0; t < tables->radix.k; t++, x += per) {
        uint64_t digit = 0;
        for (unsigned i = per; i-- > 0;) {
            digit = digit * r + x[i];
        }
        z[t] = digit;
    }
}

void gfp_native_split(const gfp_native_tables *tables, uint64_t *z, const uint64_t *x)
{
    const uint64_t r = tables->field->r;
    const unsigned per = tables->radix.per;
    for (unsigned t = 0; t < tables->radix.k; t++, z += per) {
        uint64_t digit = x[t];
        for (unsigned i = 0; i + 1 < per; i++) {
            const uint64_t above = digit / r;
            z[i] = digit - above * r;
            digit = above;
        }
        z[per - 1] = digit;
    }
}

/* ---- the number of primes ---- */

/* 4 terms (p-1)^2 < 2^(2 + log2_above(terms) + 2 bits), and s primes multiply to more than 2^(48 s)
 * (1 - s 2^-17) > 2^(48 s - 1). */
size_t gfp_native_count(const gfp_field *field, size_t terms)
{
    const size_t bits = 2 * (size_t)field->bits + gfp_log2_above(terms) + 3;
    return (bits + GFP_NATIVE_BITS - 1) / GFP_NATIVE_BITS;
}

/* Returns the greatest count that tables provide: terms < 2^48. */
static size_t most_primes(const gfp_field *field)
{
    return gfp_native_count(field, 1) + 1;
}

/* ---- primes ---- */

/* Fills q with the greatest primes 1 modulo 2^log2_order; returns false if there are fewer than
 * count. */
static bool find_primes(uint64_t *q, size_t count, unsigned log2_order)
{
    const uint64_t step = (uint64_t)1 << log2_order, top = (uint64_t)1 << GFP_NATIVE_BITS;
    const uint64_t least = top - ((uint64_t)1 << GFP_NATIVE_DELTA_BITS);
    size_t found = 0;
    for (uint64_t c = top - step + 1; c > least && found < count; c -= step) {
        /* Cheap divisions refuse half of the candidates first. */
        if (c % 3 != 0 && c % 5 != 0 && c % 7 != 0 && gfp_word_is_prime(c)) {
            q[found++] = c;
        }
    }
    return found == count;
}

/* Finds the primes of the greatest order that has enough primes. */
static unsigned choose_primes(uint64_t *q, size_t count)
{
    unsigned log2_order = GFP_NATIVE_MAX_LOG2_ORDER;
    while (!find_primes(q, count, log2_order)) {
        log2_order--;
    }
    return log2_order;
}

/* About 2^31 / 2^(order - 1) / 33 numbers below 2^48 are primes: always more than 2^(26 - order),
 * counted for every order down to 2^14. */
unsigned gfp_native_least_order(const gfp_field *field)
{
    const unsigned log2_order = 26 - gfp_log2_above(most_primes(field));
    return log2_order < GFP_NATIVE_MAX_LOG2_ORDER ? log2_order : GFP_NATIVE_MAX_LOG2_ORDER;
}

static void fill_turns(gfp_ntt48_root *turn, uint64_t root, unsigned log2_order, uint64_t q)
{
    for (unsigned t = log2_order - 1; t-- > 0;) {
        turn[t] = gfp_ntt48_root_of(root, q);
        root = gfp_mod_mul(root, root, q);
    }
}

void gfp_native_prime_fill(gfp_native_prime *prime, uint64_t q, unsigned log2_order)
{
    const uint64_t root = gfp_word_root_of_unity(q, log2_order);
    memset(prime, 0, sizeof *prime);
    prime->prime = (gfp_ntt48_prime){q, gfp_word_non_residue(q)};
    prime->inverse_q = (0 - gfp_mont_negative_inverse(q)) & GFP_NATIVE_PIECE_MASK;
    prime->fold = gfp_ntt48_root_of(((uint64_t)1 << GFP_NATIVE_PIECE_BITS) % q, q);
    fill_turns(prime->turn, root, log2_order, q);
    fill_turns(prime->back, gfp_mod_pow(root, q - 2, q), log2_order, q);
}

static void fill_powers(gfp_native_tables *tables)
{
    const size_t k = tables->radix.k;
    memset(tables->powers, 0, tables->power_words * sizeof *tables->powers);
    for (size_t i = 0; i < tables->count; i++) {
        const uint64_t q = tables->primes[i].prime.q, r = tables->radix.r % q;
        uint64_t power = 1;
        for (size_t t = 0; t < k; t++) {
            tables->powers[gfp_native_power(k, i, t, 0)] = power;
            tables->powers[gfp_native_power(k, i, t, 1)] =
                gfp_mod_mul(power, tables->primes[i].fold.w, q);
            power = gfp_mod_mul(power, r, q);
        }
    }
}

/* ---- tables ---- */

static size_t column_words(size_t k, size_t count)
{
    return 2 * k * (count + 1);
}

static void set_destroy(gfp_native_set *set, size_t k, const gfp_allocator *allocator)
{
    if (set != NULL) {
        gfp_release(allocator, set->columns, column_words(k, set->count), sizeof *set->columns);
        gfp_release(allocator, set->scale, set->count, sizeof *set->scale);
        gfp_release(allocator, set, 1, sizeof *set);
    }
}

static void tables_destroy(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    gfp_native_tables *tables = (gfp_native_tables *)attachment;
    for (unsigned i = 0; i < 2; i++) {
        set_destroy(atomic_load(&tables->sets[i]), tables->radix.k, allocator);
    }
    gfp_release(allocator, tables->powers, tables->power_words, sizeof *tables->powers);
    gfp_release(allocator, tables->moduli, tables->count, sizeof *tables->moduli);
    gfp_release(allocator, tables->primes, tables->count, sizeof *tables->primes);
    gfp_release(allocator, tables, 1, sizeof *tables);
}

static gfp_native_tables *tables_create(const gfp_field *field)
{
    const gfp_allocator *allocator = gfp_field_allocator(field);
    gfp_native_tables *tables = gfp_allocate(allocator, 1, sizeof *tables);
    if (tables == NULL) {
        return NULL;
    }
    *tables = (gfp_native_tables){.head = {tables_destroy}, .field = field};
    tables->radix = gfp_native_radix_of(field);
    if (tables->radix.r >= GFP_NATIVE_R_MIN) {
        gfp_lanes_radix_init(&tables->lanes, tables->radix.r);
    }

    atomic_init(&tables->sets[0], NULL);
    atomic_init(&tables->sets[1], NULL);
    tables->count = most_primes(field);
    const size_t groups = (tables->count + GFP_NATIVE_GROUP - 1) / GFP_NATIVE_GROUP;
    tables->power_words = groups * 2 * tables->radix.k * GFP_NATIVE_GROUP;
    tables->primes = gfp_allocate(allocator, tables->count, sizeof *tables->primes);
    tables->moduli = gfp_allocate(allocator, tables->count, sizeof *tables->moduli);
    tables->powers = gfp_allocate(allocator, tables->power_words, sizeof *tables->powers);
    if (tables->primes == NULL || tables->moduli == NULL || tables->powers == NULL) {
        tables_destroy(&tables->head, allocator);
        return NULL;
    }
    tables->log2_order = choose_primes(tables->moduli, tables->count);
    for (size_t i = 0; i < tables->count; i++) {
        gfp_native_prime_fill(&tables->primes[i], tables->moduli[i], tables->log2_order);
    }
    fill_powers(tables);
    return tables;
}

gfp_native_tables *gfp_native_tables_get(const gfp_field *field)
{
    gfp_attachment *attached = gfp_field_attached(field, tables_destroy);
    if (attached == NULL) {
        gfp_native_tables *made = tables_create(field);
        if (made == NULL) {
            return NULL;
        }
        attached = gfp_field_attach(field, &made->head);
    }
    return (gfp_native_tables *)attached;
}

/* ---- the constants of a CRT ---- */

/* The limbs of M, below 2^(48 GFP_NATIVE_MAX_PRIMES), and of p. */
#define PRODUCT_LIMBS (GFP_NATIVE_MAX_PRIMES * GFP_NATIVE_BITS / 64 + 1)

/* Sets row `row` of the columns to the digits of x mod p, or of its negative; x is overwritten. */
static void fill_row(const gfp_native_tables *tables, gfp_native_set *set, size_t row, mp_limb_t *x,
                     size_t n, bool negative)
{
    const gfp_field *field = tables->field;
    mp_limb_t quotient[PRODUCT_LIMBS];
    mp_limb_t rest[GFP_MAX_LIMBS + 1];
    uint64_t limbs[GFP_MAX_LIMBS + 1], digits[GFP_MAX_K], joined[GFP_MAX_K];
    mp_limb_t modulus[GFP_MAX_LIMBS + 1];
    const size_t m = field->limbs;
    for (size_t i = 0; i < m; i++) {
        modulus[i] = field->modulus[i];
        rest[i] = 0;
    }
    mpn_tdiv_qr(quotient, rest, 0, x, (mp_size_t)n, modulus, (mp_size_t)m);
    if (negative && mpn_zero_p(rest, (mp_size_t)m) == 0) {
        mpn_sub_n(rest, modulus, rest, (mp_size_t)m);
    }
    for (size_t i = 0; i < m; i++) {
        limbs[i] = rest[i];
    }
    gfp_radix_to_digits(field, digits, limbs);
    gfp_native_join(tables, joined, digits);
    for (size_t t = 0; t < tables->radix.k; t++) {
        uint64_t *piece = set->columns + gfp_native_column(tables->radix.k, set->count, row, t);
        piece[0] = joined[t] & GFP_NATIVE_PIECE_MASK;
        piece[1] = joined[t] >> GFP_NATIVE_PIECE_BITS;
    }
}

static void fill_set(const gfp_native_tables *tables, gfp_native_set *set)
{
    mp_limb_t product[PRODUCT_LIMBS], cofactor[PRODUCT_LIMBS];
    size_t n = 1;
    product[0] = 1;
    for (size_t i = 0; i < set->count; i++) {
        const mp_limb_t carry =
            mpn_mul_1(product, product, (mp_size_t)n, tables->primes[i].prime.q);
        if (carry != 0) {
            product[n++] = carry;
        }
    }
    for (size_t i = 0; i < set->count; i++) {
        const uint64_t q = tables->primes[i].prime.q;
        mpn_divrem_1(cofactor, 0, product, (mp_size_t)n, q);
        const uint64_t rest = mpn_mod_1(cofactor, (mp_size_t)n, q);
        set->scale[i] = gfp_mod_pow(rest, q - 2, q);
        fill_row(tables, set, i, cofactor, n, false);
    }
    fill_row(tables, set, set->count, product, n, true);
}

static gfp_native_set *set_create(const gfp_native_tables *tables, size_t count)
{
    const gfp_allocator *allocator = gfp_field_allocator(tables->field);
    const size_t k = tables->radix.k;
    gfp_native_set *set = gfp_allocate(allocator, 1, sizeof *set);
    if (set == NULL) {
        return NULL;
    }
    set->count = count;
    set->scale = gfp_allocate(allocator, count, sizeof *set->scale);
    set->columns = gfp_allocate(allocator, column_words(k, count), sizeof *set->columns);
    if (set->scale == NULL || set->columns == NULL) {
        set_destroy(set, k, allocator);
        return NULL;
    }
    fill_set(tables, set);
    return set;
}

const gfp_native_set *gfp_native_set_get(gfp_native_tables *tables, size_t count)
{
    _Atomic(gfp_native_set *) *place = &tables->sets[count == tables->count];
    gfp_native_set *set = atomic_load_explicit(place, memory_order_acquire);
    if (set == NULL) {
        gfp_native_set *made = set_create(tables, count);
        if (made == NULL) {
            return NULL;
        }
        if (atomic_compare_exchange_strong(place, &set, made)) {
            return made;
        }
        set_destroy(made, tables->radix.k, gfp_field_allocator(tables->field));
    }
    return set;
}
