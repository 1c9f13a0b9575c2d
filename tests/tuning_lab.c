/* tuning_lab.c: see tuning_lab.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "tuning_lab.h"

#include "lab.h"

gfp_field *p8, *m8, *p4, *tiny;

int tuning_fields_open(void **state)
{
    (void)state;
    p8 = lab_create("p8");
    m8 = lab_create("m8");
    p4 = lab_create("p4");
    tiny = lab_create("17");
    return 0;
}

int tuning_fields_close(void **state)
{
    (void)state;
    gfp_field_destroy(p8);
    gfp_field_destroy(m8);
    gfp_field_destroy(p4);
    gfp_field_destroy(tiny);
    return 0;
}

gfp_tuning *empty(void)
{
    gfp_tuning *tuning = NULL;
    assert_int_equal(gfp_tuning_create(&tuning, NULL), GFP_OK);
    return tuning;
}

void set(gfp_tuning *tuning, const gfp_field *field, uint64_t len, const char *method, double ns)
{
    assert_int_equal(gfp_tuning_set_ns(tuning, field, len, method, ns), GFP_OK);
}

void set_row(gfp_tuning *tuning, gfp_operation operation, unsigned threads, uint64_t len,
             uint64_t len_b, const char *method, double ns)
{
    const gfp_tuning_row row = {.k = 8,
                                .r = gfp_field_r(p8),
                                .len = len,
                                .len_b = len_b,
                                .operation = operation,
                                .threads = threads};
    assert_int_equal(gfp_tuning_set_row(tuning, &row, method, ns), GFP_OK);
}

void expect_row(const gfp_tuning *tuning, size_t index, const gfp_field *field, uint64_t len)
{
    gfp_tuning_row row = {0};
    assert_int_equal(gfp_tuning_get_row(tuning, index, &row), GFP_OK);
    assert_int_equal(row.k, gfp_field_k(field));
    assert_true(row.r == gfp_field_r(field));
    assert_true(row.len == len);
}

void expect_ns(const gfp_tuning *tuning, size_t index, const char *method, double ns)
{
    assert_true(gfp_tuning_get_ns(tuning, index, method) == ns);
}
