/* interpose.c: see interpose.h. Each function looks whether the product is worth a look, tries to
 * take it, and else calls FLINT's own function.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/flint/interpose.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/preload/frame.h"
#include "bindings/preload/flint/job.h"
#include "bindings/preload/settings.h"
#include "field/base/support.h"
#include "field/base/word.h"

const gfp_preload gfp_preload_self = {"GFPOLY_FLINT", "flints", true, false};

long gfpoly_flint_count(const char *name)
{
    return gfp_count_of(name);
}

#define CALLER() __builtin_return_address(0)

/* FLINT's own product, for the comparison, may call the functions below. */
static _Thread_local gfp_frame_slot verifying;

static bool is_verifying(void)
{
    return gfp_settings_get()->verify && gfp_frame_stands(&verifying);
}

/* A shorter product is FLINT's by one look at the lengths and at two coefficients of each factor:
 * FLINT takes less than a longer look and a call of this library. A step is a product of limbs. */
typedef struct least {
    size_t terms, steps;
} least;
static const least least_mod = {4, 1000}, least_z = {16, 4000};

static inline size_t limbs_of(gfp_fmpz x)
{
    const __mpz_struct *number = gfp_fmpz_number(x);
    return number == NULL ? 1 : (size_t)abs(number->_mp_size);
}

/* Of the middle and the highest coefficient. */
static inline size_t sample_limbs(const gfp_fmpz *x, size_t len)
{
    const size_t middle = limbs_of(x[len / 2]), last = limbs_of(x[len - 1]);
    return middle > last ? middle : last;
}

/* n: the coefficients that are asked for. */
static inline bool is_long(const gfp_host *h, const least *l, const gfp_fmpz *a, gfp_slong len_a,
                           const gfp_fmpz *b, gfp_slong len_b, gfp_slong n)
{
    const gfp_slong terms = (gfp_slong)l->terms;
    if (len_a < terms || len_b < terms || n < terms || !h->serves) {
        return false;
    }
    const size_t x = (size_t)len_a, y = (size_t)len_b, most = l->steps;
    return x >= most || y >= most || x * y >= most ||
           x * y * gfp_size_min(sample_limbs(a, x), most) * sample_limbs(b, y) >= most;
}

static bool looks_at_mod(void)
{
    return !gfp_settings_get()->off && !gfp_settings_get()->no_mod && !is_verifying();
}

static bool looks_at_z(void)
{
    return !gfp_settings_get()->off && !gfp_settings_get()->no_z && !is_verifying();
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

static size_t sample_bits(const gfp_fmpz *x, size_t len)
{
    const gfp_fmpz sample[] = {x[len / 2], x[len - 1]};
    return gfp_flint_bits(sample, 2, LONG_MAX);
}

/* Whether the product needs no reduction modulo p, by the samples: then FLINT computes the product
 * over Z, and asks for that product below. */
static bool is_short(const gfp_job *job)
{
    const size_t len = gfp_size_min(job->len_a, job->len_b);
    return sample_bits(job->a, job->len_a) + sample_bits(job->b, job->len_b) + gfp_log2_above(len) <
           gfp_flint_bits(job->p, 1, 1);
}

__attribute__((noinline)) static bool take_mod(gfp_job copy)
{
    const gfp_job *job = &copy;
    if (is_short(job)) {
        return false;
    }
    return gfp_settings_get()->verify ? take_and_verify(job, gfp_take_mod, original_mod)
                                      : gfp_take_mod(job);
}

__attribute__((noinline)) static bool take_z(gfp_job copy)
{
    const gfp_job *job = &copy;
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
static gfp_job with_modulus(gfp_job job, const void *modulus)
{
    job.modulus = modulus;
    job.p = job.host->contexts ? job.host->modulus(modulus) : modulus;
    return job;
}

static const void *pointer_of(uintptr_t argument)
{
    const void *pointer = NULL;
    memcpy(&pointer, &argument, sizeof pointer);
    return pointer;
}

void _fmpz_mod_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                        gfp_slong len_b, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_mod, a, len_a, b, len_b, len_a) && looks_at_mod() && !was_passed(a, b)) {
        gfp_job job = with_modulus(job_of(h, result, a, len_a, b, len_b), modulus);
        if (take_mod(job)) {
            return;
        }
    }
    h->original.mod_mul(result, a, len_a, b, len_b, modulus);
}

void _fmpz_mod_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_mod, a, len, a, len, len) && looks_at_mod() && !was_passed(a, a)) {
        gfp_job job = with_modulus(job_of(h, result, a, len, a, len), modulus);
        if (take_mod(job)) {
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
    if (is_long(h, &least_mod, a, len_a, b, len_b, n) && looks_at_mod() && !was_passed(a, b)) {
        const uintptr_t argument = h->contexts ? seventh : sixth;
        gfp_job job = with_modulus(job_of(h, result, a, len_a, b, len_b), pointer_of(argument));
        job.end = (size_t)n;
        if (take_mod(job)) {
            return;
        }
    }
    h->original.mod_mullow(result, a, len_a, b, len_b, sixth, seventh);
}

void _fmpz_mod_poly_mulmid(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, gfp_slong from, gfp_slong to, const void *modulus)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (from >= 0 && is_long(h, &least_mod, a, len_a, b, len_b, to - from) && looks_at_mod() &&
        !was_passed(a, b)) {
        gfp_job job = with_modulus(job_of(h, result, a, len_a, b, len_b), modulus);
        job.first = (size_t)from;
        job.end = (size_t)to;
        if (take_mod(job)) {
            return;
        }
    }
    h->original.mod_mulmid(result, a, len_a, b, len_b, from, to, modulus);
}

/* ---- modulo p, polynomials ---- */

/* Coefficients from <= i < to of a b. */
typedef struct product {
    gfp_mod_poly *result;
    const gfp_mod_poly *a, *b;
    gfp_slong from, to;
} product;

__attribute__((noinline)) static bool take_polynomial(const gfp_host *h, product p,
                                                      const void *context)
{
    const gfp_mod_poly *a = p.a, *b = p.b;
    const gfp_slong end = a->length + b->length - 1;
    const gfp_slong n = (p.to < end ? p.to : end) - p.from; /* up to the end of the product */
    if (p.from < 0 || n <= 0 || !looks_at_mod()) {
        return false;
    }
    if (p.result->alloc < n) {
        h->fit_length(p.result, n); /* may move a factor */
    }
    gfp_job job = job_of(h, p.result->coeffs, a->coeffs, a->length, b->coeffs, b->length);
    job.p = h->modulus(context);
    job.modulus = h->contexts ? context : (const void *)job.p;
    job.first = (size_t)p.from;
    job.end = (size_t)(p.from + n);
    if (!take_mod(job)) {
        passed = (struct passed){a->coeffs, b->coeffs};
        return false;
    }
    h->set_length(p.result, n);
    h->normalise(p.result);
    return true;
}

static inline bool are_long(const gfp_host *h, const gfp_mod_poly *a, const gfp_mod_poly *b,
                            gfp_slong n)
{
    return is_long(h, &least_mod, a->coeffs, a->length, b->coeffs, b->length, n);
}

void fmpz_mod_poly_mul(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                       const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!are_long(h, a, b, INTPTR_MAX) ||
        !take_polynomial(h, (product){result, a, b, 0, INTPTR_MAX}, context)) {
        h->original.poly_mul(result, a, b, context);
    }
}

void fmpz_mod_poly_sqr(gfp_mod_poly *result, const gfp_mod_poly *a, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!are_long(h, a, a, INTPTR_MAX) ||
        !take_polynomial(h, (product){result, a, a, 0, INTPTR_MAX}, context)) {
        h->original.poly_sqr(result, a, context);
    }
}

void fmpz_mod_poly_mullow(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong n, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!are_long(h, a, b, n) || !take_polynomial(h, (product){result, a, b, 0, n}, context)) {
        h->original.poly_mullow(result, a, b, n, context);
    }
}

void fmpz_mod_poly_mulmid(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong from, gfp_slong to, const void *context)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (!are_long(h, a, b, to - from) ||
        !take_polynomial(h, (product){result, a, b, from, to}, context)) {
        h->original.poly_mulmid(result, a, b, from, to, context);
    }
}

/* ---- over Z ---- */

void _fmpz_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                    gfp_slong len_b)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_z, a, len_a, b, len_b, len_a) && looks_at_z()) {
        const gfp_job job = job_of(h, result, a, len_a, b, len_b);
        if (take_z(job)) {
            return;
        }
    }
    h->original.mul(result, a, len_a, b, len_b);
}

void _fmpz_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_z, a, len, a, len, len) && looks_at_z()) {
        const gfp_job job = job_of(h, result, a, len, a, len);
        if (take_z(job)) {
            return;
        }
    }
    h->original.sqr(result, a, len);
}

void _fmpz_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                       gfp_slong len_b, gfp_slong n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_z, a, len_a, b, len_b, n) && looks_at_z()) {
        gfp_job job = job_of(h, result, a, len_a, b, len_b);
        job.end = (size_t)n;
        if (take_z(job)) {
            return;
        }
    }
    h->original.mullow(result, a, len_a, b, len_b, n);
}

void _fmpz_poly_sqrlow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, gfp_slong n)
{
    const gfp_host *h = gfp_host_of(CALLER());
    if (is_long(h, &least_z, a, len, a, len, n) && looks_at_z()) {
        gfp_job job = job_of(h, result, a, len, a, len);
        job.end = (size_t)n;
        if (take_z(job)) {
            return;
        }
    }
    h->original.sqrlow(result, a, len, n);
}
