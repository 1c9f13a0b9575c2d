/* test_native_matrix.c: products of matrices through small primes against sums by the definition,
 * by both engines; extreme entries, kept residues, threads, cancellation.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab.h"

#include "kernels.h"
#include "native_matrix.h"

/* A matrix product: rows by inner, inner by columns. */
typedef struct shape {
    size_t rows, inner, columns;
} shape;

static uint64_t *aligned(size_t words)
{
    uint64_t *x = aligned_alloc(64, (words + 8) / 8 * 64);
    assert_non_null(x);
    return x;
}

/* The entries of c by the definition. */
static void expect_product(const lab *l, const uint64_t *c, const uint64_t *a, const uint64_t *b,
                           shape s)
{
    const size_t k = l->k;
    uint64_t *row = lab_array(s.columns * k);
    const uint64_t **rows = malloc(s.inner * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < s.inner; i++) {
        rows[i] = b + i * s.columns * k;
    }
    for (size_t i = 0; i < s.rows; i++) {
        gfp_vec_lincomb(l->field, row, a + i * s.inner * k, rows, s.inner, s.columns);
        lab_expect_digits(l, c + i * s.columns * k, row, s.columns, "matrix product", i, s.inner);
    }
    free(rows);
    lab_free(row);
}

static void multiply(const gfp_native_matrix *m, uint64_t *c, const uint64_t *a, const uint64_t *b,
                     shape s, bool keep, unsigned threads)
{
    const size_t k = m->field->k;
    const gfp_native_matrix_input left = {a, s.inner * k, k}, right = {b, s.columns * k, k};
    const gfp_native_matrix_entries result = {c, s.columns * k, k};
    uint64_t *kept = keep ? aligned(gfp_native_matrix_kept_words(m)) : NULL;
    uint64_t *work = aligned(gfp_native_matrix_work_words(m, s.rows, threads));
    gfp_task task;
    gfp_task_start(&task, NULL);
    task.threads = threads;
    const gfp_native_matrix_call call = {m, work, &task};
    assert_true(
        gfp_task_span(&task, 1, gfp_native_matrix_units(m, s.rows), GFP_NATIVE_MATRIX_UNIT_COST));
    if (keep) {
        assert_true(gfp_native_matrix_keep(&call, kept, &right));
    }
    assert_true(
        gfp_native_matrix_multiply(&call, &result, &left, s.rows, keep ? NULL : &right, kept));
    free(work);
    free(kept);
}

/* Both engines, with and without kept residues. */
static void expect_all(const lab *l, const uint64_t *a, const uint64_t *b, shape s)
{
    gfp_native_matrix m;
    uint64_t *c = lab_array(s.rows * s.columns * l->k);
    assert_int_equal(gfp_native_matrix_init(&m, l->field, s.inner, s.columns), GFP_OK);
    const gfp_native_engine *own = m.engine;
    for (unsigned i = 0; i < 4; i++) {
        m.engine = i < 2 ? own : &gfp_native_portable;
        multiply(&m, c, a, b, s, i % 2 == 1, 1 + i % 2);
        expect_product(l, c, a, b, s);
    }
    lab_free(c);
}

static void products_are_right(void **state)
{
    static const shape shapes[] = {{1, 1, 1},   {2, 3, 15},  {7, 5, 17},   {6, 9, 64},
                                   {13, 4, 70}, {3, 129, 8}, {5, 260, 20}, {4, 6, 300}};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            const shape s = shapes[i];
            if (s.inner * s.columns * l->k > (size_t)1 << 16) {
                continue;
            }
            uint64_t *a = lab_vector(l, s.rows * s.inner, i);
            uint64_t *b = lab_vector(l, s.inner * s.columns, i + 3);
            expect_all(l, a, b, s);
            lab_free(a);
            lab_free(b);
        }
    }
}

/* All entries -1: the greatest sums. */
static void greatest_entries(void **state)
{
    const shape s = {7, 300, 33};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        if (l->k > 16) {
            continue;
        }
        uint64_t *a = lab_array(s.rows * s.inner * l->k);
        uint64_t *b = lab_array(s.inner * s.columns * l->k);
        gfp_elem_one(l->field, a);
        gfp_elem_neg(l->field, a, a);
        for (size_t i = 0; i < s.inner * s.columns; i++) {
            gfp_elem_copy(l->field, b + i * l->k, a);
        }
        for (size_t i = 1; i < s.rows * s.inner; i++) {
            gfp_elem_copy(l->field, a + i * l->k, a);
        }
        expect_all(l, a, b, s);
        lab_free(a);
        lab_free(b);
    }
}

/* The columns of B are the rows of an array. */
static void transposed_entries(void **state)
{
    const shape s = {5, 140, 21};
    (void)state;
    for (size_t f = 0; f < oracle_field_count; f++) {
        const lab *l = &lab_fields[f];
        const size_t k = l->k;
        if (k > 16) {
            continue;
        }
        gfp_native_matrix m;
        uint64_t *a = lab_vector(l, s.rows * s.inner, 1), *t = lab_array(s.inner * s.columns * k);
        uint64_t *b = lab_vector(l, s.inner * s.columns, 2), *c = lab_array(s.rows * s.columns * k);
        for (size_t i = 0; i < s.inner; i++) {
            for (size_t j = 0; j < s.columns; j++) {
                gfp_elem_copy(l->field, t + (j * s.inner + i) * k, b + (i * s.columns + j) * k);
            }
        }
        assert_int_equal(gfp_native_matrix_init(&m, l->field, s.inner, s.columns), GFP_OK);
        uint64_t *work = aligned(gfp_native_matrix_work_words(&m, s.rows, 1));
        const gfp_native_matrix_call call = {&m, work, NULL};
        const gfp_native_matrix_input left = {a, s.inner * k, k}, right = {t, k, s.inner * k};
        const gfp_native_matrix_entries result = {c, s.columns * k, k};
        assert_true(gfp_native_matrix_multiply(&call, &result, &left, s.rows, &right, NULL));
        expect_product(l, c, a, b, s);
        free(work);
        lab_free(a);
        lab_free(b);
        lab_free(c);
        lab_free(t);
    }
}

static bool stop(void *user, double fraction)
{
    unsigned *left = user;
    assert_true(fraction >= 0 && fraction <= 1);
    return (*left)-- > 0;
}

static void cancelled_products_stop(void **state)
{
    const lab *l = lab_named("p8");
    const shape s = {40, 40, 600};
    (void)state;
    gfp_native_matrix m;
    uint64_t *a = lab_vector(l, s.rows * s.inner, 1), *b = lab_vector(l, s.inner * s.columns, 2);
    uint64_t *c = lab_array(s.rows * s.columns * l->k);
    assert_int_equal(gfp_native_matrix_init(&m, l->field, s.inner, s.columns), GFP_OK);
    uint64_t *work = aligned(gfp_native_matrix_work_words(&m, s.rows, 1));
    const gfp_native_matrix_input left = {a, s.inner * l->k, l->k},
                                  right = {b, s.columns * l->k, l->k};
    const gfp_native_matrix_entries result = {c, s.columns * l->k, l->k};
    unsigned reports = 1, done = 0;
    for (; done < 1000; done++) {
        unsigned calls = reports++;
        const gfp_progress progress = {stop, &calls};
        gfp_task task;
        gfp_task_start(&task, &progress);
        gfp_task_part(&task, 1);
        const gfp_native_matrix_call call = {&m, work, &task};
        if (gfp_task_span(&task, 1, gfp_native_matrix_units(&m, s.rows),
                          GFP_NATIVE_MATRIX_UNIT_COST) &&
            gfp_native_matrix_multiply(&call, &result, &left, s.rows, &right, NULL)) {
            break;
        }
    }
    assert_true(done > 2 && done < 1000);
    expect_product(l, c, a, b, s);
    free(work);
    lab_free(a);
    lab_free(b);
    lab_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(greatest_entries),
        cmocka_unit_test(transposed_entries),
        cmocka_unit_test(cancelled_products_stop),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
