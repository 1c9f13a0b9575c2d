/* branches.c: gcds by branches of an operation (poly/operation.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/fixtures.h"

#include <string.h>

#include "poly/euclid/gcd.h"

/* A branch of an operation computes a gcd by half-gcds in the words that the operation took. */
static void branches_compute_what_their_operation_did(void **state)
{
    const gfp_field *field = lab_named("p8")->field;
    gfp_options options = {.threads = 1};
    gfp_operation_call op, branch;
    gfp_common_divisor d, other;
    gfp_task task;
    gfp_random g;
    gfp_poly a, b;
    uint64_t *memory;
    (void)state;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    assert_int_equal(gfp_poly_random(&a, 120, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 119, &g), GFP_OK);
    const gfp_series x = {a.digits, a.len}, y = {b.digits, b.len};
    assert_int_equal(gfp_operation_begin(&op, "test", &options), GFP_OK);
    assert_int_equal(gfp_operation_start(&op, field, 1, 1), GFP_OK);
    assert_int_equal(gfp_gcd(&op, &d, x, y, false), GFP_OK);
    assert_true(op.spaces > 0);
    const size_t words = gfp_operation_branch_words(&op, op.base.peak);
    assert_int_equal(gfp_operation_array(&op, &memory, words / gfp_field_k(field) + 1), GFP_OK);
    gfp_task_start(&task, NULL);
    memset(&branch, 0xff, sizeof branch);
    gfp_operation_begin_branch(&branch, &op, memory, words, &task);
    const gfp_operation_mark mark = gfp_operation_mark_here(&branch);
    assert_memory_equal(branch.threshold, op.threshold, sizeof op.threshold);
    assert_int_equal(gfp_gcd(&branch, &other, x, y, false), GFP_OK);
    assert_int_equal(other.g.len, d.g.len);
    assert_true(gfp_vec_equal(field, other.g.digits, d.g.digits, d.g.len));
    gfp_operation_release(&branch, mark);
    assert_int_equal(gfp_operation_end(&op, GFP_OK), GFP_OK);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_compute_what_their_operation_did)};
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
