/* options.c: what calls on a device take from gfp_options, over a table of calls: structs of other
 * sizes, caps, errors that name the call, checks and their reports, progress and cancellation.
 * Over the backend `host' products are made wrong, too. A call that fails leaves its outputs as
 * they were.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stddef.h>

#include "poly/device/lab.h"

#include "gfpoly/gpu_toolkit.h"
#include "lab/rows.h"
#include "poly/device/call.h"
#include "poly/device/series.h"

#define N 60
#define ROWS_OF 3

/* Operands, and outputs that hold something before a call. */
typedef struct scene {
    const lab *l;
    gfp_gpu *gpu;
    gfp_gpu_ring *ring;
    gfp_gpu_poly *a, *b, *c, *d; /* 2 N and N + 1 terms; outputs */
    gfp_gpu_array *x, *y;        /* N different elements; an output of N */
    gfp_gpu_tree *tree;
    gfp_gpu_modulus *M;
    uint64_t lengths[ROWS_OF];
    uint64_t e[GFP_MAX_K], q[GFP_MAX_K]; /* elements on the host, not 0 */
} scene;

/* Reports count, and end the call at number stop_at. */
typedef struct watch {
    size_t asked, stop_at;
    double last;
} watch;

static bool count_step(void *user, double fraction)
{
    watch *w = user;
    w->last = fraction;
    return ++w->asked != w->stop_at;
}

static void scene_ok(const scene *s, gfp_status status, const char *what)
{
    gpu_lab_ok(s->gpu, status, what);
}

/* a := len terms, the constant one not 0. */
static void fill_poly(const scene *s, gfp_gpu_poly *a, size_t len, uint64_t seed)
{
    gfp_poly x;
    gfp_poly_init(&x, s->l->field);
    lab_fill(s->l, &x, len, seed);
    gfp_elem_one(s->l->field, x.digits);
    scene_ok(s, gfp_gpu_poly_upload(a, &x, NULL), "upload");
    gfp_poly_clear(&x);
}

static void open_scene(scene *s, gfp_gpu *gpu, const lab *l)
{
    gfp_gpu_poly **const polys[] = {&s->a, &s->b, &s->c, &s->d};
    *s = (scene){.l = l, .gpu = gpu};
    scene_ok(s, gfp_gpu_ring_create(&s->ring, gpu, l->field, NULL, NULL), "ring");
    for (size_t i = 0; i < 4; i++) {
        scene_ok(s, gfp_gpu_poly_create(polys[i], s->ring, NULL), "polynomial");
    }
    fill_poly(s, s->a, 2 * N, 1);
    fill_poly(s, s->b, N + 1, 2);
    fill_poly(s, s->c, 5, 3);
    fill_poly(s, s->d, 7, 4);
    uint64_t *x = lab_array(N * l->k);
    for (size_t i = 0; i < N; i++) {
        gfp_elem_set_u64(l->field, x + i * l->k, 3 * i + 1);
    }
    s->x = gpu_lab_upload(gpu, x, N * l->k);
    s->y = gpu_lab_upload(gpu, x, N * l->k);
    lab_free(x);
    gfp_elem_set_u64(l->field, s->e, 5);
    gfp_elem_set_u64(l->field, s->q, 7);
    scene_ok(s, gfp_gpu_tree_create(&s->tree, s->ring, s->x, N, NULL), "tree");
    scene_ok(s, gfp_gpu_modulus_create(&s->M, s->b, NULL), "modulus");
}

static void close_scene(scene *s)
{
    gfp_gpu_modulus_destroy(s->M);
    gfp_gpu_tree_destroy(s->tree);
    gfp_gpu_array_destroy(s->x);
    gfp_gpu_array_destroy(s->y);
    gfp_gpu_poly_destroy(s->a);
    gfp_gpu_poly_destroy(s->b);
    gfp_gpu_poly_destroy(s->c);
    gfp_gpu_poly_destroy(s->d);
    gfp_gpu_ring_destroy(s->ring);
}

/* A number that depends on all outputs. */
static uint64_t digest_of(const scene *s)
{
    const size_t k = s->l->k;
    const gfp_gpu_poly *const polys[] = {s->c, s->d};
    uint64_t z = 0, *y = lab_array(N * k);
    gfp_poly c;
    gfp_poly_init(&c, s->l->field);
    for (size_t i = 0; i < 2; i++) {
        scene_ok(s, gfp_gpu_poly_download(&c, polys[i], NULL), "download");
        for (size_t j = 0; j < c.len * k; j++) {
            z = z * 31 + c.digits[j];
        }
        z = z * 37 + c.len;
    }
    scene_ok(s, gfp_gpu_download(y, s->y, 0, N * k, NULL), "download");
    for (size_t j = 0; j < N * k; j++) {
        z = z * 41 + y[j];
    }
    for (size_t i = 0; i < ROWS_OF; i++) {
        z = z * 43 + s->lengths[i];
    }
    gfp_poly_clear(&c);
    lab_free(y);
    return z;
}

/* ---- the calls ---- */

#define CALL(name, expression)                                                                     \
    static gfp_status name(scene *s, const gfp_options *o)                                         \
    {                                                                                              \
        return expression;                                                                         \
    }

CALL(run_mul, gfp_gpu_poly_mul(s->c, s->a, s->b, o))
CALL(run_sqr, gfp_gpu_poly_mul(s->c, s->a, s->a, o))
CALL(run_low, gfp_gpu_poly_mullow(s->c, s->a, s->b, N, o))
CALL(run_high, gfp_gpu_poly_mulhigh(s->c, s->a, s->b, N, o))
CALL(run_middle, gfp_gpu_poly_mulmid(s->c, s->a, s->b, N, N, o))
CALL(run_inverse, gfp_gpu_poly_inv_series(s->c, s->a, N, o))
CALL(run_quotient, gfp_gpu_poly_div_series(s->c, s->b, s->a, N, o))
CALL(run_divrem, gfp_gpu_poly_divrem(s->c, s->d, s->a, s->b, o))
CALL(run_shift, gfp_gpu_poly_taylor_shift(s->c, s->a, s->e, o))
CALL(run_values, gfp_gpu_poly_eval_geometric(s->y, s->a, s->e, s->q, N, o))
CALL(run_progression, gfp_gpu_poly_interpolate_geometric(s->c, s->x, s->e, s->q, N, o))
CALL(run_roots, gfp_gpu_poly_product_roots(s->c, s->x, N, o))
CALL(run_eval, gfp_gpu_tree_eval(s->y, s->a, s->tree, o))
CALL(run_short_eval, gfp_gpu_tree_eval(s->y, s->d, s->tree, o))
CALL(run_interpolate, gfp_gpu_tree_interpolate(s->c, s->x, s->tree, o))
CALL(run_inverses, gfp_gpu_vec_inv(s->ring, s->y, s->x, N, o))
CALL(run_rem_mod, gfp_gpu_poly_rem_mod(s->c, s->a, s->M, o))
CALL(run_mul_mod, gfp_gpu_poly_mul_mod(s->c, s->a, s->d, s->M, o))
CALL(run_compose, gfp_gpu_poly_compose_mod(s->c, s->a, s->d, s->M, o))
CALL(run_pow_mod, gfp_gpu_poly_pow_mod(s->c, s->d, &(uint64_t){1000003}, 1, s->M, o))

static const size_t row_terms = N / ROWS_OF;

static gfp_status run_rows_inverse(scene *s, const gfp_options *o)
{
    const gfp_gpu_rows g = {s->y, 0, row_terms}, f = {s->x, 0, row_terms};
    return gfp_gpu_vec_inv_series(s->ring, &g, row_terms, &f, row_terms, ROWS_OF, o);
}

static gfp_gpu_pairs pairs_of(const scene *s)
{
    const size_t len = row_terms / 2;
    return (gfp_gpu_pairs){{s->x, 0, row_terms}, {s->x, len, row_terms}, len, len, ROWS_OF};
}

static gfp_status run_rows_quotient(scene *s, const gfp_options *o)
{
    const gfp_gpu_rows q = {s->y, 0, row_terms};
    const gfp_gpu_pairs pairs = pairs_of(s);
    return gfp_gpu_vec_div_series(s->ring, &q, row_terms, &pairs, o);
}

static gfp_status run_gcds(scene *s, const gfp_options *o)
{
    const gfp_gpu_rows g = {s->y, 0, row_terms};
    const gfp_gpu_pairs pairs = pairs_of(s);
    return gfp_gpu_vec_gcd(s->ring, &g, s->lengths, &pairs, o);
}

static gfp_status run_resultants(scene *s, const gfp_options *o)
{
    const gfp_gpu_rows r = {s->y, 0, 1};
    const gfp_gpu_pairs pairs = pairs_of(s);
    return gfp_gpu_vec_resultant(s->ring, &r, &pairs, o);
}

static gfp_status run_tree(scene *s, const gfp_options *o)
{
    gfp_gpu_tree *tree = NULL;
    const gfp_status status = gfp_gpu_tree_create(&tree, s->ring, s->x, N, o);
    assert_true((tree != NULL) == (status == GFP_OK));
    gfp_gpu_tree_destroy(tree);
    return status;
}

static gfp_status run_modulus(scene *s, const gfp_options *o)
{
    gfp_gpu_modulus *M = NULL;
    const gfp_status status = gfp_gpu_modulus_create(&M, s->a, o);
    assert_true((M != NULL) == (status == GFP_OK));
    gfp_gpu_modulus_destroy(M);
    return status;
}

enum {
    EXACT = 1,     /* the check compares all elements, at no random point */
    NO_PRODUCT = 2 /* no product of polynomials that could be wrong */
};

static const struct row {
    const char *name;
    gfp_status (*run)(scene *s, const gfp_options *o);
    unsigned traits;
} calls[] = {
    {"product", run_mul, 0},
    {"product", run_sqr, 0},
    {"low product", run_low, 0},
    {"high product", run_high, 0},
    {"middle product", run_middle, 0},
    {"inverse of a series", run_inverse, 0},
    {"quotient of series", run_quotient, 0},
    {"inverses of series", run_rows_inverse, NO_PRODUCT},
    {"quotients of series", run_rows_quotient, 0},
    {"division", run_divrem, 0},
    {"greatest common divisors", run_gcds, 0},
    {"resultants", run_resultants, NO_PRODUCT},
    {"Taylor shift", run_shift, 0},
    {"values at a geometric progression", run_values, 0},
    {"interpolation at a geometric progression", run_progression, 0},
    {"product from roots", run_roots, 0},
    {"tree", run_tree, 0},
    {"values at the points of a tree", run_eval, 0},
    {"values at the points of a tree", run_short_eval, 0},
    {"interpolation", run_interpolate, 0},
    {"inverses", run_inverses, EXACT | NO_PRODUCT},
    {"modulus", run_modulus, 0},
    {"remainder by a modulus", run_rem_mod, 0},
    {"product by a modulus", run_mul_mod, 0},
    {"power by a modulus", run_pow_mod, 0},
    {"composition by a modulus", run_compose, 0},
};
#define CALLS (sizeof calls / sizeof *calls)

/* The status, and a message that begins with the call's name; no output has changed. */
static void expect_refused(const scene *s, const struct row *call, gfp_status status,
                           gfp_status expected, const gfp_error *error, uint64_t before)
{
    const size_t n = strlen(call->name);
    if (status != expected || error->status != expected) {
        fail_msg("%s: %s instead of %s: %s", call->name, gfp_status_string(status),
                 gfp_status_string(expected), error->message);
    }
    if (expected != GFP_ERR_CANCELLED &&
        (strncmp(error->message, call->name, n) != 0 || error->message[n] != ':')) {
        fail_msg("%s: %s", call->name, error->message);
    }
    if (digest_of(s) != before) {
        fail_msg("%s: an output has changed", call->name);
    }
}

/* ---- tests ---- */

/* A test over all calls, each with operands of its own. */
static void for_each_call(void (*test)(scene *s, const struct row *call))
{
    gfp_gpu *gpu = gpu_lab_open();
    for (size_t i = 0; LAB_ROW(calls, i); i++) {
        scene s;
        open_scene(&s, gpu, lab_named("p8"));
        test(&s, &calls[i]);
        close_scene(&s);
    }
    gpu_lab_close(gpu);
}

static void try_sizes(scene *s, const struct row *call)
{
    struct {
        gfp_options options;
        uint64_t unknown[4];
    } longer = {.unknown = {0}};
    gfp_error error = {.message = ""};
    longer.options.size = sizeof longer;
    longer.options.error = &error;
    const uint64_t before = digest_of(s);
    longer.unknown[2] = 1;
    assert_int_equal(call->run(s, &longer.options), GFP_ERR_ARGUMENT);
    assert_int_equal(digest_of(s), before);
    longer.unknown[2] = 0;
    scene_ok(s, call->run(s, &longer.options), call->name);
    gfp_options shorter = {.verify = GFP_VERIFY_NONE};
    shorter.size = offsetof(gfp_options, gpu_device);
    scene_ok(s, call->run(s, &shorter), call->name);
}

static void structs_of_other_sizes(void **state)
{
    (void)state;
    for_each_call(try_sizes);
}

static void try_checks(scene *s, const struct row *call)
{
    gfp_report report = {.points = 0};
    const gfp_options checked = {.verify = GFP_VERIFY_POINT, .verify_seed = 5, .report = &report};
    gfp_error error = {.message = ""};
    const gfp_options cross = {.verify = GFP_VERIFY_CROSS, .error = &error};
    uint64_t before = digest_of(s);
    expect_refused(s, call, call->run(s, &cross), GFP_ERR_UNAVAILABLE, &error, before);
    scene_ok(s, call->run(s, NULL), call->name);
    before = digest_of(s);
    fill_poly(s, s->c, 5, 3);
    scene_ok(s, call->run(s, &checked), call->name);
    if (call->run != run_rows_quotient && call->run != run_gcds && digest_of(s) == 0) {
        fail_msg("%s: no outputs", call->name);
    }
    scene_ok(s, call->run(s, NULL), call->name);
    assert_int_equal(digest_of(s), before);
    if (report.verified != GFP_VERIFY_POINT || report.method == NULL || report.verify_ns == 0) {
        fail_msg("%s: the report lacks the check", call->name);
    }
    if ((call->traits & EXACT) == 0 && (report.points == 0 || report.log2_error > -40)) {
        fail_msg("%s: %u points, 2^%d", call->name, report.points, report.log2_error);
    }
}

static void checks_are_reported(void **state)
{
    (void)state;
    for_each_call(try_checks);
}

/* Every product inside that is wrong is found, or leaves the result right. */
static void try_wrong(scene *s, const struct row *call)
{
    gfp_error error = {.message = ""};
    const gfp_options checked = {.verify = GFP_VERIFY_POINT, .verify_seed = 5, .error = &error};
    const uint64_t before = digest_of(s);
    size_t found = 0;
    scene_ok(s, call->run(s, NULL), call->name); /* makes plans, weights, inverses */
    const uint64_t right = digest_of(s);
    for (size_t nth = 1; nth <= 12; nth++) {
        scene fresh;
        open_scene(&fresh, s->gpu, s->l);
        assert_int_equal(digest_of(&fresh), before);
        scene_ok(&fresh, gfp_gpu_wait(s->gpu, NULL), "wait");
        fake_spoil(nth);
        const gfp_status status = call->run(&fresh, &checked);
        fake_spoil(0);
        if (status == GFP_ERR_VERIFY) {
            found++;
            expect_refused(&fresh, call, status, GFP_ERR_VERIFY, &error, before);
        } else if (status != GFP_OK && status != GFP_ERR_NOT_INVERTIBLE) {
            fail_msg("%s: %s", call->name, gfp_status_string(status));
        } else if (status == GFP_OK && digest_of(&fresh) != right) {
            fail_msg("%s: a wrong product %zu has passed", call->name, nth);
        }
        close_scene(&fresh);
    }
    if (found == 0 && (call->traits & NO_PRODUCT) == 0) {
        fail_msg("%s: no wrong product was found", call->name);
    }
}

static void wrong_products_are_caught(void **state)
{
    (void)state;
    if (!over_fake_device()) {
        skip();
    }
    for_each_call(try_wrong);
}

static void try_caps(scene *s, const struct row *call)
{
    gfp_error error = {.message = ""};
    gfp_options capped = {.error = &error, .gpu_memory_cap = 1};
    const uint64_t before = digest_of(s);
    const size_t used = gfp_gpu_memory_used(s->gpu);
    gfp_status status = call->run(s, &capped);
    if (status != GFP_OK) { /* it takes no memory that it has not got yet */
        expect_refused(s, call, status, GFP_ERR_MEMORY, &error, before);
    } else if (gfp_gpu_memory_used(s->gpu) > used) {
        fail_msg("%s: takes memory beyond its cap", call->name);
    }
    /* The context's own cap holds again. */
    scene_ok(s, call->run(s, NULL), call->name);
    const uint64_t after = digest_of(s);
    capped = (gfp_options){.error = &error, .memory_cap = 1};
    status = call->run(s, &capped);
    if (status != GFP_OK) {
        expect_refused(s, call, status, GFP_ERR_MEMORY, &error, after);
        assert_non_null(strstr(error.message, "more than the cap of 1 bytes"));
    }
    capped = (gfp_options){
        .error = &error, .memory_cap = 1, .verify = GFP_VERIFY_POINT, .verify_seed = 1};
    status = call->run(s, &capped);
    if (status != GFP_OK) {
        expect_refused(s, call, status, GFP_ERR_MEMORY, &error, after);
    }
    capped.memory_cap = (size_t)1 << 26;
    capped.gpu_memory_cap = (size_t)1 << 28;
    scene_ok(s, call->run(s, &capped), call->name);
}

static void caps_are_kept(void **state)
{
    (void)state;
    for_each_call(try_caps);
}

/* Reports go up to 1; a call that is told to end at any of them changes nothing. */
static void try_progress(scene *s, const struct row *call)
{
    gfp_error error = {.message = ""};
    watch w = {.asked = 0};
    const gfp_progress progress = {count_step, &w};
    const gfp_options watched = {.progress = &progress, .error = &error};
    const uint64_t before = digest_of(s);
    for (size_t stop = 1; stop < 100; stop++) {
        w = (watch){.stop_at = stop};
        const gfp_status status = call->run(s, &watched);
        if (status == GFP_OK) {
            assert_true(stop > 1 && w.asked == stop - 1 && w.last == 1);
            return;
        }
        expect_refused(s, call, status, GFP_ERR_CANCELLED, &error, before);
    }
    fail_msg("%s: too many reports", call->name);
}

static void calls_can_be_cancelled(void **state)
{
    (void)state;
    for_each_call(try_progress);
}

/* ---- operands ---- */

static void expect_error(const gfp_error *error, gfp_status status, gfp_status expected,
                         const char *message)
{
    if (status != expected || error->status != expected ||
        strncmp(error->message, message, strlen(message)) != 0) {
        fail_msg("%s: \"%s\" instead of \"%s\"", gfp_status_string(status), error->message,
                 message);
    }
}

/* The context's failure of an earlier call is no reason of a later call's failure; it is kept. */
static void old_failures_are_no_reasons(const scene *s)
{
    gfp_error error = {.message = ""};
    const gfp_error last = *gfp_gpu_last_error(s->gpu);
    gfp_gpu_operation op;
    assert_int_equal(last.status, GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_operation_begin(&op, "step", &(gfp_options){.error = &error}), GFP_OK);
    assert_int_equal(gfp_gpu_operation_start(&op, s->ring, false, 1), GFP_OK);
    assert_int_equal(gfp_gpu_operation_end(&op, GFP_ERR_ARGUMENT), GFP_ERR_ARGUMENT);
    assert_null(strstr(error.message, last.message));
    assert_memory_equal(gfp_gpu_last_error(s->gpu), &last, sizeof last);
}

static void errors_name_call_and_operand(void **state)
{
    gfp_gpu *gpu = gpu_lab_open(), *other = gpu_lab_open();
    gfp_error error = {.message = ""};
    const gfp_options o = {.error = &error};
    scene s, t, u;
    uint64_t *x = lab_array(N * lab_named("p8")->k);
    (void)state;
    open_scene(&s, gpu, lab_named("p8"));
    open_scene(&t, gpu, lab_named("p4"));
    open_scene(&u, other, lab_named("p8"));
    const uint64_t before = digest_of(&s);
    expect_error(&error, gfp_gpu_poly_mul(s.c, NULL, s.b, &o), GFP_ERR_ARGUMENT,
                 "product: a polynomial is NULL");
    expect_error(&error, gfp_gpu_poly_add(s.c, s.a, t.b, &o), GFP_ERR_FIELD_MISMATCH,
                 "sum: polynomials over p8 and p4");
    expect_error(&error, gfp_gpu_poly_divrem(s.c, s.c, s.a, s.b, &o), GFP_ERR_ARGUMENT,
                 "division: two outputs are one polynomial");
    expect_error(&error, gfp_gpu_poly_divrem(s.c, s.d, s.a, u.b, &o), GFP_ERR_ARGUMENT,
                 "division: polynomials of two contexts");
    expect_error(&error, gfp_gpu_poly_set_length(s.c, 1000, &o), GFP_ERR_ARGUMENT,
                 "length: 1000 coefficients, there is room for ");
    expect_error(&error, gfp_gpu_tree_eval(u.y, s.a, s.tree, &o), GFP_ERR_ARGUMENT,
                 "values at the points of a tree: the values: an array of another context");
    expect_error(&error, gfp_gpu_poly_product_roots(s.c, s.x, N + 1, &o), GFP_ERR_ARGUMENT,
                 "product from roots: the points: 61 elements in an array of 480 words");
    expect_error(&error, gfp_gpu_vec_inv(s.ring, s.y, NULL, N, &o), GFP_ERR_ARGUMENT,
                 "inverses: no array: the input");
    expect_error(&error, gfp_gpu_poly_eval_geometric(s.y, NULL, x, x, 3, &o), GFP_ERR_ARGUMENT,
                 "values at a geometric progression: no polynomial");
    expect_error(&error, gfp_gpu_poly_interpolate_geometric(NULL, s.y, x, x, 3, &o),
                 GFP_ERR_ARGUMENT, "interpolation at a geometric progression: no polynomial");
    expect_error(&error, gfp_gpu_tree_eval(s.y, s.a, NULL, &o), GFP_ERR_ARGUMENT,
                 "values at the points of a tree: no tree");
    expect_error(&error, gfp_gpu_tree_interpolate(s.c, s.y, NULL, &o), GFP_ERR_ARGUMENT,
                 "interpolation: no tree");
    expect_error(&error, gfp_gpu_tree_product(s.c, NULL, &o), GFP_ERR_ARGUMENT,
                 "product of a tree: no tree");
    gfp_report kept = {.method = "kept"};
    scene_ok(&s, gfp_gpu_download(x, s.x, 0, N * s.l->k, &(gfp_options){.report = &kept}),
             "download");
    assert_string_equal(kept.method, "kept"); /* a call that moves data has no report */
    gfp_elem_zero(s.l->field, x + 11 * s.l->k);
    scene_ok(&s, gfp_gpu_upload(s.x, 0, x, N * s.l->k, NULL), "upload");
    expect_error(&error, gfp_gpu_vec_inv(s.ring, s.y, s.x, N, &o), GFP_ERR_NOT_INVERTIBLE,
                 "inverses: element 11 is 0");
    assert_int_equal(error.index, 11);
    expect_error(&error, gfp_gpu_upload(s.x, N * s.l->k, x, 1, &o), GFP_ERR_ARGUMENT, "upload: ");
    expect_error(&error, gfp_gpu_poly_mul_mod(s.c, s.a, s.b, NULL, &o), GFP_ERR_ARGUMENT,
                 "product by a modulus: no modulus");
    old_failures_are_no_reasons(&s);
    assert_int_equal(digest_of(&s), before);
    lab_free(x);
    close_scene(&s);
    close_scene(&t);
    close_scene(&u);
    gpu_lab_close(gpu);
    gpu_lab_close(other);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_of_other_sizes),    cmocka_unit_test(checks_are_reported),
        cmocka_unit_test(wrong_products_are_caught), cmocka_unit_test(caps_are_kept),
        cmocka_unit_test(calls_can_be_cancelled),    cmocka_unit_test(errors_name_call_and_operand),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
