/* multiply_files.c: the product of the polynomials in two files, in FLINT's text format ("length
 * modulus  c0 c1 ..."). The first file names the field. Usage: multiply_files A B [C]. Without C
 * the product goes to standard output.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

/* Reports an error in a file with its place: the library counts lines, columns and coefficients. */
static void complain_file(const char *path, gfp_status status, const gfp_error *error)
{
    fprintf(stderr, "multiply_files: %s", path);
    if (error->line > 0) {
        fprintf(stderr, ":%llu:%llu", (unsigned long long)error->line,
                (unsigned long long)error->column);
    }
    fprintf(stderr, ": %s", error->message[0] != '\0' ? error->message : gfp_status_string(status));
    if (error->index != GFP_NO_INDEX) {
        fprintf(stderr, " (coefficient %llu)", (unsigned long long)error->index);
    }
    fputc('\n', stderr);
}

static FILE *open_file(const char *path, const char *mode)
{
    FILE *stream = fopen(path, mode);
    if (stream == NULL) {
        fprintf(stderr, "multiply_files: %s: cannot open: %s\n", path, strerror(errno));
    }
    return stream;
}

/* Reads a polynomial. If *field is NULL, makes the field from the file's modulus, with a proof that
 * it is prime; otherwise the file must be over *field. */
static bool read_file(gfp_poly *a, gfp_field **field, const char *path)
{
    gfp_error error = {.message = "", .index = GFP_NO_INDEX};
    gfp_status status;
    FILE *stream = open_file(path, "rb");

    if (stream == NULL) {
        return false;
    }
    if (*field == NULL) {
        status = gfp_poly_fread_field(a, field, NULL, stream, NULL, &error);
    } else {
        gfp_poly_init(a, *field); /* holds no memory yet: nothing to clear after an error */
        status = gfp_poly_fread(a, NULL, stream, GFP_FORMAT_FLINT, &error);
    }
    fclose(stream);
    if (status != GFP_OK) {
        complain_file(path, status, &error);
    }
    return status == GFP_OK;
}

/* An error of a full disk may occur only when the file is closed. */
static bool write_file(const gfp_poly *a, const char *path)
{
    FILE *stream = path != NULL ? open_file(path, "wb") : stdout;
    if (stream == NULL) {
        return false;
    }
    const gfp_status status = gfp_poly_fwrite(a, stream, GFP_FORMAT_FLINT);
    const bool closed = (path != NULL ? fclose(stream) : fflush(stream)) == 0;
    if (status != GFP_OK || !closed) {
        fprintf(stderr, "multiply_files: %s: cannot write: %s\n",
                path != NULL ? path : "standard output", strerror(errno));
    }
    return status == GFP_OK && closed;
}

/* c := a b, checked modulo a random polynomial before the call returns. */
static bool multiply(gfp_poly *c, const gfp_poly *a, const gfp_poly *b)
{
    gfp_error error = {.message = ""};
    gfp_report report;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .error = &error};
    const gfp_status status = gfp_poly_mul(c, a, b, &options);

    if (status != GFP_OK) {
        fprintf(stderr, "multiply_files: %s %s\n", gfp_status_string(status), error.message);
        return false;
    }
    fprintf(stderr, "%zu by %zu coefficients over %s: %.3f ms by %s\n", a->len, b->len,
            gfp_field_name(a->field), (double)report.multiply_ns / 1e6, report.method);
    return true;
}

int main(int argc, char **argv)
{
    gfp_field *field = NULL;
    gfp_poly a, b, c;
    bool done = false;

    if (argc < 3 || argc > 4) {
        fputs("usage: multiply_files A B [C]\n", stderr);
        return 2;
    }
    if (!read_file(&a, &field, argv[1])) {
        return EXIT_FAILURE;
    }
    if (read_file(&b, &field, argv[2])) {
        gfp_poly_init(&c, field);
        done = multiply(&c, &a, &b) && write_file(&c, argv[3]); /* argv[argc] is NULL */
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
    }
    gfp_poly_clear(&a);
    gfp_field_destroy(field);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
