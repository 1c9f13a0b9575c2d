/* checked.h: shared by the arithmetic that checks itself: values come with bounds that hold for
 * every input, and the test fails where an operation needs narrower ones.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_TESTS_LAB_CHECKED_H
#define GFP_TESTS_LAB_CHECKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "field/base/unroll.h"
#include "field/base/word.h"

#define LANES_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("%s:%d: %s", __FILE__, __LINE__, #condition);                                 \
        }                                                                                          \
    } while (0)

/* Not inlined: the unrolled bodies would take minutes to compile. */
#define LANES_OPERATION GFP_SHARED

#define LANES_TWO(n) ((gfp_i128)1 << (n))

#endif
