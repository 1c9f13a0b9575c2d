/* calls.c: factorisations as calls: memory, progress, threads, verification, reports. A
 * call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/calls_traits.h"
#include "poly/factor/lab.h"

#include <string.h>

/* ---- the operations ---- */

/* f has roots and factors of degree 2 and 3, some multiple; pairs has factors of degree 2, flat is
 * f without multiple factors; drawn gets this degree. */
typedef struct subject {
    gfp_poly f, flat, pairs, drawn;
    size_t degree;
    gfp_factors F;
    gfp_roots R;
    bool yes;
    gfp_random random;
} subject;

static gfp_status factor_product(subject *s, const gfp_options *options)
{
    return gfp_poly_factor(&s->F, &s->f, options);
}

static gfp_status factor_calls_squarefree(subject *s, const gfp_options *options)
{
    return gfp_poly_factor_squarefree(&s->F, &s->f, options);
}

static gfp_status distinct_degree(subject *s, const gfp_options *options)
{
    return gfp_poly_factor_distinct_deg(&s->F, &s->flat, options);
}

static gfp_status equal_degree(subject *s, const gfp_options *options)
{
    return gfp_poly_factor_equal_deg(&s->F, &s->pairs, 2, options);
}

static gfp_status factor_calls_roots(subject *s, const gfp_options *options)
{
    return gfp_poly_roots(&s->R, &s->f, options);
}

static gfp_status factor_calls_irreducible(subject *s, const gfp_options *options)
{
    return gfp_poly_is_irreducible(&s->yes, &s->pairs, options);
}

static gfp_status random_irreducible(subject *s, const gfp_options *options)
{
    gfp_random_seed(&s->random, 4);
    return gfp_poly_random_irreducible(&s->drawn, s->degree, &s->random, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(subject *s, const gfp_options *options);
} operation;

static const operation operations[] = {
    {"factor", factor_product},
    {"squarefree", factor_calls_squarefree},
    {"distinct degree", distinct_degree},
    {"equal degree", equal_degree},
    {"roots", factor_calls_roots},
    {"irreducible", factor_calls_irreducible},
    {"random irreducible", random_irreducible},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

typedef struct problem {
    const char *field;
    bool is_long; /* one more factor of f and flat, more factors of pairs, a higher degree */
} problem;

static gfp_status make_subject(subject *s, const gfp_field *field, const problem *p,
                               const gfp_options *options)
{
    (void)options;
    gfp_poly g;
    gfp_random random;
    gfp_random_seed(&random, 2);
    s->yes = true;
    s->degree = p->is_long ? 12 : 3;
    gfp_poly_init(&g, field);
    gfp_poly_init(&s->f, field);
    gfp_poly_init(&s->flat, field);
    gfp_poly_init(&s->pairs, field);
    gfp_poly_init(&s->drawn, field);
    gfp_factors_init(&s->F, field);
    gfp_roots_init(&s->R, field);
    make_split(&s->f, 3, 1, &random);
    make_split(&s->flat, 2, 0, &random);
    assert_int_equal(gfp_poly_one(&s->pairs), GFP_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gfp_poly_random_irreducible(&g, i == 2 ? 3 : 2, &random, NULL), GFP_OK);
        times_power(&s->f, &g, 1 + i % 2);
        times_power(&s->flat, &g, 1);
        times_power(&s->pairs, &g, i < 2);
    }
    if (p->is_long) {
        random_poly(&g, 24, &random);
        times_power(&s->f, &g, 1);
        times_power(&s->flat, &g, 1);
    }
    for (size_t i = 0; i < (p->is_long ? 6 : 0); i++) {
        assert_int_equal(gfp_poly_random_irreducible(&g, 2, &random, NULL), GFP_OK);
        times_power(&s->pairs, &g, 1);
    }
    gfp_poly_clear(&g);
    return GFP_OK;
}

static void clear_subject(subject *s)
{
    gfp_poly_clear(&s->f);
    gfp_poly_clear(&s->flat);
    gfp_poly_clear(&s->pairs);
    gfp_poly_clear(&s->drawn);
    gfp_factors_clear(&s->F);
    gfp_roots_clear(&s->R);
}

static void rows_reset(subject *s)
{
    gfp_factors_clear(&s->F);
    gfp_roots_clear(&s->R);
    gfp_poly_clear(&s->drawn);
    s->yes = true;
}

static bool rows_unchanged(const subject *s)
{
    return s->F.count == 0 && s->R.count == 0 && s->drawn.len == 0 && s->yes;
}

/* More than what factors and roots take. */
static size_t result_bytes(const subject *s)
{
    (void)s;
    return 1 << 13;
}

static void expect_same_results(const subject *s, const subject *t, const operation *o)
{
    expect_same_factors(&s->F, &t->F);
    assert_int_equal(s->R.count, t->R.count);
    assert_true(gfp_vec_equal(s->f.field, s->R.root, t->R.root, s->R.count));
    expect_same(&s->drawn, &t->drawn, o->name, 0, 0);
    assert_true(s->yes == t->yes);
}

static gfp_status run_operation(subject *s, const operation *o, const gfp_options *options)
{
    return o->run(s, options);
}

static unsigned traits_of(const operation *o, const problem *p)
{
    /* Short polynomials need no products with operands. A wrong quotient inside a half-gcd, all
     * that the squarefree part of this degree has, leaves the divisor right. */
    return !p->is_long                         ? NO_OPERANDS
           : o->run == factor_calls_squarefree ? MAY_BE_RIGHT
           : o->run == equal_degree ? MOST_MATTER | CERTIFIED /* wrong degrees are ARGUMENT */
                                    : MOST_MATTER;
}

static const problem problems[] = {{"p2", false}, {"16^2+1", false}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "lab/calls.h"

static void threads_do_not_matter(void **state)
{
    (void)state;
    expect_threads_alike(&(problem){"p8", !SANITIZED}, 2);
}

static void wrong_products_are_found(void **state)
{
    (void)state;
    add_wrong_row(true);
    for (size_t i = 0; i < 2 * OPERATIONS; i++) {
        expect_caught(&(problem){"p2", true}, &operations[i / 2], kinds[1 + i % 2]);
    }
    gfp_method_remove(&wrong_row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_that_fail),    cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),           cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_products_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
