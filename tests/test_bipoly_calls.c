/* test_bipoly_calls.c: calls on polynomials in two variables: memory, progress, threads,
 * verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_lab.h"

#include "meter.h"
#include "operand_engine.h"
#include "sanitized.h"

/* ---- the operations ---- */

/* Operands x = a c and y = b c; results z, f, values at a progression. */
typedef struct calls {
    bivariate s;
    uint64_t start[GFP_MAX_K], ratio[GFP_MAX_K];
    uint64_t *values;
    size_t n, points; /* elements of values */
} calls;

static gfp_status product(calls *c, const gfp_options *options)
{
    return gfp_bipoly_mul(&c->s.z, &c->s.x, &c->s.y, options);
}

static gfp_status square(calls *c, const gfp_options *options)
{
    return gfp_bipoly_sqr(&c->s.z, &c->s.x, options);
}

static gfp_status quotient(calls *c, const gfp_options *options)
{
    bool yes = false;
    const gfp_status status = gfp_bipoly_divides(&yes, &c->s.z, &c->s.x, &c->s.c, options);
    assert_true(status != GFP_OK || yes);
    return status;
}

static gfp_status values(calls *c, const gfp_options *options)
{
    return gfp_bipoly_eval_geometric(c->values, &c->s.x, c->start, c->ratio, c->points, options);
}

static gfp_status resultant(calls *c, const gfp_options *options)
{
    return gfp_bipoly_resultant_y(&c->s.f, &c->s.x, &c->s.b, options);
}

static gfp_status resultant_x(calls *c, const gfp_options *options)
{
    return gfp_bipoly_resultant_x(&c->s.f, &c->s.x, &c->s.b, options);
}

static gfp_status divisor(calls *c, const gfp_options *options)
{
    return gfp_bipoly_gcd(&c->s.z, &c->s.x, &c->s.y, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(calls *c, const gfp_options *options);
} operation;

static const operation operations[] = {
    {"product", product}, {"square", square},       {"quotient", quotient},
    {"values", values},   {"resultant", resultant}, {"resultant with respect to X", resultant_x},
    {"gcd", divisor},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

static void make_calls(calls *c, const gfp_field *field, size_t len_x, size_t len_y)
{
    make_bivariate(&c->s, field, 7);
    fill(&c->s, &c->s.a, len_x, len_y, false);
    fill(&c->s, &c->s.b, 2, 3, false);
    fill(&c->s, &c->s.c, 3, 2, false);
    assert_int_equal(gfp_bipoly_mul(&c->s.x, &c->s.a, &c->s.c, NULL), GFP_OK);
    assert_int_equal(gfp_bipoly_mul(&c->s.y, &c->s.b, &c->s.c, NULL), GFP_OK);
    gfp_elem_set_u64(field, c->start, 2);
    gfp_elem_set_u64(field, c->ratio, 3);
    c->points = 40;
    c->n = c->points * c->s.x.len;
    c->values = malloc(c->n * gfp_field_k(field) * sizeof *c->values);
    assert_non_null(c->values);
}

static void clear_calls(calls *c)
{
    clear_bivariate(&c->s);
    free(c->values);
}

/* ---- memory and progress ---- */

/* A field whose memory is metered, and a host that is asked whether to go on. */
typedef struct world {
    meter m;
    gfp_allocator allocator;
    gfp_field *field;
    calls c;
    gfp_bipoly before;
    size_t asked, stop_at;
    double last;
    bool falls;
    gfp_progress progress;
    gfp_error error;
    gfp_options options;
} world;

static bool go_on(void *user, double fraction)
{
    world *w = user;
    w->falls = w->falls || fraction < w->last || fraction > 1;
    w->last = fraction;
    return w->asked++ != w->stop_at;
}

static void reset(world *w)
{
    assert_int_equal(gfp_bipoly_copy(&w->c.s.z, &w->before), GFP_OK);
    assert_int_equal(gfp_poly_copy(&w->c.s.f, &w->before.coeff[0]), GFP_OK);
    memset(w->c.values, 0x11, w->c.n * gfp_field_k(w->field) * sizeof *w->c.values);
}

static void start(world *w, const char *name, size_t len_x, size_t len_y)
{
    memset(w, 0, sizeof *w);
    w->m.fail_at = SIZE_MAX;
    w->allocator = meter_hook(&w->m);
    w->progress = (gfp_progress){go_on, w};
    w->options = (gfp_options){.error = &w->error, .verify_seed = 6};
    w->stop_at = SIZE_MAX;
    assert_int_equal(gfp_field_create(&w->field, name, &w->allocator, NULL), GFP_OK);
    make_calls(&w->c, w->field, len_x, len_y);
    gfp_bipoly_init(&w->before, w->field);
    fill(&w->c.s, &w->before, 2, 2, false);
    reset(w);
}

static void end(world *w)
{
    clear_calls(&w->c);
    gfp_bipoly_clear(&w->before);
    gfp_field_destroy(w->field);
    meter_expect_empty(&w->m);
}

static gfp_status run(world *w, const operation *o)
{
    w->asked = 0;
    w->last = 0;
    w->error.message[0] = '\0';
    return o->run(&w->c, &w->options);
}

static void expect_unchanged(const world *w, const operation *o, size_t round)
{
    bool same =
        gfp_bipoly_equal(&w->c.s.z, &w->before) && gfp_poly_equal(&w->c.s.f, &w->before.coeff[0]);
    for (size_t i = 0; i < w->c.n * gfp_field_k(w->field); i++) {
        same = same && w->c.values[i] == 0x1111111111111111;
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
    size_t len_x, len_y;
} problems[] = {{"p8", 26, 5}, {"p2", 4, 9}, {"2^4+1", 3, 3}, {"16^4+1", 6, 4}};
#define PROBLEMS (sizeof problems / sizeof problems[0])
#define CASES (PROBLEMS * OPERATIONS * 3)

static const operation *open_case(world *w, size_t i)
{
    start(w, problems[i / 3 / OPERATIONS].field, problems[i / 3 / OPERATIONS].len_x,
          problems[i / 3 / OPERATIONS].len_y);
    w->options.verify = kinds[i % 3];
    return &operations[i / 3 % OPERATIONS];
}

/* Allocations that fail: each one in turn, but of many some. */
static void allocations_that_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        world w;
        const operation *o = open_case(&w, i);
        assert_int_equal(run(&w, o), GFP_OK); /* tables that stay with the field */
        reset(&w);
        for (size_t n = 0;; n += 1 + n / 50) {
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
        const size_t asked = w.asked;
        assert_true(asked >= 2);
        reset(&w);
        const size_t bytes = w.m.bytes - gfp_field_kept_memory(w.field);
        for (size_t n = 0; n < asked; n += 1 + n / 50) {
            w.stop_at = n;
            lab_expect_status(run(&w, o), GFP_ERR_CANCELLED, &w.error, o->name);
            assert_int_equal(w.asked, n + 1);
            expect_unchanged(&w, o, n);
            assert_int_equal(w.m.bytes - gfp_field_kept_memory(w.field), bytes);
        }
        end(&w);
    }
}

/* Bytes of the results, which are made apart. */
static size_t result_bytes(const calls *c)
{
    size_t bytes = c->s.f.capacity * gfp_element_bytes(c->s.field);
    for (size_t j = 0; j < c->s.z.capacity; j++) {
        bytes += sizeof(gfp_poly) + c->s.z.coeff[j].capacity * gfp_element_bytes(c->s.field);
    }
    return bytes;
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
        const size_t result = result_bytes(&w.c);
        reset(&w);
        size_t low = 0, high = (size_t)1 << 24;
        while (high > low + low / 16 + 1) {
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
            if (w.m.peak > bytes + middle + result) {
                fail_msg("%s over %s: %zu bytes within a cap of %zu", o->name,
                         gfp_field_name(w.field), w.m.peak - bytes - result, middle);
            }
        }
        assert_true(low > 100 && high < (size_t)1 << 23);
        end(&w);
    }
}

/* ---- calls without options ---- */

static gfp_status text_there_and_back(bivariate *s, gfp_error *error)
{
    char *text = NULL;
    size_t size = 0;
    gfp_status status = gfp_bipoly_to_string(&s->a, &text, &size, GFP_FORMAT_FLINT);
    if (status != GFP_OK) {
        return status;
    }
    status = gfp_bipoly_from_string(&s->z, text, size - 1, GFP_FORMAT_FLINT, error);
    gfp_string_free(s->field, text, size);
    return status;
}

/* One of the calls, into z and f. */
static gfp_status simple_call(bivariate *s, size_t which, gfp_error *error)
{
    uint64_t x[GFP_MAX_K];
    gfp_elem_set_u64(s->field, x, 3);
    switch (which) {
    case 0:
        return gfp_bipoly_copy(&s->z, &s->a);
    case 1:
        return gfp_bipoly_add(&s->z, &s->a, &s->b);
    case 2:
        return gfp_bipoly_sub(&s->z, &s->a, &s->b);
    case 3:
        return gfp_bipoly_neg(&s->z, &s->a);
    case 4:
        return gfp_bipoly_scale(&s->z, &s->a, x);
    case 5:
        return gfp_bipoly_make_monic(&s->z, &s->a);
    case 6:
        return gfp_bipoly_transpose(&s->z, &s->a);
    case 7:
        return gfp_bipoly_random(&s->z, 4, 4, &s->random);
    case 8:
        return gfp_bipoly_set_coeff(&s->z, 20, &s->a.coeff[0]);
    case 9:
        return gfp_bipoly_eval_x(&s->f, &s->a, x);
    case 10:
        return gfp_bipoly_eval_y(&s->f, &s->a, x);
    default:
        return text_there_and_back(s, error);
    }
}

static void simple_calls_without_memory(void **state)
{
    (void)state;
    for (size_t which = 0; which < 12; which++) {
        meter m = {.fail_at = SIZE_MAX};
        const gfp_allocator allocator = meter_hook(&m);
        gfp_field *field = NULL;
        gfp_bipoly before;
        gfp_poly poly;
        bivariate s;
        assert_int_equal(gfp_field_create(&field, "p4", &allocator, NULL), GFP_OK);
        make_bivariate(&s, field, which);
        fill(&s, &s.a, 5, 7, true);
        fill(&s, &s.b, 6, 3, false);
        fill(&s, &s.z, 2, 2, false);
        gfp_bipoly_init(&before, field);
        gfp_poly_init(&poly, field);
        assert_int_equal(gfp_bipoly_copy(&before, &s.z), GFP_OK);
        gfp_poly_zero(&s.f);
        gfp_poly_clear(&s.f);
        size_t n = 0;
        for (;; n++) {
            meter_fail_at(&m, n);
            const gfp_status status = simple_call(&s, which, NULL);
            if (m.calls <= n) {
                assert_int_equal(status, GFP_OK);
                break;
            }
            assert_int_equal(status, GFP_ERR_MEMORY);
            assert_true(gfp_bipoly_equal(&s.z, &before) && gfp_poly_is_zero(&s.f));
        }
        assert_true(n > 0);
        gfp_bipoly_clear(&before);
        gfp_poly_clear(&poly);
        clear_bivariate(&s);
        gfp_field_destroy(field);
        meter_expect_empty(&m);
    }
}

/* ---- threads ---- */

static void threads_do_not_matter(void **state)
{
    (void)state;
    const gfp_field *field = lab_named("p8")->field;
    calls c;
    calls d;
    make_calls(&c, field, 30, 20);
    make_calls(&d, field, 30, 20);
    for (size_t i = 0; i < OPERATIONS; i++) {
        gfp_report report = {0};
        gfp_options options = {.threads = 1};
        assert_int_equal(operations[i].run(&c, &options), GFP_OK);
        options = (gfp_options){.threads = 3, .verify = GFP_VERIFY_POINT, .report = &report};
        assert_int_equal(operations[i].run(&d, &options), GFP_OK);
        expect_same_bipoly(&d.s.z, &c.s.z, operations[i].name, i, 0);
        expect_same(&d.s.f, &c.s.f, operations[i].name, i, 0);
        if (operations[i].run == values) {
            assert_true(gfp_vec_equal(field, c.values, d.values, c.n));
        }
        assert_true(report.threads <= 3);
        assert_true((operations[i].run != resultant && operations[i].run != divisor) ||
                    report.threads == 3);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_true(report.points >= 1 && report.log2_error < -40);
        assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
    }
    clear_calls(&c);
    clear_calls(&d);
}

/* ---- verification ---- */

/* hybrid whose products, with operands or without, are wrong in the last coefficient at one
 * of the calls. */
static size_t count_of_calls, wrong_call;
static gfp_operand_engine wrong_operands;
static gfp_method wrong_row;

static void spoil(const gfp_field *field, uint64_t *at)
{
    uint64_t one[GFP_MAX_K];
    if (count_of_calls++ == wrong_call) {
        gfp_elem_one(field, one);
        gfp_elem_add(field, at, at, one);
    }
}

static gfp_status wrong_dot(gfp_operand_call *w, const gfp_operand_part *part,
                            const gfp_operand_sum *sum)
{
    const gfp_status status = gfp_operand_hybrid.dot(w, part, sum);
    spoil(w->s->field, part->z + (part->end - 1) * gfp_field_k(w->s->field));
    return status;
}

static gfp_status wrong_multiply_by(gfp_operand_call *w, const gfp_operand_part *part,
                                    const gfp_operand_factor *a, const gfp_operand *x)
{
    const gfp_status status = gfp_operand_hybrid.multiply_by(w, part, a, x);
    spoil(w->s->field, part->z + (part->end - 1) * gfp_field_k(w->s->field));
    return status;
}

static gfp_status wrong_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_status status = gfp_method_find("hybrid")->run(plan, range, c, work, task, error);
    spoil(range->field, c + (plan->needs.end - plan->needs.first - 1) * gfp_field_k(range->field));
    return status;
}

static void wrong_products_are_caught(void **state)
{
    (void)state;
    wrong_operands = gfp_operand_hybrid;
    wrong_operands.dot = wrong_dot;
    wrong_operands.multiply_by = wrong_multiply_by;
    wrong_row = *gfp_method_find("hybrid");
    wrong_row.name = "wrong";
    wrong_row.operands = &wrong_operands;
    wrong_row.run = wrong_run;
    wrong_row.prepare = NULL;
    wrong_row.finish = NULL;
    wrong_row.run_batch = NULL;
    gfp_method_add(&wrong_row);
    for (size_t i = 0; i < OPERATIONS; i++) {
        world w;
        size_t caught = 0, right = 0;
        wrong_call = SIZE_MAX;
        start(&w, "p8", 26, 5);
        w.options.verify = GFP_VERIFY_POINT;
        w.options.method = "wrong";
        count_of_calls = 0;
        assert_int_equal(run(&w, &operations[i]), GFP_OK);
        const size_t of = count_of_calls;
        gfp_bipoly z;
        gfp_poly f;
        gfp_bipoly_init(&z, w.field);
        gfp_poly_init(&f, w.field);
        assert_int_equal(gfp_bipoly_copy(&z, &w.c.s.z), GFP_OK);
        assert_int_equal(gfp_poly_copy(&f, &w.c.s.f), GFP_OK);
        for (size_t c = 0; c < of; c++) {
            reset(&w);
            count_of_calls = 0;
            wrong_call = c;
            const gfp_status status = run(&w, &operations[i]);
            if (status == GFP_ERR_VERIFY) {
                expect_unchanged(&w, &operations[i], c);
                caught++;
            } else {
                /* A candidate that was refused, and made again. */
                assert_int_equal(status, GFP_OK);
                assert_true(operations[i].run == divisor);
                expect_same_bipoly(&w.c.s.z, &z, operations[i].name, c, 0);
                right++;
            }
        }
        if (caught == 0) {
            fail_msg("%s: no wrong product in %zu calls", operations[i].name, of);
        }
        gfp_bipoly_clear(&z);
        gfp_poly_clear(&f);
        end(&w);
    }
    gfp_method_remove(&wrong_row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_that_fail), cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),        cmocka_unit_test(simple_calls_without_memory),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(wrong_products_are_caught),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
