/* gfpoly/field.h: the fields Z/pZ, p = r^k + 1, as contexts: creation by name, proof of primality,
 * properties, and the canonical tower of roots of unity.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_FIELD_H
#define GFPOLY_FIELD_H

#include "gfpoly/base.h"

GFP_BEGIN_DECLS

/* Limits: k = 2^j with 2 <= k <= GFP_MAX_K, r even, 2 <= r < 2^64. */
#define GFP_MAX_K 256
/* The most 64-bit limbs of a modulus, and of any element. r^k + 1 < 2^(64*256) + 1 still fits
 * 256. */
#define GFP_MAX_LIMBS 256

/* A field. A field is immutable after creation, so any number of threads may share it. Everything
 * made over a field refers to the field: the field must outlive its polynomials and plans. */
typedef struct gfp_field gfp_field;

typedef enum gfp_proof {
    GFP_PROOF_PROTH = 1,      /* 2^v2(p-1) > sqrt(p) and a^((p-1)/2) = -1 */
    GFP_PROOF_POCKLINGTON = 2 /* passing sqrt(p) takes more prime factors of r */
} gfp_proof;

/* Returns "Proth" or "Pocklington". */
GFP_API const char *gfp_proof_string(gfp_proof proof);

/* A proof that p = r^k + 1 is prime by Pocklington's theorem (Proth's is the case of the factor 2
 * alone). The listed primes q divide r; the part of p - 1 = r^k that they form exceeds sqrt(p) - 1;
 * for each q the base a has a^(p-1) = 1 and gcd(a^((p-1)/q) - 1, p) = 1. */
typedef struct gfp_certificate {
    gfp_proof proof;
    unsigned count;
    struct {
        uint64_t prime; /* q, a prime factor of r; entry 0 is always 2 */
        uint64_t base;  /* a */
    } factor[16];
} gfp_certificate;

/* A named prime: those that begin with p have sparse radices (p8 and p16 are P3 and P4 in ISSAC
 * 2017), those that begin with m the radices of the multi-core sequel. */
typedef struct gfp_named_prime {
    const char *name;    /* "p8" */
    const char *formula; /* "(2^63+2^34)^8+1" */
    uint64_t r;
    unsigned k;
    gfp_certificate certificate;
} gfp_named_prime;

/* Returns the number of named primes. */
GFP_API size_t gfp_named_prime_count(void);
/* Returns the named prime of this index; NULL for index >= gfp_named_prime_count(). */
GFP_API const gfp_named_prime *gfp_named_prime_get(size_t index);

/* Creates a field from text, which is one of
 *   a name       "p8": those of gfp_named_prime_get, in lower case;
 *   a formula    "(2^63+2^34)^8+1", "(2^12-2)^256+1", "30^32+1": the radix r, ^, k, +1;
 *   the modulus  p in decimal, or in hexadecimal after 0x or 0X with letters of either case.
 * The radix of a formula is one decimal number, or in parentheses a sum and difference of decimal
 * numbers and of powers of decimal numbers. If p has several forms (65537 = 256^2+1 = 16^4+1 =
 * 4^8+1 = 2^16+1), the field has the form of smallest k with r < 2^64. Spaces (no tabs or line
 * ends) may stand around the text and between the parts of a formula: "2 ^ 2 + 1" is "2^2+1". A
 * decimal number with leading zeros is refused ("2^02+1", "017"); leading zeros after 0x are
 * accepted. allocator may be NULL (malloc and free).
 * Errors: PARSE (error->offset is the first wrong character), UNKNOWN (name), MODULUS (unsupported
 * k or r: odd, too large, k not a power of two; or a number that is not r^k + 1), COMPOSITE,
 * UNPROVED, MEMORY; *field is unchanged.
 * Cost: one power modulo p for the tower of roots; for fields without a name one more for Proth's
 * proof, and one per further factor for Pocklington's: about 0.15 s for p128 (8192 bits), below 5
 * ms up to 2000 bits, up to 1 s at k = 256. The function calls no gfp_progress. Thread-safe. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_create(gfp_field **field, const char *text,
                                                   const gfp_allocator *allocator,
                                                   gfp_error *error);

/* *r, *k := the r and k of the field that gfp_field_create makes of text, without a proof: a
 * program that keeps fields finds the one that it has. Whether r^k + 1 is prime, and served, is not
 * checked. Errors: ARGUMENT (r or k is NULL); PARSE, UNKNOWN, MODULUS, as for gfp_field_create; *r
 * and *k are unchanged then. Cost: square roots of a modulus. Thread-safe. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_parse(uint64_t *r, unsigned *k, const char *text,
                                                  gfp_error *error);

/* Creates the field p = r^k + 1 from r and k. allocator, errors and cost: see gfp_field_create;
 * PARSE and UNKNOWN do not occur. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_create_rk(gfp_field **field, uint64_t r, unsigned k,
                                                      const gfp_allocator *allocator,
                                                      gfp_error *error);

/* Destroys a field; NULL is allowed. Nothing made over the field may be used afterwards. */
GFP_API void gfp_field_destroy(gfp_field *field);

/* Returns k. */
GFP_API unsigned gfp_field_k(const gfp_field *field);
/* Returns r. */
GFP_API uint64_t gfp_field_r(const gfp_field *field);
/* Returns the number of bits of p. */
GFP_API unsigned gfp_field_bits(const gfp_field *field);
/* Returns the number of 64-bit limbs of p. */
GFP_API unsigned gfp_field_limbs(const gfp_field *field);
/* Returns v2(p - 1) = k v2(r): transforms exist for N = 2^m, m <= v2(p - 1). */
GFP_API unsigned gfp_field_v2_order(const gfp_field *field);
/* Returns the name if (k, r) is a named prime, else the formula "r^k+1" with r and k in decimal.
 * The text lives as long as the field. */
GFP_API const char *gfp_field_name(const gfp_field *field);
/* Returns p as gfp_field_limbs limbs, least significant first. The limbs live as long as the
 * field. */
GFP_API const uint64_t *gfp_field_modulus_limbs(const gfp_field *field);
/* What is asked for less often. Pointers live as long as the field. */
typedef struct gfp_field_info {
    const char *modulus;                /* p in decimal */
    const gfp_certificate *certificate; /* the proof that p is prime */
    unsigned threads;                   /* the default of calls: gfp_field_set_threads */
    size_t kept_memory;                 /* bytes of kept work areas: gfp_field_limit_memory */
} gfp_field_info;
/* Describes the field as it stands. */
GFP_API gfp_field_info gfp_field_get_info(const gfp_field *field);

/* A field keeps the work areas of its products, so that the next products neither wait for memory
 * nor touch fresh pages. A field keeps at most 16 areas, which serve up to 16 concurrent products.
 * No area is larger than a product needed, and all areas together take no more bytes than a limit,
 * which is 2^30 unless gfp_field_limit_memory sets it. gfp_field_destroy gives every area back. The
 * two functions below are thread-safe, also while products run: areas in use are kept or released
 * when their products end.
 * Gives all kept areas back to the allocator. */
GFP_API void gfp_field_release_memory(const gfp_field *field);
/* Sets the limit in bytes (0: the field keeps nothing), and gives kept areas back if they exceed
 * the limit. */
GFP_API void gfp_field_limit_memory(const gfp_field *field, size_t bytes);

/* Whether elements of both fields may be mixed: equal k and equal r. Equal p with different (k, r)
 * is not enough, since digits mean different things. NULL equals nothing. */
GFP_API bool gfp_field_same(const gfp_field *f, const gfp_field *g);

/* root := w_N of the canonical tower, N = 2^m, as k canonical digits. The tower has w_(N/2) =
 * w_N^2, and w_N^(N/2k) = r for N >= 2k (ISSAC 2017, Prop. 1 and Alg. 1). The tower is
 * deterministic: the same on every machine and for every backend. With g = a^((p-1)/2^v) for the
 * base a of the certificate's entry for 2 and v = v2(p - 1), w_(2^v) = g^j for the one odd j < 2k
 * that gives these properties.
 * Errors: NO_ROOT if 2^m does not divide p - 1.
 * Cost: none for m <= 64, else squarings. */
GFP_API GFP_MUST_CHECK gfp_status gfp_field_root(const gfp_field *field, uint64_t *root,
                                                 unsigned m);

/* ---- threads ---- */

/* The most threads that any call uses, whatever number it is asked for. */
#define GFP_MAX_THREADS 256

/* Sets the default number of threads of the field: the threads of calls whose own number is 0
 * (gfp_options.threads = 0). The default is 1 until it is set; 0 stands for 1. Any thread may
 * change the default at any time; running calls keep their number of threads. A call never uses
 * more threads than it was asked to, the calling thread included, and fewer if its work is too
 * short to share. Inside an OpenMP parallel region, calls by default use one thread, and calls with
 * a number of their own get what OpenMP's limit on nested regions leaves. */
GFP_API void gfp_field_set_threads(gfp_field *field, unsigned threads);
/* Returns the name of a kernel level, from the plainest (index 0) on; NULL if index is past the
 * last level. *present (may be NULL) := whether this machine and build have the level. */
GFP_API const char *gfp_cpu_level_at(bool *present, unsigned index);

/* ---- the machine ---- */

/* The bytes of the longest brand, terminator included. */
#define GFP_CPU_BRAND_SIZE 65
/* The machine as calls use it. */
typedef struct gfp_machine_info {
    /* The kernel level in use: "portable", "avx2", "avx512dq", "avx512ifma" or "neon", a text that
     * lives as long as the process. The level is chosen once from the CPU. The environment variable
     * GFPOLY_CPU overrides the choice; a level that this machine or build lacks is ignored. */
    const char *cpu_level;
    unsigned threads; /* processors that threads of this process may run on; 1 for a library that
                         was built without threads */
    /* The CPU's own name (brand): printable ASCII without '"', single spaces, not empty. A CPU
     * without a brand has the name of its architecture, else "unknown". */
    char cpu[GFP_CPU_BRAND_SIZE];
} gfp_machine_info;
/* Returns what the library knows of the machine. */
GFP_API gfp_machine_info gfp_machine_get_info(void);

GFP_END_DECLS
#endif
