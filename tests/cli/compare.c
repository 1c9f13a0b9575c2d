/* compare.c: the subcommand compare: its measurements, the agreement of its files, its
 * pictures, and its files after errors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "lab/process.h"
#include "lab/sanitized.h"

static char text[1 << 20];

#define MAX_ROWS 256

/* A figure in both files; -1: no time. */
struct row {
    char method[40], note[300];
    long len_a, len_b, runs, min_ns, median_ns, again;
    double spread, ratio;
};

static long compare_number(const char *s)
{
    return s[0] == '\0' || strncmp(s, "null", 4) == 0 ? -1 : strtol(s, NULL, 10);
}

/* The comma-separated fields of a line, whose last one may hold commas between its quotes. */
static void parse_csv_row(struct row *r, char *line)
{
    char *part[13] = {line};
    for (size_t i = 1; i < 13; i++) {
        part[i] = strchr(part[i - 1], ',');
        assert_non_null(part[i]);
        *part[i]++ = '\0';
    }
    *r = (struct row){.len_a = compare_number(part[3]),
                      .len_b = compare_number(part[4]),
                      .runs = compare_number(part[6]),
                      .min_ns = compare_number(part[7]),
                      .median_ns = compare_number(part[8]),
                      .again = compare_number(part[11]),
                      .spread = part[9][0] == '\0' ? -1 : strtod(part[9], NULL),
                      .ratio = part[10][0] == '\0' ? -1 : strtod(part[10], NULL)};
    snprintf(r->method, sizeof(r->method), "%s", part[5]);
    snprintf(r->note, sizeof(r->note), "%s", part[12][0] == '"' ? part[12] + 1 : part[12]);
    char *quote = strrchr(r->note, '"');
    if (quote != NULL) {
        *quote = '\0';
    }
}

static size_t read_csv(const char *path, struct row *rows)
{
    size_t n = 0;
    (void)slurp(path, text, sizeof(text));
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (line[0] != '#' && strncmp(line, "field,", 6) != 0) {
            assert_true(n < MAX_ROWS);
            parse_csv_row(&rows[n++], line);
        }
    }
    return n;
}

/* The text behind "key": from `at` on; fails if there is none. */
static char *value_of(char *at, const char *key)
{
    char quoted[60];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    char *found = at != NULL ? strstr(at, quoted) : NULL;
    if (found == NULL) {
        fail_msg("no %s", key);
    }
    return found + strlen(quoted);
}

static void copy_string(char *to, size_t size, const char *at)
{
    const size_t n = strcspn(at + 1, "\"");
    assert_true(at[0] == '"' && n < size);
    memcpy(to, at + 1, n);
    to[n] = '\0';
}

static size_t read_json(const char *path, struct row *rows)
{
    size_t n = 0;
    (void)slurp(path, text, sizeof(text));
    for (char *at = strstr(value_of(text, "figures"), "\"len_a\""); at != NULL;
         at = strstr(at + 1, "\"len_a\"")) {
        assert_true(n < MAX_ROWS);
        struct row *r = &rows[n++];
        char *spread = value_of(at, "spread_percent");
        char *ratio = value_of(at, "ratio_to_pick");
        *r = (struct row){.len_a = compare_number(value_of(at, "len_a")),
                          .len_b = compare_number(value_of(at, "len_b")),
                          .runs = compare_number(value_of(at, "runs")),
                          .min_ns = compare_number(value_of(at, "min_ns")),
                          .median_ns = compare_number(value_of(at, "median_ns")),
                          .again = compare_number(value_of(at, "again")),
                          .spread = strncmp(spread, "null", 4) == 0 ? -1 : strtod(spread, NULL),
                          .ratio = strncmp(ratio, "null", 4) == 0 ? -1 : strtod(ratio, NULL)};
        copy_string(r->method, sizeof(r->method), value_of(at, "method"));
        copy_string(r->note, sizeof(r->note), value_of(at, "note"));
    }
    return n;
}

/* Checks that both files hold the same, possible figures. Returns the number of figures with times.
 */
static size_t check_data(const char *folder, size_t *rows_found)
{
    static struct row csv[MAX_ROWS], json[MAX_ROWS];
    char path[200];
    size_t with_time = 0;
    snprintf(path, sizeof(path), "%s/compare.csv", folder);
    const size_t n = read_csv(path, csv);
    snprintf(path, sizeof(path), "%s/compare.json", folder);
    assert_int_equal(read_json(path, json), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(csv[i].method, json[i].method);
        assert_string_equal(csv[i].note, json[i].note);
        assert_int_equal(csv[i].len_a, json[i].len_a);
        assert_int_equal(csv[i].len_b, json[i].len_b);
        assert_int_equal(csv[i].runs, json[i].runs);
        assert_int_equal(csv[i].min_ns, json[i].min_ns);
        assert_int_equal(csv[i].median_ns, json[i].median_ns);
        assert_int_equal(csv[i].again, json[i].again);
        assert_true(csv[i].spread >= json[i].spread && csv[i].spread <= json[i].spread);
        assert_true(csv[i].ratio >= json[i].ratio && csv[i].ratio <= json[i].ratio);
        if (csv[i].runs > 0) {
            with_time++;
            assert_true(csv[i].min_ns > 0 && csv[i].min_ns <= csv[i].median_ns);
            assert_true(csv[i].spread >= 0 && csv[i].ratio > 0 && csv[i].again >= 0);
            assert_true(csv[i].note[0] == '\0' || strstr(csv[i].note, "breaks its curve") != NULL);
        } else {
            assert_true(csv[i].min_ns == -1 && csv[i].median_ns == -1 && csv[i].note[0] != '\0');
            assert_true(csv[i].ratio < 0);
        }
    }
    *rows_found = n;
    return with_time;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The search path of the next run; NULL: unchanged. */
static void set_path(const char *path)
{
    static char usual[4096];
    if (usual[0] == '\0') {
        snprintf(usual, sizeof(usual), "%s", getenv("PATH"));
    }
    assert_int_equal(setenv("PATH", path != NULL ? path : usual, 1), 0);
}

static bool have_gnuplot(void)
{
    return run_shell("command -v gnuplot >/dev/null") == 0;
}

/* ---- measurements ---- */

static void test_files_and_terminal_tell_the_same(void **state)
{
    size_t rows = 0;
    (void)state;
    expect("compare --field p4 --min-len 2 --max-len 64 --points-per-octave 1 --max-seconds 0.3 "
           "-o a/b",
           0, NULL);
    const size_t measured = check_data("a/b", &rows);
    assert_true(rows % 6 == 0 && rows >= 6 * gfp_method_count());
    assert_true(measured >= 12);
    /* Machine and versions, in each. */
    static const char *const files[] = {"a/b/compare.csv", "a/b/compare.json", "a/b/compare.gp"};
    for (size_t i = 0; i < 3; i++) {
        const gfp_machine_info machine = gfp_machine_get_info();
        (void)slurp(files[i], text, sizeof(text));
        assert_non_null(strstr(text, machine.cpu));
        assert_non_null(strstr(text, machine.cpu_level));
        assert_non_null(strstr(text, gfp_build_get_info()->compiler));
        assert_non_null(strstr(text, gfp_version()));
        assert_non_null(strstr(text, "gmp"));
        assert_non_null(strstr(text, "gpu"));
        assert_non_null(strstr(text, "date"));
    }
    /* The words: in JSON, in the script, and the last line of the table's output. */
    char words[1000];
    (void)slurp("a/b/compare.json", text, sizeof(text));
    copy_string(words, sizeof(words), value_of(text, "words"));
    assert_int_equal(strncmp(words, "p4: ", 4), 0);
    assert_non_null(strstr(words, " wins from 2 terms"));
    assert_non_null(strstr(out, words));
    assert_non_null(strstr(out, "classical"));
    assert_non_null(strstr(out, "\n     terms"));
    /* One table, whatever its width: no terminal breaks its lines. */
    assert_null(strstr(strstr(out, "\n     terms") + 1, "\n     terms"));
    assert_no_temporary();
    assert_int_equal(count_files("a/b", ".gfpoly-"), 0);
}

static void test_methods_and_operations_are_those_asked_for(void **state)
{
    size_t rows = 0;
    static const char *const operations[] = {"product", "square", "low", "middle", "operand"};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        char line[300];
        snprintf(line, sizeof(line),
                 "compare --field p4 --min-len 5 --max-len 7 --points-per-octave 64 --max-seconds "
                 "0.3 --methods karatsuba,hybrid --operation %s --threads 2 -o op",
                 operations[i]);
        expect(line, 0, NULL);
        assert_true(check_data("op", &rows) >= 2);
        assert_int_equal(rows, 6); /* 5, 6, 7 */
        (void)slurp("op/compare.csv", text, sizeof(text));
        snprintf(line, sizeof(line), "\n\"p4\",%s,2,%d,5,karatsuba,", operations[i],
                 i == 3 ? 9 : 5);
        assert_non_null(strstr(text, line));
        assert_null(strstr(text, "classical"));
    }
}

static void test_what_is_lost_is_left_out_and_said(void **state)
{
    size_t rows = 0;
    (void)state;
    /* Up to 2048 terms: there, the classical method takes more than 20 times the least time at
     * every kernel level, with sanitizers too. */
    expect("compare --field p8 --min-len 64 --max-len 2048 --points-per-octave 1 --max-seconds 2 "
           "--methods classical,hybrid -o lost",
           0, NULL);
    const size_t measured = check_data("lost", &rows);
    assert_int_equal(rows, 12);
    assert_in_range(measured, 7, 11);
    assert_non_null(strstr(out, "classical at "));
    assert_non_null(strstr(out, " left out: "));
    assert_non_null(strstr(out, "\np8: hybrid wins from 64 terms\n"));
}

/* Earlier lengths are kept, and the output names the length. */
static void test_a_length_that_memory_is_too_short_for_is_left_out(void **state)
{
    size_t rows = 0;
    (void)state;
    if (SANITIZED) {
        skip(); /* sanitizers need the address space themselves */
    }
    assert_int_equal(setenv("GFPOLY", program, 1), 0);
    assert_int_equal(
        run_shell(
            "ulimit -v 200000 && PATH=/nonexistent \"$GFPOLY\" compare --field p8 --min-len "
            "65536 --max-len 1048576 --points-per-octave 1 --methods hybrid -o short >short.txt"),
        0);
    const size_t measured = check_data("short", &rows);
    assert_int_equal(rows, 5);
    assert_in_range(measured, 1, 4);
    (void)slurp("short/compare.csv", text, sizeof(text));
    assert_non_null(strstr(text, "1048576,hybrid,0,,,,,0,\"left out: "));
    assert_non_null(strstr(text, "memory"));
    assert_null(strstr(text, "--len"));
}

/* ---- pictures ---- */

static void test_pictures_name_the_crossovers(void **state)
{
    (void)state;
    if (!have_gnuplot()) {
        print_message("skipped: no gnuplot\n");
        skip();
    }
    expect("compare --field p8 --min-len 2 --max-len 256 --points-per-octave 1 --max-seconds 0.5 "
           "--methods classical,hybrid -o it's/pictures",
           0, NULL);
    assert_non_null(strstr(out, "pictures: compare.csv, compare.json, compare.gp, compare.svg"));
    (void)slurp("it's/pictures/compare.json", text, sizeof(text));
    char *words = value_of(text, "words");
    char *end = strchr(words, '\n');
    assert_non_null(end);
    *end = '\0';
    /* Classical products win at 2 terms, and not at 256. */
    char label[100];
    char *from = strstr(words, "; hybrid from ");
    assert_non_null(from);
    snprintf(label, sizeof(label), "%.*s terms", (int)strcspn(from + 2, "\",;"), from + 2);
    (void)slurp("it's/pictures/compare.svg", text, sizeof(text));
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, label));
    assert_non_null(strstr(text, ">classical<"));
    assert_true(slurp("it's/pictures/compare.png", text, sizeof(text)) > 1000);
    assert_memory_equal(text, "\x89PNG", 4);
    /* The script draws them again. */
    assert_int_equal(unlink("it's/pictures/compare.svg"), 0);
    assert_int_equal(unlink("it's/pictures/compare.png"), 0);
    assert_int_equal(run_shell("cd \"it's/pictures\" && gnuplot -d compare.gp"), 0);
    assert_true(is_there("it's/pictures/compare.svg") && is_there("it's/pictures/compare.png"));
}

static void test_without_gnuplot_the_data_are_there(void **state)
{
    size_t rows = 0;
    (void)state;
    set_path("/nonexistent");
    int code =
        run("compare --field p4 --min-len 2 --max-len 4 --max-seconds 0.05 -o plain --quiet");
    assert_int_equal(code, 0);
    assert_string_equal(err, "");
    code = run("compare --field p4 --min-len 2 --max-len 4 --max-seconds 0.05 -o plain");
    set_path(NULL);
    assert_int_equal(code, 0);
    assert_non_null(strstr(err, "gnuplot was not found"));
    assert_non_null(strstr(err, "gnuplot-nox"));
    assert_non_null(strstr(out, "(gnuplot would draw a plot here"));
    assert_true(check_data("plain", &rows) > 0);
    assert_true(is_there("plain/compare.gp"));
    assert_false(is_there("plain/compare.svg") || is_there("plain/compare.png"));
    assert_int_equal(count_files("plain", ".gfpoly-"), 0);
}

/* If gnuplot fails, there is no new picture, not even a part of one, and the old one stays. */
static void test_a_gnuplot_that_fails_is_reported(void **state)
{
    (void)state;
    assert_int_equal(mkdir("fake", 0755), 0);
    assert_int_equal(mkdir("failing", 0755), 0);
    put_file("failing/compare.svg", "old\n");
    put_file("fake/gnuplot", "#!/bin/sh\necho '<svg'\nexit 3\n");
    assert_int_equal(chmod("fake/gnuplot", 0755), 0);
    char path[4096];
    assert_non_null(getcwd(path, sizeof(path) - 10));
    strcat(path, "/fake");
    set_path(path);
    const int code =
        run("compare --field p4 --min-len 2 --max-len 4 --max-seconds 0.05 -o failing");
    set_path(NULL);
    assert_int_equal(code, 1);
    assert_non_null(strstr(err, "failing/compare.svg: not drawn: gnuplot ended with status 3"));
    assert_file("failing/compare.svg", "old\n");
    assert_true(is_there("failing/compare.csv"));
    assert_int_equal(count_files("failing", ".gfpoly-"), 0);
}

/* ---- methods that fail, and interrupts ---- */

/* The second command's karatsuba has no memory. */
static void test_a_method_that_fails_is_left_out(void **state)
{
    size_t rows = 0;
    (void)state;
    assert_int_equal(setenv("GFP_FAILING_METHOD", "karatsuba", 1), 0);
    program = GFP_CLI_WRONG;
    const int code = run("compare --field p4 --min-len 2 --max-len 4 --max-seconds 0.2 --methods "
                         "classical,karatsuba -o fails");
    const int only = run("compare --field p4 --min-len 2 --max-len 4 --methods karatsuba");
    program = GFP_CLI;
    assert_int_equal(unsetenv("GFP_FAILING_METHOD"), 0);
    assert_int_equal(code, 0);
    assert_int_equal(only, 1);
    assert_non_null(strstr(err, "compare: karatsuba: failed: made to fail\n"));
    assert_non_null(strstr(err, "nothing was measured"));
    assert_in_range(check_data("fails", &rows), 2, 3);
    assert_int_equal(rows, 6); /* 2, 3, 4 */
    assert_non_null(strstr(text, "\"failed: made to fail\""));
}

/* ---- times to doubt ---- */

/* One comparison by the second command, some of whose products by a method are slow. */
static void compare_slowed(const char *len, const char *calls, const char *ms, const char *line)
{
    assert_int_equal(setenv("GFP_SLOW_METHOD", "hybrid", 1), 0);
    assert_int_equal(setenv("GFP_SLOW_LEN", len, 1), 0);
    assert_int_equal(setenv("GFP_SLOW_CALLS", calls, 1), 0);
    assert_int_equal(setenv("GFP_SLOW_MS", ms, 1), 0);
    program = GFP_CLI_WRONG;
    const int code = run(line);
    program = GFP_CLI;
    assert_int_equal(unsetenv("GFP_SLOW_METHOD"), 0);
    assert_int_equal(code, 0);
}

/* The figure of a method at a length. */
static const struct row *find_row(const char *folder, const char *method, long len)
{
    static struct row rows[MAX_ROWS];
    char path[200];
    snprintf(path, sizeof(path), "%s/compare.csv", folder);
    const size_t n = read_csv(path, rows);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].method, method) == 0 && rows[i].len_a == len) {
            return &rows[i];
        }
    }
    fail_msg("%s: no %s at %ld", folder, method, len);
    return NULL;
}

#define SLOW_NS 300000000
#define SLEEP_NS 10000000
#define SLOWED "compare --field p4 --points-per-octave 1 --methods classical,hybrid "
/* By the wall's clock, which waiting moves. */
#define SLOWED_WALL SLOWED "--threads 2 --max-seconds 2 "

/* As if another process used the machine for a while: times that break the curve are measured
 * again. */
static void test_a_time_that_breaks_its_curve_is_measured_again(void **state)
{
    size_t rows = 0;
    (void)state;
    compare_slowed("16", "2", "300", SLOWED_WALL "--min-len 8 --max-len 32 -o once");
    (void)check_data("once", &rows);
    assert_int_equal(rows, 6);
    const struct row *r = find_row("once", "hybrid", 16);
    assert_true(r->runs > 0 && r->min_ns < SLOW_NS);
    assert_string_equal(r->note, "");
    /* At the first length, and at the last one. */
    compare_slowed("8", "2", "300", SLOWED_WALL "--min-len 8 --max-len 32 -o first");
    assert_in_range(find_row("first", "hybrid", 8)->min_ns, 1, SLOW_NS - 1);
    compare_slowed("32", "2", "300", SLOWED_WALL "--min-len 8 --max-len 32 -o last");
    assert_in_range(find_row("last", "hybrid", 32)->min_ns, 1, SLOW_NS - 1);
}

static void test_a_time_that_stays_is_marked(void **state)
{
    size_t rows = 0;
    (void)state;
    compare_slowed("16", "1000", "300", SLOWED_WALL "--min-len 8 --max-len 32 -o stays");
    (void)check_data("stays", &rows);
    const struct row *r = find_row("stays", "hybrid", 16);
    assert_true(r->runs > 0 && r->min_ns >= SLOW_NS && r->again > 0);
    assert_string_equal(r->note, "breaks its curve, measured again");
    assert_non_null(strstr(out, "hybrid at 16 terms: breaks its curve, measured again\n"));
    assert_non_null(strstr(out, "?"));
    assert_true(find_row("stays", "hybrid", 32)->min_ns < SLOW_NS);
}

/* The next length is measured, though this one's first times were hopeless. */
static void test_no_method_is_left_out_for_one_bad_time(void **state)
{
    bool noted = true;
    (void)state;
    /* Other processes may disturb times. */
    for (unsigned attempt = 0; attempt < 3 && noted; attempt++) {
        compare_slowed("16", "2", "300", SLOWED_WALL "--min-len 16 --max-len 64 -o kept");
        assert_true(find_row("kept", "hybrid", 32)->runs > 0);
        assert_true(find_row("kept", "hybrid", 64)->runs > 0);
        noted = strstr(out, "hybrid at ") != NULL;
    }
    assert_false(noted);
}

/* On one thread the times of other processes do not count; on several threads they do. */
static void test_times_of_one_thread_are_its_own(void **state)
{
    (void)state;
    compare_slowed("16", "1000", "10", SLOWED "--min-len 16 --max-len 16 --max-seconds 1 -o own");
    assert_in_range(find_row("own", "hybrid", 16)->min_ns, 1, SLEEP_NS / 2);
    (void)slurp("own/compare.json", text, sizeof(text));
    assert_non_null(strstr(text, "\"clock\": \"cpu\""));
    compare_slowed("16", "1000", "10", SLOWED_WALL "--min-len 16 --max-len 16 -o wall");
    assert_true(find_row("wall", "hybrid", 16)->min_ns >= SLEEP_NS);
    (void)slurp("wall/compare.json", text, sizeof(text));
    assert_non_null(strstr(text, "\"clock\": \"wall\""));
}

/* ---- other libraries ---- */

/* Puts a copy of the command and such a program into a folder. */
static void use_copy(const char *folder, const char *peer)
{
    char script[4200];
    snprintf(script, sizeof(script),
             "mkdir -p %s && cp '%s' %s/gfpoly && cat >%s/gfpoly_peer_ntl <<'END' && "
             "chmod +x %s/gfpoly_peer_ntl\n%s\nEND\n",
             folder, GFP_CLI, folder, folder, folder, peer);
    assert_int_equal(run_shell(script), 0);
}

static void test_other_libraries_are_compared_where_they_are(void **state)
{
    size_t rows = 0;
    (void)state;
    char program_there[4200];
    snprintf(program_there, sizeof(program_there), "%.*s/gfpoly_peer_flint",
             (int)(strrchr(GFP_CLI, '/') - GFP_CLI), GFP_CLI);
    if (!is_there(program_there)) {
        print_message("skipped: built without FLINT\n");
        skip();
    }
    expect("compare --field p4 --min-len 2 --max-len 8 --points-per-octave 1 --max-seconds 1 "
           "--methods classical,FLINT -o peers",
           0, NULL);
    assert_int_equal(check_data("peers", &rows), 6);
    assert_int_equal(rows, 6);
    assert_true(find_row("peers", "FLINT", 8)->min_ns > 0);
    (void)slurp("peers/compare.json", text, sizeof(text));
    const char *version = strstr(value_of(text, "peers"), "\"version\": \"");
    assert_non_null(version);
    assert_true(version[12] >= '2' && version[12] <= '9');
    /* Other libraries take no part in other operations or on several threads. */
    expect("compare --field p4 --max-len 4 --methods FLINT --operation square", 2,
           "unknown method 'FLINT'");
    expect("compare --field p4 --max-len 4 --methods FLINT --threads 2", 2,
           "unknown method 'FLINT'");
}

/* A program that does not answer is not found; one that ends early is left out; one that computes
 * another product is an error. */
static void test_other_libraries_may_fail(void **state)
{
    size_t rows = 0;
    (void)state;
    program = "./copy/gfpoly";
    use_copy("copy", "#!/bin/sh\nexit 1");
    expect("compare --field p4 --max-len 4 --methods NTL", 2, "unknown method 'NTL'");
    /* magic, name, version, runs, min, median, spread: of 1 run, then zeros. */
    use_copy("copy", "#!/bin/sh\n"
                     "printf 'gfppeer2NTL'\nhead -c 13 /dev/zero\nprintf '0.0'\n"
                     "head -c 45 /dev/zero\n"
                     "printf '\\001\\0\\0\\0\\0\\0\\0\\0'\n"
                     "printf '\\001\\0\\0\\0\\0\\0\\0\\0'\n"
                     "printf '\\001\\0\\0\\0\\0\\0\\0\\0'\nhead -c 8 /dev/zero\n"
                     "cat >/dev/null\n"
                     "[ -e cut ] || head -c 100000 /dev/zero");
    expect("compare --field p4 --min-len 4 --max-len 4 --methods classical,NTL -o wrongpeer", 1,
           "wrong result: NTL at 4 terms");
    assert_false(is_there("wrongpeer/compare.csv"));
    put_file("cut", "");
    expect("compare --field p4 --min-len 4 --max-len 4 --max-seconds 1 --methods classical,NTL -o "
           "cutpeer",
           0, NULL);
    program = GFP_CLI;
    assert_int_equal(check_data("cutpeer", &rows), 1);
    assert_non_null(strstr(out, "NTL at 4 terms: failed: ended without an answer"));
}

/* The caller's libraries for LD_PRELOAD are not preloaded for other libraries. */
static void test_other_libraries_run_without_preloads(void **state)
{
    char seen[100];
    (void)state;
    if (SANITIZED) {
        skip(); /* the sanitizer must be loaded first */
    }
    program = "./preloads/gfpoly";
    use_copy("preloads", "#!/bin/sh\necho \"<$LD_PRELOAD>\" >seen\nexit 1");
    assert_int_equal(setenv("LD_PRELOAD", "libm.so.6", 1), 0);
    expect("compare --field p4 --max-len 4 --methods NTL", 2, "unknown method 'NTL'");
    assert_int_equal(unsetenv("LD_PRELOAD"), 0);
    program = GFP_CLI;
    (void)slurp("seen", seen, sizeof(seen));
    assert_string_equal(seen, "<>\n");
}

static void test_an_interrupt_keeps_complete_lengths(void **state)
{
    const char *const arguments[] = {"compare",     "--field", "p8",        "--max-seconds", "6",
                                     "--min-len",   "16",      "--methods", "hybrid,bigfft", "-o",
                                     "interrupted", NULL};
    size_t rows = 0;
    (void)state;
    pid_t pid = start(arguments);
    (void)sleep(1);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(wait_for(pid), 1);
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    assert_non_null(strstr(err, "interrupted after "));
    assert_true(check_data("interrupted", &rows) >= 2);
    assert_int_equal(rows % 2, 0);
    assert_true(rows < 2 * 25);
    assert_int_equal(count_files("interrupted", ".gfpoly-"), 0);
}

/* The command hands the signal on to the process of the level. */
static void test_an_interrupted_map_keeps_complete_lengths(void **state)
{
    const char *const arguments[] = {
        "compare", "--fields",      "p4", "--levels", "portable",        "--points-per-octave",
        "1",       "--max-seconds", "4",  "-o",       "interrupted_map", NULL};
    (void)state;
    pid_t pid = start(arguments);
    (void)sleep(1);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(wait_for(pid), 1);
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    assert_non_null(strstr(err, "interrupted after "));
    (void)slurp("interrupted_map/compare.csv", text, sizeof(text));
    assert_non_null(strstr(text, "\nproduct,16,p4 portable,auto,"));
    assert_null(strstr(text, "\nproduct,65536,"));
    assert_int_equal(count_files("interrupted_map", ".gfpoly-"), 0);
}

static void test_other_signals_leave_the_old_files(void **state)
{
    const char *const arguments[] = {"compare", "--field", "p8", "-o", "killed", NULL};
    (void)state;
    assert_int_equal(mkdir("killed", 0755), 0);
    put_file("killed/compare.csv", "old\n");
    pid_t pid = start(arguments);
    const struct timespec t = {.tv_nsec = 300000000};
    (void)nanosleep(&t, NULL);
    assert_int_equal(kill(pid, SIGQUIT), 0);
    assert_int_equal(wait_for(pid), 128 + SIGQUIT);
    assert_file("killed/compare.csv", "old\n");
    assert_int_equal(count_files("killed", "compare."), 1);
    assert_int_equal(count_files("killed", ".gfpoly-"), 0);
}

/* ---- the terminal ---- */

static void test_the_plot_is_gnuplots(void **state)
{
    (void)state;
    if (!have_gnuplot()) {
        print_message("skipped: no gnuplot\n");
        skip();
    }
    expect("compare --field p4 --min-len 2 --max-len 16 --max-seconds 0.05 --methods "
           "classical,hybrid",
           0, NULL);
    for (const char *c = out; *c != '\0'; c++) {
        assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
    }
    assert_non_null(strstr(out, "+-----"));
    assert_non_null(strstr(out, "classical ***A***"));
    assert_non_null(strstr(out, "hybrid ###B###"));
    /* One length: nothing for gnuplot to complain of. */
    expect("compare --field p4 --min-len 8 --max-len 8 --max-seconds 0.05 --methods "
           "classical,hybrid -o one",
           0, NULL);
    assert_string_equal(err, "");
    assert_non_null(strstr(out, "+-----"));
}

/* Unless the environment allows it, for tests. */
static void test_a_build_that_is_slow_is_refused(void **state)
{
    (void)state;
#if defined(GFP_SANITIZED)
    const bool slow = true;
#else
    const bool slow = !gfp_build_get_info()->optimised;
#endif
    assert_int_equal(unsetenv("GFPOLY_ALLOW_DEBUG"), 0);
    if (slow) {
        expect("compare --field p4 -o slow", 1, "compare: this gfpoly was built with");
        expect("tune --quick --field p4 -o slow", 1, "tune: this gfpoly was built with");
    } else {
        expect("compare --field p4 --max-len 2", 0, NULL);
    }
    assert_false(is_there("slow"));
    assert_int_equal(setenv("GFPOLY_ALLOW_DEBUG", "1", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_and_terminal_tell_the_same),
        cmocka_unit_test(test_methods_and_operations_are_those_asked_for),
        cmocka_unit_test(test_what_is_lost_is_left_out_and_said),
        cmocka_unit_test(test_a_length_that_memory_is_too_short_for_is_left_out),
        cmocka_unit_test(test_pictures_name_the_crossovers),
        cmocka_unit_test(test_without_gnuplot_the_data_are_there),
        cmocka_unit_test(test_a_gnuplot_that_fails_is_reported),
        cmocka_unit_test(test_a_method_that_fails_is_left_out),
        cmocka_unit_test(test_a_time_that_breaks_its_curve_is_measured_again),
        cmocka_unit_test(test_a_time_that_stays_is_marked),
        cmocka_unit_test(test_no_method_is_left_out_for_one_bad_time),
        cmocka_unit_test(test_times_of_one_thread_are_its_own),
        cmocka_unit_test(test_other_libraries_are_compared_where_they_are),
        cmocka_unit_test(test_other_libraries_may_fail),
        cmocka_unit_test(test_other_libraries_run_without_preloads),
        cmocka_unit_test(test_an_interrupt_keeps_complete_lengths),
        cmocka_unit_test(test_an_interrupted_map_keeps_complete_lengths),
        cmocka_unit_test(test_other_signals_leave_the_old_files),
        cmocka_unit_test(test_the_plot_is_gnuplots),
        cmocka_unit_test(test_a_build_that_is_slow_is_refused),
    };
    return cmocka_run_group_tests_name("cli_compare", tests, enter_empty_folder, leave_folder);
}
