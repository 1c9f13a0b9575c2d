/* rows.h: the operations of lab.h as calls that tests/lab/calls.h tests. Results are z
 * and y.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_POLY_DIVISION_ROWS_H
#define TESTS_POLY_DIVISION_ROWS_H

#include <string.h>

#include "lab/calls_traits.h"
#include "poly/division/lab.h"

typedef parts subject;

typedef struct operation {
    const char *name;
    gfp_status (*run)(parts *s, const gfp_options *options);
    unsigned traits;
} operation;

/* A field, and the degree of f. */
typedef struct problem {
    const char *field;
    size_t n;
} problem;

static gfp_status make_subject(subject *s, const gfp_field *field, const problem *p,
                               const gfp_options *options)
{
    make_parts(s, field, p->n, 9);
    assert_int_equal(gfp_poly_fit_length(&s->z, 6 * p->n), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&s->y, p->n), GFP_OK);
    const gfp_status status = gfp_modulus_create(&s->M, &s->f, options);
    if (status == GFP_OK) {
        make_users(s, options);
    }
    return status;
}

static void clear_subject(subject *s)
{
    clear_parts(s);
}

static void rows_reset(subject *s)
{
    lab_mark(&s->z);
    lab_mark(&s->y);
}

static bool rows_unchanged(const subject *s)
{
    return is_marked(&s->z) && is_marked(&s->y);
}

static size_t result_bytes(const subject *s)
{
    (void)s;
    return 0;
}

static void expect_same_results(const subject *s, const subject *t, const operation *o)
{
    expect_same(&s->z, &t->z, o->name, s->n, 0);
    expect_same(&s->y, &t->y, o->name, s->n, 1);
}

static gfp_status run_operation(subject *s, const operation *o, const gfp_options *options)
{
    return o->run(s, options);
}

static unsigned traits_of(const operation *o, const problem *p)
{
    (void)p;
    return o->traits;
}

#endif
