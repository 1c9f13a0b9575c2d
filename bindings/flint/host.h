/* host.h: the FLINT that calls this library: its version and its functions.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_HOST_H
#define GFP_HOST_H

#include "hosts.h"

/* FLINT's slong, ulong and fmpz, in 2.x and 3.x. Only FLINT's functions look into an fmpz. */
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
    void (*get_ui_array)(gfp_ulong *, gfp_slong, const gfp_fmpz *);
    void (*set_ui_array)(gfp_fmpz *, const gfp_ulong *, gfp_slong);
    void (*get_signed_ui_array)(gfp_ulong *, gfp_slong, const gfp_fmpz *);
    void (*set_signed_ui_array)(gfp_fmpz *, const gfp_ulong *, gfp_slong);
    gfp_slong (*max_bits)(const gfp_fmpz *, gfp_slong); /* negative: a coefficient is */
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

#endif
