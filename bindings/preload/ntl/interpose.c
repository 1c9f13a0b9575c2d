/* interpose.c: the functions of NTL that this library stands in for, under the names that C++ gives
 * them. Each checks whether the computation is long enough, tries to take it, and else calls NTL's
 * own function.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "bindings/preload/frame.h"
#include "bindings/preload/ntl/job.h"
#include "bindings/preload/settings.h"

const gfp_preload gfp_preload_self = {"GFPOLY_NTL", "ntls", false, true};

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
void gfp_ntl_div_rem(gfp_zz_px *q, gfp_zz_px *r, const gfp_zz_px *a,
                     const gfp_zz_px *b) __asm__("_ZN3NTL6DivRemERNS_5ZZ_pXES1_RKS0_S3_");
void gfp_ntl_div(gfp_zz_px *q, const gfp_zz_px *a,
                 const gfp_zz_px *b) __asm__("_ZN3NTL3divERNS_5ZZ_pXERKS0_S3_");
void gfp_ntl_rem(gfp_zz_px *r, const gfp_zz_px *a,
                 const gfp_zz_px *b) __asm__("_ZN3NTL3remERNS_5ZZ_pXERKS0_S3_");
void gfp_ntl_gcd(gfp_zz_px *d, const gfp_zz_px *a,
                 const gfp_zz_px *b) __asm__("_ZN3NTL3GCDERNS_5ZZ_pXERKS0_S3_");
void gfp_ntl_xgcd(gfp_zz_px *d, gfp_zz_px *s, gfp_zz_px *t, const gfp_zz_px *a,
                  const gfp_zz_px *b) __asm__("_ZN3NTL4XGCDERNS_5ZZ_pXES1_S1_RKS0_S3_");

#pragma GCC visibility pop

#define CALLER() __builtin_return_address(0)

long gfpoly_ntl_count(const char *name)
{
    return gfp_count_of(name);
}

/* NTL's own function, for the comparison, may call the functions below. */
static _Thread_local gfp_frame_slot verifying;

static void end_original(gfp_frame *frame)
{
    gfp_frame_end(&verifying, frame);
}

static void call_original(gfp_zz_px *const *x, const gfp_job *job)
{
    __attribute__((cleanup(end_original))) gfp_frame frame;
    gfp_frame_begin(&verifying, &frame);
    job->row->original(x, job);
}

static bool is_verifying(void)
{
    return gfp_settings_get()->verify && gfp_frame_stands(&verifying);
}

static bool may_take(const gfp_host *h)
{
    return !gfp_settings_get()->off && !gfp_settings_get()->no_mod && !is_verifying() &&
           gfp_ntl_serves(h);
}

/* Shorter computations, by the lengths and by two coefficients of each factor, or by p, are NTL's:
 * NTL takes less time than the choice and a call of this library. A step is a product of
 * limbs; NTL takes as long as some steps for each product of coefficients. */
#define LEAST_TERMS 4
#define LEAST_STEPS 1000
#define MORE_STEPS 3
#define LEAST_GCD_LIMBS 32

/* Of the middle and the highest coefficient. */
static inline size_t sample_limbs(const gfp_zz_px *x, size_t len)
{
    long middle, last;
    (void)gfp_ntl_limbs(x->coeffs + len / 2, &middle);
    (void)gfp_ntl_limbs(x->coeffs + len - 1, &last);
    return (size_t)(middle > last ? middle : last);
}

/* Coefficients are read only from an NTL whose layout is known. */
static inline bool is_long(const gfp_host *h, const gfp_zz_px *a, const gfp_zz_px *b, long n)
{
    const size_t x = (size_t)gfp_ntl_length(a), y = (size_t)gfp_ntl_length(b), most = LEAST_STEPS;
    if (x < LEAST_TERMS || y < LEAST_TERMS || n < LEAST_TERMS) {
        return false;
    }
    return x >= most || y >= most || x * y >= most ||
           (gfp_ntl_serves(h) &&
            x * y * (MORE_STEPS + sample_limbs(a, x) * sample_limbs(b, y)) >= most);
}

static double modulus_limbs(const gfp_host *h)
{
    long limbs = 0;
    const gfp_zz *p = gfp_ntl_modulus(h);
    if (p != NULL) {
        (void)gfp_ntl_limbs(p, &limbs);
    }
    return (double)limbs;
}

static bool may_take_division(const gfp_host *h, const gfp_zz_px *a, const gfp_zz_px *b,
                              bool remainder)
{
    const double n = (double)gfp_ntl_length(b) - 1;
    const double c = (double)gfp_ntl_length(a) - n;
    if (c < 1 || n + 1 < LEAST_TERMS || c + n < LEAST_TERMS || !may_take(h)) {
        return false;
    }
    const double steps = remainder ? n * c + 2 * (n + c) : c * (n < c ? n : c) / 2 + 2 * c;
    return steps * modulus_limbs(h) >= LEAST_STEPS;
}

static bool may_take_gcd(const gfp_host *h, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const long x = gfp_ntl_length(a), y = gfp_ntl_length(b), shorter = x < y ? x : y;
    return shorter >= LEAST_TERMS && may_take(h) &&
           (double)shorter * modulus_limbs(h) >= LEAST_GCD_LIMBS;
}

/* ---- products that NTL's mul and sqr hand on ---- */

/* The product that was left to NTL's mul or sqr, which is running: these call sqr, FFTMul and
 * FFTSqr with the same arguments, which are not asked about again. */
typedef struct forwarded {
    gfp_frame frame; /* first */
    const gfp_zz_px *x, *a, *b;
    long len_a, len_b;
} forwarded;
static _Thread_local gfp_frame_slot running;

static void begin_forwarded(forwarded *record, const gfp_zz_px *x, const gfp_zz_px *a,
                            const gfp_zz_px *b)
{
    record->x = x;
    record->a = a;
    record->b = b;
    record->len_a = gfp_ntl_length(a);
    record->len_b = gfp_ntl_length(b);
    gfp_frame_begin(&running, &record->frame);
}

static bool was_forwarded(const gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    if (!gfp_frame_stands(&running)) {
        return false;
    }
    const forwarded *p = (const forwarded *)(const void *)running;
    return p->x == x && p->a == a && p->b == b && p->len_a == gfp_ntl_length(a) &&
           p->len_b == gfp_ntl_length(b);
}

static void end_forwarded(forwarded *record)
{
    gfp_frame_end(&running, &record->frame);
}

/* ---- verification ---- */

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
    gfp_zz_px value[GFP_JOB_RESULTS];
} scratch;

static void interpose_destroy(scratch *s)
{
    for (size_t i = 0; i < GFP_JOB_RESULTS; i++) {
        s->host->destroy(&s->value[i]);
    }
}

/* Exchanges results that differ from what is expected; returns whether there were any. */
static bool interpose_correct(const gfp_job *job, scratch *expected)
{
    bool differ = false;
    for (size_t i = 0; i < job->row->results; i++) {
        differ = differ || !is_equal(&expected->value[i], job->result[i]);
    }
    for (size_t i = 0; i < job->row->results && differ; i++) {
        const gfp_zz_px wrong = *job->result[i];
        *job->result[i] = expected->value[i];
        expected->value[i] = wrong;
    }
    return differ;
}

/* Takes the job and compares the results with NTL's, which are the results in any case. */
static bool take_and_verify(const gfp_job *job)
{
    __attribute__((cleanup(interpose_destroy))) scratch expected = {.host = job->host};
    gfp_zz_px *const x[] = {&expected.value[0], &expected.value[1], &expected.value[2]};
    call_original(x, job);
    const bool taken = job->row->take(job);
    if (taken) {
        gfp_count_add(GFP_COUNT_VERIFIED);
    }
    if (taken && interpose_correct(job, &expected)) {
        gfp_count_add(GFP_COUNT_WRONG);
    }
    return taken;
}

static bool take_job(const gfp_job *job)
{
    return gfp_settings_get()->verify ? take_and_verify(job) : job->row->take(job);
}

/* A product. end: SIZE_MAX for all coefficients. */
static bool interpose_take(const gfp_host *h, gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b,
                           size_t end)
{
    const gfp_job job = {h, &gfp_job_product, {x}, a, b, end, NULL};
    return take_job(&job);
}

/* ---- products ---- */

void gfp_ntl_mul(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    __attribute__((cleanup(end_forwarded))) forwarded record;
    if (is_long(h, a, b, LEAST_TERMS) && may_take(h)) {
        if (interpose_take(h, x, a, b, SIZE_MAX)) {
            return;
        }
        begin_forwarded(&record, x, a, b);
    }
    h->original.mul(x, a, b);
}

void gfp_ntl_sqr(gfp_zz_px *x, const gfp_zz_px *a)
{
    const gfp_host *h = gfp_host_of(CALLER());
    __attribute__((cleanup(end_forwarded))) forwarded record;
    if (is_long(h, a, a, LEAST_TERMS) && may_take(h) && !was_forwarded(x, a, a)) {
        if (interpose_take(h, x, a, a, SIZE_MAX)) {
            return;
        }
        begin_forwarded(&record, x, a, a);
    }
    h->original.sqr(x, a);
}

void gfp_ntl_fft_mul(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, a, b, LEAST_TERMS) && may_take(h) && !was_forwarded(x, a, b) &&
        interpose_take(h, x, a, b, SIZE_MAX)) {
        return;
    }
    h->original.fft_mul(x, a, b);
}

void gfp_ntl_fft_sqr(gfp_zz_px *x, const gfp_zz_px *a)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, a, a, LEAST_TERMS) && may_take(h) && !was_forwarded(x, a, a) &&
        interpose_take(h, x, a, a, SIZE_MAX)) {
        return;
    }
    h->original.fft_sqr(x, a);
}

void gfp_ntl_mul_trunc(gfp_zz_px *x, const gfp_zz_px *a, const gfp_zz_px *b, long n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!is_long(h, a, b, n) || !may_take(h) || !interpose_take(h, x, a, b, (size_t)n)) {
        h->original.mul_trunc(x, a, b, n);
    }
}

void gfp_ntl_sqr_trunc(gfp_zz_px *x, const gfp_zz_px *a, long n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!is_long(h, a, a, n) || !may_take(h) || !interpose_take(h, x, a, a, (size_t)n)) {
        h->original.sqr_trunc(x, a, n);
    }
}

/* ---- divisions and greatest common divisors ---- */

void gfp_ntl_div_rem(gfp_zz_px *q, gfp_zz_px *r, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_job job = {h, &gfp_job_div_rem, {q, r}, a, b, SIZE_MAX, NULL};
    if (q == r || !may_take_division(h, a, b, true) || !take_job(&job)) {
        h->original.div_rem(q, r, a, b);
    }
}

void gfp_ntl_div(gfp_zz_px *q, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_job job = {h, &gfp_job_div, {q}, a, b, SIZE_MAX, NULL};
    if (!may_take_division(h, a, b, false) || !take_job(&job)) {
        h->original.div(q, a, b);
    }
}

void gfp_ntl_rem(gfp_zz_px *r, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_job job = {h, &gfp_job_rem, {r}, a, b, SIZE_MAX, NULL};
    if (!may_take_division(h, a, b, true) || !take_job(&job)) {
        h->original.rem(r, a, b);
    }
}

void gfp_ntl_gcd(gfp_zz_px *d, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_job job = {h, &gfp_job_gcd, {d}, a, b, SIZE_MAX, NULL};
    if (!may_take_gcd(h, a, b) || !take_job(&job)) {
        h->original.gcd(d, a, b);
    }
}

void gfp_ntl_xgcd(gfp_zz_px *d, gfp_zz_px *s, gfp_zz_px *t, const gfp_zz_px *a, const gfp_zz_px *b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_job job = {h, &gfp_job_xgcd, {d, s, t}, a, b, SIZE_MAX, NULL};
    if (d == s || d == t || s == t || !may_take_gcd(h, a, b) || !take_job(&job)) {
        h->original.xgcd(d, s, t, a, b);
    }
}
