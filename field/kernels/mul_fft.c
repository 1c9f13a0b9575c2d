/* mul_fft.c: the FFT-based general product in the field (the sequel's Alg. 1), for every k and r.
 *
 * Primes q < 2^62 with 2^10 | q - 1. Transforms keep residues in [0, 2q) < 2^63 (Harvey's lazy
 * butterflies with Shoup's constants); pointwise products are Montgomery's.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "field/base/context.h"
#include "field/base/support.h"

static const uint64_t primes[GFP_MUL_FFT_PRIMES] = {
    0x3fffffffffffac01,
    0x3fffffffffffa801,
    0x3fffffffffff0001,
};

/* A constant factor with its Shoup companion. */
typedef struct shoup {
    uint64_t w;
    uint64_t companion;
} shoup;

typedef struct prime_tables {
    uint64_t q;
    uint64_t mont;             /* -1/q mod 2^64 */
    shoup weight[GFP_MAX_K];   /* theta^i, theta of order 2k */
    shoup unweight[GFP_MAX_K]; /* theta^(-i) 2^64 / k: also undoes Montgomery's 2^(-64) */
    shoup root[GFP_MAX_K];     /* root[h + i] = (theta^2)^(i k / 2h), i < h: the stage of half h */
    shoup root_inverse[GFP_MAX_K];
} prime_tables;

struct gfp_mul_fft_tables {
    unsigned count;
    prime_tables prime[GFP_MUL_FFT_PRIMES];
    /* Garner: 1/q0 mod q1, 1/q0 mod q2, 1/q1 mod q2. */
    shoup inverse01;
    shoup inverse02;
    shoup inverse12;
    /* The product of the primes, and its half, as three words. */
    uint64_t product[3];
    uint64_t half[3];
};

static shoup shoup_make(uint64_t w, uint64_t q)
{
    return (shoup){w, gfp_shoup_companion(w, q)};
}

/* Returns x c mod q in [0, q). */
static uint64_t shoup_full(uint64_t x, shoup c, uint64_t q)
{
    uint64_t t = gfp_shoup_mul(x, c.w, c.companion, q);
    return t >= q ? t - q : t;
}

static uint64_t mul_fft_invert(uint64_t x, uint64_t q)
{
    return gfp_mod_pow(x, q - 2, q);
}

/* Returns an element of order 2k: the first a^((q-1)/2k) whose k-th power is -1. */
static uint64_t find_theta(uint64_t q, unsigned k)
{
    for (uint64_t a = 2;; a++) {
        uint64_t theta = gfp_mod_pow(a, (q - 1) / (2 * (uint64_t)k), q);
        if (gfp_mod_pow(theta, k, q) == q - 1) {
            return theta;
        }
    }
}

static void prime_tables_init(prime_tables *t, uint64_t q, unsigned k)
{
    uint64_t theta = find_theta(q, k);
    uint64_t theta_inverse = mul_fft_invert(theta, q);
    /* 2^64 / k mod q. */
    uint64_t scale = gfp_mod_mul((uint64_t)(((gfp_u128)1 << 64) % q), mul_fft_invert(k, q), q);
    t->q = q;
    t->mont = gfp_mont_negative_inverse(q);
    uint64_t power = 1;
    for (unsigned i = 0; i < k; i++) {
        t->weight[i] = shoup_make(power, q);
        t->unweight[i] = shoup_make(scale, q);
        power = gfp_mod_mul(power, theta, q);
        scale = gfp_mod_mul(scale, theta_inverse, q);
    }
    for (unsigned h = 1; h < k; h *= 2) {
        /* The stage of half h joins pairs by the roots of order 2h: theta^(2k/2h). */
        uint64_t step = gfp_mod_pow(theta, k / h, q);
        uint64_t step_inverse = mul_fft_invert(step, q);
        uint64_t w = 1;
        uint64_t w_inverse = 1;
        for (unsigned i = 0; i < h; i++) {
            t->root[h + i] = shoup_make(w, q);
            t->root_inverse[h + i] = shoup_make(w_inverse, q);
            w = gfp_mod_mul(w, step, q);
            w_inverse = gfp_mod_mul(w_inverse, step_inverse, q);
        }
    }
}

/* Whether k r^2 <= (q0 q1 - 1)/2. r^2 is compared first, since k r^2 may reach 2^136. */
static bool two_primes_suffice(unsigned k, uint64_t r)
{
    gfp_u128 limit = (gfp_mul_wide(primes[0], primes[1]) - 1) / 2;
    return gfp_mul_wide(r, r) <= limit / k;
}

gfp_mul_fft_tables *gfp_mul_fft_tables_create(unsigned k, uint64_t r,
                                              const gfp_allocator *allocator)
{
    gfp_mul_fft_tables *t = gfp_allocate(allocator, 1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->count = two_primes_suffice(k, r) ? 2 : 3;
    for (unsigned i = 0; i < t->count; i++) {
        prime_tables_init(&t->prime[i], primes[i], k);
    }
    t->inverse01 = shoup_make(mul_fft_invert(primes[0] % primes[1], primes[1]), primes[1]);
    gfp_u128 product = gfp_mul_wide(primes[0], primes[1]);
    uint64_t third = 1;
    if (t->count == 3) {
        third = primes[2];
        t->inverse02 = shoup_make(mul_fft_invert(primes[0] % third, third), third);
        t->inverse12 = shoup_make(mul_fft_invert(primes[1] % third, third), third);
    }
    gfp_u128 low = gfp_mul_wide((uint64_t)product, third);
    gfp_u128 high = gfp_mul_wide(gfp_hi64(product), third) + gfp_hi64(low);
    t->product[0] = (uint64_t)low;
    t->product[1] = (uint64_t)high;
    t->product[2] = gfp_hi64(high);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t above = i < 2 ? t->product[i + 1] : 0;
        t->half[i] = (t->product[i] >> 1) | (above << 63);
    }
    return t;
}

void gfp_mul_fft_tables_destroy(gfp_mul_fft_tables *tables, const gfp_allocator *allocator)
{
    gfp_release(allocator, tables, 1, sizeof *tables);
}

unsigned gfp_mul_fft_prime_count(const gfp_field *field)
{
    return field->mul_fft->count;
}

/* Decimation in frequency, natural order in, bit-reversed out. All values are in [0, 2q): x + y <
 * 4q < 2^64 takes one subtraction, and x - y + 2q in (0, 4q) goes through Shoup's product. */
static void mul_fft_transform(const prime_tables *t, uint64_t *x, unsigned k)
{
    uint64_t q = t->q;
    uint64_t q2 = 2 * q;
    for (unsigned h = k / 2; h >= 1; h /= 2) {
        for (unsigned start = 0; start < k; start += 2 * h) {
            uint64_t *a = x + start;
            uint64_t *b = a + h;
            for (unsigned i = 0; i < h; i++) {
                uint64_t sum = a[i] + b[i];
                uint64_t difference = a[i] - b[i] + q2;
                shoup c = t->root[h + i];
                a[i] = sum >= q2 ? sum - q2 : sum;
                b[i] = gfp_shoup_mul(difference, c.w, c.companion, q);
            }
        }
    }
}

/* Decimation in time with the inverse roots, bit-reversed in, natural out; k times the inverse. */
static void transform_inverse(const prime_tables *t, uint64_t *x, unsigned k)
{
    uint64_t q = t->q;
    uint64_t q2 = 2 * q;
    for (unsigned h = 1; h < k; h *= 2) {
        for (unsigned start = 0; start < k; start += 2 * h) {
            uint64_t *a = x + start;
            uint64_t *b = a + h;
            for (unsigned i = 0; i < h; i++) {
                shoup c = t->root_inverse[h + i];
                uint64_t u = gfp_shoup_mul(b[i], c.w, c.companion, q);
                uint64_t sum = a[i] + u;
                uint64_t difference = a[i] - u + q2;
                a[i] = sum >= q2 ? sum - q2 : sum;
                b[i] = difference >= q2 ? difference - q2 : difference;
            }
        }
    }
}

/* z_i := x_i theta^i. Digits may reach r >= q: Shoup's product reduces any 64-bit word. */
static void mul_fft_weigh(const prime_tables *t, uint64_t *z, const uint64_t *x, unsigned k)
{
    for (unsigned i = 0; i < k; i++) {
        z[i] = gfp_shoup_mul(x[i], t->weight[i].w, t->weight[i].companion, t->q);
    }
}

void gfp_mul_fft_convolution(const gfp_field *field, gfp_mul_fft_residues *residues,
                             const uint64_t *x, const uint64_t *y)
{
    unsigned k = field->k;
    const gfp_mul_fft_tables *tables = field->mul_fft;
    for (unsigned p = 0; p < tables->count; p++) {
        const prime_tables *t = &tables->prime[p];
        uint64_t *a = residues->prime[p];
        uint64_t b[GFP_MAX_K];
        mul_fft_weigh(t, a, x, k);
        mul_fft_weigh(t, b, y, k);
        mul_fft_transform(t, a, k);
        mul_fft_transform(t, b, k);
        for (unsigned i = 0; i < k; i++) {
            /* Below (2q)^2 / 2^64 + q < 2q since 4q < 2^64. */
            a[i] = gfp_mont_reduce(gfp_mul_wide(a[i], b[i]), t->q, t->mont);
        }
        transform_inverse(t, a, k);
        for (unsigned i = 0; i < k; i++) {
            a[i] = shoup_full(a[i], t->unweight[i], t->q);
        }
    }
}

/* u := low + high q0 (+ top q0 q1), moved to the symmetric range by subtracting the product of the
 * primes. */
static void mul_fft_garner(const gfp_mul_fft_tables *t, const uint64_t digit[3], uint64_t u[3])
{
    gfp_u128 q01 = gfp_mul_wide(primes[0], primes[1]);
    gfp_u128 low = gfp_mul_wide(digit[1], primes[0]) + digit[0]; /* < q0 q1 */
    gfp_u128 p0 = gfp_mul_wide((uint64_t)q01, digit[2]);
    gfp_u128 p1 = gfp_mul_wide(gfp_hi64(q01), digit[2]) + gfp_hi64(p0);
    gfp_u128 sum0 = (gfp_u128)(uint64_t)p0 + (uint64_t)low;
    gfp_u128 sum1 = (gfp_u128)(uint64_t)p1 + gfp_hi64(low) + gfp_hi64(sum0);
    uint64_t top = gfp_hi64(p1) + gfp_hi64(sum1);
    u[0] = (uint64_t)sum0;
    u[1] = (uint64_t)sum1;
    u[2] = top;
    bool negative = top != t->half[2]    ? top > t->half[2]
                    : u[1] != t->half[1] ? u[1] > t->half[1]
                                         : u[0] > t->half[0];
    if (negative) {
        gfp_u128 d0 = (gfp_u128)u[0] - t->product[0];
        uint64_t borrow = gfp_hi64(d0) & 1;
        gfp_u128 d1 = (gfp_u128)u[1] - t->product[1] - borrow;
        borrow = gfp_hi64(d1) & 1;
        u[0] = (uint64_t)d0;
        u[1] = (uint64_t)d1;
        u[2] = top - t->product[2] - borrow;
    }
}

void gfp_mul_fft_crt(const gfp_field *field, gfp_wide_columns *u,
                     const gfp_mul_fft_residues *residues)
{
    const gfp_mul_fft_tables *t = field->mul_fft;
    for (unsigned i = 0; i < field->k; i++) {
        uint64_t digit[3] = {residues->prime[0][i], 0, 0};
        uint64_t q1 = primes[1];
        /* digit[0] < q0 < 2 q1: one subtraction brings it below q1. */
        uint64_t x = digit[0] >= q1 ? digit[0] - q1 : digit[0];
        digit[1] = shoup_full(gfp_mod_sub(residues->prime[1][i], x, q1), t->inverse01, q1);
        if (t->count == 3) {
            uint64_t q2 = primes[2];
            uint64_t x0 = digit[0] >= q2 ? digit[0] - q2 : digit[0];
            uint64_t x1 = digit[1] >= q2 ? digit[1] - q2 : digit[1];
            uint64_t v = shoup_full(gfp_mod_sub(residues->prime[2][i], x0, q2), t->inverse02, q2);
            digit[2] = shoup_full(gfp_mod_sub(v, x1, q2), t->inverse12, q2);
        }
        uint64_t words[3];
        mul_fft_garner(t, digit, words);
        u->u0[i] = words[0];
        u->u1[i] = words[1];
        u->u2[i] = words[2];
    }
}

/* The sequel's LHC step. The offset k r^2 makes u a natural number below 2 k r^2 + 1; the third
 * digit subtracts k again. gfp_split3 needs r >= 2^32; smaller radices have room in 128 bits and
 * divide plainly. */
void gfp_mul_fft_split(const gfp_field *field, gfp_columns *columns, const gfp_wide_columns *u)
{
    gfp_u128 low = gfp_mul_wide(field->r_squared[0], field->k);
    gfp_u128 high = gfp_mul_wide(field->r_squared[1], field->k) + gfp_hi64(low);
    for (unsigned i = 0; i < field->k; i++) {
        gfp_u128 s0 = (gfp_u128)u->u0[i] + (uint64_t)low;
        gfp_u128 s1 = (gfp_u128)u->u1[i] + (uint64_t)high + gfp_hi64(s0);
        uint64_t s2 = u->u2[i] + gfp_hi64(high) + gfp_hi64(s1);
        if (field->r >= GFP_FAST_R_MIN) {
            columns->c[i] = (int64_t)gfp_split3(&field->radix, s2, (uint64_t)s1, (uint64_t)s0,
                                                &columns->l[i], &columns->h[i]);
        } else {
            gfp_u128 value = gfp_join((uint64_t)s1, (uint64_t)s0);
            columns->l[i] = (uint64_t)(value % field->r);
            value /= field->r;
            columns->h[i] = (uint64_t)(value % field->r);
            columns->c[i] = (int64_t)(value / field->r);
        }
        columns->c[i] -= (int64_t)field->k;
    }
}

void gfp_mul_fft(const gfp_field *field, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    gfp_mul_fft_residues residues;
    gfp_wide_columns u;
    gfp_columns columns;
    gfp_mul_fft_convolution(field, &residues, x, y);
    gfp_mul_fft_crt(field, &u, &residues);
    gfp_mul_fft_split(field, &columns, &u);
    field->kernels->normalize(field, z, &columns);
}
