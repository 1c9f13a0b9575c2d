/* host.h: the NTL that calls this library: its functions, and the layout of its values. NTL is
 * C++; its functions are called by their mangled names, which do not depend on NTL's version.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HOST_H
#define GFP_HOST_H

#include "bindings/preload/hosts.h"

/* NTL's ZZ and ZZ_p: a pointer to two longs, the second one the number of limbs with the sign, and
 * the limbs; NULL: 0. */
typedef struct gfp_zz {
    long *body;
} gfp_zz;

/* NTL's ZZ_pX: a pointer to the coefficients, before them a header of four longs, the first one
 * the length; NULL: 0. */
typedef struct gfp_zz_px {
    gfp_zz *coeffs;
} gfp_zz_px;

/* NTL's own functions, those that this library has in their place. */
typedef struct gfp_originals {
    void (*mul)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*sqr)(gfp_zz_px *, const gfp_zz_px *);
    void (*fft_mul)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*fft_sqr)(gfp_zz_px *, const gfp_zz_px *);
    void (*mul_trunc)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *, long);
    void (*sqr_trunc)(gfp_zz_px *, const gfp_zz_px *, long);
    void (*div_rem)(gfp_zz_px *, gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*div)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*rem)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*gcd)(gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
    void (*xgcd)(gfp_zz_px *, gfp_zz_px *, gfp_zz_px *, const gfp_zz_px *, const gfp_zz_px *);
} gfp_originals;

/* A variable of each thread, in the loader's terms. */
struct gfp_thread_variable {
    unsigned long module, offset;
};

struct gfp_host {
    gfp_host_place place;
    bool complete;      /* all functions are there */
    _Atomic int fit;    /* whether values have the layout that is expected: 0: not known, -1: no */
    _Atomic int *state; /* &fit, for a record that is const */
    struct gfp_thread_variable modulus;
    const void *plain_modulus; /* NTL without threads: where the pointer to the modulus is */
    gfp_originals original;
    void (*set_length)(gfp_zz_px *, long); /* of the vector in a polynomial */
    void (*destroy)(gfp_zz_px *);
    void (*set_coeff)(gfp_zz_px *, long, long);
    const gfp_zz *(*coeff)(const gfp_zz_px *, long);
    void (*set_limbs)(const uint64_t *, long, gfp_zz *);
    void (*set_long)(gfp_zz *, long); /* of a ZZ_p */
    void (*release)(long *body);
};

static inline long gfp_ntl_length(const gfp_zz_px *x)
{
    return x->coeffs == NULL ? 0 : ((const long *)(const void *)x->coeffs)[-4];
}

/* The limbs of |x|; *limbs := their number, negated if x < 0. */
static inline const uint64_t *gfp_ntl_limbs(const gfp_zz *x, long *limbs)
{
    if (x->body == NULL) {
        *limbs = 0;
        return NULL;
    }
    *limbs = x->body[1];
    return (const uint64_t *)(const void *)(x->body + 2);
}

/* The modulus that this thread has installed; NULL: none. */
const gfp_zz *gfp_ntl_modulus(const gfp_host *host);
/* Whether this NTL has all functions, and its values the layout that is expected. */
bool gfp_ntl_serves(const gfp_host *host);

#endif
