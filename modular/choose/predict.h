/* predict.h: the predicted times of gcds and resultants over Z by each strategy, from measured
 * costs that are compiled in (bench/modular/costs.c measures the tables).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_MODULAR_CHOOSE_PREDICT_H
#define GFP_MODULAR_CHOOSE_PREDICT_H

#include "gfpoly/zplan.h"

#include "modular/call.h"

/* Two polynomials, neither constant, by their sizes. */
typedef struct gfp_zsizes {
    const gfp_zring *ring;
    unsigned threads;
    bool cofactors; /* of a gcd, wanted */
    size_t len_a, len_b, width_a, width_b, bits_a, bits_b;
    size_t bits; /* of the bound of a resultant */
    size_t left; /* bytes of the cap */
    /* Of gcds: the time of both contents, and of the gcd of the leading coefficients. */
    double contents, leads;
} gfp_zsizes;

/* A divisor as known, or guessed: its length, and the bits of its multiple whose leading
 * coefficient is the gcd of the operands' ones. */
typedef struct gfp_zguess {
    size_t len, bits;
} gfp_zguess;

/* Fills the times of gcds of coefficients. */
void gfp_zpredict_contents(gfp_zsizes *s);
/* *row := the prediction for a method. Rows of methods that the operation does not have say so. */
void gfp_zpredict_resultant(gfp_zprediction *row, gfp_zmethod method, const gfp_zsizes *s);
void gfp_zpredict_gcd(gfp_zprediction *row, gfp_zmethod method, const gfp_zsizes *s,
                      gfp_zguess guess);
/* The time of a gcd of this length by word-size primes up to the first image, contents apart: it is
 * lost if another method goes on. */
double gfp_zpredict_first_image(const gfp_zsizes *s, size_t len_g);

/* The time of the gcd of the values at 2^step. */
double gfp_zpredict_values(const gfp_zsizes *s, unsigned step, gfp_zguess g);

#endif
