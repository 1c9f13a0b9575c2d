/* rows_fail.c: a test that fails in a row of a table inside another one, and one that fails behind
 * the tables: the output names the rows of the first test, and none of the second.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "lab/rows.h"

#include <cmocka.h>

static void fails_in_a_row(void **state)
{
    static const char *const words[] = {"one", "two", "three"};
    static const int numbers[] = {1, 2, 3, 4};
    (void)state;
    for (size_t i = 0; LAB_ROW(words, i); i++) {
        lab_row_name(words[i]);
        for (size_t j = 0; LAB_ROW(numbers, j); j++) {
            if (i == 0 && j == 1) {
                break; /* the next row of words ends this loop */
            }
            assert_true(i < 1 || numbers[j] < 4);
        }
    }
}

static void fails_behind_the_rows(void **state)
{
    static const int letters[] = {'a', 'b'};
    size_t i;
    (void)state;
    for (i = 0; LAB_ROW(letters, i); i++) {
        assert_true(letters[i] > 0);
    }
    assert_int_equal(i, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fails_in_a_row),
                                       cmocka_unit_test(fails_behind_the_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL) == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
