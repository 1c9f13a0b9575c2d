/* random.c: the subcommand random: uniform coefficients from a seeded generator, text in
 * constant space, or a random irreducible polynomial.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define DRAW_BLOCK ((size_t)4096)

static gfp_status status_of(bool written)
{
    return written ? GFP_OK : GFP_ERR_IO;
}

static gfp_status write_coefficients(FILE *stream, const gfp_field *field, size_t n, uint64_t seed,
                                     bool ntl, char *text, size_t size)
{
    uint64_t x[GFP_MAX_K];
    gfp_random generator;
    gfp_random_seed(&generator, seed);
    for (size_t i = 0; i < n; i++) {
        gfp_elem_random(field, x, &generator);
        gfp_status status = gfp_elem_get_string(field, text, size, NULL, 10, x);
        if (status != GFP_OK) {
            return status;
        }
        if (fprintf(stream, ntl && i == 0 ? "%s" : " %s", text) < 0) {
            return GFP_ERR_IO;
        }
    }
    return GFP_OK;
}

static gfp_status write_random(FILE *stream, const gfp_field *field, const struct request *request)
{
    bool ntl = request->format == GFP_FORMAT_NTL;
    size_t n = request->own.random.len;
    size_t size = gfp_elem_string_size(field, 10);
    char *text = malloc(size);
    if (text == NULL) {
        return GFP_ERR_MEMORY;
    }
    int written =
        ntl ? fputs("[", stream)
            : fprintf(stream, "%zu %s%s", n, gfp_field_get_info(field).modulus, n > 0 ? " " : "");
    gfp_status status = status_of(written >= 0);
    if (status == GFP_OK) {
        status = write_coefficients(stream, field, n, request->own.random.seed, ntl, text, size);
    }
    if (status == GFP_OK) {
        status = status_of(fputs(ntl ? "]\n" : "\n", stream) >= 0);
    }
    int error_number = errno;
    free(text);
    errno = error_number;
    return status;
}

/* Draws the elements in blocks and shows the progress after each block. */
static void random_draw(const gfp_field *field, uint64_t *x, size_t n, gfp_random *generator)
{
    struct progress progress;
    (void)begin_progress(&progress, "random");
    for (size_t i = 0; i < n; i += DRAW_BLOCK) {
        const size_t block = n - i < DRAW_BLOCK ? n - i : DRAW_BLOCK;
        gfp_vec_random(field, x + i * gfp_field_k(field), block, generator);
        show_progress(&progress, (double)(i + block) / (double)n);
    }
    end_progress(&progress);
}

/* Holds the whole polynomial in memory: the file's header has the checksum of the digits. */
static gfp_status write_binary(FILE *stream, const gfp_field *field, const struct request *request)
{
    gfp_random generator;
    const size_t n = request->own.random.len;
    uint64_t *x = malloc(n * gfp_field_k(field) * sizeof(uint64_t) + 1);
    if (x == NULL) {
        return GFP_ERR_MEMORY;
    }
    gfp_random_seed(&generator, request->own.random.seed);
    random_draw(field, x, n, &generator);
    const gfp_status status = gfp_vec_fwrite(field, x, n, stream, GFP_FORMAT_BINARY);
    const int error_number = errno;
    free(x);
    errno = error_number;
    return status;
}

/* Writes through a mapping: the file may be larger than memory. */
static int fill_file(const gfp_field *field, const struct request *request)
{
    struct result result;
    gfp_random generator;
    const int code = begin_result(&result, request->output, field, request->own.random.len);
    if (code != DONE) {
        return code;
    }
    gfp_random_seed(&generator, request->own.random.seed);
    random_draw(field, gfp_file_digits_mutable(result.file), request->own.random.len, &generator);
    return finish_result(&result);
}

/* Whether the output is a regular file, or no file yet: it can be mapped. */
static bool is_mappable(const char *path)
{
    struct stat status;
    return path != NULL && strcmp(path, "-") != 0 && stat(path, &status) != 0
               ? errno == ENOENT
               : path != NULL && strcmp(path, "-") != 0 && S_ISREG(status.st_mode) &&
                     strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0;
}

/* ---- irreducible polynomials ---- */

/* An open result takes the polynomial; errors are reported. */
static int write_irreducible(struct output *output, const gfp_field *field,
                             const struct request *request, gfp_format format)
{
    struct progress progress;
    gfp_random generator;
    gfp_error error = {.message = ""};
    gfp_poly f;
    gfp_options options = {.threads = request->call.threads,
                           .verify = GFP_VERIFY_POINT,
                           .error = &error,
                           .progress = begin_progress(&progress, "random")};
    gfp_poly_init(&f, field);
    gfp_random_seed(&generator, request->own.random.seed);
    const gfp_status status =
        gfp_poly_random_irreducible(&f, request->own.random.len - 1, &generator, &options);
    end_progress(&progress);
    int code = DONE;
    if (status == GFP_OK) {
        code = write_result(output, field, f.digits, f.len, format);
    } else {
        code = complain_status(request->command->name, status, &error);
        abandon_output(output);
    }
    gfp_poly_clear(&f);
    return code;
}

static int run_irreducible(const gfp_field *field, const struct request *request)
{
    struct output output;
    const gfp_format format = (gfp_format)request->format;
    if (request->own.random.len < 2) {
        complain("random: --len %zu: an irreducible polynomial has at least 2 coefficients",
                 request->own.random.len);
        return BAD_USAGE;
    }
    const int code = open_result(&output, request, request->output, format);
    return code == DONE ? write_irreducible(&output, field, request, format) : code;
}

/* ---- the subcommand ---- */

static int run_random(const struct request *request)
{
    gfp_field *field;
    struct output output;
    int code = create_field(&field, request->field[0]);
    if (code != DONE) {
        return code;
    }
    if (request->own.random.len > PTRDIFF_MAX / (gfp_field_k(field) * sizeof(uint64_t))) {
        /* No program could read it back. */
        gfp_field_destroy(field);
        return complain_length("--len", request->own.random.len, GFP_ERR_SIZE);
    }
    if (request->own.random.irreducible) {
        code = run_irreducible(field, request);
        gfp_field_destroy(field);
        return code;
    }
    const gfp_format format = (gfp_format)request->format;
    if (format == GFP_FORMAT_BINARY && is_mappable(request->output)) {
        code = fill_file(field, request);
    } else {
        code = open_result(&output, request, request->output, format);
        if (code == DONE) {
            struct watched watched;
            FILE *stream =
                watch_writing(&watched, output.stream, field, request->own.random.len, format);
            gfp_status status = format == GFP_FORMAT_BINARY ? write_binary(stream, field, request)
                                                            : write_random(stream, field, request);
            if (!end_watching(&watched) && status == GFP_OK) {
                status = GFP_ERR_IO;
            }
            code = finish_output(&output, status);
        }
    }
    gfp_field_destroy(field);
    return code;
}

const struct command random_commands[] = {
    {.name = "random",
     .summary = "Write a random polynomial",
     .doc = "Writes a polynomial of exactly N coefficients, uniform in [0, p), drawn from "
            "xoshiro256** seeded through SplitMix64. With --irreducible it is monic and "
            "irreducible, the first such one among the polynomials drawn, about N of them."
            "\vThe same field, length and seed give the same file on every machine. Not for "
            "cryptography.",
     .run = run_random},
    {.name = NULL}};
