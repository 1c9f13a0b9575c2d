/* test_tree_calls.c: calls on products from roots, trees and progressions: memory, progress,
 * threads, verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "tree_lab.h"

#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"

/* ---- the operations ---- */

static gfp_status roots(orchard *s, const gfp_options *options)
{
    return gfp_poly_from_roots(&s->z, s->points, s->n, options);
}

static gfp_status tree(orchard *s, const gfp_options *options)
{
    gfp_tree *T = NULL;
    const gfp_status status = gfp_tree_create(&T, s->field, s->points, s->n, options);
    assert_true((status == GFP_OK) == (T != NULL));
    gfp_tree_destroy(T);
    return status;
}

static gfp_status evaluate(orchard *s, const gfp_options *options)
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

static gfp_status interpolate(orchard *s, const gfp_options *options)
{
    return gfp_tree_interpolate(&s->z, s->values, s->T, options);
}

static gfp_status multieval(orchard *s, const gfp_options *options)
{
    return gfp_poly_multieval(s->y, &s->f, s->points, s->n, options);
}

static gfp_status interpolation(orchard *s, const gfp_options *options)
{
    return gfp_poly_interpolate(&s->z, s->points, s->values, s->n, options);
}

static gfp_status progression(orchard *s, const gfp_options *options)
{
    return gfp_poly_eval_geometric(s->y, &s->f, s->start, s->ratio, s->n, options);
}

static gfp_status from_progression(orchard *s, const gfp_options *options)
{
    return gfp_poly_interpolate_geometric(&s->z, s->progression, s->start, s->ratio, s->n, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(orchard *s, const gfp_options *options);
    bool creates; /* it makes a tree, whose memory no cap counts */
    bool kept;    /* its method is the tree's */
    bool product; /* its method is one of products */
} operation;

static const operation operations[] = {
    {"product from roots", roots, false, false, false},
    {"tree", tree, true, false, false},
    {"values by a tree", evaluate, false, true, false},
    {"values of a long polynomial", evaluate_long, false, true, false},
    {"values by a new tree", evaluate_fresh, true, false, false},
    {"interpolation by a tree", interpolate, false, true, false},
    {"values", multieval, false, false, false},
    {"interpolation", interpolation, false, false, false},
    {"values at a progression", progression, false, false, true},
    {"interpolation at a progression", from_progression, false, false, true},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* ---- memory, progress, threads ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    orchard s;
    gfp_poly before;
    size_t asked, stop_at;
    double last;
    bool falls;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} world;

static bool step(void *user, double fraction)
{
    world *w = user;
    w->falls = w->falls || fraction < w->last || fraction > 1;
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

/* What fails or is cancelled leaves outputs alone, which have room for results. */
static void reset(world *w)
{
    assert_int_equal(gfp_poly_copy(&w->s.z, &w->before), GFP_OK);
    memset(w->s.y, 0x11, w->s.n * w->s.k * sizeof *w->s.y);
}

static void start(world *w, const char *name, size_t n, const char *method)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    w->progress = (gfp_progress){step, w};
    w->options = (gfp_options){.error = &w->error, .verify_seed = 6, .method = method};
    w->stop_at = SIZE_MAX;
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    make_orchard(&w->s, w->field, n, false, 9);
    assert_int_equal(gfp_tree_create(&w->s.T, w->field, w->s.points, n, &w->options), GFP_OK);
    /* The weights. */
    assert_int_equal(gfp_tree_interpolate(&w->s.z, w->s.values, w->s.T, &w->options), GFP_OK);
    gfp_poly_init(&w->before, w->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->before, 3, 5), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&w->s.z, n + 1), GFP_OK);
    reset(w);
}

static void end(world *w)
{
    clear_orchard(&w->s);
    gfp_poly_clear(&w->before);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static gfp_status run(world *w, const operation *o)
{
    w->asked = 0;
    w->last = 0;
    w->error.message[0] = '\0';
    return o->run(&w->s, &w->options);
}

static void expect_unchanged(const world *w, const operation *o, size_t round)
{
    bool same = gfp_poly_equal(&w->s.z, &w->before);
    for (size_t i = 0; i < w->s.n * w->s.k; i++) {
        same = same && w->s.y[i] == 0x1111111111111111;
    }
    if (!same) {
        fail_msg("%s: failure %zu changed an output", o->name, round);
    }
    if (w->error.message[0] == '\0') {
        fail_msg("%s: failure %zu says nothing", o->name, round);
    }
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 45}, {"p2", 110}, {"2^4+1", 15}, {"16^4+1", 70}};
#define PROBLEMS (sizeof problems / sizeof problems[0])
#define CASES (PROBLEMS * OPERATIONS * 3)

static const operation *open_case(world *w, size_t i)
{
    start(w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n, NULL);
    w->options.verify = kinds[i % 3];
    return &operations[i / 3 % OPERATIONS];
}

/* Every allocation fails once. */
static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        assert_int_equal(run(&w, o), GFP_OK); /* tables that stay with the field */
        reset(&w);
        for (size_t n = 0;; n++) {
            gfp_field_release_memory(w.field);
            const size_t blocks = w.m.blocks, bytes = w.m.bytes;
            meter_fail_at(&w.m, n);
            const gfp_status status = run(&w, o);
            w.m.fail_at = SIZE_MAX;
            gfp_field_release_memory(w.field);
            if (w.m.calls <= n) {
                assert_int_equal(status, GFP_OK);
                break;
            }
            lab_expect_status(status, GFP_ERR_MEMORY, &w.error, o->name);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.blocks, blocks);
            assert_int_equal(w.m.bytes, bytes);
        }
        end(&w);
    }
}

/* Every question is once answered with no. */
static void cancelled_at_every_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        w.options.progress = &w.progress;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_false(w.falls);
        assert_true(w.last >= 1);
        const size_t calls = w.asked;
        assert_true(calls >= 2);
        reset(&w);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < calls; n++) {
            w.stop_at = n;
            lab_expect_status(run(&w, o), GFP_ERR_CANCELLED, &w.error, o->name);
            assert_int_equal(w.asked, n + 1);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.bytes - gfp_field_kept_memory(w.field), bytes);
        }
        end(&w);
    }
}

/* The least cap that suffices is kept to, and one byte less is refused. */
static void caps_on_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        gfp_field_limit_memory(w.field, 0);   /* the field keeps no work areas */
        assert_int_equal(run(&w, o), GFP_OK); /* tables of the field are there now */
        reset(&w);
        size_t low = 0, high = o->creates ? 0 : (size_t)1 << 24;
        while (high > low + 1) {
            const size_t middle = low + (high - low) / 2;
            w.options.memory_cap = middle;
            (void)!run(&w, o); /* another method may make its tables */
            reset(&w);
            const size_t bytes = w.m.bytes;
            w.m.peak = bytes;
            const gfp_status status = run(&w, o);
            if (status == GFP_OK) {
                high = middle;
                reset(&w);
            } else {
                low = middle;
                lab_expect_status(status, GFP_ERR_MEMORY, &w.error, o->name);
                expect_unchanged(&w, o, middle);
            }
            if (w.m.peak > bytes + middle) {
                fail_msg("%s: %zu bytes within a cap of %zu", o->name, w.m.peak - bytes, middle);
            }
        }
        assert_true(o->creates || (low > 100 && high < (size_t)1 << 23));
        end(&w);
    }
}

static void expect_same_results(const orchard *t, const orchard *s, const operation *o, size_t m)
{
    expect_same(&t->z, &s->z, o->name, s->n, m);
    if (!gfp_vec_equal(s->field, t->y, s->y, s->n)) {
        fail_msg("%s: %s at %zu points: wrong (%zu)", gfp_field_name(s->field), o->name, s->n, m);
    }
}

static void clear_results(orchard *s)
{
    gfp_poly_zero(&s->z);
    gfp_vec_zero(s->field, s->y, s->n);
}

static void threads_do_not_matter(void **state)
{
    static const size_t some[] = {30, 300, 2000};
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t j = 0; j < sizeof some / sizeof some[0] - (SANITIZED ? 2 : 0); j++) {
        orchard s;
        orchard t;
        gfp_options options = {.threads = 1};
        make_orchard(&s, field, some[j], false, j);
        make_orchard(&t, field, some[j], false, j);
        assert_int_equal(gfp_tree_create(&s.T, field, s.points, s.n, NULL), GFP_OK);
        options.threads = 3;
        assert_int_equal(gfp_tree_create(&t.T, field, t.points, t.n, &options), GFP_OK);
        for (size_t i = 0; i < OPERATIONS; i++) {
            gfp_report report = {0};
            clear_results(&s);
            clear_results(&t);
            options = (gfp_options){.threads = 1};
            assert_int_equal(operations[i].run(&s, &options), GFP_OK);
            options = (gfp_options){.threads = 2, .verify = GFP_VERIFY_POINT, .report = &report};
            assert_int_equal(operations[i].run(&t, &options), GFP_OK);
            expect_same_results(&t, &s, &operations[i], j);
            assert_true(report.threads <= 2);
            assert_true(some[j] < 2000 || operations[i].product || report.threads == 2);
        }
        clear_orchard(&s);
        clear_orchard(&t);
    }
}

/* Every method that has transforms that stay. */
static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        orchard s;
        orchard t;
        const gfp_field *field = lab_named(names[f])->field;
        make_orchard(&s, field, 110, false, f);
        assert_int_equal(gfp_tree_create(&s.T, field, s.points, s.n, NULL), GFP_OK);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_report report = {0};
            gfp_error error = {0};
            const gfp_options options = {
                .method = gfp_method_name(m), .report = &report, .error = &error};
            make_orchard(&t, field, 110, false, f);
            gfp_status status = gfp_tree_create(&t.T, field, t.points, t.n, &options);
            if (status == GFP_ERR_UNAVAILABLE) {
                assert_true(strcmp(options.method, "hybrid") != 0 && error.message[0] != '\0');
                clear_orchard(&t);
                continue;
            }
            lab_expect_status(status, GFP_OK, &error, options.method);
            for (size_t i = 0; i < OPERATIONS; i++) {
                clear_results(&s);
                clear_results(&t);
                assert_int_equal(operations[i].run(&s, &(gfp_options){.size = 0}), GFP_OK);
                status = operations[i].run(&t, &options);
                lab_expect_status(status, GFP_OK, &error, operations[i].name);
                assert_string_equal(report.method, options.method);
                expect_same_results(&t, &s, &operations[i], m);
            }
            clear_orchard(&t);
        }
        clear_orchard(&s);
    }
}

/* ---- verification ---- */

/* hybrid with operands whose products by a polynomial, or sums of products, are wrong: one more in
 * the last coefficient that is asked for, at one of the calls. */
static size_t calls, wrong_call;
static gfp_operand_engine wrong_operands;
static gfp_method wrong_row;

static void spoil(const gfp_operand_call *w, const gfp_operand_part *part)
{
    uint64_t one[GFP_MAX_K], *at = part->z + (part->end - 1) * gfp_field_k(w->s->field);
    if (calls++ == wrong_call) {
        gfp_elem_one(w->s->field, one);
        gfp_elem_add(w->s->field, at, at, one);
    }
}

static gfp_status wrong_multiply_by(gfp_operand_call *w, const gfp_operand_part *part,
                                    const gfp_operand_factor *a, const gfp_operand *x)
{
    const gfp_status status = gfp_operand_hybrid.multiply_by(w, part, a, x);
    spoil(w, part);
    return status;
}

static gfp_status wrong_dot(gfp_operand_call *w, const gfp_operand_part *part,
                            const gfp_operand_sum *sum)
{
    const gfp_status status = gfp_operand_hybrid.dot(w, part, sum);
    spoil(w, part);
    return status;
}

static gfp_method *make_wrong_row(void)
{
    wrong_operands = gfp_operand_hybrid;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_operands.dot = wrong_dot;
    wrong_row = *gfp_method_find("hybrid");
    wrong_row.name = "wrong";
    wrong_row.operands = &wrong_operands;
    return &wrong_row;
}

static void wrong_products_are_caught(void **state)
{
    (void)state;
    gfp_method_add(make_wrong_row());
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 2; i++) {
        const operation *o = &operations[i / 2 % OPERATIONS];
        gfp_report report = {0};
        world w;
        if (o->product) {
            continue;
        }
        calls = 0;
        wrong_call = SIZE_MAX;
        start(&w, problems[i / 2 / OPERATIONS].field, problems[i / 2 / OPERATIONS].n, "wrong");
        w.options.verify = kinds[1 + i % 2];
        w.options.report = &report;
        calls = 0;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_string_equal(report.method, w.s.n > 16 ? "wrong" : "classical");
        assert_true(report.verified >= w.options.verify);
        if (report.verified == GFP_VERIFY_POINT) {
            assert_true(report.points > 0 && report.log2_error <= -34);
        } else {
            assert_non_null(report.cross_method);
            assert_string_not_equal(report.cross_method, "wrong");
        }
        gfp_poly right;
        uint64_t *right_values = new_vector(w.field, w.s.n);
        gfp_poly_init(&right, w.field);
        assert_int_equal(gfp_poly_copy(&right, &w.s.z), GFP_OK);
        gfp_vec_copy(w.field, right_values, w.s.y, w.s.n);
        reset(&w);
        size_t caught = 0;
        for (size_t of = calls, c = 0; c < of; c++) {
            calls = 0;
            wrong_call = c;
            const gfp_status status = run(&w, o);
            if (status == GFP_OK) { /* what was wrong did not matter: it belonged to the padding */
                expect_same(&w.s.z, &right, o->name, w.s.n, c);
                expect_values(&w.s, right_values, o->name);
                reset(&w);
                continue;
            }
            lab_expect_status(status, GFP_ERR_VERIFY, &w.error, o->name);
            expect_unchanged(&w, o, c);
            caught++;
        }
        assert_true(w.s.n <= 16 || caught > 0);
        gfp_poly_clear(&right);
        free(right_values);
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

/* A wrong tree, made without a check, is found by the check of a call on it. */
static void wrong_trees_are_caught(void **state)
{
    (void)state;
    gfp_method_add(make_wrong_row());
    size_t of = 1;
    for (size_t c = 0; c < of; c++) {
        world w;
        calls = 0;
        wrong_call = SIZE_MAX;
        start(&w, "p8", 100, "wrong");
        gfp_tree_destroy(w.s.T);
        calls = 0;
        wrong_call = c;
        assert_int_equal(gfp_tree_create(&w.s.T, w.field, w.s.points, w.s.n, &w.options), GFP_OK);
        of = calls;
        w.options.verify = GFP_VERIFY_POINT;
        lab_expect_status(gfp_tree_eval(w.s.y, &w.s.f, w.s.T, &w.options), GFP_ERR_VERIFY, &w.error,
                          "values by a wrong tree");
        expect_unchanged(&w, &operations[2], c);
        end(&w);
    }
    assert_true(of > 5);
    gfp_method_remove(&wrong_row);
}

/* A progression by wrong products: a row whose products are wrong in the last coefficient. */
static gfp_status wrong_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    uint64_t one[GFP_MAX_K];
    uint64_t *at = c + (plan->needs.end - plan->needs.first - 1) * gfp_field_k(range->field);
    const gfp_status status = gfp_method_find("hybrid")->run(plan, range, c, work, task, error);
    gfp_elem_one(range->field, one);
    if (calls++ == wrong_call) {
        gfp_elem_add(range->field, at, at, one);
    }
    return status;
}

static void wrong_progressions_are_caught(void **state)
{
    (void)state;
    make_wrong_row();
    wrong_row.run = wrong_run;
    wrong_row.prepare = NULL;
    wrong_row.finish = NULL;
    wrong_row.run_batch = NULL;
    gfp_method_add(&wrong_row);
    for (size_t i = 0; i < OPERATIONS; i++) {
        world w;
        if (!operations[i].product) {
            continue;
        }
        calls = 0;
        wrong_call = SIZE_MAX;
        start(&w, "p8", 45, NULL);
        w.options.method = "wrong";
        w.options.verify = GFP_VERIFY_POINT;
        calls = 0;
        assert_int_equal(run(&w, &operations[i]), GFP_OK);
        assert_true(calls >= 1);
        reset(&w);
        for (size_t of = calls, c = 0; c < of; c++) {
            calls = 0;
            wrong_call = c;
            lab_expect_status(run(&w, &operations[i]), GFP_ERR_VERIFY, &w.error,
                              operations[i].name);
            expect_unchanged(&w, &operations[i], c);
        }
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

static void reports(void **state)
{
    (void)state;
    orchard s;
    make_orchard(&s, lab_named("p8")->field, 100, false, 1);
    assert_int_equal(gfp_tree_create(&s.T, s.field, s.points, s.n, NULL), GFP_OK);
    for (size_t i = 0; i < OPERATIONS; i++) {
        gfp_report report = {0};
        const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .threads = 1};
        assert_int_equal(operations[i].run(&s, &options), GFP_OK);
        assert_true(operations[i].product || strcmp(report.method, "hybrid") == 0);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.threads, 1);
        assert_true(report.points >= 1);
        assert_true(report.log2_error < -40 && report.multiply_ns > 0 && report.verify_ns > 0);
    }
    clear_orchard(&s);
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
        cmocka_unit_test(reports),
        cmocka_unit_test(inputs_in_the_result),
        cmocka_unit_test(no_points_and_an_error),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
