/* device.c: subcommands whose whole computation a GPU does (--method NAME_gpu): results
 * are those of the CPU, checks, reports, failures. Over the backend `host'
 * (tests/lab/fake_device/use.c) or, if the environment variable GFPOLY_TEST_DEVICE is "real", on
 * the device of this machine.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/process.h"

static bool real_device(void)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, "real") == 0;
}

/* From now on the command has a device, or none. */
static void use_device(bool on)
{
    program = on && !real_device() ? GFP_CLI_FAKE_DEVICE : GFP_CLI;
    assert_int_equal(setenv("GFPOLY_GPU", on ? "" : "off", 1), 0);
}

static int leave_device(void **state)
{
    (void)state;
    program = GFP_CLI;
    (void)unsetenv("FAKE_DEVICE");
    (void)unsetenv("FAKE_GPU_FAIL_AT");
    return setenv("GFPOLY_GPU", "off", 1);
}

/* Skips a test where the device is the machine's and there is none. */
static void need_device(void)
{
    put_file("a.txt", "3 17  1 2 3\n");
    if (real_device()) {
        use_device(true);
        if (run("divrem a.txt a.txt -q q.txt --method bigfft_gpu") == 2 &&
            strstr(err, "unknown") == NULL) {
            use_device(false);
            skip();
        }
    }
}

/* Lines that write to the file o. */
static const char *const lines[] = {
    "divrem a.txt b.txt -q o",
    "divrem a.txt b.txt -r o",
    "divrem b.txt a.txt -r o",
    "gcd ac.txt bc.txt -o o",
    "gcd ac.txt zero.txt -o o",
    "powmod --base x --exponent 0x1234567 --modulus b.txt -o o",
    "powmod --base a.txt --exponent 77 --modulus b.txt -o o",
    "powmod --base a.txt --exponent 0 --modulus b.txt -o o",
    "series inverse a.txt --terms 90 -o o",
    "series quotient a.txt b.txt --terms 90 -o o",
    "series shift a.txt --point -7 -o o",
    "series shift a.txt --point 12345678901234567890123 --terms 9 -o o",
    "multieval a.txt x.txt -o o",
    "multieval c.txt x.txt --count 40 -o o",
    "interp x.txt c.txt -o o",
};
#define LINES (sizeof(lines) / sizeof(lines[0]))

static void make_operands(const char *field)
{
    static const struct {
        const char *name;
        unsigned len;
    } files[] = {{"a", 70}, {"b", 30}, {"c", 12}, {"x", 39}};
    char line[300];
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(line, sizeof(line), "random --field %s --len %u --seed %zu -o %s.txt", field,
                 files[i].len, i + 1, files[i].name);
        expect(line, 0, NULL);
    }
    expect("mul a.txt c.txt -o ac.txt", 0, NULL);
    expect("mul b.txt c.txt -o bc.txt", 0, NULL);
    expect("sub a.txt a.txt -o zero.txt", 0, NULL);
}

static void test_results_are_those_of_the_cpu(void **state)
{
    static const char *const fields[] = {"p8", "p2"};
    static const char *const methods[] = {"hybrid_gpu", "bigfft_gpu --verify none"};
    char line[300];
    (void)state;
    need_device();
    for (size_t f = 0; f < 2; f++) {
        use_device(false);
        make_operands(fields[f]);
        for (size_t i = 0; i < LINES; i++) {
            use_device(false);
            expect(lines[i], 0, NULL);
            assert_int_equal(run_shell("mv o expected"), 0);
            for (size_t j = 0; j < 2; j++) {
                use_device(true);
                snprintf(line, sizeof(line), "%s --method %s", lines[i], methods[j]);
                expect(line, 0, NULL);
                assert_int_equal(run_shell("cmp o expected"), 0);
            }
        }
        use_device(false);
        expect("resultant a.txt b.txt", 0, NULL);
        char expected[2000];
        assert_true(strlen(out) < sizeof(expected));
        memcpy(expected, out, strlen(out) + 1);
        use_device(true);
        expect_output("resultant a.txt b.txt --method hybrid_gpu", expected);
        expect_output("resultant ac.txt bc.txt --method hybrid_gpu", "0\n");
    }
    assert_no_temporary();
}

static void expect_member(const char *member)
{
    if (strstr(out, member) == NULL) {
        print_error("no %s in %s\n", member, out);
    }
    assert_non_null(strstr(out, member));
}

static void test_reports(void **state)
{
    char line[300];
    (void)state;
    need_device();
    use_device(false);
    make_operands("p8");
    use_device(true);
    for (size_t i = 0; i < LINES; i++) {
        snprintf(line, sizeof(line), "%s --method hybrid_gpu --json", lines[i]);
        expect(line, 0, NULL);
        expect_member("\"method\": \"hybrid_gpu\",");
        expect_member("\"verified\": \"point\",");
        if (strstr(line, "divrem b.txt") == NULL) { /* a remainder that is the dividend */
            assert_null(strstr(out, "\"points\": 0,"));
            expect_member("\"log2_error\": -");
        }
        assert_null(strstr(out, "\"compute_ns\": 0,"));
        snprintf(line, sizeof(line), "%s --method hybrid_gpu --json --verify none", lines[i]);
        expect(line, 0, NULL);
        expect_member("\"verified\": \"none\",");
        expect_member("\"points\": 0,");
        snprintf(line, sizeof(line), "%s --method hybrid_gpu --verify full", lines[i]);
        expect(line, 2, "--verify full: results on a GPU are checked at points");
    }
}

static void test_impossible_results(void **state)
{
    static const struct {
        const char *line, *message;
        int code;
    } cases[] = {
        {"divrem a.txt zero.txt -q new", "division by 0: B (zero.txt) is 0", 1},
        {"series inverse zero.txt --terms 5 -o new", "the constant term of the divisor is 0", 1},
        {"series quotient a.txt zero.txt --terms 5 -o new", "", 1},
        {"powmod --base x --exponent 5 --modulus zero.txt -o new",
         "division by 0: the modulus (zero.txt) is 0", 1},
        {"powmod --base x --exponent 5 --modulus one.txt -o new", "", 1},
        {"interp twice.txt a.txt --count 70 -o new", "are equal", 1},
        {"multieval a.txt twice.txt -o new", "equal points", 2},
        {"divrem a.txt b.txt -q new --gpu-device 63", "device", 2},
        {"divrem a.txt b.txt -q new --gpu-memory 1K", "cap of 1024", 1},
    };
    char line[300];
    (void)state;
    need_device();
    use_device(false);
    make_operands("p8");
    put_file("one.ntl", "[3]");
    put_file("twice.ntl", "[5 6 5]");
    expect("convert one.ntl --field p8 --format flint -o one.txt", 0, NULL);
    expect("convert twice.ntl --field p8 --format flint -o twice.txt", 0, NULL);
    use_device(true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(line, sizeof(line), "%s --method hybrid_gpu", cases[i].line);
        expect(line, cases[i].code, cases[i].message);
        assert_string_equal(out, "");
    }
    /* Equal points have values. */
    expect("multieval a.txt twice.txt -o y.txt", 0, NULL);
    expect("multieval a.txt twice.txt -o z.txt --method hybrid_gpu --verify none", 0, NULL);
    assert_int_equal(run_shell("cmp y.txt z.txt"), 0);
    assert_int_equal(count_files(".", "new"), 0);
    assert_no_temporary();
}

/* A device that fails at one of its calls leaves the old file. */
static void test_failing_devices(void **state)
{
    char line[300], number[20];
    (void)state;
    if (real_device()) {
        skip();
    }
    use_device(false);
    make_operands("p8");
    put_file("o", "old contents\n");
    use_device(true);
    for (size_t i = 0; i < LINES; i++) {
        snprintf(line, sizeof(line), "%s --method hybrid_gpu", lines[i]);
        for (unsigned n = 1; n < 100; n = 3 * n + 1) {
            snprintf(number, sizeof(number), "%u", n);
            assert_int_equal(setenv("FAKE_GPU_FAIL_AT", number, 1), 0);
            const int code = run(line);
            if (code == 0) { /* fewer calls */
                break;
            }
            assert_int_equal(code, 1);
            assert_true(strstr(err, "made to fail") || strstr(err, "device does not answer"));
            assert_file("o", "old contents\n");
        }
        assert_int_equal(unsetenv("FAKE_GPU_FAIL_AT"), 0);
        put_file("o", "old contents\n");
    }
    assert_no_temporary();
}

static void test_without_a_device(void **state)
{
    char line[300];
    (void)state;
    use_device(false);
    make_operands("p8");
    put_file("o", "old contents\n");
    for (size_t i = 0; i < LINES; i++) {
        snprintf(line, sizeof(line), "%s --method hybrid_gpu", lines[i]);
        assert_int_equal(run(line), 2);
        if (strstr(err, "without CUDA") == NULL && strstr(err, "GFPOLY_GPU") == NULL &&
            strstr(err, "device") == NULL) {
            fail_msg("%s: %s", line, err);
        }
    }
    assert_file("o", "old contents\n");
}

/* Times of one thread and of a device are told apart; no ratio is 0. */
static void test_demo_names_the_device(void **state)
{
    (void)state;
    need_device();
    use_device(true);
    assert_int_equal(run("demo --field p2 --len 4096"), 0);
    const char *pick = strstr(out, "  pick: ");
    assert_non_null(pick);
    const bool on_gpu = memchr(pick, '_', strcspn(pick, ",\n")) != NULL;
    assert_true(on_gpu || real_device());
    if (on_gpu != (strstr(pick, "_gpu, on the GPU, by the clock\n") != NULL)) {
        fail_msg("%s", out);
    }
    assert_null(strstr(out, " 0.00\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_results_are_those_of_the_cpu, leave_device),
        cmocka_unit_test_teardown(test_reports, leave_device),
        cmocka_unit_test_teardown(test_impossible_results, leave_device),
        cmocka_unit_test_teardown(test_failing_devices, leave_device),
        cmocka_unit_test_teardown(test_without_a_device, leave_device),
        cmocka_unit_test_teardown(test_demo_names_the_device, leave_device),
    };
    return cmocka_run_group_tests_name("cli_device", tests, enter_empty_folder, leave_folder);
}
