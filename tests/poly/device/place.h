/* place.h: where tests of a device run: on a device, which skips without one, or, as the
 * environment variable GFPOLY_TEST_DEVICE says, over tests/lab/fake_device/device.h ("fake"), there
 * by the library's own plans of products ("planned"). Over both, every call of the backend is made
 * to fail in turn.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DEVICE_PLACE_H
#define TESTS_POLY_DEVICE_PLACE_H

#include <stdlib.h>
#include <string.h>

#include "lab/fake_device/device.h"
#include "lab/gpu.h"

static inline bool place_is(const char *name)
{
    const char *device = getenv("GFPOLY_TEST_DEVICE");
    return device != NULL && strcmp(device, name) == 0;
}

static inline bool over_fake_device(void)
{
    return place_is("fake");
}

/* Before the tests: the simulated device if they run over that, and the tests that the first
 * argument names, with * and ?. */
static inline void choose_tests(int argc, char **argv)
{
    if (place_is("fake") || place_is("planned")) {
        (place_is("fake") ? fake_use : fake_use_planned)();
        fake_reset(SIZE_MAX);
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
}

/* A caller that watches a call, and ends it at report number stop_at. */
typedef struct watcher {
    size_t asked, stop_at;
    double last;
} watcher;

static inline bool watch_step(void *user, double fraction)
{
    watcher *w = user;
    assert_true(fraction >= w->last && fraction <= 1);
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

/* Calls on a device, their operands, and the calls of the backend that they make. */
typedef struct fault_scene {
    void *(*open)(gfp_gpu *gpu);
    gfp_status (*play)(void *scene);
    void (*check)(void *scene); /* of results of a play that succeeded; may be NULL */
    void (*close)(void *scene);
    size_t least, most;
    size_t dense; /* each of the first calls fails, then fewer; 0: each call */
} fault_scene;

/* Returns whether a call was made to fail. */
static inline bool play_with_fault(const fault_scene *w, gfp_gpu *gpu, fake_fault fault, size_t n)
{
    void *scene = w->open(gpu);
    fake_fail(fault, n);
    const gfp_status status = w->play(scene);
    const size_t calls = fake_calls();
    const bool failed = fake_failed();
    fake_fail(fault, 0);
    assert_true(failed ? n <= calls : status == GFP_OK);
    /* With fewer objects in memory a call may succeed that failed before. */
    if (status != (fault == FAKE_ONCE ? GFP_ERR_DEVICE : GFP_ERR_MEMORY) &&
        (status != GFP_OK || (fault == FAKE_ONCE && failed))) {
        fail_msg("call %zu: %s", n, gfp_status_string(status));
    }
    gpu_lab_ok(gpu, w->play(scene), "once more");
    if (w->check != NULL) {
        w->check(scene);
    }
    w->close(scene);
    assert_int_equal(gfp_gpu_memory_used(gpu), 0);
    assert_int_equal(fake_plans(), 0);
    if (!failed) {
        assert_in_range(calls, w->least, w->most);
    }
    return failed;
}

/* Every call fails in turn, on the device or for lack of memory: its status is returned, every
 * object can be used again, nothing is lost. */
static inline void expect_faults_survived(const fault_scene *w)
{
    if (!place_is("fake") && !place_is("planned")) {
        skip();
    }
    gfp_gpu *gpu = gpu_lab_open();
    for (int i = 0; i < 2; i++) {
        bool failed = true;
        for (size_t n = 1; failed; n += i == 0 && w->dense > 0 ? 1 + n / w->dense : 1) {
            failed = play_with_fault(w, gpu, i == 0 ? FAKE_ONCE : FAKE_MEMORY, n);
        }
    }
    gpu_lab_close(gpu);
}

#endif
