/* z.c: the subcommands over the integers: zmul, zgcd, zresultant, zdiscriminant,
 * zbiresultant, zdeterminant and zcharpoly.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"

#define PRODUCT_METHODS "words|short|big|mix|flint|kronecker|classical"
#define GCD_METHODS "words|big|mix|kronecker|flint"
#define RESULTANT_METHODS "words|big|mix|flint"

/* Options of those that have several methods. */
#define EXPLAIN_OPTIONS(names)                                                                     \
    OPTION("strategy", KEY_METHOD, "auto|" names, "The same as --method"),                         \
        OPTION("explain", KEY_EXPLAIN, NULL,                                                       \
               "Instead of a result print each method with its predicted time, and the reason of " \
               "the pick")
#define PLAN_KEYS                                                                                  \
    ". With --explain: operation, len_a, len_b, bits_a, bits_b, bits (of the result), threads, "   \
    "pick, then, why, strategies: [{name, available, reason, estimate_ns, convert_ns, proof_ns, "  \
    "create_ns, prime, primes, blocks, bits}]."

static size_t length_of(const struct input *input, int i)
{
    return input->operand[i].integers.len;
}

static void describe_operands(const struct operation *operation, struct json *json,
                              const struct input *input)
{
    json_u64(json, "len_a", length_of(input, 0));
    if (operation->files == 2) {
        json_u64(json, "len_b", length_of(input, 1));
    } else {
        json_null(json, "len_b");
    }
}

/* ---- zmul ---- */

static gfp_status compute_product(const struct operation *operation, gfp_zvec *c,
                                  const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zvec_mul(c, &input->operand[0].integers, &input->operand[1].integers, options);
}

static void describe_product(const struct operation *operation, struct json *json,
                             const gfp_zvec *c, const struct input *input)
{
    describe_operands(operation, json, input);
    json_u64(json, "len_c", c->len);
    json_u64(json, "bits", gfp_zvec_bits(c));
}

static int run_zmul(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "zmul",
                                  .label = "multiplying",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute_integers = compute_product,
                                  .describe_integers = describe_product};
    return run_operation(&operation);
}

static const struct argp_option zmul_options[] = {
    Z_OPTIONS(PRODUCT_METHODS), EXPLAIN_OPTIONS(PRODUCT_METHODS), OPTION_OUTPUT, OPTION_END};

const struct command command_zmul = {
    .name = "zmul",
    .summary = "Multiply two integer polynomials",
    .arguments = "A B",
    .doc = "Writes the product of the polynomials with integer coefficients in the files A and B, "
           "in FLINT's format for fmpz_poly: \"length  c0 c1 ...\". The command verifies the "
           "product before it writes it."
           "\vJSON keys: operation, len_a, len_b, len_c, bits (of the greatest coefficient of the "
           "product), " OPERATION_KEYS PLAN_KEYS,
    .options = zmul_options,
    .files = 2,
    .run = run_zmul};

/* ---- zgcd ---- */

enum { DIVISOR, FIRST, SECOND };

static gfp_status compute_divisor(const struct operation *operation, gfp_zvec *c,
                                  const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zvec_gcd_cofactors(&c[DIVISOR], &c[FIRST], &c[SECOND], &input->operand[0].integers,
                                  &input->operand[1].integers, options);
}

static void describe_divisor(const struct operation *operation, struct json *json,
                             const gfp_zvec *c, const struct input *input)
{
    describe_operands(operation, json, input);
    json_u64(json, "len_g", c[DIVISOR].len);
    json_u64(json, "len_u", c[FIRST].len);
    json_u64(json, "len_v", c[SECOND].len);
}

static int run_zgcd(const struct settings *settings)
{
    struct place divisor = usual_place(settings);
    if (settings->first_cofactor != NULL || settings->second_cofactor != NULL) {
        divisor.path = settings->output;
    }
    struct operation operation = {.settings = settings,
                                  .name = "zgcd",
                                  .planned = GFP_ZOPERATION_GCD,
                                  .label = "common divisor",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 3,
                                  .place = {divisor,
                                            {.option = "-u", .path = settings->first_cofactor},
                                            {.option = "-v", .path = settings->second_cofactor}},
                                  .compute_integers = compute_divisor,
                                  .describe_integers = describe_divisor,
                                  .counts_unlucky = true};
    return run_operation(&operation);
}

static const struct argp_option zgcd_options[] = {
    OPTION("first-cofactor", KEY_FIRST_COFACTOR, "FILE",
           "Write A / G to FILE (-: standard output)"),
    OPTION("second-cofactor", KEY_SECOND_COFACTOR, "FILE",
           "Write B / G to FILE (-: standard output)"),
    Z_OPTIONS(GCD_METHODS),
    EXPLAIN_OPTIONS(GCD_METHODS),
    OPTION("output", KEY_OUTPUT, "FILE",
           "Write G to FILE (-: standard output, which is the default without -u and -v)"),
    OPTION_END};

const struct command command_zgcd = {
    .name = "zgcd",
    .summary = "The greatest common divisor of two integer polynomials",
    .arguments = "A B",
    .doc = "Writes the greatest common divisor G of the polynomials with integer coefficients in "
           "the files A and B, in FLINT's format for fmpz_poly: its content is the gcd of both "
           "contents, its leading coefficient is positive; 0 if both are 0. Options write the "
           "cofactors A / G and B / G, too. G is proved, whatever primes the method uses."
           "\vJSON keys: operation, len_a, len_b, len_g, len_u, len_v, unlucky_primes (primes that "
           "were detected as unlucky, and replaced), " OPERATION_KEYS PLAN_KEYS,
    .options = zgcd_options,
    .files = 2,
    .run = run_zgcd};

/* ---- zresultant and zdiscriminant ---- */

static gfp_status compute_resultant(const struct operation *operation, gfp_zvec *c,
                                    const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zvec_resultant(c, &input->operand[0].integers, &input->operand[1].integers, options);
}

static gfp_status compute_discriminant(const struct operation *operation, gfp_zvec *c,
                                       const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zvec_discriminant(c, &input->operand[0].integers, options);
}

/* *text := the number c in decimal, which gfp_zvec_string_free frees; *number := its place in the
 * text "1  number", or "0" where c has no coefficient. Returns false: no memory. */
static bool decimal(const gfp_zvec *c, char **text, size_t *size, const char **number)
{
    if (gfp_zvec_to_string(c, text, size) != GFP_OK) {
        return false;
    }
    const char *space = strrchr(*text, ' ');
    *number = space != NULL ? space + 1 : *text;
    return true;
}

static void describe_number(const struct operation *operation, struct json *json, const gfp_zvec *c,
                            const struct input *input)
{
    char *text = NULL;
    const char *number = NULL;
    size_t size = 0;
    const bool made = decimal(c, &text, &size, &number);
    describe_operands(operation, json, input);
    json_string(json, operation->name + 1, number);
    if (made) {
        gfp_zvec_string_free(c->ring, text, size);
    }
}

static gfp_status put_number(FILE *stream, const gfp_zvec *c)
{
    char *text;
    const char *number;
    size_t size;
    if (!decimal(c, &text, &size, &number)) {
        return GFP_ERR_MEMORY;
    }
    const gfp_status status = fprintf(stream, "%s\n", number) < 0 ? GFP_ERR_IO : GFP_OK;
    const int error_number = errno;
    gfp_zvec_string_free(c->ring, text, size);
    errno = error_number;
    return status;
}

static int run_zresultant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "zresultant",
                                  .planned = GFP_ZOPERATION_RESULTANT,
                                  .label = "resultant",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute_integers = compute_resultant,
                                  .describe_integers = describe_number,
                                  .put_integers = put_number};
    return run_operation(&operation);
}

static int run_zdiscriminant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "zdiscriminant",
                                  .planned = GFP_ZOPERATION_DISCRIMINANT,
                                  .label = "discriminant",
                                  .file = settings->file,
                                  .files = 1,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute_integers = compute_discriminant,
                                  .describe_integers = describe_number,
                                  .put_integers = put_number};
    return run_operation(&operation);
}

static const struct argp_option number_options[] = {
    Z_OPTIONS(RESULTANT_METHODS), EXPLAIN_OPTIONS(RESULTANT_METHODS), OPTION_OUTPUT, OPTION_END};

const struct command command_zresultant = {
    .name = "zresultant",
    .summary = "The resultant of two integer polynomials",
    .arguments = "A B",
    .doc = "Writes the resultant of the polynomials with integer coefficients in the files A and B "
           "in decimal. The files have FLINT's format for fmpz_poly: \"length  c0 c1 ...\"."
           "\vJSON keys: operation, len_a, len_b, resultant (a string of decimal "
           "digits), " OPERATION_KEYS PLAN_KEYS,
    .options = number_options,
    .files = 2,
    .run = run_zresultant};

const struct command command_zdiscriminant = {
    .name = "zdiscriminant",
    .summary = "The discriminant of an integer polynomial",
    .arguments = "A",
    .doc = "Writes the discriminant of the polynomial with integer coefficients in the file A in "
           "decimal; it is 0 if A has a multiple root. The file has FLINT's format for fmpz_poly: "
           "\"length  c0 c1 ...\"."
           "\vJSON keys: operation, len_a, len_b (null), discriminant (a string of decimal "
           "digits), " OPERATION_KEYS PLAN_KEYS,
    .options = number_options,
    .files = 1,
    .run = run_zdiscriminant};

/* ---- zbiresultant ---- */

static gfp_status compute_biresultant(const struct operation *operation, gfp_zvec *c,
                                      const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zbipoly_resultant_y(c, &input->operand[0].bivariate, &input->operand[1].bivariate,
                                   options);
}

static void describe_biresultant(const struct operation *operation, struct json *json,
                                 const gfp_zvec *c, const struct input *input)
{
    (void)operation;
    json_u64(json, "len_y_a", input->operand[0].bivariate.len);
    json_u64(json, "len_y_b", input->operand[1].bivariate.len);
    json_u64(json, "len_r", c->len);
    json_u64(json, "bits", gfp_zvec_bits(c));
}

static int run_zbiresultant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "zbiresultant",
                                  .label = "resultant",
                                  .file = settings->file,
                                  .files = 2,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute_integers = compute_biresultant,
                                  .describe_integers = describe_biresultant,
                                  .kind = TWO_VARIABLES};
    return run_operation(&operation);
}

static const struct argp_option biresultant_options[] = {
    Z_OPTIONS_WITH("words|words_gpu", ", or words_gpu (the same on a GPU)"),
    OPTION("gpu-device", KEY_GPU_DEVICE, "N", "The GPU for the method words_gpu (default: 0)"),
    OPTION("gpu-memory", KEY_GPU_MEMORY, "SIZE",
           "Bytes of the GPU's memory that the resultant may take (default: all that is free)"),
    OPTION_OUTPUT, OPTION_END};

const struct command command_zbiresultant = {
    .name = "zbiresultant",
    .summary = "The resultant of two bivariate integer polynomials",
    .arguments = "A B",
    .doc = "Writes the resultant, with respect to Y, of the polynomials in X and Y with integer "
           "coefficients in the files A and B: a polynomial in X, in FLINT's format for fmpz_poly. "
           "The files have a line \"length  c0 c1 ...\" with the polynomial in X for each power of "
           "Y, from Y^0 on. The command verifies the resultant before it writes it."
           "\vJSON keys: operation, len_y_a, len_y_b (1 + the degrees in Y), len_r, bits (of the "
           "greatest coefficient of the resultant), " OPERATION_KEYS ".",
    .options = biresultant_options,
    .files = 2,
    .run = run_zbiresultant};

/* ---- zdeterminant and zcharpoly ---- */

static gfp_status compute_determinant(const struct operation *operation, gfp_zvec *c,
                                      const struct input *input, const gfp_options *options)
{
    (void)operation;
    return gfp_zmatrix_determinant(c, &input->operand[0].matrix, options);
}

static void describe_determinant(const struct operation *operation, struct json *json,
                                 const gfp_zvec *c, const struct input *input)
{
    (void)operation;
    json_u64(json, "rows", input->operand[0].matrix.n);
    json_u64(json, "len_r", c->len);
    json_u64(json, "bits", gfp_zvec_bits(c));
}

static int run_zdeterminant(const struct settings *settings)
{
    struct operation operation = {.settings = settings,
                                  .name = "zdeterminant",
                                  .label = "determinant",
                                  .file = settings->file,
                                  .files = 1,
                                  .results = 1,
                                  .place = {usual_place(settings)},
                                  .compute_integers = compute_determinant,
                                  .describe_integers = describe_determinant,
                                  .kind = MATRICES};
    return run_operation(&operation);
}

static const struct argp_option matrix_options[] = {Z_OPTIONS_WITH("words", ", the only method"),
                                                    OPTION_OUTPUT, OPTION_END};

#define MATRIX_FILE                                                                                \
    "The file has a line \"n n\", then a line \"length  c0 c1 ...\", a polynomial in X, for each " \
    "entry, row by row; an integer c is \"1  c\". "

const struct command command_zdeterminant = {
    .name = "zdeterminant",
    .summary = "The determinant of an integer matrix",
    .arguments = "A",
    .doc = "Writes the determinant of the matrix of polynomials with integer coefficients in the "
           "file A: a polynomial in X, in FLINT's format for fmpz_poly. " MATRIX_FILE
           "The command verifies the determinant before it writes it."
           "\vJSON keys: operation, rows, len_r, bits (of the greatest coefficient of the "
           "determinant), " OPERATION_KEYS ".",
    .options = matrix_options,
    .files = 1,
    .run = run_zdeterminant};

/* An operation whose result is a polynomial in two variables. */
struct characteristic {
    struct operation operation;
    gfp_zbipoly result;
    bool made;
};

static gfp_status compute_charpoly(const struct operation *operation, gfp_zvec *c,
                                   const struct input *input, const gfp_options *options)
{
    struct characteristic *own = (struct characteristic *)operation;
    (void)c;
    gfp_zbipoly_init(&own->result, input->ring);
    own->made = true;
    return gfp_zmatrix_charpoly(&own->result, &input->operand[0].matrix, options);
}

static gfp_status write_charpoly(const struct operation *operation, FILE *stream, gfp_format format)
{
    (void)format;
    return gfp_zbipoly_fwrite(&((const struct characteristic *)operation)->result, stream);
}

static void free_charpoly(struct operation *operation)
{
    struct characteristic *own = (struct characteristic *)operation;
    if (own->made) {
        gfp_zbipoly_clear(&own->result);
    }
}

static void describe_charpoly(const struct operation *operation, struct json *json,
                              const gfp_zvec *c, const struct input *input)
{
    const gfp_zbipoly *result = &((const struct characteristic *)operation)->result;
    size_t bits = 0;
    (void)c;
    for (size_t j = 0; j < result->len; j++) {
        const size_t own = gfp_zvec_bits(&result->coeff[j]);
        bits = own > bits ? own : bits;
    }
    json_u64(json, "rows", input->operand[0].matrix.n);
    json_u64(json, "len_r", result->len);
    json_u64(json, "bits", bits);
}

static int run_zcharpoly(const struct settings *settings)
{
    struct characteristic own = {.operation = {.settings = settings,
                                               .name = "zcharpoly",
                                               .label = "characteristic polynomial",
                                               .file = settings->file,
                                               .files = 1,
                                               .place = {usual_place(settings)},
                                               .compute_integers = compute_charpoly,
                                               .describe_integers = describe_charpoly,
                                               .write = write_charpoly,
                                               .free = free_charpoly,
                                               .kind = MATRICES}};
    return run_operation(&own.operation);
}

const struct command command_zcharpoly = {
    .name = "zcharpoly",
    .summary = "The characteristic polynomial of a matrix",
    .arguments = "A",
    .doc = "Writes the characteristic polynomial det(Y I - A) of the matrix in the file A: a "
           "polynomial in X, in FLINT's format for fmpz_poly, in a line for each power of Y, from "
           "Y^0 on. " MATRIX_FILE "The command verifies the polynomial before it writes it."
           "\vJSON keys: operation, rows, len_r (1 + the degree in Y), bits (of the greatest "
           "coefficient), " OPERATION_KEYS ".",
    .options = matrix_options,
    .files = 1,
    .run = run_zcharpoly};
