/* host.c: see host.h. The layout of NTL's values has been the same since NTL 10; it is tried out
 * with values that NTL's own functions make, before it is relied upon.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* dlinfo */
#include "bindings/preload/ntl/host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "bindings/preload/decision.h"

static const gfp_host_symbol symbols[] = {
    {"_ZN3NTL3mulERNS_5ZZ_pXERKS0_S3_", offsetof(gfp_host, original.mul)},
    {"_ZN3NTL3sqrERNS_5ZZ_pXERKS0_", offsetof(gfp_host, original.sqr)},
    {"_ZN3NTL6FFTMulERNS_5ZZ_pXERKS0_S3_", offsetof(gfp_host, original.fft_mul)},
    {"_ZN3NTL6FFTSqrERNS_5ZZ_pXERKS0_", offsetof(gfp_host, original.fft_sqr)},
    {"_ZN3NTL8MulTruncERNS_5ZZ_pXERKS0_S3_l", offsetof(gfp_host, original.mul_trunc)},
    {"_ZN3NTL8SqrTruncERNS_5ZZ_pXERKS0_l", offsetof(gfp_host, original.sqr_trunc)},
    {"_ZN3NTL6DivRemERNS_5ZZ_pXES1_RKS0_S3_", offsetof(gfp_host, original.div_rem)},
    {"_ZN3NTL3divERNS_5ZZ_pXERKS0_S3_", offsetof(gfp_host, original.div)},
    {"_ZN3NTL3remERNS_5ZZ_pXERKS0_S3_", offsetof(gfp_host, original.rem)},
    {"_ZN3NTL3GCDERNS_5ZZ_pXERKS0_S3_", offsetof(gfp_host, original.gcd)},
    {"_ZN3NTL4XGCDERNS_5ZZ_pXES1_S1_RKS0_S3_", offsetof(gfp_host, original.xgcd)},
    {"_ZN3NTL3VecINS_4ZZ_pEE11DoSetLengthEl", offsetof(gfp_host, set_length)},
    {"_ZN3NTL5ZZ_pXD1Ev", offsetof(gfp_host, destroy)},
    {"_ZN3NTL8SetCoeffERNS_5ZZ_pXEll", offsetof(gfp_host, set_coeff)},
    {"_ZN3NTL5coeffERKNS_5ZZ_pXEl", offsetof(gfp_host, coeff)},
    {"_Z15_ntl_glimbs_setPKmlPP17_ntl_gbigint_body", offsetof(gfp_host, set_limbs)},
    {"_ZN3NTL4convERNS_4ZZ_pEl", offsetof(gfp_host, set_long)},
    {"_Z10_ntl_gfreeP17_ntl_gbigint_body", offsetof(gfp_host, release)},
};

/* A variable of each thread, where NTL knows threads: a pointer to a record whose first member is
 * the modulus. */
#define MODULUS "_ZN3NTL8ZZ_pInfoE"

/* The loader's function that finds a thread's variable without a lock. */
typedef struct gfp_thread_variable thread_variable;
extern void *__tls_get_addr(thread_variable *variable);

static bool find_modulus(gfp_host *h, void *handle)
{
    thread_variable *v = &h->modulus;
    char *here = dlsym(handle, MODULUS);
    if (here == NULL || dlinfo(handle, RTLD_DI_TLS_MODID, &v->module) != 0) {
        return false;
    }
    h->plain_modulus = v->module == 0 ? (void *)here : NULL;
    v->offset = v->module == 0 ? 0 : (unsigned long)(here - (char *)__tls_get_addr(v));
    return true;
}

static void host_fill(gfp_host *h, void *handle)
{
    h->complete = gfp_host_find(h, handle, symbols, sizeof symbols / sizeof *symbols) &&
                  find_modulus(h, handle);
    h->state = &h->fit;
}

gfp_host gfp_host_first;
const gfp_host_kind gfp_host_kind_self = {"_Z15_ntl_glimbs_setPKmlPP17_ntl_gbigint_body",
                                          sizeof(gfp_host), host_fill};

int gfp_host_threads(const gfp_host *host)
{
    (void)host;
    return 1;
}

/* ---- values ---- */

const gfp_zz *gfp_ntl_modulus(const gfp_host *host)
{
    thread_variable variable = host->modulus;
    const gfp_zz *const *modulus =
        host->plain_modulus != NULL ? host->plain_modulus : __tls_get_addr(&variable);
    return *modulus;
}

/* ---- the layout ---- */

static bool is_number(const gfp_zz *x, const uint64_t *value, long n)
{
    long limbs;
    const uint64_t *x_limbs = gfp_ntl_limbs(x, &limbs);
    return limbs == n && memcmp(x_limbs, value, (size_t)n * sizeof *value) == 0;
}

static bool numbers_fit(const gfp_host *h)
{
    static const uint64_t value[] = {1, UINT64_MAX, 7, 0};
    gfp_zz x = {NULL};
    h->set_limbs(value, 4, &x); /* three limbs and a 0 */
    const bool fits = is_number(&x, value, 3);
    h->release(x.body);
    return fits;
}

static bool polynomials_fit(const gfp_host *h)
{
    static const uint64_t value = 1; /* below every modulus */
    gfp_zz_px f = {NULL};
    h->set_coeff(&f, 2, 1);
    h->set_coeff(&f, 5, 1);
    bool fits = gfp_ntl_length(&f) == 6 && is_number(f.coeffs + 5, &value, 1);
    for (long i = 0; i < 6; i++) {
        fits = fits && h->coeff(&f, i) == f.coeffs + i;
    }
    h->set_length(&f, 9);
    fits = fits && gfp_ntl_length(&f) == 9;
    h->destroy(&f);
    return fits;
}

/* Whether the modulus is -1 + 1. */
static bool modulus_fits(const gfp_host *h)
{
    const gfp_zz *p = gfp_ntl_modulus(h);
    gfp_zz x = {NULL};
    long limbs, x_limbs;
    h->set_long(&x, -1);
    const uint64_t *value = gfp_ntl_limbs(p, &limbs), *last = gfp_ntl_limbs(&x, &x_limbs);
    bool fits = limbs > 0 && x_limbs > 0 && x_limbs <= limbs;
    uint64_t borrow = 1;
    for (long i = 0; i < limbs && fits; i++) {
        fits = value[i] - borrow == (i < x_limbs ? last[i] : 0);
        borrow = value[i] < borrow;
    }
    h->release(x.body);
    return fits;
}

bool gfp_ntl_serves(const gfp_host *h)
{
    int fit = atomic_load_explicit(h->state, memory_order_relaxed);
    const gfp_zz *p = fit != 0 || !h->complete ? NULL : gfp_ntl_modulus(h);
    /* Nothing is tried out before a modulus for products of ours is there. */
    if (p != NULL && p->body != NULL) {
        fit = numbers_fit(h) && polynomials_fit(h) && modulus_fits(h) ? 1 : -1;
        atomic_store(h->state, fit);
    }
    return fit > 0;
}
