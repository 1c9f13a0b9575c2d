/* multiply.c: two random polynomials over a named field, and their product, verified before its
 * use. Usage: multiply [LENGTH]. A minimal program with gfpoly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

/* Random a and b of length len, c := a b. */
static gfp_status multiply(gfp_poly *a, gfp_poly *b, gfp_poly *c, size_t len,
                           const gfp_options *options)
{
    gfp_random generator;
    gfp_status status;

    gfp_random_seed(&generator, 7); /* the same seed, the same polynomials, on every machine */
    status = gfp_poly_random(a, len, &generator);
    if (status == GFP_OK) {
        status = gfp_poly_random(b, len, &generator);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(c, a, b, options);
    }
    return status;
}

static void print_result(const gfp_poly *c, const gfp_report *report)
{
    printf("product of length %zu over %s\n", c->len, gfp_field_name(c->field));
    printf("computed by %s in %.3f ms\n", report->method, (double)report->multiply_ns / 1e6);
    printf("verified in %.3f ms: a wrong product would pass with probability <= 2^%d\n",
           (double)report->verify_ns / 1e6, report->log2_error);
}

/* Digits only. A number too large for strtoul is also too long for any memory. */
static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !is_number(argv[1]))) {
        fprintf(stderr, "usage: multiply [LENGTH]\n");
        return EXIT_FAILURE;
    }
    const size_t len = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    gfp_error error = {.message = ""};
    gfp_report report;
    /* No method is named: the library picks one. It checks the product modulo a random polynomial
     * before it returns. */
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .error = &error};
    gfp_field *field;
    gfp_poly a, b, c;

    if (gfp_field_create(&field, "p8", NULL, &error) != GFP_OK) {
        fprintf(stderr, "multiply: %s\n", error.message);
        return EXIT_FAILURE;
    }
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    const gfp_status status = multiply(&a, &b, &c, len, &options);
    if (status == GFP_OK) {
        print_result(&c, &report);
    } else {
        fprintf(stderr, "multiply: %s %s\n", gfp_status_string(status), error.message);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field); /* after all objects over the field */
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
