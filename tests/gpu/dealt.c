/* dealt.c: products dealt over several contexts against the CPU's, digit for digit: every test
 * field, one to five members, lengths around every bound, squares, unequal lengths, blocks that are
 * empty, plans for longer factors, several products in a row; every call of the backend failing in
 * turn; arguments that are refused. Over the built-in backend, with a context on each device in
 * turn, or over `host' (GFPOLY_TEST_DEVICE=planned).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "gfpoly/gpu_product.h"
#include "gfpoly/product.h"
#include "lab/fake_device/device.h"

static bool fake;
static unsigned devices = 1;

/* The members' contexts, and a polynomial that is dealt over them. */
typedef struct group {
    gfp_gpu *gpu[GFP_GPU_MOST_MEMBERS];
    size_t members;
} group;

typedef struct dealt {
    gfp_gpu_array *block[GFP_GPU_MOST_MEMBERS];
    size_t len;
} dealt;

static void group_open(group *g, size_t members)
{
    gfp_gpu_destroy(gpu_lab_open()); /* skips the test without a device */
    g->members = members;
    for (size_t i = 0; i < members; i++) {
        const gfp_options options = {.gpu_device = (unsigned)i % devices};
        assert_int_equal(gfp_gpu_create(&g->gpu[i], NULL, &options), GFP_OK);
    }
}

static void group_close(const group *g)
{
    for (size_t i = 0; i < g->members; i++) {
        gpu_lab_close(g->gpu[i]);
    }
}

static size_t block_length(const group *g, size_t len, size_t i)
{
    const size_t each = gfp_gpu_dealt_each(len, g->members), at = i * each;
    return at >= len ? 0 : len - at < each ? len - at : each;
}

/* The arrays of a polynomial of len coefficients, those of x (or NULL: undefined). */
static void dealt_make(const group *g, dealt *d, unsigned k, const uint64_t *x, size_t len)
{
    *d = (dealt){.len = len};
    for (size_t i = 0; i < g->members; i++) {
        const size_t n = block_length(g, len, i), at = i * gfp_gpu_dealt_each(len, g->members);
        if (n > 0) {
            d->block[i] = gpu_lab_array(g->gpu[i], n * k);
            if (x != NULL) {
                gpu_lab_ok(g->gpu[i], gfp_gpu_upload(d->block[i], 0, x + at * k, n * k, NULL),
                           "upload");
            }
        }
    }
}

static void dealt_free(const group *g, dealt *d)
{
    for (size_t i = 0; i < g->members; i++) {
        gfp_gpu_array_destroy(d->block[i]);
    }
}

static void dealt_expect(const lab *l, const group *g, const dealt *d, const uint64_t *expected,
                         const char *what)
{
    const size_t each = gfp_gpu_dealt_each(d->len, g->members);
    for (size_t i = 0; i < g->members; i++) {
        const size_t n = block_length(g, d->len, i);
        if (n > 0) {
            gpu_lab_expect(l, d->block[i], expected + i * each * l->k, n, what, g->members, d->len);
        }
    }
}

/* Random elements, or (kind > 0) those that make long carries and low digits. */
static uint64_t *dealt_operand(const lab *l, size_t n, uint64_t seed, unsigned kind)
{
    uint64_t *x = gpu_lab_random(l, n, seed);
    for (size_t i = 0; kind > 0 && i < n; i++) {
        const size_t sample = kind == 1 ? i : kind;
        memcpy(x + i * l->k, lab_sample(l, sample), l->k * sizeof *x);
    }
    return x;
}

/* The plan, or NULL if the field or the lengths are not served. */
static gfp_gpu_dealt_plan *dealt_plan(const lab *l, const group *g, size_t len_a, size_t len_b)
{
    gfp_gpu_dealt_plan *plan = NULL;
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    const gfp_status status =
        gfp_gpu_dealt_plan_create(&plan, g->gpu, g->members, l->field, len_a, len_b, &options);
    if (status == GFP_ERR_UNAVAILABLE) {
        assert_null(plan);
        assert_true(strlen(error.message) > 0);
        assert_false(l->entry->named);
        return NULL;
    }
    if (status != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return plan;
}

/* a b, and a a if the lengths are equal, twice each: the second product finds the first one's
 * leaves. */
static bool dealt_check(const lab *l, const group *g, size_t len_a, size_t len_b, unsigned kind)
{
    gfp_gpu_dealt_plan *plan = dealt_plan(l, g, len_a + len_a / 3, len_b);
    if (plan == NULL) {
        return false;
    }
    const size_t len_c = len_a + len_b - 1;
    const gfp_batch one = {.count = 1, .len_a = len_a, .len_b = len_b};
    uint64_t *a = dealt_operand(l, len_a, 7 * len_a + len_b, kind);
    uint64_t *b = dealt_operand(l, len_b, len_b, kind > 1 ? kind + 3 : kind);
    uint64_t *c = lab_array(len_c * l->k);
    dealt da, db, dc;
    dealt_make(g, &da, l->k, a, len_a);
    dealt_make(g, &db, l->k, b, len_b);
    dealt_make(g, &dc, l->k, NULL, len_c);
    for (int round = 0; round < 4; round++) {
        const bool square = round % 2 == 1 && len_a == len_b;
        const dealt *second = square ? &da : &db;
        assert_int_equal(gfp_vec_mul_batch(l->field, c, a, square ? a : b, &one, NULL), GFP_OK);
        gpu_lab_ok(g->gpu[0],
                   gfp_gpu_dealt_mul(dc.block, da.block, len_a, second->block, len_b, plan, NULL),
                   "product");
        dealt_expect(l, g, &dc, c, square ? "a square" : "a product");
    }
    dealt_free(g, &da);
    dealt_free(g, &db);
    dealt_free(g, &dc);
    gfp_gpu_dealt_plan_destroy(plan);
    lab_free(a);
    lab_free(b);
    lab_free(c);
    return true;
}

static void dealt_lengths(void **state)
{
    static const size_t lengths[][2] = {{1, 1},    {2, 3},       {64, 64},     {100, 7},
                                        {1, 200},  {129, 128},   {511, 513},   {1024, 1024},
                                        {3000, 5}, {1025, 1024}, {2731, 2731}, {1, 4000}};
    const size_t count = fake ? 6 : sizeof lengths / sizeof *lengths;
    (void)state;
    size_t served = 0;
    for (size_t members = 1; members <= 5; members++) {
        group g;
        group_open(&g, members);
        for (size_t f = 0; lab_field_row(f); f++) {
            const lab *l = &lab_fields[f];
            /* Plans take most of the time, and are the same over every field. */
            const bool all = l == lab_named("p8") || members == 2;
            for (size_t i = 0; i < count && all && !gpu_lab_skips(f); i++) {
                for (unsigned kind = 0; kind < (l == lab_named("p8") ? 6 : 1); kind++) {
                    served += dealt_check(l, &g, lengths[i][0], lengths[i][1], kind);
                }
            }
        }
        group_close(&g);
    }
    assert_true(served > 20);
}

/* Leaves that take several passes, and that are sent one by one. */
static void long_products(void **state)
{
    (void)state;
    const size_t n = fake ? 300 : lab_is_short() ? 40000 : 300000;
    for (size_t members = 2; members <= 4; members++) {
        group g;
        group_open(&g, members);
        assert_true(dealt_check(lab_named("p8"), &g, n, n, 0));
        assert_true(dealt_check(lab_named("p4"), &g, n, n / 2, 1));
        assert_true(dealt_check(lab_named("p16"), &g, n / 2, n, 4));
        assert_true(dealt_check(lab_named("p8"), &g, 400000, 2, 0)); /* in groups, by `host' too */
        group_close(&g);
    }
}

/* ---- transforms ---- */

/* The plan, or NULL if the members or the length are not served. */
static gfp_gpu_dealt_fft_plan *transform_plan(const lab *l, const group *g, size_t n)
{
    gfp_gpu_dealt_fft_plan *plan = NULL;
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    const gfp_status status =
        gfp_gpu_dealt_fft_plan_create(&plan, g->gpu, g->members, l->field, n, &options);
    if (status == GFP_ERR_UNAVAILABLE) {
        assert_null(plan);
        assert_non_null(strstr(error.message, "cannot be dealt"));
        return NULL;
    }
    if (status != GFP_OK) {
        fail_msg("%s", error.message);
    }
    return plan;
}

/* Forwards and back, to other blocks and in place, twice each. */
static bool transform_check(const lab *l, const group *g, size_t n)
{
    gfp_gpu_dealt_fft_plan *plan = transform_plan(l, g, n);
    gfp_fft_plan *twin = NULL;
    if (plan == NULL) {
        return false;
    }
    assert_int_equal(gfp_fft_plan_create(&twin, l->field, n, NULL), GFP_OK);
    uint64_t *x = dealt_operand(l, n, n + g->members, 1), *y = lab_array(n * l->k);
    assert_int_equal(gfp_fft_run(y, x, GFP_FORWARD, GFP_ORDER_PERMUTED, twin, NULL), GFP_OK);
    dealt dx, dy;
    dealt_make(g, &dx, l->k, x, n);
    dealt_make(g, &dy, l->k, NULL, n);
    for (int round = 0; round < 4; round++) {
        const dealt *out = round % 2 == 0 ? &dy : &dx;
        gpu_lab_ok(g->gpu[0], gfp_gpu_dealt_fft_run(out->block, dx.block, GFP_FORWARD, plan, NULL),
                   "transform");
        dealt_expect(l, g, out, y, "a transform");
        dealt_expect(l, g, &dx, round % 2 == 0 ? x : y, "its argument");
        gpu_lab_ok(g->gpu[0], gfp_gpu_dealt_fft_run(dx.block, out->block, GFP_INVERSE, plan, NULL),
                   "back");
        dealt_expect(l, g, &dx, x, "the way back");
    }
    dealt_free(g, &dx);
    dealt_free(g, &dy);
    gfp_gpu_dealt_fft_plan_destroy(plan);
    gfp_fft_plan_destroy(twin);
    lab_free(x);
    lab_free(y);
    return true;
}

static void dealt_transforms(void **state)
{
    (void)state;
    size_t served = 0;
    for (size_t members = 1; members <= 5; members++) {
        group g;
        group_open(&g, members);
        for (size_t f = 0; lab_field_row(f); f++) {
            const lab *l = &lab_fields[f];
            const unsigned order = gpu_lab_skips(f) ? 0 : gfp_field_v2_order(l->field);
            const unsigned most = !fake ? 14 : members == 2 || l == lab_named("p8") ? 7 : 0;
            for (unsigned log2_n = 0; log2_n <= most && log2_n < order; log2_n++) {
                served += transform_check(l, &g, (size_t)1 << log2_n);
            }
        }
        if (members == 2) {
            assert_true(transform_check(lab_named("p4"), &g, (size_t)1 << (fake ? 11 : 19)));
            assert_true(transform_check(lab_named("p8"), &g, (size_t)1 << (fake ? 10 : 18)));
        }
        group_close(&g);
    }
    assert_true(served > 20);
}

static void refused_transforms(void **state)
{
    (void)state;
    group g;
    const lab *l = lab_named("p8");
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    gfp_gpu_dealt_fft_plan *plan = NULL;
    const size_t n = (size_t)1 << 12;
    group_open(&g, 2);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(NULL, g.gpu, 2, l->field, n, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(&plan, NULL, 2, l->field, n, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 2, NULL, n, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 0, l->field, n, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 2, l->field, n + 1, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 2, l->field, 0, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(
        gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 2, l->field, (size_t)1 << 63, &options),
        GFP_ERR_SIZE);
    assert_null(plan);
    plan = transform_plan(l, &g, n);
    assert_non_null(plan);
    dealt x, y;
    dealt_make(&g, &x, l->k, NULL, n);
    dealt_make(&g, &y, l->k, NULL, n);
    assert_int_equal(gfp_gpu_dealt_fft_run(NULL, x.block, GFP_FORWARD, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_run(y.block, NULL, GFP_FORWARD, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_fft_run(x.block, y.block, GFP_INVERSE, NULL, &options),
                     GFP_ERR_ARGUMENT);
    gfp_gpu_array *const turned[2] = {x.block[1], x.block[0]};
    assert_int_equal(gfp_gpu_dealt_fft_run(y.block, turned, GFP_FORWARD, plan, &options),
                     GFP_ERR_ARGUMENT);
    gfp_gpu_array *const missing[2] = {x.block[0], NULL};
    assert_int_equal(gfp_gpu_dealt_fft_run(missing, y.block, GFP_INVERSE, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "member 1"));
    dealt_free(&g, &x);
    dealt_free(&g, &y);
    gfp_gpu_dealt_fft_plan_destroy(plan);
    gfp_gpu_dealt_fft_plan_destroy(NULL);
    group_close(&g);
}

static void refused_plans(void **state)
{
    (void)state;
    group g;
    const lab *l = lab_named("p8");
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    gfp_gpu_dealt_plan *plan = NULL;
    group_open(&g, 3);
    assert_int_equal(gfp_gpu_dealt_plan_create(NULL, g.gpu, 3, l->field, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, NULL, 3, l->field, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, NULL, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 0, l->field, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    gfp_gpu *many[GFP_GPU_MOST_MEMBERS + 1];
    for (size_t i = 0; i <= GFP_GPU_MOST_MEMBERS; i++) {
        many[i] = g.gpu[i % 3];
    }
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, many, GFP_GPU_MOST_MEMBERS + 1, l->field, 500,
                                               500, &options),
                     GFP_ERR_ARGUMENT);
    many[1] = many[0];
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, many, 2, l->field, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "are one context"));
    many[1] = NULL;
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, many, 2, l->field, 500, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, l->field, 0, 500, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, l->field, SIZE_MAX, 2, &options),
                     GFP_ERR_SIZE);
    assert_int_equal(
        gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, l->field, SIZE_MAX / 128, 2, &options),
        GFP_ERR_SIZE);
    assert_null(plan);
    if (fake) {
        fake_apart(true);
        assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, l->field, 500, 500, &options),
                         GFP_ERR_UNAVAILABLE);
        assert_non_null(strstr(error.message, "cannot reach"));
        fake_apart(false);
    }
    group_close(&g);
}

static void refused_products(void **state)
{
    (void)state;
    group g;
    const lab *l = lab_named("p8");
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    group_open(&g, 3);
    gfp_gpu_dealt_plan *plan = dealt_plan(l, &g, 500, 400);
    assert_non_null(plan);
    dealt a, b, c;
    dealt_make(&g, &a, l->k, NULL, 500);
    dealt_make(&g, &b, l->k, NULL, 400);
    dealt_make(&g, &c, l->k, NULL, 899);
    assert_int_equal(gfp_gpu_dealt_mul(NULL, a.block, 500, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_mul(c.block, a.block, 500, b.block, 400, NULL, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_mul(c.block, a.block, 501, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_mul(c.block, a.block, 0, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_dealt_mul(c.block, b.block, 500, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT); /* too short */
    assert_int_equal(gfp_gpu_dealt_mul(a.block, a.block, 500, b.block, 1, plan, &options),
                     GFP_ERR_ARGUMENT); /* in place */
    gfp_gpu_array *const turned[3] = {a.block[1], a.block[2], a.block[0]};
    assert_int_equal(gfp_gpu_dealt_mul(c.block, turned, 500, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT); /* of another context */
    gfp_gpu_array *const missing[3] = {a.block[0], NULL, a.block[2]};
    assert_int_equal(gfp_gpu_dealt_mul(c.block, missing, 500, b.block, 400, plan, &options),
                     GFP_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "member 1"));
    dealt_free(&g, &a);
    dealt_free(&g, &b);
    dealt_free(&g, &c);
    gfp_gpu_dealt_plan_destroy(plan);
    gfp_gpu_dealt_plan_destroy(NULL);
    group_close(&g);
}

/* Every call of the backend fails in turn, in a plan and in a product: the status is the fault's,
 * nothing is left, and the next product is right. */
static void failing_calls(void **state)
{
    (void)state;
    static const struct {
        fake_fault fault;
        gfp_status status;
    } faults[] = {{FAKE_MEMORY, GFP_ERR_MEMORY}, {FAKE_ONCE, GFP_ERR_DEVICE}};
    if (!fake) {
        skip();
    }
    const lab *l = lab_named("p8");
    group g;
    group_open(&g, 3);
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t nth = 1;; nth++) {
            gfp_gpu_dealt_plan *plan = NULL;
            gfp_error error = {.message = ""};
            const gfp_options options = {.error = &error};
            dealt a, b, c;
            uint64_t *x = gpu_lab_random(l, 100, nth);
            dealt_make(&g, &a, l->k, x, 100);
            dealt_make(&g, &b, l->k, x, 90);
            dealt_make(&g, &c, l->k, NULL, 189);
            fake_fail(faults[kind].fault, nth);
            gfp_status status =
                gfp_gpu_dealt_plan_create(&plan, g.gpu, 3, l->field, 100, 90, &options);
            if (status == GFP_OK) {
                status = gfp_gpu_dealt_mul(c.block, a.block, 100, b.block, 90, plan, &options);
            }
            const bool failed = fake_failed();
            fake_fail(FAKE_ONCE, 0);
            if (failed) {
                assert_int_equal(status, faults[kind].status);
                assert_non_null(strstr(error.message, "made to fail"));
            } else {
                assert_int_equal(status, GFP_OK);
            }
            gfp_gpu_dealt_plan_destroy(plan);
            dealt_free(&g, &a);
            dealt_free(&g, &b);
            dealt_free(&g, &c);
            lab_free(x);
            if (!failed) {
                break;
            }
        }
        assert_true(dealt_check(l, &g, 100, 90, 0));
    }
    group_close(&g);
}

/* The same of a transform, forwards and back. */
static void failing_transforms(void **state)
{
    (void)state;
    const lab *l = lab_named("p4");
    const size_t n = 32;
    if (!fake) {
        skip();
    }
    group g;
    group_open(&g, 2);
    for (size_t nth = 1;; nth++) {
        gfp_gpu_dealt_fft_plan *plan = NULL;
        gfp_error error = {.message = ""};
        const gfp_options options = {.error = &error};
        dealt x;
        uint64_t *digits = gpu_lab_random(l, n, nth);
        dealt_make(&g, &x, l->k, digits, n);
        fake_fail(FAKE_ONCE, nth);
        gfp_status status = gfp_gpu_dealt_fft_plan_create(&plan, g.gpu, 2, l->field, n, &options);
        if (status == GFP_OK) {
            status = gfp_gpu_dealt_fft_run(x.block, x.block, GFP_FORWARD, plan, &options);
        }
        if (status == GFP_OK) {
            status = gfp_gpu_dealt_fft_run(x.block, x.block, GFP_INVERSE, plan, &options);
        }
        const bool failed = fake_failed();
        fake_fail(FAKE_ONCE, 0);
        assert_int_equal(status, failed ? GFP_ERR_DEVICE : GFP_OK);
        assert_true(!failed || strstr(error.message, "made to fail") != NULL);
        gfp_gpu_dealt_fft_plan_destroy(plan);
        dealt_free(&g, &x);
        lab_free(digits);
        if (!failed) {
            break;
        }
    }
    assert_true(transform_check(l, &g, n));
    group_close(&g);
}

/* The members' memory is not enough. */
static void little_memory(void **state)
{
    (void)state;
    const lab *l = lab_named("p8");
    group g;
    gfp_error error = {.message = ""};
    const gfp_options options = {.error = &error};
    group_open(&g, 2);
    gfp_gpu_destroy(g.gpu[1]);
    assert_int_equal(gfp_gpu_create(&g.gpu[1], NULL, &(gfp_options){.gpu_memory_cap = 1 << 16}),
                     GFP_OK);
    gfp_gpu_dealt_plan *plan = NULL;
    assert_int_equal(gfp_gpu_dealt_plan_create(&plan, g.gpu, 2, l->field, 9000, 9000, &options),
                     GFP_ERR_MEMORY);
    assert_non_null(strstr(error.message, "member 1"));
    assert_null(plan);
    group_close(&g);
}

static int dealt_setup(void **state)
{
    const char *how = getenv("GFPOLY_TEST_DEVICE");
    fake = how != NULL && strcmp(how, "planned") == 0;
    if (fake) {
        fake_use_planned();
        fake_reset((size_t)1 << 30);
        devices = 2;
    } else {
        gfp_gpu *second = NULL;
        if (gfp_gpu_create(&second, NULL, &(gfp_options){.gpu_device = 1}) == GFP_OK) {
            devices = 2;
        }
        gfp_gpu_destroy(second);
    }
    return gpu_lab_setup(state);
}

static int dealt_teardown(void **state)
{
    if (fake) {
        fake_reset(0);
    }
    return gpu_lab_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dealt_lengths),    cmocka_unit_test(long_products),
        cmocka_unit_test(dealt_transforms), cmocka_unit_test(refused_transforms),
        cmocka_unit_test(refused_plans),    cmocka_unit_test(refused_products),
        cmocka_unit_test(failing_calls),    cmocka_unit_test(failing_transforms),
        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, dealt_setup, dealt_teardown);
}
