/* texts.c: texts over Z through every reader: vectors, bivariate polynomials, matrices.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/process.h"
#include "lab/rows.h"
#include "lab/texts.h"
#include "modular/polynomials.h"

#include "gfpoly/zbipoly.h"
#include "gfpoly/zmatrix.h"
#include "modular/bivariate.h"
#include "modular/points/matrix.h"

/* A copy of the text, which is freed. */
static char *take_text(char *text, size_t size)
{
    assert_int_equal(size, strlen(text) + 1);
    char *copy = strdup(text);
    gfp_free(text);
    return copy;
}

/* ---- vectors ---- */

static gfp_zvec vector;

static gfp_status read_vector_string(const char *text, size_t length, gfp_error *error)
{
    return gfp_zvec_from_string(&vector, text, length, error);
}

static gfp_status read_vector(FILE *stream, gfp_error *error)
{
    return gfp_zvec_fread(&vector, NULL, stream, error);
}

static char *vector_text(void)
{
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(gfp_zvec_to_string(&text, &size, &vector), GFP_OK);
    return take_text(text, size);
}

static gfp_status write_vector(FILE *stream)
{
    return gfp_zvec_fwrite(&vector, stream);
}

static const lab_text_row vector_texts[] = {
    LAB_READ("0", "0"),
    LAB_READ(" 0 \n", "0"),
    LAB_READ("1 0", "0"),
    LAB_READ("3  1 -2\n\t3", "3  1 -2 3"),
    LAB_READ("2 -0 007", "2  0 7"),
    LAB_READ("3 0 0 -00", "0"),
    LAB_READ("1  -18446744073709551616", "1  -18446744073709551616"),
    LAB_READ("1 9223372036854775808", "1  9223372036854775808"),
    LAB_READ("1 -9223372036854775808", "1  -9223372036854775808"),
    LAB_REFUSED("", PARSE, 1, 1, NONE, "the text is empty"),
    LAB_REFUSED("x", PARSE, 1, 1, NONE, "character 'x' where the length should be"),
    LAB_REFUSED("-1 2", PARSE, 1, 1, NONE, "sign '-' where the length should be"),
    LAB_REFUSED("2  1", PARSE, 1, 5, 1, "the text ends after 1 of 2 coefficients"),
    LAB_REFUSED("2  1 x", PARSE, 1, 6, 1, "character 'x' where an integer should be"),
    LAB_REFUSED("2  1\n 2.5", PARSE, 2, 3, 1, "character '.' where a digit or a space should be"),
    LAB_REFUSED("2  1 +2", PARSE, 1, 6, 1, "sign '+' where an integer should be"),
    LAB_REFUSED("2  1 - 2", PARSE, 1, 7, 1, "byte 0x20 where a digit should be"),
    LAB_REFUSED("2  1 -", PARSE, 1, 7, 1, "the text ends where a digit should be"),
    LAB_REFUSED("2  1 --2", PARSE, 1, 7, 1, "sign '-' where a digit should be"),
    LAB_REFUSED("1  1 2", PARSE, 1, 6, 1, "another number after the last coefficient"),
    LAB_REFUSED("1  1 -2", PARSE, 1, 6, NONE, "sign '-' where the end of the text"),
    LAB_REFUSED("3 17  1 2 3", PARSE, 1, 11, 3, "another number after the last coefficient"),
    LAB_REFUSED("[1 2]", PARSE, 1, 1, NONE, "character '[' where the length should be"),
    LAB_REFUSED("99999999999999999999999 1", SIZE, 1, 1, NONE, "the length is more than"),
    LAB_REFUSED("3  1\n 2", PARSE, 2, 3, 2, "the text ends after 2 of 3 coefficients"),
    LAB_REFUSED("2  1 1/2\n", PARSE, 1, 7, 1, "character '/' where a digit or a space should be"),
    LAB_REFUSED("1  2.5\n", PARSE, 1, 5, 0, "character '.' where a digit or a space should be"),
    LAB_REFUSED("2 17  1 1\n", PARSE, 1, 9, 2,
                "another number after the last coefficient; the length is 2"),
    LAB_REFUSED("\n [1 2]\n", PARSE, 2, 2, NONE, "character '[' where the length should be"),
    LAB_REFUSED("1  +1\n", PARSE, 1, 4, 0, "sign '+' where an integer should be"),
    LAB_REFUSED("\x89GFP\r\n\x1a\n", PARSE, 1, 1, NONE, "byte 0x89 where the length should be"),
};

/* Only coefficients may have a sign. */
static void expect_no_sign_elsewhere(void)
{
    for (size_t i = 0; LAB_ROW(vector_texts, i); i++) {
        gfp_error error = {.message = ""};
        (void)read_vector_string(vector_texts[i].text, vector_texts[i].length, &error);
        assert_true(vector_texts[i].index != NONE || strstr(error.message, "may stand") == NULL);
    }
}

static void vectors_from_texts(void **state)
{
    static const lab_text_kind kind = {"vectors",    read_vector_string, read_vector, vector_text,
                                       write_vector, "zmul %s one.txt",  true};
    (void)state;
    put_file("one.txt", "1  1\n");
    gfp_zvec_init(&vector, ring);
    assert_int_equal(gfp_zvec_from_string(&vector, "1  7", 4, NULL), GFP_OK);
    LAB_TEXTS(&kind, vector_texts);
    expect_no_sign_elsewhere();
    gfp_zvec_clear(&vector);
}

/* ---- bivariate polynomials ---- */

static gfp_zbipoly bivariate;

static gfp_status read_bivariate(FILE *stream, gfp_error *error)
{
    return gfp_zbipoly_fread(&bivariate, stream, error);
}

/* What `write` writes, without the last newline. */
static char *written_text(gfp_status (*write)(FILE *stream))
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(write(stream), GFP_OK);
    assert_int_equal(fclose(stream), 0);
    assert_true(size > 0 && text[size - 1] == '\n');
    text[size - 1] = '\0';
    return text;
}

static gfp_status write_bivariate(FILE *stream)
{
    return gfp_zbipoly_fwrite(&bivariate, stream);
}

static char *bivariate_text(void)
{
    return written_text(write_bivariate);
}

static const lab_text_row bivariate_texts[] = {
    LAB_READ("\n 2  -1 0\n0\n  3  0 123456789012345678901234567890 -1 \n 0 \n\n \n",
             "1  -1\n0\n3  0 123456789012345678901234567890 -1"),
    LAB_READ("0", "0"),
    LAB_REFUSED("", PARSE, 1, 1, NONE, "the text is empty"),
    LAB_REFUSED(" \n ", PARSE, 2, 2, NONE, "the text is empty"),
    LAB_REFUSED("1  5\n2  3\n", PARSE, 2, 5, 1, "Y^1: the line ends after 1 of 2 coefficients"),
    LAB_REFUSED("1  5\n1  3 4\n", PARSE, 2, 6, 1, "Y^1: "),
    LAB_REFUSED("1  5\n1  x\n", PARSE, 2, 4, 0, "Y^1: "),
    LAB_REFUSED("3  -1 0 1\n\n1  1\n", PARSE, 2, 1, NONE, "Y^1: the line is blank"),
    LAB_REFUSED("\n1  5\n1  1\n\t \r\n\n1  1", PARSE, 4, 1, NONE, "Y^2: the line is blank"),
    LAB_REFUSED("-1\n", PARSE, 1, 1, NONE, "Y^0: "),
    LAB_REFUSED("\n2  1 1\n1  x\n", PARSE, 3, 4, 0,
                "Y^1: character 'x' where an integer should be"),
    LAB_REFUSED("3  1\n 2", PARSE, 1, 5, 1, "Y^0: the line ends after 1 of 3 coefficients"),
};

static void bivariate_polynomials_from_texts(void **state)
{
    static const lab_text_kind kind = {
        "bivariate polynomials",   NULL, read_bivariate, bivariate_text, write_bivariate,
        "zbiresultant %s one.txt", false};
    (void)state;
    put_file("one.txt", "1  1\n");
    gfp_zbipoly_init(&bivariate, ring);
    lab_bivariate_read(&bivariate, "1  5");
    LAB_TEXTS(&kind, bivariate_texts);
    gfp_zbipoly_clear(&bivariate);
}

/* ---- matrices ---- */

static gfp_zmatrix matrix;

static gfp_status read_matrix(FILE *stream, gfp_error *error)
{
    return gfp_zmatrix_fread(&matrix, stream, error);
}

static gfp_status write_matrix(FILE *stream)
{
    gfp_status status = fprintf(stream, "%zu %zu\n", matrix.n, matrix.n) > 0 ? GFP_OK : GFP_ERR_IO;
    for (size_t i = 0; status == GFP_OK && i < matrix.n * matrix.n; i++) {
        status = gfp_zvec_fwrite(&matrix.entry[i], stream);
    }
    return status == GFP_OK && fflush(stream) == 0 ? GFP_OK : GFP_ERR_IO;
}

static char *matrix_text(void)
{
    return written_text(write_matrix);
}

static const lab_text_row matrix_texts[] = {
    LAB_READ("\n 2  2 \n\n1  -1\n0\n\n 3  0 12345678901234567890123 -1 \n2  7 0\n ",
             "2 2\n1  -1\n0\n3  0 12345678901234567890123 -1\n1  7"),
    LAB_READ("0 0", "0 0"),
    LAB_REFUSED("", PARSE, 1, 1, NONE, "the text is empty"),
    LAB_REFUSED("2\n", PARSE, 1, 2, NONE, "size: "),
    LAB_REFUSED("\n2 3\n", PARSE, 2, 1, NONE,
                "size: 2 rows and 3 columns: the matrix is not square"),
    LAB_REFUSED("2 2 2\n", PARSE, 1, 5, NONE, "size: "),
    LAB_REFUSED("2x 2\n", PARSE, 1, 2, NONE, "size: "),
    LAB_REFUSED("+2 2\n", PARSE, 1, 1, NONE,
                "size: sign '+' where the number of rows or columns should be"),
    LAB_REFUSED("99999999999999999999 2\n", SIZE, 1, 1, NONE, "size: the matrix is too large"),
    LAB_REFUSED("5000000000 5000000000\n", SIZE, 1, 1, NONE, "size: no memory for 5000000000 rows"),
    /* Memory is taken for entries that are there. */
    LAB_REFUSED("400000 400000\n", PARSE, 2, 1, NONE,
                "the text ends after 0 of 160000000000 entries"),
    LAB_REFUSED("1 1\n2  3\n", PARSE, 2, 5, 1, "entry 0: the line ends after 1 of 2 coefficients"),
    LAB_REFUSED("2 2\n0\n0\n1  x\n0\n", PARSE, 4, 4, 0, "entry 2: "),
    LAB_REFUSED("2 2\n0\n0\n0\n", PARSE, 5, 1, NONE, "the text ends after 3 of 4 entries"),
    LAB_REFUSED("1 1\n0\n0\n", PARSE, 3, 1, NONE, "more lines after the last of 1 entries"),
    LAB_REFUSED("1 2\n0\n0\n", PARSE, 1, 1, NONE, "size: 1 rows and 2 columns"),
};

static void matrices_from_texts(void **state)
{
    static const lab_text_kind kind = {
        "matrices", NULL, read_matrix, matrix_text, write_matrix, "zdeterminant %s", false};
    (void)state;
    gfp_zmatrix_init(&matrix, ring);
    assert_int_equal(gfp_zmatrix_set_zero(&matrix, 1), GFP_OK);
    LAB_TEXTS(&kind, matrix_texts);
    gfp_zmatrix_clear(&matrix);
}

static int enter_texts(void **state)
{
    return zlab_setup(state) == 0 ? enter_empty_folder(state) : -1;
}

static int leave_texts(void **state)
{
    (void)leave_folder(state);
    return zlab_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_from_texts),
        cmocka_unit_test(bivariate_polynomials_from_texts),
        cmocka_unit_test(matrices_from_texts),
    };
    return cmocka_run_group_tests(tests, enter_texts, leave_texts);
}
