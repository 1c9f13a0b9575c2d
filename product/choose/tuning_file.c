/* tuning_file.c: tunings as text, from and to streams and paths:
 *
 *     gfpoly-tuning 4
 *     machine cpu="..." level="portable" gpu="none" gfpoly="0.1.0" flint="2.9.0"
 *     methods classical=1 karatsuba=1 ...         names and revisions: the columns below
 *     operation product threads=1
 *     field k=8 r=9223372054034644992
 *     4 4 1189 1204 ...                           lengths, nanoseconds per method, 0: not measured
 *     operation product threads=1 resident        factors and result on the device
 *     end
 *
 * Rows are in the order of product/methods/costs.h. After them may stand lines "threshold ..." and
 * "factor ...", which earlier versions of the library wrote, and which are skipped. Version 1 of
 * the format knew products on one thread only, versions 2 and 3 fewer of these lines. Numbers are
 * decimal digits in every locale.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfpoly/field.h"
#include "field/base/support.h"
#include "product/choose/tuning.h"

#define MAGIC "gfpoly-tuning "
#define FORMAT_VERSION 4
#define RESIDENT " resident"
#define MAX_LINE 2048
#define MAX_REVISION 1000000

/* ---- writing ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
tuning_file_put(FILE *stream, const char *format, ...)
{
    char piece[GFP_FACT_SIZE + 40]; /* the longest is name="fact" */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    (void)fputs(piece, stream); /* the stream keeps its error */
}

static void write_head(const gfp_machine *machine, FILE *stream)
{
    tuning_file_put(stream, MAGIC "%d\nmachine", FORMAT_VERSION);
    for (size_t i = 0; i < GFP_FACTS; i++) {
        tuning_file_put(stream, " %s=\"%s\"", gfp_fact_name(i), machine->fact[i]);
    }
    fputs("\nmethods", stream);
    for (size_t i = 0; i < machine->methods; i++) {
        tuning_file_put(stream, " %s=%u", machine->method[i].name, machine->method[i].revision);
    }
    fputc('\n', stream);
}

/* A measured time must not become 0. */
static uint64_t tuning_file_rounded(double ns)
{
    return ns > 0 && ns < 1 ? 1 : (uint64_t)round(ns);
}

static void write_row(const gfp_cost_row *row, size_t methods, FILE *stream)
{
    tuning_file_put(stream, "%" PRIu64 " %" PRIu64, row->len_a, row->len_b);
    for (size_t i = 0; i < methods; i++) {
        tuning_file_put(stream, " %" PRIu64, tuning_file_rounded(row->ns[i]));
    }
    fputc('\n', stream);
}

gfp_status gfp_tuning_fwrite(const gfp_tuning *tuning, FILE *stream)
{
    const gfp_cost_row *last = NULL;
    write_head(&tuning->machine, stream);
    for (size_t i = 0; i < tuning->count && !ferror(stream); i++) {
        const gfp_cost_row *row = &tuning->rows[i];
        const bool other = last == NULL || last->operation != row->operation ||
                           last->resident != row->resident || last->threads != row->threads;
        if (other) {
            tuning_file_put(stream, "operation %s threads=%u%s\n",
                            gfp_operation_name((gfp_operation)row->operation), row->threads,
                            row->resident != GFP_RESIDENT_HOST ? RESIDENT : "");
        }
        if (other || last->k != row->k || last->r != row->r) {
            tuning_file_put(stream, "field k=%u r=%" PRIu64 "\n", row->k, row->r);
        }
        write_row(row, tuning->machine.methods, stream);
        last = row;
    }
    fputs("end\n", stream);
    return fflush(stream) == 0 && !ferror(stream) ? GFP_OK : GFP_ERR_IO;
}

/* ---- reading ---- */

/* The reader of a text: the current line and the position in it. */
typedef struct reader {
    FILE *stream;
    gfp_error *error;
    uint64_t line_number;
    uint64_t offset; /* of the line */
    uint64_t bytes;  /* of the line, with its end */
    size_t length;   /* of the line, without its end */
    const char *at;
    bool ended; /* the stream ended before this line */
    char line[MAX_LINE];
} reader;

/* Adds the position to the error just set. */
static gfp_status at_place(const reader *r, gfp_status status)
{
    if (r->error != NULL) {
        r->error->line = r->line_number;
        r->error->column = (uint64_t)(r->at - r->line) + 1;
        r->error->offset = r->offset + r->error->column - 1;
    }
    return status;
}

static gfp_status tuning_file_malformed(const reader *r, const char *reason)
{
    return at_place(r, gfp_error_set(r->error, GFP_ERR_PARSE, "%s", reason));
}

static gfp_status out_of_range(const reader *r, const char *reason)
{
    return at_place(r, gfp_error_set(r->error, GFP_ERR_RANGE, "%s", reason));
}

/* Reads the next line; sets ended if there is none. */
static gfp_status next_line(reader *r)
{
    int c;
    r->offset += r->bytes;
    r->bytes = 1;
    r->line_number++;
    r->length = 0;
    r->at = r->line;
    for (; (c = getc(r->stream)) != EOF && c != '\n'; r->bytes++) {
        r->at = r->line + r->length;
        bool after_return = r->length > 0 && r->line[r->length - 1] == '\r';
        if ((c < ' ' && c != '\r') || c > '~' || after_return) {
            return tuning_file_malformed(r, "a byte that is no printable ASCII character");
        }
        if (r->length + 1 == MAX_LINE) {
            return tuning_file_malformed(r, "the line is too long");
        }
        r->line[r->length++] = (char)c;
    }
    if (c == EOF && ferror(r->stream)) {
        return gfp_error_set(r->error, GFP_ERR_IO, "cannot read: %s", strerror(errno));
    }
    r->ended = c == EOF && r->length == 0;
    if (r->length > 0 && r->line[r->length - 1] == '\r') {
        r->length--;
    }
    r->line[r->length] = '\0';
    r->at = r->line;
    return GFP_OK;
}

/* Whether the text continues with `text`; skips it. */
static bool tuning_file_skip(reader *r, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) {
        return false;
    }
    r->at += n;
    return true;
}

static gfp_status expect_end_of_line(const reader *r)
{
    return *r->at == '\0' ? GFP_OK
                          : tuning_file_malformed(r, "something follows the end of the line");
}

/* *value := the decimal number at the position, at most maximum. */
static gfp_status take_number(reader *r, uint64_t maximum, uint64_t *value)
{
    uint64_t result = 0;
    const char *start = r->at;
    while (*r->at >= '0' && *r->at <= '9') {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (result > maximum / 10 || digit > maximum - 10 * result) {
            r->at = start;
            return out_of_range(r, "the number is too large");
        }
        result = 10 * result + digit;
        r->at++;
    }
    *value = result;
    return r->at != start ? GFP_OK : tuning_file_malformed(r, "a number is missing here");
}

/* text := the text from the position up to the character end, which is skipped. */
static gfp_status take_text(reader *r, char end, char *text, size_t size)
{
    size_t n = strcspn(r->at, (char[]){end, '\0'});
    if (r->at[n] == '\0' || n == 0 || n >= size) {
        return tuning_file_malformed(r, r->at[n] == '\0' ? "a text without its end"
                                        : n == 0         ? "an empty text"
                                                         : "the text is too long");
    }
    memcpy(text, r->at, n);
    text[n] = '\0';
    r->at += n + 1;
    return GFP_OK;
}

static gfp_status read_magic(reader *r)
{
    uint64_t version = 0;
    GFP_TRY(next_line(r));
    if (!tuning_file_skip(r, MAGIC)) {
        return tuning_file_malformed(r, "this is no tuning file: it does not begin with \"" MAGIC
                                        "\"");
    }
    GFP_TRY(take_number(r, UINT32_MAX, &version));
    if (version != FORMAT_VERSION) {
        return at_place(r, gfp_error_set(r->error, GFP_ERR_PARSE,
                                         "version %" PRIu64 " of the format; this is version %d",
                                         version, FORMAT_VERSION));
    }
    return expect_end_of_line(r);
}

static gfp_status read_machine(reader *r, gfp_machine *machine)
{
    GFP_TRY(next_line(r));
    if (!tuning_file_skip(r, "machine")) {
        return tuning_file_malformed(r, "expected the line \"machine\"");
    }
    for (size_t i = 0; i < GFP_FACTS; i++) {
        if (!tuning_file_skip(r, " ") || !tuning_file_skip(r, gfp_fact_name(i)) ||
            !tuning_file_skip(r, "=\"")) {
            return at_place(
                r, gfp_error_set(r->error, GFP_ERR_PARSE, "expected %s=\"...\"", gfp_fact_name(i)));
        }
        GFP_TRY(take_text(r, '"', machine->fact[i], sizeof machine->fact[i]));
    }
    return expect_end_of_line(r);
}

static gfp_status read_method(reader *r, gfp_machine *machine)
{
    char name[GFP_METHOD_NAME_SIZE];
    uint64_t revision = 0;
    if (machine->methods == GFP_COST_COLUMNS) {
        return tuning_file_malformed(r, "too many methods");
    }
    if (!tuning_file_skip(r, " ")) {
        return tuning_file_malformed(r, "expected a space and a method");
    }
    GFP_TRY(take_text(r, '=', name, sizeof name));
    if (gfp_machine_column(machine, name) < GFP_COST_COLUMNS) {
        return tuning_file_malformed(r, "the method is listed twice");
    }
    if (strchr(name, ' ') != NULL) {
        return tuning_file_malformed(r, "a method's name with a space");
    }
    GFP_TRY(take_number(r, MAX_REVISION, &revision));
    memcpy(machine->method[machine->methods].name, name, sizeof name);
    machine->method[machine->methods].revision = (unsigned)revision;
    machine->methods++;
    return GFP_OK;
}

static gfp_status read_methods(reader *r, gfp_machine *machine)
{
    GFP_TRY(next_line(r));
    if (!tuning_file_skip(r, "methods")) {
        return tuning_file_malformed(r, "expected the line \"methods\"");
    }
    do {
        GFP_TRY(read_method(r, machine));
    } while (*r->at != '\0');
    return GFP_OK;
}

/* Reads operation and threads of *row, after the word "operation". */
static gfp_status read_operation(reader *r, gfp_cost_row *row)
{
    char name[GFP_METHOD_NAME_SIZE];
    gfp_operation operation;
    uint64_t threads = 0;
    if (!tuning_file_skip(r, " ")) {
        return tuning_file_malformed(r, "expected \"operation NAME threads=...\"");
    }
    GFP_TRY(take_text(r, ' ', name, sizeof name));
    if (gfp_operation_find(&operation, name) != GFP_OK) {
        return tuning_file_malformed(r, "no such operation");
    }
    if (!tuning_file_skip(r, "threads=")) {
        return tuning_file_malformed(r, "expected threads=...");
    }
    GFP_TRY(take_number(r, GFP_MAX_THREADS, &threads));
    if (threads == 0) {
        return out_of_range(r, "no threads");
    }
    *row = (gfp_cost_row){.operation = (unsigned)operation,
                          .resident = tuning_file_skip(r, RESIDENT) ? GFP_RESIDENT_DEVICE
                                                                    : GFP_RESIDENT_HOST,
                          .threads = (unsigned)threads};
    return expect_end_of_line(r);
}

/* Reads k and r of *row, after the word "field". */
static gfp_status read_field(reader *r, gfp_cost_row *row)
{
    uint64_t k = 0;
    if (!tuning_file_skip(r, " k=")) {
        return tuning_file_malformed(r, "expected \"field k=... r=...\"");
    }
    GFP_TRY(take_number(r, GFP_MAX_K, &k));
    if (k < 2 || (k & (k - 1)) != 0) {
        return out_of_range(r, "k is no power of two from 2 on");
    }
    if (!tuning_file_skip(r, " r=")) {
        return tuning_file_malformed(r, "expected \" r=...\"");
    }
    GFP_TRY(take_number(r, UINT64_MAX, &row->r));
    if (row->r < 2 || row->r % 2 != 0) {
        return out_of_range(r, "r is not even, or 0");
    }
    row->k = (unsigned)k;
    row->len_a = 0;
    return expect_end_of_line(r);
}

static gfp_status read_times(reader *r, size_t methods, gfp_cost_row *row)
{
    GFP_TRY(take_number(r, GFP_TUNING_MAX_LEN, &row->len_a));
    if (!tuning_file_skip(r, " ")) {
        return tuning_file_malformed(r, "expected two lengths");
    }
    GFP_TRY(take_number(r, GFP_TUNING_MAX_LEN, &row->len_b));
    if (row->len_a == 0 || row->len_b == 0) {
        return out_of_range(r, "a length of 0");
    }
    if (!gfp_tuning_takes(row->operation, row->len_a, row->len_b)) {
        return out_of_range(r, "the operation has no rows of such lengths");
    }
    for (size_t i = 0; i < methods; i++) {
        uint64_t ns = 0;
        if (!tuning_file_skip(r, " ")) {
            return tuning_file_malformed(r, "fewer times than methods");
        }
        GFP_TRY(take_number(r, (uint64_t)GFP_TUNING_MAX_NS, &ns));
        row->ns[i] = (double)ns;
    }
    return *r->at == '\0' ? GFP_OK
                          : tuning_file_malformed(r, "more times than methods, or no number");
}

/* Reads a line of times, whose row must come after the last one. */
static gfp_status read_row(reader *r, gfp_tuning *tuning, gfp_cost_row *row)
{
    if (row->k == 0) {
        return tuning_file_malformed(r, "expected \"operation\", \"field\" or \"end\"");
    }
    GFP_TRY(read_times(r, tuning->machine.methods, row));
    if (tuning->count > 0 && gfp_cost_compare(&tuning->rows[tuning->count - 1], row) >= 0) {
        r->at = r->line;
        return out_of_range(r, "fields and lengths are not in ascending order");
    }
    gfp_status status = gfp_tuning_append(tuning, row);
    if (status != GFP_OK) {
        gfp_error_set(r->error, status, "row %zu: %s", tuning->count + 1,
                      gfp_status_string(status));
        return at_place(r, status);
    }
    return GFP_OK;
}

/* Whether an operation or a field was announced that has no rows: an error, so that the number of
 * rows limits the text that is read. */
static bool is_empty(const gfp_cost_row *row)
{
    return row->threads != 0 && (row->k == 0 || row->len_a == 0);
}

/* Reads the lines after the head; *skipped := the number of those that mean nothing any more. */
static gfp_status read_rows(reader *r, gfp_tuning *tuning, size_t *skipped)
{
    gfp_cost_row row = {.threads = 0};
    *skipped = 0;
    for (;;) {
        GFP_TRY(next_line(r));
        if (r->ended) {
            return tuning_file_malformed(r, "the text is cut off: the line \"end\" is missing");
        }
        const char *start = r->at;
        const bool end = tuning_file_skip(r, "end"),
                   operation = !end && tuning_file_skip(r, "operation");
        const bool field = !end && !operation && tuning_file_skip(r, "field");
        const bool old = !end && !operation && !field &&
                         (tuning_file_skip(r, "threshold ") || tuning_file_skip(r, "factor "));
        if (((operation || old) && is_empty(&row)) || (field && row.k != 0 && row.len_a == 0)) {
            r->at = start;
            return tuning_file_malformed(r, row.k != 0 ? "the previous field has no rows"
                                                       : "the previous operation has no rows");
        }
        if (end) {
            GFP_TRY(expect_end_of_line(r));
            break;
        }
        if (old) {
            ++*skipped;
            continue;
        }
        if ((field && row.threads == 0) || *skipped > 0) {
            r->at = start;
            return tuning_file_malformed(r, *skipped > 0 ? "expected \"end\""
                                                         : "expected \"operation\" or \"end\"");
        }
        GFP_TRY(operation ? read_operation(r, &row)
                : field   ? read_field(r, &row)
                          : read_row(r, tuning, &row));
    }
    GFP_TRY(next_line(r));
    return r->ended ? GFP_OK : tuning_file_malformed(r, "something follows the line \"end\"");
}

static void note_skipped(gfp_error *error, size_t lines)
{
    if (lines > 0) {
        gfp_error_fill(
            error, GFP_OK,
            "%zu line%s of thresholds and factors, which are compiled in now, %s skipped", lines,
            lines == 1 ? "" : "s", lines == 1 ? "is" : "are");
    }
}

gfp_status gfp_tuning_fread(gfp_tuning **tuning, FILE *stream, const gfp_allocator *allocator,
                            gfp_error *error)
{
    reader r = {.stream = stream, .error = error};
    gfp_machine machine = {.methods = 0};
    gfp_tuning *t = NULL;
    GFP_TRY(read_magic(&r));
    GFP_TRY(read_machine(&r, &machine));
    GFP_TRY(read_methods(&r, &machine));
    gfp_status status = gfp_tuning_create_for(&t, &machine, allocator);
    if (status != GFP_OK) {
        gfp_error_set(error, status, "%s", gfp_status_string(status));
        return at_place(&r, status);
    }
    size_t skipped;
    status = read_rows(&r, t, &skipped);
    if (status == GFP_OK) {
        *tuning = t;
        note_skipped(error, skipped);
    } else {
        gfp_tuning_destroy(t);
    }
    return status;
}

/* ---- paths ---- */

static gfp_status io_error(gfp_error *error, const char *what)
{
    int number = errno;
    gfp_error_set(error, GFP_ERR_IO, "%s: %s", what, strerror(number));
    errno = number;
    return GFP_ERR_IO;
}

gfp_status gfp_tuning_load(gfp_tuning **tuning, const char *path, const gfp_allocator *allocator,
                           gfp_error *error)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return io_error(error, "cannot open");
    }
    gfp_status status = gfp_tuning_fread(tuning, stream, allocator, error);
    (void)fclose(stream);
    return status;
}
