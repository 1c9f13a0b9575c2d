/* interpose.c: the functions of NTL that this library stands in for, under the names that C++ gives
 * them. Each looks whether the product is worth a look, tries to take it, and else calls NTL's own
 * function.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "job.h"
#include "settings.h"
#include "shield.h"

const gfp_preload gfp_preload_self = {"GFPOLY_NTL", "ntls", false};

#pragma GCC visibility push(default)

/* A counter (settings.h), for dlsym and ctypes. */
long gfpoly_ntl_count(const char *name);

void gfp_ntl_mul(gfp_zz_px *x, const gfp_zz_px *a,
                 const gfp_zz_px *b) __asm__("_ZN3NTL3mulERNS_5ZZ_pXERKS0_S3_");
void gfp_ntl_sqr(gfp_zz_px *x, const gfp_zz_px *a) __asm__("_ZN3NTL3sqrERNS_5ZZ_pXERKS0_");
void gfp_ntl_fft_mul(gfp_zz_px *x, const gfp_zz_px *a,
                     const gfp_zz_px *b) __asm__("_ZN3NTL6FFTMulERNS_5ZZ_pXERKS0_S3_");
void gfp_ntl_fft_sqr(gfp_zz_px *x, const gfp_zz_px *a) __asm__("_ZN3NTL6FFTSqrERNS_5ZZ_pXERKS0_");
void gfp_ntl_mul_trunc(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b,
                       long n) __asm__("_ZN3NTL8MulTruncERNS_5ZZ_pXERKS0_S3_l");
void gfp_ntl_sqr_trunc(gfp_zz_px *x, const gfp_zz_px *a,
                       long n) __asm__("_ZN3NTL8SqrTruncERNS_5ZZ_pXERKS0_l");

#pragma GCC visibility pop

/* Shorter factors are NTL's without a look. */
#define LEAST 4

#define CALLER() __builtin_return_address(0)

long gfpoly_ntl_count(const char *name)
{
    return gfp_count_of(name);
}

static bool looks_at(const gfp_host *h, const gfp_zz_px *a, const gfp_zz_px *b, long n)
{
    return !gfp_shield_is_up() && !gfp_settings_get()->off && !gfp_settings_get()->no_mod &&
           gfp_ntl_serves(h) && gfp_ntl_length(a) >= LEAST && gfp_ntl_length(b) >= LEAST &&
           n >= LEAST;
}

/* ---- products that NTL's mul and sqr hand on ---- */

/* The product that was left to NTL's mul or sqr, which is running: these call sqr, FFTMul and
 * FFTSqr with the same arguments, which are not asked about again. */
typedef struct passed {
    const gfp_zz_px *x, *a, *b;
    long len_a, len_b;
} passed;
static _Thread_local passed running;

static void pass(const gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    running = (passed){x, a, b, gfp_ntl_length(a), gfp_ntl_length(b)};
}

static bool was_passed(const gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    return running.x == x && running.a == a && running.b == b &&
           running.len_a == gfp_ntl_length(a) && running.len_b == gfp_ntl_length(b);
}

/* ---- verification ---- */

static void original(gfp_zz_px *x, const gfp_job *job)
{
    const gfp_originals *o = &job->host->original;
    if (job->end != SIZE_MAX) {
        o->mul_trunc(x, job->a, job->b, (long)job->end);
    } else {
        o->mul(x, job->a, job->b);
    }
}

static bool is_equal(const gfp_zz_px *x, const gfp_zz_px *y)
{
    const long n = gfp_ntl_length(x);
    bool same = n == gfp_ntl_length(y);
    for (long i = 0; i < n && same; i++) {
        long m, m_y;
        const uint64_t *a = gfp_ntl_limbs(x->coeffs + i, &m);
        const uint64_t *b = gfp_ntl_limbs(y->coeffs + i, &m_y);
        same = m == m_y && (m == 0 || memcmp(a, b, (size_t)m * sizeof *a) == 0);
    }
    return same;
}

typedef struct scratch {
    const gfp_host *host;
    gfp_zz_px value;
} scratch;

static void destroy(scratch *s)
{
    s->host->destroy(&s->value);
}

/* Takes the product and compares it with NTL's, which is the result in any case. */
static bool take_and_verify(const gfp_job *job)
{
    __attribute__((cleanup(gfp_shield_lower))) gfp_shield shield;
    gfp_shield_raise(&shield);
    __attribute__((cleanup(destroy))) scratch expected = {job->host, {NULL}};
    original(&expected.value, job);
    const bool taken = gfp_take(job);
    if (taken) {
        gfp_count_add(GFP_COUNT_VERIFIED);
    }
    if (taken && !is_equal(&expected.value, job->result)) {
        gfp_count_add(GFP_COUNT_WRONG);
        const gfp_zz_px wrong = *job->result;
        *job->result = expected.value;
        expected.value = wrong;
    }
    return taken;
}

/* end: SIZE_MAX for all coefficients. */
static bool take(const gfp_host *h, gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b,
                 size_t end)
{
    const gfp_job job = {h, x, a, b, end};
    return gfp_settings_get()->verify ? take_and_verify(&job) : gfp_take(&job);
}

/* ---- the functions ---- */

void gfp_ntl_mul(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at(h, a, b, LEAST)) {
        if (take(h, x, a, b, SIZE_MAX)) {
            return;
        }
        pass(x, a, b);
    }
    h->original.mul(x, a, b);
    running = (passed){0};
}

void gfp_ntl_sqr(gfp_zz_px *x, const gfp_zz_px *a)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const bool asks = looks_at(h, a, a, LEAST) && !was_passed(x, a, a);
    if (asks) {
        if (take(h, x, a, a, SIZE_MAX)) {
            return;
        }
        pass(x, a, a);
    }
    h->original.sqr(x, a);
    if (asks) { /* else mul is running */
        running = (passed){0};
    }
}

void gfp_ntl_fft_mul(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at(h, a, b, LEAST) && !was_passed(x, a, b) && take(h, x, a, b, SIZE_MAX)) {
        return;
    }
    h->original.fft_mul(x, a, b);
}

void gfp_ntl_fft_sqr(gfp_zz_px *x, const gfp_zz_px *a)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at(h, a, a, LEAST) && !was_passed(x, a, a) && take(h, x, a, a, SIZE_MAX)) {
        return;
    }
    h->original.fft_sqr(x, a);
}

void gfp_ntl_mul_trunc(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b, long n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!looks_at(h, a, b, n) || !take(h, x, a, b, (size_t)n)) {
        h->original.mul_trunc(x, a, b, n);
    }
}

void gfp_ntl_sqr_trunc(gfp_zz_px *x, const gfp_zz_px *a, long n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!looks_at(h, a, a, n) || !take(h, x, a, a, (size_t)n)) {
        h->original.sqr_trunc(x, a, n);
    }
}
