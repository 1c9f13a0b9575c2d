/* products.c: verification accepts right products and refuses wrong ones, corrupted in many ways
 * by the test or by a wrong method; its report.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gfpoly.h"
#include "lab/fixtures.h"

#include "lab/rows.h"
#include "product/methods/classical.h"
#include "gfpoly/poly.h"
#include "poly/impl.h"
#include "field/elem.h"
#include "product/pipeline.h"
#include "crt/hybrid/product.h"
#include "product/verify/claim.h"

static const gfp_verify kinds[] = {GFP_VERIFY_POINT, GFP_VERIFY_CROSS};

/* A product costs tens of microseconds and more: the reference kernels at large k. */
static bool products_costly(const lab *l)
{
    return l->k >= 64 && l->o.r < (uint64_t)1 << 32;
}

typedef struct products {
    gfp_poly a, b, c;
} products;

static void make_products(const lab *l, products *p, size_t len_a, size_t len_b, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    gfp_poly_init(&p->a, l->field);
    gfp_poly_init(&p->b, l->field);
    gfp_poly_init(&p->c, l->field);
    assert_int_equal(gfp_poly_random(&p->a, len_a, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&p->b, len_b, &g), GFP_OK);
    assert_int_equal(gfp_poly_mul(&p->c, &p->a, &p->b, NULL), GFP_OK);
}

static void clear_products(products *p)
{
    gfp_poly_clear(&p->a);
    gfp_poly_clear(&p->b);
    gfp_poly_clear(&p->c);
}

static void right_products_pass(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 3, 9, 16, 33};
    gfp_report report;
    gfp_options options = {.report = &report};
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        size_t count = products_costly(l) ? 4 : sizeof lengths / sizeof lengths[0];
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < count; j += 2) {
                products p;
                make_products(l, &p, lengths[i], lengths[j], 10 * i + j);
                for (size_t v = 0; v < 2; v++) {
                    options.verify = kinds[v];
                    assert_int_equal(gfp_poly_verify_mul(&p.c, &p.a, &p.b, &options), GFP_OK);
                    assert_true(report.verified >= kinds[v]);
                }
                clear_products(&p);
            }
        }
    }
}

/* Every method's product passes both kinds of verification, with a correct report. */
static void check_report(const gfp_report *report, const lab *l, const char *method,
                         gfp_verify kind)
{
    assert_string_equal(report->method, method);
    if (report->verified == GFP_VERIFY_CROSS) {
        assert_true(kind == GFP_VERIFY_CROSS || l->o.r < (uint64_t)1 << 32);
        assert_non_null(report->cross_method);
        assert_string_not_equal(report->cross_method, method);
        assert_int_equal(report->points, 0);
    } else {
        assert_int_equal(report->verified, GFP_VERIFY_POINT);
        assert_null(report->cross_method);
        assert_true(report->points >= 1 && report->points <= 4);
        assert_true(report->log2_error <= -40);
    }
}

static void products_of_all_methods_pass_with_a_report(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        products p;
        make_products(l, &p, products_costly(l) ? 4 : 24, products_costly(l) ? 3 : 17, f);
        for (size_t m = 0; m < gfp_method_count(); m++) {
            for (size_t v = 0; v < 2; v++) {
                gfp_report report = {0};
                gfp_error error = {0};
                gfp_options options = {.method = gfp_method_name(m),
                                       .verify = kinds[v],
                                       .report = &report,
                                       .error = &error};
                gfp_poly c;
                gfp_poly_init(&c, l->field);
                gfp_status status = gfp_poly_mul(&c, &p.a, &p.b, &options);
                if (status != GFP_ERR_UNAVAILABLE) {
                    lab_expect_status(status, GFP_OK, &error, gfp_method_name(m));
                    assert_true(gfp_poly_equal(&c, &p.c));
                    check_report(&report, l, gfp_method_name(m), kinds[v]);
                }
                gfp_poly_clear(&c);
            }
        }
        clear_products(&p);
    }
}

static void points_are_added_for_small_radices_and_long_operands(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        size_t len;
        unsigned points; /* 0: cross */
    } cases[] = {
        {"p8", 32, 1},     /* 62 / 2^60 */
        {"m128", 8, 1},    /* 14 / 2^57 */
        {"2^16+1", 4, 0},  /* |S| = 2 */
        {"256^2+1", 2, 0}, /* (2 / 2^8)^4 = 2^-28 */
        {"30^32+1", 3, 0}, /* (4 / 30)^4 */
        {"(2^12-2)^256+1", 1, 4},
        {"(2^12-2)^256+1", 2, 4},   /* (2 / 4094)^4 < 2^-43 */
        {"(2^12-2)^256+1", 3, 0},   /* (4 / 4094)^4 > 2^-40, just */
        {"(2^23-2^5)^256+1", 2, 2}, /* (2 / 2^23)^2 < 2^-43 */
        {"(2^23-2^5)^256+1", 9, 3}, /* (16 / 2^23)^2 > 2^-40, ^3 = 2^-57 */
    };
    for (size_t i = 0; LAB_ROW(cases, i); i++) {
        const gfp_field *field = lab_named(cases[i].field)->field;
        gfp_report report = {0};
        gfp_options options = {.verify = GFP_VERIFY_POINT, .report = &report};
        gfp_poly a, c;
        gfp_poly_init(&a, field);
        gfp_poly_init(&c, field);
        for (size_t j = 0; j < cases[i].len; j++) {
            assert_int_equal(gfp_poly_set_coeff_u64(&a, j, 3 + j % 7), GFP_OK);
        }
        assert_int_equal(gfp_poly_mul(&c, &a, &a, &options), GFP_OK);
        assert_int_equal(report.points, cases[i].points);
        assert_int_equal(report.verified,
                         cases[i].points == 0 ? GFP_VERIFY_CROSS : GFP_VERIFY_POINT);
        gfp_poly_clear(&a);
        gfp_poly_clear(&c);
    }
}

/* ---- wrong products ---- */

/* c was changed in place to another polynomial: both kinds must refuse it. index: the first
 * difference, or SIZE_MAX if the lengths differ. */
static void products_refused(const lab *l, const products *p, size_t index, const char *what)
{
    for (size_t v = 0; v < 2; v++) {
        gfp_error error = {0};
        gfp_options options = {.verify = kinds[v], .error = &error};
        gfp_status status = gfp_poly_verify_mul(&p->c, &p->a, &p->b, &options);
        if (status != GFP_ERR_VERIFY) {
            fail_msg("%s: %s at %zu passed verification %d", l->entry->text, what, index,
                     (int)kinds[v]);
        }
        lab_expect_status(status, GFP_ERR_VERIFY, &error, what);
        if (kinds[v] == GFP_VERIFY_CROSS && index != SIZE_MAX) {
            assert_int_equal(error.index, index);
        }
    }
}

/* c_i += x for the call, then back. */
static void refused_sum(const lab *l, products *p, size_t i, const uint64_t *x, const char *what)
{
    uint64_t *place = p->c.digits + i * l->k, old[GFP_MAX_K];
    gfp_elem_set(l->field, old, place);
    gfp_elem_add(l->field, place, place, x);
    products_refused(l, p, i, what);
    gfp_elem_set(l->field, place, old);
}

static void corrupt_coefficient(const lab *l, products *p, size_t i)
{
    uint64_t x[GFP_MAX_K];
    gfp_elem_one(l->field, x);
    refused_sum(l, p, i, x, "one more");
    gfp_elem_neg(l->field, x, x);
    refused_sum(l, p, i, x, "one less"); /* plus r^k */
    for (unsigned s = 0; s < 2 * l->k; s += 1 + l->k / 8) {
        gfp_elem_one(l->field, x);
        gfp_elem_mul_r(l->field, x, x, s);
        refused_sum(l, p, i, x, "a digit off by one");
    }
    const uint64_t *y = lab_sample(l, l->extremes + i % LAB_RANDOM);
    if (!gfp_elem_is_zero(l->field, y)) {
        refused_sum(l, p, i, y, "a random difference");
    }
}

static void every_wrong_coefficient_is_found(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        size_t len_a = products_costly(l) ? 2 : l->k <= 16 ? 21 : 6;
        size_t len_b = products_costly(l) ? 2 : l->k <= 16 ? 12 : 5;
        products p;
        make_products(l, &p, len_a, len_b, 100 + f);
        for (size_t i = 0; i < p.c.len; i++) {
            corrupt_coefficient(l, &p, i);
        }
        assert_int_equal(gfp_poly_verify_mul(&p.c, &p.a, &p.b, NULL), GFP_OK);
        clear_products(&p);
    }
}

static void swapped_and_rotated_coefficients_are_found(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        products p;
        make_products(l, &p, products_costly(l) ? 3 : 9, products_costly(l) ? 2 : 8, 200 + f);
        size_t n = p.c.len;
        for (size_t i = 0; i + 1 < n; i++) {
            uint64_t *x = p.c.digits + i * l->k, *y = x + l->k, old[GFP_MAX_K];
            if (gfp_elem_equal(l->field, x, y)) {
                continue; /* happens in the tiny fields */
            }
            gfp_elem_set(l->field, old, x);
            gfp_elem_set(l->field, x, y);
            gfp_elem_set(l->field, y, old);
            products_refused(l, &p, i, "swap");
            gfp_elem_set(l->field, old, x);
            gfp_elem_set(l->field, x, y);
            gfp_elem_set(l->field, y, old);
        }
        clear_products(&p);
    }
}

static void digits_that_are_not_canonical_are_found(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        products p;
        make_products(l, &p, 5, 4, 300 + f);
        uint64_t *x = p.c.digits + 3 * l->k, old[GFP_MAX_K];
        gfp_elem_set(l->field, old, x);
        /* The same value mod p in another guise: digit 0 + r, digit 1 - 1. */
        if (old[1] > 0 && old[0] <= UINT64_MAX - l->o.r && old[l->k - 1] < l->o.r) {
            x[0] += l->o.r;
            x[1] -= 1;
            products_refused(l, &p, 3, "digit off by r");
        }
        gfp_elem_set(l->field, x, old);
        x[0] = UINT64_MAX;
        products_refused(l, &p, 3, "digit of ones");
        clear_products(&p);
    }
}

static void wrong_lengths_are_found(void **state)
{
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        products p;
        make_products(l, &p, 7, 6, 400 + f);
        gfp_poly zero;
        gfp_poly_init(&zero, l->field);
        for (size_t v = 0; v < 2; v++) {
            gfp_options options = {.verify = kinds[v]};
            assert_int_equal(gfp_poly_verify_mul(&zero, &p.a, &p.b, &options), GFP_ERR_VERIFY);
            assert_int_equal(gfp_poly_verify_mul(&p.c, &zero, &p.b, &options), GFP_ERR_VERIFY);
            assert_int_equal(gfp_poly_verify_mul(&zero, &p.a, &zero, &options), GFP_OK);
        }
        assert_int_equal(gfp_poly_shift_left(&p.c, &p.c, 1), GFP_OK);
        products_refused(l, &p, SIZE_MAX, "one coefficient more");
        assert_int_equal(gfp_poly_shift_right(&p.c, &p.c, 2), GFP_OK);
        products_refused(l, &p, SIZE_MAX, "one coefficient less");
        clear_products(&p);
    }
}

static void verification_refuses_mixed_fields(void **state)
{
    (void)state;
    gfp_poly a, b;
    gfp_poly_init(&a, lab_fields[0].field);
    gfp_poly_init(&b, lab_fields[1].field);
    assert_int_equal(gfp_poly_verify_mul(&a, &a, &b, NULL), GFP_ERR_FIELD_MISMATCH);
    assert_int_equal(gfp_poly_verify_mul(&b, &a, &a, NULL), GFP_ERR_FIELD_MISMATCH);
}

/* The same seed gives the same verdict. A difference that vanishes modulo the seed's X^j - d is
 * missed with this seed and found with another: the moduli depend on the seed alone. */
static void the_modulus_comes_from_the_seed(void **state)
{
    (void)state;
    const lab *l = &lab_fields[2];
    const gfp_batch shape = {.count = 1, .len_a = 9, .len_b = 8};
    const gfp_fold_shape folded = gfp_verify_batch_shape(&shape);
    const size_t j = gfp_verify_columns(l->field, &folded);
    products p;
    gfp_random g;
    gfp_poly root;
    uint64_t d[GFP_MAX_K] = {0};
    make_products(l, &p, 9, 8, 500);
    gfp_random_seed(&g, 42);
    d[0] = gfp_random_below(&g, (uint64_t)1 << 48);
    gfp_elem_neg(l->field, d, d);
    gfp_poly_init(&root, l->field); /* X^j - d */
    assert_int_equal(gfp_poly_set_coeff_u64(&root, j, 1), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff(&root, 0, d), GFP_OK);
    assert_int_equal(gfp_poly_add(&p.c, &p.c, &root), GFP_OK);
    gfp_options options = {.verify = GFP_VERIFY_POINT, .verify_seed = 42};
    assert_int_equal(gfp_poly_verify_mul(&p.c, &p.a, &p.b, &options), GFP_OK);
    options.verify_seed = 43;
    assert_int_equal(gfp_poly_verify_mul(&p.c, &p.a, &p.b, &options), GFP_ERR_VERIFY);
    options.verify_seed = 0;
    assert_int_equal(gfp_poly_verify_mul(&p.c, &p.a, &p.b, &options), GFP_ERR_VERIFY);
    gfp_poly_clear(&root);
    clear_products(&p);
}

/* ---- wrong methods ---- */

/* Classical, with one more in the middle coefficient. */
static gfp_status wrong_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    uint64_t one[GFP_MAX_K];
    const gfp_field *field = range->field;
    gfp_status status = gfp_classical_run(plan, range, c, work, task, error);
    uint64_t *middle = c + (range->end - range->first) / 2 * gfp_field_k(field);
    gfp_elem_one(field, one);
    gfp_elem_add(field, middle, middle, one);
    return status;
}

/* Classical, with a last coefficient that is lost. */
static gfp_status short_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                            uint64_t *work, gfp_task *task, gfp_error *error)
{
    const size_t last = range->end - range->first - 1;
    gfp_status status = gfp_classical_run(plan, range, c, work, task, error);
    gfp_elem_zero(range->field, c + last * gfp_field_k(range->field));
    return status;
}

static void check_wrong_method(const lab *l, const gfp_method *wrong)
{
    products p;
    gfp_poly before;
    make_products(l, &p, 8, 6, 600);
    gfp_poly_init(&before, l->field);
    assert_int_equal(gfp_poly_one(&p.c), GFP_OK);
    assert_int_equal(gfp_poly_set(&before, &p.c), GFP_OK);
    for (size_t v = 0; v < 2; v++) {
        gfp_report report = {0};
        gfp_error error = {0};
        gfp_options options = {.verify = kinds[v], .report = &report, .error = &error};
        gfp_status status = gfp_poly_mul_by(wrong, &p.c, &p.a, &p.b, SIZE_MAX, &options);
        lab_expect_status(status, GFP_ERR_VERIFY, &error, wrong->name);
        assert_true(gfp_poly_equal(&p.c, &before));
        assert_string_equal(report.method, wrong->name);
        assert_true(report.verified >= kinds[v]);
        /* Low products are verified as such, and in place. */
        assert_int_equal(gfp_poly_mul_by(wrong, &p.c, &p.a, &p.b, 8, &options), GFP_ERR_VERIFY);
        assert_true(gfp_poly_equal(&p.c, &before));
        assert_int_equal(gfp_poly_set(&p.c, &p.a), GFP_OK);
        assert_int_equal(gfp_poly_mul_by(wrong, &p.c, &p.c, &p.b, SIZE_MAX, &options),
                         GFP_ERR_VERIFY);
        assert_true(gfp_poly_equal(&p.c, &p.a));
        assert_int_equal(gfp_poly_set(&p.c, &before), GFP_OK);
    }
    gfp_options none = {.verify = GFP_VERIFY_NONE};
    assert_int_equal(gfp_poly_mul_by(wrong, &p.c, &p.a, &p.b, SIZE_MAX, &none), GFP_OK);
    gfp_poly_clear(&before);
    clear_products(&p);
}

static void a_method_that_errs_is_caught_and_its_product_discarded(void **state)
{
    (void)state;
    gfp_method wrong = *gfp_method_find("classical"), lossy = wrong;
    wrong.name = "wrong";
    wrong.run = wrong_run;
    lossy.name = "lossy";
    lossy.run = short_run;
    for (size_t f = 0; lab_field_row(f); f++) {
        check_wrong_method(&lab_fields[f], &wrong);
        check_wrong_method(&lab_fields[f], &lossy);
    }
}

/* The linker puts these in the place of the classical product and of the hybrid one: where `errs`
 * is set, a product is wrong if both constant terms are 7. */
gfp_status __real_gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                                    uint64_t *work, gfp_task *task, gfp_error *error);
gfp_status __wrap_gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                                    uint64_t *work, gfp_task *task, gfp_error *error);
gfp_status __real_gfp_hybrid_product_run(const gfp_hybrid_product *p, const gfp_range *range,
                                         uint64_t *c, uint64_t *work, gfp_task *task);
gfp_status __wrap_gfp_hybrid_product_run(const gfp_hybrid_product *p, const gfp_range *range,
                                         uint64_t *c, uint64_t *work, gfp_task *task);
gfp_status __real_gfp_system_seed(uint64_t *seed, gfp_error *error);
gfp_status __wrap_gfp_system_seed(uint64_t *seed, gfp_error *error);
static bool errs, seedless; /* products are wrong; the system has no random numbers */

gfp_status __wrap_gfp_system_seed(uint64_t *seed, gfp_error *error)
{
    return seedless ? gfp_error_set(error, GFP_ERR_UNAVAILABLE, "no random numbers")
                    : __real_gfp_system_seed(seed, error);
}

static void spoil_product(const gfp_range *range, uint64_t *c)
{
    uint64_t seven[GFP_MAX_K];
    gfp_elem_set_u64(range->field, seven, 7);
    if (errs && gfp_elem_equal(range->field, range->a, seven) &&
        gfp_elem_equal(range->field, range->b, seven)) {
        c[0] ^= 1;
    }
}

gfp_status __wrap_gfp_classical_run(const gfp_plan *plan, const gfp_range *range, uint64_t *c,
                                    uint64_t *work, gfp_task *task, gfp_error *error)
{
    const gfp_status status = __real_gfp_classical_run(plan, range, c, work, task, error);
    spoil_product(range, c);
    return status;
}

gfp_status __wrap_gfp_hybrid_product_run(const gfp_hybrid_product *p, const gfp_range *range,
                                         uint64_t *c, uint64_t *work, gfp_task *task)
{
    const gfp_status status = __real_gfp_hybrid_product_run(p, range, c, work, task);
    spoil_product(range, c);
    return status;
}

/* A product of a batch is wrong, by 1 to 3 threads: the error names it. */
static void check_wrong_batch(const lab *l, const char *method, const gfp_batch *batch)
{
    const size_t count = batch->count, len_a = batch->len_a, len_b = batch->len_b;
    uint64_t *a = lab_vector(l, count * len_a, 1), *b = lab_vector(l, count * len_b, 2);
    uint64_t *c = lab_array(count * (len_a + len_b - 1) * l->k);
    for (unsigned threads = 1; threads <= 3; threads++) {
        const size_t places[] = {0, 1, 31, 40, count / 2, count - 1};
        gfp_report report = {0};
        gfp_error error = {0};
        const gfp_options options = {.method = method,
                                     .verify = GFP_VERIFY_POINT,
                                     .threads = threads,
                                     .report = &report,
                                     .error = &error};
        lab_expect_status(gfp_vec_mul_batch(l->field, c, a, b, batch, &options), GFP_OK, &error,
                          "a right batch");
        assert_true(report.verified >= GFP_VERIFY_POINT && report.log2_error <= -40);
        assert_true(report.multiply_ns > 0 && report.verify_ns > 0);
        for (size_t i = 0; LAB_ROW(places, i); i++) {
            uint64_t *x = a + places[i] * len_a * l->k, *y = b + places[i] * len_b * l->k;
            uint64_t kept[2][GFP_MAX_K];
            gfp_elem_set(l->field, kept[0], x);
            gfp_elem_set(l->field, kept[1], y);
            gfp_elem_set_u64(l->field, x, 7);
            gfp_elem_set_u64(l->field, y, 7);
            assert_int_equal(gfp_vec_mul_batch(l->field, c, a, b, batch, &options), GFP_ERR_VERIFY);
            assert_int_equal(error.index, places[i]);
            gfp_elem_set(l->field, x, kept[0]);
            gfp_elem_set(l->field, y, kept[1]);
        }
    }
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

static void wrong_products_of_batches_are_named(void **state)
{
    const gfp_batch brief = {.count = 75, .len_a = 4, .len_b = 3};
    const gfp_batch usual = {.count = 300, .len_a = 50, .len_b = 50};
    (void)state;
    errs = true;
    for (size_t f = 0; lab_field_row(f); f++) {
        if (gfp_field_r(lab_fields[f].field) >> 20 != 0) { /* others are 7 by chance */
            check_wrong_batch(&lab_fields[f], "classical", &brief);
        }
    }
    check_wrong_batch(lab_named("p8"), "hybrid", &usual);
    errs = false;
}

static bool stop_at_third(void *user, double fraction)
{
    (void)fraction;
    return ++*(unsigned *)user < 3;
}

/* A cap that leaves only a second method many times slower is refused, before anything is
 * computed. The callback ends a call that is not refused. */
static void slow_second_methods_are_refused(void **state)
{
    (void)state;
    gfp_field *field = lab_create("p8");
    gfp_poly a, c;
    gfp_random g;
    gfp_error error;
    unsigned calls = 0;
    const gfp_progress progress = {stop_at_third, &calls};
    gfp_options options = {.method = "hybrid",
                           .verify = GFP_VERIFY_CROSS,
                           .threads = 1,
                           .memory_cap = 400000,
                           .progress = &progress,
                           .error = &error};
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, field);
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_random(&a, 8192, &g), GFP_OK);
    lab_expect_status(gfp_poly_sqr(&c, &a, &options), GFP_ERR_MEMORY, &error, "a product");
    assert_non_null(strstr(error.message, "times slower"));
    assert_int_equal(calls, 0);
    options.verify = GFP_VERIFY_NONE; /* the product alone is possible */
    options.progress = NULL;
    assert_int_equal(gfp_poly_sqr(&c, &a, &options), GFP_OK);
    gfp_report report;
    gfp_poly zero;
    const gfp_options crossed = {.report = &report, .verify = GFP_VERIFY_CROSS};
    gfp_poly_init(&zero, field);
    assert_int_equal(gfp_poly_mul(&zero, &zero, &a, &crossed), GFP_OK);
    assert_true(report.verified == GFP_VERIFY_NONE && report.cross_method == NULL);
    const gfp_options checked = {.report = &report, .threads = 2};
    assert_int_equal(gfp_poly_verify_mul(&c, &a, &a, &checked), GFP_OK);
    assert_true(report.threads >= 1 && report.threads <= 2);
    options.verify = GFP_VERIFY_CROSS;
    options.memory_cap = 1000;
    options.progress = &progress;
    lab_expect_status(gfp_poly_verify_mul(&c, &a, &a, &options), GFP_ERR_MEMORY, &error,
                      "a verification");
    assert_non_null(strstr(error.message, "times slower"));
    gfp_poly_clear(&a);
    gfp_poly_clear(&c);
    gfp_field_destroy(field);
}

/* ---- the default ---- */

typedef gfp_status default_call(const products *p, gfp_poly *c, const gfp_options *options);

static gfp_status default_mul(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_mul(c, &p->a, &p->b, options);
}

static gfp_status default_sqr(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_sqr(c, &p->a, options);
}

static gfp_status default_low(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_mullow(c, &p->a, &p->b, p->a.len, options);
}

static gfp_status default_batch(const products *p, gfp_poly *c, const gfp_options *options)
{
    const gfp_batch batch = {.count = 1, .len_a = p->a.len, .len_b = p->b.len};
    const size_t len = p->a.len + p->b.len - 1;
    gfp_poly z;
    gfp_poly_init(&z, c->field);
    assert_int_equal(gfp_poly_fit_length(&z, len), GFP_OK);
    const gfp_status status =
        gfp_vec_mul_batch(c->field, z.digits, p->a.digits, p->b.digits, &batch, options);
    if (status == GFP_OK) {
        gfp_poly_normalise(&z, len);
        gfp_poly_swap(&z, c);
    }
    gfp_poly_clear(&z);
    return status;
}

static gfp_status default_division(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_div(c, &p->a, &p->b, options);
}

static gfp_status power_modulo(const products *p, gfp_poly *c, const uint64_t *exponent,
                               size_t limbs, const gfp_options *options)
{
    gfp_modulus *M = NULL;
    assert_int_equal(gfp_modulus_create(&M, &p->a, NULL), GFP_OK);
    const gfp_status status = gfp_poly_pow_mod(c, &p->b, exponent, limbs, M, options);
    gfp_modulus_destroy(M);
    return status;
}

static gfp_status default_power(const products *p, gfp_poly *c, const gfp_options *options)
{
    const uint64_t three = 3;
    return power_modulo(p, c, &three, 1, options);
}

static gfp_status default_long_power(const products *p, gfp_poly *c, const gfp_options *options)
{
    const uint64_t exponent[1100] = {[0] = 3, [1099] = 1};
    return power_modulo(p, c, exponent, 1100, options);
}

/* To as many terms as b has. */
static gfp_status default_inverse(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_inv_series(c, &p->a, p->b.len, options);
}

static gfp_status default_gcd(const products *p, gfp_poly *c, const gfp_options *options)
{
    return gfp_poly_gcd(c, &p->a, &p->b, options);
}

static gfp_status default_resultant(const products *p, gfp_poly *c, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    const gfp_status status = gfp_poly_resultant(r, &p->a, &p->b, options);
    return status == GFP_OK ? gfp_poly_set_coeff(c, 0, r) : status;
}

static gfp_status default_log(const products *p, gfp_poly *c, const gfp_options *options)
{
    gfp_poly f;
    uint64_t one[GFP_MAX_K];
    gfp_poly_init(&f, c->field);
    gfp_elem_one(c->field, one);
    assert_int_equal(gfp_poly_set(&f, &p->a), GFP_OK);
    assert_int_equal(gfp_poly_set_coeff(&f, 0, one), GFP_OK);
    const gfp_status status = gfp_poly_log_series(c, &f, f.len, options);
    gfp_poly_clear(&f);
    return status;
}

/* Without random numbers a check by default is left out, and one that is asked for fails. */
static void default_needs_no_seed(const products *p, default_call *call, gfp_verify done)
{
    gfp_report report;
    gfp_options options = {.report = &report};
    gfp_poly c, expected;
    gfp_poly_init(&c, p->a.field);
    gfp_poly_init(&expected, p->a.field);
    assert_int_equal(call(p, &expected, &options), GFP_OK);
    seedless = true;
    assert_int_equal(call(p, &c, &options), GFP_OK);
    assert_int_equal(report.verified, GFP_VERIFY_NONE);
    assert_int_equal(report.points, 0);
    assert_true(gfp_poly_equal(&c, &expected));
    options.verify = GFP_VERIFY_POINT;
    assert_true(done == GFP_VERIFY_NONE || call(p, &c, &options) == GFP_ERR_UNAVAILABLE);
    seedless = false;
    gfp_poly_clear(&c);
    gfp_poly_clear(&expected);
}

/* A wrong product of factors with the constant term 7 is refused where the default checks it. */
static void default_finds_wrong(const products *p, default_call *call, gfp_verify done,
                                gfp_options options)
{
    const gfp_field *field = p->a.field;
    gfp_poly c;
    gfp_poly_init(&c, field);
    assert_int_equal(gfp_poly_one(&c), GFP_OK);
    options.method = "hybrid";
    options.report = NULL;
    errs = true;
    const gfp_status status = call(p, &c, &options);
    errs = false;
    assert_int_equal(status, done == GFP_VERIFY_POINT ? GFP_ERR_VERIFY : GFP_OK);
    assert_true(gfp_poly_is_one(&c) == (done == GFP_VERIFY_POINT));
    gfp_poly_clear(&c);
}

/* Long whole products and some other long calls are checked by default, over fields with residues
 * and without a cap; none of them fails for lack of these. */
static void the_default_checks_long_calls(void **state)
{
    static const struct {
        const char *field;
        default_call *call;
        size_t len_a, len_b, cap;
        gfp_verify done;
    } rows[] = {{"p8", default_mul, 512, 512, 0, GFP_VERIFY_POINT},
                {"p8", default_mul, 4000, 512, 0, GFP_VERIFY_POINT},
                {"p8", default_mul, 4000, 511, 0, GFP_VERIFY_NONE},
                {"p8", default_mul, 511, 511, 0, GFP_VERIFY_NONE},
                {"p8", default_mul, 600, 600, (size_t)1 << 30, GFP_VERIFY_NONE},
                {"p8", default_sqr, 512, 1, 0, GFP_VERIFY_POINT},
                {"p8", default_sqr, 511, 1, 0, GFP_VERIFY_NONE},
                {"p8", default_low, 600, 600, 0, GFP_VERIFY_NONE},
                {"p8", default_batch, 600, 600, 0, GFP_VERIFY_POINT},
                {"p8", default_batch, 600, 300, 0, GFP_VERIFY_NONE},
                {"p32", default_mul, 512, 512, 0, GFP_VERIFY_POINT},
                {"2^16+1", default_mul, 600, 600, 0, GFP_VERIFY_NONE},
                {"2^16+1", default_batch, 600, 600, 0, GFP_VERIFY_NONE},
                {"p8", default_division, 1024, 500, 0, GFP_VERIFY_POINT},
                {"p8", default_division, 1023, 500, 0, GFP_VERIFY_NONE},
                {"p8", default_division, 1024, 500, (size_t)1 << 30, GFP_VERIFY_NONE},
                {"2^16+1", default_division, 1100, 500, 0, GFP_VERIFY_NONE},
                {"p8", default_power, 1025, 100, 0, GFP_VERIFY_POINT},
                {"p8", default_power, 1024, 2000, 0, GFP_VERIFY_NONE},
                {"p8", default_long_power, 9, 8, 0, GFP_VERIFY_NONE},
                {"p8", default_inverse, 2000, 8, 0, GFP_VERIFY_NONE},
                {"p8", default_inverse, 8, 2000, 0, GFP_VERIFY_POINT},
                {"p8", default_inverse, 2000, 1023, 0, GFP_VERIFY_NONE},
                {"p8", default_gcd, 100, 1024, 0, GFP_VERIFY_POINT},
                {"p8", default_gcd, 100, 1023, 0, GFP_VERIFY_NONE},
                {"p8", default_resultant, 100, 1100, 0, GFP_VERIFY_NONE},
                {"p8", default_log, 1200, 1, 0, GFP_VERIFY_NONE}};
    (void)state;
    for (size_t i = 0; LAB_ROW(rows, i); i++) {
        const gfp_field *field = lab_named(rows[i].field)->field;
        gfp_report report;
        const gfp_options options = {.memory_cap = rows[i].cap, .report = &report};
        products p;
        gfp_poly c;
        make_products(lab_named(rows[i].field), &p, rows[i].len_a, rows[i].len_b, i);
        gfp_poly_init(&c, field);
        assert_int_equal(gfp_poly_set_coeff_u64(&p.a, 0, 7), GFP_OK);
        assert_int_equal(gfp_poly_set_coeff_u64(&p.b, 0, 7), GFP_OK);
        assert_int_equal(rows[i].call(&p, &c, &options), GFP_OK);
        assert_int_equal(report.verified, rows[i].done);
        assert_int_equal(report.points > 0, rows[i].done == GFP_VERIFY_POINT);
        assert_true(rows[i].done == GFP_VERIFY_NONE ? report.log2_error == 0
                                                    : report.log2_error <= -40);
        assert_int_equal(rows[i].call(&p, &c, NULL), GFP_OK);
        default_needs_no_seed(&p, rows[i].call, rows[i].done);
        const bool product = rows[i].call == default_mul || rows[i].call == default_sqr ||
                             rows[i].call == default_batch;
        if (product && gfp_field_k(field) > 1) {
            default_finds_wrong(&p, rows[i].call, rows[i].done, options);
        }
        gfp_poly_clear(&c);
        clear_products(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_pass),
        cmocka_unit_test(products_of_all_methods_pass_with_a_report),
        cmocka_unit_test(points_are_added_for_small_radices_and_long_operands),
        cmocka_unit_test(every_wrong_coefficient_is_found),
        cmocka_unit_test(swapped_and_rotated_coefficients_are_found),
        cmocka_unit_test(digits_that_are_not_canonical_are_found),
        cmocka_unit_test(wrong_lengths_are_found),
        cmocka_unit_test(verification_refuses_mixed_fields),
        cmocka_unit_test(the_modulus_comes_from_the_seed),
        cmocka_unit_test(a_method_that_errs_is_caught_and_its_product_discarded),
        cmocka_unit_test(wrong_products_of_batches_are_named),
        cmocka_unit_test(slow_second_methods_are_refused),
        cmocka_unit_test(the_default_checks_long_calls),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
