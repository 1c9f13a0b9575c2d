/* native_matrix.c: products of matrices through small primes against sums by the definition,
 * by all engines; extreme entries, kept residues, threads, cancellation.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fixtures.h"

#include "field/base/kernels.h"
#include "crt/small/native_matrix.h"

/* A matrix product: rows by inner, inner by columns. */
typedef struct shape {
    size_t rows, inner, columns;
} shape;

static uint64_t *native_matrix_aligned(size_t words)
{
    uint64_t *x = aligned_alloc(64, (words + 8) / 8 * 64);
    assert_non_null(x);
    return x;
}

/* c := the product by the definition. */
static void slow_product(const lab *l, uint64_t *c, const uint64_t *a, const uint64_t *b, shape s)
{
    const size_t k = l->k;
    const uint64_t **rows = malloc(s.inner * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < s.inner; i++) {
        rows[i] = b + i * s.columns * k;
    }
    for (size_t i = 0; i < s.rows; i++) {
        gfp_field_kernels(l->field)->lincomb(l->field, c + i * s.columns * k, NULL,
                                             a + i * s.inner * k, rows, s.inner, s.columns);
    }
    free(rows);
}

static void expect_product(const lab *l, const uint64_t *c, const uint64_t *a, const uint64_t *b,
                           shape s)
{
    uint64_t *expected = lab_array(s.rows * s.columns * l->k);
    slow_product(l, expected, a, b, s);
    lab_expect_digits(l, c, expected, s.rows * s.columns, "matrix product", s.rows, s.inner);
    lab_free(expected);
}

static void native_matrix_multiply(const gfp_native_matrix *m, uint64_t *c, const uint64_t *a,
                                   const uint64_t *b, shape s, bool keep, unsigned threads)
{
    const size_t k = m->field->k;
    const gfp_native_matrix_input left = {a, s.inner * k, k}, right = {b, s.columns * k, k};
    const gfp_native_matrix_entries result = {c, s.columns * k, k};
    uint64_t *kept = keep ? native_matrix_aligned(gfp_native_matrix_kept_words(m)) : NULL;
    uint64_t *work = native_matrix_aligned(gfp_native_matrix_work_words(m, s.rows, threads));
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

static const gfp_native_engine *const engines[] = {
    &gfp_native_portable,
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
    &gfp_native_avx2,
#endif
#if GFP_X86_LEVELS
    &gfp_native_avx512,
#endif
};
#define ENGINES (sizeof engines / sizeof engines[0])

/* Whether the CPU has an engine's level, and the engine serves the field. */
static bool native_matrix_serves(size_t i, const gfp_native_matrix *m)
{
    return gfp_field_level(m->field) >= engines[i]->combine_level &&
           engines[i]->serves(&m->tables->radix);
}

/* By channels, or what serves without them, and by all engines; with and without kept residues. */
static void expect_all(const lab *l, const uint64_t *a, const uint64_t *b, shape s)
{
    gfp_native_matrix m;
    const size_t n = s.rows * s.columns;
    uint64_t *c = lab_array(n * l->k), *expected = lab_array(n * l->k);
    slow_product(l, expected, a, b, s);
    assert_int_equal(gfp_native_matrix_init(&m, l->field, s.inner, s.columns), GFP_OK);
    for (unsigned i = 0; i < 2; i++) {
        native_matrix_multiply(&m, c, a, b, s, i % 2 == 1, 1 + i % 2);
        lab_expect_digits(l, c, expected, n, "matrix product", s.rows, s.inner);
    }
    assert_int_equal(gfp_native_matrix_init_primes(&m, l->field, s.inner, s.columns), GFP_OK);
    for (unsigned i = 0; i < 2 * ENGINES; i++) {
        if (!native_matrix_serves(i / 2, &m)) {
            continue;
        }
        m.engine = engines[i / 2];
        native_matrix_multiply(&m, c, a, b, s, i % 2 == 1, 1 + i % 2);
        lab_expect_digits(l, c, expected, n, "matrix product", s.rows, s.inner);
    }
    lab_free(c);
    lab_free(expected);
}

static void products_are_right(void **state)
{
    static const shape shapes[] = {{1, 1, 1},   {2, 3, 15},  {7, 5, 17},   {6, 9, 64},
                                   {13, 4, 70}, {3, 129, 8}, {5, 260, 20}, {4, 6, 300}};
    (void)state;
    for (size_t f = 0; f < oracle_field_count && f < ORACLE_SHORT; f++) {
        const lab *l = &lab_fields[f];
        for (size_t i = f % 2; i<sizeof shapes / sizeof shapes[0]; i += l->k> 8 ? 2 : 1) {
            const shape s = shapes[i];
            if (s.inner * s.columns * l->k > (size_t)1 << 15) {
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

/* x := n times the element -1, or the element whose digits are all half of the radix, rounded down
 * or up: the greatest residues, and the greatest balanced digits. */
static void fill_greatest(const lab *l, uint64_t *x, size_t n, unsigned which)
{
    const uint64_t half = gfp_field_r(l->field) / 2 + (which == 2);
    for (size_t i = 0; i < n; i++, x += l->k) {
        gfp_elem_one(l->field, x);
        gfp_elem_neg(l->field, x, x);
        for (size_t t = 0; t < l->k && which > 0; t++) {
            x[t] = half;
        }
    }
}

/* All entries greatest: the greatest sums. */
static void greatest_entries(void **state)
{
    const shape s = {7, 300, 33};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
        const lab *l = &lab_fields[f];
        for (unsigned which = 0; which < 9 && l->k <= 16; which++) {
            uint64_t *a = lab_array(s.rows * s.inner * l->k);
            uint64_t *b = lab_array(s.inner * s.columns * l->k);
            fill_greatest(l, a, s.rows * s.inner, which / 3);
            fill_greatest(l, b, s.inner * s.columns, which % 3);
            expect_all(l, a, b, s);
            lab_free(a);
            lab_free(b);
        }
    }
}

/* The columns of B are the rows of an array. */
static void transposed_entries(void **state)
{
    const shape s = {5, 140, 21};
    (void)state;
    for (size_t f = 0; lab_field_row(f); f++) {
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
                gfp_elem_set(l->field, t + (j * s.inner + i) * k, b + (i * s.columns + j) * k);
            }
        }
        assert_int_equal(gfp_native_matrix_init(&m, l->field, s.inner, s.columns), GFP_OK);
        uint64_t *work = native_matrix_aligned(gfp_native_matrix_work_words(&m, s.rows, 1));
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

#if GFP_X86_LEVELS || GFP_NEON_LEVEL
/* Panels of extreme and random residues: by doubles as by words, residues included. */
static void doubles_sum_as_words(void **state)
{
    enum { WIDTH = 2 * GFP_NATIVE_TILE, MOST = 9 };
    static const size_t some_terms[] = {1, 2, 31, GFP_PANEL_TERMS};
    static uint64_t a[MOST * GFP_PANEL_TERMS], b[GFP_PANEL_TERMS * WIDTH];
    static uint64_t c[MOST * WIDTH], expected[MOST * WIDTH];
    (void)state;
    const lab *l = lab_named("p8");
    if (gfp_field_level(l->field) < GFP_LEVEL_FOUR_LANES) {
        skip();
    }
    const gfp_native_tables *tables = gfp_native_tables_get(l->field);
    assert_non_null(tables);
    uint64_t seed = 1;
    for (size_t i = 0; i < 4 * 4 * MOST; i++) {
        const gfp_native_prime *prime = &tables->primes[i % 2 == 0 ? 0 : tables->count - 1];
        const uint64_t q = prime->prime.q;
        const gfp_panel panel = {a, b, GFP_PANEL_TERMS, 1 + i / 16, some_terms[i / 4 % 4], WIDTH};
        const size_t words = panel.rows * WIDTH;
        for (size_t j = 0; j < sizeof a / sizeof a[0]; j++) {
            a[j] = i % 4 == 0 ? q - 1 : oracle_random(&seed) % q;
        }
        for (size_t j = 0; j < sizeof b / sizeof b[0]; j++) {
            b[j] = i % 4 < 2 ? q - 1 - j % 2 : oracle_random(&seed) % q;
        }
        for (unsigned first = 2; first-- > 0;) { /* the second one adds */
            gfp_native_combine_portable(prime, expected, &panel, first);
            gfp_native_combine_avx2(prime, c, &panel, first);
            assert_memory_equal(c, expected, words * sizeof *c);
        }
    }
}
#endif

static bool native_matrix_stop(void *user, double fraction)
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
    uint64_t *work = native_matrix_aligned(gfp_native_matrix_work_words(&m, s.rows, 1));
    const gfp_native_matrix_input left = {a, s.inner * l->k, l->k},
                                  right = {b, s.columns * l->k, l->k};
    const gfp_native_matrix_entries result = {c, s.columns * l->k, l->k};
    unsigned reports = 1, done = 0;
    for (; done < 1000; done++) {
        unsigned calls = reports++;
        const gfp_progress progress = {native_matrix_stop, &calls};
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
#if GFP_X86_LEVELS || GFP_NEON_LEVEL
        cmocka_unit_test(doubles_sum_as_words),
#endif
        cmocka_unit_test(transposed_entries),
        cmocka_unit_test(cancelled_products_stop),
    };
    return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
