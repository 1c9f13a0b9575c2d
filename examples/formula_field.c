/* formula_field.c: a field from a formula, with a proof that p is prime, and a product that two
 * methods with different algorithms agree on. Usage: formula_field [FORMULA].
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"

static void print_field(const gfp_field *field)
{
    printf("%s: a prime of %u bits (%s), k = %u digits in radix r = %llu\n", gfp_field_name(field),
           gfp_field_bits(field), gfp_proof_string(gfp_field_get_info(field).certificate->proof),
           gfp_field_k(field), (unsigned long long)gfp_field_r(field));
    printf("transforms for every N = 2^m, m <= %u\n", gfp_field_v2_order(field));
}

/* a := 1 + 2 X + ... + n X^(n-1), c := a^2 with the cross-check. */
static gfp_status square(gfp_poly *c, gfp_poly *a, size_t n, const gfp_options *options)
{
    /* From the top down, so that the polynomial is extended once. */
    for (size_t i = n; i-- > 0;) {
        const gfp_status status = gfp_poly_set_coeff_u64(a, i, i + 1);
        if (status != GFP_OK) {
            return status;
        }
    }
    return gfp_poly_sqr(c, a, options);
}

static gfp_status print_coefficient(const gfp_poly *c, size_t i)
{
    const size_t size = gfp_elem_string_size(c->field, 10);
    uint64_t x[GFP_MAX_K];
    char *text = malloc(size);
    gfp_status status = GFP_ERR_MEMORY;

    if (text != NULL) {
        gfp_poly_get_coeff(x, c, i);
        status = gfp_elem_get_string(c->field, text, size, NULL, 10, x);
    }
    if (status == GFP_OK) {
        printf("coefficient %zu of the square: %s\n", i, text);
    }
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    const char *formula = argc > 1 ? argv[1] : "(2^58+2^55+2^45)^16+1";
    gfp_error error = {.message = ""};
    gfp_report report;
    const gfp_options options = {.verify = GFP_VERIFY_CROSS, .report = &report, .error = &error};
    gfp_field *field;
    gfp_poly a, c;

    /* Malformed text, a composite number, an odd radix: the message names the error. */
    if (gfp_field_create(&field, formula, NULL, &error) != GFP_OK) {
        fprintf(stderr, "formula_field: %s: %s\n", formula, error.message);
        return EXIT_FAILURE;
    }
    print_field(field);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    gfp_status status = square(&c, &a, 100, &options);
    if (status == GFP_OK) {
        status = print_coefficient(&c, 99);
    }
    if (status == GFP_OK) {
        printf("computed by %s, every coefficient confirmed by %s\n", report.method,
               report.cross_method);
    } else {
        fprintf(stderr, "formula_field: %s %s\n", gfp_status_string(status), error.message);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
