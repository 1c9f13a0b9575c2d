/* trees.c: division, and trees of products with evaluation and interpolation, on a
 * device, against the CPU (toolkit_lab.h), and wrong results that checks must find.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

#include "poly/device/checks.h"
#include "poly/device/toolkit_lab.h"

#include "gpu/products.h"
#include "lab/rows.h"

/* ---- polynomials ---- */

/* len coefficients, the last one not 0. */
static void trees_fill(site *s, gfp_poly *x, size_t len)
{
    uint64_t *digits = toolkit_lab_draw(s, len + 1, false);
    assert_int_equal(gfp_poly_fit_length(x, len), GFP_OK);
    memcpy(x->digits, digits, len * s->l->k * sizeof *digits);
    if (len > 0) {
        gfp_elem_set_u64(s->l->field, x->digits + (len - 1) * s->l->k, 3);
        if (gfp_elem_is_zero(s->l->field, x->digits + (len - 1) * s->l->k)) {
            gfp_elem_one(s->l->field, x->digits + (len - 1) * s->l->k);
        }
    }
    assert_int_equal(gfp_poly_set_length(x, len), GFP_OK);
    lab_free(digits);
}

static void expect_poly(const site *s, const gfp_gpu_poly *dx, const gfp_poly *x, const char *what)
{
    gfp_poly got;
    gfp_poly_init(&got, s->l->field);
    toolkit_lab_ok(s, gfp_gpu_poly_download(&got, dx, NULL), what);
    if (!gfp_poly_equal(&got, x)) {
        fail_msg("%s: %s, lengths %zu and %zu", s->l->entry->text, what, got.len, x->len);
    }
    gfp_poly_clear(&got);
}

/* Adds 1 to coefficient i. */
static void trees_spoil(const site *s, gfp_gpu_poly *x, size_t i)
{
    uint64_t e[GFP_MAX_K], one[GFP_MAX_K];
    toolkit_lab_ok(s, gfp_gpu_download(e, gfp_gpu_poly_array(x), i * s->l->k, s->l->k, NULL),
                   "coefficient");
    gfp_elem_one(s->l->field, one);
    gfp_elem_add(s->l->field, e, e, one);
    toolkit_lab_ok(s, gfp_gpu_upload(gfp_gpu_poly_array(x), i * s->l->k, e, s->l->k, NULL),
                   "coefficient");
}

/* Writes the element of coefficient i with a lowest digit of r or more; false if it has no such
 * digits of 64 bits. */
static bool trees_widen(const site *s, gfp_gpu_poly *x, size_t i)
{
    const uint64_t r = s->l->entry->r;
    uint64_t e[GFP_MAX_K];
    toolkit_lab_ok(s, gfp_gpu_download(e, gfp_gpu_poly_array(x), i * s->l->k, s->l->k, NULL),
                   "coefficient");
    if (e[1] == 0 || e[0] > UINT64_MAX - r) {
        return false;
    }
    e[0] += r;
    e[1]--;
    toolkit_lab_ok(s, gfp_gpu_upload(gfp_gpu_poly_array(x), i * s->l->k, e, s->l->k, NULL),
                   "coefficient");
    return true;
}

typedef struct division_site {
    gfp_poly a, b, q, r;
    gfp_gpu_poly *da, *db, *dq, *dr;
} division_site;

static void check_verification(site *s, division_site *d)
{
    gfp_report report = {.points = 77};
    const gfp_status status = checked_divrem(d->dq, d->dr, d->da, d->db, 5, &report);
    if (status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 16) {
        return; /* tiny fields */
    }
    toolkit_lab_ok(s, status, "check");
    assert_true(report.verified == GFP_VERIFY_POINT &&
                (report.log2_error <= -40 || report.points == 0));
    gfp_gpu_poly *const spoiled[] = {d->dq, d->dr, d->da};
    for (size_t i = 0; i < 3; i++) {
        const size_t len = spoiled[i]->len;
        if (len > 0) {
            trees_spoil(s, spoiled[i], toolkit_lab_below(s, len));
            assert_int_equal(checked_divrem(d->dq, d->dr, d->da, d->db, 6, NULL), GFP_ERR_VERIFY);
            const gfp_poly *right[] = {&d->q, &d->r, &d->a};
            toolkit_lab_ok(s, gfp_gpu_poly_upload(spoiled[i], right[i], NULL), "upload");
            if (i < 2 && report.points > 0 &&
                trees_widen(s, spoiled[i], toolkit_lab_below(s, len))) {
                assert_int_equal(checked_divrem(d->dq, d->dr, d->da, d->db, 6, NULL),
                                 GFP_ERR_VERIFY);
                toolkit_lab_ok(s, gfp_gpu_poly_upload(spoiled[i], right[i], NULL), "upload");
            }
        }
    }
}

static void check_division(site *s, division_site *d, size_t len_a, size_t len_b)
{
    gfp_error error = {.message = ""};
    trees_fill(s, &d->a, len_a);
    trees_fill(s, &d->b, len_b);
    toolkit_lab_ok(s, gfp_gpu_poly_upload(d->da, &d->a, NULL), "upload");
    toolkit_lab_ok(s, gfp_gpu_poly_upload(d->db, &d->b, NULL), "upload");
    assert_int_equal(gfp_poly_divrem(&d->q, &d->r, &d->a, &d->b, NULL), GFP_OK);
    toolkit_lab_ok(s,
                   gfp_gpu_poly_divrem(d->dq, d->dr, d->da, d->db, &(gfp_options){.error = &error}),
                   "division");
    expect_poly(s, d->dq, &d->q, "quotient");
    expect_poly(s, d->dr, &d->r, "remainder");
    check_verification(s, d);
    /* In place, in both ways. */
    toolkit_lab_ok(s, gfp_gpu_poly_divrem(d->da, d->db, d->da, d->db, NULL), "division in place");
    expect_poly(s, d->da, &d->q, "quotient in the dividend's place");
    expect_poly(s, d->db, &d->r, "remainder in the divisor's place");
    toolkit_lab_ok(s, gfp_gpu_poly_upload(d->da, &d->a, NULL), "upload");
    toolkit_lab_ok(s, gfp_gpu_poly_upload(d->db, &d->b, NULL), "upload");
    toolkit_lab_ok(s, gfp_gpu_poly_divrem(d->db, d->da, d->da, d->db, NULL), "division in place");
    expect_poly(s, d->db, &d->q, "quotient in the divisor's place");
    expect_poly(s, d->da, &d->r, "remainder in the dividend's place");
}

static void open_division(site *s, division_site *d)
{
    gfp_poly *const p[] = {&d->a, &d->b, &d->q, &d->r};
    gfp_gpu_poly **const dp[] = {&d->da, &d->db, &d->dq, &d->dr};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_init(p[i], s->l->field);
        *dp[i] = toolkit_lab_make(s);
    }
}

static void close_division(division_site *d)
{
    gfp_poly *const p[] = {&d->a, &d->b, &d->q, &d->r};
    gfp_gpu_poly *const dp[] = {d->da, d->db, d->dq, d->dr};
    for (size_t i = 0; i < 4; i++) {
        gfp_poly_clear(p[i]);
        gfp_gpu_poly_destroy(dp[i]);
    }
}

static void divisions_agree(void **state)
{
    static const size_t lengths[][2] = {{1, 1},      {5, 1},     {3, 7},    {0, 4},     {128, 64},
                                        {193, 65},   {130, 65},  {700, 20}, {700, 690}, {600, 300},
                                        {1024, 512}, {257, 129}, {700, 100}};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        site s;
        division_site d;
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, &lab_fields[f]);
        open_division(&s, &d);
        for (size_t i = 0; LAB_ROW(lengths, i); i++) {
            if (s.l->k <= 8 || (i % 3 == 1 && (s.l->k <= 32 || lengths[i][0] < 200))) {
                check_division(&s, &d, lengths[i][0], lengths[i][1]);
            }
        }
        close_division(&d);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

/* A bound of the divisor's length that is not its length; a divisor 0; quotients of series. */
static void division_of_bounds(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    division_site d;
    gfp_error error = {.message = ""};
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_division(&s, &d);
    trees_fill(&s, &d.a, 90);
    trees_fill(&s, &d.b, 30);
    toolkit_lab_ok(&s, gfp_gpu_poly_upload(d.da, &d.a, NULL), "upload");
    toolkit_lab_ok(&s, gfp_gpu_poly_upload(d.db, &d.b, NULL), "upload");
    toolkit_lab_ok(&s, gfp_gpu_poly_reverse(d.db, d.db, 40, NULL), "reverse");
    toolkit_lab_ok(&s, gfp_gpu_poly_reverse(d.db, d.db, 60, NULL), "reverse");
    toolkit_lab_ok(&s, gfp_gpu_poly_shift_right(d.db, d.db, 20, NULL), "shift");
    assert_int_equal(d.db->len, 40);
    assert_int_equal(gfp_poly_divrem(&d.q, &d.r, &d.a, &d.b, NULL), GFP_OK);
    toolkit_lab_ok(&s, gfp_gpu_poly_divrem(d.dq, d.dr, d.da, d.db, &(gfp_options){.error = &error}),
                   "division");
    expect_poly(&s, d.dq, &d.q, "quotient");
    expect_poly(&s, d.dr, &d.r, "remainder");
    assert_int_equal(gfp_gpu_poly_divrem(d.dq, d.dq, d.da, d.db, &(gfp_options){.error = &error}),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(gfp_gpu_poly_set_length(d.db, 0, NULL), GFP_OK);
    assert_int_equal(gfp_gpu_poly_divrem(d.dq, d.dr, d.da, d.db, &(gfp_options){.error = &error}),
                     GFP_ERR_NOT_INVERTIBLE);
    expect_poly(&s, d.dq, &d.q, "after a division by 0");
    expect_poly(&s, d.dr, &d.r, "after a division by 0");
    assert_int_equal(gfp_gpu_poly_div_series(d.dq, d.da, d.db, 5, &(gfp_options){.error = &error}),
                     GFP_ERR_NOT_INVERTIBLE);
    gfp_elem_one(s.l->field, d.b.digits);
    toolkit_lab_ok(&s, gfp_gpu_poly_upload(d.db, &d.b, NULL), "upload");
    for (size_t n = 0; n < 700; n = 3 * n + 1) {
        assert_int_equal(gfp_poly_div_series(&d.q, &d.a, &d.b, n, NULL), GFP_OK);
        toolkit_lab_ok(
            &s, gfp_gpu_poly_div_series(d.dq, d.da, d.db, n, &(gfp_options){.error = &error}),
            "quotient of series");
        expect_poly(&s, d.dq, &d.q, "quotient of series");
    }
    assert_int_equal(gfp_gpu_poly_set_length(d.da, 0, NULL), GFP_OK);
    toolkit_lab_ok(
        &s, gfp_gpu_poly_div_series(d.da, d.da, d.db, 5, &(gfp_options){.error = &error}), "0 / b");
    assert_int_equal(d.da->len, 0);
    close_division(&d);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* ---- trees ---- */

static void evaluate_by_definition(const site *s, uint64_t *y, const gfp_poly *f, const uint64_t *x,
                                   size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gfp_poly_eval(y + i * s->l->k, f, x + i * s->l->k);
    }
}

typedef struct tree_site {
    size_t n;
    uint64_t *x, *y;
    gfp_gpu_array *dx, *dy;
    gfp_gpu_tree *tree;
    gfp_poly f;
    gfp_gpu_poly *df;
} tree_site;

static void open_tree(site *s, tree_site *t, size_t n, bool distinct)
{
    gfp_error error = {.message = ""};
    *t = (tree_site){.n = n};
    t->x = distinct ? draw_points(s, n) : toolkit_lab_draw(s, n, false);
    t->y = lab_array(n * s->l->k);
    t->dx = lab_upload(s, t->x, n);
    t->dy = gpu_lab_array(s->gpu, n * s->l->k);
    gfp_poly_init(&t->f, s->l->field);
    t->df = toolkit_lab_make(s);
    const gfp_status status =
        gfp_gpu_tree_create(&t->tree, s->ring, t->dx, n, &(gfp_options){.error = &error});
    if (status != GFP_OK) {
        fail_msg("%s: %zu points: %s", s->l->entry->text, n, error.message);
    }
}

static void close_tree(tree_site *t)
{
    gfp_gpu_tree_destroy(t->tree);
    gfp_gpu_poly_destroy(t->df);
    gfp_poly_clear(&t->f);
    gfp_gpu_array_destroy(t->dx);
    gfp_gpu_array_destroy(t->dy);
    lab_free(t->x);
    lab_free(t->y);
}

static void check_product(site *s, tree_site *t)
{
    gfp_poly factor;
    gfp_poly_init(&factor, s->l->field);
    uint64_t e[GFP_MAX_K];
    gfp_elem_one(s->l->field, e);
    assert_int_equal(gfp_poly_set_coeff(&t->f, 0, e), GFP_OK);
    assert_int_equal(gfp_poly_set_length(&t->f, 1), GFP_OK);
    for (size_t i = 0; i < t->n; i++) {
        gfp_elem_one(s->l->field, e);
        assert_int_equal(gfp_poly_set_coeff(&factor, 1, e), GFP_OK);
        gfp_elem_neg(s->l->field, e, t->x + i * s->l->k);
        assert_int_equal(gfp_poly_set_coeff(&factor, 0, e), GFP_OK);
        assert_int_equal(gfp_poly_mul(&t->f, &t->f, &factor, NULL), GFP_OK);
    }
    toolkit_lab_ok(s, gfp_gpu_tree_product(t->df, t->tree, NULL), "product from roots");
    expect_poly(s, t->df, &t->f, "product of a tree");
    assert_int_equal(gfp_gpu_poly_set_length(t->df, 0, NULL), GFP_OK);
    toolkit_lab_ok(s, gfp_gpu_poly_product_roots(t->df, t->dx, t->n, NULL), "product from roots");
    expect_poly(s, t->df, &t->f, "product from roots");
    gfp_poly_clear(&factor);
}

static void check_evaluation(site *s, tree_site *t, size_t len)
{
    gfp_error error = {.message = ""};
    trees_fill(s, &t->f, len);
    toolkit_lab_ok(s, gfp_gpu_poly_upload(t->df, &t->f, NULL), "upload");
    toolkit_lab_ok(s, gfp_gpu_tree_eval(t->dy, t->df, t->tree, &(gfp_options){.error = &error}),
                   "evaluation");
    evaluate_by_definition(s, t->y, &t->f, t->x, t->n);
    uint64_t *got = lab_download(s, t->dy, t->n);
    toolkit_lab_same(s, got, t->y, t->n, "values", t->n, len);
    lab_free(got);
}

/* dy has the values of f, of at most n terms. */
static void check_interpolation(site *s, tree_site *t)
{
    gfp_error error = {.message = ""};
    gfp_report report = {.points = 77};
    const gfp_status status = checked_tree(t->tree, t->df, t->dy, 7, &report);
    const bool tiny = status == GFP_ERR_UNAVAILABLE && s->l->entry->r < 1 << 24;
    if (!tiny) {
        toolkit_lab_ok(s, status, "check");
        assert_true(report.verified == GFP_VERIFY_POINT && report.log2_error <= -40);
    }
    toolkit_lab_ok(s,
                   gfp_gpu_tree_interpolate(t->df, t->dy, t->tree, &(gfp_options){.error = &error}),
                   "interpolation");
    expect_poly(s, t->df, &t->f, "interpolation");
    if (!tiny) {
        trees_spoil(s, t->df, toolkit_lab_below(s, t->df->len));
        assert_int_equal(checked_tree(t->tree, t->df, t->dy, 8, NULL), GFP_ERR_VERIFY);
        toolkit_lab_ok(s, gfp_gpu_poly_upload(t->df, &t->f, NULL), "upload");
        const size_t i = toolkit_lab_below(s, t->n);
        gfp_elem_set_u64(s->l->field, t->y, 1);
        gfp_elem_add(s->l->field, t->y + i * s->l->k, t->y + i * s->l->k, t->y);
        toolkit_lab_ok(
            s,
            gfp_gpu_upload(t->dy, i * s->l->k, i == 0 ? t->x : t->y + i * s->l->k, s->l->k, NULL),
            "value");
        if (i != 0) {
            assert_int_equal(checked_tree(t->tree, t->df, t->dy, 9, NULL), GFP_ERR_VERIFY);
        }
    }
}

static void trees_agree(void **state)
{
    static const size_t counts[] = {1, 2, 3, 4, 7, 16, 17, 33, 100, 128, 300};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        site s;
        if (toolkit_lab_skips(f)) {
            continue;
        }
        open_site(&s, gpu, l);
        for (size_t i = 0; LAB_ROW(counts, i); i++) {
            const size_t n = counts[i];
            tree_site t;
            if (l->k > 16 && (i % 3 != 0 || n > 33)) {
                continue;
            }
            /* Tiny fields have few elements. */
            const bool distinct = mpz_cmp_ui(l->o.p, 40 * n) > 0;
            open_tree(&s, &t, n, distinct);
            check_product(&s, &t);
            check_evaluation(&s, &t, 0);
            check_evaluation(&s, &t, 1);
            check_evaluation(&s, &t, 3 * n + 2);
            check_evaluation(&s, &t, n / 2 + 1);
            check_evaluation(&s, &t, n);
            if (distinct) {
                check_interpolation(&s, &t);
            }
            close_tree(&t);
        }
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void long_trees_agree(void **state)
{
    static const size_t counts[] = {1024, 1500, 4096};
    gfp_gpu *gpu = gpu_lab_open();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        site s;
        tree_site t;
        open_site(&s, gpu, lab_named("p2"));
        open_tree(&s, &t, counts[i], true);
        check_evaluation(&s, &t, counts[i]);
        check_interpolation(&s, &t);
        close_tree(&t);
        close_site(&s);
    }
    gpu_lab_close(gpu);
}

static void equal_points_are_named(void **state)
{
    gfp_gpu *gpu = gpu_lab_open();
    site s;
    tree_site t;
    gfp_error error = {.message = ""};
    (void)state;
    open_site(&s, gpu, &lab_fields[0]);
    open_tree(&s, &t, 50, true);
    toolkit_lab_ok(&s, gfp_gpu_copy_range(t.dx, 41 * s.l->k, t.dx, 12 * s.l->k, s.l->k), "copy");
    gfp_gpu_tree_destroy(t.tree);
    toolkit_lab_ok(&s,
                   gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 50, &(gfp_options){.error = &error}),
                   "tree");
    memcpy(t.x + 41 * s.l->k, t.x + 12 * s.l->k, s.l->k * sizeof *t.x);
    check_evaluation(&s, &t, 50); /* is legal */
    assert_int_equal(gfp_gpu_tree_interpolate(t.df, t.dy, t.tree, &(gfp_options){.error = &error}),
                     GFP_ERR_NOT_INVERTIBLE);
    assert_true(error.index == 12 || error.index == 41);
    assert_non_null(strstr(error.message, "12"));
    assert_non_null(strstr(error.message, "41"));
    expect_poly(&s, t.df, &t.f, "after an error");
    assert_int_equal(gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 0, &(gfp_options){.error = &error}),
                     GFP_ERR_ARGUMENT);
    assert_int_equal(
        gfp_gpu_tree_create(&t.tree, s.ring, t.dx, 51, &(gfp_options){.error = &error}),
        GFP_ERR_ARGUMENT);
    assert_int_equal(checked_tree(t.tree, t.df, t.dy, 1, NULL), GFP_ERR_UNAVAILABLE);
    assert_int_equal(gfp_gpu_poly_product_roots(t.df, t.dx, 51, &(gfp_options){.error = &error}),
                     GFP_ERR_ARGUMENT);
    expect_poly(&s, t.df, &t.f, "after an error");
    toolkit_lab_ok(&s, gfp_gpu_poly_product_roots(t.df, t.dx, 0, &(gfp_options){.error = &error}),
                   "no roots");
    assert_int_equal(gfp_poly_one(&t.f), GFP_OK);
    expect_poly(&s, t.df, &t.f, "no roots");
    close_tree(&t);
    close_site(&s);
    gpu_lab_close(gpu);
}

/* An argument names the tests to run, with * and ?. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisions_agree),
        cmocka_unit_test(division_of_bounds),
        cmocka_unit_test(trees_agree),
        cmocka_unit_test(long_trees_agree),
        cmocka_unit_test(equal_points_are_named),
    };
    choose_tests(argc, argv);
    return cmocka_run_group_tests(tests, gpu_lab_setup, gpu_lab_teardown);
}
