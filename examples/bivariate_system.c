/* bivariate_system.c: the solutions of F(X, Y) = G(X, Y) = 0 for polynomials over Z from two files,
 * a polynomial in X for each power of Y in a line (gfpoly/zbipoly.h). Prints the number of
 * solutions of each multiplicity, which is proved, and boxes of the real solutions. Then the values
 * of F and G at the centre of each box must be rounding errors of floating-point numbers. Usage:
 * bivariate_system FILE FILE [DIGITS]
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly.h"

#define USUAL_DIGITS 15
#define MOST_DIGITS 1000

static gfp_status fail(const char *where, gfp_status status, const gfp_error *error)
{
    fprintf(stderr, "bivariate_system: %s: %s %s\n", where, gfp_status_string(status),
            error->message);
    return status;
}

static gfp_status read_file(gfp_zbipoly *f, const char *path)
{
    gfp_error error = {.message = ""};
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        fprintf(stderr, "bivariate_system: %s: %s\n", path, strerror(errno));
        return GFP_ERR_IO;
    }
    const gfp_status status = gfp_zbipoly_fread(f, stream, &error);
    if (status == GFP_ERR_PARSE) {
        fprintf(stderr, "bivariate_system: %s:%llu:%llu: %s\n", path,
                (unsigned long long)error.line, (unsigned long long)error.column, error.message);
    } else if (status != GFP_OK) {
        (void)fail(path, status, &error);
    }
    fclose(stream);
    return status;
}

/* The integer x 2^-scale as a floating-point number. */
static double number(const gfp_zvec *z, size_t i, size_t scale)
{
    const uint64_t *x = z->limbs + i * z->width;
    const bool negative = x[z->width - 1] >> 63 != 0;
    const uint64_t flip = negative ? UINT64_MAX : 0;
    double value = negative ? ldexp(1, -(int)scale) : 0;
    for (size_t k = z->width; k-- > 0;) {
        value += ldexp((double)(x[k] ^ flip), (int)(64 * k) - (int)scale);
    }
    return negative ? -value : value;
}

/* |f(x, y)| over the sum of the absolute values of the terms of f at |x| + 1 and |y| + 1. */
static double residual(const gfp_zbipoly *f, double x, double y)
{
    double sum = 0, size = 0;
    for (size_t j = f->len; j-- > 0;) {
        double row = 0, row_size = 0;
        for (size_t i = f->coeff[j].len; i-- > 0;) {
            const double c = number(&f->coeff[j], i, 0);
            row = row * x + c;
            row_size = row_size * (fabs(x) + 1) + fabs(c);
        }
        sum = sum * y + row;
        size = size * (fabs(y) + 1) + row_size;
    }
    return size > 0 ? fabs(sum) / size : 0;
}

/* Prints the results; returns whether all residuals are small. */
static bool show(const gfp_zsystem *s, const gfp_zboxes *b, const gfp_zbipoly f[2])
{
    double worst = 0;
    for (size_t i = 0; i < s->count; i++) {
        printf("%zu solutions of multiplicity %zu\n", s->part[i].f.len - 1,
               s->part[i].multiplicity);
    }
    printf("%zu solutions, %zu with multiplicity, separated by %lld X %+lld Y; %zu real ones:\n",
           gfp_zsystem_solutions(s), s->degree, (long long)s->s, (long long)s->t, b->count);
    if (gfp_zboxes_fwrite(b, s, stdout) != GFP_OK) {
        return false;
    }
    for (size_t i = 0; i < b->count; i++) {
        const double x =
            (number(&b->bounds, 4 * i, b->scale) + number(&b->bounds, 4 * i + 1, b->scale)) / 2;
        const double y =
            (number(&b->bounds, 4 * i + 2, b->scale) + number(&b->bounds, 4 * i + 3, b->scale)) / 2;
        for (size_t j = 0; j < 2; j++) {
            const double r = residual(&f[j], x, y);
            worst = r > worst ? r : worst;
        }
    }
    printf("residuals: at most %.1e of the terms\n", worst);
    return worst < 1e-9;
}

static gfp_status solve(gfp_zsystem *s, gfp_zboxes *b, const gfp_zbipoly f[2], size_t digits)
{
    gfp_error error = {.message = ""};
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = &error};
    gfp_status status = gfp_zsystem_solve(s, &f[0], &f[1], &options);
    if (status == GFP_OK) {
        status = gfp_zsystem_boxes(b, s, gfp_zboxes_bits(digits), &options);
    }
    return status == GFP_OK ? GFP_OK : fail("no result", status, &error);
}

static int run(gfp_zring *ring, char **path, size_t digits)
{
    gfp_zbipoly f[2];
    gfp_zsystem s;
    gfp_zboxes b;
    gfp_zbipoly_init(&f[0], ring);
    gfp_zbipoly_init(&f[1], ring);
    gfp_zsystem_init(&s, ring);
    gfp_zboxes_init(&b, ring);
    const bool good = read_file(&f[0], path[0]) == GFP_OK && read_file(&f[1], path[1]) == GFP_OK &&
                      solve(&s, &b, f, digits) == GFP_OK && show(&s, &b, f);
    gfp_zboxes_clear(&b);
    gfp_zsystem_clear(&s);
    gfp_zbipoly_clear(&f[0]);
    gfp_zbipoly_clear(&f[1]);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    gfp_zring *ring;
    const unsigned long digits = argc == 4 ? strtoul(argv[3], NULL, 10) : USUAL_DIGITS;
    if (argc < 3 || argc > 4 || digits < 8 || digits > MOST_DIGITS) {
        fprintf(stderr, "usage: bivariate_system FILE FILE [DIGITS], 8 to %d digits\n",
                MOST_DIGITS);
        return 2;
    }
    if (gfp_zring_create(&ring, NULL, NULL) != GFP_OK) {
        return 1;
    }
    const int code = run(ring, argv + 1, digits);
    gfp_zring_destroy(ring);
    return code;
}
