/* rows.c: the rows that a test is at. The linker gives every test program the function here in
 * place of cmocka's _cmocka_run_group_tests (--wrap): each test runs inside note_test, which a
 * failed assertion leaves by a jump. The environment variable CMOCKA_TEST_FILTER chooses tests.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The loops of a thread that have not ended, the outermost one first. */
#define DEPTH 8
typedef struct open_row {
    const char *table, *name;
    size_t i;
} open_row;
static _Thread_local open_row rows[DEPTH];
static _Thread_local size_t depth;

bool lab_row(const char *table, size_t i, size_t count)
{
    size_t at = 0;
    while (at < depth && strcmp(rows[at].table, table) != 0) {
        at++;
    }
    depth = at; /* loops inside, which a break may have left, have ended */
    if (i < count && at < DEPTH) {
        rows[depth++] = (open_row){table, NULL, i};
    }
    return i < count;
}

void lab_row_name(const char *name)
{
    if (depth > 0) {
        rows[depth - 1].name = name;
    }
}

/* The group's fixtures and the state that they share with its tests, hidden from cmocka: it would
 * replace the states of the tests here. */
static CMFixtureFunction set_up_inside, tear_down_inside;
static void *group_state;

static int set_up_group(void **state)
{
    (void)state;
    return set_up_inside(&group_state);
}

static int tear_down_group(void **state)
{
    (void)state;
    return tear_down_inside(&group_state);
}

/* A test of the program, the state that its fixtures give it, and whether it returned. */
typedef struct noted_test {
    struct CMUnitTest test;
    void *state;
    bool returned;
} noted_test;

static int set_up_test(void **state)
{
    noted_test *noted = *state;
    depth = 0;
    noted->state = group_state != NULL ? group_state : noted->test.initial_state;
    return noted->test.setup_func == NULL ? 0 : noted->test.setup_func(&noted->state);
}

static void note_test(void **state)
{
    noted_test *noted = *state;
    noted->test.test_func(&noted->state);
    noted->returned = true;
}

static int tear_down_test(void **state)
{
    noted_test *noted = *state;
    for (size_t at = 0; !noted->returned && at < depth; at++) {
        const bool named = rows[at].name != NULL;
        print_error("%s: row %zu%s%s%s of %s\n", noted->test.name, rows[at].i, named ? " (" : "",
                    named ? rows[at].name : "", named ? ")" : "", rows[at].table);
    }
    return noted->test.teardown_func == NULL ? 0 : noted->test.teardown_func(&noted->state);
}

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    noted_test *noted = calloc(count, sizeof *noted);
    struct CMUnitTest *inside = calloc(count, sizeof *inside);
    if (noted == NULL || inside == NULL) {
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        noted[i] = (noted_test){tests[i], NULL, false};
        inside[i] =
            (struct CMUnitTest){tests[i].name, note_test, set_up_test, tear_down_test, &noted[i]};
    }
    group_state = NULL;
    set_up_inside = setup;
    tear_down_inside = teardown;
    if (getenv("CMOCKA_TEST_FILTER") != NULL) { /* else the program's own filter, if any */
        cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER"));
    }
    const int failed =
        __real__cmocka_run_group_tests(name, inside, count, setup == NULL ? NULL : set_up_group,
                                       teardown == NULL ? NULL : tear_down_group);
    free(inside);
    free(noted);
    return failed;
}
