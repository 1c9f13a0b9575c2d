/* tune.c: tuning by the command: `tune` as a process, on a terminal and off, its
 * interruption, its file, and the use of the file by other commands.
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

#include "lab/tunings.h"
#include "gfpoly.h"
#include "gfpoly/gpu.h"
#include "gfpoly/tuning.h"
#include "lab/process.h"
#include "product/choose/tuning.h"

/* Writes a tuning of this machine in which `fastest` takes almost no time over p4 and the other
 * methods take long. */
static void put_tuning(const char *path, const char *fastest)
{
    gfp_field *field = NULL;
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_field_create(&field, "p4", NULL, NULL), GFP_OK);
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    for (size_t i = 0; i < gfp_method_count(); i++) {
        const char *name = gfp_method_name(i);
        double ns = strcmp(name, fastest) == 0 ? 10 : 1e9;
        assert_int_equal(lab_tuning_set(tuning, field, 64, name, ns), GFP_OK);
    }
    assert_int_equal(lab_tuning_save(tuning, path), GFP_OK);
    gfp_tuning_destroy(tuning);
    gfp_field_destroy(field);
}

static gfp_tuning *tune_load(const char *path)
{
    gfp_tuning *tuning = NULL;
    gfp_error error = {.message = ""};
    if (gfp_tuning_load(&tuning, path, NULL, &error) != GFP_OK) {
        fail_msg("%s:%d: %s", path, (int)error.line, error.message);
    }
    assert_int_equal(gfp_tuning_check(tuning, NULL), GFP_OK);
    return tuning;
}

/* Rows of this k. */
static size_t count_rows(const gfp_tuning *tuning, unsigned k)
{
    size_t n = 0;
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        gfp_tuning_row row = {0};
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        n += row.k == k;
    }
    return n;
}

/* Checks that the file has of_p4 rows of p4 and at least of_p8 rows of p8. */
static void expect_rows(const char *path, size_t of_p4, size_t of_p8)
{
    gfp_tuning *tuning = tune_load(path);
    assert_int_equal(count_rows(tuning, 4), of_p4);
    assert_true(count_rows(tuning, 8) >= of_p8);
    gfp_tuning_destroy(tuning);
}

/* Replaces the first `from` in the file by `to`, of equal length. */
static void tune_damage(const char *path, const char *from, const char *to)
{
    static char text[1 << 16];
    size_t length = slurp(path, text, sizeof(text));
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    put_bytes(path, text, length);
}

/* ---- reading ---- */

static void expect_pick(const char *line, const char *pick, const char *costs)
{
    char expected[300];
    expect(line, 0, NULL);
    snprintf(expected, sizeof(expected), "\npick: %s (costs: %s)\n", pick, costs);
    assert_non_null(strstr(out, expected));
}

static void test_a_tuning_decides_the_pick(void **state)
{
    (void)state;
    put_tuning("flint.tune", "flint");
    put_tuning("karatsuba.tune", "karatsuba");
    expect_pick("methods --field p4 --len 64 --tuning karatsuba.tune", "karatsuba",
                "karatsuba.tune");
    assert_string_equal(err, "");
    if (gfp_build_get_info()->flint[0] != '\0') {
        expect_pick("methods --field p4 --len 64 --tuning flint.tune", "flint", "flint.tune");
    }
    expect_pick("methods --field p4 --len 2 --tuning none", "classical", "built-in");
    expect_pick("methods --field p2 --len 2 --tuning karatsuba.tune", "classical",
                "built-in; karatsuba.tune has none for this field");
    /* The fixed cost of a product by residues counts for short factors. */
    expect_pick("methods --field 165685816^8+1 --len 1 --tuning none", "classical", "built-in");
    expect_pick("methods --field 165685816^8+1 --len 64 --tuning none", "crt", "built-in");
    /* The source of measured operations, and of operations that tune does not measure. */
    expect("methods --field p4 --len 64 --json --tuning karatsuba.tune", 0, NULL);
    assert_non_null(strstr(out, "\"source\": \"measured\""));
    static const char *const unmeasured[] = {"high", "batch", "file"};
    for (size_t i = 0; i < sizeof(unmeasured) / sizeof(unmeasured[0]); i++) {
        char line[200];
        snprintf(line, sizeof(line),
                 "methods --field p4 --len 64 --json --operation %s --tuning karatsuba.tune",
                 unmeasured[i]);
        expect(line, 0, NULL);
        assert_null(strstr(out, "\"measured\""));
        assert_non_null(strstr(out, "\"source\": \"derived\""));
    }
    /* The other commands: mul names its method, demo its pick. */
    expect("random --field p4 --len 64 --seed 1 -o a.txt", 0, NULL);
    expect("mul a.txt a.txt --json --tuning karatsuba.tune", 0, NULL);
    assert_non_null(strstr(out, "\"method\": \"karatsuba\""));
    expect("demo --field p4 --len 64 --tuning karatsuba.tune", 0, NULL);
    assert_non_null(strstr(out, "pick: karatsuba\n"));
}

static void expect_warning(const char *line, const char *reason)
{
    expect(line, 0, reason);
    assert_int_equal(strncmp(err, "gfpoly: warning: ", 17), 0);
    assert_non_null(strstr(err, "the built-in costs are used"));
    /* One line, even where several fields are computed with. */
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

static void test_files_that_do_not_fit_cost_a_warning(void **state)
{
    (void)state;
    put_tuning("stale.tune", "karatsuba");
    tune_damage("stale.tune", "karatsuba=1", "karatsuba=7");
    expect_warning("methods --field p4 --len 2 --tuning stale.tune",
                   "stale.tune: stale: the method karatsuba had revision 7");
    assert_non_null(strstr(out, "(costs: built-in)\n"));
    expect_warning("demo --field p4 --field p2 --len 2 --tuning stale.tune", "stale");
    put_tuning("bad.tune", "karatsuba");
    tune_damage("bad.tune", "field k=4", "field k=5");
    expect("random --field p4 --len 2 --seed 1 -o two.txt", 0, NULL);
    expect_warning("mul two.txt two.txt --tuning stale.tune", "stale.tune: stale: ");
    /* A named file must be a tuning for every subcommand. */
    put_file("version.tune", "gfpoly-tuning 1\n");
    put_file("empty.tune", "");
    static const struct {
        const char *file, *message;
    } bad[] = {{"bad.tune", "bad.tune:5: k is no power of two"},
               {"two.txt", "two.txt:1: "},
               {"version.tune", "version.tune:1: version 1 of the format"},
               {"empty.tune", "empty.tune:1: "},
               {".", ".: cannot read"},
               {"two.txt/x", "two.txt/x: cannot open"},
               {"absent", "absent: cannot open"}};
    static const char *const verbs[] = {"methods --field p4 --len 2", "mul two.txt two.txt",
                                        "demo --field p4 --len 2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        for (size_t j = 0; j < sizeof(verbs) / sizeof(verbs[0]); j++) {
            char line[200];
            snprintf(line, sizeof(line), "%s --tuning %s", verbs[j], bad[i].file);
            expect(line, 2, bad[i].message);
            assert_string_equal(out, "");
        }
    }
}

/* Makes the folder of the user's file. */
static void use_config(const char *name)
{
    char path[4096];
    assert_non_null(getcwd(path, sizeof(path) - 100));
    snprintf(path + strlen(path), 100, "/%s", name);
    assert_int_equal(setenv("XDG_CONFIG_HOME", path, 1), 0);
}

static int reset_environment(void **state)
{
    (void)state;
    (void)unsetenv("HOME");
    return setenv("XDG_CONFIG_HOME", NO_FOLDER, 1);
}

static void test_the_users_file_is_read(void **state)
{
    char home[4096];
    (void)state;
    expect_pick("methods --field p4 --len 2", "classical", "built-in");
    assert_string_equal(err, "");
    use_config("config");
    assert_int_equal(mkdir("config", 0755), 0);
    assert_int_equal(mkdir("config/gfpoly", 0755), 0);
    put_tuning("config/gfpoly/tuning", "karatsuba");
    expect("methods --field p4 --len 64", 0, NULL);
    assert_non_null(strstr(out, "\npick: karatsuba (costs: /"));
    expect("methods --field p4 --len 64 --tuning none", 0, NULL);
    assert_non_null(strstr(out, "(costs: built-in)"));
    tune_damage("config/gfpoly/tuning", "gfpoly-tuning 4", "gfpoly-tuning 2");
    expect_warning("methods --field p4 --len 2", "tuning:1: version 2 of the format");
    /* Under HOME where XDG_CONFIG_HOME is not set, empty, or relative. */
    assert_int_equal(mkdir("home", 0755), 0);
    assert_int_equal(mkdir("home/.config", 0755), 0);
    assert_int_equal(mkdir("home/.config/gfpoly", 0755), 0);
    put_tuning("home/.config/gfpoly/tuning", "karatsuba");
    assert_non_null(getcwd(home, sizeof(home) - 10));
    strcat(home, "/home");
    assert_int_equal(setenv("HOME", home, 1), 0);
    static const char *const useless[] = {"", "config"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(setenv("XDG_CONFIG_HOME", useless[i], 1), 0);
        expect("methods --field p4 --len 64", 0, NULL);
        assert_non_null(strstr(out, "/home/.config/gfpoly/tuning)\n"));
    }
    assert_int_equal(unsetenv("HOME"), 0);
    expect_pick("methods --field p4 --len 2", "classical", "built-in");
    assert_string_equal(err, "");
}

/* ---- measuring ---- */

static void test_tune_writes_the_users_file(void **state)
{
    struct stat status;
    (void)state;
    use_config("new");
    expect("tune --quick --field p2 --operation product", 0, NULL);
    assert_string_equal(err, ""); /* no bar without a terminal */
    assert_non_null(strstr(out, "/new/gfpoly/tuning: "));
    assert_int_equal(stat("new/gfpoly", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_int_equal(stat("new", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    gfp_tuning *tuning = tune_load("new/gfpoly/tuning");
    size_t rows = count_rows(tuning, 2);
    assert_true(rows >= 4 && rows == gfp_tuning_count(tuning));
    gfp_tuning_destroy(tuning);
    expect("methods --field p2 --len 64", 0, NULL);
    assert_non_null(strstr(out, "/new/gfpoly/tuning)\n"));
    assert_string_equal(err, "");
}

/* Whether the command uses a GPU. */
static bool has_gpu(void)
{
    const char *setting = getenv("GFPOLY_GPU");
    if (setting != NULL && strcmp(setting, "off") == 0) {
        return false;
    }
    gfp_gpu *gpu = NULL;
    const bool there = gfp_gpu_create(&gpu, NULL, NULL) == GFP_OK;
    gfp_gpu_destroy(gpu);
    return there;
}

static void test_tune_merges_or_replaces(void **state)
{
    (void)state;
    put_tuning("merged.tune", "karatsuba"); /* one row of p4 */
    expect("tune --quick --field 17 --field 17 --operation product --merge -o merged.tune", 0,
           NULL);
    gfp_tuning *tuning = tune_load("merged.tune");
    assert_int_equal(count_rows(tuning, 4), 1);
    assert_true(count_rows(tuning, 2) >= 3);
    gfp_tuning_destroy(tuning);
    expect("tune --quick --field 17 --operation product -o merged.tune", 0, NULL);
    assert_non_null(
        strstr(out, "merged.tune: ")); /* and the reason why there is no GPU, if there is none */
    assert_true((strstr(out, "\nwithout a GPU: ") == NULL) == has_gpu());
    tuning = tune_load("merged.tune");
    assert_int_equal(count_rows(tuning, 4), 0);
    assert_true(count_rows(tuning, 2) >= 3 && count_rows(tuning, 2) == gfp_tuning_count(tuning));
    gfp_tuning_destroy(tuning);
    /* A file that does not fit is not merged; the file stays. */
    put_tuning("old.tune", "karatsuba");
    tune_damage("old.tune", "karatsuba=1", "karatsuba=7");
    expect("tune --quick --field 17 --merge -o old.tune", 2, "old.tune: stale: the method");
    assert_non_null(strstr(err, "; without --merge the file is replaced"));
    expect("tune --quick --field 17 --resume -o old.tune", 2, "; without --resume the file is");
    tune_damage("old.tune", "field k=4", "field k=5");
    expect("tune --quick --field 17 --merge -o old.tune", 2, "old.tune:5: k is no power");
    assert_no_temporary();
}

/* Times of the file are not measured again. */
static void test_tune_resumes(void **state)
{
    static const char line[] =
        "tune --quick --field 17 --operation product --resume -o resumed.tune";
    (void)state;
    put_tuning("resumed.tune", "karatsuba"); /* one row of p4 */
    expect(line, 0, NULL);
    gfp_tuning *tuning = tune_load("resumed.tune");
    assert_int_equal(count_rows(tuning, 4), 1);
    const size_t rows = count_rows(tuning, 2);
    assert_true(rows >= 3);
    gfp_tuning_row row = {.k = 0};
    assert_int_equal(gfp_tuning_get_row(tuning, 0, &row), GFP_OK);
    assert_int_equal(row.len, 4);
    assert_int_equal(gfp_tuning_set_row(tuning, &row, "karatsuba", 123), GFP_OK);
    assert_int_equal(gfp_tuning_get_row(tuning, 1, &row), GFP_OK);
    assert_int_equal(gfp_tuning_set_row(tuning, &row, "karatsuba", 0), GFP_OK);
    assert_int_equal(lab_tuning_save(tuning, "resumed.tune"), GFP_OK);
    gfp_tuning_destroy(tuning);
    expect(line, 0, NULL);
    assert_non_null(strstr(out, "resumed.tune: 1 length measured, "));
    tuning = tune_load("resumed.tune");
    assert_int_equal(count_rows(tuning, 2), rows);
    assert_true(gfp_tuning_get_ns(tuning, 0, "karatsuba") == 123);
    assert_true(gfp_tuning_get_ns(tuning, 1, "karatsuba") > 0);
    gfp_tuning_destroy(tuning);
    expect(line, 0, NULL);
    assert_non_null(strstr(out, "resumed.tune: nothing is left to measure\n"));
    assert_no_temporary();
}

static void test_tune_measures_what_is_asked(void **state)
{
    (void)state;
    expect("tune --quick --field 17 --operation operand --threads 2 -o asked.tune", 0, NULL);
    gfp_tuning *tuning = tune_load("asked.tune");
    size_t with[3] = {0};
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        gfp_tuning_row row = {0};
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        assert_int_equal(row.operation, GFP_OPERATION_OPERAND);
        assert_in_range(row.threads, 1, 2);
        with[row.threads]++;
    }
    /* Two threads only for methods that use two. */
    assert_true(with[1] >= 3 && (with[2] >= 1 || !gfp_build_get_info()->threads));
    gfp_tuning_destroy(tuning);
    expect("methods --field 17 --len 16 --operation operand --threads 2 --explain "
           "--tuning asked.tune",
           0, NULL);
    assert_non_null(strstr(out, "measured costs"));
    assert_non_null(strstr(out, "\nby the built-in costs: "));
    /* The file's times on one thread show which methods use two. */
    expect("tune --quick --field 17 --operation operand --threads 2 --resume -o asked.tune", 0,
           NULL);
    assert_non_null(strstr(out, "asked.tune: nothing is left to measure\n"));
    assert_int_equal(unlink("asked.tune"), 0);
}

/* The operations of a file's rows, as bits. */
static unsigned operations_of(const char *path)
{
    unsigned operations = 0;
    gfp_tuning *tuning = tune_load(path);
    for (size_t i = 0; i < gfp_tuning_count(tuning); i++) {
        gfp_tuning_row row = {0};
        assert_int_equal(gfp_tuning_get_row(tuning, i, &row), GFP_OK);
        operations |= 1U << row.operation;
    }
    gfp_tuning_destroy(tuning);
    return operations;
}

/* --operation may be repeated, and then names them all. */
static void test_tune_measures_all_operations_named(void **state)
{
    (void)state;
    expect("tune --quick --field 17 --operation square --operation low --operation square "
           "-o several.tune",
           0, NULL);
    assert_int_equal(operations_of("several.tune"),
                     1U << GFP_OPERATION_SQUARE | 1U << GFP_OPERATION_LOW);
}

static void assert_same_files(const char *path, const char *other)
{
    static char text[1 << 16], expected[1 << 16];
    const size_t length = slurp(path, text, sizeof(text));
    assert_true(length > 0);
    assert_int_equal(slurp(other, expected, sizeof(expected)), length);
    assert_memory_equal(text, expected, length);
}

/* Enters lines of earlier versions before the last one. */
static void add_old_lines(const char *path)
{
    static const char lines[] = "threshold half_gcd k=8 24\nfactor z_big 1000\nend\n";
    static char text[1 << 16];
    const size_t length = slurp(path, text, sizeof text) - strlen("end\n");
    assert_memory_equal(text + length, "end\n", strlen("end\n"));
    memcpy(text + length, lines, sizeof lines);
    put_bytes(path, text, length + sizeof lines - 1);
}

/* Thresholds are compiled in: lines of earlier versions are skipped with a note, also in a merge,
 * which drops them. */
static void test_tune_knows_no_thresholds(void **state)
{
    (void)state;
    expect("tune --quick --field 17 --operation product -o t.tune", 0, NULL);
    add_old_lines("t.tune");
    expect("random --field p2 --len 300 --seed 1 -o a.txt", 0, NULL);
    expect("random --field p2 --len 200 --seed 2 -o b.txt", 0, NULL);
    expect("divrem a.txt b.txt -q q1.txt -r r1.txt --tuning t.tune", 0,
           "note: t.tune: 2 lines of thresholds and factors, which are compiled in now, are "
           "skipped");
    expect("divrem a.txt b.txt -q q2.txt -r r2.txt --tuning none", 0, NULL);
    assert_same_files("q1.txt", "q2.txt");
    assert_same_files("r1.txt", "r2.txt");
    expect("tune --quick --field 17 --operation product --merge -o t.tune", 0,
           "note: t.tune: 2 lines");
    expect("divrem a.txt b.txt -q q1.txt -r r1.txt -f --tuning t.tune", 0, NULL);
    assert_string_equal(err, "");
}

/* ---- interruption ---- */

static void pause_briefly(void)
{
    const struct timespec t = {.tv_nsec = 5000000};
    (void)nanosleep(&t, NULL);
}

/* Starts a measurement and waits for the temporary file. */
static pid_t start_measuring(const char *const *arguments)
{
    pid_t pid = start(arguments);
    assert_true(wait_for_output(pid));
    return pid;
}

/* Sends a measurement the signal after some seconds. */
static int tune_interrupt(const char *const *arguments, int number, unsigned after)
{
    pid_t pid = start_measuring(arguments);
    pause_briefly();
    (void)sleep(after);
    assert_int_equal(kill(pid, number), 0);
    int code = wait_for(pid);
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    assert_no_temporary();
    return code;
}

static void test_an_interrupt_keeps_what_was_measured(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const char *const merging[] = {"tune", "--field", "p8", "--merge", "-o", "kept.tune", NULL};
    const char *const replacing[] = {"tune", "--field", "p8", "-o", "kept.tune", NULL};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        put_tuning("kept.tune", "karatsuba"); /* one row of p4 */
        assert_int_equal(tune_interrupt(i == 0 ? merging : replacing, signals[i], 2), 1);
        assert_non_null(strstr(err, "interrupted after "));
        assert_non_null(strstr(err, "; --resume measures the rest\n"));
        assert_non_null(
            strstr(err, "kept.tune holds the times measured so far and its earlier ones\n"));
        expect_rows("kept.tune", 1, 1);
    }
}

/* A file that does not fit is replaced. */
static void test_an_interrupt_replaces_what_does_not_fit(void **state)
{
    const char *const arguments[] = {"tune", "--field", "p8", "-o", "unfit.tune", NULL};
    (void)state;
    put_tuning("unfit.tune", "karatsuba");
    tune_damage("unfit.tune", "karatsuba=1", "karatsuba=7");
    assert_int_equal(tune_interrupt(arguments, SIGINT, 2), 1);
    assert_non_null(strstr(err, "unfit.tune holds the times measured so far\n"));
    expect_rows("unfit.tune", 0, 1);
}

static void test_a_merge_keeps_what_another_run_wrote_meanwhile(void **state)
{
    const char *const arguments[] = {"tune",    "--quick", "--field", "p8",        "--operation",
                                     "product", "--merge", "-o",      "both.tune", NULL};
    (void)state;
    pid_t pid = start_measuring(arguments);
    put_tuning("both.tune", "karatsuba"); /* one row of p4 */
    assert_int_equal(wait_for(pid), 0);
    expect_rows("both.tune", 1, 4);
}

/* --resume cannot continue standard output. The signal must come after the first measurement. */
static void test_an_interrupt_of_standard_output(void **state)
{
    const char *const arguments[] = {"tune", "--field", "p8", "-o", "-", NULL};
    (void)state;
    int code = 0;
    process_out[0] = '\0';
    for (unsigned after = 1; after < 16 && out[0] == '\0'; after *= 2) {
        const pid_t pid = start(arguments);
        (void)sleep(after);
        assert_int_equal(kill(pid, SIGINT), 0);
        code = wait_for(pid);
        (void)slurp("stdout.txt", process_out, sizeof(process_out));
    }
    assert_int_equal(code, 1);
    (void)slurp("stderr.txt", process_err, sizeof(process_err));
    assert_non_null(strstr(err, "interrupted after "));
    assert_null(strstr(err, "--resume"));
    expect_rows("stdout.txt", 0, 1);
}

/* Signals that end the command at once, and ignored signals. */
static void test_other_signals_leave_the_old_file(void **state)
{
    const char *const arguments[] = {"tune", "--field", "p8", "-o", "old.txt", NULL};
    (void)state;
    put_file("old.txt", "old contents\n");
    assert_int_equal(tune_interrupt(arguments, SIGQUIT, 0), 128 + SIGQUIT);
    assert_file("old.txt", "old contents\n");
}

/* ---- a GPU that fails ---- */

/* From now on the command runs over the backend `host', see tests/lab/fake_device/use.c. */
static void use_fake_device(const char *fault)
{
    program = GFP_CLI_FAKE_DEVICE;
    assert_int_equal(setenv("FAKE_DEVICE", fault, 1), 0);
    assert_int_equal(setenv("GFPOLY_GPU", "", 1), 0);
}

static int leave_fake_device(void **state)
{
    program = GFP_CLI;
    (void)unsetenv("FAKE_DEVICE");
    (void)setenv("GFPOLY_GPU", "off", 1);
    return reset_environment(state);
}

/* Checks that the file has what was measured before the device was lost, with times of the device's
 * methods, and of_p4 rows of p4. One row, or more on a busy machine, where the device's times may
 * seem so long that the next length does without it. */
static void expect_times_of_the_gpu(const char *path, size_t of_p4)
{
    char text[1 << 16];
    (void)slurp(path, text, sizeof(text));
    assert_non_null(strstr(text, " gpu=\"Fake\" "));
    gfp_tuning *tuning = tune_load(path);
    assert_in_range(count_rows(tuning, 2), 1, 3);
    assert_in_range(count_rows(tuning, 4), of_p4, 3 * of_p4);
    assert_true(gfp_tuning_get_ns(tuning, 0, "hybrid_gpu") > 0);
    assert_true(gfp_tuning_get_ns(tuning, 0, "hybrid") > 0);
    gfp_tuning_destroy(tuning);
}

static void test_what_was_measured_outlives_the_gpu(void **state)
{
    static const char *const more[] = {"", " --merge", " --resume"};
    static const char command[] = "tune --quick --field 17 --operation product";
    char line[200];
    (void)state;
    use_fake_device("lost");
    for (size_t i = 0; i < 3; i++) { /* no file yet */
        (void)unlink("lost.tune");
        snprintf(line, sizeof(line), "%s%s -o lost.tune", command, more[i]);
        expect(line, 1, "made to fail: device");
        assert_non_null(strstr(err, "lost.tune holds the times measured so far\n"));
        expect_times_of_the_gpu("lost.tune", 0);
    }
    expect("tune --quick --field p4 --operation square -o lost.tune", 1, "made to fail: device");
    assert_non_null(
        strstr(err, "lost.tune holds the times measured so far and its earlier ones\n"));
    expect_times_of_the_gpu("lost.tune", 1);
    /* A file that is no tuning, is of another machine, or is of this machine without a GPU cannot
     * be kept. */
    snprintf(line, sizeof(line), "%s -o unkept.tune", command);
    for (size_t i = 0; i < 3; i++) {
        put_tuning("unkept.tune", "karatsuba");
        if (i == 0) {
            put_file("unkept.tune", "nonsense\n");
        } else if (i == 1) {
            tune_damage("unkept.tune", "karatsuba=1", "karatsuba=7");
        }
        expect(line, 1, "made to fail: device");
        assert_non_null(strstr(err, "unkept.tune holds the times measured so far\n"));
        expect_times_of_the_gpu("unkept.tune", 0);
    }
    snprintf(line, sizeof(line), "%s -o -", command);
    expect(line, 1, "made to fail: device");
    put_file("stdout.tune", out);
    expect_times_of_the_gpu("stdout.tune", 0);
    /* A file that cannot be merged into stays. */
    put_file("nonsense.tune", "nonsense\n");
    snprintf(line, sizeof(line), "%s --merge -o nonsense.tune", command);
    expect(line, 2, "nonsense.tune:1: ");
    assert_file("nonsense.tune", "nonsense\n");
    assert_no_temporary();
}

/* The reason why there is no GPU, once; that no method on a GPU serves a field is no such reason.
 */
static void test_tune_says_why_there_is_no_gpu(void **state)
{
    static const char said[] = "\nwithout a GPU: made to fail: memory\n";
    (void)state;
    use_fake_device("full");
    expect("tune --quick --field 17 --operation product -o full.tune", 0, NULL);
    assert_non_null(strstr(out, said));
    expect("tune --quick --field 17 --field 2^2+1 --operation product --resume -o full.tune", 0,
           NULL);
    const char *at = strstr(out, said);
    assert_non_null(at);
    assert_null(strstr(at + strlen(said), "without a GPU"));
    expect("tune --quick --field 17 --operation product --resume -o full.tune", 0, NULL);
    assert_string_equal(
        out, "full.tune: nothing is left to measure\nwithout a GPU: made to fail: memory\n");
    use_fake_device("useless");
    expect("tune --quick --field 17 --operation product -o useless.tune", 0, NULL);
    assert_null(strstr(out, "without a GPU"));
}

/* ---- the terminal ---- */

static void test_a_terminal_shows_a_bar(void **state)
{
    static char text[1 << 16];
    static const char command[] =
        "tune --quick --field 17 --field p2 --operation product -o t.tune";
    (void)state;
    static const struct {
        unsigned short columns;
        size_t width;
    } terminals[] = {{0, 79}, {50, 49}};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(run_on_terminal(command, 2, terminals[i].columns, text, sizeof(text)), 0);
        assert_non_null(strstr(text, "\rp2 "));
        assert_non_null(strstr(text, "[###"));
        assert_non_null(strstr(text, " % "));
        assert_non_null(strstr(text, " left"));
        const char *line = strchr(text, '\r');
        assert_int_equal(strcspn(line + 1, "\r"), terminals[i].width);
        /* Nothing of it stays. */
        assert_string_equal(strrchr(text, '\r'), "\r");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_tuning_decides_the_pick, reset_environment),
        cmocka_unit_test_teardown(test_files_that_do_not_fit_cost_a_warning, reset_environment),
        cmocka_unit_test_teardown(test_the_users_file_is_read, reset_environment),
        cmocka_unit_test_teardown(test_tune_writes_the_users_file, reset_environment),
        cmocka_unit_test_teardown(test_tune_merges_or_replaces, reset_environment),
        cmocka_unit_test_teardown(test_tune_resumes, reset_environment),
        cmocka_unit_test_teardown(test_tune_measures_what_is_asked, reset_environment),
        cmocka_unit_test_teardown(test_tune_measures_all_operations_named, reset_environment),
        cmocka_unit_test_teardown(test_tune_knows_no_thresholds, reset_environment),
        cmocka_unit_test_teardown(test_an_interrupt_keeps_what_was_measured, reset_environment),
        cmocka_unit_test_teardown(test_an_interrupt_replaces_what_does_not_fit, reset_environment),
        cmocka_unit_test_teardown(test_a_merge_keeps_what_another_run_wrote_meanwhile,
                                  reset_environment),
        cmocka_unit_test_teardown(test_other_signals_leave_the_old_file, reset_environment),
        cmocka_unit_test_teardown(test_an_interrupt_of_standard_output, reset_environment),
        cmocka_unit_test_teardown(test_what_was_measured_outlives_the_gpu, leave_fake_device),
        cmocka_unit_test_teardown(test_tune_says_why_there_is_no_gpu, leave_fake_device),
        cmocka_unit_test_teardown(test_a_terminal_shows_a_bar, reset_environment),
    };
    return cmocka_run_group_tests_name("cli_tune", tests, enter_empty_folder, leave_folder);
}
