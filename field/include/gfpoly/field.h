/* gfpoly/field.h: the fields Z/pZ, p = r^k + 1, as contexts: creation by name, proof of primality,
 * properties, the canonical tower of roots of unity.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FIELD_H
#define GFPOLY_FIELD_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* Limits: k = 2^j with 2 <= k <= GFP_MAX_K, r even, 2 <= r < 2^64. */
#define GFP_MAX_K 256
/* Most 64-bit limbs of a modulus (and of any element): r^k + 1 < 2^(64*256) + 1 still fits 256. */
#define GFP_MAX_LIMBS 256

/* A field. Immutable after creation, so that any number of threads may share it; everything made
 * over it refers to it, so it must outlive polynomials and plans. */
typedef struct gfp_field gfp_field;

typedef enum gfp_proof {
    GFP_PROOF_PROTH = 1,      /* 2^v2(p-1) > sqrt(p) and a^((p-1)/2) = -1 */
    GFP_PROOF_POCKLINGTON = 2 /* more prime factors of r are needed to pass sqrt(p) */
} gfp_proof;

/* "Proth" or "Pocklington". */
GFP_API const char *gfp_proof_string(gfp_proof proof);

/* A proof that p = r^k + 1 is prime (Pocklington's theorem; Proth's is the case of factor 2 alone):
 * the primes q listed divide r, the part of p - 1 = r^k made of them exceeds sqrt(p) - 1, and for
 * each q the base a has a^(p-1) = 1 and gcd(a^((p-1)/q) - 1, p) = 1. */
typedef struct gfp_certificate {
    gfp_proof proof;
    unsigned count;
    struct {
        uint64_t prime; /* q, a prime factor of r; entry 0 is always 2 */
        uint64_t base;  /* a */
    } factor[16];
} gfp_certificate;

/* Proves p = r^k + 1 prime and writes the certificate.
 * Errors: MODULUS (k or r unsupported), COMPOSITE, UNPROVED, MEMORY.
 * Cost: one power modulo p for Proth, one more per further prime of the certificate. */
GFP_API GFP_MUST_CHECK gfp_status gfp_certificate_create(gfp_certificate *certificate, uint64_t r,
                                                         unsigned k, const gfp_allocator *allocator,
                                                         gfp_error *error);

/* Checks a certificate from scratch. Errors: as above; UNPROVED where the certificate does not
 * prove its claim. */
GFP_API GFP_MUST_CHECK gfp_status gfp_certificate_check(const gfp_certificate *certificate,
                                                        uint64_t r, unsigned k,
                                                        const gfp_allocator *allocator,
                                                        gfp_error *error);

/* The named primes: p2 ... p128 (sparse radices; ISSAC 2017 has p8 and p16 as P3 and P4) and
 * m4 ... m128 (the radices of the multi-core sequel). */
typedef struct gfp_named_prime {
    const char *name;    /* "p8" */
    const char *formula; /* "(2^63+2^34)^8+1" */
    uint64_t r;
    unsigned k;
    gfp_certificate certificate;
} gfp_named_prime;

GFP_API size_t gfp_named_prime_count(void);
/* NULL for index >= count. */
GFP_API const gfp_named_prime *gfp_named_prime_get(size_t index);

/* Creates a field from text, which is one of
 *   a name       "p8": those of gfp_named_prime_get, in lower case;
 *   a formula    "(2^63+2^34)^8+1", "(2^12-2)^256+1", "30^32+1": the radix r, ^, k, +1. The radix
 * is one decimal number, or in parentheses a sum and difference of decimal numbers and of powers of
 * them; the modulus  p in decimal, or in hexadecimal after 0x or 0X, its letters in either case.
 * Where p has several forms (65537 = 256^2+1 = 16^4+1 = 4^8+1 = 2^16+1) the field has the one of
 * smallest k with r < 2^64. Spaces (no tabs or line ends) may stand around the text and between the
 * parts of a formula: "2 ^ 2 + 1" is "2^2+1". A decimal number with leading zeros is refused
 * ("2^02+1", "017"); after 0x they are accepted. allocator may be NULL (malloc and free). Errors:
 * PARSE (error->offset is the character that does not belong there), UNKNOWN (name), MODULUS
 * (unsupported k or r: odd, too large, k not a power of two; or a number that is not r^k + 1),
 * COMPOSITE, UNPROVED, MEMORY; *field is unchanged.
 * Cost: one power modulo p for the tower of roots; for fields without a name one more for Proth's
 * proof, and one per further factor for Pocklington's: about 0.15 s for p128 (8192 bits), below 5
 * ms up to 2000 bits, up to 1 s at k = 256. It asks no gfp_progress. Thread-safe. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_create(gfp_field **field, const char *text,
                                                   const gfp_allocator *allocator,
                                                   gfp_error *error);

/* The same from r and k. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_create_rk(gfp_field **field, uint64_t r, unsigned k,
                                                      const gfp_allocator *allocator,
                                                      gfp_error *error);

/* Another context of the same field, with an allocator of its own (NULL: malloc and free). A field
 * keeps the proof of its prime: it is not made again. Errors: MEMORY; *copy is unchanged. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_create_copy(gfp_field **copy, const gfp_field *field,
                                                        const gfp_allocator *allocator,
                                                        gfp_error *error);

/* NULL is allowed. Nothing made over the field may be used afterwards. */
GFP_API void gfp_field_destroy(gfp_field *field);

GFP_API unsigned gfp_field_k(const gfp_field *field);
GFP_API uint64_t gfp_field_r(const gfp_field *field);
/* Bits of p; 64-bit limbs of p. */
GFP_API unsigned gfp_field_bits(const gfp_field *field);
GFP_API unsigned gfp_field_limbs(const gfp_field *field);
/* The exponent of 2 in r, and in p - 1 (= k times the former): transforms exist for N = 2^m,
 * m <= gfp_field_v2_order. */
GFP_API unsigned gfp_field_v2_r(const gfp_field *field);
GFP_API unsigned gfp_field_v2_order(const gfp_field *field);
/* The name where (k, r) is a named prime, else the formula "r^k+1" with r and k in decimal. */
GFP_API const char *gfp_field_name(const gfp_field *field);
/* p in decimal; lives as long as the field. */
GFP_API const char *gfp_field_modulus_string(const gfp_field *field);
/* p as gfp_field_limbs limbs, least significant first; lives as long as the field. */
GFP_API const uint64_t *gfp_field_modulus_limbs(const gfp_field *field);
GFP_API const gfp_certificate *gfp_field_certificate(const gfp_field *field);
GFP_API const gfp_allocator *gfp_field_allocator(const gfp_field *field);

/* What products work in is kept with their field, so that the next ones neither wait for memory nor
 * touch fresh pages: at most 16 areas (so many products at once profit), each no larger than a
 * product needed, in all at most a limit, 2^30 bytes unless set. release gives all of it back to
 * the allocator, kept tells how many bytes there are; limit sets the limit (0: nothing is kept),
 * and gives back what is there where that is more. gfp_field_destroy gives back everything.
 * Thread-safe, also while products run: areas in use are kept or released when these end. */
GFP_API void gfp_field_release_memory(const gfp_field *field);
GFP_API size_t gfp_field_kept_memory(const gfp_field *field);
GFP_API void gfp_field_limit_memory(const gfp_field *field, size_t bytes);

/* Whether elements of both fields may be mixed: equal k and equal r. Equal p with different (k, r)
 * is not enough (digits mean different things). NULL equals nothing. */
GFP_API bool gfp_field_same(const gfp_field *f, const gfp_field *g);
GFP_API bool gfp_field_same_modulus(const gfp_field *f, const gfp_field *g);

/* The canonical tower: root := w_N, N = 2^m, as k canonical digits, with w_(N/2) = w_N^2 and
 * w_N^(N/2k) = r for N >= 2k (ISSAC 2017, Prop. 1 and Alg. 1). Deterministic: the same on every
 * machine and for every backend. With g = a^((p-1)/2^v) for the base a of the certificate's entry
 * for 2 and v = v2(p - 1), w_(2^v) = g^j for the one odd j < 2k that gives the property.
 * Errors: NO_ROOT when 2^m does not divide p - 1.
 * Cost: none for m <= 64, else squarings. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_root(const gfp_field *field, uint64_t *root,
                                                 unsigned m);

/* ---- threads ---- */

/* A call uses at most so many threads, whatever it is asked for. */
#define GFP_MAX_THREADS 256

/* The threads of calls that do not say (gfp_options.threads = 0): 1 until set otherwise; 0
 * stands for 1. It is what a field may change at any time, from any thread: calls under way keep
 * theirs. A call never uses more threads than it was asked to, the calling one included, and fewer
 * where its work is too short to share. Calls that do not say use one inside an OpenMP parallel
 * region; there, those that say get what OpenMP's limit on nested regions leaves. */
GFP_API void gfp_field_set_threads(gfp_field *field, unsigned threads);
GFP_API unsigned gfp_field_threads(const gfp_field *field);
/* The processors that threads of this process may run on; 1 where the library was built without
 * threads (OpenMP), and whether it was built with them: calls without use one thread, whatever they
 * are asked for. */
GFP_API unsigned gfp_threads_available(void);
GFP_API bool gfp_threads_built_in(void);

/* The kernel level in use ("portable", "avx2" or "avx512ifma"), chosen once from the CPU; the
 * environment variable GFPOLY_CPU overrides it (a level that this machine or build lacks is
 * ignored). */
GFP_API const char *gfp_cpu_level(void);
/* The name of a kernel level, from the plainest (index 0) on; NULL: there are no more. *present
 * (may be NULL): whether this machine and build have it. */
GFP_API const char *gfp_cpu_level_at(unsigned index, bool *present);
/* Bytes that hold every brand. */
#define GFP_CPU_BRAND_SIZE 65
/* What the CPU calls itself: printable ASCII without '"', single spaces, not empty; where it says
 * nothing, the name of its architecture, else "unknown". */
GFP_API void gfp_cpu_brand(char text[GFP_CPU_BRAND_SIZE]);

GFP_END_DECLS
#endif
