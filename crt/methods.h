/* crt/methods.h: products through small primes and through FLINT, on digit arrays; used by the
 * method table (product/rows.c). Only this room includes FLINT for computing.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CRT_METHODS_H
#define GFP_CRT_METHODS_H

#include "field/base/cpu.h"
#include "field/base/task.h"

/* A range of a product: coefficients first <= i < end of the product of a and b, which have len_a
 * and len_b coefficients, both at least 1; first < end and first < len_a + len_b - 1, and end at
 * most that except where a line says otherwise. Planning reads no coefficients: a and b may be NULL
 * in plans. */
typedef struct gfp_range {
    const gfp_field *field;
    const uint64_t *a, *b;
    size_t len_a, len_b, first, end;
    size_t bits_a, bits_b; /* not 0: coefficients are integers of at most these bits, up to a sign,
                              and the product over Z is the product modulo p */
} gfp_range;

static inline gfp_range gfp_range_make(const gfp_field *field, const uint64_t *a, const uint64_t *b,
                                       size_t len_a, size_t len_b, size_t first, size_t end)
{
    return (gfp_range){
        .field = field, .a = a, .b = b, .len_a = len_a, .len_b = len_b, .first = first, .end = end};
}

static inline gfp_range gfp_range_whole(const gfp_field *field, const uint64_t *a, size_t len_a,
                                        const uint64_t *b, size_t len_b)
{
    return gfp_range_make(field, a, b, len_a, len_b, 0, len_a + len_b - 1);
}

static inline size_t gfp_range_product_length(const gfp_range *r)
{
    return r->len_a + r->len_b - 1;
}

static inline bool gfp_range_is_whole(const gfp_range *r)
{
    return r->first == 0 && r->end == gfp_range_product_length(r);
}

/* Returns the least L such that a product modulo X^L - 1 is right on the range, which may end
 * beyond the product, and both factors fit. The wrapped coefficients miss coefficient i if i + L >=
 * len_a + len_b - 1. */
static inline size_t gfp_range_ring_length(const gfp_range *r)
{
    const size_t all = gfp_range_product_length(r),
                 longer = r->len_a > r->len_b ? r->len_a : r->len_b;
    const size_t end = r->end < all ? r->end : all, above = r->first < all ? all - r->first : 0;
    const size_t n = end > above ? end : above;
    return n > longer ? n : longer;
}

/* Cuts both factors to the coefficients that the range depends on; its end may lie beyond the
 * product. */
void gfp_range_trim(gfp_range *range);
/* Returns the range with the longer factor as a. */
gfp_range gfp_range_longer_first(const gfp_range *range);

/* The limits of a product. */
typedef struct gfp_limits {
    size_t cap;       /* bytes of work space; 0: no limit */
    unsigned threads; /* >= 1 */
    unsigned devices; /* of a method that deals its work over several; others do not read it */
} gfp_limits;

/* The needs of a plan for a range. */
typedef struct gfp_needs {
    size_t first, end; /* the coefficients computed; the range is among them */
    size_t words;      /* words of the work area */
    bool on_stack;     /* a short area, up to GFP_STACK_WORDS, is not worth an allocation */
    size_t beyond;     /* bytes in addition to the area: tables of the plan, FLINT's own memory */
    size_t tables;     /* bytes of tables that stay with the field, about */
    double share;      /* the share of the whole product's time without a cap, about */
} gfp_needs;

/* c := a b (len_a + len_b - 1 coefficients), both lengths >= 1, all arrays canonical digits over
 * field; c must not overlap a or b. task may be NULL.
 * multimodular: word-size primes for the bound min(len_a, len_b) (p-1)^2, one nmod_poly product
 * each, FLINT's CRT, reduction mod p. flint: one fmpz_mod_poly_mul.
 * Errors: SIZE; MEMORY: our own memory is allocated first, through the field's allocator (FLINT
 * aborts the process if memory runs out inside FLINT); UNAVAILABLE when built without FLINT;
 * VERSION when the FLINT that is loaded is not the one built with; CANCELLED (c is undefined).
 * multimodular reports to the task before and after each prime and now and then in the CRT; flint
 * only before and after all work, since FLINT cannot be interrupted. */
gfp_status gfp_crt_mul_multimodular(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task);
gfp_status gfp_crt_mul_flint(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                             const uint64_t *b, size_t len_b, gfp_task *task);

/* Integers in two's complement, `width` limbs each, one after the other. */
typedef struct gfp_crt_integers {
    const uint64_t *limbs;
    size_t len, width;
} gfp_crt_integers;

/* c := a b over Z, len_a + len_b - 1 coefficients of `width` limbs, which must suffice, by one
 * fmpz_poly_mul; both lengths >= 1. Memory, errors and reports as gfp_crt_mul_flint. */
gfp_status gfp_crt_zmul_flint(uint64_t *c, size_t width, const gfp_crt_integers *a,
                              const gfp_crt_integers *b, gfp_task *task);
/* r, `width` limbs, := the resultant; z := the greatest common divisor, with room for `len`
 * coefficients of `width` limbs, len being set to the length; operands are not 0. Errors and
 * reports as gfp_crt_mul_flint; also SIZE: a coefficient does not fit the width. */
gfp_status gfp_crt_zresultant_flint(uint64_t *r, size_t width, const gfp_crt_integers *a,
                                    const gfp_crt_integers *b);
typedef struct gfp_crt_divisor {
    uint64_t *limbs;
    size_t len, width;
} gfp_crt_divisor;
gfp_status gfp_crt_zgcd_flint(gfp_crt_divisor *z, const gfp_crt_integers *a,
                              const gfp_crt_integers *b);
/* An estimate of the bytes that the call takes; width: limbs of the product. Saturates. */
size_t gfp_crt_zmul_flint_bytes(size_t len_a, size_t len_b, size_t width);

/* Returns the number of word-size primes that multimodular uses for a product (0 when built without
 * FLINT). */
size_t gfp_crt_prime_count(const gfp_field *field, size_t len_a, size_t len_b);
/* Returns the bytes of our own side (for `threads` threads) plus an estimate of FLINT's, for
 * gfp_method_info.workspace. Saturates. */
size_t gfp_crt_multimodular_bytes(const gfp_field *field, size_t len_a, size_t len_b,
                                  unsigned threads);
size_t gfp_crt_flint_bytes(const gfp_field *field, size_t len_a, size_t len_b);

/* Returns the kernel level whose engine of crt serves this field: the field's own or, for the
 * radices that it refuses, the portable one. */
gfp_level gfp_crt_native_level(const gfp_field *field);

/* Returns "" if FLINT's loaded library matches the headers of this build in major and minor
 * version, else a sentence for a user. */
const char *gfp_crt_flint_problem(void);

#endif
