/* test_factor_calls.c: factorisations as calls: memory, progress, threads, verification, reports. A
 * call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "factor_lab.h"

#include <string.h>

#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"

/* ---- the operations ---- */

/* f has roots and factors of degree 2 and 3, some multiple; pairs has two factors of degree 2, flat
 * is f without multiple factors. */
typedef struct parts_of {
    gfp_poly f, flat, pairs, drawn;
    gfp_factors F;
    gfp_roots R;
    bool yes;
    gfp_random random;
} parts_of;

static gfp_status factor(parts_of *s, const gfp_options *options)
{
    return gfp_poly_factor(&s->F, &s->f, options);
}

static gfp_status squarefree(parts_of *s, const gfp_options *options)
{
    return gfp_poly_factor_squarefree(&s->F, &s->f, options);
}

static gfp_status distinct_degree(parts_of *s, const gfp_options *options)
{
    return gfp_poly_factor_distinct_deg(&s->F, &s->flat, options);
}

static gfp_status equal_degree(parts_of *s, const gfp_options *options)
{
    return gfp_poly_factor_equal_deg(&s->F, &s->pairs, 2, options);
}

static gfp_status roots(parts_of *s, const gfp_options *options)
{
    return gfp_poly_roots(&s->R, &s->f, options);
}

static gfp_status irreducible(parts_of *s, const gfp_options *options)
{
    return gfp_poly_is_irreducible(&s->yes, &s->pairs, options);
}

static gfp_status random_irreducible(parts_of *s, const gfp_options *options)
{
    gfp_random_seed(&s->random, 4);
    return gfp_poly_random_irreducible(&s->drawn, 3, &s->random, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(parts_of *s, const gfp_options *options);
} operation;

static const operation operations[] = {
    {"factor", factor},
    {"squarefree", squarefree},
    {"distinct degree", distinct_degree},
    {"equal degree", equal_degree},
    {"roots", roots},
    {"irreducible", irreducible},
    {"random irreducible", random_irreducible},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static void make(parts_of *s, const gfp_field *field, size_t more)
{
    gfp_poly g;
    gfp_random random;
    gfp_random_seed(&random, 2);
    s->yes = true;
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
    if (more > 0) {
        random_poly(&g, more, &random);
        times_power(&s->f, &g, 1);
        times_power(&s->flat, &g, 1);
    }
    gfp_poly_clear(&g);
}

static void clear(parts_of *s)
{
    gfp_poly_clear(&s->f);
    gfp_poly_clear(&s->flat);
    gfp_poly_clear(&s->pairs);
    gfp_poly_clear(&s->drawn);
    gfp_factors_clear(&s->F);
    gfp_roots_clear(&s->R);
}

/* ---- memory, progress ---- */

typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    parts_of s;
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

static void start(world *w, const char *name, size_t more)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    w->progress = (gfp_progress){step, w};
    w->options = (gfp_options){.error = &w->error, .verify_seed = 6};
    w->stop_at = SIZE_MAX;
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    make(&w->s, w->field, more);
}

static void end(world *w)
{
    clear(&w->s);
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

static void reset(world *w)
{
    gfp_factors_clear(&w->s.F);
    gfp_roots_clear(&w->s.R);
    gfp_poly_clear(&w->s.drawn);
    w->s.yes = true;
}

static void expect_unchanged(const world *w, const operation *o, size_t round)
{
    if (w->s.F.count != 0 || w->s.R.count != 0 || w->s.drawn.len != 0 || !w->s.yes) {
        fail_msg("%s: failure %zu changed an output", o->name, round);
    }
    if (w->error.message[0] == '\0') {
        fail_msg("%s: failure %zu says nothing", o->name, round);
    }
}

static const gfp_verify kinds[] = {GFP_VERIFY_NONE, GFP_VERIFY_POINT, GFP_VERIFY_CROSS};
static const char *const fields[] = {"p2", "16^2+1"};
#define CASES (2 * OPERATIONS * 3)

static const operation *open_case(world *w, size_t i)
{
    start(w, fields[i / 3 / OPERATIONS], 0);
    w->options.verify = kinds[i % 3];
    return &operations[i / 3 % OPERATIONS];
}

/* Many calls inside are alike: about this many of them are tried. */
#define ROUNDS (SANITIZED ? 40 : 150)

static size_t stride(size_t calls)
{
    return 1 + calls / ROUNDS;
}

static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        assert_int_equal(run(&w, o), GFP_OK); /* tables that stay with the field */
        reset(&w);
        gfp_field_release_memory(w.field);
        meter_fail_at(&w.m, SIZE_MAX);
        assert_int_equal(run(&w, o), GFP_OK);
        const size_t calls = w.m.calls, apart = stride(calls);
        reset(&w);
        for (size_t n = 0; n < calls; n += n < 20 ? 1 : apart) {
            gfp_field_release_memory(w.field);
            const size_t blocks = w.m.blocks, bytes = w.m.bytes;
            meter_fail_at(&w.m, n);
            const gfp_status status = run(&w, o);
            w.m.fail_at = SIZE_MAX;
            gfp_field_release_memory(w.field);
            if (w.m.calls <= n) {
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
        const size_t calls = w.asked, apart = stride(calls);
        assert_true(calls > 2);
        reset(&w);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < calls; n += n < 20 ? 1 : apart) {
            w.stop_at = n;
            lab_expect_status(run(&w, o), GFP_ERR_CANCELLED, &w.error, o->name);
            assert_int_equal(w.asked, n + 1);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.bytes - gfp_field_kept_memory(w.field), bytes);
        }
        end(&w);
    }
}

/* A cap is kept to: the results have what room they need in addition. */
static void caps_on_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        gfp_field_limit_memory(w.field, 0);   /* the field keeps no work areas */
        assert_int_equal(run(&w, o), GFP_OK); /* tables of the field are there now */
        const size_t results = 1 << 13;
        reset(&w);
        size_t low = 0, high = (size_t)1 << 24;
        while (high > low + 1 + low / 64) {
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
            if (w.m.peak > bytes + middle + results) {
                fail_msg("%s: %zu bytes within a cap of %zu", o->name, w.m.peak - bytes, middle);
            }
        }
        assert_true(low > 100 && high < (size_t)1 << 22);
        end(&w);
    }
}

/* ---- threads, verification ---- */

static void threads_do_not_matter(void **state)
{
    (void)state;
    parts_of s, t;
    const gfp_field *field = lab_named("p8")->field;
    make(&s, field, SANITIZED ? 10 : 40);
    make(&t, field, SANITIZED ? 10 : 40);
    for (size_t i = 0; i < OPERATIONS; i++) {
        gfp_report report = {0};
        const gfp_options one = {.threads = 1},
                          two = {.threads = 2, .verify = GFP_VERIFY_POINT, .report = &report};
        assert_int_equal(operations[i].run(&s, &one), GFP_OK);
        assert_int_equal(operations[i].run(&t, &two), GFP_OK);
        expect_same_factors(&t.F, &s.F);
        assert_int_equal(t.R.count, s.R.count);
        assert_true(gfp_vec_equal(field, t.R.root, s.R.root, s.R.count));
        assert_true(gfp_poly_equal(&t.drawn, &s.drawn) && t.yes == s.yes);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_true(report.points > 0 && report.log2_error < -30);
        assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
    }
    clear(&s);
    clear(&t);
}

/* hybrid with operands whose products by a polynomial, or sums of products, are wrong at one of the
 * calls: one more in the last coefficient that is asked for. */
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
    for (size_t i = 0; i < 2 * OPERATIONS; i++) {
        const operation *o = &operations[i / 2];
        world w;
        calls = 0;
        wrong_call = SIZE_MAX;
        start(&w, "p2", 24);
        w.options.verify = kinds[1 + i % 2];
        w.options.method = "wrong";
        reset(&w);
        calls = 0;
        assert_int_equal(run(&w, o), GFP_OK);
        reset(&w);
        for (size_t of = calls, c = 0; c < of; c += 1 + of / 40) {
            calls = 0;
            wrong_call = c;
            lab_expect_status(run(&w, o), GFP_ERR_VERIFY, &w.error, o->name);
            expect_unchanged(&w, o, c);
        }
        wrong_call = SIZE_MAX;
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(wrong_products_are_caught),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
