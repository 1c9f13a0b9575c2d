/* use.c: puts a program over the backend `host' (device.h), for tests of a
 * device's failures. The environment variable FAKE_DEVICE selects one: "full", "lost" at the first
 * product that is longer than 4, or "useless", which serves no field; "planned" is a backend with
 * the library's own plans. FAKE_GPU_FAIL_AT is the number of the call that fails, from 0.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fake_device/device.h"

/* Runs before main. */
__attribute__((constructor)) static void set_up(void)
{
    const char *fault = getenv("FAKE_DEVICE"), *fail_at = getenv("FAKE_GPU_FAIL_AT");
    fault = fault != NULL ? fault : "";
    if (strcmp(fault, "planned") == 0) {
        fake_use_planned();
    } else {
        fake_use();
    }
    fake_reset((size_t)1 << 30);
    fake_fail(FAKE_FULL, strcmp(fault, "full") == 0);
    fake_most(strcmp(fault, "lost") == 0 ? 4 : 0);
    fake_serves(strcmp(fault, "useless") != 0);
    if (fail_at != NULL) {
        fake_fail(FAKE_ONCE, strtoull(fail_at, NULL, 10) + 1);
    }
}
