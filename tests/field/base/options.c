/* options.c: options of other versions of their struct, in every call that takes them: members
 * that a smaller struct lacks count as zero and are not read, and a larger one must not set unknown
 * members.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gfpoly/file.h"
#include "gfpoly/gcd.h"
#include "gfpoly/methods.h"
#include "gfpoly/operand.h"
#include "gfpoly/series.h"
#include "gfpoly/tree.h"
#include "lab/fixtures.h"
#include "lab/rows.h"
#include "product/methods/engine.h"

#define LEN 40

typedef struct world {
    gfp_field *field;
    gfp_poly a, b, c, product;
    gfp_operand *x, *y;
    uint64_t *digits; /* of a batch of one product */
    char folder[40], path[60];
    gfp_file *file;
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    gfp_random g;
    gfp_random_seed(&g, 1);
    assert_non_null(w);
    w->field = lab_create("p4");
    gfp_poly_init(&w->a, w->field);
    gfp_poly_init(&w->b, w->field);
    gfp_poly_init(&w->c, w->field);
    gfp_poly_init(&w->product, w->field);
    assert_int_equal(gfp_poly_random(&w->a, LEN, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&w->b, LEN, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&w->product, &w->a, &w->b, NULL), GFP_OK);
    const gfp_space_spec spec = {.length = 2 * LEN - 1, .terms = 2};
    gfp_space *space = NULL;
    assert_int_equal(gfp_space_create(&space, w->field, &spec, NULL), GFP_OK);
    assert_int_equal(gfp_operand_create(&w->x, space), GFP_OK);
    assert_int_equal(gfp_operand_create(&w->y, space), GFP_OK);
    gfp_space_destroy(space); /* the operands keep it */
    assert_int_equal(gfp_poly_to_operand(w->x, &w->b, NULL), GFP_OK);
    assert_int_equal(gfp_poly_to_operand(w->y, &w->a, NULL), GFP_OK);
    w->digits = malloc((2 * LEN - 1) * gfp_field_k(w->field) * sizeof *w->digits);
    assert_non_null(w->digits);
    strcpy(w->folder, "/tmp/gfpoly-options-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    (void)snprintf(w->path, sizeof w->path, "%s/a", w->folder);
    assert_int_equal(gfp_poly_store(&w->a, w->path, NULL), GFP_OK);
    assert_int_equal(gfp_file_open(&w->file, w->path, w->field, NULL, NULL), GFP_OK);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    gfp_file_close(w->file);
    assert_int_equal(remove(w->path), 0);
    assert_int_equal(rmdir(w->folder), 0);
    free(w->digits);
    gfp_operand_destroy(w->x);
    gfp_operand_destroy(w->y);
    gfp_poly_clear(&w->product);
    gfp_poly_clear(&w->c);
    gfp_poly_clear(&w->b);
    gfp_poly_clear(&w->a);
    gfp_field_destroy(w->field);
    free(w);
    return 0;
}

/* ---- every call ---- */

typedef gfp_status one_call(world *w, const gfp_options *options);

static gfp_status options_mul(world *w, const gfp_options *options)
{
    return gfp_poly_mul(&w->c, &w->a, &w->b, options);
}

static gfp_status options_sqr(world *w, const gfp_options *options)
{
    return gfp_poly_sqr(&w->c, &w->a, options);
}

static gfp_status options_low(world *w, const gfp_options *options)
{
    return gfp_poly_mullow(&w->c, &w->a, &w->b, LEN, options);
}

static gfp_status options_high(world *w, const gfp_options *options)
{
    return gfp_poly_mulhigh(&w->c, &w->a, &w->b, LEN, options);
}

static gfp_status options_middle(world *w, const gfp_options *options)
{
    return gfp_poly_mulmid(&w->c, &w->a, &w->b, 3, LEN, options);
}

static gfp_status options_verify(world *w, const gfp_options *options)
{
    return gfp_poly_verify_mul(&w->product, &w->a, &w->b, options);
}

static gfp_status options_batch(world *w, const gfp_options *options)
{
    const gfp_batch one = {.count = 1, .len_a = LEN, .len_b = LEN};
    return gfp_vec_mul_batch(w->field, w->digits, w->a.digits, w->b.digits, &one, options);
}

static gfp_status options_create(world *w, const gfp_options *options)
{
    const gfp_space_spec spec = {.length = 2 * LEN - 1, .terms = 2};
    gfp_space *s = NULL;
    const gfp_status status = gfp_space_create(&s, w->field, &spec, options);
    gfp_space_destroy(s);
    return status;
}

static gfp_status options_set(world *w, const gfp_options *options)
{
    return gfp_operand_set(w->y, w->a.digits, w->a.len, options);
}

static gfp_status to_operand(world *w, const gfp_options *options)
{
    return gfp_poly_to_operand(w->y, &w->a, options);
}

static gfp_status vec_mul_operand(world *w, const gfp_options *options)
{
    return gfp_vec_mul_operand(w->digits, 0, LEN, w->a.digits, LEN, w->x, options);
}

static gfp_status to_poly(world *w, const gfp_options *options)
{
    return gfp_poly_from_operand(&w->c, 0, SIZE_MAX, w->x, options);
}

static gfp_status mul_operand(world *w, const gfp_options *options)
{
    return gfp_poly_mul_operand(&w->c, 0, SIZE_MAX, &w->a, w->x, options);
}

static gfp_status options_dot(world *w, const gfp_options *options)
{
    const gfp_operand *const xs[] = {w->x}, *const ys[] = {w->y};
    return gfp_poly_dot_operands(&w->c, 0, SIZE_MAX, xs, ys, 1, options);
}

static gfp_status file_mul(world *w, const gfp_options *options)
{
    gfp_file *c = NULL;
    assert_int_equal(gfp_file_create(&c, w->path, w->field, 2 * LEN - 1, NULL), GFP_OK);
    const gfp_status status = gfp_file_mul(c, w->file, w->file, options);
    gfp_file_close(c);
    return status;
}

static const gfp_problem problem = {.len_a = LEN, .len_b = LEN};

static gfp_status options_query(world *w, const gfp_options *options)
{
    gfp_method_info info;
    return gfp_method_query(&info, 0, &problem, w->field, options);
}

static gfp_status options_check(world *w, const gfp_options *options)
{
    return gfp_method_check(&problem, w->field, options);
}

static gfp_status options_pick(world *w, const gfp_options *options)
{
    return gfp_method_pick(&problem, w->field, options) != NULL ? GFP_OK : GFP_ERR_ARGUMENT;
}

static one_call *const calls[] = {
    options_mul,   options_sqr,    options_low, options_high,  options_middle,  options_verify,
    options_batch, options_create, options_set, to_operand,    vec_mul_operand, to_poly,
    mul_operand,   options_dot,    file_mul,    options_query, options_check,   options_pick};
#define CALLS (sizeof calls / sizeof *calls)

/* ---- tests ---- */

/* A later version of the struct. */
typedef struct later_options {
    gfp_options known;
    uint64_t added[2];
} later_options;

static void unknown_members_must_be_zero(void **state)
{
    world *w = *state;
    for (size_t i = 0; i < CALLS; i++) {
        gfp_error error = {.status = GFP_OK};
        later_options options = {.known = {.size = sizeof options, .error = &error}};
        assert_int_equal(calls[i](w, &options.known), GFP_OK);
        options.added[1] = (uint64_t)1 << 63;
        gfp_poly_zero(&w->c);
        const gfp_status status = calls[i](w, &options.known);
        lab_expect_status(status, GFP_ERR_ARGUMENT,
                          calls[i] == options_query || calls[i] == options_pick ? NULL : &error,
                          "a member that nobody knows");
        assert_true(gfp_poly_is_zero(&w->c));
        options.known.size = sizeof options.known;
        assert_int_equal(calls[i](w, &options.known), GFP_OK);
    }
}

/* Long calls read their options again for the calls inside, and in branches. */
static void long_calls_know_larger_options(void **state)
{
    enum { LONG = 3000, POINTS = 300 };
    world *w = *state;
    gfp_random g;
    gfp_poly x;
    gfp_error error = {.status = GFP_OK};
    const size_t k = gfp_field_k(w->field);
    later_options options = {.known = {.size = sizeof options, .error = &error, .threads = 2}};
    uint64_t *points = malloc((size_t)2 * POINTS * k * sizeof *points);
    assert_non_null(points);
    gfp_random_seed(&g, 4);
    gfp_poly_init(&x, w->field);
    assert_int_equal(gfp_poly_random(&x, LONG, &g), GFP_OK);
    assert_int_equal(gfp_poly_inv_series(&w->c, &x, LONG, &options.known), GFP_OK);
    assert_int_equal(gfp_poly_gcd(&w->c, &x, &w->a, &options.known), GFP_OK);
    gfp_vec_random(w->field, points, POINTS, &g);
    assert_int_equal(gfp_poly_eval_vec(points + POINTS * k, &x, points, POINTS, &options.known),
                     GFP_OK);
    gfp_poly_clear(&x);
    free(points);
}

/* The first `size` bytes of the struct, and not one more. */
static gfp_options *options_cut(const gfp_options *options, size_t size)
{
    gfp_options *shorter = malloc(size);
    assert_non_null(shorter);
    memcpy(shorter, options, size);
    memcpy(shorter, &size, sizeof size);
    return shorter;
}

static void members_that_are_not_there_are_zero(void **state)
{
    world *w = *state;
    static const size_t sizes[] = {sizeof(size_t),
                                   offsetof(gfp_options, verify),
                                   offsetof(gfp_options, verify_seed),
                                   offsetof(gfp_options, threads),
                                   offsetof(gfp_options, report),
                                   offsetof(gfp_options, error),
                                   offsetof(gfp_options, plan),
                                   sizeof(gfp_options)};
    for (size_t i = 0; LAB_ROW(sizes, i); i++) {
        gfp_report report = {.method = ""};
        const gfp_options all = {.verify = GFP_VERIFY_POINT, .report = &report};
        gfp_options *options = options_cut(&all, sizes[i]);
        for (size_t j = 0; j < CALLS; j++) {
            assert_int_equal(calls[j](w, options), GFP_OK);
        }
        assert_int_equal(options_mul(w, options), GFP_OK);
        assert_true(gfp_poly_equal(&w->c, &w->product));
        const bool reported = sizes[i] > offsetof(gfp_options, report);
        assert_int_equal(report.method[0] != '\0', reported);
        assert_int_equal(report.verified, reported ? GFP_VERIFY_POINT : GFP_VERIFY_DEFAULT);
        free(options);
    }
    /* The members of a smaller struct count. */
    gfp_options *options =
        options_cut(&(gfp_options){.method = "none"}, offsetof(gfp_options, verify));
    assert_int_equal(options_mul(w, options), GFP_ERR_UNKNOWN);
    assert_int_equal(options_create(w, options), GFP_ERR_UNKNOWN);
    free(options);
}

/* Whatever was asked for, a report names what was done. */
static void reports_name_what_the_default_stands_for(void **state)
{
    static one_call *const products[] = {options_mul,   options_sqr,   options_low,
                                         options_high,  file_mul,      options_middle,
                                         options_batch, options_verify};
    world *w = *state;
    for (int v = GFP_VERIFY_DEFAULT; v <= GFP_VERIFY_CROSS; v++) {
        const gfp_verify asked = (gfp_verify)v;
        const gfp_verify done = asked == GFP_VERIFY_DEFAULT ? GFP_VERIFY_NONE : asked;
        for (size_t j = 0; LAB_ROW(products, j); j++) {
            gfp_report report = {.verified = GFP_VERIFY_DEFAULT};
            const gfp_options options = {.verify = asked, .report = &report};
            const bool checks = products[j] == options_verify && asked <= GFP_VERIFY_NONE;
            assert_int_equal(products[j](w, &options), GFP_OK);
            assert_int_equal(report.verified, checks ? GFP_VERIFY_POINT : done);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_name_what_the_default_stands_for),
        cmocka_unit_test(unknown_members_must_be_zero),
        cmocka_unit_test(long_calls_know_larger_options),
        cmocka_unit_test(members_that_are_not_there_are_zero),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
