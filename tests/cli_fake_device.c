/* cli_fake_device.c: the command over a device made of the CPU (fake_device.h), for tests of what
 * becomes of it. The environment variable FAKE_DEVICE says that: "full", "lost" at the first
 * product that is longer than 4, or "useless", which serves no field. SPDX-License-Identifier:
 * LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fake_device.h"

/* Before main. */
__attribute__((constructor)) static void set_up(void)
{
    const char *fate = getenv("FAKE_DEVICE");
    fate = fate != NULL ? fate : "";
    fake_reset((size_t)1 << 30);
    fake_fail(FAKE_FULL, strcmp(fate, "full") == 0);
    fake_most(strcmp(fate, "lost") == 0 ? 4 : 0);
    fake_serves(strcmp(fate, "useless") != 0);
}
