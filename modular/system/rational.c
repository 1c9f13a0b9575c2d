/* rational.c: rational roots of polynomials over Z, which are split off before real roots are
 * isolated.
 *
 * Simple roots modulo a small prime are lifted by Newton's iteration modulo its powers, until
 * rational reconstruction gives a root, which exact division proves. A bound of the powers follows
 * from the coefficients: the product of all numerators divides the last one, so that most roots of
 * a polynomial with many rational roots have few digits. Roots that are not found are isolated like
 * all others.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "gfpoly/zvec_gmp.h"
#include "modular/system/roots.h"

/* Primes that are tried, above this multiple of the degree. */
#define PRIMES 3
#define PRIME_OVER_DEGREE 16
/* Bits of the powers, in addition to some times the mean bits of a root. */
#define LIFTED_BITS 128
#define LIFTED_MEANS 4
/* Words that hold an mpz_t. */
#define MPZ_WORDS ((sizeof(mpz_t) + sizeof(uint64_t) - 1) / sizeof(uint64_t))

typedef struct rational {
    gfp_zcall *call;
    gfp_zroots *roots;
    size_t part, n; /* the degree now */
    mpz_t *f, *h;   /* the polynomial, and room for a quotient */
    uint64_t *residue, *other;
    uint64_t q, second; /* primes; residues of f */
    size_t bits;        /* of the greatest power */
    mpz_t modulus, x, value, slope, c, d, r, t, u;
} rational;

#define INTEGERS(w)                                                                                \
    (w)->modulus, (w)->x, (w)->value, (w)->slope, (w)->c, (w)->d, (w)->r, (w)->t, (w)->u

/* ---- residues ---- */

static bool is_prime(uint64_t q)
{
    for (uint64_t i = 3; i * i <= q; i += 2) {
        if (q % i == 0) {
            return false;
        }
    }
    return q % 2 == 1;
}

static uint64_t next_prime(uint64_t q)
{
    do {
        q++;
    } while (!is_prime(q));
    return q;
}

/* f(x) modulo q. */
static uint64_t value_modulo(const uint64_t *f, size_t n, uint64_t x, uint64_t q)
{
    uint64_t z = 0;
    for (size_t i = n + 1; i-- > 0;) {
        z = (z * x + f[i]) % q;
    }
    return z;
}

/* f'(x) modulo q. */
static uint64_t slope_modulo(const uint64_t *f, size_t n, uint64_t x, uint64_t q)
{
    uint64_t z = 0;
    for (size_t i = n; i > 0; i--) {
        z = (z * x + i % q * f[i]) % q;
    }
    return z;
}

static void take_residues(const rational *w, uint64_t *z, uint64_t q)
{
    for (size_t i = 0; i <= w->n; i++) {
        z[i] = mpz_fdiv_ui(w->f[i], (unsigned long)q);
    }
}

/* ---- a candidate ---- */

/* d^n f(c / d) modulo the second prime. */
static bool may_vanish(const rational *w)
{
    const uint64_t q = w->second;
    const uint64_t c = mpz_fdiv_ui(w->c, (unsigned long)q), d = mpz_fdiv_ui(w->d, (unsigned long)q);
    uint64_t z = 0, power = 1;
    for (size_t i = w->n + 1; i-- > 0;) {
        z = (z * c + w->other[i] * power) % q;
        power = power * d % q;
    }
    return z == 0;
}

/* Divides f by d T - c; returns false, and leaves f, if that is not exact. */
static bool divide_root(rational *w)
{
    mpz_set_ui(w->t, 0); /* the quotient's coefficient before */
    for (size_t i = w->n + 1; i-- > 0;) {
        mpz_mul(w->u, w->t, w->c);
        mpz_add(w->u, w->u, w->f[i]);
        if (i == 0 ? mpz_sgn(w->u) != 0 : mpz_divisible_p(w->u, w->d) == 0) {
            return false;
        }
        if (i > 0) {
            mpz_divexact(w->t, w->u, w->d);
            mpz_set(w->h[i - 1], w->t);
        }
    }
    mpz_t *t = w->f;
    w->f = w->h;
    w->h = t;
    w->n--;
    return true;
}

/* c / d := the fraction of small numbers that is x modulo the power. */
static bool rational_reconstruct(rational *w)
{
    mpz_ptr bound = w->value, d = w->slope;
    mpz_fdiv_q_2exp(bound, w->modulus, 1);
    mpz_sqrt(bound, bound);
    mpz_set(w->r, w->modulus);
    mpz_set(w->c, w->x);
    mpz_set_ui(d, 0);
    mpz_set_ui(w->d, 1);
    while (mpz_cmp(w->c, bound) > 0) {
        mpz_fdiv_qr(w->t, w->u, w->r, w->c);
        mpz_swap(w->r, w->c);
        mpz_swap(w->c, w->u);
        mpz_submul(d, w->t, w->d);
        mpz_swap(d, w->d);
    }
    if (mpz_sgn(w->d) < 0) {
        mpz_neg(w->c, w->c);
        mpz_neg(w->d, w->d);
    }
    mpz_gcd(w->u, w->c, w->d);
    return mpz_cmp(w->d, bound) <= 0 && mpz_cmp_ui(w->u, 1) == 0;
}

/* x := the root modulo the square of the power. Returns false if the slope has no inverse. */
static bool lift_root(rational *w)
{
    mpz_mul(w->modulus, w->modulus, w->modulus);
    mpz_set_ui(w->value, 0);
    mpz_set_ui(w->slope, 0);
    for (size_t i = w->n + 1; i-- > 0;) {
        mpz_mul(w->slope, w->slope, w->x);
        mpz_add(w->slope, w->slope, w->value);
        mpz_fdiv_r(w->slope, w->slope, w->modulus);
        mpz_mul(w->value, w->value, w->x);
        mpz_add(w->value, w->value, w->f[i]);
        mpz_fdiv_r(w->value, w->value, w->modulus);
    }
    if (mpz_invert(w->slope, w->slope, w->modulus) == 0) {
        return false;
    }
    mpz_submul(w->x, w->value, w->slope);
    mpz_fdiv_r(w->x, w->x, w->modulus);
    return true;
}

/* Divides f by the rational root that is x modulo the prime, and adds the root, if it exists and is
 * found. */
static gfp_status try_root(rational *w, uint64_t x)
{
    bool good = true;
    mpz_set_ui(w->modulus, (unsigned long)w->q);
    mpz_set_ui(w->x, (unsigned long)x);
    while (good && mpz_sizeinbase(w->modulus, 2) < w->bits) {
        good = lift_root(w);
        if (!gfp_task_advance(&w->call->base.task, (double)w->n)) {
            return GFP_ERR_CANCELLED;
        }
        if (good && rational_reconstruct(w) && may_vanish(w) && divide_root(w)) {
            take_residues(w, w->other, w->second);
            return gfp_zroots_add_rational(w->roots, w->c, w->d, w->part);
        }
    }
    return GFP_OK;
}

/* ---- all ---- */

/* The roots that are simple modulo w->q; *more: other primes may find others. */
static gfp_status try_prime(rational *w, bool *more)
{
    const size_t n = w->n;
    *more = true;
    take_residues(w, w->residue, w->q);
    take_residues(w, w->other, w->second);
    if (w->residue[n] == 0) {
        return GFP_OK;
    }
    for (uint64_t x = 0; x < w->q && w->n > 0; x++) {
        if (value_modulo(w->residue, n, x, w->q) == 0 &&
            slope_modulo(w->residue, n, x, w->q) != 0) {
            GFP_TRY(try_root(w, x));
        }
        if (x % 64 == 0 && !gfp_task_advance(&w->call->base.task, 16 * (double)n)) {
            return GFP_ERR_CANCELLED;
        }
    }
    *more = w->n < n;
    return GFP_OK;
}

static gfp_status try_primes(rational *w)
{
    bool more = true;
    w->second = next_prime(PRIME_OVER_DEGREE * (w->n < 256 ? 256 : w->n));
    for (unsigned i = 0; i < PRIMES && w->n > 0 && more; i++) {
        w->q = w->second;
        w->second = next_prime(w->q);
        GFP_TRY(try_prime(w, &more));
    }
    return GFP_OK;
}

static gfp_status with_integers(rational *w, gfp_zvec *rest, const gfp_zvec *f)
{
    for (size_t i = 0; i < f->len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_entry(f, i, &width);
        gfp_z_get_mpz(w->f[i], x, width);
    }
    GFP_TRY(try_primes(w));
    return gfp_zvec_set_mpz(rest, (const __mpz_struct *)(const void *)w->f, w->n + 1);
}

static gfp_status rational_split(rational *w, gfp_zvec *rest, const gfp_zvec *f)
{
    uint64_t *memory;
    const size_t len = f->len, words = gfp_size_mul_sat(len, MPZ_WORDS);
    GFP_TRY(gfp_call_array(&w->call->base, &memory, gfp_size_mul_sat(2, words)));
    GFP_TRY(gfp_call_array(&w->call->base, &w->residue, len));
    GFP_TRY(gfp_call_array(&w->call->base, &w->other, len));
    w->f = (mpz_t *)(void *)memory;
    w->h = (mpz_t *)(void *)(memory + words);
    mpz_inits(INTEGERS(w), NULL);
    for (size_t i = 0; i < len; i++) {
        mpz_inits(w->f[i], w->h[i], NULL);
    }
    const gfp_status status = with_integers(w, rest, f);
    for (size_t i = 0; i < len; i++) {
        mpz_clears(w->f[i], w->h[i], NULL);
    }
    mpz_clears(INTEGERS(w), NULL);
    return status;
}

gfp_status gfp_zroots_split(gfp_zcall *call, gfp_zroots *roots, gfp_zvec *rest, const gfp_zvec *f,
                            size_t part)
{
    const size_t n = f->len - 1;
    rational w = {.call = call,
                  .roots = roots,
                  .part = part,
                  .n = n,
                  .bits = LIFTED_BITS + LIFTED_MEANS * gfp_zvec_bits(f) / n};
    const gfp_call_mark mark = gfp_call_mark_here(&call->base);
    const size_t bytes = gfp_size_mul_sat(2 * f->len, 8 * gfp_z_width(gfp_zvec_bits(f)));
    GFP_TRY(gfp_call_take(&call->base, bytes));
    const gfp_status status = rational_split(&w, rest, f);
    gfp_call_give(&call->base, bytes);
    gfp_call_release(&call->base, mark);
    return status;
}
