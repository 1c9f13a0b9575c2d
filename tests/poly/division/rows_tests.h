/* rows_tests.h: the tests of tests/lab/calls.h for the operations and problems of a file that
 * includes rows.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DIVISION_ROWS_TESTS_H
#define TESTS_POLY_DIVISION_ROWS_TESTS_H

#include "lab/calls.h"
#include "lab/rows.h"

/* The degree of f where every method is tried. */
#ifndef METHODS_DEGREE
#define METHODS_DEGREE 70
#endif

/* The degree of f where threads share the work. */
#ifndef THREADS_DEGREE
#define THREADS_DEGREE 300
#endif

static void threads_do_not_matter(void **state)
{
    static const size_t degrees[] = {30, THREADS_DEGREE};
    (void)state;
    for (size_t i = 0; i < 2 - SANITIZED; i++) {
        expect_threads_alike(&(problem){"p8", degrees[i]}, 2);
    }
}

static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        expect_methods_alike(&(problem){names[i], METHODS_DEGREE});
    }
}

#define DIVISION_CALLS_TESTS                                                                       \
    cmocka_unit_test(allocations_that_fail), cmocka_unit_test(cancelled_at_every_step),            \
        cmocka_unit_test(caps_on_memory), cmocka_unit_test(threads_do_not_matter),                 \
        cmocka_unit_test(all_methods_with_operands), cmocka_unit_test(wrong_products_are_caught)

#endif
