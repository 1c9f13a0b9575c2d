/* claim.c: claims on ranges of coefficients of products: the values that are compared are
 * those by the definition, right claims pass, and each wrong coefficient is found.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "lab/fixtures.h"

#include "lab/rows.h"
#include "gfpoly/poly.h"
#include "field/base/kernels.h"
#include "lab/sanitized.h"
#include "product/verify/claim.h"

/* Two factors, which may be the same array, and all coefficients of their product. */
typedef struct factors {
    const gfp_field *field;
    size_t k, len_a, len_b, len_c;
    uint64_t *a, *b, *c;
} factors;

static void multiply_by_definition(const factors *f)
{
    uint64_t z[GFP_MAX_K];
    gfp_vec_zero(f->field, f->c, f->len_c);
    for (size_t i = 0; i < f->len_a; i++) {
        for (size_t j = 0; j < f->len_b; j++) {
            uint64_t *place = f->c + (i + j) * f->k;
            gfp_elem_mul(f->field, z, f->a + i * f->k, f->b + j * f->k);
            gfp_elem_add(f->field, place, place, z);
        }
    }
}

static factors factors_open(const gfp_field *field, size_t len_a, size_t len_b, bool square,
                            gfp_random *g)
{
    factors f = {.field = field, .k = gfp_field_k(field), .len_a = len_a, .len_b = len_b};
    f.len_c = len_a + len_b - 1;
    f.a = lab_array(len_a * f.k);
    f.b = square ? f.a : lab_array(len_b * f.k);
    f.c = lab_array(f.len_c * f.k);
    gfp_vec_random(field, f.b, len_b, g);
    gfp_vec_random(field, f.a, len_a, g);
    if (f.len_c <= 64) {
        multiply_by_definition(&f);
    } else {
        gfp_poly a, b, c;
        gfp_poly_init(&a, field);
        gfp_poly_init(&b, field);
        gfp_poly_init(&c, field);
        gfp_elem_one(field, f.a + (len_a - 1) * f.k);
        gfp_elem_one(field, f.b + (len_b - 1) * f.k);
        assert_int_equal(gfp_poly_fit_length(&a, len_a), GFP_OK);
        assert_int_equal(gfp_poly_fit_length(&b, len_b), GFP_OK);
        memcpy(a.digits, f.a, len_a * f.k * sizeof *f.a);
        memcpy(b.digits, f.b, len_b * f.k * sizeof *f.b);
        assert_int_equal(gfp_poly_set_length(&a, len_a), GFP_OK);
        assert_int_equal(gfp_poly_set_length(&b, len_b), GFP_OK);
        assert_int_equal(gfp_poly_mul(&c, &a, &b, NULL), GFP_OK);
        assert_int_equal(c.len, f.len_c);
        memcpy(f.c, c.digits, f.len_c * f.k * sizeof *f.c);
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
        gfp_poly_clear(&c);
    }
    return f;
}

static void factors_close(factors *f)
{
    if (f->b != f->a) {
        lab_free(f->b);
    }
    lab_free(f->a);
    lab_free(f->c);
}

static gfp_range range_of(const factors *f, size_t first, size_t end)
{
    return gfp_range_make(f->field, f->a, f->b, f->len_a, f->len_b, first, end);
}

static gfp_claim claim_of(const factors *f, size_t first, size_t end)
{
    return (gfp_claim){.range = range_of(f, first, end), .c = f->c + first * f->k};
}

/* The value of the coefficients at d by general products, and by evaluate_range on so many threads,
 * which does as many units of work as it says. */
static void check_value(const factors *f, size_t first, size_t end, uint64_t d, unsigned threads)
{
    const gfp_range range = range_of(f, first, end);
    uint64_t point[GFP_MAX_K], expected[GFP_MAX_K], y[GFP_MAX_K];
    const double units = gfp_verify_range_units(&range);
    gfp_task task;
    gfp_elem_set_u64(f->field, point, d);
    gfp_elem_zero(f->field, expected);
    for (size_t i = end; i-- > first;) {
        gfp_elem_mul(f->field, expected, expected, point);
        gfp_elem_add(f->field, expected, expected, f->c + i * f->k);
    }
    gfp_task_start(&task, NULL);
    task.threads = threads;
    gfp_task_part(&task, 1);
    assert_true(gfp_task_span(&task, 1, units, (double)f->k));
    assert_true(gfp_verify_evaluate_range(y, &range, d, &task));
    if (!gfp_elem_equal(f->field, y, expected)) {
        fail_msg("%s, %zu by %zu, %zu <= i < %zu, %u threads: a wrong value at %llu",
                 gfp_field_name(f->field), f->len_a, f->len_b, first, end, threads,
                 (unsigned long long)d);
    }
    assert_true(fabs(task.done - units) < 1e-6 * units);
}

static uint64_t largest_point(const gfp_field *field)
{
    const uint64_t r = gfp_field_r(field), most = (uint64_t)1 << 60;
    return (r < most ? r : most) - 1;
}

static void check_every_range(const factors *f, gfp_random *g)
{
    const uint64_t most = largest_point(f->field);
    for (size_t first = 0; first < f->len_c; first++) {
        for (size_t end = first + 1; end <= f->len_c; end++) {
            check_value(f, first, end, 0, 1);
            check_value(f, first, end, 1, 1);
            check_value(f, first, end, most, 1);
            check_value(f, first, end, gfp_random_below(g, most + 1), 1);
        }
    }
}

/* The longest factors of the exhaustive tests: the reference kernels are slow at large k. */
static size_t claim_longest(const gfp_field *field, size_t quick)
{
    const unsigned k = gfp_field_k(field);
    return k >= 64 ? (gfp_field_r(field) < (uint64_t)1 << 32 ? 3 : 4) : k >= 16 ? 5 : quick;
}

static void values_are_those_by_the_definition(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 1);
    for (size_t i = 0; lab_field_row(i); i++) {
        const gfp_field *field = lab_fields[i].field;
        const size_t most = claim_longest(field, 9);
        for (size_t la = 1; la <= most; la++) {
            for (size_t lb = 1; lb <= most; lb++) {
                factors f = factors_open(field, la, lb, false, &g);
                check_every_range(&f, &g);
                factors_close(&f);
            }
            factors f = factors_open(field, la, la, true, &g);
            check_every_range(&f, &g);
            factors_close(&f);
        }
    }
}

/* ---- claims ---- */

static void expect_claim(const factors *f, size_t first, size_t end, gfp_verify how,
                         gfp_status expected, size_t index)
{
    const gfp_claim claim = claim_of(f, first, end);
    gfp_report report = {0};
    gfp_error error = {0};
    const gfp_status status = gfp_verify_product(&claim, how, 7, &report, NULL, &error);
    if (status != expected ||
        (status == GFP_ERR_VERIFY && report.verified == GFP_VERIFY_CROSS && error.index != index)) {
        fail_msg("%s, %zu by %zu, %zu <= i < %zu, wrong at %zu: status %d, index %zu: %s",
                 gfp_field_name(f->field), f->len_a, f->len_b, first, end, index, (int)status,
                 error.index, error.message);
    }
    if (status == GFP_OK && report.verified == GFP_VERIFY_POINT) {
        int log2_error;
        const unsigned points = gfp_verify_points(f->field, end - first, &log2_error);
        assert_int_equal(report.points, points);
        assert_true(report.log2_error <= -40);
        assert_true(end - first == f->len_c || report.log2_error == log2_error);
    }
}

/* The claim with coefficient i wrong, by a difference that is not 0, then right again. */
static void expect_found(const factors *f, size_t first, size_t end, size_t i, gfp_verify how,
                         gfp_random *g)
{
    uint64_t *place = f->c + i * f->k, old[GFP_MAX_K], x[GFP_MAX_K];
    gfp_elem_set(f->field, old, place);
    do {
        gfp_elem_random(f->field, x, g);
    } while (gfp_elem_is_zero(f->field, x));
    gfp_elem_add(f->field, place, place, x);
    expect_claim(f, first, end, how, GFP_ERR_VERIFY, i);
    gfp_elem_set(f->field, place, old);
}

static void check_every_claim(const factors *f, gfp_verify how, gfp_random *g)
{
    for (size_t first = 0; first < f->len_c; first++) {
        for (size_t end = first + 1; end <= f->len_c; end++) {
            expect_claim(f, first, end, how, GFP_OK, 0);
            for (size_t i = first; i < end; i++) {
                expect_found(f, first, end, i, how, g);
            }
            /* A wrong coefficient that is not claimed does not matter. */
            if (end < f->len_c) {
                f->c[end * f->k] = UINT64_MAX;
                expect_claim(f, first, end, how, GFP_OK, 0);
                multiply_by_definition(f);
            }
        }
    }
}

static void each_wrong_coefficient_of_each_range_is_found(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 2);
    for (size_t i = 0; lab_field_row(i); i++) {
        const gfp_field *field = lab_fields[i].field;
        const size_t most = claim_longest(field, 5) - (gfp_field_k(field) >= 64);
        for (size_t la = 1; la <= most; la++) {
            for (size_t lb = 1; lb <= most; lb++) {
                factors f = factors_open(field, la, lb, la == lb && i % 2 == 0, &g);
                check_every_claim(&f, GFP_VERIFY_POINT, &g);
                if (la == most) {
                    check_every_claim(&f, GFP_VERIFY_CROSS, &g);
                }
                factors_close(&f);
            }
        }
    }
}

static void digits_that_are_not_canonical_are_found(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 3);
    for (size_t i = 0; lab_field_row(i); i++) {
        factors f = factors_open(lab_fields[i].field, 4, 3, false, &g);
        f.c[3 * f.k] = UINT64_MAX;
        const gfp_claim claim = claim_of(&f, 2, 5);
        gfp_report report = {0};
        gfp_error error = {0};
        assert_int_equal(gfp_verify_product(&claim, GFP_VERIFY_POINT, 7, &report, NULL, &error),
                         GFP_ERR_VERIFY);
        assert_int_equal(error.index, 3);
        factors_close(&f);
    }
}

/* A factor that was computed, with a digit r in the place of a carry: it has the right value. */
static void factors_that_are_not_canonical_are_found(void **state)
{
    gfp_random g;
    size_t found = 0;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t i = 0; lab_field_row(i); i++) {
        for (int which = 0; which < 2; which++) {
            factors f = factors_open(lab_fields[i].field, 40, 3, false, &g);
            gfp_identity w = {.field = f.field};
            gfp_finding finding;
            uint64_t *x = which == 0 ? f.a + 5 * f.k : f.b + f.k;
            gfp_elem_zero(f.field, x);
            x[1] = 1;
            multiply_by_definition(&f);
            gfp_term *product = gfp_identity_add(&w, f.a, f.len_a, f.b, f.len_b);
            gfp_term *c = gfp_identity_add(&w, f.c, f.len_c, NULL, 1);
            product->result = c->minus = true;
            const gfp_status right = gfp_verify_identity(&w, 9, &finding, NULL, NULL);
            x[0] = gfp_field_r(f.field);
            x[1] = 0;
            const gfp_status wrong = gfp_verify_identity(&w, 9, &finding, NULL, NULL);
            if (right != GFP_ERR_UNAVAILABLE) { /* enough points in the field */
                assert_int_equal(right, GFP_OK);
                assert_int_equal(wrong, GFP_ERR_VERIFY);
                assert_int_equal(finding.wrong, which == 0 ? 5 : 1);
                found++;
            }
            factors_close(&f);
        }
    }
    assert_true(found > 10);
}

/* ---- long factors: blocks, parts of threads ---- */

static const size_t shapes[][2] = {{1, 1}, {2, 2}, {2, 1}, {1, 3}, {3, 2}};

/* Ranges whose diagonals lie near both ends, and near the ends of blocks. */
static void check_long(const factors *f, size_t block, gfp_random *g)
{
    const uint64_t most = largest_point(f->field);
    const size_t places[] = {1,        block - 1, block,        block + 1,        f->len_a - 1,
                             f->len_a, f->len_b,  f->len_c / 2, f->len_c - block, f->len_c - 1};
    const size_t count = sizeof places / sizeof *places;
    for (size_t i = 0; i < count; i++) {
        const unsigned threads = i % 3 == 0 ? 1 : (unsigned)i;
        const size_t other = places[gfp_random_below(g, count)];
        check_value(f, 0, places[i], gfp_random_below(g, most), threads);
        check_value(f, places[i], f->len_c, gfp_random_below(g, most), threads);
        if (places[i] < other) {
            check_value(f, places[i], other, gfp_random_below(g, most), threads);
        }
        expect_found(f, 0, places[i], places[i] - 1, GFP_VERIFY_POINT, g);
        expect_found(f, 0, places[i], 0, GFP_VERIFY_POINT, g);
        expect_found(f, places[i], f->len_c, places[i], GFP_VERIFY_POINT, g);
        expect_found(f, places[i], f->len_c, f->len_c - 1, GFP_VERIFY_POINT, g);
    }
}

static void long_ranges_in_blocks_and_by_threads(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16", "p32", "p128"};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 4);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        const size_t block = 2048 / l->k; /* as product/verify/values.c has them */
        for (size_t j = SANITIZED ? i % 4 : 0; j < sizeof shapes / sizeof *shapes;
             j += SANITIZED ? 4 : 1) {
            const bool square = shapes[j][0] == 2 && shapes[j][1] == 2;
            const size_t la = shapes[j][0] * block + 1,
                         lb = shapes[j][1] * block + (square ? 0 : 2);
            factors f = factors_open(l->field, la, square ? la : lb, square, &g);
            check_long(&f, block, &g);
            factors_close(&f);
        }
    }
}

/* ---- whole products, by residues ---- */

static gfp_status verify_whole(const factors *f, size_t cap, unsigned threads, gfp_report *report,
                               gfp_error *error)
{
    gfp_claim claim = claim_of(f, 0, f->len_c);
    gfp_task task;
    gfp_task_start(&task, NULL);
    task.threads = threads;
    gfp_task_part(&task, 1);
    claim.cap = cap;
    return gfp_verify_product(&claim, GFP_VERIFY_POINT, 11, report, &task, error);
}

/* By one thread and by several, within caps that leave room for residues, for a part of what they
 * take, and for none. */
static void check_whole(const factors *f, gfp_random *g)
{
    const size_t places[] = {0, f->len_c / 2, f->len_c - 1, gfp_random_below(g, f->len_c)};
    const bool square = f->a == f->b;
    const gfp_fold_shape shape = {.alone = (double)(f->len_c + f->len_a + (square ? 0 : f->len_b)),
                                  .count = 1,
                                  .length = f->len_c,
                                  .factor = f->len_a > f->len_b ? f->len_a : f->len_b};
    const size_t j = gfp_verify_columns(f->field, &shape);
    int at_points;
    assert_int_equal(gfp_verify_points(f->field, f->len_c, &at_points), 1);
    for (unsigned threads = 1; threads <= 3; threads++) {
        gfp_report report = {0};
        gfp_error error = {0};
        for (size_t cap = 0; cap < (size_t)1 << 30; cap = 40 * cap + 1) {
            if (verify_whole(f, cap, threads, &report, &error) != GFP_OK) {
                fail_msg("%zu by %zu, cap %zu: %s", f->len_a, f->len_b, cap, error.message);
            }
            assert_int_equal(report.points, 1);
            assert_true(report.log2_error <= -40);
        }
        /* Factors of one coefficient, and long products by the stack alone, take points. */
        const bool brief = f->len_a <= j && f->len_b <= j, large = f->len_c * f->k >= 262144;
        assert_int_equal(verify_whole(f, 0, threads, &report, NULL), GFP_OK);
        assert_true(!brief || report.log2_error == at_points);
        assert_true(brief ||
                    report.log2_error == (int)gfp_log2_above((f->len_c - 1) / j) - GFP_FOLD_BITS);
        assert_int_equal(verify_whole(f, 1, threads, &report, NULL), GFP_OK);
        assert_true(!large || report.log2_error == at_points);
    }
    for (size_t i = 0; LAB_ROW(places, i); i++) {
        expect_found(f, 0, f->len_c, places[i], GFP_VERIFY_POINT, g);
    }
}

/* Lengths around one row of residues, and 256; residues whose product needs a check of its own;
 * factors shorter than a residue. */
static void whole_products_by_residues(void **state)
{
    static const size_t lengths[][2] = {{1, 1},       {1, 2},       {4, 5},      {8, 2},
                                        {16, 17},     {40, 30},     {1, 3000},   {3000, 7},
                                        {1024, 1024}, {1025, 1024}, {9000, 700}, {20000, 20000}};
    static const char *const names[] = {"p2", "p4", "p8", "p32", "p128"};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 9);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        for (size_t j = 0; LAB_ROW(lengths, j); j++) {
            const size_t la = lengths[j][0], lb = lengths[j][1];
            if (la * l->k < (SANITIZED ? 20000 : 200000)) {
                factors f = factors_open(l->field, la, lb, la == lb && i % 2 == 0, &g);
                check_whole(&f, &g);
                factors_close(&f);
            }
        }
    }
}

/* Digits of r and more, in all lanes: of coefficients that are not canonical, and of r^k, which is.
 */
static void digits_of_whole_products_are_canonical(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 10);
    const lab *l = lab_named("p8");
    const uint64_t r = gfp_field_r(l->field), digits[] = {r, r + 1, UINT64_MAX};
    factors f = factors_open(l->field, 300, 200, false, &g);
    for (size_t i = 0; i < f.len_c; i += i < 9 || i + 9 > f.len_c ? 1 : 29) {
        for (size_t d = 0; d < sizeof digits / sizeof *digits; d++) {
            uint64_t *place = f.c + i * f.k + (i + d) % f.k, kept = *place;
            gfp_report report = {0};
            gfp_error error = {0};
            *place = digits[d];
            assert_int_equal(verify_whole(&f, 0, 1 + (unsigned)d, &report, &error), GFP_ERR_VERIFY);
            assert_int_equal(error.index, i);
            assert_non_null(strstr(error.message, "not canonical"));
            *place = kept;
        }
    }
    factors_close(&f);
    f = factors_open(l->field, 40, 1, false, &g); /* times 1 */
    gfp_vec_zero(l->field, f.b, 1);
    f.b[0] = 1;
    gfp_vec_zero(l->field, f.a + 9 * f.k, 1);
    f.a[9 * f.k + f.k - 1] = gfp_field_r(l->field);
    memcpy(f.c, f.a, f.len_c * f.k * sizeof *f.c);
    expect_claim(&f, 0, f.len_c, GFP_VERIFY_POINT, GFP_OK, 0);
    factors_close(&f);
}

/* ---- identities ---- */

/* 2 a b X^shift - 2 c X^shift + d - d = 0. */
static gfp_identity identity_of(const factors *f, const uint64_t *d, size_t len_d, size_t shift)
{
    gfp_identity w = {.field = f->field};
    gfp_term *product = gfp_identity_add(&w, f->a, f->len_a, f->b, f->len_b);
    gfp_term *c = gfp_identity_add(&w, f->c, f->len_c, NULL, 1);
    product->shift = c->shift = shift;
    product->twice = c->twice = c->minus = c->result = true;
    gfp_identity_add(&w, d, len_d, NULL, 1)->result = true;
    gfp_identity_add(&w, d, len_d, NULL, 1)->minus = true;
    gfp_identity_add(&w, f->a, f->len_a, NULL, 0); /* 0 */
    gfp_identity_add(&w, NULL, 0, f->b, f->len_b);
    return w;
}

static gfp_status verify_identity(const gfp_identity *w, unsigned threads, gfp_finding *finding)
{
    gfp_task task;
    gfp_error error = {0};
    gfp_task_start(&task, NULL);
    task.threads = threads;
    gfp_task_part(&task, 1);
    const gfp_status status = gfp_verify_identity(w, 21, finding, &task, &error);
    assert_true(finding->points > 0 && finding->log2_error <= -40);
    return status;
}

/* One wrong coefficient of any polynomial, or one that is not canonical. */
static void check_wrong_identity(const factors *f, gfp_identity *w, uint64_t *d, gfp_random *g)
{
    uint64_t *const places[] = {f->a, f->b + (f->len_b - 1) * f->k,
                                f->c + gfp_random_below(g, f->len_c) * f->k};
    gfp_finding finding;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t kept[GFP_MAX_K], one[GFP_MAX_K];
        gfp_elem_set(f->field, kept, places[i]);
        gfp_elem_one(f->field, one);
        gfp_elem_add(f->field, places[i], places[i], one);
        assert_int_equal(verify_identity(w, 1 + (unsigned)i, &finding), GFP_ERR_VERIFY);
        assert_true(finding.wrong == GFP_NO_INDEX);
        gfp_elem_set(f->field, places[i], kept);
    }
    w->term[3].minus = false; /* d + d */
    assert_int_equal(verify_identity(w, 1, &finding), GFP_ERR_VERIFY);
    w->term[3].minus = true;
    w->term[0].twice = false;
    assert_int_equal(verify_identity(w, 1, &finding), GFP_ERR_VERIFY);
    w->term[0].twice = true;
    w->term[0].shift++;
    assert_int_equal(verify_identity(w, 1, &finding), GFP_ERR_VERIFY);
    w->term[0].shift--;
    const uint64_t kept = d[f->k - 1];
    d[f->k - 1] = UINT64_MAX;
    assert_int_equal(verify_identity(w, 2, &finding), GFP_ERR_VERIFY);
    assert_true(finding.wrong == 0);
    d[f->k - 1] = kept;
}

/* Fields with and without fold, lengths around one row; without room, and with a part of a product,
 * at points. */
static void identities_by_residues_and_at_points(void **state)
{
    static const char *const names[] = {"p2", "p8", "p32", "(2^12-2)^256+1"};
    static const size_t lengths[][3] = {{1, 1, 1}, {2, 1, 3}, {9, 8, 40}, {300, 200, 2}};
    static const size_t shifts[] = {0, 1, 8, 1000};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 12);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const gfp_field *field = lab_named(names[i])->field;
        const bool folds = gfp_verify_folds(field);
        for (size_t j = 0; LAB_ROW(lengths, j); j++) {
            const size_t shift = folds ? shifts[(i + j) % 4] : 0, len_d = folds ? lengths[j][2] : 1;
            if (folds || j < 2) {
                factors f = factors_open(field, lengths[j][0], lengths[j][1], false, &g);
                uint64_t *d = lab_array(len_d * f.k);
                gfp_finding finding;
                gfp_vec_random(field, d, len_d, &g);
                gfp_identity w = identity_of(&f, d, len_d, shift);
                const size_t length = gfp_identity_length(&w);
                assert_int_equal(length, f.len_c + shift > len_d ? f.len_c + shift : len_d);
                assert_int_equal(verify_identity(&w, 1, &finding), GFP_OK);
                assert_true((finding.j > 0) == (folds && length > 1));
                check_wrong_identity(&f, &w, d, &g);
                w.cap = 1;
                assert_int_equal(verify_identity(&w, 2, &finding), GFP_OK);
                check_wrong_identity(&f, &w, d, &g);
                w.cap = 0;
                w.term[0].product.end = w.term[1].product.end = w.term[1].product.len_a = 1;
                assert_int_equal(verify_identity(&w, 1, &finding), GFP_OK);
                assert_true((finding.j > 0) == (folds && f.len_c == 1 && length > 1));
                lab_free(d);
                factors_close(&f);
            }
        }
    }
}

/* ---- products of a batch, by combined values ---- */

/* The products of the first count pairs of one array of factors, whose distances leave gaps. */
static gfp_batch_claim batch_open(const gfp_field *field, gfp_batch batch, bool square,
                                  gfp_random *g)
{
    const size_t k = gfp_field_k(field), count = batch.count;
    uint64_t *a = lab_array((count * batch.stride_a + batch.len_a) * k);
    uint64_t *b = square ? a : lab_array((count * batch.stride_b + batch.len_b) * k);
    uint64_t *c = lab_array(count * batch.stride_c * k);
    gfp_vec_random(field, b, count * batch.stride_b + batch.len_b, g);
    gfp_vec_random(field, a, count * batch.stride_a + batch.len_a, g);
    memset(c, 0xff, count * batch.stride_c * k * sizeof *c); /* gaps do not matter */
    uint64_t *special = a + count / 2 * batch.stride_a * k,
             *one = b + count / 2 * batch.stride_b * k;
    gfp_vec_zero(field, special, batch.len_a); /* r^k times 1 has a digit of r */
    gfp_vec_zero(field, one, batch.len_b);
    special[batch.len_a * k - 1] = gfp_field_r(field);
    one[(batch.len_b - 1) * k] = 1;
    for (size_t i = 0; i < count; i++) {
        const factors f = {.field = field,
                           .k = k,
                           .len_a = batch.len_a,
                           .len_b = batch.len_b,
                           .len_c = batch.len_a + batch.len_b - 1,
                           .a = a + i * batch.stride_a * k,
                           .b = b + i * batch.stride_b * k,
                           .c = c + i * batch.stride_c * k};
        multiply_by_definition(&f);
    }
    return (gfp_batch_claim){.field = field, .a = a, .b = b, .c = c, .batch = batch};
}

static void batch_close(gfp_batch_claim *claim)
{
    if (claim->b != claim->a) {
        lab_free((uint64_t *)claim->b);
    }
    lab_free((uint64_t *)claim->a);
    lab_free((uint64_t *)claim->c);
}

static bool batch_right(const gfp_batch_claim *claim, uint64_t seed)
{
    gfp_batch_plan plan;
    assert_true(gfp_verify_batch_plan(&plan, claim));
    assert_true(plan.words > 0 && plan.log2_error <= -40);
    uint64_t *work = lab_array(plan.words);
    const bool right = gfp_verify_batch(claim, &plan, seed, work);
    lab_free(work);
    return right;
}

/* One coefficient of one product is wrong: another one, or the same with a digit of r. */
static void check_wrong_place(const gfp_batch_claim *claim, size_t i, size_t t, gfp_random *g)
{
    const gfp_field *field = claim->field;
    const size_t k = gfp_field_k(field), digit = gfp_random_below(g, k);
    uint64_t *place = (uint64_t *)claim->c + (i * claim->batch.stride_c + t) * k;
    uint64_t kept[GFP_MAX_K], one[GFP_MAX_K] = {0};
    one[digit] = 1;
    gfp_elem_set(field, kept, place);
    gfp_elem_add(field, place, place, one);
    if (batch_right(claim, 1 + i)) {
        fail_msg("%s: coefficient %zu of product %zu of %zu: not found", gfp_field_name(field), t,
                 i, claim->batch.count);
    }
    gfp_elem_set(field, place, kept);
    place[digit] = gfp_field_r(field) + (digit == k - 1 || i % 2 == 0);
    assert_false(batch_right(claim, 1 + i));
    gfp_elem_set(field, place, kept);
}

static void check_batch_shape(const gfp_field *field, gfp_batch batch, bool square, gfp_random *g)
{
    const size_t length = batch.len_a + batch.len_b - 1, k = gfp_field_k(field);
    gfp_batch_claim claim = batch_open(field, batch, square, g);
    for (uint64_t seed = 1; seed < 4; seed++) {
        assert_true(batch_right(&claim, seed));
    }
    const size_t products[] = {0, batch.count / 2, batch.count - 1};
    const size_t places[] = {0, length / 2, length - 1};
    for (size_t i = 0; i < 9; i++) {
        check_wrong_place(&claim, products[i / 3], places[i % 3], g);
    }
    if (batch.count > 1) { /* two products that changed places */
        uint64_t *c = (uint64_t *)claim.c, *next = c + batch.stride_c * k;
        uint64_t *kept = lab_array(length * k);
        memcpy(kept, c, length * k * sizeof *c);
        memcpy(c, next, length * k * sizeof *c);
        memcpy(next, kept, length * k * sizeof *c);
        lab_free(kept);
        assert_false(batch_right(&claim, 5));
    }
    batch_close(&claim);
}

static void batches_by_combined_values(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p32", "p128"};
    static const size_t shapes_of_batches[][3] = {{3, 2, 1},  {2, 3, 1},   {9, 1, 5},  {32, 16, 16},
                                                  {7, 64, 5}, {32, 9, 33}, {1, 40, 50}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 12);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        for (size_t j = 0; LAB_ROW(shapes_of_batches, j); j++) {
            const size_t *s = shapes_of_batches[j];
            gfp_batch batch = {
                .count = l->k > 32 && s[0] > 9 ? 9 : s[0], .len_a = s[1], .len_b = s[2]};
            batch.stride_a = s[1] + j % 2;
            batch.stride_b = s[2] + j % 3;
            batch.stride_c = s[1] + s[2] - 1 + j % 2;
            check_batch_shape(l->field, batch, s[1] == s[2] && j % 2 == 1, &g);
        }
    }
    gfp_batch_plan plan;
    const gfp_batch_claim small = {.field = lab_named("(2^12-2)^256+1")->field,
                                   .batch = {.count = 4, .len_a = 3, .len_b = 3}};
    assert_false(gfp_verify_batch_plan(&plan, &small));
    const gfp_batch_claim huge = {.field = lab_named("p8")->field,
                                  .batch = {.count = 32, .len_a = 1 << 20, .len_b = 3}};
    assert_false(gfp_verify_batch_plan(&plan, &huge));
    const gfp_batch_claim constants = {.field = lab_named("p8")->field,
                                       .batch = {.count = 32, .len_a = 1, .len_b = 1}};
    assert_false(gfp_verify_batch_plan(&plan, &constants));
}

/* Claims of fewer products than planned for, and factors that overlap: each product's factors begin
 * one coefficient after those before. */
static void smaller_groups_fit_the_plan(void **state)
{
    static const char *const names[] = {"p2", "p4", "p8", "p16"};
    static const size_t lengths[][2] = {{8, 1}, {4, 4}, {64, 1}, {12, 6}, {2, 2}};
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 13);
    for (size_t i = 0; LAB_ROW(names, i); i++) {
        const lab *l = lab_named(names[i]);
        for (size_t j = 0; LAB_ROW(lengths, j); j++) {
            const size_t la = lengths[j][0], lb = lengths[j][1];
            const gfp_batch batch = {.count = GFP_VERIFY_TOGETHER,
                                     .len_a = la,
                                     .len_b = lb,
                                     .stride_a = 1,
                                     .stride_b = 1,
                                     .stride_c = la + lb - 1};
            gfp_batch_claim claim = batch_open(l->field, batch, false, &g);
            gfp_batch_plan plan;
            assert_true(gfp_verify_batch_plan(&plan, &claim));
            for (size_t count = 1; count <= batch.count; count++) {
                uint64_t *work = lab_array(plan.words); /* sanitizers see its end */
                claim.batch.count = count;
                assert_true(gfp_verify_batch(&claim, &plan, count, work));
                lab_free(work);
            }
            batch_close(&claim);
        }
    }
}

static bool claim_stop(void *user, double fraction)
{
    size_t *left = user;
    (void)fraction;
    return (*left)-- > 0;
}

static void evaluations_can_be_cancelled_anywhere(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 5);
    const lab *l = lab_named("p128");
    factors f = factors_open(l->field, 300, 240, false, &g);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        bool done = false;
        size_t calls = 0;
        for (; !done; calls++) {
            size_t left = calls;
            const gfp_progress progress = {claim_stop, &left};
            const gfp_range range = range_of(&f, 100, 400);
            uint64_t y[GFP_MAX_K];
            gfp_task task;
            gfp_task_start(&task, &progress);
            task.threads = threads;
            gfp_task_part(&task, 1);
            done = gfp_task_span(&task, 1, gfp_verify_range_units(&range), l->k) &&
                   gfp_verify_evaluate_range(y, &range, 5, &task);
            assert_true(done || left == SIZE_MAX);
            assert_true(calls < 1000);
        }
        assert_true(threads > 1 || calls >= 10);
    }
    factors_close(&f);
}

static void whole_checks_can_be_cancelled_anywhere(void **state)
{
    gfp_random g;
    (void)state;
    gfp_random_seed(&g, 8);
    factors f = factors_open(lab_named("p8")->field, 9000, 8000, false, &g);
    const gfp_claim claim = claim_of(&f, 0, f.len_c);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        gfp_status status = GFP_ERR_CANCELLED;
        size_t calls = 0;
        for (; status != GFP_OK; calls++) {
            size_t left = calls;
            const gfp_progress progress = {claim_stop, &left};
            gfp_report report = {0};
            gfp_task task;
            gfp_task_start(&task, &progress);
            task.threads = threads;
            gfp_task_part(&task, 1);
            status = gfp_verify_product(&claim, GFP_VERIFY_POINT, 3, &report, &task, NULL);
            assert_true(status == GFP_OK || (status == GFP_ERR_CANCELLED && left == SIZE_MAX));
            assert_true(calls < 1000);
        }
        assert_true(calls >= 3);
    }
    factors_close(&f);
}

/* ---- seeds ---- */

static void *draw_seeds(void *user)
{
    uint64_t *seeds = user;
    for (size_t i = 0; i < 4; i++) {
        if (gfp_system_seed(&seeds[i], NULL) != GFP_OK) {
            return NULL;
        }
    }
    return seeds;
}

static void threads_draw_their_own_seeds(void **state)
{
    uint64_t seeds[8] = {0};
    pthread_t thread;
    void *drawn = NULL;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, draw_seeds, seeds + 4), 0);
    assert_non_null(draw_seeds(seeds));
    assert_int_equal(pthread_join(thread, &drawn), 0);
    assert_non_null(drawn);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(seeds[i] != seeds[j]);
        }
    }
}

/* ---- products ---- */

/* The degree that counts is that of the part. */
static void parts_take_the_points_of_their_length(void **state)
{
    gfp_random g;
    gfp_report report = {0};
    const gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report};
    const gfp_field *field = lab_named("(2^12-2)^256+1")->field;
    gfp_poly a, c;
    (void)state;
    gfp_random_seed(&g, 6);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, 5, &g), GFP_OK);
    for (size_t n = 1; n <= 4; n++) { /* (3 / 4094)^4 < 2^-40 < (4 / 4094)^4 */
        assert_int_equal(gfp_poly_mullow(&c, &a, &a, n, &options), GFP_OK);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
        assert_int_equal(report.points, 4);
        assert_int_equal(gfp_poly_mulmid(&c, &a, &a, 9 - n, n, &options), GFP_OK);
        assert_int_equal(report.verified, GFP_VERIFY_POINT);
    }
    assert_int_equal(gfp_poly_mullow(&c, &a, &a, 5, &options), GFP_OK);
    assert_int_equal(report.verified, GFP_VERIFY_CROSS);
    assert_int_equal(gfp_poly_mul(&c, &a, &a, &options), GFP_OK);
    assert_int_equal(report.verified, GFP_VERIFY_CROSS);
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_by_the_definition),
        cmocka_unit_test(each_wrong_coefficient_of_each_range_is_found),
        cmocka_unit_test(digits_that_are_not_canonical_are_found),
        cmocka_unit_test(factors_that_are_not_canonical_are_found),
        cmocka_unit_test(long_ranges_in_blocks_and_by_threads),
        cmocka_unit_test(evaluations_can_be_cancelled_anywhere),
        cmocka_unit_test(whole_products_by_residues),
        cmocka_unit_test(digits_of_whole_products_are_canonical),
        cmocka_unit_test(identities_by_residues_and_at_points),
        cmocka_unit_test(batches_by_combined_values),
        cmocka_unit_test(smaller_groups_fit_the_plan),
        cmocka_unit_test(threads_draw_their_own_seeds),
        cmocka_unit_test(whole_checks_can_be_cancelled_anywhere),
        cmocka_unit_test(parts_take_the_points_of_their_length),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
