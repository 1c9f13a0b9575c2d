/* algebraic_sum.c: the minimal polynomial of 2^(1/2) + 3^(1/3), or of 2^(1/2) + 3^(1/3) + 5^(1/5),
 * with a proof. If A is the minimal polynomial of a, that of a + b, b^e = d, divides the composed
 * sum of A and x^e - d (gfp_zvec_composed), whose roots are all sums of a root of A and an e-th
 * root of d.
 *
 * The proof: f is zero at the number. Horner's rule modulo random primes computes f(a + b) in
 * Z[a, b], where a^2 = 2 and b^3 = 3; the primes together exceed twice what a coefficient of that
 * value can be, so that the value is zero. And f is irreducible, since it is irreducible modulo a
 * small prime. A value in floating point is printed in addition.
 * Usage: algebraic_sum [2 | 3]: the number of terms. Exit status: 0 proved, 1 wrong, or a failure.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

#define MOST_TERMS 3
#define MOST_DEGREE 30 /* 2 * 3 * 5 */
#define MOST_DIGITS 4  /* of elements of all fields here */

/* Term i is the root of this number of this degree. */
static const unsigned radicand[MOST_TERMS] = {2, 3, 5};
static const unsigned degree_of[MOST_TERMS] = {2, 3, 5};

/* ---- the polynomial ---- */

/* b := x^e - d. */
static gfp_status term(gfp_zvec *b, unsigned e, unsigned d)
{
    uint64_t limbs[MOST_DEGREE + 1] = {0};

    limbs[0] = -(uint64_t)d; /* in two's complement */
    limbs[e] = 1;
    return gfp_zvec_set_limbs(b, limbs, e + 1, 1);
}

/* x := the integer in two's complement, modulo p. A negative one is 2^(64 width) less than its
 * limbs say. */
static void reduce(const gfp_field *field, uint64_t *x, const uint64_t *limbs, size_t width)
{
    const uint64_t bits = 64 * (uint64_t)width;
    uint64_t wrap[MOST_DIGITS];

    gfp_elem_set_limbs(field, x, limbs, width);
    if (limbs[width - 1] >> 63 != 0) {
        gfp_elem_set_u64(field, wrap, 2);
        gfp_elem_pow(field, wrap, wrap, &bits, 1);
        gfp_elem_sub(field, x, x, wrap);
    }
}

/* f := a polynomial over Z, modulo p. */
static gfp_status reduce_poly(gfp_poly *f, const gfp_zvec *a)
{
    uint64_t x[MOST_DIGITS];
    gfp_status status = GFP_OK;

    for (size_t i = a->len; i-- > 0 && status == GFP_OK;) {
        reduce(f->field, x, a->limbs + i * a->width, a->width);
        status = gfp_poly_set_coeff(f, i, x);
    }
    return status;
}

/* f := the polynomial of the sum of the first `terms` terms. */
static gfp_status sum_of_roots(gfp_zvec *f, unsigned terms, gfp_error *error)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = error};
    gfp_zvec b;

    gfp_zvec_init(&b, f->ring);
    gfp_status status = term(f, degree_of[0], radicand[0]);
    for (unsigned i = 1; i < terms && status == GFP_OK; i++) {
        status = term(&b, degree_of[i], radicand[i]);
        if (status == GFP_OK) {
            status = gfp_zvec_composed(f, f, &b, GFP_ZCOMPOSED_SUM, &options);
        }
    }
    gfp_zvec_clear(&b);
    return status;
}

/* ---- the proof ---- */

/* v := v times the sum of the terms, in the ring of all polynomials in the terms: element
 * i_0 + degree_0 (i_1 + degree_1 i_2) of v belongs to the product of term t to the power i_t. */
static void times_sum(const gfp_field *field, uint64_t *v, unsigned terms, size_t degree)
{
    const unsigned k = gfp_field_k(field);
    uint64_t sum[MOST_DEGREE * MOST_DIGITS], x[MOST_DIGITS], d[MOST_DIGITS];
    size_t stride = 1;

    gfp_vec_zero(field, sum, degree);
    for (unsigned t = 0; t < terms; t++) {
        const size_t block = stride * degree_of[t];
        gfp_elem_set_u64(field, d, radicand[t]);
        for (size_t i = 0; i < degree; i++) {
            const bool wraps = i % block >= block - stride; /* the highest power: term^e = d */
            uint64_t *to = sum + (wraps ? i + stride - block : i + stride) * k;
            gfp_elem_set(field, x, v + i * k);
            if (wraps) {
                gfp_elem_mul(field, x, x, d);
            }
            gfp_elem_add(field, to, to, x);
        }
        stride = block;
    }
    gfp_vec_set(field, v, sum, degree);
}

/* Whether f is zero at the sum of the terms modulo p: Horner's rule. */
static gfp_status is_root(bool *zero, const gfp_zvec *f, unsigned terms, const gfp_field *field)
{
    const unsigned k = gfp_field_k(field);
    const size_t degree = f->len - 1;
    uint64_t v[MOST_DEGREE * MOST_DIGITS], c[MOST_DIGITS];
    gfp_poly g;

    gfp_poly_init(&g, field);
    const gfp_status status = reduce_poly(&g, f);
    gfp_vec_zero(field, v, degree);
    for (size_t i = f->len; i-- > 0 && status == GFP_OK;) {
        times_sum(field, v, terms, degree);
        gfp_poly_get_coeff(c, &g, i);
        gfp_elem_add(field, v, v, c);
    }
    gfp_poly_clear(&g);
    *zero = true;
    for (size_t i = 0; i < degree; i++) {
        *zero = *zero && gfp_elem_is_zero(field, v + i * k);
    }
    return status;
}

/* Proves that f is zero at the sum of the terms. A coefficient of the value is at most 15^degree
 * 2^(bits + 1): a product by the sum adds up at most 3 coefficients times at most 5. */
static gfp_status prove_root(bool *proved, const gfp_zvec *f, unsigned terms, gfp_error *error)
{
    const gfp_prime_range range = {.k = 4, .min_bits = 160, .max_bits = 250};
    const size_t needed = gfp_zvec_bits(f) + 4 * (f->len - 1) + 6;
    size_t bits = 0;
    unsigned primes = 0;
    gfp_prime_supply *supply;
    gfp_random random;
    gfp_prime prime;

    gfp_random_seed(&random, 1);
    gfp_status status = gfp_prime_supply_create(&supply, &range, &random, NULL, error);
    if (status != GFP_OK) {
        return status;
    }
    *proved = true;
    while (status == GFP_OK && *proved && (bits <= needed || primes < 3)) {
        gfp_field *field = NULL;
        status = gfp_prime_supply_next(&prime, supply, error);
        if (status == GFP_OK) {
            status = gfp_prime_supply_field(&field, supply, error);
        }
        if (status == GFP_OK) {
            status = is_root(proved, f, terms, field);
            bits += prime.bits - 1;
            primes++;
        }
        gfp_field_destroy(field);
    }
    gfp_prime_supply_destroy(supply);
    if (status == GFP_OK) {
        printf("its value at the number is %s modulo %u primes of %zu bits, of which %zu suffice\n",
               *proved ? "0" : "NOT 0", primes, bits, needed);
    }
    return status;
}

/* Proves that f is irreducible: f is monic, so that factors over Z would be factors modulo p.
 * Modulo p = r^2 + 1 with r = 30 modulo 60, 2 is no square, and p = 1 modulo 15: f is irreducible
 * if 3 is no cube and 5 no fifth power, which holds for about 8 of 15 such primes. */
static gfp_status prove_irreducible(bool *proved, const gfp_zvec *f, gfp_error *error)
{
    const gfp_options options = {.error = error};
    gfp_status status = GFP_OK;

    *proved = false;
    for (uint64_t r = 30; r < 30000 && status == GFP_OK && !*proved; r += 60) {
        gfp_field *field;
        gfp_poly g;
        status = gfp_field_create_rk(&field, r, 2, NULL, error);
        if (status != GFP_OK) {
            status = status == GFP_ERR_COMPOSITE ? GFP_OK : status;
            continue;
        }
        gfp_poly_init(&g, field);
        status = reduce_poly(&g, f);
        if (status == GFP_OK) {
            status = gfp_poly_is_irreducible(proved, &g, &options);
        }
        if (status == GFP_OK && *proved) {
            printf("it is irreducible modulo %s\n", gfp_field_get_info(field).modulus);
        }
        gfp_poly_clear(&g);
        gfp_field_destroy(field);
    }
    if (status == GFP_OK && !*proved) {
        puts("it is NOT irreducible modulo any of the primes that were tried");
    }
    return status;
}

/* ---- in floating point ---- */

/* The positive root of x^e = d, d > 1, by Newton's iteration from above. */
static double root(double d, unsigned e)
{
    double x = d;
    for (int step = 0; step < 100; step++) {
        double power = 1;
        for (unsigned i = 1; i < e; i++) {
            power *= x;
        }
        x -= (x - d / power) / e;
    }
    return x;
}

/* |f(x)| divided by the sum of |f_i x^i|. */
static double relative_value(const gfp_zvec *f, double x)
{
    double value = 0, sum = 0;

    for (size_t i = f->len; i-- > 0;) {
        const uint64_t *limbs = f->limbs + i * f->width;
        const bool negative = limbs[f->width - 1] >> 63 != 0;
        double c = 0; /* of a negative integer: ~limbs is -1 less it */
        for (size_t j = f->width; j-- > 0;) {
            c = c * 18446744073709551616.0 + (double)(negative ? ~limbs[j] : limbs[j]);
        }
        c = negative ? c + 1 : c;
        value = value * x + (negative ? -c : c);
        sum = sum * x + c;
    }
    return (value < 0 ? -value : value) / sum;
}

/* ---- the program ---- */

static gfp_status print(const gfp_zvec *f)
{
    char *text;
    size_t size;

    const gfp_status status = gfp_zvec_to_string(&text, &size, f);
    if (status == GFP_OK) {
        printf("%s\n", text);
        gfp_free(text);
    }
    return status;
}

static gfp_status run(bool *proved, gfp_zvec *f, unsigned terms, gfp_error *error)
{
    bool irreducible = false;
    double x = 0;

    gfp_status status = sum_of_roots(f, terms, error);
    if (status == GFP_OK) {
        status = print(f);
    }
    if (status == GFP_OK) {
        status = prove_root(proved, f, terms, error);
    }
    if (status == GFP_OK) {
        status = prove_irreducible(&irreducible, f, error);
    }
    if (status == GFP_OK) {
        for (unsigned t = 0; t < terms; t++) {
            x += root(radicand[t], degree_of[t]);
        }
        const double value = relative_value(f, x);
        *proved = *proved && irreducible && value < 1e-12;
        printf("in floating point its value at %.15f is 0 up to %.0e of its terms: %s\n", x, value,
               *proved ? "the minimal polynomial" : "NOT PROVED");
    }
    return status;
}

int main(int argc, char **argv)
{
    const unsigned terms = argc > 1 && strcmp(argv[1], "3") == 0 ? 3 : 2;
    gfp_error error = {.message = ""};
    bool proved = false;
    gfp_zring *ring;
    gfp_zvec f;

    if (argc > 2 || (argc == 2 && terms == 2 && strcmp(argv[1], "2") != 0)) {
        fputs("usage: algebraic_sum [2 | 3]\n", stderr);
        return EXIT_FAILURE;
    }
    gfp_status status = gfp_zring_create(&ring, NULL, &error);
    if (status == GFP_OK) {
        gfp_zvec_init(&f, ring);
        status = run(&proved, &f, terms, &error);
        gfp_zvec_clear(&f);
        gfp_zring_destroy(ring);
    }
    if (status != GFP_OK) {
        fprintf(stderr, "algebraic_sum: %s %s\n", gfp_status_string(status), error.message);
    }
    return proved ? EXIT_SUCCESS : EXIT_FAILURE;
}
