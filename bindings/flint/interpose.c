/* interpose.c: see interpose.h. Each function looks whether the product is worth a look, tries to
 * take it, and else calls FLINT's own function.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "interpose.h"

#include <string.h>

#include "frame.h"
#include "job.h"
#include "settings.h"

const gfp_preload gfp_preload_self = {"GFPOLY_FLINT", "flints", true, false};

long gfpoly_flint_count(const char *name)
{
    return gfp_count_of(name);
}

/* Shorter factors are FLINT's without a look. */
#define LEAST_MOD 4
#define LEAST_Z 16

#define CALLER() __builtin_return_address(0)

/* FLINT's own product, for the comparison, may call the functions below. */
static _Thread_local gfp_frame_slot verifying;

static bool is_verifying(void)
{
    return gfp_settings_get()->verify && gfp_frame_stands(&verifying);
}

/* Short factors of words are FLINT's by one look at a coefficient of each: FLINT takes some tenths
 * of a microsecond, and a longer look would show there. */
#define MOST_OF_WORDS 64

static bool is_word(const gfp_host *h, const gfp_fmpz *x)
{
    const gfp_slong bits = h->max_bits(x, 1);
    return bits >= -62 && bits <= 62;
}

static bool has_words(const gfp_job *job)
{
    const gfp_host *h = job->host;
    return (job->len_a < MOST_OF_WORDS || job->len_b < MOST_OF_WORDS) &&
           is_word(h, job->a + job->len_a / 2) && is_word(h, job->b + job->len_b / 2);
}

static bool looks_at_mod(const gfp_host *h, gfp_slong a, gfp_slong b, gfp_slong n)
{
    return a >= LEAST_MOD && b >= LEAST_MOD && n >= LEAST_MOD && h->serves && !is_verifying() &&
           !gfp_settings_get()->off && !gfp_settings_get()->no_mod;
}

static bool looks_at_z(const gfp_host *h, gfp_slong a, gfp_slong b, gfp_slong n)
{
    return a >= LEAST_Z && b >= LEAST_Z && n >= LEAST_Z && h->serves && !is_verifying() &&
           !gfp_settings_get()->off && !gfp_settings_get()->no_z;
}

/* ---- verification ---- */

/* The same product by FLINT's own function. */
typedef void original(gfp_fmpz *result, const gfp_job *job);

static void original_mod(gfp_fmpz *result, const gfp_job *job)
{
    const gfp_originals *o = &job->host->original;
    const gfp_slong len_a = (gfp_slong)job->len_a, len_b = (gfp_slong)job->len_b;
    const gfp_slong first = (gfp_slong)job->first, end = (gfp_slong)job->end;
    if (first == 0 && end == len_a + len_b - 1 && len_a < len_b) {
        o->mod_mul(result, job->b, len_b, job->a, len_a, job->modulus);
    } else if (first == 0 && end == len_a + len_b - 1) {
        o->mod_mul(result, job->a, len_a, job->b, len_b, job->modulus);
    } else if (first == 0 && job->host->contexts) {
        o->mod_mullow(result, job->a, len_a, job->b, len_b, (uintptr_t)end,
                      (uintptr_t)job->modulus);
    } else if (first == 0) {
        o->mod_mullow(result, job->a, len_a, job->b, len_b, (uintptr_t)job->modulus,
                      (uintptr_t)end);
    } else {
        o->mod_mulmid(result, job->a, len_a, job->b, len_b, first, end, job->modulus);
    }
}

static void original_z(gfp_fmpz *result, const gfp_job *job)
{
    const gfp_originals *o = &job->host->original;
    const gfp_slong len_a = (gfp_slong)job->len_a, len_b = (gfp_slong)job->len_b;
    if (job->end == job->len_a + job->len_b - 1) {
        o->mul(result, job->a, len_a, job->b, len_b);
    } else {
        o->mullow(result, job->a, len_a, job->b, len_b, (gfp_slong)job->end);
    }
}

/* Takes the product and compares it with FLINT's, which is the result in any case. The result may
 * be a factor. */
static bool take_and_verify(const gfp_job *job, bool (*take)(const gfp_job *), original *compute)
{
    const gfp_slong n = (gfp_slong)(job->end - job->first);
    gfp_frame frame;
    gfp_fmpz *expected = job->host->vec_init(n);
    gfp_frame_begin(&verifying, &frame);
    compute(expected, job);
    gfp_frame_end(&verifying, &frame);
    const bool taken = take(job);
    if (taken) {
        gfp_count_add(GFP_COUNT_VERIFIED);
    }
    if (taken && job->host->vec_equal(expected, job->result, n) == 0) {
        gfp_count_add(GFP_COUNT_WRONG);
        job->host->vec_swap(expected, job->result, n);
    }
    job->host->vec_clear(expected, n);
    return taken;
}

static bool take_mod(const gfp_job *job)
{
    if (has_words(job)) {
        return false;
    }
    return gfp_settings_get()->verify ? take_and_verify(job, gfp_take_mod, original_mod)
                                      : gfp_take_mod(job);
}

static bool take_z(const gfp_job *job)
{
    if (has_words(job)) {
        return false;
    }
    return gfp_settings_get()->verify ? take_and_verify(job, gfp_take_z, original_z)
                                      : gfp_take_z(job);
}

static gfp_job job_of(const gfp_host *h, gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a,
                      const gfp_fmpz *b, gfp_slong len_b)
{
    return (gfp_job){.host = h,
                     .result = result,
                     .a = a,
                     .b = b,
                     .len_a = (size_t)len_a,
                     .len_b = (size_t)len_b,
                     .end = (size_t)len_a + (size_t)len_b - 1};
}

/* ---- modulo p, arrays ---- */

/* The factors of the product that was left to FLINT's function on polynomials, which calls the one
 * on arrays: it is not asked about again. */
static _Thread_local struct passed {
    const gfp_fmpz *a, *b;
} passed;

static bool was_passed(const gfp_fmpz *a, const gfp_fmpz *b)
{
    const bool same = (passed.a == a && passed.b == b) || (passed.a == b && passed.b == a);
    passed = same ? (struct passed){NULL, NULL} : passed;
    return same;
}

/* modulus: the last argument of FLINT's function. */
static void set_modulus(gfp_job *job, const void *modulus)
{
    job->modulus = modulus;
    job->p = job->host->contexts ? job->host->modulus(modulus) : modulus;
}

void _fmpz_mod_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                        gfp_slong len_b, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!was_passed(a, b) && looks_at_mod(h, len_a, len_b, len_a)) {
        gfp_job job = job_of(h, result, a, len_a, b, len_b);
        set_modulus(&job, modulus);
        if (take_mod(&job)) {
            return;
        }
    }
    h->original.mod_mul(result, a, len_a, b, len_b, modulus);
}

void _fmpz_mod_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!was_passed(a, a) && looks_at_mod(h, len, len, len)) {
        gfp_job job = job_of(h, result, a, len, a, len);
        set_modulus(&job, modulus);
        if (take_mod(&job)) {
            return;
        }
    }
    h->original.mod_sqr(result, a, len, modulus);
}

void _fmpz_mod_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, uintptr_t sixth, uintptr_t seventh)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_slong n = (gfp_slong)(h->contexts ? sixth : seventh);
    if (!was_passed(a, b) && looks_at_mod(h, len_a, len_b, n)) {
        gfp_job job = job_of(h, result, a, len_a, b, len_b);
        const uintptr_t argument = h->contexts ? seventh : sixth;
        const void *modulus = NULL;
        memcpy(&modulus, &argument, sizeof modulus);
        set_modulus(&job, modulus);
        job.end = (size_t)n;
        if (take_mod(&job)) {
            return;
        }
    }
    h->original.mod_mullow(result, a, len_a, b, len_b, sixth, seventh);
}

void _fmpz_mod_poly_mulmid(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, gfp_slong from, gfp_slong to, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!was_passed(a, b) && looks_at_mod(h, len_a, len_b, to - from) && from >= 0) {
        gfp_job job = job_of(h, result, a, len_a, b, len_b);
        set_modulus(&job, modulus);
        job.first = (size_t)from;
        job.end = (size_t)to;
        if (take_mod(&job)) {
            return;
        }
    }
    h->original.mod_mulmid(result, a, len_a, b, len_b, from, to, modulus);
}

/* ---- modulo p, polynomials ---- */

/* Takes coefficients from <= i < to of a b, which the product has, and gives them to the result. */
static bool take_range(const gfp_host *h, gfp_mod_poly *result, const gfp_mod_poly *a,
                       const gfp_mod_poly *b, const gfp_slong range[2], const void *context)
{
    const gfp_slong n = range[1] - range[0];
    if (result->alloc < n) {
        h->fit_length(result, n); /* may move a factor */
    }
    gfp_job job = job_of(h, result->coeffs, a->coeffs, a->length, b->coeffs, b->length);
    job.p = h->modulus(context);
    job.modulus = h->contexts ? context : (const void *)job.p;
    job.first = (size_t)range[0];
    job.end = (size_t)range[1];
    if (!take_mod(&job)) {
        return false;
    }
    h->set_length(result, n);
    h->normalise(result);
    return true;
}

static bool take_polynomial(const gfp_host *h, gfp_mod_poly *result, const gfp_mod_poly *a,
                            const gfp_mod_poly *b, const gfp_slong range[2], const void *context)
{
    if (range[0] < 0 || !looks_at_mod(h, a->length, b->length, range[1] - range[0])) {
        return false;
    }
    const bool taken = take_range(h, result, a, b, range, context);
    if (!taken) {
        passed = (struct passed){a->coeffs, b->coeffs};
    }
    return taken;
}

/* The end of the product, or n if that is less. */
static gfp_slong end_of(const gfp_mod_poly *a, const gfp_mod_poly *b, gfp_slong n)
{
    const gfp_slong end = a->length + b->length - 1;
    return n < end ? n : end;
}

void fmpz_mod_poly_mul(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                       const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_slong range[] = {0, end_of(a, b, INTPTR_MAX)};
    if (!take_polynomial(h, result, a, b, range, context)) {
        h->original.poly_mul(result, a, b, context);
    }
}

void fmpz_mod_poly_sqr(gfp_mod_poly *result, const gfp_mod_poly *a, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_slong range[] = {0, end_of(a, a, INTPTR_MAX)};
    if (!take_polynomial(h, result, a, a, range, context)) {
        h->original.poly_sqr(result, a, context);
    }
}

void fmpz_mod_poly_mullow(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong n, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_slong range[] = {0, end_of(a, b, n)};
    if (!take_polynomial(h, result, a, b, range, context)) {
        h->original.poly_mullow(result, a, b, n, context);
    }
}

void fmpz_mod_poly_mulmid(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong from, gfp_slong to, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    const gfp_slong range[] = {from, end_of(a, b, to)};
    if (!take_polynomial(h, result, a, b, range, context)) {
        h->original.poly_mulmid(result, a, b, from, to, context);
    }
}

/* ---- over Z ---- */

void _fmpz_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                    gfp_slong len_b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at_z(h, len_a, len_b, len_a)) {
        const gfp_job job = job_of(h, result, a, len_a, b, len_b);
        if (take_z(&job)) {
            return;
        }
    }
    h->original.mul(result, a, len_a, b, len_b);
}

void _fmpz_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at_z(h, len, len, len)) {
        const gfp_job job = job_of(h, result, a, len, a, len);
        if (take_z(&job)) {
            return;
        }
    }
    h->original.sqr(result, a, len);
}

void _fmpz_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                       gfp_slong len_b, gfp_slong n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at_z(h, len_a, len_b, n)) {
        gfp_job job = job_of(h, result, a, len_a, b, len_b);
        job.end = (size_t)n;
        if (take_z(&job)) {
            return;
        }
    }
    h->original.mullow(result, a, len_a, b, len_b, n);
}

void _fmpz_poly_sqrlow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, gfp_slong n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (looks_at_z(h, len, len, n)) {
        gfp_job job = job_of(h, result, a, len, a, len);
        job.end = (size_t)n;
        if (take_z(&job)) {
            return;
        }
    }
    h->original.sqrlow(result, a, len, n);
}
