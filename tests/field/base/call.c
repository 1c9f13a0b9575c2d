/* call.c: the frame of a call: its account of memory, arrays, checks, errors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "field/base/call.h"

#include <string.h>

#include "field/base/support.h"
#include "gfpoly/division.h"
#include "lab/fixtures.h"

static const char name[] = "a call";

/* Begins a call with arrays from the field, or from its allocator. */
static void call_open(gfp_call *call, const gfp_options *options, bool of_field)
{
    const gfp_field *field = lab_named("p2")->field;
    memset(call, 0xa5, sizeof *call);
    assert_int_equal(gfp_call_begin(call, name, options), GFP_OK);
    call->field = of_field ? field : NULL;
    call->allocator = gfp_field_allocator(field);
}

/* Arrays of any length, 0 too, are aligned, and the account is as before once they are gone. */
static void arrays_are_counted(void **state)
{
    static const size_t lengths[] = {0, 1, 8, 9, 1000, 0, 70000, 3};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const size_t cap = i / 2 == 0 ? 0 : 2000000;
        const gfp_options options = {.memory_cap = cap};
        gfp_call call;
        call_open(&call, &options, i % 2 == 0);
        call.first_words = i == 0 ? 512 : 0;
        const gfp_call_mark empty = gfp_call_mark_here(&call);
        uint64_t *x[8];
        for (size_t j = 0; j < 8; j++) {
            assert_int_equal(gfp_call_array(&call, &x[j], lengths[j]), GFP_OK);
            assert_true((uintptr_t)x[j] % 64 == 0);
            memset(x[j], (int)j, lengths[j] * sizeof *x[j]);
        }
        for (size_t j = 0; j < 8; j++) {
            for (size_t l = 0; l < lengths[j] * sizeof *x[j]; l++) {
                assert_int_equal(((unsigned char *)x[j])[l], j);
            }
        }
        assert_true(cap == 0 ? call.left == SIZE_MAX : call.left < cap - 71000 * 8);
        const size_t words = gfp_call_words(&call), left = call.left;
        assert_true(words >= 71021 && call.peak == words);
        const gfp_call_mark mark = gfp_call_mark_here(&call);
        assert_int_equal(gfp_call_array(&call, &x[0], 50000), GFP_OK);
        gfp_call_release(&call, mark);
        assert_true(gfp_call_words(&call) == words && call.left == left);
        gfp_call_release(&call, empty);
        assert_true(gfp_call_words(&call) == 0 && call.left == (cap == 0 ? SIZE_MAX : cap));
        assert_int_equal(gfp_call_end(&call, GFP_OK), GFP_OK);
    }
}

/* What the cap refuses is answered with the bytes that are needed. */
static void caps_are_kept(void **state)
{
    gfp_error error = {.status = GFP_OK};
    const gfp_options options = {.memory_cap = 1000, .error = &error};
    gfp_call call;
    uint64_t *x;
    (void)state;
    call_open(&call, &options, false);
    assert_int_equal(gfp_call_take(&call, 400), GFP_OK);
    assert_int_equal(gfp_call_take(&call, 601), GFP_ERR_MEMORY);
    gfp_call_give(&call, 400);
    assert_int_equal(gfp_call_take(&call, 1000), GFP_OK);
    gfp_call_give(&call, 1000);
    gfp_call_charge(&call, 2000); /* of a call inside that knew better */
    assert_int_equal(call.left, 0);
    assert_int_equal(gfp_call_array(&call, &x, SIZE_MAX / 8), GFP_ERR_SIZE);
    assert_int_equal(gfp_call_array(&call, &x, 1), GFP_ERR_MEMORY);
    assert_int_equal(gfp_call_end(&call, GFP_ERR_MEMORY), GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "a call: at least "));
    assert_non_null(strstr(error.message, "the cap of 1000 bytes"));
}

/* The caller learns the reason that stands in the frame, if it is that of the status. */
static void reasons_are_passed_on(void **state)
{
    gfp_error error;
    const gfp_options options = {.error = &error};
    gfp_call call;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        memset(&error, 0xff, sizeof error);
        call_open(&call, &options, true);
        call.error = (gfp_error){.status = GFP_ERR_RANGE, .index = 7, .message = "the reason"};
        const gfp_status status = i == 1   ? GFP_ERR_VERIFY
                                  : i == 2 ? GFP_ERR_CANCELLED
                                           : GFP_ERR_RANGE;
        if (i == 3) {
            call.error.status = GFP_ERR_MEMORY;
            assert_int_equal(gfp_call_inner(&call, GFP_ERR_MEMORY), GFP_ERR_MEMORY);
        }
        const gfp_status ended = gfp_call_end(&call, i == 3 ? GFP_ERR_MEMORY : status);
        assert_int_equal(ended, i == 3 ? GFP_ERR_MEMORY : status);
        assert_int_equal(error.status, ended);
        assert_string_equal(error.message, i == 0   ? "the reason"
                                           : i == 1 ? "a call: verification failed"
                                           : i == 2 ? "cancelled by the caller's progress callback"
                                                    : "a call: out of memory");
        assert_true(i != 0 || error.index == 7);
    }
}

/* The time of checks counts once, whatever they contain, and all of it is the call's. */
static void times_add_up(void **state)
{
    gfp_report report;
    const gfp_options options = {.report = &report};
    gfp_call call;
    (void)state;
    const uint64_t start = gfp_clock_ns();
    call_open(&call, &options, true);
    gfp_call_checks(&call);
    for (uint64_t now = gfp_clock_ns(); gfp_clock_ns() - now < 1000000;) {
    }
    call.report.verify_ns += 900000; /* a check inside counts its own */
    gfp_call_checked(&call);
    assert_int_equal(gfp_call_end(&call, GFP_OK), GFP_OK);
    const uint64_t all = gfp_clock_ns() - start;
    assert_true(report.verify_ns >= 1000000 && report.verify_ns <= all);
    assert_true(report.multiply_ns <= all - report.verify_ns);
}

/* Calls without an array to compute in, within a cap. */
static void nothing_to_compute(void **state)
{
    const gfp_options options = {.memory_cap = 1 << 20};
    const gfp_field *field = lab_named("p8")->field;
    gfp_random g;
    gfp_poly a, b, q, r;
    (void)state;
    gfp_random_seed(&g, 3);
    gfp_poly *const all[] = {&a, &b, &q, &r};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(all[i], field);
    }
    assert_int_equal(gfp_poly_random(&a, 5, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 9, &g), GFP_OK);
    assert_int_equal(gfp_poly_divrem(&q, &r, &a, &b, &options), GFP_OK);
    assert_true(gfp_poly_is_zero(&q) && gfp_poly_equal(&r, &a));
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_counted),    cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(reasons_are_passed_on), cmocka_unit_test(times_add_up),
        cmocka_unit_test(nothing_to_compute),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
