/* field_impl.h: the field context's inside, for this room and for transforms.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_IMPL_H
#define GFP_FIELD_IMPL_H

#include <stdatomic.h>

#include "attachment.h"
#include "convert.h"
#include "gfpoly/elem.h"
#include "kernels.h"
#include "lanes.h"
#include "mul_fft.h"
#include "word.h"
#include "work.h"

/* Roots w_(2^m) for m <= GFP_TOWER are tabulated. */
#define GFP_TOWER 64
#define GFP_NAME_SIZE 32

/* Work areas that the field keeps: each block is in one slot, or in the hands of one thread. */
typedef struct gfp_work_pool {
    _Atomic(struct gfp_work_block *) kept[GFP_WORK_SLOTS];
    atomic_size_t bytes; /* of those kept; at most limit */
    atomic_size_t limit;
} gfp_work_pool;

/* A question and its answer. state: the answer, above it the number of times that it was written
 * and, in the lowest of these bits, whether it is being written. */
typedef struct gfp_answer {
    _Atomic(uint64_t) state;
    _Atomic(uint64_t) word[GFP_QUESTION_WORDS];
} gfp_answer;

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
    gfp_lanes_radix lanes; /* where r >= GFP_LANES_R_MIN */
    uint64_t r_squared[2];
    const gfp_kernels *kernels;
    gfp_mul_fft_tables *mul_fft;
    gfp_convert *convert; /* NULL where conversion has no lanes */
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
    atomic_uint threads; /* of calls that do not say; 0: 1 */
    long process;        /* the one that created it */
};

/* A context without proof, name and tower: arithmetic only. ARGUMENT/MODULUS/MEMORY. */
gfp_status gfp_field_create_raw(gfp_field **field, uint64_t r, unsigned k,
                                const gfp_allocator *allocator, gfp_error *error);

/* A complete field. proved is the certificate that this library itself made for (r, k), or NULL:
 * then p is proved here. MODULUS, COMPOSITE, UNPROVED, MEMORY. */
gfp_status gfp_field_create_proved(gfp_field **field, uint64_t r, unsigned k,
                                   const gfp_certificate *proved, const gfp_allocator *allocator,
                                   gfp_error *error);

/* MODULUS unless k and r are in the supported range. */
gfp_status gfp_field_check_form(uint64_t r, unsigned k, gfp_error *error);

/* z := a^((p-1)/2^v2_order): what both the proof and the tower start from. */
void gfp_field_odd_power(const gfp_field *field, uint64_t *z, uint64_t a);

/* The proof on a raw context. */
gfp_status gfp_field_prove(const gfp_field *field, gfp_certificate *certificate, gfp_error *error);

/* Index of (r, k) among the named primes, or -1. */
int gfp_named_prime_find(uint64_t r, unsigned k);

/* (r, k) from a name, a formula or a number. */
gfp_status gfp_field_parse(const char *text, uint64_t *r, unsigned *k, gfp_error *error);

/* The bits of r^k + 1, r > 1, without a context. */
unsigned gfp_radix_modulus_bits(uint64_t r, unsigned log2_k);

/* Radix conversion; digits hold k words, limbs gfp_field_limbs words. value < p. */
void gfp_radix_init(gfp_field *field);
void gfp_radix_to_digits(const gfp_field *field, uint64_t *digits, const uint64_t *limbs);
void gfp_radix_to_limbs(const gfp_field *field, uint64_t *limbs, const uint64_t *digits);
/* z := n limbs mod p, any n; the slow twin of gfp_convert_import. */
void gfp_radix_reduce(const gfp_field *field, uint64_t *z, const uint64_t *limbs, size_t n);

/* Canonical digits of sum v_i r^i for any |v_i| < 2^126. v is overwritten. */
void gfp_reference_normalize(const gfp_field *field, uint64_t *z, gfp_i128 *v);

static inline bool gfp_is_special(const gfp_field *field, const uint64_t *x)
{
    return x[field->k - 1] == field->r;
}

#endif
