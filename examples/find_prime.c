/* find_prime.c: finds a prime of a given size, and multiplies over its field. It first searches
 * sparse radices, in an order that puts the smallest sufficient field first. Sparse radices are
 * few: if none fits, any radix will do. Usage: find_prime [BITS].
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

#define TERMS 1000

/* The smallest possible k: a product costs a little more than k times as much per coefficient.
 * Radices divisible by 2^32 allow every transform that fits in memory. */
static gfp_prime_range range_of(unsigned bits)
{
    gfp_prime_range range = {.k = 2, .min_bits = bits, .min_v2_r = 32};
    while (range.k < GFP_MAX_K && 64 * range.k < bits) {
        range.k *= 2;
    }
    range.max_bits = bits < 64 * range.k ? 64 * range.k : bits;
    return range;
}

static gfp_status find(gfp_field **field, gfp_prime *prime, unsigned bits, gfp_error *error)
{
    const gfp_prime_range range = range_of(bits);
    gfp_prime_supply *supply;
    gfp_status status = gfp_prime_supply_create(&supply, &range, NULL, NULL, error);
    if (status != GFP_OK) {
        return status;
    }
    status = gfp_prime_supply_next(prime, supply, error);
    if (status == GFP_DONE) {
        gfp_random random;
        gfp_random_seed(&random, 1);
        gfp_prime_supply_destroy(supply);
        status = gfp_prime_supply_create(&supply, &range, &random, NULL, error);
        if (status != GFP_OK) {
            return status;
        }
        status = gfp_prime_supply_next(prime, supply, error);
    }
    if (status == GFP_OK) {
        /* The supply has proved p: creating the field does not prove it again. */
        status = gfp_prime_supply_field(field, supply, error);
    }
    gfp_prime_supply_destroy(supply);
    return status;
}

static gfp_status multiply(const gfp_field *field, gfp_error *error)
{
    gfp_report report;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .error = error};
    gfp_random random;
    gfp_poly a, c;
    gfp_random_seed(&random, 2);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    gfp_status status = gfp_poly_random(&a, TERMS, &random);
    if (status == GFP_OK) {
        status = gfp_poly_sqr(&c, &a, &options);
    }
    if (status == GFP_OK) {
        printf("a square of %zu terms by %s, verified\n", c.len, report.method);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
    return status;
}

/* Digits only. A number too large for strtoul is also too many bits. */
static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !is_number(argv[1]))) {
        fprintf(stderr, "usage: find_prime [BITS]\n");
        return EXIT_FAILURE;
    }
    const unsigned long wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 400;
    const unsigned bits = wanted > 64 * GFP_MAX_K ? 64 * GFP_MAX_K + 1 : (unsigned)wanted;
    gfp_error error = {.message = ""};
    gfp_field *field = NULL;
    gfp_prime prime;

    gfp_status status = find(&field, &prime, bits, &error);
    if (status == GFP_OK) {
        printf("%s: %u bits, proved by %s's theorem, transforms up to 2^%u\n", prime.formula,
               prime.bits, gfp_proof_string(prime.certificate.proof), prime.v2_order);
        status = multiply(field, &error);
    }
    if (status != GFP_OK) {
        fprintf(stderr, "find_prime: %s %s\n", gfp_status_string(status), error.message);
    }
    gfp_field_destroy(field);
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
