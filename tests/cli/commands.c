/* commands.c: the command as a process: results, exit codes, bad input, memory, the JSON keys.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lab/process.h"
#include "lab/sanitized.h"

#define P8_TERMS (SANITIZED ? 1 << 18 : 1 << 20)

/* `random` with seed 7, from an independent program: 12 terms over 17, and the FNV-1a hash of 1000
 * terms over p8. */
#define EXPECTED_RANDOM_17 "12 17  12 4 15 12 11 3 2 1 0 14 4 7\n"
#define EXPECTED_HASH_P8 UINT64_C(0xba06eb97c39ce442)

/* ---- JSON: syntax, and the keys in order of appearance ---- */

static const char *skip_json_space(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Reads one value and appends its keys to keys; NULL if it is no JSON. */
static const char *take_json(const char *text, char *keys, size_t size);

static const char *take_json_string(const char *text)
{
    if (*text++ != '"') {
        return NULL;
    }
    while (*text != '"') {
        if ((unsigned char)*text < 0x20) {
            return NULL;
        }
        text += *text == '\\' ? 2 : 1;
    }
    return text + 1;
}

static const char *take_json_members(const char *text, bool object, char *keys, size_t size)
{
    char end = object ? '}' : ']';
    text = skip_json_space(text + 1);
    if (*text == end) {
        return text + 1;
    }
    for (;;) {
        if (object) {
            const char *key = text;
            text = take_json_string(text);
            if (text == NULL) {
                return NULL;
            }
            snprintf(keys + strlen(keys), size - strlen(keys), "%.*s ", (int)(text - key) - 2,
                     key + 1);
            text = skip_json_space(text);
            if (*text++ != ':') {
                return NULL;
            }
        }
        text = take_json(text, keys, size);
        if (text == NULL) {
            return NULL;
        }
        text = skip_json_space(text);
        if (*text == end) {
            return text + 1;
        }
        if (*text++ != ',') {
            return NULL;
        }
        text = skip_json_space(text);
    }
}

static const char *take_json(const char *text, char *keys, size_t size)
{
    text = skip_json_space(text);
    if (*text == '{' || *text == '[') {
        return take_json_members(text, *text == '{', keys, size);
    }
    if (*text == '"') {
        return take_json_string(text);
    }
    size_t length = strcspn(text, ",]} \r\n\t");
    return length > 0 && strspn(text, "0123456789.-+eEtruefalsn") >= length ? text + length : NULL;
}

/* Standard output is one JSON value with exactly these keys, each followed by a space. */
static void assert_json_keys(const char *expected)
{
    char keys[4000] = "";
    const char *rest = take_json(out, keys, sizeof(keys));
    assert_non_null(rest);
    assert_string_equal(skip_json_space(rest), "");
    assert_string_equal(keys, expected);
}

static void assert_json_has(const char *member)
{
    if (strstr(out, member) == NULL) {
        print_error("no %s in\n%s", member, out);
    }
    assert_non_null(strstr(out, member));
}

/* ---- memory: first, because it measures the largest of all processes so far ---- */

static long largest_child_bytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return usage.ru_maxrss * 1024;
}

static void test_files_are_streamed(void **state)
{
    (void)state;
    long result = (long)P8_TERMS * 64;
    char line[80];
    snprintf(line, sizeof(line), "random --field p8 --len %d --seed 1 -o big.txt", P8_TERMS);
    expect(line, 0, NULL);
    long writing = largest_child_bytes();
    expect("eval big.txt 0", 0, NULL);
    long reading = largest_child_bytes();
    unlink("big.txt");
    if (!SANITIZED) {
        assert_in_range(writing, 0, 16 << 20);
        assert_in_range(reading, result, 3 * result);
    }
}

/* ---- help and usage ---- */

static const char *const subcommands[] = {"info",    "primes", "random", "mul",   "dft",
                                          "idft",    "add",    "sub",    "eval",  "equal",
                                          "methods", "demo",   "sqr",    "verify"};
#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void test_help_on_everything(void **state)
{
    (void)state;
    expect("--help", 0, NULL);
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        char name[30];
        snprintf(name, sizeof(name), "  %s ", subcommands[i]);
        assert_non_null(strstr(out, name));
    }
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        char line[60];
        char usage[60];
        snprintf(line, sizeof(line), "%s --help", subcommands[i]);
        snprintf(usage, sizeof(usage), "Usage: gfpoly %s ", subcommands[i]);
        expect(line, 0, NULL);
        assert_true(strncmp(out, usage, strlen(usage)) == 0);
        assert_string_equal(err, "");
        snprintf(line, sizeof(line), "help %s", subcommands[i]);
        expect(line, 0, NULL);
        assert_true(strncmp(out, usage, strlen(usage)) == 0);
    }
    static const char *const lists[] = {"help", "help --help", "help help"};
    for (size_t i = 0; i < 3; i++) {
        expect(lists[i], 0, NULL);
        assert_non_null(strstr(out, "Subcommands:"));
    }
    expect("eval --help", 0, NULL);
    assert_null(strstr(out, "-0")); /* the options for negative points are hidden */
    expect("--version", 0, NULL);
    assert_true(strncmp(out, "gfpoly ", 7) == 0);
    expect("mul --version", 0, NULL);
    assert_true(strncmp(out, "gfpoly ", 7) == 0);
    expect("mul --usage", 0, NULL);
}

static void test_bad_usage_exits_2(void **state)
{
    static const struct {
        const char *line;
        const char *message;
    } cases[] = {
        {"nonsense", "unknown subcommand 'nonsense'"},
        {"help nonsense", "unknown subcommand 'nonsense'"},
        {"--nonsense", "--nonsense"},
        {"mul --nonsense a.txt b.txt", "--nonsense"},
        {"mul a.txt", "missing argument"},
        {"sqr a.txt c.txt", "unexpected argument 'c.txt'"},
        {"mul a.txt b.txt --method fastest",
         "unknown method 'fastest'; available: auto, classical"},
        {"mul a.txt b.txt --verify maybe", "none, point, cross"},
        {"mul a.txt b.txt --json -o -", "standard output"},
        {"mul a.txt b.txt --memory 0", "--memory: '0' is not a number of bytes"},
        {"mul a.txt b.txt --memory 64Q", "not a number of bytes such as 64M"},
        {"mul a.txt b.txt --memory 99999999999G", "not a number of bytes such as 64M"},
        {"mul a.txt b.txt --json -o /dev/stdout", "-o /dev/stdout would both write to standard"},
        {"help --nonsense", "--nonsense"},
        {"mul - -", "standard input"},
        {"add a.txt b.txt --format hex", "flint, ntl"},
        {"dft a.txt --order reversed", "natural, permuted"},
        {"dft a.txt --n 6", "does not divide p - 1"},
        {"dft a.txt --n 2", "a.txt: 3 coefficients do not fit --n 2"},
        {"dft a.txt --n 32", NULL},
        {"random --len 5", "--field is required"},
        {"random --field p8", "--len is required"},
        {"random --field p9 --len 5", "--field 'p9'"},
        {"random --field 15^2+1 --len 5", "15"},
        {"random --field (6)^2+2 --len 5", "--field"},
        {"random --field 34^2+1 --len 5", "composite"},
        {"methods --field p8 --len 0", "--len"},
        {"methods --field p8 --len 5 --threads 0", "--threads"},
        {"methods --field p8 --len 5 --len-b 0", "--len-b"},
        {"demo --len 0", "--len"},
        {"eval a.txt", "missing argument"},
        {"demo --len 18446744073709551615", "--len 18446744073709551615: size out of range"},
        {"methods --field 17 --len 1152921504606846976 --measure", "--len 1152921504606846976: "},
        {"methods --field 17 --len 1 --len-b 1152921504606846976 --measure", "--len-b 1152921504"},
        {"random --field 17 --len 1152921504606846976", "--len 1152921504606846976: size out of"},
        {"info extra", "unexpected argument"},
    };
    static const char *const numbers[] = {"-1",
                                          "+5",
                                          "0x10",
                                          "1k5",
                                          " 5",
                                          "5 ",
                                          "five",
                                          "18446744073709551616",
                                          "",
                                          "5.0",
                                          "99999999999999999999999999"};
    (void)state;
    const char *none[] = {NULL};
    assert_int_equal(run_arguments(none), 2);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(cases[i].line, 2, cases[i].message);
        assert_string_equal(out, "");
        assert_true(err[0] != '\0');
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *seed[] = {"random", "--field", "17", "--len", "5", "--seed", numbers[i], NULL};
        const char *len[] = {"random", "--field", "17", "--len", numbers[i], NULL};
        assert_int_equal(run_arguments(seed), 2);
        assert_int_equal(run_arguments(len), 2);
    }
}

/* ---- results ---- */

static void test_arithmetic(void **state)
{
    (void)state;
    expect_output("add a.txt b.txt", "3 17  2 1 3\n");
    expect_output("sub a.txt b.txt", "3 17  0 3 3\n");
    expect_output("sub a.txt a.txt", "0 17\n");
    expect_output("mul a.txt b.txt", "4 17  1 1 1 14\n");
    expect_output("mul a.txt b.txt --format ntl", "[1 1 1 14]\n");
    expect_output("eval a.txt 0", "1\n");
    expect_output("eval a.txt 2", "0\n");
    expect_output("eval a.txt 16", "2\n");
    expect_output("equal a.txt a.txt", "equal\n");
    put_file("zero.txt", "0 17\n");
    expect_output("mul a.txt zero.txt", "0 17\n");
    expect_output("add zero.txt zero.txt", "0 17\n");
    expect_output("eval zero.txt 5", "0\n");
    expect_output("dft zero.txt", "1 17  0\n");
}

static void test_equal_names_the_first_difference(void **state)
{
    (void)state;
    put_file("c.txt", "5 17  1 2 3 0 4");
    assert_int_equal(run("equal a.txt b.txt"), 1);
    assert_non_null(strstr(out, "coefficient is 1\n"));
    assert_int_equal(run("equal a.txt c.txt"), 1);
    assert_non_null(strstr(out, "coefficient is 4\n"));
}

static void test_every_method_and_verification(void **state)
{
    static const char *const methods[] = {"auto",   "classical", "karatsuba",
                                          "bigfft", "hybrid",    "crt"};
    static const char *const checks[] = {"none", "point", "cross"};
    (void)state;
    expect("random --field p4 --len 40 --seed 1 -o x.txt", 0, NULL);
    expect("random --field p4 --len 23 --seed 2 -o y.txt", 0, NULL);
    expect("mul x.txt y.txt --method classical -o xy.txt", 0, NULL);
    for (size_t i = 0; i < 18; i++) {
        char line[100];
        snprintf(line, sizeof(line), "mul x.txt y.txt --method %s --verify %s -o z.txt",
                 methods[i / 3], checks[i % 3]);
        expect_output(line, "");
        expect_output("equal xy.txt z.txt", "equal\n");
    }
    expect("mul x.txt y.txt --time -o z.txt", 0, "multiply: ");
    assert_non_null(strstr(err, "verify: "));
    expect("mul x.txt y.txt --memory 1 --method bigfft -o cap.txt", 1,
           "bytes of work space, the cap");
    expect("mul x.txt y.txt --memory 1G --method bigfft -o z.txt", 0, NULL);
    expect_output("equal xy.txt z.txt", "equal\n");
    expect("mul x.txt y.txt --memory=1 -o z.txt", 0, NULL);
    expect_output("equal xy.txt z.txt", "equal\n");
}

static void test_transforms(void **state)
{
    (void)state;
    expect("dft a.txt", 0, NULL);
    assert_true(strncmp(out, "4 17  6 ", 8) == 0); /* 1 + 2 + 3 */
    put_file("values.txt", out);
    expect_output("idft values.txt", "4 17  1 2 3 0\n");
    expect("dft a.txt --n 16 --order permuted -o values.txt", 0, NULL);
    expect_output("idft values.txt --order permuted -o back.txt", "");
    expect_output("equal a.txt back.txt", "equal\n");
    expect("dft a.txt --n 16 --format ntl -o values.txt", 0, NULL);
    expect_output("idft values.txt --field 17", "[1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0]\n");
    expect("random --field p8 --len 100 --seed 4 -o x.txt", 0, NULL);
    expect("dft x.txt -o values.txt", 0, NULL);
    stdin_from = "values.txt";
    expect("idft - -o back.txt", 0, NULL);
    expect_output("equal x.txt back.txt", "equal\n");
    expect("dft x.txt --n 1536 --threads 2 --json -o values.txt", 0, NULL);
    assert_non_null(strstr(out, "\"len_a\": 100,"));
    assert_non_null(strstr(out, "\"len_c\": 1536,"));
    assert_non_null(strstr(out, "\"compute_ns\": "));
    expect("idft values.txt --n 1536 --time -o back.txt", 0, "compute: ");
    expect_output("equal x.txt back.txt", "equal\n");
    expect("dft x.txt --memory 16 -o values.txt", 1, "the cap is 16");
    /* Leading zeros in the file count for the length of the transform. */
    put_file("values.txt", "8 17  5 0 0 0 0 0 0 0");
    expect_output("dft values.txt", "8 17  5 5 5 5 5 5 5 5\n");
}

static uint64_t hash_fnv1a(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void test_same_seed_same_file(void **state)
{
    (void)state;
    expect_output("random --field 17 --len 12 --seed 7", EXPECTED_RANDOM_17);
    expect_output("random --field 17 --len 0", "0 17\n");
    expect_output("random --field 17 --len 0 --format ntl", "[]\n");
    expect("random --field 17 --len 12 --seed 7 --format ntl", 0, NULL);
    assert_true(out[0] == '[' && strcmp(out + strlen(out) - 2, "]\n") == 0);
    expect("random --field p8 --len 1000 --seed 7", 0, NULL);
    assert_true(strncmp(out, "1000 ", 5) == 0);
    assert_true(hash_fnv1a(out) == EXPECTED_HASH_P8);
    expect("random --field p8 --len 1000 --seed 8", 0, NULL);
    assert_true(hash_fnv1a(out) != EXPECTED_HASH_P8);
    expect("random --field p8 --len 1000 --seed 7 -o seven.txt", 0, NULL);
    expect("add seven.txt seven.txt -o /dev/null", 0, NULL);
}

static void test_formats(void **state)
{
    (void)state;
    put_file("ntl.txt", "[1 2 3]\n");
    expect("add ntl.txt ntl.txt", 2, "ntl.txt:1:1: NTL's format does not name the field: give ");
    expect_output("add ntl.txt ntl.txt --field 17", "[2 4 6]\n");
    expect_output("add ntl.txt a.txt --field 17", "[2 4 6]\n");
    expect_output("add a.txt ntl.txt --field 17", "3 17  2 4 6\n");
    expect_output("add a.txt ntl.txt --field 17 --format ntl", "[2 4 6]\n");
    expect_output("mul ntl.txt ntl.txt --field 17 --format flint", "5 17  1 4 10 12 9\n");
    put_file("ntl.txt", "[]");
    expect_output("add ntl.txt ntl.txt --field 17", "[]\n");
    put_file("ntl.txt", " \t\r\n\v\f[1 2\n3]\n");
    expect_output("add ntl.txt ntl.txt --field 17", "[2 4 6]\n");
    expect("add ntl.txt ntl.txt", 2, "ntl.txt:2:3: NTL's format");
    stdin_from = "ntl.txt";
    expect_output("add - a.txt --field 17", "[2 4 6]\n");
    put_file("f4.txt", "2 65537  5 65536\n");
    expect_output("mul f4.txt f4.txt", "3 65537  25 65527 1\n");
    expect_output("mul f4.txt f4.txt --field 4^8+1", "3 65537  25 65527 1\n");
    expect("mul f4.txt f4.txt --json", 0, NULL);
    assert_json_has("\"field\": \"256^2+1\"");
    expect("mul f4.txt f4.txt --json --field 4^8+1", 0, NULL);
    assert_json_has("\"field\": \"4^8+1\"");
    expect("mul f4.txt f4.txt --field p8", 2, "f4.txt:1:3: ");
}

static void test_standard_streams(void **state)
{
    (void)state;
    stdin_from = "a.txt";
    expect_output("add - b.txt", "3 17  2 1 3\n");
    stdin_from = "b.txt";
    expect_output("add a.txt - -o -", "3 17  2 1 3\n");
    put_file("crlf.txt", "3\r\n17\r\n1\r\n0002\r\n3\r\n");
    stdin_from = "crlf.txt";
    expect_output("sub - a.txt", "0 17\n");
    put_file("lead.txt", "5 17  1 2 3 0 0");
    expect_output("equal lead.txt a.txt", "equal\n");
}

/* ---- bad input ---- */

#define BYTES(text) text, sizeof(text) - 1

static void test_bad_files_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } cases[] = {
        {BYTES(""), "bad.txt:1:1: the text is empty"},
        {BYTES(" \n  "), "bad.txt:2:3: the text is empty"},
        {BYTES("\n \n  3 17  1 x 3"), "bad.txt:3:11: character 'x'"},
        {BYTES("\n  3 17  1\nx 3"), "bad.txt:3:1: character 'x'"},
        {BYTES("3 17  1 2"), "bad.txt:1:10: the text ends after 2 of 3 coefficients"},
        {BYTES("3 17  1 2 3 4"), "bad.txt:1:13: another number after the last coefficient"},
        {BYTES("3 17  1 2 3\nx"), "bad.txt:2:1: character 'x'"},
        {BYTES("3 17  1 2x 3"), "bad.txt:1:10: character 'x'"},
        {BYTES("3 17  1 x 3"), "(coefficient 1)"},
        {BYTES("3 17  1 \0 3"), "bad.txt:1:9: NUL byte"},
        {BYTES("3 17  1 2 +3"), "(coefficient 2)"},
        {BYTES("3 17  1 2\n-3"), "bad.txt:2:1: sign '-'"},
        {BYTES("3 17  1 2 -3"), "(coefficient 2)"},
        {BYTES("3 17  1 17 3"),
         "bad.txt:1:9: coefficient is not below the modulus (coefficient 1)"},
        {BYTES("3 17  1 2 999999999999999999999"), "(coefficient 2)"},
        {BYTES("3 15  1 2 3"), "bad.txt:1:3: modulus: "},
        {BYTES("3 1157  1 2 3"), "bad.txt:1:3: modulus: "}, /* 34^2+1 = 13 * 89 */
        {BYTES("1000000000000000 17  1 2"), "the text ends after 2 of 1000000000000000"},
        {BYTES("18446744073709551615 17  1 2"), "bad.txt:1:"},
        {BYTES("99999999999999999999 17  1 2"), "bad.txt:1:1: "},
    };
    (void)state;
    put_file("old.txt", "old contents\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put_bytes("bad.txt", cases[i].bytes, cases[i].length);
        expect("mul bad.txt bad.txt -o old.txt", 2, cases[i].message);
        expect("dft bad.txt", 2, cases[i].message);
        assert_string_equal(out, "");
        stdin_from = "bad.txt";
        expect("add a.txt -", 2, "standard input");
    }
    expect("add missing.txt a.txt", 2, "missing.txt: cannot open: ");
    expect("add . a.txt", 2, ".:1:1: cannot read: ");
    put_file("bad.txt", "2 257  1 2");
    expect("mul a.txt bad.txt -o old.txt", 2, "bad.txt:1:3: the modulus is not that of a.txt");
    put_file("bad.txt", "\n 2  257  1 2");
    expect("equal a.txt bad.txt", 2, "bad.txt:2:5: the modulus is not that of a.txt");
    stdin_from = "bad.txt";
    expect("add - a.txt", 2, "a.txt:1:3: the modulus is not that of standard input");
    expect("add bad.txt a.txt --field 17", 2, "bad.txt:2:5: the modulus is not that of the field");
    assert_file("old.txt", "old contents\n");
    assert_no_temporary();
}

/* ---- reports ---- */

#define METHOD_KEYS                                                                                \
    "name available reason estimate_ns source threads workspace measured_min_ns "                  \
    "measured_median_ns "

static void test_json_keys(void **state)
{
    (void)state;
    char keys[4000] = "version cpu_level threads flint gpu available reason name capability "
                      "multiprocessors clock_khz memory_total memory_free driver runtime methods ";
    expect("info --json", 0, NULL);
    for (int i = 0; i < 11; i++) {
        snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "name available reason ");
    }
    assert_json_keys(keys);
    /* Of the device, and of each method: it is there, or a reason why not. */
    const char *last = out;
    for (int i = 0; i < 12; i++) {
        const char *available = strstr(last, "\"available\": true");
        const char *next = strstr(last, "\"available\": ");
        assert_non_null(next);
        last = strstr(next, "\"reason\": ");
        assert_non_null(last);
        assert_int_equal(available == next, strncmp(last, "\"reason\": \"\"", 12) == 0);
    }
    expect("mul a.txt b.txt --json", 0, NULL);
    assert_json_keys("field len_a len_b len_c method verified cross_method points log2_error "
                     "threads multiply_ns verify_ns gpu_method gpu_error ");
    assert_json_has("\"gpu_method\": null");
    assert_json_has("\"len_a\": 3");
    assert_json_has("\"len_b\": 2");
    assert_json_has("\"len_c\": 4");
    expect("mul a.txt b.txt --json --verify none -o c.txt", 0, NULL);
    assert_json_has("\"verified\": \"none\"");
    assert_json_has("\"cross_method\": null");
    assert_file("c.txt", "4 17  1 1 1 14\n");
    expect("mul a.txt b.txt --threads 5 --json -o d.txt", 0, NULL); /* too short to share */
    assert_json_has("\"threads\": 1,");
    assert_file("d.txt", "4 17  1 1 1 14\n");
    expect("mul a.txt b.txt --json --verify cross", 0, NULL);
    assert_json_has("\"verified\": \"cross\"");
    expect("primes --json", 0, NULL);
    snprintf(keys, sizeof(keys), "primes ");
    for (int i = 0; i < 13; i++) {
        snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys),
                 "name formula k bits v2_r v2_p_minus_1 proof ");
    }
    assert_json_keys(keys);
}

static void test_methods(void **state)
{
    static const char keys[] =
        "field operation len_a len_b threads memory_cap resident pick first_pick refused "
        "forced methods " METHOD_KEYS METHOD_KEYS METHOD_KEYS METHOD_KEYS METHOD_KEYS METHOD_KEYS
            METHOD_KEYS METHOD_KEYS METHOD_KEYS METHOD_KEYS METHOD_KEYS;
    (void)state;
    expect("methods --field p4 --len 64 --json", 0, NULL);
    assert_json_keys(keys);
    assert_json_has("\"field\": \"p4\"");
    assert_json_has("\"len_b\": 64");
    assert_json_has("\"threads\": 1");
    assert_json_has("\"measured_min_ns\": null");
    assert_json_has("\"refused\": null");
    expect("methods --field p4 --len 64 --len-b 8 --threads 4 --measure --json", 0, NULL);
    assert_json_keys(keys);
    assert_json_has("\"len_b\": 8");
    assert_json_has("\"threads\": 4");
    expect("methods --field p4 --len 64", 0, NULL);
    assert_non_null(strstr(out, "\npick: "));
    assert_non_null(strstr(out, "\nclassical "));
    static const struct {
        const char *options, *says;
    } operations[] = {
        {"--operation square", ", square\n"},
        {"--operation low", ", low mod X^4096\n"},
        {"--operation high", ", high div X^4095\n"},
        {"--operation middle --measure", "4096 x 2048 coefficients, 1 thread, middle (2049 "},
        {"--operation middle --n 3", "(3 coefficients from X^2047 on)\n"},
        {"--operation operand --measure", ", operand\n"},
        {"--operation batch --count 9 --measure", ", batch of 9\n"}};
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        char line[200];
        snprintf(line, sizeof(line), "methods --field p4 --len 4096 %s --explain",
                 operations[i].options);
        expect(line, 0, NULL);
        assert_non_null(strstr(out, operations[i].says));
        assert_non_null(strstr(out, "\nconsidered, by estimate:\n"));
        assert_non_null(strstr(out, " has the least estimate, 0."));
    }
    expect("methods --field p4 --len 4096 --memory 100K --threads 2 --explain", 0, NULL);
    assert_non_null(strstr(out, "bytes of work space, the cap is 102400\n"));
    assert_non_null(strstr(out, "\nwithout the cap on memory: hybrid"));
    assert_non_null(strstr(out, "\non one thread: "));
    assert_null(strstr(out, "refused"));
    expect("methods --field p8 --len 65536 --memory 1K --tuning none", 0, NULL);
    assert_non_null(strstr(out, "\npick: classical "));
    assert_non_null(strstr(out, "\nrefused, unless asked for by name: within 1024 bytes of work "
                                "space only classical is possible, about "));
    expect("methods --field p8 --len 65536 --memory 1K --tuning none --json", 0, NULL);
    assert_json_has("\"pick\": \"classical\"");
    assert_json_has("\"refused\": \"within 1024 bytes of work space only classical is possible");
    /* A method's announced work space is enough, and not much less is. */
    static const char *const needy[] = {"", " --operation low"};
    for (size_t i = 0; i < 2; i++) {
        char line[200];
        snprintf(line, sizeof(line), "methods --field p8 --len 4096 --memory 1K%s", needy[i]);
        expect(line, 0, NULL);
        const char *at = strstr(out, "\nhybrid ");
        assert_non_null(at);
        at = strstr(at, "needs ");
        assert_non_null(at);
        const unsigned long need = strtoul(at + strlen("needs "), NULL, 10);
        for (int less = 0; less < 2; less++) {
            snprintf(line, sizeof(line), "methods --field p8 --len 4096 --memory %lu%s",
                     less ? need - need / 8 : need, needy[i]);
            expect(line, 0, NULL);
            at = strstr(out, "\nhybrid ");
            assert_non_null(at);
            at += 1 + strlen("hybrid           ");
            assert_int_equal(strncmp(at, less ? "no " : "yes", 3), 0);
        }
    }
    expect("methods --field p4 --len 64 --resident --explain", 0, NULL);
    assert_non_null(strstr(out, "\nwhy: "));
    assert_non_null(strstr(out, "\nwith factors in host memory: "));
    expect("methods --field p4 --len 64 --operation file --json", 0, NULL);
    assert_json_has("\"operation\": \"file\"");
    expect("methods --field p4 --len 64 --operation file --measure", 2, "--measure");
    expect("methods --field p4 --len 64 --n 5", 2, "--n goes with");
    expect("methods --field p4 --len 64 --operation square --len-b 5", 2, "no --len-b");
    expect("methods --field p4 --len 64 --operation low --count 5", 2, "--count goes with");
    expect("methods --field p4 --len 64 --operation quotient", 2, "product, square, low");
    /* 17 has transforms up to N = 16 only, and the table says so. */
    expect("methods --field 17 --len 64", 0, NULL);
    const char *row = strstr(out, "\nbigfft ");
    assert_non_null(row);
    assert_int_equal(strncmp(row + 1 + strlen("bigfft           "), "no ", 3), 0);
}

static void test_info_and_primes(void **state)
{
    (void)state;
    expect("info", 0, NULL);
    assert_non_null(strstr(out, "CPU level"));
    expect("primes", 0, NULL);
    assert_non_null(strstr(out, "\np8     (2^63+2^34)^8+1 "));
    int lines = 0;
    for (const char *c = out; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 14);
}

#define PRIMES_HEADER "p                             k   bits  v2(r)  v2(p-1)  proof\n"

/* Radices drawn at random are those of an independent program. */
static void test_primes_search(void **state)
{
    (void)state;
    expect_output("primes --search --k 8 --min-bits 500 --max-bits 508",
                  PRIMES_HEADER "(2^63+2^34)^8+1               8    505     34      272  Proth\n");
    expect_output("primes --search --k 4 --min-bits 216 --max-bits 217 --min-v2 30 --count 3",
                  PRIMES_HEADER "(2^54-2^44)^4+1               4    216     44      176  Proth\n"
                                "(2^54+2^48)^4+1               4    217     48      192  Proth\n"
                                "(2^54+2^44)^4+1               4    217     44      176  Proth\n");
    expect_output("primes --search --k 8 --min-bits 500 --max-bits 508 --min-v2 20 --random "
                  "--seed 1 --count 2",
                  PRIMES_HEADER
                  "8296012752741203968^8+1       8    503     22      176  Pocklington\n"
                  "11042828340052361216^8+1      8    507     20      160  Pocklington\n");
    /* One without --count; no prime at all is no error. */
    expect_output("primes --search --random --k 2 --min-bits 3 --max-bits 3",
                  PRIMES_HEADER "(2^2-2^1)^2+1                 2      3      1        2  Proth\n");
    expect_output("primes --search --k 8 --min-bits 100 --max-bits 110 --min-v2 40", PRIMES_HEADER);
    /* The printed p names a field. */
    expect("random --field 8296012752741203968^8+1 --len 2", 0, NULL);
    expect("random --field (2^54-2^44)^4+1 --len 2", 0, NULL);
    /* A search ends when its output has no reader. */
    stdout_to = "/dev/full";
    expect("primes --search --random --k 2 --min-bits 3 --max-bits 128 --count 99999999", 1,
           "cannot write");
}

static void test_a_search_tells_that_there_are_fewer(void **state)
{
    static const char line[] = "primes --search --k 8 --min-bits 500 --max-bits 508 --count";
    char two[100];
    char one[100];
    (void)state;
    snprintf(two, sizeof(two), "%s 2", line);
    snprintf(one, sizeof(one), "%s 1", line);
    expect(two, 0, "only 1 found: the range has no more\n");
    expect(one, 0, NULL);
    assert_string_equal(err, "");
}

static void test_primes_in_stock(void **state)
{
    static const char *const refused[] = {"--min-bits 5", "--max-bits 5", "--min-v2 3",
                                          "--random",     "--seed 3",     "--random --seed 0"};
    (void)state;
    expect_output("primes --stock --k 8 --count 2",
                  PRIMES_HEADER "9223364477712334848^8+1       8    504     37      296  Proth\n"
                                "9223349290707976192^8+1       8    504     36      288  Proth\n");
    expect("random --field 9223364477712334848^8+1 --len 2", 0, NULL);
    expect("primes --stock", 0, NULL);
    int lines = 0;
    for (const char *c = out; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1057);
    expect("primes --stock --k 128 --count 33", 0, "only 32 found: the stock has no more\n");
    expect("primes --stock --k 4 --count 1 --json", 0, NULL);
    assert_json_keys("primes formula r k bits v2_r v2_p_minus_1 sign w u proof certificate prime "
                     "base exhausted ");
    assert_non_null(strstr(out, "\"exhausted\": false"));
    expect("primes --stock --k 128 --json", 0, NULL);
    assert_non_null(strstr(out, "\"exhausted\": true"));
    expect("primes --stock --k 2", 2, "no prime of k = 2 is in stock");
    expect("primes --stock --k 9", 2, "no prime of k = 9 is in stock");
    expect("primes --stock --search", 2, "exclude each other");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        char line[100];
        snprintf(line, sizeof(line), "primes --stock %s", refused[i]);
        expect(line, 2, "--stock takes --k and --count alone");
    }
}

static void test_primes_search_json(void **state)
{
    (void)state;
    expect("primes --search --k 8 --min-bits 17 --max-bits 17 --json", 0, NULL);
    assert_json_keys("primes formula r k bits v2_r v2_p_minus_1 sign w u proof certificate prime "
                     "base exhausted ");
    assert_non_null(strstr(out, "\"formula\": \"(2^3-2^2)^8+1\""));
    assert_non_null(strstr(out, "\"r\": \"4\""));
    assert_non_null(strstr(out, "\"sign\": -1"));
    assert_non_null(strstr(out, "\"exhausted\": true"));
    expect("primes --search --k 8 --min-bits 500 --max-bits 508 --random --json", 0, NULL);
    assert_non_null(strstr(out, "\"sign\": null"));
    assert_non_null(strstr(out, "\"exhausted\": false"));
    expect("primes --search --k 8 --min-bits 506 --max-bits 508 --json", 0, NULL);
    assert_json_keys("primes exhausted ");
    /* Known also where --count is all there are. */
    expect("primes --search --k 8 --min-bits 500 --max-bits 508 --count 1 --json", 0, NULL);
    assert_non_null(strstr(out, "\"exhausted\": true"));
    expect("primes --search --k 4 --min-bits 216 --max-bits 217 --count 1 --json", 0, NULL);
    assert_non_null(strstr(out, "\"exhausted\": false"));
    assert_null(strstr(strstr(out, "formula") + 1, "formula"));
}

static void test_primes_search_refusals(void **state)
{
    static const char search[] = "primes --search --k 8 --min-bits";
    static const struct {
        const char *options;
        const char *message;
    } cases[] = {
        {"primes --search", "--search needs --k, --min-bits and --max-bits"},
        {"primes --search --k 8 --min-bits 500", "--search needs"},
        {"primes --search --min-bits 500 --max-bits 508", "--search needs"},
        {"primes --k 8", "go with --search"},
        {"primes --random", "go with --search"},
        {"primes --seed 3", "go with --search"},
        {"primes --count 3 --json", "go with --search"},
        {"primes --search --k 9 --min-bits 50 --max-bits 58", "k = 9 is not a power of two"},
        {"primes --search --k 0 --min-bits 50 --max-bits 58", "--k: '0' is not a number from 1"},
        {"500 --max-bits 508 --seed 1", "--seed goes with --random"},
        {"508 --max-bits 500", "the range from 508 to 500 bits is empty"},
        {"513 --max-bits 600",
         "from 513 to 600 bits: even radices below 2^64 give from 9 to 512 bits"},
        {"1 --max-bits 8 --random",
         "from 1 to 8 bits: even radices below 2^64 give from 9 to 512 bits"},
        {"500 --max-bits 508 --min-v2 64", "divisible by 2^64"},
        {"500 --max-bits 508 --count 0", "--count: '0'"},
        {"500 --max-bits +508", "--max-bits: '+508' is not a number"},
        {"0x1f4 --max-bits 508", "--min-bits: '0x1f4' is not a number"},
        {"500 --max-bits 4294967296", "is not a number from 1 to 4294967295"},
        {"500 --max-bits 508 --min-v2 -1", "--min-v2: '-1'"},
        {"500 --max-bits 508 extra", "unexpected argument 'extra'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[200];
        bool whole = strncmp(cases[i].options, "primes", 6) == 0;
        snprintf(line, sizeof(line), "%s%s%s", whole ? "" : search, whole ? "" : " ",
                 cases[i].options);
        expect(line, 2, cases[i].message);
        assert_string_equal(out, "");
    }
}

static void test_demo(void **state)
{
    (void)state;
    expect("demo --field p4 --len 50 --seed 3", 0, NULL);
    assert_non_null(strstr(out, "methods agree on all 99 coefficients\n"));
    expect("demo --field p2 --field 257 --len 20", 0, NULL);
    const char *first = strstr(out, "agree on all 39 coefficients\n");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "agree on all 39 coefficients\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_streamed),
        cmocka_unit_test(test_help_on_everything),
        cmocka_unit_test(test_bad_usage_exits_2),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_equal_names_the_first_difference),
        cmocka_unit_test(test_every_method_and_verification),
        cmocka_unit_test(test_transforms),
        cmocka_unit_test(test_same_seed_same_file),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_standard_streams),
        cmocka_unit_test(test_bad_files_are_refused_with_their_place),
        cmocka_unit_test(test_json_keys),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_info_and_primes),
        cmocka_unit_test(test_primes_search),
        cmocka_unit_test(test_primes_in_stock),
        cmocka_unit_test(test_a_search_tells_that_there_are_fewer),
        cmocka_unit_test(test_primes_search_json),
        cmocka_unit_test(test_primes_search_refusals),
        cmocka_unit_test(test_demo),
    };
    return cmocka_run_group_tests_name("cli", tests, enter_folder_of_operands, leave_folder);
}
