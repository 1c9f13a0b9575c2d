/* crt/small/multimodular.c: a product over Z/pZ through word-size primes: project the coefficients,
 * one nmod_poly product per prime, recombine by FLINT's CRT, reduce mod p.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <gmp.h>

#include "crt/methods.h"
#include "crt/small/flint_support.h"
#include "field/base/parallel.h"
#include "field/base/support.h"
#include "field/base/word.h"

#if GFP_HAVE_FLINT

#include <flint/fmpz.h>
#include <flint/nmod.h>
#include <flint/nmod_vec.h>
#include <flint/nmod_poly.h>

/* ---- the number of primes ---- */

/* Limbs of min(len) (p-1)^2 < 2^64 (2^64)^(2 GFP_MAX_K), and one more for a product of primes that
 * has just passed it. */
#define BOUND_LIMBS (2 * GFP_MAX_K + 2)

/* Multiplies z[0 .. n) by the word y, in place; returns the new number of limbs, without a leading
 * zero. */
static size_t mul_word(mp_limb_t *z, size_t n, uint64_t y)
{
    const mp_limb_t carry = mpn_mul_1(z, z, (mp_size_t)n, y);

    if (carry != 0) {
        z[n++] = carry;
    }
    return n;
}

/* A coefficient of the product over Z of polynomials with coefficients in [0, p) is a sum of at
 * most m = min(len_a, len_b) products, each at most (p-1)^2, and that much occurs (all coefficients
 * p-1). It lies in [0, m (p-1)^2], so its residues determine it if, and for the extreme case only
 * if, the product P of the primes exceeds m (p-1)^2 = m r^(2k). The least number of primes with
 * P > m r^(2k) is found by computing both exactly.
 *
 * The table never runs out: m r^(2k) < 2^(64 513), while every prime of it exceeds 2^64 - 2^16, so
 * that 514 of them multiply to more than 2^(64 514) (1 - 514 / 2^48) > 2^(64 513). */
size_t gfp_crt_prime_count(const gfp_field *field, size_t len_a, size_t len_b)
{
    mp_limb_t bound[BOUND_LIMBS];
    mp_limb_t product[BOUND_LIMBS];
    const size_t terms = len_a < len_b ? len_a : len_b;
    const unsigned k = gfp_field_k(field);
    size_t bound_n = 1;
    size_t product_n = 1;
    size_t count = 1;

    bound[0] = terms == 0 ? 1 : terms;
    for (unsigned i = 0; i < 2 * k; i++) {
        bound_n = mul_word(bound, bound_n, gfp_field_r(field));
    }
    product[0] = gfp_crt_prime(0);
    while (product_n < bound_n ||
           (product_n == bound_n && mpn_cmp(product, bound, (mp_size_t)bound_n) <= 0)) {
        product_n = mul_word(product, product_n, gfp_crt_prime(count));
        count++;
    }
    return count;
}

/* ---- residues ---- */

/* The constants of one prime for the projection of digits modulo it. Montgomery form with R =
 * 2^64. */
typedef struct channel {
    uint64_t q;
    uint64_t inverse;          /* 1/q mod R */
    uint64_t power[GFP_MAX_K]; /* power[i] = r^i R^2 mod q */
} channel;

/* Returns x / R mod q in [0, q), for x = high R + low with high < q. Subtracting the multiple m q
 * that cancels the low word cannot overflow, while adding one could: q is close to 2^64. */
static uint64_t multimodular_redc(const channel *ch, uint64_t high, uint64_t low)
{
    const uint64_t m = low * ch->inverse;
    const uint64_t t = gfp_hi64(gfp_mul_wide(m, ch->q));

    return high >= t ? high - t : high - t + ch->q;
}

static void channel_init(channel *ch, uint64_t q, uint64_t r, unsigned k)
{
    const uint64_t one = UINT64_MAX % q + 1; /* R mod q: q lies between R/2 and R */
    const uint64_t radix = gfp_mod_mul(r % q, one, q);

    ch->q = q;
    ch->inverse = 0 - gfp_mont_negative_inverse(q);
    ch->power[0] = gfp_mod_mul(one, one, q);
    for (unsigned i = 1; i < k; i++) {
        const gfp_u128 x = gfp_mul_wide(ch->power[i - 1], radix);
        ch->power[i] = multimodular_redc(ch, gfp_hi64(x), (uint64_t)x);
    }
}

/* Returns sum of x_i r^i mod q. Any digits < 2^64 serve, so the special element needs no case of
 * its own. The sum T of k products digit * power is below k 2^64 q <= 2^8 2^64 q: three words. The
 * first reduction makes it (T - m q) / R + q for some m < R: positive and below (2^8 + 1) q < 2^73,
 * so that its high word is less than q, as the second reduction requires. */
static uint64_t multimodular_project(const channel *ch, const uint64_t *x, unsigned k)
{
    gfp_u128 sum = 0;
    uint64_t carries = 0;

    for (unsigned i = 0; i < k; i++) {
        const gfp_u128 term = gfp_mul_wide(x[i], ch->power[i]);
        sum += term;
        carries += sum < term;
    }
    const uint64_t m = (uint64_t)sum * ch->inverse;
    const uint64_t t = gfp_hi64(gfp_mul_wide(m, ch->q));
    const gfp_u128 upper = gfp_join(carries, gfp_hi64(sum)) + (ch->q - t);
    return multimodular_redc(ch, gfp_hi64(upper), (uint64_t)upper);
}

static void project_vec(const channel *ch, uint64_t *z, const uint64_t *x, size_t n, unsigned k)
{
    for (size_t i = 0; i < n; i++) {
        z[i] = multimodular_project(ch, x + i * k, k);
    }
}

/* ---- the product ---- */

/* One allocation holds the residues of the product, prime after prime; those of the factors for one
 * prime at a time and thread; a column of residues for each thread, and the primes, for the CRT. */
typedef struct job {
    const gfp_field *field;
    const uint64_t *a; /* the longer factor */
    const uint64_t *b;
    size_t len_a, len_b, len_c;
    size_t count; /* of primes */
    size_t threads;
    bool square;
    uint64_t *block;
    size_t words;
    uint64_t *residues; /* count * len_c */
    uint64_t *images;   /* for each thread len_a and, unless it is a square, len_b */
    uint64_t *columns;  /* for each thread count */
    uint64_t *primes;   /* count */
    uint64_t *c;
} job;

static size_t image_words(const job *w)
{
    return w->len_a + (w->square ? 0 : w->len_b);
}

static bool job_words(const job *w, size_t *words)
{
    size_t n, images;

    return gfp_size_mul(&n, w->count, w->len_c) &&
           gfp_size_mul(&images, w->threads, image_words(w)) && gfp_size_add(&n, n, images) &&
           gfp_size_add(words, n, (w->threads + 1) * w->count);
}

static gfp_status job_init(job *w, const gfp_field *field, const uint64_t *a, size_t len_a,
                           const uint64_t *b, size_t len_b, unsigned threads)
{
    w->field = field;
    w->square = a == b && len_a == len_b;
    w->a = len_a >= len_b ? a : b;
    w->b = len_a >= len_b ? b : a;
    w->len_a = len_a >= len_b ? len_a : len_b;
    w->len_b = len_a >= len_b ? len_b : len_a;
    if (!gfp_size_add(&w->len_c, len_a, len_b - 1) || w->len_c > (size_t)WORD_MAX) {
        return GFP_ERR_SIZE;
    }
    w->count = gfp_crt_prime_count(field, len_a, len_b);
    w->threads = threads;
    if (!job_words(w, &w->words)) {
        return GFP_ERR_SIZE;
    }
    w->block = gfp_allocate(gfp_field_allocator(field), w->words, sizeof(uint64_t));
    if (w->block == NULL) {
        return GFP_ERR_MEMORY;
    }
    w->residues = w->block;
    w->images = w->residues + w->count * w->len_c;
    w->columns = w->images + w->threads * image_words(w);
    w->primes = w->columns + w->threads * w->count;
    return GFP_OK;
}

static void multiply_modulo(const job *w, size_t index, unsigned worker)
{
    const unsigned k = gfp_field_k(w->field);
    uint64_t *image_a = w->images + worker * image_words(w);
    uint64_t *image_b = w->square ? image_a : image_a + w->len_a;
    channel ch;
    nmod_t mod;

    channel_init(&ch, w->primes[index], gfp_field_r(w->field), k);
    nmod_init(&mod, ch.q);
    project_vec(&ch, image_a, w->a, w->len_a, k);
    if (!w->square) {
        project_vec(&ch, image_b, w->b, w->len_b, k);
    }
    _nmod_poly_mul(w->residues + index * w->len_c, image_a, (slong)w->len_a, image_b,
                   (slong)w->len_b, mod);
}

/* The share of the primes in the whole, for fractions of progress only: in truth it is 0.2 to 0.8,
 * more for longer polynomials and less for larger k. */
#define PRIMES_SHARE 0.5

static gfp_status multiply_primes(void *user, size_t from, size_t to, unsigned worker,
                                  gfp_task *task)
{
    const job *w = user;

    for (size_t j = from; j < to; j++) {
        multiply_modulo(w, j, worker);
        if (!gfp_task_advance(task, 1)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* FLINT keeps caches per thread, and OpenMP's threads outlive the call: leave frees the caches. */
static void multimodular_leave(void)
{
    flint_cleanup();
}

/* Computes the products modulo the primes; the callback runs after each. Returns false if the call
 * is cancelled. */
static bool multiply_residues(job *w, gfp_task *task)
{
    const gfp_parallel loop = {.run = multiply_primes, .job = w, .leave = multimodular_leave};

    return gfp_task_span(task, PRIMES_SHARE, (double)w->count, GFP_TASK_GRAIN) &&
           gfp_parallel_for(&loop, task, w->count, 1) == GFP_OK;
}

/* Recombines coefficients from <= i < to of the product. */
static gfp_status recombine_some(void *user, size_t from, size_t to, unsigned worker,
                                 gfp_task *task)
{
    const job *w = user;
    const unsigned k = gfp_field_k(w->field);
    uint64_t *column = w->columns + worker * w->count;
    fmpz_comb_t comb;
    fmpz_comb_temp_t temp;
    fmpz_t value;
    bool going = true;

    fmpz_comb_init(comb, w->primes, (slong)w->count);
    fmpz_comb_temp_init(temp, comb);
    fmpz_init(value);
    for (size_t i = from; i < to && going; i++) {
        for (size_t j = 0; j < w->count; j++) {
            column[j] = w->residues[j * w->len_c + i];
        }
        fmpz_multi_CRT_ui(value, column, comb, temp, 0);
        gfp_elem_set_fmpz_any(w->field, w->c + i * k, value);
        going = gfp_task_advance(task, 1);
    }
    fmpz_clear(value);
    fmpz_comb_temp_clear(temp);
    fmpz_comb_clear(comb);
    return going ? GFP_OK : GFP_ERR_CANCELLED;
}

/* A chunk makes FLINT's tables of the primes again, at the cost of some coefficients. */
#define LEAST_COEFFICIENTS 64

/* Recombines all coefficients; a coefficient costs about a product of two numbers of count words.
 * Returns false if the call is cancelled. */
static bool multimodular_recombine(job *w, gfp_task *task)
{
    const gfp_parallel loop = {.run = recombine_some, .job = w, .leave = multimodular_leave};
    const size_t chunk = gfp_parallel_chunk(task, w->len_c, 4);

    return gfp_task_span(task, 1, (double)w->len_c, (double)w->count * (double)w->count) &&
           gfp_parallel_for(&loop, task, w->len_c,
                            chunk > LEAST_COEFFICIENTS ? chunk : LEAST_COEFFICIENTS) == GFP_OK;
}

gfp_status gfp_crt_mul_multimodular(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task)
{
    job w;

    if (gfp_crt_flint_problem()[0] != '\0') {
        return GFP_ERR_VERSION;
    }
    GFP_TRY(job_init(&w, field, a, len_a, b, len_b, gfp_task_threads(task)));
    w.c = c;
    for (size_t j = 0; j < w.count; j++) {
        w.primes[j] = gfp_crt_prime(j);
    }
    const bool done = multiply_residues(&w, task) && multimodular_recombine(&w, task);
    gfp_release(gfp_field_allocator(field), w.block, w.words, sizeof(uint64_t));
    return done ? GFP_OK : GFP_ERR_CANCELLED;
}

/* Our block, and FLINT's memory for one product by Kronecker substitution: both factors and the
 * result packed at three words per coefficient, and about as much again twice for the integer
 * product's transform. */
size_t gfp_crt_multimodular_bytes(const gfp_field *field, size_t len_a, size_t len_b,
                                  unsigned threads)
{
    const size_t count = gfp_crt_prime_count(field, len_a, len_b);
    const size_t len_c = gfp_size_add_sat(len_a, len_b);
    const size_t ours = gfp_size_mul_sat(gfp_size_add_sat(count, threads), len_c);
    const size_t flints = gfp_size_mul_sat(3 * (2 + 4) * (size_t)threads, len_c);

    return gfp_size_mul_sat(gfp_size_add_sat(ours, flints), sizeof(uint64_t));
}

#else

size_t gfp_crt_prime_count(const gfp_field *field, size_t len_a, size_t len_b)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    return 0;
}

gfp_status gfp_crt_mul_multimodular(const gfp_field *field, uint64_t *c, const uint64_t *a,
                                    size_t len_a, const uint64_t *b, size_t len_b, gfp_task *task)
{
    (void)field;
    (void)c;
    (void)a;
    (void)len_a;
    (void)b;
    (void)len_b;
    (void)task;
    return GFP_ERR_UNAVAILABLE;
}

size_t gfp_crt_multimodular_bytes(const gfp_field *field, size_t len_a, size_t len_b,
                                  unsigned threads)
{
    (void)field;
    (void)len_a;
    (void)len_b;
    (void)threads;
    return 0;
}

#endif
