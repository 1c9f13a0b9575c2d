/* short.c: tables of short.h, and its kernels in plain C.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/short.h"

#include <string.h>

bool gfp_short_size_for(gfp_native_size *size, const gfp_native_engine *engine, size_t len)
{
    unsigned log2_n = engine->least_log2_n;
    const unsigned most = engine->least_log2_n + GFP_NTT48_LOG2_ORDER;
    while (log2_n < most && (size_t)1 << log2_n < len) {
        log2_n++;
    }
    const bool three = log2_n >= engine->least_log2_n + 2 && len <= (size_t)3 << (log2_n - 2);
    *size = (gfp_native_size){log2_n, three};
    return len <= gfp_native_points(*size);
}

/* ---- tables ---- */

/* The greatest primes = 1 mod 2^22 below 2^48 (test: native). */
static const uint64_t greatest[GFP_SHORT_PRIMES] = {
    UINT64_C(0xfffff8400001), UINT64_C(0xfffff3400001), UINT64_C(0xffffe3800001),
    UINT64_C(0xffffdbc00001), UINT64_C(0xffffd9800001), UINT64_C(0xffffd8000001)};

static uint64_t short_inverse(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x % q, q - 2, q);
}

/* The factors of digit j. */
static void fill_factors(gfp_short_primes *primes, unsigned j, const gfp_native_engine *engine)
{
    const uint64_t q = primes->prime[j].prime.q;
    uint64_t below = 1; /* 1 / (q_i ... q_(j-1)) */
    for (unsigned i = j; i-- > 0;) {
        below = gfp_mod_mul(below, short_inverse(primes->prime[i].prime.q, q), q);
        primes->factor[j][i] = gfp_ntt48_root_of(gfp_mod_sub(0, below, q), q);
    }
    uint64_t own = gfp_mod_mul(below, gfp_mod_pow(2, engine->log2_montgomery, q), q);
    for (unsigned h = 0; h < GFP_SHORT_HALVINGS; h++) {
        primes->own[j][h] = gfp_ntt48_root_of(own, q);
        own = gfp_mod_mul(own, (q + 1) / 2, q);
    }
}

void gfp_short_primes_fill(gfp_short_primes *primes, const gfp_native_engine *engine)
{
    uint64_t product[GFP_SHORT_PRIMES] = {1};
    memset(primes, 0, sizeof *primes);
    for (unsigned j = 0; j < GFP_SHORT_PRIMES; j++) {
        const uint64_t q = greatest[j];
        gfp_native_prime_fill(&primes->prime[j], q, GFP_NTT48_LOG2_ORDER);
        fill_factors(primes, j, engine);
        const uint64_t second = gfp_mod_pow(2, GFP_NATIVE_BITS, q);
        const uint64_t third = gfp_mod_mul(second, second, q);
        primes->second[j] = gfp_ntt48_root_of(second, q);
        primes->third[j] = gfp_ntt48_root_of(third, q);
        primes->bias[j] =
            gfp_mod_sub(0, gfp_mod_mul(third, (uint64_t)1 << (GFP_NATIVE_BITS - 2), q), q);
        gfp_u128 carry = 0;
        for (unsigned i = 0; i < GFP_SHORT_PRIMES; i++) { /* product := product q */
            carry += gfp_mul_wide(product[i], q);
            product[i] = (uint64_t)carry & GFP_NATIVE_PIECE_MASK;
            carry >>= GFP_NATIVE_PIECE_BITS;
        }
        memcpy(primes->product[j], product, sizeof product);
    }
}

/* ---- plain C ---- */

static uint64_t residue_of_word(uint64_t x, uint64_t q)
{
    /* x + 2^63 is not negative; 2^63 = 2^15 delta modulo q, and is below q. */
    const uint64_t delta = ((uint64_t)1 << GFP_NATIVE_BITS) - q, word = x ^ (uint64_t)1 << 63;
    const uint64_t low = word & (((uint64_t)1 << GFP_NATIVE_BITS) - 1);
    return (low + (word >> GFP_NATIVE_BITS) * delta + q - (delta << 15)) % q;
}

static void short_project(const gfp_short_primes *primes, unsigned j, uint64_t *z,
                          const uint64_t *x, size_t width, size_t len, size_t points)
{
    const uint64_t q = primes->prime[j].prime.q;
    for (size_t i = 0; i < len; i++, x += width) {
        if (width == 1) {
            z[i] = residue_of_word(x[0], q);
            continue;
        }
        const uint64_t low = x[0] & (((uint64_t)1 << GFP_NATIVE_BITS) - 1);
        z[i] = (low + gfp_mod_mul(gfp_short_second(x), primes->second[j].w, q) +
                gfp_mod_mul(gfp_short_third(x, width), primes->third[j].w, q) + primes->bias[j]) %
               q;
    }
    memset(z + len, 0, (points - len) * sizeof *z);
}

static void short_recombine(const gfp_short_crt *crt, uint64_t *c, size_t width, const uint64_t *x,
                            size_t step, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++, c += width) {
        uint64_t v[GFP_SHORT_PRIMES];
        for (unsigned j = 0; j < crt->count; j++) {
            const uint64_t q = crt->primes->prime[j].prime.q;
            v[j] = gfp_mod_mul(x[j * step + i], crt->primes->own[j][crt->halvings].w, q);
            for (unsigned l = 0; l < j; l++) {
                v[j] = (v[j] + gfp_mod_mul(v[l], crt->primes->factor[j][l].w, q)) % q;
            }
        }
        gfp_short_put(c, width, crt, v);
    }
}

const gfp_short_kernels gfp_short_portable = {&gfp_native_portable, short_project, short_recombine};

const gfp_short_kernels *gfp_short_kernels_get(gfp_level level)
{
    static const gfp_short_kernels *const rows[GFP_LEVEL_COUNT] =
        GFP_LEVEL_ROWS(&gfp_short_portable, &gfp_short_portable, &gfp_short_portable,
                       &gfp_short_avx512, &gfp_short_portable);
    return rows[level];
}
