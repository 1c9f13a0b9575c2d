/* levels.c: kernel levels: the level that a process uses and reports, against the system's
 * list of CPU flags; the environment's choice; equal digits at every level; and tables kept with a
 * field by several threads at once.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "field/base/context.h"
#include "field/base/attachment.h"
#include "field/base/cpu.h"
#include "gfpoly/fft.h"
#include "gfpoly/methods.h"
#include "gfpoly/poly.h"
#include "lab/fixtures.h"

#define LINE 8192
#define THREADS 4

static gfp_level best_level(void)
{
    gfp_level best = GFP_LEVEL_PORTABLE;
    static const gfp_level order[] = {GFP_LEVEL_AVX2, GFP_LEVEL_AVX512DQ, GFP_LEVEL_AVX512IFMA,
                                      GFP_LEVEL_NEON};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        best = gfp_cpu_has(order[i]) ? order[i] : best;
    }
    return best;
}

static void levels_are_ordered_and_named(void **state)
{
    (void)state;
    assert_true(gfp_cpu_has(GFP_LEVEL_PORTABLE));
    assert_false(gfp_cpu_has(GFP_LEVEL_COUNT));
    assert_false(gfp_cpu_level_force(GFP_LEVEL_COUNT));
    assert_string_equal(gfp_cpu_level_name(GFP_LEVEL_PORTABLE), "portable");
    assert_string_equal(gfp_cpu_level_name(GFP_LEVEL_AVX2), "avx2");
    assert_string_equal(gfp_cpu_level_name(GFP_LEVEL_AVX512DQ), "avx512dq");
    assert_string_equal(gfp_cpu_level_name(GFP_LEVEL_AVX512IFMA), "avx512ifma");
    assert_string_equal(gfp_cpu_level_name(GFP_LEVEL_NEON), "neon");
    assert_true(gfp_cpu_has(GFP_LEVEL_AVX2) || !gfp_cpu_has(GFP_LEVEL_AVX512DQ));
    assert_true(gfp_cpu_has(GFP_LEVEL_AVX512DQ) || !gfp_cpu_has(GFP_LEVEL_AVX512IFMA));
    assert_int_equal(gfp_cpu_has(GFP_LEVEL_NEON), GFP_NEON_LEVEL);
}

/* Whether the flags line holds every one of the blank-separated words. */
static bool holds_all(const char *flags, const char *words)
{
    char copy[128];
    char *rest = copy;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, " %s ", word);
        if (strstr(flags, wanted) == NULL) {
            return false;
        }
    }
    return true;
}

/* Linux lists a flag only where it also saves the registers. */
static void levels_are_what_the_system_lists(void **state)
{
    (void)state;
    static char line[LINE];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file != NULL && !found && fgets(line, LINE - 1, file) != NULL) {
        found = strncmp(line, "flags", 5) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!found || !GFP_X86_LEVELS) {
        skip();
    }
    char *end = strchr(line, '\n');
    if (end != NULL) {
        *end = ' ';
    }
    assert_int_equal(gfp_cpu_has(GFP_LEVEL_AVX2), holds_all(line, "avx avx2 fma"));
    assert_int_equal(gfp_cpu_has(GFP_LEVEL_AVX512DQ),
                     holds_all(line, "avx2 fma avx512f avx512dq avx512bw avx512vl"));
    assert_int_equal(gfp_cpu_has(GFP_LEVEL_AVX512IFMA),
                     holds_all(line, "avx2 fma avx512f avx512dq avx512bw avx512vl avx512ifma"));
}

/* The level that a fresh process takes with this value of GFPOLY_CPU (NULL: unset); -1: no answer.
 * Children of fork decide anew only where the parent has not: this test runs first. */
static int level_of_child(const char *value)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (value == NULL ? unsetenv("GFPOLY_CPU") : setenv("GFPOLY_CPU", value, 1)) {
            _exit(99);
        }
        _exit((int)gfp_cpu_level_get());
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

static void environment_overrides_the_level(void **state)
{
    (void)state;
    const int best = (int)best_level();
    assert_int_equal(level_of_child(NULL), best);
    assert_int_equal(level_of_child(""), best);
    assert_int_equal(level_of_child("avx9"), best);
    assert_int_equal(level_of_child("AVX2"), best);
    for (int i = 0; i < GFP_LEVEL_COUNT; i++) {
        const gfp_level level = (gfp_level)i;
        assert_int_equal(level_of_child(gfp_cpu_level_name(level)), gfp_cpu_has(level) ? i : best);
    }
}

/* The digits of all operations with kernels, over one field, in one array. */
#define LENGTH 20
#define DFT 16

static size_t levels_results(const gfp_field *proved, gfp_level level, uint64_t **digits)
{
    gfp_field *field = NULL;
    gfp_fft_plan *plan = NULL;
    gfp_random g;
    gfp_poly a, b, c;
    assert_true(gfp_cpu_level_force(level));
    assert_int_equal(
        gfp_field_create_proved(&field, proved->r, proved->k, &proved->certificate, NULL, NULL),
        GFP_OK);
    assert_int_equal(gfp_field_level(field), level);
    const size_t k = gfp_field_k(field), row = (2 * LENGTH - 1) * k;
    const size_t words = (gfp_method_count() + 1) * row + 2 * DFT * k;
    uint64_t *out = calloc(words, sizeof *out), *next = out;
    assert_non_null(out);
    gfp_random_seed(&g, 77);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, LENGTH, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, LENGTH, &g), GFP_OK);
    for (size_t i = 0; i <= gfp_method_count(); i++, next += row) {
        const gfp_options options = {.method = i == 0 ? NULL : gfp_method_name(i - 1)};
        gfp_method_info info = {.available = true};
        if (i > 0) {
            assert_int_equal(gfp_method_query(&info, i - 1,
                                              &(gfp_problem){.len_a = LENGTH, .len_b = LENGTH},
                                              field, NULL),
                             GFP_OK);
        }
        if (info.available) {
            assert_int_equal(gfp_poly_mul(&c, &a, &b, &options), GFP_OK);
            memcpy(next, c.digits, c.len * k * sizeof *next);
        }
    }
    if (gfp_field_v2_order(field) >= 4) {
        uint64_t *x = next, *y = next + DFT * k;
        gfp_vec_random(field, x, DFT, &g);
        assert_int_equal(gfp_fft_plan_create(&plan, field, DFT, NULL), GFP_OK);
        assert_int_equal(gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_NATURAL, plan, NULL), GFP_OK);
        gfp_vec_mul(field, x, x, y, DFT);
        gfp_fft_plan_destroy(plan);
    }
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
    *digits = out;
    return words;
}

static void every_level_computes_the_same_digits(void **state)
{
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const char *name = oracle_fields[f].text;
        gfp_field *field;
        uint64_t *expected, *got;
        assert_int_equal(gfp_field_create(&field, name, NULL, NULL), GFP_OK);
        const size_t words = levels_results(field, GFP_LEVEL_PORTABLE, &expected);
        for (int i = 1; i < GFP_LEVEL_COUNT; i++) {
            if (gfp_cpu_has((gfp_level)i)) {
                assert_int_equal(levels_results(field, (gfp_level)i, &got), words);
                if (memcmp(got, expected, words * sizeof *got) != 0) {
                    fail_msg("%s: level %s differs from portable", name,
                             gfp_cpu_level_name((gfp_level)i));
                }
                free(got);
            }
        }
        free(expected);
        gfp_field_destroy(field);
    }
}

/* An attachment that counts how many of its kind exist. */
typedef struct counted {
    gfp_attachment head;
    int *alive;
} counted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void levels_change(int *alive, int by)
{
    pthread_mutex_lock(&lock);
    *alive += by;
    pthread_mutex_unlock(&lock);
}

static void counted_destroy(gfp_attachment *attachment, const gfp_allocator *allocator)
{
    (void)allocator;
    counted *c = (counted *)attachment;
    levels_change(c->alive, -1);
    free(c);
}

typedef struct attaching {
    const gfp_field *field;
    int *alive;
    gfp_attachment *kept;
} attaching;

static void *levels_attach(void *argument)
{
    attaching *a = argument;
    counted *made = malloc(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    *made = (counted){{counted_destroy}, a->alive};
    levels_change(a->alive, 1);
    a->kept = gfp_field_attach(a->field, &made->head);
    return NULL;
}

static void one_attachment_is_kept_and_destroyed_with_its_field(void **state)
{
    (void)state;
    gfp_field *field;
    pthread_t threads[THREADS];
    attaching work[THREADS];
    int alive = 0;
    assert_int_equal(gfp_field_create(&field, "m4", NULL, NULL), GFP_OK);
    assert_null(gfp_field_attached(field, counted_destroy));
    for (int i = 0; i < THREADS; i++) {
        work[i] = (attaching){field, &alive, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, levels_attach, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_non_null(work[i].kept);
        assert_ptr_equal(work[i].kept, work[0].kept);
    }
    assert_int_equal(alive, 1);
    assert_ptr_equal(gfp_field_attached(field, counted_destroy), work[0].kept);
    gfp_field_destroy(field);
    assert_int_equal(alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_overrides_the_level),
        cmocka_unit_test(levels_are_ordered_and_named),
        cmocka_unit_test(levels_are_what_the_system_lists),
        cmocka_unit_test(every_level_computes_the_same_digits),
        cmocka_unit_test(one_attachment_is_kept_and_destroyed_with_its_field),
    };
    return cmocka_run_group_tests(tests, lab_setup_count, NULL);
}
