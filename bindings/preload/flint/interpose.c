/* interpose.c: see interpose.h. Each function first checks whether a product of the first FLINT is
 * so short that FLINT's own function follows at once: such a product may take 50 ns, and passes
 * three functions, one inside another. Else the function tries to take the product.
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

static bool is_verifying(const gfp_settings *s)
{
    return s->verify && gfp_frame_stands(&verifying);
}

/* A shorter product, by the lengths and by two coefficients of each factor, is FLINT's: FLINT takes
 * less time than the choice and a call of this library, or less than the conversions; a conversion
 * of a coefficient counts as `each` steps. A step is a product of limbs. */
typedef struct least {
    gfp_slong terms, steps, each;
} least;
static const least least_mod = {4, 1000, 0}, least_z = {16, 4000, 40};

/* Whether the middle and the highest coefficient are words. */
static inline bool are_words(const gfp_fmpz *x, gfp_slong len)
{
    return !gfp_fmpz_has_number(x[(gfp_ulong)len / 2]) && !gfp_fmpz_has_number(x[len - 1]);
}

/* Whether the product is shorter by the lengths, or by coefficients of a word; false tells nothing.
 * n: the coefficients that are asked for. */
static inline bool is_few(const least *l, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                          gfp_slong len_b, gfp_slong n)
{
    if (len_a < l->terms || len_b < l->terms || n < l->terms) {
        return true;
    }
    if (len_a >= l->steps || len_b >= l->steps) {
        return false;
    }
    const gfp_slong steps = len_a * len_b;
    return (steps < l->steps || steps < l->each * (len_a + len_b)) && are_words(a, len_a) &&
           are_words(b, len_b);
}

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
    if (len_a < l->terms || len_b < l->terms || n < l->terms || !h->serves) {
        return false;
    }
    const double x = (double)len_a, y = (double)len_b, least_steps = (double)l->steps;
    const double limbs_a = (double)sample_limbs(a, (size_t)len_a);
    const double steps = x * y * limbs_a * (double)sample_limbs(b, (size_t)len_b);
    return steps >= least_steps && steps >= (double)l->each * (x + y);
}

static bool may_take_mod(void)
{
    const gfp_settings *s = gfp_settings_get();
    return !s->off && !s->no_mod && !is_verifying(s);
}

static bool may_take_z(void)
{
    const gfp_settings *s = gfp_settings_get();
    return !s->off && !s->no_z && !is_verifying(s);
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

/* The products of limbs that a call of this library, and its conversions for each limb of a
 * coefficient, take as long as. */
#define CALL_STEPS 700
#define CONVERSION_STEPS 3

/* Whether FLINT may take longer than a call and the conversions here, by the samples: FLINT
 * multiplies, and reduces each coefficient of the product modulo p. */
static bool is_worth(const gfp_job *job)
{
    const double x = (double)job->len_a, y = (double)job->len_b, p = (double)limbs_of(*job->p);
    const double a = (double)sample_limbs(job->a, job->len_a);
    const double b = (double)sample_limbs(job->b, job->len_b);
    const double quotient = a + b > p ? a + b - p : 0;
    return x * y * a * b + (x + y) * p * quotient >= CALL_STEPS + CONVERSION_STEPS * (x + y) * p;
}

static bool take_mod(const gfp_job *job)
{
    if (!is_worth(job) || is_short(job)) {
        return false;
    }
    return gfp_settings_get()->verify ? take_and_verify(job, gfp_take_mod, original_mod)
                                      : gfp_take_mod(job);
}

static bool take_z(const gfp_job *job)
{
    return gfp_settings_get()->verify ? take_and_verify(job, gfp_take_z, original_z)
                                      : gfp_take_z(job);
}

/* ---- modulo p, arrays ---- */

/* Calls the function of FLINT that the job comes from. */
typedef void forwarder(const gfp_job *job);

/* A job without a host, which is found if the product is not short. */
static inline gfp_job job_of(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a,
                             const gfp_fmpz *b, gfp_slong len_b, const void *modulus)
{
    return (gfp_job){.result = result,
                     .a = a,
                     .b = b,
                     .len_a = (size_t)len_a,
                     .len_b = (size_t)len_b,
                     .end = (size_t)len_a + (size_t)len_b - 1,
                     .modulus = modulus};
}

static bool is_long_job(const gfp_job *j, const least *l)
{
    return is_long(j->host, l, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b,
                   (gfp_slong)(j->end - j->first));
}

/* The factors of the product that was left to FLINT's function on polynomials, which calls the one
 * on arrays: it is not asked about again. */
static _Thread_local struct forwarded {
    const gfp_fmpz *a, *b;
} forwarded;

static bool was_forwarded(const gfp_fmpz *a, const gfp_fmpz *b)
{
    const bool same =
        (forwarded.a == a && forwarded.b == b) || (forwarded.a == b && forwarded.b == a);
    forwarded = same ? (struct forwarded){NULL, NULL} : forwarded;
    return same;
}

/* job->modulus: the last argument of FLINT's function. */
__attribute__((noinline)) static void dispatch_mod(gfp_job *job, void *caller, forwarder *forward)
{
    const gfp_host *h = job->host = gfp_host_of(caller);
    if ((gfp_slong)job->first >= 0 && is_long_job(job, &least_mod) && may_take_mod() &&
        !was_forwarded(job->a, job->b)) {
        job->p = h->contexts ? h->modulus(job->modulus) : job->modulus;
        if (take_mod(job)) {
            return;
        }
    }
    forward(job);
}

static void forward_mod_mul(const gfp_job *j)
{
    j->host->original.mod_mul(j->result, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b,
                              j->modulus);
}

void _fmpz_mod_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                        gfp_slong len_b, const void *modulus)
{
    if (is_few(&least_mod, a, len_a, b, len_b, len_a) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.mod_mul(result, a, len_a, b, len_b, modulus);
        return;
    }
    gfp_job job = job_of(result, a, len_a, b, len_b, modulus);
    dispatch_mod(&job, CALLER(), forward_mod_mul);
}

static void forward_mod_sqr(const gfp_job *j)
{
    j->host->original.mod_sqr(j->result, j->a, (gfp_slong)j->len_a, j->modulus);
}

void _fmpz_mod_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, const void *modulus)
{
    if (is_few(&least_mod, a, len, a, len, len) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.mod_sqr(result, a, len, modulus);
        return;
    }
    gfp_job job = job_of(result, a, len, a, len, modulus);
    dispatch_mod(&job, CALLER(), forward_mod_sqr);
}

static void forward_mod_mullow(const gfp_job *j)
{
    const uintptr_t n = j->end, modulus = (uintptr_t)j->modulus;
    j->host->original.mod_mullow(j->result, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b,
                                 j->host->contexts ? n : modulus, j->host->contexts ? modulus : n);
}

static const void *pointer_of(uintptr_t argument)
{
    const void *pointer = NULL;
    memcpy(&pointer, &argument, sizeof pointer);
    return pointer;
}

void _fmpz_mod_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, uintptr_t sixth, uintptr_t seventh)
{
    if (gfp_host_is_first(CALLER()) &&
        is_few(&least_mod, a, len_a, b, len_b,
               (gfp_slong)(gfp_host_first.contexts ? sixth : seventh))) {
        gfp_host_first.original.mod_mullow(result, a, len_a, b, len_b, sixth, seventh);
        return;
    }
    const bool contexts = gfp_host_of(CALLER())->contexts;
    gfp_job job = job_of(result, a, len_a, b, len_b, pointer_of(contexts ? seventh : sixth));
    job.end = contexts ? sixth : seventh;
    dispatch_mod(&job, CALLER(), forward_mod_mullow);
}

static void forward_mod_mulmid(const gfp_job *j)
{
    j->host->original.mod_mulmid(j->result, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b,
                                 (gfp_slong)j->first, (gfp_slong)j->end, j->modulus);
}

void _fmpz_mod_poly_mulmid(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                           gfp_slong len_b, gfp_slong from, gfp_slong to, const void *modulus)
{
    if (is_few(&least_mod, a, len_a, b, len_b, to - from) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.mod_mulmid(result, a, len_a, b, len_b, from, to, modulus);
        return;
    }
    gfp_job job = job_of(result, a, len_a, b, len_b, modulus);
    job.first = (size_t)from;
    job.end = (size_t)to;
    dispatch_mod(&job, CALLER(), forward_mod_mulmid);
}

/* ---- modulo p, polynomials of FLINT 3 ---- */

/* Coefficients from <= i < to of a b. */
typedef struct product {
    gfp_mod_poly *result;
    const gfp_mod_poly *a, *b;
    gfp_slong from, to;
    const void *context;
} product;

static bool take_polynomial(const gfp_host *h, const product *p)
{
    const gfp_mod_poly *a = p->a, *b = p->b;
    const gfp_slong end = a->length + b->length - 1;
    const gfp_slong n = (p->to < end ? p->to : end) - p->from; /* up to the end of the product */
    if (p->from < 0 || n <= 0 || !may_take_mod()) {
        return false;
    }
    if (p->result->alloc < n) {
        h->fit_length(p->result, n); /* may move a factor */
    }
    gfp_job job = job_of(p->result->coeffs, a->coeffs, a->length, b->coeffs, b->length, p->context);
    job.host = h;
    job.p = h->modulus(p->context);
    job.first = (size_t)p->from;
    job.end = (size_t)(p->from + n);
    if (!take_mod(&job)) {
        forwarded = (struct forwarded){a->coeffs, b->coeffs};
        return false;
    }
    h->set_length(p->result, n);
    h->normalise(p->result);
    return true;
}

/* Of the first FLINT. FLINT 2 computes all products by the functions on arrays, which
 * check the sizes. */
static inline bool are_few(const gfp_mod_poly *a, const gfp_mod_poly *b, gfp_slong n)
{
    return !gfp_host_first.contexts ||
           is_few(&least_mod, a->coeffs, a->length, b->coeffs, b->length, n);
}

/* Calls the function of FLINT that the product comes from. */
typedef void poly_forwarder(const gfp_host *h, const product *p);

__attribute__((noinline)) static void dispatch_polynomial(const product *p, void *caller,
                                                          poly_forwarder *forward)
{
    const gfp_host *h = gfp_host_of(caller);
    if (!h->contexts ||
        !is_long(h, &least_mod, p->a->coeffs, p->a->length, p->b->coeffs, p->b->length,
                 p->to - p->from) ||
        !take_polynomial(h, p)) {
        forward(h, p);
    }
}

static void forward_poly_mul(const gfp_host *h, const product *p)
{
    h->original.poly_mul(p->result, p->a, p->b, p->context);
}

void fmpz_mod_poly_mul(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                       const void *context)
{
    if (gfp_host_is_first(CALLER()) && are_few(a, b, INTPTR_MAX)) {
        gfp_host_first.original.poly_mul(result, a, b, context);
        return;
    }
    const product p = {result, a, b, 0, INTPTR_MAX, context};
    dispatch_polynomial(&p, CALLER(), forward_poly_mul);
}

static void forward_poly_sqr(const gfp_host *h, const product *p)
{
    h->original.poly_sqr(p->result, p->a, p->context);
}

void fmpz_mod_poly_sqr(gfp_mod_poly *result, const gfp_mod_poly *a, const void *context)
{
    if (gfp_host_is_first(CALLER()) && are_few(a, a, INTPTR_MAX)) {
        gfp_host_first.original.poly_sqr(result, a, context);
        return;
    }
    const product p = {result, a, a, 0, INTPTR_MAX, context};
    dispatch_polynomial(&p, CALLER(), forward_poly_sqr);
}

static void forward_poly_mullow(const gfp_host *h, const product *p)
{
    h->original.poly_mullow(p->result, p->a, p->b, p->to, p->context);
}

void fmpz_mod_poly_mullow(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong n, const void *context)
{
    if (gfp_host_is_first(CALLER()) && are_few(a, b, n)) {
        gfp_host_first.original.poly_mullow(result, a, b, n, context);
        return;
    }
    const product p = {result, a, b, 0, n, context};
    dispatch_polynomial(&p, CALLER(), forward_poly_mullow);
}

static void forward_poly_mulmid(const gfp_host *h, const product *p)
{
    h->original.poly_mulmid(p->result, p->a, p->b, p->from, p->to, p->context);
}

void fmpz_mod_poly_mulmid(gfp_mod_poly *result, const gfp_mod_poly *a, const gfp_mod_poly *b,
                          gfp_slong from, gfp_slong to, const void *context)
{
    if (gfp_host_is_first(CALLER()) && are_few(a, b, to - from)) {
        gfp_host_first.original.poly_mulmid(result, a, b, from, to, context);
        return;
    }
    const product p = {result, a, b, from, to, context};
    dispatch_polynomial(&p, CALLER(), forward_poly_mulmid);
}

/* ---- over Z ---- */

__attribute__((noinline)) static void dispatch_z(gfp_job *job, void *caller, forwarder *forward)
{
    job->host = gfp_host_of(caller);
    if (!is_long_job(job, &least_z) || !may_take_z() || !take_z(job)) {
        forward(job);
    }
}

static void forward_mul(const gfp_job *j)
{
    j->host->original.mul(j->result, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b);
}

void _fmpz_poly_mul(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                    gfp_slong len_b)
{
    if (is_few(&least_z, a, len_a, b, len_b, len_a) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.mul(result, a, len_a, b, len_b);
        return;
    }
    gfp_job job = job_of(result, a, len_a, b, len_b, NULL);
    dispatch_z(&job, CALLER(), forward_mul);
}

static void forward_sqr(const gfp_job *j)
{
    j->host->original.sqr(j->result, j->a, (gfp_slong)j->len_a);
}

void _fmpz_poly_sqr(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len)
{
    if (is_few(&least_z, a, len, a, len, len) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.sqr(result, a, len);
        return;
    }
    gfp_job job = job_of(result, a, len, a, len, NULL);
    dispatch_z(&job, CALLER(), forward_sqr);
}

static void forward_mullow(const gfp_job *j)
{
    j->host->original.mullow(j->result, j->a, (gfp_slong)j->len_a, j->b, (gfp_slong)j->len_b,
                             (gfp_slong)j->end);
}

void _fmpz_poly_mullow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len_a, const gfp_fmpz *b,
                       gfp_slong len_b, gfp_slong n)
{
    if (is_few(&least_z, a, len_a, b, len_b, n) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.mullow(result, a, len_a, b, len_b, n);
        return;
    }
    gfp_job job = job_of(result, a, len_a, b, len_b, NULL);
    job.end = (size_t)n;
    dispatch_z(&job, CALLER(), forward_mullow);
}

static void forward_sqrlow(const gfp_job *j)
{
    j->host->original.sqrlow(j->result, j->a, (gfp_slong)j->len_a, (gfp_slong)j->end);
}

void _fmpz_poly_sqrlow(gfp_fmpz *result, const gfp_fmpz *a, gfp_slong len, gfp_slong n)
{
    if (is_few(&least_z, a, len, a, len, n) && gfp_host_is_first(CALLER())) {
        gfp_host_first.original.sqrlow(result, a, len, n);
        return;
    }
    gfp_job job = job_of(result, a, len, a, len, NULL);
    job.end = (size_t)n;
    dispatch_z(&job, CALLER(), forward_sqrlow);
}
