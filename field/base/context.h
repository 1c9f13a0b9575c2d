/* context.h: the members of the field context, for this room and for transforms.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_CONTEXT_H
#define GFP_FIELD_BASE_CONTEXT_H

#include <stdatomic.h>

#include "field/base/attachment.h"
#include "field/base/convert.h"
#include "gfpoly/elem.h"
#include "field/base/kernels.h"
#include "field/base/lanes.h"
#include "field/base/mul_fft.h"
#include "field/base/word.h"
#include "field/base/work.h"

/* Roots w_(2^m) for m <= GFP_TOWER are tabulated. */
#define GFP_TOWER 64
#define GFP_NAME_SIZE 32

/* The work areas that a field keeps: each block is in one slot, or in the hands of one thread. */
typedef struct gfp_work_pool {
    _Atomic(struct gfp_work_block *) kept[GFP_WORK_SLOTS];
    atomic_size_t bytes; /* of the kept areas; at most limit */
    atomic_size_t limit;
} gfp_work_pool;

/* A question and its answer. The low 32 bits of state are the words of the answer, 0: there is
 * none. The upper bits count the changes of state: their lowest bit is set while a thread writes
 * the answer, and the low 32 bits then name this thread. */
typedef struct gfp_answer {
    _Atomic(uint64_t) state;
    _Atomic(uint64_t) word[GFP_QUESTION_WORDS];
    _Atomic(uint64_t) answer[GFP_ANSWER_WORDS];
} gfp_answer;

/* The constants that divide sums of digit products by r (field/kernels/portable.c), all scaled by
 * 2^radix.shift. */
typedef struct gfp_column_radix {
    uint64_t inverse;   /* floor((2^128 - 1) / (2 radix.d)) */
    uint64_t offset[3]; /* GFP_COLUMN_OFFSET r radix.d */
} gfp_column_radix;

/* The constants of products for k = 2 (field/kernels/portable.c): set if 2 r radix.d < 2^128 and
 * radix.d
 * + GFP_PAIR_ROOM < 2^64, else 0. */
typedef struct gfp_pair_radix {
    uint64_t inverse[2]; /* floor((2^191 - 1) / radix.d), the low word first */
    uint64_t square[2];  /* r radix.d */
} gfp_pair_radix;
#define GFP_PAIR_ROOM 64

/* A column is a sum of at most GFP_COLUMN_TERMS digit products and a digit. The offset makes it a
 * natural number. */
#define GFP_COLUMN_TERMS 256
#define GFP_COLUMN_OFFSET 512

struct gfp_field {
    gfp_level level;
    unsigned k;
    unsigned log2_k;
    uint64_t r;
    unsigned v2_r;
    unsigned v2_order; /* v2(p - 1) = k v2(r) */
    unsigned bits;
    unsigned limbs;
    gfp_divisor radix;
    gfp_column_radix column;
    gfp_pair_radix pair;
    gfp_lanes_radix lanes; /* set if r >= GFP_LANES_R_MIN */
    uint64_t r_squared[2];
    const gfp_kernels *kernels;
    gfp_mul_fft_tables *mul_fft;
    gfp_convert *convert; /* NULL if conversion has no lanes */
    gfp_allocator allocator;
    gfp_certificate certificate;
    char name[GFP_NAME_SIZE];
    char *modulus_string;
    size_t modulus_string_size;
    unsigned tower_levels; /* min(v2_order, GFP_TOWER) */
    uint64_t *tower;       /* w_(2^m) at (m - 1) k, 1 <= m <= tower_levels; then w_(2^v2_order) */
    uint64_t modulus[GFP_MAX_LIMBS + 1];
    /* r^(2^i) for i < log2_k at power[2^i - 1], power_size[i] limbs (at most 2^i). */
    uint64_t power[GFP_MAX_K];
    unsigned power_size[9];
    _Atomic(gfp_attachment *) attached[GFP_ATTACHMENTS];
    _Atomic(uint64_t) note;
    gfp_answer answers[GFP_FIELD_ANSWERS];
    gfp_work_pool pool;
    atomic_uint threads; /* the default number of threads; 0 stands for 1 */
    long process;        /* gfp_parallel_process of the process that created the field */
};

/* Creates a context without proof, name and tower, for arithmetic only. Errors: ARGUMENT, MODULUS,
 * MEMORY. */
gfp_status gfp_field_create_raw(gfp_field **field, uint64_t r, unsigned k,
                                const gfp_allocator *allocator, gfp_error *error);

/* Creates a complete field. proved is the certificate that this library itself made for (r, k); if
 * proved is NULL, this call proves p. Errors: MODULUS, COMPOSITE, UNPROVED, MEMORY. */
gfp_status gfp_field_create_proved(gfp_field **field, uint64_t r, unsigned k,
                                   const gfp_certificate *proved, const gfp_allocator *allocator,
                                   gfp_error *error);

/* Checks that k and r are in the supported range. Errors: MODULUS. */
gfp_status gfp_field_check_form(uint64_t r, unsigned k, gfp_error *error);

/* z := a^((p-1)/2^v2_order): the first step of the proof and of the tower. */
void gfp_field_odd_power(const gfp_field *field, uint64_t *z, uint64_t a);

/* Proves that p is prime, on a context without proof. Errors: COMPOSITE, UNPROVED, MEMORY. */
gfp_status gfp_field_prove(const gfp_field *field, gfp_certificate *certificate, gfp_error *error);

/* Returns the index of (r, k) among the named primes, or -1. */
int gfp_named_prime_find(uint64_t r, unsigned k);

/* Returns the number of bits of r^k + 1, r > 1, without a context. */
unsigned gfp_radix_modulus_bits(uint64_t r, unsigned log2_k);

/* Radix conversion of one element: digits are k words, limbs gfp_field_limbs words of a value below
 * p. */
void gfp_radix_init(gfp_field *field);
void gfp_radix_to_digits(const gfp_field *field, uint64_t *digits, const uint64_t *limbs);
void gfp_radix_to_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *digits);
/* z := n limbs mod p, any n. This function is the slow twin of gfp_convert_import. */
void gfp_radix_reduce(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t n);

/* z := the canonical digits of sum v_i r^i, for any |v_i| < 2^126. v is overwritten. */
void gfp_reference_normalize(const gfp_field *field, uint64_t *z, gfp_i128 *v);

static inline bool gfp_is_special(const gfp_field *field, const uint64_t *x)
{
    return x[field->k - 1] == field->r;
}

#endif
