/* test_series_calls.c: calls on series: arguments, outputs that are inputs, memory, progress,
 * threads, verification, reports. A call that fails leaves its output as it was.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "series_lab.h"

#include <string.h>

#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"

/* ---- arguments ---- */

/* A constant term that is 0 where it must not be, or not what it must be. */
static void wrong_constant_terms(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    for (size_t i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        if (o->run == third_power || o->run == large_power || o->run == taylor_shift) {
            continue; /* these take any */
        }
        for (uint64_t value = 0; value < 3; value++) {
            const gfp_status expected = o->constant == UNIT && value == 0   ? GFP_ERR_NOT_INVERTIBLE
                                        : o->constant == ONE && value != 1  ? GFP_ERR_ARGUMENT
                                        : o->constant == ZERO && value != 0 ? GFP_ERR_ARGUMENT
                                                                            : GFP_OK;
            series s;
            make(&s, field, 40, 40, 1);
            assert_int_equal(gfp_poly_set_coeff_u64(&s.a, 0, value), GFP_OK);
            for (size_t n = 1; n < 60; n += 19) {
                assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
                lab_expect_status(o->run(&s.z, &s.a, &s.b, n, &options), expected, &error, o->name);
                if (expected != GFP_OK) {
                    assert_int_equal(error.index, 0);
                    assert_true(gfp_poly_is_one(&s.z));
                }
            }
            /* 0 has no coefficient at all. */
            gfp_poly_zero(&s.a);
            lab_expect_status(o->run(&s.z, &s.a, &s.b, 40, &options),
                              o->constant == UNIT  ? GFP_ERR_NOT_INVERTIBLE
                              : o->constant == ONE ? GFP_ERR_ARGUMENT
                                                   : GFP_OK,
                              &error, o->name);
            clear(&s);
        }
    }
}

static void fields_that_are_too_small(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("4^2+1")->field; /* 17 elements */
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    for (size_t i = 0; i < OPERATIONS; i++) {
        for (size_t n = 16; n < 20; n++) {
            series s;
            make(&s, field, n, n, n);
            while (s.a.len < n) {
                assert_int_equal(gfp_poly_set_coeff_u64(&s.a, n - 1, 1), GFP_OK);
            }
            adapt(&s, &operations[i]);
            assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
            const bool fails = operations[i].divides && n > 17;
            assert_true(fails == too_small(&operations[i], &s, n));
            lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, n, &options),
                              fails ? GFP_ERR_UNAVAILABLE : GFP_OK, &error, operations[i].name);
            assert_true(!fails || gfp_poly_is_one(&s.z));
            clear(&s);
        }
    }
}

static void no_coefficients_at_all(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    series s;
    make(&s, field, 5, 0, 1);
    /* Modulo X^0 everything is 0, whatever the divisor. */
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (operations[i].run == taylor_shift) {
            continue; /* its length is the polynomial's */
        }
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 0, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    assert_int_equal(gfp_vec_inv_series(field, NULL, 0, NULL, 0, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, NULL, 0, NULL, 0, NULL, 0, NULL), GFP_OK);
    /* 0 by something. */
    for (size_t n = 1; n < 70; n += 17) {
        assert_int_equal(gfp_poly_one(&s.z), GFP_OK);
        assert_int_equal(gfp_poly_div_series(&s.z, &s.b, &s.a, n, NULL), GFP_OK);
        assert_int_equal(s.z.len, 0);
    }
    clear(&s);
}

static void bad_arguments(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    uint64_t one[8] = {1}, z[8] = {5};
    gfp_error error = {0};
    const gfp_options options = {.error = &error};
    series s, other;
    make(&s, field, 5, 5, 1);
    make(&other, lab_named("p4")->field, 5, 5, 1);
    lab_expect_status(gfp_vec_inv_series(NULL, z, 1, one, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no field");
    lab_expect_status(gfp_vec_inv_series(field, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no output");
    lab_expect_status(gfp_vec_inv_series(field, z, 1, NULL, 1, &options), GFP_ERR_ARGUMENT, &error,
                      "no input");
    lab_expect_status(gfp_vec_div_series(field, z, 1, NULL, 1, one, 1, &options), GFP_ERR_ARGUMENT,
                      &error, "no dividend");
    lab_expect_status(gfp_poly_inv_series(&s.z, NULL, 5, &options), GFP_ERR_ARGUMENT, &error,
                      "no polynomial");
    for (size_t i = 0; i < OPERATIONS; i++) {
        lab_expect_status(operations[i].run(&s.z, &other.a, &s.b, 5, &options),
                          GFP_ERR_FIELD_MISMATCH, &error, operations[i].name);
        gfp_options unknown = options;
        unknown.method = "none";
        adapt(&s, &operations[i]);
        lab_expect_status(operations[i].run(&s.z, &s.a, &s.b, 40, &unknown), GFP_ERR_UNKNOWN,
                          &error, operations[i].name);
        if (operations[i].run == taylor_shift) {
            continue;
        }
        const gfp_status status = operations[i].run(&s.z, &s.a, &s.b, SIZE_MAX / 2, &options);
        assert_true(status == GFP_ERR_SIZE || status == GFP_ERR_MEMORY);
        assert_int_equal(error.status, status);
    }
    assert_int_equal(gfp_vec_inv_series(field, z, SIZE_MAX / 64, one, 1, &options), GFP_ERR_SIZE);
    assert_true(z[0] == 5);
    clear(&s);
    clear(&other);
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t n = 5; n < 100; n += 31) {
        for (size_t i = 0; i < OPERATIONS; i++) {
            series s;
            make(&s, field, n, n + 2, n);
            adapt(&s, &operations[i]);
            assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n + 9, NULL), GFP_OK);
            assert_int_equal(gfp_poly_copy(&s.z, &s.a), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.z, &s.b, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            assert_int_equal(gfp_poly_copy(&s.z, &s.b), GFP_OK);
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.z, n + 9, NULL), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n + 9, n);
            clear(&s);
        }
    }
    /* Arrays that overlap anyhow. */
    uint64_t *x = lab_array(60 * 8), *expected = lab_array(50 * 8);
    gfp_random g;
    gfp_random_seed(&g, 4);
    gfp_vec_random(field, x, 60, &g);
    assert_int_equal(gfp_vec_div_series(field, expected, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_int_equal(gfp_vec_div_series(field, x + 3 * 8, 50, x, 40, x + 7 * 8, 50, NULL), GFP_OK);
    assert_true(gfp_vec_equal(field, x + 3 * 8, expected, 50));
    lab_free(x);
    lab_free(expected);
}

/* ---- memory, progress, threads ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    series s;
    gfp_poly before;
    size_t n;
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

static void start(world *w, const char *name, size_t n)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    make(&w->s, w->field, n, n, 9);
    w->n = n;
    gfp_poly_init(&w->before, w->field);
    /* The output has room: what fails or is cancelled leaves it alone, capacity included. */
    assert_int_equal(gfp_poly_fit_length(&w->s.z, n), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->s.z, 3, 5), GFP_OK);
    assert_int_equal(gfp_poly_copy(&w->before, &w->s.z), GFP_OK);
    w->progress = (gfp_progress){step, w};
    w->options = (gfp_options){.error = &w->error, .verify_seed = 6};
    w->stop_at = SIZE_MAX;
}

static void end(world *w)
{
    clear(&w->s);
    gfp_poly_clear(&w->before);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static gfp_status run(world *w, const operation *o)
{
    adapt(&w->s, o);
    w->asked = 0;
    w->last = 0;
    w->error.message[0] = '\0';
    return o->run(&w->s.z, &w->s.a, &w->s.b, w->n, &w->options);
}

static void expect_unchanged(const world *w, const operation *o, size_t round)
{
    if (!gfp_poly_equal(&w->s.z, &w->before)) {
        fail_msg("%s: failure %zu changed the output", o->name, round);
    }
    assert_true(w->error.message[0] != '\0');
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
static const struct {
    const char *field;
    size_t n;
} problems[] = {{"p8", 70}, {"p2", 150}, {"2^4+1", 100}};
#define TINY 2 /* the number of the problem over a field with fewer elements than terms */
#define PROBLEMS (sizeof problems / sizeof problems[0])

/* Every allocation fails once. */
static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        if (o->divides && i / 3 / OPERATIONS == TINY) {
            continue;
        }
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        assert_int_equal(run(&w, o), GFP_OK); /* tables that stay with the field */
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        for (size_t n = 0, more = 1;; n += more) {
            more = n < 64 ? 1 : 7;
            gfp_field_release_memory(w.field);
            const size_t blocks = w.m.blocks, bytes = w.m.bytes;
            meter_fail_at(&w.m, n);
            const gfp_status status = run(&w, o);
            w.m.fail_at = SIZE_MAX;
            gfp_field_release_memory(w.field);
            if (w.m.calls <= n) {
                assert_int_equal(status, GFP_OK);
                assert_true(n > 0);
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

/* Every question is once answered with no; of very many some. */
static void cancelled_at_any_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        if (o->divides && i / 3 / OPERATIONS == TINY) {
            continue;
        }
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        w.options.progress = &w.progress;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_false(w.falls);
        assert_true(w.last >= 1);
        const size_t calls = w.asked;
        assert_true(calls > 6);
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < calls; n += 1 + calls / 64) {
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
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 3; i++) {
        const operation *o = &operations[i / 3 % OPERATIONS];
        world w;
        if (o->divides && i / 3 / OPERATIONS == TINY) {
            continue;
        }
        start(&w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].n);
        w.options.verify = kinds[i % 3];
        gfp_field_limit_memory(w.field, 0);   /* the field keeps no work areas */
        assert_int_equal(run(&w, o), GFP_OK); /* tables of the field are there now */
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        size_t low = 0, high = (size_t)1 << 24;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            w.options.memory_cap = middle;
            (void)!run(&w, o); /* another method may make its tables */
            assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
            const size_t bytes = w.m.bytes;
            w.m.peak = bytes;
            const gfp_status status = run(&w, o);
            if (status == GFP_OK) {
                high = middle;
                assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
            } else {
                low = middle;
                lab_expect_status(status, GFP_ERR_MEMORY, &w.error, o->name);
                expect_unchanged(&w, o, middle);
            }
            if (w.m.peak > bytes + middle) {
                fail_msg("%s: %zu bytes within a cap of %zu", o->name, w.m.peak - bytes, middle);
            }
        }
        assert_true(low > 100 && high < (size_t)1 << 23);
        end(&w);
    }
}

static void threads_do_not_matter(void **state)
{
    static const size_t some[] = {40, 300, 1100};
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t j = 0; j < sizeof some / sizeof some[0] - SANITIZED; j++) {
        const size_t n = some[j];
        series s;
        make(&s, field, n, n, n);
        for (size_t i = 0; i < OPERATIONS; i++) {
            gfp_options options = {.threads = 1};
            adapt(&s, &operations[i]);
            assert_int_equal(operations[i].run(&s.expected, &s.a, &s.b, n, &options), GFP_OK);
            options.threads = 2;
            options.verify = GFP_VERIFY_POINT;
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, n, &options), GFP_OK);
            expect_equal(&s.z, &s.expected, operations[i].name, n, n);
        }
        clear(&s);
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

/* Whole products, too. */
static gfp_status wrong_run(const gfp_plan *p, const gfp_range *r, uint64_t *c, uint64_t *work,
                            gfp_task *task, gfp_error *error)
{
    const gfp_status status = gfp_method_find("hybrid")->run(p, r, c, work, task, error);
    const gfp_operand_call call = {.s = &(gfp_space){.field = r->field}};
    const gfp_operand_part part = {c, r->first, r->end - r->first};
    if (status == GFP_OK) {
        spoil(&call, &part);
    }
    return status;
}

static void wrong_products_are_caught(void **state)
{
    (void)state;
    wrong_operands = gfp_operand_hybrid;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_operands.dot = wrong_dot;
    wrong_row = *gfp_method_find("hybrid");
    wrong_row.name = "wrong";
    wrong_row.operands = &wrong_operands;
    wrong_row.run = wrong_run;
    gfp_method_add(&wrong_row);
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 2; i++) {
        const operation *o = &operations[i / 2 % OPERATIONS];
        gfp_report report = {0};
        world w;
        if (o->divides && i / 2 / OPERATIONS == TINY) {
            continue;
        }
        start(&w, problems[i / 2 / OPERATIONS].field, problems[i / 2 / OPERATIONS].n);
        w.options.method = "wrong";
        w.options.verify = kinds[1 + i % 2];
        w.options.report = &report;
        calls = 0;
        wrong_call = SIZE_MAX;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_string_equal(report.method, "wrong");
        assert_true(report.verified >= w.options.verify);
        if (report.verified == GFP_VERIFY_POINT) {
            assert_true(report.points > 0 && report.log2_error <= -40);
        } else {
            assert_non_null(report.cross_method);
            assert_string_not_equal(report.cross_method, "wrong");
        }
        assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        for (size_t of = calls, c = 0; c < of; c += 1 + of / 16) {
            calls = 0;
            wrong_call = c;
            lab_expect_status(run(&w, o), GFP_ERR_VERIFY, &w.error, o->name);
            expect_unchanged(&w, o, c);
            w.options.verify = GFP_VERIFY_NONE;
            calls = 0;
            assert_int_equal(run(&w, o), GFP_OK); /* nobody looks */
            w.options.verify = kinds[1 + i % 2];
            assert_int_equal(gfp_poly_copy(&w.s.z, &w.before), GFP_OK);
        }
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

static void reports(void **state)
{
    (void)state;
    gfp_report report = {0};
    series s;
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .threads = 1};
    make(&s, lab_named("p8")->field, 100, 100, 1);
    for (size_t i = 0; i < OPERATIONS; i++) {
        adapt(&s, &operations[i]);
        assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 100, &options), GFP_OK);
        assert_string_equal(report.method, "hybrid");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.threads, 1);
        assert_in_range(report.points, 1, 2);
        assert_true(report.log2_error < -40 && report.multiply_ns > 0 && report.verify_ns > 0);
        if (operations[i].run != taylor_shift && operations[i].run != third_power) {
            assert_int_equal(operations[i].run(&s.z, &s.a, &s.b, 4, &options), GFP_OK);
            assert_string_equal(report.method, "classical");
        }
    }
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_constant_terms),
        cmocka_unit_test(fields_that_are_too_small),
        cmocka_unit_test(no_coefficients_at_all),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(cancelled_at_any_step),
        cmocka_unit_test(caps_on_memory),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_products_are_caught),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown); /* fields are opened one by one */
}
