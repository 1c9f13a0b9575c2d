/* vec.c: vectors of integers: storage, equality, sizes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "modular/vec.h"

#include <math.h>

#include "field/base/word.h"
#include "modular/ring.h"

/* ---- one integer ---- */

size_t gfp_z_magnitude(uint64_t *z, const uint64_t *x, size_t width)
{
    if (gfp_z_negative(x, width)) {
        (void)mpn_neg(gfp_z_limbs(z), gfp_z_const_limbs(x), (mp_size_t)width);
    } else if (z != x) {
        memcpy(z, x, width * sizeof *z);
    }
    return gfp_z_strip(z, width);
}

void gfp_z_put(uint64_t *z, size_t width, const uint64_t *magnitude, size_t n, bool negative)
{
    if (z != magnitude && n > 0) {
        memmove(z, magnitude, n * sizeof *z);
    }
    memset(z + n, 0, (width - n) * sizeof *z);
    if (negative) {
        (void)mpn_neg(gfp_z_limbs(z), gfp_z_limbs(z), (mp_size_t)width);
    }
}

size_t gfp_z_magnitude_bits(const uint64_t *x, size_t n)
{
    return n == 0 ? 0 : 64 * n - gfp_clz64(x[n - 1]);
}

size_t gfp_z_bits(const uint64_t *x, size_t width)
{
    return gfp_z_most_bits(x, 1, width);
}

/* ---- storage ---- */

void gfp_zvec_init(gfp_zvec *z, gfp_zring *ring)
{
    *z = (gfp_zvec){.ring = ring, .width = 1};
}

void gfp_zvec_clear(gfp_zvec *z)
{
    gfp_release(&z->ring->allocator, z->limbs, z->alloc, sizeof *z->limbs);
    gfp_zvec_init(z, z->ring);
}

void gfp_zvec_swap(gfp_zvec *a, gfp_zvec *b)
{
    const gfp_zvec t = *a;
    *a = *b;
    *b = t;
}

gfp_status gfp_zvec_reserve(gfp_zvec *z, size_t len, size_t width)
{
    size_t limbs;
    if (!gfp_size_mul(&limbs, len, width) || limbs > SIZE_MAX / sizeof *z->limbs) {
        return GFP_ERR_SIZE;
    }
    if (limbs > z->alloc) {
        uint64_t *fresh = gfp_allocate(&z->ring->allocator, limbs, sizeof *fresh);
        if (fresh == NULL) {
            return GFP_ERR_MEMORY;
        }
        gfp_release(&z->ring->allocator, z->limbs, z->alloc, sizeof *z->limbs);
        z->limbs = fresh;
        z->alloc = limbs;
    }
    z->len = len;
    z->width = width;
    return GFP_OK;
}

gfp_status gfp_zvec_set_limbs(gfp_zvec *z, const uint64_t *limbs, size_t len, size_t width)
{
    if (z == NULL || width == 0 || (limbs == NULL && len > 0)) {
        return GFP_ERR_ARGUMENT;
    }
    width = len > 0 ? width : 1;
    if (limbs == z->limbs && len <= z->len && width == z->width) {
        z->len = len;
        return GFP_OK;
    }
    gfp_zvec copy;
    gfp_zvec_init(&copy, z->ring);
    GFP_TRY(gfp_zvec_reserve(&copy, len, width));
    if (copy.limbs != NULL) {
        memcpy(copy.limbs, limbs, len * width * sizeof *limbs);
    }
    gfp_zvec_swap(z, &copy);
    gfp_zvec_clear(&copy);
    return GFP_OK;
}

gfp_status gfp_zvec_set(gfp_zvec *z, const gfp_zvec *a)
{
    if (z == NULL || a == NULL) {
        return GFP_ERR_ARGUMENT;
    }
    if (z == a || a->width > 0 || a->len == 0) {
        return z == a ? GFP_OK
                      : gfp_zvec_set_limbs(z, a->limbs, a->len, a->width > 0 ? a->width : 1);
    }
    gfp_zvec copy;
    gfp_zvec_init(&copy, z->ring);
    GFP_TRY(gfp_zvec_reserve(&copy, 1, (size_t)a->limbs[a->len]));
    if (copy.limbs != NULL) {
        memcpy(copy.limbs, a->limbs, (size_t)a->limbs[a->len] * sizeof *copy.limbs);
    }
    copy.len = a->len;
    copy.width = 0;
    gfp_zvec_swap(z, &copy);
    gfp_zvec_clear(&copy);
    return GFP_OK;
}

size_t gfp_zvec_length(const gfp_zvec *a)
{
    size_t n = a->len, width;
    while (n > 0) {
        const uint64_t *x = gfp_zvec_entry(a, n - 1, &width);
        if (gfp_z_strip(x, width) > 0) {
            break;
        }
        n--;
    }
    return n;
}

void gfp_z_resize(uint64_t *z, size_t width, const uint64_t *x, size_t old)
{
    const size_t n = gfp_size_min(width, old);
    const uint64_t sign = gfp_z_negative(x, old) ? UINT64_MAX : 0;
    memmove(z, x, n * sizeof *z);
    for (size_t i = n; i < width; i++) {
        z[i] = sign;
    }
}

/* Whether a number below 0 is -2^k for the bits of `mask` and of the limbs below limb j. */
static bool has_power(const uint64_t *x, size_t len, size_t width, size_t j, uint64_t mask)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t sign = x[i * width + width - 1] >> 63;
        seen |= sign & (uint64_t)(x[i * width + j] == ~mask);
    }
    for (size_t i = 0; i < len && seen != 0; i++) {
        const uint64_t *y = x + i * width;
        if (gfp_z_negative(y, width) && y[j] == ~mask && gfp_z_strip(y, j) == 0) {
            return true;
        }
    }
    return false;
}

/* The bits of |x| for numbers of one limb. */
static size_t bits_of_words(const uint64_t *x, size_t len)
{
    uint64_t all = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t sign = 0 - (x[i] >> 63);
        all |= (x[i] ^ sign) - sign;
    }
    return all != 0 ? 64 - gfp_clz64(all) : 0;
}

/* The same for two limbs of which the upper one is the sign. */
static size_t bits_of_pairs(const uint64_t *x, size_t len)
{
    uint64_t all = 0, power = 0;
    for (size_t i = 0; i < len; i++, x += 2) {
        all |= (x[0] ^ x[1]) - x[1];
        power |= x[1] & (uint64_t)(x[0] == 0); /* -2^64 */
    }
    return power != 0 ? 65 : all != 0 ? 64 - gfp_clz64(all) : 0;
}

size_t gfp_z_most_bits(const uint64_t *x, size_t len, size_t width)
{
    size_t j = width;
    uint64_t all = 0;
    if (width == 1) {
        return bits_of_words(x, len);
    }
    /* Bits that differ from the sign: those of x or, below 0, of -x - 1. */
    while (j > 0 && all == 0) {
        if (width == 2 && j == 1) {
            return bits_of_pairs(x, len);
        }
        j--;
        for (size_t i = 0; i < len; i++) {
            all |= x[i * width + j] ^ (0 - (x[i * width + width - 1] >> 63));
        }
    }
    const unsigned zeros = all != 0 ? gfp_clz64(all) : 64;
    const uint64_t mask = all != 0 ? UINT64_MAX >> zeros : 0;
    /* Only -2^k has one bit more than its complement. */
    return 64 * j + 64 - zeros + has_power(x, len, width, j, mask);
}

gfp_status gfp_zvec_set_polynomial(gfp_zvec *z, const uint64_t *x, size_t len, size_t width)
{
    const gfp_zvec a = {.ring = z->ring, .limbs = (uint64_t *)x, .len = len, .width = width};
    const size_t n = gfp_zvec_length(&a), least = gfp_z_width(gfp_z_most_bits(x, n, width));
    GFP_TRY(gfp_zvec_reserve(z, n, least));
    for (size_t i = 0; i < n; i++) {
        gfp_z_resize(z->limbs + i * least, least, x + i * width, width);
    }
    return GFP_OK;
}

/* Gives memory back if less than three quarters of it are used, and others can be had. */
static void release_rest(gfp_zvec *z, size_t used)
{
    const gfp_allocator *allocator = &z->ring->allocator;
    uint64_t *fresh = NULL;
    if (used >= z->alloc - z->alloc / 4) {
        return;
    }
    if (used > 0) {
        fresh = gfp_allocate(allocator, used, sizeof *fresh);
        if (fresh == NULL) {
            return;
        }
        memcpy(fresh, z->limbs, used * sizeof *fresh);
    }
    gfp_release(allocator, z->limbs, z->alloc, sizeof *z->limbs);
    z->limbs = fresh;
    z->alloc = used;
}

void gfp_zvec_trim(gfp_zvec *z)
{
    const size_t width = z->width;
    z->len = gfp_zvec_length(z);
    z->width = gfp_z_width(gfp_z_most_bits(z->limbs, z->len, width));
    for (size_t i = 0; i < z->len && z->width < width; i++) {
        memmove(z->limbs + i * z->width, z->limbs + i * width, z->width * sizeof *z->limbs);
    }
    release_rest(z, z->len * z->width);
}

/* ---- questions ---- */

static bool are_equal(const uint64_t *x, size_t width_x, const uint64_t *y, size_t width_y)
{
    const uint64_t sign = gfp_z_negative(x, width_x) ? UINT64_MAX : 0;
    if (width_x > width_y) {
        return are_equal(y, width_y, x, width_x);
    }
    for (size_t j = width_x; j < width_y; j++) {
        if (y[j] != sign) {
            return false;
        }
    }
    return memcmp(x, y, width_x * sizeof *x) == 0 && gfp_z_negative(y, width_y) == (sign != 0);
}

bool gfp_zvec_equal(const gfp_zvec *a, const gfp_zvec *b)
{
    const size_t n = gfp_zvec_length(a);
    bool equal = a->ring == b->ring && n == gfp_zvec_length(b);
    for (size_t i = 0; i < n && equal; i++) {
        size_t width_x, width_y;
        const uint64_t *x = gfp_zvec_entry(a, i, &width_x), *y = gfp_zvec_entry(b, i, &width_y);
        equal = are_equal(x, width_x, y, width_y);
    }
    return equal;
}

size_t gfp_zvec_bits(const gfp_zvec *a)
{
    size_t most = 0, width;
    if (a->width > 0) {
        return gfp_z_most_bits(a->limbs, a->len, a->width);
    }
    for (size_t i = 0; i < a->len; i++) {
        const uint64_t *x = gfp_zvec_get(&width, a, i);
        const size_t bits = width > most / 64 ? gfp_z_bits(x, width) : 0;
        most = bits > most ? bits : most;
    }
    return most;
}

/* |x| <= value 2^*exponent; the value is below 2^129 and at most 2^-49 of it too large. */
static double vec_upper(const uint64_t *x, size_t width, size_t *exponent)
{
    const uint64_t flip = gfp_z_negative(x, width) ? UINT64_MAX : 0;
    size_t n = width;
    while (n > 0 && (x[n - 1] ^ flip) == 0) {
        n--;
    }
    *exponent = n < 2 ? 0 : 64 * (n - 2);
    /* The 1 that ~x lacks of |x|, and the limbs below the top two. */
    const double rest = n > 2 ? 2 : (flip != 0 ? 1 : 0);
    const double low = n >= 2 ? (double)(x[n - 2] ^ flip) : 0;
    const double top = n >= 1 ? (double)(x[n - 1] ^ flip) : 0;
    return ((n >= 2 ? top * 0x1p64 : top) + low + rest) * (1 + 0x1p-50);
}

double gfp_zvec_log2_norm(const gfp_zvec *a)
{
    size_t most = 0, exponent, width;
    double sum = 0;
    for (size_t i = 0; i < a->len; i++) {
        const uint64_t *x = gfp_zvec_entry(a, i, &width);
        (void)vec_upper(x, width, &exponent);
        most = exponent > most ? exponent : most;
    }
    for (size_t i = 0; i < a->len; i++) {
        const uint64_t *x = gfp_zvec_entry(a, i, &width);
        const double value = vec_upper(x, width, &exponent);
        if (most - exponent <= 512) { /* smaller ones are below 2^-300 of the sum */
            const double scaled = most == exponent ? value : ldexp(value, -(int)(most - exponent));
            sum += scaled * scaled;
        }
    }
    /* An addition errs by 2^-53 of the sum at most, and so do the few steps for each term. */
    return sum > 0 ? (double)most + log2(sum) / 2 + 0x1p-40 * (1024 + (double)a->len) : 0;
}

double gfp_z_log2_norm(const uint64_t *x, size_t n, size_t width)
{
    const gfp_zvec a = {.limbs = (uint64_t *)x, .len = n, .width = width};
    return gfp_zvec_log2_norm(&a);
}
