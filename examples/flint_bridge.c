/* flint_bridge.c: a program that keeps its polynomials in FLINT and multiplies them by gfpoly:
 * conversion in both directions, and a comparison with FLINT's own product. Needs gfpoly built with
 * FLINT (gfp_build_get_info()->flint is not empty), and links with FLINT itself.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"
#include "gfpoly/flint.h"

#define LENGTH 500

/* The FLINT side: a modulus, two factors, and the product by each library. */
typedef struct flint_side {
    fmpz_mod_ctx_t ctx;
    fmpz_mod_poly_t a, b, by_flint, by_gfpoly;
} flint_side;

static void flint_side_init(flint_side *f, const gfp_field *field)
{
    fmpz_t p;

    fmpz_init(p);
    fmpz_set_str(p, gfp_field_get_info(field).modulus, 10);
    fmpz_mod_ctx_init(f->ctx, p);
    fmpz_clear(p);
    fmpz_mod_poly_init(f->a, f->ctx);
    fmpz_mod_poly_init(f->b, f->ctx);
    fmpz_mod_poly_init(f->by_flint, f->ctx);
    fmpz_mod_poly_init(f->by_gfpoly, f->ctx);
    for (slong i = 0; i < LENGTH; i++) {
        fmpz_mod_poly_set_coeff_ui(f->a, i, (ulong)(i + 1), f->ctx);
        fmpz_mod_poly_set_coeff_ui(f->b, i, (ulong)(i * i + 1), f->ctx);
    }
}

static void flint_side_clear(flint_side *f)
{
    fmpz_mod_poly_clear(f->a, f->ctx);
    fmpz_mod_poly_clear(f->b, f->ctx);
    fmpz_mod_poly_clear(f->by_flint, f->ctx);
    fmpz_mod_poly_clear(f->by_gfpoly, f->ctx);
    fmpz_mod_ctx_clear(f->ctx);
}

/* by_gfpoly := a b. The conversions refuse a modulus other than the field's, and a FLINT of another
 * version than gfpoly was built with. */
static gfp_status multiply(flint_side *f, const gfp_field *field)
{
    const gfp_options check = {.verify = GFP_VERIFY_POINT};
    gfp_poly a, b;

    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_status status = gfp_poly_set_fmpz_mod_poly(&a, f->a, f->ctx);
    if (status == GFP_OK) {
        status = gfp_poly_set_fmpz_mod_poly(&b, f->b, f->ctx);
    }
    if (status == GFP_OK) {
        status = gfp_poly_mul(&a, &a, &b, &check);
    }
    if (status == GFP_OK) {
        status = gfp_poly_get_fmpz_mod_poly(f->by_gfpoly, &a, f->ctx);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    return status;
}

/* Exit status of the program. */
static int compare(flint_side *f, const gfp_field *field)
{
    const gfp_status status = multiply(f, field);

    if (status != GFP_OK) {
        fprintf(stderr, "flint_bridge: %s\n", gfp_status_string(status));
        return EXIT_FAILURE;
    }
    fmpz_mod_poly_mul(f->by_flint, f->a, f->b, f->ctx);
    if (!fmpz_mod_poly_equal(f->by_flint, f->by_gfpoly, f->ctx)) {
        fputs("flint_bridge: the two libraries disagree\n", stderr);
        return EXIT_FAILURE;
    }
    printf("FLINT %s and gfpoly %s agree on a product of degree %ld over %s\n", FLINT_VERSION,
           gfp_version(), (long)fmpz_mod_poly_degree(f->by_gfpoly, f->ctx), gfp_field_name(field));
    return EXIT_SUCCESS;
}

int main(void)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    flint_side f;

    if (gfp_field_create(&field, "p8", NULL, &error) != GFP_OK) {
        fprintf(stderr, "flint_bridge: %s\n", error.message);
        return EXIT_FAILURE;
    }
    flint_side_init(&f, field);
    const int code = compare(&f, field);
    flint_side_clear(&f);
    gfp_field_destroy(field);
    flint_cleanup(); /* the caches that FLINT keeps for this thread */
    return code;
}
