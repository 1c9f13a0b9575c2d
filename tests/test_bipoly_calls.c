/* test_bipoly_calls.c: calls on polynomials in two variables: memory, progress, threads,
 * verification, reports. A call that fails leaves its outputs as they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bipoly_lab.h"
#include "calls_traits.h"
#include "operand_engine.h"

/* ---- the operations ---- */

/* Operands x = a c and y = b c; results z, f, values at a progression. */
typedef struct subject {
    bivariate s;
    uint64_t start[GFP_MAX_K], ratio[GFP_MAX_K];
    uint64_t *values;
    size_t n, points; /* elements of values */
} subject;

static gfp_status product(subject *c, const gfp_options *options)
{
    return gfp_bipoly_mul(&c->s.z, &c->s.x, &c->s.y, options);
}

static gfp_status square(subject *c, const gfp_options *options)
{
    return gfp_bipoly_sqr(&c->s.z, &c->s.x, options);
}

static gfp_status quotient(subject *c, const gfp_options *options)
{
    bool yes = false;
    const gfp_status status = gfp_bipoly_divides(&yes, &c->s.z, &c->s.x, &c->s.c, options);
    /* A wrong product that nobody looks for may hide the divisor. */
    assert_true(status != GFP_OK || yes || options->verify == GFP_VERIFY_NONE);
    return status;
}

static gfp_status values(subject *c, const gfp_options *options)
{
    return gfp_bipoly_eval_geometric(c->values, &c->s.x, c->start, c->ratio, c->points, options);
}

static gfp_status resultant(subject *c, const gfp_options *options)
{
    return gfp_bipoly_resultant_y(&c->s.f, &c->s.x, &c->s.b, options);
}

static gfp_status resultant_x(subject *c, const gfp_options *options)
{
    return gfp_bipoly_resultant_x(&c->s.f, &c->s.x, &c->s.b, options);
}

static gfp_status divisor(subject *c, const gfp_options *options)
{
    return gfp_bipoly_gcd(&c->s.z, &c->s.x, &c->s.y, options);
}

typedef struct operation {
    const char *name;
    gfp_status (*run)(subject *c, const gfp_options *options);
} operation;

static const operation operations[] = {
    {"product", product}, {"square", square},       {"quotient", quotient},
    {"values", values},   {"resultant", resultant}, {"resultant with respect to X", resultant_x},
    {"gcd", divisor},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* The lengths of a in X and Y. */
typedef struct problem {
    const char *field;
    size_t len_x, len_y;
} problem;

static gfp_status make_subject(subject *c, const gfp_field *field, const problem *p,
                               const gfp_options *options)
{
    (void)options;
    make_bivariate(&c->s, field, 7);
    fill(&c->s, &c->s.a, p->len_x, p->len_y, false);
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
    return GFP_OK;
}

static void clear_subject(subject *c)
{
    clear_bivariate(&c->s);
    free(c->values);
}

/* z := f = 5 X^3. */
static void reset(subject *c)
{
    mark(&c->s.f);
    gfp_bipoly_zero(&c->s.z);
    assert_int_equal(gfp_bipoly_set_coeff(&c->s.z, 0, &c->s.f), GFP_OK);
    memset(c->values, 0x11, c->n * gfp_field_k(c->s.field) * sizeof *c->values);
}

static bool unchanged(const subject *c)
{
    bool same = c->s.z.len == 1 && is_marked(&c->s.z.coeff[0]) && is_marked(&c->s.f);
    for (size_t i = 0; i < c->n * gfp_field_k(c->s.field); i++) {
        same = same && c->values[i] == 0x1111111111111111;
    }
    return same;
}

static size_t result_bytes(const subject *c)
{
    size_t bytes = c->s.f.capacity * gfp_element_bytes(c->s.field);
    for (size_t j = 0; j < c->s.z.capacity; j++) {
        bytes += sizeof(gfp_poly) + c->s.z.coeff[j].capacity * gfp_element_bytes(c->s.field);
    }
    return bytes;
}

static void expect_same_results(const subject *c, const subject *d, const operation *o)
{
    expect_same_bipoly(&c->s.z, &d->s.z, o->name, 0, 0);
    expect_same(&c->s.f, &d->s.f, o->name, 0, 0);
    assert_memory_equal(c->values, d->values, c->n * gfp_field_k(c->s.field) * sizeof *c->values);
}

static gfp_status run_operation(subject *c, const operation *o, const gfp_options *options)
{
    return o->run(c, options);
}

/* A wrong candidate for a gcd is refused, and made again. */
static unsigned traits_of(const operation *o, const problem *p)
{
    return (o->run == divisor ? MOST_MATTER : 0U) |
           (p->len_y >= 20 && (o->run == resultant || o->run == divisor) ? SHARED : 0U);
}

static const problem problems[] = {{"p8", 26, 5}, {"p2", 4, 9}, {"2^4+1", 3, 3}, {"16^4+1", 6, 4}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#include "calls_lab.h"

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

/* ---- threads, wrong products ---- */

static void threads_do_not_matter(void **state)
{
    (void)state;
    expect_threads_alike(&(problem){"p8", 30, 20}, 3);
}

static void wrong_products_are_found(void **state)
{
    (void)state;
    add_wrong_row(true);
    for (size_t i = 0; i < OPERATIONS; i++) {
        expect_caught(&problems[0], &operations[i], GFP_VERIFY_POINT);
        expect_caught(&problems[0], &operations[i], GFP_VERIFY_CROSS);
    }
    gfp_method_remove(&wrong_row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_that_fail), cmocka_unit_test(cancelled_at_every_step),
        cmocka_unit_test(caps_on_memory),        cmocka_unit_test(simple_calls_without_memory),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(wrong_products_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
