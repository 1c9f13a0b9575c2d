/* calls_lab.h: tests of calls that compute many products: memory, progress, threads, verification,
 * reports. A call that fails leaves its outputs as they were. The file that includes this header
 * has a table of `operations` before, and `problems`: fields, and the degree of f in `parts`.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef CALLS_LAB_H
#define CALLS_LAB_H

#include <stdlib.h>
#include <string.h>

/* ---- memory, progress, threads ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    parts s;
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
    assert_int_equal(gfp_poly_copy(&w->s.y, &w->before), GFP_OK);
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
    make_parts(&w->s, w->field, n, 9);
    make_modulus(&w->s, &w->options);
    gfp_poly_init(&w->before, w->field);
    assert_int_equal(gfp_poly_set_coeff_u64(&w->before, 3, 5), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&w->s.z, 6 * n), GFP_OK);
    assert_int_equal(gfp_poly_fit_length(&w->s.y, n), GFP_OK);
    reset(w);
}

static void end(world *w)
{
    clear_parts(&w->s);
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
    if (!gfp_poly_equal(&w->s.z, &w->before) || !gfp_poly_equal(&w->s.y, &w->before)) {
        fail_msg("%s: failure %zu changed an output", o->name, round);
    }
    if (w->error.message[0] == '\0') {
        fail_msg("%s: failure %zu says nothing", o->name, round);
    }
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
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
        assert_true(calls > 2);
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

/* The bytes that a refusal says are needed at least, more than the cap; 0: it does not say. */
static size_t needed_at_least(const gfp_error *error, size_t cap)
{
    static const char lead[] = "at least ";
    const char *at = strstr(error->message, lead);
    const size_t bytes = at != NULL ? strtoull(at + sizeof lead - 1, NULL, 10) : 0;
    assert_true(bytes == 0 || bytes > cap);
    return bytes;
}

/* The least cap that suffices is kept to, and one byte less is refused; what refusals say is needed
 * is not more than this cap. */
static void caps_on_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        gfp_field_limit_memory(w.field, 0);   /* the field keeps no work areas */
        assert_int_equal(run(&w, o), GFP_OK); /* tables of the field are there now */
        reset(&w);
        size_t low = 0, high = o->creates ? 0 : (size_t)1 << 24, needed = 0;
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
                const size_t named = needed_at_least(&w.error, middle);
                needed = named > needed ? named : needed;
            }
            if (w.m.peak > bytes + middle) {
                fail_msg("%s: %zu bytes within a cap of %zu", o->name, w.m.peak - bytes, middle);
            }
        }
        if (!o->creates && needed > high) {
            fail_msg("%s, case %zu: %zu bytes said to be needed, %zu are", o->name, i, needed,
                     high);
        }
        if (!o->creates && (low <= 100 || high >= (size_t)1 << 23)) {
            fail_msg("%s, case %zu: a least cap of %zu bytes", o->name, i, high);
        }
        end(&w);
    }
}

static void threads_do_not_matter(void **state)
{
    static const size_t some[] = {30, 300};
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    for (size_t j = 0; j < sizeof some / sizeof some[0] - SANITIZED; j++) {
        parts s, t;
        gfp_options options = {.threads = 1};
        make_parts(&s, field, some[j], j);
        make_parts(&t, field, some[j], j);
        make_modulus(&s, NULL);
        make_modulus(&t, NULL);
        for (size_t i = 0; i < OPERATIONS; i++) {
            options = (gfp_options){.threads = 1};
            assert_int_equal(operations[i].run(&s, &options), GFP_OK);
            options = (gfp_options){.threads = 2, .verify = GFP_VERIFY_POINT};
            assert_int_equal(operations[i].run(&t, &options), GFP_OK);
            expect_same(&t.z, &s.z, operations[i].name, some[j], i);
            expect_same(&t.y, &s.y, operations[i].name, some[j], i);
        }
        clear_parts(&s);
        clear_parts(&t);
    }
}

/* The degree of f. */
#ifndef CALLS_SIZE
#define CALLS_SIZE 110
#endif

/* Every method that has transforms that stay. */
static void all_methods_with_operands(void **state)
{
    static const char *const names[] = {"p2", "p8", "m16", "30^32+1", "2^16+1"};
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        parts s, t;
        make_parts(&s, lab_named(names[f])->field, CALLS_SIZE, f);
        make_modulus(&s, NULL);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            gfp_report report = {0};
            gfp_error error = {0};
            const gfp_options options = {
                .method = gfp_method_name(m), .report = &report, .error = &error};
            make_parts(&t, s.f.field, CALLS_SIZE, f);
            gfp_status status = gfp_modulus_create(&t.M, &t.f, &options);
            if (status == GFP_ERR_UNAVAILABLE) {
                assert_true(strcmp(options.method, "hybrid") != 0 && error.message[0] != '\0');
                clear_parts(&t);
                continue;
            }
            lab_expect_status(status, GFP_OK, &error, options.method);
            make_users(&t, NULL);
            for (size_t i = 0; i < OPERATIONS; i++) {
                assert_int_equal(operations[i].run(&s, NULL), GFP_OK);
                status = operations[i].run(&t, &options);
                lab_expect_status(status, GFP_OK, &error, operations[i].name);
                assert_string_equal(report.method, options.method);
                expect_same(&t.z, &s.z, operations[i].name, CALLS_SIZE, m);
                expect_same(&t.y, &s.y, operations[i].name, CALLS_SIZE, m);
            }
            clear_parts(&t);
        }
        clear_parts(&s);
    }
}

/* ---- verification ---- */

/* hybrid with operands whose products by a polynomial, or sums of products, are wrong: one more in
 * a coefficient amid those that are asked for, at one of the calls. */
static size_t calls, wrong_call;
static gfp_operand_engine wrong_operands;
static gfp_method wrong_row;

static void spoil(const gfp_operand_call *w, const gfp_operand_part *part)
{
    const size_t middle = part->from + (part->end - part->from) / 2;
    uint64_t one[GFP_MAX_K], *at = part->z + middle * gfp_field_k(w->s->field);
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

typedef struct pair_of_results {
    gfp_poly z, y;
} pair_of_results;

static void take_results(pair_of_results *r, const world *w)
{
    gfp_poly_init(&r->z, w->field);
    gfp_poly_init(&r->y, w->field);
    assert_int_equal(gfp_poly_copy(&r->z, &w->s.z), GFP_OK);
    assert_int_equal(gfp_poly_copy(&r->y, &w->s.y), GFP_OK);
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
    gfp_method_add(&wrong_row);
    for (size_t i = 0; i < PROBLEMS * OPERATIONS * 2; i++) {
        const operation *o = &operations[i / 2 % OPERATIONS];
        gfp_report report = {0};
        world w;
        calls = 0;
        wrong_call = SIZE_MAX;
        start(&w, problems[i / 2 / OPERATIONS].field, problems[i / 2 / OPERATIONS].n, "wrong");
        w.options.verify = kinds[1 + i % 2];
        w.options.report = &report;
        calls = 0;
        assert_int_equal(run(&w, o), GFP_OK);
        assert_string_equal(report.method, "wrong");
        assert_true(report.verified >= w.options.verify);
        if (report.verified == GFP_VERIFY_POINT) {
            assert_true(report.points > 0 && report.log2_error <= -36);
        } else {
            assert_non_null(report.cross_method);
            assert_string_not_equal(report.cross_method, "wrong");
        }
        pair_of_results right;
        take_results(&right, &w);
        reset(&w);
        for (size_t of = calls, c = 0; c < of; c++) {
            calls = 0;
            wrong_call = c;
            const gfp_status status = run(&w, o);
            if (status == GFP_OK && o->may_be_right) {
                expect_same(&w.s.z, &right.z, o->name, i, c);
                expect_same(&w.s.y, &right.y, o->name, i, c);
                reset(&w);
                continue;
            }
            lab_expect_status(status, GFP_ERR_VERIFY, &w.error, o->name);
            expect_unchanged(&w, o, c);
        }
        gfp_poly_clear(&right.z);
        gfp_poly_clear(&right.y);
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

static void reports(void **state)
{
    (void)state;
    gfp_report report = {0};
    parts s;
    gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report, .threads = 1};
    make_parts(&s, lab_named("p8")->field, 100, 1);
    make_modulus(&s, NULL);
    for (size_t i = 0; i < OPERATIONS; i++) {
        assert_int_equal(operations[i].run(&s, &options), GFP_OK);
        assert_string_equal(report.method, "hybrid");
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.threads, 1);
        assert_true(report.points >= 1);
        assert_true(report.log2_error < -40 && report.multiply_ns > 0 && report.verify_ns > 0);
        options.verify = GFP_VERIFY_CROSS; /* the second computation is no part of the first */
        assert_int_equal(operations[i].run(&s, &options), GFP_OK);
        assert_int_equal(report.verified, GFP_VERIFY_CROSS);
        assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
        options.verify = GFP_VERIFY_POINT;
    }
    clear_parts(&s);
}

/* The tests of this header. */
#define CALLS_TESTS                                                                                \
    cmocka_unit_test(allocations_that_fail), cmocka_unit_test(cancelled_at_every_step),            \
        cmocka_unit_test(caps_on_memory), cmocka_unit_test(threads_do_not_matter),                 \
        cmocka_unit_test(all_methods_with_operands), cmocka_unit_test(wrong_products_are_caught),  \
        cmocka_unit_test(reports)

#endif
