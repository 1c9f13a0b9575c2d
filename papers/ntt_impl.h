/* ntt_impl.h: the inside of a plan for a word-size prime, and the table of kernels: one row per CPU
 * level and modular product. All rows come from the template ntt_forms.inc.
 *
 * Between enter and leave an array holds lazy residues in the representation of its kernels (words
 * below 4 q, or doubles).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_NTT_IMPL_H
#define GFP_NTT_IMPL_H

#include "cpu.h"
#include "gfpoly/ntt.h"

/* The modulus and constants of the kernels. */
typedef struct gfp_ntt_modulus {
    uint64_t q;
    uint64_t negative_inverse;  /* -1/q mod 2^64 */
    uint64_t montgomery_square; /* R^2 mod q for the R of these kernels; 0 for kernels without R */
    double inverse;             /* 1/q rounded */
} gfp_ntt_modulus;

/* Constants c_i, each as the two factors of the kernels: w[i] and companion[i]. */
typedef struct gfp_ntt_powers {
    uint64_t *w;
    uint64_t *companion;
} gfp_ntt_powers;

typedef struct gfp_ntt_kernels {
    gfp_level level;
    gfp_ntt_product product;
    unsigned bits;            /* q < 2^bits */
    unsigned lanes;           /* N >= 2 lanes */
    unsigned montgomery_bits; /* R = 2^montgomery_bits; 0: no such R */
    /* *w, *companion := the factors of c < q. */
    void (*encode)(const gfp_ntt_modulus *modulus, uint64_t c, uint64_t *w, uint64_t *companion);
    /* y := x in the kernels' representation; y may equal x. */
    void (*enter)(const gfp_ntt_modulus *modulus, uint64_t *y, const uint64_t *x, size_t n);
    /* In place. leave: back to residues in [0, q). leave_scaled: also times entry 0 of scale. */
    void (*leave)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n);
    void (*leave_scaled)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n,
                         const gfp_ntt_powers *scale);
    /* z := x y, all in [0, q); z may equal x or y. */
    void (*mul)(const gfp_ntt_modulus *modulus, uint64_t *z, const uint64_t *x, const uint64_t *y,
                size_t n);
    /* y[bitrev(i)] := x[i] for all i < 2^log2_n; y may be x. */
    void (*reorder)(uint64_t *y, const uint64_t *x, unsigned log2_n);
    /* In place, between enter and leave. Jumped: table[i] = w_N^i, i < N/2. Tabulated: table[h + i]
     * = w_2h^i, i < h = 1, 2, 4, ..., N/2. dit: permuted order in, natural order out; dif: natural
     * order in, permuted order out. */
    void (*dit_jumped)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n,
                       const gfp_ntt_powers *table);
    void (*dif_jumped)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n,
                       const gfp_ntt_powers *table);
    void (*dit_tabulated)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n,
                          const gfp_ntt_powers *table);
    void (*dif_tabulated)(const gfp_ntt_modulus *modulus, uint64_t *x, size_t n,
                          const gfp_ntt_powers *table);
    /* From x to y, or to x if the number of moves between x and y is even. Both arrays are
     * overwritten. Steps of whole vectors are done two at a time, shorter steps one by one. The
     * powers are tabulated. */
    void (*stockham)(const gfp_ntt_modulus *modulus, uint64_t *x, uint64_t *y, size_t n,
                     const gfp_ntt_powers *table);
    /* The subtree of block g, with table[j] = w_N^bitrev(j). g = 0 is the transform of N points. g
     * = 1, with the table of w_2N, is that of a polynomial modulo X^N + 1. From x, residues in [0,
     * q) in natural order, to y, residues in [0, q) in permuted order; y may equal x. */
    void (*blocked)(const gfp_ntt_modulus *modulus, uint64_t *y, const uint64_t *x, size_t n,
                    size_t g, const gfp_ntt_powers *table);
    /* N times the inverse of blocked, with the table of inverse powers; leave_scaled must follow
     * for y. */
    void (*blocked_inverse)(const gfp_ntt_modulus *modulus, uint64_t *y, const uint64_t *x,
                            size_t n, size_t g, const gfp_ntt_powers *table);
} gfp_ntt_kernels;

#define GFP_NTT_ROWS_SCALAR 3
#define GFP_NTT_ROWS_AVX2 3
#define GFP_NTT_ROWS_AVX512 4

/* A row made from ntt_forms.inc; R = 2^r_bits, see montgomery_bits. */
#define GFP_NTT_ROW(name, which, max_bits, r_bits)                                                 \
    {                                                                                              \
        .level = NTT_LEVEL, .product = (which), .bits = (max_bits), .lanes = NTT_LANES,            \
        .montgomery_bits = (r_bits), .encode = name##_encode, .enter = name##_enter_all,           \
        .leave = name##_leave, .leave_scaled = name##_leave_scaled, .mul = name##_mul_all,         \
        .reorder = reorder, .dit_jumped = name##_dit_jumped, .dif_jumped = name##_dif_jumped,      \
        .dit_tabulated = name##_dit_tabulated, .dif_tabulated = name##_dif_tabulated,              \
        .stockham = name##_stockham, .blocked = name##_blocked,                                    \
        .blocked_inverse = name##_blocked_inverse                                                  \
    }

/* Among several rows of one product the row of fewer bits, which is faster, comes first. */
extern const gfp_ntt_kernels gfp_ntt_kernels_scalar[GFP_NTT_ROWS_SCALAR];
#if GFP_X86_LEVELS
extern const gfp_ntt_kernels gfp_ntt_kernels_avx2[GFP_NTT_ROWS_AVX2];
extern const gfp_ntt_kernels gfp_ntt_kernels_avx512[GFP_NTT_ROWS_AVX512];
#endif

/* Kernels may read this many words beyond the last entry of a table. */
#define GFP_NTT_PADDING 8

struct gfp_ntt_plan {
    gfp_allocator allocator;
    gfp_ntt_modulus modulus;
    const gfp_ntt_kernels *kernels;
    gfp_ntt_form form;
    size_t n;
    unsigned log2_n;
    bool negacyclic; /* 2N divides q - 1 */
    uint64_t root;   /* w_N */
    uint64_t theta;  /* w_2N if negacyclic, else 0 */
    /* The entries of each table: powers of the root, and powers of its inverse. */
    size_t entries;
    gfp_ntt_powers forward, inverse;
    /* The factors of 1/N. */
    uint64_t scale_words[2];
    gfp_ntt_powers scale;
    uint64_t *block; /* the block of all tables */
};

/* y[bitrev(i)] := x[i] for all i < 2^log2_n, word by word; y may be x. */
void gfp_ntt_reorder_short(uint64_t *y, const uint64_t *x, unsigned log2_n);

#endif
