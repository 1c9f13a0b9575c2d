/* crt/crt.h: products through small primes and through FLINT, on digit arrays; used by the method
 * table in poly/. Only this room includes FLINT for computing. SPDX-License-Identifier:
 * LGPL-3.0-or-later */
#ifndef GFP_CRT_H
#define GFP_CRT_H

#include "cpu.h"
#include "task.h"

/* c := a b (len_a + len_b - 1 coefficients), both lengths >= 1, all arrays canonical digits over
 * field; c must not overlap a or b.
 * multimodular: word-size primes for the bound min(len_a, len_b) (p-1)^2, one nmod_poly product
 * each, FLINT's CRT, reduction mod p. flint: one fmpz_mod_poly_mul.
 * FLINT aborts the process when memory runs out inside it; our own side is allocated first, through
 * the field's allocator, and returns MEMORY. Errors: SIZE, MEMORY; UNAVAILABLE when built without
 * FLINT; VERSION when the FLINT that is loaded is not the one built with; CANCELLED (c is
 * undefined): asked before and after each prime and now and then in the CRT; with flint only before
 * all work and after it, since FLINT cannot be interrupted. task may be NULL. */
gfp_status gfp_crt_mul_multimodular(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task);
gfp_status gfp_crt_mul_flint(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                             const uint64_t *b, size_t len_b, gfp_task *task);

/* Word-size primes that multimodular uses for a product (0 when built without FLINT). */
size_t gfp_crt_prime_count(const gfp_field *field, size_t len_a, size_t len_b);
/* Bytes of our own side (with so many threads) and an estimate of FLINT's, for
 * gfp_method_info.workspace. Saturates. */
size_t gfp_crt_multimodular_bytes(const gfp_field *field, size_t len_a, size_t len_b,
                                  unsigned threads);
size_t gfp_crt_flint_bytes(const gfp_field *field, size_t len_a, size_t len_b);

/* hybrid: an outer DFT over Z/pZ on digits, leaves by a few word-size primes, for every k, r and
 * length; without FLINT. One work area (none for short products). Roots of unity are computed at
 * the first product that needs them and kept with the field. Errors: SIZE; MEMORY; CANCELLED (c is
 * undefined): asked between columns of the outer DFT and after every leaf, a 4th to 16th of the
 * work. task may be NULL. */
gfp_status gfp_crt_mul_hybrid(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, gfp_task *task);
/* The same for coefficients first <= i < end of a b alone, end <= len_a + len_b - 1: in a shorter
 * ring X^L - 1 where what wraps around misses them, L >= end, L >= len_a + len_b - 1 - first. Both
 * factors have at most end coefficients: others do not matter. */
gfp_status gfp_crt_mul_hybrid_range(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, size_t first,
                                    size_t end, gfp_task *task);
/* Bytes that it takes beside c, by so many threads. Saturates. */
size_t gfp_crt_hybrid_range_bytes(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                  size_t end, unsigned threads);
/* Its time over that of the whole product, roughly. */
double gfp_crt_hybrid_range_share(const gfp_field *field, size_t len_a, size_t len_b, size_t first,
                                  size_t end);
/* Bytes of the work area with so many threads. Saturates. */
size_t gfp_crt_hybrid_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads);
/* hybrid_lean.c: the same by one thread in at most cap bytes of work memory: what they would be,
 * and in *factor the time beside the usual product's, roughly; SIZE_MAX: no plan is that small. The
 * product: also MEMORY where no plan is. */
size_t gfp_crt_hybrid_bytes_within(const gfp_field *field, size_t len_a, size_t len_b, size_t cap,
                                   double *factor);
gfp_status gfp_crt_mul_hybrid_within(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                     size_t len_a, const uint64_t *b, size_t len_b, size_t cap,
                                     gfp_task *task);
/* hybrid_stream.c: what the product takes, in bytes, about: its work memory is `streamed` bytes
 * that are gone through from end to end a few times, and may lie in a file, then `held` bytes that
 * are gone through so for each leaf; tables are kept with the field, through its allocator. */
typedef struct gfp_crt_areas {
    size_t streamed, held, tables;
} gfp_crt_areas;

/* Where so many threads multiply leaves: each holds what it needs for one. False: they do not fit
 * size_t. */
bool gfp_crt_hybrid_areas(gfp_crt_areas *areas, const gfp_field *field, size_t len_a, size_t len_b,
                          unsigned threads);
/* The same product in work memory of the caller's, aligned to 64 bytes, leaves by so many threads
 * and the rest by all of the task's. */
gfp_status gfp_crt_mul_hybrid_in(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work,
                                 unsigned threads, gfp_task *task);
/* The kernel level whose engines serve this field: its own or, for the radices they refuse, the
 * portable one. */
gfp_level gfp_crt_hybrid_level(const gfp_field *field);

/* crt: word-size primes for the bound min(len_a, len_b) (p-1)^2 and our own transforms, vectorised
 * projection and CRT, for every k, r and length; without FLINT. One work area (field/work.h) of a
 * word for each prime and point, and for up to 32 more primes. Primes and constants are found at
 * the first product and kept with the field. Errors: SIZE; MEMORY; CANCELLED (c is undefined):
 * asked after every prime and now and then in projection and CRT. task may be NULL; its threads
 * share points and coefficients in projection and CRT, and up to 32 primes at a time between these.
 */
gfp_status gfp_crt_mul_native(const gfp_field *field, uint64_t *c, const uint64_t *a, size_t len_a,
                              const uint64_t *b, size_t len_b, gfp_task *task);
/* Bytes of the work area with so many threads: each adds the roots of a prime. Saturates. */
size_t gfp_crt_native_bytes(const gfp_field *field, size_t len_a, size_t len_b, unsigned threads);
/* The same by one thread in work memory of the caller's, of so many words, aligned to 64 bytes;
 * after a product of these lengths it allocates nothing. */
size_t gfp_crt_native_words(const gfp_field *field, size_t len_a, size_t len_b);
gfp_status gfp_crt_mul_native_in(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                 size_t len_a, const uint64_t *b, size_t len_b, uint64_t *work);
/* The kernel level whose engine serves this field. */
gfp_level gfp_crt_native_level(const gfp_field *field);

/* "" where FLINT's loaded library matches the headers of this build in major and minor version,
 * else a sentence for a user. */
const char *gfp_crt_flint_problem(void);

#endif
