/* long_resultant.c: the resultant of two polynomials over Z, an integer of thousands of digits, by
 * every strategy that is built in, with times. All results must be equal, and equal modulo the
 * prime p64 to the resultant of the polynomials modulo p64, which Euclid's algorithm over that
 * field computes (gfp_poly_resultant): no prime and no code of the strategies serves in it.
 * Usage: long_resultant [DEGREE BITS | FILE FILE]: random polynomials of this degree with
 * coefficients below 2^BITS, or polynomials in FLINT's text format (gfpoly/zvec.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gfpoly.h"

#define MOST_DEGREE 10000
#define MOST_BITS 100000

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static gfp_status fail(const char *where, gfp_status status, const gfp_error *error)
{
    fprintf(stderr, "long_resultant: %s: %s %s\n", where, gfp_status_string(status),
            error->message);
    return status;
}

/* ---- polynomials ---- */

/* z := coefficients in [-2^bits, 2^bits), uniform; the leading one could be 0, but hardly ever is.
 */
static gfp_status random_poly(gfp_zvec *z, size_t degree, size_t bits, gfp_random *random)
{
    const size_t width = bits / 64 + 1;
    const unsigned spare = (unsigned)(64 * width - bits - 1); /* bits that repeat the sign */
    const size_t count = (degree + 1) * width;
    uint64_t *limbs = malloc(count * sizeof *limbs);
    gfp_status status = GFP_ERR_MEMORY;

    if (limbs != NULL) {
        for (size_t i = 0; i < count; i++) {
            limbs[i] = gfp_random_u64(random);
            if ((i + 1) % width == 0) {
                const uint64_t top = limbs[i] >> spare;
                const uint64_t sign = (uint64_t)1 << (63 - spare);
                limbs[i] = (top ^ sign) - sign; /* the top bit is the sign */
            }
        }
        status = gfp_zvec_set_limbs(z, limbs, degree + 1, width);
    }
    free(limbs);
    return status;
}

static gfp_status read_file(gfp_zvec *z, const char *path)
{
    gfp_error error = {.message = ""};
    FILE *stream = fopen(path, "rb");

    if (stream == NULL) {
        fprintf(stderr, "long_resultant: %s: %s\n", path, strerror(errno));
        return GFP_ERR_IO;
    }
    const gfp_status status = gfp_zvec_fread(z, NULL, stream, &error);
    fclose(stream);
    if (status != GFP_OK) {
        fprintf(stderr, "long_resultant: %s:%llu:%llu: %s\n", path, (unsigned long long)error.line,
                (unsigned long long)error.column, error.message);
    }
    return status;
}

/* ---- strategies ---- */

/* r := the resultant by each strategy; the first result stays. Prints times, and the reasons of
 * strategies that do not serve. Errors: VERIFY (two results differ), or a strategy's own. */
static gfp_status by_all(gfp_zvec *r, const gfp_zvec *a, const gfp_zvec *b)
{
    static const char *const strategy[] = {"words", "big", "flint"};
    gfp_error error = {.message = ""};
    unsigned served = 0;
    gfp_status status = GFP_OK;
    gfp_zvec other;

    gfp_zvec_init(&other, a->ring);
    for (size_t i = 0; i < sizeof strategy / sizeof strategy[0] && status == GFP_OK; i++) {
        const gfp_options options = {.method = strategy[i], .error = &error};
        const double start = seconds();
        status = gfp_zvec_resultant(&other, a, b, &options);
        if (status == GFP_ERR_UNAVAILABLE || status == GFP_ERR_SIZE) {
            printf("%-5s  not here: %s\n", strategy[i], error.message);
            status = GFP_OK;
        } else if (status != GFP_OK) {
            (void)fail(strategy[i], status, &error);
        } else {
            printf("%-5s  %.3f s\n", strategy[i], seconds() - start);
            if (served++ == 0) {
                gfp_zvec_swap(r, &other);
            } else if (!gfp_zvec_equal(r, &other)) {
                fprintf(stderr, "long_resultant: %s gives ANOTHER resultant\n", strategy[i]);
                status = GFP_ERR_VERIFY;
            }
        }
    }
    gfp_zvec_clear(&other);
    if (status == GFP_OK && served == 0) {
        fputs("long_resultant: no strategy serves\n", stderr);
        return GFP_ERR_UNAVAILABLE;
    }
    if (status == GFP_OK) {
        printf("strategies with this resultant: %u\n", served);
    }
    return status;
}

/* ---- the check ---- */

/* f := z modulo p. An integer in two's complement of w bits that is negative is 2^w less than its
 * limbs say. */
static gfp_status reduce(gfp_poly *f, const gfp_zvec *z)
{
    const uint64_t bits = 64 * (uint64_t)z->width;
    uint64_t wrap[GFP_MAX_K], x[GFP_MAX_K];
    gfp_status status = GFP_OK;

    gfp_elem_set_u64(f->field, wrap, 2);
    gfp_elem_pow(f->field, wrap, wrap, &bits, 1);
    for (size_t i = z->len; i-- > 0 && status == GFP_OK;) {
        const uint64_t *limbs = z->limbs + i * z->width;
        gfp_elem_set_limbs(f->field, x, limbs, z->width);
        if (limbs[z->width - 1] >> 63 != 0) {
            gfp_elem_sub(f->field, x, x, wrap);
        }
        status = gfp_poly_set_coeff(f, i, x);
    }
    return status;
}

/* Whether r is the resultant of a and b, three polynomials over the field, r constant. */
static gfp_status compare(const gfp_poly *r, const gfp_poly *a, const gfp_poly *b, gfp_error *error)
{
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .error = error};
    uint64_t expected[GFP_MAX_K], found[GFP_MAX_K];
    const gfp_status status = gfp_poly_resultant(expected, a, b, &options);

    if (status == GFP_OK) {
        gfp_poly_get_coeff(found, r, 0);
        if (!gfp_elem_equal(r->field, expected, found)) {
            fputs("long_resultant: the resultant modulo the prime is ANOTHER one\n", stderr);
            return GFP_ERR_VERIFY;
        }
    }
    return status;
}

static gfp_status check(const gfp_zvec *r, const gfp_zvec *a, const gfp_zvec *b)
{
    const gfp_zvec *z[3] = {r, a, b};
    gfp_error error = {.message = ""};
    gfp_field *field;
    gfp_poly f[3];

    gfp_status status = gfp_field_create(&field, "p64", NULL, &error);
    if (status != GFP_OK) {
        return fail("p64", status, &error);
    }
    for (int i = 0; i < 3; i++) {
        gfp_poly_init(&f[i], field);
        status = status == GFP_OK ? reduce(&f[i], z[i]) : status;
    }
    if (status == GFP_OK && (f[1].len != a->len || f[2].len != b->len)) {
        status = GFP_ERR_UNAVAILABLE; /* p divides a leading coefficient */
    }
    if (status == GFP_OK) {
        status = compare(&f[0], &f[1], &f[2], &error);
    }
    if (status == GFP_OK) {
        printf("right modulo %s, a prime of %u bits\n", gfp_field_name(field),
               gfp_field_bits(field));
    } else if (status != GFP_ERR_VERIFY || error.message[0] != '\0') {
        (void)fail("the check modulo p64", status, &error);
    }
    for (int i = 0; i < 3; i++) {
        gfp_poly_clear(&f[i]);
    }
    gfp_field_destroy(field);
    return status;
}

/* ---- the program ---- */

/* Sign, first and last digits of r, and how many digits there are. */
static gfp_status print_integer(const gfp_zvec *r)
{
    char *text;
    size_t size;

    const gfp_status status = gfp_zvec_to_string(&text, &size, r);
    if (status != GFP_OK) {
        return status;
    }
    const char *number = r->len == 0 ? "0" : strrchr(text, ' ') + 1;
    const size_t digits = strlen(number) - (number[0] == '-');
    if (digits <= 40) {
        printf("resultant %s; digits: %zu\n", number, digits);
    } else {
        printf("resultant %.20s...%s; digits: %zu\n", number, number + strlen(number) - 20, digits);
    }
    gfp_free(text);
    return GFP_OK;
}

/* *value := the number in text, from 1 to most; digits only. */
static bool parse(size_t *value, const char *text, size_t most)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    *value = strtoul(text, NULL, 10); /* the greatest number if the text says more */
    return *value >= 1 && *value <= most;
}

static gfp_status operands(gfp_zvec *a, gfp_zvec *b, char **argv)
{
    size_t degree = 200, bits = 200;
    gfp_random random;

    if (argv[1] != NULL &&
        (!parse(&degree, argv[1], MOST_DEGREE) || !parse(&bits, argv[2], MOST_BITS))) {
        const gfp_status status = read_file(a, argv[1]);
        return status == GFP_OK ? read_file(b, argv[2]) : status;
    }
    gfp_random_seed(&random, 1);
    const gfp_status status = random_poly(a, degree, bits, &random);
    return status == GFP_OK ? random_poly(b, degree, bits, &random) : status;
}

int main(int argc, char **argv)
{
    gfp_error error = {.message = ""};
    gfp_zring *ring;
    gfp_zvec a, b, r;

    if (argc != 1 && argc != 3) {
        fputs("usage: long_resultant [DEGREE BITS | FILE FILE]\n", stderr);
        return EXIT_FAILURE;
    }
    if (gfp_zring_create(&ring, NULL, &error) != GFP_OK) {
        fprintf(stderr, "long_resultant: %s\n", error.message);
        return EXIT_FAILURE;
    }
    gfp_zvec_init(&a, ring);
    gfp_zvec_init(&b, ring);
    gfp_zvec_init(&r, ring);
    gfp_status status = operands(&a, &b, argv);
    if (status == GFP_OK) {
        printf("lengths %zu and %zu, coefficients of at most %zu and %zu bits\n", a.len, b.len,
               gfp_zvec_bits(&a), gfp_zvec_bits(&b));
        status = by_all(&r, &a, &b);
    }
    if (status == GFP_OK) {
        status = print_integer(&r);
    }
    if (status == GFP_OK) {
        status = check(&r, &a, &b);
    }
    gfp_zvec_clear(&a);
    gfp_zvec_clear(&b);
    gfp_zvec_clear(&r);
    gfp_zring_destroy(ring);
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
