/* host.h: the FLINT that calls this library: its version and its functions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HOST_H
#define GFP_HOST_H

#include <gmp.h>
#include <string.h>

#include "bindings/preload/hosts.h"

/* FLINT's slong, ulong and fmpz, in 2.x and 3.x. Only FLINT's functions write an fmpz. */
typedef long gfp_slong;
typedef unsigned long gfp_ulong;
typedef long gfp_fmpz;

/* FLINT's fmpz_mod_poly_struct, in 2.x and 3.x. */
typedef struct gfp_mod_poly {
    gfp_fmpz *coeffs;
    gfp_slong alloc, length;
} gfp_mod_poly;

/* FLINT's own functions, those that this library has in their place. The last argument of products
 * modulo p is p itself in 2.x and a context in 3.x. mod_mullow: 2.x takes (p, n), 3.x (n, context).
 * NULL: this FLINT has no such function. */
typedef struct gfp_originals {
    void (*mod_mul)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const gfp_fmpz *, gfp_slong,
                    const void *);
    void (*mod_sqr)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const void *);
    void (*mod_mullow)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const gfp_fmpz *, gfp_slong,
                       uintptr_t, uintptr_t);
    void (*mod_mulmid)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const gfp_fmpz *, gfp_slong,
                       gfp_slong, gfp_slong, const void *);
    /* On polynomials; the last argument is a context. */
    void (*poly_mul)(gfp_mod_poly *, const gfp_mod_poly *, const gfp_mod_poly *, const void *);
    void (*poly_sqr)(gfp_mod_poly *, const gfp_mod_poly *, const void *);
    void (*poly_mullow)(gfp_mod_poly *, const gfp_mod_poly *, const gfp_mod_poly *, gfp_slong,
                        const void *);
    void (*poly_mulmid)(gfp_mod_poly *, const gfp_mod_poly *, const gfp_mod_poly *, gfp_slong,
                        gfp_slong, const void *);
    void (*mul)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const gfp_fmpz *, gfp_slong);
    void (*sqr)(gfp_fmpz *, const gfp_fmpz *, gfp_slong);
    void (*mullow)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, const gfp_fmpz *, gfp_slong, gfp_slong);
    void (*sqrlow)(gfp_fmpz *, const gfp_fmpz *, gfp_slong, gfp_slong);
} gfp_originals;

struct gfp_host {
    gfp_host_place place;
    bool serves;   /* the version is known, and all functions below are there */
    bool contexts; /* the last argument of products modulo p is a context: 3.x */
    bool fft;      /* it has the transforms fft_small */
    gfp_originals original;
    void (*set_ui_array)(gfp_fmpz *, const gfp_ulong *, gfp_slong);
    void (*get_signed_ui_array)(gfp_ulong *, gfp_slong, const gfp_fmpz *);
    void (*set_signed_ui_array)(gfp_fmpz *, const gfp_ulong *, gfp_slong);
    gfp_fmpz *(*vec_init)(gfp_slong);
    void (*vec_clear)(gfp_fmpz *, gfp_slong);
    int (*vec_equal)(const gfp_fmpz *, const gfp_fmpz *, gfp_slong);
    void (*vec_zero)(gfp_fmpz *, gfp_slong);
    void (*vec_swap)(gfp_fmpz *, gfp_fmpz *, gfp_slong);
    void (*fit_length)(gfp_mod_poly *, gfp_slong);
    void (*set_length)(gfp_mod_poly *, gfp_slong);
    void (*normalise)(gfp_mod_poly *);
    int (*threads)(void);
    const gfp_fmpz *(*modulus)(const void *); /* of a context */
};

/* Returns GMP's number of an fmpz that has one; NULL: the fmpz is its own value. Programs that use
 * FLINT's headers do the same (COEFF_IS_MPZ). */
static inline const __mpz_struct *gfp_fmpz_number(gfp_fmpz x)
{
    const __mpz_struct *number = NULL;
    if ((gfp_ulong)x >> 62 == 1) {
        const uintptr_t address = (uintptr_t)x << 2;
        memcpy(&number, &address, sizeof address);
    }
    return number;
}

/* Whether x has a number of GMP's, by one comparison. */
static inline bool gfp_fmpz_has_number(gfp_fmpz x)
{
    return x >= (gfp_fmpz)1 << 62;
}

/* The limbs of |x|; *limbs := their number, negated if x < 0. word: room for a value. */
static inline const uint64_t *gfp_fmpz_limbs(gfp_fmpz x, long *limbs, uint64_t *word)
{
    const __mpz_struct *number = gfp_fmpz_number(x);
    if (number != NULL) {
        *limbs = number->_mp_size;
        return (const uint64_t *)number->_mp_d;
    }
    *word = x < 0 ? -(uint64_t)x : (uint64_t)x;
    *limbs = (x > 0) - (x < 0);
    return word;
}

/* The bits of the longest of n numbers, or of one that has this many limbs. */
size_t gfp_flint_bits(const gfp_fmpz *x, size_t n, long enough);

#endif
