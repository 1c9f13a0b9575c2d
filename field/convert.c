/* convert.c: radix conversion of arrays: tables for the lanes, groups of elements, and the public
 * functions on arrays of limbs. Elements that lanes do not serve (other levels and radices, numbers
 * that are not below r^k) go one by one through radix.c, the slow twin of the lanes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/convert.h"

#include <gmp.h>
#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"

#define LIMB_BITS 52
#define LIMB_MASK (((uint64_t)1 << LIMB_BITS) - 1)

/* ---- tables ---- */

/* Returns bits 52 i to 52 i + 51 of a number of n words. */
static uint64_t limb_of(const mp_limb_t *x, size_t n, size_t i)
{
    const size_t at = LIMB_BITS * i / 64, bits = LIMB_BITS * i % 64;
    const uint64_t low = at < n ? x[at] : 0, high = at + 1 < n ? x[at + 1] : 0;
    return (uint64_t)(gfp_join(high, low) >> bits) & LIMB_MASK;
}

static unsigned limbs_of_half(unsigned log2_h)
{
    return log2_h < 2 ? log2_h + 2 : 5u << (log2_h - 2);
}

/* inverse (n + 1 words and more) := floor(2^bits / power), power of n words. */
static void convert_invert(mp_limb_t *inverse, const mp_limb_t *power, unsigned n, unsigned bits)
{
    mp_limb_t one[2 * GFP_MAX_LIMBS + 1] = {0};
    mp_limb_t remainder[GFP_MAX_LIMBS];
    one[bits / 64] = (mp_limb_t)1 << bits % 64;
    const mp_size_t size = (mp_size_t)(bits / 64) + 1;
    mpn_tdiv_qr(inverse, remainder, 0, one, size, power, (mp_size_t)n);
}

static unsigned limbs_of_inverse(unsigned log2_h)
{
    return log2_h == 2 ? 6 : limbs_of_half(log2_h);
}

static void level_init(gfp_convert_level *c, const mp_limb_t *power, unsigned n, uint64_t *words,
                       double *doubles)
{
    const unsigned limbs = c->limbs, top = LIMB_BITS * c->inverse_limbs;
    const unsigned bits = 64 * n - gfp_clz64(power[n - 1]), down = bits - (top - bits) / 2;
    mp_limb_t inverse[2 * GFP_MAX_LIMBS + 2] = {0};
    convert_invert(inverse, power, n, top + down);
    for (unsigned i = 0; i < limbs; i++) {
        words[i] = limb_of(power, n, i);
    }
    for (unsigned i = 0; i < c->inverse_limbs; i++) {
        words[limbs + i] = limb_of(inverse, 2 * GFP_MAX_LIMBS, i);
    }
    for (unsigned i = 0; i < limbs + c->inverse_limbs; i++) {
        doubles[i] = (double)words[i];
    }
    c->power = words;
    c->inverse = words + limbs;
    c->power_double = doubles;
    c->inverse_double = doubles + limbs;
    c->shift_limbs = down / LIMB_BITS;
    c->shift_bits = down % LIMB_BITS;
    c->shift_rest = LIMB_BITS - c->shift_bits;
    c->top_limb = bits / LIMB_BITS;
    c->top_bits = bits % LIMB_BITS + 1;
    c->top_rest = LIMB_BITS - c->top_bits;
    if (c->top_limb > 0) { /* true except for single digits, which do not need it */
        c->top = words[c->top_limb] << c->top_rest | words[c->top_limb - 1] >> c->top_bits;
    }
    unsigned zeros = 0;
    while (words[zeros] == 0) {
        zeros++;
    }
    c->zeros = zeros / 5;
}

/* Sets up the portable functions: r^k in words. */
static void words_init(gfp_convert *c, const gfp_field *field)
{
    memcpy(c->table, field->modulus, field->limbs * sizeof *c->table);
    c->table[0] ^= 1;
    c->last = c->table;
}

static void tables_init(gfp_convert *c, const gfp_field *field)
{
    mp_limb_t last[GFP_MAX_LIMBS];
    uint64_t *words = c->table;
    double *doubles = (double *)(void *)(c->table + c->table_size / 2);
    for (unsigned i = 0; i < field->log2_k; i++) {
        gfp_convert_level *level = &c->level[i];
        level->limbs = limbs_of_half(i);
        level->inverse_limbs = limbs_of_inverse(i);
        level_init(level, (const mp_limb_t *)(const void *)(field->power + ((1u << i) - 1)),
                   field->power_size[i], words, doubles);
        words += level->limbs + level->inverse_limbs;
        doubles += level->limbs + level->inverse_limbs;
    }
    memcpy(last, field->modulus, field->limbs * sizeof *last);
    last[0] ^= 1;
    c->last = words;
    for (unsigned i = 0; i < c->limbs; i++) {
        words[i] = limb_of(last, field->limbs, i);
    }
    c->last_limb = (field->bits - 1) / LIMB_BITS;
    c->last_bits = (field->bits - 1) % LIMB_BITS + 1;
    c->last_rest = LIMB_BITS - c->last_bits;
    c->top = words[c->last_limb] << c->last_rest | words[c->last_limb - 1] >> c->last_bits;
}

static gfp_convert_functions functions_of(gfp_level level, uint64_t r, unsigned k)
{
    static gfp_convert_functions (*const rows[GFP_LEVEL_COUNT])(unsigned k) =
        GFP_LEVEL_ROWS(gfp_convert_portable, gfp_convert_avx2, gfp_convert_avx512dq,
                       gfp_convert_avx512, gfp_convert_avx2);
    return rows[r >= GFP_CONVERT_R_MIN ? level : GFP_LEVEL_PORTABLE](k);
}

gfp_status gfp_convert_init(gfp_field *field)
{
    const gfp_convert_functions functions = functions_of(field->level, field->r, field->k);
    if (functions.lanes == 0) {
        return GFP_OK;
    }
    gfp_convert *c = gfp_allocate(&field->allocator, 1, sizeof *c);
    if (c == NULL) {
        return GFP_ERR_MEMORY;
    }
    memset(c, 0, sizeof *c);
    c->k = field->k;
    c->words = field->limbs;
    c->functions = functions;
    c->levels = field->log2_k;
    c->limbs = limbs_of_half(field->log2_k);
    c->radix = field->radix;
    const bool portable = functions.export == gfp_convert_portable(field->k).export;
    size_t words = c->limbs;
    for (unsigned i = 0; i < field->log2_k; i++) {
        words += limbs_of_half(i) + limbs_of_inverse(i);
    }
    c->table_size = portable ? field->limbs : 2 * words;
    c->table = gfp_allocate(&field->allocator, c->table_size, sizeof *c->table);
    if (c->table == NULL) {
        gfp_convert_destroy(c, &field->allocator);
        return GFP_ERR_MEMORY;
    }
    if (portable) {
        words_init(c, field);
    } else {
        tables_init(c, field);
    }
    field->convert = c;
    return GFP_OK;
}

void gfp_convert_destroy(gfp_convert *convert, const gfp_allocator *allocator)
{
    if (convert != NULL) {
        gfp_release(allocator, convert->table, convert->table_size, sizeof *convert->table);
        gfp_release(allocator, convert, 1, sizeof *convert);
    }
}

/* ---- groups ---- */

/* Room on the stack for the elements of a group if the caller has fewer elements than lanes. */
#define SPARE_WORDS (GFP_CONVERT_LANES * (size_t)GFP_MAX_K)

/* Converts one group; z := the numbers modulo p. */
static void import_group(const gfp_field *field, uint64_t *z, const gfp_limbs_view *x, unsigned n,
                         bool more)
{
    const gfp_convert *c = field->convert;
    const gfp_limbs_view *group = x;
    gfp_limbs_view shorter[GFP_CONVERT_LANES];
    unsigned wide = 0;
    size_t other = 0;
    for (unsigned i = 0; i < n; i++) {
        other |= x[i].size ^ field->limbs;
    }
    if (other != 0) {
        for (unsigned i = 0; i < n; i++) {
            const bool large = x[i].size > field->limbs;
            shorter[i] = (gfp_limbs_view){x[i].limbs, large ? 0 : x[i].size};
            wide |= (unsigned)large << i;
        }
        group = shorter;
    }
    const unsigned others = wide | c->functions.import(c, z, group, other == 0, more && group == x);
    for (unsigned i = 0; i < n && others >> i != 0; i++) {
        if ((others >> i & 1) != 0) {
            gfp_radix_reduce(field, z + (size_t)i * field->k, x[i].limbs, x[i].size);
        }
    }
}

void gfp_convert_import(const gfp_field *field, uint64_t *z, const gfp_limbs_view *x, size_t n)
{
    const size_t k = field->k;
    if (field->convert == NULL || field->convert->functions.import == NULL ||
        n < field->convert->functions.fewest) {
        for (size_t i = 0; i < n; i++) {
            gfp_radix_reduce(field, z + i * k, x[i].limbs, x[i].size);
        }
        return;
    }
    const unsigned lanes = field->convert->functions.lanes;
    if (n >= lanes) {
        for (size_t i = 0; i + lanes < n; i += lanes) {
            import_group(field, z + i * k, x + i, lanes, i + 2 * lanes <= n);
        }
        import_group(field, z + (n - lanes) * k, x + (n - lanes), lanes, false);
    } else if (n > 0) {
        uint64_t spare[SPARE_WORDS];
        gfp_limbs_view group[GFP_CONVERT_LANES];
        for (unsigned i = 0; i < lanes; i++) {
            group[i] = i < n ? x[i] : (gfp_limbs_view){NULL, 0};
        }
        import_group(field, spare, group, lanes, false);
        memcpy(z, spare, n * k * sizeof *z);
    }
}

void gfp_convert_export(const gfp_field *field, uint64_t *const *limbs, const uint64_t *x, size_t n)
{
    const gfp_convert *c = field->convert;
    const size_t k = field->k;
    if (c == NULL || n < c->functions.fewest) {
        for (size_t i = 0; i < n; i++) {
            gfp_radix_to_limbs(field, limbs[i], x + i * k);
        }
        return;
    }
    const unsigned lanes = c->functions.lanes;
    if (n >= lanes) {
        for (size_t i = 0; i + lanes < n; i += lanes) {
            c->functions.export(c, limbs + i, x + i * k, i + 2 * lanes <= n);
        }
        c->functions.export(c, limbs + (n - lanes), x + (n - lanes) * k, false);
    } else if (n > 0) {
        uint64_t spare[SPARE_WORDS];
        uint64_t unused[GFP_MAX_LIMBS];
        uint64_t *group[GFP_CONVERT_LANES];
        for (unsigned i = 0; i < lanes; i++) {
            group[i] = i < n ? limbs[i] : unused;
        }
        memcpy(spare, x, n * k * sizeof *x);
        memset(spare + n * k, 0, (lanes - n) * k * sizeof *x);
        c->functions.export(c, group, spare, false);
    }
}

/* ---- arrays of limbs ---- */

/* The numbers of one call of gfp_convert_import or gfp_convert_export. */
#define CHUNK 64

/* Whether the number is below p. The highest word decides most often. */
static bool is_below(const gfp_field *field, const uint64_t *x, size_t size)
{
    const uint64_t *p = field->modulus;
    while (size > field->limbs) {
        if (x[--size] != 0) {
            return false;
        }
    }
    if (size < field->limbs) {
        return true; /* the highest word of p is not 0 */
    }
    while (size > 1 && x[size - 1] == p[size - 1]) {
        size--;
    }
    return x[size - 1] < p[size - 1];
}

gfp_status gfp_vec_set_limbs(const gfp_field *field, uint64_t *z, const uint64_t *limbs,
                             size_t size, size_t step, size_t n, gfp_error *error)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_below(field, limbs + i * step, size)) {
            return gfp_error_set_at(error, GFP_ERR_RANGE, i, "number %zu is not below the modulus",
                                    i);
        }
    }
    gfp_vec_set_limbs_mod(field, z, limbs, size, step, n);
    return GFP_OK;
}

static void import_chunk(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t size,
                         size_t step, size_t count)
{
    gfp_limbs_view x[CHUNK];
    for (size_t j = 0; j < count; j++) {
        x[j] = (gfp_limbs_view){limbs + j * step, size};
    }
    gfp_convert_import(field, z, x, count);
}

/* Returns the words up to the highest one that is not 0 in a number of the chunk. */
static size_t used_words(const uint64_t *limbs, size_t size, size_t step, size_t count)
{
    for (; size > 0; size--) {
        uint64_t any = 0;
        for (size_t j = 0; j < count; j++) {
            any |= limbs[j * step + size - 1];
        }
        if (any != 0) {
            break;
        }
    }
    return size;
}

/* The words of the elements that a longer number is cut into, in one chunk. */
#define CUT_WORDS SPARE_WORDS

/* Numbers longer than p are cut into blocks of limbs - 1 words, which are below p, and joined by
 * Horner's rule with 2^(64 (limbs - 1)): products of many elements at once. */
static void import_blocks(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t size,
                          size_t step, size_t count)
{
    const size_t block = field->limbs - 1;
    uint64_t word[GFP_MAX_LIMBS] = {0}, shift[GFP_MAX_K], part[CUT_WORDS];
    size_t at = (size - 1) / block * block;
    word[block] = 1;
    gfp_radix_reduce(field, shift, word, block + 1);
    import_chunk(field, z, limbs + at, size - at, step, count);
    while (at > 0) {
        at -= block;
        gfp_vec_scalar_mul(field, z, z, shift, count);
        import_chunk(field, part, limbs + at, block, step, count);
        gfp_vec_add(field, z, z, part, count);
    }
}

/* Whether blocks take less time than dividing the numbers that are not below p one by one. */
static bool blocks_pay(const gfp_field *field, const uint64_t *limbs, size_t size, size_t step,
                       size_t count)
{
    const gfp_convert *c = field->convert;
    /* Without lanes a product takes longer than the division. */
    if (field->limbs < 2 || size < field->limbs || c == NULL || field->r < GFP_CONVERT_R_MIN ||
        field->level == GFP_LEVEL_PORTABLE || count < c->functions.lanes) {
        return false;
    }
    size_t large = 0;
    for (size_t j = 0; j < count; j++) {
        large += !is_below(field, limbs + j * step, size);
    }
    return large > count / 8;
}

void gfp_vec_set_limbs_mod(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t size,
                           size_t step, size_t n)
{
    const size_t chunk = gfp_size_min(CHUNK, CUT_WORDS / field->k);
    for (size_t i = 0; i < n; i += chunk) {
        const size_t count = gfp_size_min(n - i, chunk);
        const uint64_t *from = limbs + i * step;
        uint64_t *to = z + i * field->k;
        const size_t used = used_words(from, size, step, count);
        if (blocks_pay(field, from, used, step, count)) {
            import_blocks(field, to, from, used, step, count);
        } else {
            import_chunk(field, to, from, used, step, count);
        }
    }
}

void gfp_vec_get_limbs(const gfp_field *field, uint64_t *limbs, size_t step, const uint64_t *x,
                       size_t n)
{
    uint64_t *to[CHUNK];
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = gfp_size_min(n - i, CHUNK);
        for (size_t j = 0; j < count; j++) {
            to[j] = limbs + (i + j) * step;
        }
        gfp_convert_export(field, to, x + i * field->k, count);
    }
}

void gfp_elem_set_limbs(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t n)
{
    const gfp_limbs_view x = {limbs, n};
    gfp_convert_import(field, z, &x, 1);
}

void gfp_elem_get_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *x)
{
    gfp_convert_export(field, &limbs, x, 1);
}
