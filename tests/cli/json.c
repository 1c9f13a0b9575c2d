/* json.c: the writer of JSON that the command and the programs of bench/ share: the text that
 * it writes, and the characters that it escapes.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/json.h"

static char *text;
static size_t size;

static void begin_json(struct json *json)
{
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    json_begin(json, stream);
}

static void expect_text(struct json *json, const char *expected)
{
    json_end(json);
    assert_int_equal(fclose(json->stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_values_and_nesting(void **state)
{
    struct json json;
    (void)state;
    begin_json(&json);
    expect_text(&json, "{}\n");
    begin_json(&json);
    json_u64(&json, "largest", UINT64_MAX);
    json_int(&json, "negative", -1);
    json_double(&json, "rounded", 2e15);
    json_digits(&json, "four", 1234567.0, 4);
    json_digits(&json, "six", 1.0 / 3, 6);
    json_bool(&json, "true", true);
    json_string(&json, "absent", NULL);
    json_open(&json, "list", '[');
    json_open(&json, NULL, '{');
    json_null(&json, "x");
    json_close(&json, '}');
    json_u64(&json, NULL, 7);
    json_open(&json, NULL, '[');
    json_close(&json, ']');
    json_close(&json, ']');
    expect_text(&json, "{\n"
                       "  \"largest\": 18446744073709551615,\n"
                       "  \"negative\": -1,\n"
                       "  \"rounded\": 2000000000000000,\n"
                       "  \"four\": 1.235e+06,\n"
                       "  \"six\": 0.333333,\n"
                       "  \"true\": true,\n"
                       "  \"absent\": null,\n"
                       "  \"list\": [\n"
                       "    {\n"
                       "      \"x\": null\n"
                       "    },\n"
                       "    7,\n"
                       "    []\n"
                       "  ]\n"
                       "}\n");
}

static void test_strings_and_keys_are_escaped(void **state)
{
    struct json json;
    (void)state;
    begin_json(&json);
    json_string(&json, "a\"b", "quote \" backslash \\ slash / tab \t line \n unit \x1f");
    json_string(&json, "utf-8", "\xc3\xa9 \xe2\x82\xac \x7f");
    json_string(&json, "empty", "");
    expect_text(&json, "{\n"
                       "  \"a\\\"b\": \"quote \\\" backslash \\\\ slash / tab \\u0009 line \\u000a "
                       "unit \\u001f\",\n"
                       "  \"utf-8\": \"\xc3\xa9 \xe2\x82\xac \x7f\",\n"
                       "  \"empty\": \"\"\n"
                       "}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_nesting),
        cmocka_unit_test(test_strings_and_keys_are_escaped),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
