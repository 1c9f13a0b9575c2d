/* papers/modulo_words.h: the quantities for the figures of 2010 on a device (device_words.c), and
 * what they share with those of the CPU (gpu2010.c).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef MODULO_WORDS_H
#define MODULO_WORDS_H

#include "papers/device.h"
#include "papers/words/forms.h"

/* log2 of the longest transforms. */
#define MOST_LOG 26

/* *q := the greatest prime of 30 bits for such transforms. Returns false after a message. */
bool find_prime(uint64_t *q);

/* ---- products by constants ---- */

#define SCALE_PRODUCTS 2
typedef struct scale_product {
    gfp_half_product on_cpu;
    gfp_gpu_ntt_product on_device;
    const char *token, *name;
} scale_product;
extern const scale_product scale_products[SCALE_PRODUCTS];
/* Keeps the nanoseconds for one of n residues, "cpuscale.TOKEN" or "gpuscale.TOKEN". */
bool note_scale(paper *w, const table_row *r, size_t product, bool device, timing t);

/* ---- factors ---- */

/* Factors a and b of n / 2 coefficients modulo the prime, and room for the product. */
typedef struct factors {
    gfp_zring *ring;
    uint64_t q;
    size_t terms;
    uint64_t *a, *b, *c;
} factors;

/* The caller calls factors_close after success and after failure. */
bool factors_open(factors *w, size_t n);
void factors_close(factors *w);
/* Packs n residues, two a word. to may be x. */
void pack_words(uint64_t *to, const uint64_t *x, size_t n);

/* ---- groups of quantities ---- */

measure_group measure_device_scale;
/* Transforms: the papers' forms with the paper's product, and the library's form. A failure on the
 * device is reported and leaves quantities unknown. */
enum { WAY_CT, WAY_TABULATED, WAY_STOCKHAM, WAY_OWN };
measure_group measure_way;          /* "PREFIX.ms", "PREFIX.transfer": nct, ntab, nst, nown */
measure_group measure_steps_of_way; /* "PREFIX.STEP.ms" and so on: sct, stab, sst */
measure_group measure_product;      /* "PREFIX.ms", "PREFIX.transfer": pst, pown */
/* "wgpu.transfer": gpu/word_products.h, from and to host memory. */
measure_group measure_words;

#endif
