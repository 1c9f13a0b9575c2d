/* bench/report.c: the list of figures, its CSV and JSON forms, progress and messages.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "cli/json.h"

const char *program_name = "";

record *report_add(report *r, const char *section, const char *field, const char *name)
{
    if (r->count == r->capacity) {
        const size_t capacity = r->capacity == 0 ? 64 : 2 * r->capacity;
        record *records = realloc(r->records, capacity * sizeof(*records));
        if (records == NULL) {
            complain("no memory for %zu figures", capacity);
            return NULL;
        }
        r->records = records;
        r->capacity = capacity;
    }
    record *added = &r->records[r->count++];
    *added = (record){.section = section};
    snprintf(added->field, sizeof(added->field), "%s", field);
    snprintf(added->name, sizeof(added->name), "%s", name);
    return added;
}

void record_note(record *x, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(x->note, sizeof(x->note), format, arguments);
    va_end(arguments);
    for (char *c = x->note; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') {
            *c = ' ';
        }
    }
}

bool check_build(void)
{
    return build_refusal() == NULL || complain("built %s: its times mean nothing", build_refusal());
}

bool check_preload(void)
{
    const char *libraries = getenv("LD_PRELOAD");
    return libraries == NULL || strstr(libraries, "libgfpoly_") == NULL ||
           complain(
               "by LD_PRELOAD gfpoly computes for the libraries that are compared with gfpoly");
}

void report_start(report *r)
{
    describe_machine(&r->machine);
    write_machine(stdout, &r->machine, "# ");
}

void report_clear(report *r)
{
    free(r->records);
    *r = (report){.records = NULL};
}

void print_timing(const timing *t, double unit)
{
    printf(" %12.4f %12.4f %8.1f", t->min_ns / unit, t->median_ns / unit, t->spread);
}

void print_timing_head(const char *unit)
{
    printf(" %9s %2s %9s %2s %8s", "min", unit, "median", unit, "spread %");
}

void print_head(const char *what, const char *unit)
{
    printf("  %-30s", what);
    print_timing_head(unit);
    putchar('\n');
}

record *take_timed_row(const settings *s, report *r, const timed_row *f, bool (*run)(void *context),
                       void *context)
{
    progress(f->field, f->name, f->len_a);
    record *x = report_add(r, f->section, f->field, f->name);
    if (x == NULL) {
        return NULL;
    }
    x->len_a = f->len_a;
    x->len_b = f->len_b;
    if (!measure(&x->time, s->seconds, run, context)) {
        complain("%s, length %zu, %s: %s", f->field, f->len_a, f->name,
                 f->error != NULL && f->error->message[0] != '\0' ? f->error->message : "failed");
        return NULL;
    }
    x->time = timing_divide(x->time, f->per > 0 ? f->per : 1);
    progress_end();
    if (f->unit > 0) {
        printf("  %-30s", f->name);
        print_timing(&x->time, f->unit);
        putchar('\n');
        fflush(stdout);
    }
    return x;
}

void print_spread(const report *r)
{
    const record *worst = NULL;
    size_t count = 0;

    for (size_t i = 0; i < r->count; i++) {
        const record *x = &r->records[i];
        count += x->time.runs > 1 ? 1 : 0;
        worst =
            x->time.runs > 1 && (worst == NULL || x->time.spread > worst->time.spread) ? x : worst;
    }
    if (worst != NULL) {
        printf(
            "%zu figures; the middle half of the samples spreads by at most %.1f %% of the median "
            "(%s, %s)\n",
            count, worst->time.spread, worst->field, worst->name);
    }
}

/* Writes a number, or nothing for 0. */
static void csv_number(FILE *out, double x)
{
    if (x > 0) {
        fprintf(out, ",%.6g", x);
    } else {
        fputc(',', out);
    }
}

static void csv_record(FILE *out, const record *x)
{
    fprintf(out, "%s,%s,%s,%zu,%zu,%zu", x->section, x->field, x->name, x->len_a, x->len_b,
            x->time.runs);
    csv_number(out, x->time.min_ns);
    csv_number(out, x->time.median_ns);
    if (x->time.median_ns > 0) {
        fprintf(out, ",%.4g", x->time.spread);
    } else {
        fputc(',', out);
    }
    csv_number(out, x->ratio_to_flint);
    csv_number(out, x->verify_share);
    csv_number(out, x->ratio_to_gfpoly);
    fputc(',', out);
    write_quoted(out, x->note, '"');
    fputc('\n', out);
}

/* Writes a number, or null for 0. */
static void json_number(struct json *json, const char *key, double x)
{
    if (x > 0) {
        json_digits(json, key, x, 6);
    } else {
        json_null(json, key);
    }
}

static void json_record(struct json *json, const record *x)
{
    json_open(json, NULL, '{');
    json_string(json, "section", x->section);
    json_string(json, "field", x->field);
    json_string(json, "name", x->name);
    json_u64(json, "len_a", x->len_a);
    json_u64(json, "len_b", x->len_b);
    json_u64(json, "runs", x->time.runs);
    json_number(json, "min_ns", x->time.min_ns);
    json_number(json, "median_ns", x->time.median_ns);
    if (x->time.median_ns > 0) {
        json_digits(json, "spread_percent", x->time.spread, 4);
    } else {
        json_null(json, "spread_percent");
    }
    json_number(json, "ratio_to_flint", x->ratio_to_flint);
    json_number(json, "verify_share", x->verify_share);
    json_number(json, "ratio_to_gfpoly", x->ratio_to_gfpoly);
    json_string(json, "note", x->note);
    json_close(json, '}');
}

static bool is_standard_output(int fd)
{
    struct stat file;
    struct stat standard;

    return fstat(fd, &file) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
           file.st_dev == standard.st_dev && file.st_ino == standard.st_ino;
}

bool report_open(FILE **out, const char *path)
{
    const int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT, 0666);

    *out = NULL;
    if (fd != -1 && is_standard_output(fd)) {
        /* Written behind the earlier output, not over it. */
        (void)close(fd);
        *out = stdout;
    } else if (fd != -1) {
        *out = fdopen(fd, "w");
    }
    return path == NULL || *out != NULL || complain("%s: %s", path, strerror(errno));
}

void report_begin(FILE *out)
{
    /* Fails for a device or pipe, which needs no truncation. */
    if (out != stdout) {
        const int ignored = ftruncate(fileno(out), 0);
        (void)ignored;
    }
}

bool report_end(FILE *out, const char *path)
{
    const bool failed = ferror(out) != 0;

    if ((out == stdout ? fflush(out) : fclose(out)) != 0 || failed) {
        return complain("%s: %s", path, strerror(errno));
    }
    return true;
}

bool report_write_csv(const report *r, FILE *out, const char *path)
{
    report_begin(out);
    write_machine(out, &r->machine, "# ");
    fputs("section,field,name,len_a,len_b,runs,min_ns,median_ns,spread_percent,ratio_to_flint,"
          "verify_share,ratio_to_gfpoly,note\n",
          out);
    for (size_t i = 0; i < r->count; i++) {
        csv_record(out, &r->records[i]);
    }
    return report_end(out, path);
}

bool report_write_json(const report *r, FILE *out, const char *path)
{
    struct json json;
    report_begin(out);
    json_begin(&json, out);
    json_machine(&json, &r->machine);
    json_open(&json, "results", '[');
    for (size_t i = 0; i < r->count; i++) {
        json_record(&json, &r->records[i]);
    }
    json_close(&json, ']');
    json_end(&json);
    return report_end(out, path);
}

void progress(const char *field, const char *what, size_t len)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s %s %zu", field, what, len);
        fflush(stderr);
    }
}

void progress_end(void)
{
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
}

bool complain(const char *format, ...)
{
    va_list arguments;

    progress_end();
    fprintf(stderr, "%s: ", program_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}
