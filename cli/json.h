/* json.h: a writer of one indented JSON text, for the command and the programs of bench/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CLI_JSON_H
#define GFP_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Keys are NULL inside arrays. */
struct json {
    FILE *stream;
    int depth;
    bool empty; /* nothing yet in the innermost object or array */
};

void json_begin(struct json *json, FILE *stream);
void json_end(struct json *json);
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *key, const char *value); /* NULL: null */
void json_u64(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int value);
/* A finite value: rounded to an integer, or with this number of significant digits. */
void json_double(struct json *json, const char *key, double value);
void json_digits(struct json *json, const char *key, double value, int digits);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
