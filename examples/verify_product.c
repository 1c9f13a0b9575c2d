/* verify_product.c: checks whether the polynomial in the file C, computed by any program, is the
 * product of those in A and B. The check compares them modulo a random polynomial: it costs far
 * less than a product and does not depend on the methods that compute one. Usage: verify_product A
 * B C. Exit status: 0 C is the product, 1 it is not, 2 the check failed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

enum { IS_PRODUCT = 0, IS_NOT = 1, NOT_KNOWN = 2 };

/* Files in FLINT's text format; the first names the field. */
static gfp_status read_file(gfp_poly *a, gfp_field **field, const char *path)
{
    gfp_error error = {.message = ""};
    gfp_status status = GFP_ERR_IO;
    FILE *stream = fopen(path, "rb");

    if (stream == NULL) {
        fprintf(stderr, "verify_product: %s: %s\n", path, strerror(errno));
        return status;
    }
    if (*field == NULL) {
        status = gfp_poly_fread_field(a, field, NULL, stream, NULL, &error);
    } else {
        gfp_poly_init(a, *field);
        status = gfp_poly_fread(a, NULL, stream, GFP_FORMAT_FLINT, &error);
    }
    fclose(stream);
    if (status != GFP_OK) {
        fprintf(stderr, "verify_product: %s:%llu:%llu: %s\n", path, (unsigned long long)error.line,
                (unsigned long long)error.column, error.message);
    }
    return status;
}

static int verify(const gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    gfp_error error = {.message = ""};
    gfp_report report;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .error = &error};
    const gfp_status status = gfp_poly_verify_mul(c, a, b, &options);

    if (status == GFP_ERR_VERIFY) {
        printf("NOT the product: %s\n", error.message);
        return IS_NOT;
    }
    if (status != GFP_OK) {
        fprintf(stderr, "verify_product: %s %s\n", gfp_status_string(status), error.message);
        return NOT_KNOWN;
    }
    if (report.verified == GFP_VERIFY_CROSS) {
        /* Tiny fields would need too many points; the library computes the product again. */
        printf("the product: every coefficient confirmed by %s\n", report.cross_method);
    } else {
        printf("the product: a wrong one would pass with probability <= 2^%d\n", report.log2_error);
    }
    return IS_PRODUCT;
}

int main(int argc, char **argv)
{
    gfp_field *field = NULL;
    gfp_poly operand[3];
    int count = 0;
    int answer = NOT_KNOWN;

    if (argc != 4) {
        fputs("usage: verify_product A B C\n", stderr);
        return NOT_KNOWN;
    }
    while (count < 3 && read_file(&operand[count], &field, argv[count + 1]) == GFP_OK) {
        count++;
    }
    if (count == 3) {
        answer = verify(&operand[2], &operand[0], &operand[1]);
    }
    while (count > 0) {
        gfp_poly_clear(&operand[--count]);
    }
    gfp_field_destroy(field); /* NULL is allowed */
    return answer;
}
