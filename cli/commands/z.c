/* z.c: the subcommands over the integers: zmul, zgcd, zresultant, zdiscriminant, zbiresultant,
 * zdeterminant, zcharpoly and zreconstruct.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/cli.h"

#define MATRIX_FILE                                                                                \
    "The file has a line \"n n\", then a line \"length  c0 c1 ...\", a polynomial in X, for each " \
    "entry, row by row; an integer c is \"1  c\". "

/* ---- zgcd ---- */

enum { DIVISOR, FIRST, SECOND };

static int begin_gcd(struct call *call)
{
    const struct gcd_values *values = &call->request->own.gcd;
    if (values->first_cofactor != NULL || values->second_cofactor != NULL) {
        call->place[DIVISOR].path = call->request->output;
    }
    call->place[FIRST] = (struct place){.option = "-u", .path = values->first_cofactor};
    call->place[SECOND] = (struct place){.option = "-v", .path = values->second_cofactor};
    return DONE;
}

static gfp_status find_gcd(struct call *call, const gfp_options *options)
{
    gfp_zvec *c = call->c.integers;
    return gfp_zvec_gcd_cofactors(&c[DIVISOR], &c[FIRST], &c[SECOND], integers_of(call, 0),
                                  integers_of(call, 1), options);
}

/* ---- zdiscriminant, zbiresultant, zdeterminant ---- */

static gfp_status find_discriminant(struct call *call, const gfp_options *options)
{
    return gfp_zvec_discriminant(call->c.integers, integers_of(call, 0), options);
}

static gfp_status find_biresultant(struct call *call, const gfp_options *options)
{
    const struct operand *operand = call->input.operand;
    return gfp_zbipoly_resultant_y(call->c.integers, &operand[0].bivariate, &operand[1].bivariate,
                                   options);
}

static gfp_status find_determinant(struct call *call, const gfp_options *options)
{
    return gfp_zmatrix_det(call->c.integers, &call->input.operand[0].matrix, options);
}

/* ---- zcharpoly: the result is a polynomial in two variables ---- */

static gfp_status find_charpoly(struct call *call, const gfp_options *options)
{
    gfp_zbipoly_init(&call->c.own.bivariate, call->input.ring);
    return gfp_zmatrix_charpoly(&call->c.own.bivariate, &call->input.operand[0].matrix, options);
}

static gfp_status write_charpoly(const struct call *call, FILE *stream, gfp_format format)
{
    (void)format;
    return gfp_zbipoly_fwrite(&call->c.own.bivariate, stream);
}

static void free_charpoly(struct call *call)
{
    gfp_zbipoly_clear(&call->c.own.bivariate);
}

static void describe_charpoly(const struct call *call, struct json *json)
{
    const gfp_zbipoly *result = &call->c.own.bivariate;
    size_t bits = 0;
    for (size_t j = 0; j < result->len; j++) {
        const size_t own = gfp_zvec_bits(&result->coeff[j]);
        bits = own > bits ? own : bits;
    }
    json_u64(json, "len_r", result->len);
    json_u64(json, "bits", bits);
}

/* ---- zreconstruct: the results are numerators and their denominator ---- */

enum { RESIDUES, MODULUS, MAX_NUMERATOR, MAX_DENOMINATOR };
enum { NUMERATORS, DENOMINATOR };

static int begin_reconstruction(struct call *call)
{
    if (call->files == 3) {
        complain("zreconstruct: expected both bounds, N and D, or none");
        return BAD_USAGE;
    }
    return DONE;
}

static gfp_status z_reconstruct(struct call *call, const gfp_options *options)
{
    const bool bounded = call->files > 2;
    gfp_zvec *c = call->c.integers;
    return gfp_zvec_reconstruct(&c[NUMERATORS], &c[DENOMINATOR], integers_of(call, RESIDUES),
                                integers_of(call, MODULUS),
                                bounded ? integers_of(call, MAX_NUMERATOR) : NULL,
                                bounded ? integers_of(call, MAX_DENOMINATOR) : NULL, options);
}

static gfp_status write_fractions(const struct call *call, FILE *stream, gfp_format format)
{
    const gfp_zvec *c = call->c.integers;
    (void)format;
    const gfp_status status = gfp_zvec_fwrite(&c[NUMERATORS], stream);
    return status == GFP_OK ? gfp_zvec_fwrite(&c[DENOMINATOR], stream) : status;
}

/* ---- the subcommands ---- */

const struct command z_commands[] = {
    {.name = "zmul",
     .summary = "Multiply two integer polynomials",
     .arguments = "A B",
     .doc = "Writes the product of the polynomials with integer coefficients in the files A and B, "
            "in FLINT's format for fmpz_poly: \"length  c0 c1 ...\". The command verifies the "
            "product before it writes it."
            "\vJSON keys: operation, len_a, len_b, len_c, bits (of the greatest coefficient of the "
            "product), " OPERATION_KEYS ".",
     .files = 2,
     .operation = {.label = "multiplying",
                   .kind = ONE_VARIABLE,
                   .results = 1,
                   .of_two_over_z = gfp_zvec_mul,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"len_c", LENGTH_OF_RESULT, 0},
                               {"bits", BITS_OF_RESULT, 0}}}},
    {.name = "zgcd",
     .summary = "The greatest common divisor of two integer polynomials",
     .arguments = "A B",
     .doc = "Writes the greatest common divisor G of the polynomials with integer coefficients in "
            "the files A and B, in FLINT's format for fmpz_poly: its content is the gcd of both "
            "contents, its leading coefficient is positive; 0 if both are 0. Options write the "
            "cofactors A / G and B / G, too. G is proved, whatever primes the method uses."
            "\vJSON keys: operation, len_a, len_b, len_g, len_u, len_v, unlucky_primes (primes "
            "that were detected as unlucky, and replaced), " OPERATION_KEYS ".",
     .files = 2,
     .operation = {.label = "common divisor",
                   .kind = ONE_VARIABLE,
                   .results = 3,
                   .begin = begin_gcd,
                   .compute = find_gcd,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"len_g", LENGTH_OF_RESULT, DIVISOR},
                               {"len_u", LENGTH_OF_RESULT, FIRST},
                               {"len_v", LENGTH_OF_RESULT, SECOND}},
                   .counts_unlucky = true}},
    {.name = "zresultant",
     .summary = "The resultant of two integer polynomials",
     .arguments = "A B",
     .doc = "Writes the resultant of the polynomials with integer coefficients in the files A and "
            "B in decimal. The files have FLINT's format for fmpz_poly: \"length  c0 c1 ...\"."
            "\vJSON keys: operation, len_a, len_b, resultant (a string of decimal "
            "digits), " OPERATION_KEYS ".",
     .files = 2,
     .operation = {.label = "resultant",
                   .kind = ONE_VARIABLE,
                   .results = 1,
                   .of_two_over_z = gfp_zvec_resultant,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"resultant", NUMBER_OF_RESULT, 0}},
                   .is_number = true}},
    {.name = "zdiscriminant",
     .summary = "The discriminant of an integer polynomial",
     .arguments = "A",
     .doc = "Writes the discriminant of the polynomial with integer coefficients in the file A in "
            "decimal; it is 0 if A has a multiple root. The file has FLINT's format for fmpz_poly: "
            "\"length  c0 c1 ...\"."
            "\vJSON keys: operation, len_a, len_b (null), discriminant (a string of decimal "
            "digits), " OPERATION_KEYS ".",
     .files = 1,
     .operation = {.label = "discriminant",
                   .kind = ONE_VARIABLE,
                   .results = 1,
                   .compute = find_discriminant,
                   .members = {{"len_a", LENGTH_OF, 0},
                               {"len_b", LENGTH_OF, 1},
                               {"discriminant", NUMBER_OF_RESULT, 0}},
                   .is_number = true}},
    {.name = "zbiresultant",
     .summary = "The resultant of two bivariate integer polynomials",
     .arguments = "A B",
     .doc = "Writes the resultant, with respect to Y, of the polynomials in X and Y with integer "
            "coefficients in the files A and B: a polynomial in X, in FLINT's format for "
            "fmpz_poly. The files have a line \"length  c0 c1 ...\" with the polynomial in X for "
            "each power of Y, from Y^0 on. The command verifies the resultant before it writes it."
            "\vJSON keys: operation, len_y_a, len_y_b (1 + the degrees in Y), len_r, bits (of the "
            "greatest coefficient of the resultant), " OPERATION_KEYS ".",
     .files = 2,
     .operation = {.label = "resultant",
                   .kind = TWO_VARIABLES,
                   .results = 1,
                   .compute = find_biresultant,
                   .members = {{"len_y_a", LENGTH_OF, 0},
                               {"len_y_b", LENGTH_OF, 1},
                               {"len_r", LENGTH_OF_RESULT, 0},
                               {"bits", BITS_OF_RESULT, 0}}}},
    {.name = "zdeterminant",
     .summary = "The determinant of an integer matrix",
     .arguments = "A",
     .doc = "Writes the determinant of the matrix of polynomials with integer coefficients in the "
            "file A: a polynomial in X, in FLINT's format for fmpz_poly. " MATRIX_FILE
            "The command verifies the determinant before it writes it."
            "\vJSON keys: operation, rows, len_r, bits (of the greatest coefficient of the "
            "determinant), " OPERATION_KEYS ".",
     .files = 1,
     .operation = {.label = "determinant",
                   .kind = MATRICES,
                   .results = 1,
                   .compute = find_determinant,
                   .members = {{"rows", LENGTH_OF, 0},
                               {"len_r", LENGTH_OF_RESULT, 0},
                               {"bits", BITS_OF_RESULT, 0}}}},
    {.name = "zcharpoly",
     .summary = "The characteristic polynomial of a matrix",
     .arguments = "A",
     .doc = "Writes the characteristic polynomial det(Y I - A) of the matrix in the file A: a "
            "polynomial in X, in FLINT's format for fmpz_poly, in a line for each power of Y, from "
            "Y^0 on. " MATRIX_FILE "The command verifies the polynomial before it writes it."
            "\vJSON keys: operation, rows, len_r (1 + the degree in Y), bits (of the greatest "
            "coefficient), " OPERATION_KEYS ".",
     .files = 1,
     .operation = {.label = "characteristic polynomial",
                   .kind = MATRICES,
                   .compute = find_charpoly,
                   .members = {{"rows", LENGTH_OF, 0}},
                   .describe = describe_charpoly,
                   .write = write_charpoly,
                   .free_own = free_charpoly}},
    {.name = "zreconstruct",
     .summary = "Fractions from their residues",
     .arguments = "RESIDUES MODULUS [N D]",
     .doc = "Writes the fractions n_i / d whose residues modulo the integer in the file MODULUS "
            "are the integers in the file RESIDUES: a line with the n_i, and a line with d, the "
            "least common denominator, in FLINT's format for fmpz_poly, \"length  c0 c1 ...\"; an "
            "integer c is \"1  c\". |n_i| <= N and 0 < d <= D, where 2 N D is less than the "
            "modulus; without the files N and D both are the square root of half of it. Results "
            "are proved. Exit status 1: no such fractions exist."
            "\vJSON keys: operation, len_a (of the residues), len_c (of the n_i), bits (of the "
            "greatest n_i), bits_denominator, " OPERATION_KEYS ".",
     .files = 2,
     .most_files = 4,
     .operation = {.label = "rational reconstruction",
                   .kind = ONE_VARIABLE,
                   .results = 2,
                   .begin = begin_reconstruction,
                   .compute = z_reconstruct,
                   .members = {{"len_a", LENGTH_OF, RESIDUES},
                               {"len_c", LENGTH_OF_RESULT, NUMERATORS},
                               {"bits", BITS_OF_RESULT, NUMERATORS},
                               {"bits_denominator", BITS_OF_RESULT, DENOMINATOR}},
                   .write = write_fractions}},
    {.name = NULL}};
