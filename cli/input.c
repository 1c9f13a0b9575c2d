/* input.c: messages, and the reading of polynomials from files and standard input.
 * A message about a file reads FILE:LINE:COLUMN: reason (coefficient I).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"

static bool is_quiet, is_verbose;

void set_loudness(bool quiet, bool verbose)
{
    is_quiet = quiet;
    is_verbose = verbose;
}

bool quiet_asked(void)
{
    return is_quiet;
}

static void write_message(const char *format, va_list arguments)
{
    fputs("gfpoly: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_message(format, arguments);
    va_end(arguments);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!is_quiet) {
        write_message(format, arguments);
    }
    va_end(arguments);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (is_verbose) {
        write_message(format, arguments);
    }
    va_end(arguments);
}

int exit_code(gfp_status status)
{
    switch (status) {
    case GFP_OK:
        return DONE;
    case GFP_ERR_MEMORY:
    case GFP_ERR_VERIFY:
    case GFP_ERR_VERSION:
    case GFP_ERR_CANCELLED:
    case GFP_ERR_DEVICE:
        return FAILED;
    default:
        return BAD_USAGE;
    }
}

/* Whether the reason begins with what, as "roots: the polynomial is 0" does with roots. */
static bool input_names(const char *reason, const char *what)
{
    const size_t length = strlen(what);
    return strncmp(reason, what, length) == 0 && strncmp(reason + length, ": ", 2) == 0;
}

int complain_status(const char *what, gfp_status status, const gfp_error *error)
{
    const char *reason =
        error != NULL && error->message[0] != '\0' ? error->message : gfp_status_string(status);
    if (what != NULL && !input_names(reason, what)) {
        complain("%s: %s", what, reason);
    } else {
        complain("%s", reason);
    }
    return exit_code(status);
}

int complain_length(const char *option, size_t length, gfp_status status)
{
    complain("%s %zu: %s", option, length, gfp_status_string(status));
    return exit_code(status);
}

int create_field(gfp_field **field, const char *name)
{
    gfp_error error = {.message = ""};
    gfp_status status = gfp_field_create(field, name, NULL, &error);
    if (status != GFP_OK) {
        struct suggestion s;
        begin_suggestion(&s, name);
        for (size_t i = 0; status == GFP_ERR_UNKNOWN && i < gfp_named_prime_count(); i++) {
            consider(&s, gfp_named_prime_get(i)->name);
        }
        complain("--field '%s': %s%s", name,
                 error.message[0] != '\0' ? error.message : gfp_status_string(status),
                 end_suggestion(&s, ""));
    }
    return exit_code(status);
}

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *shown_path(const char *path)
{
    return is_stdin(path) ? "standard input" : path;
}

/* Skips white space before a text, as the library does: the next byte then shows the format.
 * Returns that byte, still unread, or EOF. */
static int skip_space(struct operand *operand, FILE *stream)
{
    int c = getc(stream);
    for (; c == ' ' || (c >= '\t' && c <= '\r'); c = getc(stream)) {
        operand->skipped_columns++;
        if (c == '\n') {
            operand->skipped_lines++;
            operand->skipped_columns = 0;
        }
    }
    return c == EOF ? EOF : ungetc(c, stream);
}

/* Reports an error at a place of the text that begins behind the skipped space. */
static void complain_at(const struct operand *operand, uint64_t line, uint64_t column,
                        const char *reason)
{
    column += line == 1 ? operand->skipped_columns : 0;
    line += operand->skipped_lines;
    complain("%s:%llu:%llu: %s", shown_path(operand->path), (unsigned long long)line,
             (unsigned long long)column, reason);
}

static int complain_place(const struct operand *operand, gfp_status status, const gfp_error *error)
{
    char reason[sizeof error->message + 50];
    if (error->line == 0) {
        return complain_status(shown_path(operand->path), status, error);
    }
    int length = snprintf(reason, sizeof reason, "%s", error->message);
    if (error->index != GFP_NO_INDEX) {
        snprintf(reason + length, sizeof reason - (size_t)length, " (coefficient %llu)",
                 (unsigned long long)error->index);
    }
    complain_at(operand, error->line, error->column, reason);
    return exit_code(status);
}

static gfp_format format_of(int first)
{
    return first == '['                     ? GFP_FORMAT_NTL
           : first == GFP_BINARY_FIRST_BYTE ? GFP_FORMAT_BINARY
                                            : GFP_FORMAT_FLINT;
}

static int read_integers(const struct input *input, struct operand *operand, FILE *stream)
{
    gfp_error error = {.message = ""};
    operand->format = GFP_FORMAT_FLINT;
    (void)skip_space(operand, stream);
    gfp_zvec_init(&operand->integers, input->ring);
    gfp_zbipoly_init(&operand->bivariate, input->ring);
    gfp_zmatrix_init(&operand->matrix, input->ring);
    gfp_status status;
    switch (input->kind) {
    case TWO_VARIABLES:
        status = gfp_zbipoly_fread(&operand->bivariate, stream, &error);
        break;
    case MATRICES:
        status = gfp_zmatrix_fread(&operand->matrix, stream, &error);
        break;
    default:
        status = gfp_zvec_fread(&operand->integers, &operand->stored, stream, &error);
    }
    for (size_t j = 0; j < operand->bivariate.len; j++) {
        operand->stored += operand->bivariate.coeff[j].len;
    }
    for (size_t i = 0; i < operand->matrix.n * operand->matrix.n; i++) {
        operand->stored += operand->matrix.entry[i].len;
    }
    return status == GFP_OK ? DONE : complain_place(operand, status, &error);
}

static int read_stream(struct input *input, struct operand *operand, FILE *stream, bool named_field)
{
    gfp_error error = {.message = ""};
    gfp_status status;
    operand->format = format_of(skip_space(operand, stream));
    if (operand->format == GFP_FORMAT_BINARY &&
        operand->skipped_lines + operand->skipped_columns > 0) {
        complain_at(operand, 1, 1, "white space before the binary format");
        return BAD_USAGE;
    }
    if (operand->format == GFP_FORMAT_NTL && !named_field) {
        complain_at(operand, 1, 1, "NTL's format does not name the field: give --field");
        return BAD_USAGE;
    }
    if (input->field != NULL) {
        gfp_poly_init(&operand->poly, input->field);
        status = gfp_poly_fread(&operand->poly, &operand->stored, stream, operand->format, &error);
    } else {
        status = gfp_poly_fread_field(&operand->poly, &input->field, &operand->stored, stream, NULL,
                                      &error);
    }
    if (status == GFP_ERR_FIELD_MISMATCH && !named_field && operand->format != GFP_FORMAT_BINARY) {
        snprintf(error.message, sizeof error.message, "the modulus is not that of %.150s",
                 shown_path(input->operand[0].path));
    }
    return status == GFP_OK ? DONE : complain_place(operand, status, &error);
}

static int read_operand(struct input *input, const char *path, bool named_field)
{
    struct operand *operand = &input->operand[input->count];
    operand->path = path;
    FILE *stream = is_stdin(path) ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        complain("%s: cannot open: %s", path, strerror(errno));
        return BAD_USAGE;
    }
    struct watched watched;
    FILE *from = watch_reading(&watched, stream);
    int code = input->ring != NULL ? read_integers(input, operand, from)
                                   : read_stream(input, operand, from, named_field);
    (void)end_watching(&watched);
    if (stream != stdin) {
        fclose(stream);
    }
    if (code == DONE) {
        input->count++;
        tell("%s: %zu coefficients over %s", shown_path(path), operand->stored,
             input->ring != NULL ? "the integers" : gfp_field_name(input->field));
    }
    return code;
}

static int check_standard_input(const struct request *request, const char *const *file, int count)
{
    int standard = 0;
    for (int i = 0; i < count; i++) {
        standard += is_stdin(file[i]);
    }
    if (standard > 1) {
        complain("%s: only one of the inputs can be standard input", request->command->name);
        return BAD_USAGE;
    }
    return DONE;
}

int create_named_field(gfp_field **field, const struct request *request)
{
    *field = NULL;
    return request->fields > 0 ? create_field(field, request->field[0]) : DONE;
}

const char *asked_field(const struct request *request, size_t i)
{
    for (int j = 0; j < request->fields; j++) {
        const bool all = strcmp(request->field[j], "all") == 0;
        const size_t count = all ? gfp_named_prime_count() : 1;
        if (i < count) {
            return all ? gfp_named_prime_get(i)->name : request->field[j];
        }
        i -= count;
    }
    return NULL;
}

/* The field that --field names, if any, or the ring. */
static int create_ring(struct input *input, const struct request *request)
{
    gfp_error error = {.message = ""};
    if (input->kind == OVER_FIELD) {
        return create_named_field(&input->field, request);
    }
    const gfp_status status = gfp_zring_create(&input->ring, NULL, &error);
    return status == GFP_OK ? DONE : complain_status(request->command->name, status, &error);
}

int read_files(struct input *input, const struct request *request, const char *const *file,
               int count, enum input_kind kind)
{
    *input = (struct input){.kind = kind};
    int code = check_standard_input(request, file, count);
    code = code == DONE ? create_ring(input, request) : code;
    for (int i = 0; i < count && code == DONE; i++) {
        code = read_operand(input, file[i], request->fields > 0);
    }
    if (code != DONE) {
        free_input(input);
    }
    return code;
}

void free_input(struct input *input)
{
    for (int i = 0; i < input->count; i++) {
        if (input->ring != NULL) {
            gfp_zvec_clear(&input->operand[i].integers);
            gfp_zbipoly_clear(&input->operand[i].bivariate);
            gfp_zmatrix_clear(&input->operand[i].matrix);
        } else {
            gfp_poly_clear(&input->operand[i].poly);
        }
    }
    gfp_field_destroy(input->field);
    gfp_zring_destroy(input->ring);
    *input = (struct input){.field = NULL};
}

gfp_format output_format(const struct input *input, const struct request *request)
{
    const gfp_format first = input->operand[0].format;
    if (request->format == UNLIKE_INPUT) {
        return first == GFP_FORMAT_BINARY ? GFP_FORMAT_FLINT : GFP_FORMAT_BINARY;
    }
    return request->format == AS_INPUT ? first : (gfp_format)request->format;
}
