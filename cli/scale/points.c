/* points.c: reads the lines of measured points.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/scale/scale.h"

#define LINE_SIZE 512
#define MOST_WORDS 8

const char *const worker_names[WORKER_KINDS] = {"ranks", "gpus", "files"};

/* A line in words. */
struct words {
    char *word[MOST_WORDS];
    size_t count;
    gfp_error *error;
};

static gfp_status refuse_line(const struct words *w, gfp_status status, const char *format, ...)
    PRINTF_LIKE(3, 4);
static gfp_status refuse_line(const struct words *w, gfp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->error->message, sizeof w->error->message, format, arguments);
    va_end(arguments);
    w->error->status = status;
    return status;
}

gfp_status find_modulus(struct modulus *field, const char *name, gfp_error *error)
{
    gfp_field *made = NULL;
    if (field->k != 0 && strcmp(field->name, name) == 0) {
        return GFP_OK;
    }
    const struct words w = {.error = error};
    if (strlen(name) >= sizeof field->name) {
        return refuse_line(&w, GFP_ERR_SIZE, "the field's name has %zu characters: at most %zu",
                           strlen(name), sizeof field->name - 1);
    }
    const gfp_status status = gfp_field_create(&made, name, NULL, error);
    if (status == GFP_OK) {
        snprintf(field->name, sizeof field->name, "%s", name);
        field->k = gfp_field_k(made);
        field->bits = log2((double)gfp_field_r(made));
        gfp_field_destroy(made);
    }
    return status;
}

static struct host *find_host(struct points *points, const char *name)
{
    for (size_t i = 0; i < points->hosts; i++) {
        if (strcmp(points->host[i].name, name) == 0) {
            return &points->host[i];
        }
    }
    return NULL;
}

/* Sets a value that no line above sets otherwise. */
static gfp_status set_value(const struct words *w, struct host *host, const char *key,
                            const char *text)
{
    uint64_t *place = strcmp(key, "workers") == 0  ? &host->workers
                      : strcmp(key, "memory") == 0 ? &host->memory
                      : strcmp(key, "link") == 0   ? &host->link
                                                   : NULL;
    uint64_t value;
    if (place == NULL) {
        return refuse_line(w, GFP_ERR_PARSE, "'%.40s' is none of workers, memory, link", key);
    }
    const bool is_count = place == &host->workers;
    if (!(is_count ? parse_number(text, MOST_WORKERS, &value)
                   : parse_bytes(text, UINT64_MAX, &value)) ||
        value == 0) {
        return refuse_line(w, GFP_ERR_PARSE, "%s: '%.40s' is no %s", key, text,
                           is_count ? "number from 1 to 2^20" : "number of bytes");
    }
    if (*place != 0 && *place != value) {
        return refuse_line(w, GFP_ERR_PARSE, "%s of '%s' differs from a line above", key,
                           host->name);
    }
    *place = value;
    return GFP_OK;
}

/* machine NAME workers N [memory BYTES] [link BYTES] */
static gfp_status take_machine(struct points *points, const struct words *w)
{
    const char *name = w->count > 1 ? w->word[1] : "";
    if (w->count < 2 || w->count % 2 != 0 || strlen(name) >= NAME_SIZE) {
        return refuse_line(w, GFP_ERR_PARSE,
                           "not of the form: machine NAME workers N [memory BYTES] [link BYTES]");
    }
    for (const char *c = name; *c != '\0'; c++) {
        if (*c < '!' || *c > '~') {
            return refuse_line(w, GFP_ERR_PARSE,
                               "the machine's name has other characters than "
                               "ASCII's letters, digits and signs");
        }
    }
    struct host *host = find_host(points, name);
    if (host == NULL && points->hosts == MOST_MACHINES) {
        return refuse_line(w, GFP_ERR_SIZE, "more than %d machines", MOST_MACHINES);
    }
    if (host == NULL) {
        host = &points->host[points->hosts++];
        *host = (struct host){.workers = 0};
        snprintf(host->name, sizeof host->name, "%s", name);
    }
    for (size_t i = 2; i < w->count; i += 2) {
        const gfp_status status = set_value(w, host, w->word[i], w->word[i + 1]);
        if (status != GFP_OK) {
            return status;
        }
    }
    return host->workers != 0
               ? GFP_OK
               : refuse_line(w, GFP_ERR_PARSE, "machine '%s' has no number of workers", name);
}

static bool take_seconds(double *seconds, const char *text)
{
    char *end;
    errno = 0;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && *seconds >= 1e-9 && *seconds <= 1e9;
}

/* point NAME KIND FIELD TERMS WORKERS SECONDS */
static gfp_status take_point(struct points *points, const struct words *w)
{
    if (w->count != 7) {
        return refuse_line(w, GFP_ERR_PARSE,
                           "not of the form: point NAME KIND FIELD TERMS WORKERS SECONDS");
    }
    if (points->count == MOST_POINTS) {
        return refuse_line(w, GFP_ERR_SIZE, "more than %d points", MOST_POINTS);
    }
    struct point p = {.kind = RANKS};
    const struct host *host = find_host(points, w->word[1]);
    if (host == NULL) {
        return refuse_line(w, GFP_ERR_PARSE, "no line above describes the machine '%.60s'",
                           w->word[1]);
    }
    p.host = (size_t)(host - points->host);
    while (p.kind < WORKER_KINDS && strcmp(w->word[2], worker_names[p.kind]) != 0) {
        p.kind++;
    }
    if (p.kind == WORKER_KINDS) {
        return refuse_line(w, GFP_ERR_PARSE, "'%.40s' is none of ranks, gpus, files", w->word[2]);
    }
    if (points->count > 0) {
        p.field = points->point[points->count - 1].field; /* often the same one */
    }
    const gfp_status status = find_modulus(&p.field, w->word[3], w->error);
    if (status != GFP_OK) {
        return status;
    }
    if (!parse_length(w->word[4], MOST_TERMS, &p.terms) || p.terms < 2) {
        return refuse_line(w, GFP_ERR_PARSE, "terms: '%.40s' is no number from 2 to 2^40",
                           w->word[4]);
    }
    if (!parse_number(w->word[5], MOST_WORKERS, &p.workers) || p.workers == 0) {
        return refuse_line(w, GFP_ERR_PARSE, "workers: '%.40s' is no number from 1 to 2^20",
                           w->word[5]);
    }
    if (!take_seconds(&p.seconds, w->word[6])) {
        return refuse_line(w, GFP_ERR_PARSE, "seconds: '%.40s' is no number from 1e-9 to 1e9",
                           w->word[6]);
    }
    points->point[points->count++] = p;
    return GFP_OK;
}

static gfp_status take_line(struct points *points, char *line, gfp_error *error)
{
    static const char spaces[] = " \t\r\n";
    struct words w = {.error = error};
    char *rest = NULL;
    if (strlen(line) == LINE_SIZE - 1) {
        return refuse_line(&w, GFP_ERR_PARSE, "a line of %d characters or more", LINE_SIZE - 2);
    }
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, spaces, &rest); word != NULL;
         word = strtok_r(NULL, spaces, &rest)) {
        if (w.count == MOST_WORDS) {
            return refuse_line(&w, GFP_ERR_PARSE, "more than %d words", MOST_WORDS);
        }
        w.word[w.count++] = word;
    }
    if (w.count == 0) {
        return GFP_OK;
    }
    return strcmp(w.word[0], "machine") == 0 ? take_machine(points, &w)
           : strcmp(w.word[0], "point") == 0
               ? take_point(points, &w)
               : refuse_line(&w, GFP_ERR_PARSE, "'%.40s' is neither machine nor point", w.word[0]);
}

static int compare_points(const void *x, const void *y)
{
    const struct point *a = x, *b = y;
    if (a->host != b->host) {
        return a->host < b->host ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->terms != b->terms) {
        return a->terms < b->terms ? -1 : 1;
    }
    if (a->workers != b->workers) {
        return a->workers < b->workers ? -1 : 1;
    }
    const int names = strcmp(a->field.name, b->field.name);
    return names != 0 ? names : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

gfp_status read_points(struct points *points, FILE *in, gfp_error *error)
{
    char line[LINE_SIZE];
    *points = (struct points){.count = 0};
    *error = (gfp_error){.status = GFP_OK};
    for (uint64_t number = 1; fgets(line, sizeof line, in) != NULL; number++) {
        const gfp_status status = take_line(points, line, error);
        if (status != GFP_OK) {
            error->line = number;
            return status;
        }
    }
    if (ferror(in) != 0) {
        const struct words w = {.error = error};
        return refuse_line(&w, GFP_ERR_IO, "%s", strerror(errno));
    }
    qsort(points->point, points->count, sizeof points->point[0], compare_points);
    return GFP_OK;
}
