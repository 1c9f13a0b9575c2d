/* json.c: see json.h. Strings are escaped; text beyond ASCII is passed as it is (UTF-8).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/json.h"

#include <inttypes.h>

static void json_quote(struct json *json, const char *text)
{
    fputc('"', json->stream);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(json->stream, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(json->stream, "\\u%04x", c);
        } else {
            fputc(c, json->stream);
        }
    }
    fputc('"', json->stream);
}

static void new_line(struct json *json)
{
    fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

/* Writes the part before a value: a comma, the indentation, the key. */
static void json_lead(struct json *json, const char *key)
{
    if (!json->empty) {
        fputc(',', json->stream);
    }
    if (json->depth > 0) {
        new_line(json);
    }
    json->empty = false;
    if (key != NULL) {
        json_quote(json, key);
        fputs(": ", json->stream);
    }
}

void json_begin(struct json *json, FILE *stream)
{
    *json = (struct json){.stream = stream, .empty = true};
    json_open(json, NULL, '{');
}

void json_end(struct json *json)
{
    json_close(json, '}');
    fputc('\n', json->stream);
}

void json_open(struct json *json, const char *key, char bracket)
{
    json_lead(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->empty = true;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (!json->empty) {
        new_line(json);
    }
    json->empty = false;
    fputc(bracket, json->stream);
}

void json_string(struct json *json, const char *key, const char *value)
{
    if (value == NULL) {
        json_null(json, key);
        return;
    }
    json_lead(json, key);
    json_quote(json, value);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
    json_lead(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

void json_double(struct json *json, const char *key, double value)
{
    json_lead(json, key);
    fprintf(json->stream, "%.0f", value);
}

void json_digits(struct json *json, const char *key, double value, int digits)
{
    json_lead(json, key);
    fprintf(json->stream, "%.*g", digits, value);
}

void json_int(struct json *json, const char *key, int value)
{
    json_lead(json, key);
    fprintf(json->stream, "%d", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    json_lead(json, key);
    fputs(value ? "true" : "false", json->stream);
}

void json_null(struct json *json, const char *key)
{
    json_lead(json, key);
    fputs("null", json->stream);
}
