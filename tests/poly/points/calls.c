/* calls.c: calls on products from roots, trees and progressions: memory, progress,
 * threads, verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/points/lab.h"

#include "lab/calls_traits.h"

/* ---- the operations ---- */

static gfp_status points_calls_roots(orchard *s, const gfp_options *options)
{
    return gfp_poly_from_roots(&s->z, s->points, s->n, options);
}

static gfp_status points_calls_tree(orchard *s, const gfp_options *options)
{
    gfp_tree *T = NULL;
    const gfp_status status = gfp_tree_create(&T, s->field, s->points, s->n, options);
    assert_true((status == GFP_OK) == (T != NULL));
    gfp_tree_destroy(T);
    return status;
}

static gfp_status points_calls_evaluate(orchard *s, const gfp_options *options)
{
    return gfp_tree_eval(s->y, &s->f, s->T, options);
}

static gfp_status evaluate_long(orchard *s, const gfp_options *options)
{
    return gfp_tree_eval(s->y, &s->longer, s->T, options);
}

static gfp_status evaluate_fresh(orchard *s, const gfp_options *options)
{
    gfp_tree *T = NULL;
    gfp_options making = *options;
    making.progress = NULL;
    making.memory_cap = 0;
    gfp_status status = gfp_tree_create(&T, s->field, s->points, s->n, &making);
    if (status == GFP_OK) {
        status = gfp_tree_eval(s->y, &s->f, T, options);
    }
    gfp_tree_destroy(T);
    return status;
}

static gfp_status points_calls_interpolate(orchard *s, const gfp_options *options)
{
    return gfp_tree_interpolate(&s->z, s->values, s->T, options);
}

static gfp_status points_calls_multieval(orchard *s, const gfp_options *options)
{
    return gfp_poly_multieval(s->y, &s->f, s->points, s->n, options);
}

static gfp_status points_calls_interpolation(orchard *s, const gfp_options *options)
{
    return gfp_poly_interpolate(&s->z, s->points, s->values, s->n, options);
}

static gfp_status points_calls_progression(orchard *s, const gfp_options *options)
{
    return gfp_poly_eval_geometric(s->y, &s->f, s->start, s->ratio, s->n, options);
}

static gfp_status from_progression(orchard *s, const gfp_options *options)
{
    return gfp_poly_interpolate_geometric(&s->z, s->progression, s->start, s->ratio, s->n, options);
}

typedef orchard subject;

typedef struct operation {
    const char *name;
    gfp_status (*run)(orchard *s, const gfp_options *options);
    unsigned traits;
} operation;

/* A field, and the number of points. */
typedef struct problem {
    const char *field;
    size_t n;
} problem;

/* The tree with its weights. */
static gfp_status make_subject(subject *s, const gfp_field *field, const problem *p,
                               const gfp_options *options)
{
    make_orchard(s, field, p->n, false, 9);
    assert_int_equal(gfp_poly_fit_length(&s->z, p->n + 1), GFP_OK);
    const gfp_status status = gfp_tree_create(&s->T, field, s->points, s->n, options);
    return status == GFP_OK ? gfp_tree_interpolate(&s->z, s->values, s->T, options) : status;
}

static void clear_subject(subject *s)
{
    clear_orchard(s);
}

static void rows_reset(subject *s)
{
    lab_mark(&s->z);
    memset(s->y, 0x11, s->n * s->k * sizeof *s->y);
}

static bool rows_unchanged(const subject *s)
{
    bool same = is_marked(&s->z);
    for (size_t i = 0; i < s->n * s->k; i++) {
        same = same && s->y[i] == 0x1111111111111111;
    }
    return same;
}

static size_t result_bytes(const subject *s)
{
    (void)s;
    return 0;
}

static void expect_same_results(const subject *s, const subject *t, const operation *o)
{
    expect_same(&s->z, &t->z, o->name, s->n, 0);
    if (memcmp(s->y, t->y, s->n * s->k * sizeof *s->y) != 0) {
        fail_msg("%s: %s at %zu points: wrong", gfp_field_name(s->field), o->name, s->n);
    }
}

static gfp_status run_operation(subject *s, const operation *o, const gfp_options *options)
{
    return o->run(s, options != NULL ? options : &(gfp_options){.size = 0});
}

static unsigned traits_of(const operation *o, const problem *p)
{
    const bool operands = !(o->traits & NO_OPERANDS);
    /* A wrong product may belong to the padding. Few points need no products with operands. */
    return o->traits | MOST_MATTER |
           (p->n <= 16                 ? NO_OPERANDS
            : p->n >= 2000 && operands ? SHARED
                                       : 0U);
}

static const operation operations[] = {
    {"product from roots", points_calls_roots, 0},
    {"tree", points_calls_tree, CREATES},
    {"values by a tree", points_calls_evaluate, 0},
    {"values of a long polynomial", evaluate_long, 0},
    {"values by a new tree", evaluate_fresh, CREATES},
    {"interpolation by a tree", points_calls_interpolate, 0},
    {"values", points_calls_multieval, 0},
    {"interpolation", points_calls_interpolation, 0},
    {"values at a progression", points_calls_progression, NO_OPERANDS},
    {"interpolation at a progression", from_progression, NO_OPERANDS},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static const problem problems[] = {{"p8", 45}, {"p2", 110}, {"2^4+1", 15}, {"16^4+1", 70}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "lab/calls.h"
#include "lab/rows.h"

static void threads_do_not_matter(void **state)
{
    static const size_t some[] = {30, 300, 2000};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0] - (SANITIZED ? 2 : 0); i++) {
        expect_threads_alike(&(problem){"p8", some[i]}, 2);
    }
}

static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        expect_methods_alike(&(problem){names[i], 110});
    }
}

/* ---- wrong products ---- */

/* A wrong tree, made without a check, is found by the check of a call on it. */
static void wrong_trees_are_caught(void **state)
{
    (void)state;
    add_wrong_row(false);
    size_t of = 1;
    for (size_t c = 0; c < of; c = next_round(c, of)) {
        world w;
        start_wrong(&w, &(problem){"p8", 100});
        gfp_tree_destroy(w.s.T);
        calls = 0;
        wrong_call = c;
        assert_int_equal(gfp_tree_create(&w.s.T, w.field, w.s.points, w.s.n, &w.options), GFP_OK);
        of = calls;
        w.options.verify = GFP_VERIFY_POINT;
        expect_failure(&w, &operations[2], gfp_tree_eval(w.s.y, &w.s.f, w.s.T, &w.options),
                       GFP_ERR_VERIFY, c);
        lab_calls_end(&w);
    }
    assert_true(of > 5);
    gfp_method_remove(&wrong_row);
}

static void wrong_progressions_are_caught(void **state)
{
    (void)state;
    add_wrong_row(true);
    for (size_t i = 0; i < OPERATIONS; i++) {
        world w;
        if (!(operations[i].traits & NO_OPERANDS)) {
            continue;
        }
        lab_calls_start(&w, &problems[0], NULL);
        w.options.method = "wrong";
        w.options.verify = GFP_VERIFY_POINT;
        assert_int_equal(run_wrong(&w, &operations[i], SIZE_MAX), GFP_OK);
        assert_true(calls >= 1);
        rows_reset(&w.s);
        for (size_t of = calls, c = 0; c < of; c++) {
            expect_failure(&w, &operations[i], run_wrong(&w, &operations[i], c), GFP_ERR_VERIFY, c);
        }
        lab_calls_end(&w);
    }
    gfp_method_remove(&wrong_row);
}

/* Roots, and the start of a progression, that lie in the result, which has no room yet. */
static void inputs_in_the_result(void **state)
{
    (void)state;
    orchard s;
    gfp_poly f, expected;
    make_orchard(&s, lab_named("p8")->field, 40, false, 2);
    gfp_poly_init(&f, s.field);
    gfp_poly_init(&expected, s.field);
    assert_int_equal(gfp_poly_from_roots(&expected, s.points, s.n, NULL), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&f, s.n), GFP_OK);
    gfp_vec_copy(s.field, f.digits, s.points, s.n);
    assert_int_equal(gfp_poly_from_roots(&f, f.digits, s.n, NULL), GFP_OK);
    assert_true(gfp_poly_equal(&f, &expected));
    assert_int_equal(
        gfp_poly_interpolate_geometric(&expected, s.values, s.start, s.ratio, s.n, NULL), GFP_OK);
    gfp_poly_clear(&f);
    assert_int_equal(gfp_poly_fit_length(&f, 1), GFP_OK);
    gfp_elem_copy(s.field, f.digits, s.start);
    assert_int_equal(gfp_poly_interpolate_geometric(&f, s.values, f.digits, s.ratio, s.n, NULL),
                     GFP_OK);
    assert_true(gfp_poly_equal(&f, &expected));
    gfp_poly_clear(&f);
    gfp_poly_clear(&expected);
    clear_orchard(&s);
}

/* ---- progress ---- */

typedef struct counter {
    unsigned steps, late; /* late: near the end */
    double before;        /* the last fraction below 1 */
} counter;

static bool count_steps(void *user, double fraction)
{
    counter *c = user;
    c->steps++;
    c->late += fraction > 0.95;
    c->before = fraction < 1 ? fraction : c->before;
    return true;
}

/* Quadratic computations and checks take nearly all the time of these calls, and of the bar. */
static void progress_of_quadratic_calls_is_even(void **state)
{
    static const struct {
        const char *method;
        gfp_verify verify;
        gfp_status (*run)(orchard *s, const gfp_options *options);
    } call[] = {{"hybrid", GFP_VERIFY_CROSS, points_calls_multieval},
                {"hybrid", GFP_VERIFY_CROSS, points_calls_interpolation},
                {"classical", GFP_VERIFY_NONE, points_calls_multieval},
                {"classical", GFP_VERIFY_POINT, points_calls_multieval},
                {"classical", GFP_VERIFY_CROSS, points_calls_multieval}};
    orchard s;
    (void)state;
    make_orchard(&s, lab_named("p8")->field, 400, false, 2);
    for (size_t i = 0; LAB_ROW(call, i); i++) {
        counter c = {0};
        const gfp_progress progress = {count_steps, &c};
        const gfp_options options = {
            .method = call[i].method, .verify = call[i].verify, .progress = &progress};
        assert_int_equal(call[i].run(&s, &options), GFP_OK);
        assert_in_range(c.steps, 10, UINT_MAX);
        assert_in_range(c.late, 0, c.steps / 3);
        assert_true(c.before > 0.6);
    }
    clear_orchard(&s);
}

static void no_points_and_an_error(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    const gfp_options options = {.method = "none"};
    gfp_poly f;
    gfp_poly_init(&f, field);
    assert_int_equal(gfp_poly_one(&f), GFP_OK);
    assert_int_equal(gfp_poly_interpolate(&f, NULL, NULL, 0, &options), GFP_ERR_UNKNOWN);
    assert_true(gfp_poly_is_one(&f));
    assert_int_equal(gfp_poly_interpolate(&f, NULL, NULL, 0, NULL), GFP_OK);
    assert_int_equal(f.len, 0);
    gfp_poly_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(all_methods_with_operands),
        cmocka_unit_test(wrong_products_are_caught),
        cmocka_unit_test(wrong_trees_are_caught),
        cmocka_unit_test(wrong_progressions_are_caught),
        cmocka_unit_test(inputs_in_the_result),
        cmocka_unit_test(progress_of_quadratic_calls_is_even),
        cmocka_unit_test(no_points_and_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
