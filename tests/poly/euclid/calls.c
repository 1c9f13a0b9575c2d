/* calls.c: calls of Euclid's algorithm: memory, progress, threads, verification, reports.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "poly/division/rows.h"

#include "poly/euclid/gcd.h"

/* ---- the operations ---- */

/* Results beside z and y. */
typedef struct others {
    gfp_poly poly[6];
} others;

static void make_others(others *t, const parts *s)
{
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_init(&t->poly[i], s->f.field);
    }
}

static void clear_others(others *t)
{
    for (size_t i = 0; i < 6; i++) {
        gfp_poly_clear(&t->poly[i]);
    }
}

static gfp_status euclid_calls_gcd(parts *s, const gfp_options *options)
{
    return gfp_poly_gcd(&s->z, &s->twice, &s->several, options);
}

static gfp_status common_factor(parts *s, const gfp_options *options)
{
    return gfp_poly_gcd(&s->z, &s->multiple, &s->f, options);
}

static gfp_status euclid_calls_xgcd(parts *s, const gfp_options *options)
{
    others t;
    make_others(&t, s);
    const gfp_status status =
        gfp_poly_xgcd(&t.poly[0], &s->z, &s->y, &s->several, &s->twice, options);
    clear_others(&t);
    return status;
}

static gfp_status half_gcd(parts *s, const gfp_options *options)
{
    others t;
    make_others(&t, s);
    gfp_poly *const M[4] = {&t.poly[0], &t.poly[1], &t.poly[2], &t.poly[3]};
    const gfp_status status =
        gfp_poly_hgcd(M, &s->z, &s->y, &s->several, &s->twice, s->n / 2 + 1, options);
    clear_others(&t);
    return status;
}

/* z := a constant. */
static gfp_status euclid_calls_constant(parts *s, const uint64_t *r, gfp_status status)
{
    if (status == GFP_OK) {
        gfp_poly_zero(&s->z);
        status = gfp_poly_set_coeff(&s->z, 0, r);
    }
    return status;
}

static gfp_status euclid_calls_resultant(parts *s, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    return euclid_calls_constant(s, r, gfp_poly_resultant(r, &s->twice, &s->several, options));
}

static gfp_status euclid_calls_subresultant(parts *s, const gfp_options *options)
{
    return gfp_poly_subresultant(&s->z, &s->several, &s->twice, s->n / 2, options);
}

static gfp_status euclid_calls_discriminant(parts *s, const gfp_options *options)
{
    uint64_t r[GFP_MAX_K];
    return euclid_calls_constant(s, r, gfp_poly_discriminant(r, &s->twice, options));
}

static gfp_status euclid_calls_reconstruct(parts *s, const gfp_options *options)
{
    return gfp_poly_reconstruct(&s->z, &s->y, &s->several, &s->twice, s->n - 1, s->n, options);
}

static gfp_status euclid_calls_pade(parts *s, const gfp_options *options)
{
    return gfp_poly_pade(&s->z, &s->y, &s->several, s->n, s->n - 1, options);
}

static gfp_status euclid_calls_minpoly(parts *s, const gfp_options *options)
{
    return gfp_poly_minpoly(&s->z, s->several.digits, 2 * s->n, options);
}

/* Two pairs of one shape, the last one with a common factor. By one thread unless options say more.
 */
typedef struct pairs {
    gfp_batch batch;
    uint64_t *a, *b, *result;
    size_t len[2];
    gfp_options options;
} pairs;

static void make_pairs(pairs *w, const parts *s, const gfp_options *options)
{
    const gfp_poly *const list[2] = {&s->twice, &s->multiple};
    const size_t k = gfp_field_k(s->f.field), len_a = 2 * s->n, len_b = s->n + 1;
    w->batch = (gfp_batch){2, len_a, len_b, 0, 0, 0};
    w->a = test_calloc(2 * len_a * k, sizeof *w->a);
    w->b = test_calloc(2 * len_b * k, sizeof *w->b);
    w->result = test_calloc(2 * len_a * k, sizeof *w->result);
    for (size_t i = 0; i < 2; i++) {
        assert_true(list[i]->len <= len_a && s->f.len <= len_b);
        gfp_vec_copy(s->f.field, w->a + i * len_a * k, list[i]->digits, list[i]->len);
        gfp_vec_copy(s->f.field, w->b + i * len_b * k, s->f.digits, s->f.len);
    }
    w->options = options != NULL ? *options : (gfp_options){0};
    w->options.threads = w->options.threads > 0 ? w->options.threads : 1;
}

/* z := the last divisor. */
static gfp_status many_gcds(parts *s, const gfp_options *options)
{
    const size_t k = gfp_field_k(s->f.field);
    pairs w;
    make_pairs(&w, s, options);
    gfp_status status = gfp_vec_gcd(s->f.field, w.result, w.len, w.a, w.b, &w.batch, &w.options);
    if (status == GFP_OK) {
        assert_int_equal(w.len[1], s->f.len);
        gfp_poly_zero(&s->z);
    }
    for (size_t i = 0; i <= s->n && status == GFP_OK; i++) {
        status = gfp_poly_set_coeff(&s->z, i, w.result + (w.batch.len_a + i) * k);
    }
    test_free(w.a);
    test_free(w.b);
    test_free(w.result);
    return status;
}

static const operation operations[] = {
    {"gcd and cofactors", euclid_calls_xgcd, 0},
    {"gcd", euclid_calls_gcd, MAY_BE_RIGHT},
    {"gcd with a common factor", common_factor, MOST_MATTER},
    {"half-gcd", half_gcd, CREATES},
    {"resultant", euclid_calls_resultant, MOST_MATTER},
    {"subresultant", euclid_calls_subresultant, MOST_MATTER},
    {"many gcds", many_gcds, MOST_MATTER | GOES_ON},
    {"discriminant", euclid_calls_discriminant, MOST_MATTER},
    {"rational reconstruction", euclid_calls_reconstruct, MOST_MATTER},
    {"Padé approximant", euclid_calls_pade, MOST_MATTER},
    {"minimal polynomial", euclid_calls_minpoly, MOST_MATTER},
};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* Pairs of twice the degree take half-gcds. */
static const problem problems[] = {{"p8", 45}, {"p2", 60}, {"2^4+1", 45}};
#define PROBLEMS (sizeof problems / sizeof problems[0])

#define METHODS_DEGREE 70
#define THREADS_DEGREE 120
#include "poly/division/rows_tests.h"

/* A branch of an operation computes a gcd by half-gcds in the words that the operation took. */
static void branches_compute_what_their_operation_did(void **state)
{
    const gfp_field *field = lab_named("p8")->field;
    gfp_options options = {.threads = 1};
    gfp_operation_call op, branch;
    gfp_common_divisor d, other;
    gfp_error error;
    gfp_task task;
    gfp_random g;
    gfp_poly a, b;
    uint64_t *memory;
    (void)state;
    gfp_random_seed(&g, 1);
    gfp_poly_init(&a, field);
    gfp_poly_init(&b, field);
    assert_int_equal(gfp_poly_random(&a, 120, &g), GFP_OK);
    assert_int_equal(gfp_poly_random(&b, 119, &g), GFP_OK);
    const gfp_series x = {a.digits, a.len}, y = {b.digits, b.len};
    assert_int_equal(gfp_operation_begin(&op, "test", field, &options, 1, 1), GFP_OK);
    assert_int_equal(gfp_gcd(&op, &d, x, y, false), GFP_OK);
    assert_true(op.spaces > 0);
    const size_t words = gfp_operation_branch_words(&op, op.peak);
    assert_int_equal(gfp_operation_array(&op, &memory, words / gfp_field_k(field) + 1), GFP_OK);
    gfp_task_start(&task, NULL);
    memset(&branch, 0xff, sizeof branch);
    gfp_operation_begin_branch(&branch, &op, memory, words, &task, &error);
    assert_memory_equal(branch.threshold, op.threshold, sizeof op.threshold);
    assert_int_equal(gfp_gcd(&branch, &other, x, y, false), GFP_OK);
    assert_int_equal(other.g.len, d.g.len);
    assert_true(gfp_vec_equal(field, other.g.digits, d.g.digits, d.g.len));
    gfp_operation_release(&branch, (gfp_operation_mark){1, 0, 0});
    assert_int_equal(gfp_operation_end(&op, GFP_OK), GFP_OK);
    gfp_poly_clear(&a);
    gfp_poly_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {DIVISION_CALLS_TESTS,
                                       cmocka_unit_test(branches_compute_what_their_operation_did)};
    return cmocka_run_group_tests(tests, NULL, lab_teardown);
}
