/* records.c: runs the command as the records of a file tell, and compares the exit status, the
 * output, the messages and the files. Without an argument: the records of records/wrong.txt, where
 * each case must fail for the reason that its comment `# fails: TEXT' tells, and a case without
 * such a comment must pass.
 *
 * A file has cases, each in an empty folder, in which no temporary file may be left. The lines
 * above the first case run at the beginning of each:
 *     == NAME                   begins a case
 *     # TEXT                    a comment
 *     let NAME = TEXT           {NAME} stands for TEXT from now on; a list that ends with ; goes on
 *                               in the next line
 *     file NAME: TEXT           writes a file: TEXT with \n, \t, \x89, ... and a newline; none
 *                               after \c
 *     integers NAME N D SEED    writes a polynomial over Z: N random integers of D digits
 *     link NAME TARGET          makes a symbolic link
 *     need THING                leaves the case or the round of a loop here, unless THING is
 *                               there: a path from / on, `xxhsum', `threads', `speed' (no
 *                               sanitizer, no emulator), `user' (not root), `device', or `host'
 *                               (the backend); the case then counts as skipped, even if all lines
 *                               above passed
 *     for A B in X Y; Z U       repeats the lines up to `end' with X for {A} and Y for {B}, then
 *                               with Z and U; the last name takes the rest of its item;
 *                               the list may go on in the next line, too
 *     $ WORDS                   runs gfpoly with these words: NAME=VALUE first is the environment;
 *                               <FILE, >FILE and >&- last are the standard input and output;
 *                               'a b' is one word
 *     $wrong WORDS              runs the command of wrong_product.c
 *     $gpu WORDS                runs the command with a device: the backend `host'
 *                               (lab/fake_device/use.c) or, if GFPOLY_TEST_DEVICE is "real", the
 *                               device of this machine
 *     $INT WORDS                sends this signal (INT, TERM, HUP or ABRT) as soon as the
 *                               command has its output file, and expects that it ends the command
 *     sh SCRIPT                 runs a script, which finds the command in $GFPOLY, the one with a
 *                               device in $DEVICE
 *     has NAME: TEXT            compares a file
 *     same NAME NAME            compares two files
 *     none PREFIX               expects no file with this beginning of its name
 * A run is expected to exit with 0 and to print nothing, but for these:
 *     $ WORDS => TEXT           exactly this line
 *     $ WORDS =! N MESSAGE      exit status N; MESSAGE is a part of standard error
 * and lines below it:
 *     exit N                    the exit status
 *     > TEXT                    a line of the output; all such lines are the whole output
 *     ~ PATTERN                 a part of the output; ` ... ' stands for any text
 *     ^ PATTERN                 the beginning of the output
 *     - PATTERN                 no part of the output; the rest of the output may be anything
 *     * N TEXT                  TEXT is N times in the output
 *     keys A 3(B C)             the output is one JSON value with the keys A B C B C B C
 *     2> 2~ 2^ 2- 2*            the same for standard error
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gfpoly.h"
#include "lab/process.h"
#include "lab/sanitized.h"

#define MOST_LINES 2000
#define MOST_CASES 200
#define LINE_SIZE 2000
#define MOST_WORDS 24

static const char *path;
static char *lines[MOST_LINES];
static size_t line_count;
/* The line that runs, with its loops' values in place, and its index. */
static char line[LINE_SIZE];
static size_t line_index;

/* Names and their values, those of the innermost loop last. */
typedef struct variable {
    char name[20];
    char value[LINE_SIZE];
} variable;
static variable variables[8];
static size_t variable_count, loop_depth;
/* Whether the case has run a command; whether something that it needs is not there. */
static bool case_ran, case_lacks;
/* Why the case must fail, and where fail_record then goes; or NULL. */
static const char *expected_failure;
static jmp_buf failed_as_expected;

/* What the last run printed, and what is expected of it. */
static struct {
    int code, expected;
    /* Standard output and standard error: whether something is expected of it, and, of lines that
     * are all of it, those not seen yet. */
    bool known[2];
    const char *lines[2];
} result;

static void fill_line(size_t i);

/* Fails with the record, whose text the comparison may have taken apart, and the last run. */
static void fail_record(const char *what)
{
    if (expected_failure != NULL && strcmp(what, expected_failure) == 0) {
        longjmp(failed_as_expected, 1);
    }
    fill_line(line_index);
    print_error("%s:%zu: %s\n%s: exit status %d; output:\n%s\nmessages:\n%s\n", path,
                line_index + 1, line, what, result.code, out, err);
    fail();
}

/* ---- texts ---- */

/* Takes the escapes of text out, in place, and returns the length. */
static size_t take_escapes(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        static const char letters[] = "ntrvf0\\", bytes[] = "\n\t\r\v\f\0\\";
        const char *letter = from[0] == '\\' && from[1] != '\0' ? strchr(letters, from[1]) : NULL;
        if (letter != NULL) {
            *to++ = bytes[letter - letters];
            from++;
        } else if (from[0] == '\\' && from[1] == 'x') {
            const char digits[3] = {from[2], from[3], '\0'};
            *to++ = (char)strtol(digits, NULL, 16);
            from += 3;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* The bytes of a file or an output: a newline at the end, unless \c is there. */
static size_t take_line(char *text)
{
    const size_t length = strlen(text);
    const bool open = length >= 2 && strcmp(text + length - 2, "\\c") == 0;
    if (open) {
        text[length - 2] = '\0';
    }
    size_t n = take_escapes(text);
    if (!open) {
        text[n++] = '\n';
        text[n] = '\0';
    }
    return n;
}

/* Where the pattern ends in text, from its beginning on if `first', or NULL. */
static const char *find_pattern(const char *text, char *pattern, bool first)
{
    for (char *next = pattern; next != NULL; first = false) {
        char *part = next, *any = strstr(part, " ... ");
        next = any != NULL ? any + 5 : NULL;
        if (any != NULL) {
            *any = '\0';
        }
        const size_t length = take_escapes(part);
        const char *found = strstr(text, part);
        if (found == NULL || (first && found != text)) {
            return NULL;
        }
        text = found + length;
    }
    return text;
}

/* Sets the line to that of index `i', with values in the place of names. */
static void fill_line(size_t i)
{
    size_t n = 0;
    line_index = i;
    for (const char *from = lines[i]; *from != '\0';) {
        const char *text = NULL;
        size_t taken = 1;
        for (size_t j = variable_count; *from == '{' && text == NULL && j > 0; j--) {
            const size_t length = strlen(variables[j - 1].name);
            if (strncmp(from + 1, variables[j - 1].name, length) == 0 && from[length + 1] == '}') {
                text = variables[j - 1].value;
                taken = length + 2;
            }
        }
        const size_t length = text != NULL ? strlen(text) : 1;
        assert_true(n + length < sizeof line - 2);
        memcpy(line + n, text != NULL ? text : from, length);
        n += length;
        from += taken;
    }
    line[n] = '\0';
}

/* The same; a name in braces that nothing stands for is an error. */
static void read_line(size_t i)
{
    fill_line(i);
    for (const char *at = line; line[0] != '#' && (at = strchr(at, '{')) != NULL;) {
        const size_t length = strspn(++at, "abcdefghijklmnopqrstuvwxyz_");
        if (length > 0 && at[length] == '}') {
            fail_record("a name without a value");
        }
    }
}

/* The rest of the line behind this word and spaces, or NULL. */
static char *behind_word(const char *word)
{
    const size_t length = strlen(word);
    const bool fits =
        strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
    return fits ? line + length + strspn(line + length, " ") : NULL;
}

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
        text += *text == '\\';
        if ((unsigned char)*text++ < 0x20) {
            return NULL;
        }
    }
    return text + 1;
}

/* The text behind decimal digits, or NULL. */
static const char *take_json_digits(const char *text)
{
    const size_t length = strspn(text, "0123456789");
    return length > 0 ? text + length : NULL;
}

/* Behind a number, true, false or null. */
static const char *take_json_word(const char *text)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            return text + strlen(words[i]);
        }
    }
    text += *text == '-';
    text = text[0] == '0' ? text + 1 : take_json_digits(text);
    if (text != NULL && *text == '.') {
        text = take_json_digits(text + 1);
    }
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        text += text[1] == '+' || text[1] == '-' ? 2 : 1;
        text = take_json_digits(text);
    }
    return text;
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
    return *text == '"' ? take_json_string(text) : take_json_word(text);
}

/* Standard output is one JSON value with exactly these keys. */
static void expect_keys(const char *list)
{
    char keys[4000] = "", expected[4000] = "";
    const char *rest = take_json(out, keys, sizeof keys);
    if (rest == NULL || *skip_json_space(rest) != '\0') {
        fail_record("no JSON");
    }
    while (*list != '\0') {
        int times = 1, taken = 0;
        const bool many = sscanf(list, "%d(%n", &times, &taken) == 1 && taken > 0;
        list += many ? taken : 0;
        const int length = (int)strcspn(list, many ? ")" : " ");
        for (int i = 0; i < times; i++) {
            const size_t n = strlen(expected);
            snprintf(expected + n, sizeof expected - n, "%.*s ", length, list);
        }
        list += length + (many ? 1 : 0);
        list += strspn(list, " ");
    }
    if (strcmp(keys, expected) != 0) {
        print_error("the keys are %s\n", keys);
        fail_record("other keys");
    }
}

/* ---- runs ---- */

/* Takes the words of text, which it changes, and the run's input and output; copies NAME=VALUE. */
static void split_words(char *text, const char **words, char *set)
{
    size_t n = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        const bool quoted = *text == '\'';
        char *word = text + quoted;
        text = word + strcspn(word, quoted ? "'" : " ");
        if (*text != '\0') {
            *text++ = '\0';
        }
        assert_in_range(n, 0, MOST_WORDS - 1);
        const size_t capitals = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (!quoted && n == 0 && capitals > 1 && word[capitals] == '=') {
            strcpy(set, word);
        } else if (!quoted && word[0] == '<') {
            stdin_from = word + 1;
        } else if (!quoted && word[0] == '>') {
            stdout_to = strcmp(word, ">&-") == 0 ? NULL : word + 1;
        } else {
            words[n++] = word;
        }
    }
    words[n] = NULL;
}

/* Whether the last signal was sent without an output file. */
static bool signal_too_late;

/* Runs the command until it has an output file, and sends the signal. */
static int run_until_output(const char *const *words, int number)
{
    const pid_t pid = start(words);
    signal_too_late = !wait_for_output(pid);
    (void)kill(pid, number);
    return finish(pid);
}

/* Runs with a variable of the environment, NAME=VALUE, which is reset afterwards, until the end or
 * until the signal, unless that is 0. */
static int run_with(const char *const *words, char *set, int number)
{
    char *value = strchr(set, '=');
    if (value == NULL) {
        return number != 0 ? run_until_output(words, number) : run_arguments(words);
    }
    *value++ = '\0';
    const char *old = getenv(set);
    char *before = old != NULL ? strdup(old) : NULL;
    assert_int_equal(setenv(set, value, 1), 0);
    const int code = run_with(words, value + strlen(value), number);
    assert_int_equal(before != NULL ? setenv(set, before, 1) : unsetenv(set), 0);
    free(before);
    return code;
}

static void expect_message(char *pattern, const char *text, bool first)
{
    if (find_pattern(text, pattern, first) == NULL) {
        fail_record("is not there");
    }
}

static void set_variable(const char *name, size_t name_length, const char *value, size_t length)
{
    assert_in_range(variable_count, 0, sizeof variables / sizeof *variables - 1);
    variable *v = &variables[variable_count++];
    snprintf(v->name, sizeof v->name, "%.*s", (int)name_length, name);
    snprintf(v->value, sizeof v->value, "%.*s", (int)length, value);
}

static bool real_device(void)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, "real") == 0;
}

/* The commands and signals behind the dollar sign. */
static const struct {
    const char *word;
    const char *program;
    int signal;
} kinds[] = {
    {"$", GFP_CLI, 0},         {"$wrong", GFP_CLI_WRONG, 0}, {"$gpu", GFP_CLI_FAKE_DEVICE, 0},
    {"sh", "/bin/sh", 0},      {"$INT", GFP_CLI, SIGINT},    {"$TERM", GFP_CLI, SIGTERM},
    {"$HUP", GFP_CLI, SIGHUP}, {"$ABRT", GFP_CLI, SIGABRT},
};

/* Runs the words of a line of this kind with what stands behind => or =! in it. */
static void run_line(size_t kind, char *rest)
{
    const char *words[MOST_WORDS + 1] = {"-c", rest, NULL};
    char set[LINE_SIZE] = "", text[LINE_SIZE];
    snprintf(text, sizeof text, " %s", rest); /* no words: " =! 2" */
    char *shown = strstr(text, " => "), *failed = strstr(text, " =! ");
    char *end = shown != NULL ? shown : failed;
    if (end != NULL) {
        *end = '\0';
    }
    words[1] = text;
    program = kinds[kind].program;
    if (strcmp(kinds[kind].word, "sh") != 0) {
        split_words(text, words, set);
    }
    if (strcmp(kinds[kind].word, "$gpu") == 0) {
        program = real_device() ? GFP_CLI : GFP_CLI_FAKE_DEVICE;
        if (set[0] != '\0') {
            fail_record("$gpu takes no variable");
        }
        strcpy(set, "GFPOLY_GPU=");
    }
    result.expected = kinds[kind].signal != 0 ? 128 + kinds[kind].signal : 0;
    result.code = run_with(words, set, kinds[kind].signal);
    program = GFP_CLI;
    if (kinds[kind].signal != 0 && signal_too_late) {
        fail_record("no output file");
    }
    for (int i = 0; i < 2; i++) {
        result.known[i] = false;
        result.lines[i] = NULL;
    }
    if (shown != NULL) {
        (void)take_line(shown + 4);
        result.known[0] = true;
        if (strcmp(out, shown + 4) != 0) {
            fail_record("is not there");
        }
    } else if (failed != NULL) {
        char *message;
        result.expected = (int)strtol(failed + 4, &message, 10);
        result.known[1] = true;
        expect_message(message + strspn(message, " "), err, false);
    }
}

/* Compares with a line `> TEXT' and the like, without the 2 of standard error. */
static void compare_line(char *text, int stream)
{
    const char *all = stream == 0 ? out : err;
    const char kind = text[0];
    char *rest = text + 1 + strspn(text + 1, " ");
    if (kind == '>') {
        if (result.lines[stream] == NULL) {
            result.lines[stream] = all;
        }
        rest = text[1] == ' ' ? text + 2 : text + 1; /* further spaces belong to the line */
        const size_t length = take_line(rest);
        if (strncmp(result.lines[stream], rest, length) != 0) {
            fail_record("is not there");
        }
        result.lines[stream] += length;
    } else if (kind == '*') {
        long times = strtol(rest, &rest, 10);
        const size_t length = take_escapes(++rest);
        for (const char *at = all; (at = strstr(at, rest)) != NULL; at += length) {
            times--;
        }
        if (times != 0) {
            fail_record("another number of times");
        }
    } else if (kind == '-') {
        if (find_pattern(all, rest, false) != NULL) {
            fail_record("is there");
        }
    } else {
        expect_message(rest, all, kind == '^');
    }
    result.known[stream] = true;
}

/* Whether the filled line belongs to the run above it; compares. */
static bool is_expectation(void)
{
    char *rest;
    const int stream = line[0] == '2';
    if (line[stream] != '\0' && strchr(">~^-*", line[stream]) != NULL) {
        compare_line(line + stream, stream);
    } else if ((rest = behind_word("keys")) != NULL) {
        expect_keys(rest);
        result.known[0] = true;
    } else if ((rest = behind_word("exit")) != NULL) {
        result.expected = (int)strtol(rest, NULL, 10);
    } else {
        return false;
    }
    return true;
}

/* Runs the line at index i and compares with it and the lines below; returns the next index. */
static size_t run_record(size_t i, size_t kind, char *rest, size_t end)
{
    const size_t first = i;
    case_ran = true;
    run_line(kind, rest);
    while (++i < end) {
        read_line(i);
        if (!is_expectation()) {
            break;
        }
    }
    fill_line(first);
    if (result.code != result.expected) {
        fail_record("another exit status");
    }
    for (int j = 0; j < 2; j++) {
        const char *all = j == 0 ? out : err;
        const char *left = result.lines[j];
        if ((!result.known[j] && *all != '\0') || (left != NULL && *left != '\0')) {
            fail_record("more than expected");
        }
    }
    return i;
}

/* ---- other lines ---- */

/* The name before a colon and the text behind it and a space. */
static char *take_name(char *rest)
{
    char *colon = strchr(rest, ':');
    assert_non_null(colon);
    *colon = '\0';
    return colon[1] == ' ' ? colon + 2 : colon + 1;
}

static void compare_file(const char *name, char *expected)
{
    static char text[1 << 16];
    if (access(name, F_OK) != 0) {
        fail_record("there is no such file");
    }
    const size_t length = take_line(expected), found = slurp(name, text, sizeof text);
    if (found != length || memcmp(text, expected, length) != 0) {
        print_error("the file has:\n%s", text);
        fail_record("another file");
    }
}

static void put_integers(const char *name, size_t len, size_t digits, uint64_t seed)
{
    static char text[1 << 18];
    gfp_random g;
    size_t used = (size_t)snprintf(text, sizeof text, "%zu ", len);
    gfp_random_seed(&g, seed);
    for (size_t i = 0; i < len; i++) {
        assert_true(used + digits + 4 < sizeof text);
        used += (size_t)snprintf(text + used, 4, gfp_random_u64(&g) % 2 == 0 ? " 1" : " -1");
        for (size_t j = 1; j < digits; j++) {
            text[used++] = (char)('0' + gfp_random_below(&g, 10));
        }
    }
    text[used] = '\0';
    put_file(name, text);
}

/* Whether the command finds a device, or the backend that stands for one. */
static bool have_device(void)
{
    char set[] = "GFPOLY_GPU=";
    const char *const words[] = {"sqr",      "device.txt", "-o", "device.txt",
                                 "--method", "bigfft_gpu", NULL};
    put_file("device.txt", "3 17  1 2 3\n");
    return !real_device() || run_with(words, set, 0) != 2 || strstr(err, "unknown") != NULL;
}

static bool have_thing(const char *thing)
{
    if (strcmp(thing, "threads") == 0) {
        return gfp_build_get_info()->threads;
    }
    if (strcmp(thing, "device") == 0) {
        return have_device();
    }
    if (strcmp(thing, "host") == 0) {
        return !real_device();
    }
    if (strcmp(thing, "speed") == 0) {
        return !SANITIZED;
    }
    if (strcmp(thing, "user") == 0) {
        return geteuid() != 0;
    }
    if (strcmp(thing, "xxhsum") == 0) {
        return run_shell("command -v xxhsum >/dev/null") == 0;
    }
    if (thing[0] != '/') {
        fail_record("no case can need this");
    }
    return access(thing, F_OK) == 0;
}

/* A line that is no run and no loop. */
static void run_other(void)
{
    char *rest, first[100], second[100];
    size_t len, digits;
    unsigned long seed;
    if ((rest = behind_word("file")) != NULL) {
        char *text = take_name(rest);
        put_bytes(rest, text, take_line(text));
    } else if ((rest = behind_word("has")) != NULL) {
        char *text = take_name(rest);
        compare_file(rest, text);
    } else if (sscanf(line, "same %99s %99s", first, second) == 2) {
        const char *const words[] = {"-s", first, second, NULL};
        const char *command = program;
        program = "cmp";
        const int code = run_arguments(words);
        program = command;
        if (code != 0) {
            fail_record("the files differ");
        }
    } else if ((rest = behind_word("none")) != NULL) {
        if (count_files(".", rest) != 0) {
            fail_record("there is such a file");
        }
    } else if (sscanf(line, "link %99s %99s", first, second) == 2) {
        assert_int_equal(symlink(second, first), 0);
    } else if (sscanf(line, "integers %99s %zu %zu %lu", first, &len, &digits, &seed) == 4) {
        put_integers(first, len, digits, seed);
    } else {
        fail_record("no record has this form");
    }
}

static size_t end_of_loop(size_t i, size_t end)
{
    for (size_t depth = 1; ++i < end;) {
        depth += strncmp(lines[i], "for ", 4) == 0;
        depth -= strcmp(lines[i], "end") == 0;
        if (depth == 0) {
            return i;
        }
    }
    fail_record("the loop has no end");
    return end;
}

static void run_lines(size_t begin, size_t end);

/* Runs the lines of the loop at index i for each item of its list; returns the index behind it. */
static size_t run_loop(size_t i, char *names, size_t end)
{
    static char copies[4][LINE_SIZE];
    assert_in_range(loop_depth, 0, 3);
    char *list = copies[loop_depth++];
    const size_t before = variable_count;
    strcpy(list, names);
    const size_t begin = i + 1, last = end_of_loop(i, end);
    names = list;
    list = strstr(list, " in ");
    assert_non_null(list);
    *list = '\0';
    list += 4;
    while (list != NULL) {
        char *next = strchr(list, ';');
        if (next != NULL) {
            *next++ = '\0';
        }
        list += strspn(list, " ");
        for (const char *name = names; *name != '\0';) {
            const char *this = name;
            const size_t length = strcspn(name, " ");
            name += length + strspn(name + length, " ");
            const size_t taken = *name == '\0' ? strlen(list) : strcspn(list, " ");
            set_variable(this, length, list, taken);
            list += taken + strspn(list + taken, " ");
        }
        run_lines(begin, last);
        variable_count = before;
        list = next;
    }
    loop_depth--;
    return last + 1;
}

/* Runs the line at index i with those that belong to it; returns the next index. */
static size_t run_any(size_t i, size_t end)
{
    char *rest;
    read_line(i);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if ((rest = behind_word(kinds[kind].word)) != NULL) {
            return run_record(i, kind, rest, end);
        }
    }
    if ((rest = behind_word("for")) != NULL) {
        return run_loop(i, rest, end);
    }
    if ((rest = behind_word("need")) != NULL) {
        if (!have_thing(rest)) {
            print_message("%s:%zu: the rest needs %s\n", path, i + 1, rest);
            case_lacks = true;
            return end;
        }
    } else if ((rest = behind_word("let")) != NULL) {
        char *value = strstr(rest, " = ");
        assert_non_null(value);
        set_variable(rest, (size_t)(value - rest), value + 3, strlen(value + 3));
    } else if (line[0] != '\0' && line[0] != '#') {
        run_other();
    }
    return i + 1;
}

static void run_lines(size_t i, size_t end)
{
    while (i < end) {
        i = run_any(i, end);
    }
}

/* ---- cases ---- */

/* The line of the first case. */
static size_t first_case;

typedef struct record_case {
    size_t begin, end;
} record_case;

static void test_case(void **state)
{
    static const char word[] = "# fails: ";
    const record_case *c = *state;
    const char *comment = c->begin < c->end ? lines[c->begin] : "";
    variable_count = loop_depth = 0;
    case_lacks = false;
    expected_failure = strncmp(comment, word, strlen(word)) == 0 ? comment + strlen(word) : NULL;
    if (setjmp(failed_as_expected) != 0) {
        return;
    }
    run_lines(0, first_case);
    case_ran = false;
    run_lines(c->begin, c->end);
    line_index = c->begin - 1;
    if (count_files(".", ".gfpoly-") != 0) {
        fail_record("a temporary file is left");
    }
    if (!case_ran && !case_lacks) {
        fail_record("the case runs no command");
    }
    expected_failure = NULL;
    if (strncmp(comment, word, strlen(word)) == 0) {
        fail_record("the case does not fail");
    }
    if (case_lacks) {
        skip(); /* also if a part has run: what was left out must be seen */
    }
}

static int enter_case(void **state)
{
    (void)state;
    program = GFP_CLI;
    return mkdir("case", 0777) == 0 ? chdir("case") : -1;
}

static int leave_case(void **state)
{
    (void)state;
    if (chdir("..") != 0) {
        return -1;
    }
    remove_tree("case");
    return 0;
}

static void read_lines(void)
{
    static char text[1 << 17];
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    const size_t length = fread(text, 1, sizeof text - 1, stream);
    const bool whole = length < sizeof text - 1 && !ferror(stream);
    fclose(stream);
    if (!whole) {
        fprintf(stderr, "%s: cannot read, or too long\n", path);
        exit(1);
    }
    text[length] = '\0';
    for (char *at = text; *at != '\0' && line_count < MOST_LINES;) {
        static char empty[] = "";
        const bool list = strncmp(at, "for ", 4) == 0 || strncmp(at, "let ", 4) == 0;
        lines[line_count++] = at;
        at += strcspn(at, "\n");
        while (list && at[-1] == ';' && *at != '\0' && line_count < MOST_LINES) {
            *at = ' ';
            lines[line_count++] = empty;
            at += strcspn(at, "\n");
        }
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[MOST_CASES];
    static record_case cases[MOST_CASES];
    size_t count = 0;
    path = argc > 1 ? argv[1] : GFP_RECORDS "/wrong.txt";
    read_lines();
    for (size_t i = 0; i < line_count && count < MOST_CASES; i++) {
        if (strncmp(lines[i], "== ", 3) == 0) {
            cases[count] = (record_case){i + 1, line_count};
            tests[count] =
                (struct CMUnitTest){lines[i] + 3, test_case, enter_case, leave_case, &cases[count]};
            if (count > 0) {
                cases[count - 1].end = i;
            } else {
                first_case = i;
            }
            count++;
        }
    }
    if (count == 0 || count == MOST_CASES || line_count == MOST_LINES) {
        fprintf(stderr, "%s: no case, or too many\n", path);
        return 1;
    }
    (void)setenv("GFPOLY", GFP_CLI, 1);
    (void)setenv("GFPOLY_GPU", "off", 1);
    (void)setenv("DEVICE", real_device() ? GFP_CLI : GFP_CLI_FAKE_DEVICE, 1);
    return _cmocka_run_group_tests("records", tests, count, enter_empty_folder, leave_folder);
}
